//! Foreign text in everything that leaves: terminals, build servers, reports, pages, shares; and links during fixes.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{Tally, ask, attacked, daemon};
use crate::support::{CHAT, project};

/// Text that would do something if it left as it is.
const MARKS: [&str; 8] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "javascript:alert(1)",
    "\u{202e}gpj.exe",
    "\u{9b}31m",
    "\u{1b}]0;title\u{7}",
    "${{ secrets.TOKEN }}",
];

/// Bytes that must not be in a page.
const LIVE: [&str; 5] = ["<script>alert", "<img src=x", "<svg onload", "\u{9b}31m", "\u{1b}]0"];

#[test]
fn markup_in_a_project_stays_text_in_reports_pages_and_shares() {
    let mut tally = Tally::of("markup");
    for (number, mark) in MARKS.iter().enumerate() {
        let folder = project(CHAT);
        let name: String = mark.chars().filter(|c| *c != '/').collect();
        let code = "from openai import OpenAI\nclient = OpenAI()\ndef ask(q):\n    return client.responses.create(model=\"gpt-4.1\", input=q)\n";
        fs::write(folder.path().join(format!("app/{name}.py")), code).unwrap();
        fs::write(
            folder.path().join("README.md"),
            format!("# {mark}\n\nOur model {mark} is {} with the AI Act.\n", "compliant"),
        )
        .unwrap();
        fs::write(
            folder.path().join("app/p.py"),
            code.replace("gpt-4.1", &mark.replace('"', "\\\"")),
        )
        .unwrap();
        let daemon = daemon(folder.path(), &["--project", "."]);
        let scan = ask(&daemon, "POST", "/scan", Some(&json!({"path": "."})));
        tally.answered(format!("scan {number}"), scan.as_ref());
        let _ = ask(&daemon, "POST", "/agent/init", Some(&json!({"path": "."})));
        let shared = ask(
            &daemon,
            "POST",
            "/share",
            Some(&json!({"path": ".", "organization": mark})),
        );
        let id = shared
            .as_ref()
            .and_then(|reply| serde_json::from_str::<serde_json::Value>(&reply.body).ok());
        let id = id
            .and_then(|body| body["id"].as_str().map(str::to_owned))
            .unwrap_or_default();
        let html = "text/html";
        for (what, reply) in [
            ("report", ask(&daemon, "POST", "/report/markdown", Some(&json!({"path": ".", "organization": mark})))),
            ("badge", ask(&daemon, "GET", "/badge?path=.", None)),
            ("share", super::raw(&daemon, format!("GET /share/{id}?path=. HTTP/1.1\r\nHost: localhost\r\nAccept: {html}\r\nConnection: close\r\n\r\n").as_bytes())),
        ] {
            // JSON may quote markup; a page may not.
            let page = reply.as_ref().filter(|reply| reply.header("content-type").starts_with(html) || reply.header("content-type").contains("svg"));
            let live = page.and_then(|reply| LIVE.iter().find(|live| reply.body.contains(**live)));
            tally.case(format!("{what} {number}"), reply.is_some() && live.is_none(), format!("{live:?}"));
        }
        for name in fs::read_dir(folder.path().join(".compliance/reports"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let text = fs::read_to_string(name.path()).unwrap_or_default();
            let live = LIVE.iter().find(|live| text.contains(**live));
            tally.case(
                format!("file {:?} {number}", name.file_name()),
                live.is_none(),
                format!("{live:?}"),
            );
        }
    }
    tally.end(35);
}

#[test]
fn nothing_commands_a_terminal_or_a_build_server() {
    let mut tally = Tally::of("terminals");
    let folder = project(CHAT);
    let code = "from openai import OpenAI\nclient = OpenAI()\ndef ask(q):\n    return client.responses.create(model=\"gpt-4.1\", input=q)\n";
    for name in [
        "a\u{9b}31m.py",
        "b\u{1b}[2J.py",
        "::error file=x::y.py",
        "##vso[task.complete].py",
        "c\u{202e}yp.py",
        "d\r.py",
        "e\n::warning::x.py",
    ] {
        fs::write(folder.path().join(name), code).unwrap();
    }
    fs::create_dir_all(folder.path().join(".compliance")).unwrap();
    fs::write(
        folder.path().join(".compliance/suppressions.toml"),
        "[[suppression]]\ncheck = \"x\\u009b31m\"\nkind = \"accepted_risk\"\nreason = \"r\\n::error::y\"\nowner = \"##vso[task.setvariable]z\"\npath = \"\\u202ex\"\n",
    )
    .unwrap();
    for arguments in [
        &["scan", "."][..],
        &["scan", ".", "--format", "markdown"],
        &["scan", ".", "--format", "json"],
        &["scan", ".", "--format", "sarif"],
        &["scan", ".", "--format", "junit"],
        &["scan", ".", "--no-state"],
        &["scan", "no\u{9b}such\u{202e}folder"],
        &["scan", "::error::x"],
        &["fix", "."],
        &["evidence", "show", "."],
    ] {
        let output = attacked().current_dir(folder.path()).args(arguments).output().unwrap();
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            for (what, bad) in [
                ("C1", text.contains('\u{9b}')),
                ("erase", text.contains("\u{1b}[2J")),
                ("direction", text.contains('\u{202e}')),
                (
                    "command",
                    text.lines().any(|line| {
                        line.trim_start().starts_with("::error") || line.trim_start().starts_with("::warning")
                    }),
                ),
                ("vso", text.contains("##vso[")),
            ] {
                tally.case(format!("{arguments:?} {stream} {what}"), !bad, "it left");
            }
        }
    }
    tally.end(100);
}

#[test]
fn links_during_a_fix_lead_nowhere() {
    let mut tally = Tally::of("fixes");
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("main.py");
    let folder = project(CHAT);
    let text = fs::read_to_string(folder.path().join("app/main.py")).unwrap();
    fs::write(&victim, &text).unwrap();
    let daemon = daemon(folder.path(), &["--project", "."]);
    tally.answered(
        "scan",
        ask(&daemon, "POST", "/scan", Some(&json!({"path": "."}))).as_ref(),
    );
    let done = AtomicBool::new(false);
    let app = folder.path().join("app");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let aside = folder.path().join("app-aside");
                let _ = fs::rename(&app, &aside);
                let _ = symlink(outside.path(), &app);
                std::thread::sleep(Duration::from_micros(400));
                let _ = fs::remove_file(&app);
                let _ = fs::rename(&aside, &app);
                std::thread::sleep(Duration::from_micros(400));
            }
        });
        for round in 0..8 {
            let reply = ask(&daemon, "POST", "/fix/apply-all", Some(&json!({"path": "."})));
            tally.case(format!("apply {round}"), reply.is_some(), "no answer");
            let reply = ask(&daemon, "POST", "/fix/undo", Some(&json!({"path": "."})));
            tally.case(format!("undo {round}"), reply.is_some(), "no answer");
        }
        done.store(true, Ordering::Relaxed);
    });
    let now = fs::read_to_string(&victim).unwrap();
    tally.case("the file outside", now == text, "it changed");
    let count = fs::read_dir(outside.path()).unwrap().count();
    tally.case("the folder outside", count == 1, format!("{count} entries"));
    tally.end(19);
}
