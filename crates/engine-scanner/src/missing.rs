//! Documents that the law requires and that were not found in the project.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Applies, Check, CheckContext, Document, DocumentState, Finding, Location, Observation, Report, System,
    declare_check,
};
use engine_regulation::regulation;

use crate::obligations::{Reported, article_of, has_sibling, needs_document, required_documents};

/// The checks of this module.
pub(crate) const CHECKS: &[Check] = &[MISSING_DOCUMENT];

declare_check! {
    /// Required document not found.
    ///
    /// The law requires this document, and it was not found in the project. Reported once for each kind of document and
    /// system, if the obligation applies now or is certain to apply later, and neither code nor another document is
    /// evidence for it. The document stays required while only the start of the obligation is open. The regulation data lists the documents and their sections with the legal basis. If the document is
    /// kept elsewhere, add a file that states its location and summarises each section. No document is required for
    /// Art. 50: its disclosures and marks are checked in code and user interfaces. The first example is reported if a
    /// person has stated that the system is high-risk.
    ///
    /// Reported:
    /// ```python
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    ///
    /// @app.post("/chat")
    /// def chat(message: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=message)
    ///     return {"answer": answer.output_text}
    /// ```
    /// Not reported:
    /// ```python
    /// from fastapi import FastAPI
    ///
    /// app = FastAPI()
    ///
    ///
    /// @app.post("/chat")
    /// def chat(message: str):
    ///     return {"answer": message.upper()}
    /// ```
    MISSING_DOCUMENT {
        id: "l1-missing-document",
        layer: L1,
        obligation: "OBL-030",
        severity: Medium,
        impact: Prepares,
        fix: "Write the document. If it is kept elsewhere, add a file to the project that states its location and summarises each section.",
        run: after_the_join,
    }
}

/// What is missing depends on what every other check reported, so [`observe`] runs after them.
fn after_the_join(_: &CheckContext<'_>, _: &mut Report) {}

/// Art. 50, under which people are told and content is marked.
const INFORMS: &str = "50";

/// Stands between system and document in the anchor of an observation.
const ANCHOR_MARK: &str = "#";

/// The kind of document that an observation of this check is about.
pub(crate) fn document_of(observation: &Observation) -> Option<&str> {
    observation
        .anchor
        .rsplit_once(ANCHOR_MARK)
        .map(|(_, document)| document)
}

/// The kind of document that a finding of this check is about.
pub fn missing_document(finding: &Finding) -> Option<&'static str> {
    if finding.check_id != MISSING_DOCUMENT.id {
        return None;
    }
    let (obligation, fix) = (finding.obligation_id.as_deref()?, finding.fix.as_deref()?);
    let required = required_documents(regulation().obligation(obligation)?);
    required
        .into_iter()
        .find(|document| fix.starts_with(&advice(&document.id)))
        .map(|document| document.id.as_str())
}

/// How the fix text of this check begins.
fn advice(document: &str) -> String {
    format!("Write the document `{document}` ")
}

/// One observation for each kind of document that a system lacks.
pub(crate) fn observe(
    system: &System,
    reported: &BTreeMap<String, Reported<'_>>,
    documents: &[Document],
    anchor: Option<&Location>,
) -> Vec<Observation> {
    // A generated draft without an answer is no document yet.
    let begun = documents
        .iter()
        .filter(|document| !(document.draft && document.state == DocumentState::Scaffold));
    let present: BTreeSet<&str> = begun.map(|document| document.kind.as_str()).collect();
    let mut seen = BTreeSet::new();
    let mut report = Report::default();
    let law = regulation();
    let mut records: Vec<_> = system
        .obligations
        .iter()
        .filter(|record| record.is_expected())
        .collect();
    // Between two possible starts the order is that of the days before, so that the same obligation speaks for a document.
    records.sort_by_key(|record| (record.applies != Applies::Applies, record.obligation_id.clone()));
    for record in records {
        let spoken_for = reported
            .get(&record.obligation_id)
            .is_some_and(|reported| !reported.fails.is_empty() || !reported.passes.is_empty());
        let Some(obligation) = law.obligation(&record.obligation_id) else {
            continue;
        };
        if spoken_for || !needs_document(obligation, &system.obligations, reported, &BTreeSet::new()) {
            continue;
        }
        // A gap that a check found in code for the same article is the matter; the paper would be the same thing said twice.
        let required: Vec<_> = required_documents(obligation)
            .into_iter()
            .filter(|document| !has_sibling(obligation, &document.id, reported, |r| !r.fails.is_empty()))
            .filter(|document| !document.legal_basis.iter().all(|basis| article_of(basis) == INFORMS))
            .collect();
        if obligation
            .satisfied_by_documents
            .iter()
            .any(|id| present.contains(id.as_str()))
        {
            continue;
        }
        let Some(document) = required.first() else { continue };
        if !seen.insert(document.id.clone()) {
            continue;
        }
        let sections = document.sections.iter().filter(|section| section.required).count();
        let observation = report
            .fail(
                75,
                format!(
                    "no {} found for `{}`; required by {}, with {sections} sections",
                    document.title.to_lowercase(),
                    system.name,
                    document.legal_basis.join(", "),
                ),
            )
            .system(system)
            .obligation(record.obligation_id.clone())
            .anchor(format!("{}{ANCHOR_MARK}{}", system.id, document.id))
            .fix(format!(
                "{}with these sections: {}.",
                advice(&document.id),
                document
                    .sections
                    .iter()
                    .filter(|section| section.required)
                    .map(|section| section.title.as_str())
                    .collect::<Vec<_>>()
                    .join("; ")
            ));
        if let Some(anchor) = anchor {
            observation.at(anchor.clone());
        }
    }
    report.into_observations()
}
