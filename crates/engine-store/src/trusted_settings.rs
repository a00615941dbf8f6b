//! Files of settings that a person has looked at and trusts, by digest: a changed file is another file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;

use engine_signing::Digest;
use serde::{Deserialize, Serialize};

use crate::UserDir;
use crate::user_dir::UserDirError;

/// The file in the user's data directory.
const FILE: &str = "trusted-settings.json";

/// Files that are remembered; the oldest decision is forgotten first.
const FILES_MAX: usize = 2000;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trusted {
    version: u32,
    /// By the path of the file.
    files: BTreeMap<String, Decision>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// The BLAKE3 digest of the content.
    digest: String,
    /// When, as RFC 3339.
    at: String,
}

impl UserDir {
    /// Whether a person trusts a file with this content.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn trusts_settings(&self, file: &Path, digest: &Digest) -> Result<bool, UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let trusted = self.trusted()?;
        Ok(trusted
            .files
            .get(&name(file))
            .is_some_and(|decision| decision.digest == digest.to_string()))
    }

    /// Remembers that a person trusts a file with this content.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn trust_settings(&self, file: &Path, digest: &Digest, at: &str) -> Result<(), UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut trusted = self.trusted()?;
        let decision = Decision {
            digest: digest.to_string(),
            at: at.to_owned(),
        };
        trusted.files.insert(name(file), decision);
        while trusted.files.len() > FILES_MAX {
            let oldest = trusted.files.iter().min_by(|a, b| a.1.at.cmp(&b.1.at));
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else {
                break;
            };
            trusted.files.remove(&oldest);
        }
        self.keep_trusted(trusted)
    }

    /// Forgets a file; says whether it was remembered.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn distrust_settings(&self, file: &Path) -> Result<bool, UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut trusted = self.trusted()?;
        let known = trusted.files.remove(&name(file)).is_some();
        if known {
            self.keep_trusted(trusted)?;
        }
        Ok(known)
    }

    fn trusted(&self) -> Result<Trusted, UserDirError> {
        let path = self.path().join(FILE);
        match Self::read(&path)? {
            None => Ok(Trusted::default()),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|_| UserDirError::Form { path }),
        }
    }

    fn keep_trusted(&self, mut trusted: Trusted) -> Result<(), UserDirError> {
        trusted.version = 1;
        let path = self.path().join(FILE);
        let text = serde_json::to_vec_pretty(&trusted).map_err(|_| UserDirError::Form { path: path.clone() })?;
        self.write(&path, &text)
    }
}

fn name(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_belongs_to_a_path_and_a_content() {
        let folder = tempfile::tempdir().unwrap();
        let user = UserDir::new(folder.path());
        let file = Path::new("/projects/desk/.compliance/.env");
        let (first, second) = (Digest::of(b"one"), Digest::of(b"two"));
        assert!(!user.trusts_settings(file, &first).unwrap());
        user.trust_settings(file, &first, "2026-11-29T00:00:00Z").unwrap();
        let again = UserDir::new(folder.path());
        assert!(again.trusts_settings(file, &first).unwrap());
        assert!(!again.trusts_settings(file, &second).unwrap());
        assert!(
            !again
                .trusts_settings(Path::new("/other/.compliance/.env"), &first)
                .unwrap()
        );
        assert!(again.distrust_settings(file).unwrap() && !again.distrust_settings(file).unwrap());
        assert!(!again.trusts_settings(file, &first).unwrap());
    }
}
