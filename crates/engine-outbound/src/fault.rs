//! What can go wrong between the request and the last byte of its reply.

use crate::guard::Refused;

/// A request without a usable reply. Messages name host and port, and nothing else of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The name has no address.
    #[error("no address is known for `{destination}`")]
    Unresolved {
        /// Host and port.
        destination: String,
    },
    /// The address must not be reached.
    #[error("`{destination}` is {why}, which is never called")]
    Blocked {
        /// Host and port.
        destination: String,
        /// Why.
        why: Refused,
    },
    /// Nobody listens.
    #[error("nothing accepts connections at `{destination}`")]
    ConnectionRefused {
        /// Host and port.
        destination: String,
    },
    /// No encrypted connection came about.
    #[error("no trusted encrypted connection to `{destination}`")]
    Tls {
        /// Host and port.
        destination: String,
    },
    /// Nothing came before the deadline.
    #[error("`{destination}` gave no reply within {waited_ms} ms")]
    NoReply {
        /// Host and port.
        destination: String,
        /// How long was waited.
        waited_ms: u64,
    },
    /// A reply began and did not end before the deadline.
    #[error("the reply of `{destination}` had not ended after {waited_ms} ms and {bytes} bytes")]
    TooSlow {
        /// Host and port.
        destination: String,
        /// How long was waited.
        waited_ms: u64,
        /// What had come by then.
        bytes: u64,
    },
    /// The connection was cut before a reply.
    #[error("`{destination}` closed the connection without a reply")]
    Reset {
        /// Host and port.
        destination: String,
    },
    /// The connection was cut within a reply.
    #[error("the reply of `{destination}` broke off after {bytes} bytes")]
    Truncated {
        /// Host and port.
        destination: String,
        /// What had come by then.
        bytes: u64,
    },
    /// The reply goes on and on.
    #[error("the reply of `{destination}` was left after {bytes} bytes")]
    Endless {
        /// Host and port.
        destination: String,
        /// Where it was left.
        bytes: u64,
    },
    /// Few bytes that unpack to very many.
    #[error("the reply of `{destination}` unpacks {packed} bytes to more than {unpacked}")]
    Bomb {
        /// Host and port.
        destination: String,
        /// Bytes on the wire.
        packed: u64,
        /// Bytes after unpacking, as far as it was done.
        unpacked: u64,
    },
    /// A redirect that is not followed.
    #[error("`{destination}` sends on to `{to}`, which is not followed")]
    Redirect {
        /// Host and port.
        destination: String,
        /// Host and port of where it leads, or what was wrong with it.
        to: String,
    },
    /// A content coding that nobody asked for, or a broken one.
    #[error("the reply of `{destination}` is packed in a way that cannot be read")]
    Encoding {
        /// Host and port.
        destination: String,
    },
    /// Not HTTP.
    #[error("`{destination}` does not speak HTTP/1.1")]
    Protocol {
        /// Host and port.
        destination: String,
    },
    /// Anything else of the network.
    #[error("the connection to `{destination}` failed")]
    Network {
        /// Host and port.
        destination: String,
    },
}

impl Fault {
    /// A stable short name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unresolved { .. } => "unresolved",
            Self::Blocked { .. } => "blocked-address",
            Self::ConnectionRefused { .. } => "connection-refused",
            Self::Tls { .. } => "tls",
            Self::NoReply { .. } => "no-reply",
            Self::TooSlow { .. } => "too-slow",
            Self::Reset { .. } => "reset",
            Self::Truncated { .. } => "truncated",
            Self::Endless { .. } => "endless",
            Self::Bomb { .. } => "bomb",
            Self::Redirect { .. } => "redirect",
            Self::Encoding { .. } => "encoding",
            Self::Protocol { .. } => "protocol",
            Self::Network { .. } => "network",
        }
    }

    /// Whether the request never reached anybody.
    pub fn before_sending(&self) -> bool {
        matches!(
            self,
            Self::Unresolved { .. } | Self::Blocked { .. } | Self::ConnectionRefused { .. } | Self::Tls { .. }
        )
    }
}
