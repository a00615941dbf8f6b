//! Output that only the program uses: as a search query, an index, a class or a condition. A value computed from it may
//! reach a person; the text itself does not.

use std::collections::BTreeSet;

use engine_catalogue::words_of;
use engine_syntax::ir::{Expr, Pattern, StmtKind};

use super::{callee_name, object_name};
use crate::index::NONE;
use crate::values::ExprRef;
use crate::world::World;

/// Functions that an answer is handed back through.
const LEVELS_MAX: u32 = 2;
/// Callers of one function that are looked at.
const CALLERS_MAX: usize = 8;
/// Names under which one answer is kept in a function.
const NAMES_MAX: usize = 12;

/// Words in the names of calls that look something up by what they are given. What filters or routes a text may well give it on, and an embed of a
/// messenger shows it.
const LOOKS_UP: [&str; 12] = [
    "search",
    "searches",
    "retrieve",
    "retriever",
    "retrieval",
    "lookup",
    "similarity",
    "rerank",
    "embedding",
    "embeddings",
    "vectorstore",
    "knn",
];

/// Whether a call looks something up by what it is given, by its name.
fn looks_up(name: &str) -> bool {
    let words = words_of(name);
    let has = |known: &str| words.iter().any(|word| word == known);
    words.iter().any(|word| LOOKS_UP.contains(&word.as_str()))
        || has("embed") && (has("query") || has("queries") || has("documents") || has("texts"))
}

/// Calls that give the same text on, or a part of it.
const SAME: [&str; 28] = [
    "str",
    "String",
    "strip",
    "trim",
    "lower",
    "upper",
    "toLowerCase",
    "toUpperCase",
    "replace",
    "split",
    "int",
    "float",
    "len",
    "loads",
    "parse",
    "json",
    "text",
    "content",
    "list",
    "set",
    "sorted",
    "enumerate",
    "get",
    "output",
    "data",
    "Number",
    "parseInt",
    "model_dump",
];

/// How an answer is used at one place.
enum Use {
    /// The program looks something up with it, or chooses a way by it.
    Inside,
    /// It is written down for those who run the program, or not used at all.
    Aside,
    /// It is kept under further names.
    Named(Vec<String>),
    /// The function gives it back.
    Returned,
    /// It goes on elsewhere.
    Outside,
}

/// Whether an answer is used inside of the program only.
pub(super) fn stays(world: &World<'_>, at: ExprRef) -> bool {
    stays_at(world, at, LEVELS_MAX)
}

fn stays_at(world: &World<'_>, at: ExprRef, levels: u32) -> bool {
    let mut inside = false;
    let mut names: Vec<String> = Vec::new();
    match used(world, at) {
        Use::Inside => inside = true,
        Use::Named(bound) => names = bound,
        Use::Returned => return levels > 0 && handed_back(world, at, levels),
        Use::Aside | Use::Outside => return false,
    }
    let function = world.named_function_of(at).map(|function| function.1);
    let index = world.index(at.0);
    let exprs = index.exprs_of(function);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(name) = names.pop() {
        if !seen.insert(name.clone()) || seen.len() > NAMES_MAX {
            continue;
        }
        for id in &exprs {
            if !matches!(index.module.expr(*id), Expr::Name(known) if **known == *name) {
                continue;
            }
            match used(world, ExprRef(at.0, *id)) {
                Use::Inside => inside = true,
                Use::Aside => {}
                Use::Named(further) => names.extend(further),
                Use::Returned if levels > 0 && handed_back(world, at, levels) => inside = true,
                Use::Returned | Use::Outside => return false,
            }
        }
    }
    inside
}

/// Whether all who call the function around a place use what it gives back inside of the program only.
fn handed_back(world: &World<'_>, at: ExprRef, levels: u32) -> bool {
    let Some(function) = world.named_function_of(at) else {
        return false;
    };
    let zone = world.unit(at.0).zone;
    let callers: Vec<ExprRef> = world
        .callers_of(function)
        .iter()
        .copied()
        .filter(|caller| world.unit(caller.0).zone == zone)
        .take(CALLERS_MAX + 1)
        .collect();
    !callers.is_empty()
        && callers.len() <= CALLERS_MAX
        && callers.iter().all(|caller| stays_at(world, *caller, levels - 1))
}

/// How the value of an expression is used where it stands.
fn used(world: &World<'_>, at: ExprRef) -> Use {
    let index = world.index(at.0);
    let module = index.module;
    let mut child = at.1;
    for parent in index.ancestors(at.1) {
        match module.expr(parent) {
            Expr::Index { key, .. } if *key == child => return Use::Inside,
            Expr::Index { .. }
            | Expr::Member { .. }
            | Expr::Await(_)
            | Expr::Propagate(_)
            | Expr::Cast { .. }
            | Expr::Template(_)
            | Expr::Choice { .. }
            | Expr::List(_) => {}
            Expr::Test(_) => return Use::Inside,
            Expr::Comprehension { loops, value } => {
                // `[found[i] for i in answer]`
                let over = loops.iter().any(|(_, of)| *of == child);
                return if over && matches!(module.expr(*value), Expr::Index { .. }) {
                    Use::Inside
                } else {
                    Use::Outside
                };
            }
            Expr::Call { callee, .. } if *callee == child => {}
            Expr::Call { .. } => {
                let call = ExprRef(at.0, parent);
                let name = callee_name(world, call);
                let object = object_name(world, call).to_ascii_lowercase();
                if is_log(name, &object) {
                    return Use::Aside;
                }
                if looks_up(name) {
                    return Use::Inside;
                }
                if !SAME.contains(&name) {
                    return Use::Outside;
                }
            }
            _ => return Use::Outside,
        }
        child = parent;
    }
    let stmt = index.expr_stmt[child.0 as usize];
    if stmt == NONE {
        return Use::Outside;
    }
    match &index.stmts[stmt as usize].stmt.kind {
        StmtKind::Assign { target, value, .. } if *value == Some(child) => match target {
            Pattern::Place(_) => Use::Outside,
            _ => Use::Named(
                crate::flow::pattern_names(target)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            ),
        },
        StmtKind::If { condition, .. } if *condition == child => Use::Inside,
        StmtKind::Match {
            subject: Some(subject),
            arms,
        } if *subject == child => {
            // `match answer { Ok(reply) => … }` takes the answer out; `match answer { "yes" => … }` chooses by it.
            let taken: Vec<String> = arms
                .iter()
                .flatten()
                .filter_map(|stmt| match &stmt.kind {
                    StmtKind::Assign { target, value, .. } if *value == Some(child) => Some(target),
                    _ => None,
                })
                .flat_map(crate::flow::pattern_names)
                .map(str::to_owned)
                .collect();
            if taken.is_empty() {
                Use::Inside
            } else {
                Use::Named(taken)
            }
        }
        StmtKind::Return(Some(value)) if *value == child => Use::Returned,
        StmtKind::Expr(value) if is_alone(module.expr(*value)) => Use::Aside,
        _ => Use::Outside,
    }
}

/// Whether a statement only asks for a value and drops it.
const fn is_alone(expr: &Expr) -> bool {
    matches!(expr, Expr::Name(_) | Expr::Member { .. })
}

/// Whether a call writes down what it is given for those who run the program.
fn is_log(name: &str, object: &str) -> bool {
    object.contains("log") || object == "console" || matches!(name, "print" | "println" | "printf" | "pprint")
}

#[cfg(test)]
mod tests {
    use super::{is_log, looks_up};

    #[test]
    fn a_search_is_told_from_what_shows_a_text() {
        for name in [
            "search_entries",
            "similaritySearch",
            "retrieve_grammars_tool",
            "embed_query",
        ] {
            assert!(looks_up(name), "{name}");
        }
        for name in ["Embed", "EmbedBuilder", "filter_profanity", "research", "route_reply"] {
            assert!(!looks_up(name), "{name}");
        }
    }

    #[test]
    fn a_log_is_no_use() {
        assert!(is_log("info", "logfire"));
        assert!(is_log("print", ""));
        assert!(!is_log("reply", "message"));
    }
}
