//! Intervals, tests and what they can and cannot find.
//!
//! Exact methods where numbers are small, which they are here: a few dozen probes decide.

#![expect(clippy::cast_precision_loss, reason = "counts of probes are far below 2^52")]

pub use engine_eval_score::{Interval, upper_bound_of_none, wilson, wilson_share};

use crate::dice::Dice;

/// Differences up to this number are permuted in full.
const EXACT_PAIRS_MAX: usize = 16;

/// Permutations drawn where there are more.
const PERMUTATIONS: usize = 20_000;

/// Natural logarithms of factorials up to a number.
fn log_factorials(most: usize) -> Vec<f64> {
    let mut out = Vec::with_capacity(most + 1);
    let mut sum = 0.0;
    out.push(0.0);
    for n in 1..=most {
        sum += (n as f64).ln();
        out.push(sum);
    }
    out
}

fn binomial(logs: &[f64], n: usize, k: usize, p: f64) -> f64 {
    if p <= 0.0 {
        return if k == 0 { 1.0 } else { 0.0 };
    }
    if p >= 1.0 {
        return if k == n { 1.0 } else { 0.0 };
    }
    (logs[n] - logs[k] - logs[n - k] + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln()).exp()
}

/// The exact two-sided `McNemar` test: how likely is a split of the discordant pairs that is at least as uneven.
pub fn mcnemar(one_way: usize, other_way: usize) -> f64 {
    let n = one_way + other_way;
    if n == 0 {
        return 1.0;
    }
    mcnemar_with(&log_factorials(n), one_way.min(other_way), n)
}

fn mcnemar_with(logs: &[f64], fewer: usize, n: usize) -> f64 {
    let tail: f64 = (0..=fewer).map(|k| binomial(logs, n, k, 0.5)).sum();
    (2.0 * tail).min(1.0)
}

/// The paired permutation test on differences: how often does flipping their signs give a mean at least as far from 0.
/// Full enumeration where it is small; else seeded draws, with the observed order counted in.
pub fn paired_permutation(differences: &[f64], seed: u64) -> f64 {
    let moved: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    if moved.is_empty() {
        return 1.0;
    }
    let observed = moved.iter().sum::<f64>().abs();
    let reach = observed - 1e-9 * observed.max(1.0);
    if moved.len() <= EXACT_PAIRS_MAX {
        let all = 1u32 << moved.len();
        let hits = (0..all)
            .filter(|signs| {
                let sum: f64 = moved
                    .iter()
                    .enumerate()
                    .map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d })
                    .sum();
                sum.abs() >= reach
            })
            .count();
        return hits as f64 / f64::from(all);
    }
    let mut dice = Dice::new(seed, &["paired permutation"]);
    let hits = (0..PERMUTATIONS)
        .filter(|_| {
            let sum: f64 = moved.iter().map(|d| if dice.heads() { -d } else { *d }).sum();
            sum.abs() >= reach
        })
        .count();
    (hits + 1) as f64 / (PERMUTATIONS + 1) as f64
}

/// The two-sided sign test on paired differences; ties say nothing.
pub fn sign_test(differences: &[f64]) -> f64 {
    let up = differences.iter().filter(|d| **d > 0.0).count();
    let down = differences.iter().filter(|d| **d < 0.0).count();
    mcnemar(up, down)
}

/// Holm's step-down correction: the values in their old order, each as it counts among all of them.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut out = vec![1.0; values.len()];
    let mut least: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        least = least.max(values[index] * (values.len() - rank) as f64).min(1.0);
        out[index] = least;
    }
    out
}

/// The mean of paired differences in units of their own spread; none where they do not vary or are too few.
pub fn effect_size(differences: &[f64]) -> Option<f64> {
    let n = differences.len();
    if n < 2 {
        return None;
    }
    let mean = differences.iter().sum::<f64>() / n as f64;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    (variance > 1e-12).then(|| mean / variance.sqrt())
}

/// Pairs that differ by chance in either direction, where nothing else is known.
const BACKGROUND: f64 = 0.05;

/// The chance that the exact `McNemar` test at 5 % finds a gap between two groups of so many pairs, when one decision in
/// twenty also flips the other way.
pub fn power(pairs: usize, gap: f64) -> f64 {
    let logs = log_factorials(pairs);
    power_with(&logs, pairs, gap)
}

fn power_with(logs: &[f64], pairs: usize, gap: f64) -> f64 {
    let towards = (BACKGROUND + gap).min(1.0 - BACKGROUND);
    let discordant = towards + BACKGROUND;
    let mut found = 0.0;
    for n in 1..=pairs {
        // The most uneven splits are the ones that are found; their share falls off monotonically.
        let Some(most) = (0..=n / 2)
            .take_while(|fewer| mcnemar_with(logs, *fewer, n) <= 0.05)
            .last()
        else {
            continue;
        };
        let of_n = binomial(logs, pairs, n, discordant);
        let split = towards / discordant;
        let uneven: f64 = (0..=most)
            .map(|k| binomial(logs, n, k, split) + binomial(logs, n, n - k, split))
            .sum();
        found += of_n * uneven.min(1.0);
    }
    found.min(1.0)
}

/// Pairs beyond these change nothing that a percent shows.
const POWER_PAIRS_MAX: usize = 250;

/// The smallest gap, in whole percent, that so many pairs find four times in five; none where even a gap of 90 is missed.
pub fn detectable_gap(pairs: usize) -> Option<f64> {
    let pairs = pairs.min(POWER_PAIRS_MAX);
    let logs = log_factorials(pairs);
    let (mut low, mut high) = (1u32, 90u32);
    if power_with(&logs, pairs, 0.9) < 0.8 {
        return None;
    }
    while low < high {
        let middle = u32::midpoint(low, high);
        if power_with(&logs, pairs, f64::from(middle) / 100.0) >= 0.8 {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(f64::from(low) / 100.0)
}

/// The true share behind a share that was counted by a judge with known errors (Rogan and Gladen); none where the judge
/// is no better than chance.
pub fn corrected_share(apparent: f64, sensitivity: f64, specificity: f64) -> Option<f64> {
    let worth = sensitivity + specificity - 1.0;
    (worth > 0.05).then(|| ((apparent + specificity - 1.0) / worth).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, by: f64) -> bool {
        (a - b).abs() <= by
    }

    #[test]
    fn wilson_gives_known_intervals() {
        for (k, n, low, high) in [
            (8, 10, 0.4902, 0.9433),
            (0, 20, 0.0, 0.1611),
            (20, 20, 0.8389, 1.0),
            (81, 263, 0.2553, 0.3662),
        ] {
            let got = wilson(k, n).unwrap();
            assert!(
                near(got.low, low, 2e-4) && near(got.high, high, 2e-4),
                "{k}/{n}: {got:?}"
            );
        }
        assert_eq!(wilson(0, 0), None);
        assert_eq!(wilson(3, 2), None);
    }

    #[test]
    fn intervals_cover_the_true_rate_in_a_thousand_runs() {
        for trials in [40, 100, 680] {
            let mut dice = Dice::new(11, &["coverage", &trials.to_string()]);
            let covered = (0..1000)
                .filter(|_| {
                    let rate = 0.05 + 0.9 * dice.share();
                    let hits = (0..trials).filter(|_| dice.share() < rate).count();
                    let interval = wilson(hits, trials).unwrap();
                    interval.low <= rate && rate <= interval.high
                })
                .count();
            assert!(covered >= 940, "{trials} trials: {covered} of 1000");
        }
    }

    #[test]
    fn nothing_failed_still_leaves_room() {
        assert!(near(upper_bound_of_none(30).unwrap(), 0.095, 5e-4));
        assert!(near(upper_bound_of_none(680).unwrap(), 0.0044, 5e-5));
        assert_eq!(upper_bound_of_none(0), None);
    }

    #[test]
    fn mcnemar_is_the_exact_binomial_test() {
        assert!(near(mcnemar(0, 5), 0.0625, 1e-9));
        assert!(near(mcnemar(1, 9), 0.021_484_375, 1e-9));
        assert!(near(mcnemar(10, 2), 0.038_574_218_75, 1e-9));
        assert!(near(mcnemar(3, 3), 1.0, 1e-9));
        assert!(near(mcnemar(0, 0), 1.0, 1e-9));
    }

    #[test]
    fn permutations_are_counted_exactly_when_few_and_closely_when_many() {
        assert!(near(paired_permutation(&[1.0, 2.0, 3.0], 1), 0.25, 1e-9));
        assert!(near(paired_permutation(&[1.0; 10], 1), 2.0 / 1024.0, 1e-9));
        assert!(near(paired_permutation(&[0.0, 0.0], 1), 1.0, 1e-9));
        let many: Vec<f64> = (0..30).map(|n| if n % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(paired_permutation(&many, 1) > 0.9);
        assert!(paired_permutation(&[1.0; 30], 1) < 1e-4);
    }

    #[test]
    fn holm_gives_known_values() {
        let got = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (got, expected) in got.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!(near(*got, expected, 1e-9));
        }
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn more_pairs_find_smaller_gaps() {
        assert!(power(36, 0.3) > 0.7, "{}", power(36, 0.3));
        assert!(power(36, 0.2) < 0.75 && power(36, 0.2) > 0.2, "{}", power(36, 0.2));
        assert!(power(80, 0.2) > power(36, 0.2));
        assert!(near(power(50, 0.0), 0.0, 0.05));
        assert!(detectable_gap(108).unwrap() < detectable_gap(36).unwrap());
        assert_eq!(detectable_gap(4), None);
    }

    #[test]
    fn the_judges_errors_are_taken_out_of_a_rate() {
        assert!(near(corrected_share(0.3, 0.9, 0.8).unwrap(), 0.142_857, 1e-5));
        assert!(near(corrected_share(0.1, 0.9, 0.8).unwrap(), 0.0, 1e-9));
        assert_eq!(corrected_share(0.5, 0.5, 0.5), None);
    }

    #[test]
    fn effect_sizes_are_in_units_of_the_spread() {
        assert!(near(effect_size(&[1.0, 2.0, 3.0]).unwrap(), 2.0, 1e-9));
        assert_eq!(effect_size(&[1.0, 1.0]), None);
        assert!(near(sign_test(&[1.0, 1.0, 1.0, 0.0]), 0.25, 1e-9));
    }
}
