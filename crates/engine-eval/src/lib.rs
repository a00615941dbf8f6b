//! Probes a live AI endpoint: the suite, the runner, statistics, scores, red team and reports.
//!
//! A run has four parts that know nothing of each other: a [`Plan`] says which probes are asked, [`start`] asks them and
//! has the replies judged, an [`EvalResult`] counts the verdicts, and reports write the result down. The crate reads no
//! clock and draws no random number that its seed does not fix; times, ids and keys are handed in.

mod compare;
mod dice;
mod disparity;
mod endpoint;
mod fill;
mod foreign;
mod grader;
mod judge;
mod plan;
mod redteam;
mod remedy;
mod report;
mod result;
mod run;
pub mod score;
pub mod stats;
mod suite;

pub use compare::{CategoryChange, Comparison, compare};
pub use dice::Dice;
pub use disparity::Disparity;
pub use endpoint::*;
pub use fill::{BadPlaceholder, Secrets, fill};
pub use grader::{Completion, EndpointModel, Model, ModelJudge, SameAsTarget, Silence};
pub use judge::{JUDGE_VERSION, Judge, Judgement, Place, Question, Rules, Turns, Verdict};
pub use plan::*;
pub use redteam::{ATTACKS_DEFAULT, AttackFinding, AttackRate, RedTeamReport, STRATEGIES, Strategy, attack_plan};
pub use remedy::{Action, RemediationReport, Remedies, Remedy, remediation_report, remedies};
pub use report::{eval_junit, eval_markdown, eval_sarif};
pub use result::*;
pub use run::*;
pub use suite::*;

#[cfg(test)]
mod tests;
