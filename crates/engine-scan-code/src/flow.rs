//! Where data comes from: backwards from an expression, within functions and over direct calls.

mod leaves;
mod out_parameters;
mod parts;
pub(crate) mod states;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use engine_syntax::ir::{ClassId, Expr, ExprId, Pattern};
use rustc_hash::FxHashMap;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::index::{BindSource, Binding, NONE, ScopeKind};
use crate::memo::Memo;
use crate::project::is_script;
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

/// Chains of data flow are followed no further.
const DEPTH_MAX: u32 = 48;

/// What was cut short that deep is looked for again where it is asked for from a place this much nearer to the beginning of a chain.
const NEARER: u32 = 12;

/// Ways in which one name gets its value that are looked at by themselves: a name that is set again and again would otherwise
/// be asked for all of them at each place where it stands.
const FEW: usize = 64;

/// Values that are put into one variable and are looked at.
const MUTATIONS_MAX: usize = 24;

/// Indexes of calls whose answers flow into something, in order. Most expressions of a chain share one list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers(Option<Rc<[usize]>>);

impl Answers {
    fn slice(&self) -> &[usize] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether the answer of a call is among them.
    pub(crate) fn contains(&self, which: usize) -> bool {
        self.slice().binary_search(&which).is_ok()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.slice().iter().copied()
    }

    fn insert(&mut self, which: usize) {
        self.add(&Self(Some(Rc::from([which]))));
    }

    /// Joins two sets; where one holds the other it is shared.
    pub(crate) fn add(&mut self, other: &Self) {
        let (Some(own), Some(new)) = (&self.0, &other.0) else {
            if self.0.is_none() {
                self.0.clone_from(&other.0);
            }
            return;
        };
        if Rc::ptr_eq(own, new) {
            return;
        }
        let holds = |all: &[usize], some: &[usize]| {
            let mut rest = all.iter();
            some.len() <= all.len() && some.iter().all(|one| rest.any(|other| other == one))
        };
        if holds(own, new) {
            return;
        }
        if holds(new, own) {
            self.0.clone_from(&other.0);
            return;
        }
        let mut joined: Vec<usize> = own.iter().chain(new.iter()).copied().collect();
        joined.sort_unstable();
        joined.dedup();
        self.0 = Some(joined.into());
    }
}

impl FromIterator<usize> for Answers {
    fn from_iter<T: IntoIterator<Item = usize>>(all: T) -> Self {
        let mut all: Vec<usize> = all.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        Self((!all.is_empty()).then(|| all.into()))
    }
}

/// What an expression is made of.
#[expect(clippy::struct_excessive_bools, reason = "a set of sources, each there or not")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins {
    /// Indexes of calls whose answers flow in.
    pub(crate) answers: Answers,
    pub(crate) user: bool,
    pub(crate) file: bool,
    pub(crate) database: bool,
    pub(crate) constant: bool,
    pub(crate) unknown: bool,
}

/// Sets of sources.
const SOURCES: usize = 32;

impl Origins {
    /// The number of the set of sources, where no answer flows in.
    fn sources(&self) -> Option<usize> {
        let sources = [self.user, self.file, self.database, self.constant, self.unknown];
        let number = || sources.iter().fold(0, |number, there| number * 2 + usize::from(*there));
        self.answers.is_empty().then(number)
    }

    /// Whether all of it is known to stand in the code.
    fn is_constant(&self) -> bool {
        self.constant && !(self.user || self.file || self.database || self.unknown) && self.answers.is_empty()
    }

    /// Whether nothing is known of where it comes from.
    fn is_unknown(&self) -> bool {
        !(self.user || self.file || self.database || self.constant) && self.answers.is_empty()
    }

    /// Adds a part with its name: whether a setting is known tells nothing of what is said.
    fn add_as(&mut self, name: Option<&str>, part: &Self) {
        let unknown = self.unknown;
        self.add(part);
        if part.unknown && !unknown && name.is_some_and(leaves::is_setting) {
            self.unknown = unknown;
        }
    }

    fn add(&mut self, other: &Self) {
        self.answers.add(&other.answers);
        self.user |= other.user;
        self.file |= other.file;
        self.database |= other.database;
        self.constant |= other.constant;
        self.unknown |= other.unknown;
    }
}

/// An expression, looked at for one call of the function around it or for all of them.
type Place = (Option<FunctionRef>, ExprRef);

/// A list of bindings, by where it lies in memory and the way in which it is looked at, for one call or for all.
type List = (Option<FunctionRef>, usize, u8);

/// A result, and how deep in a chain it was found where it lacks what lies deeper still; 0 where it is whole.
type Kept = (Rc<Origins>, u32);

/// What a frame keeps of the time before it: on which frame was leant, and whether something was cut short.
type Before = (u32, bool);

/// The backward view over a project.
pub(crate) struct Flow<'w, 'm> {
    pub(crate) world: &'w World<'m>,
    /// Places whose result is the answer of a model.
    pub(crate) answers: HashMap<ExprRef, usize>,
    /// Calls that hand to a call what it is sent, where its own arguments do not.
    said: HashMap<ExprRef, Vec<ExprRef>>,
    /// Functions whose parameters a person fills.
    pub(crate) handlers: HashSet<FunctionRef>,
    /// The function whose result is being looked at for one call: what that call hands in is looked at beside it, and what others hand in
    /// has no part in it.
    within: Cell<Option<FunctionRef>>,
    memo: Memo<Place, Kept>,
    setters: Memo<u32, states::Setters<'m>>,
    /// Origins without an answer, by their sources.
    shared: [OnceCell<Rc<Origins>>; SOURCES],
    params: Memo<(FunctionRef, u32), Kept>,
    /// What is being looked at, with its frame.
    active: RefCell<FxHashMap<Place, u32>>,
    active_params: RefCell<FxHashMap<(FunctionRef, u32), u32>>,
    depth: Cell<u32>,
    /// Frames of the search, from 1.
    frame: Cell<u32>,
    /// The outermost frame on which what was found since leans, as that was being looked at itself.
    leans: Cell<u32>,
    /// Whether what was found since lacks what lies too deep.
    cut: Cell<bool>,
    /// Results that lean on one and were not kept.
    dropped: Cell<u32>,
    /// Bindings that were looked at, and how many may be until results are kept as they are.
    looked: Cell<usize>,
    looked_max: usize,
    /// What long lists of bindings give together, by their place and the way in which they are looked at; and those that are
    /// being looked at, with their frames.
    lists: Memo<List, Kept>,
    active_lists: Memo<List, u32>,
    arguments: Memo<ExprRef, Rc<Origins>>,
    /// Whether all bindings of a list import modules, and whether one of them is the answer of a model.
    modules: Memo<usize, bool>,
    whole: Memo<usize, bool>,
}

/// Functions that one call may stand for, as by an interface.
const CALLEES_MAX: usize = 8;

/// Nothing leans on any frame.
const FREE: u32 = u32::MAX;

/// Results that may be looked for again since they were found inside of a circle; from then on they are kept as they are.
const DROPPED_MAX: u32 = 60_000;

/// Bindings that may be looked at while circles are walked again: as many for any project, and some for each of its expressions.
const LOOKED_MIN: usize = 300_000;
const LOOKED_TIMES: usize = 2;

impl<'w, 'm> Flow<'w, 'm> {
    pub(crate) fn new(world: &'w World<'m>, answers: HashMap<ExprRef, usize>, handlers: HashSet<FunctionRef>) -> Self {
        Self {
            world,
            answers,
            said: HashMap::default(),
            handlers,
            within: Cell::new(None),
            memo: Memo::default(),
            setters: Memo::default(),
            shared: std::array::from_fn(|_| OnceCell::new()),
            params: Memo::default(),
            active: RefCell::default(),
            active_params: RefCell::default(),
            depth: Cell::new(0),
            frame: Cell::new(0),
            leans: Cell::new(FREE),
            cut: Cell::new(false),
            dropped: Cell::new(0),
            looked: Cell::new(0),
            looked_max: LOOKED_MIN
                + LOOKED_TIMES
                    * world
                        .units
                        .iter()
                        .map(|unit| unit.index.module.exprs.len())
                        .sum::<usize>(),
            lists: Memo::default(),
            active_lists: Memo::default(),
            arguments: Memo::default(),
            modules: Memo::default(),
            whole: Memo::default(),
        }
    }

    /// Adds the calls that hand to others what these are sent.
    pub(crate) fn with_said(mut self, said: HashMap<ExprRef, Vec<ExprRef>>) -> Self {
        self.said = said;
        self
    }

    /// What an expression is made of.
    ///
    /// A circle ends where it closes. What was found inside of one lacks what lies behind that place, and is not kept.
    pub(crate) fn origins(&self, at: ExprRef) -> Rc<Origins> {
        if matches!(self.world.expr(at), Expr::Str(_) | Expr::Number(_) | Expr::Bool(_)) {
            return self.same(Origins {
                constant: true,
                ..Origins::default()
            });
        }
        // What stands outside of a function is the same for all of its calls.
        let around = self.within.get();
        let own = around.filter(|function| function.0 == at.0 && self.world.index(at.0).within(at.1, function.1));
        self.within.set(own);
        let out = self.origins_within((own, at));
        self.within.set(around);
        out
    }

    fn origins_within(&self, at: Place) -> Rc<Origins> {
        if let Some(known) = self.memo.get(&at).and_then(|kept| self.as_good(kept)) {
            return known;
        }
        if self.depth.get() >= DEPTH_MAX {
            self.cut.set(true);
            return self.same(Origins {
                unknown: true,
                ..Origins::default()
            });
        }
        if let Some(frame) = self.active.borrow().get(&at) {
            self.leans.set(self.leans.get().min(*frame));
            return self.same(Origins::default());
        }
        let (frame, before) = self.enter();
        self.active.borrow_mut().insert(at, frame);
        self.depth.set(self.depth.get() + 1);
        let out = self.same(self.origins_now(at.1));
        self.depth.set(self.depth.get() - 1);
        self.active.borrow_mut().remove(&at);
        if let Some(deep) = self.leave(frame, before) {
            self.memo.put(at, (out.clone(), deep));
        }
        out
    }

    /// A result that was kept, unless it was found so much deeper in a chain that more can be found from here.
    fn as_good(&self, (known, deep): Kept) -> Option<Rc<Origins>> {
        if deep == 0 {
            return Some(known);
        }
        let nearer = self.depth.get() + NEARER <= deep;
        if nearer && !self.is_spent() {
            return None;
        }
        self.cut.set(true);
        Some(known)
    }

    /// Origins as they are shared: most expressions are made of the same few sources and of no answer.
    fn same(&self, origins: Origins) -> Rc<Origins> {
        match origins.sources() {
            Some(which) => {
                let shared = self.shared[which].get_or_init(|| Rc::new(origins));
                Rc::clone(shared)
            }
            None => Rc::new(origins),
        }
    }

    /// Begins a frame; gives its number, and what was known before.
    fn enter(&self) -> (u32, Before) {
        let frame = self.frame.get() + 1;
        self.frame.set(frame);
        (frame, (self.leans.replace(FREE), self.cut.replace(false)))
    }

    /// Ends a frame; tells whether what was found in it is to be kept, and as how deep a result.
    fn leave(&self, frame: u32, (leant, was_cut): Before) -> Option<u32> {
        self.frame.set(frame - 1);
        let deep = if self.cut.get() { self.depth.get() } else { 0 };
        self.cut.set(was_cut || self.cut.get());
        let own = self.leans.get();
        if own >= frame {
            self.leans.set(leant);
            return Some(deep);
        }
        self.leans.set(leant.min(own));
        self.dropped.set(self.dropped.get().saturating_add(1));
        self.is_spent().then_some(deep)
    }

    /// Whether so much was looked for again that results are kept as they are.
    fn is_spent(&self) -> bool {
        self.dropped.get() > DROPPED_MAX || self.looked.get() > self.looked_max
    }

    /// What bindings give together. `way` tells apart the ways in which a list is looked at.
    ///
    /// A long list is looked through once at a time: within it, the same list closes a circle.
    fn bound(&self, bindings: &[Binding<'m>], way: u8, out: &mut Origins, each: impl Fn(&Binding<'m>, &mut Origins)) {
        self.looked.set(self.looked.get() + bindings.len());
        if bindings.len() <= FEW {
            for binding in bindings {
                each(binding, out);
            }
            return;
        }
        let key = (self.within.get(), bindings.as_ptr().addr(), way);
        if let Some(known) = self.lists.get(&key).and_then(|kept| self.as_good(kept)) {
            out.add(&known);
            return;
        }
        if let Some(frame) = self.active_lists.get(&key) {
            self.leans.set(self.leans.get().min(frame));
            return;
        }
        let (frame, before) = self.enter();
        self.active_lists.put(key, frame);
        let mut joined = Origins::default();
        for binding in bindings {
            each(binding, &mut joined);
        }
        self.active_lists.remove(&key);
        out.add(&joined);
        if let Some(deep) = self.leave(frame, before) {
            self.lists.put(key, (Rc::new(joined), deep));
        }
    }

    fn origins_now(&self, at: ExprRef) -> Origins {
        let mut out = Origins::default();
        if let Some(answer) = self.answers.get(&at) {
            out.answers.insert(*answer);
            return out;
        }
        let ExprRef(unit, id) = at;
        match self.world.expr(at) {
            Expr::Str(_) | Expr::Number(_) | Expr::Bool(_) => out.constant = true,
            Expr::Null | Expr::Import(_) | Expr::Class(_) => {}
            Expr::Name(name) => out = self.name(at, name, None),
            Expr::Member { object, name } => {
                let asked = matches!(
                    &**name,
                    "parameters" | "queryParameters" | "rawQueryParameters" | "pathParameters"
                );
                // What stands in a field of a form when something happens to it: `event.target.value`.
                if matches!(&**name, "value" | "files" | "checked") && self.is_field_of_a_form(ExprRef(unit, *object)) {
                    out.user = true;
                    return out;
                }
                if matches!(&**name, "argv" | "Args" | "stdin")
                    || asked
                        && self.world.unit(unit).language == engine_model::Language::Kotlin
                        && crate::index::base_name(self.world.module(unit), *object) == Some("call")
                {
                    out.user = true;
                }
                let object = ExprRef(unit, *object);
                if let Expr::Name(base) = self.world.expr(object)
                    && self.is_receiver(object, base)
                {
                    out.add(&self.field(at, object, name));
                } else {
                    match self.of_field(object, name) {
                        Some(own) => out.add(&own),
                        None => out.add(&self.origins(object)),
                    }
                    // What stands in a library or in nothing that is known is told by the member alone.
                    let nothing = Origins::default();
                    let free = Origins {
                        unknown: true,
                        ..Origins::default()
                    };
                    if out == nothing || out == free {
                        let of_type = self.is_library(object);
                        if of_type || out == nothing {
                            out.unknown = false;
                            self.free_member(at, name, of_type, &mut out);
                        }
                    }
                    // What a page keeps for the session of its reader was put there somewhere.
                    for value in self.world.put_into_session(object, name) {
                        out.add(&self.origins(value));
                    }
                }
            }
            Expr::Call { callee, args, new } => {
                if args.is_empty() && leaves::is_frame(self.world, unit, *callee) {
                    return out;
                }
                // What markup fills: `const question = ref("")`.
                if self.is_filled_by_markup(at) {
                    out.unknown = true;
                    return out;
                }
                let callee = ExprRef(unit, *callee);
                match source_kind(self.world, callee) {
                    Some(SourceKind::User) => out.user = true,
                    Some(SourceKind::File) => out.file = true,
                    Some(SourceKind::Database) => out.database = true,
                    Some(SourceKind::Environment) => out.constant = true,
                    None => {
                        let functions = self.world.callees(at);
                        let around = self.within.get();
                        for function in functions.iter().take(CALLEES_MAX) {
                            // A function that was handed its arguments elsewhere (`partial(f, x)()`) is looked at for all of its calls.
                            let handed = !args.is_empty() || self.world.function(*function).params.is_empty();
                            self.within.set(handed.then_some(*function));
                            for value in &self.world.index(function.0).returns[function.1.0 as usize] {
                                out.add(&self.origins(ExprRef(function.0, *value)));
                            }
                            for value in &self.world.index(function.0).yields[function.1.0 as usize] {
                                out.add(&self.origins(ExprRef(function.0, *value)));
                            }
                        }
                        self.within.set(around);
                        let mut of_library = true;
                        // A method that only reads a field gives a part of its object: `request.getMessage()`.
                        if !functions.is_empty()
                            && args.is_empty()
                            && out.is_unknown()
                            && let Expr::Member { object, .. } = self.world.expr(callee)
                        {
                            let owner = self.origins(ExprRef(unit, *object));
                            if !owner.is_unknown() {
                                out = (*owner).clone();
                            }
                        }
                        if functions.is_empty() {
                            if let Expr::Member { object, .. } = self.world.expr(callee) {
                                let object = ExprRef(unit, *object);
                                let mut owner = (*self.origins(object)).clone();
                                of_library = self.is_library(object);
                                // A library gives what it is handed, and a method what its object holds.
                                if of_library {
                                    owner.unknown = false;
                                    owner.constant = false;
                                }
                                out.add(&owner);
                            } else if !matches!(self.world.expr(callee), Expr::Name(_)) {
                                out.add(&self.origins(callee));
                            }
                        }
                        for arg in args {
                            let part = self.origins(ExprRef(unit, arg.value));
                            out.add_as(self.named(unit, arg, args.len()), &part);
                        }
                        if functions.is_empty() && self.brings(callee, of_library, *new, args.is_empty(), &out) {
                            out.unknown = true;
                        }
                    }
                }
            }
            Expr::Map(entries) => {
                for entry in entries {
                    let key = entry.key.map(|key| ExprRef(unit, key));
                    if let Some(key) = key {
                        out.add(&self.origins(key));
                    }
                    let name = key.and_then(|key| match self.world.expr(key) {
                        Expr::Str(name) => Some(&**name),
                        _ => None,
                    });
                    out.add_as(name, &self.origins(ExprRef(unit, entry.value)));
                }
            }
            Expr::Function(function) => {
                let function = FunctionRef(unit, *function);
                for value in &self.world.index(unit).returns[function.1.0 as usize] {
                    out.add(&self.origins(ExprRef(unit, *value)));
                }
                for value in written(self.world, function) {
                    out.add(&self.origins(value));
                }
            }
            Expr::Block(_) => {
                for value in self.world.index(unit).values_of_block(id) {
                    out.add(&self.origins(ExprRef(unit, *value)));
                }
            }
            _ => {
                for child in self.world.module(unit).children(id) {
                    out.add(&self.origins(ExprRef(unit, child)));
                }
            }
        }
        out
    }

    fn name(&self, place: ExprRef, name: &str, field: Option<&str>) -> Origins {
        let mut out = Origins::default();
        let unit = place.0;
        let index = self.world.index(unit);
        let mut at = index.expr_scope[place.1.0 as usize];
        while at != NONE {
            let here = &index.scopes[at as usize];
            if let Some(bindings) = here.names.get(name) {
                self.bound(bindings, 0, &mut out, |binding, out| {
                    self.of_binding(place, name, binding, out);
                });
                // A module is no collection: `cv2.rectangle(frame)` puts nothing into `cv2`.
                let module = || {
                    self.modules.get_or(bindings.as_ptr().addr(), || {
                        bindings.iter().all(|binding| match binding.source {
                            BindSource::Import(import, which) => index
                                .module
                                .imports
                                .get(import as usize)
                                .and_then(|import| import.bindings.get(which as usize))
                                .is_some_and(|binding| binding.item.is_none()),
                            _ => false,
                        })
                    })
                };
                if let Some(values) = index.mutations.get(&(at, name)).filter(|_| !module()) {
                    for value in values.iter().take(MUTATIONS_MAX) {
                        let put = index.put_into.get(value);
                        if field.is_none() || put.is_none_or(|put| Some(*put) == field) {
                            out.add(&self.origins(ExprRef(unit, *value)));
                        }
                    }
                }
                self.filled(unit, at, name, 0, &mut out);
                if let ScopeKind::Class(class) = here.kind {
                    if let Some(own) = index.fields.get(&(class, name)) {
                        self.assigned(unit, own, &mut out);
                    }
                    self.put_in(unit, class, name, &mut out);
                    if out == Origins::default() && Self::is_unfilled(bindings) {
                        self.free(place, name, &mut out);
                    }
                }
                if out.is_constant() && self.is_empty_text(unit, bindings) {
                    out.constant = false;
                    out.unknown = true;
                }
                return out;
            }
            if let ScopeKind::Class(class) = here.kind
                && let Some(bindings) = index.fields.get(&(class, name))
            {
                self.assigned(unit, bindings, &mut out);
                self.put_in(unit, class, name, &mut out);
                return out;
            }
            at = here.parent;
        }
        if matches!(name, "request" | "req")
            || name.starts_with('$')
            || crate::facts::php::is_from_users(self.world, unit, name)
        {
            out.user = true;
        } else if crate::facts::php::is_open_variable(self.world, unit, name) {
            out.unknown = true;
        } else {
            self.free(place, name, &mut out);
        }
        out
    }

    /// What methods assign to a field of their object.
    fn assigned(&self, unit: u32, bindings: &[Binding<'m>], out: &mut Origins) {
        self.bound(bindings, 2, out, |binding, out| match binding.source {
            BindSource::Value(value) | BindSource::Each(value) => {
                out.add(&self.origins(ExprRef(unit, value)));
            }
            BindSource::Param(function, position) => {
                out.add(&self.param(FunctionRef(unit, function), position));
            }
            _ => {}
        });
    }

    /// What methods put into a field of their object.
    fn put_in(&self, unit: u32, class: ClassId, name: &str, out: &mut Origins) {
        let put = self.world.index(unit).put_in_fields.get(&(class, name));
        for value in put.into_iter().flatten().take(MUTATIONS_MAX) {
            out.add(&self.origins(ExprRef(unit, *value)));
        }
    }

    fn field(&self, at: ExprRef, receiver: ExprRef, name: &str) -> Origins {
        let mut out = Origins::default();
        if crate::facts::php::is_bound_to_a_page(self.world, receiver) {
            out.user = true;
        }
        for value in crate::facts::php::put_into_field(self.world, receiver, name) {
            out.add(&self.origins(value));
        }
        let index = self.world.index(receiver.0);
        let scope = index.expr_scope[receiver.1.0 as usize];
        let mut filled = false;
        if let Some(class) = index.class_of_scope(scope) {
            if let Some(bindings) = index.fields.get(&(class, name)) {
                filled = true;
                self.assigned(receiver.0, bindings, &mut out);
            }
            self.put_in(receiver.0, class, name, &mut out);
            let assigned = index
                .fields
                .get(&(class, name))
                .is_none_or(|bindings| self.is_empty_text(receiver.0, bindings));
            let own = index.scopes.get(index.class_scope[class.0 as usize] as usize);
            if let Some(bindings) = own.and_then(|own| own.names.get(name)) {
                filled |= !Self::is_unfilled(bindings);
                self.bound(bindings, 0, &mut out, |binding, out| {
                    self.of_binding(at, name, binding, out);
                });
                if assigned && out.is_constant() && self.is_empty_text(receiver.0, bindings) {
                    out.constant = false;
                    out.unknown = true;
                }
            }
        }
        if out == Origins::default() && !filled {
            self.free_member(at, name, false, &mut out);
        }
        out
    }

    /// What one binding of a name gives.
    fn of_binding(&self, at: ExprRef, name: &str, binding: &Binding<'m>, out: &mut Origins) {
        let unit = at.0;
        // The second result of a Go function is its error.
        let go = self.world.unit(unit).language == engine_model::Language::Go;
        if go && matches!(binding.steps.first(), Some(crate::index::Step::Position(position)) if *position > 0) {
            return;
        }
        match binding.source {
            BindSource::Value(value) | BindSource::Each(value) => {
                let value = ExprRef(unit, value);
                let each = matches!(binding.source, BindSource::Each(_));
                let part = match binding.steps.first() {
                    // A wrapper that several addresses are asked through stands for the answer where it is called, and not for what it gives back.
                    Some(_) if go && self.answers.contains_key(&value) => None,
                    Some(crate::index::Step::Position(position)) => self.part(value, *position, each),
                    _ => None,
                };
                match part {
                    Some(part) => out.add(&part),
                    None => out.add(&self.origins(value)),
                }
                self.of_state(value, binding, out);
            }
            BindSource::Param(function, position) => {
                out.add(&self.param(FunctionRef(unit, function), position));
            }
            BindSource::Import(..) => {
                for value in self.world.binding(unit, binding) {
                    match &value {
                        Value::Text(_) | Value::Literal(_) | Value::Number(_) => out.constant = true,
                        Value::Path(path) if path.last_name() == Some("request") => out.user = true,
                        Value::Path(_) => self.free(at, name, out),
                        _ => {}
                    }
                }
            }
            BindSource::Function(_) | BindSource::Class(_) | BindSource::Nothing => {}
        }
    }

    fn param(&self, function: FunctionRef, position: u32) -> Rc<Origins> {
        let around = self.within.get();
        if around == Some(function) {
            return self.same(Origins {
                user: self.handlers.contains(&function),
                ..Origins::default()
            });
        }
        self.within.set(None);
        let out = self.param_of_all(function, position);
        self.within.set(around);
        out
    }

    fn param_of_all(&self, function: FunctionRef, position: u32) -> Rc<Origins> {
        let mut out = Origins::default();
        if let Some(known) = self
            .params
            .get(&(function, position))
            .and_then(|kept| self.as_good(kept))
        {
            return known;
        }
        if let Some(frame) = self.active_params.borrow().get(&(function, position)) {
            self.leans.set(self.leans.get().min(*frame));
            return Rc::default();
        }
        if self.active_params.borrow().len() > 6 {
            self.cut.set(true);
            out.unknown = true;
            return Rc::new(out);
        }
        let (depth, before) = self.enter();
        self.active_params.borrow_mut().insert((function, position), depth);
        let world = self.world;
        let param = &world.function(function).params[position as usize];
        let injected = param
            .default
            .is_some_and(|default| matches!(world.module(function.0).expr(default), Expr::Call { .. }));
        // A service that a framework hands in was sent by nobody.
        let service = world.unit(function.0).language == engine_model::Language::Php
            && param.annotation.as_ref().is_some_and(|of| {
                of.name.starts_with(char::is_uppercase) && !of.name.ends_with("Request") && !of.name.ends_with("Input")
            });
        let frame = leaves::carries_nothing(param.annotation.as_ref());
        if self.handlers.contains(&function) && !injected && !service && !frame {
            out.user = true;
        }
        let callers = world.callers_of(function);
        for caller in callers.iter().take(16) {
            if let Some(arg) = world.argument_for(function, position, *caller) {
                out.add(&self.origins(arg));
            }
        }
        // What is handed to the request itself is given the reply: `client.newCall(request).enqueue(object : Callback { … })`.
        if let Some(place) = self.inline(function) {
            self.handed(ExprRef(function.0, place), &mut out);
        }
        if out == Origins::default() && callers.is_empty() && !frame {
            out.unknown = true;
        }
        self.active_params.borrow_mut().remove(&(function, position));
        let out = Rc::new(out);
        if let Some(deep) = self.leave(depth, before) {
            self.params.put((function, position), (out.clone(), deep));
        }
        out
    }

    /// Where a function stands among the arguments of a call: by itself, or in an object that is made for it.
    fn inline(&self, function: FunctionRef) -> Option<ExprId> {
        let index = self.world.index(function.0);
        index.function_expr[function.1.0 as usize].or_else(|| {
            let class = self.world.function(function).class?;
            if index.module.class(class).name.is_some() {
                return None;
            }
            let at = index
                .module
                .exprs
                .iter()
                .position(|expr| matches!(&expr.kind, Expr::Class(inline) if *inline == class))?;
            Some(ExprId(crate::values::id(at)))
        })
    }

    /// What a function is given that is handed to a call: the answer, where that call asks for it, else what the method is called on.
    fn handed(&self, place: ExprRef, out: &mut Origins) {
        let world = self.world;
        let mut at = crate::facts::ruby::request_heard_by(world, place).unwrap_or(place);
        // An object is made before it is handed on.
        for _ in 0..3 {
            let Some(call) = world.parent(at) else { return };
            if let Some(answer) = self.answers.get(&call) {
                out.answers.insert(*answer);
                return;
            }
            // Ruby puts what is done with a part of an answer among the parameters of a request.
            if matches!(world.expr(call), Expr::Map(_)) && crate::facts::ruby::is_ruby(world, call.0) {
                at = call;
                continue;
            }
            let Expr::Call { callee, new, .. } = world.expr(call) else {
                return;
            };
            if !*new {
                if let Expr::Member { object, name } = world.expr(ExprRef(call.0, *callee))
                    && !matches!(
                        &**name,
                        "catch" | "get" | "post" | "put" | "patch" | "delete" | "all" | "use" | "on"
                    )
                {
                    out.add(&self.origins(ExprRef(call.0, *object)));
                }
                return;
            }
            at = call;
        }
    }

    /// Whether a name stands for the answer of a model as a whole.
    pub(crate) fn is_whole_answer(&self, at: ExprRef) -> bool {
        let Expr::Name(name) = self.world.expr(at) else {
            return false;
        };
        let index = self.world.index(at.0);
        let mut scope = index.expr_scope[at.1.0 as usize];
        while scope != NONE {
            if let Some(bindings) = index.scopes[scope as usize].names.get(&**name) {
                return self.whole.get_or(bindings.as_ptr().addr(), || {
                    bindings.iter().any(|binding| match binding.source {
                        BindSource::Value(mut value) => {
                            while let Expr::Await(inner) | Expr::Propagate(inner) = index.module.expr(value) {
                                value = *inner;
                            }
                            self.answers.contains_key(&ExprRef(at.0, value))
                        }
                        _ => false,
                    })
                });
            }
            scope = index.scopes[scope as usize].parent;
        }
        false
    }

    /// What the arguments of a call are made of.
    pub(crate) fn of_arguments(&self, at: ExprRef) -> Rc<Origins> {
        self.arguments.get_or(at, || Rc::new(self.of_arguments_now(at)))
    }

    fn of_arguments_now(&self, at: ExprRef) -> Origins {
        let mut out = Origins::default();
        // A builder is given its parts step by step: `client.prompt().user(q).call()`.
        let mut step = at;
        for _ in 0..24 {
            let Expr::Call { callee, .. } = self.world.expr(step) else {
                break;
            };
            let Expr::Member { object, .. } = self.world.expr(ExprRef(at.0, *callee)) else {
                break;
            };
            step = ExprRef(at.0, *object);
            if let Expr::Call { args, .. } = self.world.expr(step) {
                for arg in args {
                    out.add_as(
                        self.named(at.0, arg, args.len()),
                        &self.origins(ExprRef(at.0, arg.value)),
                    );
                }
            }
        }
        if let Expr::Call { args, .. } = self.world.expr(at) {
            for arg in args {
                // Settings are constants of no interest; what is sent stands in texts, lists and maps.
                if matches!(
                    arg.name.as_deref(),
                    Some("model" | "temperature" | "max_tokens" | "stream" | "timeout" | "headers" | "top_p" | "tools")
                ) {
                    continue;
                }
                out.add_as(
                    self.named(at.0, arg, args.len()),
                    &self.origins(ExprRef(at.0, arg.value)),
                );
            }
        }
        for said in self.said.get(&at).into_iter().flatten() {
            out.add(&self.of_arguments(*said));
        }
        out
    }
}

/// What a lambda writes into the stream that it is handed: `controller.enqueue(x)`, `writer.merge(x)`,
/// `result.mergeIntoDataStream(stream)`.
fn written(world: &World<'_>, function: FunctionRef) -> Vec<ExprRef> {
    let node = world.function(function);
    if world.unit(function.0).language == engine_model::Language::Kotlin {
        return parts::put_into_receiver(world, function);
    }
    if !is_script(world.unit(function.0).language) || node.params.is_empty() {
        return Vec::new();
    }
    let params: Vec<&str> = node
        .params
        .iter()
        .flat_map(|param| pattern_names(&param.pattern))
        .collect();
    let index = world.index(function.0);
    let is_param = |id: ExprId| matches!(index.module.expr(id), Expr::Name(name) if params.contains(&&**name));
    let mut out = Vec::new();
    for call in index.calls_of(Some(function.1)) {
        let Expr::Call { callee, args, .. } = index.module.expr(call) else {
            continue;
        };
        let Expr::Member { object, name } = index.module.expr(*callee) else {
            continue;
        };
        let writes = matches!(
            &**name,
            "enqueue" | "merge" | "write" | "writeSSE" | "writeData" | "append" | "push" | "next" | "send"
        );
        let merges = name.starts_with("mergeInto") || name.starts_with("pipe");
        if !(writes || merges) {
            continue;
        }
        if writes && is_param(*object) {
            out.extend(args.iter().map(|arg| ExprRef(function.0, arg.value)));
        } else if merges && args.iter().any(|arg| is_param(arg.value)) {
            out.push(ExprRef(function.0, *object));
        }
        if out.len() > 24 {
            break;
        }
    }
    out
}

enum SourceKind {
    User,
    File,
    Database,
    Environment,
}

/// Whether calling this gives something from a person, a file or a database.
fn source_kind(world: &World<'_>, callee: ExprRef) -> Option<SourceKind> {
    if let Some(source) = crate::facts::php::source(world, callee).or_else(|| crate::facts::ruby::source(world, callee))
    {
        return Some(match source {
            crate::facts::php::Source::User => SourceKind::User,
            crate::facts::php::Source::File => SourceKind::File,
            crate::facts::php::Source::Database => SourceKind::Database,
        });
    }
    let name = match world.expr(callee) {
        Expr::Name(name) | Expr::Member { name, .. } => &**name,
        _ => return None,
    };
    let values = world.eval(callee);
    let symbol = values
        .iter()
        .find_map(|value| match value {
            Value::Path(path) => Some(path.symbol()),
            _ => None,
        })
        .unwrap_or_default();
    if values
        .iter()
        .any(|value| matches!(value, Value::Function(_) | Value::Class(_)))
    {
        return None;
    }
    let object = match world.expr(callee) {
        Expr::Member { object, .. } => crate::index::base_name(world.module(callee.0), *object).unwrap_or(""),
        _ => "",
    };
    let user = matches!(
        symbol.as_str(),
        "input"
            | "prompt"
            | "sys.stdin.read"
            | "sys.stdin.readline"
            | "getpass.getpass"
            | "click.prompt"
            | "readLine"
            | "readln"
    ) || matches!(
        name,
        "text_input"
            | "chat_input"
            | "text_area"
            | "get_json"
            | "ReadLine"
            | "read_line"
            | "question"
            | "FormValue"
            | "PostFormValue"
            | "ShouldBindJSON"
            | "BindJSON"
            | "BodyParser"
            | "nextLine"
            | "parse_args"
            | "ReadFromJsonAsync"
            | "formData"
            | "GetUpdatesChan"
            | "GetUpdates"
            | "getUpdates"
            | "get_updates"
            | "ListenForWebhook"
            | "UpdatesViaLongPolling"
            | "UpdatesViaWebhook"
            | "ParseRequest"
            | "usersIdMentions"
            | "get_users_mentions"
            | "mentions_timeline"
    ) || (matches!(object, "request" | "req" | "ctx" | "c")
        && matches!(
            name,
            "json" | "body" | "text" | "form" | "get" | "param" | "query" | "Param" | "Query" | "read" | "parameter"
        ))
        // What a route of Ktor is sent.
        || object == "call"
            && matches!(name, "receive" | "receiveText" | "receiveNullable" | "receiveParameters" | "receiveMultipart")
            && world.unit(callee.0).language == engine_model::Language::Kotlin
        || symbol.starts_with("inquirer.") && name == "prompt";
    if user {
        return Some(SourceKind::User);
    }
    let file = matches!(
        symbol.as_str(),
        "open" | "io.open" | "os.ReadFile" | "ioutil.ReadFile" | "os.Open"
    ) || matches!(
        name,
        "read_text"
            | "read_bytes"
            | "readFile"
            | "readFileSync"
            | "ReadAllText"
            | "ReadAllTextAsync"
            | "ReadAllBytes"
            | "read_csv"
            | "read_excel"
            | "read_json"
            | "read_parquet"
            | "readAllBytes"
            | "readString"
            | "read_to_string"
            | "createReadStream"
            | "ReadFile"
            | "readText"
            | "load_data"
            | "extract_text"
    ) && !symbol.starts_with("requests");
    if file {
        return Some(SourceKind::File);
    }
    let database = matches!(
        name,
        "fetchall"
            | "fetchone"
            | "fetchmany"
            | "scalars"
            | "findMany"
            | "findUnique"
            | "findFirst"
            | "find_one"
            | "findOne"
            | "findById"
            | "findAll"
            | "select_from"
            | "fetch_all"
            | "fetch_one"
            | "fetch_optional"
            | "QueryRow"
            | "QueryContext"
            | "queryForObject"
            | "queryForList"
            | "FirstOrDefaultAsync"
            | "ToListAsync"
            | "FindAsync"
            | "read_sql"
            | "aggregate"
            | "SingleOrDefaultAsync"
    ) || (name == "find" && matches!(object, "db" | "collection" | "repository" | "repo" | "Model"))
        || (matches!(name, "query" | "execute" | "select" | "get" | "filter" | "all")
            && matches!(
                object,
                "db" | "session"
                    | "cursor"
                    | "conn"
                    | "connection"
                    | "pool"
                    | "supabase"
                    | "prisma"
                    | "knex"
                    | "database"
            ))
        || symbol.contains(".objects.");
    if database {
        return Some(SourceKind::Database);
    }
    if matches!(values.first(), Some(Value::Env(_))) && values.len() == 1 && matches!(name, "getenv" | "get" | "Getenv")
    {
        return Some(SourceKind::Environment);
    }
    None
}

/// The names that a pattern binds.
pub(crate) fn pattern_names(pattern: &Pattern) -> Vec<&str> {
    match pattern {
        Pattern::Name(name) => vec![name],
        Pattern::Tuple(parts) => parts.iter().flat_map(pattern_names).collect(),
        Pattern::Object(parts) => parts.iter().flat_map(|(_, part)| pattern_names(part)).collect(),
        Pattern::Place(_) | Pattern::Ignore => Vec::new(),
    }
}

/// Whether a unit holds components that a browser shows.
pub(crate) fn has_elements(world: &World<'_>, unit: u32) -> bool {
    is_script(world.unit(unit).language) && world.index(unit).has_elements
}
