//! Many fixes at once: planned, put together and judged in memory before the first file changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine_fixer::{Edit, FileChange, NoFix, Plan};
use engine_model::{Failure, Finding};
use engine_scanner::{Evaluation, Settings};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::dry::{Dry, Overlay};
use super::shapes::{FixAction, FixItem, FixPlanView, UnfixedFinding};
use super::{DRAFT_RAISES_SCORE, is_about_draft, is_open, open_ids};
use crate::scan::{ScanHooks, ended, score, steers_the_walk};
use crate::simulate::tenths;

/// Rounds of planning. Each round makes the fixes that touch different lines; the next one plans on the result.
const ROUNDS_MAX: usize = 64;

/// Fixes of a round that are judged one by one when their sum goes wrong; of more, all that are near the fault are left out.
const JUDGED_ALONE_MAX: usize = 64;

/// How far `apply-all` is.
#[derive(Clone, Debug, PartialEq)]
pub enum FixProgress {
    /// The fixes are planned.
    Start {
        /// Fixes that will be applied.
        total: u64,
    },
    /// A fix is about to be applied.
    Applying {
        /// Its check.
        check_id: String,
        /// Its first file.
        path: String,
    },
    /// A fix was applied.
    Applied(Box<super::FixResult>),
    /// A fix could not be applied.
    Failed(Box<super::FixResult>),
}

/// Which findings are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    check: Option<&'a str>,
    /// Whether fixes count that ask a person to decide something.
    guided: bool,
}

impl<'a> Wanted<'a> {
    pub(crate) const fn all(check: Option<&'a str>) -> Self {
        Self { check, guided: true }
    }

    pub(crate) const fn safe(check: Option<&'a str>) -> Self {
        Self { check, guided: false }
    }

    fn takes(&self, finding: &Finding) -> bool {
        is_open(finding) && self.check.is_none_or(|check| finding.check_id == check)
    }
}

/// A plan with what it does.
pub(crate) struct Planned {
    /// To be applied after all plans before it.
    pub(crate) plan: Plan,
    pub(crate) finding: Finding,
    /// Secrets masked.
    pub(crate) diff: String,
    pub(crate) by_model: bool,
    /// What its round was planned on with the score there, and the plan as it was made there.
    base: Arc<Overlay>,
    base_score: f64,
    original: Plan,
}

/// The outcome of planning.
pub(crate) struct Batch {
    pub(crate) planned: Vec<Planned>,
    pub(crate) unfixed: Vec<UnfixedFinding>,
    /// Fixes that a person must decide.
    pub(crate) skipped: u64,
    /// The project with all of them.
    pub(crate) last: Arc<Evaluation>,
}

/// What a plan does, as a unified diff with secrets masked.
pub(crate) fn diff_of(plan: &Plan, dry: &Dry, overlay: &Overlay) -> Result<String, NoFix> {
    let mut out = String::new();
    for change in plan.shown() {
        let before = dry.bytes(&change.path, overlay);
        let after = change.apply(&before).map_err(|_| NoFix::Gone)?;
        out.push_str(&change.diff(&before, &after));
    }
    Ok(engine_scanner::mask_secrets(&out))
}

/// The changes of a plan on top of others.
pub(crate) fn overlay_of(plan: &Plan, dry: &Dry, overlay: &Overlay) -> Result<Overlay, NoFix> {
    let mut out = overlay.clone();
    for change in &plan.files {
        let before = dry.bytes(&change.path, overlay);
        out.insert(change.path.clone(), change.apply(&before).map_err(|_| NoFix::Gone)?);
    }
    Ok(out)
}

/// A plan that changes which files are read cannot be judged in memory: its finding is taken for fixed then.
pub(crate) fn taken_for_fixed(plan: &Plan) -> bool {
    plan.files.iter().all(|file| steers_the_walk(&file.path))
}

/// The settings under which a project with these plans is judged.
pub(crate) fn judged_under<'p>(settings: &Settings, plans: impl Iterator<Item = &'p Plan>) -> Settings {
    let mut settings = settings.clone();
    settings.resolved.extend(
        plans
            .filter(|plan| taken_for_fixed(plan))
            .map(|plan| plan.finding_id.clone()),
    );
    settings
}

/// An open finding with the reason why it has no fix.
pub(crate) fn unfixed(finding: &Finding, reason: impl Into<String>) -> UnfixedFinding {
    UnfixedFinding {
        finding_id: finding.id.clone(),
        check_id: finding.check_id.clone(),
        severity: finding.severity,
        message: finding.message.clone(),
        file: finding.file.clone(),
        line: finding.line,
        fix: finding.fix.clone(),
        reason: reason.into(),
    }
}

/// Files as far as a round has come: the edits so far, and the content with them.
#[derive(Default)]
struct RoundFiles(BTreeMap<String, RoundFile>);

struct RoundFile {
    edits: Vec<Edit>,
    now: Vec<u8>,
}

impl RoundFiles {
    /// Adds a plan on top of those before it. `None` where it wants the same lines as one of them.
    fn add(&mut self, plan: &Plan, dry: &Dry, overlay: &Overlay) -> Option<Plan> {
        let mut moved = plan.clone();
        let mut added = Vec::new();
        // What another plan of the round does already, such as the same line in a list of settings, is done once.
        moved.files.retain(|change| {
            let there = self.0.get(&change.path);
            !there.is_some_and(|there| {
                change
                    .edits
                    .iter()
                    .all(|edit| edit.start == edit.end && there.edits.contains(edit))
            })
        });
        if moved.files.is_empty() {
            return None;
        }
        for change in &mut moved.files {
            let there = self.0.get(&change.path);
            let Some(there) = there else {
                let base = dry.bytes(&change.path, overlay);
                let now = change.apply(&base).ok()?;
                let file = RoundFile {
                    edits: change.edits.clone(),
                    now,
                };
                added.push((change.path.clone(), file));
                continue;
            };
            change.before?;
            let edits = rebased(&change.edits, &there.edits)?;
            let mut all = there.edits.clone();
            all.extend(change.edits.iter().filter(|edit| !there.edits.contains(edit)).cloned());
            let all = engine_fixer::merged([all.as_slice()]).ok()?;
            let next = FileChange {
                path: change.path.clone(),
                before: Some(*blake3::hash(&there.now).as_bytes()),
                edits,
            };
            if next.edits.is_empty() {
                return None;
            }
            let now = next.apply(&there.now).ok()?;
            added.push((change.path.clone(), RoundFile { edits: all, now }));
            *change = next;
        }
        self.0.extend(added);
        Some(moved)
    }

    fn on(&self, overlay: &Overlay) -> Overlay {
        let mut out = overlay.clone();
        out.extend(self.0.iter().map(|(path, file)| (path.clone(), file.now.clone())));
        out
    }
}

/// Edits of the same text as `done`, moved to where they belong once those are made. Equal insertions are made once. `None` where both
/// want the same bytes.
fn rebased(edits: &[Edit], done: &[Edit]) -> Option<Vec<Edit>> {
    let mut out = Vec::with_capacity(edits.len());
    for edit in edits {
        if edit.start == edit.end && done.contains(edit) {
            continue;
        }
        let mut shift = 0_isize;
        for other in done {
            let overlaps = if edit.start == edit.end || other.start == other.end {
                let (point, range) = if edit.start == edit.end {
                    (edit, other)
                } else {
                    (other, edit)
                };
                point.start > range.start && point.start < range.end
                    || (range.start < range.end && point.start == range.start)
            } else {
                edit.start < other.end && other.start < edit.end
            };
            if overlaps {
                return None;
            }
            if other.end <= edit.start {
                shift += other.text.len().cast_signed() - (other.end - other.start).cast_signed();
            }
        }
        out.push(Edit {
            start: edit.start.checked_add_signed(shift)?,
            end: edit.end.checked_add_signed(shift)?,
            text: edit.text.clone(),
        });
    }
    Some(out)
}

/// Plans all wanted fixes of a project and judges them together.
pub(crate) fn plan_all(
    dry: &Dry,
    settings: &Settings,
    current: &Arc<Evaluation>,
    wanted: Wanted<'_>,
    hooks: &ScanHooks<'_>,
) -> Result<Batch, Failure> {
    let mut overlay = Arc::new(Overlay::new());
    let mut evaluation = Arc::clone(current);
    let mut planned: Vec<Planned> = Vec::new();
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    let mut skipped = BTreeSet::new();
    // Drafts of documents quote the code, so they are written last.
    let mut drafting = false;
    for _ in 0..ROUNDS_MAX {
        let done: BTreeSet<&str> = planned.iter().map(|planned| planned.finding.id.as_str()).collect();
        let open: Vec<&Finding> = evaluation
            .findings
            .iter()
            .filter(|finding| wanted.takes(finding) && engine_fixer::leaves_open(finding) == drafting)
            .filter(|finding| !refused.contains_key(&finding.id) && !done.contains(finding.id.as_str()))
            .collect();
        let paths = dry.paths_with(&overlay);
        let plans: Vec<(&Finding, Result<Plan, NoFix>)> = open
            .par_iter()
            .map(|finding| {
                let plan = dry.plan_among(&paths, finding, &evaluation, &overlay, settings.as_of);
                (*finding, plan)
            })
            .collect();
        if (hooks.cancel)() {
            return Err(ended());
        }
        let mut fitting = Vec::new();
        for (finding, plan) in plans {
            match plan {
                Ok(plan) if plan.safe || wanted.guided => fitting.push((finding, plan)),
                Ok(_) => {
                    skipped.insert(finding.id.clone());
                    let reason = "a person must decide about this fix; see it with `fix --check` and apply it there";
                    refused.insert(finding.id.clone(), reason.to_owned());
                }
                Err(why) => {
                    refused.insert(finding.id.clone(), why.to_string());
                }
            }
        }
        let Some((round, next, after)) = judged(dry, settings, &evaluation, &overlay, fitting, &planned, &mut refused)
        else {
            if drafting {
                break;
            }
            drafting = true;
            continue;
        };
        let base = Arc::clone(&overlay);
        let base_score = score(&evaluation).compliance;
        let diffs: Vec<String> = round
            .par_iter()
            .map(|(_, original, _)| diff_of(original, dry, &base).unwrap_or_default())
            .collect();
        planned.extend(
            round
                .into_iter()
                .zip(diffs)
                .map(|((finding, original, plan), diff)| Planned {
                    plan,
                    finding,
                    diff,
                    by_model: false,
                    base: Arc::clone(&base),
                    base_score,
                    original,
                }),
        );
        overlay = Arc::new(after);
        evaluation = next;
    }
    let is_planned: BTreeSet<&str> = planned.iter().map(|planned| planned.finding.id.as_str()).collect();
    let rest = evaluation
        .findings
        .iter()
        .filter(|finding| wanted.takes(finding) && !is_planned.contains(finding.id.as_str()))
        .filter(|finding| !planned.iter().any(|one| is_about_draft(finding, &one.plan)));
    let left = rest
        .map(|finding| {
            let reason = refused.get(&finding.id).cloned();
            unfixed(
                finding,
                reason.unwrap_or_else(|| "other fixes change the same lines; apply those first".to_owned()),
            )
        })
        .collect();
    Ok(Batch {
        planned,
        unfixed: left,
        skipped: skipped.len() as u64,
        last: evaluation,
    })
}

/// The plans of a round: the finding, the plan on the base of the round, and the plan on top of those before it.
type Round = Vec<(Finding, Plan, Plan)>;

/// Puts the plans of a round together and leaves out those that do not do what they should. `None` where nothing is left; else the round,
/// the evaluation with it, and what it changes with all before it.
fn judged(
    dry: &Dry,
    settings: &Settings,
    evaluation: &Evaluation,
    overlay: &Overlay,
    mut fitting: Vec<(&Finding, Plan)>,
    planned: &[Planned],
    refused: &mut BTreeMap<String, String>,
) -> Option<(Round, Arc<Evaluation>, Overlay)> {
    let before = open_ids(evaluation);
    for _ in 0..4 {
        let mut files = RoundFiles::default();
        let mut round = Vec::new();
        for (finding, plan) in &fitting {
            if let Some(moved) = files.add(plan, dry, overlay) {
                round.push(((*finding).clone(), plan.clone(), moved));
            }
        }
        if round.is_empty() {
            return None;
        }
        let plans = planned
            .iter()
            .map(|planned| &planned.plan)
            .chain(round.iter().map(|(.., plan)| plan));
        let settings = judged_under(settings, plans);
        let changed = files.on(overlay);
        let next = dry.evaluate_with(&changed, &settings);
        let after = open_ids(&next);
        let new: Vec<&Finding> = next
            .findings
            .iter()
            .filter(|finding| is_open(finding) && !before.contains(finding.id.as_str()))
            .filter(|finding| !round.iter().any(|(_, plan, _)| is_about_draft(finding, plan)))
            .collect();
        let left: BTreeSet<&str> = round
            .iter()
            .filter(|(_, plan, _)| !plan.leaves_open)
            .map(|(finding, ..)| finding.id.as_str())
            .filter(|id| after.contains(id))
            .collect();
        let drafts = round.iter().all(|(_, plan, _)| plan.leaves_open);
        if drafts && score(&next).compliance > score(evaluation).compliance {
            refused.extend(
                round
                    .iter()
                    .map(|(finding, ..)| (finding.id.clone(), DRAFT_RAISES_SCORE.to_owned())),
            );
            return None;
        }
        if new.is_empty() && left.is_empty() {
            return Some((round, next, changed));
        }
        let mut wrong: BTreeMap<String, String> = left
            .iter()
            .map(|id| {
                (
                    (*id).to_owned(),
                    "the finding would still be there after the fix, so it is withheld".to_owned(),
                )
            })
            .collect();
        if !new.is_empty() {
            let near: Vec<&(Finding, Plan, Plan)> = round
                .iter()
                .filter(|(finding, plan, _)| {
                    new.iter().any(|new| {
                        new.file.is_none()
                            || new.file == finding.file
                            || plan.files.iter().any(|file| Some(&file.path) == new.file.as_ref())
                    })
                })
                .collect();
            let suspects: Vec<&(Finding, Plan, Plan)> = if near.is_empty() { round.iter().collect() } else { near };
            let alone = suspects.len() <= JUDGED_ALONE_MAX;
            let found: Vec<String> = suspects
                .par_iter()
                .filter(|(_, plan, _)| !alone || brings_up(dry, &settings, overlay, plan, &before))
                .map(|(finding, ..)| finding.id.clone())
                .collect();
            let found = if found.is_empty() && left.is_empty() {
                // Only together do they bring it up.
                suspects.iter().map(|(finding, ..)| finding.id.clone()).collect()
            } else {
                found
            };
            let what = new.first().map_or("", |new| new.check_id.as_str());
            for id in found {
                wrong.insert(
                    id,
                    format!("the fix would bring up another finding (`{what}`), so it is withheld"),
                );
            }
        }
        fitting.retain(|(finding, _)| !wrong.contains_key(&finding.id));
        refused.extend(wrong);
    }
    None
}

/// Whether a plan alone brings up a finding.
fn brings_up(dry: &Dry, settings: &Settings, overlay: &Overlay, plan: &Plan, before: &BTreeSet<&str>) -> bool {
    let Ok(with) = overlay_of(plan, dry, overlay) else {
        return true;
    };
    let next = dry.evaluate_apart(&with, settings);
    next.findings
        .iter()
        .any(|finding| is_open(finding) && !before.contains(finding.id.as_str()) && !is_about_draft(finding, plan))
}

/// What each plan does to the score. Findings of one check in one system weigh the same, so one of them is measured for all.
///
/// No fix lowers a score, so none raises it where all together leave it as it is: then nothing is measured.
pub(crate) fn impacts(dry: &Dry, settings: &Settings, planned: &[Planned], last: &Evaluation) -> Vec<f64> {
    if planned
        .first()
        .is_none_or(|first| first.base_score.total_cmp(&score(last).compliance).is_eq())
    {
        return vec![0.0; planned.len()];
    }
    let key = |planned: &Planned| {
        let finding = &planned.finding;
        (
            finding.check_id.clone(),
            finding.system.clone(),
            finding.kind,
            finding.severity,
        )
    };
    let mut groups: BTreeMap<_, &Planned> = BTreeMap::new();
    for one in planned {
        groups.entry(key(one)).or_insert(one);
    }
    let measured: BTreeMap<_, f64> = groups
        .into_par_iter()
        .map(|(group, one)| {
            let after = if planned.len() == 1 {
                score(last).compliance
            } else if one.original.leaves_open {
                // It was kept because the score is the same with it.
                one.base_score
            } else {
                let settings = judged_under(settings, std::iter::once(&one.original));
                let with = overlay_of(&one.original, dry, &one.base);
                with.map_or(one.base_score, |with| {
                    score(&dry.evaluate_apart(&with, &settings)).compliance
                })
            };
            (group, tenths(after - one.base_score))
        })
        .collect();
    planned
        .iter()
        .map(|planned| measured.get(&key(planned)).copied().unwrap_or(0.0))
        .collect()
}

impl Planned {
    /// A plan that stands alone.
    pub(crate) fn alone(plan: Plan, finding: Finding, diff: String, by_model: bool) -> Self {
        Self {
            original: plan.clone(),
            plan,
            finding,
            diff,
            by_model,
            base: Arc::default(),
            base_score: 0.0,
        }
    }

    /// As SARIF takes it; none where a text of it holds a secret, or where it rests on another fix.
    pub(crate) fn sarif(&self, dry: &Dry) -> Option<Value> {
        if !self.base.is_empty() {
            return None;
        }
        let mut changes = Vec::new();
        for file in self.original.shown() {
            let bytes = dry.bytes(&file.path, &self.base);
            let text = String::from_utf8_lossy(&bytes);
            let mut replacements = Vec::new();
            for edit in &file.edits {
                if engine_scanner::mask_secrets(&edit.text) != edit.text {
                    return None;
                }
                let (start, end) = (line_and_column(&text, edit.start)?, line_and_column(&text, edit.end)?);
                replacements.push(json!({
                    "deletedRegion": {"startLine": start.0, "startColumn": start.1, "endLine": end.0, "endColumn": end.1},
                    "insertedContent": {"text": edit.text},
                }));
            }
            changes.push(json!({
                "artifactLocation": engine_report::sarif_artifact(&file.path),
                "replacements": replacements,
            }));
        }
        Some(json!([{"description": {"text": self.original.description}, "artifactChanges": changes}]))
    }

    /// As it goes over the wire.
    pub(crate) fn item(&self, impact: f64) -> FixItem {
        let plan = &self.original;
        let view = plan_view(plan);
        FixItem {
            fix_id: fix_id(plan),
            check_id: plan.check_id.clone(),
            finding_id: plan.finding_id.clone(),
            obligation_id: plan.obligation_id.clone(),
            article: plan.article.clone(),
            kind: plan.kind.name().to_owned(),
            strategy: plan.strategy.to_owned(),
            description: plan.description.clone(),
            file: plan.file(&self.finding).to_owned(),
            line: plan.line,
            files: plan.shown().map(|file| file.path.clone()).collect(),
            diff: self.diff.clone(),
            score_impact: signed(impact),
            safe: plan.safe && !self.by_model,
            resolves: !plan.leaves_open,
            manual: plan.manual.clone(),
            instruction: engine_fixer::instruction(plan, &self.finding, &self.diff),
            ai_generated: self.by_model,
            actions: view.actions,
        }
    }
}

/// Line and column of a byte, both from 1, the column in characters.
fn line_and_column(text: &str, at: usize) -> Option<(usize, usize)> {
    let before = text.get(..at)?;
    let line = before.rsplit('\n').next().unwrap_or(before);
    Some((before.matches('\n').count() + 1, line.chars().count() + 1))
}

/// A number with its sign: `+2.5`, `+0`.
fn signed(impact: f64) -> String {
    format!("{:+}", tenths(impact))
}

/// The id of an exact change.
pub(crate) fn fix_id(plan: &Plan) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(plan.finding_id.as_bytes());
    for file in &plan.files {
        hasher.update(file.path.as_bytes());
        hasher.update(&file.before.unwrap_or_default());
        for edit in &file.edits {
            hasher.update(&(edit.start as u64).to_le_bytes());
            hasher.update(&(edit.end as u64).to_le_bytes());
            hasher.update(edit.text.as_bytes());
        }
    }
    let hex = hasher.finalize().to_hex();
    format!("fix-{}", hex.get(..16).unwrap_or_default())
}

/// A plan for existing clients.
pub(crate) fn plan_view(plan: &Plan) -> FixPlanView {
    FixPlanView {
        check_id: plan.check_id.clone(),
        fix_type: plan.kind.name().to_owned(),
        article: plan.article.clone(),
        description: plan.description.clone(),
        actions: plan
            .shown()
            .map(|file| FixAction {
                kind: if file.before.is_some() { "edit" } else { "create" }.to_owned(),
                path: file.path.clone(),
            })
            .collect(),
    }
}
