//! BLAKE3 digests, written as 64 hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::canonical::{CanonicalError, canonical};

/// A BLAKE3 digest of 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text is no digest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a digest has 64 hexadecimal digits in lower case")]
pub struct DigestError;

impl Digest {
    /// The digest of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// The digest of a value's canonical JSON.
    ///
    /// # Errors
    ///
    /// Where the value has no canonical form.
    pub fn of_json<T: Serialize + ?Sized>(value: &T) -> Result<Self, CanonicalError> {
        Ok(Self::of(&canonical(value)?))
    }

    /// The digest in these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let bytes = HEXLOWER.decode(text.as_bytes()).map_err(|_| DigestError)?;
        bytes.try_into().map(Self).map_err(|_| DigestError)
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}
