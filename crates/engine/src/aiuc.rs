//! The controls of AIUC-1 in short: the score of that framework with its counts.

use std::collections::BTreeMap;

use engine_model::{ErrorCode, Failure};
use engine_scoring::{ControlStatus, FrameworkReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Engine, FrameworkScoresRequest};

/// The id of the framework.
const AIUC_1: &str = "aiuc-1";

/// Controls with a gap that are listed.
const GAPS_MAX: usize = 50;

/// The query of `GET /cert/readiness`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ControlReadinessRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The name of an agent. The result covers the whole project.
    #[serde(default)]
    pub name: Option<String>,
}

/// Reply of `GET /cert/readiness`: a self-assessment from evidence for the AI Act and from probes. It is not an audit.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControlReadiness {
    /// The id of the framework.
    pub framework: String,
    /// The score over the assessed controls, 0 to 100, rounded; `readinessLevel` says whether it means anything.
    pub overall_score: u64,
    /// `not assessed` while less than half of the controls were assessed, else `grade` and a letter.
    pub readiness_level: String,
    /// All controls.
    pub total_requirements: u64,
    /// Controls with evidence.
    pub met_requirements: u64,
    /// Controls with some evidence.
    pub partial_requirements: u64,
    /// Controls with a gap.
    pub unmet_requirements: u64,
    /// Controls without evidence for or against them.
    pub not_assessed: u64,
    /// The scores of groups of controls of which one was assessed.
    pub categories: Vec<ControlGroup>,
    /// Controls with a gap, at most 50.
    pub gaps: Vec<String>,
    /// What the score rests on.
    pub note: String,
}

/// A group of controls.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ControlGroup {
    /// The group.
    pub label: String,
    /// The mean score of its assessed controls, 0 to 100, rounded.
    pub score: u64,
}

impl Engine {
    /// The controls of AIUC-1 in short; nothing is kept.
    pub fn control_readiness(&self, request: &ControlReadinessRequest) -> Result<ControlReadiness, Failure> {
        let scores = self.framework_scores(&FrameworkScoresRequest {
            path: request.path.clone(),
            as_of: None,
        })?;
        let report = scores.frameworks.into_iter().find(|one| one.framework_id == AIUC_1);
        report.map(|report| in_short(&report)).ok_or_else(|| {
            Failure::new(
                ErrorCode::Internal,
                "the framework data have no AIUC-1; report this with the version of the engine",
            )
        })
    }
}

fn in_short(report: &FrameworkReport) -> ControlReadiness {
    let count = |status: ControlStatus| report.controls.iter().filter(|one| one.status == status).count() as u64;
    let mut groups: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for control in &report.controls {
        if let Some(score) = control.score {
            let group = groups.entry(control.group.as_deref().unwrap_or(AIUC_1)).or_default();
            group.0 += score;
            group.1 += 1.0;
        }
    }
    let graded = report.grade.len() == 1;
    ControlReadiness {
        framework: report.framework_id.clone(),
        overall_score: engine_model::whole(report.score.unwrap_or_default()),
        readiness_level: if graded {
            format!("grade {}", report.grade)
        } else {
            "not assessed".to_owned()
        },
        total_requirements: report.controls.len() as u64,
        met_requirements: count(ControlStatus::Evidenced),
        partial_requirements: count(ControlStatus::Partial),
        unmet_requirements: count(ControlStatus::Gap),
        not_assessed: count(ControlStatus::NotAssessed),
        categories: groups
            .into_iter()
            .map(|(label, (sum, number))| ControlGroup {
                label: label.to_owned(),
                score: engine_model::whole(sum / number),
            })
            .collect(),
        gaps: report
            .controls
            .iter()
            .filter(|one| one.status == ControlStatus::Gap)
            .take(GAPS_MAX)
            .map(|one| format!("{} {}", one.id, one.title))
            .collect(),
        note: report.note.clone(),
    }
}
