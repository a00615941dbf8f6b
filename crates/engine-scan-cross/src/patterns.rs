//! Patterns that are compiled once.

use regex::Regex;

/// Declares a pattern that is compiled when it is first needed.
macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| crate::patterns::compile($text));
    };
}

pub(crate) use pattern;

/// Compiles a pattern of the program.
///
/// Digits and the boundaries of words are those of ASCII, and everything beyond ASCII belongs to a word: the boundaries of Unicode cannot be
/// searched for in one pass, so that a page with one letter beyond ASCII would be searched many times slower, and the table of its letters makes
/// automata of a hundred times the states.
#[expect(
    clippy::expect_used,
    reason = "the patterns are part of the program and a test reads a text with each of them"
)]
pub(crate) fn compile(pattern: &str) -> Regex {
    Regex::new(&plain(pattern)).expect("the pattern is valid")
}

/// Characters of words, inside of a class.
const WORD: &str = r"0-9A-Za-z_\x{80}-\x{10FFFF}";

/// A pattern with plain classes in place of those of Unicode. No word of a pattern begins or ends at a boundary with a letter beyond ASCII.
fn plain(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut characters = pattern.chars();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped = characters.next();
                match escaped {
                    Some('b') if !in_class => out.push_str(r"(?-u:\b)"),
                    Some('w') if in_class => out.push_str(WORD),
                    Some('w') => out.extend(["[", WORD, "]"]),
                    Some('d') if in_class => out.push_str("0-9"),
                    Some('d') => out.push_str("[0-9]"),
                    _ => {
                        out.push(character);
                        out.extend(escaped);
                    }
                }
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{compile, plain};

    #[test]
    fn classes_are_plain() {
        assert_eq!(
            plain(r"\bki\b\d[\d,]\.\\b[\w.]"),
            r"(?-u:\b)ki(?-u:\b)[0-9][0-9,]\.\\b[0-9A-Za-z_\x{80}-\x{10FFFF}.]"
        );
    }

    #[test]
    fn words_of_all_scripts_are_words_and_boundaries_those_of_ascii() {
        let pattern = compile(r"\bmodel\b|искусственн\w+ интеллект");
        assert!(pattern.is_match("ein model – „gut“") && pattern.is_match("об искусственном интеллекте"));
        assert!(!pattern.is_match("modeling"));
    }
}
