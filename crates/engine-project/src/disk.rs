//! The few calls that touch the disk: list a folder and open a file, both strictly below a root.
//!
//! Every part of a path below the root is opened without following symbolic links, so that a link that is put in place
//! between the listing and the reading cannot lead out of the tree. Files are opened without blocking, so that a pipe
//! that takes a file's place cannot hold a thread.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};

use crate::read::Stat;

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// One entry of a folder.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) kind: Kind,
    /// Length in bytes; zero for all but files.
    pub(crate) size: u64,
    /// What tells a changed file without reading it, where the system says so.
    pub(crate) stat: Option<Stat>,
}

/// What a folder holds. `complete` is false when the listing broke off with an error.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    pub(crate) complete: bool,
}

/// Content of a file as far as a limit allows.
pub(crate) enum Content {
    Whole(Vec<u8>),
    TooLarge(u64),
    NotRegular,
}

/// Reads a file below the root, at most `limit` bytes of it.
pub(crate) fn read(root: &RootHandle, path: &str, limit: u64) -> io::Result<Content> {
    let mut file = open_file(root, path)?;
    // The type is asked of the open handle: the entry may have been replaced since the folder was listed.
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(Content::NotRegular);
    }
    if metadata.len() > limit {
        return Ok(Content::TooLarge(metadata.len()));
    }
    let expected = usize::try_from(metadata.len()).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected);
    Read::by_ref(&mut file)
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Ok(Content::TooLarge(bytes.len() as u64));
    }
    Ok(Content::Whole(bytes))
}

pub(crate) use platform::{RootHandle, is_link_error, list, open_file};

/// The way taken where the kernel cannot resolve a path below a folder in one call.
#[cfg(all(test, unix))]
pub(crate) use platform::open_file_by_parts as open_by_parts;

#[cfg(unix)]
mod platform {
    use std::ffi::{CStr, OsStr};
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
    use rustix::io::Errno;

    use super::{Entry, File, Kind, Listing, Stat, io};

    /// The open folder that all paths are relative to.
    #[derive(Debug)]
    pub(crate) struct RootHandle(OwnedFd);

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOFOLLOW);
    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOFOLLOW);

    impl RootHandle {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(rustix::fs::open(path, FOLDER, Mode::empty())?))
        }

        /// Whether a path leads to this folder, without a link in its last part.
        pub(crate) fn is_at(&self, path: &Path) -> bool {
            let here = rustix::fs::fstat(&self.0);
            let there = rustix::fs::lstat(path);
            matches!((here, there), (Ok(here), Ok(there)) if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino))
        }
    }

    /// Whether an error says that a symbolic link stood in the way.
    pub(crate) fn is_link_error(error: &io::Error) -> bool {
        error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
    }

    pub(crate) fn open_file(root: &RootHandle, path: &str) -> io::Result<File> {
        Ok(File::from(open_below(root.0.as_fd(), path, FILE)?))
    }

    pub(crate) fn list(root: &RootHandle, path: &str) -> io::Result<Listing> {
        let handle = open_below(root.0.as_fd(), if path.is_empty() { "." } else { path }, FOLDER)?;
        let mut entries = Vec::new();
        let complete = each_name(&handle, &mut |name, hint| {
            if name.to_bytes() == b"." || name.to_bytes() == b".." {
                return;
            }
            // An entry that is gone again by now never was, as far as this walk can tell.
            if let Some((kind, size, stat)) = classify(handle.as_fd(), name, hint) {
                entries.push(Entry {
                    name: OsStr::from_bytes(name.to_bytes()).to_owned(),
                    kind,
                    size,
                    stat,
                });
            }
        })?;
        Ok(Listing { entries, complete })
    }

    /// Calls `tell` with every name in a folder and what the listing says it is; false where the listing broke off.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[expect(clippy::unnecessary_wraps, reason = "a listing can fail as a whole on other systems")]
    fn each_name(folder: &OwnedFd, tell: &mut dyn FnMut(&CStr, FileType)) -> io::Result<bool> {
        /// Bytes of a listing that are asked for at once.
        const LISTING_BYTES: usize = 32 * 1024;
        let mut buffer: Vec<u8> = Vec::with_capacity(LISTING_BYTES);
        // The folder is open already: nothing is opened a second time only to be listed.
        let mut listing = rustix::fs::RawDir::new(folder, buffer.spare_capacity_mut());
        while let Some(item) = listing.next() {
            match item {
                Ok(item) => tell(item.file_name(), item.file_type()),
                // Gone between being opened and being listed.
                Err(Errno::NOENT) => return Ok(true),
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn each_name(folder: &OwnedFd, tell: &mut dyn FnMut(&CStr, FileType)) -> io::Result<bool> {
        for item in rustix::fs::Dir::read_from(folder)? {
            let Ok(item) = item else { return Ok(false) };
            tell(item.file_name(), item.file_type());
        }
        Ok(true)
    }

    fn classify(folder: BorrowedFd<'_>, name: &CStr, hint: FileType) -> Option<(Kind, u64, Option<Stat>)> {
        // Only files need their length, and some file systems do not tell the type in the listing.
        let file_type = if matches!(hint, FileType::RegularFile | FileType::Unknown) {
            match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => {
                    let file_type = FileType::from_raw_mode(stat.st_mode);
                    if file_type == FileType::RegularFile {
                        let size = u64::try_from(stat.st_size).unwrap_or(0);
                        return Some((Kind::File, size, stat_of(&stat, size)));
                    }
                    file_type
                }
                Err(Errno::NOENT) => return None,
                // A folder may be listed but not entered. Its files show up as unreadable when they are opened.
                Err(_) => hint,
            }
        } else {
            hint
        };
        Some(match file_type {
            FileType::Directory => (Kind::Folder, 0, None),
            FileType::Symlink => (Kind::Link, 0, None),
            FileType::RegularFile => (Kind::File, 0, None),
            _ => (Kind::Special, 0, None),
        })
    }

    #[expect(
        clippy::allow_attributes,
        reason = "what is useless here is needed on systems with other widths"
    )]
    #[allow(
        clippy::unnecessary_fallible_conversions,
        clippy::useless_conversion,
        reason = "the widths of these fields differ between systems"
    )]
    fn stat_of(stat: &rustix::fs::Stat, size: u64) -> Option<Stat> {
        let time = |seconds: i64, nanoseconds: i64| seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds);
        Some(Stat {
            size,
            modified_ns: time(
                i64::try_from(stat.st_mtime).ok()?,
                i64::try_from(stat.st_mtime_nsec).ok()?,
            )?,
            changed_ns: time(
                i64::try_from(stat.st_ctime).ok()?,
                i64::try_from(stat.st_ctime_nsec).ok()?,
            )?,
            inode: u64::try_from(stat.st_ino).ok()?,
            device: u64::try_from(stat.st_dev).ok()?,
        })
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn open_below(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        use rustix::fs::{ResolveFlags, openat2};
        let resolve = ResolveFlags::BENEATH
            .union(ResolveFlags::NO_SYMLINKS)
            .union(ResolveFlags::NO_MAGICLINKS);
        match openat2(root, path, flags, Mode::empty(), resolve) {
            // Kernels before 5.6 and some sandboxes do not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => open_by_parts(root, path, flags),
            Err(error) => Err(error.into()),
            Ok(handle) => Ok(handle),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn open_below(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        open_by_parts(root, path, flags)
    }

    /// Opens every folder on the way by itself, which no symbolic link survives.
    fn open_by_parts(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let mut folder: Option<OwnedFd> = None;
        let mut rest = path;
        while let Some((part, tail)) = rest.split_once('/') {
            refuse_upward(part)?;
            folder = Some(openat(
                folder.as_ref().map_or(root, AsFd::as_fd),
                part,
                FOLDER,
                Mode::empty(),
            )?);
            rest = tail;
        }
        refuse_upward(rest)?;
        Ok(openat(
            folder.as_ref().map_or(root, AsFd::as_fd),
            rest,
            flags,
            Mode::empty(),
        )?)
    }

    #[cfg(test)]
    pub(crate) fn open_file_by_parts(root: &RootHandle, path: &str) -> io::Result<File> {
        Ok(File::from(open_by_parts(root.0.as_fd(), path, FILE)?))
    }

    fn refuse_upward(part: &str) -> io::Result<()> {
        if part == ".." || part.is_empty() {
            Err(io::ErrorKind::InvalidInput.into())
        } else {
            Ok(())
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::path::{Path, PathBuf};

    use super::{Entry, File, Kind, Listing, io};

    /// The folder that all paths are relative to.
    #[derive(Debug)]
    pub(crate) struct RootHandle(PathBuf);

    impl RootHandle {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(path.to_path_buf()))
        }

        /// Whether a path leads to this folder, as far as this system tells.
        pub(crate) fn is_at(&self, path: &Path) -> bool {
            self.0 == path && path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
        }

        /// Joins a relative path, refusing links on the way as they stand now.
        fn locate(&self, path: &str) -> io::Result<PathBuf> {
            let mut located = self.0.clone();
            for part in path.split('/').filter(|part| !part.is_empty()) {
                if part == ".." || part.contains(['\\', ':']) {
                    return Err(io::ErrorKind::InvalidInput.into());
                }
                located.push(part);
                if located.symlink_metadata()?.file_type().is_symlink() {
                    return Err(io::ErrorKind::InvalidInput.into());
                }
            }
            Ok(located)
        }
    }

    /// Whether an error says that a symbolic link stood in the way.
    pub(crate) fn is_link_error(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::InvalidInput
    }

    pub(crate) fn open_file(root: &RootHandle, path: &str) -> io::Result<File> {
        File::open(root.locate(path)?)
    }

    pub(crate) fn list(root: &RootHandle, path: &str) -> io::Result<Listing> {
        let mut entries = Vec::new();
        for item in std::fs::read_dir(root.locate(path)?)? {
            let Ok(item) = item else {
                return Ok(Listing {
                    entries,
                    complete: false,
                });
            };
            let Ok(metadata) = item.metadata() else { continue };
            let kind = match metadata.file_type() {
                kind if kind.is_symlink() => Kind::Link,
                kind if kind.is_dir() => Kind::Folder,
                kind if kind.is_file() => Kind::File,
                _ => Kind::Special,
            };
            let size = if kind == Kind::File { metadata.len() } else { 0 };
            entries.push(Entry {
                name: item.file_name(),
                kind,
                size,
                // Without the time of the last change of any kind, an edit that restores the other times goes unseen.
                stat: None,
            });
        }
        Ok(Listing {
            entries,
            complete: true,
        })
    }
}
