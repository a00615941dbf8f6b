//! The only crate that opens connections outward.
//!
//! Every request has a deadline, every reply a limit. Addresses that belong to the machine's own network card or to a
//! cloud's metadata service are refused after the name was resolved, so that no name can lead there. Redirects stay on
//! their host. Nothing that could be a secret, neither a header's value nor a query, stands in an error or in the list of
//! destinations.

mod body;
mod client;
mod connector;
mod fault;
mod guard;
mod ledger;
mod target;

pub use client::{Client, Limits, Opened, Reply, Request};
pub use fault::Fault;
pub use guard::{Refused, refused};
pub use ledger::Destination;
pub use target::{BadTarget, Target};

pub use http::{HeaderMap, HeaderName, HeaderValue, Method};

#[cfg(test)]
mod tests;
