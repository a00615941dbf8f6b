//! Expressions from their innermost left part outwards, in a loop: chains of calls and operators are as long as people like.

use thin_vec::ThinVec;
use tree_sitter::Node;

use super::builder::{Builder, field};
use super::operators::{Chain, combine};
use crate::ir::ExprId;

/// What a language has to say about its expressions, so that they can be lowered from the left.
pub(super) trait FromTheLeft<'t> {
    /// The kind of a node with an operator between two sides.
    const BINARY: &'static str = "binary_expression";

    /// Where the module grows.
    fn builder(&mut self) -> &mut Builder<'t>;

    /// The expression that stands first in a node that begins with one.
    fn left(node: Node<'_>) -> Option<Node<'_>>;

    /// Lowers what begins with no other expression.
    fn innermost(&mut self, node: Node<'_>) -> ExprId;

    /// Lowers a node around the value that it begins with.
    fn around(&mut self, node: Node<'_>, value: ExprId) -> ExprId;

    /// Lowers an operator behind the value of its left side.
    fn joined(&mut self, node: Node<'_>, left: ExprId, chain: &mut Chain) -> ExprId {
        let right = match field(node, "right") {
            Some(right) => self.lowered_from_the_left(right),
            None => self.builder().left_out(node),
        };
        let operator = field(node, "operator").map_or("", |operator| operator.kind());
        combine(self.builder(), node, operator, left, right, chain)
    }

    /// Lowers an expression.
    fn lowered_from_the_left(&mut self, node: Node<'_>) -> ExprId {
        let mut spine = ThinVec::new();
        let mut at = node;
        while let Some(left) = Self::left(at) {
            spine.push(at);
            at = left;
        }
        if !self.builder().enter() {
            return self.builder().left_out(node);
        }
        let mut value = self.innermost(at);
        let mut chain = Chain::default();
        for outer in spine.into_iter().rev() {
            if outer.kind() == Self::BINARY {
                value = self.joined(outer, value, &mut chain);
            } else {
                self.builder().fold(value);
                value = self.around(outer, value);
            }
        }
        self.builder().leave();
        self.builder().fold(value);
        value
    }
}
