//! What clients ask of evaluations, and what they are answered.

use std::collections::BTreeMap;

use engine_eval::{EvalResult, Prices, RemediationReport, Remedies};
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

/// A seed: a number, or the same number as a string, as in results.
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
    /// The address of the endpoint under test. Only this machine calls it.
    pub target: String,
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Run the rule-based probes. This is the default without any of the four flags.
    #[serde(default)]
    pub det: Option<bool>,
    /// Run the rule-based probes and the probes judged by a language model; needs a judge in `.compliance/.env`.
    #[serde(default)]
    pub llm: Option<bool>,
    /// Run the attack probes.
    #[serde(default)]
    pub security: Option<bool>,
    /// Run all probes.
    #[serde(default)]
    pub full: Option<bool>,
    /// The agent behind the target, given by its passport name.
    #[serde(default)]
    pub agent: Option<String>,
    /// The same, for existing clients.
    #[serde(default)]
    pub agent_name: Option<String>,
    /// Categories, groups, short names of attacks or OWASP ids; all if absent.
    #[serde(default)]
    pub categories: Option<Vec<String>>,
    /// The number of parallel dialogues, 5 if absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 256))]
    pub concurrency: Option<u32>,
    /// The template of the request body, as an object or as a JSON string. `{{prompt}}` is replaced by the text of each probe.
    #[serde(default)]
    pub request_template: Option<Hidden<Value>>,
    /// The path of the answer text in a reply, such as `choices.0.message.content`.
    #[serde(default)]
    pub response_path: Option<String>,
    /// Headers for the target. They are sent, but never stored or shown.
    #[serde(default)]
    pub headers: Option<EvalHeaders>,
    /// The API key of the target, sent as a bearer token or as its service requires. It is never stored or shown.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// The model to request.
    #[serde(default)]
    pub model: Option<String>,
    /// The system prompt of every dialogue.
    #[serde(default)]
    pub system_prompt: Option<Hidden<String>>,
    /// Only probes in this language, such as `de`.
    #[serde(default)]
    pub language: Option<String>,
    /// The maximum number of probes, spread over the categories.
    #[serde(default)]
    pub max_probes: Option<u32>,
    /// The maximum number of requests.
    #[serde(default)]
    pub max_requests: Option<u64>,
    /// The maximum number of tokens, sent and received.
    #[serde(default)]
    pub max_tokens: Option<u64>,
    /// The maximum cost; needs `prices`.
    #[serde(default)]
    pub max_cost: Option<f64>,
    /// The prices of the target per million tokens.
    #[serde(default)]
    pub prices: Option<Prices>,
    /// The timeout of the whole run, in milliseconds.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// The timeout of one reply, in milliseconds; 60,000 if absent.
    #[serde(default)]
    pub request_timeout_ms: Option<u64>,
    /// How many times to send each probe.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    pub repeats: Option<u32>,
    /// The maximum number of requests per second.
    #[serde(default)]
    pub rps: Option<f64>,
    /// The random seed for the order of probes and their tokens; random if absent.
    #[serde(default)]
    pub seed: Option<EvalSeed>,
    /// The id of an interrupted run to resume. Finished probes are not repeated, and the choice of probes stays the same.
    #[serde(default)]
    pub resume: Option<String>,
    /// A file below `.compliance/` to write the result to as well.
    #[serde(default)]
    pub output_path: Option<String>,
    /// Ignored; accepted for existing clients.
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
    /// The maximum number of runs, 100 if absent.
    pub limit: Option<u32>,
    /// Only runs before this one, the `cursor` of the previous page.
    pub cursor: Option<i64>,
}

/// Reply of `GET /eval/list`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalList {
    /// The runs, newest first.
    pub results: Vec<EvalRunLine>,
    /// Whether `.compliance/.env` configures a judge model.
    pub judge_configured: bool,
    /// The cursor of the next page, if there is one.
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
    /// The start time.
    pub timestamp: String,
    /// `done`, `partial`, `failed` or `running` (active, or interrupted with its process). Partial and interrupted runs can be resumed.
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
    /// The start time.
    pub timestamp: String,
    /// Failed probes as findings of the layer `eval`, most severe first.
    pub findings: Vec<Finding>,
    /// The scan that they are combined with, if any.
    pub scan_id: Option<String>,
    /// Findings of the run and of that scan about the same obligations.
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
    /// The ids of unsuppressed findings of the scan; empty if only the behaviour shows the problem.
    pub scan: Vec<String>,
}

/// Body of `POST /eval/apply-fixes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvalFixesRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// Reply of `POST /eval/apply-fixes`. A failed probe shows behaviour and names no place in a file, so the engine changes
/// none: a person changes the prompt, the model or the service around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalFixesReply {
    /// The run.
    pub run_id: String,
    /// Always 0.
    pub applied_count: u64,
    /// Always empty.
    pub applied: Vec<String>,
    /// The number of failed probes.
    pub manual_count: u64,
    /// Failed probes, most severe first, each with what a person must do.
    pub manual: Vec<EvalManualFix>,
}

/// The steps of a person after a failed probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalManualFix {
    /// The check of the finding.
    pub check_id: String,
    /// The failure.
    pub title: String,
    /// How grave it is.
    pub severity: engine_model::Severity,
    /// What to do.
    pub description: String,
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
    /// A file below `.compliance/` to write the report to, as Markdown.
    #[serde(default)]
    pub output_path: Option<String>,
}

/// Reply of `POST /eval/remediation-report`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RemediationReportReply {
    /// The report.
    #[serde(flatten)]
    pub report: RemediationReport,
    /// The score of the run without its fraction; null without enough evidence.
    pub score: Option<u64>,
    /// The grade of the score, or `not assessed`.
    pub grade: String,
    /// Failed probes.
    pub total_failures: usize,
    /// Categories with a critical failure.
    pub critical_gaps: Vec<String>,
}

/// The query of `GET /eval/compare`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// The earlier run; the second newest if absent.
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
    /// The scan in short.
    pub scan: AuditScan,
    /// The evaluation in short.
    pub eval: AuditEval,
    /// The combined score; null if the scan or the evaluation has no score.
    pub score: Option<f64>,
    /// How the combined score was computed.
    pub combined: CombinedScore,
    /// Findings of the scan and of the evaluation.
    pub findings: Vec<Finding>,
    /// Findings of both about the same obligation.
    pub joined: Vec<JoinedFindings>,
    /// The scan.
    pub scan_result: ScanResult,
    /// The evaluation.
    pub eval_result: EvalResult,
}

/// A scan in short. Published clients read whole numbers, so the score is rounded down; `scanResult` has the exact one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditScan {
    /// The id of the scan.
    pub id: String,
    /// The compliance score; null if no obligation was evaluated.
    pub score: Option<u64>,
    /// A to F, or `not assessed`.
    pub grade: String,
    /// Open gaps, as in `GET /status`.
    pub findings: u64,
}

/// An evaluation in short. Published clients read whole numbers, so scores are rounded down; `evalResult` has the exact ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEval {
    /// The run.
    pub id: String,
    /// The score; null without enough evidence.
    pub score: Option<u64>,
    /// The grade of the score, or `not assessed`.
    pub grade: String,
    /// Probes run.
    pub tests: usize,
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// The score of the security categories; absent if they have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_score: Option<u64>,
    /// Its grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_grade: Option<String>,
}

/// How a combined score was computed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CombinedScore {
    /// The combined score, rounded down for published clients; `score` of the reply is exact.
    pub score: Option<u64>,
    /// The weight of the scan.
    pub scan_weight: f64,
    /// The weight of the evaluation.
    pub eval_weight: f64,
    /// The score of the scan.
    pub scan_score: Option<f64>,
    /// The score of the evaluation.
    pub eval_score: Option<f64>,
    /// The reason why there is no combined score.
    pub reason: Option<String>,
}

/// The facts known at the start of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalStarted {
    /// The run.
    pub id: String,
    /// The address.
    pub target: String,
    /// The number of probes.
    pub total: usize,
    /// The request format.
    pub adapter: String,
    /// The estimate of the run.
    pub estimate: engine_eval::Estimate,
    /// The seed.
    pub seed: String,
}
