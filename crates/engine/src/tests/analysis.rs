//! Simulations and what-if analyses equal a real scan; scores, debt and cost follow the project.

mod measures;
mod whatif;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use engine_model::{Date, ErrorCode, FindingType, ScanResult};
use engine_regulation::regulation;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use super::{engine, write};
use crate::{
    ActionKind, ActionParts, Engine, OperatorRole, ScanHooks, ScanRequest, SimulateActionsReply,
    SimulateActionsRequest, SimulatedAction,
};

/// A day on which every obligation of a high-risk system applies.
const LATE: Date = Date::constant(2028, 8, 2);

/// Documents for a high-risk system. No check reads their wording: what a document says is no part of a simulation.
const KINDS: [&str; 5] = [
    "risk-management-file",
    "tech-documentation",
    "instructions-for-use",
    "fria",
    "data-governance",
];

/// Checks that the service can fail, in the order of its flags.
const CHECKS: [&str; 3] = [
    "l4-unhandled-model-failure",
    "l4-unlogged-model-call",
    "l4-undisclosed-interaction",
];

/// A document with text in every required section, or in the first section only.
fn document(kind: &str, whole: bool) -> String {
    let document = regulation().document(kind).unwrap();
    let mut text = format!("# {}\n\n", document.title);
    for (index, section) in document.sections.iter().filter(|section| section.required).enumerate() {
        write!(text, "## {}\n\n", section.title).unwrap();
        if whole || index == 0 {
            write!(
                text,
                "For {} the team of the help desk decided on 2028-03-14 what is done: Maria Lindqvist is responsible, twelve \
                 cases were tested, three of them failed, and each failure was corrected and tested again within nine days. \
                 The next review is on 2028-12-01; the figures are in the folder of the team, sheet four.\n\n",
                section.title.to_lowercase()
            )
            .unwrap();
        }
    }
    text
}

/// A chat service that a person stated as high-risk.
#[derive(Clone, Debug)]
struct Service {
    /// Whether each of [`CHECKS`] is satisfied.
    satisfied: [bool; 3],
    /// Per kind of [`KINDS`]: absent, begun, whole.
    documents: [u8; 5],
}

impl Service {
    fn write(&self, dir: &Path) {
        let [handled, logged, disclosed] = self.satisfied;
        let mut code = String::from(
            "import logging\n\nfrom fastapi import FastAPI, HTTPException\nfrom openai import OpenAI, OpenAIError\n\n\
             app = FastAPI()\nlog = logging.getLogger(__name__)\nclient = OpenAI()\n\n\n\
             @app.post(\"/chat\")\ndef chat(message: str):\n",
        );
        let call = "answer = client.responses.create(model=\"gpt-4.1-2025-04-14\", input=message)\n";
        if handled {
            write!(
                code,
                "    try:\n        {call}    except OpenAIError as error:\n        \
                 raise HTTPException(status_code=502) from error\n"
            )
            .unwrap();
        } else {
            write!(code, "    {call}").unwrap();
        }
        if logged {
            code.push_str("    log.info(\"model call %s %s\", answer.id, answer.model)\n");
        }
        code.push_str(if disclosed {
            "    return {\"answer\": answer.output_text, \"notice\": \"You are talking to an AI system.\"}\n"
        } else {
            "    return {\"answer\": answer.output_text}\n"
        });
        write(dir, "app.py", &code);
        write(dir, "requirements.txt", "fastapi==0.118.0\nopenai==2.1.0\n");
        write(dir, "templates/index.html", super::PAGE);
        write(dir, ".compliance/profile.toml", "[all]\nrisk-class = \"high\"\n");
        for (kind, state) in KINDS.iter().zip(self.documents) {
            if state > 0 {
                write(dir, &format!("docs/{kind}.md"), &document(kind, state > 1));
            }
        }
    }

    /// A real scan of the service.
    fn scan(&self) -> ScanResult {
        let dir = tempfile::tempdir().unwrap();
        self.write(dir.path());
        engine(dir.path()).scan(&late_scan()).unwrap()
    }
}

fn late_scan() -> ScanRequest {
    ScanRequest {
        as_of: Some(LATE),
        role: Some(OperatorRole::Both),
        ..ScanRequest::of(".")
    }
}

fn services() -> impl Strategy<Value = Service> {
    (any::<[bool; 3]>(), [0u8..3, 0u8..3, 0u8..3, 0u8..3, 0u8..3])
        .prop_map(|(satisfied, documents)| Service { satisfied, documents })
}

fn simulate(engine: &Engine, actions: &[&str]) -> Result<SimulateActionsReply, engine_model::Failure> {
    let request = SimulateActionsRequest {
        actions: actions
            .iter()
            .map(|text| SimulatedAction::Text((*text).to_owned()))
            .collect(),
        path: Some(".".to_owned()),
        as_of: Some(LATE),
        role: Some(OperatorRole::Both),
        ..SimulateActionsRequest::default()
    };
    engine.simulate_actions(&request, &ScanHooks::default())
}

/// Ids of findings that are no evidence.
fn open(scan: &ScanResult) -> BTreeSet<&str> {
    let open = scan.findings.iter().filter(|finding| finding.kind != FindingType::Pass);
    open.map(|finding| finding.id.as_str()).collect()
}

/// A number with one decimal as a count of tenths, which add up without rounding.
#[expect(clippy::cast_possible_truncation, reason = "scores are at most 100")]
fn tenths(number: f64) -> i64 {
    (number * 10.0).round() as i64
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    })
}

#[test]
fn simulated_actions_equal_a_scan_of_the_repaired_project() {
    let wanted = (services(), any::<[bool; 8]>(), any::<u64>());
    runner(12)
        .run(&wanted, |(service, chosen, seed)| {
            let dir = tempfile::tempdir().unwrap();
            service.write(dir.path());
            let engine = engine(dir.path());
            let before = engine.scan(&late_scan()).unwrap();
            let reported: BTreeSet<&str> = before
                .findings
                .iter()
                .filter(|finding| finding.kind != FindingType::Pass)
                .map(|finding| finding.check_id.as_str())
                .collect();
            let mut repaired = service.clone();
            let mut actions = Vec::new();
            for (index, check) in CHECKS.iter().enumerate() {
                // What no finding reports cannot be fixed.
                if chosen[index] && reported.contains(check) {
                    repaired.satisfied[index] = true;
                    actions.push(format!("fix:{check}"));
                }
            }
            for (index, kind) in KINDS.iter().enumerate() {
                if chosen[CHECKS.len() + index] {
                    repaired.documents[index] = 2;
                    actions.push(format!("doc:{kind}"));
                }
            }
            let turn = usize::try_from(seed % (actions.len() as u64 + 1)).unwrap_or(0);
            actions.rotate_left(turn);
            let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
            let reply = simulate(&engine, &actions).unwrap();
            let after = repaired.scan();
            prop_assert_eq!(tenths(reply.current_score), tenths(before.score.compliance));
            prop_assert_eq!(
                tenths(reply.projected_score),
                tenths(after.score.compliance),
                "{:?}\n{:?}",
                actions,
                after
                    .score
                    .breakdown
                    .iter()
                    .filter(|term| term.value.is_some())
                    .map(|term| (&term.obligation_id, term.value))
                    .collect::<Vec<_>>()
            );
            prop_assert_eq!(tenths(reply.projected_readiness), tenths(after.score.readiness));
            prop_assert_eq!(&reply.projected_grade, &after.score.grade);
            let gaps = after
                .findings
                .iter()
                .filter(|finding| finding.kind == FindingType::Fail);
            prop_assert_eq!(reply.remaining, gaps.count() as u64);
            // What is resolved was open, and is not any more.
            let (was, is) = (open(&before), open(&after));
            for id in reply.actions.iter().flat_map(|action| &action.findings) {
                prop_assert!(was.contains(id.as_str()) && !is.contains(id.as_str()), "{}", id);
            }
            // The impacts add up.
            let sum: i64 = reply.actions.iter().map(|action| tenths(action.score_impact)).sum();
            prop_assert_eq!(sum, tenths(reply.delta));
            prop_assert_eq!(sum, tenths(reply.projected_score) - tenths(reply.current_score));
            let sum: i64 = reply.actions.iter().map(|action| tenths(action.readiness_impact)).sum();
            prop_assert_eq!(sum, tenths(reply.projected_readiness) - tenths(reply.current_readiness));
            Ok(())
        })
        .unwrap();
}

/// A service in which everything is missing.
fn bare() -> Service {
    Service {
        satisfied: [false; 3],
        documents: [0; 5],
    }
}

#[test]
fn every_action_has_a_description_and_an_impact() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let reply = simulate(
        &engine(dir.path()),
        &["fix:l4-undisclosed-interaction", "doc:tech-documentation"],
    )
    .unwrap();
    let [fix, doc] = reply.actions.as_slice() else {
        panic!("{reply:#?}");
    };
    assert_eq!(
        (fix.kind, fix.target.as_str()),
        (ActionKind::Fix, "l4-undisclosed-interaction")
    );
    assert!(
        fix.description.contains("app.py:13") && !fix.findings.is_empty(),
        "{fix:?}"
    );
    assert!(fix.score_impact > 0.0, "{fix:?}");
    assert_eq!((doc.kind, doc.target.as_str()), (ActionKind::Doc, "tech-documentation"));
    assert!(
        doc.description.starts_with("Write “") && doc.score_impact > 0.0,
        "{doc:?}"
    );
    assert_eq!(doc.findings.len(), 1, "the missing document is resolved: {doc:?}");
}

#[test]
fn the_same_action_twice_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let engine = engine(dir.path());
    let once = simulate(&engine, &["fix:l4-undisclosed-interaction", "doc:fria"]).unwrap();
    let twice = [
        "fix:l4-undisclosed-interaction",
        "doc:fria",
        "doc:fria",
        "fix: l4-undisclosed-interaction",
    ];
    assert_eq!(simulate(&engine, &twice).unwrap(), once);
    // An object says the same as a text.
    let request: SimulateActionsRequest = serde_json::from_value(json!({
        "path": ".", "asOf": "2028-08-02", "role": "both",
        "actions": [{"type": "fix", "target": "l4-undisclosed-interaction"}, {"type": "doc", "target": "fria"}],
    }))
    .unwrap();
    assert_eq!(engine.simulate_actions(&request, &ScanHooks::default()).unwrap(), once);
}

#[test]
fn a_document_that_is_written_already_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service {
        satisfied: [true; 3],
        documents: [2; 5],
    };
    service.write(dir.path());
    let reply = simulate(&engine(dir.path()), &["doc:fria"]).unwrap();
    assert_eq!((tenths(reply.delta), tenths(reply.actions[0].readiness_impact)), (0, 0));
    assert!(reply.actions[0].description.contains("already complete"), "{reply:#?}");
}

#[test]
fn an_action_for_nothing_is_refused_and_names_the_nearest() {
    let dir = tempfile::tempdir().unwrap();
    Service {
        satisfied: [true; 3],
        ..bare()
    }
    .write(dir.path());
    let engine = engine(dir.path());
    let refused = |action: &str| {
        let failure = simulate(&engine, &["doc:fria", action]).unwrap_err();
        assert_eq!(failure.field.as_deref(), Some("actions.1"), "{failure}");
        (failure.code, failure.details)
    };
    for (action, meant) in [
        ("doc:freia", "`doc:fria`"),
        ("fix:l4-undisclosed-interacton", "`fix:l4-undisclosed-interaction`"),
        ("fix:l1-missing-documents", "`fix:l1-missing-document`"),
    ] {
        let (code, details) = refused(action);
        assert_eq!(code, ErrorCode::Impossible, "{action}");
        assert!(details.contains(meant), "{details}");
    }
    let (code, details) = refused("fix:l4-undisclosed-interaction");
    assert_eq!(code, ErrorCode::Impossible);
    assert!(
        details.contains("no open finding") && details.contains("l1-missing-document"),
        "{details}"
    );
    for (action, meant) in [
        ("l4-undisclosed-interaction", "`fix:l4-undisclosed-interaction`"),
        ("fria", "`doc:fria`"),
        ("fixx:a", "`fix:a`"),
    ] {
        let (code, details) = refused(action);
        assert_eq!(code, ErrorCode::InvalidRequest, "{action}");
        assert!(details.contains(meant), "{details}");
    }
}

#[test]
fn limits_of_a_simulation_name_their_field() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let engine = engine(dir.path());
    let failure = simulate(&engine, &["doc:fria"; 101]).unwrap_err();
    assert_eq!(
        (failure.code, failure.field.as_deref()),
        (ErrorCode::InvalidRequest, Some("actions"))
    );
    for given in [-0.1, 100.1, f64::NAN] {
        let request = SimulateActionsRequest {
            passport_completeness: Some(given),
            ..SimulateActionsRequest::default()
        };
        let failure = engine.simulate_actions(&request, &ScanHooks::default()).unwrap_err();
        assert_eq!(failure.field.as_deref(), Some("passportCompleteness"), "{given}");
    }
    let request = SimulateActionsRequest {
        actions: vec![SimulatedAction::Parts(ActionParts {
            kind: ActionKind::Doc,
            target: "fria".to_owned(),
        })],
        passport_completeness: Some(80.0),
        path: Some(".".to_owned()),
        ..SimulateActionsRequest::default()
    };
    let with = engine.simulate_actions(&request, &ScanHooks::default()).unwrap();
    assert_eq!(with.passport_completeness.given, Some(80.0));
    let without = SimulateActionsRequest {
        passport_completeness: None,
        ..request
    };
    let without = engine.simulate_actions(&without, &ScanHooks::default()).unwrap();
    assert_eq!(
        (with.actions, tenths(with.delta)),
        (without.actions, tenths(without.delta))
    );
}

#[test]
fn a_written_document_equals_the_resolved_finding_of_the_same_document() {
    let mut tree = engine_model::MemoryTree::default();
    tree.insert("app.py", super::CHAT);
    tree.insert("docs/fria.md", document("fria", false));
    let mut base = engine_scanner::Settings::on(LATE);
    base.risk_class = Some(engine_scanner::StatedClass::High);
    let before = engine_scanner::scan_memory(&tree, &base);
    let of: BTreeMap<&str, Vec<&engine_model::Finding>> = KINDS
        .iter()
        .map(|kind| {
            let title = regulation().document(kind).unwrap().title.to_lowercase();
            let missing = format!("No {title} found");
            let unfinished = format!("docs/{kind}.md");
            let own = before.findings.iter().filter(|finding| {
                finding.message.starts_with(&missing) || finding.file.as_deref() == Some(&unfinished)
            });
            (*kind, own.filter(|finding| finding.kind == FindingType::Fail).collect())
        })
        .collect();
    let mut compared = 0;
    for (kind, own) in of.into_iter().filter(|(_, own)| !own.is_empty()) {
        let mut resolved = base.clone();
        resolved.resolved.extend(own.iter().map(|finding| finding.id.clone()));
        let mut written = base.clone();
        written.written.insert(kind.to_owned());
        let (one, other) = (
            engine_scanner::scan_memory(&tree, &resolved),
            engine_scanner::scan_memory(&tree, &written),
        );
        assert_eq!(one, other, "{kind}");
        compared += 1;
    }
    assert!(compared >= 3, "{:#?}", before.findings);
}
