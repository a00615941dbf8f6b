//! What an evaluation remembers for the next one of the same project.
//!
//! Facts of files are joined anew only where files that a layer looked at have changed. Nothing that depends on the law,
//! a date or an answer is remembered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine_model::{Document, Ecosystem, FileInfo, McpServer, Package};
use engine_scan_code::{Changes, ManifestNames, Modules, Remembered};
use engine_scan_dependencies::{Joined, ManifestRecord};

use crate::context::Quotes;

/// Joins of the layers with what they were made from. Evaluations of one project share it.
#[derive(Debug, Default)]
pub struct Memory {
    code: Mutex<Option<Arc<Remembered>>>,
    /// What has changed in it since it was saved.
    unsaved: Mutex<Changes>,
    modules: Arc<Modules>,
    documents: Mutex<Option<([u8; 32], Vec<Document>)>>,
    dependencies: Mutex<Option<([u8; 32], Arc<Dependencies>)>>,
    quotes: Arc<Quotes>,
}

/// What manifests and lockfiles say together.
#[derive(Debug)]
pub(crate) struct Dependencies {
    pub(crate) packages: Arc<Vec<Package>>,
    pub(crate) manifests: Vec<ManifestRecord>,
    pub(crate) mcp_servers: Vec<McpServer>,
    /// The names of the packages as code imports them.
    pub(crate) names: ManifestNames,
}

impl Dependencies {
    pub(crate) fn of(joined: Joined) -> Self {
        let names = joined.packages.iter().map(|package| match package.ecosystem {
            // What a channel of conda serves, Python code imports.
            Ecosystem::Conda => (Ecosystem::PyPI, package.name.clone()),
            ecosystem => (ecosystem, package.name.clone()),
        });
        Self {
            names: names.collect(),
            packages: Arc::new(joined.packages),
            manifests: joined.manifests,
            mcp_servers: joined.mcp_servers,
        }
    }
}

impl Memory {
    /// The memory as text, without what holds values of manifests. None where that would be of little use to the next process: nothing was
    /// joined anew since it was saved last, and only few files have other digests, which are looked at again then.
    pub fn save(&self) -> Option<Vec<u8>> {
        /// Files that may be looked at again by the next process.
        const NOTED_MAX: usize = 32;
        let Changes { joined, noted } = *locked(&self.unsaved);
        if joined == 0 && noted <= NOTED_MAX {
            return None;
        }
        *locked(&self.unsaved) = Changes::default();
        // Held on to and not locked: an evaluation that wants it meanwhile does not wait.
        let code = locked(&self.code).clone()?;
        let text = serde_json::to_string(&*code).ok()?;
        drop(code);
        // A name in code can be a key that somebody put in the wrong place.
        may_be_written(&text).then(|| text.into_bytes())
    }

    /// The memory that was saved; anything else gives an empty one.
    pub fn load(saved: &[u8]) -> Self {
        Self {
            code: Mutex::new(serde_json::from_slice(saved).ok().map(Arc::new)),
            ..Self::default()
        }
    }

    /// Sets how many bytes of lowered code may be held for the next evaluation, roughly; without it none are.
    pub fn hold(&self, bytes: usize) {
        self.modules.hold(bytes);
    }

    pub(crate) fn modules(&self) -> &Modules {
        &self.modules
    }

    pub(crate) fn quotes(&self) -> &Quotes {
        &self.quotes
    }

    /// A memory that begins with what this one holds. Evaluations with it leave this one as it is, and share lowered code and
    /// quotes with it.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            code: Mutex::new(locked(&self.code).clone()),
            unsaved: Mutex::default(),
            modules: Arc::clone(&self.modules),
            documents: Mutex::new(locked(&self.documents).clone()),
            dependencies: Mutex::new(locked(&self.dependencies).clone()),
            quotes: Arc::clone(&self.quotes),
        }
    }

    /// Takes over what a fork has joined since: what it was evaluated with is the project now.
    pub fn adopt(&self, fork: &Self) {
        let code = locked(&fork.code).clone();
        if code.is_none() {
            return;
        }
        *locked(&self.code) = code;
        let joined = *locked(&fork.unsaved);
        let mut unsaved = locked(&self.unsaved);
        unsaved.joined += joined.joined;
        unsaved.noted += joined.noted;
        drop(unsaved);
        let documents = locked(&fork.documents).clone();
        *locked(&self.documents) = documents;
        let dependencies = locked(&fork.dependencies).clone();
        *locked(&self.dependencies) = dependencies;
    }

    /// Takes the joins of code out.
    pub(crate) fn take_code(&self) -> Option<Arc<Remembered>> {
        locked(&self.code).take()
    }

    /// Keeps the joins of code for the next evaluation.
    pub(crate) fn keep_code(&self, code: Remembered, changes: Changes) {
        let mut unsaved = locked(&self.unsaved);
        unsaved.joined += changes.joined;
        unsaved.noted += changes.noted;
        drop(unsaved);
        *locked(&self.code) = Some(Arc::new(code));
    }

    pub(crate) fn documents<F>(&self, files: &[(FileInfo, F)], join: impl FnOnce() -> Vec<Document>) -> Vec<Document> {
        again(&self.documents, files, join)
    }

    pub(crate) fn dependencies<F>(&self, files: &[(FileInfo, F)], join: impl FnOnce() -> Joined) -> Arc<Dependencies> {
        again(&self.dependencies, files, || Arc::new(Dependencies::of(join())))
    }
}

/// Whether nothing in what is to be remembered looks like a secret.
///
/// Digests of prompts look like one and are none: they are left out of the question where they stand under their name.
pub fn may_be_written(json: &str) -> bool {
    let mut asked = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('"') {
        let (before, after) = rest.split_at(at + 1);
        asked.push_str(before);
        rest = after;
        for (mark, hex) in DIGESTS {
            if let Some(digest) = after.strip_prefix(mark)
                && let Some(end) = digest.get(*hex..)
                && end.starts_with('"')
                && digest.as_bytes()[..*hex].iter().all(u8::is_ascii_hexdigit)
            {
                rest = end;
                break;
            }
        }
    }
    asked.push_str(rest);
    crate::mask_secrets(&asked) == asked
}

/// How digests begin, and how many hexadecimal digits they have.
const DIGESTS: &[(&str, usize)] = &[
    ("digest\":\"", 64),
    ("sha1:", 40),
    ("sha256:", 64),
    ("sha384:", 96),
    ("sha512:", 128),
    ("h1:", 64),
    ("md5:", 32),
];

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

#[cfg(test)]
mod tests {
    use super::may_be_written;

    #[test]
    fn prompt_digest_is_no_secret_but_key_is() {
        let digest = blake3::hash(b"You are a helpful assistant.").to_hex();
        assert!(may_be_written(&format!(
            r#"{{"line":1,"digest":"{digest}","name":"SYSTEM"}}"#
        )));
        assert!(!may_be_written(&format!(r#"{{"line":1,"name":"{digest}"}}"#)));
        let key = format!("sk-{}", "abcD1234efGH5678ijKL");
        assert!(!may_be_written(&format!(r#"{{"digest":"{key}"}}"#)));
    }
}
