//! Measuring what hostile input costs: adversarial files, and trees of a growing number of files.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::bench::measure;
use crate::{root, run};

/// CPU milliseconds that one adversarial file of 1 MiB may cost.
const ADVERSARIAL_MS_MAX: &str = "200";

/// Files of the growing trees.
const SIZES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];

/// How much dearer a file of the largest tree may be than one of the smallest.
const GROWTH_MAX: f64 = 2.0;

/// `cargo xtask bench adversarial`.
pub(crate) fn adversarial() -> Result<()> {
    run(
        "cargo",
        &[
            "build",
            "--release",
            "--package",
            "engine-benches",
            "--bin",
            "adversarial",
        ],
    )?;
    let program = root().join("target/release/adversarial");
    run(&program.to_string_lossy(), &["--max-ms", ADVERSARIAL_MS_MAX])
}

/// `cargo xtask hostile`: the trees of the tests at full size, with the release binary.
pub(crate) fn hostile() -> Result<()> {
    let status = Command::new("cargo")
        .args([
            "test",
            "--release",
            "--package",
            "engine-server",
            "--test",
            "it",
            "hostile",
        ])
        .current_dir(root())
        .env("HOSTILE_FULL", "1")
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("a hostile tree caused a failure: {status}");
    }
    Ok(())
}

/// `cargo xtask bench growth`: the same kind of files, more and more of them.
pub(crate) fn growth() -> Result<()> {
    run("cargo", &["build", "--release", "--package", "engine-server"])?;
    let server = root().join("target/release/engine-server");
    let folder = tempfile::tempdir()?;
    let mut per_file = Vec::new();
    for files in SIZES {
        let tree = folder.path().join(files.to_string());
        write_tree(&tree, files)?;
        let path = tree.to_string_lossy().into_owned();
        let arguments = ["scan", path.as_str(), "--no-state", "--format", "json"];
        // The first run brings the files into memory.
        measure(&server, &arguments)?;
        let cost = measure(&server, &arguments)?;
        let count = u32::try_from(files).map_or(f64::MAX, f64::from);
        println!(
            "{files:>7} files  wall {:>7.0} ms  CPU {:>7.0} ms  {:>6.1} µs a file  peak {:>4} MiB",
            cost.wall_ms,
            cost.cpu_ms,
            cost.cpu_ms * 1e3 / count,
            cost.peak_kib / 1024
        );
        per_file.push(cost.cpu_ms / count);
        std::fs::remove_dir_all(&tree)?;
    }
    // The smallest tree carries the start of the process, so the second is the measure.
    let (Some(small), Some(large)) = (per_file.get(1), per_file.last()) else {
        return Ok(());
    };
    println!(
        "a file of the largest tree costs {:.2} times one of the second smallest",
        large / small
    );
    if large / small > GROWTH_MAX {
        bail!("the cost does not grow linearly");
    }
    Ok(())
}

/// Plain modules that import one another, in folders of a hundred; one in fifty uses a model.
fn write_tree(tree: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        let folder = tree.join(format!("pkg{}", number / 100));
        if number % 100 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let other = number.saturating_sub(1);
        let text = if number % 50 == 0 {
            format!(
                "from openai import OpenAI\nfrom pkg{}.mod{other} import work{other}\n\nclient = OpenAI()\n\n\ndef work{number}(text):\n    \
                 return client.responses.create(model=\"gpt-4.1\", input=work{other}(text))\n",
                other / 100
            )
        } else {
            format!(
                "from pkg{}.mod{other} import work{other}\n\n\ndef work{number}(text):\n    \"\"\"Does the work of step {number}.\"\"\"\n    \
                 parts = [part.strip() for part in text.split(\",\")]\n    if len(parts) > {number}:\n        return None\n    return work{other}(parts[0])\n",
                other / 100
            )
        };
        std::fs::write(folder.join(format!("mod{number}.py")), text)?;
    }
    Ok(())
}
