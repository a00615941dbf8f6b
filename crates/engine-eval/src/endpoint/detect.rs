//! Finds out how a target wants to be spoken to, with a few plain questions.

use engine_outbound::{Client, Fault, Method, Request, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

use crate::plan::Calibration;

use super::{
    BadSettings, Broken, Conversation, DotPath, Endpoint, PathMiss, Shape, Speaker, TargetSettings, Template, Usage,
    read,
};

/// A question that any assistant answers.
const QUESTION: &str = "Hello! Please answer in one short sentence: what is the capital of France?";

/// Fields that a plain service may call its question.
const FIELDS: [&str; 5] = ["prompt", "question", "query", "input", "text"];

/// One request format that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tried {
    /// The request format.
    pub adapter: String,
    /// The outcome: a status, `ok`, or the name of a fault.
    pub outcome: String,
}

/// What was found out.
#[derive(Debug)]
pub struct Detection {
    /// The target, in the form that worked.
    pub endpoint: Option<Endpoint>,
    /// Everything that was tried, in order.
    pub tried: Vec<Tried>,
    /// The last status, where nothing worked.
    pub status: Option<u16>,
    /// The last fault, where nothing worked.
    pub fault: Option<Fault>,
    /// Tokens of the question and its answer, from which the size of the run is told.
    pub usage: Option<Usage>,
    /// The model that says it answered.
    pub model: Option<String>,
    /// How long the answer took, in milliseconds.
    pub latency_ms: f64,
    /// Requests that it took.
    pub requests: u64,
    /// Where the given path of the answer leads, if not to a text.
    pub path_miss: Option<PathMiss>,
}

impl Detection {
    /// What the question tells of the target's tokens. Its short answer says nothing about the length of others.
    pub fn calibration(&self) -> Calibration {
        let Some(usage) = self.usage.filter(|usage| usage.input > 0) else {
            return Calibration::default();
        };
        Calibration {
            reply_tokens: Calibration::default().reply_tokens,
            ..Calibration::measured(&[(QUESTION.chars().count(), usage)])
        }
    }
}

/// Finds the form of a target. A form that the settings tell is tried alone, so that nothing else is ever sent there.
pub async fn detect(client: &Client, settings: &TargetSettings, deadline: Instant) -> Result<Detection, BadSettings> {
    let mut found = Detection {
        endpoint: None,
        tried: Vec::new(),
        status: None,
        fault: None,
        usage: None,
        model: None,
        latency_ms: 0.0,
        requests: 0,
        path_miss: None,
    };
    let candidates = match Endpoint::told(settings)? {
        Some(endpoint) => vec![endpoint],
        None => candidates(settings)?,
    };
    let mut queue: std::collections::VecDeque<Endpoint> = candidates.into();
    let mut hinted = false;
    while let Some(mut endpoint) = queue.pop_front() {
        if endpoint.model.is_none()
            && (endpoint.shape.is_openai() || matches!(endpoint.shape, Shape::OllamaChat | Shape::OllamaGenerate))
        {
            endpoint.model = first_model(client, &endpoint, deadline, &mut found.requests).await;
        }
        if let Some(hint) = ask(client, settings, endpoint, deadline, &mut found).await
            && !hinted
        {
            hinted = true;
            let shape = Shape::Template(Template::of_field(&hint));
            queue.push_front(Endpoint::new(settings, shape)?);
        }
        if found.endpoint.is_some() || found.fault.as_ref().is_some_and(Fault::before_sending) {
            break;
        }
    }
    Ok(found)
}

/// Forms to try where the address says nothing, from the plainest on; the roots of servers are tried with known paths.
fn candidates(settings: &TargetSettings) -> Result<Vec<Endpoint>, BadSettings> {
    let mut out = vec![
        Endpoint::new(settings, Shape::Message)?,
        Endpoint::new(settings, Shape::OpenAiChat)?,
    ];
    let base = Target::parse(&settings.target).map_err(BadSettings::Target)?;
    let path = base.path().trim_end_matches('/');
    let mut at = |path: &str, shape: Shape| -> Result<(), BadSettings> {
        let mut endpoint = Endpoint::new(settings, shape)?;
        endpoint.target = base.with_path(path).map_err(BadSettings::Target)?;
        out.push(endpoint);
        Ok(())
    };
    if path.is_empty() {
        at("/v1/chat/completions", Shape::OpenAiChat)?;
        at("/api/chat", Shape::OllamaChat)?;
    } else if path.ends_with("/v1") {
        at(&format!("{path}/chat/completions"), Shape::OpenAiChat)?;
        at(&format!("{path}/messages"), Shape::Anthropic)?;
    } else {
        for shape in [Shape::OllamaChat, Shape::Anthropic] {
            out.push(Endpoint::new(settings, shape)?);
        }
        for field in FIELDS {
            out.push(Endpoint::new(settings, Shape::Template(Template::of_field(field)))?);
        }
    }
    Ok(out)
}

/// Asks once. Returns the field that the target says is missing, if it does.
async fn ask(
    client: &Client,
    settings: &TargetSettings,
    endpoint: Endpoint,
    deadline: Instant,
    found: &mut Detection,
) -> Option<String> {
    let conversation = Conversation {
        id: "detection".to_owned(),
        turns: vec![(Speaker::User, QUESTION.to_owned())],
        ..Conversation::default()
    };
    let request = Request {
        target: &endpoint.target,
        method: Method::POST,
        headers: &endpoint.headers,
        body: endpoint.body(&conversation).into(),
        deadline,
        last_frames: endpoint.last_frames(),
    };
    found.requests += 1;
    let mut tried = |outcome: String| {
        found.tried.push(Tried {
            adapter: endpoint.shape.name().to_owned(),
            outcome,
        });
    };
    let reply = match client.send(&request).await {
        Ok(reply) => reply,
        Err(fault) => {
            tried(fault.name().to_owned());
            found.fault = Some(fault);
            return None;
        }
    };
    found.status = Some(reply.status);
    found.fault = None;
    match read(&endpoint, &reply) {
        Ok(answer) if !answer.text.trim().is_empty() || answer.ticket.is_some() || answer.filtered => {
            tried("ok".to_owned());
            found.usage = answer.usage;
            found.model = answer.model;
            found.latency_ms = reply.elapsed.as_secs_f64() * 1000.0;
            found.endpoint = Some(endpoint);
            None
        }
        Ok(_) => {
            tried("empty".to_owned());
            if let Some(path) = settings.response_path.as_deref() {
                found.path_miss = PathMiss::of(path, &reply);
            }
            None
        }
        Err(broken) => {
            tried(broken.name());
            if let Some(path) = settings.response_path.as_deref().filter(|_| broken == Broken::NoText) {
                found.path_miss = PathMiss::of(path, &reply);
            }
            if matches!(reply.status, 400 | 422) {
                return serde_json::from_slice(&reply.body)
                    .ok()
                    .as_ref()
                    .and_then(missing_field);
            }
            None
        }
    }
}

/// The field that a validation error calls missing, as common frameworks write it.
fn missing_field(body: &Value) -> Option<String> {
    let details = body.get("detail")?.as_array()?;
    details.iter().find_map(|detail| {
        let place = detail.get("loc")?.as_array()?;
        let kind = detail.get("type").and_then(Value::as_str).unwrap_or_default();
        let name = place.last()?.as_str()?;
        let usable = kind.contains("missing") && place.len() == 2 && name.len() <= 64 && name != "body";
        usable.then(|| name.to_owned())
    })
}

/// The first model that a server lists.
async fn first_model(client: &Client, endpoint: &Endpoint, deadline: Instant, requests: &mut u64) -> Option<String> {
    let ollama = !endpoint.shape.is_openai();
    let path = if ollama { "/api/tags" } else { "/v1/models" };
    let target = endpoint.target.with_path(path).ok()?;
    *requests += 1;
    let request = Request {
        target: &target,
        method: Method::GET,
        headers: &endpoint.headers,
        body: Vec::new().into(),
        deadline,
        last_frames: &[],
    };
    let reply = client.send(&request).await.ok().filter(|reply| reply.status == 200)?;
    let body: Value = serde_json::from_slice(&reply.body).ok()?;
    let place = if ollama { "models.0.name" } else { "data.0.id" };
    let name = DotPath::parse(place).ok()?.find(&body)?.as_str()?;
    Some(name.chars().take(200).collect())
}
