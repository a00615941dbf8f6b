//! The evidence chain through the daemon and the command line: every scan leaves an entry, and every change to what was
//! kept is told.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::audit_package::helpdesk;
use crate::support::{CHAT, Daemon, PATIENCE, binary, project, wait_for};

/// A project and a data directory that no other test uses.
pub(crate) struct Place {
    pub(crate) project: TempDir,
    pub(crate) data: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            project: project(CHAT),
            data: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = binary();
        command
            .env("ENGINE_DATA_DIR", self.data.path())
            .current_dir(self.project.path());
        command
    }

    pub(crate) fn daemon(&self) -> Daemon {
        let mut command = self.command();
        command.args(["--port", "0"]);
        Daemon::spawn(command)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command().args(arguments).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    pub(crate) fn verify(&self) -> Value {
        let (_, out, err) = self.run(&["verify", ".", "--json"]);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
    }

    pub(crate) fn database(&self) -> std::path::PathBuf {
        self.project.path().join(".compliance/state.db")
    }
}

fn scan(daemon: &Daemon) -> Value {
    let reply = daemon.post("/scan", r#"{"path": "."}"#);
    assert_eq!(reply.status, 200);
    reply.json()
}

#[test]
fn every_scan_leaves_a_signed_entry_that_verifies() {
    let place = Place::new();
    let daemon = place.daemon();
    let none = daemon.get("/agent/evidence/verify?path=.").json();
    assert_eq!(
        (&none["verdict"], &none["entries"]),
        (&"first_use".into(), &0.into()),
        "{none}"
    );
    let first = scan(&daemon);
    scan(&daemon);
    let report = daemon.get("/agent/evidence/verify").json();
    assert_eq!(
        (&report["valid"], &report["verdict"]),
        (&true.into(), &"valid".into()),
        "{report}"
    );
    assert_eq!(report["entries"], 3, "the beginning of the chain, and two scans");
    assert!(report["firstEntry"].is_string() && report["lastEntry"].is_string());
    let audit = daemon.get("/agent/audit?type=scan").json();
    let entries = audit.as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1]["payload"]["scanId"], first["id"], "the newest comes first");
    assert_eq!(entries[0]["prevHash"], entries[1]["hash"]);
    let page = daemon.get("/agent/audit?limit=2").json();
    let cursor = page[1]["seq"].as_u64().unwrap();
    let rest = daemon.get(&format!("/agent/audit?cursor={cursor}")).json();
    assert_eq!(rest.as_array().unwrap().len(), 1);
    assert_eq!(rest[0]["type"], "genesis");
    let summary = daemon.get("/agent/evidence").json();
    assert_eq!(summary["entries"], 3);
    assert!(
        summary["head"]
            .as_str()
            .unwrap()
            .starts_with("local-compliance-engine/")
    );
    let later = daemon.get("/agent/audit?since=2100-01-01").json();
    assert_eq!(later.as_array().unwrap().len(), 0);
}

#[test]
fn the_command_line_tells_a_whole_chain_from_a_changed_one() {
    let place = Place::new();
    assert_eq!(place.run(&["scan", "."]).0, Some(0));
    let (code, out, _) = place.run(&["verify", "."]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.starts_with("valid"), "{out}");
    let database = rusqlite::Connection::open(place.database()).unwrap();
    database
        .execute(
            "UPDATE evidence SET entry = replace(entry, 'systems_found', 'no_ai_found') WHERE seq = 1",
            [],
        )
        .unwrap();
    drop(database);
    let (code, out, _) = place.run(&["verify", "."]);
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.starts_with("tampered") && out.contains("first problem at entry 1"),
        "{out}"
    );
    let (code, _, err) = place.run(&["verify", "no-such-folder"]);
    assert_eq!(code, Some(2), "{err}");
}

#[test]
fn an_old_copy_a_deleted_and_a_damaged_database_each_have_their_verdict() {
    let place = Place::new();
    place.run(&["scan", "."]);
    let old = fs::read(place.database()).unwrap();
    place.run(&["scan", "."]);
    assert_eq!(place.verify()["verdict"], "valid");
    let now = fs::read(place.database()).unwrap();

    fs::write(place.database(), &old).unwrap();
    let report = place.verify();
    assert_eq!(
        (&report["verdict"], &report["brokenAt"]),
        (&"rolled_back".into(), &2.into()),
        "{report}"
    );

    fs::remove_file(place.database()).unwrap();
    let report = place.verify();
    assert_eq!(
        (&report["verdict"], &report["brokenAt"]),
        (&"missing".into(), &0.into()),
        "{report}"
    );

    fs::write(place.database(), &now[..now.len() / 2]).unwrap();
    let (code, out, err) = place.run(&["verify", "."]);
    assert_ne!(code, Some(0), "{out}");
    assert!(out.starts_with("corrupt") || err.contains("damaged"), "{out}{err}");

    fs::write(place.database(), &now).unwrap();
    assert_eq!(place.verify()["verdict"], "valid", "what is put back is whole again");
}

#[test]
fn another_key_is_foreign_until_a_person_trusts_it_and_a_rotated_one_is_not() {
    let place = Place::new();
    place.run(&["scan", "."]);
    let elsewhere = tempfile::tempdir().unwrap();
    let scanned = place
        .command()
        .env("ENGINE_DATA_DIR", elsewhere.path())
        .args(["scan", "."])
        .output()
        .unwrap();
    assert!(scanned.status.success(), "a second machine can go on");
    let report = place.verify();
    assert_eq!(report["verdict"], "foreign_key", "{report}");
    let shown = place
        .command()
        .env("ENGINE_DATA_DIR", elsewhere.path())
        .args(["key", "show"])
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let key = shown.lines().nth(1).unwrap();
    let (code, out, err) = place.run(&["key", "trust", key, "--origin", "the build machine"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(place.verify()["verdict"], "valid");

    let (code, out, err) = place.run(&["key", "rotate", "--project", ".", "--reason", "a new laptop"]);
    assert_eq!(code, Some(0), "{out}{err}");
    place.run(&["scan", "."]);
    let report = place.verify();
    assert_eq!(report["verdict"], "valid", "{report}");
    assert!(report["keys"].as_array().unwrap().len() >= 3, "{report}");
    assert_eq!(place.run(&["key", "trust", "nonsense"]).0, Some(2));
}

/// The public key with which a place signs.
fn public_key(place: &Place) -> String {
    place.run(&["key", "show"]).1.lines().nth(1).unwrap().to_owned()
}

/// Carries the state of a project to another machine.
fn carry(from: &Place, to: &Place) {
    fs::create_dir_all(to.project.path().join(".compliance")).unwrap();
    for more in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{more}", to.database().display()));
    }
    fs::copy(from.database(), to.database()).unwrap();
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn two_machines_that_add_to_a_chain_in_turn_both_find_it_valid_and_a_third_key_is_foreign() {
    let (first, second) = (helpdesk(), helpdesk());
    first.run(&["scan", "."]);
    let introduced = public_key(&second);
    let (code, out, err) = first.run(&["key", "trust", &introduced, "--origin", "my desktop", "--project", "."]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(first.verify()["verdict"], "valid");
    carry(&first, &second);
    let passport = ".compliance/passports/bot.json";
    fs::copy(
        first.project.path().join(passport),
        second.project.path().join(passport),
    )
    .unwrap();
    assert_eq!(second.verify()["verdict"], "first_use", "nothing of it was seen there");
    for round in 0..3 {
        for (place, other) in [(&second, &first), (&first, &second)] {
            assert_eq!(place.run(&["scan", "."]).0, Some(0));
            let report = place.verify();
            assert_eq!(report["verdict"], "valid", "{round}: {report}");
            carry(place, other);
            assert_eq!(other.verify()["verdict"], "valid", "{round}");
        }
    }
    let report = second.verify();
    let taken = &report["firstUseKeys"];
    assert_eq!(taken.as_array().unwrap().len(), 1, "{report}");
    assert_eq!(taken[0], report["keys"][0]);
    let said = report["issues"][0]["message"].as_str().unwrap().to_owned();
    assert!(
        said.contains(taken[0].as_str().unwrap()) && said.contains("first use"),
        "{said}"
    );
    assert_eq!(first.verify()["firstUseKeys"], serde_json::json!([]));
    // A package of the second machine can be checked by who knows the key of that machine only.
    let package = second.data.path().join("p.tar.gz");
    let (code, _, err) = second.run(&["audit-package", ".", "--output", package.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{err}");
    let options = engine_verify::Options {
        pins: vec![engine_signing::PublicKey::parse(&introduced).unwrap()],
        ..engine_verify::Options::default()
    };
    let outcome = engine_verify::verify_bytes(&fs::read(&package).unwrap(), &options).unwrap();
    assert_eq!(outcome.verdict, engine_evidence::Verdict::Valid, "{}", outcome.text());
    assert!(
        outcome.text().contains("bot.json is signed by the key") && outcome.text().contains("on trust since first use"),
        "{}",
        outcome.text()
    );
    // Whoever can write to the project but has no key of these machines is foreign on both.
    let attacker = Place::new();
    carry(&first, &attacker);
    attacker.run(&["scan", "."]);
    for place in [&first, &second] {
        carry(&attacker, place);
        let report = place.verify();
        assert_eq!(report["verdict"], "foreign_key", "{report}");
        assert_eq!(place.run(&["scan", "."]).0, Some(0));
        assert_eq!(
            place.verify()["verdict"],
            "foreign_key",
            "an entry of one's own settles nothing"
        );
        let _ = fs::remove_dir_all(place.data.path().join("heads"));
        assert_eq!(place.verify()["verdict"], "foreign_key", "nor do heads that are gone");
        carry(place, &attacker);
    }
}

#[test]
fn a_key_of_the_environment_signs_and_is_kept_nowhere() {
    let place = Place::new();
    let seed = "5e".repeat(32);
    let output = place
        .command()
        .env("ENGINE_SIGNING_KEY", &seed)
        .args(["scan", "."])
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(!place.data.path().join("signing-key.pem").exists());
    let output = place
        .command()
        .env("ENGINE_SIGNING_KEY", &seed)
        .args(["verify", "."])
        .output()
        .unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("valid"));
    let output = place
        .command()
        .env("ENGINE_SIGNING_KEY", "short")
        .args(["scan", "."])
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("ENGINE_SIGNING_KEY") && !err.contains("short"), "{err}");
}

#[test]
fn a_scan_without_a_place_for_keys_gives_its_result_and_says_that_it_is_not_kept() {
    let place = Place::new();
    let mut command = binary();
    command.current_dir(place.project.path()).args(["scan", "."]);
    for name in ["ENGINE_DATA_DIR", "XDG_DATA_HOME", "HOME", "LOCALAPPDATA"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("ENGINE_DATA_DIR") && err.contains("not stored"), "{err}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("app/main.py"));
}

#[test]
fn what_was_acknowledged_survives_being_killed_at_any_moment() {
    // All 200 take minutes: `ENGINE_KILLS=200 cargo nextest run -p engine-server being_killed`.
    let rounds = std::env::var("ENGINE_KILLS").map_or(20, |rounds| rounds.parse().unwrap());
    let place = Place::new();
    let mut acknowledged = Vec::new();
    for round in 0..rounds {
        let mut daemon = place.daemon();
        let pause = (round * 7919) % 61;
        let stop = AtomicBool::new(false);
        let answered = AtomicU64::new(0);
        let port = daemon.port;
        std::thread::scope(|scope| {
            let callers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut ids = Vec::new();
                        while !stop.load(Ordering::Relaxed) {
                            let Some(id) = try_scan(port) else { break };
                            answered.fetch_add(1, Ordering::Relaxed);
                            ids.push(id);
                        }
                        ids
                    })
                })
                .collect();
            // Each round ends at another moment of the work, however fast the machine is.
            wait_for("answers, or the end of all callers", || {
                answered.load(Ordering::Relaxed) >= round % 5 || callers.iter().all(ScopedJoinHandle::is_finished)
            });
            std::thread::sleep(Duration::from_millis(pause));
            daemon.child.kill().unwrap();
            daemon.child.wait().unwrap();
            stop.store(true, Ordering::Relaxed);
            for caller in callers {
                acknowledged.extend(caller.join().unwrap());
            }
        });
    }
    let report = place.verify();
    assert_eq!(report["verdict"], "valid", "{report}");
    let database = rusqlite::Connection::open(place.database()).unwrap();
    let mut statement = database
        .prepare("SELECT json_extract(entry, '$.payload.scanId') FROM evidence WHERE type = 'scan'")
        .unwrap();
    let kept: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(!acknowledged.is_empty(), "something was acknowledged");
    for id in &acknowledged {
        assert!(kept.contains(id), "{id} was acknowledged and is gone");
    }
    let scans: i64 = database
        .query_row("SELECT count(*) FROM scans", [], |row| row.get(0))
        .unwrap();
    assert_eq!(
        scans,
        i64::try_from(kept.len()).unwrap(),
        "no scan without its entry, no entry without its scan"
    );
}

/// The id of a scan, or nothing if the daemon was gone before it answered in full.
pub(crate) fn try_scan(port: u16) -> Option<String> {
    use std::io::{ErrorKind, Read, Write};

    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let body = r#"{"path": "."}"#;
    write!(
        stream,
        "POST /scan HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let mut reply = Vec::new();
    if let Err(error) = stream.read_to_end(&mut reply) {
        let hangs = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(!hangs, "the daemon neither answers nor closes");
        return None;
    }
    let text = String::from_utf8(reply).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    if !head.starts_with("HTTP/1.1 200") {
        return None;
    }
    let value: Value = serde_json::from_str(body).ok()?;
    Some(value["id"].as_str()?.to_owned())
}

#[test]
fn nothing_about_keys_or_heads_lies_in_the_project() {
    let place = Place::new();
    place.run(&["scan", "."]);
    let data: Vec<String> = names(place.data.path());
    assert!(data.iter().any(|name| name == "signing-key.pem"), "{data:?}");
    assert!(data.iter().any(|name| name == "heads"), "{data:?}");
    let state = names(&place.project.path().join(".compliance"));
    assert!(
        state.iter().all(|name| !name.contains("key") && !name.contains("head")),
        "{state:?}"
    );
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn two_hundred_clients_at_once_lose_nothing_that_was_acknowledged() {
    let place = Place::new();
    let daemon = place.daemon();
    let port = daemon.port;
    let mut ids: Vec<String> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..200)
            .map(|_| {
                scope.spawn(move || {
                    let mut id = None;
                    // A daemon that is busy says so, and the client comes again.
                    wait_for("a turn", || {
                        id = try_scan(port);
                        id.is_some()
                    });
                    id.unwrap()
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 200);
    let report = daemon.get("/agent/evidence/verify?path=.&full=true").json();
    assert_eq!(report["verdict"], "valid", "{report}");
    let audit = daemon.get("/agent/audit?path=.&type=scan&limit=1000").json();
    let kept: std::collections::BTreeSet<&str> = audit
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["payload"]["scanId"].as_str().unwrap())
        .collect();
    for id in &ids {
        assert!(kept.contains(id.as_str()), "{id} was acknowledged and is gone");
    }
}

/// A limit on the length of files stands for a disk that is full: the system refuses to write more in both cases.
#[cfg(unix)]
#[test]
fn a_disk_that_takes_no_more_is_told_and_the_chain_stays_valid() {
    let place = Place::new();
    assert_eq!(place.run(&["scan", "."]).0, Some(0));
    let blocks = fs::metadata(place.database()).unwrap().len() / 512 + 40;
    let mut shell = Command::new("sh");
    shell
        .env("ENGINE_DATA_DIR", place.data.path())
        .env_remove("ENGINE_SIGNING_KEY")
        .current_dir(place.project.path())
        .args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --port 0")])
        .arg(crate::support::BINARY);
    let daemon = Daemon::spawn(shell);
    let mut acknowledged = 1;
    let refused = loop {
        let reply = daemon.post("/scan", r#"{"path": "."}"#);
        if reply.status != 200 {
            break reply;
        }
        acknowledged += 1;
        assert!(acknowledged < 500, "the disk never ended");
    };
    let body = refused.assert_failure(409, "state-conflict");
    let details = body["details"].as_str().unwrap();
    assert!(details.contains("disk") && details.contains("nothing was"), "{details}");
    let report = daemon.get("/agent/evidence/verify?path=.&full=true").json();
    assert_eq!(report["verdict"], "valid", "{report}");
    drop(daemon);
    let report = place.verify();
    assert_eq!(
        (&report["verdict"], &report["entries"]),
        (&"valid".into(), &(acknowledged + 1).into()),
        "all that was acknowledged, and nothing else: {report}"
    );
    assert_eq!(place.run(&["scan", "."]).0, Some(0), "with space it goes on");
    assert_eq!(place.verify()["verdict"], "valid");
}

fn by_hand(place: &Place, sql: &str) {
    rusqlite::Connection::open(place.database())
        .unwrap()
        .execute_batch(sql)
        .unwrap();
}

#[test]
fn a_scan_over_a_damaged_chain_gives_its_result_and_an_unreadable_trail_says_where_it_starts() {
    let place = Place::new();
    place.run(&["scan", "."]);
    place.run(&["scan", "."]);
    by_hand(&place, "UPDATE evidence SET entry = '{}' WHERE seq = 1");
    let daemon = place.daemon();
    let trail = daemon.get("/agent/audit?path=.&type=scan").json();
    let lines: Vec<(&Value, &Value, &Value)> = trail
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (&line["seq"], &line["type"], &line["verdict"]))
        .collect();
    assert_eq!(
        lines,
        [
            (&2.into(), &"scan".into(), &Value::Null),
            (&1.into(), &Value::Null, &"corrupt".into())
        ],
        "{trail}"
    );
    assert_eq!(trail[1]["brokenAt"], 1);
    assert_eq!(
        daemon.get("/agent/evidence?path=.").json()["recent"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    drop(daemon);
    by_hand(&place, "UPDATE evidence SET entry = '{}'");
    let daemon = place.daemon();
    let trail = daemon.get("/agent/audit?path=.").json();
    assert_eq!(
        (trail.as_array().unwrap().len(), &trail[0]["brokenAt"]),
        (3, &0.into()),
        "{trail}"
    );

    let place = Place::new();
    place.run(&["scan", "."]);
    by_hand(&place, "UPDATE evidence_end SET state = 'nothing'");
    let daemon = place.daemon();
    let scanned = scan(&daemon);
    assert!(
        scanned["findings"]
            .as_array()
            .is_some_and(|findings| !findings.is_empty())
    );
    let warning = scanned["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("evidence chain") && warning.contains("neither stored nor recorded"),
        "{warning}"
    );
    let report = daemon.get("/agent/evidence/verify?path=.&full=true").json();
    assert_eq!(
        (&report["verdict"], &report["entries"]),
        (&"corrupt".into(), &2.into()),
        "{report}"
    );
    drop(daemon);
    let (code, _, err) = place.run(&["scan", "."]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("neither stored nor recorded"), "{err}");
}

#[test]
fn the_database_of_a_running_daemon_is_locked_and_what_is_done_to_it_afterwards_is_noticed() {
    for (sql, verdict) in [
        ("DELETE FROM evidence WHERE seq = 0", "missing"),
        (
            "DELETE FROM evidence WHERE seq = (SELECT max(seq) FROM evidence)",
            "truncated",
        ),
        (
            "UPDATE evidence_end SET state = replace(state, '\"size\":', '\"size\":1')",
            "tampered",
        ),
        ("UPDATE scans SET seq = 99 WHERE seq = 1", "tampered"),
        ("UPDATE scans SET result = NULL WHERE seq = 2", "tampered"),
        (
            "UPDATE scans SET applicability = 'no_ai_found' WHERE seq = 1",
            "tampered",
        ),
        ("DROP TABLE evidence", "corrupt"),
    ] {
        let place = Place::new();
        let daemon = place.daemon();
        scan(&daemon);
        scan(&daemon);
        assert_eq!(daemon.get("/agent/evidence/verify?path=.").json()["verdict"], "valid");
        let other = rusqlite::Connection::open(place.database()).unwrap();
        let locked = other.execute_batch(sql).unwrap_err();
        assert_eq!(
            locked.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy),
            "{sql}: {locked}"
        );
        drop((other, daemon));
        by_hand(&place, sql);
        let report = place.daemon().get("/agent/evidence/verify?path=.").json();
        assert_eq!(report["verdict"], verdict, "{sql}: {report}");
    }
}

#[test]
fn a_read_only_engine_tells_the_chain_as_it_is_and_makes_no_key() {
    let place = Place::new();
    scan(&place.daemon());
    let read_only = |data: &Path| {
        let mut command = binary();
        command
            .env("ENGINE_DATA_DIR", data)
            .current_dir(place.project.path())
            .args(["--port", "0", "--read-only"]);
        Daemon::spawn(command)
    };
    let daemon = read_only(place.data.path());
    assert_eq!(daemon.get("/agent/evidence/verify?path=.").json()["verdict"], "valid");
    assert_eq!(daemon.get("/agent/evidence?path=.").json()["entries"], 2);
    assert_eq!(daemon.get("/agent/audit?path=.").json().as_array().unwrap().len(), 2);
    assert_eq!(daemon.get("/agent/audit-package?path=.").status, 200);
    let elsewhere = tempfile::tempdir().unwrap();
    let daemon = read_only(elsewhere.path());
    assert_eq!(
        daemon.get("/agent/evidence/verify?path=.").json()["verdict"],
        "first_use"
    );
    daemon
        .get("/agent/audit-package?path=.")
        .assert_failure(424, "missing-part");
    assert_eq!(names(elsewhere.path()), Vec::<String>::new());
}
