//! The state of the daemon.

use engine::{Posture, PostureRequest};
use engine_model::{EngineStatus, ErrorCode, Failure};
use http::Method;

use crate::{Context, Effect, Empty, Endpoint, Example, Json, Query};

/// `GET /status`
pub(super) enum GetStatus {}

impl Endpoint for GetStatus {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/status";
    const SUMMARY: &'static str = "Return the state of the engine and of the last scan";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the state",
            request: "/status",
            status: 200,
        },
        Example {
            name: "an unknown field",
            request: "/status?verbose=true",
            status: 400,
        },
    ];

    type Input = Empty;
    type Output = Json<EngineStatus>;

    async fn call(context: Context, _: Empty) -> Result<Self::Output, Failure> {
        // The status waits for nothing, so it needs no thread of its own and is told while all of them work.
        Json::of(&context.engine().status())
    }
}

/// `GET /status/posture`
pub(super) enum GetPosture {}

impl Endpoint for GetPosture {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/status/posture";
    const SUMMARY: &'static str =
        "Return the last scan in short: score, coverage, groups of obligations and next actions";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::NoScanYet,
        ErrorCode::StateConflict,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/status/posture",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/status/posture?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<PostureRequest>;
    type Output = Json<Posture>;

    async fn call(context: Context, Query(request): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.posture(&request)?)).await
    }
}
