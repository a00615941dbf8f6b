//! What the parser takes of a field, in the words of JSON Schema: one row a field, for bodies and queries alike.
//!
//! Types prove most of it. These rows say the rest, which use cases check with a sentence of their own.

use serde_json::{Map, Value, json};

/// The kind of value that a row is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    /// The texts in a list.
    Items,
    List,
    Object,
}

/// A keyword with its value as JSON.
type Keyword = (&'static str, &'static str);

/// Fields of inputs, with what holds wherever a field has that name.
const FIELDS: &[(&str, Kind, &[Keyword])] = &[
    ("path", Kind::Text, &[("minLength", "1")]),
    (
        "newName",
        Kind::Text,
        &[
            ("minLength", "1"),
            ("maxLength", "1024"),
            (
                "pattern",
                r#""^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$""#,
            ),
        ],
    ),
    (
        "changedFiles",
        Kind::Items,
        &[
            ("minLength", "1"),
            (
                "pattern",
                r#""^(?!/)(?![\\s\\S]*(?:^|[/\\\\])\\.\\.(?:[/\\\\]|$))(?=[\\s\\S]*[^./\\\\])[\\s\\S]+$""#,
            ),
        ],
    ),
    ("baseRef", Kind::Text, &[("minLength", "1"), ("maxLength", "256")]),
    (
        "outputPath",
        Kind::Text,
        &[
            ("minLength", "1"),
            ("maxLength", "512"),
            ("pattern", r#""^(\\.compliance/)?reports/[A-Za-z0-9_-]+\\.[a-z]+$""#),
        ],
    ),
    (
        "target",
        Kind::Text,
        &[
            ("minLength", "8"),
            ("maxLength", "4096"),
            ("pattern", r#""^https?://[A-Za-z0-9_\\[]""#),
        ],
    ),
    ("systemPrompt", Kind::Text, &[("maxLength", "262144")]),
    ("limit", Kind::Number, &[("minimum", "1")]),
    ("timeoutMs", Kind::Number, &[("minimum", "1")]),
    ("requestTimeoutMs", Kind::Number, &[("minimum", "1")]),
    ("maxRequests", Kind::Number, &[("minimum", "1")]),
    ("maxTokens", Kind::Number, &[("minimum", "1")]),
    ("maxProbes", Kind::Number, &[("minimum", "1")]),
    ("maxCost", Kind::Number, &[("exclusiveMinimum", "0")]),
    ("rps", Kind::Number, &[("exclusiveMinimum", "0")]),
    ("repeats", Kind::Number, &[("minimum", "1"), ("maximum", "20")]),
    ("concurrency", Kind::Number, &[("minimum", "1"), ("maximum", "256")]),
    ("expirationDays", Kind::Number, &[("minimum", "1"), ("maximum", "365")]),
    (
        "hourlyRate",
        Kind::Number,
        &[("exclusiveMinimum", "0"), ("maximum", "1000")],
    ),
    ("n", Kind::Number, &[("minimum", "1"), ("maximum", "8")]),
    ("testIds", Kind::List, &[("minItems", "1"), ("maxItems", "1000")]),
    ("testIds", Kind::Items, &[("minLength", "1")]),
    ("categories", Kind::List, &[("maxItems", "200")]),
    ("tools", Kind::List, &[("maxItems", "16")]),
    ("systems", Kind::Items, &[("minLength", "1")]),
    (
        "tools",
        Kind::Items,
        &[("enum", r#"["semgrep", "bandit", "detect-secrets", "modelscan"]"#)],
    ),
    // Without answers it reports what is stored.
    ("answers", Kind::Object, &[("type", r#"["object", "null"]"#)]),
    ("approver", Kind::Text, &[("minLength", "1"), ("maxLength", "120")]),
];

/// Fields of a query that must be there, although their type has a default.
const REQUIRED: &[&str] = &["testIds"];

/// Schemas of inputs with what holds for several of their fields together.
const WHOLE: &[(&str, &str)] = &[
    (
        "FixRequest",
        r#"{"anyOf": [
            {"required": ["checkId"], "properties": {"checkId": {"type": "string"}}},
            {"required": ["findingId"], "properties": {"findingId": {"type": "string"}}},
            {"required": ["obligationId"], "properties": {"obligationId": {"type": "string"}}}
        ]}"#,
    ),
    // An amount of money needs prices.
    (
        "EvalRequest",
        r#"{
            "if": {"required": ["maxCost"], "properties": {"maxCost": {"type": "number"}}},
            "then": {"required": ["prices"], "properties": {"prices": {"type": "object"}}}
        }"#,
    ),
    (
        "SyncRequest",
        r#"{"allOf": [{"properties": {"timeoutMs": {"minimum": 100, "maximum": 600000}}}]}"#,
    ),
];

/// Adds what holds to the parameters of an input.
pub(crate) fn on_parameter(parameter: &mut Value) {
    let Some(name) = parameter["name"].as_str().map(str::to_owned) else {
        return;
    };
    on_field(&name, &mut parameter["schema"]);
    if REQUIRED.contains(&name.as_str()) {
        parameter["required"] = json!(true);
    }
}

/// A schema whose `target` is an id and not an address.
const OTHER_TARGET: &str = "ActionParts";

/// Adds what holds to a schema of an input: to the fields of its own and of the objects in it.
pub(crate) fn on_schema(name: &str, schema: &mut Value) {
    if name == OTHER_TARGET {
        schema["properties"]["target"]["pattern"] = json!("\\S");
        return;
    }
    walk(schema);
    if let Some((_, more)) = WHOLE.iter().find(|(known, _)| *known == name)
        && let (Some(fields), Ok(Value::Object(more))) = (schema.as_object_mut(), serde_json::from_str(more))
    {
        fields.extend(more);
    }
}

fn walk(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(walk),
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                // A scan may be asked for no findings; a page has at least one row.
                for (name, property) in properties.iter_mut().filter(|(name, _)| *name != "limit") {
                    on_field(name, property);
                }
            }
            fields.values_mut().for_each(walk);
        }
        _ => {}
    }
}

fn on_field(name: &str, schema: &mut Value) {
    for (field, kind, keywords) in FIELDS {
        if *field != name {
            continue;
        }
        let place = match kind {
            Kind::Items => schema.get_mut("items"),
            _ => Some(&mut *schema),
        };
        if let Some(Value::Object(place)) = place
            && is_of(place, *kind)
        {
            for (keyword, value) in *keywords {
                if let Ok(value) = serde_json::from_str::<Value>(value) {
                    // A number of a type without a sign starts at zero in what is derived.
                    place.insert((*keyword).to_owned(), value);
                }
            }
        }
    }
}

fn is_of(schema: &Map<String, Value>, kind: Kind) -> bool {
    let names: &[&str] = match kind {
        Kind::Text | Kind::Items => &["string"],
        Kind::Number => &["integer", "number"],
        Kind::List => &["array"],
        Kind::Object => &["object"],
    };
    let is = |value: &Value| value.as_str().is_some_and(|name| names.contains(&name));
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(is),
        Some(one) => is(one),
        None => false,
    }
}

/// The schema of a stream, which is that of each of its frames, with its data as JSON.
pub(crate) fn frames(media: &mut Value) {
    let Some(data) = media.get("x-event-schema").cloned() else {
        return;
    };
    let description = media["schema"]["description"].take();
    media["schema"] = json!({
        "type": "object",
        "description": description,
        "required": ["data"],
        "properties": {
            "event": { "type": "string", "description": "The name of the frame, where it has one." },
            "id": { "type": "string", "description": "The number of the event, where it can be asked for again." },
            "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": data },
        },
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_keyword_with_a_value() {
        for (field, _, keywords) in FIELDS {
            for (keyword, value) in *keywords {
                assert!(serde_json::from_str::<Value>(value).is_ok(), "{field}: {keyword}");
            }
        }
        for (name, more) in WHOLE {
            assert!(serde_json::from_str::<Value>(more).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_document_says_what_the_parser_takes() {
        let document = crate::openapi();
        let scan = &document["components"]["schemas"]["ScanRequest"]["properties"];
        assert_eq!(scan["path"]["minLength"], 1);
        assert_eq!(scan["limit"]["minimum"], 0);
        let remediation = &document["paths"]["/eval/remediation"]["get"]["parameters"];
        let ids = remediation
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == "testIds")
            .unwrap();
        assert_eq!(ids["required"], true);
        assert_eq!(
            document["components"]["schemas"]["FixRequest"]["anyOf"]
                .as_array()
                .unwrap()
                .len(),
            3
        );
        let run = &document["components"]["schemas"]["EvalRequest"];
        assert_eq!(run["then"]["required"][0], "prices");
        // An address without a host is none.
        assert_eq!(run["properties"]["target"]["pattern"], "^https?://[A-Za-z0-9_\\[]");
        let action = &document["components"]["schemas"]["ActionParts"]["properties"]["target"];
        assert_eq!(action["pattern"], "\\S");
        assert!(document["paths"]["/scan/diff"]["post"]["responses"]["422"].is_object());
        let stream = &document["paths"]["/eval/run/stream"]["post"]["responses"]["200"]["content"]["text/event-stream"];
        assert_eq!(stream["schema"]["type"], "object");
        assert!(stream["schema"]["properties"]["data"]["contentSchema"].is_object());
        assert_eq!(ids["explode"], false, "the ids are separated by commas");
    }
}
