//! Passports of agents through the daemon: made from code, kept as files, changed only with an entry in the chain.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Daemon, Reply, binary, project, read_until};

/// An agent with two tools, one of which asks a person first, and a command that runs what a model says after asking.
const DESK: &str = r#"//- app/main.py
from agents import Agent, Runner, function_tool
from fastapi import FastAPI

app = FastAPI()


@function_tool
def find_order(number: str) -> str:
    """Looks an order up."""
    return f"order {number}"


@function_tool(needs_approval=True)
def refund(number: str, amount: float) -> str:
    """Pays money back."""
    return f"refunded {amount} for {number}"


desk = Agent(
    name="Refund desk",
    instructions="Help customers with their orders.",
    model="gpt-4o",
    tools=[find_order, refund],
)


@app.post("/chat")
async def chat(message: str) -> str:
    result = await Runner.run(desk, message)
    return result.final_output
//- templates/desk.html
<!doctype html>
<html lang="en">
<head><title>Refunds</title></head>
<body><h1>Refund desk</h1><form><label>Your message <input name="message"></label></form></body>
</html>
//- app/restart.py
import subprocess

from openai import OpenAI

client = OpenAI()


def work(task: str) -> None:
    reply = client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": task}])
    subprocess.run(reply.choices[0].message.content, shell=True)


if __name__ == "__main__":
    work(input("task: "))
//- requirements.txt
openai==1.51.0
openai-agents==0.3.0
fastapi==0.115.0
"#;

struct Place {
    project: TempDir,
    data: TempDir,
}

impl Place {
    fn new(text: &str) -> Self {
        Self {
            project: project(text),
            data: tempfile::tempdir().unwrap(),
        }
    }

    fn daemon(&self) -> Daemon {
        daemon(self.project.path(), self.data.path())
    }

    fn file(&self, slug: &str) -> PathBuf {
        self.project.path().join(format!(".compliance/passports/{slug}.json"))
    }

    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.project.path().join(".compliance/passports"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name != "originals")
            .collect();
        names.sort();
        names
    }
}

fn daemon(folder: &Path, data: &Path) -> Daemon {
    let mut command = binary();
    command
        .env("ENGINE_DATA_DIR", data)
        .current_dir(folder)
        .args(["--port", "0"]);
    Daemon::spawn(command)
}

fn ok(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

fn init(daemon: &Daemon, more: &Value) -> Value {
    let mut body = json!({"path": "."});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    ok(&daemon.post("/agent/init", &body.to_string()))
}

/// A text as it stands in a query.
fn encoded(text: &str) -> String {
    text.bytes()
        .fold(String::new(), |text, byte| text + &format!("%{byte:02X}"))
}

fn validate(daemon: &Daemon, name: &str) -> Value {
    ok(&daemon.get(&format!("/agent/validate?path=.&name={}", encoded(name))))
}

fn chain_is_valid(daemon: &Daemon) {
    let report = ok(&daemon.get("/agent/evidence/verify?path=.&full=true"));
    assert_eq!(report["verdict"], "valid", "{report}");
}

#[test]
fn one_passport_for_each_agent_and_entry_point_with_its_entry_and_its_event() {
    use std::io::Write;

    let place = Place::new(DESK);
    let daemon = place.daemon();
    let mut stream = daemon.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    read_until(&mut stream, ": connected\n\n");
    let made = init(&daemon, &json!({}));
    let names: Vec<&str> = made["manifests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["main", "Refund desk"], "no passport for a library");
    assert_eq!(made["savedPaths"][1], ".compliance/passports/refund-desk.json");
    assert_eq!(place.files(), ["main.json", "refund-desk.json"]);
    let events = read_until(&mut stream, "Refund desk");
    assert!(events.contains("event: agent.created"), "{events}");
    let desk = &made["manifests"][1];
    assert_eq!(desk.as_object().unwrap().len(), 36);
    assert_eq!(desk["permissions"]["tools"], json!(["find_order", "refund"]));
    assert_eq!((&desk["autonomy_level"], &desk["type"]), (&json!(3), &json!("agent")));
    assert_eq!(desk["owner"]["contact"], Value::Null);
    assert_eq!(desk["provenance"]["fields"]["owner.contact"], "unknown");
    let audit = ok(&daemon.get(&format!(
        "/agent/audit?path=.&type=passport&agent={}",
        encoded("Refund desk")
    )));
    assert_eq!(audit.as_array().unwrap().len(), 1, "the trail is filtered by name");
    assert_eq!(audit[0]["payload"]["action"], "created");
    let bytes = fs::read(place.file("refund-desk")).unwrap();
    assert_eq!(
        audit[0]["artifacts"][0]["blake3"],
        blake3::hash(&bytes).to_hex().to_string()
    );
    let again = init(&daemon, &json!({}));
    assert_eq!(
        (
            again["manifests"].as_array().unwrap().len(),
            again["skipped"].as_array().unwrap().len()
        ),
        (0, 2)
    );
    assert_eq!(
        fs::read(place.file("refund-desk")).unwrap(),
        bytes,
        "without force nothing changes"
    );
    chain_is_valid(&daemon);
}

#[test]
fn a_project_without_ai_gets_no_passport_and_a_library_neither() {
    for text in [
        "//- app/main.py\nprint('hello')\n",
        "//- requirements.txt\nopenai==1.51.0\n",
    ] {
        let place = Place::new(text);
        let daemon = place.daemon();
        let made = init(&daemon, &json!({}));
        assert_eq!(
            (&made["manifests"], &made["savedPaths"]),
            (&json!([]), &json!([])),
            "{made}"
        );
        assert!(!place.project.path().join(".compliance/passports").exists());
        assert_eq!(ok(&daemon.get("/agent/list?path=.")), json!([]));
        assert_eq!(ok(&daemon.get("/agent/autonomy?path=."))["level"], Value::Null);
        daemon
            .get("/agent/show?path=.&name=x")
            .assert_failure(404, "unknown-passport");
    }
}

#[test]
fn answers_are_signed_count_and_survive_and_edits_in_the_file_do_too() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    let made = init(
        &daemon,
        &json!({"name": "Refund desk", "overrides": {"risk_class": "high"}}),
    );
    assert_eq!(made["manifests"][0]["compliance"]["eu_ai_act"]["risk_class"], "high");
    let fresh = ok(&daemon.get("/agent/completeness?path=."));
    assert!(fresh["completeness"].as_f64().unwrap() < 50.0, "{fresh}");
    let verdict = validate(&daemon, "Refund desk");
    assert_eq!(
        (&verdict["valid"], &verdict["signature"], &verdict["drift"]),
        (&true.into(), &"valid".into(), &json!([]))
    );

    let file = place.file("refund-desk");
    let mut edited: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    edited["description"] = json!("Helps with orders.");
    edited["x_cost_centre"] = json!({"number": 12});
    fs::write(&file, serde_json::to_string_pretty(&edited).unwrap()).unwrap();
    let verdict = validate(&daemon, "Refund desk");
    assert_eq!(
        (&verdict["valid"], &verdict["signature"]),
        (&false.into(), &"tampered".into()),
        "{verdict}"
    );
    daemon
        .get(&format!(
            "/agent/export?path=.&format=a2a&name={}",
            encoded("Refund desk")
        ))
        .assert_failure(409, "state-conflict");

    let answers =
        json!({"force": true, "overrides": {"owner": {"organization": "Acme", "contact": "ai@acme.example"}}});
    let made = init(&daemon, &answers);
    let desk = made["manifests"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "Refund desk")
        .unwrap();
    assert_eq!(desk["description"], "Helps with orders.");
    assert_eq!(desk["provenance"]["fields"]["description"], "answer");
    assert_eq!(desk["x_cost_centre"]["number"], 12);
    assert_eq!(desk["compliance"]["eu_ai_act"]["risk_class"], "high");
    assert_eq!(validate(&daemon, "Refund desk")["valid"], true);
    let later = ok(&daemon.get(&format!("/agent/completeness?path=.&name={}", encoded("Refund desk"))));
    assert!(later["filledCount"].as_u64() > fresh["filledCount"].as_u64(), "{later}");
    let audit = ok(&daemon.get("/agent/audit?path=.&type=passport"));
    let entry = audit
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["payload"]["action"] == "regenerated")
        .unwrap();
    assert_eq!(
        entry["payload"]["signatureBefore"], "tampered",
        "a change that was made past the engine is on record"
    );
    assert_eq!(entry["payload"]["edited"], json!(["description"]));
    chain_is_valid(&daemon);
}

#[test]
fn drift_is_told_when_code_changes_and_when_the_agent_goes() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({}));
    let main = place.project.path().join("app/main.py");
    let code = fs::read_to_string(&main).unwrap();
    fs::write(&main, code.replace("tools=[find_order, refund]", "tools=[find_order]")).unwrap();
    let verdict = validate(&daemon, "Refund desk");
    let drift: Vec<&Value> = verdict["drift"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["field"])
        .collect();
    assert!(drift.contains(&&json!("permissions.tools")), "{verdict}");
    assert_eq!(verdict["valid"], true, "drift is no fault of the file");
    fs::remove_file(&main).unwrap();
    assert_eq!(validate(&daemon, "Refund desk")["drift"][0]["kind"], "agent_gone");
}

#[test]
fn names_of_any_kind_are_safe_listed_and_come_back() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({"name": "Refund desk"}));
    let long = "n".repeat(300);
    let mut before = "Refund desk".to_owned();
    for name in [
        "@acme/bot",
        "../../x",
        "CON",
        "🤖",
        long.as_str(),
        "nul.txt",
        "a\\b:c",
        "Ünïcode Bot",
        "bot",
    ] {
        let body = json!({"path": ".", "oldName": before, "newName": name}).to_string();
        assert_eq!(ok(&daemon.post("/agent/rename", &body))["name"], name);
        let files = place.files();
        assert_eq!(files.len(), 1, "{files:?}");
        let safe = |file: &str| {
            file.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b))
        };
        assert!(safe(&files[0]) && files[0].len() < 120, "{files:?}");
        assert_eq!(ok(&daemon.get("/agent/list?path=."))[0]["name"], name);
        assert_eq!(
            ok(&daemon.get(&format!("/agent/show?path=.&name={}", encoded(name))))["name"],
            name
        );
        assert_eq!(validate(&daemon, name)["valid"], true);
        before = name.to_owned();
    }
    let renames = ok(&daemon.get("/agent/show?path=.&name=bot"))["provenance"]["renames"].clone();
    assert_eq!(
        (renames.as_array().unwrap().len(), &renames[0]["from"]),
        (9, &json!("Refund desk"))
    );
    let made = init(&daemon, &json!({"force": true}));
    let names: Vec<&Value> = made["manifests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(
        names,
        ["main", "bot"],
        "the agent is known by its id under its new name"
    );
    let taken = json!({"path": ".", "oldName": "main", "newName": "bot"}).to_string();
    daemon
        .post("/agent/rename", &taken)
        .assert_failure(409, "passport-exists");
    for bad in ["", "a\nb", &"x".repeat(1025)] {
        let body = json!({"path": ".", "oldName": "main", "newName": bad}).to_string();
        assert_eq!(
            daemon
                .post("/agent/rename", &body)
                .assert_failure(400, "invalid-request")["field"],
            "newName"
        );
    }
    chain_is_valid(&daemon);
}

#[test]
fn every_way_to_change_a_file_has_its_verdict() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({"name": "Refund desk"}));
    let file = place.file("refund-desk");
    let whole = fs::read_to_string(&file).unwrap();
    let verdict = |text: &str| {
        fs::write(&file, text).unwrap();
        let reply = ok(&daemon.get("/agent/validate?path=.&name=refund-desk"));
        assert_eq!(reply["valid"], false, "{reply}");
        reply["signature"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        verdict(&whole.replace("\"autonomy_level\": 3", "\"autonomy_level\": 1")),
        "tampered"
    );
    assert_eq!(
        verdict(&whole.replacen("  \"name\"", "   \"name\"", 1)),
        "valid",
        "only the spelling differs"
    );
    assert_eq!(verdict(&whole[..whole.len() / 2]), "tampered");
    assert_eq!(
        verdict(&whole.replacen('{', "{\n  \"name\": \"x\",", 1)),
        "tampered",
        "a name given twice"
    );
    assert_eq!(verdict(&"[".repeat(100_000)), "tampered");
    assert_eq!(ok(&daemon.get("/agent/registry?path=."))[0]["status"], "unreadable");
    fs::write(&file, &whole).unwrap();

    let elsewhere = Place::new(DESK);
    let other = elsewhere.daemon();
    init(&other, &json!({"name": "Refund desk"}));
    let theirs = fs::read_to_string(elsewhere.file("refund-desk")).unwrap();
    assert_eq!(verdict(&theirs), "unknown_key");
    let made = init(&daemon, &json!({"name": "Refund desk", "force": true}));
    let record = &made["manifests"][0]["provenance"]["imports"][0];
    let key = serde_json::from_str::<Value>(&theirs).unwrap()["signature"]["key_id"].clone();
    assert_eq!(
        record["signatures"][0]["signature"]["key_id"], key,
        "their signature is kept: {record}"
    );
    assert!(
        place
            .project
            .path()
            .join(format!(
                ".compliance/passports/originals/{}.json",
                record["original"].as_str().unwrap()
            ))
            .exists()
    );
    assert_eq!(validate(&daemon, "Refund desk")["valid"], true);
}

#[test]
fn what_goes_out_comes_back_whole_and_what_others_signed_is_kept() {
    let place = Place::new(DESK);
    let daemon_here = place.daemon();
    init(&daemon_here, &json!({"name": "Refund desk"}));
    let before = fs::read(place.file("refund-desk")).unwrap();
    let strict: Value = {
        let text = include_str!("../../crates/engine-passport/tests/data/a2a-strict.json");
        let mut schema: Value = serde_json::from_str(text).unwrap();
        schema["$ref"] = json!("#/$defs/AgentCard");
        schema
    };
    let elsewhere = Place::new("//- app/main.py\nprint('hello')\n");
    let other = elsewhere.daemon();
    for (format, controls) in [("a2a", 0), ("aiuc-1", 49), ("nist", 72)] {
        let target = format!("/agent/export?path=.&format={format}&name={}", encoded("Refund desk"));
        let exported = ok(&daemon_here.get(&target));
        assert_eq!(
            (&exported["format"], &exported["valid"]),
            (&json!(format), &json!(true))
        );
        let data = &exported["data"];
        if format == "a2a" {
            assert!(jsonschema::is_valid(&strict, data), "{data}");
            assert!(data["signatures"][0]["protected"].is_string());
        } else {
            let list = data["controls"].as_array().unwrap();
            assert_eq!(list.len(), controls);
            assert!(list.iter().any(|one| one["status"] == "not_assessed"));
            assert!(
                list.iter()
                    .any(|one| one["status"] != "not_assessed" && one["evidence"][0].is_object()),
                "{data}"
            );
        }
        let body = |force: bool| json!({"path": ".", "format": format, "data": data, "force": force}).to_string();
        daemon_here
            .post("/agent/import", &body(false))
            .assert_failure(409, "passport-exists");
        fs::remove_file(place.file("refund-desk")).unwrap();
        let back = ok(&daemon_here.post("/agent/import", &body(false)));
        assert_eq!(
            (&back["untouched"], &back["foreignSignatures"][0]["verdict"]),
            (
                &json!(true),
                &if format == "a2a" { json!("valid") } else { Value::Null }
            )
        );
        assert_eq!(
            fs::read(place.file("refund-desk")).unwrap(),
            before,
            "{format}: to the last byte"
        );

        let taken = ok(&other.post("/agent/import", &body(format != "a2a")));
        let signatures = taken["foreignSignatures"].as_array().unwrap();
        assert!(
            !signatures.is_empty() && signatures.iter().all(|one| one["verdict"] == "unknown_key"),
            "{taken}"
        );
        assert_eq!(taken["replaced"], format != "a2a");
        let kept = &taken["passport"]["provenance"]["imports"][0]["signatures"];
        assert_eq!(kept.as_array().unwrap().len(), signatures.len());
        assert_eq!(validate(&other, "Refund desk")["valid"], true);
        assert_eq!(validate(&other, "Refund desk")["drift"][0]["kind"], "agent_gone");
    }
    chain_is_valid(&daemon_here);
    chain_is_valid(&other);
}

#[test]
fn hostile_documents_are_refused_and_the_daemon_lives() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({"name": "Refund desk"}));
    let before = fs::read(place.file("refund-desk")).unwrap();
    let body =
        |format: &str, data: &str| format!(r#"{{"path": ".", "format": "{format}", "force": true, "data": {data}}}"#);
    let deep = format!("{{\"name\": {}1{}}}", "[".repeat(100), "]".repeat(100));
    let deeper = format!("{{\"name\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    let big = format!(r#"{{"name": "x", "note": "{}"}}"#, "y".repeat(2 * 1024 * 1024));
    for format in ["a2a", "aiuc-1", "nist", "passport"] {
        for data in [
            "[]",
            "7",
            "null",
            "{}",
            r#"{"name": 7}"#,
            r#"{"name": ""}"#,
            r#"{"name": "a\u0000b"}"#,
            r#"{"name": {"a": 1}}"#,
            r#"{"name": "x", "owner": []}, "#,
            r#"{"name": "x", "name": "y"}"#,
            r#"{"name": "x", "n": 18446744073709551615}"#,
            r#"{"name": "x", "n": 1e999}"#,
            deep.as_str(),
            deeper.as_str(),
            big.as_str(),
            r#"{"agent": {"name": "x"}, "controls": {}}"#,
            r#"{"url": 1, "supportedInterfaces": 1}"#,
        ] {
            let reply = daemon.post("/agent/import", &body(format, data));
            let failure = reply.assert_failure(400, "invalid-request");
            assert!(failure["details"].as_str().unwrap().len() < 600, "{failure}");
        }
    }
    for overrides in [
        json!({"risk_class": "medium"}),
        json!({"owner": "Acme"}),
        json!({"autonomy_level": 9}),
        json!({"agent_id": "x"}),
        json!({"description": {"a": 1}}),
        json!({"owner.contact.deep": 1}),
        json!({"x".repeat(5000): 1}),
    ] {
        let body = json!({"path": ".", "force": true, "overrides": overrides}).to_string();
        daemon.post("/agent/init", &body).assert_failure(400, "invalid-request");
    }
    assert_eq!(
        fs::read(place.file("refund-desk")).unwrap(),
        before,
        "nothing of it left a trace"
    );
    assert_eq!(place.files(), ["refund-desk.json"]);
    chain_is_valid(&daemon);
}

#[test]
fn registry_permissions_and_autonomy_bring_passports_and_code_together() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    ok(&daemon.post("/scan", r#"{"path": "."}"#));
    let registry = ok(&daemon.get("/agent/registry?path=."));
    assert!(
        registry
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["status"] == "no_passport"),
        "{registry}"
    );
    let overrides = json!({
        "constraints.denied": ["refund"],
        "constraints.approval_required": ["refund"],
        "risk_class": "high",
    });
    let made = init(&daemon, &json!({"overrides": overrides}));
    let act = &made["manifests"][0]["compliance"]["eu_ai_act"];
    let obligations = act["obligations"].as_array().unwrap();
    // OBL-019: a system of risk management (Art. 9), which only binds where the class is high.
    assert!(obligations.contains(&json!("OBL-019")), "{act}");
    assert_ne!(act["observed_class"], "high");
    let basis = act["obligations_basis"].as_str().unwrap();
    assert!(basis.starts_with("risk class `high`, as stated"), "{basis}");
    assert!(
        !basis.contains("OBL-019"),
        "what code shows stays visible beside it: {basis}"
    );
    let provenance = &made["manifests"][0]["provenance"];
    assert_eq!(provenance["fields"]["compliance.eu_ai_act.obligations"], "answer");
    let registry = ok(&daemon.get("/agent/registry"));
    assert!(
        registry
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["status"] == "valid" && one["findings"].is_u64()),
        "{registry}"
    );
    let found = ok(&daemon.get("/agent/permissions"));
    assert_eq!(
        found["grants"]["tool:refund"],
        json!({"Refund desk": "approval_seen", "main": "denied"})
    );
    assert_eq!(found["grants"]["processes:run"]["main"], "without_approval");
    assert_eq!(
        (
            &found["matrix"]["Refund desk"]["tool:refund"],
            &found["matrix"]["main"]["tool:refund"]
        ),
        (&json!(true), &json!(false))
    );
    let kinds: Vec<&Value> = found["conflicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["kind"])
        .collect();
    assert_eq!(
        kinds,
        [
            "denied_but_granted",
            "approval_required_but_not_shown",
            "high_risk_unapproved"
        ]
    );
    let autonomy = ok(&daemon.get("/agent/autonomy"));
    assert_eq!(autonomy["level"], "L4");
    let levels: Vec<&Value> = autonomy["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["level"])
        .collect();
    assert_eq!(levels, [3, 4]);
    let desk = &autonomy["agents"][0]["evidence"]["reasons"];
    let signals: Vec<&str> = desk
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["signal"].as_str().unwrap())
        .collect();
    assert!(
        ["tools", "loop", "approval"]
            .iter()
            .all(|signal| signals.contains(signal)),
        "{desk}"
    );
    assert_eq!(desk[0]["file"], "app/main.py");
}

#[test]
fn a_read_only_engine_shows_passports_and_changes_none() {
    let place = Place::new(DESK);
    {
        let daemon = place.daemon();
        init(&daemon, &json!({}));
    }
    let mut command = binary();
    command
        .env("ENGINE_DATA_DIR", place.data.path())
        .current_dir(place.project.path())
        .args(["--port", "0", "--read-only"]);
    let daemon = Daemon::spawn(command);
    assert_eq!(ok(&daemon.get("/agent/list?path=.")).as_array().unwrap().len(), 2);
    assert_eq!(validate(&daemon, "main")["valid"], true);
    daemon
        .post("/agent/init", r#"{"path": ".", "force": true}"#)
        .assert_failure(403, "read-only");
    daemon
        .post("/agent/rename", r#"{"path": ".", "oldName": "main", "newName": "x"}"#)
        .assert_failure(403, "read-only");
}

#[test]
fn after_a_rename_nothing_is_missed_and_the_trail_is_found_by_the_name_before() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({}));
    for (old, new) in [("Refund desk", "Desk"), ("Desk", "Front desk")] {
        let body = json!({"path": ".", "oldName": old, "newName": new}).to_string();
        ok(&daemon.post("/agent/rename", &body));
    }
    let report = ok(&daemon.get("/agent/evidence/verify?path=."));
    assert_eq!((&report["verdict"], &report["issues"]), (&json!("valid"), &json!([])));
    for name in ["Refund%20desk", "Desk", "Front%20desk"] {
        let trail = ok(&daemon.get(&format!("/agent/audit?path=.&agent={name}")));
        assert_eq!(trail.as_array().unwrap().len(), 3, "{name}");
    }
    for route in ["show", "validate", "completeness"] {
        for old in ["Refund%20desk", "Desk"] {
            let reply = daemon.get(&format!("/agent/{route}?path=.&name={old}"));
            let details = reply.assert_failure(404, "unknown-passport")["details"].clone();
            assert!(details.as_str().unwrap().contains("`Front desk`"), "{details}");
        }
        assert_eq!(
            daemon.get(&format!("/agent/{route}?path=.&name=Front%20desk")).status,
            200
        );
    }
}

#[test]
fn an_id_that_was_a_name_before_a_rename_finds_no_passport() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({}));
    let show = "/agent/show?path=.&name=main";
    let before = ok(&daemon.get(show));
    assert_eq!(before["agent_id"], "main", "the name of this agent is its id too");
    let rename = |old: &str, new: &str| {
        let body = json!({"path": ".", "oldName": old, "newName": new}).to_string();
        ok(&daemon.post("/agent/rename", &body))
    };
    rename("main", "Reception");
    daemon.get(show).assert_failure(404, "unknown-passport");
    assert_eq!(ok(&daemon.get("/agent/show?path=.&name=Reception"))["agent_id"], "main");
    rename("Reception", "main");
    assert_eq!(ok(&daemon.get(show))["agent_id"], "main");
}

#[test]
fn a_card_with_another_name_than_its_passport_is_imported_under_the_name_of_the_card() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({"name": "Refund desk"}));
    let mut card = ok(&daemon.get("/agent/export?path=.&format=a2a"))["data"].clone();
    card["name"] = json!("Front desk");
    let elsewhere = Place::new("//- README.md\n# Nothing\n");
    let other = elsewhere.daemon();
    let body = json!({"path": ".", "format": "a2a", "data": card}).to_string();
    let imported = ok(&other.post("/agent/import", &body));
    assert_eq!(
        (&imported["name"], &imported["passport"]["name"], &imported["untouched"]),
        (&json!("Front desk"), &json!("Front desk"), &json!(false))
    );
    assert_eq!(imported["savedPath"], ".compliance/passports/front-desk.json");
    let warnings: Vec<&str> = imported["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    assert!(
        warnings
            .iter()
            .any(|text| text.contains("`Front desk`") && text.contains("`Refund desk`")),
        "{warnings:?}"
    );
    assert!(
        warnings
            .iter()
            .any(|text| text.contains("signature of the agent card is not valid")),
        "{warnings:?}"
    );
    let of_card = imported["foreignSignatures"].as_array().unwrap();
    assert!(
        of_card
            .iter()
            .any(|one| one["of"] == "a2a" && one["verdict"] == "tampered"),
        "{imported}"
    );
    assert_eq!(imported["passport"]["provenance"]["fields"]["name"], "import");
    assert_eq!(validate(&other, "Front desk")["signatureValid"], true);
    other
        .get("/agent/show?path=.&name=Refund%20desk")
        .assert_failure(404, "unknown-passport");
    chain_is_valid(&other);
}

#[test]
fn what_somebody_wrote_around_a_passport_is_kept_when_the_sheet_comes_back() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({"name": "Refund desk"}));
    let mut sheet = ok(&daemon.get("/agent/export?path=.&format=nist"))["data"].clone();
    sheet["controls"][0]["note"] = json!("seen by an auditor");
    let body = json!({"path": ".", "format": "nist", "data": sheet, "force": true}).to_string();
    assert_eq!(ok(&daemon.post("/agent/import", &body))["untouched"], true);
    let originals = place.project.path().join(".compliance/passports/originals");
    let kept = fs::read_dir(originals).unwrap().any(|file| {
        fs::read_to_string(file.unwrap().path())
            .unwrap()
            .contains("seen by an auditor")
    });
    assert!(kept);
}

#[test]
fn a_sheet_that_holds_no_passport_replaces_none() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({"name": "Refund desk"}));
    let whole = ok(&daemon.get("/agent/show?path=.&name=Refund%20desk"));
    let mut sheet = ok(&daemon.get("/agent/export?path=.&format=nist"))["data"].clone();
    sheet.as_object_mut().unwrap().remove("passport");
    let body = json!({"path": ".", "format": "nist", "data": sheet, "force": true}).to_string();
    daemon.post("/agent/import", &body).assert_failure(422, "impossible");
    assert_eq!(ok(&daemon.get("/agent/show?path=.&name=Refund%20desk")), whole);
}

#[test]
fn an_agent_whose_name_and_id_are_taken_gets_a_name_of_its_own() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    let foreign = json!({"path": ".", "format": "passport", "data": {"name": "main"}}).to_string();
    ok(&daemon.post("/agent/import", &foreign));
    init(&daemon, &json!({}));
    let list = ok(&daemon.get("/agent/list?path=."));
    let mut names: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["Refund desk", "main", "main 2"]);
    assert_eq!(validate(&daemon, "main 2")["valid"], true);
}

#[test]
fn packages_that_are_made_while_passports_change_are_whole() {
    let place = Place::new(DESK);
    let daemon = place.daemon();
    init(&daemon, &json!({}));
    std::thread::scope(|scope| {
        let renaming = scope.spawn(|| {
            for turn in 0..40 {
                let (old, new) = if turn % 2 == 0 {
                    ("main", "other")
                } else {
                    ("other", "main")
                };
                let body = json!({"path": ".", "oldName": old, "newName": new}).to_string();
                ok(&daemon.post("/agent/rename", &body));
            }
        });
        while !renaming.is_finished() {
            let package = daemon.get("/agent/audit-package?path=.");
            assert_eq!(package.status, 200);
            let outcome = engine_verify::verify_bytes(&package.bytes, &engine_verify::Options::default()).unwrap();
            assert!(outcome.valid, "{}", outcome.text());
        }
    });
}
