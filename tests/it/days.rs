//! A day of each of the four readers over HTTP: what they ask in the order in which they ask it, and what they are told.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use engine_evidence::Verdict;
use engine_package::paths;
use engine_verify::{CheckOutcome, Options, verify_bytes};
use serde_json::{Value, json};

use crate::audit_package::unpack;
use crate::evidence::Place;
use crate::support::{Daemon, Reply, copy, example, fingerprint, read_until, run};
use crate::target::{Target, scripted};

/// Fixes what the probes ask.
const SEED: u64 = 17;

fn ok(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

fn get(daemon: &Daemon, path: &str) -> Value {
    ok(&daemon.get(path))
}

fn post(daemon: &Daemon, path: &str, body: &Value) -> Value {
    ok(&daemon.post(path, &body.to_string()))
}

fn scan(daemon: &Daemon) -> Value {
    post(daemon, "/scan", &json!({"path": "."}))
}

fn list<'v>(value: &'v Value, field: &str) -> &'v Vec<Value> {
    value[field].as_array().unwrap_or_else(|| panic!("{field}: {value}"))
}

/// The gap of a check.
fn gap<'v>(scan: &'v Value, check: &str) -> Option<&'v Value> {
    let mut findings = list(scan, "findings").iter();
    findings.find(|one| one["checkId"] == check && one["type"] == "fail")
}

/// A model that stops within weeks counts as a gap before its date.
fn is_urgent(finding: &Value) -> bool {
    finding["impact"] == "breaks" && ["medium", "high", "critical"].contains(&finding["severity"].as_str().unwrap())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// The same number, whether it was written with or without a fraction.
fn same(one: &Value, other: &Value) {
    assert!((number(one) - number(other)).abs() < 1e-9, "{one} and {other}");
}

#[test]
fn day_of_a_developer_scan_fix_undo_compare_bill_of_materials() {
    let project = example("helpdesk");
    let before = fingerprint(project.path());
    let daemon = Daemon::start(project.path(), &["--project", "."]);

    // What is wrong, and where.
    let first = scan(&daemon);
    assert_eq!(first["applicability"], "systems_found");
    let disclosure = gap(&first, "l4-undisclosed-interaction").unwrap();
    assert_eq!(
        (&disclosure["file"], &disclosure["line"], &disclosure["obligationId"]),
        (&json!("api/chat.py"), &json!(46), &json!("OBL-094"))
    );
    let line = list(&disclosure["codeContext"], "lines")
        .iter()
        .find(|line| line["num"] == 46)
        .unwrap();
    let source = fs::read_to_string(project.path().join("api/chat.py")).unwrap();
    assert_eq!(line["content"], source.lines().nth(45).unwrap());
    assert_eq!(disclosure["fixable"], true);

    // The fix as it would be, as it is, and what it did to the score.
    let preview = get(&daemon, "/fix/preview");
    same(&preview["currentScore"], &first["score"]["compliance"]);
    let body = json!({"checkId": "l4-undisclosed-interaction"});
    let item = post(&daemon, "/fix/preview", &body);
    let file = item["file"].as_str().unwrap();
    let old = fs::read_to_string(project.path().join(file)).unwrap();
    assert_eq!(fingerprint(project.path()), before, "a preview changes nothing");
    let result = post(&daemon, "/fix/apply", &body);
    assert_eq!((&result["applied"], &result["diff"]), (&json!(true), &item["diff"]));
    same(&result["scoreBefore"], &first["score"]["compliance"]);
    let impact: f64 = item["scoreImpact"].as_str().unwrap().parse().unwrap();
    assert!(impact > 0.0, "{item}");
    let change = number(&result["scoreAfter"]) - number(&result["scoreBefore"]);
    assert!((change - impact).abs() < 0.051, "{change} and {impact}");
    let new = fs::read_to_string(project.path().join(file)).unwrap();
    let added: Vec<&str> = result["diff"]
        .as_str()
        .unwrap()
        .lines()
        .filter(|line| line.starts_with('+') && !line.starts_with("+++"))
        .map(|line| &line[1..])
        .collect();
    assert!(!added.is_empty() && added.iter().all(|line| new.lines().any(|other| other == *line)));
    assert!(added.iter().any(|line| !old.contains(line)), "{added:?}");
    let second = scan(&daemon);
    assert!(gap(&second, "l4-undisclosed-interaction").is_none());
    same(&second["score"]["compliance"], &result["scoreAfter"]);

    // A change of tomorrow, compared with the stored scan before it is committed.
    let main = project.path().join("api/chat.py");
    let edited = source.clone()
        + "\n\ndef again(text: str) -> str:\n    from openai import OpenAI\n\n    client = OpenAI(api_key=\"sk-proj-Zk3mQ9vT2bXw7LrN5cJd8HfY1sGp4EaUo6RiKtVxWyBnMqCz\")\n    return client.responses.create(model=\"gpt-4.1-2025-04-14\", input=text).output_text\n";
    fs::write(&main, edited).unwrap();
    let diff = post(
        &daemon,
        "/scan/diff",
        &json!({"changedFiles": ["api/chat.py"], "markdown": true}),
    );
    assert_eq!(diff["baseline"], second["id"]);
    assert_eq!(diff["hasRegression"], true);
    let key = list(&diff, "added")
        .iter()
        .find(|one| one["checkId"] == "secret-ai-key")
        .unwrap_or_else(|| panic!("{diff}"));
    assert_eq!(key["file"], "api/chat.py");
    assert!(
        !diff.to_string().contains("Zk3mQ9vT2bXw7LrN5cJd8HfY1sGp4Ea"),
        "the key is masked"
    );
    assert!(diff["markdown"].as_str().unwrap().contains("api/chat.py"));
    fs::write(&main, &source).unwrap();
    let diff = post(&daemon, "/scan/diff", &json!({}));
    assert_eq!((list(&diff, "added").len(), list(&diff, "removed").len()), (0, 0));

    // Back to where the day began.
    let history = get(&daemon, "/fix/history");
    assert_eq!(
        (&history["count"], &history["fixes"][0]["canUndo"]),
        (&json!(1), &json!(true))
    );
    let undone = post(&daemon, "/fix/undo", &json!({}));
    assert_eq!(undone["undone"], true);
    same(&undone["scoreAfter"], &first["score"]["compliance"]);
    assert_eq!(fs::read_to_string(project.path().join(file)).unwrap(), old);
    assert_eq!(get(&daemon, "/fix/history")["fixes"][0]["status"], "undone");
    daemon.post("/fix/undo", "{}").assert_failure(404, "unknown-fix");

    // What the project is made of.
    let bill = get(&daemon, "/sbom");
    let components: Vec<(&str, &str)> = list(&bill, "components")
        .iter()
        .map(|one| (one["type"].as_str().unwrap(), one["name"].as_str().unwrap()))
        .collect();
    assert!(components.contains(&("library", "anthropic")), "{components:?}");
    for model in list(&first["inventory"], "models") {
        let name = model["name"].as_str().unwrap_or_default();
        assert!(
            components
                .iter()
                .any(|(kind, other)| *kind == "machine-learning-model" && other.ends_with(name)),
            "{name}: {components:?}"
        );
    }
}

#[test]
fn day_of_a_platform_engineer_status_events_gate_pipeline_frameworks() {
    let project = example("helpdesk");
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let idle = get(&daemon, "/status");
    assert_eq!(
        (&idle["ready"], &idle["last_scan"], &idle["compliance_score"]),
        (&json!(true), &Value::Null, &Value::Null)
    );

    // Events of a scan, as they come.
    let mut events = daemon.connect();
    write!(events, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    read_until(&mut events, ": connected");
    let scanned = scan(&daemon);
    let text = read_until(&mut events, r#""entryType":"scan""#);
    for event in ["scan.complete", "score.update", "gate.fail", "evidence.appended"] {
        assert!(text.contains(&format!("event: {event}\n")), "{event}: {text}");
    }
    assert!(text.contains(&format!("\"scanId\":{}", scanned["id"])), "{text}");

    // The status is the scan in short.
    let status = get(&daemon, "/status");
    assert_eq!(status["last_scan"], scanned["scannedAt"]);
    same(&status["compliance_score"], &scanned["score"]["compliance"]);
    let open = |one: &&Value| one["suppressed"].is_null();
    let gaps = list(&scanned, "findings")
        .iter()
        .filter(open)
        .filter(|one| one["type"] == "fail")
        .count();
    let urgent = list(&scanned, "findings")
        .iter()
        .filter(open)
        .filter(|one| one["type"] == "info" && is_urgent(one))
        .count();
    assert_eq!(status["total_findings"], json!(gaps + urgent));
    assert_eq!(status["agents_count"], json!(list(&scanned, "agents").len()));
    let posture = get(&daemon, "/status/posture");
    same(&posture["score"]["totalScore"], &scanned["score"]["compliance"]);

    // The gate of a pipeline, before and after a baseline.
    assert_eq!(scanned["gate"]["verdict"], "failed");
    let named: BTreeSet<&str> = list(&scanned["gate"], "findings")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let high: BTreeSet<&str> = list(&scanned, "findings")
        .iter()
        .filter(|one| one["type"] == "fail" && ["high", "critical"].contains(&one["severity"].as_str().unwrap()))
        .filter_map(|one| one["id"].as_str())
        .collect();
    assert_eq!(named, high);
    let sarif = run(
        project.path(),
        &["scan", ".", "--format", "sarif", "--fail-on", "high", "--no-state"],
    );
    assert_eq!(
        sarif.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&sarif.stderr)
    );
    let sarif: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    let places: BTreeSet<(String, u64)> = list(&sarif["runs"][0], "results")
        .iter()
        .filter(|one| one["level"] == "error")
        .map(|one| {
            let place = &one["locations"][0]["physicalLocation"];
            (
                place["artifactLocation"]["uri"].as_str().unwrap().to_owned(),
                place["region"]["startLine"].as_u64().unwrap(),
            )
        })
        .collect();
    assert!(places.contains(&("api/chat.py".to_owned(), 46)), "{places:?}");
    let arguments = [
        "baseline",
        ".",
        "--reason",
        "known before the first release",
        "--owner",
        "Platform",
    ];
    assert!(run(project.path(), &arguments).status.success());
    let after = scan(&daemon);
    assert_eq!(
        (&after["gate"]["verdict"], &after["gate"]["newFindings"]),
        (&json!("passed"), &json!(0))
    );
    assert_eq!(after["baseline"]["matched"], json!(gaps));
    assert_eq!(after["score"], scanned["score"], "a baseline lifts no score");
    let arguments = ["scan", ".", "--fail-on", "high", "--no-state"];
    assert_eq!(run(project.path(), &arguments).status.code(), Some(0));

    // Frameworks, and the badge for the README.
    let known = get(&daemon, "/frameworks");
    let scores = get(&daemon, "/frameworks/scores");
    assert_eq!(list(&known, "frameworks").len(), list(&scores, "frameworks").len());
    let act = &scores["frameworks"][0];
    assert_eq!(act["frameworkId"], "eu-ai-act");
    let disclosure = list(act, "controls").iter().find(|one| one["id"] == "OBL-094").unwrap();
    assert_eq!(disclosure["status"], "gap");
    assert!(
        list(disclosure, "evidence")
            .iter()
            .any(|one| one["file"] == "api/chat.py")
    );
    for framework in list(&scores, "frameworks") {
        if framework["grade"] != "not assessed" {
            assert!(number(&framework["coverage"]) >= 50.0, "{framework}");
        }
    }
    let badge = daemon.get("/badge");
    assert_eq!(badge.header("content-type"), "image/svg+xml");
    assert!(badge.body.contains("self-assessed"), "{}", badge.body);
}

#[test]
fn day_of_a_compliance_officer_answers_passports_documents_report_share() {
    let project = example("hr-assistant");
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    scan(&daemon);
    let before = get(&daemon, "/onboarding/status");
    assert_eq!((&before["onboarded"], &before["answered"]), (&json!(false), &json!(0)));
    let seen = post(&daemon, "/onboarding/detect", &json!({}));
    let systems: Vec<&str> = list(&seen, "aiSystems")
        .iter()
        .filter_map(|one| one["id"].as_str())
        .collect();
    assert_eq!(systems, ["main", "hr-ranking"]);
    let questions = get(&daemon, "/onboarding/questions").to_string();
    for key in ["hr-ranking.annex-iii-employment", "main.art-5-social-scoring"] {
        assert!(questions.contains(&format!("\"{key}\"")), "{key}");
    }

    // Answers settle the class, and say who gave them.
    let answers = json!({
        "by": "O. Fficer",
        "answers": {
            "main.role": ["provider", "deployer"],
            "hr-ranking.role": "deployer",
            "hr-ranking.annex-iii-employment": "4(a)",
            "hr-ranking.annex-iii-exemption": "none",
            "organisation.public-role": "public-body",
        },
    });
    let profile = post(&daemon, "/onboarding/complete", &answers);
    assert_eq!(profile["profile"]["computed"]["riskLevel"], "high");
    let text = fs::read_to_string(project.path().join(".compliance/profile.toml")).unwrap();
    assert!(text.contains("O. Fficer") && text.contains("4(a)"), "{text}");
    let scanned = scan(&daemon);
    let ranking = list(&scanned, "systems")
        .iter()
        .find(|one| one["id"] == "hr-ranking")
        .unwrap();
    assert_eq!(
        (&ranking["riskClass"], &ranking["role"]),
        (&json!("high"), &json!("deployer"))
    );
    let after = get(&daemon, "/onboarding/status");
    assert!(
        number(&after["undetermined"]) < number(&before["undetermined"]),
        "{after}"
    );

    // Passports of both agents, signed, with what is still missing.
    let made = post(
        &daemon,
        "/agent/init",
        &json!({"path": ".", "overrides": {"owner.organization": "Acme"}}),
    );
    assert_eq!((list(&made, "manifests").len(), list(&made, "skipped").len()), (2, 0));
    let passport = get(&daemon, "/agent/show?path=.&name=hr-ranking");
    assert_eq!(
        (
            &passport["compliance"]["eu_ai_act"]["risk_class"],
            &passport["owner"]["organization"]
        ),
        (&json!("high"), &json!("Acme"))
    );
    assert_eq!(passport["provenance"]["fields"]["owner.organization"], "answer");
    let valid = get(&daemon, "/agent/validate?path=.&name=hr-ranking");
    assert_eq!(
        (&valid["valid"], &valid["signatureValid"]),
        (&json!(true), &json!(true))
    );
    let complete = get(&daemon, "/agent/completeness?path=.&name=hr-ranking");
    assert!(!complete.to_string().contains("\"owner.organization\""));
    let autonomy = get(&daemon, "/agent/autonomy?path=.");
    assert_eq!(autonomy["level"], "L4");

    // The assessment that Art. 27 requires of a public body, with what a person said and blanks for the rest.
    let fria = json!({"path": ".", "name": "hr-ranking", "organization": "Acme", "assessor": "O. Fficer",
        "impact": "Applicants are ranked."});
    let fria = post(&daemon, "/agent/fria", &fria);
    assert_eq!((&fria["docType"], &fria["status"]), (&json!("fria"), &json!("draft")));
    let document = fs::read_to_string(project.path().join(fria["savedPath"].as_str().unwrap())).unwrap();
    assert_eq!(fria["content"], document);
    assert!(document.contains("Acme") && document.contains("Applicants are ranked."));
    assert!(!list(&fria, "manualFields").is_empty());
    let all = post(&daemon, "/agent/doc/all", &json!({"path": ".", "organization": "Acme"}));
    assert_eq!(list(&all, "errors").len(), 0, "{all}");
    assert!(list(&all, "generated").len() > 5);
    for one in list(&all, "generated") {
        assert!(
            project.path().join(one["savedPath"].as_str().unwrap()).exists(),
            "{one}"
        );
    }
    assert!(list(&all, "notApplicable").iter().all(|one| one["reason"].is_string()));
    let drafted = scan(&daemon);
    same(&drafted["score"]["compliance"], &scanned["score"]["compliance"]);

    // A report for the board, and a result for a partner.
    let request = json!({"organization": "Acme", "jurisdiction": "DE"});
    let pdf = daemon.post("/report/pdf", &request.to_string());
    assert_eq!(pdf.header("content-type"), "application/pdf");
    assert!(pdf.bytes.starts_with(b"%PDF-") && pdf.bytes.len() > 10_000);
    let report = post(&daemon, "/report/markdown", &request);
    let markdown = report["markdown"].as_str().unwrap();
    assert!(markdown.contains("Acme") && markdown.contains("hr-ranking"));
    assert_eq!(report["scanId"], drafted["id"]);
    let share = post(&daemon, "/share", &json!({"scanType": "scan", "expirationDays": 7}));
    same(&share["score"], &drafted["score"]["compliance"]);
    let shared = daemon.get(&format!("/share/{}", share["id"].as_str().unwrap()));
    assert_eq!(shared.status, 200);
    let folder = project.path().to_str().unwrap();
    assert!(!shared.body.contains(folder) && !shared.body.contains("O. Fficer"));
    assert_eq!(get(&daemon, "/shares")["shares"][0]["id"], share["id"]);
}

#[test]
fn day_of_an_auditor_evidence_package_reports_evaluation_jurisdictions() {
    let place = Place::new();
    copy(example("helpdesk").path(), place.project.path());
    place.run(&["key", "show"]);
    let key = crate::audit_package::secret(&place).public();
    let daemon = place.daemon();
    let scanned = scan(&daemon);
    post(&daemon, "/agent/init", &json!({"path": "."}));
    let target = Target::start(std::time::Duration::ZERO, scripted(SEED, &["bias"]));
    let run = post(
        &daemon,
        "/eval/run",
        &json!({"path": ".", "target": target.url, "seed": SEED, "maxProbes": 12, "categories": ["bias", "transparency"]}),
    );
    post(&daemon, "/report/markdown", &json!({"path": "."}));

    // The chain: who did what, in order, and nothing that does not fit.
    let summary = get(&daemon, "/agent/evidence?path=.");
    let verdict = get(&daemon, "/agent/evidence/verify?path=.");
    assert_eq!(
        (&verdict["valid"], &verdict["verdict"], &verdict["brokenAt"]),
        (&json!(true), &json!("valid"), &Value::Null)
    );
    assert_eq!(
        (&verdict["entries"], &verdict["issues"]),
        (&summary["entries"], &json!([]))
    );
    let trail = get(&daemon, "/agent/audit?path=.");
    let trail = trail.as_array().unwrap();
    assert_eq!(json!(trail.len()), summary["entries"]);
    let kinds: BTreeSet<&str> = trail.iter().filter_map(|one| one["type"].as_str()).collect();
    for kind in ["scan", "passport", "eval", "report"] {
        assert!(kinds.contains(kind), "{kinds:?}");
    }
    let scans = get(&daemon, "/agent/audit?path=.&type=scan");
    let recorded = scans
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["payload"]["scanId"] == scanned["id"]);
    let stated: f64 = recorded.unwrap()["payload"]["score"].as_str().unwrap().parse().unwrap();
    assert!(
        (stated - number(&scanned["score"]["compliance"])).abs() < 0.01,
        "{stated}"
    );

    // The package, checked without the machine that made it.
    let package = daemon.get("/agent/audit-package?path=.");
    let meta = get(&daemon, "/agent/audit-package/meta?path=.");
    assert_eq!(meta["bytes"], json!(package.bytes.len()));
    let options = Options {
        pins: vec![key],
        ..Options::default()
    };
    let outcome = verify_bytes(&package.bytes, &options).unwrap();
    assert!(outcome.valid, "{}", outcome.text());
    assert_eq!(outcome.verdict, Verdict::Valid, "{}", outcome.text());
    let passed = |name: &str| {
        outcome
            .checks
            .iter()
            .any(|check| check.name == name && check.outcome == CheckOutcome::Passed)
    };
    for check in ["files", "chain", "scan", "evals"] {
        assert!(passed(check), "{check}: {}", outcome.text());
    }
    let files = unpack(&package.bytes);
    for folder in ["passports/", "evidence/", "scans/", "documents/", "evals/"] {
        assert!(
            files.keys().any(|path| path.starts_with(folder)),
            "{folder}: {:?}",
            files.keys()
        );
    }
    let packed: Value = serde_json::from_slice(&files[paths::SCAN]).unwrap();
    assert_eq!((&packed["id"], &packed["score"]), (&scanned["id"], &scanned["score"]));
    assert_eq!(
        String::from_utf8(files[paths::ENTRIES].clone())
            .unwrap()
            .lines()
            .count(),
        trail.len()
    );
    assert_no_machine_path(place.project.path(), &files);

    // The evaluation: counts follow from the verdicts of the probes.
    let last = get(&daemon, "/eval/last?path=.");
    assert_eq!(last["id"], run["id"]);
    let verdicts = |word: &str| {
        let results = list(&last, "results").iter();
        json!(results.filter(|one| one["verdict"] == word).count())
    };
    assert_eq!(
        (&last["passed"], &last["failed"]),
        (&verdicts("pass"), &verdicts("fail"))
    );
    assert!(number(&last["failed"]) > 0.0, "the target fails on bias: {last}");
    let bias = &last["categories"];
    assert!(
        bias.as_object()
            .unwrap()
            .values()
            .any(|one| number(&one["failed"]) > 0.0),
        "{bias}"
    );
    let findings = get(&daemon, "/eval/findings?path=.");
    assert_eq!(json!(list(&findings, "findings").len()), last["failed"]);
    let runs = get(&daemon, "/eval/list?path=.");
    assert_eq!(runs["results"][0]["id"], run["id"]);

    // The report, and the authority to write to.
    let report = post(&daemon, "/report/markdown", &json!({"path": ".", "jurisdiction": "FR"}));
    assert!(report["evidenceId"].is_string(), "{report}");
    let countries = get(&daemon, "/jurisdictions");
    assert_eq!(list(&countries, "jurisdictions").len(), 30);
    let france = get(&daemon, "/jurisdictions/fr");
    assert_eq!((&france["code"], &france["name"]), (&json!("FR"), &json!("France")));
    let authority = france["authority"].as_str().unwrap();
    assert!(!authority.is_empty());
    let whatif = json!({"path": ".", "type": "jurisdiction", "params": {"from": "DE", "to": "FR"}});
    assert!(post(&daemon, "/whatif", &whatif).to_string().contains(authority));
    assert_eq!(get(&daemon, "/agent/evidence/verify?path=.")["valid"], true);
}

/// No file of a package names the folder in which the project lies.
fn assert_no_machine_path(folder: &Path, files: &crate::audit_package::Files) {
    let folder = folder.to_str().unwrap();
    for (path, bytes) in files {
        assert!(!String::from_utf8_lossy(bytes).contains(folder), "{path}");
    }
}
