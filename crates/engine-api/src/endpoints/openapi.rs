//! The description of the interface itself.

use std::borrow::Cow;
use std::sync::OnceLock;

use engine_embed::{Packed, embed};
use engine_model::{ErrorCode, Failure};
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;

use crate::{Context, Effect, Empty, Endpoint, Example, Json};

/// What `cargo xtask codegen` made of the declarations.
const GENERATED: Packed = embed!("../../../../docs/openapi.json");

/// A document in the format `OpenAPI` 3.1.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct OpenApi(Value);

impl JsonSchema for OpenApi {
    fn schema_name() -> Cow<'static, str> {
        "OpenApi".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A document in the format OpenAPI 3.1.",
            "type": "object",
            "required": ["openapi", "info", "paths", "components"],
            "properties": {
                "openapi": { "type": "string", "pattern": "^3\\.1\\." },
                "info": { "type": "object" },
                "paths": { "type": "object" },
                "components": { "type": "object" },
            },
        })
    }
}

/// `GET /openapi.json`
pub(super) enum GetOpenApi {}

impl Endpoint for GetOpenApi {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/openapi.json";
    const SUMMARY: &'static str = "Return the OpenAPI document of this API";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the OpenAPI document",
            request: "/openapi.json",
            status: 200,
        },
        Example {
            name: "an unknown parameter",
            request: "/openapi.json?version=3",
            status: 400,
        },
    ];

    type Input = Empty;
    type Output = Json<OpenApi>;

    async fn call(context: Context, _: Empty) -> Result<Self::Output, Failure> {
        // The same for every request, and long: it is made once.
        static DOCUMENT: OnceLock<Vec<u8>> = OnceLock::new();
        if let Some(bytes) = DOCUMENT.get() {
            return Ok(Json::fixed(bytes));
        }
        context
            .work(|_| {
                let document: Value = serde_json::from_str(&GENERATED.text()).map_err(|error| {
                    Failure::new(
                        ErrorCode::Internal,
                        format!("the OpenAPI document cannot be read: {error}"),
                    )
                })?;
                let bytes = serde_json::to_vec(&OpenApi(document)).unwrap_or_default();
                Ok(Json::fixed(DOCUMENT.get_or_init(|| bytes)))
            })
            .await
    }
}
