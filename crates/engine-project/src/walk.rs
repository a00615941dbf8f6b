//! The walk: folder by folder, in parallel and in no order.
//!
//! Folders wait in the queue of the workers and not on a stack, so that the walk is free of recursion, however deep a hostile tree nests.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine_model::{SkipReason, SkippedFile};
use rayon::Scope;

use crate::disk::{self, Kind, RootHandle};
use crate::folder::{self, CACHE_TAG, Names, ParentMarks};
use crate::ignore_rules::{GitKind, RuleFiles, RuleMemo, Rules, Verdict};
use crate::read::{IgnoredFile, Options, Stat};
use crate::{Root, is_secret_name};

/// A longer `CACHEDIR.TAG` is something else.
const CACHE_TAG_BYTES_MAX: u64 = 64 * 1024;

/// A file that is to be read.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) path: String,
    /// Length in bytes when its folder was listed.
    pub(crate) size: u64,
    /// What tells a changed file without reading it.
    pub(crate) stat: Option<Stat>,
}

/// What one walk came upon; unsorted.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<Planned>,
    pub(crate) skipped: Vec<SkippedFile>,
    pub(crate) ignored_secrets: Vec<IgnoredFile>,
    pub(crate) cancelled: bool,
}

/// A folder that is still to be listed.
struct Pending {
    /// Path from the root; empty for the root itself.
    path: String,
    rules: Rules,
    marks: ParentMarks,
    /// Folders between the root and the entries.
    depth: usize,
    /// Whether rules ignore the folder, so that only what git tracks in it is read. Its record stands for the rest.
    tracked_only: bool,
}

pub(crate) fn walk(root: &Root, options: &Options, cancel: &(dyn Fn() -> bool + Sync)) -> Found {
    let walk = Walk {
        lister: Lister {
            root: &root.handle,
            root_path: root.path(),
            memo: &root.rules,
            options,
        },
        cancel,
        found: Mutex::default(),
    };
    rayon::scope(|scope| {
        walk.folder(
            scope,
            &Pending {
                path: String::new(),
                rules: Rules::default(),
                marks: ParentMarks::default(),
                depth: 0,
                tracked_only: false,
            },
        );
    });
    walk.found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A walk that is under way.
struct Walk<'a> {
    lister: Lister<'a>,
    cancel: &'a (dyn Fn() -> bool + Sync),
    found: Mutex<Found>,
}

impl Walk<'_> {
    /// Lists one folder; those in it wait their turn in the queue of the workers.
    fn folder<'s>(&'s self, scope: &Scope<'s>, pending: &Pending) {
        if (self.cancel)() {
            self.found().cancelled = true;
            return;
        }
        let (part, folders) = self.lister.list(pending);
        for folder in folders {
            scope.spawn(move |scope| self.folder(scope, &folder));
        }
        let mut found = self.found();
        found.files.extend(part.files);
        found.skipped.extend(part.skipped);
        found.ignored_secrets.extend(part.ignored_secrets);
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lists one folder and decides on each of its entries.
struct Lister<'a> {
    root: &'a RootHandle,
    root_path: &'a Path,
    memo: &'a RuleMemo,
    options: &'a Options,
}

impl Lister<'_> {
    fn list(&self, pending: &Pending) -> (Found, Vec<Pending>) {
        let mut found = Found::default();
        let mut folders = Vec::new();
        let skip_folder = |reason| SkippedFile {
            path: pending.path.clone(),
            reason,
            bytes: None,
            directory: true,
        };
        let listing = match disk::list(self.root, &pending.path) {
            Ok(listing) => listing,
            Err(error) => {
                found.skipped.push(skip_folder(reason_of(&error)));
                return (found, folders);
            }
        };
        if !listing.complete {
            found.skipped.push(skip_folder(SkipReason::Unreadable));
        }
        let names = Names::of(&listing.entries);
        let is_root = pending.path.is_empty();
        let name = pending.path.rsplit('/').next().unwrap_or("");
        if !is_root {
            let mut reason = folder::by_content(name, &names, pending.marks);
            if reason.is_none() && names.file("CACHEDIR.TAG") && self.is_cache(&pending.path) {
                reason = Some(SkipReason::BuildOutput);
            }
            if let Some(reason) = reason {
                // One record stands for the folder, also where its listing broke off.
                found.skipped.clear();
                found.skipped.push(skip_folder(reason));
                return (found, folders);
            }
        }
        let rules = if self.options.follow_ignore {
            let files = RuleFiles {
                gitignore: names.file(".gitignore"),
                ignore: names.file(".ignore"),
                repository: if names.folder(".git") {
                    Some(GitKind::Folder)
                } else {
                    names.file(".git").then_some(GitKind::File)
                },
            };
            if files.gitignore || files.ignore || files.repository.is_some() {
                pending
                    .rules
                    .enter(self.root, self.root_path, self.memo, &pending.path, files)
            } else {
                pending.rules.clone()
            }
        } else {
            Rules::default()
        };
        let marks = ParentMarks::of(name, &names, pending.marks);
        for entry in &listing.entries {
            let Some(name) = entry.name.to_str() else {
                found.skipped.push(SkippedFile {
                    path: below(&pending.path, &entry.name.to_string_lossy()),
                    reason: SkipReason::NameEncoding,
                    bytes: (entry.kind == Kind::File).then_some(entry.size),
                    directory: entry.kind == Kind::Folder,
                });
                continue;
            };
            let path = below(&pending.path, name);
            let is_folder = entry.kind == Kind::Folder;
            if pending.tracked_only {
                let tracked = if is_folder {
                    rules.tracks_within(self.root, &path)
                } else {
                    rules.tracks(self.root, &path)
                };
                if !tracked {
                    continue;
                }
            }
            let verdict = rules.verdict(&path, is_folder);
            if is_folder {
                let skipped = |path, reason| SkippedFile {
                    path,
                    reason,
                    bytes: None,
                    directory: true,
                };
                let ignored = pending.tracked_only || verdict == Verdict::Ignored;
                let enters = ignored
                    && folder::by_name(name, &names, Verdict::Silent).is_none()
                    && pending.depth < self.options.limits.depth_max
                    && rules.tracks_within(self.root, &path);
                if enters {
                    // Another repository is tracked as a whole, and its own rules hold in it.
                    let whole = rules.tracks(self.root, &path);
                    if !whole && !pending.tracked_only {
                        found.skipped.push(skipped(path.clone(), SkipReason::Ignored));
                    }
                    folders.push(Pending {
                        path,
                        rules: rules.clone(),
                        marks,
                        depth: pending.depth + 1,
                        tracked_only: !whole,
                    });
                } else if let Some(reason) = folder::by_name(name, &names, verdict) {
                    if reason == SkipReason::EngineState {
                        // The drafts in the state folder are a person's documents and count whether git keeps them
                        // or not; the rest of the folder is the engine's own.
                        folders.extend(self.documents(&path, pending.depth));
                    }
                    found.skipped.push(skipped(path, reason));
                } else if verdict == Verdict::Ignored {
                    let reason = self.reason_of_ignored(&path);
                    found.skipped.push(skipped(path, reason));
                } else if pending.depth >= self.options.limits.depth_max {
                    found.skipped.push(skipped(path, SkipReason::TooDeep));
                } else {
                    folders.push(Pending {
                        path,
                        rules: rules.clone(),
                        marks,
                        depth: pending.depth + 1,
                        tracked_only: false,
                    });
                }
                continue;
            }
            let reason = if name == ".git" {
                // In a submodule or a second work tree, `.git` is a file that says where the data is.
                Some(SkipReason::VersionControl)
            } else if verdict == Verdict::Ignored
                && !folder::is_lockfile(name, &names)
                && !rules.tracks(self.root, &path)
            {
                if is_secret_name(name) {
                    found.ignored_secrets.push(IgnoredFile { path: path.clone() });
                }
                // Where no repository is in sight, nothing keeps the file out of one: an archive holds what was committed.
                let open = is_environment(name) && !rules.in_repository() && entry.kind == Kind::File;
                (!open).then_some(SkipReason::Ignored)
            } else {
                match entry.kind {
                    Kind::Link => Some(SkipReason::SymbolicLink),
                    Kind::Special => Some(SkipReason::NotRegular),
                    _ if entry.size > self.options.limits.file_bytes_max => Some(SkipReason::TooLarge),
                    _ => None,
                }
            };
            match reason {
                Some(reason) => {
                    let bytes = (entry.kind == Kind::File).then_some(entry.size);
                    found.skipped.push(SkippedFile {
                        path,
                        reason,
                        bytes,
                        directory: false,
                    });
                }
                None => found.files.push(Planned {
                    path,
                    size: entry.size,
                    stat: entry.stat,
                }),
            }
        }
        (found, folders)
    }

    /// The folder of drafts inside a state folder, if there is one.
    fn documents(&self, state: &str, depth: usize) -> Option<Pending> {
        let listing = disk::list(self.root, state).ok()?;
        let there = Names::of(&listing.entries).folder("documents");
        // The state folder is one level above, so the depth of the drafts is counted one too low: by intent, as a tree
        // at the limit keeps its documents.
        there.then(|| Pending {
            path: below(state, "documents"),
            rules: Rules::default(),
            marks: ParentMarks::default(),
            depth: depth + 1,
            tracked_only: false,
        })
    }

    /// Why a folder that rules ignore is one; it is not listed for that, as it may hold millions of entries.
    fn reason_of_ignored(&self, folder: &str) -> SkipReason {
        if disk::open_file(self.root, &below(folder, "pyvenv.cfg")).is_ok() {
            SkipReason::VirtualEnvironment
        } else if self.is_cache(folder) {
            SkipReason::BuildOutput
        } else {
            SkipReason::Ignored
        }
    }

    fn is_cache(&self, folder: &str) -> bool {
        let tag = disk::read(self.root, &below(folder, "CACHEDIR.TAG"), CACHE_TAG_BYTES_MAX);
        matches!(tag, Ok(disk::Content::Whole(bytes)) if bytes.starts_with(CACHE_TAG))
    }
}

/// The reason behind an error of the disk.
pub(crate) fn reason_of(error: &std::io::Error) -> SkipReason {
    match error.kind() {
        // A part of the path that is no folder any more has been replaced, so what it held is gone.
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => SkipReason::Vanished,
        _ if disk::is_link_error(error) => SkipReason::SymbolicLink,
        _ => SkipReason::Unreadable,
    }
}

/// Whether a file holds environment values, by its name.
fn is_environment(name: &str) -> bool {
    name == ".env" || name.starts_with(".env.") || name.strip_suffix(".env").is_some_and(|stem| !stem.is_empty())
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        [folder, "/", name].concat()
    }
}
