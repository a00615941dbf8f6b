//! The formula: weights, values, caps, and the terms that make it reproducible from the reply alone.

use std::collections::BTreeMap;

use engine_model::{
    Applicability, Applies, CategoryScore, Finding, FindingType, Layer, ObligationRecord, ObligationStatus, Score,
    ScoreCap, ScoreTerm, System,
};
use engine_regulation::{RiskClass, regulation};

/// The formula, part of every reply.
pub const FORMULA: &str = "100 * sum(weight * value) / sum(weight) over the terms with inCompliance (inReadiness) and a value. \
Value: 1 evidenced, 0.5 incomplete, 0 gap. Optional terms (documents that are begun and not required) are all left out \
if the result is higher without them. Weight: the percentage of turnover in the fine tier (7, 3 or 1), \
or 0.5 without a fine. An open prohibited practice caps the result at 29. The result is 0 if no term has a value, and 100 without AI. \
Assessed: true if a term with inCompliance that is not optional has a value. \
Coverage: 100 * terms with inCompliance and a value / terms with inCompliance. Grade: A from 90, B 75, C 60, D 40, else F. \
The grade is null without AI or if the terms with a value have less than half of the weight of all terms with inCompliance. \
Results are rounded to one decimal. Security: 100 less 25 for each open secret, not below 0, and at most \
the security score of the latest evaluation of an endpoint, if there is one.";

/// The highest score that an open prohibited practice leaves.
pub const CAP_PROHIBITED: f64 = 29.0;

/// Counts of checks by result; the caller counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckCounts {
    /// Checks that exist.
    pub total: u64,
    /// Checks with evidence and without a gap.
    pub passed: u64,
    /// Checks with a gap.
    pub failed: u64,
}

/// The input of a score.
#[derive(Clone, Copy, Debug)]
pub struct ScoreInput<'a> {
    /// Whether the Act can apply to the project.
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
    // The order in which systems and findings come says nothing about the score.
    breakdown.sort_by(|a, b| (&a.system, &a.obligation_id).cmp(&(&b.system, &b.obligation_id)));
    let caps = caps(input.findings);
    let none = matches!(input.applicability, Applicability::NoAiFound | Applicability::Library);
    // Without AI there is nothing to lack; anywhere else a score without a value would look clean and was never assessed.
    let empty = if input.applicability == Applicability::NoAiFound {
        100.0
    } else {
        0.0
    };
    let total = |counts: fn(&ScoreTerm) -> bool| {
        let share = share(breakdown.iter().filter(|term| counts(term)));
        round(capped(share.unwrap_or(empty), &caps))
    };
    let compliance = total(|term| term.in_compliance);
    let readiness = total(|term| term.in_readiness);
    let in_force = || breakdown.iter().filter(|term| term.in_compliance);
    let applicable = in_force().count();
    let evaluated = in_force().filter(|term| term.value.is_some()).count();
    let coverage = round(ratio(evaluated, applicable) * 100.0);
    let assessed = in_force().any(|term| term.value.is_some() && !term.optional);
    let whole: f64 = in_force().map(|term| term.weight).sum();
    let weighed: f64 = in_force()
        .filter(|term| term.value.is_some())
        .map(|term| term.weight)
        .sum();
    let enough = assessed && 2.0 * weighed >= whole;
    let grade = (!none && enough).then(|| grade(compliance).to_owned());
    let zone = match compliance {
        value if value < 50.0 => "red",
        value if value < 80.0 || !enough => "yellow",
        _ => "green",
    };
    Score {
        compliance,
        security: (!none).then(|| security(input.findings)),
        readiness,
        grade,
        coverage,
        assessed,
        evaluated: evaluated as u64,
        applicable: applicable as u64,
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
        .filter(|finding| !is_false_alarm(finding))
        .count();
    100.0 * ratio(4usize.saturating_sub(open), 4)
}

/// Whether a person has marked a finding as a false alarm; an accepted risk stays open.
pub(crate) fn is_false_alarm(finding: &Finding) -> bool {
    finding.suppressed.as_ref().is_some_and(|s| s.kind == "false_positive")
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
    let value = share(terms.iter())?;
    Some(round(capped(value, &caps(&own))))
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

/// The value of a status in the formula; none where nothing was evaluated.
pub(crate) fn value(status: ObligationStatus) -> Option<f64> {
    match status {
        ObligationStatus::Evidenced => Some(1.0),
        ObligationStatus::Incomplete => Some(0.5),
        ObligationStatus::Gap => Some(0.0),
        ObligationStatus::NotEvaluated => None,
    }
}

pub(crate) fn term(system: &str, record: &ObligationRecord) -> ScoreTerm {
    ScoreTerm {
        system: system.to_owned(),
        obligation_id: record.obligation_id.clone(),
        article: record.article.clone(),
        applies: record.applies,
        weight: weight(&record.obligation_id),
        value: value(record.status),
        in_compliance: record.applies == Applies::Applies,
        in_readiness: record.is_expected(),
        optional: record.status == ObligationStatus::Incomplete && !record.asks_for_document,
    }
}

/// The weighted share of the terms that have a value; of the optional ones where no other has one, and none where nothing was
/// evaluated.
pub(crate) fn share<'a>(terms: impl Iterator<Item = &'a ScoreTerm> + Clone) -> Option<f64> {
    share_of_any(terms.clone()).or_else(|| {
        let (sum, weights) = terms
            .filter_map(|term| term.value.map(|value| (term.weight * value, term.weight)))
            .fold((0.0, 0.0), |(sum, weights), (value, weight)| {
                (sum + value, weights + weight)
            });
        (weights > 0.0).then(|| 100.0 * sum / weights)
    })
}

/// The weighted share of the terms that have a value, if any has.
///
/// Optional terms are left out where that gives more: to begin a document that nobody asks for, or to lose it again, must
/// neither lower nor raise what other evidence has earned.
pub(crate) fn share_of_any<'a>(terms: impl Iterator<Item = &'a ScoreTerm>) -> Option<f64> {
    let (mut asked, mut optional) = ((0.0, 0.0), (0.0, 0.0));
    for term in terms {
        if let Some(value) = term.value {
            let sums = if term.optional { &mut optional } else { &mut asked };
            sums.0 += term.weight * value;
            sums.1 += term.weight;
        }
    }
    let share = |(sum, weights): (f64, f64)| (weights > 0.0).then(|| 100.0 * sum / weights);
    // With nothing else to weigh, half a document says nothing about the rest.
    share(asked).map(|alone| alone.max(share((asked.0 + optional.0, asked.1 + optional.1)).unwrap_or(alone)))
}

/// A value under the caps.
pub(crate) fn capped(value: f64, caps: &[ScoreCap]) -> f64 {
    caps.iter().fold(value, |value, cap| value.min(cap.cap))
}

/// How sure an indicator of a prohibited practice must be to cap the score: the odds at which it becomes a gap.
const CAP_CONFIDENCE_MIN: u8 = 50;

pub(crate) fn caps(findings: &[Finding]) -> Vec<ScoreCap> {
    let mut open: Vec<String> = findings
        .iter()
        .filter(|finding| finding.kind == FindingType::Fail && finding.confidence >= CAP_CONFIDENCE_MIN)
        // A screening on paper that is not finished is no practice; only what observes one in code caps.
        .filter(|finding| matches!(finding.layer, Layer::L4 | Layer::L5))
        .filter(|finding| !is_false_alarm(finding))
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
    open.sort();
    vec![ScoreCap {
        cap: CAP_PROHIBITED,
        reason: "an indicator of a prohibited practice (Art. 5) is open".to_owned(),
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
            score: round(share(terms.iter().copied()).unwrap_or_default()),
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
            certain_from: None,
            possible_starts: Vec::new(),
            applies,
            because: String::new(),
            status,
            evidence: Vec::new(),
            question: None,
            question_id: None,
            asks_for_document: true,
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
            ..System::default()
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

    fn any_applies() -> impl Strategy<Value = Applies> {
        prop_oneof![
            Just(Applies::Applies),
            Just(Applies::Upcoming),
            Just(Applies::Undetermined)
        ]
    }

    /// A system with an obligation for each term: its status, whether a document is asked for, whether it applies.
    fn made(terms: &[(ObligationStatus, bool, Applies)]) -> System {
        let ids = regulation().obligations().iter().map(|o| o.id.as_str());
        let records = terms
            .iter()
            .zip(ids)
            .map(|((status, asked, applies), id)| ObligationRecord {
                asks_for_document: *asked,
                ..record(id, *applies, *status)
            });
        system(records.collect())
    }

    fn frameworks_not_lower(before: &System, after: &System) -> bool {
        let before = crate::framework_scores(std::slice::from_ref(before), &[]);
        let after = crate::framework_scores(std::slice::from_ref(after), &[]);
        before
            .iter()
            .all(|(id, score)| after.get(id).is_some_and(|now| now.score >= score.score))
    }

    fn shuffle<T>(items: &mut [T], mut seed: u64) {
        for end in (1..items.len()).rev() {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            items.swap(end, usize::try_from(seed >> 33).unwrap() % (end + 1));
        }
    }

    #[test]
    fn a_document_that_nobody_asks_for_never_lowers_and_may_raise() {
        let with = |others: &[ObligationStatus], begun: bool| {
            let mut terms: Vec<_> = others.iter().map(|s| (*s, true, Applies::Applies)).collect();
            terms.push((if begun { Incomplete } else { NotEvaluated }, false, Applies::Applies));
            scored(&[made(&terms)]).compliance
        };
        assert!(with(&[Gap, Gap], true) > with(&[Gap, Gap], false));
        assert!((with(&[Evidenced], true) - with(&[Evidenced], false)).abs() < 1e-9);
        assert!((with(&[], true) - 50.0).abs() < 1e-9);
    }

    fn finding(layer: Layer, confidence: u8, obligation: &str) -> Finding {
        Finding {
            impact: Some(engine_model::Impact::Prepares),
            id: format!("{layer:?}-{confidence}-{obligation}"),
            check_id: "l4-x".to_owned(),
            obligation_id: Some(obligation.to_owned()),
            kind: FindingType::Fail,
            layer,
            severity: engine_model::Severity::Critical,
            confidence,
            confidence_level: engine_model::ConfidenceLevel::of(confidence),
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
            baseline: None,
        }
    }

    fn with_findings(findings: &[Finding]) -> Score {
        let systems = [system(vec![
            record("OBL-002", Applies::Applies, Gap),
            record("OBL-094", Applies::Applies, Evidenced),
            record("OBL-003", Applies::Applies, Evidenced),
            record("OBL-004", Applies::Applies, Evidenced),
        ])];
        score(&ScoreInput {
            applicability: Applicability::SystemsFound,
            systems: &systems,
            findings,
            checks: CheckCounts::default(),
        })
    }

    #[test]
    fn an_open_prohibited_practice_caps_the_score_and_says_by_which_findings() {
        let open = with_findings(&[finding(Layer::L4, 80, "OBL-003"), finding(Layer::L4, 70, "OBL-002")]);
        assert_eq!(
            (open.compliance, open.readiness, open.grade.as_deref()),
            (29.0, 29.0, Some("F"))
        );
        assert!(open.critical_cap_applied);
        assert_eq!(open.caps[0].findings, ["L4-70-OBL-002", "L4-80-OBL-003"]);
        // Unfinished paper, a guess, another duty and a finding that is wrong cap nothing.
        let mut wrong = finding(Layer::L4, 80, "OBL-002");
        wrong.suppressed = Some(engine_model::Suppression {
            kind: "false_positive".to_owned(),
            reason: "r".to_owned(),
            owner: None,
            until: None,
        });
        let free = with_findings(&[
            finding(Layer::L2, 90, "OBL-002"),
            finding(Layer::L4, 40, "OBL-002"),
            finding(Layer::L4, 90, "OBL-094"),
            wrong.clone(),
        ]);
        assert!(free.caps.is_empty() && free.compliance > 29.0, "{free:?}");
        // What is accepted stays open.
        wrong.suppressed.as_mut().unwrap().kind = "accepted_risk".to_owned();
        assert!((with_findings(&[wrong]).compliance - 29.0).abs() < 1e-9);
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
        fn every_step_up_raises_every_number_and_every_step_down_lowers_it(
            terms in proptest::collection::vec((any_status(), any::<bool>(), any_applies()), 1..40),
            which in 0usize..40,
        ) {
            let which = which % terms.len();
            let before = scored(&[made(&terms)]);
            let mut better = terms.clone();
            let (status, asked, _) = better[which];
            // With a document that is asked for: absent, begun, there. Without: not looked at, begun, there.
            better[which].0 = match (status, asked) {
                (Gap, true) | (NotEvaluated, false) => Incomplete,
                _ => Evidenced,
            };
            let after = scored(&[made(&better)]);
            prop_assert!(after.compliance >= before.compliance, "{before:?} {after:?}");
            prop_assert!(after.readiness >= before.readiness);
            prop_assert!(frameworks_not_lower(&made(&terms), &made(&better)));
            let mut worse = terms.clone();
            worse[which].0 = match (status, asked) {
                (Evidenced, _) => Incomplete,
                (Incomplete, false) => NotEvaluated,
                _ => Gap,
            };
            let after = scored(&[made(&worse)]);
            prop_assert!(after.compliance <= before.compliance, "{before:?} {after:?}");
            prop_assert!(after.readiness <= before.readiness);
        }

        #[test]
        fn a_gap_that_is_gone_lowers_nothing(
            terms in proptest::collection::vec((any_status(), any::<bool>(), any_applies()), 1..40),
            which in 0usize..40,
        ) {
            let which = which % terms.len();
            let mut gap = terms.clone();
            gap[which].0 = Gap;
            let mut gone = terms;
            gone[which].0 = NotEvaluated;
            let (before, after) = (scored(&[made(&gap)]), scored(&[made(&gone)]));
            prop_assert!(after.compliance >= before.compliance && after.readiness >= before.readiness);
        }

        #[test]
        fn systems_and_obligations_in_any_order_give_the_same_bytes(
            terms in proptest::collection::vec((any_status(), any::<bool>(), any_applies()), 2..30),
            split in 1usize..29,
            seed in any::<u64>(),
        ) {
            let (left, right) = terms.split_at(split.min(terms.len() - 1));
            let mut one = made(left);
            "a".clone_into(&mut one.id);
            let mut two = made(right);
            "b".clone_into(&mut two.id);
            let forward = scored(&[one.clone(), two.clone()]);
            shuffle(&mut one.obligations, seed);
            shuffle(&mut two.obligations, seed ^ 1);
            prop_assert_eq!(forward, scored(&[two, one]));
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
