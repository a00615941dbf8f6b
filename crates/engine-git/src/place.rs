//! Where the repository of a folder lies, and whether its files may be opened at all.
//!
//! A repository that came with a project is foreign input like the project itself. Its own `.git` is opened and nothing
//! else: never a bare repository, which a commit can carry, and never one that links lead to. Before anything is opened,
//! every entry is looked at: pipes and devices would hold a thread or never end, and lists have named limits.

use std::fs::{self, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::RevisionError;

/// Name of the folder, or of the file that names it.
const GIT: &str = ".git";

/// Entries of one `.git` folder that are looked at.
const ENTRIES_MAX: usize = 2_000_000;

/// Folders inside each other below `.git`.
const DEPTH_MAX: usize = 48;

/// Bytes of a file with one line: `HEAD`, `commondir`, a reference.
const LINE_BYTES_MAX: u64 = 64 * 1024;

/// Bytes of a file with settings.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// Bytes of the list of packed references, about 400,000 of them.
const PACKED_REFS_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Bytes of the list of commits where a shallow clone ends.
const SHALLOW_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Bytes of the index; a million files fit into it.
const INDEX_BYTES_MAX: u64 = 128 * 1024 * 1024;

/// Bytes of one log of a reference.
const LOG_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A repository that may be opened.
pub(crate) struct Place {
    /// The folder that contains `.git`.
    pub(crate) top: PathBuf,
    /// The path to open.
    pub(crate) dot_git: PathBuf,
}

/// Finds the repository of a folder: the nearest `.git` in it or above it. A bare repository is none.
pub(crate) fn find(folder: &Path) -> Result<Place, RevisionError> {
    for top in folder.ancestors() {
        let dot_git = top.join(GIT);
        let Ok(metadata) = dot_git.symlink_metadata() else {
            continue;
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            inspect(&dot_git)?;
        } else if kind.is_file() {
            linked(top, &dot_git)?;
        } else {
            return Err(not_plain(GIT, kind));
        }
        return Ok(Place {
            top: top.to_path_buf(),
            dot_git,
        });
    }
    Err(RevisionError::NoRepository)
}

/// Checks a `.git` file. It may name a linked worktree that names it in turn, or a submodule of a repository above.
fn linked(top: &Path, dot_git: &Path) -> Result<(), RevisionError> {
    let elsewhere = || {
        refused(
            "`.git` is a file that leads to a repository elsewhere; only worktrees and submodules of this one are read",
        )
    };
    let text = line_of(dot_git, GIT)?;
    let target = text.strip_prefix("gitdir:").map(str::trim).ok_or_else(elsewhere)?;
    let target = top.join(target).canonicalize().map_err(|_| elsewhere())?;
    let common = if target.join("commondir").symlink_metadata().is_ok() {
        // A linked worktree lies in `<common>/worktrees/<name>` and names the `.git` file that it belongs to.
        let back = line_of(&target.join("gitdir"), "gitdir")?;
        let back = target.join(back.trim()).canonicalize().map_err(|_| elsewhere())?;
        if dot_git.canonicalize().ok().as_ref() != Some(&back) {
            return Err(elsewhere());
        }
        let common = line_of(&target.join("commondir"), "commondir")?;
        let common = target.join(common.trim()).canonicalize().map_err(|_| elsewhere())?;
        if target.parent() != Some(common.join("worktrees").as_path()) {
            return Err(elsewhere());
        }
        common
    } else {
        // The repository of a submodule lies below the `.git` of a folder above.
        let above = top
            .ancestors()
            .skip(1)
            .any(|above| target.starts_with(above.join(GIT).join("modules")));
        if !above {
            return Err(elsewhere());
        }
        target
    };
    inspect(&common)
}

/// The text of a short file.
fn line_of(path: &Path, shown: &str) -> Result<String, RevisionError> {
    let metadata = path.symlink_metadata().map_err(|_| missing(shown))?;
    check_file(shown, metadata.file_type(), metadata.len(), LINE_BYTES_MAX)?;
    let mut text = String::new();
    let file = fs::File::open(path).map_err(|_| missing(shown))?;
    file.take(LINE_BYTES_MAX)
        .read_to_string(&mut text)
        .map_err(|_| refused(format!("`.git`: `{shown}` is not text")))?;
    Ok(text)
}

fn missing(shown: &str) -> RevisionError {
    refused(format!("`.git`: `{shown}` cannot be read"))
}

pub(crate) fn refused(what: impl Into<String>) -> RevisionError {
    RevisionError::Refused { what: what.into() }
}

fn not_plain(shown: &str, kind: FileType) -> RevisionError {
    let what = if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "a pipe, a socket or a device"
    };
    refused(format!("`{shown}` is {what}, where git has a plain file or folder"))
}

fn check_file(shown: &str, kind: FileType, bytes: u64, bytes_max: u64) -> Result<(), RevisionError> {
    if !kind.is_file() {
        return Err(not_plain(shown, kind));
    }
    if bytes > bytes_max {
        return Err(refused(format!(
            "`{shown}` has {bytes} bytes; at most {bytes_max} are read"
        )));
    }
    Ok(())
}

/// Looks at every entry of a `.git` folder before anything in it is opened.
fn inspect(git: &Path) -> Result<(), RevisionError> {
    let mut folders = vec![(git.to_path_buf(), GIT.to_owned(), 0_usize)];
    let mut seen = 0_usize;
    while let Some((folder, shown, depth)) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|_| missing(&shown))?;
        for entry in entries {
            let entry = entry.map_err(|_| missing(&shown))?;
            seen += 1;
            if seen > ENTRIES_MAX {
                return Err(refused(format!("`.git` has more than {ENTRIES_MAX} entries")));
            }
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = format!("{shown}/{name}");
            let kind = entry.file_type().map_err(|_| missing(&path))?;
            if kind.is_dir() {
                // Hooks are never run or read, so a person may link them.
                if depth == 0 && name == "hooks" {
                    continue;
                }
                if depth >= DEPTH_MAX {
                    return Err(refused(format!(
                        "`.git` has more than {DEPTH_MAX} folders inside each other"
                    )));
                }
                folders.push((entry.path(), path, depth + 1));
                continue;
            }
            if is_socket(kind) {
                // Watchers of files listen here. A socket cannot be opened, so it holds nobody.
                continue;
            }
            match bytes_max(&path) {
                Some(most) => {
                    let bytes = entry.metadata().map_err(|_| missing(&path))?.len();
                    check_file(&path, kind, bytes, most)?;
                }
                None if !kind.is_file() => return Err(not_plain(&path, kind)),
                None => {}
            }
        }
    }
    check_shallow(&git.join("shallow"))?;
    check_config(git)?;
    let others = git.join("objects/info/alternates");
    if others.symlink_metadata().is_ok_and(|metadata| metadata.len() > 0) {
        return Err(refused(
            "`.git/objects/info/alternates` borrows objects from another repository, which is not read; run `git repack -a -d` and \
             remove that file",
        ));
    }
    Ok(())
}

#[cfg(unix)]
fn is_socket(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

#[cfg(not(unix))]
fn is_socket(_: FileType) -> bool {
    false
}

/// The limit of a file that is read as a whole; objects and packs have their own limits where they are read.
fn bytes_max(path: &str) -> Option<u64> {
    let below = path.strip_prefix(".git/").unwrap_or(path);
    match below {
        // Fetches write one line per reference into the second, and it is read as one of them only.
        "packed-refs" | "FETCH_HEAD" => Some(PACKED_REFS_BYTES_MAX),
        "shallow" => Some(SHALLOW_BYTES_MAX),
        _ if below.starts_with("refs/") => Some(LINE_BYTES_MAX),
        _ if below.starts_with("logs/") => Some(LOG_BYTES_MAX),
        _ if below == "index" || below.starts_with("worktrees/") && below.ends_with("/index") => Some(INDEX_BYTES_MAX),
        // Every file at the top with such a name can be asked for as a reference.
        _ if matches!(below, "config" | "config.worktree")
            || !below.contains('/') && below.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') =>
        {
            Some(CONFIG_BYTES_MAX)
        }
        _ => None,
    }
}

/// The settings of a repository may not lead the reader to files elsewhere. Git itself has no section of that name.
fn check_config(git: &Path) -> Result<(), RevisionError> {
    for name in ["config", "config.worktree"] {
        let Ok(bytes) = fs::read(git.join(name)) else { continue };
        if String::from_utf8_lossy(&bytes)
            .to_ascii_lowercase()
            .contains("gitoxide")
        {
            return Err(refused(format!(
                "`.git/{name}` has a section `gitoxide`, which is not one of git's; remove it"
            )));
        }
    }
    Ok(())
}

/// The file that says where a shallow clone ends holds one id a line.
fn check_shallow(path: &Path) -> Result<(), RevisionError> {
    let Ok(bytes) = fs::read(path) else { return Ok(()) };
    let damaged =
        || refused("`.git/shallow` is damaged: it must contain one commit id a line; run `git fetch --unshallow`");
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if line.len() != 40 || !line.iter().all(u8::is_ascii_hexdigit) {
            return Err(damaged());
        }
    }
    Ok(())
}
