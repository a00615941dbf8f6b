//! Elements of JSX.

use ecow::EcoString;
use thin_vec::ThinVec;
use tree_sitter::Node;

use super::{JavaScript, inside};
use crate::ir::{Element, Expr, ExprId};
use crate::lower::builder::{children, field, fields};

impl JavaScript<'_> {
    /// An element with its attributes and children; text between them is trimmed and joined.
    pub(super) fn element(&mut self, node: Node<'_>) -> ExprId {
        let tag = field(node, "open_tag").unwrap_or(node);
        let name = field(tag, "name").map_or("", |name| self.b.text_of(name)).into();
        let mut attributes = ThinVec::new();
        for attribute in fields(tag, "attribute") {
            attributes.extend(self.attribute(attribute));
        }
        let mut parts = ThinVec::new();
        let mut text = String::new();
        if node.kind() != "jsx_self_closing_element" {
            let mut text_node = node;
            for child in children(node) {
                match child.kind() {
                    "jsx_text" | "html_character_reference" => {
                        if text.trim().is_empty() {
                            text_node = child;
                        }
                        text.push_str(self.b.text_of(child));
                    }
                    "jsx_opening_element" | "jsx_closing_element" => {}
                    "jsx_expression" if children(child).is_empty() => {}
                    _ => {
                        self.text(text_node, &mut text, &mut parts);
                        parts.push(self.expr(child));
                    }
                }
            }
            self.text(text_node, &mut text, &mut parts);
        }
        self.b.at(
            node,
            Expr::Element(Box::new(Element {
                name,
                attributes,
                children: parts,
            })),
        )
    }

    /// Adds the text gathered so far and begins anew.
    fn text(&mut self, node: Node<'_>, text: &mut String, parts: &mut ThinVec<ExprId>) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if !words.is_empty() {
            let shown = decoded(&words.join(" "));
            parts.push(self.b.at(node, Expr::Str(shown.into())));
        }
        text.clear();
    }

    fn attribute(&mut self, node: Node<'_>) -> Option<(EcoString, ExprId)> {
        if node.kind() == "jsx_expression" {
            let spread = children(node).into_iter().next()?;
            let value = spread
                .named_child(0)
                .filter(|_| spread.kind() == "spread_element")
                .unwrap_or(spread);
            return Some(("...".into(), self.expr(value)));
        }
        let parts = children(node);
        let name = self.b.text_of(*parts.first()?).into();
        let value = match parts.get(1) {
            None => self.b.at(node, Expr::Bool(true)),
            Some(value) if value.kind() == "string" => {
                let text = decoded(inside(self.b.text_of(*value)));
                self.b.at(*value, Expr::Str(text.into()))
            }
            Some(value) => self.expr(*value),
        };
        Some((name, value))
    }
}

/// A text with the usual character references resolved.
fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let named = [
        ("&nbsp;", " "),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    named.iter().fold(text.to_owned(), |text, (reference, plain)| {
        text.replace(reference, plain)
    })
}
