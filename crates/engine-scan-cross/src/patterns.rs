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
/// A pattern of ASCII letters means the boundaries of ASCII words: those of Unicode cannot be searched for in one pass, and a page
/// with one letter beyond ASCII would be searched many times slower.
#[expect(
    clippy::expect_used,
    reason = "the patterns are part of the program and a test reads a text with each of them"
)]
pub(crate) fn compile(pattern: &str) -> Regex {
    let ascii = pattern.is_ascii().then(|| pattern.replace(r"\b", r"(?-u:\b)"));
    Regex::new(ascii.as_deref().unwrap_or(pattern)).expect("the pattern is valid")
}
