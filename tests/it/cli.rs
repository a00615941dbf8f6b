//! The command line: exit codes, formats, and what a scan leaves behind.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{CHAT, binary, copy, example, fingerprint, project, run};

fn text(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder, arguments);
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn help_and_version_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = text(folder.path(), &["--help"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for word in [
        "scan",
        "serve",
        "--port",
        "--project",
        "--read-only",
        "--token-file",
        "Exit codes",
    ] {
        assert!(out.contains(word), "{word}: {out}");
    }
    let (code, out, _) = text(folder.path(), &["--version"]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with(&format!("engine-server {} (regulation ", env!("CARGO_PKG_VERSION"))),
        "{out}"
    );
    let (code, out, _) = text(folder.path(), &["scan", "--help"]);
    assert_eq!(code, Some(0));
    for word in [
        "--format",
        "--fail-on",
        "--as-of",
        "--role",
        "--output",
        "--no-state",
        "sarif",
    ] {
        assert!(out.contains(word), "{word}: {out}");
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let done = std::process::Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_project_is_compared_with_a_revision_without_a_checkout() {
    let project = project(CHAT);
    let folder = project.path();
    let chat = fs::read_to_string(folder.join("app/main.py")).unwrap();
    fs::write(folder.join("app/main.py"), "print('hello')\n").unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "without AI"]);
    fs::write(folder.join("app/main.py"), &chat).unwrap();

    let at = ["--as-of", "2026-11-20"];
    let (code, out, err) = text(
        folder,
        &[&["scan", ".", "--diff", "HEAD", "--fail-on", "low"], &at[..]].concat(),
    );
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains("app/main.py:"), "{out}");
    assert!(!folder.join(".compliance").exists(), "nothing is kept");
    let (_, out, _) = text(
        folder,
        &[&["scan", ".", "--diff", "main", "--format", "json"], &at[..]].concat(),
    );
    let diff: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(diff["baseline"].as_str().unwrap().len(), 40);
    assert!(!diff["added"].as_array().unwrap().is_empty() && diff["removed"].as_array().unwrap().is_empty());

    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "with AI"]);
    let (code, out, _) = text(
        folder,
        &[&["scan", ".", "--diff", "HEAD", "--fail-on", "low"], &at[..]].concat(),
    );
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("0 new, 0 resolved, 0 changed"), "{out}");
    // The other way round the gap is resolved.
    fs::remove_file(folder.join("app/main.py")).unwrap();
    let (_, out, _) = text(
        folder,
        &[&["scan", ".", "--diff", "HEAD", "--format", "json"], &at[..]].concat(),
    );
    let diff: Value = serde_json::from_str(&out).unwrap();
    assert!(!diff["removed"].as_array().unwrap().is_empty() && diff["added"].as_array().unwrap().is_empty());

    let (code, _, err) = text(folder, &["scan", ".", "--diff", "nowhere"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("names no commit") && err.contains("main"), "{err}");
    let (code, out, err) = text(
        folder,
        &[&["scan", ".", "--diff", "HEAD", "--format", "sarif"], &at[..]].concat(),
    );
    assert_eq!(code, Some(0), "{err}");
    let log: Value = serde_json::from_str(&out).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(
        results.len() > 1
            && results
                .iter()
                .filter(|result| result["ruleId"] != "not-assessed")
                .all(|result| result["baselineState"] == "absent"),
        "{out}"
    );
    let (code, _, err) = text(folder, &["scan", ".", "--diff", "HEAD", "--format", "junit"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("sarif"), "{err}");
}

#[test]
fn bad_arguments_and_bad_paths_exit_with_two() {
    let project = project(CHAT);
    for arguments in [
        &["--prot", "1"][..],
        &["--port", "70000"],
        &["scan"],
        &["scan", ".", "--format", "xml"],
        &["scan", ".", "--fail-on", "hihg"],
        &["scan", ".", "--as-of", "2027-13-01"],
        &["scan", ".", "--role", "importer"],
        &["scan", "no-such-folder"],
        &["scan", "requirements.txt"],
        &["scan", ".", "--output", "no/such/folder/out.txt"],
        &["--token-file", "no-such-file"],
        &["--token-file", "requirements.txt"],
        &["--project", "no-such-folder"],
    ] {
        let (code, _, err) = text(project.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(!err.is_empty() && !err.contains("panicked"), "{arguments:?}: {err}");
    }
}

#[test]
fn findings_at_or_over_the_threshold_exit_with_one() {
    let project = project(CHAT);
    let (code, out, _) = text(project.path(), &["scan", ".", "--format", "json", "--no-state"]);
    assert_eq!(code, Some(0), "without a threshold findings are no failure");
    let scan: Value = serde_json::from_str(&out).unwrap();
    let ranks = ["info", "low", "medium", "high", "critical"];
    let worst = scan["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["type"] == "fail" && finding["suppressed"].is_null())
        .filter_map(|finding| ranks.iter().position(|rank| finding["severity"] == **rank))
        .max()
        .expect("the project has gaps");
    for (rank, name) in ranks.iter().enumerate() {
        let (code, _, _) = text(project.path(), &["scan", ".", "--fail-on", name, "--no-state"]);
        assert_eq!(code, Some(i32::from(rank <= worst)), "--fail-on {name}");
    }
}

#[test]
fn every_format_is_what_it_says() {
    let project = project(CHAT);
    let (_, out, _) = text(project.path(), &["scan", ".", "--no-state"]);
    assert!(!out.contains('\x1b'), "no colours where there is no terminal");
    assert!(out.contains("app/main.py"), "{out}");
    let (_, out, _) = text(project.path(), &["scan", ".", "--format", "markdown", "--no-state"]);
    assert!(out.contains('#') && out.contains("app/main.py"), "{out}");
    let (_, out, _) = text(project.path(), &["scan", ".", "--format", "sarif", "--no-state"]);
    let sarif: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());
    let (code, out, _) = text(
        project.path(),
        &["scan", ".", "--format", "json", "--output", "result.json", "--no-state"],
    );
    assert_eq!((code, out.as_str()), (Some(0), ""));
    let scan: Value = serde_json::from_slice(&fs::read(project.path().join("result.json")).unwrap()).unwrap();
    assert!(scan["findings"].is_array());
    let (_, out, _) = text(project.path(), &["scan", ".", "--format", "junit", "--no-state"]);
    assert!(
        out.starts_with("<?xml") && out.contains("<failure type=\"gap\""),
        "{out}"
    );
    let (_, out, _) = text(project.path(), &["scan", ".", "--format", "code-quality", "--no-state"]);
    let issues: Value = serde_json::from_str(&out).unwrap();
    assert!(
        issues
            .as_array()
            .unwrap()
            .iter()
            .all(|issue| issue["fingerprint"].is_string())
    );
    assert!(!issues.as_array().unwrap().is_empty());
}

#[test]
fn one_scan_writes_several_reports_and_still_tells_findings_from_errors() {
    let project = project(CHAT);
    let (code, out, err) = text(
        project.path(),
        &[
            "scan",
            ".",
            "--no-state",
            "--fail-on",
            "info",
            "--report",
            "sarif=out.sarif",
            "--report",
            "junit=out.xml",
            "--report",
            "code-quality=out.json",
        ],
    );
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(out.contains("app/main.py"), "the text is still printed");
    let written = |name: &str| fs::read_to_string(project.path().join(name)).unwrap();
    let sarif: Value = serde_json::from_str(&written("out.sarif")).unwrap();
    let issues: Value = serde_json::from_str(&written("out.json")).unwrap();
    let gaps = |value: &Value| value.as_array().unwrap().len();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(
        gaps(&issues),
        results.iter().filter(|result| result["kind"] == "fail").count(),
        "both formats come from one scan"
    );
    assert!(written("out.xml").contains("<testsuites"));
    let (code, _, err) = text(
        project.path(),
        &[
            "scan",
            ".",
            "--no-state",
            "--fail-on",
            "info",
            "--report",
            "sarif=no/such/out.sarif",
        ],
    );
    assert_eq!(
        code,
        Some(2),
        "a report that cannot be written is an error, not a finding"
    );
    assert!(err.contains("no/such/out.sarif"), "{err}");
}

/// The commands in the files for pipelines, as words.
fn pipeline_commands(file: &str) -> Vec<Vec<String>> {
    let joined = file.replace("\\\n", " ");
    joined
        .lines()
        .filter_map(|line| line.find("engine-server scan").map(|at| &line[at..]))
        .map(|command| {
            command
                .split_whitespace()
                .skip(1)
                .map(|word| word.trim_matches('"').to_owned())
                .collect()
        })
        .collect()
}

#[test]
fn the_commands_in_the_files_for_pipelines_run() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci");
    let mut seen = 0;
    for entry in fs::read_dir(docs).unwrap() {
        let file = entry.unwrap().path();
        let content = fs::read_to_string(&file).unwrap();
        let commands = pipeline_commands(&content);
        assert!(!commands.is_empty(), "{}", file.display());
        for command in commands {
            let project = project(CHAT);
            let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
            let (code, _, err) = text(project.path(), &arguments);
            assert!(matches!(code, Some(0 | 1)), "{}: {arguments:?}: {err}", file.display());
            seen += 1;
        }
    }
    assert!(seen >= 3);
}

#[test]
fn the_date_and_the_role_are_passed_on() {
    let project = project(CHAT);
    let (_, out, _) = text(
        project.path(),
        &[
            "scan",
            ".",
            "--format",
            "json",
            "--as-of",
            "2025-01-01",
            "--role",
            "deployer",
            "--no-state",
        ],
    );
    let scan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(scan["asOf"], "2025-01-01");
    let systems = scan["systems"].as_array().unwrap();
    assert!(
        !systems.is_empty() && systems.iter().all(|system| system["role"] == "deployer"),
        "{systems:?}"
    );
}

/// The findings of a project as bytes, on a date that does not move.
fn findings(folder: &Path) -> String {
    let (code, out, err) = text(folder, &["scan", ".", "--format", "json", "--as-of", "2027-01-01"]);
    assert_eq!(code, Some(0), "{err}");
    let scan: Value = serde_json::from_str(&out).unwrap();
    assert!(!scan["findings"].as_array().unwrap().is_empty());
    serde_json::to_string_pretty(&scan["findings"]).unwrap()
}

/// Says where two texts part, and not all of both.
fn assert_same(left: &str, right: &str) {
    let line = left.lines().zip(right.lines()).find(|(left, right)| left != right);
    assert!(left == right, "the first lines that differ: {line:#?}");
}

#[test]
fn the_same_tree_gives_the_same_bytes_twice_and_on_another_path() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (first, second) = (first.path().join("helpdesk"), second.path().join("deeper/helpdesk"));
    copy(example("helpdesk").path(), &first);
    copy(&first, &second);
    let once = findings(&first);
    assert_same(&once, &findings(&first));
    assert_same(&once, &findings(&second));
}

#[test]
fn the_same_tree_gives_the_same_bytes_in_a_folder_of_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("helpdesk"), folder.path().join("checkout-17"));
    copy(example("helpdesk").path(), &first);
    copy(&first, &second);
    assert_same(&findings(&first), &findings(&second));
}

#[test]
fn a_scan_changes_nothing_outside_its_own_folder() {
    for name in ["helpdesk", "no-ai"] {
        let project = example(name);
        let before = fingerprint(project.path());
        assert_eq!(text(project.path(), &["scan", "."]).0, Some(0));
        assert_eq!(before, fingerprint(project.path()), "{name}");
        assert!(project.path().join(".compliance/.gitignore").is_file());
    }
}

#[test]
fn without_state_nothing_is_left_behind() {
    let project = project(CHAT);
    assert_eq!(text(project.path(), &["scan", ".", "--no-state"]).0, Some(0));
    assert!(!project.path().join(".compliance").exists());
}

#[test]
fn a_project_without_ai_has_no_obligations_and_no_agents() {
    let project = example("no-ai");
    let (_, out, _) = text(project.path(), &["scan", ".", "--format", "json", "--no-state"]);
    let scan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(scan["applicability"], "no_ai_found");
    assert_eq!(
        (&scan["obligations"], &scan["agents"]),
        (&Value::Array(vec![]), &Value::Array(vec![]))
    );
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let project = example("helpdesk");
    let mut child = binary()
        .args(["scan", ".", "--format", "json", "--no-state"])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!((child.wait().unwrap().code(), told.as_str()), (Some(0), ""));
}
