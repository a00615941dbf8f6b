//! The folder `.compliance` of a project and the plain files in it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use crate::beneath::{Folder, Kind};

/// Name of the state directory inside a project.
pub const STATE_DIR_NAME: &str = ".compliance";

/// A longer file in the state directory is not read.
pub const STATE_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Files of the state directory that are read as a whole with every scan, by their first part, and their most bytes.
const BYTES_MAX: [(&str, u64); 6] = [
    ("config.toml", 256 * 1024),
    (".env", 256 * 1024),
    ("suppressions.toml", 4 * 1024 * 1024),
    ("profile.toml", 4 * 1024 * 1024),
    ("passports/originals", 8 * 1024 * 1024),
    ("passports", 512 * 1024),
];

/// Names in one folder of the state directory; more are not listed.
pub const STATE_NAMES_MAX: usize = 100_000;

/// Attempts to find a name for a temporary file.
const NAME_ATTEMPTS: u32 = 16;

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
    /// The project's folder, as it was when it was opened: what is put in its place later is never written to.
    project: Folder,
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
    /// A folder on the way was moved while the file was written.
    #[error("a folder on the way to `{}` was moved or replaced meanwhile; nothing was written. Put it back and try again", path.display())]
    Moved {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is longer than what is read.
    #[error("`{}` is longer than {bytes_max} bytes, the limit for this file; shorten it", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// The limit.
        bytes_max: u64,
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
        let project = Folder::open(project_root).map_err(failed)?;
        let there = project.entry(STATE_DIR_NAME).map_err(failed)?;
        match there.map(|entry| entry.kind) {
            Some(Kind::Link) => return Err(OpenStateError::SymbolicLink { path }),
            Some(Kind::File | Kind::Special) => return Err(OpenStateError::NotAFolder { path }),
            None if mode == Mode::ReadWrite => project.make(STATE_DIR_NAME, false).map_err(failed)?,
            Some(Kind::Folder) | None => {}
        }
        let state = Self {
            path: path.clone(),
            project,
            mode,
        };
        if mode == Mode::ReadWrite {
            let folder = state.project.enter(STATE_DIR_NAME).map_err(failed)?;
            write_gitignore(&folder).map_err(failed)?;
            remove_leftovers(&folder, CLEANED_DEPTH_MAX);
        }
        Ok(state)
    }

    /// Whether the state has a database.
    pub fn has_database(&self) -> bool {
        let folder = self.project.enter(STATE_DIR_NAME).ok();
        folder.is_some_and(|folder| folder.entry("state.db").is_ok_and(|entry| entry.is_some()))
    }

    /// Opens a file of the engine's own directly in the state directory, and creates it for its owner only.
    pub(crate) fn open_own(&self, name: &str) -> io::Result<File> {
        self.project.enter(STATE_DIR_NAME)?.open_own(name)
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
        if self.mode == Mode::ReadOnly {
            return Err(StateFileError::ReadOnly);
        }
        refuse_reserved(path)?;
        let (folder, name) = self.place(path, true)?;
        let target = self.path.join(path);
        let failed = |source| StateFileError::Io {
            path: target.clone(),
            source,
        };
        match folder.entry(&name).map_err(failed)?.map(|entry| entry.kind) {
            Some(Kind::Link) => return Err(StateFileError::SymbolicLink { path: target }),
            Some(Kind::Folder | Kind::Special) => return Err(StateFileError::WrongKind { path: target }),
            Some(Kind::File) | None => {}
        }
        let (mut file, temporary) = temporary_file(&folder, is_private(path)).map_err(failed)?;
        let staged = StagedFile {
            state: self.clone(),
            folder,
            temporary,
            name,
            path: path.to_owned(),
            done: false,
        };
        file.write_all(bytes).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        Ok(staged)
    }

    /// Writes a file where none is; says whether there was none.
    pub fn write_new(&self, path: &str, bytes: &[u8]) -> Result<bool, StateFileError> {
        self.stage(path, bytes)?.persist_new()
    }

    /// Content of a file, or `None` where there is none.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, StateFileError> {
        let target = self.path.join(path);
        let Some((folder, name)) = self.place_if_there(path)? else {
            return Ok(None);
        };
        let failed = |source| StateFileError::Io {
            path: target.clone(),
            source,
        };
        match folder.entry(&name).map_err(failed)?.map(|entry| entry.kind) {
            None => return Ok(None),
            Some(Kind::File) => {}
            Some(Kind::Link) => return Err(StateFileError::SymbolicLink { path: target }),
            Some(Kind::Folder | Kind::Special) => return Err(StateFileError::WrongKind { path: target }),
        }
        let file = match folder.open_file(&name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // Asked of the open file: another one may have been put in its place.
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(StateFileError::WrongKind { path: target });
        }
        let bytes_max = bytes_max(path);
        if metadata.len() > bytes_max {
            return Err(StateFileError::TooLarge {
                path: target,
                bytes_max,
            });
        }
        let mut bytes = Vec::new();
        file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > bytes_max {
            return Err(StateFileError::TooLarge {
                path: target,
                bytes_max,
            });
        }
        Ok(Some(bytes))
    }

    /// Names of the files in a folder, sorted; temporary files, links and folders are left out. An absent folder is empty.
    pub fn list(&self, folder: &str) -> Result<Vec<String>, StateFileError> {
        let target = self.path.join(folder);
        let failed = |source| StateFileError::Io {
            path: target.clone(),
            source,
        };
        let Some((above, name)) = self.place_if_there(folder)? else {
            return Ok(Vec::new());
        };
        match above.entry(&name).map_err(failed)?.map(|entry| entry.kind) {
            None => return Ok(Vec::new()),
            Some(Kind::Folder) => {}
            Some(Kind::Link) => return Err(StateFileError::SymbolicLink { path: target }),
            Some(Kind::File | Kind::Special) => return Err(StateFileError::WrongKind { path: target }),
        }
        let folder = above.enter(&name).map_err(failed)?;
        let mut names = Vec::new();
        for name in folder.names(STATE_NAMES_MAX).map_err(failed)? {
            let Ok(name) = name.into_string() else { continue };
            let is_file = |name: &str| {
                folder
                    .entry(name)
                    .is_ok_and(|entry| entry.is_some_and(|e| e.kind == Kind::File))
            };
            if !name.starts_with(TEMPORARY_PREFIX) && is_file(&name) {
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
        let failed = |source| StateFileError::Io {
            path: self.path.join(path),
            source,
        };
        let Some((folder, name)) = self.place_if_there(path)? else {
            return Ok(false);
        };
        match folder.remove(&name) {
            Ok(()) => folder.sync().map(|()| true).map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(failed(source)),
        }
    }

    /// The folder of a path and the name in it, where all folders on the way are there.
    fn place_if_there(&self, path: &str) -> Result<Option<(Folder, String)>, StateFileError> {
        match self.place(path, false) {
            Ok(place) => Ok(Some(place)),
            Err(StateFileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The folder of a relative path, opened part by part without following a link, and the name in it.
    fn place(&self, path: &str, create: bool) -> Result<(Folder, String), StateFileError> {
        let bad = || StateFileError::BadPath { path: path.to_owned() };
        let mut parts: Vec<&str> = path.split('/').collect();
        // A backslash and a colon are ordinary in names here and lead elsewhere on other systems.
        if parts
            .iter()
            .any(|part| part.is_empty() || *part == "." || *part == ".." || part.contains(['\\', ':', '\0']))
        {
            return Err(bad());
        }
        let name = parts.pop().ok_or_else(bad)?;
        let mut shown = self.path.clone();
        let mut folder = enter(&self.project, STATE_DIR_NAME, &shown)?;
        for part in parts {
            shown.push(part);
            if create {
                let made = folder.make(part, is_private(path));
                made.map_err(|source| StateFileError::Io {
                    path: shown.clone(),
                    source,
                })?;
            }
            folder = enter(&folder, part, &shown)?;
        }
        Ok((folder, name.to_owned()))
    }
}

/// Opens a folder in a folder, or says what stands there instead.
fn enter(folder: &Folder, name: &str, shown: &Path) -> Result<Folder, StateFileError> {
    folder.enter(name).map_err(|source| {
        let path = shown.to_path_buf();
        match folder.entry(name) {
            Ok(Some(entry)) if entry.kind == Kind::Link => StateFileError::SymbolicLink { path },
            Ok(Some(entry)) if entry.kind != Kind::Folder => StateFileError::WrongKind { path },
            _ => StateFileError::Io { path, source },
        }
    })
}

/// The most bytes of a file.
fn bytes_max(path: &str) -> u64 {
    let within = |name: &str| path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    BYTES_MAX
        .iter()
        .find(|(name, _)| within(name))
        .map_or(STATE_FILE_BYTES_MAX, |(_, most)| *most)
}

fn write_gitignore(folder: &Folder) -> io::Result<()> {
    // Without following it: also a link that leads nowhere is a person's decision.
    if folder.entry(".gitignore")?.is_some() {
        return Ok(());
    }
    let (mut file, temporary) = temporary_file(folder, false)?;
    let written = file.write_all(GITIGNORE.as_bytes()).and_then(|()| file.sync_all());
    let linked = written.and_then(|()| folder.link(&temporary, ".gitignore"));
    folder.remove(&temporary)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => folder.sync(),
    }
}

/// A file that is written and not yet in its place; dropped, it is gone.
#[derive(Debug)]
pub struct StagedFile {
    state: StateDir,
    folder: Folder,
    temporary: String,
    name: String,
    path: String,
    done: bool,
}

impl StagedFile {
    /// Puts the file in its place, in one step.
    pub fn persist(mut self) -> Result<(), StateFileError> {
        self.check_place()?;
        let failed = |source| StateFileError::Io {
            path: self.state.path.join(&self.path),
            source,
        };
        self.folder.rename(&self.temporary, &self.name).map_err(failed)?;
        self.folder.sync().map_err(failed)?;
        self.done = true;
        Ok(())
    }

    /// Puts the file in its place where none is; says whether there was none.
    pub fn persist_new(self) -> Result<bool, StateFileError> {
        self.check_place()?;
        let failed = |source| StateFileError::Io {
            path: self.state.path.join(&self.path),
            source,
        };
        match self.folder.link(&self.temporary, &self.name) {
            Ok(()) => self.folder.sync().map(|()| true).map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// The folder that was opened must still be the one that its path leads to: a folder that was moved elsewhere, with a link in
    /// its place, is written to no more.
    fn check_place(&self) -> Result<(), StateFileError> {
        let (now, _) = self.state.place(&self.path, false)?;
        if now.is(&self.folder) {
            return Ok(());
        }
        Err(StateFileError::Moved {
            path: self.state.path.join(&self.path),
        })
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.done {
            // A name that is left behind is cleaned up with those of killed writers.
            let _ = self.folder.remove(&self.temporary);
        }
    }
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
fn remove_leftovers(folder: &Folder, depth: usize) {
    // What cannot be listed or removed does no harm, as every reader passes it over.
    let Ok(names) = folder.names(STATE_NAMES_MAX) else {
        return;
    };
    for name in names {
        let Some(name) = name.to_str() else { continue };
        let Ok(Some(entry)) = folder.entry(name) else { continue };
        if entry.kind == Kind::Folder && depth > 0 {
            if let Ok(below) = folder.enter(name) {
                remove_leftovers(&below, depth - 1);
            }
        } else if entry.kind == Kind::File && name.starts_with(TEMPORARY_PREFIX) {
            let age = entry.modified.and_then(|modified| modified.elapsed().ok());
            if age.is_some_and(|age| age > TEMPORARY_AGE) {
                let _ = folder.remove(name);
            }
        }
    }
}

/// A temporary file beside its later place, with its name; a private one can be read by its owner only.
fn temporary_file(folder: &Folder, private: bool) -> io::Result<(File, String)> {
    let mut attempt = 1;
    loop {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|_| io::Error::other("the system gives no random numbers"))?;
        let name = format!("{TEMPORARY_PREFIX}{:016x}", u64::from_le_bytes(random));
        match folder.create(&name, private) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < NAME_ATTEMPTS => attempt += 1,
            created => return created.map(|file| (file, name)),
        }
    }
}
