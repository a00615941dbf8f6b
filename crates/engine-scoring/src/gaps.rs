//! Open gaps, each named once: what debt and cost count.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Applies, Document, DocumentState, Finding, FindingType, ObligationRecord, ObligationStatus, System,
};
use engine_regulation::{DocumentKind, Obligation, cited, regulation};

use crate::formula::is_false_alarm;

/// The check that reports a required document that is missing.
pub(crate) const MISSING_DOCUMENT: &str = "l1-missing-document";

/// The checks that report a document with missing sections.
pub(crate) const INCOMPLETE_DOCUMENT: &str = "l2-incomplete-";

/// The check that reports a document whose review is late.
pub(crate) const STALE_DOCUMENT: &str = "l2-stale-review-date";

/// The check that reports a model that its provider has retired or will retire soon.
pub(crate) const RETIRED_MODEL: &str = "l3-retired-model";

/// Whether a finding reports a missing or incomplete document. Such a gap is counted with the document.
pub(crate) fn is_about_a_document(finding: &Finding) -> bool {
    finding.check_id == MISSING_DOCUMENT || finding.check_id.starts_with(INCOMPLETE_DOCUMENT)
}

/// Whether a finding is a gap that no person has marked as a false alarm.
pub(crate) fn is_open(finding: &Finding) -> bool {
    finding.kind == FindingType::Fail && !is_false_alarm(finding)
}

/// Findings in a stable order, each id once.
pub(crate) fn distinct<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<&'a Finding> {
    let by_id: BTreeMap<&str, &Finding> = findings.map(|finding| (finding.id.as_str(), finding)).collect();
    by_id.into_values().collect()
}

/// An obligation of a system.
#[derive(Clone, Copy)]
pub(crate) struct Duty<'a> {
    pub(crate) system: &'a str,
    pub(crate) record: &'a ObligationRecord,
}

impl Duty<'_> {
    /// Whether a finding is about this obligation of this system. A finding without a system is about all of them.
    pub(crate) fn is_named_by(&self, finding: &Finding) -> bool {
        finding.obligation_id.as_deref() == Some(self.record.obligation_id.as_str())
            && finding.system.as_deref().is_none_or(|system| system == self.system)
    }
}

/// The obligations of all systems with one of the given answers, in a stable order.
pub(crate) fn duties(systems: &[System], wanted: impl Fn(&ObligationRecord) -> bool) -> Vec<Duty<'_>> {
    let mut duties: Vec<Duty<'_>> = systems
        .iter()
        .flat_map(|system| {
            system.obligations.iter().map(|record| Duty {
                system: &system.id,
                record,
            })
        })
        .filter(|duty| wanted(duty.record))
        .collect();
    duties.sort_by(|a, b| (a.system, &a.record.obligation_id).cmp(&(b.system, &b.record.obligation_id)));
    duties
}

/// A document that obligations need and that is missing or incomplete.
pub(crate) struct DocumentGap<'a> {
    /// The kind, an id of the documents of the law.
    pub(crate) document: String,
    /// The system without the document; none where a document of the project is incomplete.
    pub(crate) system: Option<&'a str>,
    /// The incomplete document; none where it is missing.
    pub(crate) present: Option<&'a Document>,
    /// The obligations that need it.
    pub(crate) duties: Vec<Duty<'a>>,
    /// The findings that report it.
    pub(crate) findings: Vec<&'a Finding>,
}

/// Missing and incomplete documents, each once: a missing document once per system, an incomplete one once per project.
///
/// `optional` adds documents that were begun although no obligation asks for them.
pub(crate) fn document_gaps<'a>(
    duties: &[Duty<'a>],
    findings: &'a [Finding],
    documents: &'a [Document],
    optional: bool,
) -> Vec<DocumentGap<'a>> {
    let mut gaps: BTreeMap<(String, Option<&str>), DocumentGap<'_>> = BTreeMap::new();
    let reports = distinct(findings.iter().filter(|f| is_about_a_document(f) && !is_false_alarm(f)));
    for duty in duties {
        let asked = duty.record.asks_for_document;
        let own: Vec<&Finding> = reports.iter().copied().filter(|f| duty.is_named_by(f)).collect();
        let open = own.iter().any(|finding| is_open(finding));
        let found = match duty.record.status {
            ObligationStatus::Incomplete if asked || optional || open => {
                begun(duty.record, documents).map(|document| (document.kind.clone(), None, Some(document)))
            }
            ObligationStatus::Gap if asked && !is_covered_by_code(duty, duties, findings) => {
                needed(duty.record).map(|document| (document.to_owned(), Some(duty.system), None))
            }
            _ => None,
        };
        let Some((document, system, present)) = found else {
            continue;
        };
        let gap = gaps.entry((document.clone(), system)).or_insert_with(|| DocumentGap {
            document,
            system,
            present,
            duties: Vec::new(),
            findings: Vec::new(),
        });
        gap.duties.push(*duty);
        gap.findings.extend(own);
    }
    // A finding may name another obligation than those that need the document; the file says that it is the same gap.
    let mut named: BTreeSet<&str> = gaps.values().flat_map(|g| &g.findings).map(|f| f.id.as_str()).collect();
    for gap in gaps.values_mut() {
        if let Some(document) = gap.present {
            let of_file = reports.iter().filter(|f| f.file.as_ref() == Some(&document.file));
            gap.findings.extend(of_file.filter(|finding| named.insert(&finding.id)));
        }
        gap.findings = distinct(gap.findings.iter().copied());
    }
    gaps.into_values().collect()
}

/// Whether a finding that is not about a document already reports the gap: of the obligation itself, or of another
/// obligation of the same article that the same document satisfies.
pub(crate) fn is_covered_by_code(duty: &Duty<'_>, duties: &[Duty<'_>], findings: &[Finding]) -> bool {
    let law = regulation();
    let own = law.obligation(&duty.record.obligation_id);
    let is_sibling = |other: &Duty<'_>| {
        let (Some(own), Some(other)) = (own, law.obligation(&other.record.obligation_id)) else {
            return false;
        };
        let shared = |id: &String| other.satisfied_by_documents.contains(id);
        own.article == other.article && own.satisfied_by_documents.iter().any(shared)
    };
    duties
        .iter()
        .filter(|other| other.system == duty.system)
        .filter(|other| other.record.obligation_id == duty.record.obligation_id || is_sibling(other))
        .any(|other| findings.iter().any(|finding| is_work(finding, other)))
}

/// Whether a finding reports work outside of documents for an obligation.
///
/// A gap of an obligation that applies later is reported as information, so the status of the obligation decides there.
pub(crate) fn is_work(finding: &Finding, duty: &Duty<'_>) -> bool {
    let later = duty.record.applies != Applies::Applies
        && duty.record.is_expected()
        && duty.record.status == ObligationStatus::Gap
        && finding.kind == FindingType::Info
        && !is_false_alarm(finding);
    (is_open(finding) || later) && !is_about_a_document(finding) && duty.is_named_by(finding)
}

/// The document that the article of an obligation requires, else the first that satisfies it.
fn needed(record: &ObligationRecord) -> Option<&'static str> {
    let law = regulation();
    let obligation = law.obligation(&record.obligation_id)?;
    let all = || {
        obligation
            .satisfied_by_documents
            .iter()
            .filter_map(|id| law.document(id))
    };
    all()
        .find(|document| document.kind == DocumentKind::Required && is_basis(&document.legal_basis, obligation))
        .or_else(|| all().next())
        .map(|document| document.id.as_str())
}

fn is_basis(legal_basis: &[String], obligation: &Obligation) -> bool {
    let articles: BTreeSet<String> = legal_basis
        .iter()
        .flat_map(|basis| cited(basis))
        .filter_map(|reference| reference.article().map(str::to_owned))
        .collect();
    articles.contains(&obligation.article)
}

/// The most complete document of the project that satisfies an obligation.
fn begun<'a>(record: &ObligationRecord, documents: &'a [Document]) -> Option<&'a Document> {
    let obligation = regulation().obligation(&record.obligation_id)?;
    documents
        .iter()
        .filter(|document| document.state != DocumentState::Scaffold)
        .filter(|document| obligation.satisfied_by_documents.contains(&document.kind))
        .min_by_key(|document| (100 - document.completeness.min(100), &document.kind, &document.file))
}
