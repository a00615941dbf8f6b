//! The files of a revision, read from git objects: without a checkout, without a shell, without the settings of a user.
//!
//! Only objects and references are read. Nothing is written, no filter, hook or helper of the repository is run, and no
//! object is fetched: what is not in the object store is said to be missing.
//!
//! A repository is foreign input. Only the project's own `.git` is opened, after every entry of it was looked at, and the
//! work on trees and contents has a budget: a few kilobytes of trees that name each other can stand for 2^40 files.

#![expect(clippy::disallowed_methods, reason = "this crate owns the reading of git folders")]

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use thiserror::Error;

mod place;

#[cfg(test)]
mod tests;

/// The longest name of a revision that is looked up.
const SPEC_BYTES_MAX: usize = 256;

/// Bytes that the reader of objects may ask for at once; a longer object is missing.
const OBJECT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Bytes of objects that are kept while a revision is read.
const OBJECT_CACHE_BYTES: usize = 4 * 1024 * 1024;

/// Trees of one revision that are read.
const TREES_MAX: usize = 200_000;

/// Files of one revision.
const FILES_MAX: usize = 500_000;

/// Folders inside each other in a revision.
const DEPTH_MAX: usize = 256;

/// Bytes of the paths of one revision together.
const PATH_BYTES_MAX: usize = 96 * 1024 * 1024;

/// Bytes of contents of one revision that are read: the same object can stand in a tree any number of times.
const CONTENT_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// References that an error lists.
const NAMES_MAX: usize = 1_000;

/// The files of one commit below a folder.
pub struct Revision {
    repository: gix::ThreadSafeRepository,
    commit: String,
    files: BTreeMap<String, ObjectId>,
    /// Bytes of contents that were read so far.
    read: AtomicU64,
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
    /// The repository has files or settings that are not opened.
    #[error("the git repository of this project cannot be read safely: {what}")]
    Refused {
        /// What stands in the way.
        what: String,
    },
    /// The revision is larger than what is read.
    #[error("`{spec}` is too large to compare with: {what}")]
    TooLarge {
        /// The name as given.
        spec: String,
        /// The limit that was passed.
        what: String,
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
        guarded(|| Self::open_checked(folder, spec))
    }

    fn open_checked(folder: &Path, spec: &str) -> Result<Self, RevisionError> {
        let unknown = || RevisionError::Unknown { spec: spec.to_owned() };
        let missing = || RevisionError::Missing { spec: spec.to_owned() };
        if spec.len() > SPEC_BYTES_MAX || !is_name(spec) {
            return Err(unknown());
        }
        let (repository, below) = repository(folder)?;
        let commit = repository
            .rev_parse_single(spec)
            .map_err(|_| unknown())?
            .object()
            .map_err(|_| missing())?
            .peel_to_commit()
            .map_err(|_| unknown())?;
        let mut tree = commit.tree_id().map_err(|_| missing())?.detach();
        for part in &below {
            let entries = entries(&repository, tree).ok_or_else(missing)?;
            let found = entries.into_iter().find(|(name, ..)| name == part);
            tree = found
                .and_then(|(_, kind, id)| (kind == EntryKind::Tree).then_some(id))
                .ok_or_else(|| RevisionError::NoFolder { spec: spec.to_owned() })?;
        }
        let files = files_of(&repository, tree, spec)?;
        let id = commit.id.to_string();
        drop(commit);
        Ok(Self {
            repository: repository.into_sync(),
            commit: id,
            files,
            read: AtomicU64::new(0),
        })
    }

    /// Fails where more was asked for than the budget of one revision: a comparison would miss files without a word.
    ///
    /// # Errors
    ///
    /// [`RevisionError::TooLarge`].
    pub fn check_budget(&self) -> Result<(), RevisionError> {
        if self.read.load(Ordering::Relaxed) > CONTENT_BYTES_MAX {
            return Err(RevisionError::TooLarge {
                spec: self.commit.clone(),
                what: format!("its files have more than {CONTENT_BYTES_MAX} bytes"),
            });
        }
        Ok(())
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
        catch_unwind(AssertUnwindSafe(|| self.same_recorded(folder))).unwrap_or_default()
    }

    fn same_recorded(&self, folder: &Path) -> BTreeMap<String, IndexStat> {
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
        let names = guarded(|| {
            let (repository, _) = repository(folder)?;
            let Ok(references) = repository.references() else {
                return Ok(BTreeSet::new());
            };
            let Ok(all) = references.all() else {
                return Ok(BTreeSet::new());
            };
            Ok(all
                .take(NAMES_MAX)
                .filter_map(Result::ok)
                .map(|reference| reference.name().shorten().to_string())
                .collect())
        });
        names.unwrap_or_default()
    }
}

/// The library that reads repositories should not panic on foreign bytes. Where it does, the repository is refused.
fn guarded<T>(work: impl FnOnce() -> Result<T, RevisionError>) -> Result<T, RevisionError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(place::refused(
            "its files are damaged; run `git fsck` to find the cause",
        ))
    })
}

/// Whether a text is looked up at all. Searches in messages would walk the whole history, and hooks are never opened.
fn is_name(spec: &str) -> bool {
    !spec.is_empty()
        && !spec.chars().any(char::is_control)
        && !spec.contains(":/")
        && !spec.contains("{/")
        && !spec.starts_with("hooks/")
}

/// Opens the repository of a folder, with the parts of the path from its top to the folder.
fn repository(folder: &Path) -> Result<(gix::Repository, Vec<String>), RevisionError> {
    let place = place::find(folder)?;
    let options =
        gix::open::Options::isolated().config_overrides([format!("gitoxide.objects.allocLimit={OBJECT_BYTES_MAX}")]);
    let mut repository = gix::open_opts(place.dot_git, options).map_err(|_| RevisionError::NoRepository)?;
    // The same tree may stand in many places.
    repository.object_cache_size(OBJECT_CACHE_BYTES);
    let top = repository
        .workdir()
        .and_then(|top| top.canonicalize().ok())
        .ok_or(RevisionError::NoRepository)?;
    // A setting may move the working tree. It must still be the folder that holds `.git`.
    if place.top.canonicalize().ok().as_ref() != Some(&top) {
        return Err(RevisionError::NoRepository);
    }
    let below = folder.strip_prefix(&top).map_err(|_| RevisionError::NoRepository)?;
    let below = below
        .components()
        .map(|part| part.as_os_str().to_str().map(str::to_owned))
        .collect::<Option<Vec<_>>>()
        .ok_or(RevisionError::NoRepository)?;
    Ok((repository, below))
}

/// The entries of a tree, each with its name, kind and object; `None` where it is missing, damaged or too long.
fn entries(repository: &gix::Repository, tree: ObjectId) -> Option<Vec<(String, EntryKind, ObjectId)>> {
    let header = repository.find_header(tree).ok()?;
    if header.kind() != gix::object::Kind::Tree || header.size() > OBJECT_BYTES_MAX {
        return None;
    }
    let object = repository.find_object(tree).ok()?.try_into_tree().ok()?;
    let mut out = Vec::new();
    for entry in object.iter() {
        let entry = entry.ok()?;
        // A name that is not UTF-8 is none that a walk could give back.
        if let Ok(name) = std::str::from_utf8(entry.filename()) {
            out.push((name.to_owned(), entry.mode().kind(), entry.object_id()));
        }
    }
    Some(out)
}

/// Every file of a tree with its path, within the budget of one revision.
fn files_of(
    repository: &gix::Repository,
    tree: ObjectId,
    spec: &str,
) -> Result<BTreeMap<String, ObjectId>, RevisionError> {
    let too_large = |what: String| RevisionError::TooLarge {
        spec: spec.to_owned(),
        what,
    };
    let mut files = BTreeMap::new();
    let mut folders = vec![(String::new(), tree, 0_usize)];
    let (mut trees, mut bytes) = (0_usize, 0_usize);
    while let Some((path, tree, depth)) = folders.pop() {
        trees += 1;
        if trees > TREES_MAX {
            return Err(too_large(format!("it has more than {TREES_MAX} folders")));
        }
        if depth > DEPTH_MAX {
            return Err(too_large(format!(
                "it has more than {DEPTH_MAX} folders inside each other"
            )));
        }
        let entries = entries(repository, tree).ok_or_else(|| RevisionError::Missing { spec: spec.to_owned() })?;
        for (name, kind, id) in entries {
            let path = if path.is_empty() {
                name
            } else {
                format!("{path}/{name}")
            };
            bytes += path.len();
            if bytes > PATH_BYTES_MAX {
                return Err(too_large(format!("its paths have more than {PATH_BYTES_MAX} bytes")));
            }
            match kind {
                EntryKind::Tree => folders.push((path, id, depth + 1)),
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    files.insert(path, id);
                    if files.len() > FILES_MAX {
                        return Err(too_large(format!("it has more than {FILES_MAX} files")));
                    }
                }
                // Links and other repositories are no files of this one.
                EntryKind::Link | EntryKind::Commit => {}
            }
        }
    }
    Ok(files)
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
        catch_unwind(AssertUnwindSafe(|| {
            let header = self.repository.find_header(id).ok()?;
            if header.kind() != gix::object::Kind::Blob || header.size() > bytes_max {
                return None;
            }
            let before = self.revision.read.fetch_add(header.size(), Ordering::Relaxed);
            if before.saturating_add(header.size()) > CONTENT_BYTES_MAX {
                return None;
            }
            let mut object = self.repository.find_object(id).ok()?;
            Some(std::mem::take(&mut object.data))
        }))
        .ok()
        .flatten()
    }
}
