//! The statements of a project.

use std::borrow::Borrow;

use engine_model::{FileInfo, Statement, StatementKind};

use crate::read::CrossFacts;

/// The statements of all files, in the order of path and line.
pub fn join<F: Borrow<CrossFacts>>(facts: &[(FileInfo, F)]) -> Vec<Statement> {
    let mut out: Vec<Statement> = facts
        .iter()
        .flat_map(|(_, facts)| facts.borrow().statements.iter().cloned())
        .collect();
    out.sort();
    out.dedup();
    out
}

/// Where code in a folder trains a language model, and where the folder publishes weights; none unless it does both.
///
/// Both together are the structure of somebody who may place a general-purpose model on the market. What the model is
/// for and how much computation went into it is for a person to say.
pub fn trains_and_publishes<'a>(statements: &'a [Statement], scope: &str) -> Option<(&'a Statement, &'a Statement)> {
    let inside = |statement: &&Statement| {
        scope.is_empty()
            || statement
                .file
                .strip_prefix(scope)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let first = |kind: StatementKind| statements.iter().filter(inside).find(|found| found.kind == kind);
    Some((first(StatementKind::Training)?, first(StatementKind::WeightsPublished)?))
}
