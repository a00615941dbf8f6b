//! What to do about the result of a scan, in the order in which a person should act.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Date, Finding, FindingType, Impact, Severity};

/// The part of the report that an action belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// It does harm today, independent of the law.
    FixNow,
    /// An obligation in force that has a gap or no evidence.
    Duty,
    /// A question that only a person can answer.
    Decide,
    /// An obligation that binds from a later date, or a finding for one.
    Prepare,
}

impl ActionKind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FixNow => "fix_now",
            Self::Duty => "duty",
            Self::Decide => "decide",
            Self::Prepare => "prepare",
        }
    }
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// Its place in the order, from 1.
    pub rank: u64,
    /// The part of the report that it belongs to.
    pub kind: ActionKind,
    /// What it is about, in a few words.
    pub title: String,
    /// The first place, as `file:line`; none for the project as a whole.
    pub place: Option<String>,
    /// Why it matters: what was found or not found.
    pub why: String,
    /// What to do.
    pub how: String,
    /// The date by which it must be done; none if the date has passed or nothing sets one.
    pub until: Option<Date>,
    /// The command that shows its fix, does it or records it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Further places, as `file:line`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// The provisions behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// How grave it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Its effect today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<Impact>,
    /// Ids of the systems that it is about; empty for the project as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub systems: Vec<String>,
    /// Ids of the findings behind it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// Ids of the obligations behind it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obligations: Vec<String>,
    /// The key of the question to answer, such as `main.role`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

impl Finding {
    /// Whether the finding must be fixed now, whatever the law says: a problem in force that breaks the product or exposes
    /// credentials, machines or people. What a person has suppressed is not urgent.
    pub fn is_urgent(&self) -> bool {
        self.suppressed.is_none() && is_urgent(self.kind, self.severity, self.impact)
    }
}

/// Whether a problem of this kind, severity and impact must be fixed now.
pub fn is_urgent(kind: FindingType, severity: Severity, impact: Option<Impact>) -> bool {
    match impact {
        // A model that is switched off within weeks is no gap yet, and its date does not wait.
        Some(Impact::Breaks) if kind == FindingType::Info => severity >= Severity::Medium,
        _ if kind != FindingType::Fail => false,
        Some(Impact::Breaks) => severity >= Severity::Medium,
        Some(Impact::Exposes) => severity >= Severity::High,
        Some(Impact::Misleads | Impact::Prepares) | None => severity == Severity::Critical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_or_exposes_today_is_urgent_and_what_prepares_is_not() {
        let urgent = |kind, severity, impact| is_urgent(kind, severity, Some(impact));
        assert!(urgent(FindingType::Fail, Severity::High, Impact::Exposes));
        assert!(urgent(FindingType::Fail, Severity::Medium, Impact::Breaks));
        assert!(urgent(FindingType::Fail, Severity::Critical, Impact::Misleads));
        assert!(!urgent(FindingType::Info, Severity::Critical, Impact::Exposes));
        assert!(!urgent(FindingType::Fail, Severity::Medium, Impact::Exposes));
        assert!(!urgent(FindingType::Fail, Severity::High, Impact::Prepares));
        assert!(!is_urgent(FindingType::Pass, Severity::High, None));
    }
}
