//! The audit package.

use std::fmt::Write as _;

use engine_model::{ErrorCode, Failure};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;

use super::agent::ProjectQuery;
use crate::{Context, Download, Effect, Endpoint, Example, Json, Query, TarGz};

/// Failures of both routes.
const ERRORS: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoScanYet,
    ErrorCode::NoProject,
    ErrorCode::StateConflict,
    ErrorCode::MissingPart,
];

/// Reply of `GET /agent/audit-package/meta`: what a download would bring now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PackageMeta {
    /// The name of the file.
    name: String,
    /// Its length.
    bytes: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    sha256: String,
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `GET /agent/audit-package/meta`
pub(super) enum GetPackageMeta {}

impl Endpoint for GetPackageMeta {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/audit-package/meta";
    const ALIASES: &'static [&'static str] = &["/passport/audit-package/meta"];
    const SUMMARY: &'static str = "Return name, length and digest of the audit package without its content";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a project",
            request: "/agent/audit-package/meta?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/agent/audit-package/meta?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<PackageMeta>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| {
                let package = engine.audit_package(query.path.as_deref())?;
                Json::of(&PackageMeta {
                    sha256: hexadecimal(&package.sha256),
                    bytes: package.bytes,
                    name: package.name,
                })
            })
            .await
    }
}

/// `GET /agent/audit-package`
pub(super) enum GetAuditPackage {}

impl Endpoint for GetAuditPackage {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/audit-package";
    const ALIASES: &'static [&'static str] = &["/passport/audit-package"];
    const SUMMARY: &'static str = "Build the audit package of a project; `engine-verify` checks it offline";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a project",
            request: "/agent/audit-package?path=.",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/agent/audit-package?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = TarGz;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| {
                let package = engine.audit_package(query.path.as_deref())?;
                Ok(TarGz(Download {
                    bytes: package.bytes,
                    sha256: package.sha256,
                    name: package.name.clone(),
                    content: Box::new(package),
                }))
            })
            .await
    }
}
