//! Asks the parser of a language, where it is installed, about the changed files before they are written. It only parses: no code of the
//! project runs, no package is looked up, and its environment is empty.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use engine_fixer::Plan;
use engine_model::{ErrorCode, Failure};

use super::apply::edit_failure;
use super::shapes::{ToolchainCheck, ToolchainStatus};
use crate::project::ProjectState;

/// Time for one file.
const ANSWER: Duration = Duration::from_secs(10);

/// Characters of a message that are shown.
const MESSAGE_CHARS_MAX: usize = 400;

/// A program that parses a file, by the ending of its name, with the arguments before the file.
const PARSERS: [(&str, &str, &[&str]); 9] = [
    (
        "py",
        "python3",
        &[
            "-I",
            "-S",
            "-c",
            "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read())",
        ],
    ),
    ("js", "node", &["--check"]),
    ("mjs", "node", &["--check"]),
    ("cjs", "node", &["--check"]),
    ("go", "gofmt", &["-e", "-l"]),
    ("php", "php", &["-n", "-l"]),
    ("rb", "ruby", &["--disable=gems", "-c"]),
    ("sh", "bash", &["-n"]),
    ("bash", "bash", &["-n"]),
];

/// What the parsers say about the files of a plan as they will be.
///
/// # Errors
///
/// Where a parser refuses a file that it accepted before.
pub(super) fn check(state: &ProjectState, plan: &Plan) -> Result<Vec<ToolchainCheck>, Failure> {
    let mut out = Vec::new();
    for change in &plan.files {
        let Some((ending, tool, args)) = PARSERS
            .iter()
            .find(|(ending, ..)| change.path.rsplit_once('.').is_some_and(|(_, own)| own == *ending))
        else {
            continue;
        };
        let present = state
            .root()
            .present(&change.path)
            .map_err(|error| edit_failure(&error))?;
        let before = present.map(|present| present.bytes);
        let after = change
            .apply(before.as_deref().unwrap_or_default())
            .map_err(|error| Failure::new(ErrorCode::StateConflict, format!("`{}`: {error}", change.path)))?;
        let mut said = asked(&change.path, ending, tool, args, &after);
        if said.status == ToolchainStatus::Refused {
            let was_refused = before.as_deref().is_some_and(|before| {
                asked(&change.path, ending, tool, args, before).status == ToolchainStatus::Refused
            });
            if !was_refused {
                let message = said.message.unwrap_or_default();
                return Err(Failure::new(
                    ErrorCode::Impossible,
                    format!(
                        "`{tool}` refuses `{}` with the fix, so nothing was changed: {message}",
                        change.path
                    ),
                )
                .field("toolchain"));
            }
            said.status = ToolchainStatus::RefusedBefore;
        }
        out.push(said);
    }
    Ok(out)
}

/// Runs a parser on a content in a folder of its own.
fn asked(path: &str, ending: &str, tool: &str, args: &[&str], content: &[u8]) -> ToolchainCheck {
    let said = |status, message| ToolchainCheck {
        file: path.to_owned(),
        tool: tool.to_owned(),
        status,
        message,
    };
    let missing = || said(ToolchainStatus::Missing, None);
    let Ok(folder) = tempfile::tempdir() else {
        return missing();
    };
    let file = folder.path().join(format!("file.{ending}"));
    if write(&file, content).is_err() {
        return missing();
    }
    let mut command = Command::new(tool);
    command
        .args(args)
        .arg(&file)
        .current_dir(folder.path())
        .env_clear()
        .envs(search_path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        return missing();
    };
    // Read beside the waiting: a full pipe would hold the program.
    let errors = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(errors) = errors {
            let _ = errors.take(64 << 10).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if started.elapsed() < ANSWER => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let text = reader.join().unwrap_or_default();
    match status {
        None => said(ToolchainStatus::TimedOut, None),
        Some(status) if status.success() => said(ToolchainStatus::Accepted, None),
        Some(_) => {
            let text = text.replace(&*folder.path().to_string_lossy(), "");
            let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
            said(
                ToolchainStatus::Refused,
                Some(engine_scanner::mask_secrets(text.trim())),
            )
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a file in a temporary folder of its own")]
fn write(file: &std::path::Path, content: &[u8]) -> std::io::Result<()> {
    std::fs::write(file, content)
}

/// Where programs are looked for.
fn search_path() -> Option<(&'static str, std::ffi::OsString)> {
    std::env::var_os("PATH").map(|path| ("PATH", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parser_accepts_refuses_or_is_missing() {
        let (_, tool, args) = PARSERS[0];
        let of = |text: &str| asked("a.py", "py", tool, args, text.as_bytes()).status;
        if of("x = 1\n") != ToolchainStatus::Missing {
            assert_eq!(of("x = 1\n"), ToolchainStatus::Accepted);
            assert_eq!(of("def f(:\n"), ToolchainStatus::Refused);
        }
        assert_eq!(
            asked("a.xx", "xx", "no-such-program-here", &[], b"").status,
            ToolchainStatus::Missing
        );
    }
}
