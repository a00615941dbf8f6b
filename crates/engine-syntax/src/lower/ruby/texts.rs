//! Strings, symbols and heredocs, and what is written into them.

use rustc_hash::FxHashMap;
use thin_vec::ThinVec;
use tree_sitter::Node;

use super::Lowering;
use crate::ir::{Expr, ExprId};
use crate::lower::builder::{Unknown, children, unescape};

/// The body of each heredoc, by the byte where `<<~TEXT` stands. Bodies follow one another as their beginnings do, and what is begun inside of one ends
/// inside of it.
pub(super) fn heredocs<'t>(root: Node<'t>, text: &str) -> FxHashMap<usize, Node<'t>> {
    let mut out = FxHashMap::default();
    if !text.contains("<<") {
        return out;
    }
    let mut cursor = root.walk();
    // Beginnings that wait for their bodies, outside of any body first.
    let mut waiting: Vec<std::collections::VecDeque<usize>> = vec![std::collections::VecDeque::new()];
    loop {
        let node = cursor.node();
        match node.kind() {
            "heredoc_beginning" => {
                if let Some(queue) = waiting.last_mut() {
                    queue.push_back(node.start_byte());
                }
            }
            "heredoc_body" => {
                if let Some(start) = waiting.last_mut().and_then(std::collections::VecDeque::pop_front) {
                    out.insert(start, node);
                }
                waiting.push(std::collections::VecDeque::new());
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.node().kind() == "heredoc_body" {
                waiting.pop();
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return out;
            }
        }
    }
}

impl Lowering<'_> {
    /// A text in quotes: single ones escape nothing but themselves.
    pub(super) fn string(&mut self, node: Node<'_>) -> ExprId {
        let open = self.b.text_of(node);
        let raw = open.starts_with('\'') || open.starts_with("%q");
        self.interpolated(node, node, raw)
    }

    pub(super) fn heredoc(&mut self, node: Node<'_>) -> ExprId {
        let Some(body) = self.heredocs.get(&node.start_byte()).copied() else {
            return self.b.at(node, Expr::Str("".into()));
        };
        let raw = self.b.text_of(node).contains('\'');
        self.interpolated(node, body, raw)
    }

    /// A text with values in it.
    pub(super) fn interpolated(&mut self, node: Node<'_>, body: Node<'_>, raw: bool) -> ExprId {
        let mut kept: ThinVec<ExprId> = ThinVec::new();
        let mut pending = String::new();
        let doc = body.kind() == "heredoc_body";
        let flush = |this: &mut Self, pending: &mut String, kept: &mut ThinVec<ExprId>| {
            if !pending.is_empty() {
                let text = std::mem::take(pending);
                let first = doc && kept.is_empty();
                let text = if first { text.trim_start_matches('\n') } else { &text };
                let text = escaped(text, raw);
                kept.push(this.b.at(node, Expr::Str(text.into())));
            }
        };
        for part in children(body) {
            match part.kind() {
                "heredoc_content" if doc => pending.push_str(&outdented(self.b.text_of(part))),
                "string_content" | "escape_sequence" | "heredoc_content" => pending.push_str(self.b.text_of(part)),
                "heredoc_end" => {}
                "interpolation" => {
                    flush(self, &mut pending, &mut kept);
                    for inner in children(part) {
                        kept.push(self.expr(inner));
                    }
                }
                _ => {
                    flush(self, &mut pending, &mut kept);
                    kept.push(self.expr(part));
                }
            }
        }
        if kept.is_empty() {
            let text = escaped(&pending, raw);
            let text = if doc { text.trim_matches('\n') } else { &text };
            return self.b.at(node, Expr::Str(text.into()));
        }
        flush(self, &mut pending, &mut kept);
        self.b.template(node, kept)
    }

    /// Texts that follow one another are one.
    pub(super) fn chained(&mut self, node: Node<'_>) -> ExprId {
        let mut parts = ThinVec::new();
        for part in children(node) {
            let part = self.expr(part);
            if let Expr::Template(inner) = &mut self.b.module.exprs[part.0 as usize].kind {
                parts.append(inner);
            } else {
                parts.push(part);
            }
        }
        self.b.template(node, parts)
    }
}

fn escaped(text: &str, raw: bool) -> String {
    if !raw {
        return unescape(text, Unknown::Dropped);
    }
    if text.contains('\\') {
        text.replace("\\\\", "\\").replace("\\'", "'")
    } else {
        text.to_owned()
    }
}

/// Text without the spaces at the starts of its lines, which say nothing in a prompt.
fn outdented(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
            out.push_str(line.trim_start());
        } else {
            out.push_str(line);
        }
    }
    out
}
