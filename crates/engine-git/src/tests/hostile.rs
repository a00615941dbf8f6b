//! Repositories that want to do harm: each is refused with its reason, or read within the budget.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{git, repository};
use crate::{Revision, RevisionError};

fn open(folder: &Path) -> Result<Revision, RevisionError> {
    Revision::open(&folder.canonicalize().expect("a path"), "HEAD")
}

#[track_caller]
fn refused(folder: &Path, said: &str) {
    let error = open(folder).err().expect("the repository is refused");
    assert!(matches!(error, RevisionError::Refused { .. }), "{error}");
    assert!(error.to_string().contains(said), "{error}");
}

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn pipes_and_links_in_the_repository_are_refused_before_they_are_opened() {
    for name in [
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "shallow",
        "refs/heads/main",
        "objects/info/packs",
        "logs/HEAD",
        "MERGE_HEAD",
        "objects/pack/pack-0000000000000000000000000000000000000000.idx",
    ] {
        for kind in ["pipe", "zero"] {
            let dir = repository();
            let path = dir.path().join(".git").join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            if kind == "pipe" {
                pipe(&path);
            } else {
                let _ = fs::remove_file(&path);
                symlink("/dev/zero", &path).expect("a link");
            }
            refused(dir.path(), name);
            assert!(Revision::names(dir.path()).is_empty(), "{name}");
        }
    }
}

#[test]
fn long_files_of_a_repository_are_refused_by_their_length() {
    for (name, bytes) in [
        ("HEAD", 1 << 30),
        ("config", 1 << 30),
        ("packed-refs", 1 << 34),
        ("index", 1 << 34),
        ("shallow", 1 << 30),
        ("refs/heads/main", 1 << 30),
    ] {
        let dir = repository();
        let file = fs::File::create(dir.path().join(".git").join(name)).expect("a file");
        file.set_len(bytes).expect("a length");
        refused(dir.path(), "bytes");
    }
}

#[test]
fn garbage_in_the_files_of_a_repository_gives_an_error_and_no_panic() {
    for name in [
        "shallow",
        "HEAD",
        "packed-refs",
        "index",
        "config",
        "commondir",
        "refs/heads/main",
    ] {
        for garbage in [
            b"garbage\n".as_slice(),
            b"\0\xff\xfe",
            b"ref: ref: ref: HEAD\n",
            b"[core]\n\tworktree = /\n",
            b"[core]\n\tbare = true\n",
            b"[gitoxide \"core\"]\n\tindexFile = /dev/zero\n",
            b"DIRC\0\0\0\x02\xff\xff\xff\xff",
        ] {
            let dir = repository();
            fs::write(dir.path().join(".git").join(name), garbage).expect("a file");
            if let Ok(revision) = open(dir.path()) {
                let root = dir.path().canonicalize().expect("a path");
                let _ = revision.same_in_index(&root);
            }
        }
    }
    let dir = repository();
    fs::write(dir.path().join(".git/shallow"), "garbage\n").expect("a file");
    refused(dir.path(), "shallow");
}

#[test]
fn a_bare_repository_is_never_opened() {
    let dir = repository();
    let outer = dir.path().join("vendor/inner");
    let status = Command::new("git")
        .args(["clone", "-q", "--bare"])
        .arg(dir.path())
        .arg(&outer)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("git runs").success());
    pipe(&outer.join("packed-refs"));
    // The folder is a part of the repository around it, which has no such folder in its commit.
    assert!(matches!(open(&outer), Err(RevisionError::NoFolder { .. })));
    let alone = tempfile::tempdir().expect("a folder");
    let bare = alone.path().join("bare");
    let status = Command::new("git").args(["init", "-q", "--bare"]).arg(&bare).status();
    assert!(status.expect("git runs").success());
    assert!(matches!(open(&bare), Err(RevisionError::NoRepository)));
    assert!(matches!(open(&bare.join("objects")), Err(RevisionError::NoRepository)));
}

#[test]
fn a_git_file_or_link_that_leads_elsewhere_is_refused() {
    let other = repository();
    let place = other.path().canonicalize().expect("a path").join(".git");
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join(".git"), format!("gitdir: {}\n", place.display())).expect("a file");
    refused(dir.path(), "elsewhere");
    fs::remove_file(dir.path().join(".git")).expect("gone");
    symlink(&place, dir.path().join(".git")).expect("a link");
    refused(dir.path(), "symbolic link");
    fs::remove_file(dir.path().join(".git")).expect("gone");
    pipe(&dir.path().join(".git"));
    refused(dir.path(), "pipe");
}

#[test]
fn linked_worktrees_and_submodules_are_read() {
    let dir = repository();
    let beside = tempfile::tempdir().expect("a folder");
    let tree = beside.path().join("tree");
    git(
        dir.path(),
        &["worktree", "add", "-q", tree.to_str().expect("text"), "v1"],
    );
    let old = open(&tree).expect("the worktree");
    assert_eq!(old.paths().collect::<Vec<_>>(), ["app/src/a.py", "other.py"]);

    let module = repository();
    let from = module.path().to_str().expect("text");
    git(
        dir.path(),
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            from,
            "sub",
        ],
    );
    let sub = open(&dir.path().join("sub")).expect("the submodule");
    assert!(sub.holds("app/b.py"));
}

#[test]
fn borrowed_objects_are_named_and_not_read() {
    let dir = repository();
    fs::write(dir.path().join(".git/objects/info/alternates"), "/tmp\n").expect("a file");
    refused(dir.path(), "alternates");
}

/// Writes an object with git and gives its id.
fn object(dir: &Path, kind: &str, content: &[u8]) -> String {
    let mut child = Command::new("git")
        .current_dir(dir)
        .args(["hash-object", "-w", "--literally", "-t", kind, "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    child.stdin.take().expect("a pipe").write_all(content).expect("written");
    let output = child.wait_with_output().expect("git ends");
    String::from_utf8(output.stdout).expect("an id").trim().to_owned()
}

fn bytes_of(id: &str) -> Vec<u8> {
    (0..id.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&id[at..at + 2], 16).expect("hex"))
        .collect()
}

/// A tree whose entries are given by mode, name and id.
fn tree(dir: &Path, entries: &[(&str, String, &str)]) -> String {
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        content.extend(bytes_of(id));
    }
    object(dir, "tree", &content)
}

fn commit_of(dir: &Path, tree: &str) {
    let text = format!("tree {tree}\nauthor A <a@example.org> 1 +0000\ncommitter A <a@example.org> 1 +0000\n\nx\n");
    let id = object(dir, "commit", text.as_bytes());
    fs::write(dir.join(".git/refs/heads/main"), format!("{id}\n")).expect("a reference");
}

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    git(dir.path(), &["init", "-q", "-b", "main"]);
    let path = dir.path().canonicalize().expect("a path");
    (dir, path)
}

#[test]
fn trees_that_name_each_other_twice_end_with_the_budget() {
    let (_dir, path) = fresh();
    let blob = object(&path, "blob", b"x = 1\n");
    let mut last = tree(&path, &[("100644", "a.py".to_owned(), &blob)]);
    for _ in 0..40 {
        last = tree(
            &path,
            &[("40000", "a".to_owned(), &last), ("40000", "b".to_owned(), &last)],
        );
    }
    commit_of(&path, &last);
    assert!(matches!(open(&path), Err(RevisionError::TooLarge { .. })));
}

#[test]
fn folders_inside_each_other_end_with_the_budget() {
    let (_dir, path) = fresh();
    let blob = object(&path, "blob", b"x = 1\n");
    let mut last = tree(&path, &[("100644", "a.py".to_owned(), &blob)]);
    for _ in 0..300 {
        last = tree(&path, &[("40000", "a".to_owned(), &last)]);
    }
    commit_of(&path, &last);
    let error = open(&path).err().expect("too deep");
    assert!(error.to_string().contains("inside each other"), "{error}");
}

#[test]
fn objects_of_the_wrong_kind_and_damaged_ones_are_missing() {
    let (_dir, path) = fresh();
    let blob = object(&path, "blob", b"no tree\n");
    commit_of(&path, &blob);
    assert!(matches!(open(&path), Err(RevisionError::Missing { .. })));
    let torn = tree(&path, &[("100644", "a.py".to_owned(), &blob)]);
    commit_of(&path, &torn);
    let place = path.join(".git/objects").join(&torn[..2]).join(&torn[2..]);
    let _ = fs::remove_file(&place);
    fs::write(&place, b"\x78\x01garbage").expect("a file");
    assert!(open(&path).is_err());
}

#[test]
fn an_object_that_unpacks_to_gigabytes_is_missing() {
    let (_dir, path) = fresh();
    // A commit of 256 MiB: git stores it in a few hundred kilobytes.
    let tree = tree(&path, &[]);
    let head = format!("tree {tree}\nauthor A <a@example.org> 1 +0000\ncommitter A <a@example.org> 1 +0000\n\n");
    let mut text = head.into_bytes();
    text.resize(256 << 20, b'a');
    let id = object(&path, "commit", &text);
    fs::write(path.join(".git/refs/heads/main"), format!("{id}\n")).expect("a reference");
    assert!(open(&path).is_err());
}

#[test]
fn searches_in_the_history_are_not_looked_up() {
    let dir = repository();
    let root = dir.path().canonicalize().expect("a path");
    for spec in [":/one", "HEAD^{/one}", "hooks/pre-commit"] {
        assert!(
            matches!(Revision::open(&root, spec), Err(RevisionError::Unknown { .. })),
            "{spec}"
        );
    }
}
