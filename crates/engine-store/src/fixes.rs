//! The history of fixes, which is also the journal that a killed process leaves behind.
//!
//! A fix is written down before the first file changes. Whatever moment the process dies at, the next start finds the files as they
//! were or as they should be, and finishes the fix or takes it back.

use engine_evidence::Draft;
use engine_signing::{Digest, SecretKey};
use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::{EvidenceAdded, Store, StoreError};

/// Rows of the history that are given at once.
const ROWS_MAX: u32 = 1_000;

/// Where a fix stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixStatus {
    /// Its files are being written.
    Applying,
    /// It is applied.
    Applied,
    /// Its files are being restored.
    Undoing,
    /// It is undone.
    Undone,
    /// It was taken back because it could not be finished.
    RolledBack,
}

impl FixStatus {
    /// The name in the database and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Applying => "applying",
            Self::Applied => "applied",
            Self::Undoing => "undoing",
            Self::Undone => "undone",
            Self::RolledBack => "rolled_back",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [
            Self::Applying,
            Self::Applied,
            Self::Undoing,
            Self::Undone,
            Self::RolledBack,
        ]
        .into_iter()
        .find(|status| status.name() == name)
    }
}

/// One edit of a file: text at a byte offset that takes the place of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    /// Where it begins in the file as it was.
    pub start: usize,
    /// What was there; empty where that held a secret.
    pub removed: String,
    /// Bytes that were there.
    pub removed_bytes: usize,
    /// What is there now.
    pub inserted: String,
}

/// A file of a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedFile {
    /// Path relative to the project's root.
    pub path: String,
    /// Digest of the file as it was; none where the fix created it.
    pub before: Option<Digest>,
    /// Digest of the file with the fix.
    pub after: Digest,
    /// Permissions of the file as it was.
    pub mode: Option<u32>,
    /// The edits, sorted. Of a created file, one insertion.
    pub edits: Vec<TextEdit>,
    /// Folders that the fix created for the file, the outermost first.
    pub folders: Vec<String>,
    /// Whether what was taken away is kept here; a secret is not.
    pub kept: bool,
    /// Whether what was put in is kept here; a secret is not. Without it there are no edits.
    #[serde(default = "yes")]
    pub put_in_kept: bool,
}

/// Rows of older versions kept all that was put in.
const fn yes() -> bool {
    true
}

impl FixedFile {
    /// The file as it was, from the file with the fix. `None` if the edits do not fit, or what was taken away is not kept.
    pub fn undone(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if !self.kept || !self.put_in_kept {
            return None;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let (mut done, mut shift) = (0_usize, 0_isize);
        for edit in &self.edits {
            let start = edit.start.checked_add_signed(shift)?;
            let end = start.checked_add(edit.inserted.len())?;
            if bytes.get(start..end)? != edit.inserted.as_bytes() {
                return None;
            }
            out.extend_from_slice(bytes.get(done..start)?);
            out.extend_from_slice(edit.removed.as_bytes());
            shift += edit.inserted.len().cast_signed() - edit.removed.len().cast_signed();
            done = end;
        }
        out.extend_from_slice(bytes.get(done..)?);
        Some(out)
    }

    /// The file with the fix, from the file as it was. `None` if the edits do not fit, or what was put in is not kept.
    pub fn done(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if !self.put_in_kept {
            return None;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut done = 0_usize;
        for edit in &self.edits {
            let end = edit.start.checked_add(edit.removed_bytes)?;
            out.extend_from_slice(bytes.get(done..edit.start)?);
            out.extend_from_slice(edit.inserted.as_bytes());
            bytes.get(edit.start..end)?;
            done = end;
        }
        out.extend_from_slice(bytes.get(done..)?);
        Some(out)
    }
}

/// A fix that is about to be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFix {
    /// When, as RFC 3339 in UTC.
    pub applied_at: String,
    /// What the engine wants to remember of it.
    pub record: serde_json::Value,
    /// Its files.
    pub files: Vec<FixedFile>,
}

/// A fix of the history.
#[derive(Clone, Debug, PartialEq)]
pub struct FixRow {
    /// Its number, from 1.
    pub id: i64,
    /// When it was applied, as RFC 3339 in UTC.
    pub applied_at: String,
    /// Where it stands.
    pub status: FixStatus,
    /// What the engine remembers of it.
    pub record: serde_json::Value,
    /// Its files.
    pub files: Vec<FixedFile>,
    /// The entry of the chain that records it.
    pub evidence: Option<String>,
    /// When it was undone.
    pub undone_at: Option<String>,
}

const COLUMNS: &str = "id, applied_at, status, record, files, evidence, undone_at";

impl FixRow {
    /// A row; none where it cannot be read.
    fn of(row: &Row<'_>) -> rusqlite::Result<Option<Self>> {
        let (status, record, files): (String, String, String) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let parsed = FixStatus::of(&status)
            .zip(serde_json::from_str(&record).ok())
            .zip(serde_json::from_str(&files).ok());
        let Some(((status, record), files)) = parsed else {
            return Ok(None);
        };
        Ok(Some(Self {
            id: row.get(0)?,
            applied_at: row.get(1)?,
            status,
            record,
            files,
            evidence: row.get(5)?,
            undone_at: row.get(6)?,
        }))
    }
}

impl Store {
    /// Writes down a fix before its first file changes, and gives its number.
    ///
    /// # Errors
    ///
    /// Why it cannot be written down; nothing may be changed then.
    pub fn begin_fix(&self, fix: NewFix) -> Result<i64, StoreError> {
        let files = serde_json::to_string(&fix.files).map_err(|_| StoreError::EvidenceEnd)?;
        self.change(move |connection| {
            connection
                .prepare_cached("INSERT INTO fixes (applied_at, status, record, files) VALUES (?, ?, ?, ?)")?
                .execute(params![
                    fix.applied_at,
                    FixStatus::Applying.name(),
                    fix.record.to_string(),
                    files
                ])?;
            Ok(connection.last_insert_rowid())
        })
    }

    /// Says where a fix stands, without an entry of the chain.
    ///
    /// # Errors
    ///
    /// Why it cannot be written down.
    pub fn set_fix_status(&self, id: i64, status: FixStatus) -> Result<(), StoreError> {
        self.change(move |connection| {
            connection
                .prepare_cached("UPDATE fixes SET status = ? WHERE id = ?")?
                .execute(params![status.name(), id])?;
            Ok(())
        })
    }

    /// Replaces what the engine remembers of a fix.
    ///
    /// # Errors
    ///
    /// Why it cannot be written down.
    pub fn set_fix_record(&self, id: i64, record: &serde_json::Value) -> Result<(), StoreError> {
        let record = record.to_string();
        self.change(move |connection| {
            connection
                .prepare_cached("UPDATE fixes SET record = ? WHERE id = ?")?
                .execute(params![record, id])?;
            Ok(())
        })
    }

    /// Says that a fix is applied, undone or taken back, together with an entry of the chain.
    ///
    /// # Errors
    ///
    /// Why it cannot be recorded. The fix then counts as unfinished, and the next start ends it.
    pub fn end_fix_recorded(
        &self,
        id: i64,
        status: FixStatus,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        let (entry, at) = (draft.id.clone(), draft.timestamp.clone());
        let changed = self.record_with(draft, chain, key, move |connection| {
            let set = if status == FixStatus::Applied {
                "UPDATE fixes SET status = ?1, evidence = ?2 WHERE id = ?4"
            } else {
                "UPDATE fixes SET status = ?1, undone_at = ?3, evidence = coalesce(evidence, ?2) WHERE id = ?4"
            };
            connection
                .prepare_cached(set)?
                .execute(params![status.name(), entry, at, id])
                .map(|_| ())
                .map_err(StoreError::from)
        })?;
        Ok(changed.1)
    }

    /// A fix by its number.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn fix(&self, id: i64) -> Result<Option<FixRow>, StoreError> {
        self.with_reader(None, |reader| {
            let found = reader
                .prepare_cached(&format!("SELECT {COLUMNS} FROM fixes WHERE id = ?"))?
                .query_row([id], FixRow::of)
                .optional()?;
            Ok(found.flatten())
        })
    }

    /// Fixes before a number, the newest first.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn fixes(&self, before: Option<i64>, limit: u32) -> Result<Vec<FixRow>, StoreError> {
        self.with_reader(Vec::new(), |reader| {
            let rows = reader
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM fixes WHERE id < ? ORDER BY id DESC LIMIT ?"
                ))?
                .query_map((before.unwrap_or(i64::MAX), limit.clamp(1, ROWS_MAX)), FixRow::of)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(rows.into_iter().flatten().collect())
        })
    }

    /// Fixes that a process began and did not end, the oldest first.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn unfinished_fixes(&self) -> Result<Vec<FixRow>, StoreError> {
        self.with_reader(Vec::new(), |reader| {
            let rows = reader
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM fixes WHERE status IN ('applying', 'undoing') ORDER BY id"
                ))?
                .query_map([], FixRow::of)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(rows.into_iter().flatten().collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(edits: Vec<TextEdit>, before: &str, after: &str) -> FixedFile {
        FixedFile {
            path: "a.py".to_owned(),
            before: Some(Digest::of(before.as_bytes())),
            after: Digest::of(after.as_bytes()),
            mode: Some(0o644),
            edits,
            folders: Vec::new(),
            kept: true,
            put_in_kept: true,
        }
    }

    #[test]
    fn edits_lead_there_and_back() {
        let edit = |start, removed: &str, inserted: &str| TextEdit {
            start,
            removed: removed.to_owned(),
            removed_bytes: removed.len(),
            inserted: inserted.to_owned(),
        };
        let (before, after) = ("one\ntwo\nthree\n", "import x\none\n2\nthree\n");
        let file = file(vec![edit(0, "", "import x\n"), edit(4, "two", "2")], before, after);
        assert_eq!(file.done(before.as_bytes()).unwrap(), after.as_bytes());
        assert_eq!(file.undone(after.as_bytes()).unwrap(), before.as_bytes());
        assert!(file.undone(b"something else").is_none());
        // What was taken away is a secret: there is a way there, and none back.
        let mut file = file;
        file.kept = false;
        file.edits[1].removed.clear();
        assert_eq!(file.done(before.as_bytes()).unwrap(), after.as_bytes());
        assert!(file.undone(after.as_bytes()).is_none());
    }
}
