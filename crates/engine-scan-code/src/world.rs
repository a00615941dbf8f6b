//! All units of a project with what finds one from another: modules, packages, classes, callers.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

use engine_model::{Language, Zone};
use engine_syntax::ir::{ClassId, Expr, ExprId, Function, FunctionId, Module, Span, StmtKind, TypeRef};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::index::{Index, NONE};
use crate::memo::{Entries, Known, Memo, Parts, Star};
use crate::project::{Paths, Source, folder, is_jvm};
use crate::resolve::{STEPS_MAX, STEPS_MIN, STEPS_OF_EACH};
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

/// Fields, methods or keys that are gone through one by one; more are looked up.
const FEW: usize = 16;

/// Classes of one name that may be parts of each other, by language and, where it counts, by unit or folder.
type Same<'m> = HashMap<(&'m str, u8, u32), Vec<ClassRef>>;

/// Steps for the facts of one file where they grow with the number of its calls and with its length: walks back over the
/// data of calls, and conditions that are held against them.
const FACT_STEPS_MAX: usize = 400_000;

/// Parts of one class that are looked at.
const PARTS_MAX: usize = 12;

/// What modules hand out, by unit and name.
type Exports = HashMap<(u32, Box<str>), Vec<Value>>;

/// What is set on fields of objects, by unit and field.
type SetFields = HashMap<(u32, Box<str>), Rc<[Value]>>;

/// What an expression can stand for.
type Values = Rc<[Value]>;

/// Values of expressions as they were evaluated before.
#[derive(Default)]
pub(crate) struct Remembered {
    /// The numbers of the lists of the expressions of each unit.
    of_units: Vec<Vec<u32>>,
    /// All lists, each once.
    lists: Vec<Values>,
    numbers: HashMap<Values, u32>,
}

impl Remembered {
    /// The number of a list, and the list as it is kept. A list with a text is kept as it is: where a text was written is told by its address.
    fn number(&mut self, values: Values) -> (u32, Values) {
        let number = crate::values::id(self.lists.len());
        if values.iter().any(|value| matches!(value, Value::Text(_))) {
            self.lists.push(Rc::clone(&values));
            return (number, values);
        }
        if let Some(number) = self.numbers.get(&values)
            && let Some(known) = self.lists.get(*number as usize)
        {
            return (*number, Rc::clone(known));
        }
        self.lists.push(Rc::clone(&values));
        self.numbers.insert(Rc::clone(&values), number);
        (number, values)
    }
}

/// The project as evaluation sees it.
pub(crate) struct World<'m> {
    pub(crate) units: Vec<Unit<'m>>,
    pub(crate) paths: &'m Paths<'m>,
    pub(crate) by_path: HashMap<&'m str, u32>,
    /// Units by package or folder.
    pub(crate) packages: HashMap<String, Vec<u32>>,
    pub(crate) classes: BTreeMap<&'m str, Vec<ClassRef>>,
    /// Classes that may be parts of each other.
    same: Same<'m>,
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
    pub(crate) callers: RefCell<HashMap<FunctionRef, Rc<[ExprRef]>>>,
    /// Places that make an instance of a class of the project.
    pub(crate) constructions: RefCell<HashMap<ClassRef, Vec<ExprRef>>>,
    /// Values of expressions as they were evaluated before.
    pub(crate) memo: RefCell<Remembered>,
    pub(crate) active: RefCell<HashSet<ExprRef>>,
    pub(crate) active_params: RefCell<HashSet<(FunctionRef, u32)>>,
    pub(crate) depth: Cell<u32>,
    pub(crate) steps: Cell<u64>,
    pub(crate) steps_max: u64,
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
    pub(crate) retrofit_bases: OnceCell<Vec<crate::retrofit::RetrofitBase>>,
    /// Records of containers by the names of their tokens, once somebody asks.
    pub(crate) providers: OnceCell<HashMap<Box<str>, Vec<ExprRef>>>,
    /// What is put into the contexts of requests, by name, once somebody asks.
    pub(crate) kept: OnceCell<HashMap<Box<str>, Vec<ExprRef>>>,
    /// Whether the member that is asked for just now is a field and no method: PHP lets both have one name.
    pub(crate) as_field: Cell<bool>,
    /// What pages of Python keep for a session, by name.
    pub(crate) in_session: OnceCell<HashMap<Box<str>, Vec<ExprRef>>>,
    /// Values that were asked who stands behind them, for one call.
    pub(crate) asked: Cell<u32>,
    /// The calls from which functions are looked at just now: their parameters stand for what these give.
    pub(crate) seen_from: RefCell<Vec<(FunctionRef, ExprRef)>>,
    /// Whether parameters are left as they are just now.
    pub(crate) left_open: Cell<bool>,
    /// How many parts of the text at hand were looked at.
    pub(crate) text_steps: Cell<u32>,
    /// Where names of models are written that end.
    pub(crate) origins: crate::origins::Origins,
    /// What was asked before.
    pub(crate) known: Known<'m>,
}

/// Where parts of a class can stand: in its file, its folder, or anywhere; nowhere else than in itself in other languages.
fn part_place(language: Language, unit: u32, folder: u32) -> Option<u32> {
    match language {
        Language::Rust => Some(unit),
        Language::Go | Language::Kotlin => Some(folder),
        Language::CSharp => Some(0),
        _ => None,
    }
}

/// The key under which units of one package are found.
pub(crate) fn package_key(language: Language, path: &str, package: Option<&str>) -> Option<String> {
    match language {
        Language::Go => Some(format!("go:{}:{}", folder(path), package.unwrap_or(""))),
        Language::Java | Language::Kotlin => Some(format!("jvm:{}", package.unwrap_or(""))),
        Language::CSharp => Some(format!("cs:{}", package.unwrap_or(""))),
        Language::Php => Some(format!("php:{}", package.unwrap_or(""))),
        Language::Ruby => Some("ruby:".to_owned()),
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
        let mut same: Same<'_> = HashMap::default();
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
                    if let Some(near) = part_place(source.language, at, place.0) {
                        let key = (&**name, source.language as u8, near);
                        let parts = same.entry(key).or_default();
                        // One more than is looked at, as a class is not its own part.
                        if parts.len() <= PARTS_MAX {
                            parts.push(class_ref);
                        }
                    }
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
        let exprs: usize = units.iter().map(|unit| unit.index.module.exprs.len()).sum();
        let steps_max = u64::try_from(exprs)
            .unwrap_or(u64::MAX)
            .saturating_mul(STEPS_OF_EACH)
            .saturating_add(STEPS_MIN)
            .min(STEPS_MAX);
        Self {
            units,
            paths,
            by_path,
            packages,
            classes,
            same,
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
            steps_max,
            exports: RefCell::default(),
            params: RefCell::default(),
            active_exports: RefCell::default(),
            active_classes: RefCell::default(),
            global_usings,
            set_fields: RefCell::default(),
            retrofit_bases: OnceCell::new(),
            providers: OnceCell::new(),
            kept: OnceCell::new(),
            as_field: Cell::new(false),
            in_session: OnceCell::new(),
            asked: Cell::new(0),
            seen_from: RefCell::default(),
            left_open: Cell::new(false),
            text_steps: Cell::new(0),
            origins: crate::origins::Origins::default(),
            known: Known::default(),
        }
    }

    /// Whether a file is a test, or holds tests beside the product's code.
    pub(crate) fn holds_tests(&self, unit: u32) -> bool {
        self.unit(unit).zone == Zone::Test || self.module(unit).language == Language::Rust
    }

    /// Whether a place stands in a test: in a file of tests, or beside the product's code in `#[cfg(test)]` or `#[tokio::test]`.
    pub(crate) fn is_test(&self, at: ExprRef) -> bool {
        self.unit(at.0).zone == Zone::Test
            || self.module(at.0).language == Language::Rust
                && self
                    .index(at.0)
                    .functions_around(at.1)
                    .into_iter()
                    .any(|function| self.is_marked_as_test(FunctionRef(at.0, function)))
    }

    /// Whether a function belongs to tests.
    pub(crate) fn is_of_test(&self, function: FunctionRef) -> bool {
        self.unit(function.0).zone == Zone::Test || self.is_marked_as_test(function)
    }

    fn is_marked_as_test(&self, function: FunctionRef) -> bool {
        let module = self.module(function.0);
        module.language == Language::Rust
            && module.function(function.1).decorators.iter().any(|decorator| {
                let id = match module.expr(*decorator) {
                    Expr::Call { callee, .. } => *callee,
                    _ => *decorator,
                };
                matches!(module.expr(id), Expr::Name(name) | Expr::Member { name, .. }
                    if matches!(&**name, "test" | "cfg_test" | "rstest" | "test_case" | "bench"))
            })
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
    pub(crate) fn remembered(&self, ExprRef(unit, expr): ExprRef) -> Option<Values> {
        let memo = self.memo.borrow();
        let number = *memo.of_units.get(unit as usize)?.get(expr.0 as usize)?;
        memo.lists.get(number as usize).cloned()
    }

    /// Keeps the values of an expression, and gives them as they are kept: the same values of many expressions are one list.
    pub(crate) fn remember(&self, ExprRef(unit, expr): ExprRef, values: Values) -> Values {
        let mut memo = self.memo.borrow_mut();
        if memo.of_units.is_empty() {
            memo.of_units.resize(self.units.len(), Vec::new());
        }
        let (number, values) = memo.number(values);
        if let Some(of_unit) = memo.of_units.get_mut(unit as usize) {
            if of_unit.is_empty() {
                of_unit.resize(self.module(unit).exprs.len(), NONE);
            }
            if let Some(slot) = of_unit.get_mut(expr.0 as usize) {
                *slot = number;
            }
        }
        values
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
        let Some(near) = part_place(unit.language, class.0, self.places[class.0 as usize].0) else {
            return vec![class];
        };
        let mut parts = vec![class];
        for other in self.same.get(&(name, unit.language as u8, near)).into_iter().flatten() {
            if *other != class && parts.len() < PARTS_MAX {
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

    /// Whether a function does nothing itself: `pass`, `...`, a sentence on what it is for, or `raise NotImplementedError`.
    fn is_left_open(&self, function: FunctionRef) -> bool {
        let module = self.module(function.0);
        self.function(function).body.iter().all(|stmt| match &stmt.kind {
            StmtKind::Raise(_) => true,
            StmtKind::Expr(said) => {
                matches!(module.expr(*said), Expr::Str(_) | Expr::Null)
                    || matches!(module.expr(*said), Expr::Other(parts) if parts.is_empty())
            }
            _ => false,
        })
    }

    fn methods_into(&self, class: ClassRef, name: &str, depth: u32, out: &mut Vec<FunctionRef>) {
        let parts = self.class_parts(class);
        for part in &*parts {
            self.methods_named(*part, name, out);
        }
        // What a class of Python leaves to those who extend it is theirs: a method without a body, or one that is abstract.
        let left_open = crate::project::is_python(self.unit(class.0).language)
            && !out.is_empty()
            && out.iter().all(|method| self.is_left_open(*method));
        let interface = self.module(class.0).class(class.1).is_interface;
        if (interface || left_open)
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

    /// Whether a unit has a function of that name.
    pub(crate) fn has_function(&self, unit: u32, name: &str) -> bool {
        let names = self.known.functions.get_or(unit, || {
            let functions = self.module(unit).functions.iter();
            Rc::new(functions.filter_map(|function| function.name.as_deref()).collect())
        });
        names.contains(name)
    }

    /// The first class of that name in a unit.
    pub(crate) fn class_inside(&self, unit: u32, name: &str) -> Option<ClassRef> {
        self.near.get(name)?.units.get(&unit).copied()
    }

    /// Files of the project that a unit imports as a whole, each once, types included.
    pub(crate) fn star_units(&self, unit: u32) -> Rc<[u32]> {
        self.known.star_units.get_or(unit, || {
            let here = self.unit(unit);
            let mut seen: HashSet<u32> = HashSet::default();
            let imports = self.module(unit).imports.iter();
            imports
                .filter(|import| import.star)
                .filter_map(|import| {
                    let path = self.paths.resolve(here.path, here.language, &import.module)?;
                    self.by_path.get(path).copied().filter(|next| *next != unit)
                })
                .filter(|next| seen.insert(*next))
                .collect()
        })
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
    pub(crate) fn callers_of(&self, function: FunctionRef) -> Rc<[ExprRef]> {
        self.callers.borrow().get(&function).cloned().unwrap_or_default()
    }

    /// Whether parameters stand for what all callers give them, and nothing is looked at from one caller just now.
    pub(crate) fn is_plain(&self) -> bool {
        !self.left_open.get() && self.seen_from.borrow().is_empty()
    }

    /// What is known of a question, or is found now. An answer as seen from one caller is not kept.
    pub(crate) fn known_or<K: Eq + Hash, V: Clone>(&self, memo: &Memo<K, V>, key: K, find: impl FnOnce() -> V) -> V {
        if self.is_plain() {
            memo.get_or(key, find)
        } else {
            find()
        }
    }

    /// Notes a file whose facts are not looked for to their end, as they would cost more than one file may.
    pub(crate) fn cut_short(&self, unit: u32) {
        self.known.costly.borrow_mut().insert(unit);
    }

    /// Counts work on the facts of a file, and tells whether it may go on. A file that has none left is noted.
    pub(crate) fn spend(&self, unit: u32, steps: usize) -> bool {
        let mut spent = self.known.spent.borrow_mut();
        let spent = spent.entry(unit).or_default();
        *spent = spent.saturating_add(steps);
        if *spent > FACT_STEPS_MAX {
            self.cut_short(unit);
            return false;
        }
        true
    }

    /// Units of a package that bind a name at their top, in order.
    pub(crate) fn mates_with(&self, key: &str, name: &str) -> Rc<[u32]> {
        let Some(units) = self.packages.get(key) else {
            return Rc::default();
        };
        let mates = self.known.mates.get_or(key.to_owned(), || {
            let mut out: HashMap<&'m str, Vec<u32>> = HashMap::default();
            for unit in units {
                #[expect(clippy::iter_over_hash_type, reason = "the names go into a map")]
                for name in self.index(*unit).scopes[0].names.keys() {
                    out.entry(name).or_default().push(*unit);
                }
            }
            Rc::new(out.into_iter().map(|(name, units)| (name, units.into())).collect())
        });
        mates.get(name).cloned().unwrap_or_default()
    }

    /// What a unit imports as a whole, each once, in order; of modules from outside those in which something is known.
    pub(crate) fn stars(&self, unit: u32) -> Rc<[Star<'m>]> {
        self.known.stars.get_or(unit, || {
            let here = self.unit(unit);
            let mut seen: HashSet<Star<'m>> = HashSet::default();
            let imports = self.module(unit).imports.iter();
            imports
                .filter(|import| import.star && !import.type_only)
                .filter_map(|import| {
                    let target = self.paths.resolve(here.path, here.language, &import.module);
                    match target.and_then(|target| self.by_path.get(target)) {
                        Some(other) if *other != unit => Some(Star::Unit(*other)),
                        _ => {
                            let known = crate::shapes::knows_root(here.language, &import.module)
                                || package_key(here.language, "", Some(&import.module))
                                    .is_some_and(|key| self.packages.contains_key(&key));
                            known.then_some(Star::Module(&import.module))
                        }
                    }
                })
                .filter(|star| seen.insert(*star))
                .collect()
        })
    }

    /// The first import that binds a name in a unit.
    pub(crate) fn local_import(&self, unit: u32, name: &str) -> Option<&'m engine_syntax::ir::Binding> {
        let module = self.module(unit);
        let locals = self.known.locals.get_or(unit, || {
            let mut out: HashMap<&'m str, (u32, u32)> = HashMap::default();
            for (at, import) in (0..).zip(&module.imports) {
                for (which, bound) in (0..).zip(&import.bindings) {
                    out.entry(&bound.local).or_insert((at, which));
                }
            }
            Rc::new(out)
        });
        let (at, which) = locals.get(name)?;
        module.imports.get(*at as usize)?.bindings.get(*which as usize)
    }

    /// Whether a unit imports a module whose name begins so.
    pub(crate) fn imports_begin_with(&self, unit: u32, first: &str) -> bool {
        let imports = self.known.imports.get_or(unit, || {
            let language = self.unit(unit).language;
            let mut out = crate::memo::Imports::default();
            for import in &self.module(unit).imports {
                out.modules.push(&import.module);
                out.heads
                    .extend(crate::shapes::split_module(language, &import.module).next());
            }
            // What is imported in the middle of an expression binds no name: `Promise.all([import("ai"), import("zod")])`.
            out.modules
                .extend(self.module(unit).exprs.iter().filter_map(|expr| match &expr.kind {
                    Expr::Import(module) => Some(&**module),
                    _ => None,
                }));
            out.modules.sort_unstable();
            Rc::new(out)
        });
        imports.begin_with(first)
    }

    fn parts_of(&self, class: ClassRef) -> Rc<Parts<'m>> {
        self.known.parts.get_or(class, || {
            let module = self.module(class.0);
            let node = module.class(class.1);
            let mut out = Parts::default();
            for (at, field) in node.fields.iter().enumerate() {
                out.fields.entry(&*field.name).or_insert(at);
            }
            for method in &node.methods {
                if let Some(name) = module.function(*method).name.as_deref() {
                    out.methods.entry(name).or_default().push(*method);
                }
            }
            Rc::new(out)
        })
    }

    /// The position of the first field of a class with that name.
    pub(crate) fn field_position(&self, class: ClassRef, name: &str) -> Option<usize> {
        let fields = &self.module(class.0).class(class.1).fields;
        if fields.len() <= FEW {
            return fields.iter().position(|field| *field.name == *name);
        }
        self.parts_of(class).fields.get(name).copied()
    }

    /// Adds the methods of a class with that name.
    fn methods_named(&self, class: ClassRef, name: &str, out: &mut Vec<FunctionRef>) {
        let module = self.module(class.0);
        let methods = &module.class(class.1).methods;
        if methods.len() > FEW {
            let parts = self.parts_of(class);
            let named = parts.methods.get(name).into_iter().flatten();
            out.extend(named.map(|method| FunctionRef(class.0, *method)));
            return;
        }
        for method in methods {
            if module.function(*method).name.as_deref() == Some(name) {
                out.push(FunctionRef(class.0, *method));
            }
        }
    }

    /// The keys of a large map.
    pub(crate) fn entries_of(&self, at: ExprRef) -> Option<Rc<Entries<'m>>> {
        let Expr::Map(entries) = self.expr(at) else {
            return None;
        };
        (entries.len() > FEW).then(|| {
            self.known.entries.get_or(at, || {
                let mut out = Entries::default();
                for (position, entry) in entries.iter().enumerate().rev() {
                    match entry.key.map(|key| self.module(at.0).expr(key)) {
                        Some(Expr::Str(text)) => {
                            out.texts.entry(text).or_insert(position);
                        }
                        _ => out.others.push(position),
                    }
                }
                Rc::new(out)
            })
        })
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

    /// The named function around an expression; for a lambda that was registered under a name of its own, the one function that calls it.
    pub(crate) fn named_function_or_caller(&self, at: ExprRef) -> Option<FunctionRef> {
        self.named_function_of(at).or_else(|| {
            let callers = self.callers_of(self.function_of(at)?);
            let outer = self.named_function_of(*callers.first()?)?;
            callers
                .iter()
                .all(|caller| self.named_function_of(*caller) == Some(outer))
                .then_some(outer)
        })
    }

    /// The function that a reader takes for the home of an expression: the nearest with a name, else the outermost lambda.
    pub(crate) fn home_of(&self, at: ExprRef) -> Option<FunctionRef> {
        self.named_function_of(at).or_else(|| {
            self.index(at.0)
                .outermost_function_of(at.1)
                .map(|function| FunctionRef(at.0, function))
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
        (parent != NONE).then_some(ExprRef(at.0, ExprId(parent)))
    }

    /// All functions of a unit.
    pub(crate) fn functions(&self, unit: u32) -> impl Iterator<Item = FunctionRef> + use<> {
        (0..crate::values::id(self.module(unit).functions.len())).map(move |at| FunctionRef(unit, FunctionId(at)))
    }
}
