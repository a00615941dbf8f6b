//! Results sent to a dashboard: over HTTP and from the command line, with a dashboard that fails in every way.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::dashboard::{Dashboard, Failing, Pushed};
use crate::support::{CHAT, Daemon, Reply, binary, project, read_until};

/// The token, in no form that a secret scanner knows.
const TOKEN: &str = "dashboard/Token+4711-quite-long";

const KINDS: [&str; 4] = ["passport", "scan", "documents", "evidence"];

/// A project with a scan, passports and documents.
fn prepared(daemon: &Daemon) {
    assert_eq!(daemon.post("/scan", r#"{"path": "."}"#).status, 200);
    assert_eq!(daemon.post("/agent/init", r#"{"path": "."}"#).status, 200);
    let made = daemon.post(
        "/agent/doc/all",
        r#"{"path": ".", "name": null, "organization": "Example"}"#,
    );
    assert_eq!(made.status, 200, "{}", made.body);
}

fn body(dashboard: &Dashboard) -> String {
    json!({"token": TOKEN, "saasUrl": dashboard.url}).to_string()
}

fn push(daemon: &Daemon, kind: &str, dashboard: &Dashboard) -> Reply {
    daemon.post(&format!("/sync/{kind}"), &body(dashboard))
}

/// No reply, file or log names the token, in any spelling.
fn assert_clean(place: &str, text: &str) {
    let lower = text.to_lowercase();
    for form in [
        TOKEN.to_lowercase(),
        "dashboard%2ftoken".to_owned(),
        "dashboard\\/token".to_owned(),
        "4711-quite".to_owned(),
        data_encoding_base64(TOKEN).to_lowercase(),
    ] {
        assert!(!lower.contains(&form), "{place} contains the token: {text}");
    }
}

/// Base64 without the last, incomplete group.
fn data_encoding_base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.as_bytes()
        .chunks_exact(3)
        .flat_map(|three| {
            let bits = (u32::from(three[0]) << 16) | (u32::from(three[1]) << 8) | u32::from(three[2]);
            [18, 12, 6, 0].map(|shift| char::from(LETTERS[(bits >> shift & 63) as usize]))
        })
        .collect()
}

fn assert_clean_files(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_clean_files(&path);
        } else {
            let bytes = fs::read(&path).unwrap();
            assert_clean(&path.display().to_string(), &String::from_utf8_lossy(&bytes));
        }
    }
}

/// Every request has the form that the documentation of the contract gives.
fn assert_contract(seen: &[Pushed]) {
    let document: Value = serde_json::from_str(include_str!("../../docs/dashboard-openapi.json")).unwrap();
    for request in seen {
        let path = request.route.trim_start_matches("POST ");
        let schema = &document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let mut whole = schema.clone();
        whole["components"] = document["components"].clone();
        let validator = jsonschema::validator_for(&whole).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&request.body)
            .take(3)
            .map(|error| error.to_string())
            .collect();
        assert!(schema.is_object() && errors.is_empty(), "{path}: {errors:?}");
    }
}

/// A file that only its owner can read.
fn write_private(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn sync_entries(daemon: &Daemon) -> Vec<Value> {
    let all = daemon.get("/agent/audit?type=sync&limit=1000").json();
    all.as_array().unwrap().clone()
}

#[test]
fn given_a_dashboard_then_every_kind_is_sent_once_and_recorded() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    let dashboard = Dashboard::start();
    prepared(&daemon);
    for kind in KINDS {
        let reply = push(&daemon, kind, &dashboard);
        assert_eq!(reply.status, 200, "{kind}: {}", reply.body);
        let reply = reply.json();
        assert_eq!(reply["kind"], kind);
        assert_eq!(reply["complete"], true, "{reply}");
        assert_eq!(reply["dashboard"], dashboard.host());
        assert!(reply["created"].as_u64().unwrap() > 0, "{reply}");
        assert_eq!(reply["synced"], reply["processed"], "{reply}");
        assert!(reply["results"][0]["name"].is_string() && reply["results"][0]["action"] == "created");
        let entry = &sync_entries(&daemon)[0];
        assert_eq!(entry["id"], reply["evidenceId"], "{entry}");
        assert_eq!(entry["payload"]["kind"], kind);
        assert_eq!(entry["payload"]["complete"], true);
    }
    let seen = dashboard.seen();
    assert!(seen.iter().all(|request| request.token() == TOKEN));
    assert!(
        seen.iter()
            .all(|request| request.headers.contains_key("idempotency-key"))
    );
    let place = folder.path().canonicalize().unwrap();
    for request in &seen {
        assert!(!request.text.contains(&*place.to_string_lossy()), "{}", request.route);
        assert_clean(&request.route, &request.text);
    }
    assert_contract(&seen);
    // The scan is the one whose digest the chain states, byte for byte.
    let scan = seen.iter().find(|request| request.route.ends_with("/scan")).unwrap();
    let stated = daemon.get("/agent/audit?type=scan&limit=1").json()[0]["payload"]["result"]["blake3"].clone();
    assert_eq!(scan.body["items"][0]["digest"], stated);
    let (_, result) = scan.text.split_once("\"result\":").unwrap();
    let result = result.strip_suffix("}]}").unwrap();
    assert_eq!(blake3::hash(result.as_bytes()).to_hex().as_str(), stated);

    // What is there already is unchanged, and only new entries are sent.
    dashboard.forget();
    for kind in ["passport", "scan", "documents"] {
        let again = push(&daemon, kind, &dashboard).json();
        assert_eq!(
            (&again["created"], &again["updated"]),
            (&json!(0), &json!(0)),
            "{again}"
        );
        assert_eq!(again["complete"], true);
    }
    let before = dashboard.entries();
    dashboard.seen();
    let again = push(&daemon, "evidence", &dashboard).json();
    assert_eq!(again["evidence"]["before"], before);
    assert_eq!(again["created"], 1, "one range of entries: {again}");
    let sent: usize = dashboard
        .seen()
        .iter()
        .map(|request| request.body["entries"].as_array().unwrap().len())
        .sum();
    assert_eq!(sent, dashboard.entries() - before, "no entry twice");
    let verified = daemon.get("/agent/evidence/verify?full=true").json();
    assert_eq!(verified["valid"], true, "{verified}");
    let status = daemon
        .send(
            "GET",
            "/sync/status",
            "Content-Type: application/json\r\n",
            body(&dashboard).as_bytes(),
        )
        .json();
    assert_eq!(
        (&status["authenticated"], &status["account"]),
        (&json!(true), &json!("team desk"))
    );
    assert_eq!(status["last"].as_array().unwrap().len(), 4, "{status}");
    let outbound = daemon.get("/status").json()["outbound"].clone();
    assert_eq!(outbound, json!([dashboard.host()]));
}

#[test]
fn given_a_scan_with_a_token_then_the_push_is_in_the_reply_and_never_fails_the_scan() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    let dashboard = Dashboard::start();
    let scan = |token: Value, url: Value| {
        let body = json!({"path": ".", "limit": 1, "saasToken": token, "saasUrl": url}).to_string();
        let reply = daemon.post("/scan", &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_clean("the reply of a scan", &reply.body);
        reply.json()
    };
    let pushed = scan(json!(TOKEN), json!(dashboard.url));
    assert!(pushed["score"]["compliance"].is_number() && pushed["findings"].as_array().unwrap().len() == 1);
    assert_eq!(pushed["sync"]["complete"], true, "{}", pushed["sync"]);
    assert_eq!(pushed["sync"]["results"][0]["id"], pushed["id"]);
    let item = &dashboard.seen()[0].body["items"][0];
    assert_eq!(item["id"], pushed["id"]);
    assert_eq!(item["result"]["projectPath"], ".");
    for (token, url, code) in [
        (json!(TOKEN), Value::Null, "missing-part"),
        (Value::Null, json!(dashboard.url), "missing-part"),
        (json!(TOKEN), json!("http://dashboard.example"), "invalid-request"),
        (json!("a b"), json!(dashboard.url), "invalid-request"),
        (json!(TOKEN), json!("http://127.0.0.1:1"), "dashboard-failed"),
        (json!(TOKEN), json!("https://169.254.169.254/x"), "dashboard-failed"),
    ] {
        let reply = scan(token, url);
        assert_eq!(reply["sync"]["code"], code, "{}", reply["sync"]);
        assert_eq!(reply["sync"]["complete"], false);
        assert!(reply["sync"]["error"].is_string() && reply["id"].is_string());
    }
    dashboard.fail_always(Some(Failing::Says(401, String::new(), String::new())));
    assert_eq!(
        scan(json!(TOKEN), json!(dashboard.url))["sync"]["code"],
        "dashboard-refused"
    );
    let plain = daemon.post("/scan", r#"{"path": "."}"#).json();
    assert!(plain.get("sync").is_none());
    assert_clean_files(&folder.path().join(".compliance"));
}

/// An error of the dashboard that repeats everything it got.
fn echo(status: u16) -> Failing {
    let reversed: String = TOKEN.chars().rev().collect();
    let text = format!("Bearer {TOKEN} and {reversed} and {}", data_encoding_base64(TOKEN));
    Failing::Says(
        status,
        format!("Content-Type: application/json\r\nX-Echo: {TOKEN}\r\n"),
        json!({ "error": text }).to_string(),
    )
}

#[test]
fn given_a_failing_dashboard_then_each_failure_has_its_status_and_nothing_names_the_token() {
    let folder = project(CHAT);
    let mut command = binary();
    command
        .current_dir(folder.path())
        .args(["--port", "0", "--log", "trace"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (daemon, log) = with_log(command);
    prepared(&daemon);
    let dashboard = Dashboard::start();
    let json_type = "Content-Type: application/json\r\n".to_owned();
    let says = |status, headers: &str, body: &str| Failing::Says(status, headers.to_owned(), body.to_owned());
    let cases: Vec<(&str, Failing, u16, &str)> = vec![
        ("401", echo(401), 502, "dashboard-refused"),
        ("403", echo(403), 502, "dashboard-refused"),
        ("400", echo(400), 502, "dashboard-failed"),
        (
            "404",
            says(404, "Content-Type: text/html\r\n", "<html>no"),
            502,
            "dashboard-failed",
        ),
        ("429", says(429, "Retry-After: 3600\r\n", ""), 502, "dashboard-failed"),
        ("500", echo(500), 502, "dashboard-failed"),
        ("503", says(503, "Retry-After: 0\r\n", ""), 502, "dashboard-failed"),
        ("silent", Failing::Silent, 504, "dashboard-timeout"),
        ("closed", Failing::Closed, 502, "dashboard-failed"),
        ("half", Failing::Half, 502, "dashboard-failed"),
        ("huge", Failing::Huge, 502, "dashboard-failed"),
        (
            "wrong content type",
            says(200, &format!("Content-Type: text/{TOKEN}\r\n"), r#"{"results": []}"#),
            502,
            "dashboard-failed",
        ),
        (
            "no content type",
            says(200, "", r#"{"results": []}"#),
            502,
            "dashboard-failed",
        ),
        (
            "garbage",
            says(200, &json_type, &format!("{{\"results\": [{{\"id\": \"{TOKEN}")),
            502,
            "dashboard-failed",
        ),
        (
            "an unknown action",
            says(
                200,
                &json_type,
                &json!({"results": [{"id": "x", "action": TOKEN}], "head": {"size": TOKEN}, "account": [TOKEN]})
                    .to_string(),
            ),
            502,
            "dashboard-failed",
        ),
        (
            "a redirect to another host",
            says(
                307,
                &format!("Location: http://{}.example/api\r\n", TOKEN.replace(['/', '+'], "-")),
                "",
            ),
            502,
            "dashboard-failed",
        ),
        (
            "a redirect to another port",
            says(308, "Location: http://127.0.0.1:1/api\r\n", ""),
            502,
            "dashboard-failed",
        ),
    ];
    for (name, failing, status, code) in &cases {
        dashboard.fail_always(Some(failing.clone()));
        for kind in KINDS {
            let time = if *name == "silent" { 500 } else { 20_000 };
            let body = json!({"token": TOKEN, "saasUrl": dashboard.url, "timeoutMs": time}).to_string();
            let reply = daemon.post(&format!("/sync/{kind}"), &body);
            reply.assert_failure(*status, code);
            assert_clean(name, &format!("{reply:?}"));
        }
        let query = format!(
            "/sync/status?token=dashboard%2FToken%2B4711-quite-long&saasUrl={}&timeoutMs=2000",
            dashboard.url
        );
        let reply = daemon.get(&query);
        reply.assert_failure(*status, code);
        assert_clean(name, &format!("{reply:?}"));
        assert!(
            dashboard.seen().iter().all(|request| request.token() == TOKEN),
            "{name}: the token goes to the dashboard only"
        );
    }
    // The kinds without evidence were sent, whatever came back; each time the chain says so.
    let entries = sync_entries(&daemon);
    assert!(entries.len() >= cases.len() * 3, "{}", entries.len());
    assert!(entries.iter().all(|entry| entry["payload"]["complete"] == false));
    let verified = daemon.get("/agent/evidence/verify?full=true");
    assert_eq!(verified.json()["valid"], true, "{}", verified.body);
    for route in ["/agent/audit?limit=1000", "/status", "/agent/evidence"] {
        assert_clean(route, &daemon.get(route).body);
    }
    assert_clean_files(&folder.path().join(".compliance"));
    drop(daemon);
    let log = log();
    assert!(log.contains("/sync/passport"), "the log is really there");
    assert_clean("the log", &log);
}

/// Starts a daemon and reads its log until it ends.
fn with_log(mut command: std::process::Command) -> (Daemon, impl FnOnce() -> String) {
    let mut child = command.spawn().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let text = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&text);
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = errors.read_to_end(&mut bytes);
        kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes));
    });
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    let port = line.trim().rsplit(':').next().unwrap().parse().unwrap();
    (Daemon { child, port }, move || {
        reader.join().unwrap();
        text.lock().unwrap().clone()
    })
}

#[test]
fn given_passing_failures_then_the_request_is_repeated_until_it_succeeds() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    prepared(&daemon);
    for failing in [
        Failing::Says(429, "Retry-After: 1\r\n".to_owned(), String::new()),
        Failing::Says(503, String::new(), String::new()),
        Failing::Closed,
        Failing::Half,
        // The first request arrived and only its answer was lost: it must not count twice.
        Failing::KeptAndClosed,
    ] {
        let dashboard = Dashboard::start();
        dashboard.fail_next([failing.clone()]);
        let reply = push(&daemon, "passport", &dashboard);
        assert_eq!(reply.status, 200, "{failing:?}: {}", reply.body);
        assert_eq!(reply.json()["created"], reply.json()["processed"], "{failing:?}");
        let seen = dashboard.seen();
        assert_eq!(seen.len(), 2, "{failing:?}");
        assert_eq!(seen[0].headers["idempotency-key"], seen[1].headers["idempotency-key"]);
        assert_eq!(seen[0].text, seen[1].text);
    }
}

#[test]
fn given_a_cut_in_the_upload_then_the_next_one_goes_on_where_it_ended() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    prepared(&daemon);
    let dashboard = Dashboard::start();
    dashboard.take_entries(3);
    let first = push(&daemon, "evidence", &dashboard).json();
    assert_eq!(first["complete"], true, "small steps reach the end: {first}");
    let before = dashboard.entries();
    for _ in 0..8 {
        daemon.post("/scan", r#"{"path": "."}"#);
    }
    // Three entries arrive and only the answer is lost; then the dashboard breaks.
    dashboard.fail_next([
        Failing::Not,
        Failing::KeptAndClosed,
        Failing::Not,
        Failing::Says(400, String::new(), String::new()),
    ]);
    let cut = push(&daemon, "evidence", &dashboard);
    assert_eq!(cut.status, 200, "{}", cut.body);
    let cut = cut.json();
    assert_eq!(
        (&cut["complete"], &cut["code"]),
        (&json!(false), &json!("dashboard-failed")),
        "{cut}"
    );
    assert_eq!(cut["evidence"]["held"], before + 3);
    assert_eq!(dashboard.entries(), before + 3);
    dashboard.seen();
    let resumed = push(&daemon, "evidence", &dashboard).json();
    assert_eq!(resumed["complete"], true, "{resumed}");
    assert_eq!(resumed["evidence"]["before"], before + 3);
    assert!(dashboard.entries() > before + 3);
    // Nothing that it had was sent again.
    for request in dashboard.seen() {
        for entry in request.body["entries"].as_array().unwrap() {
            let entry: Value = serde_json::from_str(entry.as_str().unwrap()).unwrap();
            assert!(entry["seq"].as_u64().unwrap() >= before as u64 + 3);
        }
    }
}

#[test]
fn given_another_chain_in_the_dashboard_then_the_upload_is_a_conflict() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    prepared(&daemon);
    let dashboard = Dashboard::start();
    assert_eq!(push(&daemon, "evidence", &dashboard).status, 200);
    let held = dashboard.entries();
    dashboard.corrupt();
    let conflict = push(&daemon, "evidence", &dashboard).assert_failure(409, "dashboard-conflict");
    assert!(
        conflict["details"].as_str().unwrap().contains(&held.to_string()),
        "{conflict}"
    );
    assert_eq!(dashboard.entries(), held, "nothing was uploaded");
    // More entries than there are here are a conflict too: this machine went back.
    let other = project(CHAT);
    let second = Daemon::start(other.path(), &[]);
    second.post("/scan", r#"{"path": "."}"#);
    push(&second, "evidence", &dashboard).assert_failure(409, "dashboard-conflict");
}

#[test]
fn given_conflicts_and_rejections_then_each_item_says_why() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    prepared(&daemon);
    let dashboard = Dashboard::start();
    let json_type = "Content-Type: application/json\r\n".to_owned();
    let text = format!("newer version, not yours, {TOKEN}");
    dashboard.fail_always(Some(Failing::Says(
        409,
        json_type.clone(),
        json!({ "error": text }).to_string(),
    )));
    let reply = push(&daemon, "documents", &dashboard);
    assert_eq!(reply.status, 200);
    assert_clean("a conflict", &reply.body);
    let reply = reply.json();
    assert_eq!(reply["conflicts"], reply["processed"], "{reply}");
    assert_eq!(reply["results"][0]["error"], "newer version, not yours, [token]");
    assert_eq!((&reply["complete"], &reply["synced"]), (&json!(false), &json!(0)));
    push(&daemon, "evidence", &dashboard).assert_failure(409, "dashboard-conflict");

    dashboard.fail_always(Some(Failing::Says(
        413,
        json_type,
        json!({"error": "too long"}).to_string(),
    )));
    let reply = push(&daemon, "documents", &dashboard).json();
    assert_eq!(reply["failed"], reply["processed"], "{reply}");
    assert!(
        reply["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["action"] == "rejected"),
        "{reply}"
    );
}

#[test]
fn given_a_secret_or_a_machine_path_in_a_file_then_it_stays_here() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    prepared(&daemon);
    let documents = folder.path().join(".compliance/documents");
    let key = ["sk-proj-", &"Ab3dEf9hIj".repeat(5)].concat();
    fs::write(documents.join("own.md"), format!("# Notes\n\nThe key is {key}.\n")).unwrap();
    fs::write(documents.join("place.md"), "# Notes\n\nSee /home/erika/desk/app.py.\n").unwrap();
    let dashboard = Dashboard::start();
    let reply = push(&daemon, "documents", &dashboard).json();
    let action = |id: &str| {
        let all = reply["results"].as_array().unwrap();
        all.iter().find(|one| one["id"] == id).unwrap()["action"].clone()
    };
    assert_eq!((action("own"), action("place")), (json!("withheld"), json!("withheld")));
    assert_eq!(reply["complete"], false);
    let sent: String = dashboard.seen().iter().map(|request| request.text.clone()).collect();
    assert!(!sent.contains("sk-proj-") && !sent.contains("/home/erika"));
}

#[test]
fn given_what_is_missing_or_wrong_then_the_failure_names_it() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    for kind in KINDS {
        let route = format!("/sync/{kind}");
        daemon.post(&route, "{}").assert_failure(424, "missing-part");
        let empty = json!({"token": " ", "saasUrl": "http://127.0.0.1:1"}).to_string();
        daemon.post(&route, &empty).assert_failure(424, "missing-part");
        let no_project = json!({"token": TOKEN, "saasUrl": "http://127.0.0.1:1"}).to_string();
        daemon.post(&route, &no_project).assert_failure(404, "no-project");
        let in_query = daemon.post(&format!("{route}?token={TOKEN}"), "{}");
        in_query.assert_failure(400, "invalid-request");
        assert_clean("a refused query", &in_query.body);
    }
    for url in [
        "http://dashboard.example",
        "https://user:secret@dashboard.example",
        "https://dashboard.example/?a=b",
        "ftp://dashboard.example",
        "nonsense",
        "http://dashboard-token-4711-quite-long.localhost",
    ] {
        let body = json!({"token": TOKEN, "saasUrl": url, "path": "."}).to_string();
        let failure = daemon.post("/sync/scan", &body).assert_failure(400, "invalid-request");
        assert_eq!(failure["field"], "saasUrl", "{url}");
    }
    for blocked in ["https://169.254.169.254", "https://[fd00:ec2::254]"] {
        let body = json!({"token": TOKEN, "saasUrl": blocked, "path": "."}).to_string();
        daemon.post("/sync/passport", &body);
        daemon.post("/scan", r#"{"path": "."}"#);
        let reply = daemon.post("/sync/scan", &body);
        let failure = reply.assert_failure(502, "dashboard-failed");
        assert!(failure["details"].as_str().unwrap().contains("blocked"), "{failure}");
    }
    assert!(sync_entries(&daemon).is_empty(), "nothing has left the machine");
    let no_scan = project(CHAT);
    let body = json!({"token": TOKEN, "saasUrl": "http://127.0.0.1:1", "path": no_scan.path()}).to_string();
    daemon.post("/sync/scan", &body).assert_failure(404, "no-scan-yet");
    let nothing = daemon.post("/sync/passport", &body);
    assert_eq!(
        (nothing.status, &nothing.json()["processed"]),
        (200, &json!(0)),
        "{}",
        nothing.body
    );
}

#[test]
fn given_a_read_only_engine_then_nothing_is_sent_and_the_status_is_asked() {
    let folder = project(CHAT);
    {
        let daemon = Daemon::start(folder.path(), &[]);
        prepared(&daemon);
    }
    let daemon = Daemon::start(folder.path(), &["--read-only", "--project", "."]);
    let dashboard = Dashboard::start();
    for kind in KINDS {
        push(&daemon, kind, &dashboard).assert_failure(403, "read-only");
    }
    let scan = json!({"path": ".", "saasToken": TOKEN, "saasUrl": dashboard.url}).to_string();
    let scan = daemon.post("/scan", &scan);
    assert_eq!((scan.status, &scan.json()["sync"]["code"]), (200, &json!("read-only")));
    assert!(dashboard.seen().is_empty());
    let header = format!("Authorization: Bearer {TOKEN}\r\n");
    let status = daemon.send("GET", &format!("/sync/status?saasUrl={}", dashboard.url), &header, b"");
    assert_eq!(status.status, 200, "{}", status.body);
    assert_eq!(dashboard.seen()[0].token(), TOKEN);
}

#[test]
fn given_a_daemon_with_its_own_token_then_that_token_never_reaches_a_dashboard() {
    let folder = project(CHAT);
    let file = folder.path().join("daemon.token");
    write_private(&file, "the-token-of-the-daemon-0123456789\n");
    let daemon = Daemon::start(folder.path(), &["--token-file", "daemon.token"]);
    let dashboard = Dashboard::start();
    let own = "Authorization: Bearer the-token-of-the-daemon-0123456789\r\n";
    let target = format!("/sync/status?saasUrl={}", dashboard.url);
    daemon
        .send("GET", &target, own, b"")
        .assert_failure(424, "missing-part");
    assert!(dashboard.seen().is_empty());
    let both = format!("{own}X-Dashboard-Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(daemon.send("GET", &target, &both, b"").status, 200);
    assert_eq!(dashboard.seen()[0].token(), TOKEN);
}

#[test]
fn given_the_command_line_then_the_token_comes_from_the_environment_a_file_or_standard_input() {
    let folder = project(CHAT);
    let dashboard = Dashboard::start();
    {
        let daemon = Daemon::start(folder.path(), &[]);
        prepared(&daemon);
    }
    let sync = |arguments: &[&str], environment: Option<&str>, input: Option<&str>| {
        let mut command = binary();
        command
            .arg("sync")
            .args(arguments)
            .current_dir(folder.path())
            .env_remove("ENGINE_SYNC_TOKEN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(token) = environment {
            command.env("ENGINE_SYNC_TOKEN", token);
        }
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that reads no input may have ended by now.
        let _ = stdin.write_all(input.unwrap_or_default().as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, errors) = (text(&output.stdout), text(&output.stderr));
        assert_clean("the output", &out);
        assert_clean("the errors", &errors);
        (output.status.code(), out, errors)
    };
    let url = dashboard.url.as_str();
    let (code, out, errors) = sync(&[".", "--url", url], Some(TOKEN), None);
    assert_eq!(code, Some(0), "{out}{errors}");
    for kind in KINDS {
        assert!(out.contains(kind), "{out}");
    }
    assert!(dashboard.seen().iter().all(|request| request.token() == TOKEN));
    assert!(dashboard.entries() > 3);

    let (code, out, errors) = sync(
        &[".", "--url", url, "--only", "scan", "--json", "--token-file", "-"],
        None,
        Some(TOKEN),
    );
    assert_eq!(code, Some(0), "{errors}");
    let reply: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(reply[0]["kind"], "scan");
    let file = folder.path().join("token.txt");
    write_private(&file, &format!("{TOKEN}\n"));
    let (code, out, _) = sync(&["--url", url, "--status", "--token-file", "token.txt"], None, None);
    assert_eq!(code, Some(0));
    assert!(out.contains("team desk"), "{out}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let (code, _, errors) = sync(&["--url", url, "--status", "--token-file", "token.txt"], None, None);
        assert_eq!(code, Some(2), "others can read the token");
        assert!(errors.contains("chmod 600"), "{errors}");
    }
    fs::remove_file(file).unwrap();

    let (code, _, errors) = sync(&[".", "--url", url], None, None);
    assert_eq!(code, Some(2));
    assert!(errors.contains("ENGINE_SYNC_TOKEN"), "{errors}");
    let (code, ..) = sync(&[".", "--url", url, "--token", TOKEN_ARGUMENT], None, None);
    assert_eq!(code, Some(2), "a token is never an argument");
    dashboard.fail_always(Some(echo(403)));
    let (code, _, errors) = sync(&[".", "--url", url], Some(TOKEN), None);
    assert_eq!(code, Some(2));
    assert!(errors.contains("refused the token"), "{errors}");
    dashboard.fail_always(Some(Failing::Says(
        409,
        "Content-Type: application/json\r\n".to_owned(),
        "{}".to_owned(),
    )));
    let (code, out, _) = sync(&[".", "--url", url, "--only", "documents"], Some(TOKEN), None);
    assert_eq!(code, Some(1), "{out}");
    assert_clean_files(&folder.path().join(".compliance"));
}

/// An argument that is not the token.
const TOKEN_ARGUMENT: &str = "x";

#[test]
fn given_a_synchronisation_then_its_entry_is_an_event_without_the_token() {
    let folder = project(CHAT);
    let daemon = Daemon::start(folder.path(), &[]);
    daemon.post("/scan", r#"{"path": "."}"#);
    let mut stream = daemon.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    read_until(&mut stream, ": connected\n\n");
    let dashboard = Dashboard::start();
    assert_eq!(push(&daemon, "scan", &dashboard).status, 200);
    let text = read_until(&mut stream, r#""entryType":"sync""#);
    assert_clean("the events", &text);
}
