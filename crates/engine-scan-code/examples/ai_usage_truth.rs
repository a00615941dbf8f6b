//! Lays each case of a labelled folder through `read` and `join` and prints what was found, as records for its scorer.
//!
//! `cargo run -p engine-scan-code --example ai_usage_truth -- DIR`: records go to standard output, accuracy of the facts
//! to standard error. With `--dump FILE` the records of one file are printed in full.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a tool for measuring that reads a folder and prints"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine_model::{CallKind, MemoryTree, Zone};
use engine_scan_code::{ManifestNames, join, read, wants};
use serde_json::{Value, json};

fn walk(dir: &Path, root: &Path, out: &mut Vec<(String, PathBuf)>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, root, out);
        } else {
            out.push((path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), path));
        }
    }
}

fn scan(dir: &Path) -> engine_scan_code::CodeJoin {
    let mut paths = Vec::new();
    walk(dir, dir, &mut paths);
    let mut tree = MemoryTree::default();
    for (path, full) in paths {
        // A link may lead nowhere.
        if let Ok(bytes) = std::fs::read(full) {
            tree.insert(path, bytes);
        }
    }
    let files: Vec<_> = tree
        .files()
        .map(|file| {
            let facts = if wants(&file.path, file.language, file.zone) {
                read(&file)
            } else {
                engine_scan_code::CodeFacts::default()
            };
            (file.info(), facts)
        })
        .collect();
    let parsed = files.iter().filter(|(_, facts)| facts.parsed).count();
    eprintln!("{} files, {parsed} parsed at first sight", files.len());
    let mut literals: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, facts) in files.iter().filter(|_| std::env::args().any(|arg| arg == "--literals")) {
        for literal in &facts.mentions {
            *literals.entry(literal).or_default() += 1;
        }
    }
    let mut literals: Vec<_> = literals.into_iter().collect();
    literals.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (literal, count) in literals.into_iter().take(30) {
        eprintln!("  {count} {literal}");
    }
    join(&files, &ManifestNames::default(), &tree)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "--dump") {
        let result = scan(Path::new(&args[1]));
        for call in &result.calls {
            println!("{}", serde_json::to_string(call).unwrap());
        }
        for entry in &result.entry_points {
            println!("{entry:?}");
        }
        for agent in &result.agents {
            println!("{agent:?}");
        }
        for signal in &result.signals {
            println!("{signal:?}");
        }
        return;
    }
    let base = PathBuf::from(&args[0]);
    let labels = std::fs::read_to_string(base.join("labels.jsonl")).unwrap();
    let mut records = Vec::new();
    let mut facts: BTreeMap<&str, (u32, u32, Vec<String>)> = BTreeMap::new();
    for line in labels.lines() {
        let label: Value = serde_json::from_str(line).unwrap();
        let root = label["root"].as_str().unwrap();
        let result = scan(&base.join(root));
        let mut seen = None;
        for call in &result.calls {
            if call.zone == Zone::Product {
                records.push(json!({
                    "file": format!("{root}/{}", call.file), "line": call.line, "kind": call.kind, "provider": call.provider,
                    "model": call.model, "sdk": call.sdk, "symbol": call.symbol,
                }));
            }
            if call.kind == CallKind::Call {
                let wanted = label["calls"][0]["line"].as_u64().unwrap_or(0);
                let better = seen.is_none_or(|known: &engine_model::Call| {
                    u64::from(call.line).abs_diff(wanted) < u64::from(known.line).abs_diff(wanted)
                });
                if better {
                    seen = Some(call);
                }
            }
        }
        if label["ai_use"] == "call" {
            let id = label["id"].as_str().unwrap();
            let got = seen.map_or(Value::Null, |call| serde_json::to_value(call).unwrap());
            for (ours, theirs) in [
                ("errorHandling", "error_handling"),
                ("logging", "logging"),
                ("humanApproval", "human_approval"),
                ("disclosure", "disclosure"),
                ("provider", "provider"),
            ] {
                if label[theirs].is_null() {
                    continue;
                }
                let entry = facts.entry(ours).or_default();
                entry.1 += 1;
                if got[ours] == label[theirs] {
                    entry.0 += 1;
                } else {
                    entry.2.push(format!("{id}: {} for {}", got[ours], label[theirs]));
                }
            }
            let models = label["models"].as_array().unwrap();
            if !models.is_empty() {
                let entry = facts.entry("model").or_default();
                entry.1 += 1;
                if models.contains(&got["model"]) {
                    entry.0 += 1;
                } else {
                    entry.2.push(format!("{id}: {} for {}", got["model"], label["models"]));
                }
            }
        }
    }
    println!("{}", serde_json::to_string_pretty(&records).unwrap());
    for (name, (right, all, wrong)) in facts {
        eprintln!("{name}: {right} of {all}; wrong: {}", wrong.join(", "));
    }
}
