//! A tree on disk that gives the text of its files again after a walk.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine_model::{FileInfo, SourceFile, SourceText};

use crate::disk::{self, Content, RootHandle};
use crate::read::source_file;
use crate::{Root, Walked};

/// The files that a walk has read, to be read again one by one.
///
/// Only paths of the walk are known, no symbolic link is followed below the root, and a file whose content is no longer
/// the one that the walk saw is not given.
#[derive(Clone, Debug)]
pub struct Tree {
    handle: Arc<RootHandle>,
    recorded: BTreeMap<String, Recorded>,
    /// Whether a file was asked for whose content is another by now.
    stale: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
struct Recorded {
    size: u64,
    digest: [u8; 32],
}

impl Tree {
    /// The tree that a walk has read.
    pub fn new<T>(walked: &Walked<T>) -> Self {
        Self::recorded(Arc::clone(&walked.handle), walked.files.iter().map(|(info, _)| info))
    }

    /// The tree below a root, as far as its files are known from before.
    pub fn of<'a>(root: &Root, files: impl Iterator<Item = &'a FileInfo>) -> Self {
        Self::recorded(Arc::clone(&root.handle), files)
    }

    fn recorded<'a>(handle: Arc<RootHandle>, files: impl Iterator<Item = &'a FileInfo>) -> Self {
        let recorded = files.map(|info| {
            let recorded = Recorded {
                size: info.size,
                digest: info.digest,
            };
            (info.path.clone(), recorded)
        });
        Self {
            handle,
            recorded: recorded.collect(),
            stale: Arc::default(),
        }
    }

    /// Whether a file was asked for that is gone or has changed since it was recorded, and was therefore not given.
    pub fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    fn unchanged(&self, path: &str) -> Option<SourceFile<'_>> {
        let (path, recorded) = self.recorded.get_key_value(path)?;
        // A file that has grown has changed, so no more than its former length is worth reading.
        let file = match disk::read(&self.handle, path, recorded.size) {
            Ok(Content::Whole(bytes)) => Some(source_file(Cow::Borrowed(path), bytes)),
            _ => None,
        };
        let file = file.filter(|file| file.digest == recorded.digest);
        if file.is_none() {
            self.stale.store(true, Ordering::Relaxed);
        }
        file
    }
}

impl<T> From<&Walked<T>> for Tree {
    fn from(walked: &Walked<T>) -> Self {
        Self::new(walked)
    }
}

impl SourceText for Tree {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        self.unchanged(path)
    }
}
