//! Error codes and the shape of an error on the wire.

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Declares every failure that the interface knows: code, status and short name in one row.
macro_rules! error_codes {
    ($($(#[doc = $doc:literal])+ $name:ident, $slug:literal => $status:ident, $short:literal;)+) => {
        /// An error code of the API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ #[serde(rename = $slug)] $name,)+
        }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The stable code on the wire.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$name => $slug),+ }
            }

            /// The HTTP status.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status),+ }
            }

            /// The short name in the field `error`.
            pub const fn short(self) -> &'static str {
                match self { $(Self::$name => $short),+ }
            }

            /// What it means, for the reference.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii()),+ }
            }
        }
    };
}

error_codes! {
    /// The request does not match the declared input.
    InvalidRequest, "invalid-request" => BAD_REQUEST, "Bad request";
    /// The path is missing, is not a directory, or cannot be read.
    InvalidPath, "invalid-path" => BAD_REQUEST, "Bad request";
    /// The `Host` header does not name this machine.
    ForeignHost, "foreign-host" => FORBIDDEN, "Forbidden";
    /// The request comes from another web site.
    ForeignOrigin, "foreign-origin" => FORBIDDEN, "Forbidden";
    /// The token is missing or wrong.
    TokenRequired, "token-required" => UNAUTHORIZED, "Unauthorized";
    /// The daemon was started read-only.
    ReadOnly, "read-only" => FORBIDDEN, "Forbidden";
    /// The route does not exist.
    UnknownRoute, "unknown-route" => NOT_FOUND, "Not found";
    /// No scan has been run for this project yet.
    NoScanYet, "no-scan-yet" => NOT_FOUND, "Not found";
    /// The request names no project, and no current project is set.
    NoProject, "no-project" => NOT_FOUND, "Not found";
    /// The jurisdiction is unknown.
    UnknownJurisdiction, "unknown-jurisdiction" => NOT_FOUND, "Not found";
    /// No open finding matches.
    UnknownFinding, "unknown-finding" => NOT_FOUND, "Not found";
    /// A fix with this number does not exist, or no fix is applied.
    UnknownFix, "unknown-fix" => NOT_FOUND, "Not found";
    /// A passport with this name does not exist.
    UnknownPassport, "unknown-passport" => NOT_FOUND, "Not found";
    /// No evaluation or red-team run is stored for this project yet.
    NoRunYet, "no-run-yet" => NOT_FOUND, "Not found";
    /// A run with this id does not exist.
    UnknownRun, "unknown-run" => NOT_FOUND, "Not found";
    /// A share with this id does not exist, has ended or was revoked.
    UnknownShare, "unknown-share" => NOT_FOUND, "Not found";
    /// The route does not support this method.
    MethodNotAllowed, "method-not-allowed" => METHOD_NOT_ALLOWED, "Method not allowed";
    /// The state on disk prevents it: another daemon runs, the state is from a newer version, or it is damaged.
    StateConflict, "state-conflict" => CONFLICT, "Conflict";
    /// A passport with this name already exists.
    PassportExists, "passport-exists" => CONFLICT, "Conflict";
    /// The request is longer than the limit.
    BodyTooLarge, "body-too-large" => PAYLOAD_TOO_LARGE, "Payload too large";
    /// The body is not declared as JSON.
    NotJson, "not-json" => UNSUPPORTED_MEDIA_TYPE, "Unsupported media type";
    /// The request is valid, but cannot be carried out.
    Impossible, "impossible" => UNPROCESSABLE_ENTITY, "Unprocessable";
    /// The client was too slow.
    RequestTimeout, "request-timeout" => REQUEST_TIMEOUT, "Request timeout";
    /// The header section is longer than the limit.
    HeadersTooLarge, "headers-too-large" => REQUEST_HEADER_FIELDS_TOO_LARGE, "Headers too large";
    /// A required part is missing: credentials, a key or a runner.
    MissingPart, "missing-part" => FAILED_DEPENDENCY, "Failed dependency";
    /// Too many operations are in progress.
    Busy, "busy" => TOO_MANY_REQUESTS, "Too many requests";
    /// The target cannot be reached, or refuses every request.
    TargetFailed, "target-failed" => BAD_GATEWAY, "Bad gateway";
    /// The target gave no reply in time.
    TargetTimeout, "target-timeout" => GATEWAY_TIMEOUT, "Gateway timeout";
    /// The dashboard refused the token.
    DashboardRefused, "dashboard-refused" => BAD_GATEWAY, "Bad gateway";
    /// The dashboard cannot be reached, or gave no usable reply.
    DashboardFailed, "dashboard-failed" => BAD_GATEWAY, "Bad gateway";
    /// The dashboard gave no complete reply in time.
    DashboardTimeout, "dashboard-timeout" => GATEWAY_TIMEOUT, "Gateway timeout";
    /// The dashboard has content that does not fit, such as another evidence chain.
    DashboardConflict, "dashboard-conflict" => CONFLICT, "Conflict";
    /// An internal error of the engine.
    Internal, "internal" => INTERNAL_SERVER_ERROR, "Internal error";
}

/// An error reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// Short name.
    pub error: String,
    /// HTTP status.
    pub status: u16,
    /// The problem and the next step.
    pub details: String,
    /// Stable code.
    pub code: ErrorCode,
    /// The same as `details`, for existing clients.
    pub message: String,
    /// Dotted path of the invalid field, for invalid input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Fields of the reply that published clients read in a failure as well; they say what is true although the call failed.
    #[serde(flatten)]
    pub also: Map<String, Value>,
}

/// A failure on its way to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which one.
    pub code: ErrorCode,
    /// The problem and the next step.
    pub details: String,
    /// Dotted path of the invalid field.
    pub field: Option<String>,
    /// Seconds to wait before a retry.
    pub retry_after: Option<u32>,
    /// Fields of the reply that published clients read in a failure as well.
    pub also: Option<Box<Map<String, Value>>>,
}

impl Failure {
    /// A failure with what the client should know.
    pub fn new(code: ErrorCode, details: impl Into<String>) -> Self {
        Self {
            code,
            details: crate::outside::cut_quotes(details.into()),
            field: None,
            retry_after: None,
            also: None,
        }
    }

    /// Names the field that is wrong.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(crate::quoted(&field.into()));
        self
    }

    /// Says when a retry makes sense.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds a field of the reply for published clients, which take any JSON for a success and read it there.
    #[must_use]
    pub fn also(mut self, name: &str, value: Value) -> Self {
        self.also.get_or_insert_default().insert(name.to_owned(), value);
        self
    }

    /// The shape on the wire.
    pub fn body(&self) -> ErrorBody {
        ErrorBody {
            error: self.code.short().to_owned(),
            status: self.code.status().as_u16(),
            details: self.details.clone(),
            code: self.code,
            message: self.details.clone(),
            field: self.field.clone(),
            also: self.also.as_deref().cloned().unwrap_or_default(),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.slug(), self.details)
    }
}

impl std::error::Error for Failure {}
