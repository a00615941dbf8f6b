//! Substance: which words of a text say something, and which only keep a place.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::words::{automaton, fold};

/// How a text stands on the page, which decides whether a request to the reader is the template speaking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Running text.
    Plain,
    /// Italics or a quotation, in which templates put their instructions.
    Aside,
}

/// What a text amounts to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Words that say something.
    pub(crate) words: u32,
    /// Places that wait to be filled in.
    pub(crate) placeholders: u32,
    /// Figures.
    pub(crate) numbers: u32,
    /// The different words, up to a limit.
    pub(crate) seen: BTreeSet<String>,
}

/// Different words that are told apart in one text.
const DISTINCT_MAX: usize = 16;

/// Marks for work that is still to be done; as capitals only, since `todo` is a word in Spanish and Portuguese.
const CAPITAL_MARKS: &[&str] = &[
    "TBD", "TODO", "TBA", "TBC", "FIXME", "XXX", "XX", "YYYY", "DD", "MM", "JJJJ", "TT", "AAAA", "JJ",
];

/// Length of the longest of them.
const CAPITAL_BYTES_MAX: usize = 5;

/// Phrases that say that the text is still to come, folded.
const PHRASES: &[&str] = &[
    "tbd",
    "to be completed",
    "to be defined",
    "to be determined",
    "to be added",
    "to be written",
    "to be filled",
    "to be provided",
    "to be decided",
    "to be done",
    "to be announced",
    "coming soon",
    "work in progress",
    "under construction",
    "placeholder",
    "fill in here",
    "your text here",
    "insert text",
    "insert here",
    "add text here",
    "replace this",
    "delete this text",
    "this section describes",
    "this section should",
    "wird erganzt",
    "wird noch erganzt",
    "noch zu erganzen",
    "zu erganzen",
    "ist zu erganzen",
    "auszufullen",
    "noch offen",
    "folgt noch",
    "platzhalter",
    "hier einfugen",
    "a completer",
    "a definir",
    "a remplir",
    "a determiner",
    "a renseigner",
    "por completar",
    "por definir",
    "pendiente de completar",
    "a rellenar",
    "por determinar",
    "da completare",
    "da definire",
    "da compilare",
    "da inserire",
    "do uzupelnienia",
    "do ustalenia",
    "do wypelnienia",
    "uzupelnic",
    "nog in te vullen",
    "in te vullen",
    "nader te bepalen",
    "nog aan te vullen",
    "volgt nog",
];

/// How requests to the writer of a document begin, folded. Those of the first list stand in no finished text.
const REQUESTS: &[&str] = &[
    "describe ",
    "explain how",
    "explain why",
    "explain the",
    "explain what",
    "specify ",
    "fill in",
    "insert ",
    "please ",
    "enter the",
    "enter your",
    "briefly describe",
    "summarise the",
    "summarize the",
    "beschreiben sie",
    "beschreibe ",
    "erlautern sie",
    "geben sie an",
    "nennen sie",
    "tragen sie",
    "fullen sie",
    "bitte ",
    "decrivez",
    "decrire ",
    "expliquez",
    "indiquez",
    "precisez",
    "veuillez",
    "inserez",
    "describa",
    "describir ",
    "explique ",
    "indique ",
    "especifique",
    "introduzca",
    "inserte ",
    "descrivere ",
    "descrivi",
    "spiegare ",
    "indicare ",
    "specificare ",
    "inserire ",
    "opisz",
    "opisac",
    "wyjasnij",
    "podaj",
    "wskaz",
    "wpisz",
    "prosze ",
    "beschrijf",
    "leg uit",
    "geef aan",
    "vul ",
    "vermeld ",
];

/// Requests that may also stand in a finished text, and so count in italics and quotations only.
const ASIDE_REQUESTS: &[&str] = &[
    "list ",
    "name ",
    "state ",
    "provide ",
    "include ",
    "identify ",
    "outline ",
    "define ",
    "document ",
    "add ",
    "give ",
    "write ",
    "summarise ",
    "summarize ",
    "set out",
    "consider ",
    "use this section",
    "note:",
    "guidance",
    "instruction",
    "hint",
    "example:",
    "e.g.",
    "for example",
    "zum beispiel",
    "z. b.",
    "hinweis",
    "ausfullhinweis",
    "par exemple",
    "por ejemplo",
    "ad esempio",
];

/// The phrases together, and the words with which printers fill a page.
static SUSPECT: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(&[PHRASES, &[FILLER]].concat()));
const FILLER: &str = "lorem ipsum";

/// Measures one block of text. Linear in its length.
pub(crate) fn measure(text: &str, setting: Setting) -> Measure {
    let mut out = Measure::default();
    let folded_all = fold(text);
    // Most blocks hold no such phrase, so the block is searched before its sentences.
    let suspect = SUSPECT.is_match(&folded_all);
    if suspect && folded_all.contains(FILLER) {
        out.placeholders = 1;
        return out;
    }
    for line in text.lines() {
        let (line, holes) = without_holes(line);
        out.placeholders = out.placeholders.saturating_add(holes);
        for sentence in sentences(&line) {
            measure_sentence(sentence, setting, suspect, &mut out);
        }
    }
    out
}

fn measure_sentence(sentence: &str, setting: Setting, suspect: bool, out: &mut Measure) {
    let sentence = sentence.trim();
    let folded = fold(sentence);
    let start = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    let capital_mark = sentence
        .split(|c: char| !c.is_alphanumeric())
        .any(|token| token.len() <= CAPITAL_BYTES_MAX && CAPITAL_MARKS.contains(&token));
    let request =
        begins_with_one_of(start, REQUESTS) || setting == Setting::Aside && begins_with_one_of(start, ASIDE_REQUESTS);
    if capital_mark || request || suspect && PHRASES.iter().any(|phrase| contains_phrase(&folded, phrase)) {
        out.placeholders = out.placeholders.saturating_add(1);
        return;
    }
    // A question is what a template asks; the answer stands in another sentence.
    if sentence.ends_with('?') {
        if setting == Setting::Aside {
            out.placeholders = out.placeholders.saturating_add(1);
        }
        return;
    }
    let words = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    // `Name:` and `Date of approval:` label a place in which nothing stands.
    if sentence.ends_with(':') && words.clone().filter(|word| is_word(word)).count() <= 6 {
        return;
    }
    for word in words {
        if is_word(word) {
            out.words = out.words.saturating_add(1);
            if out.seen.len() < DISTINCT_MAX && !out.seen.contains(word) {
                out.seen.insert(word.to_owned());
            }
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            out.numbers = out.numbers.saturating_add(1);
        }
    }
}

/// A word is two letters or more; `n/a` and single letters say nothing.
fn is_word(token: &str) -> bool {
    token.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
}

/// Whether a text begins with one of some words; the first letter rules out nearly all of them.
fn begins_with_one_of(text: &str, words: &[&str]) -> bool {
    let first = text.as_bytes().first();
    words
        .iter()
        .any(|word| word.as_bytes().first() == first && text.starts_with(word))
}

fn contains_phrase(folded: &str, phrase: &str) -> bool {
    folded.match_indices(phrase).any(|(at, _)| {
        let before = folded[..at].chars().next_back();
        let after = folded[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Splits at the ends of sentences: a stop before a space, or a semicolon.
fn sentences(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = match c {
            '.' | '!' | '?' => chars.peek().is_none_or(|(_, next)| next.is_whitespace()),
            ';' => true,
            _ => false,
        };
        if end {
            let stop = at + c.len_utf8();
            out.push(&line[start..stop]);
            start = stop;
        }
    }
    out.push(&line[start..]);
    out
}

/// The text without the places that wait to be filled in, and their number: `[insert …]`, `<name>`, `{{name}}`, `____`, `…`.
fn without_holes(line: &str) -> (String, u32) {
    let mut out = String::with_capacity(line.len());
    let mut holes = 0;
    let bytes = line.as_bytes();
    let mut at = 0;
    // A bracket without its end is looked for once, so that a line of brackets stays linear.
    let mut closed: [Option<usize>; 3] = [Some(0); 3];
    while at < line.len() {
        let plain = bytes[at..]
            .iter()
            .position(|byte| matches!(byte, b'[' | b'<' | b'{' | b'_' | b'.' | b'?'))
            .unwrap_or(line.len() - at);
        out.push_str(&line[at..at + plain]);
        at += plain;
        if at == line.len() {
            break;
        }
        let hole = match bytes[at] {
            b'[' => hole_between(line, at, ']', &mut closed[0], is_bracket_hole),
            b'<' => hole_between(line, at, '>', &mut closed[1], is_angle_hole),
            b'{' if bytes.get(at + 1) == Some(&b'{') => hole_between(line, at, '}', &mut closed[2], |_| true),
            b'_' => run(bytes, at, b'_', 3),
            b'.' => run(bytes, at, b'.', 4),
            b'?' => run(bytes, at, b'?', 3),
            _ => None,
        };
        if let Some(range) = hole {
            holes += 1;
            out.push(' ');
            at = range.end;
            continue;
        }
        out.push_str(&line[at..=at]);
        at += 1;
    }
    let rest = out.trim();
    if rest == "…" || rest == "..." || rest == "-" {
        return (String::new(), holes + 1);
    }
    (out, holes)
}

/// Longest text that still counts as one place to fill in.
const HOLE_BYTES_MAX: usize = 400;

fn hole_between(
    line: &str,
    at: usize,
    close: char,
    known_end: &mut Option<usize>,
    is_hole: fn(&str) -> bool,
) -> Option<Range<usize>> {
    let end = match *known_end {
        None => return None,
        Some(end) if end > at => end,
        Some(_) => {
            let found = line[at..].find(close).map(|offset| at + offset);
            *known_end = found;
            found?
        }
    };
    // What follows decides between a link in brackets and a place to fill in.
    let inner = line.get(at + 1..end)?;
    let is_link = line[end + 1..].starts_with(['(', '[', ':']) && close == ']';
    (inner.len() <= HOLE_BYTES_MAX && !is_link && is_hole(inner.trim())).then_some(at..end + 1)
}

/// `[name]` and `[insert the name]` wait; `[1]`, `[x]`, `[ISO27001]` and `[sic]` do not.
fn is_bracket_hole(inner: &str) -> bool {
    let letters = inner.chars().filter(|c| c.is_alphabetic()).count();
    let reference = inner.contains(|c: char| c.is_ascii_digit()) && !inner.contains(' ');
    (letters >= 2 && !reference && !inner.eq_ignore_ascii_case("sic"))
        || inner.chars().all(|c| matches!(c, '.' | '…' | '_')) && !inner.is_empty()
}

/// `<name>` and `<your company>` wait; `<https://…>`, `<a@b.c>` and comparisons do not.
fn is_angle_hole(inner: &str) -> bool {
    inner.starts_with(char::is_alphabetic)
        && inner.len() <= 80
        && !inner.contains(['@', ':', '=', '/', '<', '>'])
        && inner.chars().any(char::is_alphabetic)
}

fn run(bytes: &[u8], at: usize, byte: u8, min: usize) -> Option<Range<usize>> {
    let length = bytes[at..].iter().take_while(|b| **b == byte).count();
    (length >= min).then_some(at..at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, words: u32, placeholders: u32) {
        let found = measure(text, Setting::Plain);
        assert_eq!((found.words, found.placeholders), (words, placeholders), "{text}");
    }

    #[test]
    fn placeholders_do_not_count_as_text() {
        for text in [
            "TBD",
            "TODO: ask legal",
            "tbd.",
            "Lorem ipsum dolor sit amet, consectetur.",
            "[insert name of the provider]",
            "[Name]",
            "<name>",
            "<your company>",
            "____",
            "........",
            "???",
            "{{ provider }}",
            "to be completed by the team",
            "To be defined.",
            "wird noch ergänzt",
            "Noch auszufüllen",
            "À compléter",
            "Por completar",
            "Da completare",
            "Do uzupełnienia",
            "Nog in te vullen",
            "Describe the intended purpose of the system.",
            "Beschreiben Sie den Zweck des Systems.",
            "Décrivez la finalité du système.",
            "Describa la finalidad del sistema.",
            "Opisz cel systemu.",
            "Beschrijf het doel.",
            "…",
            "...",
            "YYYY-MM-DD",
        ] {
            let found = measure(text, Setting::Plain);
            assert!(found.placeholders > 0, "{text}: {found:?}");
            assert_eq!(found.words, 0, "{text}: {found:?}");
        }
    }

    #[test]
    fn text_that_only_resembles_a_placeholder_keeps_its_words() {
        check("The model was trained on data of 2024 [1].", 7, 0);
        check("Todo el personal conoce las normas.", 6, 0);
        check("Errors below < 5 and above > 3 count.", 5, 0);
        check("Follows ISO42001 [ISO42001].", 3, 0);
        check("See <https://example.org> for the list.", 7, 0);
        check("Owner:", 0, 0);
        check("Who is responsible?", 0, 0);
        check("- [x] The log is kept.", 4, 0);
    }

    #[test]
    fn a_hole_in_a_sentence_leaves_its_other_words() {
        check("The system is run by [company] in Vienna.", 7, 1);
    }

    #[test]
    fn instructions_in_italics_count_as_the_template() {
        assert_eq!(measure("List all groups of persons.", Setting::Aside).words, 0);
        assert_eq!(measure("List prices are shown to staff.", Setting::Plain).words, 6);
    }
}
