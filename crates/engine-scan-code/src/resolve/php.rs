//! What functions of PHP and of its frameworks give, and what is put into a handle of curl.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::Module;
use engine_syntax::ir::{Arg, Expr, ExprId, FunctionId, Pattern, StmtKind};
use rustc_hash::FxHashMap;

use super::merge;
use crate::index::Index;
use crate::values::{ExprRef, Path, Root, Seg, Value};
use crate::world::World;

/// Functions that give back the text they are handed, or nearly so.
const HANDS_ON: [&str; 22] = [
    "addslashes",
    "apply_filters",
    "esc_html",
    "esc_url",
    "esc_url_raw",
    "html_entity_decode",
    "htmlspecialchars",
    "ltrim",
    "mb_convert_encoding",
    "mb_substr",
    "nl2br",
    "rtrim",
    "sanitize_text_field",
    "strip_tags",
    "strtolower",
    "strval",
    "trailingslashit",
    "trim",
    "untrailingslashit",
    "utf8_encode",
    "wp_strip_all_tags",
    "wp_unslash",
];

/// Functions by which a container hands out what a class names.
const CONTAINERS: [&str; 5] = ["app", "resolve", "make", "get", "makeWith"];

/// Files of PHP that bind one name and are looked at.
const MATES_MAX: usize = 64;

/// Values of one option of a handle that are looked at.
const OPTIONS_MAX: usize = 16;

impl World<'_> {
    /// Whether an expression is what a call calls.
    pub(super) fn is_called(&self, at: ExprRef) -> bool {
        self.parent(at)
            .is_some_and(|parent| matches!(self.expr(parent), Expr::Call { callee, .. } if *callee == at.1))
    }

    /// What `parent` means: an instance of what the class around extends.
    pub(super) fn base_of_php(&self, unit: u32, scope: u32) -> Vec<Value> {
        let module = self.module(unit);
        let class = self.index(unit).class_of_scope(scope);
        let base = class.and_then(|class| module.class(class).bases.first());
        base.map_or_else(Vec::new, |base| self.typed(unit, base, 0))
    }

    /// A name that a file of PHP does not bind: of its namespace, of a file that it requires, of all files, or of a library.
    pub(super) fn outside_of_php(&self, unit: u32, key: &str, name: &str) -> Vec<Value> {
        for next in self.star_units(unit).iter() {
            let values = self.lookup_top(*next, name);
            if !values.is_empty() {
                return values;
            }
        }
        let of_all = (key != "php:").then_some("php:");
        for key in std::iter::once(key).chain(of_all) {
            for mate in self
                .mates_with(key, name)
                .iter()
                .filter(|mate| **mate != unit)
                .take(MATES_MAX)
            {
                let values = self.bound_by_all(*mate, name);
                // A class of another namespace is named in full.
                let far = key == "php:" && of_all.is_some();
                let only_classes = || values.iter().all(|value| matches!(value, Value::Class(_)));
                if !values.is_empty() && (!far || !only_classes()) {
                    return values;
                }
            }
        }
        let root = if of_all.is_none() && name.starts_with(char::is_uppercase) {
            Root::Import
        } else {
            Root::Global
        };
        let segs = vec![Seg::Name(Rc::from(name))];
        vec![Value::Path(Rc::new(Path { root, segs }))]
    }

    /// What a file of settings of Laravel gives back under a key: `config('services.gemini.url')` of `config/services.php`.
    fn in_config(&self, unit: u32, key: &str) -> Vec<Value> {
        /// Parts of a key that are followed.
        const PARTS_MAX: usize = 6;
        let mut parts = key.split('.').take(PARTS_MAX);
        let Some(file) = parts.next().filter(|file| !file.is_empty()) else {
            return Vec::new();
        };
        // The folder of settings lies beside that of the code, whichever folder of the tree the application is in.
        let mut folder = self.unit(unit).path;
        let settings = loop {
            let Some((above, _)) = folder.rsplit_once('/') else {
                break self.by_path.get(format!("config/{file}.php").as_str());
            };
            folder = above;
            if let found @ Some(_) = self.by_path.get(format!("{above}/config/{file}.php").as_str()) {
                break found;
            }
        };
        let Some(settings) = settings.copied() else {
            return Vec::new();
        };
        let given = self.module(settings).body.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Return(Some(value)) => Some(*value),
            _ => None,
        });
        let mut values: Vec<Value> = given.map_or_else(Vec::new, |value| self.eval(ExprRef(settings, value)).to_vec());
        for part in parts {
            values = values.iter().flat_map(|value| self.key(value, part)).collect();
        }
        values
    }

    /// What a call of a function or a method of PHP gives, where it is known by its name.
    pub(super) fn called_in_php(&self, path: &Rc<Path>, at: ExprRef, args: &[Arg]) -> Option<Vec<Value>> {
        if self.unit(at.0).language != Language::Php {
            return None;
        }
        let name = path.last_name()?;
        let first = args.first().map(|arg| ExprRef(at.0, arg.value));
        if CONTAINERS.contains(&name)
            && let Some(first) = first
            && let Some(made) = self.named_class(first)
        {
            return Some(made);
        }
        if path.root != Root::Global || path.segs.len() != 1 {
            return None;
        }
        let second = args.get(1).map(|arg| ExprRef(at.0, arg.value));
        let mut out = Vec::new();
        match name {
            "getenv" | "env" => {
                out.push(Value::Env(Rc::from(self.key_text(first?)?)));
                if let Some(default) = second {
                    merge(&mut out, &self.eval(default));
                }
            }
            // A setting that its owner may change, and what stands there otherwise.
            "get_option" | "get_site_option" | "config" => {
                if name == "config"
                    && let Some(key) = self.key_text(first?)
                {
                    merge(&mut out, &self.in_config(at.0, &key));
                }
                if let Some(default) = second {
                    merge(&mut out, &self.eval(default));
                }
                out.push(Value::Env(Rc::from(self.key_text(first?)?)));
            }
            "apply_filters" => merge(&mut out, &self.eval(second?)),
            "array_merge" | "array_filter" | "array_replace" | "wp_parse_args" | "array_merge_recursive" => {
                for arg in args.iter().rev() {
                    merge(&mut out, &self.eval(ExprRef(at.0, arg.value)));
                }
                out.retain(|value| matches!(value, Value::Literal(_)));
            }
            "tap" | "with" | "value" => merge(&mut out, &self.eval(first?)),
            name if HANDS_ON.contains(&name) => merge(&mut out, &self.eval(first?)),
            _ => {}
        }
        (!out.is_empty()).then_some(out)
    }

    /// An instance of the class that `Client::class` names.
    fn named_class(&self, at: ExprRef) -> Option<Vec<Value>> {
        let Expr::Member { object, name } = self.expr(at) else {
            return None;
        };
        if &**name != "class" {
            return None;
        }
        let mut out = Vec::new();
        for value in self.eval(ExprRef(at.0, *object)).iter() {
            match value {
                Value::Class(class) => out.push(Value::Instance(*class, None)),
                Value::Path(path) if path.root == Root::Import => {
                    out.extend(path.then(Seg::Typed).map(|path| Value::Path(Rc::new(path))));
                }
                _ => {}
            }
        }
        Some(out)
    }

    /// What is put as an option into the handle that a call is given first: `curl_setopt($ch, CURLOPT_URL, $url)`.
    pub(crate) fn option_of_handle(&self, at: ExprRef, option: &str) -> Vec<Value> {
        let Expr::Call { args, .. } = self.expr(at) else {
            return Vec::new();
        };
        let Some(handle) = args.first().map(|arg| arg.value) else {
            return Vec::new();
        };
        let Some(place) = place_of(self.module(at.0), handle) else {
            return Vec::new();
        };
        let handles = self.known.handles.get_or(at.0, || Rc::new(handles(self.index(at.0))));
        // A field is set in one method and sent in another.
        let function = if place.1.is_none() {
            self.index(at.0).function_of(at.1)
        } else {
            None
        };
        let of = |key: &str| {
            handles
                .get(&(function, place, Box::from(key)))
                .cloned()
                .unwrap_or_default()
        };
        let mut found = of(option);
        found.extend(of("options"));
        let mut out = Vec::new();
        for value in found.into_iter().take(OPTIONS_MAX) {
            let values = self.expand(&self.eval(ExprRef(at.0, value)));
            for value in values {
                match self.option_in_list(&value, option) {
                    Some(inner) => out.extend(inner),
                    None => out.push(value),
                }
            }
        }
        out
    }

    /// What a list of options holds under the name of one.
    fn option_in_list(&self, value: &Value, option: &str) -> Option<Vec<Value>> {
        let Value::Literal(at) = value else { return None };
        let Expr::Map(entries) = self.expr(*at) else {
            return None;
        };
        let names = |entry: &&engine_syntax::ir::MapEntry, start: &str| {
            entry
                .key
                .is_some_and(|key| matches!(self.module(at.0).expr(key), Expr::Name(name) if name.starts_with(start)))
        };
        if !entries.iter().any(|entry| names(&entry, "CURLOPT_")) {
            return None;
        }
        let entry = entries.iter().find(|entry| names(entry, option));
        Some(entry.map_or_else(Vec::new, |entry| self.expand(&self.eval(ExprRef(at.0, entry.value)))))
    }
}

/// A variable, or a field of one.
type Place<'m> = (&'m str, Option<&'m str>);

/// What is put into handles: by the function for a variable, by the handle and the option.
pub(crate) type Handles<'m> = FxHashMap<(Option<FunctionId>, Place<'m>, Box<str>), Vec<ExprId>>;

fn place_of(module: &Module, at: ExprId) -> Option<Place<'_>> {
    match module.expr(at) {
        Expr::Name(name) => Some((name, None)),
        Expr::Member { object, name } => match module.expr(*object) {
            Expr::Name(base) => Some((base, Some(name))),
            _ => None,
        },
        _ => None,
    }
}

/// The options that a file puts into handles.
fn handles<'m>(index: &Index<'m>) -> Handles<'m> {
    let module = index.module;
    let mut out = Handles::default();
    for info in &index.stmts {
        if let StmtKind::Assign {
            target: Pattern::Place(place),
            value: Some(value),
            ..
        } = &info.stmt.kind
            && let Expr::Index { object, key } = module.expr(*place)
            && let Expr::Str(option) = module.expr(*key)
            && (option.starts_with("CURLOPT_") || &**option == "options")
            && let Some(place) = place_of(module, *object)
        {
            let function = if place.1.is_none() {
                index.function_of(*value)
            } else {
                None
            };
            let values = out.entry((function, place, Box::from(&**option))).or_default();
            if values.len() < OPTIONS_MAX {
                values.push(*value);
            }
        }
    }
    out
}
