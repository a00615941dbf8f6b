//! Fuzzing: every target for some minutes, with the seeds, the dictionaries and the limits that `fuzz/README.md` states.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::root;

/// Minutes for each target by default.
const MINUTES: u64 = 10;

/// `cargo xtask fuzz [TARGET..] [--minutes N]`.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let mut minutes = MINUTES;
    let mut wanted = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if *argument == "--minutes" {
            let number = rest.next().context("--minutes needs a number")?;
            minutes = number
                .parse()
                .with_context(|| format!("`{number}` is not a number of minutes"))?;
        } else {
            wanted.push((*argument).to_owned());
        }
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
