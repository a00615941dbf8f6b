//! The state directory: lock, atomic file writes, and one `SQLite` database.
//!
//! Everything of a project lies in `<project>/.compliance/`, and nothing is written beside it. Signing keys and the memory
//! of heads lie in the user's data directory, out of reach of whoever can write to a project. Files that a person reads or git keeps
//! (passports, documents, reports, settings) are plain files; what is queried (the history of scans, the evidence chain) is in `state.db`.

#![expect(
    clippy::disallowed_methods,
    reason = "this crate owns the files of the state directory"
)]

mod beneath;
mod database;
mod evals;
mod evidence;
mod facts;
mod files;
mod fixes;
mod lock;
mod one_read;
mod personal;
mod scans;
mod shares;
mod state_dir;
mod trusted_settings;
mod user_dir;
mod writer;
mod written;

#[cfg(test)]
mod tests;

pub use database::{OpenStoreError, Store, StoreError};
pub use evals::{EvalFilter, EvalRow, FULL_RUNS_MAX, FinishedEval, JournalRow, NewEval, RunKind, RunState};
pub use evidence::{
    AUDIT_ROWS_MAX, AuditFilter, AuditPage, AuditRow, EVIDENCE_ROWS_AT_ONCE, EvidenceAdded, EvidenceSnapshot,
};
pub use facts::FactRow;
pub use files::FileChange;
pub use fixes::{FixRow, FixStatus, FixedFile, NewFix, TextEdit};
pub use lock::{Holder, Lock, LockError};
pub use personal::{Personal, PersonalRecord};
pub use scans::{FULL_RESULTS_MAX, ScanSummary};
pub use shares::{NewShare, ShareRow, SharedContent, new_share_id};
pub use state_dir::{
    Mode, OpenStateError, STATE_DIR_NAME, STATE_FILE_BYTES_MAX, STATE_NAMES_MAX, StagedFile, StateDir, StateFileError,
};
pub use user_dir::{Keys, UserDir, UserDirError};
pub use written::{WrittenLists, WrittenScan};
