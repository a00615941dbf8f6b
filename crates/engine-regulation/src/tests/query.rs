//! Who is bound by what, day by day.

use jiff::civil::{Date, date};

use crate::{
    Applies, Condition, DatedObligation, Exclusion, Fact, Known, LawQuery, RiskClass, Role, RoleFacts, ScopeFacts,
    TransparencyCase, regulation,
};

const TODAY: Date = date(2026, 11, 20);

pub(super) fn on(query: &LawQuery, id: &str) -> DatedObligation<'static> {
    query.evaluate_one(id).expect("the obligation exists")
}

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

fn ids(query: &LawQuery, applies: Applies) -> Vec<&'static str> {
    query
        .evaluate()
        .into_iter()
        .filter(|row| row.applies == applies)
        .map(|row| row.obligation.id.as_str())
        .collect()
}

#[test]
fn every_obligation_gets_a_verdict_with_a_reason_and_open_ones_a_question() {
    let verdicts = LawQuery::new(TODAY).evaluate();
    assert_eq!(verdicts.len(), 131);
    let bare: Vec<_> = verdicts.iter().map(|row| (row.applies, row.applies_from)).collect();
    assert_eq!(LawQuery::new(TODAY).verdicts(), bare);
    for row in &verdicts {
        let id = &row.obligation.id;
        assert!(
            row.because.starts_with(&row.obligation.citation()) && row.because.ends_with('.'),
            "{}",
            row.because
        );
        assert!(row.because.contains("20"), "{id} names no date: {}", row.because);
        assert_eq!(row.asks.is_some(), row.applies == Applies::Undetermined, "{id}");
        assert_eq!(row.applies_from.is_none(), row.applies == Applies::DoesNotApply, "{id}");
    }
    assert!(LawQuery::new(TODAY).evaluate_one("OBL-999").is_none());
}

#[test]
fn with_nothing_known_only_bans_and_duties_of_every_operator_apply() {
    assert_eq!(
        ids(&LawQuery::new(TODAY), Applies::Applies),
        [
            "OBL-002", "OBL-003", "OBL-004", "OBL-005", "OBL-006", "OBL-007", "OBL-008", "OBL-009", "OBL-125"
        ]
    );
    assert_eq!(ids(&LawQuery::new(TODAY), Applies::Upcoming), ["OBL-010", "OBL-011"]);
}

#[test]
fn bans_apply_to_every_operator_from_their_date() {
    for (day, first, added) in [
        (date(2025, 2, 1), Applies::Upcoming, Applies::Upcoming),
        (date(2025, 2, 2), Applies::Applies, Applies::Upcoming),
        (TODAY, Applies::Applies, Applies::Upcoming),
        (date(2026, 12, 1), Applies::Applies, Applies::Upcoming),
        (date(2026, 12, 2), Applies::Applies, Applies::Applies),
    ] {
        let without_role = LawQuery::new(day).roles(RoleFacts::exactly(&[])).high_risk(false);
        check(&without_role, "OBL-002", first, Some(date(2025, 2, 2)));
        check(&without_role, "OBL-010", added, Some(date(2026, 12, 2)));
        check(&without_role, "OBL-011", added, Some(date(2026, 12, 2)));
    }
}

#[test]
fn conditions_of_permitted_identification_bind_only_who_uses_it() {
    let deployer = LawQuery::new(TODAY).roles(RoleFacts::exactly(&[Role::Deployer]));
    let from = Some(date(2025, 2, 2));
    check(&deployer, "OBL-012", Applies::Undetermined, from);
    assert_eq!(
        on(&deployer, "OBL-012").asks,
        Some(Fact::Condition(Condition::RealTimeIdentification))
    );
    let stated = |known: bool| deployer.clone().condition(Condition::RealTimeIdentification, known);
    check(&stated(true), "OBL-012", Applies::Applies, from);
    check(&stated(false), "OBL-012", Applies::DoesNotApply, None);
    assert_eq!(
        on(&stated(false), "OBL-012").because,
        "Art. 5(2), Art. 5(3), Art. 5(4) do not apply: nothing in the code or the profile shows that the system uses real-time \
         remote biometric identification for law enforcement (Art. 5(1)(h)). They would apply from 2025-02-02 if this were the \
         case."
    );
    // Another use of Annex III rules it out; point 1(a) leaves it open.
    check(
        &deployer.clone().annex_iii(true).annex_iii_point("4a"),
        "OBL-012",
        Applies::DoesNotApply,
        None,
    );
    check(
        &deployer.clone().annex_iii(true).annex_iii_point("1a"),
        "OBL-012",
        Applies::Undetermined,
        from,
    );
    // The ban itself binds everyone.
    check(&stated(false), "OBL-009", Applies::Applies, from);
}

#[test]
fn literacy_binds_providers_and_deployers_even_when_it_is_open_which_of_the_two() {
    let either = LawQuery::new(TODAY).roles(RoleFacts::provider_or_deployer());
    check(&either, "OBL-001", Applies::Applies, Some(date(2025, 2, 2)));
    check(
        &either.clone().at(date(2025, 2, 1)),
        "OBL-001",
        Applies::Upcoming,
        Some(date(2025, 2, 2)),
    );
    check(
        &LawQuery::new(TODAY),
        "OBL-001",
        Applies::Undetermined,
        Some(date(2025, 2, 2)),
    );
    check(
        &LawQuery::new(TODAY).roles(RoleFacts::exactly(&[Role::Importer])),
        "OBL-001",
        Applies::DoesNotApply,
        None,
    );
    // A duty of one of the two stays open.
    let talks = either.transparency(TransparencyCase::DirectInteraction, true);
    let disclosure = on(&talks, "OBL-094");
    assert_eq!(disclosure.applies, Applies::Undetermined);
    assert_eq!(disclosure.asks, Some(Fact::Role));
    check(
        &talks.role(Role::Provider, false),
        "OBL-094",
        Applies::DoesNotApply,
        None,
    );
}

#[test]
fn each_transparency_duty_depends_on_its_own_case() {
    let duties = [
        ("OBL-094", TransparencyCase::DirectInteraction),
        ("OBL-095", TransparencyCase::SyntheticContent),
        ("OBL-096", TransparencyCase::EmotionOrBiometric),
        ("OBL-097", TransparencyCase::DeepFake),
        ("OBL-098", TransparencyCase::PublicInterestText),
    ];
    let begin = Some(date(2026, 8, 2));
    for (own, case) in duties {
        let query = TransparencyCase::ALL
            .iter()
            .fold(LawQuery::new(TODAY), |query, other| {
                query.transparency(*other, *other == case)
            })
            .roles(RoleFacts::exactly(&[Role::Provider, Role::Deployer]))
            .placed_on_market(date(2026, 9, 1));
        for (id, _) in duties {
            if id == own {
                check(&query, id, Applies::Applies, begin);
                check(&query.clone().at(date(2026, 8, 1)), id, Applies::Upcoming, begin);
                check(&query.clone().at(date(2026, 8, 2)), id, Applies::Applies, begin);
                check(
                    &query.clone().transparency(case, Known::Unknown),
                    id,
                    Applies::Undetermined,
                    begin,
                );
            } else {
                check(&query, id, Applies::DoesNotApply, None);
            }
        }
        check(&query, "OBL-099", Applies::Applies, begin);
        check(&query, "OBL-131", Applies::Applies, begin);
        check(&query.transparency(case, false), "OBL-099", Applies::DoesNotApply, None);
    }
    // A case that binds providers says nothing about an operator who may be a deployer.
    let either = LawQuery::new(TODAY).roles(RoleFacts::provider_or_deployer());
    let talks = either.transparency(TransparencyCase::DirectInteraction, true);
    check(&talks, "OBL-099", Applies::Undetermined, begin);
    assert_eq!(on(&talks, "OBL-099").asks, Some(Fact::Role));
    check(
        &talks.transparency(TransparencyCase::DeepFake, true),
        "OBL-099",
        Applies::Applies,
        begin,
    );
    // The manner of information binds a provider only through the cases of providers.
    let deep_fake = TransparencyCase::ALL.iter().fold(provider(TODAY), |query, case| {
        query.transparency(*case, *case == TransparencyCase::DeepFake)
    });
    check(&deep_fake, "OBL-099", Applies::DoesNotApply, None);
}

#[test]
fn high_risk_duties_follow_the_date_of_their_route() {
    let listed = |day| provider(day).annex_iii_point("4(a)").annex_i(false);
    let product = |day| provider(day).annex_iii(false).annex_i_section_a();
    let iii = Some(date(2027, 12, 2));
    let i = Some(date(2028, 8, 2));
    check(&listed(date(2027, 12, 1)), "OBL-019", Applies::Upcoming, iii);
    check(&listed(date(2027, 12, 2)), "OBL-019", Applies::Applies, iii);
    check(&product(date(2027, 12, 2)), "OBL-019", Applies::Upcoming, i);
    check(&product(date(2028, 8, 1)), "OBL-019", Applies::Upcoming, i);
    check(&product(date(2028, 8, 2)), "OBL-019", Applies::Applies, i);
    // Art. 43(3) is about products, whatever other dates the record has.
    check(&listed(date(2028, 8, 2)), "OBL-087", Applies::DoesNotApply, None);
    check(&product(date(2028, 8, 2)), "OBL-087", Applies::Applies, i);
    let why = on(&listed(TODAY), "OBL-019").because;
    assert!(
        why.contains("Annex III point 4(a)") && why.contains("2027-12-02") && why.contains("Art. 9(1)"),
        "{why}"
    );
}

#[test]
fn a_class_known_without_its_route_is_open_between_the_two_dates() {
    let query = |day| provider(day).high_risk(true);
    check(
        &query(date(2027, 12, 1)),
        "OBL-019",
        Applies::Upcoming,
        Some(date(2027, 12, 2)),
    );
    check(
        &query(date(2027, 12, 2)),
        "OBL-019",
        Applies::Undetermined,
        Some(date(2027, 12, 2)),
    );
    check(
        &query(date(2028, 8, 2)),
        "OBL-019",
        Applies::Applies,
        Some(date(2028, 8, 2)),
    );
}

#[test]
fn an_indicator_keeps_the_class_open_and_no_indicator_closes_it() {
    let raised = provider(TODAY).high_risk_indicator("words about job applicants, Annex III point 4(a)");
    let verdict = on(&raised, "OBL-019");
    assert_eq!(
        (verdict.applies, verdict.applies_from),
        (Applies::Undetermined, Some(date(2027, 12, 2)))
    );
    assert!(
        verdict.because.contains("words about job applicants"),
        "{}",
        verdict.because
    );
    assert_eq!(verdict.asks, Some(Fact::HighRisk));
    let none = on(&provider(TODAY).high_risk(false), "OBL-019");
    assert_eq!(none.applies, Applies::DoesNotApply);
    assert!(
        none.because.contains("no use for a purpose in Annex III") && none.because.contains("would apply if"),
        "{}",
        none.because
    );
    assert!(
        none.because.contains("2027-12-02") && none.because.contains("2028-08-02"),
        "{}",
        none.because
    );
}

#[test]
fn a_known_no_settles_what_an_unknown_leaves_open() {
    check(
        &LawQuery::new(TODAY).high_risk(false),
        "OBL-071",
        Applies::DoesNotApply,
        None,
    );
    check(&provider(TODAY), "OBL-071", Applies::DoesNotApply, None);
}

#[test]
fn the_exemption_of_article_6_3_swaps_the_duties() {
    let day = date(2028, 1, 1);
    let listed = provider(day).annex_iii_point("4a").annex_i(false);
    let exempt = listed.clone().exemption_claimed(true);
    for id in ["OBL-016", "OBL-092", "OBL-123"] {
        check(&listed, id, Applies::DoesNotApply, None);
        check(&exempt, id, Applies::Applies, Some(date(2027, 12, 2)));
        check(
            &listed.clone().exemption_claimed(Known::Unknown),
            id,
            Applies::Undetermined,
            Some(date(2027, 12, 2)),
        );
    }
    check(&exempt, "OBL-015", Applies::Applies, Some(date(2027, 12, 2)));
    check(&exempt, "OBL-019", Applies::DoesNotApply, None);
    assert!(on(&exempt, "OBL-019").because.contains("Art. 6(3)"));
    check(&exempt, "OBL-130", Applies::Applies, Some(date(2026, 8, 2)));
}

#[test]
fn section_b_of_annex_i_keeps_nearly_everything_out() {
    let query = provider(date(2028, 8, 2)).annex_iii(false).annex_i_section_b();
    check(&query, "OBL-019", Applies::DoesNotApply, None);
    check(&query, "OBL-014", Applies::Applies, Some(date(2028, 8, 2)));
    check(&query, "OBL-122", Applies::Undetermined, Some(date(2028, 8, 2)));
    check(
        &query.clone().condition(Condition::RealWorldTesting, true),
        "OBL-122",
        Applies::Applies,
        Some(date(2028, 8, 2)),
    );
    let open = provider(date(2028, 8, 2)).annex_iii(false).annex_i(true);
    let verdict = on(&open, "OBL-019");
    assert_eq!(verdict.applies, Applies::Undetermined);
    assert_eq!(verdict.asks, Some(Fact::AnnexISection));
}

#[test]
fn unknown_conditions_are_asked_until_stated_or_implied() {
    let day = date(2028, 9, 1);
    let deployer = LawQuery::new(day)
        .roles(RoleFacts::exactly(&[Role::Deployer]))
        .annex_iii(true)
        .annex_i(false);
    for (id, condition) in [
        ("OBL-072", Condition::ControlsInputData),
        ("OBL-076", Condition::WorkplaceUse),
        ("OBL-077", Condition::PublicAuthority),
        ("OBL-082", Condition::ImpactAssessmentDeployer),
        ("OBL-120", Condition::DecisionsOnPersons),
    ] {
        let from = Some(date(2027, 12, 2));
        check(&deployer, id, Applies::Undetermined, from);
        assert_eq!(on(&deployer, id).asks, Some(Fact::Condition(condition)));
        check(&deployer.clone().condition(condition, true), id, Applies::Applies, from);
        check(
            &deployer.clone().condition(condition, false),
            id,
            Applies::DoesNotApply,
            None,
        );
    }
    let from = Some(date(2027, 12, 2));
    check(
        &deployer.clone().annex_iii_point("5(b)"),
        "OBL-082",
        Applies::Applies,
        from,
    );
    check(
        &deployer.clone().annex_iii_point("2"),
        "OBL-082",
        Applies::DoesNotApply,
        None,
    );
    check(
        &deployer.clone().annex_iii_point("2"),
        "OBL-120",
        Applies::DoesNotApply,
        None,
    );
    let public = deployer
        .clone()
        .annex_iii_point("4(a)")
        .condition(Condition::PublicAuthority, true);
    check(&public, "OBL-082", Applies::Applies, from);
    let builder = provider(day).annex_i(false);
    check(
        &builder.clone().annex_iii_point("ANNEX-III-1a"),
        "OBL-034",
        Applies::Applies,
        from,
    );
    check(
        &builder.clone().annex_iii_point("1(c)"),
        "OBL-034",
        Applies::DoesNotApply,
        None,
    );
    check(
        &builder.clone().annex_iii_point("1"),
        "OBL-034",
        Applies::Undetermined,
        from,
    );
    check(
        &builder.clone().annex_iii_point("1(c)"),
        "OBL-085",
        Applies::Applies,
        from,
    );
    check(
        &builder.clone().annex_iii_point("1(c)"),
        "OBL-086",
        Applies::DoesNotApply,
        None,
    );
    check(&builder.annex_iii_point("4(a)"), "OBL-086", Applies::Applies, from);
    let sensitive = provider(TODAY).condition(Condition::SensitiveDataForBias, true);
    check(&sensitive, "OBL-013", Applies::Applies, Some(date(2026, 7, 27)));
}

#[test]
fn literal_earlier_reading_is_reported_without_moving_the_date() {
    let verdict = on(&provider(TODAY).annex_iii(true).annex_i(false), "OBL-091");
    assert_eq!(
        (verdict.applies, verdict.applies_from),
        (Applies::Upcoming, Some(date(2027, 12, 2)))
    );
    assert_eq!(verdict.earliest_reading, Some(date(2026, 8, 2)));
    assert!(verdict.because.contains("2026-08-02"), "{}", verdict.because);
    assert_eq!(on(&provider(TODAY).high_risk(false), "OBL-091").earliest_reading, None);
}

#[test]
fn reasons_name_open_conditions_dates_and_what_would_change_the_verdict() {
    let says = |query: &LawQuery, id: &str, text: &str| assert_eq!(on(query, id).because, text);
    let open = provider(TODAY).high_risk_indicator("data sent to a model suggests Annex III point 4 (employment)");
    says(
        &open,
        "OBL-040",
        "Art. 14(4)(d) applies only if the system is high-risk. This is not determined. Start date: 2027-12-02 for Annex III \
         uses, or 2028-08-02 for Annex I products. Indicator: data sent to a model suggests Annex III point 4 (employment).",
    );
    // The indicator of a listed use says nothing about products, nor about another use.
    says(
        &open,
        "OBL-018",
        "Art. 8(2) applies only if the system is an Annex I product or a safety component of one. This is not determined. \
         Start date: 2028-08-02 for Annex I products.",
    );
    says(
        &open,
        "OBL-085",
        "Art. 43(1) applies only if the use falls under Annex III point 1 (biometrics). This is not determined. Start date: \
         2027-12-02 for Annex III uses. This report uses the later date; a literal reading gives 2026-08-02, because Art. \
         113(c) defers only Chapter III, Sections 1 to 3.",
    );
    let marks = provider(TODAY).transparency(TransparencyCase::SyntheticContent, true);
    says(
        &marks,
        "OBL-095",
        "Art. 50(2) is in force for a new system since 2026-08-02; for a system on the market before that day from \
         2026-12-02. It is not known whether the system was on the market before 2026-08-02. Whatever the answer is, it \
         applies from 2026-12-02. The other conditions are met: the system generates or manipulates audio, image, video or text, and the \
         organisation is the provider.",
    );
    let plain = provider(TODAY)
        .high_risk(false)
        .gpai(false)
        .transparency(TransparencyCase::DeepFake, false);
    says(
        &plain,
        "OBL-067",
        "Art. 25(2) does not apply: no use for a purpose in Annex III and no Annex I product is known. It would apply under \
         two conditions: (1) the system is used for a purpose in Annex III or is an Annex I product; (2) an operator other \
         than the first provider rebranded the system, modified it substantially, or gave it a new purpose that makes it \
         high-risk. Start date: 2027-12-02 for Annex III uses, or 2028-08-02 for Annex I products.",
    );
    says(
        &plain,
        "OBL-127",
        "Art. 111(3) does not apply: no general-purpose AI model is placed on the market (using another company's model does \
         not count). It would apply from 2027-08-02 if the organisation placed a general-purpose AI model on the market \
         before 2025-08-02.",
    );
    says(
        &plain,
        "OBL-130",
        "Art. 95(1), Art. 95(2) have been available since 2026-08-02: the system is not high-risk, and the organisation is the \
         provider. These codes of conduct are voluntary.",
    );
    let deployer = plain.roles(RoleFacts::exactly(&[Role::Deployer]));
    says(
        &deployer,
        "OBL-097",
        "Art. 50(4) does not apply: nothing in the code or the profile shows that the system generates deep fakes. It would \
         apply from 2026-08-02 if this were the case.",
    );
}

#[test]
fn points_of_annex_iii_are_named_by_topic_in_their_order() {
    let words = |points: &[&str]| crate::annex_iii_points(points.iter().copied());
    assert_eq!(
        words(&["3", "1", "1(c)"]),
        "Annex III point 1(c) (emotion recognition) and point 3 (education)"
    );
    assert_eq!(words(&["4"]), "Annex III point 4 (employment)");
    assert_eq!(words(&[]), "");
    for area in regulation().annex_iii_areas() {
        assert!(!words(&[&area.area]).contains("no known area"), "{}", area.area);
    }
}

#[test]
fn a_day_before_the_amendment_carries_a_note() {
    assert_eq!(LawQuery::new(date(2026, 7, 27)).note(), None);
    let note = LawQuery::new(date(2026, 7, 26)).note().expect("a note");
    assert!(
        note.contains("Regulation (EU) 2026/1744") && note.contains("consolidated text"),
        "{note}"
    );
}

#[test]
fn no_reason_uses_a_word_that_promises_too_much() {
    for query in [
        LawQuery::new(TODAY),
        provider(TODAY).high_risk(true),
        provider(TODAY).high_risk(false),
    ] {
        for row in query.evaluate() {
            let text = row.because.clone();
            for word in ["compliant", "certified", "approved", "guaranteed"] {
                assert!(!text.to_lowercase().contains(word), "{text}");
            }
            for reference in crate::cited(&text) {
                assert!(
                    reference
                        .article()
                        .is_none_or(|number| regulation().article(number).is_some()),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn a_system_of_no_class_keeps_only_the_general_duties() {
    let plain = TransparencyCase::ALL
        .iter()
        .fold(LawQuery::new(TODAY), |query, case| query.transparency(*case, false))
        .roles(RoleFacts::exactly(&[Role::Provider, Role::Deployer]))
        .high_risk(false)
        .gpai(false);
    let beyond_bans: Vec<_> = plain
        .evaluate()
        .into_iter()
        .filter(|row| row.applies == Applies::Applies && row.obligation.risk_class != RiskClass::Prohibited)
        .map(|row| row.obligation.id.as_str())
        .collect();
    assert_eq!(beyond_bans, ["OBL-001", "OBL-125", "OBL-129", "OBL-130"]);
    assert_eq!(ids(&plain, Applies::Undetermined), ["OBL-012", "OBL-013", "OBL-128"]);
}

#[test]
fn system_outside_the_act_has_no_duties() {
    let binding = |query: &LawQuery| {
        let mut all = ids(query, Applies::Applies);
        all.extend(ids(query, Applies::Upcoming));
        all.extend(ids(query, Applies::Undetermined));
        all
    };
    let talks = provider(TODAY)
        .transparency(TransparencyCase::DirectInteraction, true)
        .high_risk(false);
    let outside = ScopeFacts {
        in_union: Known::No,
        exclusion: None,
    };
    assert!(binding(&talks.clone().scope(outside)).is_empty());
    let excluded = |exclusion| ScopeFacts {
        in_union: Known::Yes,
        exclusion: Some(exclusion),
    };
    for exclusion in [
        Exclusion::Military,
        Exclusion::ThirdCountryAuthority,
        Exclusion::Research,
        Exclusion::PreMarket,
    ] {
        let none = talks.clone().scope(excluded(exclusion));
        assert!(binding(&none).is_empty(), "{exclusion:?}");
        assert!(on(&none, "OBL-002").because.contains(exclusion.provision()));
    }
    // The person who uses a system for themselves is free, who makes it is not.
    let personal = talks.clone().scope(excluded(Exclusion::PersonalUse));
    check(&personal, "OBL-094", Applies::Applies, Some(date(2026, 8, 2)));
    let user = LawQuery::new(TODAY)
        .roles(RoleFacts::exactly(&[Role::Deployer]))
        .scope(excluded(Exclusion::PersonalUse));
    check(&user, "OBL-001", Applies::DoesNotApply, None);
    // Free software stays in the Act where it is in a case of Art. 50, and is never free of the bans.
    let open = |query: &LawQuery| query.clone().scope(excluded(Exclusion::OpenSource));
    check(&open(&talks), "OBL-001", Applies::Applies, Some(date(2025, 2, 2)));
    let silent = TransparencyCase::ALL
        .iter()
        .fold(talks, |query, case| query.transparency(*case, false));
    check(&open(&silent), "OBL-001", Applies::DoesNotApply, None);
    check(&open(&silent), "OBL-002", Applies::Applies, Some(date(2025, 2, 2)));
    let undecided = open(&silent.high_risk_indicator("words about job applicants"));
    assert_eq!(on(&undecided, "OBL-001").asks, Some(Fact::HighRisk));
    let unsaid = talks_of_unknown_place();
    assert_eq!(on(&unsaid, "OBL-002").asks, Some(Fact::InUnion));
}

fn talks_of_unknown_place() -> LawQuery {
    provider(TODAY).scope(ScopeFacts {
        in_union: Known::Unknown,
        exclusion: None,
    })
}

#[test]
fn a_system_that_is_not_yet_on_the_market_has_the_later_rule() {
    let marks = provider(TODAY)
        .transparency(TransparencyCase::SyntheticContent, true)
        .high_risk(false)
        .not_placed_before(TODAY);
    check(&marks, "OBL-095", Applies::Applies, Some(date(2026, 8, 2)));
}
