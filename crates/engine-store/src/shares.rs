//! Shared results: each a copy of what was shared, with the day on which it ends.
//!
//! A share is written once. Revoking it, or its end, removes the copy and leaves the fact that there was one.

use engine_evidence::Draft;
use engine_signing::SecretKey;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{EvidenceAdded, Store, StoreError};

/// Rows that are given at once.
const ROWS_MAX: u32 = 1_000;

/// Bytes of an id: 128 bits, so that nobody guesses one.
const ID_BYTES: usize = 16;

/// A result that is about to be shared.
#[derive(Clone, Debug, PartialEq)]
pub struct NewShare {
    /// Its id, from [`new_share_id`].
    pub id: String,
    /// When it was shared, as RFC 3339 in UTC.
    pub created_at: String,
    /// When it ends, as RFC 3339 in UTC.
    pub expires_at: String,
    /// What a list says of it.
    pub record: serde_json::Value,
    /// The result as JSON.
    pub result: Vec<u8>,
    /// The result as a page.
    pub page: String,
}

/// A share as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareRow {
    /// Its place in the list, from 1.
    pub seq: i64,
    /// Its id.
    pub id: String,
    /// When it was shared, as RFC 3339 in UTC.
    pub created_at: String,
    /// When it ends, as RFC 3339 in UTC.
    pub expires_at: String,
    /// When it was revoked.
    pub revoked_at: Option<String>,
    /// What a list says of it.
    pub record: serde_json::Value,
}

/// What was shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedContent {
    /// The result as JSON.
    pub result: Vec<u8>,
    /// The result as a page.
    pub page: String,
}

const COLUMNS: &str = "seq, id, created_at, expires_at, revoked_at, record";

impl ShareRow {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let record: String = row.get(5)?;
        Ok(Self {
            seq: row.get(0)?,
            id: row.get(1)?,
            created_at: row.get(2)?,
            expires_at: row.get(3)?,
            revoked_at: row.get(4)?,
            record: serde_json::from_str(&record).unwrap_or_default(),
        })
    }
}

/// A new id: 128 random bits as 32 hexadecimal digits.
///
/// # Errors
///
/// [`StoreError::Disk`] where the system gives no random numbers.
pub fn new_share_id() -> Result<String, StoreError> {
    use std::fmt::Write as _;
    let mut bytes = [0; ID_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::Disk)?;
    Ok(bytes.iter().fold(String::new(), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    }))
}

impl Store {
    /// Keeps a share together with its entry of the chain, and removes the copies of shares that have ended by then.
    ///
    /// # Errors
    ///
    /// Why it cannot be kept; nothing is recorded then.
    pub fn save_share_recorded(
        &self,
        share: NewShare,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        let ((), added) = self.record_with(draft, chain, key, move |connection| {
            remove_ended(connection, &share.created_at)?;
            connection
                .prepare_cached(
                    "INSERT INTO shares (id, created_at, expires_at, record, result, page) VALUES (?, ?, ?, ?, ?, ?)",
                )?
                .execute(params![
                    share.id,
                    share.created_at,
                    share.expires_at,
                    share.record.to_string(),
                    share.result,
                    share.page
                ])?;
            Ok(())
        })?;
        Ok(added)
    }

    /// Revokes a share together with its entry of the chain: its copy is removed.
    ///
    /// # Errors
    ///
    /// Why it cannot be revoked; nothing is recorded then.
    pub fn revoke_share_recorded(
        &self,
        id: &str,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        let (id, at) = (id.to_owned(), draft.timestamp.clone());
        let ((), added) = self.record_with(draft, chain, key, move |connection| {
            connection
                .prepare_cached(
                    "UPDATE shares SET revoked_at = coalesce(revoked_at, ?1), result = NULL, page = NULL WHERE id = ?2",
                )?
                .execute(params![at, id])?;
            Ok(())
        })?;
        Ok(added)
    }

    /// A share by its id, whatever became of it.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn share(&self, id: &str) -> Result<Option<ShareRow>, StoreError> {
        self.with_reader(None, |reader| {
            Ok(reader
                .prepare_cached(&format!("SELECT {COLUMNS} FROM shares WHERE id = ?"))?
                .query_row([id], ShareRow::of)
                .optional()?)
        })
    }

    /// What was shared under an id; none once its copy is removed. Whether the share has ended is for the caller to say.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn share_content(&self, id: &str) -> Result<Option<SharedContent>, StoreError> {
        self.with_reader(None, |reader| {
            Ok(reader
                .prepare_cached(
                    "SELECT result, page FROM shares WHERE id = ? AND result IS NOT NULL AND page IS NOT NULL",
                )?
                .query_row([id], |row| {
                    Ok(SharedContent {
                        result: row.get(0)?,
                        page: row.get(1)?,
                    })
                })
                .optional()?)
        })
    }

    /// Shares before a place in the list, the newest first.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn shares(&self, before: Option<i64>, limit: u32) -> Result<Vec<ShareRow>, StoreError> {
        self.with_reader(Vec::new(), |reader| {
            Ok(reader
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM shares WHERE seq < ? ORDER BY seq DESC LIMIT ?"
                ))?
                .query_map((before.unwrap_or(i64::MAX), limit.clamp(1, ROWS_MAX)), ShareRow::of)?
                .collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn remove_ended(connection: &Connection, now: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached("UPDATE shares SET result = NULL, page = NULL WHERE expires_at <= ? AND result IS NOT NULL")?
        .execute([now])?;
    Ok(())
}
