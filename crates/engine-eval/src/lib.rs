//! Probes a live AI endpoint: the suite, the runner, statistics, scores, red team and reports.

mod dice;
mod fill;
pub mod stats;
mod suite;

pub use dice::Dice;
pub use fill::{BadPlaceholder, Secrets, fill};
pub use suite::*;
