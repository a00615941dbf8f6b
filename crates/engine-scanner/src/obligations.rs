//! The obligations of a system: what the law says on the date, and how each stands by the evidence.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Applies, Document, DocumentState, Evidence, EvidenceKind, Location, ObligationRecord, ObligationStatus,
    Observation, Outcome, PossibleStart, UpcomingObligation,
};
use engine_regulation::{DatedObligation, DocumentKind, LawQuery, Obligation, regulation};

/// Asks the law about every obligation.
pub(crate) fn dated(query: &LawQuery) -> Vec<DatedObligation<'static>> {
    query.evaluate()
}

/// The record of a dated obligation before any evidence.
pub(crate) fn record(dated: &DatedObligation<'static>) -> ObligationRecord {
    ObligationRecord {
        obligation_id: dated.obligation.id.clone(),
        article: dated.obligation.citation(),
        title: dated.obligation.title.clone(),
        applies_from: dated.applies_from,
        applies: applies(dated.applies),
        certain_from: dated.certain_from,
        possible_starts: dated
            .starts
            .iter()
            .map(|start| PossibleStart {
                from: start.from,
                case: start.case.to_owned(),
            })
            .collect(),
        because: dated.because.clone(),
        status: ObligationStatus::NotEvaluated,
        evidence: Vec::new(),
        question: None,
        question_id: None,
        asks_for_document: false,
    }
}

fn applies(applies: engine_regulation::Applies) -> Applies {
    match applies {
        engine_regulation::Applies::Applies => Applies::Applies,
        engine_regulation::Applies::Upcoming => Applies::Upcoming,
        engine_regulation::Applies::Undetermined => Applies::Undetermined,
        engine_regulation::Applies::DoesNotApply => Applies::DoesNotApply,
    }
}

/// What the checks reported about one obligation of one system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reported<'a> {
    /// Gaps that nobody has set aside as wrong.
    pub(crate) fails: Vec<&'a Observation>,
    /// Evidence.
    pub(crate) passes: Vec<&'a Observation>,
    /// Whether people are told something, and a person has to say whether it is enough.
    pub(crate) undecided: bool,
}

/// Evidence kept per obligation; the findings hold the rest.
const EVIDENCE_MAX: usize = 8;

/// Sets the status of a record from what was reported and from the documents of the project.
pub(crate) fn settle(
    record: &mut ObligationRecord,
    reported: &Reported<'_>,
    documents: &[Document],
    missing: Option<Evidence>,
) {
    if record.applies == Applies::DoesNotApply {
        return;
    }
    let Some(obligation) = regulation().obligation(&record.obligation_id) else {
        return;
    };
    record.asks_for_document = missing.is_some();
    // What only an organisation can show (a reporting channel, cooperation) is not settled by a paper in the tree.
    let own: Vec<&Document> = documents
        .iter()
        .filter(|document| {
            obligation.checkable_by.document && obligation.satisfied_by_documents.contains(&document.kind)
        })
        .collect();
    let filled = own
        .iter()
        .any(|document| document.state == DocumentState::Filled && !document.draft);
    let started = own.iter().any(|document| document.state != DocumentState::Scaffold);
    record.evidence = if reported.fails.is_empty() {
        reported.passes.iter().filter_map(|o| evidence_of(o)).collect()
    } else {
        reported.fails.iter().filter_map(|o| evidence_of(o)).collect()
    };
    record.evidence.extend(
        own.iter()
            .filter(|d| d.state != DocumentState::Scaffold)
            .map(|d| document_evidence(d)),
    );
    record.status = if !reported.fails.is_empty() {
        ObligationStatus::Gap
    } else if !reported.passes.is_empty() || filled {
        ObligationStatus::Evidenced
    } else if started {
        ObligationStatus::Incomplete
    } else if let Some(missing) = missing {
        record.evidence.push(missing);
        ObligationStatus::Gap
    } else {
        ObligationStatus::NotEvaluated
    };
    let mut seen = BTreeSet::new();
    record.evidence.retain(|evidence| seen.insert(evidence.clone()));
    record.evidence.truncate(EVIDENCE_MAX);
}

/// Whether the law asks for a document here, so that its absence from the project is a gap.
///
/// A record that is merely customary may be kept elsewhere, a ban asks for no paper, and a reminder of other law
/// (severity low) is no duty to write one: none of these makes a gap. Nor does a duty of which it is open whether it binds the
/// system at all: then the question stands, and a paper that nobody may have to write is not missing. Where only the start of
/// the duty is open, the document is missing before, between and after the possible dates.
///
/// Where there is evidence for a sibling, an obligation that the same document can satisfy, the paper may well be kept
/// elsewhere. A gap of a sibling does not excuse it: then breaking one thing would repair another in the score. Nor is
/// asked for what a person has said is not missing (`excused`).
pub(crate) fn needs_document(
    obligation: &Obligation,
    system: &[ObligationRecord],
    reported: &BTreeMap<String, Reported<'_>>,
    excused: &BTreeSet<String>,
) -> bool {
    let spoken_for = |document: &str| {
        excused.contains(document)
            || has_sibling(obligation, document, reported, |r| !r.passes.is_empty() || r.undecided)
    };
    let expected = system
        .iter()
        .any(|record| record.obligation_id == obligation.id && record.is_expected());
    expected
        && obligation.checkable_by.document
        && !obligation.is_prohibition()
        && obligation.severity != engine_regulation::Severity::Low
        && required_documents(obligation)
            .iter()
            .any(|document| !spoken_for(&document.id))
}

/// Whether a check reported something about an obligation of the same article that the same document can satisfy.
pub(crate) fn has_sibling(
    obligation: &Obligation,
    document: &str,
    reported: &BTreeMap<String, Reported<'_>>,
    wanted: impl Fn(&Reported<'_>) -> bool,
) -> bool {
    regulation().obligations().iter().any(|sibling| {
        sibling.satisfied_by_documents.iter().any(|id| id == document)
            && sibling.article == obligation.article
            && reported.get(&sibling.id).is_some_and(&wanted)
    })
}

/// The duties of Art. 50 that inform people; paragraph 2 marks content for machines.
pub(crate) const INFORMING: [&str; 4] = ["OBL-094", "OBL-096", "OBL-097", "OBL-098"];

/// The documents that the article of an obligation asks for by name.
pub(crate) fn required_documents(obligation: &Obligation) -> Vec<&'static engine_regulation::Document> {
    obligation
        .satisfied_by_documents
        .iter()
        .filter_map(|id| regulation().document(id))
        .filter(|document| {
            document.kind == DocumentKind::Required
                && !ON_EVENT.contains(&document.id.as_str())
                && !IN_PLACE.contains(&document.id.as_str())
        })
        .filter(|document| {
            document
                .legal_basis
                .iter()
                .any(|basis| article_of(basis) == obligation.article)
        })
        .collect()
}

/// Documents that are written when something happens: as long as nothing has happened, none is missing.
const ON_EVENT: [&str; 3] = ["incident-report", "corrective-action-record", "biometric-use-record"];

/// Documents on what Art. 50 requires in the product itself: disclosures and marks, not a document. Such a document is evidence if it
/// exists, and no gap is reported if it does not.
const IN_PLACE: [&str; 2] = ["transparency-notice", "content-marking-spec"];

/// The evidence of a document that the law asks for and that the project does not hold: which one, by which provision, and the use of a
/// model that makes it a matter.
pub(crate) fn missing_document(obligation: &Obligation, anchor: Option<&Location>) -> Option<Evidence> {
    let document = required_documents(obligation).into_iter().next()?;
    Some(Evidence {
        kind: EvidenceKind::Code,
        reference: format!(
            "no {} found; required by {} for this use of a model",
            document.title.to_lowercase(),
            document.legal_basis.join(", ")
        ),
        file: anchor.map(|location| location.file.clone()),
        line: anchor.map(|location| location.line),
        hash: None,
    })
}

/// The number of the article in a citation: `27` in `Art. 27(1)`.
pub(crate) fn article_of(citation: &str) -> &str {
    let rest = citation.trim().trim_start_matches("Art.").trim_start();
    rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(rest)
}

fn evidence_of(observation: &Observation) -> Option<Evidence> {
    if let Some(first) = observation.evidence.first() {
        return Some(first.clone());
    }
    let location = observation.location.as_ref()?;
    Some(Evidence {
        kind: EvidenceKind::Code,
        reference: observation.message.clone(),
        file: Some(location.file.clone()),
        line: Some(location.line),
        hash: None,
    })
}

fn document_evidence(document: &Document) -> Evidence {
    Evidence {
        kind: EvidenceKind::Document,
        reference: format!(
            "{} ({} % of required sections filled)",
            document.kind, document.completeness
        ),
        file: Some(document.file.clone()),
        line: Some(document.line),
        hash: Some(document.digest.clone()),
    }
}

/// Whether an observation counts as a gap: a guess below even odds opens nothing.
pub(crate) fn is_gap(observation: &Observation) -> bool {
    observation.outcome == Outcome::Fail && observation.confidence >= 50
}

/// What comes next, one row per obligation, in the order of the dates.
pub(crate) fn upcoming(systems: &[engine_model::System]) -> Vec<UpcomingObligation> {
    let mut rows: BTreeMap<(engine_model::Date, &str), UpcomingObligation> = BTreeMap::new();
    for system in systems {
        for record in &system.obligations {
            // An open question about the date brings the obligation now or later, and at the latest of its dates for certain.
            let dates = match record.applies {
                Applies::Upcoming => [record.applies_from.map(|date| (date, true)), None],
                Applies::Undetermined => [
                    record.applies_from.map(|date| (date, false)),
                    record.certain_from.map(|date| (date, true)),
                ],
                Applies::Applies | Applies::DoesNotApply => [None, None],
            };
            for (date, certain) in dates.into_iter().flatten() {
                let row = rows
                    .entry((date, &record.obligation_id))
                    .or_insert_with(|| UpcomingObligation {
                        obligation_id: record.obligation_id.clone(),
                        article: record.article.clone(),
                        title: record.title.clone(),
                        applies_from: date,
                        systems: Vec::new(),
                        certain: false,
                    });
                row.systems.push(system.id.clone());
                row.certain |= certain;
            }
        }
    }
    rows.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_is_required_by_its_article() {
        let asked = |id: &str| -> Vec<&str> {
            let obligation = regulation().obligation(id).unwrap();
            required_documents(obligation)
                .iter()
                .map(|document| document.id.as_str())
                .collect()
        };
        assert_eq!(asked("OBL-030"), ["tech-documentation"]);
        for id in ["OBL-094", "OBL-095", "OBL-099"] {
            assert!(
                asked(id).is_empty(),
                "{id}: Art. 50 asks to tell people and to mark content, for no paper"
            );
        }
        assert!(
            asked("OBL-125").is_empty(),
            "correct information is no duty to write a file"
        );
        assert_eq!(article_of("Art. 50(1) to (5)"), "50");
    }
}
