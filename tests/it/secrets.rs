//! No secret of a project leaves the engine: not in a reply, an event, a log line or a file.

#![expect(clippy::format_push_string, reason = "files are put together line by line")]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::support::{BINARY, CHAT, Daemon, read_until, run, write_project};
use crate::target::Target;

/// Forms of secrets: `{A20}` is 20 letters and digits, `X` hexadecimal, `U` capitals and digits, `D` digits. They are filled
/// when the test runs, so that no scanner takes this file for a leak.
const FORMS: &[(&str, &str)] = &[
    ("OPENAI_API_KEY", "sk-proj-{A74}T3Blbk{J}{A74}"),
    ("ANTHROPIC_API_KEY", "sk-ant-api03-{A93}AA"),
    ("DEEPSEEK_API_KEY", "sk-{X32}"),
    ("OPENROUTER_API_KEY", "sk-or-v1-{X64}"),
    ("HF_TOKEN", "hf_{A34}"),
    ("GROQ_API_KEY", "gsk_{A52}"),
    ("XAI_API_KEY", "xai-{A80}"),
    ("PERPLEXITY_API_KEY", "pplx-{A48}"),
    ("REPLICATE_API_TOKEN", "r8_{A37}"),
    ("NVIDIA_API_KEY", "nvapi-{A64}"),
    ("LANGSMITH_API_KEY", "lsv2_pt_{X32}_{X10}"),
    ("GOOGLE_API_KEY", "AIzaSy{A33}"),
    ("MISTRAL_API_KEY", "{A32}"),
    ("AZURE_OPENAI_API_KEY", "{X32}"),
    ("AWS_ACCESS_KEY_ID", "AKIA{U16}"),
    ("AWS_SECRET_ACCESS_KEY", "{A40}"),
    (
        "AZURE_STORAGE",
        "DefaultEndpointsProtocol=https;AccountName=store;AccountKey={A86}==",
    ),
    ("DO_TOKEN", "dop_v1_{X64}"),
    ("VAULT_TOKEN", "hvs.{A90}"),
    ("DATABRICKS_TOKEN", "dapi{X32}"),
    ("GITHUB_TOKEN", "ghp_{A36}"),
    ("GITHUB_PAT", "github_pat_{A22}_{A59}"),
    ("GITLAB_TOKEN", "glpat-{A20}"),
    ("NPM_TOKEN", "npm_{A36}"),
    ("PYPI_TOKEN", "pypi-AgE{A150}"),
    ("SLACK_BOT_TOKEN", "xoxb-{D12}-{D13}-{A24}"),
    ("SLACK_HOOK", "https://hooks.slack.com/services/T0{U8}/B0{U8}/{A24}"),
    ("STRIPE_KEY", "sk_live_{A24}"),
    ("SENDGRID_API_KEY", "SG.{A22}.{A43}"),
    ("TELEGRAM_TOKEN", "12{D8}:AA{A33}"),
    ("JWT", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{A40}.{A43}"),
    ("DATABASE_URL", "postgresql://app:{A20}@db.internal.company.eu:5432/app"),
    ("SESSION_SECRET", "{A32}"),
    ("ADMIN_PASSWORD", "{A16}"),
];

fn fill(form: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xA5A5_1234_5678_9ABC;
    let mut next = move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        usize::try_from(state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40).unwrap()
    };
    let mut out = String::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (field, after) = after.split_once('}').unwrap();
        rest = after;
        if field == "J" {
            out.push_str("FJ");
            continue;
        }
        let (kind, count) = field.split_at(1);
        let alphabet: &[u8] = match kind {
            "X" => b"0123456789abcdef",
            "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "D" => b"0123456789",
            _ => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        };
        for _ in 0..count.parse().unwrap() {
            out.push(char::from(alphabet[next() % alphabet.len()]));
        }
    }
    out + rest
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks_exact(3) {
        let word = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        for shift in [18, 12, 6, 0] {
            out.push(char::from(DIGITS[(word >> shift & 63) as usize]));
        }
    }
    out
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

/// The telling part of a secret: the longest that was made up, and not the mark or the host that everybody knows.
fn core(form: &str, secret: &str) -> String {
    let (mut at, mut best) = (0, "");
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('{') {
        let (field, after) = after.split_once('}').unwrap();
        let count: usize = if field == "J" { 2 } else { field[1..].parse().unwrap() };
        at += before.len();
        if count > best.len() {
            best = &secret[at..at + count];
        }
        at += count;
        rest = after;
    }
    best.to_owned()
}

/// Forms in which a secret could be found again, none shorter than ten characters.
fn traces(form: &str, secret: &str) -> Vec<String> {
    let core = core(form, secret);
    let mut traces = vec![core.clone(), percent(secret), core.chars().rev().collect()];
    // Base64 of a text shows in one of three shapes, as the text may begin at any place of a group.
    for from in 0..3 {
        traces.push(base64(&secret.as_bytes()[from..]));
        traces.push(base64(&core.as_bytes()[from..]));
    }
    traces.push(secret.bytes().fold(String::new(), |mut hex, byte| {
        hex.push_str(&format!("{byte:02x}"));
        hex
    }));
    traces.retain(|trace| trace.len() >= 10);
    traces
}

fn everything_below(folder: &Path, out: &mut Vec<(String, Vec<u8>)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            everything_below(&path, out);
        } else {
            out.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[test]
fn a_trace_is_found_where_there_is_one() {
    let secret = fill("hf_{A34}", 1);
    let encoded = base64(format!("token={secret}!!").as_bytes());
    let traces = traces("hf_{A34}", &secret);
    // The last group of a shape depends on what follows, so the search is for all but its end.
    assert!(
        traces.iter().any(|trace| encoded.contains(&trace[..trace.len() - 4])),
        "{encoded} {traces:?}"
    );
    assert!(contains(b"abc", b"bc") && !contains(b"abc", b"cb"));
}

#[test]
fn no_secret_leaves_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_project(root, CHAT);
    let secrets: Vec<(&str, &str, String)> = (1..)
        .zip(FORMS)
        .map(|(seed, (name, form))| (*name, *form, fill(form, seed)))
        .collect();
    let mut python = String::from("import os\nfrom openai import OpenAI\n\nclient = None\n\n\ndef ask(question):\n");
    let (mut env, mut yaml, mut properties, mut tfvars) =
        (String::new(), String::from("env:\n"), String::new(), String::new());
    let mut cells = Vec::new();
    for (index, (name, _, secret)) in secrets.iter().enumerate() {
        env.push_str(&format!("{name}={secret}\n"));
        yaml.push_str(&format!("  {name}: \"{secret}\"\n"));
        properties.push_str(&format!("app.{}={secret}\n", name.to_lowercase()));
        tfvars.push_str(&format!("{} = \"{secret}\"\n", name.to_lowercase()));
        cells.push(format!("{name} = '{secret}'\n"));
        // Where the form alone gives a key away, it is found wherever it stands.
        let model = if FORMS[index].1.starts_with('{') {
            "gpt-4.1"
        } else {
            secret
        };
        python.push_str(&format!(
            "    # compliance-ignore: l4-unlogged-model-call -- key {model}\n    answer_{index} = OpenAI(api_key=\"{secret}\").responses.create(model=\"{model}\", input=question)\n"
        ));
    }
    python.push_str("    return answer_0.output_text\n");
    let notebook = json!({ "cells": [{ "cell_type": "code", "source": cells, "metadata": {}, "outputs": [], "execution_count": null }], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    let pem = format!(
        "-----BEGIN {0}-----\n{1}\n{2}\n{3}\n-----END {0}-----\n",
        "PRIVATE KEY",
        fill("{A64}", 91),
        fill("{A64}", 92),
        fill("{A64}", 93)
    );
    let first = &secrets[1].2;
    for (path, text) in [
        ("app/ask.py", python),
        (".env", env.clone()),
        ("deploy/values.yaml", yaml),
        ("src/main/resources/application.properties", properties),
        ("deploy/prod.tfvars", tfvars),
        ("notebooks/try.ipynb", serde_json::to_string_pretty(&notebook).unwrap()),
        ("deploy/server.pem", pem.clone()),
        ("docs/ai-usage-policy.md", format!("# AI usage policy\n\n## Scope {first}\n\nThe key is {first}.\n")),
        ("package.json", json!({ "name": "x", "dependencies": { "openai": format!("git+https://{}@github.com/a/b.git", secrets[20].2) } }).to_string()),
        (".mcp.json", json!({ "mcpServers": { "x": { "command": "npx", "args": ["--key", first], "env": { "TOKEN": first } } } }).to_string()),
        (".compliance/suppressions.toml", format!("[[suppression]]\ncheck = \"l4-floating-model\"\nkind = \"accepted_risk\"\nreason = \"{first}\"\nowner = \"{first}\"\n")),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    let mut heard: Vec<(String, Vec<u8>)> = Vec::new();
    let mut command = Command::new(BINARY);
    command
        .current_dir(root)
        .args(["--port", "0", "--log", "trace", "--project", "."])
        .env("HOME", home.path())
        .env("ENGINE_DATA_DIR", home.path().join("engine"))
        .env("XDG_DATA_HOME", home.path().join("data"))
        .env("XDG_CACHE_HOME", home.path().join("cache"));
    let (daemon, log) = spawn_with_log(command);
    let mut events = daemon.connect();
    write!(events, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    read_until(&mut events, ": connected");
    let mut hear = |what: &str, reply: &crate::support::Reply| {
        heard.push((
            what.to_owned(),
            format!("{:?}\n{}", reply.headers, reply.body).into_bytes(),
        ));
    };
    for date in ["2026-11-20", "2028-08-02"] {
        let reply = daemon.post(
            "/scan",
            &json!({ "path": ".", "asOf": date, "role": "both" }).to_string(),
        );
        let scan = reply.json();
        // One secret is one finding with all its places.
        let places: std::collections::BTreeSet<String> = scan["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|f| {
                let check = f["checkId"].as_str().unwrap();
                check.starts_with("secret-") || check == "l1-committed-secrets-file"
            })
            .flat_map(|f| f["evidence"].as_array().unwrap().iter().chain([f]))
            .map(|place| format!("{}:{}", place["file"], place["line"]))
            .collect();
        assert!(places.len() > FORMS.len(), "the planted secrets are seen: {places:?}");
        hear("scan", &reply);
    }
    hear(
        "diff",
        &daemon.post("/scan/diff", &json!({ "markdown": true }).to_string()),
    );
    fs::write(root.join("app/more.py"), format!("TOKEN = '{first}'\n")).unwrap();
    hear(
        "diff after a change",
        &daemon.post("/scan/diff", &json!({ "markdown": true }).to_string()),
    );
    hear("sbom", &daemon.get("/sbom"));
    hear("status", &daemon.get("/status"));
    for route in ["/agent/evidence", "/agent/evidence/verify", "/agent/audit"] {
        hear(route, &daemon.get(route));
    }
    hear(
        "token",
        &daemon.post(
            "/scan",
            &json!({ "path": ".", "saasToken": first, "saasUrl": "http://127.0.0.1:1" }).to_string(),
        ),
    );
    hear(
        "type",
        &daemon.post("/scan", &json!({ "path": ".", "saasToken": [first] }).to_string()),
    );
    fs::write(
        root.join(".compliance/baseline.json"),
        format!("{{\"version\": \"{first}\"}}"),
    )
    .unwrap();
    hear("a broken baseline", &daemon.post("/scan", r#"{"path": "."}"#));
    fs::remove_file(root.join(".compliance/baseline.json")).unwrap();
    fs::write(
        root.join(".compliance/config.toml"),
        format!("[gate]\nseverity = \"{first}\"\n"),
    )
    .unwrap();
    hear("a broken configuration", &daemon.post("/scan", r#"{"path": "."}"#));
    fs::remove_file(root.join(".compliance/config.toml")).unwrap();
    let mut frames = vec![0; 1 << 16];
    let count = events.read(&mut frames).unwrap();
    assert!(count > 0);
    heard.push(("events".to_owned(), frames[..count].to_vec()));
    daemon.terminate();
    let mut daemon = daemon;
    daemon.wait();
    let logged = log.lock().unwrap().clone();
    assert!(!logged.is_empty(), "the log is kept");
    heard.push(("log".to_owned(), logged));
    for format in ["text", "markdown", "sarif", "json", "code-quality", "junit"] {
        let output = run(
            root,
            &["scan", ".", "--format", format, "--no-state", "--as-of", "2028-08-02"],
        );
        heard.push((format.to_owned(), [output.stdout, output.stderr].concat()));
    }
    let output = run(root, &["baseline", ".", "--reason", first, "--as-of", "2028-08-02"]);
    heard.push(("baseline".to_owned(), [output.stdout, output.stderr].concat()));
    // What people wrote is theirs; everything else in the state folder is the engine's.
    fs::remove_file(root.join(".compliance/suppressions.toml")).unwrap();
    everything_below(&root.join(".compliance"), &mut heard);
    everything_below(home.path(), &mut heard);
    assert!(
        heard.iter().any(|(name, _)| name.ends_with("state.db")),
        "the database is among what is searched"
    );

    let mut leaks = Vec::new();
    for (name, form, secret) in &secrets {
        for trace in traces(form, secret) {
            for (place, bytes) in heard.iter().filter(|(_, bytes)| contains_any(bytes, trace.as_bytes())) {
                let at = bytes
                    .windows(trace.len())
                    .position(|window| window == trace.as_bytes())
                    .unwrap();
                let around =
                    String::from_utf8_lossy(&bytes[at.saturating_sub(120)..(at + 20).min(bytes.len())]).into_owned();
                leaks.push(format!("{name} in {place}: …{around}…"));
            }
        }
    }
    for line in pem.lines().filter(|line| !line.starts_with('-')) {
        leaks.extend(
            heard
                .iter()
                .filter(|(_, bytes)| contains_any(bytes, line.as_bytes()))
                .map(|(place, _)| format!("private key in {place}")),
        );
    }
    leaks.truncate(20);
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn what_a_caller_hands_over_for_a_target_is_sent_to_it_and_never_kept_or_told() {
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_project(root, CHAT);
    let bearer = fill("sk-test-{A40}", 501);
    let cookie = fill("{A32}", 502);
    let templated = fill("{A28}", 503);
    let key = fill("key-{A36}", 504);
    let query = fill("{A30}", 505);
    // A target that sends back everything that it was sent: headers, body, and the key in other forms.
    let echo = Target::start(std::time::Duration::ZERO, |asked| {
        let encoded = base64(asked.head.as_bytes());
        let words = format!("You sent {} and {} {}", asked.head, asked.body, encoded.len());
        (200, words)
    });
    let mut command = Command::new(BINARY);
    command
        .current_dir(root)
        .args(["--port", "0", "--log", "trace", "--project", "."])
        .env("HOME", home.path())
        .env("ENGINE_DATA_DIR", home.path().join("engine"));
    let (mut daemon, log) = spawn_with_log(command);
    let mut heard: Vec<(String, Vec<u8>)> = Vec::new();
    let ask = |more: serde_json::Value| {
        let mut body = json!({ "target": format!("{}?sig={query}", echo.url), "maxProbes": 12, "full": true });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body.to_string()
    };
    let headers = json!({ "Authorization": format!("Bearer {bearer}"), "Cookie": format!("a=b; session={cookie}") });
    let template = json!({ "messages": [{"role": "user", "content": "{{prompt}}"}], "auth": {"token": templated} });
    let bodies = [
        ("/eval/run", ask(json!({ "headers": headers }))),
        (
            "/eval/run",
            ask(json!({ "headers": headers.to_string(), "requestTemplate": template })),
        ),
        (
            "/eval/run/stream",
            ask(json!({ "apiKey": key, "requestTemplate": template.to_string(), "responsePath": "reply" })),
        ),
        (
            "/redteam/run",
            json!({ "target": echo.url, "apiKey": key, "headers": {"X-Api-Key": bearer}, "maxProbes": 6 }).to_string(),
        ),
        ("/audit/run", ask(json!({ "headers": headers, "maxProbes": 4 }))),
        ("/eval/run", ask(json!({ "headers": headers, "categories": [7] }))),
        ("/eval/run", ask(json!({ "headers": [bearer] }))),
        ("/eval/run", ask(json!({ "apiKey": [key] }))),
        ("/eval/run", ask(json!({ "headers": headers, "resume": "no-such-run" }))),
        (
            "/eval/run",
            json!({ "target": format!("http://user:{cookie}@127.0.0.1:1/"), "apiKey": key }).to_string(),
        ),
        (
            "/eval/run",
            json!({ "target": format!("http://127.0.0.1:1/?sig={query}"), "headers": headers }).to_string(),
        ),
    ];
    for (index, (route, body)) in bodies.iter().enumerate() {
        let reply = daemon.post(route, body);
        assert_eq!(reply.status == 200, index < 5, "{index} {route}: {}", reply.body);
        if index < 5 {
            assert!(
                reply.body.contains("[secret]"),
                "{index}: the target did send them back"
            );
        }
        heard.push((
            format!("{index} {route}"),
            format!("{:?}{}", reply.headers, reply.body).into_bytes(),
        ));
    }
    for route in [
        "/eval/last",
        "/eval/list",
        "/eval/findings",
        "/eval/compare",
        "/redteam/last",
        "/status",
        "/agent/audit",
    ] {
        let reply = daemon.get(route);
        assert_eq!(reply.status, 200, "{route}: {}", reply.body);
        heard.push((route.to_owned(), reply.body.into_bytes()));
    }
    heard.push((
        "report".to_owned(),
        daemon.post("/eval/remediation-report", "{}").body.into_bytes(),
    ));
    daemon.terminate();
    daemon.wait();
    heard.push(("log".to_owned(), log.lock().unwrap().clone()));
    everything_below(&root.join(".compliance"), &mut heard);
    everything_below(home.path(), &mut heard);
    assert!(
        heard
            .iter()
            .any(|(name, bytes)| name.ends_with("state.db") && contains_any(bytes, b"[secret]"))
    );
    for (what, secret) in [
        ("header", &bearer),
        ("cookie", &cookie),
        ("template", &templated),
        ("key", &key),
        ("query", &query),
    ] {
        // A part is as bad as the whole: half of a key is enough to find the rest.
        for trace in [&secret[..secret.len() / 2], &secret[secret.len() / 2..]] {
            let places: Vec<&String> = heard
                .iter()
                .filter(|(_, bytes)| contains_any(bytes, trace.as_bytes()))
                .map(|(place, _)| place)
                .collect();
            assert!(places.is_empty(), "the {what} stands in {places:?}");
        }
    }
}

/// The search for many needles in megabytes: the first bytes decide nearly always.
fn contains_any(haystack: &[u8], needle: &[u8]) -> bool {
    let mut from = 0;
    while let Some(at) = haystack[from..].iter().position(|byte| *byte == needle[0]) {
        let at = from + at;
        if haystack[at..].starts_with(needle) {
            return true;
        }
        from = at + 1;
    }
    false
}

/// A daemon whose log is kept.
fn spawn_with_log(mut command: Command) -> (Daemon, Arc<Mutex<Vec<u8>>>) {
    use std::io::{BufRead, BufReader};

    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let port = line
        .trim()
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok())
        .unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&log);
    let mut stderr = child.stderr.take().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stderr.read(&mut buffer) {
            kept.lock().unwrap().extend_from_slice(&buffer[..count]);
        }
    });
    (Daemon { child, port }, log)
}
