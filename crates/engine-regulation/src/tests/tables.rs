//! What must hold for every row of every table.

use std::collections::BTreeSet;

use crate::conditions::{HINGES, hinges};
use crate::data;
use crate::routes::{Entry, entry};
use crate::vocabulary::{RiskClass, Role, Route};
use crate::{LegalStatus, TransparencyCase, regulation};

fn assert_all_known<'a>(what: &str, ids: impl IntoIterator<Item = &'a String>, known: impl Fn(&str) -> bool) {
    for id in ids {
        assert!(known(id), "{what} cites `{id}`, which no table has");
    }
}

#[test]
fn the_tables_have_the_size_their_heads_declare() {
    let law = regulation();
    assert_eq!(law.obligations().len(), 131);
    assert_eq!(law.articles().len(), 119);
    assert_eq!(law.annexes().len(), 14);
    assert_eq!(law.documents().len(), 36);
    assert_eq!(law.frameworks().len(), 14);
    assert_eq!(law.jurisdictions().len(), 30);
    assert_eq!(law.crosswalk_rows().count(), 131);
    assert_eq!(law.penalties().tiers.len(), 9);
    assert_eq!(law.prohibited_practices().len(), 10);
    assert_eq!(law.annex_iii_areas().len(), 8);
    for (file, count) in [
        (data::OBLIGATIONS, Some(law.obligations().len())),
        (data::DOCUMENTS, Some(law.documents().len())),
        (data::JURISDICTIONS, Some(law.jurisdictions().len())),
        (data::ARTICLES, None),
        (data::PENALTIES, None),
        (data::RISK_CLASSES, None),
        (data::TIMELINE, None),
        (data::FRAMEWORKS, None),
    ] {
        let head: serde_json::Value = serde_json::from_str(&file.text()).expect("JSON");
        assert_eq!(head["meta"]["schema_version"], "1.0.0");
        if let Some(count) = count {
            assert_eq!(head["meta"]["count"], count);
        }
    }
    for framework in law.frameworks() {
        assert_eq!(framework.control_count, framework.controls.len(), "{}", framework.id);
    }
}

#[test]
fn the_version_says_act_amendment_and_date() {
    let law = regulation();
    assert_eq!(law.version().id, "eu-ai-act@2026-07-27");
    assert_eq!(
        law.version().label(),
        "Regulation (EU) 2024/1689 as amended by Regulation (EU) 2026/1744, consolidated 2026-07-27"
    );
    assert_eq!(law.version().consolidated_on, law.digital_omnibus().in_force);
    assert_eq!(law.data_as_of().to_string(), "2026-11-20");
    assert!(law.notice().contains("not legal advice"));
}

#[test]
fn ids_are_unique_and_every_lookup_finds_its_own_row() {
    let law = regulation();
    for obligation in law.obligations() {
        assert_eq!(
            law.obligation(&obligation.id).map(|found| &found.title),
            Some(&obligation.title)
        );
    }
    for article in law.articles() {
        assert_eq!(law.article(&article.number).map(|found| &found.id), Some(&article.id));
    }
    for annex in law.annexes() {
        assert_eq!(law.annex(&annex.number).map(|found| &found.id), Some(&annex.id));
    }
    for document in law.documents() {
        assert_eq!(
            law.document(&document.id).map(|found| &found.title),
            Some(&document.title)
        );
        let keys: BTreeSet<_> = document.sections.iter().map(|section| &section.key).collect();
        assert_eq!(
            keys.len(),
            document.sections.len(),
            "{} repeats a section key",
            document.id
        );
    }
    for framework in law.frameworks() {
        assert_eq!(
            law.framework(&framework.id).map(|found| &found.name),
            Some(&framework.name)
        );
        let ids: BTreeSet<_> = framework.controls.iter().map(|control| &control.id).collect();
        assert_eq!(
            ids.len(),
            framework.controls.len(),
            "{} repeats a control",
            framework.id
        );
    }
    for tier in &law.penalties().tiers {
        assert_eq!(law.penalty(&tier.id).map(|found| &found.conduct), Some(&tier.conduct));
    }
    for area in law.annex_iii_areas() {
        for point in &area.points {
            assert_eq!(
                law.annex_iii_point(&point.id).map(|(_, found)| &found.reference),
                Some(&point.reference)
            );
        }
    }
    assert!(law.obligation("OBL-132").is_none());
    assert_eq!(law.article("4A").map(|article| article.title.is_empty()), Some(false));
    assert_eq!(law.annex("iii").map(|annex| annex.id.as_str()), Some("ANNEX-III"));
    assert!(law.article("114").is_none() && law.annex("XV").is_none());
}

#[test]
fn every_obligation_cites_rows_that_exist() {
    let law = regulation();
    for obligation in law.obligations() {
        let id = &obligation.id;
        assert!(
            law.article(&obligation.article).is_some(),
            "{id} names an unknown article"
        );
        assert!(
            law.penalty(&obligation.penalty_tier).is_some(),
            "{id} has an unknown tier"
        );
        assert_all_known(id, &obligation.satisfied_by_documents, |document| {
            law.document(document).is_some()
        });
        assert_all_known(id, &obligation.evidence.documents, |document| {
            law.document(document).is_some()
        });
        assert!(law.crosswalk(id).is_some(), "{id} is missing from the crosswalk");
        assert!(
            !obligation.actors.is_empty() && !obligation.references.is_empty(),
            "{id}"
        );
        assert_ne!(
            obligation.risk_class,
            RiskClass::Governance,
            "{id} binds operators, not authorities"
        );
        let earliest = obligation.applies_from_by_route.values().min();
        let main = obligation.date_on(Route::All).or(earliest.copied());
        assert_eq!(
            main,
            Some(obligation.applies_from),
            "{id} names another main date than its routes"
        );
    }
}

#[test]
fn every_reference_between_tables_resolves() {
    let law = regulation();
    for practice in law.prohibited_practices() {
        let obligation = law
            .obligation(&practice.obligation_id)
            .expect("the practice has its obligation");
        assert_eq!(obligation.applies_from, practice.applies_from, "{}", practice.id);
        assert!(obligation.references.contains(&practice.reference), "{}", practice.id);
    }
    for case in law.article_50_cases() {
        assert_all_known(&case.id, &case.obligation_ids, |id| law.obligation(id).is_some());
    }
    assert_all_known("Art. 6(3)", &law.article_6_3().obligation_ids, |id| {
        law.obligation(id).is_some()
    });
    assert_all_known(
        "tiers",
        law.penalties().tiers.iter().flat_map(|tier| &tier.covered_articles),
        |article| law.article(article.split('(').next().unwrap_or_default()).is_some(),
    );
    for row in law.crosswalk_rows() {
        let obligation = law.obligation(&row.obligation_id).expect("the row has its obligation");
        assert_eq!(row.article, obligation.article, "{}", row.obligation_id);
        for (framework, controls) in &row.controls {
            let framework = law.framework(framework).expect("the framework exists");
            for control in controls {
                let exists = framework.controls.iter().any(|candidate| &candidate.id == control);
                assert!(
                    exists,
                    "{} maps to `{control}`, which {} lacks",
                    row.obligation_id, framework.id
                );
            }
        }
    }
    let control_articles = law
        .frameworks()
        .iter()
        .flat_map(|framework| &framework.controls)
        .filter_map(|control| control.article.as_ref());
    assert_all_known("a control", control_articles, |article| law.article(article).is_some());
}

#[test]
fn every_source_that_is_cited_exists() {
    let law = regulation();
    let known = |id: &str| law.source(id).is_some();
    for milestone in law.timeline() {
        assert_all_known(&milestone.id, &milestone.sources, known);
        let reached = milestone.date <= law.data_as_of();
        assert_eq!(milestone.reached_on_as_of, reached, "{}", milestone.id);
        if milestone.legal_status.is_law_of_the_act() {
            assert_eq!(
                milestone.legal_status == LegalStatus::LawInForce,
                reached,
                "{}",
                milestone.id
            );
        }
    }
    for reading in law.open_readings() {
        assert_all_known(&reading.topic, &reading.sources, known);
    }
    assert_all_known(
        "an instrument",
        law.supporting_instruments().iter().map(|row| &row.source),
        known,
    );
    assert_all_known(
        "a step",
        law.digital_omnibus().history.iter().map(|row| &row.source),
        known,
    );
    assert_all_known(
        "a change",
        law.digital_omnibus().changes.iter().map(|row| &row.source),
        known,
    );
    assert_all_known("a framework", law.frameworks().iter().map(|row| &row.source), known);
    for state in law.jurisdictions() {
        assert_all_known(&state.code, &state.status.sources, known);
        assert_all_known(&state.code, &state.fundamental_rights_bodies.source, known);
        assert_all_known(&state.code, state.sandbox.iter().map(|sandbox| &sandbox.source), known);
    }
}

#[test]
fn every_stated_condition_has_a_name_and_every_named_one_an_obligation() {
    let law = regulation();
    for obligation in law
        .obligations()
        .iter()
        .filter(|obligation| obligation.condition.is_some())
    {
        assert!(
            !hinges(&obligation.id).is_empty(),
            "{} has a condition that nothing asks about",
            obligation.id
        );
    }
    assert!(HINGES.is_sorted_by_key(|(id, _)| *id), "the lookup is a binary search");
    for (id, hinges) in HINGES {
        assert!(law.obligation(id).is_some() && !hinges.is_empty(), "{id}");
    }
    let stated: Vec<_> = law
        .obligations()
        .iter()
        .filter_map(|row| row.condition.as_deref())
        .collect();
    assert_eq!(
        stated.len(),
        16,
        "a new condition needs a name and a question: {stated:?}"
    );
}

#[test]
fn every_case_of_article_50_has_its_row_and_the_bound_role_of_its_obligation() {
    let law = regulation();
    for case in TransparencyCase::ALL {
        let row = law
            .article_50_cases()
            .iter()
            .find(|row| row.id == case.id())
            .expect("the case has a row");
        let [id] = row.obligation_ids.as_slice() else {
            panic!("one obligation for each case")
        };
        assert_eq!(
            law.obligation(id).map(|obligation| obligation.actors.clone()),
            Some(vec![case.bound()])
        );
    }
}

#[test]
fn obligations_with_an_entry_of_their_own_have_a_date_on_that_route() {
    for obligation in regulation()
        .obligations()
        .iter()
        .filter(|row| row.risk_class == RiskClass::HighRisk)
    {
        let entry = entry(&obligation.id);
        assert!(
            obligation
                .applies_from_by_route
                .keys()
                .any(|route| entry.admits(*route)),
            "{}",
            obligation.id
        );
        if obligation.date_on(Route::AnnexIii).is_none() && obligation.date_on(Route::AnnexI).is_some() {
            assert_ne!(entry, Entry::Classified, "{} is about products only", obligation.id);
        }
    }
}

#[test]
fn thresholds_are_numbers() {
    let gpai = regulation().gpai_thresholds();
    assert!((gpai.indicative_threshold_flop - 1e23).abs() < 1e10);
    assert!((gpai.systemic_threshold_flop - 1e25).abs() < 1e12);
    assert_eq!(gpai.notification_days, 14);
}

#[test]
fn codes_of_jurisdictions_are_read_leniently_and_unknown_ones_refused() {
    let law = regulation();
    let name = |code: &str| law.jurisdiction(code).map(|state| state.name.as_str());
    assert_eq!(name("GR"), Some("Greece"));
    assert_eq!(name("EL"), Some("Greece"));
    assert_eq!(name(" el "), Some("Greece"));
    assert_eq!(name("de"), Some("Germany"));
    assert_eq!(name("\tNo\n"), Some("Norway"));
    assert_eq!(name("UK"), None);
    assert_eq!(name(""), None);
    assert_eq!(name("ß"), None);
}

#[test]
fn every_jurisdiction_is_served_with_a_language_a_source_and_its_date() {
    for state in regulation().jurisdictions() {
        let record = state.record();
        assert_eq!(record.language.len(), 2, "{}", state.code);
        assert!(
            record.authority.as_ref().is_none_or(|name| !name.is_empty()),
            "{}",
            state.code
        );
        assert!(
            !record.status.sources.is_empty() && !record.status.latest_source_date.is_empty(),
            "{}",
            state.code
        );
    }
    let germany = regulation().jurisdiction("DE").expect("Germany").record();
    assert_eq!(germany.authority.as_deref(), Some("Bundesnetzagentur (BNetzA)"));
    assert_eq!(germany.contact.as_deref(), Some("poststelle@bnetza.de"));
    assert_eq!(germany.language, "de");
}

#[test]
fn the_list_of_frameworks_counts_the_obligations_as_the_controls_of_the_act() {
    let summaries = regulation().framework_summaries();
    assert_eq!(
        summaries.first().map(|first| (first.id.as_str(), first.control_count)),
        Some(("eu-ai-act", 131))
    );
    let mapped = regulation().crosswalk("OBL-010").expect("a row");
    assert_eq!(
        mapped.get("gdpr"),
        Some(&vec!["GDPR-9".to_owned(), "GDPR-22".to_owned()])
    );
}

#[test]
fn milestones_are_in_order_and_upcoming_ones_are_law() {
    let law = regulation();
    assert!(
        law.timeline()
            .is_sorted_by_key(|milestone| (milestone.date, milestone.id.clone()))
    );
    let today = law.data_as_of();
    let after = law.milestones_after(today);
    assert!(after.iter().all(|milestone| milestone.date > today));
    assert_eq!(after.first().map(|milestone| milestone.id.as_str()), Some("TL-010"));
    let upcoming: Vec<_> = law.upcoming(today).map(|milestone| milestone.id.as_str()).collect();
    assert!(upcoming.contains(&"TL-019") && !upcoming.contains(&"TL-026") && !upcoming.contains(&"TL-012"));
    assert_eq!(law.milestones_after(jiff::civil::date(2030, 12, 31)).len(), 0);
}

#[test]
fn an_unknown_field_in_the_data_is_an_error() {
    let with_extra = data::OBLIGATIONS
        .text()
        .replacen("\"actors\"", "\"surprise\": 1, \"actors\"", 1);
    let rows: serde_json::Value = serde_json::from_str(&with_extra).expect("still JSON");
    let row = rows["obligations"][0].clone();
    assert!(serde_json::from_value::<crate::Obligation>(row).is_err());
}

#[test]
fn words_go_over_the_wire_as_the_data_writes_them() {
    for role in Role::ALL {
        assert_eq!(serde_json::to_value(role).expect("a string"), role.as_str());
        assert_eq!(Role::from_wire(role.as_str()), Some(*role));
    }
    for route in Route::ALL {
        assert_eq!(serde_json::to_value(route).expect("a string"), route.as_str());
    }
    let original: serde_json::Value = serde_json::from_str(&data::OBLIGATIONS.text()).expect("JSON");
    for (row, written) in regulation()
        .obligations()
        .iter()
        .zip(original["obligations"].as_array().expect("rows"))
    {
        let mut again = serde_json::to_value(row).expect("JSON");
        if written.get("date_note").is_some_and(serde_json::Value::is_null) {
            again["date_note"] = serde_json::Value::Null;
        }
        assert_eq!(&again, written, "{} changes on its way through the types", row.id);
    }
}

/// How many times as long as their bare JSON the typed tables with their indexes may take, even without optimisation.
const TIMES_MAX: u32 = 100;

#[test]
fn the_tables_cost_little_more_than_their_json() {
    let files = [
        data::OBLIGATIONS,
        data::ARTICLES,
        data::PENALTIES,
        data::RISK_CLASSES,
        data::TIMELINE,
        data::DOCUMENTS,
        data::FRAMEWORKS,
        data::JURISDICTIONS,
    ];
    let start = std::time::Instant::now();
    assert_eq!(regulation().obligations().len(), 131);
    let tables = start.elapsed();
    let start = std::time::Instant::now();
    for file in files {
        let bare: serde_json::Value = serde_json::from_str(&file.text()).expect("JSON");
        assert!(bare.is_object());
    }
    let bare = start.elapsed();
    assert!(tables < bare * TIMES_MAX, "{tables:?}, the JSON alone {bare:?}");
}
