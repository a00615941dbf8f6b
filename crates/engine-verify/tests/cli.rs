//! The binary on a machine that has nothing but it and a package.

#![expect(clippy::disallowed_methods, reason = "tests make their projects on the disk")]
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by a panic, also in a function that several tests call"
)]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use engine::{Clock, Engine, Options, ScanRequest, SecretKey, Signing};
use tempfile::TempDir;

/// A package of a small project, the key of its owner, and its bytes in a file.
fn package() -> (TempDir, SecretKey) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    fs::create_dir_all(&project).unwrap();
    fs::write(
        project.join("app.py"),
        "from openai import OpenAI\nprint(OpenAI().responses.create(model=\"m\", input=input()))\n",
    )
    .unwrap();
    let key = SecretKey::parse(&"11".repeat(32)).unwrap();
    let engine = Engine::start(Options {
        working_dir: folder.path().to_owned(),
        project: None,
        read_only: false,
        clock: Clock {
            now: || jiff::Timestamp::UNIX_EPOCH,
            new_id: || "id".to_owned(),
        },
        signing: Signing {
            data_dir: Some(folder.path().join("data")),
            key: Some(key.clone()),
        },
    })
    .unwrap();
    engine.scan(&ScanRequest::of("project")).unwrap();
    let mut bytes = Vec::new();
    engine
        .audit_package(Some("project"))
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    fs::write(folder.path().join("p.tar.gz"), bytes).unwrap();
    (folder, key)
}

fn verify(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_engine-verify"))
        .env_clear()
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn the_exit_code_tells_a_whole_package_from_a_changed_one_and_from_none() {
    let (folder, key) = package();
    let at = folder.path();
    let (code, out, _) = verify(at, &["p.tar.gz"]);
    assert_eq!(
        (code, out.starts_with("WHOLE, KEY NOT KNOWN")),
        (Some(0), true),
        "{out}"
    );
    let public = key.public().to_string();
    let (code, out, _) = verify(at, &["p.tar.gz", "--pin", &public]);
    assert_eq!((code, out.starts_with("VALID")), (Some(0), true), "{out}");
    fs::write(at.join("owner.pem"), key.public().to_pem().unwrap()).unwrap();
    let (code, out, _) = verify(at, &["--pin", "owner.pem", "p.tar.gz", "--format", "json"]);
    assert_eq!((code, out.contains("\"verdict\": \"valid\"")), (Some(0), true), "{out}");
    let other = SecretKey::parse(&"22".repeat(32)).unwrap().public().to_string();
    let (code, out, _) = verify(at, &["p.tar.gz", "--pin", &other]);
    assert_eq!((code, out.starts_with("FOREIGN KEY")), (Some(1), true), "{out}");

    let mut bytes = fs::read(at.join("p.tar.gz")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(at.join("changed.tar.gz"), &bytes).unwrap();
    let (code, out, _) = verify(at, &["changed.tar.gz"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("fault: "), "{out}");

    fs::write(at.join("text"), "no package").unwrap();
    for arguments in [
        &["no-such-file"][..],
        &["text"],
        &["."],
        &[],
        &["p.tar.gz", "--pin", "nonsense"],
        &["p.tar.gz", "--head", "no-such-file"],
        &["p.tar.gz", "--format", "xml"],
        &["p.tar.gz", "another"],
    ] {
        let (code, _, err) = verify(at, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(err.starts_with("engine-verify: "), "{err}");
    }
    assert_eq!(verify(at, &["--help"]).0, Some(0));
    assert!(verify(at, &["--version"]).1.contains("regulation"));
}

#[test]
fn a_head_that_was_kept_vouches_for_the_key_that_signed_it() {
    let (folder, _) = package();
    let at = folder.path();
    let bytes = fs::read(at.join("p.tar.gz")).unwrap();
    let mut head = Vec::new();
    engine_package::read(bytes.as_slice(), &mut |path, _, piece| {
        if path == engine_package::paths::HEAD {
            head.extend_from_slice(piece);
        }
        Ok(())
    })
    .unwrap();
    fs::write(at.join("head.note"), &head).unwrap();
    let (code, out, _) = verify(at, &["p.tar.gz", "--head", "head.note"]);
    assert_eq!((code, out.starts_with("VALID")), (Some(0), true), "{out}");
}
