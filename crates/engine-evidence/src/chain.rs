//! How the chain grows.

use engine_signing::{Checkpoint, CheckpointError, Digest, KeyId, NodeHash, PublicKey, SecretKey, Tree};
use serde::{Deserialize, Serialize};
use serde_json::json;
use thiserror::Error;

use crate::entry::{Draft, Entry, EntryError, EntryType, Genesis};

/// What a chain's name begins with in its heads.
const ORIGIN: &str = "local-compliance-engine/";

/// The end of a chain: all that is needed to go on with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    name: String,
    tree: Tree,
    last: Digest,
    last_time: String,
    last_key: KeyId,
}

/// The end of a chain as it is kept beside its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainState {
    /// The name of the chain.
    pub chain: String,
    /// The number of entries.
    pub size: u64,
    /// Roots of the full subtrees, in hexadecimal digits.
    pub peaks: Vec<Digest>,
    /// The digest of the last entry.
    pub last_hash: Digest,
    /// The time of the last entry.
    pub last_time: String,
    /// The key of the last entry.
    pub last_key: KeyId,
}

/// An entry that was added, as it is to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Appended {
    /// The entry.
    pub entry: Entry,
    /// Its text: this, byte for byte, is what is kept.
    pub text: String,
}

/// Why an entry cannot be added.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The entry cannot be made.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The head cannot be signed.
    #[error("could not sign the head of the chain")]
    Head(#[from] CheckpointError),
    /// The end of the chain as it was kept does not fit together.
    #[error("the stored end of the chain is inconsistent; verify the chain")]
    State,
}

impl Chain {
    /// Begins a chain. The first entry names the chain and its key.
    ///
    /// # Errors
    ///
    /// [`AppendError`].
    pub fn begin(name: &str, id: &str, timestamp: &str, key: &SecretKey) -> Result<(Self, Appended), AppendError> {
        let genesis = Genesis {
            chain: name.to_owned(),
            public_key: key.public(),
        };
        let mut chain = Self {
            name: name.to_owned(),
            tree: Tree::new(),
            last: Digest::from_bytes([0; 32]),
            last_time: timestamp.to_owned(),
            last_key: key.public().id(),
        };
        let draft = Draft {
            id: id.to_owned(),
            timestamp: timestamp.to_owned(),
            kind: EntryType::Genesis,
            actor: "engine".to_owned(),
            agent: None,
            payload: serde_json::to_value(genesis).map_err(|error| EntryError::Form(error.to_string()))?,
            artifacts: Vec::new(),
        };
        let first = chain.push(draft, key)?;
        Ok((chain, first))
    }

    /// Goes on with a chain where it was left.
    ///
    /// # Errors
    ///
    /// [`AppendError::State`].
    pub fn resume(state: &ChainState) -> Result<Self, AppendError> {
        let peaks: Vec<NodeHash> = state.peaks.iter().map(|peak| *peak.as_bytes()).collect();
        Ok(Self {
            name: state.chain.clone(),
            tree: Tree::resume(state.size, peaks).ok_or(AppendError::State)?,
            last: state.last_hash,
            last_time: state.last_time.clone(),
            last_key: state.last_key.clone(),
        })
    }

    /// The end of the chain, to be kept in the same transaction as the entry.
    pub fn state(&self) -> ChainState {
        ChainState {
            chain: self.name.clone(),
            size: self.tree.size(),
            peaks: self.tree.peaks().iter().map(|peak| Digest::from_bytes(*peak)).collect(),
            last_hash: self.last,
            last_time: self.last_time.clone(),
            last_key: self.last_key.clone(),
        }
    }

    /// The name of the chain.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of entries.
    pub const fn size(&self) -> u64 {
        self.tree.size()
    }

    /// Adds an entry. A key that did not sign the one before introduces itself first, so that a stranger can follow; the
    /// entries come back in order.
    ///
    /// # Errors
    ///
    /// [`AppendError`]; the chain is as it was then.
    pub fn append(&mut self, draft: Draft, key: &SecretKey) -> Result<Vec<Appended>, AppendError> {
        let before = self.clone();
        let grown = self.grow(draft, key);
        if grown.is_err() {
            *self = before;
        }
        grown
    }

    fn grow(&mut self, draft: Draft, key: &SecretKey) -> Result<Vec<Appended>, AppendError> {
        let mut added = Vec::with_capacity(1);
        let id = key.public().id();
        let hands_over = draft.kind == EntryType::KeyRotation;
        if id != self.last_key && !hands_over {
            added.push(self.push(introduction(&draft, &key.public()), key)?);
        }
        added.push(self.push(draft, key)?);
        Ok(added)
    }

    fn push(&mut self, mut draft: Draft, key: &SecretKey) -> Result<Appended, AppendError> {
        // A clock that was set back must not make the order of entries look changed.
        if draft.timestamp < self.last_time {
            draft.timestamp.clone_from(&self.last_time);
        }
        let (entry, text) = Entry::make(draft, self.tree.size(), self.last, key)?;
        self.tree.push(entry.hash.as_bytes());
        self.last = entry.hash;
        self.last_time.clone_from(&entry.timestamp);
        // A rotation is signed by the old key, and the new one signs what comes after it.
        self.last_key = match rotated_to(&entry) {
            Some(id) => id,
            None => entry.key_id.clone(),
        };
        Ok(Appended { entry, text })
    }

    /// The head of the chain, signed.
    ///
    /// # Errors
    ///
    /// [`AppendError::Head`].
    pub fn head(&self, key: &SecretKey) -> Result<String, AppendError> {
        Ok(self.checkpoint().sign(key)?)
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            origin: format!("{ORIGIN}{}", self.name),
            size: self.tree.size(),
            root: self.tree.root(),
            extensions: vec![format!("last {}", self.last), format!("time {}", self.last_time)],
        }
    }
}

fn introduction(draft: &Draft, key: &PublicKey) -> Draft {
    Draft {
        id: format!("{}-key", draft.id),
        timestamp: draft.timestamp.clone(),
        kind: EntryType::KeyIntroduction,
        actor: "engine".to_owned(),
        agent: None,
        payload: json!({
            "publicKey": key,
            "reason": "another key signed the earlier entries, for example on another machine",
        }),
        artifacts: Vec::new(),
    }
}

/// The key that an entry hands over to.
pub(crate) fn rotated_to(entry: &Entry) -> Option<KeyId> {
    (entry.kind == EntryType::KeyRotation)
        .then(|| serde_json::from_value::<engine_signing::Rotation>(entry.payload.clone()).ok())
        .flatten()
        .map(|rotation| rotation.to.id())
}

/// The name of the chain in the origin of a head.
pub(crate) fn name_of(origin: &str) -> Option<&str> {
    origin.strip_prefix(ORIGIN)
}
