//! External tools: their state, their installation, and a scan that includes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{ScanHooks, ScanRequest, ToolsReply, ToolsUpdateRequest};
use engine_model::{ErrorCode, Failure, ScanResult};
use http::Method;

use super::scan::SetOnDrop;
use crate::{Body, Context, Effect, Empty, Endpoint, Example, Json};

/// `GET /tools/status`
pub(super) enum GetToolsStatus {}

impl Endpoint for GetToolsStatus {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/tools/status";
    const SUMMARY: &'static str = "Return which external tools are installed; installs nothing and opens no connection";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the state",
            request: "/tools/status",
            status: 200,
        },
        Example {
            name: "an unknown field",
            request: "/tools/status?update=true",
            status: 400,
        },
    ];

    type Input = Empty;
    type Output = Json<ToolsReply>;

    async fn call(context: Context, _: Empty) -> Result<Self::Output, Failure> {
        context.work(|engine| Json::of(&engine.tools_status())).await
    }
}

/// `POST /tools/update`
pub(super) enum UpdateTools {}

impl Endpoint for UpdateTools {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/tools/update";
    const SUMMARY: &'static str = "Install the pinned versions of the external tools with the package runner uv";
    // A client that leaves does not stop it: half an installation is of no use.
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::MissingPart, ErrorCode::ReadOnly, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "without the package runner",
            request: "{}",
            status: 424,
        },
        Example {
            name: "an unknown tool",
            request: r#"{"tools": ["lint"]}"#,
            status: 400,
        },
    ];

    type Input = Body<ToolsUpdateRequest>;
    type Output = Json<ToolsReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.update_tools(&request, &|| false)?))
            .await
    }
}

/// `POST /scan/tier2`
pub(super) enum RunTier2Scan {}

impl Endpoint for RunTier2Scan {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/scan/tier2";
    const SUMMARY: &'static str = "Scan a project directory with the external tools too, and store the result";
    // The tools stop when the client leaves. A result that is being stored by then is stored whole.
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::StateConflict, ErrorCode::MissingPart];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "without the package runner",
            request: r#"{"path": "."}"#,
            status: 424,
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
    ];

    type Input = Body<ScanRequest>;
    type Output = Json<ScanResult>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let left = Arc::new(AtomicBool::new(false));
        let _guard = SetOnDrop(Arc::clone(&left));
        context
            .work(move |engine| {
                let hooks = ScanHooks {
                    cancel: &|| left.load(Ordering::Relaxed),
                    ..ScanHooks::default()
                };
                Ok(Json::written(engine.scan_tier2(&request, &hooks)?))
            })
            .await
    }
}
