//! The result of a scan and of a comparison of two.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Applies, Date, Finding, Inventory, ObligationRecord, SkipReason, System, UpcomingObligation};

/// Whether the Act can apply to a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Applicability {
    /// No use of an AI model was found.
    NoAiFound,
    /// A library for other software; not itself a deployed system.
    Library,
    /// At least one AI system.
    SystemsFound,
    /// AI packages or files were found, but their use could not be determined.
    Undetermined,
}

/// Status of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum LayerStatus {
    /// No gap was found.
    Pass,
    /// Gaps were found.
    Warn,
    /// Serious gaps were found.
    Fail,
    /// The layer did not run, or found nothing to check.
    Skip,
}

/// The result of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayerDetail {
    /// The scope of the layer.
    pub title: String,
    /// Number of its checks.
    pub checks: u64,
    /// Findings that are gaps.
    pub failed: u64,
    /// Findings that are evidence.
    pub passed: u64,
    /// The reason for the status.
    pub reason: String,
}

/// Reply of `POST /scan`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanResult {
    /// Id of the scan.
    pub id: String,
    /// The folder that was scanned.
    pub project_path: String,
    /// When, RFC 3339 in UTC.
    pub scanned_at: String,
    /// The date for which the law was evaluated.
    pub as_of: Date,
    /// The scores.
    pub score: Score,
    /// Scores per framework that the available evidence can assess.
    pub frameworks: BTreeMap<String, FrameworkScore>,
    /// Whether the Act can apply to the project.
    pub applicability: Applicability,
    /// Why, in a sentence.
    pub applicability_reason: String,
    /// The AI systems.
    pub systems: Vec<System>,
    /// The obligations of all systems, each once per system.
    pub obligations: Vec<ProjectObligation>,
    /// The findings, in a stable order.
    pub findings: Vec<Finding>,
    /// Number of all findings, also those that `limit` cut from the list.
    pub findings_total: u64,
    /// The agents.
    pub agents: Vec<Agent>,
    /// Status per layer.
    pub layers: BTreeMap<String, LayerStatus>,
    /// The result of each layer.
    pub layer_details: BTreeMap<String, LayerDetail>,
    /// The AI components that were found.
    pub inventory: Inventory,
    /// Documents of the kinds that the law names.
    pub documents: Vec<crate::Document>,
    /// Counts.
    pub summary: Summary,
    /// Upcoming obligations.
    pub upcoming: Vec<UpcomingObligation>,
    /// What to do, in the order in which a person should act.
    #[serde(default)]
    pub actions: Vec<crate::Action>,
    /// Duration in milliseconds.
    pub elapsed: f64,
    /// `elapsed` in whole milliseconds, for existing clients.
    #[serde(deserialize_with = "read_whole")]
    pub duration: u64,
    /// Files that were read.
    pub files_scanned: u64,
    /// Bytes that were read.
    pub bytes_scanned: u64,
    /// Files that were not read, the first 100.
    pub files_skipped: Vec<SkippedRecord>,
    /// Number of all such files.
    pub files_skipped_total: u64,
    /// Files per language.
    pub languages: BTreeMap<String, u64>,
    /// Version of the regulation data.
    pub regulation_version: String,
    /// Version of the engine and of the catalogue.
    pub engine_version: String,
    /// The limits of the result.
    pub disclaimer: String,
    /// Facts reused from an earlier scan.
    pub cache: CacheStats,
    /// Every suppression of the project with its status: applied, unused, expired or invalid.
    #[serde(default)]
    pub suppressions: Vec<crate::SuppressionRecord>,
    /// The result of the baseline, if the project has one.
    #[serde(default)]
    pub baseline: Option<crate::BaselineReport>,
    /// Whether the scan passes the gate, and why not.
    #[serde(default)]
    pub gate: Option<crate::GateResult>,
    /// Answers and evidence stated in `.compliance/profile.toml`.
    #[serde(default)]
    pub profile: ProfileRecord,
    /// The runs of external tools; only in the reply of `POST /scan/tier2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<crate::ToolRecord>,
    /// The findings of each external tool that ran to its end, for existing clients.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_tool_results: Vec<crate::ExternalToolResult>,
    /// Problems outside the scan itself, for example that the result could not be saved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A whole number that older results have with a fraction.
fn read_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    Ok(whole(number))
}

/// A number that is not negative, without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is limited to what fits"
)]
pub fn whole(number: f64) -> u64 {
    number.clamp(0.0, f64::from(u32::MAX)).round() as u64
}

/// A duration in whole milliseconds.
pub fn milliseconds(elapsed: f64) -> u64 {
    whole(elapsed)
}

/// The profile as a scan found it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileRecord {
    /// The file, relative to the project's root.
    pub file: String,
    /// Whether it exists and could be read.
    pub status: ProfileStatus,
    /// Number of answers and pieces of evidence in it.
    pub answers: u64,
    /// Why it cannot be read, with line, column and correction. The scan then runs without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Unknown entries that were kept but ignored, with line and column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Whether the profile exists and could be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileStatus {
    /// There is no such file.
    #[default]
    Absent,
    /// It was read.
    Read,
    /// It cannot be read.
    Broken,
}

/// An obligation together with the system it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectObligation {
    /// The system.
    pub system: String,
    /// The obligation.
    #[serde(flatten)]
    pub record: ObligationRecord,
}

/// A file or folder that was not read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedRecord {
    /// Path relative to the project's root; a folder ends with `/`.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
    /// Length in bytes, where known.
    pub bytes: Option<u64>,
    /// The lines that were not understood; empty where the whole file was not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineRange>,
}

/// Lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct LineRange {
    /// The first line, from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// The cell of a notebook, from 1, text cells counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
}

impl LineRange {
    /// Lines of a file without cells.
    pub const fn new(first: u32, last: u32) -> Self {
        Self {
            first,
            last,
            cell: None,
        }
    }
}

/// Counts of a scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Gaps per severity.
    pub by_severity: BTreeMap<String, u64>,
    /// Findings per layer.
    pub by_layer: BTreeMap<String, u64>,
    /// Findings per type.
    pub by_type: BTreeMap<String, u64>,
    /// Obligations that apply, per status.
    pub by_status: BTreeMap<String, u64>,
    /// Obligations per applicability.
    pub by_applies: BTreeMap<String, u64>,
}

/// Facts reused from an earlier scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CacheStats {
    /// Files whose facts were reused.
    pub hits: u64,
    /// Files that were analysed again.
    pub misses: u64,
}

/// The scores of a scan. One formula: the weighted share of applicable, evaluated obligations that have evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// Score of the obligations that apply on the date of the scan, 0 to 100.
    pub compliance: f64,
    /// Score from secrets and evaluations, 0 to 100; null if not available.
    pub security: Option<f64>,
    /// Score of all obligations that apply or will apply, 0 to 100.
    pub readiness: f64,
    /// A to F; null without an AI system, and while less than half of the weight in force was evaluated.
    pub grade: Option<String>,
    /// Share of applicable obligations that were evaluated, 0 to 100.
    pub coverage: f64,
    /// Whether any obligation in force was evaluated. While it is false, `compliance` is 0 and says nothing about the project.
    #[serde(default)]
    pub assessed: bool,
    /// Obligations in force that were evaluated, counted once per system.
    #[serde(default)]
    pub evaluated: u64,
    /// Obligations in force, counted once per system.
    #[serde(default)]
    pub applicable: u64,
    /// The formula in words.
    pub formula: String,
    /// One term per obligation.
    pub breakdown: Vec<ScoreTerm>,
    /// Caps that were applied.
    pub caps: Vec<ScoreCap>,
    /// The same as `compliance`, for existing clients.
    pub total_score: f64,
    /// `red` below 50, `yellow` below 80, `green`; never `green` while less than half of the weight in force was evaluated.
    pub zone: String,
    /// Per category.
    pub category_scores: Vec<CategoryScore>,
    /// Whether the cap for an open prohibited practice was applied.
    pub critical_cap_applied: bool,
    /// Checks that exist.
    pub total_checks: u64,
    /// Checks with evidence and without a gap.
    pub passed_checks: u64,
    /// Checks with a gap.
    pub failed_checks: u64,
    /// Checks without anything to evaluate.
    pub skipped_checks: u64,
}

/// One term of the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoreTerm {
    /// The system.
    pub system: String,
    /// `OBL-<number>`.
    pub obligation_id: String,
    /// The provisions.
    pub article: String,
    /// Whether it applies on the date of the scan.
    pub applies: Applies,
    /// Its weight, from the tier of the fine.
    pub weight: f64,
    /// 1 evidenced, 0.5 incomplete, 0 gap; null when it was not evaluated.
    pub value: Option<f64>,
    /// Whether it counts in `compliance`.
    pub in_compliance: bool,
    /// Whether it counts in `readiness`.
    pub in_readiness: bool,
    /// Whether it counts only if it raises the result: a begun document that the law does not require.
    #[serde(default)]
    pub optional: bool,
}

/// A cap on the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoreCap {
    /// The highest score that remains possible.
    pub cap: f64,
    /// Why.
    pub reason: String,
    /// The findings behind it.
    pub findings: Vec<String>,
}

/// The score of a group of obligations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryScore {
    /// The group: the chapter or article.
    pub category: String,
    /// Sum of the weights.
    pub weight: f64,
    /// 0 to 100.
    pub score: f64,
    /// Obligations in the group that were evaluated.
    pub obligation_count: u64,
    /// Those with evidence.
    pub passed_count: u64,
}

/// Score of a framework.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameworkScore {
    /// 0 to 100 over the controls that could be assessed.
    pub score: f64,
    /// A to F.
    pub grade: String,
    /// Share of its controls that could be assessed, 0 to 100.
    pub coverage: f64,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// A stable id.
    pub agent_id: String,
    /// The system that it belongs to.
    pub system: String,
    /// The library that it is built with.
    pub framework: Option<String>,
    /// The provider of its model.
    pub provider: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// 1 to 5, from tools, approval, effects and triggers.
    pub autonomy_level: u8,
    /// The reasons for the level.
    #[serde(default)]
    pub autonomy_evidence: Vec<AutonomyReason>,
    /// Tools that the model may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Whether a person approves before an answer has an effect; `null` if it could not be determined.
    #[serde(default)]
    pub human_approval: Option<bool>,
    /// `prohibited`, `high`, `limited`, `minimal` or `unknown`.
    pub risk_class: String,
    /// The files of the agent.
    pub files: Vec<String>,
    /// Gaps found in it.
    pub findings: u64,
    /// Those that are critical.
    pub critical: u64,
    /// Those that are high.
    pub high: u64,
    /// Score of its system.
    pub score: Option<f64>,
}

/// A sign for a level of autonomy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutonomySignal {
    /// The model only returns an answer.
    AnswersOnly,
    /// The model may call tools.
    Tools,
    /// The output reaches a process, a database or another person.
    Effects,
    /// The output decides the further course of the program.
    Decides,
    /// A library calls the model repeatedly until the model reports completion.
    Loop,
    /// A person approves before the output has an effect.
    Approval,
    /// No human approval was found before the output has an effect.
    NoApproval,
    /// A timer or a queue starts it, not a person.
    Unattended,
}

/// One reason for a level of autonomy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct AutonomyReason {
    /// The sign that was found.
    pub signal: AutonomySignal,
    /// A description.
    pub reason: String,
    /// Where, relative to the project's root.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
}

/// Reply of `POST /scan/diff`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanDiffResult {
    /// The baseline that the scan was compared with.
    pub baseline: String,
    /// Findings that are new.
    pub added: Vec<Finding>,
    /// Findings that no longer occur.
    pub removed: Vec<Finding>,
    /// Findings that still occur with another severity or message.
    pub changed: Vec<Finding>,
    /// Difference of the score.
    pub score_delta: f64,
    /// Score before.
    pub score_before: f64,
    /// Score after.
    pub score_after: f64,
    /// Findings that are the same.
    pub unchanged_count: u64,
    /// Whether a gap is new or the score fell.
    pub has_regression: bool,
    /// A comment for a pull request; set when asked for.
    pub markdown: Option<String>,
    /// The same as `added`, for existing clients.
    pub new_findings: Vec<Finding>,
    /// The same as `removed`, for existing clients.
    pub resolved_findings: Vec<Finding>,
    /// Duration in milliseconds.
    pub elapsed: f64,
}
