//! The files of a revision, read from git objects: without a checkout, without a shell, without the settings of a user.
//!
//! Only objects and references are read. Nothing is written, no filter, hook or helper of the repository is run, and no
//! object is fetched: what is not in the object store is said to be missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gix::ObjectId;
use thiserror::Error;

#[cfg(test)]
mod tests;

/// The longest name of a revision that is looked up.
const SPEC_BYTES_MAX: usize = 256;

/// The files of one commit below a folder.
pub struct Revision {
    repository: gix::ThreadSafeRepository,
    commit: String,
    files: BTreeMap<String, ObjectId>,
}

/// Why a revision cannot be read.
#[derive(Debug, Error)]
pub enum RevisionError {
    /// No repository is found at the folder or above it.
    #[error("the project is not inside a git repository; compare with the last stored scan instead, without `baseRef`")]
    NoRepository,
    /// The name leads to no commit.
    #[error(
        "`{spec}` names no commit in this repository; give an existing branch, tag or commit, and fetch it first if necessary"
    )]
    Unknown {
        /// The name as given.
        spec: String,
    },
    /// The commit does not hold the folder of the project.
    #[error("the project folder does not exist at `{spec}`; there is nothing to compare with")]
    NoFolder {
        /// The name as given.
        spec: String,
    },
    /// Objects of the commit are not in the object store.
    #[error("some objects of `{spec}` are missing (a shallow or partial clone?); fetch it with all its objects")]
    Missing {
        /// The name as given.
        spec: String,
    },
}

/// A file as the index of the repository recorded it when it was last the same as in the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexStat {
    /// Length in bytes; git keeps its lower 32 bits.
    pub size: u32,
    /// Time of the last change, in nanoseconds since 1970.
    pub modified_ns: i64,
}

impl Revision {
    /// Looks up a revision of the repository that a folder lies in.
    pub fn open(folder: &Path, spec: &str) -> Result<Self, RevisionError> {
        let unknown = || RevisionError::Unknown { spec: spec.to_owned() };
        let missing = || RevisionError::Missing { spec: spec.to_owned() };
        if spec.is_empty() || spec.len() > SPEC_BYTES_MAX || spec.chars().any(char::is_control) {
            return Err(unknown());
        }
        let repository = gix::discover_opts(
            folder,
            gix::discover::upwards::Options::default(),
            gix::open::Options::isolated(),
        )
        .map_err(|_| RevisionError::NoRepository)?;
        let top = repository
            .workdir()
            .and_then(|top| top.canonicalize().ok())
            .ok_or(RevisionError::NoRepository)?;
        let below = folder.strip_prefix(&top).map_err(|_| RevisionError::NoRepository)?;
        let commit = repository
            .rev_parse_single(spec)
            .map_err(|_| unknown())?
            .object()
            .map_err(|_| missing())?
            .peel_to_commit()
            .map_err(|_| unknown())?;
        let mut tree = commit.tree().map_err(|_| missing())?;
        if below.components().next().is_some() {
            let entry = tree
                .lookup_entry_by_path(below)
                .map_err(|_| missing())?
                .ok_or_else(|| RevisionError::NoFolder { spec: spec.to_owned() })?;
            tree = entry
                .object()
                .map_err(|_| missing())?
                .try_into_tree()
                .map_err(|_| RevisionError::NoFolder { spec: spec.to_owned() })?;
        }
        let files = tree
            .traverse()
            .breadthfirst
            .files()
            .map_err(|_| missing())?
            .into_iter()
            // Links and other repositories are no files of this one.
            .filter(|entry| entry.mode.is_blob())
            .filter_map(|entry| Some((String::from_utf8(entry.filepath.into()).ok()?, entry.oid)))
            .collect();
        let commit = commit.id.to_string();
        drop(tree);
        Ok(Self {
            repository: repository.clone().into_sync(),
            commit,
            files,
        })
    }

    /// The full id of the commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Paths of the files, relative to the folder, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether the revision holds a file.
    pub fn holds(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// A reader of contents for one thread.
    pub fn reader(&self) -> Reader<'_> {
        Reader {
            repository: self.repository.to_thread_local(),
            revision: self,
        }
    }

    /// Files of which the index says that they were the same as in the revision when it looked at them last, with what the
    /// system said of them then. A file that changed in the tick in which the index was written is not among them.
    pub fn same_in_index(&self, folder: &Path) -> BTreeMap<String, IndexStat> {
        let repository = self.repository.to_thread_local();
        let Some(top) = repository.workdir().and_then(|top| top.canonicalize().ok()) else {
            return BTreeMap::new();
        };
        let (Ok(below), Ok(index)) = (folder.strip_prefix(&top), repository.open_index()) else {
            return BTreeMap::new();
        };
        let Some(below) = below.to_str() else {
            return BTreeMap::new();
        };
        let written = index.timestamp();
        let mut out = BTreeMap::new();
        for entry in index.entries() {
            let Ok(path) = std::str::from_utf8(entry.path(&index)) else {
                continue;
            };
            let path = if below.is_empty() {
                path
            } else {
                match path.strip_prefix(below).and_then(|rest| rest.strip_prefix('/')) {
                    Some(path) => path,
                    None => continue,
                }
            };
            let at = (i64::from(entry.stat.mtime.secs), entry.stat.mtime.nsecs);
            if self.files.get(path) == Some(&entry.id) && at < (written.unix_seconds(), written.nanoseconds()) {
                out.insert(
                    path.to_owned(),
                    IndexStat {
                        size: entry.stat.size,
                        modified_ns: at.0.saturating_mul(1_000_000_000).saturating_add(i64::from(at.1)),
                    },
                );
            }
        }
        out
    }

    /// Names of branches and tags, sorted, for an error that says what there is.
    pub fn names(folder: &Path) -> BTreeSet<String> {
        let Ok(repository) = gix::discover_opts(
            folder,
            gix::discover::upwards::Options::default(),
            gix::open::Options::isolated(),
        ) else {
            return BTreeSet::new();
        };
        let Ok(references) = repository.references() else {
            return BTreeSet::new();
        };
        let Ok(all) = references.all() else {
            return BTreeSet::new();
        };
        all.filter_map(Result::ok)
            .map(|reference| reference.name().shorten().to_string())
            .collect()
    }
}

/// Reads contents of a revision in one thread.
pub struct Reader<'r> {
    repository: gix::Repository,
    revision: &'r Revision,
}

impl Reader<'_> {
    /// The content of a file as it was committed; `None` where there is none, where it is longer than `bytes_max`, or
    /// where its object is missing.
    pub fn read(&self, path: &str, bytes_max: u64) -> Option<Vec<u8>> {
        let id = *self.revision.files.get(path)?;
        let header = self.repository.find_header(id).ok()?;
        if header.size() > bytes_max {
            return None;
        }
        let mut object = self.repository.find_object(id).ok()?;
        Some(std::mem::take(&mut object.data))
    }
}
