//! L1: what the files of a project are, told by their content.
//!
//! [`read()`] looks at one file and says what it could be, with the line that told it. [`join`] keeps what plays a part in
//! the product. A name alone decides nothing: a file called `ci.yml` is a pipeline only if it has jobs.

mod checks;
mod kinds;
mod read;
mod view;

#[cfg(test)]
mod tests;

pub use checks::CHECKS;
pub use kinds::BROWSER_EXTENSION;
pub use read::{Candidate, FileFacts, join, read, wants};
