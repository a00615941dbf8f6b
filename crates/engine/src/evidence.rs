//! Evidence: every change of state becomes an entry of the project's chain, and anyone can ask how the chain stands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use engine_evidence::{
    Artifact, Draft, Entry, EntryType, Introduction, Issue, IssueKind, Report, Stated, Verdict, VerifiedPrefix,
};
use engine_model::{ErrorCode, EventBody, Failure, ScanResult, Severity};
use engine_signing::{Digest, PublicKey, SecretKey};
use engine_store::{AUDIT_ROWS_MAX, AuditFilter, EvidenceAdded, Keys, Store, StoreError, UserDir, WrittenScan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::project::{ProjectState, conflict};
use crate::{Engine, VERSION};

/// Where keys and the memory of heads lie, and which key signs.
#[derive(Clone, Default)]
pub struct Signing {
    /// The user's data directory; none where the system names none.
    pub data_dir: Option<PathBuf>,
    /// A key that was handed over, as in a pipeline; it is used and never kept.
    pub key: Option<SecretKey>,
}

impl std::fmt::Debug for Signing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signing(in {:?})", self.data_dir)
    }
}

/// What the engine knows of keys, read when it is first needed.
pub(crate) struct Signer {
    pub(crate) user: Option<Arc<UserDir>>,
    given: Option<SecretKey>,
    keys: Mutex<Option<Keys>>,
    /// Whether a missing key is not created.
    read_only: bool,
}

/// What is remembered of a chain while its project is open.
#[derive(Default)]
pub(crate) struct ChainWatch {
    /// What was found valid, so that only later entries are read again.
    prefix: Option<VerifiedPrefix>,
    /// What [`Store::foreign_commits`] said when that was read.
    commits: Option<i64>,
    /// The newest head, and how many entries the one counted that is already remembered outside the project.
    newest: Option<(u64, String)>,
    remembered: u64,
}

/// The outcome of storing a scan.
pub(crate) enum Kept {
    /// Stored in the history and recorded in the chain.
    Recorded(EvidenceAdded),
    /// Not stored, because the engine is read-only.
    ReadOnly,
    /// The chain accepts no entry; the reason, as text.
    Damaged(String),
}

/// Reply of `GET /agent/evidence`: a summary of the evidence chain.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceSummary {
    /// The name of the chain; none before its first entry.
    pub chain: Option<String>,
    /// The number of entries.
    pub entries: u64,
    /// The time of the first entry, as RFC 3339.
    pub first_entry: Option<String>,
    /// The time of the last entry, as RFC 3339.
    pub last_entry: Option<String>,
    /// The digest of the last entry.
    pub last_hash: Option<String>,
    /// The signed head of the chain, as a checkpoint note. Keep a copy to check later that no entry was cut off.
    pub head: Option<String>,
    /// The id of the signing key of this machine.
    pub key_id: Option<String>,
    /// The public signing key, in base64.
    pub public_key: Option<String>,
    /// The newest entries, at most ten.
    pub recent: Vec<Entry>,
    /// The same as `entries`, for existing clients.
    pub total_entries: u64,
    /// The number of entries about scans.
    pub scan_count: u64,
    /// Findings of the last scan, gaps and others.
    pub unique_findings: u64,
    /// Whether the chain is valid; `GET /agent/evidence/verify` gives the reasons.
    pub chain_valid: bool,
}

/// The query of `GET /agent/evidence/verify`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VerifyRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// Whether to verify every entry again, including entries verified since the engine started.
    pub full: Option<bool>,
}

/// The query of `GET /agent/audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditRequest {
    /// The project's folder; the current project if absent.
    pub path: Option<String>,
    /// Only entries about the agent of this id or name.
    pub agent: Option<String>,
    /// Only entries at or after this time: RFC 3339, or a date.
    pub since: Option<String>,
    /// Only entries before this time: RFC 3339, or a date.
    pub until: Option<String>,
    /// Only entries of this type.
    #[serde(rename = "type")]
    pub kind: Option<EntryType>,
    /// The maximum number of entries, 100 if absent.
    pub limit: Option<AuditLimit>,
    /// Only entries before this `seq`, the last one of the previous page.
    pub cursor: Option<u64>,
}

/// One line of the audit trail.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AuditLine {
    /// An entry of the chain.
    Entry(Box<AuditEntry>),
    /// The placeholder for an unreadable entry.
    Unreadable(UnreadableEntry),
}

/// An entry of the chain, with two fields for existing clients. They are not part of what is signed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// The same as `type`.
    pub event_type: EntryType,
    /// The present name of the agent; its id if it has no passport.
    pub agent_name: Option<String>,
}

/// An unreadable entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableEntry {
    /// Its position in the chain.
    pub seq: u64,
    /// `corrupt`.
    pub verdict: Verdict,
    /// The first entry of the chain that cannot be read.
    pub broken_at: u64,
    /// The reason, in words.
    pub message: String,
}

/// Entries of the audit trail if a client names no number.
const AUDIT_DEFAULT: u32 = 100;

/// How many entries of the audit trail are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(extend("minimum" = 1, "maximum" = 1000))]
pub struct AuditLimit(u32);

impl TryFrom<u32> for AuditLimit {
    type Error = String;

    fn try_from(limit: u32) -> Result<Self, String> {
        if (1..=AUDIT_ROWS_MAX).contains(&limit) {
            Ok(Self(limit))
        } else {
            Err(format!(
                "it must be between 1 and {AUDIT_ROWS_MAX}; use `cursor` for the next page"
            ))
        }
    }
}

/// Documents that an entry names; an entry has a limit of its own in bytes.
const ARTIFACTS_MAX: usize = 500;

/// Entries shown in the summary.
const RECENT_MAX: u32 = 10;

impl Signer {
    pub(crate) fn new(signing: &Signing, read_only: bool) -> Self {
        Self {
            user: signing.data_dir.as_deref().map(UserDir::new).map(Arc::new),
            given: signing.key.clone(),
            keys: Mutex::new(None),
            read_only,
        }
    }

    fn user(&self) -> Result<&Arc<UserDir>, Failure> {
        self.user.as_ref().ok_or_else(|| {
            Failure::new(
                ErrorCode::MissingPart,
                "no data directory found for the signing key; set ENGINE_DATA_DIR to a folder",
            )
        })
    }

    /// The key that signs and the keys that count.
    pub(crate) fn keys(&self) -> Result<Keys, Failure> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keys) = &*keys {
            return Ok(keys.clone());
        }
        let user = self.user()?;
        let read = if self.read_only {
            user.keys_there(self.given.as_ref())
        } else {
            user.keys(self.given.as_ref()).map(Some)
        };
        let read = read.map_err(|error| conflict(&error))?.ok_or_else(|| {
            Failure::new(
                ErrorCode::MissingPart,
                "no signing key found, and a read-only engine does not create one; start the engine once without --read-only",
            )
        })?;
        *keys = Some(read.clone());
        Ok(read)
    }

    /// The keys that count, also where there is no key to sign with.
    pub(crate) fn trust(&self) -> Result<engine_signing::Trust, Failure> {
        match (self.keys(), &self.user) {
            (Ok(keys), _) => Ok(keys.trust),
            // Without a directory nothing is pinned; a chain can still be followed by the keys that it names.
            (Err(_), None) => Ok(engine_signing::Trust::default()),
            (Err(failure), Some(user)) if failure.code == ErrorCode::MissingPart => {
                user.trust().map_err(|error| conflict(&error))
            }
            (Err(failure), _) => Err(failure),
        }
    }

    fn forget(&self) {
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Engine {
    /// What is known of keys.
    pub(crate) fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The chain of a project in short.
    pub fn evidence(&self, path: Option<&str>) -> Result<EvidenceSummary, Failure> {
        let state = self.project_or_current(path)?;
        let head = read_store(&state, Store::evidence_head)?;
        let recent = read_store(&state, |store| {
            store.audit(&AuditFilter {
                limit: RECENT_MAX,
                ..AuditFilter::default()
            })
        })?;
        let oldest = read_store(&state, Store::first_evidence)?;
        let scan_count = read_store(&state, |store| store.evidence_count(EntryType::Scan))?;
        let verified = self.verify_evidence(&VerifyRequest {
            path: path.map(str::to_owned),
            full: None,
        })?;
        let keys = self.signer.keys().ok();
        let (end, head) = head.unzip();
        Ok(EvidenceSummary {
            chain: end.as_ref().map(|end| end.chain.clone()),
            entries: end.as_ref().map_or(0, |end| end.size),
            first_entry: oldest.map(|entry| entry.timestamp),
            last_entry: end.as_ref().map(|end| end.last_time.clone()),
            last_hash: end.as_ref().map(|end| end.last_hash.to_string()),
            head,
            key_id: keys.as_ref().map(|keys| keys.secret.public().id().to_string()),
            public_key: keys.map(|keys| keys.secret.public().to_string()),
            recent: recent.lines.into_iter().filter_map(|line| line.entry).collect(),
            total_entries: end.as_ref().map_or(0, |end| end.size),
            scan_count,
            unique_findings: state.last_scan()?.map_or(0, |scan| scan.findings_total),
            chain_valid: verified.valid,
        })
    }

    /// Verifies the chain of a project: every digest, link, signature and head, and the heads that were seen before.
    pub fn verify_evidence(&self, request: &VerifyRequest) -> Result<Report, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let trust = self.signer.trust()?;
        state.settle();
        let (remembered, heads_are_gone) = match &self.signer.user {
            Some(user) => (
                user.remembered(state.path()).map_err(|error| conflict(&error))?,
                user.heads_are_gone(state.path()).map_err(|error| conflict(&error))?,
            ),
            None => (Vec::new(), false),
        };
        // Asked before anything is read: a commit that comes meanwhile is then noticed the next time.
        let commits = read_store(&state, Store::foreign_commits)?;
        let prefix = {
            let chain = state.chain();
            let ours = commits.is_some() && commits == chain.commits;
            chain.prefix.clone().filter(|_| ours && request.full != Some(true))
        };
        let all = prefix.is_none();
        match state.reading(|store| store.verify_evidence(&trust, &remembered, prefix))? {
            Ok((mut report, prefix)) => {
                let scans = read_store(&state, |store| match store.verify_scans(all, report.valid) {
                    Err(StoreError::Corrupt) => Ok(None),
                    issues => issues.map(Some),
                })?;
                match scans {
                    None => return Ok(unreadable()),
                    Some(issues) => report.add(issues),
                }
                report.add(read_store(&state, |store| store.verify_evals(all))?);
                if let Some(prefix) = &prefix {
                    report.add(changed_files(&state, prefix.artifacts()));
                }
                if heads_are_gone {
                    report.add(vec![gone_heads()]);
                }
                let mut chain = state.chain();
                chain.prefix = prefix;
                chain.commits = commits;
                Ok(report)
            }
            Err(StoreError::Corrupt) => Ok(unreadable()),
            Err(error) => Err(conflict(&error)),
        }
    }

    /// Entries of the chain, the newest first.
    ///
    /// An unreadable entry is listed in its place: leaving it out would hide the damage.
    pub fn audit(&self, request: &AuditRequest) -> Result<Vec<AuditLine>, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let filter = AuditFilter {
            agent: request
                .agent
                .as_deref()
                .map(|agent| crate::passports::agent_id(&state, agent)),
            kind: request.kind.map(|kind| kind.as_str().to_owned()),
            since: request.since.as_deref().map(|time| moment(time, "since")).transpose()?,
            until: request.until.as_deref().map(|time| moment(time, "until")).transpose()?,
            before: request.cursor,
            limit: request.limit.map_or(AUDIT_DEFAULT, |limit| limit.0),
        };
        let page = read_store(&state, |store| store.audit(&filter))?;
        let first = if page.lines.iter().any(|line| line.entry.is_none()) {
            read_store(&state, Store::first_unreadable)?
        } else {
            None
        };
        let names = crate::passports::agent_names(&state);
        let lines = page.lines.into_iter().map(|line| match line.entry {
            Some(entry) => AuditLine::Entry(Box::new(AuditEntry {
                event_type: entry.kind,
                agent_name: entry.agent.as_ref().map(|id| names.get(id).unwrap_or(id).clone()),
                entry,
            })),
            None => AuditLine::Unreadable(UnreadableEntry {
                seq: line.seq,
                verdict: Verdict::Corrupt,
                broken_at: first.unwrap_or(line.seq),
                message: format!(
                    "entry {} is unreadable; GET /agent/evidence/verify?full=true reports the cause",
                    line.seq
                ),
            }),
        });
        Ok(lines.collect())
    }

    /// Keeps a scan together with its entry. Where the chain is damaged, neither is kept and the result is not lost.
    pub(crate) fn keep_scan(
        &self,
        state: &ProjectState,
        scan: &ScanResult,
        written: WrittenScan,
        digests: &Digests,
    ) -> Result<Kept, Failure> {
        let Some(store) = state.store() else {
            return Ok(Kept::ReadOnly);
        };
        let keys = self.signer.keys()?;
        let draft = self.draft(EntryType::Scan, None, scan_payload(scan, digests), documents(scan));
        match store.save_scan_recorded(scan, written, draft, &self.chain_name(), &keys.secret) {
            Ok(added) => Ok(Kept::Recorded(added)),
            Err(error @ (StoreError::EvidenceEnd | StoreError::Evidence(_) | StoreError::Corrupt)) => {
                let why = conflict(&error).details;
                tracing::warn!(details = why, "a scan was not stored");
                Ok(Kept::Damaged(format!(
                    "{}. The result is neither stored nor recorded in the evidence chain",
                    why.trim_end_matches('.')
                )))
            }
            Err(error) => Err(conflict(&error)),
        }
    }

    /// A name for a chain that is about to begin.
    pub(crate) fn chain_name(&self) -> String {
        (self.options.clock.new_id)()
    }

    pub(crate) fn draft(
        &self,
        kind: EntryType,
        agent: Option<String>,
        payload: Value,
        artifacts: Vec<Artifact>,
    ) -> Draft {
        Draft {
            id: (self.options.clock.new_id)(),
            timestamp: self.timestamp(),
            kind,
            actor: format!("engine-server {VERSION}"),
            agent,
            payload,
            artifacts,
        }
    }

    /// Tells who listens, and remembers the head outside the project.
    pub(crate) fn recorded(&self, state: &ProjectState, added: &EvidenceAdded) {
        self.appended(state, added);
        if let Some((user, newest, head)) = self.head_to_remember(state, added) {
            remember_head(&user, state.path(), &state.chain_watch(), newest, &head);
        }
    }

    /// The same where nobody waits until the head is remembered.
    pub(crate) fn recorded_soon(&self, state: &ProjectState, added: &EvidenceAdded) {
        self.appended(state, added);
        if let Some((user, newest, head)) = self.head_to_remember(state, added) {
            let (path, chain) = (state.path().to_path_buf(), state.chain_watch());
            state.later(move || remember_head(&user, &path, &chain, newest, &head));
        }
    }

    fn appended(&self, state: &ProjectState, added: &EvidenceAdded) {
        for entry in &added.entries {
            let body = EventBody::EvidenceAppended {
                seq: entry.seq,
                entry_type: entry.kind.as_str().to_owned(),
                hash: entry.hash.to_string(),
            };
            self.bus
                .send(body, self.timestamp(), state.path().to_string_lossy().into_owned());
        }
    }

    /// The newest head of a chain with the number of its entries, unless it is remembered already.
    fn head_to_remember(&self, state: &ProjectState, added: &EvidenceAdded) -> Option<(Arc<UserDir>, u64, String)> {
        let size = added.entries.last().map_or(0, |entry| entry.seq + 1);
        let mut chain = state.chain();
        // Of callers that come at once the first writes down the newest head, and the others find it done.
        if chain.remembered >= size {
            return None;
        }
        let (newest, head) = match &chain.newest {
            Some((newest, head)) if *newest >= size => (*newest, head.clone()),
            _ => {
                chain.newest = Some((size, added.head.clone()));
                (size, added.head.clone())
            }
        };
        drop(chain);
        match self.signer.user() {
            Ok(user) => Some((Arc::clone(user), newest, head)),
            Err(failure) => {
                not_remembered(&failure.details);
                None
            }
        }
    }

    /// The public half of the key that signs here, and the keys that are trusted.
    pub fn keys(&self) -> Result<(PublicKey, engine_signing::Trust), Failure> {
        let keys = self.signer.keys()?;
        Ok((keys.secret.public(), keys.trust))
    }

    /// The signed heads that are remembered of all projects, to hold a package against that comes from elsewhere.
    pub fn known_heads(&self) -> Vec<String> {
        self.signer
            .user
            .as_ref()
            .map(|user| user.all_notes())
            .unwrap_or_default()
    }

    /// Trusts a key that a person compared with its owner. The chain of the project, where one is named, records it, so
    /// that whoever knows the key of this machine can follow to the other one.
    pub fn pin_key(&self, key: PublicKey, origin: &str, path: Option<&str>) -> Result<(), Failure> {
        let state = path.map(|path| self.project(path)).transpose()?;
        self.signer.user()?.pin(key, origin).map_err(|error| conflict(&error))?;
        self.signer.forget();
        let Some(state) = state else { return Ok(()) };
        let keys = self.signer.keys()?;
        if let Some(store) = state.store().filter(|_| keys.secret.public() != key) {
            // Who it is stays with the pinned key: what a person wrote may name people, and an entry stays for good.
            let introduction = Introduction {
                public_key: key,
                reason: "a person compared it with its owner".to_owned(),
            };
            let payload = serde_json::to_value(&introduction).unwrap_or_default();
            let draft = self.draft(EntryType::KeyIntroduction, None, payload, Vec::new());
            let added = store
                .record(draft, &self.chain_name(), &keys.secret)
                .map_err(|error| conflict(&error))?;
            self.recorded(&state, &added);
        }
        Ok(())
    }

    /// Makes a new signing key. The chain of the project, where one is named, records that the old one handed over.
    pub fn rotate_key(&self, path: Option<&str>, reason: &str) -> Result<PublicKey, Failure> {
        if self.signer.given.is_some() {
            return Err(Failure::new(
                ErrorCode::Impossible,
                "the signing key comes from the environment; replace it there (ENGINE_SIGNING_KEY)",
            ));
        }
        let old = self.signer.keys()?;
        let state = path.map(|path| self.project(path)).transpose()?;
        let (new, rotation) = self
            .signer
            .user()?
            .rotate(&self.timestamp(), reason)
            .map_err(|error| conflict(&error))?;
        self.signer.forget();
        if let Some(state) = state
            && let Some(store) = state.store()
        {
            let payload = serde_json::to_value(&rotation).unwrap_or_default();
            let draft = self.draft(EntryType::KeyRotation, None, payload, Vec::new());
            // The old key signs that it hands over; the new one signs what comes next.
            let added = store
                .record(draft, &self.chain_name(), &old.secret)
                .map_err(|error| conflict(&error))?;
            self.recorded(&state, &added);
        }
        Ok(new.secret.public())
    }
}

/// What an entry tells of a scan: enough to find it and to notice another one in its place.
fn scan_payload(scan: &ScanResult, digests: &Digests) -> Value {
    let count = |severity| {
        scan.findings
            .iter()
            .filter(|finding| finding.severity == severity && finding.kind == engine_model::FindingType::Fail)
            .count()
    };
    let mut payload = json!({
        "scanId": scan.id,
        "asOf": scan.as_of,
        // Scores have a fraction; in a signed record a number is an integer or a string.
        "score": format!("{:.2}", scan.score.compliance),
        "applicability": scan.applicability,
        "systems": scan.systems.len(),
        "findings": {
            "critical": count(Severity::Critical),
            "high": count(Severity::High),
            "medium": count(Severity::Medium),
            "low": count(Severity::Low),
        },
        "filesScanned": scan.files_scanned,
        "engineVersion": scan.engine_version,
        "regulationVersion": scan.regulation_version,
        // Of the result as it may leave the machine, and of the one that is kept here.
        "result": {"blake3": digests.portable, "stored": digests.stored},
    });
    if !scan.tools.is_empty() {
        let tools = scan.tools.iter().map(|tool| {
            json!({"name": tool.name, "version": tool.version, "status": tool.status, "findings": tool.findings})
        });
        payload["tools"] = tools.collect();
    }
    payload
}

/// Digests of a result: as it may leave the machine, and as it is kept here.
pub(crate) struct Digests {
    pub(crate) portable: Digest,
    pub(crate) stored: Digest,
}

/// Remembers the head of a chain outside its project.
///
/// The change and its entry are kept by now: a head that is not remembered weakens later checks and undoes nothing.
fn remember_head(user: &UserDir, project: &Path, chain: &Mutex<ChainWatch>, newest: u64, head: &str) {
    match user.remember(project, head) {
        Ok(()) => {
            let mut chain = chain.lock().unwrap_or_else(PoisonError::into_inner);
            chain.remembered = chain.remembered.max(newest);
        }
        Err(error) => not_remembered(&conflict(&error).details),
    }
}

fn not_remembered(why: &str) {
    tracing::warn!(
        details = why,
        "could not store the chain head outside the project; a later rollback of the chain may not be detected"
    );
}

/// The documents that a scan rests on, so that a later change of one can be told.
fn documents(scan: &ScanResult) -> Vec<Artifact> {
    let artifacts: BTreeSet<Artifact> = scan
        .documents
        .iter()
        .filter_map(|document| {
            Some(Artifact {
                path: document.file.clone(),
                blake3: document.digest.parse().ok()?,
            })
        })
        .collect();
    artifacts.into_iter().take(ARTIFACTS_MAX).collect()
}

/// Files that are no longer what the newest entry says of them. A file may change; the chain stays what it is.
fn changed_files(state: &ProjectState, artifacts: &BTreeMap<String, Stated>) -> Vec<Issue> {
    let paths: Vec<&str> = artifacts.keys().map(String::as_str).collect();
    let limits = engine_project::Limits::default();
    let today = engine_project::read_files(state.root(), &limits, &paths, &|file| file.digest);
    artifacts
        .iter()
        .zip(today)
        .filter_map(|((path, stated), today)| {
            let what = match today {
                Some((_, digest)) if digest == *stated.blake3.as_bytes() => return None,
                Some(_) => "differs from the content recorded in",
                None => "is missing or unreadable; it was recorded in",
            };
            Some(Issue {
                kind: IssueKind::Artifact,
                verdict: None,
                seq: Some(stated.seq),
                message: format!("`{path}` {what} entry {}", stated.seq),
            })
        })
        .collect()
}

fn read_store<T>(state: &ProjectState, read: impl FnOnce(&Store) -> Result<T, StoreError>) -> Result<T, Failure> {
    state.reading(read)?.map_err(|error| conflict(&error))
}

/// A time as entries write it: a date is its first moment.
pub(crate) fn moment(text: &str, field: &str) -> Result<String, Failure> {
    let parsed = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        text.parse::<jiff::civil::Date>()
            .ok()?
            .to_zoned(jiff::tz::TimeZone::UTC)
            .ok()
            .map(|z| z.timestamp())
    });
    match parsed {
        Some(time) => Ok(format!("{time:.3}")),
        None => Err(Failure::new(
            ErrorCode::InvalidRequest,
            format!("`{field}` must be a time such as 2026-11-20T10:00:00Z or a date such as 2026-11-20"),
        )
        .field(field)),
    }
}

/// What is said where somebody took away heads that were seen, and only the first is still known.
fn gone_heads() -> Issue {
    Issue {
        kind: IssueKind::Remembered,
        verdict: None,
        seq: None,
        message:
            "saved chain heads of this project are missing in the user's data directory, except the first. Could not \
                  determine whether entries were removed from the end of the chain"
                .to_owned(),
    }
}

/// What is said of a database that cannot be read at all.
fn unreadable() -> Report {
    Report {
        valid: false,
        verdict: Verdict::Corrupt,
        broken_at: Some(0),
        entries: 0,
        first_entry: None,
        last_entry: None,
        head: None,
        keys: Vec::new(),
        first_use_keys: Vec::new(),
        issues: vec![Issue {
            kind: IssueKind::Unreadable,
            verdict: Some(Verdict::Corrupt),
            seq: None,
            message: "the database of the project is damaged; restore it from a backup".to_owned(),
        }],
    }
}
