//! The contract with a dashboard: what is sent, and what is answered.
//!
//! A dashboard ignores fields that it does not know, and so does the engine. The version counts changes that a dashboard must know of.

use engine_signing::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The version of the contract.
pub const VERSION: u32 = 1;

/// Which results are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The passports of agents.
    Passport,
    /// The last scan.
    Scan,
    /// The documents.
    Documents,
    /// The evidence chain.
    Evidence,
}

impl Kind {
    /// All kinds, in the order in which they are sent.
    pub const ALL: [Self; 4] = [Self::Passport, Self::Scan, Self::Documents, Self::Evidence];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passport => "passport",
            Self::Scan => "scan",
            Self::Documents => "documents",
            Self::Evidence => "evidence",
        }
    }

    /// Its route, below the address of the dashboard.
    pub fn route(self) -> String {
        format!("/api/sync/{}", self.name())
    }
}

/// The project that the results are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The name of its folder, without the path.
    pub name: String,
    /// The random name of its evidence chain. It is the same on every machine that continues the chain.
    pub chain: Option<String>,
}

/// Body of `POST /api/sync/passport`, `/api/sync/scan` and `/api/sync/documents`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PushOf{T}")]
pub struct PushRequest<T> {
    /// The version of the contract: 1.
    pub version: u32,
    /// The project.
    pub project: Project,
    /// The items, at most 50.
    #[schemars(length(min = 1, max = 50))]
    pub items: Vec<T>,
}

/// A passport of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassportItem {
    /// The id within the project: the name of its file without the ending.
    pub id: String,
    /// The name of the agent.
    pub name: String,
    /// The id of the agent in code.
    pub agent_id: String,
    /// The BLAKE3 digest of the file of the passport, as the evidence chain states it, in hexadecimal digits.
    #[schemars(with = "String", extend("pattern" = "^[0-9a-f]{64}$"))]
    pub digest: Digest,
    /// The signed passport. Its field `signature` covers it without that field.
    pub passport: Value,
}

/// The result of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanItem {
    /// The id of the scan.
    pub id: String,
    /// When it ran, RFC 3339 in UTC.
    pub scanned_at: String,
    /// The BLAKE3 digest of the bytes of `result` as they are in the request, as the evidence chain states it, in hexadecimal digits.
    #[schemars(with = "String", extend("pattern" = "^[0-9a-f]{64}$"))]
    pub digest: Digest,
    /// The result, without lines of code, names of people and machine paths.
    pub result: Value,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentItem {
    /// The id within the project: the name of its file without the ending.
    pub id: String,
    /// The type of the document, such as `fria`.
    pub doc_type: Option<String>,
    /// `draft` or `final`.
    pub status: Option<String>,
    /// The BLAKE3 digest of `content`, in hexadecimal digits.
    #[schemars(with = "String", extend("pattern" = "^[0-9a-f]{64}$"))]
    pub digest: Digest,
    /// The document as Markdown with front matter.
    pub content: String,
}

/// The outcome for an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemAction {
    /// The dashboard had nothing under this id, and stored it.
    Created,
    /// The dashboard replaced an older version.
    Updated,
    /// The dashboard has the same content already.
    Unchanged,
    /// The dashboard has another version that it does not replace.
    Conflict,
    /// The dashboard does not take the item.
    Rejected,
}

/// The outcome for one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemResult {
    /// The id of the item in the request.
    pub id: String,
    /// The outcome.
    pub action: ItemAction,
    /// Why, for `conflict` and `rejected`. It is shown to the user without control characters, cut to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Reply to passports, scans and documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushReply {
    /// One result per item, in any order. An item without a result counts as unconfirmed.
    pub results: Vec<ItemResult>,
}

/// The first entries of a chain: how many, and the Merkle root over their hashes (RFC 6962 with SHA-256).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldHead {
    /// The number of entries.
    pub size: u64,
    /// The root in hexadecimal digits. A leaf is the 32 bytes of the field `hash` of an entry.
    #[schemars(with = "String", extend("pattern" = "^[0-9a-f]{64}$"))]
    pub root: Digest,
}

/// Body of `POST /api/sync/evidence`.
///
/// Without `entries` it asks which head the dashboard has. With `entries` it continues the chain after `after`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceRequest {
    /// The version of the contract: 1.
    pub version: u32,
    /// The project; `chain` names the chain.
    pub project: Project,
    /// The signed head of the whole chain, as a checkpoint note. It covers entries that come in later requests.
    pub head: String,
    /// The head that the dashboard has, as it said; `null` where it has nothing, and in the question.
    pub after: Option<HeldHead>,
    /// The consistency proof from `after` to `head` (RFC 9162, 2.1.4), each hash in hexadecimal digits; empty where there is no `after`.
    #[schemars(with = "Vec<String>")]
    pub proof: Vec<Digest>,
    /// The next entries in order, at most 500, each the exact text whose digest and signature count.
    #[schemars(length(max = 500))]
    pub entries: Vec<String>,
}

/// Reply to evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceReply {
    /// The head that the dashboard has now; `null` where it has nothing of this chain. It may be less than `after` and `entries` together.
    #[serde(deserialize_with = "stated")]
    pub head: Option<HeldHead>,
}

/// A field that may be `null` and may not be absent: a reply without it is not a statement.
fn stated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<HeldHead>, D::Error> {
    Option::deserialize(deserializer)
}

/// Reply of `GET /api/sync/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReply {
    /// The account of the token, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

/// Reply with a status other than 200.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorReply {
    /// What is wrong, for people. The engine shows it without the token, cut to 200 characters.
    pub error: String,
}
