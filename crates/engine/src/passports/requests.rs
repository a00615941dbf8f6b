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
    /// What a person says, by dotted path; `risk_class` is the short form of `compliance.eu_ai_act.risk_class`, and `null`
    /// takes an answer back.
    #[serde(default)]
    pub overrides: Option<Map<String, Value>>,
    /// Whether passports that are there are brought up to date; what people wrote stays.
    #[serde(default)]
    pub force: Option<bool>,
    /// Only the agent of this name.
    #[serde(default)]
    pub name: Option<String>,
}

/// Reply of `POST /agent/init`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitReply {
    /// The passports that were made or brought up to date.
    pub manifests: Vec<Document>,
    /// Their files, relative to the project.
    pub saved_paths: Vec<String>,
    /// Agents whose passport was left as it is, and why.
    pub skipped: Vec<NotMade>,
    /// Whether the Act touches the project; without an AI system there is nothing to make.
    pub applicability: String,
    /// Why.
    pub reason: String,
}

/// An agent whose passport was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotMade {
    /// Its name.
    pub name: String,
    /// Its id.
    pub agent_id: String,
    /// Why.
    pub reason: String,
}

/// The query of a route that is about one passport.
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
    /// The name that the agent has.
    pub old_name: String,
    /// The name that it gets.
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
    /// The passport in it.
    pub data: Value,
    /// Whether it fits the schema of the format.
    pub valid: bool,
    /// When, as RFC 3339.
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
    /// Whether a passport that is there is replaced; what it was is kept.
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
    /// The passport as it is kept.
    pub passport: Document,
    /// Whether one that was there was replaced.
    pub replaced: bool,
    /// Whether it is, to the last member, one that bears a signature trusted here.
    pub untouched: bool,
    /// Signatures of others, kept as they came.
    pub foreign_signatures: Vec<ForeignSignature>,
    /// What to know about it.
    pub warnings: Vec<String>,
}

/// Reply of `GET /agent/validate`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ValidationReply {
    /// The file, relative to the project.
    pub file: String,
    /// What was found out.
    #[serde(flatten)]
    pub validation: Validation,
}

/// Reply of `GET /agent/completeness`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CompletenessReply {
    /// Of the passport, or of all of them together.
    #[serde(flatten)]
    pub whole: Completeness,
    /// One by one.
    pub agents: Vec<AgentCompleteness>,
}

/// How complete the passport of one agent is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AgentCompleteness {
    /// Its name.
    pub name: String,
    /// Of its passport.
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
    /// The same in a sentence.
    pub summary: String,
}

/// How much one agent does by itself.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAutonomy {
    /// Its name.
    pub name: String,
    /// 1 answers only, up to 5 acts unattended and without approval; null where it is unknown.
    pub level: Option<u64>,
    /// The level that code shows, where it differs from what a person says.
    pub observed_level: Option<u8>,
    /// What kind of program it is.
    pub agent_type: Option<String>,
    /// What the level rests on.
    pub evidence: Vec<AutonomyReason>,
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
    /// `valid`, `invalid`, `unreadable`, `no_passport`, or `gone` where the last scan does not see it.
    pub status: String,
    /// What checking the signature said.
    pub signature: Option<SignatureVerdict>,
    /// Share of the required fields that code or a person supplied, 0 to 100.
    pub completeness: Option<f64>,
    /// 1 to 5.
    pub autonomy_level: Option<u64>,
    /// The class of risk, self-assessed.
    pub risk_class: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The system that it belongs to.
    pub system: Option<String>,
    /// Score of its system in the last scan.
    pub score: Option<f64>,
    /// Gaps in it in the last scan.
    pub findings: Option<u64>,
    /// Those that are critical.
    pub critical: Option<u64>,
    /// Those that are high.
    pub high: Option<u64>,
    /// When the passport was changed last.
    pub updated: Option<String>,
}
