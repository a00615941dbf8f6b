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
    /// Analysis by a language model.
    L5,
    /// Probes of a live endpoint.
    #[serde(rename = "eval")]
    Eval,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For information.
    Info,
    /// Minor.
    Low,
    /// Should be fixed.
    Medium,
    /// Must be fixed.
    High,
    /// Must be fixed first.
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

/// The effect of a problem today, independent of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Impact {
    /// The product fails, or will fail within weeks: a retired model, a call without error handling.
    Breaks,
    /// Credentials, machines or people are at risk: a leaked key, a model file that runs code.
    Exposes,
    /// A person or an auditor learns something wrong or nothing at all: no AI disclosure, a document that contradicts the code.
    Misleads,
    /// Nothing fails today; the work prepares for an obligation.
    Prepares,
}

impl Impact {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Breaks => "breaks",
            Self::Exposes => "exposes",
            Self::Misleads => "misleads",
            Self::Prepares => "prepares",
        }
    }
}

/// Whether a finding is a gap, evidence or a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingType {
    /// A gap.
    Fail,
    /// Positive evidence.
    Pass,
    /// A notice, or a gap for an upcoming obligation.
    Info,
}

/// The confidence as a level.
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
    /// The level of a number from 0 to 100.
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
    /// A fingerprint that stays the same when lines move or the scan runs again.
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
    /// The severity.
    pub severity: Severity,
    /// Its effect today, independent of the law; none for evidence.
    #[serde(default)]
    pub impact: Option<Impact>,
    /// 0 to 100: of findings with 80, about 80 % are right.
    pub confidence: u8,
    /// The confidence as a level.
    pub confidence_level: ConfidenceLevel,
    /// The problem or the evidence, in a few words.
    pub title: String,
    /// What was found or not found at this place.
    pub message: String,
    /// The law behind it.
    pub explanation: Option<Explanation>,
    /// Path relative to the project's root; none if the finding concerns the whole project.
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
    /// The evidence for it.
    pub evidence: Vec<Evidence>,
    /// The lines around the place.
    pub code_context: Option<CodeContext>,
    /// What to do.
    pub fix: Option<String>,
    /// Whether the engine can apply the fix.
    pub fixable: bool,
    /// Set if a person has suppressed it.
    pub suppressed: Option<Suppression>,
    /// Set if it is in the baseline of the project: a known finding that does not fail the gate.
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
    /// The date from which it applies whichever way the open question is answered, if it is undetermined today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certain_from: Option<crate::Date>,
    /// Why it applies to this project.
    pub why: String,
    /// The ceiling of the fine, with its provision.
    pub penalty: Option<String>,
}

/// One piece of evidence for a finding or a status.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The kind of evidence.
    pub kind: EvidenceKind,
    /// A description or an id.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Path relative to the project's root.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// BLAKE3 of the file, in hex, if the whole file is the evidence.
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
    /// The first line shown.
    pub start_line: u32,
    /// The lines, secrets masked.
    pub lines: Vec<CodeLine>,
    /// The line of the finding.
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

/// Why a finding was suppressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suppression {
    /// `false_positive` removes the finding from score and gate, `accepted_risk` only from the gate.
    pub kind: String,
    /// Why.
    pub reason: String,
    /// The person who decided.
    pub owner: Option<String>,
    /// The last day on which it is valid.
    pub until: Option<crate::Date>,
}
