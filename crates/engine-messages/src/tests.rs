//! What holds for every file of texts.

#![expect(clippy::disallowed_methods, reason = "the test reads the sources of the workspace")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use engine_regulation::regulation;
use jiff::civil::date;

use super::*;

fn texts(language: Language) -> BTreeMap<String, String> {
    toml::from_str(&language.data().text()).unwrap()
}

fn own_keys(language: Language) -> BTreeSet<String> {
    texts(language)
        .into_keys()
        .filter(|key| !key.starts_with("document.") && !key.starts_with("country."))
        .collect()
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn given_two_languages_then_they_have_the_same_keys() {
    for language in Language::ALL {
        assert_eq!(own_keys(*language), own_keys(Language::En), "{}", language.code());
    }
}

#[test]
fn given_a_key_then_its_placeholders_are_the_same_in_every_language() {
    let english = texts(Language::En);
    for language in Language::ALL {
        for (key, text) in texts(*language) {
            assert!(!text.trim().is_empty(), "{key}");
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{key}");
            if let Some(source) = english.get(&key) {
                assert_eq!(placeholders(&text), placeholders(source), "{} {key}", language.code());
            }
        }
    }
}

#[test]
fn given_all_names_then_each_has_a_text_and_each_text_has_a_name() {
    let mut named: BTreeSet<String> = Key::ALL.iter().map(|key| key.key().to_owned()).collect();
    for key in Counted::ALL {
        named.extend(["one", "other"].map(|form| format!("{}.{form}", key.key())));
    }
    named.extend((1..=12).map(|month| format!("month.{month:02}")));
    let written: BTreeSet<String> = own_keys(Language::En)
        .into_iter()
        // The page and the tables of documents look their texts up by their keys and test them themselves.
        .filter(|key| !key.starts_with("page.") && !key.starts_with("doc.column."))
        .collect();
    assert_eq!(named, written);
}

#[test]
fn given_a_name_then_some_crate_uses_it() {
    let mut sources = String::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut sources);
    let unused: Vec<&str> = Key::ALL
        .iter()
        .map(|key| (format!("Key::{key:?}"), key.key()))
        .chain(Counted::ALL.iter().map(|key| (format!("Counted::{key:?}"), key.key())))
        .filter(|(name, _)| {
            !sources
                .match_indices(name)
                .any(|(at, _)| !sources[at + name.len()..].starts_with(|c: char| c.is_alphanumeric()))
        })
        .map(|(_, key)| key)
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

fn collect(folder: &Path, sources: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

#[test]
fn given_headings_of_documents_then_they_are_those_of_the_law_data() {
    let mut known = BTreeSet::new();
    for document in regulation().documents() {
        known.insert(format!("document.{}.title", document.id));
        for section in &document.sections {
            known.insert(format!("document.{}.section.{}", document.id, section.key));
        }
    }
    for language in [Language::De, Language::Fr] {
        let written: BTreeSet<String> = texts(language)
            .into_keys()
            .filter(|key| key.starts_with("document."))
            .collect();
        assert_eq!(written, known, "{}", language.code());
    }
}

#[test]
fn given_countries_then_they_are_those_of_the_law_data() {
    let known: Vec<String> = regulation()
        .jurisdictions()
        .iter()
        .map(|record| format!("country.{}", record.code))
        .collect();
    for language in [Language::De, Language::Fr] {
        let written: Vec<String> = texts(language)
            .into_keys()
            .filter(|key| key.starts_with("country."))
            .collect();
        assert_eq!(written, known, "{}", language.code());
    }
    assert_eq!(Messages::of(Language::De).country("AT"), Some("Österreich"));
    assert_eq!(Messages::of(Language::En).country("AT"), None);
}

#[test]
fn given_any_text_then_it_claims_nothing() {
    let claims = [
        "compliant",
        "certified",
        "approved",
        "guarantee",
        "konform",
        "zertifiziert",
        "genehmigt",
        "garantiert",
        "conforme",
        "certifié",
        "approuvé",
        "garanti",
    ];
    for language in Language::ALL {
        for (key, text) in texts(*language)
            .into_iter()
            .filter(|(key, _)| !key.starts_with("document."))
        {
            let text = text.to_lowercase();
            for claim in claims {
                assert!(!text.contains(claim), "{}: {key}: {claim}", language.code());
            }
        }
    }
}

#[test]
fn given_a_count_then_the_form_follows_the_language() {
    let of = |language, number| Messages::of(language).count(Counted::CountSystems, number);
    assert_eq!(of(Language::En, 1), "1 AI system");
    assert_eq!(of(Language::En, 0), "0 AI systems");
    assert_eq!(of(Language::De, 1234), "1.234 KI-Systeme");
    assert_eq!(of(Language::Fr, 0), "0 système d'IA");
    assert_eq!(of(Language::Fr, 2), "2 systèmes d'IA");
}

#[test]
fn given_a_date_or_a_number_then_it_is_written_as_people_write_it() {
    let day = date(2027, 12, 1);
    assert_eq!(Messages::of(Language::En).date(day), "1 December 2027");
    assert_eq!(Messages::of(Language::De).date(day), "1. Dezember 2027");
    assert_eq!(Messages::of(Language::Fr).date(day), "1er décembre 2027");
    assert_eq!(Messages::of(Language::De).decimal(71.25), "71,2");
    assert_eq!(Messages::of(Language::En).decimal(100.0), "100");
    assert_eq!(Messages::of(Language::En).number(1_234_567), "1,234,567");
}

#[test]
fn given_a_value_with_braces_then_it_is_not_filled_again() {
    let text = Messages::of(Language::En).fill(Key::BadgeReadiness, &[("score", "{score} {x}")]);
    assert_eq!(text, "readiness {score} {x}");
}

#[test]
fn given_a_language_tag_then_its_language_is_found() {
    assert_eq!(Language::of("fr-BE"), Some(Language::Fr));
    assert_eq!(Language::of("DE"), Some(Language::De));
    assert_eq!(Language::of("pl"), None);
}
