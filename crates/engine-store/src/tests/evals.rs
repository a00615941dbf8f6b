//! Runs against endpoints: written down before they are sent, kept together with their entries.

use engine_evidence::{Draft, EntryType};
use engine_signing::{Digest, SecretKey};
use serde_json::{Value, json};

use super::{project, store};
use crate::*;

fn key() -> SecretKey {
    SecretKey::from_seed(&[7; 32])
}

fn new(id: &str, kind: RunKind) -> NewEval {
    NewEval {
        id: id.to_owned(),
        kind,
        target: "http://127.0.0.1/".to_owned(),
        agent: Some("a".to_owned()),
        started_at: "2026-11-20T10:00:00.000Z".to_owned(),
        plan: "{}".to_owned(),
    }
}

fn finish(store: &Store, seq: i64, id: &str, result: &Value) {
    let bytes = serde_json::to_vec(result).unwrap();
    let said = store.eval_journal(seq).unwrap();
    let draft = Draft {
        id: format!("entry of {id}"),
        timestamp: "2026-11-20T10:00:01.000Z".to_owned(),
        kind: EntryType::Eval,
        actor: "test".to_owned(),
        agent: None,
        payload: json!({
            "runId": id,
            "result": {"blake3": Digest::of(&bytes)},
            "transcripts": {"blake3": FinishedEval::journal_digest(&said)},
        }),
        artifacts: Vec::new(),
    };
    let finished = FinishedEval {
        seq,
        state: RunState::Done,
        score: Some(80.0),
        security: None,
        result: bytes,
    };
    store.finish_eval_recorded(finished, draft, "chain", &key()).unwrap();
}

fn asked(question: &str) -> JournalRow {
    (question.to_owned(), None)
}

fn said(question: &str, reply: &str) -> JournalRow {
    (question.to_owned(), Some(reply.to_owned()))
}

fn filter(kind: RunKind) -> EvalFilter {
    EvalFilter {
        kind,
        agent: None,
        with_result: false,
        before: None,
        limit: 100,
    }
}

#[test]
fn a_question_is_kept_once_and_its_reply_beside_it() {
    let project = project();
    let store = store(&project);
    let run = store.begin_eval(new("r", RunKind::Eval)).unwrap();
    store.journal_eval(run, vec![asked("q1"), asked("q2")]).unwrap();
    store.journal_eval(run, vec![said("q1", "reply")]).unwrap();
    store.journal_eval(run, vec![asked("q1")]).unwrap();
    let rows = store.eval_journal(run).unwrap();
    let expected = [("q1".to_owned(), Some("reply".to_owned())), ("q2".to_owned(), None)];
    assert_eq!(rows, expected, "a reply is not forgotten");
    assert_eq!(store.eval("r").unwrap().unwrap().state, RunState::Running);
}

#[test]
fn a_result_that_was_changed_or_a_word_of_what_was_said_does_not_hold_against_its_entry() {
    let project = project();
    let store = store(&project);
    let run = store.begin_eval(new("r", RunKind::Eval)).unwrap();
    store.journal_eval(run, vec![said("q", "yes")]).unwrap();
    finish(&store, run, "r", &json!({"score": 80}));
    assert_eq!(store.eval_result::<Value>("r").unwrap(), Some(json!({"score": 80})));
    assert!(store.verify_evals(true).unwrap().is_empty());
    store
        .writer()
        .unwrap()
        .execute("UPDATE eval_journal SET turn = 'no'", [])
        .unwrap();
    let issues = store.verify_evals(false).unwrap();
    assert!(
        issues[0].message.contains("differs from the recorded content"),
        "{issues:?}"
    );
    store
        .writer()
        .unwrap()
        .execute("UPDATE eval_journal SET turn = 'yes'", [])
        .unwrap();
    store
        .writer()
        .unwrap()
        .execute("UPDATE eval_runs SET result = x'7b7d'", [])
        .unwrap();
    assert_eq!(store.verify_evals(false).unwrap().len(), 1);
    store.writer().unwrap().execute("DELETE FROM eval_runs", []).unwrap();
    assert!(store.verify_evals(false).unwrap()[0].message.contains("is missing"));
}

#[test]
fn kinds_are_kept_apart_and_old_results_make_room() {
    let project = project();
    let store = store(&project);
    let attack = store.begin_eval(new("attack", RunKind::RedTeam)).unwrap();
    for number in 0..=FULL_RUNS_MAX {
        let id = format!("r{number}");
        let run = store.begin_eval(new(&id, RunKind::Eval)).unwrap();
        store.journal_eval(run, vec![said("q", "a")]).unwrap();
        finish(&store, run, &id, &json!(number));
    }
    let rows = store.evals(&filter(RunKind::Eval)).unwrap();
    assert_eq!(rows.len(), FULL_RUNS_MAX as usize + 1);
    assert_eq!(rows.iter().filter(|row| row.has_result).count(), FULL_RUNS_MAX as usize);
    let oldest = rows.last().unwrap();
    assert_eq!((oldest.id.as_str(), oldest.score), ("r0", Some(80.0)), "its line stays");
    assert!(store.eval_journal(oldest.seq).unwrap().is_empty());
    assert_eq!(store.eval_result::<Value>("r0").unwrap(), None);
    let attacks = store.evals(&filter(RunKind::RedTeam)).unwrap();
    assert_eq!((attacks.len(), attacks[0].seq), (1, attack));
    assert_eq!(
        attacks[0].state,
        RunState::Failed,
        "without its journal nobody may go on with it"
    );
}
