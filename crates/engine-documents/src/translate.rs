//! The fixed words of a document in another language, so that a merge sees only what else has changed.

use engine_messages::{Key, Language, Messages};

use crate::front::Parts;
use crate::kinds::{Kind, kind};
use crate::marks::{caption, label_start, open_mark, open_question};
use crate::table_names::TableName;

/// The labels with which a line of the engine begins.
const LABELS: [Key; 6] = [
    Key::DocStatus,
    Key::DocBasis,
    Key::DocOpen,
    Key::DocWhen,
    Key::DocKeep,
    Key::DocHow,
];

/// The captions of a conflict.
const CAPTIONS: [Key; 3] = [Key::DocConflictMine, Key::DocConflictNew, Key::DocConflictEnd];

/// The language that a document names; English without one.
pub(crate) fn language(parts: &Parts<'_>) -> Language {
    parts
        .get("language")
        .and_then(|tag| Language::of(&tag))
        .unwrap_or_default()
}

/// The body of a document with its headings, marks and labels in another language. Everything else stays as it is.
pub(crate) fn body(parts: &Parts<'_>, to: Language) -> String {
    let (from, to) = (Messages::of(language(parts)), Messages::of(to));
    let kind = parts.get("docType").and_then(|id| kind(&id));
    let pairs = pairs(from, to);
    let mut out = String::with_capacity(parts.body.len() + 256);
    for line in parts.body.split_inclusive('\n') {
        let (text, end) = match line.strip_suffix('\n') {
            Some(text) => (text, "\n"),
            None => (line, ""),
        };
        match heading(text, kind, from, to)
            .or_else(|| question(text, from, to))
            .or_else(|| fixed(text, &pairs))
        {
            Some(other) => out.push_str(&other),
            None => out.push_str(text),
        }
        out.push_str(end);
    }
    out
}

/// A heading of the law data in another language.
fn heading(line: &str, kind: Option<&Kind>, from: &Messages, to: &Messages) -> Option<String> {
    let kind = kind?;
    if let Some(rest) = line.strip_prefix("# ") {
        let rest = rest.strip_prefix(kind.title_in(from))?;
        return Some(format!("# {}{rest}", kind.title_in(to)));
    }
    let title = line.strip_prefix("## ")?.trim();
    let section = kind
        .document
        .sections
        .iter()
        .find(|section| kind.section_title(section, from) == title)?;
    Some(format!("## {}", kind.section_title(section, to)))
}

/// An open question in another language.
fn question(line: &str, from: &Messages, to: &Messages) -> Option<String> {
    let (at, label) = open_question(line)?;
    let own = open_mark(from, label);
    let rest = line[at..].strip_prefix(&own)?;
    let label = if label == from.text(Key::DocConflictMark) {
        to.text(Key::DocConflictMark)
    } else {
        label
    };
    Some(format!("{}{}{rest}", &line[..at], open_mark(to, label)))
}

/// Starts of lines with those of another language.
fn pairs(from: &Messages, to: &Messages) -> Vec<(String, String)> {
    let labels = LABELS
        .iter()
        .map(|key| (label_start(from, *key), label_start(to, *key)));
    let captions = CAPTIONS.iter().map(|key| (caption(from, *key), caption(to, *key)));
    let heads = TableName::ALL.iter().map(|name| (name.head(from), name.head(to)));
    labels.chain(captions).chain(heads).collect()
}

fn fixed(line: &str, pairs: &[(String, String)]) -> Option<String> {
    if !line.starts_with('>') {
        return None;
    }
    let (own, other) = pairs.iter().find(|(own, _)| line.starts_with(own.as_str()))?;
    Some(format!("{other}{}", &line[own.len()..]))
}
