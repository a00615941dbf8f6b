//! Where connections went since the start, for anyone who asks.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More destinations than these are counted together under `other`.
const DESTINATIONS_MAX: usize = 1000;

/// One host and port that was contacted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Destination {
    /// Host and port.
    pub destination: String,
    /// Requests sent or tried.
    pub requests: u64,
    /// Requests that ended in a fault of the connection.
    pub faults: u64,
    /// Bytes of bodies sent.
    pub bytes_sent: u64,
    /// Bytes of bodies received, as they came over the wire.
    pub bytes_received: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<BTreeMap<String, Destination>>);

impl Ledger {
    pub(crate) fn add(&self, destination: &str, sent: u64, received: u64, fault: bool) {
        // A panic elsewhere cannot leave a half-written record here, so a poisoned lock still holds good counts.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = if all.len() >= DESTINATIONS_MAX && !all.contains_key(destination) {
            "other"
        } else {
            destination
        };
        if !all.contains_key(name) {
            let entry = Destination {
                destination: name.to_owned(),
                ..Destination::default()
            };
            all.insert(name.to_owned(), entry);
        }
        if let Some(entry) = all.get_mut(name) {
            entry.requests += 1;
            entry.faults += u64::from(fault);
            entry.bytes_sent += sent;
            entry.bytes_received += received;
        }
    }

    pub(crate) fn destinations(&self) -> Vec<Destination> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().cloned().collect()
    }
}
