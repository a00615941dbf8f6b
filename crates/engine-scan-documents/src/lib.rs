//! L2: documents held against the section lists of the law.
//!
//! [`read()`] takes the outline of one file: its headings and what stands below each. [`join`] tells which of the outlines
//! are documents of the kinds that the law knows, by what they say and not by how they are named. [`CHECKS`] look at
//! what is missing. A heading without text, a placeholder and a template's own instructions are no substance.

mod checks;
mod classify;
mod dates;
mod facts;
mod html;
mod kinds;
mod markdown;
mod office;
mod pdf_text;
mod plain;
mod read;
mod substance;
mod words;

#[cfg(test)]
mod tests;

pub use checks::CHECKS;
pub use classify::join;
pub use facts::{DocumentFacts, FrontMatter, SectionFacts, Unread};
pub use read::{read, wants};
