//! The law as it moves: one project on the days on which something changes, and this repository itself.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Daemon, example, run, write_project};

const DAYS: [&str; 7] = [
    "2025-02-02",
    "2025-08-02",
    "2026-08-02",
    "2026-11-20",
    "2026-12-02",
    "2027-12-02",
    "2028-08-02",
];

/// What changes with the date, and nothing else.
fn short(scan: &Value, day: &str) -> Value {
    let mut systems = BTreeMap::new();
    for system in scan["systems"].as_array().unwrap() {
        let mut applies = Vec::new();
        let mut upcoming = Vec::new();
        let mut open: BTreeMap<String, u32> = BTreeMap::new();
        for record in system["obligations"].as_array().unwrap() {
            let (id, from) = (
                record["obligationId"].as_str().unwrap(),
                record["appliesFrom"].as_str().unwrap_or("?"),
            );
            match record["applies"].as_str().unwrap() {
                "applies" => applies.push(format!(
                    "{id} {}: {}",
                    record["article"].as_str().unwrap(),
                    record["status"].as_str().unwrap()
                )),
                "upcoming" => upcoming.push(format!("{id} {} from {from}", record["article"].as_str().unwrap())),
                "undetermined" => {
                    *open
                        .entry(format!("{} {from}", if from <= day { "since" } else { "from" }))
                        .or_default() += 1;
                }
                _ => {}
            }
        }
        systems.insert(
            system["id"].as_str().unwrap(),
            json!({ "riskClass": system["riskClass"], "applies": applies, "upcoming": upcoming, "hangsOnAnAnswer": open }),
        );
    }
    let mut findings: BTreeMap<String, u32> = BTreeMap::new();
    for finding in scan["findings"].as_array().unwrap() {
        let key = format!(
            "{} {} {}",
            finding["type"].as_str().unwrap(),
            finding["severity"].as_str().unwrap(),
            finding["checkId"].as_str().unwrap()
        );
        *findings.entry(key).or_default() += 1;
    }
    let score = &scan["score"];
    json!({
        "score": { "compliance": score["compliance"], "readiness": score["readiness"], "coverage": score["coverage"], "grade": score["grade"] },
        "systems": systems,
        "findings": findings,
    })
}

#[test]
fn the_law_moves_and_the_code_stays() {
    let project = example("hr-assistant");
    let daemon = Daemon::start(project.path(), &["--read-only"]);
    let mut results = BTreeMap::new();
    let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for day in DAYS {
        let scan = daemon
            .post("/scan", &json!({ "path": ".", "asOf": day }).to_string())
            .json();
        assert_eq!(scan["asOf"], day);
        for finding in scan["findings"].as_array().unwrap() {
            let key = format!("{} {}", finding["checkId"], finding["file"]);
            ids.entry(key).or_default().push(finding["id"].to_string());
        }
        results.insert(day, short(&scan, day));
    }
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!("hr-assistant-by-date", results);
    });
    // A finding keeps its id whatever the date makes of it.
    for (key, ids) in ids {
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert!(distinct.len() <= 2, "{key}: {distinct:?}");
    }
}

/// What the owner of the example states.
const PROFILE: &str = r#"version = 1

[organisation]
established = { value = "eu", by = "A. Person", on = 2026-11-20, why = "registered in Vienna" }
public-role = { value = "private", by = "A. Person", on = 2026-11-20 }

[all]
role = { value = ["provider", "deployer"], by = "A. Person", on = 2026-11-20, why = "built here for our own staff" }
placed-on-market = { value = 2026-03-01, by = "A. Person", on = 2026-11-20 }
development = { value = "none", by = "A. Person", on = 2026-11-20 }
role-change = { value = "no", by = "A. Person", on = 2026-11-20 }

[systems.hr-ranking]
annex-iii-employment = { value = "4(a)", by = "A. Person", on = 2026-11-20, why = "it ranks applicants" }
use = { value = ["input-data", "decisions"], by = "A. Person", on = 2026-11-20 }

[[organisation.evidence]]
obligation = "OBL-129"
reference = "reporting channel, handbook chapter 4"
by = "A. Person"
on = 2026-11-20
until = 2027-11-20
"#;

#[test]
fn answers_settle_the_law_on_every_day() {
    let project = example("hr-assistant");
    write_project(project.path(), &format!("//- .compliance/profile.toml\n{PROFILE}"));
    let daemon = Daemon::start(project.path(), &["--read-only"]);
    let mut results = BTreeMap::new();
    for day in DAYS {
        let scan = daemon
            .post("/scan", &json!({ "path": ".", "asOf": day }).to_string())
            .json();
        assert_eq!(scan["profile"]["status"], "read", "{}", scan["profile"]);
        for system in scan["systems"].as_array().unwrap() {
            let open: Vec<&Value> = system["obligations"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|record| record["applies"] == "undetermined" && record["questionId"].is_null())
                .collect();
            assert!(open.is_empty(), "{day}: {open:?}");
        }
        results.insert(day, short(&scan, day));
    }
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!("hr-assistant-by-date-with-answers", results);
    });
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn a_scan_of_this_repository_finds_no_grave_practice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let output = run(
        &root,
        &["scan", ".", "--no-state", "--format", "json", "--as-of", "2028-08-02"],
    );
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let scan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        scan["filesScanned"].as_u64().unwrap() > 300,
        "the repository itself is read"
    );
    for system in scan["systems"].as_array().unwrap() {
        assert!(
            !["prohibited", "high"].contains(&system["riskClass"].as_str().unwrap()),
            "{system}"
        );
    }
    for finding in scan["findings"].as_array().unwrap() {
        let article = finding["explanation"]["article"].as_str().unwrap_or("");
        let grave = finding["type"] == "fail" && (article.starts_with("Art. 5(") || finding["severity"] == "critical");
        assert!(!grave, "{finding}");
    }
    assert_eq!(scan["score"]["caps"], json!([]));
    // On request the engine asks the model that a user names, through a client of its own that no call shape describes.
    assert_eq!(scan["applicability"], "undetermined", "{}", scan["applicabilityReason"]);
    assert_eq!(
        scan["suppressions"],
        json!([]),
        "no suppression is taken from documentation or tests"
    );
}

#[test]
fn code_in_a_language_that_is_not_parsed_leaves_the_verdict_open_and_no_key_in_an_address_is_told() {
    let key = format!("AIza{}", "Sy0123456789abcdefghijklmnopqrstuvw");
    let project = tempfile::tempdir().unwrap();
    std::fs::create_dir(project.path().join("lib")).unwrap();
    std::fs::write(
        project.path().join("lib/chat.dart"),
        format!(
            "import 'package:http/http.dart' as http;\n\nfinal ask = Uri.parse('https://generativelanguage.googleapis.com/v1beta/models/\
             gemini-2.5-flash:generateContent?key={key}');\n"
        ),
    )
    .unwrap();
    let daemon = Daemon::start(project.path(), &[]);
    let reply = daemon.post("/scan", &json!({"path": "."}).to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(!reply.body.contains(&key));
    let scan = reply.json();
    assert_eq!(scan["applicability"], "undetermined");
    assert_eq!(
        scan["applicabilityReason"],
        "lib/chat.dart:3 names `generativelanguage.googleapis.com` in Dart, a language that is not analysed as code: could not \
         determine whether it calls a model"
    );
    assert_eq!(scan["inventory"]["calls"], json!([]));
    assert_eq!(scan["obligations"], json!([]));
}
