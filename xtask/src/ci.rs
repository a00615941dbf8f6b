//! Everything that must be green before a change lands.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

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
    run_step("clippy", lint)?;
    run_step("test", test)?;
    run_step("deny", deny)?;
    println!("== all ok after {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// The lints of clippy, with warnings as errors.
///
/// Where the compiler of this run is clippy already, as in `.ci/run`, everything that the tests build is linted on the way: compiling all
/// dependencies a second time would take minutes. What they do not build is left to do here.
fn lint() -> Result<()> {
    let is_clippy = std::env::var("RUSTC_WORKSPACE_WRAPPER").is_ok_and(|wrapper| wrapper.ends_with("clippy-driver"));
    if is_clippy {
        println!("the build lints the code");
        return crate::run("cargo", &["build", "--workspace", "--benches", "--locked"]);
    }
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
}

/// Unit, integration and documentation tests, without the slow ones.
///
/// Uses nextest where it is installed: it is faster, and its report is clearer.
fn test() -> Result<()> {
    if has(&["nextest", "--version"]) {
        crate::run(
            "cargo",
            &["nextest", "run", "--workspace", "--locked", "--no-fail-fast"],
        )?;
    } else {
        crate::run(
            "cargo",
            &["test", "--workspace", "--locked", "--tests", "--no-fail-fast"],
        )?;
    }
    doc_tests()
}

/// Documentation tests of the crates that have some: starting rustdoc for every crate takes minutes.
fn doc_tests() -> Result<()> {
    let mut packages = BTreeSet::new();
    for file in crate::tracked_files()? {
        let Some((package, _)) = file.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) else {
            continue;
        };
        let rust = Path::new(&file).extension().is_some_and(|ending| ending == "rs");
        if rust && !packages.contains(package) {
            let text = fs::read_to_string(crate::root().join(&file)).with_context(|| format!("cannot read {file}"))?;
            if has_doc_test(&text) {
                packages.insert(package.to_owned());
            }
        }
    }
    if packages.is_empty() {
        return Ok(());
    }
    // `xtask` has no library, so no test of its own; with it, every package keeps the features of the build before.
    let mut args = vec!["test", "--locked", "--doc", "--quiet", "--package", "xtask"];
    for package in &packages {
        args.extend(["--package", package]);
    }
    crate::run("cargo", &args)
}

/// Whether a doc comment opens a code block that rustdoc compiles: a fence without a language, or of Rust.
fn has_doc_test(text: &str) -> bool {
    let mut open = false;
    for line in text.lines() {
        let line = line.trim_start();
        let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            open = false;
            continue;
        };
        let Some(language) = doc.trim().strip_prefix("```") else {
            continue;
        };
        if !open
            && language.split(',').all(|word| {
                matches!(word.trim(), "" | "rust" | "no_run" | "should_panic" | "compile_fail")
                    || word.trim().starts_with("edition")
            })
        {
            return true;
        }
        open = !open;
    }
    false
}

/// `cargo xtask slow`: the ignored tests, which take too long for every change, and the documentation of all crates.
///
/// The profile `slow` of `.config/nextest.toml` gives these tests more time than those of [`test()`].
pub(crate) fn slow() -> Result<()> {
    let started = Instant::now();
    run_step("slow tests", || {
        if has(&["nextest", "--version"]) {
            crate::run(
                "cargo",
                &[
                    "nextest",
                    "run",
                    "--profile",
                    "slow",
                    "--workspace",
                    "--locked",
                    "--no-fail-fast",
                    "--run-ignored",
                    "only",
                ],
            )
        } else {
            crate::run(
                "cargo",
                &[
                    "test",
                    "--workspace",
                    "--locked",
                    "--tests",
                    "--no-fail-fast",
                    "--",
                    "--ignored",
                ],
            )
        }
    })?;
    run_step("doc", || {
        crate::run("cargo", &["doc", "--workspace", "--no-deps", "--locked", "--quiet"])
    })?;
    println!("== all ok after {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::has_doc_test;

    #[test]
    fn doc_test_is_a_fence_of_rust() {
        assert!(has_doc_test("/// Adds.\n///\n/// ```\n/// assert!(true);\n/// ```\n"));
        assert!(has_doc_test("    //! ```rust,no_run\n    //! run();\n    //! ```\n"));
        assert!(has_doc_test(
            "/// ```text\n/// a\n/// ```\n/// ```\n/// b();\n/// ```\n"
        ));
    }

    #[test]
    fn text_block_is_no_doc_test() {
        assert!(!has_doc_test("/// ```text app.py\n/// a\n/// ```\nfn a() {}\n"));
        assert!(!has_doc_test("/// ```ignore\n/// a\n/// ```\n"));
        assert!(!has_doc_test("// ```\n// a\n// ```\n"));
    }
}
