//! The result of checking a package, for programs and for people.

use std::fmt::Write as _;

use engine_evidence::{Report, Verdict};
use engine_package::ArchiveError;
use serde::Serialize;

/// Faults that are listed in full.
const FAULTS_SHOWN: usize = 200;

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The archive is damaged or not written as packages are.
    Archive,
    /// The manifest cannot be read or does not fit.
    Manifest,
    /// A file differs from the manifest, is missing, or is not listed in it.
    File,
    /// The signed statement does not fit.
    Statement,
    /// A key is missing, does not fit, or is not trusted.
    Key,
    /// An entry of the chain, or its head.
    Chain,
    /// The result of the scan is not the one that was recorded.
    Scan,
    /// The score does not follow from the findings.
    Score,
    /// The matrix does not follow from the scan.
    Matrix,
    /// A document is not the one that was recorded.
    Document,
    /// A passport's signature does not fit.
    Passport,
    /// An evaluation is not the one that was recorded.
    Eval,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// What kind of thing.
    pub kind: FaultKind,
    /// The verdict that it leads to.
    pub verdict: Verdict,
    /// The file that it is about.
    pub file: Option<String>,
    /// The entry that it is about.
    pub seq: Option<u64>,
    /// In words.
    pub message: String,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Nothing was wrong.
    Passed,
    /// Something was.
    Failed,
    /// There was nothing to check, or no way to.
    NotChecked,
}

/// One check that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was checked.
    pub name: &'static str,
    /// How it ended.
    pub outcome: CheckOutcome,
    /// In words.
    pub detail: String,
}

/// The result of checking a package.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Whether it can be relied on: `valid`, or `first_use` with nothing wrong.
    pub valid: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// The entry of the chain where it starts.
    pub broken_at: Option<u64>,
    /// The name of the chain.
    pub chain: Option<String>,
    /// Entries of the chain.
    pub entries: u64,
    /// Time of the newest entry.
    pub newest_entry: Option<String>,
    /// The scan in the package.
    pub scan: Option<String>,
    /// The short name of the key that signed the package.
    pub signer: Option<String>,
    /// That key, in base64, to be compared with its owner.
    pub public_key: Option<String>,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// What is wrong, the gravest first; long lists are cut.
    pub faults: Vec<Fault>,
    /// Notices: information without a fault.
    pub notices: Vec<String>,
    /// The verdict on the chain alone.
    pub chain_report: Option<Report>,
}

impl Outcome {
    /// The outcome of a package whose archive cannot be read to its end.
    pub(crate) fn broken(error: &ArchiveError) -> Self {
        let verdict = match error {
            ArchiveError::Form(_) => Verdict::Tampered,
            _ => Verdict::Corrupt,
        };
        Self {
            valid: false,
            verdict,
            broken_at: None,
            chain: None,
            entries: 0,
            newest_entry: None,
            scan: None,
            signer: None,
            public_key: None,
            checks: vec![Check {
                name: "archive",
                outcome: CheckOutcome::Failed,
                detail: "no other check was made".to_owned(),
            }],
            faults: vec![Fault {
                kind: FaultKind::Archive,
                verdict,
                file: None,
                seq: None,
                message: error.to_string(),
            }],
            notices: Vec::new(),
            chain_report: None,
        }
    }

    /// Sorts faults, cuts long lists, and settles the verdict.
    pub(crate) fn settle(&mut self, best: Verdict) {
        self.verdict = self.faults.iter().map(|fault| fault.verdict).max().unwrap_or(best);
        self.valid = self.faults.is_empty();
        self.broken_at = self
            .faults
            .iter()
            .filter(|fault| fault.verdict == self.verdict)
            .filter_map(|fault| fault.seq)
            .min();
        self.faults
            .sort_by(|a, b| (b.verdict, a.kind, a.seq, &a.file).cmp(&(a.verdict, b.kind, b.seq, &b.file)));
        if self.faults.len() > FAULTS_SHOWN {
            self.notices.push(format!(
                "{} more faults are not shown",
                self.faults.len() - FAULTS_SHOWN
            ));
            self.faults.truncate(FAULTS_SHOWN);
        }
    }

    /// The outcome for a person. Nothing of the package's own text can move the cursor of a terminal.
    pub fn text(&self) -> String {
        let headline = match self.verdict {
            Verdict::Valid => "VALID: no fault found; a key or head that you know vouches for the package",
            Verdict::FirstUse => {
                "WHOLE, KEY NOT KNOWN: no fault found, but you gave no key or head that vouches for the signer"
            }
            Verdict::RolledBack => "ROLLED BACK: the chain is an older copy than the one seen before",
            Verdict::Truncated => "TRUNCATED: entries at the end of the chain are missing",
            Verdict::ForeignKey => "FOREIGN KEY: signed by a key that no trusted key vouches for",
            Verdict::Missing => "MISSING: entries or files are missing",
            Verdict::Reordered => "REORDERED: the order of the entries was changed",
            Verdict::Tampered => "TAMPERED: content was changed afterwards",
            Verdict::Corrupt => "CORRUPT: could not read the package or a part of it",
        };
        let mut text = format!("{headline}\n");
        let mut line = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                // Writing into a string cannot fail.
                let _ = writeln!(text, "{name:<10} {}", plain(value));
            }
        };
        line("chain", self.chain.as_deref());
        line("entries", Some(&self.entries.to_string()));
        line("newest", self.newest_entry.as_deref());
        line("scan", self.scan.as_deref());
        line("signed by", self.signer.as_deref());
        line("key", self.public_key.as_deref());
        line("starts at", self.broken_at.map(|seq| format!("entry {seq}")).as_deref());
        text.push('\n');
        for check in &self.checks {
            let mark = match check.outcome {
                CheckOutcome::Passed => "ok  ",
                CheckOutcome::Failed => "FAIL",
                CheckOutcome::NotChecked => "-   ",
            };
            let _ = writeln!(text, "{mark} {:<10} {}", check.name, plain(&check.detail));
        }
        for fault in &self.faults {
            let place = fault
                .file
                .as_deref()
                .map(|file| format!("{file}: "))
                .unwrap_or_default();
            let _ = writeln!(text, "fault: {}{}", plain(&place), plain(&fault.message));
        }
        for notice in &self.notices {
            let _ = writeln!(text, "note: {}", plain(notice));
        }
        text
    }
}

fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
            if c.is_control() || turns { '\u{fffd}' } else { c }
        })
        .collect()
}
