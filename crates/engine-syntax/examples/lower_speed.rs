//! Measures how fast the files below a directory are lowered: `lower_speed DIR [threads]`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for measuring reads files and prints figures"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine_model::Language;
use engine_syntax::{lower, supports};

/// Bytes, files, expressions and time of a language.
#[derive(Default)]
struct Sum {
    bytes: usize,
    files: usize,
    exprs: usize,
    truncated: usize,
    took: Duration,
    slowest: Option<(Duration, PathBuf)>,
}

fn main() {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for path in files(Path::new(&root)) {
        let language = Language::of_path(&path.to_string_lossy());
        if !supports(language) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let begun = Instant::now();
        let module = lower(language, &text);
        let took = begun.elapsed();
        let Some(module) = module else { continue };
        let sum = sums.entry(format!("{language:?}")).or_default();
        sum.bytes += text.len();
        sum.files += 1;
        sum.exprs += module.exprs.len();
        sum.truncated += usize::from(module.truncated);
        sum.took += took;
        if sum.slowest.as_ref().is_none_or(|(slowest, _)| took > *slowest) {
            sum.slowest = Some((took, path));
        }
    }
    for (language, sum) in sums {
        let megabytes = f64::from(u32::try_from(sum.bytes).unwrap_or(u32::MAX)) / 1e6;
        println!(
            "{language}: {} files, {megabytes:.1} MB, {} expressions, {} truncated, {:?}, {:.1} MB/s, slowest {:?}",
            sum.files,
            sum.exprs,
            sum.truncated,
            sum.took,
            megabytes / sum.took.as_secs_f64(),
            sum.slowest
        );
    }
}

/// All files below a directory.
fn files(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(path) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&path) else {
            continue;
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => open.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}
