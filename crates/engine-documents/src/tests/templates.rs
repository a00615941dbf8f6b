//! What must hold for every template.

use std::collections::BTreeSet;

use engine_regulation::regulation;

use crate::kinds::TEMPLATES;
use crate::template::{Body, Part, Template};
use crate::{RequestField, kinds};

#[test]
fn every_document_of_the_law_data_has_a_template() {
    let listed: Vec<&str> = TEMPLATES.iter().map(|(id, _)| *id).collect();
    let known: Vec<&str> = regulation()
        .documents()
        .iter()
        .map(|document| document.id.as_str())
        .collect();
    assert_eq!(listed, known);
    let mut broken = Vec::new();
    for (id, packed) in TEMPLATES {
        if let Err(error) = Template::parse(&packed.text(), regulation().document(id).unwrap()) {
            broken.push(format!("{id}: {error}"));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_required_section_asks_a_person() {
    let mut silent = Vec::new();
    for kind in kinds() {
        for (section, law) in kind.template.sections.iter().zip(&kind.document.sections) {
            let asks = section
                .parts
                .iter()
                .any(|part| part.body == Body::None && part.question.is_some() && part.only_if.is_empty());
            if law.required && !asks {
                silent.push(format!("{}.{}", kind.id(), section.key));
            }
        }
    }
    assert!(silent.is_empty(), "no unconditional question in {}", silent.join(", "));
}

#[test]
fn texts_are_plain_english_without_claims_and_markup() {
    let mut wrong = Vec::new();
    for kind in kinds() {
        let mut check = |place: &str, text: &str, words_max: usize| {
            let mut problems = Vec::new();
            let folded = text.to_lowercase();
            for word in [
                "compliant",
                "certified",
                "guaranteed",
                "to be completed",
                "tbd",
                "lorem ipsum",
            ] {
                if folded.contains(word) {
                    problems.push(format!("contains `{word}`"));
                }
            }
            for c in ['[', ']', '<', '>', '`', '*', '|', '\n'] {
                if text.contains(c) {
                    problems.push(format!("contains {c:?}"));
                }
            }
            for sentence in text.split(['.', '?', ';']) {
                let words = sentence.split_whitespace().count();
                if words > words_max {
                    problems.push(format!("{words} words: {}", sentence.trim()));
                }
            }
            if text.trim() != text || text.is_empty() {
                problems.push("is blank or has space around it".to_owned());
            }
            for problem in problems {
                wrong.push(format!("{}.{place}: {problem}", kind.id()));
            }
        };
        check("purpose", &kind.template.purpose, 34);
        for section in &kind.template.sections {
            check(&format!("{}.law", section.key), &section.law, 40);
            for part in &section.parts {
                let place = format!("{}.{}", section.key, part.label);
                if let Body::Text(text) = &part.body {
                    check(&place, text, 34);
                }
                if let Body::Table { none: Some(none), .. } = &part.body {
                    check(&place, none, 30);
                }
                if let Some(question) = &part.question {
                    check(&place, &question.text, 25);
                    assert!(question.text.ends_with('?'), "{}.{place}", kind.id());
                    if let Some(hint) = &question.hint {
                        check(&place, hint, 40);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn labels_are_unique_within_a_section_and_facts_within_a_document() {
    let mut wrong = Vec::new();
    for kind in kinds() {
        let mut facts = BTreeSet::new();
        for section in &kind.template.sections {
            let mut labels = BTreeSet::new();
            for part in &section.parts {
                let key = (part.label.clone(), part.only_if.clone());
                if !part.label.is_empty() && !labels.insert(key) {
                    wrong.push(format!("{}.{}: `{}` twice", kind.id(), section.key, part.label));
                }
                if let Body::Fact(fact) = &part.body
                    && !facts.insert((fact.name(), part.only_if.clone()))
                {
                    wrong.push(format!("{}.{}: `{}` asked again", kind.id(), section.key, fact.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_field_of_a_request_answers_a_question() {
    let mut unused = Vec::new();
    for kind in kinds() {
        let parts: Vec<&Part> = kind
            .template
            .sections
            .iter()
            .flat_map(|section| &section.parts)
            .collect();
        let by_fact = parts
            .iter()
            .any(|part| matches!(part.body, Body::Fact(fact) if fact.name() == "organization.name"));
        for field in RequestField::of_document(kind.id()) {
            let asked = parts
                .iter()
                .filter_map(|part| part.question.as_ref())
                .any(|question| question.request == Some(*field));
            let is_name = matches!(field, RequestField::Organization | RequestField::CompanyName);
            if !(asked || is_name && by_fact) {
                unused.push(format!("{}.{}", kind.id(), field.name()));
            }
        }
    }
    // The organisation is stated where a document names it.
    unused.retain(|one| !one.ends_with(".organization"));
    assert!(unused.is_empty(), "{}", unused.join(", "));
}

#[test]
fn broken_templates_are_refused() {
    let document = regulation().document("gpai-training-summary").unwrap();
    let whole = TEMPLATES
        .iter()
        .find(|(id, _)| *id == "gpai-training-summary")
        .unwrap()
        .1
        .text();
    assert!(Template::parse(&whole, document).is_ok());
    for (from, to) in [
        ("id = \"gpai-training-summary\"", "id = \"fria\""),
        ("purpose", "porpose"),
        ("[[section]]", "[[sektion]]"),
        ("question", "qestion"),
    ] {
        assert!(whole.contains(from), "{from}");
        assert!(Template::parse(&whole.replace(from, to), document).is_err(), "{to}");
    }
}
