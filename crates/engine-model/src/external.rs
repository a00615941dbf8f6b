//! What external analysers did in a scan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FindingType, Severity};

/// The outcome of the run of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolRunStatus {
    /// It ran to its end and its report was read.
    Ran,
    /// It is not installed.
    Missing,
    /// It did not start, was killed, ended with an error, or wrote no readable report.
    Failed,
    /// It took longer than its limit and was ended.
    TimedOut,
}

/// The run of one external tool. Only `ran` without `error` means that the tool looked at every file it was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRecord {
    /// The tool.
    pub name: String,
    /// Its version; the pinned one where it did not run.
    pub version: String,
    /// The outcome of the run.
    pub status: ToolRunStatus,
    /// Its exit code; null where it was not started or did not end by itself.
    pub exit_code: Option<i32>,
    /// Duration in milliseconds.
    pub elapsed: f64,
    /// Findings that it reported, with those that the engine had already.
    pub findings: u64,
    /// Those of them that another finding covers: the tool is named there as a second source.
    pub duplicates: u64,
    /// Files that it was given.
    pub files: u64,
    /// Files of its kind that it was not given because of their length.
    pub files_left_out: u64,
    /// The fault, in whole or in part; null without one.
    pub error: Option<String>,
}

/// The findings of one external tool, for existing clients. Only tools that ran to their end are listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalToolResult {
    /// The tool.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// Its findings.
    pub findings: Vec<ExternalFinding>,
    /// Duration in whole milliseconds.
    pub duration: u64,
    /// Its exit code; 0 where it had no file to read and was not started.
    pub exit_code: i32,
}

/// One finding of an external tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalFinding {
    /// `ext-<tool>-<rule>`.
    pub check_id: String,
    /// Gap or notice.
    #[serde(rename = "type")]
    pub kind: FindingType,
    /// The severity.
    pub severity: Severity,
    /// The problem in a few words.
    pub title: String,
    /// What was found.
    pub message: String,
    /// The obligation, `OBL-<number>`; null without an AI system.
    pub obligation_id: Option<String>,
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The check whose finding covers this one; null if this finding is in `findings` itself.
    pub same_as: Option<String>,
}
