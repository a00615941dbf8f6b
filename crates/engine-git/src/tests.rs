//! Revisions of real repositories that the tests lay out with git.

#[cfg(unix)]
mod hostile;
mod mutated;

use std::path::Path;
use std::process::Command;

use super::{Revision, RevisionError};

fn git(folder: &Path, args: &[&str]) {
    let done = Command::new("git")
        .current_dir(folder)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    git(dir.path(), &["init", "-q", "-b", "main"]);
    std::fs::create_dir_all(dir.path().join("app/src")).expect("folders");
    std::fs::write(dir.path().join("app/src/a.py"), "old\n").expect("a file");
    std::fs::write(dir.path().join("other.py"), "beside\n").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("other.py", dir.path().join("app/link.py")).expect("a link");
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "one"]);
    git(dir.path(), &["tag", "v1"]);
    std::fs::write(dir.path().join("app/src/a.py"), "new\n").expect("a file");
    std::fs::write(dir.path().join("app/b.py"), "added\n").expect("a file");
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "two"]);
    dir
}

#[test]
fn a_revision_gives_the_files_of_a_folder_as_they_were() {
    let dir = repository();
    let root = dir.path().canonicalize().expect("a path");
    let old = Revision::open(&root, "v1").expect("the tag");
    assert_eq!(old.paths().collect::<Vec<_>>(), ["app/src/a.py", "other.py"]);
    assert_eq!(old.commit().len(), 40);
    assert_eq!(old.reader().read("app/src/a.py", 100), Some(b"old\n".to_vec()));
    assert_eq!(old.reader().read("app/src/a.py", 3), None, "longer than asked for");
    assert_eq!(old.reader().read("app/b.py", 100), None);

    let below = Revision::open(&root.join("app"), "main").expect("the branch");
    assert_eq!(below.paths().collect::<Vec<_>>(), ["b.py", "src/a.py"]);
    assert_eq!(below.reader().read("src/a.py", 100), Some(b"new\n".to_vec()));
}

#[test]
fn packed_objects_are_read_like_loose_ones() {
    let dir = repository();
    git(dir.path(), &["gc", "-q", "--prune=now"]);
    let root = dir.path().canonicalize().expect("a path");
    let old = Revision::open(&root, "HEAD~1").expect("the first commit");
    assert_eq!(old.reader().read("app/src/a.py", 100), Some(b"old\n".to_vec()));
}

#[test]
fn what_the_index_says_to_be_the_same_is_so() {
    let dir = repository();
    let root = dir.path().canonicalize().expect("a path");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    git(dir.path(), &["update-index", "--refresh", "-q"]);
    git(dir.path(), &["status", "-s"]);
    let old = Revision::open(&root, "v1").expect("the tag");
    let same = old.same_in_index(&root);
    assert!(!same.contains_key("app/src/a.py"), "another content");
    assert!(same.values().all(|stat| stat.size == 7 && stat.modified_ns > 0));
}

#[test]
fn names_that_lead_nowhere_are_told_apart() {
    let dir = repository();
    let root = dir.path().canonicalize().expect("a path");
    for spec in [
        "nowhere",
        "",
        "--all",
        "HEAD~9",
        "HEAD:other.py",
        "a b",
        "\u{7}",
        "main@{99}",
        "^main",
        "main..v1",
    ] {
        assert!(
            matches!(Revision::open(&root, spec), Err(RevisionError::Unknown { .. })),
            "{spec:?}"
        );
    }
    std::fs::create_dir(root.join("fresh")).expect("a folder");
    assert!(matches!(
        Revision::open(&root.join("fresh"), "v1"),
        Err(RevisionError::NoFolder { .. })
    ));
    let outside = tempfile::tempdir().expect("a folder");
    assert!(matches!(
        Revision::open(&outside.path().canonicalize().expect("a path"), "main"),
        Err(RevisionError::NoRepository)
    ));
    assert!(Revision::names(&root).contains("v1"));
}
