//! One entry: its fields, its digest and its signature.

use engine_signing::{
    CanonicalError, Digest, Domain, KeyId, PublicKey, SecretKey, Signature, canonical, canonical_value, parse,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// Bytes of one entry. What is larger is kept as an artifact, with its digest in the entry.
pub const ENTRY_BYTES_MAX: usize = 256 * 1024;

/// Fields of an entry.
const FIELDS: usize = 12;

/// The kind of event that an entry records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryType {
    /// The chain begins; the payload names it and its first key.
    Genesis,
    /// A scan was stored.
    Scan,
    /// A fix was applied.
    Fix,
    /// A fix was undone.
    Undo,
    /// A passport was created, changed, renamed or imported.
    Passport,
    /// The statements of people about the project changed.
    Profile,
    /// A document was written or changed.
    Document,
    /// An endpoint was evaluated.
    Eval,
    /// A red-team run attacked an endpoint.
    Redteam,
    /// A report was written.
    Report,
    /// A result was shared.
    Share,
    /// Results were sent to a dashboard.
    Sync,
    /// A language model analysed findings; the entry has the hash of each question.
    Analysis,
    /// A finding was suppressed or reopened.
    Suppression,
    /// The baseline of known gaps was written, changed or removed.
    Baseline,
    /// A new key replaced the signing key.
    KeyRotation,
    /// A key of another machine started to sign.
    KeyIntroduction,
    /// Personal data was erased or placed under a legal hold.
    Retention,
}

impl EntryType {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Genesis => "genesis",
            Self::Scan => "scan",
            Self::Fix => "fix",
            Self::Undo => "undo",
            Self::Passport => "passport",
            Self::Profile => "profile",
            Self::Document => "document",
            Self::Eval => "eval",
            Self::Redteam => "redteam",
            Self::Report => "report",
            Self::Share => "share",
            Self::Sync => "sync",
            Self::Analysis => "analysis",
            Self::Suppression => "suppression",
            Self::Baseline => "baseline",
            Self::KeyRotation => "key_rotation",
            Self::KeyIntroduction => "key_introduction",
            Self::Retention => "retention",
        }
    }
}

/// A file that an entry refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// Path relative to the project's root, with forward slashes.
    pub path: String,
    /// The BLAKE3 digest of its bytes.
    #[schemars(with = "String")]
    pub blake3: Digest,
}

/// What is to be recorded; the chain adds the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// A random id.
    pub id: String,
    /// When, as RFC 3339 in UTC.
    pub timestamp: String,
    /// What.
    pub kind: EntryType,
    /// Who: a part of the engine, or a person by digest.
    pub actor: String,
    /// The agent that it is about, by its id.
    pub agent: Option<String>,
    /// Details. Numbers are integers or strings; text of the scanned source and secrets have no place here.
    pub payload: Value,
    /// Files that it speaks of.
    pub artifacts: Vec<Artifact>,
}

/// An entry of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// Place in the chain, from 0.
    pub seq: u64,
    /// A random id.
    pub id: String,
    /// The time, as RFC 3339 in UTC; never before that of the previous entry.
    pub timestamp: String,
    /// The kind of event.
    #[serde(rename = "type")]
    pub kind: EntryType,
    /// The actor: a part of the engine, or the digest of a person.
    pub actor: String,
    /// The id of the agent that the entry is about.
    pub agent: Option<String>,
    /// Details.
    pub payload: Value,
    /// Files that the entry refers to.
    pub artifacts: Vec<Artifact>,
    /// The digest of the previous entry; all zeros for the first entry.
    #[schemars(with = "String")]
    pub prev_hash: Digest,
    /// The BLAKE3 digest of the canonical JSON of the entry, without this field and the signature.
    #[schemars(with = "String")]
    pub hash: Digest,
    /// The short name of the key.
    #[schemars(with = "String")]
    pub key_id: KeyId,
    /// The signature over the digest.
    #[schemars(with = "String")]
    pub signature: Signature,
}

/// The payload of the first entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Genesis {
    /// The name of the chain, drawn at random.
    pub chain: String,
    /// The key that signs.
    pub public_key: PublicKey,
}

/// The payload with which the key of another machine begins to sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Introduction {
    /// The key.
    pub public_key: PublicKey,
    /// Why, for a person.
    pub reason: String,
}

/// Why an entry cannot be made or read.
#[derive(Debug, Error)]
pub enum EntryError {
    /// A value in it has no canonical form.
    #[error("the entry has no canonical form")]
    Canonical(#[from] CanonicalError),
    /// It is larger than an entry may be.
    #[error("the entry has {bytes} bytes; the limit is {ENTRY_BYTES_MAX}. Store large content as an artifact")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is no entry.
    #[error("not a valid chain entry: {0}")]
    Form(String),
    /// It is not written as an entry is written: other spaces, another order, another spelling of a number.
    #[error("the text of the entry is not in canonical form")]
    NotCanonical,
    /// The digest does not fit the fields.
    #[error("the digest does not match the fields of the entry")]
    Hash,
}

impl Entry {
    /// Makes an entry out of a draft.
    pub(crate) fn make(
        draft: Draft,
        seq: u64,
        prev_hash: Digest,
        key: &SecretKey,
    ) -> Result<(Self, String), EntryError> {
        let unsigned = Digest::from_bytes([0; 32]);
        let mut entry = Self {
            seq,
            id: draft.id,
            timestamp: draft.timestamp,
            kind: draft.kind,
            actor: draft.actor,
            agent: draft.agent,
            payload: draft.payload,
            artifacts: draft.artifacts,
            prev_hash,
            hash: unsigned,
            key_id: key.public().id(),
            signature: Signature::from_bytes(&[0; 64]).map_err(|error| EntryError::Form(error.to_string()))?,
        };
        entry.hash = entry.computed()?;
        entry.signature = key.sign(Domain::Evidence, entry.hash.as_bytes());
        let text = canonical(&entry)?;
        if text.len() > ENTRY_BYTES_MAX {
            return Err(EntryError::TooLarge { bytes: text.len() });
        }
        let text = String::from_utf8(text).map_err(|error| EntryError::Form(error.to_string()))?;
        Ok((entry, text))
    }

    /// Reads an entry from the text in which it is kept, and checks that this is its only spelling and that its digest
    /// fits. The signature and the place are checked elsewhere.
    ///
    /// # Errors
    ///
    /// [`EntryError`].
    pub fn read(text: &str) -> Result<Self, EntryError> {
        if text.len() > ENTRY_BYTES_MAX {
            return Err(EntryError::TooLarge { bytes: text.len() });
        }
        let value = parse(text.as_bytes()).map_err(|error| EntryError::Form(error.to_string()))?;
        let entry = Self::deserialize(&value).map_err(|error| EntryError::Form(error.to_string()))?;
        // A field that may be absent elsewhere is written as `null` here, so an entry has always as many.
        let complete = value.as_object().is_some_and(|members| members.len() == FIELDS);
        if !complete || canonical_value(&value)? != text.as_bytes() {
            return Err(EntryError::NotCanonical);
        }
        if unsigned_hash(value)? != entry.hash {
            return Err(EntryError::Hash);
        }
        Ok(entry)
    }

    /// The digest of the fields that are signed.
    fn computed(&self) -> Result<Digest, CanonicalError> {
        unsigned_hash(serde_json::to_value(self).map_err(CanonicalError::NotJson)?)
    }

    /// Whether the key signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        key.verify(Domain::Evidence, self.hash.as_bytes(), &self.signature)
            .is_ok()
    }
}

/// The digest of the fields that are signed.
fn unsigned_hash(mut value: Value) -> Result<Digest, CanonicalError> {
    if let Some(members) = value.as_object_mut() {
        members.remove("hash");
        members.remove("signature");
    }
    Ok(Digest::of(&canonical_value(&value)?))
}
