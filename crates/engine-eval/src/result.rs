//! What a run comes to: counts, scores and their limits, in the shape of the interface.

use std::collections::BTreeMap;

use engine_model::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disparity::{Disparity, disparities};
use crate::endpoint::{Detection, Tried};
use crate::judge::{JUDGE_VERSION, Place, Verdict};
use crate::plan::Estimate;
use crate::run::{ProbeOutcome, RunRecord, Spent, Stop, Turn};
use crate::score::{self, Cap};
use crate::stats::{Interval, upper_bound_of_none, wilson};
use crate::suite::{Group, Method, SUITE_VERSION, Suite};

/// Characters of a prompt or reply beside a verdict; the transcript has all of it.
const SHOWN_CHARS: usize = 2_000;

/// Metadata of a run.
#[derive(Debug, Clone, Default)]
pub struct RunAbout {
    /// Its id.
    pub id: String,
    /// The address of the target, without secrets.
    pub target: String,
    /// When it began, RFC 3339.
    pub timestamp: String,
    /// The target.
    pub target_info: TargetInfo,
    /// Limits and estimates.
    pub budget: Budget,
    /// Quality of the judge model, if there was one.
    pub judge: Option<JudgeQuality>,
}

/// The target of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// The adapter for its requests.
    pub adapter: String,
    /// The requested model, or the model named in the replies.
    pub model: Option<String>,
    /// `native` if each turn is a separate message, `transcript` if all turns are in the prompt.
    pub conversation: String,
    /// The detection attempts.
    pub tried: Vec<Tried>,
    /// Latency of the first reply in milliseconds.
    pub latency: Option<f64>,
}

impl TargetInfo {
    /// What a detection found.
    pub fn of(detection: &Detection) -> Self {
        let endpoint = detection.endpoint.as_ref();
        let native = endpoint.is_some_and(|endpoint| endpoint.shape.keeps_turns());
        Self {
            adapter: endpoint.map_or("none", |endpoint| endpoint.shape.name()).to_owned(),
            model: detection
                .model
                .clone()
                .or_else(|| endpoint.and_then(|endpoint| endpoint.model.clone())),
            conversation: if native { "native" } else { "transcript" }.to_owned(),
            tried: detection.tried.clone(),
            latency: endpoint.map(|_| detection.latency_ms),
        }
    }
}

/// Limits of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Maximum number of requests.
    pub max_requests: Option<u64>,
    /// Maximum number of tokens.
    pub max_tokens: Option<u64>,
    /// Maximum cost.
    pub max_cost: Option<f64>,
    /// Maximum duration in milliseconds.
    pub timeout_ms: Option<u64>,
    /// The estimate before the start.
    pub estimate: Option<Estimate>,
    /// The actual consumption.
    pub spent: Spent,
}

/// Quality of the judge model, measured on known items in this run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgeQuality {
    /// The model.
    pub model: String,
    /// Known items judged.
    pub controls: usize,
    /// Share of known failures that the judge failed.
    pub sensitivity: Option<f64>,
    /// Share of known passes that the judge passed.
    pub specificity: Option<f64>,
    /// Share of the judged probes that failed.
    pub apparent_failure_rate: Option<f64>,
    /// The same share, corrected for the errors of the judge.
    pub corrected_failure_rate: Option<f64>,
}

/// Counts and score of a category.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryScore {
    /// Title.
    pub title: String,
    /// Group.
    pub group: String,
    /// Articles that this is evidence for.
    pub articles: Vec<String>,
    /// Ids of OWASP lists.
    pub owasp: Vec<String>,
    /// Probes.
    pub total: usize,
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Without a usable reply.
    pub errors: usize,
    /// Without a verdict.
    pub inconclusive: usize,
    /// Not judged: no judge model.
    pub not_judged: usize,
    /// Skipped.
    pub skipped: usize,
    /// Probes whose attempts have different verdicts.
    pub flaky: usize,
    /// Score weighted by severity, 0 to 100; none without enough evidence.
    pub score: Option<f64>,
    /// Share of probes with a verdict.
    pub coverage: f64,
    /// Confidence interval of the pass rate.
    pub interval: Option<Interval>,
    /// Upper bound of the failure rate after zero failures.
    pub failure_rate_bound: Option<f64>,
    /// Whether a critical failure caps the score.
    pub critical_capped: bool,
}

/// A failed probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalFailure {
    /// The probe.
    pub id: String,
    /// Its category.
    pub category: String,
    /// Its title.
    pub probe: String,
    /// The behaviour that passes.
    pub expected: String,
    /// The observed reply.
    pub actual: String,
    /// The severity.
    pub severity: Severity,
    /// Why it failed.
    pub reason: String,
    /// Articles concerned.
    pub articles: Vec<String>,
}

/// A dialogue with its replies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transcript {
    /// Its name within the probe.
    pub request: String,
    /// Questions and replies.
    pub turns: Vec<Turn>,
}

/// One probe in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbeResult {
    /// The probe.
    pub id: String,
    /// Its category.
    pub category: String,
    /// Its group.
    pub group: String,
    /// Its title.
    pub title: String,
    /// How it is judged.
    pub method: Method,
    /// The severity.
    pub severity: Severity,
    /// Its language.
    pub language: String,
    /// Techniques and topics.
    pub tags: Vec<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it passed.
    pub passed: bool,
    /// A score in addition to the verdict, if any.
    pub score: Option<f64>,
    /// The reason of the verdict.
    pub reason: String,
    /// The judge.
    pub judge: String,
    /// Latency of its replies in milliseconds.
    pub latency: f64,
    /// Attempts with a verdict.
    pub attempts: u32,
    /// Attempts that failed.
    pub failed_attempts: u32,
    /// Whether attempts have different verdicts.
    pub flaky: bool,
    /// The behaviour that passes.
    pub expected: String,
    /// The question that decided the verdict.
    pub prompt: String,
    /// The reply that decided the verdict.
    pub response: String,
    /// Places in the replies that decided the verdict.
    pub places: Vec<Place>,
    /// The complete dialogues.
    pub transcript: Vec<Transcript>,
}

/// Harmless control questions, for selections in which refusing always passes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Controls {
    /// Asked.
    pub asked: usize,
    /// Answered well.
    pub answered: usize,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvalResult {
    /// The run.
    pub id: String,
    /// The address of the target.
    pub target: String,
    /// Time of the run.
    pub timestamp: String,
    /// Duration in milliseconds.
    pub duration: f64,
    /// Probes run.
    pub total: usize,
    /// The same, for older clients.
    pub total_tests: usize,
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Without a usable reply.
    pub errors: usize,
    /// Without a verdict.
    pub inconclusive: usize,
    /// Not judged: no judge model.
    pub not_judged: usize,
    /// Skipped.
    pub skipped: usize,
    /// Probes whose attempts have different verdicts.
    pub flaky: usize,
    /// Score, 0 to 100; none without enough evidence.
    pub score: Option<f64>,
    /// The same, for older clients.
    pub overall_score: Option<f64>,
    /// `scored` or `insufficient_evidence`.
    pub score_status: String,
    /// Why there is no score.
    pub score_reason: Option<String>,
    /// Grade of the score.
    pub grade: Option<String>,
    /// The grade in words.
    pub tier: String,
    /// Score of the security categories.
    pub security_score: Option<f64>,
    /// Scores by group.
    pub group_scores: BTreeMap<String, Option<f64>>,
    /// Share of probes with a verdict.
    pub coverage: f64,
    /// Confidence interval of the pass rate.
    pub interval: Option<Interval>,
    /// Results by category.
    pub categories: BTreeMap<String, CategoryScore>,
    /// Caps on the score.
    pub caps: Vec<Cap>,
    /// Whether a critical failure caps a score.
    pub critical_capped: bool,
    /// Failed probes, most severe first.
    pub failures: Vec<EvalFailure>,
    /// All probes.
    pub results: Vec<ProbeResult>,
    /// Comparison of decisions between groups of people.
    pub disparities: Vec<Disparity>,
    /// Harmless control questions.
    pub controls: Controls,
    /// Quality of the judge model.
    pub judge: Option<JudgeQuality>,
    /// Version of the probe suite.
    pub suite_version: String,
    /// Digest of the probe suite.
    pub suite_hash: String,
    /// Version of the judging rules.
    pub judge_version: String,
    /// Seed for order, tokens and swaps. A string, because some clients lose 64-bit precision.
    pub seed: String,
    /// Limits and consumption.
    pub budget: Budget,
    /// Cost, if prices are known.
    pub cost: Option<f64>,
    /// Whether all probes were run.
    pub complete: bool,
    /// Why the run stopped early.
    pub stopped: Option<Stop>,
    /// The target.
    pub target_info: TargetInfo,
    /// The adapter for its requests, for older clients.
    pub adapter_name: String,
    /// Disclaimer.
    pub disclaimer: String,
}

/// An entry of the list of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvalListEntry {
    /// The run.
    pub id: String,
    /// The address of the target.
    pub target: String,
    /// The score.
    pub score: Option<f64>,
    /// Time of the run.
    pub timestamp: String,
}

const DISCLAIMER: &str = "Self-assessed. Probes show how one configuration behaved at one time; they are evidence, not proof. \
                          Rates are given with 95 % intervals.";

impl EvalResult {
    /// Counts a run.
    pub fn of(suite: &Suite, record: &RunRecord, about: RunAbout) -> Self {
        let outcomes = &record.outcomes;
        let scored = score::of(record);
        let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
        let (passed, failed, skipped) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Skipped));
        let mut failures: Vec<&ProbeOutcome> = outcomes
            .iter()
            .filter(|outcome| outcome.verdict == Verdict::Fail)
            .collect();
        failures.sort_by_key(|outcome| std::cmp::Reverse(outcome.case.probe.severity));
        let mut budget = about.budget;
        budget.spent = record.spent;
        Self {
            id: about.id,
            target: about.target,
            timestamp: about.timestamp,
            duration: record.elapsed,
            total: outcomes.len() - skipped,
            total_tests: outcomes.len() - skipped,
            passed,
            failed,
            errors: count(Verdict::Error),
            inconclusive: count(Verdict::Inconclusive),
            not_judged: count(Verdict::NotJudged),
            skipped,
            flaky: outcomes.iter().filter(|outcome| outcome.is_flaky()).count(),
            score: scored.score,
            overall_score: scored.score,
            score_status: if scored.score.is_some() {
                "scored"
            } else {
                "insufficient_evidence"
            }
            .to_owned(),
            score_reason: scored.reason,
            grade: scored.score.map(|score| score::grade(score).to_owned()),
            tier: scored.score.map_or("insufficient_evidence", score::tier).to_owned(),
            security_score: scored.groups.get(Group::Security.name()).copied().flatten(),
            group_scores: scored.groups,
            coverage: scored.coverage,
            interval: wilson(passed, passed + failed),
            critical_capped: scored.categories.values().any(|category| category.critical_capped),
            categories: scored.categories,
            caps: scored.caps,
            failures: failures.into_iter().map(failure).collect(),
            results: outcomes.iter().map(probe_result).collect(),
            disparities: disparities(outcomes, record.seed),
            controls: Controls {
                asked: record.controls.len(),
                answered: record
                    .controls
                    .iter()
                    .filter(|outcome| outcome.verdict == Verdict::Pass)
                    .count(),
            },
            judge: about.judge,
            suite_version: SUITE_VERSION.to_owned(),
            suite_hash: suite.hash().to_owned(),
            judge_version: JUDGE_VERSION.to_owned(),
            seed: record.seed.to_string(),
            cost: record.spent.cost,
            budget,
            complete: record.stopped.is_none() && skipped == 0,
            stopped: record.stopped.clone(),
            adapter_name: about.target_info.adapter.clone(),
            target_info: about.target_info,
            disclaimer: DISCLAIMER.to_owned(),
        }
    }

    /// The entry of the list of runs.
    pub fn list_entry(&self) -> EvalListEntry {
        EvalListEntry {
            id: self.id.clone(),
            target: self.target.clone(),
            score: self.score,
            timestamp: self.timestamp.clone(),
        }
    }

    /// Whether the target gave no usable reply at all, which is an error of the run and no result.
    pub fn is_unreachable(&self) -> bool {
        matches!(self.stopped, Some(Stop::Unreachable { .. })) && self.passed + self.failed == 0
    }
}

pub(crate) fn category_counts(outcomes: &[&ProbeOutcome]) -> CategoryScore {
    let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
    let (passed, failed) = (count(Verdict::Pass), count(Verdict::Fail));
    let category = outcomes.first().map(|outcome| &outcome.case.category);
    CategoryScore {
        title: category.map(|category| category.title.clone()).unwrap_or_default(),
        group: category
            .map(|category| category.group.name().to_owned())
            .unwrap_or_default(),
        articles: category.map(|category| category.articles.clone()).unwrap_or_default(),
        owasp: category.map(|category| category.owasp.clone()).unwrap_or_default(),
        total: outcomes.len(),
        passed,
        failed,
        errors: count(Verdict::Error),
        inconclusive: count(Verdict::Inconclusive),
        not_judged: count(Verdict::NotJudged),
        skipped: count(Verdict::Skipped),
        flaky: outcomes.iter().filter(|outcome| outcome.is_flaky()).count(),
        interval: wilson(passed, passed + failed),
        failure_rate_bound: (failed == 0).then(|| upper_bound_of_none(passed)).flatten(),
        ..CategoryScore::default()
    }
}

/// The question and the reply that decided: where the judge points to, else the last ones.
fn deciding(outcome: &ProbeOutcome) -> (String, String) {
    let place = outcome.places.first();
    let named = place.and_then(|place| {
        let (_, turns) = outcome
            .transcript
            .iter()
            .find(|(request, _)| *request == place.request)?;
        turns.get(place.turn)
    });
    // A reason begins with the name of the dialogue that it speaks of.
    let told = || {
        let name = outcome.reason.split([':', ',']).next()?;
        outcome.transcript.iter().find(|(request, _)| request == name)?.1.last()
    };
    let turn = named.or_else(told).or_else(|| outcome.transcript.last()?.1.last());
    turn.map_or_else(Default::default, |turn| (shown(&turn.prompt), shown(&turn.response)))
}

fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(SHOWN_CHARS).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

fn failure(outcome: &ProbeOutcome) -> EvalFailure {
    let probe = &outcome.case.probe;
    EvalFailure {
        id: probe.id.clone(),
        category: outcome.case.category.id.clone(),
        probe: probe.title.clone(),
        expected: probe.passes.clone(),
        actual: deciding(outcome).1,
        severity: probe.severity,
        reason: outcome.reason.clone(),
        articles: outcome.case.category.articles.clone(),
    }
}

pub(crate) fn probe_result(outcome: &ProbeOutcome) -> ProbeResult {
    let probe = &outcome.case.probe;
    let (prompt, response) = deciding(outcome);
    ProbeResult {
        id: probe.id.clone(),
        category: outcome.case.category.id.clone(),
        group: outcome.case.category.group.name().to_owned(),
        title: probe.title.clone(),
        method: probe.method,
        severity: probe.severity,
        language: probe.language.clone(),
        tags: probe.tags.clone(),
        verdict: outcome.verdict,
        passed: outcome.verdict == Verdict::Pass,
        score: outcome.score,
        reason: outcome.reason.clone(),
        judge: outcome.judge.clone(),
        latency: outcome.elapsed,
        attempts: outcome.attempts,
        failed_attempts: outcome.failed_attempts,
        flaky: outcome.is_flaky(),
        expected: probe.passes.clone(),
        prompt,
        response,
        places: outcome.places.clone(),
        transcript: outcome
            .transcript
            .iter()
            .map(|(request, turns)| Transcript {
                request: request.clone(),
                turns: turns.clone(),
            })
            .collect(),
    }
}
