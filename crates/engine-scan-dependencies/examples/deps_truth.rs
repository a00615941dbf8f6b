//! Measures the readers on a folder of labelled manifests and lockfiles: `deps_truth DIR`, where `DIR/expected.json`
//! lists the files with the packages that each must give.
#![expect(
    clippy::disallowed_methods,
    reason = "an example that measures reads its files from disk"
)]
#![expect(clippy::print_stdout, reason = "the figures are its output")]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use engine_model::{Ecosystem, SourceFile};
use engine_scan_dependencies::{join, read};

/// A name the way the labels compare it.
fn name(ecosystem: &str, name: &str) -> String {
    if ecosystem != "pypi" {
        return name.to_owned();
    }
    let parts: Vec<&str> = name.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect();
    parts.join("-").to_lowercase()
}

fn version(ecosystem: &str, version: &str) -> String {
    if ecosystem == "golang" {
        version.trim_start_matches('v').to_owned()
    } else {
        version.to_owned()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("the folder with expected.json is missing")?;
    let folder = Path::new(&folder);
    let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("expected.json"))?)?;
    let cases = expected.as_array().ok_or("expected.json contains no list")?;
    let texts = |case: &serde_json::Value, key: &str| -> Vec<String> {
        let items = case[key].as_array().cloned().unwrap_or_default();
        items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    let mut exact = 0;
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap_or("").to_owned();
        let (id, path, ecosystem) = (text("id"), text("file"), text("ecosystem"));
        let file_name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let bytes = std::fs::read(folder.join(&path))?;
        let size = bytes.len();
        let started = Instant::now();
        let file = SourceFile::new(file_name, bytes);
        let facts = read(&file);
        let taken = started.elapsed();
        let joined = join(&[(file.info(), facts.clone())]);
        let found: BTreeSet<(String, String)> = joined
            .packages
            .iter()
            .filter(|package| Ecosystem::purl_type(package.ecosystem) == ecosystem || ecosystem == "composer")
            .map(|package| {
                let found = package.version.as_deref().unwrap_or("");
                (name(&ecosystem, &package.name), version(&ecosystem, found))
            })
            .collect();
        let mut problems = Vec::new();
        for sample in texts(case, "samples") {
            let (package, at) = sample.rsplit_once('@').ok_or("a sample without a version")?;
            if !found.contains(&(name(&ecosystem, package), version(&ecosystem, at))) {
                problems.push(format!("missing {sample}"));
            }
        }
        for sample in texts(case, "unversioned_samples") {
            let sample = name(&ecosystem, &sample);
            if !found.contains(&(sample.clone(), String::new())) {
                problems.push(format!("not unversioned: {sample}"));
            }
        }
        for sample in texts(case, "ai_packages") {
            let sample = name(&ecosystem, &sample);
            if !found.iter().any(|(found, _)| *found == sample) {
                problems.push(format!("missing {sample}"));
            }
            let known = joined
                .packages
                .iter()
                .any(|p| name(&ecosystem, &p.name) == sample && p.ai_kind.is_some());
            if !known {
                println!("     {id}: `{sample}` is not in the catalogue");
            }
        }
        let want = case["packages"].as_u64().unwrap_or(0);
        if want != found.len() as u64 {
            problems.push(format!("want {want}, got {}", found.len()));
        }
        let unversioned = found.iter().filter(|(_, version)| version.is_empty()).count();
        if case["unversioned"].as_u64() != Some(unversioned as u64) {
            problems.push(format!("want {} unversioned, got {unversioned}", case["unversioned"]));
        }
        exact += usize::from(problems.is_empty());
        let mark = if problems.is_empty() { "ok  " } else { "FAIL" };
        println!("{mark} {id:24} {size:8} bytes {taken:>10.2?} {}", problems.join("; "));
        for note in facts.notes.iter().take(3) {
            println!("     line {}: {}", note.line, note.text);
        }
    }
    println!("{exact} of {} exact", cases.len());
    Ok(())
}
