//! The part of YAML that lockfiles and environment files use, read line by line.
//!
//! Anchors, aliases, tags and merge keys are taken as plain text: no lockfile writes them, and a text that never expands
//! anything cannot grow.

use std::borrow::Cow;

use crate::node::{DEPTH_MAX, Entry, Node, Parsed, Value, unescape};

#[derive(Clone, Copy)]
struct Line<'a> {
    number: u32,
    indent: usize,
    text: &'a str,
}

/// Reads all documents of a text.
pub(crate) fn yaml(text: &str) -> Parsed<Vec<Node<'_>>> {
    let mut documents = Vec::new();
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut broken = None;
    for (number, raw) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if raw == "---" || raw.starts_with("--- ") || raw == "..." {
            finish(&mut lines, &mut documents, &mut broken);
            continue;
        }
        if raw.starts_with('%') && lines.is_empty() {
            continue;
        }
        let text = raw.trim_start_matches(' ');
        let indent = raw.len() - text.len();
        let text = text.trim_end();
        // Blank lines and comments carry nothing, except inside block scalars, whose text is of no use here.
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        lines.push(Line { number, indent, text });
    }
    finish(&mut lines, &mut documents, &mut broken);
    Parsed {
        value: documents,
        broken,
    }
}

fn finish<'a>(lines: &mut Vec<Line<'a>>, documents: &mut Vec<Node<'a>>, broken: &mut Option<u32>) {
    if lines.is_empty() {
        return;
    }
    let mut reader = Yaml {
        lines: std::mem::take(lines),
        at: 0,
        broken: None,
    };
    let mut node = Node::default();
    while reader.at < reader.lines.len() {
        let before = reader.at;
        let indent = reader.lines[before].indent;
        let block = reader.block(indent, 0);
        // A block that ends early left a line that belongs nowhere; what follows it is joined on.
        match (&mut node.value, block.value) {
            (Value::Map(entries), Value::Map(more)) => entries.extend(more),
            (Value::Null, value) => {
                node = Node {
                    line: block.line,
                    value,
                }
            }
            _ => {}
        }
        if reader.at == before {
            reader.skip();
        }
    }
    *broken = broken.or(reader.broken);
    documents.push(node);
}

struct Yaml<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
    broken: Option<u32>,
}

impl<'a> Yaml<'a> {
    fn line(&self) -> Option<Line<'a>> {
        self.lines.get(self.at).copied()
    }

    fn skip(&mut self) {
        if let Some(line) = self.line() {
            self.broken.get_or_insert(line.number);
        }
        self.at += 1;
    }

    /// Steps over everything that is indented deeper.
    fn skip_deeper(&mut self, indent: usize) {
        while self.line().is_some_and(|line| line.indent > indent) {
            self.at += 1;
        }
    }

    fn block(&mut self, indent: usize, depth: usize) -> Node<'a> {
        let Some(first) = self.line() else {
            return Node::default();
        };
        if depth > DEPTH_MAX {
            self.broken.get_or_insert(first.number);
            while self.line().is_some_and(|line| line.indent >= indent) {
                self.at += 1;
            }
            return Node {
                line: first.number,
                value: Value::Null,
            };
        }
        let value = if is_item(first.text) {
            self.sequence(indent, depth)
        } else {
            self.mapping(indent, depth)
        };
        Node {
            line: first.number,
            value,
        }
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Value<'a> {
        let mut items = Vec::new();
        while let Some(line) = self.line() {
            if line.indent != indent || !is_item(line.text) {
                break;
            }
            let rest = line.text[1..].trim_start();
            if rest.is_empty() {
                self.at += 1;
                items.push(self.nested(indent, line.number, depth));
            } else if is_item(rest) || key_of(rest).is_some() {
                // The rest of the line opens a block of its own, at the column where it stands.
                let offset = line.text.len() - rest.len();
                self.lines[self.at] = Line {
                    indent: indent + offset,
                    text: rest,
                    ..line
                };
                items.push(self.block(indent + offset, depth + 1));
            } else {
                self.at += 1;
                items.push(self.scalar(rest, line.number, indent, depth));
            }
        }
        Value::List(items)
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Value<'a> {
        let mut entries = Vec::new();
        while let Some(line) = self.line() {
            if line.indent != indent || is_item(line.text) {
                if line.indent > indent {
                    self.skip();
                    continue;
                }
                break;
            }
            if let Some(key) = line.text.strip_prefix("? ") {
                let key = unquote(key.trim());
                self.at += 1;
                let node = match self.line() {
                    Some(next) if next.indent == indent && next.text.starts_with(':') => {
                        let rest = next.text[1..].trim_start();
                        self.at += 1;
                        if rest.is_empty() {
                            self.nested(indent, next.number, depth)
                        } else {
                            self.scalar(rest, next.number, indent, depth)
                        }
                    }
                    _ => Node {
                        line: line.number,
                        value: Value::Null,
                    },
                };
                entries.push(Entry {
                    key,
                    line: line.number,
                    node,
                });
                continue;
            }
            let Some((key, rest)) = key_of(line.text) else {
                self.skip();
                continue;
            };
            self.at += 1;
            let rest = without_comment(rest.trim());
            let node = if rest.is_empty() {
                self.nested(indent, line.number, depth)
            } else {
                self.scalar(rest, line.number, indent, depth)
            };
            entries.push(Entry {
                key,
                line: line.number,
                node,
            });
        }
        Value::Map(entries)
    }

    /// The block below a key; a list may stand at the key's own column.
    fn nested(&mut self, indent: usize, number: u32, depth: usize) -> Node<'a> {
        match self.line() {
            Some(next) if next.indent > indent => self.block(next.indent, depth + 1),
            Some(next) if next.indent == indent && is_item(next.text) && !self.in_sequence(indent) => {
                self.block(indent, depth + 1)
            }
            _ => Node {
                line: number,
                value: Value::Null,
            },
        }
    }

    /// Whether the line just read was itself an item, so that an item at the same column is its sibling.
    fn in_sequence(&self, indent: usize) -> bool {
        self.at > 0 && self.lines[self.at - 1].indent == indent && is_item(self.lines[self.at - 1].text)
    }

    fn scalar(&mut self, text: &'a str, number: u32, indent: usize, depth: usize) -> Node<'a> {
        let first = text.as_bytes()[0];
        let value = match first {
            b'|' | b'>' => {
                self.skip_deeper(indent);
                Value::Text(Cow::Borrowed(""))
            }
            b'{' | b'[' => {
                let mut scan = Balance::default();
                if scan.feed(text) {
                    flow(text, number, depth)
                } else {
                    let mut joined = text.to_owned();
                    while let Some(line) = self.line() {
                        self.at += 1;
                        joined.push(' ');
                        joined.push_str(line.text);
                        if scan.feed(line.text) {
                            break;
                        }
                    }
                    owned(flow(&joined, number, depth))
                }
            }
            b'"' | b'\'' => {
                if closing_quote(text).is_none() {
                    let mut joined = text.to_owned();
                    while let Some(line) = self.line().filter(|line| line.indent > indent) {
                        self.at += 1;
                        joined.push(' ');
                        joined.push_str(line.text);
                        if line.text.ends_with(char::from(first)) {
                            break;
                        }
                    }
                    Value::Text(Cow::Owned(unquote(&joined).into_owned()))
                } else {
                    Value::Text(unquote(without_comment(text)))
                }
            }
            _ => {
                let text = without_comment(text);
                if self.line().is_some_and(|line| line.indent > indent) {
                    let mut joined = text.to_owned();
                    while let Some(line) = self.line().filter(|line| line.indent > indent) {
                        self.at += 1;
                        joined.push(' ');
                        joined.push_str(line.text);
                    }
                    Value::Text(Cow::Owned(joined))
                } else {
                    word(text)
                }
            }
        };
        Node { line: number, value }
    }
}

fn word(text: &str) -> Value<'_> {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" | "~" | "" => Value::Null,
        _ => Value::Text(Cow::Borrowed(text)),
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The end of the quoted text at the start, after its closing quote.
fn closing_quote(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] == b'\\' && quote == b'"' {
            at += 2;
        } else if bytes[at] == quote {
            if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') {
                at += 2;
            } else {
                return Some(at + 1);
            }
        } else {
            at += 1;
        }
    }
    None
}

/// A key with its colon at the start of a line, and the rest.
fn key_of(text: &str) -> Option<(Cow<'_, str>, &str)> {
    if text.starts_with(['"', '\'']) {
        let end = closing_quote(text)?;
        let rest = text.get(end..)?.trim_start().strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with(' ')).then(|| (unquote(&text[..end]), rest));
    }
    if text.starts_with(['{', '[']) {
        return None;
    }
    if let Some(at) = text.find(": ") {
        return Some((Cow::Borrowed(text[..at].trim_end()), &text[at + 1..]));
    }
    let key = text.strip_suffix(':')?;
    Some((Cow::Borrowed(key), ""))
}

fn without_comment(text: &str) -> &str {
    let start = match text.as_bytes().first() {
        Some(b'"' | b'\'') => closing_quote(text).unwrap_or(text.len()),
        _ => 0,
    };
    match text.get(start..).and_then(|rest| rest.find(" #")) {
        Some(at) => text[..start + at].trim_end(),
        None => text,
    }
}

fn unquote(text: &str) -> Cow<'_, str> {
    let inner = |quote: char| {
        text.strip_prefix(quote)
            .map(|rest| rest.strip_suffix(quote).unwrap_or(rest))
    };
    if let Some(inner) = inner('"') {
        if inner.contains('\\') {
            Cow::Owned(unescape(inner))
        } else {
            Cow::Borrowed(inner)
        }
    } else if let Some(inner) = inner('\'') {
        if inner.contains("''") {
            Cow::Owned(inner.replace("''", "'"))
        } else {
            Cow::Borrowed(inner)
        }
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the brackets of a flow value are closed, fed line by line.
#[derive(Default)]
struct Balance {
    open: usize,
    quote: Option<u8>,
}

impl Balance {
    fn feed(&mut self, text: &str) -> bool {
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            match (self.quote, byte) {
                (Some(b'"'), b'\\') => {
                    bytes.next();
                }
                (Some(quote), _) if byte == quote => {
                    self.quote = None;
                }
                (None, b'"' | b'\'') => self.quote = Some(byte),
                (None, b'{' | b'[') => self.open += 1,
                (None, b'}' | b']') => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
        self.open == 0
    }
}

fn flow(text: &str, line: u32, depth: usize) -> Value<'_> {
    let mut reader = Flow { text, at: 0, line };
    reader.value(depth)
}

struct Flow<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Flow<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Value<'a> {
        self.space();
        if depth > DEPTH_MAX {
            self.at = self.text.len();
            return Value::Null;
        }
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                let mut entries = Vec::new();
                loop {
                    self.space();
                    match self.peek() {
                        None => break,
                        Some(b'}') => {
                            self.at += 1;
                            break;
                        }
                        Some(b',' | b']' | b':') => self.at += 1,
                        Some(_) => {
                            let key = self.scalar(true);
                            self.space();
                            let node = if self.peek() == Some(b':') {
                                self.at += 1;
                                Node {
                                    line: self.line,
                                    value: self.value(depth + 1),
                                }
                            } else {
                                Node {
                                    line: self.line,
                                    value: Value::Null,
                                }
                            };
                            entries.push(Entry {
                                key,
                                line: self.line,
                                node,
                            });
                        }
                    }
                }
                Value::Map(entries)
            }
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.space();
                    match self.peek() {
                        None => break,
                        Some(b']') => {
                            self.at += 1;
                            break;
                        }
                        Some(b',' | b'}' | b':') => self.at += 1,
                        Some(_) => items.push(Node {
                            line: self.line,
                            value: self.value(depth + 1),
                        }),
                    }
                }
                Value::List(items)
            }
            Some(b',' | b'}' | b']') | None => Value::Null,
            Some(quote) => {
                let text = self.scalar(false);
                match text {
                    Cow::Borrowed(text) if !matches!(quote, b'"' | b'\'') => word(text),
                    text => Value::Text(text),
                }
            }
        }
    }

    fn scalar(&mut self, key: bool) -> Cow<'a, str> {
        let rest = &self.text[self.at..];
        if rest.starts_with(['"', '\'']) {
            let end = closing_quote(rest).unwrap_or(rest.len()).min(rest.len());
            self.at += end;
            return unquote(&rest[..end]);
        }
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let stop = match bytes[end] {
                b',' | b'{' | b'}' | b'[' | b']' => true,
                b':' => key && bytes.get(end + 1).is_none_or(|next| matches!(next, b' ' | b',' | b'}')),
                _ => false,
            };
            if stop {
                break;
            }
            end += 1;
        }
        // A bracket in the middle of a plain scalar would otherwise stop the reader for ever.
        let end = if end == 0 { 1.min(bytes.len()) } else { end };
        let end = (end..=rest.len())
            .find(|end| rest.is_char_boundary(*end))
            .unwrap_or(rest.len());
        self.at += end;
        Cow::Borrowed(rest[..end].trim())
    }
}

/// Frees a value from the text it was read from.
fn owned(value: Value<'_>) -> Value<'static> {
    match value {
        Value::Null => Value::Null,
        Value::Bool(value) => Value::Bool(value),
        Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
        Value::List(items) => Value::List(
            items
                .into_iter()
                .map(|node| Node {
                    line: node.line,
                    value: owned(node.value),
                })
                .collect(),
        ),
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|entry| Entry {
                    key: Cow::Owned(entry.key.into_owned()),
                    line: entry.line,
                    node: Node {
                        line: entry.node.line,
                        value: owned(entry.node.value),
                    },
                })
                .collect(),
        ),
    }
}
