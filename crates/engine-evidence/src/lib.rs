//! The evidence chain of a project: what was done when, in an order that nobody can change unseen.
//!
//! An entry holds the digest of the one before it, so that the last digest stands for all. Each entry is signed, and the
//! head (how many entries, and one Merkle root over all of them) is signed as well and remembered elsewhere: an edit, a
//! removed entry, a cut tail, an old copy and a foreign key each give their own verdict.
//!
//! Nothing here opens a file or reads a clock. [`Chain`] makes entries and [`Verification`] judges them; both the daemon
//! and the offline verifier use the same code.

mod chain;
mod entry;
mod verdict;
mod verify;

#[cfg(test)]
mod tests;

pub use chain::{AppendError, Appended, Chain, ChainState};
pub use entry::{Artifact, Draft, ENTRY_BYTES_MAX, Entry, EntryError, EntryType, Genesis, Introduction};
pub use verdict::{Issue, IssueKind, Report, Verdict};
pub use verify::{Remembered, Row, Stated, Verification, VerifiedPrefix};
