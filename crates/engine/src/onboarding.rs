//! Onboarding: what is detected, the questions as a form, their answers, and a guide of eight steps.

mod detect;
mod shapes;
mod views;

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{ErrorCode, Failure, FindingType, Question};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use shapes::{
    CompleteReply, CompleteRequest, Computed, DataView, Detected, DetectedSystem, FormQuestion, GuidedStartRequest,
    GuidedStatus, GuidedStep, GuidedStepReply, GuidedStepRequest, ObligationView, OnboardingStatus, OrganisationView,
    ProfileView, ProjectRequest, QuestionBlock, QuestionForm, SystemView,
};

use crate::Engine;
use crate::documents::DocAllRequest;
use crate::fixes::FixPreviewRequest;
use crate::passports::InitRequest;
use crate::profile::{self, AnswerRequest};
use crate::project::{ProjectState, conflict};
use crate::reports::BadgeGenerateRequest;
use crate::requests::ScanRequest;
use crate::scan::{Running, ScanHooks};

use detect::detected;
use views::{documents, form, view};

/// The note with the progress of the guide.
const GUIDE: &str = "onboarding.guided";

/// Steps of the guide.
const STEPS: [(&str, &str); 8] = [
    ("detect", "Detect languages, libraries and AI systems"),
    ("questions", "Answer the open questions"),
    ("classify", "Review role, risk class and obligations"),
    ("scan", "Scan and store the result"),
    ("passports", "Create agent passports"),
    ("fixes", "Preview the fixes"),
    ("documents", "Generate the documents that are due"),
    ("gate", "Set up the gate for changes and write the badge"),
];

/// The progress as it is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Progress {
    started_at: String,
    /// By the number of the step: when it was done, and what came of it.
    done: BTreeMap<u32, (String, String)>,
}

/// Whether a value of a form is empty.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(word) => word.trim().is_empty(),
        Value::Array(words) => words.iter().all(is_blank),
        _ => false,
    }
}

impl Engine {
    /// Detects what can be detected without asking. Nothing is kept.
    pub fn onboarding_detect(&self, path: Option<&str>) -> Result<Detected, Failure> {
        let state = self.project_or_current(path)?;
        let scan = self.look(&state)?;
        Ok(detected(&state, &scan))
    }

    /// Every question as a form, with what each answer changes.
    pub fn onboarding_questions(&self, path: Option<&str>) -> Result<QuestionForm, Failure> {
        let state = self.project_or_current(path)?;
        let _running = Running::begin(&self.scans)?;
        let mut settings = self.settings(&state, None, None, None)?;
        settings.every_question = true;
        let scan = self.run(&state, &settings, &ScanHooks::default())?;
        Ok(form(&scan))
    }

    /// Takes the answers of the form, and says what follows.
    pub fn onboarding_complete(&self, request: &CompleteRequest) -> Result<CompleteReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let scan = self.look(&state)?;
        let open: BTreeSet<String> = profile::open_questions(&scan)
            .into_iter()
            .map(|(_, asked)| asked.key)
            .collect();
        let present: BTreeMap<String, Value> = if request.by.is_none() {
            let form = self.onboarding_questions(request.path.as_deref())?;
            let questions = form.blocks.into_iter().flat_map(|block| block.questions);
            questions.map(|question| (question.id, question.default)).collect()
        } else {
            BTreeMap::new()
        };
        let says_nothing = |key: &str, value: &Value| {
            let plain = value.get("value").unwrap_or(value);
            // A client that takes the answers as they stand sends an empty text where there is none, and repeats the others
            // without a name. Neither is an answer of a person.
            let repeated = request.by.is_none() && !value.is_object() && present.get(key) == Some(plain);
            let unknown = plain.as_str() == Some(engine_profile::UNKNOWN) && !open.contains(key);
            is_blank(plain) || repeated || unknown
        };
        let answers: BTreeMap<String, Value> = request
            .answers
            .iter()
            .filter(|(key, value)| !says_nothing(key, value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let reply = self.answer(&AnswerRequest {
            path: request.path.clone(),
            answers,
            by: request.by.clone(),
            why: request.why.clone(),
            ..AnswerRequest::default()
        })?;
        let now = self.look(&state)?;
        Ok(CompleteReply {
            profile: view(&now),
            auto_detected: detected(&state, &now),
            profile_path: reply.profile_path,
            answered: reply.answered,
            warnings: reply.warnings,
            open: reply.open,
        })
    }

    /// Whether the project has been onboarded, from what is kept.
    pub fn onboarding_status(&self, path: Option<&str>) -> Result<OnboardingStatus, Failure> {
        let state = self.project_or_current(path)?;
        let loaded = profile::load(&state)?;
        let last = state.last_scan()?;
        let undetermined = last.as_deref().map(profile::undetermined);
        let onboarded = loaded.record.answers > 0 && undetermined == Some(0);
        Ok(OnboardingStatus {
            onboarded,
            completed: onboarded,
            profile_path: profile::shown(),
            profile_status: loaded.record.status,
            error: loaded.record.error,
            answered: loaded.record.answers,
            open: last.as_deref().map(|scan| profile::open_questions(scan).len() as u64),
            undetermined,
            guided: progress(&state)?.map(|progress| guided_status(Some(&progress))),
        })
    }

    /// Starts the guide, or gives where it stands; with `reconfigure` it begins again.
    pub fn guided_start(&self, request: &GuidedStartRequest) -> Result<GuidedStatus, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let known = progress(&state)?.filter(|_| request.reconfigure != Some(true));
        let progress = if let Some(known) = known {
            known
        } else {
            let fresh = Progress {
                started_at: self.timestamp(),
                done: BTreeMap::new(),
            };
            keep(&state, &fresh)?;
            fresh
        };
        Ok(guided_status(Some(&progress)))
    }

    /// Where the guide stands.
    pub fn guided_status(&self, path: Option<&str>) -> Result<GuidedStatus, Failure> {
        let state = self.project_or_current(path)?;
        Ok(guided_status(progress(&state)?.as_ref()))
    }

    /// Does one step of the guide. A step can be done again; one that waits for an earlier step is refused.
    pub fn guided_step(&self, number: u32, request: &GuidedStepRequest) -> Result<GuidedStepReply, Failure> {
        let Some((id, title)) = step(number) else {
            let details = format!("step {number} does not exist; use a step from 1 to {}", STEPS.len());
            return Err(Failure::new(ErrorCode::Impossible, details).field("n"));
        };
        let state = self.project_or_current(request.path.as_deref())?;
        let Some(mut progress) = progress(&state)? else {
            let details = "the guide has not been started; start it with POST /onboarding/guided/start";
            return Err(Failure::new(ErrorCode::Impossible, details).field("n"));
        };
        let next = next_step(&progress);
        if let Some(next) = next
            && number > next
        {
            let details = format!("step {number} needs step {next}; complete step {next} first");
            return Err(Failure::new(ErrorCode::Impossible, details).field("n"));
        }
        if number != 2 && !request.answers.is_empty() {
            let details = "only step 2 accepts `answers`; send them there or to POST /onboarding/complete";
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("answers"));
        }
        let (summary, result) = self.step_result(&state, number, request)?;
        progress.done.insert(number, (self.timestamp(), summary.clone()));
        keep(&state, &progress)?;
        Ok(GuidedStepReply {
            step: number,
            id: id.to_owned(),
            title: title.to_owned(),
            status: "done".to_owned(),
            summary,
            result,
            progress: guided_status(Some(&progress)),
        })
    }

    fn step_result(
        &self,
        state: &ProjectState,
        number: u32,
        request: &GuidedStepRequest,
    ) -> Result<(String, Value), Failure> {
        let folder = state.path().to_string_lossy().into_owned();
        let path = Some(folder.clone());
        Ok(match number {
            1 => {
                let found = detected(state, &self.look(state)?);
                let summary = format!("{} found", count(found.ai_systems.len(), "AI system"));
                (summary, as_json(&found)?)
            }
            2 => {
                let warnings = if request.answers.is_empty() {
                    Vec::new()
                } else {
                    let complete = CompleteRequest {
                        path: path.clone(),
                        answers: request.answers.clone(),
                        by: request.by.clone(),
                        why: request.why.clone(),
                    };
                    self.onboarding_complete(&complete)?.warnings
                };
                let scan = self.look(state)?;
                let open: Vec<Question> = profile::open_questions(&scan)
                    .into_iter()
                    .map(|(_, asked)| asked)
                    .collect();
                let summary = format!("{} open", count(open.len(), "question"));
                (summary, json!({"questions": open, "warnings": warnings}))
            }
            3 => {
                let scan = self.look(state)?;
                let seen = view(&scan);
                let open = profile::open_questions(&scan)
                    .iter()
                    .filter(|(_, asked)| asked.is_about_class())
                    .count();
                let low = matches!(seen.computed.risk_level.as_str(), "limited" | "minimal");
                let provisional = if low && open > 0 {
                    format!(" (provisional: {} open)", count(open, "question"))
                } else {
                    String::new()
                };
                let summary = format!(
                    "risk class {}{provisional}, {} today",
                    seen.computed.risk_level,
                    count(seen.computed.applicable_obligations.len(), "obligation")
                );
                (summary, as_json(&seen)?)
            }
            4 => {
                let scan = self.scan(&ScanRequest::of(folder))?;
                let gaps = scan
                    .findings
                    .iter()
                    .filter(|finding| finding.kind == FindingType::Fail)
                    .count();
                let summary = format!("{} found", count(gaps, "gap"));
                let result = json!({
                    "scanId": scan.id,
                    "filesScanned": scan.files_scanned,
                    "coverage": scan.score.coverage,
                    "grade": scan.score.grade,
                    "compliance": scan.score.compliance,
                    "readiness": scan.score.readiness,
                    "gaps": gaps,
                    "summary": scan.summary,
                });
                (summary, result)
            }
            5 => {
                let made = self.init_passports(&InitRequest {
                    path,
                    ..InitRequest::default()
                })?;
                let summary = format!(
                    "{} created, {} unchanged",
                    count(made.saved_paths.len(), "passport"),
                    made.skipped.len()
                );
                let names: Vec<&str> = made.manifests.iter().map(engine_passport::Document::name).collect();
                (
                    summary,
                    json!({"savedPaths": made.saved_paths, "names": names, "skipped": made.skipped}),
                )
            }
            6 => {
                let preview = self.preview_fixes(
                    &FixPreviewRequest {
                        path,
                        ..FixPreviewRequest::default()
                    },
                    &ScanHooks::default(),
                )?;
                let safe = preview.fixes.iter().filter(|fix| fix.safe).count();
                let summary = format!(
                    "fixes previewed: {}, safe to apply unattended: {safe}, {} without a fix; nothing was changed",
                    preview.fixes.len(),
                    count(preview.unfixed_findings.len(), "finding")
                );
                (summary, with(&preview, json!({"applied": 0}))?)
            }
            7 => {
                let made = self.all_docs(&DocAllRequest {
                    path,
                    ..DocAllRequest::default()
                })?;
                let open: usize = made.generated.iter().map(|one| one.manual_fields.len()).sum();
                let summary = format!(
                    "{} generated with {}, {} final and kept, {} not generated",
                    count(made.generated.len(), "draft"),
                    count(open, "open question"),
                    made.kept.len(),
                    made.errors.len()
                );
                let rows = documents(&self.look(state)?);
                (summary, with(&made, json!({"documents": rows}))?)
            }
            _ => {
                let last = state.last_scan()?;
                let gate = last.as_deref().and_then(|scan| scan.gate.clone());
                let score = last.as_deref().map(|scan| scan.score.clone());
                let wanted = BadgeGenerateRequest {
                    path,
                    ..BadgeGenerateRequest::default()
                };
                let (told, badge) = match self.generate_badge(&wanted) {
                    Ok(badge) => (
                        format!("badge and `{}` written", badge.path),
                        json!({"path": badge.path, "badgePath": badge.badge_path, "changed": badge.changed}),
                    ),
                    // A note of the project's own does not stop the guide.
                    Err(failure) if failure.code == ErrorCode::StateConflict => {
                        (format!("no badge written ({})", failure.details), Value::Null)
                    }
                    Err(failure) => return Err(failure),
                };
                let assessed = match &score {
                    Some(score) if score.assessed => format!("score today: {} of 100", score.compliance),
                    _ => "score not assessed".to_owned(),
                };
                let summary = format!("{told}; run `commands` in the project folder to stop new gaps; {assessed}");
                let commands = json!({
                    "gate": "engine-server scan . --fail-on high",
                    "baseline": "engine-server baseline .",
                });
                (
                    summary,
                    json!({"gate": gate, "score": score, "badge": badge, "commands": commands}),
                )
            }
        })
    }
}

/// A reply with further members.
fn with<T: Serialize>(value: &T, more: Value) -> Result<Value, Failure> {
    let mut all = as_json(value)?;
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    Ok(all)
}

fn as_json<T: Serialize>(value: &T) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| conflict(&error))
}

fn step(number: u32) -> Option<(&'static str, &'static str)> {
    let at = usize::try_from(number).ok()?.checked_sub(1)?;
    STEPS.get(at).copied()
}

/// The number of the first step that is not done.
fn next_step(progress: &Progress) -> Option<u32> {
    (1..)
        .take(STEPS.len())
        .find(|number| !progress.done.contains_key(number))
}

fn guided_status(progress: Option<&Progress>) -> GuidedStatus {
    let next = progress.map_or(Some(1), next_step);
    let done = |number: u32| progress.and_then(|progress| progress.done.get(&number));
    GuidedStatus {
        started: progress.is_some(),
        started_at: progress.map(|progress| progress.started_at.clone()),
        current_step: next.filter(|_| progress.is_some()),
        total_steps: u32::try_from(STEPS.len()).unwrap_or(0),
        completed: next.is_none(),
        steps: (1..)
            .zip(STEPS)
            .map(|(number, (id, title))| GuidedStep {
                number,
                id: id.to_owned(),
                title: title.to_owned(),
                status: match (done(number), next == Some(number) && progress.is_some()) {
                    (Some(_), _) => "done",
                    (None, true) => "current",
                    (None, false) => "pending",
                }
                .to_owned(),
                completed_at: done(number).map(|(at, _)| at.clone()),
                summary: done(number).map(|(_, summary)| summary.clone()),
            })
            .collect(),
    }
}

/// The progress that is kept. A note that cannot be read counts as absent: the guide only repeats what can be done again.
fn progress(state: &ProjectState) -> Result<Option<Progress>, Failure> {
    let note = state.reading(|store| store.meta_get(GUIDE));
    let note = match note {
        Ok(note) => note.map_err(|error| conflict(&error))?,
        // A project that was never scanned has no database to read.
        Err(_) if state.opened().is_none() => None,
        Err(failure) => return Err(failure),
    };
    Ok(note.and_then(|note| serde_json::from_str(&note).ok()))
}

fn keep(state: &ProjectState, progress: &Progress) -> Result<(), Failure> {
    let Some(store) = state.ensure()? else {
        return Err(Failure::new(
            ErrorCode::ReadOnly,
            "the engine is read-only and cannot store the progress; start it without `--read-only`",
        ));
    };
    let note = serde_json::to_string(progress).map_err(|error| conflict(&error))?;
    store.meta_set(GUIDE, &note).map_err(|error| conflict(&error))
}

/// A number with its noun.
fn count(number: usize, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}
