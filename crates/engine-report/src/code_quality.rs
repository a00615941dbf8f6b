//! Code Quality of GitLab: a list of open gaps, which the host compares with the list of the target branch.

use engine_model::{Finding, FindingType, ScanResult, Severity};
use serde_json::{Value, json};

use crate::assessment::{needs_assessment, not_assessed};
use crate::foreign::{clip, columns};
use crate::sentences::brief;
use crate::view;

/// Characters of one description; the widget shows it on one line.
const DESCRIPTION_MAX: usize = 300;

pub(crate) fn render(scan: &ScanResult) -> Value {
    scan.findings
        .iter()
        .filter(|finding| finding.suppressed.is_none())
        .filter(|finding| finding.kind == FindingType::Fail || finding.is_urgent())
        .map(|finding| issue(scan, finding))
        .chain(unassessed(scan))
        .collect()
}

/// An entry that says that nothing was assessed: an empty list would read like a pass.
fn unassessed(scan: &ScanResult) -> Option<Value> {
    let why = needs_assessment(scan).then(|| not_assessed(scan))?;
    let file = scan.systems.first().and_then(|system| system.files.first());
    Some(json!({
        "type": "issue",
        "check_name": "not-assessed",
        "description": clip(&why, DESCRIPTION_MAX),
        "categories": ["Compatibility"],
        "fingerprint": "not-assessed",
        "severity": "info",
        "location": {"path": file.map_or(".", String::as_str), "lines": {"begin": 1}},
    }))
}

fn issue(scan: &ScanResult, finding: &Finding) -> Value {
    let description = match view::provision(finding, scan.as_of) {
        Some(provision) => {
            let provision = format!(" ({provision})");
            let text = brief(&finding.message, DESCRIPTION_MAX.saturating_sub(columns(&provision)));
            format!("{}{provision}", text.trim_end_matches('.'))
        }
        None => brief(&finding.message, DESCRIPTION_MAX),
    };
    let (path, line) = view::place_of(scan, finding);
    json!({
        "type": "issue",
        "check_name": finding.check_id,
        "description": clip(&description, DESCRIPTION_MAX),
        "categories": [category(finding)],
        // The fingerprint of a finding survives moved lines, so the host does not take a move for something new.
        "fingerprint": finding.id,
        "severity": severity(finding.severity),
        // The host drops entries without a first line; what is about a file as a whole stands at its beginning.
        "location": {"path": path, "lines": {"begin": line.unwrap_or(1)}},
    })
}

/// The words of the format's own list.
fn category(finding: &Finding) -> &'static str {
    if finding.check_id.starts_with("secret-") {
        "Security"
    } else if finding.check_id.contains("unhandled") {
        "Bug Risk"
    } else {
        "Compatibility"
    }
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "blocker",
        Severity::High => "critical",
        Severity::Medium => "major",
        Severity::Low => "minor",
        Severity::Info => "info",
    }
}
