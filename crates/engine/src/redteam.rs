//! Attacks on the endpoint of an agent, on purpose and written down.

use std::sync::Arc;

use engine_eval::RedTeamReport;
use engine_model::{ErrorCode, Failure};
use engine_store::RunKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::evals::{Ask, EvalHeaders, EvalQuery, EvalRequest, EvalSeed, Hidden, Run, blocking};
use crate::{Engine, Secret};

/// Body of `POST /redteam/run`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RedTeamRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The passport name of the agent; the only agent if absent.
    #[serde(default)]
    pub agent_name: Option<String>,
    /// `injection`, `jailbreak`, `exfiltration`, names of categories, or OWASP ids; all if absent.
    #[serde(default)]
    pub categories: Option<Vec<String>>,
    /// The maximum number of attacks, 120 if absent.
    #[serde(default)]
    pub max_probes: Option<u32>,
    /// The address of the target, instead of the one in the passport.
    #[serde(default)]
    pub target: Option<String>,
    /// The number of parallel dialogues, 5 if absent.
    #[serde(default)]
    pub concurrency: Option<u32>,
    /// The template of the request body.
    #[serde(default)]
    pub request_template: Option<Hidden<Value>>,
    /// The path of the answer text in a reply.
    #[serde(default)]
    pub response_path: Option<String>,
    /// Headers for the target. They are sent, but never stored or shown.
    #[serde(default)]
    pub headers: Option<EvalHeaders>,
    /// The API key of the target. It is never stored or shown.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// The model to request.
    #[serde(default)]
    pub model: Option<String>,
    /// The system prompt of every dialogue.
    #[serde(default)]
    pub system_prompt: Option<Hidden<String>>,
    /// The maximum number of requests.
    #[serde(default)]
    pub max_requests: Option<u64>,
    /// The timeout of the whole run, in milliseconds.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// The maximum number of requests per second.
    #[serde(default)]
    pub rps: Option<f64>,
    /// The random seed for goals, attack methods and tokens; random if absent.
    #[serde(default)]
    pub seed: Option<EvalSeed>,
    /// The id of an interrupted run to resume.
    #[serde(default)]
    pub resume: Option<String>,
}

impl RedTeamRequest {
    /// The same as an evaluation, for the fields that mean the same.
    fn into_eval(self, target: String) -> EvalRequest {
        EvalRequest {
            target,
            path: self.path,
            agent_name: self.agent_name,
            categories: self.categories,
            max_probes: self.max_probes,
            concurrency: self.concurrency,
            request_template: self.request_template,
            response_path: self.response_path,
            headers: self.headers,
            api_key: self.api_key,
            model: self.model,
            system_prompt: self.system_prompt,
            max_requests: self.max_requests,
            timeout_ms: self.timeout_ms,
            rps: self.rps,
            seed: self.seed,
            resume: self.resume,
            ..EvalRequest::default()
        }
    }
}

impl Engine {
    /// Begins to attack the endpoint of an agent.
    pub async fn start_redteam(self: &Arc<Self>, request: RedTeamRequest) -> Result<Run<RedTeamReport>, Failure> {
        let (engine, path, name) = (Arc::clone(self), request.path.clone(), request.agent_name.clone());
        let given = request.target.clone();
        let (target, agent) = blocking(move || {
            let state = engine.project_or_current(path.as_deref())?;
            match (given, crate::passports::agent_target(&state, name.as_deref())) {
                // Who names an address may attack an agent that has no passport yet.
                (Some(target), agent) => Ok((target, agent.ok())),
                (None, Err(failure)) => Err(failure),
                (None, Ok(agent)) => match agent.address.clone() {
                    Some(target) => Ok((target, Some(agent))),
                    None => Err(Failure::new(
                        ErrorCode::Impossible,
                        "the passport of this agent has no network address; give `target`, or add an `endpoints` entry with a \
                         `url` or a `target` to the passport",
                    )
                    .field("target")),
                },
            }
        })
        .await?;
        let mut ask = Ask::eval(request.into_eval(target))?;
        if let Some(agent) = agent {
            (ask.agent_id, ask.agent_name) = (Some(agent.agent_id), Some(agent.name));
        }
        self.start_run(ask).await
    }

    /// The newest report, or the one of an id.
    pub fn redteam_last(&self, query: &EvalQuery) -> Result<RedTeamReport, Failure> {
        let state = self.project_or_current(query.path.as_deref())?;
        crate::evals::last(
            &state,
            RunKind::RedTeam,
            query.run_id.as_deref(),
            query.agent.as_deref(),
        )
    }
}
