//! Folders as open handles: every step goes from an open folder to a name in it, and no link is followed on the way.
//!
//! A path that is checked and then opened can lead elsewhere in between: whoever can write to the project can put a link in
//! the place of a folder at any moment. A handle cannot be exchanged.

use std::fs::File;
use std::io;
use std::time::SystemTime;

/// What lies under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// What the system says of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) modified: Option<SystemTime>,
}

pub(crate) use platform::Folder;

#[cfg(unix)]
mod platform {
    use std::ffi::OsString;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::ffi::OsStringExt;
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, UNIX_EPOCH};

    use rustix::fs::{
        AtFlags, Dir, FileType, Mode, OFlags, fstat, linkat, mkdirat, openat, renameat, statat, unlinkat,
    };
    use rustix::io::Errno;

    use super::{Entry, File, Kind, io};

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOFOLLOW);
    const FILE: OFlags = OFlags::NOFOLLOW
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    /// An open folder.
    #[derive(Clone, Debug)]
    pub(crate) struct Folder(Arc<OwnedFd>);

    impl Folder {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(Arc::new(rustix::fs::open(path, FOLDER, Mode::empty())?)))
        }

        pub(crate) fn enter(&self, name: &str) -> io::Result<Self> {
            Ok(Self(Arc::new(openat(self.0.as_fd(), name, FOLDER, Mode::empty())?)))
        }

        /// Makes a folder; one that is there already is as good.
        pub(crate) fn make(&self, name: &str, private: bool) -> io::Result<()> {
            let mode = if private { Mode::from(0o700) } else { Mode::from(0o755) };
            match mkdirat(self.0.as_fd(), name, mode) {
                Ok(()) | Err(Errno::EXIST) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }

        /// What lies under a name; none where there is nothing.
        pub(crate) fn entry(&self, name: &str) -> io::Result<Option<Entry>> {
            let stat = match statat(self.0.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let kind = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => Kind::Folder,
                FileType::RegularFile => Kind::File,
                FileType::Symlink => Kind::Link,
                _ => Kind::Special,
            };
            let modified = u64::try_from(stat.st_mtime).ok();
            Ok(Some(Entry {
                kind,
                modified: modified.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds)),
            }))
        }

        /// Opens a file for reading, without waiting for the other end of a pipe.
        pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
            let file = openat(self.0.as_fd(), name, FILE.union(OFlags::RDONLY), Mode::empty())?;
            Ok(File::from(file))
        }

        /// Opens a file of the engine's own for reading and writing, and creates it for its owner only.
        pub(crate) fn open_own(&self, name: &str) -> io::Result<File> {
            let flags = FILE.union(OFlags::RDWR).union(OFlags::CREATE);
            let file = openat(self.0.as_fd(), name, flags, Mode::from(0o600))?;
            let file = File::from(file);
            if !file.metadata()?.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
            }
            Ok(file)
        }

        /// Creates a file where none is.
        pub(crate) fn create(&self, name: &str, private: bool) -> io::Result<File> {
            let mode = if private { Mode::from(0o600) } else { Mode::from(0o644) };
            let flags = FILE.union(OFlags::WRONLY).union(OFlags::CREATE).union(OFlags::EXCL);
            Ok(File::from(openat(self.0.as_fd(), name, flags, mode)?))
        }

        /// Puts a file in the place of another one.
        pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(renameat(self.0.as_fd(), from, self.0.as_fd(), to)?)
        }

        /// Gives a file a second name where nothing has that name.
        pub(crate) fn link(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(linkat(self.0.as_fd(), from, self.0.as_fd(), to, AtFlags::empty())?)
        }

        pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
            Ok(unlinkat(self.0.as_fd(), name, AtFlags::empty())?)
        }

        /// Makes renamed and removed names last.
        pub(crate) fn sync(&self) -> io::Result<()> {
            Ok(rustix::fs::fsync(self.0.as_fd())?)
        }

        /// The names in the folder, at most so many.
        pub(crate) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
            let mut names = Vec::new();
            for entry in Dir::read_from(self.0.as_fd())? {
                let name = entry?.file_name().to_bytes().to_vec();
                if name != b"." && name != b".." {
                    names.push(OsString::from_vec(name));
                }
                if names.len() >= most {
                    break;
                }
            }
            Ok(names)
        }

        /// Whether two handles are of one folder.
        pub(crate) fn is(&self, other: &Self) -> bool {
            let (one, two) = (fstat(self.0.as_fd()), fstat(other.0.as_fd()));
            matches!((one, two), (Ok(one), Ok(two)) if (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino))
        }
    }
}

/// Where the system has no such handles, paths are checked before they are used.
#[cfg(not(unix))]
mod platform {
    use std::ffi::OsString;
    use std::fs::{self, OpenOptions};
    use std::path::{Path, PathBuf};

    use super::{Entry, File, Kind, io};

    /// A folder by its path.
    #[derive(Clone, Debug)]
    pub(crate) struct Folder(PathBuf);

    impl Folder {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            if path.symlink_metadata()?.is_dir() {
                Ok(Self(path.to_path_buf()))
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        pub(crate) fn enter(&self, name: &str) -> io::Result<Self> {
            Self::open(&self.0.join(name))
        }

        pub(crate) fn make(&self, name: &str, _private: bool) -> io::Result<()> {
            match fs::create_dir(self.0.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(()),
            }
        }

        pub(crate) fn entry(&self, name: &str) -> io::Result<Option<Entry>> {
            let metadata = match self.0.join(name).symlink_metadata() {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let kind = if metadata.file_type().is_symlink() {
                Kind::Link
            } else if metadata.is_dir() {
                Kind::Folder
            } else if metadata.is_file() {
                Kind::File
            } else {
                Kind::Special
            };
            let modified = metadata.modified().ok();
            Ok(Some(Entry { kind, modified }))
        }

        fn plain(&self, name: &str) -> io::Result<PathBuf> {
            match self.entry(name)? {
                Some(Entry { kind: Kind::File, .. }) | None => Ok(self.0.join(name)),
                Some(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file")),
            }
        }

        pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
            File::open(self.plain(name)?)
        }

        pub(crate) fn open_own(&self, name: &str) -> io::Result<File> {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options.open(self.plain(name)?)
        }

        pub(crate) fn create(&self, name: &str, _private: bool) -> io::Result<File> {
            OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
        }

        pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(crate) fn link(&self, from: &str, to: &str) -> io::Result<()> {
            fs::hard_link(self.0.join(from), self.0.join(to))
        }

        pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        #[expect(clippy::unnecessary_wraps, reason = "other systems can fail")]
        pub(crate) fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        pub(crate) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
            fs::read_dir(&self.0)?
                .take(most)
                .map(|entry| entry.map(|entry| entry.file_name()))
                .collect()
        }

        pub(crate) fn is(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }
}
