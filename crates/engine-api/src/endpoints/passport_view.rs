//! Passports as published clients read them: the same facts under other names. A view is not signed; the passport itself has its own route.

use std::borrow::Cow;
use std::collections::BTreeMap;

use engine::{
    AutonomyEvidence, AutonomyReply, CompletenessReply, ExportReply, ExportRequest, InitReply, InitRequest,
    NamedRequest, NotMade, PassportDocument, ValidationReply,
};
use engine_model::{ErrorCode, Failure};
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::agent::ProjectQuery;
use super::passport::{EXPORTS, READS, READS_ONE, WRITES};
use crate::{Body, Context, Effect, Endpoint, Example, Json, Query};

/// A passport with the names and forms that published clients read.
#[derive(Debug, Serialize)]
pub(super) struct PassportView(Value);

impl JsonSchema for PassportView {
    fn schema_name() -> Cow<'static, str> {
        "PassportView".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let part = |properties: Value| json!({ "type": ["object", "null"], "properties": properties });
        json_schema!({
            "description": "A passport for published clients. It is not the signed file: some fields have other names and forms.",
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "autonomy_level": { "type": ["string", "null"], "description": "`L1` to `L5`." },
                "framework": { "type": ["string", "null"], "description": "`framework.name` of the passport." },
                "model": part(json!({ "model_id": { "type": ["string", "null"], "description": "`model.name` of the passport." } })),
                "compliance": part(json!({
                    "complior_score": { "type": ["number", "null"], "description": "The score of the agent in the last scan." },
                })),
                "source": part(json!({
                    "confidence": { "type": "number", "description": "The share of required fields with a value from code or a person, 0 to 1." },
                })),
                "signature": part(json!({ "signed_at": { "type": ["string", "null"], "description": "`updated` of the passport." } })),
            },
            "required": ["name"],
        })
    }
}

impl PassportView {
    fn of(document: &PassportDocument, scores: &BTreeMap<String, f64>) -> Self {
        let mut view = document.to_value();
        let text = |path: &str| document.text_at(path).map(str::to_owned);
        if let Some(level) = document.get("autonomy_level").and_then(Value::as_u64) {
            view["autonomy_level"] = json!(format!("L{level}"));
        }
        view["framework"] = json!(text("framework.name"));
        set(&mut view, "model", "model_id", json!(text("model.name")));
        let score = scores.get(document.agent_id());
        set(&mut view, "compliance", "complior_score", json!(score));
        set(&mut view, "signature", "signed_at", json!(text("updated")));
        let share = engine::passport_completeness(document) / 100.0;
        set(&mut view, "source", "confidence", json!(share));
        Self(view)
    }
}

/// Sets a member of a part. A part that a person wrote in another form is replaced, because clients could not read it.
fn set(view: &mut Value, part: &str, name: &str, value: Value) {
    if !view[part].is_object() {
        view[part] = Value::Object(Map::new());
    }
    view[part][name] = value;
}

fn views(documents: &[PassportDocument], scores: &BTreeMap<String, f64>) -> Vec<PassportView> {
    let views = documents.iter().map(|document| PassportView::of(document, scores));
    views.collect()
}

/// Reply of `POST /passport/init`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct InitView {
    /// The created and updated passports.
    manifests: Vec<PassportView>,
    /// Their files, relative to the project.
    saved_paths: Vec<String>,
    /// Names of agents whose passport was not changed.
    skipped: Vec<String>,
    /// The same agents, each with the reason.
    unchanged: Vec<NotMade>,
    /// Whether the AI Act applies to the project; without an AI system, no passport is created.
    applicability: String,
    /// The reason.
    reason: String,
}

impl InitView {
    fn of(reply: InitReply, scores: &BTreeMap<String, f64>) -> Self {
        Self {
            manifests: views(&reply.manifests, scores),
            saved_paths: reply.saved_paths,
            skipped: reply.skipped,
            unchanged: reply.unchanged,
            applicability: reply.applicability,
            reason: reply.reason,
        }
    }
}

/// `POST /passport/init`
pub(super) enum InitPassportViews {}

impl Endpoint for InitPassportViews {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/passport/init";
    const INSTEAD: Option<&'static str> = Some("/agent/init");
    const SUMMARY: &'static str = "Create or update the passports of the agents of a project, for published clients";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: r#"{"path": ".", "force": true}"#,
            status: 200,
        },
        Example {
            name: "an unknown passport field",
            request: r#"{"path": ".", "overrides": {"onwer.contact": "x"}}"#,
            status: 400,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "name": "no-such-agent"}"#,
            status: 404,
        },
    ];

    type Input = Body<InitRequest>;
    type Output = Json<InitView>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| {
                let reply = engine.init_passports(&request)?;
                let scores = engine.agent_scores(request.path.as_deref())?;
                Json::of(&InitView::of(reply, &scores))
            })
            .await
    }
}

/// `GET /passport/list`
pub(super) enum ListPassportViews {}

impl Endpoint for ListPassportViews {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/passport/list";
    const INSTEAD: Option<&'static str> = Some("/agent/list");
    const SUMMARY: &'static str = "List the passports of a project, for published clients";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all",
            request: "/passport/list?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/passport/list?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<Vec<PassportView>>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| {
                let path = query.path.as_deref();
                Json::of(&views(&engine.passports(path)?, &engine.agent_scores(path)?))
            })
            .await
    }
}

/// `GET /passport/show`
pub(super) enum ShowPassportView {}

impl Endpoint for ShowPassportView {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/passport/show";
    const INSTEAD: Option<&'static str> = Some("/agent/show");
    const SUMMARY: &'static str = "Return one passport by its name or id, for published clients";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS_ONE;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a passport by name",
            request: "/passport/show?path=.&name=main",
            status: 200,
        },
        Example {
            name: "an unknown name",
            request: "/passport/show?path=.&name=nobody",
            status: 404,
        },
    ];

    type Input = Query<NamedRequest>;
    type Output = Json<PassportView>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| {
                let document = engine.passport(&query)?;
                let scores = engine.agent_scores(query.path.as_deref())?;
                Json::of(&PassportView::of(&document, &scores))
            })
            .await
    }
}

/// The results of a validation with the names and forms that published clients read.
#[derive(Debug, Serialize)]
pub(super) struct ValidationView(Value);

impl JsonSchema for ValidationView {
    fn schema_name() -> Cow<'static, str> {
        "ValidationView".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let completeness = generator.subschema_for::<CompletenessReply>();
        json_schema!({
            "description": "The reply of `GET /agent/validate`, with some fields in the form that published clients read.",
            "type": "object",
            "properties": {
                "valid": { "type": "boolean" },
                "schemaValid": { "type": "boolean" },
                "signatureValid": { "type": "boolean" },
                "completeness": {
                    "description": "As in `GET /agent/completeness`; only `score` for a passport that cannot be read.",
                    "anyOf": [completeness, {
                        "type": "object",
                        "properties": { "score": { "type": "number" } },
                        "required": ["score"],
                    }],
                },
                "errors": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "field": { "type": "string", "description": "The same as `path`." },
                            "message": { "type": "string" },
                        },
                        "required": ["field", "message"],
                    },
                },
                "warnings": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["valid", "schemaValid", "signatureValid", "completeness", "errors", "warnings"],
        })
    }
}

impl ValidationView {
    fn of(reply: &ValidationReply, completeness: Option<CompletenessReply>) -> Self {
        let mut view = json!(reply);
        let whole = json!({ "score": reply.validation.completeness });
        view["completeness"] = completeness.map_or(whole, |reply| json!(reply));
        for error in view["errors"].as_array_mut().into_iter().flatten() {
            error["field"] = error["path"].clone();
        }
        let warnings = reply
            .validation
            .warnings
            .iter()
            .map(|warning| match warning.path.as_str() {
                "" => warning.message.clone(),
                path => format!("{path}: {}", warning.message),
            });
        view["warnings"] = warnings.collect();
        Self(view)
    }
}

/// `GET /passport/validate`
pub(super) enum ValidatePassportView {}

impl Endpoint for ValidatePassportView {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/passport/validate";
    const INSTEAD: Option<&'static str> = Some("/agent/validate");
    const SUMMARY: &'static str = "Validate a passport, for published clients";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS_ONE;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a passport by name",
            request: "/passport/validate?path=.&name=main",
            status: 200,
        },
        Example {
            name: "an unknown name",
            request: "/passport/validate?path=.&name=nobody",
            status: 404,
        },
    ];

    type Input = Query<NamedRequest>;
    type Output = Json<ValidationView>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| {
                let reply = engine.validate_passport(&query)?;
                Json::of(&ValidationView::of(&reply, engine.passport_completeness(&query).ok()))
            })
            .await
    }
}

/// Reply of `GET /passport/autonomy`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AutonomyView {
    /// The highest level of an agent, `L1` to `L5`; null without agents.
    level: Option<String>,
    /// The agents.
    agents: Vec<AgentAutonomyView>,
    /// The summary, in a sentence.
    summary: String,
}

/// The autonomy of one agent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AgentAutonomyView {
    /// Its name.
    name: String,
    /// The level, `L1` to `L5`; null if unknown.
    level: Option<String>,
    /// The kind of program.
    agent_type: Option<String>,
    /// The basis of the level.
    evidence: AutonomyEvidence,
}

impl AutonomyView {
    fn of(reply: AutonomyReply) -> Self {
        let agents = reply.agents.into_iter().map(|agent| AgentAutonomyView {
            name: agent.name,
            level: agent.level.map(|level| format!("L{level}")),
            agent_type: agent.agent_type,
            evidence: agent.evidence,
        });
        Self {
            agents: agents.collect(),
            level: reply.level,
            summary: reply.summary,
        }
    }
}

/// `GET /passport/autonomy`
pub(super) enum GetAutonomyView {}

impl Endpoint for GetAutonomyView {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/passport/autonomy";
    const INSTEAD: Option<&'static str> = Some("/agent/autonomy");
    const SUMMARY: &'static str = "Report the autonomy level of each agent, for published clients";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/passport/autonomy?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/passport/autonomy?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<AutonomyView>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&AutonomyView::of(engine.autonomy(query.path.as_deref())?)))
            .await
    }
}

/// Reply of `GET /passport/export`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExportView {
    /// The export.
    #[serde(flatten)]
    reply: ExportReply,
    /// The file with the export, relative to the project. Published clients print it; where the engine is read-only, it says so.
    saved_path: String,
}

/// What published clients print as the place of an export that a read-only engine replies with.
const NOT_SAVED: &str = "not saved: the engine is read-only; GET /agent/export replies with it";

/// `GET /passport/export`
pub(super) enum ExportPassportView {}

impl Endpoint for ExportPassportView {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/passport/export";
    const INSTEAD: Option<&'static str> = Some("/agent/export");
    const SUMMARY: &'static str = "Export a passport to a file below `.compliance/reports/`, for published clients";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = EXPORTS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a NIST AI RMF control sheet",
            request: "/passport/export?path=.&name=main&format=nist",
            status: 200,
        },
        Example {
            name: "an unknown format",
            request: "/passport/export?path=.&name=main&format=iso",
            status: 400,
        },
    ];

    type Input = Query<ExportRequest>;
    type Output = Json<ExportView>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| {
                let (reply, file) = engine.save_export(&query)?;
                let saved_path = file.unwrap_or_else(|| NOT_SAVED.to_owned());
                Json::of(&ExportView { reply, saved_path })
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_the_facts_of_the_passport_under_the_other_names() {
        let passport = json!({
            "agent_id": "a", "name": "Desk", "autonomy_level": 4, "updated": "2026-11-29T00:00:00Z",
            "framework": {"name": "openai", "packages": []}, "model": {"name": "m", "provider": "p"},
            "compliance": {"eu_ai_act": {"risk_class": "limited"}}, "signature": {"algorithm": "ed25519"},
        });
        let document = PassportDocument::parse(passport.to_string().as_bytes()).unwrap();
        let PassportView(view) = PassportView::of(&document, &BTreeMap::from([("a".to_owned(), 33.0)]));
        for (pointer, value) in [
            ("/autonomy_level", json!("L4")),
            ("/framework", json!("openai")),
            ("/model/model_id", json!("m")),
            ("/model/provider", json!("p")),
            ("/compliance/complior_score", json!(33.0)),
            ("/compliance/eu_ai_act/risk_class", json!("limited")),
            ("/signature/signed_at", json!("2026-11-29T00:00:00Z")),
            ("/signature/algorithm", json!("ed25519")),
        ] {
            assert_eq!(view.pointer(pointer), Some(&value), "{pointer}");
        }
        let PassportView(unscored) = PassportView::of(&document, &BTreeMap::new());
        assert_eq!(unscored["compliance"]["complior_score"], Value::Null);
    }
}
