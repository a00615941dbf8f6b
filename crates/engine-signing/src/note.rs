//! Signed notes of C2SP: a text, an empty line, and signatures, each on a line of its own.

use std::fmt::Write;

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::key::{PublicKey, SecretKey, Signature};

/// The kind of a key in a note: ed25519.
const ALGORITHM: u8 = 1;

/// Bytes of a note that is read; checkpoints have a few hundred.
const BYTES_MAX: usize = 64 * 1024;

/// Why a text is no note, or its signature does not count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoteError {
    /// It has not the form of a note.
    #[error("not a signed checkpoint: expected a text, an empty line, then signature lines that begin with a dash")]
    Form,
    /// A text that is to be signed must end with a line break and hold no control characters.
    #[error("the text to sign must end with a line break and contain no control characters")]
    Text,
    /// No signature is by the key that was asked for.
    #[error("no signature by the key `{0}` found on the signed checkpoint")]
    Unsigned(String),
    /// The signature by that key does not fit.
    #[error("the signature by the key `{0}` does not match the text of the signed checkpoint; do not trust it")]
    Mismatch(String),
}

/// One signature of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    /// The name of the key.
    pub name: String,
    /// The first four bytes of the digest of name and key.
    pub key_hash: [u8; 4],
    /// The signature itself.
    pub signature: Vec<u8>,
}

/// A text with its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text that is signed, with its last line break.
    pub text: String,
    /// The signatures, in order.
    pub signatures: Vec<NoteSignature>,
}

impl Note {
    /// Signs a text.
    ///
    /// # Errors
    ///
    /// [`NoteError::Text`] for a text that cannot stand in a note, or a name with a space or a plus.
    pub fn sign(text: &str, name: &str, key: &SecretKey) -> Result<Self, NoteError> {
        let plain = text.ends_with('\n') && !text.chars().any(|c| c.is_control() && c != '\n');
        if !plain || !name_is_plain(name) {
            return Err(NoteError::Text);
        }
        Ok(Self {
            text: text.to_owned(),
            signatures: vec![NoteSignature {
                name: name.to_owned(),
                key_hash: key_hash(name, &key.public()),
                signature: key.sign_raw(text.as_bytes()).to_bytes().to_vec(),
            }],
        })
    }

    /// Reads a note. Its signatures are not checked by that.
    ///
    /// # Errors
    ///
    /// [`NoteError::Form`].
    pub fn parse(note: &str) -> Result<Self, NoteError> {
        if note.len() > BYTES_MAX || note.chars().any(|c| c.is_control() && c != '\n') {
            return Err(NoteError::Form);
        }
        let at = note.rfind("\n\n").ok_or(NoteError::Form)?;
        let (text, rest) = (&note[..=at], &note[at + 2..]);
        let lines = rest.strip_suffix('\n').ok_or(NoteError::Form)?;
        let signatures = lines
            .split('\n')
            .map(|line| {
                let (name, blob) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
                let blob = BASE64.decode(blob.as_bytes()).ok()?;
                let (hash, signature) = blob.split_first_chunk::<4>()?;
                (name_is_plain(name) && !signature.is_empty()).then(|| NoteSignature {
                    name: name.to_owned(),
                    key_hash: *hash,
                    signature: signature.to_vec(),
                })
            })
            .collect::<Option<Vec<_>>>()
            .filter(|signatures| !signatures.is_empty())
            .ok_or(NoteError::Form)?;
        Ok(Self {
            text: text.to_owned(),
            signatures,
        })
    }

    /// Checks the signature of one key. Signatures by others are left alone, as the form asks.
    ///
    /// # Errors
    ///
    /// [`NoteError::Unsigned`] or [`NoteError::Mismatch`].
    pub fn verify(&self, name: &str, key: &PublicKey) -> Result<(), NoteError> {
        let hash = key_hash(name, key);
        let signature = self
            .signatures
            .iter()
            .find(|signature| signature.name == name && signature.key_hash == hash)
            .ok_or_else(|| NoteError::Unsigned(name.to_owned()))?;
        Signature::from_bytes(&signature.signature)
            .and_then(|signature| key.verify_raw(self.text.as_bytes(), &signature))
            .map_err(|_| NoteError::Mismatch(name.to_owned()))
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)?;
        f.write_char('\n')?;
        for signature in &self.signatures {
            let blob = [&signature.key_hash[..], &signature.signature].concat();
            writeln!(f, "\u{2014} {} {}", signature.name, BASE64.encode(&blob))?;
        }
        Ok(())
    }
}

fn name_is_plain(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control() || c == '+')
}

fn key_hash(name: &str, key: &PublicKey) -> [u8; 4] {
    let digest = Sha256::new()
        .chain_update(name)
        .chain_update([b'\n', ALGORITHM])
        .chain_update(key.as_bytes())
        .finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}
