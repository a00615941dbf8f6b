//! What holds for every route, and how strictly input is read.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::{Clock, Engine, Options, ScanRequest};
use engine_model::{ErrorBody, ErrorCode, Failure};
use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::*;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    deep: Option<bool>,
    #[serde(default)]
    limit: Option<u32>,
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    name: Option<String>,
}

fn read(body: &str) -> Result<Wanted, Failure> {
    strict::body(body.as_bytes())
}

fn refused<T: std::fmt::Debug>(result: Result<T, Failure>) -> (String, String) {
    let failure = result.unwrap_err();
    assert_eq!(failure.code, ErrorCode::InvalidRequest);
    (failure.field.unwrap_or_default(), failure.details)
}

fn asked(query: &str) -> Result<Wanted, Failure> {
    let request = Request {
        query: Some(query.to_owned()),
        ..Request::default()
    };
    Query::<Wanted>::parse(&request).map(|Query(wanted)| wanted)
}

#[test]
fn an_unknown_field_is_named_with_the_nearest_known_one() {
    let (field, details) = refused(read(r#"{"limt": 5}"#));
    assert_eq!(field, "limt");
    assert!(details.contains("did you mean `limit`?"), "{details}");
    let (field, details) = refused(asked("nmae=x"));
    assert_eq!(field, "nmae");
    assert!(details.contains("did you mean `name`?"), "{details}");
    let (field, _) = refused(read(r#"{"limt": null}"#));
    assert_eq!(field, "limt", "null does not hide a field that nobody knows");
}

#[test]
fn a_wrong_type_is_named_by_its_dotted_path() {
    let (field, details) = refused(read(r#"{"only": ["a", {"b": 1}]}"#));
    assert_eq!(
        (field.as_str(), details.as_str()),
        ("only.1", "`only.1` must be a string, but is an object")
    );
    let (field, details) = refused(read(r#"{"limit": -1}"#));
    assert_eq!(field, "limit");
    assert!(details.contains("a whole number from 0 to 4294967295"), "{details}");
}

#[test]
fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
    for (text, number) in [
        ("5", 5),
        ("5.0", 5),
        ("5e2", 500),
        ("-0.0", 0),
        ("4294967295.0", u32::MAX),
    ] {
        let body = format!("{{\"limit\": {text}}}");
        assert_eq!(read(&body).unwrap().limit, Some(number), "{text}");
    }
    for (text, given) in [
        ("5.5", "a number with a fraction"),
        ("1e300", "another number"),
        ("-5.0", "another number"),
        ("4294967296", "another number"),
    ] {
        let (field, details) = refused(read(&format!("{{\"limit\": {text}}}")));
        assert_eq!(field, "limit");
        assert!(details.ends_with(&format!(", but is {given}")), "{text}: {details}");
    }
}

#[test]
fn a_value_is_not_repeated_in_the_answer() {
    let (_, details) = refused(read(r#"{"limit": "my secret token"}"#));
    assert!(!details.contains("secret"), "{details}");
}

#[test]
fn a_missing_field_is_named() {
    let (field, _) = refused(strict::body::<ScanRequest>(b""));
    assert_eq!(field, "path");
}

#[test]
fn a_repeated_key_is_refused_at_every_depth() {
    assert_eq!(refused(read(r#"{"limit": 1, "limit": 2}"#)).0, "limit");
    let (field, details) = refused(read(r#"{"only": [{"a": {"b": 1, "b": 2}}]}"#));
    assert_eq!(
        (field.as_str(), details.as_str()),
        ("only.0.a.b", "`only.0.a.b` is given twice; give it once")
    );
}

#[test]
fn an_empty_body_and_null_are_what_is_absent() {
    let nothing = Wanted {
        deep: None,
        limit: None,
        only: Vec::new(),
        name: None,
    };
    for body in ["", "  \n", "{}", r#"{"only": null, "limit": null}"#] {
        assert_eq!(read(body).unwrap(), nothing, "{body}");
    }
}

#[test]
fn what_is_not_one_json_object_is_refused() {
    for body in [
        "[]",
        "5",
        "\"{}\"",
        "null",
        "{} {}",
        "{}x",
        "{",
        "{'a': 1}",
        "{\"limit\": 1,}",
        "\u{feff}{}",
        "{\"name\": \"\\ud800\"}",
    ] {
        assert_eq!(read(body).unwrap_err().code, ErrorCode::InvalidRequest, "{body}");
    }
    assert!(strict::body::<Wanted>(b"{\"name\": \"\xff\"}").is_err());
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let (_, details) = refused(read(&format!(r#"{{"only": {deep}}}"#)));
    assert!(details.contains("nested too deeply"), "{details}");
}

#[test]
fn a_long_foreign_name_is_cut() {
    let body = format!(r#"{{"{}": 1}}"#, "x".repeat(1_000_000));
    let (field, details) = refused(read(&body));
    assert!(field.chars().count() < 100 && details.chars().count() < 400);
}

#[test]
fn a_query_is_read_by_the_types_of_its_fields() {
    let wanted = asked("deep=true&limit=5&only=a,b%2Cc&name=5+%C3%A9").unwrap();
    let only = ["a", "b", "c"].map(String::from).to_vec();
    assert_eq!(
        wanted,
        Wanted {
            deep: Some(true),
            limit: Some(5),
            only,
            name: Some("5 é".to_owned())
        }
    );
    assert_eq!(refused(asked("limit=many")).0, "limit");
    assert_eq!(refused(asked("deep=yes")).0, "deep");
    assert_eq!(refused(asked("name=a&name=b")).0, "name");
    for broken in ["name=%", "name=%4", "name=%zz", "name=%ff", "%zz=1"] {
        refused(asked(broken));
    }
}

#[test]
fn the_nearest_route_is_named() {
    let router = Router::new(ROUTES);
    let miss = router.find(&Method::GET, "/statsu").unwrap_err();
    assert_eq!(miss.failure.code, ErrorCode::UnknownRoute);
    assert!(
        miss.failure.details.contains("`GET /status`"),
        "{}",
        miss.failure.details
    );
    assert!(router.find(&Method::GET, &"/x".repeat(10_000)).is_err());
    assert!(router.find(&Method::GET, "").is_err());
    assert!(router.find(&Method::GET, "/jurisdictions/").is_err());
}

#[test]
fn a_wrong_method_is_told_the_right_ones() {
    let router = Router::new(ROUTES);
    let miss = router.find(&Method::GET, "/scan").unwrap_err();
    assert_eq!(miss.allow.as_deref(), Some("POST, OPTIONS"));
    let miss = router.find(&Method::DELETE, "/jurisdictions/de").unwrap_err();
    assert_eq!(miss.allow.as_deref(), Some("GET, HEAD, OPTIONS"));
    assert!(
        matches!(router.find(&Method::OPTIONS, "/scan").unwrap(), Found::Options(allow) if allow == "POST, OPTIONS")
    );
    assert!(
        matches!(router.find(&Method::HEAD, "/status").unwrap(), Found::Route(route, _) if route.path == "/status")
    );
}

/// Statuses of requests that are as they should be. A part that a route needs may be missing: `tests/it` runs the routes with a language model.
const WELL_FORMED: [u16; 2] = [200, 424];

#[test]
fn every_route_can_be_found_and_has_examples() {
    let router = Router::new(ROUTES);
    let mut seen = BTreeSet::new();
    for route in ROUTES {
        for path in route.paths() {
            assert!(seen.insert((route.method.as_str(), path)), "{path} twice");
            let found = router.find(&route.method, &path.replace(['{', '}'], "")).unwrap();
            assert!(
                matches!(found, Found::Route(found, _) if std::ptr::eq(found, route)),
                "{path}"
            );
        }
        assert!(
            route
                .examples
                .iter()
                .any(|example| WELL_FORMED.contains(&example.status)),
            "{}",
            route.path
        );
        // The interface puts token and address of this one into the body of a `GET`.
        let body_of_get = route.path == "/sync/status";
        assert_eq!(
            route.takes_body,
            route.method == Method::POST || body_of_get,
            "{}",
            route.path
        );
        assert!(!route.summary.ends_with('.'), "{}", route.path);
        for example in route.examples {
            assert!(
                example.request.starts_with('/') == (!route.takes_body || body_of_get || route.path.contains('{')),
                "{}: {}",
                route.path,
                example.name
            );
        }
    }
}

#[test]
fn every_input_refuses_what_it_does_not_know() {
    let document = openapi();
    for (path, method, operation) in operations(&document) {
        if let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") {
            let schema = resolve(&document, schema);
            assert_eq!(schema["additionalProperties"], json!(false), "{method} {path}");
        }
    }
}

fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap();
            methods
                .iter()
                .map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
        })
        .collect()
}

fn resolve<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(&reference[1..]).unwrap(),
        None => schema,
    }
}

fn all_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| all_references(item, found)),
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(reference) if key == "$ref" => {
                        found.insert(reference.clone());
                    }
                    other => all_references(other, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_document_is_whole() {
    let document = openapi();
    assert_eq!(document["openapi"], "3.1.1");
    let known: BTreeSet<&str> = [
        "openapi",
        "info",
        "jsonSchemaDialect",
        "servers",
        "tags",
        "paths",
        "components",
        "security",
    ]
    .into();
    assert_eq!(
        document
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect::<BTreeSet<_>>(),
        known
    );
    assert_eq!(
        operations(&document).len(),
        ROUTES.iter().flat_map(Route::paths).count()
    );

    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let place = format!("{method} {path}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{place}");
        assert!(operation["summary"].is_string(), "{place}");
        let responses = operation["responses"].as_object().unwrap();
        for (status, response) in responses {
            assert!(
                status.len() == 3 && response["description"].is_string(),
                "{place} {status}"
            );
            let content = response["content"].as_object().unwrap();
            assert!(
                content.values().all(|media| media.get("schema").is_some()),
                "{place} {status}"
            );
        }
        assert!(
            ["200", "400", "403", "500"]
                .iter()
                .all(|status| responses.contains_key(*status)),
            "{place}"
        );
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let in_path: BTreeSet<&str> = parameters
            .iter()
            .filter(|one| one["in"] == "path")
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        let expected: BTreeSet<&str> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .collect();
        assert_eq!(in_path, expected, "{place}");
        assert!(
            parameters
                .iter()
                .all(|one| one["schema"].is_object() && one["description"].is_string()),
            "{place}"
        );
        if method == "post" {
            let media = &operation["requestBody"]["content"]["application/json"];
            let examples = media["examples"].as_object().unwrap();
            let schema = json!({ "$ref": media["schema"]["$ref"], "components": document["components"] });
            let validator = jsonschema::validator_for(&schema).unwrap();
            for (name, example) in examples {
                assert!(validator.is_valid(&example["value"]), "{place}: {name}");
            }
        }
    }
}

#[test]
fn an_alias_is_described_as_its_route_and_marked_as_deprecated() {
    let document = openapi();
    let mut count = 0;
    for route in ROUTES {
        let method = route.method.as_str().to_lowercase();
        let own = &document["paths"][route.path][&method];
        assert_eq!(own["deprecated"] == true, route.instead.is_some(), "{}", route.path);
        for alias in route.aliases {
            let operation = &document["paths"][*alias][&method];
            assert_eq!(operation["deprecated"], true, "{alias}");
            assert!(
                operation["description"].as_str().unwrap().contains(route.path),
                "{alias}"
            );
            for part in ["requestBody", "parameters", "tags"] {
                assert_eq!(operation[part], own[part], "{alias}");
            }
            // The clients of these paths print a failure as it comes: it is a sentence.
            let (replies, own) = (&operation["responses"], &own["responses"]);
            assert_eq!(
                replies.as_object().unwrap().len(),
                own.as_object().unwrap().len(),
                "{alias}"
            );
            for (status, reply) in replies.as_object().unwrap() {
                assert_eq!(reply["description"], own[status]["description"], "{alias} {status}");
                let failed = !status.starts_with('2');
                assert_eq!(
                    reply["content"]["text/plain; charset=utf-8"].is_object(),
                    failed,
                    "{alias} {status}"
                );
                if !failed {
                    assert_eq!(*reply, own[status], "{alias} {status}");
                }
            }
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn every_reference_resolves_and_every_schema_is_used() {
    let document = openapi();
    let mut found = BTreeSet::new();
    all_references(&document, &mut found);
    for reference in &found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(
            found.contains(&format!("#/components/schemas/{name}")),
            "{name} is described and not used"
        );
    }
}

#[test]
fn every_schema_is_a_valid_json_schema() {
    let document = openapi();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(jsonschema::meta::is_valid(schema), "{name}");
    }
}

#[test]
fn the_document_is_the_same_every_time() {
    let bytes = |document: &Value| serde_json::to_string(document).unwrap();
    assert_eq!(bytes(&openapi()), bytes(&openapi()));
}

fn context() -> Context {
    let clock = Clock {
        now: || jiff::Timestamp::UNIX_EPOCH,
        new_id: || "id".to_owned(),
    };
    let options = Options {
        working_dir: std::env::temp_dir(),
        project: None,
        read_only: true,
        clock,
        signing: engine::Signing::default(),
    };
    Context::new(Arc::new(Engine::start(options).unwrap()))
}

#[tokio::test(flavor = "current_thread")]
async fn more_work_than_there_are_slots_is_refused_with_a_time_to_come_back() {
    let context = context();
    let (let_go, waiting) = std::sync::mpsc::channel::<()>();
    let waiting = Arc::new(std::sync::Mutex::new(waiting));
    let mut tasks = Vec::new();
    for _ in 0..WORK_MAX {
        let (context, waiting) = (context.clone(), Arc::clone(&waiting));
        tasks.push(tokio::spawn(async move {
            context
                .work(move |_| {
                    let _ = waiting.lock().unwrap().recv();
                    Ok(())
                })
                .await
        }));
    }
    tokio::task::yield_now().await;
    let failure = context.work(|_| Ok(())).await.unwrap_err();
    assert_eq!((failure.code, failure.retry_after), (ErrorCode::Busy, Some(2)));
    drop(let_go);
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    context.work(|_| Ok(())).await.unwrap();
}

#[test]
fn an_error_on_the_wire_has_its_fields() {
    let body: ErrorBody = Failure::new(ErrorCode::InvalidPath, "why").field("path").body();
    let value = serde_json::to_value(body).unwrap();
    assert_eq!(
        value,
        json!({ "error": "Bad request", "status": 400, "details": "why", "code": "invalid-path", "message": "why", "field": "path" })
    );
}
