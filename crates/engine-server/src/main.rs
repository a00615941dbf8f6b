//! The binary: a daemon, and a scanner for scripts and terminals.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine_server::run(std::env::args_os())
}
