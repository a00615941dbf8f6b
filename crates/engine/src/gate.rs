//! The gate: whether a scan brings something that must not pass.

use std::collections::BTreeSet;

use engine_model::{EventBody, Finding, FindingType, GateResult, ScanDiffResult, ScanResult, Severity};
use serde_json::json;

use crate::config::GateConfig;

/// Whether a finding is a gap that nobody has answered for.
pub(crate) fn is_open(finding: &Finding) -> bool {
    finding.kind == FindingType::Fail && finding.suppressed.is_none()
}

/// Gaps that nobody has set aside.
pub(crate) fn open_gaps(scan: &ScanResult) -> u64 {
    scan.findings.iter().filter(|finding| is_open(finding)).count() as u64
}

/// Judges a scan. New is what is not in the baseline; without a baseline, what the scan before did not have.
pub(crate) fn evaluate(scan: &ScanResult, before: Option<&ScanResult>, config: &GateConfig) -> GateResult {
    let known: BTreeSet<&str> = before
        .filter(|_| scan.baseline.is_none())
        .map(|scan| {
            scan.findings
                .iter()
                .filter(|f| is_open(f))
                .map(|f| f.id.as_str())
                .collect()
        })
        .unwrap_or_default();
    let findings: Vec<String> = scan
        .findings
        .iter()
        .filter(|f| is_open(f) && f.baseline.is_none() && f.severity >= config.severity)
        .filter(|f| !known.contains(f.id.as_str()))
        .map(|f| f.id.clone())
        .collect();
    let new_findings = findings.len() as u64;
    let mut reasons = Vec::new();
    if new_findings > config.max_new_findings {
        reasons.push(format!(
            "{new_findings} new of severity {} or above, and {} may pass",
            config.severity.name(),
            config.max_new_findings
        ));
    }
    // Where there is nothing to weigh there is no score that could be too low.
    if scan.score.grade.is_some() {
        let scores = [
            ("score", scan.score.compliance, config.min_score),
            ("readiness", scan.score.readiness, config.min_readiness),
        ];
        for (name, value, least) in scores {
            if let Some(least) = least.filter(|least| value < *least) {
                reasons.push(format!("the {name} is {value}, and at least {least} is asked for"));
            }
        }
    }
    let mut threshold =
        json!({ "newFindings": { "severity": config.severity.name(), "max": config.max_new_findings } });
    if let Some(score) = config.min_score {
        threshold["score"] = json!({ "min": score });
    }
    if let Some(readiness) = config.min_readiness {
        threshold["readiness"] = json!({ "min": readiness });
    }
    GateResult {
        passed: reasons.is_empty(),
        threshold,
        new_findings,
        findings,
        reasons,
    }
}

/// The event that tells of a verdict.
pub(crate) fn event(scan: &ScanResult, gate: &GateResult) -> EventBody {
    let score = scan.score.grade.is_some().then_some(scan.score.compliance);
    let (threshold, new_findings) = (gate.threshold.clone(), gate.new_findings);
    if gate.passed {
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

/// Whether a comparison found a new gap of a severity or above that nobody has answered for.
pub fn fails_anew(diff: &ScanDiffResult, least: Severity) -> bool {
    diff.added
        .iter()
        .any(|f| is_open(f) && f.baseline.is_none() && f.severity >= least)
}

/// Whether a scan has a gap of a severity or above that nobody has answered for: neither set aside nor in the baseline.
pub fn fails(scan: &ScanResult, least: Severity) -> bool {
    scan.findings
        .iter()
        .any(|f| is_open(f) && f.baseline.is_none() && f.severity >= least)
}
