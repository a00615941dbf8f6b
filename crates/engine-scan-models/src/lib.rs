//! Model files, told and taken apart by their bytes and never loaded.
//!
//! [`read`] looks at a file that was read whole, [`read_part`] at one of any length of which only ranges are read: headers,
//! directories, serialised objects. Weights are passed over. Serialised Python objects run on an inert machine that tells
//! what they would import and call; nothing is imported and nothing is called. What is read or unpacked of one file is held
//! in by a budget of bytes, and what is kept by limits with names, whatever lengths the file states.
//!
//! Callables are judged by what they do and not by their package, by one table for all formats: `data/imports.toml`.

mod archive;
mod behaviour;
mod checks;
mod draft;
mod graphs;
mod imports;
mod keras;
mod loader;
mod pickle;
mod protobuf;
mod read;
mod script;
mod source;
mod template;
mod weights;

#[cfg(test)]
mod tests;

pub use checks::CHECKS;
pub use read::{HEAD_BYTES, ModelFacts, join, read, read_part, wants};
