//! Decisions of people about findings, and the gate: suppressions, the baseline, the verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Date;

/// A suppression of a project with its status. Every suppression is reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuppressionRecord {
    /// Where it is declared.
    pub source: SuppressionSource,
    /// The file that contains it, relative to the project's root.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// The check that it names.
    pub check_id: Option<String>,
    /// The finding that it names.
    pub finding_id: Option<String>,
    /// The file or folder that it is limited to.
    pub path: Option<String>,
    /// `false_positive` removes the finding from score and gate, `accepted_risk` only from the gate.
    pub kind: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The person who decided.
    pub owner: Option<String>,
    /// The last day on which it is valid.
    pub until: Option<Date>,
    /// Its status.
    pub status: SuppressionStatus,
    /// An explanation of the status, with the next step.
    pub message: String,
    /// Ids of its findings: suppressed, or open again.
    pub findings: Vec<String>,
}

/// Where a suppression is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuppressionSource {
    /// A comment in the code.
    Comment,
    /// An entry of `.compliance/suppressions.toml`.
    File,
}

/// The status of a suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuppressionStatus {
    /// It suppresses findings.
    Applied,
    /// It matches no finding.
    Unused,
    /// Its last day is past; its findings are open again.
    Expired,
    /// It names a check that does not exist.
    UnknownCheck,
    /// A required field is missing or wrong.
    Invalid,
}

/// The baseline entry of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Baselined {
    /// Why it is postponed.
    pub reason: Option<String>,
    /// The person responsible.
    pub owner: Option<String>,
    /// The last day on which it is valid.
    pub until: Option<Date>,
}

/// A baseline entry that needs attention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaselineEntry {
    /// The finding.
    pub id: String,
    /// The check that reported it.
    pub check_id: String,
    /// Where it was.
    pub file: Option<String>,
    /// The person responsible.
    pub owner: Option<String>,
    /// The last day on which it was valid.
    pub until: Option<Date>,
}

/// The result of the baseline of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaselineReport {
    /// The file that contains it.
    pub file: String,
    /// Number of all entries.
    pub entries: u64,
    /// Entries whose finding still occurs and does not count for the gate.
    pub matched: u64,
    /// Entries whose last day is past: their findings count again.
    pub expired: Vec<BaselineEntry>,
    /// Entries whose finding no longer occurs; remove them.
    pub unmatched: Vec<BaselineEntry>,
}

/// Whether a scan passes the gate, and why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateResult {
    /// Whether it passes. A gate that was not assessed does not pass.
    pub passed: bool,
    /// The same in words, with `not_assessed` for a gate that passes only because nothing was evaluated.
    #[serde(default)]
    pub verdict: GateVerdict,
    /// The thresholds, as configured.
    pub threshold: Value,
    /// Findings at or above the severity that are new: neither in the baseline nor in the scan before.
    pub new_findings: u64,
    /// Open findings at or above the severity that are known: in the baseline or in the scan before. They do not fail the gate.
    #[serde(default)]
    pub known_findings: u64,
    /// Ids of the new findings.
    pub findings: Vec<String>,
    /// Why it fails, in sentences.
    pub reasons: Vec<String>,
}

/// The verdict of the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// Every threshold is met.
    Passed,
    /// A threshold is not met.
    Failed,
    /// No threshold is broken, but no obligation was evaluated, or the use of AI could not be determined.
    #[default]
    NotAssessed,
}

impl GateVerdict {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotAssessed => "not_assessed",
        }
    }
}
