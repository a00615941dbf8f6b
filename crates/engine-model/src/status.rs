//! The state of the daemon.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reply of `GET /status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineStatus {
    /// `ok`, or `scanning` while a scan runs.
    pub status: String,
    /// Version of the engine.
    pub version: String,
    /// `daemon` or `read-only`.
    pub mode: String,
    /// Whole seconds since the start.
    pub uptime: u64,
    /// Time of the last scan, RFC 3339 in UTC; null before the first.
    pub last_scan: Option<String>,
    /// The last evaluation in short, for published clients; null before the first.
    #[serde(rename = "lastScan")]
    pub last_result: Option<LastScan>,
    /// `score` of `lastScan`, where the older of these clients read it.
    pub score: Option<f64>,
    /// Agents of the last scan.
    pub agents_count: u64,
    /// Gaps of the last scan that are not suppressed.
    pub total_findings: u64,
    /// Score of the last scan; null before the first and when no AI was found.
    pub compliance_score: Option<f64>,
    /// Whether requests are served.
    pub ready: bool,
    /// Process id.
    pub pid: u32,
    /// The current project, if one is set.
    pub project: Option<String>,
    /// Version of the regulation data.
    #[serde(rename = "regulationVersion")]
    pub regulation_version: String,
    /// Network destinations contacted since the start.
    pub outbound: Vec<String>,
}

/// The last evaluation in short: a scan, or a later preview of fixes, which keeps nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastScan {
    /// Time of the last scan, RFC 3339 in UTC; null before the first.
    pub scanned_at: Option<String>,
    /// The score of the evaluation; null when no AI was found and while no obligation was evaluated.
    pub score: Option<f64>,
    /// Gaps of the last scan that are not suppressed.
    pub findings: u64,
}
