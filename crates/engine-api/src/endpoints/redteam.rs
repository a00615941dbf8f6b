//! Attacks on agents, and the audit that joins a scan and an evaluation.

use engine::{AuditRunReply, AuditRunRequest, Engine, EvalQuery, RedTeamReport, RedTeamRequest};
use engine_model::{ErrorCode, Failure};
use http::Method;

use super::eval::{READS, RUNS};
use crate::{Body, Context, Effect, Endpoint, Example, Json, Query};

/// `POST /redteam/run`
pub(super) enum RunRedTeam {}

impl Endpoint for RunRedTeam {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/redteam/run";
    const SUMMARY: &'static str = "Run attack probes against the endpoint of an agent and store the results";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::ReadOnly,
        ErrorCode::NoProject,
        ErrorCode::UnknownPassport,
        ErrorCode::UnknownRun,
        ErrorCode::StateConflict,
        ErrorCode::Impossible,
        ErrorCode::MissingPart,
        ErrorCode::TargetFailed,
        ErrorCode::TargetTimeout,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a few attacks on an address",
            request: r#"{"path": ".", "target": "http://127.0.0.1:8000/chat", "categories": ["injection", "jailbreak"], "maxProbes": 4}"#,
            status: 200,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "agentName": "no such agent"}"#,
            status: 404,
        },
        Example {
            name: "an unknown category",
            request: r#"{"path": ".", "target": "http://127.0.0.1:8000/chat", "categories": ["sorcery"]}"#,
            status: 400,
        },
    ];

    type Input = Body<RedTeamRequest>;
    type Output = Json<RedTeamReport>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let mut run = context.shared().start_redteam(request).await?;
        let report = run.done().await?;
        context.work(move |_| Json::of(&report)).await
    }
}

/// `GET /redteam/last`
pub(super) enum GetLast {}

impl Endpoint for GetLast {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/redteam/last";
    const SUMMARY: &'static str = "Return the newest red-team report, or the one with the given id";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest report",
            request: "/redteam/last?path=.",
            status: 200,
        },
        Example {
            name: "an unknown run",
            request: "/redteam/last?path=.&runId=no-such-run",
            status: 404,
        },
    ];

    type Input = Query<EvalQuery>;
    type Output = Json<RedTeamReport>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.redteam_last(&query)?))
            .await
    }
}

/// `POST /audit/run`
pub(super) enum RunAudit {}

impl Endpoint for RunAudit {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/audit/run";
    const SUMMARY: &'static str =
        "Scan a project, evaluate its endpoint, and combine the scores: 40 % scan, 60 % evaluation";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = RUNS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a few probes",
            request: r#"{"path": ".", "target": "http://127.0.0.1:8000/chat", "maxProbes": 5}"#,
            status: 200,
        },
        Example {
            name: "no target",
            request: r#"{"path": "."}"#,
            status: 400,
        },
    ];

    type Input = Body<AuditRunRequest>;
    type Output = Json<AuditRunReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let (scan, mut run) = context.shared().start_audit(request).await?;
        let eval = run.done().await?;
        context.work(move |_| Json::of(&Engine::audit_reply(scan, eval))).await
    }
}
