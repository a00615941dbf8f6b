//! Texts in quotes, found by walking over them.
//!
//! A pattern that counts the characters between two quotes makes an automaton of thousands of states, and of each state a row in
//! every cache: megabytes for what a loop does at once.

use regex::Regex;

/// What counts as a text in quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted {
    /// The quotes that may stand around it.
    pub(crate) quotes: &'static [u8],
    /// The fewest and the most characters of it.
    pub(crate) length: (usize, usize),
    /// Whether a backslash takes the meaning from the character behind it.
    pub(crate) escapes: bool,
    /// Whether it may go over several lines between backticks.
    pub(crate) lines: bool,
}

/// A text as most languages write it.
pub(crate) const LITERAL: Quoted = Quoted {
    quotes: b"\"'`",
    length: (2, 400),
    escapes: true,
    lines: true,
};

impl Quoted {
    /// The text behind the quote at a place.
    pub(crate) fn at<'t>(&self, text: &'t str, open: usize) -> Option<&'t str> {
        let quote = *text.as_bytes().get(open).filter(|byte| self.quotes.contains(byte))?;
        let start = open + 1;
        let inner = text.get(start..)?;
        let many = self.lines && quote == b'`';
        let mut characters = inner.char_indices();
        let mut count = 0;
        while let Some((at, character)) = characters.next() {
            if character == char::from(quote) {
                return (count >= self.length.0).then(|| inner.get(..at)).flatten();
            }
            if character == '\n' && !many {
                return None;
            }
            if character == '\\' && self.escapes {
                // What a backslash at the end of a line stands in is no text in quotes.
                let (_, escaped) = characters.next()?;
                if escaped == '\n' {
                    return None;
                }
            }
            count += 1;
            if count > self.length.1 {
                return None;
            }
        }
        None
    }

    /// All texts in quotes, with their places.
    pub(crate) fn all(self, text: &str) -> impl Iterator<Item = (usize, &str)> {
        let mut from = 0;
        std::iter::from_fn(move || {
            loop {
                let bytes = text.as_bytes().get(from..)?;
                let open = from + bytes.iter().position(|byte| self.quotes.contains(byte))?;
                from = open + 1;
                if let Some(inner) = self.at(text, open) {
                    from = open + inner.len() + 2;
                    return Some((open + 1, inner));
                }
            }
        })
    }

    /// The texts behind what a pattern finds, which ends with the quote; `tail` has to follow, where it is given.
    pub(crate) fn behind<'t>(
        self,
        head: &Regex,
        tail: Option<&Regex>,
        text: &'t str,
        max: usize,
        found: &mut Vec<(usize, &'t str)>,
    ) {
        let mut from = 0;
        let mut left = max;
        while left > 0
            && let Some(hit) = head.find_at(text, from)
        {
            let open = hit.end().saturating_sub(1);
            let next = || text[hit.start()..].chars().next().map_or(1, char::len_utf8) + hit.start();
            from = match self.at(text, open) {
                Some(inner) => {
                    let end = open + inner.len() + 2;
                    let behind = tail.map(|tail| tail.find(&text[end..]));
                    match behind {
                        Some(None) => next(),
                        Some(Some(tail)) => {
                            found.push((open + 1, inner));
                            left -= 1;
                            end + tail.end()
                        }
                        None => {
                            found.push((open + 1, inner));
                            left -= 1;
                            end
                        }
                    }
                }
                None => next(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;
    use crate::patterns::pattern;

    pattern!(
        LITERALS,
        r#""((?:[^"\\\n]|\\.){2,400})"|'((?:[^'\\\n]|\\.){2,400})'|`((?:[^`\\]|\\.){2,400})`"#
    );
    pattern!(
        CHOICES,
        r#"(?:\?|&&|\?\s*\(|:)\s*(?:"([^"\n]{2,4})"|'([^'\n]{2,4})')\s*(?::[^:]|\)|\})"#
    );
    pattern!(HEAD, r#"(?:\?|&&|\?\s*\(|:)\s*["']"#);
    pattern!(TAIL, r"^\s*(?::[^:]|\)|\})");

    fn texts(pattern: &Regex, text: &str) -> Vec<(usize, String)> {
        pattern
            .captures_iter(text)
            .filter_map(|captures| captures.iter().skip(1).flatten().next())
            .map(|hit| (hit.start(), hit.as_str().to_owned()))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn a_walk_finds_what_a_pattern_finds(text in "[ab\"'`\\\\\n é]{0,40}") {
            let walked: Vec<(usize, String)> = LITERAL.all(&text).map(|(at, inner)| (at, inner.to_owned())).collect();
            prop_assert_eq!(walked, texts(&LITERALS, &text));
        }

        #[test]
        fn a_head_and_a_tail_find_what_one_pattern_finds(text in "[?:)}( ab\"'\n]{0,40}") {
            let mut walked = Vec::new();
            let quoted = Quoted { quotes: b"\"'", length: (2, 4), escapes: false, lines: false };
            quoted.behind(&HEAD, Some(&TAIL), &text, 4_000, &mut walked);
            let walked: Vec<(usize, String)> = walked.into_iter().map(|(at, inner)| (at, inner.to_owned())).collect();
            prop_assert_eq!(walked, texts(&CHOICES, &text));
        }
    }

    #[test]
    fn the_longest_text_counts_characters() {
        let long = "é".repeat(400);
        assert_eq!(LITERAL.at(&format!("'{long}'"), 0), Some(long.as_str()));
        assert_eq!(LITERAL.at(&format!("'{long}é'"), 0), None);
        assert_eq!(LITERAL.at("'a'", 0), None);
        assert_eq!(LITERAL.at("ab", 0), None);
    }
}
