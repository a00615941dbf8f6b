//! The form of a reply: JSON, lists, lines, words, tables, language.

use serde_json::Value;

/// Why a reply does not have the form asked for; nothing where it has.
pub(crate) fn fault(params: &Value, reply: &str) -> Option<String> {
    let text = reply.trim();
    let count = params["count"].as_u64().and_then(|count| usize::try_from(count).ok());
    let keys: Vec<&str> = params["keys"]
        .as_array()
        .map_or_else(Vec::new, |keys| keys.iter().filter_map(Value::as_str).collect());
    let within = |number: usize, what: &str| {
        let low = params["min"]
            .as_u64()
            .and_then(|min| usize::try_from(min).ok())
            .or(count);
        let high = params["max"]
            .as_u64()
            .and_then(|max| usize::try_from(max).ok())
            .or(count);
        (low.is_some_and(|low| number < low) || high.is_some_and(|high| number > high))
            .then(|| format!("{number} {what}, outside the requested range"))
    };
    match params["kind"].as_str().unwrap_or_default() {
        "json" | "exact_keys" => {
            let exact = params["kind"] == "exact_keys";
            let Ok(value) = serde_json::from_str::<Value>(unfenced(text)) else {
                return Some("the reply is not valid JSON".to_owned());
            };
            let objects: Vec<&Value> = match &value {
                Value::Array(items) => items.iter().collect(),
                _ => vec![&value],
            };
            if let (Some(count), Value::Array(items)) = (count, &value)
                && items.len() != count
            {
                return Some(format!("the reply has {} items instead of {count}", items.len()));
            }
            if count.is_some() && !value.is_array() && objects.len() != count.unwrap_or(1) {
                let inner = value
                    .as_object()
                    .and_then(|object| object.values().find_map(Value::as_array));
                if inner.is_none_or(|items| Some(items.len()) != count) {
                    return Some("the reply has the wrong number of items".to_owned());
                }
            }
            for object in objects {
                for key in &keys {
                    if object.get(key).is_none() {
                        return Some(format!("the reply has no key `{key}`"));
                    }
                }
                if exact && object.as_object().is_none_or(|object| object.len() != keys.len()) {
                    return Some("the reply has other keys than the requested ones".to_owned());
                }
            }
            None
        }
        "lines" => within(text.lines().count(), "lines"),
        "words" => within(
            text.split_whitespace()
                .filter(|word| word.chars().any(char::is_alphanumeric))
                .count(),
            "words",
        ),
        "list" => {
            let entries = text.lines().filter(|line| is_entry(line)).count();
            within(entries, "entries").or_else(|| (entries == 0).then(|| "no list found".to_owned()))
        }
        "csv" => {
            let rows: Vec<usize> = unfenced(text)
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(fields)
                .collect();
            let width = rows.first().copied().unwrap_or_default();
            if width < 2 || rows.iter().any(|row| *row != width) {
                return Some("the rows have different numbers of columns, or only one column".to_owned());
            }
            let header = unfenced(text).lines().next().unwrap_or_default().to_lowercase();
            if keys.iter().any(|key| !header.contains(&key.to_lowercase())) || !keys.is_empty() && width != keys.len() {
                return Some("the columns differ from the requested ones".to_owned());
            }
            // A count of rows may or may not count the header.
            count
                .filter(|count| rows.len() != *count && rows.len() != count + 1)
                .map(|count| format!("the reply has {} rows instead of {count}", rows.len()))
        }
        "language" => {
            let asked = params["language"].as_str().unwrap_or_default();
            let found = crate::language::ranked(text);
            let best = found.first().map_or("", |(code, _)| code);
            let foreign = other_language(text, asked);
            (best != asked || foreign).then(|| {
                format!("the reply is not entirely in the requested language `{asked}`; its main language is `{best}`")
            })
        }
        _ => None,
    }
}

/// Whether a paragraph of some length is in another language.
fn other_language(text: &str, asked: &str) -> bool {
    text.split("\n\n").any(|paragraph| {
        let ranked = crate::language::ranked(paragraph);
        let own = ranked
            .iter()
            .find(|(code, _)| *code == asked)
            .map_or(0.0, |(_, score)| *score);
        paragraph.split_whitespace().count() >= 8
            && ranked
                .first()
                .is_some_and(|(code, score)| *code != asked && *score > own * 1.8 + 1.0)
    })
}

/// The inside of a code block, where the whole text is one.
fn unfenced(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) else {
        return text;
    };
    inner.split_once('\n').map_or(inner, |(_, rest)| rest).trim()
}

fn is_entry(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with(['-', '*', '•', '–', '+']) && line.len() > 1
        || digits > 0 && line[digits..].starts_with(['.', ')'])
}

/// The fields of a row, separators inside quotes passed over.
fn fields(line: &str) -> usize {
    let separator = if line.matches(';').count() > line.matches(',').count() {
        ';'
    } else {
        ','
    };
    let mut quoted = false;
    line.chars()
        .filter(|c| {
            quoted ^= *c == '"';
            *c == separator && !quoted
        })
        .count()
        + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn forms_are_checked_by_parsing_and_counting() {
        for (params, reply, right) in [
            (json!({"kind": "exact_keys", "keys": ["a"]}), r#"{"a": 1}"#, true),
            (
                json!({"kind": "exact_keys", "keys": ["a"]}),
                r#"{"a": 1, "b": 2}"#,
                false,
            ),
            (json!({"kind": "json", "count": 2}), "```json\n[1, 2]\n```", true),
            (json!({"kind": "json"}), "{'a': 1}", false),
            (json!({"kind": "lines", "count": 2}), "one\ntwo", true),
            (
                json!({"kind": "words", "min": 2, "max": 3}),
                "one two three four",
                false,
            ),
            (json!({"kind": "list", "count": 2}), "- one\n- two", true),
            (json!({"kind": "csv", "count": 2}), "a,b\n1,\"2,5\"\n3,4", true),
            (
                json!({"kind": "language", "language": "fr"}),
                "Voici le plan de la ville que vous avez demandé.",
                true,
            ),
            (
                json!({"kind": "language", "language": "fr"}),
                "Here is the plan of the city that you asked for.",
                false,
            ),
        ] {
            assert_eq!(fault(&params, reply).is_none(), right, "{params} {reply}");
        }
    }
}
