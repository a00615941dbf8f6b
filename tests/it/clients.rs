//! What published clients read where the interface says nothing: each test has the fields of one of their commands.

use std::fs;

use serde_json::{Value, json};

use crate::support::{CHAT, Daemon, example, project};

fn start(folder: &std::path::Path) -> Daemon {
    Daemon::start(folder, &["--project", "."])
}

#[test]
fn given_no_evidence_then_a_framework_has_no_score_and_clients_show_none() {
    let folder = example("helpdesk");
    let daemon = start(folder.path());
    let scores = daemon.get("/frameworks/scores").json();
    let frameworks = scores["frameworks"].as_array().unwrap();
    for one in frameworks {
        assert_eq!(one["score"].is_null(), one["assessed"] == false, "{one}");
    }
    // A client that needs a number for each framework shows no score of security while this one has none.
    let owasp = frameworks.iter().find(|one| one["frameworkId"] == "owasp-llm-2025");
    assert_eq!(owasp.unwrap()["score"], Value::Null);
    assert!(frameworks.iter().any(|one| one["score"].is_number()));
}

#[test]
fn given_a_preview_before_any_scan_then_the_status_has_the_score_to_compare_with() {
    let folder = example("helpdesk");
    let daemon = start(folder.path());
    assert_eq!(daemon.get("/status").json()["lastScan"], Value::Null);
    let preview = daemon.get("/fix/preview").json();
    assert_eq!(preview["scores"]["current"], preview["currentScore"]);
    assert!(preview["scores"]["projected"].as_f64() > preview["scores"]["current"].as_f64());
    let status = daemon.get("/status").json();
    assert_eq!(status["last_scan"], Value::Null, "nothing was scanned");
    for read in [&status["score"], &status["lastScan"]["score"]] {
        assert_eq!(*read, preview["currentScore"]);
    }
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    let status = daemon.get("/status").json();
    assert_eq!(status["lastScan"]["scannedAt"], scan["scannedAt"]);
    assert_eq!(status["score"], scan["score"]["compliance"]);

    // A preview after a change is newer than the scan.
    fs::remove_dir_all(folder.path().join("api")).unwrap();
    let changed = daemon.get("/fix/preview").json();
    assert_ne!(changed["currentScore"], preview["currentScore"]);
    let status = daemon.get("/status").json();
    assert_eq!(status["lastScan"]["score"], changed["scores"]["current"]);
    assert_eq!(status["compliance_score"], scan["score"]["compliance"]);
}

#[test]
fn given_a_refused_simulation_then_the_failure_has_the_score_and_the_reason() {
    let folder = example("helpdesk");
    let daemon = start(folder.path());
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    for action in [
        json!({"type": "fix", "target": "no-such"}),
        json!({"type": "add-doc", "target": "no-such"}),
        json!({"type": "complete-passport", "target": "no-such"}),
    ] {
        let body = json!({ "actions": [action] }).to_string();
        let failure = daemon.post("/simulate", &body).assert_failure(422, "impossible");
        for score in ["currentScore", "projectedScore"] {
            assert_eq!(failure[score], scan["score"]["compliance"], "{failure}");
        }
        assert_eq!(failure["delta"], json!(0.0));
        assert_eq!(failure["actions"][0]["description"], failure["details"]);
    }
    let body = json!({"actions": [
        {"type": "complete-passport", "target": "owner.contact"},
        {"type": "add-doc", "target": "ai-literacy"},
    ]});
    let reply = daemon.post("/simulate", &body.to_string()).json();
    let kinds: Vec<&Value> = reply["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["type"])
        .collect();
    assert_eq!(kinds, [&json!("complete-passport"), &json!("doc")]);
    assert_eq!(reply["actions"][0]["scoreImpact"], json!(0.0));
}

#[test]
fn given_a_dashboard_that_is_gone_then_the_failure_lists_the_items_that_were_not_sent() {
    let folder = project(CHAT);
    let daemon = start(folder.path());
    let made = daemon.post("/agent/init", r#"{"path": "."}"#).json();
    let body = json!({"token": "example-token", "saasUrl": "http://127.0.0.1:1"}).to_string();
    let failure = daemon
        .post("/sync/passport", &body)
        .assert_failure(502, "dashboard-failed");
    let [item] = failure["results"].as_array().unwrap().as_slice() else {
        panic!("{failure}")
    };
    assert_eq!(item["name"], made["manifests"][0]["name"]);
    assert_eq!(item["action"], "error");
    assert!(item["error"].as_str().unwrap().contains("not sent"), "{item}");
    // The deprecated paths say it in a sentence.
    let refused = daemon.post("/sync/registry", &body);
    assert_eq!(refused.status, 502);
    assert!(refused.header("content-type").starts_with("text/plain"), "{refused:?}");
}

#[test]
fn an_export_for_published_clients_is_saved_where_the_reply_says() {
    let folder = project(CHAT);
    let daemon = start(folder.path());
    let made = daemon.post("/agent/init", r#"{"path": "."}"#).json();
    let name = made["manifests"][0]["name"].as_str().unwrap();
    for format in ["nist", "a2a"] {
        let target = |root: &str| format!("/{root}/export?name={name}&format={format}");
        let reply = daemon.get(&target("passport"));
        assert_eq!(reply.status, 200, "{}", reply.body);
        let view = reply.json();
        let file = folder.path().join(view["savedPath"].as_str().unwrap());
        let saved: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(saved, view["data"]);
        // The route of the interface replies with the same and writes nothing.
        fs::remove_file(&file).unwrap();
        let own = daemon.get(&target("agent")).json();
        assert_eq!(own["data"].as_object().unwrap().len(), saved.as_object().unwrap().len());
        assert!(own.get("savedPath").is_none() && !file.exists());
    }
    drop(daemon);
    let reading = Daemon::start(folder.path(), &["--project", ".", "--read-only"]);
    let view = reading.get(&format!("/passport/export?name={name}&format=nist")).json();
    assert!(view["savedPath"].as_str().unwrap().starts_with("not saved"), "{view}");
}

#[test]
fn a_validation_for_published_clients_has_the_share_of_fields_and_the_reasons() {
    let folder = project(CHAT);
    let daemon = start(folder.path());
    let made = daemon.post("/agent/init", r#"{"path": "."}"#).json();
    let name = made["manifests"][0]["name"].as_str().unwrap();
    let view = |path: &str| daemon.get(&format!("{path}?name={name}")).json();
    let (own, shown) = (view("/agent/validate"), view("/passport/validate"));
    assert_eq!(shown["completeness"]["score"], own["completeness"]);
    assert!(!shown["completeness"]["missingFields"].as_array().unwrap().is_empty());
    assert_eq!(shown["valid"], true);

    let file = folder.path().join(made["savedPaths"][0].as_str().unwrap());
    let mut passport: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    passport["autonomy_level"] = json!("L9");
    fs::write(&file, passport.to_string()).unwrap();
    let (own, shown) = (view("/agent/validate"), view("/passport/validate"));
    assert_eq!(shown["valid"], false);
    let errors = |reply: &Value| reply["errors"].as_array().unwrap().clone();
    assert!(!errors(&own).is_empty());
    for (own, shown) in errors(&own).iter().zip(errors(&shown)) {
        assert_eq!((&shown["field"], &shown["message"]), (&own["path"], &own["message"]));
    }
    let count = own["warnings"].as_array().unwrap().len();
    let warnings = shown["warnings"].as_array().unwrap();
    assert!(
        warnings.len() == count && warnings.iter().all(Value::is_string),
        "{shown}"
    );
    fs::write(&file, "{").unwrap();
    let broken = daemon.get(&format!(
        "/passport/validate?name={}",
        file.file_stem().unwrap().to_str().unwrap()
    ));
    assert_eq!(broken.json()["completeness"]["score"], json!(0.0), "{}", broken.body);
}

#[test]
fn given_an_unknown_passport_then_its_check_is_refused_in_a_sentence() {
    let folder = project(CHAT);
    let daemon = start(folder.path());
    let refused = daemon.get("/passport/validate?name=nobody");
    assert_eq!(refused.status, 404);
    assert!(
        serde_json::from_str::<Value>(&refused.body).is_err(),
        "{}",
        refused.body
    );
    daemon
        .get("/agent/validate?name=nobody")
        .assert_failure(404, "unknown-passport");
}
