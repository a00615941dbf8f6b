//! The database `state.db`: opening, migrating, and who may use which connection.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use thiserror::Error;

use crate::one_read::open_for_one_read;
use crate::writer::Writer;
use crate::{Mode, StateDir};

/// How long a statement waits for another process before it gives up.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The switch to the write-ahead log is not covered by the time-out above, so it is tried this often.
const WAL_ATTEMPTS: u32 = 20;
const WAL_ATTEMPT_PAUSE: Duration = Duration::from_millis(50);

/// How the owner of the state locks the database: for this process alone, with the index of the log in memory of its own. In
/// shared memory the index would be a file, and a process that empties that file would end this one with a bus error.
#[cfg(unix)]
const OWNER_VFS: Option<&str> = Some("unix-excl");
#[cfg(not(unix))]
const OWNER_VFS: Option<&str> = None;

/// Every step from one version of the schema to the next. A step that has shipped is never changed.
pub(crate) const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE scans (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        scanned_at TEXT NOT NULL,
        as_of TEXT NOT NULL,
        score REAL NOT NULL,
        applicability TEXT NOT NULL,
        findings INTEGER NOT NULL,
        agents INTEGER NOT NULL,
        regulation_version TEXT NOT NULL,
        engine_version TEXT NOT NULL,
        elapsed_ms REAL NOT NULL,
        result_version INTEGER NOT NULL,
        result BLOB
    ) STRICT;
    CREATE INDEX scans_with_result ON scans (seq) WHERE result IS NOT NULL;
    CREATE TABLE meta (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    "
    -- The text of an entry is all there is of it: what is queried is computed from it and cannot say anything else.
    CREATE TABLE evidence (
        seq INTEGER PRIMARY KEY,
        entry TEXT NOT NULL,
        type TEXT GENERATED ALWAYS AS (json_extract(entry, '$.type')) VIRTUAL,
        agent TEXT GENERATED ALWAYS AS (json_extract(entry, '$.agent')) VIRTUAL,
        time TEXT GENERATED ALWAYS AS (json_extract(entry, '$.timestamp')) VIRTUAL
    ) STRICT;
    CREATE INDEX evidence_by_type ON evidence (type, seq);
    CREATE INDEX evidence_by_agent ON evidence (agent, seq);
    CREATE TABLE evidence_end (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        state TEXT NOT NULL,
        head TEXT NOT NULL
    ) STRICT;
    -- Entries hold personal data by digest only, so that it can be erased and the chain stays whole.
    CREATE TABLE evidence_personal (
        digest TEXT PRIMARY KEY,
        salt TEXT NOT NULL,
        value TEXT NOT NULL,
        kept_until TEXT,
        legal_hold TEXT
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE facts (
        path TEXT PRIMARY KEY,
        facts BLOB NOT NULL,
        seal BLOB NOT NULL
    ) STRICT;
",
    "
    -- Runs against live endpoints. What is needed to go on with one stands in `plan`; no header, key or template does.
    CREATE TABLE eval_runs (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        agent TEXT,
        started_at TEXT NOT NULL,
        state TEXT NOT NULL,
        plan TEXT NOT NULL,
        score REAL,
        security REAL,
        result BLOB
    ) STRICT;
    CREATE INDEX eval_runs_by_kind ON eval_runs (kind, seq);
    -- Every question is here before it is sent, and its reply once it came: what was sent is never sent again.
    CREATE TABLE eval_journal (
        run INTEGER NOT NULL,
        question TEXT NOT NULL,
        turn TEXT,
        PRIMARY KEY (run, question)
    ) STRICT, WITHOUT ROWID;
",
    "
    -- What was observed is most of a result and mostly the same as before: it is kept once, and results name it.
    CREATE TABLE inventories (
        digest BLOB PRIMARY KEY,
        inventory BLOB NOT NULL
    ) STRICT;
    ALTER TABLE scans ADD COLUMN inventory BLOB;
    CREATE INDEX scans_by_inventory ON scans (inventory) WHERE inventory IS NOT NULL;
",
    "
    -- Systems and obligations are most of the rest, and as seldom another: they stand beside the inventories, named by their digest as well.
    ALTER TABLE scans ADD COLUMN law BLOB;
    CREATE INDEX scans_by_law ON scans (law) WHERE law IS NOT NULL;
",
    "
    -- Fixes, each with what is needed to finish it, to take it back, and to undo it. No secret stands here: where a fix takes one away,
    -- the bytes are not kept and the fix cannot be undone.
    CREATE TABLE fixes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        applied_at TEXT NOT NULL,
        status TEXT NOT NULL,
        record TEXT NOT NULL,
        files TEXT NOT NULL,
        evidence TEXT,
        undone_at TEXT
    ) STRICT;
    CREATE INDEX fixes_by_status ON fixes (status) WHERE status IN ('applying', 'undoing');
",
    "
    -- Shared results. The copies go when a share ends or is revoked; that there was one stays.
    CREATE TABLE shares (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        revoked_at TEXT,
        record TEXT NOT NULL,
        result BLOB,
        page TEXT
    ) STRICT;
    CREATE INDEX shares_with_copy ON shares (expires_at) WHERE result IS NOT NULL;
",
];

/// Pages of the log at which a change moves it into the database itself, where nobody did so beside the work.
const LOG_PAGES_MAX: u32 = 8_000;

/// The database of one state directory. It can be shared between threads; a read never waits for a write.
#[derive(Debug)]
pub struct Store {
    // The reader is declared first and so closed first: the last connection to close tidies up, which only the writer can.
    reader: Reader,
    writer: Option<Writer>,
    /// Names the database file on this machine.
    pub(crate) home: [u8; 16],
}

#[derive(Debug)]
enum Reader {
    Shared(Mutex<Connection>),
    /// In read-only mode each read opens the file anew, as another process may own, replace or create it meanwhile.
    PerRead(PathBuf),
}

/// Why the database cannot be used.
#[derive(Debug, Error)]
pub enum OpenStoreError {
    /// A newer engine has written it.
    #[error(
        "a newer engine wrote `{}` (version {found}, this engine knows {known}); update the engine. The file was not \
         changed", path.display()
    )]
    Newer {
        /// Path of the database.
        path: PathBuf,
        /// Version that was found.
        found: i64,
        /// Newest version that this engine knows.
        known: i64,
    },
    /// An older engine has written it, and it may not be changed now.
    #[error("an older engine wrote `{}`; run the engine once without read-only mode to upgrade it", path.display())]
    Older {
        /// Path of the database.
        path: PathBuf,
    },
    /// It is damaged, or no database.
    #[error("`{}` is damaged or not a database; move it away to start with a new one. The file was not changed", path.display())]
    Corrupt {
        /// Path of the database.
        path: PathBuf,
    },
    /// It is a link or a folder.
    #[error("`{}` is not a plain file; move it away. The engine does not follow links", path.display())]
    NotAFile {
        /// Path of the database.
        path: PathBuf,
    },
    /// The disk refused.
    #[error("cannot open `{}`", path.display())]
    Io {
        /// Path of the database.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// The database engine refused.
    #[error("cannot open the database `{}`", path.display())]
    Database {
        /// Path of the database.
        path: PathBuf,
        /// What it answered.
        #[source]
        source: rusqlite::Error,
    },
}

/// Why a read or a write of the database failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A scan of this id is stored already.
    #[error("a scan with the id `{id}` is already stored")]
    DuplicateScan {
        /// The id.
        id: String,
    },
    /// Of this scan only the summary is kept.
    #[error("only the summary of the scan `{id}` is stored; its findings were deleted after newer scans")]
    ResultDropped {
        /// The id.
        id: String,
    },
    /// The stored result has a shape that this engine does not read.
    #[error("this engine cannot read the stored result of the scan `{id}`; scan again")]
    UnreadableResult {
        /// The id.
        id: String,
        /// Where the shapes differ.
        #[source]
        source: serde_json::Error,
    },
    /// The result cannot be written as JSON.
    #[error("could not serialise the result of the scan `{id}`")]
    UnwritableResult {
        /// The id.
        id: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The store was opened for reading only.
    #[error("the state is open in read-only mode; start the engine without it to write")]
    ReadOnly,
    /// Another process kept the database busy for longer than a write waits.
    #[error("another process is using the database; try again")]
    Busy,
    /// The database is damaged.
    #[error("the database is damaged; stop the engine and move `state.db` away to start with a new one")]
    Corrupt,
    /// The database cannot be opened any more.
    #[error("could not open the database")]
    Open(#[source] Box<OpenStoreError>),
    /// The disk is full.
    #[error("the disk is full: nothing was written, and the stored data is intact; free some space and try again")]
    DiskFull,
    /// The disk failed.
    #[error("disk read or write error: nothing was changed; check free space, quotas and disk health")]
    Disk,
    /// The stored result of a run has a shape that this engine does not read.
    #[error("this engine cannot read the stored result of the run `{id}`; run it again")]
    UnreadableRun {
        /// The id.
        id: String,
        /// Where the shapes differ.
        #[source]
        source: serde_json::Error,
    },
    /// No personal data is kept under this digest.
    #[error("no personal data found for `{digest}`; it may have been erased")]
    NoPersonal {
        /// The digest.
        digest: String,
    },
    /// The personal data is under a legal hold.
    #[error("`{digest}` is under a legal hold ({reason}) and cannot be erased; release it first")]
    LegalHold {
        /// The digest.
        digest: String,
        /// Why it is held.
        reason: String,
    },
    /// An entry of the evidence chain cannot be added.
    #[error("could not add the entry to the evidence chain")]
    Evidence(#[source] Box<engine_evidence::AppendError>),
    /// The evidence chain's end cannot be read.
    #[error("could not read the end of the evidence chain; verify the chain to find the cause")]
    EvidenceEnd,
    /// The changes that waited with this one could not be committed.
    #[error("could not commit the change: {0}")]
    NotCommitted(String),
    /// A file that changes together with an entry cannot be read or written.
    #[error("could not change a state file")]
    File(#[from] crate::StateFileError),
    /// The database engine refused.
    #[error("the database rejected the request")]
    Database(#[source] rusqlite::Error),
}

impl From<engine_evidence::AppendError> for StoreError {
    fn from(error: engine_evidence::AppendError) -> Self {
        Self::Evidence(Box::new(error))
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::SystemIoFailure) => Self::Disk,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            // Of a statement that is written here and worked before, a logic error says that tables are gone or others.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => Self::Corrupt,
            _ => Self::Database(error),
        }
    }
}

impl Store {
    /// Opens the database of a state directory, creates it where it lacks, and brings it up to date.
    pub fn open(state: &StateDir) -> Result<Self, OpenStoreError> {
        let path = state.path().join("state.db");
        if state.mode() == Mode::ReadOnly {
            // The file is looked at now, so that a reader that cannot work is refused at the start.
            open_for_one_read(&path)?;
            return Ok(Self {
                home: crate::facts::home(&path),
                reader: Reader::PerRead(path),
                writer: None,
            });
        }
        inspect(&path)?;
        // Created here and not by the database engine, so that only the owner can read it.
        drop(state.open_own("state.db").map_err(|source| OpenStoreError::Io {
            path: path.clone(),
            source,
        })?);
        let writer = open_writer(&path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = connect(&path, flags, OWNER_VFS).map_err(|source| refused(&path, source))?;
        Ok(Self {
            reader: Reader::Shared(Mutex::new(reader)),
            writer: Some(Writer::new(writer)),
            home: crate::facts::home(&path),
        })
    }

    /// Runs a read; `empty` is the answer where there is no database yet.
    pub(crate) fn with_reader<T>(
        &self,
        empty: T,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match &self.reader {
            Reader::Shared(connection) => read(&locked(connection)),
            Reader::PerRead(path) => {
                let connection = open_for_one_read(path).map_err(|error| StoreError::Open(Box::new(error)))?;
                connection.map_or(Ok(empty), |one| read(&one.connection))
            }
        }
    }

    pub(crate) fn writer(&self) -> Result<MutexGuard<'_, Connection>, StoreError> {
        self.writer.as_ref().map(Writer::connection).ok_or(StoreError::ReadOnly)
    }

    /// Makes a change in a transaction. Changes that wait at the same time are committed together, so that many callers
    /// cost little more than one; each succeeds or fails alone. After the return the change survives a crash.
    ///
    /// # Errors
    ///
    /// What the change itself answers, or why it could not be committed.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.as_ref().ok_or(StoreError::ReadOnly)?.change(change)
    }
}

/// A panic between two statements leaves the connection whole: its transaction was rolled back on the way out.
pub(crate) fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn refused(path: &Path, source: rusqlite::Error) -> OpenStoreError {
    let path = path.to_path_buf();
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => OpenStoreError::Corrupt { path },
        _ => OpenStoreError::Database { path, source },
    }
}

/// Looks at the first bytes of the file, so that what must not be touched is never opened as a database.
/// Returns whether there is anything in it.
pub(crate) fn inspect(path: &Path) -> Result<bool, OpenStoreError> {
    let failed = |source| OpenStoreError::Io {
        path: path.to_path_buf(),
        source,
    };
    let name = path.file_name().unwrap_or_default();
    for ending in ["-wal", "-shm", "-journal"] {
        let mut beside = name.to_owned();
        beside.push(ending);
        let beside = path.with_file_name(beside);
        if beside.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(OpenStoreError::NotAFile { path: beside });
        }
    }
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => {
            return Err(OpenStoreError::NotAFile {
                path: path.to_path_buf(),
            });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(error)),
    }
    let mut head = Vec::with_capacity(100);
    File::open(path)
        .map_err(failed)?
        .take(100)
        .read_to_end(&mut head)
        .map_err(failed)?;
    if head.is_empty() {
        return Ok(false);
    }
    // The format of the file: 16 bytes that name it, and the user's version at byte 60, the highest byte first.
    let version = head
        .get(60..64)
        .and_then(|bytes| <[u8; 4]>::try_from(bytes).ok())
        .map(i32::from_be_bytes);
    match version {
        Some(version) if head.len() == 100 && head.starts_with(b"SQLite format 3\0") => {
            refuse_newer(path, i64::from(version)).map(|()| true)
        }
        _ => Err(OpenStoreError::Corrupt {
            path: path.to_path_buf(),
        }),
    }
}

pub(crate) fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

pub(crate) fn refuse_newer(path: &Path, found: i64) -> Result<(), OpenStoreError> {
    // A negative version was never written by any engine.
    if (0..=newest()).contains(&found) {
        Ok(())
    } else {
        Err(OpenStoreError::Newer {
            path: path.to_path_buf(),
            found,
            known: newest(),
        })
    }
}

pub(crate) fn connect(path: &Path, flags: OpenFlags, vfs: Option<&str>) -> rusqlite::Result<Connection> {
    let connection = match vfs {
        Some(vfs) => Connection::open_with_flags_and_vfs(path, flags, vfs)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Views and triggers of a database that came with a project must not run functions with effects.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;")?;
    Ok(connection)
}

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn open_writer(path: &Path) -> Result<Connection, OpenStoreError> {
    let failed = |source| refused(path, source);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = connect(path, flags, OWNER_VFS).map_err(failed)?;
    // The version may stand in the log and not yet in the file. Until it is known, closing must leave both as they are.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(failed)?;
    refuse_newer(path, version(&connection).map_err(failed)?)?;
    connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
        .map_err(failed)?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
        .map_err(failed)?;
    use_log(&connection).map_err(failed)?;
    // What is erased is overwritten: personal data must not linger in pages that are free.
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON;")
        .map_err(failed)?;
    // Whoever waits for a change does not wait for the log to be moved as well: see `Store::tidy`.
    connection
        .pragma_update(None, "wal_autocheckpoint", LOG_PAGES_MAX)
        .map_err(failed)?;
    migrate(path, &mut connection)?;
    Ok(connection)
}

fn use_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut attempt = 1;
    loop {
        // A file system that cannot share memory answers with another mode, which is slower and as safe.
        match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
            Err(error) if attempt < WAL_ATTEMPTS && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                attempt += 1;
                std::thread::sleep(WAL_ATTEMPT_PAUSE);
            }
            answer => return answer,
        }
    }
}

fn migrate(path: &Path, connection: &mut Connection) -> Result<(), OpenStoreError> {
    let failed = |source| refused(path, source);
    loop {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        // Asked inside the transaction, as another process may have taken this very step.
        let found = version(&transaction).map_err(failed)?;
        refuse_newer(path, found)?;
        let Some(step) = usize::try_from(found).ok().and_then(|found| MIGRATIONS.get(found)) else {
            return Ok(());
        };
        transaction.execute_batch(step).map_err(failed)?;
        transaction
            .pragma_update(None, "user_version", found + 1)
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
}
