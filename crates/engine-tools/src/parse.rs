//! Reading what the tools write. Each report must be whole: a report that does not name the files that were handed over is
//! not a report without findings.

mod bandit;
mod detect_secrets;
mod modelscan;
mod semgrep;

use engine_model::Severity;
use serde::de::DeserializeOwned;

use crate::catalogue::Tool;
use crate::run::ToolFinding;
use crate::view::View;

/// Findings of one run that are kept.
const FINDINGS_MAX: usize = 5000;

/// Files that a note names.
const NAMED_MAX: usize = 3;

/// Characters of a name that a tool states.
const NAME_CHARS_MAX: usize = 80;

/// A report that was read.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) findings: Vec<ToolFinding>,
    /// What the tool could not do.
    pub(crate) notes: Vec<String>,
}

/// Whether an exit code means that the tool did its work.
pub(crate) fn accepts(tool: &Tool, code: i32) -> bool {
    match tool.name {
        // 1: it found something; 3: none of the files is a model.
        "modelscan" => matches!(code, 0 | 1 | 3),
        _ => code == 0,
    }
}

/// Reads the report of a tool.
pub(crate) fn output(tool: &'static Tool, view: &View, stdout: &[u8], code: i32) -> Result<Parsed, String> {
    let mut parsed = match tool.name {
        "semgrep" => semgrep::read(tool, view, stdout),
        "bandit" => bandit::read(tool, view, stdout),
        "detect-secrets" => detect_secrets::read(tool, view, stdout),
        _ => modelscan::read(tool, view, code),
    }?;
    if parsed.findings.len() > FINDINGS_MAX {
        parsed.notes.push(format!(
            "only the first {FINDINGS_MAX} of {} findings are kept",
            parsed.findings.len()
        ));
        parsed.findings.sort();
        parsed.findings.truncate(FINDINGS_MAX);
    }
    Ok(parsed)
}

fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("wrote no report".to_owned());
    }
    serde_json::from_slice(bytes).map_err(|error| {
        format!(
            "the report is not complete or not in the form of this version (line {}, column {})",
            error.line(),
            error.column()
        )
    })
}

/// The place of a finding in the project; the report is refused where it names another file or a line that is not there.
fn place<'v>(tool: &Tool, view: &'v View, named: &str, line: u32) -> Result<&'v str, String> {
    let entry = view
        .entry(tool, named)
        .ok_or_else(|| "the report names a file that was not handed over".to_owned())?;
    if line == 0 || entry.lines > 0 && line > entry.lines {
        return Err("the report names a line that the file does not have".to_owned());
    }
    Ok(&entry.path)
}

/// A name that a tool states, as letters, digits, `.`, `_` and `-`.
fn name(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        .take(NAME_CHARS_MAX)
        .collect()
}

/// Files in a sentence.
fn named(files: &[&str]) -> String {
    let shown: Vec<String> = files.iter().take(NAMED_MAX).map(|file| format!("`{file}`")).collect();
    shown.join(", ")
}

fn severity(text: &str) -> Option<Severity> {
    match text {
        "CRITICAL" => Some(Severity::Critical),
        "HIGH" | "ERROR" => Some(Severity::High),
        "MEDIUM" | "WARNING" => Some(Severity::Medium),
        "LOW" | "INFO" => Some(Severity::Low),
        _ => None,
    }
}

fn confidence(text: &str) -> Option<u8> {
    match text {
        "HIGH" => Some(75),
        "MEDIUM" => Some(55),
        "LOW" => Some(35),
        _ => None,
    }
}
