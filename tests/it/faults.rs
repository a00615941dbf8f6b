//! What goes wrong has a clear answer, and the daemon lives on.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::support::{CHAT, Daemon, PATIENCE, Reply, project};

fn daemon() -> (tempfile::TempDir, Daemon) {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path(), &["--read-only"]);
    (folder, daemon)
}

#[test]
fn a_foreign_host_is_refused() {
    let (_folder, daemon) = daemon();
    for host in [
        "evil.example",
        "localhost.evil.example:3578",
        "127.0.0.1.nip.io",
        "10.0.0.1",
        "localhost:x",
    ] {
        let reply = daemon.raw(format!("GET /status HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes());
        reply.assert_failure(403, "foreign-host");
    }
    let reply = daemon.raw(b"GET http://evil.example/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    reply.assert_failure(403, "foreign-host");
    for hosts in ["", "Host: localhost\r\nHost: localhost\r\n"] {
        let reply = daemon.raw(format!("GET /status HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n").as_bytes());
        reply.assert_failure(400, "invalid-request");
    }
    for host in ["localhost", "127.0.0.1:1", "[::1]:3578", "LOCALHOST"] {
        let reply = daemon.raw(format!("GET /status HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes());
        assert_eq!(reply.status, 200, "{host}");
    }
}

#[test]
fn a_foreign_or_null_origin_is_refused() {
    let (_folder, daemon) = daemon();
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://10.0.0.1",
        "file://",
        "",
    ] {
        let reply = daemon.send("GET", "/status", &format!("Origin: {origin}\r\n"), b"");
        reply.assert_failure(403, "foreign-origin");
    }
    // A page of another program on this machine, on a port of its own, is foreign too.
    for origin in ["http://localhost:5173", "http://127.0.0.1", "http://[::1]:3000"] {
        let reply = daemon.send("GET", "/status", &format!("Origin: {origin}\r\n"), b"");
        reply.assert_failure(403, "foreign-origin");
    }
    let port = daemon.port;
    for origin in ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}")) {
        assert_eq!(
            daemon
                .send("GET", "/status", &format!("Origin: {origin}\r\n"), b"")
                .status,
            200,
            "{origin}"
        );
    }
}

#[test]
fn a_request_on_behalf_of_another_site_is_refused() {
    let (_folder, daemon) = daemon();
    for site in ["cross-site", "same-site", "new-value"] {
        let reply = daemon.send("GET", "/status", &format!("Sec-Fetch-Site: {site}\r\n"), b"");
        reply.assert_failure(403, "foreign-origin");
    }
    for site in ["none", "same-origin"] {
        assert_eq!(
            daemon
                .send("GET", "/status", &format!("Sec-Fetch-Site: {site}\r\n"), b"")
                .status,
            200,
            "{site}"
        );
    }
}

#[test]
fn a_preflight_gets_no_leave() {
    let (_folder, daemon) = daemon();
    let headers = "Origin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n";
    daemon
        .send("OPTIONS", "/scan", headers, b"")
        .assert_failure(403, "foreign-origin");
}

#[test]
fn what_is_not_json_is_refused() {
    let (_folder, daemon) = daemon();
    for content_type in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
    ] {
        let reply = daemon.send("POST", "/scan", content_type, br#"{"path": "."}"#);
        reply.assert_failure(415, "not-json");
    }
    // Without a body there is nothing that has a type.
    let nothing = daemon.send("POST", "/scan", "", b"");
    assert_eq!(nothing.assert_failure(400, "invalid-request")["field"], "path");
    let compressed = "Content-Type: application/json\r\nContent-Encoding: gzip\r\n";
    daemon
        .send("POST", "/scan", compressed, b"\x1f\x8b")
        .assert_failure(415, "not-json");
    let reply = daemon.send(
        "POST",
        "/scan",
        "Content-Type: application/json; charset=utf-8\r\n",
        b"{}",
    );
    reply.assert_failure(400, "invalid-request");
}

#[test]
fn a_long_body_is_refused_and_the_answer_arrives() {
    let (_folder, daemon) = daemon();
    let body = vec![b' '; 64 * 1024 * 1024];
    // The client writes all of it before it reads.
    daemon
        .send("POST", "/scan", "Content-Type: application/json\r\n", &body)
        .assert_failure(413, "body-too-large");

    // Without a declared length it is refused when it has become too long.
    let mut stream = daemon.connect();
    let head = "POST /scan HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let megabyte = vec![b' '; 1024 * 1024];
    for _ in 0..16 {
        stream.write_all(b"100000\r\n").unwrap();
        stream.write_all(&megabyte).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    Reply::read(&mut stream).assert_failure(413, "body-too-large");

    // A client that waits for leave is spared the sending.
    let head = format!(
        "POST /scan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        64 * 1024 * 1024
    );
    daemon.raw(head.as_bytes()).assert_failure(413, "body-too-large");
    assert_eq!(daemon.get("/status").status, 200);
}

#[test]
fn a_body_up_to_the_limit_is_read() {
    let (folder, daemon) = daemon();
    let path = folder.path().to_str().unwrap();
    let body = format!("{}{}", json!({ "path": path }), " ".repeat(7 * 1024 * 1024));
    assert_eq!(daemon.post("/scan", &body).status, 200);
}

/// Begins a header, does not end it, and makes another request.
fn begin_header(daemon: &Daemon) -> TcpStream {
    let mut slow = daemon.connect();
    slow.write_all(b"GET /status HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        .unwrap();
    assert_eq!(daemon.get("/status").status, 200);
    slow
}

/// That such a header is answered in the end is tested in `engine-server` with a shorter limit.
#[test]
fn others_need_not_wait_for_a_header_that_does_not_end() {
    let (_folder, daemon) = daemon();
    let mut slow = begin_header(&daemon);
    slow.write_all(b"a\r\nConnection: close\r\n\r\n").unwrap();
    assert_eq!(Reply::read(&mut slow).status, 200);
}

#[test]
#[ignore = "slow: waits 10 seconds for the time limit of a header"]
fn a_header_that_does_not_end_is_answered_and_others_need_not_wait_for_it() {
    let (_folder, daemon) = daemon();
    let mut slow = begin_header(&daemon);
    Reply::read(&mut slow).assert_failure(408, "request-timeout");
    assert_eq!(daemon.get("/status").status, 200);
}

#[test]
fn long_headers_are_refused() {
    let (_folder, daemon) = daemon();
    let reply = daemon.send("GET", "/status", &format!("X-Long: {}\r\n", "a".repeat(100_000)), b"");
    reply.assert_failure(431, "headers-too-large");
}

#[test]
fn a_thousand_idle_connections_keep_nobody_out_and_the_oldest_give_way() {
    let (_folder, daemon) = daemon();
    // The test itself may not open more files than the system allows.
    let mut idle = Vec::new();
    for number in 0..1000 {
        match TcpStream::connect(("127.0.0.1", daemon.port)) {
            Ok(stream) => {
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                idle.push(stream);
            }
            Err(error) => {
                assert!(number > 500, "{number}: {error}");
                idle.truncate(idle.len() - 8);
                break;
            }
        }
        if number % 100 == 0 {
            assert_eq!(daemon.get("/status").status, 200, "after {number}");
        }
    }
    assert_eq!(daemon.get("/status").status, 200);
    // The oldest had to go, and was told so by the end of its stream.
    match idle[0].read(&mut [0; 16]) {
        Ok(count) => assert_eq!(count, 0),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    // The newest need not: nobody waited until idle connections ran out of time.
    let newest = idle.last_mut().unwrap();
    newest
        .write_all(b"GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    assert_eq!(Reply::read(newest).status, 200);
}

/// Some systems let a process open 256 files, which is less than there may be connections.
#[cfg(unix)]
#[test]
fn idle_connections_keep_nobody_out_where_few_files_may_be_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -n 100 && exec \"$0\" --port 0 --read-only";
    command
        .current_dir(folder.path())
        .env("ENGINE_DATA_DIR", crate::support::DATA_DIR)
        .args(["-c", script, crate::support::BINARY]);
    let daemon = Daemon::spawn(command);
    let idle: Vec<TcpStream> = (0..300).map(|_| daemon.connect()).collect();
    assert_eq!(daemon.get("/status").status, 200);
    drop(idle);
}

#[test]
fn broken_json_is_told_where() {
    let (_folder, daemon) = daemon();
    for body in [
        "{",
        "{\"path\": }",
        "{'path': '.'}",
        "[]",
        "\u{0}",
        "{\"path\": \".\"} trailing",
    ] {
        daemon.post("/scan", body).assert_failure(400, "invalid-request");
    }
    let body = daemon
        .post("/scan", "{\"path\":\n tru}")
        .assert_failure(400, "invalid-request");
    assert!(body["details"].as_str().unwrap().contains("line 2"), "{body}");
    let deep = format!("{{\"path\": {}1{}}}", "[".repeat(200_000), "]".repeat(200_000));
    daemon.post("/scan", &deep).assert_failure(400, "invalid-request");
    let body = daemon
        .post("/scan", r#"{"path": ".", "path": "/"}"#)
        .assert_failure(400, "invalid-request");
    assert_eq!(body["field"], "path");
}

#[test]
fn an_unknown_field_is_told_with_the_nearest() {
    let (_folder, daemon) = daemon();
    let body = daemon
        .post("/scan", r#"{"path": ".", "as_of": "2027-01-01"}"#)
        .assert_failure(400, "invalid-request");
    assert_eq!(body["field"], "as_of");
    assert!(body["details"].as_str().unwrap().contains("`asOf`"), "{body}");
    let body = daemon
        .post("/scan", r#"{"path": ".", "asOf": "2027-13-01"}"#)
        .assert_failure(400, "invalid-request");
    assert_eq!(body["field"], "asOf");
    let body = daemon
        .post("/scan", r#"{"path": 5}"#)
        .assert_failure(400, "invalid-request");
    assert_eq!(body["field"], "path");
    let body = daemon.get("/sbom?pth=.").assert_failure(400, "invalid-request");
    assert_eq!(body["field"], "pth");
    daemon.post("/scan?path=.", "").assert_failure(400, "invalid-request");
}

#[test]
fn an_unknown_route_is_told_the_nearest_and_a_wrong_method_the_right_ones() {
    let (_folder, daemon) = daemon();
    let body = daemon.get("/jurisdiction").assert_failure(404, "unknown-route");
    assert!(
        body["details"].as_str().unwrap().contains("`GET /jurisdictions`"),
        "{body}"
    );
    daemon.get("/").assert_failure(404, "unknown-route");
    daemon.get("/status/").assert_failure(404, "unknown-route");
    daemon.get("/../../etc/passwd").assert_failure(404, "unknown-route");
    let reply = daemon.get("/scan");
    reply.assert_failure(405, "method-not-allowed");
    assert_eq!(reply.header("allow"), "POST, OPTIONS");
    let reply = daemon.send("DELETE", "/status", "", b"");
    reply.assert_failure(405, "method-not-allowed");
    assert_eq!(reply.header("allow"), "GET, HEAD, OPTIONS");
}

#[test]
fn a_path_that_is_missing_or_a_file_is_refused() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &[]);
    // The declared schema asks for a character.
    let body = daemon
        .post("/scan", r#"{"path": ""}"#)
        .assert_failure(400, "invalid-request");
    assert_eq!(body["field"], "path");
    for path in ["/no/such/folder", "requirements.txt", "app/\u{0}", "../\u{0}"] {
        let body = daemon
            .post("/scan", &json!({ "path": path }).to_string())
            .assert_failure(400, "invalid-path");
        assert_eq!(body["field"], "path", "{path:?}");
    }
    let long = "a/".repeat(100_000);
    daemon
        .post("/scan", &json!({ "path": long }).to_string())
        .assert_failure(400, "invalid-path");
    daemon
        .get("/sbom?path=requirements.txt")
        .assert_failure(400, "invalid-path");
}

#[test]
fn without_a_project_the_answer_says_how_to_name_one() {
    let (_folder, daemon) = daemon();
    daemon.get("/sbom").assert_failure(404, "no-project");
    daemon.post("/scan/diff", "{}").assert_failure(404, "no-project");
    let body = daemon
        .post("/scan/diff", r#"{"path": "."}"#)
        .assert_failure(404, "no-scan-yet");
    assert_eq!(body["error"], "Not found");
}

/// A privileged user may read everything, so the daemon runs as one who may not.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read_is_refused() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use crate::support::BINARY;

    const NOBODY: u32 = 65534;

    let folder = tempfile::tempdir().unwrap();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    // The binary may lie where nobody else may look, so a copy is run.
    let binary = folder.path().join("engine-server");
    fs::copy(BINARY, &binary).unwrap();
    let privileged = fs::metadata(folder.path()).unwrap().uid() == 0;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = Command::new(&binary);
    command.current_dir(folder.path()).args(["--port", "0"]);
    command.env("ENGINE_DATA_DIR", folder.path().join("data"));
    if privileged {
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let daemon = Daemon::spawn(command);
    let body = daemon
        .post("/scan", r#"{"path": "locked"}"#)
        .assert_failure(400, "invalid-path");
    assert!(body["details"].as_str().unwrap().contains("permissions"), "{body}");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_token_of_a_file_is_wanted() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "0123456789abcdef0123\n").unwrap();
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).unwrap();
    let output = crate::support::run(folder.path(), &["--port", "0", "--token-file", "token"]);
    assert!(!output.status.success());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("chmod 600"),
        "{output:?}"
    );
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    let daemon = Daemon::start(folder.path(), &["--token-file", "token", "--read-only"]);
    daemon.get("/status").assert_failure(401, "token-required");
    let reply = daemon.send("GET", "/status", "Authorization: Bearer 0123456789abcdef0123\r\n", b"");
    assert_eq!(reply.status, 200);
}

#[test]
fn both_families_of_loopback_are_served_and_no_other_address() {
    let (_folder, daemon) = daemon();
    // Where the machine has no IPv6, nobody can ask over it either.
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        let mut stream = TcpStream::connect(("::1", daemon.port)).unwrap();
        write!(
            stream,
            "GET /status HTTP/1.1\r\nHost: [::1]:{}\r\nConnection: close\r\n\r\n",
            daemon.port
        )
        .unwrap();
        assert_eq!(Reply::read(&mut stream).status, 200);
    }
    // An address of this machine that is no loopback address of ours is free for others on that port.
    assert!(std::net::TcpListener::bind(("127.0.0.2", daemon.port)).is_ok() || !cfg!(target_os = "linux"));
}
