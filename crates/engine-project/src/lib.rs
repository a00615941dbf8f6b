//! Walks a source tree once and hands every file to a reader, in a stable order.
//!
//! Nothing leaves the crate but through a reader, so that memory is bounded by a window of bytes in flight and not by
//! the size of the tree. Whatever is not read is recorded with its reason; a folder that is left out is one record.
//! The walk depends on nothing outside the tree: ignore files above the root and the settings of a user's git are not
//! looked at, so that the same tree gives the same result under another path. The data of a second work tree or a submodule
//! is the one exception: it lies where the file `.git` says. The walk writes nothing; [`Root::stage`] and its
//! companions change single files for a fix that somebody asked for.

#![cfg_attr(
    any(test, not(unix)),
    expect(clippy::disallowed_methods, reason = "this crate owns the reading of source trees")
)]

mod disk;
mod edit;
mod enclosing;
mod folder;
mod ignore_rules;
mod large;
mod pattern;
mod read;
mod repository;
mod root;
mod secret_name;
mod tracked;
mod tree;
mod walk;

#[cfg(test)]
mod tests;

pub use edit::{EditError, Present, Staged};
pub use enclosing::{Tracking, tracking};
pub use folder::is_left_out;
pub use large::{LargeFile, ranges, read_large};
pub use read::{IgnoredFile, Known, Limits, Options, Stat, Walked, read, read_changed, read_files};
pub use root::{OpenProjectError, Root, open};
pub use secret_name::is_secret_name;
#[doc(hidden)]
pub use tracked::paths_in_index;
pub use tree::Tree;
