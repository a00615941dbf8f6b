//! Budgets, cancelling, resuming: what is sent is counted, and nothing is sent twice.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::mock::{Mock, words};
use super::{by_rules, categories, parts, record};
use crate::plan::{Calibration, Prices};
use crate::run::{Journal, JournalFailed, Past, RunEvent, RunSettings, Stop, Turn, TurnKey, start};
use crate::{Plan, Selection, Usage, Verdict};

#[derive(Default)]
struct Memory(Mutex<Vec<Past>>);

impl Journal for Memory {
    fn sending(&self, key: &TurnKey) -> Result<(), JournalFailed> {
        self.0.lock().unwrap().push(Past::Sending(key.clone()));
        Ok(())
    }

    fn received(&self, key: &TurnKey, turn: &Turn) -> Result<(), JournalFailed> {
        self.0.lock().unwrap().push(Past::Received(key.clone(), turn.clone()));
        Ok(())
    }
}

async fn slow_mock(delay_ms: u64) -> Mock {
    Mock::start("/v1/chat/completions", delay_ms, |_, _| {
        words("The answer is 12, I think.")
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_run_goes_on_without_asking_anything_twice() {
    let mock = slow_mock(3).await;
    let selection = categories(&["exact-accuracy", "sycophancy", "consistency"]);
    let memory = Arc::new(Memory::default());
    let settings = RunSettings {
        concurrency: 5,
        ..RunSettings::default()
    };
    let mut first = parts(&mock.url, &selection, settings.clone());
    first.journal = memory.clone();
    let handle = start(first);
    tokio::time::sleep(Duration::from_millis(40)).await;
    // What a kill leaves behind is what stood in the journal at that moment.
    let past = memory.0.lock().unwrap().clone();
    let sent_before = past.iter().filter(|past| matches!(past, Past::Sending(_))).count();
    let out = sent_before - past.iter().filter(|past| matches!(past, Past::Received(..))).count();
    drop(handle);
    assert!(sent_before > 5, "the run had not begun");
    tokio::time::sleep(Duration::from_millis(100)).await;
    mock.seen.lock().unwrap().clear();
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
    assert!(counts.values().all(|count| *count == 1), "something was asked twice");
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
async fn requests_are_never_more_than_allowed() {
    let mock = slow_mock(0).await;
    let settings = RunSettings {
        max_requests: Some(37),
        concurrency: 10,
        ..RunSettings::default()
    };
    let record = record(&mock.url, &by_rules(), settings).await;
    assert_eq!(record.stopped, Some(Stop::MaxRequests));
    assert!(record.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Error));
    assert_eq!((mock.requests.load(Ordering::SeqCst), record.spent.requests), (37, 37));
    assert!(
        record
            .outcomes
            .iter()
            .any(|outcome| outcome.verdict == Verdict::Skipped)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_money_and_time_stop_a_run_within_the_requests_in_flight() {
    let mock = Mock::start("/v1/chat/completions", 2, |_, _| {
        let body = br#"{"choices":[{"message":{"content":"ok, twelve"}}],"usage":{"prompt_tokens":60,"completion_tokens":40}}"#;
        super::mock::Act::Reply(200, "content-type: application/json\r\n".to_owned(), body.to_vec())
    })
    .await;
    let base = RunSettings {
        concurrency: 4,
        ..RunSettings::default()
    };
    let tokens = record(
        &mock.url,
        &by_rules(),
        RunSettings {
            max_tokens: Some(2_000),
            ..base.clone()
        },
    )
    .await;
    assert_eq!(tokens.stopped, Some(Stop::MaxTokens));
    assert!(tokens.spent.input_tokens + tokens.spent.output_tokens <= 2_000 + 4 * 100);
    let prices = Prices {
        input_per_million: 10_000.0,
        output_per_million: 10_000.0,
    };
    let money = RunSettings {
        max_cost: Some(20.0),
        prices: Some(prices),
        ..base.clone()
    };
    let money = record(&mock.url, &by_rules(), money).await;
    assert_eq!(money.stopped, Some(Stop::MaxCost));
    assert!(money.spent.cost.unwrap() <= 20.0 + 4.0 * 1.0 + 1e-9);
    let started = Instant::now();
    let time = record(
        &mock.url,
        &by_rules(),
        RunSettings {
            total_ms: Some(300),
            ..base
        },
    )
    .await;
    assert_eq!(time.stopped, Some(Stop::Time));
    assert!(started.elapsed() < Duration::from_millis(1500));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_leaves_the_stream_stops_the_run_within_the_requests_in_flight() {
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
async fn a_cancelled_run_keeps_what_it_has() {
    let mock = slow_mock(5).await;
    let handle = start(parts(&mock.url, &by_rules(), RunSettings::default()));
    let canceller = handle.canceller();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(150)).await;
        canceller.cancel();
    });
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
async fn events_tell_every_probe_and_every_category_once() {
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
async fn the_rate_is_kept() {
    let mock = slow_mock(0).await;
    let selection = Selection {
        max_probes: Some(12),
        ..categories(&["exact-accuracy"])
    };
    let settings = RunSettings {
        rps: Some(40.0),
        ..RunSettings::default()
    };
    let started = Instant::now();
    let record = record(&mock.url, &selection, settings).await;
    #[expect(clippy::cast_precision_loss, reason = "a dozen requests")]
    let least = (record.spent.requests - 1) as f64 / 40.0;
    assert!(
        started.elapsed().as_secs_f64() >= least * 0.95,
        "{:?}",
        started.elapsed()
    );
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
async fn a_failed_attack_is_tried_again_with_other_words_and_told_as_sometimes() {
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
    assert!(outcome.is_flaky() && outcome.reason.starts_with("fails sometimes (1/3)"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_estimate_is_within_a_tenth_where_tokens_are_known() {
    // Counts a token for every five letters of a message and always replies with thirty.
    let mock = Mock::start("/v1/chat/completions", 0, |_, body| {
        let letters: usize = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["content"].as_str().unwrap().chars().count())
            .sum();
        let text = "twelve ".repeat(30);
        let body = serde_json::json!({
            "choices": [{"message": {"content": text.trim()}}],
            "usage": {"prompt_tokens": letters.div_ceil(5), "completion_tokens": 30},
        });
        super::mock::Act::Reply(
            200,
            "content-type: application/json\r\n".to_owned(),
            body.to_string().into_bytes(),
        )
    })
    .await;
    let calibration = Calibration::measured(&[(500, Usage { input: 100, output: 30 })]);
    let plan = Plan::of(super::suite(), &by_rules(), super::SEED).unwrap();
    let expected = plan.estimate(1, &calibration);
    let settings = RunSettings {
        confirm: false,
        concurrency: 8,
        ..RunSettings::default()
    };
    let spent = record(&mock.url, &by_rules(), settings).await.spent;
    #[expect(clippy::cast_precision_loss, reason = "tokens of a test")]
    let near = |expected: f64, got: u64| (expected / got as f64 - 1.0).abs() < 0.1;
    assert_eq!(expected.requests, spent.requests);
    assert!(
        near(expected.input_tokens, spent.input_tokens),
        "{} {}",
        expected.input_tokens,
        spent.input_tokens
    );
    assert!(
        near(expected.output_tokens, spent.output_tokens),
        "{} {}",
        expected.output_tokens,
        spent.output_tokens
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_replies_that_take_time_no_time_is_lost() {
    let mock = slow_mock(50).await;
    let selection = Selection {
        max_probes: Some(100),
        ..by_rules()
    };
    let settings = RunSettings {
        confirm: false,
        concurrency: 5,
        ..RunSettings::default()
    };
    let started = Instant::now();
    let record = record(&mock.url, &selection, settings).await;
    #[expect(clippy::cast_precision_loss, reason = "requests of a test")]
    let ideal = record.spent.requests as f64 * 0.05 / 5.0;
    let took = started.elapsed().as_secs_f64();
    // The bound of the plan is 5 % in an optimised build; a busy machine and debug code get a little more.
    assert!(took < ideal * 1.25, "{took} s for {ideal} s");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_ran_out_of_requests_goes_on_where_it_stopped() {
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
    assert_eq!(past.len(), 40, "what was not sent stands in the journal");
    let mut second = parts(&mock.url, &selection, RunSettings::default());
    second.past = past;
    let record = start(second).finish().await.unwrap();
    assert!(record.stopped.is_none() && record.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Error));
    assert_eq!(
        u64::try_from(mock.requests.load(Ordering::SeqCst)).unwrap(),
        record.spent.requests
    );
}
