//! Changes of files below a root: look at one, put a new content in its place in one step, remove one.
//!
//! No symbolic link is followed below the root, so that a link that is put in place while a fix is applied cannot lead out of the
//! project. A new content is written and synced beside the tree first; a full disk is known before anything has changed.

use std::io;

use thiserror::Error;

use crate::Root;

/// Bytes beyond which a file is not changed.
pub(crate) const EDITED_BYTES_MAX: u64 = 8 << 20;

/// Names of files that are being written begin like this. They lie in a folder of the state directory.
const STAGED_PREFIX: &str = ".tmp-fix-";

/// A file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permissions, as the system numbers them.
    pub mode: u32,
}

/// Why a file cannot be changed.
#[derive(Debug, Error)]
pub enum EditError {
    /// The path leaves the project or is not written as a relative path.
    #[error("`{path}` is not a path inside the project")]
    Outside {
        /// The path.
        path: String,
    },
    /// A symbolic link stands in the way.
    #[error("`{path}` is a symbolic link or lies behind one; change the file that it leads to instead")]
    Link {
        /// The path.
        path: String,
    },
    /// Something other than a file.
    #[error("`{path}` is not a regular file")]
    NotAFile {
        /// The path.
        path: String,
    },
    /// The owner has taken away the right to write.
    #[error("`{path}` is read-only; allow writing (`chmod u+w`) and try again")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// Other names lead to the same file, and a new file would cut them off.
    #[error("`{path}` has other hard links, which a new file would cut off; change it by hand")]
    HardLinks {
        /// The path.
        path: String,
    },
    /// It is too large.
    #[error("`{path}` is larger than 8 MiB")]
    TooLarge {
        /// The path.
        path: String,
    },
    /// A file is there that was to be created.
    #[error("`{path}` exists already")]
    Exists {
        /// The path.
        path: String,
    },
    /// No space is left.
    #[error("the disk is full; `{path}` was not changed")]
    DiskFull {
        /// The path.
        path: String,
    },
    /// The system refused.
    #[error("cannot change `{path}`: {source}")]
    Io {
        /// The path.
        path: String,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

/// A content that is written and synced, and not yet in its place. Dropped, it is gone.
#[derive(Debug)]
pub struct Staged {
    inner: platform::Staged,
}

impl Root {
    /// A file below the root, with the checks that a change needs: it is a regular file with one name that its owner may write.
    /// `None` where nothing is at the path.
    ///
    /// # Errors
    ///
    /// Why the file cannot be changed.
    pub fn present(&self, path: &str) -> Result<Option<Present>, EditError> {
        platform::present(self, checked(path)?)
    }

    /// Writes a content beside the tree, in the folder `beside` of the root, which must be there.
    ///
    /// # Errors
    ///
    /// Why it cannot be written.
    pub fn stage(&self, beside: &str, path: &str, bytes: &[u8], mode: Option<u32>) -> Result<Staged, EditError> {
        Ok(Staged {
            inner: platform::stage(self, checked(beside)?, checked(path)?, bytes, mode)?,
        })
    }

    /// Creates the folders on the way to a path, and says which ones it created, the outermost first.
    ///
    /// # Errors
    ///
    /// Why a folder cannot be created.
    pub fn create_folders(&self, path: &str) -> Result<Vec<String>, EditError> {
        platform::create_folders(self, checked(path)?)
    }

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// Why it cannot be removed.
    pub fn remove_file(&self, path: &str) -> Result<(), EditError> {
        platform::remove(self, checked(path)?, false)
    }

    /// Removes a folder if it is empty; otherwise it stays.
    pub fn remove_empty_folder(&self, path: &str) {
        if let Ok(path) = checked(path) {
            let _ = platform::remove(self, path, true);
        }
    }
}

impl Staged {
    /// Puts the content in its place in one step. With `new`, nothing may be there.
    ///
    /// # Errors
    ///
    /// Why it cannot be put there; nothing has changed then.
    pub fn put(self, new: bool) -> Result<(), EditError> {
        self.inner.put(new)
    }
}

fn checked(path: &str) -> Result<&str, EditError> {
    let bad = path.is_empty()
        || path.contains(['\\', '\0'])
        || path
            .split('/')
            .any(|part| part.is_empty() || part == "." || part == "..");
    // The state of the engine and of git are never changed as files of a project.
    let own = path.split('/').next().is_some_and(|first| first == ".git");
    if bad || own {
        return Err(EditError::Outside { path: path.to_owned() });
    }
    Ok(path)
}

fn failed(path: &str, source: io::Error) -> EditError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            EditError::DiskFull { path }
        }
        io::ErrorKind::AlreadyExists => EditError::Exists { path },
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => EditError::ReadOnly { path },
        _ if crate::disk::is_link_error(&source) => EditError::Link { path },
        _ => EditError::Io { path, source },
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io::{self, Read, Write};
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::MetadataExt;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
    use rustix::io::Errno;

    use super::{EDITED_BYTES_MAX, EditError, Present, Root, STAGED_PREFIX, failed};

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOFOLLOW);

    #[derive(Debug)]
    pub(super) struct Staged {
        folder: Arc<OwnedFd>,
        name: String,
        to: OwnedFd,
        to_name: String,
        path: String,
        done: bool,
    }

    fn is_missing(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::NotFound
    }

    /// The folder of a path, opened part by part without following a link, and the last part of the path.
    fn parent(root: &Root, path: &str) -> io::Result<(OwnedFd, String)> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut at = rustix::fs::open(root.path(), FOLDER, Mode::empty())?;
        for part in folders.split('/').filter(|part| !part.is_empty()) {
            at = open_folder(&at, part)?;
        }
        Ok((at, name.to_owned()))
    }

    /// A link in the place of a folder is a link, whatever the system calls it.
    fn open_folder(at: &OwnedFd, part: &str) -> io::Result<OwnedFd> {
        match rustix::fs::openat(at.as_fd(), part, FOLDER, Mode::empty()) {
            Err(Errno::NOTDIR) => {
                let stat = rustix::fs::statat(at.as_fd(), part, AtFlags::SYMLINK_NOFOLLOW)?;
                let is_link = rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Symlink;
                Err(if is_link { Errno::LOOP } else { Errno::NOTDIR }.into())
            }
            opened => Ok(opened?),
        }
    }

    pub(super) fn present(root: &Root, path: &str) -> Result<Option<Present>, EditError> {
        let own = || path.to_owned();
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened = parent(root, path).and_then(|(folder, name)| {
            Ok(File::from(rustix::fs::openat(
                folder.as_fd(),
                name.as_str(),
                flags,
                Mode::empty(),
            )?))
        });
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(failed(path, error)),
        };
        let metadata = file.metadata().map_err(|error| failed(path, error))?;
        if !metadata.is_file() {
            return Err(EditError::NotAFile { path: own() });
        }
        if metadata.len() > EDITED_BYTES_MAX {
            return Err(EditError::TooLarge { path: own() });
        }
        if metadata.nlink() > 1 {
            return Err(EditError::HardLinks { path: own() });
        }
        let mode = metadata.mode() & 0o7777;
        if mode & 0o200 == 0 {
            return Err(EditError::ReadOnly { path: own() });
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file)
            .take(EDITED_BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(path, error))?;
        Ok(Some(Present { bytes, mode }))
    }

    pub(super) fn stage(
        root: &Root,
        beside: &str,
        path: &str,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<Staged, EditError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (to, to_name) = parent(root, path).map_err(|error| failed(path, error))?;
        let folder = parent(root, &format!("{beside}/x"))
            .map_err(|error| failed(path, error))?
            .0;
        let name = format!(
            "{STAGED_PREFIX}{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let mut staged = Staged {
            folder: Arc::new(folder),
            name,
            to,
            to_name,
            path: path.to_owned(),
            done: false,
        };
        match staged.write(bytes, mode) {
            Ok(()) => Ok(staged),
            Err(error) => {
                staged.discard();
                Err(failed(path, error))
            }
        }
    }

    impl Staged {
        fn write(&self, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            // A file of a project is read by others; who may, its mode says once it has all of its content.
            let created = rustix::fs::openat(
                self.folder.as_fd(),
                self.name.as_str(),
                flags,
                Mode::from_raw_mode(0o600),
            )?;
            let mut file = File::from(created);
            file.write_all(bytes)?;
            let mode = Mode::from_raw_mode(mode.unwrap_or(0o644));
            rustix::fs::fchmod(file.as_fd(), mode)?;
            file.sync_all()
        }

        fn discard(&mut self) {
            if !self.done {
                let _ = rustix::fs::unlinkat(self.folder.as_fd(), self.name.as_str(), AtFlags::empty());
                self.done = true;
            }
        }

        pub(super) fn put(mut self, new: bool) -> Result<(), EditError> {
            self.rename(new).map_err(|error| failed(&self.path, error))?;
            self.done = true;
            File::from(self.to.try_clone().map_err(|error| failed(&self.path, error))?)
                .sync_all()
                .map_err(|error| failed(&self.path, error))
        }

        fn rename(&self, new: bool) -> io::Result<()> {
            let (from, to) = (self.folder.as_fd(), self.to.as_fd());
            if new {
                let renamed = rustix::fs::renameat_with(
                    from,
                    self.name.as_str(),
                    to,
                    self.to_name.as_str(),
                    RenameFlags::NOREPLACE,
                );
                match renamed {
                    Err(Errno::INVAL | Errno::NOSYS) => {}
                    renamed => return Ok(renamed?),
                }
                if rustix::fs::statat(to, self.to_name.as_str(), AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                    return Err(Errno::EXIST.into());
                }
            }
            match rustix::fs::renameat(from, self.name.as_str(), to, self.to_name.as_str()) {
                // The file lies on another file system than the state directory.
                Err(Errno::XDEV) => self.copy_over(),
                renamed => Ok(renamed?),
            }
        }

        /// Puts the content in its place by way of a file beside it.
        fn copy_over(&self) -> io::Result<()> {
            let open = |folder, flags, mode| rustix::fs::openat(folder, self.name.as_str(), flags, mode);
            let mut from = File::from(open(
                self.folder.as_fd(),
                OFlags::RDONLY | OFlags::CLOEXEC,
                Mode::empty(),
            )?);
            let mode = Mode::from_raw_mode(from.metadata()?.mode() & 0o7777);
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let mut copy = File::from(open(self.to.as_fd(), flags, Mode::from_raw_mode(0o600))?);
            let copied = io::copy(&mut from, &mut copy).and_then(|_| {
                rustix::fs::fchmod(copy.as_fd(), mode)?;
                copy.sync_all()?;
                Ok(rustix::fs::renameat(
                    self.to.as_fd(),
                    self.name.as_str(),
                    self.to.as_fd(),
                    self.to_name.as_str(),
                )?)
            });
            let left = if copied.is_ok() {
                self.folder.as_fd()
            } else {
                self.to.as_fd()
            };
            let _ = rustix::fs::unlinkat(left, self.name.as_str(), AtFlags::empty());
            copied
        }
    }

    impl Drop for Staged {
        fn drop(&mut self) {
            self.discard();
        }
    }

    pub(super) fn create_folders(root: &Root, path: &str) -> Result<Vec<String>, EditError> {
        let mut created = Vec::new();
        let Some((folders, _)) = path.rsplit_once('/') else {
            return Ok(created);
        };
        let made = || -> io::Result<()> {
            let mut at = rustix::fs::open(root.path(), FOLDER, Mode::empty())?;
            let mut so_far = String::new();
            for part in folders.split('/') {
                if !so_far.is_empty() {
                    so_far.push('/');
                }
                so_far.push_str(part);
                at = match open_folder(&at, part) {
                    Ok(next) => next,
                    Err(error) if is_missing(&error) => {
                        rustix::fs::mkdirat(at.as_fd(), part, Mode::from_raw_mode(0o755))?;
                        created.push(so_far.clone());
                        open_folder(&at, part)?
                    }
                    Err(error) => return Err(error),
                };
            }
            Ok(())
        }();
        made.map_err(|error| failed(path, error))?;
        Ok(created)
    }

    pub(super) fn remove(root: &Root, path: &str, folder: bool) -> Result<(), EditError> {
        let flags = if folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        let removed = parent(root, path).and_then(|(at, name)| {
            rustix::fs::unlinkat(at.as_fd(), name.as_str(), flags)?;
            File::from(at).sync_all()
        });
        removed.map_err(|error| failed(path, error))
    }
}

#[cfg(not(unix))]
mod platform {
    use std::fs;
    use std::io::{self, Write};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{EDITED_BYTES_MAX, EditError, Present, Root, STAGED_PREFIX, failed};

    #[derive(Debug)]
    pub(super) struct Staged {
        from: PathBuf,
        to: PathBuf,
        path: String,
        done: bool,
    }

    /// The place of a path none of whose parts is a link.
    fn place(root: &Root, path: &str) -> Result<PathBuf, EditError> {
        let mut at = root.path().to_path_buf();
        for part in path.split('/') {
            at.push(part);
            if at
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.file_type().is_symlink())
            {
                return Err(EditError::Link { path: path.to_owned() });
            }
        }
        Ok(at)
    }

    pub(super) fn present(root: &Root, path: &str) -> Result<Option<Present>, EditError> {
        let at = place(root, path)?;
        let metadata = match at.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(path, error)),
        };
        let own = || path.to_owned();
        if !metadata.is_file() {
            return Err(EditError::NotAFile { path: own() });
        }
        if metadata.len() > EDITED_BYTES_MAX {
            return Err(EditError::TooLarge { path: own() });
        }
        if metadata.permissions().readonly() {
            return Err(EditError::ReadOnly { path: own() });
        }
        let bytes = fs::read(&at).map_err(|error| failed(path, error))?;
        Ok(Some(Present { bytes, mode: 0o644 }))
    }

    pub(super) fn stage(
        root: &Root,
        beside: &str,
        path: &str,
        bytes: &[u8],
        _mode: Option<u32>,
    ) -> Result<Staged, EditError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let from = place(root, beside)?.join(format!("{STAGED_PREFIX}{}-{number}", std::process::id()));
        let to = place(root, path)?;
        let written = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&from)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        let staged = Staged {
            from,
            to,
            path: path.to_owned(),
            done: false,
        };
        written.map_err(|error| failed(path, error))?;
        Ok(staged)
    }

    impl Staged {
        pub(super) fn put(mut self, new: bool) -> Result<(), EditError> {
            if new && self.to.symlink_metadata().is_ok() {
                return Err(EditError::Exists {
                    path: self.path.clone(),
                });
            }
            fs::rename(&self.from, &self.to).map_err(|error| failed(&self.path, error))?;
            self.done = true;
            Ok(())
        }
    }

    impl Drop for Staged {
        fn drop(&mut self) {
            if !self.done {
                let _ = fs::remove_file(&self.from);
            }
        }
    }

    pub(super) fn create_folders(root: &Root, path: &str) -> Result<Vec<String>, EditError> {
        let mut created = Vec::new();
        let Some((folders, _)) = path.rsplit_once('/') else {
            return Ok(created);
        };
        let mut so_far = String::new();
        for part in folders.split('/') {
            if !so_far.is_empty() {
                so_far.push('/');
            }
            so_far.push_str(part);
            let at = place(root, &so_far)?;
            if at.symlink_metadata().is_err() {
                fs::create_dir(&at).map_err(|error| failed(path, error))?;
                created.push(so_far.clone());
            }
        }
        Ok(created)
    }

    pub(super) fn remove(root: &Root, path: &str, folder: bool) -> Result<(), EditError> {
        let at = place(root, path)?;
        let removed = if folder {
            fs::remove_dir(&at)
        } else {
            fs::remove_file(&at)
        };
        removed.map_err(|error| failed(path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".compliance/tmp")).unwrap();
        let root = crate::open(dir.path()).unwrap();
        (dir, root)
    }

    #[test]
    fn a_new_content_takes_the_place_of_the_old_one_with_its_mode() {
        let (dir, root) = project();
        let file = dir.path().join("run.sh");
        std::fs::write(&file, "old").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let before = root.present("run.sh").unwrap().unwrap();
        let staged = root
            .stage(".compliance/tmp", "run.sh", b"new", Some(before.mode))
            .unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"old", "nothing has changed yet");
        staged.put(false).unwrap();
        let after = root.present("run.sh").unwrap().unwrap();
        assert_eq!((after.bytes, after.mode), (b"new".to_vec(), before.mode));
        assert_eq!(
            std::fs::read_dir(dir.path().join(".compliance/tmp")).unwrap().count(),
            0
        );
    }

    #[test]
    fn a_dropped_content_leaves_nothing() {
        let (dir, root) = project();
        drop(root.stage(".compliance/tmp", "a.txt", b"x", None).unwrap());
        assert_eq!(
            std::fs::read_dir(dir.path().join(".compliance/tmp")).unwrap().count(),
            0
        );
        assert!(root.present("a.txt").unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn links_read_only_files_and_paths_out_of_the_project_are_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (dir, root) = project();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "s").unwrap();
        symlink(outside.path(), dir.path().join("way")).unwrap();
        symlink(outside.path().join("secret"), dir.path().join("file")).unwrap();
        assert!(matches!(root.present("way/secret"), Err(EditError::Link { .. })));
        assert!(matches!(root.present("file"), Err(EditError::Link { .. })));
        assert!(matches!(
            root.stage(".compliance/tmp", "way/new", b"x", None),
            Err(EditError::Link { .. })
        ));
        assert!(matches!(
            root.create_folders("way/deep/new"),
            Err(EditError::Link { .. })
        ));
        for bad in ["../x", "/etc/passwd", "a//b", "", ".git/config", "a/./b"] {
            assert!(matches!(root.present(bad), Err(EditError::Outside { .. })), "{bad}");
        }
        let fixed = dir.path().join("fixed");
        std::fs::write(&fixed, "x").unwrap();
        std::fs::set_permissions(&fixed, std::fs::Permissions::from_mode(0o444)).unwrap();
        assert!(matches!(root.present("fixed"), Err(EditError::ReadOnly { .. })));
        std::fs::write(dir.path().join("one"), "x").unwrap();
        std::fs::hard_link(dir.path().join("one"), dir.path().join("two")).unwrap();
        assert!(matches!(root.present("one"), Err(EditError::HardLinks { .. })));
    }

    #[test]
    fn a_created_file_never_replaces_one() {
        let (dir, root) = project();
        let created = root.create_folders("a/b/c.txt").unwrap();
        assert_eq!(created, ["a", "a/b"]);
        root.stage(".compliance/tmp", "a/b/c.txt", b"1", None)
            .unwrap()
            .put(true)
            .unwrap();
        let again = root
            .stage(".compliance/tmp", "a/b/c.txt", b"2", None)
            .unwrap()
            .put(true);
        assert!(matches!(again, Err(EditError::Exists { .. })));
        assert_eq!(std::fs::read(dir.path().join("a/b/c.txt")).unwrap(), b"1");
        root.remove_file("a/b/c.txt").unwrap();
        root.remove_empty_folder("a/b");
        root.remove_empty_folder("a");
        assert!(!dir.path().join("a").exists());
    }
}
