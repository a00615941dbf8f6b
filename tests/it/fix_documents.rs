//! Drafts of required documents as fixes: previewed, applied, undone, and never evidence without an answer of a person.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Daemon, fingerprint, project, run};

/// A service in a use of Annex III, whose documents are missing.
const RANKING: &str = r#"//- app/main.py
from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()
client = OpenAI()


@app.post("/applicants/rank")
def rank(cv: str, vacancy: str) -> str:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input=vacancy + cv)
    return answer.output_text
//- requirements.txt
fastapi==0.115.0
openai==1.51.0
//- .compliance/profile.toml
version = 1

[systems.main.annex-iii-employment]
value = ["4(a)"]
by = "Tester"
on = 2026-11-01

[systems.main.annex-iii-exemption]
value = "none"
by = "Tester"
on = 2026-11-01
"#;

const CHECK: &str = "l1-missing-document";

fn drafts(daemon: &Daemon) -> Vec<Value> {
    let preview = daemon.get(&format!("/fix/preview?path=.&checkId={CHECK}")).json();
    assert_eq!(preview["currentScore"], preview["projectedScore"], "{preview:#}");
    let fixes = preview["fixes"].as_array().unwrap().clone();
    assert!(!fixes.is_empty(), "{preview:#}");
    fixes
}

fn missing(scan: &Value) -> Vec<&str> {
    let findings = scan["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["checkId"] == CHECK)
        .map(|finding| finding["id"].as_str().unwrap())
        .collect()
}

#[test]
fn a_draft_is_shown_as_a_new_file_written_once_and_removed_by_undo() {
    let project = project(RANKING);
    let before = fingerprint(project.path());
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    for listed in drafts(&daemon) {
        // A draft may quote the drafts before it.
        let asked = json!({"findingId": listed["findingId"]}).to_string();
        let fix = daemon.post("/fix/preview", &asked).json();
        assert_eq!(fix["file"], listed["file"]);
        let file = fix["file"].as_str().unwrap();
        assert!(file.starts_with(".compliance/documents/"), "{fix:#}");
        assert_eq!(fix["files"], json!([file]));
        assert_eq!(fix["strategy"], "document-draft");
        assert_eq!(
            (&fix["type"], &fix["safe"], &fix["resolves"]),
            (&json!("document"), &json!(false), &json!(false))
        );
        assert_eq!(fix["scoreImpact"], "+0");
        assert!(fix["manual"][0].as_str().unwrap().contains("open question"), "{fix:#}");
        let diff = fix["diff"].as_str().unwrap();
        assert!(diff.starts_with(&format!("--- /dev/null\n+++ b/{file}\n")), "{diff}");
        assert!(
            diff.contains("\n+status: draft\n") && !diff.contains("private"),
            "{diff}"
        );

        let body = json!({"findingId": fix["findingId"], "fixId": fix["fixId"]}).to_string();
        let reply = daemon.post("/fix/apply-and-validate", &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let validated = reply.json();
        assert_eq!(validated["validation"]["findingResolved"], false, "{validated:#}");
        assert_eq!(
            validated["validation"]["scoreAfter"],
            validated["validation"]["scoreBefore"]
        );
        let text = fs::read_to_string(project.path().join(file)).unwrap();
        let shown = diff
            .lines()
            .skip(3)
            .map(|line| format!("{}\n", &line[1..]))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(text, shown);
        let again = daemon.post("/fix/apply", &json!({"findingId": fix["findingId"]}).to_string());
        let why = again.assert_failure(422, "impossible");
        assert!(
            why["details"].as_str().unwrap().contains("answer its questions"),
            "{why}"
        );
        assert_eq!(fs::read_to_string(project.path().join(file)).unwrap(), text);
    }
    let drafted = daemon.post("/scan", r#"{"path": "."}"#).json();
    assert_eq!(drafted["score"], scan["score"]);
    assert_eq!(missing(&drafted), missing(&scan));
    let history = daemon.get("/fix/history").json();
    for _ in history["fixes"].as_array().unwrap() {
        let undo = daemon.post("/fix/undo", "{}");
        assert_eq!(undo.status, 200, "{}", undo.body);
    }
    assert!(!project.path().join(".compliance/documents").exists());
    let kept = project.path().join(".compliance/private/documents");
    assert!(!kept.exists() || fs::read_dir(kept).unwrap().next().is_none());
    assert_eq!(fingerprint(project.path()), before);
    assert_eq!(daemon.get("/agent/evidence/verify").json()["valid"], true);
}

#[test]
fn a_draft_of_a_fix_is_the_document_of_the_generator_and_keeps_edits() {
    let project = project(RANKING);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let fix = drafts(&daemon).remove(0);
    let file = fix["file"].as_str().unwrap();
    let kind = file
        .trim_start_matches(".compliance/documents/")
        .trim_end_matches(".md");
    let result = daemon
        .post("/fix/apply", &json!({"findingId": fix["findingId"]}).to_string())
        .json();
    assert_eq!(result["applied"], true, "{result:#}");
    let again = daemon.post("/agent/doc", &json!({"docType": kind}).to_string()).json();
    assert_eq!(
        (&again["changed"], &again["status"]),
        (&json!(false), &json!("draft")),
        "{again:#}"
    );

    let path = project.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    let at = text.rfind("[To answer:").unwrap();
    let mine = format!(
        "{}Checked twice by the head of recruiting. {}",
        &text[..at],
        &text[at..]
    );
    fs::write(&path, &mine).unwrap();
    let refused = daemon.post("/fix/undo", "{}").assert_failure(409, "state-conflict");
    assert!(
        refused["details"].as_str().unwrap().contains("has changed since"),
        "{refused}"
    );
    let stated = json!({"docType": kind, "organization": "Brightwater Energy"}).to_string();
    let merged = daemon.post("/agent/doc", &stated).json();
    assert_eq!(merged["conflicts"], 0, "{merged:#}");
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains("Checked twice by the head of recruiting.")
    );
}

#[test]
fn drafts_are_never_written_unattended() {
    let project = project(RANKING);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let reply = daemon.post("/fix/apply-all", "{}").json();
    assert!(reply["summary"]["skipped"].as_u64().unwrap() > 0, "{reply:#}");
    assert!(!project.path().join(".compliance/documents").exists());
    let guided = daemon.post("/fix/apply-all", r#"{"guided": true}"#).json();
    assert_eq!(guided["summary"]["failed"], 0, "{guided:#}");
    let results = guided["results"].as_array().unwrap();
    let first = results.iter().position(|result| result["checkId"] == CHECK).unwrap();
    assert!(
        results[first..].iter().all(|result| result["checkId"] == CHECK),
        "drafts quote the code, so they come last"
    );
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    let actions = scan["actions"].as_array().unwrap();
    let outdated = actions
        .iter()
        .find(|action| action["title"].as_str().unwrap().starts_with("Outdated values"));
    assert_eq!(outdated, None);
    let again = daemon.post("/fix/apply-all", r#"{"guided": true}"#).json();
    assert_eq!(again["summary"]["applied"], 0, "{again:#}");
    drop(daemon);
    let shown = run(project.path(), &["undo", ".", "--list"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains(CHECK));
}
