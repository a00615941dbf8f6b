//! What clients ask of passports, and what they are answered.

use engine_model::AutonomyReason;
use engine_passport::{Completeness, Document, ForeignSignature, Format, SignatureVerdict, Validation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Body of `POST /agent/init`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InitRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Values set by a person, by dotted path. `risk_class` is the short form of `compliance.eu_ai_act.risk_class`; `null`
    /// withdraws a value.
    #[serde(default)]
    pub overrides: Option<Map<String, Value>>,
    /// Whether to update existing passports; entries by people are kept.
    #[serde(default)]
    pub force: Option<bool>,
    /// Only the agent of this name.
    #[serde(default)]
    pub name: Option<String>,
    /// The same as `name`, for existing clients.
    #[serde(default)]
    pub agent_name: Option<String>,
}

impl InitRequest {
    /// The agent that is meant, if one is named.
    pub(super) fn agent(&self) -> Option<&str> {
        self.name.as_deref().or(self.agent_name.as_deref())
    }
}

/// Reply of `POST /agent/init`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitReply {
    /// The created and updated passports.
    pub manifests: Vec<Document>,
    /// Their files, relative to the project.
    pub saved_paths: Vec<String>,
    /// Names of agents whose passport was not changed.
    pub skipped: Vec<String>,
    /// The same agents, each with the reason.
    pub unchanged: Vec<NotMade>,
    /// Whether the AI Act applies to the project; without an AI system, no passport is created.
    pub applicability: String,
    /// The reason.
    pub reason: String,
}

/// An agent whose passport was not changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotMade {
    /// Its name.
    pub name: String,
    /// Its id.
    pub agent_id: String,
    /// The reason.
    pub reason: String,
}

/// The query of a route for one passport.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The name of the agent, or its id; the only passport if absent.
    #[serde(default)]
    pub name: Option<String>,
}

/// Body of `POST /agent/rename`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenameRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The current name of the agent.
    pub old_name: String,
    /// The new name of the agent.
    pub new_name: String,
}

/// The query of `GET /agent/export`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The name of the agent, or its id; the only passport if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The format.
    pub format: Format,
}

/// Reply of `GET /agent/export`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExportReply {
    /// The format.
    pub format: Format,
    /// The passport in this format.
    pub data: Value,
    /// Whether it matches the schema of the format.
    pub valid: bool,
    /// The time of the export, as RFC 3339.
    pub timestamp: String,
}

/// Body of `POST /agent/import`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The format.
    pub format: Format,
    /// The document in that format.
    pub data: Map<String, Value>,
    /// Whether to replace an existing passport; the old one is kept.
    #[serde(default)]
    pub force: Option<bool>,
}

/// Reply of `POST /agent/import`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportReply {
    /// The name of the agent.
    pub name: String,
    /// Its id.
    pub agent_id: String,
    /// The file, relative to the project.
    pub saved_path: String,
    /// The stored passport.
    pub passport: Document,
    /// Whether an existing passport was replaced.
    pub replaced: bool,
    /// Whether the import is unchanged and has a signature that is trusted here.
    pub untouched: bool,
    /// Foreign signatures, kept unchanged.
    pub foreign_signatures: Vec<ForeignSignature>,
    /// Notes on the import.
    pub warnings: Vec<String>,
    /// Fields that got their value from the import, by dotted path.
    pub fields_imported: Vec<String>,
    /// Required fields without a value from the import, code or a person, by dotted path.
    pub fields_missing: Vec<String>,
}

/// Reply of `GET /agent/validate`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ValidationReply {
    /// The file, relative to the project.
    pub file: String,
    /// The results of the validation.
    #[serde(flatten)]
    pub validation: Validation,
}

/// Reply of `GET /agent/completeness`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CompletenessReply {
    /// The completeness of the passport, or of all passports together.
    #[serde(flatten)]
    pub whole: Completeness,
    /// The completeness of each passport.
    pub agents: Vec<AgentCompleteness>,
}

/// How complete the passport of one agent is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AgentCompleteness {
    /// Its name.
    pub name: String,
    /// The completeness of its passport.
    #[serde(flatten)]
    pub passport: Completeness,
}

/// Reply of `GET /agent/autonomy`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct AutonomyReply {
    /// The highest level of an agent, `L1` to `L5`; null without agents.
    pub level: Option<String>,
    /// The agents.
    pub agents: Vec<AgentAutonomy>,
    /// The summary, in a sentence.
    pub summary: String,
}

/// The autonomy of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAutonomy {
    /// Its name.
    pub name: String,
    /// The level from 1 (only answers) to 5 (acts unattended and without approval); null if unknown.
    pub level: Option<u64>,
    /// The level according to the code, if it differs from the level set by a person.
    pub observed_level: Option<u8>,
    /// The kind of program.
    pub agent_type: Option<String>,
    /// The basis of the level.
    pub evidence: AutonomyEvidence,
}

/// The basis of the autonomy level of an agent. The counts are places in code that call a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct AutonomyEvidence {
    /// The reasons for the level.
    pub reasons: Vec<AutonomyReason>,
    /// Calls with an effect whose output a person approves first.
    pub human_approval_gates: u64,
    /// Calls with an effect for which no approval was found.
    pub unsupervised_actions: u64,
    /// Calls without a log.
    pub no_logging_actions: u64,
}

/// One line of `GET /agent/registry`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryEntry {
    /// Its name.
    pub name: String,
    /// Its id.
    pub agent_id: Option<String>,
    /// The file of its passport, relative to the project.
    pub file: Option<String>,
    /// `valid`, `invalid`, `unreadable`, `no_passport`, or `gone` if the last scan did not find the agent.
    pub status: String,
    /// The result of the signature check.
    pub signature: Option<SignatureVerdict>,
    /// The share of required fields with a value from code or a person, 0 to 100.
    pub completeness: Option<f64>,
    /// The autonomy level, 1 to 5.
    pub autonomy_level: Option<u64>,
    /// The self-assessed risk class.
    pub risk_class: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The system of the agent.
    pub system: Option<String>,
    /// The score of its system in the last scan.
    pub score: Option<f64>,
    /// The number of gaps of its system in the last scan.
    pub findings: Option<u64>,
    /// The number of critical gaps.
    pub critical: Option<u64>,
    /// The number of high-severity gaps.
    pub high: Option<u64>,
    /// The time of the last change of the passport.
    pub updated: Option<String>,
    /// The same as `score`, for existing clients.
    pub compliance_score: Option<f64>,
    /// The same as `completeness`, for existing clients.
    pub passport_completeness: Option<f64>,
    /// The fundamental rights impact assessment in the project: `filled`, `draft` or `missing`.
    pub fria_status: String,
    /// The evidence chain of the project.
    pub evidence_chain: ChainState,
    /// The grade of the project in the last scan; null if too little was evaluated for a grade.
    pub grade: Option<String>,
    /// What is wrong with the passport, in words.
    pub issues: Vec<String>,
}

/// The evidence chain of a project in short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainState {
    /// Whether it is valid.
    pub valid: bool,
    /// The number of its entries.
    pub entries: u64,
}
