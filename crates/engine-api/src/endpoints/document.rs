//! Compliance documents: one, or all that are due.

use engine::{DocAllReply, DocAllRequest, DocReply, DocRequest, FriaRequest, NotifyRequest, PolicyRequest};
use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Body, Context, Effect, Endpoint, Example, Json};

/// Failures of every route here.
const WRITES: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::UnknownPassport,
    ErrorCode::StateConflict,
    ErrorCode::Impossible,
    ErrorCode::MissingPart,
    ErrorCode::ReadOnly,
];

/// `POST /agent/fria`
pub(super) enum WriteFria {}

impl Endpoint for WriteFria {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/fria";
    const ALIASES: &'static [&'static str] = &["/passport/fria", "/fix/doc/fria"];
    const SUMMARY: &'static str = "Generate the fundamental rights impact assessment of a system (Art. 27)";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "an assessment with what a person stated",
            request: r#"{"path": ".", "name": "main", "organization": "Acme", "assessor": "A. Person", "impact": "Applicants are ranked."}"#,
            status: 200,
        },
        Example {
            name: "a system that Art. 27 does not bind",
            request: r#"{"path": ".", "name": "helpdesk-screening", "organization": "Acme"}"#,
            status: 422,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "name": "no-such-agent"}"#,
            status: 404,
        },
        Example {
            name: "an unknown field",
            request: r#"{"path": ".", "impakt": "x"}"#,
            status: 400,
        },
        Example {
            name: "a folder that does not exist",
            request: r#"{"path": "no-such-folder"}"#,
            status: 400,
        },
    ];

    type Input = Body<FriaRequest>;
    type Output = Json<DocReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.fria(&request)?)).await
    }
}

/// `POST /agent/notify`
pub(super) enum NotifyWorkers {}

impl Endpoint for NotifyWorkers {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/notify";
    const ALIASES: &'static [&'static str] = &["/passport/notify", "/fix/doc/notify"];
    const SUMMARY: &'static str = "Generate the notification of workers about a system (Art. 26(7))";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a notification with a contact",
            request: r#"{"path": ".", "name": "main", "companyName": "Acme", "contactName": "A. Person", "contactEmail": "a@example.org", "deploymentDate": "2027-12-02"}"#,
            status: 200,
        },
        Example {
            name: "a system that Art. 26(7) does not bind",
            request: r#"{"path": ".", "name": "helpdesk-screening", "companyName": "Acme"}"#,
            status: 422,
        },
        Example {
            name: "a date that is none",
            request: r#"{"path": ".", "deploymentDate": "next year"}"#,
            status: 400,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "name": "no-such-agent"}"#,
            status: 404,
        },
    ];

    type Input = Body<NotifyRequest>;
    type Output = Json<DocReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.notify_workers(&request)?))
            .await
    }
}

/// `POST /agent/policy`
pub(super) enum WritePolicy {}

impl Endpoint for WritePolicy {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/policy";
    const ALIASES: &'static [&'static str] = &["/passport/policy", "/fix/doc/policy"];
    const SUMMARY: &'static str = "Generate a policy on the use of AI for an industry (Art. 4, Art. 26(1))";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a policy for employment",
            request: r#"{"path": ".", "name": "main", "industry": "hr", "organization": "Acme", "approver": "A. Person"}"#,
            status: 200,
        },
        Example {
            name: "an unknown industry",
            request: r#"{"path": ".", "industry": "space"}"#,
            status: 400,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "name": "no-such-agent"}"#,
            status: 404,
        },
    ];

    type Input = Body<PolicyRequest>;
    type Output = Json<DocReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.usage_policy(&request)?))
            .await
    }
}

/// `POST /agent/doc`
pub(super) enum WriteDocument {}

impl Endpoint for WriteDocument {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/doc";
    const ALIASES: &'static [&'static str] = &["/passport/doc", "/fix/doc/generate"];
    const SUMMARY: &'static str = "Generate or update one compliance document, or make its draft final";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the screening for prohibited practices",
            request: r#"{"path": ".", "name": "main", "docType": "art5-screening", "organization": null}"#,
            status: 200,
        },
        Example {
            name: "again: edits are kept",
            request: r#"{"path": ".", "name": "main", "docType": "art5-screening", "organization": "Acme"}"#,
            status: 200,
        },
        Example {
            name: "in German: headings and labels change, edits are kept",
            request: r#"{"path": ".", "name": "main", "docType": "art5-screening", "language": "de"}"#,
            status: 200,
        },
        Example {
            name: "a language without texts",
            request: r#"{"path": ".", "name": "main", "docType": "art5-screening", "language": "tlh"}"#,
            status: 400,
        },
        Example {
            name: "a draft with open questions cannot be final",
            request: r#"{"path": ".", "name": "main", "docType": "art5-screening", "finalise": {"name": "A. Person", "date": "2026-11-20"}}"#,
            status: 422,
        },
        Example {
            name: "an unknown type",
            request: r#"{"path": ".", "name": "main", "docType": "novel"}"#,
            status: 422,
        },
        Example {
            name: "a duty of importers and distributors",
            request: r#"{"path": ".", "name": "main", "docType": "distribution-check-record"}"#,
            status: 422,
        },
        Example {
            name: "no type",
            request: r#"{"path": ".", "name": "main"}"#,
            status: 400,
        },
        Example {
            name: "a person without a date",
            request: r#"{"path": ".", "name": "main", "docType": "art5-screening", "finalise": {"name": "A. Person"}}"#,
            status: 400,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "name": "no-such-agent", "docType": "art5-screening"}"#,
            status: 404,
        },
    ];

    type Input = Body<DocRequest>;
    type Output = Json<DocReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.doc(&request)?)).await
    }
}

/// `POST /agent/doc/all`
pub(super) enum WriteAllDocuments {}

impl Endpoint for WriteAllDocuments {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/doc/all";
    const ALIASES: &'static [&'static str] = &["/passport/doc/all", "/fix/doc/all"];
    const SUMMARY: &'static str = "Generate every compliance document that is due, and name the others with the reason";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "every system of the project",
            request: r#"{"path": ".", "organization": "Acme"}"#,
            status: 200,
        },
        Example {
            name: "every system, in French",
            request: r#"{"path": ".", "language": "fr"}"#,
            status: 200,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "name": "no-such-agent"}"#,
            status: 404,
        },
        Example {
            name: "an unknown field",
            request: r#"{"path": ".", "force": true}"#,
            status: 400,
        },
    ];

    type Input = Body<DocAllRequest>;
    type Output = Json<DocAllReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.all_docs(&request)?)).await
    }
}
