//! Whether a notice stands where people read it before or with an answer.

use std::collections::BTreeSet;

use engine_syntax::ir::{Expr, ExprId, StmtKind};

use super::disclosure::Notice;
use crate::index::{NONE, Role};
use crate::values::{ExprRef, Value, id};
use crate::world::World;

/// Letters of what a person writes for the sake of a greeting.
const GREETING_CHARS_MAX: usize = 24;

/// Words in the names of what a person wrote.
const WRITTEN: [&str; 16] = [
    "text",
    "message",
    "msg",
    "content",
    "body",
    "query",
    "input",
    "prompt",
    "question",
    "incoming",
    "utterance",
    "command",
    "lower",
    "userinput",
    "usermessage",
    "transcript",
];

/// Words in the names of what is no message, though it belongs to one.
const OF_MESSAGE: [&str; 14] = [
    "role", "type", "kind", "sender", "lang", "language", "status", "mode", "name", "id", "from", "state", "step",
    "event",
];

/// Whether a notice counts: nobody sees a component that nothing brings in, and few see what is said to one greeting only.
pub(super) fn counts(world: &World<'_>, notice: &Notice, unused: &BTreeSet<String>) -> bool {
    if unused.contains(&notice.file) {
        return false;
    }
    let Some(unit) = world.units.iter().position(|unit| unit.path == notice.file) else {
        return true;
    };
    let unit = id(unit);
    let index = world.index(unit);
    let mut texts = index.module.exprs.iter().enumerate().filter(|(at, expr)| {
        expr.span.line == notice.line && matches!(expr.kind, Expr::Str(_)) && index.expr_scope[*at] != NONE
    });
    let Some((at, _)) = texts.next() else { return true };
    !index.statements_around(ExprId(id(at))).into_iter().any(|stmt| {
        let info = &index.stmts[stmt as usize];
        if info.role != Role::Then || info.parent == NONE {
            return false;
        }
        matches!(&index.stmts[info.parent as usize].stmt.kind, StmtKind::If { condition, .. }
            if is_one_message(world, ExprRef(unit, *condition), 0))
    })
}

/// Whether a condition asks if a message is one of a few: `text == "hi"`, `text.lower() in greetings`. A command that a messenger shows
/// first (`/start`) is none of these.
fn is_one_message(world: &World<'_>, at: ExprRef, depth: u32) -> bool {
    let Expr::Test(parts) = world.expr(at) else {
        return false;
    };
    if depth < 4
        && parts
            .iter()
            .any(|part| is_one_message(world, ExprRef(at.0, *part), depth + 1))
    {
        return true;
    }
    let module = world.module(at.0);
    let greeting =
        |text: &str| !text.is_empty() && !text.starts_with(['/', '!']) && text.chars().count() <= GREETING_CHARS_MAX;
    let literal = |part: &ExprId| match module.expr(*part) {
        Expr::Str(text) => greeting(text),
        Expr::List(_) | Expr::Name(_) => {
            listed(world, ExprRef(at.0, *part)).is_some_and(|all| all.iter().all(|text| greeting(text)))
        }
        _ => false,
    };
    parts.iter().any(literal) && parts.iter().any(|part| is_written(world, ExprRef(at.0, *part)))
}

/// The texts of a list that an expression is.
fn listed<'m>(world: &World<'m>, at: ExprRef) -> Option<Vec<&'m str>> {
    let texts = |place: ExprRef| match world.expr(place) {
        Expr::List(items) if !items.is_empty() => items
            .iter()
            .map(|item| match world.expr(ExprRef(place.0, *item)) {
                Expr::Str(text) => Some(&**text),
                _ => None,
            })
            .collect::<Option<Vec<&str>>>(),
        _ => None,
    };
    texts(at).or_else(|| {
        world.eval(at).iter().find_map(|value| match value {
            Value::Literal(literal) => texts(*literal),
            _ => None,
        })
    })
}

/// Whether an expression is what a person wrote, told by its names.
fn is_written(world: &World<'_>, at: ExprRef) -> bool {
    let module = world.module(at.0);
    let mut expr = at.1;
    let mut written = false;
    for _ in 0..16 {
        let (name, next) = match module.expr(expr) {
            Expr::Name(name) => (&**name, None),
            Expr::Member { object, name } => (&**name, Some(*object)),
            Expr::Call { callee, .. } => ("", Some(*callee)),
            Expr::Await(inner) => ("", Some(*inner)),
            _ => return written,
        };
        let words = engine_catalogue::words_of(name);
        let is = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        if is(&OF_MESSAGE) {
            return false;
        }
        written |= is(&WRITTEN);
        let Some(next) = next else { return written };
        expr = next;
    }
    written
}
