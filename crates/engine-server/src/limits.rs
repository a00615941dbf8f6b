//! The resource limits of the daemon.

use std::time::Duration;

/// Longest body of a request.
pub(crate) const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Longest request line and headers together.
pub(crate) const HEADER_BYTES_MAX: usize = 32 * 1024;

/// The most bytes of a refused body that are discarded, so that the client can read the reply.
pub(crate) const DISCARDED_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Bytes of all bodies that the daemon holds at the same time.
pub(crate) const BODIES_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes of bodies that are worked on at the same time; larger ones wait for their turn.
pub(crate) const BODY_WORK_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes a second of a body after its start.
pub(crate) const BODY_BYTES_PER_SECOND_MIN: usize = 8 * 1024;

/// Bytes of replies that clients have not read yet, over all connections.
pub(crate) const REPLIES_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A shorter reply does not wait for the budget of replies.
pub(crate) const REPLY_BYTES_FREE: u64 = 64 * 1024;

/// Connections that wait for a place among the others.
pub(crate) const WAITING_MAX: usize = 128;

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
    /// Of these, connections kept for requests that move: once fewer are free, slow ones are closed.
    pub reserved: usize,
    /// How long the body of a request may take.
    pub body_read: Duration,
    /// How long a body may come slowly at its start, and how long it may pause.
    pub body_grace: Duration,
    /// How long a connection must have been without a byte before it is closed to make room.
    pub slow: Duration,
    /// How long a new connection waits for a place.
    pub admission: Duration,
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
            reserved: 64,
            streams: 64,
            header_read: Duration::from_secs(10),
            idle: Duration::from_mins(1),
            body_read: Duration::from_secs(30),
            body_grace: Duration::from_secs(5),
            slow: Duration::from_millis(1500),
            admission: Duration::from_secs(2),
            write_stall: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
            stop: Duration::from_secs(10),
        }
    }
}
