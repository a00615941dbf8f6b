//! What a grammar could not read of a text: its rows, and how much it was.

use tree_sitter::{Node, Tree};

/// Nodes with errors below them that are looked at in one tree.
const NODES_MAX: usize = 20_000;

/// Rows of one text that are kept.
const ROWS_MAX: usize = 2_000;

/// What was not read of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Rows, first and last, from 0.
    pub(crate) rows: Vec<(u32, u32)>,
    /// Bytes that stand in no part that was understood.
    pub(crate) bytes: usize,
    /// Rows at which a parser lost its way over more than one row: where an error begins, where it gives up, and where it ends.
    pub(crate) torn: Vec<u32>,
}

impl Losses {
    /// Nothing was lost.
    pub(crate) const NONE: Self = Self {
        rows: Vec::new(),
        bytes: 0,
        torn: Vec::new(),
    };

    /// Whether everything was read.
    pub(crate) fn is_none(&self) -> bool {
        self.bytes == 0
    }

    /// What is lost in a tree. Parts that were understood inside of an error are not lost.
    pub(crate) fn of(tree: &Tree, text: &str) -> Self {
        let mut out = Self::NONE;
        let root = tree.root_node();
        if !root.has_error() {
            return out;
        }
        let mut waiting = vec![root];
        let mut seen = 0;
        while let Some(node) = waiting.pop() {
            seen += 1;
            if seen > NODES_MAX {
                break;
            }
            // What a grammar had to put in leaves nothing out, and yet the line is not what it was taken for.
            if node.is_missing() {
                out.note(row(node.start_position().row), row(node.start_position().row), 1);
                continue;
            }
            let mut cursor = node.walk();
            let parts: Vec<Node<'_>> = node.children(&mut cursor).collect();
            if node.is_error() {
                out.error(node, &parts, text);
            }
            waiting.extend(parts.into_iter().filter(|part| part.has_error() || part.is_missing()));
        }
        out.rows.sort_unstable();
        out.torn.sort_unstable();
        out
    }

    fn note(&mut self, first: u32, last: u32, bytes: usize) {
        self.bytes += bytes;
        if self.rows.len() < ROWS_MAX {
            self.rows.push((first, last));
        }
    }

    /// The tokens of an error, and the text between them that makes no token.
    fn error(&mut self, node: Node<'_>, parts: &[Node<'_>], text: &str) {
        let mut end = node.start_byte();
        let mut end_row = node.start_position().row;
        let mut given_up = None;
        let mut gap = |from: usize, to: usize, from_row: usize, out: &mut Self| {
            let between = text.get(from..to).unwrap_or("");
            let inside = between.trim();
            if inside.is_empty() {
                return;
            }
            given_up.get_or_insert(from_row);
            let before = between.len() - between.trim_start().len();
            let first = from_row + newlines(&between[..before]);
            out.note(row(first), row(first + newlines(inside)), inside.len());
        };
        for part in parts {
            gap(end, part.start_byte(), end_row, self);
            end = part.end_byte();
            end_row = part.end_position().row;
            if part.child_count() == 0 && !part.is_extra() && !part.is_missing() {
                let (first, last) = (part.start_position().row, part.end_position().row);
                let length = part.end_byte() - part.start_byte();
                // What only closes something says nothing by itself.
                if matches!(part.kind(), "}" | ")" | "]" | ";" | "," | "end") {
                    self.bytes += length;
                } else {
                    self.note(row(first), row(last), length);
                }
            }
        }
        gap(end, node.end_byte(), end_row, self);
        let (first, last) = (node.start_position().row, node.end_position().row);
        if last > first {
            let last_token = parts
                .iter()
                .rfind(|part| part.child_count() == 0)
                .map(|part| part.end_position().row);
            let rows = [given_up, last_token, Some(first), Some(last)];
            for at in rows.into_iter().flatten().map(row) {
                if !self.torn.contains(&at) && self.torn.len() < ROWS_MAX {
                    self.torn.push(at);
                }
            }
        }
    }

    /// The rows as lines from 1, joined where one follows another.
    pub(crate) fn lines(&self) -> Vec<(u32, u32)> {
        joined(self.rows.iter().map(|(first, last)| (first + 1, last + 1)).collect())
    }
}

/// Ranges in order, joined where they touch.
pub(crate) fn joined(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut out: Vec<(u32, u32)> = Vec::new();
    for (first, last) in ranges {
        match out.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = (*end).max(last),
            _ => out.push((first, last)),
        }
    }
    out
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn row(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}
