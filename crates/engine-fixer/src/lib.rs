//! Fixes for findings: a plan of byte edits on a parsed file, made by a strategy that is declared once.
//!
//! [`plan`] looks up the strategy for a finding and asks it for edits. The plan is returned only if the file still parses
//! with it and is changed in no other place. Nothing here reads or writes a file; the texts come from a
//! [`SourceText`](engine_model::SourceText) and the plan goes to whoever applies it.

mod code;
mod draft;
mod edit;
mod planned;
mod strategies;
mod strategy;

pub use code::{Code, LineEnd};
pub use draft::{DocumentDraft, Draft, Drafts};
pub use edit::{Edit, Overlap, StaleFile, merged};
pub use planned::{FileChange, FixInput, NoFix, Plan, instruction, is_fixable, leaves_open, plan, proposed};
pub use strategies::{STRATEGIES, strategy};
pub use strategy::{FixExample, FixKind, Site, Strategy};

#[cfg(test)]
mod tests;
