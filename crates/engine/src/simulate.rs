//! What the score would be if some findings were fixed.

use std::collections::BTreeSet;

use engine_model::{ErrorCode, Failure, Finding, FindingType, Score};
use engine_scanner::{Evaluation, ScanInput, Settings};

use crate::Engine;
use crate::requests::SimulationRequest;
use crate::scan::{Running, ScanHooks, score, walk};

/// A simulation: the score as it is, and as a scan of the repaired project would come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The score as it is.
    pub current: Score,
    /// The score with the findings fixed.
    pub projected: Score,
    /// Difference of `compliance`.
    pub delta: f64,
    /// The findings that were taken for fixed.
    pub resolved: Vec<Finding>,
    /// Findings that would be left, or would come up: the paper that is asked for once code no longer speaks for it.
    pub remaining: Vec<Finding>,
}

impl Engine {
    /// Reads a project and says what its score would be with some findings fixed. Nothing is kept.
    ///
    /// It is no second formula: the join runs again over the same facts with these findings taken for fixed, so that a real
    /// scan of the repaired project comes to the same.
    pub fn simulate(&self, request: &SimulationRequest) -> Result<Simulation, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(request.path.as_deref())?;
        let settings = self.settings(&state, request.as_of, request.role, None)?;
        let (walked, large, tree) = walk(&state, &ScanHooks::default())?;
        let secrets: Vec<String> = walked.ignored_secrets.iter().map(|file| file.path.clone()).collect();
        let files = walked.files;
        let large: Vec<_> = large.into_iter().map(|file| (file.path, file.value)).collect();
        let evaluate = |files, settings: &Settings| {
            engine_scanner::evaluate(
                ScanInput {
                    files,
                    large: large.clone(),
                    ignored_secrets: &secrets,
                    source: &tree,
                    memory: &engine_scanner::Memory::default(),
                },
                settings,
            )
        };
        let current = evaluate(files.clone(), &settings);
        let wanted: BTreeSet<String> = request.resolve.iter().cloned().collect();
        known(&current, &wanted)?;
        let after = Settings {
            resolved: wanted.clone(),
            ..settings
        };
        let projected = evaluate(files, &after);
        let (before, after) = (score(&current), score(&projected));
        Ok(Simulation {
            delta: ((after.compliance - before.compliance) * 10.0).round() / 10.0,
            current: before,
            projected: after,
            resolved: current
                .findings
                .into_iter()
                .filter(|finding| wanted.contains(&finding.id))
                .collect(),
            remaining: projected
                .findings
                .into_iter()
                .filter(|finding| finding.kind == FindingType::Fail)
                .collect(),
        })
    }
}

/// Every id must be a finding of the project that can be fixed.
fn known(current: &Evaluation, wanted: &BTreeSet<String>) -> Result<(), Failure> {
    for id in wanted {
        let finding = current.findings.iter().find(|finding| finding.id == *id);
        let why = match finding.map(|finding| finding.kind) {
            None => "no finding of this project has the id",
            Some(FindingType::Pass) => "there is nothing to fix in the evidence",
            Some(FindingType::Fail | FindingType::Info) => continue,
        };
        return Err(
            Failure::new(ErrorCode::Impossible, format!("{why} `{id}`; take ids from a scan")).field("resolve"),
        );
    }
    Ok(())
}
