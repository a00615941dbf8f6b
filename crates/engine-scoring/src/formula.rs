//! The formula: weights, values, caps, and the terms that make it reproducible from the reply alone.

use std::collections::BTreeMap;

use engine_model::{
    Applicability, Applies, CategoryScore, Finding, FindingType, Layer, ObligationRecord, ObligationStatus, Score, ScoreCap,
    ScoreTerm, System,
};
use engine_regulation::{RiskClass, regulation};

/// The formula as it stands in every reply.
pub const FORMULA: &str = "100 * sum(weight * value) / sum(weight) over the terms with inCompliance (inReadiness) and a value; \
value is 1 evidenced, 0.5 incomplete, 0 gap; weight is the percentage of turnover in the tier of the fine (7, 3, 1), \
0.5 without a fine; an open prohibited practice caps the result at 29; 100 when there is nothing to weigh; \
security is 100 less 25 for each open secret, not below 0";

/// The highest score that an open prohibited practice leaves.
pub const CAP_PROHIBITED: f64 = 29.0;

/// How many checks had what to say; counted by the caller, who knows the list of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckCounts {
    /// Checks that exist.
    pub total: u64,
    /// Checks with evidence and without a gap.
    pub passed: u64,
    /// Checks with a gap.
    pub failed: u64,
}

/// What a score is made of.
#[derive(Clone, Copy, Debug)]
pub struct ScoreInput<'a> {
    /// Whether the Act touches the project.
    pub applicability: Applicability,
    /// The systems with their obligations.
    pub systems: &'a [System],
    /// The findings, for caps.
    pub findings: &'a [Finding],
    /// Counts for existing clients.
    pub checks: CheckCounts,
}

/// The weight of an obligation, from the tier of its fine.
pub fn weight(obligation_id: &str) -> f64 {
    let law = regulation();
    let Some(obligation) = law.obligation(obligation_id) else {
        return 0.5;
    };
    match obligation.penalty_tier.as_str() {
        "TIER-99-3" => 7.0,
        "TIER-99-4" | "TIER-101" | "TIER-100-3" => 3.0,
        "TIER-NONE" => 0.5,
        _ => 1.0,
    }
}

/// Computes the scores.
pub fn score(input: &ScoreInput<'_>) -> Score {
    let mut breakdown = Vec::new();
    for system in input.systems {
        for record in &system.obligations {
            if record.applies != Applies::DoesNotApply {
                breakdown.push(term(&system.id, record));
            }
        }
    }
    let caps = caps(input.findings);
    let capped = |value: f64| caps.iter().fold(value, |value, cap| value.min(cap.cap));
    let none = matches!(input.applicability, Applicability::NoAiFound | Applicability::Library);
    let compliance = round(capped(share(breakdown.iter().filter(|term| term.in_compliance))));
    let readiness = round(capped(share(breakdown.iter().filter(|term| term.in_readiness))));
    let applying = breakdown.iter().filter(|term| term.in_compliance).count();
    let evaluated = breakdown
        .iter()
        .filter(|term| term.in_compliance && term.value.is_some())
        .count();
    let coverage = if applying == 0 {
        0.0
    } else {
        round(ratio(evaluated, applying) * 100.0)
    };
    // Without a system, or with nothing evaluated, a grade would claim what was not looked at.
    let grade = (!none && evaluated > 0).then(|| grade(compliance).to_owned());
    let zone = match compliance {
        value if value < 50.0 => "red",
        value if value < 80.0 => "yellow",
        _ => "green",
    };
    Score {
        compliance,
        security: (!none).then(|| security(input.findings)),
        readiness,
        grade,
        coverage,
        formula: FORMULA.to_owned(),
        category_scores: categories(&breakdown),
        breakdown,
        critical_cap_applied: !caps.is_empty(),
        caps,
        total_score: compliance,
        zone: zone.to_owned(),
        total_checks: input.checks.total,
        passed_checks: input.checks.passed,
        failed_checks: input.checks.failed,
        skipped_checks: input
            .checks
            .total
            .saturating_sub(input.checks.passed + input.checks.failed),
    }
}

/// How sure a place must be to count as an open secret.
const SECRET_CONFIDENCE_MIN: u8 = 50;

/// 100 less 25 for each open secret.
fn security(findings: &[Finding]) -> f64 {
    let open = findings
        .iter()
        .filter(|finding| finding.check_id.starts_with("secret-") && finding.kind != FindingType::Pass)
        .filter(|finding| finding.confidence >= SECRET_CONFIDENCE_MIN)
        .filter(|finding| finding.suppressed.as_ref().is_none_or(|s| s.kind != "false_positive"))
        .count();
    100.0 * ratio(4usize.saturating_sub(open), 4)
}

/// The score of one system by the same formula; none when nothing of it was evaluated.
pub fn system_score(system: &System, findings: &[Finding]) -> Option<f64> {
    let terms: Vec<ScoreTerm> = system
        .obligations
        .iter()
        .map(|record| term(&system.id, record))
        .filter(|term| term.in_compliance && term.value.is_some())
        .collect();
    if terms.is_empty() {
        return None;
    }
    let own: Vec<Finding> = findings
        .iter()
        .filter(|finding| finding.system.as_deref() == Some(system.id.as_str()))
        .cloned()
        .collect();
    let value = share(terms.iter());
    Some(round(caps(&own).iter().fold(value, |value, cap| value.min(cap.cap))))
}

/// The letter for a score.
pub fn grade(score: f64) -> &'static str {
    match score {
        value if value >= 90.0 => "A",
        value if value >= 75.0 => "B",
        value if value >= 60.0 => "C",
        value if value >= 40.0 => "D",
        _ => "F",
    }
}

pub(crate) fn value(status: ObligationStatus) -> Option<f64> {
    match status {
        ObligationStatus::Evidenced => Some(1.0),
        ObligationStatus::Incomplete => Some(0.5),
        ObligationStatus::Gap => Some(0.0),
        ObligationStatus::NotEvaluated => None,
    }
}

fn term(system: &str, record: &ObligationRecord) -> ScoreTerm {
    ScoreTerm {
        system: system.to_owned(),
        obligation_id: record.obligation_id.clone(),
        article: record.article.clone(),
        applies: record.applies,
        weight: weight(&record.obligation_id),
        value: value(record.status),
        in_compliance: record.applies == Applies::Applies,
        in_readiness: matches!(record.applies, Applies::Applies | Applies::Upcoming),
    }
}

/// The weighted share of the terms that have a value; 100 when none has.
fn share<'a>(terms: impl Iterator<Item = &'a ScoreTerm>) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for term in terms {
        if let Some(value) = term.value {
            sum += term.weight * value;
            weights += term.weight;
        }
    }
    if weights > 0.0 { 100.0 * sum / weights } else { 100.0 }
}

fn caps(findings: &[Finding]) -> Vec<ScoreCap> {
    let open: Vec<String> = findings
        .iter()
        .filter(|finding| finding.kind == FindingType::Fail)
        // A screening with empty sections is a gap of a paper; only what observes a practice caps.
        .filter(|finding| matches!(finding.layer, Layer::L4 | Layer::L5))
        .filter(|finding| finding.suppressed.as_ref().is_none_or(|s| s.kind != "false_positive"))
        .filter(|finding| {
            finding
                .obligation_id
                .as_deref()
                .and_then(|id| regulation().obligation(id))
                .is_some_and(|obligation| obligation.risk_class == RiskClass::Prohibited)
        })
        .map(|finding| finding.id.clone())
        .collect();
    if open.is_empty() {
        return Vec::new();
    }
    vec![ScoreCap {
        cap: CAP_PROHIBITED,
        reason: "an indicator of a practice under Art. 5 is open".to_owned(),
        findings: open,
    }]
}

fn categories(terms: &[ScoreTerm]) -> Vec<CategoryScore> {
    let mut groups: BTreeMap<&'static str, Vec<&ScoreTerm>> = BTreeMap::new();
    for term in terms.iter().filter(|term| term.in_compliance && term.value.is_some()) {
        groups.entry(category(&term.obligation_id)).or_default().push(term);
    }
    groups
        .into_iter()
        .map(|(category, terms)| CategoryScore {
            category: category.to_owned(),
            weight: terms.iter().map(|term| term.weight).sum(),
            score: round(share(terms.iter().copied())),
            obligation_count: terms.len() as u64,
            passed_count: terms.iter().filter(|term| term.value == Some(1.0)).count() as u64,
        })
        .collect()
}

/// The group of an obligation, by the class that brings it into play.
fn category(obligation_id: &str) -> &'static str {
    match regulation()
        .obligation(obligation_id)
        .map(|obligation| obligation.risk_class)
    {
        Some(RiskClass::Prohibited) => "prohibited-practices",
        Some(RiskClass::HighRisk) => "high-risk",
        Some(RiskClass::Transparency) => "transparency",
        Some(RiskClass::Gpai | RiskClass::GpaiSystemic) => "general-purpose-models",
        _ => "general",
    }
}

pub(crate) fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of obligations are far below 2^52")]
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use engine_model::ObligationStatus::{Evidenced, Gap, Incomplete, NotEvaluated};
    use proptest::prelude::*;

    use super::*;

    fn record(id: &str, applies: Applies, status: ObligationStatus) -> ObligationRecord {
        ObligationRecord {
            obligation_id: id.to_owned(),
            article: String::new(),
            title: String::new(),
            applies_from: None,
            applies,
            because: String::new(),
            status,
            evidence: Vec::new(),
            question: None,
        }
    }

    fn system(obligations: Vec<ObligationRecord>) -> System {
        System {
            id: "s".to_owned(),
            name: "s".to_owned(),
            scope: String::new(),
            entry_points: Vec::new(),
            providers: Vec::new(),
            models: Vec::new(),
            role: "provider".to_owned(),
            role_basis: String::new(),
            risk_class: "limited".to_owned(),
            risk_basis: String::new(),
            questions: Vec::new(),
            obligations,
            files: Vec::new(),
        }
    }

    fn scored(systems: &[System]) -> Score {
        score(&ScoreInput {
            applicability: if systems.is_empty() {
                Applicability::NoAiFound
            } else {
                Applicability::SystemsFound
            },
            systems,
            findings: &[],
            checks: CheckCounts::default(),
        })
    }

    #[test]
    fn without_ai_there_is_no_grade_and_nothing_is_covered() {
        let score = scored(&[]);
        assert_eq!((score.compliance, score.coverage, score.grade), (100.0, 0.0, None));
    }

    #[test]
    fn weights_follow_the_tier_of_the_fine() {
        let score = scored(&[system(vec![
            record("OBL-094", Applies::Applies, Evidenced),
            record("OBL-002", Applies::Applies, Gap),
            record("OBL-001", Applies::Applies, Incomplete),
            record("OBL-032", Applies::Upcoming, Gap),
            record("OBL-099", Applies::Applies, NotEvaluated),
        ])]);
        assert!((score.compliance - 31.8).abs() < 1e-9, "{}", score.compliance);
        assert!((score.readiness - 25.0).abs() < 1e-9, "{}", score.readiness);
        assert!((score.coverage - 75.0).abs() < 1e-9, "{}", score.coverage);
    }

    #[test]
    fn the_score_can_be_computed_again_from_the_reply() {
        let score = scored(&[system(vec![
            record("OBL-094", Applies::Applies, Incomplete),
            record("OBL-095", Applies::Applies, Evidenced),
        ])]);
        let (sum, weights) = score
            .breakdown
            .iter()
            .filter(|term| term.in_compliance)
            .filter_map(|term| term.value.map(|value| (term.weight * value, term.weight)))
            .fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        assert!((100.0 * sum / weights - score.compliance).abs() < 0.05);
    }

    fn finding(obligation: &str, layer: Layer, kind: FindingType) -> Finding {
        Finding {
            id: "f".to_owned(),
            check_id: "c".to_owned(),
            obligation_id: Some(obligation.to_owned()),
            kind,
            layer,
            severity: engine_model::Severity::Critical,
            confidence: 80,
            confidence_level: engine_model::ConfidenceLevel::High,
            title: String::new(),
            message: String::new(),
            explanation: None,
            file: None,
            line: None,
            column: None,
            end_line: None,
            end_column: None,
            cell: None,
            system: None,
            evidence: Vec::new(),
            code_context: None,
            fix: None,
            fixable: false,
            suppressed: None,
        }
    }

    #[test]
    fn an_open_practice_caps_and_a_screening_with_empty_sections_does_not() {
        let systems = [system(vec![
            record("OBL-094", Applies::Applies, Evidenced),
            record("OBL-095", Applies::Applies, Evidenced),
        ])];
        let compliance = |finding: Finding| {
            score(&ScoreInput {
                applicability: Applicability::SystemsFound,
                systems: &systems,
                findings: &[finding],
                checks: CheckCounts::default(),
            })
            .compliance
        };
        let practice = |layer, kind| compliance(finding("OBL-007", layer, kind));
        assert!((practice(Layer::L4, FindingType::Fail) - CAP_PROHIBITED).abs() < 1e-9);
        assert!((practice(Layer::L2, FindingType::Fail) - 100.0).abs() < 1e-9);
        assert!((practice(Layer::L4, FindingType::Info) - 100.0).abs() < 1e-9);
        assert!((compliance(finding("OBL-094", Layer::L4, FindingType::Fail)) - 100.0).abs() < 1e-9);
    }

    fn any_status() -> impl Strategy<Value = ObligationStatus> {
        prop_oneof![Just(Gap), Just(Incomplete), Just(Evidenced), Just(NotEvaluated)]
    }

    proptest! {
        #[test]
        fn fixing_never_lowers_and_breaking_never_raises(
            statuses in proptest::collection::vec(any_status(), 1..40),
            which in 0usize..40,
        ) {
            let ids: Vec<String> = regulation().obligations().iter().map(|o| o.id.clone()).collect();
            let make = |statuses: &[ObligationStatus]| {
                system(statuses.iter().zip(&ids).map(|(s, id)| record(id, Applies::Applies, *s)).collect())
            };
            let which = which % statuses.len();
            let before = scored(&[make(&statuses)]);
            let mut fixed = statuses.clone();
            fixed[which] = Evidenced;
            prop_assert!(scored(&[make(&fixed)]).compliance >= before.compliance);
            let mut broken = statuses.clone();
            broken[which] = Gap;
            prop_assert!(scored(&[make(&broken)]).compliance <= before.compliance);
        }

        #[test]
        fn the_order_of_obligations_does_not_matter(statuses in proptest::collection::vec(any_status(), 1..30)) {
            let ids: Vec<String> = regulation().obligations().iter().map(|o| o.id.clone()).collect();
            let mut records: Vec<_> = statuses.iter().zip(&ids).map(|(s, id)| record(id, Applies::Applies, *s)).collect();
            let forward = scored(&[system(records.clone())]);
            records.reverse();
            let backward = scored(&[system(records)]);
            prop_assert!((forward.compliance - backward.compliance).abs() < 1e-9);
        }
    }
}
