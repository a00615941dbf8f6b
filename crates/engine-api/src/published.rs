//! Replies with the field names of published clients beside the engine's own. What is stored and signed has none of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use engine::{Debt, EvalResult, FixPreview, JurisdictionList, JurisdictionRecord, StatusReport, eval_grade};
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

/// The highest score from which a published client computes the effect of fixes; it ends with a panic above.
const PREVIEWED_SCORE_MAX: f64 = 99.0;

impl OtherNames for FixPreview {
    fn add(reply: &mut Value) {
        let [current, projected] = ["currentScore", "projectedScore"].map(|name| reply[name].clone());
        if current.as_f64().is_some_and(|score| score > PREVIEWED_SCORE_MAX) {
            reply["currentScore"] = json!(PREVIEWED_SCORE_MAX);
        }
        reply["scores"] = json!({ "current": current, "projected": projected });
    }

    fn properties() -> Value {
        let number = json!({ "type": "number" });
        json!({
            "currentScore": { "type": "number", "description": "The current compliance score, at most 99: published clients read no more." },
            "scores": {
                "type": "object",
                "description": "Both scores as they are.",
                "properties": { "current": number, "projected": number },
                "required": ["current", "projected"],
            },
        })
    }
}

/// The folder in which the engine writes documents. A complete one there is final: a person has signed it with a date.
const OWN_DOCUMENTS: &str = ".compliance/documents/";

impl OtherNames for StatusReport {
    fn add(reply: &mut Value) {
        let mut by_status: BTreeMap<String, u64> = BTreeMap::new();
        for document in items(&mut reply["documents"], "documents") {
            let state = document.get("status").cloned().unwrap_or_default();
            let own = document.get("file").and_then(Value::as_str);
            let status = match state.as_str().unwrap_or_default() {
                // They know no complete document without a review, and show any other word as missing.
                "filled" if own.is_some_and(|file| file.starts_with(OWN_DOCUMENTS)) => "reviewed",
                "filled" => "draft",
                status => status,
            };
            *by_status.entry(status.to_owned()).or_default() += 1;
            document.insert("status".to_owned(), json!(status));
            document.insert("state".to_owned(), state);
        }
        reply["documents"]["byStatus"] = json!(by_status);
        for (part, names) in [
            ("actionPlan", &[("shown", "shownActions")][..]),
            (
                "summary",
                &[
                    ("totalObligations", "obligationsTotal"),
                    ("coveredObligations", "obligationsCovered"),
                ],
            ),
        ] {
            if let Some(fields) = reply[part].as_object_mut() {
                repeat(fields, names);
            }
        }
    }

    fn properties() -> Value {
        let count = |own: &str| json!({ "type": "integer", "description": format!("The same as `{own}`.") });
        json!({
            "documents": { "type": "object", "properties": { "documents": list_of(&json!({
                "status": { "enum": ["reviewed", "draft", "scaffold", "missing"] },
                "state": { "type": "string", "description": "The status, with `filled` for a complete document." },
            })) } },
            "actionPlan": { "type": "object", "properties": {
                "shownActions": count("shown"),
            } },
            "summary": { "type": "object", "properties": {
                "obligationsTotal": count("totalObligations"),
                "obligationsCovered": count("coveredObligations"),
            } },
        })
    }
}

impl OtherNames for EvalResult {
    fn add(reply: &mut Value) {
        if let Some(score) = reply["securityScore"].as_f64() {
            reply["securityGrade"] = json!(eval_grade(score));
        }
        for number in ["overallScore", "securityScore", "duration"] {
            without_fraction(reply, number);
        }
        if reply["grade"].is_null() {
            reply["grade"] = json!("not assessed");
        }
        reply["rating"] = reply["tier"].take();
        let mut kinds = Kinds::default();
        let (timestamp, categories) = (reply["timestamp"].clone(), reply["categories"].clone());
        for fields in items(reply, "results") {
            name_probe(fields);
            fields.insert("timestamp".to_owned(), timestamp.clone());
            if kinds.count(fields) {
                let category = fields.get("category").and_then(Value::as_str).unwrap_or_default();
                let owasp = categories[category]["owasp"][0].as_str().unwrap_or(category);
                // `LLM01` of `LLM01:2025`.
                let owasp = owasp.split(':').next().map(str::to_owned);
                fields.insert("owaspCategory".to_owned(), json!(owasp));
            }
        }
        reply["tier"] = json!(kinds.tier());
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
                "owaspCategory": { "type": "string", "description": "The OWASP category of a security probe, or its own category." },
            })),
            "tier": { "enum": ["basic", "standard", "security", "full"], "description": "The kinds of probes of the run." },
            "rating": { "type": "string", "description": "The grade in words." },
            "grade": { "type": "string", "description": "The grade, or `not assessed`." },
            "overallScore": { "type": ["integer", "null"], "description": "`score` without its fraction." },
            "securityScore": { "type": ["integer", "null"], "description": "Without its fraction." },
            "securityGrade": { "type": "string", "description": "The grade of `securityScore`, where there is one." },
        })
    }
}

/// Which kinds of probes a run has.
#[derive(Default)]
struct Kinds {
    security: bool,
    conformity: bool,
    judged: bool,
}

impl Kinds {
    /// Takes a result in, and says whether its probe is one of security.
    fn count(&mut self, result: &Map<String, Value>) -> bool {
        let is = |name: &str, value: &str| result.get(name).is_some_and(|found| found == value);
        let security = is("group", "security");
        self.security |= security;
        self.conformity |= !security;
        self.judged |= is("method", "llm-judge");
        security
    }

    const fn tier(&self) -> &'static str {
        match (self.security, self.conformity, self.judged) {
            (true, true, _) => "full",
            (true, false, _) => "security",
            (false, _, true) => "standard",
            (false, _, false) => "basic",
        }
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
        let mut reply = json!({"timestamp": "t", "overallScore": 59.9, "duration": 1131.9, "securityScore": 91.5,
        "grade": null, "tier": "low", "categories": {"injection": {"owasp": ["LLM01:2025"]}, "own": {"owasp": []}},
        "results": [
            {"id": "a", "title": "A", "reason": "why", "prompt": "?", "latency": 12.6, "group": "bias"},
            {"id": "b", "group": "security", "category": "injection"},
            {"id": "c", "group": "security", "category": "own"},
        ]});
        EvalResult::add(&mut reply);
        for (field, value) in [
            ("securityScore", json!(91)),
            ("securityGrade", json!("A")),
            ("grade", json!("not assessed")),
            ("tier", json!("full")),
            ("rating", json!("low")),
        ] {
            assert_eq!(reply[field], value, "{field}");
        }
        let owasp = |place: usize| reply["results"][place].get("owaspCategory");
        assert_eq!(
            [owasp(0), owasp(1), owasp(2)],
            [None, Some(&json!("LLM01")), Some(&json!("own"))]
        );
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
    fn the_tier_of_a_run_names_its_kinds_of_probes() {
        let tier = |results: &[(&str, &str)]| {
            let mut kinds = Kinds::default();
            for (group, method) in results {
                kinds.count(json!({ "group": group, "method": method }).as_object().unwrap());
            }
            kinds.tier()
        };
        assert_eq!(tier(&[("bias", "deterministic")]), "basic");
        assert_eq!(tier(&[("bias", "deterministic"), ("bias", "llm-judge")]), "standard");
        assert_eq!(tier(&[("security", "llm-judge")]), "security");
        assert_eq!(tier(&[("security", "deterministic"), ("bias", "llm-judge")]), "full");
    }

    #[test]
    fn a_status_report_has_the_words_that_clients_show() {
        let document = |status: &str, file: &str| json!({"status": status, "file": file});
        let mut reply = json!({
            "documents": {"byStatus": {}, "documents": [
                document("filled", ".compliance/documents/a.md"), document("filled", "docs/b.md"),
                document("draft", "c.md"), {"status": "missing", "file": null},
            ]},
            "actionPlan": {"shown": 1, "totalActions": 3},
            "summary": {"totalObligations": 26, "coveredObligations": 4},
        });
        StatusReport::add(&mut reply);
        let word = |place: usize, name: &str| reply["documents"]["documents"][place][name].as_str().unwrap();
        let words: Vec<[&str; 2]> = (0..4)
            .map(|place| [word(place, "status"), word(place, "state")])
            .collect();
        assert_eq!(
            words,
            [
                ["reviewed", "filled"],
                ["draft", "filled"],
                ["draft", "draft"],
                ["missing", "missing"]
            ]
        );
        assert_eq!(
            reply["documents"]["byStatus"],
            json!({"reviewed": 1, "draft": 2, "missing": 1})
        );
        assert_eq!(reply["actionPlan"]["shownActions"], 1);
        assert_eq!(
            (
                &reply["summary"]["obligationsTotal"],
                &reply["summary"]["obligationsCovered"]
            ),
            (&json!(26), &json!(4))
        );
    }

    #[test]
    fn a_preview_has_the_score_that_clients_read_and_the_exact_one() {
        let previewed = |current: f64| {
            let mut reply = json!({"currentScore": current, "projectedScore": 100.0});
            FixPreview::add(&mut reply);
            reply
        };
        for (current, read) in [(45.5, 45.5), (99.0, 99.0), (99.1, 99.0), (100.0, 99.0)] {
            let scores = json!({"current": current, "projected": 100.0});
            let reply = json!({"currentScore": read, "projectedScore": 100.0, "scores": scores});
            assert_eq!(previewed(current), reply);
        }
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
