//! Where the rows of a table come from, and what kinds of facts about people they say a thing reads.

use serde::{Deserialize, Serialize};

/// Where the rows of one data file come from and when they were last reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The data file, for instance `packages/pypi.toml`.
    pub file: &'static str,
    /// What kind of source the rows were taken from.
    pub source: String,
    /// When the rows were last reviewed, as an ISO date.
    pub as_of: String,
}

/// What a package, host or model is made to read from a person; a reason to ask, never a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonTrait {
    /// Finds, describes or compares faces.
    Face,
    /// Infers emotions from face, voice or text.
    Emotion,
    /// Tells speakers apart by their voice.
    Speaker,
    /// Reads or ranks applications for work.
    Applicant,
}
