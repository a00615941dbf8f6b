//! The audit package from the daemon and the command line: what is in it, what is not, and who may rely on it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

use engine_package::{Statement, paths};
use engine_signing::{Domain, SecretKey, canonical};
use engine_verify::{CheckOutcome, Options, verify_bytes};
use serde_json::{Value, json};

use crate::evidence::Place;
use crate::support::{copy, example};

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
        (true, engine_evidence::Verdict::Valid),
        "{}",
        outcome.text()
    );
    assert!(
        outcome.checks.iter().all(|check| check.outcome == CheckOutcome::Passed),
        "{}",
        outcome.text()
    );
    let stranger = verify_bytes(&first.bytes, &Options::default()).unwrap();
    assert_eq!(
        (stranger.valid, stranger.verdict),
        (true, engine_evidence::Verdict::FirstUse)
    );
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
    let own = |name: &str| value(&format!("audit/schemas/{name}.schema.json"));
    fits(&own("manifest"), &value(paths::MANIFEST), "the manifest");
    fits(&own("matrix"), &value(paths::MATRIX_JSON), "the matrix");
    fits(&own("scan"), &value(paths::SCAN), "the scan");
    fits(&own("documents"), &value(paths::DOCUMENTS), "the index");
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
        report["issues"][0]["message"].as_str().unwrap().contains("is gone"),
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
