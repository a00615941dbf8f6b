//! Personal data beside the chain: kept by digest, held for a case, erased when its time is over.

use engine_evidence::EntryType;
use engine_model::{ErrorCode, Failure};
use engine_store::{EvidenceAdded, Personal, PersonalRecord, Store, StoreError};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::Engine;
use crate::project::{ProjectState, conflict};

/// Bytes of one piece of personal data.
const VALUE_BYTES_MAX: usize = 64 * 1024;

/// Characters of a reason. It stays in the chain for good, so it is short and names nobody.
const REASON_CHARS_MAX: usize = 200;

/// What is done with personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetentionStep {
    /// Erase it for good.
    Erase,
    /// Erase all whose time is over and that nothing holds; no digests are given.
    Expire,
    /// Keep it from being erased.
    Hold,
    /// Let it be erased again.
    Release,
}

impl Engine {
    /// The personal data that is kept of a project.
    pub fn personal(&self, path: Option<&str>) -> Result<Vec<PersonalRecord>, Failure> {
        let state = self.project_or_current(path)?;
        writable(&state)?.personal().map_err(|error| refused(&error))
    }

    /// Keeps personal data beside the chain; entries name it by the digest that comes back.
    pub fn keep_personal(&self, path: Option<&str>, value: &str, until: Option<&str>) -> Result<String, Failure> {
        if value.is_empty() || value.len() > VALUE_BYTES_MAX {
            return Err(Failure::new(
                ErrorCode::InvalidRequest,
                format!("personal data must have 1 to {VALUE_BYTES_MAX} bytes; shorten it or store it in parts"),
            ));
        }
        let until = until.map(moment).transpose()?;
        let state = self.project_or_current(path)?;
        let store = writable(&state)?;
        let keys = self.signer.keys()?;
        let personal = Personal::new(value).map_err(|error| refused(&error))?;
        let digest = personal.digest().to_owned();
        let payload = json!({"action": "kept", "personal": [digest], "keptUntil": until});
        let draft = self.draft(EntryType::Retention, None, payload, Vec::new());
        let added = store
            .keep_personal(personal, until, draft, &self.chain_name(), &keys.secret)
            .map_err(|error| refused(&error))?;
        self.recorded(&state, &added);
        Ok(digest)
    }

    /// Erases personal data, holds it, or releases it; the chain records which, by digest, and why. The digests that it
    /// was done to come back.
    pub fn retain(
        &self,
        path: Option<&str>,
        step: &RetentionStep,
        digests: &[String],
        reason: &str,
    ) -> Result<Vec<String>, Failure> {
        let reason = reason.trim();
        if reason.is_empty() || reason.chars().count() > REASON_CHARS_MAX {
            return Err(Failure::new(
                ErrorCode::InvalidRequest,
                format!("the reason must have 1 to {REASON_CHARS_MAX} characters; leave out personal names, because it stays in the chain permanently"),
            )
            .field("reason"));
        }
        let state = self.project_or_current(path)?;
        let store = writable(&state)?;
        let mut digests = digests.to_vec();
        if *step == RetentionStep::Expire {
            let now = (self.options.clock.now)();
            digests = overdue(&store.personal().map_err(|error| refused(&error))?, now);
        }
        digests.sort();
        digests.dedup();
        if digests.is_empty() {
            return Ok(digests);
        }
        let added = self.step(store, step, &digests, reason)?;
        self.recorded(&state, &added);
        Ok(digests)
    }

    fn step(
        &self,
        store: &Store,
        step: &RetentionStep,
        digests: &[String],
        reason: &str,
    ) -> Result<EvidenceAdded, Failure> {
        let keys = self.signer.keys()?;
        let action = match step {
            RetentionStep::Erase => "erased",
            RetentionStep::Expire => "expired",
            RetentionStep::Hold => "held",
            RetentionStep::Release => "released",
        };
        let reason = engine_scanner::mask_secrets(reason);
        let payload: Value = json!({"action": action, "personal": digests, "reason": reason});
        let draft = self.draft(EntryType::Retention, None, payload, Vec::new());
        let (digests, chain) = (digests.to_vec(), self.chain_name());
        let done = match step {
            RetentionStep::Erase | RetentionStep::Expire => store.erase_personal(digests, draft, &chain, &keys.secret),
            RetentionStep::Hold => store.hold_personal(digests, Some(reason), draft, &chain, &keys.secret),
            RetentionStep::Release => store.hold_personal(digests, None, draft, &chain, &keys.secret),
        };
        done.map_err(|error| refused(&error))
    }
}

fn writable(state: &ProjectState) -> Result<&Store, Failure> {
    state.ensure()?.ok_or_else(|| {
        Failure::new(
            ErrorCode::ReadOnly,
            "a read-only engine cannot access stored personal data; start it without --read-only",
        )
    })
}

/// Digests of what may be erased because its time is over.
fn overdue(records: &[PersonalRecord], now: Timestamp) -> Vec<String> {
    records
        .iter()
        .filter(|record| record.legal_hold.is_none())
        .filter(|record| {
            let until = record
                .kept_until
                .as_deref()
                .and_then(|until| until.parse::<Timestamp>().ok());
            until.is_some_and(|until| until <= now)
        })
        .map(|record| record.digest.clone())
        .collect()
}

fn moment(text: &str) -> Result<String, Failure> {
    crate::evidence::moment(text, "until")
}

fn refused(error: &StoreError) -> Failure {
    let impossible = matches!(error, StoreError::LegalHold { .. } | StoreError::NoPersonal { .. });
    if impossible {
        Failure::new(ErrorCode::Impossible, error.to_string())
    } else {
        conflict(error)
    }
}
