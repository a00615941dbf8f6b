//! Findings of the tools beside those of the engine: what means the same stays once, with every source named.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Evidence, EvidenceKind, ExternalFinding, ExternalToolResult, Finding, FindingType, Layer, Location, Severity,
    ToolRecord, ToolRunStatus, Zone,
};
use engine_scanner::{External, ExternalObservation, mask_secrets};
use engine_tools::{Kind, RunStatus, ToolFinding, ToolRun, rules};

/// The digest of a file that is not read whole.
pub(super) const UNKNOWN: [u8; 32] = [0; 32];

/// A finding that is less sure than this is a notice.
const SURE_MIN: u8 = 50;

/// The confidence of a finding where neither the table nor the tool states one.
const CONFIDENCE_USUAL: u8 = 60;

/// What the runs come to.
pub(super) struct Merged {
    pub(super) external: External,
    pub(super) records: Vec<ToolRecord>,
    /// Of the tools that ran to their end, with the check that covers each finding.
    pub(super) results: Vec<ExternalToolResult>,
}

/// Joins the findings of all runs with those of the engine.
pub(super) fn merge(
    own: &[Finding],
    runs: &[ToolRun],
    seen: &BTreeMap<String, ([u8; 32], Zone)>,
    now: &BTreeMap<String, [u8; 32]>,
) -> Merged {
    let mut external = External::default();
    let mut kinds: Vec<&str> = Vec::new();
    let mut records = Vec::new();
    let mut results = Vec::new();
    for run in runs {
        let mut told = BTreeSet::new();
        let (mut duplicates, mut changed) = (0, 0);
        let mut listed = Vec::new();
        for found in &run.findings {
            let Some((digest, zone)) = seen.get(&found.file) else {
                continue;
            };
            if *digest != UNKNOWN && now.get(&found.file) != Some(digest) {
                changed += 1;
                continue;
            }
            let Some((observation, kind)) = observation(run, found, *zone) else {
                continue;
            };
            // One rule at one line is one finding, whatever the columns.
            if !told.insert((observation.check_id.clone(), found.file.clone(), found.line)) {
                duplicates += 1;
                continue;
            }
            let source = source(run, found);
            let same = own.iter().find(|finding| {
                finding.kind != FindingType::Pass && kind.is_same_as(&finding.check_id) && is_at(finding, found)
            });
            let same_as = if let Some(same) = same {
                external.seconded.entry(same.id.clone()).or_default().push(source);
                Some(same.check_id.clone())
            } else if let Some(at) = (0..external.observations.len()).find(|at| {
                kinds[*at] == kind.name
                    && external.observations[*at].location.file == found.file
                    && covers(&external.observations[*at], found)
            }) {
                let first = &mut external.observations[at];
                first.evidence.push(source);
                // Two tools that agree are as sure as the surer one.
                first.confidence = first.confidence.max(observation.confidence);
                Some(first.check_id.clone())
            } else {
                None
            };
            listed.push(ExternalFinding {
                check_id: observation.check_id.clone(),
                kind: if observation.gap {
                    FindingType::Fail
                } else {
                    FindingType::Info
                },
                severity: observation.severity,
                title: observation.title.clone(),
                message: observation.message.clone(),
                obligation_id: Some(observation.obligation.clone()),
                file: found.file.clone(),
                line: found.line,
                same_as: same_as.clone(),
            });
            if same_as.is_some() {
                duplicates += 1;
            } else {
                kinds.push(&kind.name);
                external.observations.push(observation);
            }
        }
        let mut record = record(run, duplicates);
        if changed > 0 {
            let text = format!(
                "{changed} findings are left out, because their files changed during the run; scan again to get them"
            );
            record.error = Some(
                record
                    .error
                    .map_or_else(|| text.clone(), |error| format!("{error}; {text}")),
            );
        }
        if run.status == RunStatus::Ran {
            results.push(ExternalToolResult {
                tool: record.name.clone(),
                version: record.version.clone(),
                findings: listed,
                duration: engine_model::milliseconds(record.elapsed),
                exit_code: record.exit_code.unwrap_or(0),
            });
        }
        records.push(record);
    }
    // The order of the tools decides what is kept, not the order in which findings are numbered.
    external
        .observations
        .sort_by(|a, b| (&a.location, &a.check_id).cmp(&(&b.location, &b.check_id)));
    Merged {
        external,
        records,
        results,
    }
}

/// The lists of findings per tool, with type, message and obligation as they stand in the result.
pub(super) fn results(
    mut results: Vec<ExternalToolResult>,
    findings: &[Finding],
    has_systems: bool,
) -> Vec<ExternalToolResult> {
    let by_place: BTreeMap<(&str, &str, u32), &Finding> = findings
        .iter()
        .filter_map(|finding| {
            let place = (finding.check_id.as_str(), finding.file.as_deref()?, finding.line?);
            finding.check_id.starts_with("ext-").then_some((place, finding))
        })
        .collect();
    for found in results.iter_mut().flat_map(|result| &mut result.findings) {
        if !has_systems {
            found.obligation_id = None;
        }
        if let Some(finding) = by_place.get(&(found.check_id.as_str(), found.file.as_str(), found.line)) {
            found.kind = finding.kind;
            found.severity = finding.severity;
            found.message.clone_from(&finding.message);
            found.obligation_id.clone_from(&finding.obligation_id);
        }
    }
    results
}

fn record(run: &ToolRun, duplicates: u64) -> ToolRecord {
    ToolRecord {
        name: run.name.to_owned(),
        version: run.version.clone(),
        status: match run.status {
            RunStatus::Ran => ToolRunStatus::Ran,
            RunStatus::Missing => ToolRunStatus::Missing,
            RunStatus::Failed => ToolRunStatus::Failed,
            RunStatus::TimedOut => ToolRunStatus::TimedOut,
        },
        exit_code: run.exit_code,
        elapsed: (run.elapsed.as_secs_f64() * 1e6).round() / 1e3,
        findings: run.findings.len() as u64,
        duplicates,
        files: run.files,
        files_left_out: run.files_left_out,
        error: run.error.as_deref().map(mask_secrets),
    }
}

fn observation(run: &ToolRun, found: &ToolFinding, zone: Zone) -> Option<(ExternalObservation, &'static Kind)> {
    let table = rules();
    let row = table.rule(run.name, &found.rule)?;
    let kind = table.kind(&row.kind)?;
    let mut severity = row.severity.or(found.severity).unwrap_or(Severity::Low);
    let confidence = row.confidence.or(found.confidence).unwrap_or(CONFIDENCE_USUAL);
    if zone != Zone::Product {
        severity = severity.min(Severity::Low);
    }
    let detail = found.detail.as_deref().unwrap_or(&found.rule);
    let observation = ExternalObservation {
        check_id: format!("ext-{}-{}", run.name, found.rule.to_ascii_lowercase()),
        layer: match kind.name.as_str() {
            "secret" | "model-file" => Layer::L3,
            _ => Layer::L4,
        },
        obligation: kind.obligation.clone(),
        gap: severity >= Severity::Medium && confidence >= SURE_MIN,
        severity,
        confidence,
        title: row.title.clone(),
        message: format!("{} ({} {}: {detail})", row.message, run.name, run.version),
        fix: row.fix.clone(),
        location: Location {
            file: found.file.clone(),
            line: found.line,
            column: found.column,
            cell: None,
        },
        end_line: found.end_line,
        evidence: vec![source(run, found)],
    };
    Some((observation, kind))
}

/// The tool as a source.
fn source(run: &ToolRun, found: &ToolFinding) -> Evidence {
    Evidence {
        kind: if run.name == "modelscan" {
            EvidenceKind::Configuration
        } else {
            EvidenceKind::Code
        },
        reference: format!("{} {}: {}", run.name, run.version, found.rule),
        file: Some(found.file.clone()),
        line: Some(found.line),
        hash: None,
    }
}

/// Whether a finding of the engine names the place of a tool's finding: its own place or a further one in its evidence.
fn is_at(finding: &Finding, found: &ToolFinding) -> bool {
    let own = finding.file.as_deref() == Some(&found.file)
        && finding.line.is_some_and(|line| {
            let end = finding.end_line.unwrap_or(line).max(line);
            line <= found.end_line && found.line <= end
        });
    own || finding.evidence.iter().any(|evidence| {
        evidence.file.as_deref() == Some(&found.file)
            && evidence
                .line
                .is_some_and(|line| (found.line..=found.end_line).contains(&line))
    })
}

fn covers(observation: &ExternalObservation, found: &ToolFinding) -> bool {
    observation.location.line <= found.end_line && found.line <= observation.end_line
}
