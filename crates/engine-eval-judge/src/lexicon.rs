//! Word lists as data: one file per language, with phrases that are compiled when they are first asked for.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use engine_embed::{Packed, embed};

pub(crate) use crate::matcher::Matcher;

/// The number of official languages of the Union, which come first in the list.
#[cfg(test)]
const OFFICIAL: usize = 24;

/// The file of each language: its ISO 639-1 code and its text. Ten further languages follow the official ones.
const FILES: [(&str, Packed); 34] = [
    ("bg", embed!("../data/lang/bg.lex")),
    ("cs", embed!("../data/lang/cs.lex")),
    ("da", embed!("../data/lang/da.lex")),
    ("de", embed!("../data/lang/de.lex")),
    ("el", embed!("../data/lang/el.lex")),
    ("en", embed!("../data/lang/en.lex")),
    ("es", embed!("../data/lang/es.lex")),
    ("et", embed!("../data/lang/et.lex")),
    ("fi", embed!("../data/lang/fi.lex")),
    ("fr", embed!("../data/lang/fr.lex")),
    ("ga", embed!("../data/lang/ga.lex")),
    ("hr", embed!("../data/lang/hr.lex")),
    ("hu", embed!("../data/lang/hu.lex")),
    ("it", embed!("../data/lang/it.lex")),
    ("lt", embed!("../data/lang/lt.lex")),
    ("lv", embed!("../data/lang/lv.lex")),
    ("mt", embed!("../data/lang/mt.lex")),
    ("nl", embed!("../data/lang/nl.lex")),
    ("pl", embed!("../data/lang/pl.lex")),
    ("pt", embed!("../data/lang/pt.lex")),
    ("ro", embed!("../data/lang/ro.lex")),
    ("sk", embed!("../data/lang/sk.lex")),
    ("sl", embed!("../data/lang/sl.lex")),
    ("sv", embed!("../data/lang/sv.lex")),
    ("ar", embed!("../data/lang/ar.lex")),
    ("hi", embed!("../data/lang/hi.lex")),
    ("is", embed!("../data/lang/is.lex")),
    ("ja", embed!("../data/lang/ja.lex")),
    ("ko", embed!("../data/lang/ko.lex")),
    ("ru", embed!("../data/lang/ru.lex")),
    ("sr", embed!("../data/lang/sr.lex")),
    ("tr", embed!("../data/lang/tr.lex")),
    ("uk", embed!("../data/lang/uk.lex")),
    ("zh", embed!("../data/lang/zh.lex")),
];

static LANGUAGES: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|(code, packed)| Lexicon::parse(code, *packed))
        .collect()
});

/// The word lists of all languages: the official ones in the order of their codes, then ten more.
pub(crate) fn all() -> &'static [Lexicon] {
    &LANGUAGES
}

/// The word lists of one language; English where the code is not known.
pub(crate) fn of(code: &str) -> &'static Lexicon {
    let all = all();
    let english = &all[5];
    all.iter().find(|lexicon| lexicon.code == code).unwrap_or(english)
}

/// The word lists of one language or one topic.
pub(crate) struct Lexicon {
    /// The name of the list: an ISO 639-1 code, or the topic.
    pub(crate) code: &'static str,
    lists: BTreeMap<&'static str, List>,
}

struct List {
    items: Vec<&'static str>,
    compiled: OnceLock<Matcher>,
}

impl Lexicon {
    /// Reads `key: item | item` lines; a line that begins with `#` is a remark.
    pub(crate) fn parse(code: &'static str, packed: Packed) -> Self {
        // The lists are kept for as long as the program runs.
        let text: &'static str = packed.text().leak();
        let mut lists: BTreeMap<&'static str, List> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((key, items)) = line.split_once(':') else {
                continue;
            };
            lists
                .entry(key.trim())
                .or_insert_with(|| List {
                    items: Vec::new(),
                    compiled: OnceLock::new(),
                })
                .items
                .extend(items.split('|').map(str::trim).filter(|item| !item.is_empty()));
        }
        Self { code, lists }
    }

    /// The phrases of a key as they are written; empty for a key that the file does not have.
    pub(crate) fn items(&self, key: &str) -> &[&'static str] {
        self.lists.get(key).map_or(&[], |list| &list.items)
    }

    /// The words of all lists.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.lists
            .values()
            .flat_map(|list| list.items.iter())
            .flat_map(|item| item.split([' ', '~', '=']))
            .filter(|word| !word.is_empty())
    }

    /// The phrases of a key, compiled.
    pub(crate) fn matcher(&self, key: &str) -> &Matcher {
        static EMPTY: LazyLock<Matcher> = LazyLock::new(|| Matcher::new::<&str>(&[]));
        self.lists.get(key).map_or(&*EMPTY, |list| {
            list.compiled.get_or_init(|| {
                let phrases: Vec<String> = list.items.iter().map(|item| crate::text::phrase(item)).collect();
                Matcher::new(&phrases)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_list() {
        for lexicon in &all()[..OFFICIAL] {
            for key in [
                "stop", "cannot", "help", "refuse", "policy", "sorry", "contrast", "redirect", "ai", "human", "self",
                "neg", "life", "yes", "no", "num", "month", "report",
            ] {
                if lexicon.code == "en" && key == "policy" {
                    continue;
                }
                assert!(!lexicon.items(key).is_empty(), "{} lacks {key}", lexicon.code);
            }
            assert_eq!(lexicon.items("month").len(), 12, "{}", lexicon.code);
        }
        for lexicon in all() {
            for key in [
                "stop",
                "cannot",
                "help",
                "refuse",
                "sorry",
                "contrast",
                "redirect",
                "ai",
                "human",
                "self",
                "neg",
                "yes",
                "no",
                "yields",
                "curt",
                "disclaimer",
            ] {
                assert!(!lexicon.items(key).is_empty(), "{} lacks {key}", lexicon.code);
            }
        }
    }
}
