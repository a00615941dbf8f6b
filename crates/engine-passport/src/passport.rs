//! A passport as types. The published schema is drawn from them; what they do not name is kept beside them.

use std::collections::BTreeMap;

use engine_model::AutonomyReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::provenance::Provenance;

/// Whatever a person added that no type names.
type Extra = Map<String, Value>;

/// A passport. What is unknown is `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passport {
    /// The version of this shape.
    pub passport_version: String,
    /// A stable id, kept when the agent is renamed.
    #[schemars(length(min = 1, max = 512))]
    pub agent_id: String,
    /// The name: free text.
    #[schemars(length(min = 1, max = 1024))]
    pub name: String,
    /// The name that people are shown.
    pub display_name: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// When the passport was made, as RFC 3339.
    pub created: String,
    /// When it was changed last, as RFC 3339.
    pub updated: String,
    /// Who answers for it.
    pub owner: Owner,
    /// Who develops it, in the sense of Art. 3(3).
    pub provider: Provider,
    /// The role of the operator: `provider`, `deployer`, `provider and deployer`.
    pub role: Option<String>,
    /// What kind of program it is.
    #[serde(rename = "type")]
    pub kind: Option<AgentType>,
    /// 1 answers only, up to 5 acts unattended and without approval.
    #[schemars(range(min = 1, max = 5))]
    pub autonomy_level: Option<u8>,
    /// What the level rests on.
    pub autonomy_evidence: Vec<AutonomyReason>,
    /// What it is meant for.
    pub intended_purpose: Option<String>,
    /// The field in which it is used.
    pub domain: Option<String>,
    /// Groups of people whom its output concerns.
    pub affected_persons: Option<Vec<String>>,
    /// What it is built with.
    pub framework: Framework,
    /// The model behind it.
    pub model: Model,
    /// Files that it is made of.
    pub source_files: Vec<String>,
    /// Where it is started or reached.
    pub endpoints: Vec<PassportEndpoint>,
    /// How it deals with other programs.
    pub interop: Interop,
    /// What it was seen to be able to do.
    pub permissions: GrantedPermissions,
    /// What people say that it must not do, or only after approval.
    pub constraints: Constraints,
    /// What it works on.
    pub data: DataUse,
    /// Where it stands under the law and other frameworks.
    pub compliance: ComplianceState,
    /// Who watches over it.
    pub oversight: Oversight,
    /// Whether people know that they deal with an AI.
    pub disclosure: Disclosure,
    /// What is written down of its work.
    pub logging: LoggingState,
    /// How it deals with failure, and whom to tell of a weakness.
    pub security: SecurityState,
    /// How it was tried out.
    pub evaluation: EvaluationState,
    /// What it is made of.
    pub supply_chain: SupplyChain,
    /// Codes of the countries in which it is used.
    pub jurisdictions: Option<Vec<String>>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Where each value comes from.
    pub provenance: Provenance,
    /// The signature over everything else.
    pub signature: Option<PassportSignature>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Kinds of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentType {
    /// It has tools, and chooses among them.
    Agent,
    /// It answers people.
    Assistant,
    /// Its answers decide which way a program goes.
    Decision,
    /// It works by the clock, without a person.
    Batch,
    /// It answers other programs.
    Service,
}

/// Who answers for an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Owner {
    /// The organisation.
    #[serde(default)]
    pub organization: Option<String>,
    /// The team in it.
    #[serde(default)]
    pub team: Option<String>,
    /// How to reach them.
    #[serde(default)]
    pub contact: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Who develops an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provider {
    /// The organisation.
    #[serde(default)]
    pub organization: Option<String>,
    /// Its address on the web.
    #[serde(default)]
    pub url: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What an agent is built with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Framework {
    /// The library.
    #[serde(default)]
    pub name: Option<String>,
    /// The packages that bring AI along, as package URLs.
    #[serde(default)]
    pub packages: Vec<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The model behind an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Model {
    /// Who serves it.
    #[serde(default)]
    pub provider: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: Option<String>,
    /// Whether the name fixes one version.
    #[serde(default)]
    pub pinned: Option<bool>,
    /// All models that its code names.
    #[serde(default)]
    pub used: Vec<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Where an agent is started or reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassportEndpoint {
    /// `http`, `command`, `job` and so on.
    pub kind: String,
    /// A route, a command, a function.
    pub name: String,
    /// The file that declares it.
    #[serde(default)]
    pub file: Option<String>,
    /// The address on a network, where a person or an import gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The binding of A2A that is spoken there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_binding: Option<String>,
    /// The version of A2A that is spoken there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// How an agent deals with other programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interop {
    /// Servers of the Model Context Protocol that it declares.
    #[serde(default)]
    pub mcp_servers: Vec<String>,
    /// The agent card that it came with, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a2a: Option<ForeignCard>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// An agent card that was taken over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignCard {
    /// The version of the protocol: `1.0` or `0.3`.
    pub version: String,
    /// The card, without its signatures.
    pub card: Map<String, Value>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What an agent was seen to be able to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GrantedPermissions {
    /// Names of tools that the model may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Resources with what is done to them, such as `database:write`.
    #[serde(default)]
    pub data_access: Vec<String>,
    /// Hosts that it reaches.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What an agent must not do, or only after approval. People say it; code cannot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Constraints {
    /// Whether a person has to agree before anything has an effect.
    #[serde(default)]
    pub human_approval: Option<bool>,
    /// Permissions, such as `tool:refund`, for which a person has to agree.
    #[serde(default)]
    pub approval_required: Option<Vec<String>>,
    /// Permissions that it must not have.
    #[serde(default)]
    pub denied: Option<Vec<String>>,
    /// Limits, in words: budgets, rates, hours.
    #[serde(default)]
    pub limits: Option<Vec<String>>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What an agent works on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataUse {
    /// Where what it sends to a model comes from.
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
    /// Data sets that its code names.
    #[serde(default)]
    pub datasets: Vec<String>,
    /// Categories of personal data; empty where there are none.
    #[serde(default)]
    pub personal_data: Option<Vec<String>>,
    /// How long data is kept.
    #[serde(default)]
    pub retention: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Where an agent stands under the law and other frameworks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComplianceState {
    /// Under the AI Act.
    #[serde(default)]
    pub eu_ai_act: EuAiAct,
    /// What an imported sheet of controls said, by framework.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frameworks: BTreeMap<String, Value>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Where an agent stands under the AI Act. A class here is self-assessed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EuAiAct {
    /// The class of risk.
    #[serde(default)]
    pub risk_class: RiskClass,
    /// What the class rests on.
    #[serde(default)]
    pub risk_basis: Option<String>,
    /// The class that code alone points to, whatever anybody states.
    #[serde(default)]
    pub observed_class: RiskClass,
    /// What the role rests on.
    #[serde(default)]
    pub role_basis: Option<String>,
    /// The system of the project that it belongs to.
    #[serde(default)]
    pub system: Option<String>,
    /// Obligations that apply or will apply under the class above, by id.
    #[serde(default)]
    pub obligations: Vec<String>,
    /// Which class they follow, and what code alone would come to.
    #[serde(default)]
    pub obligations_basis: Option<String>,
    /// Ids of questions whose answers would change the picture.
    #[serde(default)]
    pub open_questions: Vec<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Classes of risk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskClass {
    /// Art. 5.
    Prohibited,
    /// Art. 6.
    High,
    /// Art. 50.
    Limited,
    /// None of these.
    Minimal,
    /// A person must say.
    #[default]
    Unknown,
}

/// Who watches over an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Oversight {
    /// Whether a person was seen to agree before an answer has an effect.
    #[serde(default)]
    pub human_approval: Option<bool>,
    /// Places that show it, as `file:line`.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// Who watches over it.
    #[serde(default)]
    pub responsible: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Whether people know that they deal with an AI.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disclosure {
    /// Whether they are told so.
    #[serde(default)]
    pub informed: Option<bool>,
    /// Where, as `file:line`.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What is written down of an agent's work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoggingState {
    /// Of how many calls: all, some, only on the console, none.
    #[serde(default)]
    pub interactions: Option<Extent>,
    /// How long it is kept.
    #[serde(default)]
    pub retention: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// How an agent deals with failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecurityState {
    /// For how many calls a failure is dealt with.
    #[serde(default)]
    pub error_handling: Option<Extent>,
    /// Whom to tell of a weakness.
    #[serde(default)]
    pub contact: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// How many places something was seen at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// All of them.
    All,
    /// Some of them.
    Some,
    /// Only on the console.
    Console,
    /// None of them.
    None,
}

/// How an agent was tried out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvaluationState {
    /// When last, as RFC 3339.
    #[serde(default)]
    pub last_run: Option<String>,
    /// With which result, 0 to 100.
    #[serde(default)]
    pub score: Option<f64>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What an agent is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SupplyChain {
    /// Direct packages of the folder that holds it, as package URLs.
    #[serde(default)]
    pub packages: Vec<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Where an agent is in its life.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lifecycle {
    /// In words: `development`, `pilot`, `production`, `retired`.
    #[serde(default)]
    pub status: Option<String>,
    /// When the passport is to be looked at again.
    #[serde(default)]
    pub review_due: Option<String>,
    /// Since when it is in use.
    #[serde(default)]
    pub deployed: Option<String>,
    /// What a person added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A signature over the canonical JSON of a passport without it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PassportSignature {
    /// `ed25519`.
    pub algorithm: String,
    /// The short name of the key.
    pub key_id: String,
    /// The key itself, in base64.
    pub public_key: String,
    /// The signature, in base64.
    pub value: String,
}
