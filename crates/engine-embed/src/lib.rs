//! Files that are part of the program, kept compressed in it.
//!
//! The data files, templates and probes take a quarter of their size this way. Each is unpacked where it is read; who needs it
//! again keeps what was made of it.

use std::io::Read as _;

use flate2::read::DeflateDecoder;
use serde::de::DeserializeOwned;

/// Embeds a file as a [`Packed`]. Its path is relative to the source file and may be given in parts: `embed!("../data/" "law.json")`.
extern crate self as engine_embed;
pub use engine_embed_macro::embed;

/// A file in the program.
#[derive(Clone, Copy)]
pub struct Packed {
    deflated: &'static [u8],
    length: usize,
}

impl Packed {
    /// What [`embed!`] makes of a file: its bytes, deflated, and the length that they had.
    pub const fn new(deflated: &'static [u8], length: usize) -> Self {
        Self { deflated, length }
    }

    /// The length of the file in bytes.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether the file is empty.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bytes of the file.
    ///
    /// # Panics
    /// Never for what [`embed!`] made.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length);
        #[expect(clippy::expect_used, reason = "the bytes were deflated when the program was built")]
        DeflateDecoder::new(self.deflated)
            .read_to_end(&mut bytes)
            .expect("an embedded file can be unpacked");
        bytes
    }

    /// The text of the file.
    ///
    /// # Panics
    /// For a file that is not UTF-8.
    pub fn text(&self) -> String {
        #[expect(clippy::expect_used, reason = "a file that is read as a text is one of this project")]
        String::from_utf8(self.bytes()).expect("an embedded text is UTF-8")
    }
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Packed({} bytes)", self.length)
    }
}

/// What is wrong with a table of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTable(String);

impl BadTable {
    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for BadTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadTable {}

/// Reads a table in TOML that is part of the program.
///
/// It goes through plain values. Reading each type from TOML itself takes three times the code, and tells the line of a mistake, which
/// helps where a person writes the file.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, BadTable> {
    let value: serde_json::Value = toml::from_str(text).map_err(|error| BadTable(error.to_string()))?;
    T::deserialize(value).map_err(|error| BadTable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Packed = embed!("lib.rs");

    #[test]
    fn a_file_is_what_it_was() {
        assert_eq!(SOURCE.text(), include_str!("lib.rs"));
        assert_eq!(SOURCE.len(), include_str!("lib.rs").len());
        assert!(SOURCE.deflated.len() < SOURCE.len() / 2, "{}", SOURCE.deflated.len());
        assert!(!SOURCE.is_empty());
    }

    #[test]
    fn a_path_may_come_in_parts() {
        macro_rules! embedded {
            ($name:literal) => {
                embed!("../" $name)
            };
        }
        assert_eq!(embedded!("Cargo.toml").text(), include_str!("../Cargo.toml"));
    }
}
