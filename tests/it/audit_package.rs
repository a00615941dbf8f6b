//! The audit package from the daemon and the command line: what is in it, what is not, and who may rely on it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

use engine_evidence::Verdict;
use engine_package::{Statement, paths};
use engine_signing::{Digest, Domain, SecretKey, canonical};
use engine_verify::{CheckOutcome, FaultKind, Options, verify_bytes};
use serde_json::{Value, json};

use crate::evidence::Place;
use crate::mutations::{json_of, repack};
use crate::support::{copy, example};
use crate::target::{Target, scripted};

/// Fixes what the probes ask.
const SEED: u64 = 11;

/// Files of a package, by their paths.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

pub(crate) fn unpack(bytes: &[u8]) -> Files {
    let mut files = Files::new();
    engine_package::read(bytes, &mut |path, _, piece| {
        files.entry(path.to_owned()).or_default().extend_from_slice(piece);
        Ok(())
    })
    .unwrap();
    files
}

/// A place with the helpdesk, a passport, and a signed key of its own.
pub(crate) fn helpdesk() -> Place {
    let place = Place::new();
    copy(example("helpdesk").path(), place.project.path());
    place.run(&["key", "show"]);
    let key = secret(&place);
    let mut passport = json!({"name": "bot", "version": "1", "owner": "the helpdesk"});
    let message = canonical(&passport).unwrap();
    passport["signature"] = json!({
        "algorithm": "ed25519",
        "key_id": key.public().id(),
        "public_key": key.public(),
        "value": key.sign(Domain::Passport, &message),
    });
    let folder = place.project.path().join(".compliance/passports");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("bot.json"), passport.to_string()).unwrap();
    place
}

/// The key that signs in a place.
pub(crate) fn secret(place: &Place) -> SecretKey {
    SecretKey::parse(&fs::read_to_string(place.data.path().join("signing-key.pem")).unwrap()).unwrap()
}

/// The same where it is made.
fn package(place: &Place) -> Vec<u8> {
    packed(place).unwrap()
}

/// The package of a place as the command line makes it.
pub(crate) fn packed(place: &Place) -> Result<Vec<u8>, String> {
    let target = place.data.path().join("package.tar.gz");
    let (code, _, err) = place.run(&["audit-package", ".", "--output", target.to_str().unwrap()]);
    if code == Some(0) {
        Ok(fs::read(target).unwrap())
    } else {
        Err(err)
    }
}

#[test]
fn the_same_state_gives_the_same_bytes_and_a_stranger_with_the_key_finds_them_whole() {
    let place = helpdesk();
    let daemon = place.daemon();
    assert_eq!(
        daemon
            .get("/agent/audit-package?path=.")
            .assert_failure(404, "no-scan-yet")["status"],
        404
    );
    daemon.post("/scan", r#"{"path": "."}"#);
    let first = daemon.get("/agent/audit-package");
    assert_eq!((first.status, first.header("content-type")), (200, "application/gzip"));
    first.assert_headers();
    assert_eq!(first.header("content-length"), first.bytes.len().to_string());
    assert!(
        first
            .header("content-disposition")
            .starts_with("attachment; filename=\"audit-package-")
    );
    assert!(first.header("content-digest").starts_with("sha-256=:"));
    let head = daemon.send("HEAD", "/agent/audit-package", "", b"");
    assert_eq!(
        (head.header("content-length"), head.bytes.len()),
        (first.header("content-length"), 0)
    );
    assert_eq!(first.bytes, daemon.get("/agent/audit-package").bytes);
    assert_eq!(
        daemon.get("/agent/evidence/verify").json()["entries"],
        2,
        "packing records nothing"
    );
    drop(daemon);
    assert_eq!(first.bytes, packed(&place).unwrap(), "the command line makes the same");

    let options = Options {
        pins: vec![secret(&place).public()],
        ..Options::default()
    };
    let outcome = verify_bytes(&first.bytes, &options).unwrap();
    assert_eq!(
        (outcome.valid, outcome.verdict),
        (true, Verdict::Valid),
        "{}",
        outcome.text()
    );
    assert!(
        outcome
            .checks
            .iter()
            .all(|check| check.outcome == CheckOutcome::Passed || check.name == "evals"),
        "{}",
        outcome.text()
    );
    let stranger = verify_bytes(&first.bytes, &Options::default()).unwrap();
    assert_eq!((stranger.valid, stranger.verdict), (true, Verdict::FirstUse));
    let target = place.data.path().join("package.tar.gz");
    let (code, out, _) = place.run(&["verify", target.to_str().unwrap()]);
    assert_eq!((code, out.starts_with("VALID")), (Some(0), true), "{out}");
    place.run(&["scan", "."]);
    assert_ne!(first.bytes, packed(&place).unwrap(), "another state, other bytes");
    let (code, out, _) = place.run(&["verify", target.to_str().unwrap(), "--json"]);
    assert_eq!(code, Some(0), "{out}");
    fs::write(&target, &first.bytes).unwrap();
    let (code, out, _) = place.run(&["verify", target.to_str().unwrap()]);
    assert_eq!(
        (code, out.starts_with("ROLLED BACK")),
        (Some(1), true),
        "an old package: {out}"
    );
}

#[test]
fn a_package_holds_no_secret_no_place_on_the_machine_and_no_formula() {
    let place = helpdesk();
    let root = place.project.path();
    let secret = format!("sk-proj-{}", "Ab3dEf9hIj".repeat(5));
    let risk = root.join("docs/risk-management.md");
    let text = fs::read_to_string(&risk).unwrap() + &format!("\nOPENAI_API_KEY={secret}\n");
    fs::write(&risk, text).unwrap();
    fs::write(root.join(".env"), format!("OPENAI_API_KEY={secret}\n")).unwrap();
    fs::write(
        root.join(".compliance/suppressions.toml"),
        "[[suppression]]\ncheck = \"l4-undisclosed-interaction\"\nkind = \"accepted_risk\"\nreason = \"trained staff\"\nowner = \"Erika \
         Mustermann\"\nuntil = \"2099-01-01\"\n",
    )
    .unwrap();
    assert_eq!(place.run(&["scan", "."]).0, Some(0));
    let files = unpack(&packed(&place).unwrap());
    let machine = place.project.path().canonicalize().unwrap();
    for unwanted in [
        secret.as_str(),
        machine.to_str().unwrap(),
        place.data.path().to_str().unwrap(),
        "Mustermann",
        "PRIVATE KEY",
    ] {
        for (path, bytes) in &files {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains(unwanted), "{path} holds `{unwanted}`");
        }
    }
    let index: Value = serde_json::from_slice(&files[paths::DOCUMENTS]).unwrap();
    let risk = index["documents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|document| document["path"] == "docs/risk-management.md")
        .unwrap();
    assert_eq!((&risk["standing"], &risk["file"]), (&json!("withheld"), &Value::Null));
    let csv = String::from_utf8(files[paths::MATRIX_CSV].clone()).unwrap();
    assert!(csv.lines().count() > 10);
    for cell in csv.split("\",\"") {
        assert!(!cell.starts_with(['=', '+', '-', '@', '\t']), "{cell}");
    }
    assert!(csv.contains("evidenced") && csv.contains("gap"));
}

type ChangeFiles = fn(&mut Files);

/// Where the first result of a kind lies in a package.
fn result_of(files: &Files, kind: &str) -> String {
    let index: Value = serde_json::from_slice(&files[paths::EVALS]).unwrap();
    let runs = index["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["kind"] == kind).unwrap();
    run["file"].as_str().unwrap().to_owned()
}

fn change_result(files: &mut Files, kind: &str, change: impl FnOnce(&mut Value)) {
    let place = result_of(files, kind);
    json_of(files, &place, change);
}

/// The same with the digest in the index and in the name made right: only the entry still says something else.
fn change_with_index(files: &mut Files, change: impl FnOnce(&mut Value)) {
    let place = result_of(files, "eval");
    json_of(files, &place, change);
    let digest = Digest::of(&files[&place]);
    json_of(files, paths::EVALS, |index| {
        let runs = index["runs"].as_array_mut().unwrap();
        runs.iter_mut().find(|run| run["kind"] == "eval").unwrap()["blake3"] = json!(digest);
    });
}

/// Changes of evaluations in a package that its owner signs anew, and their verdicts.
const EVALUATIONS: &[(&str, Verdict, ChangeFiles)] = &[
    ("a word of a reply", Verdict::Tampered, |files| {
        change_result(files, "eval", |result| {
            result["results"][0]["transcript"][0]["turns"][0]["response"] = json!("I am an AI.");
        });
    }),
    ("a reply to an attack", Verdict::Tampered, |files| {
        change_result(files, "redteam", |result| {
            result["transcripts"][0]["transcript"][0]["turns"][0]["response"] = json!("No.");
        });
    }),
    ("a verdict", Verdict::Tampered, |files| {
        change_result(files, "eval", |result| {
            let results = result["results"].as_array_mut().unwrap();
            let failed = results.iter_mut().find(|probe| probe["verdict"] == "fail").unwrap();
            failed["verdict"] = json!("pass");
        });
    }),
    ("the score, in the index as well", Verdict::Tampered, |files| {
        change_with_index(files, |result| result["score"] = json!(100.0));
    }),
    ("headers that came back", Verdict::Tampered, |files| {
        change_with_index(files, |result| {
            result["results"][0]["transcript"][0]["turns"][0]["headers"] = json!({"set-cookie": "a=b"});
        });
    }),
    ("a result gone", Verdict::Missing, |files| {
        let place = result_of(files, "eval");
        files.remove(&place);
    }),
    ("a run gone from the index", Verdict::Tampered, |files| {
        json_of(files, paths::EVALS, |index| {
            drop(index["runs"].as_array_mut().unwrap().remove(0));
        });
    }),
    ("a run and its result gone", Verdict::Missing, |files| {
        let place = result_of(files, "eval");
        files.remove(&place);
        json_of(files, paths::EVALS, |index| {
            index["runs"]
                .as_array_mut()
                .unwrap()
                .retain(|run| run["kind"] != "eval");
        });
        // The matrix without its lines, as if it had never been.
        let runs: Vec<(engine_package::EvalIndexed, Value)> =
            serde_json::from_slice::<engine_package::EvalIndex>(&files[paths::EVALS])
                .unwrap()
                .runs
                .into_iter()
                .map(|run| {
                    let result = serde_json::from_slice(&files[run.file.as_ref().unwrap()]).unwrap();
                    (run, result)
                })
                .collect();
        let mut matrix: engine_package::Matrix = serde_json::from_slice(&files[paths::MATRIX_JSON]).unwrap();
        matrix.evaluations.clear();
        let pairs: Vec<_> = runs.iter().map(|(run, result)| (run, result)).collect();
        let matrix = matrix.with_evaluations(&pairs);
        files.insert(paths::MATRIX_JSON.to_owned(), matrix.json().unwrap().into_bytes());
        files.insert(paths::MATRIX_CSV.to_owned(), matrix.csv().into_bytes());
    }),
    ("another run's result in its place", Verdict::Tampered, |files| {
        let other = files[&result_of(files, "redteam")].clone();
        files.insert(result_of(files, "eval"), other);
    }),
    ("a result that nobody recorded", Verdict::Tampered, |files| {
        files.insert(format!("{}99999999-0000.json", paths::EVAL_FOLDER), b"{}".to_vec());
    }),
    ("a better line in the matrix", Verdict::Tampered, |files| {
        json_of(files, paths::MATRIX_JSON, |matrix| {
            matrix["evaluations"][0]["result"] = json!("14 of 14 probes passed, score 100.0");
        });
    }),
    ("a result that is no JSON", Verdict::Tampered, |files| {
        let place = result_of(files, "eval");
        files.insert(place, b"{".to_vec());
    }),
];

#[test]
fn a_package_holds_evaluations_that_a_stranger_can_count_again_and_nothing_private() {
    let place = helpdesk();
    let root = place
        .project
        .path()
        .canonicalize()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let secret_key = format!("sk-proj-{}", "Ab3dEf9hIj".repeat(5));
    let more = format!(" Ask Erika.Mustermann@example.org, see {root}/notes.txt, key {secret_key}.");
    let says = scripted(SEED, &["security"]);
    let target = Target::start(Duration::ZERO, move |asked| {
        let (status, words) = says(asked);
        (status, words + &more)
    });
    let daemon = place.daemon();
    daemon.post("/scan", r#"{"path": "."}"#);
    let url = format!("{}?api-version=QueryValue77", target.url);
    let run =
        json!({"path": ".", "target": url, "seed": SEED, "model": "m", "maxProbes": 40, "det": true, "security": true});
    let reply = daemon.post("/eval/run", &run.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    let result = reply.json();
    assert!(
        result["failed"].as_u64().unwrap() > 0 && result["passed"].as_u64().unwrap() > 0,
        "{result}"
    );
    let attack = json!({"path": ".", "target": url, "seed": SEED, "maxProbes": 12});
    let reply = daemon.post("/redteam/run", &attack.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    let first = daemon.get("/agent/audit-package");
    assert_eq!(first.status, 200);
    assert_eq!(
        first.bytes,
        daemon.get("/agent/audit-package").bytes,
        "the same state, the same bytes"
    );
    assert_eq!(
        daemon.get("/agent/evidence/verify?full=true").json()["verdict"],
        "valid"
    );
    drop(daemon);

    let owner = secret(&place);
    let options = Options {
        pins: vec![owner.public()],
        ..Options::default()
    };
    let outcome = verify_bytes(&first.bytes, &options).unwrap();
    assert_eq!(outcome.verdict, Verdict::Valid, "{}", outcome.text());
    assert!(
        outcome.text().contains("2 results match the chain entries"),
        "{}",
        outcome.text()
    );
    let files = unpack(&first.bytes);
    for (path, bytes) in &files {
        let text = String::from_utf8_lossy(bytes);
        for unwanted in [
            root.as_str(),
            "Mustermann",
            secret_key.as_str(),
            "QueryValue77",
            "content-length",
        ] {
            assert!(!text.contains(unwanted), "{path} holds `{unwanted}`");
        }
    }
    let packed: Value = serde_json::from_slice(&files[&result_of(&files, "eval")]).unwrap();
    assert_eq!((&packed["id"], &packed["score"]), (&result["id"], &result["score"]));
    let said = packed["results"][0]["transcript"][0]["turns"][0]["response"]
        .as_str()
        .unwrap();
    assert!(said.contains("[personal]"), "the words of replies are in it: {said}");
    let matrix: Value = serde_json::from_slice(&files[paths::MATRIX_JSON]).unwrap();
    let lines = matrix["evaluations"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["kind"] == "eval") && lines.iter().any(|line| line["kind"] == "redteam"));
    let named = |claim: &Value| !claim["evaluations"].as_array().unwrap().is_empty();
    assert!(
        matrix["claims"].as_array().unwrap().iter().any(named),
        "claims name what was seen about their articles"
    );
    let csv = String::from_utf8(files[paths::MATRIX_CSV].clone()).unwrap();
    assert!(csv.contains("probes passed") && csv.contains("attacks worked"));

    for (what, verdict, change) in EVALUATIONS {
        let mut changed = files.clone();
        change(&mut changed);
        let outcome = verify_bytes(&repack(&changed, &owner), &options).unwrap();
        assert_eq!(outcome.verdict, *verdict, "{what}: {}", outcome.text());
        assert!(!outcome.valid, "{what}");
    }
    // A score that the owner recorded and that its verdicts do not bear out: the entry is right, and the number is not.
    let database = rusqlite::Connection::open(place.database()).unwrap();
    let id = result["id"].as_str().unwrap();
    let kept: Vec<u8> = database
        .query_row("SELECT result FROM eval_runs WHERE id = ?", [id], |row| row.get(0))
        .unwrap();
    let better = String::from_utf8(kept)
        .unwrap()
        .replace("\"verdict\":\"fail\"", "\"verdict\":\"pass\"");
    database
        .execute(
            "UPDATE eval_runs SET result = ? WHERE id = ?",
            (better.into_bytes(), id),
        )
        .unwrap();
    drop(database);
    assert_eq!(place.verify()["verdict"], "tampered", "the daemon finds it");
    let outcome = verify_bytes(&package(&place), &options).unwrap();
    assert_eq!(
        outcome.verdict,
        Verdict::Tampered,
        "and so does the verifier: {}",
        outcome.text()
    );
    let kinds: Vec<FaultKind> = outcome.faults.iter().map(|fault| fault.kind).collect();
    assert!(
        kinds.contains(&FaultKind::Eval) && kinds.contains(&FaultKind::Score),
        "{kinds:?}"
    );
}

#[test]
fn the_parts_of_a_package_fit_their_published_schemas() {
    let place = helpdesk();
    place.run(&["scan", "."]);
    let files = unpack(&packed(&place).unwrap());
    let value = |path: &str| serde_json::from_slice::<Value>(&files[path]).unwrap();
    let fits = |schema: &Value, value: &Value, what: &str| {
        let validator = jsonschema::validator_for(schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(value).take(3).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{what}: {errors:?}");
    };
    let published = |name: &str| {
        let path = format!(
            "{}/../engine-package/tests/schemas/{name}.schema.json",
            env!("CARGO_MANIFEST_DIR")
        );
        serde_json::from_str::<Value>(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let envelope = value(paths::STATEMENT);
    fits(&published("dsse-envelope"), &envelope, "the envelope");
    let own = |name: &str| value(&format!("schemas/{name}.schema.json"));
    fits(&own("manifest"), &value(paths::MANIFEST), "the manifest");
    fits(&own("matrix"), &value(paths::MATRIX_JSON), "the matrix");
    fits(&own("scan"), &value(paths::SCAN), "the scan");
    fits(&own("documents"), &value(paths::DOCUMENTS), "the index");
    fits(&own("evals"), &value(paths::EVALS), "the evaluations");
    for line in String::from_utf8(files[paths::ENTRIES].clone()).unwrap().lines() {
        fits(&own("entry"), &serde_json::from_str(line).unwrap(), "an entry");
    }
    let manifest = serde_json::from_slice(&files[paths::MANIFEST]).unwrap();
    let statement = Statement::about(&manifest, &files[paths::MANIFEST]);
    let statement = serde_json::to_value(statement).unwrap();
    fits(&published("in-toto-statement-v1"), &statement, "the statement");
}

#[test]
fn a_document_that_changed_is_named_and_the_chain_stays_valid() {
    let place = helpdesk();
    place.run(&["scan", "."]);
    let document = place.project.path().join("docs/risk-management.md");
    let before = fs::read(&document).unwrap();
    fs::write(&document, "# Something else\n").unwrap();
    let report = place.verify();
    assert_eq!(
        (&report["valid"], &report["verdict"]),
        (&json!(true), &json!("valid")),
        "{report}"
    );
    let issue = &report["issues"][0];
    assert_eq!(
        (&issue["kind"], &issue["seq"]),
        (&json!("artifact"), &json!(1)),
        "{report}"
    );
    assert!(issue["message"].as_str().unwrap().contains("docs/risk-management.md"));
    let outcome = verify_bytes(&packed(&place).unwrap(), &Options::default()).unwrap();
    assert!(
        outcome.valid
            && outcome
                .notices
                .iter()
                .any(|notice| notice.contains("was changed after entry 1"))
    );
    fs::remove_file(&document).unwrap();
    let report = place.verify();
    assert!(
        report["issues"][0]["message"].as_str().unwrap().contains("is missing"),
        "{report}"
    );
    fs::write(&document, before).unwrap();
    assert_eq!(place.verify()["issues"], json!([]));
}

fn with_input(place: &Place, arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = place
        .command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    (child.wait().unwrap().code(), out.trim().to_owned())
}

#[test]
fn personal_data_can_be_held_and_erased_and_the_chain_says_so_by_digest_only() {
    let place = helpdesk();
    let (code, name) = with_input(
        &place,
        &["retention", "keep", "--until", "2020-01-01"],
        "Erika Mustermann\n",
    );
    assert_eq!(code, Some(0));
    let (_, other) = with_input(&place, &["retention", "keep"], "Max Beispiel\n");
    let (_, list, _) = place.run(&["retention", "list"]);
    assert!(
        list.contains(&name) && list.contains(&other) && !list.contains("Erika"),
        "{list}"
    );
    assert!(
        place
            .run(&["retention", "list", "--show"])
            .1
            .contains("Erika Mustermann")
    );
    assert_eq!(
        place.run(&["retention", "hold", &name, "--reason", "case 17"]).0,
        Some(0)
    );
    let (code, out, _) = place.run(&["retention", "expire"]);
    assert_eq!((code, out.as_str()), (Some(0), ""), "what is held does not expire");
    let (code, _, err) = place.run(&["retention", "erase", &name, "--reason", "asked to"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("legal hold (case 17)"), "{err}");
    assert_eq!(
        place.run(&["retention", "release", &name, "--reason", "closed"]).0,
        Some(0)
    );
    assert_eq!(place.run(&["retention", "expire"]).1.trim(), name);
    assert_eq!(
        place.run(&["retention", "erase", &other, "--reason", "asked to"]).0,
        Some(0)
    );
    assert_eq!(place.run(&["retention", "list"]).1, "");
    assert_eq!(
        place.run(&["retention", "erase", &other, "--reason", "again"]).0,
        Some(2)
    );
    let report = place.verify();
    assert_eq!(report["verdict"], "valid", "{report}");
    place.run(&["scan", "."]);
    let files = unpack(&packed(&place).unwrap());
    let entries = String::from_utf8(files[paths::ENTRIES].clone()).unwrap();
    let actions: Vec<String> = entries
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|entry| entry["type"] == "retention")
        .map(|entry| entry["payload"]["action"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(actions, ["kept", "kept", "held", "released", "expired", "erased"]);
    assert!(!entries.contains("Mustermann") && !entries.contains("Beispiel"));
    for file in fs::read_dir(place.project.path().join(".compliance"))
        .unwrap()
        .flatten()
    {
        if file.file_type().unwrap().is_file() {
            let bytes = fs::read(file.path()).unwrap();
            assert!(
                !bytes.windows(10).any(|window| window == b"Mustermann"),
                "{:?}",
                file.path()
            );
        }
    }
}
