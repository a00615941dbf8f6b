//! Calls that only the one who runs the program can ask for: a bot that obeys its owner alone.

use engine_catalogue::words_of;
use engine_model::Evidence;
use engine_syntax::ir::{Expr, ExprId, StmtKind};

use super::evidence;
use crate::index::{NONE, Role};
use crate::values::ExprRef;
use crate::world::World;

/// Callers above the function of a call that are looked at.
const LEVELS_MAX: usize = 3;

/// Parts of a condition that are looked at.
const PARTS_MAX: usize = 200;

/// The condition that lets only the owner of the program reach a call.
pub(super) fn asks(world: &World<'_>, at: ExprRef) -> Option<Evidence> {
    asked(world, at, 0)
}

fn asked(world: &World<'_>, at: ExprRef, level: usize) -> Option<Evidence> {
    let index = world.index(at.0);
    for stmt in index.statements_around(at.1) {
        let info = &index.stmts[stmt as usize];
        if info.role == Role::Then
            && info.parent != NONE
            && let StmtKind::If { condition, .. } = &index.stmts[info.parent as usize].stmt.kind
            && let Some(name) = names_owner(world, ExprRef(at.0, *condition))
        {
            return Some(evidence(world, ExprRef(at.0, *condition), name));
        }
    }
    if let Some(guard) = guard(world, at) {
        return Some(guard);
    }
    if level >= LEVELS_MAX {
        return None;
    }
    let callers = world.callers_of(world.named_function_of(at)?);
    let mut out = None;
    for caller in callers.iter().copied() {
        if world.named_function_of(caller) == world.named_function_of(at) {
            return None;
        }
        out = Some(asked(world, caller, level + 1)?);
    }
    out
}

/// A condition before a call in its function that sends everybody else away: `if (msg.from.id !== OWNER_ID) return;`.
fn guard(world: &World<'_>, at: ExprRef) -> Option<Evidence> {
    let index = world.index(at.0);
    let function = world.function(world.named_function_of(at)?);
    let line = world.span(at).line;
    function
        .body
        .iter()
        .take_while(|stmt| stmt.span.line < line)
        .find_map(|stmt| {
            let StmtKind::If { condition, then, .. } = &stmt.kind else {
                return None;
            };
            let leaves = then
                .last()
                .is_some_and(|last| matches!(last.kind, StmtKind::Return(_)) && stmt.span.end_line < line);
            let name = leaves.then(|| names_owner(world, ExprRef(at.0, *condition)))??;
            Some(evidence(world, ExprRef(at.0, *condition), name))
        })
        .filter(|_| !index.module.truncated)
}

/// The name in a condition that stands for the one who runs the program.
fn names_owner(world: &World<'_>, at: ExprRef) -> Option<String> {
    let module = world.module(at.0);
    let mut stack: Vec<ExprId> = vec![at.1];
    for _ in 0..PARTS_MAX {
        let part = stack.pop()?;
        if let Expr::Name(name) | Expr::Member { name, .. } = module.expr(part) {
            let words = words_of(name);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let own = matches!(
                words.as_slice(),
                ["is", "from", "me", ..] | ["from", "me"] | ["is", "owner"] | ["my", "id"] | ["my", "user", "id"]
            ) || words.contains(&"owner") && words.contains(&"id");
            if own {
                return Some(name.to_string());
            }
        }
        stack.extend(module.children(part));
    }
    None
}
