//! What constants and methods of Ruby stand for.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::{Arg, ClassId, Expr};

use super::{VALUES_MAX, leads_on, merge};
use crate::index::NONE;
use crate::shapes;
use crate::values::{ClassRef, ExprRef, FunctionRef, Path, Root, Seg, Value, constant};
use crate::world::World;

/// A constant as it is written, with the file and the class around it.
pub(crate) type Named = (u32, Option<ClassId>, Box<str>);

/// Classes of one full name that are looked at: a module may be opened in many files.
const PARTS_MAX: usize = 6;

/// Names of a constant that are followed.
const NAMES_MAX: usize = 8;

/// Methods that give back what they are called on, or nearly so.
const HANDS_ON: [&str; 26] = [
    "as_json",
    "chomp",
    "compact",
    "deep_dup",
    "deep_symbolize_keys",
    "downcase",
    "dup",
    "freeze",
    "host",
    "hostname",
    "html_safe",
    "path",
    "presence",
    "request_uri",
    "squish",
    "strip",
    "strip_heredoc",
    "symbolize_keys",
    "to_h",
    "to_hash",
    "to_json",
    "to_s",
    "to_str",
    "to_sym",
    "with_indifferent_access",
    "itself",
];

/// Methods that give what their block gives.
const RUNS_ITS_BLOCK: [&str; 12] = [
    "fetch",
    "handle",
    "in_span",
    "instrument",
    "retryable",
    "synchronize",
    "timeout",
    "transaction",
    "trace",
    "with_lock",
    "with_retries",
    "with_retry",
];

impl World<'_> {
    fn is_ruby(&self, unit: u32) -> bool {
        self.unit(unit).language == Language::Ruby
    }

    /// The full name of a class.
    fn full_name(&self, class: ClassRef) -> String {
        let node = self.module(class.0).class(class.1);
        let name = node.name.as_deref().unwrap_or("");
        if node.within.is_empty() {
            name.to_owned()
        } else {
            format!("{}::{name}", node.within)
        }
    }

    /// The constant that an expression writes out: `OpenAI::Client`.
    pub(super) fn written_constant(&self, at: ExprRef) -> Option<String> {
        let module = self.module(at.0);
        let mut parts: Vec<&str> = Vec::new();
        let mut id = at.1;
        while let Expr::Member { object, name } = module.expr(id) {
            if !name.starts_with(char::is_uppercase) || parts.len() > NAMES_MAX {
                return None;
            }
            parts.push(name);
            id = *object;
        }
        match module.expr(id) {
            Expr::Name(first) if first.starts_with(|c: char| c.is_uppercase() || c == ':') => parts.push(first),
            _ => return None,
        }
        parts.reverse();
        Some(parts.join("::"))
    }

    /// What a constant means, seen from a scope: a class of the modules around, another of the project, or a library.
    pub(super) fn constant_of_ruby(&self, unit: u32, scope: u32, written: &str) -> Vec<Value> {
        let class = if scope == NONE {
            None
        } else {
            self.index(unit).class_of_scope(scope)
        };
        let key = (unit, class, Box::<str>::from(written));
        let plain = self.is_plain();
        if let Some(known) = self.known.constants.get(&key).filter(|_| plain) {
            return known.to_vec();
        }
        let before = self.known.cuts.get();
        let values = self.find_constant(unit, scope, written);
        if plain && before == self.known.cuts.get() {
            self.known.constants.put(key, values.as_slice().into());
        }
        values
    }

    fn find_constant(&self, unit: u32, scope: u32, written: &str) -> Vec<Value> {
        let absolute = written.starts_with("::");
        let written = written.trim_start_matches(':');
        let spaces = if absolute {
            vec![String::new()]
        } else {
            self.spaces_of(unit, scope)
        };
        let classes = self.classes_of_ruby(&spaces, written);
        if !classes.is_empty() {
            return classes.into_iter().map(Value::Class).collect();
        }
        let mut out = Vec::new();
        if let Some((around, last)) = written.rsplit_once("::") {
            for class in self.classes_of_ruby(&spaces, around) {
                merge(&mut out, &self.field(class, last));
            }
        } else {
            for mate in self.mates_with("ruby:", written).iter().filter(|mate| **mate != unit) {
                let values = self.lookup_top(*mate, written);
                out.extend(values.into_iter().filter(|value| !matches!(value, Value::Class(_))));
                if !out.is_empty() {
                    break;
                }
            }
        }
        if !out.is_empty() {
            return out;
        }
        // Where a name is the only one of its kind it is meant, unless a library has it.
        let root = written.split("::").next().unwrap_or(written);
        if !absolute && !shapes::knows_root(Language::Ruby, root) {
            let last = written.rsplit("::").next().unwrap_or(written);
            let mut ending = self.classes.get(last).into_iter().flatten().filter(|class| {
                self.is_ruby(class.0) && {
                    let full = self.full_name(**class);
                    full.strip_suffix(written).is_some_and(|head| head.ends_with("::"))
                }
            });
            if let (Some(only), None) = (ending.next(), ending.next()) {
                return vec![Value::Class(*only)];
            }
        }
        Self::path_of(Language::Ruby, written, None)
    }

    /// The modules and classes around a scope, innermost first, with the top at last.
    fn spaces_of(&self, unit: u32, scope: u32) -> Vec<String> {
        let class = if scope == NONE {
            None
        } else {
            self.index(unit).class_of_scope(scope)
        };
        let mut out = Vec::new();
        let mut add = |class: ClassRef, own: bool| {
            let full = self.full_name(class);
            let mut space = if own {
                full.as_str()
            } else {
                full.rsplit_once("::").map_or("", |(space, _)| space)
            };
            while !space.is_empty() && out.len() < NAMES_MAX * 2 {
                if !out.iter().any(|known| known == space) {
                    out.push(space.to_owned());
                }
                space = space.rsplit_once("::").map_or("", |(space, _)| space);
            }
        };
        match class {
            Some(class) => add(ClassRef(unit, class), true),
            None => {
                for id in 0..self.module(unit).classes.len().min(NAMES_MAX) {
                    add(ClassRef(unit, ClassId(crate::values::id(id))), false);
                }
            }
        }
        out.push(String::new());
        out
    }

    /// Classes of the project that a name means in the first of these modules that has one.
    fn classes_of_ruby(&self, spaces: &[String], written: &str) -> Vec<ClassRef> {
        let last = written.rsplit("::").next().unwrap_or(written);
        let Some(known) = self.classes.get(last) else {
            return Vec::new();
        };
        let known: Vec<(ClassRef, String)> = known
            .iter()
            .filter(|class| self.is_ruby(class.0))
            .map(|class| (*class, self.full_name(*class)))
            .collect();
        for space in spaces {
            let found: Vec<ClassRef> = known
                .iter()
                .filter(|(_, full)| {
                    if space.is_empty() {
                        full == written
                    } else {
                        full.strip_prefix(space.as_str())
                            .and_then(|rest| rest.strip_prefix("::"))
                            .is_some_and(|rest| rest == written)
                    }
                })
                .map(|(class, _)| *class)
                .collect();
            // What is only opened to hold other classes says nothing.
            let filled: Vec<ClassRef> = found
                .iter()
                .filter(|class| {
                    let node = self.module(class.0).class(class.1);
                    !(node.methods.is_empty() && node.fields.is_empty() && node.bases.is_empty())
                })
                .take(PARTS_MAX)
                .copied()
                .collect();
            if !filled.is_empty() {
                return filled;
            }
            if let Some(first) = found.first() {
                return vec![*first];
            }
        }
        Vec::new()
    }

    /// A method that a class of Ruby has by a word alone: its own, one of what it includes, or one of those that include it.
    pub(super) fn method_by_word(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let mut out: Vec<Value> = self.method(class, name).into_iter().map(Value::Function).collect();
        if out.is_empty()
            && let Some(own) = self.module(class.0).class(class.1).name.as_deref()
        {
            let heirs = self.implementers.get(own).into_iter().flatten().take(PARTS_MAX);
            for heir in heirs.filter(|heir| self.is_ruby(heir.0) && **heir != class) {
                let found: Vec<Value> = self.method(*heir, name).into_iter().map(Value::Function).collect();
                merge(&mut out, &found);
            }
        }
        if out.is_empty() {
            // A library whose methods the class takes over: `include HTTParty`.
            for base in self.external_bases(class) {
                let known =
                    matches!(base.segs.first(), Some(Seg::Name(root)) if shapes::knows_root(Language::Ruby, root));
                if known && let Some(path) = base.then(Seg::Name(Rc::from(name))) {
                    merge(&mut out, &[Value::Path(Rc::new(path))]);
                }
            }
        }
        out
    }

    /// A name that a file of Ruby does not bind.
    pub(super) fn outside_of_ruby(&self, unit: u32, scope: u32, name: &str) -> Vec<Value> {
        if name.starts_with(|c: char| c.is_uppercase() || c == ':') {
            let class = self.index(unit).class_of_scope(scope);
            for base in class
                .into_iter()
                .flat_map(|class| &self.module(unit).class(class).bases)
            {
                if let Some(base) = self.project_class(unit, base) {
                    let values = self.field(base, name);
                    if !values.is_empty() {
                        return values;
                    }
                }
            }
            return self.constant_of_ruby(unit, scope, name);
        }
        for mate in self
            .mates_with("ruby:", name)
            .iter()
            .filter(|mate| **mate != unit)
            .take(PARTS_MAX)
        {
            let mut values = self.lookup_top(*mate, name);
            values
                .retain(|value| matches!(value, Value::Function(function) if self.function(*function).class.is_none()));
            if !values.is_empty() {
                return values;
            }
        }
        vec![Value::Path(Rc::new(Path {
            root: Root::Global,
            segs: vec![Seg::Name(Rc::from(name))],
        }))]
    }

    /// What a method gives that hands on what it is called on, or a part of it.
    pub(super) fn handed_on_in_ruby(&self, at: ExprRef) -> Option<Vec<Value>> {
        let Expr::Call { callee, args, .. } = self.expr(at) else {
            return None;
        };
        let Expr::Member { object, name } = self.expr(ExprRef(at.0, *callee)) else {
            return None;
        };
        let object = ExprRef(at.0, *object);
        let plain = |value: &Value| {
            matches!(
                value,
                Value::Text(_) | Value::Env(_) | Value::Literal(_) | Value::Number(_) | Value::Bool(_)
            )
        };
        match &**name {
            name if args.is_empty() && HANDS_ON.contains(&name) => {
                let values: Vec<Value> = self.eval(object).iter().filter(|value| plain(value)).cloned().collect();
                (!values.is_empty()).then_some(values)
            }
            "merge" | "merge!" | "deep_merge" | "reverse_merge" | "except" | "slice" => {
                let mut values: Vec<Value> = self.eval(object).to_vec();
                for arg in args.iter().filter(|arg| arg.name.is_none()) {
                    merge(&mut values, &self.eval(ExprRef(at.0, arg.value)));
                }
                values.retain(|value| matches!(value, Value::Literal(_)));
                (!values.is_empty()).then_some(values)
            }
            "fetch" | "dig" => {
                let key = self.key_text(ExprRef(at.0, args.first()?.value));
                let held = self.eval(object);
                let literal = held.iter().any(|value| matches!(value, Value::Literal(_)));
                let of_env = held.iter().any(
                    |value| matches!(value, Value::Path(path) if path.root == Root::Import && path.symbol() == "ENV"),
                );
                if !literal && !of_env {
                    return None;
                }
                let mut out = Vec::new();
                if of_env {
                    out.push(Value::Env(Rc::from(key.as_deref()?)));
                } else {
                    for value in held.iter() {
                        merge(&mut out, &self.element(value, key.as_deref()));
                    }
                }
                if &**name == "fetch" {
                    merge(&mut out, &self.otherwise(at, args));
                }
                Some(out)
            }
            _ => None,
        }
    }

    /// What stands behind a key as what is taken where there is none: a second argument, or a block.
    fn otherwise(&self, at: ExprRef, args: &[Arg]) -> Vec<Value> {
        let mut out = Vec::new();
        for arg in args.iter().skip(1) {
            for value in self.eval(ExprRef(at.0, arg.value)).iter() {
                match value {
                    Value::Function(function) => merge(&mut out, &self.results(*function, None)),
                    value => merge(&mut out, std::slice::from_ref(value)),
                }
            }
        }
        out
    }

    /// What a call of a function or a method of Ruby gives, where it is known by its name.
    pub(super) fn called_in_ruby(&self, path: &Rc<Path>, at: ExprRef, args: &[Arg]) -> Option<Vec<Value>> {
        if !self.is_ruby(at.0) {
            return None;
        }
        let name = path.last_name()?;
        let first = args.first().map(|arg| ExprRef(at.0, arg.value));
        let symbol = if path.segs.len() <= 4 {
            path.symbol()
        } else {
            String::new()
        };
        let mut out = Vec::new();
        match symbol.as_str() {
            "URI" | "URI.parse" | "Addressable.URI.parse" | "String" | "Hash" | "Array" | "URI.encode" => {
                merge(&mut out, &self.eval(first?));
                out.truncate(VALUES_MAX);
            }
            "URI.join" | "File.join" => {
                let texts: Vec<String> = args
                    .iter()
                    .filter_map(|arg| {
                        self.eval(ExprRef(at.0, arg.value))
                            .iter()
                            .find_map(|value| match value {
                                Value::Text(parts) => constant(parts),
                                _ => None,
                            })
                    })
                    .collect();
                if texts.len() == args.len() {
                    let joined: Vec<&str> = texts.iter().map(|text| text.trim_matches('/')).collect();
                    out.push(super::text(&joined.join("/")));
                }
            }
            _ => {}
        }
        if out.is_empty() && RUNS_ITS_BLOCK.contains(&name) {
            for lambda in self.lambdas_in_args(at) {
                merge(&mut out, &self.results(lambda, None));
            }
            if !leads_on(&out) {
                out.clear();
            }
        }
        (!out.is_empty()).then_some(out)
    }

    /// What a class takes over from the libraries that those extend which it extends itself.
    pub(super) fn member_of_bases(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for base in &self.module(class.0).class(class.1).bases {
            if let Some(base) = self.project_class(class.0, base)
                && base != class
                && self.method(base, name).is_empty()
            {
                let values = self.member(&Value::Class(base), name);
                out.extend(values.into_iter().filter(|value| matches!(value, Value::Path(_))));
            }
        }
        out
    }

    /// What a block is handed by a library: the connection that it opens, the client that it makes.
    pub(super) fn handed_to_block(&self, function: FunctionRef) -> Vec<Value> {
        if self.function(function).name.is_some() {
            return Vec::new();
        }
        let Some(place) = self.index(function.0).function_expr[function.1.0 as usize] else {
            return Vec::new();
        };
        let Some(call) = self.parent(ExprRef(function.0, place)) else {
            return Vec::new();
        };
        let Expr::Call { callee, .. } = self.expr(call) else {
            return Vec::new();
        };
        let callee = ExprRef(call.0, *callee);
        let of = |at: ExprRef| -> Vec<Value> {
            let values = self.eval(at);
            let made = |value: &&Value| matches!(value, Value::Path(path) if path.root == Root::Import);
            values.iter().filter(made).cloned().collect()
        };
        match self.expr(callee) {
            Expr::Member { object, name } if matches!(&**name, "tap" | "then" | "yield_self") => {
                of(ExprRef(call.0, *object))
            }
            Expr::Member { name, .. }
                if matches!(&**name, "start" | "open" | "build" | "client" | "connection" | "with") =>
            {
                of(call)
            }
            _ => Vec::new(),
        }
    }

    /// The method that a job or a mail is done by, which is called under another name: `AskJob.perform_later(text)`.
    pub(super) fn done_later(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let done = match name {
            "perform_later" | "perform_now" | "perform_async" | "perform_in" | "perform_at" | "perform_inline"
            | "perform_bulk" | "enqueue" | "set" => "perform",
            _ => return Vec::new(),
        };
        if !self.is_ruby(class.0) {
            return Vec::new();
        }
        self.method(class, done).into_iter().map(Value::Function).collect()
    }
}
