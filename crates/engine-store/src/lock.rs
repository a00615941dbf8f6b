//! One daemon per state directory: a lock that says who holds it.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use crate::{Mode, StateDir};

/// Longest content of a lock file that is looked at.
const LOCK_BYTES_MAX: u64 = 256;

/// Who asks whether the lock is held holds it for a moment, so one refusal is not the last word.
const ATTEMPTS: u32 = 4;
const ATTEMPT_PAUSE: Duration = Duration::from_millis(15);

/// The lock of a state directory, held until it is dropped. The system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

/// The process that holds the lock, as far as it has said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub pid: Option<u32>,
    /// The port that it listens on.
    pub port: Option<u16>,
}

/// Why the lock was not taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process holds it.
    #[error(
        "another engine{} has locked `{}`{}; use that engine or stop it first",
        holder.pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(),
        path.display(),
        holder.port.map(|port| format!(" and listens on port {port}")).unwrap_or_default()
    )]
    Held {
        /// Path of the lock file.
        path: PathBuf,
        /// Who holds it.
        holder: Holder,
    },
    /// The state was opened for reading only.
    #[error("the state is open in read-only mode, which takes no lock")]
    ReadOnly,
    /// The disk refused.
    #[error("cannot lock `{}`", path.display())]
    Io {
        /// Path of the lock file.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl StateDir {
    /// Takes the lock for this process; `port` is what it listens on, if it knows already.
    pub fn lock(&self, port: Option<u16>) -> Result<Lock, LockError> {
        if self.mode() == Mode::ReadOnly {
            return Err(LockError::ReadOnly);
        }
        let path = self.path().join("lock");
        let failed = |source| LockError::Io {
            path: path.clone(),
            source,
        };
        let mut file = self.open_own("lock").map_err(failed)?;
        let mut attempt = 1;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => {
                    attempt += 1;
                    std::thread::sleep(ATTEMPT_PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    let holder = read_holder(&mut file);
                    return Err(LockError::Held { path, holder });
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        let mut lock = Lock { file, path };
        lock.publish(port)?;
        Ok(lock)
    }

    /// Who holds the lock now, or `None` where nobody does.
    pub fn holder(&self) -> Result<Option<Holder>, LockError> {
        let path = self.path().join("lock");
        let failed = |source| LockError::Io {
            path: path.clone(),
            source,
        };
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => {
                return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file")));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        let mut file = File::open(&path).map_err(failed)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(read_holder(&mut file))),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

impl Lock {
    /// Says which port this process listens on, once it is known.
    pub fn publish(&mut self, port: Option<u16>) -> Result<(), LockError> {
        let port = port.map(|port| format!("port {port}\n")).unwrap_or_default();
        let text = format!("pid {}\n{port}", std::process::id());
        self.write(text.as_bytes()).map_err(|source| LockError::Io {
            path: self.path.clone(),
            source,
        })
    }

    /// Path of the lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text)?;
        self.file.sync_data()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file stays, because removing it would let two processes lock two files of one name. Its text must not name
        // a process that is gone; if that fails, the lock itself still tells the truth.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn read_holder(file: &mut File) -> Holder {
    let mut text = String::new();
    let _ = file.take(LOCK_BYTES_MAX).read_to_string(&mut text);
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Holder {
        pid: field("pid").and_then(|text| text.parse().ok()),
        port: field("port").and_then(|text| text.parse().ok()),
    }
}
