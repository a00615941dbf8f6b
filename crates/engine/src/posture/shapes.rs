//! The posture of a project and its status report as JSON.

use std::collections::BTreeMap;

use engine_model::Score;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The query of `GET /status/posture` and `GET /report/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PostureRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// Reply of `GET /status/posture`: the last scan in short.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Posture {
    /// The project's folder.
    pub project_path: String,
    /// The scan behind it.
    pub scan_id: String,
    /// The time of that scan.
    pub scanned_at: String,
    /// The score with its terms.
    pub score: Score,
    /// What the score covers and what it does not.
    pub disclaimer: PostureDisclaimer,
    /// Groups of obligations, the lowest score first.
    pub categories: Vec<PostureCategory>,
    /// What to do, in the order in which a person should act.
    pub top_actions: Vec<PostureAction>,
    /// Passports that can be read.
    pub passport_count: u64,
    /// Documents of the kinds that the law names.
    pub document_count: u64,
}

/// The scope of a score.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureDisclaimer {
    /// The limits of the score, in a sentence.
    pub summary: String,
    /// Obligations in force that were evaluated, counted once per system.
    pub covered_obligations: u64,
    /// Obligations in force, counted once per system.
    pub total_applicable_obligations: u64,
    /// Share of them that was evaluated, 0 to 100.
    pub coverage_percent: f64,
    /// Obligations in force that were not evaluated.
    pub uncovered_count: u64,
}

/// A group of obligations.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PostureCategory {
    /// The group.
    pub category: String,
    /// 0 to 100.
    pub score: f64,
    /// Its share of the weight of all groups, 0 to 100.
    pub weight: f64,
    /// Evaluated obligations with evidence.
    pub passed: u64,
    /// Evaluated obligations with a gap or incomplete evidence.
    pub failed: u64,
    /// `high`, `medium` or `low`: the points of the score that the group can still add, from 20 and from 5.
    pub impact: String,
    /// The counts in a sentence.
    pub explanation: String,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureAction {
    /// Its place in the order, from 1.
    pub rank: u64,
    /// `scan` for a finding, `obligation` for a duty, `question` for an answer.
    pub source: String,
    /// The finding, obligation or question.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// How grave it is; `info` if nothing says so.
    pub severity: String,
    /// Whether the engine has a fix.
    pub fix_available: bool,
    /// The command that shows its fix, does it or records it; empty if there is none.
    pub command: String,
    /// The order as a number: the first action has the highest.
    pub priority_score: f64,
    /// Days until the date by which it must be done; null if that has passed or nothing sets one.
    pub days_left: Option<i32>,
}

/// Reply of `GET /report/status`: the status of a project in parts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// When the report was made, RFC 3339 in UTC.
    pub generated_at: String,
    /// What was assessed, part by part.
    pub readiness: ReadinessPart,
    /// Documents that exist, and documents that are due and missing.
    pub documents: DocumentsPart,
    /// Obligations in force.
    pub obligations: ObligationsPart,
    /// Passports of agents.
    pub passports: PassportsPart,
    /// What to do.
    pub action_plan: ActionPart,
    /// All parts in short.
    pub summary: SummaryPart,
    /// The limits of the result.
    pub disclaimer: String,
}

/// What was assessed, part by part.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadinessPart {
    /// `score.readiness` of the last scan.
    pub readiness_score: f64,
    /// `red` below 50, `yellow` below 80, `green`; never `green` while less than half of the weight in force was evaluated.
    pub zone: String,
    /// The parts that were assessed. A part that was not is absent.
    pub dimensions: BTreeMap<String, Dimension>,
}

/// The score of one part.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Dimension {
    /// 0 to 100.
    pub score: f64,
    /// Always true: a part that was not assessed is absent. For existing clients.
    pub available: bool,
    /// What the number is.
    pub meaning: String,
}

/// Documents that exist, and documents that are due and missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentsPart {
    /// All of them.
    pub total: u64,
    /// The number per status.
    pub by_status: BTreeMap<String, u64>,
    /// The documents.
    pub documents: Vec<ReportedDocument>,
}

/// A document that exists, or is due and missing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportedDocument {
    /// The type, an id of the law data.
    pub doc_type: String,
    /// Its title.
    pub title: String,
    /// `filled`, `draft`, `scaffold` or `missing`.
    pub status: String,
    /// Share of the required sections with content, 0 to 100.
    pub completeness: u8,
    /// The file, relative to the project; null if it is missing.
    pub file: Option<String>,
    /// Systems that need it; empty if none was found to.
    pub systems: Vec<String>,
}

/// Obligations in force, counted once per system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObligationsPart {
    /// All of them.
    pub total: u64,
    /// Those with evidence.
    pub covered: u64,
    /// Share of those with evidence, 0 to 100.
    pub coverage_percent: f64,
    /// The number per status.
    pub by_status: BTreeMap<String, u64>,
    /// The counts per article.
    pub by_article: Vec<ArticleCount>,
    /// Obligations with a gap.
    pub critical: Vec<OpenObligation>,
}

/// The obligations of one article.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ArticleCount {
    /// The article, such as `Art. 50`.
    pub article: String,
    /// Obligations in force.
    pub total: u64,
    /// Those with evidence.
    pub covered: u64,
}

/// An obligation in force with a gap.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OpenObligation {
    /// `OBL-<number>`.
    pub id: String,
    /// The provision.
    pub article: String,
    /// Its title.
    pub title: String,
    /// The system.
    pub system: String,
}

/// Passports of agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassportsPart {
    /// Agents with and without a passport.
    pub total_agents: u64,
    /// The passports.
    pub passports: Vec<ReportedPassport>,
    /// The mean completeness of the passports, 0 to 100; null without one.
    pub average_completeness: Option<f64>,
}

/// One passport.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportedPassport {
    /// The name of the agent.
    pub name: String,
    /// Share of the required fields that code or a person supplied, 0 to 100.
    pub completeness: f64,
    /// Whether the signature is valid.
    pub signed: bool,
    /// Whether a filled fundamental rights impact assessment was found in the project.
    pub fria_completed: bool,
}

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionPart {
    /// The first actions.
    pub actions: Vec<ReportedAction>,
    /// The number of all actions.
    pub total_actions: u64,
    /// The number of listed actions.
    pub shown: u64,
}

/// One thing to do, in a report.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportedAction {
    /// Its place in the order, from 1.
    pub rank: u64,
    /// `scan` for a finding, `obligation` for a duty, `question` for an answer.
    pub source: String,
    /// The finding, obligation or question.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// How grave it is; `info` if nothing says so.
    pub severity: String,
    /// Whether the engine has a fix. Published clients show `+0` points for what they know as `fixAvailable` without a number.
    pub fixable: bool,
    /// The command that shows its fix, does it or records it; empty if there is none.
    pub command: String,
    /// The order as a number: the first action has the highest.
    pub priority_score: f64,
    /// Days until the date by which it must be done; null if that has passed or nothing sets one.
    pub days_left: Option<i32>,
}

impl From<PostureAction> for ReportedAction {
    fn from(action: PostureAction) -> Self {
        Self {
            rank: action.rank,
            source: action.source,
            id: action.id,
            title: action.title,
            severity: action.severity,
            fixable: action.fix_available,
            command: action.command,
            priority_score: action.priority_score,
            days_left: action.days_left,
        }
    }
}

/// All parts in short.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryPart {
    /// The same as in `readiness`.
    pub readiness_score: f64,
    /// The same as in `readiness`.
    pub zone: String,
    /// The compliance score; null if no obligation was evaluated.
    pub scan_score: Option<f64>,
    /// The score of the last evaluation of an endpoint; null without one.
    pub eval_score: Option<f64>,
    /// Obligations in force.
    pub total_obligations: u64,
    /// Those with evidence.
    pub covered_obligations: u64,
    /// Open gaps.
    pub total_findings: u64,
    /// Those that are critical.
    pub critical_findings: u64,
    /// Those that the engine can fix.
    pub auto_fixable: u64,
    /// Entries of the evidence chain.
    pub evidence_chain_length: u64,
    /// Whether the evidence chain is valid.
    pub evidence_verified: bool,
    /// The time of the scan.
    pub scanned_at: String,
    /// When the report was made.
    pub generated_at: String,
}
