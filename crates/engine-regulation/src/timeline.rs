//! The version of the Act, its milestones, and what is still open or accompanies it.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::vocabulary::Confidence;

/// Which state of the Act the data describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegulationVersion {
    /// Stable id, act and date of consolidation.
    pub id: String,
    /// The act as first published.
    pub base: String,
    /// The acts that amended it.
    pub amended_by: Vec<String>,
    /// The date of the consolidated text.
    pub consolidated_on: Date,
}

impl RegulationVersion {
    /// The version in words, for reports and for the status of the daemon.
    pub fn label(&self) -> String {
        if self.amended_by.is_empty() {
            return format!("{}, consolidated {}", self.base, self.consolidated_on);
        }
        format!(
            "{} as amended by {}, consolidated {}",
            self.base,
            self.amended_by.join(" and "),
            self.consolidated_on
        )
    }
}

/// A dated step in the life of the Act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Milestone {
    /// Stable id, `TL-` and three digits.
    pub id: String,
    /// The day.
    pub date: Date,
    /// What happens, in our own words.
    pub what: String,
    /// The provisions it rests on.
    pub provisions: Vec<String>,
    /// Legal weight.
    pub legal_status: LegalStatus,
    /// Whether the day had come when the data was compiled.
    pub reached_on_as_of: bool,
    /// The date before the amendment, where it moved.
    pub previous_date: Option<Date>,
    /// A limit of what it covers.
    pub scope: Option<String>,
    /// Ids of sources.
    pub sources: Vec<String>,
    /// How sure the record is.
    pub confidence: Confidence,
    /// A remark.
    pub note: Option<String>,
}

/// The legal weight of a milestone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegalStatus {
    /// Law whose date was reached when the data was compiled.
    LawInForce,
    /// Law whose date lies after the day of the data.
    LawInForceAppliesLater,
    /// A promise under a code of practice.
    VoluntaryCommitment,
    /// An administrative date.
    Administrative,
    /// A date of another law of the Union.
    RelatedLaw,
}

impl LegalStatus {
    /// Whether the milestone is a date of the Act itself rather than of its surroundings.
    pub const fn is_law_of_the_act(self) -> bool {
        matches!(self, Self::LawInForce | Self::LawInForceAppliesLater)
    }
}

/// A question of interpretation on which readers differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenReading {
    /// What it is about.
    pub topic: String,
    /// The question.
    pub question: String,
    /// One answer.
    pub reading_a: String,
    /// The other answer.
    pub reading_b: String,
    /// Which of the two the data follows.
    pub used_by_us: String,
    /// Ids of sources.
    pub sources: Vec<String>,
    /// How sure that choice is.
    pub confidence: Confidence,
}

/// A guideline, code, standard or template that accompanies the Act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportingInstrument {
    /// Name.
    pub name: String,
    /// Its date or state.
    pub date_or_state: String,
    /// `final`, `draft`, `pending` or `not_cited`.
    pub status: String,
    /// Id of the source.
    pub source: String,
    /// How sure the record is.
    pub confidence: Confidence,
}

/// The amending act, its passage and what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigitalOmnibus {
    /// Legal status of the act.
    pub status: String,
    /// Full title.
    pub act: String,
    /// Number of the legislative procedure.
    pub procedure: String,
    /// Day of publication.
    pub published: Date,
    /// Day of entry into force.
    pub in_force: Date,
    /// The acts it amends.
    pub amends: Vec<String>,
    /// Steps of the procedure.
    pub history: Vec<ProcedureStep>,
    /// What it changed, next to what had been proposed.
    pub changes: Vec<OmnibusChange>,
    /// How sure the column of proposals is.
    pub proposal_column_confidence: String,
}

/// A step of the legislative procedure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcedureStep {
    /// The day.
    pub date: Date,
    /// What happened.
    pub step: String,
    /// Id of the source.
    pub source: String,
    /// How sure the record is.
    pub confidence: Confidence,
}

/// One change made, or not made, by the amending act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OmnibusChange {
    /// What it is about.
    pub topic: String,
    /// The rule as adopted.
    pub adopted_rule: String,
    /// What the Commission had proposed.
    pub commission_proposal: String,
    /// The provisions.
    pub provision: String,
    /// `adopted`, `deletion_not_adopted` or `proposed`.
    pub status: String,
    /// Id of the source.
    pub source: String,
    /// How sure the record is.
    pub confidence: Confidence,
}
