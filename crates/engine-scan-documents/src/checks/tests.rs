//! The documented examples of the checks, run against the documents of their trees.

use engine_model::{CheckContext, Date, EntryPoint, FileInfo, Inventory, Outcome, Report, SourceFile, System, fixture};

use super::CHECKS;
use crate::{join, read, wants};

/// A system as the scanner would make it of an example's code.
fn system() -> System {
    System {
        id: "app".to_owned(),
        name: "app".to_owned(),
        scope: String::new(),
        entry_points: Vec::<EntryPoint>::new(),
        providers: Vec::new(),
        models: Vec::new(),
        role: "unknown".to_owned(),
        role_basis: String::new(),
        risk_class: "unknown".to_owned(),
        risk_basis: String::new(),
        questions: Vec::new(),
        obligations: Vec::new(),
        files: vec!["app.py".to_owned()],
        ..System::default()
    }
}

fn run(check: &engine_model::Check, tree: &str, systems: &[System]) -> Vec<engine_model::Observation> {
    let tree = fixture(tree).unwrap();
    let mut facts = Vec::new();
    for file in tree.files() {
        if wants(&file.path, file.language, file.zone) {
            let SourceFile {
                path,
                bytes,
                digest,
                language,
                zone,
            } = file.clone();
            let info = FileInfo {
                path: path.into_owned(),
                size: bytes.len() as u64,
                digest,
                language,
                zone,
            };
            facts.push((info, read(&file)));
        }
    }
    let documents = join(&facts);
    let inventory = Inventory::default();
    let context = CheckContext {
        as_of: Date::constant(2026, 11, 20),
        files: &[],
        manifests: &[],
        inventory: &inventory,
        systems,
        documents: &documents,
        artefacts: &[],
        secrets: &[],
        statements: &[],
        unimported: &std::collections::BTreeSet::new(),
    };
    let mut report = Report::default();
    (check.run)(&context, &mut report);
    report.into_observations()
}

#[test]
fn documented_examples_match_the_check() {
    for check in CHECKS {
        let examples = check.examples();
        assert!(
            examples.iter().any(|example| example.reported) && examples.iter().any(|example| !example.reported),
            "{}",
            check.id
        );
        for (index, example) in examples.iter().enumerate() {
            let observations = run(check, &example.tree, &[system()]);
            let gaps: Vec<_> = observations
                .iter()
                .filter(|found| found.outcome == Outcome::Fail)
                .collect();
            assert_eq!(
                !gaps.is_empty(),
                example.reported,
                "{} example {}: {observations:?}",
                check.id,
                index + 1
            );
            assert!(gaps.iter().all(|gap| gap.location.is_some()), "{}", check.id);
        }
    }
}

#[test]
fn given_no_ai_system_then_no_document_is_reported() {
    for check in CHECKS {
        for example in check.examples() {
            assert_eq!(run(check, &example.tree, &[]), [], "{}", check.id);
        }
    }
}

#[test]
fn ids_are_unique_and_obligations_are_in_the_law() {
    let mut seen = std::collections::BTreeSet::new();
    for check in CHECKS {
        assert!(seen.insert(check.id), "{}", check.id);
        for obligation in std::iter::once(&check.obligation).chain(check.also) {
            assert!(
                engine_regulation::regulation().obligation(obligation).is_some(),
                "{}: {obligation}",
                check.id
            );
        }
    }
}

#[test]
fn a_complete_document_is_evidence() {
    let check = CHECKS
        .iter()
        .find(|check| check.id == "l2-incomplete-log-retention")
        .unwrap();
    let complete = check.examples().into_iter().find(|example| !example.reported).unwrap();
    let observations = run(check, &complete.tree, &[system()]);
    assert_eq!(
        observations.iter().map(|found| found.outcome).collect::<Vec<_>>(),
        [Outcome::Pass]
    );
}
