//! What can go wrong.

use thiserror::Error;

/// Why a document could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PdfError {
    /// The title is empty. A tagged PDF must have one.
    #[error("the document has no title")]
    NoTitle,
    /// A bundled font could not be read.
    #[error("the bundled font {0} cannot be read")]
    Font(&'static str),
    /// The file breaks a rule of PDF/UA-1 or a limit of the format.
    #[error("the PDF cannot be written: {0}")]
    Writer(String),
}
