//! Obligations as they go over the wire: what applies, why, and what it rests on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Date, Evidence};

/// Whether an obligation applies to a system on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    /// It applies on the date.
    Applies,
    /// It will apply from a later date.
    Upcoming,
    /// A fact that has not been told decides.
    Undetermined,
    /// It does not apply.
    DoesNotApply,
}

/// How an obligation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObligationStatus {
    /// There is evidence for it.
    Evidenced,
    /// There is evidence against it.
    Gap,
    /// There is evidence for a part of it.
    Incomplete,
    /// Nothing was looked at that could tell.
    NotEvaluated,
}

/// One obligation of a system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObligationRecord {
    /// `OBL-<number>`.
    pub obligation_id: String,
    /// The provisions, such as `Art. 50(1)`.
    pub article: String,
    /// A short title.
    pub title: String,
    /// The date from which it applies to this system.
    pub applies_from: Option<Date>,
    /// Whether it applies on the date of the scan.
    pub applies: Applies,
    /// Why.
    pub because: String,
    /// How it stands.
    pub status: ObligationStatus,
    /// What the status rests on.
    pub evidence: Vec<Evidence>,
    /// The question that would settle it, when it is undetermined.
    pub question: Option<String>,
    /// The id of that question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_id: Option<String>,
    /// Whether the absence of every document for it would be a gap. Where it would not, a document that is begun can
    /// raise the score and never lowers it.
    #[serde(default)]
    pub asks_for_document: bool,
}

/// An obligation that is still to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpcomingObligation {
    /// `OBL-<number>`.
    pub obligation_id: String,
    /// The provisions.
    pub article: String,
    /// A short title.
    pub title: String,
    /// The date from which it applies.
    pub applies_from: Date,
    /// The systems that it is about.
    pub systems: Vec<String>,
    /// Whether it will apply, or depends on an answer.
    pub certain: bool,
}
