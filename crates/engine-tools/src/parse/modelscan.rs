//! The report of modelscan, which it writes to a file: standard output is for people.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Parsed, json, name, named, place, severity};
use crate::catalogue::Tool;
use crate::run::ToolFinding;
use crate::view::View;

/// Longest report.
const REPORT_BYTES_MAX: u64 = 64 << 20;

#[derive(Deserialize)]
struct Report {
    summary: Summary,
    issues: Vec<Issue>,
    /// Only counted, so that a long list takes no memory.
    errors: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Summary {
    modelscan_version: String,
    scanned: Scanned,
    skipped: Option<Skipped>,
}

#[derive(Deserialize)]
struct Scanned {
    total_scanned: u64,
}

#[derive(Deserialize)]
struct Skipped {
    #[serde(default)]
    skipped_files: Vec<SkippedFile>,
}

#[derive(Deserialize)]
struct SkippedFile {
    #[serde(default)]
    category: String,
    source: String,
}

#[derive(Deserialize)]
struct Issue {
    source: String,
    severity: String,
    #[serde(default)]
    module: Option<String>,
    #[serde(default)]
    operator: Option<String>,
}

/// The name of the only rule; the operator is in the detail.
const RULE: &str = "unsafe-operator";

pub(super) fn read(tool: &Tool, view: &View, code: i32) -> Result<Parsed, String> {
    let path = view.folder().join(tool.name).join("report.json");
    let mut text = Vec::new();
    if let Some(file) = opened(&path).map_err(|error| format!("the report cannot be read: {error}"))? {
        file.take(REPORT_BYTES_MAX + 1)
            .read_to_end(&mut text)
            .map_err(|error| format!("the report cannot be read: {error}"))?;
    }
    if text.len() as u64 > REPORT_BYTES_MAX {
        return Err(format!("the report is longer than {} MiB", REPORT_BYTES_MAX >> 20));
    }
    if code == 3 && text.is_empty() {
        return Ok(Parsed {
            notes: vec![format!(
                "none of {} files is in a format that it knows",
                view.count(tool)
            )],
            ..Parsed::default()
        });
    }
    let report: Report = json(&text)?;
    if report.summary.modelscan_version != tool.version() {
        return Err("the report is of another version".to_owned());
    }
    if (code == 1) == report.issues.is_empty() && code != 2 {
        return Err("the report contradicts the exit code".to_owned());
    }
    let skipped = report
        .summary
        .skipped
        .map(|skipped| skipped.skipped_files)
        .unwrap_or_default();
    let given = view.count(tool);
    let covered = report
        .summary
        .scanned
        .total_scanned
        .saturating_add(skipped.len() as u64);
    // One archive counts once for each file in it.
    if covered.saturating_add(report.errors.len() as u64) < given {
        return Err(format!("the report covers {covered} of {given} files"));
    }
    let mut out = Parsed::default();
    for issue in report.issues {
        // A member of an archive is named `archive:member`.
        let file = issue.source.split(':').next().unwrap_or(&issue.source);
        let parts = [issue.module.as_deref(), issue.operator.as_deref()];
        let parts: Vec<String> = parts
            .into_iter()
            .flatten()
            .map(name)
            .filter(|part| !part.is_empty())
            .collect();
        out.findings.push(ToolFinding {
            file: place(tool, view, file, 1)?.to_owned(),
            line: 1,
            column: 1,
            end_line: 1,
            rule: RULE.to_owned(),
            severity: severity(&issue.severity),
            confidence: None,
            detail: (!parts.is_empty()).then(|| parts.join(".")),
        });
    }
    let unread: Vec<&str> = skipped
        .iter()
        .filter(|file| file.category != "SCAN_NOT_SUPPORTED")
        .filter_map(|file| view.entry(tool, file.source.split(':').next()?))
        .map(|entry| entry.path.as_str())
        .collect();
    if !unread.is_empty() {
        out.notes.push(format!(
            "could not read {} of {given} files: {}",
            unread.len(),
            named(&unread)
        ));
    }
    if !report.errors.is_empty() {
        out.notes
            .push(format!("reported {} internal errors", report.errors.len()));
    }
    Ok(out)
}

/// Opens the report. The tool chose what is at this path: a link is not followed, and a pipe or a device is not waited for.
fn opened(path: &Path) -> io::Result<Option<File>> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if file.metadata()?.is_file() {
        Ok(Some(file))
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}
