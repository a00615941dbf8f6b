//! Facts of files, remembered from one scan to the next. They can be thrown away at any time.
//!
//! A row counts only if its seal fits: a keyed hash over all of it, with a key that names this very database file on this
//! machine. A row that is damaged, was made for other rules, or came with a copy of somebody else's state is passed over.

use std::path::Path;

use rusqlite::{TransactionBehavior, params};

use crate::{Store, StoreError};

/// Remembered facts of one file, or of a whole project under a name that no file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactRow {
    /// Path relative to the project's root.
    pub path: String,
    /// The facts; what they are is the caller's.
    pub facts: Vec<u8>,
}

impl Store {
    /// The facts that were remembered for a version of the rules, in the order of paths.
    pub fn facts(&self, version: &[u8; 32]) -> Result<Vec<FactRow>, StoreError> {
        let key = self.seal_key(version);
        self.with_reader(Vec::new(), |reader| {
            let mut statement = reader.prepare_cached("SELECT path, facts, seal FROM facts ORDER BY path")?;
            let mut rows = statement.query([])?;
            let mut out = Vec::new();
            while let Some(row) = rows.next()? {
                // A column of a foreign type is a damaged row, not a failure of the whole.
                let (Ok(path), Ok(facts), Ok(sealed)) = (
                    row.get::<_, String>(0),
                    row.get::<_, Vec<u8>>(1),
                    row.get::<_, Vec<u8>>(2),
                ) else {
                    continue;
                };
                if sealed == seal(&key, &path, &facts) {
                    out.push(FactRow { path, facts });
                }
            }
            Ok(out)
        })
    }

    /// Remembers facts, and forgets those of files that are gone.
    pub fn save_facts(&self, version: &[u8; 32], changed: &[FactRow], gone: &[String]) -> Result<(), StoreError> {
        if changed.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let key = self.seal_key(version);
        let mut writer = self.writer()?;
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO facts (path, facts, seal) VALUES (?, ?, ?) \
                 ON CONFLICT (path) DO UPDATE SET facts = excluded.facts, seal = excluded.seal",
            )?;
            for row in changed {
                insert.execute(params![row.path, row.facts, seal(&key, &row.path, &row.facts)])?;
            }
            let mut delete = transaction.prepare_cached("DELETE FROM facts WHERE path = ?")?;
            for path in gone {
                delete.execute([path])?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// Moves the log into the database, as far as no reader is in the way: for a moment in which nobody waits.
    ///
    /// # Errors
    ///
    /// Where the database cannot be written.
    pub fn tidy(&self) -> Result<(), StoreError> {
        Ok(self
            .writer()?
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
    }

    fn seal_key(&self, version: &[u8; 32]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("local-compliance-engine 2026 seal of remembered facts");
        hasher.update(&self.home);
        hasher.update(version);
        *hasher.finalize().as_bytes()
    }
}

fn seal(key: &[u8; 32], path: &str, facts: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&(path.len() as u64).to_le_bytes());
    hasher.update(path.as_bytes());
    hasher.update(facts);
    hasher.finalize().as_bytes()[..16].to_vec()
}

/// What names a database file on this machine: a copy of it is another file.
pub(crate) fn home(path: &Path) -> [u8; 16] {
    let mut out = [0; 16];
    let Ok(metadata) = path.metadata() else {
        return out;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        out[..8].copy_from_slice(&metadata.dev().to_le_bytes());
        out[8..].copy_from_slice(&metadata.ino().to_le_bytes());
    }
    #[cfg(not(unix))]
    {
        let created = metadata
            .created()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_nanos());
        out.copy_from_slice(&created.to_le_bytes());
    }
    out
}
