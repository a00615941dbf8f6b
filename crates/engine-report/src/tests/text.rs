//! The text report: snapshots, paths, colours, words.

use engine_model::{FindingType, LineRange, ObligationStatus, Severity, SkipReason};

use super::fixtures::{finding, finished, helpdesk, library, no_ai, undetermined, unevaluated};
use super::{on_one_line, plain, verbose, without_colours};
use crate::{TextOptions, markdown, sarif, text};

#[test]
fn text_of_a_project_with_two_systems() {
    insta::assert_snapshot!(text(&helpdesk(), &plain()));
}

#[test]
fn verbose_text_of_a_project_with_two_systems() {
    insta::assert_snapshot!(text(&helpdesk(), &verbose()));
}

#[test]
fn text_of_a_project_without_ai() {
    insta::assert_snapshot!(text(&no_ai(), &plain()));
}

#[test]
fn text_of_a_library() {
    insta::assert_snapshot!(text(&library(), &plain()));
}

#[test]
fn text_of_an_undetermined_project() {
    insta::assert_snapshot!(text(&undetermined(), &plain()));
}

#[test]
fn text_of_a_project_without_assessed_obligations() {
    insta::assert_snapshot!(text(&unevaluated(), &plain()));
}

#[test]
fn paths_take_the_prefix_and_stay_in_one_piece_at_width_40() {
    let options = TextOptions {
        width: 40,
        path_prefix: Some("tests/projects/helpdesk".to_owned()),
        ..verbose()
    };
    let report = text(&helpdesk(), &options);
    for place in [
        "api/chat.py:46",
        "web/src/Chat.tsx:88",
        "notebooks/evaluate.ipynb:52 (cell 3)",
    ] {
        let place = format!("tests/projects/helpdesk/{place}");
        assert!(report.lines().any(|line| line.contains(&place)), "{place} in {report}");
    }
    assert!(
        on_one_line(&report).contains("engine-server answer tests/projects/helpdesk Q1="),
        "{report}"
    );
    for line in report.lines().filter(|line| line.chars().count() > 40) {
        assert!(
            line.contains("tests/projects/helpdesk") || line.contains("Art. "),
            "{line:?}"
        );
    }
}

#[test]
fn colours_are_optional_and_change_no_word() {
    let scan = helpdesk();
    let coloured = text(
        &scan,
        &TextOptions {
            colour: true,
            ..plain()
        },
    );
    assert!(coloured.contains("\u{1b}[1;31m(high)\u{1b}[0m"), "{coloured}");
    assert_eq!(without_colours(&coloured), text(&scan, &plain()));
    assert!(!text(&scan, &plain()).contains('\u{1b}'));
}

#[test]
fn words_of_legal_approval_never_occur() {
    for scan in [helpdesk(), no_ai(), library(), undetermined(), unevaluated()] {
        for report in [
            text(&scan, &plain()),
            text(&scan, &verbose()),
            markdown(&scan),
            sarif(&scan).to_string(),
        ] {
            for word in ["compliant", "certified", "guarantee", "approved"] {
                assert!(!report.to_lowercase().contains(word), "{word} in {report}");
            }
        }
    }
}

#[test]
fn the_folder_of_the_project_is_in_no_report() {
    let scan = helpdesk();
    for report in [
        text(&scan, &verbose()),
        markdown(&scan),
        sarif(&scan).to_string(),
        crate::junit(&scan),
        crate::code_quality(&scan).to_string(),
    ] {
        assert!(!report.contains("/home/ada"), "{report}");
    }
}

#[test]
fn a_project_without_ai_has_neither_score_nor_questions_nor_headings() {
    let report = text(&no_ai(), &plain());
    assert!(report.lines().count() <= 7, "{report}");
    for word in ["Score", "Grade", "FIX NOW", "DUTIES", "DECIDE", "PREPARE", "--verbose"] {
        assert!(!report.contains(word), "{word} in {report}");
    }
    assert!(report.contains("No obligation of the EU AI Act follows"));
    assert!(report.contains("1 Sep 2026"));
}

#[test]
fn equal_results_are_equal_bytes_at_another_time() {
    let first = helpdesk();
    let mut second = helpdesk();
    second.scanned_at = "2031-01-01T00:00:00.000Z".to_owned();
    second.id = "another".to_owned();
    second.elapsed = 99.0;
    assert_eq!(sarif(&first).to_string(), sarif(&second).to_string());
    assert_eq!(text(&first, &verbose()), text(&second, &verbose()));
    assert_eq!(markdown(&first), markdown(&second));
    assert_eq!(crate::junit(&first), crate::junit(&second));
    assert_eq!(crate::actions(&first), crate::actions(&second));
}

#[test]
fn the_likely_answer_of_a_question_is_shown_with_its_reason() {
    let report = text(&helpdesk(), &plain());
    assert!(
        report.contains("Likely provider: this project builds the system."),
        "{report}"
    );
}

#[test]
fn a_command_that_answers_is_not_called_a_preview() {
    assert!(crate::actions::answers("engine-server answer . Q5=<date>"));
    assert!(!crate::actions::answers("engine-server fix . --check l3-retired-model"));
    for report in [text(&helpdesk(), &plain()), markdown(&helpdesk())] {
        assert!(!report.contains("Preview a fix: engine-server answer"), "{report}");
        assert!(!report.contains("Preview a fix: `engine-server answer"), "{report}");
    }
}

#[test]
fn suppressed_findings_are_counted_by_kind() {
    let report = text(&helpdesk(), &plain());
    assert!(
        report.contains("Suppressed: 2 findings (1 as accepted risk, 1 as false positive)."),
        "{report}"
    );
}

#[test]
fn files_that_were_not_evaluated_to_their_end_are_named() {
    let mut scan = helpdesk();
    scan.files_skipped[0].reason = SkipReason::NotEvaluated;
    for report in [text(&scan, &plain()), markdown(&scan)] {
        assert!(report.contains("Not fully read"), "{report}");
        assert!(report.contains("node"), "{report}");
    }
}

#[test]
fn lines_that_were_not_parsed_are_named_with_the_reason() {
    let mut scan = helpdesk();
    let lines = [(4, 4), (11, 13)].map(|(first, last)| LineRange::new(first, last));
    scan.files_skipped[0].reason = SkipReason::NotParsed;
    scan.files_skipped[0].path = "src/bad.py".to_owned();
    scan.files_skipped[0].lines = lines.to_vec();
    for report in [text(&scan, &plain()), markdown(&scan)] {
        let report = on_one_line(&report);
        assert!(
            report.contains("src/bad.py (lines 4, 11–13: syntax not understood)"),
            "{report}"
        );
    }
}

#[test]
fn cells_that_were_not_parsed_are_named() {
    let mut scan = helpdesk();
    scan.files_skipped[0].reason = SkipReason::NotParsed;
    scan.files_skipped[0].path = "nb.ipynb".to_owned();
    scan.files_skipped[0].lines = vec![
        LineRange {
            cell: Some(3),
            ..LineRange::new(7, 7)
        },
        LineRange {
            cell: Some(5),
            ..LineRange::new(20, 22)
        },
    ];
    for report in [text(&scan, &plain()), markdown(&scan)] {
        let report = on_one_line(&report);
        let expected = "nb.ipynb (cell 3 line 7, cell 5 lines 20–22: syntax not understood)";
        assert!(report.contains(expected), "{report}");
    }
}

#[test]
fn the_command_for_evidence_names_a_duty_without_evidence() {
    let report = on_one_line(&text(&helpdesk(), &plain()));
    assert!(
        report.contains("Evidence elsewhere: engine-server answer . --evidence OBL-002=\"<where it is kept>\""),
        "{report}"
    );
}

#[test]
fn an_assessed_project_has_a_grade_with_what_it_rests_on() {
    let mut scan = unevaluated();
    let [first, rest @ ..] = scan.systems[0].obligations.as_mut_slice() else {
        unreachable!()
    };
    first.status = ObligationStatus::Gap;
    for record in rest {
        record.status = ObligationStatus::Evidenced;
    }
    let scan = finished(scan);
    let grade = scan.score.grade.clone().unwrap();
    let report = on_one_line(&text(&scan, &plain()));
    let score = format!("Score: 4 of 4 obligations in force assessed. Grade {grade}, ");
    assert!(report.contains(&score), "{score} in {report}");
    assert!(report.contains("Self-assessed."), "{report}");
    assert!(report.contains("Gate: passed."), "{report}");
    let mut known = scan;
    known.gate.as_mut().unwrap().known_findings = 2;
    let report = on_one_line(&text(&known, &plain()));
    let passed = "Gate: passed, for new findings only. Not counted: 2 known findings.";
    assert!(report.contains(passed), "{report}");
}

#[test]
fn an_open_prohibited_practice_caps_the_score() {
    let mut scan = unevaluated();
    for record in &mut scan.systems[0].obligations {
        record.status = ObligationStatus::Evidenced;
    }
    let mut ban = finding(
        "l4-social-scoring",
        FindingType::Fail,
        Severity::Critical,
        Some(("app/main.py", 3)),
        "The output of a model sets a social score.",
    );
    ban.obligation_id = Some("OBL-004".to_owned());
    scan.findings = vec![ban];
    let report = on_one_line(&text(&finished(scan), &plain()));
    assert!(
        report.contains("Capped at 29: an indicator of a prohibited practice (Art. 5) is open."),
        "{report}"
    );
}
