//! What changes documents: each change is kept together with its entry in the chain.

use engine_documents::{
    DocumentDuty, Due, FinaliseError, Kind, Outline, Request, Status, finalise, generate, update, which_apply,
};
use engine_evidence::{Artifact, EntryType};
use engine_messages::{Language, Messages};
use engine_model::{Date, ErrorCode, Failure, ScanResult};
use engine_scanner::mask_secrets;
use engine_signing::Digest;
use engine_store::{FileChange, Keys, Personal};
use jiff::ToSpan;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::gathering::{Gathered, Subject};
use super::requests::{
    DocAllReply, DocAllRequest, DocNotDue, DocProblem, DocReply, DocRequest, Finalisation, FriaRequest, NotifyRequest,
    PolicyRequest,
};
use super::{GENERATED, Stated, Stored, known_kind, path_of, shown_path, stem, stored};
use crate::Engine;
use crate::project::{ProjectState, conflict};
use crate::scan::{Running, ScanHooks};
use engine_documents::RequestField as Field;

/// What was generated last, as it is kept beside the document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Last {
    version: u32,
    /// The generated text, against which a person's edits are compared.
    generated: String,
    /// What callers stated.
    request: Request,
}

/// The version of [`Last`].
const LAST_VERSION: u32 = 1;

/// A document that is due for a system.
pub(crate) struct DueDocument {
    pub(crate) kind: String,
    pub(crate) system: String,
}

/// The documents that are due for the systems of a scan, whether they exist or not.
pub(crate) fn due(state: &ProjectState, scan: &ScanResult) -> Result<Vec<DueDocument>, Failure> {
    if scan.systems.is_empty() {
        return Ok(Vec::new());
    }
    let gathered = Gathered::of(state)?;
    let mut all = Vec::new();
    for subject in gathered.subjects(scan, None)? {
        let duties = which_apply(&subject.facts());
        all.extend(duties.iter().filter(|duty| duty.is_due()).map(|duty| DueDocument {
            kind: duty.kind.to_owned(),
            system: subject.system.id.clone(),
        }));
    }
    Ok(all)
}

/// What a request for one document states.
struct Wanted<'r> {
    path: Option<&'r str>,
    name: Option<&'r str>,
    kind: &'static Kind,
    stated: Stated<'r>,
    industry: Option<engine_documents::Industry>,
    language: Option<Language>,
}

impl Engine {
    /// Generates a fundamental rights impact assessment.
    pub fn fria(&self, request: &FriaRequest) -> Result<DocReply, Failure> {
        self.document(&Wanted {
            path: request.path.as_deref(),
            name: request.name.as_deref(),
            kind: known_kind("fria")?,
            stated: vec![
                (Field::Organization, request.organization.as_deref()),
                (Field::Assessor, request.assessor.as_deref()),
                (Field::Impact, request.impact.as_deref()),
                (Field::Mitigation, request.mitigation.as_deref()),
                (Field::Approval, request.approval.as_deref()),
            ],
            industry: None,
            language: request.language,
        })
    }

    /// Generates a notification of workers.
    pub fn notify_workers(&self, request: &NotifyRequest) -> Result<DocReply, Failure> {
        let date = request.deployment_date.map(|date| date.to_string());
        self.document(&Wanted {
            path: request.path.as_deref(),
            name: request.name.as_deref(),
            kind: known_kind("worker-notification")?,
            stated: vec![
                (Field::CompanyName, request.company_name.as_deref()),
                (Field::ContactName, request.contact_name.as_deref()),
                (Field::ContactEmail, request.contact_email.as_deref()),
                (Field::DeploymentDate, date.as_deref()),
                (Field::AffectedRoles, request.affected_roles.as_deref()),
                (Field::ImpactDescription, request.impact_description.as_deref()),
            ],
            industry: None,
            language: request.language,
        })
    }

    /// Generates a policy on the use of AI.
    pub fn usage_policy(&self, request: &PolicyRequest) -> Result<DocReply, Failure> {
        self.document(&Wanted {
            path: request.path.as_deref(),
            name: request.name.as_deref(),
            kind: known_kind("ai-usage-policy")?,
            stated: vec![
                (Field::Organization, request.organization.as_deref()),
                (Field::Approver, request.approver.as_deref()),
            ],
            industry: request.industry,
            language: request.language,
        })
    }

    /// Generates one document, or makes its draft final.
    pub fn doc(&self, request: &DocRequest) -> Result<DocReply, Failure> {
        let wanted = Wanted {
            path: request.path.as_deref(),
            name: request.name.as_deref(),
            kind: known_kind(&request.doc_type)?,
            stated: vec![(Field::Organization, request.organization.as_deref())],
            industry: None,
            language: request.language,
        };
        match &request.finalise {
            Some(person) => self.finalise_document(&wanted, person),
            None => self.document(&wanted),
        }
    }

    /// Generates every document that is due.
    pub fn all_docs(&self, request: &DocAllRequest) -> Result<DocAllReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        self.refuse_to_write_read_only()?;
        let keys = self.signer().keys()?;
        let _one_at_a_time = state.passports();
        let scan = self.document_scan(&state)?;
        let gathered = Gathered::of(&state)?;
        let stated = vec![(Field::Organization, request.organization.as_deref())];
        let mut reply = DocAllReply::default();
        for subject in gathered.subjects(&scan, request.name.as_deref())? {
            for duty in which_apply(&subject.facts()) {
                if !duty.is_due() {
                    reply.not_applicable.push(DocNotDue {
                        doc_type: duty.kind.to_owned(),
                        system: subject.system.id.clone(),
                        title: duty.title.to_owned(),
                        reason: duty.reason().unwrap_or_default(),
                    });
                    continue;
                }
                let kind = known_kind(duty.kind)?;
                let problem = |error: String| DocProblem {
                    doc_type: duty.kind.to_owned(),
                    system: subject.system.id.clone(),
                    saved_path: shown_path(&stem(kind, &subject.system.id, subject.is_one_of_several())),
                    error,
                };
                let wanted = Wanted {
                    path: None,
                    name: None,
                    kind,
                    stated: stated.clone(),
                    industry: None,
                    language: request.language,
                };
                match self.generated(&state, &keys, &subject, &duty, &wanted) {
                    Ok(one) => reply.generated.push(one),
                    Err(Refused::Final(details)) => reply.kept.push(problem(details)),
                    Err(Refused::Failed(failure)) if failure.code == ErrorCode::StateConflict => {
                        reply.errors.push(problem(failure.details));
                    }
                    Err(Refused::Failed(failure)) => return Err(failure),
                }
            }
        }
        Ok(reply)
    }

    fn document(&self, wanted: &Wanted<'_>) -> Result<DocReply, Failure> {
        let state = self.project_or_current(wanted.path)?;
        self.refuse_to_write_read_only()?;
        let keys = self.signer().keys()?;
        let _one_at_a_time = state.passports();
        let scan = self.document_scan(&state)?;
        let gathered = Gathered::of(&state)?;
        let subject = one_subject(&gathered, &scan, wanted.name)?;
        let facts = subject.facts();
        let duty = which_apply(&facts)
            .into_iter()
            .find(|duty| duty.kind == wanted.kind.id())
            .ok_or_else(|| Failure::new(ErrorCode::Internal, "the law data have no such document"))?;
        if let Due::Not { reason } = &duty.due
            && wanted.kind.document.applies_from.is_some()
        {
            let details = format!(
                "the law does not require the document `{}` of this system, so it was not generated. {reason}",
                duty.kind
            );
            return Err(Failure::new(ErrorCode::Impossible, details).field("docType"));
        }
        self.generated(&state, &keys, &subject, &duty, wanted)
            .map_err(Refused::failure)
    }

    /// The project as it is now; nothing is kept.
    fn document_scan(&self, state: &ProjectState) -> Result<ScanResult, Failure> {
        let _running = Running::begin(&self.scans)?;
        let settings = self.settings(state, None, None, None)?;
        self.run(state, &settings, &ScanHooks::default())
    }

    /// Generates a document of a system and keeps it.
    fn generated(
        &self,
        state: &ProjectState,
        keys: &Keys,
        subject: &Subject<'_>,
        duty: &DocumentDuty,
        wanted: &Wanted<'_>,
    ) -> Result<DocReply, Refused> {
        let facts = subject.facts();
        let kind = wanted.kind;
        let stem = stem(kind, &subject.system.id, subject.is_one_of_several());
        let before = stored(state, kind, &stem)?;
        if let Some(document) = before.as_ref().filter(|document| document.is_final()) {
            return Err(Refused::Final(is_final(&stem, &document.outline)));
        }
        let (last, last_bytes) = last(state, &stem)?;
        let mut request = Request {
            industry: wanted.industry,
            // An existing document stays in its language.
            language: wanted
                .language
                .or(before.as_ref().map(|document| document.outline.language)),
            ..Request::default()
        };
        for (field, text) in &wanted.stated {
            request.state(*field, text.map(mask_secrets).as_deref(), facts.as_of);
        }
        let request = match &last {
            Some(last) if before.is_some() => request.over(&last.request),
            _ => request,
        };
        let made = generate(kind, &facts, &request);
        let new = mask_secrets(&made.content);
        let mut notes: Vec<String> = duty.reason().into_iter().collect();
        let (text, conflicts) = match (&before, &last) {
            (None, _) => (new.clone(), 0),
            (Some(document), Some(last)) => {
                let updated = update(&last.generated, &document.text, &new);
                (updated.content, updated.conflicts)
            }
            // Which lines are a person's is not known, so all of them are kept.
            (Some(document), None) => {
                notes.push(
                    "The file is from another machine or an earlier copy, so it was kept as it is; later changes of values \
                     will be merged into it."
                        .to_owned(),
                );
                (document.text.clone(), 0)
            }
        };
        if conflicts > 0 {
            notes.push(format!(
                "{conflicts} {} of your edits and new values concern the same lines. Both are in the text; keep one of each.",
                if conflicts == 1 { "place" } else { "places" }
            ));
        }
        let kept = kept_beside(&new, &request).map_err(|error| conflict(&error))?;
        let change = Change {
            action: if before.is_some() { "updated" } else { "generated" },
            kind,
            system: &subject.system.id,
            stem: &stem,
            before: before.as_ref(),
            text: &text,
            last: Some((last_bytes, kept)),
            person: None,
        };
        let changed = self.keep_document(state, keys, change)?;
        let outline = Outline::of(&text);
        let mut reply = reply(kind, &subject.system.id, &stem, changed, outline.as_ref());
        reply.prefilled_fields = made.prefilled_fields;
        if outline.is_none() {
            reply.manual_fields = made.manual_fields;
        }
        reply.conflicts = conflicts as u64;
        reply.notes = notes;
        reply.content = text;
        Ok(reply)
    }

    /// Makes the draft of a document final.
    fn finalise_document(&self, wanted: &Wanted<'_>, person: &Finalisation) -> Result<DocReply, Failure> {
        let state = self.project_or_current(wanted.path)?;
        self.refuse_to_write_read_only()?;
        let today = (self.options.clock.now)().to_zoned(jiff::tz::TimeZone::UTC).date();
        // Somewhere it is tomorrow already.
        if person.date > today.saturating_add(1.day()) {
            let details = format!("`finalise.date` is in the future: {}", person.date);
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("finalise.date"));
        }
        let keys = self.signer().keys()?;
        let _one_at_a_time = state.passports();
        let scan = self.document_scan(&state)?;
        let gathered = Gathered::of(&state)?;
        let subject = one_subject(&gathered, &scan, wanted.name)?;
        let stem = stem(wanted.kind, &subject.system.id, subject.is_one_of_several());
        let Some(before) = stored(&state, wanted.kind, &stem)? else {
            let details = format!(
                "{} does not exist; generate it first, answer its questions, and then make it final",
                shown_path(&stem)
            );
            return Err(Failure::new(ErrorCode::Impossible, details).field("finalise"));
        };
        let text = finalised(&before, &stem, &person.name, person.date)?;
        let change = Change {
            action: "finalised",
            kind: wanted.kind,
            system: &subject.system.id,
            stem: &stem,
            before: Some(&before),
            text: &text,
            last: None,
            person: Some(&person.name),
        };
        let changed = self.keep_document(&state, &keys, change)?;
        let mut reply = reply(
            wanted.kind,
            &subject.system.id,
            &stem,
            changed,
            Outline::of(&text).as_ref(),
        );
        reply.content = text;
        Ok(reply)
    }

    /// Keeps a document together with its entry. Returns whether its text is another one than before.
    fn keep_document(&self, state: &ProjectState, keys: &Keys, change: Change<'_>) -> Result<bool, Failure> {
        let before = change.before.map(|before| before.bytes.clone());
        let changed = before.as_deref() != Some(change.text.as_bytes());
        let mut files = Vec::new();
        if changed {
            files.push(FileChange {
                path: path_of(change.stem),
                before,
                after: Some(change.text.to_owned()),
            });
        }
        if let Some((bytes, text)) = change.last
            && bytes.as_deref() != Some(text.as_bytes())
        {
            files.push(FileChange {
                path: last_path(change.stem),
                before: bytes,
                after: Some(text),
            });
        }
        if files.is_empty() {
            return Ok(false);
        }
        let artifacts = if changed {
            vec![Artifact {
                path: shown_path(change.stem),
                blake3: Digest::of(change.text.as_bytes()),
            }]
        } else {
            Vec::new()
        };
        // The entry holds a digest of the name only, so that the name can be erased.
        let personal: Vec<Personal> = change
            .person
            .into_iter()
            .map(Personal::new)
            .collect::<Result<_, _>>()
            .map_err(|error| conflict(&error))?;
        let payload = json!({
            "action": change.action,
            "docType": change.kind.id(),
            "system": change.system,
            "file": shown_path(change.stem),
            "before": change.before.map(|before| Digest::of(&before.bytes)),
            "completeness": Outline::of(change.text).map(|outline| outline.completeness),
            "personal": personal.iter().map(Personal::digest).collect::<Vec<_>>(),
        });
        let draft = self.draft(EntryType::Document, None, payload, artifacts);
        let added = state.change_files(files, personal, draft, &self.chain_name(), &keys.secret)?;
        self.recorded_soon(state, &added);
        Ok(changed)
    }

    fn refuse_to_write_read_only(&self) -> Result<(), Failure> {
        if self.options.read_only {
            return Err(Failure::new(
                ErrorCode::ReadOnly,
                "the engine is read-only and changed nothing; start it without `--read-only`",
            ));
        }
        Ok(())
    }
}

/// A change that is ready to be kept.
struct Change<'a> {
    action: &'static str,
    kind: &'static Kind,
    system: &'a str,
    stem: &'a str,
    before: Option<&'a Stored>,
    text: &'a str,
    /// What is kept of the generated text: the bytes before, and the text now.
    last: Option<(Option<Vec<u8>>, String)>,
    /// The person behind the change.
    person: Option<&'a str>,
}

/// Why a document was not generated.
enum Refused {
    /// It is final.
    Final(String),
    /// Something else.
    Failed(Failure),
}

impl Refused {
    fn failure(self) -> Failure {
        match self {
            Self::Final(details) => Failure::new(ErrorCode::StateConflict, details),
            Self::Failed(failure) => failure,
        }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The one system of a request.
fn one_subject<'s>(gathered: &'s Gathered, scan: &'s ScanResult, name: Option<&str>) -> Result<Subject<'s>, Failure> {
    let mut subjects = gathered.subjects(scan, name)?;
    if let (Some(subject), true) = (subjects.pop(), subjects.is_empty()) {
        return Ok(subject);
    }
    let ids: Vec<String> = scan
        .systems
        .iter()
        .take(20)
        .map(|system| format!("`{}`", system.id))
        .collect();
    let details = format!(
        "`name` is missing; this project has {} systems, so choose one: {}",
        scan.systems.len(),
        ids.join(", ")
    );
    Err(Failure::new(ErrorCode::InvalidRequest, details).field("name"))
}

/// A final text of a draft.
fn finalised(before: &Stored, stem: &str, name: &str, date: Date) -> Result<String, Failure> {
    finalise(&before.text, name, date).map_err(|error| match &error {
        FinaliseError::Name => Failure::new(ErrorCode::InvalidRequest, error.to_string()).field("finalise.name"),
        FinaliseError::Open(_) => {
            let details = format!(
                "{} cannot be made final: {error}. Replace each mark with an answer, and then try again",
                shown_path(stem)
            );
            Failure::new(ErrorCode::Impossible, details).field("finalise")
        }
        FinaliseError::AlreadyFinal { .. } => {
            Failure::new(ErrorCode::StateConflict, is_final(stem, &before.outline)).field("finalise")
        }
        FinaliseError::NotADocument => Failure::new(ErrorCode::StateConflict, error.to_string()),
    })
}

fn is_final(stem: &str, outline: &Outline) -> String {
    format!(
        "{} is final, by {} on {}, and was not changed; set it back to `status: draft` to change it",
        shown_path(stem),
        outline.finalised_by.as_deref().unwrap_or("an unnamed person"),
        outline.finalised_on.as_deref().unwrap_or("an unknown date")
    )
}

/// What was generated last; none where that is not known, with the bytes of the file.
fn last(state: &ProjectState, stem: &str) -> Result<(Option<Last>, Option<Vec<u8>>), Failure> {
    let bytes = state.state_file(&last_path(stem))?;
    let last = bytes
        .as_deref()
        .and_then(|bytes| serde_json::from_slice::<Last>(bytes).ok())
        .filter(|last| last.version == LAST_VERSION);
    Ok((last, bytes))
}

/// What is kept beside a generated text, so that a later version keeps a person's edits.
pub(super) fn kept_beside(generated: &str, request: &Request) -> serde_json::Result<String> {
    serde_json::to_string(&Last {
        version: LAST_VERSION,
        generated: generated.to_owned(),
        request: request.clone(),
    })
}

pub(super) fn last_path(stem: &str) -> String {
    format!("{GENERATED}/{stem}.json")
}

fn reply(kind: &'static Kind, system: &str, stem: &str, changed: bool, outline: Option<&Outline>) -> DocReply {
    let is_final = outline.is_some_and(|outline| outline.status == Status::Final);
    let language = outline.map(|outline| outline.language).unwrap_or_default();
    DocReply {
        doc_type: kind.id().to_owned(),
        title: kind.title_in(Messages::of(language)).to_owned(),
        system: system.to_owned(),
        language,
        saved_path: shown_path(stem),
        path: shown_path(stem),
        status: if is_final { "final" } else { "draft" }.to_owned(),
        changed,
        completeness: outline.map_or(0, |outline| outline.completeness),
        manual_fields: outline
            .into_iter()
            .flat_map(|outline| &outline.open)
            .map(|open| format!("{}: {}", open.section, open.label))
            .collect(),
        ..DocReply::default()
    }
}
