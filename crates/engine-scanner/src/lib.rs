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

mod absent;
mod agents;
mod answers;
mod applicability;
mod ask;
mod checks;
mod comments;
mod context;
mod drawing;
mod elsewhere;
mod evaluate;
mod external;
mod facts;
mod findings;
mod imported;
mod interaction;
mod mask;
mod memory;
mod missing;
mod obligations;
mod package_questions;
mod practices;
mod prompt_files;
mod redact;
mod resources;
mod risk;
mod simulate;
mod suppress;
mod systems;
mod told;
mod unread;

pub use checks::{check, checks, is_check};
pub use evaluate::{Evaluation, ScanInput, evaluate, scan_memory};
pub use external::{External, ExternalObservation};
pub use facts::{FileFacts, LargeFacts, facts_version, read, read_large};
pub use mask::mask_secrets;
pub use memory::{Memory, may_be_written};
pub use missing::missing_document;
pub use suppress::{SuppressionKind, SuppressionRule};
pub use unread::NotParsed;

use std::collections::BTreeSet;
use std::sync::Arc;

use engine_model::Date;
use engine_profile::Profile;

/// What a scan is asked to assume.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The date for which the law is evaluated.
    pub as_of: Date,
    /// The role of the operator, where a person said so: `provider`, `deployer` or `both`.
    pub role: Option<Role>,
    /// The class of risk of every system, where a person said so.
    pub risk_class: Option<StatedClass>,
    /// What people stated about the project.
    pub profile: Arc<Profile>,
    /// Whether the questions of a system are all that there are, for a form, and not the open ones alone.
    pub every_question: bool,
    /// Whether findings quote the lines around them. An evaluation of which only findings and score are compared needs no lines.
    pub quotes_code: bool,
    /// Ids of the systems to report on; all when empty.
    pub systems: Vec<String>,
    /// Findings that people have set aside.
    pub suppressions: Vec<SuppressionRule>,
    /// Ids of findings that are taken for fixed: the result is then what a scan of the repaired tree would come to.
    pub resolved: BTreeSet<String>,
    /// Kinds of documents that are taken for written and filled: the result is then what a scan with these documents would come to.
    pub written: BTreeSet<String>,
    /// What external tools found.
    pub external: Arc<External>,
}

impl Settings {
    /// Nothing assumed but the date.
    pub fn on(as_of: Date) -> Self {
        Self {
            as_of,
            role: None,
            risk_class: None,
            profile: Arc::default(),
            every_question: false,
            quotes_code: true,
            systems: Vec::new(),
            suppressions: Vec::new(),
            resolved: BTreeSet::new(),
            written: BTreeSet::new(),
            external: Arc::default(),
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

/// A class of risk, as a person states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatedClass {
    /// Art. 5.
    Prohibited,
    /// Art. 6.
    High,
    /// Art. 50.
    Limited,
    /// None of these.
    Minimal,
}

impl StatedClass {
    /// Its name in replies and passports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prohibited => "prohibited",
            Self::High => "high",
            Self::Limited => "limited",
            Self::Minimal => "minimal",
        }
    }

    /// The class of a name.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Prohibited, Self::High, Self::Limited, Self::Minimal]
            .into_iter()
            .find(|class| class.name() == name)
    }
}

#[cfg(test)]
mod tests;
