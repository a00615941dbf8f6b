//! Which claim rests on what: every obligation of every system, with its evidence and the entry that recorded it.

use engine_model::{Applies, Evidence, ObligationStatus, ScanResult};
use engine_signing::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The claims of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Matrix {
    /// The scan.
    pub scan: String,
    /// The date for which the law was evaluated.
    pub as_of: String,
    /// The entry of the chain that recorded the scan.
    pub seq: u64,
    /// The digest of that entry.
    #[schemars(with = "String")]
    pub entry: Digest,
    /// The claims, by system and obligation.
    pub claims: Vec<Claim>,
}

/// One obligation of one system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Claim {
    /// The system.
    pub system: String,
    /// `OBL-<number>`.
    pub obligation_id: String,
    /// The provisions.
    pub article: String,
    /// A short title.
    pub title: String,
    /// Whether it applies.
    pub applies: Applies,
    /// From when.
    pub applies_from: Option<String>,
    /// How it stands.
    pub status: ObligationStatus,
    /// Why it applies.
    pub because: String,
    /// What the status rests on.
    pub evidence: Vec<Evidence>,
    /// Ids of the findings about it in this system.
    pub findings: Vec<String>,
}

impl Matrix {
    /// The claims of a scan that an entry of the chain recorded.
    pub fn of(scan: &ScanResult, seq: u64, entry: Digest) -> Self {
        let mut claims = Vec::new();
        for system in &scan.systems {
            for record in &system.obligations {
                let about = |finding: &&engine_model::Finding| {
                    finding.obligation_id.as_ref() == Some(&record.obligation_id)
                        && finding.system.as_ref() == Some(&system.id)
                };
                claims.push(Claim {
                    system: system.id.clone(),
                    obligation_id: record.obligation_id.clone(),
                    article: record.article.clone(),
                    title: record.title.clone(),
                    applies: record.applies,
                    applies_from: record.applies_from.map(|date| date.to_string()),
                    status: record.status,
                    because: record.because.clone(),
                    evidence: record.evidence.clone(),
                    findings: scan.findings.iter().filter(about).map(|f| f.id.clone()).collect(),
                });
            }
        }
        claims.sort_by(|a, b| (&a.system, &a.obligation_id).cmp(&(&b.system, &b.obligation_id)));
        Self {
            scan: scan.id.clone(),
            as_of: scan.as_of.to_string(),
            seq,
            entry,
            claims,
        }
    }

    /// The matrix as JSON.
    ///
    /// # Errors
    ///
    /// What the writer of JSON answers.
    pub fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The matrix as a table (RFC 4180): one line for each piece of evidence, one for a claim without any.
    pub fn csv(&self) -> String {
        let mut text = row(&[
            "system",
            "obligation",
            "article",
            "title",
            "applies",
            "applies_from",
            "status",
            "evidence_kind",
            "evidence_ref",
            "file",
            "line",
            "file_blake3",
            "scan",
            "chain_seq",
        ]);
        let seq = self.seq.to_string();
        for claim in &self.claims {
            let mut line = |evidence: Option<&Evidence>| {
                let number = evidence.and_then(|evidence| evidence.line).map(|line| line.to_string());
                let kind = evidence.map(|evidence| word(&evidence.kind)).unwrap_or_default();
                text.push_str(&row(&[
                    &claim.system,
                    &claim.obligation_id,
                    &claim.article,
                    &claim.title,
                    &word(&claim.applies),
                    claim.applies_from.as_deref().unwrap_or_default(),
                    &word(&claim.status),
                    &kind,
                    evidence.map(|evidence| evidence.reference.as_str()).unwrap_or_default(),
                    evidence
                        .and_then(|evidence| evidence.file.as_deref())
                        .unwrap_or_default(),
                    number.as_deref().unwrap_or_default(),
                    evidence
                        .and_then(|evidence| evidence.hash.as_deref())
                        .unwrap_or_default(),
                    &self.scan,
                    &seq,
                ]));
            };
            if claim.evidence.is_empty() {
                line(None);
            }
            for evidence in &claim.evidence {
                line(Some(evidence));
            }
        }
        text
    }
}

/// The name of a value on the wire.
fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    cells.join(",") + "\r\n"
}

/// A cell that no spreadsheet takes for a formula, whatever a scanned project has put into it.
pub(crate) fn cell(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .replace('"', "\"\"");
    // Some programs look behind spaces and take the wide forms of these signs as well.
    let formula = text.trim_start().starts_with([
        '=', '+', '-', '@', '|', '%', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]);
    let guard = if formula { "'" } else { "" };
    format!("\"{guard}{text}\"")
}
