//! The law as lists for clients.

use engine_model::{ErrorCode, Failure};
use engine_regulation::{FrameworkSummary, JurisdictionRecord, regulation};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Engine;

/// Reply of `GET /frameworks`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameworkList {
    /// The frameworks; the AI Act comes first.
    pub frameworks: Vec<FrameworkSummary>,
    /// Version of the regulation data.
    pub regulation_version: String,
}

/// Reply of `GET /jurisdictions`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JurisdictionList {
    /// The jurisdictions of the EU and the European Economic Area, sorted by code.
    pub jurisdictions: Vec<JurisdictionRecord>,
    /// Version of the regulation data.
    pub regulation_version: String,
}

impl Engine {
    /// The frameworks.
    pub fn frameworks(&self) -> FrameworkList {
        FrameworkList {
            frameworks: regulation().framework_summaries(),
            regulation_version: regulation().version().id.clone(),
        }
    }

    /// The jurisdictions.
    pub fn jurisdictions(&self) -> JurisdictionList {
        JurisdictionList {
            jurisdictions: regulation()
                .jurisdictions()
                .iter()
                .map(engine_regulation::Jurisdiction::record)
                .collect(),
            regulation_version: regulation().version().id.clone(),
        }
    }

    /// The jurisdiction with a code, in upper or lower case; `EL` also means Greece.
    pub fn jurisdiction(&self, code: &str) -> Result<JurisdictionRecord, Failure> {
        regulation()
            .jurisdiction(code)
            .map(engine_regulation::Jurisdiction::record)
            .ok_or_else(|| {
                let known: Vec<&str> = regulation()
                    .jurisdictions()
                    .iter()
                    .map(|one| one.code.as_str())
                    .collect();
                Failure::new(
                    ErrorCode::UnknownJurisdiction,
                    format!("unknown country code; use one of {}", known.join(", ")),
                )
                .field("code")
            })
    }
}
