//! DSSE: a payload, its type, and signatures over both.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::key::{PublicKey, SecretKey, Signature};

/// A signed payload as other tools exchange it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// The payload, in base64.
    pub payload: String,
    /// What the payload is, as a media type.
    pub payload_type: String,
    /// The signatures.
    pub signatures: Vec<EnvelopeSignature>,
}

/// One signature of an envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvelopeSignature {
    /// The short name of the key.
    pub keyid: String,
    /// The signature, in base64.
    pub sig: String,
}

/// Why an envelope does not count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EnvelopeError {
    /// The payload is no base64.
    #[error("the payload of the envelope is not base64")]
    Payload,
    /// No signature in it is by the key.
    #[error("no signature in the envelope is valid for the key")]
    Mismatch,
}

impl Envelope {
    /// Signs a payload.
    pub fn sign(payload: &[u8], payload_type: &str, key: &SecretKey) -> Self {
        let signature = key.sign_raw(&encoded(payload_type, payload));
        Self {
            payload: BASE64.encode(payload),
            payload_type: payload_type.to_owned(),
            signatures: vec![EnvelopeSignature {
                keyid: key.public().id().to_string(),
                sig: signature.to_string(),
            }],
        }
    }

    /// The payload, if one of the signatures is by the key. Its `keyid` is a hint and decides nothing.
    ///
    /// # Errors
    ///
    /// [`EnvelopeError`].
    pub fn verify(&self, key: &PublicKey) -> Result<Vec<u8>, EnvelopeError> {
        let payload = BASE64
            .decode(self.payload.as_bytes())
            .map_err(|_| EnvelopeError::Payload)?;
        let message = encoded(&self.payload_type, &payload);
        let fits = self.signatures.iter().any(|signature| {
            signature
                .sig
                .parse::<Signature>()
                .is_ok_and(|signature| key.verify_raw(&message, &signature).is_ok())
        });
        if fits {
            Ok(payload)
        } else {
            Err(EnvelopeError::Mismatch)
        }
    }
}

/// The pre-authentication encoding: lengths before contents, so that no two pairs of type and payload are one text.
fn encoded(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out
}
