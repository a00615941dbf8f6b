//! A request in the caller's own form, and the path to the words of its reply.

use serde_json::{Value, json};

use super::Conversation;

/// Deeper templates are refused.
const DEPTH_MAX: usize = 32;

/// Larger templates are refused.
const BYTES_MAX: usize = 64 * 1024;

/// Bytes of one filled request; placeholders may repeat, and so does what they stand for.
const FILLED_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Bytes that are assumed for a prompt, longer than any of the suite.
const PROMPT_BYTES: usize = 64 * 1024;

/// Steps of a path.
const STEPS_MAX: usize = 32;

/// Why a template or a path cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTemplate {
    /// Nothing of the probe would be sent.
    #[error("requestTemplate: no string contains `{{{{prompt}}}}` or `{{{{probe}}}}`")]
    NoPrompt,
    /// Neither an object nor JSON text of one.
    #[error("requestTemplate: not a JSON object, nor a string that contains one")]
    NotJson,
    /// Too deep or too long.
    #[error("requestTemplate: more than {DEPTH_MAX} levels deep or {BYTES_MAX} bytes long")]
    TooLarge,
    /// Placeholders repeat too much text.
    #[error(
        "requestTemplate: one filled request would have more than {FILLED_BYTES_MAX} bytes; repeat fewer placeholders, or shorten \
         `systemPrompt`"
    )]
    FilledTooLarge,
    /// Not a path of names and numbers.
    #[error("responsePath: not a valid path; write a path such as `choices.0.message.content`")]
    Path,
}

/// A body with placeholders in its strings: `{{prompt}}` or `{{probe}}`, and, where the caller keeps turns apart,
/// `{{system}}`, `{{conversation}}` (an id) and `{{history}}` (a list of messages, as a whole string).
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    body: Value,
    keeps_turns: bool,
}

impl Template {
    /// Takes an object, or the text of one.
    pub fn new(body: Value) -> Result<Self, BadTemplate> {
        let body = match body {
            Value::String(text) if text.len() > BYTES_MAX => return Err(BadTemplate::TooLarge),
            Value::String(text) => serde_json::from_str(&text).map_err(|_| BadTemplate::NotJson)?,
            other => other,
        };
        if !body.is_object() && !body.is_array() {
            return Err(BadTemplate::NotJson);
        }
        let mut strings = Vec::new();
        let mut bytes = 0;
        collect(&body, 0, &mut strings, &mut bytes)?;
        if bytes > BYTES_MAX {
            return Err(BadTemplate::TooLarge);
        }
        let has = |name: &str| strings.iter().any(|text| text.contains(name));
        if !has("{{prompt}}") && !has("{{probe}}") && !has("{{history}}") {
            return Err(BadTemplate::NoPrompt);
        }
        let keeps_turns = has("{{history}}") || has("{{conversation}}");
        Ok(Self { body, keeps_turns })
    }

    /// A body with one field.
    pub fn of_field(name: &str) -> Self {
        let mut body = serde_json::Map::new();
        body.insert(name.to_owned(), json!("{{prompt}}"));
        Self {
            body: Value::Object(body),
            keeps_turns: false,
        }
    }

    /// Refuses a template whose filled form would be too long, before anything is filled.
    pub(super) fn check_filled(&self, system_bytes: usize) -> Result<(), BadTemplate> {
        let mut strings = Vec::new();
        let mut bytes = 0;
        collect(&self.body, 0, &mut strings, &mut bytes)?;
        let count = |name: &str| strings.iter().map(|text| text.matches(name).count()).sum::<usize>();
        let prompts = count("{{prompt}}") + count("{{probe}}") + count("{{history}}");
        // Without turns of its own, a prompt carries the system prompt in front of it.
        let systems = count("{{system}}") + if self.keeps_turns { 0 } else { prompts };
        let filled = systems
            .saturating_mul(system_bytes)
            .saturating_add(prompts.saturating_mul(PROMPT_BYTES))
            .saturating_add(bytes);
        if filled > FILLED_BYTES_MAX {
            return Err(BadTemplate::FilledTooLarge);
        }
        Ok(())
    }

    pub(super) fn keeps_turns(&self) -> bool {
        self.keeps_turns
    }

    pub(super) fn fill(&self, prompt: &str, system: &str, conversation: &Conversation) -> Value {
        filled(&self.body, prompt, system, conversation)
    }
}

fn collect<'a>(
    value: &'a Value,
    depth: usize,
    strings: &mut Vec<&'a str>,
    bytes: &mut usize,
) -> Result<(), BadTemplate> {
    if depth > DEPTH_MAX {
        return Err(BadTemplate::TooLarge);
    }
    match value {
        Value::String(text) => {
            *bytes += text.len();
            strings.push(text);
        }
        Value::Array(items) => {
            *bytes += items.len();
            for item in items {
                collect(item, depth + 1, strings, bytes)?;
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                *bytes += name.len();
                collect(field, depth + 1, strings, bytes)?;
            }
        }
        _ => *bytes += 8,
    }
    Ok(())
}

// The text goes in as a JSON value and is escaped when the body is written, so that no probe can break out of its string.
fn filled(value: &Value, prompt: &str, system: &str, conversation: &Conversation) -> Value {
    match value {
        Value::String(text) if text == "{{history}}" => conversation
            .turns
            .iter()
            .map(|(speaker, text)| json!({"role": speaker, "content": text}))
            .collect(),
        Value::String(text) => Value::String(put(text, prompt, system, conversation)),
        Value::Array(items) => items
            .iter()
            .map(|item| filled(item, prompt, system, conversation))
            .collect(),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, field)| (name.clone(), filled(field, prompt, system, conversation)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// One pass, so that a placeholder within a probe's own text stays as it is.
fn put(text: &str, prompt: &str, system: &str, conversation: &Conversation) -> String {
    let names = [
        ("{{prompt}}", prompt),
        ("{{probe}}", prompt),
        ("{{system}}", system),
        ("{{conversation}}", conversation.id.as_str()),
    ];
    let mut out = String::with_capacity(text.len() + prompt.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (name, value) = names
            .into_iter()
            .find(|(name, _)| rest.starts_with(name))
            .unwrap_or(("{{", "{{"));
        out.push_str(value);
        rest = &rest[name.len()..];
    }
    out.push_str(rest);
    out
}

/// A path of names and numbers into a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DotPath(Vec<String>);

impl DotPath {
    /// Reads `a.0.b`; `a[0].b` and a leading `$.` are understood as well.
    pub fn parse(text: &str) -> Result<Self, BadTemplate> {
        let text = text.trim().trim_start_matches('$').replace('[', ".").replace(']', "");
        let steps: Vec<String> = text
            .trim_start_matches('.')
            .split('.')
            .map(|step| step.trim_matches(['"', '\'']).to_owned())
            .collect();
        if steps.len() > STEPS_MAX || steps.iter().any(|step| step.is_empty() || step.len() > 200) {
            return Err(BadTemplate::Path);
        }
        Ok(Self(steps))
    }

    /// What stands there.
    pub fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(value, |at, step| match at {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(step),
        })
    }
}
