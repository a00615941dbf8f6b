//! Tests over every document.

mod documents;
mod fixture;
mod languages;
mod merging;
mod templates;
