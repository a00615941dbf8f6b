//! Documents and other artefacts of a project, told by what they say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document of the kinds that the law asks for or that are customary for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Path relative to the project's root.
    pub file: String,
    /// The kind, an id of `regulation/documents.json`.
    pub kind: String,
    /// How sure the kind is, 0 to 100.
    pub confidence: u8,
    /// The sections that the kind asks for, in its order.
    pub sections: Vec<DocumentSection>,
    /// Share of required sections that have substance, 0 to 100.
    pub completeness: u8,
    /// What it amounts to.
    pub state: DocumentState,
    /// Line of the title or first heading, from 1.
    pub line: u32,
    /// Whether the engine wrote it from a template and no person has finished it.
    pub draft: bool,
    /// BLAKE3 of the content, in hex.
    pub digest: String,
    /// Dates of versions and reviews that it states, in the order of their lines.
    #[serde(default)]
    pub dates: Vec<DocumentDate>,
}

/// A date that a document states about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentDate {
    /// Line on which it stands, from 1.
    pub line: u32,
    /// What the date is of.
    pub kind: DocumentDateKind,
    /// The date.
    pub date: crate::Date,
}

/// What a date in a document is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentDateKind {
    /// Of a version, an approval or a past review.
    Version,
    /// Of the next review.
    NextReview,
}

/// What a document amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentState {
    /// Every required section has substance.
    Filled,
    /// Some have.
    Partial,
    /// A scaffold: headings without substance.
    Scaffold,
}

/// One section that a kind of document asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSection {
    /// The key in the section list.
    pub key: String,
    /// The title in the section list.
    pub title: String,
    /// The provision that asks for it.
    pub source: String,
    /// Whether it is required.
    pub required: bool,
    /// What stands there.
    pub state: SectionState,
    /// The heading that was taken for it, if any.
    pub heading: Option<String>,
    /// Line of that heading, from 1.
    pub line: Option<u32>,
}

/// What stands in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionState {
    /// Text with substance.
    Filled,
    /// A few words, not enough to tell anything.
    Thin,
    /// Only placeholders: TBD, lorem ipsum, brackets to fill in.
    Placeholder,
    /// A heading with nothing below it.
    Empty,
    /// No such section.
    Missing,
}

/// A thing in the tree that matters under the Act without being one of its documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Artefact {
    /// What it is.
    pub kind: ArtefactKind,
    /// Path relative to the project's root.
    pub file: String,
    /// Line of what told it, from 1.
    pub line: u32,
    /// What told it, in a few words.
    pub because: String,
    /// Days for which logs are kept, where a configuration of logs states them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
}

/// Kinds of artefacts, told by content.
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
    /// A notice for people that an AI is at work.
    DisclosureNotice,
    /// The changes from version to version.
    Changelog,
    /// Named people who answer for parts of the code.
    Ownership,
    /// Configuration of a coding agent or of MCP servers.
    AgentConfiguration,
    /// The manifest of a package that others build on.
    LibraryManifest,
    /// The manifest of something that is deployed or started.
    ApplicationManifest,
    /// Data under version control.
    DataVersioning,
    /// A robots.txt or another reservation of rights.
    RobotsPolicy,
}

/// A place in a file that holds a secret: a mask and a fingerprint, never the secret itself.
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
    /// The rule that told it, such as `secret-openai-key`.
    pub rule: String,
    /// What it is, in a few words.
    pub title: String,
    /// Who gave it out, where the form or the name says so.
    pub provider: Option<String>,
    /// 0 to 100: of places with 80, about 80 % hold a secret.
    pub confidence: u8,
    /// Up to four characters of a long secret, then `****`; only `****` for a short one.
    pub masked: String,
    /// The beginning of a keyed BLAKE3 of the secret, in hex: equal for equal secrets, of no use without the key.
    pub fingerprint: String,
}
