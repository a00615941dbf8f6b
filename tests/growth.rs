//! How the work on a text grows with its length; tests of several crates include this file.

use std::time::{Duration, Instant};

/// Parts of the length of a text that are worked on one by one.
const PARTS: usize = 64;

/// How many times as long as its parts a whole text may take. Linear work takes as long as the parts, quadratic work `PARTS`
/// times as long.
const FACTOR_MAX: u32 = 16;

/// Work that ends before this needs no proof. It is no limit: what takes longer is compared with its parts.
const SOON: Duration = Duration::from_secs(2);

/// Attempts: other work on the machine may stop one of them for a while, and hardly all.
const ATTEMPTS: usize = 4;

/// Does the work on a text and asserts that it grows with the length, not with its square, on a machine of any speed.
/// `work` is given the length of the text that it has to work on.
#[track_caller]
pub(crate) fn grows_with_length<T>(what: &str, length: usize, work: impl Fn(usize) -> T) -> T {
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let started = Instant::now();
        let outcome = work(length);
        let whole = started.elapsed();
        if whole < SOON {
            return outcome;
        }
        let started = Instant::now();
        for _ in 0..PARTS {
            drop(work(length / PARTS));
        }
        let parts = started.elapsed();
        if whole < parts * FACTOR_MAX {
            return outcome;
        }
        seen.push((whole, parts));
    }
    panic!("{what}: {length} bytes as a whole take far longer than in {PARTS} parts: {seen:?}");
}
