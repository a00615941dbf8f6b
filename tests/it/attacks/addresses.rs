//! Addresses of metadata services in every spelling, at every door that opens connections: target, judge, model, dashboard.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Tally, ask, attacked, daemon};
use crate::model_server::{Act, KEY, ModelServer};
use crate::support::{CHAT, Daemon, Reply, project};
use crate::target::Target;

/// Hosts that no request may reach.
pub(super) const HOSTS: [&str; 48] = [
    "169.254.169.254",
    "169.254.169.254:80",
    "169.254.169.254.",
    "169.254.170.2",
    "169.254.170.23",
    "169.254.42.42",
    "169.254.0.23",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "0.0.0.1",
    "255.255.255.255",
    "224.0.0.1",
    "240.0.0.1",
    "2852039166",
    "0xa9fea9fe",
    "0XA9FEA9FE",
    "025177524776",
    "0251.0376.0251.0376",
    "0251.254.0xa9.254",
    "169.254.43518",
    "169.16689662",
    "0xa9.0xfe.0xa9.0xfe",
    "0xa9.254.43518",
    "00000251.0376.000251.0376",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[0:0:0:0:0:ffff:a9fe:a9fe]",
    "[::169.254.169.254]",
    "[::ffff:0:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::169.254.169.254]",
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
];

fn settle(folder: &Path, settings: &str) {
    fs::create_dir_all(folder.join(".compliance")).unwrap();
    fs::write(folder.join(".compliance/.env"), settings).unwrap();
}

/// A project with a scan.
fn scanned(tally: &mut Tally) -> (tempfile::TempDir, Daemon) {
    let folder = project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    let scan = ask(&running, "POST", "/scan", Some(&json!({"path": "."})));
    tally.answered("scan", scan.as_ref());
    (folder, running)
}

/// A request that ended without having reached what it named: refused, or told as an error in a stream. A time-out is none: it waited for
/// an answer.
fn unreached(reply: Option<&Reply>) -> bool {
    reply.is_some_and(|reply| {
        let failed = reply.status >= 400 || reply.body.contains("\"type\":\"error\"");
        failed && reply.status != 504 && !reply.body.contains("timeout") && reply.body.len() < 40_000
    })
}

#[test]
#[ignore = "slow: every spelling at every door"]
fn metadata_services_are_out_of_reach_at_every_door() {
    let mut tally = Tally::of("doors");
    let (folder, running) = scanned(&mut tally);
    for host in HOSTS {
        settle(
            folder.path(),
            &format!("LLM_URL=http://{host}/v1\nLLM_MODEL=m\nLLM_KEY={KEY}\n"),
        );
        let reply = ask(
            &running,
            "POST",
            "/chat",
            Some(&json!({"path": ".", "message": "Hello?"})),
        );
        tally.case(
            format!("model at {host}"),
            unreached(reply.as_ref()),
            super::shown(reply.as_ref()),
        );
        let reply = ask(
            &running,
            "POST",
            "/sync/scan",
            Some(
                &json!({"path": ".", "token": "some-long-token", "saasUrl": format!("https://{host}/"), "timeoutMs": 4_000}),
            ),
        );
        tally.case(
            format!("dashboard at {host}"),
            unreached(reply.as_ref()),
            super::shown(reply.as_ref()),
        );
        let reply = ask(
            &running,
            "POST",
            "/eval/run",
            Some(&json!({"path": ".", "target": format!("http://{host}/latest/"), "maxProbes": 1, "det": true})),
        );
        tally.case(
            format!("target at {host}"),
            unreached(reply.as_ref()),
            super::shown(reply.as_ref()),
        );
    }
    drop(running);
    // Settings of the user's own environment are used without a question, and meet the same guard.
    let target = Target::constant("I am an AI.");
    for host in [
        "169.254.169.254",
        "0xa9fea9fe",
        "[::ffff:a9fe:a9fe]",
        "[fd00:ec2::254]",
        "2852039166",
    ] {
        settle(folder.path(), "");
        let settings: [&[(&str, String)]; 2] = [
            &[
                ("LLM_URL", format!("http://{host}/v1")),
                ("LLM_MODEL", "m".to_owned()),
                ("LLM_KEY", KEY.to_owned()),
                ("EVAL_JUDGE_URL", format!("http://{host}/v1")),
                ("EVAL_JUDGE_MODEL", "m".to_owned()),
                ("EVAL_JUDGE_KEY", KEY.to_owned()),
            ],
            &[("OLLAMA_HOST", host.to_owned()), ("LLM_MODEL", "m".to_owned())],
        ];
        for (which, settings) in ["a model", "Ollama"].into_iter().zip(settings) {
            let running = with_settings(folder.path(), settings);
            let reply = ask(
                &running,
                "POST",
                "/chat",
                Some(&json!({"path": ".", "message": "Hello?"})),
            );
            tally.case(
                format!("{which} at {host}"),
                unreached(reply.as_ref()),
                super::shown(reply.as_ref()),
            );
            let reply = ask(
                &running,
                "POST",
                "/scan/deep",
                Some(&json!({"path": ".", "maxFindings": 1})),
            );
            let none = reply
                .as_ref()
                .is_some_and(|reply| reply.status >= 400 || reply.json()["deep"]["analysed"] == 0);
            tally.case(
                format!("{which} at {host}: deep analysis"),
                none,
                super::shown(reply.as_ref()),
            );
            if which == "a model" {
                let body = json!({"path": ".", "target": target.url, "maxProbes": 1, "llm": true, "timeoutMs": 20_000});
                let reply = ask(&running, "POST", "/eval/run", Some(&body));
                tally.case(
                    format!("a judge at {host}"),
                    judged_by_none(reply.as_ref()),
                    super::shown(reply.as_ref()),
                );
                let scan = json!({"path": ".", "limit": 1, "saasToken": "some-long-token", "saasUrl": format!("https://{host}/")});
                let reply = ask(&running, "POST", "/scan", Some(&scan));
                let failed = reply
                    .as_ref()
                    .is_some_and(|reply| reply.json()["sync"]["complete"] == false);
                tally.case(
                    format!("the dashboard of a scan at {host}"),
                    failed,
                    super::shown(reply.as_ref()),
                );
                let status = ask(&running, "GET", "/status", None).map(|reply| reply.body);
                let shown = status.unwrap_or_else(|| KEY.to_owned());
                tally.case(format!("the key with {host}"), !shown.contains(KEY), &shown);
            }
        }
    }
    tally.end(170);
}

/// A daemon with settings in its environment.
fn with_settings(folder: &Path, settings: &[(&str, String)]) -> Daemon {
    let mut command = attacked();
    command
        .current_dir(folder)
        .args(["--port", "0", "--project", "."])
        .envs(settings.iter().map(|(name, value)| (*name, value)));
    Daemon::spawn(command)
}

/// Whether a judge read nothing in a run and wrote nothing: rules alone decide many probes.
fn judged_by_none(reply: Option<&Reply>) -> bool {
    reply.is_some_and(|reply| {
        if reply.status >= 400 {
            return true;
        }
        let spent = &reply.json()["budget"]["spent"];
        spent["judgeInputTokens"] == 0 && spent["judgeOutputTokens"] == 0
    })
}

#[test]
#[ignore = "slow: many redirects"]
fn redirects_lead_to_no_other_server() {
    let mut tally = Tally::of("redirects");
    let (folder, running) = scanned(&mut tally);
    let victim = Target::constant("I am an AI.");
    let locations = [
        victim.url.clone(),
        victim.url.replace("127.0.0.1", "localhost"),
        format!("//{}/x", victim.host()),
        victim.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        "http://169.254.169.254/latest/".to_owned(),
        "http://2852039166/latest/".to_owned(),
        "http://[::ffff:a9fe:a9fe]/".to_owned(),
        "https://169.254.169.254/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1:70/".to_owned(),
    ];
    for location in locations {
        for status in [301, 302, 307, 308] {
            let to = location.clone();
            let target = Target::raw(move |_, stream| {
                use std::io::Write;
                write!(
                    stream,
                    "HTTP/1.1 {status} X\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"
                )
            });
            let body = json!({"path": ".", "target": target.url, "maxProbes": 1, "det": true, "headers": {"X-Api-Key": "qx7f-long-secret-value"}});
            let reply = ask(&running, "POST", "/eval/run", Some(&body));
            let failed = reply.as_ref().is_some_and(|reply| reply.status >= 400);
            tally.case(
                format!("target: {status} to {location}"),
                failed && victim.everything_seen() == 0,
                super::shown(reply.as_ref()),
            );
            let to = location.clone();
            let server =
                ModelServer::start(move |_, _| Act::Reply(status, format!("location: {to}\r\n"), String::new()));
            settle(folder.path(), &server.settings());
            let reply = ask(
                &running,
                "POST",
                "/chat",
                Some(&json!({"path": ".", "message": "Hello?"})),
            );
            tally.case(
                format!("model: {status} to {location}"),
                unreached(reply.as_ref()) && victim.everything_seen() == 0,
                super::shown(reply.as_ref()),
            );
        }
    }
    tally.end(80);
}

/// A name that leads to this machine is what a user may mean; one that leads to a metadata service is refused by its address.
#[test]
fn foreign_schemes_and_hosts_are_refused_at_every_door() {
    let mut tally = Tally::of("schemes");
    let folder = project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    for address in [
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1:70/",
        "unix:/run/x.sock",
        "http://",
        "http://user:pass@127.0.0.1/",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/",
        "http://[::1",
        "http://a b/",
    ] {
        let target = json!({"path": ".", "target": address, "maxProbes": 1, "det": true});
        tally.refused(
            format!("target {address}"),
            ask(&running, "POST", "/eval/run", Some(&target)).as_ref(),
        );
        tally.refused(
            format!("red team {address}"),
            ask(
                &running,
                "POST",
                "/redteam/run",
                Some(&json!({"path": ".", "target": address, "agentName": "x"})),
            )
            .as_ref(),
        );
        let sync: Value = json!({"path": ".", "token": "some-long-token", "saasUrl": address});
        tally.refused(
            format!("dashboard {address}"),
            ask(&running, "POST", "/sync/scan", Some(&sync)).as_ref(),
        );
        tally.refused(
            format!("status of {address}"),
            ask(&running, "GET", "/sync/status", Some(&sync)).as_ref(),
        );
    }
    tally.end(40);
}
