//! The resource limits of the daemon.

use std::time::Duration;

/// Longest body of a request.
pub(crate) const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Longest request line and headers together.
pub(crate) const HEADER_BYTES_MAX: usize = 32 * 1024;

/// The most bytes of a refused body that are discarded, so that the client can read the reply.
pub(crate) const DISCARDED_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Connections that wait to be accepted.
pub(crate) const BACKLOG: u32 = 1024;

/// Limits that a test may want to be smaller.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at the same time. One more evicts the one that has been idle longest.
    pub connections: usize,
    /// Event streams at the same time.
    pub streams: usize,
    /// How long the header section of a request may take.
    pub header_read: Duration,
    /// How long a connection may wait for a request.
    pub idle: Duration,
    /// How long the body of a request may take.
    pub body_read: Duration,
    /// How long a client may stop reading its reply.
    pub write_stall: Duration,
    /// Pause between two heartbeats on an event stream.
    pub heartbeat: Duration,
    /// How long requests may run after the stop signal.
    pub stop: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // With event streams, files and the state of projects this stays below 1,024 open files, the usual limit.
            connections: 512,
            streams: 64,
            header_read: Duration::from_secs(10),
            idle: Duration::from_mins(1),
            body_read: Duration::from_secs(30),
            write_stall: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
            stop: Duration::from_secs(10),
        }
    }
}
