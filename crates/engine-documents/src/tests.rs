//! Tests over every document.

mod documents;
mod fixture;
mod merging;
mod templates;
