//! Findings: what a check reports, where, how sure, and under which article.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A layer of the scanner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Layer {
    /// Files.
    L1,
    /// Structure of documents.
    L2,
    /// Dependencies and configuration.
    L3,
    /// Code.
    L4,
    /// A language model.
    L5,
    /// Probes of a live endpoint.
    #[serde(rename = "eval")]
    Eval,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// A detail.
    Low,
    /// Worth doing.
    Medium,
    /// Needs doing.
    High,
    /// Needs doing first.
    Critical,
}

impl Severity {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// Whether a finding speaks of a gap, of something in order, or of something to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingType {
    /// A gap.
    Fail,
    /// Evidence that something is in order.
    Pass,
    /// Something to know, or a duty that is still to come.
    Info,
}

/// Confidence in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfidenceLevel {
    /// Below 50.
    Low,
    /// 50 to 79.
    Medium,
    /// 80 and more.
    High,
}

impl ConfidenceLevel {
    /// The word for a number from 0 to 100.
    pub const fn of(confidence: u8) -> Self {
        match confidence {
            0..50 => Self::Low,
            50..80 => Self::Medium,
            _ => Self::High,
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Cell of a notebook, from 1.
    pub cell: Option<u32>,
}

impl Location {
    /// The start of a line.
    pub fn line(file: impl Into<String>, line: u32) -> Self {
        Self {
            file: file.into(),
            line,
            column: 1,
            cell: None,
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// A fingerprint that survives moved lines and re-runs.
    pub id: String,
    /// The check that reported it.
    pub check_id: String,
    /// The obligation, `OBL-<number>`.
    pub obligation_id: Option<String>,
    /// Gap, evidence or notice.
    #[serde(rename = "type")]
    pub kind: FindingType,
    /// The layer of the check.
    pub layer: Layer,
    /// How much it weighs.
    pub severity: Severity,
    /// 0 to 100: of findings with 80, about 80 % are right.
    pub confidence: u8,
    /// The same in words.
    pub confidence_level: ConfidenceLevel,
    /// What the check looks for, in a few words.
    pub title: String,
    /// What was observed here.
    pub message: String,
    /// The law behind it.
    pub explanation: Option<Explanation>,
    /// Path relative to the project's root; none when the finding is about the project as a whole.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Last line.
    pub end_line: Option<u32>,
    /// Column after the last character.
    pub end_column: Option<u32>,
    /// Cell of a notebook, from 1.
    pub cell: Option<u32>,
    /// The system that it belongs to.
    pub system: Option<String>,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// The lines around the place.
    pub code_context: Option<CodeContext>,
    /// What to do.
    pub fix: Option<String>,
    /// Whether the engine can do it.
    pub fixable: bool,
    /// Set when a person has set it aside.
    pub suppressed: Option<Suppression>,
    /// Set when it stands in the baseline of the project: known, and no reason for the gate to fail.
    #[serde(default)]
    pub baseline: Option<crate::Baselined>,
}

/// The law behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The provision, such as `Art. 50(1)`.
    pub article: String,
    /// The date from which it applies.
    pub applies_from: Option<crate::Date>,
    /// Why it applies to this project.
    pub why: String,
    /// The ceiling of the fine, with its provision.
    pub penalty: Option<String>,
}

/// One thing that a finding or a status rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// What it refers to, in words or as an id.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Path relative to the project's root.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// BLAKE3 of the file, in hex, where the file as a whole is meant.
    pub hash: Option<String>,
}

/// Kinds of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKind {
    /// A place in code.
    Code,
    /// A manifest or lockfile.
    Dependency,
    /// Configuration.
    Configuration,
    /// A document.
    Document,
    /// A run of an evaluation.
    Run,
    /// A named person.
    Person,
}

/// Lines around a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeContext {
    /// The first line that is shown.
    pub start_line: u32,
    /// The lines, secrets masked.
    pub lines: Vec<CodeLine>,
    /// The line that is meant.
    pub highlight_line: u32,
}

/// One line of code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeLine {
    /// Its number, from 1.
    pub num: u32,
    /// Its text without the line end.
    pub content: String,
}

/// Why a finding was set aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suppression {
    /// `false_positive` leaves score and gate, `accepted_risk` leaves only the gate.
    pub kind: String,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub owner: Option<String>,
    /// Until when it holds.
    pub until: Option<crate::Date>,
}
