//! JSON Web Signatures over a detached payload, as agent cards carry them (RFC 7515, RFC 8037).

use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::canonical::{CanonicalError, canonical, parse};
use crate::key::{PublicKey, SecretKey, Signature};
use crate::trust::Trust;

/// The longest protected header that is read.
const HEADER_BYTES_MAX: usize = 64 * 1024;

/// A signature beside the payload that it covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jws {
    /// The protected header: JSON in base64url.
    pub protected: String,
    /// The signature in base64url.
    pub signature: String,
}

/// What became of checking a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JwsVerdict {
    /// It fits, and its key is trusted.
    Valid,
    /// It fits the key that it brings along, and nobody trusts that key.
    UnknownKey,
    /// It does not fit, or its header is none.
    Tampered,
    /// Its algorithm or its key is not known here, so nothing can be said.
    NotChecked,
}

impl Jws {
    /// Signs the canonical JSON of a value. The header names the key and brings its public half along.
    ///
    /// The bytes that are signed begin with the base64url of a JSON object and so with `eyJ`, which no domain prefix of
    /// this crate does: a signature made here is worthless there, and the other way round.
    ///
    /// # Errors
    ///
    /// Where the value has no canonical form.
    pub fn sign<T: Serialize + ?Sized>(key: &SecretKey, value: &T) -> Result<Self, CanonicalError> {
        let public = key.public();
        let header = json!({
            "alg": "EdDSA",
            "typ": "JOSE",
            "kid": public.id(),
            "jwk": {"kty": "OKP", "crv": "Ed25519", "x": BASE64URL_NOPAD.encode(public.as_bytes())},
        });
        let protected = BASE64URL_NOPAD.encode(&canonical(&header)?);
        let message = message(&protected, &canonical(value)?);
        Ok(Self {
            signature: BASE64URL_NOPAD.encode(&key.sign_raw(&message).to_bytes()),
            protected,
        })
    }

    /// Checks the signature over the canonical JSON of a value.
    pub fn verify<T: Serialize + ?Sized>(&self, trust: &Trust, value: &T) -> JwsVerdict {
        let Some(header) = self.header() else {
            return JwsVerdict::Tampered;
        };
        if !matches!(header.get("alg").and_then(Value::as_str), Some("EdDSA" | "Ed25519"))
            || header.get("crit").is_some()
        {
            return JwsVerdict::NotChecked;
        }
        let known = header.get("kid").and_then(Value::as_str).and_then(|kid| {
            trust
                .keys()
                .iter()
                .map(|trusted| trusted.key)
                .find(|key| key.id().as_str() == kid)
        });
        let carried = header
            .get("jwk")
            .filter(|jwk| jwk.get("crv").and_then(Value::as_str) == Some("Ed25519"))
            .and_then(|jwk| jwk.get("x"))
            .and_then(Value::as_str)
            .and_then(|x| BASE64URL_NOPAD.decode(x.as_bytes()).ok())
            .and_then(|bytes| PublicKey::from_bytes(&bytes.try_into().ok()?).ok());
        let Some(key) = known.or(carried) else {
            return JwsVerdict::NotChecked;
        };
        let signature = BASE64URL_NOPAD
            .decode(self.signature.as_bytes())
            .ok()
            .and_then(|bytes| Signature::from_bytes(&bytes).ok());
        let (Some(signature), Ok(payload)) = (signature, canonical(value)) else {
            return JwsVerdict::Tampered;
        };
        if key.verify_raw(&message(&self.protected, &payload), &signature).is_err() {
            return JwsVerdict::Tampered;
        }
        // A name is a claim of the header; what counts is whether the key itself is trusted.
        if trust.get(&key.id()).is_some() {
            JwsVerdict::Valid
        } else {
            JwsVerdict::UnknownKey
        }
    }

    /// The protected header, where it is one.
    pub fn header(&self) -> Option<Value> {
        if self.protected.len() > HEADER_BYTES_MAX {
            return None;
        }
        let bytes = BASE64URL_NOPAD.decode(self.protected.as_bytes()).ok()?;
        parse(&bytes).ok().filter(Value::is_object)
    }
}

fn message(protected: &str, payload: &[u8]) -> Vec<u8> {
    format!("{protected}.{}", BASE64URL_NOPAD.encode(payload)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_tells_what_was_signed_from_what_was_changed_and_by_whom() {
        let key = SecretKey::from_seed(&[7; 32]);
        let value = json!({"b": 1, "a": [true, "x"]});
        let jws = Jws::sign(&key, &value).unwrap();
        let mut trust = Trust::default();
        assert_eq!(jws.verify(&trust, &value), JwsVerdict::UnknownKey);
        trust.pin(key.public(), "test");
        assert_eq!(jws.verify(&trust, &value), JwsVerdict::Valid);
        assert_eq!(jws.verify(&trust, &json!({"b": 2})), JwsVerdict::Tampered);
        let garbled = Jws {
            protected: format!("{}A", jws.protected),
            ..jws.clone()
        };
        assert_eq!(garbled.verify(&trust, &value), JwsVerdict::Tampered);
        let other = Jws {
            protected: BASE64URL_NOPAD.encode(br#"{"alg":"ES256","kid":"k"}"#),
            ..jws
        };
        assert_eq!(other.verify(&trust, &value), JwsVerdict::NotChecked);
    }

    #[test]
    fn a_header_that_names_a_trusted_key_and_brings_another_is_not_believed() {
        let (ours, theirs) = (SecretKey::from_seed(&[1; 32]), SecretKey::from_seed(&[2; 32]));
        let mut trust = Trust::default();
        trust.pin(ours.public(), "test");
        let value = json!({"name": "x"});
        let header = json!({
            "alg": "EdDSA",
            "kid": ours.public().id(),
            "jwk": {"kty": "OKP", "crv": "Ed25519", "x": BASE64URL_NOPAD.encode(theirs.public().as_bytes())},
        });
        let protected = BASE64URL_NOPAD.encode(&canonical(&header).unwrap());
        let text = message(&protected, &canonical(&value).unwrap());
        let forged = Jws {
            signature: BASE64URL_NOPAD.encode(&theirs.sign_raw(&text).to_bytes()),
            protected,
        };
        assert_eq!(forged.verify(&trust, &value), JwsVerdict::Tampered);
    }
}
