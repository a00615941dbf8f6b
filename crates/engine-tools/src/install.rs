//! Installing the tools, and reading what is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::catalogue::{TOOLS, Tool};
use crate::place::{Place, Runner, ToolsError, is_program, keep_system, make_folder};
use crate::process::{self, Ended, Limits, Ran};

/// The file that is written last: without it a folder is an installation that did not finish.
const MARK: &str = "installed.json";

/// Longest mark.
const MARK_BYTES_MAX: u64 = 64 << 10;

/// Time for one step of an installation.
const INSTALL_TIME: Duration = Duration::from_mins(15);

/// Python versions for which the packages are pinned.
const PYTHON: &str = ">=3.10";

/// Lines of an error of the runner that are shown.
const ERROR_LINES_MAX: usize = 6;

/// Characters of an error that are shown.
const ERROR_CHARS_MAX: usize = 600;

/// Folders of one tool that are looked at.
const FOLDERS_MAX: usize = 64;

/// A tool as it is on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The tool.
    pub name: &'static str,
    /// Whether the pinned packages are installed and the program is there.
    pub installed: bool,
    /// The version that is there.
    pub version: Option<String>,
    /// The pinned version.
    pub expected: &'static str,
    /// The program, where it is there.
    pub path: Option<PathBuf>,
    /// Why the tool cannot be used.
    pub error: Option<String>,
}

/// What an update did for one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// It was installed.
    Installed,
    /// It was there already.
    Unchanged,
    /// It could not be installed.
    Failed,
}

/// One tool after an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The tool as it is now.
    pub tool: Installed,
    /// What happened.
    pub outcome: UpdateOutcome,
    /// How long it took.
    pub elapsed: Duration,
}

/// What the mark says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    name: String,
    version: String,
    packages: String,
    runner: String,
}

/// Folder of the programs of an environment.
const PROGRAMS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// The program of a tool in its folder.
pub(crate) fn program(folder: &Path, tool: &Tool) -> PathBuf {
    let name = format!("{}{}", tool.name, std::env::consts::EXE_SUFFIX);
    folder.join("env").join(PROGRAMS).join(name)
}

/// What is installed. It reads the disk, starts nothing and connects to nothing.
pub fn installed(place: &Place) -> Vec<Installed> {
    TOOLS.iter().map(|tool| of(place, tool)).collect()
}

/// One tool as it is on the disk.
pub(crate) fn of(place: &Place, tool: &'static Tool) -> Installed {
    let mut out = Installed {
        name: tool.name,
        installed: false,
        version: None,
        expected: tool.version(),
        path: None,
        error: None,
    };
    let folder = match place.folder() {
        Ok(folder) => folder,
        Err(error) => {
            out.error = Some(error.to_string());
            return out;
        }
    };
    let own = folder.join(tool.folder());
    let path = program(&own, tool);
    if let Some(mark) = mark(&own) {
        out.version = Some(mark.version);
        if mark.packages != tool.digest() || mark.name != tool.name {
            out.error = Some(
                "the record of the installation is damaged; install the tool again with POST /tools/update".to_owned(),
            );
        } else if is_program(&path) {
            out.installed = true;
            out.path = Some(path);
        } else {
            out.error = Some("the program is gone; install the tool again with POST /tools/update".to_owned());
        }
        return out;
    }
    out.error = Some(if own.is_dir() {
        "the last installation did not finish; run POST /tools/update".to_owned()
    } else if let Some(mark) = other_version(&folder, tool) {
        let text = format!(
            "version {} is installed and version {} is expected; run POST /tools/update",
            mark.version,
            tool.version()
        );
        out.version = Some(mark.version);
        text
    } else {
        "not installed; run POST /tools/update".to_owned()
    });
    out
}

fn mark(folder: &Path) -> Option<Mark> {
    let path = folder.join(MARK);
    if path.symlink_metadata().ok()?.len() > MARK_BYTES_MAX {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// An installation of the same tool with other packages.
fn other_version(folder: &Path, tool: &Tool) -> Option<Mark> {
    others(folder, tool).iter().find_map(|path| mark(path))
}

fn others(folder: &Path, tool: &Tool) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let start = format!("{}-", tool.name);
    let mut out: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // A version begins with a digit: no tool's name is the start of another's.
            name.strip_prefix(&start)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                && *name != *tool.folder()
        })
        .map(|entry| entry.path())
        .take(FOLDERS_MAX)
        .collect();
    out.sort();
    out
}

/// Installs the tools that are not there. A tool that fails leaves the others alone.
///
/// # Errors
///
/// Where the folder cannot be used, or tools are running.
pub fn update(
    place: &Place,
    runner: &Runner,
    wanted: &[&'static Tool],
    again: bool,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Update>, ToolsError> {
    let (folder, _lock) = place.lock_for_update()?;
    let mut out = Vec::new();
    for tool in wanted {
        let started = std::time::Instant::now();
        let before = of(place, tool);
        let (outcome, error) = if before.installed && !again {
            (UpdateOutcome::Unchanged, None)
        } else {
            match install(place, runner, &folder, tool, stop) {
                Ok(()) => (UpdateOutcome::Installed, None),
                Err(why) => (UpdateOutcome::Failed, Some(why)),
            }
        };
        let mut now = of(place, tool);
        if let Some(error) = error {
            now.error = Some(error);
        }
        if outcome == UpdateOutcome::Installed {
            for old in others(&folder, tool) {
                let _ = fs::remove_dir_all(old);
            }
        }
        out.push(Update {
            tool: now,
            outcome,
            elapsed: started.elapsed(),
        });
    }
    Ok(out)
}

fn install(place: &Place, runner: &Runner, folder: &Path, tool: &Tool, stop: &dyn Fn() -> bool) -> Result<(), String> {
    let own = folder.join(tool.folder());
    let said = |error: std::io::Error| format!("cannot use `{}`: {error}", own.display());
    if own.exists() {
        // The mark goes first: what is left after a crash is not an installation.
        match fs::remove_file(own.join(MARK)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(said(error)),
            _ => {}
        }
        fs::remove_dir_all(&own).map_err(said)?;
    }
    make_folder(&own).map_err(|error| error.to_string())?;
    let lock = own.join("packages.txt");
    fs::write(&lock, tool.lock.as_bytes()).map_err(said)?;
    let env = own.join("env");
    let mut make = step(place, runner, &own);
    make.args(["venv", "--no-project", "--python", PYTHON]).arg(&env);
    finished(process::run(&mut make, limits(), stop), "make a Python environment")?;
    let mut fill = step(place, runner, &own);
    // No package is built here: a build runs code that no digest covers.
    fill.args(["pip", "sync", "--require-hashes", "--no-build", "--python"])
        .arg(&env)
        .arg(&lock);
    finished(process::run(&mut fill, limits(), stop), "install the pinned packages")?;
    if !is_program(&program(&own, tool)) {
        return Err(format!("the packages contain no program `{}`", tool.name));
    }
    let mark = Mark {
        name: tool.name.to_owned(),
        version: tool.version().to_owned(),
        packages: tool.digest(),
        runner: runner.version.clone(),
    };
    let text = serde_json::to_vec_pretty(&mark).map_err(|error| error.to_string())?;
    let temporary = own.join(".installed");
    fs::write(&temporary, text).map_err(said)?;
    fs::rename(&temporary, own.join(MARK)).map_err(said)
}

const fn limits() -> Limits {
    Limits {
        time: INSTALL_TIME,
        output: 1 << 20,
    }
}

/// The runner with an environment of its own: no configuration file of a project or user, no cache that others share, and
/// no download of a Python.
fn step(place: &Place, runner: &Runner, folder: &Path) -> Command {
    let mut command = Command::new(&runner.path);
    command
        .env_clear()
        .envs(place.network.iter().map(|(name, value)| (name, value)))
        .env("UV_NO_CONFIG", "1")
        .env("UV_NO_CACHE", "1")
        .env("UV_NO_PROGRESS", "1")
        .env("UV_PYTHON_DOWNLOADS", "never")
        .env("NO_COLOR", "1")
        .current_dir(folder);
    if let Some(search) = &place.search {
        command.env("PATH", search);
    }
    keep_system(&mut command);
    command
}

fn finished(ran: Ran, what: &str) -> Result<(), String> {
    let why = match ran.ended {
        Ended::Exited(0) => return Ok(()),
        Ended::Exited(code) => format!("uv could not {what} (exit code {code}): {}", last_lines(&ran.stderr)),
        Ended::Killed(signal) => format!("uv was killed by signal {signal} while it was to {what}"),
        Ended::TimedOut => format!("uv did not {what} within {} minutes", INSTALL_TIME.as_secs() / 60),
        Ended::TooMuchOutput => format!("uv wrote too much output while it was to {what}"),
        Ended::Stopped => format!("stopped before uv could {what}"),
        Ended::NotStarted(error) => format!("uv did not start: {error}"),
    };
    Err(why)
}

/// The end of what a program wrote to standard error, on one line.
pub(crate) fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let from = lines.len().saturating_sub(ERROR_LINES_MAX);
    let text: String = lines[from..].join(" · ");
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    let count = plain.chars().count();
    if count == 0 {
        "no message".to_owned()
    } else {
        plain.chars().skip(count.saturating_sub(ERROR_CHARS_MAX)).collect()
    }
}
