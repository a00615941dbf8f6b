//! No report cuts a sentence.

use engine_model::{FindingType, Impact, ScanResult, Severity};
use proptest::prelude::*;

use super::fixtures::{crowded, finding, finished, helpdesk, prose};
use super::{WIDTHS, on_one_line, plain, verbose};
use crate::{TextOptions, text};

/// The sentences of a text of [`prose`].
fn sentences(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in text.split(" Mk") {
        if out.is_empty() {
            out.push(part.to_owned());
        } else {
            out.push(format!("Mk{part}"));
        }
    }
    out
}

/// All texts of a result of which a report may show a part.
fn sources(scan: &ScanResult) -> Vec<String> {
    let mut texts = vec![scan.applicability_reason.clone()];
    for finding in &scan.findings {
        texts.push(finding.message.clone());
        texts.extend(finding.fix.clone());
    }
    for question in scan.systems.iter().flat_map(|system| &system.questions) {
        texts.push(question.why.clone());
        texts.push(question.effect.clone());
    }
    texts.retain(|text| text.starts_with("Mk"));
    texts
}

/// Checks that each text is shown by its leading whole sentences or not at all; counts the sentences shown.
fn assert_whole(scan: &ScanResult, report: &str) -> usize {
    let mut line = on_one_line(report);
    for action in crate::actions(scan) {
        // The options of a question with many of them are written as `<first|…|last>`.
        if let Some(command) = &action.command {
            line = line.replace(command.as_str(), "");
        }
    }
    assert!(!line.contains('…'), "{report}");
    let mut shown = 0;
    for source in sources(scan) {
        let mut over = false;
        for sentence in sentences(&source) {
            let marker = format!("{} ", sentence.split(' ').next().unwrap());
            if line.contains(&marker) {
                assert!(!over, "{sentence} follows a sentence that is left out: {report}");
                assert!(line.contains(&sentence), "{sentence} is cut in {report}");
                shown += 1;
            } else {
                over = true;
            }
        }
    }
    shown
}

#[test]
fn the_default_report_of_a_crowded_project_consists_of_whole_sentences() {
    let scan = crowded();
    assert!(sources(&scan).len() > 200);
    for width in WIDTHS {
        let shown = assert_whole(&scan, &text(&scan, &TextOptions { width, ..plain() }));
        assert!(shown >= 4, "{shown}");
    }
}

#[test]
fn the_verbose_report_shows_all_sentences() {
    let scan = crowded();
    for width in WIDTHS {
        let report = text(&scan, &TextOptions { width, ..verbose() });
        let line = on_one_line(&report);
        for text in sources(&scan) {
            assert!(line.contains(&text), "{text} in {report}");
        }
    }
}

#[test]
fn a_verbose_paragraph_of_more_than_600_characters_is_whole() {
    let mut scan = helpdesk();
    scan.findings[0].message = prose("long", 24);
    assert!(scan.findings[0].message.len() > 2_000);
    let report = text(&finished(scan.clone()), &verbose());
    assert!(on_one_line(&report).contains(&scan.findings[0].message), "{report}");
}

#[test]
fn sarif_junit_and_code_quality_cut_no_sentence() {
    let scan = crowded();
    let (log, xml) = (crate::sarif(&scan), crate::junit(&scan));
    let results = log["runs"][0]["results"].to_string();
    let report = crate::code_quality(&scan);
    for finding in scan.findings.iter().filter(|finding| finding.message.starts_with("Mk")) {
        assert!(results.contains(&finding.message), "{}", finding.message);
    }
    assert!(!results.contains('…') && !xml.contains('…'));
    for entry in report.as_array().unwrap() {
        let description = entry["description"].as_str().unwrap();
        assert!(
            description.chars().count() <= 300 && !description.contains('…'),
            "{description}"
        );
    }
}

#[test]
fn a_place_that_the_message_names_is_not_repeated() {
    let mut scan = helpdesk();
    scan.findings = vec![finding(
        "l4-x",
        FindingType::Fail,
        Severity::High,
        Some(("api/chat.py", 46)),
        "No AI disclosure was found (api/chat.py:46). Users interact with it.",
    )];
    let report = text(&finished(scan), &plain());
    assert!(
        report.contains("\n   No AI disclosure was found. Users interact with it.\n"),
        "{report}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_of_one_to_six_sentences_are_shown_in_whole_sentences(
        numbers in prop::collection::vec((1_usize..=6, 1_usize..=6, 0_usize..4), 1..12),
        width in 40_usize..160,
        prefix in prop::option::of(Just("tests/projects/helpdesk".to_owned())),
    ) {
        let mut scan = helpdesk();
        scan.findings = numbers
            .iter()
            .enumerate()
            .map(|(n, (message, fix, part))| {
                let kind = if *part == 3 { FindingType::Info } else { FindingType::Fail };
                let file = format!("api/{n}.py");
                let text = prose(&format!("m{n}"), *message);
                let mut finding = finding(&format!("l4-{n}"), kind, Severity::High, Some((&file, 1)), &text);
                finding.title = format!("Problem {n}");
                finding.impact = Some([Impact::Exposes, Impact::Breaks, Impact::Misleads, Impact::Prepares][*part]);
                finding.fix = Some(prose(&format!("f{n}"), *fix));
                finding
            })
            .collect();
        scan.systems[1].questions[0].why = prose("w", numbers[0].0);
        scan.systems[1].questions[0].effect = prose("e", numbers[0].1);
        let scan = finished(scan);
        let options = TextOptions { width, path_prefix: prefix, ..plain() };
        let report = text(&scan, &options);
        assert_whole(&scan, &report);
        prop_assert!(report.lines().count() <= 60 || width < 60, "{report}");
    }
}

#[test]
fn a_model_behind_an_openai_client_is_named_by_its_maker() {
    for (provider, model, name) in [
        (
            "openai",
            "gemini-2.5-flash-lite",
            "google gemini-2.5-flash-lite through an OpenAI client",
        ),
        ("openai", "gpt-4.1-mini", "openai gpt-4.1-mini"),
        ("azure-openai", "gpt-4.1-mini", "azure-openai gpt-4.1-mini"),
        (
            "openai",
            "a-model-that-nobody-lists",
            "openai a-model-that-nobody-lists",
        ),
        ("", "gpt-4.1-mini", "gpt-4.1-mini"),
    ] {
        assert_eq!(crate::view::named_model(provider, model.to_owned()), name);
    }
}
