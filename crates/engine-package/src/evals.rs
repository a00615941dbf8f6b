//! The result of an evaluation, fit to be handed on, and the list of those that a chain records.

use engine_evidence::{Entry, EntryType};
use engine_signing::{CanonicalError, Digest, canonical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contents::paths;

/// Parts of a reply that may hold what is nobody else's business, and that no number follows from.
const TURN_PRIVATE: [&str; 2] = ["headers", "body"];

/// Texts that a target, or what stands between, has written.
const SAID: [&str; 5] = ["response", "reason", "actual", "model", "fault"];

/// Evaluations and red-team runs that entries of the evidence chain record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvalIndex {
    /// One record per run, in the order of their entries.
    pub runs: Vec<EvalIndexed>,
}

/// The current status of a run, compared with the newest entry that refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvalIndexed {
    /// The run.
    pub run: String,
    /// `eval` or `redteam`.
    pub kind: String,
    /// The sequence number of the newest entry that refers to it.
    pub seq: u64,
    /// The digest of that entry.
    #[schemars(with = "String")]
    pub entry: Digest,
    /// The digest of the result in that entry; `null` if an engine recorded it that packed no results.
    #[schemars(with = "Option<String>")]
    pub blake3: Option<Digest>,
    /// The current status of the result.
    pub standing: EvalStanding,
    /// Its path in the package.
    pub file: Option<String>,
}

/// The current status of the result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvalStanding {
    /// The result is in the package.
    Included,
    /// The result is stored, but left out: it is too large, the run is not finished, or another engine recorded it.
    LeftOut,
    /// Only the line in the history is stored.
    Gone,
}

impl EvalIndexed {
    /// Where the result of a run lies in a package.
    pub fn place(seq: u64, blake3: &Digest) -> String {
        let short: String = blake3.to_string().chars().take(16).collect();
        format!("{}{seq:08}-{short}.json", paths::EVAL_FOLDER)
    }
}

/// The run that an entry of the chain records; none where it records something else.
pub fn run_of(entry: &Entry) -> Option<&str> {
    matches!(entry.kind, EntryType::Eval | EntryType::Redteam)
        .then(|| entry.payload["runId"].as_str())
        .flatten()
}

/// The result of a run as it may leave the machine: without headers and bodies of replies, without the query of its
/// address, and with `clean` applied to everything that the target said. An entry of the chain states the digest of this.
#[must_use]
pub fn portable_eval(mut result: Value, clean: &dyn Fn(&str) -> String) -> Value {
    if let Some(Value::String(target)) = result.get_mut("target") {
        *target = address(target);
    }
    for list in ["results", "transcripts"] {
        let probes = result.get_mut(list).and_then(Value::as_array_mut);
        for probe in probes.into_iter().flatten() {
            portable_probe(probe, clean);
        }
    }
    said(&mut result, clean);
    result
}

fn portable_probe(probe: &mut Value, clean: &dyn Fn(&str) -> String) {
    let mut changed = false;
    let dialogues = probe.get_mut("transcript").and_then(Value::as_array_mut);
    let turns = dialogues
        .into_iter()
        .flatten()
        .filter_map(|dialogue| dialogue.get_mut("turns").and_then(Value::as_array_mut))
        .flatten();
    for turn in turns.filter_map(Value::as_object_mut) {
        for name in TURN_PRIVATE {
            turn.remove(name);
        }
        changed |= turn
            .get("response")
            .and_then(Value::as_str)
            .is_some_and(|text| clean(text) != text);
    }
    // Places count the bytes of replies, which are others now.
    if changed && let Some(places) = probe.get_mut("places") {
        *places = Value::Array(Vec::new());
    }
}

/// Cleans what was said, wherever it stands. The walk keeps a list, as nobody bounds how deep a file nests.
fn said(result: &mut Value, clean: &dyn Fn(&str) -> String) {
    let mut open = vec![result];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(text) if SAID.contains(&name.as_str()) => *text = clean(text),
                        other => open.push(other),
                    }
                }
            }
            _ => {}
        }
    }
}

/// An address without credentials, query and fragment.
fn address(target: &str) -> String {
    let end = target.find(['?', '#']).unwrap_or(target.len());
    let plain = &target[..end];
    let Some((scheme, rest)) = plain.split_once("://") else {
        return plain.to_owned();
    };
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = host.rsplit('@').next().unwrap_or(host);
    format!("{scheme}://{host}{path}")
}

/// Whether a result holds nothing that a package leaves out.
pub fn is_portable_eval(result: &Value) -> bool {
    portable_eval(result.clone(), &|text| text.to_owned()) == *result
}

/// The bytes of a result as it lies in a package: its canonical form.
///
/// # Errors
///
/// Where it has none.
pub fn eval_bytes(portable: &Value) -> Result<Vec<u8>, CanonicalError> {
    canonical(portable)
}
