//! A project without an assessed obligation reads like a pass in no format.

use engine_model::{Applies, FindingType, GateVerdict, ObligationStatus, ScanResult, Severity};
use serde_json::Value;

use super::fixtures::{
    finding, finished, helpdesk, in_force, library, no_ai, nothing, record, retired, system, undetermined, unevaluated,
};
use super::junit::elements;
use super::{WIDTHS, on_one_line, plain, verbose};
use crate::{TextOptions, code_quality, junit, markdown, needs_assessment, sarif, text};

/// A system with notices, evidence that no obligation needs, and a gap of low severity.
fn unevaluated_with_findings() -> ScanResult {
    let mut scan = unevaluated();
    for (kind, severity) in [
        (FindingType::Info, Severity::High),
        (FindingType::Pass, Severity::Info),
        (FindingType::Fail, Severity::Low),
    ] {
        let mut finding = finding(
            &format!("l4-{}", severity.name()),
            kind,
            severity,
            Some(("app/main.py", 3)),
            "A log was looked for.",
        );
        finding.obligation_id = None;
        finding.system = Some("assistant".to_owned());
        scan.findings.push(finding);
    }
    finished(scan)
}

/// A system with a document that is begun and that no obligation asks for by name: it counts as evaluated, and assesses nothing.
fn begun() -> ScanResult {
    let mut scan = unevaluated();
    scan.systems[0].obligations[0] = in_force("OBL-001", ObligationStatus::Incomplete);
    finished(scan)
}

/// An unevaluated system with a problem that breaks the product today.
fn urgent() -> ScanResult {
    let mut scan = unevaluated();
    scan.findings = vec![retired("gpt-4-0613", "app/main.py", 3, "assistant", FindingType::Info)];
    finished(scan)
}

fn without_assessment() -> Vec<ScanResult> {
    vec![
        unevaluated(),
        unevaluated_with_findings(),
        begun(),
        urgent(),
        undetermined(),
    ]
}

fn nothing_to_assess() -> Vec<ScanResult> {
    vec![no_ai(), library()]
}

fn outputs(scan: &ScanResult) -> Vec<String> {
    let mut outputs = vec![
        markdown(scan),
        sarif(scan).to_string(),
        junit(scan),
        code_quality(scan).to_string(),
    ];
    for width in WIDTHS {
        for colour in [false, true] {
            for options in [plain(), verbose()] {
                outputs.push(text(
                    scan,
                    &TextOptions {
                        colour,
                        width,
                        ..options
                    },
                ));
            }
        }
    }
    outputs
}

/// The paragraph of a report that begins with a label.
fn paragraph(report: &str, label: &str) -> Option<String> {
    let start = report.find(label)?;
    let mut lines = report[start..].lines();
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines.take_while(|line| line.starts_with("  ")) {
        out.push(' ');
        out.push_str(line.trim());
    }
    Some(out)
}

#[test]
fn the_score_of_the_engine_is_neither_green_nor_graded() {
    for scan in without_assessment().iter().chain(&nothing_to_assess()) {
        assert!(!scan.score.assessed);
        assert_eq!(scan.score.grade, None);
        assert_ne!(scan.score.zone, "green");
    }
}

#[test]
fn only_projects_with_possible_obligations_need_an_assessment() {
    for scan in without_assessment() {
        assert!(needs_assessment(&scan));
        let verdict = scan.gate.as_ref().unwrap().verdict;
        assert_ne!(verdict, GateVerdict::Passed);
        assert!(crate::not_assessed(&scan).starts_with("not assessed: "));
    }
    for scan in nothing_to_assess() {
        assert!(!needs_assessment(&scan));
    }
    assert!(!needs_assessment(&helpdesk()));
}

#[test]
fn a_system_with_upcoming_obligations_only_needs_no_assessment_today() {
    let mut scan = nothing(
        "/home/ada/early",
        engine_model::Applicability::SystemsFound,
        "product code calls a model",
    );
    let upcoming = record(
        "OBL-095",
        "Art. 50(2)",
        "Mark synthetic content",
        "2026-12-02",
        Applies::Upcoming,
        ObligationStatus::NotEvaluated,
    );
    scan.systems = vec![system("early", "app", vec![upcoming])];
    let scan = finished(scan);
    assert!(!needs_assessment(&scan));
    let report = text(&scan, &plain());
    assert!(
        report.contains("Score: not assessed (0 of 0 obligations in force evaluated)."),
        "{report}"
    );
    assert!(report.contains("DUTIES IN FORCE on 1 Sep 2026: none"), "{report}");
}

#[test]
fn no_output_contains_passed_or_a_grade() {
    for scan in without_assessment() {
        for output in outputs(&scan) {
            let lower = output.to_lowercase();
            for word in ["passed", "green", "grade", " of 100", "no gaps", "all clear"] {
                assert!(!lower.contains(word), "{word} in {output}");
            }
        }
    }
    for scan in nothing_to_assess() {
        for output in outputs(&scan) {
            let lower = output.to_lowercase();
            for word in ["score", "green", "grade", " of 100"] {
                assert!(!lower.contains(word), "{word} in {output}");
            }
        }
    }
}

#[test]
fn text_and_markdown_show_words_and_no_number_as_the_score() {
    for scan in without_assessment() {
        for width in WIDTHS {
            let report = text(&scan, &TextOptions { width, ..plain() });
            let gate = paragraph(&report, "Gate: ").unwrap();
            assert!(
                gate.starts_with("Gate: not assessed, ") || gate.starts_with("Gate: FAILED, "),
                "{gate}"
            );
            let evaluated = format!(
                "({} of {} obligations in force evaluated)",
                scan.score.evaluated, scan.score.applicable
            );
            match paragraph(&report, "Score:") {
                Some(score) => assert_eq!(score, format!("Score: not assessed {evaluated}.")),
                None => assert_eq!(scan.applicability, engine_model::Applicability::Undetermined),
            }
        }
        let page = markdown(&scan);
        assert!(page.contains("**Gate: not assessed**, "), "{page}");
    }
}

#[test]
fn the_gate_and_the_score_name_the_same_number_of_evaluated_obligations() {
    let report = on_one_line(&text(&begun(), &plain()));
    assert!(
        report.contains("Gate: not assessed, 1 of 4 obligations in force were evaluated;"),
        "{report}"
    );
    assert!(
        report.contains("Score: not assessed (1 of 4 obligations in force evaluated)."),
        "{report}"
    );
}

#[test]
fn urgent_findings_are_counted_next_to_a_gate_without_assessment() {
    let report = text(&urgent(), &plain());
    let gate = paragraph(&report, "Gate: ").unwrap();
    assert!(
        gate.starts_with("Gate: not assessed, ") && gate.ends_with(" 1 to fix now."),
        "{gate}"
    );
}

#[test]
fn sarif_has_a_result_that_is_not_assessed() {
    for (scan, kind) in without_assessment()
        .into_iter()
        .map(|scan| (scan, "open"))
        .chain(nothing_to_assess().into_iter().map(|scan| (scan, "notApplicable")))
    {
        let log = sarif(&scan);
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        let own: Vec<&Value> = results.iter().filter(|r| r["ruleId"] == "not-assessed").collect();
        assert_eq!(own.len(), 1);
        assert_eq!(own[0]["kind"], kind);
        assert_eq!(own[0]["level"], "none");
        assert!(own[0]["message"]["text"].as_str().unwrap().len() > 20);
        assert_eq!(run["properties"]["assessed"], false);
        if kind == "open" {
            assert_ne!(run["properties"]["gate"], "passed");
        }
    }
    let log = sarif(&helpdesk());
    assert_eq!(log["runs"][0]["properties"]["assessed"], true);
    assert!(!log.to_string().contains("not-assessed"));
}

#[test]
fn junit_has_no_passed_case_and_one_error_or_skipped_case_with_words() {
    for (scan, end) in without_assessment()
        .into_iter()
        .map(|scan| (scan, "error"))
        .chain(nothing_to_assess().into_iter().map(|scan| (scan, "skipped")))
    {
        let xml = junit(&scan);
        let elements = elements(&xml);
        let mut own = 0;
        for (index, (tag, attributes)) in elements.iter().enumerate() {
            if tag != "testcase" {
                continue;
            }
            let (next, words) = &elements[index + 1];
            assert!(
                ["error", "failure", "skipped"].contains(&next.as_str()),
                "a passed case in {xml}"
            );
            if attributes["classname"] == "project.assessment" {
                assert_eq!(next, end);
                assert!(words["message"].len() > 20, "{xml}");
                own += 1;
            }
        }
        assert_eq!(own, 1, "{xml}");
        let all = &elements[0].1;
        assert_eq!(all["errors"], if end == "error" { "1" } else { "0" });
    }
    assert!(!junit(&helpdesk()).contains("project.assessment"));
}

#[test]
fn code_quality_has_an_entry_that_is_not_assessed() {
    for scan in without_assessment() {
        let report = code_quality(&scan);
        let own: Vec<&Value> = report
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| entry["check_name"] == "not-assessed")
            .collect();
        assert_eq!(own.len(), 1);
        assert!(own[0]["description"].as_str().unwrap().starts_with("not assessed: "));
        assert!(own[0]["location"]["lines"]["begin"].as_u64().unwrap() >= 1);
    }
    for scan in nothing_to_assess() {
        assert_eq!(code_quality(&scan), serde_json::json!([]));
    }
}
