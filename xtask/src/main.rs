//! Automation of the project: `cargo xtask <command>`.
#![expect(
    clippy::disallowed_methods,
    reason = "automation works on the files of the repository"
)]
#![expect(clippy::print_stdout, reason = "a command line tool writes to standard output")]

mod attacks;
mod bench;
mod bench_growth;
mod check_pages;
mod ci;
mod codegen;
mod corpus;
mod fix_page;
mod fuzz;
mod page_tests;
mod plain;
mod scaffold;
mod tidy;
mod truth;
mod truth_judge;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
cargo xtask <command>

  ci                      Run every required step: fmt, tidy, codegen --check, clippy, test, deny
  slow                    Run the slow tests and build the documentation of all crates; run it before an issue closes
  tidy                    Check crate layers, module docs, obligation ids, forbidden claims and plain English
  codegen [--check]       Write the generated documents: docs/openapi.json, docs/agent-passport.schema.json, docs/audit-package/,
                          docs/checks/, docs/coverage.md, docs/errors.md, docs/fixes.md, docs/accuracy.md; with --check, fail if
                          one is not up to date. Fail also if the labelled corpus misses a threshold
  bench [FILTER]          Run the criterion benches, by name
  bench scan DIR          Measure a scan of a folder: cold, unchanged, one changed file, and a comparison of ten files
  bench http              Measure start time, memory and latency of the release daemon
  bench eval              Measure an evaluation against a local target: requests per second and CPU time
  bench adversarial       Check one hostile file of 1 MiB in each language: at most 200 ms of CPU time each
  bench growth            Measure scans of 1,000, 10,000 and 100,000 files
  page [OPTIONS]          Test the page with the release daemon, or with that of `--binary FILE`, in headless Chromium; needs Playwright for
                          Python, and axe by `--axe FILE`
  hostile                 Scan the hostile trees at full size with the release binary
  fuzz [TARGET] [--minutes N]    Run every fuzz target, 10 minutes each
  fuzz [TARGET] --seconds N      Run the targets that read state, git and settings by mutation, without cargo-fuzz
  attacks [BINARY]        Run the attack suite, its slow cases too, on this build or another binary, and count cases and successes
  truth DIR               Measure on labelled sets (ai-usage, deps, secrets) or on a folder of labelled replies
  truth DIR --predictions FILE   The same for labelled replies; also write the predictions to a file
  corpus                  Measure on the project's labelled corpus and list every wrong case
  corpus --dir DIR        The same for another folder of cases in this format
  new check ID            Write a skeleton for a check, for example `l4-some-thing`
  new endpoint NAME       Write a skeleton for an endpoint, for example `get-things`
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["ci"] => ci::run(),
        ["slow"] => ci::slow(),
        ["tidy"] => tidy::run(),
        ["codegen"] => codegen::run(false),
        ["codegen", "--check"] => codegen::run(true),
        ["bench", "scan", dir] => bench::scan(Path::new(dir)),
        ["bench", "http"] => bench::http(),
        ["bench", "eval"] => bench::eval(),
        ["bench", "adversarial"] => bench_growth::adversarial(),
        ["bench", "growth"] => bench_growth::growth(),
        ["hostile"] => bench_growth::hostile(),
        ["page", rest @ ..] => page_tests::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["attacks", rest @ ..] => attacks::run(rest),
        ["bench", rest @ ..] => bench::criterion(rest),
        ["corpus"] => corpus::print(None),
        ["corpus", "--dir", dir] => corpus::print(Some(Path::new(dir))),
        ["truth", dir] if Path::new(dir).join(truth_judge::MARK).is_file() => truth_judge::run(Path::new(dir), None),
        ["truth", dir] => truth::run(Path::new(dir)),
        ["truth", dir, "--predictions", file] => truth_judge::run(Path::new(dir), Some(Path::new(file))),
        ["new", "check", id] => scaffold::check(id),
        ["new", "endpoint", name] => scaffold::endpoint(name),
        _ => {
            print!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Runs a program in the root of the repository and fails when it fails.
fn run(program: &str, args: &[&str]) -> Result<()> {
    let shown = format!("{program} {}", args.join(" "));
    println!("$ {shown}");
    let status = Command::new(program)
        .args(args)
        .current_dir(root())
        .status()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed with {status}");
    }
    Ok(())
}

/// The files that git tracks or would track.
fn tracked_files() -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root())
        .output()
        .context("cannot start git")?;
    let text = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    let mut files: Vec<String> = text
        .split('\0')
        .filter(|path| !path.is_empty() && root().join(path).is_file())
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}
