//! Composes the layers over a project: facts, applicability, obligations, findings.
//!
//! The way of the data: [`read`] takes the facts of one file, purely and in parallel, and its result can be remembered
//! by the digest of the file. [`evaluate`] joins the facts of all files and asks the law: it parses next to nothing and
//! is recomputed for every date, role or answer. Nothing here opens a file, reads a clock or can fail.
//!
//! ```
//! use engine_model::{Applicability, Date, fixture};
//! use engine_scanner::{Settings, scan_memory};
//!
//! let tree = fixture("//- app.py\nprint('no model here')\n").map_err(|_| "not a fixture")?;
//! let evaluation = scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20)));
//! assert_eq!(evaluation.applicability, Applicability::NoAiFound);
//! assert!(evaluation.findings.is_empty());
//! # Ok::<(), &str>(())
//! ```

mod agents;
mod applicability;
mod checks;
mod comments;
mod context;
mod evaluate;
mod facts;
mod findings;
mod mask;
mod memory;
mod missing;
mod obligations;
mod package_questions;
mod practices;
mod redact;
mod risk;
mod simulate;
mod suppress;
mod systems;

pub use checks::{check, checks};
pub use evaluate::{Evaluation, ScanInput, evaluate, scan_memory};
pub use facts::{FileFacts, LargeFacts, facts_version, read, read_large};
pub use mask::mask_secrets;
pub use memory::{Memory, may_be_written};
pub use suppress::{SuppressionKind, SuppressionRule};

use std::collections::BTreeSet;

use engine_model::Date;

/// What a scan is asked to assume.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The date for which the law is evaluated.
    pub as_of: Date,
    /// The role of the operator, where a person said so: `provider`, `deployer` or `both`.
    pub role: Option<Role>,
    /// Ids of the systems to report on; all when empty.
    pub systems: Vec<String>,
    /// Findings that people have set aside.
    pub suppressions: Vec<SuppressionRule>,
    /// Ids of findings that are taken for fixed: the result is then what a scan of the repaired tree would come to.
    pub resolved: BTreeSet<String>,
}

impl Settings {
    /// Nothing assumed but the date.
    pub fn on(as_of: Date) -> Self {
        Self {
            as_of,
            role: None,
            systems: Vec::new(),
            suppressions: Vec::new(),
            resolved: BTreeSet::new(),
        }
    }
}

/// The role of the operator, as a person states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Develops the system, or has it developed, under its own name.
    Provider,
    /// Uses the system under its own authority.
    Deployer,
    /// Both.
    Both,
}

#[cfg(test)]
mod tests;
