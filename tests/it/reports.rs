//! Badge, reports and shares over loopback and from the command line: what they say, and what they must not say.

use std::fs;

use serde_json::Value;

use crate::support::{Daemon, Reply, example, fingerprint, run};

/// Words that no output of the engine may claim, and what belongs to this machine.
const FORBIDDEN: &[&str] = &[
    "compliant",
    "certified",
    "approved",
    "guaranteed",
    "/home/",
    "/tmp/",
    "sk-proj-",
];

fn assert_clean(place: &str, text: &str) {
    let lower = text.to_lowercase();
    for word in FORBIDDEN {
        if let Some(at) = lower.find(word) {
            let start = lower.floor_char_boundary(at.saturating_sub(60));
            let end = lower.floor_char_boundary((at + 60).min(lower.len()));
            panic!("{place}: `{word}` in {}", &lower[start..end]);
        }
    }
}

fn page(daemon: &Daemon, id: &str) -> Reply {
    daemon.send("GET", &format!("/share/{id}"), "Accept: text/html,*/*\r\n", b"")
}

#[test]
fn given_every_output_then_none_claims_anything_and_no_score_changes() {
    let project = example("helpdesk");
    let daemon = Daemon::start(project.path(), &[]);
    let before = daemon.post("/scan", r#"{"path": "."}"#).json();
    for language in ["en", "de", "fr"] {
        let badge = daemon.get(&format!("/badge?language={language}"));
        assert_eq!((badge.status, badge.header("content-type")), (200, "image/svg+xml"));
        assert_clean("badge", &badge.body);
        let body = format!(r#"{{"language": "{language}"}}"#);
        let reply = daemon.post("/badge/generate", &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_clean("COMPLIANCE.md", reply.json()["markdown"].as_str().unwrap());
        for short in [false, true] {
            let body = format!(
                r#"{{"language": "{language}", "jurisdiction": "DE", "organization": "Acme", "isFree": {short}}}"#
            );
            let reply = daemon.post("/report/markdown", &body).json();
            assert_clean("report", reply["markdown"].as_str().unwrap());
            let file = project.path().join(reply["path"].as_str().unwrap());
            assert_eq!(fs::read_to_string(file).unwrap(), reply["markdown"].as_str().unwrap());
            let pdf = daemon.post("/report/pdf", &body);
            assert_eq!((pdf.status, pdf.header("content-type")), (200, "application/pdf"));
            assert!(pdf.bytes.starts_with(b"%PDF-"));
        }
        let share = daemon.post("/share", &body).json();
        let id = share["id"].as_str().unwrap();
        let html = page(&daemon, id);
        assert_eq!(html.status, 200, "{}", html.body);
        assert!(html.header("content-type").starts_with("text/html"));
        assert!(html.body.contains(&format!("<html lang=\"{language}\">")));
        assert_clean("page", &html.body);
        // The JSON quotes the law, which may use any word; what belongs to this machine is in none of it.
        let json = daemon.get(&format!("/share/{id}")).body;
        for own in ["/home/", "/tmp/", "sk-proj-"] {
            assert!(!json.contains(own), "{own}");
        }
    }
    let after = daemon.post("/scan", r#"{"path": "."}"#).json();
    for field in ["score", "findings", "documents", "systems", "obligations", "inventory"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert_eq!(daemon.get("/agent/evidence/verify").json()["valid"], Value::Bool(true));
}

#[test]
fn given_a_shared_page_then_its_policy_allows_nothing_from_elsewhere() {
    let project = example("helpdesk");
    let daemon = Daemon::start(project.path(), &[]);
    daemon.post("/scan", r#"{"path": "."}"#);
    let id = daemon.post("/share", "{}").json()["id"].as_str().unwrap().to_owned();
    let html = page(&daemon, &id).body;
    assert!(html.contains("default-src 'none'; style-src 'sha256-"));
    for outside in ["<script", "<img", "<link ", "src=", " style=", "http://"] {
        assert!(!html.contains(outside), "{outside}");
    }
    let revoked = daemon.post("/share/revoke", &format!(r#"{{"id": "{id}"}}"#)).json();
    assert_eq!(revoked["status"], "revoked");
    daemon.get(&format!("/share/{id}")).assert_failure(404, "unknown-share");
    let gone = page(&daemon, &id);
    assert_eq!(gone.status, 404, "{}", gone.body);
    assert!(gone.header("content-type").starts_with("text/html"));
    assert!(
        gone.header("content-security-policy")
            .starts_with("sandbox; default-src 'none'")
    );
    assert!(
        gone.body.contains("has ended or was revoked") && !gone.body.contains(&id),
        "{}",
        gone.body
    );
    assert_eq!(daemon.get("/shares").json()["shares"][0]["status"], "revoked");
}

#[test]
fn given_a_read_only_daemon_then_reports_are_made_and_nothing_is_written() {
    let project = example("helpdesk");
    let before = fingerprint(project.path());
    let daemon = Daemon::start(project.path(), &["--read-only"]);
    daemon.post("/scan", r#"{"path": "."}"#);
    let reply = daemon.post("/report/markdown", "{}");
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.json()["path"], Value::Null);
    daemon.post("/badge/generate", "{}").assert_failure(403, "read-only");
    daemon.post("/share", "{}").assert_failure(403, "read-only");
    assert!(!project.path().join(".compliance").exists());
    assert_eq!(fingerprint(project.path()), before);
}

#[test]
fn given_the_command_line_then_each_format_is_written() {
    let project = example("helpdesk");
    let out = run(project.path(), &["report", ".", "--language", "de", "--short"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.starts_with("# Statusbericht, Kurzfassung"), "{text}");
    assert_clean("markdown", &text);
    for (format, file, head) in [
        ("pdf", "r.pdf", &b"%PDF-"[..]),
        ("html", "r.html", &b"<!doctype html>"[..]),
    ] {
        let out = run(
            project.path(),
            &["report", ".", "--format", format, "--out", file, "--jurisdiction", "FR"],
        );
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        assert!(fs::read(project.path().join(file)).unwrap().starts_with(head));
    }
    assert_eq!(
        run(project.path(), &["report", ".", "--format", "pdf"]).status.code(),
        Some(2)
    );
    assert_eq!(
        run(project.path(), &["report", ".", "--language", "xx"]).status.code(),
        Some(2)
    );
}
