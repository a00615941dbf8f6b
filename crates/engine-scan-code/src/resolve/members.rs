//! Members of values: fields, methods, entries, elements.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::{Expr, ExprId, Module, Pattern};
use rustc_hash::FxHashSet as HashSet;

use super::{IMPLEMENTERS_MAX, TRANSPARENT, VALUES_MAX, merge, text};
use crate::index::{BindSource, NONE};
use crate::project::is_script;
use crate::values::{ClassRef, ExprRef, Path, Root, Seg, Value};
use crate::world::World;

/// Maps that are spread into one another and looked into for one key.
const SPREAD_MAX: usize = 64;

/// Constructions of a class that are looked at, and values that a field takes from them.
const GIVEN_MAX: usize = 4;

/// What the tag of a field of Go says under a key.
fn in_tag<'t>(tag: &'t str, key: &str) -> Option<&'t str> {
    let begin = format!("{key}:\"");
    let at = tag.match_indices(&begin).map(|(at, _)| at).find(|at| {
        !tag[..*at]
            .chars()
            .next_back()
            .is_some_and(|before| before.is_alphanumeric() || before == '_')
    })?;
    let rest = &tag[at + begin.len()..];
    rest.split('"').next().filter(|value| !value.is_empty())
}

impl World<'_> {
    /// A member of a value.
    pub(crate) fn member(&self, value: &Value, name: &str) -> Vec<Value> {
        // `d = {**d, "k": 1}` leads back to itself.
        if self.depth.get() >= super::DEPTH_MAX {
            self.cut();
            return Vec::new();
        }
        self.depth.set(self.depth.get() + 1);
        let values = self.member_now(value, name);
        self.depth.set(self.depth.get() - 1);
        values
    }

    fn member_now(&self, value: &Value, name: &str) -> Vec<Value> {
        match value {
            Value::Path(path) => {
                if environment(path) && !matches!(name, "get" | "setdefault" | "copy" | "items" | "update" | "pop") {
                    return vec![Value::Env(Rc::from(name))];
                }
                if name != "get"
                    && let Some(values) = self
                        .loaded_entry(path, name)
                        .or_else(|| self.schema_entry(path, name))
                        .or_else(|| self.session_entry(path, name))
                {
                    return values;
                }
                path.then(Seg::Name(Rc::from(name)))
                    .map(|path| Value::Path(Rc::new(path)))
                    .into_iter()
                    .collect()
            }
            Value::Module(unit) => {
                let values = self.exported(*unit, name, 0);
                if values.is_empty() && name == "default" {
                    vec![value.clone()]
                } else {
                    values
                }
            }
            Value::Package(key) => {
                if let Some(dir) = key.strip_prefix("dir:") {
                    for path in [format!("{dir}/{name}.py"), format!("{dir}/{name}/__init__.py")] {
                        if let Some(unit) = self.by_path.get(path.as_str()) {
                            return vec![Value::Module(*unit)];
                        }
                    }
                    if let Some(unit) = self.by_path.get(format!("{dir}/__init__.py").as_str()) {
                        return self.exported(*unit, name, 0);
                    }
                    return vec![Value::Package(Rc::from(format!("dir:{dir}/{name}")))];
                }
                let mut out = Vec::new();
                for unit in self.mates_with(key, name).iter() {
                    merge(&mut out, &self.lookup_top(*unit, name));
                }
                out
            }
            Value::Instance(class, made) => {
                let mut out = self.instance_member(*class, *made, name, 0);
                // What may have failed is there or not: `Client::new(key).map_err(told)?` gives a client.
                if out.is_empty() && TRANSPARENT.contains(&name) && self.unit(class.0).language == Language::Rust {
                    out.push(value.clone());
                }
                out
            }
            Value::Class(class) => self.class_member(*class, name),
            Value::Literal(at) => self.entry(*at, name),
            Value::Text(_) | Value::Env(_)
                if TRANSPARENT.contains(&name)
                    || super::calling::FALLS_BACK.contains(&name)
                    // Whether it is looked into hangs on what it is called with.
                    || super::calling::CUTS.contains(&name) =>
            {
                vec![value.clone()]
            }
            // A member of an enumeration stands for its text, and so does what it is asked for: `Models.SMALL.value`.
            Value::Text(_) if name == "value" => vec![value.clone()],
            Value::Function(_) if matches!(name, "bind" | "call" | "apply" | "remote" | "delay" | "invoke") => {
                vec![value.clone()]
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn class_member(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for method in self.method(class, name) {
            merge(&mut out, &[Value::Function(method)]);
        }
        if out.is_empty() {
            out = self.done_later(class, name);
        }
        if out.is_empty() {
            out = self.field(class, name);
        }
        if out.is_empty() && name == "Companion" {
            out.push(Value::Class(class));
        }
        if out.is_empty()
            && let Some(inner) = self.class_inside(class.0, name)
        {
            out.push(Value::Class(inner));
        }
        // A builder that an annotation has a compiler write: `Request.builder().model(name).build()`.
        if out.is_empty()
            && name == "builder"
            && crate::project::is_jvm(self.unit(class.0).language)
            && let Some(own) = self.module(class.0).class(class.1).name.as_deref()
        {
            out.push(Value::Path(Rc::new(Path {
                root: Root::Global,
                segs: vec![Seg::Name(Rc::from(own)), Seg::Name(Rc::from(name))],
            })));
        }
        if out.is_empty() {
            for base in self.external_bases(class) {
                if let Some(path) = base.then(Seg::Name(Rc::from(name))) {
                    merge(&mut out, &[Value::Path(Rc::new(path))]);
                }
            }
        }
        if self.unit(class.0).language == Language::Ruby {
            merge(&mut out, &self.member_of_bases(class, name));
        }
        out
    }

    /// The values that fields of a class get, in its body or in its methods.
    pub(super) fn field(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let mut out = self.bound_setting(class, name);
        for part in self.class_parts(class) {
            let index = self.index(part.0);
            if let Some(bindings) = index.fields.get(&(part.1, name)) {
                self.bound(part.0, bindings, &mut out);
            }
            // Methods may assign a field without naming the receiver.
            let scope = index.class_scope[part.1.0 as usize];
            if scope != NONE
                && let Some(bindings) = index.scopes[scope as usize].names.get(name)
            {
                let assigned = self.known.assigned.get_or(bindings.as_ptr().addr(), || {
                    let is_assigned = |at: &usize| {
                        matches!(bindings[*at].source, BindSource::Value(_)) && bindings[*at].scope != scope
                    };
                    (0..bindings.len()).rev().filter(is_assigned).collect()
                });
                for at in assigned.iter() {
                    merge(&mut out, &self.binding(part.0, &bindings[*at]));
                }
            }
            if let Some(position) = self.field_position(part, name) {
                let field = &index.module.class(part.1).fields[position];
                if let Some(value) = field.value {
                    merge(&mut out, &self.eval(ExprRef(part.0, value)));
                }
                if field.value.is_none() {
                    merge(&mut out, &self.configured(part.0, &field.decorators));
                    // A variant has no type; it is written as its other name says.
                    if field.annotation.is_none() && self.unit(part.0).language == Language::Rust {
                        merge(&mut out, &self.written_as(part.0, &field.decorators));
                    }
                }
                let informed = out.iter().any(|value| {
                    matches!(
                        value,
                        Value::Instance(..) | Value::Text(_) | Value::Literal(_) | Value::Function(_)
                    ) || matches!(value, Value::Path(path) if path.root == Root::Import && !super::hands_out(path))
                });
                let mut declared = Vec::new();
                if !informed && let Some(annotation) = &field.annotation {
                    declared = self.typed(part.0, annotation, 0);
                    if let Some(value) = field.value {
                        declared = self.made_as(ExprRef(part.0, value), declared);
                    }
                }
                let open = declared.iter().all(|value| {
                    self.is_open_interface(value)
                        || matches!(value, Value::Path(path) if matches!(path.segs.last(), Some(Seg::Typed)))
                });
                if !informed && open {
                    merge(&mut out, &self.given(part, name));
                }
                merge(&mut out, &declared);
            }
        }
        out
    }

    /// Values of a declared type, as the call that makes them without naming it: C#'s `Client c = new(key)`.
    pub(super) fn made_as(&self, at: ExprRef, declared: Vec<Value>) -> Vec<Value> {
        let Expr::Call { callee, new: true, .. } = self.expr(at) else {
            return declared;
        };
        if matches!(self.expr(ExprRef(at.0, *callee)), Expr::Name(name) if &**name != "new") {
            return declared;
        }
        declared
            .into_iter()
            .map(|value| match value {
                Value::Instance(class, None) => Value::Instance(class, Some(at)),
                Value::Path(path) if matches!(path.segs.last(), Some(Seg::Typed)) => {
                    let mut made = (*path).clone();
                    made.segs.pop();
                    made.segs.push(Seg::Call(at));
                    Value::Path(Rc::new(made))
                }
                value => value,
            })
            .collect()
    }

    /// What a field gets where every place of its own zone that makes the class names it: its default is not asked for then.
    fn overridden(&self, class: ClassRef, name: &str) -> Option<Vec<Value>> {
        let own = self.unit(class.0).zone;
        let names = |place: &ExprRef| match self.expr(*place) {
            Expr::Call { args, .. } => args.iter().any(|arg| arg.name.as_deref() == Some(name)),
            _ => false,
        };
        {
            let constructions = self.constructions.borrow();
            let mut places = constructions
                .get(&class)?
                .iter()
                .filter(|place| self.unit(place.0).zone == own)
                .peekable();
            places.peek()?;
            if !places.all(names) {
                return None;
            }
        }
        let given = self.given(class, name);
        (!given.is_empty()).then_some(given)
    }

    /// What the constructions of a class give to a field: by name, or in the order of its fields where it has no
    /// constructor of its own.
    fn given(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        let places: Vec<ExprRef> = self
            .constructions
            .borrow()
            .get(&class)
            .into_iter()
            .flatten()
            .take(GIVEN_MAX)
            .copied()
            .collect();
        if places.is_empty() {
            return out;
        }
        let position = self.field_position(class, name);
        let own = !self.constructor(class).is_empty();
        for place in places {
            if self.unit(place.0).zone != self.unit(class.0).zone {
                continue;
            }
            let Expr::Call { args, .. } = self.expr(place) else {
                continue;
            };
            let arg = args.iter().find(|arg| arg.name.as_deref() == Some(name)).or_else(|| {
                position
                    .filter(|_| !own)
                    .and_then(|at| args.get(at))
                    .filter(|arg| arg.name.is_none() && !arg.spread)
            });
            if let Some(arg) = arg {
                for value in self.eval(ExprRef(place.0, arg.value)).iter() {
                    if out.len() < GIVEN_MAX && !self.is_open_interface(value) {
                        merge(&mut out, std::slice::from_ref(value));
                    }
                }
            }
        }
        out
    }

    /// The text as which a variant of Rust is written: `#[serde(rename = "gpt-4o")] Large`.
    fn written_as(&self, unit: u32, decorators: &[ExprId]) -> Vec<Value> {
        let module = self.module(unit);
        let mut out = Vec::new();
        for decorator in decorators {
            let Expr::Call { callee, args, .. } = module.expr(*decorator) else {
                continue;
            };
            if !matches!(module.expr(*callee), Expr::Name(name) if matches!(&**name, "serde" | "strum")) {
                continue;
            }
            for arg in args {
                match module.expr(arg.value) {
                    Expr::Str(name) if matches!(arg.name.as_deref(), Some("rename" | "serialize" | "to_string")) => {
                        out.push(text(name));
                    }
                    // `rename(serialize = "gpt-4o")`
                    Expr::Call { args, .. } => out.extend(args.iter().filter_map(|arg| {
                        let value = match module.expr(arg.value) {
                            Expr::Assign { target, value } if names(module, target, "serialize") => *value,
                            Expr::Str(_) if arg.name.as_deref() == Some("serialize") => arg.value,
                            _ => return None,
                        };
                        match module.expr(value) {
                            Expr::Str(name) => Some(text(name)),
                            _ => None,
                        }
                    })),
                    _ => {}
                }
            }
        }
        out
    }

    /// The default of a setting that a container fills in: `@Value("${llm.url:https://…}")`.
    pub(super) fn configured(&self, unit: u32, decorators: &[ExprId]) -> Vec<Value> {
        for decorator in decorators {
            // A field of Go that is filled from the environment: `env:"MODEL" envDefault:"gpt-4.1"`.
            if let Expr::Str(tag) = self.module(unit).expr(*decorator)
                && self.unit(unit).language == Language::Go
                && let Some(name) = in_tag(tag, "env").or_else(|| in_tag(tag, "envconfig"))
            {
                let default = in_tag(tag, "envDefault").or_else(|| in_tag(tag, "default"));
                let mut out: Vec<Value> = default.map(text).into_iter().collect();
                out.push(Value::Env(Rc::from(name.split(',').next().unwrap_or(name))));
                return out;
            }
            // A field of Rust that a function fills in where nothing is said: `#[serde(default = "default_model")]`.
            if self.unit(unit).language == Language::Rust
                && let Expr::Call { callee, args, .. } = self.module(unit).expr(*decorator)
                && matches!(self.module(unit).expr(*callee), Expr::Name(name) if &**name == "serde")
                && let Some(Expr::Str(function)) = args
                    .iter()
                    .find(|arg| arg.name.as_deref() == Some("default"))
                    .map(|arg| self.module(unit).expr(arg.value))
            {
                let mut out = Vec::new();
                for value in self.lookup_top(unit, function) {
                    if let Value::Function(function) = value {
                        merge(&mut out, &self.results(function, None));
                    }
                }
                return out;
            }
            if let Expr::Call { callee, args, .. } = self.module(unit).expr(*decorator)
                && matches!(self.module(unit).expr(*callee), Expr::Name(name) | Expr::Member { name, .. } if matches!(&**name, "Value" | "ConfigProperty"))
                && let Some(Expr::Str(setting)) = args.first().map(|arg| self.module(unit).expr(arg.value))
            {
                // Kotlin writes the dollar with a bar before it.
                let inside = setting
                    .trim_start_matches('\\')
                    .trim_start_matches("${")
                    .trim_end_matches('}');
                let (name, default) = inside.split_once(':').unwrap_or((inside, ""));
                let mut out = self.setting(unit, name);
                if !default.is_empty() {
                    out.push(text(default));
                }
                let given = args.iter().find(|arg| arg.name.as_deref() == Some("defaultValue"));
                if let Some(Expr::Str(default)) = given.map(|arg| self.module(unit).expr(arg.value)) {
                    out.push(text(default));
                }
                // What stands there is told before the name under which it can be changed.
                out.push(Value::Env(Rc::from(name)));
                return out;
            }
        }
        Vec::new()
    }

    pub(super) fn instance_member(&self, class: ClassRef, made: Option<ExprRef>, name: &str, depth: u32) -> Vec<Value> {
        let mut out = Vec::new();
        let as_field = self.as_field.replace(false);
        let methods = if as_field { Vec::new() } else { self.method(class, name) };
        for method in methods {
            let property = self.function(method).decorators.iter().any(|decorator| {
                matches!(self.module(method.0).expr(*decorator), Expr::Name(name) if name.ends_with("property"))
                    || matches!(self.module(method.0).expr(*decorator), Expr::Member { name, .. } if name.ends_with("property") )
                    || matches!(self.module(method.0).expr(*decorator), Expr::Name(name) if &**name == "get")
            });
            if property {
                merge(&mut out, &self.results(method, None));
            } else {
                merge(&mut out, &[Value::Function(method)]);
            }
        }
        // Whatever sends an HTTP request behind an interface, the request tells where it goes.
        if made.is_none() && matches!(name, "Do" | "RoundTrip") && self.sends_requests(class, &out) {
            out.push(Value::Path(Rc::new(Path {
                root: Root::Import,
                segs: vec![
                    Seg::Name(Rc::from("net/http")),
                    Seg::Name(Rc::from("Client")),
                    Seg::Typed,
                    Seg::Name(Rc::from("Do")),
                ],
            })));
        }
        if !out.is_empty() {
            return out;
        }
        if let Some(values) = made.and_then(|made| self.loaded_field(made, name)) {
            return values;
        }
        out = self.field(class, name);
        if made.is_none()
            && let [Value::Text(_)] = out.as_slice()
            && let Some(given) = self.overridden(class, name)
        {
            out = given;
        }
        if let Some(made) = made {
            // What the constructor was given is known here; its parameters are replaced.
            let mut exact = Vec::new();
            for value in &out {
                match value {
                    Value::Path(path) if matches!(path.root, Root::Param(..)) => {
                        merge(&mut exact, &self.replace_params(value, made));
                    }
                    value => merge(&mut exact, std::slice::from_ref(value)),
                }
            }
            out = exact;
            if let Expr::Call { args, .. } = self.expr(made)
                && !out
                    .iter()
                    .any(|value| matches!(value, Value::Path(path) if !matches!(path.segs.last(), Some(Seg::Typed))))
            {
                // Records, data classes and literals of structs take their fields by name or in order.
                let position = self.field_position(class, name);
                let given = args
                    .iter()
                    .find(|arg| arg.name.as_deref() == Some(name))
                    .or_else(|| position.and_then(|at| args.get(at).filter(|arg| arg.name.is_none() && !arg.spread)));
                if let Some(arg) = given {
                    let mut values = self.eval(ExprRef(made.0, arg.value)).to_vec();
                    if !values.is_empty() {
                        // Where something is given, the default is not asked for.
                        out.retain(|value| !matches!(value, Value::Text(_)));
                        merge(&mut values, &out);
                        out = values;
                    }
                }
            }
        }
        if out.is_empty() && depth < 5 {
            for part in self.class_parts(class) {
                for base in &self.module(part.0).class(part.1).bases {
                    if let Some(base) = self.project_class(part.0, base)
                        && base != class
                    {
                        self.as_field.set(as_field);
                        merge(&mut out, &self.instance_member(base, made, name, depth + 1));
                        self.as_field.set(false);
                    }
                }
            }
        }
        if out.is_empty() {
            for base in self.external_bases(class) {
                let call = made.map_or(Seg::Typed, Seg::Call);
                if let Some(path) = base.then(call).and_then(|path| path.then(Seg::Name(Rc::from(name)))) {
                    merge(&mut out, &[Value::Path(Rc::new(path))]);
                }
            }
        }
        // A client that a base class leaves open is made by those who extend it.
        if made.is_none()
            && depth == 0
            && crate::project::is_python(self.unit(class.0).language)
            && out.iter().all(|value| *value == Value::Null)
            && let Some(own) = self.module(class.0).class(class.1).name.as_deref()
        {
            for heir in self.implementers.get(own).into_iter().flatten().take(IMPLEMENTERS_MAX) {
                let made: Vec<Value> = self.field(*heir, name).into_iter().filter(super::is_made).collect();
                merge(&mut out, &made);
            }
        }
        // `options.Value` hands out the options, and accessors that a compiler writes hand out fields.
        if out.is_empty() && matches!(name, "Value" | "CurrentValue") && self.unit(class.0).language == Language::CSharp
        {
            out.push(Value::Instance(class, made));
        }
        if out.is_empty()
            && crate::project::is_jvm(self.unit(class.0).language)
            && let Some(rest) = name
                .strip_prefix("get")
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        {
            let field = format!("{}{}", rest[..1].to_ascii_lowercase(), &rest[1..]);
            out = self.field(class, &field);
        }
        // Elements of a struct that is embedded without a name are reached through it.
        out
    }

    /// Whether these are the methods of a Go interface that takes requests of `net/http`.
    fn sends_requests(&self, class: ClassRef, methods: &[Value]) -> bool {
        self.unit(class.0).language == Language::Go
            && self.module(class.0).class(class.1).is_interface
            && methods.iter().any(|method| {
                matches!(method, Value::Function(method) if self.function(*method).params.iter().any(|param| {
                    param.annotation.as_ref().is_some_and(|of| &*of.name == "http.Request")
                }))
            })
    }

    /// Base classes from outside the project.
    pub(crate) fn external_bases(&self, class: ClassRef) -> Vec<Rc<Path>> {
        let mut out = Vec::new();
        // A class may be named like the module of its base, and so lead back to itself.
        if !self.active_classes.borrow_mut().insert(class) {
            self.cut();
            return out;
        }
        for base in &self.module(class.0).class(class.1).bases {
            for value in self.typed(class.0, base, 0) {
                if let Value::Path(path) = value
                    && path.root == Root::Import
                {
                    let mut bare = (*path).clone();
                    bare.segs.pop();
                    out.push(Rc::new(bare));
                }
            }
        }
        self.active_classes.borrow_mut().remove(&class);
        out
    }

    /// An entry of a map literal, or an element of a list literal by number.
    pub(crate) fn entry(&self, at: ExprRef, key: &str) -> Vec<Value> {
        self.entry_of(at, key, &mut HashSet::default())
    }

    /// The same; maps that are spread into one another are looked into once each.
    fn entry_of(&self, at: ExprRef, key: &str, seen: &mut HashSet<ExprRef>) -> Vec<Value> {
        let mut out = Vec::new();
        if !seen.insert(at) {
            return out;
        }
        if seen.len() > SPREAD_MAX {
            self.cut_short(at.0);
            return out;
        }
        match self.expr(at) {
            Expr::Map(entries) => {
                let known = self.entries_of(at);
                let text = known.as_ref().and_then(|known| known.texts.get(key).copied());
                let rest: &mut dyn Iterator<Item = usize> = match &known {
                    Some(known) => &mut known
                        .others
                        .iter()
                        .copied()
                        .take_while(|at| text.is_none_or(|text| *at > text)),
                    None => &mut (0..entries.len()).rev(),
                };
                for entry in rest.map(|at| &entries[at]) {
                    match entry.key {
                        Some(id) => {
                            if self.key_text(ExprRef(at.0, id)).as_deref() == Some(key) {
                                return self.eval(ExprRef(at.0, entry.value)).to_vec();
                            }
                        }
                        None => {
                            for value in self.eval(ExprRef(at.0, entry.value)).iter() {
                                let spread = match value {
                                    Value::Literal(inner) => self.entry_of(*inner, key, seen),
                                    other => self.member(other, key),
                                };
                                merge(&mut out, &spread);
                            }
                        }
                    }
                }
                if let Some(text) = text {
                    return self.eval(ExprRef(at.0, entries[text].value)).to_vec();
                }
            }
            Expr::List(parts) => {
                if let Ok(position) = key.parse::<usize>()
                    && let Some(part) = parts.get(position)
                {
                    return self.eval(ExprRef(at.0, *part)).to_vec();
                }
            }
            _ => {}
        }
        out
    }

    /// A key of a map literal as text.
    pub(crate) fn key_text(&self, at: ExprRef) -> Option<String> {
        match self.expr(at) {
            Expr::Str(text) => Some(text.to_string()),
            _ => self.eval(at).iter().find_map(|value| match value {
                Value::Text(parts) => crate::values::constant(parts),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            }),
        }
    }

    /// An element of a value; any element when the key is not known.
    pub(super) fn element(&self, value: &Value, key: Option<&str>) -> Vec<Value> {
        match value {
            Value::Path(path) => {
                if environment(path)
                    && let Some(key) = key
                {
                    return vec![Value::Env(Rc::from(key))];
                }
                if let Some(key) = key
                    && let Some(values) = self.loaded_entry(path, key).or_else(|| self.session_entry(path, key))
                {
                    return values;
                }
                // What a caller hands over may tell what stands there.
                let seg = match key {
                    Some(key) if matches!(path.root, Root::Param(..)) => Seg::Key(Rc::from(key)),
                    _ => Seg::Index,
                };
                path.then(seg)
                    .map(|path| Value::Path(Rc::new(path)))
                    .into_iter()
                    .collect()
            }
            Value::Literal(at) => {
                if let Some(key) = key {
                    return self.entry(*at, key);
                }
                let mut out = Vec::new();
                match self.expr(*at) {
                    Expr::List(parts) => {
                        for part in parts.iter().take(VALUES_MAX) {
                            // A list in a list: `[...NAMES]`.
                            if let Some(inner) = self.spread_in(ExprRef(at.0, *part)) {
                                merge(&mut out, &self.parts_of_spread(inner, *at));
                                continue;
                            }
                            merge(&mut out, &self.eval(ExprRef(at.0, *part)));
                        }
                    }
                    Expr::Map(entries) => {
                        for entry in entries.iter().take(VALUES_MAX) {
                            merge(&mut out, &self.eval(ExprRef(at.0, entry.value)));
                        }
                    }
                    _ => {}
                }
                out
            }
            Value::Instance(..) => vec![Value::Unknown],
            _ => Vec::new(),
        }
    }

    /// What a part of a list spreads into it.
    fn spread_in(&self, part: ExprRef) -> Option<ExprRef> {
        let Expr::Other(inner) = self.expr(part) else {
            return None;
        };
        let [inner] = inner.as_slice() else { return None };
        is_script(self.unit(part.0).language).then_some(ExprRef(part.0, *inner))
    }

    /// The parts that are written out in what is spread into a list. Lists that spread each other end here.
    fn parts_of_spread(&self, inner: ExprRef, around: ExprRef) -> Vec<Value> {
        let mut out = Vec::new();
        for value in self.eval(inner).iter() {
            let Value::Literal(list) = value else { continue };
            let Expr::List(parts) = self.expr(*list) else { continue };
            if *list == around {
                continue;
            }
            for part in parts.iter().take(VALUES_MAX) {
                let part = ExprRef(list.0, *part);
                if self.spread_in(part).is_none() {
                    merge(&mut out, &self.eval(part));
                }
            }
        }
        out
    }

    /// A position of a value that is taken apart.
    pub(super) fn position(&self, value: &Value, at: usize, language: Language) -> Vec<Value> {
        match value {
            // A Go function gives its result and an error; the result stands for the call.
            Value::Path(_) | Value::Instance(..) | Value::Text(_) | Value::Env(_) if language == Language::Go => {
                if at == 0 { vec![value.clone()] } else { Vec::new() }
            }
            Value::Literal(literal) => self.entry(*literal, &at.to_string()),
            Value::Path(path) => path
                .then(Seg::Index)
                .map(|path| Value::Path(Rc::new(path)))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether a pattern is a name, however the language writes it.
fn names(module: &Module, pattern: &Pattern, name: &str) -> bool {
    match pattern {
        Pattern::Name(known) => **known == *name,
        Pattern::Place(place) => matches!(module.expr(*place), Expr::Name(known) if **known == *name),
        _ => false,
    }
}

/// Whether a path means the environment of the process.
fn environment(path: &Path) -> bool {
    let names: Vec<&str> = path
        .segs
        .iter()
        .map(|seg| match seg {
            Seg::Name(name) => &**name,
            _ => "",
        })
        .collect();
    matches!(
        names.as_slice(),
        ["os", "environ"]
            | ["_ENV" | "ENV"]
            | ["process" | "Bun" | "Deno" | "import.meta", "env"]
            | ["import", "meta", "env"]
    )
}
