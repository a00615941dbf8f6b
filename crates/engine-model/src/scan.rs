//! The result of a scan and of a comparison of two.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Applies, Date, Finding, Inventory, ObligationRecord, SkipReason, System, UpcomingObligation};

/// Whether the Act touches a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Applicability {
    /// No use of a model was observed.
    NoAiFound,
    /// Code that others build on; not itself a deployed system.
    Library,
    /// At least one AI system.
    SystemsFound,
    /// AI packages or files without a use that could be resolved.
    Undetermined,
}

/// Status of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum LayerStatus {
    /// Nothing was found wanting.
    Pass,
    /// Something was found wanting.
    Warn,
    /// Something grave was found wanting.
    Fail,
    /// The layer did not run, or had nothing to look at.
    Skip,
}

/// What a layer did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayerDetail {
    /// What it looks at.
    pub title: String,
    /// Checks that it holds.
    pub checks: u64,
    /// Findings that speak of a gap.
    pub failed: u64,
    /// Findings that are evidence.
    pub passed: u64,
    /// Why the status is what it is.
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
    /// Scores per framework that can be assessed from what was observed.
    pub frameworks: BTreeMap<String, FrameworkScore>,
    /// Whether the Act touches the project.
    pub applicability: Applicability,
    /// Why, in a sentence.
    pub applicability_reason: String,
    /// The AI systems.
    pub systems: Vec<System>,
    /// The obligations of all systems, each named once per system.
    pub obligations: Vec<ProjectObligation>,
    /// The findings, in a stable order.
    pub findings: Vec<Finding>,
    /// All findings, where `limit` cut the list.
    pub findings_total: u64,
    /// The agents.
    pub agents: Vec<Agent>,
    /// Status per layer.
    pub layers: BTreeMap<String, LayerStatus>,
    /// What each layer did.
    pub layer_details: BTreeMap<String, LayerDetail>,
    /// What was observed.
    pub inventory: Inventory,
    /// Documents of the kinds that the law knows.
    pub documents: Vec<crate::Document>,
    /// Counts.
    pub summary: Summary,
    /// What comes next.
    pub upcoming: Vec<UpcomingObligation>,
    /// Duration in milliseconds.
    pub elapsed: f64,
    /// The same.
    pub duration: f64,
    /// Files that were read.
    pub files_scanned: u64,
    /// Bytes that were read.
    pub bytes_scanned: u64,
    /// What was not read, the first 100.
    pub files_skipped: Vec<SkippedRecord>,
    /// How many entries there are in all.
    pub files_skipped_total: u64,
    /// Files per language.
    pub languages: BTreeMap<String, u64>,
    /// Version of the regulation data.
    pub regulation_version: String,
    /// Version of the engine and of the catalogue.
    pub engine_version: String,
    /// What the result is and is not.
    pub disclaimer: String,
    /// How much was remembered from an earlier scan.
    pub cache: CacheStats,
    /// Every suppression of the project with what became of it: applied, unused, expired, or not understood.
    #[serde(default)]
    pub suppressions: Vec<crate::SuppressionRecord>,
    /// What became of the baseline, where the project has one.
    #[serde(default)]
    pub baseline: Option<crate::BaselineReport>,
    /// Whether the scan passes the gate, and why not.
    #[serde(default)]
    pub gate: Option<crate::GateResult>,
    /// What people stated about the project in `.compliance/profile.toml`.
    #[serde(default)]
    pub profile: ProfileRecord,
    /// What went wrong beside the scan itself, such as that the result could not be kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The profile as a scan found it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileRecord {
    /// The file, relative to the project's root.
    pub file: String,
    /// Whether it is there and could be read.
    pub status: ProfileStatus,
    /// Answers and pieces of evidence that it states.
    pub answers: u64,
    /// Why it cannot be read, with line and column and what to write instead. The scan then runs as if it were absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was kept and not read, with line and column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Whether the profile is there and could be read.
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

/// Something that was not read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedRecord {
    /// Path relative to the project's root; a folder ends with `/`.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
    /// Length in bytes, where known.
    pub bytes: Option<u64>,
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
    /// Obligations per answer to whether they apply.
    pub by_applies: BTreeMap<String, u64>,
}

/// How much was remembered from an earlier scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CacheStats {
    /// Files whose facts were remembered.
    pub hits: u64,
    /// Files that were read anew.
    pub misses: u64,
}

/// The scores of a scan. One formula: the weighted share of applicable, evaluated obligations that have evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// What applies on the date of the scan, 0 to 100.
    pub compliance: f64,
    /// From evaluations and secrets; null until one ran.
    pub security: Option<f64>,
    /// Everything known to come, 0 to 100.
    pub readiness: f64,
    /// A to F; null when no AI was found.
    pub grade: Option<String>,
    /// Share of applicable obligations that were evaluated, 0 to 100.
    pub coverage: f64,
    /// The formula in words.
    pub formula: String,
    /// One term per obligation.
    pub breakdown: Vec<ScoreTerm>,
    /// Caps that were applied.
    pub caps: Vec<ScoreCap>,
    /// The same as `compliance`, for existing clients.
    pub total_score: f64,
    /// `red` below 50, `yellow` below 80, `green`.
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
    /// Checks that had nothing to look at.
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
    /// Whether it counts only where it raises the result: a begun document that the law does not ask for.
    #[serde(default)]
    pub optional: bool,
}

/// A cap on the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoreCap {
    /// The highest score that is left.
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
    /// Who serves its model.
    pub provider: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// 1 to 5, from tools, approval, effects and triggers.
    pub autonomy_level: u8,
    /// What the level rests on.
    #[serde(default)]
    pub autonomy_evidence: Vec<AutonomyReason>,
    /// Tools that the model may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Whether a person approves before an answer has an effect; `null` if that could not be told.
    #[serde(default)]
    pub human_approval: Option<bool>,
    /// `prohibited`, `high`, `limited`, `minimal` or `unknown`.
    pub risk_class: String,
    /// Files that it is made of.
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

/// What a level of autonomy is told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutonomySignal {
    /// Nothing but an answer comes out.
    AnswersOnly,
    /// The model may call tools.
    Tools,
    /// An answer reaches a process, a database or another person.
    Effects,
    /// An answer decides which way the program goes.
    Decides,
    /// A library calls the model again until it says that it is done.
    Loop,
    /// A person agrees before something happens.
    Approval,
    /// Nobody was seen to agree before something happens.
    NoApproval,
    /// A timer or a queue starts it, and no person.
    Unattended,
}

/// One reason for a level of autonomy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct AutonomyReason {
    /// What was seen.
    pub signal: AutonomySignal,
    /// The same in words.
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
    /// What the scan was compared with.
    pub baseline: String,
    /// Findings that are new.
    pub added: Vec<Finding>,
    /// Findings that are gone.
    pub removed: Vec<Finding>,
    /// Findings that are still there but weigh or say something else.
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
