//! Laws of the merge.

use proptest::prelude::*;

use super::fixture::{bare, rich};
use crate::marks::{conflict_mark, open_label};
use crate::source::english;
use crate::{FinaliseError, Outline, Request, finalise, generate, kind, update};

#[test]
fn unedited_document_becomes_the_new_one() {
    let (little, much) = (bare(), rich());
    let kind = kind("fria").unwrap();
    let base = generate(kind, &little.facts(), &Request::default()).content;
    let new = generate(kind, &much.facts(), &Request::default()).content;
    let updated = update(&base, &base.replace('\n', "\r\n"), &new);
    assert_eq!(updated.content, new);
    assert!(!updated.edited);
}

#[test]
fn answer_and_new_value_in_one_place_are_both_kept_until_a_person_decides() {
    let (little, much) = (bare(), rich());
    let kind = kind("fria").unwrap();
    let base = generate(kind, &little.facts(), &Request::default()).content;
    let new = generate(kind, &much.facts(), &Request::default()).content;
    let mine: String = base
        .lines()
        .map(|line| match open_label(line) {
            Some(label) => format!("My answer on {label}.\n"),
            None => format!("{line}\n"),
        })
        .collect();
    let updated = update(&base, &mine, &new);
    assert!(updated.conflicts > 0);
    assert_eq!(
        updated.content.matches(&conflict_mark(english())).count(),
        updated.conflicts
    );
    assert!(matches!(
        finalise(&updated.content, "J. Example", little.as_of),
        Err(FinaliseError::Open(_))
    ));
    assert!(Outline::of(&updated.content).is_some());
}

#[test]
fn front_matter_keeps_what_a_person_wrote() {
    let rich = rich();
    let kind = kind("fria").unwrap();
    let base = generate(kind, &rich.facts(), &Request::default()).content;
    let mine = base
        .replace(
            "title: \"Fundamental rights impact assessment\"",
            "title: \"FRIA of the reception\"",
        )
        .replace("status: draft", "status: draft\nreviewer: Jo\ntags:\n  - people");
    let updated = update(
        &base,
        &mine,
        &base.replace("generated: 2026-11-28", "generated: 2026-12-24"),
    );
    for line in [
        "title: \"FRIA of the reception\"",
        "reviewer: Jo",
        "  - people",
        "generated: 2026-12-24",
    ] {
        assert!(updated.content.contains(line), "{line}");
    }
    assert_eq!(updated.content.matches("\ngenerated:").count(), 1);
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(
        prop_oneof![
            Just(String::new()),
            Just("---".to_owned()),
            Just("title: x".to_owned()),
            Just("<<<<<<< ours".to_owned()),
            Just("=======".to_owned()),
            Just(">>>>>>>> x".to_owned()),
            Just("## Heading".to_owned()),
            "[a-c> ]{0,4}",
        ],
        0..16,
    )
}

proptest! {
    #[test]
    fn no_line_of_a_person_is_lost(
        base in lines(),
        new in lines(),
        edits in proptest::collection::vec((0_usize..17, any::<bool>(), "[d-f]{1,6}"), 0..6),
        front in any::<bool>(),
    ) {
        let mut mine = base.clone();
        let mut written = Vec::new();
        for (at, replaces, text) in edits {
            let line = format!("{text} by a person");
            if replaces && at < mine.len() {
                mine[at].clone_from(&line);
            } else {
                mine.insert(at.min(mine.len()), line.clone());
            }
            written.push(line);
        }
        written.retain(|line| mine.contains(line));
        let text = |lines: &[String]| {
            let head = if front { "---\ndocType: fria\nstatus: draft\n---\n" } else { "" };
            format!("{head}{}\n", lines.join("\n"))
        };
        let updated = update(&text(&base), &text(&mine), &text(&new));
        let kept: Vec<&str> = updated.content.lines().collect();
        for line in written {
            prop_assert!(kept.contains(&line.as_str()), "lost `{line}` in {}", updated.content);
        }
    }

    #[test]
    fn foreign_texts_do_not_panic(text in "(?s).{0,400}", other in "(?s).{0,200}") {
        let rich = rich();
        let _ = Outline::of(&text);
        let _ = finalise(&text, &other, rich.as_of);
        let _ = crate::stale_sources(&text, &rich.facts());
        let _ = update(&text, &other, &text);
    }
}
