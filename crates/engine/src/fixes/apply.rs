//! Writing: all files of a fix change, or none.
//!
//! The new contents are written and synced beside the tree first. Then the fix is written down, then each file is put in its place in one
//! step, then the end is recorded together with its entry of the evidence chain. A process that dies in between leaves a fix that the
//! next start ends.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine_evidence::EntryType;
use engine_fixer::Plan;
use engine_model::{Date, ErrorCode, EventBody, Failure, ScanResult};
use engine_project::{EditError, Present, Root, Staged};
use engine_signing::Digest;
use engine_store::{FixRow, FixStatus, FixedFile, NewFix, Store, TextEdit};
use serde_json::json;

use super::batch::Planned;
use super::history::{FixRecord, is_secret_free};
use super::shapes::{UndoReply, UndoRequest};
use crate::Engine;
use crate::project::{ProjectState, conflict};
use crate::requests::ScanRequest;
use crate::scan::{Running, ScanHooks, steers_the_walk};

/// Where new contents lie until they are put in their place.
pub(super) const BESIDE: &str = ".compliance/tmp";

/// Fixes after one that are asked whether they changed the same file.
const LATER_MAX: u32 = 1_000;

/// A fix that is applied.
pub(super) struct Done {
    pub(super) id: i64,
    pub(super) evidence: String,
}

/// The database of a project that may be changed.
pub(super) fn may_write(state: &ProjectState) -> Result<&Store, Failure> {
    state.ensure()?.ok_or_else(|| {
        Failure::new(
            ErrorCode::ReadOnly,
            "the engine is read-only and changed nothing; start it without `--read-only`",
        )
    })
}

/// Why a file of the project cannot be changed, for a client.
pub(super) fn edit_failure(error: &EditError) -> Failure {
    let code = match error {
        EditError::Outside { .. } => ErrorCode::Impossible,
        _ => ErrorCode::StateConflict,
    };
    Failure::new(code, error.to_string())
}

fn changed_since(path: &str) -> Failure {
    Failure::new(
        ErrorCode::StateConflict,
        format!("`{path}` has changed since the fix was planned, so nothing was changed; try again"),
    )
}

/// A file of a plan with everything that is needed to write it.
struct Ahead {
    file: FixedFile,
    before: Option<Present>,
    staged: Staged,
}

impl Engine {
    /// Writes a fix and records it.
    pub(super) fn write_fix(&self, state: &ProjectState, planned: &Planned, score_now: f64) -> Result<Done, Failure> {
        let store = may_write(state)?;
        let keys = self.signer().keys()?;
        let root = state.root();
        root.create_folders(&format!("{BESIDE}/x"))
            .map_err(|error| edit_failure(&error))?;
        let mut files = Vec::with_capacity(planned.plan.files.len());
        let mut contents = Vec::with_capacity(planned.plan.files.len());
        for change in &planned.plan.files {
            let present = root.present(&change.path).map_err(|error| edit_failure(&error))?;
            let bytes: &[u8] = match (&change.before, &present) {
                (Some(digest), Some(present)) if digest == blake3::hash(&present.bytes).as_bytes() => &present.bytes,
                (None, None) => &[],
                _ => return Err(changed_since(&change.path)),
            };
            let after = change.apply(bytes).map_err(|_| changed_since(&change.path))?;
            let removed = change.removed(bytes).map_err(|_| changed_since(&change.path))?;
            let edits: Vec<TextEdit> = change
                .edits
                .iter()
                .zip(removed)
                .map(|(edit, removed)| {
                    String::from_utf8(removed)
                        .map(|removed| TextEdit {
                            start: edit.start,
                            removed_bytes: removed.len(),
                            removed,
                            inserted: edit.text.clone(),
                        })
                        .map_err(|_| changed_since(&change.path))
                })
                .collect::<Result<_, _>>()?;
            let takes_away = edits.iter().any(|edit| !edit.removed.is_empty());
            let of_secret = planned.plan.check_id.starts_with("secret-") && takes_away;
            let kept = is_secret_free(bytes, &edits) && !of_secret;
            let put_in_kept = edits
                .iter()
                .all(|edit| engine_scanner::mask_secrets(&edit.inserted) == edit.inserted);
            let mut edits = if put_in_kept { edits } else { Vec::new() };
            if !kept {
                for edit in &mut edits {
                    edit.removed.clear();
                }
            }
            files.push(FixedFile {
                path: change.path.clone(),
                before: change.before.map(|_| Digest::of(bytes)),
                after: Digest::of(&after),
                mode: present.as_ref().map(|present| present.mode),
                edits,
                folders: missing_folders(root, &change.path),
                kept,
                put_in_kept,
            });
            contents.push((present, after));
        }
        // Folders first: a staged content knows the folder that it goes to.
        let created = create_folders(root, &files)?;
        let ahead: Result<Vec<Ahead>, Failure> = files
            .iter()
            .zip(contents)
            .map(|(file, (before, after))| {
                let staged = root
                    .stage(BESIDE, &file.path, &after, file.mode)
                    .map_err(|error| edit_failure(&error))?;
                Ok(Ahead {
                    file: file.clone(),
                    before,
                    staged,
                })
            })
            .collect();
        let record = FixRecord::of(planned, score_now);
        let begun = ahead.and_then(|ahead| {
            let fix = NewFix {
                applied_at: self.timestamp(),
                record: json!(record),
                files,
            };
            store
                .begin_fix(fix)
                .map(|id| (id, ahead))
                .map_err(|error| conflict(&error))
        });
        let (id, ahead) = match begun {
            Ok(begun) => begun,
            Err(failure) => {
                remove_folders(root, &created);
                return Err(failure);
            }
        };
        if let Err(failure) = put_all(root, ahead) {
            remove_folders(root, &created);
            if let Err(error) = store.set_fix_status(id, FixStatus::RolledBack) {
                tracing::warn!(%error, "could not record that a fix was taken back; the next start does");
            }
            return Err(failure);
        }
        let draft = self.draft(
            EntryType::Fix,
            None,
            record.payload(id, store.fix(id).ok().flatten().as_ref()),
            Vec::new(),
        );
        let evidence = draft.id.clone();
        let added = store
            .end_fix_recorded(id, FixStatus::Applied, draft, &self.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        self.recorded_soon(state, &added);
        self.tell_fixed(
            state,
            id,
            &record,
            planned.plan.files.iter().map(|file| file.path.clone()).collect(),
            false,
        );
        Ok(Done { id, evidence })
    }

    /// Tells who listens that files have changed.
    pub(super) fn tell_fixed(&self, state: &ProjectState, id: i64, record: &FixRecord, files: Vec<String>, undo: bool) {
        let body = EventBody::FixApplied {
            fix_id: id,
            check_id: record.check_id.clone(),
            files,
            undo,
        };
        let project = state.path().to_string_lossy().into_owned();
        self.events().send(body, self.timestamp(), project);
    }

    /// Undoes a fix: every file gets its bytes and permissions back, or nothing changes.
    pub fn undo_fix(&self, request: &UndoRequest, hooks: &ScanHooks<'_>) -> Result<UndoReply, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(request.path.as_deref())?;
        let store = may_write(&state)?;
        let _one_at_a_time = state.scanning();
        let keys = self.signer().keys()?;
        let row = which(store, request.id)?;
        let record = FixRecord::read(&row);
        let root = state.root();
        let later = later_fixes(store, row.id)?;
        let before = state.last_scan()?.map_or(0.0, |scan| scan.score.compliance);
        root.create_folders(&format!("{BESIDE}/x"))
            .map_err(|error| edit_failure(&error))?;
        let mut ahead = Vec::new();
        for file in &row.files {
            let (present, back) = restorable(root, file, &later)?;
            let staged = match &back {
                Some(back) => Some(
                    root.stage(BESIDE, &file.path, back, file.mode)
                        .map_err(|error| edit_failure(&error))?,
                ),
                None => None,
            };
            ahead.push((file, present, staged));
        }
        store
            .set_fix_status(row.id, FixStatus::Undoing)
            .map_err(|error| conflict(&error))?;
        let mut restored: Vec<(&FixedFile, Present)> = Vec::new();
        for (file, present, staged) in ahead {
            let put = match staged {
                Some(staged) => staged.put(false),
                None => root.remove_file(&file.path),
            };
            if let Err(error) = put {
                for (file, present) in restored.iter().rev() {
                    put_back(root, &file.path, Some(present));
                }
                if let Err(error) = store.set_fix_status(row.id, FixStatus::Applied) {
                    tracing::warn!(%error, "could not record that an undo was taken back; the next start does");
                }
                return Err(edit_failure(&error));
            }
            restored.push((file, present));
        }
        for file in &row.files {
            remove_folders(root, &file.folders);
        }
        let draft = self.draft(EntryType::Undo, None, record.payload(row.id, Some(&row)), Vec::new());
        let evidence = draft.id.clone();
        let added = store
            .end_fix_recorded(row.id, FixStatus::Undone, draft, &self.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        self.recorded_soon(&state, &added);
        let files: Vec<String> = row.files.iter().map(|file| file.path.clone()).collect();
        self.tell_fixed(&state, row.id, &record, files.clone(), true);
        let changed: BTreeSet<String> = files.iter().cloned().collect();
        let (scan, _) = self.rescan_files(&state, &changed, None, hooks)?;
        Ok(UndoReply {
            undone: true,
            fix_id: row.id,
            check_id: record.check_id,
            files,
            score_before: before,
            score_after: scan.score.compliance,
            evidence_id: evidence,
        })
    }

    /// Scans what a fix has changed.
    pub(super) fn rescan(
        &self,
        state: &Arc<ProjectState>,
        plan: &Plan,
        as_of: Option<Date>,
        hooks: &ScanHooks<'_>,
    ) -> Result<(Arc<ScanResult>, Vec<String>), Failure> {
        self.rescan_all(state, &[plan], as_of, hooks)
    }

    /// Scans what several fixes have changed.
    pub(super) fn rescan_all(
        &self,
        state: &Arc<ProjectState>,
        plans: &[&Plan],
        as_of: Option<Date>,
        hooks: &ScanHooks<'_>,
    ) -> Result<(Arc<ScanResult>, Vec<String>), Failure> {
        let files = plans
            .iter()
            .flat_map(|plan| plan.files.iter().map(|file| file.path.clone()));
        self.rescan_files(state, &files.collect(), as_of, hooks)
    }

    fn rescan_files(
        &self,
        state: &Arc<ProjectState>,
        files: &BTreeSet<String>,
        as_of: Option<Date>,
        hooks: &ScanHooks<'_>,
    ) -> Result<(Arc<ScanResult>, Vec<String>), Failure> {
        let request = ScanRequest {
            as_of,
            ..ScanRequest::of(state.path().to_string_lossy())
        };
        // What steers the walk changes which files are read: everything is looked at then.
        let narrow = Some(files).filter(|files| !files.iter().any(|path| steers_the_walk(path)));
        let scanned = self.scan_and_keep(state, &request, narrow, hooks)?;
        Ok((scanned.result, scanned.warnings))
    }

    /// Adds the score after a fix to the history.
    pub(super) fn remember_score(state: &ProjectState, id: i64, reached: f64) {
        let Some(store) = state.store() else { return };
        let Ok(Some(row)) = store.fix(id) else { return };
        let mut record = FixRecord::read(&row);
        record.score_after = Some(reached);
        if let Err(error) = store.set_fix_record(id, &json!(record)) {
            tracing::warn!(%error, "could not record the score after a fix; the history shows none");
        }
    }
}

/// Puts all files in their place, or takes back those that were.
fn put_all(root: &Root, ahead: Vec<Ahead>) -> Result<(), Failure> {
    let mut done: Vec<(String, Option<Present>)> = Vec::new();
    for Ahead { file, before, staged } in ahead {
        // Looked at once more, as close to the change as it gets: an editor may have saved the file meanwhile.
        let now = root.present(&file.path).map_err(|error| edit_failure(&error));
        let put = now.and_then(|now| {
            if now.as_ref().map(|now| &now.bytes) != before.as_ref().map(|before| &before.bytes) {
                return Err(changed_since(&file.path));
            }
            staged.put(file.before.is_none()).map_err(|error| edit_failure(&error))
        });
        if let Err(failure) = put {
            for (path, before) in done.iter().rev() {
                put_back(root, path, before.as_ref());
            }
            return Err(failure);
        }
        done.push((file.path, before));
    }
    Ok(())
}

/// Gives a file back what it was.
fn put_back(root: &Root, path: &str, before: Option<&Present>) {
    let back = match before {
        Some(before) => root
            .stage(BESIDE, path, &before.bytes, Some(before.mode))
            .and_then(|staged| staged.put(false)),
        None => root.remove_file(path),
    };
    if let Err(error) = back {
        tracing::warn!(%error, path, "could not take a change back; the next start tries again");
    }
}

/// The fix that is to be undone.
fn which(store: &Store, id: Option<i64>) -> Result<FixRow, Failure> {
    let unknown = |details: String| Failure::new(ErrorCode::UnknownFix, details).field("id");
    let Some(id) = id else {
        let mut before = None;
        loop {
            let rows = store.fixes(before, LATER_MAX).map_err(|error| conflict(&error))?;
            let Some(last) = rows.last().map(|row| row.id) else {
                return Err(unknown(
                    "no applied fix to undo; GET /fix/history lists all fixes".to_owned(),
                ));
            };
            if let Some(row) = rows.into_iter().find(|row| row.status == FixStatus::Applied) {
                return Ok(row);
            }
            before = Some(last);
        }
    };
    let row = store
        .fix(id)
        .map_err(|error| conflict(&error))?
        .ok_or_else(|| unknown(format!("no fix {id}; GET /fix/history lists all fixes")))?;
    if row.status != FixStatus::Applied {
        let was = match row.status {
            FixStatus::Undone => "was undone already",
            FixStatus::RolledBack => "was never applied: it was taken back",
            _ => "is not finished",
        };
        return Err(Failure::new(ErrorCode::StateConflict, format!("fix {id} {was}")).field("id"));
    }
    Ok(row)
}

/// Applied fixes after a fix, the newest first.
pub(super) fn later_fixes(store: &Store, id: i64) -> Result<Vec<FixRow>, Failure> {
    let mut out = Vec::new();
    let mut before = None;
    loop {
        let rows = store.fixes(before, LATER_MAX).map_err(|error| conflict(&error))?;
        let Some(last) = rows.last().map(|row| row.id) else {
            return Ok(out);
        };
        out.extend(
            rows.into_iter()
                .filter(|row| row.id > id && row.status == FixStatus::Applied),
        );
        if last <= id {
            return Ok(out);
        }
        before = Some(last);
    }
}

/// A file of a fix as it is now, and what it becomes again; nothing where the fix created it.
fn restorable(root: &Root, file: &FixedFile, later: &[FixRow]) -> Result<(Present, Option<Vec<u8>>), Failure> {
    let conflicts = |why: String| {
        Failure::new(
            ErrorCode::StateConflict,
            format!("cannot undo: {why}. Nothing was changed"),
        )
        .field("id")
    };
    // A file that the fix created is removed: what it holds need not be known.
    if file.before.is_some() && (!file.kept || !file.put_in_kept) {
        return Err(conflicts(format!(
            "the fix took a secret out of `{}`, and secrets are not kept; restore the line from version control",
            file.path
        )));
    }
    let present = root.present(&file.path).map_err(|error| edit_failure(&error))?;
    let Some(present) = present else {
        return Err(conflicts(format!("`{}` is gone", file.path)));
    };
    if Digest::of(&present.bytes) != file.after {
        let by = later
            .iter()
            .rev()
            .find(|row| row.files.iter().any(|other| other.path == file.path));
        return Err(conflicts(by.map_or_else(
            || format!("`{}` has changed since the fix; change it by hand", file.path),
            |row| format!("fix {} changed `{}` later; undo that one first", row.id, file.path),
        )));
    }
    let Some(digest) = &file.before else {
        return Ok((present, None));
    };
    let back = file.undone(&present.bytes).filter(|back| Digest::of(back) == *digest);
    match back {
        Some(back) => Ok((present, Some(back))),
        None => Err(conflicts(format!(
            "what `{}` was before is not known any more",
            file.path
        ))),
    }
}

/// The folders of a path that are not there, the outermost first.
fn missing_folders(root: &Root, path: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(next) = path.get(at..).and_then(|rest| rest.find('/')) {
        let folder = &path[..at + next];
        if !root.has_entry(folder) {
            out.push(folder.to_owned());
        }
        at += next + 1;
    }
    out
}

fn create_folders(root: &Root, files: &[FixedFile]) -> Result<Vec<String>, Failure> {
    let mut created = Vec::new();
    for file in files.iter().filter(|file| !file.folders.is_empty()) {
        match root.create_folders(&file.path) {
            Ok(more) => created.extend(more),
            Err(error) => {
                remove_folders(root, &created);
                return Err(edit_failure(&error));
            }
        }
    }
    Ok(created)
}

/// Removes folders that a fix created, as far as they are empty.
pub(super) fn remove_folders(root: &Root, folders: &[String]) {
    for folder in folders.iter().rev() {
        root.remove_empty_folder(folder);
    }
}
