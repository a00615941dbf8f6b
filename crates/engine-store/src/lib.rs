//! The state directory: lock, atomic file writes, and one `SQLite` database.
//!
//! Everything lies in `<project>/.compliance/`, and nothing is written beside it. Files that a person reads or git keeps
//! (passports, documents, reports, settings) are plain files; what is queried (the history of scans) is in `state.db`.

#![expect(
    clippy::disallowed_methods,
    reason = "this crate owns the files of the state directory"
)]

mod database;
mod lock;
mod scans;
mod state_dir;

#[cfg(test)]
mod tests;

pub use database::{OpenStoreError, Store, StoreError};
pub use lock::{Holder, Lock, LockError};
pub use scans::{FULL_RESULTS_MAX, ScanSummary};
pub use state_dir::{Mode, OpenStateError, STATE_DIR_NAME, STATE_FILE_BYTES_MAX, StateDir, StateFileError};
