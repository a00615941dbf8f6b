//! Every example of every route gives its status, and the reply is what the document says.

use std::collections::BTreeMap;

use engine_api::{ROUTES, Route};
use serde_json::{Value, json};

use crate::dashboard::Dashboard;
use crate::support::{Daemon, Reply, example, read_until};
use crate::target::Target;

#[test]
fn every_example_gives_its_status_and_a_reply_of_its_schema() {
    run_examples(|route| Some(route.path));
}

#[test]
#[ignore = "slow: every alias against a daemon, over a minute"]
fn every_alias_answers_as_its_route() {
    let most = ROUTES.iter().map(|route| route.aliases.len()).max().unwrap();
    for nth in 0..most {
        run_examples(|route| match route.aliases.get(nth) {
            Some(alias) => Some(alias),
            // These runs are slow, and no alias rests on one.
            None if ["/redteam/", "/audit/"]
                .iter()
                .any(|prefix| route.path.starts_with(prefix)) =>
            {
                None
            }
            None => Some(route.path),
        });
    }
}

/// Runs the examples of all routes in their order, each under the path that a test names.
fn run_examples(name: impl Fn(&'static Route) -> Option<&'static str>) {
    let project = example("helpdesk");
    let daemon = Daemon::start(project.path(), &[]);
    let document = daemon.get("/openapi.json").json();
    let target = Target::constant("I am an AI system and cannot help with that.");
    let dashboard = Dashboard::start();
    // Ids of shares are random; the examples name this one, and the last share that was made is really meant.
    let mut share = SHARE.to_owned();
    for (route, name) in ROUTES.iter().filter_map(|route| Some((route, name(route)?))) {
        for one in route.examples {
            // Examples name an endpoint on this machine; one is really there.
            let (path, body) = one.parts(route);
            let there = |text: &str| {
                let text = text.replace("127.0.0.1:8000", target.host());
                text.replace("127.0.0.1:8700", dashboard.host()).replace(SHARE, &share)
            };
            let (path, body) = (&there(&path.replacen(route.path, name, 1)), there(body));
            let place = format!("{} {name}: {}", route.method, one.name);
            if route.path == "/events" && one.status == 200 {
                follow(&daemon, path);
                continue;
            }
            let reply = if route.method == "POST" {
                daemon.post(path, &body)
            } else if body.is_empty() {
                daemon.get(path)
            } else {
                daemon.send("GET", path, "Content-Type: application/json\r\n", body.as_bytes())
            };
            assert_eq!(reply.status, one.status, "{place}: {}", reply.body);
            reply.assert_headers();
            if one.status == 200
                && let Some(kind) = file_of(route.path)
            {
                assert_eq!(reply.header("content-type"), kind, "{place}");
                continue;
            }
            if route.path == "/share" && one.status == 200 {
                reply.json()["id"].as_str().unwrap().clone_into(&mut share);
            }
            if route.path == "/agent/audit-package" && one.status == 200 {
                assert_eq!(reply.header("content-type"), "application/gzip", "{place}");
                continue;
            }
            if route.path.ends_with("/stream") && one.status == 200 {
                assert_eq!(reply.header("content-type"), "text/event-stream", "{place}");
                continue;
            }
            if one.status >= 400 && route.is_deprecated_at(name) {
                // Published clients take any JSON for a success, so a failure is a sentence.
                assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8", "{place}");
                assert!(
                    !reply.body.is_empty() && !reply.body.starts_with('{'),
                    "{place}: {}",
                    reply.body
                );
                continue;
            }
            assert_eq!(reply.header("content-type"), "application/json", "{place}");
            let method = route.method.as_str().to_lowercase();
            let response = &document["paths"][name][&method]["responses"][one.status.to_string()];
            let schema = &response["content"]["application/json"]["schema"];
            assert!(
                schema.is_object(),
                "{place}: the document does not describe status {}",
                one.status
            );
            validate(&place, &document, schema, &reply);
        }
    }
}

#[test]
fn paths_of_clients_that_no_route_serves_are_refused_in_a_sentence() {
    let project = example("helpdesk");
    let daemon = Daemon::start(project.path(), &[]);
    for path in [
        "/supply-chain",
        "/cert/test/adversarial",
        "/import/promptfoo",
        "/proxy/start",
    ] {
        let reply = daemon.post(path, "{}");
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (404, "text/plain; charset=utf-8"),
            "{path}"
        );
        assert!(reply.body.contains("not a part of this engine"), "{}", reply.body);
    }
    daemon.get("/supply-chains").assert_failure(404, "unknown-route");
}

/// The id of a share in examples.
const SHARE: &str = "0123456789abcdef0123456789abcdef";

/// The media type of a route that replies with a file.
fn file_of(path: &str) -> Option<&'static str> {
    match path {
        "/badge" => Some("image/svg+xml"),
        "/report/pdf" => Some("application/pdf"),
        _ => None,
    }
}

fn follow(daemon: &Daemon, target: &str) {
    use std::io::Write;

    let mut stream = daemon.connect();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let text = read_until(&mut stream, ": connected");
    let reply = Reply::parse(&text);
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/event-stream"));
    reply.assert_headers();
}

fn validate(place: &str, document: &Value, schema: &Value, reply: &Reply) {
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&whole).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&reply.json())
        .take(5)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{place}: {errors:#?}");
}

#[test]
fn the_shapes_of_the_interface_are_kept() {
    let project = example("helpdesk");
    let daemon = Daemon::start(project.path(), &[]);
    let before = daemon.get("/status").json();
    assert_eq!(before["status"], "ok");
    assert_eq!(before["mode"], "daemon");
    assert_eq!(before["last_scan"], Value::Null);
    assert_eq!(before["pid"], daemon.child.id());
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    for field in [
        "score",
        "frameworks",
        "findings",
        "agents",
        "layers",
        "elapsed",
        "regulationVersion",
    ] {
        assert!(!scan[field].is_null(), "{field}");
    }
    assert!(scan["score"]["compliance"].is_number());
    assert!(scan["layers"]["L4"].is_string());
    let after = daemon.get("/status").json();
    assert_eq!(after["last_scan"], scan["scannedAt"]);
    assert_eq!(after["agents_count"], json!(scan["agents"].as_array().unwrap().len()));
    assert_eq!(after["outbound"], json!([]));
    let greece = daemon.get("/jurisdictions/EL").json();
    assert_eq!(greece, daemon.get("/jurisdictions/gr").json());
    assert!(
        ["name", "authority", "contact", "language"]
            .iter()
            .all(|field| greece.get(field).is_some()),
        "{greece}"
    );
    let sbom = daemon.get("/sbom").json();
    assert_eq!(
        (&sbom["bomFormat"], &sbom["specVersion"]),
        (&json!("CycloneDX"), &json!("1.5"))
    );
}

#[test]
fn head_is_get_without_its_body_and_options_names_the_methods() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path(), &["--read-only"]);
    let head = daemon.send("HEAD", "/frameworks", "", b"");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(
        head.header("content-length"),
        daemon.get("/frameworks").body.len().to_string()
    );
    let options = daemon.send("OPTIONS", "/scan", "", b"");
    assert_eq!((options.status, options.header("allow")), (204, "POST, OPTIONS"));
    options.assert_headers();
}

#[test]
fn the_document_on_the_wire_is_the_one_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path(), &["--read-only"]);
    assert_eq!(daemon.get("/openapi.json").json(), engine_api::openapi());
}

#[test]
fn a_connection_is_kept_for_the_next_request() {
    use std::io::Write;

    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path(), &["--read-only"]);
    let mut stream = daemon.connect();
    let mut seen = BTreeMap::new();
    for number in 0..3 {
        // The body of a GET is ignored, and must not be taken for the next request.
        write!(
            stream,
            "GET /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"
        )
        .unwrap();
        let text = read_until(&mut stream, "\"outbound\":[]}");
        seen.insert(number, Reply::parse(&text).status);
    }
    assert!(seen.values().all(|status| *status == 200), "{seen:?}");
}
