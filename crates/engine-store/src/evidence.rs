//! The evidence chain in the database: entries are added in the transaction of the change that they record.

use engine_evidence::{
    Appended, Chain, ChainState, Draft, Entry, EntryType, Issue, IssueKind, Remembered, Report, Row, Verdict,
    Verification, VerifiedPrefix,
};
use engine_model::ScanResult;
use engine_signing::{Digest, SecretKey, Trust};
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use crate::scans::{FULL_RESULTS_MAX, INVENTORY, LAW, ScanRow, together};
use crate::written::WrittenScan;
use crate::{Store, StoreError};

/// Entries read at once while a chain is verified: enough for all cores, little in memory.
pub const EVIDENCE_ROWS_AT_ONCE: u32 = 4_096;

/// Most entries of the audit trail that are given at once.
pub const AUDIT_ROWS_MAX: u32 = 1_000;

/// What was added to the chain, and its head afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceAdded {
    /// The entries, in order: the one that was asked for is the last.
    pub entries: Vec<Entry>,
    /// The signed head after the last of them.
    pub head: String,
}

/// Which entries of the chain are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only about this agent.
    pub agent: Option<String>,
    /// Only of this type.
    pub kind: Option<String>,
    /// Not before this time.
    pub since: Option<String>,
    /// Before this time.
    pub until: Option<String>,
    /// Only entries before this one: the cursor of the page in front.
    pub before: Option<u64>,
    /// Most entries of the page.
    pub limit: u32,
}

/// Entries of the chain, the newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditPage {
    /// The entries.
    pub lines: Vec<AuditRow>,
    /// Where the next page goes on, if there is more.
    pub cursor: Option<u64>,
}

/// One row of the audit trail.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRow {
    /// Where it stands.
    pub seq: u64,
    /// The entry; none where the text is no entry (any more).
    pub entry: Option<Entry>,
}

impl Store {
    /// Adds an entry to the chain. The chain begins with its first entry; `chain` is its name then.
    ///
    /// # Errors
    ///
    /// Why the entry cannot be added.
    pub fn record(&self, draft: Draft, chain: &str, key: &SecretKey) -> Result<EvidenceAdded, StoreError> {
        Ok(self.record_with(draft, chain, key, |_| Ok(()))?.1)
    }

    /// Adds a scan, as it was written, to the history and to the chain: either both are kept, or neither.
    ///
    /// # Errors
    ///
    /// Why the scan or the entry cannot be added.
    pub fn save_scan_recorded(
        &self,
        scan: &ScanResult,
        written: WrittenScan,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        let row = ScanRow::of(scan, written);
        Ok(self
            .record_with(draft, chain, key, move |connection| row.insert(connection))?
            .1)
    }

    /// Adds an entry to the chain and makes a change with it: either both are kept, or neither.
    pub(crate) fn record_with<T: Send + 'static>(
        &self,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<(T, EvidenceAdded), StoreError> {
        let (name, key) = (chain.to_owned(), key.clone());
        self.change(move |connection| {
            let value = change(connection)?;
            Ok((value, append(connection, draft, &name, &key)?))
        })
    }

    /// The number of entries, and the signed head.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn evidence_head(&self) -> Result<Option<(ChainState, String)>, StoreError> {
        self.with_reader(None, |reader| {
            let found: Option<(String, String)> = reader
                .prepare_cached("SELECT state, head FROM evidence_end WHERE one = 1")?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            found
                .map(|(state, head)| {
                    let state = serde_json::from_str(&state).map_err(|_| StoreError::EvidenceEnd)?;
                    Ok((state, head))
                })
                .transpose()
        })
    }

    /// Verifies the chain: from its first entry, or from where an earlier verification that found it valid ended.
    ///
    /// Entries and head are read in one transaction, so that entries that are added meanwhile do not look like a fault.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read at all; what can be read and is wrong is in the report.
    pub fn verify_evidence(
        &self,
        trust: &Trust,
        remembered: &[Remembered],
        prefix: Option<VerifiedPrefix>,
    ) -> Result<(Report, Option<VerifiedPrefix>), StoreError> {
        let none = || Verification::new(trust, remembered).finish(None);
        self.with_reader(none(), |reader| {
            let transaction = reader.unchecked_transaction()?;
            let end: Option<(String, String)> = transaction
                .prepare_cached("SELECT state, head FROM evidence_end WHERE one = 1")?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let (state, head) = end.unzip();
            let mut next = prefix.as_ref().map_or(i64::MIN, |prefix| signed(prefix.entries()));
            let mut verification = match prefix {
                Some(prefix) => Verification::resume(prefix, remembered),
                None => Verification::new(trust, remembered),
            };
            let mut statement =
                transaction.prepare_cached("SELECT seq, entry FROM evidence WHERE seq >= ? ORDER BY seq LIMIT ?")?;
            loop {
                let rows = statement
                    .query_map((next, EVIDENCE_ROWS_AT_ONCE), |row| {
                        let seq: i64 = row.get(0)?;
                        // Text that is no UTF-8 is text that somebody changed; it is judged as such and not refused.
                        let text = row.get_ref(1)?.as_bytes().map(String::from_utf8_lossy)?.into_owned();
                        Ok((seq, text))
                    })?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                let Some((last, _)) = rows.last() else { break };
                let more = rows.len() == EVIDENCE_ROWS_AT_ONCE as usize;
                let Some(after) = last.checked_add(1) else { break };
                next = after;
                let rows: Vec<Row> = rows
                    .into_iter()
                    .map(|(seq, text)| Row {
                        // No entry has a number below zero, so such a row is an entry in a wrong place.
                        seq: u64::try_from(seq).unwrap_or(u64::MAX),
                        text,
                    })
                    .collect();
                verification.feed(&rows);
                if !more {
                    break;
                }
            }
            if let Some(state) = state {
                verification.set_end(state);
            }
            Ok(verification.finish(head.as_deref()))
        })
    }

    /// Changes with every commit of somebody else. All that is written here goes through one connection, so while this
    /// stays as it is, what was found valid before is as it was. None in read-only mode, where everybody is somebody else.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn foreign_commits(&self) -> Result<Option<i64>, StoreError> {
        match self.writer() {
            Err(StoreError::ReadOnly) => Ok(None),
            writer => Ok(Some(writer?.query_row("PRAGMA data_version", [], |row| row.get(0))?)),
        }
    }

    /// Entries of the chain, the newest first. Whatever tells no type could be of any, so it is among those of every filter.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn audit(&self, filter: &AuditFilter) -> Result<AuditPage, StoreError> {
        let mut query = "SELECT seq, entry FROM evidence WHERE seq < ? AND (type IS NULL OR (1".to_owned();
        let mut values: Vec<rusqlite::types::Value> = vec![filter.before.map_or(i64::MAX, signed).into()];
        let mut add = |clause: &str, value: Option<rusqlite::types::Value>| {
            if let Some(value) = value {
                query.push_str(clause);
                values.push(value);
            }
        };
        let text = |value: &Option<String>| value.clone().map(rusqlite::types::Value::Text);
        add(" AND agent = ?", text(&filter.agent));
        add(" AND type = ?", text(&filter.kind));
        add(" AND time >= ?", text(&filter.since));
        add(" AND time < ?", text(&filter.until));
        let limit = filter.limit.clamp(1, AUDIT_ROWS_MAX);
        query.push_str(")) ORDER BY seq DESC LIMIT ?");
        values.push(i64::from(limit + 1).into());
        self.with_reader(AuditPage::default(), |reader| {
            let mut lines = reader
                .prepare_cached(&query)?
                .query_map(params_from_iter(&values), audit_row)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            let more = lines.len() > limit as usize;
            lines.truncate(limit as usize);
            Ok(AuditPage {
                cursor: lines.last().filter(|_| more).map(|line| line.seq),
                lines,
            })
        })
    }

    /// Where the first row stands that is no entry. All rows in front of it are read.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn first_unreadable(&self) -> Result<Option<u64>, StoreError> {
        self.with_reader(None, |reader| {
            let mut statement = reader.prepare_cached("SELECT seq, entry FROM evidence ORDER BY seq")?;
            for line in statement.query_map([], audit_row)? {
                let line = line?;
                if line.entry.is_none() {
                    return Ok(Some(line.seq));
                }
            }
            Ok(None)
        })
    }

    /// The first entry of the chain.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn first_evidence(&self) -> Result<Option<Entry>, StoreError> {
        self.with_reader(None, |reader| {
            let text: Option<String> = reader
                .prepare_cached("SELECT entry FROM evidence ORDER BY seq LIMIT 1")?
                .query_row([], |row| row.get(0))
                .optional()?;
            // A first entry that cannot be read is for the verification to judge.
            Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
        })
    }

    /// The chain as it stands now, to be read in pieces by [`Store::evidence_rows`].
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn evidence_snapshot(&self) -> Result<EvidenceSnapshot, StoreError> {
        self.with_reader(EvidenceSnapshot::default(), |reader| {
            let transaction = reader.unchecked_transaction()?;
            let head = transaction
                .query_row("SELECT head FROM evidence_end WHERE one = 1", [], |row| row.get(0))
                .optional()?;
            let counted = transaction.query_row(
                "SELECT count(*), coalesce(sum(length(CAST(entry AS BLOB))), 0), coalesce(max(seq), 0) FROM evidence",
                [],
                |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get(2)?)),
            )?;
            Ok(EvidenceSnapshot {
                head,
                rows: counted.0.unsigned_abs(),
                bytes: counted.1.unsigned_abs(),
                last: counted.2,
            })
        })
    }

    /// The texts of the entries after a row and up to another, as they are kept: whatever they hold, they are for someone
    /// else to judge. The connection is held for a moment only, so that long chains hold up nobody.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn evidence_rows(&self, after: Option<i64>, last: i64) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        self.with_reader(Vec::new(), |reader| {
            Ok(reader
                .prepare_cached(
                    "SELECT seq, entry FROM evidence WHERE (?1 IS NULL OR seq > ?1) AND seq <= ?2 ORDER BY seq LIMIT ?3",
                )?
                .query_map((after, last, EVIDENCE_ROWS_AT_ONCE), |row| {
                    Ok((row.get(0)?, row.get_ref(1)?.as_bytes()?.to_vec()))
                })?
                .collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The newest entries of a type, the newest first; what cannot be read is left out.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn newest_evidence(&self, kind: EntryType, limit: u32) -> Result<Vec<Entry>, StoreError> {
        self.with_reader(Vec::new(), |reader| Ok(newest(reader, kind, limit)?))
    }

    /// The number of entries of a type.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn evidence_count(&self, kind: EntryType) -> Result<u64, StoreError> {
        self.with_reader(0, |reader| {
            let count: i64 = reader
                .prepare_cached("SELECT count(*) FROM evidence WHERE type = ?")?
                .query_row([kind.as_str()], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// Holds the history of scans against the entries that recorded them: the newest, or as many as keep their results.
    /// Where the chain is `whole`, the newest scan of both must be the same.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn verify_scans(&self, all: bool, whole: bool) -> Result<Vec<Issue>, StoreError> {
        let limit = if all { FULL_RESULTS_MAX } else { 1 };
        self.with_reader(Vec::new(), |reader| {
            // Of one moment: a scan that comes in meanwhile must not look newer than its entry.
            let reader = reader.unchecked_transaction()?;
            let entries = newest(&reader, EntryType::Scan, limit)?;
            let mut statement = reader.prepare_cached(&format!(
                "SELECT as_of, score, engine_version, applicability, regulation_version, result, {INVENTORY}, {LAW} \
                 FROM scans WHERE id = ?"
            ))?;
            let mut issues = Vec::new();
            for (age, entry) in entries.iter().enumerate() {
                let said = |name: &str| entry.payload[name].as_str().unwrap_or_default();
                let id = said("scanId");
                let told = statement
                    .query_row([id], |row| {
                        let result: Option<Vec<u8>> = row.get(5)?;
                        let (inventory, law): (Option<Vec<u8>>, Option<Vec<u8>>) = (row.get(6)?, row.get(7)?);
                        let whole = |result| together(result, inventory.as_deref(), law.as_deref());
                        let result = result.map(|result| Digest::of(&whole(result)));
                        let score = format!("{:.2}", row.get::<_, f64>(1)?);
                        Ok(([row.get(0)?, score, row.get(2)?, row.get(3)?, row.get(4)?], result))
                    })
                    .optional()?;
                let (verdict, what) = match told {
                    None => (
                        Verdict::Missing,
                        "is missing in the stored history; restore `state.db` from a backup",
                    ),
                    Some((summary, result)) => {
                        let stated = entry.payload["result"]["stored"].as_str();
                        let names = ["asOf", "score", "engineVersion", "applicability", "regulationVersion"];
                        let same = summary
                            .iter()
                            .zip(names)
                            .all(|(told, name): (&String, _)| told == said(name));
                        // Results of old scans are dropped in time, and that of the newest never is.
                        let whole = result.map_or(age > 0, |result| stated == Some(result.to_string().as_str()));
                        if same && whole {
                            continue;
                        }
                        (
                            Verdict::Tampered,
                            "differs from the recorded content; restore `state.db` from a backup",
                        )
                    }
                };
                issues.push(Issue {
                    kind: IssueKind::Artifact,
                    verdict: Some(verdict),
                    seq: Some(entry.seq),
                    message: format!("the scan {id} in entry {} {what}", entry.seq),
                });
            }
            let first: Option<String> = reader
                .prepare_cached("SELECT id FROM scans ORDER BY seq DESC LIMIT 1")?
                .query_row([], |row| row.get(0))
                .optional()?;
            if whole
                && issues.is_empty()
                && let (Some(entry), Some(first)) = (entries.first(), first)
                && entry.payload["scanId"].as_str() != Some(&first)
            {
                issues.push(Issue {
                    kind: IssueKind::Artifact,
                    verdict: Some(Verdict::Tampered),
                    seq: Some(entry.seq),
                    message: format!(
                        "the newest scan in the history is {first}, but the newest recorded scan is in entry {}",
                        entry.seq
                    ),
                });
            }
            Ok(issues)
        })
    }
}

fn audit_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<AuditRow> {
    let seq: i64 = row.get(0)?;
    Ok(AuditRow {
        seq: u64::try_from(seq).unwrap_or(u64::MAX),
        entry: serde_json::from_slice(row.get_ref(1)?.as_bytes()?).ok(),
    })
}

fn newest(reader: &Connection, kind: EntryType, limit: u32) -> rusqlite::Result<Vec<Entry>> {
    let texts = reader
        .prepare_cached("SELECT entry FROM evidence WHERE type = ? ORDER BY seq DESC LIMIT ?")?
        .query_map((kind.as_str(), limit), |row| {
            Ok(row.get_ref(0)?.as_bytes().map(String::from_utf8_lossy)?.into_owned())
        })?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    Ok(texts.iter().filter_map(|text| Entry::read(text).ok()).collect())
}

/// A chain at one moment, as far as it is needed to read it in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvidenceSnapshot {
    /// The signed head.
    pub head: Option<String>,
    /// Rows of entries.
    pub rows: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// Where the last row stands.
    pub last: i64,
}

fn signed(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// Adds an entry at the end of the chain, within a transaction of the writer.
fn append(connection: &Connection, draft: Draft, name: &str, key: &SecretKey) -> Result<EvidenceAdded, StoreError> {
    let end: Option<String> = connection
        .prepare_cached("SELECT state FROM evidence_end WHERE one = 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let mut added = Vec::with_capacity(1);
    let mut chain = if let Some(state) = end {
        let state: ChainState = serde_json::from_str(&state).map_err(|_| StoreError::EvidenceEnd)?;
        Chain::resume(&state)?
    } else {
        let (chain, first) = Chain::begin(name, &format!("{}-genesis", draft.id), &draft.timestamp, key)?;
        added.push(first);
        chain
    };
    added.extend(chain.append(draft, key)?);
    let mut insert = connection.prepare_cached("INSERT INTO evidence (seq, entry) VALUES (?, ?)")?;
    for Appended { entry, text } in &added {
        insert.execute((signed(entry.seq), text))?;
    }
    let head = chain.head(key)?;
    let state = serde_json::to_string(&chain.state()).map_err(|_| StoreError::EvidenceEnd)?;
    connection
        .prepare_cached(
            "INSERT INTO evidence_end (one, state, head) VALUES (1, ?, ?) \
             ON CONFLICT (one) DO UPDATE SET state = excluded.state, head = excluded.head",
        )?
        .execute((state, &head))?;
    Ok(EvidenceAdded {
        entries: added.into_iter().map(|added| added.entry).collect(),
        head,
    })
}
