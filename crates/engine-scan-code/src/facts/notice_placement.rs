//! Whether a disclosure is placed where people read it before or with the output.

use std::collections::BTreeSet;

use engine_model::Effect;
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use super::calls_in;
use super::disclosure::Notice;
use super::effects::sink;
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
        expr.span().line == notice.line && matches!(expr.kind, Expr::Str(_)) && index.expr_scope[*at] != NONE
    });
    let Some((at, _)) = texts.next() else { return true };
    if is_kept_as_a_field(world, ExprRef(unit, ExprId(id(at)))) {
        return false;
    }
    !index.statements_around(ExprId(id(at))).into_iter().any(|stmt| {
        let info = &index.stmts[stmt as usize];
        if info.role != Role::Then || info.parent == NONE {
            return false;
        }
        matches!(&index.stmts[info.parent as usize].stmt.kind, StmtKind::If { condition, .. }
            if is_one_message(world, ExprRef(unit, *condition), 0))
    })
}

/// Fields that hold what is said in a talk, and the notice of an answer: who reads the talk later reads them.
const SAID: [&str; 14] = [
    "content",
    "text",
    "message",
    "body",
    "answer",
    "reply",
    "response",
    "output",
    "greeting",
    "notice",
    "disclaimer",
    "disclosure",
    "footer",
    "label",
];

/// Whether a text is only put into a field of a record that is kept: `new Exam { Description = "AI-generated test" }`. Whoever is shown that
/// field is not in sight.
fn is_kept_as_a_field(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let module = index.module;
    let mut inner = at.1;
    let mut field = None;
    for above in index.ancestors(at.1) {
        let place = ExprRef(at.0, above);
        let named =
            match module.expr(above) {
                Expr::Element { .. } | Expr::Function(_) => return false,
                Expr::Map(entries) => entries
                    .iter()
                    .find(|entry| entry.value == inner)
                    .and_then(|entry| match module.expr(entry.key?) {
                        Expr::Str(key) | Expr::Name(key) => Some(&**key),
                        _ => None,
                    }),
                Expr::Call { args, .. } => {
                    if field.is_some() && sink(world, place, false) == Some(Effect::Database) {
                        return true;
                    }
                    args.iter()
                        .find(|arg| arg.value == inner)
                        .and_then(|arg| arg.name.as_deref())
                }
                _ => None,
            };
        if field.is_none()
            && let Some(name) = named
        {
            let words = engine_catalogue::words_of(name);
            if words.iter().any(|word| SAID.contains(&word.as_str())) {
                return false;
            }
            field = Some(name);
        }
        inner = above;
    }
    let stmt = index.expr_stmt[at.1.0 as usize];
    if field.is_none() || stmt == NONE {
        return false;
    }
    let StmtKind::Assign {
        target: Pattern::Name(record),
        ..
    } = &index.stmts[stmt as usize].stmt.kind
    else {
        return false;
    };
    let handed = |call: &ExprRef| {
        matches!(world.expr(*call), Expr::Call { args, .. }
            if args.iter().any(|arg| matches!(module.expr(arg.value), Expr::Name(name) if name == record)))
    };
    calls_in(world, at.0, world.home_of(at))
        .iter()
        .any(|call| handed(call) && sink(world, *call, false) == Some(Effect::Database))
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
