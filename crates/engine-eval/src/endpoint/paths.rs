//! Paths of texts in a reply, for a caller whose `responsePath` leads to none.

use engine_outbound::Reply;
use serde_json::Value;

use super::DotPath;

/// Steps of a path that is proposed.
const STEPS_MAX: usize = 6;

/// Values of a reply that are looked at.
const VALUES_MAX: usize = 2_000;

/// Paths that are proposed.
const PATHS_MAX: usize = 5;

/// Letters of a name that is shown; the names come from the target.
const NAME_CHARS: usize = 40;

/// A `responsePath` that leads to no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMiss {
    /// The path as it was given.
    pub path: String,
    /// What the reply has there.
    pub found: String,
    /// Paths that lead to a text, the likeliest first.
    pub works: Vec<String>,
}

impl PathMiss {
    /// Compares a path with a reply. None where the reply is not one JSON value.
    pub(super) fn of(path: &str, reply: &Reply) -> Option<Self> {
        let body: Value = serde_json::from_slice(&reply.body).ok()?;
        Some(Self::in_body(path, &body))
    }

    fn in_body(path: &str, body: &Value) -> Self {
        let at = DotPath::parse(path).ok().and_then(|path| path.find(body));
        let mut texts = Vec::new();
        let mut left = VALUES_MAX;
        collect(body, "", 0, &mut left, &mut texts);
        let own = path.trim().trim_start_matches(['$', '.']);
        // Below the given path first, then names of answers, then longer texts: ids and states are short.
        texts.sort_by_key(|(place, length)| {
            let below = place.strip_prefix(own).is_some_and(|rest| rest.starts_with('.'));
            (!below, !is_answer_name(place), std::cmp::Reverse(*length))
        });
        Self {
            path: path.chars().take(200).collect(),
            found: describe(at),
            works: texts.into_iter().take(PATHS_MAX).map(|(place, _)| place).collect(),
        }
    }
}

fn is_answer_name(place: &str) -> bool {
    let last = place
        .rsplit('.')
        .find(|step| step.parse::<usize>().is_err())
        .unwrap_or_default();
    matches!(
        last.to_ascii_lowercase().as_str(),
        "answer"
            | "content"
            | "text"
            | "reply"
            | "response"
            | "output"
            | "message"
            | "completion"
            | "generated_text"
            | "result"
    )
}

fn collect(value: &Value, place: &str, depth: usize, left: &mut usize, out: &mut Vec<(String, usize)>) {
    if *left == 0 || depth > STEPS_MAX {
        return;
    }
    *left -= 1;
    let below = |step: &str| {
        if place.is_empty() {
            step.to_owned()
        } else {
            format!("{place}.{step}")
        }
    };
    match value {
        Value::String(text) if !text.trim().is_empty() && !place.is_empty() => {
            out.push((place.to_owned(), text.chars().count()));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &below(&index.to_string()), depth + 1, left, out);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields.iter().filter(|(name, _)| is_step(name)) {
                collect(item, &below(name), depth + 1, left, out);
            }
        }
        _ => {}
    }
}

/// Whether a name can be a step of a path, and be shown.
fn is_step(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= NAME_CHARS
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

fn describe(value: Option<&Value>) -> String {
    match value {
        None => "the reply has nothing there".to_owned(),
        Some(Value::Null) => "the reply has `null` there".to_owned(),
        Some(Value::Bool(_)) => "the reply has a truth value there".to_owned(),
        Some(Value::Number(_)) => "the reply has a number there".to_owned(),
        Some(Value::String(_)) => "the reply has an empty text there".to_owned(),
        Some(Value::Array(items)) => format!("the reply has a list of {} there", items.len()),
        Some(Value::Object(fields)) => {
            const SHOWN: usize = 6;
            let names: Vec<String> = fields
                .keys()
                .filter(|name| is_step(name))
                .take(SHOWN)
                .map(|name| format!("`{name}`"))
                .collect();
            if names.is_empty() {
                "the reply has an object there".to_owned()
            } else {
                format!("the reply has an object with {} there", names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(path: &str, body: &Value, found: &str, works: &[&str]) {
        let miss = PathMiss::in_body(path, body);
        assert_eq!(
            (miss.found.as_str(), miss.works),
            (found, works.iter().map(|w| (*w).to_owned()).collect()),
            "{path}"
        );
    }

    #[test]
    fn a_path_without_text_is_answered_with_paths_that_have_one() {
        let body = json!({"id": "r-81", "answer": {"lang": "en", "text": "At nine."}, "usage": {"tokens": 4}});
        check(
            "answer",
            &body,
            "the reply has an object with `lang`, `text` there",
            &["answer.text", "answer.lang", "id"],
        );
        check(
            "usage.tokens",
            &body,
            "the reply has a number there",
            &["answer.text", "id", "answer.lang"],
        );
        check(
            "reply",
            &body,
            "the reply has nothing there",
            &["answer.text", "id", "answer.lang"],
        );
        let list = json!({"choices": [{"message": {"content": "At nine."}}]});
        check(
            "choices",
            &list,
            "the reply has a list of 1 there",
            &["choices.0.message.content"],
        );
        check("a", &json!({"a": null}), "the reply has `null` there", &[]);
        for path in PathMiss::in_body("answer", &body).works {
            assert!(
                DotPath::parse(&path).unwrap().find(&body).is_some_and(Value::is_string),
                "{path}"
            );
        }
    }
}
