//! The report of all frameworks: per control its status and the evidence behind it.

use engine_model::{Finding, ObligationStatus, System};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ACT, AssessedControl, Assessment, assess, entries};
use crate::formula::{grade, round};

/// Places of evidence shown for one obligation of a control; the scan result lists all of them.
const PLACES_MAX: usize = 3;

/// The grade while too little was assessed.
const NOT_ASSESSED: &str = "not assessed";

/// The verdicts of the probes of one run for one control of a framework.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalControl {
    /// Id of the framework, such as `owasp-llm-2025`.
    pub framework: String,
    /// Id of the control, such as `LLM01`; `LLM01:2025` is read as `LLM01`.
    pub control: String,
    /// Probes that passed.
    pub passed: u64,
    /// Probes that failed.
    pub failed: u64,
    /// Id of the run.
    pub run: String,
}

/// Scores of all frameworks. The engine maps its evidence to related controls; it does not audit the frameworks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameworkScores {
    /// Every framework of the data, also those without evidence.
    pub frameworks: Vec<FrameworkReport>,
    /// Ids of the frameworks in this reply: all of them.
    pub selected_framework_ids: Vec<String>,
    /// When the scores were computed, RFC 3339 in UTC.
    pub computed_at: String,
}

/// The score of one framework and the evidence for its controls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameworkReport {
    /// Id of the framework.
    pub framework_id: String,
    /// Name of the framework.
    pub framework_name: String,
    /// 0 to 100 over the assessed controls; null while `assessed` is false.
    pub score: Option<f64>,
    /// A to F, or `not assessed` while fewer than half of the controls were assessed.
    pub grade: String,
    /// `letter`, or `none` where there is no grade.
    pub grade_type: String,
    /// Controls with the status `gap`.
    pub gaps: u64,
    /// Controls of the framework. For the EU AI Act: obligations that apply or will apply.
    pub total_checks: u64,
    /// Controls with the status `evidenced`.
    pub passed_checks: u64,
    /// Share of the controls that were assessed, 0 to 100.
    pub coverage: f64,
    /// Whether the score is a result: at least one control was assessed.
    pub assessed: bool,
    /// How many controls were assessed, and the meaning of the score.
    pub note: String,
    /// The controls, in the order of the framework.
    pub controls: Vec<ControlReport>,
}

/// One control of a framework.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControlReport {
    /// Id of the control. For the EU AI Act: `OBL-<number>`.
    pub id: String,
    /// Short title.
    pub title: String,
    /// Group or function of the framework, or the article of the Act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The status that the evidence shows.
    pub status: ControlStatus,
    /// Weighted share of the evidence, 0 to 100; null if not assessed.
    pub score: Option<f64>,
    /// The evaluated obligations and the runs behind the status.
    pub evidence: Vec<ControlEvidence>,
}

/// The status of a control, from its evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlStatus {
    /// All evidence is positive.
    Evidenced,
    /// Some evidence is positive, some is missing or negative.
    Partial,
    /// All evidence is negative.
    Gap,
    /// No evidence was found for or against the control.
    NotAssessed,
}

/// One piece of evidence for a control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControlEvidence {
    /// The obligation of the EU AI Act that maps to the control, `OBL-<number>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obligation_id: Option<String>,
    /// The provisions of that obligation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// The system that the obligation belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Status of the obligation. For probes: `evidenced` if all passed, `gap` if all failed, else `incomplete`.
    pub status: ObligationStatus,
    /// Where the evidence comes from.
    pub source: ControlEvidenceSource,
    /// The evidence found, or the run and its counts.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Path relative to the project's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Where the evidence for a control comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ControlEvidenceSource {
    /// An obligation of the EU AI Act that maps to the control.
    Obligation,
    /// Probes of a live endpoint.
    Eval,
}

/// Reports every framework of the data with the evidence for each control.
///
/// The scores are those of [`framework_scores`](crate::framework_scores), to which the verdicts of probes are added. Probes
/// named under `eu-ai-act` are left out: the score of the Act is `compliance`, which the report must not change.
pub fn framework_report(
    systems: &[System],
    findings: &[Finding],
    evals: &[EvalControl],
    computed_at: String,
) -> FrameworkScores {
    let entries = entries(systems);
    let frameworks: Vec<FrameworkReport> = assess(&entries, findings, evals).iter().map(report).collect();
    FrameworkScores {
        selected_framework_ids: frameworks
            .iter()
            .map(|framework| framework.framework_id.clone())
            .collect(),
        frameworks,
        computed_at,
    }
}

fn report(assessment: &Assessment<'_>) -> FrameworkReport {
    let controls: Vec<ControlReport> = assessment.controls.iter().map(control).collect();
    let count = |status| controls.iter().filter(|control| control.status == status).count() as u64;
    let (assessed, total) = (assessment.assessed(), controls.len());
    let score = assessment.value.filter(|_| assessment.weighed).map(round);
    // Below half of the controls a letter would claim what was not examined.
    let letter = score.filter(|_| assessed * 2 >= total).map(grade);
    let graded = letter.is_some();
    FrameworkReport {
        framework_id: assessment.framework.id.clone(),
        framework_name: assessment.framework.name.clone(),
        score,
        grade: letter.unwrap_or(NOT_ASSESSED).to_owned(),
        grade_type: if graded { "letter" } else { "none" }.to_owned(),
        gaps: count(ControlStatus::Gap),
        total_checks: total as u64,
        passed_checks: count(ControlStatus::Evidenced),
        coverage: assessment.coverage(),
        assessed: assessment.weighed,
        note: note(assessment, assessed, total, graded),
        controls,
    }
}

fn note(assessment: &Assessment<'_>, assessed: usize, total: usize, graded: bool) -> String {
    let is_act = assessment.framework.id == ACT;
    let what = if is_act { "obligations" } else { "controls" };
    if total == 0 {
        return format!("No {what} to assess.");
    }
    let mut note = format!("{assessed} of {total} {what} assessed.");
    if assessed > 0 && !assessment.weighed {
        note.push_str(" No score: none of those that apply now was fully assessed.");
    } else if assessed > 0 && !graded {
        note.push_str(" A grade requires at least half.");
    }
    if assessed > 0 && !is_act {
        note.push_str(
            " The score is based on related evidence for the EU AI Act and on probes. It is not an audit of this framework.",
        );
    }
    note
}

fn control(control: &AssessedControl<'_>) -> ControlReport {
    ControlReport {
        id: control.id.to_owned(),
        title: control.title.to_owned(),
        group: control.group.clone(),
        status: match control.share {
            None => ControlStatus::NotAssessed,
            Some(share) if share >= 100.0 => ControlStatus::Evidenced,
            Some(share) if share <= 0.0 => ControlStatus::Gap,
            Some(_) => ControlStatus::Partial,
        },
        score: control.share.map(round),
        evidence: evidence(control),
    }
}

fn evidence(control: &AssessedControl<'_>) -> Vec<ControlEvidence> {
    let mut rows = Vec::new();
    for entry in &control.entries {
        let record = entry.record;
        if record.status == ObligationStatus::NotEvaluated {
            continue;
        }
        let row = ControlEvidence {
            obligation_id: Some(record.obligation_id.clone()),
            article: Some(record.article.clone()),
            system: Some(entry.term.system.clone()),
            status: record.status,
            source: ControlEvidenceSource::Obligation,
            reference: None,
            file: None,
            line: None,
        };
        if record.evidence.is_empty() {
            rows.push(row);
            continue;
        }
        rows.extend(record.evidence.iter().take(PLACES_MAX).map(|place| ControlEvidence {
            reference: Some(place.reference.clone()),
            file: place.file.clone(),
            line: place.line,
            ..row.clone()
        }));
    }
    rows.extend(control.probes.iter().map(|probed| ControlEvidence {
        obligation_id: None,
        article: None,
        system: None,
        status: probed.status(),
        source: ControlEvidenceSource::Eval,
        reference: Some(format!(
            "run {}: {} passed, {} failed",
            probed.run, probed.passed, probed.failed
        )),
        file: None,
        line: None,
    }));
    rows
}

#[cfg(test)]
mod tests;
