//! Sends results to a dashboard that the user names.
//!
//! The contract with a dashboard is made of the types in [`wire`]; [`contract`] describes them as an `OpenAPI` 3.1 document, so that
//! anyone can implement the other side. A [`Dashboard`] sends: each request has a deadline and a key by which a repetition is
//! recognised, and is repeated after a pause where that can help. Items are sent in batches, and each has its own outcome. Of the
//! evidence chain only new entries are sent, and only while what the dashboard has is a beginning of it.
//!
//! The token is in one header and nowhere else: it has no `Serialize`, hides in `Debug`, and is taken out of every text of the
//! dashboard.

mod address;
mod batch;
mod contract;
mod dashboard;
mod error;
mod token;
mod upload;
pub mod wire;

pub use address::{Address, BadAddress};
pub use batch::{Outcome, Outgoing, Pushed};
pub use contract::contract;
pub use dashboard::Dashboard;
pub use error::SyncError;
pub use token::{BadToken, Token};
pub use upload::{ChainSource, Uploaded};

#[cfg(test)]
mod tests;
