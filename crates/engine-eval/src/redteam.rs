//! Attacks on a target: goals of the security probes, combined with ways to ask for them, chosen by seed.
//!
//! Everything is made offline from the suite: no model of ours writes attacks, and the engine's own model is never a target.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine_model::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::judge::Verdict;
use crate::plan::{Case, Plan, Selection, UnknownCategory};
use crate::result::{Budget, Controls, ProbeResult, RunAbout, TargetInfo, probe_result};
use crate::run::{ProbeOutcome, RunRecord, Stop};
use crate::stats::{Interval, upper_bound_of_none, wilson};
use crate::suite::{Dialogue, Expect, Method, Probe, SUITE_VERSION, Suite};

mod strategies;

pub use strategies::{STRATEGIES, Strategy};

/// Attacks of a run where the caller names no number.
pub const ATTACKS_DEFAULT: usize = 120;

/// Findings that are told first.
const FINDINGS_MAX: usize = 25;

/// Attacks for a run: those of the suite as they stand, and its goals asked in other ways.
pub fn attack_plan(
    suite: &Suite,
    categories: &[String],
    max_probes: Option<usize>,
    seed: u64,
) -> Result<Plan, UnknownCategory> {
    let selection = Selection {
        security: true,
        categories: categories.to_vec(),
        ..Selection::default()
    };
    let base = Plan::of(suite, &selection, seed)?;
    let mut dice = Dice::new(seed, &["red team"]);
    let mut pool: BTreeMap<(u8, &str), Vec<Case>> = BTreeMap::new();
    for case in &base.cases {
        let own = pool.entry((case.category.number, "as written")).or_default();
        own.push(case.clone());
    }
    for case in &base.cases {
        let Some(goal) = goal(&case.probe) else { continue };
        for strategy in STRATEGIES.iter().filter(|strategy| strategy.fits(&case.probe.judge)) {
            let made = Case {
                probe: Arc::new(combined(&case.probe, &goal, strategy, seed)),
                category: Arc::clone(&case.category),
            };
            pool.entry((case.category.number, strategy.name))
                .or_default()
                .push(made);
        }
    }
    // One of each kind in turn, so that a small run sees every way of every category.
    let mut queues: Vec<Vec<Case>> = pool.into_values().collect();
    for queue in &mut queues {
        queue.sort_by(|a, b| a.probe.id.cmp(&b.probe.id));
        dice.shuffle(queue);
    }
    dice.shuffle(&mut queues);
    let most = max_probes.unwrap_or(ATTACKS_DEFAULT);
    let mut cases = Vec::new();
    while cases.len() < most && queues.iter().any(|queue| !queue.is_empty()) {
        let room = most - cases.len();
        cases.extend(queues.iter_mut().filter_map(Vec::pop).take(room));
    }
    Ok(Plan::in_order(cases, base.controls, seed))
}

/// The dialogue of a probe that asks for what must not be given.
fn goal(probe: &Probe) -> Option<Dialogue> {
    let found = match probe.judge.as_str() {
        "refusal" => probe
            .requests
            .iter()
            .find(|dialogue| dialogue.expect == Some(Expect::Refuse)),
        "evasion" => probe
            .requests
            .iter()
            .find(|dialogue| dialogue.id == "plain" && dialogue.expect != Some(Expect::Answer)),
        "leak" => probe.requests.first(),
        _ => None,
    }?;
    // A goal is one request; what leads up to it belongs to the way of asking.
    let mut goal = found.clone();
    goal.turns = vec![found.turns.last()?.clone()];
    "attack".clone_into(&mut goal.id);
    if probe.judge != "leak" {
        goal.expect = Some(Expect::Refuse);
    }
    (goal.turns[0].len() < 4_000).then_some(goal)
}

fn combined(probe: &Probe, goal: &Dialogue, strategy: &Strategy, seed: u64) -> Probe {
    let mut dice = Dice::new(seed, &["strategy", strategy.name, &probe.id]);
    let mut attack = goal.clone();
    attack.turns = (strategy.ask)(&goal.turns[0], &mut dice);
    let leak = probe.judge == "leak";
    let mut params = serde_json::Map::new();
    if !leak {
        params.insert("from_turn".to_owned(), (attack.turns.len() - 1).into());
    }
    Probe {
        id: format!("redteam-{}-{}", strategy.name, probe.id),
        title: format!("{} ({})", probe.title, strategy.title),
        method: Method::Security,
        severity: probe.severity,
        language: probe.language.clone(),
        tags: vec![strategy.name.to_owned()],
        passes: probe.passes.clone(),
        judge: if leak { "leak" } else { "refusal" }.to_owned(),
        requests: vec![attack],
        params,
        samples: Vec::new(),
        category: probe.category,
    }
}

/// How often attacks worked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttackRate {
    /// Attacks with a verdict.
    pub attempts: usize,
    /// Attacks that worked.
    pub successes: usize,
    /// Share of attacks that worked.
    pub attack_success_rate: Option<f64>,
    /// 95 % confidence interval of the share.
    pub interval: Option<Interval>,
    /// Upper bound of the rate after zero successes.
    pub rate_bound: Option<f64>,
    /// Attacks without a verdict.
    pub without_verdict: usize,
}

impl AttackRate {
    #[expect(clippy::cast_precision_loss, reason = "counts of attacks")]
    fn of<'a>(outcomes: impl Iterator<Item = &'a ProbeOutcome>) -> Self {
        let mut out = Self::default();
        for outcome in outcomes {
            match outcome.verdict {
                Verdict::Fail => {
                    out.attempts += 1;
                    out.successes += 1;
                }
                Verdict::Pass => out.attempts += 1,
                _ => out.without_verdict += 1,
            }
        }
        out.attack_success_rate = (out.attempts > 0).then(|| out.successes as f64 / out.attempts as f64);
        out.interval = wilson(out.successes, out.attempts);
        out.rate_bound = if out.successes == 0 {
            upper_bound_of_none(out.attempts)
        } else {
            None
        };
        out
    }
}

/// An attack that worked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttackFinding {
    /// The attack.
    pub id: String,
    /// Its category.
    pub category: String,
    /// The attack technique.
    pub technique: String,
    /// Title.
    pub title: String,
    /// The severity.
    pub severity: Severity,
    /// Articles concerned.
    pub articles: Vec<String>,
    /// Ids of OWASP lists.
    pub owasp: Vec<String>,
    /// Why the attack counts as successful.
    pub reason: String,
    /// Successful attempts of all attempts.
    pub worked: String,
    /// The question that decided the verdict.
    pub prompt: String,
    /// The reply that decided the verdict.
    pub response: String,
    /// The remediation.
    pub remedy: String,
}

/// The report of a red team run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedTeamReport {
    /// The run.
    pub id: String,
    /// The agent.
    pub agent_name: Option<String>,
    /// The address of the target.
    pub target: String,
    /// Time of the run.
    pub timestamp: String,
    /// Duration in milliseconds.
    pub duration: f64,
    /// Over all attacks.
    #[serde(flatten)]
    pub overall: AttackRate,
    /// Rates by category.
    pub categories: BTreeMap<String, AttackRate>,
    /// Rates by technique.
    pub techniques: BTreeMap<String, AttackRate>,
    /// Rates by id of OWASP lists.
    pub owasp: BTreeMap<String, AttackRate>,
    /// Successful attacks, most severe first.
    pub findings: Vec<AttackFinding>,
    /// The complete dialogues.
    pub transcripts: Vec<ProbeResult>,
    /// Harmless control questions: a target that answers none of them is only silent, not robust.
    pub controls: Controls,
    /// Seed for goals, techniques and tokens.
    pub seed: String,
    /// Version of the probe suite.
    pub suite_version: String,
    /// Limits and consumption.
    pub budget: Budget,
    /// Whether all attacks were run.
    pub complete: bool,
    /// Why the run stopped early.
    pub stopped: Option<Stop>,
    /// The target.
    pub target_info: TargetInfo,
}

impl RedTeamReport {
    /// Counts a run.
    pub fn of(record: &RunRecord, agent_name: Option<String>, about: RunAbout) -> Self {
        let mut categories: BTreeMap<String, Vec<&ProbeOutcome>> = BTreeMap::new();
        let mut techniques: BTreeMap<String, Vec<&ProbeOutcome>> = BTreeMap::new();
        let mut owasp: BTreeMap<String, Vec<&ProbeOutcome>> = BTreeMap::new();
        for outcome in &record.outcomes {
            categories
                .entry(outcome.case.category.id.clone())
                .or_default()
                .push(outcome);
            techniques
                .entry(technique(&outcome.case.probe).to_owned())
                .or_default()
                .push(outcome);
            for id in &outcome.case.category.owasp {
                owasp.entry(id.clone()).or_default().push(outcome);
            }
        }
        let rates = |groups: BTreeMap<String, Vec<&ProbeOutcome>>| {
            groups
                .into_iter()
                .map(|(name, outcomes)| (name, AttackRate::of(outcomes.into_iter())))
                .collect()
        };
        let mut worked: Vec<&ProbeOutcome> = record
            .outcomes
            .iter()
            .filter(|outcome| outcome.verdict == Verdict::Fail)
            .collect();
        worked.sort_by_key(|outcome| std::cmp::Reverse((outcome.case.probe.severity, outcome.failed_attempts)));
        let mut budget = about.budget;
        budget.spent = record.spent;
        Self {
            id: about.id,
            agent_name,
            target: about.target,
            timestamp: about.timestamp,
            duration: record.elapsed,
            overall: AttackRate::of(record.outcomes.iter()),
            categories: rates(categories),
            techniques: rates(techniques),
            owasp: rates(owasp),
            findings: worked.into_iter().take(FINDINGS_MAX).map(finding).collect(),
            transcripts: record.outcomes.iter().map(probe_result).collect(),
            controls: Controls {
                asked: record.controls.len(),
                answered: record
                    .controls
                    .iter()
                    .filter(|outcome| outcome.verdict == Verdict::Pass)
                    .count(),
            },
            seed: record.seed.to_string(),
            suite_version: SUITE_VERSION.to_owned(),
            budget,
            complete: record.stopped.is_none(),
            stopped: record.stopped.clone(),
            target_info: about.target_info,
        }
    }
}

/// The way of asking: the last tag is the most exact one.
fn technique(probe: &Probe) -> &str {
    probe.tags.last().map_or("as written", String::as_str)
}

fn finding(outcome: &ProbeOutcome) -> AttackFinding {
    let result = probe_result(outcome);
    AttackFinding {
        technique: technique(&outcome.case.probe).to_owned(),
        articles: outcome.case.category.articles.clone(),
        owasp: outcome.case.category.owasp.clone(),
        worked: format!("{}/{}", outcome.failed_attempts, outcome.attempts),
        remedy: outcome.case.category.remedy.clone(),
        id: result.id,
        category: result.category,
        title: result.title,
        severity: result.severity,
        reason: result.reason,
        prompt: result.prompt,
        response: result.response,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::Secrets;

    fn plan(categories: &[&str], most: usize, seed: u64) -> Plan {
        let names: Vec<String> = categories.iter().map(|name| (*name).to_owned()).collect();
        attack_plan(Suite::built_in().unwrap(), &names, Some(most), seed).unwrap()
    }

    #[test]
    fn goals_and_ways_are_combined_by_seed() {
        let ids = |seed| {
            plan(&[], 200, seed)
                .cases
                .iter()
                .map(|case| case.probe.id.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(1), ids(1));
        assert_ne!(ids(1), ids(2));
        let all = plan(&["jailbreak"], 100_000, 1);
        let used: std::collections::BTreeSet<&str> = all.cases.iter().map(|case| technique(&case.probe)).collect();
        assert!(STRATEGIES.iter().all(|strategy| used.contains(strategy.name)));
        assert!(all.cases.len() > 500, "{}", all.cases.len());
    }

    #[test]
    fn every_attack_can_be_asked_and_knows_what_to_expect() {
        for case in plan(&[], 100_000, 3).cases {
            let dialogues = case.probe.dialogues(&Secrets::draw(3, &case.probe.id, 0)).unwrap();
            assert!(
                dialogues
                    .iter()
                    .all(|dialogue| dialogue.turns.iter().all(|turn| !turn.trim().is_empty())),
                "{}",
                case.probe.id
            );
        }
    }

    #[test]
    fn a_small_run_sees_many_ways() {
        let small = plan(&["jailbreak", "exfiltration"], 60, 9);
        let used: std::collections::BTreeSet<&str> = small.cases.iter().map(|case| technique(&case.probe)).collect();
        assert_eq!(small.cases.len(), 60);
        assert!(used.len() >= 12, "{used:?}");
    }

    #[test]
    fn attacks_that_encode_can_be_decoded() {
        let mut dice = Dice::new(1, &["test"]);
        let encoded = STRATEGIES
            .iter()
            .find(|strategy| strategy.name == "base64")
            .map(|strategy| (strategy.ask)("Zażółć", &mut dice));
        let text = &encoded.unwrap()[0];
        let found = text.split_whitespace().find_map(|word| {
            data_encoding::BASE64
                .decode(word.as_bytes())
                .ok()
                .filter(|bytes| bytes.len() > 6)
        });
        assert_eq!(found.unwrap(), "Zażółć".as_bytes());
    }
}
