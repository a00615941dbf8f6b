//! Obligations with two possible starts: what every reading of the facts reaches is never silent.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};

use super::transitions::combinations;
use crate::conditions::hinges;
use crate::evaluate::{Words, verdict};
use crate::routes::entry;
use crate::span::TRANSITIONS;
use crate::vocabulary::RiskClass;
use crate::{Applies, Condition, DatedObligation, Known, LawQuery, Obligation, Role, TransparencyCase, regulation};

/// The day before, the day and the day after each date of the data.
fn days() -> Vec<Date> {
    let mut days: Vec<Date> = regulation()
        .obligations()
        .iter()
        .flat_map(|row| row.applies_from_by_route.values().copied())
        .collect();
    days.push(TRANSITIONS.annex_iii);
    let around: Vec<Date> = days
        .iter()
        .flat_map(|day| [day.yesterday().unwrap(), *day, day.tomorrow().unwrap()])
        .collect();
    days = around;
    days.push(date(2040, 1, 1));
    days.sort_unstable();
    days.dedup();
    days
}

fn on(query: &LawQuery, day: Date, obligation: &'static Obligation) -> DatedObligation<'static> {
    verdict(&query.clone().at(day), obligation, Words::Spared)
}

/// Whether the obligation applies, will apply, or has only its start open.
fn is_expected(row: &DatedObligation<'_>) -> bool {
    matches!(row.applies, Applies::Applies | Applies::Upcoming) || !row.starts.is_empty()
}

/// Provider and deployer of a generative system, and provider of a model, with the class of the system open or stated.
fn everyone() -> Vec<LawQuery> {
    const ANSWERS: [Known; 3] = [Known::Yes, Known::No, Known::Unknown];
    let roles = [Role::Provider, Role::Deployer, Role::GpaiProvider];
    let dates = &*TRANSITIONS;
    let placed = [
        None,
        dates.models.yesterday().ok(),
        dates.generative.yesterday().ok(),
        Some(dates.generative),
        Some(dates.annex_iii),
        Some(dates.annex_i),
    ];
    let mut queries = Vec::new();
    for high_risk in [Known::Yes, Known::Unknown] {
        for placed in placed {
            for changed in ANSWERS {
                for public in ANSWERS {
                    let query = LawQuery::new(date(2024, 1, 1))
                        .roles(crate::RoleFacts::exactly(&roles))
                        .high_risk(high_risk)
                        .gpai(true)
                        .gpai_systemic(true)
                        .transparency(TransparencyCase::SyntheticContent, true)
                        .placed_on_market(placed)
                        .significantly_changed(changed)
                        .condition(Condition::PublicAuthority, public);
                    queries.push(query);
                }
            }
        }
    }
    queries
}

/// One obligation for each combination of class, dates, role, route and condition: the others have the same verdicts.
fn representatives() -> Vec<&'static Obligation> {
    let mut seen = BTreeMap::new();
    for row in regulation().obligations() {
        let key = format!(
            "{:?} {:?} {:?} {:?} {:?}",
            row.risk_class,
            row.applies_from_by_route,
            row.actors,
            entry(&row.id),
            hinges(&row.id)
        );
        seen.entry(key).or_insert(row);
    }
    seen.into_values().collect()
}

/// Every way in which the open facts behind the start of an obligation can turn out.
fn readings(query: &LawQuery, obligation: &Obligation) -> Vec<LawQuery> {
    let mut readings = vec![query.clone()];
    let split = |readings: Vec<LawQuery>, ways: &dyn Fn(LawQuery) -> Vec<LawQuery>| -> Vec<LawQuery> {
        readings.into_iter().flat_map(ways).collect()
    };
    if obligation.risk_class == RiskClass::HighRisk {
        if query.risk.high_risk.is_yes() && query.risk.annex_iii.is_unknown() && query.risk.annex_i.is_unknown() {
            readings = split(readings, &|one| {
                vec![
                    one.clone().annex_iii(true).annex_i(false),
                    one.clone().annex_iii(false).annex_i_section_a(),
                    one.clone().annex_iii(true).annex_i_section_a(),
                    one.annex_iii(true).annex_i_section_b(),
                ]
            });
        }
        if query.significantly_changed.is_unknown() {
            readings = split(readings, &|one| {
                vec![
                    one.clone().significantly_changed(true),
                    one.significantly_changed(false),
                ]
            });
        }
        let public = Condition::PublicAuthority;
        if query.known_condition(public).is_unknown() {
            readings = split(readings, &|one| {
                vec![one.clone().condition(public, true), one.condition(public, false)]
            });
        }
    } else if query.placed_on_market.is_none() {
        let cutoff = if obligation.risk_class == RiskClass::Transparency {
            TRANSITIONS.generative
        } else {
            TRANSITIONS.models
        };
        readings = split(readings, &|one| {
            vec![
                one.clone().placed_on_market(cutoff),
                one.placed_on_market(cutoff.yesterday().unwrap()),
            ]
        });
    }
    readings
}

#[test]
fn open_verdict_is_what_its_readings_have_in_common() {
    let (mut between, mut certain) = (0, 0);
    let (days, obligations) = (days(), representatives());
    for query in everyone() {
        for obligation in obligations.iter().copied() {
            let readings = readings(&query, obligation);
            for day in &days {
                let open = on(&query, *day, obligation);
                let each: Vec<_> = readings.iter().map(|one| on(one, *day, obligation)).collect();
                let all = |wanted: &[Applies]| each.iter().all(|one| wanted.contains(&one.applies));
                let why = || format!("{} on {day}: {open:?}\n{query:?}", obligation.id);
                if all(&[Applies::Applies]) {
                    assert_eq!(open.applies, Applies::Applies, "{}", why());
                } else if all(&[Applies::Upcoming]) {
                    assert_eq!(open.applies, Applies::Upcoming, "{}", why());
                } else if all(&[Applies::DoesNotApply]) {
                    assert_eq!(open.applies, Applies::DoesNotApply, "{}", why());
                } else if all(&[Applies::Applies, Applies::Upcoming]) {
                    let last = each.iter().filter_map(|one| one.applies_from).max();
                    assert_eq!(
                        (open.applies, open.certain_from),
                        (Applies::Undetermined, last),
                        "{}",
                        why()
                    );
                    assert!(open.starts.len() > 1, "{}", why());
                    between += 1;
                } else if open.applies == Applies::Upcoming {
                    // Announced before its first date: whether the design changes from then on is not known yet.
                    let changed = |one: &LawQuery| one.significantly_changed.is_unknown();
                    assert!(changed(&query) && query.placed_on_market.is_some(), "{}", why());
                } else {
                    assert_eq!(
                        (open.applies, open.certain_from),
                        (Applies::Undetermined, None),
                        "{}",
                        why()
                    );
                }
                certain += usize::from(open.certain_from.is_some());
            }
        }
    }
    // Both kinds of answers were met.
    assert!(between > 100 && certain == between, "{between}, {certain}");
}

/// Tries queries over all days: no obligation that is expected goes silent, and a certain day is kept.
fn never_silent(queries: &[LawQuery]) {
    let (days, obligations) = (days(), representatives());
    for query in queries {
        let mut before: BTreeMap<&str, DatedObligation<'_>> = BTreeMap::new();
        for day in &days {
            for obligation in obligations.iter().copied() {
                let row = on(query, *day, obligation);
                let why = || format!("{} on {day}: {row:?}\n{query:?}", obligation.id);
                if let Some(earlier) = before.get(obligation.id.as_str()) {
                    if earlier.applies == Applies::Applies {
                        assert_eq!(row.applies, Applies::Applies, "{}", why());
                    }
                    assert!(!is_expected(earlier) || is_expected(&row), "{}", why());
                    if let Some(certain) = earlier.certain_from {
                        let kept = row.certain_from == Some(certain) && *day < certain;
                        let reached = row.applies == Applies::Applies && certain <= *day;
                        assert!(kept || reached, "{}", why());
                    }
                }
                if !row.starts.is_empty() {
                    assert_eq!(row.applies, Applies::Undetermined, "{}", why());
                    assert!(row.starts.iter().any(|start| start.from <= *day), "{}", why());
                    assert!(row.starts.iter().all(|start| !start.case.is_empty()), "{}", why());
                }
                before.insert(&obligation.id, row);
            }
        }
    }
}

#[test]
fn expected_obligation_is_never_silent_later() {
    never_silent(&everyone());
}

#[test]
#[ignore = "slow: all 405 combinations over all days"]
fn expected_obligation_is_never_silent_in_every_combination() {
    let all: Vec<LawQuery> = combinations().into_iter().map(|(_, query)| query).collect();
    never_silent(&all);
}

#[test]
fn stated_class_names_both_routes_between_their_dates() {
    let high = |day| {
        LawQuery::new(day)
            .roles(crate::RoleFacts::exactly(&[Role::Provider]))
            .high_risk(true)
    };
    let dates = &*TRANSITIONS;
    let before = high(dates.annex_iii.yesterday().unwrap())
        .evaluate_one("OBL-019")
        .unwrap();
    assert_eq!((before.applies, before.starts.len()), (Applies::Upcoming, 0));
    for day in [dates.annex_iii, dates.annex_i.yesterday().unwrap()] {
        let row = high(day).evaluate_one("OBL-019").unwrap();
        assert_eq!(
            (row.applies, row.applies_from, row.certain_from),
            (Applies::Undetermined, Some(dates.annex_iii), Some(dates.annex_i))
        );
        let words = "in force for an Annex III system since 2027-12-02; for an Annex I product from 2028-08-02. It is not \
                     known whether the system is used for a purpose in Annex III. Whatever the answer is, they apply from \
                     2028-08-02.";
        assert!(row.because.contains(words), "{}", row.because);
    }
    let after = high(dates.annex_i).evaluate_one("OBL-019").unwrap();
    assert_eq!((after.applies, after.starts.len()), (Applies::Applies, 0));
}

#[test]
fn marking_has_two_starts_until_the_later_one() {
    let marks = LawQuery::new(date(2026, 11, 28))
        .roles(crate::RoleFacts::exactly(&[Role::Provider]))
        .transparency(TransparencyCase::SyntheticContent, true);
    let row = marks.evaluate_one("OBL-095").unwrap();
    let cases: Vec<_> = row.starts.iter().map(|start| (start.case, start.from)).collect();
    assert_eq!(
        cases,
        [
            ("a new system", date(2026, 8, 2)),
            ("a system on the market before that day", date(2026, 12, 2))
        ]
    );
    assert_eq!(row.certain_from, Some(date(2026, 12, 2)));
    let how = marks.evaluate_one("OBL-099").unwrap();
    assert_eq!(how.starts, row.starts);
    assert_eq!(how.certain_from, row.certain_from);
}

#[test]
fn earlier_system_keeps_its_duties_while_a_change_of_design_is_open() {
    let earlier = |day| {
        LawQuery::new(day)
            .roles(crate::RoleFacts::exactly(&[Role::Provider]))
            .annex_iii(true)
            .annex_i(false)
            .placed_on_market(date(2026, 1, 1))
    };
    let open = earlier(date(2028, 1, 1)).evaluate_one("OBL-019").unwrap();
    assert_eq!((open.applies, open.certain_from), (Applies::Undetermined, None));
    assert_eq!(open.starts[0].case, "a significantly changed Annex III system");
    let public = earlier(date(2028, 1, 1))
        .condition(Condition::PublicAuthority, true)
        .evaluate_one("OBL-019")
        .unwrap();
    assert_eq!(public.certain_from, Some(date(2030, 8, 2)));
    assert_eq!(public.starts[1].case, "an unchanged system for public authorities");
}

#[test]
fn system_between_two_starts_for_public_authorities_is_bound_on_both_routes() {
    let between = LawQuery::new(date(2028, 9, 1))
        .roles(crate::RoleFacts::exactly(&[Role::Provider]))
        .high_risk(true)
        .placed_on_market(date(2028, 1, 1))
        .significantly_changed(false)
        .condition(Condition::PublicAuthority, true);
    let row = between.evaluate_one("OBL-019").unwrap();
    assert_eq!(
        (row.applies, row.certain_from),
        (Applies::Undetermined, Some(date(2030, 8, 2)))
    );
    let later = between.at(date(2030, 8, 2)).evaluate_one("OBL-019").unwrap();
    assert_eq!(later.applies, Applies::Applies);
}
