//! Parts of tuples: which of several values that were put together is taken out again.

use engine_syntax::ir::Expr;

use super::{Flow, Origins};
use crate::index::{BindSource, NONE};
use crate::values::ExprRef;
use crate::world::World;

/// Expressions that are looked at for one tuple.
const STEPS_MAX: u32 = 60;

impl Flow<'_, '_> {
    /// The origins of one part of a tuple, or of the tuples in a list that is gone through; none where the tuple is not seen.
    pub(super) fn part(&self, at: ExprRef, position: usize, each: bool) -> Option<Origins> {
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

    /// The tuples that a value is, or that a list holds. Tells whether all of them are seen.
    fn tuples(&self, at: ExprRef, each: bool, steps: &mut u32, out: &mut Vec<ExprRef>) -> bool {
        *steps += 1;
        if *steps > STEPS_MAX {
            return false;
        }
        let ExprRef(unit, id) = at;
        let within = |inner: &engine_syntax::ir::ExprId| ExprRef(unit, *inner);
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
