//! Files that are too long to be read whole, by ranges.

use std::fs::File;

use engine_model::{ReadAt, SkipReason, SkippedFile};
use rayon::prelude::*;

use crate::disk;
use crate::{Root, Walked};

/// An open file that gives ranges of its content.
#[derive(Debug)]
struct Ranges {
    file: File,
    length: u64,
}

impl ReadAt for Ranges {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&self.file, buffer, offset);
        read.unwrap_or(0)
    }
}

/// What was made of one file by its ranges.
#[derive(Clone, Debug)]
pub struct LargeFile<T> {
    /// Path relative to the project's root.
    pub path: String,
    /// What the reader made of it.
    pub value: T,
}

/// Offers the files that a walk left out for their length to a reader, which may look at ranges of them. What it makes
/// something of is no longer counted as skipped.
///
/// A file is opened as in the walk: below the root, through no symbolic link, without waiting for anyone.
pub fn read_large<F, T: Send>(
    walked: &mut Walked<F>,
    cancel: &(dyn Fn() -> bool + Sync),
    reader: &(dyn Fn(&str, &dyn ReadAt) -> Option<T> + Sync),
) -> Vec<LargeFile<T>> {
    let handle = walked.handle.as_ref();
    let skipped: Vec<SkippedFile> = std::mem::take(&mut walked.skipped);
    let results: Vec<(SkippedFile, Option<T>)> = skipped
        .into_par_iter()
        .map(|skipped| {
            if skipped.reason != SkipReason::TooLarge || skipped.directory || cancel() {
                return (skipped, None);
            }
            let value = open(handle, &skipped.path).and_then(|file| reader(&skipped.path, &file));
            (skipped, value)
        })
        .collect();
    let mut large = Vec::new();
    for (skipped, value) in results {
        match value {
            Some(value) => large.push(LargeFile {
                path: skipped.path,
                value,
            }),
            None => walked.skipped.push(skipped),
        }
    }
    large
}

/// A file of a tree, opened as in the walk, whatever its length. `None` where it is gone or is no plain file.
pub fn ranges(root: &Root, path: &str) -> Option<Box<dyn ReadAt>> {
    Some(Box::new(open(&root.handle, path)?))
}

fn open(root: &disk::RootHandle, path: &str) -> Option<Ranges> {
    let file = disk::open_file(root, path).ok()?;
    let metadata = file.metadata().ok()?;
    metadata.is_file().then(|| Ranges {
        length: metadata.len(),
        file,
    })
}
