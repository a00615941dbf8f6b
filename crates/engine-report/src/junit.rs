//! `JUnit` XML: every obligation of every system as one test case, so that a build server shows them like tests.
//!
//! An obligation with a gap fails, one with evidence passes, and one that was not evaluated, or is incomplete, is skipped with the reason.
//! If no obligation in force was evaluated, one case ends in an error: a test that did not run is not a test that passed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use engine_model::{Applies, Finding, FindingType, ObligationRecord, ObligationStatus, ScanResult, System};

use crate::assessment::{needs_assessment, nothing_assessed};
use crate::foreign::{clean, clean_paragraph, is_hidden};
use crate::view;

/// Findings told in full in one failure; the rest is counted.
const FINDINGS_MAX: usize = 20;

/// How one case ended.
enum End {
    Passed,
    Failed {
        message: String,
        text: String,
    },
    Skipped(String),
    /// It could not be assessed: neither a pass nor a gap.
    Error(String),
}

struct Case {
    class: String,
    name: String,
    file: Option<(String, Option<u32>)>,
    end: End,
}

pub(crate) fn render(scan: &ScanResult) -> String {
    let mut suites: Vec<(String, Vec<Case>)> = scan
        .systems
        .iter()
        .map(|system| (format!("system {}", clean(&system.name)), cases(scan, system)))
        .collect();
    let mut outside = outside(scan);
    // No test, or only skipped ones, would read like a pass.
    outside.extend(nothing_assessed(scan).map(|why| Case {
        class: "project.assessment".to_owned(),
        name: "Assessment of the obligations in force".to_owned(),
        file: None,
        end: if needs_assessment(scan) {
            End::Error(why)
        } else {
            End::Skipped(why)
        },
    }));
    if !outside.is_empty() || suites.is_empty() {
        suites.push(("project".to_owned(), outside));
    }
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all = || suites.iter().flat_map(|(_, cases)| cases);
    let _ = writeln!(
        out,
        "<testsuites name=\"Local Compliance Engine\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"{}\">",
        all().count(),
        all().filter(|case| matches!(case.end, End::Failed { .. })).count(),
        all().filter(|case| matches!(case.end, End::Skipped(_))).count(),
        all().filter(|case| matches!(case.end, End::Error(_))).count(),
    );
    for (name, cases) in &suites {
        suite(&mut out, scan, name, cases);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, scan: &ScanResult, name: &str, cases: &[Case]) {
    let failed = cases
        .iter()
        .filter(|case| matches!(case.end, End::Failed { .. }))
        .count();
    let skipped = cases.iter().filter(|case| matches!(case.end, End::Skipped(_))).count();
    let errors = cases.iter().filter(|case| matches!(case.end, End::Error(_))).count();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" skipped=\"{skipped}\" errors=\"{errors}\">",
        escaped(name),
        cases.len(),
    );
    let _ = writeln!(out, "    <properties>");
    for (key, value) in [
        ("asOf", scan.as_of.to_string()),
        ("regulationVersion", scan.regulation_version.clone()),
        ("applicability", scan.applicability_reason.clone()),
        (
            "note",
            "self-assessed from source code: an indicator, not a legal opinion".to_owned(),
        ),
    ] {
        let _ = writeln!(
            out,
            "      <property name=\"{key}\" value=\"{}\"/>",
            escaped(&clean(&value))
        );
    }
    let _ = writeln!(out, "    </properties>");
    for case in cases {
        let _ = write!(
            out,
            "    <testcase classname=\"{}\" name=\"{}\"",
            escaped(&case.class),
            escaped(&case.name)
        );
        if let Some((file, line)) = &case.file {
            let _ = write!(out, " file=\"{}\"", escaped(file));
            if let Some(line) = line {
                let _ = write!(out, " line=\"{line}\"");
            }
        }
        match &case.end {
            End::Passed => out.push_str("/>\n"),
            End::Skipped(why) => {
                let _ = writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(why));
            }
            End::Error(why) => {
                let _ = writeln!(
                    out,
                    ">\n      <error type=\"not-assessed\" message=\"{}\"/>\n    </testcase>",
                    escaped(why)
                );
            }
            End::Failed { message, text } => {
                let _ = writeln!(
                    out,
                    ">\n      <failure type=\"gap\" message=\"{}\">{}</failure>\n    </testcase>",
                    escaped(message),
                    escaped(text)
                );
            }
        }
    }
    out.push_str("  </testsuite>\n");
}

/// The obligations of a system. Upcoming and undetermined ones are skipped and say so.
fn cases(scan: &ScanResult, system: &System) -> Vec<Case> {
    system
        .obligations
        .iter()
        .filter(|record| record.applies != Applies::DoesNotApply)
        .map(|record| {
            let gaps = gaps(scan, |finding| {
                finding.system.as_deref() == Some(system.id.as_str())
                    && finding.obligation_id.as_deref() == Some(record.obligation_id.as_str())
            });
            Case {
                class: format!("{}.{}", clean(&system.id), clean(&record.article).replace('.', "")),
                name: format!("{} {}", record.obligation_id, clean(&record.title)),
                file: gaps.first().map(|finding| view::place_of(scan, finding)),
                end: end(scan, record, &gaps),
            }
        })
        .collect()
}

fn end(scan: &ScanResult, record: &ObligationRecord, gaps: &[&Finding]) -> End {
    match record.applies {
        Applies::Upcoming => {
            let from = record
                .applies_from
                .map_or_else(String::new, |date| format!(" from {date}"));
            return End::Skipped(format!("applies{from}; today: {}", status(record.status)));
        }
        Applies::Undetermined => {
            if let Some(starts) = record.starts_in_words(scan.as_of) {
                return End::Skipped(format!("{starts}; today: {}", status(record.status)));
            }
            return End::Skipped(match &record.question {
                Some(question) => format!("depends on this question: {}", clean(question)),
                None => format!("undetermined: {}", clean(&record.because)),
            });
        }
        Applies::Applies | Applies::DoesNotApply => {}
    }
    match record.status {
        ObligationStatus::Evidenced => End::Passed,
        ObligationStatus::NotEvaluated => End::Skipped("not evaluated: no evidence and no gap was found".to_owned()),
        ObligationStatus::Incomplete => End::Skipped("incomplete: the evidence covers a part of it".to_owned()),
        ObligationStatus::Gap => {
            let message = gaps.first().map_or_else(
                || format!("gap: {}", clean(&record.because)),
                |finding| clean_paragraph(&finding.message).into_owned(),
            );
            End::Failed {
                message,
                text: told(scan, gaps),
            }
        }
    }
}

/// Gaps that no obligation of a system speaks for, such as a key in a project without AI.
fn outside(scan: &ScanResult) -> Vec<Case> {
    let known = |finding: &Finding| {
        scan.systems.iter().any(|system| {
            finding.system.as_deref() == Some(system.id.as_str())
                && system.obligations.iter().any(|record| {
                    finding.obligation_id.as_deref() == Some(record.obligation_id.as_str())
                        && record.applies == Applies::Applies
                        && record.status == ObligationStatus::Gap
                })
        })
    };
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    gaps(scan, |finding| !known(finding))
        .into_iter()
        .map(|finding| {
            let place = view::place_of(scan, finding);
            let mut name = format!("{} {}", finding.check_id, view::at(&place.0, place.1));
            // Build servers take two cases of one name for one case that ran twice.
            let times = names.entry(name.clone()).or_default();
            *times += 1;
            if *times > 1 {
                let _ = write!(name, " ({times})");
            }
            Case {
                class: format!("project.{}", finding.check_id),
                name,
                end: End::Failed {
                    message: clean_paragraph(&finding.message).into_owned(),
                    text: told(scan, &[finding]),
                },
                file: Some(place),
            }
        })
        .collect()
}

fn gaps(scan: &ScanResult, belongs: impl Fn(&Finding) -> bool) -> Vec<&Finding> {
    scan.findings
        .iter()
        .filter(|finding| {
            (finding.kind == FindingType::Fail || finding.is_urgent())
                && finding.suppressed.is_none()
                && belongs(finding)
        })
        .collect()
}

fn told(scan: &ScanResult, gaps: &[&Finding]) -> String {
    let mut text = String::new();
    for finding in gaps.iter().take(FINDINGS_MAX) {
        let (file, line) = view::place_of(scan, finding);
        let _ = writeln!(
            text,
            "{}: {} [{}]",
            view::at(&file, line),
            clean_paragraph(&finding.message),
            finding.check_id
        );
        if let Some(fix) = finding.fix.as_deref().filter(|fix| !fix.is_empty()) {
            let _ = writeln!(text, "  Do: {}", clean_paragraph(fix));
        }
        if let Some(provision) = view::provision(finding, scan.as_of) {
            let _ = writeln!(text, "  {}", clean(&provision));
        }
    }
    if gaps.len() > FINDINGS_MAX {
        let _ = writeln!(text, "and {} more", gaps.len() - FINDINGS_MAX);
    }
    text
}

const fn status(status: ObligationStatus) -> &'static str {
    match status {
        ObligationStatus::Evidenced => "evidenced",
        ObligationStatus::Gap => "gap",
        ObligationStatus::Incomplete => "incomplete",
        ObligationStatus::NotEvaluated => "not evaluated",
    }
}

/// Text as XML holds it; characters that XML 1.0 cannot hold at all are left out.
fn escaped(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\'') && !forbidden(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c if forbidden(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn forbidden(c: char) -> bool {
    (is_hidden(c) && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}')
}
