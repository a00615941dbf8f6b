//! Caches: a result that depends on a file or a function is computed once, not once for each place.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::hash::Hash;
use std::rc::Rc;

use engine_syntax::ir::FunctionId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::identity::Identity;
use crate::values::{ClassRef, ExprRef, FunctionRef, Value};

/// Extension functions by their names.
pub(crate) type Extensions = Rc<FxHashMap<String, Vec<FunctionRef>>>;

/// Answers by what was asked.
#[derive(Debug)]
pub(crate) struct Memo<K, V>(RefCell<FxHashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// The answer, which is worked out when it is asked for the first time.
    pub(crate) fn get_or(&self, key: K, find: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let found = find();
        self.0.borrow_mut().insert(key, found.clone());
        found
    }

    /// An answer that is known.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.0.borrow().get(key).cloned()
    }

    /// Keeps an answer.
    pub(crate) fn put(&self, key: K, value: V) {
        self.0.borrow_mut().insert(key, value);
    }

    /// Forgets an answer.
    pub(crate) fn remove(&self, key: &K) {
        self.0.borrow_mut().remove(key);
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

/// A function, or the top of a unit.
pub(crate) type Home = (u32, Option<FunctionId>);

/// The part of a project that a function is.
pub(crate) fn home(unit: u32, function: Option<FunctionRef>) -> Home {
    function.map_or((unit, None), |function| (function.0, Some(function.1)))
}

/// Calls that are kept for all functions together; beyond, the lists are put together anew.
const CALLS_MAX: usize = 4_000_000;

/// The calls of functions.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    lists: Memo<Home, Rc<[ExprRef]>>,
    kept: Cell<usize>,
}

impl Calls {
    pub(crate) fn get_or(&self, home: Home, find: impl FnOnce() -> Rc<[ExprRef]>) -> Rc<[ExprRef]> {
        if let Some(known) = self.lists.get(&home) {
            return known;
        }
        let found = find();
        if self.kept.get() + found.len() > CALLS_MAX {
            self.lists.clear();
            self.kept.set(0);
        }
        self.kept.set(self.kept.get() + found.len());
        self.lists.put(home, found.clone());
        found
    }
}

/// How a file imports: for questions about the beginning of a path.
#[derive(Debug, Default)]
pub(crate) struct Imports<'m> {
    /// Modules in order, so that one with a beginning is found by halving.
    pub(crate) modules: Vec<&'m str>,
    /// First parts of modules, as the language splits them.
    pub(crate) heads: FxHashSet<&'m str>,
}

impl Imports<'_> {
    /// Whether a module is imported whose name begins so, or has this first part.
    pub(crate) fn begin_with(&self, first: &str) -> bool {
        let at = self.modules.partition_point(|module| *module < first);
        self.modules.get(at).is_some_and(|module| module.starts_with(first)) || self.heads.contains(first)
    }
}

/// An import that brings every name of a module into scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Star<'m> {
    /// A file of the project.
    Unit(u32),
    /// A module from outside, or a package of the project.
    Module(&'m str),
}

/// What one map holds under its keys.
pub(crate) type Spread = Rc<RefCell<FxHashMap<Box<str>, Vec<Value>>>>;

/// Units by a name that they bind at their top.
pub(crate) type Mates<'m> = Rc<FxHashMap<&'m str, Rc<[u32]>>>;

/// The first import of each local name: numbers of the import and of its binding.
pub(crate) type Locals<'m> = Rc<FxHashMap<&'m str, (u32, u32)>>;

/// What methods put into fields, by the name of the field.
pub(crate) type Filled<'m> = Rc<FxHashMap<&'m str, Vec<engine_syntax::ir::ExprId>>>;

/// Values of a unit.
pub(crate) type OfUnit = (u32, Rc<[Value]>);

/// Positions of the first field and of all methods of a class by name.
#[derive(Debug, Default)]
pub(crate) struct Parts<'m> {
    pub(crate) fields: FxHashMap<&'m str, usize>,
    pub(crate) methods: FxHashMap<&'m str, Vec<FunctionId>>,
}

/// The last entry of a map for each key that is a text, by position; and the positions of all others, last first.
#[derive(Debug, Default)]
pub(crate) struct Entries<'m> {
    pub(crate) texts: FxHashMap<&'m str, usize>,
    pub(crate) others: Vec<usize>,
}

/// Names that a condition asks about, each with the function around it.
pub(crate) type AskedBy<'m> = FxHashSet<(Option<FunctionId>, &'m str)>;

/// Answers of a project.
#[derive(Debug, Default)]
pub(crate) struct Known<'m> {
    pub(crate) calls: Calls,
    /// How often resolution did not follow something, as it was following it already or stood too deep.
    pub(crate) cuts: Cell<u64>,
    /// Lists and maps that were looked into for one call.
    pub(crate) carried: Cell<u32>,
    /// What a run of bindings gives, by the place of their list.
    pub(crate) blocks: Memo<usize, Rc<[Value]>>,
    /// Positions of bindings in a class that its methods make, last first, by the place of their list.
    pub(crate) assigned: Memo<usize, Rc<[usize]>>,
    /// What functions of a module give to one of its names, by unit and name.
    pub(crate) elsewhere: Memo<(u32, &'m str), Rc<[Value]>>,
    /// Names that a file imports from itself, as long as they are followed.
    pub(crate) selves: RefCell<FxHashSet<(u32, Box<str>)>>,
    /// Literals that are arguments of a call, by position.
    pub(crate) handed_on: Memo<(ExprRef, usize), Option<Value>>,
    /// What maps hold under a key into which other maps are spread, by map.
    pub(crate) spread: Memo<ExprRef, Spread>,
    /// The functions of the project that a call runs, once all callers are known.
    pub(crate) callees: Memo<ExprRef, Rc<[FunctionRef]>>,
    pub(crate) is_linked: Cell<bool>,
    /// Extension functions by their names.
    pub(crate) extensions: RefCell<Option<Extensions>>,
    /// Files that cost more than one file may.
    pub(crate) costly: RefCell<BTreeSet<u32>>,
    /// Steps that the facts of a file took so far.
    pub(crate) spent: RefCell<FxHashMap<u32, usize>>,
    /// Names that the units of a package bind.
    pub(crate) mates: Memo<String, Mates<'m>>,
    /// Imports of everything, by unit.
    pub(crate) stars: Memo<u32, Rc<[Star<'m>]>>,
    /// Files of the project among them, types included, by unit.
    pub(crate) star_units: Memo<u32, Rc<[u32]>>,
    /// Imports by local name, by unit.
    pub(crate) locals: Memo<u32, Locals<'m>>,
    /// What a module hands out by name, by unit: positions.
    pub(crate) exports: Memo<u32, Rc<FxHashMap<&'m str, Vec<usize>>>>,
    /// Fields and methods of large classes.
    pub(crate) parts: Memo<ClassRef, Rc<Parts<'m>>>,
    /// Keys of large maps.
    pub(crate) entries: Memo<ExprRef, Rc<Entries<'m>>>,
    /// What methods put into fields that hold collections, by unit and name of the field.
    pub(crate) filled: Memo<u32, Filled<'m>>,
    /// Imports by unit.
    pub(crate) imports: Memo<u32, Rc<Imports<'m>>>,
    /// Values of typed clients by unit, for each field that is set on them.
    pub(crate) typed_clients: Memo<String, Rc<[OfUnit]>>,
    /// Who answers at the addresses of a file, and where a method of an interface declares.
    pub(crate) addressed: Memo<u32, Option<Identity>>,
    pub(crate) declared: Memo<FunctionRef, Option<Identity>>,
    /// Who stands behind a value, by depth and unit.
    pub(crate) identities: Memo<(Value, u32, u32), Identity>,
    /// Whether a registration of C# names a provider, and the model that it names, by library.
    pub(crate) registered_provider: Memo<(String, bool), Option<String>>,
    pub(crate) registered_model: Memo<(String, bool), Option<String>>,
    /// Interfaces that a library is asked to implement by asking a model, by name.
    pub(crate) made_services: Memo<(), Rc<BTreeSet<String>>>,
    /// What constants of Ruby mean, by unit, class around and name.
    pub(crate) constants: Memo<crate::resolve::ruby::Named, Rc<[Value]>>,
    /// What is put into handles of curl, by unit.
    pub(crate) handles: Memo<u32, Rc<crate::resolve::php::Handles<'m>>>,
    /// Names of which a condition asks how a request went, with the function around it, by unit.
    pub(crate) asked_how: Memo<u32, Rc<AskedBy<'m>>>,
    /// What methods of PHP put into lists that fields hold, by unit, class and field.
    pub(crate) put_in_fields: Memo<u32, Rc<crate::facts::php::PutInFields<'m>>>,
    /// Whether a file is run from the command line, by unit.
    pub(crate) by_hand: Memo<u32, bool>,
    /// Names of functions by unit.
    pub(crate) functions: Memo<u32, Rc<FxHashSet<&'m str>>>,
    /// Whether a file brings in a library of models or asks something to predict.
    pub(crate) predicts: Memo<u32, bool>,
    /// Whether a file loads weights or switches a network to its use.
    pub(crate) evaluates: Memo<u32, bool>,
    /// The only provider that the imports of a file name.
    pub(crate) imported_provider: Memo<u32, Option<String>>,
    /// The only file of a model that a function names.
    pub(crate) files_named: Memo<FunctionRef, Option<String>>,
    /// The parameter that a function of the project runs with the rest of what it is handed.
    pub(crate) runs: Memo<FunctionRef, Option<u32>>,
    /// Whether some of its callers hand it what a library asks with.
    pub(crate) runs_for: Memo<FunctionRef, bool>,
    /// Whether a function of the project calls what has this symbol.
    pub(crate) wraps: Memo<(FunctionRef, String), bool>,
    /// Whether a text of a file holds the name of a header.
    pub(crate) headers: Memo<(u32, String), bool>,
    /// The provider that the steps beside a client name, by function and library.
    pub(crate) step_provider: Memo<(Home, usize), Option<String>>,
    /// Whether a call writes to a log.
    pub(crate) logged: Memo<ExprRef, bool>,
    /// Whether a call inside of a function, or of the top of a unit, writes to a log.
    pub(crate) logs: Memo<Home, bool>,
}
