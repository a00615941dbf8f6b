//! Reading what a call was given: arguments, keys of maps, steps of builders, constructors further up the path.

use std::rc::Rc;

use engine_syntax::ir::{Expr, Pattern};
use rustc_hash::FxHashMap as HashMap;

use crate::values::{ExprRef, Part, Path, Root, Seg, Value, constant, render};
use crate::world::World;

/// Values inside values are looked at down to this depth.
const TEXT_DEPTH_MAX: u32 = 8;

/// Parts of parts of a text that are looked at before it counts as unknown.
const TEXT_STEPS_MAX: u32 = 200;

/// Texts that one place may stand for and of which the first is taken.
const CHOICES_MAX: usize = 3;

/// Texts that one place may stand for and that are looked at.
const TEXTS_MAX: usize = 8;

/// Parts of a place that are put together.
const JOINED_MAX: usize = 12;

/// Methods of Rust that give the same place as another type, or a failure.
const SAME_PLACE: [&str; 8] = [
    "to_str",
    "to_string_lossy",
    "to_path_buf",
    "as_path",
    "display",
    "into_owned",
    "context",
    "with_context",
];

/// A call together with the path of what it calls.
pub(crate) struct Site<'p> {
    pub(crate) at: ExprRef,
    pub(crate) path: &'p Path,
}

impl World<'_> {
    /// What a reference of a shape means at a call: `model`, `#0.model`, `construct:base_url`, `.uri#0`, `#0>#1`.
    pub(crate) fn refer(&self, site: &Site<'_>, reference: &str) -> Vec<Value> {
        if let Some(name) = reference.strip_prefix("lambda.") {
            if self.unit(site.at.0).language == engine_model::Language::Ruby {
                return self.given_in_lambdas(site.at, &[name]);
            }
            return self.in_lambdas(site.at, name);
        }
        if let Some(word) = reference.strip_prefix("macro:") {
            return self.said_by_class(site.at, word);
        }
        if let Some(field) = reference.strip_prefix("field:") {
            if self.unit(site.at.0).language == engine_model::Language::Ruby {
                return self.set_beside(site.at, field);
            }
            return self.set_on_object(site.at, field).to_vec();
        }
        if let Some(option) = reference.strip_prefix("option:") {
            return self.option_of_handle(site.at, option);
        }
        if let Some(rest) = reference.strip_prefix("construct:") {
            for call in site.path.calls() {
                // What moves a model to a device does not name it.
                let moves = site
                    .path
                    .steps()
                    .any(|(name, step)| step == call && matches!(name, "to" | "cuda" | "half" | "eval" | "float"));
                if moves {
                    continue;
                }
                let values = match rest.strip_prefix("lambda.").and_then(|rest| rest.split_once('.')) {
                    Some((outer, inner)) => self.in_lambdas_of_lambdas(call, outer, inner),
                    None => self.refer_in(call, None, rest),
                };
                if !values.is_empty() {
                    return values;
                }
            }
            // Fields that were set on the client after it was made.
            return Vec::new();
        }
        self.refer_in(site.at, Some(site.path), reference)
    }

    /// What is set as a field of something in the method around a call: `request.body = …`.
    fn set_beside(&self, at: ExprRef, field: &str) -> Vec<Value> {
        let index = self.index(at.0);
        let around = index.functions_around(at.1);
        let values = index.stmts.iter().filter_map(|info| match &info.stmt.kind {
            engine_syntax::ir::StmtKind::Assign {
                target: Pattern::Place(place),
                value: Some(value),
                ..
            } if matches!(index.module.expr(*place), Expr::Member { name, .. } if **name == *field) => Some(*value),
            _ => None,
        });
        let beside = values.filter(|value| match index.function_of(*value) {
            Some(function) => around.contains(&function),
            None => around.is_empty(),
        });
        beside
            .take(TEXTS_MAX)
            .flat_map(|value| self.eval(ExprRef(at.0, value)).to_vec())
            .collect()
    }

    /// What the class around a call gives a word while it is declared: `base_uri "https://…"`.
    fn said_by_class(&self, at: ExprRef, word: &str) -> Vec<Value> {
        let index = self.index(at.0);
        let Some(class) = index.class_of_scope(index.expr_scope[at.1.0 as usize]) else {
            return Vec::new();
        };
        let said = crate::facts::ruby::said(self, crate::values::ClassRef(at.0, class));
        said.filter(|call| crate::facts::callee_name(self, *call) == word)
            .flat_map(|call| self.argument(call, "#0"))
            .collect()
    }

    /// What a function is given inside the lambdas of another that stands in the lambdas of a call:
    /// `HttpClient { defaultRequest { url(x) } }`.
    fn in_lambdas_of_lambdas(&self, at: ExprRef, outer: &str, inner: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for lambda in self.lambdas_in_args(at) {
            for call in self.index(at.0).calls_of(Some(lambda.1)) {
                let call = ExprRef(at.0, call);
                if crate::facts::callee_name(self, call) == outer {
                    out.extend(self.in_lambdas(call, inner));
                }
            }
        }
        out
    }

    /// What a function is given inside the lambdas that a call was handed: `post(url) { setBody(x) }`.
    fn in_lambdas(&self, at: ExprRef, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for lambda in self.lambdas_in_args(at) {
            for call in self.index(at.0).calls_of(Some(lambda.1)) {
                let inner = ExprRef(at.0, call);
                if let Expr::Call { callee, .. } = self.expr(inner)
                    && matches!(self.module(at.0).expr(*callee), Expr::Name(known) if **known == *name)
                {
                    out.extend(self.argument(inner, "#0"));
                }
            }
        }
        out
    }

    /// What is given under one of several names inside the lambdas of a call: `r -> r.modelId(x)`, `{ model = x }`.
    pub(crate) fn given_in_lambdas(&self, at: ExprRef, keys: &[&str]) -> Vec<Value> {
        for lambda in self.lambdas_in_args(at) {
            let index = self.index(at.0);
            for call in index.calls_of(Some(lambda.1)) {
                if let Expr::Call { callee, .. } = index.module.expr(call)
                    && matches!(index.module.expr(*callee), Expr::Name(name) | Expr::Member { name, .. } if keys.contains(&&**name))
                {
                    let values = self.argument(ExprRef(at.0, call), "#0");
                    if !values.is_empty() {
                        return values;
                    }
                }
            }
            for info in index.stmts_of(lambda.1) {
                if let engine_syntax::ir::StmtKind::Assign {
                    target,
                    value: Some(value),
                    ..
                } = &info.stmt.kind
                    && index.expr_scope[value.0 as usize] != crate::index::NONE
                    && index.within(*value, lambda.1)
                {
                    let named = match target {
                        Pattern::Name(name) => keys.contains(&&**name),
                        Pattern::Place(place) => {
                            matches!(index.module.expr(*place), Expr::Member { name, .. } | Expr::Name(name) if keys.contains(&&**name))
                        }
                        _ => false,
                    };
                    if named {
                        let value = ExprRef(at.0, *value);
                        let mut values = self.expand(&self.eval(value));
                        // `ModelId("x")` wraps the name.
                        if let Expr::Call { .. } = self.expr(value) {
                            values.extend(self.argument(value, "#0"));
                        }
                        return values;
                    }
                }
            }
        }
        Vec::new()
    }

    fn refer_in(&self, call: ExprRef, path: Option<&Path>, reference: &str) -> Vec<Value> {
        let mut steps = reference.split('>');
        let Some(first) = steps.next() else {
            return Vec::new();
        };
        let mut values = if first.starts_with('.') {
            match path {
                Some(path) => self.step_of(path, first),
                None => Vec::new(),
            }
        } else {
            self.argument(call, first)
        };
        for step in steps {
            let mut next = Vec::new();
            for value in &values {
                match value {
                    Value::Path(path) if step.starts_with('.') => next.extend(self.step_of(path, step)),
                    Value::Path(path) => {
                        if let Some(call) = path.calls().next() {
                            next.extend(self.argument(call, step));
                        }
                    }
                    Value::Instance(_, Some(made)) => next.extend(self.argument(*made, step)),
                    _ => {}
                }
            }
            values = next;
        }
        values
    }

    /// An argument of a step of a builder: `.uri#0`, `.post#0`, `.model`.
    fn step_of(&self, path: &Path, step: &str) -> Vec<Value> {
        let step = step.trim_start_matches('.');
        let (name, arg) = step.split_once('#').unwrap_or((step, "0"));
        for (known, call) in path.steps() {
            if known == name {
                return self.argument(
                    call,
                    &if arg.parse::<u32>().is_ok() {
                        format!("#{arg}")
                    } else {
                        arg.to_owned()
                    },
                );
            }
        }
        Vec::new()
    }

    /// An argument by name or position, with keys inside it: `model`, `#0.model`.
    pub(crate) fn argument(&self, call: ExprRef, wanted: &str) -> Vec<Value> {
        let Expr::Call { args, .. } = self.expr(call) else {
            return Vec::new();
        };
        let mut parts = wanted.split('.');
        let first = parts.next().unwrap_or("");
        let mut values = if let Some(position) = first.strip_prefix('#').and_then(|at| at.parse::<usize>().ok()) {
            let arg = args.iter().filter(|arg| arg.name.is_none()).nth(position);
            arg.map(|arg| self.expand(&self.eval(ExprRef(call.0, arg.value))))
                .unwrap_or_default()
        } else {
            let mut out = Vec::new();
            if let Some(arg) = args.iter().find(|arg| arg.name.as_deref() == Some(first)) {
                out = self.expand(&self.eval(ExprRef(call.0, arg.value)));
            }
            if out.is_empty() {
                for arg in args.iter().filter(|arg| arg.spread) {
                    for value in self.expand(&self.eval(ExprRef(call.0, arg.value))) {
                        out.extend(self.key(&value, first));
                    }
                }
            }
            out
        };
        for key in parts {
            let mut next = Vec::new();
            for value in &values {
                next.extend(self.key(value, key));
            }
            values = next;
        }
        values
    }

    /// What a value holds under a key: an entry of a map, a step of a builder, a field given to a constructor.
    pub(crate) fn key(&self, value: &Value, key: &str) -> Vec<Value> {
        match value {
            Value::Literal(at) => self.entry_known(*at, key),
            Value::Path(path) => {
                for (name, call) in path.steps() {
                    if name == key {
                        let values = self.argument(call, "#0");
                        if !values.is_empty() {
                            return values;
                        }
                    }
                }
                // `new JSONObject().put("model", name)`
                for (name, call) in path.steps() {
                    if matches!(
                        name,
                        "put" | "set" | "add" | "addProperty" | "append" | "insert" | "Add" | "accumulate"
                    ) && let Expr::Call { args, .. } = self.expr(call)
                        && let [first, second] = args.as_slice()
                        && self.key_text(ExprRef(call.0, first.value)).as_deref() == Some(key)
                    {
                        return self.expand(&self.eval(ExprRef(call.0, second.value)));
                    }
                }
                for call in path.calls() {
                    if let Expr::Call { args, .. } = self.expr(call) {
                        // `Map.of("model", name)`: keys and values take turns.
                        if matches!(path.last_name(), Some("of" | "ImmutableMap")) {
                            for pair in args.chunks_exact(2) {
                                if self.key_text(ExprRef(call.0, pair[0].value)).as_deref() == Some(key) {
                                    return self.expand(&self.eval(ExprRef(call.0, pair[1].value)));
                                }
                            }
                        }
                        if let Some(arg) = args.iter().find(|arg| arg.name.as_deref() == Some(key)) {
                            return self.expand(&self.eval(ExprRef(call.0, arg.value)));
                        }
                        // `JSON.stringify({...})`, `json.dumps({...})`, `openai.F(params)` hand their argument on.
                        for position in 0..args.len().min(3) {
                            let Some(literal) = self.handed_on(call, position) else {
                                continue;
                            };
                            let found = self.key(&literal, key);
                            if !found.is_empty() {
                                return found;
                            }
                        }
                    }
                }
                Vec::new()
            }
            Value::Instance(_, made) => {
                if let Some(made) = made {
                    let values = self.argument(*made, key);
                    if !values.is_empty() {
                        return values;
                    }
                }
                self.expand(&self.member(value, key))
            }
            _ => Vec::new(),
        }
    }

    /// The literal that an argument of a call stands for: a long chain of calls is asked for it under many keys.
    pub(crate) fn handed_on(&self, call: ExprRef, position: usize) -> Option<Value> {
        let keeps = self.known.is_linked.get() && self.is_plain();
        if let Some(known) = self.known.handed_on.get(&(call, position)).filter(|_| keeps) {
            return known;
        }
        let before = self.known.cuts.get();
        let Expr::Call { args, .. } = self.expr(call) else {
            return None;
        };
        let values = self.expand(&self.eval(ExprRef(call.0, args.get(position)?.value)));
        let literal = values.into_iter().find(|value| matches!(value, Value::Literal(_)));
        // What was cut short may give more another time.
        if keeps && before == self.known.cuts.get() {
            self.known.handed_on.put((call, position), literal.clone());
        }
        literal
    }

    /// What a map holds under a key, other maps that are spread into it included.
    fn entry_known(&self, at: ExprRef, key: &str) -> Vec<Value> {
        let spreads = matches!(self.expr(at), Expr::Map(entries) if entries.iter().any(|entry| entry.key.is_none()));
        if !spreads || !self.known.is_linked.get() || !self.is_plain() {
            return self.expand(&self.entry(at, key));
        }
        let known = self.known.spread.get(&at).unwrap_or_default();
        if let Some(known) = known.borrow().get(key) {
            return known.clone();
        }
        let before = self.known.cuts.get();
        let values = self.expand(&self.entry(at, key));
        if before == self.known.cuts.get() {
            known.borrow_mut().insert(key.into(), values.clone());
            self.known.spread.put(at, known);
        }
        values
    }

    /// Whether a value holds something under a key, told or not.
    pub(crate) fn holds_key(&self, value: &Value, key: &str) -> bool {
        self.holds_key_in(value, key, 0, &mut HashMap::default())
    }

    /// `seen` holds the expressions that were visited, with the smallest depth: in minified code the same ones come up again and again.
    fn holds_key_in(&self, value: &Value, key: &str, depth: u32, seen: &mut HashMap<ExprRef, u32>) -> bool {
        if depth > 3 {
            return false;
        }
        match value {
            Value::Literal(at) => match self.expr(*at) {
                Expr::Map(entries) => {
                    entries.iter().any(|entry| {
                        if let Some(id) = entry.key {
                            return self.key_text(ExprRef(at.0, id)).as_deref() == Some(key);
                        }
                        self.values_hold_key(ExprRef(at.0, entry.value), None, key, depth + 1, seen)
                    }) || self.is_put_later(*at, key)
                }
                _ => false,
            },
            // An object of a class of the project is sent with the fields that the class declares.
            Value::Instance(class, made) => {
                made.is_some_and(|made| self.names_argument(made, key))
                    || self
                        .module(class.0)
                        .class(class.1)
                        .fields
                        .iter()
                        .any(|field| &*field.name == key)
            }
            // `JSON.stringify({...})`, `json.Marshal(body)`, `new { model, messages }`
            Value::Path(path) => path.calls().take(3).any(|call| {
                self.names_argument(call, key)
                    || matches!(self.expr(call), Expr::Call { args, .. } if args.iter().take(3).any(|arg| {
                        self.values_hold_key(ExprRef(call.0, arg.value), Some(value), key, depth + 1, seen)
                    }))
            }),
            _ => false,
        }
    }

    /// Whether a value of an expression holds something under a key, other than the value that led to it.
    fn values_hold_key(
        &self,
        at: ExprRef,
        from: Option<&Value>,
        key: &str,
        depth: u32,
        seen: &mut HashMap<ExprRef, u32>,
    ) -> bool {
        // An earlier visit at this depth or above has seen all that can be found from here.
        if depth > 3 || seen.get(&at).is_some_and(|before| *before <= depth) {
            return false;
        }
        seen.insert(at, depth);
        self.expand(&self.eval(at))
            .iter()
            .any(|inner| from != Some(inner) && self.holds_key_in(inner, key, depth, seen))
    }

    /// Whether something is put under a key of a map after it got its name: `$payload['model'] = $name`, `body.model = name`.
    fn is_put_later(&self, map: ExprRef, key: &str) -> bool {
        let index = self.index(map.0);
        let stmt = |at: engine_syntax::ir::ExprId| {
            let stmt = index.expr_stmt[at.0 as usize];
            (stmt != crate::index::NONE).then(|| &index.stmts[stmt as usize].stmt.kind)
        };
        let Some(engine_syntax::ir::StmtKind::Assign {
            target: Pattern::Name(name),
            value: Some(value),
            ..
        }) = stmt(map.1)
        else {
            return false;
        };
        if *value != map.1 {
            return false;
        }
        let mut scope = index.expr_scope[map.1.0 as usize];
        while scope != crate::index::NONE {
            let put = index.mutations.get(&(scope, &**name)).into_iter().flatten();
            let found = put.filter_map(|value| stmt(*value)).any(|kind| {
                let engine_syntax::ir::StmtKind::Assign {
                    target: Pattern::Place(place),
                    ..
                } = kind
                else {
                    return false;
                };
                match index.module.expr(*place) {
                    Expr::Index { key: at, .. } => matches!(index.module.expr(*at), Expr::Str(text) if **text == *key),
                    Expr::Member { name, .. } => **name == *key,
                    _ => false,
                }
            });
            if found {
                return true;
            }
            scope = index.scopes[scope as usize].parent;
        }
        false
    }

    fn names_argument(&self, call: ExprRef, key: &str) -> bool {
        matches!(self.expr(call), Expr::Call { args, .. } if args.iter().any(|arg| arg.name.as_deref() == Some(key)))
    }

    /// The text that one of the values stands for, known parts and unknown ones.
    pub(crate) fn text(&self, values: &[Value]) -> Option<Vec<Part>> {
        let mut best: Option<Vec<Part>> = None;
        for value in values {
            if let Some(parts) = self.text_of(value, 0) {
                let known = parts.iter().any(|part| matches!(part, Part::Known(_)));
                if known {
                    return Some(parts);
                }
                best = best.or(Some(parts));
            }
        }
        best
    }

    /// The texts that values stand for, those with known parts first.
    pub(crate) fn texts(&self, values: &[Value]) -> Vec<Vec<Part>> {
        let mut out: Vec<Vec<Part>> = Vec::new();
        for value in values {
            let Value::Text(parts) = value else {
                out.extend(self.text_of(value, 0));
                continue;
            };
            let mut all = vec![self.closed(parts, 0)];
            for (at, part) in parts.iter().enumerate() {
                let Part::Open(path) = part else { continue };
                for given in self.expand(&[Value::Path(path.clone())]).iter().skip(1) {
                    if let Some(text) = self.text_of(given, 1).filter(|text| known(text))
                        && all.len() < TEXTS_MAX
                    {
                        let mut other = self.closed(&parts[..at], 0);
                        other.extend(text);
                        other.extend(self.closed(&parts[at + 1..], 0));
                        all.push(other);
                    }
                }
            }
            out.extend(all);
        }
        out.dedup();
        out.sort_by_key(|parts| !known(parts));
        out.truncate(TEXTS_MAX);
        out
    }

    fn text_of(&self, value: &Value, depth: u32) -> Option<Vec<Part>> {
        if depth == 0 {
            self.text_steps.set(0);
        }
        self.text_steps.set(self.text_steps.get() + 1);
        if depth > TEXT_DEPTH_MAX || self.text_steps.get() > TEXT_STEPS_MAX {
            return None;
        }
        match value {
            Value::Text(parts) => {
                self.origins.note(parts);
                Some(self.closed(parts, depth))
            }
            Value::Number(number) => Some(vec![Part::Known(number.clone())]),
            Value::Env(name) => Some(vec![Part::Env(name.clone())]),
            Value::Path(path) => {
                let Some(Seg::Call(call)) = path.segs.last() else {
                    if matches!(path.root, Root::Param(..)) && self.left_open.get() {
                        return Some(vec![Part::Open(path.clone())]);
                    }
                    return (path.root == Root::Global || path.segs.len() > 1).then(|| vec![Part::Unknown]);
                };
                let Expr::Call { args, callee, .. } = self.expr(*call) else {
                    return None;
                };
                let name = path.last_name().unwrap_or("").trim_end_matches('!');
                let of = |at: usize| {
                    args.get(at).filter(|arg| arg.name.is_none()).and_then(|arg| {
                        let values = self.expand(&self.eval(ExprRef(call.0, arg.value)));
                        values.iter().find_map(|value| self.text_of(value, depth + 1))
                    })
                };
                match name {
                    "format" | "Sprintf" | "formatted" | "Format" | "sprintf" => {
                        // Rust's macro keeps its captured names as a template; others fill in their arguments.
                        let parts = of(0)?;
                        let rest: Vec<_> = (1..args.len())
                            .map(|at| of(at).unwrap_or(vec![Part::Unknown]))
                            .collect();
                        Some(fill(&parts, &rest))
                    }
                    // The same place in another dress: `dir.join("small.bin").to_str().context("no text")?`.
                    _ if self.unit(call.0).language == engine_model::Language::Rust
                        && SAME_PLACE.contains(&name)
                        && path.segs.len() > 2 =>
                    {
                        let inner = Path {
                            root: path.root,
                            segs: path.segs[..path.segs.len() - 2].to_vec(),
                        };
                        self.text_of(&Value::Path(Rc::new(inner)), depth + 1)
                    }
                    "join" | "urljoin" | "JoinPath" | "URL" | "resolve" | "Join" | "joinpath" | "concat"
                    | "Combine" => {
                        let first = of(0);
                        let second = of(1);
                        match (first, second) {
                            (Some(a), Some(b)) if name == "URL" => Some(joined(&b, &a)),
                            (Some(a), Some(b)) => {
                                let rest =
                                    (2..args.len().min(JOINED_MAX)).map(|at| of(at).unwrap_or(vec![Part::Unknown]));
                                Some(rest.fold(joined(&a, &b), |whole, part| joined(&whole, &part)))
                            }
                            // A file in a folder that nobody knows is still that file.
                            (None, Some(b)) if crate::model_text::is_file(&render(&b)) => {
                                Some(joined(&[Part::Unknown], &b))
                            }
                            // `base.join("chat/completions")` of Rust: a list of texts is joined by no such thing.
                            (Some(a), None)
                                if name == "join"
                                    && self.unit(call.0).language == engine_model::Language::Rust
                                    && render(&a).starts_with(|c: char| c.is_ascii_alphanumeric()) =>
                            {
                                let base = match self.expr(ExprRef(call.0, *callee)) {
                                    Expr::Member { object, .. } => self
                                        .expand(&self.eval(ExprRef(call.0, *object)))
                                        .iter()
                                        .find_map(|value| self.text_of(value, depth + 1)),
                                    _ => None,
                                };
                                Some(joined(&base.unwrap_or_else(|| vec![Part::Unknown]), &a))
                            }
                            (Some(a), None) => Some(a),
                            _ => None,
                        }
                    }
                    // What a record of one's own asks the one above for is no key either: `super().get(key, default)`.
                    "get" | "__getitem__" | "getOrDefault" | "getProperty"
                        if matches!(self.expr(ExprRef(call.0, *callee)), Expr::Member { object, .. }
                            if matches!(self.expr(ExprRef(call.0, *object)), Expr::Call { callee: above, .. }
                                if matches!(self.expr(ExprRef(call.0, *above)), Expr::Name(name) if &**name == "super"))) =>
                    {
                        Some(
                            of(1)
                                .filter(|parts| known(parts))
                                .unwrap_or_else(|| vec![Part::Unknown]),
                        )
                    }
                    // What is read under a key is never the key: `settings.get("llm.url", "")` gives its default, or nothing that is known.
                    _ if crate::chosen_model::reads(name) && of(0).is_some_and(|key| is_key(&render(&key))) => Some(
                        of(1)
                            .filter(|parts| known(parts))
                            .unwrap_or_else(|| vec![Part::Unknown]),
                    ),
                    _ => of(0).filter(|parts| parts.iter().any(|part| matches!(part, Part::Known(_)))),
                }
            }
            _ => None,
        }
    }

    /// A text with what callers give to the parameters in it.
    fn closed(&self, parts: &[Part], depth: u32) -> Vec<Part> {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let Part::Open(path) = part else {
                out.push(part.clone());
                continue;
            };
            let given = self.expand(&[Value::Path(path.clone())]);
            let text = given
                .iter()
                .filter(|value| !matches!(value, Value::Path(path) if matches!(path.root, Root::Param(..))))
                .filter_map(|value| self.text_of(value, depth + 1))
                .find(|parts| known(parts) || parts.iter().any(|part| matches!(part, Part::Env(_))));
            match text {
                Some(text) => out.extend(text),
                None => out.push(part.clone()),
            }
        }
        out
    }

    /// A text that is fully known.
    pub(crate) fn constant(&self, values: &[Value]) -> Option<String> {
        values
            .iter()
            .find_map(|value| self.text_of(value, 0).and_then(|parts| constant(&parts)))
    }

    /// The same, unless so many texts may stand there that none of them is meant.
    pub(crate) fn one_constant(&self, values: &[Value]) -> Option<String> {
        let texts = values.iter().filter(|value| matches!(value, Value::Text(_)));
        if texts.count() > CHOICES_MAX {
            return None;
        }
        self.constant(values)
    }

    /// Elements of a list value, as expressions.
    pub(crate) fn elements(&self, value: &Value) -> Vec<ExprRef> {
        match value {
            Value::Literal(at) => match self.expr(*at) {
                Expr::List(parts) => parts.iter().map(|part| ExprRef(at.0, *part)).collect(),
                Expr::Map(entries) => entries.iter().map(|entry| ExprRef(at.0, entry.value)).collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

/// Whether a text can be the key of a setting, as `llm.baseUrl`: no address, no file and no model.
fn is_key(text: &str) -> bool {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let named = text.contains(['.', ':'])
        || ["url", "uri", "host", "endpoint"]
            .iter()
            .any(|end| text.to_ascii_lowercase().ends_with(end));
    named
        && text.split(['.', ':']).all(word)
        && !crate::model_text::is_file(text)
        && engine_catalogue::catalogue().model(text).is_none()
        && engine_catalogue::catalogue().host(text).is_none()
}

/// Whether a text has a part that is known.
fn known(parts: &[Part]) -> bool {
    parts
        .iter()
        .any(|part| matches!(part, Part::Known(text) if !text.is_empty()))
}

/// Puts a relative address behind a base.
pub(crate) fn joined(base: &[Part], path: &[Part]) -> Vec<Part> {
    let text = render(path);
    if text.contains("://") {
        return path.to_vec();
    }
    let mut out = base.to_vec();
    let ends = render(base).ends_with('/');
    let starts = text.starts_with('/');
    if !ends && !starts {
        out.push(Part::Known(Rc::from("/")));
    }
    if ends
        && starts
        && let Some(Part::Known(last)) = out.last_mut()
    {
        *last = Rc::from(last.trim_end_matches('/'));
    }
    out.extend(path.iter().cloned());
    out
}

/// Fills the holes of a format text in order.
fn fill(parts: &[Part], given: &[Vec<Part>]) -> Vec<Part> {
    let mut out = Vec::new();
    let mut next = 0;
    for part in parts {
        let Part::Known(text) = part else {
            out.push(part.clone());
            continue;
        };
        let mut rest = &**text;
        while let Some(at) = rest.find(['%', '{']) {
            let (before, hole) = rest.split_at(at);
            let length = if let Some(inside) = hole.strip_prefix('{') {
                inside.find('}').map(|end| end + 2)
            } else {
                hole[1..]
                    .find(|c: char| c.is_ascii_alphabetic())
                    .filter(|end| *end < 4)
                    .map(|end| end + 2)
            };
            let Some(length) = length else { break };
            if !before.is_empty() {
                out.push(Part::Known(Rc::from(before)));
            }
            out.extend(given.get(next).cloned().unwrap_or(vec![Part::Unknown]));
            next += 1;
            rest = &hole[length..];
        }
        if !rest.is_empty() {
            out.push(Part::Known(Rc::from(rest)));
        }
    }
    out
}
