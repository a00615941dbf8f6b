//! Obligations in replies: whether they apply, why, and the evidence.

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
    /// It depends on a fact that is not known.
    Undetermined,
    /// It does not apply.
    DoesNotApply,
}

/// The status of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObligationStatus {
    /// There is evidence that it is met.
    Evidenced,
    /// There is evidence that it is not met.
    Gap,
    /// There is evidence that a part of it is met.
    Incomplete,
    /// No evidence was found for or against it.
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
    /// The date from which it applies whichever way the open question is answered, if it is undetermined today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certain_from: Option<Date>,
    /// The possible starts while only the start is open: the route, the day of placing on the market, or a significant
    /// change (Art. 111). Such an obligation keeps its status, and its documents are still required.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub possible_starts: Vec<PossibleStart>,
    /// Why it applies or does not apply.
    pub because: String,
    /// The status.
    pub status: ObligationStatus,
    /// The evidence for the status.
    pub evidence: Vec<Evidence>,
    /// The question that decides whether it applies, if undetermined.
    pub question: Option<String>,
    /// The id of that question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_id: Option<String>,
    /// Whether it is a gap if no document for it exists. If not, a begun document can raise the score and never lowers it.
    #[serde(default)]
    pub asks_for_document: bool,
}

impl ObligationRecord {
    /// Whether the obligation applies, will apply, or has only its start open.
    pub fn is_expected(&self) -> bool {
        match self.applies {
            Applies::Applies | Applies::Upcoming => true,
            Applies::Undetermined => !self.possible_starts.is_empty(),
            Applies::DoesNotApply => false,
        }
    }

    /// The possible starts in words, such as `in force for an Annex III system since 2 December 2027; for an Annex I
    /// product from 2 August 2028`. None where the start is not open.
    pub fn starts_in_words(&self, as_of: Date) -> Option<String> {
        let parts: Vec<String> = self
            .possible_starts
            .iter()
            .map(|start| {
                let since = if start.from <= as_of { "since" } else { "from" };
                format!("for {} {since} {}", start.case, start.from.strftime("%-d %B %Y"))
            })
            .collect();
        (!parts.is_empty()).then(|| format!("in force {}", parts.join("; ")))
    }
}

/// A day on which an obligation can begin, while only its start is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PossibleStart {
    /// The day.
    pub from: Date,
    /// The systems or models that begin on it, such as `an Annex III system`.
    pub case: String,
}

/// An upcoming obligation.
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
    /// The systems that it concerns.
    pub systems: Vec<String>,
    /// `true` if it will apply, `false` if it depends on an open question.
    pub certain: bool,
}
