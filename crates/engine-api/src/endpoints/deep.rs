//! Deep analysis by a language model.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{DeepScanReply, DeepScanRequest, ScanHooks};
use engine_model::{ErrorCode, Failure};
use http::Method;

use super::scan::SetOnDrop;
use crate::{Body, Context, Effect, Endpoint, Example, Json};

/// `POST /scan/deep`
pub(super) enum RunDeepScan {}

impl Endpoint for RunDeepScan {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/scan/deep";
    const ALIASES: &'static [&'static str] = &["/scan/llm"];
    const SUMMARY: &'static str = "Scan a project, then have a language model look again at findings with a confidence of 50 to 80; \
        its verdicts change no status";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::StateConflict,
        ErrorCode::MissingPart,
        ErrorCode::Impossible,
        ErrorCode::RequestTimeout,
        ErrorCode::TargetFailed,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "no language model",
            request: r#"{"path": "."}"#,
            status: 424,
        },
        Example {
            name: "within a budget",
            request: r#"{"path": ".", "maxCost": 0.5, "maxFindings": 10}"#,
            status: 424,
        },
        Example {
            name: "a budget of nothing",
            request: r#"{"path": ".", "maxCost": 0}"#,
            status: 400,
        },
        Example {
            name: "too many findings",
            request: r#"{"path": ".", "maxFindings": 100000}"#,
            status: 400,
        },
        Example {
            name: "no path",
            request: "{}",
            status: 400,
        },
    ];

    type Input = Body<DeepScanRequest>;
    type Output = Json<DeepScanReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        // Questions cost money, so a client that disconnects ends them. A scan that is stored by then stays.
        let left = Arc::new(AtomicBool::new(false));
        let _guard = SetOnDrop(Arc::clone(&left));
        context
            .work(move |engine| {
                let hooks = ScanHooks {
                    cancel: &|| left.load(Ordering::Relaxed),
                    ..ScanHooks::default()
                };
                Json::of(&engine.scan_deep(&request, &hooks)?)
            })
            .await
    }
}
