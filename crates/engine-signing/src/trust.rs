//! Which keys count: those that are pinned, and those that a pinned key handed over to.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::canonical::canonical;
use crate::key::{Domain, KeyId, PublicKey, SecretKey, Signature};

/// The statement that one key takes over from another, signed by both: by the old one because it hands over, by the new
/// one because nobody may be handed a key's history without holding the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rotation {
    /// The key that signed until now.
    pub from: PublicKey,
    /// The key that signs from now on.
    pub to: PublicKey,
    /// When, as RFC 3339 in UTC.
    pub at: String,
    /// Why, in a few words.
    pub reason: String,
    /// By the old key.
    pub signature_from: Signature,
    /// By the new key.
    pub signature_to: Signature,
}

/// Why a rotation does not count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RotationError {
    /// A signature does not fit.
    #[error("the {0} key did not sign the key rotation")]
    Unsigned(&'static str),
    /// The key that hands over is not trusted.
    #[error("the key `{0}` hands over to another key, but is not trusted itself")]
    Untrusted(KeyId),
    /// Both keys are one.
    #[error("a key cannot be rotated to itself")]
    Same,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Statement<'a> {
    from: &'a PublicKey,
    to: &'a PublicKey,
    at: &'a str,
    reason: &'a str,
}

impl Rotation {
    /// Hands over from one key to another.
    ///
    /// # Errors
    ///
    /// [`RotationError::Same`].
    pub fn sign(from: &SecretKey, to: &SecretKey, at: &str, reason: &str) -> Result<Self, RotationError> {
        let (old, new) = (from.public(), to.public());
        let message = message(&old, &new, at, reason)?;
        Ok(Self {
            from: old,
            to: new,
            at: at.to_owned(),
            reason: reason.to_owned(),
            signature_from: from.sign(Domain::KeyRotation, &message),
            signature_to: to.sign(Domain::KeyRotation, &message),
        })
    }

    /// Checks both signatures.
    ///
    /// # Errors
    ///
    /// [`RotationError`].
    pub fn verify(&self) -> Result<(), RotationError> {
        let message = message(&self.from, &self.to, &self.at, &self.reason)?;
        let check = |key: &PublicKey, signature, which| {
            key.verify(Domain::KeyRotation, &message, signature)
                .map_err(|_| RotationError::Unsigned(which))
        };
        check(&self.from, &self.signature_from, "old")?;
        check(&self.to, &self.signature_to, "new")
    }
}

fn message(from: &PublicKey, to: &PublicKey, at: &str, reason: &str) -> Result<Vec<u8>, RotationError> {
    if from == to {
        return Err(RotationError::Same);
    }
    // Strings only: there is nothing in it that could lack a canonical form.
    canonical(&Statement { from, to, at, reason }).map_err(|_| RotationError::Unsigned("old"))
}

/// A key and how it came to be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trusted {
    /// The key.
    pub key: PublicKey,
    /// Where it comes from, for a person: `this machine`, `pinned by hand`, `handed over by …`.
    pub origin: String,
}

/// The keys that count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trust {
    keys: Vec<Trusted>,
}

impl Trust {
    /// Trusts a key. A key that is trusted already keeps the origin that it has.
    pub fn pin(&mut self, key: PublicKey, origin: &str) {
        if self.get(&key.id()).is_none() {
            self.keys.push(Trusted {
                key,
                origin: origin.to_owned(),
            });
        }
    }

    /// Trusts the key that a trusted key handed over to.
    ///
    /// # Errors
    ///
    /// [`RotationError`]; nothing changes then.
    pub fn follow(&mut self, rotation: &Rotation) -> Result<(), RotationError> {
        rotation.verify()?;
        let from = rotation.from.id();
        if self.get(&from).is_none() {
            return Err(RotationError::Untrusted(from));
        }
        self.pin(rotation.to, &format!("handed over by {from} at {}", rotation.at));
        Ok(())
    }

    /// The key of this short name, if it is trusted.
    pub fn get(&self, id: &KeyId) -> Option<&PublicKey> {
        self.keys.iter().map(|trusted| &trusted.key).find(|key| key.id() == *id)
    }

    /// All trusted keys, in the order in which they came.
    pub fn keys(&self) -> &[Trusted] {
        &self.keys
    }
}
