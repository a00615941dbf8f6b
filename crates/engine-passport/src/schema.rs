//! Checks values against JSON Schema, as far as the schemas here use it, and draws the schema of a passport.
//!
//! The checker knows the keywords that the schemas of this crate use and no others; a test lists them and compares its
//! answers with those of a full implementation.

use std::sync::LazyLock;

use engine_embed::{Packed, embed};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::fields::TOP_LEVEL;
use crate::passport::Passport;

/// Problems that are told of one value; more help nobody.
const ISSUES_MAX: usize = 50;

/// Steps of one check. References could go round in circles, and alternatives multiply.
const STEPS_MAX: u32 = 500_000;

/// Depth of schema and value together.
const DEPTH_MAX: u32 = 256;

/// One place at which a value is not what the schema asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaIssue {
    /// Its dotted path; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

static PASSPORT: LazyLock<Value> = LazyLock::new(|| {
    const FILE: Packed = embed!("../../../docs/agent-passport.schema.json");
    serde_json::from_str(&FILE.text()).unwrap_or_default()
});

/// The schema of a passport (JSON Schema 2020-12), as it is published.
pub fn passport_schema() -> &'static Value {
    &PASSPORT
}

/// The same, drawn from the type; for the generated document.
pub fn draw_passport_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Passport>().to_value();
    if let Some(members) = schema.as_object_mut() {
        members.insert(
            "$id".to_owned(),
            json!("urn:local-compliance-engine:schema:agent-passport:1"),
        );
        members.insert("title".to_owned(), json!("Agent passport"));
        // What is unknown is `null` and not absent: the 36 fields are always there.
        members.insert("required".to_owned(), json!(TOP_LEVEL.as_slice()));
    }
    schema
}

/// Checks a value against a schema; an empty list means that it fits. With `lenient`, fields that the schema does not know
/// are allowed.
pub fn check(schema: &Value, value: &Value, lenient: bool) -> Vec<SchemaIssue> {
    let mut checker = Checker {
        root: schema,
        lenient,
        steps: STEPS_MAX,
    };
    let mut issues = Vec::new();
    checker.check(schema, value, "", 0, &mut issues);
    issues.truncate(ISSUES_MAX);
    issues
}

struct Checker<'a> {
    root: &'a Value,
    lenient: bool,
    steps: u32,
}

impl<'a> Checker<'a> {
    fn check(&mut self, schema: &'a Value, value: &Value, path: &str, depth: u32, issues: &mut Vec<SchemaIssue>) {
        let mut refuse = |message: String| {
            if issues.len() < ISSUES_MAX {
                issues.push(SchemaIssue {
                    path: path.to_owned(),
                    message,
                });
            }
        };
        if self.steps == 0 || depth > DEPTH_MAX {
            refuse("too large or too deeply nested to check".to_owned());
            return;
        }
        self.steps -= 1;
        let schema = match schema {
            Value::Bool(false) => {
                refuse("not allowed here".to_owned());
                return;
            }
            Value::Object(schema) => schema,
            _ => return,
        };
        if let Some(wanted) = schema.get("type")
            && !has_type(wanted, value)
        {
            refuse(format!("expected {1}, found {0}", kind(value), words(wanted)));
            return;
        }
        if let Some(only) = schema.get("const")
            && only != value
        {
            refuse(format!("must be {only}"));
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
            refuse(format!("must be one of {}", allowed.join(", ")));
        }
        if let Some(number) = value.as_f64() {
            let bound = |name| schema.get(name).and_then(Value::as_f64);
            if bound("minimum").is_some_and(|least| number < least)
                || bound("maximum").is_some_and(|most| number > most)
            {
                refuse("out of range".to_owned());
            }
        }
        if let Some(text) = value.as_str() {
            let length = text.chars().count() as u64;
            let bound = |name| schema.get(name).and_then(Value::as_u64);
            if bound("minLength").is_some_and(|least| length < least)
                || bound("maxLength").is_some_and(|most| length > most)
            {
                refuse("too short or too long".to_owned());
            }
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer))
        {
            self.check(target, value, path, depth + 1, issues);
        }
        match value {
            Value::Object(members) => self.members(schema, members, path, depth, issues),
            Value::Array(items) => {
                if let Some(of) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        self.check(of, item, &join(path, &index.to_string()), depth + 1, issues);
                    }
                }
            }
            _ => {}
        }
        self.combined(schema, value, path, depth, issues);
    }

    fn members(
        &mut self,
        schema: &'a Map<String, Value>,
        members: &Map<String, Value>,
        path: &str,
        depth: u32,
        issues: &mut Vec<SchemaIssue>,
    ) {
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(name) && issues.len() < ISSUES_MAX {
                issues.push(SchemaIssue {
                    path: join(path, name),
                    message: "missing".to_owned(),
                });
            }
        }
        let known = schema.get("properties").and_then(Value::as_object);
        let other = schema.get("additionalProperties");
        for (name, member) in members {
            let of = known.and_then(|known| known.get(name)).or(match other {
                Some(Value::Bool(false)) if self.lenient => None,
                other => other,
            });
            if let Some(of) = of {
                self.check(of, member, &join(path, name), depth + 1, issues);
            }
        }
    }

    fn combined(
        &mut self,
        schema: &'a Map<String, Value>,
        value: &Value,
        path: &str,
        depth: u32,
        issues: &mut Vec<SchemaIssue>,
    ) {
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        for one in list("allOf").into_iter().flatten() {
            self.check(one, value, path, depth + 1, issues);
        }
        let fits = |checker: &mut Self, one: &'a Value| {
            let mut found = Vec::new();
            checker.check(one, value, path, depth + 1, &mut found);
            found
        };
        if let Some(of) = list("anyOf") {
            let tried: Vec<Vec<SchemaIssue>> = of.iter().map(|one| fits(self, one)).collect();
            if !tried.iter().any(Vec::is_empty) {
                // Of several ways the one that came nearest says what is wrong; `null` is never the nearest.
                let nearest = of
                    .iter()
                    .zip(tried)
                    .filter(|(one, _)| one.get("type").and_then(Value::as_str) != Some("null"))
                    .map(|(_, found)| found)
                    .min_by_key(Vec::len);
                issues.extend(nearest.unwrap_or_default());
            }
        }
        if let Some(of) = list("oneOf") {
            let tried: Vec<Vec<SchemaIssue>> = of.iter().map(|one| fits(self, one)).collect();
            let fitting = tried.iter().filter(|found| found.is_empty()).count();
            let words: Vec<String> = of
                .iter()
                .filter_map(|one| one.get("const"))
                .map(Value::to_string)
                .collect();
            if fitting == 0 && !of.is_empty() && words.len() == of.len() && value.is_string() {
                issues.push(SchemaIssue {
                    path: path.to_owned(),
                    message: format!("must be one of {}", words.join(", ")),
                });
            } else if fitting == 0 {
                issues.extend(tried.into_iter().min_by_key(Vec::len).unwrap_or_default());
            } else if fitting > 1 {
                issues.push(SchemaIssue {
                    path: path.to_owned(),
                    message: "matches several forms of which only one is allowed".to_owned(),
                });
            }
        }
        if let Some(not) = schema.get("not")
            && fits(self, not).is_empty()
        {
            issues.push(SchemaIssue {
                path: path.to_owned(),
                message: "has a form that is not allowed".to_owned(),
            });
        }
    }
}

/// Takes out of a value what its schema does not know and refuses. What is left fits as far as names go.
pub(crate) fn prune(root: &Value, schema: &Value, value: &mut Value, depth: u32) {
    if depth > DEPTH_MAX {
        return;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str)
        && let Some(target) = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer))
    {
        prune(root, target, value, depth + 1);
    }
    match value {
        Value::Object(members) => {
            let known = schema.get("properties").and_then(Value::as_object);
            let other = schema.get("additionalProperties");
            if let (Some(known), Some(Value::Bool(false))) = (known, other) {
                members.retain(|name, _| known.contains_key(name));
            }
            for (name, member) in members {
                if let Some(of) = known.and_then(|known| known.get(name)).or(other) {
                    prune(root, of, member, depth + 1);
                }
            }
        }
        Value::Array(items) => {
            if let Some(of) = schema.get("items") {
                for item in items {
                    prune(root, of, item, depth + 1);
                }
            }
        }
        _ => {}
    }
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    match wanted {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn words(wanted: &Value) -> String {
    let word = |name: &str| match name {
        "array" => "a list".to_owned(),
        "string" => "a string".to_owned(),
        "object" | "integer" => format!("an {name}"),
        "null" => name.to_owned(),
        name => format!("a {name}"),
    };
    match wanted {
        Value::String(name) => word(name),
        Value::Array(names) => {
            let names: Vec<String> = names.iter().filter_map(Value::as_str).map(word).collect();
            names.join(" or ")
        }
        _ => "something else".to_owned(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn join(path: &str, name: &str) -> String {
    let name: String = name.chars().take(80).collect();
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}
