//! What ends a synchronisation early.

use engine_outbound::Fault;

/// Why a request to the dashboard brought no usable reply. Texts of the dashboard in it are cleaned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyncError {
    /// The dashboard refused the token.
    #[error("the dashboard `{dashboard}` refused the token (status {status}); check the token and its rights")]
    TokenRefused {
        /// Host and port.
        dashboard: String,
        /// 401 or 403.
        status: u16,
    },
    /// The dashboard answered with an error.
    #[error("the dashboard `{dashboard}` answered with status {status}{}{}", said(.message.as_deref()), wait(.retry_after.as_ref()))]
    Status {
        /// Host and port.
        dashboard: String,
        /// The status.
        status: u16,
        /// What it said about that.
        message: Option<String>,
        /// Seconds after which it wants to be asked again.
        retry_after: Option<u64>,
    },
    /// No reply in time.
    #[error("the dashboard `{dashboard}` gave no complete reply in time; try again later")]
    TimedOut {
        /// Host and port.
        dashboard: String,
        /// Whether something was sent.
        sent: bool,
    },
    /// The connection failed.
    #[error("{message}")]
    Connection {
        /// Which fault.
        fault: &'static str,
        /// The fault in words.
        message: String,
        /// Whether something was sent.
        sent: bool,
    },
    /// The reply is not what the contract says.
    #[error("the reply of the dashboard `{dashboard}` does not match the contract: {why}")]
    Reply {
        /// Host and port.
        dashboard: String,
        /// What is wrong.
        why: String,
    },
    /// The dashboard has other evidence than this machine.
    #[error(
        "the dashboard `{dashboard}` has {held} entries of this chain, and they are not the first {held} of the {ours} entries here; \
         nothing was uploaded. Verify the chain here, and compare it with the copy of the dashboard"
    )]
    Diverged {
        /// Host and port.
        dashboard: String,
        /// The number of entries that the dashboard has.
        held: u64,
        /// The number of entries here.
        ours: u64,
    },
    /// The dashboard takes no more entries.
    #[error("the dashboard `{dashboard}` accepted none of the next entries; it has {held} of {ours}")]
    NoProgress {
        /// Host and port.
        dashboard: String,
        /// The number of entries that the dashboard has.
        held: u64,
        /// The number of entries here.
        ours: u64,
    },
    /// The chain of this machine cannot be read.
    #[error("could not read the evidence chain: {0}; verify the chain")]
    Chain(String),
    /// The request cannot be written.
    #[error("could not write the request: {0}")]
    Request(String),
}

impl SyncError {
    /// Of a fault of the connection.
    pub(crate) fn of(fault: &Fault, dashboard: &str, message: String) -> Self {
        let sent = !fault.before_sending();
        match fault {
            Fault::NoReply { .. } | Fault::TooSlow { .. } => Self::TimedOut {
                dashboard: dashboard.to_owned(),
                sent,
            },
            _ => Self::Connection {
                fault: fault.name(),
                message,
                sent,
            },
        }
    }

    /// Whether a part of what was to be sent can have reached the dashboard.
    pub fn sent(&self) -> bool {
        match self {
            Self::TimedOut { sent, .. } | Self::Connection { sent, .. } => *sent,
            Self::Chain(_) | Self::Request(_) | Self::Diverged { .. } => false,
            Self::TokenRefused { .. } | Self::Status { .. } | Self::Reply { .. } | Self::NoProgress { .. } => true,
        }
    }
}

fn said(message: Option<&str>) -> String {
    match message.filter(|text| !text.is_empty()) {
        Some(text) => format!(": {text}"),
        None => String::new(),
    }
}

fn wait(seconds: Option<&u64>) -> String {
    match seconds {
        Some(seconds) => format!(". Try again in {seconds} seconds"),
        None => String::new(),
    }
}
