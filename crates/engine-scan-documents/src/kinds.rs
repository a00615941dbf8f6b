//! The kinds of documents with the words by which they and their sections are known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use engine_embed::embed;
use engine_messages::{Language, Messages};
use engine_regulation::regulation;
use serde::Deserialize;

use crate::words::{fold, tokens};

/// A kind of document, ready to be compared with headings.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Id in the law's list.
    pub(crate) id: &'static str,
    /// Whether other projects use the title for other things.
    pub(crate) generic: bool,
    /// The titles, as words.
    pub(crate) titles: Vec<BTreeSet<String>>,
    /// The sections in the law's order.
    pub(crate) sections: Vec<Section>,
    /// Number of required sections.
    pub(crate) required: usize,
    /// Sections of which one must be there before a generic title counts.
    pub(crate) telling: BTreeSet<usize>,
}

/// A section of a kind.
#[derive(Debug)]
pub(crate) struct Section {
    /// Key in the law's list.
    pub(crate) key: &'static str,
    /// Title in the law's list.
    pub(crate) title: &'static str,
    /// The provision that asks for it.
    pub(crate) source: &'static str,
    /// Whether the document is incomplete without it.
    pub(crate) required: bool,
    /// Headings under which it is known, as words.
    pub(crate) wordings: Vec<BTreeSet<String>>,
}

/// All kinds, with the wordings of their sections by word.
#[derive(Debug)]
pub(crate) struct Kinds {
    /// The kinds in the law's order.
    pub(crate) all: Vec<Kind>,
    /// Which wordings hold a word: kind, section, wording.
    by_word: BTreeMap<String, Vec<(usize, usize, usize)>>,
    /// The translated headings of generated documents, folded: kind, section.
    translated: BTreeMap<String, Vec<(usize, usize)>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindsFile {
    kind: BTreeMap<String, KindRow>,
    section: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    telling: BTreeMap<String, Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindRow {
    titles: Vec<String>,
    #[serde(default)]
    generic: bool,
}

/// The kinds of the law's list.
pub(crate) fn kinds() -> &'static Kinds {
    static KINDS: LazyLock<Kinds> = LazyLock::new(load);
    &KINDS
}

fn parse() -> KindsFile {
    #[expect(
        clippy::expect_used,
        reason = "the table is part of the program and is parsed in a test"
    )]
    engine_embed::from_toml(&embed!("../data/kinds.toml").text()).expect("the table of kinds is valid TOML")
}

fn load() -> Kinds {
    let file = parse();
    let mut all = Vec::new();
    let mut by_word: BTreeMap<String, Vec<(usize, usize, usize)>> = BTreeMap::new();
    let mut translated: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    let anywhere = file.section.get("any");
    for (kind_index, document) in regulation().documents().iter().enumerate() {
        let row = file.kind.get(&document.id);
        let names = row.into_iter().flat_map(|row| &row.titles);
        let titles = distinct(
            std::iter::once(document.title.as_str())
                .chain(names.map(String::as_str))
                .chain(languages().filter_map(|messages| messages.document_title(&document.id)))
                .map(tokens),
        );
        let special = file.section.get(&document.id);
        let mut sections = Vec::new();
        for (section_index, section) in document.sections.iter().enumerate() {
            let synonyms = [special, anywhere]
                .into_iter()
                .flatten()
                .filter_map(|table| table.get(&section.key))
                .flatten();
            let wordings = distinct(
                [tokens(&section.title), tokens(&section.key.replace('_', " "))]
                    .into_iter()
                    .chain(parts(&section.title))
                    .chain(synonyms.map(|synonym| tokens(synonym))),
            );
            for (wording_index, wording) in wordings.iter().enumerate() {
                for word in wording {
                    by_word
                        .entry(word.clone())
                        .or_default()
                        .push((kind_index, section_index, wording_index));
                }
            }
            for messages in languages() {
                if let Some(title) = messages.section_title(&document.id, &section.key) {
                    translated
                        .entry(fold(title))
                        .or_default()
                        .push((kind_index, section_index));
                }
            }
            sections.push(Section {
                key: &section.key,
                title: &section.title,
                source: &section.source,
                required: section.required,
                wordings,
            });
        }
        let telling = file.telling.get(&document.id).into_iter().flatten();
        let telling = telling
            .filter_map(|key| sections.iter().position(|section| section.key == key))
            .collect();
        let required = sections.iter().filter(|section| section.required).count();
        let generic = row.is_some_and(|row| row.generic);
        all.push(Kind {
            id: &document.id,
            generic,
            titles,
            sections,
            required,
            telling,
        });
    }
    Kinds {
        all,
        by_word,
        translated,
    }
}

/// The texts of every language.
fn languages() -> impl Iterator<Item = &'static Messages> {
    Language::ALL.iter().map(|language| Messages::of(*language))
}

/// The parts of a title that lists several things.
fn parts(title: &str) -> Vec<BTreeSet<String>> {
    let parts: Vec<&str> = title
        .split([',', ':'])
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" or "))
        .collect();
    if parts.len() < 2 {
        Vec::new()
    } else {
        parts.into_iter().map(tokens).collect()
    }
}

fn distinct(sets: impl Iterator<Item = BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let mut out: Vec<BTreeSet<String>> = Vec::new();
    for set in sets {
        if !set.is_empty() && !out.contains(&set) {
            out.push(set);
        }
    }
    out
}

/// How well a heading fits a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Per mille.
    pub(crate) score: u32,
    /// Whether more than one word agrees, so that the heading is no everyday one.
    pub(crate) specific: bool,
}

/// Score of a heading in the very words of the catalogue of headings.
const TRANSLATED_SCORE: u32 = 1100;
/// Score of a heading with the mark of a section.
const MARKED_SCORE: u32 = 1200;

/// Score from which a heading is taken for a section.
const SECTION_SCORE_MIN: u32 = 600;

impl Kinds {
    /// The sections that a heading may stand for, by kind and section.
    pub(crate) fn fits(&self, heading: &BTreeSet<String>) -> BTreeMap<(usize, usize), Fit> {
        let mut shared: BTreeMap<(usize, usize, usize), usize> = BTreeMap::new();
        for word in heading {
            for place in self.by_word.get(word).into_iter().flatten() {
                *shared.entry(*place).or_default() += 1;
            }
        }
        let mut out: BTreeMap<(usize, usize), Fit> = BTreeMap::new();
        for ((kind, section, wording), shared) in shared {
            let wording = self.all[kind].sections[section].wordings[wording].len();
            let score = similarity(shared, wording, heading.len());
            if score < SECTION_SCORE_MIN {
                continue;
            }
            let fit = out.entry((kind, section)).or_insert(Fit {
                score: 0,
                specific: false,
            });
            fit.score = fit.score.max(score);
            fit.specific |= shared >= 2;
        }
        out
    }

    /// The sections that a heading of a generated document is for: by its mark, and by its words in any language.
    pub(crate) fn own(&self, heading: &str, key: Option<&str>) -> Vec<(usize, usize, Fit)> {
        let specific = heading.contains(' ');
        let mut out = Vec::new();
        for (kind, section) in self.translated.get(heading).into_iter().flatten() {
            let score = TRANSLATED_SCORE;
            out.push((*kind, *section, Fit { score, specific }));
        }
        let Some(key) = key else { return out };
        for (kind, known) in self.all.iter().enumerate() {
            if let Some(section) = known.sections.iter().position(|section| section.key == key) {
                let score = MARKED_SCORE;
                out.push((kind, section, Fit { score, specific }));
            }
        }
        out
    }
}

/// How alike two sets of words are, per mille: the Dice coefficient, raised where one holds all of the other.
pub(crate) fn similarity(shared: usize, left: usize, right: usize) -> u32 {
    let dice = u32::try_from(2000 * shared / (left + right).max(1)).unwrap_or(0);
    let contained = shared >= 2 && shared == left.min(right);
    if contained { dice.max(700) } else { dice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_law_has_titles_in_seven_languages_and_every_key_exists() {
        let file = parse();
        let documents = regulation().documents();
        assert_eq!(documents.len(), 36);
        for document in documents {
            assert!(
                file.kind.get(&document.id).is_some_and(|row| row.titles.len() >= 6),
                "{}",
                document.id
            );
        }
        for id in file
            .kind
            .keys()
            .chain(file.telling.keys())
            .chain(file.section.keys().filter(|id| *id != "any"))
        {
            assert!(documents.iter().any(|document| document.id == *id), "{id}");
        }
        let keys: BTreeSet<&str> = documents
            .iter()
            .flat_map(|document| &document.sections)
            .map(|section| section.key.as_str())
            .collect();
        for (id, table) in file
            .section
            .iter()
            .chain(std::iter::once((&"telling".to_owned(), &BTreeMap::new())))
        {
            for key in table.keys() {
                let known = documents
                    .iter()
                    .filter(|document| document.id == *id)
                    .flat_map(|document| &document.sections);
                assert!(
                    if id == "any" {
                        keys.contains(key.as_str())
                    } else {
                        known.clone().any(|section| section.key == *key)
                    },
                    "{id}.{key}"
                );
            }
        }
        for kind in &kinds().all {
            assert!(
                !kind.generic || kind.telling.len() == file.telling[kind.id].len(),
                "{}",
                kind.id
            );
        }
    }
}
