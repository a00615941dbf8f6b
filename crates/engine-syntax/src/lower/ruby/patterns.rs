//! What assignments and the arms of `case … in` bind.

use ecow::EcoString;
use thin_vec::ThinVec;
use tree_sitter::Node;

use super::Lowering;
use crate::ir::Pattern;
use crate::lower::builder::{children, field};

impl Lowering<'_> {
    pub(super) fn pattern(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "left_assignment_list" | "destructured_left_assignment" | "array_pattern" | "find_pattern" => {
                let class = field(node, "class");
                let parts = children(node).into_iter().filter(|part| Some(*part) != class);
                let parts: Vec<Node<'_>> = parts.collect();
                Pattern::Tuple(parts.into_iter().map(|part| self.pattern(part)).collect())
            }
            "rest_assignment" | "splat_parameter" | "parenthesized_pattern" => {
                match children(node).into_iter().next() {
                    Some(inner) => self.pattern(inner),
                    None => Pattern::Ignore,
                }
            }
            "hash_pattern" => {
                let mut parts: ThinVec<(EcoString, Pattern)> = ThinVec::new();
                for part in children(node)
                    .into_iter()
                    .filter(|part| part.kind() == "keyword_pattern")
                {
                    let Some(key) = field(part, "key") else { continue };
                    let name: EcoString = self.b.text_of(key).trim_matches(['"', '\'', ':']).into();
                    let bound = if let Some(value) = field(part, "value") {
                        self.pattern(value)
                    } else {
                        self.declare(&name);
                        Pattern::Name(name.clone())
                    };
                    parts.push((name, bound));
                }
                Pattern::Object(parts)
            }
            "as_pattern" => match field(node, "name") {
                Some(name) => self.place_of(name),
                None => Pattern::Ignore,
            },
            "identifier" | "instance_variable" | "class_variable" | "global_variable" | "call"
            | "element_reference" => self.place_of(node),
            "constant" | "scope_resolution"
                if node
                    .parent()
                    .is_some_and(|parent| matches!(parent.kind(), "assignment" | "operator_assignment")) =>
            {
                self.place_of(node)
            }
            _ => Pattern::Ignore,
        };
        self.b.leave();
        pattern
    }
}

/// Whether what a case is compared with is only a constant.
pub(super) fn is_constant(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "string"
            | "integer"
            | "float"
            | "true"
            | "false"
            | "nil"
            | "simple_symbol"
            | "constant"
            | "scope_resolution"
            | "regex"
    )
}
