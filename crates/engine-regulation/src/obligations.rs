//! The obligations of operators, each a dated and sourced record.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::vocabulary::{ApplicationStatus, Confidence, RiskClass, Role, Route, Severity};

/// One duty of one or more roles, with the dates from which it applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obligation {
    /// Stable id, `OBL-` and three digits.
    pub id: String,
    /// Number of its article, for example `4a` or `50`.
    pub article: String,
    /// The exact provisions, for example `Art. 27(1)`.
    pub references: Vec<String>,
    /// The bound roles; any one of them is enough.
    pub actors: Vec<Role>,
    /// The risk class that triggers the duty.
    pub risk_class: RiskClass,
    /// Short title in our own words.
    pub title: String,
    /// What is to be done, in our own words.
    pub description: String,
    /// Earliest date of application on the main reading.
    pub applies_from: Date,
    /// Date of application for each route or transition group.
    pub applies_from_by_route: BTreeMap<Route, Date>,
    /// An earlier date that a literal reading of the text would give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies_from_earliest_reading: Option<Date>,
    /// Whether it applied on the day of the data.
    pub application_status: ApplicationStatus,
    /// How sure the dates are.
    pub date_confidence: Confidence,
    /// A fact without which the duty does not arise.
    pub condition: Option<String>,
    /// What would show that the duty is met.
    pub evidence: Evidence,
    /// Ids of the documents that can satisfy it.
    pub satisfied_by_documents: Vec<String>,
    /// Weight of a breach.
    pub severity: Severity,
    /// Id of the tier of fines.
    pub penalty_tier: String,
    /// Which kinds of examination can say something about it.
    pub checkable_by: CheckableBy,
    /// A remark on the text.
    pub note: Option<String>,
    /// A remark on the dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_note: Option<String>,
}

impl Obligation {
    /// The provisions as one string for a sentence, for example `Art. 23(3), Art. 23(4)`.
    pub fn citation(&self) -> String {
        self.references.join(", ")
    }

    /// Whether the record is one of the bans of Art. 5, which bind every operator.
    pub fn is_prohibition(&self) -> bool {
        self.risk_class == RiskClass::Prohibited
    }

    /// Whether the provision invites and does not oblige: the codes of conduct of Art. 95.
    pub fn is_voluntary(&self) -> bool {
        self.risk_class == RiskClass::Minimal
    }

    /// The date on one route, if the obligation can be reached by it.
    pub fn date_on(&self, route: Route) -> Option<Date> {
        self.applies_from_by_route.get(&route).copied()
    }
}

/// What would show that an obligation is met, by the place where it is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Signals in code, configuration and interfaces.
    pub code_signals: Vec<String>,
    /// Ids of documents.
    pub documents: Vec<String>,
    /// Records of what people did.
    pub process: Vec<String>,
    /// Probes of a running system.
    pub live_tests: Vec<String>,
}

/// Which kinds of examination can say something about an obligation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent ways of checking, named as in the data"
)]
pub struct CheckableBy {
    /// A scan of the code.
    #[serde(rename = "static")]
    pub code: bool,
    /// A test of the running system.
    pub dynamic: bool,
    /// Reading a document.
    pub document: bool,
    /// Examining what people do.
    pub process: bool,
}
