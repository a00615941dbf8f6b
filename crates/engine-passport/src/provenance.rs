//! Where the values of a passport come from.

use std::collections::BTreeMap;

use engine_signing::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Seen in code, manifests or configuration.
    Code,
    /// A person said so.
    Answer,
    /// What the law or this engine presumes where nobody said anything.
    Default,
    /// Taken over from another format or another place.
    Import,
    /// A model proposed it.
    Llm,
    /// Nobody knows; the value is `null`, empty or `unknown`.
    Unknown,
}

impl SourceKind {
    /// Whether a regeneration leaves the value alone.
    pub const fn is_kept(self) -> bool {
        matches!(self, Self::Answer | Self::Import | Self::Llm)
    }
}

/// Where the values of a passport come from, and what it has been through.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// Where each field comes from, by its dotted path.
    #[serde(default)]
    pub fields: BTreeMap<String, SourceKind>,
    /// Short digests of what the engine wrote, by dotted path: a value that no longer fits was changed by a person.
    #[serde(default)]
    pub written: BTreeMap<String, String>,
    /// Fields that follow from another one, with that one: a list of obligations from a class that was stated.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub derived: BTreeMap<String, String>,
    /// What it was generated from.
    #[serde(default)]
    pub generated: Option<GeneratedFrom>,
    /// Where it was taken over from, the oldest first.
    #[serde(default)]
    pub imports: Vec<ImportRecord>,
    /// The names that it had, the oldest first.
    #[serde(default)]
    pub renames: Vec<RenameRecord>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What a passport was generated from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratedFrom {
    /// When the code was looked at, as RFC 3339.
    pub scanned_at: String,
    /// The version of the engine.
    pub engine_version: String,
    /// The version of the regulation data.
    pub regulation_version: String,
}

/// A signature that somebody else made, kept as it came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignSignature {
    /// What carried it: `passport` or `a2a`.
    pub of: String,
    /// What checking it said: `valid`, `tampered`, `unknown_key`, `not_checked`.
    pub verdict: String,
    /// The signature as it came.
    pub signature: Value,
}

/// One taking over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportRecord {
    /// The format.
    pub format: String,
    /// When, as RFC 3339.
    pub at: String,
    /// BLAKE3 of the canonical JSON of what came; it is kept under this name in `originals/`.
    pub original: String,
    /// The signatures that it bore.
    #[serde(default)]
    pub signatures: Vec<ForeignSignature>,
}

/// One change of the name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RenameRecord {
    /// The name before.
    pub from: String,
    /// The name after.
    pub to: String,
    /// When, as RFC 3339.
    pub at: String,
}

/// A short digest of a value: enough to tell that somebody changed it, and not meant to prove anything.
pub(crate) fn mark(value: &Value) -> Option<String> {
    let digest = Digest::of_json(value).ok()?.to_string();
    Some(digest.chars().take(16).collect())
}
