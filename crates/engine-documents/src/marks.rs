//! The marks in the text of a document: open questions, and what the engine wrote.

/// An open question begins like this, at the begin of a line.
pub(crate) const OPEN: &str = "[To answer: ";

/// The text in place of an open question of an optional section once a document is final.
pub(crate) const LEFT_OPEN: &str = "Not answered.";

/// The line that says whether the document is final.
pub(crate) const STATUS: &str = "> **Status:** ";

/// The first line of a conflict.
pub(crate) const CONFLICT: &str =
    "[To answer: keep one of the two versions below, then remove this line and the three captions]";

/// The caption of a person's text in a conflict.
pub(crate) const CONFLICT_MINE: &str = "> **Conflict: your version**";

/// The caption of the newly generated text in a conflict.
pub(crate) const CONFLICT_NEW: &str = "> **Conflict: newly generated version**";

/// The caption after a conflict.
pub(crate) const CONFLICT_END: &str = "> **Conflict: end**";

/// The mark of an open question.
pub(crate) fn open_mark(label: &str) -> String {
    format!("{OPEN}{label}]")
}

/// The label of an open question, where a line contains one.
pub(crate) fn open_label(line: &str) -> Option<&str> {
    let at = line.find(OPEN.trim_end())?;
    // A quotation is the engine's text, and an escaped bracket is the text of another source.
    if line.trim_start().starts_with('>') || line[..at].ends_with('\\') {
        return None;
    }
    let rest = &line[at + OPEN.trim_end().len()..];
    Some(rest.split(']').next().unwrap_or(rest).trim())
}
