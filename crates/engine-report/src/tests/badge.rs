//! Badges of scans in every state.

use engine_messages::Language;
use engine_model::{Applicability, ScanResult};

use super::fixtures::{date, helpdesk, nothing};
use crate::badge::{AMBER, Badge, GREEN, GREY, PADDING, RED, SIZE, SLATE, badge, widths};

fn on(scan: Option<&ScanResult>, day: &str, language: Language) -> String {
    badge(&Badge {
        scan,
        today: date(day),
        language,
    })
}

fn rated(readiness: f64) -> ScanResult {
    let mut scan = nothing("/srv/secret-place/desk", Applicability::SystemsFound, "found");
    scan.score.assessed = true;
    scan.score.evaluated = 9;
    scan.score.applicable = 14;
    scan.score.grade = Some("B".to_owned());
    scan.score.readiness = readiness;
    scan
}

/// The texts between tags. The image must be well-formed.
fn texts(svg: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(svg);
    while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
    svg.split('<')
        .filter_map(|part| part.split_once('>'))
        .map(|(_, text)| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

#[test]
fn given_enough_evaluated_duties_then_the_badge_has_the_readiness_and_its_basis() {
    let svg = on(Some(&rated(72.9)), "2026-09-02", Language::En);
    let found = texts(&svg);
    assert_eq!(
        found,
        [
            "EU AI Act: readiness 72. self-assessed, scan of 2026-09-01, rules 2026-07-27. 9 of 14 duties in force evaluated.",
            "EU AI Act",
            "readiness 72 · self-assessed · 2026-09-01 · rules 2026-07-27"
        ]
    );
    assert!(svg.contains(AMBER) && svg.contains("role=\"img\"") && svg.contains("aria-labelledby"));
    assert!(on(Some(&rated(80.0)), "2026-09-02", Language::En).contains(GREEN));
    assert!(on(Some(&rated(49.9)), "2026-09-02", Language::En).contains(RED));
}

#[test]
fn given_an_open_prohibited_practice_then_no_badge_is_green() {
    let mut scan = rated(95.0);
    scan.score.critical_cap_applied = true;
    assert!(on(Some(&scan), "2026-09-02", Language::En).contains(RED));
}

#[test]
fn given_a_scan_older_than_30_days_then_the_badge_is_grey_and_says_so() {
    let scan = rated(95.0);
    let fresh = on(Some(&scan), "2026-10-01", Language::En);
    assert!(fresh.contains(GREEN) && !fresh.contains(GREY));
    let old = on(Some(&scan), "2026-10-02", Language::En);
    assert!(old.contains(GREY) && !old.contains(GREEN));
    assert!(old.contains("older than 30 days"), "{old}");
}

#[test]
fn given_no_or_few_evaluated_duties_then_the_badge_has_no_readiness() {
    let mut scan = rated(95.0);
    scan.score.grade = None;
    scan.score.evaluated = 3;
    let svg = on(Some(&scan), "2026-09-02", Language::En);
    assert!(svg.contains(">3 of 14 assessed · self-assessed") && !svg.contains("readiness") && svg.contains(SLATE));
    scan.score.assessed = false;
    scan.score.evaluated = 0;
    let svg = on(Some(&scan), "2026-09-02", Language::En);
    assert!(
        svg.contains(">not assessed · self-assessed") && !svg.contains(GREEN),
        "{svg}"
    );
}

#[test]
fn given_no_ai_system_then_the_badge_is_grey_without_a_number() {
    for (applicability, words) in [
        (Applicability::NoAiFound, "no AI system found"),
        (Applicability::Library, "library, not a system"),
        (Applicability::Undetermined, "not determined"),
    ] {
        let scan = nothing("/srv/secret-place/desk", applicability, "x");
        let svg = on(Some(&scan), "2026-09-02", Language::En);
        assert!(
            svg.contains(words) && svg.contains(GREY) && !svg.contains("readiness"),
            "{svg}"
        );
    }
    let svg = on(None, "2026-09-02", Language::En);
    assert!(svg.contains("not scanned yet") && svg.contains(GREY), "{svg}");
}

#[test]
fn given_a_text_then_its_box_is_as_wide_as_the_font_makes_it() {
    // `EU AI Act` in DejaVu Sans: E 1294, U 1499, space 651, A 1401, I 604, space 651, A 1401, c 1126, t 803.
    let units = f64::from(1294 + 1499 + 651 + 1401 + 604 + 651 + 1401 + 1126 + 803);
    let width = widths::width("EU AI Act", SIZE);
    assert!((width - units * 11.0 / 2048.0).abs() < 0.01, "{width}");
    let svg = on(Some(&helpdesk()), "2026-09-02", Language::En);
    let number = |name: &str| -> f64 {
        let from = svg.split_once(name).unwrap().1;
        from.split('"').next().unwrap().parse().unwrap()
    };
    let message = &texts(&svg)[2];
    let left = (width + 2.0 * PADDING).ceil();
    assert!((number("width=\"") - left - (widths::width(message, SIZE) + 2.0 * PADDING).ceil()).abs() < 0.5);
}

#[test]
fn given_foreign_text_then_it_is_escaped() {
    let mut scan = rated(72.0);
    scan.regulation_version = "x@\"><script>&\u{202e}".to_owned();
    let svg = on(Some(&scan), "2026-09-02", Language::En);
    assert!(!svg.contains("<script") && !svg.contains('\u{202e}'), "{svg}");
    texts(&svg);
}

#[test]
fn given_a_language_then_the_badge_is_in_it_and_the_bytes_stay_the_same() {
    let scan = rated(72.0);
    let german = on(Some(&scan), "2026-09-02", Language::De);
    assert!(german.contains("Vorbereitung 72 · Selbsteinschätzung"), "{german}");
    assert_eq!(german, on(Some(&scan), "2026-09-02", Language::De));
    assert!(!german.contains("secret-place"));
}
