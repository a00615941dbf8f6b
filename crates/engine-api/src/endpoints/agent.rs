//! Evidence and the audit trail.

use engine::{AuditLine, AuditRequest, EvidenceSummary, Report, VerifyRequest};
use engine_model::{ErrorCode, Failure};
use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Context, Effect, Endpoint, Example, Json, Query};

/// The query of a route whose only parameter is the project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectQuery {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub(super) path: Option<String>,
}

/// `GET /agent/evidence`
pub(super) enum GetEvidence {}

impl Endpoint for GetEvidence {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/evidence";
    const ALIASES: &'static [&'static str] = &["/passport/evidence"];
    const SUMMARY: &'static str = "Summarise the evidence chain: its head, its key and its newest entries";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a project",
            request: "/agent/evidence?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/agent/evidence?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<EvidenceSummary>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.evidence(query.path.as_deref())?))
            .await
    }
}

/// `GET /agent/evidence/verify`
pub(super) enum VerifyEvidence {}

impl Endpoint for VerifyEvidence {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/evidence/verify";
    const ALIASES: &'static [&'static str] = &["/passport/evidence/verify"];
    const SUMMARY: &'static str = "Verify the evidence chain: digests, links, signatures and previously seen heads";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "entries added since the last verification",
            request: "/agent/evidence/verify?path=.",
            status: 200,
        },
        Example {
            name: "every entry",
            request: "/agent/evidence/verify?path=.&full=true",
            status: 200,
        },
        Example {
            name: "a value other than true or false",
            request: "/agent/evidence/verify?path=.&full=perhaps",
            status: 400,
        },
    ];

    type Input = Query<VerifyRequest>;
    type Output = Json<Report>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.verify_evidence(&query)?))
            .await
    }
}

/// `GET /agent/audit`
pub(super) enum GetAudit {}

impl Endpoint for GetAudit {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/audit";
    const ALIASES: &'static [&'static str] = &["/passport/audit"];
    const SUMMARY: &'static str = "List entries of the evidence chain, the newest first";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the newest entries",
            request: "/agent/audit?path=.&limit=5",
            status: 200,
        },
        Example {
            name: "scans since a date",
            request: "/agent/audit?path=.&type=scan&since=2026-08-02",
            status: 200,
        },
        Example {
            name: "an invalid time",
            request: "/agent/audit?path=.&since=yesterday",
            status: 400,
        },
        Example {
            name: "a limit above the maximum",
            request: "/agent/audit?path=.&limit=5000",
            status: 400,
        },
    ];

    type Input = Query<AuditRequest>;
    type Output = Json<Vec<AuditLine>>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.audit(&query)?)).await
    }
}
