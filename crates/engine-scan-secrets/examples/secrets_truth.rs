//! Measures the rules on a folder of labelled texts, or lists what a tree of sources holds:
//! `secrets_truth DIR` prints a JSON report with the paths relative to `DIR`, `secrets_truth --list DIR` one line for each secret.
#![expect(
    clippy::disallowed_methods,
    reason = "an example that measures reads its files from disk"
)]
#![expect(clippy::print_stdout, reason = "the report is its output")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine_model::SourceFile;
use engine_scan_secrets::{read, wants};

fn files(folder: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files(&entry.path(), out)?;
        } else if kind.is_file() {
            out.push(entry.path());
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = arguments.first().is_some_and(|argument| argument == "--list");
    if list {
        arguments.remove(0);
    }
    let root = PathBuf::from(arguments.first().ok_or("the folder is missing")?);
    let mut paths = Vec::new();
    files(&root, &mut paths)?;
    let (mut bytes, mut spent, mut total) = (0_usize, Duration::ZERO, 0_usize);
    let mut report = Vec::new();
    for path in &paths {
        let whole = path.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        // Each text of the labelled set is a small project of its own: its folder plays no part.
        let inner = if list {
            whole.as_str()
        } else {
            whole.split_once('/').map_or(whole.as_str(), |(_, rest)| rest)
        };
        let content = std::fs::read(path)?;
        let file = SourceFile::new(inner, content.as_slice());
        if !wants(inner, file.language, file.zone) {
            continue;
        }
        let start = Instant::now();
        let facts = read(&file, &[7; 32]);
        spent += start.elapsed();
        bytes += content.len();
        total += facts.found.len();
        for secret in facts.found {
            if list {
                println!(
                    "{whole}:{}:{}-{} {} {} {} {:?} {:?}",
                    secret.line,
                    secret.column,
                    secret.end_column,
                    secret.confidence,
                    secret.rule,
                    secret.masked,
                    secret.provider,
                    file.zone
                );
            } else {
                report.push(serde_json::json!({ "path": whole, "secret": secret }));
            }
        }
    }
    if !list {
        println!("{}", serde_json::to_string_pretty(&report)?);
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let speed = bytes as f64 / 1e6 / spent.as_secs_f64();
    let seconds = spent.as_secs_f64();
    eprintln!(
        "{total} secrets in {} files, {bytes} bytes in {seconds:.3} s, {speed:.0} MB/s",
        paths.len()
    );
    Ok(())
}
