//! What onboarding takes and gives.

use std::collections::BTreeMap;

use engine_model::{Applies, Date, QuestionOption, StatedAnswer, Suggestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Body of a request that is about a project and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// What was detected without asking anyone.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Detected {
    /// Programming languages, the most used first.
    pub languages: Vec<String>,
    /// The most used language.
    pub language: Option<String>,
    /// Application frameworks among the direct dependencies.
    pub frameworks: Vec<String>,
    /// The first of them.
    pub framework: Option<String>,
    /// The AI systems.
    pub ai_systems: Vec<DetectedSystem>,
    /// AI libraries among the direct dependencies.
    pub ai_libraries: Vec<String>,
    /// Models that are named in code or configuration.
    pub models: Vec<String>,
    /// Build servers whose configuration was found.
    pub cicd: Vec<String>,
    /// Ways of deployment whose configuration was found.
    pub deployment: Vec<String>,
    /// How sure the detected calls are on average, 0 to 100; null where there is none.
    pub confidence: Option<f64>,
    /// Whether the Act touches the project.
    pub applicability: engine_model::Applicability,
    /// Why.
    pub reason: String,
}

/// An AI system as it was detected.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DetectedSystem {
    /// Its id: answers name it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its folder; empty for the project's root.
    pub scope: String,
    /// Who serves its models.
    pub providers: Vec<String>,
    /// The models it names.
    pub models: Vec<String>,
    /// Calls to models.
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
    /// Obligations that wait for an answer.
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
    /// The system that it is about; none for the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The questions.
    pub questions: Vec<FormQuestion>,
}

/// One question of the form.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormQuestion {
    /// What an answer names, such as `main.role`.
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
    /// What each answer changes, by value.
    pub descriptions: BTreeMap<String, String>,
    /// The answer that the profile holds: a word, or a list of words; null where it holds none.
    pub default: Option<Value>,
    /// Why it is asked.
    pub why: String,
    /// The provisions behind it.
    pub provision: String,
    /// `open`, `unknown`, `reopened`, `expired`, `answered`, or `assumed` where code points to nothing.
    pub status: String,
    /// How many obligations the answer can change.
    pub decides: u64,
    /// What the answers change, in a sentence.
    pub effect: String,
    /// The answer that code makes likely; it is never taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
    /// Facts in code that are new since the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The places that raised it.
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
    /// Who answers.
    #[serde(default)]
    pub by: Option<String>,
    /// Why.
    #[serde(default)]
    pub why: Option<String>,
}

/// What the answers come to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteReply {
    /// The profile and what follows from it.
    pub profile: ProfileView,
    /// What was detected without asking.
    pub auto_detected: Detected,
    /// The file with the answers.
    pub profile_path: String,
    /// What was answered by this request.
    pub answered: BTreeMap<String, Vec<String>>,
    /// What follows at once, above all prohibited practices.
    pub warnings: Vec<String>,
    /// Questions that are left.
    pub open: u64,
}

/// The profile as it counts now.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileView {
    /// The organisation.
    pub organization: OrganisationView,
    /// The systems.
    pub systems: Vec<SystemView>,
    /// What follows from it.
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
    /// What the role rests on.
    pub role_basis: String,
    /// The class of risk.
    pub risk_class: String,
    /// What the class rests on.
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
    /// From when.
    pub applies_from: Option<Date>,
    /// Why.
    pub because: String,
}

/// What follows from the profile over all systems.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Computed {
    /// The highest class of risk: `prohibited`, `high`, `limited`, `minimal` or `unknown`.
    pub risk_level: String,
    /// Ids of the obligations that apply today.
    pub applicable_obligations: Vec<String>,
    /// Ids of those that will apply.
    pub upcoming_obligations: Vec<String>,
    /// Ids of those that wait for an answer.
    pub undetermined_obligations: Vec<String>,
}

/// Data that the systems process, as code shows it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataView {
    /// Where the output of models is kept: `database`, or `unknown` where code shows none.
    pub storage: String,
    /// Kinds of data that go into models.
    pub inputs: Vec<String>,
}

/// Whether the project has been onboarded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnboardingStatus {
    /// Whether a profile with answers is there and no obligation waits for an answer.
    pub onboarded: bool,
    /// The same, for existing clients.
    pub completed: bool,
    /// The file with the answers.
    pub profile_path: String,
    /// `absent`, `read` or `broken`.
    pub profile_status: engine_model::ProfileStatus,
    /// Why the profile cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Answers and evidence that the profile holds.
    pub answered: u64,
    /// Questions that are open, as the last kept scan saw it; null before the first scan.
    pub open: Option<u64>,
    /// Obligations that wait for an answer, as the last kept scan saw it; null before the first scan.
    pub undetermined: Option<u64>,
    /// The progress of the guide; null where it was not started.
    pub guided: Option<GuidedStatus>,
}

/// The progress of the guide.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidedStatus {
    /// Whether it was started.
    pub started: bool,
    /// When.
    pub started_at: Option<String>,
    /// The step that comes next, from 1; null once all are done.
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
    /// When it was done last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// What came of it, in a sentence.
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
    /// Whether to begin again. Answers, passports and scans are kept.
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
    /// Who answers.
    #[serde(default)]
    pub by: Option<String>,
    /// Why.
    #[serde(default)]
    pub why: Option<String>,
}

/// What a step came to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuidedStepReply {
    /// Its number, from 1.
    pub step: u32,
    /// A stable id.
    pub id: String,
    /// A title.
    pub title: String,
    /// Always `done`: a step that cannot be done is an error.
    pub status: String,
    /// What came of it, in a sentence.
    pub summary: String,
    /// The details, by the kind of step.
    pub result: Value,
    /// The progress after it.
    pub progress: GuidedStatus,
}
