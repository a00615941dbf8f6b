//! Texts in quotation marks that nothing closes.

use engine_model::Language;

use crate::lower::code::{Code, Edit};

/// Texts that are closed in one file. More of them are no slip of a person.
const CLOSED_MAX: usize = 20;

/// A text with a quotation mark where a row ends inside a text that may not go over rows, and these rows.
///
/// Some grammars let such a text go on to the next mark, which takes code for text and text for code from there on. What closes a
/// statement or a block at the end of the row stays behind the mark.
pub(crate) fn closed_texts(language: Language, text: &str) -> Option<(String, Vec<(u32, u32)>)> {
    let ends_with_row = matches!(
        language,
        Language::Java
            | Language::CSharp
            | Language::Kotlin
            | Language::Go
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Python
    );
    if !ends_with_row {
        return None;
    }
    let code = Code::new(language, text);
    let open = code.unclosed();
    if open.is_empty() || open.len() > CLOSED_MAX {
        return None;
    }
    let mut edits = Vec::new();
    let mut rows = Vec::new();
    for range in open {
        let inside = code.slice(range.start + 1..range.end);
        let kept = inside.trim_end_matches([' ', '\t', '\r', ';', ',', '(', ')', '[', ']', '{', '}']);
        let at = range.start + 1 + kept.len();
        edits.push(Edit {
            range: at..at,
            with: code.slice(range.start..range.start + 1).to_owned(),
        });
        let before = text.as_bytes().iter().take(range.start);
        let row = u32::try_from(before.filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX);
        rows.push((row, row));
    }
    Some((code.edited(edits)?, rows))
}
