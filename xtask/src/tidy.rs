//! Rules of the house that no lint knows: layer arrows, module docs, dangling ids, words.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{root, tracked_files};

/// `cargo xtask tidy`.
pub(crate) fn run() -> Result<()> {
    let mut wrong = Vec::new();
    layers(&mut wrong)?;
    let files = tracked_files()?;
    for path in &files {
        let Ok(text) = std::fs::read_to_string(root().join(path)) else {
            continue;
        };
        let rust = std::path::Path::new(path)
            .extension()
            .is_some_and(|ending| ending == "rs");
        if rust && !path.starts_with("tests/projects/") {
            module_doc(path, &text, &mut wrong);
        }
        ids(path, &text, &mut wrong);
        words(path, &text, &mut wrong);
    }
    checks(&mut wrong);
    if wrong.is_empty() {
        println!("tidy: {} files, nothing wrong", files.len());
        return Ok(());
    }
    for line in &wrong {
        println!("{line}");
    }
    bail!("{} things are untidy", wrong.len())
}

/// Every crate names its layer and depends on lower ones only.
fn layers(wrong: &mut Vec<String>) -> Result<()> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .context("cannot start cargo")?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata gave no JSON")?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata has no packages")?;
    let mut layers: BTreeMap<&str, i64> = BTreeMap::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        match package["metadata"]["engine"]["layer"].as_i64() {
            Some(layer) => drop(layers.insert(name, layer)),
            None => wrong.push(format!("{name}: Cargo.toml names no [package.metadata.engine] layer")),
        }
        if package["description"].as_str().is_none_or(|text| !text.ends_with('.')) {
            wrong.push(format!("{name}: Cargo.toml has no description of one sentence"));
        }
    }
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(own) = layers.get(name) else { continue };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // A test may look at a higher crate from outside; what ships may not.
            if dependency["kind"].as_str() == Some("dev") {
                continue;
            }
            let other = dependency["name"].as_str().unwrap_or_default();
            if let Some(layer) = layers.get(other)
                && layer >= own
            {
                wrong.push(format!(
                    "{name} (layer {own}) depends on {other} (layer {layer}); arrows point down"
                ));
            }
        }
    }
    Ok(())
}

/// A module opens with one sentence that says what it is.
fn module_doc(path: &str, text: &str, wrong: &mut Vec<String>) {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with("#!"))
        .unwrap_or_default();
    if !first.starts_with("//!") {
        wrong.push(format!(
            "{path}: the module does not open with a sentence that says what it is"
        ));
    }
}

/// Obligations and documents that are named exist.
fn ids(path: &str, text: &str, wrong: &mut Vec<String>) {
    let law = engine_regulation::regulation();
    for (number, line) in text.lines().enumerate() {
        for id in occurrences(line, "OBL-") {
            if law.obligation(&id).is_none() && !path.contains("/tests") && !path.contains("CHANGELOG") {
                wrong.push(format!("{path}:{}: no obligation has the id {id}", number + 1));
            }
        }
    }
}

fn occurrences(line: &str, mark: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut rest = line;
    while let Some(at) = rest.find(mark) {
        let digits: String = rest[at + mark.len()..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        if digits.len() == 3 {
            found.insert(format!("{mark}{digits}"));
        }
        rest = &rest[at + mark.len()..];
    }
    found
}

/// Claims that we never make; files that speak about these words are named here.
fn words(path: &str, text: &str, wrong: &mut Vec<String>) {
    const FORBIDDEN: &[&str] = &[
        "is compliant",
        "are compliant",
        "fully compliant",
        "certified by",
        "guarantees compliance",
    ];
    let prose = ["md", "rs", "toml"].iter().any(|ending| path.ends_with(ending));
    let exempt = path == "xtask/src/tidy.rs" || path.starts_with("tests/projects/") || path.contains("/data/");
    if !prose || exempt {
        return;
    }
    for (number, line) in text.lines().enumerate() {
        let lower = line.to_lowercase();
        if let Some(word) = FORBIDDEN.iter().find(|word| lower.contains(**word)) {
            wrong.push(format!("{path}:{}: we never say `{word}`", number + 1));
        }
    }
}

/// Every check has a unique id of its layer, a known obligation, and both kinds of examples.
fn checks(wrong: &mut Vec<String>) {
    let law = engine_regulation::regulation();
    let mut seen = BTreeSet::new();
    for check in engine_scanner::checks() {
        let prefix = format!("{:?}-", check.layer).to_lowercase();
        if !check.id.starts_with(&prefix) && !["cross-", "secret-"].iter().any(|group| check.id.starts_with(group)) {
            wrong.push(format!("{}: the id does not begin with its layer", check.id));
        }
        if !seen.insert(check.id) {
            wrong.push(format!("{}: two checks have this id", check.id));
        }
        for id in std::iter::once(&check.obligation).chain(check.also) {
            if law.obligation(id).is_none() {
                wrong.push(format!("{}: no obligation has the id {id}", check.id));
            }
        }
        let examples = check.examples();
        if !examples.iter().any(|e| e.reported) || !examples.iter().any(|e| !e.reported) {
            wrong.push(format!(
                "{}: the documentation needs an example that is reported and one that is not",
                check.id
            ));
        }
        if check.explanation().is_empty() {
            wrong.push(format!("{}: the documentation says nothing beyond its title", check.id));
        }
    }
}
