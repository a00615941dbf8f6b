//! Documents in German and French, and from one language into another.

use engine_messages::{Language, Messages};
use engine_model::DocumentState;

use super::documents::{all, answered, by_the_scanner};
use super::fixture::rich;
use crate::marks::{open_label, section_key};
use crate::{Outline, Request, Status, TableName, finalise, generate, kind, stale_sources, update};

const OTHERS: [Language; 2] = [Language::De, Language::Fr];

fn in_language(language: Language) -> Request {
    Request {
        language: Some(language),
        ..Request::default()
    }
}

#[test]
fn each_head_of_a_table_has_a_text_in_each_language() {
    for language in Language::ALL {
        for column in TableName::ALL.iter().flat_map(|name| name.columns()) {
            let text = Messages::of(*language).column(column);
            assert!(text.is_some(), "{} {column}", language.code());
            assert!(*language != Language::En || text == Some(column), "{column}");
        }
    }
}

#[test]
fn documents_in_german_are_read_like_those_in_english() {
    read_like_english(Language::De);
}

#[test]
fn documents_in_french_are_read_like_those_in_english() {
    read_like_english(Language::Fr);
}

fn read_like_english(language: Language) {
    let fixture = rich();
    let mut wrong = Vec::new();
    let messages = Messages::of(language);
    for one in all(&fixture, &|_| in_language(language)) {
        let kind = kind(one.kind).unwrap();
        assert!(one.content.contains(&format!("\nlanguage: {}\n", language.code())));
        assert_eq!(Some(one.title), messages.document_title(one.kind));
        for section in &kind.document.sections {
            let title = messages.section_title(one.kind, &section.key).unwrap();
            let heading = format!("\n## {title}\n<!-- section: {} -->\n", section.key);
            assert!(one.content.contains(&heading), "{}: {heading}", one.kind);
        }
        let before = by_the_scanner(one.kind, &one.content);
        if before.completeness != 0 || before.state != DocumentState::Scaffold {
            wrong.push(format!("{} counts unanswered: {:?}", one.kind, before.sections));
        }
        assert!(stale_sources(&one.content, &fixture.facts()).is_empty(), "{}", one.kind);
        let text = answered(&one.content);
        let unmarked: String = text
            .split_inclusive('\n')
            .filter(|line| section_key(line).is_none())
            .collect();
        let renamed: String = text
            .lines()
            .map(|line| {
                if line.starts_with("## ") {
                    "## Xyz\n".to_owned()
                } else {
                    format!("{line}\n")
                }
            })
            .collect();
        for (what, text) in [
            ("answered", &text),
            ("without marks", &unmarked),
            ("with other headings", &renamed),
        ] {
            let outline = Outline::of(text).unwrap();
            assert_eq!(
                (outline.completeness, outline.language),
                (100, language),
                "{} {what}",
                one.kind
            );
            let read = by_the_scanner(one.kind, text);
            if read.completeness != 100 {
                wrong.push(format!("{} {what}: {:?}", one.kind, read.sections));
            }
        }
        let done = finalise(&text, "J. Example", fixture.as_of).unwrap();
        assert_eq!(Outline::of(&done).unwrap().status, Status::Final);
        assert!(done.contains(&format!(
            "> **{}:** {}",
            messages.text(engine_messages::Key::DocStatus),
            final_word(language)
        )));
        assert_eq!(
            by_the_scanner(one.kind, &done).state,
            DocumentState::Filled,
            "{}",
            one.kind
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn final_word(language: Language) -> &'static str {
    match language {
        Language::En => "Final.",
        Language::De => "Endfassung.",
        Language::Fr => "Version finale.",
    }
}

#[test]
fn regeneration_in_another_language_keeps_edits_without_conflicts() {
    let fixture = rich();
    for id in ["fria", "tech-documentation", "art5-screening"] {
        let kind = kind(id).unwrap();
        let of = |language| generate(kind, &fixture.facts(), &in_language(language)).content;
        let english = of(Language::En);
        let own = "## A heading of our own\n\nWith a paragraph of our own.\n\n## ";
        let mine = answered(&english).replacen("## ", own, 3);
        for language in OTHERS {
            let other = of(language);
            let merged = update(&english, &mine, &other);
            assert_eq!(merged.conflicts, 0, "{id}: {}", merged.content);
            assert_eq!(merged.content, answered_like(&mine, &other), "{id}");
            assert_eq!(by_the_scanner(id, &merged.content).completeness, 100, "{id}");
            // Back again, the text is what the person wrote.
            let back = update(&other, &merged.content, &english);
            assert_eq!((back.conflicts, back.content.as_str()), (0, mine.as_str()), "{id}");
        }
    }
}

/// The new text with a person's three headings and the answers of a document.
fn answered_like(mine: &str, new: &str) -> String {
    let mut answers = mine.lines().filter(|line| line.starts_with("The head of recruiting"));
    let answered: String = new
        .lines()
        .map(|line| match open_label(line) {
            Some(_) => format!("{}\n", answers.next().unwrap()),
            None => format!("{line}\n"),
        })
        .collect();
    answered.replacen(
        "## ",
        "## A heading of our own\n\nWith a paragraph of our own.\n\n## ",
        3,
    )
}

#[test]
fn renamed_heading_stays_in_another_language() {
    let fixture = rich();
    let kind = kind("fria").unwrap();
    let of = |language| generate(kind, &fixture.facts(), &in_language(language)).content;
    let english = of(Language::En);
    let first = &kind.document.sections[0].title;
    let mine = english.replacen(&format!("## {first}\n"), "## Where we use it\n", 1);
    let merged = update(&english, &mine, &of(Language::De));
    assert_eq!(merged.conflicts, 0);
    assert!(
        merged
            .content
            .contains("## Where we use it\n<!-- section: processes -->\n")
    );
    assert!(merged.content.contains("[Zu beantworten: "));
    assert!(!merged.content.contains("[To answer: "));
    let open = Outline::of(&merged.content).unwrap().open;
    assert!(
        open.iter()
            .any(|one| one.section == "Where we use it" && one.key.as_deref() == Some("processes"))
    );
}

#[test]
fn mark_without_its_heading_names_no_section() {
    let text = "---\ndocType: fria\n---\n## Own\n\nText of a person.\n\n<!-- section: risks -->\n";
    let outline = Outline::of(text).unwrap();
    assert_eq!(outline.completeness, 0);
    assert!(outline.open.iter().any(|one| one.key.as_deref() == Some("risks")));
}
