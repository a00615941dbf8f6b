//! The `OpenAPI` 3.1 document, made from the routes.

use std::collections::BTreeMap;

use engine_model::{ErrorBody, ErrorCode};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::{InputShape, ROUTES, Route, constraints};

/// Failures that every route has.
const COMMON: &[ErrorCode] = &[
    ErrorCode::InvalidRequest,
    ErrorCode::TokenRequired,
    ErrorCode::ForeignHost,
    ErrorCode::ForeignOrigin,
    ErrorCode::RequestTimeout,
    ErrorCode::Busy,
    ErrorCode::HeadersTooLarge,
    ErrorCode::Internal,
];

/// Failures that every route with a body has.
const WITH_BODY: &[ErrorCode] = &[ErrorCode::BodyTooLarge, ErrorCode::NotJson];

/// The document of this interface.
pub fn openapi() -> Value {
    openapi_of(ROUTES)
}

/// The document of a list of routes. The same routes give the same bytes.
pub fn openapi_of(routes: &[Route]) -> Value {
    let settings =
        || SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut inputs = settings().for_deserialize().into_generator();
    let mut outputs = settings().for_serialize().into_generator();
    let error = json!({ "schema": outputs.subschema_for::<ErrorBody>() });

    let read: Vec<InputShape> = routes.iter().map(|route| (route.input)(&mut inputs)).collect();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for (route, mut input) in routes.iter().zip(read) {
        // What is read is described by another generator than what is written: a default makes a field optional only
        // for the reader. Two descriptions of one type get two names, if they differ.
        for value in input.parameters.iter_mut().chain(input.body.as_mut()) {
            mark_inputs(value);
        }
        input.parameters.iter_mut().for_each(constraints::on_parameter);
        for path in route.paths() {
            let operation = operation(route, path, input.clone(), &mut outputs, &error);
            let methods = paths.entry(path).or_default();
            methods.insert(route.method.as_str().to_lowercase(), operation);
        }
    }

    let mut document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Local Compliance Engine",
            "version": engine::VERSION,
            "summary": "Reports the gaps, evidence and open questions of a project under the EU AI Act. Runs as a local daemon.",
            "description": DESCRIPTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{
            "url": "http://localhost:{port}",
            "description": "The daemon on this machine.",
            "variables": { "port": { "default": "3578", "description": "The port given with --port." } },
        }],
        "tags": tags(routes),
        "paths": paths,
        "components": {
            "schemas": schemas(inputs, outputs),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Needed only when the daemon was started with --token-file.",
                },
            },
        },
        // The empty requirement says that the token is optional.
        "security": [{}, { "token": [] }],
    });
    resolve_marks(&mut document);
    // The order of keys must not depend on how a dependency was built.
    document.sort_all_objects();
    document
}

const DESCRIPTION: &str = "The daemon listens on loopback only. It rejects requests whose `Host` does not name this \
    machine, requests with a foreign `Origin`, and cross-site browser requests. Request bodies are JSON in UTF-8, at \
    most 8 MiB; unknown fields are rejected. Times are RFC 3339 in UTC, durations are in milliseconds, scores are \
    numbers from 0 to 100. Results are indicators for a self-assessment, not legal advice.";

/// The operation of a route under its own path or a deprecated one.
fn operation(route: &Route, path: &str, input: InputShape, outputs: &mut SchemaGenerator, error: &Value) -> Value {
    let mut operation = Map::new();
    operation.insert("operationId".to_owned(), json!(operation_id(route, path)));
    operation.insert("summary".to_owned(), json!(route.summary));
    let instead = match route.instead {
        Some(instead) => Some(instead),
        None => (path != route.path).then_some(route.path),
    };
    if let Some(instead) = instead {
        let description = format!("Path for published clients; use `{} {instead}`.", route.method);
        operation.insert("deprecated".to_owned(), json!(true));
        operation.insert("description".to_owned(), json!(description));
    }
    operation.insert("tags".to_owned(), json!([tag(route.path)]));
    if !input.parameters.is_empty() {
        operation.insert("parameters".to_owned(), Value::Array(input.parameters));
    }
    if let Some(schema) = input.body {
        let mut media = json!({ "schema": schema });
        let examples = body_examples(route);
        if !examples.is_empty() {
            media["examples"] = Value::Object(examples);
        }
        let body = json!({ "required": input.body_required, "content": { "application/json": media } });
        operation.insert("requestBody".to_owned(), body);
    }

    let mut output = (route.output)(outputs);
    if output.content_type == "text/event-stream" {
        constraints::frames(&mut output.media);
    }
    let mut responses = Map::new();
    let mut content = Map::new();
    content.insert(output.content_type.to_owned(), output.media);
    responses.insert(
        "200".to_owned(),
        json!({ "description": output.description, "content": content }),
    );
    for (status, codes) in failures(route) {
        let lines: Vec<String> = codes
            .iter()
            .map(|code| format!("`{}`: {}", code.slug(), code.meaning()))
            .collect();
        let content = if instead.is_some() {
            json!({ "text/plain; charset=utf-8": { "schema": { "type": "string" } } })
        } else {
            json!({ "application/json": error })
        };
        let mut response = json!({ "description": lines.join("\n"), "content": content });
        if let Some(headers) = failure_headers(status) {
            response["headers"] = headers;
        }
        responses.insert(status.to_string(), response);
    }
    operation.insert("responses".to_owned(), Value::Object(responses));
    Value::Object(operation)
}

/// Examples of requests that succeed; those that fail are for the tests.
fn body_examples(route: &Route) -> Map<String, Value> {
    // A part that a route needs may be missing: the request itself is a good one.
    let good = route
        .examples
        .iter()
        .filter(|example| matches!(example.status, 200..300 | 424));
    good.filter_map(|example| {
        let value: Value = serde_json::from_str(example.parts(route).1).ok()?;
        let key = example.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        Some((key, json!({ "summary": example.name, "value": value })))
    })
    .collect()
}

fn failures(route: &Route) -> BTreeMap<u16, Vec<ErrorCode>> {
    let body: &[ErrorCode] = if route.takes_body { WITH_BODY } else { &[] };
    let mut failures: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in COMMON.iter().chain(body).chain(route.errors) {
        let codes = failures.entry(code.status().as_u16()).or_default();
        if !codes.contains(code) {
            codes.push(*code);
            codes.sort_unstable();
        }
    }
    failures
}

fn failure_headers(status: u16) -> Option<Value> {
    let (name, description, schema) = match status {
        401 => ("WWW-Authenticate", "`Bearer`.", json!({ "type": "string" })),
        429 => (
            "Retry-After",
            "Seconds to wait before a retry.",
            json!({ "type": "integer", "minimum": 0 }),
        ),
        _ => return None,
    };
    Some(json!({ name: { "description": description, "schema": schema } }))
}

/// `GET /jurisdictions/{code}` as `getJurisdictionsByCode`.
fn operation_id(route: &Route, path: &str) -> String {
    let mut id = route.method.as_str().to_lowercase();
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        let parameter = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
        if parameter.is_some() {
            id.push_str("By");
        }
        for word in parameter.unwrap_or(segment).split(|c: char| !c.is_ascii_alphanumeric()) {
            let mut chars = word.chars();
            id.extend(chars.next().map(|first| first.to_ascii_uppercase()));
            id.push_str(chars.as_str());
        }
    }
    id
}

/// The group of a route: the first part of its path.
fn tag(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or("")
}

fn tags(routes: &[Route]) -> Vec<Value> {
    let mut names: Vec<&str> = routes.iter().map(|route| tag(route.path)).collect();
    names.dedup();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| json!({ "name": name })).collect()
}

const REFERENCE: &str = "#/components/schemas/";

/// Marks a reference into the schemas of inputs, until it is known whether the name is free.
const INPUT_MARK: &str = "#input/";

fn mark_inputs(value: &mut Value) {
    references(value, &mut |reference| {
        if let Some(name) = reference.strip_prefix(REFERENCE) {
            *reference = format!("{INPUT_MARK}{name}");
        }
    });
}

/// The schemas of both kinds in one map. An input whose name stands for something else among the outputs is renamed.
fn schemas(mut inputs: SchemaGenerator, mut outputs: SchemaGenerator) -> Value {
    let mut all = outputs.take_definitions(true);
    let read = inputs.take_definitions(true);
    for (name, mut schema) in read {
        if all.get(&name) == Some(&schema) {
            continue;
        }
        mark_inputs(&mut schema);
        constraints::on_schema(&name, &mut schema);
        let name = if all.contains_key(&name) {
            format!("{name}{INPUT_SUFFIX}")
        } else {
            name
        };
        all.insert(name, schema);
    }
    Value::Object(all)
}

const INPUT_SUFFIX: &str = "Input";

/// Points every marked reference at the name that its schema got in the end.
fn resolve_marks(document: &mut Value) {
    let names: Vec<String> = document["components"]["schemas"]
        .as_object()
        .map(|schemas| schemas.keys().cloned().collect())
        .unwrap_or_default();
    references(document, &mut |reference| {
        if let Some(name) = reference.strip_prefix(INPUT_MARK) {
            let renamed = format!("{name}{INPUT_SUFFIX}");
            let name = if names.contains(&renamed) {
                renamed
            } else {
                name.to_owned()
            };
            *reference = format!("{REFERENCE}{name}");
        }
    });
}

fn references(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| references(item, change)),
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(reference) if key == "$ref" => change(reference),
                    other => references(other, change),
                }
            }
        }
        _ => {}
    }
}
