//! Which claim rests on what: every obligation of every system, with its evidence and the entry that recorded it, and what
//! evaluations of endpoints showed.

use std::collections::BTreeSet;

use engine_model::{Applies, Evidence, ObligationStatus, ScanResult};
use engine_signing::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evals::EvalIndexed;

/// The claims of a scan, and the results of evaluations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Matrix {
    /// The id of the scan; `null` if the package contains no scan.
    pub scan: Option<String>,
    /// The date for which the law was evaluated.
    pub as_of: Option<String>,
    /// The entry of the chain that recorded the scan.
    pub seq: Option<u64>,
    /// The digest of that entry.
    #[schemars(with = "Option<String>")]
    pub entry: Option<Digest>,
    /// The claims, by system and obligation.
    pub claims: Vec<Claim>,
    /// The results of evaluations, by entry and category.
    pub evaluations: Vec<Evaluated>,
}

/// The result of one category of an evaluation or a red-team run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evaluated {
    /// The id that claims refer to: `run/category`.
    pub id: String,
    /// `eval` or `redteam`.
    pub kind: String,
    /// The address of the endpoint.
    pub target: String,
    /// The title of the category.
    pub title: String,
    /// The provisions for which it is evidence.
    pub articles: Vec<String>,
    /// The result in words.
    pub result: String,
    /// The entry of the chain that recorded the run.
    pub seq: u64,
    /// The path of the result in the package.
    pub file: String,
    /// The digest of that file.
    pub blake3: String,
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
    /// The date from which it applies.
    pub applies_from: Option<String>,
    /// The status of the obligation.
    pub status: ObligationStatus,
    /// The reason why it applies.
    pub because: String,
    /// The evidence for the status.
    pub evidence: Vec<Evidence>,
    /// Ids of the findings about it in this system.
    pub findings: Vec<String>,
    /// Results of evaluations for the same articles; they do not change the status.
    pub evaluations: Vec<String>,
}

/// The numbers of articles that a text names, such as `15` for `Art. 15(1)` and for `15(1)`; a letter belongs to the number.
fn articles(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in text.split([',', ';']) {
        let part = part.trim();
        let part = part.strip_prefix("Art. ").unwrap_or(part);
        let number: String = part.chars().take_while(char::is_ascii_alphanumeric).collect();
        if number.starts_with(|c: char| c.is_ascii_digit()) {
            found.insert(number);
        }
    }
    found
}

impl Matrix {
    /// The same with what evaluations showed: their records, each with its result as it lies in the package.
    #[must_use]
    pub fn with_evaluations(mut self, runs: &[(&EvalIndexed, &Value)]) -> Self {
        for (record, result) in runs {
            let (Some(file), Some(blake3)) = (&record.file, &record.blake3) else {
                continue;
            };
            let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
            let categories = result["categories"].as_object();
            for (category, counted) in categories.into_iter().flatten() {
                let named = counted["articles"].as_array();
                self.evaluations.push(Evaluated {
                    id: format!("{}/{category}", record.run),
                    kind: record.kind.clone(),
                    target: text(result, "target"),
                    title: counted["title"].as_str().unwrap_or(category).to_owned(),
                    articles: named
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str)
                        .map(str::to_owned)
                        .collect(),
                    result: in_words(&record.kind, counted),
                    seq: record.seq,
                    file: file.clone(),
                    blake3: blake3.to_string(),
                });
            }
        }
        for claim in &mut self.claims {
            let about = articles(&claim.article);
            let same = |one: &&Evaluated| one.articles.iter().any(|named| !articles(named).is_disjoint(&about));
            claim.evaluations = self.evaluations.iter().filter(same).map(|one| one.id.clone()).collect();
        }
        self
    }

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
                    evaluations: Vec::new(),
                });
            }
        }
        claims.sort_by(|a, b| (&a.system, &a.obligation_id).cmp(&(&b.system, &b.obligation_id)));
        Self {
            scan: Some(scan.id.clone()),
            as_of: Some(scan.as_of.to_string()),
            seq: Some(seq),
            entry: Some(entry),
            claims,
            evaluations: Vec::new(),
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

    /// The matrix as a table (RFC 4180): one line for each piece of evidence, one for a claim without any, and one for each
    /// category of an evaluation.
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
        let seq = self.seq.map(|seq| seq.to_string()).unwrap_or_default();
        let scan = self.scan.as_deref().unwrap_or_default();
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
                    scan,
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
        for one in &self.evaluations {
            let articles: Vec<String> = one.articles.iter().map(|named| format!("Art. {named}")).collect();
            text.push_str(&row(&[
                "",
                "",
                &articles.join(", "),
                &one.title,
                "",
                "",
                "",
                &one.kind,
                &format!("{}: {}", one.id, one.result),
                &one.file,
                "",
                &one.blake3,
                "",
                &one.seq.to_string(),
            ]));
        }
        text
    }
}

/// What a category came to.
fn in_words(kind: &str, counted: &Value) -> String {
    let number = |name: &str| counted[name].as_u64().unwrap_or_default();
    if kind == "redteam" {
        return format!("{} of {} attacks worked", number("successes"), number("attempts"));
    }
    let passed = format!("{} of {} probes passed", number("passed"), number("total"));
    match counted["score"].as_f64() {
        Some(score) => format!("{passed}, score {score:.1}"),
        None => format!("{passed}, no score"),
    }
}

/// The name of a value on the wire.
fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
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
