//! What a scan would come to if some of its findings were fixed and some documents were written.
//!
//! The same join runs over the same facts, only that what is taken for fixed is fixed: a document that is missing or
//! unfinished is there and filled, a gap is gone, and where a check has evidence for a repaired place, there is evidence.

use std::collections::BTreeSet;

use engine_model::{
    Call, Document, DocumentSection, DocumentState, Observation, Outcome, SectionState, System, fixture,
};
use engine_regulation::regulation;

use crate::evaluate::{outcomes, settle};
use crate::findings::{Observed, identify};
use crate::systems::SystemDraft;
use crate::{Settings, missing};

/// Where a document that is taken for written stands.
const WRITTEN_IN: &str = ".compliance/documents";

/// Looks at the project, and then as it were with the resolved findings fixed and the documents written.
pub(crate) fn resolved(
    documents: Vec<Document>,
    settings: &Settings,
    systems: &[System],
    drafts: &[SystemDraft],
    calls: &[Call],
    look: impl Fn(&[Document]) -> Vec<Observed>,
) -> (Vec<Document>, Vec<Observed>) {
    let documents = written(documents, &settings.written);
    let observed = look(&documents);
    if settings.resolved.is_empty() {
        return (documents, observed);
    }
    let settled = |observed, documents: &[Document]| settle(observed, &mut systems.to_vec(), documents, drafts, calls);
    let before = settled(observed, &documents);
    let is_resolved =
        |item: &&Observed| item.observation.outcome == Outcome::Fail && settings.resolved.contains(&item.id);
    let mut documents = fixed(documents, before.iter().filter(is_resolved));
    loop {
        let mut after = look(&documents);
        identify(&mut after);
        let after = repair(after, settings);
        // A document can be asked for only once code no longer reports the gap. It is taken for written like the others.
        let asked = settled(after.clone(), &documents);
        let count = documents.len();
        let missing = |item: &&Observed| is_resolved(item) && item.check.id == missing::MISSING_DOCUMENT.id;
        documents = fixed(documents, asked.iter().filter(missing));
        if documents.len() == count {
            return (documents, after);
        }
    }
}

/// The documents after those of some kinds are written: what is unfinished is filled, and what is missing is there.
fn written(mut documents: Vec<Document>, kinds: &BTreeSet<String>) -> Vec<Document> {
    if kinds.is_empty() {
        return documents;
    }
    for kind in kinds {
        let mut is_there = false;
        for document in documents.iter_mut().filter(|document| document.kind == *kind) {
            is_there = true;
            fill(document);
        }
        if !is_there {
            documents.push(filled(kind));
        }
    }
    sorted(documents)
}

/// The documents after those that were missing or unfinished are written.
fn fixed<'a>(mut documents: Vec<Document>, fixed: impl Iterator<Item = &'a Observed>) -> Vec<Document> {
    for item in fixed {
        if item.check.id == missing::MISSING_DOCUMENT.id {
            let Some(kind) = missing::document_of(&item.observation) else {
                continue;
            };
            if !documents.iter().any(|document| document.kind == kind) {
                documents.push(filled(kind));
            }
        } else if item.is_about_an_unfinished_document() {
            let place = |document: &Document, observation: &Observation| {
                document.kind == observation.anchor
                    && observation.location.as_ref().is_some_and(|l| l.file == document.file)
            };
            documents
                .iter_mut()
                .filter(|document| place(document, &item.observation))
                .for_each(fill);
        }
    }
    sorted(documents)
}

fn sorted(mut documents: Vec<Document>) -> Vec<Document> {
    documents.sort_by(|a, b| (&a.file, &a.kind).cmp(&(&b.file, &b.kind)));
    documents
}

/// Completes a document: every required section has text, and a person has finished it.
fn fill(document: &mut Document) {
    document.state = DocumentState::Filled;
    document.completeness = 100;
    document.draft = false;
    for section in document.sections.iter_mut().filter(|section| section.required) {
        section.state = SectionState::Filled;
    }
}

/// A document of a kind with text in every required section, and without the others.
fn filled(kind: &str) -> Document {
    let sections = regulation()
        .document(kind)
        .into_iter()
        .flat_map(|known| &known.sections);
    let mut document = Document {
        file: format!("{WRITTEN_IN}/{kind}.md"),
        kind: kind.to_owned(),
        confidence: 100,
        sections: sections
            .map(|section| DocumentSection {
                key: section.key.clone(),
                title: section.title.clone(),
                source: section.source.clone(),
                required: section.required,
                state: SectionState::Missing,
                heading: None,
                line: None,
            })
            .collect(),
        completeness: 100,
        state: DocumentState::Filled,
        line: 1,
        draft: false,
        digest: String::new(),
        dates: Vec::new(),
    };
    fill(&mut document);
    document
}

/// Takes the resolved gaps out, and puts evidence in their place where the check would have it.
fn repair(observed: Vec<Observed>, settings: &Settings) -> Vec<Observed> {
    let is_resolved =
        |item: &Observed| item.observation.outcome == Outcome::Fail && settings.resolved.contains(&item.id);
    // As long as a check holds anything against a system, it has no evidence for it.
    let still_open: BTreeSet<(&str, Option<String>)> = observed
        .iter()
        .filter(|item| item.observation.outcome == Outcome::Fail && !is_resolved(item))
        .map(|item| (item.check.id, item.observation.system.clone()))
        .collect();
    let mut evidence = EvidenceOfRepair::default();
    observed
        .into_iter()
        .filter_map(|mut item| {
            if !is_resolved(&item) {
                return Some(item);
            }
            let open = still_open.contains(&(item.check.id, item.observation.system.clone()));
            if open || !evidence.leaves(item.check, settings) {
                return None;
            }
            item.observation.outcome = Outcome::Pass;
            Some(item)
        })
        .collect()
}

/// Which checks have evidence for a place that was repaired. Their documentation tells: where an example that is not
/// reported is evidence to the check, so is a repaired place; a key that is gone, on the other hand, proves nothing.
#[derive(Default)]
struct EvidenceOfRepair {
    known: std::collections::BTreeMap<&'static str, bool>,
}

impl EvidenceOfRepair {
    fn leaves(&mut self, check: &'static engine_model::Check, settings: &Settings) -> bool {
        *self.known.entry(check.id).or_insert_with(|| {
            check
                .examples()
                .iter()
                .filter(|example| !example.reported)
                .filter_map(|example| fixture(&engine_scan_secrets::expand_examples(&example.tree)).ok())
                .any(|tree| outcomes(check.id, &tree, &Settings::on(settings.as_of)).contains(&Outcome::Pass))
        })
    }
}
