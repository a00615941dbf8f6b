//! What imports bring in and what modules hand out.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::ExportSource;
use rustc_hash::FxHashMap as HashMap;

use super::merge;
use crate::index::BindSource;
use crate::project::{is_jvm, is_python, is_script};
use crate::shapes;
use crate::values::{ClassRef, ExprRef, Path, Root, Seg, Value};
use crate::world::World;

impl World<'_> {
    /// A whole module: itself, and the function or class that stands for it (`module.exports = function () {}`).
    fn required(&self, module: u32) -> Vec<Value> {
        let mut out = vec![Value::Module(module)];
        for value in self.exported(module, "default", 0) {
            if matches!(value, Value::Function(_) | Value::Class(_)) {
                merge(&mut out, &[value]);
            }
        }
        out
    }

    /// What an import gives.
    pub(crate) fn import(&self, unit: u32, module: &str, item: Option<&str>) -> Vec<Value> {
        let here = self.unit(unit);
        let language = here.language;
        if is_python(language) || is_script(language) || language == Language::Rust {
            if let Some(item) = item
                && is_python(language)
            {
                let dot = if module.ends_with('.') { "" } else { "." };
                let inner = format!("{module}{dot}{item}");
                let whole = self.paths.resolve(here.path, language, module);
                let defined = whole
                    .and_then(|path| self.by_path.get(path))
                    .is_some_and(|other| self.index(*other).scopes[0].names.contains_key(item));
                if !defined
                    && let Some(path) = self.paths.resolve(here.path, language, &inner)
                    && let Some(other) = self.by_path.get(path)
                {
                    return vec![Value::Module(*other)];
                }
            }
            if language == Language::Rust
                && let Some(item) = item
                && let Some(path) = self.paths.resolve(here.path, language, &format!("{module}::{item}"))
                && let Some(other) = self.by_path.get(path)
                && *other != unit
            {
                return vec![Value::Module(*other)];
            }
            if let Some(path) = self.paths.resolve(here.path, language, module) {
                let Some(other) = self.by_path.get(path) else {
                    return Vec::new();
                };
                return match item {
                    Some(item) if *other != unit => self.exported(*other, item, 0),
                    Some(item) => self.of_itself(unit, item),
                    None if is_script(language) && *other != unit => self.required(*other),
                    None => vec![Value::Module(*other)],
                };
            }
        }
        if language == Language::Go
            && let Some(dir) = self.paths.go_folder(module)
        {
            return vec![Value::Package(Rc::from(format!("godir:{dir}")))];
        }
        if language == Language::Php {
            let found = self.of_php(unit, module, item);
            if !found.is_empty() {
                return found;
            }
        }
        if self.paths.is_own(here.path, language, module) {
            return Vec::new();
        }
        if (is_jvm(language) || language == Language::CSharp)
            && let Some(class) = self.class_of_package(language, module, item)
        {
            return vec![Value::Class(class)];
        }
        if (is_jvm(language) || language == Language::CSharp) && !shapes::knows_root(language, module) {
            let class = item.unwrap_or_else(|| module.rsplit('.').next().unwrap_or(module));
            if self.classes.contains_key(class)
                && let Some(found) = self.class_near(unit, class)
            {
                return vec![Value::Class(found)];
            }
            // A static import names a member of a class; Kotlin imports functions.
            if let Some(class) = module.rsplit('.').next()
                && let Some(item) = item
                && let Some(found) = self.class_near(unit, class)
            {
                return self.member(&Value::Class(found), item);
            }
            if let Some(item) = item {
                for mate in self.packages.get(&format!("jvm:{module}")).into_iter().flatten() {
                    let values = self.lookup_top(*mate, item);
                    if !values.is_empty() {
                        return values;
                    }
                }
            }
        }
        Self::path_of(language, module, item)
    }

    /// What a full name of PHP means in the project: a class, a function or a constant of that namespace, or a file that is required.
    fn of_php(&self, unit: u32, module: &str, item: Option<&str>) -> Vec<Value> {
        let Some(item) = item else {
            let path = self.paths.resolve(self.unit(unit).path, Language::Php, module);
            return path
                .and_then(|path| self.by_path.get(path))
                .map(|other| vec![Value::Module(*other)])
                .unwrap_or_default();
        };
        if let Some(class) = self.class_of_package(Language::Php, module, Some(item)) {
            return vec![Value::Class(class)];
        }
        for mate in self.mates_with(&format!("php:{module}"), item).iter() {
            let values = self.bound_by_all(*mate, item);
            if !values.is_empty() {
                return values;
            }
        }
        Vec::new()
    }

    /// What a file of PHP binds for every file: functions, classes and constants, and not the variables at its top.
    pub(super) fn bound_by_all(&self, unit: u32, name: &str) -> Vec<Value> {
        let constant = name.starts_with(char::is_uppercase);
        let declared = || {
            let names = &self.index(unit).scopes[0].names;
            names.get(name).is_some_and(|bindings| {
                bindings
                    .iter()
                    .any(|binding| matches!(binding.source, BindSource::Function(_) | BindSource::Class(_)))
            })
        };
        if !constant && !declared() {
            return Vec::new();
        }
        let mut values = self.lookup_top(unit, name);
        values.retain(|value| constant || matches!(value, Value::Function(_) | Value::Class(_)));
        values
    }

    /// What a file imports from itself: `from utils import ask` in a file `utils.py`. The import that is being followed gives nothing to itself.
    fn of_itself(&self, unit: u32, item: &str) -> Vec<Value> {
        let key = (unit, Box::<str>::from(item));
        if !self.known.selves.borrow_mut().insert(key.clone()) {
            return Vec::new();
        }
        let values = self.lookup_top(unit, item);
        self.known.selves.borrow_mut().remove(&key);
        values
    }

    /// The class of the project that lies in exactly the package that is named, whatever library has one of that name.
    pub(crate) fn class_of_package(&self, language: Language, module: &str, item: Option<&str>) -> Option<ClassRef> {
        let (package, class) = match item {
            Some(item) => (module, item),
            None => module.rsplit_once('.')?,
        };
        let key = crate::world::package_key(language, "", Some(package))?;
        let mates = self.packages.get(&key)?;
        // Units of a package are in order.
        self.classes
            .get(class)?
            .iter()
            .find(|known| mates.binary_search(&known.0).is_ok())
            .copied()
    }

    /// A path that starts at an import from outside the project.
    pub(crate) fn path_of(language: Language, module: &str, item: Option<&str>) -> Vec<Value> {
        let module = if is_script(language) {
            bare_module(module)
        } else {
            module
        };
        let mut segs: Vec<Seg> = shapes::split_module(language, module)
            .map(|part| Seg::Name(Rc::from(part)))
            .collect();
        if let Some(item) = item {
            segs.extend(
                shapes::split_module(language, item)
                    .filter(|part| *part != "*")
                    .map(|part| Seg::Name(Rc::from(part))),
            );
        }
        vec![Value::Path(Rc::new(Path {
            root: Root::Import,
            segs,
        }))]
    }

    /// The positions of what a module hands out under a name, or under every name.
    fn exports_named(&self, unit: u32, name: &str) -> Vec<usize> {
        let module = self.module(unit);
        let exports = self.known.exports.get_or(unit, || {
            let mut out: HashMap<&str, Vec<usize>> = HashMap::default();
            for (at, export) in module.exports.iter().enumerate() {
                out.entry(&export.name).or_default().push(at);
            }
            Rc::new(out)
        });
        let of = |name: &str| exports.get(name).into_iter().flatten().copied();
        let mut out: Vec<usize> = of(name).chain(of("*")).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What a module of the project hands out under a name.
    pub(crate) fn exported(&self, unit: u32, name: &str, depth: u32) -> Vec<Value> {
        let key = (unit, Box::<str>::from(name));
        if let Some(known) = self.exports.borrow().get(&key) {
            return known.clone();
        }
        if self.depth.get() >= super::DEPTH_MAX || !self.active_exports.borrow_mut().insert(key.clone()) {
            self.cut();
            return Vec::new();
        }
        self.depth.set(self.depth.get() + 1);
        let values = self.exported_now(unit, name, depth);
        self.depth.set(self.depth.get() - 1);
        self.active_exports.borrow_mut().remove(&key);
        // Kept even from inside a circle of imports: looking again and again costs more than it tells.
        self.exports.borrow_mut().insert(key, values.clone());
        values
    }

    fn exported_now(&self, unit: u32, name: &str, depth: u32) -> Vec<Value> {
        if depth > 8 {
            return Vec::new();
        }
        let mut out = Vec::new();
        let module = self.module(unit);
        let here = self.unit(unit);
        let named = self.exports_named(unit, name);
        for export in named.into_iter().filter_map(|at| module.exports.get(at)) {
            let every = &*export.name == "*";
            match &export.source {
                ExportSource::Local(local) => merge(&mut out, &self.lookup_top(unit, local)),
                ExportSource::Expr(value) => {
                    let values = self.eval(ExprRef(unit, *value));
                    merge(&mut out, &values);
                }
                ExportSource::From { module: other, item } => {
                    let item = match item.as_deref() {
                        Some("*") | None if every => Some(name),
                        other => other,
                    };
                    if let Some(path) = self.paths.resolve(here.path, here.language, other) {
                        if let Some(next) = self.by_path.get(path)
                            && *next != unit
                        {
                            match item {
                                Some(item) => merge(&mut out, &self.exported(*next, item, depth + 1)),
                                None => merge(&mut out, &[Value::Module(*next)]),
                            }
                        }
                    } else if !every || shapes::knows_root(here.language, other) {
                        merge(&mut out, &Self::path_of(here.language, other, item));
                    }
                }
            }
        }
        if out.is_empty() {
            merge(&mut out, &self.lookup_top(unit, name));
        }
        if out.is_empty() {
            for next in self.star_units(unit).iter() {
                merge(&mut out, &self.exported(*next, name, depth + 1));
            }
        }
        // `module.exports = { ask }` hands out the members of one object.
        if out.is_empty()
            && name != "default"
            && let Some(default) = self
                .exports_named(unit, "default")
                .into_iter()
                .filter_map(|at| module.exports.get(at))
                .find(|export| &*export.name == "default")
        {
            let values = match &default.source {
                ExportSource::Expr(value) => self.eval(ExprRef(unit, *value)).to_vec(),
                ExportSource::Local(local) => self.lookup_top(unit, local),
                ExportSource::From { .. } => Vec::new(),
            };
            for value in &values {
                if !matches!(value, Value::Module(_)) {
                    merge(&mut out, &self.member(value, name));
                }
            }
        }
        out
    }
}

/// Whether a class is named after the namespace that it may belong to: `ChatClient` after `OpenAI.Chat`.
pub(super) fn is_named_after(class: &str, module: &str) -> bool {
    let last = module.rsplit('.').next().unwrap_or(module);
    let stem = last.trim_end_matches('s');
    stem.len() > 2 && class.contains(stem)
}

/// The package behind an address from which browsers and Deno load it.
pub(crate) fn bare_module(module: &str) -> &str {
    let Some((_, rest)) = module.split_once("://") else {
        return module.strip_prefix("jsr:").unwrap_or(module);
    };
    [
        "esm.sh/",
        "esm.run/",
        "cdn.skypack.dev/",
        "cdn.jsdelivr.net/npm/",
        "unpkg.com/",
        "ga.jspm.io/npm:",
        "deno.land/x/",
    ]
    .iter()
    .find_map(|host| rest.strip_prefix(host))
    .map_or(module, |package| package.strip_prefix("gh/").unwrap_or(package))
}
