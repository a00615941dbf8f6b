//! Results for a dashboard that the caller names.

use engine::{Secret, SyncKind, SyncReply, SyncRequest, SyncStatus};
use engine_model::{ErrorCode, Failure};
use http::Method;
use http::header::AUTHORIZATION;
use schemars::SchemaGenerator;
use serde_json::json;

use crate::{Body, Context, Effect, Endpoint, Example, Input, InputShape, Json, Query, Request};

/// Failures of every route here that sends results.
const WRITES: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::NoScanYet,
    ErrorCode::StateConflict,
    ErrorCode::MissingPart,
    ErrorCode::ReadOnly,
    ErrorCode::DashboardRefused,
    ErrorCode::DashboardFailed,
    ErrorCode::DashboardTimeout,
    ErrorCode::DashboardConflict,
];

const fn as_it_is(reply: SyncReply) -> SyncReply {
    reply
}

/// Counts the entries of the chain, where the reply otherwise counts ranges of them.
fn in_entries(mut reply: SyncReply) -> SyncReply {
    if let Some(chain) = &reply.evidence {
        let before = chain.before.unwrap_or_default().min(chain.held);
        reply.unchanged = before;
        reply.created = chain.held - before;
        reply.synced = chain.held;
        reply.processed = chain.held;
        reply.failed = chain.total.saturating_sub(chain.held);
    }
    reply
}

macro_rules! push {
    ($(#[doc = $doc:literal])+ $name:ident, $path:literal, $aliases:expr, $instead:expr, $kind:expr, $view:expr, $summary:literal) => {
        $(#[doc = $doc])+
        pub(super) enum $name {}

        impl Endpoint for $name {
            const METHOD: Method = Method::POST;
            const PATH: &'static str = $path;
            const ALIASES: &'static [&'static str] = $aliases;
            const INSTEAD: Option<&'static str> = $instead;
            const SUMMARY: &'static str = $summary;
            const EFFECT: Effect = Effect::Write;
            const ERRORS: &'static [ErrorCode] = WRITES;
            const EXAMPLES: &'static [Example] = &[
                Example {
                    name: "a dashboard on this machine",
                    request: r#"{"token": "example-token", "saasUrl": "http://127.0.0.1:8700"}"#,
                    status: 200,
                },
                Example {
                    name: "no token",
                    request: r#"{"saasUrl": "https://dashboard.example"}"#,
                    status: 424,
                },
                Example {
                    name: "no address",
                    request: r#"{"token": "example-token", "path": "."}"#,
                    status: 424,
                },
                Example {
                    name: "an address without encryption",
                    request: r#"{"token": "example-token", "saasUrl": "http://dashboard.example"}"#,
                    status: 400,
                },
                Example {
                    name: "a dashboard that cannot be reached",
                    request: r#"{"token": "example-token", "saasUrl": "http://127.0.0.1:1", "timeoutMs": 2000}"#,
                    status: 502,
                },
            ];

            type Input = Body<SyncRequest>;
            type Output = Json<SyncReply>;

            async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
                context
                    .work(move |engine| Json::of(&$view(engine.sync($kind, &request)?)))
                    .await
            }
        }
    };
}

push!(
    /// `POST /sync/passport`
    SyncPassports,
    "/sync/passport",
    // The registry of agents is what their passports say.
    &["/sync/registry"],
    None,
    SyncKind::Passport,
    as_it_is,
    "Send the passports of a project to a dashboard"
);
push!(
    /// `POST /sync/scan`
    SyncScan,
    "/sync/scan",
    &[],
    None,
    SyncKind::Scan,
    as_it_is,
    "Send the last scan of a project to a dashboard"
);
push!(
    /// `POST /sync/documents`
    SyncDocuments,
    "/sync/documents",
    &[],
    None,
    SyncKind::Documents,
    as_it_is,
    "Send the documents of a project to a dashboard"
);
push!(
    /// `POST /sync/evidence`
    SyncEvidence,
    "/sync/evidence",
    &[],
    None,
    SyncKind::Evidence,
    as_it_is,
    "Send the new entries of the evidence chain to a dashboard"
);
push!(
    /// `POST /sync/audit`
    SyncAudit,
    "/sync/audit",
    &[],
    Some("/sync/evidence"),
    // The audit trail is the evidence chain.
    SyncKind::Evidence,
    in_entries,
    "Send the new entries of the audit trail to a dashboard; the counts are entries"
);
push!(
    /// `POST /sync/fria`
    SyncFria,
    "/sync/fria",
    &[],
    Some("/sync/documents"),
    SyncKind::Fria,
    as_it_is,
    "Send the fundamental rights impact assessments of a project to a dashboard"
);

/// Token and address of a dashboard, from the body, the query or the `Authorization` header.
#[derive(Debug)]
pub(super) struct Asked(SyncRequest);

impl Input for Asked {
    const TAKES_BODY: bool = true;

    fn parse(request: &Request) -> Result<Self, Failure> {
        let Query(query): Query<SyncRequest> = Query::parse(request)?;
        let without_query = Request {
            query: None,
            ..request.clone()
        };
        let Body(body): Body<SyncRequest> = Body::parse(&without_query)?;
        let token = match body.token.or(query.token) {
            Some(token) => Some(token),
            None => bearer(request)?,
        };
        Ok(Self(SyncRequest {
            token,
            saas_url: body.saas_url.or(query.saas_url),
            path: body.path.or(query.path),
            timeout_ms: body.timeout_ms.or(query.timeout_ms),
        }))
    }

    fn shape(generator: &mut SchemaGenerator) -> InputShape {
        let mut parameters = Query::<SyncRequest>::shape(generator).parameters;
        parameters.push(json!({
            "name": "X-Dashboard-Authorization",
            "in": "header",
            "required": false,
            "description": "The token of the dashboard as `Bearer <token>`, where neither body nor query contains it. `Authorization` is read in the same \
                            way, unless the daemon was started with --token-file: it then contains the token of the daemon.",
            "schema": { "type": "string" },
        }));
        InputShape {
            parameters,
            ..Body::<SyncRequest>::shape(generator)
        }
    }
}

/// The header for daemons that use `Authorization` for their own token.
const DASHBOARD_AUTHORIZATION: &str = "x-dashboard-authorization";

/// The token in a header; the value is not repeated in an error.
fn bearer(request: &Request) -> Result<Option<Secret>, Failure> {
    for name in [DASHBOARD_AUTHORIZATION, AUTHORIZATION.as_str()] {
        let Some(value) = request.headers.get(name) else {
            continue;
        };
        let token = value.to_str().ok().and_then(|text| {
            let (scheme, token) = text.trim().split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            let details = format!("`{name}` must be `Bearer <token>` with the token of the dashboard");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field(name));
        };
        return Ok(Some(Secret::new(token)));
    }
    Ok(None)
}

/// `GET /sync/status`
pub(super) enum GetSyncStatus {}

impl Endpoint for GetSyncStatus {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/sync/status";
    const SUMMARY: &'static str = "Check the token with a dashboard, and show the last synchronisations";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::StateConflict,
        ErrorCode::MissingPart,
        ErrorCode::DashboardRefused,
        ErrorCode::DashboardFailed,
        ErrorCode::DashboardTimeout,
        ErrorCode::DashboardConflict,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "in the body",
            request: r#"/sync/status {"token": "example-token", "saasUrl": "http://127.0.0.1:8700"}"#,
            status: 200,
        },
        Example {
            name: "in the query",
            request: "/sync/status?token=example-token&saasUrl=http://127.0.0.1:8700",
            status: 200,
        },
        Example {
            name: "no token",
            request: "/sync/status?saasUrl=http://127.0.0.1:8700",
            status: 424,
        },
        Example {
            name: "a time that is too long",
            request: "/sync/status?token=example-token&saasUrl=http://127.0.0.1:8700&timeoutMs=3600000",
            status: 400,
        },
        Example {
            name: "a dashboard that cannot be reached",
            request: r#"/sync/status {"token": "example-token", "saasUrl": "http://127.0.0.1:1", "timeoutMs": 2000}"#,
            status: 502,
        },
    ];

    type Input = Asked;
    type Output = Json<SyncStatus>;

    async fn call(context: Context, Asked(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.sync_status(&request)?))
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: Option<&str>, header: Option<(&'static str, &str)>, body: &str) -> Result<SyncRequest, Failure> {
        let mut request = Request {
            query: query.map(str::to_owned),
            body: body.as_bytes().to_vec(),
            ..Request::default()
        };
        if let Some((name, value)) = header {
            request.headers.insert(name, value.parse().unwrap());
        }
        Asked::parse(&request).map(|Asked(request)| request)
    }

    #[test]
    fn given_an_upload_then_the_audit_counts_its_entries() {
        let reply = SyncReply {
            kind: SyncKind::Evidence,
            dashboard: None,
            synced: 2,
            created: 1,
            updated: 0,
            unchanged: 1,
            conflicts: 0,
            failed: 0,
            processed: 2,
            results: Vec::new(),
            evidence: Some(engine::SyncedChain {
                chain: "c".to_owned(),
                before: Some(3),
                held: 12,
                total: 13,
                root: None,
            }),
            complete: false,
            error: None,
            code: None,
            retry_after: None,
            evidence_id: None,
            warnings: Vec::new(),
        };
        let counted = in_entries(reply);
        assert_eq!(
            (counted.synced, counted.created, counted.unchanged, counted.failed),
            (12, 9, 3, 1)
        );
    }

    #[test]
    fn given_a_token_in_several_places_then_the_body_counts_first() {
        let header = ("authorization", "Bearer from-header");
        let all = asked(
            Some("token=from-query&path=p"),
            Some(header),
            r#"{"token": "from-body"}"#,
        )
        .unwrap();
        assert_eq!(all.token, Some(Secret::new("from-body")));
        assert_eq!(all.path.as_deref(), Some("p"));
        let query = asked(Some("token=123456"), Some(header), "").unwrap();
        assert_eq!(query.token, Some(Secret::new("123456")));
        assert_eq!(
            asked(None, Some(header), "").unwrap().token,
            Some(Secret::new("from-header"))
        );
        let own = ("x-dashboard-authorization", "bearer other");
        assert_eq!(asked(None, Some(own), "").unwrap().token, Some(Secret::new("other")));
        assert_eq!(asked(None, None, "").unwrap().token, None);
    }

    #[test]
    fn given_a_wrong_request_then_the_token_is_not_repeated() {
        for (query, header, body) in [
            (Some("token=private-value&token=private-value"), None, ""),
            (Some("tokn=private-value"), None, ""),
            (None, Some(("authorization", "Basic private-value")), ""),
            (None, None, r#"{"token": {"value": "private-value"}}"#),
            (None, None, r#"{"token": ["private-value"]}"#),
            (None, None, r#"{"token": "private-value", "other": 1}"#),
        ] {
            let failure = asked(query, header, body).unwrap_err();
            assert_eq!(failure.code, ErrorCode::InvalidRequest);
            assert!(!failure.to_string().contains("private-value"), "{failure}");
        }
    }
}
