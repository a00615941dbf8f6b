//! A document as it was read back: its kind, its status, and what is open in it.

use crate::front::Parts;
use crate::kinds::{Kind, kind};
use crate::marks::open_label;

/// Whether a document is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is a draft.
    Draft,
    /// A named person made it final.
    Final,
}

/// An open question of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The title of the section; empty before the first.
    pub section: String,
    /// The key of the section in the law data, where the heading is known.
    pub key: Option<String>,
    /// The label of the question.
    pub label: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether the document can be final without an answer.
    pub required: bool,
}

/// A document as it was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The id of its kind.
    pub kind: String,
    /// The id of its system, where it names one.
    pub system: Option<String>,
    /// Whether it is final.
    pub status: Status,
    /// Who made it final.
    pub finalised_by: Option<String>,
    /// When it was made final.
    pub finalised_on: Option<String>,
    /// The open questions.
    pub open: Vec<OpenQuestion>,
    /// Share of the required sections without open questions and with text of a person, in per cent.
    pub completeness: u8,
}

/// The content of one section of a document.
#[derive(Debug)]
struct Read<'t> {
    heading: &'t str,
    line: usize,
    open: Vec<(String, usize)>,
    words: usize,
}

impl Outline {
    /// Reads a document that this crate wrote; none for another text.
    pub fn of(content: &str) -> Option<Self> {
        let parts = Parts::of(content);
        let kind = kind(&parts.get("docType")?)?;
        let read = sections(&parts);
        let status = match parts.get("status").as_deref() {
            Some("final") => Status::Final,
            _ => Status::Draft,
        };
        let mut open = Vec::new();
        for section in &read {
            let known = kind.document.sections.iter().find(|one| one.title == section.heading);
            open.extend(section.open.iter().map(|(label, line)| OpenQuestion {
                section: section.heading.to_owned(),
                key: known.map(|one| one.key.clone()),
                label: label.clone(),
                line: *line,
                // Under a heading of a person it is not known what is optional.
                required: known.is_none_or(|one| one.required),
            }));
        }
        open.extend(empty_sections(kind, &read));
        open.sort_by_key(|one| one.line);
        Some(Self {
            kind: kind.id().to_owned(),
            system: parts.get("system"),
            status,
            finalised_by: parts.get("finalisedBy"),
            finalised_on: parts.get("finalisedOn"),
            completeness: completeness(kind, &read),
            open,
        })
    }
}

/// The sections of a text by its headings of level 2; the first is what stands before them.
fn sections<'t>(parts: &Parts<'t>) -> Vec<Read<'t>> {
    let mut out = vec![Read {
        heading: "",
        line: parts.lines_before + 1,
        open: Vec::new(),
        words: 0,
    }];
    for (index, line) in parts.body.lines().enumerate() {
        let number = parts.lines_before + index + 1;
        if let Some(heading) = line.strip_prefix("## ") {
            out.push(Read {
                heading: heading.trim(),
                line: number,
                open: Vec::new(),
                words: 0,
            });
            continue;
        }
        let Some(section) = out.last_mut() else { continue };
        if let Some(label) = open_label(line) {
            section.open.push((label.to_owned(), number));
        } else if !line.starts_with('>') && !line.starts_with('#') {
            section.words += line
                .split_whitespace()
                .filter(|word| word.chars().any(char::is_alphanumeric))
                .count();
        }
    }
    out
}

/// Required sections in which nothing of a person is left, although no mark says so.
fn empty_sections<'k>(kind: &'k Kind, read: &'k [Read<'_>]) -> impl Iterator<Item = OpenQuestion> + 'k {
    kind.document.required_sections().filter_map(|section| {
        let found = read.iter().find(|one| one.heading == section.title);
        let line = match found {
            Some(one) if one.words > 0 || !one.open.is_empty() => return None,
            Some(one) => one.line,
            None => read.last().map_or(1, |one| one.line),
        };
        Some(OpenQuestion {
            section: section.title.clone(),
            key: Some(section.key.clone()),
            label: if found.is_some() { "no text" } else { "section missing" }.to_owned(),
            line,
            required: true,
        })
    })
}

fn completeness(kind: &Kind, read: &[Read<'_>]) -> u8 {
    let required = kind.document.required_sections().count();
    let filled = kind
        .document
        .required_sections()
        .filter(|section| {
            read.iter()
                .any(|one| one.heading == section.title && one.open.is_empty() && one.words > 0)
        })
        .count();
    u8::try_from((filled * 100).checked_div(required).unwrap_or(0)).unwrap_or(100)
}
