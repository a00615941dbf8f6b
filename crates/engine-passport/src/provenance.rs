//! Where the values of a passport come from.

use std::collections::BTreeMap;

use engine_signing::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Found in code, manifests or configuration.
    Code,
    /// A person stated it.
    Answer,
    /// The default of the law or of this engine, without a statement of a person.
    Default,
    /// Imported from another format or another place.
    Import,
    /// A model proposed it.
    Llm,
    /// No source is known; the value is `null`, empty or `unknown`.
    Unknown,
}

impl SourceKind {
    /// Whether a regeneration leaves the value alone.
    pub const fn is_kept(self) -> bool {
        matches!(self, Self::Answer | Self::Import | Self::Llm)
    }
}

/// The sources of the values of a passport, and its history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The source of each field, by its dotted path.
    #[serde(default)]
    pub fields: BTreeMap<String, SourceKind>,
    /// Short digests of the values that the engine wrote, by dotted path. If a value no longer fits, a person changed it.
    #[serde(default)]
    pub written: BTreeMap<String, String>,
    /// Derived fields, each with the field that it is derived from, such as obligations from a stated risk class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub derived: BTreeMap<String, String>,
    /// The scan and the versions from which it was generated.
    #[serde(default)]
    pub generated: Option<GeneratedFrom>,
    /// Its imports, the oldest first.
    #[serde(default)]
    pub imports: Vec<ImportRecord>,
    /// Its renames, the oldest first.
    #[serde(default)]
    pub renames: Vec<RenameRecord>,
    /// Fields that a person added.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The scan and the versions from which a passport was generated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratedFrom {
    /// The time of the scan, as RFC 3339.
    pub scanned_at: String,
    /// The version of the engine.
    pub engine_version: String,
    /// The version of the regulation data.
    pub regulation_version: String,
}

/// A signature by another party, stored unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignSignature {
    /// The document that contained it: `passport` or `a2a`.
    pub of: String,
    /// The result of checking it: `valid`, `tampered`, `unknown_key` or `not_checked`.
    pub verdict: String,
    /// The original signature.
    pub signature: Value,
}

/// One import.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportRecord {
    /// The format.
    pub format: String,
    /// When, as RFC 3339.
    pub at: String,
    /// The BLAKE3 digest of the canonical JSON of the original, which is stored under this name in `originals/`.
    pub original: String,
    /// The signatures of the original.
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
