//! Events of the daemon.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What happened; payloads carry no source text and no secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum EventBody {
    /// A scan ended.
    #[serde(rename = "scan.complete", rename_all = "camelCase")]
    ScanComplete {
        /// The scan.
        scan_id: String,
        /// Its score.
        score: Option<f64>,
        /// Its number of gaps.
        findings: u64,
        /// How long it took, in milliseconds.
        elapsed: f64,
    },
    /// The score changed.
    #[serde(rename = "score.update")]
    ScoreUpdate {
        /// Before.
        before: Option<f64>,
        /// After.
        after: Option<f64>,
        /// The reason for the change.
        reason: String,
    },
    /// The gate was evaluated and passed.
    #[serde(rename = "gate.pass", rename_all = "camelCase")]
    GatePass {
        /// The score.
        score: Option<f64>,
        /// The thresholds.
        threshold: Value,
        /// New findings at or above it.
        new_findings: u64,
    },
    /// The gate was evaluated and failed.
    #[serde(rename = "gate.fail", rename_all = "camelCase")]
    GateFail {
        /// The score.
        score: Option<f64>,
        /// The thresholds.
        threshold: Value,
        /// New findings at or above it.
        new_findings: u64,
        /// `failed`, or `not_assessed` where nothing was evaluated that the gate needs.
        verdict: crate::GateVerdict,
    },
    /// A fix was applied or undone.
    #[serde(rename = "fix.applied", rename_all = "camelCase")]
    FixApplied {
        /// Its number in the history.
        fix_id: i64,
        /// The check.
        check_id: String,
        /// The changed files.
        files: Vec<String>,
        /// Whether it was undone.
        undo: bool,
    },
    /// A passport of an agent was created or imported.
    #[serde(rename = "agent.created")]
    AgentCreated {
        /// The name of the agent.
        name: String,
    },
    /// An entry was added to the evidence chain.
    #[serde(rename = "evidence.appended", rename_all = "camelCase")]
    EvidenceAppended {
        /// Its position in the chain.
        seq: u64,
        /// What it records; `type` is the type of the event.
        entry_type: String,
        /// Its digest.
        hash: String,
    },
}

impl EventBody {
    /// The name in the `event:` line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ScanComplete { .. } => "scan.complete",
            Self::ScoreUpdate { .. } => "score.update",
            Self::GatePass { .. } => "gate.pass",
            Self::GateFail { .. } => "gate.fail",
            Self::FixApplied { .. } => "fix.applied",
            Self::AgentCreated { .. } => "agent.created",
            Self::EvidenceAppended { .. } => "evidence.appended",
        }
    }
}

/// One event with its number and time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Monotonic number, the `id:` of the frame; not repeated in the data.
    #[serde(skip)]
    pub id: u64,
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
    /// RFC 3339 in UTC.
    pub timestamp: String,
    /// The project's folder.
    pub project: String,
}
