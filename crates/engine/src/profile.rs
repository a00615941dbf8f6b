//! The profile: what people stated about the project, read for each scan and changed with an entry in the chain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine_evidence::{Artifact, EntryType};
use engine_model::{Date, ErrorCode, Failure, ProfileRecord, ProfileStatus, Question, ScanResult, System, nearest};
use engine_profile::{
    ALL_SYSTEMS, Answer, Change, FILE, ORGANISATION, Place, Profile, QuestionSpec, Scope, Target, edit, parse,
    question, questions,
};
use engine_regulation::regulation;
use engine_scanner::mask_secrets;
use engine_signing::Digest;
use engine_store::{FileChange, Personal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Engine;
use crate::project::{ProjectState, conflict};
use crate::scan::{Running, ScanHooks};

/// The note of the profile that the chain knows.
const KNOWN_DIGEST: &str = "profile.digest";

/// Most answers in one request.
const ANSWERS_MAX: usize = 1_000;

/// Longest reason or reference, in characters.
const WORDS_CHARS_MAX: usize = 4_000;

/// The profile as it is read for a scan.
pub(crate) struct Loaded {
    pub(crate) profile: Arc<Profile>,
    pub(crate) record: ProfileRecord,
    /// The text of the file, where there is one.
    pub(crate) text: Option<String>,
}

/// The path of the file, as it is named in replies.
pub(crate) fn shown() -> String {
    format!("{}/{FILE}", engine_store::STATE_DIR_NAME)
}

/// Reads the profile. One that cannot be read counts as absent, and the record says why.
pub(crate) fn load(state: &ProjectState) -> Result<Loaded, Failure> {
    let bytes = state.state_file(FILE)?;
    let file = shown();
    let absent = |status, error: Option<String>, text| Loaded {
        profile: Arc::default(),
        record: ProfileRecord {
            file: shown(),
            status,
            answers: 0,
            error: error.map(|error| format!("{}: {error}", shown())),
            warnings: Vec::new(),
        },
        text,
    };
    let Some(bytes) = bytes else {
        return Ok(absent(ProfileStatus::Absent, None, None));
    };
    let Ok(text) = String::from_utf8(bytes) else {
        let error = "line 1, column 1: the file is not UTF-8; save it as UTF-8".to_owned();
        return Ok(absent(ProfileStatus::Broken, Some(error), None));
    };
    Ok(match parse(&text) {
        Err(error) => absent(
            ProfileStatus::Broken,
            Some(mask_secrets(&error.to_string())),
            Some(text),
        ),
        Ok(profile) => {
            let warnings = profile.warnings.iter().map(|warning| {
                let Place { line, column } = warning.place;
                mask_secrets(&format!("{file}: line {line}, column {column}: {}", warning.message))
            });
            let record = ProfileRecord {
                status: ProfileStatus::Read,
                answers: stated(&profile),
                error: None,
                warnings: warnings.collect(),
                file: file.clone(),
            };
            Loaded {
                profile: Arc::new(masked(profile)),
                record,
                text: Some(text),
            }
        }
    })
}

/// Answers and pieces of evidence in a profile.
fn stated(profile: &Profile) -> u64 {
    let systems = profile
        .systems
        .values()
        .map(|own| own.answers.len() + own.evidence.len());
    let all = profile.organisation.len() + profile.organisation_evidence.len() + profile.all.len();
    (systems.sum::<usize>() + all) as u64
}

/// The profile without secrets: a key in a reason leaves it masked, like one in code.
fn masked(mut profile: Profile) -> Profile {
    let text = |text: &mut String| *text = mask_secrets(text);
    let maybe = |words: &mut Option<String>| {
        if let Some(words) = words {
            *words = mask_secrets(words);
        }
    };
    let answers = |answers: &mut BTreeMap<String, Answer>| {
        for answer in answers.values_mut() {
            maybe(&mut answer.why);
            maybe(&mut answer.by);
        }
    };
    answers(&mut profile.organisation);
    answers(&mut profile.all);
    for evidence in &mut profile.organisation_evidence {
        text(&mut evidence.reference);
        text(&mut evidence.by);
    }
    for system in profile.systems.values_mut() {
        answers(&mut system.answers);
        maybe(&mut system.name);
        for evidence in &mut system.evidence {
            text(&mut evidence.reference);
            text(&mut evidence.by);
        }
    }
    for left in &mut profile.left_out {
        text(&mut left.why);
        maybe(&mut left.by);
    }
    profile
}

/// Answers, withdrawals and evidence, with the person and the reason.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Answers by key: `main.role` for one system, `all.role` for every system, `organisation.established`, or `Q1` for the
    /// first open question. A value is a word, a list of words, or an object with `value`, `by`, `why`, `on` and `until`.
    #[serde(default)]
    pub answers: BTreeMap<String, Value>,
    /// The keys of answers to withdraw.
    #[serde(default)]
    pub withdraw: Vec<String>,
    /// Evidence that is kept outside the repository.
    #[serde(default)]
    pub evidence: Vec<EvidenceRequest>,
    /// The name of the person behind the answers.
    #[serde(default)]
    pub by: Option<String>,
    /// The reason for the answers.
    #[serde(default)]
    pub why: Option<String>,
    /// The date of the answers; today if absent.
    #[serde(default)]
    pub on: Option<Date>,
}

/// Evidence that a person declares for an obligation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceRequest {
    /// The system, or `all`.
    #[serde(default)]
    pub system: Option<String>,
    /// The obligation, `OBL-<number>`.
    pub obligation: String,
    /// What the evidence is and where it is kept.
    pub reference: String,
    /// The last day on which it is valid; twelve months after `on` if absent.
    #[serde(default)]
    pub until: Option<Date>,
}

/// The effects of answers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerReply {
    /// The file with the answers.
    pub profile_path: String,
    /// The answered keys with their stored values.
    pub answered: BTreeMap<String, Vec<String>>,
    /// The keys of withdrawn answers.
    pub withdrawn: Vec<String>,
    /// The obligations with new evidence.
    pub evidenced: Vec<String>,
    /// Whether the file changed.
    pub changed: bool,
    /// Warnings in plain words, above all about prohibited practices.
    pub warnings: Vec<String>,
    /// The number of remaining open questions, over all systems.
    pub open: u64,
    /// The number of undetermined obligations, over all systems.
    pub undetermined: u64,
}

/// One answer of a request.
struct Given {
    target: Target,
    spec: &'static QuestionSpec,
    words: Vec<String>,
    by: Option<String>,
    why: Option<String>,
    on: Option<Date>,
    until: Option<Date>,
}

impl Engine {
    /// Scans the project as it is and keeps nothing: what questions are asked and answered about.
    pub(crate) fn look(&self, state: &ProjectState) -> Result<ScanResult, Failure> {
        let _running = Running::begin(&self.scans)?;
        let settings = self.settings(state, None, None, None)?;
        self.run(state, &settings, &ScanHooks::default())
    }

    /// The open questions of a project as it is now, each with the system that it is about. Nothing is kept.
    pub fn open_questions(&self, path: Option<&str>) -> Result<(ScanResult, Vec<(System, Question)>), Failure> {
        let state = self.project_or_current(path)?;
        let scan = self.look(&state)?;
        let open = open_questions(&scan);
        Ok((scan, open))
    }

    /// Writes answers into the profile. All of them are kept, or none.
    pub fn answer(&self, request: &AnswerRequest) -> Result<AnswerReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        if self.options.read_only {
            return Err(Failure::new(
                ErrorCode::ReadOnly,
                "the engine is read-only and changed nothing; start it without `--read-only`",
            ));
        }
        let count = request.answers.len() + request.withdraw.len() + request.evidence.len();
        if count > ANSWERS_MAX {
            let details =
                format!("{count} changes sent, but at most {ANSWERS_MAX} are allowed at once; send them in parts");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("answers"));
        }
        let _one_at_a_time = state.passports();
        self.answer_locked(&state, request)
    }

    /// The same for a caller that holds the lock of passports already.
    pub(crate) fn answer_locked(&self, state: &ProjectState, request: &AnswerRequest) -> Result<AnswerReply, Failure> {
        let keys = self.signer().keys()?;
        let loaded = load(state)?;
        if let Some(error) = &loaded.record.error {
            let details = format!("{error}; correct the file first, so that its content is not lost");
            return Err(Failure::new(ErrorCode::StateConflict, details));
        }
        let scan = self.look(state)?;
        let today = self.today();
        let mut changes = Vec::new();
        let mut reply = AnswerReply {
            profile_path: shown(),
            answered: BTreeMap::new(),
            withdrawn: Vec::new(),
            evidenced: Vec::new(),
            changed: false,
            warnings: Vec::new(),
            open: 0,
            undetermined: 0,
        };
        for (key, value) in &request.answers {
            let given = given(&scan, key, value, request)?;
            let field = format!("answers.{key}");
            let words = given.words.iter().map(String::as_str);
            let value = given
                .spec
                .read(words)
                .map_err(|error| invalid(&field, format!("`{key}`: {}", mask_secrets(&error.to_string()))))?;
            let name = format!("{}.{}", given.target.name(), given.spec.id);
            reply.warnings.extend(consequence(given.spec, &value, &scan));
            reply.answered.insert(name, value.words().to_vec());
            changes.push(Change::Answer {
                answer: Answer {
                    value,
                    by: words_of(given.by.as_deref(), "by")?,
                    on: Some(given.on.or(request.on).unwrap_or(today)),
                    why: words_of(given.why.as_deref(), "why")?,
                    until: given.until,
                    seen: Some(seen(&scan, &given.target, given.spec)),
                    place: Place::default(),
                },
                target: given.target,
                question: given.spec,
            });
        }
        for key in &request.withdraw {
            let (target, spec) = resolve(&scan, key).map_err(|failure| failure.field("withdraw"))?;
            reply.withdrawn.push(format!("{}.{}", target.name(), spec.id));
            changes.push(Change::Withdraw { target, question: spec });
        }
        for (index, one) in request.evidence.iter().enumerate() {
            changes.push(evidence_change(&scan, one, index, request, today)?);
            reply.evidenced.push(one.obligation.clone());
        }
        let before = loaded.text.as_deref();
        let after = edit(before, &changes).map_err(|error| {
            Failure::new(
                ErrorCode::StateConflict,
                format!("{}: {}", shown(), mask_secrets(&error.to_string())),
            )
        })?;
        reply.changed = !changes.is_empty() && before != Some(after.as_str());
        if reply.changed {
            self.keep_profile(state, &keys.secret, before, &after, &changes, "answered")?;
        }
        let now = self.look(state)?;
        reply.open = open_questions(&now).len() as u64;
        reply.undetermined = undetermined(&now);
        Ok(reply)
    }

    /// Puts the file in place together with its entry: answers by digest, names beside the chain.
    fn keep_profile(
        &self,
        state: &ProjectState,
        key: &engine_signing::SecretKey,
        before: Option<&str>,
        after: &str,
        changes: &[Change],
        action: &str,
    ) -> Result<(), Failure> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mut answers = Vec::new();
        for change in changes {
            match change {
                Change::Answer {
                    target,
                    question,
                    answer,
                } => {
                    names.extend(answer.by.as_deref());
                    let content = json!({
                        "value": answer.value.words(),
                        "on": answer.on,
                        "why": answer.why,
                        "until": answer.until,
                        "seen": answer.seen,
                    });
                    answers.push(json!({
                        "key": format!("{}.{}", target.name(), question.id),
                        "answer": Digest::of_json(&content).map_err(|error| conflict(&error))?,
                    }));
                }
                Change::Withdraw { target, question } => {
                    answers.push(json!({"key": format!("{}.{}", target.name(), question.id), "withdrawn": true}));
                }
                Change::Evidence {
                    target,
                    obligation,
                    reference,
                    by,
                    ..
                } => {
                    names.insert(by);
                    answers.push(json!({
                        "key": format!("{}.evidence", target.name()),
                        "obligation": obligation,
                        "reference": Digest::of(reference.as_bytes()),
                    }));
                }
            }
        }
        let personal: Vec<Personal> = names
            .into_iter()
            .map(Personal::new)
            .collect::<Result<_, _>>()
            .map_err(|error| conflict(&error))?;
        let digest = Digest::of(after.as_bytes());
        let payload = json!({
            "action": action,
            "file": shown(),
            "before": before.map(|text| Digest::of(text.as_bytes())),
            "answers": answers,
            "personal": personal.iter().map(Personal::digest).collect::<Vec<_>>(),
        });
        let artifacts = vec![Artifact {
            path: shown(),
            blake3: digest,
        }];
        let draft = self.draft(EntryType::Profile, None, payload, artifacts);
        let file = FileChange {
            path: FILE.to_owned(),
            before: before.map(|text| text.as_bytes().to_vec()),
            after: Some(after.to_owned()),
        };
        let added = state.change_files(vec![file], personal, draft, &self.chain_name(), key)?;
        if let Some(store) = state.store() {
            store
                .meta_set(KNOWN_DIGEST, &digest.to_string())
                .map_err(|error| conflict(&error))?;
        }
        self.recorded(state, &added);
        Ok(())
    }

    /// Records a profile that somebody changed by hand since the chain last saw it.
    pub(crate) fn record_edited_profile(&self, state: &ProjectState) -> Result<(), Failure> {
        let Some(store) = state.store() else { return Ok(()) };
        let bytes = state.state_file(FILE)?;
        let digest = bytes.as_deref().map(|bytes| Digest::of(bytes).to_string());
        let known = store.meta_get(KNOWN_DIGEST).map_err(|error| conflict(&error))?;
        if known.as_deref().filter(|known| !known.is_empty()) == digest.as_deref() {
            return Ok(());
        }
        let keys = self.signer().keys()?;
        let action = if digest.is_some() { "edited" } else { "removed" };
        let payload = json!({"action": action, "file": shown(), "before": known});
        let artifacts = bytes
            .as_deref()
            .map(|bytes| Artifact {
                path: shown(),
                blake3: Digest::of(bytes),
            })
            .into_iter()
            .collect();
        let draft = self.draft(EntryType::Profile, None, payload, artifacts);
        let added = store
            .record(draft, &self.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        store
            .meta_set(KNOWN_DIGEST, digest.as_deref().unwrap_or_default())
            .map_err(|error| conflict(&error))?;
        self.recorded(state, &added);
        Ok(())
    }

    /// The day, in UTC.
    pub(crate) fn today(&self) -> Date {
        (self.options.clock.now)().to_zoned(jiff::tz::TimeZone::UTC).date()
    }
}

/// Evidence of a request as a change of the profile.
fn evidence_change(
    scan: &ScanResult,
    one: &EvidenceRequest,
    index: usize,
    request: &AnswerRequest,
    today: Date,
) -> Result<Change, Failure> {
    let field = |name: &str| format!("evidence.{index}.{name}");
    let target = match one.system.as_deref() {
        None | Some(ALL_SYSTEMS | ORGANISATION) => Target::Organisation,
        Some(id) => Target::System(known_system(scan, id).map_err(|failure| failure.field(field("system")))?),
    };
    let Some(obligation) = regulation().obligation(&one.obligation) else {
        let known = regulation()
            .obligations()
            .iter()
            .map(|obligation| obligation.id.as_str());
        let meant = nearest(&one.obligation, known).unwrap_or("OBL-001");
        let details = format!(
            "unknown obligation `{}`; did you mean `{meant}`?",
            shorten(&one.obligation)
        );
        return Err(invalid(&field("obligation"), details));
    };
    if obligation.is_prohibition() {
        let details = "evidence cannot exclude a practice of Art. 5; give an answer instead, such as `main.art-5-social-scoring = no` with a reason";
        return Err(Failure::new(ErrorCode::Impossible, details).field(field("obligation")));
    }
    let by = words_of(request.by.as_deref(), "by")?.ok_or_else(|| {
        invalid(
            "by",
            "`by` is missing; give the name of the person who provides the evidence".to_owned(),
        )
    })?;
    let reference = words_of(Some(&one.reference), &field("reference"))?.ok_or_else(|| {
        invalid(
            &field("reference"),
            "`reference` is empty; state what the evidence is and where it is kept".to_owned(),
        )
    })?;
    Ok(Change::Evidence {
        target,
        obligation: obligation.id.clone(),
        reference,
        by,
        on: request.on.unwrap_or(today),
        until: one.until,
    })
}

/// The open questions with the head of the system that each is about, in the order of their numbers.
pub(crate) fn open_questions(scan: &ScanResult) -> Vec<(System, Question)> {
    engine_model::open_questions(&scan.systems)
        .into_iter()
        .map(|open| {
            let own = scan
                .systems
                .iter()
                .find(|system| open.system.as_ref() == Some(&system.id));
            let head = System {
                id: own.map_or_else(|| ALL_SYSTEMS.to_owned(), |system| system.id.clone()),
                name: own.map_or_else(|| "all systems".to_owned(), |system| system.name.clone()),
                scope: own.map_or_else(String::new, |system| system.scope.clone()),
                ..System::default()
            };
            (head, open.question)
        })
        .collect()
}

/// The number of undetermined obligations, over all systems.
pub(crate) fn undetermined(scan: &ScanResult) -> u64 {
    let records = scan.systems.iter().flat_map(|system| &system.obligations);
    let waiting = records.filter(|record| record.applies == engine_model::Applies::Undetermined);
    waiting.count() as u64
}

/// An answer of a request: a word, a list, or an object with the words around it.
fn given(scan: &ScanResult, key: &str, value: &Value, request: &AnswerRequest) -> Result<Given, Failure> {
    let field = format!("answers.{key}");
    let (target, spec) = resolve(scan, key).map_err(|failure| failure.field(field.clone()))?;
    let mut given = Given {
        target,
        spec,
        words: Vec::new(),
        by: request.by.clone(),
        why: request.why.clone(),
        on: None,
        until: None,
    };
    let object = value.as_object();
    if let Some(object) = object {
        let known = ["value", "by", "why", "on", "until"];
        for (name, value) in object {
            let text = || {
                value
                    .as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| invalid(&format!("{field}.{name}"), format!("`{name}` must be a string")))
            };
            let date = || {
                text()?.parse::<Date>().map_err(|_| {
                    invalid(
                        &format!("{field}.{name}"),
                        format!("`{name}` must be a date such as 2026-11-28"),
                    )
                })
            };
            match name.as_str() {
                "value" => {}
                "by" => given.by = Some(text()?),
                "why" => given.why = Some(text()?),
                "on" => given.on = Some(date()?),
                "until" => given.until = Some(date()?),
                other => {
                    let meant = nearest(other, known).map(|meant| format!("; did you mean `{meant}`?"));
                    let details = format!(
                        "unknown field `{}` in an answer{}",
                        shorten(other),
                        meant.unwrap_or_default()
                    );
                    return Err(invalid(&format!("{field}.{other}"), details));
                }
            }
        }
    }
    let value = object.map_or(Some(value), |object| object.get("value"));
    given.words = match value {
        Some(Value::String(text)) if spec.kind == engine_profile::Kind::AnyOf => {
            text.split(',').map(|word| word.trim().to_owned()).collect()
        }
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Bool(flag)) => vec![if *flag { "yes" } else { "no" }.to_owned()],
        Some(Value::Number(number)) => vec![number.to_string()],
        Some(Value::Array(words)) if words.is_empty() => vec!["none".to_owned()],
        Some(Value::Array(words)) => words
            .iter()
            .map(|word| word.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| invalid(&field, format!("`{key}` must be a word or a list of words")))?,
        _ => {
            let details = format!(
                "`{}` has no value; give a word, a list of words, or `{{\"value\": …}}`",
                shorten(key)
            );
            return Err(invalid(&field, details));
        }
    };
    Ok(given)
}

/// The target and the question of a key: `main.role`, `organisation.established`, `role` where one system is meant, `Q1`.
fn resolve(scan: &ScanResult, key: &str) -> Result<(Target, &'static QuestionSpec), Failure> {
    let number = key
        .strip_prefix(['Q', 'q'])
        .and_then(|number| number.parse::<usize>().ok());
    if let Some(number) = number {
        let open = open_questions(scan);
        let chosen = number.checked_sub(1).and_then(|at| open.get(at));
        let Some((system, asked)) = chosen else {
            let details = match open.len() {
                0 => format!(
                    "unknown question `{}`: no question is open; use a key such as `main.role`",
                    shorten(key)
                ),
                many => format!(
                    "unknown question `{}`; the open questions are Q1 to Q{many}",
                    shorten(key)
                ),
            };
            return Err(Failure::new(ErrorCode::Impossible, details));
        };
        let spec = question(&asked.id).ok_or_else(|| unknown_question(&asked.id, ""))?;
        return Ok((Target::of(spec, &system.id), spec));
    }
    let (system, id) = match key.rsplit_once('.') {
        Some((system, id)) => (Some(system), id),
        None => (None, key),
    };
    let spec = question(id).ok_or_else(|| unknown_question(id, system.unwrap_or("")))?;
    match (spec.scope, system) {
        (Scope::Organisation, None | Some(ORGANISATION | ALL_SYSTEMS)) => Ok((Target::Organisation, spec)),
        (Scope::Organisation, Some(_)) => {
            let details = format!("`{id}` applies to the organisation; write `{ORGANISATION}.{id}`");
            Err(Failure::new(ErrorCode::InvalidRequest, details))
        }
        (Scope::System, Some(ORGANISATION)) => {
            let details =
                format!("`{id}` applies to a system; write `SYSTEM.{id}`, or `{ALL_SYSTEMS}.{id}` for every system");
            Err(Failure::new(ErrorCode::InvalidRequest, details))
        }
        (Scope::System, Some(ALL_SYSTEMS)) => Ok((Target::AllSystems, spec)),
        (Scope::System, Some(system)) => Ok((Target::System(known_system(scan, system)?), spec)),
        (Scope::System, None) => match scan.systems.as_slice() {
            [only] => Ok((Target::System(only.id.clone()), spec)),
            [] => Err(no_systems()),
            several => {
                let names: Vec<String> = several.iter().map(|system| format!("`{}.{id}`", system.id)).collect();
                let details = format!(
                    "`{id}` needs a system; write one of {}, or `{ALL_SYSTEMS}.{id}` for all",
                    names.join(", ")
                );
                Err(Failure::new(ErrorCode::InvalidRequest, details))
            }
        },
    }
}

fn unknown_question(id: &str, system: &str) -> Failure {
    let known = questions().iter().map(|spec| spec.id);
    let meant = nearest(id, known).map(|meant| {
        let system = if system.is_empty() {
            String::new()
        } else {
            format!("{system}.")
        };
        format!("; did you mean `{system}{meant}`?")
    });
    let details = format!(
        "unknown question `{}`{} GET /onboarding/questions lists all",
        shorten(id),
        meant.unwrap_or_else(|| ";".to_owned())
    );
    Failure::new(ErrorCode::InvalidRequest, details)
}

/// The id of a system of the project; a system that the profile declares counts too.
fn known_system(scan: &ScanResult, id: &str) -> Result<String, Failure> {
    if scan.systems.iter().any(|system| system.id == id) {
        return Ok(id.to_owned());
    }
    if let Some(named) = scan.systems.iter().find(|system| system.name == id) {
        return Ok(named.id.clone());
    }
    if scan.systems.is_empty() {
        return Err(no_systems());
    }
    let known: Vec<&str> = scan.systems.iter().map(|system| system.id.as_str()).collect();
    let meant = nearest(id, known.iter().copied()).map(|meant| format!("did you mean `{meant}`? "));
    let details = format!(
        "unknown system `{}`; {}The systems are {}",
        shorten(id),
        meant.unwrap_or_default(),
        known.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
    );
    Err(Failure::new(ErrorCode::InvalidRequest, details))
}

fn no_systems() -> Failure {
    Failure::new(
        ErrorCode::Impossible,
        "no AI system was found in this project, so this question does not apply; answer questions on the organisation only",
    )
}

/// The facts in code on which an answer is given.
fn seen(scan: &ScanResult, target: &Target, spec: &QuestionSpec) -> BTreeSet<String> {
    let systems = scan.systems.iter().filter(|system| match target {
        Target::System(id) => system.id == *id,
        Target::AllSystems | Target::Organisation => true,
    });
    let all: BTreeSet<String> = systems.flat_map(|system| system.seen.iter().cloned()).collect();
    spec.facts_of(&all).cloned().collect()
}

/// What an answer leads to at once, in plain words.
fn consequence(spec: &QuestionSpec, value: &engine_profile::Value, scan: &ScanResult) -> Option<String> {
    let (_, obligation) = engine_profile::practices().find(|(own, _)| own.id == spec.id)?;
    if !value.is_yes() {
        return None;
    }
    let obligation = regulation().obligation(obligation)?;
    let from = obligation.applies_from;
    let when = if scan.as_of >= from {
        format!("has been prohibited since {from}")
    } else {
        format!("will be prohibited from {from}")
    };
    Some(format!(
        "{}: this practice {when}. {} Stop the practice, or have legal counsel confirm an exception before the system runs again.",
        spec.provision, spec.why
    ))
}

/// Words of a person: none where they are empty, refused where they are too long.
fn words_of(words: Option<&str>, field: &str) -> Result<Option<String>, Failure> {
    let words = words.map(str::trim).filter(|words| !words.is_empty());
    match words {
        Some(words) if words.chars().count() > WORDS_CHARS_MAX => {
            let details =
                format!("`{field}` is longer than {WORDS_CHARS_MAX} characters; shorten it or refer to a document");
            Err(invalid(field, details))
        }
        // A key that slipped into a reason must not be kept in a file that goes into git.
        Some(words) => Ok(Some(mask_secrets(words))),
        None => Ok(None),
    }
}

fn invalid(field: &str, details: String) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, details).field(field)
}

fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}
