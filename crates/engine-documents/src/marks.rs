//! The marks in the text of a document: open questions, sections, and what the engine wrote. Each is known in every language.

use engine_messages::{Key, Language, Messages};

/// Every language's texts.
fn all() -> impl Iterator<Item = &'static Messages> {
    Language::ALL.iter().map(|language| Messages::of(*language))
}

/// How a fixed label begins a line of the engine.
pub(crate) fn label_start(messages: &Messages, label: Key) -> String {
    format!("> **{}:** ", messages.text(label))
}

/// Whether a line says whether the document is final.
pub(crate) fn is_status(line: &str) -> bool {
    all().any(|messages| line.starts_with(&label_start(messages, Key::DocStatus)))
}

/// The mark of an open question.
pub(crate) fn open_mark(messages: &Messages, label: &str) -> String {
    messages.fill(Key::DocMark, &[("label", label)])
}

/// The label of an open question, where a line contains one.
pub(crate) fn open_label(line: &str) -> Option<&str> {
    open_question(line).map(|(_, label)| label)
}

/// Where an open question begins in a line, and its label.
pub(crate) fn open_question(line: &str) -> Option<(usize, &str)> {
    // A quotation is the engine's text.
    if !line.contains('[') || line.trim_start().starts_with('>') {
        return None;
    }
    all().find_map(|messages| {
        let (start, _) = messages.question_mark();
        let start = start.trim_end();
        let at = line.find(start)?;
        // An escaped bracket is the text of another source.
        if line[..at].ends_with('\\') {
            return None;
        }
        let rest = &line[at + start.len()..];
        Some((at, rest.split(']').next().unwrap_or(rest).trim()))
    })
}

/// The first line of a conflict.
pub(crate) fn conflict_mark(messages: &Messages) -> String {
    open_mark(messages, messages.text(Key::DocConflictMark))
}

/// A caption in a conflict.
pub(crate) fn caption(messages: &Messages, key: Key) -> String {
    format!("> **{}**", messages.text(key))
}

/// What names a section in every language, in the line below its heading.
pub(crate) fn section_mark(key: &str) -> String {
    format!("<!-- section: {key} -->")
}

/// The key in the mark of a section, where a line is one.
pub(crate) fn section_key(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let key = inner.trim().strip_prefix("section:")?.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (!key.is_empty() && key.chars().all(plain)).then_some(key)
}
