//! One process with limits on its time and output. It is ended together with every process that it started.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use crate::mark;

/// Limits of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Longest time.
    pub(crate) time: Duration,
    /// Longest standard output in bytes.
    pub(crate) output: usize,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a signal that came from outside.
    Killed(i32),
    /// It took too long and was ended.
    TimedOut,
    /// It wrote too much and was ended.
    TooMuchOutput,
    /// The caller wanted it ended.
    Stopped,
    /// It did not start.
    NotStarted(io::Error),
}

/// What a process left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    pub(crate) stdout: Vec<u8>,
    /// The end of its standard error.
    pub(crate) stderr: Vec<u8>,
    pub(crate) elapsed: Duration,
}

/// Pause between two looks at a process.
const PAUSE: Duration = Duration::from_millis(15);

/// Time for the end of the output after a process has ended. A process that left its group may keep the pipe open.
const DRAIN: Duration = Duration::from_secs(5);

/// Bytes of standard error that are kept: the last ones, which say why a process failed.
const STDERR_BYTES_MAX: usize = 64 << 10;

/// Runs a process to its end.
pub(crate) fn run(command: &mut Command, limits: Limits, stop: &dyn Fn() -> bool) -> Ran {
    let started = Instant::now();
    let mark = mark::new();
    command
        .env(mark::VARIABLE, &mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return Ran {
                ended: Ended::NotStarted(error),
                stdout: Vec::new(),
                stderr: Vec::new(),
                elapsed: started.elapsed(),
            };
        }
    };
    let full = Arc::new(AtomicBool::new(false));
    let output = Pipe::read(child.stdout.take(), limits.output, Keep::First, &full);
    let errors = Pipe::read(child.stderr.take(), STDERR_BYTES_MAX, Keep::Last, &full);
    let cut = loop {
        if has_ended(&mut child) {
            break None;
        }
        if full.load(Ordering::Relaxed) {
            break Some(Ended::TooMuchOutput);
        }
        if stop() {
            break Some(Ended::Stopped);
        }
        if started.elapsed() >= limits.time {
            break Some(Ended::TimedOut);
        }
        std::thread::sleep(PAUSE);
    };
    end_group(&mut child);
    let status = child.wait();
    mark::end(&mark);
    let ended = match (cut, status) {
        (Some(cut), _) => cut,
        (None, Err(error)) => Ended::NotStarted(error),
        (None, Ok(status)) => status
            .code()
            .map_or_else(|| Ended::Killed(signal_of(status)), Ended::Exited),
    };
    let stdout = output.taken();
    // A process that ends right after it wrote too much, perhaps by the closed pipe, is caught here.
    let ended = match ended {
        Ended::Exited(_) | Ended::Killed(_) if full.load(Ordering::Relaxed) => Ended::TooMuchOutput,
        ended => ended,
    };
    Ran {
        ended,
        stdout,
        stderr: errors.taken(),
        elapsed: started.elapsed(),
    }
}

/// Whether a process has ended; on Unix it stays a zombie for now, so that its number cannot be given to another one.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let Some(pid) = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0)) else {
        return true;
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Ends a process and all others of its group.
#[cfg(unix)]
fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    if let Some(pid) = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0)) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
fn signal_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.signal().unwrap_or(0)
}

#[cfg(not(unix))]
fn signal_of(_: std::process::ExitStatus) -> i32 {
    0
}

/// Which part of a long output is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// The first bytes; more than the limit is an error.
    First,
    /// The last bytes.
    Last,
}

/// Reads a pipe beside the waiting: a full pipe would hold the process.
struct Pipe {
    bytes: Arc<Mutex<Vec<u8>>>,
    done: mpsc::Receiver<()>,
}

impl Pipe {
    fn read<R: Read + Send + 'static>(source: Option<R>, limit: usize, keep: Keep, full: &Arc<AtomicBool>) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (say_done, done) = mpsc::channel();
        let (kept, full) = (Arc::clone(&bytes), Arc::clone(full));
        std::thread::spawn(move || {
            let _say_done = say_done;
            let Some(mut source) = source else { return };
            let mut buffer = vec![0; 64 << 10];
            loop {
                let count = match source.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => return,
                };
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&buffer[..count]);
                let over = kept.len().saturating_sub(limit);
                match keep {
                    Keep::First if over > 0 => {
                        kept.truncate(limit);
                        full.store(true, Ordering::Relaxed);
                        return;
                    }
                    Keep::Last if over > limit => {
                        kept.drain(..over);
                    }
                    Keep::First | Keep::Last => {}
                }
            }
        });
        Self { bytes, done }
    }

    fn taken(self) -> Vec<u8> {
        // Ends with the reader; a pipe that stays open is left behind.
        let _ = self.done.recv_timeout(DRAIN);
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
