//! One tree for JSON, TOML and YAML, with the line of every entry.

use std::borrow::Cow;

/// Deeper values are skipped: no manifest needs them, and a hostile one must not fill the stack.
pub(crate) const DEPTH_MAX: usize = 128;

/// A value and the line it starts on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node<'a> {
    pub(crate) line: u32,
    pub(crate) value: Value<'a>,
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Value<'a> {
    #[default]
    Null,
    Bool(bool),
    /// Strings, numbers and dates, as written.
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Map(Vec<Entry<'a>>),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) line: u32,
    pub(crate) node: Node<'a>,
}

impl<'a> Node<'a> {
    /// The value of a key; of two equal keys the last one counts, as in JSON readers.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .iter()
            .rev()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.node)
    }

    /// The entry of a key, with its line.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// The value at the end of a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(crate) fn entries(&self) -> &[Entry<'a>] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The entries of the map under a key; none when there is no such map.
    pub(crate) fn map(&self, key: &str) -> &[Entry<'a>] {
        self.get(key).map_or(&[], Node::entries)
    }

    /// The items of the list under a key; none when there is no such list.
    pub(crate) fn list(&self, key: &str) -> &[Self] {
        self.get(key).map_or(&[], Node::items)
    }

    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text under a key, unless it is empty.
    pub(crate) fn str(&self, key: &str) -> Option<&str> {
        self.get(key)?.text().filter(|text| !text.is_empty())
    }

    pub(crate) fn is_true(&self, key: &str) -> bool {
        match self.get(key).map(|node| &node.value) {
            Some(Value::Bool(value)) => *value,
            Some(Value::Text(text)) => text == "true",
            _ => false,
        }
    }

    pub(crate) fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }
}

/// A tree, and the line from which on the text could not be read.
pub(crate) struct Parsed<T> {
    pub(crate) value: T,
    pub(crate) broken: Option<u32>,
}

/// Reads JSON with comments and trailing commas; what stands before a mistake is kept.
pub(crate) fn json(text: &str) -> Parsed<Node<'_>> {
    let mut reader = Json {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
        broken: None,
    };
    reader.space();
    let value = reader.value(0);
    Parsed {
        value,
        broken: reader.broken,
    }
}

struct Json<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    broken: Option<u32>,
}

impl<'a> Json<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    self.at += 2;
                    while self.at < self.bytes.len() && !self.bytes[self.at..].starts_with(b"*/") {
                        if self.bytes[self.at] == b'\n' {
                            self.line += 1;
                        }
                        self.at += 1;
                    }
                    self.at = (self.at + 2).min(self.bytes.len());
                }
                _ => break,
            }
        }
    }

    fn fail(&mut self) {
        if self.broken.is_none() {
            self.broken = Some(self.line);
        }
        // Nothing after the first mistake can be trusted.
        self.at = self.bytes.len();
    }

    fn value(&mut self, depth: usize) -> Node<'a> {
        let line = self.line;
        if depth > DEPTH_MAX {
            self.skip_nested();
            return Node {
                line,
                value: Value::Null,
            };
        }
        let value = match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Value::Text(self.string()),
            Some(_) => self.word(),
            None => {
                self.fail();
                Value::Null
            }
        };
        Node { line, value }
    }

    fn object(&mut self, depth: usize) -> Value<'a> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let line = self.line;
                    let key = self.string();
                    self.space();
                    if self.peek() != Some(b':') {
                        self.fail();
                        break;
                    }
                    self.at += 1;
                    self.space();
                    let node = self.value(depth + 1);
                    entries.push(Entry { key, line, node });
                }
                _ => {
                    self.fail();
                    break;
                }
            }
        }
        Value::Map(entries)
    }

    fn array(&mut self, depth: usize) -> Value<'a> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.at += 1,
                Some(b'}' | b':') | None => {
                    self.fail();
                    break;
                }
                Some(_) => items.push(self.value(depth + 1)),
            }
        }
        Value::List(items)
    }

    fn string(&mut self) -> Cow<'a, str> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    let raw = &self.text[start..self.at];
                    self.at += 1;
                    return if escaped {
                        Cow::Owned(unescape(raw))
                    } else {
                        Cow::Borrowed(raw)
                    };
                }
                b'\\' => {
                    escaped = true;
                    self.at = (self.at + 2).min(self.bytes.len());
                }
                b'\n' => {
                    // A string ends on its line; this one was left open.
                    self.fail();
                    return Cow::Borrowed("");
                }
                _ => self.at += 1,
            }
        }
        self.fail();
        Cow::Borrowed("")
    }

    fn word(&mut self) -> Value<'a> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_'))
        {
            self.at += 1;
        }
        match &self.text[start..self.at] {
            "" => {
                self.fail();
                Value::Null
            }
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            word => Value::Text(Cow::Borrowed(word)),
        }
    }

    /// Steps over a value without a stack frame per level.
    fn skip_nested(&mut self) {
        let mut open = 0_usize;
        loop {
            self.space();
            match self.peek() {
                None => break,
                Some(b'{' | b'[') => {
                    open += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') => {
                    if open == 0 {
                        break;
                    }
                    open -= 1;
                    self.at += 1;
                    if open == 0 {
                        break;
                    }
                }
                Some(b'"') => {
                    self.string();
                    if open == 0 {
                        break;
                    }
                }
                Some(b',') if open == 0 => break,
                Some(_) => {
                    self.at += 1;
                    while self.at < self.bytes.len() && !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                }
            }
        }
    }
}

/// Text between the quotes of a JSON string, or of a double-quoted YAML scalar.
pub(crate) fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let hex: String = chars.by_ref().take(4).collect();
                out.push(
                    u32::from_str_radix(&hex, 16)
                        .ok()
                        .and_then(char::from_u32)
                        .unwrap_or('\u{FFFD}'),
                );
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// The lines of a text, to find the line of a byte offset.
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let ends = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        Self {
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The line, from 1, of a byte offset.
    pub(crate) fn of(&self, offset: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }
}
