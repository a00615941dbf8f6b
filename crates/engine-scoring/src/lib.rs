//! One score formula that explains itself, frameworks, debt and cost.
//!
//! The score is the weighted share of obligations with evidence among those that apply and were evaluated:
//! `100 * sum(weight * value) / sum(weight)`, where the value is 1 for `evidenced`, 0.5 for `incomplete` and 0 for
//! `gap`, and the weight follows the tier of the fine. An obligation that was not evaluated does not count in the score and lowers
//! `coverage` instead. `readiness` is the same sum over what applies and what is known to come.
//!
//! [`framework_report`] lists every framework with the evidence for its controls, [`debt`] weighs open gaps by their age, and
//! [`cost_estimate`] states the hours and euros to close them and the statutory ceilings of fines. All are pure: dates are
//! passed in.

mod cost;
mod debt;
#[cfg(test)]
mod fixtures;
mod formula;
mod frameworks;
mod gaps;

pub use cost::{
    CostAssumption, CostCategory, CostEstimate, CostInput, CostItem, CostRange, CostRole, FineExposure, FineRuleFor,
    RoleHours, Size, cost_estimate,
};
pub use debt::{DEBT_FORMULA, Dated, Debt, DebtInput, DebtItem, DebtKind, DebtLevel, DebtPoint, debt};
pub use formula::{CAP_PROHIBITED, CheckCounts, FORMULA, ScoreInput, grade, score, system_score, weight};
pub use frameworks::{
    ControlEvidence, ControlEvidenceSource, ControlReport, ControlStatus, EvalControl, FrameworkReport,
    FrameworkScores, framework_report, framework_scores,
};
