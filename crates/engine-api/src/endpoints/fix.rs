//! Fixes: preview, apply, undo, history.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{
    ApplyAllReply, ApplyAllRequest, FixHistory, FixHistoryRequest, FixItem, FixPreview, FixPreviewRequest, FixRequest,
    FixResult, ScanHooks, UndoReply, UndoRequest, ValidateReply,
};
use engine_model::{ErrorCode, Failure};
use http::Method;

use super::scan::SetOnDrop;
use crate::{Body, Context, Effect, Endpoint, Example, FixFrames, Json, Published, Query, Sse};

/// Failures of every route that plans fixes.
const PLANS: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::UnknownFinding,
    ErrorCode::StateConflict,
    ErrorCode::Impossible,
    ErrorCode::MissingPart,
    ErrorCode::RequestTimeout,
    ErrorCode::TargetFailed,
];

/// Failures of every route that changes files.
const WRITES: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::ReadOnly,
    ErrorCode::NoProject,
    ErrorCode::UnknownFinding,
    ErrorCode::StateConflict,
    ErrorCode::Impossible,
    ErrorCode::MissingPart,
    ErrorCode::RequestTimeout,
    ErrorCode::TargetFailed,
];

/// `GET /fix/preview`
pub(super) enum PreviewFixes {}

impl Endpoint for PreviewFixes {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/fix/preview";
    const SUMMARY: &'static str =
        "List every fix for the open findings of a project, with diff and effect on the score; nothing is changed";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = PLANS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/fix/preview?path=.",
            status: 200,
        },
        Example {
            name: "one check",
            request: "/fix/preview?path=.&checkId=l4-unhandled-model-failure",
            status: 200,
        },
        Example {
            name: "an unknown check",
            request: "/fix/preview?path=.&checkId=l4-nothing",
            status: 400,
        },
    ];

    type Input = Query<FixPreviewRequest>;
    type Output = Json<Published<FixPreview>>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        let gone = Arc::new(AtomicBool::new(false));
        let _gone = SetOnDrop(Arc::clone(&gone));
        context
            .work(move |engine| {
                let hooks = ScanHooks {
                    cancel: &|| gone.load(Ordering::Relaxed),
                    ..ScanHooks::default()
                };
                Json::of(&Published(engine.preview_fixes(&query, &hooks)?))
            })
            .await
    }
}

/// `POST /fix/preview`
pub(super) enum PreviewFix {}

impl Endpoint for PreviewFix {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/fix/preview";
    const SUMMARY: &'static str = "Plan the fix for one finding; nothing is changed";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = PLANS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the first fix for a check",
            request: r#"{"path": ".", "checkId": "l4-undisclosed-interaction"}"#,
            status: 200,
        },
        Example {
            name: "nothing named",
            request: r#"{"path": "."}"#,
            status: 400,
        },
        Example {
            name: "a finding that is not there",
            request: r#"{"path": ".", "findingId": "no-such-finding"}"#,
            status: 404,
        },
        Example {
            name: "no language model",
            request: r#"{"path": ".", "checkId": "l4-undisclosed-interaction", "useAi": true}"#,
            status: 424,
        },
    ];

    type Input = Body<FixRequest>;
    type Output = Json<FixItem>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.preview_fix(&request, &ScanHooks::default())?))
            .await
    }
}

/// `POST /fix/apply`
pub(super) enum ApplyFix {}

impl Endpoint for ApplyFix {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/fix/apply";
    const SUMMARY: &'static str = "Apply the fix for one finding, then scan what changed";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the first fix for a check",
            request: r#"{"path": ".", "checkId": "l4-unhandled-model-failure"}"#,
            status: 200,
        },
        Example {
            name: "a fix that is no longer the one of the preview",
            request: r#"{"path": ".", "checkId": "l4-undisclosed-interaction", "fixId": "fix-0000000000000000"}"#,
            status: 409,
        },
        Example {
            name: "an unknown check",
            request: r#"{"path": ".", "checkId": "l4-nothing"}"#,
            status: 400,
        },
        Example {
            name: "a finding that is not there",
            request: r#"{"path": ".", "findingId": "no-such-finding"}"#,
            status: 404,
        },
    ];

    type Input = Body<FixRequest>;
    type Output = Json<FixResult>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.apply_fix(&request, &ScanHooks::default())?))
            .await
    }
}

/// `POST /fix/apply-and-validate`
pub(super) enum ApplyAndValidate {}

impl Endpoint for ApplyAndValidate {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/fix/apply-and-validate";
    const SUMMARY: &'static str = "Apply the fix for one finding, scan again, and report whether the finding is gone";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "with the parser of the language",
            request: r#"{"path": ".", "checkId": "l4-undisclosed-interaction", "toolchain": true}"#,
            status: 200,
        },
        Example {
            name: "nothing named",
            request: r#"{"path": "."}"#,
            status: 400,
        },
    ];

    type Input = Body<FixRequest>;
    type Output = Json<ValidateReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.apply_and_validate(&request, &ScanHooks::default())?))
            .await
    }
}

/// `POST /fix/apply-all`
pub(super) enum ApplyAll {}

impl Endpoint for ApplyAll {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/fix/apply-all";
    const SUMMARY: &'static str = "Apply every fix that is safe to apply unattended, then scan again";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all safe fixes",
            request: r#"{"projectPath": "."}"#,
            status: 200,
        },
        Example {
            name: "all fixes for one check, also those that ask a person to decide",
            request: r#"{"path": ".", "checkId": "l3-unpinned-ai-dependency", "guided": true}"#,
            status: 200,
        },
        Example {
            name: "an unknown field",
            request: r#"{"path": ".", "force": true}"#,
            status: 400,
        },
    ];

    type Input = Body<ApplyAllRequest>;
    type Output = Json<ApplyAllReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.apply_all(&request, &|_| {}, &ScanHooks::default())?))
            .await
    }
}

/// `POST /fix/apply-all/stream`
pub(super) enum StreamApplyAll {}

impl Endpoint for StreamApplyAll {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/fix/apply-all/stream";
    const SUMMARY: &'static str = "Apply every safe fix and stream the progress";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all safe fixes",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "an unknown check",
            request: r#"{"path": ".", "checkId": 7}"#,
            status: 400,
        },
    ];

    type Input = Body<ApplyAllRequest>;
    type Output = Sse<FixFrames>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        Ok(Sse(FixFrames::of(context.shared(), request)))
    }
}

/// `POST /fix/undo`
pub(super) enum UndoFix {}

impl Endpoint for UndoFix {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/fix/undo";
    const SUMMARY: &'static str =
        "Undo a fix: every changed file gets its bytes and permissions back, or nothing changes";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::ReadOnly,
        ErrorCode::NoProject,
        ErrorCode::UnknownFix,
        ErrorCode::StateConflict,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest fix",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "a fix that does not exist",
            request: r#"{"path": ".", "id": 4711}"#,
            status: 404,
        },
        Example {
            name: "a number as text",
            request: r#"{"path": ".", "id": "last"}"#,
            status: 400,
        },
    ];

    type Input = Body<UndoRequest>;
    type Output = Json<UndoReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.undo_fix(&request, &ScanHooks::default())?))
            .await
    }
}

/// `GET /fix/history`
pub(super) enum GetFixHistory {}

impl Endpoint for GetFixHistory {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/fix/history";
    const SUMMARY: &'static str = "List all fixes of a project with their diffs and whether they can be undone";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/fix/history?path=.",
            status: 200,
        },
        Example {
            name: "a limit that is not a number",
            request: "/fix/history?path=.&limit=many",
            status: 400,
        },
    ];

    type Input = Query<FixHistoryRequest>;
    type Output = Json<FixHistory>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.fix_history(&query)?)).await
    }
}
