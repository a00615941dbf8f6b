//! Languages lowered from tree-sitter trees into one small intermediate form.
//!
//! `lower` takes the text of a file and gives its [`Module`]. Text that does not parse gives fewer statements, never an
//! error; text that nests too deep gives a truncated module that says so.

pub mod ir;
mod lower;
pub mod tree;

pub use ir::Module;
#[cfg(feature = "typescript")]
pub use lower::{is_component, is_page, lower_component};
pub use lower::{lower, supports};

#[cfg(test)]
mod tests;
