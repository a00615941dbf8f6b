//! What people have said about findings, and what a gate makes of it: suppressions, the baseline, the verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Date;

/// A suppression of a project, with what became of it. None is ever dropped without a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuppressionRecord {
    /// Where it was said.
    pub source: SuppressionSource,
    /// The file that holds it, relative to the project's root.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// The check that it names.
    pub check_id: Option<String>,
    /// The finding that it names.
    pub finding_id: Option<String>,
    /// The file or folder that it is limited to.
    pub path: Option<String>,
    /// `false_positive` leaves score and gate, `accepted_risk` leaves only the gate.
    pub kind: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Who decided.
    pub owner: Option<String>,
    /// Until when it holds.
    pub until: Option<Date>,
    /// What became of it.
    pub status: SuppressionStatus,
    /// The same in a sentence, with what to do.
    pub message: String,
    /// Ids of the findings that it is about: set aside, or open again.
    pub findings: Vec<String>,
}

/// Where a suppression was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuppressionSource {
    /// A comment beside the code.
    Comment,
    /// An entry of `.compliance/suppressions.toml`.
    File,
}

/// What became of a suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuppressionStatus {
    /// It sets findings aside.
    Applied,
    /// Nothing is there that it could set aside.
    Unused,
    /// Its last day is past; what it had set aside is open again.
    Expired,
    /// It names a check that does not exist.
    UnknownCheck,
    /// Something that it must say is missing or wrong.
    Invalid,
}

/// What a baseline says about a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Baselined {
    /// Why it is left for later.
    pub reason: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// Until when it holds.
    pub until: Option<Date>,
}

/// An entry of a baseline that needs a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaselineEntry {
    /// The finding.
    pub id: String,
    /// The check that reported it.
    pub check_id: String,
    /// Where it was.
    pub file: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// Until when it held.
    pub until: Option<Date>,
}

/// What became of the baseline of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaselineReport {
    /// The file that holds it.
    pub file: String,
    /// Entries in all.
    pub entries: u64,
    /// Entries whose finding is still there and does not count for the gate.
    pub matched: u64,
    /// Entries whose last day is past: their findings count again.
    pub expired: Vec<BaselineEntry>,
    /// Entries whose finding is gone; they can be taken out.
    pub unmatched: Vec<BaselineEntry>,
}

/// Whether a scan passes the gate, and why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateResult {
    /// Whether it passes.
    pub passed: bool,
    /// The thresholds, as configured.
    pub threshold: Value,
    /// Findings at or above the severity that are new: neither in the baseline nor in the scan before.
    pub new_findings: u64,
    /// Ids of these findings.
    pub findings: Vec<String>,
    /// Why it fails, in sentences.
    pub reasons: Vec<String>,
}
