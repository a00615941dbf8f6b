//! Failures that are caught, logged or retried, and finally raised again.
//!
//! Such a failure is handled where those who call the function end it. Where nobody does, it was caught to no end that could be shown to
//! anybody as handling, and is not plainly unhandled either.

use engine_model::{Evidence, EvidenceKind};
use engine_syntax::ir::{Handler, Stmt, StmtKind};

use super::errors::{Failures, replies};
use crate::flow::Flow;
use crate::index::{NONE, Role};
use crate::values::ExprRef;
use crate::world::World;

/// Statements around a call that are looked at.
const AROUND_MAX: usize = 60;

/// Where the failure of a call is raised on though a block catches it, and no caller ends it.
pub(super) fn find(world: &World<'_>, failures: &Failures<'_, '_>, at: ExprRef) -> Option<Evidence> {
    let raised = raised_on(world, failures, at)?;
    if failures.ends_at_callers(at) {
        return None;
    }
    Some(Evidence {
        kind: EvidenceKind::Code,
        reference: "the failure is raised again".to_owned(),
        file: Some(world.unit(at.0).path.to_owned()),
        line: Some(raised.span.line),
        hash: None,
    })
}

/// Functions on the ways from a call to requests that are asked.
const FUNCTIONS_MAX: usize = 40;

/// Whether a failure that nobody catches leaves handlers of requests only, and the product has a place that takes every failure of these:
/// whoever asks is answered there.
pub(super) fn taken(
    world: &World<'_>,
    flow: &Flow<'_, '_>,
    failures: &Failures<'_, '_>,
    at: ExprRef,
) -> Option<Evidence> {
    let unit = world.unit(at.0);
    // In Python any file may hold such a place, and to read them all anew for each change would cost more than it tells.
    if crate::project::is_python(unit.language) {
        return None;
    }
    let mut known = vec![world.home_of(at)?];
    let mut next = 0;
    while let Some(function) = known.get(next).copied() {
        next += 1;
        if flow.handlers.contains(&function) {
            continue;
        }
        let callers = world.callers_of(function);
        let mut outer = callers
            .iter()
            .filter(|caller| world.unit(caller.0).zone == unit.zone)
            .peekable();
        // Somebody else runs it: a schedule, a listener, a start.
        outer.peek()?;
        for caller in outer {
            let home = world.home_of(*caller)?;
            if !known.contains(&home) {
                known.push(home);
            }
        }
        if known.len() > FUNCTIONS_MAX {
            return None;
        }
    }
    failures.takes_all(unit.language).then(|| Evidence {
        kind: EvidenceKind::Code,
        reference: "the failure is answered by the central error handler".to_owned(),
        file: Some(unit.path.to_owned()),
        line: Some(world.span(at).line),
        hash: None,
    })
}

/// The statement that raises it: the last one of each handler, or the one behind the loop in which the call is tried again.
fn raised_on<'m>(world: &World<'m>, failures: &Failures<'_, '_>, at: ExprRef) -> Option<&'m Stmt> {
    let index = world.index(at.0);
    let around = index.statements_around(at.1);
    let position = around.iter().take(AROUND_MAX).position(|stmt| {
        let info = &index.stmts[*stmt as usize];
        info.role == Role::TryBody
            && matches!(&index.stmts[info.parent as usize].stmt.kind, StmtKind::Try { handlers, .. } if !handlers.is_empty())
    })?;
    let tried = index.stmts[around[position] as usize].parent;
    let StmtKind::Try { handlers, .. } = &index.stmts[tried as usize].stmt.kind else {
        return None;
    };
    // A block further out may end it.
    let is_try = |stmt: &u32| index.stmts[*stmt as usize].role == Role::TryBody;
    if around[position + 1..].iter().any(is_try) {
        return None;
    }
    let lets_out = |stmt: &Stmt| match stmt.kind {
        StmtKind::Raise(Some(raised)) => !replies(world, at.0, raised),
        StmtKind::Raise(None) => true,
        _ => false,
    };
    let raises = |handler: &'m Handler| {
        let last = handler.body.last()?;
        (lets_out(last) && !failures.is_taken(at.0, std::slice::from_ref(last))).then_some(last)
    };
    if handlers.iter().all(|handler| raises(handler).is_some()) {
        return handlers.iter().find_map(raises);
    }
    // Tried again and again, and raised behind the loop.
    let leaves = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(_));
    if handlers.iter().any(|handler| handler.body.iter().any(leaves)) {
        return None;
    }
    let looped = around[position..].iter().take(AROUND_MAX).find(|stmt| {
        let info = &index.stmts[**stmt as usize];
        info.role == Role::LoopBody
    })?;
    let repeated = &index.stmts[index.stmts[*looped as usize].parent as usize];
    let behind = (repeated.next != NONE).then(|| index.stmts[repeated.next as usize].stmt)?;
    (lets_out(behind) && !failures.is_taken(at.0, std::slice::from_ref(behind))).then_some(behind)
}
