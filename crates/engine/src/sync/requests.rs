//! What clients ask of a synchronisation, and what they are answered.

use engine_model::{ErrorCode, Failure, ScanResult};
use engine_sync::wire::{ItemAction, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Secret;

/// Body of `POST /sync/passport`, `/sync/scan`, `/sync/documents` and `/sync/evidence`, and fields of `GET /sync/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncRequest {
    /// The token of the dashboard. It is sent to the dashboard, but never stored or shown.
    #[serde(default)]
    pub token: Option<Secret>,
    /// The address of the dashboard: `https`, or `http` on this machine.
    #[serde(default)]
    pub saas_url: Option<String>,
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The time for all requests together in milliseconds, 100 to 600,000; 60,000 if absent.
    #[serde(default)]
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout_ms: Option<u64>,
}

/// Which results are sent to a dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyncKind {
    /// The passports of agents.
    Passport,
    /// The last scan.
    Scan,
    /// The documents.
    Documents,
    /// The evidence chain.
    Evidence,
    /// Of the documents, the fundamental rights impact assessments only, as published clients ask for them.
    Fria,
}

impl SyncKind {
    /// All kinds, in the order in which they are sent.
    pub const ALL: [Self; 4] = [Self::Passport, Self::Scan, Self::Documents, Self::Evidence];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fria => "fria",
            kind => kind.wire().name(),
        }
    }

    /// The type of the documents that are sent; none for all of them.
    pub(super) const fn doc_type(self) -> Option<&'static str> {
        match self {
            Self::Fria => Some("fria"),
            _ => None,
        }
    }

    pub(super) const fn wire(self) -> Kind {
        match self {
            Self::Passport => Kind::Passport,
            Self::Scan => Kind::Scan,
            Self::Documents | Self::Fria => Kind::Documents,
            Self::Evidence => Kind::Evidence,
        }
    }
}

/// The outcome for one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyncAction {
    /// The dashboard stored it.
    Created,
    /// The dashboard replaced an older version.
    Updated,
    /// The dashboard has the same content already.
    Unchanged,
    /// The dashboard has another version that it does not replace.
    Conflict,
    /// The dashboard does not take it.
    Rejected,
    /// It was not sent, because it contains a secret or a path of this machine.
    Withheld,
    /// It was not sent, or the dashboard did not confirm it. The word is that of published clients, which show the reason then.
    #[serde(rename = "error")]
    Failed,
}

impl From<ItemAction> for SyncAction {
    fn from(action: ItemAction) -> Self {
        match action {
            ItemAction::Created => Self::Created,
            ItemAction::Updated => Self::Updated,
            ItemAction::Unchanged => Self::Unchanged,
            ItemAction::Conflict => Self::Conflict,
            ItemAction::Rejected => Self::Rejected,
        }
    }
}

/// One item of a synchronisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncItem {
    /// The id within the project.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The outcome.
    pub action: SyncAction,
    /// Why it is not in the dashboard.
    pub error: Option<String>,
}

/// The evidence chain in the dashboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncedChain {
    /// The name of the chain.
    pub chain: String,
    /// Entries that the dashboard had before; null where it did not say.
    pub before: Option<u64>,
    /// Entries that the dashboard has now.
    pub held: u64,
    /// Entries here at the start of the upload.
    pub total: u64,
    /// The Merkle root over the entries that the dashboard has, in hexadecimal digits.
    pub root: Option<String>,
}

/// Reply of a synchronisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncReply {
    /// Which results were sent.
    pub kind: SyncKind,
    /// Host and port of the dashboard.
    pub dashboard: Option<String>,
    /// Items that the dashboard has now: created, updated or unchanged.
    pub synced: u64,
    /// Items that are new in the dashboard.
    pub created: u64,
    /// Items of which the dashboard replaced an older version.
    pub updated: u64,
    /// Items that the dashboard had already.
    pub unchanged: u64,
    /// Items of which the dashboard has another version.
    pub conflicts: u64,
    /// Items that are not in the dashboard for another reason.
    pub failed: u64,
    /// Items about which the dashboard answered.
    pub processed: u64,
    /// Each item. For evidence, each range of entries.
    pub results: Vec<SyncItem>,
    /// The evidence chain in the dashboard, for `evidence`.
    pub evidence: Option<SyncedChain>,
    /// Whether every item is in the dashboard now.
    pub complete: bool,
    /// The reason for an early end of the synchronisation.
    pub error: Option<String>,
    /// The code of that error.
    pub code: Option<ErrorCode>,
    /// Seconds after which the dashboard wants to be asked again.
    pub retry_after: Option<u64>,
    /// The id of the entry in the evidence chain that records the synchronisation; null where nothing was sent.
    pub evidence_id: Option<String>,
    /// What the user should know beside that.
    pub warnings: Vec<String>,
}

impl SyncReply {
    pub(super) fn new(kind: SyncKind, dashboard: Option<String>) -> Self {
        Self {
            kind,
            dashboard,
            synced: 0,
            created: 0,
            updated: 0,
            unchanged: 0,
            conflicts: 0,
            failed: 0,
            processed: 0,
            results: Vec::new(),
            evidence: None,
            complete: true,
            error: None,
            code: None,
            retry_after: None,
            evidence_id: None,
            warnings: Vec::new(),
        }
    }

    /// A synchronisation that came to nothing, beside a result that counts without it.
    pub(super) fn failed(kind: SyncKind, dashboard: Option<String>, failure: &Failure) -> Self {
        Self {
            complete: false,
            error: Some(failure.details.clone()),
            code: Some(failure.code),
            retry_after: failure.retry_after.map(u64::from),
            ..Self::new(kind, dashboard)
        }
    }

    /// Adds items and counts them.
    pub(super) fn add(&mut self, items: Vec<SyncItem>) {
        for item in items {
            match item.action {
                SyncAction::Created => self.created += 1,
                SyncAction::Updated => self.updated += 1,
                SyncAction::Unchanged => self.unchanged += 1,
                SyncAction::Conflict => self.conflicts += 1,
                SyncAction::Rejected | SyncAction::Withheld | SyncAction::Failed => self.failed += 1,
            }
            self.processed += u64::from(!matches!(item.action, SyncAction::Withheld | SyncAction::Failed));
            self.results.push(item);
        }
        self.synced = self.created + self.updated + self.unchanged;
        self.complete = self.complete && self.conflicts + self.failed == 0;
    }
}

/// A synchronisation that the evidence chain records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastSync {
    /// Which results were sent: `passport`, `scan`, `documents`, `evidence` or `fria`.
    pub kind: String,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// Host and port of the dashboard.
    pub dashboard: String,
    /// Whether everything that was to be sent is in the dashboard.
    pub complete: bool,
    /// Its entry in the evidence chain.
    pub seq: u64,
}

/// Reply of `GET /sync/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncStatus {
    /// Host and port of the dashboard.
    pub dashboard: String,
    /// Whether the dashboard accepts the token. A refused token is an error instead.
    pub authenticated: bool,
    /// The account of the token, as the dashboard names it.
    pub account: Option<String>,
    /// The newest synchronisation of each kind, with any dashboard; null without a current project.
    pub last: Option<Vec<LastSync>>,
}

/// Reply of `POST /scan`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ScanReply {
    /// The result.
    #[serde(flatten)]
    pub result: ScanResult,
    /// The outcome of the push to the dashboard; absent where the request named none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncReply>,
}
