//! The contract with a dashboard as an `OpenAPI` 3.1 document, made from the types that are sent and read.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::wire::{
    DocumentItem, ErrorReply, EvidenceReply, EvidenceRequest, Kind, PassportItem, PushReply, PushRequest, ScanItem,
    StatusReply,
};

const DESCRIPTION: &str = "The interface of a dashboard that receives results of the Local Compliance Engine. The engine sends each request with a \
    bearer token over https; plain http is used on loopback only. It repeats a request after the statuses 408, 425, 429, 500, 502, 503 and 504 \
    and after a lost connection, honours `Retry-After`, and follows no redirect to another host. A request with the `Idempotency-Key` of an \
    earlier one is a repetition: answer it like the first one. Both sides ignore fields that they do not know. Replies have at most 512 KiB.";

/// How to keep and check what comes in; the second part of the description.
const CHECKS: &str = include_str!("contract.md");

const STATUSES: [(&str, &str); 7] = [
    (
        "400",
        "The body does not have the form of the contract, or another `version`. The engine reports the error and does not send the request again.",
    ),
    (
        "401",
        "The token is unknown or has ended. The engine reports that the token was refused.",
    ),
    (
        "403",
        "The token may not do this. The engine reports that the token was refused.",
    ),
    (
        "413",
        "The request is too long. The engine sends fewer items at once; a single item counts as rejected.",
    ),
    (
        "429",
        "Too many requests. The engine waits for `Retry-After` within its deadline and sends the request again.",
    ),
    (
        "500",
        "A passing failure. The engine sends the request again after a pause.",
    ),
    (
        "503",
        "Not available now. The engine waits for `Retry-After` within its deadline and sends the request again.",
    ),
];

/// The contract as an `OpenAPI` 3.1 document. The same version of the engine gives the same bytes.
pub fn contract() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into());
    // Every type is described as it is written: a field that may be left out is optional for both sides.
    let mut schemas = settings.for_serialize().into_generator();
    let error = json!(schemas.subschema_for::<ErrorReply>());
    let push = json!(schemas.subschema_for::<PushReply>());
    let evidence = json!(schemas.subschema_for::<EvidenceReply>());
    let status = json!(schemas.subschema_for::<StatusReply>());
    let mut paths = Map::new();
    for kind in Kind::ALL {
        let (summary, body, reply, conflict) = match kind {
            Kind::Passport => (
                "Receive passports of agents",
                json!(schemas.subschema_for::<PushRequest<PassportItem>>()),
                &push,
                PUSH_CONFLICT,
            ),
            Kind::Scan => (
                "Receive the result of a scan",
                json!(schemas.subschema_for::<PushRequest<ScanItem>>()),
                &push,
                PUSH_CONFLICT,
            ),
            Kind::Documents => (
                "Receive documents",
                json!(schemas.subschema_for::<PushRequest<DocumentItem>>()),
                &push,
                PUSH_CONFLICT,
            ),
            Kind::Evidence => (
                "Report the head of the evidence, and receive the next entries",
                json!(schemas.subschema_for::<EvidenceRequest>()),
                &evidence,
                EVIDENCE_CONFLICT,
            ),
        };
        let mut operation = json!({
            "operationId": format!("sync{}", capital(kind.name())),
            "summary": summary,
            "parameters": [{
                "name": "Idempotency-Key",
                "in": "header",
                "required": true,
                "description": "64 hexadecimal digits that are the same for the same route and body.",
                "schema": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
            }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": body } } },
        });
        operation["responses"] = responses(reply, &error, Some((conflict, reply)));
        paths.insert(kind.route(), json!({ "post": operation }));
    }
    paths.insert(
        "/api/sync/status".to_owned(),
        json!({ "get": {
            "operationId": "syncStatus",
            "summary": "Say whether the token is accepted",
            "responses": responses(&status, &error, None),
        } }),
    );
    let mut document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Dashboard of the Local Compliance Engine",
            "version": crate::wire::VERSION.to_string(),
            "summary": "Receives passports, scans, documents and evidence of projects.",
            "description": format!("{DESCRIPTION}\n\n{}", CHECKS.trim_end()),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{
            "url": "{saasUrl}",
            "description": "The address that the user names.",
            "variables": { "saasUrl": { "default": "https://dashboard.example" } },
        }],
        "paths": paths,
        "components": {
            "schemas": definitions(schemas),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
        "security": [{ "token": [] }],
    });
    document.sort_all_objects();
    document
}

const PUSH_CONFLICT: &str = "The dashboard has other versions that it does not replace. It may say more in `results`; every other item counts as a conflict.";

const EVIDENCE_CONFLICT: &str = "The request does not continue the entries of the dashboard. `head` says how many it has. The engine goes on from there if \
    that is a beginning of its chain, else it stops.";

fn responses(reply: &Value, error: &Value, conflict: Option<(&str, &Value)>) -> Value {
    let media = |schema: &Value| json!({ "application/json": { "schema": schema } });
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({ "description": "Done.", "content": media(reply) }),
    );
    for (status, description) in STATUSES {
        let mut response = json!({ "description": description, "content": media(error) });
        if matches!(status, "429" | "503") {
            response["headers"] = json!({ "Retry-After": {
                "description": "Seconds, or a date; with a date the reply also needs `Date`.",
                "schema": { "type": "string" },
            } });
        }
        responses.insert(status.to_owned(), response);
    }
    if let Some((description, schema)) = conflict {
        let either = json!({ "anyOf": [schema, error] });
        responses.insert(
            "409".to_owned(),
            json!({ "description": description, "content": media(&either) }),
        );
    }
    Value::Object(responses)
}

fn definitions(mut schemas: SchemaGenerator) -> Map<String, Value> {
    schemas.take_definitions(true)
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}
