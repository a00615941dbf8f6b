//! Passports of agents.

use engine::{
    AutonomyReply, CompletenessReply, ExportReply, ExportRequest, ImportReply, ImportRequest, InitReply, InitRequest,
    NamedRequest, PassportDocument, Permissions, RegistryEntry, RenameRequest, ValidationReply,
};
use engine_model::{ErrorCode, Failure};
use http::Method;

use super::agent::ProjectQuery;
use crate::{Body, Context, Effect, Endpoint, Example, Json, Query};

/// Failures of every route here.
const READS: &[ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];

/// Failures of every route here that is about one passport.
const READS_ONE: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::UnknownPassport,
    ErrorCode::StateConflict,
];

/// Failures of every route here that changes passports.
const WRITES: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::UnknownPassport,
    ErrorCode::PassportExists,
    ErrorCode::StateConflict,
    ErrorCode::MissingPart,
    ErrorCode::ReadOnly,
];

/// `POST /agent/init`
pub(super) enum InitPassports {}

impl Endpoint for InitPassports {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/init";
    const SUMMARY: &'static str = "Make passports for the agents of a project, or bring them up to date";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "again, with what a person says",
            request: r#"{"path": ".", "overrides": {"risk_class": "limited", "owner": {"organization": "Acme"}}, "force": true}"#,
            status: 200,
        },
        Example {
            name: "a class that there is not",
            request: r#"{"path": ".", "overrides": {"risk_class": "medium"}, "force": true}"#,
            status: 400,
        },
        Example {
            name: "a field that there is not",
            request: r#"{"path": ".", "overrides": {"onwer.contact": "x"}}"#,
            status: 400,
        },
        Example {
            name: "an agent that there is not",
            request: r#"{"path": ".", "name": "nobody"}"#,
            status: 404,
        },
    ];

    type Input = Body<InitRequest>;
    type Output = Json<InitReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.init_passports(&request)?))
            .await
    }
}

/// `GET /agent/list`
pub(super) enum ListPassports {}

impl Endpoint for ListPassports {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/list";
    const SUMMARY: &'static str = "List the passports of a project";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all",
            request: "/agent/list?path=.",
            status: 200,
        },
        Example {
            name: "a folder that is not there",
            request: "/agent/list?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<Vec<PassportDocument>>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.passports(query.path.as_deref())?))
            .await
    }
}

/// `GET /agent/show`
pub(super) enum ShowPassport {}

impl Endpoint for ShowPassport {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/show";
    const SUMMARY: &'static str = "Show one passport";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS_ONE;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "by its name",
            request: "/agent/show?path=.&name=main",
            status: 200,
        },
        Example {
            name: "a name that there is not",
            request: "/agent/show?path=.&name=nobody",
            status: 404,
        },
    ];

    type Input = Query<NamedRequest>;
    type Output = Json<PassportDocument>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Json::of(&engine.passport(&query)?)).await
    }
}

/// `POST /agent/rename`
pub(super) enum RenamePassport {}

impl Endpoint for RenamePassport {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/rename";
    const SUMMARY: &'static str = "Give an agent another name; the name before is kept in its passport";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "another name",
            request: r#"{"path": ".", "oldName": "main", "newName": "Reception"}"#,
            status: 200,
        },
        Example {
            name: "a name that there is not",
            request: r#"{"path": ".", "oldName": "nobody", "newName": "x"}"#,
            status: 404,
        },
        Example {
            name: "a name that is none",
            request: r#"{"path": ".", "oldName": "Reception", "newName": " "}"#,
            status: 400,
        },
        Example {
            name: "the other way round",
            request: r#"{"path": ".", "oldName": "Reception", "newName": "main"}"#,
            status: 200,
        },
    ];

    type Input = Body<RenameRequest>;
    type Output = Json<PassportDocument>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.rename_passport(&request)?))
            .await
    }
}

/// `GET /agent/validate`
pub(super) enum ValidatePassport {}

impl Endpoint for ValidatePassport {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/validate";
    const SUMMARY: &'static str =
        "Check a passport: its shape, its signature, its spelling, and what code says of it now";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS_ONE;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "by its name",
            request: "/agent/validate?path=.&name=main",
            status: 200,
        },
        Example {
            name: "a name that there is not",
            request: "/agent/validate?path=.&name=nobody",
            status: 404,
        },
    ];

    type Input = Query<NamedRequest>;
    type Output = Json<ValidationReply>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.validate_passport(&query)?))
            .await
    }
}

/// `GET /agent/completeness`
pub(super) enum GetCompleteness {}

impl Endpoint for GetCompleteness {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/completeness";
    const SUMMARY: &'static str = "Tell how much of the passports code or a person supplied";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS_ONE;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all passports",
            request: "/agent/completeness?path=.",
            status: 200,
        },
        Example {
            name: "one passport",
            request: "/agent/completeness?path=.&name=main",
            status: 200,
        },
    ];

    type Input = Query<NamedRequest>;
    type Output = Json<CompletenessReply>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.passport_completeness(&query)?))
            .await
    }
}

/// `GET /agent/autonomy`
pub(super) enum GetAutonomy {}

impl Endpoint for GetAutonomy {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/autonomy";
    const SUMMARY: &'static str = "Tell how much the agents of a project do by themselves, from L1 to L5";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[Example {
        name: "the current project",
        request: "/agent/autonomy?path=.",
        status: 200,
    }];

    type Input = Query<ProjectQuery>;
    type Output = Json<AutonomyReply>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.autonomy(query.path.as_deref())?))
            .await
    }
}

/// `GET /agent/registry`
pub(super) enum GetRegistry {}

impl Endpoint for GetRegistry {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/registry";
    const SUMMARY: &'static str = "List the agents with their passports and what the last scan found in them";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[Example {
        name: "the current project",
        request: "/agent/registry?path=.",
        status: 200,
    }];

    type Input = Query<ProjectQuery>;
    type Output = Json<Vec<RegistryEntry>>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.registry(query.path.as_deref())?))
            .await
    }
}

/// `GET /agent/permissions`
pub(super) enum GetPermissions {}

impl Endpoint for GetPermissions {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/permissions";
    const SUMMARY: &'static str = "Lay the permissions of all agents side by side, with contradictions";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[Example {
        name: "the current project",
        request: "/agent/permissions",
        status: 200,
    }];

    type Input = Query<ProjectQuery>;
    type Output = Json<Permissions>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.permissions(query.path.as_deref())?))
            .await
    }
}

/// `GET /agent/export`
pub(super) enum ExportPassport {}

impl Endpoint for ExportPassport {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/export";
    const SUMMARY: &'static str =
        "Write a passport as an agent card of A2A, or as a sheet of controls of AIUC-1 or the NIST AI RMF";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::UnknownPassport,
        ErrorCode::StateConflict,
        ErrorCode::MissingPart,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "an agent card",
            request: "/agent/export?path=.&name=main&format=a2a",
            status: 200,
        },
        Example {
            name: "controls of AIUC-1",
            request: "/agent/export?path=.&name=main&format=aiuc-1",
            status: 200,
        },
        Example {
            name: "controls of the NIST AI RMF",
            request: "/agent/export?path=.&name=main&format=nist",
            status: 200,
        },
        Example {
            name: "a format that there is not",
            request: "/agent/export?path=.&name=main&format=iso",
            status: 400,
        },
    ];

    type Input = Query<ExportRequest>;
    type Output = Json<ExportReply>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.export_passport(&query)?))
            .await
    }
}

/// `POST /agent/import`
pub(super) enum ImportPassport {}

impl Endpoint for ImportPassport {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/import";
    const SUMMARY: &'static str = "Take over a passport from an agent card, a sheet of controls, or a plain passport";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a passport written by hand",
            request: r#"{"path": ".", "format": "passport", "data": {"name": "Bought bot"}}"#,
            status: 200,
        },
        Example {
            name: "a name that is there already",
            request: r#"{"path": ".", "format": "passport", "data": {"name": "Bought bot"}}"#,
            status: 409,
        },
        Example {
            name: "replacing what is there",
            request: r#"{"path": ".", "format": "passport", "data": {"name": "Bought bot"}, "force": true}"#,
            status: 200,
        },
        Example {
            name: "a card that is none",
            request: r#"{"path": ".", "format": "a2a", "data": {"name": 7}}"#,
            status: 400,
        },
    ];

    type Input = Body<ImportRequest>;
    type Output = Json<ImportReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.import_passport(request)?))
            .await
    }
}
