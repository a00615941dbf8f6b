//! What a strategy writes down: edits, and what a person must still do.

use std::collections::BTreeMap;
use std::ops::Range;

use engine_model::Finding;

use crate::NoFix;
use crate::code::{Code, LineEnd};
use crate::edit::Edit;

/// Writes drafts of documents. The document generator is another core, so the caller introduces it.
pub trait Drafts {
    /// The draft of the document that a finding asks for.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn draft(&self, finding: &Finding) -> Result<DocumentDraft, NoFix>;
}

/// The draft of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentDraft {
    /// Title of the kind of document.
    pub title: String,
    /// Where it lies, relative to the project's root.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The file that lets a later version keep a person's edits: path and text. No diff shows it.
    pub kept_beside: (String, String),
    /// Questions that a person must answer.
    pub questions: usize,
}

/// Edits under construction.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub(crate) edits: BTreeMap<String, Vec<Edit>>,
    pub(crate) created: BTreeMap<String, String>,
    pub(crate) description: String,
    pub(crate) manual: Vec<String>,
    pub(crate) safe: bool,
}

impl Draft {
    /// Says in a sentence what the fix does.
    pub fn describe(&mut self, description: impl Into<String>) {
        self.description = description.into();
    }

    /// Says in a sentence what a person must still do or decide.
    pub fn manual(&mut self, step: impl Into<String>) {
        self.manual.push(step.into());
    }

    /// Says that the fix may be applied unattended: the product behaves as before, apart from what the finding asks for.
    pub fn safe(&mut self) {
        self.safe = true;
    }

    /// Replaces a range of the text of a file. Lines in `text` end with a line feed; they are written as the file writes them.
    pub fn replace(&mut self, code: &Code, range: Range<usize>, text: &str) {
        // Equal text at both ends is not part of an edit, so text that a person wrote is kept.
        let text = match code.line_end {
            LineEnd::Lf => text.to_owned(),
            LineEnd::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        };
        let edits = self.edits.entry(code.path.clone()).or_default();
        edits.push(Edit {
            start: range.start + code.mark,
            end: range.end + code.mark,
            text,
        });
    }

    /// Inserts a text.
    pub fn insert(&mut self, code: &Code, offset: usize, text: &str) {
        self.replace(code, offset..offset, text);
    }

    /// Creates a file. A file that is already there is never overwritten: the plan is refused then.
    pub fn create(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.created.insert(path.into(), text.into());
    }
}
