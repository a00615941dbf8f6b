//! Personal data beside the chain: entries hold its salted digest only, so that it can be erased and the chain stays whole.
//!
//! The digest of a name alone would tell the name to whoever guesses it. With the salt erased together with the value,
//! the digest that stays in the chain tells nothing any more.

use engine_evidence::Draft;
use engine_signing::{Digest, SecretKey};
use rusqlite::{Connection, OptionalExtension};

use crate::{EvidenceAdded, Store, StoreError};

/// Personal data that is about to be kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Personal {
    digest: String,
    salt: String,
    value: String,
}

impl std::fmt::Debug for Personal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Personal({})", self.digest)
    }
}

impl Personal {
    /// Personal data with a salt of its own.
    ///
    /// # Errors
    ///
    /// [`StoreError::Disk`] where the system gives no random numbers.
    pub fn new(value: &str) -> Result<Self, StoreError> {
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).map_err(|_| StoreError::Disk)?;
        let salt = Digest::from_bytes(salt).to_string();
        let digest = digest(&salt, value);
        Ok(Self {
            digest,
            salt,
            value: value.to_owned(),
        })
    }

    /// What stands for it in entries.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Keeps it beside the chain.
    pub(crate) fn insert(self, connection: &Connection, kept_until: Option<String>) -> Result<(), StoreError> {
        connection
            .prepare_cached("INSERT INTO evidence_personal (digest, salt, value, kept_until) VALUES (?, ?, ?, ?)")?
            .execute((self.digest, self.salt, self.value, kept_until))?;
        Ok(())
    }
}

fn digest(salt: &str, value: &str) -> String {
    Digest::of(format!("local-compliance-engine personal data v1\0{salt}\0{value}").as_bytes()).to_string()
}

/// Personal data that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalRecord {
    /// What stands for it in entries.
    pub digest: String,
    /// The data itself.
    pub value: String,
    /// Until when it is to be kept, as RFC 3339 or a date.
    pub kept_until: Option<String>,
    /// Why it must not be erased, where it must not.
    pub legal_hold: Option<String>,
    /// Whether the digest still fits the data.
    pub fits: bool,
}

impl Store {
    /// Keeps personal data, and an entry that names its digest.
    ///
    /// # Errors
    ///
    /// Why either cannot be kept; neither is then.
    pub fn keep_personal(
        &self,
        personal: Personal,
        kept_until: Option<String>,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        Ok(self
            .record_with(draft, chain, key, move |connection| {
                personal.insert(connection, kept_until)
            })?
            .1)
    }

    /// What is kept, by digest.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn personal(&self) -> Result<Vec<PersonalRecord>, StoreError> {
        self.with_reader(Vec::new(), |reader| {
            Ok(reader
                .prepare_cached(
                    "SELECT digest, salt, value, kept_until, legal_hold FROM evidence_personal ORDER BY digest",
                )?
                .query_map([], |row| {
                    let (named, salt, value): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                    Ok(PersonalRecord {
                        fits: digest(&salt, &value) == named,
                        digest: named,
                        value,
                        kept_until: row.get(3)?,
                        legal_hold: row.get(4)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Erases personal data for good, and records that it was erased. One that is under a legal hold keeps all of them.
    ///
    /// # Errors
    ///
    /// [`StoreError::LegalHold`], [`StoreError::NoPersonal`], or why the database refuses; nothing is erased then.
    pub fn erase_personal(
        &self,
        digests: Vec<String>,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        let added = self
            .record_with(draft, chain, key, move |connection| {
                for digest in digests {
                    if let Some(reason) = hold(connection, &digest)? {
                        return Err(StoreError::LegalHold { digest, reason });
                    }
                    connection
                        .prepare_cached("DELETE FROM evidence_personal WHERE digest = ?")?
                        .execute([digest])?;
                }
                Ok(())
            })?
            .1;
        // The log still holds the pages as they were. A reader in the way delays this to the next checkpoint.
        self.writer()?
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(added)
    }

    /// Puts personal data under a legal hold, or with no reason releases it, and records that.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoPersonal`], or why the database refuses; nothing changes then.
    pub fn hold_personal(
        &self,
        digests: Vec<String>,
        reason: Option<String>,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        Ok(self
            .record_with(draft, chain, key, move |connection| {
                for digest in digests {
                    hold(connection, &digest)?;
                    connection
                        .prepare_cached("UPDATE evidence_personal SET legal_hold = ? WHERE digest = ?")?
                        .execute((&reason, digest))?;
                }
                Ok(())
            })?
            .1)
    }
}

/// The reason of the hold on personal data that is kept, if there is one.
fn hold(connection: &Connection, digest: &str) -> Result<Option<String>, StoreError> {
    connection
        .prepare_cached("SELECT legal_hold FROM evidence_personal WHERE digest = ?")?
        .query_row([digest], |row| row.get(0))
        .optional()?
        .ok_or_else(|| StoreError::NoPersonal {
            digest: digest.to_owned(),
        })
}
