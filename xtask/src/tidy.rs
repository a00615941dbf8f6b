//! Rules that no lint covers: crate layers, module docs, obligation ids, forbidden claims, plain English.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::plain::Plain;
use crate::{root, tracked_files};

/// `cargo xtask tidy`.
pub(crate) fn run() -> Result<()> {
    let mut wrong = Vec::new();
    layers(&mut wrong)?;
    features(&mut wrong)?;
    let mut plain = Plain::new()?;
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
        plain.file(path, &text);
    }
    checks(&mut wrong);
    plain.finish(&mut wrong);
    if wrong.is_empty() {
        println!("tidy: {} files, no problem found", files.len());
        return Ok(());
    }
    for line in &wrong {
        println!("{line}");
    }
    bail!("tidy found {} problems", wrong.len())
}

/// Every crate names its layer and depends on lower ones only.
fn layers(wrong: &mut Vec<String>) -> Result<()> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .context("cannot start cargo")?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("the output of cargo metadata is not JSON")?;
    let packages = metadata["packages"]
        .as_array()
        .context("the output of cargo metadata lists no packages")?;
    let mut layers: BTreeMap<&str, i64> = BTreeMap::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        match package["metadata"]["engine"]["layer"].as_i64() {
            Some(layer) => drop(layers.insert(name, layer)),
            None => wrong.push(format!(
                "{name}: add a layer under [package.metadata.engine] to Cargo.toml"
            )),
        }
        if package["description"].as_str().is_none_or(|text| !text.ends_with('.')) {
            wrong.push(format!("{name}: the description in Cargo.toml must be one sentence"));
        }
    }
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(own) = layers.get(name) else { continue };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // Tests may depend on a higher layer; the product may not.
            if dependency["kind"].as_str() == Some("dev") {
                continue;
            }
            let other = dependency["name"].as_str().unwrap_or_default();
            if let Some(layer) = layers.get(other)
                && layer >= own
            {
                wrong.push(format!(
                    "{name} (layer {own}) depends on {other} (layer {layer}); a crate may depend on lower layers only"
                ));
            }
        }
    }
    Ok(())
}

/// `xtask` uses each package with the features that the whole workspace uses: else its first run and the tests compile nearly everything twice.
fn features(wrong: &mut Vec<String>) -> Result<()> {
    let everything = used_features(&["--workspace", "--edges", "all"])?;
    for (package, own) in used_features(&["--package", "xtask", "--edges", "normal,build"])? {
        if let Some(all) = everything.get(&package)
            && *all != own
        {
            let own = own.into_iter().collect::<Vec<_>>().join(" or ");
            let all = all.iter().cloned().collect::<Vec<_>>().join(" or ");
            wrong.push(format!(
                "xtask/Cargo.toml: {package} is compiled twice: with `{own}` for xtask, with `{all}` for the workspace; add the features there"
            ));
        }
    }
    Ok(())
}

/// The features of each package in one selection of the workspace.
fn used_features(selection: &[&str]) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let output = Command::new("cargo")
        .args([
            "tree",
            "--locked",
            "--no-dedupe",
            "--prefix",
            "none",
            "--format",
            "{p} | {f}",
        ])
        .args(selection)
        .current_dir(root())
        .output()
        .context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((package, features)) = line.split_once(" | ") {
            let package = package.trim_end_matches(" (proc-macro)").to_owned();
            // A crate that its own tests depend on is listed with a mark.
            let features = features.trim_end_matches(" (*)");
            found.entry(package).or_default().insert(features.to_owned());
        }
    }
    Ok(found)
}

/// A module begins with one sentence of documentation.
fn module_doc(path: &str, text: &str, wrong: &mut Vec<String>) {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with("#!"))
        .unwrap_or_default();
    if !first.starts_with("//!") {
        wrong.push(format!(
            "{path}: the module documentation is missing; begin with `//!` and one sentence"
        ));
    }
}

/// Every obligation id exists.
fn ids(path: &str, text: &str, wrong: &mut Vec<String>) {
    let law = engine_regulation::regulation();
    for (number, line) in text.lines().enumerate() {
        for id in occurrences(line, "OBL-") {
            if law.obligation(&id).is_none() && !path.contains("/tests") && !path.contains("CHANGELOG") {
                wrong.push(format!("{path}:{}: obligation {id} does not exist", number + 1));
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

/// Claims that the product must never make. Files that discuss these words are exempt.
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
            wrong.push(format!("{path}:{}: the product must not claim `{word}`", number + 1));
        }
    }
}

/// Words in the title of a check.
const TITLE_WORDS: std::ops::RangeInclusive<usize> = 2..=7;

/// Every check has a unique id of its layer, unique former ids, a short title, a known obligation, and both kinds of examples.
fn checks(wrong: &mut Vec<String>) {
    let law = engine_regulation::regulation();
    let mut seen = BTreeSet::new();
    for check in engine_scanner::checks() {
        let prefix = format!("{:?}-", check.layer).to_lowercase();
        if !check.id.starts_with(&prefix) && !["cross-", "secret-"].iter().any(|group| check.id.starts_with(group)) {
            wrong.push(format!("{}: the id must begin with the layer of the check", check.id));
        }
        for id in std::iter::once(&check.id).chain(check.aliases) {
            if !seen.insert(*id) {
                wrong.push(format!("{}: the id {id} is used twice", check.id));
            }
        }
        for id in std::iter::once(&check.obligation).chain(check.also) {
            if law.obligation(id).is_none() {
                wrong.push(format!("{}: obligation {id} does not exist", check.id));
            }
        }
        let words = check.title().split_whitespace().count();
        if !TITLE_WORDS.contains(&words) {
            wrong.push(format!(
                "{}: the title has {words} words; name the problem in {} to {}",
                check.id,
                TITLE_WORDS.start(),
                TITLE_WORDS.end()
            ));
        }
        let examples = check.examples();
        if !examples.iter().any(|e| e.reported) || !examples.iter().any(|e| !e.reported) {
            wrong.push(format!(
                "{}: the documentation needs a reported example and one that is not reported",
                check.id
            ));
        }
        if check.explanation().is_empty() {
            wrong.push(format!(
                "{}: the documentation needs an explanation below the title",
                check.id
            ));
        }
    }
}
