//! How a model is spoken to: the form of its requests and replies, and the state of a dialogue.

use std::collections::BTreeMap;

use engine_outbound::{BadTarget, HeaderMap, HeaderName, HeaderValue, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

mod read;
mod template;

pub(crate) use read::event_data;
pub use read::{Answer, Broken, StreamReader, Usage, read};
pub use template::{BadTemplate, DotPath, Template};

/// Headers beyond this number are refused.
const HEADERS_MAX: usize = 64;

/// Tokens that a target may write in one reply, where the settings name no number.
const REPLY_TOKENS_MAX: u32 = 1024;

/// How many times more a model may write that counts its thoughts as well.
pub const THOUGHT_FACTOR: u32 = 4;

/// The form of requests and replies.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// `OpenAI` chat completions, spoken by most servers.
    OpenAiChat,
    /// `OpenAI` text completions.
    OpenAiCompletions,
    /// `OpenAI` responses.
    OpenAiResponses,
    /// Anthropic messages.
    Anthropic,
    /// Ollama chat.
    OllamaChat,
    /// Ollama generate.
    OllamaGenerate,
    /// Gradio, with its second request for the result where there is one.
    Gradio,
    /// A plain object with `message`.
    Message,
    /// A form of the caller's own.
    Template(Template),
}

impl Shape {
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic-messages",
            Self::OllamaChat => "ollama-chat",
            Self::OllamaGenerate => "ollama-generate",
            Self::Gradio => "gradio",
            Self::Message => "message",
            Self::Template(_) => "template",
        }
    }

    /// Whether earlier turns and a system prompt have a place of their own; else they are written into the prompt.
    pub fn keeps_turns(&self) -> bool {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses | Self::Anthropic | Self::OllamaChat => true,
            Self::Template(template) => template.keeps_turns(),
            _ => false,
        }
    }

    /// The form that the path of an address stands for.
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/').to_ascii_lowercase();
        let shapes = [
            ("/chat/completions", Shape::OpenAiChat),
            ("/completions", Shape::OpenAiCompletions),
            ("/responses", Shape::OpenAiResponses),
            ("/v1/messages", Shape::Anthropic),
            ("/api/generate", Shape::OllamaGenerate),
            ("/run/predict", Shape::Gradio),
            ("/api/predict", Shape::Gradio),
        ];
        if path.contains("/gradio_api/call/") {
            return Some(Shape::Gradio);
        }
        shapes
            .into_iter()
            .find(|(end, _)| path.ends_with(end))
            .map(|(_, shape)| shape)
    }

    /// Whether it is one of the forms of `OpenAI`.
    pub fn is_openai(&self) -> bool {
        matches!(self, Self::OpenAiChat | Self::OpenAiCompletions | Self::OpenAiResponses)
    }
}

/// What the caller says of a target. Headers may carry secrets: they are marked, never stored and never printed.
#[derive(Debug, Clone, Default)]
pub struct TargetSettings {
    /// The address.
    pub target: String,
    /// The model to ask for.
    pub model: Option<String>,
    /// A key, sent as a bearer token (or as the service wants it).
    pub api_key: Option<Key>,
    /// Headers of the caller.
    pub headers: BTreeMap<String, Key>,
    /// The form of requests.
    pub request_template: Option<Value>,
    /// Where the words stand in a reply.
    pub response_path: Option<String>,
    /// Put before every dialogue that brings none of its own.
    pub system_prompt: Option<String>,
    /// Asks for a streamed reply where the form knows one.
    pub stream: bool,
    /// Tokens of one reply.
    pub reply_tokens: Option<u32>,
}

/// A value that is sent and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Takes a value in.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for sending.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Why a target cannot be spoken to as described.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSettings {
    /// The address.
    #[error("target: {0}")]
    Target(BadTarget),
    /// A header.
    #[error("headers: `{0}` is not a valid HTTP header")]
    Header(String),
    /// The template or the path.
    #[error("{0}")]
    Template(BadTemplate),
}

/// A target that can be spoken to.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where requests go.
    pub target: Target,
    /// In which form.
    pub shape: Shape,
    /// With which headers.
    pub headers: HeaderMap,
    /// For which model.
    pub model: Option<String>,
    /// Under which system prompt.
    pub system_prompt: Option<String>,
    /// Where the words stand, if the caller said so.
    pub response_path: Option<DotPath>,
    /// Whether a stream is asked for.
    pub stream: bool,
    /// Tokens of one reply.
    pub reply_tokens: u32,
    /// Whether the model names the limit of a reply `max_completion_tokens` and takes no temperature.
    pub completion_tokens: bool,
}

/// The author of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The probe.
    User,
    /// The target.
    Assistant,
}

/// A tool that is offered to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// Names of its parameters, all texts.
    #[serde(default)]
    pub parameters: Vec<String>,
}

/// A call of a tool in a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The id by which its result is given back; empty where the form has none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
}

impl ToolCall {
    /// The arguments as an object; empty where they are none.
    pub fn object(&self) -> Map<String, Value> {
        match serde_json::from_str(&self.arguments) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}

/// Calls of tools in one reply, each with its result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// What the model said beside them.
    pub text: String,
    /// The calls and their results.
    pub calls: Vec<(ToolCall, String)>,
}

/// A dialogue so far, ending with what the user says next.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// A name that stays the same over its turns.
    pub id: String,
    /// Its system prompt.
    pub system: Option<String>,
    /// What was said.
    pub turns: Vec<(Speaker, String)>,
    /// Tools on offer.
    pub tools: Vec<Tool>,
    /// Tools that the model called after the last turn.
    pub exchanges: Vec<Exchange>,
    /// The form of the reply as a JSON schema, for services that can enforce one.
    pub reply_schema: Option<Value>,
}

impl Endpoint {
    /// A target in a known form.
    pub fn new(settings: &TargetSettings, shape: Shape) -> Result<Self, BadSettings> {
        let target = Target::parse(&settings.target).map_err(BadSettings::Target)?;
        let response_path = settings
            .response_path
            .as_deref()
            .map(DotPath::parse)
            .transpose()
            .map_err(BadSettings::Template)?;
        if let Shape::Template(template) = &shape {
            let system = settings.system_prompt.as_ref().map_or(0, String::len);
            template.check_filled(system).map_err(BadSettings::Template)?;
        }
        Ok(Self {
            target,
            headers: headers(settings, &shape)?,
            shape,
            model: settings.model.clone(),
            system_prompt: settings.system_prompt.clone(),
            response_path,
            stream: settings.stream,
            reply_tokens: settings.reply_tokens.unwrap_or(REPLY_TOKENS_MAX),
            completion_tokens: false,
        })
    }

    /// The form that the settings themselves tell: a template, or an address whose path is known.
    pub fn told(settings: &TargetSettings) -> Result<Option<Self>, BadSettings> {
        let shape = match &settings.request_template {
            Some(body) => Some(Shape::Template(
                Template::new(body.clone()).map_err(BadSettings::Template)?,
            )),
            None => Shape::of_path(Target::parse(&settings.target).map_err(BadSettings::Target)?.path()),
        };
        shape.map(|shape| Self::new(settings, shape)).transpose()
    }

    /// The body of a request.
    pub fn body(&self, conversation: &Conversation) -> Vec<u8> {
        let value = match &self.shape {
            Shape::OpenAiChat => self.chat(conversation, true),
            Shape::OllamaChat => self.chat(conversation, false),
            Shape::Anthropic => self.anthropic(conversation),
            Shape::OpenAiResponses => self.responses(conversation),
            Shape::OpenAiCompletions => json!({
                "model": self.model(), "prompt": self.flat(conversation), "max_tokens": self.reply_tokens,
                "temperature": 0, "stream": self.stream,
            }),
            Shape::OllamaGenerate => json!({
                "model": self.model(), "prompt": self.flat(conversation), "stream": self.stream, "options": {"temperature": 0},
            }),
            Shape::Gradio => json!({ "data": [self.flat(conversation)] }),
            Shape::Message => json!({ "message": self.flat(conversation) }),
            Shape::Template(template) => {
                let system = self.system(conversation).unwrap_or_default();
                let prompt = if template.keeps_turns() {
                    conversation
                        .turns
                        .last()
                        .map(|(_, text)| text.clone())
                        .unwrap_or_default()
                } else {
                    self.flat(conversation)
                };
                return template.fill(&prompt, &system, conversation).to_string().into_bytes();
            }
        };
        value.to_string().into_bytes()
    }

    /// Texts that end a stream of this form.
    pub fn last_frames(&self) -> &'static [&'static str] {
        match self.shape {
            Shape::Anthropic => &["\"message_stop\""],
            Shape::OllamaChat | Shape::OllamaGenerate => &["\"done\":true", "\"done\": true"],
            Shape::OpenAiResponses => &["\"response.completed\"", "\"response.failed\"", "[DONE]"],
            Shape::Gradio => &["event: complete\n", "event: error\n"],
            _ => &["[DONE]"],
        }
    }

    fn model(&self) -> &str {
        self.model.as_deref().unwrap_or("default")
    }

    /// The system prompt of a dialogue: its own after that of the settings.
    fn system(&self, conversation: &Conversation) -> Option<String> {
        match (&self.system_prompt, &conversation.system) {
            (Some(general), Some(own)) => Some(format!("{general}\n\n{own}")),
            (general, own) => own.clone().or_else(|| general.clone()),
        }
    }

    fn messages(&self, conversation: &Conversation, with_system: bool) -> Vec<Value> {
        let system = with_system.then(|| self.system(conversation)).flatten();
        system
            .map(|text| json!({"role": "system", "content": text}))
            .into_iter()
            .chain(
                conversation
                    .turns
                    .iter()
                    .map(|(speaker, text)| json!({"role": speaker, "content": text})),
            )
            .collect()
    }

    fn chat(&self, conversation: &Conversation, openai: bool) -> Value {
        let mut body = json!({
            "model": self.model(), "messages": self.messages(conversation, true), "stream": self.stream,
        });
        if let Some(messages) = body["messages"].as_array_mut() {
            exchanges(messages, conversation, openai);
        }
        match (openai, self.completion_tokens) {
            // Models that think before they answer count their thoughts too.
            (true, true) => body["max_completion_tokens"] = json!(THOUGHT_FACTOR.saturating_mul(self.reply_tokens)),
            (true, false) => {
                body["temperature"] = json!(0);
                body["max_tokens"] = json!(self.reply_tokens);
            }
            (false, _) => body["options"] = json!({"temperature": 0, "num_predict": self.reply_tokens}),
        }
        if openai && self.stream && conversation.wants_usage() {
            body["stream_options"] = json!({"include_usage": true});
        }
        if let Some(schema) = &conversation.reply_schema {
            if openai {
                body["response_format"] =
                    json!({"type": "json_schema", "json_schema": {"name": "reply", "strict": true, "schema": schema}});
            } else {
                body["format"] = schema.clone();
            }
        }
        if !conversation.tools.is_empty() {
            body["tools"] = conversation
                .tools
                .iter()
                .map(|tool| json!({"type": "function", "function": function(tool)}))
                .collect();
        }
        body
    }

    fn anthropic(&self, conversation: &Conversation) -> Value {
        let mut body = json!({
            "model": self.model(), "messages": self.messages(conversation, false), "max_tokens": self.reply_tokens,
            "temperature": 0, "stream": self.stream,
        });
        if let Some(messages) = body["messages"].as_array_mut() {
            for exchange in &conversation.exchanges {
                messages.push(json!({"role": "assistant", "content": used(exchange)}));
                messages.push(json!({"role": "user", "content": results(exchange)}));
            }
        }
        if let Some(system) = self.system(conversation) {
            body["system"] = json!(system);
        }
        if !conversation.tools.is_empty() {
            let tools = conversation.tools.iter();
            body["tools"] = tools
                .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": schema(tool)}))
                .collect();
        }
        body
    }

    fn responses(&self, conversation: &Conversation) -> Value {
        let mut body = json!({
            "model": self.model(), "input": self.messages(conversation, false), "max_output_tokens": self.reply_tokens,
            "stream": self.stream,
        });
        if let Some(system) = self.system(conversation) {
            body["instructions"] = json!(system);
        }
        if !conversation.tools.is_empty() {
            body["tools"] = conversation
                .tools
                .iter()
                .map(|tool| {
                    let mut function = function(tool);
                    function["type"] = json!("function");
                    function
                })
                .collect();
        }
        body
    }

    /// The dialogue as one text, for targets that keep no state and know no system prompt.
    fn flat(&self, conversation: &Conversation) -> String {
        let system = self.system(conversation);
        let tools = tools_in_words(&conversation.tools);
        let mut out = String::new();
        for part in [system.as_deref(), tools.as_deref()].into_iter().flatten() {
            out.push_str(part);
            out.push_str("\n\n");
        }
        match conversation.turns.as_slice() {
            [(_, only)] => out.push_str(only),
            turns => {
                for (speaker, text) in turns {
                    out.push_str(if *speaker == Speaker::User {
                        "User: "
                    } else {
                        "Assistant: "
                    });
                    out.push_str(text);
                    out.push_str("\n\n");
                }
                out.push_str("Assistant:");
            }
        }
        out
    }
}

impl Conversation {
    /// Whether a stream is asked to count its tokens; probes of an evaluation send the plainest form.
    fn wants_usage(&self) -> bool {
        self.id.is_empty()
    }
}

/// Calls of tools and their results as messages of a chat.
fn exchanges(messages: &mut Vec<Value>, conversation: &Conversation, openai: bool) {
    for exchange in &conversation.exchanges {
        let calls: Vec<Value> = exchange
            .calls
            .iter()
            .map(|(call, _)| {
                if openai {
                    json!({"id": call.id, "type": "function",
                        "function": {"name": call.name, "arguments": Value::Object(call.object()).to_string()}})
                } else {
                    json!({"function": {"name": call.name, "arguments": call.object()}})
                }
            })
            .collect();
        messages.push(json!({"role": "assistant", "content": exchange.text, "tool_calls": calls}));
        messages.extend(exchange.calls.iter().map(|(call, result)| {
            if openai {
                json!({"role": "tool", "tool_call_id": call.id, "content": result})
            } else {
                json!({"role": "tool", "tool_name": call.name, "content": result})
            }
        }));
    }
}

/// Calls of tools as blocks of Anthropic's form.
fn used(exchange: &Exchange) -> Vec<Value> {
    let said = Some(&exchange.text).filter(|text| !text.trim().is_empty());
    said.map(|text| json!({"type": "text", "text": text}))
        .into_iter()
        .chain(
            exchange
                .calls
                .iter()
                .map(|(call, _)| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.object()})),
        )
        .collect()
}

/// Results of tools as blocks of Anthropic's form.
fn results(exchange: &Exchange) -> Vec<Value> {
    exchange
        .calls
        .iter()
        .map(|(call, result)| json!({"type": "tool_result", "tool_use_id": call.id, "content": result}))
        .collect()
}

fn function(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "parameters": schema(tool)})
}

fn schema(tool: &Tool) -> Value {
    let properties: Map<String, Value> = tool
        .parameters
        .iter()
        .map(|name| (name.clone(), json!({"type": "string"})))
        .collect();
    json!({"type": "object", "properties": properties, "required": tool.parameters})
}

fn tools_in_words(tools: &[Tool]) -> Option<String> {
    if tools.is_empty() {
        return None;
    }
    let list: Vec<String> = tools
        .iter()
        .map(|tool| format!("- {}({}): {}", tool.name, tool.parameters.join(", "), tool.description))
        .collect();
    Some(format!(
        "You can use these tools. To use one, reply with JSON of the form {{\"name\": \"...\", \"arguments\": {{...}}}}.\n{}",
        list.join("\n")
    ))
}

/// Headers that belong to the connection and would break the request.
const RESERVED: [&str; 6] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
];

fn headers(settings: &TargetSettings, shape: &Shape) -> Result<HeaderMap, BadSettings> {
    let mut out = HeaderMap::new();
    out.insert("content-type", HeaderValue::from_static("application/json"));
    out.insert(
        "accept",
        HeaderValue::from_static("application/json, text/event-stream, */*"),
    );
    let mut put = |name: &str, value: &str| {
        let bad = || BadSettings::Header(name.chars().take(60).collect());
        let name: HeaderName = name.parse().map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        out.insert(name, value);
        Ok(())
    };
    if *shape == Shape::Anthropic {
        put("anthropic-version", "2023-06-01")?;
    }
    if let Some(key) = &settings.api_key {
        if *shape == Shape::Anthropic {
            put("x-api-key", key.reveal())?;
        } else {
            put("authorization", &format!("Bearer {}", key.reveal()))?;
        }
    }
    if settings.headers.len() > HEADERS_MAX {
        return Err(BadSettings::Header(format!("more than {HEADERS_MAX}")));
    }
    for (name, value) in &settings.headers {
        if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(BadSettings::Header(name.clone()));
        }
        put(name, value.reveal())?;
    }
    Ok(out)
}
