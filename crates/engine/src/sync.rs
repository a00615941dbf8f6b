//! Sends results to a dashboard that the caller names. What is sent is what is kept, in the form that may leave the machine.
//!
//! A synchronisation that can have reached the dashboard is an entry of the evidence chain. The token is in no entry, reply or log line.

mod chain;
mod gather;
mod requests;

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine_evidence::EntryType;
use engine_model::{ErrorCode, Failure, ScanResult};
use engine_signing::Digest;
use engine_store::Store;
use engine_sync::wire::Project;
use engine_sync::{Address, Dashboard, Outgoing, Pushed, SyncError, Token, Uploaded};
use serde_json::{Value, json};

pub use requests::{
    LastSync, ScanReply, SyncAction, SyncItem, SyncKind, SyncReply, SyncRequest, SyncStatus, SyncedChain,
};

use crate::project::{ProjectState, conflict, name};
use crate::reports::scanned;
use crate::requests::ScanRequest;
use crate::{Engine, Secret};

/// Synchronisations at the same time; each can wait for a slow dashboard.
const SYNCS_MAX: u64 = 4;

/// Milliseconds for all requests of a synchronisation.
const TIME_DEFAULT: u64 = 60_000;
const TIME_MIN: u64 = 100;
const TIME_MAX: u64 = 600_000;

/// Milliseconds for the push after a scan, which keeps the reply waiting.
const SCAN_PUSH_TIME: u64 = 30_000;

/// Entries among which the newest synchronisation of each kind is looked for.
const LAST_MAX: u32 = 200;

/// Counts a synchronisation for as long as it lives.
struct Turn<'a>(&'a AtomicU64);

impl<'a> Turn<'a> {
    fn begin(syncs: &'a AtomicU64) -> Result<Self, Failure> {
        if syncs.fetch_add(1, Ordering::Relaxed) >= SYNCS_MAX {
            syncs.fetch_sub(1, Ordering::Relaxed);
            let details = "too many synchronisations are running; try again in a few seconds";
            return Err(Failure::new(ErrorCode::Busy, details).retry_after(5));
        }
        Ok(Self(syncs))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What is to be sent.
struct Parcel {
    items: Vec<Outgoing>,
    /// What stays here, and why.
    withheld: Vec<SyncItem>,
}

impl Engine {
    /// Sends results of one kind to a dashboard.
    pub fn sync(&self, kind: SyncKind, request: &SyncRequest) -> Result<SyncReply, Failure> {
        let dashboard = self.dashboard(&Asked::of(request))?;
        let state = self.project_or_current(request.path.as_deref())?;
        self.refuse_read_only_sync()?;
        let _turn = Turn::begin(&self.syncs)?;
        let project = wire_project(&state)?;
        let parcel = match kind {
            SyncKind::Passport => gather::passports(&state)?,
            SyncKind::Scan => {
                let last = scanned(&state)?;
                gather::scan(&state, &last)?
            }
            SyncKind::Documents | SyncKind::Fria => gather::documents(&state, kind.doc_type())?,
            SyncKind::Evidence => return self.sync_chain(&state, &dashboard, &project),
        };
        self.sync_items(kind, &state, &dashboard, &project, parcel)
    }

    /// Asks a dashboard whether it accepts the token. It changes nothing.
    pub fn sync_status(&self, request: &SyncRequest) -> Result<SyncStatus, Failure> {
        let dashboard = self.dashboard(&Asked::of(request))?;
        let state = match self.project_or_current(request.path.as_deref()) {
            Err(failure) if failure.code == ErrorCode::NoProject => None,
            state => Some(state?),
        };
        let _turn = Turn::begin(&self.syncs)?;
        let reply = wait_for(dashboard.status())?.map_err(|error| failure(&error))?;
        Ok(SyncStatus {
            dashboard: dashboard.destination(),
            authenticated: true,
            account: reply.account.map(|account| engine_scanner::mask_secrets(&account)),
            last: state.map(|state| last(&state)).transpose()?,
        })
    }

    /// Sends the result of a scan that has just ended. Whatever goes wrong is reported, and the scan counts.
    pub(crate) fn push_scan(&self, request: &ScanRequest, scan: &ScanResult) -> Option<SyncReply> {
        if request.saas_token.is_none() && request.saas_url.is_none() {
            return None;
        }
        let asked = Asked {
            token: request.saas_token.as_ref(),
            token_field: "saasToken",
            url: request.saas_url.as_deref(),
            time: SCAN_PUSH_TIME,
        };
        Some(self.try_push_scan(request, scan, &asked).unwrap_or_else(|failure| {
            let dashboard = asked.url.and_then(|url| Address::parse(url).ok());
            SyncReply::failed(SyncKind::Scan, dashboard.map(|address| address.destination()), &failure)
        }))
    }

    fn try_push_scan(&self, request: &ScanRequest, scan: &ScanResult, asked: &Asked<'_>) -> Result<SyncReply, Failure> {
        let dashboard = self.dashboard(asked)?;
        let state = self.project(&request.path)?;
        self.refuse_read_only_sync()?;
        let _turn = Turn::begin(&self.syncs)?;
        let parcel = gather::scan(&state, scan)?;
        self.sync_items(SyncKind::Scan, &state, &dashboard, &wire_project(&state)?, parcel)
    }

    fn sync_items(
        &self,
        kind: SyncKind,
        state: &ProjectState,
        dashboard: &Dashboard,
        project: &Project,
        parcel: Parcel,
    ) -> Result<SyncReply, Failure> {
        // The key is needed for the entry, so nothing is sent without one.
        self.signer().keys()?;
        let mut reply = SyncReply::new(kind, Some(dashboard.destination()));
        reply.add(parcel.withheld);
        if parcel.items.is_empty() {
            return Ok(reply);
        }
        let pushed = wait_for(dashboard.push(kind.wire(), project, parcel.items))?;
        reply.add(items(&pushed));
        stop(&mut reply, pushed.stopped.as_ref());
        if pushed.sent {
            let payload = payload(
                &reply,
                &json!({ "items": pushed.outcomes.len(), "content": {"blake3": pushed.digest} }),
            );
            self.record_sync(state, &mut reply, payload);
        }
        match &pushed.stopped {
            // Where the dashboard answered about some items, the reply says so item by item.
            // Where it answered about none, published clients read the items in the failure.
            Some(error) if !pushed.answered() => Err(failure(error).also("results", json!(reply.results))),
            _ => Ok(reply),
        }
    }

    fn sync_chain(&self, state: &ProjectState, dashboard: &Dashboard, project: &Project) -> Result<SyncReply, Failure> {
        self.signer().keys()?;
        let mut reply = SyncReply::new(SyncKind::Evidence, Some(dashboard.destination()));
        let read = state.reading(chain::Snapshot::take)?;
        let Some(snapshot) = read.map_err(|why| failure(&SyncError::Chain(why)))? else {
            return Ok(reply);
        };
        let uploaded = state.reading(|store| wait_for(dashboard.upload(project, &snapshot.source(store))))??;
        reply.add(ranges(&uploaded));
        reply.evidence = Some(SyncedChain {
            chain: project.chain.clone().unwrap_or_default(),
            before: uploaded.before,
            held: uploaded.held,
            total: uploaded.total,
            root: uploaded.root.as_ref().map(Digest::to_string),
        });
        stop(&mut reply, uploaded.stopped.as_ref());
        if uploaded.sent {
            let more = json!({
                "before": uploaded.before,
                "held": uploaded.held,
                "total": uploaded.total,
                "root": uploaded.root,
            });
            let payload = payload(&reply, &more);
            self.record_sync(state, &mut reply, payload);
        }
        match &uploaded.stopped {
            Some(error) if uploaded.before.is_none_or(|before| uploaded.held <= before) => {
                Err(failure(error).also("results", json!(reply.results)))
            }
            _ => Ok(reply),
        }
    }

    /// Records that results have left the machine. They have, also where this fails.
    fn record_sync(&self, state: &ProjectState, reply: &mut SyncReply, payload: Value) {
        let draft = self.draft(EntryType::Sync, None, payload, Vec::new());
        let id = draft.id.clone();
        let recorded = self.signer().keys().and_then(|keys| {
            let store = state.store().ok_or_else(read_only)?;
            store
                .record(draft, &self.chain_name(), &keys.secret)
                .map_err(|error| conflict(&error))
        });
        match recorded {
            Ok(added) => {
                self.recorded(state, &added);
                reply.evidence_id = Some(id);
            }
            Err(failure) => {
                tracing::warn!(details = failure.details, "a synchronisation was not recorded");
                let why = failure.details.trim_end_matches('.');
                reply.warnings.push(format!(
                    "{why}. The synchronisation is not recorded in the evidence chain"
                ));
            }
        }
    }

    /// The dashboard that a request names.
    fn dashboard(&self, asked: &Asked<'_>) -> Result<Dashboard, Failure> {
        let missing = |field: &str, what: &str| {
            let details = format!("the {what} of the dashboard is missing; give it as `{field}`");
            Failure::new(ErrorCode::MissingPart, details).field(field)
        };
        let wrong = |field: &str, why: String| {
            let details = format!("`{field}` cannot be used: {why}");
            Failure::new(ErrorCode::InvalidRequest, details).field(field)
        };
        // What is wrong whatever else is given comes before what is missing.
        if !(TIME_MIN..=TIME_MAX).contains(&asked.time) {
            let details = format!("`timeoutMs` must be between {TIME_MIN} and {TIME_MAX}");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("timeoutMs"));
        }
        let given = asked.token.map(Secret::expose).filter(|token| !token.trim().is_empty());
        let given = given.ok_or_else(|| missing(asked.token_field, "token"))?;
        let url = asked.url.filter(|url| !url.trim().is_empty());
        let url = url.ok_or_else(|| missing("saasUrl", "address"))?;
        let token = Token::parse(given).map_err(|error| wrong(asked.token_field, error.to_string()))?;
        let address = Address::parse(url).map_err(|error| wrong("saasUrl", error.to_string()))?;
        // Hosts are shown and recorded.
        if token.is_in(&address.destination()) {
            return Err(wrong("saasUrl", "it must not contain the token".to_owned()));
        }
        Ok(Dashboard::new(
            self.outbound.clone(),
            address,
            token,
            Duration::from_millis(asked.time),
        ))
    }

    fn refuse_read_only_sync(&self) -> Result<(), Failure> {
        if self.options.read_only {
            Err(read_only())
        } else {
            Ok(())
        }
    }
}

/// A dashboard as a request names it.
struct Asked<'a> {
    token: Option<&'a Secret>,
    token_field: &'static str,
    url: Option<&'a str>,
    time: u64,
}

impl<'a> Asked<'a> {
    fn of(request: &'a SyncRequest) -> Self {
        Self {
            token: request.token.as_ref(),
            token_field: "token",
            url: request.saas_url.as_deref(),
            time: request.timeout_ms.unwrap_or(TIME_DEFAULT),
        }
    }
}

/// The JSON of a scan with one more member.
pub(crate) fn with_sync(mut json: Vec<u8>, sync: &SyncReply) -> Result<Vec<u8>, Failure> {
    if json.pop() != Some(b'}') {
        return Err(Failure::new(
            ErrorCode::Internal,
            "internal error: the result is not an object",
        ));
    }
    json.extend_from_slice(b",\"sync\":");
    json.extend(serde_json::to_vec(sync).map_err(|error| conflict(&error))?);
    json.push(b'}');
    Ok(json)
}

fn read_only() -> Failure {
    let details = "the engine is read-only: a synchronisation is recorded in the evidence chain, so nothing was sent; start it without `--read-only`";
    Failure::new(ErrorCode::ReadOnly, details)
}

fn wire_project(state: &ProjectState) -> Result<Project, Failure> {
    let head = state.reading(Store::evidence_head)?.map_err(|error| conflict(&error))?;
    Ok(Project {
        name: engine_scanner::mask_secrets(&name(state.path())),
        chain: head.map(|(end, _)| end.chain),
    })
}

fn items(pushed: &Pushed) -> Vec<SyncItem> {
    let items = pushed.outcomes.iter().map(|outcome| SyncItem {
        id: outcome.id.clone(),
        name: outcome.name.clone(),
        action: outcome.action.map_or(SyncAction::Failed, SyncAction::from),
        error: outcome.error.as_deref().map(engine_scanner::mask_secrets),
    });
    items.collect()
}

/// An upload as ranges of entries: what the dashboard has now, and what it lacks.
fn ranges(uploaded: &Uploaded) -> Vec<SyncItem> {
    let before = uploaded.before.unwrap_or_default();
    let held = uploaded.held.max(before);
    let range = |from: u64, to: u64, action, error: Option<&str>| {
        (from < to).then(|| SyncItem {
            id: format!("{from}-{}", to - 1),
            name: match to - from {
                1 => format!("entry {from}"),
                _ => format!("entries {from} to {}", to - 1),
            },
            action,
            error: error.map(str::to_owned),
        })
    };
    let lacking = if matches!(uploaded.stopped, Some(SyncError::Diverged { .. })) {
        SyncAction::Conflict
    } else {
        SyncAction::Failed
    };
    [
        range(0, before, SyncAction::Unchanged, None),
        range(before, held, SyncAction::Created, None),
        range(held, uploaded.total, lacking, Some("not confirmed by the dashboard")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn stop(reply: &mut SyncReply, error: Option<&SyncError>) {
    if let Some(error) = error {
        let failure = failure(error);
        reply.complete = false;
        reply.error = Some(failure.details);
        reply.code = Some(failure.code);
        reply.retry_after = failure.retry_after.map(u64::from);
    }
}

/// What the entry of a synchronisation says; texts of the dashboard have no place in it.
fn payload(reply: &SyncReply, more: &Value) -> Value {
    let mut payload = json!({
        "kind": reply.kind,
        "dashboard": reply.dashboard,
        "created": reply.created,
        "updated": reply.updated,
        "unchanged": reply.unchanged,
        "conflicts": reply.conflicts,
        "failed": reply.failed,
        "complete": reply.complete,
        "code": reply.code,
    });
    if let (Some(payload), Some(more)) = (payload.as_object_mut(), more.as_object()) {
        payload.extend(more.clone());
    }
    payload
}

/// The newest synchronisation of each kind.
fn last(state: &ProjectState) -> Result<Vec<LastSync>, Failure> {
    let entries = state
        .reading(|store| store.newest_evidence(EntryType::Sync, LAST_MAX))?
        .map_err(|error| conflict(&error))?;
    let mut all: Vec<LastSync> = Vec::new();
    for entry in entries {
        let text = |name: &str| entry.payload[name].as_str().unwrap_or_default().to_owned();
        let kind = text("kind");
        if all.iter().all(|one| one.kind != kind) {
            all.push(LastSync {
                dashboard: text("dashboard"),
                complete: entry.payload["complete"].as_bool().unwrap_or_default(),
                at: entry.timestamp.clone(),
                seq: entry.seq,
                kind,
            });
        }
    }
    Ok(all)
}

/// An error as clients see it.
fn failure(error: &SyncError) -> Failure {
    let code = match error {
        SyncError::TokenRefused { .. } => ErrorCode::DashboardRefused,
        SyncError::TimedOut { .. } => ErrorCode::DashboardTimeout,
        SyncError::Diverged { .. } | SyncError::Status { status: 409, .. } => ErrorCode::DashboardConflict,
        SyncError::Status { .. }
        | SyncError::Connection { .. }
        | SyncError::Reply { .. }
        | SyncError::NoProgress { .. } => ErrorCode::DashboardFailed,
        SyncError::Chain(_) => ErrorCode::StateConflict,
        SyncError::Request(_) => ErrorCode::Internal,
    };
    let failure = Failure::new(code, engine_scanner::mask_secrets(&error.to_string()));
    match error {
        SyncError::Status {
            retry_after: Some(seconds),
            ..
        } => failure.retry_after(u32::try_from(*seconds).unwrap_or(u32::MAX)),
        SyncError::TokenRefused { .. } => failure.field("token"),
        _ => failure,
    }
}

/// Waits on this thread, which may block.
fn wait_for<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    match tokio::runtime::Handle::try_current() {
        Ok(handle) => Ok(handle.block_on(work)),
        Err(_) => tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map(|runtime| runtime.block_on(work))
            .map_err(|error| {
                Failure::new(
                    ErrorCode::Internal,
                    format!("internal error: cannot wait for the dashboard: {error}"),
                )
            }),
    }
}

#[cfg(test)]
mod tests;
