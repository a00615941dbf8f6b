//! Two runs beside each other, probe by probe.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Verdict;
use crate::result::{EvalResult, ProbeResult};
use crate::stats;

/// The changes between two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The earlier run.
    pub before: String,
    /// The later run.
    pub after: String,
    /// Passed before, fail now.
    pub newly_failed: Vec<String>,
    /// Failed before, pass now.
    pub fixed: Vec<String>,
    /// Failed in both.
    pub still_failed: Vec<String>,
    /// Changed, but attempts within one run have different verdicts: not counted as a change.
    pub flaky: Vec<String>,
    /// Probes with a verdict in both.
    pub compared: usize,
    /// Probes of one run only, or without a verdict in one.
    pub not_compared: usize,
    /// The exact `McNemar` test over all compared probes.
    pub p_value: f64,
    /// By category, after Holm's correction.
    pub categories: BTreeMap<String, CategoryChange>,
    /// After minus before, where both have a score.
    pub score_delta: Option<f64>,
    /// Whether the later run is worse by more than chance.
    pub has_regression: bool,
    /// Why the two may not be comparable.
    pub warnings: Vec<String>,
}

/// The changes in a category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryChange {
    /// Passed before, fail now.
    pub newly_failed: usize,
    /// Failed before, pass now.
    pub fixed: usize,
    /// After Holm's correction over all categories.
    pub p_adjusted: f64,
}

/// Compares by ids of probes.
pub fn compare(before: &EvalResult, after: &EvalResult) -> Comparison {
    let earlier: BTreeMap<&str, &ProbeResult> = before.results.iter().map(|probe| (probe.id.as_str(), probe)).collect();
    let mut out = Comparison {
        before: before.id.clone(),
        after: after.id.clone(),
        newly_failed: Vec::new(),
        fixed: Vec::new(),
        still_failed: Vec::new(),
        flaky: Vec::new(),
        compared: 0,
        not_compared: 0,
        p_value: 1.0,
        categories: BTreeMap::new(),
        score_delta: before.score.zip(after.score).map(|(before, after)| after - before),
        has_regression: false,
        warnings: warnings(before, after),
    };
    let mut by_category: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for now in &after.results {
        let Some(then) = earlier
            .get(now.id.as_str())
            .filter(|then| then.verdict.is_valid() && now.verdict.is_valid())
        else {
            out.not_compared += 1;
            continue;
        };
        out.compared += 1;
        let counts = by_category.entry(&now.category).or_default();
        let list = match (then.verdict, now.verdict) {
            (Verdict::Fail, Verdict::Fail) => &mut out.still_failed,
            (then_verdict, now_verdict) if then_verdict == now_verdict => continue,
            _ if then.flaky || now.flaky => &mut out.flaky,
            (Verdict::Pass, _) => {
                counts.0 += 1;
                &mut out.newly_failed
            }
            _ => {
                counts.1 += 1;
                &mut out.fixed
            }
        };
        list.push(now.id.clone());
    }
    let known = after
        .results
        .iter()
        .filter(|now| earlier.contains_key(now.id.as_str()))
        .count();
    out.not_compared += before.results.len().saturating_sub(known);
    out.p_value = stats::mcnemar(out.newly_failed.len(), out.fixed.len());
    let raw: Vec<f64> = by_category
        .values()
        .map(|(failed, fixed)| stats::mcnemar(*failed, *fixed))
        .collect();
    for ((category, (newly_failed, fixed)), p_adjusted) in by_category.into_iter().zip(stats::holm(&raw)) {
        let change = CategoryChange {
            newly_failed,
            fixed,
            p_adjusted,
        };
        out.categories.insert(category.to_owned(), change);
    }
    out.has_regression = out.newly_failed.len() > out.fixed.len() && out.p_value < 0.05;
    out
}

fn warnings(before: &EvalResult, after: &EvalResult) -> Vec<String> {
    let mut out = Vec::new();
    let mut differ = |same: bool, text: &str| {
        if !same {
            out.push(text.to_owned());
        }
    };
    differ(
        before.suite_hash == after.suite_hash,
        "the probes changed between the two runs",
    );
    differ(
        before.judge_version == after.judge_version,
        "the judging rules changed between the two runs",
    );
    differ(before.target == after.target, "the two runs had different targets");
    differ(
        before.complete && after.complete,
        "one of the runs did not complete all its probes",
    );
    out
}
