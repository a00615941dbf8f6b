//! Budgets, cancelling, resuming: what is sent is counted, and nothing is sent twice.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::mock::{Act, Gate, Mock, words};
use super::{SEED, by_rules, categories, parts, record};
use crate::fill::Secrets;
use crate::plan::Case;
use crate::run::{Journal, JournalFailed, Past, RunEvent, RunSettings, Stop, Turn, TurnKey, Writing, start};
use crate::{Selection, Verdict};

#[derive(Default)]
struct Memory(Mutex<Vec<Past>>);

impl Journal for Memory {
    fn sending<'a>(&'a self, key: &'a TurnKey) -> Writing<'a> {
        self.0.lock().unwrap().push(Past::Sending(key.clone()));
        Box::pin(std::future::ready(Ok(())))
    }

    fn received(&self, key: &TurnKey, turn: &Turn) -> Result<(), JournalFailed> {
        self.0.lock().unwrap().push(Past::Received(key.clone(), turn.clone()));
        Ok(())
    }

    fn flush(&self) -> Writing<'_> {
        Box::pin(std::future::ready(Ok(())))
    }
}

async fn slow_mock(delay_ms: u64) -> Mock {
    Mock::start("/v1/chat/completions", delay_ms, |_, _| {
        words("The answer is 12, I think.")
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resumed_run_sends_no_request_twice() {
    let mock = slow_mock(3).await;
    let selection = categories(&["exact-accuracy", "sycophancy", "consistency"]);
    let memory = Arc::new(Memory::default());
    let settings = RunSettings {
        concurrency: 5,
        ..RunSettings::default()
    };
    let mut first = parts(&mock.url, &selection, settings.clone());
    first.journal = memory.clone();
    let mut handle = start(first);
    while let Some(event) = handle.next().await {
        if matches!(event, RunEvent::ProbeResult { completed: 3, .. }) {
            break;
        }
    }
    // A killed run leaves behind the journal as it was at that moment.
    let past = memory.0.lock().unwrap().clone();
    let sent_before = past.iter().filter(|past| matches!(past, Past::Sending(_))).count();
    let out = sent_before - past.iter().filter(|past| matches!(past, Past::Received(..))).count();
    drop(handle);
    assert!(sent_before > 0, "the run had not begun");
    // Another target counts the requests of the second part.
    let mock = slow_mock(3).await;
    let rest = Arc::new(Memory::default());
    let mut second = parts(&mock.url, &selection, settings);
    second.journal = rest.clone();
    second.past = past.clone();
    let record = start(second).finish().await.unwrap();
    let keys = |all: &[Past]| {
        let keys = all.iter().filter_map(|past| {
            if let Past::Sending(key) = past {
                Some(key.clone())
            } else {
                None
            }
        });
        keys.collect::<Vec<_>>()
    };
    let mut counts: BTreeMap<TurnKey, usize> = BTreeMap::new();
    for key in keys(&past).into_iter().chain(keys(&rest.0.lock().unwrap())) {
        *counts.entry(key).or_default() += 1;
    }
    assert!(counts.values().all(|count| *count == 1), "a request was sent twice");
    let interrupted = record
        .outcomes
        .iter()
        .filter(|outcome| outcome.verdict == Verdict::Error)
        .count();
    assert!(interrupted <= out, "{interrupted} of {out}");
    assert_eq!(mock.seen.lock().unwrap().len(), rest.0.lock().unwrap().len() / 2);
    assert!(record.stopped.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_handle_stops_the_run_within_the_requests_in_flight() {
    let mock = slow_mock(20).await;
    let settings = RunSettings {
        concurrency: 5,
        ..RunSettings::default()
    };
    let mut handle = start(parts(&mock.url, &by_rules(), settings));
    while let Some(event) = handle.next().await {
        if matches!(event, RunEvent::ProbeResult { .. }) {
            break;
        }
    }
    let before = mock.requests.load(Ordering::SeqCst);
    drop(handle);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let after = mock.requests.load(Ordering::SeqCst);
    assert!(after <= before + 5, "{before} -> {after}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_run_keeps_its_results() {
    let mock = slow_mock(5).await;
    let mut handle = start(parts(&mock.url, &by_rules(), RunSettings::default()));
    while let Some(event) = handle.next().await {
        if matches!(event, RunEvent::ProbeResult { .. }) {
            handle.canceller().cancel();
            break;
        }
    }
    let record = handle.finish().await.unwrap();
    assert_eq!(record.stopped, Some(Stop::Cancelled));
    let judged = record
        .outcomes
        .iter()
        .filter(|outcome| outcome.verdict != Verdict::Skipped)
        .count();
    assert!(judged > 0 && judged < record.outcomes.len(), "{judged}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_report_every_probe_and_category_once() {
    let mock = slow_mock(0).await;
    let selection = categories(&["exact-accuracy", "format-fidelity"]);
    let mut handle = start(parts(&mock.url, &selection, RunSettings::default()));
    let (mut starts, mut results, mut ends, mut last) = (0, 0, Vec::new(), 0);
    while let Some(event) = handle.next().await {
        match event {
            RunEvent::ProbeStart { .. } => starts += 1,
            RunEvent::ProbeResult { completed, total, .. } => {
                results += 1;
                assert_eq!((completed, total), (last + 1, 30));
                last = completed;
            }
            RunEvent::CategoryComplete { category, .. } => ends.push(category),
            RunEvent::Complete { .. } => {}
        }
    }
    ends.sort();
    assert_eq!(
        (starts, results, ends),
        (30, 30, vec!["exact-accuracy".to_owned(), "format-fidelity".to_owned()])
    );
    assert_eq!(handle.finish().await.unwrap().outcomes.len(), 30);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_seed_fixes_order_and_words() {
    let mut orders = Vec::new();
    for _ in 0..2 {
        let mock = slow_mock(0).await;
        let settings = RunSettings {
            concurrency: 1,
            ..RunSettings::default()
        };
        record(&mock.url, &categories(&["direct-injection"]), settings).await;
        orders.push(mock.seen.lock().unwrap().clone());
    }
    assert_eq!(orders[0], orders[1]);
    assert!(orders[0].len() >= 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_attack_is_repeated_and_reported_as_failed_in_some_attempts() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let mock = Mock::start("/v1/chat/completions", 0, move |_, body| {
        // Obeys the first time only.
        let token = super::mock::last_user(body)
            .split_whitespace()
            .find(|word| word.contains('-') && word.to_uppercase() == **word)
            .map(str::to_owned);
        let first = count.fetch_add(1, Ordering::SeqCst) == 0;
        words(&if first {
            token.unwrap_or_default()
        } else {
            "On Saturday we are open from 10:00 to 13:00.".to_owned()
        })
    })
    .await;
    let mut parts = parts(
        &mock.url,
        &categories(&["direct-injection"]),
        RunSettings {
            concurrency: 1,
            ..RunSettings::default()
        },
    );
    parts
        .plan
        .cases
        .retain(|case| case.probe.id == "direct-injection-library-ignore-en");
    parts.plan.controls.clear();
    let record = start(parts).finish().await.unwrap();
    let outcome = &record.outcomes[0];
    assert_eq!(
        (outcome.attempts, outcome.failed_attempts, outcome.verdict),
        (3, 1, Verdict::Fail),
        "{}",
        outcome.reason
    );
    assert!(outcome.is_flaky() && outcome.reason.starts_with("Failed in 1 of 3 attempts"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_worker_is_idle_while_dialogues_are_left() {
    const WORKERS: usize = 5;
    let gate = Gate::new();
    let mock = {
        let gate = Arc::clone(&gate);
        Mock::start("/v1/chat/completions", 0, move |_, _| {
            Act::Held(Arc::clone(&gate), "The answer is 12, I think.")
        })
        .await
    };
    let selection = Selection {
        max_probes: Some(100),
        ..by_rules()
    };
    let settings = RunSettings {
        confirm: false,
        concurrency: WORKERS,
        ..RunSettings::default()
    };
    let mut parts = parts(&mock.url, &selection, settings);
    // Dialogues of one turn each: every worker has work until the last dialogue is taken.
    let dialogues = |case: &Case| {
        let secrets = Secrets::draw(SEED, &case.probe.id, 0);
        case.probe.dialogues(&secrets).unwrap()
    };
    parts.plan.controls.clear();
    parts
        .plan
        .cases
        .retain(|case| dialogues(case).iter().all(|dialogue| dialogue.turns.len() == 1));
    let total: usize = parts.plan.cases.iter().map(|case| dialogues(case).len()).sum();
    assert!(total > 10 * WORKERS, "{total}");
    let releases = async {
        for replied in 0..total {
            // A reply is sent only once all workers wait for one, or all that have a dialogue left.
            let wanted = (replied + WORKERS).min(total);
            assert_eq!(
                gate.arrived(wanted).await,
                wanted,
                "more requests in flight than workers"
            );
            gate.release_one();
        }
    };
    let mut run = Box::pin(start(parts).finish());
    // An idle worker leaves the requests of the others unanswered until they time out, which ends the run too early.
    tokio::select! {
        biased;
        () = releases => {}
        _ = &mut run => panic!("the run ended while replies were held"),
    }
    let record = run.await.unwrap();
    assert!(record.stopped.is_none());
    assert_eq!(mock.requests.load(Ordering::SeqCst), total);
    assert!(record.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Error));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_stopped_by_its_request_limit_resumes_where_it_stopped() {
    let mock = slow_mock(0).await;
    let selection = categories(&["exact-accuracy", "consistency"]);
    let memory = Arc::new(Memory::default());
    let mut first = parts(
        &mock.url,
        &selection,
        RunSettings {
            max_requests: Some(20),
            ..RunSettings::default()
        },
    );
    first.journal = memory.clone();
    start(first).finish().await.unwrap();
    let past = memory.0.lock().unwrap().clone();
    assert_eq!(past.len(), 40, "the journal contains unsent requests");
    let mut second = parts(&mock.url, &selection, RunSettings::default());
    second.past = past;
    let record = start(second).finish().await.unwrap();
    assert!(record.stopped.is_none() && record.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Error));
    assert_eq!(
        u64::try_from(mock.requests.load(Ordering::SeqCst)).unwrap(),
        record.spent.requests
    );
}
