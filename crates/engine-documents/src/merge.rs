//! A new version of a document with a person's edits: a merge of three texts.

use std::collections::BTreeSet;

use diffy::{ConflictStyle, MergeOptions};
use engine_messages::{Key, Messages};

use crate::front::{Parts, written};
use crate::marks::{caption, conflict_mark};
use crate::translate::{self, language};

/// A document that was brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The text.
    pub content: String,
    /// Places where a person's edit and a new value concern the same lines.
    pub conflicts: usize,
    /// Whether a person had edited the document.
    pub edited: bool,
}

/// Carries a person's edits into a new version. `base` is the text as it was generated last; `mine` is the text as it is now.
/// A new version in another language is compared with both texts in that language. Every line of a person stays; where both sides changed the same lines, both stand in the text with captions.
pub fn update(base: &str, mine: &str, new: &str) -> Updated {
    let (base, mine, new) = (unified(base), unified(mine), unified(new));
    let edited = base != mine;
    if !edited {
        return Updated {
            content: new,
            conflicts: 0,
            edited,
        };
    }
    let (base, mine, new) = (Parts::of(&base), Parts::of(&mine), Parts::of(&new));
    let to = language(&new);
    let (body, conflicts) = if language(&base) == to {
        bodies(base.body, mine.body, new.body, Messages::of(to))
    } else {
        let (base, mine) = (translate::body(&base, to), translate::body(&mine, to));
        bodies(&base, &mine, new.body, Messages::of(to))
    };
    let entries = fronts(&base, &mine, &new);
    Updated {
        content: written(&entries, &body),
        conflicts,
        edited,
    }
}

/// With line feeds only, and one at the end.
fn unified(text: &str) -> String {
    let mut out = text.replace("\r\n", "\n");
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// The entries of the new front matter, with what a person changed or added.
fn fronts(base: &Parts<'_>, mine: &Parts<'_>, new: &Parts<'_>) -> Vec<Vec<String>> {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let by_person = |key: &str| {
        let entry = mine.entry(key)?;
        let before = base.entry(key);
        (before.is_none_or(|before| before.lines != entry.lines)).then_some(entry)
    };
    let mut out: Vec<Vec<String>> = Vec::new();
    for entry in &new.entries {
        match by_person(entry.key) {
            // The list of sources belongs to the engine; a person's lines in it are kept beside its own.
            Some(own) if entry.key == "sources" => {
                let known: BTreeSet<&str> = base
                    .entry("sources")
                    .map(|before| before.lines.iter().copied().collect())
                    .unwrap_or_default();
                let mut lines = owned(&entry.lines);
                let added = own
                    .lines
                    .iter()
                    .filter(|line| !known.contains(*line) && !entry.lines.contains(line));
                lines.extend(added.map(|line| (*line).to_owned()));
                out.push(lines);
            }
            // The language of the text is the engine's to say.
            Some(own) if entry.key != "language" => out.push(owned(&own.lines)),
            _ => out.push(owned(&entry.lines)),
        }
    }
    let further = mine
        .entries
        .iter()
        .filter(|entry| new.entry(entry.key).is_none())
        .filter(|entry| base.entry(entry.key).is_none_or(|before| before.lines != entry.lines));
    out.extend(further.map(|entry| owned(&entry.lines)));
    // Whatever else a person wrote there, such as a key for the second time, stays too.
    let generated: BTreeSet<&str> = base
        .entries
        .iter()
        .flat_map(|entry| entry.lines.iter().copied())
        .collect();
    let mut kept: BTreeSet<String> = out.iter().flatten().cloned().collect();
    for line in mine.entries.iter().flat_map(|entry| entry.lines.iter().copied()) {
        if !generated.contains(line) && kept.insert(line.to_owned()) {
            out.push(vec![line.to_owned()]);
        }
    }
    out
}

fn bodies(base: &str, mine: &str, new: &str, messages: &Messages) -> (String, usize) {
    let length = marker_length(&[base, mine, new]);
    let mut options = MergeOptions::new();
    options
        .set_conflict_style(ConflictStyle::Merge)
        .set_conflict_marker_length(length);
    match options.merge(base, mine, new) {
        Ok(merged) => (merged, 0),
        Err(marked) => captions(&marked, length, messages),
    }
}

/// A length of markers that no line of the texts can be taken for.
fn marker_length(texts: &[&str]) -> usize {
    let longest = texts
        .iter()
        .flat_map(|text| text.lines())
        .map(|line| {
            let first = line.chars().next().filter(|c| matches!(c, '<' | '=' | '>' | '|'));
            first.map_or(0, |first| line.chars().take_while(|c| *c == first).count())
        })
        .max()
        .unwrap_or(0);
    longest.max(6) + 1
}

/// Conflict markers as captions that are read in a document, and that keep it a draft until they are gone.
fn captions(marked: &str, length: usize, messages: &Messages) -> (String, usize) {
    let of = |key| caption(messages, key);
    let [open, middle, close] = ['<', '=', '>'].map(|c| c.to_string().repeat(length));
    let mut out = String::with_capacity(marked.len() + 256);
    let mut conflicts = 0;
    for line in marked.lines() {
        if line.starts_with(&open) {
            conflicts += 1;
            push_all(
                &mut out,
                &["", &conflict_mark(messages), "", &of(Key::DocConflictMine), ""],
            );
        } else if line.starts_with(&close) {
            push_all(&mut out, &["", &of(Key::DocConflictEnd), ""]);
        } else if line.starts_with(&middle) {
            push_all(&mut out, &["", &of(Key::DocConflictNew), ""]);
        } else {
            push_all(&mut out, &[line]);
        }
    }
    (out, conflicts)
}

fn push_all(out: &mut String, lines: &[&str]) {
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
}
