//! Events over the wire.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::dashboard::Dashboard;
use crate::support::{CHAT, Daemon, binary, example, project, read_until, wait_for};
use crate::target::Target;

fn open(daemon: &Daemon, extra: &str) -> std::net::TcpStream {
    let mut stream = daemon.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n").unwrap();
    stream
}

/// Reads up to the end of the frame of the scan's entry in the evidence chain, the last that a scan sends.
fn read_to_evidence(stream: &mut std::net::TcpStream) -> String {
    let last = r#""entryType":"scan""#;
    let mut text = read_until(stream, last);
    while !text.split(last).nth(1).is_some_and(|rest| rest.contains("\n\n")) {
        text += &read_until(stream, "\n");
    }
    text
}

/// The frames in a stream, without the framing of the transport: (id, event, data).
fn frames(text: &str) -> Vec<(u64, String, Value)> {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(3)
        .filter_map(|three| {
            let id = three[0].strip_prefix("id: ")?.parse().ok()?;
            let event = three[1].strip_prefix("event: ")?.to_owned();
            let data = serde_json::from_str(three[2].strip_prefix("data: ")?).ok()?;
            Some((id, event, data))
        })
        .collect()
}

#[test]
fn a_scan_is_told_to_who_listens_and_replayed_to_who_comes_back() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &[]);
    let mut stream = open(&daemon, "");
    read_until(&mut stream, ": connected\n\n");
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    // The first scan changes the score from nothing, and its gate is evaluated.
    let text = read_to_evidence(&mut stream);
    let seen = frames(&text);
    let (first, event, data) = &seen[0];
    assert_eq!(event, "scan.complete");
    assert_eq!(
        (&data["type"], &data["scanId"]),
        (&Value::from("scan.complete"), &scan["id"])
    );
    assert!(data["timestamp"].is_string() && data["project"].is_string(), "{data}");
    assert!(
        seen.windows(2).all(|two| two[1].0 == two[0].0 + 1),
        "ids are counted up: {seen:?}"
    );
    assert!(!text.contains("client.chat"), "no source text in events");

    let mut again = open(&daemon, &format!("Last-Event-ID: {first}\r\n"));
    let text = read_to_evidence(&mut again);
    assert_eq!(frames(&text), seen[1..], "what came after the last seen event");
}

#[cfg(unix)]
#[test]
fn a_stop_ends_streams_and_the_process() {
    let project = project(CHAT);
    let mut daemon = Daemon::start(project.path(), &[]);
    let mut stream = open(&daemon, "");
    read_until(&mut stream, ": connected\n\n");
    daemon.terminate();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(
        rest.ends_with(b"0\r\n\r\n"),
        "the stream ended as a stream, and was not cut"
    );
    assert_eq!(daemon.wait(), Some(0));
    assert!(std::net::TcpStream::connect(("127.0.0.1", daemon.port)).is_err());
}

/// Reads the events of a daemon beside the test.
struct Listener(Arc<Mutex<String>>);

impl Listener {
    fn start(daemon: &Daemon) -> Self {
        let mut stream = open(daemon, "");
        let mut text = read_until(&mut stream, ": connected\n\n");
        let kept = Arc::new(Mutex::new(std::mem::take(&mut text)));
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut buffer = [0; 16_384];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                shared
                    .lock()
                    .unwrap()
                    .push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        Self(kept)
    }

    fn seen(&self) -> Vec<(u64, String, Value)> {
        frames(&self.0.lock().unwrap())
    }

    /// Waits for an event that came after a number and has these members; returns its number.
    fn wait(&self, after: u64, event: &str, members: &Value) -> u64 {
        let mut found = None;
        let members = members.as_object().unwrap();
        wait_for(&format!("{event} {members:?}"), || {
            found = self.seen().into_iter().find(|(id, name, data)| {
                *id > after && name == event && members.iter().all(|(name, value)| data[name] == *value)
            });
            found.is_some()
        });
        found.unwrap().0
    }

    fn last(&self) -> u64 {
        self.seen().last().map_or(0, |(id, ..)| *id)
    }

    /// Waits for the entry of a type.
    fn entry(&self, after: u64, kind: &str) -> u64 {
        self.wait(after, "evidence.appended", &json!({ "entryType": kind }))
    }
}

fn done(daemon: &Daemon, route: &str, body: &Value) -> Value {
    let reply = daemon.post(route, &body.to_string());
    assert_eq!(reply.status, 200, "{route}: {}", reply.body);
    reply.json()
}

#[test]
fn every_change_of_state_is_an_entry_and_an_event() {
    let folder = example("helpdesk");
    // The key is replaced in the end, so it is not that of the other tests.
    let user = tempfile::tempdir().unwrap();
    let start = |arguments: &[&str]| {
        let mut command = binary();
        command
            .current_dir(folder.path())
            .args(arguments)
            .env("ENGINE_DATA_DIR", user.path());
        command
    };
    let mut daemon = Daemon::spawn(start(&["--port", "0"]));
    let events = Listener::start(&daemon);
    let target = Target::constant("I am an AI system and cannot help with that.");
    let dashboard = Dashboard::start();

    let scan = done(&daemon, "/scan", &json!({"path": "."}));
    events.wait(0, "scan.complete", &json!({ "scanId": scan["id"] }));
    events.wait(0, "score.update", &json!({ "reason": "scan" }));
    wait_for("the gate", || {
        events.seen().iter().any(|(_, event, _)| event.starts_with("gate."))
    });
    events.entry(0, "scan");

    let at = events.last();
    let made = done(&daemon, "/agent/init", &json!({"path": "."}));
    let name = made["manifests"][0]["name"].clone();
    events.wait(at, "agent.created", &json!({ "name": name }));
    events.entry(at, "passport");
    let at = events.last();
    done(
        &daemon,
        "/agent/import",
        &json!({"path": ".", "format": "passport", "data": {"name": "Bought bot"}}),
    );
    events.wait(at, "agent.created", &json!({ "name": "Bought bot" }));

    let at = events.last();
    done(
        &daemon,
        "/onboarding/complete",
        &json!({"answers": {"main.role": ["provider"], "organisation.established": "eu"}, "by": "A. Person"}),
    );
    events.entry(at, "profile");

    let at = events.last();
    done(
        &daemon,
        "/agent/doc/all",
        &json!({"path": ".", "organization": "Example"}),
    );
    events.entry(at, "document");

    let at = events.last();
    done(&daemon, "/report/markdown", &json!({"path": "."}));
    events.entry(at, "report");
    let at = events.last();
    assert_eq!(daemon.post("/report/pdf", "{}").status, 200);
    events.entry(at, "report");
    let at = events.last();
    done(&daemon, "/badge/generate", &json!({}));
    events.entry(at, "report");

    let at = events.last();
    let share = done(&daemon, "/share", &json!({}));
    events.entry(at, "share");
    let at = events.last();
    done(&daemon, "/share/revoke", &json!({ "id": share["id"] }));
    events.entry(at, "share");

    let at = events.last();
    done(
        &daemon,
        "/eval/run",
        &json!({"path": ".", "target": target.url, "categories": ["transparency"], "maxProbes": 2}),
    );
    events.entry(at, "eval");
    let at = events.last();
    done(
        &daemon,
        "/redteam/run",
        &json!({"path": ".", "target": target.url, "categories": ["injection"], "maxProbes": 2}),
    );
    events.entry(at, "redteam");

    let at = events.last();
    let preview = daemon.get("/fix/preview").json();
    let fix = preview["fixes"][0].clone();
    assert!(fix["checkId"].is_string(), "no fix: {preview}");
    let applied = done(
        &daemon,
        "/fix/apply",
        &json!({"checkId": fix["checkId"], "findingId": fix["findingId"]}),
    );
    assert_eq!(applied["applied"], true, "{applied}");
    events.wait(
        at,
        "fix.applied",
        &json!({"fixId": applied["fixId"], "checkId": fix["checkId"], "files": applied["files"], "undo": false}),
    );
    events.entry(at, "fix");
    events.entry(at, "scan");
    let at = events.last();
    done(&daemon, "/fix/undo", &json!({}));
    events.wait(
        at,
        "fix.applied",
        &json!({"fixId": applied["fixId"], "files": applied["files"], "undo": true}),
    );
    events.entry(at, "undo");

    let at = events.last();
    done(
        &daemon,
        "/sync/scan",
        &json!({"token": "a-token-of-the-dashboard", "saasUrl": dashboard.url}),
    );
    events.entry(at, "sync");

    suppressions(&daemon, &events, folder.path());

    // What the events say is what the chain says, entry by entry.
    let chain = daemon.get("/agent/audit?limit=1000").json();
    let chain = sorted(chain.as_array().unwrap().iter(), "type");
    let announced = || {
        let seen = events.seen();
        let entries = seen.iter().filter(|(_, event, _)| event == "evidence.appended");
        sorted(entries.map(|(.., data)| data), "entryType")
    };
    wait_for("the event of the last entry", || announced().len() >= chain.len());
    assert_eq!(announced(), chain);
    let seen = events.seen();
    let mut ids = seen.windows(2).map(|two| (two[0].0, two[1].0));
    assert!(ids.all(|(one, next)| next == one + 1), "ids are counted up");
    let text = events.0.lock().unwrap().clone();
    assert!(!text.contains("a-token-of-the-dashboard") && !text.contains("A. Person"));

    // Keys and personal data are for the command line, beside no daemon.
    #[cfg(unix)]
    daemon.terminate();
    #[cfg(not(unix))]
    daemon.child.kill().unwrap();
    daemon.wait();
    drop(daemon);
    for arguments in [
        ["key", "rotate", "--project", "."].as_slice(),
        &["retention", "expire"],
        &["baseline", "."],
    ] {
        let output = start(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let daemon = Daemon::spawn(start(&["--port", "0", "--project", "."]));
    let kinds: BTreeSet<String> = daemon
        .get("/agent/audit?limit=1000")
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["type"].as_str().unwrap().to_owned())
        .collect();
    for kind in [
        "genesis",
        "scan",
        "fix",
        "undo",
        "passport",
        "profile",
        "document",
        "eval",
        "redteam",
        "report",
        "share",
        "sync",
        "suppression",
        "baseline",
        "key_rotation",
    ] {
        assert!(kinds.contains(kind), "{kind} is missing in {kinds:?}");
    }
}

/// Number, type and digest of entries, in their order.
fn sorted<'v>(entries: impl Iterator<Item = &'v Value>, kind: &str) -> Vec<(u64, Value, Value)> {
    let entry = |entry: &Value| {
        (
            entry["seq"].as_u64().unwrap(),
            entry[kind].clone(),
            entry["hash"].clone(),
        )
    };
    let mut all: Vec<(u64, Value, Value)> = entries.map(entry).collect();
    all.sort_by_key(|(seq, ..)| *seq);
    all
}

/// A suppression, its change and its end are entries; the names in it are not.
fn suppressions(daemon: &Daemon, events: &Listener, folder: &std::path::Path) {
    let scan = done(daemon, "/scan", &json!({"path": "."}));
    let finding = scan["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["type"] == "fail")
        .unwrap();
    let file = folder.join(".compliance/suppressions.toml");
    let rule = |reason: &str| {
        format!(
            "[[suppression]]\nfinding = {}\nkind = \"accepted_risk\"\nreason = \"{reason}\"\nowner = \"B. Owner\"\n",
            finding["id"]
        )
    };
    let newest = |after: u64| {
        events.entry(after, "suppression");
        daemon.get("/agent/audit?type=suppression&limit=1").json()[0]["payload"].clone()
    };
    let count = || {
        daemon
            .get("/agent/audit?type=suppression")
            .json()
            .as_array()
            .unwrap()
            .len()
    };
    for (text, changed, reopened) in [(rule("known"), 1, 0), (rule("other"), 1, 0), (String::new(), 0, 1)] {
        fs::write(&file, text).unwrap();
        let at = events.last();
        done(daemon, "/scan", &json!({"path": "."}));
        let entry = newest(at);
        assert_eq!(
            (&entry["suppressedTotal"], &entry["reopenedTotal"]),
            (&json!(changed), &json!(reopened)),
            "{entry}"
        );
        let before = count();
        // The same again is no change, and neither is the law of another day.
        done(daemon, "/scan", &json!({"path": "."}));
        done(daemon, "/scan", &json!({"path": ".", "asOf": "2027-12-02"}));
        assert_eq!(count(), before);
    }
    let all = daemon.get("/agent/audit?type=suppression").body;
    assert!(!all.contains("B. Owner") && !all.contains("known"), "{all}");
}

#[test]
fn given_a_fix_that_a_dead_process_began_then_its_end_is_an_event() {
    let folder = example("helpdesk");
    let finished = {
        let daemon = Daemon::start(folder.path(), &[]);
        done(&daemon, "/scan", &json!({"path": "."}));
        let preview = daemon.get("/fix/preview").json();
        let fix = preview["fixes"][0].clone();
        done(
            &daemon,
            "/fix/apply",
            &json!({"checkId": fix["checkId"], "findingId": fix["findingId"]}),
        )
    };
    // The files are changed, and the state is what a process leaves that dies before it says so.
    let database = folder.path().join(".compliance/state.db");
    let connection = rusqlite::Connection::open(database).unwrap();
    let changed = connection
        .execute(
            "UPDATE fixes SET status = 'applying' WHERE id = ?",
            [finished["fixId"].as_i64().unwrap()],
        )
        .unwrap();
    assert_eq!(changed, 1);
    drop(connection);
    let daemon = Daemon::start(folder.path(), &[]);
    let events = Listener::start(&daemon);
    done(&daemon, "/scan", &json!({"path": "."}));
    events.wait(0, "fix.applied", &json!({"fixId": finished["fixId"], "undo": false}));
    events.entry(0, "fix");
}
