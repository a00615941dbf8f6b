//! The report of bandit.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Parsed, confidence, json, name, named, place, severity};
use crate::catalogue::Tool;
use crate::run::ToolFinding;
use crate::view::View;

#[derive(Deserialize)]
struct Report {
    errors: Vec<Unread>,
    metrics: BTreeMap<String, Value>,
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Unread {
    filename: String,
}

#[derive(Deserialize)]
struct Found {
    filename: String,
    line_number: u32,
    #[serde(default)]
    col_offset: i64,
    #[serde(default)]
    line_range: Vec<u32>,
    test_id: String,
    issue_severity: String,
    issue_confidence: String,
}

pub(super) fn read(tool: &Tool, view: &View, stdout: &[u8]) -> Result<Parsed, String> {
    let report: Report = json(stdout)?;
    let looked_at = report.metrics.keys().filter(|key| *key != "_totals");
    let seen = looked_at.filter(|key| view.entry(tool, key).is_some()).count() as u64;
    let given = view.count(tool);
    if seen < given {
        return Err(format!("the report covers {seen} of {given} files"));
    }
    let mut out = Parsed::default();
    for found in report.results {
        let file = place(tool, view, &found.filename, found.line_number)?;
        out.findings.push(ToolFinding {
            file: file.to_owned(),
            line: found.line_number,
            column: u32::try_from(found.col_offset.max(0)).unwrap_or(0).saturating_add(1),
            end_line: found.line_range.into_iter().max().unwrap_or(0).max(found.line_number),
            rule: name(&found.test_id),
            severity: severity(&found.issue_severity),
            confidence: confidence(&found.issue_confidence),
            detail: None,
        });
    }
    let unread: Vec<&str> = report
        .errors
        .iter()
        .filter_map(|error| view.entry(tool, &error.filename))
        .map(|entry| entry.path.as_str())
        .collect();
    if !unread.is_empty() {
        out.notes.push(format!(
            "could not read {} of {given} files: {}",
            unread.len(),
            named(&unread)
        ));
    }
    Ok(out)
}
