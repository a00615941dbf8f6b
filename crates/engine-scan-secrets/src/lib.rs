//! Secrets in files: keys of AI services and clouds, tokens, passwords, private keys.
//!
//! [`read`] looks at one file and says where a secret stands, of which kind and how sure it is; the secret itself never
//! leaves it: what is kept is a mask of at most four characters and a keyed fingerprint. [`join`] hands the places on as
//! artefacts, on which [`CHECKS`] report. [`mask`] takes secrets out of any text before it leaves the engine.
//!
//! The rules are data in `rules/`: forms that give a key away, names of services and words. A rule is only tried where
//! one of its marks stands, on a window of bounded length, so that the time is linear in the length of the file whatever
//! the file holds.

mod assign;
mod block;
mod checks;
mod checksum;
mod dummy;
mod encoded;
mod facts;
mod find;
mod judge;
mod kubernetes;
mod name;
mod read;
mod rules;
mod samples;
mod url;

#[cfg(test)]
mod tests;

pub use checks::{CHECKS, join};
pub use facts::{Secret, SecretFacts};
pub use find::{mask, mask_lines};
pub use read::{read, wants};
pub use samples::expand_examples;
