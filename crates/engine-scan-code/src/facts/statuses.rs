//! Requests of clients that raise no error on a status, and whose status is checked: the code handles every status that
//! is not a success.

use engine_model::{Call, Evidence};
use engine_syntax::ir::{Expr, ExprId, Stmt, StmtKind};

use super::{callee_name, evidence};
use crate::index::NONE;
use crate::values::ExprRef;
use crate::world::World;

/// Statements after a request that are looked at.
const AFTER_MAX: usize = 8;

/// Methods that send a request by hand.
const SENDS: [&str; 14] = [
    "get",
    "post",
    "put",
    "request",
    "send",
    "fetch",
    "$fetch",
    "Do",
    "Post",
    "execute",
    "PostAsync",
    "SendAsync",
    "PostAsJsonAsync",
    "urlopen",
];

/// What tells how a request went.
const TELLS: [&str; 11] = [
    "Successful",
    "ok",
    "status",
    "status_code",
    "statusCode",
    "StatusCode",
    "IsSuccessStatusCode",
    "is_success",
    "is_error",
    "isSuccessful",
    "code",
];

/// Whether a library says in its result how a call went and raises nothing: Betalgo's for .NET.
fn tells_by_itself(call: &Call) -> bool {
    ["OpenAI.Interfaces.", "OpenAI.Managers.", "Betalgo."]
        .iter()
        .any(|root| call.symbol.starts_with(root))
}

/// Where the status of a request that a call sends is looked at, and what is not good is dealt with by more than raising it.
pub(super) fn reported(world: &World<'_>, call: &Call, at: ExprRef) -> Option<Evidence> {
    let by_hand = call.host.is_some() && SENDS.contains(&callee_name(world, at));
    if !by_hand && !tells_by_itself(call) {
        return None;
    }
    let index = world.index(at.0);
    let stmt = index.expr_stmt[at.1.0 as usize];
    if stmt == NONE {
        return None;
    }
    let StmtKind::Assign { target, .. } = &index.stmts[stmt as usize].stmt.kind else {
        return None;
    };
    let names = crate::flow::pattern_names(target);
    let mut next = index.stmts[stmt as usize].next;
    for _ in 0..AFTER_MAX {
        if next == NONE {
            return None;
        }
        let info = &index.stmts[next as usize];
        if let StmtKind::If {
            condition,
            then,
            otherwise,
        } = &info.stmt.kind
            && asks(world, at.0, *condition, &names)
        {
            let raises = |stmts: &[Stmt]| matches!(stmts, [only] if matches!(only.kind, StmtKind::Raise(_)));
            let follows =
                || info.next != NONE && !matches!(index.stmts[info.next as usize].stmt.kind, StmtKind::Raise(_));
            let leaves = then.iter().any(|stmt| matches!(stmt.kind, StmtKind::Return(_)));
            let dealt = if otherwise.is_empty() {
                leaves && follows()
            } else {
                !raises(otherwise)
            };
            let place = ExprRef(at.0, *condition);
            return (dealt && !raises(then)).then(|| evidence(world, place, "every other status is handled"));
        }
        next = info.next;
    }
    None
}

/// The first and the last line of each block that runs where a request went one way or the other.
pub(super) fn branches(world: &World<'_>, at: ExprRef) -> Vec<(u32, u32)> {
    let index = world.index(at.0);
    let stmt = index.expr_stmt[at.1.0 as usize];
    let Some(info) = index.stmts.get(stmt as usize) else {
        return Vec::new();
    };
    let StmtKind::Assign { target, .. } = &info.stmt.kind else {
        return Vec::new();
    };
    let names = crate::flow::pattern_names(target);
    let mut out = Vec::new();
    let mut next = info.next;
    for _ in 0..AFTER_MAX {
        let Some(info) = index.stmts.get(next as usize) else {
            break;
        };
        if let StmtKind::If {
            condition,
            then,
            otherwise,
        } = &info.stmt.kind
            && asks(world, at.0, *condition, &names)
        {
            out.extend([then, otherwise].into_iter().filter_map(|block| {
                let (first, last) = (block.first()?, block.last()?);
                Some((first.span.line, last.span.end_line))
            }));
        }
        next = info.next;
    }
    out
}

/// Whether a condition asks how the request under one of these names went.
fn asks(world: &World<'_>, unit: u32, condition: ExprId, names: &[&str]) -> bool {
    let module = world.module(unit);
    let mut stack = vec![condition];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 60 {
            return false;
        }
        if let Expr::Member { object, name } = module.expr(id)
            && TELLS.contains(&&**name)
            && matches!(module.expr(*object), Expr::Name(of) if names.contains(&&**of))
        {
            return true;
        }
        stack.extend(module.children(id));
    }
    false
}
