//! Git repositories that come with a project: `POST /scan/diff` must not hang, grow or read what is not the project's own.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use super::{MEMORY_MIB, Tally, ask, daemon, git, memory_peak_mib, pipe};
use crate::support::{CHAT, Daemon, project};

fn repository() -> TempDir {
    let folder = project(CHAT);
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-q", "-m", "one"]);
    folder
}

fn diff(daemon: &Daemon, folder: &Path, revision: &str) -> Option<crate::support::Reply> {
    let body = json!({"path": folder.to_str().unwrap(), "baseRef": revision});
    ask(daemon, "POST", "/scan/diff", Some(&body))
}

#[test]
fn hostile_git_folders_are_refused_with_a_word() {
    let place = project(CHAT);
    let daemon = daemon(place.path(), &[]);
    let mut tally = Tally::of("git folders");
    let names = [
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "shallow",
        "refs/heads/main",
        "objects/info/packs",
        "logs/HEAD",
        "commondir",
    ];
    for name in names {
        for kind in ["pipe", "zero", "self", "sparse", "garbage"] {
            let folder = repository();
            let path = folder.path().join(".git").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&path);
            match kind {
                "pipe" => pipe(&path),
                "zero" => symlink("/dev/zero", &path).unwrap(),
                "self" => symlink(&path, &path).unwrap(),
                "sparse" => fs::File::create(&path).unwrap().set_len(1 << 36).unwrap(),
                _ => fs::write(&path, b"garbage \xff\n\0ref: x\n").unwrap(),
            }
            let reply = diff(&daemon, folder.path(), "HEAD");
            if kind == "garbage" || kind == "sparse" {
                // Some of these files are not needed for the answer.
                tally.answered(format!("{name} {kind}"), reply.as_ref());
            } else {
                tally.refused(format!("{name} {kind}"), reply.as_ref());
            }
        }
    }
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(46);
}

#[test]
fn repositories_of_others_are_not_opened() {
    let place = project(CHAT);
    let daemon = daemon(place.path(), &[]);
    let other = repository();
    let secret = other.path().canonicalize().unwrap();
    let mut tally = Tally::of("other repositories");
    let mut case = |name: &str, lay: &dyn Fn(&Path), below: &str| {
        let folder = project(CHAT);
        lay(folder.path());
        let reply = diff(&daemon, &folder.path().join(below), "HEAD");
        tally.refused(name, reply.as_ref());
    };
    case(
        "link to a .git",
        &|folder| symlink(secret.join(".git"), folder.join(".git")).unwrap(),
        "",
    );
    case(
        "file that names a .git",
        &|folder| {
            fs::write(folder.join(".git"), format!("gitdir: {}/.git\n", secret.display())).unwrap();
        },
        "",
    );
    case("pipe as .git", &|folder| pipe(&folder.join(".git")), "");
    case(
        "file to itself",
        &|folder| fs::write(folder.join(".git"), "gitdir: .git\n").unwrap(),
        "",
    );
    let bare = |folder: &Path| {
        let target = folder.join("vendor/bare");
        let status = Command::new("git")
            .args(["clone", "-q", "--bare"])
            .arg(&secret)
            .arg(&target)
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success());
        fs::create_dir_all(target.join("sub")).unwrap();
        pipe(&target.join("packed-refs"));
    };
    case("bare repository as the project", &bare, "vendor/bare");
    case("folder in a bare repository", &bare, "vendor/bare/sub");
    case("objects of a bare repository", &bare, "vendor/bare/objects");
    case("the project beside a bare repository", &bare, "");
    let borrowed = |folder: &Path| {
        git(folder, &["init", "-q", "-b", "main"]);
        fs::write(
            folder.join(".git/objects/info/alternates"),
            format!("{}/.git/objects\n", secret.display()),
        )
        .unwrap();
        fs::create_dir_all(folder.join(".git/refs/heads")).unwrap();
        fs::copy(secret.join(".git/refs/heads/main"), folder.join(".git/refs/heads/main")).unwrap();
    };
    case("borrowed objects", &borrowed, "");
    case(
        "a working tree elsewhere",
        &|folder| {
            git(folder, &["init", "-q", "-b", "main"]);
            git(folder, &["config", "core.worktree", secret.to_str().unwrap()]);
        },
        "",
    );
    case(
        "an index elsewhere",
        &|folder| {
            git(folder, &["init", "-q", "-b", "main"]);
            git(folder, &["add", "-A"]);
            git(folder, &["commit", "-q", "-m", "x"]);
            git(folder, &["config", "gitoxide.core.indexFile", "/dev/zero"]);
        },
        "",
    );
    tally.end(11);
}

#[test]
fn trees_and_names_of_revisions_have_a_budget() {
    let place = project(CHAT);
    let daemon = daemon(place.path(), &[]);
    let mut tally = Tally::of("revisions");
    let folder = project(CHAT);
    git(folder.path(), &["init", "-q", "-b", "main"]);
    let object = |kind: &str, content: &[u8]| {
        let mut child = Command::new("git")
            .current_dir(folder.path())
            .args(["hash-object", "-w", "--literally", "-t", kind, "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(content).unwrap();
        let output = child.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let tree = |entries: &[(&str, &str, &str)]| {
        let mut content = Vec::new();
        for (mode, name, id) in entries {
            content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            content.extend(
                (0..40)
                    .step_by(2)
                    .map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
            );
        }
        object("tree", &content)
    };
    let commit = |tree: &str| {
        let text = format!("tree {tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n");
        let id = object("commit", text.as_bytes());
        fs::write(folder.path().join(".git/refs/heads/main"), format!("{id}\n")).unwrap();
    };
    let blob = object("blob", b"x = 1\n");
    let leaf = tree(&[("100644", "a.py", &blob)]);
    let doubled = (0..40).fold(leaf.clone(), |last, _| {
        tree(&[("40000", "a", &last), ("40000", "b", &last)])
    });
    commit(&doubled);
    tally.refused(
        "trees that name each other twice",
        diff(&daemon, folder.path(), "main").as_ref(),
    );
    let deep = (0..300).fold(leaf, |last, _| tree(&[("40000", "d", &last)]));
    commit(&deep);
    tally.refused(
        "folders inside each other",
        diff(&daemon, folder.path(), "main").as_ref(),
    );
    commit(&blob);
    tally.refused("a file as a tree", diff(&daemon, folder.path(), "main").as_ref());
    for revision in [
        ":/x",
        "HEAD^{/x}",
        "--output=/tmp/x",
        "main..main",
        "^main",
        "hooks/pre-commit",
        "../../etc/passwd",
        "refs/../../../etc/passwd",
        "\u{0}",
        "main\n",
        "HEAD:app/main.py",
        "@{upstream}",
        "main@{99999}",
        "",
    ] {
        tally.refused(
            format!("revision {revision:?}"),
            diff(&daemon, folder.path(), revision).as_ref(),
        );
    }
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(18);
}
