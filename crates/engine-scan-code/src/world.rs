//! All units of a project with what finds one from another: modules, packages, classes, callers.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use engine_model::{Language, Zone};
use engine_syntax::ir::{ClassId, Expr, ExprId, Function, FunctionId, Module, Span, TypeRef};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::index::Index;
use crate::project::{Paths, Source, folder, is_jvm};
use crate::values::{ClassRef, ExprRef, FunctionRef, Value};

/// One file with its index.
pub(crate) struct Unit<'m> {
    pub(crate) path: &'m str,
    pub(crate) zone: Zone,
    pub(crate) language: Language,
    pub(crate) index: Index<'m>,
}

/// The methods of a class by name.
type Methods = HashMap<Box<str>, Vec<FunctionRef>>;

/// The classes of one name, findable from a unit.
#[derive(Default)]
struct Near {
    /// The first in each unit.
    units: HashMap<u32, ClassRef>,
    /// The first in each folder, by family of languages.
    folders: HashMap<(u8, u32), ClassRef>,
    /// The first in each family of languages.
    families: HashMap<u8, ClassRef>,
}

/// Languages whose classes can extend one another.
fn family(language: Language) -> u8 {
    if is_jvm(language) {
        1
    } else if crate::project::is_script(language) {
        2
    } else if crate::project::is_python(language) {
        3
    } else {
        10_u8.saturating_add(language as u8)
    }
}

/// What modules hand out, by unit and name.
type Exports = HashMap<(u32, Box<str>), Vec<Value>>;

/// What is set on fields of objects, by unit and field.
type SetFields = HashMap<(u32, Box<str>), Rc<[Value]>>;

/// Values of the expressions of a unit, by number, where they were evaluated.
type Remembered = Vec<Option<Rc<[Value]>>>;

/// The project as evaluation sees it.
pub(crate) struct World<'m> {
    pub(crate) units: Vec<Unit<'m>>,
    pub(crate) paths: &'m Paths<'m>,
    pub(crate) by_path: HashMap<&'m str, u32>,
    /// Units by package or folder.
    pub(crate) packages: HashMap<String, Vec<u32>>,
    pub(crate) classes: BTreeMap<&'m str, Vec<ClassRef>>,
    /// For each name of a class, what [`World::class_near`] answers.
    near: HashMap<&'m str, Near>,
    /// Numbers of the folders of units, and of the families of their languages.
    places: Vec<(u32, u8)>,
    /// Methods of a class by name, as they were looked up before.
    methods: RefCell<HashMap<ClassRef, Methods>>,
    /// Records of a class, as they were looked up before.
    parts: RefCell<HashMap<ClassRef, Vec<ClassRef>>>,
    /// Units that another file of the project imports, once somebody asks.
    imported: OnceCell<HashSet<u32>>,
    /// Classes by the last part of the name of something that they extend.
    pub(crate) implementers: HashMap<&'m str, Vec<ClassRef>>,
    /// Places that call a function of the project.
    pub(crate) callers: RefCell<HashMap<FunctionRef, Vec<ExprRef>>>,
    /// Places that make an instance of a class of the project.
    pub(crate) constructions: RefCell<HashMap<ClassRef, Vec<ExprRef>>>,
    /// Values of expressions as they were evaluated before, by unit and number.
    pub(crate) memo: RefCell<Vec<Remembered>>,
    pub(crate) active: RefCell<HashSet<ExprRef>>,
    pub(crate) active_params: RefCell<HashSet<(FunctionRef, u32)>>,
    pub(crate) depth: Cell<u32>,
    pub(crate) steps: Cell<u64>,
    /// What modules hand out, by unit and name.
    pub(crate) exports: RefCell<Exports>,
    /// What callers give to parameters.
    pub(crate) params: RefCell<HashMap<(FunctionRef, u32), Vec<Value>>>,
    pub(crate) active_exports: RefCell<HashSet<(u32, Box<str>)>>,
    pub(crate) active_classes: RefCell<HashSet<ClassRef>>,
    /// Modules that C# files import for the whole project.
    pub(crate) global_usings: Vec<&'m str>,
    /// Values that are set on a field of some object, by unit and field.
    pub(crate) set_fields: RefCell<SetFields>,
    /// Addresses that clients of Retrofit are built with, once somebody asks.
    pub(crate) retrofit_bases: OnceCell<Vec<(u32, String)>>,
    /// Records of containers by the names of their tokens, once somebody asks.
    pub(crate) providers: OnceCell<HashMap<Box<str>, Vec<ExprRef>>>,
    /// What is put into the contexts of requests, by name, once somebody asks.
    pub(crate) kept: OnceCell<HashMap<Box<str>, Vec<ExprRef>>>,
    /// Values that were asked who stands behind them, for one call.
    pub(crate) asked: Cell<u32>,
    /// The calls from which functions are looked at just now: their parameters stand for what these give.
    pub(crate) seen_from: RefCell<Vec<(FunctionRef, ExprRef)>>,
    /// Whether parameters are left as they are just now.
    pub(crate) left_open: Cell<bool>,
}

/// The key under which units of one package are found.
pub(crate) fn package_key(language: Language, path: &str, package: Option<&str>) -> Option<String> {
    match language {
        Language::Go => Some(format!("go:{}:{}", folder(path), package.unwrap_or(""))),
        Language::Java | Language::Kotlin => Some(format!("jvm:{}", package.unwrap_or(""))),
        Language::CSharp => Some(format!("cs:{}", package.unwrap_or(""))),
        _ => None,
    }
}

impl<'m> World<'m> {
    pub(crate) fn new(sources: &'m [Source<'m>], paths: &'m Paths<'m>) -> Self {
        let mut units = Vec::new();
        let mut by_path = HashMap::default();
        let mut packages: HashMap<String, Vec<u32>> = HashMap::default();
        let mut classes: BTreeMap<&str, Vec<ClassRef>> = BTreeMap::new();
        let mut implementers: HashMap<&str, Vec<ClassRef>> = HashMap::default();
        let mut global_usings = Vec::new();
        let mut near: HashMap<&str, Near> = HashMap::default();
        let mut folders: HashMap<&str, u32> = HashMap::default();
        let mut places = Vec::new();
        for source in sources {
            let at = crate::values::id(units.len());
            let module: &Module = &source.module;
            by_path.insert(source.path, at);
            let number = crate::values::id(folders.len());
            let place = (
                *folders.entry(folder(source.path)).or_insert(number),
                family(source.language),
            );
            places.push(place);
            if let Some(key) = package_key(source.language, source.path, module.package.as_deref()) {
                packages.entry(key).or_default().push(at);
            }
            if source.language == Language::Go {
                packages
                    .entry(format!("godir:{}", folder(source.path)))
                    .or_default()
                    .push(at);
            }
            if source.language == Language::CSharp
                && source
                    .path
                    .rsplit('/')
                    .next()
                    .is_some_and(|name| name.to_ascii_lowercase().contains("usings"))
            {
                global_usings.extend(
                    module
                        .imports
                        .iter()
                        .filter(|import| import.star)
                        .map(|import| &*import.module),
                );
            }
            for (id, class) in module.classes.iter().enumerate() {
                let class_ref = ClassRef(at, ClassId(crate::values::id(id)));
                if let Some(name) = &class.name {
                    classes.entry(name).or_default().push(class_ref);
                    let near = near.entry(name).or_default();
                    near.units.entry(at).or_insert(class_ref);
                    near.folders.entry((place.1, place.0)).or_insert(class_ref);
                    near.families.entry(place.1).or_insert(class_ref);
                }
                for base in &class.bases {
                    let last = base.name.rsplit(['.', ':']).next().unwrap_or(&base.name);
                    implementers.entry(last).or_default().push(class_ref);
                }
            }
            units.push(Unit {
                path: source.path,
                zone: source.zone,
                language: source.language,
                index: Index::new(module),
            });
        }
        Self {
            units,
            paths,
            by_path,
            packages,
            classes,
            near,
            places,
            methods: RefCell::default(),
            parts: RefCell::default(),
            imported: OnceCell::new(),
            implementers,
            callers: RefCell::new(HashMap::default()),
            constructions: RefCell::default(),
            memo: RefCell::default(),
            active: RefCell::new(HashSet::default()),
            active_params: RefCell::new(HashSet::default()),
            depth: Cell::new(0),
            steps: Cell::new(0),
            exports: RefCell::default(),
            params: RefCell::default(),
            active_exports: RefCell::default(),
            active_classes: RefCell::default(),
            global_usings,
            set_fields: RefCell::default(),
            retrofit_bases: OnceCell::new(),
            providers: OnceCell::new(),
            kept: OnceCell::new(),
            asked: Cell::new(0),
            seen_from: RefCell::default(),
            left_open: Cell::new(false),
        }
    }

    pub(crate) fn unit(&self, unit: u32) -> &Unit<'m> {
        &self.units[unit as usize]
    }

    pub(crate) fn index(&self, unit: u32) -> &Index<'m> {
        &self.units[unit as usize].index
    }

    pub(crate) fn module(&self, unit: u32) -> &'m Module {
        self.units[unit as usize].index.module
    }

    pub(crate) fn expr(&self, at: ExprRef) -> &'m Expr {
        self.module(at.0).expr(at.1)
    }

    pub(crate) fn span(&self, at: ExprRef) -> Span {
        self.module(at.0).span(at.1)
    }

    pub(crate) fn function(&self, function: FunctionRef) -> &'m Function {
        self.module(function.0).function(function.1)
    }

    /// The values of an expression, where it was evaluated before.
    pub(crate) fn remembered(&self, ExprRef(unit, expr): ExprRef) -> Option<Rc<[Value]>> {
        self.memo.borrow().get(unit as usize)?.get(expr.0 as usize)?.clone()
    }

    /// Keeps the values of an expression.
    pub(crate) fn remember(&self, ExprRef(unit, expr): ExprRef, values: &Rc<[Value]>) {
        let mut memo = self.memo.borrow_mut();
        if memo.is_empty() {
            memo.resize(self.units.len(), Vec::new());
        }
        if let Some(of_unit) = memo.get_mut(unit as usize) {
            if of_unit.is_empty() {
                of_unit.resize(self.module(unit).exprs.len(), None);
            }
            if let Some(slot) = of_unit.get_mut(expr.0 as usize) {
                *slot = Some(Rc::clone(values));
            }
        }
    }

    /// All records of a class: a Rust struct and its `impl` blocks, the parts of a C# class, a Go type and its methods.
    pub(crate) fn class_parts(&self, class: ClassRef) -> Vec<ClassRef> {
        if let Some(known) = self.parts.borrow().get(&class) {
            return known.clone();
        }
        let parts = self.class_parts_now(class);
        self.parts.borrow_mut().insert(class, parts.clone());
        parts
    }

    fn class_parts_now(&self, class: ClassRef) -> Vec<ClassRef> {
        let unit = self.unit(class.0);
        let node = unit.index.module.class(class.1);
        let Some(name) = node.name.as_deref() else {
            return vec![class];
        };
        if !matches!(
            unit.language,
            Language::Rust | Language::CSharp | Language::Go | Language::Kotlin
        ) {
            return vec![class];
        }
        let folder_of = |unit: u32| self.places[unit as usize].0;
        let mut parts = vec![class];
        for other in self.classes.get(name).into_iter().flatten() {
            let same_place = other.0 == class.0
                || (unit.language != Language::Rust
                    && self.unit(other.0).language == unit.language
                    && (unit.language == Language::CSharp || folder_of(other.0) == folder_of(class.0)));
            if *other != class && same_place && parts.len() < 12 {
                parts.push(*other);
            }
        }
        parts
    }

    /// A method of a class by its name, with base classes of the project.
    pub(crate) fn method(&self, class: ClassRef, name: &str) -> Vec<FunctionRef> {
        if let Some(known) = self.methods.borrow().get(&class).and_then(|of| of.get(name)) {
            return known.clone();
        }
        let mut out = Vec::new();
        self.methods_into(class, name, 0, &mut out);
        self.methods
            .borrow_mut()
            .entry(class)
            .or_default()
            .insert(name.into(), out.clone());
        out
    }

    fn methods_into(&self, class: ClassRef, name: &str, depth: u32, out: &mut Vec<FunctionRef>) {
        let parts = self.class_parts(class);
        for part in &*parts {
            let module = self.module(part.0);
            for method in &module.class(part.1).methods {
                if module.function(*method).name.as_deref() == Some(name) {
                    out.push(FunctionRef(part.0, *method));
                }
            }
        }
        let interface = self.module(class.0).class(class.1).is_interface;
        if interface
            && depth < 3
            && let Some(own) = self.module(class.0).class(class.1).name.as_deref()
        {
            let found: Vec<ClassRef> = self
                .implementers
                .get(own)
                .into_iter()
                .flatten()
                .take(6)
                .copied()
                .collect();
            for implementer in found {
                if implementer != class {
                    self.methods_into(implementer, name, depth + 1, out);
                }
            }
        }
        if out.is_empty() && depth < 6 {
            for part in &*parts {
                for base in &self.module(part.0).class(part.1).bases {
                    if let Some(base) = self.project_class(part.0, base)
                        && base != class
                    {
                        self.methods_into(base, name, depth + 1, out);
                        if !out.is_empty() {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// The class of the project that a type names, seen from a unit.
    pub(crate) fn project_class(&self, unit: u32, name: &TypeRef) -> Option<ClassRef> {
        let named = self.typed(unit, name, 0).iter().find_map(|value| match value {
            Value::Instance(class, _) => Some(*class),
            _ => None,
        });
        let last = name.name.rsplit(['.', ':']).next().unwrap_or(&name.name);
        // What an import brings in from another place is not some class of the same name.
        let elsewhere = || {
            let language = self.unit(unit).language;
            self.module(unit).imports.iter().any(|import| {
                import.bindings.iter().any(|binding| *binding.local == *last)
                    && self
                        .paths
                        .resolve(self.unit(unit).path, language, &import.module)
                        .is_some_and(|path| !self.by_path.contains_key(path))
            })
        };
        named.or_else(|| self.class_near(unit, last).filter(|_| !elsewhere()))
    }

    /// The class of that name nearest to a unit: same file, same package, else the only one of the language.
    pub(crate) fn class_near(&self, unit: u32, name: &str) -> Option<ClassRef> {
        let near = self.near.get(name)?;
        let (folder, family) = self.places[unit as usize];
        near.units
            .get(&unit)
            .or_else(|| near.folders.get(&(family, folder)))
            .or_else(|| near.families.get(&family))
            .copied()
    }

    /// Whether another file of the project imports a unit.
    pub(crate) fn is_imported(&self, unit: u32) -> bool {
        let imported = self.imported.get_or_init(|| {
            let mut imported = HashSet::default();
            for (at, other) in self.units.iter().enumerate() {
                for import in &other.index.module.imports {
                    if let Some(target) = self
                        .paths
                        .resolve(other.path, other.language, &import.module)
                        .and_then(|path| self.by_path.get(path))
                        .filter(|target| **target as usize != at)
                    {
                        imported.insert(*target);
                    }
                }
            }
            imported
        });
        imported.contains(&unit)
    }

    /// Calls of the project that lead to a function.
    pub(crate) fn callers_of(&self, function: FunctionRef) -> Vec<ExprRef> {
        self.callers.borrow().get(&function).cloned().unwrap_or_default()
    }

    /// The function around an expression.
    pub(crate) fn function_of(&self, at: ExprRef) -> Option<FunctionRef> {
        self.index(at.0)
            .function_of(at.1)
            .map(|function| FunctionRef(at.0, function))
    }

    /// The nearest named function around an expression.
    pub(crate) fn named_function_of(&self, at: ExprRef) -> Option<FunctionRef> {
        self.index(at.0)
            .named_function_of(at.1)
            .map(|function| FunctionRef(at.0, function))
    }

    /// The function that a reader takes for the home of an expression: the nearest with a name, else the outermost lambda.
    pub(crate) fn home_of(&self, at: ExprRef) -> Option<FunctionRef> {
        self.named_function_of(at).or_else(|| {
            self.index(at.0)
                .functions_around(at.1)
                .last()
                .map(|function| FunctionRef(at.0, *function))
        })
    }

    /// All function expressions that call arguments of an expression hold directly.
    pub(crate) fn lambdas_in_args(&self, at: ExprRef) -> Vec<FunctionRef> {
        let Expr::Call { args, .. } = self.expr(at) else {
            return Vec::new();
        };
        args.iter()
            .filter_map(|arg| match self.module(at.0).expr(arg.value) {
                Expr::Function(function) => Some(FunctionRef(at.0, *function)),
                _ => None,
            })
            .collect()
    }

    /// The parent expression.
    pub(crate) fn parent(&self, at: ExprRef) -> Option<ExprRef> {
        let parent = self.index(at.0).expr_parent[at.1.0 as usize];
        (parent != crate::index::NONE).then_some(ExprRef(at.0, ExprId(parent)))
    }

    /// All functions of a unit.
    pub(crate) fn functions(&self, unit: u32) -> impl Iterator<Item = FunctionRef> + use<> {
        (0..crate::values::id(self.module(unit).functions.len())).map(move |at| FunctionRef(unit, FunctionId(at)))
    }
}
