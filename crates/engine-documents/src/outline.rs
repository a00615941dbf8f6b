//! A document as it was read back: its kind, its status, and what is open in it.

use engine_messages::{Language, Messages};

use crate::front::Parts;
use crate::kinds::{Kind, kind};
use crate::marks::{open_label, section_key};
use crate::translate::language;

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
    /// The language that it names; English without one.
    pub language: Language,
}

/// The content of one section of a document.
#[derive(Debug)]
struct Read<'t> {
    heading: &'t str,
    /// The key of the section in the law data, by the mark below the heading or by its title in any language.
    key: Option<&'static str>,
    line: usize,
    open: Vec<(String, usize)>,
    words: usize,
}

impl Outline {
    /// Reads a document that this crate wrote; none for another text.
    pub fn of(content: &str) -> Option<Self> {
        let parts = Parts::of(content);
        let kind = kind(&parts.get("docType")?)?;
        let read = sections(kind, &parts);
        let status = match parts.get("status").as_deref() {
            Some("final") => Status::Final,
            _ => Status::Draft,
        };
        let mut open = Vec::new();
        for section in &read {
            let known = kind
                .document
                .sections
                .iter()
                .find(|one| Some(one.key.as_str()) == section.key);
            open.extend(section.open.iter().map(|(label, line)| OpenQuestion {
                section: section.heading.to_owned(),
                key: known.map(|one| one.key.clone()),
                label: label.clone(),
                line: *line,
                // Under a heading of a person it is not known what is optional.
                required: known.is_none_or(|one| one.required),
            }));
        }
        let language = language(&parts);
        open.extend(empty_sections(kind, &read, Messages::of(language)));
        open.sort_by_key(|one| one.line);
        Some(Self {
            kind: kind.id().to_owned(),
            system: parts.get("system"),
            status,
            finalised_by: parts.get("finalisedBy"),
            finalised_on: parts.get("finalisedOn"),
            completeness: completeness(kind, &read),
            open,
            language,
        })
    }
}

/// The sections of a text by its headings of level 2; the first is what stands before them.
fn sections<'t>(kind: &Kind, parts: &Parts<'t>) -> Vec<Read<'t>> {
    let of = |heading: &'t str, mark: Option<&str>, line: usize| Read {
        heading,
        key: kind.section_of(mark, heading).map(|section| section.key.as_str()),
        line,
        open: Vec::new(),
        words: 0,
    };
    let mut out = vec![of("", None, parts.lines_before + 1)];
    let mut after_heading = false;
    for (index, line) in parts.body.lines().enumerate() {
        let number = parts.lines_before + index + 1;
        if let Some(heading) = line.strip_prefix("## ") {
            out.push(of(heading.trim(), None, number));
            after_heading = true;
            continue;
        }
        let Some(section) = out.last_mut() else { continue };
        if let Some(key) = section_key(line) {
            // A mark that has lost its heading says nothing about the section above it.
            if after_heading {
                *section = of(section.heading, Some(key), section.line);
            }
        } else if let Some(label) = open_label(line) {
            section.open.push((label.to_owned(), number));
        } else if !line.starts_with('>') && !line.starts_with('#') {
            section.words += line
                .split_whitespace()
                .filter(|word| word.chars().any(char::is_alphanumeric))
                .count();
        }
        after_heading &= line.trim().is_empty();
    }
    out
}

/// Required sections in which nothing of a person is left, although no mark says so.
fn empty_sections<'k>(
    kind: &'k Kind,
    read: &'k [Read<'_>],
    messages: &'k Messages,
) -> impl Iterator<Item = OpenQuestion> + 'k {
    kind.document.required_sections().filter_map(move |section| {
        let key = Some(section.key.as_str());
        let found = read.iter().find(|one| one.key == key);
        let line = match found {
            Some(one) if one.words > 0 || !one.open.is_empty() => return None,
            Some(one) => one.line,
            None => read.last().map_or(1, |one| one.line),
        };
        Some(OpenQuestion {
            section: kind.section_title(section, messages).to_owned(),
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
                .any(|one| one.key == Some(section.key.as_str()) && one.open.is_empty() && one.words > 0)
        })
        .count();
    u8::try_from((filled * 100).checked_div(required).unwrap_or(0)).unwrap_or(100)
}
