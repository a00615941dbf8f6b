//! A mark in the environment of a process. It finds what a process started outside of its group, and ends that too.

use std::sync::atomic::{AtomicU64, Ordering};

/// The variable with the mark.
pub(crate) const VARIABLE: &str = "ENGINE_TOOL_RUN";

/// A mark that no other run on this machine has.
pub(crate) fn new() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed))
}

/// Ends every process with a mark. A process that cleared its environment is not found.
#[cfg(target_os = "linux")]
pub(crate) fn end(mark: &str) {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    /// Looks at all processes: one may start another while it is ended.
    const ROUNDS_MAX: usize = 5;

    let wanted = format!("{VARIABLE}={mark}");
    for _ in 0..ROUNDS_MAX {
        let Ok(all) = std::fs::read_dir("/proc") else { return };
        let mut ended = 0;
        for entry in all.flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
            let Some(pid) = number.and_then(Pid::from_raw) else {
                continue;
            };
            let path = entry.path().join("environ");
            if !has(&path, &wanted) {
                continue;
            }
            // A number can be given to another process, a handle cannot: what it leads to is looked at once more.
            if let Ok(handle) = pidfd_open(pid, PidfdFlags::empty())
                && has(&path, &wanted)
                && pidfd_send_signal(&handle, Signal::KILL).is_ok()
            {
                ended += 1;
            }
        }
        if ended == 0 {
            break;
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn end(_: &str) {}

/// Whether a process was started with a variable. What cannot be read belongs to somebody else.
#[cfg(target_os = "linux")]
fn has(environ: &std::path::Path, wanted: &str) -> bool {
    use std::io::Read;

    /// Bytes of an environment that are read; the one that a tool gets is short.
    const READ_MAX: u64 = 64 << 10;

    let mut bytes = Vec::new();
    let Ok(file) = std::fs::File::open(environ) else {
        return false;
    };
    file.take(READ_MAX).read_to_end(&mut bytes).is_ok()
        && bytes.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
}
