//! Replacement output that a program returns when a model call fails.
//!
//! A text that says so is for people to read. A number that looks like one of the model's is not: a rating, a score, a record that
//! nobody can tell from the others.

use engine_model::Evidence;
use engine_syntax::ir::{Expr, ExprId, Pattern, Stmt, StmtKind};

use super::{callee_name, evidence};
use crate::flow::Flow;
use crate::index::Role;
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

/// Blocks in one another that are looked at.
const DEPTH_MAX: u32 = 8;

/// Keys under which a reply says that it is none.
const SAYS_SO: [&str; 12] = [
    "error",
    "err",
    "success",
    "ok",
    "status",
    "failed",
    "failure",
    "detail",
    "code",
    "exception",
    "statuscode",
    "errors",
];

/// Functions on the way from a call to where its failure ends.
const LEVELS_MAX: usize = 3;
/// Callers of one function that are looked at.
const CALLERS_MAX: usize = 8;

/// Where the failure of a call is given back as if the model had judged, or swallowed: in its own function, or in one that leads to it.
pub(super) fn find(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, at: ExprRef) -> Option<Evidence> {
    let mut level = vec![at];
    for _ in 0..LEVELS_MAX {
        if let Some(found) = level.iter().find_map(|place| here(world, flow, which, *place)) {
            return Some(found);
        }
        let mut next: Vec<ExprRef> = Vec::new();
        // Whoever calls a function in which the failure ends hears nothing of it.
        for place in level.iter().filter(|place| !tries(world, **place)) {
            let Some(function) = world.home_of(*place) else {
                continue;
            };
            let zone = world.unit(function.0).zone;
            next.extend(
                world
                    .callers_of(function)
                    .iter()
                    .copied()
                    .filter(|caller| world.unit(caller.0).zone == zone)
                    .take(CALLERS_MAX),
            );
        }
        level = next;
    }
    None
}

/// Whether a place stands in a block whose failures end there.
fn tries(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    index.statements_around(at.1).into_iter().any(|stmt| {
        let info = &index.stmts[stmt as usize];
        info.role == Role::TryBody
            && matches!(&index.stmts[info.parent as usize].stmt.kind, StmtKind::Try { handlers, .. } if !handlers.is_empty())
    })
}

/// The same in the function around one place.
fn here(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, at: ExprRef) -> Option<Evidence> {
    let function = world.home_of(at)?;
    let index = world.index(at.0);
    // What is given back stands in for an answer only where the same function gives back answers, or what is made of them.
    let returned = || index.returns[function.1.0 as usize].iter();
    let answers = returned().any(|value| flow.origins(ExprRef(at.0, *value)).answers.contains(which));
    let made = |value: ExprId| {
        let name = callee_name(world, ExprRef(at.0, value));
        !name.is_empty() && returned().any(|other| *other != value && callee_name(world, ExprRef(at.0, *other)) == name)
    };
    for lines in super::statuses::branches(world, at) {
        if let Some(place) = rated(world, function, lines) {
            return Some(evidence(world, place, "replaces the output if the model fails"));
        }
    }
    for stmt in index.statements_around(at.1) {
        let info = &index.stmts[stmt as usize];
        if info.role != Role::TryBody {
            continue;
        }
        let StmtKind::Try { handlers, .. } = &index.stmts[info.parent as usize].stmt.kind else {
            continue;
        };
        for handler in handlers {
            let lines = handler.body.first().zip(handler.body.last());
            let kept = lines.and_then(|(first, last)| rated(world, function, (first.span.line, last.span.end_line)));
            if let Some(place) = kept {
                return Some(evidence(world, place, "replaces the output if the model fails"));
            }
            if handler.body.is_empty() && !handlers.iter().any(|other| !other.body.is_empty()) {
                return Some(Evidence {
                    line: Some(handler.span.line),
                    ..evidence(world, at, "swallows the failure")
                });
            }
            // What stands in may be worked out first and handed on as if a model had said it.
            let inside = |call: ExprId| {
                let line = index.module.span(call).line;
                let (first, last) = (handler.body.first(), handler.body.last());
                first.is_some_and(|stmt| stmt.span.line <= line) && last.is_some_and(|stmt| line <= stmt.span.end_line)
            };
            let worked_out = index
                .calls_of(Some(function.1))
                .into_iter()
                .map(|call| ExprRef(at.0, call))
                .find(|call| inside(call.1) && judges_elsewhere(world, *call));
            if let Some(call) = worked_out {
                return Some(evidence(world, call, "replaces the output if the model fails"));
            }
            let stands_in = |value: ExprId| {
                answers && judges(world, at.0, value) || (answers || made(value)) && is_record(world, at.0, value)
            };
            let says_so = |value: ExprId| error_key(world, at.0, value).is_some();
            if answers
                && let Some(value) = given(&handler.body, 0, &says_so)
                && error_key(world, at.0, value).is_some_and(|key| !is_looked_at(world, function, key))
                && feeds_another(flow, which)
            {
                return Some(evidence(
                    world,
                    ExprRef(at.0, value),
                    "the error is passed to the next model as if it were output",
                ));
            }
            if let Some(value) = given(&handler.body, 0, &stands_in) {
                return Some(evidence(
                    world,
                    ExprRef(at.0, value),
                    "is returned instead of the output if the model fails",
                ));
            }
        }
    }
    None
}

/// The key under which a record says that it is no answer: `{"error": str(e)}`.
fn error_key<'w>(world: &World<'w>, unit: u32, value: ExprId) -> Option<&'w str> {
    let Expr::Map(entries) = world.module(unit).expr(value) else {
        return None;
    };
    entries
        .iter()
        .find_map(|entry| match world.module(unit).expr(entry.key?) {
            Expr::Str(key) | Expr::Name(key) if SAYS_SO.contains(&key.to_ascii_lowercase().as_str()) => Some(&**key),
            _ => None,
        })
}

/// Whether one of those who call a function asks for a key of what it gives back. Where nobody is seen to call it, somebody may.
fn is_looked_at(world: &World<'_>, function: FunctionRef, key: &str) -> bool {
    let callers = world.callers_of(function);
    callers.is_empty()
        || callers.iter().take(CALLERS_MAX).any(|caller| {
            let index = world.index(caller.0);
            let around = world.home_of(*caller).map(|function| function.1);
            index
                .exprs_of(around)
                .into_iter()
                .any(|id| match index.module.expr(id) {
                    Expr::Str(text) => &**text == key,
                    Expr::Member { name, .. } => &**name == key,
                    // `isinstance(result, dict)`
                    Expr::Name(name) => matches!(&**name, "isinstance" | "typeof"),
                    _ => false,
                })
        })
}

/// Whether what a call gives goes into another call of a model.
fn feeds_another(flow: &Flow<'_, '_>, which: usize) -> bool {
    flow.answers
        .iter()
        .any(|(at, other)| *other != which && flow.of_arguments(*at).answers.contains(which))
}

/// Where a record with a rating of its own is made between two lines, or a rating is written: `rankings.push({ matchScore: 0 })`. What says by
/// itself that it is none is left out.
fn rated(world: &World<'_>, function: FunctionRef, (first, last): (u32, u32)) -> Option<ExprRef> {
    let index = world.index(function.0);
    let module = index.module;
    let number = |value: ExprId| matches!(module.expr(value), Expr::Number(_));
    let is_rating = |name: &str| {
        let lower = name.to_ascii_lowercase();
        ["score", "rating", "percentage", "points"]
            .iter()
            .any(|word| lower.contains(word))
    };
    let record = index.exprs_of(Some(function.1)).into_iter().find(|id| {
        let line = module.span(*id).line;
        let Expr::Map(entries) = module.expr(*id) else {
            return false;
        };
        let key = |entry: &engine_syntax::ir::MapEntry| match entry.key.map(|key| module.expr(key)) {
            Some(Expr::Str(key) | Expr::Name(key)) => key.as_str(),
            _ => "",
        };
        (first..=last).contains(&line)
            && entries.iter().any(|entry| is_rating(key(entry)) && number(entry.value))
            && !entries
                .iter()
                .any(|entry| SAYS_SO.contains(&key(entry).to_ascii_lowercase().replace('_', "").as_str()))
    });
    let written = || {
        index.stmts.iter().find_map(|info| {
            let StmtKind::Assign {
                target: Pattern::Place(place),
                value: Some(value),
                ..
            } = &info.stmt.kind
            else {
                return None;
            };
            let named = matches!(module.expr(*place), Expr::Member { name, .. } if is_rating(name));
            let inside = (first..=last).contains(&info.stmt.span.line) && index.within(*value, function.1);
            (named && number(*value) && inside).then_some(*value)
        })
    };
    record.or_else(written).map(|id| ExprRef(function.0, id))
}

/// Whether a value is a record that is made with a number in it, as the model's own are: `new Grade(topic, 0, "no answer")`.
fn is_record(world: &World<'_>, unit: u32, value: ExprId) -> bool {
    /// Names of what says by itself that it is no answer.
    const SAYS: [&str; 10] = [
        "error",
        "exception",
        "response",
        "fail",
        "http",
        "status",
        "result.err",
        "problem",
        "entity",
        "exit",
    ];
    let module = world.module(unit);
    let Expr::Call { args, new, .. } = module.expr(value) else {
        return false;
    };
    let name = callee_name(world, ExprRef(unit, value));
    let lower = name.to_ascii_lowercase();
    if !(*new || name.starts_with(char::is_uppercase)) || SAYS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    args.iter().any(|arg| {
        let key = arg.name.as_deref().unwrap_or("").to_ascii_lowercase().replace('_', "");
        matches!(module.expr(arg.value), Expr::Number(_)) && !SAYS_SO.contains(&key.as_str())
    })
}

/// Whether a value is made by a function of the product that is named for standing in, and that rates: `makeFallbackJson(resume)`.
fn judges_elsewhere(world: &World<'_>, at: ExprRef) -> bool {
    let words = engine_catalogue::words_of(callee_name(world, at));
    let stands_in = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "fallback" | "default" | "heuristic" | "mock" | "dummy" | "fake" | "basic" | "simple"
        )
    });
    stands_in
        && world.callees(at).iter().any(|function| {
            let index = world.index(function.0);
            index.exprs_of(Some(function.1)).into_iter().any(|id| {
                let rates = |text: &str| {
                    let lower = text.to_ascii_lowercase();
                    ["score", "rating", "\"grade", "points"]
                        .iter()
                        .any(|word| lower.contains(word))
                };
                match index.module.expr(id) {
                    Expr::Str(text) => text.len() < 600 && rates(text),
                    Expr::Map(entries) => entries.iter().any(|entry| {
                        entry.key.is_some_and(
                            |key| matches!(index.module.expr(key), Expr::Str(key) | Expr::Name(key) if rates(key)),
                        )
                    }),
                    _ => false,
                }
            })
        })
}

/// The first value of a kind that a block gives back.
fn given(stmts: &[Stmt], depth: u32, is: &dyn Fn(ExprId) -> bool) -> Option<ExprId> {
    if depth > DEPTH_MAX {
        return None;
    }
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Return(Some(value)) => is(*value).then_some(*value),
        StmtKind::If { then, otherwise, .. } => given(then, depth + 1, is).or_else(|| given(otherwise, depth + 1, is)),
        StmtKind::With { body, .. } | StmtKind::Block(body) => given(body, depth + 1, is),
        StmtKind::Match { arms, .. } => arms.iter().find_map(|arm| given(arm, depth + 1, is)),
        _ => None,
    })
}

/// Whether a value holds a number that nothing marks as none of the model's: `1, "no rating"`, `{"score": 0}`.
fn judges(world: &World<'_>, unit: u32, value: ExprId) -> bool {
    let module = world.module(unit);
    match module.expr(value) {
        Expr::Number(_) => true,
        Expr::List(items) => {
            items.iter().any(|item| matches!(module.expr(*item), Expr::Number(_)))
                && items.iter().all(|item| {
                    matches!(
                        module.expr(*item),
                        Expr::Number(_) | Expr::Str(_) | Expr::Template(_) | Expr::Bool(_) | Expr::List(_)
                    )
                })
        }
        Expr::Map(entries) => {
            let key = |entry: &engine_syntax::ir::MapEntry| match entry.key.map(|key| module.expr(key)) {
                Some(Expr::Str(key) | Expr::Name(key)) => key.as_str().to_ascii_lowercase().replace('_', ""),
                _ => String::new(),
            };
            entries
                .iter()
                .any(|entry| matches!(module.expr(entry.value), Expr::Number(_)))
                && !entries.iter().any(|entry| SAYS_SO.contains(&key(entry).as_str()))
        }
        _ => false,
    }
}
