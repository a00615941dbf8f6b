//! Reading a database that this process does not own: nothing is written beside it, and where another process owns it, a copy is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use crate::OpenStoreError;
use crate::database::{BUSY_TIMEOUT, connect, inspect, newest, refuse_newer, refused, version};

/// Bytes of a database that is copied to be read while another process owns it.
const COPY_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;

/// A copy is made again where the owner changed the file meanwhile.
const COPY_ATTEMPTS: u32 = 8;
const COPY_ATTEMPT_PAUSE: Duration = Duration::from_millis(40);

/// A connection for one read, with the copy that it reads where another process owns the database.
pub(crate) struct OneRead {
    pub(crate) connection: Connection,
    _copy: Option<TempDir>,
}

/// Opens the database without writing to it; `None` where there is nothing in it yet.
pub(crate) fn open_for_one_read(path: &Path) -> Result<Option<OneRead>, OpenStoreError> {
    if !inspect(path)? {
        return Ok(None);
    }
    // Without a log nobody writes, and reading needs no files beside the database. With one it does.
    let busy = ["state.db-wal", "state.db-journal"]
        .iter()
        .any(|name| path.with_file_name(name).exists());
    match open_as_it_is(path, immutable_uri(path).filter(|_| !busy)) {
        Err(OpenStoreError::Database { source, .. })
            if matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            ) =>
        {
            let copy = copied(path)?;
            let connection = open_as_it_is(&copy.path().join("state.db"), None)?;
            Ok(connection.map(|connection| OneRead {
                connection,
                _copy: Some(copy),
            }))
        }
        opened => Ok(opened?.map(|connection| OneRead {
            connection,
            _copy: None,
        })),
    }
}

fn open_as_it_is(path: &Path, quiet: Option<String>) -> Result<Option<Connection>, OpenStoreError> {
    let failed = |source| refused(path, source);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match quiet {
        Some(uri) => connect(Path::new(&uri), flags | OpenFlags::SQLITE_OPEN_URI, None),
        None => connect(path, flags, None),
    };
    let connection = connection.map_err(failed)?;
    // An owner is there or is not; it does not go away while somebody waits.
    connection.busy_timeout(COPY_ATTEMPT_PAUSE).map_err(failed)?;
    let found = version(&connection).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    refuse_newer(path, found)?;
    match found {
        0 => Ok(None),
        found if found < newest() => Err(OpenStoreError::Older {
            path: path.to_path_buf(),
        }),
        _ => Ok(Some(connection)),
    }
}

/// A copy of the database and its log that belong together. The owner adds to the log all the time, and the end of a copy may
/// be torn, which readers of a log expect. The database itself changes only when the log is moved into it.
fn copied(path: &Path) -> Result<TempDir, OpenStoreError> {
    let failed = |source| OpenStoreError::Io {
        path: path.to_path_buf(),
        source,
    };
    let log = path.with_file_name("state.db-wal");
    let look = || -> io::Result<(u64, Option<SystemTime>, Vec<u8>)> {
        let metadata = path.metadata()?;
        let mut head = Vec::with_capacity(32);
        match File::open(&log) {
            Ok(file) => file.take(32).read_to_end(&mut head).map(drop)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok((metadata.len(), metadata.modified().ok(), head))
    };
    let mut attempt = 1;
    loop {
        let before = look().map_err(failed)?;
        if before.0 > COPY_BYTES_MAX {
            return Err(failed(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "another engine owns it, and it is too large to copy",
            )));
        }
        let copy = tempfile::Builder::new()
            .prefix("engine-state-")
            .tempdir()
            .map_err(failed)?;
        match std::fs::copy(&log, copy.path().join("state.db-wal")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        std::fs::copy(path, copy.path().join("state.db")).map_err(failed)?;
        let same = look().map_err(failed)? == before;
        if same || attempt == COPY_ATTEMPTS {
            return Ok(copy);
        }
        attempt += 1;
        std::thread::sleep(COPY_ATTEMPT_PAUSE);
    }
}

/// The address of a database that is not expected to change while it is open.
#[cfg(unix)]
fn immutable_uri(path: &Path) -> Option<String> {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt;
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            write!(uri, "%{byte:02x}").ok()?;
        }
    }
    uri.push_str("?immutable=1");
    Some(uri)
}

/// The address of a database that is not expected to change while it is open.
#[cfg(not(unix))]
fn immutable_uri(_path: &Path) -> Option<String> {
    None
}
