//! One run of one tool on a view.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use engine_model::Severity;

use crate::catalogue::Tool;
use crate::install::{self, last_lines};
use crate::parse::{self, Parsed};
use crate::place::{Place, keep_system};
use crate::process::{self, Ended, Limits, Ran};
use crate::view::View;

/// Bytes of standard output of one run.
const OUTPUT_BYTES_MAX: usize = 64 << 20;

/// The rules of semgrep.
const SEMGREP_RULES: &str = include_str!("../data/rules.yml");

/// Bytes of the longest file that semgrep reads; the view has no longer ones.
const SEMGREP_FILE_BYTES: &str = "8388608";

/// Seconds that semgrep spends on one file and one rule.
const SEMGREP_FILE_SECONDS: &str = "20";

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// It ran to its end and its output was read.
    Ran,
    /// It is not installed.
    Missing,
    /// It did not start, was killed, failed, or wrote something else than its report.
    Failed,
    /// It took too long and was ended.
    TimedOut,
}

/// What a tool found at one place. It holds no text of the tool and none of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolFinding {
    /// Path in the project.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// The rule of the tool.
    pub rule: String,
    /// The severity that the tool states, if it states one.
    pub severity: Option<Severity>,
    /// The confidence that the tool states, if it states one.
    pub confidence: Option<u8>,
    /// A name that the tool states beside the rule, such as the operator in a model file; letters, digits, `.` and `_` only.
    pub detail: Option<String>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRun {
    /// The tool.
    pub name: &'static str,
    /// The version that ran; the pinned one where none did.
    pub version: String,
    /// What became of it.
    pub status: RunStatus,
    /// The exit code; none where the tool did not end by itself.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub elapsed: Duration,
    /// Files that were handed over.
    pub files: u64,
    /// Files that the tool would read and did not get.
    pub files_left_out: u64,
    /// What it found, in the order of the places.
    pub findings: Vec<ToolFinding>,
    /// What went wrong, in whole or in part. It may quote the tool: mask it before it leaves the engine.
    pub error: Option<String>,
}

/// Runs a tool. It never fails: what went wrong is in the result.
pub fn run(place: &Place, tool: &'static Tool, view: &View, stop: &dyn Fn() -> bool) -> ToolRun {
    let (files, (files_left_out, examples)) = (view.count(tool), view.left_out(tool));
    let mut out = ToolRun {
        name: tool.name,
        version: tool.version().to_owned(),
        status: RunStatus::Missing,
        exit_code: None,
        elapsed: Duration::ZERO,
        files,
        files_left_out,
        findings: Vec::new(),
        error: None,
    };
    let installed = install::of(place, tool);
    let (true, Some(program)) = (installed.installed, installed.path) else {
        out.error = installed.error;
        return out;
    };
    let mut notes = Vec::new();
    if files_left_out > 0 {
        notes.push(format!(
            "{files_left_out} files were not handed over because of their length, such as `{}`",
            examples.join("`, `")
        ));
    }
    if files == 0 {
        // There is nothing to read, so there is nothing to start.
        out.status = RunStatus::Ran;
        out.error = joined(&notes);
        return out;
    }
    let folder = view.folder().join(tool.name);
    let mut command = match prepare(tool, &program, &folder, view) {
        Ok(command) => command,
        Err(error) => {
            out.status = RunStatus::Failed;
            out.error = Some(format!("the run could not be prepared: {error}"));
            return out;
        }
    };
    let limits = Limits {
        time: place.time_max.map_or(tool.time, |most| most.min(tool.time)),
        output: OUTPUT_BYTES_MAX,
    };
    let ran = process::run(&mut command, limits, stop);
    out.elapsed = ran.elapsed;
    judge(&mut out, tool, view, ran, limits, notes);
    out
}

fn joined(notes: &[String]) -> Option<String> {
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Reads what a process left.
fn judge(out: &mut ToolRun, tool: &'static Tool, view: &View, ran: Ran, limits: Limits, mut notes: Vec<String>) {
    let said = |text: &[u8]| last_lines(text).replace(&*view.folder().to_string_lossy(), "");
    let code = match ran.ended {
        Ended::Exited(code) => code,
        Ended::TimedOut => {
            out.status = RunStatus::TimedOut;
            notes.insert(
                0,
                format!("ended after its limit of {} seconds", limits.time.as_secs_f64()),
            );
            out.error = joined(&notes);
            return;
        }
        ended => {
            out.status = RunStatus::Failed;
            let why = match ended {
                Ended::Killed(signal) => format!("killed by signal {signal}: {}", said(&ran.stderr)),
                Ended::TooMuchOutput => format!("wrote more than {} MiB of output", OUTPUT_BYTES_MAX >> 20),
                Ended::Stopped => "stopped, because the request was cancelled".to_owned(),
                Ended::NotStarted(error) => format!("did not start: {error}"),
                Ended::Exited(_) | Ended::TimedOut => String::new(),
            };
            notes.insert(0, why);
            out.error = joined(&notes);
            return;
        }
    };
    out.exit_code = Some(code);
    let accepted = parse::accepts(tool, code);
    match parse::output(tool, view, &ran.stdout, code) {
        Ok(Parsed {
            mut findings,
            notes: partial,
        }) => {
            findings.sort();
            findings.dedup();
            out.findings = findings;
            notes.extend(partial);
            out.status = if accepted { RunStatus::Ran } else { RunStatus::Failed };
            if !accepted {
                notes.insert(0, format!("exit code {code} means an error: {}", said(&ran.stderr)));
            }
        }
        Err(why) => {
            out.status = RunStatus::Failed;
            notes.insert(0, format!("{why} (exit code {code}): {}", said(&ran.stderr)));
        }
    }
    out.error = joined(&notes);
}

/// The command of a tool: an empty environment, a home and a working folder of its own, and no network use.
fn prepare(tool: &Tool, program: &Path, folder: &Path, view: &View) -> std::io::Result<Command> {
    let (home, work) = (folder.join("home"), folder.join("work"));
    fs::create_dir_all(&home)?;
    fs::create_dir_all(&work)?;
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", &home)
        .env("XDG_CACHE_HOME", &home)
        .env("TMPDIR", &work)
        .env("PATH", search_path(program))
        .env("LANG", "C.UTF-8")
        .env("PYTHONNOUSERSITE", "1")
        .env("PYTHONSAFEPATH", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NO_COLOR", "1")
        .current_dir(&work);
    keep_system(&mut command);
    let files = view.files_for(tool);
    match tool.name {
        "semgrep" => {
            let rules = folder.join("rules.yml");
            fs::write(&rules, SEMGREP_RULES)?;
            command
                .env("SEMGREP_SEND_METRICS", "off")
                .env("SEMGREP_ENABLE_VERSION_CHECK", "0")
                // This front end starts in one second instead of ten. It reads no aliases in rules.
                .args(["scan", "--experimental", "--json", "--quiet"])
                .args(["--metrics=off", "--disable-version-check"])
                .args([
                    "--disable-nosem",
                    "--no-git-ignore",
                    "--no-rewrite-rule-ids",
                    "--jobs=2",
                ])
                .args([
                    "--timeout",
                    SEMGREP_FILE_SECONDS,
                    "--max-target-bytes",
                    SEMGREP_FILE_BYTES,
                ])
                .arg("--config")
                .arg(&rules)
                .arg(&files);
        }
        "bandit" => {
            command
                .args([
                    "--format",
                    "json",
                    "--quiet",
                    "--exit-zero",
                    "--ignore-nosec",
                    "--exclude",
                    "",
                    // `assert` is what tests consist of.
                    "--skip",
                    "B101",
                ])
                .arg("--recursive")
                .arg(&files);
        }
        "detect-secrets" => {
            // Without `--no-verify` it would send secrets to the services that they are for.
            command
                .arg("-C")
                .arg(&files)
                .args(["scan", "--all-files", "--no-verify"])
                .args([
                    "--disable-filter",
                    "detect_secrets.filters.allowlist.is_line_allowlisted",
                    ".",
                ]);
        }
        _ => {
            command
                .args(["scan", "--reporting-format", "json", "--show-skipped", "--output-file"])
                .arg(folder.join("report.json"))
                .arg("--path")
                .arg(&files);
        }
    }
    Ok(command)
}

/// The programs of the tool's own environment, then those of the system.
fn search_path(program: &Path) -> std::ffi::OsString {
    let own = program.parent().map(PathBuf::from).unwrap_or_default();
    let system = ["/usr/bin", "/bin"].iter().map(PathBuf::from);
    std::env::join_paths(std::iter::once(own).chain(system)).unwrap_or_default()
}
