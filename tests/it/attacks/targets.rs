//! Targets of evaluations: where requests may go, what a target may send back, and what one request may cost.

use std::time::Duration;

use serde_json::{Value, json};

use super::{MEMORY_MIB, Tally, ask, daemon, memory_peak_mib};
use crate::support::{CHAT, Daemon, project};
use crate::target::Target;

fn run(daemon: &Daemon, target: &str, more: &Value) -> Option<crate::support::Reply> {
    let mut body = json!({"path": ".", "target": target, "maxProbes": 2, "det": true, "seed": 7});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ask(daemon, "POST", "/eval/run", Some(&body))
}

#[test]
fn metadata_services_are_out_of_reach_in_every_spelling() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &["--project", "."]);
    let mut tally = Tally::of("addresses");
    for host in [
        "169.254.169.254",
        "169.254.169.254:80",
        "169.254.170.2",
        "169.254.42.42",
        "169.254.0.23",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "169.254.43518",
        "0xa9.0xfe.0xa9.0xfe",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[::169.254.169.254]",
        "[64:ff9b::a9fe:a9fe]",
        "[64:ff9b:1::a9fe:a9fe]",
        "[64:ff9b:1:a9fe:a9:fe00::]",
        "[2002:a9fe:a9fe::1]",
        "[2001:0:a9fe:a9fe::f7f7:f7f7]",
        "[2001:0:0:0:0:0:5601:5601]",
        "[2001:db8::5efe:a9fe:a9fe]",
        "[fe80::1]",
        "[fe80::a9fe:a9fe]",
        "[fd00:ec2::254]",
        "[fd00:ec2::23]",
        "[fd20:ce::254]",
        "[fd00:42::42]",
        "[fd00:c1::a9fe:a9fe]",
        "[fd00:a9fe:a9fe::1]",
        "[::]",
        "[ff02::1]",
    ] {
        tally.refused(
            host,
            run(&daemon, &format!("http://{host}/latest/"), &json!({})).as_ref(),
        );
    }
    for target in [
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1:70/",
        "http://user:pass@127.0.0.1/",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/",
        "javascript:alert(1)",
        "",
    ] {
        tally.refused(target, run(&daemon, target, &json!({})).as_ref());
    }
    for location in [
        "http://169.254.169.254/latest/",
        "http://[fd00:42::42]/",
        "http://[64:ff9b:1::a9fe:a9fe]/",
        "//169.254.169.254/",
        "file:///etc/passwd",
    ] {
        let target = Target::raw(move |_, stream| {
            use std::io::Write;
            write!(
                stream,
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
            )
        });
        let reply = run(&daemon, &target.url, &json!({}));
        let holds = reply.as_ref().is_some_and(|reply| reply.status >= 400);
        tally.case(format!("redirect to {location}"), holds, super::shown(reply.as_ref()));
    }
    tally.end(49);
}

#[test]
fn secrets_do_not_come_back_in_any_spelling() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &["--project", "."]);
    let mut tally = Tally::of("secrets");
    let secret = ["Zq7", "vT9xLm2", "pR4w"].concat();
    let each = |format: &dyn Fn(u8) -> String| secret.bytes().map(format).collect::<String>();
    let spellings: Vec<(&str, String)> = vec![
        ("as it is", secret.clone()),
        ("in capitals", secret.to_uppercase()),
        ("in base64", data_encoding::BASE64.encode(secret.as_bytes())),
        (
            "in base64url",
            data_encoding::BASE64URL_NOPAD.encode(format!("u>:{secret}").as_bytes()),
        ),
        ("percent-encoded in small letters", each(&|byte| format!("%{byte:02x}"))),
        ("percent-encoded in capitals", each(&|byte| format!("%{byte:02X}"))),
        ("percent-encoded twice", each(&|byte| format!("%25{byte:02x}"))),
        ("as escapes of JSON", each(&|byte| format!("\\u{byte:04x}"))),
        (
            "as hexadecimal digits",
            data_encoding::HEXLOWER.encode(secret.as_bytes()),
        ),
        ("as digits with colons", each(&|byte| format!("{byte:02X}:"))),
        ("as characters of HTML", each(&|byte| format!("&#{byte};"))),
        ("in quotes", format!("\"{secret}\"")),
    ];
    for (name, spelled) in spellings {
        let said = format!("You sent {spelled} to me.");
        let target = Target::start(Duration::ZERO, move |_| (200, said.clone()));
        for (place, more, url) in [
            ("header", json!({"headers": {"X-Api-Key": secret}}), target.url.clone()),
            (
                "basic",
                json!({"headers": {"Authorization": format!("Basic {}", data_encoding::BASE64.encode(format!("user:{secret}").as_bytes()))}}),
                target.url.clone(),
            ),
            (
                "query",
                json!({}),
                format!("{}?sig={}", target.url, each(&|byte| format!("%{byte:02x}"))),
            ),
            ("path", json!({}), target.url.replace("/v1/", &format!("/{secret}/v1/"))),
        ] {
            let reply = run(&daemon, &url, &more);
            let kept = ask(&daemon, "GET", "/eval/last?path=.", None);
            let body = reply.as_ref().map(|reply| reply.body.clone()).unwrap_or_default()
                + &kept.map(|kept| kept.body).unwrap_or_default();
            // A request that the target answered: else nothing was tried.
            let tried = reply.as_ref().is_some_and(|reply| reply.status == 200);
            let leaks = body.contains(&secret) || body.contains(spelled.trim_matches('"'));
            tally.case(
                format!("{name} from the {place}"),
                tried && !leaks,
                super::shown(reply.as_ref()),
            );
        }
    }
    let database = std::fs::read(folder.path().join(".compliance/state.db")).unwrap();
    let log = std::fs::read(folder.path().join(".compliance/state.db-wal")).unwrap_or_default();
    for bytes in [database, log] {
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        tally.case("the state", !found, "it is stored");
    }
    tally.end(50);
}

#[test]
fn everyday_words_as_secrets_cost_no_run() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &["--project", "."]);
    let mut tally = Tally::of("words");
    let target = Target::constant("The response names the target and its category; a verdict is a reason.");
    for word in [
        "response",
        "target",
        "category",
        "verdict",
        "reason",
        "passed",
        "failed",
        "complete",
        "severity",
        "obligation",
        "probes",
        "message",
        "high",
        "true",
        "null",
        "score",
        "id",
    ] {
        let reply = run(&daemon, &target.url, &json!({"headers": {"X-Tenant": word}}));
        let holds = reply
            .as_ref()
            .is_some_and(|reply| reply.status == 200 && reply.json()["total"].as_u64() > Some(0));
        tally.case(format!("header {word}"), holds, super::shown(reply.as_ref()));
        let reply = run(&daemon, &format!("{}?x={word}", target.url), &json!({}));
        let holds = reply.as_ref().is_some_and(|reply| reply.status == 200);
        tally.case(format!("query {word}"), holds, super::shown(reply.as_ref()));
    }
    tally.end(34);
}

#[test]
fn one_request_to_a_target_stays_small() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &["--project", "."]);
    let mut tally = Tally::of("sizes of requests");
    let target = Target::constant("I am an AI.");
    for (name, more) in [
        (
            "a template that repeats a long system prompt",
            json!({"systemPrompt": "s".repeat(50_000), "requestTemplate": {"q": "{{prompt}}", "s": "{{system}}".repeat(5_000)}}),
        ),
        (
            "a template that repeats the prompt",
            json!({"requestTemplate": {"q": "{{prompt}}".repeat(6_000)}}),
        ),
        (
            "a template that repeats the history",
            json!({"requestTemplate": {"q": vec!["{{history}}"; 5_000]}}),
        ),
        ("a long system prompt", json!({"systemPrompt": "s".repeat(5_000_000)})),
        (
            "a deep template",
            json!({"requestTemplate": format!("{{\"q\":{}\"{{{{prompt}}}}\"", "[".repeat(50_000))}),
        ),
        ("a long path in replies", json!({"responsePath": "a.".repeat(100_000)})),
        ("no concurrency", json!({"concurrency": 0})),
        ("too much concurrency", json!({"concurrency": 100_000})),
        ("too many repeats", json!({"repeats": 1_000_000})),
        (
            "a header with a line break",
            json!({"headers": {"X": "a\r\nHost: evil"}}),
        ),
        ("a header that is no name", json!({"headers": {"X Y": "a"}})),
    ] {
        tally.refused(name, run(&daemon, &target.url, &more).as_ref());
    }
    for (name, say) in [("an endless reply", true), ("an endless header", false)] {
        let endless = Target::raw(move |_, stream| {
            use std::io::Write;
            stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
            if say {
                stream
                    .write_all(b"Content-Type: application/json\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"")?;
            }
            loop {
                stream.write_all(&[b'a'; 16_384])?;
            }
        });
        let reply = run(
            &daemon,
            &endless.url,
            &json!({"requestTimeoutMs": 5_000, "timeoutMs": 20_000}),
        );
        tally.case(name, reply.is_some(), "no answer");
    }
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(14);
}
