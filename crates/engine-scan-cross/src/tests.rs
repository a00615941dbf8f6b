//! Statements of files, and what makes none.
