//! Gaps in existing documents. The scanner reports documents that do not exist.

mod incomplete;
mod stale;

#[cfg(test)]
mod tests;

use engine_model::Check;

/// The checks of this layer.
pub const CHECKS: &[Check] = &[
    incomplete::TECHNICAL_DOCUMENTATION,
    incomplete::INSTRUCTIONS_FOR_USE,
    incomplete::RISK_MANAGEMENT,
    incomplete::DATA_GOVERNANCE,
    incomplete::HUMAN_OVERSIGHT_PLAN,
    incomplete::LOG_RETENTION,
    incomplete::TRANSPARENCY_NOTICE,
    incomplete::AI_LITERACY_RECORD,
    incomplete::AI_USAGE_POLICY,
    incomplete::FRIA,
    incomplete::POST_MARKET_PLAN,
    incomplete::QMS,
    incomplete::CLASSIFICATION,
    incomplete::ART5_SCREENING,
    incomplete::GPAI_DOCUMENTATION,
    incomplete::GPAI_DOWNSTREAM,
    incomplete::GPAI_COPYRIGHT,
    incomplete::GPAI_TRAINING_SUMMARY,
    stale::REVIEW_DATE,
];
