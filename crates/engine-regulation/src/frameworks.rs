//! Other frameworks, their controls, and the crosswalk from obligations to controls.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::Confidence;

/// A framework with its controls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Framework {
    /// Stable id, for example `iso-42001`.
    pub id: String,
    /// Name.
    pub name: String,
    /// Version or date of the text the controls were taken from.
    pub version: String,
    /// Its kind: `law`, `standard`, `framework`, `code_of_practice`, `awareness` or `knowledge_base`.
    pub kind: String,
    /// Its state: for example `in_force`, `published`, `in_preparation`.
    pub status: String,
    /// Number of controls; zero for the Act itself, whose controls are the obligations.
    pub control_count: usize,
    /// Identifiers and short titles; the texts of standards are not reproduced.
    pub controls: Vec<Control>,
    /// Id of the source.
    pub source: String,
    /// How sure the list is.
    pub confidence: Confidence,
    /// A remark on the framework.
    pub note: Option<String>,
    /// From when it applies, where it is law of another place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies_from: Option<Date>,
}

impl Framework {
    /// The framework without its controls, as a list of frameworks shows it.
    pub fn summary(&self) -> FrameworkSummary {
        FrameworkSummary {
            id: self.id.clone(),
            name: self.name.clone(),
            version: self.version.clone(),
            kind: self.kind.clone(),
            status: self.status.clone(),
            control_count: self.control_count,
            applies_from: self.applies_from,
            source: self.source.clone(),
            confidence: self.confidence,
            note: self.note.clone(),
        }
    }
}

/// One control of a framework.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Identifier within the framework.
    pub id: String,
    /// Short title.
    pub title: String,
    /// Group or function it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Article of the Act it was written for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// The state of a standard in preparation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Commitment of a code of practice it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
}

/// A framework as listed, without its controls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameworkSummary {
    /// Stable id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Version or date of the text.
    pub version: String,
    /// Its kind.
    pub kind: String,
    /// Its state.
    pub status: String,
    /// Number of controls; for the Act itself the number of obligations when the list is served.
    pub control_count: usize,
    /// From when it applies, where it is law of another place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_from: Option<Date>,
    /// Id of the source.
    pub source: String,
    /// How sure the list of controls is.
    pub confidence: Confidence,
    /// A remark on the framework.
    pub note: Option<String>,
}

/// One row of the crosswalk: related controls, never a claim of equality.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrosswalkRow {
    /// The obligation.
    pub obligation_id: String,
    /// The article of the obligation.
    pub article: String,
    /// Ids of controls by id of framework.
    pub controls: BTreeMap<String, Vec<String>>,
}
