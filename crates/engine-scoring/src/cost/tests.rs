//! What work costs, what costs nothing, and the rules of the ceilings.

use engine_model::ObligationStatus::{Evidenced, Gap, Incomplete, NotEvaluated};
use engine_model::{DocumentState, FindingType, ObligationRecord};
use proptest::prelude::*;

use super::*;
use crate::fixtures::{any_system, date, finding, lacking, record, suppressed, system};
use crate::gaps::MISSING_DOCUMENT;

#[derive(Debug, Default)]
struct Case {
    systems: Vec<System>,
    findings: Vec<Finding>,
    documents: Vec<Document>,
    hourly_rate: Option<f64>,
    size: Option<Size>,
    turnover_eur: Option<f64>,
}

impl Case {
    fn of(obligations: Vec<ObligationRecord>) -> Self {
        Self {
            systems: vec![system("s", obligations)],
            ..Self::default()
        }
    }

    fn estimate(&self) -> CostEstimate {
        cost_estimate(&CostInput {
            as_of: date("2026-11-20"),
            systems: &self.systems,
            findings: &self.findings,
            documents: &self.documents,
            hourly_rate: self.hourly_rate,
            size: self.size,
            turnover_eur: self.turnover_eur,
        })
    }
}

fn document(kind: &str, completeness: u8) -> Document {
    Document {
        file: format!("docs/{kind}.md"),
        kind: kind.to_owned(),
        confidence: 90,
        sections: Vec::new(),
        completeness,
        state: DocumentState::Partial,
        line: 1,
        draft: false,
        digest: String::new(),
        dates: Vec::new(),
    }
}

fn items(estimate: &CostEstimate) -> Vec<(CostCategory, &str)> {
    estimate
        .breakdown
        .iter()
        .map(|item| (item.category, item.item.as_str()))
        .collect()
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn what_is_evidenced_or_does_not_apply_costs_nothing() {
    let estimate = Case::of(vec![
        record("OBL-094", Applies::Applies, Evidenced),
        record("OBL-002", Applies::DoesNotApply, Gap),
        lacking("OBL-030", Applies::Undetermined),
    ])
    .estimate();
    assert!(estimate.breakdown.is_empty() && estimate.fine_exposure.is_empty());
    assert!(same(
        estimate.total_cost + estimate.potential_fine + estimate.hours.high,
        0.0
    ));
    assert_eq!(estimate.currency, "EUR");
}

#[test]
fn one_document_for_several_obligations_is_written_once() {
    let mut case = Case::of(vec![
        lacking("OBL-030", Applies::Applies),
        lacking("OBL-031", Applies::Applies),
    ]);
    case.findings = vec![finding("m", MISSING_DOCUMENT, "OBL-030")];
    let estimate = case.estimate();
    assert_eq!(items(&estimate), [(CostCategory::Document, "Technical documentation")]);
    assert_eq!(estimate.breakdown[0].obligation_ids, ["OBL-030", "OBL-031"]);
    // 48 h developer, 16 h compliance officer, 4 h legal counsel at the default rates.
    assert!(same(
        estimate.documentation_cost,
        48.0 * 80.0 + 16.0 * 75.0 + 4.0 * 150.0
    ));
    assert!(same(estimate.remediation_cost, 0.0) && same(estimate.hours.likely, 68.0));
    assert!(same(estimate.potential_fine, 15_000_000.0));
}

#[test]
fn a_document_of_the_organisation_is_written_once_for_all_systems() {
    let rows = |id: &str| {
        let mut case = Case::of(vec![lacking(id, Applies::Applies)]);
        case.systems.push(system("t", vec![lacking(id, Applies::Applies)]));
        case.estimate().breakdown
    };
    assert_eq!(rows("OBL-051").len(), 1, "quality management system");
    assert_eq!(rows("OBL-051")[0].systems, ["s", "t"]);
    assert_eq!(rows("OBL-030").len(), 2, "technical documentation");
}

#[test]
fn an_incomplete_document_costs_its_open_share() {
    let hours = |completeness| {
        let mut case = Case::of(vec![record("OBL-030", Applies::Applies, Incomplete)]);
        case.documents = vec![document("tech-documentation", completeness)];
        case.estimate().hours.likely
    };
    assert!(same(hours(50), 34.0) && same(hours(75), 17.0));
    assert!(same(hours(100), 17.0), "a person must still review it");
}

#[test]
fn the_same_finding_counts_once_and_further_places_less() {
    let place = |id: &str| finding(id, "l4-unhandled-model-failure", "OBL-045");
    let hours = |findings: &[Finding]| {
        let mut case = Case::of(vec![record("OBL-045", Applies::Applies, Gap)]);
        case.findings = findings.to_vec();
        case.estimate()
    };
    assert!(same(hours(&[place("a")]).hours.likely, 4.0));
    assert!(same(hours(&[place("a"), place("a")]).hours.likely, 4.0));
    let three = hours(&[place("a"), place("b"), place("c")]);
    assert!(same(three.hours.likely, 5.0));
    assert_eq!(
        items(&three),
        [(CostCategory::Code, "Title of l4-unhandled-model-failure (3 places)")]
    );
    // A false positive is no work. The gap of the obligation is then estimated by its kind.
    let wrong = hours(&[suppressed(place("a"), "false_positive")]);
    assert_eq!(
        items(&wrong),
        [(CostCategory::Code, "Be robust against errors (Art. 15(4))")]
    );
}

#[test]
fn upcoming_obligations_are_listed_apart_with_their_date() {
    let mut later = finding("f", "l4-unlogged-model-call", "OBL-032");
    later.kind = FindingType::Info;
    let mut case = Case::of(vec![
        record("OBL-032", Applies::Upcoming, Gap),
        record("OBL-094", Applies::Applies, Gap),
    ]);
    case.findings = vec![later, finding("g", "l4-undisclosed-interaction", "OBL-094")];
    let estimate = case.estimate();
    let dates: Vec<_> = estimate.breakdown.iter().map(|item| item.until).collect();
    assert_eq!(dates, [None, Some(date("2027-12-02"))]);
    assert!(same(estimate.upcoming_cost, estimate.breakdown[1].cost));
    assert!(same(
        estimate.total_cost,
        estimate.breakdown[0].cost + estimate.upcoming_cost
    ));
    // No fine is possible yet for what applies later.
    let only = Case::of(vec![record("OBL-032", Applies::Upcoming, Gap)]).estimate();
    assert!(same(only.potential_fine, 0.0));
    assert_eq!(
        (only.fine_exposure[0].applies_now, only.fine_exposure[0].applies_from),
        (false, Some(date("2027-12-02")))
    );
}

#[test]
fn an_obligation_without_evidence_costs_a_review_and_opens_no_fine() {
    let estimate = Case::of(vec![
        record("OBL-070", Applies::Applies, NotEvaluated),
        record("OBL-086", Applies::Applies, Gap),
        record("OBL-081", Applies::Applies, Gap),
    ])
    .estimate();
    let categories: Vec<CostCategory> = estimate.breakdown.iter().map(|item| item.category).collect();
    assert_eq!(
        categories,
        [CostCategory::Process, CostCategory::OneOff, CostCategory::Review]
    );
    let open: Vec<&String> = estimate
        .fine_exposure
        .iter()
        .flat_map(|row| &row.obligation_ids)
        .collect();
    assert_eq!(open, ["OBL-081", "OBL-086"]);
}

#[test]
fn the_ceiling_follows_the_rule_for_the_size() {
    let row = |obligation: &str, size, turnover_eur| {
        let mut case = Case::of(vec![record(obligation, Applies::Applies, Gap)]);
        (case.size, case.turnover_eur) = (size, turnover_eur);
        let estimate = case.estimate();
        let row = estimate.fine_exposure[0].clone();
        assert!(same(estimate.potential_fine, row.ceiling_eur.unwrap_or_default()));
        (
            row.ceiling_eur.unwrap_or_default(),
            row.rule.clone(),
            row.applies_rule,
            row.note,
        )
    };
    let (turnover, big) = (Some(10_000_000.0), Some(1_000_000_000.0));
    let check = |obligation, size, turnover, ceiling: u32, rule: &str, used| {
        let (value, found, by, note) = row(obligation, size, turnover);
        assert_eq!((value, found.as_str(), by), (f64::from(ceiling), rule, used), "{note}");
    };
    // Art. 50 under Art. 99(4): EUR 15 million or 3 %.
    check(
        "OBL-094",
        Some(Size::Sme),
        turnover,
        300_000,
        "lower_of",
        FineRuleFor::Sme,
    );
    check(
        "OBL-094",
        Some(Size::SmallMidCap),
        turnover,
        300_000,
        "lower_of",
        FineRuleFor::SmallMidCap,
    );
    check(
        "OBL-094",
        Some(Size::Other),
        turnover,
        15_000_000,
        "higher_of",
        FineRuleFor::Other,
    );
    check(
        "OBL-094",
        Some(Size::Other),
        big,
        30_000_000,
        "higher_of",
        FineRuleFor::Other,
    );
    check(
        "OBL-094",
        Some(Size::Sme),
        big,
        15_000_000,
        "lower_of",
        FineRuleFor::Sme,
    );
    check("OBL-094", None, None, 15_000_000, "higher_of", FineRuleFor::UnknownSize);
    // Art. 5 under Art. 99(3): small mid-caps have no lower ceiling.
    check(
        "OBL-002",
        Some(Size::SmallMidCap),
        turnover,
        35_000_000,
        "higher_of",
        FineRuleFor::SmallMidCap,
    );
    check(
        "OBL-002",
        Some(Size::Sme),
        turnover,
        700_000,
        "lower_of",
        FineRuleFor::Sme,
    );
    // Art. 101 has no rule of its own for SMEs.
    check(
        "OBL-102",
        Some(Size::Sme),
        turnover,
        15_000_000,
        "higher_of",
        FineRuleFor::Other,
    );
    // Art. 4 has no ceiling of the Union.
    check("OBL-001", None, turnover, 0, "national_law", FineRuleFor::UnknownSize);
    let (_, _, _, note) = row("OBL-094", Some(Size::Sme), None);
    assert_eq!(
        note,
        "SMEs: the lower of the fixed amount and the percentage, Art. 99(6). Turnover unknown: this is the fixed amount, \
         and the ceiling can be lower."
    );
    let (_, _, _, note) = row("OBL-094", None, None);
    assert!(
        note.ends_with("the ceiling can be higher. Size unknown: for SMEs the lower of the two applies, Art. 99(6).")
    );
    assert!(row("OBL-001", None, None).3.contains("National law"));
}

#[test]
fn the_highest_ceiling_of_what_applies_now_is_the_potential_fine() {
    let estimate = Case::of(vec![
        record("OBL-094", Applies::Applies, Gap),
        record("OBL-002", Applies::Applies, Gap),
        record("OBL-095", Applies::Applies, Gap),
    ])
    .estimate();
    assert!(same(estimate.potential_fine, 35_000_000.0));
    let tiers: Vec<_> = estimate.fine_exposure.iter().map(|row| row.tier.as_str()).collect();
    assert_eq!(tiers, ["TIER-99-3", "TIER-99-4"]);
    assert_eq!(estimate.fine_exposure[1].articles, ["Art. 50(1)", "Art. 50(2)"]);
}

#[test]
fn a_rate_of_the_request_replaces_the_rates_of_the_roles() {
    let mut case = Case::of(vec![lacking("OBL-030", Applies::Applies)]);
    case.hourly_rate = Some(100.0);
    let estimate = case.estimate();
    assert!(same(estimate.total_cost, 100.0 * estimate.hours.likely));
    assert_eq!(estimate.assumptions[1].subject, "All roles");
    for rate in [f64::NAN, -1.0, f64::INFINITY] {
        case.hourly_rate = Some(rate);
        assert!(same(case.estimate().total_cost, 5640.0), "{rate}");
    }
}

#[test]
fn the_wire_has_the_names_that_clients_read() {
    let mut case = Case::of(vec![lacking("OBL-030", Applies::Applies)]);
    case.findings = vec![finding("m", MISSING_DOCUMENT, "OBL-030")];
    let json = serde_json::to_value(case.estimate()).unwrap();
    for key in [
        "remediationCost",
        "documentationCost",
        "totalCost",
        "potentialFine",
        "roi",
    ] {
        assert!(json[key].is_number(), "{key}");
    }
    let row = &json["breakdown"][0];
    assert!(row["effortHours"].is_number() && row["cost"].is_number() && row.get("until").is_none());
    assert!(row["category"] == "document" && row["item"] == "Technical documentation");
    assert_eq!(json["fineExposure"][0]["appliesRule"], "unknown_size");
    assert_eq!(json["hoursByRole"][0]["role"], "developer");
    assert!(json["totalCostRange"]["low"].is_number() && json["assumptions"][0]["value"].is_null());
}

fn any_case() -> impl Strategy<Value = Case> {
    let checks = ["l4-x", "l4-unlogged-model-call", "l3-y", MISSING_DOCUMENT];
    let findings = proptest::collection::vec((0usize..checks.len(), 1usize..60, any::<bool>()), 0..15);
    (any_system(), findings, 0u8..101, proptest::option::of(1.0f64..300.0)).prop_map(
        move |(one, findings, completeness, hourly_rate)| Case {
            systems: vec![
                one.clone(),
                System {
                    id: "t".to_owned(),
                    ..one
                },
            ],
            findings: findings
                .into_iter()
                .enumerate()
                .map(|(index, (check, obligation, everywhere))| {
                    let mut finding = finding(&format!("f{index}"), checks[check], &format!("OBL-{obligation:03}"));
                    if everywhere {
                        finding.system = None;
                    }
                    finding
                })
                .collect(),
            documents: vec![
                document("risk-management-file", completeness),
                document("qms", completeness),
            ],
            hourly_rate,
            size: None,
            turnover_eur: None,
        },
    )
}

proptest! {
    #[test]
    fn the_rows_add_up_to_the_totals(case in any_case()) {
        let estimate = case.estimate();
        let total: f64 = estimate.breakdown.iter().map(|item| item.cost).sum();
        let hours: f64 = estimate.breakdown.iter().map(|item| item.effort_hours).sum();
        let by_role: f64 = estimate.hours_by_role.iter().map(|hours| hours.likely).sum();
        prop_assert!(same(total, estimate.total_cost) && same(hours, estimate.hours.likely) && same(hours, by_role));
        prop_assert!(same(estimate.total_cost, estimate.remediation_cost + estimate.documentation_cost));
        for range in estimate.breakdown.iter().flat_map(|item| [item.hours, item.cost_range]) {
            prop_assert!(range.low <= range.likely && range.likely <= range.high, "{range:?}");
        }
        prop_assert!(estimate.upcoming_cost <= estimate.total_cost + 1e-6);
    }

    #[test]
    fn the_order_of_the_input_does_not_matter(mut case in any_case()) {
        let forward = case.estimate();
        case.systems.reverse();
        for system in &mut case.systems {
            system.obligations.reverse();
        }
        case.findings.reverse();
        case.documents.reverse();
        let twice = case.findings.clone();
        case.findings.extend(twice);
        prop_assert_eq!(forward, case.estimate());
    }

    #[test]
    fn evidence_never_raises_the_cost_or_the_fine(mut case in any_case(), which in 0usize..60) {
        // A gap in code stands for a missing document of the same article, so the law is about documents not asked for.
        for record in case.systems.iter_mut().flat_map(|system| &mut system.obligations) {
            record.asks_for_document = false;
        }
        let before = case.estimate();
        for system in &mut case.systems {
            let count = system.obligations.len();
            if let Some(record) = system.obligations.get_mut(which % count.max(1)) {
                record.status = Evidenced;
            }
        }
        let after = case.estimate();
        prop_assert!(after.total_cost <= before.total_cost + 1e-6, "{before:?} {after:?}");
        prop_assert!(after.potential_fine <= before.potential_fine);
    }
}
