//! What clients send and get.

use engine_model::{Date, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Body of `POST /fix/preview`, `POST /fix/apply` and `POST /fix/apply-and-validate`: which finding to fix.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// The check. Of several findings, the first one with a fix is taken.
    pub check_id: Option<String>,
    /// The id of the finding.
    pub finding_id: Option<String>,
    /// The obligation, `OBL-<number>`.
    pub obligation_id: Option<String>,
    /// The `fixId` of a preview: the fix is applied only if it is still the same.
    pub fix_id: Option<String>,
    /// Whether a configured language model proposes the change. It passes the same checks and is marked as AI-generated.
    pub use_ai: Option<bool>,
    /// Whether the parser of the language, where it is installed, also checks the changed files before they are written:
    /// `python3`, `node`, `gofmt`, `php`, `ruby` or `bash`. It only parses; no code of the project runs.
    pub toolchain: Option<bool>,
    /// The date for which the law is evaluated; today if absent.
    pub as_of: Option<Date>,
}

/// The query of `GET /fix/preview`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixPreviewRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// Only fixes for this check.
    pub check_id: Option<String>,
    /// The date for which the law is evaluated; today if absent.
    pub as_of: Option<Date>,
}

/// Reply of `GET /fix/preview`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixPreview {
    /// The fixes, in the order in which they can be applied.
    pub fixes: Vec<FixItem>,
    /// The number of fixes.
    pub count: u64,
    /// The current compliance score, 0 to 100.
    pub current_score: f64,
    /// The score after all fixes of the list.
    pub projected_score: f64,
    /// Open findings without a fix, each with the reason.
    pub unfixed_findings: Vec<UnfixedFinding>,
    /// What to know before applying, such as uncommitted changes.
    pub warnings: Vec<String>,
}

/// One fix of a preview.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixItem {
    /// The id of this exact change: give it to `POST /fix/apply` to apply this and nothing else.
    pub fix_id: String,
    /// The check.
    pub check_id: String,
    /// The finding.
    pub finding_id: String,
    /// The obligation, `OBL-<number>`.
    pub obligation_id: Option<String>,
    /// The provision, such as `Art. 50(1)`.
    pub article: Option<String>,
    /// What changes: `code`, `document`, `config`, `dependency` or `metadata`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The strategy.
    pub strategy: String,
    /// What the fix does.
    pub description: String,
    /// The file to look at first.
    pub file: String,
    /// The first changed line in it.
    pub line: u32,
    /// All changed files.
    pub files: Vec<String>,
    /// The change as a unified diff, secrets masked.
    pub diff: String,
    /// The change of the compliance score, with its sign, measured by an evaluation with the fix.
    pub score_impact: String,
    /// Whether it may be applied unattended.
    pub safe: bool,
    /// Whether the finding is gone after the fix. It is false for the draft of a document, which a person must still complete.
    pub resolves: bool,
    /// Steps or decisions that are left to a person.
    pub manual: Vec<String>,
    /// The same as a short instruction for a coding agent.
    pub instruction: String,
    /// Whether a language model proposed it.
    pub ai_generated: bool,
    /// The changes, for existing clients.
    pub actions: Vec<FixAction>,
}

/// One change, for existing clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FixAction {
    /// `edit` or `create`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file.
    pub path: String,
}

/// The plan of a fix, for existing clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixPlanView {
    /// The check.
    pub check_id: String,
    /// The same as `type` of a preview.
    pub fix_type: String,
    /// The provision.
    pub article: Option<String>,
    /// What the fix does.
    pub description: String,
    /// The changes.
    pub actions: Vec<FixAction>,
}

/// Reply of `POST /fix/apply`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixResult {
    /// Whether the fix is applied.
    pub applied: bool,
    /// Its number in the history; `POST /fix/undo` takes it as `id`.
    pub fix_id: Option<i64>,
    /// The check.
    pub check_id: String,
    /// The finding.
    pub finding_id: String,
    /// The applied change as a unified diff, secrets masked.
    pub diff: String,
    /// The changed files.
    pub files: Vec<String>,
    /// The score before.
    pub score_before: f64,
    /// The score after, from the scan that followed.
    pub score_after: f64,
    /// The same as `scoreAfter`.
    pub new_score: f64,
    /// The id of the evidence entry.
    pub evidence_id: Option<String>,
    /// Why it was not applied.
    pub error: Option<String>,
    /// Steps or decisions that are left to a person.
    pub manual: Vec<String>,
    /// Whether a language model proposed the change.
    pub ai_generated: bool,
    /// Open findings of the same check that are left.
    pub remaining: u64,
    /// What to know, such as uncommitted changes in a changed file.
    pub warnings: Vec<String>,
    /// The plan, for existing clients.
    pub plan: FixPlanView,
}

/// Reply of `POST /fix/apply-and-validate`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ValidateReply {
    /// What was applied.
    pub result: Applied,
    /// What the scan that followed says.
    pub validation: Validation,
}

/// What was applied.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// Whether the fix is applied.
    pub applied: bool,
    /// The check.
    pub check_id: String,
    /// Its number in the history.
    pub fix_id: Option<i64>,
    /// The changed files.
    pub files: Vec<String>,
    /// The applied change as a unified diff, secrets masked.
    pub diff: String,
    /// The id of the evidence entry.
    pub evidence_id: Option<String>,
}

/// What the scan after a fix says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Validation {
    /// The score before.
    pub score_before: f64,
    /// The score after.
    pub score_after: f64,
    /// Whether the finding is gone.
    pub finding_resolved: bool,
    /// Ids of findings that were not there before.
    pub new_findings: Vec<String>,
    /// What the parsers of the languages said, if `toolchain` was set.
    pub toolchain: Vec<ToolchainCheck>,
}

/// The outcome of the parser of a language for a changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolchainCheck {
    /// The file.
    pub file: String,
    /// The program.
    pub tool: String,
    /// The outcome.
    pub status: ToolchainStatus,
    /// Its first lines, if it refused the file.
    pub message: Option<String>,
}

/// The outcome of a parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolchainStatus {
    /// It accepts the file.
    Accepted,
    /// It refuses the file, and accepted it before: the fix is not applied.
    Refused,
    /// It refused the file before the fix too.
    RefusedBefore,
    /// The program is not installed.
    Missing,
    /// It gave no answer within its time.
    TimedOut,
}

/// Body of `POST /fix/apply-all`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplyAllRequest {
    /// The project's folder; the current project if absent.
    pub project_path: Option<String>,
    /// The same as `projectPath`.
    pub path: Option<String>,
    /// Whether a configured language model proposes changes where no strategy fits. Such changes are never applied unattended, so they
    /// are applied only together with `guided`.
    pub use_ai: Option<bool>,
    /// Whether to apply also fixes that ask a person to decide something; only safe ones if absent.
    pub guided: Option<bool>,
    /// Only fixes for this check.
    pub check_id: Option<String>,
    /// The date for which the law is evaluated; today if absent.
    pub as_of: Option<Date>,
}

/// Reply of `POST /fix/apply-all`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyAllReply {
    /// One result for each fix, in the order in which they were applied.
    pub results: Vec<FixResult>,
    /// The counts.
    pub summary: ApplySummary,
    /// Open findings without an applied fix, each with the reason.
    pub unfixed_findings: Vec<UnfixedFinding>,
    /// What to know, such as uncommitted changes.
    pub warnings: Vec<String>,
}

/// The counts of `POST /fix/apply-all`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplySummary {
    /// Fixes that were tried.
    pub total: u64,
    /// Fixes that are applied.
    pub applied: u64,
    /// Fixes that could not be applied.
    pub failed: u64,
    /// Fixes that were not tried: a person must decide something.
    pub skipped: u64,
    /// The score before.
    pub score_before: f64,
    /// The score after.
    pub score_after: f64,
}

/// An open finding without a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnfixedFinding {
    /// The finding.
    pub finding_id: String,
    /// Its check.
    pub check_id: String,
    /// Its severity.
    pub severity: Severity,
    /// What it says.
    pub message: String,
    /// Its file.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// What to do about it, by hand.
    pub fix: Option<String>,
    /// Why there is no fix.
    pub reason: String,
}

/// Body of `POST /fix/undo`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// The number of the fix; the newest applied fix if absent.
    pub id: Option<i64>,
}

/// Reply of `POST /fix/undo`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoReply {
    /// Always true: a fix that cannot be undone is an error.
    pub undone: bool,
    /// The number of the fix.
    pub fix_id: i64,
    /// Its check.
    pub check_id: String,
    /// The files that are as they were.
    pub files: Vec<String>,
    /// The score before.
    pub score_before: f64,
    /// The score after.
    pub score_after: f64,
    /// The id of the evidence entry.
    pub evidence_id: String,
}

/// The query of `GET /fix/history`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixHistoryRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// The maximum number of entries, 100 if absent, at most 1,000.
    pub limit: Option<u32>,
    /// Only fixes before this number: the last one of the previous page.
    pub cursor: Option<i64>,
}

/// Reply of `GET /fix/history`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FixHistory {
    /// The fixes, the newest first.
    pub fixes: Vec<FixHistoryEntry>,
    /// The number of fixes in this reply.
    pub count: u64,
    /// The cursor of the next page; null on the last one.
    pub cursor: Option<i64>,
}

/// One fix of the history.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixHistoryEntry {
    /// Its number.
    pub id: i64,
    /// The time it was applied, as RFC 3339 in UTC.
    pub timestamp: String,
    /// The check.
    pub check_id: String,
    /// The finding.
    pub finding_id: String,
    /// What was changed: `code`, `document`, `config`, `dependency` or `metadata`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The strategy; `model` if a language model proposed the change.
    pub strategy: String,
    /// What the fix does.
    pub description: String,
    /// The changed files.
    pub files: Vec<String>,
    /// The change as a unified diff, secrets masked.
    pub diff: String,
    /// `applied`, `undone`, or `rolled_back` if it could not be finished.
    pub status: String,
    /// Whether `POST /fix/undo` can undo it now.
    pub can_undo: bool,
    /// Why it cannot be undone.
    pub why_not: Option<String>,
    /// The time it was undone.
    pub undone_at: Option<String>,
    /// The score before.
    pub score_before: f64,
    /// The score after.
    pub score_after: Option<f64>,
    /// The id of the evidence entry.
    pub evidence_id: Option<String>,
    /// Whether a language model proposed the change.
    pub ai_generated: bool,
}
