//! All automation of the project, in Rust: `cargo xtask <command>`.
#![expect(
    clippy::disallowed_methods,
    reason = "automation works on the files of the repository"
)]
#![expect(clippy::print_stdout, reason = "a command line tool speaks on standard output")]

mod bench;
mod bench_growth;
mod ci;
mod codegen;
mod corpus;
mod fuzz;
mod scaffold;
mod tidy;
mod truth;
mod truth_judge;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
cargo xtask <command>

  ci                      everything that must be green: fmt, clippy, test, doc, tidy, codegen --check, deny
  tidy                    layer arrows, module docs, dangling ids, words
  codegen [--check]       docs/openapi.json, docs/agent-passport.schema.json, docs/checks.md, docs/errors.md, docs/coverage.md
  bench [FILTER]          criterion benches, by name
  bench scan DIR          one tree cold, unchanged, with one file changed and with ten compared, beside reading and hashing the same files
  bench http              start time, memory and latency of the release daemon
  bench eval              requests a second and CPU time of an evaluation against a target on loopback
  bench adversarial       one hostile file of 1 MiB in each language, in CPU time, at most 200 ms each
  bench growth            the cost of 1,000, 10,000 and 100,000 files
  hostile                 the hostile trees at full size, with the release binary
  fuzz [TARGET] [--minutes N]   every fuzz target, 10 minutes each
  truth DIR               figures on labelled sets (ai-usage, deps, secrets), or on a folder of labelled replies
  truth DIR --predictions FILE   the same for labelled replies, with a file of predictions
  corpus                  figures on the project's own labelled corpus, and what is wrong
  corpus --dir DIR        the same for another folder of cases in the same format
  new check ID            a skeleton for a check, such as `l4-some-thing`
  new endpoint NAME       a skeleton for an endpoint, such as `get-things`
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["ci"] => ci::run(),
        ["tidy"] => tidy::run(),
        ["codegen"] => codegen::run(false),
        ["codegen", "--check"] => codegen::run(true),
        ["bench", "scan", dir] => bench::scan(Path::new(dir)),
        ["bench", "http"] => bench::http(),
        ["bench", "eval"] => bench::eval(),
        ["bench", "adversarial"] => bench_growth::adversarial(),
        ["bench", "growth"] => bench_growth::growth(),
        ["hostile"] => bench_growth::hostile(),
        ["fuzz", rest @ ..] => fuzz::run(rest),
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
