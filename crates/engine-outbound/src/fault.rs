//! What can go wrong between the request and the last byte of its reply.

use crate::guard::Refused;

/// A request without a usable reply. Messages name host and port, and nothing else of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The name has no address.
    #[error("could not resolve `{destination}`; check the spelling of the host and the DNS")]
    Unresolved {
        /// Host and port.
        destination: String,
    },
    /// The address must not be reached.
    #[error("`{destination}` is blocked: it is {why}")]
    Blocked {
        /// Host and port.
        destination: String,
        /// Why.
        why: Refused,
    },
    /// Nobody listens.
    #[error("`{destination}` refused the connection")]
    ConnectionRefused {
        /// Host and port.
        destination: String,
    },
    /// No encrypted connection came about.
    #[error("could not open a trusted TLS connection to `{destination}`; check its certificate and TLS settings")]
    Tls {
        /// Host and port.
        destination: String,
    },
    /// Nothing came before the deadline.
    #[error("no reply from `{destination}` within {waited_ms} ms")]
    NoReply {
        /// Host and port.
        destination: String,
        /// How long was waited.
        waited_ms: u64,
    },
    /// A reply began and did not end before the deadline.
    #[error("the reply from `{destination}` was incomplete after {waited_ms} ms and {bytes} bytes")]
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
    #[error("the reply from `{destination}` ended early, after {bytes} bytes")]
    Truncated {
        /// Host and port.
        destination: String,
        /// What had come by then.
        bytes: u64,
    },
    /// The reply goes on and on.
    #[error("the reply from `{destination}` exceeded the size limit; reading stopped after {bytes} bytes")]
    Endless {
        /// Host and port.
        destination: String,
        /// Where it was left.
        bytes: u64,
    },
    /// Few bytes that unpack to very many.
    #[error("the compressed reply from `{destination}` expands from {packed} bytes to more than {unpacked}")]
    Bomb {
        /// Host and port.
        destination: String,
        /// Bytes on the wire.
        packed: u64,
        /// Bytes after unpacking, as far as it was done.
        unpacked: u64,
    },
    /// A redirect that is not followed.
    #[error("`{destination}` redirects to `{to}`; the engine does not follow this redirect")]
    Redirect {
        /// Host and port.
        destination: String,
        /// Host and port of where it leads, or what was wrong with it.
        to: String,
    },
    /// A content coding that nobody asked for, or a broken one.
    #[error("could not decompress the reply from `{destination}`")]
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
