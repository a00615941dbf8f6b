//! What counts as debt, how much, and that nothing counts twice.

use engine_model::DocumentDate;
use engine_model::ObligationStatus::{Evidenced, Incomplete};
use proptest::prelude::*;

use super::*;
use crate::fixtures::{any_system, date, finding, lacking, record, suppressed, system};
use crate::gaps::{INCOMPLETE_DOCUMENT, MISSING_DOCUMENT};

const TODAY: &str = "2026-11-20";

#[derive(Debug, Default)]
struct Case {
    systems: Vec<System>,
    findings: Vec<Finding>,
    first_seen: BTreeMap<String, Date>,
    documents: Vec<Document>,
    dated: Vec<Dated>,
    history: Vec<DebtPoint>,
}

impl Case {
    fn debt(&self) -> Debt {
        self.debt_on(TODAY)
    }

    fn debt_on(&self, day: &str) -> Debt {
        debt(&DebtInput {
            as_of: date(day),
            systems: &self.systems,
            findings: &self.findings,
            first_seen: &self.first_seen,
            documents: &self.documents,
            dated: &self.dated,
            history: &self.history,
        })
    }

    fn seen(mut self, id: &str, day: &str) -> Self {
        self.first_seen.insert(id.to_owned(), date(day));
        self
    }
}

fn document(kind: &str, completeness: u8, dates: &[(&str, DocumentDateKind)]) -> Document {
    Document {
        file: format!("docs/{kind}.md"),
        kind: kind.to_owned(),
        confidence: 90,
        sections: Vec::new(),
        completeness,
        state: if completeness == 100 {
            DocumentState::Filled
        } else {
            DocumentState::Partial
        },
        line: 1,
        draft: false,
        digest: String::new(),
        dates: dates
            .iter()
            .map(|(day, kind)| DocumentDate {
                line: 2,
                kind: *kind,
                date: date(day),
            })
            .collect(),
    }
}

fn answer(what: &str, until: Option<&str>) -> Dated {
    Dated {
        what: what.to_owned(),
        on: date("2025-11-20"),
        until: until.map(date),
        obligation_id: Some("OBL-094".to_owned()),
        system: None,
    }
}

fn parts(debt: &Debt) -> (f64, f64, f64) {
    (debt.findings_debt, debt.documentation_debt, debt.freshness_debt)
}

#[test]
fn without_gaps_there_is_no_debt() {
    let debt = Case::default().debt();
    assert_eq!(
        (debt.total_debt, debt.level, debt.previous_debt),
        (0.0, DebtLevel::None, None)
    );
    assert_eq!(debt.trend, [debt.point(date(TODAY))]);
}

#[test]
fn points_are_weight_times_age_factor() {
    let case = |day: &str| {
        Case {
            findings: vec![finding("f", "l4-undisclosed-interaction", "OBL-094")],
            ..Case::default()
        }
        .seen("f", day)
        .debt()
    };
    let new = case(TODAY);
    assert_eq!((new.findings_debt, new.breakdown[0].age_days), (3.0, 0));
    let year = case("2025-11-20");
    assert_eq!((year.findings_debt, year.breakdown[0].age_days), (6.0, 365));
    assert_eq!(
        year.breakdown[0].why,
        "Open (`app.py:3`), first seen on 2025-11-20, 365 days ago; weight 3."
    );
    // Two years and more weigh the same; a date in the future is today.
    assert_eq!(parts(&case("2019-01-01")), (9.0, 0.0, 0.0));
    assert_eq!(parts(&case("2027-01-01")), (3.0, 0.0, 0.0));
}

#[test]
fn each_open_finding_counts_once_and_a_false_positive_not_at_all() {
    let open = finding("f", "l4-x", "OBL-094");
    let mut pass = finding("p", "l4-y", "OBL-094");
    pass.kind = FindingType::Pass;
    let case = Case {
        findings: vec![
            open.clone(),
            open,
            pass,
            suppressed(finding("g", "l4-x", "OBL-094"), "false_positive"),
            suppressed(finding("h", "l4-x", "OBL-001"), "accepted_risk"),
        ],
        ..Case::default()
    };
    let ids: Vec<_> = case
        .debt()
        .breakdown
        .iter()
        .filter_map(|i| i.finding_id.clone())
        .collect();
    assert_eq!(ids, ["f", "h"]);
    assert_eq!(parts(&case.debt()), (4.0, 0.0, 0.0));
}

#[test]
fn an_open_prohibited_practice_is_critical() {
    let case = Case {
        findings: vec![finding("f", "l4-scraped-face-index", "OBL-006")],
        ..Case::default()
    };
    assert_eq!((case.debt().total_debt, case.debt().level), (7.0, DebtLevel::Critical));
}

#[test]
fn a_missing_document_counts_as_documentation_and_once() {
    let mut missing = finding("m", MISSING_DOCUMENT, "OBL-030");
    missing.file = None;
    let case = Case {
        systems: vec![system(
            "s",
            vec![
                lacking("OBL-030", Applies::Applies),
                lacking("OBL-031", Applies::Applies),
                lacking("OBL-019", Applies::Upcoming),
            ],
        )],
        findings: vec![missing],
        ..Case::default()
    }
    .seen("m", "2025-11-20");
    let debt = case.debt();
    assert_eq!(parts(&debt), (0.0, 6.0, 0.0));
    assert_eq!(debt.breakdown.len(), 1);
    let row = &debt.breakdown[0];
    assert_eq!(
        (
            row.item.as_str(),
            row.obligation_id.as_deref(),
            row.system.as_deref(),
            row.finding_id.as_deref()
        ),
        ("Technical documentation", Some("OBL-030"), Some("s"), Some("m"))
    );
    assert_eq!(
        row.why,
        "Document not found, gap first seen on 2025-11-20, 365 days ago; weight 3."
    );
    // Without a record that asks for it, the finding alone counts the same.
    let alone = Case {
        systems: Vec::new(),
        ..case
    };
    assert_eq!(parts(&alone.debt()), (0.0, 6.0, 0.0));
}

#[test]
fn a_gap_in_code_is_not_counted_again_as_a_document() {
    let case = Case {
        systems: vec![system(
            "s",
            vec![
                lacking("OBL-032", Applies::Applies),
                lacking("OBL-033", Applies::Applies),
            ],
        )],
        findings: vec![finding("f", "l4-unlogged-model-call", "OBL-032")],
        ..Case::default()
    };
    assert_eq!(parts(&case.debt()), (3.0, 0.0, 0.0));
}

#[test]
fn an_incomplete_document_counts_half_and_once_for_all_systems() {
    let own = |id: &str| {
        let mut incomplete = record("OBL-030", Applies::Applies, Incomplete);
        incomplete.asks_for_document = true;
        system(id, vec![incomplete])
    };
    let mut report = finding("i", &format!("{INCOMPLETE_DOCUMENT}technical-documentation"), "OBL-030");
    report.file = Some("docs/tech-documentation.md".to_owned());
    let case = Case {
        systems: vec![own("s"), own("t")],
        findings: vec![report],
        documents: vec![document("tech-documentation", 40, &[])],
        ..Case::default()
    };
    let debt = case.debt();
    assert_eq!((parts(&debt), debt.breakdown.len()), ((0.0, 1.5, 0.0), 1));
    assert_eq!(debt.breakdown[0].system, None);
    assert!(
        debt.breakdown[0]
            .why
            .starts_with("Incomplete, 40 % of the required sections")
    );
}

#[test]
fn documents_and_answers_past_their_date_are_stale() {
    use DocumentDateKind::{NextReview, Version};
    let case = Case {
        systems: vec![system("s", vec![record("OBL-030", Applies::Applies, Evidenced)])],
        documents: vec![
            document("tech-documentation", 100, &[("2024-11-20", Version)]),
            document("fria", 100, &[("2020-01-01", Version), ("2026-11-20", NextReview)]),
            document("qms", 100, &[("2025-12-01", NextReview), ("2026-06-01", Version)]),
        ],
        dated: vec![
            answer("Risk class of `s`", Some("2026-11-19")),
            answer("Role", Some(TODAY)),
            answer("Name", None),
        ],
        ..Case::default()
    };
    let debt = case.debt();
    // 3 * 0.5 * 2 for the document, 3 * 0.5 * (1 + 1/365) for the answer.
    assert_eq!(parts(&debt), (0.0, 0.0, 4.5));
    assert_eq!(
        debt.breakdown[0].why,
        "Review was due on 2025-11-20, 365 days ago (`docs/tech-documentation.md`); weight 3."
    );
    assert_eq!(
        debt.breakdown[1].why,
        "Stated on 2025-11-20, expired on 2026-11-19, 1 day ago; weight 3."
    );
}

#[test]
fn a_stale_document_is_not_counted_again_by_its_finding() {
    let mut stale = finding("s", STALE_DOCUMENT, "OBL-031");
    stale.file = Some("docs/qms.md".to_owned());
    let mut case = Case {
        findings: vec![stale],
        documents: vec![document("qms", 100, &[("2020-01-01", DocumentDateKind::Version)])],
        ..Case::default()
    };
    assert_eq!(case.debt().breakdown.len(), 1);
    case.documents.clear();
    assert_eq!(parts(&case.debt()), (0.0, 0.0, 1.5));
}

#[test]
fn a_retired_model_is_freshness_also_without_an_obligation() {
    let mut retired = finding("r", RETIRED_MODEL, "OBL-043");
    retired.kind = FindingType::Info;
    let mut case = Case {
        findings: vec![retired],
        ..Case::default()
    };
    assert_eq!(parts(&case.debt()), (0.0, 0.0, 0.5));
    case.findings[0].kind = FindingType::Fail;
    assert_eq!(parts(&case.debt()), (0.0, 0.0, 3.0));
}

#[test]
fn the_trend_has_one_point_a_day_and_ends_today() {
    let point = |day: &str, total_debt| DebtPoint {
        date: date(day),
        total_debt,
    };
    let case = Case {
        history: vec![
            point("2026-11-20", 50.0),
            point("2026-11-10", 12.0),
            point("2026-10-01", 20.04),
            point("2026-11-10", 11.0),
            point("2026-12-01", 1.0),
        ],
        ..Case::default()
    };
    let debt = case.debt();
    assert_eq!(
        debt.trend,
        [point("2026-10-01", 20.0), point("2026-11-10", 11.0), point(TODAY, 0.0)]
    );
    assert_eq!(debt.previous_debt, Some(11.0));
}

#[test]
fn the_wire_has_the_names_that_clients_read() {
    let case = Case {
        findings: vec![finding("f", "l4-x", "OBL-094")],
        ..Case::default()
    };
    let json = serde_json::to_value(case.debt()).unwrap();
    for key in ["totalDebt", "findingsDebt", "documentationDebt", "freshnessDebt"] {
        assert!(json[key].is_number(), "{key}");
    }
    assert_eq!(json["level"], "low");
    assert!(json["previousDebt"].is_null() && json["breakdown"][0]["ageDays"] == 0);
    assert_eq!(json["breakdown"][0]["kind"], "finding");
}

fn any_findings() -> impl Strategy<Value = Vec<Finding>> {
    let checks = [
        "l4-x",
        MISSING_DOCUMENT,
        "l2-incomplete-qms",
        STALE_DOCUMENT,
        RETIRED_MODEL,
    ];
    let one = (0usize..checks.len(), 1usize..100, any::<bool>());
    proptest::collection::vec(one, 0..20).prop_map(move |items| {
        items
            .into_iter()
            .enumerate()
            .map(|(index, (check, obligation, wrong))| {
                let finding = finding(&format!("f{index}"), checks[check], &format!("OBL-{obligation:03}"));
                if wrong {
                    suppressed(finding, "false_positive")
                } else {
                    finding
                }
            })
            .collect()
    })
}

fn any_case() -> impl Strategy<Value = Case> {
    (
        any_system(),
        any_findings(),
        0u8..101,
        proptest::collection::vec(0i32..2000, 20),
    )
        .prop_map(|(one, findings, completeness, ages)| Case {
            systems: vec![
                one.clone(),
                System {
                    id: "t".to_owned(),
                    ..one
                },
            ],
            first_seen: findings
                .iter()
                .zip(ages)
                .map(|(finding, age)| (finding.id.clone(), date(TODAY).saturating_sub(age.days())))
                .collect(),
            findings,
            documents: vec![
                document("qms", completeness, &[("2024-03-01", DocumentDateKind::Version)]),
                document("risk-management-file", completeness, &[]),
            ],
            dated: vec![answer("Role", Some("2026-01-01"))],
            history: Vec::new(),
        })
}

proptest! {
    #[test]
    fn the_rows_add_up_to_the_parts_and_the_parts_to_the_total(case in any_case()) {
        let debt = case.debt();
        let sum = |kind| round(debt.breakdown.iter().filter(|i| i.kind == kind).map(|i| i.points).sum());
        let sums = (sum(DebtKind::Finding), sum(DebtKind::Documentation), sum(DebtKind::Freshness));
        prop_assert_eq!(parts(&debt), sums);
        prop_assert!((debt.total_debt - (sums.0 + sums.1 + sums.2)).abs() < 1e-9);
        prop_assert!(debt.breakdown.iter().all(|item| item.points > 0.0));
        let mut ids: Vec<_> = debt.breakdown.iter().filter_map(|i| i.finding_id.as_ref()).collect();
        ids.sort();
        let all = ids.len();
        ids.dedup();
        prop_assert_eq!(ids.len(), all, "a finding is counted twice");
    }

    #[test]
    fn the_order_of_the_input_does_not_matter(mut case in any_case()) {
        let forward = case.debt();
        case.systems.reverse();
        for system in &mut case.systems {
            system.obligations.reverse();
        }
        case.findings.reverse();
        case.documents.reverse();
        prop_assert_eq!(forward, case.debt());
    }

    #[test]
    fn debt_never_falls_with_time_alone(case in any_case()) {
        prop_assert!(case.debt_on("2027-02-01").total_debt >= case.debt().total_debt);
    }

    #[test]
    fn a_false_positive_never_raises_the_debt(mut case in any_case(), which in 0usize..20) {
        // Without code that is at fault a missing document can come to light, so the law is about findings alone.
        case.systems.clear();
        let before = case.debt().total_debt;
        let count = case.findings.len();
        if let Some(finding) = case.findings.get_mut(which % count.max(1)) {
            *finding = suppressed(finding.clone(), "false_positive");
        }
        prop_assert!(case.debt().total_debt <= before);
    }

    #[test]
    fn evidence_never_raises_the_debt(mut case in any_case(), which in 0usize..60) {
        let before = case.debt().total_debt;
        let mut settled = Vec::new();
        for system in &mut case.systems {
            let count = system.obligations.len();
            if let Some(record) = system.obligations.get_mut(which % count.max(1)) {
                record.status = Evidenced;
                settled.push(record.obligation_id.clone());
            }
        }
        case.findings.retain(|finding| {
            !is_about_a_document(finding) || !finding.obligation_id.as_ref().is_some_and(|id| settled.contains(id))
        });
        prop_assert!(case.debt().total_debt <= before + 1e-9, "{before} {:?}", case.debt());
    }
}
