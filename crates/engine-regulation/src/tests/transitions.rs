//! Transition rules of Art. 111, and the law that what applies goes on applying.

use jiff::civil::{Date, date};

use super::query::on;
use crate::span::TRANSITIONS;
use crate::vocabulary::Route;
use crate::{Applies, Condition, Known, LawQuery, Role, RoleFacts, TransparencyCase, regulation};

fn check(query: &LawQuery, id: &str, applies: Applies, from: Option<Date>) {
    let verdict = on(query, id);
    assert_eq!(
        (verdict.applies, verdict.applies_from),
        (applies, from),
        "{id} on {}: {}",
        query.as_of,
        verdict.because
    );
}

fn provider(as_of: Date) -> LawQuery {
    LawQuery::new(as_of).roles(RoleFacts::exactly(&[Role::Provider]))
}

fn model(as_of: Date) -> LawQuery {
    LawQuery::new(as_of)
        .roles(RoleFacts::exactly(&[Role::GpaiProvider]))
        .gpai(true)
}

#[test]
fn the_dates_of_the_transition_rules_are_those_of_the_data() {
    let law = regulation();
    let dates = &*TRANSITIONS;
    assert!(dates.models < dates.generative && dates.generative < dates.earlier_models);
    assert!(dates.earlier_models < dates.annex_iii && dates.annex_iii < dates.annex_i);
    assert!(dates.annex_i < dates.earlier_public && dates.earlier_public < Date::MAX);
    let milestone = |article: &str| -> Vec<Date> {
        let cites = |provisions: &[String]| provisions.iter().any(|provision| provision == article);
        let found = law.timeline().iter().filter(|row| cites(&row.provisions));
        found.map(|row| row.date).collect()
    };
    assert_eq!(milestone("Art. 113(c)(i)"), [dates.annex_iii]);
    assert_eq!(milestone("Art. 113(c)(ii)"), [dates.annex_i]);
    assert_eq!(milestone("Art. 111(2)"), [dates.earlier_public]);
    assert_eq!(milestone("Art. 111(3)"), [dates.earlier_models]);
    let marking = law
        .obligation("OBL-095")
        .and_then(|row| row.date_on(Route::LegacyGenerative));
    assert_eq!(milestone("Art. 111(4)"), marking.into_iter().collect::<Vec<_>>());
    assert!(
        law.annex_iii_areas()
            .iter()
            .all(|area| area.applies_from == dates.annex_iii)
    );
}

#[test]
fn marking_waits_for_systems_that_were_on_the_market_and_both_dates_are_named_while_that_is_open() {
    let marks = |day| provider(day).transparency(TransparencyCase::SyntheticContent, true);
    let (later, earlier) = (date(2026, 8, 2), date(2026, 12, 2));
    let old = Some(date(2026, 8, 1));
    let new = Some(date(2026, 8, 2));
    check(
        &marks(date(2026, 11, 20)).placed_on_market(new),
        "OBL-095",
        Applies::Applies,
        Some(later),
    );
    check(
        &marks(date(2026, 11, 20)).placed_on_market(old),
        "OBL-095",
        Applies::Upcoming,
        Some(earlier),
    );
    check(
        &marks(date(2026, 12, 2)).placed_on_market(old),
        "OBL-095",
        Applies::Applies,
        Some(earlier),
    );
    check(&marks(date(2026, 8, 1)), "OBL-095", Applies::Upcoming, Some(later));
    check(&marks(date(2026, 12, 2)), "OBL-095", Applies::Applies, Some(earlier));
    let open = on(&marks(date(2026, 11, 20)), "OBL-095");
    assert_eq!((open.applies, open.applies_from), (Applies::Undetermined, Some(later)));
    assert!(
        open.because.contains("2026-08-02") && open.because.contains("2026-12-02"),
        "{}",
        open.because
    );
    assert_eq!(open.asks, Some(crate::Fact::PlacedOnMarket));
}

#[test]
fn models_have_their_own_dates() {
    let begin = Some(date(2025, 8, 2));
    let old = Some(date(2025, 8, 1));
    let new = Some(date(2025, 8, 2));
    check(
        &model(date(2025, 8, 1)).placed_on_market(new),
        "OBL-102",
        Applies::Upcoming,
        begin,
    );
    check(
        &model(date(2025, 8, 2)).placed_on_market(new),
        "OBL-102",
        Applies::Applies,
        begin,
    );
    check(
        &model(date(2026, 11, 20)).placed_on_market(old),
        "OBL-102",
        Applies::Upcoming,
        Some(date(2027, 8, 2)),
    );
    check(
        &model(date(2027, 8, 2)).placed_on_market(old),
        "OBL-102",
        Applies::Applies,
        Some(date(2027, 8, 2)),
    );
    check(&model(date(2026, 11, 20)), "OBL-102", Applies::Undetermined, begin);
    check(
        &model(date(2026, 11, 20)),
        "OBL-124",
        Applies::Applies,
        Some(date(2026, 8, 2)),
    );
    check(
        &model(date(2027, 8, 2)).placed_on_market(old),
        "OBL-127",
        Applies::Applies,
        Some(date(2027, 8, 2)),
    );
    check(
        &model(date(2027, 8, 2)).placed_on_market(new),
        "OBL-127",
        Applies::DoesNotApply,
        None,
    );
    check(
        &model(date(2027, 8, 2)),
        "OBL-127",
        Applies::Undetermined,
        Some(date(2027, 8, 2)),
    );
    check(&model(date(2027, 8, 2)), "OBL-109", Applies::Undetermined, begin);
    check(
        &model(date(2027, 8, 2)).gpai_systemic(true),
        "OBL-109",
        Applies::Applies,
        Some(date(2027, 8, 2)),
    );
    check(
        &model(date(2027, 8, 2)).gpai_systemic(false),
        "OBL-109",
        Applies::DoesNotApply,
        None,
    );
    check(
        &provider(date(2027, 8, 2)).gpai(false),
        "OBL-102",
        Applies::DoesNotApply,
        None,
    );
}

#[test]
fn free_and_open_models_are_relieved_unless_they_have_systemic_risk() {
    let open = model(date(2026, 11, 20))
        .placed_on_market(date(2026, 1, 1))
        .condition(Condition::FreeAndOpenModel, true);
    check(&open, "OBL-102", Applies::DoesNotApply, None);
    check(&open, "OBL-104", Applies::Applies, Some(date(2025, 8, 2)));
    let untold = model(date(2026, 11, 20)).placed_on_market(date(2026, 1, 1));
    assert!(
        on(&untold, "OBL-102")
            .because
            .contains("does not apply if the model is free and open")
    );
    let systemic = untold.gpai_systemic(true);
    assert!(!on(&systemic, "OBL-102").because.contains("does not apply if"));
}

#[test]
fn significant_change_brings_earlier_high_risk_system_into_scope() {
    let begin = Some(date(2027, 12, 2));
    let placed = |day| {
        provider(day)
            .annex_iii(true)
            .annex_i(false)
            .placed_on_market(date(2026, 1, 1))
    };
    let before = on(&placed(date(2026, 11, 20)), "OBL-019");
    assert_eq!((before.applies, before.applies_from), (Applies::Upcoming, begin));
    assert!(before.because.contains("Art. 111(2)"), "{}", before.because);
    let after = placed(date(2028, 1, 1));
    check(&after, "OBL-019", Applies::Undetermined, begin);
    check(
        &after.clone().significantly_changed(true),
        "OBL-019",
        Applies::Applies,
        begin,
    );
    let same = after.significantly_changed(false);
    check(&same, "OBL-019", Applies::Undetermined, Some(date(2030, 8, 2)));
    check(
        &same.clone().condition(Condition::PublicAuthority, false),
        "OBL-019",
        Applies::DoesNotApply,
        None,
    );
    let public = same.condition(Condition::PublicAuthority, true);
    check(&public, "OBL-019", Applies::Upcoming, Some(date(2030, 8, 2)));
    check(
        &public.clone().at(date(2030, 8, 2)),
        "OBL-019",
        Applies::Applies,
        Some(date(2030, 8, 2)),
    );
    check(&public, "OBL-126", Applies::Upcoming, Some(date(2030, 8, 2)));
    check(
        &public.clone().placed_on_market(date(2027, 12, 2)),
        "OBL-126",
        Applies::DoesNotApply,
        None,
    );
    check(
        &public.clone().placed_on_market(date(2027, 12, 2)),
        "OBL-019",
        Applies::Applies,
        begin,
    );
    check(
        &public.placed_on_market(None),
        "OBL-126",
        Applies::Undetermined,
        Some(date(2030, 8, 2)),
    );
}

/// Every combination of the facts that move dates. The first field is the sum of their positions: a third of the
/// combinations has a sum that three divides, and every pair of answers meets in that third as well.
pub(super) fn combinations() -> Vec<(usize, LawQuery)> {
    const ANSWERS: [Known; 3] = [Known::Yes, Known::No, Known::Unknown];
    let roles = [
        RoleFacts::unknown(),
        RoleFacts::provider_or_deployer(),
        RoleFacts::exactly(&[
            Role::Provider,
            Role::Deployer,
            Role::GpaiProvider,
            Role::ProductManufacturer,
        ]),
    ];
    let placed = [
        None,
        Some(date(2025, 1, 1)),
        Some(date(2026, 8, 1)),
        Some(date(2028, 1, 1)),
        Some(date(2029, 1, 1)),
    ];
    let mut queries = Vec::new();
    for (position, role) in roles.iter().enumerate() {
        for high_risk in ANSWERS {
            for annex_iii in ANSWERS {
                for annex_i in ANSWERS {
                    for (number, placed) in placed.iter().enumerate() {
                        // The remaining facts turn with the others, so that every pair of answers meets somewhere.
                        let turn = position + number;
                        let mut query = LawQuery::new(date(2024, 1, 1))
                            .roles(role.clone())
                            .high_risk(high_risk)
                            .annex_iii(annex_iii)
                            .annex_i(annex_i)
                            .placed_on_market(*placed)
                            .significantly_changed(ANSWERS[turn % 3])
                            .exemption_claimed(ANSWERS[(turn + 1) % 3])
                            .gpai(ANSWERS[(turn + annex_i as usize) % 3])
                            .condition(Condition::PublicAuthority, ANSWERS[(turn + annex_iii as usize) % 3])
                            .transparency(TransparencyCase::SyntheticContent, high_risk);
                        query.risk.annex_i_section_b = ANSWERS[(turn + high_risk as usize) % 3];
                        let sum = turn + high_risk as usize + annex_iii as usize + annex_i as usize;
                        queries.push((sum, query));
                    }
                }
            }
        }
    }
    queries
}

#[test]
fn what_applies_goes_on_applying_and_never_before_its_date() {
    let third: Vec<LawQuery> = combinations()
        .into_iter()
        .filter_map(|(sum, query)| sum.is_multiple_of(3).then_some(query))
        .collect();
    assert_eq!(third.len(), 135);
    applies_from_its_date_on(&third);
}

#[test]
#[ignore = "slow: all 405 combinations"]
fn what_applies_goes_on_applying_in_every_combination() {
    let all: Vec<LawQuery> = combinations().into_iter().map(|(_, query)| query).collect();
    assert_eq!(all.len(), 405);
    applies_from_its_date_on(&all);
}

/// Tries queries over every date that means something.
fn applies_from_its_date_on(queries: &[LawQuery]) {
    let mut days: Vec<Date> = regulation()
        .obligations()
        .iter()
        .flat_map(|row| row.applies_from_by_route.values().copied())
        .collect();
    days.extend(days.clone().iter().filter_map(|day| day.yesterday().ok()));
    days.extend([date(2024, 1, 1), date(2026, 11, 20), date(2040, 1, 1)]);
    days.sort_unstable();
    days.dedup();
    for query in queries {
        let mut applied = vec![false; 131];
        for day in &days {
            for (row, applied) in query.clone().at(*day).evaluate().iter().zip(&mut applied) {
                let binds = row.applies == Applies::Applies;
                assert!(
                    binds || !*applied,
                    "{} stopped applying on {day}: {query:?}",
                    row.obligation.id
                );
                assert!(
                    !binds || row.applies_from.is_some_and(|from| from <= *day),
                    "{}: {query:?}",
                    row.because
                );
                assert!(
                    row.obligation.applies_from <= *day || !binds,
                    "{} on {day}",
                    row.obligation.id
                );
                if row.applies == Applies::Upcoming {
                    assert!(
                        row.applies_from.is_some_and(|from| from > *day),
                        "{}: {query:?}",
                        row.because
                    );
                }
                *applied = binds;
            }
        }
    }
}
