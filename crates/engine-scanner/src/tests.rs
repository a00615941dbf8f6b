//! What must hold for every check, and what the example applications must come to.

use std::collections::BTreeSet;

use engine_model::{Applicability, Applies, CallKind, Date, FindingType, MemoryTree, Outcome, Zone, fixture};

use crate::{Evaluation, Settings, checks, scan_memory};

fn on(year: i16, month: i8, day: i8) -> Settings {
    Settings::on(Date::constant(year, month, day))
}

fn today() -> Settings {
    on(2026, 11, 20)
}

/// An example application of the repository as a tree in memory.
#[expect(
    clippy::disallowed_methods,
    reason = "the example applications lie in the repository"
)]
fn project(name: &str) -> MemoryTree {
    fn add(tree: &mut MemoryTree, root: &std::path::Path, dir: &std::path::Path) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["node_modules", "__pycache__", ".pytest_cache", ".compliance"].contains(&name.as_str()) {
                    add(tree, root, &path);
                }
            } else {
                let relative = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                tree.insert(relative, std::fs::read(&path).unwrap());
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/projects")
        .join(name);
    let mut tree = MemoryTree::default();
    add(&mut tree, &root, &root);
    tree
}

fn scan_project(name: &str) -> Evaluation {
    scan_memory(&project(name), &today())
}

/// The places where a product call sends data to a model, as `file:line provider`.
fn calls(evaluation: &Evaluation) -> Vec<String> {
    evaluation
        .inventory
        .calls
        .iter()
        .filter(|call| call.zone == Zone::Product && call.kind == CallKind::Call)
        .map(|call| {
            format!(
                "{}:{} {}",
                call.file,
                call.line,
                call.provider.as_deref().unwrap_or("?")
            )
        })
        .collect()
}

#[test]
fn every_documented_example_is_judged_as_the_documentation_says() {
    let mut wrong = Vec::new();
    for check in checks() {
        for (index, example) in check.examples().iter().enumerate() {
            let Ok(mut tree) = fixture(&engine_scan_secrets::expand_examples(&example.tree)) else {
                wrong.push(format!("{} example {index}: not a tree", check.id));
                continue;
            };
            if check.id.starts_with("secret-") {
                // A secret is a gap where there is a system to protect; the examples show the secret alone.
                tree.insert(
                    "service/chat.py",
                    "import openai\n\nprint(openai.OpenAI().responses.create(model=\"gpt-4.1\", input=input()))\n",
                );
            }
            // The check itself decides: whether its duty binds the class of an example is another question. What is
            // missing shows only after the join, on a date on which its duty applies.
            let reported = crate::evaluate::outcomes(check.id, &tree, &today()).contains(&Outcome::Fail)
                || check.id == "l1-missing-document"
                    && scan_memory(&tree, &on(2026, 12, 2))
                        .findings
                        .iter()
                        .any(|f| f.check_id == check.id);
            if reported != example.reported {
                wrong.push(format!("{} example {index}: reported {reported}", check.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_helpdesk_has_two_systems_and_their_calls() {
    let evaluation = scan_project("helpdesk");
    assert_eq!(
        evaluation.applicability,
        Applicability::SystemsFound,
        "{}",
        evaluation.reason
    );
    assert_eq!(
        calls(&evaluation),
        [
            "api/chat.py:46 openai",
            "api/retrieval.py:45 openai",
            "notebooks/evaluate.ipynb:52 openai",
            "screening/job.py:21 anthropic"
        ]
    );
    assert_eq!(evaluation.systems.len(), 2);
    let screening = evaluation
        .systems
        .iter()
        .find(|system| system.scope == "screening")
        .unwrap();
    assert!(
        screening.questions.iter().any(|q| q.id == "annex-iii-employment"),
        "{:?}",
        screening.questions
    );
    assert_eq!(screening.risk_class, "unknown");
    let duty = screening
        .obligations
        .iter()
        .find(|record| record.obligation_id == "OBL-038")
        .unwrap();
    assert_eq!(duty.applies, Applies::Undetermined);
    let chat = evaluation
        .systems
        .iter()
        .find(|system| system.scope != "screening")
        .unwrap();
    assert_eq!(chat.risk_class, "limited");
    assert!(
        evaluation
            .findings
            .iter()
            .any(|f| f.check_id == "l4-undisclosed-interaction"
                && f.kind == FindingType::Fail
                && f.system.as_deref() == Some(chat.id.as_str())),
        "{:#?}",
        evaluation.findings
    );
}

#[test]
fn the_services_in_go_and_java_are_seen() {
    assert_eq!(
        calls(&scan_project("go-service")),
        ["internal/summary/summary.go:60 openai"]
    );
    let java = calls(&scan_project("java-service"));
    assert_eq!(java.len(), 1, "{java:?}");
    assert!(java[0].contains("drafts/DraftService.java:33"), "{java:?}");
}

#[test]
fn the_agent_has_tools_and_a_shell() {
    let evaluation = scan_project("agent-ts");
    assert_eq!(calls(&evaluation), ["src/agent.ts:41 openai"]);
    assert_eq!(evaluation.agents.len(), 1, "{:?}", evaluation.agents);
    assert!(evaluation.agents[0].autonomy_level >= 3);
    assert!(!evaluation.inventory.mcp_servers.is_empty());
}

#[test]
fn a_library_gets_no_obligations() {
    let evaluation = scan_project("library-py");
    assert_eq!(
        evaluation.applicability,
        Applicability::Library,
        "{}",
        evaluation.reason
    );
    assert!(evaluation.systems.is_empty() && evaluation.obligations.is_empty() && evaluation.findings.is_empty());
    assert_eq!(calls(&evaluation).len(), 2);
}

#[test]
fn a_framework_that_only_supports_models_is_a_library() {
    let tree = |classifier: &str| {
        fixture(&format!(
            "//- pyproject.toml\n[project]\nname = \"chatframe\"\nclassifiers = [\"{classifier}\"]\n\
             dependencies = [\"openai\"]\n[build-system]\nbuild-backend = \"hatchling.build\"\n\
             //- chatframe/__init__.py\nfrom .hooks import on_message\n//- chatframe/hooks.py\ndef on_message(f):\n    return f\n"
        ))
        .unwrap()
    };
    let settings = Settings::on(Date::constant(2026, 11, 20));
    let library = scan_memory(
        &tree("Topic :: Software Development :: Libraries :: Python Modules"),
        &settings,
    );
    assert_eq!(library.applicability, Applicability::Library, "{}", library.reason);
    // A build system alone says nothing: an application has one too.
    let open = scan_memory(&tree("Environment :: Web Environment"), &settings);
    assert_eq!(open.applicability, Applicability::Undetermined, "{}", open.reason);
}

#[test]
fn a_project_without_ai_is_left_alone() {
    let evaluation = scan_project("no-ai");
    assert_eq!(
        evaluation.applicability,
        Applicability::NoAiFound,
        "{}",
        evaluation.reason
    );
    assert_eq!(calls(&evaluation), [""; 0]);
    assert!(evaluation.obligations.is_empty() && evaluation.findings.is_empty() && evaluation.agents.is_empty());
}

#[test]
fn nothing_applies_before_its_date_and_what_comes_is_said() {
    let tree = project("helpdesk");
    let applying = |settings: &Settings| -> BTreeSet<String> {
        scan_memory(&tree, settings)
            .obligations
            .into_iter()
            .filter(|o| o.record.applies == Applies::Applies)
            .map(|o| o.record.obligation_id)
            .collect()
    };
    assert!(applying(&on(2025, 2, 1)).is_empty());
    let first = applying(&on(2025, 2, 2));
    assert!(
        first.contains("OBL-001") && first.contains("OBL-002") && !first.contains("OBL-094"),
        "{first:?}"
    );
    let now = applying(&today());
    assert!(
        now.contains("OBL-094") && !now.contains("OBL-010") && !now.contains("OBL-032"),
        "{now:?}"
    );
    assert!(applying(&on(2026, 12, 2)).contains("OBL-010"));
    let upcoming = scan_memory(&tree, &today()).upcoming;
    assert!(
        upcoming
            .iter()
            .any(|row| row.applies_from == Date::constant(2026, 12, 2) && row.certain)
    );
    assert!(
        upcoming
            .iter()
            .any(|row| row.applies_from == Date::constant(2027, 12, 2))
    );
}

#[test]
fn the_same_tree_gives_the_same_result_twice() {
    let tree = project("helpdesk");
    assert_eq!(scan_memory(&tree, &today()), scan_memory(&tree, &today()));
}

#[test]
fn findings_keep_their_ids_when_lines_move() {
    let tree = project("helpdesk");
    let before: BTreeSet<String> = scan_memory(&tree, &today())
        .findings
        .into_iter()
        .map(|f| f.id)
        .collect();
    let mut moved = tree.clone();
    let text = String::from_utf8(moved.remove("api/chat.py").unwrap()).unwrap();
    moved.insert("api/chat.py", format!("# a comment\n\n\n{text}"));
    let after: BTreeSet<String> = scan_memory(&moved, &today())
        .findings
        .into_iter()
        .map(|f| f.id)
        .collect();
    assert_eq!(before, after);
}

#[test]
fn a_comment_with_a_reason_sets_a_finding_aside_and_never_lowers_anything_else() {
    let tree = project("helpdesk");
    let scan = scan_memory(&tree, &today());
    let finding = scan
        .findings
        .iter()
        .find(|f| f.kind == FindingType::Fail && f.file.as_deref() == Some("api/chat.py"))
        .unwrap();
    let line = finding.line.unwrap() as usize;
    let mut edited = tree.clone();
    let text = String::from_utf8(edited.remove("api/chat.py").unwrap()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.insert(
        line - 1,
        format!("    # compliance-ignore: {} -- reviewed", finding.check_id),
    );
    edited.insert("api/chat.py", lines.join("\n"));
    let again = scan_memory(&edited, &today());
    let same = again.findings.iter().find(|f| f.id == finding.id).unwrap();
    assert!(same.suppressed.is_some(), "{same:?}");
}
