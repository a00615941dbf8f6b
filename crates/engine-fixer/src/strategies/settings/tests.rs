//! Settings of logs and pipelines: what is changed, and what is refused.

use std::collections::BTreeMap;

use engine_model::{Date, FindingType, MemoryTree, fixture};
use engine_scanner::{Evaluation, Settings, StatedClass, scan_memory};

use crate::{FixInput, Plan, plan};

/// An application with an AI system, to which a test adds its files.
pub(in crate::strategies) const APP: &str = "//- app.py\nfrom openai import OpenAI\n\nclient = OpenAI()\n\nif __name__ == \"__main__\":\n    \
    print(client.responses.create(model=\"gpt-5.5\", input=input()).output_text)\n";

fn today() -> Date {
    Date::constant(2026, 11, 20)
}

fn scanned(tree: &MemoryTree) -> Evaluation {
    let settings = Settings {
        risk_class: Some(StatedClass::High),
        ..Settings::on(today())
    };
    scan_memory(tree, &settings)
}

/// The plan for the first finding of a check, or why there is none.
pub(in crate::strategies) fn planned(text: &str, check: &str) -> Result<(MemoryTree, Plan), String> {
    let tree: MemoryTree = fixture(text).unwrap();
    let evaluation = scanned(&tree);
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut findings = evaluation.findings.iter();
    let finding = findings.find(|finding| finding.kind != FindingType::Pass && finding.check_id == check);
    let planned = plan(FixInput {
        finding: finding.ok_or("no finding")?,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: today(),
        paths: &paths,
        source: &tree,
        documents: &crate::tests::NoDrafts,
    });
    Ok((tree.clone(), planned.map_err(|error| error.to_string())?))
}

/// The files that the fix of the first finding of a check changes, as they are afterwards.
pub(in crate::strategies) fn after(text: &str, check: &str) -> Result<BTreeMap<String, String>, String> {
    let (tree, planned) = planned(text, check)?;
    let mut out = BTreeMap::new();
    for change in &planned.files {
        let before = tree.files().find(|file| file.path == change.path);
        let before = before.map(|file| file.bytes.into_owned()).unwrap_or_default();
        out.insert(
            change.path.clone(),
            String::from_utf8(change.apply(&before).unwrap()).unwrap(),
        );
    }
    Ok(out)
}

/// The one file that a fix changes.
pub(in crate::strategies) fn only(text: &str, check: &str) -> String {
    let files = after(text, check).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(files.len(), 1, "{files:?}");
    files.into_values().next().unwrap()
}

const RETENTION: &str = "l1-short-log-retention";

#[test]
fn each_unit_of_a_period_is_kept() {
    for (path, before, expected) in [
        (
            "logs.tf",
            "resource \"aws_cloudwatch_log_group\" \"a\" {\n  retention_in_days = 7\n}\n",
            "= 180\n",
        ),
        (".env.production", "LOG_RETENTION_DAYS=30\n", "LOG_RETENTION_DAYS=180\n"),
        (
            "logging.yaml",
            "logging:\n  retention: \"30d\"\n",
            "retention: \"180d\"\n",
        ),
        (
            "logging.yaml",
            "logging:\n  retention: 2 weeks\n",
            "retention: 26 weeks",
        ),
        (
            "logging.yaml",
            "logging:\n  retention_months: 3\n",
            "retention_months: 6",
        ),
        (
            "logs.json",
            "{\"logs\": {\n  \"log_retention_hours\": 72\n}}\n",
            "\"log_retention_hours\": 4320",
        ),
        (
            "settings.toml",
            "[logging]\nlog_retention_days = 14\n",
            "log_retention_days = 180",
        ),
    ] {
        let after = only(&format!("{APP}//- {path}\n{before}"), RETENTION);
        assert!(after.contains(expected), "{after}");
    }
}

#[test]
fn several_rotations_of_one_file_are_refused() {
    let two = "/a.log {\n  daily\n  rotate 7\n}\n/b.log {\n  weekly\n  rotate 4\n}\n";
    assert!(after(&format!("{APP}//- ops/a.logrotate\n{two}"), RETENTION).is_err());
}

const EVALUATION: &str = "l1-evaluation-not-in-pipeline";
const SUITE: &str = "//- promptfooconfig.yaml\nprompts: [a.txt]\nproviders: [openai:gpt-5.5]\ntests:\n  - vars: {a: b}\n    assert:\n      - type: contains\n        value: c\n";

#[test]
fn a_step_goes_to_the_one_job_with_tests() {
    let steps = "    runs-on: ubuntu-latest\n    steps:\n      - run: pytest\n";
    let one = format!("{APP}{SUITE}//- .github/workflows/ci.yml\non: [push]\njobs:\n  a:\n{steps}");
    assert!(only(&one, EVALUATION).ends_with("${{ secrets.OPENAI_API_KEY }}\n"));
    // Two jobs with tests, a matrix, and a pipeline that only a person starts.
    let two = format!("{one}  b:\n{steps}");
    let matrix = format!(
        "{APP}{SUITE}//- .github/workflows/ci.yml\non: [push]\njobs:\n  a:\n    strategy:\n      matrix: {{v: [1, 2]}}\n{steps}"
    );
    let by_hand = format!("{APP}{SUITE}//- .github/workflows/ci.yml\non: workflow_dispatch\njobs:\n  a:\n{steps}");
    for text in [two, matrix, by_hand] {
        assert!(after(&text, EVALUATION).is_err(), "{text}");
    }
    // The image has no Node.js.
    let gitlab = format!(
        "{APP}{SUITE}//- .gitlab-ci.yml\nstages: [test]\ntest:\n  image: python:3.12\n  script:\n    - pytest\n"
    );
    assert!(after(&gitlab, EVALUATION).is_err());
}

#[test]
fn a_step_without_its_file_is_not_enabled() {
    let text = format!(
        "{APP}//- .github/workflows/ci.yml\non: push\njobs:\n  a:\n    runs-on: u\n    steps:\n      - run: python evals/run.py\n"
    );
    assert!(
        after(&text, "cross-evaluation-never-runs")
            .unwrap_err()
            .contains("restore the file")
    );
}

/// The strategy is not in the list yet, so its plan is made directly.
fn ignored(text: &str) -> Result<BTreeMap<String, String>, String> {
    use crate::strategy::Site;

    let tree: MemoryTree = fixture(&format!("{APP}{text}")).unwrap();
    let evaluation = scanned(&tree);
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let finding = evaluation
        .findings
        .iter()
        .find(|finding| finding.check_id == super::IGNORED_SECRETS_FILE.checks[0])
        .unwrap();
    let site = Site {
        finding,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: today(),
        paths: &paths,
        source: &tree,
        documents: &crate::tests::NoDrafts,
        read: std::cell::RefCell::default(),
    };
    let mut draft = crate::Draft::default();
    (super::IGNORED_SECRETS_FILE.plan)(&site, &mut draft).map_err(|error| error.to_string())?;
    assert!(draft.safe);
    let mut out: BTreeMap<String, String> = draft.created.clone();
    for (path, edits) in &draft.edits {
        out.insert(path.clone(), edits.iter().map(|edit| edit.text.as_str()).collect());
    }
    Ok(out)
}

#[test]
fn a_file_of_secrets_gets_a_rule_unless_it_has_one() {
    let secret = "OPENAI_API_KEY=sk-proj-q8Zr2LwT5vN1xKc7Hb3M\n";
    let rules = |text: &str| ignored(text).unwrap().remove(".gitignore").unwrap();
    assert_eq!(rules(&format!("//- .env\n{secret}")), ".env\n");
    assert_eq!(
        rules(&format!(
            "//- api/.env.production\n{secret}//- .gitignore\nnode_modules\n"
        )),
        ".env.production\n"
    );
    assert_eq!(
        rules(&format!("//- config/prod.env\n{secret}//- .gitignore\n*.log\n")),
        "/config/prod.env\n"
    );
    for known in [".env", "/.env", "**/.env", ".env*", "*.env"] {
        let error = ignored(&format!("//- .env\n{secret}//- .gitignore\n{known}\n")).unwrap_err();
        assert!(error.contains("git rm --cached .env"), "{error}");
    }
    assert!(ignored(&format!("//- .env\n{secret}//- .gitignore\n.env*\n!.env\n")).is_err());
    assert!(
        ignored(&format!("//- .env.example\n{secret}"))
            .unwrap_err()
            .contains("sample")
    );
}
