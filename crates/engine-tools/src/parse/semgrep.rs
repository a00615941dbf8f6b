//! The report of semgrep.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{Parsed, json, name, named, place, severity};
use crate::catalogue::Tool;
use crate::run::ToolFinding;
use crate::view::View;

#[derive(Deserialize)]
struct Report {
    results: Vec<Found>,
    errors: Vec<Value>,
    paths: Paths,
}

#[derive(Deserialize)]
struct Paths {
    scanned: Vec<String>,
}

#[derive(Deserialize)]
struct Found {
    check_id: String,
    path: String,
    start: Spot,
    end: Spot,
    extra: Extra,
}

#[derive(Deserialize)]
struct Spot {
    line: u32,
    col: u32,
}

#[derive(Deserialize)]
struct Extra {
    severity: String,
}

pub(super) fn read(tool: &Tool, view: &View, stdout: &[u8]) -> Result<Parsed, String> {
    let report: Report = json(stdout)?;
    let scanned: BTreeSet<&str> = report
        .paths
        .scanned
        .iter()
        .filter_map(|path| view.entry(tool, path))
        .filter(|entry| tool.reads(&entry.ending))
        .map(|entry| entry.path.as_str())
        .collect();
    let given = view.count(tool);
    if scanned.is_empty() {
        return Err(format!("the report covers none of {given} files"));
    }
    let mut out = Parsed::default();
    for found in report.results {
        let file = place(tool, view, &found.path, found.start.line)?;
        // The id begins with the folder of the rules, where one is named.
        let rule = found.check_id.rsplit('.').next().unwrap_or(&found.check_id);
        out.findings.push(ToolFinding {
            file: file.to_owned(),
            line: found.start.line,
            column: found.start.col.max(1),
            end_line: found.end.line.max(found.start.line),
            rule: name(rule),
            severity: severity(&found.extra.severity),
            confidence: None,
            detail: None,
        });
    }
    let covered = scanned.len() as u64;
    if covered < given {
        out.notes.push(format!("read {covered} of {given} files"));
    }
    let troubled: BTreeSet<&str> = report
        .errors
        .iter()
        .filter_map(|error| view.entry(tool, error.get("path")?.as_str()?))
        .map(|entry| entry.path.as_str())
        .collect();
    let troubled: Vec<&str> = troubled.into_iter().collect();
    if !troubled.is_empty() {
        out.notes.push(format!(
            "could not read {} files whole: {}",
            troubled.len(),
            named(&troubled)
        ));
    } else if !report.errors.is_empty() {
        out.notes
            .push(format!("reported {} internal errors", report.errors.len()));
    }
    Ok(out)
}
