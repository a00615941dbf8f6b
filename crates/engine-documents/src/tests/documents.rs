//! Every document as it is generated, read back, answered and made final.

use engine_model::{Document, DocumentState, FileInfo, SourceFile};

use super::fixture::{Fixture, bare, full_request, rich};
use crate::marks::{open_label, open_mark};
use crate::source::english;
use crate::{
    Due, FinaliseError, Generated, Outline, Request, Status, finalise, generate, kind, kinds, stale_sources, update,
    which_apply,
};

/// What the document layer of the scanner says of a text.
pub(super) fn by_the_scanner(id: &str, content: &str) -> Document {
    let path = format!(".compliance/documents/{id}.md");
    let file = SourceFile::new(&path, content.as_bytes());
    assert!(engine_scan_documents::wants(&path, file.language, file.zone));
    let facts = engine_scan_documents::read(&file);
    let info = FileInfo {
        path: path.clone(),
        size: content.len() as u64,
        digest: file.digest,
        language: file.language,
        zone: file.zone,
    };
    engine_scan_documents::join(&[(info, facts)]).remove(0)
}

/// Two sentences in place of every open question.
pub(super) fn answered(content: &str) -> String {
    content
        .lines()
        .map(|line| match open_label(line) {
            Some(label) => format!(
                "The head of recruiting decided on {label} in June after a review with the works council. Each case is \
                 checked twice before anything happens to an applicant."
            ),
            None => line.to_owned(),
        })
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}

pub(super) fn all(fixture: &Fixture, request: &dyn Fn(&str) -> Request) -> Vec<Generated> {
    kinds()
        .iter()
        .map(|kind| generate(kind, &fixture.facts(), &request(kind.id())))
        .collect()
}

#[test]
fn unanswered_documents_are_empty_for_the_scanner_and_answered_ones_filled() {
    let mut wrong = Vec::new();
    for fixture in [bare(), rich()] {
        for one in all(&fixture, &|_| Request::default()) {
            let before = by_the_scanner(one.kind, &one.content);
            assert_eq!(before.kind, one.kind);
            if before.completeness != 0 || before.state != DocumentState::Scaffold || !before.draft {
                wrong.push(format!("{} counts unanswered: {:?}", one.kind, before.sections));
            }
            assert_eq!(one.completeness, 0, "{}", one.kind);
            let text = answered(&one.content);
            let after = by_the_scanner(one.kind, &text);
            if after.completeness != 100 {
                wrong.push(format!("{} does not count answered: {:?}", one.kind, after.sections));
            }
            assert_eq!(Outline::of(&text).unwrap().completeness, 100, "{}", one.kind);
            assert!(after.draft);
            let done = finalise(&text, "J. Example", fixture.as_of).unwrap();
            let done = by_the_scanner(one.kind, &done);
            assert!(!done.draft && done.state == DocumentState::Filled, "{}", one.kind);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_open_question_keeps_a_section_from_counting() {
    let fixture = rich();
    let one = generate(kind("fria").unwrap(), &fixture.facts(), &Request::default());
    let text = answered(&one.content).replace("## Period", "[To answer: one more]\n\n## Period");
    let read = by_the_scanner("fria", &text);
    assert!(read.completeness < 100);
    assert!(matches!(
        finalise(&text, "J. Example", fixture.as_of),
        Err(FinaliseError::Open(open)) if open.len() == 1
    ));
}

#[test]
fn documents_contain_only_marks_of_their_own_and_no_claims() {
    let mut wrong = Vec::new();
    for fixture in [bare(), rich()] {
        for one in all(&fixture, &full_request) {
            let folded = one.content.to_lowercase();
            for word in [
                "compliant",
                "certified",
                "guaranteed",
                "tbd",
                "todo",
                "lorem",
                "to be completed",
                "{{",
                "____",
                "<script",
                "<b>",
                "/home/",
                "/tmp/",
            ] {
                if folded.contains(word) {
                    wrong.push(format!("{}: contains `{word}`", one.kind));
                }
            }
            for line in one.content.lines() {
                let unescaped = line.replace("\\[", "");
                if unescaped.contains('[') && open_label(line).is_none() {
                    wrong.push(format!("{}: {line}", one.kind));
                }
                if let Some(label) = open_label(line) {
                    assert_eq!(line, open_mark(english(), label), "{}", one.kind);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn same_facts_give_the_same_bytes_and_each_value_names_its_source() {
    let fixture = rich();
    for (one, again) in all(&fixture, &full_request).iter().zip(all(&fixture, &full_request)) {
        assert_eq!(*one, again);
        assert!(one.content.contains("sources:\n  \""), "{}", one.kind);
        assert!(!one.prefilled_fields.is_empty(), "{}", one.kind);
        assert!(!one.manual_fields.is_empty(), "{}", one.kind);
        assert!(stale_sources(&one.content, &fixture.facts()).is_empty(), "{}", one.kind);
    }
    let fria = generate(kind("fria").unwrap(), &fixture.facts(), &Request::default()).content;
    assert!(
        fria.contains("(answered by A. Person on 20 November 2026; `.compliance/profile.toml:12`)"),
        "{fria}"
    );
}

#[test]
fn tables_show_fifty_rows_and_count_the_others() {
    let fixture = rich();
    let long = all(&fixture, &full_request)
        .into_iter()
        .find(|one| one.content.contains("shows 50 of 60 rows and leaves out 10"));
    assert!(long.is_some());
}

#[test]
fn statements_of_a_request_answer_their_questions() {
    let fixture = bare();
    let kind = kind("fria").unwrap();
    let without = generate(kind, &fixture.facts(), &Request::default());
    let with = generate(kind, &fixture.facts(), &full_request("fria"));
    assert!(with.manual_fields.len() < without.manual_fields.len());
    assert!(with.content.contains("Jo Example states this &lt;b&gt;here&lt;/b&gt;."));
    assert!(with.content.contains("&gt; and there"));
}

#[test]
fn changed_sources_are_named_with_their_place() {
    let mut fixture = rich();
    let before = generate(kind("fria").unwrap(), &fixture.facts(), &Request::default()).content;
    for stated in &mut fixture.system.answers {
        if stated.question == "purpose" {
            stated.value = vec!["It now schedules interviews.".to_owned()];
        }
    }
    fixture.inventory.calls.iter_mut().for_each(|call| call.line += 1);
    let stale = stale_sources(&before, &fixture.facts());
    assert_eq!(stale.len(), 1, "{stale:?}");
    assert_eq!(stale[0].field, "answer.purpose");
    assert_eq!(stale[0].now.as_deref(), Some("It now schedules interviews."));
    let line = stale[0].line.unwrap();
    assert!(before.lines().nth(line - 1).unwrap().contains(&stale[0].label));
}

#[test]
fn a_final_document_names_the_person_and_stays_final() {
    let fixture = rich();
    let draft = answered(&generate(kind("qms").unwrap(), &fixture.facts(), &Request::default()).content);
    let done = finalise(&draft, "J. \"X\" <Example>", fixture.as_of).unwrap();
    let outline = Outline::of(&done).unwrap();
    assert_eq!(outline.status, Status::Final);
    assert_eq!(outline.finalised_by.as_deref(), Some("J. \"X\" <Example>"));
    assert_eq!(outline.finalised_on.as_deref(), Some("2026-11-28"));
    assert!(outline.open.is_empty());
    assert!(done.contains("> **Status:** Final. Made final by J. \"X\" &lt;Example&gt; on 28 November 2026."));
    assert!(matches!(
        finalise(&done, "Other", fixture.as_of),
        Err(FinaliseError::AlreadyFinal { .. })
    ));
    assert_eq!(finalise(&draft, " ", fixture.as_of), Err(FinaliseError::Name));
    assert_eq!(finalise("# x\n", "J", fixture.as_of), Err(FinaliseError::NotADocument));
}

#[test]
fn unanswered_document_is_not_made_final() {
    let fixture = rich();
    let draft = generate(kind("fria").unwrap(), &fixture.facts(), &Request::default()).content;
    let Err(FinaliseError::Open(open)) = finalise(&draft, "J. Example", fixture.as_of) else {
        panic!("the document became final");
    };
    assert!(open.iter().all(|one| one.required && one.line > 1));
    assert!(open.len() >= 7);
}

#[test]
fn documents_apply_by_role_class_and_date() {
    let fixture = rich();
    let due = |id: &str| {
        which_apply(&fixture.facts())
            .into_iter()
            .find(|one| one.kind == id)
            .unwrap()
    };
    assert!(matches!(due("fria").due, Due::Upcoming { from } if from.to_string() == "2027-12-02"));
    assert!(matches!(due("art5-screening").due, Due::Applies { .. }));
    assert!(matches!(due("incident-report").due, Due::OnEvent { .. }));
    assert!(matches!(due("distribution-check-record").due, Due::Not { .. }));
    assert!(matches!(due("statement-of-applicability").due, Due::Not { .. }));
    assert_eq!(due("fria").obligations, ["OBL-082", "OBL-083", "OBL-084"]);

    let bare = bare();
    for one in which_apply(&bare.facts()) {
        assert!(!one.is_due(), "{}", one.kind);
        assert!(one.reason().is_some_and(|reason| reason.len() > 20), "{}", one.kind);
    }
}

#[test]
fn role_that_only_code_shows_leaves_a_document_of_another_role_open() {
    let mut fixture = rich();
    "provider".clone_into(&mut fixture.system.role);
    let due = |fixture: &Fixture| {
        let all = which_apply(&fixture.facts());
        all.into_iter().find(|one| one.kind == "ai-usage-policy").unwrap().due
    };
    assert!(matches!(due(&fixture), Due::Not { .. }));
    fixture.system.answers.retain(|stated| stated.question != "role");
    assert!(matches!(due(&fixture), Due::Open { question: Some(id), .. } if id == "role"));
}

#[test]
fn every_document_of_the_law_can_apply() {
    let mut fixture = rich();
    "provider and deployer and importer and distributor".clone_into(&mut fixture.system.role);
    let never: Vec<&str> = which_apply(&fixture.facts())
        .iter()
        .filter(|one| matches!(one.due, Due::Not { .. }))
        .map(|one| one.kind)
        .collect();
    assert_eq!(never, ["statement-of-applicability"]);
}

#[test]
fn regenerated_document_keeps_answers() {
    let mut fixture = rich();
    let kind = kind("fria").unwrap();
    let base = generate(kind, &fixture.facts(), &Request::default()).content;
    let mine = answered(&base);
    fixture.system.name = "New name".to_owned();
    let new = generate(kind, &fixture.facts(), &Request::default()).content;
    let updated = update(&base, &mine, &new);
    assert_eq!(updated.conflicts, 0, "{}", updated.content);
    assert!(updated.edited && updated.content.contains("New name"));
    assert_eq!(by_the_scanner("fria", &updated.content).completeness, 100);
}
