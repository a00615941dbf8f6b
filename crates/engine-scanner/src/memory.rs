//! What an evaluation remembers for the next one of the same project.
//!
//! Facts of files are joined anew only where files that a layer looked at have changed. Nothing that depends on the law,
//! a date or an answer is remembered.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine_model::{Document, FileInfo};
use engine_scan_code::Remembered;
use engine_scan_dependencies::Joined;

/// Joins of the layers with what they were made from. Evaluations of one project share it.
#[derive(Debug, Default)]
pub struct Memory {
    code: Mutex<Option<Remembered>>,
    documents: Mutex<Option<([u8; 32], Vec<Document>)>>,
    dependencies: Mutex<Option<([u8; 32], Joined)>>,
}

impl Memory {
    /// The memory as text, without what holds values of manifests.
    pub fn save(&self) -> Option<Vec<u8>> {
        let code = locked(&self.code);
        let text = code.as_ref().and_then(|code| serde_json::to_string(code).ok())?;
        // A name in code can be a key that somebody put in the wrong place.
        (crate::mask_secrets(&text) == text).then(|| text.into_bytes())
    }

    /// The memory that was saved; anything else gives an empty one.
    pub fn load(saved: &[u8]) -> Self {
        Self {
            code: Mutex::new(serde_json::from_slice(saved).ok()),
            ..Self::default()
        }
    }

    pub(crate) fn code(&self) -> MutexGuard<'_, Option<Remembered>> {
        locked(&self.code)
    }

    pub(crate) fn documents<F>(&self, files: &[(FileInfo, F)], join: impl FnOnce() -> Vec<Document>) -> Vec<Document> {
        again(&self.documents, files, join)
    }

    pub(crate) fn dependencies<F>(&self, files: &[(FileInfo, F)], join: impl FnOnce() -> Joined) -> Joined {
        again(&self.dependencies, files, join)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A join that depends on nothing but the paths, the parts and the contents of its files.
fn again<F, T: Clone>(kept: &Mutex<Option<([u8; 32], T)>>, files: &[(FileInfo, F)], join: impl FnOnce() -> T) -> T {
    let mut hasher = blake3::Hasher::new();
    for (info, _) in files {
        hasher.update(&(info.path.len() as u64).to_le_bytes());
        hasher.update(info.path.as_bytes());
        hasher.update(&[info.zone as u8]);
        hasher.update(&info.digest);
    }
    let key = *hasher.finalize().as_bytes();
    if let Some((known, joined)) = &*locked(kept)
        && *known == key
    {
        return joined.clone();
    }
    let joined = join();
    *locked(kept) = Some((key, joined.clone()));
    joined
}
