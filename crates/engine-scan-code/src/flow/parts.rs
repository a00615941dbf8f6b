//! Elements of tuples: which of several combined values is taken out again.

use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use super::{Flow, MUTATIONS_MAX, Origins};
use crate::index::{BindSource, NONE};
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

/// Expressions that are looked at for one tuple.
const STEPS_MAX: u32 = 60;

impl Flow<'_, '_> {
    /// The origins of one part of a tuple, or of the tuples in a list that is gone through; none where the tuple is not seen.
    pub(super) fn part(&self, at: ExprRef, position: usize, each: bool) -> Option<Origins> {
        if each && position == 0 && is_counted(self.world, at) {
            return Some(Origins {
                constant: true,
                ..Origins::default()
            });
        }
        let mut tuples = Vec::new();
        self.tuples(at, each, &mut 0, &mut tuples).then_some(())?;
        let mut out = Origins::default();
        for tuple in &tuples {
            let part = match self.world.expr(*tuple) {
                Expr::List(parts) => *parts.get(position)?,
                Expr::Call { args, .. } => args.get(position)?.value,
                _ => return None,
            };
            out.add(&self.origins(ExprRef(tuple.0, part)));
        }
        (!tuples.is_empty()).then_some(out)
    }

    /// What a variable is where only one field of it is read, and others were written: what was put into those is not in this one. Nothing
    /// where no field of it is written.
    pub(super) fn of_field(&self, object: ExprRef, field: &str) -> Option<Origins> {
        let Expr::Name(name) = self.world.expr(object) else {
            return None;
        };
        let index = self.world.index(object.0);
        if index.put_into.is_empty() {
            return None;
        }
        let scope = index.expr_scope[object.1.0 as usize];
        let mut at = scope;
        while at != NONE {
            if index.scopes[at as usize].names.contains_key(&**name) {
                let others = index.mutations.get(&(at, &**name))?.iter().take(MUTATIONS_MAX);
                let mut others = others.filter_map(|value| index.put_into.get(value));
                return others
                    .any(|put| *put != field)
                    .then(|| self.name(object, name, Some(field)));
            }
            at = index.scopes[at as usize].parent;
        }
        None
    }

    /// The tuples that a value is, or that a list holds. Tells whether all of them are seen.
    fn tuples(&self, at: ExprRef, each: bool, steps: &mut u32, out: &mut Vec<ExprRef>) -> bool {
        *steps += 1;
        if *steps > STEPS_MAX {
            return false;
        }
        let ExprRef(unit, id) = at;
        let within = |inner: &ExprId| ExprRef(unit, *inner);
        match self.world.expr(at) {
            Expr::List(_) if !each => {
                out.push(at);
                true
            }
            Expr::List(parts) => parts.iter().all(|part| self.tuples(within(part), false, steps, out)),
            Expr::Await(inner) => self.tuples(within(inner), each, steps, out),
            Expr::Call { .. } if !each && waited_together(self.world, at).is_some() => {
                out.extend(waited_together(self.world, at));
                true
            }
            Expr::Call { .. } => {
                let functions = self.world.callees(at);
                !functions.is_empty()
                    && functions.iter().all(|function| {
                        let index = self.world.index(function.0);
                        let returns = &index.returns[function.1.0 as usize];
                        !returns.is_empty()
                            && index.yields[function.1.0 as usize].is_empty()
                            && returns
                                .iter()
                                .all(|value| self.tuples(ExprRef(function.0, *value), each, steps, out))
                    })
            }
            Expr::Name(name) => {
                let index = self.world.index(unit);
                let mut scope = index.expr_scope[id.0 as usize];
                while scope != NONE {
                    if let Some(bindings) = index.scopes[scope as usize].names.get(&**name) {
                        let bound = bindings.iter().all(|binding| match binding.source {
                            BindSource::Value(value) if binding.steps.is_empty() => {
                                self.tuples(within(&value), each, steps, out)
                            }
                            _ => false,
                        });
                        // What was put into a list are its tuples.
                        let put = index.mutations.get(&(scope, &**name)).into_iter().flatten();
                        return bound
                            && put
                                .into_iter()
                                .all(|value| each && self.tuples(within(value), false, steps, out));
                    }
                    scope = index.scopes[scope as usize].parent;
                }
                false
            }
            _ => false,
        }
    }
}

/// Whether what is gone through comes with its number first: `enumerate(results)`, `results.entries()`, `results.withIndex()`.
fn is_counted(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return false;
    };
    match world.expr(ExprRef(at.0, *callee)) {
        Expr::Name(name) => &**name == "enumerate" && !args.is_empty(),
        Expr::Member { name, .. } => match &**name {
            "enumerate" | "withIndex" => args.is_empty(),
            // The entries of an object begin with its keys, which may be anything.
            "entries" => args.is_empty() && crate::project::is_script(world.unit(at.0).language),
            _ => false,
        },
        _ => false,
    }
}

/// What is waited for together, each for a place of its own in the result: the list of `Promise.all([f(x), g(y)])`, the call of
/// `asyncio.gather(f(x), g(y))` and `Task.WhenAll(…)`, and that of `listOf(async { … }, …)` before `.awaitAll()`.
fn waited_together(world: &World<'_>, at: ExprRef) -> Option<ExprRef> {
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return None;
    };
    let callee = world.expr(ExprRef(at.0, *callee));
    let (owner, name) = match callee {
        Expr::Member { object, name } => (Some(ExprRef(at.0, *object)), &**name),
        Expr::Name(name) => (None, &**name),
        _ => return None,
    };
    let owner_name = match owner.map(|owner| world.expr(owner)) {
        Some(Expr::Name(name) | Expr::Member { name, .. }) => &**name,
        _ => "",
    };
    match (owner_name, name) {
        ("Promise", "all" | "allSettled") => match args.as_slice() {
            [list] if !list.spread => match world.expr(ExprRef(at.0, list.value)) {
                Expr::List(parts) => parts
                    .iter()
                    .all(|part| !matches!(world.expr(ExprRef(at.0, *part)), Expr::Other(_)))
                    .then_some(ExprRef(at.0, list.value)),
                _ => None,
            },
            _ => None,
        },
        ("asyncio", "gather") | ("Task", "WhenAll") | ("", "awaitAll") if args.len() > 1 => {
            args.iter().all(|arg| !arg.spread).then_some(at)
        }
        (_, "awaitAll") if args.is_empty() => {
            let made = owner?;
            match world.expr(made) {
                Expr::List(_) => Some(made),
                Expr::Call { callee, args, .. } => {
                    let lists = matches!(world.expr(ExprRef(at.0, *callee)), Expr::Name(name) if &**name == "listOf");
                    (lists && args.iter().all(|arg| !arg.spread)).then_some(made)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Calls of Kotlin whose lambda fills what the call gives, without naming it: `flow { emit(x) }`, `list.apply { add(x) }`.
const FILLED: [&str; 7] = [
    "flow",
    "channelFlow",
    "callbackFlow",
    "apply",
    "buildList",
    "buildString",
    "buildMap",
];

/// Words of calls whose lambda sets the parts of a message: `channel.createMessage { content = x }`.
const SAID: [&str; 6] = ["message", "reply", "respond", "edit", "embed", "followup"];

/// What a lambda of Kotlin puts into the thing for which it is run.
pub(super) fn put_into_receiver(world: &World<'_>, function: FunctionRef) -> Vec<ExprRef> {
    let index = world.index(function.0);
    let module = index.module;
    let Some(lambda) = index.function_expr[function.1.0 as usize] else {
        return Vec::new();
    };
    let called = world
        .parent(ExprRef(function.0, lambda))
        .map(|call| match world.expr(call) {
            Expr::Call { callee, .. } => match module.expr(*callee) {
                Expr::Name(name) | Expr::Member { name, .. } => &**name,
                _ => "",
            },
            _ => "",
        });
    let Some(called) = called else { return Vec::new() };
    let filled = FILLED.contains(&called);
    let said = engine_catalogue::words_of(called)
        .iter()
        .any(|word| SAID.contains(&word.as_str()));
    let mut out = Vec::new();
    if filled {
        for call in index.calls_of(Some(function.1)) {
            if let Expr::Call { callee, args, .. } = module.expr(call)
                && matches!(module.expr(*callee), Expr::Name(name) if matches!(&**name, "emit" | "trySend" | "send" | "add" | "addAll" | "append" | "put"))
            {
                out.extend(args.iter().map(|arg| ExprRef(function.0, arg.value)));
            }
        }
    }
    if filled || said {
        let is_own = |place: ExprId| match module.expr(place) {
            Expr::Index { object, .. } => matches!(module.expr(*object), Expr::Name(name) if &**name == "this"),
            _ => false,
        };
        for info in index.stmts_of(function.1) {
            let StmtKind::Assign {
                target,
                value: Some(value),
                ..
            } = &info.stmt.kind
            else {
                continue;
            };
            let put = match target {
                Pattern::Place(place) => {
                    filled && is_own(*place)
                        || said && matches!(module.expr(*place), Expr::Name(name) if is_part_of_message(name))
                }
                Pattern::Name(name) => said && is_part_of_message(name),
                _ => false,
            };
            if put {
                out.push(ExprRef(function.0, *value));
            }
        }
    }
    out.truncate(24);
    out
}

/// Whether a name is that of a part of a message which people read.
fn is_part_of_message(name: &str) -> bool {
    matches!(name, "content" | "text" | "description" | "title")
}
