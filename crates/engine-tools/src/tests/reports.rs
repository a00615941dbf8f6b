//! Reports of the tools, whole and broken. The whole ones were written by the pinned versions.

use engine_model::Severity;

use crate::parse::{accepts, output};
use crate::{Tool, ToolFinding, View, ViewLimits};

fn view() -> View {
    let mut view = View::new(ViewLimits::default()).unwrap();
    view.add("app/main.py", b"import os\nos.system(x)\n").unwrap();
    view.add("app/broken.py", b"def f(:\n").unwrap();
    view.add("web/a.js", b"eval(x)\n").unwrap();
    view.add("models/a.pkl", b"cposix\nsystem\n(S'x'\0tR.").unwrap();
    view
}

fn read(tool: &str, report: &str, code: i32) -> Result<(Vec<ToolFinding>, Vec<String>), String> {
    let tool = Tool::named(tool).unwrap();
    let view = view();
    if tool.name == "modelscan" {
        let folder = view.folder().join(tool.name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("report.json"), report).unwrap();
    }
    output(tool, &view, report.as_bytes(), code).map(|parsed| (parsed.findings, parsed.notes))
}

const BANDIT: &str = r#"{"errors":[{"filename":"/tmp/v/files/f000001.py","reason":"syntax error while parsing AST from file"}],
"generated_at":"2026-11-29T01:23:01Z","metrics":{"/tmp/v/files/f000000.py":{"loc":2},"/tmp/v/files/f000001.py":{"loc":1},"_totals":{"loc":3}},
"results":[{"code":"2 os.system(x)\n","col_offset":0,"end_col_offset":12,"filename":"/tmp/v/files/f000000.py","issue_confidence":"HIGH",
"issue_cwe":{"id":78,"link":"https://cwe.mitre.org/data/definitions/78.html"},"issue_severity":"LOW","issue_text":"t","line_number":2,"line_range":[2],
"more_info":"m","test_id":"B605","test_name":"start_process_with_a_shell"}]}"#;

const SEMGREP: &str = r#"{"version":"1.185.0","results":[{"check_id":"tmp.v.model-output-run-js","path":"/tmp/v/files/f000002.js",
"start":{"line":1,"col":6,"offset":5},"end":{"line":1,"col":7,"offset":6},"extra":{"message":"m","metadata":{},"severity":"ERROR",
"fingerprint":"requires login","lines":"requires login","validation_state":"NO_VALIDATOR","engine_kind":"OSS"}}],"errors":[],
"paths":{"scanned":["/tmp/v/files/f000000.py","/tmp/v/files/f000001.py","/tmp/v/files/f000002.js"]},"skipped_rules":[]}"#;

const SECRETS: &str = r#"{"version":"1.5.0","plugins_used":[{"name":"AWSKeyDetector"}],"filters_used":[],"results":{"f000000.py":[
{"type":"AWS Access Key","filename":"/tmp/v/files/f000000.py","hashed_secret":"049ef97a991813ba80315268b00f2a92eb597ec6","is_verified":false,"line_number":1}]},
"generated_at":"2026-11-29T01:23:05Z"}"#;

const MODELS: &str = r#"{"summary":{"total_issues_by_severity":{"LOW":0,"MEDIUM":0,"HIGH":0,"CRITICAL":1},"total_issues":1,"input_path":"/tmp/v/models",
"absolute_path":"/tmp/v/models","modelscan_version":"0.8.8","timestamp":"2026-11-29T01:23:09","scanned":{"total_scanned":1,"scanned_files":["f000003.pkl"]},
"skipped":{"total_skipped":0,"skipped_files":[]}},"issues":[{"description":"Use of unsafe operator 'system' from module 'posix'","operator":"system",
"module":"posix","source":"f000003.pkl","scanner":"modelscan.scanners.PickleUnsafeOpScan","severity":"CRITICAL"}],"errors":[]}"#;

#[test]
fn whole_reports_are_read() {
    let (found, notes) = read("bandit", BANDIT, 0).unwrap();
    assert_eq!(notes, ["could not read 1 of 2 files: `app/broken.py`"]);
    let expected = ToolFinding {
        file: "app/main.py".to_owned(),
        line: 2,
        column: 1,
        end_line: 2,
        rule: "B605".to_owned(),
        severity: Some(Severity::Low),
        confidence: Some(75),
        detail: None,
    };
    assert_eq!(found, [expected]);
    let (found, notes) = read("semgrep", SEMGREP, 0).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(
        (found[0].file.as_str(), found[0].rule.as_str(), found[0].column),
        ("web/a.js", "model-output-run-js", 6)
    );
    let (found, _) = read("detect-secrets", SECRETS, 0).unwrap();
    assert_eq!(found[0].rule, "aws-access-key");
    assert!(
        !format!("{found:?}").contains("049ef97a"),
        "the digest of the secret is not kept"
    );
    let (found, _) = read("modelscan", MODELS, 1).unwrap();
    assert_eq!(
        (found[0].file.as_str(), found[0].detail.as_deref()),
        ("models/a.pkl", Some("posix.system"))
    );
}

#[test]
fn cut_reports_are_refused_at_every_length() {
    for (tool, report, code) in [
        ("bandit", BANDIT, 0),
        ("semgrep", SEMGREP, 0),
        ("detect-secrets", SECRETS, 0),
        ("modelscan", MODELS, 1),
    ] {
        for length in (0..report.len()).step_by(7) {
            assert!(read(tool, &report[..length], code).is_err(), "{tool}: {length} bytes");
        }
    }
}

#[test]
fn reports_that_cover_nothing_are_not_clean() {
    for tool in ["bandit", "semgrep", "detect-secrets", "modelscan"] {
        for report in [
            "{}",
            "[]",
            "null",
            r#"{"results":[]}"#,
            r#"{"version":"1","results":[],"errors":[],"metrics":{"_totals":{}},"paths":{"scanned":[]}}"#,
            r#"{"version":"1.5.0","plugins_used":[],"results":{}}"#,
            r#"{"summary":{"modelscan_version":"0.8.8","scanned":{"total_scanned":0}},"issues":[],"errors":[]}"#,
        ] {
            assert!(read(tool, report, 0).is_err(), "{tool}: {report}");
        }
    }
}

#[test]
fn reports_about_other_files_or_lines_are_refused() {
    for (tool, report, code) in [
        ("bandit", BANDIT, 0),
        ("semgrep", SEMGREP, 0),
        ("detect-secrets", SECRETS, 0),
    ] {
        for (from, to) in [
            ("\"line_number\":2", "\"line_number\":900"),
            ("\"line_number\":1", "\"line_number\":0"),
            ("\"start\":{\"line\":1", "\"start\":{\"line\":77"),
        ] {
            let changed = report.replace(from, to);
            if changed != report {
                assert!(read(tool, &changed, code).is_err(), "{tool}: {to}");
            }
        }
    }
    assert!(
        read(
            "detect-secrets",
            &SECRETS.replace("\"f000000.py\":[", "\"../../etc/passwd\":["),
            0
        )
        .is_err()
    );
    assert!(
        read("modelscan", MODELS, 0).is_err(),
        "issues and an exit code that says there are none"
    );
}

/// A tool can put anything where its report belongs. None of it is waited for, and nothing behind a link is read.
#[cfg(unix)]
#[test]
fn only_a_regular_file_of_a_tool_is_its_report() {
    use std::os::unix::fs::symlink;
    use std::path::Path;

    type Put<'p> = &'p dyn Fn(&Path);

    let elsewhere = tempfile::tempdir().unwrap();
    let whole = elsewhere.path().join("whole.json");
    std::fs::write(&whole, MODELS).unwrap();
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    let ways: [(&str, Put<'_>); 6] = [
        ("a pipe", &pipe),
        ("a link to a report", &|path| symlink(&whole, path).unwrap()),
        ("a link to a device", &|path| symlink("/dev/zero", path).unwrap()),
        ("a link to nothing", &|path| symlink("none", path).unwrap()),
        ("a folder", &|path| std::fs::create_dir(path).unwrap()),
        ("a file that is too long", &|path| {
            let file = std::fs::File::create(path).unwrap();
            file.set_len((64 << 20) + 1).unwrap();
        }),
    ];
    let tool = Tool::named("modelscan").unwrap();
    for (what, put) in ways {
        for code in [0, 1, 3] {
            let view = view();
            let folder = view.folder().join(tool.name);
            std::fs::create_dir(&folder).unwrap();
            put(&folder.join("report.json"));
            let why = output(tool, &view, b"", code).expect_err(what);
            assert!(why.starts_with("the report "), "{what}: {why}");
        }
    }
}

#[test]
fn counts_of_a_report_cannot_overflow() {
    let total = MODELS.replace("\"total_scanned\":1", &format!("\"total_scanned\":{}", u64::MAX));
    let skipped = total.replace(
        "\"skipped_files\":[]",
        "\"skipped_files\":[{\"category\":\"SCAN_NOT_SUPPORTED\",\"source\":\"f000000.py\"}]",
    );
    let (found, notes) = read("modelscan", &skipped, 1).unwrap();
    assert_eq!((found.len(), notes.len()), (1, 0));
}

#[test]
fn exit_codes_say_whether_a_tool_did_its_work() {
    let accepted = |tool: &str, code| accepts(Tool::named(tool).unwrap(), code);
    for tool in ["bandit", "semgrep", "detect-secrets"] {
        assert!(accepted(tool, 0) && !accepted(tool, 1) && !accepted(tool, 2), "{tool}");
    }
    assert!(
        accepted("modelscan", 1) && accepted("modelscan", 3) && !accepted("modelscan", 2) && !accepted("modelscan", 4)
    );
}
