//! What onboarding takes and gives.

use std::collections::BTreeMap;

use engine_model::{Applies, Date, QuestionOption, StatedAnswer, Suggestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Body of a request whose only field is the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// The facts detected in the project, without questions.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Detected {
    /// Programming languages, the most used first.
    pub languages: Vec<String>,
    /// The most used language.
    pub language: Option<String>,
    /// Application frameworks among the direct dependencies.
    pub frameworks: Vec<String>,
    /// The first application framework.
    pub framework: Option<String>,
    /// The AI systems.
    pub ai_systems: Vec<DetectedSystem>,
    /// AI libraries among the direct dependencies.
    pub ai_libraries: Vec<String>,
    /// Models named in code or configuration.
    pub models: Vec<String>,
    /// Build servers whose configuration was found.
    pub cicd: Vec<String>,
    /// Deployment targets whose configuration was found.
    pub deployment: Vec<String>,
    /// The average confidence of the detected calls, 0 to 100; null without calls.
    pub confidence: Option<f64>,
    /// Whether the AI Act applies to the project.
    pub applicability: engine_model::Applicability,
    /// The reason.
    pub reason: String,
}

/// A detected AI system.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DetectedSystem {
    /// Its id, as used in answers.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its folder; empty for the project's root.
    pub scope: String,
    /// The model providers.
    pub providers: Vec<String>,
    /// The models that the system names.
    pub models: Vec<String>,
    /// The number of model calls.
    pub calls: u64,
}

/// The questions as a form.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionForm {
    /// The blocks, in the order of the form.
    pub blocks: Vec<QuestionBlock>,
    /// Questions that are open now.
    pub open: u64,
    /// The number of undetermined obligations.
    pub undetermined: u64,
}

/// One block of the form.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionBlock {
    /// A stable id.
    pub id: String,
    /// A heading.
    pub title: String,
    /// The system of the block; null for the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The questions.
    pub questions: Vec<FormQuestion>,
}

/// One question of the form.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormQuestion {
    /// The key for answers, such as `main.role`.
    pub id: String,
    /// A short title.
    pub title: String,
    /// The question.
    pub text: String,
    /// `single`, `multi` or `text`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The answers that can be given.
    pub options: Vec<QuestionOption>,
    /// The effect of each answer, by value.
    pub descriptions: BTreeMap<String, String>,
    /// The answer in the profile, a word or a list of words; an empty text without an answer. An empty text sent back is not
    /// an answer.
    pub default: Value,
    /// The reason for the question.
    pub why: String,
    /// The provisions behind it.
    pub provision: String,
    /// `open`, `unknown`, `reopened`, `expired`, `answered`, or `assumed` if nothing was found in the code.
    pub status: String,
    /// How many obligations the answer can change.
    pub decides: u64,
    /// The effect of the answers, in a sentence.
    pub effect: String,
    /// The likely answer according to the code. It is a suggestion and never used as an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
    /// Facts in code that are new since the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The code locations that raised the question.
    pub evidence: Vec<engine_model::Evidence>,
}

/// Body of `POST /onboarding/complete`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Answers by the id of the question. `null` and `unknown` leave a question as it is, unless it is open.
    #[serde(default)]
    pub answers: BTreeMap<String, Value>,
    /// The name of the person behind the answers.
    #[serde(default)]
    pub by: Option<String>,
    /// The reason.
    #[serde(default)]
    pub why: Option<String>,
}

/// The effects of the answers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteReply {
    /// The profile and its effects.
    pub profile: ProfileView,
    /// The facts detected in the project.
    pub auto_detected: Detected,
    /// The file with the answers.
    pub profile_path: String,
    /// The answers of this request.
    pub answered: BTreeMap<String, Vec<String>>,
    /// Warnings, above all about prohibited practices.
    pub warnings: Vec<String>,
    /// The remaining questions.
    pub open: u64,
}

/// The current profile.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileView {
    /// The organisation.
    pub organization: OrganisationView,
    /// The systems.
    pub systems: Vec<SystemView>,
    /// The effects of the profile.
    pub computed: Computed,
    /// Data that the systems process.
    pub data: DataView,
}

/// The organisation in the profile.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganisationView {
    /// The roles over all systems.
    pub role: String,
    /// Answers about the organisation.
    pub answers: Vec<StatedAnswer>,
}

/// One system in the profile.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its intended purpose, in the words of the owner.
    pub purpose: Option<String>,
    /// The role of the operator.
    pub role: String,
    /// The basis of the role.
    pub role_basis: String,
    /// The risk class.
    pub risk_class: String,
    /// The basis of the risk class.
    pub risk_basis: String,
    /// Obligations that apply, each with its reason.
    pub obligations: Vec<ObligationView>,
    /// Answers about the system.
    pub answers: Vec<StatedAnswer>,
    /// Open questions.
    pub open: u64,
}

/// An obligation in the profile.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObligationView {
    /// `OBL-<number>`.
    pub obligation_id: String,
    /// The provisions.
    pub article: String,
    /// A short title.
    pub title: String,
    /// Whether it applies.
    pub applies: Applies,
    /// The date from which it applies.
    pub applies_from: Option<Date>,
    /// The reason.
    pub because: String,
}

/// The effects of the profile over all systems.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Computed {
    /// The highest risk class: `prohibited`, `high`, `limited`, `minimal` or `unknown`.
    pub risk_level: String,
    /// Ids of the obligations that apply today.
    pub applicable_obligations: Vec<String>,
    /// Ids of the obligations that will apply later.
    pub upcoming_obligations: Vec<String>,
    /// Ids of the undetermined obligations.
    pub undetermined_obligations: Vec<String>,
}

/// Data that the systems process, according to the code.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataView {
    /// Where model output is stored: `database`, or `unknown` if no storage was found in the code.
    pub storage: String,
    /// Kinds of data that go into models.
    pub inputs: Vec<String>,
}

/// Whether the project has been onboarded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnboardingStatus {
    /// Whether a profile with answers exists and no obligation is undetermined.
    pub onboarded: bool,
    /// The same, for existing clients.
    pub completed: bool,
    /// The file with the answers.
    pub profile_path: String,
    /// `absent`, `read` or `broken`.
    pub profile_status: engine_model::ProfileStatus,
    /// The reason why the profile could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The number of answers and evidence entries in the profile.
    pub answered: u64,
    /// The number of open questions in the last stored scan; null before the first scan.
    pub open: Option<u64>,
    /// The number of undetermined obligations in the last stored scan; null before the first scan.
    pub undetermined: Option<u64>,
    /// The progress of the guide; null if it was not started.
    pub guided: Option<GuidedStatus>,
}

/// The progress of the guide.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidedStatus {
    /// Whether it was started.
    pub started: bool,
    /// The start time.
    pub started_at: Option<String>,
    /// The next step, from 1; null once all are done.
    pub current_step: Option<u32>,
    /// Number of steps.
    pub total_steps: u32,
    /// Whether all steps are done.
    pub completed: bool,
    /// The steps.
    pub steps: Vec<GuidedStep>,
}

/// One step of the guide.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidedStep {
    /// Its number, from 1.
    pub number: u32,
    /// A stable id.
    pub id: String,
    /// A title.
    pub title: String,
    /// `done`, `current` or `pending`.
    pub status: String,
    /// The time when it was last done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// The outcome, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// Body of `POST /onboarding/guided/start`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuidedStartRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Whether to restart the guide. Answers, passports and scans are kept.
    #[serde(default)]
    pub reconfigure: Option<bool>,
}

/// Body of `POST /onboarding/guided/step/{n}`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuidedStepRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Answers, for step 2.
    #[serde(default)]
    pub answers: BTreeMap<String, Value>,
    /// The name of the person behind the answers.
    #[serde(default)]
    pub by: Option<String>,
    /// The reason.
    #[serde(default)]
    pub why: Option<String>,
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidedStepReply {
    /// Its number, from 1.
    pub step: u32,
    /// A stable id.
    pub id: String,
    /// A title.
    pub title: String,
    /// Always `done`: a failed step is an error.
    pub status: String,
    /// The outcome, in a sentence.
    pub summary: String,
    /// The details, by the kind of step.
    pub result: Value,
    /// The progress after it.
    pub progress: GuidedStatus,
}
