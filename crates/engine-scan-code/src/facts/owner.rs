//! Calls that only the operator of the program can request: a bot that obeys its owner alone.

use engine_catalogue::words_of;
use engine_model::Evidence;
use engine_syntax::ir::{Expr, ExprId, StmtKind};

use super::evidence;
use crate::index::{NONE, Role};
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

/// Callers above the function of a call that are looked at.
const LEVELS_MAX: usize = 6;

/// Functions that are looked at for one call.
const FUNCTIONS_MAX: usize = 40;

/// Parts of a condition that are looked at.
const PARTS_MAX: usize = 200;

/// The condition that lets only the owner of the program reach a call.
pub(super) fn asks(world: &World<'_>, at: ExprRef) -> Option<Evidence> {
    asked(world, at, 0, &mut Vec::new())
}

/// `seen` holds the functions whose callers were looked at already.
fn asked(world: &World<'_>, at: ExprRef, level: usize, seen: &mut Vec<FunctionRef>) -> Option<Evidence> {
    let index = world.index(at.0);
    for stmt in index.statements_around(at.1) {
        let info = &index.stmts[stmt as usize];
        if info.role == Role::Then
            && info.parent != NONE
            && let StmtKind::If { condition, .. } = &index.stmts[info.parent as usize].stmt.kind
            && let Some((name, false)) = names_owner(world, ExprRef(at.0, *condition))
        {
            return Some(evidence(world, ExprRef(at.0, *condition), name));
        }
    }
    if let Some(guard) = guard(world, at) {
        return Some(guard);
    }
    if level >= LEVELS_MAX || seen.len() >= FUNCTIONS_MAX {
        return None;
    }
    let function = world.named_function_of(at)?;
    seen.push(function);
    let mut out = None;
    for caller in world.callers_of(function).iter().copied() {
        let outer = world.named_function_of(caller);
        if outer == Some(function) {
            return None;
        }
        // What was looked at on another way is settled there.
        if outer.is_some_and(|outer| seen.contains(&outer)) {
            continue;
        }
        out = Some(asked(world, caller, level + 1, seen)?);
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
            let (name, others_leave) = leaves.then(|| names_owner(world, ExprRef(at.0, *condition)))??;
            // `if message.FromMe { return }` sends away what the owner writes.
            if is_said_of(&name) && !others_leave {
                return None;
            }
            Some(evidence(world, ExprRef(at.0, *condition), name))
        })
        .filter(|_| !index.module.truncated)
}

/// Whether a name says by itself that something is the owner's, and is not compared with anybody: `isFromMe`.
fn is_said_of(name: &str) -> bool {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(
        words.as_slice(),
        ["is", "from", "me", ..] | ["from", "me"] | ["is", "owner"]
    )
}

/// The name in a condition that stands for the one who runs the program, and whether the condition holds for everybody else: `!isFromMe`.
fn names_owner(world: &World<'_>, at: ExprRef) -> Option<(String, bool)> {
    let module = world.module(at.0);
    let mut stack: Vec<(ExprId, bool)> = vec![(at.1, false)];
    for _ in 0..PARTS_MAX {
        let (part, turned) = stack.pop()?;
        if let Expr::Name(name) | Expr::Member { name, .. } = module.expr(part) {
            let words = words_of(name);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            // One person whom the settings name: `YOUR_CHAT_ID`, `ALLOWED_USER_ID`. Of several (`ALLOWED_USER_IDS`) not all run it.
            let is_one = words.last() == Some(&"id")
                && matches!(
                    words.first(),
                    Some(&("my" | "your" | "owner" | "admin" | "allowed" | "authorized" | "authorised"))
                );
            let own = is_said_of(name) || is_one || words.contains(&"owner") && words.contains(&"id");
            if own {
                return Some((name.to_string(), turned && is_said_of(name)));
            }
        }
        // A test with one part turns it round, and so does one against `false`.
        let turns = match module.expr(part) {
            Expr::Test(parts) => {
                parts.len() == 1 || parts.iter().any(|part| matches!(module.expr(*part), Expr::Bool(false)))
            }
            _ => false,
        };
        stack.extend(module.children(part).into_iter().map(|child| (child, turned ^ turns)));
    }
    None
}
