//! The report of detect-secrets. It holds an unsalted digest of each secret, from which a short one can be guessed: the
//! digest is not read.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Parsed, json, place};
use crate::catalogue::Tool;
use crate::run::ToolFinding;
use crate::view::View;

#[derive(Deserialize)]
struct Report {
    version: String,
    plugins_used: Vec<Plugin>,
    results: BTreeMap<String, Vec<Found>>,
}

#[derive(Deserialize)]
struct Plugin {
    #[serde(rename = "name")]
    _name: String,
}

#[derive(Deserialize)]
struct Found {
    #[serde(rename = "type")]
    kind: String,
    line_number: u32,
}

/// Characters of a rule.
const RULE_CHARS_MAX: usize = 60;

pub(super) fn read(tool: &Tool, view: &View, stdout: &[u8]) -> Result<Parsed, String> {
    let report: Report = json(stdout)?;
    // The report names files with findings only, so what shows that it looked is that it names its detectors.
    if report.version != tool.version() || report.plugins_used.is_empty() {
        return Err("the report is of another version or names no detectors".to_owned());
    }
    let mut out = Parsed::default();
    for (named, found) in report.results {
        for found in found {
            let file = place(tool, view, &named, found.line_number)?;
            out.findings.push(ToolFinding {
                file: file.to_owned(),
                line: found.line_number,
                column: 1,
                end_line: found.line_number,
                rule: rule(&found.kind),
                severity: None,
                confidence: None,
                detail: None,
            });
        }
    }
    Ok(out)
}

/// A type such as `AWS Access Key` as a rule: `aws-access-key`.
fn rule(kind: &str) -> String {
    let words: Vec<String> = kind
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-").chars().take(RULE_CHARS_MAX).collect()
}
