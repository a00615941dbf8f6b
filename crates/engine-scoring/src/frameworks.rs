//! Scores of other frameworks, by the crosswalk from the obligations of the Act.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Finding, FrameworkScore, ScoreTerm, System};
use engine_regulation::regulation;

use crate::formula::{capped, caps, grade, ratio, round, share, share_of_any, term};

/// Scores of all frameworks with at least one control behind which an evaluated obligation stands.
///
/// A control takes the weighted share of the obligations that map to it, by the one formula. The mapping is "related, not
/// equal": a score here says how far the evidence for the Act reaches into another framework, and nothing more. The score
/// of the Act itself is `compliance`, caps included.
pub fn framework_scores(systems: &[System], findings: &[Finding]) -> BTreeMap<String, FrameworkScore> {
    let law = regulation();
    let terms: Vec<ScoreTerm> = systems
        .iter()
        .flat_map(|system| system.obligations.iter().map(|record| term(&system.id, record)))
        .filter(|term| term.in_readiness)
        .collect();
    let ids = |wanted: &dyn Fn(&ScoreTerm) -> bool| -> usize {
        let ids: BTreeSet<&str> = terms
            .iter()
            .filter(|t| wanted(t))
            .map(|t| t.obligation_id.as_str())
            .collect();
        ids.len()
    };
    let mut scores = BTreeMap::new();
    if terms.iter().any(|term| term.in_compliance && term.value.is_some()) {
        let value = capped(share(terms.iter().filter(|term| term.in_compliance)), &caps(findings));
        scores.insert(
            "eu-ai-act".to_owned(),
            framework_score(value, ids(&|term| term.value.is_some()), ids(&|_| true)),
        );
    }
    let mut controls: BTreeMap<(&str, &str), Vec<&ScoreTerm>> = BTreeMap::new();
    for term in &terms {
        for (framework, mapped) in law.crosswalk(&term.obligation_id).into_iter().flatten() {
            for control in mapped {
                controls.entry((framework, control)).or_default().push(term);
            }
        }
    }
    for framework in law.frameworks() {
        let shares: Vec<f64> = controls
            .iter()
            .filter(|((id, _), _)| *id == framework.id)
            .filter_map(|(_, terms)| share_of_any(terms.iter().copied()))
            .collect();
        if shares.is_empty() || framework.controls.is_empty() {
            continue;
        }
        let mean = shares.iter().sum::<f64>() * ratio(1, shares.len());
        scores.insert(
            framework.id.clone(),
            framework_score(mean, shares.len(), framework.controls.len()),
        );
    }
    scores
}

fn framework_score(value: f64, assessed: usize, all: usize) -> FrameworkScore {
    let score = round(value);
    FrameworkScore {
        score,
        grade: grade(score).to_owned(),
        coverage: round(100.0 * ratio(assessed, all)),
    }
}

#[cfg(test)]
mod tests {
    use engine_model::{Applies, ObligationRecord, ObligationStatus};

    use super::*;

    #[test]
    fn a_framework_without_evidence_has_no_score() {
        assert!(framework_scores(&[], &[]).is_empty());
    }

    #[test]
    fn evidence_for_the_act_reaches_the_controls_it_maps_to() {
        let record = |id: &str, status| ObligationRecord {
            obligation_id: id.to_owned(),
            article: String::new(),
            title: String::new(),
            applies_from: None,
            applies: Applies::Applies,
            because: String::new(),
            status,
            evidence: Vec::new(),
            question: None,
            asks_for_document: false,
        };
        let system = System {
            id: "s".to_owned(),
            name: "s".to_owned(),
            scope: String::new(),
            entry_points: Vec::new(),
            providers: Vec::new(),
            models: Vec::new(),
            role: String::new(),
            role_basis: String::new(),
            risk_class: String::new(),
            risk_basis: String::new(),
            questions: Vec::new(),
            obligations: vec![
                record("OBL-001", ObligationStatus::Evidenced),
                record("OBL-002", ObligationStatus::NotEvaluated),
            ],
            files: Vec::new(),
        };
        let scores = framework_scores(&[system], &[]);
        let iso = &scores["iso-42001"];
        assert!((iso.score - 100.0).abs() < 1e-9 && iso.coverage < 10.0, "{iso:?}");
        assert!((scores["eu-ai-act"].coverage - 50.0).abs() < 1e-9);
    }
}
