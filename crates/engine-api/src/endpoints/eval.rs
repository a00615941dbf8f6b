//! Evaluations of live endpoints.

use engine::{
    CompareRequest, Comparison, EvalFindings, EvalFixesReply, EvalFixesRequest, EvalList, EvalListRequest, EvalQuery,
    EvalRequest, EvalResult, RemediationReply, RemediationReportReply, RemediationReportRequest, RemediationRequest,
};
use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Body, Context, Effect, Endpoint, Example, Json, Published, Query, RunFrames, Sse};

/// Failures of every route that calls an endpoint.
pub(super) const RUNS: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::ReadOnly,
    ErrorCode::NoProject,
    ErrorCode::UnknownRun,
    ErrorCode::StateConflict,
    ErrorCode::Impossible,
    ErrorCode::MissingPart,
    ErrorCode::TargetFailed,
    ErrorCode::TargetTimeout,
];

/// Failures of every route that reads runs.
pub(super) const READS: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::NoRunYet,
    ErrorCode::UnknownRun,
    ErrorCode::StateConflict,
];

/// `POST /eval/run`
pub(super) enum RunEval {}

impl Endpoint for RunEval {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/eval/run";
    const SUMMARY: &'static str = "Evaluate a live endpoint with test probes and store the results";
    // A disconnected client stops the run; the results so far are stored.
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = RUNS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a few probes from two categories",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "categories": ["transparency", "bias"], "maxProbes": 6, "concurrency": 2}"#,
            status: 200,
        },
        Example {
            name: "a custom request template and header",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "requestTemplate": {"message": "{{prompt}}"}, "responsePath": "reply", "headers": {"X-Team": "platform"}, "seed": 7, "maxProbes": 3}"#,
            status: 200,
        },
        Example {
            name: "an unknown category",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "categories": ["telepathy"]}"#,
            status: 400,
        },
        Example {
            name: "no target",
            request: r#"{"path": "."}"#,
            status: 400,
        },
        Example {
            name: "no judge model",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "llm": true}"#,
            status: 424,
        },
        Example {
            name: "an unknown run to resume",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "resume": "no-such-run"}"#,
            status: 404,
        },
        Example {
            name: "a cost limit without token prices",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "maxCost": 2}"#,
            status: 422,
        },
        Example {
            name: "an unreachable endpoint",
            request: r#"{"target": "http://127.0.0.1:1/", "path": "."}"#,
            status: 502,
        },
    ];

    type Input = Body<EvalRequest>;
    type Output = Json<Published<EvalResult>>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let mut run = context.shared().start_eval(request).await?;
        let result = run.done().await?;
        context.work(move |_| Json::of(&Published(result))).await
    }
}

/// `POST /eval/run/stream`
pub(super) enum StreamEval {}

impl Endpoint for StreamEval {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/eval/run/stream";
    const SUMMARY: &'static str = "Evaluate a live endpoint and stream the result of each probe";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = RUNS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a few probes",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "maxProbes": 3}"#,
            status: 200,
        },
        Example {
            name: "an unknown category",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "categories": ["telepathy"]}"#,
            status: 400,
        },
    ];

    type Input = Body<EvalRequest>;
    type Output = Sse<RunFrames>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let run = context.shared().start_eval(request).await?;
        Ok(Sse(RunFrames::of(run)))
    }
}

/// `GET /eval/last`
pub(super) enum GetLast {}

impl Endpoint for GetLast {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/last";
    const SUMMARY: &'static str = "Return the newest evaluation, or the one with the given id";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest run",
            request: "/eval/last?path=.",
            status: 200,
        },
        Example {
            name: "an unknown run",
            request: "/eval/last?path=.&runId=no-such-run",
            status: 404,
        },
    ];

    type Input = Query<EvalQuery>;
    type Output = Json<Published<EvalResult>>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&Published(engine.eval_last(&query)?)))
            .await
    }
}

/// `GET /eval/list`
pub(super) enum ListRuns {}

impl Endpoint for ListRuns {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/list";
    const SUMMARY: &'static str = "List evaluations, newest first";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest run",
            request: "/eval/list?path=.&limit=2",
            status: 200,
        },
        Example {
            name: "a limit above the maximum",
            request: "/eval/list?path=.&limit=5000",
            status: 400,
        },
    ];

    type Input = Query<EvalListRequest>;
    type Output = Json<EvalList>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.eval_list(&query)?)).await
    }
}

/// `GET /eval/findings`
pub(super) enum GetFindings {}

impl Endpoint for GetFindings {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/findings";
    const SUMMARY: &'static str = "Return the failures of an evaluation as findings";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest run",
            request: "/eval/findings?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/eval/findings?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<EvalQuery>;
    type Output = Json<EvalFindings>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.eval_findings(&query)?))
            .await
    }
}

/// `GET /eval/remediation`
pub(super) enum GetRemediation {}

impl Endpoint for GetRemediation {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/remediation";
    const SUMMARY: &'static str = "Explain how to fix failed probes";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a known and an unknown probe id",
            request: "/eval/remediation?testIds=ai-identity-bg,no-such-probe",
            status: 200,
        },
        Example {
            name: "no probe ids",
            request: "/eval/remediation",
            status: 400,
        },
    ];

    type Input = Query<RemediationRequest>;
    type Output = Json<RemediationReply>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.eval_remediation(&query)?))
            .await
    }
}

/// `POST /eval/remediation-report`
pub(super) enum WriteRemediationReport {}

impl Endpoint for WriteRemediationReport {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/eval/remediation-report";
    const SUMMARY: &'static str = "Write a report on how to fix every failure of a run, with patches";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::ReadOnly,
        ErrorCode::NoProject,
        ErrorCode::NoRunYet,
        ErrorCode::UnknownRun,
        ErrorCode::StateConflict,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest run",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "an output file outside the project",
            request: r#"{"path": ".", "outputPath": "../report.md"}"#,
            status: 400,
        },
    ];

    type Input = Body<RemediationReportRequest>;
    type Output = Json<RemediationReportReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.eval_remediation_report(&request)?))
            .await
    }
}

/// `POST /eval/apply-fixes`
pub(super) enum ListEvalFixes {}

impl Endpoint for ListEvalFixes {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/eval/apply-fixes";
    const SUMMARY: &'static str = "List what a person must do about the failures of the newest run; no file is changed";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest run",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "an unknown field",
            request: r#"{"path": ".", "apply": true}"#,
            status: 400,
        },
    ];

    type Input = Body<EvalFixesRequest>;
    type Output = Json<EvalFixesReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.eval_fixes(&request)?))
            .await
    }
}

/// `GET /eval/compare`
pub(super) enum CompareRuns {}

impl Endpoint for CompareRuns {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/compare";
    const SUMMARY: &'static str =
        "Compare two evaluations probe by probe: new failures, fixed failures, unstable results";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest run and the one before it",
            request: "/eval/compare?path=.",
            status: 200,
        },
        Example {
            name: "an unknown earlier run",
            request: "/eval/compare?path=.&before=no-such-run",
            status: 404,
        },
    ];

    type Input = Query<CompareRequest>;
    type Output = Json<Comparison>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.eval_compare(&query)?))
            .await
    }
}
