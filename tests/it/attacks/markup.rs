//! Foreign text in every output that a person sees: reports, badge, shared pages, PDF, comparisons, build servers' formats, terminals.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::live::{TEXTS, in_markdown, in_page, in_pdf, in_terminal};
use super::{Tally, ask, attacked, daemon, raw};
use crate::support::{CHAT, Daemon, Reply, write_project};

const CALL: &str = "from openai import OpenAI\nclient = OpenAI()\ndef ask(q):\n    return client.responses.create(model=\"MODEL\", input=q)\n";

/// A project in which every text that an output can repeat is hostile: its folder, files, models, packages, routes, documents, answers
/// and suppressions.
fn hostile() -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("<b id=qx7f>\"'[qx7f](javascript:x)|");
    write_project(&folder, CHAT);
    for (number, (_, text)) in TEXTS.iter().enumerate() {
        let name = text.replace('/', "\u{2215}");
        fs::write(
            folder.join(format!("app/{number}{name}.py")),
            CALL.replace("MODEL", "gpt-3.5-turbo-0301"),
        )
        .unwrap();
        let quoted = serde_json::to_string(text).unwrap();
        fs::write(
            folder.join(format!("app/model{number}.py")),
            CALL.replace("\"MODEL\"", &quoted),
        )
        .unwrap();
    }
    let all: Vec<&str> = TEXTS.iter().map(|(_, text)| *text).collect();
    let dependencies: serde_json::Map<String, Value> =
        all.iter().map(|text| ((*text).to_owned(), json!(text))).collect();
    fs::write(
        folder.join("package.json"),
        json!({"name": all[0], "version": all[3], "description": all[8], "license": all[1],
            "dependencies": {"openai": all[0], "@langchain/<b id=qx7f>": "1.0.0"}, "devDependencies": dependencies})
        .to_string(),
    )
    .unwrap();
    let mut readme = "# Desk\n\n".to_owned();
    for text in &all {
        readme += "Our assistant ";
        readme += text;
        readme += " makes fully automated decisions about applicants.\n\n";
    }
    fs::write(folder.join("README.md"), readme).unwrap();
    let state = folder.join(".compliance");
    fs::create_dir_all(&state).unwrap();
    let mut suppressions = String::new();
    for text in &all {
        let quoted = serde_json::to_string(text).unwrap();
        suppressions += "[[suppression]]\ncheck = \"l4-undisclosed-interaction\"\nkind = \"accepted_risk\"\n";
        for field in ["reason", "owner", "path"] {
            suppressions += &[field, " = ", &quoted, "\n"].concat();
        }
    }
    fs::write(
        state.join("suppressions.toml"),
        suppressions.replace("\\u001b", "").replace("\\u0007", ""),
    )
    .unwrap();
    (place, folder)
}

fn post(daemon: &Daemon, route: &str, body: &Value) -> Option<Reply> {
    ask(daemon, "POST", route, Some(body))
}

/// A page of a share, as a browser asks for it.
fn shared_page(daemon: &Daemon, share: Option<&Reply>) -> Option<Reply> {
    let id = share?.json()["id"].as_str()?.to_owned();
    raw(
        daemon,
        format!("GET /share/{id} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n")
            .as_bytes(),
    )
}

/// A reply that came, and in which nothing is live.
fn quiet(tally: &mut Tally, name: &str, reply: Option<&Reply>, live: impl Fn(&Reply) -> Option<String>) {
    match reply {
        Some(reply) if reply.status == 200 => {
            let found = live(reply);
            tally.case(name, found.is_none(), found.unwrap_or_default());
        }
        other => tally.case(name, false, super::shown(other)),
    }
}

fn text_of(reply: &Reply, field: &str) -> String {
    reply.json()[field].as_str().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "slow: many outputs of a hostile project"]
fn hostile_texts_of_a_project_stay_text_in_every_output() {
    let mut tally = Tally::of("texts of a project");
    let (_place, folder) = hostile();
    let running = daemon(&folder, &["--project", "."]);
    let scan = post(&running, "/scan", &json!({"path": "."}));
    tally.answered("scan", scan.as_ref());
    // A passport whose every text is hostile.
    for (name, text) in TEXTS {
        let data = json!({"name": text, "agent_id": text, "description": text, "owner": {"team": text, "contact": text}, "version": text,
            "capabilities": [text], "skills": [{"id": text, "name": text, "description": text}], "url": text});
        let imported = post(
            &running,
            "/agent/import",
            &json!({"path": ".", "format": "a2a", "data": data}),
        );
        tally.answered(format!("a passport with {name}"), imported.as_ref());
    }
    tally.answered("init", post(&running, "/agent/init", &json!({"path": "."})).as_ref());
    for language in ["en", "de", "fr"] {
        let body = json!({"path": ".", "language": language, "jurisdiction": "DE"});
        let badge = ask(&running, "GET", &format!("/badge?path=.&language={language}"), None);
        quiet(&mut tally, &format!("badge in {language}"), badge.as_ref(), |reply| {
            in_page(&reply.body).or_else(|| not_xml(&reply.body))
        });
        let made = post(&running, "/badge/generate", &json!({"path": ".", "language": language}));
        quiet(&mut tally, &format!("summary in {language}"), made.as_ref(), |reply| {
            in_markdown(&text_of(reply, "markdown")).or_else(|| in_page(&text_of(reply, "svg")))
        });
        let report = post(&running, "/report/markdown", &body);
        quiet(&mut tally, &format!("report in {language}"), report.as_ref(), |reply| {
            in_markdown(&text_of(reply, "markdown"))
        });
        let status = post(&running, "/report/status/markdown", &body);
        quiet(
            &mut tally,
            &format!("status report in {language}"),
            status.as_ref(),
            |reply| in_markdown(&text_of(reply, "markdown")),
        );
        let share = post(&running, "/share", &body);
        tally.answered(format!("share in {language}"), share.as_ref());
        let page = shared_page(&running, share.as_ref());
        quiet(
            &mut tally,
            &format!("shared page in {language}"),
            page.as_ref(),
            |reply| in_page(&reply.body),
        );
    }
    let saved = post(&running, "/report/share", &json!({"path": "."}));
    quiet(&mut tally, "page in a file", saved.as_ref(), |reply| {
        in_page(&fs::read_to_string(folder.join(text_of(reply, "path"))).ok()?)
    });
    let pdf = post(&running, "/report/pdf", &json!({"path": "."}));
    quiet(&mut tally, "PDF", pdf.as_ref(), |reply| in_pdf(&reply.bytes));
    let diff = post(&running, "/scan/diff", &json!({"path": ".", "markdown": true}));
    quiet(&mut tally, "comparison", diff.as_ref(), |reply| {
        in_markdown(&text_of(reply, "markdown"))
    });
    let documents = post(&running, "/agent/doc/all", &json!({"path": "."}));
    quiet(&mut tally, "documents", documents.as_ref(), |reply| {
        let made = reply.json();
        let mut all = made["generated"].as_array().into_iter().flatten();
        all.find_map(|one| in_markdown(one["content"].as_str().unwrap_or_default()))
    });
    quiet(
        &mut tally,
        "bill of materials",
        ask(&running, "GET", "/sbom?path=.", None).as_ref(),
        |reply| (!reply.header("content-type").contains("json")).then(|| "it is not JSON".to_owned()),
    );
    files_are_quiet(&mut tally, &folder.join(".compliance"));
    drop(running);
    commands_are_quiet(&mut tally, &folder);
    tally.end(55);
}

/// What the engine wrote for people to read.
fn files_are_quiet(tally: &mut Tally, state: &Path) {
    for part in ["reports", "documents"] {
        for entry in fs::read_dir(state.join(part)).into_iter().flatten().flatten() {
            let bytes = fs::read(entry.path()).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let name = entry.file_name().to_string_lossy().into_owned();
            let found = match name.rsplit('.').next() {
                Some("md") => in_markdown(&text),
                Some("html" | "svg") => in_page(&text),
                Some("pdf") => in_pdf(&bytes),
                _ => None,
            };
            let strange = in_terminal(&name).filter(|_| true);
            tally.case(
                format!("file {part}/{name}"),
                found.is_none() && strange.is_none(),
                found.unwrap_or_default(),
            );
        }
    }
}

fn commands_are_quiet(tally: &mut Tally, folder: &Path) {
    for (name, arguments) in [
        ("text", &["scan", ".", "--no-state"][..]),
        ("Markdown", &["scan", ".", "--no-state", "--format", "markdown"]),
        ("JUnit", &["scan", ".", "--no-state", "--format", "junit"]),
        ("SARIF", &["scan", ".", "--no-state", "--format", "sarif"]),
        ("Code Quality", &["scan", ".", "--no-state", "--format", "code-quality"]),
        ("fixes", &["fix", "."]),
        ("report", &["report", "."]),
        ("documents", &["doc", "."]),
    ] {
        let output = attacked().current_dir(folder).args(arguments).output().unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        );
        let found = match name {
            "Markdown" | "report" => in_markdown(&out),
            "JUnit" => not_xml(&out).or_else(|| in_page(&out)),
            "SARIF" | "Code Quality" => serde_json::from_str::<Value>(&out).err().map(|error| error.to_string()),
            _ => in_terminal(&out),
        };
        let found = found.or_else(|| in_terminal(&err)).or_else(|| in_terminal(&out));
        tally.case(
            format!("command line: {name}"),
            found.is_none(),
            found.unwrap_or_default(),
        );
    }
}

fn not_xml(text: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => return None,
            Ok(_) => {}
            Err(error) => return Some(format!("it is not XML: {error}")),
        }
    }
}

#[test]
#[ignore = "slow: many reports"]
fn hostile_texts_of_a_caller_stay_text() {
    let mut tally = Tally::of("texts of a caller");
    let folder = crate::support::project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    tally.answered("scan", post(&running, "/scan", &json!({"path": "."})).as_ref());
    for (name, text) in TEXTS {
        let body = json!({"path": ".", "organization": text});
        let report = post(&running, "/report/markdown", &body);
        caller(&mut tally, &format!("report for {name}"), report.as_ref(), |reply| {
            in_markdown(&text_of(reply, "markdown"))
        });
        let status = post(&running, "/report/status/markdown", &body);
        caller(
            &mut tally,
            &format!("status report for {name}"),
            status.as_ref(),
            |reply| in_markdown(&text_of(reply, "markdown")),
        );
        let share = post(&running, "/share", &body);
        let page = shared_page(&running, share.as_ref().filter(|reply| reply.status == 200));
        if share.as_ref().is_some_and(|reply| reply.status == 200) {
            quiet(&mut tally, &format!("shared page for {name}"), page.as_ref(), |reply| {
                in_page(&reply.body)
            });
        } else {
            tally.refused(format!("shared page for {name}"), share.as_ref());
        }
        // Nothing of a request comes back as a page; a share that does not exist has one, which repeats nothing.
        for route in ["/jurisdictions/", "/share/", "/no-such-route/"] {
            let target = text
                .bytes()
                .map(|byte| format!("%{byte:02x}"))
                .collect::<Vec<_>>()
                .concat();
            let page = raw(
                &running,
                format!(
                    "GET {route}{target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
                )
                .as_bytes(),
            );
            let held = page.as_ref().is_some_and(|reply| {
                let json = reply.header("content-type") == "application/json";
                let silent = route == "/share/" && !reply.body.contains("qx7f");
                (json || silent) && in_terminal(&reply.body).is_none()
            });
            tally.case(format!("{route} with {name}"), held, super::shown(page.as_ref()));
        }
    }
    for (name, text) in [TEXTS[0], TEXTS[8], TEXTS[11]] {
        let pdf = post(&running, "/report/pdf", &json!({"path": ".", "organization": text}));
        caller(&mut tally, &format!("PDF for {name}"), pdf.as_ref(), |reply| {
            in_pdf(&reply.bytes)
        });
    }
    tally.end(100);
}

/// A text of a caller is refused, or nothing of it is live.
fn caller(tally: &mut Tally, name: &str, reply: Option<&Reply>, live: impl Fn(&Reply) -> Option<String>) {
    if reply.is_some_and(|reply| reply.status == 200) {
        quiet(tally, name, reply, live);
    } else {
        tally.refused(name, reply);
    }
}
