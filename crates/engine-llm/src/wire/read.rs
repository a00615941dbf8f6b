//! Finds the words in a reply of any form, streamed or whole.

use engine_outbound::Reply;
use serde_json::{Value, json};

use super::{DotPath, Endpoint, Shape, ToolCall};

/// Text parts of one reply that are put together.
const PARTS_MAX: usize = 1 << 16;

/// Bytes of a reply over the limit that are kept as its words; no verdict rests on them.
const OVERSIZE_BYTES: usize = 4096;

/// Tokens as the target counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the reply.
    pub output: u64,
}

/// What a reply says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The words.
    pub text: String,
    /// The body around them; calls of tools of a stream are put together in it.
    pub body: Value,
    /// Tokens, where told.
    pub usage: Option<Usage>,
    /// The model that says it replied.
    pub model: Option<String>,
    /// Whether the service took the words away.
    pub filtered: bool,
    /// Whether a tool was called.
    pub calls_tool: bool,
    /// The calls of tools, in order.
    pub calls: Vec<ToolCall>,
    /// A ticket with which the result is fetched.
    pub ticket: Option<String>,
    /// The reasoning that the service sends beside the words.
    pub thought: String,
}

/// Why a reply has no words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// A status that is no success.
    Status(u16),
    /// A page for people instead of a reply.
    WrongType,
    /// Not the JSON that it claims to be.
    InvalidJson,
    /// Not UTF-8.
    BadUtf8,
    /// JSON without words at a known place.
    NoText,
    /// The service reports an error in a reply with a good status.
    Reported,
}

impl Broken {
    /// A stable short name.
    pub fn name(self) -> String {
        match self {
            Self::Status(status) => format!("http-{status}"),
            Self::WrongType => "wrong-type".to_owned(),
            Self::InvalidJson => "invalid-json".to_owned(),
            Self::BadUtf8 => "bad-utf8".to_owned(),
            Self::NoText => "no-text".to_owned(),
            Self::Reported => "reported-error".to_owned(),
        }
    }
}

/// Reads a reply.
pub fn read(endpoint: &Endpoint, reply: &Reply) -> Result<Answer, Broken> {
    let kind = reply
        .headers
        .get("content-type")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    let whole = std::str::from_utf8(&reply.body);
    // A cut at the limit may fall within a character; that is no fault of the target.
    let text = match whole {
        Ok(text) => text,
        Err(error) if reply.oversize() && error.error_len().is_none() => {
            std::str::from_utf8(&reply.body[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return Err(Broken::BadUtf8),
    };
    if !(200..300).contains(&reply.status) {
        // Filters of some services answer with a status of their own.
        let filtered = reply.status == 400 && serde_json::from_str(text).is_ok_and(|body: Value| names_filter(&body));
        return if filtered {
            Ok(Answer {
                filtered: true,
                ..Answer::default()
            })
        } else {
            Err(Broken::Status(reply.status))
        };
    }
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    if kind.contains("event-stream") || start.starts_with("data:") || start.starts_with("event:") {
        return of_stream(endpoint, text.lines().filter_map(event_data));
    }
    if kind.contains("ndjson") || kind.contains("jsonl") || is_lines(start) {
        return of_stream(endpoint, text.lines().map(str::trim).filter(|line| !line.is_empty()));
    }
    if kind.contains("html")
        || start
            .get(..9)
            .is_some_and(|head| head.eq_ignore_ascii_case("<!doctype"))
        || start.starts_with("<html")
    {
        return Err(Broken::WrongType);
    }
    if reply.oversize() {
        return Ok(Answer {
            text: text[..text.floor_char_boundary(OVERSIZE_BYTES)].to_owned(),
            ..Answer::default()
        });
    }
    match serde_json::from_str::<Value>(text) {
        Ok(body) => of_body(endpoint, body),
        Err(_) if start.is_empty() => Ok(Answer::default()),
        Err(_) if kind.contains("json") || start.starts_with('{') => Err(Broken::InvalidJson),
        Err(_) if kind.is_empty() || kind.starts_with("text/") => Ok(Answer {
            text: text.to_owned(),
            ..Answer::default()
        }),
        Err(_) => Err(Broken::WrongType),
    }
}

/// The data of a line of an event stream.
pub(crate) fn event_data(line: &str) -> Option<&str> {
    line.strip_prefix("data:")
        .map(|data| data.strip_prefix(' ').unwrap_or(data))
}

/// Several JSON objects, one on each line.
fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let whole = |line: Option<&str>| line.is_some_and(|line| line.starts_with('{') && line.trim_end().ends_with('}'));
    whole(lines.next()) && whole(lines.next())
}

fn of_body(endpoint: &Endpoint, body: Value) -> Result<Answer, Broken> {
    let mut answer = Answer {
        usage: usage(&body),
        model: body
            .get("model")
            .and_then(Value::as_str)
            .map(|name| name.chars().take(200).collect()),
        filtered: is_filtered(&body),
        calls_tool: calls_tool(&body),
        calls: calls_in(&body),
        ticket: body
            .get("event_id")
            .and_then(Value::as_str)
            .filter(|_| endpoint.shape == Shape::Gradio)
            .map(str::to_owned),
        ..Answer::default()
    };
    if answer.ticket.is_some() {
        return Ok(answer);
    }
    let found = match &endpoint.response_path {
        Some(path) => path.find(&body).and_then(words),
        None => known_place(&body),
    };
    answer.thought = thought(&body);
    match found {
        Some(text) => answer.text = text,
        None if answer.filtered || answer.calls_tool || !answer.thought.is_empty() => {}
        None if body.get("error").is_some_and(|error| !error.is_null()) => return Err(Broken::Reported),
        None => return Err(Broken::NoText),
    }
    answer.body = body;
    Ok(answer)
}

/// Places of the common services, the more special first.
const PLACES: [&str; 22] = [
    "choices.0.message.content",
    "choices.0.message.refusal",
    "choices.0.text",
    "message.content",
    "output_text",
    "content",
    "response",
    "reply",
    "answer",
    "text",
    "output",
    "result",
    "message",
    "completion",
    "generated_text",
    "0.generated_text",
    "data.0",
    "candidates.0.content.parts",
    "data.response",
    "data.text",
    "result.response",
    "outputs.0",
];

fn known_place(body: &Value) -> Option<String> {
    if let Value::String(text) = body {
        return Some(text.clone());
    }
    PLACES
        .iter()
        .find_map(|place| words(DotPath::parse(place).ok()?.find(body)?))
}

/// Whether a part of a message is reasoning by its type.
fn is_thought(part: &Value) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    part.get("thought") == Some(&Value::Bool(true)) || matches!(kind, "thinking" | "reasoning" | "redacted_thinking")
}

/// Fields in which services send reasoning beside the words.
const THOUGHTS: [&str; 4] = ["reasoning_content", "reasoning_text", "reasoning", "thinking"];

/// The reasoning of a reply or of a frame: in a field beside the words, or in parts of its own.
fn thought(body: &Value) -> String {
    let mut out = String::new();
    for place in ["choices.0.message", "choices.0.delta", "message", "delta"] {
        let at = DotPath::parse(place).ok().and_then(|path| path.find(body));
        // The same reasoning may stand in two fields.
        out.extend(
            at.and_then(|message| THOUGHTS.iter().find_map(|field| message.get(*field)?.as_str()))
                .map(str::to_owned),
        );
    }
    if out.is_empty() {
        let own = ["reasoning_content", "thinking"]
            .iter()
            .find_map(|field| body.get(*field)?.as_str());
        out.extend(own.map(str::to_owned));
    }
    if let Some("response.reasoning_text.delta" | "response.reasoning_summary_text.delta") =
        body.get("type").and_then(Value::as_str)
    {
        out.push_str(body.get("delta").and_then(Value::as_str).unwrap_or_default());
    }
    for place in [
        "choices.0.message.content",
        "message.content",
        "content",
        "output",
        "candidates.0.content.parts",
    ] {
        let parts = DotPath::parse(place)
            .ok()
            .and_then(|path| path.find(body))
            .and_then(Value::as_array);
        for part in parts
            .into_iter()
            .flatten()
            .take(PARTS_MAX)
            .filter(|part| is_thought(part))
        {
            let inner = ["thinking", "text", "content", "summary"]
                .iter()
                .find_map(|field| words(part.get(*field)?));
            out.push_str(&inner.unwrap_or_default());
        }
    }
    out
}

/// The words of a value: a text, or a list of parts with texts.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let mut out = Vec::new();
            for part in parts.iter().take(PARTS_MAX).filter(|part| !is_thought(part)) {
                match part {
                    Value::String(text) => out.push(text.clone()),
                    Value::Object(fields) => {
                        let inner = fields
                            .get("text")
                            .or_else(|| fields.get("content"))
                            .or_else(|| fields.get("refusal"));
                        match inner {
                            Some(Value::String(text)) => out.push(text.clone()),
                            Some(Value::Array(inner)) => out.extend(
                                inner
                                    .iter()
                                    .filter_map(|part| part.get("text").or_else(|| part.get("refusal"))?.as_str())
                                    .map(str::to_owned),
                            ),
                            _ => {}
                        }
                    }
                    // The last message of a chat in pairs.
                    Value::Array(pair) => out.extend(pair.last().and_then(Value::as_str).map(str::to_owned)),
                    _ => {}
                }
            }
            (!out.is_empty()).then(|| out.join(""))
        }
        _ => None,
    }
}

fn number(value: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| value.get(*name)?.as_u64())
}

fn usage(body: &Value) -> Option<Usage> {
    let at = [
        body.get("usage"),
        body.get("message").and_then(|m| m.get("usage")),
        body.get("response").and_then(|r| r.get("usage")),
    ]
    .into_iter()
    .flatten()
    .find(|usage| usage.is_object())
    .unwrap_or(body);
    let input = number(at, &["prompt_tokens", "input_tokens", "prompt_eval_count"]);
    let output = number(at, &["completion_tokens", "output_tokens", "eval_count"]);
    (input.is_some() || output.is_some()).then(|| Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
    })
}

fn is_filtered(body: &Value) -> bool {
    let reasons = [
        "choices.0.finish_reason",
        "choices.0.native_finish_reason",
        "candidates.0.finishReason",
        "promptFeedback.blockReason",
        "incomplete_details.reason",
        "stop_reason",
    ];
    reasons.iter().any(|place| {
        let reason = DotPath::parse(place)
            .ok()
            .and_then(|path| path.find(body).and_then(Value::as_str).map(str::to_ascii_lowercase));
        reason.is_some_and(|reason| {
            matches!(
                reason.as_str(),
                "content_filter" | "safety" | "blocked" | "prohibited_content" | "refusal_filter"
            )
        })
    })
}

fn names_filter(body: &Value) -> bool {
    let error = body.get("error").unwrap_or(body);
    ["code", "type"].iter().any(|name| {
        error
            .get(*name)
            .and_then(Value::as_str)
            .is_some_and(|code| code.contains("content_filter") || code.contains("content_policy"))
    })
}

fn calls_tool(body: &Value) -> bool {
    let listed = |place: &str| {
        let found = DotPath::parse(place)
            .ok()
            .and_then(|path| path.find(body).and_then(Value::as_array).map(Vec::len));
        found.is_some_and(|calls| calls > 0)
    };
    let typed = |name: &str| {
        let parts = body.get(name).and_then(Value::as_array);
        parts.into_iter().flatten().any(|part| {
            part.get("type")
                .and_then(Value::as_str)
                .is_some_and(|kind| matches!(kind, "tool_use" | "function_call"))
        })
    };
    listed("choices.0.message.tool_calls") || listed("message.tool_calls") || typed("content") || typed("output")
}

/// Calls of tools beyond this number in one reply are not read.
const CALLS_MAX: usize = 256;

/// The calls of tools in a whole reply of any form.
fn calls_in(body: &Value) -> Vec<ToolCall> {
    let at = |place: &str| DotPath::parse(place).ok().and_then(|path| path.find(body));
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    let functions = [at("choices.0.message.tool_calls"), at("message.tool_calls")];
    let functions = functions
        .into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .flatten()
        .map(|call| {
            let function = call.get("function").unwrap_or(call);
            ToolCall {
                id: text(call.get("id")),
                name: text(function.get("name")),
                arguments: text(function.get("arguments")),
            }
        });
    let blocks = [body.get("content"), body.get("output")];
    let blocks = blocks
        .into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(|block| match block.get("type").and_then(Value::as_str)? {
            "tool_use" => Some(ToolCall {
                id: text(block.get("id")),
                name: text(block.get("name")),
                arguments: text(block.get("input")),
            }),
            "function_call" => Some(ToolCall {
                id: text(block.get("call_id")),
                name: text(block.get("name")),
                arguments: text(block.get("arguments")),
            }),
            _ => None,
        });
    functions.chain(blocks).take(CALLS_MAX).collect()
}

/// Calls of tools, put together from the parts of a stream.
#[derive(Debug, Default)]
struct Calls(Vec<ToolCall>);

impl Calls {
    fn begin(&mut self, id: Option<&str>, name: &str) {
        if self.0.len() < CALLS_MAX {
            self.0.push(ToolCall {
                id: id.unwrap_or_default().to_owned(),
                name: name.to_owned(),
                arguments: String::new(),
            });
        }
    }

    fn go_on(&mut self, part: &str) {
        if let Some(call) = self.0.last_mut() {
            call.arguments.push_str(part);
        }
    }
}

/// Puts a streamed reply together, part by part.
#[derive(Debug, Default)]
pub struct StreamReader {
    answer: Answer,
    calls: Calls,
    last: Value,
    seen: usize,
    unread: usize,
}

impl StreamReader {
    /// Takes in the data of one event or one line. Says how many bytes of text there are now.
    pub fn take(&mut self, endpoint: &Endpoint, part: &str) -> Result<usize, Broken> {
        if part.trim() == "[DONE]" || self.seen >= PARTS_MAX {
            return Ok(self.answer.text.len());
        }
        self.seen += 1;
        let answer = &mut self.answer;
        let Ok(frame) = serde_json::from_str::<Value>(part) else {
            // Some services send the words bare. What looks like JSON and is none is a fault.
            if part.starts_with('{') {
                self.unread += 1;
            } else {
                answer.text.push_str(part);
            }
            return Ok(answer.text.len());
        };
        if frame.get("error").is_some_and(|error| !error.is_null())
            || frame.get("type").and_then(Value::as_str) == Some("error")
        {
            return Err(Broken::Reported);
        }
        if let Some(found) = usage(&frame) {
            let before = answer.usage.unwrap_or_default();
            answer.usage = Some(Usage {
                input: before.input.max(found.input),
                output: before.output.max(found.output),
            });
        }
        answer.filtered |= is_filtered(&frame);
        answer.thought.push_str(&thought(&frame));
        if answer.model.is_none() {
            let model = frame
                .get("model")
                .or_else(|| frame.get("message").and_then(|message| message.get("model")));
            answer.model = model
                .and_then(Value::as_str)
                .map(|name| name.chars().take(200).collect());
        }
        take_frame(endpoint, &frame, &mut answer.text, &mut self.calls);
        self.last = frame;
        Ok(self.answer.text.len())
    }

    /// The words so far.
    pub fn text(&self) -> &str {
        &self.answer.text
    }

    /// The whole reply.
    pub fn finish(self) -> Result<Answer, Broken> {
        if self.seen > 0 && self.unread == self.seen {
            return Err(Broken::InvalidJson);
        }
        let mut answer = self.answer;
        answer.calls_tool = !self.calls.0.is_empty();
        let made: Vec<Value> = self
            .calls
            .0
            .iter()
            .map(|call| json!({"name": call.name, "arguments": call.arguments}))
            .collect();
        answer.calls = self.calls.0;
        answer.body = json!({"last_frame": self.last, "tool_calls": made});
        Ok(answer)
    }
}

fn of_stream<'a>(endpoint: &Endpoint, parts: impl Iterator<Item = &'a str>) -> Result<Answer, Broken> {
    let mut reader = StreamReader::default();
    for part in parts.take(PARTS_MAX) {
        reader.take(endpoint, part)?;
    }
    reader.finish()
}

fn take_frame(endpoint: &Endpoint, frame: &Value, text: &mut String, calls: &mut Calls) {
    if let Some(path) = &endpoint.response_path
        && let Some(found) = path.find(frame).and_then(words)
    {
        text.push_str(&found);
        return;
    }
    let at = |place: &str| DotPath::parse(place).ok().and_then(|path| path.find(frame).cloned());
    if let Some(delta) = at("choices.0.delta") {
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let function = call.get("function").unwrap_or(call);
            if let Some(name) = function.get("name").and_then(Value::as_str) {
                calls.begin(call.get("id").and_then(Value::as_str), name);
            }
            calls.go_on(function.get("arguments").and_then(Value::as_str).unwrap_or_default());
        }
        let said = delta.get("content").or_else(|| delta.get("refusal"));
        text.push_str(said.and_then(Value::as_str).unwrap_or_default());
        return;
    }
    match frame.get("type").and_then(Value::as_str) {
        Some("content_block_delta") => {
            text.push_str(at("delta.text").as_ref().and_then(Value::as_str).unwrap_or_default());
            calls.go_on(
                at("delta.partial_json")
                    .as_ref()
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            );
        }
        Some("content_block_start") => {
            if let Some(name) = at("content_block.name").as_ref().and_then(Value::as_str) {
                calls.begin(at("content_block.id").as_ref().and_then(Value::as_str), name);
            }
        }
        Some("response.output_text.delta" | "response.refusal.delta") => {
            text.push_str(frame.get("delta").and_then(Value::as_str).unwrap_or_default());
        }
        Some("response.output_item.added") => {
            if let Some(name) = at("item.name").as_ref().and_then(Value::as_str) {
                calls.begin(at("item.call_id").as_ref().and_then(Value::as_str), name);
            }
        }
        Some("response.function_call_arguments.delta") => {
            calls.go_on(frame.get("delta").and_then(Value::as_str).unwrap_or_default());
        }
        // Frames that repeat what the parts said, or say nothing.
        Some(kind)
            if kind.starts_with("response.")
                || kind.starts_with("message_")
                || kind.starts_with("content_block")
                || kind == "ping" => {}
        _ => {
            for call in at("message.tool_calls")
                .as_ref()
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let function = call.get("function").unwrap_or(call);
                calls.begin(None, function.get("name").and_then(Value::as_str).unwrap_or_default());
                calls.go_on(&function.get("arguments").map(Value::to_string).unwrap_or_default());
            }
            let found = at("token.text")
                .or_else(|| at("token"))
                .or_else(|| at("delta"))
                .as_ref()
                .and_then(words);
            text.push_str(
                &found
                    .or_else(|| known_place(frame))
                    .or_else(|| words(frame))
                    .unwrap_or_default(),
            );
        }
    }
}
