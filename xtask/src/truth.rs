//! Figures on labelled sets, from the engine's own code.

use std::path::Path;

use anyhow::{Result, bail};

use crate::run as start;

/// Each set with the example program that measures it.
const SETS: &[(&str, &str, &str)] = &[
    ("ai-usage", "engine-scan-code", "ai_usage_truth"),
    ("deps", "engine-scan-dependencies", "deps_truth"),
];

/// `cargo xtask truth DIR`: DIR holds one folder for each set; sets that are not there are left out and named.
pub(crate) fn run(dir: &Path) -> Result<()> {
    let mut measured = 0;
    for (set, package, example) in SETS {
        let folder = dir.join(set);
        if !folder.is_dir() {
            println!("{set}: no folder at {}", folder.display());
            continue;
        }
        println!("== {set}");
        let folder = folder.canonicalize()?;
        start(
            "cargo",
            &[
                "run",
                "--quiet",
                "--release",
                "--package",
                package,
                "--example",
                example,
                "--",
                &folder.to_string_lossy(),
            ],
        )?;
        measured += 1;
    }
    if measured == 0 {
        bail!(
            "{} holds none of the sets {}",
            dir.display(),
            SETS.iter().map(|(set, ..)| *set).collect::<Vec<_>>().join(", ")
        );
    }
    Ok(())
}
