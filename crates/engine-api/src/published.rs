//! Replies with the field names of published clients beside the engine's own. What is stored and signed has none of them.

use std::borrow::Cow;

use engine::{Debt, EvalResult, JurisdictionList, JurisdictionRecord};
use engine_model::ScanDiffResult;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// A reply with two names for some of its fields.
#[derive(Debug)]
pub struct Published<T>(pub T);

/// What published clients read under other names.
pub trait OtherNames: Serialize + JsonSchema {
    /// Adds the other names to the reply.
    fn add(reply: &mut Value);

    /// The schema of the added fields.
    fn properties() -> Value;
}

impl<T: OtherNames> Serialize for Published<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = json!(self.0);
        T::add(&mut value);
        value.serialize(serializer)
    }
}

impl<T: OtherNames> JsonSchema for Published<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Published{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let own = generator.subschema_for::<T>();
        let properties = T::properties();
        json_schema!({
            "description": "The reply, with some fields repeated under the names that existing clients read.",
            "allOf": [own],
            "properties": properties,
        })
    }
}

/// Fields of a result of a probe, and the names under which published clients read them.
const PROBE: [(&str, &str); 4] = [
    ("id", "testId"),
    ("title", "name"),
    ("reason", "reasoning"),
    ("prompt", "probe"),
];

/// Adds the other names to a result of a probe, or to the event about it.
pub(crate) fn name_probe(fields: &mut Map<String, Value>) {
    repeat(fields, &PROBE);
    let time = fields.get("latency").or_else(|| fields.get("elapsed"));
    if let Some(time) = time.and_then(Value::as_f64) {
        fields.insert("latencyMs".to_owned(), json!(engine_model::whole(time)));
    }
}

fn repeat(fields: &mut Map<String, Value>, names: &[(&str, &str)]) {
    for (own, other) in names {
        if let Some(value) = fields.get(*own).cloned() {
            fields.insert((*other).to_owned(), value);
        }
    }
}

/// The objects of a list in a reply.
fn items<'v>(reply: &'v mut Value, list: &str) -> impl Iterator<Item = &'v mut Map<String, Value>> {
    let items = reply.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// The schema of a list whose items repeat fields.
fn list_of(properties: &Value) -> Value {
    json!({ "type": "array", "items": { "type": "object", "properties": properties } })
}

/// Writes a number without its fraction, which published clients read as 0. It is rounded down, so that no threshold is
/// met by rounding.
fn without_fraction(reply: &mut Value, name: &str) {
    if let Some(value) = reply.get_mut(name)
        && let Some(number) = value.as_f64()
    {
        *value = json!(engine_model::whole(number.floor()));
    }
}

impl OtherNames for ScanDiffResult {
    fn add(reply: &mut Value) {
        let exact = |name: &str| reply.get(name).and_then(Value::as_f64).unwrap_or_default();
        let (before, after) = (exact("scoreBefore"), exact("scoreAfter"));
        let exact = json!({ "before": before, "after": after, "delta": exact("scoreDelta") });
        if let Some(fields) = reply.as_object_mut() {
            let [before, after] = [before, after].map(|score| engine_model::whole(score.floor()));
            let delta = i64::try_from(after).unwrap_or_default() - i64::try_from(before).unwrap_or_default();
            fields.insert("scoreBefore".to_owned(), json!(before));
            fields.insert("scoreAfter".to_owned(), json!(after));
            fields.insert("scoreDelta".to_owned(), json!(delta));
            fields.insert("scores".to_owned(), exact);
        }
    }

    fn properties() -> Value {
        let number = json!({ "type": "number" });
        json!({
            "scores": {
                "type": "object",
                "description": "The scores with their fractions. `scoreBefore`, `scoreAfter` and `scoreDelta` are without.",
                "properties": { "before": number, "after": number, "delta": number },
                "required": ["before", "after", "delta"],
            },
        })
    }
}

impl OtherNames for EvalResult {
    fn add(reply: &mut Value) {
        without_fraction(reply, "overallScore");
        without_fraction(reply, "duration");
        let timestamp = reply["timestamp"].clone();
        for fields in items(reply, "results") {
            name_probe(fields);
            fields.insert("timestamp".to_owned(), timestamp.clone());
        }
    }

    fn properties() -> Value {
        json!({
            "results": list_of(&json!({
                "testId": { "type": "string", "description": "The same as `id`." },
                "name": { "type": "string", "description": "The same as `title`." },
                "reasoning": { "type": "string", "description": "The same as `reason`." },
                "probe": { "type": "string", "description": "The same as `prompt`." },
                "latencyMs": { "type": "integer", "description": "`latency` in whole milliseconds." },
                "timestamp": { "type": "string", "description": "The time of the run." },
            })),
        })
    }
}

impl OtherNames for Debt {
    fn add(reply: &mut Value) {
        for fields in items(reply, "breakdown") {
            repeat(fields, &[("kind", "category"), ("item", "description")]);
        }
    }

    fn properties() -> Value {
        json!({
            "breakdown": list_of(&json!({
                "category": { "type": "string", "description": "The same as `kind`." },
                "description": { "type": "string", "description": "The same as `item`." },
            })),
        })
    }
}

impl OtherNames for JurisdictionRecord {
    fn add(reply: &mut Value) {
        if let Some(fields) = reply.as_object_mut() {
            name_country(fields);
        }
    }

    fn properties() -> Value {
        country()
    }
}

impl OtherNames for JurisdictionList {
    fn add(reply: &mut Value) {
        items(reply, "jurisdictions").for_each(name_country);
    }

    fn properties() -> Value {
        json!({ "jurisdictions": list_of(&country()) })
    }
}

fn name_country(fields: &mut Map<String, Value>) {
    let leading = fields.get("market_surveillance_authorities").and_then(|all| all.get(0));
    if let Some(url) = leading.and_then(|leading| leading.get("website")).cloned() {
        fields.insert("msa_url".to_owned(), url);
    }
    let names = [
        ("code", "country_code"),
        ("name", "country_name"),
        ("authority", "msa_name"),
        ("contact", "msa_contact"),
        ("note", "notes"),
    ];
    repeat(fields, &names);
}

fn country() -> Value {
    let same = |own: &str| json!({ "type": ["string", "null"], "description": format!("The same as `{own}`.") });
    json!({
        "country_code": same("code"),
        "country_name": same("name"),
        "msa_name": same("authority"),
        "msa_contact": same("contact"),
        "msa_url": { "type": ["string", "null"], "description": "The web address of the leading authority." },
        "notes": same("note"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_of_a_probe_has_both_names() {
        let mut reply = json!({"timestamp": "t", "overallScore": 59.9, "duration": 1131.9, "results": [
            {"id": "a", "title": "A", "reason": "why", "prompt": "?", "latency": 12.6},
        ]});
        EvalResult::add(&mut reply);
        let one = &reply["results"][0];
        assert_eq!((&reply["overallScore"], &reply["duration"]), (&json!(59), &json!(1131)));
        for (field, value) in [
            ("id", json!("a")),
            ("testId", json!("a")),
            ("name", json!("A")),
            ("reasoning", json!("why")),
            ("probe", json!("?")),
            ("latencyMs", json!(13)),
            ("timestamp", json!("t")),
        ] {
            assert_eq!(one[field], value, "{field}");
        }
    }

    #[test]
    fn scores_of_a_comparison_are_whole_and_exact() {
        let mut reply = json!({"scoreBefore": 45.5, "scoreAfter": 44.0, "scoreDelta": -1.5});
        ScanDiffResult::add(&mut reply);
        assert_eq!(
            reply,
            json!({"scoreBefore": 45, "scoreAfter": 44, "scoreDelta": -1,
                "scores": {"before": 45.5, "after": 44.0, "delta": -1.5}})
        );
    }

    #[test]
    fn a_country_has_both_names() {
        let mut reply = json!({"jurisdictions": [{"code": "XX", "name": "X", "authority": null, "contact": "c",
            "note": null, "market_surveillance_authorities": [{"name": "m", "website": "https://m"}]}]});
        JurisdictionList::add(&mut reply);
        let one = &reply["jurisdictions"][0];
        assert_eq!(
            (&one["country_code"], &one["msa_url"]),
            (&json!("XX"), &json!("https://m"))
        );
        assert_eq!((&one["msa_name"], &one["msa_contact"]), (&Value::Null, &json!("c")));
    }
}
