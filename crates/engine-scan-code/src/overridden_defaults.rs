//! Default model names that every caller overrides: no call uses such a default.
//!
//! `options?.model || "a"`, `options.get("model", "a")`, `model="a"` of a parameter and `val model: String = "a"` of a class of data are asked for
//! only where a caller leaves the value out. Callers are those that lead to the function, and those that call one of its name on something of which
//! nothing is known. Whatever is not plain counts as left out.
//!
//! A name that is only taken where the provider lists it among what it offers now is asked of nobody either once it is retired.

use std::collections::BTreeSet;

use engine_model::{Language, Zone};
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};
use rustc_hash::FxHashMap as HashMap;

use crate::calls::{Found, is_served};
use crate::facts::{callee_name, object_name};
use crate::index::{BindSource, NONE, Role, Step};
use crate::model_text::{is_model_name, pinned};
use crate::origins::Origin;
use crate::project::{is_jvm, is_script};
use crate::values::{ClassRef, ExprRef, FunctionRef, Path, Root, Seg, Value, id};
use crate::world::World;

/// Callers of callers that are asked whether they hand a value on.
const DEPTH_MAX: u32 = 6;

/// Calls of one name that are looked at; a name that is called more often belongs to many.
const CALLS_MAX: usize = 60;

/// Mentions of one constant that are looked at.
const MENTIONS_MAX: usize = 12;

/// Models that take the place of one default.
const GIVEN_MAX: usize = 6;

/// Methods that give what a collection holds under a key, or their second argument.
const GETS: [&str; 5] = ["get", "pop", "getOrDefault", "GetValueOrDefault", "setdefault"];

/// What a default stands in for.
#[derive(Clone, Debug)]
enum Slot {
    /// A parameter, or what the object in a parameter holds under a key.
    Param(FunctionRef, u32, Option<String>),
    /// The default of a parameter that even nothing keeps out, where nothing is handed over by name.
    Default(FunctionRef, u32),
    /// A field that whoever makes an object gives.
    Field(ClassRef, usize),
}

/// The calls of the product by the name of what they call.
struct Callers<'w, 'm> {
    world: &'w World<'m>,
    by_name: HashMap<&'m str, Vec<ExprRef>>,
}

/// Takes the defaults that nobody asks for from the records, and puts in their place what callers give; gives the places of these defaults.
pub(crate) fn settle(world: &World<'_>, found: &mut [Found]) -> BTreeSet<ExprRef> {
    let mut unasked: BTreeSet<ExprRef> = BTreeSet::new();
    let mut places: HashMap<String, Vec<ExprRef>> = HashMap::default();
    for record in found.iter() {
        for name in record.call.model.iter().chain(&record.further) {
            places.entry(name.clone()).or_default();
        }
    }
    if places.is_empty() {
        return unasked;
    }
    for (place, text) in crate::model_names::product_texts(world) {
        if let Some(known) = places.get_mut(text) {
            known.push(place);
        }
    }
    let mut slots: HashMap<ExprRef, Slot> = HashMap::default();
    let mut callers = Callers {
        world,
        by_name: HashMap::default(),
    };
    let listings = listings(world);
    for place in places.values().flatten() {
        if is_wish(world, &listings, *place) {
            unasked.insert(*place);
        } else if let Some(slot) = callers.stands_in(*place) {
            unasked.insert(*place);
            slots.insert(*place, slot);
        }
    }
    if unasked.is_empty() {
        return unasked;
    }
    let is_unasked = |name: &str| {
        places
            .get(name)
            .is_some_and(|all| !all.is_empty() && all.iter().all(|place| unasked.contains(place)))
    };
    for record in found.iter_mut() {
        let Some(name) = record.call.model.clone() else {
            continue;
        };
        let meant = match record.model_at {
            Some(Origin::Code(at)) => Some(at).filter(|at| unasked.contains(at)),
            // A name that stands elsewhere too may come from there.
            None if is_unasked(&name) => places.get(&name).and_then(|all| all.first().copied()),
            Some(Origin::File(..)) | None => None,
        };
        let Some(meant) = meant else { continue };
        let mut given = slots.get(&meant).map(|slot| callers.given(slot, 0)).unwrap_or_default();
        given.retain(|(text, _)| is_served(text, record.call.provider.as_deref()));
        let kept = std::mem::take(&mut record.further);
        let mut given = given.into_iter();
        let first = given.next();
        record.model_at = first.as_ref().and_then(|(_, at)| *at);
        record.call.model = first.map(|(text, _)| text);
        let others: Vec<String> = given.map(|(text, _)| text).chain(kept).collect();
        for other in others {
            if record.call.model.as_ref() != Some(&other) && !record.further.contains(&other) && !is_unasked(&other) {
                record.further.push(other);
            }
        }
        if record.call.model.is_none() && !record.further.is_empty() {
            record.call.model = Some(record.further.remove(0));
        }
        record.call.model_pinned = record.call.model.as_deref().and_then(pinned);
    }
    unasked
}

/// The functions that ask a provider which models it offers, or call one that does; without a function, the top of a file.
fn listings(world: &World<'_>) -> BTreeSet<(u32, Option<FunctionRef>)> {
    let mut out = BTreeSet::new();
    for unit in (0..id(world.units.len())).filter(|unit| world.unit(*unit).zone == Zone::Product) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let lists = match callee_name(world, at) {
                "list_models" | "listModels" | "ListModels" | "ListModelsAsync" | "list_foundation_models" => true,
                "list" => matches!(object_name(world, at), "models" | "Model"),
                _ => false,
            };
            if lists {
                let home = world.home_of(at);
                out.insert((unit, home));
                let callers = home.map(|home| world.callers_of(home));
                out.extend(
                    callers
                        .iter()
                        .flat_map(|callers| callers.iter())
                        .map(|caller| (caller.0, world.home_of(*caller))),
                );
            }
        }
    }
    out
}

/// Whether a name is one of several that a function takes only where the provider lists it, or takes where none is listed.
fn is_wish(world: &World<'_>, listings: &BTreeSet<(u32, Option<FunctionRef>)>, at: ExprRef) -> bool {
    if !listings.iter().any(|(unit, _)| *unit == at.0) {
        return false;
    }
    let index = world.index(at.0);
    let stmt = index.expr_stmt[at.1.0 as usize];
    if stmt == NONE {
        return false;
    }
    let info = &index.stmts[stmt as usize];
    let is_listed = |of: ExprRef| listings.contains(&(of.0, world.home_of(of)));
    if !is_listed(at) {
        // `PREFERRED = ["a", "b"]` beside the function.
        let StmtKind::Assign {
            target: Pattern::Name(list),
            ..
        } = &info.stmt.kind
        else {
            return false;
        };
        let is_part = index
            .ancestors(at.1)
            .next()
            .is_some_and(|parent| matches!(index.module.expr(parent), Expr::List(_)));
        return is_part
            && (0..).zip(&index.module.exprs).any(|(number, expr)| {
                matches!(&expr.kind, Expr::Name(name) if name == list) && is_listed(ExprRef(at.0, ExprId(number)))
            });
    }
    let mut around = index.ancestors(at.1);
    match around.next().map(|parent| index.module.expr(parent)) {
        Some(Expr::List(_)) => true,
        Some(Expr::Choice { condition: None, .. }) => around.next().is_none(),
        Some(_) => false,
        None => match &info.stmt.kind {
            StmtKind::Return(_) => world.home_of(at).is_some(),
            StmtKind::Assign { .. } => matches!(info.role, Role::Then | Role::Otherwise),
            _ => false,
        },
    }
}

impl Callers<'_, '_> {
    /// What a name stands in for, where everybody gives that.
    fn stands_in(&mut self, at: ExprRef) -> Option<Slot> {
        let world = self.world;
        let index = world.index(at.0);
        let module = index.module;
        // `DEFAULT_MODEL = "a"`: wherever the constant stands.
        let stmt = index.expr_stmt[at.1.0 as usize];
        if stmt != NONE
            && let info = &index.stmts[stmt as usize]
            && let StmtKind::Assign {
                target: Pattern::Name(name),
                value: Some(value),
                ..
            } = &info.stmt.kind
            && *value == at.1
            && info.role == Role::Top
        {
            let mentions = self.mentions(name, at)?;
            let mut first = None;
            for mention in mentions {
                let slot = self.stands_in_here(mention)?;
                first = first.or(Some(slot));
            }
            return first;
        }
        // A field of a class of data.
        for (number, class) in (0..).zip(&module.classes) {
            if let Some(field) = class.fields.iter().position(|field| field.value == Some(at.1)) {
                let slot = Slot::Field(ClassRef(at.0, engine_syntax::ir::ClassId(number)), field);
                return self.everybody_gives(&slot, 0).then_some(slot);
            }
        }
        self.stands_in_here(at)
    }

    /// The same of an expression where it stands: as a default of a parameter, behind an `or`, in a branch for what is missing.
    fn stands_in_here(&mut self, at: ExprRef) -> Option<Slot> {
        let world = self.world;
        let index = world.index(at.0);
        let module = index.module;
        let mut slots: Vec<Slot> = Vec::new();
        for (number, function) in (0..).zip(&module.functions) {
            if let Some(position) = function.params.iter().position(|param| param.default == Some(at.1)) {
                let function = FunctionRef(at.0, engine_syntax::ir::FunctionId(number));
                slots.push(if is_script(module.language) {
                    Slot::Param(function, id(position), None)
                } else {
                    Slot::Default(function, id(position))
                });
            }
        }
        if let Some(parent) = index.ancestors(at.1).next() {
            match module.expr(parent) {
                Expr::Choice {
                    condition: None,
                    values,
                } => {
                    let before = values.iter().take_while(|value| **value != at.1);
                    slots.extend(before.filter_map(|value| self.slot(ExprRef(at.0, *value))));
                }
                Expr::Call { args, .. } if args.get(1).is_some_and(|arg| arg.value == at.1) => {
                    slots.extend(self.slot(ExprRef(at.0, parent)));
                }
                _ => {}
            }
        }
        // `if not model: model = "a"`
        let stmt = index.expr_stmt[at.1.0 as usize];
        if stmt != NONE
            && let info = &index.stmts[stmt as usize]
            && info.role == Role::Then
            && let StmtKind::Assign {
                target: Pattern::Name(name),
                value: Some(value),
                ..
            } = &info.stmt.kind
            && *value == at.1
            && let StmtKind::If { condition, .. } = &index.stmts[info.parent as usize].stmt.kind
            && asks_for(module, *condition, name)
        {
            slots.extend(self.slot_of_name(at.0, index.expr_scope[condition.0 as usize], name));
        }
        slots.into_iter().find(|slot| self.everybody_gives(slot, 0))
    }

    /// The places at which a constant is named outside of its own line; nothing where they are many or none.
    fn mentions(&self, name: &str, at: ExprRef) -> Option<Vec<ExprRef>> {
        let world = self.world;
        let mut out = Vec::new();
        for (unit, other) in (0..).zip(&world.units) {
            if other.zone != Zone::Product {
                continue;
            }
            for (number, expr) in (0..).zip(&other.index.module.exprs) {
                let is = match &expr.kind {
                    Expr::Name(known) | Expr::Member { name: known, .. } => **known == *name,
                    _ => false,
                };
                if is && (unit, expr.span().line) != (at.0, world.span(at).line) {
                    out.push(ExprRef(unit, ExprId(number)));
                    if out.len() > MENTIONS_MAX {
                        return None;
                    }
                }
            }
        }
        Some(out).filter(|out| !out.is_empty())
    }

    /// The parameter that an expression reads, or a key of it.
    fn slot(&self, at: ExprRef) -> Option<Slot> {
        let world = self.world;
        let scope = |of: ExprId| world.index(at.0).expr_scope[of.0 as usize];
        let keyed = |object: ExprId, key: String| match world.expr(ExprRef(at.0, object)) {
            Expr::Name(name) => match self.slot_of_name(at.0, scope(object), name)? {
                Slot::Param(function, position, None) => Some(Slot::Param(function, position, Some(key))),
                _ => None,
            },
            _ => None,
        };
        match world.expr(at) {
            Expr::Name(name) => self.slot_of_name(at.0, scope(at.1), name),
            Expr::Member { object, name } => keyed(*object, name.to_string()),
            Expr::Index { object, key } => match world.expr(ExprRef(at.0, *key)) {
                Expr::Str(key) => keyed(*object, key.to_string()),
                _ => None,
            },
            Expr::Call { callee, args, .. } => match (world.expr(ExprRef(at.0, *callee)), args.first()) {
                (Expr::Member { object, name }, Some(first)) if GETS.contains(&&**name) => {
                    match world.expr(ExprRef(at.0, first.value)) {
                        Expr::Str(key) => keyed(*object, key.to_string()),
                        _ => None,
                    }
                }
                _ => None,
            },
            Expr::Cast { value, .. } => self.slot(ExprRef(at.0, *value)),
            _ => None,
        }
    }

    /// The parameter that a name stands for: itself, or taken out of one.
    fn slot_of_name(&self, unit: u32, mut scope: u32, name: &str) -> Option<Slot> {
        let index = self.world.index(unit);
        while scope != NONE {
            let known = &index.scopes[scope as usize];
            let Some(bindings) = known.names.get(name) else {
                scope = known.parent;
                continue;
            };
            return bindings.iter().find_map(|binding| {
                let key = match binding.steps.as_slice() {
                    [] => None,
                    [Step::Key(key)] if *key != "..." => Some((*key).to_owned()),
                    _ => return None,
                };
                match binding.source {
                    BindSource::Param(function, at) => Some(Slot::Param(FunctionRef(unit, function), at, key)),
                    BindSource::Value(value) if key.is_some() => match index.module.expr(value) {
                        Expr::Name(of) if **of != *name => {
                            match self.slot_of_name(unit, index.expr_scope[value.0 as usize], of)? {
                                Slot::Param(function, at, None) => Some(Slot::Param(function, at, key)),
                                _ => None,
                            }
                        }
                        _ => None,
                    },
                    _ => None,
                }
            });
        }
        None
    }

    /// Whether there are calls, and each of them gives a value.
    fn everybody_gives(&mut self, slot: &Slot, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        let Some(sites) = self.sites(slot) else { return false };
        sites.into_iter().all(|site| self.gives(site, slot, depth))
    }

    /// Whether one call gives a value.
    fn gives(&mut self, site: ExprRef, slot: &Slot, depth: u32) -> bool {
        match slot {
            Slot::Param(function, position, key) => {
                let param = &self.world.function(*function).params[*position as usize];
                if param.rest {
                    return key
                        .as_deref()
                        .and_then(|key| named(self.world, site, key))
                        .is_some_and(|value| self.is_there(value, depth));
                }
                let Some(arg) = self.world.argument_for(*function, *position, site) else {
                    return false;
                };
                match key {
                    None => self.is_there(arg, depth),
                    Some(key) => self.holds(arg, key, depth),
                }
            }
            Slot::Default(function, position) => self.world.argument_for(*function, *position, site).is_some(),
            Slot::Field(class, field) => field_given(self.world, site, *class, *field).is_some(),
        }
    }

    /// Whether an object holds a value under a key.
    fn holds(&mut self, at: ExprRef, key: &str, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        match self.world.expr(at) {
            Expr::Map(entries) => {
                let own = entries.iter().find(|entry| is_key(self.world, at.0, entry.key, key));
                match own {
                    Some(entry) => self.is_there(ExprRef(at.0, entry.value), depth),
                    None => entries
                        .iter()
                        .filter(|entry| entry.key.is_none())
                        .any(|entry| self.holds(ExprRef(at.0, entry.value), key, depth + 1)),
                }
            }
            Expr::Call { args, .. } => match named(self.world, at, key) {
                Some(value) => self.is_there(value, depth),
                None => args
                    .iter()
                    .take(4)
                    .filter(|arg| arg.name.is_none())
                    .any(|arg| self.holds(ExprRef(at.0, arg.value), key, depth + 1)),
            },
            Expr::Cast { value, .. } | Expr::Await(value) => self.holds(ExprRef(at.0, *value), key, depth),
            Expr::Name(_) => match self.slot(at) {
                Some(Slot::Param(function, position, None)) => {
                    self.everybody_gives(&Slot::Param(function, position, Some(key.to_owned())), depth + 1)
                }
                Some(_) => false,
                None => match self.bound_to(at) {
                    Some(value) => self.holds(value, key, depth + 1),
                    None => self.is_handed_through(at, key, depth),
                },
            },
            _ => false,
        }
    }

    /// Whether a name is taken out of what a call gives that was handed such an object: `const { options } = await prepare(all)`.
    fn is_handed_through(&mut self, at: ExprRef, key: &str, depth: u32) -> bool {
        let Some(made) = self.taken_out_of(at) else {
            return false;
        };
        let made = match self.world.expr(made) {
            Expr::Await(value) => ExprRef(made.0, *value),
            _ => made,
        };
        let Expr::Call { args, .. } = self.world.expr(made) else {
            return false;
        };
        args.iter()
            .take(4)
            .any(|arg| self.holds(ExprRef(made.0, arg.value), key, depth + 1))
    }

    /// Whether an expression surely has a value.
    fn is_there(&mut self, at: ExprRef, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        let world = self.world;
        let open = || {
            world
                .eval(at)
                .iter()
                .any(|value| matches!(value, Value::Null | Value::Env(_)))
        };
        match world.expr(at) {
            Expr::Str(_) | Expr::Template(_) | Expr::Number(_) => true,
            Expr::Name(name) => {
                if matches!(&**name, "undefined" | "None" | "null" | "nil") || open() {
                    return false;
                }
                match self.slot(at) {
                    Some(slot) => self.is_handed_in(at, &slot, depth),
                    None => match self.bound_to(at) {
                        Some(value) => self.is_there(value, depth + 1),
                        None => world.eval(at).iter().any(|value| matches!(value, Value::Text(_))),
                    },
                }
            }
            Expr::Member { object, .. } => {
                if open() {
                    return false;
                }
                match self.slot(at) {
                    Some(slot) => self.is_handed_in(at, &slot, depth),
                    None => !is_asked_from_outside(world, ExprRef(at.0, *object)),
                }
            }
            Expr::Index { .. } => world.eval(at).iter().any(|value| matches!(value, Value::Text(_))),
            Expr::Choice {
                condition: None,
                values,
            } => values
                .last()
                .is_some_and(|value| self.is_there(ExprRef(at.0, *value), depth)),
            Expr::Choice { values, .. } => values.iter().all(|value| self.is_there(ExprRef(at.0, *value), depth)),
            Expr::Call { callee, args, .. } => {
                let reads = match world.expr(ExprRef(at.0, *callee)) {
                    Expr::Member { name, .. } | Expr::Name(name) => {
                        GETS.contains(&&**name) || name.to_ascii_lowercase().contains("env")
                    }
                    _ => true,
                };
                !(open() || reads && args.len() < 2)
            }
            Expr::Cast { value, .. } | Expr::Await(value) | Expr::Propagate(value) => {
                self.is_there(ExprRef(at.0, *value), depth)
            }
            _ => false,
        }
    }

    /// Whether a function surely has what it hands on: a parameter of a language in which none may be missing, or one that all its callers give.
    fn is_handed_in(&mut self, at: ExprRef, slot: &Slot, depth: u32) -> bool {
        if let Slot::Param(function, position, None) = slot {
            let param = &self.world.function(*function).params[*position as usize];
            if let Some(default) = param.default {
                return self.is_there(ExprRef(function.0, default), depth + 1);
            }
            let language = self.world.unit(at.0).language;
            if (is_jvm(language) || matches!(language, Language::CSharp | Language::Go | Language::Rust))
                && param
                    .annotation
                    .as_ref()
                    .is_some_and(|of| !matches!(of.name.as_str(), "Option" | "Optional" | "?"))
            {
                return true;
            }
        }
        self.everybody_gives(slot, depth + 1)
    }

    /// The one value that a local name is bound to.
    fn bound_to(&self, at: ExprRef) -> Option<ExprRef> {
        self.binding_of(at, false)
    }

    /// The one value of which a local name is a part.
    fn taken_out_of(&self, at: ExprRef) -> Option<ExprRef> {
        self.binding_of(at, true)
    }

    fn binding_of(&self, at: ExprRef, is_part: bool) -> Option<ExprRef> {
        let Expr::Name(name) = self.world.expr(at) else {
            return None;
        };
        let index = self.world.index(at.0);
        let mut scope = index.expr_scope[at.1.0 as usize];
        while scope != NONE {
            let known = &index.scopes[scope as usize];
            if let Some(bindings) = known.names.get(&**name) {
                return match bindings.as_slice() {
                    [only] if only.steps.is_empty() != is_part => match only.source {
                        BindSource::Value(value) if value != at.1 => Some(ExprRef(at.0, value)),
                        _ => None,
                    },
                    _ => None,
                };
            }
            scope = known.parent;
        }
        None
    }

    /// The calls of the product that may hand in a slot; nothing where there is none, or where others may that are not seen.
    fn sites(&mut self, slot: &Slot) -> Option<Vec<ExprRef>> {
        let world = self.world;
        let (unit, name, function, class) = match slot {
            Slot::Param(function, ..) | Slot::Default(function, _) => {
                let node = world.function(*function);
                if !crate::dead_code::is_plain(world.module(function.0), &node.decorators) {
                    return None;
                }
                let class = node.class.map(|class| ClassRef(function.0, class));
                let class_name = class.and_then(|class| world.module(class.0).class(class.1).name.as_deref());
                let name = node.name.as_deref()?;
                let makes = matches!(name, "__init__" | "constructor" | "<init>") || Some(name) == class_name;
                let class = class.filter(|_| makes);
                (
                    function.0,
                    if makes { class_name? } else { name },
                    Some(*function),
                    class,
                )
            }
            Slot::Field(class, _) => {
                let name = world.module(class.0).class(class.1).name.as_deref()?;
                if self.is_read_from_outside(name) {
                    return None;
                }
                (class.0, name, None, Some(*class))
            }
        };
        if self.by_name.is_empty() {
            self.by_name = calls_by_name(world);
        }
        let named = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        if named.len() > CALLS_MAX {
            return None;
        }
        let mut out: Vec<ExprRef> = Vec::new();
        for site in named {
            if !is_one_language(world.unit(site.0).language, world.unit(unit).language)
                || function.is_some_and(|of| of.0 == site.0 && world.index(site.0).within(site.1, of.1))
            {
                continue;
            }
            let Expr::Call { callee, .. } = world.expr(*site) else {
                continue;
            };
            let values = world.eval(ExprRef(site.0, *callee));
            let is_foreign = values
                .iter()
                .any(|value| matches!(value, Value::Path(path) if is_foreign(path)));
            let leads = if let Some(class) = class {
                let mut made = values.iter().filter_map(|value| match value {
                    Value::Class(of) => Some(*of),
                    _ => None,
                });
                made.clone().next().is_none() && !is_foreign || made.any(|of| of == class)
            } else {
                let callees = world.callees(*site);
                function.is_some_and(|of| callees.contains(&of)) || callees.is_empty() && !is_foreign
            };
            if leads {
                out.push(*site);
            }
        }
        if let Some(function) = function {
            let further = world.callers_of(function);
            out.extend(further.iter().filter(|site| world.unit(site.0).zone == Zone::Product));
        }
        out.sort_unstable();
        out.dedup();
        Some(out).filter(|out| !out.is_empty())
    }

    /// Whether objects of a class come from outside: a framework reads them from what it is sent.
    fn is_read_from_outside(&self, class: &str) -> bool {
        self.world.units.iter().any(|unit| {
            let module = unit.index.module;
            module.functions.iter().any(|function| {
                function.params.iter().any(|param| {
                    let framed =
                        !param.decorators.is_empty() || !crate::dead_code::is_plain(module, &function.decorators);
                    framed && param.annotation.as_ref().is_some_and(|of| names(of, class))
                })
            })
        })
    }

    /// The names that callers give, with their places.
    fn given(&mut self, slot: &Slot, depth: u32) -> Vec<(String, Option<Origin>)> {
        let mut out: Vec<(String, Option<Origin>)> = Vec::new();
        for site in self.sites(slot).unwrap_or_default() {
            let value = match slot {
                Slot::Param(function, position, key) => {
                    let arg = self.world.argument_for(*function, *position, site);
                    match key {
                        None => arg,
                        Some(key) => {
                            named(self.world, site, key).or_else(|| arg.and_then(|arg| self.entry(arg, key, depth)))
                        }
                    }
                }
                Slot::Default(function, position) => self.world.argument_for(*function, *position, site),
                Slot::Field(class, field) => field_given(self.world, site, *class, *field),
            };
            let Some(value) = value else { continue };
            for one in self.world.expand(&self.world.eval(value)) {
                self.world.origins.begin();
                let Some(text) = self.world.constant(std::slice::from_ref(&one)) else {
                    continue;
                };
                if is_model_name(&text) && out.len() < GIVEN_MAX && out.iter().all(|(known, _)| *known != text) {
                    let at = self.world.origins.of(&text);
                    out.push((text, at));
                }
            }
        }
        out
    }

    /// What an object holds under a key, as it is written.
    fn entry(&self, at: ExprRef, key: &str, depth: u32) -> Option<ExprRef> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.world.expr(at) {
            Expr::Map(entries) => entries
                .iter()
                .find(|entry| is_key(self.world, at.0, entry.key, key))
                .map(|entry| ExprRef(at.0, entry.value)),
            Expr::Call { .. } => named(self.world, at, key),
            Expr::Name(_) => self.entry(self.bound_to(at)?, key, depth + 1),
            _ => None,
        }
    }
}

/// Whether a path begins at a library: what a file of the project is asked for may be the project's, found or not.
fn is_foreign(path: &Path) -> bool {
    path.root == Root::Import
        && !matches!(path.segs.first(), Some(Seg::Name(first)) if first.starts_with(['.', '~']) || first.starts_with("@/"))
}

/// The argument of a call that has a name.
fn named(world: &World<'_>, call: ExprRef, name: &str) -> Option<ExprRef> {
    let Expr::Call { args, .. } = world.expr(call) else {
        return None;
    };
    let arg = args.iter().find(|arg| arg.name.as_deref() == Some(name))?;
    Some(ExprRef(call.0, arg.value))
}

/// What is given for a field by whoever makes an object: by its name, or at its place where fields are parameters.
fn field_given(world: &World<'_>, site: ExprRef, class: ClassRef, field: usize) -> Option<ExprRef> {
    let name = &world.module(class.0).class(class.1).fields.get(field)?.name;
    named(world, site, name).or_else(|| {
        let Expr::Call { args, .. } = world.expr(site) else {
            return None;
        };
        let arg = args.get(field).filter(|arg| arg.name.is_none() && !arg.spread)?;
        (world.unit(class.0).language == Language::Kotlin).then_some(ExprRef(site.0, arg.value))
    })
}

/// Whether a condition only asks whether a name has a value.
fn asks_for(module: &engine_syntax::ir::Module, condition: ExprId, name: &str) -> bool {
    match module.expr(condition) {
        Expr::Name(known) => **known == *name,
        Expr::Test(parts) | Expr::Other(parts) => {
            let is = |part: &ExprId| matches!(module.expr(*part), Expr::Name(known) if **known == *name);
            let nothing = |part: &ExprId| match module.expr(*part) {
                Expr::Null => true,
                Expr::Str(text) => text.is_empty(),
                Expr::Name(known) => matches!(&**known, "undefined" | "None" | "null"),
                _ => false,
            };
            parts.iter().any(is) && parts.iter().all(|part| is(part) || nothing(part))
        }
        _ => false,
    }
}

/// Whether something comes with a request, or from the surroundings of the program: it may be missing.
fn is_asked_from_outside(world: &World<'_>, mut at: ExprRef) -> bool {
    const WORDS: [&str; 14] = [
        "req", "request", "body", "query", "params", "event", "env", "environ", "process", "args", "payload", "data",
        "json", "input",
    ];
    for _ in 0..8 {
        let (name, next) = match world.expr(at) {
            Expr::Name(name) => (&**name, None),
            Expr::Member { object, name } => (&**name, Some(*object)),
            Expr::Index { object, .. } => ("", Some(*object)),
            Expr::Call { callee, .. } => ("", Some(*callee)),
            Expr::Await(value) | Expr::Cast { value, .. } => ("", Some(*value)),
            _ => return false,
        };
        if WORDS.contains(&name) {
            return true;
        }
        let Some(next) = next else { return false };
        at = ExprRef(at.0, next);
    }
    true
}

/// Whether the key of an entry is this text.
fn is_key(world: &World<'_>, unit: u32, key: Option<ExprId>, wanted: &str) -> bool {
    key.is_some_and(|key| match world.expr(ExprRef(unit, key)) {
        Expr::Str(text) | Expr::Name(text) => **text == *wanted,
        _ => false,
    })
}

/// Whether a type names a class, itself or inside of another.
fn names(of: &engine_syntax::ir::TypeRef, class: &str) -> bool {
    of.name.rsplit(['.', ':']).next() == Some(class) || of.args.iter().any(|arg| names(arg, class))
}

/// Whether code of one language can call that of the other.
fn is_one_language(a: Language, b: Language) -> bool {
    a == b || is_jvm(a) && is_jvm(b) || is_script(a) && is_script(b)
}

fn calls_by_name<'m>(world: &World<'m>) -> HashMap<&'m str, Vec<ExprRef>> {
    let mut out: HashMap<&'m str, Vec<ExprRef>> = HashMap::default();
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        let module = world.module(unit);
        for call in &world.index(unit).calls {
            if let Expr::Call { callee, .. } = module.expr(*call)
                && let Expr::Name(name) | Expr::Member { name, .. } = module.expr(*callee)
            {
                out.entry(name).or_default().push(ExprRef(unit, *call));
            }
        }
    }
    out
}
