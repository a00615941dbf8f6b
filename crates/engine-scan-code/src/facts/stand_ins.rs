//! What a program gives in place of an answer when a model fails.
//!
//! A text that says so is for people to read. A number that looks like one of the model's is not: a rating, a score, a record that
//! nobody can tell from the others.

use engine_model::Evidence;
use engine_syntax::ir::{Expr, ExprId, Stmt, StmtKind};

use super::evidence;
use crate::flow::Flow;
use crate::index::Role;
use crate::values::ExprRef;
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

/// Where the failure of a call is given back as if the model had judged.
pub(super) fn find(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, at: ExprRef) -> Option<Evidence> {
    let function = world.home_of(at)?;
    let index = world.index(at.0);
    // What is given back stands in for an answer only where the same function gives back answers.
    let answers = index.returns[function.1.0 as usize]
        .iter()
        .any(|value| flow.origins(ExprRef(at.0, *value)).answers.contains(which));
    if !answers {
        return None;
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
            if let Some(value) = given(&handler.body, 0, &|value| judges(world, at.0, value)) {
                return Some(evidence(
                    world,
                    ExprRef(at.0, value),
                    "is given back where the model fails",
                ));
            }
        }
    }
    None
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
