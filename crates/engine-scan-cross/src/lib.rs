//! What documents, pages and pipelines say about the product, held against what the other layers saw.
//!
//! [`read()`] takes the statements of one file: that every request is logged, that a person approves, that logs are kept
//! for a year, that no AI is used. [`join`] keeps those of the product and its documents. [`CHECKS`] compare them with
//! code, configuration and dependencies, and say both places. A statement that is hedged, negated, planned or part of
//! a template is none: a contradiction is only reported where both sides are plain.

mod addresses;
mod checks;
mod concealed;
mod interface;
mod join;
mod naming;
mod own_paper;
mod patterns;
mod pipeline;
mod prose;
mod quoted;
mod read;
mod responsible;
mod texts;
mod training;

#[cfg(test)]
mod tests;

pub use checks::CHECKS;
pub use join::{join, trains_and_publishes};
pub use own_paper::own_papers;
pub use read::{CrossFacts, read, wants};
