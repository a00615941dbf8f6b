//! Fixes: preview, apply, validate, undo, and their history.
//!
//! A plan is made by `engine-fixer` and judged by a dry evaluation: the files are changed in memory and the project is evaluated again. A
//! plan is offered only if its finding is gone then and no other has come up. The same evaluation gives the score, so that a preview and
//! the scan after the fix agree.

mod apply;
mod batch;
mod dry;
mod history;
mod model;
mod recover;
mod shapes;
mod toolchain;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use engine_fixer::Plan;
use engine_model::{ErrorCode, Failure, Finding, FindingType, nearest};
use engine_scanner::{Evaluation, Settings};
use serde_json::Value;

pub use batch::FixProgress;
pub use shapes::{
    Applied, ApplyAllReply, ApplyAllRequest, ApplySummary, FixAction, FixHistory, FixHistoryEntry, FixHistoryRequest,
    FixItem, FixPlanView, FixPreview, FixPreviewRequest, FixRequest, FixResult, ToolchainCheck, ToolchainStatus,
    UndoReply, UndoRequest, UnfixedFinding, ValidateReply, Validation,
};

use crate::Engine;
use crate::project::ProjectState;
use crate::scan::{Running, ScanHooks, score};
use crate::simulate::tenths;
use batch::Planned;
use dry::{Dry, Overlay};

/// Changes of a model that one `apply-all` asks for.
const MODEL_FIXES_MAX: usize = 20;

/// A plan for one finding, judged.
struct Ready {
    planned: Planned,
    /// Score before and after.
    before: f64,
    after: f64,
    /// Open findings before.
    open_before: BTreeSet<String>,
    /// Open findings of the same check that are left afterwards.
    remaining: u64,
}

/// Marks the findings that a strategy exists for.
pub(crate) fn mark_fixable(findings: &mut [Finding]) {
    for finding in findings {
        finding.fixable = engine_fixer::is_fixable(finding);
    }
}

/// Why the draft of a document is withheld.
const DRAFT_RAISES_SCORE: &str = "the draft would raise the score without an answer of a person, so it is withheld";

/// Whether a finding is a notice about the open questions of a draft that a plan writes.
fn is_about_draft(finding: &Finding, plan: &Plan) -> bool {
    let writes = |file: &str| {
        plan.files
            .iter()
            .any(|change| change.before.is_none() && change.path == file)
    };
    plan.leaves_open && finding.kind == FindingType::Info && finding.file.as_deref().is_some_and(writes)
}

/// Whether a finding is open: neither evidence nor set aside.
fn is_open(finding: &Finding) -> bool {
    finding.kind != FindingType::Pass && finding.suppressed.is_none()
}

/// Ids of the open findings.
fn open_ids(evaluation: &Evaluation) -> BTreeSet<&str> {
    let open = evaluation.findings.iter().filter(|finding| is_open(finding));
    open.map(|finding| finding.id.as_str()).collect()
}

impl Engine {
    /// Plans the fixes of a project and says what each would do. Nothing is changed.
    pub fn preview_fixes(&self, request: &FixPreviewRequest, hooks: &ScanHooks<'_>) -> Result<FixPreview, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(request.path.as_deref())?;
        let check = known_check(request.check_id.as_deref())?;
        let settings = self.settings(&state, request.as_of, None, None)?;
        let dry = self.dry(&state, hooks)?;
        let current = dry.evaluate(&settings);
        let batch = batch::plan_all(&dry, &settings, &current, batch::Wanted::all(check), hooks)?;
        let impacts = batch::impacts(&dry, &settings, &batch.planned, &batch.last);
        let fixes: Vec<FixItem> = batch
            .planned
            .iter()
            .zip(impacts)
            .map(|(planned, impact)| planned.item(impact))
            .collect();
        let changed = fixes.iter().flat_map(|fix| fix.files.iter().map(String::as_str));
        let current_score = score(&current);
        if check.is_none() && request.as_of.is_none() {
            self.remember_preview(&state, &current_score);
        }
        Ok(FixPreview {
            count: fixes.len() as u64,
            current_score: current_score.compliance,
            projected_score: score(&batch.last).compliance,
            warnings: history::uncommitted(&state, changed),
            unfixed_findings: batch.unfixed,
            fixes,
        })
    }

    /// The fixes of a project as SARIF takes them, by the id of the finding. A fix with a secret in its text is left out.
    pub fn sarif_fixes(
        &self,
        path: &str,
        as_of: Option<engine_model::Date>,
        hooks: &ScanHooks<'_>,
    ) -> Result<HashMap<String, Value>, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project(path)?;
        let settings = self.settings(&state, as_of, None, None)?;
        let dry = self.dry(&state, hooks)?;
        let current = dry.evaluate(&settings);
        let batch = batch::plan_all(&dry, &settings, &current, batch::Wanted::all(None), hooks)?;
        Ok(batch
            .planned
            .iter()
            .filter_map(|planned| Some((planned.finding.id.clone(), planned.sarif(&dry)?)))
            .collect())
    }

    /// Plans the fix for one finding. Nothing is changed.
    pub fn preview_fix(&self, request: &FixRequest, hooks: &ScanHooks<'_>) -> Result<FixItem, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(request.path.as_deref())?;
        let (ready, _) = self.ready(&state, request, hooks)?;
        Ok(ready.planned.item(tenths(ready.after - ready.before)))
    }

    /// Applies the fix for one finding and scans what has changed.
    pub fn apply_fix(&self, request: &FixRequest, hooks: &ScanHooks<'_>) -> Result<FixResult, Failure> {
        self.apply_one(request, hooks).map(|(result, ..)| result)
    }

    /// The same, with what the scan says afterwards.
    pub fn apply_and_validate(&self, request: &FixRequest, hooks: &ScanHooks<'_>) -> Result<ValidateReply, Failure> {
        let (result, ready, scan, toolchain) = self.apply_one(request, hooks)?;
        let open: Vec<&str> = scan
            .findings
            .iter()
            .filter(|finding| is_open(finding))
            .map(|finding| finding.id.as_str())
            .collect();
        Ok(ValidateReply {
            validation: Validation {
                score_before: result.score_before,
                score_after: result.score_after,
                finding_resolved: !open.contains(&result.finding_id.as_str()),
                new_findings: open
                    .iter()
                    .filter(|id| !ready.open_before.contains(**id))
                    .map(|id| (*id).to_owned())
                    .collect(),
                toolchain,
            },
            result: Applied {
                applied: result.applied,
                check_id: result.check_id,
                fix_id: result.fix_id,
                files: result.files,
                diff: result.diff,
                evidence_id: result.evidence_id,
            },
        })
    }

    fn apply_one(
        &self,
        request: &FixRequest,
        hooks: &ScanHooks<'_>,
    ) -> Result<(FixResult, Ready, Arc<engine_model::ScanResult>, Vec<ToolchainCheck>), Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(request.path.as_deref())?;
        apply::may_write(&state)?;
        let _one_at_a_time = state.scanning();
        let (ready, dry) = self.ready(&state, request, hooks)?;
        let plan = &ready.planned.plan;
        if let Some(expected) = &request.fix_id
            && *expected != batch::fix_id(plan)
        {
            return Err(Failure::new(
                ErrorCode::StateConflict,
                "the fix is no longer the one of the preview, because the project has changed; preview it again",
            )
            .field("fixId"));
        }
        let toolchain = if request.toolchain == Some(true) {
            toolchain::check(&state, plan)?
        } else {
            Vec::new()
        };
        let warnings = history::uncommitted(&state, plan.files.iter().map(|file| file.path.as_str()));
        let done = self.write_fix(&state, &ready.planned, ready.before)?;
        dry.keep_changes();
        let (scan, mut more) = self.rescan(&state, plan, request.as_of, hooks)?;
        let after = scan.score.compliance;
        Self::remember_score(&state, done.id, after);
        more.extend(warnings);
        let result = history::result(&ready.planned, &done, ready.before, after, ready.remaining, more);
        Ok((result, ready, scan, toolchain))
    }

    /// Applies a change of a model, in the middle of others.
    fn apply_by_model(
        &self,
        state: &Arc<ProjectState>,
        request: &FixRequest,
        hooks: &ScanHooks<'_>,
    ) -> Result<FixResult, Failure> {
        let (ready, dry) = self.ready(state, request, hooks)?;
        let done = self.write_fix(state, &ready.planned, ready.before)?;
        dry.keep_changes();
        let (scan, warnings) = self.rescan(state, &ready.planned.plan, request.as_of, hooks)?;
        let after = scan.score.compliance;
        Self::remember_score(state, done.id, after);
        Ok(history::result(
            &ready.planned,
            &done,
            ready.before,
            after,
            ready.remaining,
            warnings,
        ))
    }

    /// Finds the finding, plans its fix and judges it in memory.
    fn ready(
        &self,
        state: &ProjectState,
        request: &FixRequest,
        hooks: &ScanHooks<'_>,
    ) -> Result<(Ready, Dry), Failure> {
        if request.check_id.is_none() && request.finding_id.is_none() && request.obligation_id.is_none() {
            return Err(Failure::new(
                ErrorCode::InvalidRequest,
                "name what to fix: `checkId`, `findingId` or `obligationId`; GET /fix/preview lists all fixes",
            )
            .field("checkId"));
        }
        known_check(request.check_id.as_deref())?;
        let settings = self.settings(state, request.as_of, None, None)?;
        let dry = self.dry(state, hooks)?;
        let current = dry.evaluate(&settings);
        let wanted: Vec<&Finding> = wanted(&current, request)?;
        let mut why = None;
        for finding in &wanted {
            let tried = self.judge(&dry, &settings, &current, finding, request, state);
            match tried {
                Ok(ready) => return Ok((ready, dry)),
                Err(failure) if failure.code != ErrorCode::Impossible => return Err(failure),
                Err(failure) => {
                    why.get_or_insert(failure);
                }
            }
        }
        Err(why.unwrap_or_else(|| Failure::new(ErrorCode::UnknownFinding, "no finding to fix")))
    }

    fn judge(
        &self,
        dry: &Dry,
        settings: &Settings,
        current: &Evaluation,
        finding: &Finding,
        request: &FixRequest,
        state: &ProjectState,
    ) -> Result<Ready, Failure> {
        let none = Overlay::new();
        let impossible = |why: &str| {
            let place = place(finding);
            Failure::new(
                ErrorCode::Impossible,
                format!("no fix for `{}`{place}: {why}", finding.check_id),
            )
        };
        let by_model = request.use_ai == Some(true);
        let plan = if by_model {
            self.plan_by_model(dry, finding, current, settings.as_of, state)?
        } else {
            dry.plan(finding, current, &none, settings.as_of)
                .map_err(|why| impossible(&why.to_string()))?
        };
        let with = batch::overlay_of(&plan, dry, &none).map_err(|why| impossible(&why.to_string()))?;
        let judged_under = batch::judged_under(settings, std::iter::once(&plan));
        let next = dry.evaluate_with(&with, &judged_under);
        let (before, after) = (open_ids(current), open_ids(&next));
        if plan.leaves_open {
            if score(&next).compliance > score(current).compliance {
                return Err(impossible(DRAFT_RAISES_SCORE));
            }
        } else if after.contains(finding.id.as_str()) {
            return Err(impossible(
                "the finding would still be there after the fix, so it is withheld",
            ));
        }
        if let Some(new) = next
            .findings
            .iter()
            .find(|new| is_open(new) && !before.contains(new.id.as_str()) && !is_about_draft(new, &plan))
        {
            let why = format!(
                "the fix would bring up another finding (`{}`), so it is withheld",
                new.check_id
            );
            return Err(impossible(&why));
        }
        let diff = batch::diff_of(&plan, dry, &none).map_err(|why| impossible(&why.to_string()))?;
        Ok(Ready {
            before: score(current).compliance,
            after: score(&next).compliance,
            open_before: before.iter().map(|id| (*id).to_owned()).collect(),
            remaining: next
                .findings
                .iter()
                .filter(|other| is_open(other) && other.check_id == finding.check_id)
                .count() as u64,
            planned: Planned::alone(plan, finding.clone(), diff, by_model),
        })
    }

    /// Applies all fixes that may be applied unattended, or all there are.
    pub fn apply_all(
        &self,
        request: &ApplyAllRequest,
        progress: &dyn Fn(FixProgress),
        hooks: &ScanHooks<'_>,
    ) -> Result<ApplyAllReply, Failure> {
        let _running = Running::begin(&self.scans)?;
        let path = request.project_path.as_deref().or(request.path.as_deref());
        let state = self.project_or_current(path)?;
        let check = known_check(request.check_id.as_deref())?;
        apply::may_write(&state)?;
        let by_model = request.use_ai == Some(true);
        if by_model {
            self.has_model(&state)?;
        }
        let _one_at_a_time = state.scanning();
        let settings = self.settings(&state, request.as_of, None, None)?;
        let dry = self.dry(&state, hooks)?;
        let current = dry.evaluate(&settings);
        let wanted = if request.guided == Some(true) {
            batch::Wanted::all(check)
        } else {
            batch::Wanted::safe(check)
        };
        let mut batch = batch::plan_all(&dry, &settings, &current, wanted, hooks)?;
        let before = score(&current).compliance;
        let warnings = history::uncommitted(
            &state,
            batch
                .planned
                .iter()
                .flat_map(|planned| planned.plan.files.iter().map(|file| file.path.as_str())),
        );
        progress(FixProgress::Start {
            total: batch.planned.len() as u64,
        });
        let mut results: Vec<FixResult> = Vec::with_capacity(batch.planned.len());
        let mut broken: BTreeSet<&str> = BTreeSet::new();
        let mut changed: Vec<&Plan> = Vec::new();
        for planned in &batch.planned {
            if (hooks.cancel)() {
                break;
            }
            let plan = &planned.plan;
            progress(FixProgress::Applying {
                check_id: plan.check_id.clone(),
                path: plan.file(&planned.finding).to_owned(),
            });
            // A plan rests on those before it in the same file.
            let rests_on_broken = plan.files.iter().any(|file| broken.contains(file.path.as_str()));
            let written = if rests_on_broken {
                Err(Failure::new(
                    ErrorCode::StateConflict,
                    "an earlier fix of the same file failed; run it again",
                ))
            } else {
                self.write_fix(&state, planned, before)
            };
            match written {
                Ok(done) => {
                    changed.push(plan);
                    let result = history::result(planned, &done, before, before, 0, Vec::new());
                    results.push(result.clone());
                    progress(FixProgress::Applied(Box::new(result)));
                }
                Err(failure) => {
                    broken.extend(plan.files.iter().map(|file| file.path.as_str()));
                    let result = history::failed(planned, before, &failure.details);
                    batch.unfixed.push(batch::unfixed(&planned.finding, failure.details));
                    results.push(result.clone());
                    progress(FixProgress::Failed(Box::new(result)));
                }
            }
        }
        let mut after = before;
        if !changed.is_empty() {
            if broken.is_empty() {
                dry.keep_changes();
            }
            let (scan, _) = self.rescan_all(&state, &changed, request.as_of, hooks)?;
            after = scan.score.compliance;
            for result in results.iter_mut().filter(|result| result.applied) {
                (result.score_after, result.new_score) = (after, after);
                if let Some(id) = result.fix_id {
                    Self::remember_score(&state, id, after);
                }
            }
        }
        // Of what no strategy fixes, a model may propose changes; unattended they are never applied.
        if by_model && request.guided == Some(true) {
            let ids: Vec<String> = batch.unfixed.iter().map(|finding| finding.finding_id.clone()).collect();
            for id in ids.into_iter().take(MODEL_FIXES_MAX) {
                if (hooks.cancel)() {
                    break;
                }
                let one = FixRequest {
                    finding_id: Some(id.clone()),
                    use_ai: Some(true),
                    as_of: request.as_of,
                    ..FixRequest::default()
                };
                match self.apply_by_model(&state, &one, hooks) {
                    Ok(result) => {
                        after = result.score_after;
                        batch.unfixed.retain(|finding| finding.finding_id != id);
                        progress(FixProgress::Applied(Box::new(result.clone())));
                        results.push(result);
                    }
                    Err(failure) => {
                        if let Some(finding) = batch.unfixed.iter_mut().find(|finding| finding.finding_id == id) {
                            finding.reason = failure.details;
                        }
                    }
                }
            }
        }
        let applied = results.iter().filter(|result| result.applied).count() as u64;
        Ok(ApplyAllReply {
            summary: ApplySummary {
                total: results.len() as u64,
                applied,
                failed: results.len() as u64 - applied,
                skipped: batch.skipped,
                score_before: before,
                score_after: after,
            },
            results,
            unfixed_findings: batch.unfixed,
            warnings,
        })
    }
}

/// The findings that a request means, in the order in which they are tried.
fn wanted<'e>(current: &'e Evaluation, request: &FixRequest) -> Result<Vec<&'e Finding>, Failure> {
    let named: Vec<&Finding> = current
        .findings
        .iter()
        .filter(|finding| {
            let is = |wanted: &Option<String>, known: Option<&str>| {
                wanted.as_deref().is_none_or(|wanted| Some(wanted) == known)
            };
            let check = request.check_id.as_deref();
            check.is_none_or(|check| {
                finding.check_id == check
                    || engine_scanner::check(&finding.check_id).is_some_and(|known| known.is_named(check))
            }) && is(&request.finding_id, Some(finding.id.as_str()))
                && is(&request.obligation_id, finding.obligation_id.as_deref())
        })
        .collect();
    let open: Vec<&Finding> = named.iter().copied().filter(|finding| is_open(finding)).collect();
    if !open.is_empty() {
        return Ok(open);
    }
    let field = if request.finding_id.is_some() {
        "findingId"
    } else {
        "checkId"
    };
    let failure = if named.is_empty() {
        Failure::new(
            ErrorCode::UnknownFinding,
            "this project has no such finding now; GET /fix/preview lists the fixes of the current findings",
        )
    } else {
        Failure::new(
            ErrorCode::Impossible,
            "nothing to fix: the finding is evidence, or it is suppressed; remove the suppression to fix it",
        )
    };
    Err(failure.field(field))
}

/// A check that exists, by any of its names.
fn known_check(check: Option<&str>) -> Result<Option<&str>, Failure> {
    let Some(id) = check else { return Ok(None) };
    if let Some(known) = engine_scanner::check(id) {
        return Ok(Some(known.id));
    }
    let near = nearest(id, engine_scanner::checks().map(|check| check.id));
    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Err(Failure::new(
        ErrorCode::InvalidRequest,
        format!("unknown check `{}`{hint}", crate::simulate::shown(id)),
    )
    .field("checkId"))
}

/// Where a finding is, for a sentence.
fn place(finding: &Finding) -> String {
    match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!(" at `{file}:{line}`"),
        (Some(file), None) => format!(" in `{file}`"),
        _ => String::new(),
    }
}
