//! `cargo xtask page`: the tests of the page in a headless browser.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// The tests; they say in their head what they need.
const SCRIPT: &str = "tests/page/page_test.py";

/// Tests the daemon of `--binary FILE`, or builds one first. More arguments go to the script, such as `--screenshots DIR`.
pub(crate) fn run(rest: &[&str]) -> Result<()> {
    let mut args = vec![SCRIPT, "--complete"];
    let built;
    if !rest.contains(&"--binary") {
        built = build()?;
        args.extend(["--binary", &built]);
    }
    args.extend(rest);
    crate::run("python3", &args)
}

/// Builds the release daemon and returns its path.
fn build() -> Result<String> {
    crate::run("cargo", &["build", "--release", "--package", "engine-server"])?;
    let metadata = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(crate::root())
        .output()
        .context("cannot start cargo")?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).context("cargo metadata is not JSON")?;
    let Some(target) = metadata["target_directory"].as_str() else {
        bail!("cargo metadata names no target directory");
    };
    Ok(format!("{target}/release/engine-server"))
}
