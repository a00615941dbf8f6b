//! ed25519 keys and signatures, each bound to what it signs.

use std::fmt;
use std::str::FromStr;

use data_encoding::{BASE64, HEXLOWER};
use ed25519_dalek::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, spki::der::pem::LineEnding,
};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zeroize::Zeroizing;

/// What a signature is about. A signature made for one purpose is worthless for any other, because its domain is signed
/// before the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// An entry of the evidence chain.
    Evidence,
    /// An agent passport.
    Passport,
    /// The statement that one key takes over from another.
    KeyRotation,
}

impl Domain {
    /// The bytes before the message. A NUL ends them, which no domain contains, so no two domains run into each other.
    const fn prefix(self) -> &'static [u8] {
        match self {
            Self::Evidence => b"local-compliance-engine evidence entry v1\0",
            Self::Passport => b"local-compliance-engine agent passport v1\0",
            Self::KeyRotation => b"local-compliance-engine key rotation v1\0",
        }
    }

    fn message(self, message: &[u8]) -> Vec<u8> {
        [self.prefix(), message].concat()
    }
}

/// Why a text is no key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// It is in none of the known forms.
    #[error("not an ed25519 key: expected PEM (PKCS#8), or 32 bytes in base64 or hexadecimal digits")]
    Form,
    /// The point is of small order: signatures under it prove nothing.
    #[error("the public key is weak: signatures under it prove nothing")]
    Weak,
}

/// Why a signature does not count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// It is no signature at all.
    #[error("a signature has 64 bytes, written in base64")]
    Form,
    /// It was not made by this key over this message for this purpose.
    #[error("the signature is not valid for this message and key")]
    Mismatch,
}

/// The short name of a key: the first 16 bytes of the BLAKE3 digest of its public half, in hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyId(String);

impl KeyId {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({})", self.0)
    }
}

impl TryFrom<String> for KeyId {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        match HEXLOWER.decode(text.as_bytes()) {
            Ok(bytes) if bytes.len() == 16 => Ok(Self(text)),
            _ => Err(KeyError::Form),
        }
    }
}

impl From<KeyId> for String {
    fn from(id: KeyId) -> Self {
        id.0
    }
}

/// The half of a key that signs. It is wiped from memory when dropped and never printed.
#[derive(Clone)]
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// The key of a seed. The seed comes from the system's random numbers, which this crate does not draw.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// Reads a key as a person or a pipeline hands it over: PEM in PKCS#8, or its 32 bytes in base64 or hexadecimal digits.
    ///
    /// # Errors
    ///
    /// [`KeyError::Form`], which never repeats the text.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        if text.starts_with("-----BEGIN") {
            return SigningKey::from_pkcs8_pem(text).map(Self).map_err(|_| KeyError::Form);
        }
        let bytes = Zeroizing::new(
            HEXLOWER
                .decode(text.as_bytes())
                .or_else(|_| BASE64.decode(text.as_bytes()))
                .map_err(|_| KeyError::Form)?,
        );
        let seed: &[u8; 32] = bytes.as_slice().try_into().map_err(|_| KeyError::Form)?;
        Ok(Self::from_seed(seed))
    }

    /// The key as PEM in PKCS#8, for a file that only its owner can read.
    ///
    /// # Errors
    ///
    /// [`KeyError::Form`] if the encoder refuses, which it does for no key.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        self.0.to_pkcs8_pem(LineEnding::LF).map_err(|_| KeyError::Form)
    }

    /// The half that anyone may know.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs a message for one purpose.
    pub fn sign(&self, domain: Domain, message: &[u8]) -> Signature {
        Signature(self.0.sign(&domain.message(message)))
    }

    /// Signs bytes whose own form says what they are about, such as a note or a DSSE envelope.
    pub(crate) fn sign_raw(&self, message: &[u8]) -> Signature {
        Signature(self.0.sign(message))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(of {})", self.public().id())
    }
}

/// The half of a key that checks.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads a public key: PEM (SPKI), or its 32 bytes in base64 or hexadecimal digits.
    ///
    /// # Errors
    ///
    /// [`KeyError::Form`], or [`KeyError::Weak`] for a point of small order.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        if text.starts_with("-----BEGIN") {
            let key = VerifyingKey::from_public_key_pem(text).map_err(|_| KeyError::Form)?;
            return Self::strong(key);
        }
        let bytes = HEXLOWER
            .decode(text.as_bytes())
            .or_else(|_| BASE64.decode(text.as_bytes()))
            .map_err(|_| KeyError::Form)?;
        Self::from_bytes(&bytes.try_into().map_err(|_| KeyError::Form)?)
    }

    /// The key in these bytes.
    ///
    /// # Errors
    ///
    /// [`KeyError::Form`] if they are no point of the curve, or [`KeyError::Weak`].
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        Self::strong(VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::Form)?)
    }

    fn strong(key: VerifyingKey) -> Result<Self, KeyError> {
        if key.is_weak() {
            Err(KeyError::Weak)
        } else {
            Ok(Self(key))
        }
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The key as PEM, as other tools read it.
    ///
    /// # Errors
    ///
    /// [`KeyError::Form`] if the encoder refuses, which it does for no key.
    pub fn to_pem(&self) -> Result<String, KeyError> {
        self.0.to_public_key_pem(LineEnding::LF).map_err(|_| KeyError::Form)
    }

    /// Its short name.
    pub fn id(&self) -> KeyId {
        let digest = blake3::hash(self.as_bytes());
        KeyId(HEXLOWER.encode(&digest.as_bytes()[..16]))
    }

    /// Checks a signature, strictly: what some verifiers take and others refuse is refused.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Mismatch`].
    pub fn verify(&self, domain: Domain, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.verify_raw(&domain.message(message), signature)
    }

    pub(crate) fn verify_raw(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.0
            .verify_strict(message, &signature.0)
            .map_err(|_| SignatureError::Mismatch)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64.encode(self.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl TryFrom<String> for PublicKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        Self::parse(&text)
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

/// A signature, written in base64.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signature(ed25519_dalek::Signature);

impl Signature {
    /// The signature in these bytes.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Form`] if there are not 64.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SignatureError> {
        ed25519_dalek::Signature::from_slice(bytes)
            .map(Self)
            .map_err(|_| SignatureError::Form)
    }

    /// Its 64 bytes.
    pub fn to_bytes(self) -> [u8; 64] {
        self.0.to_bytes()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64.encode(&self.to_bytes()))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        Self::from_bytes(&BASE64.decode(text.as_bytes()).map_err(|_| SignatureError::Form)?)
    }
}

impl TryFrom<String> for Signature {
    type Error = SignatureError;

    fn try_from(text: String) -> Result<Self, SignatureError> {
        text.parse()
    }
}

impl From<Signature> for String {
    fn from(signature: Signature) -> Self {
        signature.to_string()
    }
}
