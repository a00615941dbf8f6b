//! The real binary, driven over loopback and from the command line.

#![expect(clippy::disallowed_methods, reason = "tests make their projects on the disk")]
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by a panic, also in a function that several tests call"
)]

mod answers;
mod audit_package;
mod checks;
mod cli;
mod contract;
mod eval_limits;
mod eval_outputs;
mod eval_runs;
mod evals;
mod events;
mod evidence;
mod faults;
mod fixes;
mod gate;
mod hostile;
mod law;
mod load;
mod mutations;
mod passports;
mod reports;
mod restart;
mod secrets;
mod support;
mod target;
