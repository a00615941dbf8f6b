//! Finds the words in a reply of any form, streamed or whole.

use engine_outbound::Reply;
use serde_json::{Value, json};

use super::{DotPath, Endpoint, Shape};

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
    /// A ticket with which the result is fetched.
    pub ticket: Option<String>,
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

fn event_data(line: &str) -> Option<&str> {
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
    match found {
        Some(text) => answer.text = text,
        None if answer.filtered || answer.calls_tool => {}
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
    "candidates.0.content.parts.0.text",
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

/// The words of a value: a text, or a list of parts with texts.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let mut out = Vec::new();
            for part in parts.iter().take(PARTS_MAX) {
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

/// Calls of tools, put together from the parts of a stream.
#[derive(Debug, Default)]
struct Calls(Vec<(String, String)>);

impl Calls {
    fn begin(&mut self, name: &str) {
        if self.0.len() < 256 {
            self.0.push((name.to_owned(), String::new()));
        }
    }

    fn go_on(&mut self, part: &str) {
        if let Some((_, arguments)) = self.0.last_mut() {
            arguments.push_str(part);
        }
    }
}

fn of_stream<'a>(endpoint: &Endpoint, parts: impl Iterator<Item = &'a str>) -> Result<Answer, Broken> {
    let mut answer = Answer::default();
    let mut calls = Calls::default();
    let mut last = Value::Null;
    let (mut seen, mut unread) = (0usize, 0usize);
    for part in parts.take(PARTS_MAX) {
        if part.trim() == "[DONE]" {
            continue;
        }
        seen += 1;
        let Ok(frame) = serde_json::from_str::<Value>(part) else {
            // Some services send the words bare. What looks like JSON and is none is a fault.
            if part.starts_with('{') {
                unread += 1;
            } else {
                answer.text.push_str(part);
            }
            continue;
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
        if answer.model.is_none() {
            let model = frame
                .get("model")
                .or_else(|| frame.get("message").and_then(|message| message.get("model")));
            answer.model = model
                .and_then(Value::as_str)
                .map(|name| name.chars().take(200).collect());
        }
        take_frame(endpoint, &frame, &mut answer.text, &mut calls);
        last = frame;
    }
    if seen > 0 && unread == seen {
        return Err(Broken::InvalidJson);
    }
    answer.calls_tool = !calls.0.is_empty();
    let made: Vec<Value> = calls
        .0
        .into_iter()
        .map(|(name, arguments)| json!({"name": name, "arguments": arguments}))
        .collect();
    answer.body = json!({"last_frame": last, "tool_calls": made});
    Ok(answer)
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
                calls.begin(name);
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
                calls.begin(name);
            }
        }
        Some("response.output_text.delta" | "response.refusal.delta") => {
            text.push_str(frame.get("delta").and_then(Value::as_str).unwrap_or_default());
        }
        Some("response.output_item.added") => {
            if let Some(name) = at("item.name").as_ref().and_then(Value::as_str) {
                calls.begin(name);
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
                calls.begin(function.get("name").and_then(Value::as_str).unwrap_or_default());
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
