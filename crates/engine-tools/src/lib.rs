//! External analysers: semgrep, bandit, detect-secrets and modelscan.
//!
//! [`installed`] reads what is installed and connects to nothing. [`update`] installs each tool with the package runner uv, in
//! a folder of the user's data directory: every package is pinned in `data/locks`, with the digests of its files.
//! [`run`] starts a tool on a [`View`], a copy of the files outside the project. The tool gets an empty environment, limits
//! on time and output, and no configuration of the project. A run ends as exactly what it was: ran, missing, failed or
//! timed out. Text of a tool never enters a finding; titles, severities and kinds come from `data/findings.toml`.
#![expect(
    clippy::disallowed_methods,
    reason = "this crate owns the folder of the tools and the copies that they read"
)]

mod catalogue;
mod install;
mod mark;
mod parse;
mod place;
mod process;
mod rules;
mod run;
mod view;

pub use catalogue::{Input, TOOLS, Tool};
pub use install::{Installed, Update, UpdateOutcome, installed, update};
pub use place::{Lock, NETWORK_VARIABLES, NoRunner, Place, Runner, ToolsError};
pub use rules::{Kind, Rule, Rules, rules};
pub use run::{RunStatus, ToolFinding, ToolRun, run};
pub use view::{LeftOut, View, ViewLimits};

#[cfg(test)]
mod tests;
