//! Documents and other artefacts of a project, detected by their content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document of a kind that the law requires or that is common for compliance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Path relative to the project's root.
    pub file: String,
    /// The kind, an id of `regulation/documents.json`.
    pub kind: String,
    /// The confidence of the kind, 0 to 100.
    pub confidence: u8,
    /// The sections that the kind requires, in order.
    pub sections: Vec<DocumentSection>,
    /// Share of required sections with content, 0 to 100.
    pub completeness: u8,
    /// Its state.
    pub state: DocumentState,
    /// Line of the title or first heading, from 1.
    pub line: u32,
    /// Whether it is an unfinished draft that the engine wrote from a template.
    pub draft: bool,
    /// BLAKE3 of the content, in hex.
    pub digest: String,
    /// Dates of versions and reviews in the document, in the order of lines.
    #[serde(default)]
    pub dates: Vec<DocumentDate>,
}

/// A date that a document states about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentDate {
    /// Its line, from 1.
    pub line: u32,
    /// The kind of date.
    pub kind: DocumentDateKind,
    /// The date.
    pub date: crate::Date,
}

/// The kind of a date in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentDateKind {
    /// Of a version, an approval or a past review.
    Version,
    /// Of the next review.
    NextReview,
}

/// The state of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentState {
    /// Every required section has content.
    Filled,
    /// Some required sections have content.
    Partial,
    /// A scaffold: headings without content.
    Scaffold,
}

/// One section that a kind of document requires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSection {
    /// The key in the section list.
    pub key: String,
    /// The title in the section list.
    pub title: String,
    /// The provision that requires it.
    pub source: String,
    /// Whether it is required.
    pub required: bool,
    /// The state of its content.
    pub state: SectionState,
    /// The heading that matches it, if any.
    pub heading: Option<String>,
    /// Line of that heading, from 1.
    pub line: Option<u32>,
}

/// The state of the content of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionState {
    /// Sufficient text.
    Filled,
    /// A few words, not enough content.
    Thin,
    /// Only placeholders: TBD, lorem ipsum, brackets to fill in.
    Placeholder,
    /// A heading with nothing below it.
    Empty,
    /// The section was not found.
    Missing,
}

/// A file or setting that is relevant for the Act but is not one of its documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Artefact {
    /// What it is.
    pub kind: ArtefactKind,
    /// Path relative to the project's root.
    pub file: String,
    /// Line of the evidence, from 1.
    pub line: u32,
    /// The evidence, in a few words.
    pub because: String,
    /// Retention of logs in days, if a log configuration states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
}

/// Kinds of artefacts, detected by content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArtefactKind {
    /// A pipeline that builds, tests or deploys.
    CiPipeline,
    /// A step of a pipeline that evaluates a model or runs AI tests.
    CiEvaluation,
    /// A container image.
    ContainerImage,
    /// A description of a deployment: compose, Kubernetes, Terraform, serverless.
    Deployment,
    /// A file of environment values that may hold keys.
    SecretsFile,
    /// A sample of such a file, without values.
    SecretsSample,
    /// A contact for security reports.
    SecurityContact,
    /// A licence.
    Licence,
    /// A model card.
    ModelCard,
    /// A data sheet or card of a data set.
    DataCard,
    /// An evaluation of a model: suite, thresholds, results.
    Evaluation,
    /// A prompt that is kept as a file.
    PromptFile,
    /// A configuration of logs and their retention.
    LogConfiguration,
    /// Telemetry, alerts or dashboards.
    Monitoring,
    /// An AI disclosure.
    DisclosureNotice,
    /// A changelog.
    Changelog,
    /// Named owners of parts of the code.
    Ownership,
    /// Configuration of a coding agent or of MCP servers.
    AgentConfiguration,
    /// The manifest of a library.
    LibraryManifest,
    /// The manifest of an application.
    ApplicationManifest,
    /// Data under version control.
    DataVersioning,
    /// A robots.txt or another reservation of rights.
    RobotsPolicy,
}

/// A place in a file with a secret: a mask and a fingerprint, never the secret itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretPlace {
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The last line, where the secret is a block.
    pub end_line: u32,
    /// The check that reports it, such as `secret-ai-key`.
    pub check: String,
    /// The rule that detected it, such as `secret-openai-key`.
    pub rule: String,
    /// What it is, in a few words.
    pub title: String,
    /// The issuer, if the form or the name shows it.
    pub provider: Option<String>,
    /// 0 to 100: of places with 80, about 80 % contain a secret.
    pub confidence: u8,
    /// Up to four characters of a long secret, then `****`; only `****` for a short one.
    pub masked: String,
    /// The beginning of a keyed BLAKE3 of the secret, in hex: equal for equal secrets, of no use without the key.
    pub fingerprint: String,
}
