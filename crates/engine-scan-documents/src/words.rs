//! Words of titles and headings, brought to one word for each meaning in seven languages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use engine_embed::embed;
use serde::Deserialize;

/// One search for many phrases: every document goes through it, so the larger automaton is taken, which is the faster one.
#[expect(
    clippy::expect_used,
    reason = "the phrases are part of the program and are searched for in tests"
)]
pub(crate) fn automaton(phrases: &[&str]) -> AhoCorasick {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .build(phrases)
        .expect("the phrases make an automaton")
}

/// Lower case without accents.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        // Nearly all text is plain ASCII.
        let plain = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        let (ascii, further) = rest.split_at(plain);
        let from = out.len();
        out.push_str(ascii);
        out[from..].make_ascii_lowercase();
        let special = further
            .bytes()
            .position(|byte| byte.is_ascii())
            .unwrap_or(further.len());
        let (special, further) = further.split_at(special);
        fold_beyond_ascii(special, &mut out);
        rest = further;
    }
    out
}

fn fold_beyond_ascii(text: &str, out: &mut String) {
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => out.push('a'),
            'ç' | 'ć' | 'č' => out.push('c'),
            'è' | 'é' | 'ê' | 'ë' | 'ę' => out.push('e'),
            'ì' | 'í' | 'î' | 'ï' => out.push('i'),
            'ł' => out.push('l'),
            'ñ' | 'ń' => out.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' => out.push('o'),
            'ś' | 'š' => out.push('s'),
            'ß' => out.push_str("ss"),
            'ù' | 'ú' | 'û' | 'ü' => out.push('u'),
            'ź' | 'ż' | 'ž' => out.push('z'),
            'œ' => out.push_str("oe"),
            // Combining accents follow their letter in decomposed text.
            '\u{0300}'..='\u{036F}' => {}
            other => out.push(other),
        }
    }
}

/// The words of a heading that carry its meaning, each once.
pub(crate) fn tokens(heading: &str) -> BTreeSet<String> {
    let lexicon = &*LEXICON;
    let folded = fold(heading);
    let mut out = BTreeSet::new();
    for word in folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if lexicon.fillers.contains(word) || word.len() < 2 && !word.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        lexicon.canonical(word, &mut out);
    }
    out
}

struct Lexicon {
    words: BTreeMap<String, String>,
    fillers: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LexiconFile {
    words: BTreeMap<String, Vec<String>>,
    fillers: Fillers,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fillers {
    words: Vec<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the table is part of the program and is parsed in a test"
    )]
    let file: LexiconFile =
        engine_embed::from_toml(&embed!("../data/lexicon.toml").text()).expect("the lexicon is valid TOML");
    let mut words = BTreeMap::new();
    for (meaning, forms) in file.words {
        for form in forms {
            words.insert(fold(&form), meaning.clone());
        }
        words.insert(meaning.clone(), meaning);
    }
    Lexicon {
        words,
        fillers: file.fillers.words.into_iter().collect(),
    }
});

/// Longest word that is split into the words it is made of.
const COMPOUND_BYTES_MAX: usize = 64;
/// Shortest word that is taken for a compound.
const COMPOUND_BYTES_MIN: usize = 8;
/// Shortest part of a compound.
const PART_BYTES_MIN: usize = 3;

impl Lexicon {
    fn canonical(&self, word: &str, out: &mut BTreeSet<String>) {
        if let Some(meaning) = self.words.get(word) {
            out.insert(meaning.clone());
            return;
        }
        let singular = word
            .strip_suffix('s')
            .filter(|stem| stem.len() >= 3 && !stem.ends_with('s'));
        if let Some(meaning) = singular.and_then(|stem| self.words.get(stem)) {
            out.insert(meaning.clone());
        } else if let Some(parts) = self.split(word) {
            out.extend(parts);
        } else {
            out.insert(singular.unwrap_or(word).to_owned());
        }
    }

    /// The words that a compound is made of, if known words cover all of it, fewest parts first.
    fn split(&self, word: &str) -> Option<Vec<String>> {
        if !word.is_ascii() || !(COMPOUND_BYTES_MIN..=COMPOUND_BYTES_MAX).contains(&word.len()) {
            return None;
        }
        // best[i]: the fewest parts that cover word[i..], with the end of the first part and its meaning.
        let mut best: Vec<Option<(usize, usize, &str)>> = vec![None; word.len() + 1];
        for start in (0..word.len()).rev() {
            for end in (start + PART_BYTES_MIN..=word.len()).rev() {
                let Some(meaning) = self.words.get(&word[start..end]) else {
                    continue;
                };
                // German joins parts with `s`, `es`, `n` or `en`.
                for link in ["", "s", "n", "en", "es"] {
                    if !word[end..].starts_with(link) {
                        continue;
                    }
                    let next = end + link.len();
                    let parts = if next == word.len() {
                        Some(1)
                    } else {
                        best[next].map(|(parts, _, _)| parts + 1)
                    };
                    if let Some(parts) = parts
                        && best[start].is_none_or(|(known, _, _)| parts < known)
                    {
                        best[start] = Some((parts, next, meaning));
                    }
                }
            }
        }
        let mut out = Vec::new();
        let mut at = 0;
        while at < word.len() {
            let (_, next, meaning) = best[at]?;
            out.push(meaning.to_owned());
            at = next;
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(heading: &str, expected: &[&str]) {
        let found = tokens(heading);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, expected, "{heading}");
    }

    #[test]
    fn the_same_meaning_is_the_same_word_in_every_language() {
        for heading in [
            "Risk management",
            "Risikomanagement",
            "Gestion des risques",
            "Gestión de riesgos",
            "Zarządzanie ryzykiem",
            "Risicobeheer",
        ] {
            check(heading, &["management", "risk"]);
        }
    }

    #[test]
    fn compounds_are_split_where_every_part_is_known() {
        check(
            "Grundrechte-Folgenabschätzung",
            &["assessment", "fundamental", "impact", "right"],
        );
        check(
            "Grundrechtefolgenabschätzung",
            &["assessment", "fundamental", "impact", "right"],
        );
        check("Qualitätsmanagementsystem", &["management", "quality", "system"]);
        check("Risikomanagementakte", &["file", "management", "risk"]);
        check("Weltanschauung", &["weltanschauung"]);
    }

    #[test]
    fn each_word_form_has_one_meaning() {
        let file: LexiconFile = toml::from_str(include_str!("../data/lexicon.toml")).unwrap();
        let mut seen: BTreeMap<String, String> = file.words.keys().map(|word| (word.clone(), word.clone())).collect();
        for (meaning, forms) in &file.words {
            for form in forms {
                let before = seen.insert(fold(form), meaning.clone());
                assert!(
                    before.is_none() || before.as_ref() == Some(meaning),
                    "{form}: {before:?} and {meaning}"
                );
            }
        }
    }
}
