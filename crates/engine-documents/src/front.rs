//! The front matter of a document: what it is, whether it is final, and where its values come from.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::escape::quoted;

/// The value of `generatedBy` by which the document layer of the scanner recognises these documents.
pub(crate) const GENERATOR: &str = "engine-documents";

/// The fence around front matter.
const FENCE: &str = "---";

/// Lines of front matter that are read.
const LINES_MAX: usize = 1000;

/// A document as front matter and text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts<'t> {
    /// The entries of the front matter: each key with its lines, the first included.
    pub(crate) entries: Vec<Entry<'t>>,
    /// What follows the front matter.
    pub(crate) body: &'t str,
    /// Lines before the body.
    pub(crate) lines_before: usize,
}

/// A key of front matter with its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'t> {
    pub(crate) key: &'t str,
    pub(crate) lines: Vec<&'t str>,
}

impl Entry<'_> {
    /// The value on the line of the key, without quotes.
    fn value(&self) -> String {
        let line = self.lines.first().copied().unwrap_or_default();
        unquoted(line.split_once(':').map_or("", |(_, value)| value.trim()))
    }
}

fn unquoted(value: &str) -> String {
    serde_json::from_str::<String>(value).unwrap_or_else(|_| value.trim_matches(['"', '\'']).to_owned())
}

impl<'t> Parts<'t> {
    /// Splits a document. Without front matter, everything is body.
    pub(crate) fn of(text: &'t str) -> Self {
        let whole = Self {
            body: text,
            ..Self::default()
        };
        let mut lines = text.split_inclusive('\n');
        let Some(first) = lines.next().filter(|line| line.trim_end() == FENCE) else {
            return whole;
        };
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let mut offset = first.len();
        for (index, line) in lines.take(LINES_MAX).enumerate() {
            offset += line.len();
            let line = line.trim_end_matches(['\n', '\r']);
            if line.trim_end() == FENCE {
                return Self {
                    entries,
                    body: &text[offset..],
                    lines_before: index + 2,
                };
            }
            let indented = line.starts_with([' ', '\t', '#']) || line.trim().is_empty();
            match (line.split_once(':'), entries.last_mut()) {
                (Some((key, _)), _) if !indented => entries.push(Entry {
                    key: key.trim(),
                    lines: vec![line],
                }),
                (_, Some(last)) => last.lines.push(line),
                (_, None) => entries.push(Entry {
                    key: "",
                    lines: vec![line],
                }),
            }
        }
        whole
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.entry(key).map(Entry::value).filter(|value| !value.is_empty())
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry<'t>> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The recorded sources: field, digest of the value, source in words.
    pub(crate) fn sources(&self) -> BTreeMap<String, (String, String)> {
        let lines = self
            .entry("sources")
            .map(|entry| entry.lines.as_slice())
            .unwrap_or_default();
        let mut out = BTreeMap::new();
        for line in lines.iter().skip(1) {
            // The name of a field is quoted, as that of a table contains a colon.
            let Some((key, value)) = line.trim().split_once("\": ") else {
                continue;
            };
            let value = unquoted(value.trim());
            let (digest, words) = value.split_once(' ').unwrap_or((&value, ""));
            out.insert(
                key.trim_start_matches('"').to_owned(),
                (digest.to_owned(), words.to_owned()),
            );
        }
        out
    }
}

/// The front matter of a new document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front {
    lines: Vec<String>,
    sources: BTreeMap<String, (String, String)>,
}

impl Front {
    /// Adds a key with a text.
    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.lines.push(format!("{key}: {}", quoted(value)));
    }

    /// Adds a key with a plain word.
    pub(crate) fn word(&mut self, key: &str, value: &str) {
        self.lines.push(format!("{key}: {value}"));
    }

    /// Records the source of a value.
    pub(crate) fn source(&mut self, field: &str, digest: &str, words: &str) {
        self.sources
            .entry(field.to_owned())
            .or_insert_with(|| (digest.to_owned(), words.to_owned()));
    }

    /// The front matter as text, fences included.
    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("{FENCE}\n");
        for line in &self.lines {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str("sources:\n");
        for (field, (digest, words)) in &self.sources {
            let _ = writeln!(out, "  \"{field}\": {}", quoted(&format!("{digest} {words}")));
        }
        out.push_str(FENCE);
        out.push('\n');
        out
    }
}

/// Writes entries and a body as one document.
pub(crate) fn written(entries: &[Vec<String>], body: &str) -> String {
    if entries.is_empty() {
        return body.to_owned();
    }
    let mut out = format!("{FENCE}\n");
    for line in entries.iter().flatten() {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(FENCE);
    out.push('\n');
    out.push_str(body);
    out
}
