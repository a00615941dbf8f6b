//! Readers of files that people write, on mutated bytes: they refuse or read, and never panic.

use std::time::{Duration, Instant};

use crate::fuzzing;

/// Seconds for each reader; `MUTATION_SECONDS` sets another number.
#[expect(clippy::disallowed_methods, reason = "a slow test is given its time from outside")]
fn seconds() -> Duration {
    let given = std::env::var("MUTATION_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(given.unwrap_or(60))
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// Gives mutated texts to a reader until the time is up; says how many.
fn mutate(seeds: &[&str], words: &[&str], reader: impl Fn(&[u8])) -> usize {
    let (started, mut numbers, mut count) = (Instant::now(), Numbers(7), 0);
    while started.elapsed() < seconds() {
        let mut bytes = seeds[numbers.below(seeds.len())].as_bytes().to_vec();
        for _ in 0..=numbers.below(12) {
            let at = numbers.below(bytes.len());
            match numbers.below(6) {
                0 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
                1 => bytes.truncate(at.max(1)),
                2 => {
                    let word = words[numbers.below(words.len())];
                    bytes.splice(at..at, word.bytes());
                }
                3 => {
                    let end = at + numbers.below(bytes.len() - at + 1);
                    let piece = bytes[at..end].to_vec();
                    for _ in 0..numbers.below(40) {
                        bytes.splice(at..at, piece.iter().copied());
                        if bytes.len() > 60_000 {
                            break;
                        }
                    }
                }
                4 => bytes.extend(std::iter::repeat_n(
                    b"[{('\"#\n="[numbers.below(8)],
                    numbers.below(3_000),
                )),
                _ => {
                    bytes.remove(at);
                    if bytes.is_empty() {
                        bytes.push(b'x');
                    }
                }
            }
        }
        reader(&bytes);
        count += 1;
    }
    count
}

const WORDS: [&str; 10] = [
    "[[suppression]]\n",
    "until = ",
    "2027-01-31",
    "\"\"\"",
    "\u{feff}",
    "\0",
    "{a=1}",
    "a.b.c=",
    "1e999",
    "\n\n",
];

#[test]
#[ignore = "slow: mutated inputs for some time"]
fn mutated_suppressions_are_read_or_refused() {
    let good = "[[suppression]]\ncheck = \"l4-x\"\nkind = \"accepted_risk\"\nreason = \"r\"\nowner = \"o\"\nuntil = \"2027-01-31\"\n";
    let inline = "suppression = [{ finding = 'f', kind = 'false_positive', reason = 'r', owner = 'o' }]\n";
    let count = mutate(&[good, inline], &WORDS, |bytes| {
        if let Err(failure) = fuzzing::suppressions(bytes) {
            assert!(failure.details.len() < 40_000);
        }
    });
    println!("suppressions: {count} inputs");
    assert!(count > 100);
}

#[test]
#[ignore = "slow: mutated inputs for some time"]
fn mutated_settings_are_read_or_refused() {
    let good = "[gate]\nseverity = \"medium\"\nmax_new_findings = 2\nmin_score = 60\n";
    let count = mutate(&[good], &WORDS, |bytes| {
        if let Err(failure) = fuzzing::configuration(bytes) {
            assert!(failure.details.len() < 40_000);
        }
    });
    println!("settings: {count} inputs");
    assert!(count > 100);
}

#[test]
#[ignore = "slow: mutated inputs for some time"]
fn mutated_profiles_are_read_or_refused() {
    let good = "version = 1\n[organisation]\nrole = \"provider\"\n[systems.chat]\nrisk-class = { value = \"high\" }\n";
    let count = mutate(&[good], &WORDS, |bytes| {
        if let Ok(text) = std::str::from_utf8(bytes)
            && let Err(error) = engine_profile::parse(text)
        {
            assert!(!error.problems.is_empty());
        }
    });
    println!("profiles: {count} inputs");
    assert!(count > 100);
}

#[test]
#[ignore = "slow: mutated inputs for some time"]
fn mutated_replies_are_masked() {
    let seeds = [
        "%5a%71%37%76%54 Zq7vT9xLm2pR4w WnE3dlQ5eExtMnBSNHc= \\u005a\\u0071",
        "5a 71 37 76 &#90;q7vT9xLm2pR4w&amp; Query7Secret",
    ];
    let words = [
        "%25",
        "%",
        "\\u00",
        "&#x5a;",
        "&",
        "Zq7vT9xLm2pR4w",
        "ä",
        "\u{10ffff}",
        "=",
    ];
    let count = mutate(&seeds, &words, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let masked = fuzzing::masked(&text);
        assert!(
            !masked.contains("Zq7vT9xLm2pR4w") && !masked.contains("Query7Secret"),
            "{text}"
        );
    });
    println!("replies: {count} inputs");
    assert!(count > 100);
}
