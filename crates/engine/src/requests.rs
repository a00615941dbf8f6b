//! What clients ask for.

use std::collections::BTreeMap;

use engine_model::Date;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A value that must not be shown: its `Debug` hides it, and nothing serialises it.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Takes a value in.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("****")
    }
}

/// The role of the operator, as declared by a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OperatorRole {
    /// Develops the system, or has it developed, and puts it into service under its own name (Art. 3(3)).
    Provider,
    /// Uses the system under its own authority (Art. 3(4)).
    Deployer,
    /// Both.
    Both,
}

/// The risk class, as declared by a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskClass {
    /// A high-risk system (Art. 6).
    High,
    /// A system with transparency obligations only (Art. 50).
    Limited,
    /// Neither high-risk nor subject to Art. 50.
    Minimal,
}

/// Body of `POST /scan`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanRequest {
    /// The project's folder, absolute or relative to the folder that the engine was started in.
    pub path: String,
    /// Token of a remote dashboard.
    #[serde(default)]
    pub saas_token: Option<Secret>,
    /// Address of a remote dashboard.
    #[serde(default)]
    pub saas_url: Option<String>,
    /// The date for which the law is evaluated; today if absent.
    #[serde(default)]
    pub as_of: Option<Date>,
    /// The role of the operator; derived from the code if absent.
    #[serde(default)]
    pub role: Option<OperatorRole>,
    /// The risk class of the systems, as declared by a person (Art. 6, Art. 50); derived from the code, with open questions, if
    /// absent. Practices banned by Art. 5 stay banned in every class.
    #[serde(default)]
    pub risk_class: Option<RiskClass>,
    /// Ids of the systems to report on; all if absent.
    #[serde(default)]
    pub systems: Option<Vec<String>>,
    /// The maximum number of findings in the reply; all if absent. `findingsTotal` counts all findings.
    #[serde(default)]
    pub limit: Option<u32>,
}

impl ScanRequest {
    /// A scan of a folder with nothing else asked.
    pub fn of(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            saas_token: None,
            saas_url: None,
            as_of: None,
            role: None,
            risk_class: None,
            systems: None,
            limit: None,
        }
    }
}

/// Body of `POST /scan/diff`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanDiffRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Changed files, relative to the project's folder. The comparison then covers only findings in these files and
    /// findings without a file; all files if absent.
    #[serde(default)]
    pub changed_files: Option<Vec<String>>,
    /// Whether the reply contains a Markdown comment for a pull request.
    #[serde(default)]
    pub markdown: Option<bool>,
    /// The date for which the law is evaluated. If absent, it is the date of the stored scan, so that only code changes count.
    /// With `baseRef`, both sides are evaluated for today if absent.
    #[serde(default)]
    pub as_of: Option<Date>,
    /// A git revision such as `origin/main`, to compare with instead of the last stored scan. It is read from git objects of
    /// the project's repository; nothing is checked out or fetched.
    #[serde(default)]
    pub base_ref: Option<String>,
}

/// What `engine-server baseline` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineRequest {
    /// The project's folder.
    pub path: String,
    /// The date for which the law is evaluated; today if absent.
    pub as_of: Option<Date>,
    /// The role of the operator; derived from the code if absent.
    pub role: Option<OperatorRole>,
    /// The risk class of the systems, as declared by a person; derived from the code if absent.
    pub risk_class: Option<RiskClass>,
    /// The reason why the gaps are accepted for now.
    pub reason: Option<String>,
    /// The person responsible for the gaps.
    pub owner: Option<String>,
    /// The last day on which the baseline covers the gaps.
    pub until: Option<Date>,
}

/// Findings to treat as fixed, to predict the score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulationRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// The ids of findings to treat as fixed; repeated ids count once.
    pub resolve: Vec<String>,
    /// The date for which the law is evaluated; today if absent.
    pub as_of: Option<Date>,
    /// The role of the operator; derived from the code if absent.
    pub role: Option<OperatorRole>,
}

/// The query of `GET /frameworks/scores`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FrameworkScoresRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The date for which the law is evaluated; today if absent.
    #[serde(default)]
    pub as_of: Option<Date>,
}

/// The query of `GET /debt`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Whether `trend` lists the debt of earlier days; otherwise it is empty.
    #[serde(default)]
    pub trend: Option<bool>,
}

/// The query of `GET /cost-estimate`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CostRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// One hourly rate in euros for all roles, above 0 and at most 1000; the default rates of the roles if absent.
    #[serde(default)]
    pub hourly_rate: Option<f64>,
    /// The name or id of a system or agent, to limit the estimate to its system; all systems if absent.
    #[serde(default)]
    pub agent: Option<String>,
}

/// Body of `POST /simulate`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SimulateActionsRequest {
    /// The actions in order, at most 100. Repeated actions count once.
    pub actions: Vec<SimulatedAction>,
    /// The completeness of the passports in percent, 0 to 100. No obligation depends on it, so it changes no score.
    #[serde(default)]
    pub passport_completeness: Option<f64>,
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The date for which the law is evaluated; today if absent.
    #[serde(default)]
    pub as_of: Option<Date>,
    /// The role of the operator; taken from the profile or the code if absent.
    #[serde(default)]
    pub role: Option<OperatorRole>,
}

/// An action: `fix:<check id>` or `doc:<document id>`, or the same as an object.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub enum SimulatedAction {
    /// `fix:<check id>` fixes the open findings of a check; `doc:<document id>` writes or completes a document.
    Text(String),
    /// The same in two fields.
    Parts(ActionParts),
}

/// An action in two fields.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionParts {
    /// The kind of the action.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// The id of the check or of the document, or the passport field.
    pub target: String,
}

/// Kinds of simulated actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    /// Fix the open findings of a check.
    Fix,
    /// Write or complete a document with all required sections.
    #[serde(alias = "add-doc")]
    Doc,
    /// Fill a field of a passport, as published clients ask; it changes no score.
    #[serde(rename = "complete-passport")]
    Passport,
}

impl<'de> Deserialize<'de> for SimulatedAction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = SimulatedAction;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a string such as `fix:<check id>`, or an object with `type` and `target`")
            }

            fn visit_str<E>(self, text: &str) -> Result<SimulatedAction, E> {
                Ok(SimulatedAction::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SimulatedAction, A::Error> {
                ActionParts::deserialize(MapAccessDeserializer::new(map)).map(SimulatedAction::Parts)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// Body of `POST /whatif`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhatIfRequest {
    /// The kind of the change.
    #[serde(rename = "type")]
    pub kind: WhatIfKind,
    /// The parameters of the change. `jurisdiction`: the country codes `from` (the country of the profile if absent) and `to`.
    /// `tool`: `name` of a package, such as `pypi:openai`. `risk_level`: `to` and optionally `from`, each `prohibited`, `high`, `limited` or
    /// `minimal`. `date`: `to`, such as `2027-12-02`. `role`: `to`, `provider`, `deployer` or `both`.
    #[serde(default)]
    pub params: BTreeMap<String, Value>,
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// The kinds of what-if analyses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhatIfKind {
    /// The country in which the system is offered or used.
    Jurisdiction,
    /// One more package among the dependencies.
    Tool,
    /// The risk class of all systems.
    RiskLevel,
    /// The date for which the law is evaluated.
    Date,
    /// The role of the operator.
    Role,
}
