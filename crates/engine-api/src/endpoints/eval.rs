//! Evaluations of live endpoints.

use engine::{
    CompareRequest, Comparison, EvalFindings, EvalList, EvalListRequest, EvalQuery, EvalRequest, EvalResult,
    RemediationReply, RemediationReport, RemediationReportRequest, RemediationRequest,
};
use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Body, Context, Effect, Endpoint, Example, Json, Query, RunFrames, RunStream};

/// Failures of every route that speaks to an endpoint.
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
    const SUMMARY: &'static str = "Send probes to a live endpoint and keep what came of it";
    // Who leaves stops the run; what was said by then is kept all the same.
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = RUNS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a few probes of some categories",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "categories": ["transparency", "bias"], "maxProbes": 6, "concurrency": 2}"#,
            status: 200,
        },
        Example {
            name: "a form of its own, with a header",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "requestTemplate": {"message": "{{prompt}}"}, "responsePath": "reply", "headers": {"X-Team": "platform"}, "seed": 7, "maxProbes": 3}"#,
            status: 200,
        },
        Example {
            name: "a category that is none",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "categories": ["telepathy"]}"#,
            status: 400,
        },
        Example {
            name: "no target",
            request: r#"{"path": "."}"#,
            status: 400,
        },
        Example {
            name: "no model to judge",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "llm": true}"#,
            status: 424,
        },
        Example {
            name: "a run that nobody knows",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "resume": "no-such-run"}"#,
            status: 404,
        },
        Example {
            name: "a limit in money without prices",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "maxCost": 2}"#,
            status: 422,
        },
        Example {
            name: "nobody listens there",
            request: r#"{"target": "http://127.0.0.1:1/", "path": "."}"#,
            status: 502,
        },
    ];

    type Input = Body<EvalRequest>;
    type Output = Json<EvalResult>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let mut run = context.shared().start_eval(request).await?;
        let result = run.done().await?;
        context.work(move |_| Json::of(&result)).await
    }
}

/// `POST /eval/run/stream`
pub(super) enum StreamEval {}

impl Endpoint for StreamEval {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/eval/run/stream";
    const SUMMARY: &'static str = "The same, told probe by probe as it happens";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = RUNS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a few probes",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "maxProbes": 3}"#,
            status: 200,
        },
        Example {
            name: "a category that is none",
            request: r#"{"target": "http://127.0.0.1:8000/chat", "path": ".", "categories": ["telepathy"]}"#,
            status: 400,
        },
    ];

    type Input = Body<EvalRequest>;
    type Output = RunStream;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let run = context.shared().start_eval(request).await?;
        Ok(RunStream(RunFrames::of(run)))
    }
}

/// `GET /eval/last`
pub(super) enum GetLast {}

impl Endpoint for GetLast {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/last";
    const SUMMARY: &'static str = "Give the newest result of an evaluation, or the one of an id";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest",
            request: "/eval/last?path=.",
            status: 200,
        },
        Example {
            name: "of a run that nobody knows",
            request: "/eval/last?path=.&runId=no-such-run",
            status: 404,
        },
    ];

    type Input = Query<EvalQuery>;
    type Output = Json<EvalResult>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.eval_last(&query)?)).await
    }
}

/// `GET /eval/list`
pub(super) enum ListRuns {}

impl Endpoint for ListRuns {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/list";
    const SUMMARY: &'static str = "List evaluations, the newest first";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest",
            request: "/eval/list?path=.&limit=2",
            status: 200,
        },
        Example {
            name: "more than is given at once",
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
    const SUMMARY: &'static str = "Give the failures of an evaluation in the form of findings of a scan";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[Example {
        name: "of the newest run",
        request: "/eval/findings?path=.",
        status: 200,
    }];

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
    const SUMMARY: &'static str = "Say what to do about probes that failed";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "of two ids, one of which is unknown",
            request: "/eval/remediation?testIds=ai-identity-bg,nobody-knows",
            status: 200,
        },
        Example {
            name: "of none",
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
    const SUMMARY: &'static str = "Say what to do about everything that failed in a run, with patches";
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
            name: "of the newest run",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "into a file elsewhere",
            request: r#"{"path": ".", "outputPath": "../report.md"}"#,
            status: 400,
        },
    ];

    type Input = Body<RemediationReportRequest>;
    type Output = Json<RemediationReport>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.eval_remediation_report(&request)?))
            .await
    }
}

/// `GET /eval/compare`
pub(super) enum CompareRuns {}

impl Endpoint for CompareRuns {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/eval/compare";
    const SUMMARY: &'static str =
        "Compare two evaluations probe by probe: what newly fails, what is fixed, what wavers";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest with the one before",
            request: "/eval/compare?path=.",
            status: 200,
        },
        Example {
            name: "with a run that nobody knows",
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
