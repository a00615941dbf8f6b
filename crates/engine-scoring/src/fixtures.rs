//! Systems, obligations and findings for the tests of this crate.

use engine_model::{
    Applies, ConfidenceLevel, Date, Finding, FindingType, Layer, ObligationRecord, ObligationStatus, Severity,
    Suppression, System,
};
use engine_regulation::{Obligation, regulation};
use proptest::prelude::*;

pub(crate) fn date(text: &str) -> Date {
    text.parse().unwrap()
}

pub(crate) fn record(id: &str, applies: Applies, status: ObligationStatus) -> ObligationRecord {
    ObligationRecord {
        certain_from: None,
        possible_starts: Vec::new(),
        obligation_id: id.to_owned(),
        article: regulation()
            .obligation(id)
            .map(Obligation::citation)
            .unwrap_or_default(),
        title: regulation().obligation(id).map(|o| o.title.clone()).unwrap_or_default(),
        applies_from: Some(date(if applies == Applies::Upcoming {
            "2027-12-02"
        } else {
            "2026-08-02"
        })),
        applies,
        because: String::new(),
        status,
        evidence: Vec::new(),
        question: None,
        question_id: None,
        asks_for_document: false,
    }
}

/// A gap that a missing document leaves.
pub(crate) fn lacking(id: &str, applies: Applies) -> ObligationRecord {
    ObligationRecord {
        asks_for_document: true,
        ..record(id, applies, ObligationStatus::Gap)
    }
}

pub(crate) fn system(id: &str, obligations: Vec<ObligationRecord>) -> System {
    System {
        id: id.to_owned(),
        name: id.to_owned(),
        scope: String::new(),
        entry_points: Vec::new(),
        providers: Vec::new(),
        models: Vec::new(),
        role: String::new(),
        role_basis: String::new(),
        risk_class: String::new(),
        risk_basis: String::new(),
        questions: Vec::new(),
        obligations,
        files: Vec::new(),
        ..System::default()
    }
}

/// An open gap of system `s`.
pub(crate) fn finding(id: &str, check: &str, obligation: &str) -> Finding {
    Finding {
        id: id.to_owned(),
        check_id: check.to_owned(),
        obligation_id: Some(obligation.to_owned()),
        kind: FindingType::Fail,
        layer: Layer::L4,
        severity: Severity::High,
        impact: Some(engine_model::Impact::Prepares),
        confidence: 80,
        confidence_level: ConfidenceLevel::of(80),
        title: format!("Title of {check}"),
        message: String::new(),
        explanation: None,
        file: Some("app.py".to_owned()),
        line: Some(3),
        column: None,
        end_line: None,
        end_column: None,
        cell: None,
        system: Some("s".to_owned()),
        evidence: Vec::new(),
        code_context: None,
        fix: None,
        fixable: false,
        suppressed: None,
        baseline: None,
    }
}

pub(crate) fn suppressed(mut finding: Finding, kind: &str) -> Finding {
    finding.suppressed = Some(Suppression {
        kind: kind.to_owned(),
        reason: "r".to_owned(),
        owner: None,
        until: None,
    });
    finding
}

pub(crate) fn any_status() -> impl Strategy<Value = ObligationStatus> {
    prop_oneof![
        Just(ObligationStatus::Gap),
        Just(ObligationStatus::Incomplete),
        Just(ObligationStatus::Evidenced),
        Just(ObligationStatus::NotEvaluated)
    ]
}

pub(crate) fn any_applies() -> impl Strategy<Value = Applies> {
    prop_oneof![
        Just(Applies::Applies),
        Just(Applies::Upcoming),
        Just(Applies::Undetermined),
        Just(Applies::DoesNotApply)
    ]
}

/// A system `s` with one obligation for each term: status, whether a document is asked for, whether it applies.
pub(crate) fn any_system() -> impl Strategy<Value = System> {
    proptest::collection::vec((any_status(), any::<bool>(), any_applies()), 0..60).prop_map(|terms| {
        let ids = regulation().obligations().iter().map(|o| o.id.as_str());
        let records = terms
            .into_iter()
            .zip(ids)
            .map(|((status, asks_for_document, applies), id)| ObligationRecord {
                asks_for_document,
                ..record(id, applies, status)
            })
            .collect();
        system("s", records)
    })
}
