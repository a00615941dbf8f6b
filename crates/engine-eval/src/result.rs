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

/// What the caller knows of a run.
#[derive(Debug, Clone, Default)]
pub struct RunAbout {
    /// Its id.
    pub id: String,
    /// The address, without secrets.
    pub target: String,
    /// When it began, RFC 3339.
    pub timestamp: String,
    /// What is known of the target.
    pub target_info: TargetInfo,
    /// Limits and what was expected.
    pub budget: Budget,
    /// What the model that judges is worth, if there was one.
    pub judge: Option<JudgeQuality>,
}

/// What is known of a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// The form of its requests.
    pub adapter: String,
    /// The model that was asked for, or that says it answered.
    pub model: Option<String>,
    /// `native` where turns have a place of their own, `transcript` where they are written into the prompt.
    pub conversation: String,
    /// What was tried to find the form.
    pub tried: Vec<Tried>,
    /// Milliseconds of the first answer.
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
    /// Requests at most.
    pub max_requests: Option<u64>,
    /// Tokens at most.
    pub max_tokens: Option<u64>,
    /// Money at most.
    pub max_cost: Option<f64>,
    /// Milliseconds at most.
    pub timeout_ms: Option<u64>,
    /// What was expected before the start.
    pub estimate: Option<Estimate>,
    /// What it took.
    pub spent: Spent,
}

/// How good the model that judged is, measured on known items in this run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgeQuality {
    /// The model.
    pub model: String,
    /// Known items that it judged.
    pub controls: usize,
    /// Share of known failures that it saw.
    pub sensitivity: Option<f64>,
    /// Share of known passes that it let pass.
    pub specificity: Option<f64>,
    /// Share of its probes that it failed.
    pub apparent_failure_rate: Option<f64>,
    /// The same with its own errors taken out.
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
    /// Without a model to judge.
    pub not_judged: usize,
    /// Not asked.
    pub skipped: usize,
    /// Attacks that work sometimes, answers that change.
    pub flaky: usize,
    /// Severity-weighted, 0 to 100; none without enough evidence.
    pub score: Option<f64>,
    /// Share of probes with a verdict.
    pub coverage: f64,
    /// Of the pass rate.
    pub interval: Option<Interval>,
    /// The failure rate that zero failures still allow.
    pub failure_rate_bound: Option<f64>,
    /// Whether a critical failure holds the score down.
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
    /// What would have passed.
    pub expected: String,
    /// What was said.
    pub actual: String,
    /// How much it weighs.
    pub severity: Severity,
    /// Why it failed.
    pub reason: String,
    /// Articles that it touches.
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
    /// How much it weighs.
    pub severity: Severity,
    /// Its language.
    pub language: String,
    /// Techniques and topics.
    pub tags: Vec<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it passed.
    pub passed: bool,
    /// A figure beside the verdict.
    pub score: Option<f64>,
    /// Why.
    pub reason: String,
    /// Who judged.
    pub judge: String,
    /// Milliseconds of its replies.
    pub latency: f64,
    /// Attempts with a verdict.
    pub attempts: u32,
    /// Attempts that failed.
    pub failed_attempts: u32,
    /// Whether attempts disagree.
    pub flaky: bool,
    /// What would have passed.
    pub expected: String,
    /// The question that decided.
    pub prompt: String,
    /// The reply that decided.
    pub response: String,
    /// Where in the replies.
    pub places: Vec<Place>,
    /// Everything that was said.
    pub transcript: Vec<Transcript>,
}

/// Harmless questions beside a selection in which refusing is always right.
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
    /// The address.
    pub target: String,
    /// When.
    pub timestamp: String,
    /// Milliseconds.
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
    /// Without a model to judge.
    pub not_judged: usize,
    /// Not asked.
    pub skipped: usize,
    /// Attempts that disagree.
    pub flaky: usize,
    /// 0 to 100; none where the evidence does not suffice.
    pub score: Option<f64>,
    /// The same, for older clients.
    pub overall_score: Option<f64>,
    /// `scored` or `insufficient_evidence`.
    pub score_status: String,
    /// Why there is no score.
    pub score_reason: Option<String>,
    /// Of the score.
    pub grade: Option<String>,
    /// The same in a word.
    pub tier: String,
    /// Of the security categories.
    pub security_score: Option<f64>,
    /// By group.
    pub group_scores: BTreeMap<String, Option<f64>>,
    /// Share of probes with a verdict.
    pub coverage: f64,
    /// Of the pass rate.
    pub interval: Option<Interval>,
    /// By category.
    pub categories: BTreeMap<String, CategoryScore>,
    /// What holds the score down.
    pub caps: Vec<Cap>,
    /// Whether a critical failure does.
    pub critical_capped: bool,
    /// Failed probes, the gravest first.
    pub failures: Vec<EvalFailure>,
    /// All probes.
    pub results: Vec<ProbeResult>,
    /// Whether groups of people were decided about alike.
    pub disparities: Vec<Disparity>,
    /// Harmless questions besides.
    pub controls: Controls,
    /// What the model that judges is worth.
    pub judge: Option<JudgeQuality>,
    /// Of the suite.
    pub suite_version: String,
    /// Of its text.
    pub suite_hash: String,
    /// Of the rules.
    pub judge_version: String,
    /// Fixes order, tokens and swaps. A string, as not every client keeps 64 bits.
    pub seed: String,
    /// Limits and what it took.
    pub budget: Budget,
    /// Money, where prices are known.
    pub cost: Option<f64>,
    /// Whether every probe was asked.
    pub complete: bool,
    /// Why not.
    pub stopped: Option<Stop>,
    /// What is known of the target.
    pub target_info: TargetInfo,
    /// The form of its requests, for older clients.
    pub adapter_name: String,
    /// What this is and is not.
    pub disclaimer: String,
}

/// An entry of the list of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvalListEntry {
    /// The run.
    pub id: String,
    /// The address.
    pub target: String,
    /// The score.
    pub score: Option<f64>,
    /// When.
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
