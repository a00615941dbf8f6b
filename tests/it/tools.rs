//! External tools over HTTP, with small scripts in place of the package runner and of the tools. The real ones run in
//! `real_tools`, which needs uv and the network.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Daemon, binary, project, run, wait_for, write_project};

pub(crate) const TOOLS: [&str; 4] = ["semgrep", "bandit", "detect-secrets", "modelscan"];

/// A runner that copies scripts instead of installing packages, and writes down what it was called with.
pub(crate) struct Fake {
    /// The scripts, the runner among them, and what they write down.
    pub(crate) folder: TempDir,
    /// The user's data directory.
    data: TempDir,
}

impl Fake {
    pub(crate) fn new() -> Self {
        let fake = Self {
            folder: tempfile::tempdir().unwrap(),
            data: tempfile::tempdir().unwrap(),
        };
        let folder = fake.folder.path().display().to_string();
        let runner = format!(
            r#"#!/bin/sh
echo "$@" >> '{folder}/calls'
env >> '{folder}/runner-env'
for last; do :; done
case "$1" in
  --version) echo "uv 99.1.2 (a script)" ;;
  venv) mkdir -p "$last/bin" ;;
  pip)
    own=$(dirname "$last")
    name=$(basename "$own" | sed 's/-[0-9].*//')
    if [ -e "{folder}/refuse-$name" ]; then echo "error: no wheel for https://user:hunter22@index.example/simple" >&2; exit 2; fi
    cp "{folder}/$name" "$own/env/bin/$name" ;;
esac
"#
        );
        script(&fake.folder.path().join("uv"), &runner);
        fake
    }

    pub(crate) fn daemon(&self, folder: &Path, settings: &[(&str, &str)]) -> Daemon {
        self.daemon_of(binary(), folder, settings)
    }

    /// The same of a binary that is about to be started.
    pub(crate) fn daemon_of(&self, mut command: Command, folder: &Path, settings: &[(&str, &str)]) -> Daemon {
        command
            .current_dir(folder)
            .args(["--port", "0"])
            .env("ENGINE_DATA_DIR", self.data.path())
            .env("UV", self.folder.path().join("uv"))
            .envs(settings.iter().copied());
        Daemon::spawn(command)
    }

    /// The good scripts, for the versions that the daemon expects.
    fn write_tools(&self, daemon: &Daemon) {
        let status = daemon.get("/tools/status").json();
        for tool in TOOLS {
            let version = named(&status, tool)["expectedVersion"].as_str().unwrap().to_owned();
            script(&self.folder.path().join(tool), &good(tool, &version));
        }
    }

    pub(crate) fn install(&self, daemon: &Daemon) -> Value {
        self.write_tools(daemon);
        let reply = daemon.post("/tools/update", "{}");
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    }

    /// The installed program of a tool.
    pub(crate) fn program(daemon: &Daemon, tool: &str) -> PathBuf {
        let status = daemon.get("/tools/status").json();
        PathBuf::from(
            named(&status, tool)["path"]
                .as_str()
                .unwrap_or_else(|| panic!("{status}")),
        )
    }

    fn written(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

pub(crate) fn script(path: &Path, text: &str) {
    let _ = fs::remove_file(path);
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The entry of a tool in a reply.
pub(crate) fn named<'v>(reply: &'v Value, tool: &str) -> &'v Value {
    let all = reply["tools"].as_array().unwrap_or_else(|| panic!("{reply}"));
    all.iter().find(|one| one["name"] == tool).unwrap()
}

/// A script that writes a whole report with one finding.
fn good(tool: &str, version: &str) -> String {
    match tool {
        "bandit" => r#"#!/bin/sh
for dir; do :; done
printf '{"errors":[],"metrics":{"_totals":{}'
for f in "$dir"/*.py; do printf ',"%s":{"loc":1}' "$f"; done
hit=$(grep -ln 'eval(' "$dir"/*.py | head -1)
line=$(grep -n 'eval(' "$hit" | head -1 | cut -d: -f1)
printf '},"results":[{"filename":"%s","line_number":%s,"line_range":[%s],"col_offset":4,"code":"x","test_id":"B307","test_name":"blacklist","issue_severity":"MEDIUM","issue_confidence":"HIGH","issue_text":"t"}]}' "$hit" "$line" "$line"
"#
        .to_owned(),
        "semgrep" => r#"#!/bin/sh
for dir; do :; done
hit=$(grep -ln 'eval(' "$dir"/*.py | head -1)
line=$(grep -n 'eval(' "$hit" | head -1 | cut -d: -f1)
printf '{"version":"v","results":[{"check_id":"a.b.model-output-run","path":"%s","start":{"line":%s,"col":5,"offset":0},"end":{"line":%s,"col":9,"offset":0},"extra":{"message":"m","severity":"ERROR"}}],"errors":[],"paths":{"scanned":["%s"' "$hit" "$line" "$line" "$hit"
for f in "$dir"/*.py; do printf ',"%s"' "$f"; done
printf ']}}'
"#
        .to_owned(),
        "detect-secrets" => format!(
            r#"#!/bin/sh
hit=$(cd "$2" && grep -ln 'sk-proj' * | head -1)
line=$(grep -n 'sk-proj' "$2/$hit" | head -1 | cut -d: -f1)
printf '{{"version":"{version}","plugins_used":[{{"name":"KeywordDetector"}}],"results":{{"%s":[{{"type":"OpenAI Token","filename":"%s","hashed_secret":"0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33","is_verified":false,"line_number":%s}}]}}}}' "$hit" "$hit" "$line"
"#
        ),
        _ => format!(
            r#"#!/bin/sh
for dir; do :; done
while [ "$1" != --output-file ]; do shift; done
hit=$(cd "$dir" && ls | head -1)
count=$(ls "$dir" | wc -l)
printf '{{"summary":{{"modelscan_version":"{version}","scanned":{{"total_scanned":%s}},"skipped":{{"skipped_files":[]}}}},"issues":[{{"description":"d","operator":"system","module":"posix","source":"%s","severity":"CRITICAL"}}],"errors":[]}}' "$count" "$hit" > "$2"
exit 1
"#
        ),
    }
}

/// A key in the form of a real one; put together here, so that no scanner takes this file for a leak.
fn key() -> String {
    format!("sk-proj-{}", "Zq7Rk2Wm9Xv4Tb6Yn1Lc8Jd3Hf5Gs0PaEuIo")
}

/// A product that runs what a model writes, with a key in a file and a model file that runs code.
pub(crate) fn product() -> TempDir {
    let text = format!(
        "//- app.py\nfrom openai import OpenAI\n\nclient = OpenAI()\n\n\ndef act(text):\n    reply = client.chat.completions.create(model=\"gpt-4o\", messages=[{{\"role\": \"user\", \"content\": text}}])\n    eval(reply.choices[0].message.content)\n//- settings.py\nOPENAI_API_KEY = \"{}\"\n//- requirements.txt\nopenai==1.51.0\n",
        key()
    );
    let folder = project(&text);
    // A pickled call of `posix.system`.
    fs::write(folder.path().join("ranker.pkl"), b"cposix\nsystem\n(S'true'\ntR.").unwrap();
    folder
}

fn scan(daemon: &Daemon) -> Value {
    let reply = daemon.post("/scan/tier2", r#"{"path": "."}"#);
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

#[test]
fn without_a_runner_status_says_how_to_install_it_and_a_scan_is_refused() {
    let folder = product();
    let daemon = Daemon::start(folder.path(), &[]);
    let status = daemon.get("/tools/status").json();
    assert_eq!(status["uvAvailable"], false);
    assert!(status["uvError"].as_str().unwrap().contains("install it"), "{status}");
    assert_eq!(status["tools"].as_array().unwrap().len(), 4);
    for path in ["/scan/tier2", "/tools/update"] {
        let body = if path == "/scan/tier2" {
            r#"{"path": "."}"#
        } else {
            "{}"
        };
        let failure = daemon.post(path, body).assert_failure(424, "missing-part");
        assert!(failure["details"].as_str().unwrap().contains("uv"), "{failure}");
    }
    assert_eq!(daemon.get("/status").json()["outbound"], json!([]));
}

#[test]
fn status_starts_the_runner_for_its_version_only() {
    let folder = product();
    let fake = Fake::new();
    let daemon = fake.daemon(folder.path(), &[]);
    let status = daemon.get("/tools/status").json();
    assert_eq!(
        (&status["uvAvailable"], &status["uvVersion"]),
        (&json!(true), &json!("99.1.2"))
    );
    for tool in status["tools"].as_array().unwrap() {
        assert_eq!(tool["installed"], false, "{tool}");
        assert_eq!(tool["error"], "not installed; run POST /tools/update", "{tool}");
    }
    assert_eq!(fake.written("calls"), "--version\n");
    assert!(
        fs::read_dir(fake.data.path()).unwrap().next().is_none(),
        "status writes nothing"
    );
    assert_eq!(daemon.get("/status").json()["outbound"], json!([]));
    // A scan does not install either: every tool is missing, and the result says so.
    let scan = scan(&daemon);
    for tool in TOOLS {
        let record = named(&scan, tool);
        assert_eq!(
            (&record["status"], &record["exitCode"]),
            (&json!("missing"), &Value::Null),
            "{record}"
        );
    }
    assert!(
        scan.get("externalToolResults").is_none(),
        "a missing tool has no list that looks clean"
    );
    assert!(!fake.written("calls").contains("pip"));
}

#[test]
fn a_failed_installation_hides_no_other_and_shows_no_password() {
    let folder = product();
    let fake = Fake::new();
    let daemon = fake.daemon(
        folder.path(),
        &[
            ("SECRET_OF_THE_USER", "x"),
            ("HTTPS_PROXY", "http://u:hunter22@proxy.example:3128"),
        ],
    );
    fs::write(fake.folder.path().join("refuse-modelscan"), "").unwrap();
    let reply = fake.install(&daemon);
    for tool in ["semgrep", "bandit", "detect-secrets"] {
        let one = named(&reply, tool);
        assert_eq!(
            (&one["update"], &one["installed"]),
            (&json!("installed"), &json!(true)),
            "{one}"
        );
        assert_eq!(one["version"], one["expectedVersion"]);
    }
    let failed = named(&reply, "modelscan");
    assert_eq!(
        (&failed["update"], &failed["installed"]),
        (&json!("failed"), &json!(false))
    );
    assert!(failed["error"].as_str().unwrap().contains("exit code 2"), "{failed}");
    assert!(!reply.to_string().contains("hunter22"), "{reply}");
    let outbound = daemon.get("/status").json()["outbound"].to_string();
    for host in ["pypi.org:443", "files.pythonhosted.org:443", "proxy.example:3128"] {
        assert!(outbound.contains(host), "{outbound}");
    }
    assert!(!outbound.contains("hunter22"), "{outbound}");
    let environment = fake.written("runner-env");
    assert!(
        environment.contains("UV_NO_CONFIG=1") && environment.contains("HTTPS_PROXY="),
        "{environment}"
    );
    assert!(!environment.contains("SECRET_OF_THE_USER"), "{environment}");
    let calls = fake.written("calls");
    assert!(calls.contains("--require-hashes --no-build"), "{calls}");
    assert_eq!(
        named(&daemon.get("/tools/status").json(), "modelscan")["error"],
        "the last installation did not finish; run POST /tools/update"
    );
    // The next update repairs it and leaves the others alone.
    fs::remove_file(fake.folder.path().join("refuse-modelscan")).unwrap();
    let again = daemon.post("/tools/update", "{}").json();
    assert_eq!(named(&again, "modelscan")["update"], "installed");
    assert_eq!(named(&again, "bandit")["update"], "unchanged");
    assert_eq!(scan(&daemon)["tools"].as_array().unwrap().len(), 4);
    assert!(
        !folder.path().join("tools").exists(),
        "nothing is installed in the project"
    );
}

#[test]
fn findings_are_merged_once_with_every_source() {
    let folder = product();
    let fake = Fake::new();
    let daemon = fake.daemon(folder.path(), &[]);
    fake.install(&daemon);
    let plain = daemon.post("/scan", r#"{"path": "."}"#).json();
    let result = scan(&daemon);
    for tool in TOOLS {
        let record = named(&result, tool);
        assert_eq!(
            (&record["status"], &record["findings"]),
            (&json!("ran"), &json!(1)),
            "{record}"
        );
        assert_eq!(record["error"], Value::Null, "{record}");
    }
    let ids = |scan: &Value| -> Vec<String> {
        let findings = scan["findings"].as_array().unwrap();
        findings
            .iter()
            .map(|f| f["checkId"].as_str().unwrap().to_owned())
            .collect()
    };
    // The key and the model file are known already; the two tools for code agree on one place.
    let external: Vec<String> = ids(&result).into_iter().filter(|id| id.starts_with("ext-")).collect();
    let sources = |check: &str| -> String {
        let findings = result["findings"].as_array().unwrap();
        let found = findings
            .iter()
            .find(|f| f["checkId"] == check)
            .unwrap_or_else(|| panic!("{check}: {external:?}"));
        found["evidence"].to_string()
    };
    assert!(
        sources("secret-ai-key").contains("detect-secrets 1."),
        "{}",
        sources("secret-ai-key")
    );
    assert!(sources("l3-unsafe-model-file").contains("modelscan 0."));
    let duplicates: u64 = TOOLS
        .iter()
        .map(|tool| named(&result, tool)["duplicates"].as_u64().unwrap())
        .sum();
    assert_eq!(duplicates + external.len() as u64, 4, "{external:?}");
    let code = external
        .first()
        .cloned()
        .unwrap_or_else(|| "l4-answer-reaches-shell".to_owned());
    assert!(
        sources(&code).contains("semgrep 1.") && sources(&code).contains("bandit 1."),
        "{}",
        sources(&code)
    );
    for id in ids(&plain) {
        assert!(ids(&result).contains(&id), "{id} is gone");
    }
    let results = result["externalToolResults"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for one in results {
        assert!(
            one["duration"].is_u64() && one["exitCode"].is_i64() && one["version"].is_string(),
            "{one}"
        );
        assert_eq!(one["findings"].as_array().unwrap().len(), 1, "{one}");
    }
    // The same findings at the next run, with the same ids.
    let again = scan(&daemon);
    assert_eq!(ids(&again), ids(&result));
    // Neither the key nor its digest is anywhere.
    let stored = daemon.get("/agent/audit").body + &result.to_string();
    assert!(!stored.contains(&key()) && !stored.contains("0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33"));
    assert!(stored.contains("\"tools\""));
    assert_eq!(daemon.get("/agent/evidence/verify").json()["valid"], true);
}

/// How a tool goes wrong: the script in its place, and the status that it must get.
fn bad_ways() -> Vec<(&'static str, Option<&'static str>, &'static str)> {
    vec![
        ("removed", None, "missing"),
        ("killed", Some("#!/bin/sh\nkill -9 $$\n"), "failed"),
        ("garbage", Some("#!/bin/sh\necho '<html>'\n"), "failed"),
        ("silent", Some("#!/bin/sh\nexit 0\n"), "failed"),
        (
            "truncated",
            Some("#!/bin/sh\nprintf '{\"results\":[{\"filena'\n"),
            "failed",
        ),
        (
            "empty report",
            Some(
                "#!/bin/sh\necho '{\"version\":\"1\",\"results\":[],\"errors\":[],\"metrics\":{},\"paths\":{\"scanned\":[]},\"plugins_used\":[]}'\n",
            ),
            "failed",
        ),
        ("not a program", Some("\0\0\0"), "failed"),
        (
            "wrong exit code",
            Some("#!/bin/sh\necho 'fatal: no rules' >&2\nexit 7\n"),
            "failed",
        ),
    ]
}

#[test]
fn each_bad_way_of_each_tool_is_reported_as_what_it_is() {
    let folder = product();
    let fake = Fake::new();
    let daemon = fake.daemon(folder.path(), &[]);
    fake.install(&daemon);
    for tool in TOOLS {
        let program = Fake::program(&daemon, tool);
        let sound = fs::read_to_string(&program).unwrap();
        for (way, text, status) in bad_ways() {
            match text {
                Some(text) => script(&program, text),
                None => fs::remove_file(&program).unwrap(),
            }
            let result = scan(&daemon);
            let record = named(&result, tool);
            assert_eq!(record["status"], status, "{tool} {way}: {record}");
            assert!(
                record["error"].as_str().is_some_and(|error| !error.is_empty()),
                "{tool} {way}: {record}"
            );
            let code = match way {
                "garbage" | "silent" | "truncated" | "empty report" => json!(0),
                "wrong exit code" => json!(7),
                _ => Value::Null,
            };
            assert_eq!(record["exitCode"], code, "{tool} {way}: {record}");
            let results = result["externalToolResults"].as_array().unwrap();
            assert!(
                results.iter().all(|one| one["tool"] != tool),
                "{tool} {way}: it must not look clean"
            );
            for other in TOOLS.iter().filter(|other| **other != tool) {
                assert_eq!(named(&result, other)["status"], "ran", "{tool} {way}: {result}");
            }
        }
        script(&program, &sound);
    }
}

#[test]
fn slow_tools_are_ended_with_all_their_processes() {
    let folder = product();
    let fake = Fake::new();
    let daemon = fake.daemon(folder.path(), &[("ENGINE_TOOL_SECONDS", "1")]);
    fake.install(&daemon);
    let pids = fake.folder.path().join("pids");
    for tool in TOOLS {
        let text = format!(
            "#!/bin/sh\nsleep 1000 &\necho $! >> '{}'\necho $$ >> '{0}'\nwait\n",
            pids.display()
        );
        script(&Fake::program(&daemon, tool), &text);
    }
    let result = scan(&daemon);
    for tool in TOOLS {
        let record = named(&result, tool);
        assert_eq!(
            (&record["status"], &record["exitCode"]),
            (&json!("timed_out"), &Value::Null),
            "{record}"
        );
        assert!(
            record["error"].as_str().unwrap().contains("limit of 1 seconds"),
            "{record}"
        );
    }
    assert_gone(&pids);
}

/// Waits until no process of a list lives.
fn assert_gone(pids: &Path) {
    let text = fs::read_to_string(pids).unwrap_or_default();
    for pid in text.lines() {
        wait_for(&format!("the end of process {pid}"), || {
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            // A zombie has ended and waits for the first process of the machine.
            state.is_empty() || state.rsplit(") ").next().unwrap().starts_with('Z')
        });
    }
}

#[test]
fn a_client_that_leaves_and_a_daemon_that_stops_end_the_tools() {
    use std::io::Write;

    let folder = product();
    let fake = Fake::new();
    let mut daemon = fake.daemon(folder.path(), &[]);
    fake.install(&daemon);
    let pids = fake.folder.path().join("pids");
    for tool in TOOLS {
        let text = format!("#!/bin/sh\nsleep 1000 &\necho $! >> '{}'\nwait\n", pids.display());
        script(&Fake::program(&daemon, tool), &text);
    }
    let before = daemon.get("/agent/evidence").json()["entries"].clone();
    let ask = |daemon: &Daemon| {
        let body = r#"{"path": "."}"#;
        let mut stream = daemon.connect();
        write!(stream, "POST /scan/tier2 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream
    };
    let started = |count: usize| {
        wait_for("the start of the tools", || {
            fs::read_to_string(&pids).unwrap_or_default().lines().count() >= count
        });
    };
    let stream = ask(&daemon);
    started(4);
    // A second request does not pile up behind the first.
    daemon
        .post("/scan/tier2", r#"{"path": "."}"#)
        .assert_failure(429, "busy");
    drop(stream);
    assert_gone(&pids);
    assert_eq!(
        daemon.get("/agent/evidence").json()["entries"],
        before,
        "what was given up is not stored"
    );
    wait_for("the end of the first request", || {
        daemon.get("/status").json()["status"] == "ok"
    });
    let _stream = ask(&daemon);
    started(8);
    daemon.terminate();
    daemon.wait();
    assert_gone(&pids);
}

#[test]
fn what_ended_before_its_client_left_counts_for_the_next_request() {
    use std::io::Write;

    let folder = product();
    let fake = Fake::new();
    let daemon = fake.daemon(folder.path(), &[]);
    fake.install(&daemon);
    let notes = fake.folder.path().join("notes");
    let sound: Vec<String> = TOOLS
        .iter()
        .map(|tool| fs::read_to_string(Fake::program(&daemon, tool)).unwrap())
        .collect();
    // Each tool notes its process when it starts.
    let write = |tool: &str, text: &str| {
        let noting = format!("#!/bin/sh\necho {tool} $$ >> '{}'\n", notes.display());
        script(&Fake::program(&daemon, tool), &text.replacen("#!/bin/sh\n", &noting, 1));
    };
    let counts = || -> Vec<usize> {
        let text = fs::read_to_string(&notes).unwrap_or_default();
        let count = |tool: &&str| {
            text.lines()
                .filter(|line| line.starts_with(&format!("{tool} ")))
                .count()
        };
        TOOLS.iter().map(count).collect()
    };
    for (tool, text) in TOOLS.iter().zip(&sound).skip(1) {
        write(tool, text);
    }
    // The client leaves while semgrep runs and the others have ended. Whether the daemon has read their reports by then is a matter of
    // milliseconds, so the next round tries again.
    wait_for("a request that needs semgrep only", || {
        write("semgrep", "#!/bin/sh\nexec sleep 1000\n");
        let before = counts();
        let body = r#"{"path": "."}"#;
        let mut stream = daemon.connect();
        write!(stream, "POST /scan/tier2 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        wait_for("the start of the tools", || {
            counts().iter().zip(&before).all(|(now, before)| now > before)
        });
        let quick = fs::read_to_string(&notes).unwrap();
        for line in quick.lines().filter(|line| !line.starts_with("semgrep ")) {
            let pid = line.rsplit(' ').next().unwrap();
            wait_for("the end of a quick tool", || {
                !Path::new(&format!("/proc/{pid}")).exists()
            });
        }
        drop(stream);
        wait_for("the end of the first request", || {
            daemon.post("/tools/update", "{}").status == 200
        });
        write("semgrep", &sound[0]);
        let result = scan(&daemon);
        for tool in TOOLS {
            let record = named(&result, tool);
            assert_eq!(record["status"], "ran", "{tool}: {result}");
            assert!(record["findings"].as_u64().unwrap() > 0, "{tool}: {result}");
        }
        let more: Vec<usize> = counts().iter().zip(&before).map(|(now, before)| now - before).collect();
        more == [2, 1, 1, 1]
    });
    // They count once: the request after that runs every tool, and one that was removed is missing.
    let before = counts();
    fs::remove_file(Fake::program(&daemon, "bandit")).unwrap();
    let result = scan(&daemon);
    assert_eq!(named(&result, "bandit")["status"], "missing", "{result}");
    let more: Vec<usize> = counts().iter().zip(&before).map(|(now, before)| now - before).collect();
    assert_eq!(more, [1, 0, 1, 1], "semgrep, bandit, detect-secrets, modelscan");
}

#[test]
fn tools_see_the_files_of_the_scan_and_nothing_else() {
    let folder = product();
    let outside = project("//- outside.py\nOUTSIDE = 'eval('\n");
    write_project(
        folder.path(),
        "//- .gitignore\nignored.py\n//- ignored.py\nIGNORED = 1\n//- .bandit\n[bandit]\nskips = B307\n//- pyproject.toml\n[tool.bandit]\nskips = ['B307']\n//- .semgrepignore\n*\n//- .semgrep.yml\nrules: []\n//- setup.cfg\n[bandit]\nskip = B307\n",
    );
    symlink(outside.path().join("outside.py"), folder.path().join("linked.py")).unwrap();
    let fake = Fake::new();
    let daemon = fake.daemon(
        folder.path(),
        &[
            ("HTTPS_PROXY", "http://proxy.example:1"),
            ("BANDIT_CONFIG", "x"),
            ("OPENAI_API_KEY", "sk-of-the-user"),
        ],
    );
    fake.install(&daemon);
    let seen = fake.folder.path().join("seen");
    let program = Fake::program(&daemon, "bandit");
    let sound = fs::read_to_string(&program).unwrap();
    let spy = format!(
        "#!/bin/sh\nfor dir; do :; done\n{{ ls -la \"$dir\"; cat \"$dir\"/*; pwd; env; }} > '{}'\n",
        seen.display()
    );
    script(&program, &sound.replace("#!/bin/sh\n", &spy));
    let result = scan(&daemon);
    assert_eq!(
        named(&result, "bandit")["status"],
        "ran",
        "{}",
        named(&result, "bandit")
    );
    let seen = fs::read_to_string(&seen).unwrap();
    for absent in [
        "IGNORED",
        "OUTSIDE",
        " .bandit\n",
        ".semgrepignore",
        "pyproject.toml",
        "proxy.example",
        "BANDIT_CONFIG",
        "sk-of-the-user",
    ] {
        assert!(!seen.contains(absent), "{absent}: {seen}");
    }
    assert!(seen.contains("client.chat.completions.create"), "{seen}");
    assert!(
        !seen.contains(&*folder.path().to_string_lossy()),
        "no path leads into the project: {seen}"
    );
}

#[test]
fn commands_show_and_install_the_tools() {
    let folder = product();
    let shown = run(folder.path(), &["tools"]);
    assert!(shown.status.success());
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(
        text.contains("uv: the setting UV names no program") && text.contains("semgrep"),
        "{text}"
    );
    let refused = run(folder.path(), &["tools", "update"]);
    assert_eq!(refused.status.code(), Some(2));
    let refused = run(folder.path(), &["scan", ".", "--tier2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("pip install uv"));
    let fake = Fake::new();
    {
        let daemon = fake.daemon(folder.path(), &[]);
        fake.write_tools(&daemon);
    }
    let command = |arguments: &[&str]| {
        binary()
            .args(arguments)
            .current_dir(folder.path())
            .env("ENGINE_DATA_DIR", fake.data.path())
            .env("UV", fake.folder.path().join("uv"))
            .output()
            .unwrap()
    };
    let updated = command(&["tools", "update"]);
    assert!(updated.status.success(), "{updated:?}");
    let scanned = command(&["scan", ".", "--tier2", "--format", "json", "--no-state"]);
    assert!(scanned.status.success(), "{scanned:?}");
    let result: Value = serde_json::from_slice(&scanned.stdout).unwrap();
    assert!(
        result["tools"]
            .as_array()
            .unwrap()
            .iter()
            .all(|tool| tool["status"] == "ran"),
        "{}",
        result["tools"]
    );
    assert!(!folder.path().join(".compliance").join("state.db").exists());
    // A tool that did not do its work is no pass.
    let daemon = fake.daemon(folder.path(), &[]);
    fs::remove_file(Fake::program(&daemon, "bandit")).unwrap();
    drop(daemon);
    let quiet = project("//- a.py\nprint(1)\n");
    let checked = binary()
        .args(["scan", ".", "--tier2", "--no-state", "--fail-on", "critical"])
        .current_dir(quiet.path())
        .env("ENGINE_DATA_DIR", fake.data.path())
        .env("UV", fake.folder.path().join("uv"))
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(3), "{checked:?}");
}

/// Installs the real tools and runs them. Needs uv on PATH and the network.
#[test]
#[ignore = "needs uv and the network; run by `cargo xtask slow`"]
fn real_tools_run_and_find() {
    let folder = product();
    let data = tempfile::tempdir().unwrap();
    let mut command = binary();
    command
        .current_dir(folder.path())
        .args(["--port", "0"])
        .env("ENGINE_DATA_DIR", data.path())
        .env_remove("UV");
    let daemon = Daemon::spawn(command);
    let reply = daemon.post("/tools/update", "{}");
    assert_eq!(reply.status, 200, "{}", reply.body);
    for tool in TOOLS {
        assert_eq!(named(&reply.json(), tool)["update"], "installed", "{}", reply.body);
    }
    let result = scan(&daemon);
    for tool in TOOLS {
        let record = named(&result, tool);
        assert_eq!(record["status"], "ran", "{record}");
        assert!(record["findings"].as_u64().unwrap() > 0, "{record}");
    }
    let text = result.to_string();
    assert!(!text.contains(&key()), "the key is masked");
}
