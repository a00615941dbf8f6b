//! Output that waits in a table or with a service until a named person signs it: `UPDATE proposals SET confirmed_by =
//! …`, `teasers.save(teaser.copy(releasedBy = editor.name))`.

use engine_model::Zone;
use engine_syntax::ir::{Expr, ExprId};
use rustc_hash::FxHashMap;

use super::{Approvals, DECIDERS, callee_name, object_name, texts_in_args};
use crate::flow::Flow;
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

/// Fields that hold who has agreed, without case and separators.
const SIGNATURES: [&str; 9] = [
    "acceptedby",
    "approvedby",
    "confirmedby",
    "decidedby",
    "moderatedby",
    "releasedby",
    "reviewedby",
    "signedoffby",
    "verifiedby",
];

/// What methods are called by which somebody decides.
const DECISIONS: [&str; 7] = [
    "accept", "approve", "confirm", "decide", "publish", "release", "signoff",
];

/// How deep in what a call is given a signature is looked for.
const DEPTH_MAX: u32 = 4;

/// What waits for a name: a table, or what a service or a store is called.
type Waiting = FxHashMap<String, (ExprRef, Option<FunctionRef>)>;

/// Answers that are kept where somebody signs them later, in another function.
pub(super) fn see(world: &World<'_>, flow: &Flow<'_, '_>, out: &mut Approvals) {
    let waiting = waiting(world);
    if waiting.is_empty() {
        return;
    }
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let act = kept_in(world, at).into_iter().find_map(|place| waiting.get(&place));
            let Some((act, function)) = act.filter(|(act, _)| *act != at) else {
                continue;
            };
            let origins = flow.of_arguments(at);
            if !origins.answers.is_empty() && world.named_function_of(at) != *function {
                out.see(&origins.answers, *act);
            }
        }
    }
}

/// Where something is signed.
fn waiting(world: &World<'_>) -> Waiting {
    let mut out = Waiting::default();
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let function = world.named_function_of(at);
            let mut sign = |place: String| {
                if place.len() > 2 {
                    out.entry(place).or_insert((at, function));
                }
            };
            for table in texts_in_args(world, at).into_iter().filter_map(signed_table) {
                sign(table);
                // A store that writes its own rows is asked by its name elsewhere.
                if let Some(class) = function.and_then(|function| world.function(function).class)
                    && let Some(name) = world.module(unit).class(class).name.as_deref()
                {
                    sign(plain(name));
                }
            }
            if signs(world, at) {
                sign(plain(object_name(world, at)));
            }
        }
    }
    out
}

/// The table of a statement by which a row is signed.
fn signed_table(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let rest = lower.trim_start().strip_prefix("update ")?;
    let (table, set) = rest.trim_start().split_once(char::is_whitespace)?;
    let signed = set.split(['=', ',', ' ', '\n', '\t', '"', '`']).any(is_signature);
    signed.then(|| plain(table))
}

/// What a call keeps something in: the table of its statement, or what it is called on.
fn kept_in(world: &World<'_>, at: ExprRef) -> Vec<String> {
    let texts = texts_in_args(world, at).into_iter();
    let mut out: Vec<String> = texts.filter_map(filled_table).collect();
    out.push(plain(object_name(world, at)));
    out.retain(|place| place.len() > 2);
    out
}

fn filled_table(text: &str) -> Option<String> {
    let lower = text.trim_start().get(..12)?.to_ascii_lowercase();
    let rest = text.trim_start().get(12..)?;
    (lower == "insert into ").then(|| plain(rest.trim_start().split([' ', '(', '\n']).next().unwrap_or("")))
}

/// Whether a call hands over the name of whoever agrees.
fn signs(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let by_name = args.iter().any(|arg| {
        arg.name.as_deref().is_some_and(is_signature) && !is_empty(world, at.0, arg.value)
            || holds_signature(world, ExprRef(at.0, arg.value), 0)
    });
    if by_name {
        return true;
    }
    let name = plain(callee_name(world, at));
    if !DECISIONS.iter().any(|decision| name.starts_with(decision)) {
        return false;
    }
    let by_decider = args.iter().any(|arg| match world.module(at.0).expr(arg.value) {
        Expr::Name(name) | Expr::Member { name, .. } => {
            let lower = name.to_ascii_lowercase();
            DECIDERS.iter().any(|decider| lower.contains(decider))
        }
        _ => false,
    });
    by_decider
        || world.callees(at).iter().any(|function| {
            let params = &world.function(*function).params;
            params
                .iter()
                .flat_map(|param| crate::flow::pattern_names(&param.pattern))
                .any(is_signature)
        })
}

/// Whether a value holds a signature: `{ approvedBy: user.email }`, `draft.copy(releasedBy = editor.name)`.
fn holds_signature(world: &World<'_>, at: ExprRef, depth: u32) -> bool {
    if depth > DEPTH_MAX {
        return false;
    }
    let inner = |id: &ExprId| holds_signature(world, ExprRef(at.0, *id), depth + 1);
    match world.expr(at) {
        Expr::Map(entries) => entries.iter().any(|entry| {
            let key = entry.key.map(|key| world.module(at.0).expr(key));
            matches!(key, Some(Expr::Str(key) | Expr::Name(key)) if is_signature(key))
                && !is_empty(world, at.0, entry.value)
                || inner(&entry.value)
        }),
        Expr::Call { args, .. } => args.iter().any(|arg| {
            arg.name.as_deref().is_some_and(is_signature) && !is_empty(world, at.0, arg.value) || inner(&arg.value)
        }),
        Expr::Await(value) => inner(value),
        _ => false,
    }
}

/// Whether nobody stands there yet.
fn is_empty(world: &World<'_>, unit: u32, value: ExprId) -> bool {
    match world.module(unit).expr(value) {
        Expr::Null => true,
        Expr::Str(text) => text.is_empty(),
        _ => false,
    }
}

fn is_signature(name: &str) -> bool {
    name.len() <= 40 && SIGNATURES.contains(&plain(name).as_str())
}

/// A name without case and separators.
fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}
