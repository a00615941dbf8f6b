//! The documented examples of the checks, run against the artefacts of their trees.

use engine_model::{
    Check, CheckContext, Date, FileInfo, Inventory, Observation, Outcome, Report, SecretPlace, System, fixture,
};

use super::CHECKS;
use crate::{join, read, wants};

/// A system as the scanner would make it of an example's code.
fn system() -> System {
    System {
        id: "app".to_owned(),
        name: "app".to_owned(),
        scope: String::new(),
        entry_points: Vec::new(),
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

fn run(check: &Check, tree: &str, systems: &[System], ignored: &[String]) -> Vec<Observation> {
    let tree = fixture(tree).unwrap();
    let mut facts = Vec::new();
    for file in tree.files().filter(|file| wants(&file.path, file.language, file.zone)) {
        let info = FileInfo {
            path: file.path.to_string(),
            size: file.bytes.len() as u64,
            digest: file.digest,
            language: file.language,
            zone: file.zone,
        };
        facts.push((info, read(&file)));
    }
    let artefacts = join(&facts, ignored);
    let inventory = Inventory::default();
    let context = CheckContext {
        as_of: Date::constant(2026, 11, 20),
        files: &[],
        manifests: &[],
        inventory: &inventory,
        systems,
        documents: &[],
        artefacts: &artefacts,
        secrets: &[],
        statements: &[],
        unimported: &std::collections::BTreeSet::new(),
    };
    let mut report = Report::default();
    (check.run)(&context, &mut report);
    report.into_observations()
}

fn check(id: &str) -> &'static Check {
    CHECKS.iter().find(|check| check.id == id).unwrap()
}

#[test]
fn documented_examples_match_the_check() {
    for check in CHECKS {
        let examples = check.examples();
        assert!(examples.iter().any(|example| example.reported) && examples.iter().any(|example| !example.reported));
        for (index, example) in examples.iter().enumerate() {
            let found = run(check, &example.tree, &[system()], &[]);
            let gaps: Vec<_> = found.iter().filter(|found| found.outcome == Outcome::Fail).collect();
            assert_eq!(
                !gaps.is_empty(),
                example.reported,
                "{} example {}: {found:?}",
                check.id,
                index + 1
            );
            assert!(gaps.iter().all(|gap| gap.location.is_some()), "{}", check.id);
        }
    }
}

#[test]
fn given_no_ai_system_then_nothing_is_reported() {
    for check in CHECKS {
        for example in check.examples() {
            assert_eq!(run(check, &example.tree, &[], &[]), [], "{}", check.id);
        }
    }
}

#[test]
fn obligations_are_in_the_law_and_can_be_seen_in_files() {
    for check in CHECKS {
        let obligation = engine_regulation::regulation().obligation(check.obligation).unwrap();
        assert!(obligation.checkable_by.code, "{}", check.id);
        for also in check.also {
            assert!(
                engine_regulation::regulation().obligation(also).is_some(),
                "{}: {also}",
                check.id
            );
        }
    }
}

#[test]
fn what_is_in_order_is_evidence() {
    for id in [
        "l1-evaluation-not-in-pipeline",
        "l1-short-log-retention",
        "l1-unmonitored-deployment",
        "l1-unfilled-model-card",
    ] {
        let check = check(id);
        let example = check.examples().into_iter().find(|example| !example.reported).unwrap();
        let outcomes: Vec<_> = run(check, &example.tree, &[system()], &[])
            .iter()
            .map(|found| found.outcome)
            .collect();
        assert_eq!(outcomes, [Outcome::Pass], "{id}");
    }
}

#[test]
fn development_descriptions_are_not_deployments_and_metrics_code_is_monitoring() {
    let check = check("l1-unmonitored-deployment");
    let compose = "services:\n  api:\n    build: .\n";
    let looked = |tree: &str| {
        let tree = fixture(tree).unwrap();
        let facts: Vec<_> = tree
            .files()
            .filter(|file| wants(&file.path, file.language, file.zone))
            .map(|file| (file.info(), read(&file)))
            .collect();
        let files: Vec<FileInfo> = tree.files().map(|file| file.info()).collect();
        let context = CheckContext {
            as_of: Date::constant(2026, 11, 20),
            files: &files,
            manifests: &[],
            inventory: &Inventory::default(),
            systems: &[system()],
            documents: &[],
            artefacts: &join(&facts, &[]),
            secrets: &[],
            statements: &[],
            unimported: &std::collections::BTreeSet::new(),
        };
        let mut report = Report::default();
        (check.run)(&context, &mut report);
        report.into_observations().len()
    };
    let app = "//- app.py\nx = 1\n";
    assert_eq!(looked(&format!("{app}//- docker-compose.yml\n{compose}")), 1);
    assert_eq!(looked(&format!("{app}//- docker-compose.dev.yml\n{compose}")), 0);
    assert_eq!(looked(&format!("{app}//- deploy/docker-compose.yml\n{compose}")), 1);
    assert_eq!(
        looked(&format!(
            "{app}//- web/docker-compose.yml\n{compose}//- web/page.ts\nx\n"
        )),
        0,
        "it deploys the code beside it"
    );
    assert_eq!(
        looked(&format!(
            "{app}//- docker-compose.yml\n{compose}//- app/api/metrics/route.ts\nx\n"
        )),
        0
    );
    assert_eq!(
        looked(&format!(
            "{app}//- docker-compose.yml\n{compose}//- ml/metrics.py\nx = 1\n"
        )),
        1
    );
}

/// The gaps about files of environment values, with secrets at the places of these lists.
fn about_secrets(tree: &str, places: &[(&str, u32, &str)]) -> Vec<Observation> {
    let tree = fixture(tree).unwrap();
    let facts: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    let artefacts = join(&facts, &[]);
    let secrets: Vec<SecretPlace> = places
        .iter()
        .map(|(file, line, fingerprint)| SecretPlace {
            file: (*file).to_owned(),
            line: *line,
            column: 1,
            end_line: *line,
            check: "secret-generic-assignment".to_owned(),
            rule: "secret-generic-token".to_owned(),
            title: "Token or secret".to_owned(),
            provider: None,
            confidence: 75,
            masked: "q8Zr****".to_owned(),
            fingerprint: (*fingerprint).to_owned(),
        })
        .collect();
    let context = CheckContext {
        as_of: Date::constant(2026, 11, 20),
        files: &[],
        manifests: &[],
        inventory: &Inventory::default(),
        systems: &[system()],
        documents: &[],
        artefacts: &artefacts,
        secrets: &secrets,
        statements: &[],
        unimported: &std::collections::BTreeSet::new(),
    };
    let mut report = Report::default();
    (check("l1-committed-secrets-file").run)(&context, &mut report);
    report.into_observations()
}

#[test]
fn a_secrets_file_names_its_keys_and_lists_its_secrets_as_evidence() {
    let tree = "//- .env\nDB_PASSWORD=Vale7-Quartz-Ninety3\nMAIL_TOKEN=q8Zr2LwT5vN1xKc7Hb3MpY4s\nPORT=80\n";
    let found = about_secrets(tree, &[(".env", 2, "a"), ("SETUP.md", 9, "a"), ("SETUP.md", 12, "b")]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]
            .message
            .starts_with("`DB_PASSWORD` and `MAIL_TOKEN` have values that look like live secrets"),
        "{}",
        found[0].message
    );
    let places: Vec<_> = found[0]
        .evidence
        .iter()
        .map(|e| (e.file.as_deref().unwrap_or(""), e.line))
        .collect();
    assert_eq!(places, [(".env", Some(1)), (".env", Some(2))]);
    assert!(!found[0].aside, "one of its values stands nowhere else");
}

#[test]
fn copies_in_one_folder_are_reported_once() {
    let one = "LLM_API_KEY=q8Zr2LwT5vN1xKc7Hb3MpY4s\n";
    let tree =
        format!("//- api/.env.backup\n{one}//- api/.env.backup2\n{one}//- web/.env\n{one}//- api/.env.example\n{one}");
    let found = about_secrets(&tree, &[("api/.env.backup2", 1, "a")]);
    let places: Vec<_> = found.iter().filter_map(|finding| finding.location.as_ref()).collect();
    let files: Vec<&str> = places.iter().map(|place| place.file.as_str()).collect();
    assert_eq!(files, ["api/.env.backup", "api/.env.example", "web/.env"]);
    assert!(
        found[0].message.ends_with("; same problem in `api/.env.backup2`"),
        "{}",
        found[0].message
    );
    let evidence: Vec<&str> = found[0].evidence.iter().filter_map(|e| e.file.as_deref()).collect();
    assert!(evidence.contains(&"api/.env.backup2"), "{evidence:?}");
    assert!(!found[2].message.contains("same problem"), "{}", found[2].message);
}

#[test]
fn a_sample_covered_by_another_finding_is_reported_once_without_ignore_advice() {
    let tree = "//- .env.example\nLLM_API_KEY=q8Zr2LwT5vN1xKc7Hb3MpY4s\nPORT=80\n";
    let known = about_secrets(tree, &[(".env.example", 1, "a"), ("configs/config.toml", 14, "a")]);
    assert!(known.len() == 1 && known[0].aside, "{known:?}");
    let alone = about_secrets(tree, &[(".env.example", 1, "a"), ("configs/config.toml", 14, "b")]);
    assert!(alone.len() == 1 && !alone[0].aside, "{alone:?}");
    assert!(
        alone[0].message.contains("a sample file is meant to be shared"),
        "{}",
        alone[0].message
    );
    assert!(!alone[0].fix.as_deref().unwrap_or(".gitignore").contains(".gitignore"));
    let own = about_secrets(&tree.replace(".env.example", ".env"), &[(".env", 1, "a")]);
    assert!(own[0].fix.is_none() && own[0].message.contains("excluded from version control"));
}

#[test]
fn an_ignored_secrets_file_is_not_a_gap_and_values_are_never_shown() {
    let check = check("l1-committed-secrets-file");
    assert_eq!(run(check, "//- a.py\nx = 1\n", &[system()], &[".env".to_owned()]), []);
    let reported = check.examples().into_iter().find(|example| example.reported).unwrap();
    let found = run(check, &reported.tree, &[system()], &[]);
    assert!(
        !found.is_empty() && !format!("{found:?}").contains("sk-proj"),
        "{found:?}"
    );
}
