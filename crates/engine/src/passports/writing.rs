//! What changes passports: each change is signed, and kept together with its entry in the chain.

use std::collections::BTreeMap;

use engine_evidence::{Artifact, EntryType};
use engine_model::{ErrorCode, EventBody, Failure};
use engine_passport::{
    Document, Format, SignatureVerdict, SourceKind, adopt_edits, apply_overrides, check, check_name, completeness,
    follow_class, import, keep_foreign_signature, override_paths, passport_schema, regenerate, rename, sign, signature,
    stated_class,
};
use engine_scanner::StatedClass;
use engine_signing::Digest;
use engine_store::{FileChange, Keys};
use serde_json::{Value, json};

use super::identity::taken_for;
use super::reading::readable;
use super::requests::{
    ExportReply, ExportRequest, ImportReply, ImportRequest, InitReply, InitRequest, NotMade, RenameRequest,
};
use super::{EXPORTS, ORIGINALS, Seen, Stored, choose, find, free_slug, path_of, shown_path, stored};
use crate::Engine;
use crate::profile::AnswerRequest;
use crate::project::{ProjectState, conflict};

/// How the ids of passports begin that an import makes from something that holds none.
const MADE_BY_IMPORT: &str = "imported-";

/// Fields that the profile keeps as answers, each with its question.
const IN_PROFILE: [(&str, &str); 3] = [
    ("compliance.eu_ai_act.risk_class", "risk-class"),
    ("intended_purpose", "purpose"),
    ("role", "role"),
];

/// A change that is ready to be kept.
struct Change<'a> {
    action: &'static str,
    slug: String,
    document: Document,
    /// The file that the passport has now.
    before: Option<&'a Stored>,
    /// Documents that are kept as they came, by their digest.
    originals: Vec<Value>,
    /// Details for the entry.
    payload: Value,
}

impl Engine {
    /// Makes passports for the agents of a project, and brings those that are there up to date if asked to.
    pub fn init_passports(&self, request: &InitRequest) -> Result<InitReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        self.refuse_read_only()?;
        let overrides = override_paths(&request.overrides.clone().unwrap_or_default())
            .map_err(|error| invalid("overrides", error.to_string()))?;
        let keys = self.signer().keys()?;
        let _one_at_a_time = state.passports();
        let mut all = stored(&state)?;
        let (mut scan, mut seen) = self.seen(&state, &all)?;
        if self.carry_into_profile(&state, &all, &seen, request, &overrides)? {
            (scan, seen) = self.seen(&state, &all)?;
        }
        let mut reply = InitReply {
            applicability: word(&scan.applicability),
            reason: scan.applicability_reason.clone(),
            ..InitReply::default()
        };
        if let Some(name) = request.agent() {
            let wanted = find(&all, name)
                .ok()
                .and_then(Stored::document)
                .map(|document| document.agent_id().to_owned());
            seen.retain(|seen| {
                wanted.as_ref() == Some(&seen.agent.agent_id) || (wanted.is_none() && seen.fresh.name() == name)
            });
            if seen.is_empty() {
                let details = "no agent of this name found in the code; GET /agent/autonomy lists all agents";
                return Err(Failure::new(ErrorCode::UnknownPassport, details).field("name"));
            }
        }
        // All are made before the first is kept: an override that cannot be applied leaves everything as it was.
        let mut made = Vec::new();
        // Obligations of the systems under a class that somebody stated.
        let mut under: BTreeMap<StatedClass, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for seen in &seen {
            let own = all.iter().position(|one| {
                one.document()
                    .is_some_and(|document| document.agent_id() == seen.agent.agent_id)
            });
            let old = own.and_then(|at| all.get(at)).and_then(Stored::document);
            if let Some(old) = old
                && request.force != Some(true)
            {
                reply.skipped.push(old.name().to_owned());
                reply.unchanged.push(NotMade {
                    name: old.name().to_owned(),
                    agent_id: seen.agent.agent_id.clone(),
                    reason: "a passport exists already; set `force` to update it. Entries by people are kept"
                        .to_owned(),
                });
                continue;
            }
            let mut edited = Vec::new();
            let mut originals = Vec::new();
            let mut verdict = None;
            let mut document = match old {
                None => seen.fresh.clone(),
                Some(old) => {
                    let before = signature(old, &keys.trust);
                    verdict = Some(before);
                    let mut old = old.clone();
                    if before == SignatureVerdict::UnknownKey {
                        originals.push(old.to_value());
                        keep_foreign_signature(&mut old, &keys.trust, &self.timestamp());
                    }
                    edited = adopt_edits(&mut old);
                    regenerate(&old, &seen.fresh)
                }
            };
            apply_overrides(&mut document, &seen.fresh, &overrides)
                .map_err(|error| invalid("overrides", error.to_string()))?;
            refuse_wrong_overrides(&document, &overrides)?;
            let stated = stated_class(&document, &seen.fresh).and_then(StatedClass::of);
            let obligations = match stated {
                Some(class) if !under.contains_key(&class) => {
                    let told = self.obligations_under(&state, class)?;
                    under.entry(class).or_insert(told).get(&seen.system.id)
                }
                Some(class) => under.get(&class).and_then(|told| told.get(&seen.system.id)),
                None => None,
            };
            follow_class(&mut document, &seen.fresh, obligations.map(Vec::as_slice));
            let payload = json!({
                "signatureBefore": verdict.map(SignatureVerdict::as_str),
                "edited": edited,
                "overrides": overrides.keys().collect::<Vec<_>>(),
            });
            made.push((own, document, originals, payload));
        }
        for (own, document, originals, payload) in made {
            let before = own.and_then(|at| all.get(at));
            let slug = before.map_or_else(|| free_slug(&all, None, document.name()), |one| one.slug.clone());
            let change = Change {
                action: if before.is_some() { "regenerated" } else { "created" },
                slug,
                document,
                before,
                originals,
                payload,
            };
            let kept = self.keep_passport(&state, &keys, change)?;
            reply.saved_paths.push(shown_path(&kept.slug));
            if let Ok(document) = &kept.document {
                reply.manifests.push(document.clone());
            }
            match own.and_then(|at| all.get_mut(at)) {
                Some(place) => *place = kept,
                None => all.push(kept),
            }
        }
        Ok(reply)
    }

    /// Carries what a person says of purpose, role and class of an agent into the profile, where it counts for everything.
    /// Returns whether the profile changed.
    fn carry_into_profile(
        &self,
        state: &ProjectState,
        all: &[Stored],
        seen: &[Seen],
        request: &InitRequest,
        overrides: &BTreeMap<String, Value>,
    ) -> Result<bool, Failure> {
        let mut answers = BTreeMap::new();
        let mut withdraw = Vec::new();
        for seen in seen {
            let own = all
                .iter()
                .filter_map(Stored::document)
                .find(|document| document.agent_id() == seen.agent.agent_id);
            let named = request.agent().is_none_or(|name| {
                own.map_or(seen.fresh.name() == name, |own| {
                    own.name() == name || own.agent_id() == name
                })
            });
            if !named || own.is_some() && request.force != Some(true) {
                continue;
            }
            let edited = own.map_or_else(Vec::new, |own| adopt_edits(&mut own.clone()));
            for (path, question) in IN_PROFILE {
                let key = format!("{}.{question}", seen.system.id);
                let said = overrides.get(path).or_else(|| {
                    let edited = edited.iter().any(|edited| edited == path);
                    own.filter(|_| edited).and_then(|own| own.get(path))
                });
                match said {
                    Some(Value::Null) if seen.system.answers.iter().any(|answer| answer.question == question) => {
                        withdraw.push(key);
                    }
                    Some(Value::String(text)) => {
                        let words: Vec<&str> = if question == "purpose" {
                            vec![text]
                        } else {
                            text.split(" and ").collect()
                        };
                        let spec = engine_profile::question(question);
                        // A word that the profile does not know stays in the passport alone.
                        if spec.is_some_and(|spec| spec.read(words.iter().copied()).is_ok()) {
                            answers.insert(key, json!(words));
                        }
                    }
                    _ => {}
                }
            }
        }
        if answers.is_empty() && withdraw.is_empty() {
            return Ok(false);
        }
        let request = AnswerRequest {
            answers,
            withdraw,
            why: Some("declared in the agent passport".to_owned()),
            ..AnswerRequest::default()
        };
        Ok(self.answer_locked(state, &request)?.changed)
    }

    /// Gives an agent another name.
    pub fn rename_passport(&self, request: &RenameRequest) -> Result<Document, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        self.refuse_read_only()?;
        check_name(&request.new_name)
            .map_err(|why| invalid("newName", format!("`newName` is not a valid name: {why}")))?;
        let keys = self.signer().keys()?;
        let _one_at_a_time = state.passports();
        let all = stored(&state)?;
        let one = find(&all, &request.old_name).map_err(|failure| failure.field("oldName"))?;
        let old = readable(one)?;
        if old.name() == request.new_name {
            return Ok(old.clone());
        }
        if let Some(other) = taken_for(&all, &request.new_name, None, Some(one)) {
            return Err(exists(other).field("newName"));
        }
        let now = self.timestamp();
        let before = signature(old, &keys.trust);
        let mut document = old.clone();
        let mut originals = Vec::new();
        if before == SignatureVerdict::UnknownKey {
            originals.push(old.to_value());
            keep_foreign_signature(&mut document, &keys.trust, &now);
        }
        let edited = adopt_edits(&mut document);
        rename(&mut document, &request.new_name, &now).map_err(|why| invalid("newName", why.to_owned()))?;
        let change = Change {
            action: "renamed",
            slug: free_slug(&all, Some(&one.slug), &request.new_name),
            payload: json!({
                "from": old.name(),
                "signatureBefore": before.as_str(),
                "edited": edited,
            }),
            document,
            before: Some(one),
            originals,
        };
        let kept = self.keep_passport(&state, &keys, change)?;
        readable(&kept).cloned()
    }

    /// Takes over a passport from another format.
    pub fn import_passport(&self, request: ImportRequest) -> Result<ImportReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        self.refuse_read_only()?;
        let keys = self.signer().keys()?;
        let now = self.timestamp();
        let imported = import(request.format, Value::Object(request.data), &keys.trust, &now)
            .map_err(|error| invalid("data", format!("could not import `data`: {error}")))?;
        let _one_at_a_time = state.passports();
        let all = stored(&state)?;
        let of = |wanted: &dyn Fn(&Document) -> bool| all.iter().position(|one| one.document().is_some_and(wanted));
        let by_name = of(&|document| document.name() == imported.document.name());
        let by_id = of(&|document| document.agent_id() == imported.document.agent_id());
        let place = match (by_name, by_id) {
            (Some(one), Some(other)) if one != other => {
                let details =
                    "one passport has this name and another has this `agent_id`; rename or remove one of them";
                return Err(Failure::new(ErrorCode::PassportExists, details));
            }
            (by_name, by_id) => by_name.or(by_id).and_then(|at| all.get(at)),
        };
        if let Some(there) = place
            && request.force != Some(true)
        {
            return Err(exists(there));
        }
        // Force replaces the passport that is named, and never one that only looks alike.
        let (name, id) = (imported.document.name(), imported.document.agent_id());
        if let Some(other) = taken_for(&all, name, Some(id), place) {
            return Err(exists(other));
        }
        // What tells of an agent without holding its passport knows too little to stand in for one.
        if let Some(there) = place.and_then(Stored::document)
            && imported.document.agent_id() != there.agent_id()
            && imported.document.agent_id().starts_with(MADE_BY_IMPORT)
        {
            let details = format!(
                "`data` contains no passport, so the import would replace `{}` with an almost empty one; use another name, or \
                 import an export with the passport",
                there.name()
            );
            return Err(Failure::new(ErrorCode::Impossible, details).field("data"));
        }
        let mut originals = Vec::new();
        // What stands around a passport that is untouched, such as notes in a sheet of controls, is kept nowhere else.
        if !imported.untouched || request.format != Format::Passport {
            originals.push(imported.original);
        }
        if let Some(replaced) = place.and_then(Stored::document) {
            originals.push(replaced.to_value());
        }
        let slug = free_slug(&all, place.map(|one| one.slug.as_str()), imported.document.name());
        let signatures: Vec<Value> = imported
            .signatures
            .iter()
            .map(|one| json!({"of": one.of, "verdict": one.verdict}))
            .collect();
        let change = Change {
            action: "imported",
            slug,
            document: imported.document,
            before: place,
            originals,
            payload: json!({
                "format": request.format.as_str(),
                "untouched": imported.untouched,
                "replaced": place.is_some(),
                "signatures": signatures,
            }),
        };
        let kept = self.keep_passport_as(&state, &keys, change, imported.untouched)?;
        let document = readable(&kept)?.clone();
        let provenance = document.provenance();
        let came = |source: &SourceKind| *source == SourceKind::Import || imported.untouched;
        let fields_imported: Vec<String> = provenance
            .fields
            .iter()
            .filter(|(path, source)| came(source) && document.get(path).is_some_and(|value| !value.is_null()))
            .map(|(path, _)| path.clone())
            .collect();
        // An imported value does not count as stated by a person, but it is there.
        let missing = completeness(&document).missing_fields.into_iter();
        let fields_missing = missing
            .map(|one| one.field)
            .filter(|field| !fields_imported.contains(field))
            .collect();
        Ok(ImportReply {
            name: document.name().to_owned(),
            agent_id: document.agent_id().to_owned(),
            saved_path: shown_path(&kept.slug),
            replaced: place.is_some(),
            untouched: imported.untouched,
            foreign_signatures: imported.signatures,
            warnings: imported.warnings,
            fields_imported,
            fields_missing,
            passport: document,
        })
    }

    /// Exports a passport, as a file too: the same file anew each time, and none if the engine is read-only.
    ///
    /// The file is a copy for other programs. Nothing of the engine reads it, so the evidence chain has no entry about it.
    pub fn save_export(&self, request: &ExportRequest) -> Result<(ExportReply, Option<String>), Failure> {
        let reply = self.export_passport(request)?;
        if self.options.read_only {
            return Ok((reply, None));
        }
        let state = self.project_or_current(request.path.as_deref())?;
        let all = stored(&state)?;
        let slug = &choose(&all, request.name.as_deref())?.slug;
        let file = format!("{EXPORTS}/passport-{slug}-{}.json", request.format.as_str());
        let bytes = serde_json::to_vec_pretty(&reply.data).map_err(|error| conflict(&error))?;
        state.write_file(&file, &bytes)?;
        Ok((reply, Some(format!(".compliance/{file}"))))
    }

    fn refuse_read_only(&self) -> Result<(), Failure> {
        if self.options.read_only {
            return Err(Failure::new(
                ErrorCode::ReadOnly,
                "the engine is read-only and changed nothing; start it without `--read-only`",
            ));
        }
        Ok(())
    }

    /// Signs a passport and keeps it together with its entry.
    fn keep_passport(&self, state: &ProjectState, keys: &Keys, change: Change<'_>) -> Result<Stored, Failure> {
        self.keep_passport_as(state, keys, change, false)
    }

    /// The same; a passport that is untouched keeps the signature that it bears.
    fn keep_passport_as(
        &self,
        state: &ProjectState,
        keys: &Keys,
        mut change: Change<'_>,
        untouched: bool,
    ) -> Result<Stored, Failure> {
        if !untouched {
            sign(&mut change.document, &keys.secret).map_err(|error| invalid("overrides", error.to_string()))?;
        }
        let document = Document::of(change.document.to_value())
            .map_err(|error| invalid("overrides", format!("could not store the passport: {error}")))?;
        let text = document.text();
        let path = path_of(&change.slug);
        let mut files = Vec::new();
        for original in &change.originals {
            files.push(original_file(state, original)?);
        }
        if let Some(old) = change.before
            && old.slug != change.slug
        {
            files.push(FileChange {
                path: old.path(),
                before: Some(old.bytes.clone()),
                after: None,
            });
        }
        let before = change.before.filter(|old| old.slug == change.slug);
        files.push(FileChange {
            path: path.clone(),
            before: before.map(|old| old.bytes.clone()),
            after: Some(text.clone()),
        });
        let artifacts = files
            .iter()
            .filter_map(|file| {
                Some(Artifact {
                    path: format!(".compliance/{}", file.path),
                    blake3: Digest::of(file.after.as_deref()?.as_bytes()),
                })
            })
            .collect();
        let removed: Vec<String> = files
            .iter()
            .filter(|file| file.after.is_none())
            .map(|file| format!(".compliance/{}", file.path))
            .collect();
        let mut payload = json!({
            "action": change.action,
            "name": document.name(),
            "agentId": document.agent_id(),
            "file": format!(".compliance/{path}"),
            "before": change.before.map(|old| Digest::of(&old.bytes)),
            "removed": removed,
        });
        if let (Some(all), Value::Object(more)) = (payload.as_object_mut(), change.payload) {
            all.extend(more);
        }
        let draft = self.draft(
            EntryType::Passport,
            Some(document.agent_id().to_owned()),
            payload,
            artifacts,
        );
        let added = state.change_files(files, Vec::new(), draft, &self.chain_name(), &keys.secret)?;
        if change.before.is_none() {
            let name = document.name().to_owned();
            self.bus.send(
                EventBody::AgentCreated { name },
                self.timestamp(),
                state.path().to_string_lossy().into_owned(),
            );
        }
        self.recorded(state, &added);
        Ok(Stored {
            slug: change.slug,
            bytes: text.into_bytes(),
            document: Ok(document),
        })
    }
}

/// A document that is kept as it came, under its digest.
fn original_file(state: &ProjectState, original: &Value) -> Result<FileChange, Failure> {
    let digest = Digest::of_json(original).map_err(|error| invalid("data", error.to_string()))?;
    let path = format!("{ORIGINALS}/{digest}.json");
    let mut text = serde_json::to_string_pretty(original).unwrap_or_default();
    text.push('\n');
    Ok(FileChange {
        before: state.state_file(&path)?,
        path,
        after: Some(text),
    })
}

/// An override that gives a field a wrong type or a word that it does not know.
fn refuse_wrong_overrides(document: &Document, overrides: &BTreeMap<String, Value>) -> Result<(), Failure> {
    if overrides.is_empty() {
        return Ok(());
    }
    let touched = |place: &str| {
        overrides.keys().any(|path| {
            place == path
                || place
                    .strip_prefix(path.as_str())
                    .is_some_and(|rest| rest.starts_with('.'))
                || path.strip_prefix(place).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let issues = check(passport_schema(), &document.to_value(), false);
    match issues.into_iter().find(|issue| touched(&issue.path)) {
        None => Ok(()),
        Some(issue) => {
            let field = format!("overrides.{}", issue.path);
            Err(invalid(&field, format!("`{field}`: {}", issue.message)))
        }
    }
}

fn exists(there: &Stored) -> Failure {
    let name: String = there.document().map_or("", Document::name).chars().take(80).collect();
    let details = format!(
        "the passport `{name}` exists already in {}; choose another name, or set `force` to replace it",
        shown_path(&there.slug)
    );
    Failure::new(ErrorCode::PassportExists, details)
}

fn invalid(field: &str, details: String) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, details).field(field)
}

/// The word of a value on the wire.
fn word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
