//! The `OpenAPI` document against the running daemon, by a tool that knows neither.

use std::process::{Command, Stdio};

use serde_json::json;

use super::{ask, daemon};
use crate::support::{CHAT, project};

/// Routes that call endpoints of others, run for minutes or never end.
const LEFT_OUT: &str = "stream|/events|/eval/run|/redteam/run|/audit/run|/sync|/chat|/deep|/tools";

/// Runs schemathesis where it is installed: as `schemathesis` on the path, or where `SCHEMATHESIS` says.
#[test]
#[ignore = "slow, and needs schemathesis (PyPI)"]
fn the_document_says_what_the_parser_takes() {
    let tool = std::env::var_os("SCHEMATHESIS").unwrap_or_else(|| "schemathesis".into());
    let there = Command::new(&tool)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !there.is_ok_and(|status| status.success()) {
        println!("skipped: schemathesis is not installed; `pip install schemathesis` adds it");
        return;
    }
    let folder = project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    let _ = ask(&running, "POST", "/scan", Some(&json!({"path": "."})));
    let address = format!("http://localhost:{}", running.port);
    let output = Command::new(&tool)
        .current_dir(folder.path())
        .args(["run", &format!("{address}/openapi.json"), "--url", &address])
        .args([
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        ])
        .args([
            "--exclude-path-regex",
            LEFT_OUT,
            "--suppress-health-check",
            "all",
            "--continue-on-failure",
        ])
        .args(["-n", "20", "--request-timeout", "60", "--no-color"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let end: String = said
        .chars()
        .rev()
        .take(6_000)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    assert!(output.status.success(), "{end}");
}
