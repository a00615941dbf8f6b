//! Passports of agents.

use engine::{
    AutonomyReply, CompletenessReply, ExportReply, ExportRequest, ImportReply, ImportRequest, InitReply, InitRequest,
    NamedRequest, PassportChanges, PassportDocument, Permissions, RegistryEntry, RenameRequest, ValidationReply,
};
use engine_model::{ErrorCode, Failure};
use http::Method;

use super::agent::ProjectQuery;
use crate::{Body, Context, Effect, Endpoint, Example, Json, Query};

/// Failures of every route here.
pub(super) const READS: &[ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];

/// Failures of every route here that reads one passport.
pub(super) const READS_ONE: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::UnknownPassport,
    ErrorCode::StateConflict,
];

/// Failures of every route here that changes passports.
pub(super) const WRITES: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::UnknownPassport,
    ErrorCode::PassportExists,
    ErrorCode::StateConflict,
    ErrorCode::MissingPart,
    ErrorCode::ReadOnly,
];

/// Failures of an export.
pub(super) const EXPORTS: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::UnknownPassport,
    ErrorCode::StateConflict,
    ErrorCode::MissingPart,
];

/// `POST /agent/init`
pub(super) enum InitPassports {}

impl Endpoint for InitPassports {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/agent/init";
    const SUMMARY: &'static str = "Create or update the passports of the agents of a project";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: r#"{"path": "."}"#,
            status: 200,
        },
        Example {
            name: "again, with details that a person supplied",
            request: r#"{"path": ".", "overrides": {"risk_class": "limited", "owner": {"organization": "Acme"}}, "force": true}"#,
            status: 200,
        },
        Example {
            name: "an unknown risk class",
            request: r#"{"path": ".", "overrides": {"risk_class": "medium"}, "force": true}"#,
            status: 400,
        },
        Example {
            name: "an unknown passport field",
            request: r#"{"path": ".", "overrides": {"onwer.contact": "x"}}"#,
            status: 400,
        },
        Example {
            name: "an unknown agent",
            request: r#"{"path": ".", "name": "no-such-agent"}"#,
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
            name: "a folder that does not exist",
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
            name: "a passport by name",
            request: "/agent/show?path=.&name=main",
            status: 200,
        },
        Example {
            name: "an unknown name",
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
    const ALIASES: &'static [&'static str] = &["/passport/rename"];
    const SUMMARY: &'static str = "Rename an agent; its passport keeps the old name";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a new name",
            request: r#"{"path": ".", "oldName": "main", "newName": "Reception"}"#,
            status: 200,
        },
        Example {
            name: "an unknown name",
            request: r#"{"path": ".", "oldName": "no-such-agent", "newName": "x"}"#,
            status: 404,
        },
        Example {
            name: "a blank name",
            request: r#"{"path": ".", "oldName": "Reception", "newName": " "}"#,
            status: 400,
        },
        Example {
            name: "back to the old name",
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
        "Validate a passport: schema, signature, spelling and agreement with the current code";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS_ONE;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a passport by name",
            request: "/agent/validate?path=.&name=main",
            status: 200,
        },
        Example {
            name: "an unknown name",
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
    const ALIASES: &'static [&'static str] = &["/passport/completeness"];
    const SUMMARY: &'static str = "Report passport completeness by source";
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
        Example {
            name: "an unknown name",
            request: "/agent/completeness?path=.&name=nobody",
            status: 404,
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
    const SUMMARY: &'static str = "Report the autonomy level of each agent, from L1 to L5";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/agent/autonomy?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/agent/autonomy?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<AutonomyReply>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.autonomy(query.path.as_deref())?))
            .await
    }
}

/// `GET /agent/diff`
pub(super) enum ComparePassport {}

impl Endpoint for ComparePassport {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/diff";
    const ALIASES: &'static [&'static str] = &["/passport/diff"];
    const SUMMARY: &'static str = "Compare a passport with what the code gives now, field by field";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS_ONE;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a passport by name",
            request: "/agent/diff?path=.&name=main",
            status: 200,
        },
        Example {
            name: "an unknown name",
            request: "/agent/diff?path=.&name=nobody",
            status: 404,
        },
    ];

    type Input = Query<NamedRequest>;
    type Output = Json<PassportChanges>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.passport_changes(&query)?))
            .await
    }
}

/// `GET /agent/registry`
pub(super) enum GetRegistry {}

impl Endpoint for GetRegistry {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/registry";
    const ALIASES: &'static [&'static str] = &["/passport/registry"];
    const SUMMARY: &'static str = "List the agents with their passports and the findings of the last scan";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/agent/registry?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/agent/registry?path=no-such-folder",
            status: 400,
        },
    ];

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
    const ALIASES: &'static [&'static str] = &["/passport/permissions"];
    const SUMMARY: &'static str = "Compare the permissions of all agents and report contradictions";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = READS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/agent/permissions",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/agent/permissions?path=no-such-folder",
            status: 400,
        },
    ];

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
        "Export a passport as an A2A agent card, or as a control sheet for AIUC-1 or the NIST AI RMF";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = EXPORTS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "an A2A agent card",
            request: "/agent/export?path=.&name=main&format=a2a",
            status: 200,
        },
        Example {
            name: "an AIUC-1 control sheet",
            request: "/agent/export?path=.&name=main&format=aiuc-1",
            status: 200,
        },
        Example {
            name: "a NIST AI RMF control sheet",
            request: "/agent/export?path=.&name=main&format=nist",
            status: 200,
        },
        Example {
            name: "an unknown format",
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
    const ALIASES: &'static [&'static str] = &["/passport/import"];
    const SUMMARY: &'static str = "Import a passport from an agent card, a control sheet or a passport file";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a handwritten passport",
            request: r#"{"path": ".", "format": "passport", "data": {"name": "Bought bot"}}"#,
            status: 200,
        },
        Example {
            name: "a name that exists already",
            request: r#"{"path": ".", "format": "passport", "data": {"name": "Bought bot"}}"#,
            status: 409,
        },
        Example {
            name: "replacing an existing passport",
            request: r#"{"path": ".", "format": "passport", "data": {"name": "Bought bot"}, "force": true}"#,
            status: 200,
        },
        Example {
            name: "an invalid agent card",
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
