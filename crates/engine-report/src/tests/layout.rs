//! Lines and columns of the text report.

use engine_model::{Applicability, FindingType, ScanResult, SkipReason};

use super::fixtures::{crowded, helpdesk, likely, no_ai, prose, skipped};
use super::{WIDTHS, plain, verbose, without_colours};
use crate::{TextOptions, text};

/// The most lines of the report by default.
const LINES_MAX: usize = 60;

/// Columns of the longest word: what cannot be broken may be wider than the terminal.
fn longest_word(line: &str) -> usize {
    line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0)
}

/// The crowded project with suppressed findings, unread files and a likely answer for each question.
fn crowded_with_notes() -> ScanResult {
    let mut scan = crowded();
    for n in 0..40 {
        scan.files_skipped.push(skipped(
            &format!("services/legacy-backend/src/generated/schema_{n}.py"),
            SkipReason::NotEvaluated,
            None,
        ));
    }
    scan.files_skipped_total = scan.files_skipped.len() as u64;
    scan.findings_total += 3;
    for system in &mut scan.systems {
        for question in &mut system.questions {
            question.suggestion = Some(likely("4(a)", &prose("s", 1)));
        }
    }
    scan
}

#[test]
fn the_default_report_has_at_most_60_lines() {
    for scan in [helpdesk(), crowded(), crowded_with_notes(), no_ai()] {
        for width in WIDTHS {
            for colour in [false, true] {
                for path_prefix in [None, Some("customers/example/products/hiring".to_owned())] {
                    let options = TextOptions {
                        width,
                        colour,
                        path_prefix,
                        verbose: false,
                    };
                    let report = text(&scan, &options);
                    let lines = report.lines().count();
                    assert!(lines <= LINES_MAX, "{lines} lines at {width}:\n{report}");
                }
            }
        }
    }
}

#[test]
fn the_default_report_of_a_crowded_project_uses_the_room() {
    for width in WIDTHS {
        let report = text(&crowded(), &TextOptions { width, ..plain() });
        assert!(report.lines().count() >= 45, "{report}");
    }
}

#[test]
fn colours_change_neither_lines_nor_words_of_a_crowded_project() {
    let scan = crowded();
    for width in WIDTHS {
        for options in [plain(), verbose()] {
            let options = TextOptions { width, ..options };
            let coloured = TextOptions {
                colour: true,
                ..options.clone()
            };
            assert_eq!(without_colours(&text(&scan, &coloured)), text(&scan, &options));
        }
    }
}

#[test]
fn lines_end_within_the_width_unless_one_word_is_longer() {
    let scan = crowded();
    for width in WIDTHS {
        for options in [plain(), verbose()] {
            let report = text(&scan, &TextOptions { width, ..options });
            for line in report.lines() {
                let columns = line.chars().count();
                assert!(
                    columns <= width || longest_word(line) + 12 > width,
                    "{columns} at {width}: {line}"
                );
                assert!(!line.ends_with(' '), "{line:?}");
            }
            assert!(!report.contains("\n\n\n") && report.ends_with('\n'), "{report}");
        }
    }
}

#[test]
fn verbose_text_shows_the_place_of_every_finding() {
    let mut scan = crowded();
    // Several findings of one check are one action with several places.
    for n in 0..9 {
        let mut again = scan.findings.last().unwrap().clone();
        again.id = format!("again-{n}");
        again.file = Some(format!("services/again-{n}/main.py"));
        scan.findings.push(again);
    }
    for width in WIDTHS {
        let report = text(&scan, &TextOptions { width, ..verbose() });
        for finding in &scan.findings {
            if finding.suppressed.is_some() || finding.kind == FindingType::Pass {
                continue;
            }
            let Some(file) = &finding.file else {
                assert!(report.contains(&finding.title), "{} in {report}", finding.title);
                continue;
            };
            let place = format!("{file}:{}", finding.line.unwrap());
            assert!(report.contains(&place), "{place} of {} in {report}", finding.id);
        }
        for system in &scan.systems {
            assert!(report.contains(&system.name));
        }
        assert!(!report.contains("--verbose"), "{report}");
    }
}

#[test]
fn the_default_report_names_the_command_for_all_details() {
    let report = text(&helpdesk(), &plain());
    assert!(
        report.contains("All details: engine-server scan . --verbose."),
        "{report}"
    );
    let prefix = TextOptions {
        path_prefix: Some("web".to_owned()),
        ..plain()
    };
    assert!(text(&helpdesk(), &prefix).contains("All details: engine-server scan web --verbose."));
}

#[test]
fn every_applicability_fits_on_a_narrow_terminal() {
    for applicability in [
        Applicability::SystemsFound,
        Applicability::NoAiFound,
        Applicability::Library,
        Applicability::Undetermined,
    ] {
        let mut scan = helpdesk();
        scan.applicability = applicability;
        for width in [0, 40] {
            let report = text(&scan, &TextOptions { width, ..verbose() });
            assert!(report.lines().count() > 3, "{report}");
        }
    }
}
