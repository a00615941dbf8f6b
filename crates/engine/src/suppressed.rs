//! Evidence of suppressions: which findings were suppressed, reopened or went away since the chain last said so.

use std::collections::BTreeMap;

use engine_evidence::EntryType;
use engine_model::{Failure, Finding, ScanResult};
use engine_signing::Digest;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::Engine;
use crate::project::{ProjectState, conflict};

/// Where the suppressed findings that the chain knows are remembered.
const KNOWN: &str = "suppressed_findings";

/// Findings that an entry lists of each kind; it counts them all.
const LISTED_MAX: usize = 300;

/// A suppressed finding as it is remembered. Reasons and owners can name people, so the chain has no more than a digest of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Known {
    check_id: String,
    /// The digest of reason, owner and end.
    decision: Digest,
}

impl Engine {
    /// Records what has changed about suppressions since the last scan. The scan is stored by now; where this fails, the next scan does it.
    pub(crate) fn record_suppressions(&self, state: &ProjectState, scan: &ScanResult) {
        if let Err(failure) = self.record_changed_suppressions(state, scan) {
            tracing::warn!(
                details = failure.details,
                "could not record a change of suppressions; the next scan tries again"
            );
        }
    }

    fn record_changed_suppressions(&self, state: &ProjectState, scan: &ScanResult) -> Result<(), Failure> {
        let Some(store) = state.store() else { return Ok(()) };
        let text = store.meta_get(KNOWN).map_err(|error| conflict(&error))?;
        let before: BTreeMap<String, Known> = text
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let now = suppressed(&scan.findings)?;
        if before == now {
            return Ok(());
        }
        let changed: Vec<(&String, &Known)> = now
            .iter()
            .filter(|(id, known)| before.get(*id) != Some(*known))
            .collect();
        let ended = before.iter().filter(|(id, _)| !now.contains_key(*id));
        let (reopened, gone): (Vec<_>, Vec<_>) =
            ended.partition(|(id, _)| scan.findings.iter().any(|finding| finding.id == **id));
        let list = |all: &[(&String, &Known)]| -> Vec<_> {
            all.iter()
                .take(LISTED_MAX)
                .map(|(id, known)| json!({"findingId": id, "checkId": known.check_id, "decision": known.decision}))
                .collect()
        };
        let payload = json!({
            "scanId": scan.id,
            "suppressed": list(&changed),
            "suppressedTotal": changed.len(),
            "reopened": list(&reopened),
            "reopenedTotal": reopened.len(),
            "gone": list(&gone),
            "goneTotal": gone.len(),
            "now": now.len(),
        });
        let keys = self.signer().keys()?;
        let draft = self.draft(EntryType::Suppression, None, payload, Vec::new());
        let added = store
            .record(draft, &self.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        let text = serde_json::to_string(&now).map_err(|error| conflict(&error))?;
        store.meta_set(KNOWN, &text).map_err(|error| conflict(&error))?;
        self.recorded_soon(state, &added);
        Ok(())
    }
}

/// The suppressed findings of a scan, by their ids.
fn suppressed(findings: &[Finding]) -> Result<BTreeMap<String, Known>, Failure> {
    findings
        .iter()
        .filter_map(|finding| Some((finding, finding.suppressed.as_ref()?)))
        .map(|(finding, suppressed)| {
            let decision = Digest::of_json(suppressed).map_err(|error| conflict(&error))?;
            let known = Known {
                check_id: finding.check_id.clone(),
                decision,
            };
            Ok((finding.id.clone(), known))
        })
        .collect()
}
