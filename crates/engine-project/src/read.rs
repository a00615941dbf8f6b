//! Reading: the files of a walk go through a reader, window by window.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use engine_model::{FileInfo, Language, SkipReason, SkippedFile, SourceFile, Zone};
use rayon::prelude::*;

use crate::Root;
use crate::disk::{self, Content, RootHandle};
use crate::walk::{self, Planned};

/// Bytes at the start of a file in which generators leave their mark.
const HEAD_BYTES: usize = 600;

/// Files of one window; keeps a window of empty files from holding millions of results apart from the others.
const WINDOW_FILES_MAX: usize = 16_384;

/// Files of which it is asked in one go whether they are known.
const KNOWN_RUN: usize = 256;

/// Limits on what a tree may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A longer file is not read.
    pub file_bytes_max: u64,
    /// Folders below this many others are not entered.
    pub depth_max: usize,
    /// Once the files before it in the order of paths add up to this much, a file is not read.
    pub tree_bytes_max: u64,
    /// Bytes that are held at one time, as far as the lengths told by the listing go.
    pub window_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes_max: 8 * 1024 * 1024,
            depth_max: 256,
            tree_bytes_max: 64 * 1024 * 1024 * 1024,
            window_bytes_max: 128 * 1024 * 1024,
        }
    }
}

/// How a tree is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Limits on what the tree may cost.
    pub limits: Limits,
    /// Whether `.gitignore`, `.ignore`, `.git/info/exclude` and the excludes of the repository's own settings are followed.
    pub follow_ignore: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            follow_ignore: true,
        }
    }
}

/// A file that rules ignore and whose name tells that it holds secrets. It was read only if it holds environment values and no repository
/// is in sight, so that nothing shows that the rules keep it out of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IgnoredFile {
    /// Path relative to the project's root.
    pub path: String,
}

/// What the system says of a file without opening it. Equal before and after, it tells an unchanged file, unless the file
/// was written in the very moment in which it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Length in bytes.
    pub size: u64,
    /// When the content was written last, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// When anything about the file was changed last; no program can set it.
    pub changed_ns: i64,
    /// Number of the file on its device.
    pub inode: u64,
    /// The device.
    pub device: u64,
}

/// A file of which enough is known already.
#[derive(Clone, Debug)]
pub struct Known<T> {
    /// The file as it was read.
    pub info: FileInfo,
    /// What the reader made of it.
    pub value: T,
}

/// What a walk read, and what it did not.
#[derive(Clone, Debug)]
pub struct Walked<T> {
    /// The files that were read, with what the reader made of each, in the order of their paths' bytes.
    pub files: Vec<(FileInfo, T)>,
    /// For each of the files what the system said of it before it was read.
    pub stats: Vec<Option<Stat>>,
    /// Everything that was not read, sorted. The entry of the engine's own state folder stands for all of it but its
    /// `documents`.
    pub skipped: Vec<SkippedFile>,
    /// Ignored files that are named like secrets, sorted; each is also among those skipped.
    pub ignored_secrets: Vec<IgnoredFile>,
    /// Bytes that were read.
    pub bytes: u64,
    /// The canonical path of the root.
    pub root: PathBuf,
    /// Whether the walk was cancelled, so that files are missing without a record.
    pub cancelled: bool,
    pub(crate) handle: Arc<RootHandle>,
}

/// Walks a tree and hands every file to `reader`, in parallel on the current rayon pool.
///
/// The order of calls is not fixed, the order of the result is. `cancel` is asked once per folder and once per file that is read.
pub fn read<T: Send>(
    root: &Root,
    options: &Options,
    cancel: &(dyn Fn() -> bool + Sync),
    reader: &(dyn Fn(&SourceFile<'_>) -> T + Sync),
) -> Walked<T> {
    read_changed(root, options, cancel, &|_, _| None, reader)
}

/// The same without opening the files of which `known` says that they have not changed.
pub fn read_changed<T: Send>(
    root: &Root,
    options: &Options,
    cancel: &(dyn Fn() -> bool + Sync),
    known: &(dyn Fn(&str, &Stat) -> Option<Known<T>> + Sync),
    reader: &(dyn Fn(&SourceFile<'_>) -> T + Sync),
) -> Walked<T> {
    let limits = options.limits;
    let mut found = walk::walk(root, options, cancel);
    let mut skipped = found.skipped;
    found.files.par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
    // The limit is applied to the sorted list, so that the same tree always loses the same files.
    let mut total = 0_u64;
    let within = found
        .files
        .iter()
        .position(|file| {
            total = total.saturating_add(file.size);
            total > limits.tree_bytes_max
        })
        .unwrap_or(found.files.len());
    skipped.extend(found.files.drain(within..).map(|file| SkippedFile {
        path: file.path,
        reason: SkipReason::TreeLimit,
        bytes: Some(file.size),
        directory: false,
    }));

    let mut files = Vec::with_capacity(found.files.len());
    let mut stats = Vec::with_capacity(found.files.len());
    let mut bytes = 0_u64;
    let mut cancelled = found.cancelled;
    // Windows follow one another instead of a semaphore: a reader may use rayon itself, and a worker that waits for
    // room while it holds some would never wake.
    let mut rest = found.files.as_slice();
    while !rest.is_empty() && !cancelled {
        let (window, tail) = rest.split_at(window_length(rest, limits.window_bytes_max));
        rest = tail;
        // What is known costs next to nothing, so it goes in long runs; what is read goes file by file.
        let mut results: Vec<Option<Outcome<T>>> = window
            .par_iter()
            .with_min_len(KNOWN_RUN)
            .map(|planned| {
                let known = known(&planned.path, planned.stat.as_ref()?)?;
                Some(Outcome::Read(known.info, known.value))
            })
            .collect();
        let open: Vec<usize> = (0..window.len()).filter(|at| results[*at].is_none()).collect();
        let read: Vec<_> = open
            .par_iter()
            .with_max_len(1)
            .map(|at| {
                if cancel() {
                    Outcome::Cancelled
                } else {
                    read_one(&root.handle, &window[*at], limits.file_bytes_max, reader)
                }
            })
            .collect();
        for (at, outcome) in open.into_iter().zip(read) {
            results[at] = Some(outcome);
        }
        for (outcome, planned) in results.into_iter().flatten().zip(window) {
            match outcome {
                Outcome::Read(info, value) => {
                    stats.push(planned.stat);
                    bytes = bytes.saturating_add(info.size);
                    files.push((info, value));
                }
                Outcome::Skipped(record) => skipped.push(record),
                Outcome::Cancelled => cancelled = true,
            }
        }
    }
    skipped.sort_unstable();
    found.ignored_secrets.sort_unstable();
    Walked {
        files,
        stats,
        skipped,
        ignored_secrets: found.ignored_secrets,
        bytes,
        root: root.path().to_path_buf(),
        cancelled,
        handle: Arc::clone(&root.handle),
    }
}

/// How many of the files fit into a window; at least one.
fn window_length(files: &[Planned], window_bytes_max: u64) -> usize {
    let mut held = 0_u64;
    let fitting = files.iter().take(WINDOW_FILES_MAX).take_while(|file| {
        held = held.saturating_add(file.size);
        held <= window_bytes_max
    });
    fitting.count().max(1)
}

enum Outcome<T> {
    Read(FileInfo, T),
    Skipped(SkippedFile),
    Cancelled,
}

fn read_one<T>(
    root: &RootHandle,
    planned: &Planned,
    limit: u64,
    reader: &(dyn Fn(&SourceFile<'_>) -> T + Sync),
) -> Outcome<T> {
    let (reason, size) = match disk::read(root, &planned.path, limit) {
        Ok(Content::Whole(bytes)) => {
            let file = source_file(Cow::Borrowed(&planned.path), bytes);
            let value = reader(&file);
            return Outcome::Read(file.info(), value);
        }
        Ok(Content::TooLarge(size)) => (SkipReason::TooLarge, Some(size)),
        Ok(Content::NotRegular) => (SkipReason::NotRegular, None),
        Err(error) => match walk::reason_of(&error) {
            SkipReason::Vanished => (SkipReason::Vanished, None),
            reason => (reason, Some(planned.size)),
        },
    };
    Outcome::Skipped(SkippedFile {
        path: planned.path.clone(),
        reason,
        bytes: size,
        directory: false,
    })
}

/// Reads single files of a tree. `None` stands for a file that is gone, is no plain file, or is too long.
pub fn read_files<T>(
    root: &Root,
    limits: &Limits,
    paths: &[&str],
    reader: &dyn Fn(&SourceFile<'_>) -> T,
) -> Vec<Option<(FileInfo, T)>> {
    paths
        .iter()
        .map(|path| match disk::read(&root.handle, path, limits.file_bytes_max) {
            Ok(Content::Whole(bytes)) => {
                let file = source_file(Cow::Borrowed(path), bytes);
                let value = reader(&file);
                Some((file.info(), value))
            }
            _ => None,
        })
        .collect()
}

/// A source file from its bytes, which are hashed here and nowhere else.
pub(crate) fn source_file(path: Cow<'_, str>, bytes: Vec<u8>) -> SourceFile<'_> {
    let digest = *blake3::hash(&bytes).as_bytes();
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]);
    let zone = Zone::of_path(&path, &head);
    let language = Language::of(&path, &head);
    SourceFile {
        path,
        bytes: Cow::Owned(bytes),
        digest,
        language,
        zone,
    }
}
