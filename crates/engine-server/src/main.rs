//! The binary: a daemon, and a scanner for scripts and terminals.

use std::process::ExitCode;

/// A scan allocates millions of small nodes on every core and frees them all: this allocator is quicker at it than the
/// system's, and repeated scans reuse what the first one took instead of growing.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    engine_server::run(std::env::args_os())
}
