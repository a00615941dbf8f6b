//! Tests of the tables, the references and the query.

mod paragraphs;
mod query;
mod references;
mod tables;
mod transitions;
mod two_starts;
