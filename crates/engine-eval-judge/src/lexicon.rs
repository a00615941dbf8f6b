//! Word lists as data: one file per language, with phrases that are compiled when they are first asked for.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

/// The file of each language: its ISO 639-1 code and its text.
const FILES: [(&str, &str); 24] = [
    ("bg", include_str!("../data/lang/bg.lex")),
    ("cs", include_str!("../data/lang/cs.lex")),
    ("da", include_str!("../data/lang/da.lex")),
    ("de", include_str!("../data/lang/de.lex")),
    ("el", include_str!("../data/lang/el.lex")),
    ("en", include_str!("../data/lang/en.lex")),
    ("es", include_str!("../data/lang/es.lex")),
    ("et", include_str!("../data/lang/et.lex")),
    ("fi", include_str!("../data/lang/fi.lex")),
    ("fr", include_str!("../data/lang/fr.lex")),
    ("ga", include_str!("../data/lang/ga.lex")),
    ("hr", include_str!("../data/lang/hr.lex")),
    ("hu", include_str!("../data/lang/hu.lex")),
    ("it", include_str!("../data/lang/it.lex")),
    ("lt", include_str!("../data/lang/lt.lex")),
    ("lv", include_str!("../data/lang/lv.lex")),
    ("mt", include_str!("../data/lang/mt.lex")),
    ("nl", include_str!("../data/lang/nl.lex")),
    ("pl", include_str!("../data/lang/pl.lex")),
    ("pt", include_str!("../data/lang/pt.lex")),
    ("ro", include_str!("../data/lang/ro.lex")),
    ("sk", include_str!("../data/lang/sk.lex")),
    ("sl", include_str!("../data/lang/sl.lex")),
    ("sv", include_str!("../data/lang/sv.lex")),
];

static LANGUAGES: LazyLock<Vec<Lexicon>> =
    LazyLock::new(|| FILES.iter().map(|(code, text)| Lexicon::parse(code, text)).collect());

/// The word lists of all 24 languages, in the order of their codes.
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
    pub(crate) fn parse(code: &'static str, text: &'static str) -> Self {
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

    /// The phrases of a key, compiled.
    pub(crate) fn matcher(&self, key: &str) -> &Matcher {
        static EMPTY: Matcher = Matcher(None);
        self.lists
            .get(key)
            .map_or(&EMPTY, |list| list.compiled.get_or_init(|| Matcher::new(&list.items)))
    }
}

/// Bytes that one automaton may remember of its states for each thread.
const CACHE_BYTES: usize = 256 * 1024;

/// Phrases compiled to one automaton over tokens, each token of the text being wrapped in spaces.
#[derive(Debug)]
pub(crate) struct Matcher(Option<Regex>);

impl Matcher {
    /// `word~` stands for every word with that beginning, `..` for up to five words, `~word` for every word with that ending.
    pub(crate) fn new<S: AsRef<str>>(items: &[S]) -> Self {
        if items.is_empty() {
            return Self(None);
        }
        // Longer phrases first: where several match at one place, the longest one is the reading.
        let mut sorted: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
        sorted.sort_by_key(|item| std::cmp::Reverse(item.len()));
        let alternatives: Vec<String> = sorted.into_iter().map(phrase).collect();
        // Bytes and not letters: tokens stand between spaces, so nothing is cut within a letter, and the automata of 24
        // languages take a fraction of the memory.
        let regex = RegexBuilder::new(&alternatives.join("|"))
            .unicode(false)
            .dfa_size_limit(CACHE_BYTES)
            .build();
        Self(regex.ok())
    }

    /// Whether a phrase occurs in the tokens.
    pub(crate) fn is_match(&self, tokens: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(tokens.as_bytes()))
    }

    /// The first phrase in the tokens, as a range of the token text.
    pub(crate) fn find(&self, tokens: &str) -> Option<(usize, usize)> {
        let found = self.0.as_ref()?.find(tokens.as_bytes())?;
        Some((found.start(), found.end()))
    }

    /// All phrases in the tokens, without overlap.
    pub(crate) fn find_all(&self, tokens: &str) -> Vec<(usize, usize)> {
        self.0.as_ref().map_or_else(Vec::new, |regex| {
            regex
                .find_iter(tokens.as_bytes())
                .map(|found| (found.start(), found.end()))
                .collect()
        })
    }

    /// How many phrases occur in the tokens.
    pub(crate) fn count(&self, tokens: &str) -> usize {
        self.0
            .as_ref()
            .map_or(0, |regex| regex.find_iter(tokens.as_bytes()).count())
    }
}

fn phrase(item: &str) -> String {
    item.split_whitespace()
        .map(|word| {
            if word == ".." {
                "(?: [^ ]+ ){0,5}".to_owned()
            } else {
                let begin = if word.starts_with('~') { "[^ ]*" } else { "" };
                let end = if word.ends_with('~') { "[^ ]*" } else { "" };
                format!(" {begin}{}{end} ", regex::escape(word.trim_matches('~')))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens;

    #[test]
    fn every_language_has_every_list_and_each_compiles() {
        for lexicon in all() {
            for key in [
                "stop", "cannot", "help", "refuse", "policy", "sorry", "contrast", "redirect", "ai", "human", "self",
                "neg", "life", "yes", "no", "num", "month", "report",
            ] {
                if lexicon.code == "en" && key == "policy" {
                    continue;
                }
                assert!(!lexicon.items(key).is_empty(), "{} lacks {key}", lexicon.code);
                assert!(
                    lexicon.matcher(key).0.is_some(),
                    "{} {key} does not compile",
                    lexicon.code
                );
            }
            assert_eq!(lexicon.items("month").len(), 12, "{}", lexicon.code);
        }
    }

    #[test]
    fn stems_gaps_and_neighbours_are_found() {
        let matcher = Matcher::new(&["can not", "help~", "not .. go", "~ing"]);
        assert_eq!(matcher.count(&tokens("I can't help helpers")), 3);
        assert_eq!(matcher.count(&tokens("not ever again to go")), 1);
        assert_eq!(matcher.count(&tokens("singing along")), 1);
        assert!(!matcher.is_match(&tokens("a canned whelp")));
        assert!(!Matcher::new::<&str>(&[]).is_match(" a "));
    }
}
