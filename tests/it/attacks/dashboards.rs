//! Dashboards that turn hostile: redirects, floods, lies about the chain, and the token sent back in every spelling.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};

use super::live::in_terminal;
use super::{MEMORY_MIB, Tally, ask, daemon, memory_peak_mib};
use crate::dashboard::{Dashboard, Failing};
use crate::support::{CHAT, Daemon, Reply, project};
use crate::target::Target;

/// The token, in no form that a secret scanner knows.
const TOKEN: &str = "qx7f/Token+4711-quite-long-one";

const KINDS: [&str; 4] = ["passport", "scan", "documents", "evidence"];

fn push(daemon: &Daemon, kind: &str, url: &str) -> Option<Reply> {
    let body = json!({"path": ".", "token": TOKEN, "saasUrl": url, "timeoutMs": 3_000});
    ask(daemon, "POST", &format!("/sync/{kind}"), Some(&body))
}

/// The token in the spellings in which a dashboard could send it back.
fn spellings() -> Vec<(&'static str, String)> {
    let each = |format: &dyn Fn(u8) -> String| TOKEN.bytes().map(format).collect::<String>();
    vec![
        ("as it is", TOKEN.to_owned()),
        ("in capitals", TOKEN.to_uppercase()),
        ("reversed", TOKEN.chars().rev().collect()),
        ("in base64", data_encoding::BASE64.encode(TOKEN.as_bytes())),
        ("in base64url", data_encoding::BASE64URL_NOPAD.encode(TOKEN.as_bytes())),
        (
            "in hexadecimal digits",
            data_encoding::HEXLOWER.encode(TOKEN.as_bytes()),
        ),
        ("percent-encoded", each(&|byte| format!("%{byte:02X}"))),
        ("percent-encoded in small letters", each(&|byte| format!("%{byte:02x}"))),
        ("as characters of HTML", each(&|byte| format!("&#{byte};"))),
        ("its first half", TOKEN[..15].to_owned()),
        ("its second half", TOKEN[15..].to_owned()),
        ("after `Bearer`", format!("Bearer {TOKEN}")),
    ]
}

fn says(status: u16, more: &str, body: &Value) -> Failing {
    Failing::Says(
        status,
        format!("Content-Type: application/json\r\n{more}"),
        body.to_string(),
    )
}

/// Replies that lie about what the dashboard holds.
fn lies() -> Vec<(&'static str, Failing)> {
    let root = "0".repeat(64);
    let head = |size: Value, root: Value| says(200, "", &json!({"head": {"size": size, "root": root}}));
    vec![
        ("a longer chain", head(json!(1_000_000), json!(root))),
        ("another root", head(json!(1), json!(root))),
        ("a negative size", head(json!(-1), json!(root))),
        ("a size without an end", head(json!(u64::MAX), json!(root))),
        ("a size as text", head(json!("1"), json!(root))),
        ("a root that is none", head(json!(1), json!("../../x"))),
        ("a root of a megabyte", head(json!(1), json!("a".repeat(1_000_000)))),
        ("no head", says(200, "", &json!({"head": []}))),
        (
            "a conflict with a lie",
            says(409, "", &json!({"head": {"size": 3, "root": root}})),
        ),
        ("a conflict without a head", says(409, "", &json!({}))),
        ("a list", says(200, "", &json!([1, 2, 3]))),
        (
            "nothing",
            Failing::Says(200, "Content-Type: application/json\r\n".to_owned(), String::new()),
        ),
        (
            "a deep reply",
            Failing::Says(
                200,
                "Content-Type: application/json\r\n".to_owned(),
                "[".repeat(500_000),
            ),
        ),
        (
            "outcomes of others",
            says(
                200,
                "",
                &json!({"results": [{"id": "../../etc/passwd", "action": "created"}]}),
            ),
        ),
        (
            "an unknown outcome",
            says(
                200,
                "",
                &json!({"results": [{"id": "x", "action": "<script>qx7f</script>"}]}),
            ),
        ),
        (
            "outcomes with commands",
            says(
                200,
                "",
                &json!({"results": [{"id": "x\u{1b}[2J", "action": "rejected", "error": "\u{9b}31m\u{202e}\n::error::qx7f"}]}),
            ),
        ),
        (
            "a hundred thousand outcomes",
            says(
                200,
                "",
                &json!({"results": vec![json!({"id": "x", "action": "created"}); 100_000]}),
            ),
        ),
        (
            "an error with commands",
            says(400, "", &json!({"error": "\u{1b}]0;x\u{7}\u{202e}\n::error::qx7f"})),
        ),
        (
            "an error of a megabyte",
            says(422, "", &json!({"error": "qx7f ".repeat(200_000)})),
        ),
        ("a wait of years", says(429, "Retry-After: 99999999\r\n", &json!({}))),
        ("a wait below zero", says(503, "Retry-After: -5\r\n", &json!({}))),
        ("a status that is none", says(799, "", &json!({}))),
        ("a success without a body", says(204, "", &json!({}))),
        ("a part", says(206, "Content-Range: bytes 0-1/9\r\n", &json!({}))),
        (
            "cookies",
            says(
                200,
                "Set-Cookie: qx7f=1\r\nWWW-Authenticate: Basic realm=x\r\n",
                &json!({"results": []}),
            ),
        ),
        ("a login", says(401, "WWW-Authenticate: Negotiate\r\n", &json!({}))),
        ("a proxy", says(407, "Proxy-Authenticate: Basic\r\n", &json!({}))),
        (
            "another protocol",
            says(426, "Upgrade: h2c\r\nConnection: upgrade\r\n", &json!({})),
        ),
        ("silence", Failing::Silent),
        ("a closed connection", Failing::Closed),
        ("half a reply", Failing::Half),
        ("a reply without an end", Failing::Huge),
    ]
}

fn clean(reply: Option<&Reply>) -> Option<String> {
    let Some(reply) = reply else {
        return Some("no answer".to_owned());
    };
    let shown = reply.body.replace("\\u001b", "\u{1b}").replace("\\n", "\n");
    if reply.body.len() > 200_000 {
        return Some(format!("{} bytes", reply.body.len()));
    }
    for (name, text) in spellings() {
        if reply.body.contains(&text) {
            return Some(format!("the token {name}"));
        }
    }
    in_terminal(&shown)
}

#[test]
#[ignore = "slow: dashboards that fail in many ways"]
fn hostile_dashboards_do_no_harm() {
    let mut tally = Tally::of("dashboards");
    let folder = project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    for route in ["/scan", "/agent/init", "/agent/doc/all"] {
        tally.answered(
            route,
            ask(&running, "POST", route, Some(&json!({"path": "."}))).as_ref(),
        );
    }
    let dashboard = Dashboard::start();
    for (name, text) in spellings() {
        for (place, failing) in [
            ("an error", says(400, "", &json!({"error": format!("no {text} here")}))),
            (
                "an outcome",
                says(
                    200,
                    "",
                    &json!({"results": [{"id": text, "action": "rejected", "error": text}], "account": text}),
                ),
            ),
            (
                "a header",
                says(500, &format!("X-Echo: {text}\r\n"), &json!({"message": text})),
            ),
        ] {
            dashboard.fail_always(Some(failing));
            let reply = push(&running, "scan", &dashboard.url);
            let found = clean(reply.as_ref());
            tally.case(
                format!("the token {name} in {place}"),
                found.is_none(),
                found.unwrap_or_default(),
            );
        }
    }
    for (name, failing) in lies() {
        for kind in ["passport", "evidence"] {
            dashboard.fail_always(Some(failing.clone()));
            let reply = push(&running, kind, &dashboard.url);
            let found = clean(reply.as_ref());
            tally.case(format!("{kind}: {name}"), found.is_none(), found.unwrap_or_default());
        }
    }
    dashboard.fail_always(None);
    redirects(&mut tally, &running, &dashboard);
    drips(&mut tally, &running);
    injections(&mut tally, &running, &dashboard);
    let verified = ask(&running, "GET", "/agent/evidence/verify?path=.", None);
    let valid = verified.as_ref().is_some_and(|reply| reply.json()["valid"] == true);
    tally.case("the chain", valid, super::shown(verified.as_ref()));
    for entry in fs::read_dir(folder.path().join(".compliance")).unwrap().flatten() {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        let found = bytes.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes());
        tally.case(format!("the token in {:?}", entry.file_name()), !found, "it is stored");
    }
    let peak = memory_peak_mib(&running);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(150);
}

/// Redirects take neither the results nor the token along.
fn redirects(tally: &mut Tally, running: &Daemon, dashboard: &Dashboard) {
    let victim = Target::constant("{}");
    for status in [301, 302, 303, 307, 308] {
        for location in [
            victim.url.clone(),
            victim.url.replace("127.0.0.1", "localhost"),
            format!("//{}/x", victim.host()),
            "http://169.254.169.254/latest/".to_owned(),
            "https://collector.example/".to_owned(),
            "file:///etc/passwd".to_owned(),
        ] {
            dashboard.fail_always(Some(says(status, &format!("Location: {location}\r\n"), &json!({}))));
            let reply = push(running, "scan", &dashboard.url);
            let failed = reply.as_ref().is_some_and(|reply| reply.status >= 400);
            tally.case(
                format!("{status} to {location}"),
                failed && victim.everything_seen() == 0 && clean(reply.as_ref()).is_none(),
                super::shown(reply.as_ref()),
            );
        }
    }
    dashboard.fail_always(None);
}

/// Replies that come byte by byte end with the time of the request.
fn drips(tally: &mut Tally, running: &Daemon) {
    for (name, first) in [
        ("headers byte by byte", "HTTP/1.1 200 OK\r\nX: "),
        (
            "a body byte by byte",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
        ),
        (
            "chunks byte by byte",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        ),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let next = if name.starts_with("chunks") { "1\r\n \r\n" } else { " " };
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || {
                    let _ = stream.read(&mut vec![0; 65_536]);
                    let mut sent = stream.write_all(first.as_bytes());
                    while sent.is_ok() {
                        std::thread::sleep(Duration::from_millis(50));
                        sent = stream.write_all(next.as_bytes());
                    }
                });
            }
        });
        let reply = push(running, "scan", &url);
        let failed = reply
            .as_ref()
            .is_some_and(|reply| reply.status == 504 || reply.status == 502);
        tally.case(name, failed, super::shown(reply.as_ref()));
    }
}

/// Tokens and addresses that want to be more than one header or one host.
fn injections(tally: &mut Tally, running: &Daemon, dashboard: &Dashboard) {
    let ask_with = |token: Value, url: Value| {
        ask(
            running,
            "POST",
            "/sync/scan",
            Some(&json!({"path": ".", "token": token, "saasUrl": url})),
        )
    };
    dashboard.seen();
    for (name, token) in [
        ("a line break", json!("abc\r\nX-Evil: 1")),
        ("a new line", json!("abc\nX-Evil: 1")),
        ("an end of a text", json!("abc\0def")),
        ("letters of other scripts", json!("abcé\u{202e}")),
        ("a space", json!("abc def")),
        ("nothing", json!("")),
        ("a megabyte", json!("a".repeat(1_000_000))),
        ("a list", json!(["a"])),
        ("a number", json!(7)),
    ] {
        tally.refused(
            format!("a token with {name}"),
            ask_with(token, json!(dashboard.url)).as_ref(),
        );
    }
    let port = dashboard.host().rsplit(':').next().unwrap().to_owned();
    for url in [
        format!("http://127.0.0.1:{port}\r\nX: y"),
        format!("http://user:pass@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}?x=1"),
        format!("http://127.0.0.1:{port}@collector.example/"),
        "http://collector.example\\@127.0.0.1/".to_owned(),
        "http://localhost.collector.example/".to_owned(),
        "http://127.0.0.1.collector.example/".to_owned(),
        "http://2130706433/".to_owned(),
        "http://0x7f.1/".to_owned(),
        "http://0177.0.0.1/".to_owned(),
        "http://127.1/".to_owned(),
        "http://0.0.0.0/".to_owned(),
        "ftp://127.0.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "unix:///run/x.sock".to_owned(),
        "//127.0.0.1/".to_owned(),
        "x".repeat(1_000_000),
    ] {
        let shown: String = url.chars().take(60).collect();
        tally.refused(
            format!("the address {shown:?}"),
            ask_with(json!(TOKEN), json!(url)).as_ref(),
        );
    }
    for kind in KINDS {
        let reply = ask(
            running,
            "POST",
            &format!("/sync/{kind}"),
            Some(&json!({"path": ".", "token": "abc\r\nX: y", "saasUrl": dashboard.url})),
        );
        tally.refused(format!("{kind} with a line break"), reply.as_ref());
    }
    tally.case("nothing was sent", dashboard.seen().is_empty(), "a request came");
}
