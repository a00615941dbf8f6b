//! Runs against live endpoints: their settings without secrets, what was asked and said, and their results.

use std::collections::BTreeSet;

use engine_evidence::{Draft, Entry, EntryType, Issue, IssueKind, Verdict};
use engine_signing::{Digest, SecretKey};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::de::DeserializeOwned;

use crate::{EvidenceAdded, Store, StoreError};

/// So many of the newest runs keep their result and everything that was said; older ones keep their line.
pub const FULL_RUNS_MAX: u32 = 50;

/// Most lines that are given at once.
const ROWS_MAX: u32 = 1_000;

const COLUMNS: &str = "seq, id, kind, target, agent, started_at, state, plan, score, security, result IS NOT NULL";

/// What a run was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// An evaluation.
    Eval,
    /// Attacks.
    RedTeam,
}

impl RunKind {
    /// Its name in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eval => "eval",
            Self::RedTeam => "redteam",
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It began and has not ended: it is under way, or its process died.
    Running,
    /// It ended before every probe was asked.
    Partial,
    /// It ended.
    Done,
    /// The target gave no usable reply at all, or the run ended early and so long ago that its journal is gone.
    Failed,
}

impl RunState {
    /// Its name in the database and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Partial => "partial",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    fn of(name: &str) -> Self {
        [Self::Running, Self::Partial, Self::Done]
            .into_iter()
            .find(|state| state.name() == name)
            .unwrap_or(Self::Failed)
    }
}

/// A run that is about to begin.
#[derive(Clone, Debug)]
pub struct NewEval {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub kind: RunKind,
    /// The address, without secrets.
    pub target: String,
    /// The agent behind it.
    pub agent: Option<String>,
    /// When, RFC 3339.
    pub started_at: String,
    /// What is needed to go on with it, as JSON.
    pub plan: String,
}

/// A run as a line of the history.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalRow {
    /// Its place; also the cursor for what is older.
    pub seq: i64,
    /// Its id.
    pub id: String,
    /// What it was for.
    pub kind: RunKind,
    /// The address, without secrets.
    pub target: String,
    /// The agent behind it.
    pub agent: Option<String>,
    /// When it began.
    pub started_at: String,
    /// How far it is.
    pub state: RunState,
    /// What is needed to go on with it, as JSON.
    pub plan: String,
    /// The score, if there is one.
    pub score: Option<f64>,
    /// The score of its security categories.
    pub security: Option<f64>,
    /// Whether its result is still kept.
    pub has_result: bool,
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct FinishedEval {
    /// Its place.
    pub seq: i64,
    /// How it ended.
    pub state: RunState,
    /// The score, if there is one.
    pub score: Option<f64>,
    /// The score of its security categories.
    pub security: Option<f64>,
    /// The result, as JSON.
    pub result: Vec<u8>,
}

/// A question of a run, as JSON, and its reply if one came.
pub type JournalRow = (String, Option<String>);

/// Which runs are wanted.
#[derive(Clone, Debug)]
pub struct EvalFilter {
    /// What they were for.
    pub kind: RunKind,
    /// Only of this agent.
    pub agent: Option<String>,
    /// Only those with a result.
    pub with_result: bool,
    /// Only runs before this one.
    pub before: Option<i64>,
    /// Most lines.
    pub limit: u32,
}

impl Store {
    /// Writes down that a run begins; returns its place.
    ///
    /// # Errors
    ///
    /// Why it cannot be written.
    pub fn begin_eval(&self, run: NewEval) -> Result<i64, StoreError> {
        self.change(move |connection| {
            connection
                .prepare_cached(
                    "INSERT INTO eval_runs (id, kind, target, agent, started_at, state, plan) VALUES (?, ?, ?, ?, ?, ?, ?)",
                )?
                .execute(params![
                    run.id,
                    run.kind.name(),
                    run.target,
                    run.agent,
                    run.started_at,
                    RunState::Running.name(),
                    run.plan
                ])?;
            Ok(connection.last_insert_rowid())
        })
    }

    /// Changes how far a run is said to be.
    ///
    /// # Errors
    ///
    /// Why it cannot be written.
    pub fn set_eval_state(&self, seq: i64, state: RunState) -> Result<(), StoreError> {
        self.change(move |connection| {
            connection.execute(
                "UPDATE eval_runs SET state = ? WHERE seq = ?",
                params![state.name(), seq],
            )?;
            Ok(())
        })
    }

    /// Writes down questions before they are sent, and replies to earlier ones, in one transaction. After the return all
    /// of them survive a crash.
    ///
    /// # Errors
    ///
    /// Why they cannot be written; then none of them is.
    pub fn journal_eval(&self, run: i64, rows: Vec<JournalRow>) -> Result<(), StoreError> {
        self.change(move |connection| {
            let mut statement = connection.prepare_cached(
                "INSERT INTO eval_journal (run, question, turn) VALUES (?, ?, ?) \
                 ON CONFLICT (run, question) DO UPDATE SET turn = coalesce(excluded.turn, turn)",
            )?;
            for (question, turn) in &rows {
                statement.execute(params![run, question, turn])?;
            }
            Ok(())
        })
    }

    /// Everything that was asked and said in a run, in the order of the questions' names.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn eval_journal(&self, run: i64) -> Result<Vec<JournalRow>, StoreError> {
        self.with_reader(Vec::new(), |reader| {
            Ok(reader
                .prepare_cached("SELECT question, turn FROM eval_journal WHERE run = ? ORDER BY question")?
                .query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Keeps the result of a run together with its entry: either both are kept, or neither.
    ///
    /// # Errors
    ///
    /// Why the result or the entry cannot be kept.
    pub fn finish_eval_recorded(
        &self,
        run: FinishedEval,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, StoreError> {
        Ok(self
            .record_with(draft, chain, key, move |connection| finish(connection, &run))?
            .1)
    }

    /// Runs, the newest first.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn evals(&self, filter: &EvalFilter) -> Result<Vec<EvalRow>, StoreError> {
        let mut query = format!("SELECT {COLUMNS} FROM eval_runs WHERE kind = ? AND seq < ?");
        let mut values: Vec<rusqlite::types::Value> = vec![
            filter.kind.name().to_owned().into(),
            filter.before.unwrap_or(i64::MAX).into(),
        ];
        if let Some(agent) = &filter.agent {
            query.push_str(" AND agent = ?");
            values.push(agent.clone().into());
        }
        if filter.with_result {
            query.push_str(" AND result IS NOT NULL");
        }
        query.push_str(" ORDER BY seq DESC LIMIT ?");
        values.push(i64::from(filter.limit.min(ROWS_MAX)).into());
        self.with_reader(Vec::new(), |reader| {
            Ok(reader
                .prepare_cached(&query)?
                .query_map(params_from_iter(&values), eval_row)?
                .collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The run of an id.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn eval(&self, id: &str) -> Result<Option<EvalRow>, StoreError> {
        self.with_reader(None, |reader| {
            let query = format!("SELECT {COLUMNS} FROM eval_runs WHERE id = ?");
            Ok(reader.prepare_cached(&query)?.query_row([id], eval_row).optional()?)
        })
    }

    /// The digest of the result of a run as it is kept; none where it is not kept (any more).
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn eval_digest(&self, id: &str) -> Result<Option<Digest>, StoreError> {
        self.with_reader(None, |reader| {
            let mut statement = reader.prepare_cached("SELECT result FROM eval_runs WHERE id = ?")?;
            let found = statement
                .query_row([id], |row| Ok(row.get_ref(0)?.as_blob_or_null()?.map(Digest::of)))
                .optional()?;
            Ok(found.flatten())
        })
    }

    /// The result of a run in the bytes in which it is kept; none where it is not kept (any more).
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn eval_bytes(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with_reader(None, |reader| {
            Ok(reader
                .prepare_cached("SELECT result FROM eval_runs WHERE id = ?")?
                .query_row([id], |row| row.get::<_, Option<Vec<u8>>>(0))
                .optional()?
                .flatten())
        })
    }

    /// The result of a run; none where it is not kept (any more).
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    pub fn eval_result<T: DeserializeOwned>(&self, id: &str) -> Result<Option<T>, StoreError> {
        self.eval_bytes(id)?
            .map(|bytes| {
                serde_json::from_slice(&bytes).map_err(|source| StoreError::UnreadableRun {
                    id: id.to_owned(),
                    source,
                })
            })
            .transpose()
    }
}

impl FinishedEval {
    /// The digest of everything that was asked and said: each question and reply with its length, in order.
    pub fn journal_digest(rows: &[JournalRow]) -> Digest {
        let mut bytes = Vec::new();
        for (question, turn) in rows {
            for text in [question.as_str(), turn.as_deref().unwrap_or_default()] {
                bytes.extend((text.len() as u64).to_le_bytes());
                bytes.extend(text.as_bytes());
            }
        }
        Digest::of(&bytes)
    }
}

impl Store {
    /// Holds runs that are kept against the entries that recorded them: the newest of each kind, or all.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read.
    pub fn verify_evals(&self, all: bool) -> Result<Vec<Issue>, StoreError> {
        let limit = if all { FULL_RUNS_MAX } else { 1 };
        let mut issues = Vec::new();
        for kind in [EntryType::Eval, EntryType::Redteam] {
            // A run that was resumed has several entries, and the newest speaks for it.
            let mut told: BTreeSet<String> = BTreeSet::new();
            for entry in self.newest_evidence(kind, limit)? {
                let id = entry.payload["runId"].as_str().unwrap_or_default().to_owned();
                if told.insert(id.clone())
                    && let Some(what) = self.verify_eval(&id, &entry)?
                {
                    issues.push(Issue {
                        kind: IssueKind::Artifact,
                        verdict: Some(what.0),
                        seq: Some(entry.seq),
                        message: format!("the run {id} in entry {} {}", entry.seq, what.1),
                    });
                }
            }
        }
        Ok(issues)
    }

    fn verify_eval(&self, id: &str, entry: &Entry) -> Result<Option<(Verdict, &'static str)>, StoreError> {
        let Some(row) = self.eval(id)? else {
            return Ok(Some((
                Verdict::Missing,
                "is missing in the stored history; restore `state.db` from a backup",
            )));
        };
        // While it goes on its journal grows beyond what the entry of its first part says.
        if !row.has_result || row.state == RunState::Running || row.state == RunState::Failed {
            return Ok(None);
        }
        let stored = self.eval_digest(id)?;
        let said = |part: &str, name: &str| entry.payload[part][name].as_str().map(str::to_owned);
        let journal = FinishedEval::journal_digest(&self.eval_journal(row.seq)?).to_string();
        let recorded = said("result", "stored").or_else(|| said("result", "blake3"));
        let same =
            stored.map(|digest| digest.to_string()) == recorded && Some(journal) == said("transcripts", "blake3");
        Ok((!same).then_some((
            Verdict::Tampered,
            "differs from the recorded content; restore `state.db` from a backup",
        )))
    }
}

fn finish(connection: &Connection, run: &FinishedEval) -> Result<(), StoreError> {
    connection
        .prepare_cached("UPDATE eval_runs SET state = ?, score = ?, security = ?, result = ? WHERE seq = ?")?
        .execute(params![run.state.name(), run.score, run.security, run.result, run.seq])?;
    let oldest: Option<i64> = connection
        .query_row(
            "SELECT seq FROM eval_runs WHERE result IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET ?",
            [FULL_RUNS_MAX - 1],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(oldest) = oldest {
        // Without its journal a run that ended early would ask everything again, so nobody may go on with it.
        connection.execute(
            "UPDATE eval_runs SET result = NULL, state = CASE state WHEN 'done' THEN 'done' ELSE 'failed' END \
             WHERE seq < ?",
            [oldest],
        )?;
        connection.execute("DELETE FROM eval_journal WHERE run < ?", [oldest])?;
    }
    Ok(())
}

fn eval_row(row: &Row<'_>) -> rusqlite::Result<EvalRow> {
    let kind: String = row.get(2)?;
    let state: String = row.get(6)?;
    Ok(EvalRow {
        seq: row.get(0)?,
        id: row.get(1)?,
        kind: if kind == RunKind::RedTeam.name() {
            RunKind::RedTeam
        } else {
            RunKind::Eval
        },
        target: row.get(3)?,
        agent: row.get(4)?,
        started_at: row.get(5)?,
        state: RunState::of(&state),
        plan: row.get(7)?,
        score: row.get(8)?,
        security: row.get(9)?,
        has_result: row.get(10)?,
    })
}
