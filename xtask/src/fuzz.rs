//! Fuzzing: every target for some minutes, with the seeds, the dictionaries and the limits that `fuzz/README.md` states.
//!
//! With `--seconds`, the targets that `tests/it/fuzz.rs` lists run by mutation on the stable compiler, without `cargo fuzz`.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::root;

/// Minutes for each target by default.
const MINUTES: u64 = 10;

/// The test that runs targets by mutation.
const DRIVER: &str = "fuzz::targets_hold_on_mutated_inputs";

/// `cargo xtask fuzz [TARGET..] [--minutes N | --seconds N]`.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let mut minutes = MINUTES;
    let mut seconds = None;
    let mut wanted = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if let Some(unit) = argument.strip_prefix("--") {
            let number = rest.next().with_context(|| format!("--{unit} needs a number"))?;
            let number: u64 = number
                .parse()
                .with_context(|| format!("`{number}` is not a number of {unit}"))?;
            match unit {
                "minutes" => minutes = number,
                "seconds" => seconds = Some(number),
                _ => bail!("unknown option `--{unit}`; use --minutes or --seconds"),
            }
        } else {
            wanted.push((*argument).to_owned());
        }
    }
    if let Some(seconds) = seconds {
        return by_mutation(&wanted, seconds);
    }
    let all = targets()?;
    if let Some(unknown) = wanted.iter().find(|target| !all.contains(target)) {
        bail!("target `{unknown}` does not exist; the targets are {}", all.join(", "));
    }
    let mut found = Vec::new();
    for target in all.iter().filter(|target| wanted.is_empty() || wanted.contains(target)) {
        println!("{target}: {minutes} min");
        if !one(target, minutes)? {
            found.push(target.as_str());
        }
    }
    if !found.is_empty() {
        bail!("fuzzing found a fault in {}; see fuzz/artifacts", found.join(", "));
    }
    Ok(())
}

/// Runs targets by mutation, each in a process of its own; without names, all that the driver lists.
fn by_mutation(wanted: &[String], seconds: u64) -> Result<()> {
    let targets: Vec<Option<&String>> = if wanted.is_empty() {
        vec![None]
    } else {
        wanted.iter().map(Some).collect()
    };
    for target in targets {
        let mut command = Command::new("cargo");
        command
            .current_dir(root())
            .args(["test", "--locked", "-p", "engine-server", "--test", "it"])
            .args(["--", "--ignored", "--exact", "--nocapture", DRIVER])
            .env("FUZZ_SECONDS", seconds.to_string());
        if let Some(target) = target {
            command.env("FUZZ_TARGET", target);
        }
        let status = command.status().context("cannot start cargo")?;
        if !status.success() {
            bail!("a target did not hold; see the output above and fuzz/artifacts");
        }
    }
    Ok(())
}

/// The targets, by their files.
fn targets() -> Result<Vec<String>> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("fuzz/fuzz_targets"))?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

/// Runs one target; says whether it ended without a finding.
fn one(target: &str, minutes: u64) -> Result<bool> {
    let corpus = format!("fuzz/corpus/{target}");
    std::fs::create_dir_all(root().join(&corpus))?;
    let mut command = Command::new("cargo");
    command
        .current_dir(root())
        .args([
            "+nightly",
            "fuzz",
            "run",
            target,
            &corpus,
            &format!("fuzz/seeds/{target}"),
            "--",
        ])
        .args([
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-max_len=16384",
            "-print_final_stats=1",
        ])
        .arg(format!("-max_total_time={}", minutes * 60));
    let dictionary = format!("fuzz/dictionaries/{target}.dict");
    if root().join(&dictionary).is_file() {
        command.arg(format!("-dict={dictionary}"));
    }
    // The toolchain of the outer cargo would win over `+nightly`.
    for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC"] {
        command.env_remove(name);
    }
    let status = command
        .status()
        .context("cannot start `cargo +nightly fuzz`; is cargo-fuzz installed?")?;
    Ok(status.success())
}
