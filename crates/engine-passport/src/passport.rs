//! A passport as types. The published schema is drawn from them; what they do not name is kept beside them.

use std::collections::BTreeMap;

use engine_model::AutonomyReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::provenance::Provenance;

/// Fields added by a person that no type defines.
type Extra = Map<String, Value>;

/// An agent passport. Unknown values are `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passport {
    /// The version of the passport format.
    pub passport_version: String,
    /// A stable id, kept when the agent is renamed.
    #[schemars(length(min = 1, max = 512))]
    pub agent_id: String,
    /// The name: free text.
    #[schemars(length(min = 1, max = 1024))]
    pub name: String,
    /// The display name.
    pub display_name: Option<String>,
    /// What the agent does.
    pub description: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// When the passport was created, as RFC 3339.
    pub created: String,
    /// When the passport was last changed, as RFC 3339.
    pub updated: String,
    /// The owner responsible for the agent.
    pub owner: Owner,
    /// The provider in the sense of Art. 3(3).
    pub provider: Provider,
    /// The role of the operator: `provider`, `deployer`, `provider and deployer`.
    pub role: Option<String>,
    /// The kind of program.
    #[serde(rename = "type")]
    pub kind: Option<AgentType>,
    /// Autonomy level: from 1 (only answers) to 5 (acts unattended and without approval).
    #[schemars(range(min = 1, max = 5))]
    pub autonomy_level: Option<u8>,
    /// The basis of the autonomy level.
    pub autonomy_evidence: Vec<AutonomyReason>,
    /// The intended purpose.
    pub intended_purpose: Option<String>,
    /// The domain in which the agent is used.
    pub domain: Option<String>,
    /// Groups of people affected by the output.
    pub affected_persons: Option<Vec<String>>,
    /// The framework that the agent uses.
    pub framework: Framework,
    /// The model that the agent calls.
    pub model: Model,
    /// The source files of the agent.
    pub source_files: Vec<String>,
    /// Where the agent is started or reached.
    pub endpoints: Vec<PassportEndpoint>,
    /// Interfaces to other agents and tools.
    pub interop: Interop,
    /// Permissions found in the code.
    pub permissions: GrantedPermissions,
    /// Actions that people forbid, or allow only after approval.
    pub constraints: Constraints,
    /// The data that the agent processes.
    pub data: DataUse,
    /// Status under the AI Act and other frameworks.
    pub compliance: ComplianceState,
    /// Human oversight.
    pub oversight: Oversight,
    /// Whether the AI is disclosed to people.
    pub disclosure: Disclosure,
    /// Logging of model calls.
    pub logging: LoggingState,
    /// Error handling, and the contact for vulnerabilities.
    pub security: SecurityState,
    /// Evaluations of the agent.
    pub evaluation: EvaluationState,
    /// Packages that the agent depends on.
    pub supply_chain: SupplyChain,
    /// Codes of the countries in which it is used.
    pub jurisdictions: Option<Vec<String>>,
    /// The lifecycle stage.
    pub lifecycle: Lifecycle,
    /// The origin of each value.
    pub provenance: Provenance,
    /// The signature over all other fields.
    pub signature: Option<PassportSignature>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Kinds of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentType {
    /// Chooses among tools and calls them.
    Agent,
    /// Answers people.
    Assistant,
    /// Its answers decide the control flow of a program.
    Decision,
    /// Runs on a schedule, without a person.
    Batch,
    /// Answers other programs.
    Service,
}

/// The owner responsible for an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Owner {
    /// The organisation.
    #[serde(default)]
    pub organization: Option<String>,
    /// The team in the organisation.
    #[serde(default)]
    pub team: Option<String>,
    /// Contact details.
    #[serde(default)]
    pub contact: Option<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The provider of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provider {
    /// The organisation.
    #[serde(default)]
    pub organization: Option<String>,
    /// The website.
    #[serde(default)]
    pub url: Option<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The framework that an agent uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Framework {
    /// The library.
    #[serde(default)]
    pub name: Option<String>,
    /// The packages that provide the AI functions, as package URLs.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The model that an agent calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Model {
    /// The service that runs the model.
    #[serde(default)]
    pub provider: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: Option<String>,
    /// Whether the name pins one version.
    #[serde(default)]
    pub pinned: Option<bool>,
    /// All models named in the code.
    #[serde(default)]
    pub used: Vec<String>,
    /// Fields added by a person.
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
    /// The network address, if a person or an import provided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The A2A binding of the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_binding: Option<String>,
    /// The A2A version of the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Interfaces of an agent to other agents and tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interop {
    /// Model Context Protocol servers that the agent declares.
    #[serde(default)]
    pub mcp_servers: Vec<String>,
    /// The imported agent card, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a2a: Option<ForeignCard>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// An imported agent card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignCard {
    /// The version of the protocol: `1.0` or `0.3`.
    pub version: String,
    /// The card, without its signatures.
    pub card: Map<String, Value>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Permissions of an agent found in the code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GrantedPermissions {
    /// Names of tools that the model may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Resources with the access to them, such as `database:write`.
    #[serde(default)]
    pub data_access: Vec<String>,
    /// Hosts that the agent connects to.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Actions that an agent must not take, or only after approval. Stated by people, not found in code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Constraints {
    /// Whether every effect needs human approval.
    #[serde(default)]
    pub human_approval: Option<bool>,
    /// Permissions that need human approval, such as `tool:refund`.
    #[serde(default)]
    pub approval_required: Option<Vec<String>>,
    /// Permissions that the agent must not have.
    #[serde(default)]
    pub denied: Option<Vec<String>>,
    /// Limits, in words: budgets, rates, hours.
    #[serde(default)]
    pub limits: Option<Vec<String>>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The data that an agent processes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataUse {
    /// Sources of the data that the agent sends to a model.
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
    /// Data sets named in the code.
    #[serde(default)]
    pub datasets: Vec<String>,
    /// Categories of personal data; empty where there are none.
    #[serde(default)]
    pub personal_data: Option<Vec<String>>,
    /// How long data is kept.
    #[serde(default)]
    pub retention: Option<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Status of an agent under the AI Act and other frameworks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComplianceState {
    /// Under the AI Act.
    #[serde(default)]
    pub eu_ai_act: EuAiAct,
    /// Statements from imported control sheets, by framework.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frameworks: BTreeMap<String, Value>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Status of an agent under the AI Act. The risk class is self-assessed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EuAiAct {
    /// The risk class.
    #[serde(default)]
    pub risk_class: RiskClass,
    /// The basis of the risk class.
    #[serde(default)]
    pub risk_basis: Option<String>,
    /// The risk class that the code alone points to, independent of statements.
    #[serde(default)]
    pub observed_class: RiskClass,
    /// The basis of the role.
    #[serde(default)]
    pub role_basis: Option<String>,
    /// The AI system of the project that the agent belongs to.
    #[serde(default)]
    pub system: Option<String>,
    /// Ids of the obligations that apply or will apply under the risk class above.
    #[serde(default)]
    pub obligations: Vec<String>,
    /// The risk class behind the obligations, and the obligations that the code alone points to.
    #[serde(default)]
    pub obligations_basis: Option<String>,
    /// Ids of open questions that affect this status.
    #[serde(default)]
    pub open_questions: Vec<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Risk classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskClass {
    /// Art. 5.
    Prohibited,
    /// Art. 6.
    High,
    /// Art. 50.
    Limited,
    /// None of the classes above.
    Minimal,
    /// Not known; a person must state it.
    #[default]
    Unknown,
}

/// Human oversight of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Oversight {
    /// Whether human approval was found before an output takes effect.
    #[serde(default)]
    pub human_approval: Option<bool>,
    /// Places of the approval in the code, as `file:line`.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// Human oversight.
    #[serde(default)]
    pub responsible: Option<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Whether the AI is disclosed to people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disclosure {
    /// Whether a disclosure was found.
    #[serde(default)]
    pub informed: Option<bool>,
    /// Where, as `file:line`.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Logging of the model calls of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoggingState {
    /// How many calls are logged: all, some, only to the console, none.
    #[serde(default)]
    pub interactions: Option<Extent>,
    /// How long the log is kept.
    #[serde(default)]
    pub retention: Option<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Error handling of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecurityState {
    /// How many calls have error handling.
    #[serde(default)]
    pub error_handling: Option<Extent>,
    /// The contact for reports of vulnerabilities.
    #[serde(default)]
    pub contact: Option<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// How many of the places have a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// All of them.
    All,
    /// Some of them.
    Some,
    /// Only to the console.
    Console,
    /// None of them.
    None,
}

/// Evaluations of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvaluationState {
    /// Time of the last evaluation, as RFC 3339.
    #[serde(default)]
    pub last_run: Option<String>,
    /// Score of the last evaluation, 0 to 100.
    #[serde(default)]
    pub score: Option<f64>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Packages that an agent depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SupplyChain {
    /// Direct dependencies of the folder that contains the agent, as package URLs.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Fields added by a person.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The lifecycle stage of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lifecycle {
    /// One of `development`, `pilot`, `production`, `retired`.
    #[serde(default)]
    pub status: Option<String>,
    /// Date of the next review of the passport.
    #[serde(default)]
    pub review_due: Option<String>,
    /// Date since which the agent is in use.
    #[serde(default)]
    pub deployed: Option<String>,
    /// Fields added by a person.
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
