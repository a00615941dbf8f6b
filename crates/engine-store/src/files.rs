//! Files that change together with an entry of the evidence chain.
//!
//! A database and a file cannot be committed together. So the new content is written beside its later place first, then
//! the entry and a note of what is to be done are committed in one transaction, then the files are put in place and the
//! note is removed. Whatever moment the process dies at, what the note says is done when the project is opened next.

use engine_evidence::Draft;
use engine_signing::{Digest, SecretKey};
use serde::{Deserialize, Serialize};

use crate::{EvidenceAdded, Personal, StateDir, Store, StoreError};

/// Notes of files that are about to change begin like this.
const NOTE: &str = "pending-file/";

/// A file of the state directory that changes together with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Path relative to the state directory.
    pub path: String,
    /// The content that the change was made for; none where there was no file.
    pub before: Option<Vec<u8>>,
    /// The content that it gets; none removes it.
    pub after: Option<String>,
}

/// What is still to be done for a file.
#[derive(Serialize, Deserialize)]
struct Pending {
    before: Option<Digest>,
    after: Option<String>,
}

impl Store {
    /// Adds an entry to the chain and changes files with it, and keeps personal data that the entry names by digest: either
    /// all of it happens, or nothing.
    ///
    /// # Errors
    ///
    /// Why the entry cannot be added or a file cannot be written; nothing has changed then. An error while files are put
    /// in place leaves the rest to [`Store::finish_files`].
    pub fn save_files_recorded(
        &self,
        dir: &StateDir,
        changes: Vec<FileChange>,
        personal: Vec<Personal>,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        let mut staged = Vec::with_capacity(changes.len());
        let mut notes = Vec::with_capacity(changes.len());
        for change in changes {
            let note = Pending {
                before: change.before.as_deref().map(Digest::of),
                after: change.after,
            };
            // What is staged lies on the disk already, so that a full disk is known before anything is recorded.
            let file = match &note.after {
                Some(text) => Some(dir.stage(&change.path, text.as_bytes())?),
                None => None,
            };
            let text = serde_json::to_string(&note).map_err(|_| StoreError::EvidenceEnd)?;
            notes.push((format!("{NOTE}{}", change.path), text));
            staged.push((change.path, file));
        }
        let keys: Vec<String> = notes.iter().map(|(key, _)| key.clone()).collect();
        let ((), added) = self.record_with(draft, chain, key, move |connection| {
            let mut insert = connection.prepare_cached(
                "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            )?;
            for (key, note) in &notes {
                insert.execute((key, note))?;
            }
            for one in personal {
                one.insert(connection, None)?;
            }
            Ok(())
        })?;
        for (path, file) in staged {
            match file {
                Some(file) => file.persist()?,
                None => {
                    dir.remove(&path)?;
                }
            }
        }
        self.forget_notes(keys)?;
        Ok(added)
    }

    /// Does what a process that died left to be done. A file that somebody changed in between stays as it is.
    ///
    /// # Errors
    ///
    /// Why a file cannot be written or the database cannot be read.
    pub fn finish_files(&self, dir: &StateDir) -> Result<(), StoreError> {
        let notes: Vec<(String, String)> = self.with_reader(Vec::new(), |reader| {
            Ok(reader
                .prepare_cached("SELECT key, value FROM meta WHERE key >= ?1 AND key < ?2 ORDER BY key")?
                .query_map((NOTE, "pending-file0"), |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?)
        })?;
        if notes.is_empty() {
            return Ok(());
        }
        for (key, note) in &notes {
            let (Some(path), Ok(note)) = (key.strip_prefix(NOTE), serde_json::from_str::<Pending>(note)) else {
                continue;
            };
            let found = dir.read(path)?.as_deref().map(Digest::of);
            if found != note.before {
                continue;
            }
            match note.after {
                Some(text) => dir.write_atomic(path, text.as_bytes())?,
                None => {
                    dir.remove(path)?;
                }
            }
        }
        self.forget_notes(notes.into_iter().map(|(key, _)| key).collect())
    }

    fn forget_notes(&self, keys: Vec<String>) -> Result<(), StoreError> {
        self.change(move |connection| {
            let mut delete = connection.prepare_cached("DELETE FROM meta WHERE key = ?")?;
            for key in &keys {
                delete.execute([key])?;
            }
            Ok(())
        })
    }
}
