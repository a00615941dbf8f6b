//! What is kept of all projects in the user's data directory: the signing key, the keys that are trusted, and the heads of
//! chains that were seen. Whoever can write to a project cannot write here.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use engine_evidence::Remembered;
use engine_signing::{Checkpoint, Digest, KeyError, PublicKey, Rotation, RotationError, SecretKey, Trust};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zeroize::Zeroizing;

/// Bytes of a file in the directory; keys and heads have a few hundred.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Heads kept of one project, the newest last. Older ones tell where an old copy left the road.
const HEADS_MAX: usize = 32;

const KEY_FILE: &str = "signing-key.pem";
const TRUST_FILE: &str = "trust.json";
const HEADS_FOLDER: &str = "heads";

/// The first head that was seen of each project, apart from the others: who takes those away does not make the project
/// look as if it had never been seen.
const FIRST_FOLDER: &str = "first-heads";

/// Why the user's data directory cannot be used.
#[derive(Debug, Error)]
pub enum UserDirError {
    /// The key file holds no key.
    #[error("no signing key found in `{}`; restore it from a backup. Evidence that it signed depends on it", path.display())]
    Key {
        /// Its path.
        path: PathBuf,
        /// Why.
        #[source]
        source: KeyError,
    },
    /// Others can read the key.
    #[error("other users can read `{}` (mode {mode:o}); run `chmod 600` on it", path.display())]
    Open {
        /// Its path.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A file holds something else.
    #[error("could not read `{}`; move it away to start with a new one", path.display())]
    Form {
        /// Its path.
        path: PathBuf,
    },
    /// A pipe, a device or a folder stands in the place of a file.
    #[error("`{}` is not a plain file; replace it with one. Pipes and devices are not read", path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// A key exists already and is never overwritten.
    #[error("`{}` exists already; a key is never overwritten", path.display())]
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// The system has no random numbers.
    #[error("the operating system provides no random numbers for a key")]
    Random,
    /// The rotation does not count.
    #[error(transparent)]
    Rotation(#[from] RotationError),
    /// The disk refused.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

/// The user's data directory.
#[derive(Debug)]
pub struct UserDir {
    path: PathBuf,
    /// One change of a file at a time.
    pub(crate) guard: Mutex<()>,
}

/// The key that signs, and the keys that count.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The key that signs.
    pub secret: SecretKey,
    /// The keys that count.
    pub trust: Trust,
}

/// The heads that were seen of one project.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Heads {
    version: u32,
    /// Where the project lies, for a person who looks at the file.
    project: String,
    /// Signed heads, the newest last.
    notes: Vec<String>,
}

/// A signing key counts where it signs.
fn together(secret: SecretKey, mut trust: Trust, given: bool) -> Keys {
    let origin = if given {
        "given by the environment"
    } else {
        "made on this machine"
    };
    trust.pin(secret.public(), origin);
    Keys { secret, trust }
}

impl UserDir {
    /// The directory at a path; it is made when something is first kept in it.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            guard: Mutex::new(()),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The key that signs and the keys that count. A key that was handed over, as in a pipeline, is used and not kept;
    /// else the key of the file is used, which is made where there is none.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn keys(&self, given: Option<&SecretKey>) -> Result<Keys, UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let trust = self.read_trust()?;
        let secret = match given {
            Some(key) => key.clone(),
            None => match self.read_key()? {
                Some(key) => key,
                None => self.make_key()?,
            },
        };
        Ok(together(secret, trust, given.is_some()))
    }

    /// The same where nothing may be written: none where there is no key yet.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn keys_there(&self, given: Option<&SecretKey>) -> Result<Option<Keys>, UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let trust = self.read_trust()?;
        let secret = match given {
            Some(key) => Some(key.clone()),
            None => self.read_key()?,
        };
        Ok(secret.map(|secret| together(secret, trust, given.is_some())))
    }

    /// The keys that people trust here.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn trust(&self) -> Result<Trust, UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        self.read_trust()
    }

    /// Trusts a key that a person compared with its owner.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn pin(&self, key: PublicKey, origin: &str) -> Result<Trust, UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut trust = self.read_trust()?;
        trust.pin(key, origin);
        self.write_trust(&trust)?;
        Ok(trust)
    }

    /// Makes a new key that takes over from the one of the file. The old one is kept beside it under its name, so that
    /// nothing that it signed is orphaned; the statement is signed by both.
    ///
    /// # Errors
    ///
    /// [`UserDirError`]; the old key is still in use then.
    pub fn rotate(&self, at: &str, reason: &str) -> Result<(Keys, Rotation), UserDirError> {
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let old = match self.read_key()? {
            Some(key) => key,
            None => self.make_key()?,
        };
        let new = fresh_key()?;
        let rotation = Rotation::sign(&old, &new, at, reason)?;
        let mut trust = self.read_trust()?;
        trust.pin(old.public(), "made on this machine");
        trust.follow(&rotation)?;
        // Trust first: a crash in between leaves an old key that is trusted and in use, and a new one that nobody has.
        self.write_trust(&trust)?;
        let current = self.path.join(KEY_FILE);
        let retired = self.path.join(format!("retired-{}.pem", old.public().id()));
        let next = self.path.join(format!("next-{}.pem", new.public().id()));
        self.write_key(&next, &new)?;
        self.copy_key(&retired, &old)?;
        fs::rename(&next, &current).map_err(|source| UserDirError::Io { path: current, source })?;
        Ok((Keys { secret: new, trust }, rotation))
    }

    /// Heads that were seen of a project, the oldest first.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn remembered(&self, project: &Path) -> Result<Vec<Remembered>, UserDirError> {
        let notes = self.notes(project)?;
        Ok(notes.iter().filter_map(|note| Remembered::from_note(note)).collect())
    }

    /// The signed heads that were seen of a project, as they are kept, the oldest first.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn notes(&self, project: &Path) -> Result<Vec<String>, UserDirError> {
        let mut notes = Self::read_heads(&self.heads_file(FIRST_FOLDER, project))?.notes;
        let later = Self::read_heads(&self.heads_file(HEADS_FOLDER, project))?.notes;
        notes.retain(|note| !later.contains(note));
        notes.extend(later);
        Ok(notes)
    }

    /// Whether heads that were seen of a project are no longer kept with the others, as where somebody took them away.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn heads_are_gone(&self, project: &Path) -> Result<bool, UserDirError> {
        let first = Self::read_heads(&self.heads_file(FIRST_FOLDER, project))?;
        let later = Self::read_heads(&self.heads_file(HEADS_FOLDER, project))?;
        // Thinning out leaves the first where it is.
        Ok(first.notes.iter().any(|note| !later.notes.contains(note)))
    }

    /// All heads that were seen of any project, for a package that comes from elsewhere; what cannot be read is left out.
    pub fn all_notes(&self) -> Vec<String> {
        let mut paths: Vec<PathBuf> = [FIRST_FOLDER, HEADS_FOLDER]
            .iter()
            .filter_map(|folder| fs::read_dir(self.path.join(folder)).ok())
            .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
            .collect();
        paths.sort();
        paths
            .iter()
            .filter_map(|path| serde_json::from_slice::<Heads>(&Self::read(path).ok()??).ok())
            .flat_map(|heads| heads.notes)
            .collect()
    }

    /// Remembers a head, unless a longer one of the same chain is remembered.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn remember(&self, project: &Path, note: &str) -> Result<(), UserDirError> {
        let Some(head) = Remembered::from_note(note) else {
            return Ok(());
        };
        let _alone = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.heads_file(HEADS_FOLDER, project);
        let mut kept = Self::read_heads(&path)?;
        let newest = kept
            .notes
            .iter()
            .filter_map(|note| Checkpoint::parse(note).ok())
            .next_back();
        let same_chain = |origin: &str| Remembered::from_note(note).is_some_and(|head| origin.ends_with(&head.chain));
        if newest.is_some_and(|newest| same_chain(&newest.origin) && newest.size >= head.size) {
            return Ok(());
        }
        kept.version = 1;
        kept.project = project.display().to_string();
        kept.notes.push(note.to_owned());
        thin(&mut kept.notes);
        let first = self.heads_file(FIRST_FOLDER, project);
        if !first.exists() {
            let only = Heads {
                version: 1,
                project: kept.project.clone(),
                notes: kept.notes.iter().take(1).cloned().collect(),
            };
            self.write_heads(&first, &only)?;
        }
        self.write_heads(&path, &kept)
    }

    /// Forgets a project, as when a person starts its chain anew on purpose.
    ///
    /// # Errors
    ///
    /// [`UserDirError`].
    pub fn forget(&self, project: &Path) -> Result<(), UserDirError> {
        for folder in [HEADS_FOLDER, FIRST_FOLDER] {
            let path = self.heads_file(folder, project);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(UserDirError::Io { path, source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn heads_file(&self, folder: &str, project: &Path) -> PathBuf {
        let name = Digest::of(project.as_os_str().as_encoded_bytes()).to_string();
        self.path.join(folder).join(format!("{}.json", &name[..32]))
    }

    fn read_heads(path: &Path) -> Result<Heads, UserDirError> {
        match Self::read(path)? {
            None => Ok(Heads::default()),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|_| UserDirError::Form {
                path: path.to_path_buf(),
            }),
        }
    }

    fn write_heads(&self, path: &Path, heads: &Heads) -> Result<(), UserDirError> {
        let text = serde_json::to_vec_pretty(heads).map_err(|_| UserDirError::Form {
            path: path.to_path_buf(),
        })?;
        self.write(path, &text)
    }

    fn read_trust(&self) -> Result<Trust, UserDirError> {
        let path = self.path.join(TRUST_FILE);
        match Self::read(&path)? {
            None => Ok(Trust::default()),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|_| UserDirError::Form { path }),
        }
    }

    fn write_trust(&self, trust: &Trust) -> Result<(), UserDirError> {
        let path = self.path.join(TRUST_FILE);
        let text = serde_json::to_vec_pretty(trust).map_err(|_| UserDirError::Form { path: path.clone() })?;
        self.write(&path, &text)
    }

    fn read_key(&self) -> Result<Option<SecretKey>, UserDirError> {
        let path = self.path.join(KEY_FILE);
        let Some(bytes) = Self::read(&path)?.map(Zeroizing::new) else {
            return Ok(None);
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let metadata = path.symlink_metadata();
            let mode = metadata.map(|metadata| metadata.permissions().mode() & 0o777);
            if let Ok(mode) = mode
                && mode & 0o077 != 0
            {
                return Err(UserDirError::Open { path, mode });
            }
        }
        let key = std::str::from_utf8(&bytes)
            .map_err(|_| KeyError::Form)
            .and_then(SecretKey::parse);
        key.map(Some).map_err(|source| UserDirError::Key { path, source })
    }

    fn make_key(&self) -> Result<SecretKey, UserDirError> {
        let key = fresh_key()?;
        match self.write_key(&self.path.join(KEY_FILE), &key) {
            Ok(()) => Ok(key),
            // Another process made one at the same moment: there is one key, and that is it.
            Err(UserDirError::Exists { path }) => self.read_key()?.ok_or(UserDirError::Exists { path }),
            Err(error) => Err(error),
        }
    }

    fn copy_key(&self, path: &Path, key: &SecretKey) -> Result<(), UserDirError> {
        match self.write_key(path, key) {
            Err(UserDirError::Exists { .. }) => Ok(()),
            result => result,
        }
    }

    /// Writes a key where none is. It becomes visible as a whole or not at all.
    fn write_key(&self, path: &Path, key: &SecretKey) -> Result<(), UserDirError> {
        let failed = |source| UserDirError::Io {
            path: path.to_path_buf(),
            source,
        };
        Self::make_folder(&self.path)?;
        let pem = key.to_pem().map_err(|source| UserDirError::Key {
            path: path.to_path_buf(),
            source,
        })?;
        let mut file = tempfile::Builder::new()
            .prefix(".tmp-")
            .tempfile_in(&self.path)
            .map_err(failed)?;
        file.write_all(pem.as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(UserDirError::Exists {
                path: path.to_path_buf(),
            }),
            Err(error) => Err(failed(error.error)),
        }
    }

    fn make_folder(path: &Path) -> Result<(), UserDirError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt;
            builder.mode(0o700);
        }
        builder.create(path).map_err(|source| UserDirError::Io {
            path: path.to_path_buf(),
            source,
        })
    }

    pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, UserDirError> {
        let failed = |source| UserDirError::Io {
            path: path.to_path_buf(),
            source,
        };
        let mut options = OpenOptions::new();
        options.read(true);
        // A pipe would wait for its other end.
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.custom_flags(i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0));
        }
        let file = match options.open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(UserDirError::NotAFile {
                path: path.to_path_buf(),
            });
        }
        if metadata.len() > FILE_BYTES_MAX {
            return Err(UserDirError::Form {
                path: path.to_path_buf(),
            });
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(bytes))
    }

    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), UserDirError> {
        let failed = |source| UserDirError::Io {
            path: path.to_path_buf(),
            source,
        };
        let folder = path.parent().unwrap_or(&self.path);
        Self::make_folder(folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(".tmp-")
            .tempfile_in(folder)
            .map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

/// Keeps the newest heads, and of the older ones every other, so that a short list reaches far back.
fn thin(heads: &mut Vec<String>) {
    if heads.len() <= HEADS_MAX {
        return;
    }
    let half = HEADS_MAX / 2;
    let mut index = 0;
    heads.retain(|_| {
        index += 1;
        index > half || index % 2 == 1
    });
}

fn fresh_key() -> Result<SecretKey, UserDirError> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut_slice()).map_err(|_| UserDirError::Random)?;
    Ok(SecretKey::from_seed(&seed))
}
