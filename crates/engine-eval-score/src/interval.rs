//! Intervals of shares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The standard normal quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower bound, 0 to 1.
    pub low: f64,
    /// Upper bound, 0 to 1.
    pub high: f64,
}

/// Wilson's 95 % interval of a share; none without trials.
pub fn wilson(successes: usize, trials: usize) -> Option<Interval> {
    if trials == 0 || successes > trials {
        return None;
    }
    wilson_share(successes as f64 / trials as f64, trials as f64)
}

/// Wilson's interval for a share of trials that need not be whole numbers, such as weighted ones.
pub fn wilson_share(share: f64, trials: f64) -> Option<Interval> {
    if trials <= 0.0 || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let square = Z * Z;
    let centre = share + square / (2.0 * trials);
    let spread = Z * (share * (1.0 - share) / trials + square / (4.0 * trials * trials)).sqrt();
    let below = 1.0 + square / trials;
    Some(Interval {
        low: if share == 0.0 {
            0.0
        } else {
            ((centre - spread) / below).max(0.0)
        },
        high: if share >= 1.0 {
            1.0
        } else {
            ((centre + spread) / below).min(1.0)
        },
    })
}

/// The largest share of failures that zero failures in so many trials still allow, at 95 %.
pub fn upper_bound_of_none(trials: usize) -> Option<f64> {
    (trials > 0).then(|| 1.0 - 0.05_f64.powf(1.0 / trials as f64))
}
