//! The gate: whether a scan brings something that must not pass.

use std::collections::BTreeSet;

use engine_model::{EventBody, FindingType, ScanResult, Severity};
use serde_json::json;

/// Gaps that nobody has set aside.
pub(crate) fn open_gaps(scan: &ScanResult) -> u64 {
    scan.findings
        .iter()
        .filter(|f| f.kind == FindingType::Fail && f.suppressed.is_none())
        .count() as u64
}

/// The event for a scan: it passes when no critical or high gap is new against the scan before.
pub(crate) fn evaluate(scan: &ScanResult, before: Option<&ScanResult>) -> EventBody {
    let known: BTreeSet<&str> = before
        .map(|scan| scan.findings.iter().map(|f| f.id.as_str()).collect())
        .unwrap_or_default();
    let new_findings = scan
        .findings
        .iter()
        .filter(|f| f.kind == FindingType::Fail && f.suppressed.is_none() && f.severity >= Severity::High)
        .filter(|f| !known.contains(f.id.as_str()))
        .count() as u64;
    let score = scan.score.grade.is_some().then_some(scan.score.compliance);
    let threshold = json!({ "newFindings": { "severity": "high", "max": 0 } });
    if new_findings == 0 {
        EventBody::GatePass {
            score,
            threshold,
            new_findings,
        }
    } else {
        EventBody::GateFail {
            score,
            threshold,
            new_findings,
        }
    }
}
