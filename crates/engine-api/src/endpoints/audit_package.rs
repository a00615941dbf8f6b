//! The audit package.

use engine_model::{ErrorCode, Failure};
use http::Method;

use super::agent::ProjectQuery;
use crate::{Context, Download, Effect, Endpoint, Example, Query, TarGz};

/// `GET /agent/audit-package`
pub(super) enum GetAuditPackage {}

impl Endpoint for GetAuditPackage {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/agent/audit-package";
    const SUMMARY: &'static str = "Build the audit package of a project; `engine-verify` checks it offline";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoScanYet,
        ErrorCode::NoProject,
        ErrorCode::StateConflict,
        ErrorCode::MissingPart,
    ];
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
