//! What clients ask of evaluations, and what they are answered.

use std::collections::BTreeMap;

use engine_eval::{EvalResult, Prices, Remedies};
use engine_model::{Finding, ScanResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Secret;

/// A value that may hold secrets: its `Debug` hides it, and nothing serialises it.
#[derive(Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Hidden<T>(pub(crate) T);

impl<T> Hidden<T> {
    /// Takes a value in.
    pub const fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T> std::fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("****")
    }
}

/// Headers for the target: an object, or the same as JSON in a string.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EvalHeaders {
    /// By name.
    Named(BTreeMap<String, Secret>),
    /// As JSON.
    Text(Secret),
}

/// A seed: a number, or the same as a string, which is how results tell it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EvalSeed {
    /// A number.
    Number(u64),
    /// A number as a string.
    Text(String),
}

/// Body of `POST /eval/run` and `POST /eval/run/stream`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvalRequest {
    /// The address of the endpoint under test. It is called from here and from nowhere else.
    pub target: String,
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Probes judged by rules. Without any of the four switches these are asked.
    #[serde(default)]
    pub det: Option<bool>,
    /// Those, and the probes that a language model judges; needs a judge in `.compliance/.env`.
    #[serde(default)]
    pub llm: Option<bool>,
    /// Attacks.
    #[serde(default)]
    pub security: Option<bool>,
    /// Everything.
    #[serde(default)]
    pub full: Option<bool>,
    /// The agent behind the target, by the name of its passport.
    #[serde(default)]
    pub agent: Option<String>,
    /// The same, for existing clients.
    #[serde(default)]
    pub agent_name: Option<String>,
    /// Categories, groups, short names of attacks or OWASP ids; all if absent.
    #[serde(default)]
    pub categories: Option<Vec<String>>,
    /// Dialogues at the same time, 5 if absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 256))]
    pub concurrency: Option<u32>,
    /// The form of requests, an object or the same as a string; `{{prompt}}` in any string becomes the text of the probe.
    #[serde(default)]
    pub request_template: Option<Hidden<Value>>,
    /// Where the words stand in a reply, such as `choices.0.message.content`.
    #[serde(default)]
    pub response_path: Option<String>,
    /// Headers for the target. They are sent, and never kept or told.
    #[serde(default)]
    pub headers: Option<EvalHeaders>,
    /// A key for the target, sent as a bearer token or as its service wants it. It is never kept or told.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// The model to ask for.
    #[serde(default)]
    pub model: Option<String>,
    /// Put before every dialogue.
    #[serde(default)]
    pub system_prompt: Option<Hidden<String>>,
    /// Only probes in this language, such as `de`.
    #[serde(default)]
    pub language: Option<String>,
    /// Probes at most, spread over the categories.
    #[serde(default)]
    pub max_probes: Option<u32>,
    /// Requests at most.
    #[serde(default)]
    pub max_requests: Option<u64>,
    /// Tokens at most, sent and received.
    #[serde(default)]
    pub max_tokens: Option<u64>,
    /// Money at most; needs `prices`.
    #[serde(default)]
    pub max_cost: Option<f64>,
    /// Prices of the target for a million tokens.
    #[serde(default)]
    pub prices: Option<Prices>,
    /// Milliseconds for the whole run.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// Milliseconds for one reply, 60,000 if absent.
    #[serde(default)]
    pub request_timeout_ms: Option<u64>,
    /// How often each probe is asked.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    pub repeats: Option<u32>,
    /// Requests a second at most.
    #[serde(default)]
    pub rps: Option<f64>,
    /// Fixes order and tokens; drawn if absent.
    #[serde(default)]
    pub seed: Option<EvalSeed>,
    /// The id of a run that ended early: what it asked is not asked again. Its choice of probes stays.
    #[serde(default)]
    pub resume: Option<String>,
    /// A file below `.compliance/` that gets the result as well.
    #[serde(default)]
    pub output_path: Option<String>,
    /// Sent by existing clients; nothing is configured, so nothing is reconfigured.
    #[serde(default)]
    pub reconfigure: Option<bool>,
}

impl EvalRequest {
    /// An evaluation of an endpoint with nothing else asked.
    pub fn of(target: impl Into<String>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }

    pub(crate) fn agent(&self) -> Option<&str> {
        self.agent.as_deref().or(self.agent_name.as_deref())
    }
}

/// The query of `GET /eval/last`, `/eval/findings` and `/redteam/last`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvalQuery {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// The run; the newest one if absent.
    pub run_id: Option<String>,
    /// Only runs of this agent.
    pub agent: Option<String>,
}

/// The query of `GET /eval/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvalListRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// Only runs of this agent.
    pub agent: Option<String>,
    /// Most runs, 100 if absent.
    pub limit: Option<u32>,
    /// Only runs before this one: the `cursor` of the page in front.
    pub cursor: Option<i64>,
}

/// Reply of `GET /eval/list`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalList {
    /// Runs, the newest first.
    pub results: Vec<EvalRunLine>,
    /// Whether `.compliance/.env` names a model that judges.
    pub judge_configured: bool,
    /// Where the next page goes on, if there is more.
    pub cursor: Option<i64>,
}

/// A run in the list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalRunLine {
    /// Its id.
    pub id: String,
    /// The address.
    pub target: String,
    /// The score, if there is one.
    pub score: Option<f64>,
    /// When it began.
    pub timestamp: String,
    /// `done`, `partial`, `failed`, or `running`: under way, or ended with its process. Partial and ended runs can be resumed.
    pub state: String,
    /// The agent behind it.
    pub agent: Option<String>,
    /// The score of its security categories.
    pub security_score: Option<f64>,
}

/// Reply of `GET /eval/findings`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalFindings {
    /// The run.
    pub run_id: String,
    /// The address.
    pub target: String,
    /// When it began.
    pub timestamp: String,
    /// Failed probes as findings of the layer `eval`, the gravest first.
    pub findings: Vec<Finding>,
    /// The scan that they are joined to, if there was one.
    pub scan_id: Option<String>,
    /// What the run and that scan found about the same obligations.
    pub joined: Vec<JoinedFindings>,
}

/// Findings of a run and of a scan about one obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JoinedFindings {
    /// The obligation.
    pub obligation_id: String,
    /// Its article.
    pub article: String,
    /// Ids of failed probes' findings.
    pub eval: Vec<String>,
    /// Ids of findings of the scan that are not suppressed; none where the fault shows in behaviour only.
    pub scan: Vec<String>,
}

/// The query of `GET /eval/remediation`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemediationRequest {
    /// Ids of probes, separated by commas.
    #[serde(default)]
    pub test_ids: Vec<String>,
    /// The project's folder.
    pub path: Option<String>,
}

/// Reply of `GET /eval/remediation`.
pub type RemediationReply = Remedies;

/// Body of `POST /eval/remediation-report`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemediationReportRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The run; the newest one if absent.
    #[serde(default)]
    pub run_id: Option<String>,
    /// A file below `.compliance/` that gets the report as Markdown.
    #[serde(default)]
    pub output_path: Option<String>,
}

/// The query of `GET /eval/compare`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// The earlier run; the newest but one if absent.
    pub before: Option<String>,
    /// The later run; the newest if absent.
    pub after: Option<String>,
}

/// Body of `POST /audit/run`: that of an evaluation.
pub type AuditRunRequest = EvalRequest;

/// Reply of `POST /audit/run`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRunReply {
    /// The scan.
    pub scan: ScanResult,
    /// The evaluation.
    pub eval: EvalResult,
    /// The combined score; none where one of the two has none.
    pub score: Option<f64>,
    /// How it came about.
    pub combined: CombinedScore,
    /// Findings of the scan and of the evaluation.
    pub findings: Vec<Finding>,
    /// Which of them speak of the same obligation.
    pub joined: Vec<JoinedFindings>,
}

/// How a combined score came about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CombinedScore {
    /// The combined score.
    pub score: Option<f64>,
    /// Of the scan.
    pub scan_weight: f64,
    /// Of the evaluation.
    pub eval_weight: f64,
    /// The score of the scan.
    pub scan_score: Option<f64>,
    /// The score of the evaluation.
    pub eval_score: Option<f64>,
    /// Why there is none.
    pub reason: Option<String>,
}

/// What is known when a run begins.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalStarted {
    /// The run.
    pub id: String,
    /// The address.
    pub target: String,
    /// Probes.
    pub total: usize,
    /// The form of its requests.
    pub adapter: String,
    /// What it will take.
    pub estimate: engine_eval::Estimate,
    /// The seed.
    pub seed: String,
}
