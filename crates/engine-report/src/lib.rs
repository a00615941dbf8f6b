//! Scan results for people and tools: text, Markdown, SARIF, Code Quality, `JUnit`.
//!
//! Everything here is pure: a [`ScanResult`] goes in, characters come out, and the same result always gives the same
//! bytes. What stems from the scanned project is foreign text, and each format has one door through which it passes:
//! the terminal drops control characters, Markdown and XML escape, SARIF encodes paths.

mod actions;
mod assessment;
mod badge;
mod code_quality;
mod compliance_md;
mod external;
mod foreign;
mod full;
mod junit;
mod markdown;
mod markup;
mod sarif;
mod sentences;
mod share_page;
mod terminal;
mod text;
mod view;

#[cfg(test)]
mod tests;

use engine_model::{Action, ScanResult};

pub use crate::assessment::{needs_assessment, not_assessed};
pub use crate::badge::{BADGE_DAYS, Badge, badge};
pub use crate::compliance_md::{COMPLIANCE_MD_MARK, compliance_md};
pub use crate::full::{
    CategoryFacts, Edition, EvaluationFacts, EvidenceFacts, PassportFacts, ReportFacts, SignatureState, report,
    report_markdown, shared_report,
};
pub use crate::share_page::{ShareFacts, ShareKind, report_page, share_page};

use crate::terminal::{Span, Style, Terminal};

/// How the text report is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether severities and headings carry ANSI colours.
    pub colour: bool,
    /// Columns at which prose is wrapped, at least 40; a path with its line is never broken, so that it stays clickable.
    pub width: usize,
    /// Whether everything is shown with its reasons; otherwise at most 60 lines.
    pub verbose: bool,
    /// Put before the paths of files, so that they can be opened from where the reader stands.
    pub path_prefix: Option<String>,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            colour: false,
            width: 100,
            verbose: false,
            path_prefix: None,
        }
    }
}

/// What to do about a result, in the order in which a person should act: fix now, duties in force, decisions, preparations.
pub fn actions(scan: &ScanResult) -> Vec<Action> {
    actions::actions(scan)
}

/// The result as a person wants to read it in a terminal.
pub fn text(scan: &ScanResult, options: &TextOptions) -> String {
    text::render(scan, options)
}

/// A paragraph for a terminal: its first line is indented by `first` columns, the lines after it by `hang`.
///
/// It is wrapped at the width of the options and never cut. Control characters in it are dropped, so that text from a
/// project is safe to print.
pub fn paragraph(text: &str, first: usize, hang: usize, bold: bool, options: &TextOptions) -> String {
    let style = if bold { Style::Bold } else { Style::Plain };
    let spans: Vec<Span<'_>> = text.split_inclusive(' ').map(|word| (style, word)).collect();
    let mut out = Terminal::new(options.colour, options.width);
    out.line(first, hang, &spans);
    out.finish()
}

/// The result as GitHub-flavoured Markdown, for a comment on a pull request or a file.
///
/// Long lists are cut and say so, because a comment holds 65,536 characters.
pub fn markdown(scan: &ScanResult) -> String {
    markdown::render(scan)
}

/// The result as a SARIF 2.1.0 log with one run, without times, so that equal results are equal bytes.
pub fn sarif(scan: &ScanResult) -> serde_json::Value {
    sarif::render(scan)
}

/// Adds to a SARIF log the fixes of findings, by the id of the finding. Each value is the list that SARIF 2.1.0 calls `fixes` (3.55).
pub fn add_sarif_fixes<S: std::hash::BuildHasher>(
    log: &mut serde_json::Value,
    fixes: &std::collections::HashMap<String, serde_json::Value, S>,
) {
    sarif::add_fixes(log, |id| fixes.get(id).cloned());
}

/// The address of a file in a SARIF log.
pub fn sarif_artifact(path: &str) -> serde_json::Value {
    sarif::artifact(path)
}

/// SARIF 2.1.0 of a result beside an earlier one of the same project: each result says whether it is new, updated, as it was or gone
/// (`baselineState`).
#[must_use]
pub fn sarif_against(before: &ScanResult, scan: &ScanResult) -> serde_json::Value {
    sarif::render_against(before, scan)
}

/// The open gaps as a Code Quality report of GitLab: a JSON list with fingerprints that survive moved lines.
pub fn code_quality(scan: &ScanResult) -> serde_json::Value {
    code_quality::render(scan)
}

/// The obligations of every system as test cases in `JUnit` XML: a gap fails, evidence passes, anything else is skipped
/// with its reason.
pub fn junit(scan: &ScanResult) -> String {
    junit::render(scan)
}
