//! State outlives the process, and one process at a time holds it.

use crate::support::{BINARY, CHAT, Daemon, project, run};

#[test]
fn a_killed_daemon_has_kept_its_last_scan() {
    let project = project(CHAT);
    let mut daemon = Daemon::start(project.path(), &[]);
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    daemon.child.kill().unwrap();
    daemon.wait();
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let status = daemon.get("/status").json();
    assert_eq!(status["last_scan"], scan["scannedAt"]);
    assert_eq!(status["compliance_score"], scan["score"]["compliance"]);
    let diff = daemon.post("/scan/diff", "{}").json();
    assert_eq!(diff["added"], serde_json::json!([]));
    assert_eq!(diff["scoreDelta"], 0.0);
}

#[test]
fn a_second_daemon_on_the_same_project_is_told_who_holds_it() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let second = run(project.path(), &["--port", "0", "--project", "."]);
    let told = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2), "{told}");
    assert!(told.contains(&daemon.child.id().to_string()), "{told}");
    assert!(told.contains(&daemon.port.to_string()), "{told}");
    assert!(second.stdout.is_empty());
    // One that has no project yet is refused when it takes one.
    let other = Daemon::start(project.path(), &[]);
    let body = other
        .post("/scan", r#"{"path": "."}"#)
        .assert_failure(409, "state-conflict");
    assert!(
        body["details"].as_str().unwrap().contains(&daemon.port.to_string()),
        "{body}"
    );
    assert_eq!(daemon.get("/status").status, 200);
}

#[test]
fn a_scan_beside_a_daemon_is_made_and_not_kept() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let output = run(project.path(), &["scan", "."]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.contains("not stored") && told.contains(&daemon.port.to_string()),
        "{told}"
    );
    assert_eq!(daemon.get("/status").json()["last_scan"], serde_json::Value::Null);
}

#[test]
fn a_port_in_use_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path(), &["--read-only"]);
    let second = run(folder.path(), &["--port", &daemon.port.to_string(), "--read-only"]);
    let told = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2), "{told}");
    assert!(
        told.contains("--port") && told.contains(&daemon.port.to_string()),
        "{told}"
    );
}

#[test]
fn a_read_only_daemon_leaves_no_trace() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &["--read-only"]);
    assert_eq!(daemon.get("/status").json()["mode"], "read-only");
    assert_eq!(daemon.post("/scan", r#"{"path": "."}"#).status, 200);
    assert!(!project.path().join(".compliance").exists());
    assert!(std::path::Path::new(BINARY).exists());
}
