//! Strings, heredocs and what is written into them.

use thin_vec::ThinVec;
use tree_sitter::Node;

use super::Lowering;
use crate::ir::{Expr, ExprId};
use crate::lower::builder::{Unknown, children, field, unescape};

impl Lowering<'_> {
    /// Text in single quotes: only the quote and the backslash are escaped in it.
    pub(super) fn quoted(&mut self, node: Node<'_>) -> ExprId {
        let text = self.b.text_of(node).trim_start_matches(['b', 'B']);
        let text = text.strip_prefix('\'').unwrap_or(text);
        let text = text.strip_suffix('\'').unwrap_or(text);
        let text = if text.contains('\\') {
            text.replace("\\\\", "\\").replace("\\'", "'").into()
        } else {
            text.into()
        };
        self.b.at(node, Expr::Str(text))
    }

    pub(super) fn heredoc(&mut self, node: Node<'_>) -> ExprId {
        let Some(body) = field(node, "value") else {
            return self.b.at(node, Expr::Str("".into()));
        };
        if body.kind() == "nowdoc_body" {
            let text = outdented(self.b.text_of(body)).trim_matches('\n').into();
            return self.b.at(node, Expr::Str(text));
        }
        self.interpolated(node, body)
    }

    /// A text with values in it.
    pub(super) fn interpolated(&mut self, node: Node<'_>, body: Node<'_>) -> ExprId {
        let mut kept: ThinVec<ExprId> = ThinVec::new();
        let mut pending = String::new();
        let doc = body.kind() == "heredoc_body";
        let flush = |this: &mut Self, pending: &mut String, kept: &mut ThinVec<ExprId>| {
            if !pending.is_empty() {
                let text = unescape(&std::mem::take(pending), Unknown::Kept);
                kept.push(this.b.at(node, Expr::Str(text.into())));
            }
        };
        for part in children(body) {
            match part.kind() {
                "string_content" | "escape_sequence" if doc => pending.push_str(&outdented(self.b.text_of(part))),
                "string_content" | "escape_sequence" => pending.push_str(self.b.text_of(part)),
                _ => {
                    flush(self, &mut pending, &mut kept);
                    kept.push(self.expr(part));
                }
            }
        }
        if kept.is_empty() {
            let text = unescape(&pending, Unknown::Kept);
            let text = if doc { text.trim_matches('\n') } else { &text };
            return self.b.at(node, Expr::Str(text.into()));
        }
        flush(self, &mut pending, &mut kept);
        self.b.template(node, kept)
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

/// Pieces of one text between tags that are kept.
const PIECES_MAX: usize = 400;

/// What a person reads of a text of HTML, with the line of each piece from the start of the text: no tags, no scripts, no styles.
pub(super) fn visible(text: &str) -> Vec<(u32, &str)> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut line = 0_u32;
    let lines = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    while !rest.is_empty() && out.len() < PIECES_MAX {
        let end = rest.find('<').unwrap_or(rest.len());
        let (piece, tag) = rest.split_at(end);
        let read = piece.trim();
        if read.contains(char::is_alphanumeric) {
            let before = piece.len() - piece.trim_start().len();
            out.push((line.saturating_add(lines(&piece[..before])), read));
        }
        line = line.saturating_add(lines(piece));
        let hidden = ["<script", "<style", "<!--"].iter().find(|open| {
            tag.get(..open.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(open))
        });
        let close = match hidden {
            Some(&"<script") => "</script>",
            Some(&"<style") => "</style>",
            Some(_) => "-->",
            None => ">",
        };
        let length = tag.find(close).map_or(tag.len(), |at| at + close.len());
        line = line.saturating_add(lines(&tag[..length]));
        rest = &tag[length..];
    }
    out
}
