//! Heads of a chain in the C2SP form of a checkpoint: origin, size and root in a signed note.

use data_encoding::BASE64;
use thiserror::Error;

use crate::key::{PublicKey, SecretKey};
use crate::merkle::NodeHash;
use crate::note::{Note, NoteError};

/// The head of a chain: how many entries, and the root over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which chain: a name that no other chain bears. It is the name of the key in the note as well.
    pub origin: String,
    /// The number of entries.
    pub size: u64,
    /// The Merkle root over their hashes.
    pub root: NodeHash,
    /// Further lines, such as the time and the hash of the last entry.
    pub extensions: Vec<String>,
}

/// Why a text is no head.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The note is none, or its signature does not count.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The text inside is no checkpoint.
    #[error("not a checkpoint: expected origin, size and root on a line each")]
    Form,
}

impl Checkpoint {
    /// The text that is signed.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n{}\n", self.origin, self.size, BASE64.encode(&self.root));
        for line in &self.extensions {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// The signed note.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Note`] for an origin or a line that cannot stand in a note.
    pub fn sign(&self, key: &SecretKey) -> Result<String, CheckpointError> {
        // An empty line would end the text, and a line break inside a line would make two of it.
        if self
            .extensions
            .iter()
            .any(|line| line.is_empty() || line.contains('\n'))
        {
            return Err(CheckpointError::Form);
        }
        Ok(Note::sign(&self.text(), &self.origin, key)?.to_string())
    }

    /// Reads a head without checking who signed it.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`].
    pub fn parse(note: &str) -> Result<Self, CheckpointError> {
        Self::from_text(&Note::parse(note)?.text)
    }

    /// Reads a head and checks that a key signed it.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`].
    pub fn verify(note: &str, key: &PublicKey) -> Result<Self, CheckpointError> {
        let note = Note::parse(note)?;
        let head = Self::from_text(&note.text)?;
        note.verify(&head.origin, key)?;
        Ok(head)
    }

    fn from_text(text: &str) -> Result<Self, CheckpointError> {
        let mut lines = text.strip_suffix('\n').ok_or(CheckpointError::Form)?.split('\n');
        let mut next = || {
            lines
                .next()
                .filter(|line| !line.is_empty())
                .ok_or(CheckpointError::Form)
        };
        let origin = next()?.to_owned();
        let digits = next()?;
        let size: u64 = digits.parse().map_err(|_| CheckpointError::Form)?;
        // One number has one spelling, or two texts would be one head.
        if size.to_string() != digits {
            return Err(CheckpointError::Form);
        }
        let root = BASE64.decode(next()?.as_bytes()).map_err(|_| CheckpointError::Form)?;
        let root = root.try_into().map_err(|_| CheckpointError::Form)?;
        let extensions: Vec<String> = lines.map(str::to_owned).collect();
        if extensions.iter().any(String::is_empty) {
            return Err(CheckpointError::Form);
        }
        Ok(Self {
            origin,
            size,
            root,
            extensions,
        })
    }
}
