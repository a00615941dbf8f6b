//! The comparison of a project with its last stored scan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use engine_model::{ErrorCode, Failure, Finding, FindingType, ScanDiffResult, ScanResult};

use crate::requests::ScanDiffRequest;
use crate::scan::{Running, ScanHooks, let_go, milliseconds};
use crate::{Engine, gate, project};

/// Findings named in the comment for a pull request.
const COMMENT_FINDINGS_MAX: usize = 20;

/// A comparison with the results that were compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What differs.
    pub diff: ScanDiffResult,
    /// The project as it was.
    pub before: Arc<ScanResult>,
    /// The project as it is.
    pub after: ScanResult,
}

/// What a project is compared with.
enum Base<'r> {
    Stored(Arc<ScanResult>),
    Revision(&'r str),
}

impl Engine {
    /// Scans a project and compares it with its last stored scan; nothing is kept.
    pub fn scan_diff(&self, request: &ScanDiffRequest) -> Result<ScanDiffResult, Failure> {
        self.scan_diff_with(request, &ScanHooks::default())
    }

    /// The same, with a way to end it.
    pub fn scan_diff_with(&self, request: &ScanDiffRequest, hooks: &ScanHooks<'_>) -> Result<ScanDiffResult, Failure> {
        let Compared { diff, before, after } = self.compared(request, hooks)?;
        let_go((before, after));
        Ok(diff)
    }

    /// The comparison with both results, for reports that show more than what differs.
    pub fn compared(&self, request: &ScanDiffRequest, hooks: &ScanHooks<'_>) -> Result<Compared, Failure> {
        let started = Instant::now();
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(request.path.as_deref())?;
        let changed = changed_files(request.changed_files.as_deref())?;
        let base = match &request.base_ref {
            Some(spec) => Base::Revision(spec),
            None => Base::Stored(state.last_scan()?.ok_or_else(|| {
                Failure::new(
                    ErrorCode::NoScanYet,
                    "no stored scan to compare with; run POST /scan for this project first, or give a revision as `baseRef`",
                )
            })?),
        };
        let as_of = request.as_of.or(match &base {
            Base::Stored(before) => Some(before.as_of),
            Base::Revision(_) => None,
        });
        let settings = self.settings(&state, as_of, None, None)?;
        let quick = match &changed {
            Some(changed) => self.run_changed(&state, &settings, changed, hooks)?,
            None => None,
        };
        let after = match quick {
            Some(after) => after,
            None => self.run(&state, &settings, hooks)?,
        };
        let before = match base {
            Base::Stored(before) => before,
            Base::Revision(spec) => Arc::new(self.run_revision(&state, &settings, spec, hooks)?),
        };
        let mut diff = compare(&before, &after, changed.as_ref());
        if request.markdown == Some(true) {
            diff.markdown = Some(comment(&diff));
        }
        diff.elapsed = milliseconds(started);
        Ok(Compared { diff, before, after })
    }
}

fn changed_files(files: Option<&[String]>) -> Result<Option<BTreeSet<String>>, Failure> {
    let Some(files) = files else { return Ok(None) };
    files
        .iter()
        .enumerate()
        .map(|(index, path)| {
            project::relative(path).map_err(|why| {
                Failure::new(
                    ErrorCode::InvalidRequest,
                    format!("`{path}` in the list of changed files is not valid: {why}"),
                )
                .field(format!("changedFiles.{index}"))
            })
        })
        .collect::<Result<BTreeSet<_>, _>>()
        .map(Some)
}

/// Compares two scans by the fingerprints of their findings.
fn compare(before: &ScanResult, after: &ScanResult, changed: Option<&BTreeSet<String>>) -> ScanDiffResult {
    let counts = |finding: &&Finding| {
        changed.is_none_or(|changed| finding.file.as_ref().is_none_or(|file| changed.contains(file)))
    };
    // A side without external tools cannot show their findings, so they are neither new nor resolved.
    let comparable = before.tools.is_empty() == after.tools.is_empty();
    let counts = |finding: &&Finding| counts(finding) && (comparable || !finding.check_id.starts_with("ext-"));
    let old: BTreeMap<&str, &Finding> = before.findings.iter().map(|f| (f.id.as_str(), f)).collect();
    let new: BTreeMap<&str, &Finding> = after.findings.iter().map(|f| (f.id.as_str(), f)).collect();
    let added: Vec<Finding> = after
        .findings
        .iter()
        .filter(counts)
        .filter(|f| !old.contains_key(f.id.as_str()))
        .cloned()
        .collect();
    let removed: Vec<Finding> = before
        .findings
        .iter()
        .filter(counts)
        .filter(|f| !new.contains_key(f.id.as_str()))
        .cloned()
        .collect();
    let both = || {
        after
            .findings
            .iter()
            .filter(counts)
            .filter_map(|f| old.get(f.id.as_str()).map(|old| (*old, f)))
    };
    let changed_findings: Vec<Finding> = both()
        .filter(|(old, new)| differs(old, new))
        .map(|(_, new)| new.clone())
        .collect();
    let unchanged_count = both().filter(|(old, new)| !differs(old, new)).count() as u64;
    let (score_before, score_after) = (before.score.compliance, after.score.compliance);
    let worse = added.iter().any(|f| gate::is_open(f) && f.baseline.is_none());
    ScanDiffResult {
        baseline: before.id.clone(),
        new_findings: added.clone(),
        resolved_findings: removed.clone(),
        added,
        removed,
        changed: changed_findings,
        score_delta: ((score_after - score_before) * 10.0).round() / 10.0,
        score_before,
        score_after,
        unchanged_count,
        has_regression: worse || score_after < score_before,
        markdown: None,
        elapsed: 0.0,
    }
}

/// Whether a finding says or weighs something else; a moved line alone is the same finding.
fn differs(old: &Finding, new: &Finding) -> bool {
    old.kind != new.kind
        || old.severity != new.severity
        || old.confidence != new.confidence
        || old.message != new.message
        || old.suppressed != new.suppressed
}

/// The comment for a pull request.
fn comment(diff: &ScanDiffResult) -> String {
    let verdict = if diff.has_regression {
        "regression found"
    } else {
        "no new gaps"
    };
    let mut out = format!(
        "### EU AI Act, self-assessed: {verdict}\n\nScore {} → {} ({:+}). {} new, {} resolved, {} changed, {} unchanged.\n",
        diff.score_before,
        diff.score_after,
        diff.score_delta,
        diff.added.len(),
        diff.removed.len(),
        diff.changed.len(),
        diff.unchanged_count
    );
    section(&mut out, "New", &diff.added);
    section(&mut out, "Changed", &diff.changed);
    section(&mut out, "Resolved", &diff.removed);
    out
}

fn section(out: &mut String, title: &str, findings: &[Finding]) {
    let gaps: Vec<&Finding> = findings.iter().filter(|f| f.kind == FindingType::Fail).collect();
    if gaps.is_empty() {
        return;
    }
    out.push_str("\n**");
    out.push_str(title);
    out.push_str("**\n\n");
    for finding in gaps.iter().take(COMMENT_FINDINGS_MAX) {
        let place = finding.file.as_ref().map_or_else(String::new, |file| {
            format!(
                " `{}{}`",
                file.replace('`', "'"),
                finding.line.map(|line| format!(":{line}")).unwrap_or_default()
            )
        });
        let article = finding
            .explanation
            .as_ref()
            .map(|e| format!(" ({})", e.article))
            .unwrap_or_default();
        let line = format!(
            "- **{}** {}{article}{place}\n",
            finding.severity.name(),
            plain(&finding.message)
        );
        out.push_str(&line);
    }
    if gaps.len() > COMMENT_FINDINGS_MAX {
        let line = format!("- and {} more\n", gaps.len() - COMMENT_FINDINGS_MAX);
        out.push_str(&line);
    }
}

/// Text from foreign code must not become markup in somebody's pull request.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;").replace(['\n', '\r'], " ")
}
