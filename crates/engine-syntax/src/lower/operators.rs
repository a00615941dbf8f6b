//! Binary operators of the languages whose conditions are of a type of their own: Go, Java, Kotlin, C#, Rust.

use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::builder::Builder;
use crate::ir::{Declares, Expr, ExprId, StmtKind};

/// The operands that the chain under way may still take in: `a && b && c` is one test of three parts.
#[derive(Default)]
pub(super) struct Chain(Option<ExprId>);

/// Puts two operands together.
///
/// What `+` joins counts as text unless one side is a number: the types that would tell are not known.
pub(super) fn combine(
    b: &mut Builder<'_>,
    node: Node<'_>,
    operator: &str,
    left: ExprId,
    right: ExprId,
    chain: &mut Chain,
) -> ExprId {
    match operator {
        "+" | "+=" => {
            let open = chain.0 == Some(left) && matches!(b.module.expr(left), Expr::Other(_));
            let text = |id| matches!(b.module.expr(id), Expr::Str(_) | Expr::Template(_));
            let number = |id| matches!(b.module.expr(id), Expr::Number(_));
            if !text(left) && !text(right) && (open || number(left) || number(right)) {
                return joined(b, node, left, right, chain, false);
            }
            b.concat(node, left, right)
        }
        "&&" => {
            b.note_required([left, right]);
            joined(b, node, left, right, chain, true)
        }
        "||" => {
            b.forget_required(node);
            joined(b, node, left, right, chain, true)
        }
        "==" | "!=" | "===" | "!==" | "<" | "<=" | ">" | ">=" => b.at(node, Expr::Test(thin_vec![left, right])),
        "??" | "?:" => {
            // The operator takes its right side first: its values are taken over.
            let kind = &mut b.module.exprs[right.0 as usize].kind;
            let Expr::Choice {
                condition: None,
                values,
            } = kind
            else {
                return b.either(node, left, right);
            };
            let values = std::iter::once(left).chain(std::mem::take(values)).collect();
            b.at(
                node,
                Expr::Choice {
                    condition: None,
                    values,
                },
            )
        }
        _ => joined(b, node, left, right, chain, false),
    }
}

/// An expression as a statement: an assignment is a statement of its own.
pub(super) fn effect(b: &mut Builder<'_>, id: ExprId) -> StmtKind {
    let entry = &mut b.module.exprs[id.0 as usize].kind;
    if !matches!(entry, Expr::Assign { .. }) {
        return StmtKind::Expr(id);
    }
    let Expr::Assign { target, value } = std::mem::replace(entry, Expr::Other(ThinVec::new())) else {
        return StmtKind::Expr(id);
    };
    StmtKind::Assign {
        target: *target,
        value: Some(value),
        annotation: None,
        declares: Declares::Nothing,
    }
}

/// Adds the right operand to the chain's open expression, or opens one.
fn joined(b: &mut Builder<'_>, node: Node<'_>, left: ExprId, right: ExprId, chain: &mut Chain, test: bool) -> ExprId {
    if chain.0 == Some(left) {
        let span = b.span(node);
        let entry = &mut b.module.exprs[left.0 as usize];
        match &mut entry.kind {
            Expr::Test(parts) if test => {
                parts.push(right);
                entry.place = span.into();
                return left;
            }
            Expr::Other(parts) if !test => {
                parts.push(right);
                entry.place = span.into();
                return left;
            }
            _ => {}
        }
    }
    let parts = thin_vec![left, right];
    let id = b.at(node, if test { Expr::Test(parts) } else { Expr::Other(parts) });
    chain.0 = Some(id);
    id
}
