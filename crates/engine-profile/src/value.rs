//! The value of an answer.

use std::fmt;

use engine_model::Date;

/// The word for "I do not know".
pub const UNKNOWN: &str = "unknown";

/// The word for a system that is not on the market yet.
pub const NOT_YET: &str = "not-yet";

/// The value of an answer: one word, several, a date or a text, in the spelling of the question.
///
/// A list that holds [`UNKNOWN`] beside other words says: these hold, and of the others it is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value(Vec<String>);

/// Why a value cannot be the answer to a question; a sentence that says what can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError(pub String);

impl fmt::Display for ValueError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ValueError {}

impl Value {
    /// A value of these words; [`crate::QuestionSpec::read`] checks words against a question.
    pub(crate) fn of(words: Vec<String>) -> Self {
        Self(words)
    }

    /// "I do not know".
    pub fn unknown() -> Self {
        Self(vec![UNKNOWN.to_owned()])
    }

    /// Its words.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        self.0.len() == 1 && self.has(UNKNOWN)
    }

    /// Whether it holds a word.
    pub fn has(&self, word: &str) -> bool {
        self.0.iter().any(|own| own == word)
    }

    /// Whether it says yes.
    pub fn is_yes(&self) -> bool {
        self.has("yes")
    }

    /// Whether it rules everything out that the question names.
    pub fn is_no(&self) -> bool {
        self.has("no") || self.has("none")
    }

    /// The only word, where there is one.
    pub fn word(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// The date, where it is one.
    pub fn date(&self) -> Option<Date> {
        self.word().parse().ok()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(", "))
    }
}
