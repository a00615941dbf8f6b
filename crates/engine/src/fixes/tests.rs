//! Every strategy over a real folder: what a preview says of a fix is what the scan after it says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use engine_fixer::{FixExample, STRATEGIES, Strategy};
use engine_model::{FindingType, MemoryTree, ScanResult, fixture};
use serde_json::json;

use super::*;
use crate::tests::{engine, write};
use crate::{AnswerRequest, ScanRequest};

/// Strategies that are left out: the first shows only in a git repository, and the first examples of the others are reported only where a
/// scan states the class of risk, which a preview cannot.
const LEFT_OUT: [&str; 4] = [
    "ignored-secrets-file",
    "page-decision-notice",
    "python-interaction-log",
    "csharp-interaction-log",
];

/// Single examples that are left out, by strategy and number, for the same reason.
const EXAMPLES_LEFT_OUT: [(&str, usize); 3] = [
    ("script-interaction-log", 2),
    ("java-interaction-log", 2),
    ("php-interaction-log", 2),
];

fn scan(engine: &Engine) -> ScanResult {
    engine.scan(&ScanRequest::of(".")).unwrap()
}

fn open(scan: &ScanResult) -> BTreeSet<String> {
    let open = scan.findings.iter().filter(|finding| is_open(finding));
    // A notice lists the open questions of a draft.
    let counts = |finding: &&Finding| {
        finding.kind != FindingType::Info
            || finding
                .file
                .as_deref()
                .is_none_or(|file| !file.starts_with(".compliance/documents/"))
    };
    open.filter(counts).map(|finding| finding.id.clone()).collect()
}

#[expect(clippy::disallowed_methods, reason = "a test reads what a person would read")]
fn bytes(dir: &Path, tree: &MemoryTree) -> BTreeMap<String, Option<Vec<u8>>> {
    tree.files()
        .map(|file| (file.path.to_string(), std::fs::read(dir.join(&*file.path)).ok()))
        .collect()
}

/// The example as a project, where wanted with a use of Annex III.
fn laid_out(dir: &Path, tree: &MemoryTree, high: bool) -> Engine {
    for file in tree.files() {
        write(dir, &file.path, &String::from_utf8_lossy(&file.bytes));
    }
    let engine = engine(dir);
    if high {
        let mut answers = serde_json::Map::new();
        for system in scan(&engine).systems {
            answers.insert(format!("{}.annex-iii-employment", system.id), json!("4(a)"));
            answers.insert(format!("{}.annex-iii-exemption", system.id), json!("none"));
        }
        if !answers.is_empty() {
            let request = AnswerRequest {
                path: Some(".".to_owned()),
                answers: serde_json::from_value(json!(answers)).unwrap(),
                by: Some("Ada Example".to_owned()),
                ..AnswerRequest::default()
            };
            engine.answer(&request).unwrap();
        }
    }
    engine
}

fn preview(engine: &Engine) -> FixPreview {
    let request = FixPreviewRequest {
        path: Some(".".to_owned()),
        ..FixPreviewRequest::default()
    };
    engine.preview_fixes(&request, &ScanHooks::default()).unwrap()
}

/// Previews, applies, scans and undoes the fix of a strategy, and then all fixes of the project; says what is wrong with that.
fn wrong_with(strategy: &Strategy, example: &FixExample, high: bool) -> Result<(), String> {
    let tree = fixture(&engine_scan_secrets::expand_examples(&example.before)).map_err(|_| "no tree")?;
    let dir = tempfile::tempdir().unwrap();
    let engine = laid_out(dir.path(), &tree, high);
    let before = scan(&engine);
    let files = bytes(dir.path(), &tree);
    let shown = preview(&engine);
    let fix = shown
        .fixes
        .iter()
        .find(|fix| fix.strategy == strategy.id)
        .ok_or_else(|| format!("no fix; {:?}", shown.unfixed_findings))?;
    let request = FixRequest {
        path: Some(".".to_owned()),
        finding_id: Some(fix.finding_id.clone()),
        ..FixRequest::default()
    };
    let alone = engine
        .preview_fix(&request, &ScanHooks::default())
        .map_err(|why| why.details)?;
    let done = engine
        .apply_fix(&request, &ScanHooks::default())
        .map_err(|why| why.details)?;
    let after = scan(&engine);
    let (was, is) = (open(&before), open(&after));
    if is.contains(&fix.finding_id) == fix.resolves {
        return Err(format!("`resolves` is {} and not true", fix.resolves));
    }
    if let Some(new) = is.iter().find(|id| !was.contains(*id)) {
        return Err(format!(
            "{:?} is new",
            after.findings.iter().find(|finding| finding.id == *new)
        ));
    }
    let impact = tenths(after.score.compliance - before.score.compliance);
    let scores = (done.score_before, done.score_after);
    let told = [alone.score_impact.as_str(), fix.score_impact.as_str()];
    if scores != (before.score.compliance, after.score.compliance)
        || told.iter().any(|told| *told != format!("{impact:+}"))
    {
        return Err(format!("{scores:?} and {told:?} were told, {impact} is true"));
    }
    let undone = engine.undo_fix(
        &UndoRequest {
            path: Some(".".to_owned()),
            id: done.fix_id,
        },
        &ScanHooks::default(),
    );
    match undone {
        Ok(_) if bytes(dir.path(), &tree) == files => {}
        Ok(_) => return Err("undo gave other bytes".to_owned()),
        Err(why) if why.details.contains("secret") => return Ok(()),
        Err(why) => return Err(why.details),
    }
    let request = ApplyAllRequest {
        path: Some(".".to_owned()),
        guided: Some(true),
        ..ApplyAllRequest::default()
    };
    let all = engine
        .apply_all(&request, &|_| {}, &ScanHooks::default())
        .map_err(|why| why.details)?;
    let last = scan(&engine).score.compliance;
    if (shown.projected_score, all.summary.score_after) != (last, last) {
        return Err(format!(
            "{} was projected and {} told, {last} is true",
            shown.projected_score, all.summary.score_after
        ));
    }
    Ok(())
}

fn check_all(examples: usize) {
    let mut wrong = Vec::new();
    for strategy in STRATEGIES.iter().filter(|strategy| !LEFT_OUT.contains(&strategy.id)) {
        for (index, example) in strategy.examples().iter().take(examples).enumerate() {
            if EXAMPLES_LEFT_OUT.contains(&(strategy.id, index + 1)) {
                continue;
            }
            let tried = wrong_with(strategy, example, false);
            let tried = tried.or_else(|why| {
                if why.starts_with("no fix") {
                    wrong_with(strategy, example, true)
                } else {
                    Err(why)
                }
            });
            if let Err(why) = tried {
                wrong.push(format!("{} example {}: {why}", strategy.id, index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
#[ignore = "slow: one example of every strategy as a project on the disk, over a minute"]
fn scan_after_fix_confirms_preview_for_every_strategy() {
    check_all(1);
}

#[test]
#[ignore = "slow: every example of every strategy as a project on the disk"]
fn scan_after_fix_confirms_preview_for_every_example() {
    check_all(usize::MAX);
}

/// A fix that also names the file with the secrets in the list of ignored files changes a file that steers the walk. The scan after it still
/// asks for what the fix was judged by, so nothing is evaluated twice.
#[test]
fn given_a_fix_that_adds_an_ignored_name_when_applied_then_it_is_evaluated_once() {
    let tree = fixture(
        r#"
//- requirements.txt
openai==1.51.0
//- app.py
from openai import OpenAI

client = OpenAI(api_key="sk-proj-9f8e7d6c5b4a39281706f5e4d3c2b1a0")


def ask(text):
    return client.responses.create(model="gpt-5.5", input=text).output_text


if __name__ == "__main__":
    print(ask(input()))
"#,
    )
    .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let engine = laid_out(dir.path(), &tree, false);
    scan(&engine);
    let state = engine.project(".").unwrap();
    assert_eq!(state.evaluations().count(), 1);
    let request = FixRequest {
        check_id: Some("secret-ai-key".to_owned()),
        path: Some(".".to_owned()),
        ..FixRequest::default()
    };
    engine.apply_fix(&request, &ScanHooks::default()).unwrap();
    assert!(dir.path().join(".gitignore").exists());
    assert_eq!(state.evaluations().count(), 2);
}
