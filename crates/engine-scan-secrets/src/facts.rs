//! What is kept of a file: where secrets stand, without the secrets.

use serde::{Deserialize, Serialize};

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretFacts {
    /// The secrets in the order of their places.
    pub found: Vec<Secret>,
}

/// A place that holds a secret. It holds a mask and a fingerprint, never the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
    /// The rule that told it, such as `secret-openai-key`.
    pub rule: String,
    /// The check that reports it, such as `secret-ai-key`.
    pub check: String,
    /// What it is, in a few words.
    pub title: String,
    /// Who gave it out, where the form or the name says so.
    pub provider: Option<String>,
    /// 0 to 100: of places with 80, about 80 % hold a secret.
    pub confidence: u8,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Column after the last character; for a block of lines that of the first line.
    pub end_column: u32,
    /// The last line, where the secret is a block.
    pub end_line: u32,
    /// Up to four characters of a long secret, then `****`; only `****` for a short one.
    pub masked: String,
    /// Keyed BLAKE3 of the secret, in hex: equal for equal secrets, of no use without the key.
    pub fingerprint: String,
}
