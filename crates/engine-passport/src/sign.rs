//! The signature of a passport: ed25519 over its canonical JSON without the field `signature`.

use std::collections::BTreeMap;

use engine_signing::{CanonicalError, Domain, PublicKey, SecretKey, Signature, Trust, canonical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::document::Document;
use crate::passport::PassportSignature;
use crate::provenance::{ForeignSignature, ImportRecord};

const ALGORITHM: &str = "ed25519";

/// The result of checking a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignatureVerdict {
    /// The signature fits, and this machine trusts its key.
    Valid,
    /// The signature does not fit or is missing; the engine signs every passport that it writes.
    Tampered,
    /// The signature fits the key that it names, but this machine does not trust that key.
    UnknownKey,
}

impl SignatureVerdict {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Tampered => "tampered",
            Self::UnknownKey => "unknown_key",
        }
    }
}

/// Signs a passport; a signature that it bears is replaced, so a foreign one is kept first with
/// [`keep_foreign_signature`].
///
/// # Errors
///
/// Where a number in it has no canonical form.
pub fn sign(document: &mut Document, key: &SecretKey) -> Result<(), CanonicalError> {
    let message = message(&document.0)?;
    let public = key.public();
    let signature = PassportSignature {
        algorithm: ALGORITHM.to_owned(),
        key_id: public.id().to_string(),
        public_key: public.to_string(),
        value: key.sign(Domain::Passport, &message).to_string(),
    };
    let value = serde_json::to_value(signature).map_err(CanonicalError::NotJson)?;
    document.0.insert("signature".to_owned(), value);
    Ok(())
}

/// Checks the signature of a passport.
pub fn signature(document: &Document, trust: &Trust) -> SignatureVerdict {
    let parts = document
        .0
        .get("signature")
        .and_then(|value| PassportSignature::deserialize(value).ok())
        .filter(|signature| signature.algorithm == ALGORITHM);
    let Some(parts) = parts else {
        return SignatureVerdict::Tampered;
    };
    let (Ok(key), Ok(signature), Ok(message)) = (
        PublicKey::parse(&parts.public_key),
        parts.value.parse::<Signature>(),
        message(&document.0),
    ) else {
        return SignatureVerdict::Tampered;
    };
    // Each spelling but one of key and name is a change that somebody made.
    let as_written = key.to_string() == parts.public_key && key.id().as_str() == parts.key_id;
    if !as_written || key.verify(Domain::Passport, &message, &signature).is_err() {
        SignatureVerdict::Tampered
    } else if trust.get(&key.id()).is_some() {
        SignatureVerdict::Valid
    } else {
        SignatureVerdict::UnknownKey
    }
}

/// Keeps a signature of a key that is not trusted here before it is replaced; says whether there was one.
pub fn keep_foreign_signature(document: &mut Document, trust: &Trust, at: &str) -> bool {
    if signature(document, trust) != SignatureVerdict::UnknownKey {
        return false;
    }
    let Some(foreign) = document.0.get("signature").cloned() else {
        return false;
    };
    let original = document.digest().map(|digest| digest.to_string()).unwrap_or_default();
    let mut provenance = document.provenance();
    provenance.imports.push(ImportRecord {
        format: "passport".to_owned(),
        at: at.to_owned(),
        original,
        signatures: vec![ForeignSignature {
            of: "passport".to_owned(),
            verdict: SignatureVerdict::UnknownKey.as_str().to_owned(),
            signature: foreign,
        }],
    });
    document.set_provenance(&provenance);
    true
}

fn message(members: &Map<String, Value>) -> Result<Vec<u8>, CanonicalError> {
    let unsigned: BTreeMap<&String, &Value> = members.iter().filter(|(name, _)| *name != "signature").collect();
    canonical(&unsigned)
}
