//! The use cases over real folders.

use std::path::Path;

use engine_model::{Applicability, ErrorCode};

use super::*;

mod analysis;
mod answers;
mod incremental;
mod mutated;

pub(crate) fn engine(dir: &Path) -> Engine {
    Engine::start(Options {
        working_dir: dir.to_owned(),
        project: None,
        read_only: false,
        clock: Clock {
            now: || Timestamp::from_second(1_795_132_800).unwrap(),
            new_id: || {
                static NEXT: AtomicU64 = AtomicU64::new(1);
                format!("00000000-0000-4000-8000-{:012}", NEXT.fetch_add(1, Ordering::Relaxed))
            },
        },
        signing: Signing {
            data_dir: Some(dir.join(".compliance/private/user")),
            key: None,
        },
    })
    .unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a test lays out its own project")]
pub(crate) fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) const CHAT: &str = "from fastapi import FastAPI\nfrom openai import OpenAI\n\napp = FastAPI()\nclient = OpenAI()\n\n\n@app.post(\"/chat\")\ndef chat(message: str):\n    answer = client.responses.create(model=\"gpt-4.1-2025-04-14\", input=message)\n    return {\"answer\": answer.output_text}\n";

/// The page that shows what [`CHAT`] answers, and says nowhere who does.
pub(crate) const PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<head><title>Desk</title></head>\n<body><h1>Ask our desk</h1><form><label>Question <input name=\"message\"></label></form></body>\n</html>\n";

#[test]
fn a_scan_is_kept_and_compared_with() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", "print('hello')\n");
    let first = engine(dir.path());
    let missing = first.scan_diff(&ScanDiffRequest {
        path: Some(".".to_owned()),
        ..ScanDiffRequest::default()
    });
    assert_eq!(missing.unwrap_err().code, ErrorCode::NoScanYet);
    let scan = first.scan(&ScanRequest::of(".")).unwrap();
    assert_eq!(scan.applicability, Applicability::NoAiFound);
    drop(first);

    write(dir.path(), "app.py", CHAT);
    write(dir.path(), "templates/index.html", PAGE);
    let second = engine(dir.path());
    let request = ScanDiffRequest {
        path: Some(".".to_owned()),
        markdown: Some(true),
        ..ScanDiffRequest::default()
    };
    let diff = second.scan_diff(&request).unwrap();
    assert!(diff.has_regression && !diff.added.is_empty(), "{diff:?}");
    assert!(diff.markdown.unwrap().contains("app.py:10"));
}

#[test]
fn events_tell_of_a_scan_its_score_and_the_gate() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", CHAT);
    write(dir.path(), "templates/index.html", PAGE);
    let engine = engine(dir.path());
    engine.scan(&ScanRequest::of(".")).unwrap();
    let names: Vec<&str> = engine
        .events()
        .subscribe(Some(0))
        .replay
        .iter()
        .map(|event| event.body.name())
        .collect();
    assert_eq!(
        names,
        [
            "scan.complete",
            "score.update",
            "gate.fail",
            "evidence.appended",
            "evidence.appended"
        ]
    );
    let status = engine.status();
    assert!(status.last_scan.is_some() && status.total_findings > 0, "{status:?}");
}

#[test]
fn bad_paths_are_refused_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "file.txt", "x");
    let engine = engine(dir.path());
    for path in ["", "nowhere", "file.txt"] {
        let failure = engine.scan(&ScanRequest::of(path)).unwrap_err();
        assert_eq!(
            (failure.code, failure.field.as_deref()),
            (ErrorCode::InvalidPath, Some("path")),
            "{path}"
        );
    }
    let request = ScanDiffRequest {
        path: Some(".".to_owned()),
        changed_files: Some(vec!["../x".to_owned()]),
        ..ScanDiffRequest::default()
    };
    assert_eq!(
        engine.scan_diff(&request).unwrap_err().field.as_deref(),
        Some("changedFiles.0")
    );
}

#[test]
fn a_suppression_with_owner_and_reason_sets_a_finding_aside() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", CHAT);
    write(dir.path(), "templates/index.html", PAGE);
    let engine = engine(dir.path());
    let scan = engine.scan(&ScanRequest::of(".")).unwrap();
    let gap = scan
        .findings
        .iter()
        .find(|f| f.check_id == "l4-undisclosed-interaction")
        .unwrap();
    assert!(gap.suppressed.is_none());
    write(
        dir.path(),
        ".compliance/suppressions.toml",
        "[[suppression]]\ncheck = \"l4-undisclosed-interaction\"\nkind = \"false_positive\"\nreason = \"told on the phone\"\nowner = \"A. Person\"\n",
    );
    let again = engine.scan(&ScanRequest::of(".")).unwrap();
    let gap = again
        .findings
        .iter()
        .find(|f| f.check_id == "l4-undisclosed-interaction")
        .unwrap();
    assert_eq!(gap.suppressed.as_ref().map(|s| s.kind.as_str()), Some("false_positive"));
    assert!(again.score.compliance >= scan.score.compliance);
}
