//! Texts of report, badge, page and documents in each language, as data.
//!
//! Each language is one file in `data/`: a key and its text. Placeholders are names in braces. [`Key`] and [`Counted`] name the texts that Rust
//! code uses; headings of documents and texts of the page are looked up by their key.

mod catalogue;
mod keys;
mod language;

pub use catalogue::Messages;
pub use keys::{Counted, Key};
pub use language::Language;

#[cfg(test)]
mod tests;
