//! Frameworks and jurisdictions.

use engine::{FrameworkList, JurisdictionList, JurisdictionRecord};
use engine_model::{ErrorCode, Failure};
use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Context, Effect, Empty, Endpoint, Example, Json, Path, Published};

/// `GET /frameworks`
pub(super) enum GetFrameworks {}

impl Endpoint for GetFrameworks {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/frameworks";
    const SUMMARY: &'static str = "List the supported frameworks";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all",
            request: "/frameworks",
            status: 200,
        },
        Example {
            name: "an unknown parameter",
            request: "/frameworks?kind=law",
            status: 400,
        },
    ];

    type Input = Empty;
    type Output = Json<FrameworkList>;

    async fn call(context: Context, _: Empty) -> Result<Self::Output, Failure> {
        context.work(|engine| Json::of(&engine.frameworks())).await
    }
}

/// `GET /jurisdictions`
pub(super) enum GetJurisdictions {}

impl Endpoint for GetJurisdictions {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/jurisdictions";
    const SUMMARY: &'static str = "List the jurisdictions with their authorities";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all",
            request: "/jurisdictions",
            status: 200,
        },
        Example {
            name: "an unknown parameter",
            request: "/jurisdictions?country=DE",
            status: 400,
        },
    ];

    type Input = Empty;
    type Output = Json<Published<JurisdictionList>>;

    async fn call(context: Context, _: Empty) -> Result<Self::Output, Failure> {
        context
            .work(|engine| Json::of(&Published(engine.jurisdictions())))
            .await
    }
}

/// The parameter of `GET /jurisdictions/{code}`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JurisdictionPath {
    /// The country code, in upper or lower case. `EL` also means Greece (`GR`).
    code: String,
}

/// `GET /jurisdictions/{code}`
pub(super) enum GetJurisdiction {}

impl Endpoint for GetJurisdiction {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/jurisdictions/{code}";
    const SUMMARY: &'static str = "Return the authority, contact and language of a jurisdiction";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::UnknownJurisdiction];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "a country code",
            request: "/jurisdictions/DE",
            status: 200,
        },
        Example {
            name: "an alternative code in lower case",
            request: "/jurisdictions/el",
            status: 200,
        },
        Example {
            name: "a country outside the European Economic Area",
            request: "/jurisdictions/US",
            status: 404,
        },
        Example {
            name: "an invalid code",
            request: "/jurisdictions/%zz",
            status: 400,
        },
    ];

    type Input = Path<JurisdictionPath>;
    type Output = Json<Published<JurisdictionRecord>>;

    async fn call(context: Context, Path(path): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&Published(engine.jurisdiction(&path.code)?)))
            .await
    }
}
