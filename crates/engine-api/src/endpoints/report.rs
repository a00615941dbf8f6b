//! Badge and reports.

use engine::{
    BadgeGenerateRequest, BadgeReply, BadgeRequest, PostureRequest, ReportReply, ReportRequest, SavedReport,
    StatusReport,
};
use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Body, Context, Effect, Endpoint, Example, Json, Pdf, Published, Query, Svg};

/// Failures of every route here that writes.
const WRITES: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::NoScanYet,
    ErrorCode::UnknownJurisdiction,
    ErrorCode::StateConflict,
    ErrorCode::MissingPart,
];

/// `GET /badge`
pub(super) enum GetBadge {}

impl Endpoint for GetBadge {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/badge";
    const SUMMARY: &'static str = "Draw the badge of the last scan as SVG";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/badge",
            status: 200,
        },
        Example {
            name: "in German",
            request: "/badge?path=.&language=de",
            status: 200,
        },
        Example {
            name: "an unknown language",
            request: "/badge?language=xx",
            status: 400,
        },
        Example {
            name: "a folder that does not exist",
            request: "/badge?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<BadgeRequest>;
    type Output = Svg;

    async fn call(context: Context, Query(request): Self::Input) -> Result<Self::Output, Failure> {
        context.work(move |engine| Ok(Svg(engine.badge(&request)?))).await
    }
}

/// `POST /badge/generate`
pub(super) enum GenerateBadge {}

impl Endpoint for GenerateBadge {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/badge/generate";
    const SUMMARY: &'static str = "Write the badge and `COMPLIANCE.md` into the project; neither changes a score";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::NoScanYet,
        ErrorCode::StateConflict,
        ErrorCode::MissingPart,
        ErrorCode::ReadOnly,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "{}",
            status: 200,
        },
        Example {
            name: "again",
            request: r#"{"path": ".", "language": "en"}"#,
            status: 200,
        },
        Example {
            name: "an unknown field",
            request: r#"{"path": ".", "lang": "en"}"#,
            status: 400,
        },
    ];

    type Input = Body<BadgeGenerateRequest>;
    type Output = Json<BadgeReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.generate_badge(&request)?))
            .await
    }
}

/// `POST /report/markdown`
pub(super) enum WriteMarkdown {}

impl Endpoint for WriteMarkdown {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/report/markdown";
    const ALIASES: &'static [&'static str] = &["/report/status/markdown"];
    const SUMMARY: &'static str = "Write the report of the last scan as Markdown";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "{}",
            status: 200,
        },
        Example {
            name: "the short edition for an authority in Germany",
            request: r#"{"path": ".", "organization": "Acme", "jurisdiction": "de", "language": "de", "isFree": true}"#,
            status: 200,
        },
        Example {
            name: "an unknown country",
            request: r#"{"path": ".", "jurisdiction": "xx"}"#,
            status: 404,
        },
        Example {
            name: "a file outside the folder of reports",
            request: r#"{"path": ".", "outputPath": "../report.md"}"#,
            status: 400,
        },
        Example {
            name: "a folder that does not exist",
            request: r#"{"path": "no-such-folder"}"#,
            status: 400,
        },
    ];

    type Input = Body<ReportRequest>;
    type Output = Json<ReportReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.report_markdown(&request)?))
            .await
    }
}

/// `POST /report/pdf`
pub(super) enum WritePdf {}

impl Endpoint for WritePdf {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/report/pdf";
    const SUMMARY: &'static str = "Make the report of the last scan as a tagged PDF; the reply is the file";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = WRITES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "for an organisation in France",
            request: r#"{"organization": "Acme", "jurisdiction": "FR", "isFree": false}"#,
            status: 200,
        },
        Example {
            name: "the short edition",
            request: r#"{"path": ".", "isFree": true}"#,
            status: 200,
        },
        Example {
            name: "an unknown country",
            request: r#"{"jurisdiction": "US"}"#,
            status: 404,
        },
        Example {
            name: "a wrong type",
            request: r#"{"isFree": "yes"}"#,
            status: 400,
        },
    ];

    type Input = Body<ReportRequest>;
    type Output = Pdf;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Ok(Pdf(engine.report_pdf(&request)?.bytes)))
            .await
    }
}

/// Failures of a route that saves a file.
const SAVES: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::NoScanYet,
    ErrorCode::UnknownJurisdiction,
    ErrorCode::StateConflict,
    ErrorCode::MissingPart,
    ErrorCode::ReadOnly,
];

/// `GET /report/status`
pub(super) enum GetStatusReport {}

impl Endpoint for GetStatusReport {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/report/status";
    const SUMMARY: &'static str = "Return the status of a project in parts: documents, obligations, passports, actions";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::NoScanYet,
        ErrorCode::StateConflict,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/report/status",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/report/status?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<PostureRequest>;
    type Output = Json<Published<StatusReport>>;

    async fn call(context: Context, Query(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&Published(engine.status_report(&request)?)))
            .await
    }
}

/// `POST /report/status/pdf`
pub(super) enum SavePdf {}

impl Endpoint for SavePdf {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/report/status/pdf";
    const INSTEAD: Option<&'static str> = Some("/report/pdf");
    const SUMMARY: &'static str = "Save the report of the last scan as a tagged PDF; the reply names the file";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = SAVES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "{}",
            status: 200,
        },
        Example {
            name: "a file of another kind",
            request: r#"{"path": ".", "outputPath": "report.txt"}"#,
            status: 400,
        },
    ];

    type Input = Body<ReportRequest>;
    type Output = Json<SavedReport>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.save_report_pdf(&request)?))
            .await
    }
}

/// `POST /report/share`
pub(super) enum SavePage {}

impl Endpoint for SavePage {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/report/share";
    const INSTEAD: Option<&'static str> = Some("/share");
    const SUMMARY: &'static str =
        "Save the report of the last scan as one self-contained page; the reply names the file";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = SAVES;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "{}",
            status: 200,
        },
        Example {
            name: "a file outside the folder of reports",
            request: r#"{"path": ".", "outputPath": "../report.html"}"#,
            status: 400,
        },
    ];

    type Input = Body<ReportRequest>;
    type Output = Json<SavedReport>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.save_report_page(&request)?))
            .await
    }
}
