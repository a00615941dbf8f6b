//! The folder that a walk starts from, and why a path may not be one.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::disk::{self, RootHandle};
use crate::ignore_rules::RuleMemo;

/// A folder that exists, can be listed, and whose path is absolute and free of symbolic links.
#[derive(Clone, Debug)]
pub struct Root {
    path: PathBuf,
    pub(crate) handle: Arc<RootHandle>,
    /// What earlier walks made of files with rules.
    pub(crate) rules: Arc<RuleMemo>,
}

impl Root {
    /// Whether something of any kind lies at a path below the folder.
    pub fn has_entry(&self, path: &str) -> bool {
        self.path.join(path).symlink_metadata().is_ok()
    }

    /// Whether the path still leads to the folder that was opened, and not to another one that was put in its place.
    pub fn is_in_place(&self) -> bool {
        self.handle.is_at(&self.path)
    }

    /// The canonical path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Why a path cannot be walked as a project.
#[derive(Debug, Error)]
pub enum OpenProjectError {
    /// Nothing is at the path.
    #[error("no folder found at `{}`; check the spelling or give an absolute path", path.display())]
    NotFound {
        /// The path as given.
        path: PathBuf,
    },
    /// Something other than a folder is at the path.
    #[error("`{}` is not a folder; give the folder that contains the project", path.display())]
    NotADirectory {
        /// The path as given.
        path: PathBuf,
    },
    /// The path leads through a circle of symbolic links, or is not a path at all.
    #[error("`{}` does not lead to a folder; check its symbolic links and length", path.display())]
    Unresolvable {
        /// The path as given.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// The folder is there but may not be listed.
    #[error("cannot read the folder `{}`; check its permissions for the user that runs the engine", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

/// Opens a folder as the root of a project; its path is made canonical.
pub fn open(path: &Path) -> Result<Root, OpenProjectError> {
    let failed = |source: io::Error| {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound => OpenProjectError::NotFound { path },
            io::ErrorKind::NotADirectory => OpenProjectError::NotADirectory { path },
            io::ErrorKind::PermissionDenied => OpenProjectError::Unreadable { path, source },
            _ => OpenProjectError::Unresolvable { path, source },
        }
    };
    let canonical = path.canonicalize().map_err(failed)?;
    if !canonical.metadata().map_err(failed)?.is_dir() {
        return Err(OpenProjectError::NotADirectory {
            path: path.to_path_buf(),
        });
    }
    let unreadable = |source| OpenProjectError::Unreadable {
        path: path.to_path_buf(),
        source,
    };
    let handle = RootHandle::open(&canonical).map_err(unreadable)?;
    disk::list(&handle, "").map_err(unreadable)?;
    Ok(Root {
        path: canonical,
        handle: Arc::new(handle),
        rules: Arc::default(),
    })
}
