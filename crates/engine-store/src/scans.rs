//! The history of scans, and the engine's own notes.

use engine_model::{Applicability, Date, ScanResult};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use crate::written::{WrittenPart, WrittenScan, whole};
use crate::{Store, StoreError};

/// So many of the newest scans keep their full result; older ones keep their summary.
pub const FULL_RESULTS_MAX: u32 = 200;

/// Most entries of the history that are given at once.
const HISTORY_MAX: u32 = 1_000;

/// Version of the shape of a stored result.
const RESULT_VERSION: u32 = 1;

const SUMMARY_COLUMNS: &str = "seq, id, scanned_at, as_of, score, applicability, findings, agents, \
                               regulation_version, engine_version, elapsed_ms, result IS NOT NULL";

/// One line of the history of scans.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanSummary {
    /// Place in the history; also the cursor for what is older.
    pub seq: i64,
    /// Id of the scan.
    pub id: String,
    /// When, RFC 3339 in UTC.
    pub scanned_at: String,
    /// The date for which the law was evaluated.
    pub as_of: Date,
    /// The score for what applies on that date.
    pub score: f64,
    /// Whether the Act touches the project.
    pub applicability: Applicability,
    /// Findings in all.
    pub findings: u64,
    /// Agents in all.
    pub agents: u64,
    /// Version of the regulation data.
    pub regulation_version: String,
    /// Version of the engine.
    pub engine_version: String,
    /// Duration in milliseconds.
    pub elapsed_ms: f64,
    /// Whether the full result is still kept.
    pub has_result: bool,
}

/// A scan as it is kept. It is written down before the connection is taken, so that a large result holds up nobody.
pub(crate) struct ScanRow {
    id: String,
    scanned_at: String,
    as_of: String,
    score: f64,
    applicability: String,
    findings: i64,
    agents: i64,
    regulation_version: String,
    engine_version: String,
    elapsed: f64,
    written: WrittenScan,
}

impl ScanRow {
    pub(crate) fn of(scan: &ScanResult, written: WrittenScan) -> Self {
        Self {
            id: scan.id.clone(),
            scanned_at: scan.scanned_at.clone(),
            as_of: scan.as_of.to_string(),
            score: scan.score.compliance,
            applicability: word(scan.applicability).to_owned(),
            findings: i64::try_from(scan.findings_total).unwrap_or(i64::MAX),
            agents: i64::try_from(scan.agents.len()).unwrap_or(i64::MAX),
            regulation_version: scan.regulation_version.clone(),
            engine_version: scan.engine_version.clone(),
            elapsed: scan.elapsed,
            written,
        }
    }

    /// Adds the scan, and lets go of the full result of one that is too old.
    pub(crate) fn insert(&self, connection: &Connection) -> Result<(), StoreError> {
        // Asked first, since a text of megabytes is copied when it is handed over.
        let part = |part: &WrittenPart| -> rusqlite::Result<()> {
            let digest = part.digest.as_bytes();
            let kept = connection
                .prepare_cached("SELECT 1 FROM inventories WHERE digest = ?")?
                .exists([digest])?;
            if !kept {
                connection
                    .prepare_cached("INSERT INTO inventories (digest, inventory) VALUES (?, ?)")?
                    .execute(params![digest, part.json])?;
            }
            Ok(())
        };
        let (inventory, law) = (&*self.written.inventory, &self.written.law);
        part(inventory)?;
        part(law)?;
        connection
            .prepare_cached(
                "INSERT INTO scans (id, scanned_at, as_of, score, applicability, findings, agents, regulation_version, \
                 engine_version, elapsed_ms, result_version, result, inventory, law) \
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                self.id,
                self.scanned_at,
                self.as_of,
                self.score,
                self.applicability,
                self.findings,
                self.agents,
                self.regulation_version,
                self.engine_version,
                self.elapsed,
                RESULT_VERSION,
                self.written.result,
                inventory.digest.as_bytes(),
                law.digest.as_bytes(),
            ])
            .map_err(|error| match error.sqlite_error() {
                Some(code) if code.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE => {
                    StoreError::DuplicateScan { id: self.id.clone() }
                }
                _ => error.into(),
            })?;
        let dropped = connection.execute(
            "UPDATE scans SET result = NULL, inventory = NULL, law = NULL WHERE result IS NOT NULL AND seq < \
             (SELECT seq FROM scans WHERE result IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET ?)",
            [FULL_RESULTS_MAX - 1],
        )?;
        if dropped > 0 {
            connection.execute(
                "DELETE FROM inventories WHERE \
                 NOT EXISTS (SELECT 1 FROM scans WHERE scans.inventory = inventories.digest) AND \
                 NOT EXISTS (SELECT 1 FROM scans WHERE scans.law = inventories.digest)",
                [],
            )?;
        }
        Ok(())
    }
}

impl Store {
    /// Adds a scan to the history without evidence; only tests of the history do so.
    #[cfg(test)]
    pub(crate) fn save_scan(&self, scan: &ScanResult) -> Result<(), StoreError> {
        let (written, ()) =
            WrittenScan::of(&mut scan.clone(), None, |_| Ok(())).map_err(|source| StoreError::UnwritableResult {
                id: scan.id.clone(),
                source,
            })?;
        let row = ScanRow::of(scan, written);
        self.change(move |connection| row.insert(connection))
    }

    /// The scan that was stored last.
    pub fn last_scan(&self) -> Result<Option<ScanResult>, StoreError> {
        self.result("WHERE result IS NOT NULL ORDER BY seq DESC LIMIT 1", [])
    }

    /// The scan of an id; `None` where there is none.
    pub fn scan(&self, id: &str) -> Result<Option<ScanResult>, StoreError> {
        self.result("WHERE id = ?", [id])
    }

    /// The summary of a scan, which outlives its full result.
    pub fn summary(&self, id: &str) -> Result<Option<ScanSummary>, StoreError> {
        self.with_reader(None, |reader| {
            let query = format!("SELECT {SUMMARY_COLUMNS} FROM scans WHERE id = ?");
            Ok(reader.prepare_cached(&query)?.query_row([id], summary).optional()?)
        })
    }

    /// The newest scans, the newest first. `cursor` is the `seq` of the last one that is known already.
    pub fn history(&self, limit: u32, cursor: Option<i64>) -> Result<Vec<ScanSummary>, StoreError> {
        self.with_reader(Vec::new(), |reader| {
            let query = format!("SELECT {SUMMARY_COLUMNS} FROM scans WHERE seq < ? ORDER BY seq DESC LIMIT ?");
            let mut statement = reader.prepare_cached(&query)?;
            let rows = statement.query_map((cursor.unwrap_or(i64::MAX), limit.min(HISTORY_MAX)), summary)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// A note of the engine under a key.
    pub fn meta_get(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.with_reader(None, |reader| {
            let mut statement = reader.prepare_cached("SELECT value FROM meta WHERE key = ?")?;
            Ok(statement.query_row([key], |row| row.get(0)).optional()?)
        })
    }

    /// Keeps a note of the engine under a key.
    pub fn meta_set(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.writer()?.execute(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [key, value],
        )?;
        Ok(())
    }

    fn result(&self, which: &str, params: impl Params) -> Result<Option<ScanResult>, StoreError> {
        let row = self.with_reader(None, |reader| {
            let mut statement =
                reader.prepare_cached(&format!("SELECT id, result, {INVENTORY}, {LAW} FROM scans {which}"))?;
            Ok(statement
                .query_row(params, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
                .optional()?)
        })?;
        // Decoded here and not in the closure, so that a large result does not keep the connection.
        let row = row.map(|(id, result, inventory, law): StoredRow| {
            let whole = |result| together(result, inventory.as_deref(), law.as_deref());
            (id, result.map(whole))
        });
        match row {
            None => Ok(None),
            Some((id, None)) => Err(StoreError::ResultDropped { id }),
            Some((id, Some(result))) => serde_json::from_slice(&result)
                .map(Some)
                .map_err(|source| StoreError::UnreadableResult { id, source }),
        }
    }
}

/// A stored scan: its id, its result and the parts of that.
type StoredRow = (String, Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>);

/// The inventory of a scan, as a column.
pub(crate) const INVENTORY: &str = "(SELECT inventory FROM inventories WHERE digest = scans.inventory)";

/// The systems and obligations of a scan, as a column.
pub(crate) const LAW: &str = "(SELECT inventory FROM inventories WHERE digest = scans.law)";

/// A stored result with its parts. Those of older versions hold them themselves.
pub(crate) fn together(result: Vec<u8>, inventory: Option<&[u8]>, law: Option<&[u8]>) -> Vec<u8> {
    whole(&result, inventory, law).unwrap_or(result)
}

fn summary(row: &Row<'_>) -> rusqlite::Result<ScanSummary> {
    let unreadable = |column, error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error);
    let as_of: String = row.get(3)?;
    let applicability: String = row.get(5)?;
    Ok(ScanSummary {
        seq: row.get(0)?,
        id: row.get(1)?,
        scanned_at: row.get(2)?,
        as_of: as_of
            .parse()
            .map_err(|error: jiff::Error| unreadable(3, error.into()))?,
        score: row.get(4)?,
        applicability: of_word(&applicability).ok_or_else(|| unreadable(5, "unknown word".into()))?,
        findings: u64::try_from(row.get::<_, i64>(6)?).unwrap_or(0),
        agents: u64::try_from(row.get::<_, i64>(7)?).unwrap_or(0),
        regulation_version: row.get(8)?,
        engine_version: row.get(9)?,
        elapsed_ms: row.get(10)?,
        has_result: row.get(11)?,
    })
}

const WORDS: [(Applicability, &str); 4] = [
    (Applicability::NoAiFound, "no_ai_found"),
    (Applicability::Library, "library"),
    (Applicability::SystemsFound, "systems_found"),
    (Applicability::Undetermined, "undetermined"),
];

const fn word(applicability: Applicability) -> &'static str {
    match applicability {
        Applicability::NoAiFound => WORDS[0].1,
        Applicability::Library => WORDS[1].1,
        Applicability::SystemsFound => WORDS[2].1,
        Applicability::Undetermined => WORDS[3].1,
    }
}

fn of_word(text: &str) -> Option<Applicability> {
    WORDS
        .iter()
        .find(|(_, word)| *word == text)
        .map(|(applicability, _)| *applicability)
}
