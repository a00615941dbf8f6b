//! The documented examples of the checks, with made-up secrets put in.

use engine_model::{
    Artefact, ArtefactKind, Check, CheckContext, Date, Inventory, Observation, Outcome, Report, Severity, System,
    fixture,
};

use super::{CHECKS, join};
use crate::{expand_examples, read, wants};

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

fn run(check: &Check, tree: &str, systems: &[System]) -> Vec<Observation> {
    with_artefacts(check, tree, systems, &[])
}

fn with_artefacts(check: &Check, tree: &str, systems: &[System], artefacts: &[Artefact]) -> Vec<Observation> {
    let tree = fixture(&expand_examples(tree)).unwrap();
    let facts: Vec<_> = tree
        .files()
        .filter(|file| wants(&file.path, file.language, file.zone))
        .map(|file| (file.info(), read(&file, &[0; 32])))
        .collect();
    let secrets = join(&facts);
    let inventory = Inventory::default();
    let context = CheckContext {
        as_of: Date::constant(2027, 12, 2),
        files: &[],
        manifests: &[],
        inventory: &inventory,
        systems,
        documents: &[],
        artefacts,
        secrets: &secrets,
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
        assert!(examples.iter().any(|example| example.reported), "{}", check.id);
        assert!(examples.iter().any(|example| !example.reported), "{}", check.id);
        for example in examples {
            let found = run(check, &example.tree, &[system()]);
            let gaps = found.iter().filter(|found| found.outcome == Outcome::Fail).count();
            assert_eq!(gaps > 0, example.reported, "{}\n{}\n{found:#?}", check.id, example.tree);
            if !example.reported {
                assert!(found.is_empty(), "{}\n{found:#?}", check.id);
            }
        }
    }
}

#[test]
fn given_no_ai_system_then_a_secret_is_a_problem_without_an_obligation() {
    for check in CHECKS {
        for example in check.examples().iter().filter(|example| example.reported) {
            let found = run(check, &example.tree, &[]);
            assert!(
                !found.is_empty()
                    && found
                        .iter()
                        .all(|found| found.outcome == Outcome::Fail && found.obligation.as_deref() == Some("")),
                "{}",
                check.id
            );
        }
    }
}

#[test]
fn an_observation_names_the_place_and_distinguishes_two_secrets() {
    let tree = "//- app.py\nA_TOKEN = \"{{random_token}}\"\nkey = \"{{openai_key}}\"\n";
    let key = CHECKS.iter().find(|check| check.id == "secret-ai-key").unwrap();
    let found = run(key, tree, &[system()]);
    assert_eq!(found.len(), 1);
    let location = found[0].location.clone().unwrap();
    assert_eq!(
        (location.file.as_str(), location.line, location.column),
        ("app.py", 2, 8)
    );
    let generic = CHECKS
        .iter()
        .find(|check| check.id == "secret-generic-assignment")
        .unwrap();
    assert_ne!(run(generic, tree, &[system()])[0].anchor, found[0].anchor);
}

#[test]
fn a_moved_line_keeps_the_anchor() {
    let key = CHECKS.iter().find(|check| check.id == "secret-ai-key").unwrap();
    let before = run(key, "//- app.py\nkey = \"{{openai_key}}\"\n", &[system()]);
    let after = run(
        key,
        "//- app.py\nimport os\n\n\nkey = \"{{openai_key}}\"\n",
        &[system()],
    );
    assert_eq!(before[0].anchor, after[0].anchor);
}

/// What all checks report, as `file:line` with the places of the evidence.
fn places(tree: &str, artefacts: &[Artefact]) -> Vec<(String, Vec<String>)> {
    CHECKS
        .iter()
        .flat_map(|check| with_artefacts(check, tree, &[system()], artefacts))
        .map(|found| {
            let at = found.location.unwrap();
            let evidence = found.evidence.iter();
            let evidence = evidence.map(|e| format!("{}:{}", e.file.as_deref().unwrap_or(""), e.line.unwrap_or(0)));
            (format!("{}:{}", at.file, at.line), evidence.collect())
        })
        .collect()
}

#[test]
fn one_value_at_several_places_is_reported_once_where_it_is_used() {
    let tree = "//- SETUP.md\nPASSWORD={{random_token}}\n//- GUIDE.md\nPASSWORD={{random_token}}\n//- src/settings.py\n\nPASSWORD = \"{{random_token}}\"\n";
    let own = |places: &[&str]| places.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        places(tree, &[]),
        [(
            "src/settings.py:2".to_owned(),
            own(&["src/settings.py:2", "GUIDE.md:1", "SETUP.md:1"])
        )]
    );
    let two = "//- a.py\nPASSWORD = \"{{random_token}}\"\n//- b.py\nkey = \"{{openai_key}}\"\n";
    assert_eq!(places(two, &[]).len(), 2, "two values are two secrets");
}

#[test]
fn a_key_with_its_secret_is_one_credential() {
    let (key, secret) = (crate::samples::fill("API{A12}", 4), crate::samples::fill("{A40}", 5));
    let tree = format!("//- worker.py\nLIVEKIT_API_KEY = \"{key}\"\nLIVEKIT_API_SECRET = \"{secret}\"\n");
    let found = places(&tree, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1.len(), 2);
    let apart = format!("//- worker.py\nLIVEKIT_API_KEY = \"{key}\"\n\n\n\n\nLIVEKIT_API_SECRET = \"{secret}\"\n");
    assert_eq!(places(&apart, &[]).len(), 2);
}

#[test]
fn the_passwords_of_one_list_of_users_are_one_finding() {
    let (one, two) = (crate::samples::fill("{A14}!9", 4), crate::samples::fill("{A14}#7", 5));
    let tree = |between: &str| {
        format!(
            "//- users.py\nUSERS = {{\n  \"ann\": {{\"password\": \"{one}\",\n{between}  }},\n  \"bob\": {{\"password\": \"{two}\"}},\n}}\n"
        )
    };
    let near = places(&tree("    \"role\": \"x\",\n    \"plan\": \"y\",\n"), &[]);
    assert_eq!(near.len(), 1, "{near:?}");
    assert_eq!(near[0].1.len(), 2);
    assert_eq!(places(&tree(&"    \"role\": \"x\",\n".repeat(14)), &[]).len(), 2);
}

#[test]
fn secrets_side_by_side_are_one_credential_and_two_databases_are_two() {
    let value = |seed| crate::samples::fill("{A40}", seed);
    let side = format!(
        "//- credentials.py\nCONSUMER_KEY = \"{}\"\nCONSUMER_SECRET = \"{}\"\nACCESS_SECRET = \"{}\"\n",
        value(4),
        value(5),
        value(6)
    );
    let found = places(&side, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1.len(), 3);
    let files = format!(
        "//- a.py\nAPP_SECRET = \"{}\"\n//- b.py\nAPP_SECRET = \"{}\"\n",
        value(4),
        value(5)
    );
    assert_eq!(places(&files, &[]).len(), 2);
    let keys = "//- certs/ca.key\n{{private_key}}\n//- certs/server.key\n-----BEGIN PRIVATE KEY-----\n";
    let pem = crate::samples::fill("{S64}\n{S64}\n{S64}", 9);
    let keys = format!("{keys}{pem}\n-----END PRIVATE KEY-----\n");
    let found = places(&keys, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1.len(), 2);
    assert_eq!(
        places(&keys.replace("certs/server.key", "other/server.key"), &[]).len(),
        2
    );
    let formed = "//- a.py\nA = \"{{openai_key}}\"\nB = \"{{github_token}}\"\n";
    assert_eq!(places(formed, &[]).len(), 2, "keys of two services");
}

#[test]
fn the_secrets_of_a_file_that_is_reported_as_a_whole_are_not_reported_again() {
    let tree = "//- .env\nOPENAI_API_KEY={{openai_key}}\n";
    let file = Artefact {
        kind: ArtefactKind::SecretsFile,
        file: ".env".to_owned(),
        line: 1,
        because: "`OPENAI_API_KEY` holds a value that looks live".to_owned(),
        days: None,
    };
    assert_eq!(places(tree, &[]).len(), 1);
    assert!(places(tree, std::slice::from_ref(&file)).is_empty());
    let also = format!("{tree}//- src/a.py\nkey = \"{{{{openai_key}}}}\"\n");
    let found = places(&also, &[file]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1.len(), 2, "a key in code is told with all its places");
}

#[test]
fn low_confidence_secrets_are_dropped_in_tests_only() {
    let sure = places("//- tests/test_a.py\nkey = \"{{openai_key}}\"\n", &[]);
    assert_eq!(sure.len(), 1, "a form that only keys have stays: {sure:?}");
    let key = "//- tests/test_a.py\nA_TOKEN = \"{{random_token}}\"\n//- src/a.py\nB_TOKEN = \"{{aws_secret_key}}\"\n";
    assert_eq!(places(key, &[]).len(), 1);
}

#[test]
fn password_in_demo_seed_or_load_test_file_is_below_high() {
    let check = CHECKS
        .iter()
        .find(|check| check.id == "secret-generic-assignment")
        .unwrap();
    let severity = |tree: &str| {
        let found = run(check, tree, &[]);
        assert_eq!(found.len(), 1, "{tree}\n{found:?}");
        assert_eq!(found[0].outcome, Outcome::Fail, "{tree}");
        found[0].severity
    };
    let password = "user = {'password': 'Brook7Lantern!'}\n";
    for path in [
        "loadtests/locustfile.py",
        "loadtest/users.py",
        "scripts/reset_and_seed.py",
        "database/seeders/UserSeeder.php",
        "backend/seed_demo.py",
        "tools/demo_users.py",
    ] {
        assert_eq!(
            severity(&format!("//- {path}\n{password}")),
            Some(Severity::Medium),
            "{path}"
        );
    }
    for path in [
        "src/users.py",
        "src/seedling.py",
        "services/demographics.py",
        "src/main/java/com/example/demo/DemoApplication.java",
    ] {
        assert_eq!(severity(&format!("//- {path}\n{password}")), None, "{path}");
    }
    // In a folder of demos only a password that looks machine-generated is reported.
    assert_eq!(
        severity("//- demo/users.py\nuser = {'password': '{{random_token}}'}\n"),
        Some(Severity::Medium)
    );
    // A password that is used elsewhere too opens more than made-up data, and a token is no password.
    let both = format!("//- scripts/seed.py\n{password}//- src/users.py\n{password}");
    assert_eq!(severity(&both), None);
    assert_eq!(severity("//- scripts/seed.py\nA_TOKEN = \"{{random_token}}\"\n"), None);
}

#[test]
fn keys_of_one_kind_in_one_file_are_one_finding_and_those_of_two_are_two() {
    let key = |seed| crate::samples::fill("glpat-{A20}", seed);
    let one = format!("//- keys.json\n[\n  \"{}\",\n  \"{}\"\n]\n", key(1), key(2));
    let one = one.as_str();
    let found: Vec<Observation> = CHECKS.iter().flat_map(|check| run(check, one, &[system()])).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].message.contains("and 1 more of the same kind in this file"),
        "{}",
        found[0].message
    );
    let two = one.replace(",\n", "\n]\n//- other.json\n[\n");
    let found: Vec<Observation> = CHECKS.iter().flat_map(|check| run(check, &two, &[system()])).collect();
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_dummy_private_key_in_tests_is_ignored() {
    let check = CHECKS.iter().find(|check| check.id == "secret-private-key").unwrap();
    let told = |path: &str| run(check, &format!("//- {path}\n{{{{private_key}}}}\n"), &[system()]).len();
    for path in ["test/fixtures/mock-cert.pem", "tests/dummy_key.pem"] {
        assert_eq!(told(path), 0, "{path}");
    }
    for path in ["deploy/mock-cert.pem", "test/fixtures/server.pem", "tests/hammock.pem"] {
        assert_eq!(told(path), 1, "{path}");
    }
}
