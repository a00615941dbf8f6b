//! Score, suppressions, baseline and thresholds as a client and a pipeline see them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{CHAT, Daemon, example, project, run};

fn scan(daemon: &Daemon, date: &str) -> Value {
    daemon
        .post("/scan", &json!({ "path": ".", "asOf": date }).to_string())
        .json()
}

/// The share by the formula in the reply, from the terms in the reply.
fn share(terms: &[&Value], empty: f64) -> f64 {
    let sums = |with_optional: bool| {
        terms
            .iter()
            .filter(|term| with_optional || term["optional"] == false)
            .filter_map(|term| Some((term["weight"].as_f64()?, term["value"].as_f64()?)))
            .fold((0.0, 0.0), |(sum, weights), (weight, value)| {
                (sum + weight * value, weights + weight)
            })
    };
    let (asked, all) = (sums(false), sums(true));
    match (asked.1 > 0.0, all.1 > 0.0) {
        (true, _) => (100.0 * asked.0 / asked.1).max(100.0 * all.0 / all.1),
        (false, true) => 100.0 * all.0 / all.1,
        (false, false) => empty,
    }
}

/// Computes every number of a score again, from nothing but the reply.
fn recompute(scan: &Value) {
    let score = &scan["score"];
    let terms: Vec<&Value> = score["breakdown"].as_array().unwrap().iter().collect();
    let of = |flag: &str| -> Vec<&Value> { terms.iter().filter(|term| term[flag] == true).copied().collect() };
    let cap = score["caps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|cap| cap["cap"].as_f64())
        .fold(100.0, f64::min);
    let near = |name: &str, expected: f64| {
        let said = score[name].as_f64().unwrap();
        assert!(
            (said - expected).abs() <= 0.051,
            "{name}: {said}, and the terms give {expected}"
        );
    };
    // Without AI nothing can be lacking; anywhere else nothing was assessed.
    let empty = if scan["applicability"] == "no_ai_found" {
        100.0
    } else {
        0.0
    };
    let applying = of("inCompliance");
    near("compliance", share(&applying, empty).min(cap));
    near("totalScore", share(&applying, empty).min(cap));
    near("readiness", share(&of("inReadiness"), empty).min(cap));
    let evaluated = applying.iter().filter(|term| term["value"].is_number()).count();
    #[expect(clippy::cast_precision_loss, reason = "there are fewer than a thousand obligations")]
    let coverage = if applying.is_empty() {
        0.0
    } else {
        100.0 * evaluated as f64 / applying.len() as f64
    };
    near("coverage", coverage);
    let compliance = score["compliance"].as_f64().unwrap();
    let assessed = applying
        .iter()
        .any(|term| term["value"].is_number() && term["optional"] == false);
    assert_eq!(score["assessed"], assessed);
    let weight =
        |terms: &mut dyn Iterator<Item = &&Value>| terms.filter_map(|term| term["weight"].as_f64()).sum::<f64>();
    let weighed = assessed
        && 2.0 * weight(&mut applying.iter().filter(|term| term["value"].is_number())) >= weight(&mut applying.iter());
    let grade = match compliance {
        value if value >= 90.0 => "A",
        value if value >= 75.0 => "B",
        value if value >= 60.0 => "C",
        value if value >= 40.0 => "D",
        _ => "F",
    };
    assert_eq!(score["grade"], if weighed { json!(grade) } else { Value::Null });
    let zone = if compliance < 50.0 {
        "red"
    } else if compliance < 80.0 || !weighed {
        "yellow"
    } else {
        "green"
    };
    assert_eq!(score["zone"], zone);
    assert_eq!(
        score["criticalCapApplied"],
        !score["caps"].as_array().unwrap().is_empty()
    );
    // The terms themselves follow from the obligations of the reply.
    let obligations = scan["obligations"].as_array().unwrap();
    assert_eq!(obligations.len(), terms.len());
    for term in &terms {
        let record = obligations
            .iter()
            .find(|record| record["system"] == term["system"] && record["obligationId"] == term["obligationId"])
            .unwrap_or_else(|| panic!("{term}"));
        let value = match record["status"].as_str().unwrap() {
            "evidenced" => json!(1.0),
            "incomplete" => json!(0.5),
            "gap" => json!(0.0),
            _ => Value::Null,
        };
        assert_eq!(term["value"], value, "{record}");
        assert_eq!(term["inCompliance"], record["applies"] == "applies");
        // With only the start open, an obligation is in force on one reading and ahead on another.
        let only_start_open = record["possibleStarts"]
            .as_array()
            .is_some_and(|starts| !starts.is_empty());
        assert_eq!(
            term["inReadiness"],
            record["applies"] == "applies" || record["applies"] == "upcoming" || only_start_open
        );
        assert_eq!(
            term["optional"],
            record["status"] == "incomplete" && record["asksForDocument"] == false
        );
        if record["status"] == "gap" || record["status"] == "evidenced" {
            assert!(
                !record["evidence"].as_array().unwrap().is_empty(),
                "no claim without evidence: {record}"
            );
        }
    }
    let (mut weights, mut passed) = (0.0, 0);
    for category in score["categoryScores"].as_array().unwrap() {
        weights += category["weight"].as_f64().unwrap();
        passed += category["passedCount"].as_u64().unwrap();
    }
    let valued: Vec<_> = applying.iter().filter(|term| term["value"].is_number()).collect();
    assert!((weights - valued.iter().filter_map(|term| term["weight"].as_f64()).sum::<f64>()).abs() < 1e-9);
    assert_eq!(passed, valued.iter().filter(|term| term["value"] == 1.0).count() as u64);
    if let Some(act) = scan["frameworks"].get("eu-ai-act") {
        assert_eq!(act["score"], score["compliance"], "one formula for every route");
    }
    let open_secrets = scan["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| {
            f["checkId"].as_str().unwrap().starts_with("secret-")
                && f["type"] != "pass"
                && f["confidence"].as_u64() >= Some(50)
        })
        .count();
    if score["security"].is_number() {
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let security = (100.0 - 25.0 * open_secrets as f64).max(0.0);
        near("security", security);
    }
}

#[test]
fn every_number_of_the_score_follows_from_the_reply() {
    for name in [
        "helpdesk",
        "hr-assistant",
        "agent-ts",
        "go-service",
        "java-service",
        "library-py",
        "no-ai",
    ] {
        let project = example(name);
        let daemon = Daemon::start(project.path(), &["--read-only"]);
        for date in ["2025-02-02", "2026-11-20", "2028-08-02"] {
            recompute(&scan(&daemon, date));
        }
    }
}

#[test]
fn without_ai_the_number_is_a_hundred_and_nothing_is_claimed() {
    let project = example("no-ai");
    let daemon = Daemon::start(project.path(), &[]);
    let scan = scan(&daemon, "2028-08-02");
    let score = &scan["score"];
    assert_eq!(
        (&scan["applicability"], &score["compliance"]),
        (&json!("no_ai_found"), &json!(100.0))
    );
    assert_eq!((&score["coverage"], &score["grade"]), (&json!(0.0), &Value::Null));
    assert_eq!((&score["breakdown"], &score["caps"]), (&json!([]), &json!([])));
    assert_eq!(daemon.get("/status").json()["compliance_score"], Value::Null);
}

fn gaps(scan: &Value) -> Vec<&Value> {
    scan["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["type"] == "fail")
        .collect()
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn edit(folder: &Path, path: &str, old: &str, new: &str) {
    let text = fs::read_to_string(folder.join(path)).unwrap();
    assert!(text.contains(old));
    fs::write(folder.join(path), text.replace(old, new)).unwrap();
}

const CALL: &str = "    reply = client.chat.completions.create(";

#[test]
fn what_became_of_every_suppression_is_in_the_reply() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &[]);
    let before = scan(&daemon, "2026-11-20");
    let gap = gaps(&before)
        .into_iter()
        .find(|f| f["checkId"] == "l4-undisclosed-interaction")
        .unwrap()
        .clone();
    edit(
        project.path(),
        "app/main.py",
        CALL,
        &format!(
            "    # compliance-ignore: l4-undisclosed-interaction -- the page around the chat says it\n    # compliance-ignore: l4-undisclosed-interacton -- a slip of the pen\n    # compliance-ignore: l4-unlogged-model-call\n{CALL}"
        ),
    );
    write(
        project.path(),
        ".compliance/suppressions.toml",
        "[[suppression]]\ncheck = \"l4-answer-reaches-shell\"\nkind = \"accepted_risk\"\nreason = \"r\"\nowner = \"A. Person\"\n\n[[suppression]]\ncheck = \"l4-undisclosed-interaction\"\nkind = \"accepted_risk\"\nreason = \"until the relaunch\"\nowner = \"A. Person\"\nuntil = 2026-11-19\n\n[[suppression]]\ncheck = \"l4-undisclosed-interaction\"\nkind = \"accepted_risk\"\nreason = \"no owner\"\n",
    );
    let after = scan(&daemon, "2026-11-20");
    let records = after["suppressions"].as_array().unwrap();
    let said: Vec<(&str, &str)> = records
        .iter()
        .map(|record| (record["status"].as_str().unwrap(), record["source"].as_str().unwrap()))
        .collect();
    assert_eq!(
        said,
        [
            ("applied", "comment"),
            ("unknown_check", "comment"),
            ("invalid", "comment"),
            ("unused", "file"),
            ("expired", "file"),
            ("invalid", "file"),
        ]
    );
    let message = |index: usize| records[index]["message"].as_str().unwrap();
    assert!(
        message(1).contains("`l4-undisclosed-interaction`"),
        "the nearest is named: {}",
        message(1)
    );
    assert!(message(2).contains("no reason"), "{}", message(2));
    assert!(message(4).contains("open again"), "{}", message(4));
    assert!(message(5).contains("`owner`"), "{}", message(5));
    assert_eq!(records[0]["findings"], json!([gap["id"]]));
    assert_eq!(records[5]["line"], 14);
    let set_aside = gaps(&after).into_iter().find(|f| f["id"] == gap["id"]).unwrap();
    assert_eq!(set_aside["suppressed"]["kind"], "false_positive");
    recompute(&after);
    assert!(after["score"]["compliance"].as_f64() >= before["score"]["compliance"].as_f64());
    // Without the false alarm nothing is left that was evaluated: no new finding, and no pass.
    assert_eq!(after["gate"]["newFindings"], 0, "{}", after["gate"]);
    assert_eq!(after["gate"]["verdict"], "not_assessed", "{}", after["gate"]);
    let record = after["obligations"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["obligationId"] == "OBL-094")
        .unwrap();
    assert_ne!(
        record["status"], "evidenced",
        "to call a finding wrong proves nothing: {record}"
    );
    assert!(
        record["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .any(|e| e["kind"] == "person"),
        "it becomes evidence: {record}"
    );
}

#[test]
fn an_accepted_risk_leaves_the_gate_and_stays_a_gap_until_it_ends() {
    let project = project(CHAT);
    write(
        project.path(),
        ".compliance/suppressions.toml",
        "[[suppression]]\ncheck = \"l4-undisclosed-interaction\"\nkind = \"accepted_risk\"\nreason = \"until the relaunch\"\nowner = \"A. Person\"\nuntil = \"2026-12-01\"\n",
    );
    let daemon = Daemon::start(project.path(), &["--read-only"]);
    let held = scan(&daemon, "2026-12-01");
    assert_eq!(held["gate"]["passed"], true, "{}", held["gate"]);
    let status = |scan: &Value| {
        let records = scan["obligations"].as_array().unwrap();
        records.iter().find(|r| r["obligationId"] == "OBL-094").unwrap()["status"].clone()
    };
    assert_eq!(status(&held), "gap");
    let ended = scan(&daemon, "2026-12-02");
    assert_eq!(ended["gate"]["passed"], false, "{}", ended["gate"]);
    assert_eq!(
        (status(&ended), &ended["suppressions"][0]["status"]),
        (json!("gap"), &json!("expired"))
    );
}

fn cli(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder, arguments);
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn a_baseline_is_an_entry_of_the_chain_without_names() {
    let project = project(CHAT);
    let folder = project.path();
    let words = ["--owner", "B. Owner", "--reason", "a private reason"];
    let (code, _, told) = cli(folder, &[&["baseline", "."], &words[..]].concat());
    assert_eq!(code, Some(0), "{told}");
    assert!(!told.contains("no entry"), "{told}");
    let file = folder.join(".compliance/baseline.json");
    let text = fs::read(&file).unwrap();
    let known: Value = serde_json::from_slice(&text).unwrap();
    let gaps = known["findings"].as_array().unwrap().len();
    let digest = blake3::hash(&text).to_hex().to_string();

    let daemon = Daemon::start(folder, &["--project", "."]);
    let trail = || daemon.get("/agent/audit?type=baseline").json();
    let newest = || trail()[0].clone();
    let valid = || {
        let report = daemon.get("/agent/evidence/verify?full=true").json();
        assert_eq!(
            (&report["valid"], &report["issues"]),
            (&json!(true), &json!([])),
            "{report}"
        );
    };
    let entry = newest();
    let payload = &entry["payload"];
    assert_eq!(
        (&payload["action"], &payload["blake3"], &payload["before"]),
        (&json!("created"), &json!(digest), &Value::Null),
        "{entry}"
    );
    let counts = &payload["counts"];
    assert_eq!(
        (&counts["findings"], &counts["withOwner"], &counts["withEnd"]),
        (&json!(gaps), &json!(gaps), &json!(0)),
        "{entry}"
    );
    let by_severity = ["critical", "high", "medium", "low", "info"];
    let sum: u64 = by_severity.iter().map(|name| counts[name].as_u64().unwrap()).sum();
    assert_eq!(sum, gaps as u64);
    assert_eq!(
        entry["artifacts"],
        json!([{"path": ".compliance/baseline.json", "blake3": digest}])
    );
    let all = trail().to_string();
    assert!(!all.contains("B. Owner") && !all.contains("private reason"), "{all}");
    valid();

    // A scan adds no second entry, and one that finds the file gone says so.
    let scanned = || assert_eq!(daemon.post("/scan", r#"{"path": "."}"#).status, 200);
    scanned();
    assert_eq!(trail().as_array().unwrap().len(), 1);
    fs::remove_file(&file).unwrap();
    scanned();
    let entry = newest();
    assert_eq!(
        (&entry["payload"]["action"], &entry["payload"]["removed"]),
        (&json!("removed"), &json!([".compliance/baseline.json"])),
        "{entry}"
    );
    valid();

    // Written while a daemon uses the project, it is recorded by the next scan.
    let (code, _, told) = cli(folder, &["baseline", ".", "--until", "2027-03-31"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("The next stored scan records it"), "{told}");
    assert_eq!(trail().as_array().unwrap().len(), 2);
    scanned();
    let entry = newest();
    assert_eq!(
        (&entry["payload"]["action"], &entry["payload"]["counts"]["withEnd"]),
        (&json!("created"), &json!(gaps)),
        "{entry}"
    );
    valid();
}

#[test]
fn a_baseline_lets_the_known_pass_and_the_new_fail() {
    let project = project(CHAT);
    let folder = project.path();
    let day = ["--as-of", "2026-11-20"];
    let fail_on = [
        &["scan", ".", "--no-state", "--format", "json", "--fail-on", "high"][..],
        &day,
    ]
    .concat();
    assert_eq!(cli(folder, &fail_on).0, Some(1));
    let draw = [
        &[
            "baseline",
            ".",
            "--owner",
            "A. Person",
            "--reason",
            "before the engine",
            "--until",
            "2027-03-31",
        ][..],
        &day,
    ]
    .concat();
    let (code, out, told) = cli(folder, &draw);
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("written"), "{out}");
    let text = fs::read_to_string(folder.join(".compliance/baseline.json")).unwrap();
    assert!(!text.contains("\"line\""), "lines move, and a baseline does not");
    let (code, out, told) = cli(folder, &fail_on);
    assert_eq!(code, Some(0), "{told}");
    let scan: Value = serde_json::from_str(&out).unwrap();
    let known = gaps(&scan);
    assert!(
        !known.is_empty() && known.iter().all(|f| f["baseline"]["owner"] == "A. Person"),
        "they stay in the reply"
    );
    assert_eq!(
        (&scan["gate"]["passed"], &scan["baseline"]["matched"]),
        (&json!(true), &json!(known.len()))
    );
    assert_eq!(scan["gate"]["knownFindings"], 1, "{}", scan["gate"]);
    recompute(&scan);

    // Written again it is the same to the byte, with what people said kept.
    let (_, out, _) = cli(folder, &["baseline", ".", "--as-of", "2026-11-20"]);
    assert!(out.contains("unchanged"), "{out}");
    assert_eq!(
        fs::read_to_string(folder.join(".compliance/baseline.json")).unwrap(),
        text
    );

    // A moved line is known, a new gap is not.
    edit(folder, "app/main.py", "app = FastAPI()", "# a note\n\napp = FastAPI()");
    assert_eq!(cli(folder, &fail_on).0, Some(0));
    write(
        folder,
        "app/shell.py",
        "import os\nfrom app.main import app, client\n\n\n@app.post(\"/run\")\ndef run(task: str):\n    reply = client.chat.completions.create(model=\"gpt-4o\", messages=[{\"role\": \"user\", \"content\": task}])\n    os.system(reply.choices[0].message.content)\n",
    );
    let medium = [
        &["scan", ".", "--no-state", "--format", "json", "--fail-on", "low"][..],
        &day,
    ]
    .concat();
    let (code, out, _) = cli(folder, &medium);
    let scan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        code,
        Some(i32::from(gaps(&scan).iter().any(|f| f["baseline"].is_null()))),
        "{:?}",
        gaps(&scan)
    );
    fs::remove_file(folder.join("app/shell.py")).unwrap();

    // Past its day it opens again and is said; what was fixed is said as well.
    let (code, _, told) = cli(
        folder,
        &["scan", ".", "--no-state", "--fail-on", "high", "--as-of", "2027-04-01"],
    );
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("expired on 2027-03-31"), "{told}");
    edit(
        folder,
        "app/main.py",
        "return reply",
        "return \"An AI system answers: \" + reply",
    );
    let (_, out, told) = cli(folder, &fail_on);
    let scan: Value = serde_json::from_str(&out).unwrap();
    assert!(
        !scan["baseline"]["unmatched"].as_array().unwrap().is_empty(),
        "{}",
        scan["baseline"]
    );
    assert!(told.contains("match no gap any more"), "{told}");

    // A baseline elsewhere is used when it is named, and a broken one is no baseline.
    fs::rename(folder.join(".compliance/baseline.json"), folder.join("known.json")).unwrap();
    edit(
        folder,
        "app/main.py",
        "return \"An AI system answers: \" + reply",
        "return reply",
    );
    assert_eq!(cli(folder, &fail_on).0, Some(1));
    assert_eq!(
        cli(folder, &[&fail_on[..], &["--baseline", "known.json"]].concat()).0,
        Some(0)
    );
    write(folder, "known.json", "{}");
    let (code, _, told) = cli(folder, &[&fail_on[..], &["--baseline", "known.json"]].concat());
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("known.json"), "{told}");
}

#[test]
fn the_gate_has_the_thresholds_of_the_project() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &["--read-only"]);
    assert_eq!(
        scan(&daemon, "2026-11-20")["gate"]["passed"],
        false,
        "one high gap is new"
    );
    write(
        project.path(),
        ".compliance/config.toml",
        "[gate]\nmax_new_findings = 5\n",
    );
    let gate = scan(&daemon, "2026-11-20")["gate"].clone();
    assert_eq!(
        (&gate["passed"], &gate["threshold"]["newFindings"]["max"]),
        (&json!(true), &json!(5))
    );
    write(
        project.path(),
        ".compliance/config.toml",
        "[gate]\nmax_new_findings = 5\nmin_score = 95\n",
    );
    let gate = scan(&daemon, "2026-11-20")["gate"].clone();
    assert_eq!(gate["passed"], false);
    assert!(
        gate["reasons"][0].as_str().unwrap().contains("the minimum is 95"),
        "{gate}"
    );
    write(project.path(), ".compliance/config.toml", "[gate]\nmin_scor = 95\n");
    let body = daemon
        .post("/scan", r#"{"path": "."}"#)
        .assert_failure(409, "state-conflict");
    assert!(body["details"].as_str().unwrap().contains("min_scor"), "{body}");
}
