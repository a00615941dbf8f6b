//! Everything that must be green before a change lands.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::{codegen, tidy};

/// Runs all steps in the order in which they fail fastest.
fn run_step(name: &str, step: impl FnOnce() -> Result<()>) -> Result<()> {
    let started = Instant::now();
    println!("== {name}");
    step()?;
    println!("== {name}: ok after {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// `cargo xtask ci`.
pub(crate) fn run() -> Result<()> {
    let started = Instant::now();
    run_step("fmt", || crate::run("cargo", &["fmt", "--all", "--check"]))?;
    run_step("tidy", tidy::run)?;
    run_step("codegen", || codegen::run(true))?;
    run_step("clippy", || {
        crate::run(
            "cargo",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "-D",
                "warnings",
            ],
        )
    })?;
    run_step("test", test)?;
    run_step("doc", || {
        crate::run("cargo", &["doc", "--workspace", "--no-deps", "--locked", "--quiet"])
    })?;
    run_step("deny", deny)?;
    println!("== all ok after {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Unit, integration and documentation tests; nextest where it is installed, for its speed and its clearer report.
fn test() -> Result<()> {
    if has(&["nextest", "--version"]) {
        crate::run(
            "cargo",
            &["nextest", "run", "--workspace", "--locked", "--no-fail-fast"],
        )?;
        return crate::run("cargo", &["test", "--workspace", "--locked", "--doc", "--quiet"]);
    }
    crate::run("cargo", &["test", "--workspace", "--locked", "--no-fail-fast"])
}

/// Licences, duplicates, bans and sources.
fn deny() -> Result<()> {
    if has(&["deny", "--version"]) {
        return crate::run(
            "cargo",
            &["deny", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"],
        );
    }
    if std::env::var_os("CI").is_some() {
        bail!("cargo-deny is not installed; run `cargo install cargo-deny --locked`");
    }
    println!("skipped: cargo-deny is not installed; `cargo install cargo-deny --locked` adds it");
    Ok(())
}

fn has(args: &[&str]) -> bool {
    Command::new("cargo")
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
