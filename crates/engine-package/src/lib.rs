//! The audit package as bytes: how it is written, and how it is read by someone who trusts none of it.
//!
//! A package is a gzip of a tar archive in which everything that could differ without meaning anything is fixed: the
//! same state gives the same bytes, and a reader can refuse whatever is not written in just this way. What the engine
//! writes and what the offline verifier reads is declared here, once.
//!
//! | part | here |
//! |---|---|
//! | the archive | [`Writer`], [`read`] |
//! | what lies in it | [`Manifest`], [`checksums`] |
//! | who says so | [`Statement`], in a DSSE envelope |
//! | which keys | [`KeyList`] |
//! | which documents | [`DocumentIndex`] |
//! | which evaluations | [`EvalIndex`], [`portable_eval`] |
//! | which claim rests on what | [`Matrix`] |
//! | the result of a scan, fit to be handed on | [`portable`], [`portable_bytes`], [`portable_findings`] |

mod archive;
mod contents;
mod evals;
mod matrix;
mod portable;
mod statement;

#[cfg(test)]
mod tests;

pub use archive::{
    ArchiveError, FILE_BYTES_MAX, FILES_MAX, Finished, PATH_BYTES_MAX, TOTAL_BYTES_MAX, Visit, Writer, Written,
    path_is_plain, read,
};
pub use contents::{
    DocumentIndex, DocumentRecord, DocumentStanding, FileRecord, HeadList, KeyList, KeyRecord, Manifest, checksums,
    path_order, paths,
};
pub use evals::{EvalIndex, EvalIndexed, EvalStanding, eval_bytes, is_portable_eval, portable_eval, run_of};
pub use matrix::{Claim, Evaluated, Matrix};
pub use portable::{portable, portable_bytes, portable_findings};
pub use statement::{PAYLOAD_TYPE, PREDICATE_TYPE, Predicate, Statement, StatementError, Subject, SubjectDigest};
