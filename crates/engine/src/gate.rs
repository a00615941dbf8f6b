//! The gate: whether a scan brings something that must not pass.

use std::collections::BTreeSet;

use engine_model::{EventBody, Finding, FindingType, GateResult, GateVerdict, ScanDiffResult, ScanResult, Severity};
use engine_report::{needs_assessment, not_assessed};
use serde_json::json;

use crate::config::GateConfig;

/// Whether a finding is a gap or must be fixed now, and nobody has suppressed it.
pub(crate) fn is_open(finding: &Finding) -> bool {
    finding.suppressed.is_none() && (finding.kind == FindingType::Fail || finding.is_urgent())
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
    let grave = scan
        .findings
        .iter()
        .filter(|f| is_open(f) && f.severity >= config.severity);
    let (findings, known): (Vec<&Finding>, Vec<&Finding>) =
        grave.partition(|f| f.baseline.is_none() && !known.contains(f.id.as_str()));
    let known_findings = known.len() as u64;
    let findings: Vec<String> = findings.iter().map(|f| f.id.clone()).collect();
    let new_findings = findings.len() as u64;
    let mut reasons = Vec::new();
    if new_findings > config.max_new_findings {
        reasons.push(format!(
            "{new_findings} new {} of severity {} or above, {} allowed",
            if new_findings == 1 { "finding" } else { "findings" },
            config.severity.name(),
            config.max_new_findings
        ));
    }
    let assessed = scan.score.assessed;
    // A threshold on a score says nothing while no obligation was evaluated.
    let scores = [
        ("score", scan.score.compliance, config.min_score),
        ("readiness", scan.score.readiness, config.min_readiness),
    ];
    for (name, value, least) in scores {
        if let Some(least) = least.filter(|least| assessed && value < *least) {
            reasons.push(format!("the {name} is {value}; the minimum is {least}"));
        }
    }
    let verdict = if !reasons.is_empty() {
        GateVerdict::Failed
    } else if needs_assessment(scan) {
        reasons.push(not_assessed(scan));
        GateVerdict::NotAssessed
    } else {
        GateVerdict::Passed
    };
    let mut threshold =
        json!({ "newFindings": { "severity": config.severity.name(), "max": config.max_new_findings } });
    if let Some(score) = config.min_score {
        threshold["score"] = json!({ "min": score });
    }
    if let Some(readiness) = config.min_readiness {
        threshold["readiness"] = json!({ "min": readiness });
    }
    GateResult {
        passed: verdict == GateVerdict::Passed,
        verdict,
        threshold,
        new_findings,
        known_findings,
        findings,
        reasons,
    }
}

/// The event that tells of a verdict.
pub(crate) fn event(scan: &ScanResult, gate: &GateResult) -> EventBody {
    let score = scan.score.assessed.then_some(scan.score.compliance);
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
            verdict: gate.verdict,
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
