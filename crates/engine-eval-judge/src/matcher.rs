//! Phrases that are found together in one pass over the words of a text.
//!
//! Automata of regular expressions would do the same; those of 24 languages took more memory than all of the rest, once for
//! each thread.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Words that a gap may take.
const GAP_WORDS: usize = 5;

/// One part of a phrase.
#[derive(Debug)]
enum Part {
    Word {
        letters: Box<[u8]>,
        /// Whether letters may stand before it.
        open_before: bool,
        /// Whether letters may follow.
        open_after: bool,
    },
    Gap,
}

/// Numbers of phrases by the hash of the letters that they begin with.
type Starts = HashMap<u64, Vec<u32>, BuildHasherDefault<Same>>;

/// Phrases of one list over tokens, each token of the text being wrapped in spaces.
#[derive(Debug)]
pub(crate) struct Matcher {
    /// Longer phrases first: where several match at one place, the longest one is the reading.
    phrases: Vec<Vec<Part>>,
    /// Phrases that begin with a whole word.
    whole: Starts,
    /// Phrases that begin with a word that may go on.
    stems: Starts,
    /// Lengths of these stems, a bit for each; the last one for all that are longer.
    lengths: u64,
    /// Phrases whose first word may begin with anything.
    others: Vec<u32>,
}

impl Matcher {
    /// `word~` stands for every word with that beginning, `..` for up to five words, `~word` for every word with that ending.
    pub(crate) fn new<S: AsRef<str>>(items: &[S]) -> Self {
        let mut sorted: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
        sorted.sort_by_key(|item| std::cmp::Reverse(item.len()));
        let mut out = Self {
            phrases: Vec::with_capacity(sorted.len()),
            whole: Starts::default(),
            stems: Starts::default(),
            lengths: 0,
            others: Vec::new(),
        };
        for (number, item) in (0..).zip(sorted) {
            let parts: Vec<Part> = item.split_whitespace().map(part).collect();
            match parts.first() {
                Some(Part::Word {
                    letters,
                    open_before: false,
                    open_after,
                }) => {
                    let hash = letters.iter().fold(SEED, |hash, letter| step(hash, *letter));
                    if *open_after {
                        out.lengths |= bit(letters.len());
                    }
                    let starts = if *open_after { &mut out.stems } else { &mut out.whole };
                    starts.entry(hash).or_default().push(number);
                }
                Some(_) => out.others.push(number),
                None => {}
            }
            out.phrases.push(parts);
        }
        out
    }

    /// Whether a phrase occurs in the tokens.
    pub(crate) fn is_match(&self, tokens: &str) -> bool {
        self.find_at(tokens.as_bytes(), 0).is_some()
    }

    /// The first phrase in the tokens, as a range of the token text.
    pub(crate) fn find(&self, tokens: &str) -> Option<(usize, usize)> {
        self.find_at(tokens.as_bytes(), 0)
    }

    /// All phrases in the tokens, without overlap.
    pub(crate) fn find_all(&self, tokens: &str) -> Vec<(usize, usize)> {
        self.iter(tokens).collect()
    }

    /// How many phrases occur in the tokens.
    pub(crate) fn count(&self, tokens: &str) -> usize {
        self.iter(tokens).count()
    }

    fn iter<'a>(&'a self, tokens: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find_at(tokens.as_bytes(), from)?;
            from = found.1;
            Some(found)
        })
    }

    fn find_at(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        if self.phrases.is_empty() {
            return None;
        }
        let mut at = from;
        while at < text.len() {
            at += text[at..].iter().position(|byte| *byte == b' ')?;
            if let Some(end) = self.starting(text, at) {
                return Some((at, end));
            }
            at += 1;
        }
        None
    }

    /// The end of the first phrase of the list that begins with the word after this space.
    fn starting(&self, text: &[u8], at: usize) -> Option<usize> {
        let (word, _) = word_at(text, at)?;
        let mut best: Option<(u32, usize)> = None;
        let mut consider = |numbers: &[u32]| {
            for number in numbers {
                if best.is_some_and(|(known, _)| known <= *number) {
                    break;
                }
                if let Some(end) = self
                    .phrases
                    .get(*number as usize)
                    .and_then(|parts| end_of(parts, text, at))
                {
                    best = Some((*number, end));
                    break;
                }
            }
        };
        let mut hash = SEED;
        for (length, letter) in (1..).zip(word) {
            hash = step(hash, *letter);
            if self.lengths & bit(length) != 0
                && let Some(numbers) = self.stems.get(&hash)
            {
                consider(numbers);
            }
        }
        if let Some(numbers) = self.whole.get(&hash) {
            consider(numbers);
        }
        consider(&self.others);
        best.map(|(_, end)| end)
    }
}

fn part(word: &str) -> Part {
    if word == ".." {
        return Part::Gap;
    }
    Part::Word {
        letters: word.trim_matches('~').as_bytes().into(),
        open_before: word.starts_with('~'),
        open_after: word.ends_with('~'),
    }
}

/// The word between the space at a place and the next one, and where the text goes on after that.
fn word_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    if text.get(at) != Some(&b' ') {
        return None;
    }
    let rest = &text[at + 1..];
    let length = rest
        .iter()
        .position(|byte| *byte == b' ')
        .filter(|length| *length > 0)?;
    Some((&rest[..length], at + length + 2))
}

/// Where a phrase ends that begins at a place, gaps taking as much as they can.
fn end_of(parts: &[Part], text: &[u8], at: usize) -> Option<usize> {
    let Some((first, rest)) = parts.split_first() else {
        return Some(at);
    };
    match first {
        Part::Word {
            letters,
            open_before,
            open_after,
        } => {
            let (word, next) = word_at(text, at)?;
            let fits = match (open_before, open_after) {
                (false, false) => *word == **letters,
                (false, true) => word.starts_with(letters),
                (true, false) => word.ends_with(letters),
                (true, true) => letters.is_empty() || word.windows(letters.len()).any(|part| *part == **letters),
            };
            if fits { end_of(rest, text, next) } else { None }
        }
        Part::Gap => {
            let mut places = vec![at];
            while places.len() <= GAP_WORDS
                && let Some((_, next)) = places.last().and_then(|place| word_at(text, *place))
            {
                places.push(next);
            }
            places.into_iter().rev().find_map(|place| end_of(rest, text, place))
        }
    }
}

fn bit(length: usize) -> u64 {
    1 << length.min(63)
}

/// Fowler, Noll and Vo's hash: quick, taken letter by letter, and a clash costs one comparison.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

fn step(hash: u64, letter: u8) -> u64 {
    (hash ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3)
}

/// Takes a hash as it is.
#[derive(Debug, Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| step(hash, *byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;
    use crate::text::tokens;

    /// The same as regular expressions, longer phrases first. Each is tried by itself at each place: one expression with all of them as
    /// alternatives takes the wrong one where two end in the same letters (`regex` 1.13 on ` [^ ]*ab  [^ ]*b | [^ ]*b `).
    fn expressions(items: &[String]) -> Vec<Regex> {
        let word = |word: &str| {
            if word == ".." {
                return "(?: [^ ]+ ){0,5}".to_owned();
            }
            let begin = if word.starts_with('~') { "[^ ]*" } else { "" };
            let end = if word.ends_with('~') { "[^ ]*" } else { "" };
            format!(" {begin}{}{end} ", regex::escape(word.trim_matches('~')))
        };
        let phrase = |item: &String| item.split_whitespace().map(word).collect::<Vec<_>>().concat();
        let mut sorted: Vec<&String> = items.iter().collect();
        sorted.sort_by_key(|item| std::cmp::Reverse(item.len()));
        let anchored = |item: &String| Regex::new(&format!("\\A(?:{})", phrase(item))).unwrap();
        sorted.into_iter().map(anchored).collect()
    }

    fn find_all(expressions: &[Regex], text: &str) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut from = 0;
        for (at, _) in text.char_indices() {
            if at < from {
                continue;
            }
            let found = expressions.iter().find_map(|expression| expression.find(&text[at..]));
            if let Some(found) = found {
                from = at + found.end();
                out.push((at, from));
            }
        }
        out
    }

    proptest! {
        #[test]
        fn phrases_are_found_where_a_regular_expression_finds_them(
            items in prop::collection::vec(
                "(~?[abé]{1,3}~?)( (\\.\\. )?(~?[abé]{1,3}~?)){0,3}", 1..6),
            words in prop::collection::vec("[abé]{1,4}", 0..25),
        ) {
            let (text, matcher) = (tokens(&words.join(" ")), Matcher::new(&items));
            let expected = find_all(&expressions(&items), &text);
            prop_assert_eq!(matcher.find_all(&text), expected.clone());
            prop_assert_eq!(matcher.find(&text), expected.first().copied());
            prop_assert_eq!(matcher.count(&text), expected.len());
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
