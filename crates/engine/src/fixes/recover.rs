//! Ends what a process that died had begun: every fix is wholly applied or wholly absent afterwards.

use engine_evidence::EntryType;
use engine_project::Root;
use engine_signing::Digest;
use engine_store::{FixRow, FixStatus, FixedFile};

use super::apply::{BESIDE, remove_folders};
use super::history::FixRecord;
use crate::Engine;
use crate::project::ProjectState;

/// Where a file of a fix stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    /// As before the fix.
    Before,
    /// As after it.
    After,
    /// A person has changed it since, or it cannot be read.
    Elsewhere,
}

impl Engine {
    /// Ends the fixes of a project that were begun and not ended. What cannot be ended stays in the journal and is tried again.
    pub(crate) fn end_unfinished_fixes(&self, state: &ProjectState) {
        let Some(store) = state.opened() else { return };
        let rows = match store.unfinished_fixes() {
            Ok(rows) => rows,
            Err(error) => {
                tracing::warn!(%error, "could not read the journal of fixes; the next start tries again");
                return;
            }
        };
        for row in rows {
            self.end_unfinished(state, &row);
        }
    }

    fn end_unfinished(&self, state: &ProjectState, row: &FixRow) {
        let Some(store) = state.store() else { return };
        let root = state.root();
        let stand: Vec<Stands> = row.files.iter().map(|file| stands(root, file)).collect();
        let wanted = if row.status == FixStatus::Applying {
            Stands::After
        } else {
            Stands::Before
        };
        let possible = |to: Stands| {
            row.files
                .iter()
                .zip(&stand)
                .all(|(file, at)| *at == to || (*at != Stands::Elsewhere && content(root, file, to).is_ok()))
        };
        // Where a person changed a file meanwhile, what the fix changed in the others is taken back.
        let to = if possible(wanted) { wanted } else { Stands::Before };
        for (file, at) in row.files.iter().zip(&stand) {
            if *at == Stands::Elsewhere || *at == to {
                continue;
            }
            if let Err(why) = bring(root, file, to) {
                tracing::warn!(
                    fix = row.id,
                    path = file.path,
                    why,
                    "could not end a fix; the next start tries again"
                );
                return;
            }
        }
        if to == Stands::Before {
            for file in &row.files {
                remove_folders(root, &file.folders);
            }
        }
        let record = FixRecord::read(row);
        let (status, kind) = match (row.status, to) {
            (FixStatus::Applying, Stands::After) => (FixStatus::Applied, EntryType::Fix),
            (FixStatus::Applying, _) => (FixStatus::RolledBack, EntryType::Undo),
            _ => (FixStatus::Undone, EntryType::Undo),
        };
        let recorded = self
            .signer()
            .keys()
            .map_err(|failure| failure.details)
            .and_then(|keys| {
                let draft = self.draft(kind, None, record.payload(row.id, Some(row)), Vec::new());
                store
                    .end_fix_recorded(row.id, status, draft, &self.chain_name(), &keys.secret)
                    .map_err(|error| error.to_string())
            });
        match recorded {
            Ok(added) => {
                self.recorded_soon(state, &added);
                let files = row.files.iter().map(|file| file.path.clone()).collect();
                self.tell_fixed(state, row.id, &record, files, status != FixStatus::Applied);
            }
            Err(why) => tracing::warn!(
                fix = row.id,
                why,
                "could not record the end of a fix; the next start tries again"
            ),
        }
    }
}

fn stands(root: &Root, file: &FixedFile) -> Stands {
    match root.present(&file.path) {
        Ok(None) if file.before.is_none() => Stands::Before,
        Ok(Some(present)) => {
            let digest = Digest::of(&present.bytes);
            if digest == file.after {
                Stands::After
            } else if file.before == Some(digest) {
                Stands::Before
            } else {
                Stands::Elsewhere
            }
        }
        _ => Stands::Elsewhere,
    }
}

/// What a file holds where it should stand; nothing where it is gone there.
fn content(root: &Root, file: &FixedFile, to: Stands) -> Result<Option<Vec<u8>>, String> {
    let present = root.present(&file.path).map_err(|error| error.to_string())?;
    let now = present.map(|present| present.bytes).unwrap_or_default();
    let (content, digest) = match to {
        Stands::After => (file.done(&now), Some(&file.after)),
        _ if file.before.is_none() => return Ok(None),
        _ => (file.undone(&now), file.before.as_ref()),
    };
    content
        .filter(|content| digest == Some(&Digest::of(content)))
        .map(Some)
        .ok_or_else(|| "the journal does not fit the file".to_owned())
}

/// Brings a file to where it should stand.
fn bring(root: &Root, file: &FixedFile, to: Stands) -> Result<(), String> {
    let text = |error: engine_project::EditError| error.to_string();
    root.create_folders(&format!("{BESIDE}/x")).map_err(text)?;
    let Some(content) = content(root, file, to)? else {
        return root.remove_file(&file.path).map_err(text);
    };
    root.create_folders(&file.path).map_err(text)?;
    let staged = root.stage(BESIDE, &file.path, &content, file.mode).map_err(text)?;
    staged.put(to == Stands::After && file.before.is_none()).map_err(text)
}
