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
///
/// Where case does not matter, a class that holds the letters in both cases, or none, is taken as it stands: to look for the other case of
/// each character of all scripts takes longer than all else.
fn plain(pattern: &str) -> String {
    let any_case = pattern.split("(?").skip(1).any(|group| {
        let flags = group.split([':', ')']).next().unwrap_or(group);
        flags.contains('i') && flags.bytes().all(|flag| flag.is_ascii_alphabetic())
    });
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut class = String::new();
    let mut characters = pattern.chars();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        let into = if in_class { &mut class } else { &mut out };
        match character {
            '\\' => match characters.next() {
                Some('b') if !in_class => into.push_str(r"(?-u:\b)"),
                Some('w') if in_class => into.push_str(WORD),
                Some('w') => push_class(into, &["[", WORD, "]"].concat(), any_case),
                Some('d') if in_class => into.push_str("0-9"),
                Some('d') => into.push_str("[0-9]"),
                escaped => {
                    into.push(character);
                    into.extend(escaped);
                }
            },
            '[' if !in_class => {
                in_class = true;
                class.push(character);
            }
            ']' if in_class => {
                in_class = false;
                class.push(character);
                push_class(&mut out, &class, any_case);
                class.clear();
            }
            _ => into.push(character),
        }
    }
    out.push_str(&class);
    out
}

/// Adds a class, kept as it stands where it means the same in any case.
fn push_class(out: &mut String, class: &str, any_case: bool) {
    if any_case && is_of_both_cases(class) {
        out.extend(["(?-i:", class, ")"]);
    } else {
        out.push_str(class);
    }
}

/// Whether a class holds all letters in both cases, or none by name.
fn is_of_both_cases(class: &str) -> bool {
    let rest = class.replace("A-Za-z", "").replace("a-zA-Z", "");
    let mut characters = rest.chars();
    let mut letters = false;
    while let Some(character) = characters.next() {
        if character == '\\' {
            characters.next();
        } else {
            letters |= character.is_alphabetic();
        }
    }
    class.contains(WORD) || !letters
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
    fn classes_of_both_cases_are_taken_as_they_stand() {
        assert_eq!(
            plain(r#"(?i)a[^"\n]{0,9}\w[A-Za-z ]"#),
            r#"(?i)a(?-i:[^"\n]){0,9}(?-i:[0-9A-Za-z_\x{80}-\x{10FFFF}])(?-i:[A-Za-z ])"#
        );
        // One case alone, and a pattern in which case matters.
        for pattern in [r"(?i)[a-z]+[^A-C]", r"[^<>]+(?:i:x)", r"(?x)[^<>]"] {
            assert_eq!(plain(pattern), pattern);
        }
        let pattern = compile(r"(?i)say[^.]{0,20}(?:model\w*|[a-c]7)");
        assert!(pattern.is_match("SAY it to the MODELS") && pattern.is_match("say B7"));
        assert!(!pattern.is_match("say it. Model"));
    }

    #[test]
    fn words_of_all_scripts_are_words_and_boundaries_those_of_ascii() {
        let pattern = compile(r"\bmodel\b|искусственн\w+ интеллект");
        assert!(pattern.is_match("ein model – „gut“") && pattern.is_match("об искусственном интеллекте"));
        assert!(!pattern.is_match("modeling"));
    }
}
