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
#[expect(
    clippy::expect_used,
    reason = "the patterns are part of the program and a test reads a text with each of them"
)]
pub(crate) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}
