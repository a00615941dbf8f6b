//! The thin hyper edge: accept, route, limits, shutdown, and the command line.
//!
//! What an endpoint answers is decided in `engine-api` and below. This crate adds what no endpoint should repeat: it
//! listens on loopback only, refuses what a foreign web page could send, bounds every resource that a client can take,
//! turns a panic into an answer, and stops without losing what was begun.

mod answer_command;
mod bodies;
mod body;
mod cli;
mod command;
mod connection;
mod doc_command;
mod eval_command;
mod evidence_command;
mod fix_command;
mod guard;
mod handle;
mod io;
mod limits;
mod log_writer;
mod model_command;
mod page;
mod reply;
mod report_command;
mod server;
mod sync_command;
mod tools_command;

pub use cli::run;
pub use guard::{Token, TokenError};
pub use limits::Limits;
pub use server::{BindError, Server, Settings};

#[cfg(test)]
mod tests;
