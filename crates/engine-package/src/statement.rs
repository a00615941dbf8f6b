//! The statement about a package: in-toto, in a DSSE envelope, so that other tools can check it as well.

use engine_signing::{Envelope, PublicKey, SecretKey, parse};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::contents::{FileRecord, Manifest, paths};

/// The media type of the payload.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// What the statement says about its subject.
pub const PREDICATE_TYPE: &str = "urn:local-compliance-engine:audit-package:v1";

const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// An in-toto statement about the manifest of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// The version of the form.
    #[serde(rename = "_type")]
    pub kind: String,
    /// The manifest.
    pub subject: Vec<Subject>,
    /// What is said about it.
    pub predicate_type: String,
    /// The same in detail.
    pub predicate: Predicate,
}

/// What a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its path in the package.
    pub name: String,
    /// Its digests.
    pub digest: SubjectDigest,
}

/// Digests of a subject, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectDigest {
    /// BLAKE3.
    pub blake3: String,
    /// SHA-256.
    pub sha256: String,
}

/// What the package is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Predicate {
    /// The name of the chain.
    pub chain: Option<String>,
    /// Entries of the chain.
    pub entries: u64,
    /// Time of the newest entry.
    pub newest_entry: Option<String>,
    /// Id of the scan.
    pub scan: Option<String>,
    /// What the package is and is not.
    pub notice: String,
}

/// Why a statement does not count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StatementError {
    /// It is no envelope with a statement in it.
    #[error("could not read the statement: {0}")]
    Form(String),
    /// The key did not sign it.
    #[error("the statement is not signed by the key {0}")]
    Unsigned(String),
    /// It speaks of another manifest.
    #[error("the statement is about a different manifest")]
    OtherManifest,
}

const NOTICE: &str =
    "Indicators and evidence of a self-assessment; not a legal opinion, and no judgement by any authority.";

impl Statement {
    /// The statement about a manifest, given as it is written.
    pub fn about(manifest: &Manifest, bytes: &[u8]) -> Self {
        let record = FileRecord::of(paths::MANIFEST, bytes);
        Self {
            kind: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject {
                name: record.path,
                digest: SubjectDigest {
                    blake3: record.blake3,
                    sha256: record.sha256,
                },
            }],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: Predicate {
                chain: manifest.chain.clone(),
                entries: manifest.entries,
                newest_entry: manifest.newest_entry.clone(),
                scan: manifest.scan.clone(),
                notice: NOTICE.to_owned(),
            },
        }
    }

    /// Signs the statement; the envelope is written as text.
    ///
    /// # Errors
    ///
    /// [`StatementError::Form`] if it cannot be written, which happens to no statement.
    pub fn sign(&self, key: &SecretKey) -> Result<String, StatementError> {
        let form = |error: serde_json::Error| StatementError::Form(error.to_string());
        let payload = serde_json::to_vec(self).map_err(form)?;
        let envelope = Envelope::sign(&payload, PAYLOAD_TYPE, key);
        Ok(serde_json::to_string_pretty(&envelope).map_err(form)? + "\n")
    }

    /// Checks that an envelope holds the one statement that there is about a manifest, signed by a key.
    ///
    /// # Errors
    ///
    /// [`StatementError`].
    pub fn verify(envelope: &[u8], key: &PublicKey, manifest: &Manifest, bytes: &[u8]) -> Result<(), StatementError> {
        let form = |error: &dyn std::fmt::Display| StatementError::Form(error.to_string());
        let value = parse(envelope).map_err(|error| form(&error))?;
        let parsed: Envelope = serde_json::from_value(value).map_err(|error| form(&error))?;
        if parsed.payload_type != PAYLOAD_TYPE {
            return Err(StatementError::Form("the payload has the wrong type".to_owned()));
        }
        let payload = parsed
            .verify(key)
            .map_err(|_| StatementError::Unsigned(key.id().to_string()))?;
        let value = parse(&payload).map_err(|error| form(&error))?;
        let statement: Self = serde_json::from_value(value).map_err(|error| form(&error))?;
        if statement != Self::about(manifest, bytes) {
            return Err(StatementError::OtherManifest);
        }
        // The envelope is not covered by its own signature; of one signature and one key there is one spelling.
        let named = parsed.signatures.len() == 1 && parsed.signatures[0].keyid == key.id().to_string();
        let spelled =
            serde_json::to_string_pretty(&parsed).is_ok_and(|text| text + "\n" == String::from_utf8_lossy(envelope));
        if named && spelled {
            Ok(())
        } else {
            Err(StatementError::Form(
                "it does not have the exact form that the engine writes".to_owned(),
            ))
        }
    }
}
