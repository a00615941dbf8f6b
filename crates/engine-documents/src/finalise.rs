//! A draft becomes final by a named person on a date.

use std::fmt::Write as _;

use engine_messages::{Key, Messages};
use engine_model::Date;
use thiserror::Error;

use crate::escape::{self, quoted};
use crate::front::{Parts, written};
use crate::marks::{is_status, label_start, open_label};
use crate::outline::{OpenQuestion, Outline, Status};
use crate::translate::language;

/// Characters of the name of a person.
const NAME_CHARS_MAX: usize = 120;

/// Why a document cannot be made final.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FinaliseError {
    /// The text is not a document of this engine.
    #[error("the text is not a document that the engine generated")]
    NotADocument,
    /// No person is named.
    #[error("the name of the person must have 1 to {NAME_CHARS_MAX} characters")]
    Name,
    /// It is final already.
    #[error("the document is final already, by {by} on {on}")]
    AlreadyFinal {
        /// By whom.
        by: String,
        /// When.
        on: String,
    },
    /// Required questions are open.
    #[error("{} required {} open: {}", .0.len(), if .0.len() == 1 { "question is" } else { "questions are" }, listed(.0))]
    Open(Vec<OpenQuestion>),
}

/// Questions that a message names; further ones are counted.
const NAMED_MAX: usize = 10;

fn listed(open: &[OpenQuestion]) -> String {
    let mut named: Vec<String> = open
        .iter()
        .take(NAMED_MAX)
        .map(|one| format!("{} (section \"{}\", line {})", one.label, one.section, one.line))
        .collect();
    if open.len() > NAMED_MAX {
        named.push(format!("and {} more", open.len() - NAMED_MAX));
    }
    named.join("; ")
}

/// Makes a draft final.
///
/// # Errors
///
/// [`FinaliseError`].
pub fn finalise(content: &str, name: &str, date: Date) -> Result<String, FinaliseError> {
    let name = escape::one_line(name, NAME_CHARS_MAX + 1);
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        return Err(FinaliseError::Name);
    }
    let outline = Outline::of(content).ok_or(FinaliseError::NotADocument)?;
    if outline.status == Status::Final {
        return Err(FinaliseError::AlreadyFinal {
            by: outline.finalised_by.unwrap_or_else(|| "an unnamed person".to_owned()),
            on: outline.finalised_on.unwrap_or_else(|| "an unknown date".to_owned()),
        });
    }
    let open: Vec<OpenQuestion> = outline.open.into_iter().filter(|one| one.required).collect();
    if !open.is_empty() {
        return Err(FinaliseError::Open(open));
    }
    let parts = Parts::of(content);
    let mut entries: Vec<Vec<String>> = Vec::new();
    for entry in &parts.entries {
        match entry.key {
            "finalisedBy" | "finalisedOn" => {}
            "status" => entries.push(vec![
                "status: final".to_owned(),
                format!("finalisedBy: {}", quoted(&name)),
                format!("finalisedOn: {date}"),
            ]),
            _ => entries.push(entry.lines.iter().map(|line| (*line).to_owned()).collect()),
        }
    }
    if parts.entry("status").is_none() {
        entries.push(vec![
            "status: final".to_owned(),
            format!("finalisedBy: {}", quoted(&name)),
            format!("finalisedOn: {date}"),
        ]);
    }
    let messages = Messages::of(language(&parts));
    let mut body = String::with_capacity(parts.body.len());
    for line in parts.body.split_inclusive('\n') {
        if is_status(line) {
            let by = escape::inline(&name);
            let said = messages.fill(Key::DocFinal, &[("name", &by), ("date", &messages.date(date))]);
            let _ = writeln!(body, "{}{said}", label_start(messages, Key::DocStatus));
        } else if open_label(line).is_some() {
            // Only optional sections have one left.
            body.push_str(messages.text(Key::DocLeftOpen));
            body.push('\n');
        } else {
            body.push_str(line);
        }
    }
    Ok(written(&entries, &body))
}
