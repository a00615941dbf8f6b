//! Shared results.

use engine::{RevokeRequest, ShareList, ShareListRequest, ShareRecord, ShareRequest, SharedForm, SharedResult};
use engine_model::{ErrorCode, Failure};
use http::Method;
use http::header::ACCEPT;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::{Body, Context, Effect, Endpoint, Example, Input, InputShape, Json, JsonOrPage, Path, Query, Request};

/// `POST /share`
pub(super) enum CreateShare {}

impl Endpoint for CreateShare {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/share";
    const SUMMARY: &'static str = "Share a result under an address on this machine, until a day";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::NoScanYet,
        ErrorCode::NoRunYet,
        ErrorCode::UnknownJurisdiction,
        ErrorCode::StateConflict,
        ErrorCode::MissingPart,
        ErrorCode::ReadOnly,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the last scan for a week",
            request: r#"{"jurisdiction": "DE", "scanType": "scan", "expirationDays": 7}"#,
            status: 200,
        },
        Example {
            name: "the last scan",
            request: "{}",
            status: 200,
        },
        Example {
            name: "scan and evaluation",
            request: r#"{"path": ".", "scanType": "audit", "language": "fr"}"#,
            status: 200,
        },
        Example {
            name: "too many days",
            request: r#"{"expirationDays": 3650}"#,
            status: 400,
        },
        Example {
            name: "an unknown type",
            request: r#"{"scanType": "everything"}"#,
            status: 400,
        },
        Example {
            name: "an unknown country",
            request: r#"{"jurisdiction": "XX"}"#,
            status: 404,
        },
    ];

    type Input = Body<ShareRequest>;
    type Output = Json<ShareRecord>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.share(&request)?)).await
    }
}

/// The id of a share.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ShareId {
    /// The id of the share.
    id: String,
}

/// The query of a share.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ShareQuery {
    /// The project's folder; any project that is open if absent.
    #[serde(default)]
    path: Option<String>,
}

/// A share, and the form in which a client wants it.
#[derive(Debug)]
pub(super) struct WantedShare {
    id: String,
    path: Option<String>,
    page: bool,
}

impl Input for WantedShare {
    const TAKES_BODY: bool = false;

    fn parse(request: &Request) -> Result<Self, Failure> {
        let Query(ShareQuery { path }) = Query::parse(request)?;
        let without_query = Request {
            query: None,
            ..request.clone()
        };
        let Path(ShareId { id }) = Path::parse(&without_query)?;
        let accept = request.headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        Ok(Self {
            id,
            path,
            page: accept.is_some_and(prefers_page),
        })
    }

    fn shape(generator: &mut SchemaGenerator) -> InputShape {
        let mut parameters = Path::<ShareId>::shape(generator).parameters;
        parameters.extend(Query::<ShareQuery>::shape(generator).parameters);
        InputShape {
            parameters,
            ..InputShape::default()
        }
    }
}

/// Whether a client names HTML before JSON. A browser does; a tool that takes anything gets JSON.
fn prefers_page(accept: &str) -> bool {
    let mut types = accept
        .split(',')
        .map(|part| part.split(';').next().unwrap_or_default().trim());
    types
        .find(|name| name.eq_ignore_ascii_case("text/html") || name.eq_ignore_ascii_case("application/json"))
        .is_some_and(|name| name.eq_ignore_ascii_case("text/html"))
}

/// `GET /share/{id}`
pub(super) enum GetShare {}

impl Endpoint for GetShare {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/share/{id}";
    const SUMMARY: &'static str = "Read a shared result: JSON, or a page with `Accept: text/html`";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::UnknownShare,
        ErrorCode::StateConflict,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a share by its id",
            request: "/share/0123456789abcdef0123456789abcdef",
            status: 200,
        },
        Example {
            name: "an unknown id",
            request: "/share/00000000000000000000000000000000",
            status: 404,
        },
        Example {
            name: "not an id",
            request: "/share/..%2F..",
            status: 404,
        },
    ];

    type Input = WantedShare;
    type Output = JsonOrPage<SharedResult>;

    async fn call(context: Context, wanted: Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(
                move |engine| match engine.shared(&wanted.id, wanted.path.as_deref(), wanted.page)? {
                    SharedForm::Json(bytes) => Ok(JsonOrPage::Json(Json::written(bytes))),
                    SharedForm::Page(bytes) => Ok(JsonOrPage::Page(bytes)),
                },
            )
            .await
    }
}

/// `GET /shares`
pub(super) enum ListShares {}

impl Endpoint for ListShares {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/shares";
    const SUMMARY: &'static str = "List the shared results of a project, also those that have ended";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/shares",
            status: 200,
        },
        Example {
            name: "one",
            request: "/shares?path=.&limit=1",
            status: 200,
        },
        Example {
            name: "none",
            request: "/shares?limit=0",
            status: 400,
        },
    ];

    type Input = Query<ShareListRequest>;
    type Output = Json<ShareList>;

    async fn call(context: Context, Query(request): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.shares(&request)?)).await
    }
}

/// `POST /share/revoke`
pub(super) enum RevokeShare {}

impl Endpoint for RevokeShare {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/share/revoke";
    const SUMMARY: &'static str = "Revoke a shared result: it can no longer be read";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::UnknownShare,
        ErrorCode::StateConflict,
        ErrorCode::MissingPart,
        ErrorCode::ReadOnly,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a share by its id",
            request: r#"{"id": "0123456789abcdef0123456789abcdef"}"#,
            status: 200,
        },
        Example {
            name: "an unknown id",
            request: r#"{"id": "00000000000000000000000000000000"}"#,
            status: 404,
        },
        Example {
            name: "no id",
            request: "{}",
            status: 400,
        },
    ];

    type Input = Body<RevokeRequest>;
    type Output = Json<ShareRecord>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.revoke_share(&request)?))
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::prefers_page;

    #[test]
    fn given_an_accept_header_then_only_a_browser_gets_the_page() {
        assert!(prefers_page("text/html,application/xhtml+xml,*/*;q=0.8"));
        assert!(prefers_page("TEXT/HTML; charset=utf-8"));
        assert!(!prefers_page("application/json, text/html"));
        assert!(!prefers_page("*/*"));
    }
}
