//! Scans, comparisons, and the bill of materials.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{ScanDiffRequest, ScanHooks, ScanReply, ScanRequest};
use engine_model::{ErrorCode, Failure, ScanDiffResult};
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Body, Context, Effect, Endpoint, Example, Json, Published, Query};

/// `POST /scan`
pub(super) enum RunScan {}

impl Endpoint for RunScan {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/scan";
    const SUMMARY: &'static str = "Scan a project directory, store the result and push it to a dashboard on request";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::StateConflict, ErrorCode::MissingPart];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the working directory",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "as a deployer on a date",
            request: r#"{"path": ".", "asOf": "2027-12-02", "role": "deployer", "limit": 5}"#,
            status: 200,
        },
        Example {
            name: "optional fields set to null",
            request: r#"{"path": ".", "asOf": null, "saasToken": null}"#,
            status: 200,
        },
        Example {
            name: "no path",
            request: "{}",
            status: 400,
        },
        Example {
            name: "a directory that does not exist",
            request: r#"{"path": "/no/such/directory"}"#,
            status: 400,
        },
        Example {
            name: "an unknown field",
            request: r#"{"pth": "."}"#,
            status: 400,
        },
        Example {
            name: "pushed to a dashboard",
            request: r#"{"path": ".", "saasToken": "example-token", "saasUrl": "http://127.0.0.1:8700"}"#,
            status: 200,
        },
        Example {
            name: "pushed to a dashboard that cannot be reached",
            request: r#"{"path": ".", "saasToken": "example-token", "saasUrl": "http://127.0.0.1:1"}"#,
            status: 200,
        },
    ];

    type Input = Body<ScanRequest>;
    type Output = Json<ScanReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Ok(Json::written(engine.scan_json(&request)?)))
            .await
    }
}

/// `POST /scan/diff`
pub(super) enum RunScanDiff {}

impl Endpoint for RunScanDiff {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/scan/diff";
    const SUMMARY: &'static str = "Compare a project with its last stored scan";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::NoScanYet,
        ErrorCode::StateConflict,
        ErrorCode::Impossible,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "{}",
            status: 200,
        },
        Example {
            name: "a pull-request comment",
            request: r#"{"path": ".", "changedFiles": ["api/chat.py"], "markdown": true}"#,
            status: 200,
        },
        Example {
            name: "a file name that is not a string",
            request: r#"{"path": ".", "changedFiles": ["api/chat.py", 7]}"#,
            status: 400,
        },
    ];

    type Input = Body<ScanDiffRequest>;
    type Output = Json<Published<ScanDiffResult>>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        // A comparison is not stored, so it ends when its client disconnects.
        let left = Arc::new(AtomicBool::new(false));
        let _guard = SetOnDrop(Arc::clone(&left));
        context
            .work(move |engine| {
                let hooks = ScanHooks {
                    cancel: &|| left.load(Ordering::Relaxed),
                    ..ScanHooks::default()
                };
                Json::of(&Published(engine.scan_diff_with(&request, &hooks)?))
            })
            .await
    }
}

/// Says so when the future that holds it is dropped.
pub(super) struct SetOnDrop(pub(super) Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The query of `GET /sbom`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SbomQuery {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    path: Option<String>,
}

/// A document in the format `CycloneDX` 1.5.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Sbom(Value);

impl JsonSchema for Sbom {
    fn schema_name() -> Cow<'static, str> {
        "Sbom".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A bill of materials in the format CycloneDX 1.5.",
            "externalDocs": { "url": "https://cyclonedx.org/docs/1.5/json/" },
            "type": "object",
            "required": ["bomFormat", "specVersion", "components"],
            "properties": {
                "bomFormat": { "const": "CycloneDX" },
                "specVersion": { "const": "1.5" },
                "components": { "type": "array", "items": { "type": "object" } },
            },
        })
    }
}

/// `GET /sbom`
pub(super) enum GetSbom {}

impl Endpoint for GetSbom {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/sbom";
    const SUMMARY: &'static str = "Return the bill of materials of a project, including models and data";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/sbom",
            status: 200,
        },
        Example {
            name: "a project by its path",
            request: "/sbom?path=%2E",
            status: 200,
        },
        Example {
            name: "a path given twice",
            request: "/sbom?path=.&path=.",
            status: 400,
        },
    ];

    type Input = Query<SbomQuery>;
    type Output = Json<Sbom>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&Sbom(engine.sbom(query.path.as_deref())?)))
            .await
    }
}
