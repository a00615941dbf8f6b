//! The real binary, driven over loopback and from the command line.

#![expect(clippy::disallowed_methods, reason = "tests make their projects on the disk")]
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by a panic, also in a function that several tests call"
)]

// The targets of `fuzz/` are compiled as they are: they name the crate that drives them.
extern crate self as libfuzzer_sys;
pub(crate) use fuzz::fuzz_target;

mod answers;
mod attacks;
mod audit_package;
mod chat;
mod checks;
mod cli;
mod clients;
mod contract;
mod dashboard;
mod days;
mod deep;
mod eval_limits;
mod eval_outputs;
mod eval_runs;
mod evals;
mod events;
mod evidence;
mod faults;
mod fix_documents;
mod fix_faults;
mod fixes;
mod fuzz;
mod gate;
mod hostile;
mod interface;
mod law;
mod load;
mod model_server;
mod mutations;
#[cfg(target_os = "linux")]
mod offline;
mod passports;
mod reports;
mod restart;
mod secrets;
mod support;
mod sync;
mod target;
#[cfg(unix)]
mod tools;
