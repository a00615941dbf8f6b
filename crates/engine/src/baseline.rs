//! `baseline.json`: the gaps that were there when somebody drew a line, so that the gate speaks of new ones.

use std::collections::BTreeMap;

use engine_evidence::{Artifact, EntryType};
use engine_model::{
    BaselineEntry, BaselineReport, Baselined, Date, ErrorCode, Failure, Finding, FindingType, Severity,
};
use engine_signing::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Engine;
use crate::project::{ProjectState, conflict};
use crate::scan::state_file_name;

/// The name of the file in the state directory.
pub(crate) const FILE: &str = "baseline.json";

/// The file as replies and entries name it.
pub(crate) fn shown() -> String {
    state_file_name(FILE)
}

/// Where the digest of the baseline that the chain knows is remembered.
const KNOWN_DIGEST: &str = "baseline_digest";

/// The version of the format.
const VERSION: u32 = 1;

/// A baseline, as people review it: sorted by place, without lines, times or anything else that changes by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Baseline {
    version: u32,
    findings: Vec<Known>,
}

/// A gap that is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Known {
    id: String,
    check_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    obligation_id: Option<String>,
    severity: Severity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(default)]
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<Date>,
}

impl Known {
    fn entry(&self) -> BaselineEntry {
        BaselineEntry {
            id: self.id.clone(),
            check_id: self.check_id.clone(),
            file: self.file.clone(),
            owner: self.owner.clone(),
            until: self.until,
        }
    }
}

/// Reads a baseline. One that cannot be understood stops the scan: without it the gate would speak of what is known.
pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Baseline, Failure> {
    let wrong = |details: &str| Failure::new(ErrorCode::StateConflict, format!("{name}: {details}"));
    let baseline: Baseline = serde_json::from_slice(bytes).map_err(|error| {
        wrong(&engine_scanner::mask_secrets(&format!(
            "not a valid baseline: {error}; rewrite it with `engine-server baseline`"
        )))
    })?;
    if baseline.version != VERSION {
        return Err(wrong(&format!(
            "the file has version {}, but this engine needs version {VERSION}; rewrite it with `engine-server baseline`",
            baseline.version
        )));
    }
    Ok(baseline)
}

/// Words that a person gives to the entries of a baseline that are new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) reason: Option<String>,
    pub(crate) owner: Option<String>,
    pub(crate) until: Option<Date>,
}

/// The baseline of a project as it is now. What the former one says about a gap that is still there is kept.
pub(crate) fn draw(findings: &[Finding], former: Option<&Baseline>, words: &Words, as_of: Date) -> Baseline {
    let former: BTreeMap<&str, &Known> = former
        .into_iter()
        .flat_map(|baseline| &baseline.findings)
        // What has expired is decided anew, not carried on.
        .filter(|known| known.until.is_none_or(|until| until >= as_of))
        .map(|known| (known.id.as_str(), known))
        .collect();
    let mut known: Vec<Known> = findings
        .iter()
        .filter(|finding| finding.kind == FindingType::Fail && finding.suppressed.is_none())
        .map(|finding| {
            let before = former.get(finding.id.as_str());
            Known {
                id: finding.id.clone(),
                check_id: finding.check_id.clone(),
                obligation_id: finding.obligation_id.clone(),
                severity: finding.severity,
                file: finding.file.clone(),
                title: finding.title.clone(),
                reason: before.map_or_else(|| words.reason.clone(), |known| known.reason.clone()),
                owner: before.map_or_else(|| words.owner.clone(), |known| known.owner.clone()),
                until: before.map_or(words.until, |known| known.until),
            }
        })
        .collect();
    known.sort_by(|a, b| (&a.file, &a.check_id, &a.id).cmp(&(&b.file, &b.check_id, &b.id)));
    Baseline {
        version: VERSION,
        findings: known,
    }
}

impl Baseline {
    /// The file, one key on a line, so that a change reads well.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))
    }

    /// How many gaps it names.
    pub(crate) fn len(&self) -> usize {
        self.findings.len()
    }

    /// Its gaps in numbers. Reasons and owners can name people, so the chain gets none of them.
    fn counts(&self) -> Value {
        let count = |wanted: &dyn Fn(&Known) -> bool| self.findings.iter().filter(|known| wanted(known)).count();
        let of = |severity: Severity| count(&|known| known.severity == severity);
        json!({
            "findings": self.len(),
            "critical": of(Severity::Critical),
            "high": of(Severity::High),
            "medium": of(Severity::Medium),
            "low": of(Severity::Low),
            "info": of(Severity::Info),
            "withEnd": count(&|known| known.until.is_some()),
            "withOwner": count(&|known| known.owner.is_some()),
        })
    }

    /// Marks the findings that are known, and says what became of every entry.
    pub(crate) fn mark(&self, findings: &mut [Finding], as_of: Date, name: &str) -> BaselineReport {
        let known: BTreeMap<&str, &Known> = self.findings.iter().map(|known| (known.id.as_str(), known)).collect();
        let expired = |known: &Known| known.until.is_some_and(|until| until < as_of);
        let mut seen = std::collections::BTreeSet::new();
        let mut matched = 0;
        for finding in findings.iter_mut().filter(|finding| finding.kind == FindingType::Fail) {
            let Some(known) = known.get(finding.id.as_str()) else {
                continue;
            };
            seen.insert(known.id.as_str());
            if !expired(known) {
                matched += 1;
                finding.baseline = Some(Baselined {
                    reason: known.reason.clone(),
                    owner: known.owner.clone(),
                    until: known.until,
                });
            }
        }
        let entries = |wanted: &dyn Fn(&Known) -> bool| -> Vec<BaselineEntry> {
            self.findings
                .iter()
                .filter(|known| wanted(known))
                .map(Known::entry)
                .collect()
        };
        BaselineReport {
            file: name.to_owned(),
            entries: self.findings.len() as u64,
            matched,
            expired: entries(&|known| expired(known) && seen.contains(known.id.as_str())),
            unmatched: entries(&|known| !seen.contains(known.id.as_str())),
        }
    }
}

impl Engine {
    /// Records a baseline that differs from the one the chain knows: it was written, edited by a person or removed. False where nothing may be
    /// written.
    pub(crate) fn record_baseline(&self, state: &ProjectState) -> Result<bool, Failure> {
        let Some(store) = state.store() else {
            return Ok(false);
        };
        let bytes = state.state_file(FILE)?;
        let digest = bytes.as_deref().map(Digest::of);
        let known = store.meta_get(KNOWN_DIGEST).map_err(|error| conflict(&error))?;
        let known = known.filter(|known| !known.is_empty());
        if known == digest.as_ref().map(Digest::to_string) {
            return Ok(true);
        }
        let name = shown();
        let counts = match &bytes {
            Some(bytes) => parse(bytes, &name)?.counts(),
            None => Value::Null,
        };
        let action = match (&digest, &known) {
            (None, _) => "removed",
            (Some(_), None) => "created",
            (Some(_), Some(_)) => "changed",
        };
        let mut payload = json!({
            "action": action,
            "file": name,
            "blake3": digest,
            "before": known,
            "counts": counts,
        });
        if digest.is_none() {
            payload["removed"] = json!([name]);
        }
        let artifact = |blake3| Artifact {
            path: name.clone(),
            blake3,
        };
        let artifacts = digest.map(artifact).into_iter().collect();
        let keys = self.signer().keys()?;
        let draft = self.draft(EntryType::Baseline, None, payload, artifacts);
        let added = store
            .record(draft, &self.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        let digest = digest.map(|digest| digest.to_string()).unwrap_or_default();
        store
            .meta_set(KNOWN_DIGEST, &digest)
            .map_err(|error| conflict(&error))?;
        self.recorded(state, &added);
        Ok(true)
    }
}
