//! What the score would be if some findings were fixed and some documents were written.

mod actions;

use std::collections::BTreeSet;

use engine_model::{ErrorCode, Failure, FileInfo, Finding, FindingType, Score, SourceFile, SourceText};
use engine_project::Tree;
use engine_scanner::{Evaluation, FileFacts, LargeFacts, Memory, ScanInput, Settings};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::Engine;
use crate::project::ProjectState;
use crate::requests::{ActionKind, SimulateActionsRequest, SimulationRequest};
use crate::scan::{Running, ScanHooks, ended, score, walk};

/// Characters of foreign words in an error.
const SHOWN_CHARS_MAX: usize = 80;

/// A simulation: the score as it is, and as a scan of the repaired project would come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The current score.
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

/// Reply of `POST /simulate`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulateActionsReply {
    /// The current compliance score of the project, 0 to 100.
    pub current_score: f64,
    /// The compliance score after all actions.
    pub projected_score: f64,
    /// `projectedScore` minus `currentScore`.
    pub delta: f64,
    /// The current readiness of the project, 0 to 100.
    pub current_readiness: f64,
    /// The readiness after all actions.
    pub projected_readiness: f64,
    /// The current grade of the project; null if too little was evaluated.
    pub current_grade: Option<String>,
    /// The grade after all actions.
    pub projected_grade: Option<String>,
    /// The actions in the order of the request, each once. Their impacts add up to the difference of the scores.
    pub actions: Vec<ActionImpact>,
    /// The effect of `passportCompleteness`.
    pub passport_completeness: PassportCompleteness,
    /// The open gaps after all actions, including gaps caused by the actions.
    pub remaining: u64,
    /// The limits of the prediction.
    pub notes: Vec<String>,
}

/// One action with its effects, measured after the earlier actions.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionImpact {
    /// `fix`, `doc` or `complete-passport`.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// The id of the check or of the document, or the passport field.
    pub target: String,
    /// The description of the action.
    pub description: String,
    /// The change of the compliance score.
    pub score_impact: f64,
    /// The change of the readiness.
    pub readiness_impact: f64,
    /// The ids of the resolved findings.
    pub findings: Vec<String>,
}

/// The given passport completeness, and why it changes no score.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassportCompleteness {
    /// The value of the request; null without one.
    pub given: Option<f64>,
    /// Its effect.
    pub note: String,
}

/// A tree that was read once and is evaluated under several settings. Nothing of it is kept.
pub(crate) struct Snapshot {
    files: Vec<(FileInfo, FileFacts)>,
    large: Vec<(String, LargeFacts)>,
    ignored_secrets: Vec<String>,
    tree: Tree,
    /// Joins are the same under every setting, so they are made once.
    memory: Memory,
}

impl Snapshot {
    /// Reads the tree of a project.
    pub(crate) fn read(state: &ProjectState, hooks: &ScanHooks<'_>) -> Result<Self, Failure> {
        let (walked, large, tree) = walk(state, hooks)?;
        Ok(Self {
            ignored_secrets: walked.ignored_secrets.iter().map(|file| file.path.clone()).collect(),
            files: walked.files,
            large: large.into_iter().map(|file| (file.path, file.value)).collect(),
            tree,
            memory: Memory::default(),
        })
    }

    /// Whether a file was read.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.files.iter().any(|(info, _)| info.path == path)
    }

    /// The bytes of a file as the tree holds it.
    pub(crate) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        Some(self.tree.file(path)?.bytes.into_owned())
    }

    /// Evaluates the tree as it is.
    pub(crate) fn evaluate(&self, settings: &Settings) -> Evaluation {
        self.evaluated(self.files.clone(), &self.tree, settings)
    }

    /// Evaluates the tree with one file added or replaced.
    pub(crate) fn evaluate_with(&self, file: &SourceFile<'_>, settings: &Settings) -> Evaluation {
        let mut files = self.files.clone();
        files.retain(|(info, _)| info.path != file.path);
        files.push((file.info(), engine_scanner::read(file)));
        let source = Replaced { tree: &self.tree, file };
        self.evaluated(files, &source, settings)
    }

    fn evaluated(&self, files: Vec<(FileInfo, FileFacts)>, source: &dyn SourceText, settings: &Settings) -> Evaluation {
        let mut evaluation = engine_scanner::evaluate(
            ScanInput {
                files,
                large: self.large.clone(),
                ignored_secrets: &self.ignored_secrets,
                source,
                memory: &self.memory,
            },
            settings,
        );
        crate::fixes::mark_fixable(&mut evaluation.findings);
        evaluation
    }
}

/// A tree in which one file has another text.
struct Replaced<'a> {
    tree: &'a Tree,
    file: &'a SourceFile<'a>,
}

impl SourceText for Replaced<'_> {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        if path == self.file.path {
            return Some(self.file.clone());
        }
        self.tree.file(path)
    }
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
        let snapshot = Snapshot::read(&state, &ScanHooks::default())?;
        let current = snapshot.evaluate(&settings);
        let wanted: BTreeSet<String> = request.resolve.iter().cloned().collect();
        known(&current, &wanted)?;
        let projected = snapshot.evaluate(&Settings {
            resolved: wanted.clone(),
            ..settings
        });
        let (before, after) = (score(&current), score(&projected));
        Ok(Simulation {
            delta: tenths(after.compliance - before.compliance),
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

    /// Reads a project once and says what a list of actions would change, one after the other. Nothing is kept.
    pub fn simulate_actions(
        &self,
        request: &SimulateActionsRequest,
        hooks: &ScanHooks<'_>,
    ) -> Result<SimulateActionsReply, Failure> {
        let passport_completeness = passport_completeness(request.passport_completeness)?;
        let actions = actions::actions(&request.actions)?;
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(request.path.as_deref())?;
        let mut settings = self.settings(&state, request.as_of, request.role, None)?;
        let snapshot = Snapshot::read(&state, hooks)?;
        let current = snapshot.evaluate(&settings);
        let first = score(&current);
        // What an earlier action brings up can be fixed by a later one.
        let mut open = BTreeSet::new();
        let (mut now, mut reached) = (current, first.clone());
        let mut impacts = Vec::with_capacity(actions.len());
        for action in &actions {
            if (hooks.cancel)() {
                return Err(ended());
            }
            let is_open = now.findings.iter().filter(|finding| is_open(finding));
            open.extend(is_open.map(|finding| finding.check_id.clone()));
            let refuse = |failure| refused(failure, first.compliance);
            action.is_possible(&open).map_err(refuse)?;
            let description = action.apply(&now, &mut settings);
            let next = snapshot.evaluate(&settings);
            let resolved = action.resolved(&now, &next).map_err(refuse)?;
            let after = score(&next);
            impacts.push(ActionImpact {
                kind: action.kind,
                target: action.target.clone(),
                description,
                score_impact: tenths(after.compliance - reached.compliance),
                readiness_impact: tenths(after.readiness - reached.readiness),
                findings: resolved,
            });
            (now, reached) = (next, after);
        }
        Ok(SimulateActionsReply {
            current_score: first.compliance,
            projected_score: reached.compliance,
            delta: tenths(reached.compliance - first.compliance),
            current_readiness: first.readiness,
            projected_readiness: reached.readiness,
            current_grade: first.grade,
            projected_grade: reached.grade,
            notes: notes(&impacts),
            actions: impacts,
            passport_completeness,
            remaining: now.findings.iter().filter(|finding| is_gap(finding)).count() as u64,
        })
    }
}

/// A refusal, with the score as it stays and the reason where published clients read them.
fn refused(failure: Failure, score: f64) -> Failure {
    let reason = json!([{ "description": failure.details, "scoreImpact": 0.0 }]);
    failure
        .also("currentScore", json!(score))
        .also("projectedScore", json!(score))
        .also("delta", json!(0.0))
        .also("actions", reason)
}

/// Every id must be a finding of the project that can be fixed.
fn known(current: &Evaluation, wanted: &BTreeSet<String>) -> Result<(), Failure> {
    for id in wanted {
        let finding = current.findings.iter().find(|finding| finding.id == *id);
        let why = match finding.map(|finding| finding.kind) {
            None => "this project has no finding with the id",
            Some(FindingType::Pass) => "only gaps can be fixed, not the positive evidence",
            Some(FindingType::Fail | FindingType::Info) => continue,
        };
        return Err(Failure::new(
            ErrorCode::Impossible,
            format!("{why} `{id}`; use ids of gaps from a scan"),
        )
        .field("resolve"));
    }
    Ok(())
}

/// A difference of two numbers with one decimal.
pub(crate) fn tenths(difference: f64) -> f64 {
    let rounded = (difference * 10.0).round() / 10.0;
    // No change is 0 and never -0.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Whether a finding is a gap that no person has marked as a false alarm.
pub(crate) fn is_gap(finding: &Finding) -> bool {
    finding.kind == FindingType::Fail && !is_false_alarm(finding)
}

fn is_false_alarm(finding: &Finding) -> bool {
    finding.suppressed.as_ref().is_some_and(|s| s.kind == "false_positive")
}

/// Whether a finding is a gap now, or will be one when its obligation applies.
fn is_open(finding: &Finding) -> bool {
    finding.kind != FindingType::Pass && !is_false_alarm(finding)
}

/// The limits of the prediction.
fn notes(impacts: &[ActionImpact]) -> Vec<String> {
    let has_documents = impacts.iter().any(|impact| impact.kind == ActionKind::Doc);
    let note = "The prediction treats each document as complete in every required section. A scan can still report findings about its wording.";
    has_documents.then(|| note.to_owned()).into_iter().collect()
}

fn passport_completeness(given: Option<f64>) -> Result<PassportCompleteness, Failure> {
    if given.is_some_and(|value| !(0.0..=100.0).contains(&value)) {
        let details = "`passportCompleteness` must be a percentage from 0 to 100";
        return Err(Failure::new(ErrorCode::InvalidRequest, details).field("passportCompleteness"));
    }
    Ok(PassportCompleteness {
        given,
        note: "No obligation of the AI Act depends on the completeness of a passport, so it changes no score."
            .to_owned(),
    })
}

/// Foreign words, cut and without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(SHOWN_CHARS_MAX)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}
