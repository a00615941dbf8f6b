//! The report: one model of blocks, written as PDF, as Markdown and as a shared page.
//!
//! Everything in it comes from a result, from what is kept beside it, and from fixed sentences in the language of the reader. The same
//! facts always give the same blocks.

mod authority;
mod cover;
mod duties;
mod evidence;
mod findings;
mod live;
mod markdown;
mod method;
mod questions;
mod summary;
mod systems;
mod words;

use engine_messages::{Language, Messages};
use engine_model::ScanResult;
use engine_pdf::{Block, Document, Heading, Span};
use engine_regulation::JurisdictionRecord;

use crate::foreign::clean_paragraph;
use crate::share_page::ShareKind;
use crate::view::View;

pub use markdown::report_markdown;

pub(crate) use markdown::symbol;

/// How much a report holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// Everything.
    #[default]
    Full,
    /// What a reader needs first: no code, no passports, no list of questions.
    Short,
}

/// Everything that a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct ReportFacts<'a> {
    /// The result.
    pub scan: &'a ScanResult,
    /// The language of headings and fixed sentences.
    pub language: Language,
    /// How much it holds.
    pub edition: Edition,
    /// The organisation, as a person named it.
    pub organisation: Option<&'a str>,
    /// The member state whose authorities are named.
    pub jurisdiction: Option<&'a JurisdictionRecord>,
    /// The digest of the result, in hex.
    pub digest: &'a str,
    /// Evaluations of live endpoints, the newest first.
    pub evaluations: &'a [EvaluationFacts],
    /// Passports of agents.
    pub passports: &'a [PassportFacts],
    /// The state of the evidence chain before this report; none where there is no chain.
    pub evidence: Option<&'a EvidenceFacts>,
}

/// An evaluation of a live endpoint in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluationFacts {
    /// The address of the target.
    pub target: String,
    /// When, as RFC 3339.
    pub timestamp: String,
    /// Probes that passed.
    pub passed: u64,
    /// Probes that failed.
    pub failed: u64,
    /// Probes without a verdict.
    pub without_verdict: u64,
    /// The score, if there are enough verdicts.
    pub score: Option<f64>,
    /// Whether every probe was run.
    pub complete: bool,
    /// Results by category.
    pub categories: Vec<CategoryFacts>,
}

/// A category of an evaluation in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CategoryFacts {
    /// Its name.
    pub name: String,
    /// Probes that passed.
    pub passed: u64,
    /// Probes that failed.
    pub failed: u64,
    /// The score, if there are enough verdicts.
    pub score: Option<f64>,
    /// The 95 % interval of the pass rate, from 0 to 1.
    pub interval: Option<(f64, f64)>,
}

/// The passport of an agent in short.
#[derive(Clone, Debug, PartialEq)]
pub struct PassportFacts {
    /// The name of the agent.
    pub name: String,
    /// Its level of autonomy, 1 to 5.
    pub autonomy: Option<u64>,
    /// Its class of risk, as the passport says.
    pub risk_class: String,
    /// Share of the required fields that code or a person supplied, 0 to 100.
    pub completeness: f64,
    /// What became of its signature.
    pub signature: SignatureState,
}

/// The state of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureState {
    /// It fits the content and a trusted key.
    Valid,
    /// The content was changed after signing.
    Tampered,
    /// The key is not trusted here.
    UnknownKey,
    /// There is none.
    None,
}

/// The state of the evidence chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvidenceFacts {
    /// Number of entries.
    pub entries: u64,
    /// Time of the last entry, as RFC 3339.
    pub last_entry: String,
    /// Digest of the last entry.
    pub last_hash: String,
    /// The signed head, as a note.
    pub head: String,
    /// The id of the signing key.
    pub key_id: Option<String>,
}

/// The report as a document of blocks.
pub fn report(facts: &ReportFacts<'_>) -> Document {
    let mut page = Page::of(facts);
    page.summary();
    page.systems();
    page.timeline();
    if facts.edition == Edition::Full {
        page.scores();
    }
    page.findings();
    if facts.edition == Edition::Full {
        page.evaluations();
        page.passports();
        page.questions();
    }
    page.authorities();
    page.evidence_chain();
    page.method();
    if facts.edition == Edition::Full {
        page.glossary();
    }
    page.document()
}

/// What is shared of a report, as a document of blocks. Nothing that only concerns the people of the project is in it.
pub fn shared_report(facts: &ReportFacts<'_>, kind: ShareKind) -> Document {
    let mut page = Page::of(facts);
    if kind != ShareKind::Eval {
        page.summary();
        page.systems();
        page.timeline();
        page.scores();
        page.findings();
    }
    if kind != ShareKind::Scan {
        page.evaluations();
    }
    page.authorities();
    page.evidence_chain();
    page.method();
    page.document()
}

/// A report that is being written.
struct Page<'a> {
    facts: &'a ReportFacts<'a>,
    scan: &'a ScanResult,
    view: View<'a>,
    messages: &'static Messages,
    blocks: Vec<Block>,
}

impl<'a> Page<'a> {
    fn of(facts: &'a ReportFacts<'a>) -> Self {
        Self {
            facts,
            scan: facts.scan,
            view: View::of(facts.scan),
            messages: Messages::of(facts.language),
            blocks: Vec::new(),
        }
    }

    fn is_short(&self) -> bool {
        self.facts.edition == Edition::Short
    }

    /// The one door for text of the project: one line, without characters that steer a reader, and without the place of the project.
    fn line(&self, text: &str) -> String {
        let root = self.scan.project_path.trim_end_matches(['/', '\\']);
        // A share names the project by its folder alone, and that name may be part of other names.
        if root.len() > 1 && root.contains(['/', '\\']) && text.contains(root) {
            clean_paragraph(&text.replace(root, ".")).into_owned()
        } else {
            clean_paragraph(text).into_owned()
        }
    }

    /// The same as spans: what stands between backticks is code.
    fn spans(&self, text: &str) -> Vec<Span> {
        let text = self.line(text);
        let parts: Vec<&str> = text.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return vec![Span::Text(text)];
        }
        parts
            .iter()
            .enumerate()
            .filter(|(_, part)| !part.is_empty())
            .map(|(index, part)| {
                if index % 2 == 1 {
                    Span::code(*part)
                } else {
                    Span::text(*part)
                }
            })
            .collect()
    }

    fn heading(&mut self, level: u8, text: impl Into<String>) {
        let text = text.into();
        self.blocks.push(Block::Heading(Heading { level, text }));
    }

    fn paragraph(&mut self, text: &str) {
        let spans = self.spans(text);
        self.blocks.push(Block::Paragraph(spans));
    }
}
