//! The side of a comparison that lies in a git revision.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine_git::{Revision, RevisionError};
use engine_model::{CacheStats, ErrorCode, Failure, FileInfo, ScanResult, SourceFile, SourceText};
use engine_scanner::{FileFacts, Memory, Settings};
use rayon::prelude::*;

use crate::Engine;
use crate::cache::{Cache, WalkSaid};
use crate::project::ProjectState;
use crate::scan::{ReadFiles, ScanHooks, ended, marks};

impl Engine {
    /// Evaluates a project as it was at a revision, with what people have set aside since and under the same law.
    ///
    /// Files that are in the tree of the revision count as a walk of its checkout would count them: what is left out today
    /// because it is ignored or too long is left out there as well. The project was walked before; what it knows of a
    /// content is not read again.
    pub(crate) fn run_revision(
        &self,
        state: &ProjectState,
        settings: &Settings,
        spec: &str,
        hooks: &ScanHooks<'_>,
    ) -> Result<ScanResult, Failure> {
        let marks = marks(state, hooks)?;
        let folder = state.root().path();
        let revision = Revision::open(folder, spec).map_err(|error| failure(&error, folder))?;
        let cache = state.cache();
        let same = revision.same_in_index(folder);
        let paths: Vec<&str> = revision
            .paths()
            .filter(|path| !engine_project::is_left_out(path) && (cache.holds(path) || !state.root().has_entry(path)))
            .collect();
        let misses = AtomicU64::new(0);
        let bytes_max = engine_project::Limits::default().file_bytes_max;
        let files: Vec<(FileInfo, FileFacts)> = paths
            .par_iter()
            .map_init(
                || revision.reader(),
                |reader, path| {
                    if (hooks.cancel)() {
                        return None;
                    }
                    if let Some(stat) = same.get(*path)
                        && let Some(known) = cache.as_recorded(path, stat.size, stat.modified_ns)
                    {
                        return Some(known);
                    }
                    let file = SourceFile::new(*path, reader.read(path, bytes_max)?);
                    let facts = cache.same_content(&file).unwrap_or_else(|| {
                        misses.fetch_add(1, Ordering::Relaxed);
                        engine_scanner::read(&file)
                    });
                    Some((file.info(), facts))
                },
            )
            .flatten()
            .collect();
        if (hooks.cancel)() {
            return Err(ended());
        }
        revision.check_budget().map_err(|error| failure(&error, folder))?;
        let said = said_of(&cache, &revision);
        let read = ReadFiles {
            files,
            said: &said,
            tree: &RevisionTree(&revision),
            is_stale: &|| false,
            memory: &Memory::default(),
        };
        let now = (self.options.clock.now)();
        let mut result = self.evaluated(state, settings, read, marks, now)?;
        let misses = misses.into_inner();
        result.cache = CacheStats {
            hits: result.files_scanned.saturating_sub(misses),
            misses,
        };
        revision.commit().clone_into(&mut result.id);
        Ok(result)
    }
}

/// What the walk said of files that it did not read, as far as they are part of the revision.
fn said_of(cache: &Arc<Cache>, revision: &Revision) -> WalkSaid {
    cache.walk.as_ref().map_or_else(
        || WalkSaid {
            skipped: Vec::new(),
            ignored_secrets: Vec::new(),
            large: Vec::new(),
        },
        |said| WalkSaid {
            skipped: said.skipped.clone(),
            ignored_secrets: said.ignored_secrets.clone(),
            large: said
                .large
                .iter()
                .filter(|(path, _)| revision.holds(path))
                .cloned()
                .collect(),
        },
    )
}

/// Texts of a revision.
struct RevisionTree<'r>(&'r Revision);

impl SourceText for RevisionTree<'_> {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        let bytes = self
            .0
            .reader()
            .read(path, engine_project::Limits::default().file_bytes_max)?;
        Some(SourceFile::new(path.to_owned(), bytes))
    }
}

fn failure(error: &RevisionError, folder: &Path) -> Failure {
    let code = match error {
        RevisionError::Unknown { .. } => ErrorCode::InvalidRequest,
        RevisionError::NoRepository
        | RevisionError::NoFolder { .. }
        | RevisionError::Missing { .. }
        | RevisionError::Refused { .. }
        | RevisionError::TooLarge { .. } => ErrorCode::Impossible,
    };
    let mut details = error.to_string();
    if matches!(error, RevisionError::Unknown { .. }) {
        let names: Vec<String> = Revision::names(folder).into_iter().take(NAMES_SHOWN).collect();
        if !names.is_empty() {
            details.push_str("; available: ");
            details.push_str(&names.join(", "));
        }
    }
    Failure::new(code, details).field("baseRef")
}

/// Branches and tags that an error names.
const NAMES_SHOWN: usize = 12;
