//! Whether a file came with a git repository: one that lies in the folder of the file or in any folder above it.
//!
//! Unlike a walk, this looks above the root of a project, because a project may be a folder of a repository. Only the index is read.

use std::path::{Component, Path, PathBuf};

use crate::disk::{self, Content, RootHandle};
use crate::tracked::{INDEX_BYTES_MAX, complete};

/// Folders above a file that are looked at.
const FOLDERS_MAX: usize = 64;

/// Bytes of a file `.git` that names another folder.
const POINTER_BYTES_MAX: u64 = 8 * 1024;

/// Whether git tracks a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// No folder above the file belongs to a repository.
    NoRepository,
    /// It lies in a work tree, and no repository lists it.
    Untracked,
    /// A repository lists it: it may have arrived with a clone.
    Tracked,
    /// A repository cannot be read, so that the file may be listed.
    Unknown,
}

/// Whether a repository above a file lists it. The path must be absolute and canonical.
pub fn tracking(file: &Path) -> Tracking {
    let mut found = Tracking::NoRepository;
    for folder in file.ancestors().skip(1).take(FOLDERS_MAX) {
        let Ok(metadata) = folder.join(".git").symlink_metadata() else {
            continue;
        };
        let Some(path) = below(folder, file) else {
            return Tracking::Unknown;
        };
        let index = if metadata.is_dir() {
            index(&folder.join(".git"))
        } else if metadata.is_file() {
            pointed(folder).map_or(Index::Unreadable, |git| index(&git))
        } else {
            Index::Unreadable
        };
        match index {
            Index::None => found = Tracking::Untracked,
            Index::Unreadable => return Tracking::Unknown,
            Index::Lists(paths) => {
                if paths.iter().any(|listed| covers(listed, path.as_bytes())) {
                    return Tracking::Tracked;
                }
                found = Tracking::Untracked;
            }
        }
    }
    found
}

/// The paths that an index lists.
enum Index {
    /// There is none: nothing was ever added.
    None,
    Unreadable,
    Lists(std::collections::HashSet<Box<[u8]>>),
}

fn index(git: &Path) -> Index {
    let Ok(root) = RootHandle::open(git) else {
        return Index::Unreadable;
    };
    match disk::read(&root, "index", INDEX_BYTES_MAX) {
        Ok(Content::Whole(bytes)) => complete(&bytes).map_or(Index::Unreadable, Index::Lists),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Index::None,
        _ => Index::Unreadable,
    }
}

/// The folder that a file `.git` names, as in a submodule or a linked work tree.
fn pointed(folder: &Path) -> Option<PathBuf> {
    let root = RootHandle::open(folder).ok()?;
    let Ok(Content::Whole(bytes)) = disk::read(&root, ".git", POINTER_BYTES_MAX) else {
        return None;
    };
    let text = String::from_utf8(bytes).ok()?;
    let path = text.strip_prefix("gitdir:")?.trim();
    folder.join(path).canonicalize().ok()
}

/// The path of a file below a folder, with forward slashes.
fn below(folder: &Path, file: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for part in file.strip_prefix(folder).ok()?.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            _ => return None,
        }
    }
    Some(parts.join("/"))
}

/// Whether an entry is the file or a folder that holds it. Letters count without case, because some disks do not tell them apart.
fn covers(listed: &[u8], path: &[u8]) -> bool {
    if listed.ends_with(b"/") {
        return path.len() > listed.len() && path[..listed.len()].eq_ignore_ascii_case(listed);
    }
    listed.eq_ignore_ascii_case(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tracked::tests::index as index_of;

    /// An index as git writes it, with the digest at its end.
    fn whole(paths: &[&str]) -> Vec<u8> {
        let mut bytes = index_of(paths);
        bytes.extend([0; DIGEST]);
        bytes
    }

    const DIGEST: usize = 20;

    fn check(files: &[(&str, &[u8])], file: &str) -> Tracking {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for (path, bytes) in files {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        tracking(&top.join(file))
    }

    #[test]
    fn a_file_in_the_index_is_tracked_also_where_the_project_is_a_subfolder() {
        let env = "app/.compliance/.env";
        assert_eq!(check(&[(".git/index", &whole(&[env]))], env), Tracking::Tracked);
        assert_eq!(
            check(&[(".git/index", &whole(&["APP/.Compliance/.ENV"]))], env),
            Tracking::Tracked
        );
        assert_eq!(
            check(&[(".git/index", &whole(&["app/main.py"]))], env),
            Tracking::Untracked
        );
        assert_eq!(check(&[(".git/HEAD", b"ref: x")], env), Tracking::Untracked);
    }

    #[test]
    fn a_repository_in_the_state_folder_counts() {
        let files: [(&str, &[u8]); 2] = [
            (".git/index", &whole(&["main.py", ".compliance"])),
            (".compliance/.git/index", &whole(&[".env"])),
        ];
        assert_eq!(check(&files, ".compliance/.env"), Tracking::Tracked);
        let files: [(&str, &[u8]); 3] = [
            (".git/index", &whole(&["main.py"])),
            (".git/modules/x/index", &whole(&[".env"])),
            (".compliance/.git", b"gitdir: ../.git/modules/x\n"),
        ];
        assert_eq!(check(&files, ".compliance/.env"), Tracking::Tracked);
    }

    #[test]
    fn an_index_that_may_list_more_than_can_be_read_is_unknown() {
        let env = ".compliance/.env";
        let mut shared = index_of(&["main.py"]);
        shared.extend(b"link");
        shared.extend(20_u32.to_be_bytes());
        shared.extend([7; 20]);
        shared.extend([0; DIGEST]);
        let mut tree = index_of(&["main.py"]);
        tree.extend(b"TREE");
        tree.extend(3_u32.to_be_bytes());
        tree.extend(b"abc");
        tree.extend([0; DIGEST]);
        let whole = whole(&["main.py"]);
        assert_eq!(check(&[(".git/index", &tree)], env), Tracking::Untracked);
        assert_eq!(check(&[(".git/index", &shared)], env), Tracking::Unknown);
        assert_eq!(
            check(&[(".git/index", &whole[..whole.len() - 30])], env),
            Tracking::Unknown
        );
        assert_eq!(check(&[(".git/index", b"garbage")], env), Tracking::Unknown);
        assert_eq!(check(&[(".git", b"gitdir: /no/such/folder")], env), Tracking::Unknown);
    }
}
