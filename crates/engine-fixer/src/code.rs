//! A file as a strategy sees it: its text, how it is written, and its tree.

use std::ops::Range;

use engine_model::{Language, SourceFile, Zone};
use engine_syntax::tree::{self, Node, Tree};

use crate::NoFix;

/// Bytes beyond which a file is not edited.
pub(crate) const FILE_BYTES_MAX: usize = 2 << 20;

/// How lines end in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

/// A file that can be edited.
#[derive(Clone, Debug)]
pub struct Code {
    /// Path relative to the project's root.
    pub path: String,
    /// The language.
    pub language: Language,
    /// The part that the file plays.
    pub zone: Zone,
    /// The text, without the byte order mark.
    pub text: String,
    /// How its lines end.
    pub line_end: LineEnd,
    /// Bytes of the byte order mark.
    pub(crate) mark: usize,
    pub(crate) digest: [u8; 32],
    tree: Option<Tree>,
}

impl Code {
    /// Reads and parses a file.
    ///
    /// # Errors
    ///
    /// Why the file cannot be edited: it is too large, or not UTF-8.
    pub fn of(file: &SourceFile<'_>) -> Result<Self, NoFix> {
        if file.bytes.len() > FILE_BYTES_MAX {
            return Err(NoFix::TooLarge);
        }
        let mark = usize::from(file.bytes.starts_with(b"\xEF\xBB\xBF")) * 3;
        let text = std::str::from_utf8(&file.bytes[mark..]).map_err(|_| NoFix::Encoding)?;
        if text.contains('\0') {
            return Err(NoFix::Encoding);
        }
        Ok(Self {
            path: file.path.to_string(),
            language: file.language,
            zone: file.zone,
            line_end: line_end(text),
            mark,
            digest: file.digest,
            tree: tree::parse(file.language, text),
            text: text.to_owned(),
        })
    }

    /// The tree; none if the language has no grammar or the text defeats it.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// The root of the tree.
    ///
    /// # Errors
    ///
    /// Where there is no tree.
    pub fn root(&self) -> Result<Node<'_>, NoFix> {
        self.tree.as_ref().map(Tree::root_node).ok_or(NoFix::Unparsed)
    }

    /// The text of a node.
    pub fn of_node(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The byte offset of a line and a column in characters, both from 1.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let mut start = 0;
        for _ in 1..line {
            start += self.text.get(start..)?.find('\n')? + 1;
        }
        let rest = self.text.get(start..)?;
        let line = rest.split('\n').next().unwrap_or(rest);
        let characters = (column.max(1) - 1) as usize;
        let within = line.char_indices().nth(characters).map_or(line.len(), |(at, _)| at);
        Some(start + within)
    }

    /// The line of an offset, from 1.
    pub fn line_of(&self, offset: usize) -> u32 {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX - 1) + 1
    }

    /// The smallest named node that begins at the place or holds it.
    pub fn node_at(&self, line: u32, column: u32) -> Option<Node<'_>> {
        let offset = self.offset(line, column)?;
        let end = self.text.len().min(offset + 1);
        self.tree
            .as_ref()?
            .root_node()
            .named_descendant_for_byte_range(offset, end)
    }

    /// The first byte of the line of an offset.
    pub fn line_start(&self, offset: usize) -> usize {
        self.text[..offset.min(self.text.len())]
            .rfind('\n')
            .map_or(0, |at| at + 1)
    }

    /// The byte after the end of the line of an offset, its line feed included.
    pub fn next_line(&self, offset: usize) -> usize {
        self.text[offset..]
            .find('\n')
            .map_or(self.text.len(), |at| offset + at + 1)
    }

    /// The blanks at the start of the line of an offset.
    pub fn indent(&self, offset: usize) -> &str {
        let line = &self.text[self.line_start(offset)..];
        let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
        &line[..end]
    }

    /// One step of indentation as the file writes it: a tab, or the smallest number of spaces of an indented line.
    pub fn indent_unit(&self) -> String {
        let mut least: Option<usize> = None;
        for line in self.text.lines() {
            if line.starts_with('\t') {
                return "\t".to_owned();
            }
            let spaces = line.len() - line.trim_start_matches(' ').len();
            let rest = line.trim_start_matches(' ');
            // Continuation lines of comments stand one space in.
            if spaces > 1 && !rest.is_empty() && !rest.starts_with('*') {
                least = Some(least.map_or(spaces, |known| known.min(spaces)));
            }
        }
        let usual = match self.language {
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Html
            | Language::Json
            | Language::Yaml
            | Language::Ruby => 2,
            _ => 4,
        };
        " ".repeat(least.unwrap_or(usual).min(8))
    }

    /// Whether an offset is in a comment or a string.
    pub fn is_in_text(&self, offset: usize) -> bool {
        let Some(tree) = &self.tree else { return false };
        let end = self.text.len().min(offset + 1);
        let mut node = tree.root_node().descendant_for_byte_range(offset, end);
        while let Some(at) = node {
            if at.kind().contains("comment") || at.kind().contains("string") {
                return true;
            }
            node = at.parent();
        }
        false
    }

    /// The text of a range with each line after the first indented by one more step.
    pub fn indented(&self, range: Range<usize>, by: &str) -> Option<String> {
        let text = self.text.get(range)?;
        let mut out = String::with_capacity(text.len() + 16);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if index > 0 && !line.trim().is_empty() {
                out.push_str(by);
            }
            out.push_str(line);
        }
        Some(out)
    }
}

/// The nearest node around a node, itself included, of one of these kinds.
pub(crate) fn around<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut at = Some(node);
    while let Some(node) = at {
        if kinds.contains(&node.kind()) {
            return Some(node);
        }
        at = node.parent();
    }
    None
}

/// The named children of a node.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// All nodes below a node, itself included, in the order of the text, that a filter takes.
pub(crate) fn descendants<'t>(node: Node<'t>, takes: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    let mut cursor = node.walk();
    loop {
        let at = cursor.node();
        if takes(at) {
            out.push(at);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.node() == node {
                return out;
            }
        }
    }
}

/// A file ends its lines as most of them do.
fn line_end(text: &str) -> LineEnd {
    let all = text.matches('\n').count();
    let with_return = text.matches("\r\n").count();
    if with_return * 2 > all {
        LineEnd::CrLf
    } else {
        LineEnd::Lf
    }
}
