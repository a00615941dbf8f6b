//! Checks that hold one layer against another, and checks of duties that show in several layers at once.

mod claims;
mod concealed;
mod gpai;
mod interface;
mod process;
mod subject;
mod supply;

use engine_model::Check;

/// The checks of this crate.
pub const CHECKS: &[Check] = &[
    claims::CLAIMED_LOGGING,
    claims::RETENTION_PERIOD,
    claims::CLAIMED_APPROVAL,
    claims::NOTICE_NOT_SHOWN,
    claims::AI_DENIED,
    concealed::CONCEALED_AI,
    claims::PERSONAL_DATA_DENIED,
    claims::UNDERSTATED_RISK,
    claims::CLAIMED_EVALUATION,
    claims::EVALUATION_NEVER_RUNS,
    supply::DOCUMENTED_MODEL,
    supply::DOCUMENTED_PROVIDER,
    supply::DOCUMENTED_VERSION,
    supply::UNLISTED_PROVIDER,
    supply::INCOMPLETE_BILL,
    interface::NAMELESS_INTERFACE,
    interface::INACCESSIBLE_INTERFACE,
    interface::CE_MARKING,
    process::MONITORING_WITHOUT_REVIEW,
    process::INCIDENT_PROCEDURE,
    process::UNASSESSED_CHANGE,
    gpai::UNTRACKED_COMPUTE,
    gpai::UNEVALUATED_MODEL,
    gpai::UNGUARDED_WEIGHTS,
    gpai::UNPINNED_REMOTE_CODE,
];
