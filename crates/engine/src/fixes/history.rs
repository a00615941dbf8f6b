//! What is remembered of a fix.

use std::path::Path;

use engine_git::Revision;
use engine_model::{ErrorCode, Failure};
use engine_store::{FixRow, FixStatus, TextEdit};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::apply::{Done, later_fixes};
use super::batch::{Planned, plan_view};
use super::shapes::{FixHistory, FixHistoryEntry, FixHistoryRequest, FixResult};
use crate::Engine;
use crate::project::{ProjectState, conflict};

/// Fixes of a page, if a client names no number.
const PAGE: u32 = 100;

/// Files that are compared with git for a warning.
const COMPARED_MAX: usize = 200;

/// What the engine remembers of a fix beside its files. No source text but the diff, and that masked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FixRecord {
    pub(super) check_id: String,
    pub(super) finding_id: String,
    pub(super) kind: String,
    pub(super) strategy: String,
    pub(super) description: String,
    pub(super) diff: String,
    pub(super) by_model: bool,
    pub(super) score_before: f64,
    pub(super) score_after: Option<f64>,
}

impl FixRecord {
    pub(super) fn of(planned: &Planned, score: f64) -> Self {
        let plan = &planned.plan;
        Self {
            check_id: plan.check_id.clone(),
            finding_id: plan.finding_id.clone(),
            kind: plan.kind.name().to_owned(),
            strategy: plan.strategy.to_owned(),
            description: plan.description.clone(),
            diff: planned.diff.clone(),
            by_model: planned.by_model,
            score_before: score,
            score_after: None,
        }
    }

    pub(super) fn read(row: &FixRow) -> Self {
        serde_json::from_value(row.record.clone()).unwrap_or_default()
    }

    /// The payload of the entry that records it: which files, from which digest to which.
    pub(super) fn payload(&self, id: i64, row: Option<&FixRow>) -> Value {
        let files: Vec<Value> = row
            .map(|row| row.files.as_slice())
            .unwrap_or_default()
            .iter()
            .map(|file| {
                json!({
                    "path": file.path,
                    "before": file.before.as_ref().map(ToString::to_string),
                    "after": file.after.to_string(),
                })
            })
            .collect();
        json!({
            "fixId": id,
            "checkId": self.check_id,
            "findingId": self.finding_id,
            "strategy": self.strategy,
            "aiGenerated": self.by_model,
            "files": files,
        })
    }
}

impl Engine {
    /// The fixes of a project, the newest first.
    pub fn fix_history(&self, request: &FixHistoryRequest) -> Result<FixHistory, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        if request.limit == Some(0) {
            let details = "`limit` must be at least 1; use `cursor` for the next page";
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("limit"));
        }
        let limit = request.limit.unwrap_or(PAGE).min(1_000);
        let (mut rows, later) = state.reading(|store| {
            let rows = store
                .fixes(request.cursor, limit + 1)
                .map_err(|error| conflict(&error))?;
            let oldest = rows.last().map_or(i64::MAX, |row| row.id);
            later_fixes(store, oldest).map(|later| (rows, later))
        })??;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let read_only = state.is_read_only();
        let fixes: Vec<FixHistoryEntry> = rows
            .iter()
            .map(|row| {
                let why_not = why_not(row, &later, read_only, state.root());
                let record = FixRecord::read(row);
                FixHistoryEntry {
                    id: row.id,
                    timestamp: row.applied_at.clone(),
                    check_id: record.check_id,
                    finding_id: record.finding_id,
                    kind: record.kind,
                    strategy: record.strategy,
                    description: record.description,
                    files: row.files.iter().map(|file| file.path.clone()).collect(),
                    diff: record.diff,
                    status: row.status.name().to_owned(),
                    can_undo: why_not.is_none(),
                    why_not,
                    undone_at: row.undone_at.clone(),
                    score_before: record.score_before,
                    score_after: record.score_after,
                    evidence_id: row.evidence.clone(),
                    ai_generated: record.by_model,
                }
            })
            .collect();
        Ok(FixHistory {
            count: fixes.len() as u64,
            cursor: fixes.last().filter(|_| more).map(|fix| fix.id),
            fixes,
        })
    }
}

/// Why a fix cannot be undone now.
fn why_not(row: &FixRow, later: &[FixRow], read_only: bool, root: &engine_project::Root) -> Option<String> {
    match row.status {
        FixStatus::Applied => {}
        FixStatus::Undone => return Some("it is undone".to_owned()),
        FixStatus::RolledBack => return Some("it was never applied: it was taken back".to_owned()),
        FixStatus::Applying | FixStatus::Undoing => return Some("it is not finished".to_owned()),
    }
    if read_only {
        return Some("the engine is read-only".to_owned());
    }
    row.files.iter().find_map(|file| {
        if file.before.is_some() && (!file.kept || !file.put_in_kept) {
            return Some(format!(
                "it took a secret out of `{}`, and secrets are not kept",
                file.path
            ));
        }
        let present = root.present(&file.path).ok().flatten();
        if present.is_some_and(|present| engine_signing::Digest::of(&present.bytes) == file.after) {
            return None;
        }
        let by = later
            .iter()
            .rev()
            .find(|other| other.id > row.id && other.files.iter().any(|changed| changed.path == file.path));
        Some(by.map_or_else(
            || format!("`{}` has changed since", file.path),
            |other| format!("fix {} changed `{}` later; undo that one first", other.id, file.path),
        ))
    })
}

/// Whether no line that an edit touches holds a secret.
pub(super) fn is_secret_free(bytes: &[u8], edits: &[TextEdit]) -> bool {
    edits.iter().all(|edit| {
        let end = edit.start + edit.removed_bytes;
        let from = bytes
            .get(..edit.start)
            .and_then(|head| head.iter().rposition(|byte| *byte == b'\n'));
        let from = from.map_or(0, |at| at + 1);
        let to = bytes
            .get(end..)
            .and_then(|tail| tail.iter().position(|byte| *byte == b'\n'));
        let lines = bytes
            .get(from..to.map_or(bytes.len(), |at| end + at))
            .unwrap_or_default();
        let lines = String::from_utf8_lossy(lines);
        // Only what is taken away is kept, so a secret elsewhere on the line does no harm.
        edit.removed.is_empty() || engine_scanner::mask_secrets(&lines) == lines
    })
}

/// Files that differ from the last commit, as a warning: the fix cannot be told from those changes in a diff of git.
pub(super) fn uncommitted<'f>(state: &ProjectState, files: impl Iterator<Item = &'f str>) -> Vec<String> {
    let mut files: Vec<&str> = files.collect();
    files.sort_unstable();
    files.dedup();
    files.truncate(COMPARED_MAX);
    let root: &Path = state.path();
    if files.is_empty() || !root.join(".git").exists() {
        return Vec::new();
    }
    let Ok(head) = Revision::open(root, "HEAD") else {
        return Vec::new();
    };
    let reader = head.reader();
    let dirty: Vec<&str> = files
        .into_iter()
        .filter(|path| head.holds(path))
        .filter(|path| {
            let present = state.root().present(path).ok().flatten();
            let Some(present) = present else { return false };
            reader
                .read(path, present.bytes.len() as u64 + 1)
                .is_none_or(|committed| committed != present.bytes)
        })
        .collect();
    match dirty.as_slice() {
        [] => Vec::new(),
        [one] => vec![format!(
            "`{one}` has uncommitted changes; commit them first to see the fix alone in git"
        )],
        [first, ..] => vec![format!(
            "{} files have uncommitted changes, such as `{first}`; commit them first to see the fixes alone in git",
            dirty.len()
        )],
    }
}

/// The result of a fix that was applied.
pub(super) fn result(
    planned: &Planned,
    done: &Done,
    before: f64,
    after: f64,
    remaining: u64,
    warnings: Vec<String>,
) -> FixResult {
    FixResult {
        applied: true,
        fix_id: Some(done.id),
        evidence_id: Some(done.evidence.clone()),
        score_after: after,
        new_score: after,
        remaining,
        warnings,
        error: None,
        ..failed(planned, before, "")
    }
}

/// The result of a fix that could not be applied.
pub(super) fn failed(planned: &Planned, score: f64, error: &str) -> FixResult {
    let plan = &planned.plan;
    FixResult {
        applied: false,
        fix_id: None,
        check_id: plan.check_id.clone(),
        finding_id: plan.finding_id.clone(),
        diff: planned.diff.clone(),
        files: plan.files.iter().map(|file| file.path.clone()).collect(),
        score_before: score,
        score_after: score,
        new_score: score,
        evidence_id: None,
        error: Some(error.to_owned()),
        manual: plan.manual.clone(),
        ai_generated: planned.by_model,
        remaining: 0,
        warnings: Vec::new(),
        plan: plan_view(plan),
    }
}
