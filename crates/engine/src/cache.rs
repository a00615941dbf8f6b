//! What is remembered of the files of a project: their facts, by content and by what the system says of them.
//!
//! In memory it serves the daemon, in the state database the next process. Nothing here is needed: a scan without it gives
//! the same bytes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use engine_model::{FileInfo, Language, SkippedFile, SourceFile, Zone};
use engine_project::{IgnoredFile, Known, LargeFile, Stat, Walked};
use engine_scanner::{FileFacts, LargeFacts, Memory, facts_version};
use engine_store::{FactRow, Store};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A file that was written this shortly before it was looked at may have been written again in the same tick of the
/// clock of its file system; some tick every two seconds.
const RACY_NS: i64 = 2_000_000_000;

/// Entries that one worker makes at once.
const ENTRIES_RUN: usize = 512;

/// The name under which the memory of the joins is kept; no path of a file ends in a slash.
const MEMORY_ROW: &str = "joins/";

/// What is remembered of a project.
#[derive(Default)]
pub(crate) struct Cache {
    /// In the order of the paths.
    files: Arc<Vec<Entry>>,
    /// Files of these that a caller said had changed since the last walk, as they were read then.
    changed: BTreeMap<String, (FileInfo, FileFacts)>,
    /// Joins of the layers.
    pub(crate) memory: Arc<Memory>,
    /// What the last walk said, as long as this process has made one.
    pub(crate) walk: Option<Arc<WalkSaid>>,
}

/// The part of a walk that is not about files that were read.
#[derive(Default)]
pub(crate) struct WalkSaid {
    pub(crate) skipped: Vec<SkippedFile>,
    pub(crate) ignored_secrets: Vec<IgnoredFile>,
    /// What was made of files that are too long to be read whole.
    pub(crate) large: Vec<(String, LargeFacts)>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) info: FileInfo,
    pub(crate) facts: FileFacts,
    /// None where it cannot be trusted.
    stat: Option<Stat>,
}

/// An entry as it is written down.
#[derive(Serialize, Deserialize)]
struct Stored {
    size: u64,
    digest: [u8; 32],
    zone: Zone,
    language: Language,
    stat: Option<[u64; 4]>,
    modified_ns: i64,
    facts: FileFacts,
}

impl Cache {
    /// What the state database remembers. What cannot be read is not there.
    pub(crate) fn load(store: &Store) -> Self {
        let rows = store.facts(&facts_version()).unwrap_or_else(|error| {
            tracing::warn!(%error, "could not read the cache; every file is read again");
            Vec::new()
        });
        let mut out = Self::default();
        let mut files = Vec::new();
        for row in rows {
            if row.path == MEMORY_ROW {
                out.memory = Arc::new(Memory::load(&row.facts));
            } else if let Some(entry) = Entry::of_row(&row) {
                files.push(entry);
            }
        }
        files.sort_unstable_by(|a, b| a.info.path.cmp(&b.info.path));
        out.files = Arc::new(files);
        out
    }

    /// What a walk found, as the next walk needs it. `now_ns` is when the walk began.
    pub(crate) fn of_walk(
        walked: &Walked<FileFacts>,
        large: Vec<LargeFile<LargeFacts>>,
        now_ns: i64,
        memory: Arc<Memory>,
    ) -> Self {
        let files = walked
            .files
            .par_iter()
            .zip(&walked.stats)
            .with_min_len(ENTRIES_RUN)
            .map(|((info, facts), stat)| Entry {
                info: info.clone(),
                facts: facts.clone().settled(),
                stat: stat.filter(|stat| stat.size == info.size && settled(stat, now_ns)),
            });
        Self {
            files: Arc::new(files.collect()),
            changed: BTreeMap::new(),
            memory,
            walk: Some(Arc::new(WalkSaid {
                skipped: walked.skipped.clone(),
                ignored_secrets: walked.ignored_secrets.clone(),
                large: large.into_iter().map(|file| (file.path, file.value)).collect(),
            })),
        }
    }

    fn entry(&self, path: &str) -> Option<&Entry> {
        // A walk asks in the order of the paths, each worker for a run of them: the next one is nearly always the right one.
        thread_local! {
            static NEXT: Cell<usize> = const { Cell::new(0) };
        }
        let at = |at: &usize| self.files.get(*at).is_some_and(|entry| entry.info.path == path);
        let found = Some(NEXT.get()).filter(at).or_else(|| {
            self.files
                .binary_search_by(|entry| entry.info.path.as_str().cmp(path))
                .ok()
        })?;
        NEXT.set(found + 1);
        self.files.get(found)
    }

    /// A file that the system says has not changed.
    pub(crate) fn unchanged(&self, path: &str, stat: &Stat) -> Option<Known<FileFacts>> {
        let entry = self.entry(path)?;
        (entry.stat.as_ref() == Some(stat) && !entry.facts.is_partial()).then(|| Known {
            info: entry.info.clone(),
            value: entry.facts.clone(),
        })
    }

    /// The facts of a file whose content is the same as before; what was not written down of them is read again.
    pub(crate) fn same_content(&self, file: &SourceFile<'_>) -> Option<FileFacts> {
        let known = self.changed.get(&*file.path).map(|(info, facts)| (info, facts));
        let known = known.filter(|(info, _)| info.digest == file.digest);
        let (_, facts) = known.or_else(|| {
            let entry = self.entry(&file.path)?;
            (entry.info.digest == file.digest).then_some((&entry.info, &entry.facts))
        })?;
        Some(facts.clone().completed(file))
    }

    /// The facts of a file of which an index of git recorded the same length and time of change.
    pub(crate) fn as_recorded(&self, path: &str, size: u32, modified_ns: i64) -> Option<(FileInfo, FileFacts)> {
        let entry = self.entry(path)?;
        let stat = entry.stat.as_ref()?;
        // Git keeps the lower half of a length.
        let same = stat.modified_ns == modified_ns && stat.size & u64::from(u32::MAX) == u64::from(size);
        (same && !entry.facts.is_partial()).then(|| (entry.info.clone(), entry.facts.clone()))
    }

    pub(crate) fn holds(&self, path: &str) -> bool {
        self.entry(path).is_some()
    }

    /// The same with these files in place of what is known of them, which is all that a caller says has changed.
    pub(crate) fn with_changed(&self, changed: impl IntoIterator<Item = (FileInfo, FileFacts)>) -> Self {
        let mut out = Self {
            files: Arc::clone(&self.files),
            changed: self.changed.clone(),
            memory: Arc::clone(&self.memory),
            walk: self.walk.clone(),
        };
        out.changed.extend(
            changed
                .into_iter()
                .map(|(info, facts)| (info.path.clone(), (info, facts))),
        );
        out
    }

    /// The paths of the files, in their order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|entry| entry.info.path.as_str())
    }

    /// What is known of the files without their facts, in the order of their paths.
    pub(crate) fn infos(&self) -> impl Iterator<Item = &FileInfo> {
        self.files
            .iter()
            .map(|entry| self.changed.get(&entry.info.path).map_or(&entry.info, |(info, _)| info))
    }

    /// The files in the order of their paths.
    pub(crate) fn all(&self) -> Vec<(FileInfo, FileFacts)> {
        let of = |entry: &Entry| {
            self.changed
                .get(&entry.info.path)
                .cloned()
                .unwrap_or_else(|| (entry.info.clone(), entry.facts.clone()))
        };
        self.files.iter().map(of).collect()
    }

    /// The same without what can be made again from the texts of files that have changed.
    pub(crate) fn settled(mut self) -> Self {
        for (_, facts) in self.changed.values_mut() {
            *facts = facts.clone().settled();
        }
        self
    }

    /// Writes down what differs from `before`.
    pub(crate) fn save(&self, before: &Self, store: &Store) {
        let mut rows: Vec<FactRow> = Vec::new();
        // What may not be written down never was, so it need not be taken out.
        let mut gone: Vec<String> = Vec::new();
        let mut former = before.files.iter().peekable();
        let leave = |known: &Entry, gone: &mut Vec<String>| {
            if known.facts.may_be_stored() {
                gone.push(known.info.path.clone());
            }
        };
        for entry in self.files.iter() {
            let path = entry.info.path.as_str();
            while let Some(known) = former.next_if(|known| known.info.path.as_str() < path) {
                leave(known, &mut gone);
            }
            let known = former.next_if(|known| known.info.path == path);
            if known.is_some_and(|known| known.info == entry.info && known.stat == entry.stat) {
                continue;
            }
            if !entry.facts.may_be_stored() {
                if let Some(known) = known {
                    leave(known, &mut gone);
                }
            } else if let Some(row) = entry.row(path) {
                rows.push(row);
            }
        }
        for known in former {
            leave(known, &mut gone);
        }
        if (!rows.is_empty() || !gone.is_empty())
            && let Some(facts) = self.memory.save()
        {
            rows.push(FactRow {
                path: MEMORY_ROW.to_owned(),
                facts,
            });
        }
        if let Err(error) = store.save_facts(&facts_version(), &rows, &gone) {
            tracing::warn!(%error, "could not write the cache; the next scan reads these files again");
        }
    }
}

impl Entry {
    fn of_row(row: &FactRow) -> Option<Self> {
        let stored: Stored = serde_json::from_slice(&row.facts).ok()?;
        let stat = stored.stat.and_then(|[size, inode, device, changed]| {
            Some(Stat {
                size,
                modified_ns: stored.modified_ns,
                changed_ns: i64::try_from(changed).ok()?,
                inode,
                device,
            })
        });
        Some(Self {
            info: FileInfo {
                path: row.path.clone(),
                size: stored.size,
                digest: stored.digest,
                language: stored.language,
                zone: stored.zone,
            },
            facts: stored.facts,
            stat,
        })
    }

    fn row(&self, path: &str) -> Option<FactRow> {
        let stat = self
            .stat
            .and_then(|stat| Some([stat.size, stat.inode, stat.device, u64::try_from(stat.changed_ns).ok()?]));
        let stored = Stored {
            size: self.info.size,
            digest: self.info.digest,
            zone: self.info.zone,
            language: self.info.language,
            stat,
            modified_ns: self.stat.map_or(0, |stat| stat.modified_ns),
            facts: self.facts.stored(),
        };
        let facts = serde_json::to_string(&stored).ok()?;
        // What no layer took for a secret in its file can be one all the same beside other words.
        if !engine_scanner::may_be_written(&facts) {
            return None;
        }
        Some(FactRow {
            path: path.to_owned(),
            facts: facts.into_bytes(),
        })
    }
}

/// Whether the last change of a file lies far enough back for the next one to show.
fn settled(stat: &Stat, now_ns: i64) -> bool {
    stat.changed_ns.max(stat.modified_ns).saturating_add(RACY_NS) <= now_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_just_written_is_not_told_by_its_times() {
        let stat = Stat {
            size: 1,
            modified_ns: 10_000_000_000,
            changed_ns: 10_000_000_000,
            inode: 1,
            device: 1,
        };
        assert!(
            !settled(&stat, 11_000_000_000),
            "a second later it may have been written again"
        );
        assert!(settled(&stat, 12_000_000_000));
        let future = Stat {
            modified_ns: 99_000_000_000,
            ..stat
        };
        assert!(
            !settled(&future, 50_000_000_000),
            "a time in the future settles nothing"
        );
    }
}
