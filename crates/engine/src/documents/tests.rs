//! Documents over real folders.

use std::path::Path;

use engine_messages::Language;
use engine_model::{ActionKind, ErrorCode, Finding, FindingType, ScanResult};
use serde_json::json;

use super::*;
use crate::tests::{CHAT, engine, write};
use crate::{AnswerRequest, Engine, Entry, ScanRequest};

/// A job that scores applicants and keeps the verdict.
const JOB: &str = r#"import anthropic
from sqlalchemy.orm import Session


def score(client: anthropic.Anthropic, applicant) -> int:
    message = client.messages.create(
        model="claude-sonnet-4-5-20250929",
        max_tokens=400,
        messages=[{"role": "user", "content": f"Rate this CV:\n{applicant.cv_text}"}],
    )
    return int(message.content[0].text)


def screen(session: Session, client: anthropic.Anthropic, applicants) -> None:
    for applicant in applicants:
        applicant.shortlisted = score(client, applicant) >= 70
        session.commit()


if __name__ == "__main__":
    screen(Session(), anthropic.Anthropic(), [])
"#;

fn scan(engine: &Engine) -> ScanResult {
    engine.scan(&ScanRequest::of(".")).unwrap()
}

/// A project with one high-risk system of a deployer and provider.
fn hiring(dir: &Path) -> (Engine, String) {
    write(dir, "job.py", JOB);
    write(dir, "requirements.txt", "anthropic==0.40.0\n");
    let engine = engine(dir);
    let system = scan(&engine).systems[0].id.clone();
    let answers = json!({
        format!("{system}.role"): ["provider", "deployer"],
        format!("{system}.purpose"): "It ranks applications for one vacancy.",
        format!("{system}.annex-iii-employment"): "4(a)",
        format!("{system}.profiling"): "yes",
        format!("{system}.in-union"): "yes",
        "organisation.established": "eu",
        "organisation.public-role": "public-body",
        "organisation.countries": "DE",
    });
    let request = AnswerRequest {
        path: Some(".".to_owned()),
        answers: serde_json::from_value(answers).unwrap(),
        by: Some("Ada Example".to_owned()),
        ..AnswerRequest::default()
    };
    engine.answer(&request).unwrap();
    (engine, system)
}

fn all(engine: &Engine) -> DocAllReply {
    let request = DocAllRequest {
        path: Some(".".to_owned()),
        organization: Some("Brightwater Energy".to_owned()),
        ..DocAllRequest::default()
    };
    engine.all_docs(&request).unwrap()
}

fn of(kind: &str) -> DocRequest {
    DocRequest {
        path: Some(".".to_owned()),
        doc_type: kind.to_owned(),
        ..DocRequest::default()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test reads what a person would read")]
fn text(dir: &Path, path: &str) -> String {
    std::fs::read_to_string(dir.join(path)).unwrap()
}

fn answered(text: &str) -> String {
    text.lines()
        .map(|line| {
            if ["[To answer:", "[Zu beantworten:", "[À répondre :"].iter().any(|mark| line.starts_with(mark)) {
                "The head of recruiting decided this in June after a review with the works council. Each case is checked \
                 twice before anything happens.\n"
                    .to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect()
}

fn entries(engine: &Engine) -> Vec<Entry> {
    let request = crate::AuditRequest {
        path: Some(".".to_owned()),
        ..crate::AuditRequest::default()
    };
    engine
        .audit(&request)
        .unwrap()
        .into_iter()
        .filter_map(|line| match line {
            crate::AuditLine::Entry(entry) => Some(entry.entry),
            crate::AuditLine::Unreadable(_) => None,
        })
        .collect()
}

#[test]
fn unanswered_documents_change_neither_score_nor_obligations() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = hiring(dir.path());
    let before = scan(&engine);
    let reply = all(&engine);
    assert!(reply.errors.is_empty(), "{:?}", reply.errors);
    assert!(reply.generated.len() > 10, "{}", reply.generated.len());
    assert_eq!(reply.generated.len() + reply.not_applicable.len(), 36);
    assert!(
        reply
            .generated
            .iter()
            .all(|one| one.completeness == 0 && one.status == "draft")
    );
    // Also the documents that are not due now, so that no text of any template counts.
    for one in &reply.not_applicable {
        let _ = engine.doc(&of(&one.doc_type));
    }
    let after = scan(&engine);
    assert_eq!(before.score, after.score);
    let state = |scan: &ScanResult| -> Vec<_> {
        let records = scan.systems.iter().flat_map(|system| &system.obligations);
        records
            .map(|record| (record.obligation_id.clone(), record.status))
            .collect()
    };
    assert_eq!(state(&before), state(&after));
    let others = |scan: &ScanResult| -> Vec<_> {
        let notices = |one: &&Finding| one.kind == FindingType::Info && one.check_id.starts_with("l2-incomplete");
        let findings = scan.findings.iter().filter(|one| !notices(one));
        findings
            .map(|one| (one.check_id.clone(), one.id.clone(), one.kind))
            .collect()
    };
    assert_eq!(others(&before), others(&after));
}

#[test]
fn answers_survive_a_new_generation_and_a_final_document_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = hiring(dir.path());
    let first = engine.doc(&of("art5-screening")).unwrap();
    assert_eq!(first.saved_path, ".compliance/documents/art5-screening.md");
    assert_eq!(text(dir.path(), &first.saved_path), first.content);
    let again = engine.doc(&of("art5-screening")).unwrap();
    assert!(!again.changed);

    let finalise = |date: &str| DocRequest {
        finalise: Some(Finalisation {
            name: "J. Example".to_owned(),
            date: date.parse().unwrap(),
        }),
        ..of("art5-screening")
    };
    let open = engine.doc(&finalise("2026-11-20")).unwrap_err();
    assert_eq!(open.code, ErrorCode::Impossible);
    assert!(open.details.contains("line "), "{}", open.details);

    write(dir.path(), &first.saved_path, &answered(&first.content));
    write(dir.path(), "more.py", CHAT);
    let updated = engine.doc(&of("art5-screening")).unwrap();
    assert!(updated.content.contains("The head of recruiting decided this in June"));
    assert_eq!(
        (updated.completeness, updated.conflicts),
        (100, 0),
        "{}",
        updated.content
    );

    assert_eq!(
        engine.doc(&finalise("2036-11-20")).unwrap_err().field.as_deref(),
        Some("finalise.date")
    );
    let done = engine.doc(&finalise("2026-11-20")).unwrap();
    assert_eq!(done.status, "final");
    assert!(
        done.content
            .contains("finalisedBy: \"J. Example\"\nfinalisedOn: 2026-11-20")
    );
    assert_eq!(
        engine.doc(&of("art5-screening")).unwrap_err().code,
        ErrorCode::StateConflict
    );
    assert_eq!(
        engine.doc(&finalise("2026-11-20")).unwrap_err().code,
        ErrorCode::StateConflict
    );
    let kept = all(&engine).kept;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].doc_type, "art5-screening");

    let seen = scan(&engine);
    let document = seen.documents.iter().find(|one| one.kind == "art5-screening").unwrap();
    assert!(!document.draft && document.completeness == 100);
}

#[test]
fn statements_of_a_request_stay_until_others_are_made() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = hiring(dir.path());
    let request = |assessor: Option<&str>| FriaRequest {
        path: Some(".".to_owned()),
        assessor: assessor.map(str::to_owned),
        ..FriaRequest::default()
    };
    assert!(
        engine
            .fria(&request(Some("Jo First")))
            .unwrap()
            .content
            .contains("Jo First")
    );
    assert!(engine.fria(&request(None)).unwrap().content.contains("Jo First"));
    let changed = engine.fria(&request(Some("Ida Second"))).unwrap().content;
    assert!(changed.contains("Ida Second") && !changed.contains("Jo First"));
}

#[test]
fn documents_change_their_language_and_keep_answers_and_score() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = hiring(dir.path());
    let before = scan(&engine);
    let in_language = |language: Option<Language>| DocAllRequest {
        path: Some(".".to_owned()),
        language,
        ..DocAllRequest::default()
    };
    let german = engine.all_docs(&in_language(Some(Language::De))).unwrap();
    assert!(
        german.errors.is_empty() && german.generated.len() > 10,
        "{:?}",
        german.errors
    );
    for one in &german.generated {
        assert_eq!(one.language, Language::De, "{}", one.doc_type);
        assert!(one.content.contains("\nlanguage: de\n"), "{}", one.doc_type);
        assert_eq!(one.completeness, 0, "{}", one.doc_type);
    }
    assert_eq!(scan(&engine).score, before.score);

    let first = german
        .generated
        .iter()
        .find(|one| one.doc_type == "art5-screening")
        .unwrap();
    assert_eq!(first.title, "Prüfung auf verbotene Praktiken");
    write(dir.path(), &first.saved_path, &answered(&first.content));
    // Without a language, a document stays in its own.
    let again = engine.doc(&of("art5-screening")).unwrap();
    assert_eq!(
        (again.language, again.completeness, again.conflicts),
        (Language::De, 100, 0)
    );
    let french = DocRequest {
        language: Some(Language::Fr),
        ..of("art5-screening")
    };
    let french = engine.doc(&french).unwrap();
    assert_eq!(
        (french.language, french.completeness, french.conflicts),
        (Language::Fr, 100, 0),
        "{}",
        french.content
    );
    assert!(french.content.contains("\nlanguage: fr\n"));
    assert_eq!(
        french
            .content
            .matches("The head of recruiting decided this in June")
            .count(),
        again
            .content
            .matches("The head of recruiting decided this in June")
            .count()
    );
    let read = scan(&engine);
    let document = read.documents.iter().find(|one| one.kind == "art5-screening").unwrap();
    assert_eq!(document.completeness, 100);

    let done = DocRequest {
        finalise: Some(Finalisation {
            name: "J. Example".to_owned(),
            date: "2026-11-20".parse().unwrap(),
        }),
        ..of("art5-screening")
    };
    let done = engine.doc(&done).unwrap();
    assert!(
        done.content
            .contains("> **Statut:** Version finale. Finalisé par J. Example le 20 novembre 2026."),
        "{}",
        done.content
    );
}

#[test]
fn each_change_has_its_entry_without_a_name() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = hiring(dir.path());
    let made = engine.doc(&of("art5-screening")).unwrap();
    write(dir.path(), &made.saved_path, &answered(&made.content));
    let request = DocRequest {
        finalise: Some(Finalisation {
            name: "J. Example".to_owned(),
            date: "2026-11-20".parse().unwrap(),
        }),
        ..of("art5-screening")
    };
    engine.doc(&request).unwrap();
    let own: Vec<Entry> = entries(&engine)
        .into_iter()
        .filter(|entry| entry.kind == crate::EntryType::Document)
        .collect();
    assert_eq!(own.len(), 2);
    for entry in &own {
        assert_eq!(entry.artifacts.len(), 1);
        assert!(!entry.payload.to_string().contains("J. Example"), "{}", entry.payload);
    }
    assert!(engine.verify_evidence(&crate::VerifyRequest::default()).unwrap().valid);
}

#[test]
fn refusals_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = hiring(dir.path());
    let unknown = engine.doc(&of("novel")).unwrap_err();
    assert_eq!(unknown.code, ErrorCode::Impossible);
    assert!(unknown.details.contains("fria") && unknown.details.contains("ai-usage-policy"));
    let duty = engine.doc(&of("distribution-check-record")).unwrap_err();
    assert_eq!(duty.code, ErrorCode::Impossible);
    assert!(duty.details.contains("importer"), "{}", duty.details);
    let name = DocRequest {
        name: Some("nobody".to_owned()),
        ..of("fria")
    };
    assert_eq!(engine.doc(&name).unwrap_err().code, ErrorCode::UnknownPassport);
    write(dir.path(), ".compliance/documents/fria.md", "# Our own\n");
    assert_eq!(engine.doc(&of("fria")).unwrap_err().code, ErrorCode::StateConflict);
    assert_eq!(text(dir.path(), ".compliance/documents/fria.md"), "# Our own\n");

    let empty = tempfile::tempdir().unwrap();
    write(empty.path(), "app.py", "print('hello')\n");
    let engine = crate::tests::engine(empty.path());
    assert_eq!(engine.doc(&of("fria")).unwrap_err().code, ErrorCode::Impossible);
}

#[test]
fn scan_names_sentences_whose_source_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, system) = hiring(dir.path());
    engine.doc(&of("fria")).unwrap();
    let named = |scan: &ScanResult| -> Vec<String> {
        let own = scan
            .actions
            .iter()
            .filter(|action| action.title.starts_with("Outdated values"));
        own.map(|action| format!("{} {}", action.place.clone().unwrap_or_default(), action.why))
            .collect()
    };
    assert_eq!(named(&scan(&engine)), Vec::<String>::new());
    let request = AnswerRequest {
        path: Some(".".to_owned()),
        answers: serde_json::from_value(json!({format!("{system}.purpose"): "It schedules interviews."})).unwrap(),
        by: Some("Ada Example".to_owned()),
        ..AnswerRequest::default()
    };
    engine.answer(&request).unwrap();
    let after = scan(&engine);
    let found = named(&after);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with(".compliance/documents/fria.md:"), "{}", found[0]);
    assert!(
        after
            .actions
            .iter()
            .enumerate()
            .all(|(index, one)| one.rank == index as u64 + 1)
    );
    assert!(
        after
            .actions
            .iter()
            .any(|one| one.kind == ActionKind::Duty && one.title.starts_with("Outdated"))
    );
    engine.doc(&of("fria")).unwrap();
    assert!(named(&scan(&engine)).is_empty());
}
