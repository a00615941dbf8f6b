//! The fuzz targets of `fuzz/`, driven by mutation on the stable compiler, without the feedback of coverage that `cargo fuzz` has.
//!
//! `cargo xtask fuzz --seconds 600 suppressions` runs one of them. A finding is written to `fuzz/artifacts/<target>/`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest input in bytes, as for `cargo fuzz`.
const INPUT_BYTES_MAX: usize = 16_384;

/// Longest time for one input, as for `cargo fuzz`.
const INPUT_TIME_MAX: Duration = Duration::from_secs(10);

/// Inputs that are mutated further, beside the seeds.
const KEPT_MAX: usize = 512;

/// Takes the place of the macro of the same name, which needs a nightly compiler.
macro_rules! fuzz_target {
    (|$data:ident: &[u8]| $body:block) => {
        pub(crate) fn run($data: &[u8]) $body
    };
}
pub(crate) use fuzz_target;

/// The files of the targets as they are. Each is a program of its own where `cargo fuzz` builds it.
macro_rules! targets {
    ($($name:ident: $path:literal,)*) => {
        $(
            #[path = $path]
            #[allow(
                unused_attributes,
                unused_imports,
                clippy::expect_used,
                clippy::allow_attributes,
                clippy::disallowed_methods,
                reason = "written for another compiler and as a program"
            )]
            mod $name;
        )*
        const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::run),)*];
    };
}

targets! {
    configuration: "../../fuzz/fuzz_targets/configuration.rs",
    index: "../../fuzz/fuzz_targets/index.rs",
    profile: "../../fuzz/fuzz_targets/profile.rs",
    repository: "../../fuzz/fuzz_targets/repository.rs",
    spellings: "../../fuzz/fuzz_targets/spellings.rs",
    suppressions: "../../fuzz/fuzz_targets/suppressions.rs",
}

/// Numbers that are the same in each run with the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        // The steps of xorshift64*.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % most.max(1)
    }
}

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The seeds of a target.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = fuzz_folder().join("seeds").join(target);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// The words of a target's dictionary, and some that all have.
fn words(target: &str) -> Vec<Vec<u8>> {
    let file = fuzz_folder().join("dictionaries").join(format!("{target}.dict"));
    let text = fs::read_to_string(file).unwrap_or_default();
    let quoted = text.lines().filter_map(|line| {
        let (start, end) = (line.find('"')?, line.rfind('"')?);
        line.get(start + 1..end).filter(|word| !word.is_empty())
    });
    let common = [
        "\0", "\r\n", "\n\n", "\"", "'", "\\", "{", "}", "[", "]", "=", "#", "../", "-1", "1e999", "\u{feff}",
        "\u{202e}",
    ];
    quoted.chain(common).map(|word| word.as_bytes().to_vec()).collect()
}

/// One step of mutation.
fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers, words: &[Vec<u8>], others: &[Vec<u8>]) {
    let at = numbers.below(bytes.len() + 1);
    let end = at + numbers.below((bytes.len() - at).min(64) + 1);
    match numbers.below(9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
        1 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'A', b'9', b'\n'][numbers.below(8)],
        2 => drop(bytes.drain(at..end)),
        3 => drop(bytes.splice(at..at, words[numbers.below(words.len())].iter().copied())),
        4 => {
            let piece = bytes[at..end].to_vec();
            for _ in 0..=numbers.below(40) {
                bytes.splice(at..at, piece.iter().copied());
            }
        }
        5 => bytes.truncate(at),
        6 => {
            let other = &others[numbers.below(others.len())];
            let from = numbers.below(other.len() + 1);
            bytes.splice(at..end, other[from..].iter().copied());
        }
        7 => {
            let count = numbers.below(2_000);
            bytes.splice(at..at, std::iter::repeat_n(b"[{(\"'#\n="[numbers.below(8)], count));
        }
        _ if at + 4 <= bytes.len() => {
            let number = [0_u32, 1, u32::MAX, 0x7fff_ffff, 0x0100_0000][numbers.below(5)];
            bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
        }
        _ => {}
    }
    bytes.truncate(INPUT_BYTES_MAX);
}

/// Runs a target until the time is up; says how many inputs it got, or which one it did not hold.
fn drive(name: &str, run: fn(&[u8]), time: Duration, seed: u64) -> Result<usize, String> {
    let (seeds, words) = (seeds(name), words(name));
    let mut kept = seeds.clone();
    let (mut numbers, started, mut count) = (Numbers(seed), Instant::now(), 0);
    let mut next = seeds.clone().into_iter();
    while started.elapsed() < time {
        let input = next.next().unwrap_or_else(|| {
            let mut bytes = kept[numbers.below(kept.len())].clone();
            for _ in 0..=numbers.below(10) {
                mutate(&mut bytes, &mut numbers, &words, &kept);
            }
            bytes
        });
        let began = Instant::now();
        let held = catch_unwind(AssertUnwindSafe(|| run(&input))).is_ok();
        if !held || began.elapsed() > INPUT_TIME_MAX {
            let folder = fuzz_folder().join("artifacts").join(name);
            fs::create_dir_all(&folder).unwrap();
            let path = folder.join(format!("mutation-{}", blake3::hash(&input).to_hex()));
            fs::write(&path, &input).unwrap();
            let what = if held { "took too long" } else { "failed" };
            return Err(format!("{name} {what} on {}", path.display()));
        }
        count += 1;
        // Without coverage nothing says which inputs are of interest; some go on, so that changes add up.
        if numbers.below(50) == 0 {
            if kept.len() < KEPT_MAX {
                kept.push(input);
            } else {
                let place = seeds.len() + numbers.below(KEPT_MAX - seeds.len());
                kept[place] = input;
            }
        }
    }
    Ok(count)
}

/// Runs the target of `FUZZ_TARGET`, or all of them, for `FUZZ_SECONDS` each.
#[test]
#[ignore = "slow: mutated inputs for some time; run by `cargo xtask fuzz --seconds`"]
fn targets_hold_on_mutated_inputs() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(30));
    let seed = number("FUZZ_SEED").unwrap_or(7).max(1);
    let wanted = std::env::var("FUZZ_TARGET").ok();
    let mut ran = 0;
    for (name, run) in TARGETS {
        if wanted.as_deref().is_none_or(|wanted| wanted == *name) {
            let count = drive(name, *run, time, seed).unwrap();
            println!("{name}: {count} inputs in {} s, no finding", time.as_secs());
            assert!(count > 100, "{name}: only {count} inputs");
            ran += 1;
        }
    }
    assert!(
        ran > 0,
        "the targets are {:?}",
        TARGETS.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
}

#[test]
fn seeds_hold_in_every_target() {
    for (name, run) in TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name}");
        for seed in &seeds {
            run(seed);
        }
        run(b"");
    }
}
