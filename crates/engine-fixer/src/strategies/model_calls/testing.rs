//! Fixes one finding of a small tree.

use engine_model::{Date, FindingType, MemoryTree, SourceText, fixture};
use engine_scanner::{Evaluation, Settings, StatedClass, scan_memory};

use crate::tests::NoDrafts;
use crate::{FixInput, plan};

/// Calls without error handling.
pub(in crate::strategies) const FAILURE: &str = "l4-unhandled-model-failure";
/// Calls without a log.
pub(in crate::strategies) const LOG: &str = "l4-unlogged-model-call";

fn today() -> Date {
    Date::constant(2026, 11, 20)
}

fn scan(tree: &MemoryTree) -> Evaluation {
    let settings = Settings {
        risk_class: Some(StatedClass::High),
        ..Settings::on(today())
    };
    scan_memory(tree, &settings)
}

/// The changed files after the fix for the first open finding of a check, or why there is none.
///
/// The finding must be gone after it, and the fix must not be there a second time.
pub(in crate::strategies) fn fixed(files: &str, check: &str) -> Result<String, String> {
    let tree = fixture(files).unwrap();
    let evaluation = scan(&tree);
    let open = |evaluation: &Evaluation| {
        let mut open = evaluation
            .findings
            .iter()
            .filter(|f| f.kind != FindingType::Pass && f.check_id == check);
        open.next().cloned()
    };
    let finding = open(&evaluation).unwrap_or_else(|| panic!("no finding of {check} in:\n{files}"));
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let plan = plan(FixInput {
        finding: &finding,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: today(),
        paths: &paths,
        source: &tree,
        documents: &NoDrafts,
    })
    .map_err(|why| why.to_string())?;
    let mut after = tree.clone();
    let mut out = String::new();
    for change in &plan.files {
        let before = tree.file(&change.path).unwrap().bytes.into_owned();
        let text = String::from_utf8(change.apply(&before).unwrap()).unwrap();
        out.push_str(&text);
        after.insert(change.path.clone(), text);
    }
    let again = open(&scan(&after));
    assert!(
        again.is_none_or(|again| again.id != finding.id),
        "the finding is still there after:\n{out}"
    );
    Ok(out)
}

/// Whether a fix has all of these texts.
pub(in crate::strategies) fn has(fixed: &Result<String, String>, texts: &[&str]) -> bool {
    fixed
        .as_ref()
        .is_ok_and(|fixed| texts.iter().all(|text| fixed.contains(text)))
}
