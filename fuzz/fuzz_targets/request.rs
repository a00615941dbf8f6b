//! Parses requests strictly: bodies, queries, parameters of paths, headers and routes.

#![no_main]

use engine::{ScanDiffRequest, ScanRequest};
use engine_api::{Body, Empty, Input, LastEventId, Path, Query, ROUTES, Request, Router};
use engine_fuzz::choose;
use http::{HeaderMap, HeaderValue, Method};
use libfuzzer_sys::fuzz_target;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::LazyLock;

/// Fields of every type that a query or a path can have.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "what is read matters here, not what becomes of it")]
struct Fields {
    text: Option<String>,
    number: Option<u32>,
    switch: Option<bool>,
    list: Option<Vec<String>>,
}

#[derive(Clone, Copy)]
enum Part {
    ScanBody,
    DiffBody,
    Query,
    Path,
    LastEventId,
    Route,
}

const PARTS: [Part; 6] = [
    Part::ScanBody,
    Part::DiffBody,
    Part::Query,
    Part::Path,
    Part::LastEventId,
    Part::Route,
];

static ROUTER: LazyLock<Router> = LazyLock::new(|| Router::new(ROUTES));

/// Parses, and asserts that a refusal says why without handing back the whole input.
fn parse<I: Input>(request: &Request) {
    if let Err(failure) = I::parse(request) {
        let shown = failure.to_string();
        assert!(!shown.is_empty() && shown.len() < 4096, "{shown}");
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((part, bytes)) = choose(&PARTS, data) else {
        return;
    };
    let text = || String::from_utf8_lossy(bytes).into_owned();
    let mut request = Request::default();
    match part {
        Part::ScanBody => {
            request.body = bytes.to_vec();
            parse::<Body<ScanRequest>>(&request);
        }
        Part::DiffBody => {
            request.body = bytes.to_vec();
            parse::<Body<ScanDiffRequest>>(&request);
        }
        Part::Query => {
            request.query = Some(text());
            parse::<Query<Fields>>(&request);
            parse::<Empty>(&request);
        }
        Part::Path => {
            request.params = vec![("text".to_owned(), text())];
            parse::<Path<Fields>>(&request);
        }
        Part::LastEventId => {
            if let Ok(value) = HeaderValue::from_bytes(bytes) {
                request.headers =
                    HeaderMap::from_iter([(http::header::HeaderName::from_static("last-event-id"), value)]);
                parse::<LastEventId>(&request);
            }
        }
        Part::Route => {
            let text = text();
            for method in [Method::GET, Method::POST, Method::OPTIONS] {
                // A miss is an answer; only a panic would be wrong.
                let _ = ROUTER.find(&method, &text);
            }
        }
    }
});
