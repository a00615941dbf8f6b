//! The report of frameworks: its statuses, its numbers, and the combination of obligations with probes.

use engine_model::{Applies, Evidence, EvidenceKind};
use engine_regulation::regulation;
use proptest::prelude::*;

use super::*;
use crate::fixtures::{any_status, any_system, record, system};
use crate::framework_scores;

fn eval(control: &str, passed: u64, failed: u64) -> EvalControl {
    EvalControl {
        framework: "owasp-llm-2025".to_owned(),
        control: control.to_owned(),
        passed,
        failed,
        run: "run-1".to_owned(),
    }
}

fn reported(systems: &[System], evals: &[EvalControl]) -> FrameworkScores {
    framework_report(systems, &[], evals, "2026-11-20T08:00:00Z".to_owned())
}

fn framework<'a>(scores: &'a FrameworkScores, id: &str) -> &'a FrameworkReport {
    scores.frameworks.iter().find(|f| f.framework_id == id).unwrap()
}

fn control_of(systems: &[System], evals: &[EvalControl], control: &str) -> ControlReport {
    let scores = reported(systems, evals);
    let controls = &framework(&scores, "owasp-llm-2025").controls;
    controls.iter().find(|c| c.id == control).unwrap().clone()
}

/// An obligation that maps to the control `LLM01`.
fn mapped() -> &'static str {
    let law = regulation();
    let obligation = law.obligations().iter().find(|o| {
        law.crosswalk(&o.id)
            .and_then(|controls| controls.get("owasp-llm-2025"))
            .is_some_and(|ids| ids.iter().any(|id| id == "LLM01"))
    });
    &obligation.unwrap().id
}

fn with(status: ObligationStatus) -> [System; 1] {
    [system("s", vec![record(mapped(), Applies::Applies, status)])]
}

#[test]
fn without_evidence_every_framework_is_listed_as_not_assessed() {
    let scores = reported(&[], &[]);
    assert_eq!(scores.frameworks.len(), regulation().frameworks().len());
    assert_eq!(scores.selected_framework_ids.len(), scores.frameworks.len());
    for framework in &scores.frameworks {
        assert!(!framework.assessed && framework.score.is_none(), "{framework:?}");
        assert_eq!((framework.grade.as_str(), framework.gaps), ("not assessed", 0));
        assert!(
            framework
                .controls
                .iter()
                .all(|c| c.status == ControlStatus::NotAssessed && c.score.is_none())
        );
    }
    assert_eq!(framework(&scores, "aiuc-1").note, "0 of 49 controls assessed.");
}

#[test]
fn less_than_half_of_the_controls_gives_no_letter() {
    let scores = reported(&[], &[eval("LLM01", 3, 0), eval("LLM02", 3, 0)]);
    let owasp = framework(&scores, "owasp-llm-2025");
    assert!(owasp.assessed && owasp.score == Some(100.0) && (owasp.coverage - 20.0).abs() < 1e-9);
    assert_eq!(
        (owasp.grade.as_str(), owasp.grade_type.as_str()),
        ("not assessed", "none")
    );
    assert!(
        owasp
            .note
            .starts_with("2 of 10 controls assessed. A grade requires at least half.")
    );
    let half: Vec<EvalControl> = (1..=5).map(|n| eval(&format!("LLM0{n}"), 1, 0)).collect();
    let scores = reported(&[], &half);
    let owasp = framework(&scores, "owasp-llm-2025");
    assert_eq!((owasp.grade.as_str(), owasp.grade_type.as_str()), ("A", "letter"));
    assert_eq!((owasp.passed_checks, owasp.total_checks), (5, 10));
}

#[test]
fn a_failed_probe_leaves_at_most_partial() {
    use ControlStatus::{Evidenced, Gap, NotAssessed, Partial};
    let status =
        |systems: &[System], passed, failed| control_of(systems, &[eval("LLM01", passed, failed)], "LLM01").status;
    for (given, passed, failed, expected) in [
        (ObligationStatus::Evidenced, 9, 0, Evidenced),
        (ObligationStatus::Evidenced, 9, 1, Partial),
        (ObligationStatus::Evidenced, 0, 1, Partial),
        (ObligationStatus::Gap, 9, 0, Partial),
        (ObligationStatus::Gap, 0, 2, Gap),
        (ObligationStatus::NotEvaluated, 0, 2, Gap),
        (ObligationStatus::NotEvaluated, 2, 0, Evidenced),
        (ObligationStatus::NotEvaluated, 2, 1, Partial),
        (ObligationStatus::NotEvaluated, 0, 0, NotAssessed),
    ] {
        assert_eq!(
            status(&with(given), passed, failed),
            expected,
            "{given:?} {passed} {failed}"
        );
    }
}

#[test]
fn evidence_names_the_obligation_the_place_and_the_run() {
    let mut systems = with(ObligationStatus::Evidenced);
    systems[0].obligations[0].evidence.push(Evidence {
        kind: EvidenceKind::Code,
        reference: "input filter".to_owned(),
        file: Some("app.py".to_owned()),
        line: Some(7),
        hash: None,
    });
    let control = control_of(&systems, &[eval("LLM01:2025", 2, 1)], "LLM01");
    let [code, run] = control.evidence.as_slice() else {
        panic!("{control:?}")
    };
    assert_eq!(
        (code.obligation_id.as_deref(), code.file.as_deref(), code.line),
        (Some(mapped()), Some("app.py"), Some(7))
    );
    assert_eq!(run.reference.as_deref(), Some("run run-1: 2 passed, 1 failed"));
    assert_eq!(
        (run.source, run.status),
        (ControlEvidenceSource::Eval, ObligationStatus::Incomplete)
    );
}

#[test]
fn the_controls_of_the_act_are_its_obligations() {
    let systems = [system(
        "s",
        vec![
            record("OBL-094", Applies::Applies, ObligationStatus::Evidenced),
            record("OBL-001", Applies::Applies, ObligationStatus::Gap),
            record("OBL-032", Applies::Upcoming, ObligationStatus::NotEvaluated),
            record("OBL-030", Applies::Undetermined, ObligationStatus::Gap),
        ],
    )];
    let scores = reported(&systems, &[]);
    let act = framework(&scores, "eu-ai-act");
    let controls: Vec<_> = act.controls.iter().map(|c| (c.id.as_str(), c.status)).collect();
    assert_eq!(
        controls,
        [
            ("OBL-001", ControlStatus::Gap),
            ("OBL-032", ControlStatus::NotAssessed),
            ("OBL-094", ControlStatus::Evidenced)
        ]
    );
    assert_eq!((act.score, act.grade.as_str()), (Some(75.0), "B"));
    assert_eq!(act.controls[2].group.as_deref(), Some("Article 50"));
    assert_eq!(act.note, "2 of 3 obligations assessed.");
}

#[test]
fn the_wire_has_the_names_that_clients_read() {
    let json = serde_json::to_value(reported(&with(ObligationStatus::Gap), &[])).unwrap();
    let first = &json["frameworks"][0];
    for key in ["score", "gaps", "totalChecks", "passedChecks", "coverage"] {
        assert!(first[key].is_number(), "{key}");
    }
    for key in ["frameworkId", "frameworkName", "grade", "gradeType", "note"] {
        assert!(first[key].is_string(), "{key}");
    }
    assert!(json["selectedFrameworkIds"].is_array() && json["computedAt"].is_string());
}

proptest! {
    #[test]
    fn without_probes_the_numbers_are_those_of_framework_scores(one in any_system(), two in any_system()) {
        let systems = [one, System { id: "t".to_owned(), ..two }];
        let scores = framework_scores(&systems, &[]);
        for framework in reported(&systems, &[]).frameworks {
            match scores.get(&framework.framework_id) {
                Some(score) if framework.assessed => {
                    prop_assert_eq!(framework.score, Some(score.score));
                    prop_assert!((framework.coverage - score.coverage).abs() < f64::EPSILON);
                    prop_assert!(framework.grade == score.grade || framework.grade == "not assessed");
                }
                _ => prop_assert!(!framework.assessed),
            }
        }
    }

    #[test]
    fn a_probe_that_passes_instead_of_failing_lowers_nothing(
        status in any_status(), passed in 0u64..20, failed in 1u64..20,
    ) {
        let systems = with(status);
        let before = control_of(&systems, &[eval("LLM01", passed, failed)], "LLM01");
        let after = control_of(&systems, &[eval("LLM01", passed + 1, failed - 1)], "LLM01");
        prop_assert!(after.score >= before.score, "{before:?} {after:?}");
        prop_assert!(before.status != ControlStatus::Evidenced);
    }

    #[test]
    fn one_result_in_two_parts_is_the_same_result(
        status in any_status(), a in 0u64..9, b in 0u64..9, c in 0u64..9, d in 0u64..9,
    ) {
        let systems = with(status);
        let whole = reported(&systems, &[eval("LLM01", a + b, c + d)]);
        prop_assert_eq!(&whole, &reported(&systems, &[eval("LLM01", a, d), eval("LLM01", b, c)]));
        prop_assert_eq!(&whole, &reported(&systems, &[eval("LLM01", b, c), eval("LLM01", a, d)]));
    }

    #[test]
    fn the_order_of_systems_and_obligations_does_not_matter(one in any_system(), two in any_system()) {
        let mut systems = [one, System { id: "t".to_owned(), ..two }];
        let forward = reported(&systems, &[]);
        systems.reverse();
        for system in &mut systems {
            system.obligations.reverse();
        }
        prop_assert_eq!(forward, reported(&systems, &[]));
    }
}
