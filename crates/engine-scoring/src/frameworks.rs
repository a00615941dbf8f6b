//! Scores of other frameworks, by the crosswalk from the obligations of the Act.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Applies, FrameworkScore, System};
use engine_regulation::regulation;

use crate::formula::{grade, ratio, round, value, weight};

/// Scores of all frameworks with at least one control behind which an evaluated obligation stands.
///
/// A control takes the weighted mean of the obligations that map to it. The mapping is "related, not equal": a score
/// here says how far the evidence for the Act reaches into another framework, and nothing more.
pub fn framework_scores(systems: &[System]) -> BTreeMap<String, FrameworkScore> {
    let law = regulation();
    let mut sums: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    let mut act = (0.0, 0.0);
    let mut act_evaluated = BTreeSet::new();
    let mut act_all = BTreeSet::new();
    for record in systems.iter().flat_map(|system| &system.obligations) {
        if !matches!(record.applies, Applies::Applies | Applies::Upcoming) {
            continue;
        }
        act_all.insert(record.obligation_id.as_str());
        let Some(value) = value(record.status) else { continue };
        let weight = weight(&record.obligation_id);
        if record.applies == Applies::Applies {
            act = (act.0 + weight * value, act.1 + weight);
        }
        act_evaluated.insert(record.obligation_id.as_str());
        let Some(mapped) = law.crosswalk(&record.obligation_id) else {
            continue;
        };
        for (framework, controls) in mapped {
            for control in controls {
                let sum = sums.entry((framework, control)).or_default();
                *sum = (sum.0 + weight * value, sum.1 + weight);
            }
        }
    }
    let mut scores = BTreeMap::new();
    if act.1 > 0.0 {
        scores.insert(
            "eu-ai-act".to_owned(),
            framework_score(act.0 / act.1, act_evaluated.len(), act_all.len()),
        );
    }
    for framework in law.frameworks() {
        let controls: Vec<f64> = sums
            .iter()
            .filter(|((id, _), _)| *id == framework.id)
            .map(|(_, (sum, weights))| sum / weights)
            .collect();
        if controls.is_empty() || framework.controls.is_empty() {
            continue;
        }
        let mean = controls.iter().sum::<f64>() * ratio(1, controls.len());
        scores.insert(
            framework.id.clone(),
            framework_score(mean, controls.len(), framework.controls.len()),
        );
    }
    scores
}

fn framework_score(share: f64, assessed: usize, all: usize) -> FrameworkScore {
    let score = round(100.0 * share);
    FrameworkScore {
        score,
        grade: grade(score).to_owned(),
        coverage: round(100.0 * ratio(assessed, all)),
    }
}

#[cfg(test)]
mod tests {
    use engine_model::{ObligationRecord, ObligationStatus};

    use super::*;

    #[test]
    fn a_framework_without_evidence_has_no_score() {
        assert!(framework_scores(&[]).is_empty());
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
        let scores = framework_scores(&[system]);
        let iso = &scores["iso-42001"];
        assert!((iso.score - 100.0).abs() < 1e-9 && iso.coverage < 10.0, "{iso:?}");
        assert!((scores["eu-ai-act"].coverage - 50.0).abs() < 1e-9);
    }
}
