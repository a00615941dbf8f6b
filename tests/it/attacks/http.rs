//! Requests that are no requests, come from elsewhere, or are larger than they look.

use serde_json::json;

use super::{MEMORY_MIB, Tally, ask, daemon, memory_peak_mib, raw};
use crate::support::{CHAT, project};

#[test]
fn other_hosts_and_origins_are_refused() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &[]);
    let port = daemon.port;
    let mut tally = Tally::of("hosts and origins");
    for host in [
        "evil.example",
        "localhost.evil.example",
        "evil@localhost",
        "localhost@evil.example",
        "127.0.0.1.nip.io",
        "127.0.0.2",
        "127.1",
        "0x7f.0.0.1",
        "017700000001",
        "2130706433",
        "0.0.0.0",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:0:0:1%25lo]",
        "localhost:80:80",
        "localhost:99999",
        "localhost.",
        "localhost/..",
        "localhost#evil",
        "localhost?evil",
        "\u{ff4c}ocalhost",
        "",
        ":80",
        "169.254.169.254",
    ] {
        let request = format!("GET /status HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        tally.refused(format!("Host {host}"), raw(&daemon, request.as_bytes()).as_ref());
    }
    let twice =
        format!("GET /status HTTP/1.1\r\nHost: localhost:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    tally.refused("two hosts", raw(&daemon, twice.as_bytes()).as_ref());
    let absolute =
        format!("GET http://evil.example/status HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    tally.refused("absolute target", raw(&daemon, absolute.as_bytes()).as_ref());
    for origin in [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        "file://".to_owned(),
        format!("https://localhost:{port}"),
        format!("http://localhost:{}", port.wrapping_add(1).max(1)),
        "http://localhost:5173".to_owned(),
        "http://localhost".to_owned(),
        "http://[::1]:3000".to_owned(),
        format!("http://evil.example:{port}"),
        format!("http://localhost:{port}.evil.example"),
        format!("http://localhost:{port}/"),
        format!("http://user@localhost:{port}"),
        format!("HTTP://localhost:{port}x"),
    ] {
        let request = format!(
            "POST /scan HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{{\"path\":\".\"}}"
        );
        tally.refused(format!("Origin {origin}"), raw(&daemon, request.as_bytes()).as_ref());
    }
    for site in ["cross-site", "same-site", "evil", "same-origin, cross-site"] {
        let request = format!(
            "GET /status HTTP/1.1\r\nHost: localhost:{port}\r\nSec-Fetch-Site: {site}\r\nConnection: close\r\n\r\n"
        );
        tally.refused(
            format!("Sec-Fetch-Site {site}"),
            raw(&daemon, request.as_bytes()).as_ref(),
        );
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=utf-16",
        "",
    ] {
        let request = format!(
            "POST /scan HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: {kind}\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{{\"path\":\".\"}}"
        );
        tally.refused(
            format!("Content-Type {kind}"),
            raw(&daemon, request.as_bytes()).as_ref(),
        );
    }
    tally.case(
        "nothing was written",
        !folder.path().join(".compliance").exists(),
        "`.compliance` is there",
    );
    tally.end(45);
}

#[test]
#[ignore = "slow: connections that the daemon keeps open are waited for"]
fn smuggled_and_malformed_requests_do_no_harm() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &[]);
    let head = format!("Host: localhost:{}\r\nContent-Type: application/json\r\n", daemon.port);
    let mut tally = Tally::of("shapes of requests");
    let hidden = "GET /hidden HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    for (name, request) in [
        (
            "length and chunks",
            format!(
                "POST /scan HTTP/1.1\r\n{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
            ),
        ),
        (
            "two lengths",
            format!("POST /scan HTTP/1.1\r\n{head}Content-Length: 2\r\nContent-Length: 50\r\n\r\n{{}}{hidden}"),
        ),
        (
            "negative length",
            format!("POST /scan HTTP/1.1\r\n{head}Content-Length: -1\r\n\r\n{{}}"),
        ),
        (
            "huge length",
            format!("POST /scan HTTP/1.1\r\n{head}Content-Length: 99999999999999999999\r\n\r\n{{}}"),
        ),
        (
            "length above the limit",
            format!("POST /scan HTTP/1.1\r\n{head}Content-Length: 1000000000\r\n\r\n{{}}"),
        ),
        (
            "bad chunk",
            format!("POST /scan HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{{}}\r\n0\r\n\r\n"),
        ),
        (
            "other coding",
            format!("POST /scan HTTP/1.1\r\n{head}Transfer-Encoding: gzip\r\n\r\n{{}}"),
        ),
        (
            "compressed",
            format!(
                "POST /scan HTTP/1.1\r\n{head}Content-Encoding: gzip\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            ),
        ),
        (
            "space before the colon",
            format!("GET /status HTTP/1.1\r\n{head}X : y\r\n\r\n"),
        ),
        (
            "bare line feed in a header",
            format!("GET /status HTTP/1.1\r\n{head}X: a\0b\r\n\r\n"),
        ),
        (
            "folded header",
            format!("GET /status HTTP/1.1\r\n{head}X: a\r\n b\r\n\r\n"),
        ),
        ("no version", "GET /status\r\n\r\n".to_owned()),
        (
            "many headers",
            format!("GET /status HTTP/1.1\r\n{head}{}\r\n", "X: y\r\n".repeat(500)),
        ),
        (
            "long header",
            format!("GET /status HTTP/1.1\r\n{head}X: {}\r\n\r\n", "y".repeat(100_000)),
        ),
        (
            "long target",
            format!("GET /{} HTTP/1.1\r\n{head}\r\n", "y".repeat(100_000)),
        ),
        ("connect", format!("CONNECT evil.example:443 HTTP/1.1\r\n{head}\r\n")),
        (
            "trace",
            format!("TRACE /status HTTP/1.1\r\n{head}Connection: close\r\n\r\n"),
        ),
    ] {
        tally.refused(name, raw(&daemon, request.as_bytes()).as_ref());
    }
    for path in [
        "/../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/share/..%2f..%2fstate.db",
        "/share/%00",
        "/jurisdictions/..%2f..%2fCargo.toml",
        "//status/",
        "/status%2f",
        "/STATUS",
        "/.compliance/.env",
        "/agent/show?path=%00",
        "/agent/show?path=.&path=/etc",
        "/sbom?path=%ff%fe",
    ] {
        tally.refused(path, ask(&daemon, "GET", path, None).as_ref());
    }
    // The start of another protocol may be closed without a word.
    let other = raw(&daemon, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    let holds = other.as_ref().is_none_or(|reply| (400..600).contains(&reply.status));
    tally.case("another protocol", holds, super::shown(other.as_ref()));
    let status = ask(&daemon, "GET", "/status", None);
    tally.case(
        "still serving",
        status.is_some_and(|reply| reply.status == 200),
        "no status",
    );
    tally.end(30);
}

#[test]
fn bodies_that_grow_when_they_are_read_are_bounded() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &[]);
    let port = daemon.port;
    let mut tally = Tally::of("bodies");
    let mut send = |name: &str, route: &str, body: String| {
        let head = format!(
            "POST {route} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        tally.refused(
            name,
            raw(&daemon, [head.as_bytes(), body.as_bytes()].concat().as_slice()).as_ref(),
        );
    };
    send("deep lists", "/scan", format!("{{\"path\":{}", "[".repeat(3_000_000)));
    send("deep objects", "/scan", "{\"a\":".repeat(1_000_000));
    send(
        "many values",
        "/scan",
        format!("{{\"path\":\".\",\"systems\":[{}0]}}", "[],".repeat(2_500_000)),
    );
    send(
        "many objects",
        "/agent/import",
        format!("{{\"data\":{{\"a\":[{}0]}}}}", "{\"\":{}},".repeat(900_000)),
    );
    send(
        "one key many times",
        "/scan",
        format!("{{{}\"path\":\".\"}}", "\"path\":\".\",".repeat(300_000)),
    );
    send("long path", "/scan", json!({"path": "a".repeat(2_000_000)}).to_string());
    send(
        "long path with backquotes",
        "/scan",
        json!({"path": "`a".repeat(1_000_000)}).to_string(),
    );
    send("long field", "/scan", format!("{{\"{}\":1}}", "b".repeat(2_000_000)));
    send(
        "long changed file",
        "/scan/diff",
        json!({"path": ".", "changedFiles": ["../".repeat(700_000)]}).to_string(),
    );
    send(
        "long name",
        "/agent/rename",
        json!({"path": ".", "oldName": "x".repeat(2_000_000), "newName": "y"}).to_string(),
    );
    send(
        "long revision",
        "/scan/diff",
        json!({"path": ".", "baseRef": "r".repeat(2_000_000)}).to_string(),
    );
    send(
        "long number",
        "/scan",
        format!("{{\"path\":\".\",\"limit\":{}}}", "9".repeat(1_000_000)),
    );
    send("large number", "/scan", "{\"path\":\".\",\"limit\":1e999}".to_owned());
    send("no object", "/scan", "[1,2]".to_owned());
    send("not UTF-8", "/scan", "{\"path\":\"\u{0}\"}".to_owned());
    for path in [
        "/dev/zero",
        "/dev/stdin",
        "/etc/passwd",
        "/proc/self/mem",
        "\u{0}",
        "a\u{0}b",
        "",
    ] {
        send("path of something else", "/scan", json!({"path": path}).to_string());
    }
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(22);
}
