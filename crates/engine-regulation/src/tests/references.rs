//! The reference parser, and the proof that no provision is cited that the Act lacks.

use std::collections::BTreeSet;

use serde_json::Value;

use super::paragraphs::{ANNEX_POINTS, PARAGRAPHS};
use crate::data;
use crate::{ArticleRef, Provision, cited, regulation};

fn shown(text: &str) -> Vec<String> {
    cited(text).iter().map(ToString::to_string).collect()
}

#[test]
fn references_are_read_in_every_form_the_data_uses() {
    let cases: &[(&str, &[&str])] = &[
        ("Art. 27(1)(a)", &["Art. 27(1)(a)"]),
        ("Art. 13(3)(b)(vii)", &["Art. 13(3)(b)(vii)"]),
        ("Art. 4a(1)", &["Art. 4a(1)"]),
        ("Art. 16(b)", &["Art. 16(b)"]),
        ("Art. 9(2)(d), 9(5)", &["Art. 9(2)(d)", "Art. 9(5)"]),
        ("Art. 9(6)-(8)", &["Art. 9(6)", "Art. 9(7)", "Art. 9(8)"]),
        (
            "Art. 6(1)-(1c)",
            &["Art. 6(1)", "Art. 6(1a)", "Art. 6(1b)", "Art. 6(1c)"],
        ),
        ("Art. 26(2), (5)", &["Art. 26(2)", "Art. 26(5)"]),
        ("Art. 60(4)(j), (k)", &["Art. 60(4)(j)", "Art. 60(4)(k)"]),
        (
            "Art. 25(2), (4), 99(4)(da)",
            &["Art. 25(2)", "Art. 25(4)", "Art. 99(4)(da)"],
        ),
        (
            "Art. 75, 75a-75d",
            &["Art. 75", "Art. 75a", "Art. 75b", "Art. 75c", "Art. 75d"],
        ),
        (
            "Art. 5(1)(ba) and (bb) with Art. 5(1a), (1b) apply",
            &["Art. 5(1)(ba)", "Art. 5(1)(bb)", "Art. 5(1a)", "Art. 5(1b)"],
        ),
        (
            "Arts. 26, 33(1)(3)(4), 34",
            &["Art. 26", "Art. 33(1)", "Art. 33(3)", "Art. 33(4)", "Art. 34"],
        ),
        ("Arts. 51-54", &["Art. 51", "Art. 52", "Art. 53", "Art. 54"]),
        ("Arts. 4 and 95", &["Art. 4", "Art. 95"]),
        ("Art. 50(4) first subparagraph", &["Art. 50(4)"]),
        (
            "only Art. 6(1), 60a and 102 to 104 apply (Art. 2(2))",
            &["Art. 6(1)", "Art. 60a", "Art. 102", "Art. 103", "Art. 104", "Art. 2(2)"],
        ),
        ("Art. 6, Annexes I and III", &["Art. 6", "Annex I", "Annex III"]),
        ("Annex III point 1(c)", &["Annex III point 1(c)"]),
        (
            "Annex III 4, 5(b), 8",
            &["Annex III point 4", "Annex III point 5(b)", "Annex III point 8"],
        ),
        (
            "Annex III points 2 to 4 by control",
            &["Annex III point 2", "Annex III point 3", "Annex III point 4"],
        ),
        ("Annex IV(1)(a)", &["Annex IV point 1(a)"]),
        (
            "Annex VIII A(1), B(1), C(1)",
            &[
                "Annex VIII Section A point 1",
                "Annex VIII Section B point 1",
                "Annex VIII Section C point 1",
            ],
        ),
        (
            "Annex VIII Section B points 7 and 9 were deleted",
            &["Annex VIII Section B point 7", "Annex VIII Section B point 9"],
        ),
        (
            "Annex VIII C(4), C(5)",
            &["Annex VIII Section C point 4", "Annex VIII Section C point 5"],
        ),
        ("Annex XI s.2(3)", &["Annex XI Section 2 point 3"]),
        ("Art. 60(4)(c), Annex IX", &["Art. 60(4)(c)", "Annex IX"]),
        ("Annex I still cites a directive", &["Annex I"]),
        (
            "Chapters VI and IX, Chapter III Sections 1 to 3",
            &[
                "Chapter VI",
                "Chapter IX",
                "Chapter III Section 1",
                "Chapter III Section 2",
                "Chapter III Section 3",
            ],
        ),
        ("GDPR Art. 35(7)(a)", &[]),
        ("Regulation 2026/1744 Art. 1(5) with effect", &[]),
        ("Dir. (EU) 2024/2853 Art. 22", &[]),
        ("Cyber Resilience Act Art. 12(1)", &[]),
        ("the AI Act Art. 12(1)", &["Art. 12(1)"]),
        ("Art. 35 GDPR", &[]),
        ("all 38 Annex A controls, Part. 5, Article", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(&shown(text), expected, "{text}");
    }
}

#[test]
fn one_reference_survives_being_written_and_read() {
    for text in [
        "Art. 27(1)(a)",
        "Art. 75c",
        "Annex III point 1(c)",
        "Annex VIII Section B point 7",
        "Chapter III Section 4",
    ] {
        let reference: ArticleRef = text.parse().expect("one reference");
        assert_eq!(reference.to_string(), text);
    }
    let reference: ArticleRef = "Art. 50(4)".parse().expect("one reference");
    assert_eq!(
        (reference.article(), reference.annex(), reference.paragraph.as_deref()),
        (Some("50"), None, Some("4"))
    );
    for text in [
        "",
        "Art.",
        "Art. ",
        "Art. 5, 6",
        "Art. 5 and more",
        "see Art. 5",
        "Annex 3",
        "Art. 12345",
        "Art. 5(",
        "Art. 5()",
    ] {
        assert!(text.parse::<ArticleRef>().is_err(), "`{text}`");
    }
}

#[test]
fn foreign_text_neither_panics_nor_takes_long() {
    for text in [
        "Art. ",
        "Annex III ",
        "(((",
        "Art. 1(",
        "Art. 5-",
        "Annex I A",
        "é",
        "Art. é",
        "Annex IÉ",
        "Chapter V Section ",
        "Art. 1 to 999, ",
    ] {
        let long = text.repeat(5_000);
        assert!(cited(&long).len() < 800_000);
        assert!(long.parse::<ArticleRef>().is_err());
    }
}

/// Every text of a data file with the path that leads to it.
fn texts<'value>(value: &'value Value, path: &str, found: &mut Vec<(String, &'value str)>) {
    match value {
        Value::String(text) => found.push((path.to_owned(), text)),
        Value::Array(items) => items.iter().for_each(|item| texts(item, path, found)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, field)| texts(field, &format!("{path}.{key}"), found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What Regulation (EU) 2026/1744 put in and took out, by the account of the tables of articles and annexes.
struct Amendment {
    changed: BTreeSet<ArticleRef>,
    deleted: BTreeSet<ArticleRef>,
}

fn amendment() -> Amendment {
    let law = regulation();
    let mut amendment = Amendment {
        changed: BTreeSet::new(),
        deleted: BTreeSet::new(),
    };
    let articles = law
        .articles()
        .iter()
        .flat_map(|row| row.changed_by_2026_1744.iter().map(|text| (String::new(), text)));
    let annexes = law.annexes().iter().flat_map(|row| {
        row.changed_by_2026_1744
            .iter()
            .map(|text| (format!("Annex {} ", row.number), text))
    });
    for (prefix, text) in articles.chain(annexes) {
        let from = if prefix.is_empty() {
            text.find(|first: char| first.is_ascii_digit()).unwrap_or(text.len())
        } else {
            0
        };
        let prefix = if prefix.is_empty() { "Art. ".to_owned() } else { prefix };
        let refs = cited(&format!("{prefix}{}", &text[from..]));
        let set = if text.contains("deleted") {
            &mut amendment.deleted
        } else {
            &mut amendment.changed
        };
        set.extend(refs);
    }
    amendment
}

fn check(reference: &ArticleRef, amendment: &Amendment) -> Result<(), String> {
    let law = regulation();
    if amendment.deleted.contains(reference) {
        return Err("was deleted by Regulation (EU) 2026/1744".to_owned());
    }
    match &reference.provision {
        Provision::Chapter(number) => {
            let there = law.articles().iter().any(|article| {
                article.chapter == *number && (reference.section.is_none() || article.section == reference.section)
            });
            if there {
                Ok(())
            } else {
                Err("names no chapter or section of the Act".to_owned())
            }
        }
        Provision::Annex(number) => check_annex(number, reference),
        Provision::Article(number) => {
            let article = law.article(number).ok_or("names no article of the Act")?;
            let (Some(paragraph), None) = (&reference.paragraph, &article.inserted_by) else {
                return Ok(());
            };
            let added = amendment
                .changed
                .iter()
                .any(|change| change.article() == Some(number) && change.paragraph.as_ref() == Some(paragraph));
            // Definitions are numbered points; there are 68 of them, and two lettered ones were inserted.
            let (digits, last) = match number.as_str() {
                "3" => (paragraph.parse::<u16>().ok(), 68),
                // Replaced as a whole; the numbering of the new text is not in the tables.
                "4" => (paragraph.parse::<u16>().ok(), 3),
                number => {
                    let row = PARAGRAPHS.iter().find(|(article, _)| article.to_string() == number);
                    (paragraph.parse::<u16>().ok(), row.map_or(u16::MAX, |(_, count)| *count))
                }
            };
            let original = digits.is_some_and(|paragraph| (1..=last).contains(&paragraph));
            if added || original {
                Ok(())
            } else {
                Err(format!("names no paragraph of Art. {number}"))
            }
        }
    }
}

fn check_annex(number: &str, reference: &ArticleRef) -> Result<(), String> {
    let law = regulation();
    law.annex(number).ok_or("names no annex of the Act")?;
    let Some(point) = &reference.paragraph else {
        return Ok(());
    };
    match number {
        "III" => {
            let area = law
                .annex_iii_areas()
                .iter()
                .find(|area| area.area == *point)
                .ok_or("names no area")?;
            let there = reference.points.is_empty()
                || area
                    .points
                    .iter()
                    .any(|row| row.reference == format!("Annex III point {point}({})", reference.points[0]));
            if there {
                Ok(())
            } else {
                Err("names no point of Annex III".to_owned())
            }
        }
        "I" => {
            let there = law.risk().annex_i.iter().any(|act| {
                act.point.to_string() == *point
                    && reference.section.as_ref().is_none_or(|section| *section == act.section)
            });
            if there {
                Ok(())
            } else {
                Err("names no act of Annex I".to_owned())
            }
        }
        number => {
            let there = ANNEX_POINTS.iter().any(|(annex, section, count)| {
                *annex == number
                    && reference.section.as_deref() == *section
                    && point.parse::<u16>().is_ok_and(|point| (1..=*count).contains(&point))
            });
            if there {
                Ok(())
            } else {
                Err(format!("names no point of Annex {number}"))
            }
        }
    }
}

/// Texts that speak of provisions that are gone, were only drafted, or are of another act, by their own words.
fn speaks_of_the_past(path: &str, text: &str) -> bool {
    path.ends_with(".changed_by_2026_1744")
        || path.ends_with(".read_as")
        || path == "jurisdictions.jurisdictions.status.law"
        || [
            "seen in drafts",
            "were deleted",
            "deleted on",
            "Replaces Art. 10(5)",
            "deleted",
        ]
        .iter()
        .any(|words| text.contains(words))
}

/// Points below a paragraph or below a point of an annex, and paragraphs of the articles that the amendment inserted,
/// cannot be checked: neither the tables nor the lists beside this file have them.
#[test]
fn no_article_paragraph_or_annex_is_cited_that_the_act_lacks() {
    let amendment = amendment();
    assert!(amendment.deleted.iter().any(|gone| gone.to_string() == "Art. 10(5)"));
    assert!(amendment.changed.iter().any(|new| new.to_string() == "Art. 75(1a)"));
    let files = [
        ("obligations", data::OBLIGATIONS),
        ("articles", data::ARTICLES),
        ("penalties", data::PENALTIES),
        ("risk-classes", data::RISK_CLASSES),
        ("timeline", data::TIMELINE),
        ("documents", data::DOCUMENTS),
        ("frameworks", data::FRAMEWORKS),
        ("jurisdictions", data::JURISDICTIONS),
    ];
    let mut checked = 0;
    let mut wrong = Vec::new();
    for (name, file) in files {
        let value: Value = serde_json::from_str(&file.text()).expect("JSON");
        let mut found = Vec::new();
        texts(&value, name, &mut found);
        for (path, text) in found {
            if speaks_of_the_past(&path, text) {
                continue;
            }
            for reference in cited(text) {
                checked += 1;
                if let Err(problem) = check(&reference, &amendment) {
                    wrong.push(format!("{path}: `{text}` cites {reference}, which {problem}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 700, "only {checked} references were read");
}

#[test]
fn every_field_that_must_be_a_reference_is_read_to_the_end() {
    let law = regulation();
    for obligation in law.obligations() {
        for text in &obligation.references {
            let reference: ArticleRef = text.parse().expect("one reference");
            assert_eq!(reference.to_string(), *text, "{}", obligation.id);
        }
        let articles: Vec<_> = obligation.references.iter().flat_map(|text| cited(text)).collect();
        assert!(
            articles
                .iter()
                .any(|found| found.article() == Some(&obligation.article)),
            "{}",
            obligation.id
        );
    }
    let exact = law
        .prohibited_practices()
        .iter()
        .map(|row| &row.reference)
        .chain(
            law.annex_iii_areas()
                .iter()
                .flat_map(|area| area.points.iter().map(|point| &point.reference)),
        )
        .chain(law.penalties().setting_factors.iter().map(|row| &row.provision))
        .chain(law.penalties().tiers.iter().filter_map(|tier| tier.provision.as_ref()));
    for text in exact {
        assert!(text.parse::<ArticleRef>().is_ok(), "`{text}`");
    }
    for document in law.documents() {
        let sections = document.sections.iter().map(|section| &section.source);
        for text in sections.chain(&document.legal_basis) {
            let elsewhere = ["Code of Practice", "commitment", "Template", "GDPR", "ISO/IEC"];
            let foreign = elsewhere.iter().any(|start| text.starts_with(start));
            assert!(
                foreign || !cited(text).is_empty(),
                "{}: `{text}` is no reference",
                document.id
            );
        }
    }
}

#[test]
fn the_check_notices_what_is_not_there() {
    let amendment = amendment();
    for text in [
        "Art. 114",
        "Art. 27(6)",
        "Art. 10(5)",
        "Art. 5(1c)",
        "Art. 3(69)",
        "Annex XV",
        "Annex III point 9",
        "Annex III point 4(c)",
        "Annex I Section A point 1",
        "Annex VIII Section B point 7",
        "Annex IV point 10",
        "Annex VIII point 1",
        "Chapter XIV",
        "Chapter V Section 9",
    ] {
        let reference: ArticleRef = text.parse().expect("one reference");
        assert!(check(&reference, &amendment).is_err(), "{text}");
    }
    for text in [
        "Art. 27(5)",
        "Art. 5(1a)",
        "Art. 75(1e)",
        "Art. 2(13)",
        "Art. 3(14b)",
        "Art. 28(9)",
        "Annex I Section B point 21",
    ] {
        let reference: ArticleRef = text.parse().expect("one reference");
        assert_eq!(check(&reference, &amendment), Ok(()), "{text}");
    }
}
