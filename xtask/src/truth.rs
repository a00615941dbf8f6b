//! Figures on labelled sets, from the engine's own code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use serde_json::Value;

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
    let set = dir.join(SECRETS).join("secrets.jsonl");
    if set.is_file() {
        println!("== {SECRETS}");
        secrets(&set)?;
        measured += 1;
    } else {
        println!("{SECRETS}: no file at {}", set.display());
    }
    if measured == 0 {
        bail!(
            "{} contains none of the sets {}",
            dir.display(),
            SETS.iter()
                .map(|(set, ..)| *set)
                .chain([SECRETS])
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    Ok(())
}

/// The set of texts with and without a secret, one JSON object on a line.
const SECRETS: &str = "secrets";

/// Tiers that do not count in the headline: weak labels, and forms without a value.
const OUT_OF_HEADLINE: [&str; 2] = ["weak", "format-only"];

/// Below this confidence the engine hands no place on.
const CONFIDENCE_MIN: u64 = 30;

/// A folder outside the work tree that goes away with the value: the texts hold what scanners look for.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Lays the texts out in a scratch folder, each in a folder named by its id, and scores what the engine finds in them.
fn secrets(set: &Path) -> Result<()> {
    let lines = std::fs::read_to_string(set)?;
    let items: Vec<Value> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let scratch = Scratch(std::env::temp_dir().join(format!("secrets-truth-{}", std::process::id())));
    for item in &items {
        let text = |key: &str| item[key].as_str().with_context(|| format!("an item has no `{key}`"));
        let parts: Vec<&str> = text("file_name")?
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let name = if parts.is_empty() {
            "notes.txt".to_owned()
        } else {
            parts.join("/")
        };
        let path = scratch.0.join(text("id")?).join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&scratch.0))?;
        let mut bytes = base64(text("text_b64")?)?;
        bytes.push(b'\n');
        std::fs::write(path, bytes)?;
    }
    let output = Command::new("cargo")
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            "engine-scan-secrets",
            "--example",
            "secrets_truth",
            "--",
        ])
        .arg(&scratch.0)
        .current_dir(crate::root())
        .output()
        .context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the example failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let report: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let hits: BTreeSet<&str> = report
        .iter()
        .filter(|entry| entry["secret"]["confidence"].as_u64() >= Some(CONFIDENCE_MIN))
        .filter_map(|entry| entry["path"].as_str()?.split('/').next())
        .collect();
    print_tiers(&items, &hits);
    print!("{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn print_tiers(items: &[Value], hits: &BTreeSet<&str>) {
    let of = |item: &Value, key: &str| item[key].as_str().unwrap_or("").to_owned();
    let mut tiers: BTreeMap<String, [u32; 4]> = BTreeMap::new();
    let mut missed = Vec::new();
    for item in items {
        let (id, tier) = (of(item, "id"), of(item, "tier"));
        let hit = hits.contains(id.as_str());
        let secret = item["has_secret"] == true;
        let mut names = vec![tier.clone()];
        if !OUT_OF_HEADLINE.contains(&tier.as_str()) {
            // A space sorts before every name.
            names.push(" headline".to_owned());
        }
        for name in names {
            let counts = tiers.entry(name).or_default();
            counts[usize::from(secret) * 2 + usize::from(hit)] += 1;
        }
        if secret != hit && (tier == "ai-key" || tier == "benign") {
            missed.push(format!("{id} {tier} {} {}", of(item, "kind"), of(item, "file_name")));
        }
    }
    println!(
        "{:12} {:>8} {:>9} {:>8} {:>9} {:>7}",
        "tier", "secrets", "recall", "others", "flagged", "prec."
    );
    for (tier, [quiet, flagged, lost, found]) in tiers {
        let share = |part: u32, whole: u32| {
            if whole == 0 {
                "-".to_owned()
            } else {
                format!("{:.3}", f64::from(part) / f64::from(whole))
            }
        };
        println!(
            "{:12} {:>8} {:>9} {:>8} {:>9} {:>7}",
            tier.trim(),
            lost + found,
            share(found, lost + found),
            quiet + flagged,
            flagged,
            share(found, found + flagged)
        );
    }
    for line in missed {
        println!("wrong: {line}");
    }
}

/// Decodes base64 with the common alphabet.
fn base64(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => bail!("the text is not base64"),
        };
        word = word << 6 | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(word >> bits & 0xFF)?);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_decoded() {
        assert_eq!(super::base64("aGVsbG8=").unwrap(), b"hello");
        assert_eq!(super::base64("//79").unwrap(), [0xFF, 0xFE, 0xFD]);
        assert!(super::base64("a b").is_err());
    }
}
