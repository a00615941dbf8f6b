//! The folder `.compliance` of a project and the plain files in it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;
use thiserror::Error;

/// Name of the state directory inside a project.
pub const STATE_DIR_NAME: &str = ".compliance";

/// A longer file in the state directory is not read.
pub const STATE_FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Temporary files start like this, so that those a killed process left behind are told from the others.
const TEMPORARY_PREFIX: &str = ".tmp-";

/// A temporary file that has not changed for this long belongs to nobody any more.
const TEMPORARY_AGE: Duration = Duration::from_hours(1);

/// Folders below the state directory that are searched for temporary files left behind.
const CLEANED_DEPTH_MAX: usize = 4;

/// Written once; whatever a person makes of it afterwards stays.
const GITIGNORE: &str = "\
# Private parts of the engine's state. Everything else in this folder is meant to be read and kept in git:
# passports/, documents/, reports/, suppressions.toml, baseline.json, config.toml.
*.db
*.db-*
*.db.*
.env
.env.*
.tmp-*
/lock
/tmp/
/cache/
/private/
";

/// Whether the state may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// State is created where it lacks, and written.
    ReadWrite,
    /// Nothing is created or written; state that lacks is empty state.
    ReadOnly,
}

/// The state directory of one project.
#[derive(Clone, Debug)]
pub struct StateDir {
    path: PathBuf,
    mode: Mode,
}

/// Why the state directory cannot be used.
#[derive(Debug, Error)]
pub enum OpenStateError {
    /// The project is not a folder.
    #[error("`{}` is not a folder, so it cannot contain the engine's state", path.display())]
    NoProject {
        /// The project as given.
        path: PathBuf,
    },
    /// `.compliance` is a symbolic link.
    #[error("`{}` is a symbolic link; replace it with a folder. The engine writes only inside the project", path.display())]
    SymbolicLink {
        /// Path of the link.
        path: PathBuf,
    },
    /// `.compliance` is there and is not a folder.
    #[error("`{}` is not a folder; move it away. The engine needs a folder of that name for its state", path.display())]
    NotAFolder {
        /// Path of what is there.
        path: PathBuf,
    },
    /// The state directory may not be created or looked at.
    #[error("no permission to create or open `{}`; grant read and write permission, or start the engine in read-only mode", path.display())]
    NoPermission {
        /// Path of the state directory.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// The disk refused.
    #[error("cannot prepare `{}`", path.display())]
    Io {
        /// Path of the state directory.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

/// Why a file in the state directory cannot be read or written.
#[derive(Debug, Error)]
pub enum StateFileError {
    /// The path would leave the state directory, or is written in a way that not every system understands.
    #[error(
        "`{path}` is not a valid path; write a relative path with plain names between `/`, such as `reports/eval.md`"
    )]
    BadPath {
        /// The path as given.
        path: String,
    },
    /// The path names a file that the engine keeps for itself.
    #[error("`{path}` is one of the engine's own files and cannot be written as a document")]
    Reserved {
        /// The path as given.
        path: String,
    },
    /// A symbolic link stands in the way.
    #[error("`{}` is a symbolic link; replace it with a file or folder. The engine writes only inside its own folder", path.display())]
    SymbolicLink {
        /// Path of the link.
        path: PathBuf,
    },
    /// A folder is needed where a file is, or the other way round.
    #[error("`{}` is a folder instead of a file, or a file instead of a folder; move it elsewhere", path.display())]
    WrongKind {
        /// Path of what is there.
        path: PathBuf,
    },
    /// The file is longer than what is read.
    #[error("`{}` is longer than {STATE_FILE_BYTES_MAX} bytes; shorten it", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
    },
    /// The state was opened for reading only.
    #[error("the state is open in read-only mode; start the engine without it to write")]
    ReadOnly,
    /// The disk refused.
    #[error("cannot access `{}`", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl StateDir {
    /// Opens the state directory of a project, and creates it where it lacks and may be written.
    pub fn open(project_root: &Path, mode: Mode) -> Result<Self, OpenStateError> {
        if !project_root.is_dir() {
            return Err(OpenStateError::NoProject {
                path: project_root.to_path_buf(),
            });
        }
        let path = project_root.join(STATE_DIR_NAME);
        let failed = |source: io::Error| {
            let path = path.clone();
            match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    OpenStateError::NoPermission { path, source }
                }
                _ => OpenStateError::Io { path, source },
            }
        };
        if mode == Mode::ReadWrite {
            match folder_builder(false).create(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
                _ => {}
            }
        }
        match path.symlink_metadata() {
            Ok(metadata) if metadata.file_type().is_symlink() => return Err(OpenStateError::SymbolicLink { path }),
            Ok(metadata) if !metadata.is_dir() => return Err(OpenStateError::NotAFolder { path }),
            Err(error) if error.kind() != io::ErrorKind::NotFound || mode == Mode::ReadWrite => {
                return Err(failed(error));
            }
            _ => {}
        }
        let state = Self {
            path: path.clone(),
            mode,
        };
        if mode == Mode::ReadWrite {
            state.write_gitignore().map_err(failed)?;
            remove_leftovers(&path, CLEANED_DEPTH_MAX);
        }
        Ok(state)
    }

    /// Path of the state directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the state may be changed.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Writes a file as a whole: after a crash, either the former content or the new one is there.
    ///
    /// `path` is relative to the state directory. Folders on the way are created. Files in `private/`, `cache/` and
    /// `tmp/` and the file of keys, `.env`, can be read by their owner only.
    pub fn write_atomic(&self, path: &str, bytes: &[u8]) -> Result<(), StateFileError> {
        self.stage(path, bytes)?.persist()
    }

    /// Writes a file beside its later place, to be put there by [`StagedFile::persist`].
    pub fn stage(&self, path: &str, bytes: &[u8]) -> Result<StagedFile, StateFileError> {
        let target = self.prepare(path)?;
        let failed = |source| StateFileError::Io {
            path: target.clone(),
            source,
        };
        let folder = target.parent().unwrap_or(&self.path);
        let mut file = temporary_file(folder, is_private(path)).map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        Ok(StagedFile { file, target })
    }

    /// Content of a file, or `None` where there is none.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, StateFileError> {
        let target = self.resolve(path)?;
        let failed = |source| StateFileError::Io {
            path: target.clone(),
            source,
        };
        match target.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(StateFileError::WrongKind { path: target }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        let file = match File::open(&target) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        file.take(STATE_FILE_BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > STATE_FILE_BYTES_MAX {
            return Err(StateFileError::TooLarge { path: target });
        }
        Ok(Some(bytes))
    }

    /// Names of the files in a folder, sorted; temporary files, links and folders are left out. An absent folder is empty.
    pub fn list(&self, folder: &str) -> Result<Vec<String>, StateFileError> {
        let target = self.resolve(folder)?;
        let failed = |source| StateFileError::Io {
            path: target.clone(),
            source,
        };
        let entries = match fs::read_dir(&target) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if !name.starts_with(TEMPORARY_PREFIX) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Removes a file; says whether there was one.
    pub fn remove(&self, path: &str) -> Result<bool, StateFileError> {
        if self.mode == Mode::ReadOnly {
            return Err(StateFileError::ReadOnly);
        }
        refuse_reserved(path)?;
        let target = self.resolve(path)?;
        match fs::remove_file(&target) {
            Ok(()) => {
                let synced = sync_folder(target.parent().unwrap_or(&self.path));
                synced.map_err(|source| StateFileError::Io { path: target, source })?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(StateFileError::Io { path: target, source }),
        }
    }

    /// The place of a file that is about to be written, with all folders on the way.
    fn prepare(&self, path: &str) -> Result<PathBuf, StateFileError> {
        if self.mode == Mode::ReadOnly {
            return Err(StateFileError::ReadOnly);
        }
        refuse_reserved(path)?;
        let target = self.resolve(path)?;
        if target.is_dir() {
            return Err(StateFileError::WrongKind { path: target });
        }
        if let Some(folder) = target.parent()
            && !folder.is_dir()
        {
            let created = folder_builder(is_private(path)).recursive(true).create(folder);
            created.map_err(|source| StateFileError::Io {
                path: folder.to_path_buf(),
                source,
            })?;
        }
        Ok(target)
    }

    /// The place of a relative path, none of whose parts is a link, and none but the last anything but a folder.
    fn resolve(&self, path: &str) -> Result<PathBuf, StateFileError> {
        let bad = || StateFileError::BadPath { path: path.to_owned() };
        let mut target = self.path.clone();
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            // A backslash and a colon are ordinary in names here and lead elsewhere on other systems.
            if part.is_empty() || part == "." || part == ".." || part.contains(['\\', ':', '\0']) {
                return Err(bad());
            }
            target.push(part);
            match target.symlink_metadata() {
                Ok(metadata) if metadata.file_type().is_symlink() => {
                    return Err(StateFileError::SymbolicLink { path: target });
                }
                Ok(metadata) if parts.peek().is_some() && !metadata.is_dir() => {
                    return Err(StateFileError::WrongKind { path: target });
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(StateFileError::Io {
                        path: target,
                        source: error,
                    });
                }
                _ => {}
            }
        }
        Ok(target)
    }

    fn write_gitignore(&self) -> io::Result<()> {
        let path = self.path.join(".gitignore");
        // Without following it: also a link that leads nowhere is a person's decision.
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let mut file = temporary_file(&self.path, false)?;
        file.write_all(GITIGNORE.as_bytes())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(&path) {
            Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
            _ => sync_folder(&self.path),
        }
    }
}

/// A file that is written and not yet in its place; dropped, it is gone.
#[derive(Debug)]
pub struct StagedFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl StagedFile {
    /// Puts the file in its place, in one step.
    pub fn persist(self) -> Result<(), StateFileError> {
        let Self { file, target } = self;
        let failed = |source| StateFileError::Io {
            path: target.clone(),
            source,
        };
        file.persist(&target).map_err(|error| failed(error.error))?;
        target.parent().map_or(Ok(()), sync_folder).map_err(failed)
    }
}

/// Opens a file of the engine's own for reading and writing, creates it for its owner only, and refuses links.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Whether a path below the state directory is for its owner's eyes only.
fn is_private(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or("");
    matches!(first, "private" | "cache" | "tmp") || path == ".env" || path.starts_with(".env.")
}

fn refuse_reserved(path: &str) -> Result<(), StateFileError> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let own = path == "lock" || path.starts_with("state.db") || name.starts_with(TEMPORARY_PREFIX);
    if own {
        Err(StateFileError::Reserved { path: path.to_owned() })
    } else {
        Ok(())
    }
}

/// Removes what writers that were killed left behind. Young files are left alone: their writer may be at work.
fn remove_leftovers(folder: &Path, depth: usize) {
    // What cannot be listed or removed does no harm, as every reader passes it over.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && depth > 0 {
            remove_leftovers(&entry.path(), depth - 1);
        } else if metadata.is_file() && entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
            let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok());
            if age.is_some_and(|age| age > TEMPORARY_AGE) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Makes a renamed or removed entry last, where the system knows of such a thing.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

/// A temporary file beside its later place; a private one can be read by its owner only.
fn temporary_file(folder: &Path, private: bool) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(if private { 0o600 } else { 0o644 }));
    }
    #[cfg(not(unix))]
    let _ = private;
    builder.tempfile_in(folder)
}

/// A private folder can be entered by its owner only.
fn folder_builder(private: bool) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(if private { 0o700 } else { 0o755 });
    }
    #[cfg(not(unix))]
    let _ = private;
    builder
}
