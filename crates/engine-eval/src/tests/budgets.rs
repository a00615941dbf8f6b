//! What a run may take, and what it is said to take before it starts: requests, tokens, money, time; judges as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine_outbound::{Client, Limits};
use serde_json::{Value, json};

use super::mock::{Act, Mock, last_user};
use super::{by_rules, endpoint, parts, record, suite};
use crate::plan::{Estimate, Prices};
use crate::run::{Purse, RunEvent, RunSettings, Spent, Stop, start};
use crate::suite::Method;
use crate::{EndpointModel, ModelJudge, RunParts, RunRecord, SampleVerdict, Selection, Verdict};

const PRICES: Prices = Prices {
    input_per_million: 10_000.0,
    output_per_million: 30_000.0,
};

/// Tokens of one reply of the counting target.
const REPLY: u64 = 30;

/// Counts seven tokens for each request, one for each message and one for every five letters, and always replies with thirty.
async fn counting(delay_ms: u64) -> Mock {
    Mock::start("/v1/chat/completions", delay_ms, |_, body| {
        let messages = body["messages"].as_array().unwrap();
        let letters: usize = messages
            .iter()
            .map(|m| m["content"].as_str().unwrap().chars().count())
            .sum();
        counted(
            "I am an AI. ".repeat(10).trim(),
            7 + messages.len() + letters.div_ceil(5),
            REPLY,
        )
    })
    .await
}

fn counted(text: &str, input: usize, output: u64) -> Act {
    let body = json!({
        "choices": [{"message": {"content": text}}],
        "usage": {"prompt_tokens": input, "completion_tokens": output},
    });
    Act::Reply(
        200,
        "content-type: application/json\r\n".to_owned(),
        body.to_string().into_bytes(),
    )
}

/// What a model says that knows the samples of the suite by heart; it counts a hundred tokens in and ten out.
fn knowing() -> impl Fn(&Value) -> Act + Send + Sync {
    let by_model = suite().probes().iter().filter(|probe| probe.method == Method::Llm);
    let samples = by_model.flat_map(|probe| &probe.samples);
    let fails: Vec<String> = samples
        .filter(|sample| sample.verdict == SampleVerdict::Fail)
        .flat_map(|sample| sample.replies.values().flatten().cloned())
        .collect();
    move |body| {
        let user = last_user(body);
        let known = fails.iter().any(|reply| user.contains(reply.as_str()));
        let verdict = if known { "fail" } else { "pass" };
        counted(&json!({"reason": "known", "verdict": verdict}).to_string(), 100, 10)
    }
}

/// A model that judges, for so many times.
async fn judge(times: usize) -> Mock {
    let (count, says) = (AtomicUsize::new(0), knowing());
    Mock::start("/v1/chat/completions", 0, move |_, body| {
        if count.fetch_add(1, Ordering::SeqCst) < times {
            says(body)
        } else {
            Act::Hang
        }
    })
    .await
}

async fn told(parts: RunParts) -> (Estimate, RunRecord) {
    let mut handle = start(parts);
    let estimate = handle.estimate().await.unwrap();
    (estimate, handle.finish().await.unwrap())
}

/// Parts of a run with a judge, both of one purse.
async fn judged(target: &Mock, judge: &Mock, selection: &Selection, settings: RunSettings) -> RunParts {
    let purse = Purse::of(&settings);
    let mut parts = parts(&target.url, selection, settings);
    let client = Client::new(Limits::default());
    let model = EndpointModel::new(client, endpoint(&judge.url), &parts.endpoint, 600_000, purse.clone()).unwrap();
    let grader = Arc::new(ModelJudge::new(Arc::new(model), super::SEED));
    grader.calibrate(suite()).await;
    parts.grader = Some(grader);
    parts.purse = Some(purse);
    parts
}

fn by_model() -> Selection {
    Selection {
        llm: true,
        max_probes: Some(66),
        ..Selection::default()
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens of a test")]
fn assert_near(expected: &Estimate, spent: &Spent) {
    let near = |what: &str, expected: f64, got: f64| {
        assert!(
            (expected / got - 1.0).abs() < 0.1,
            "{what}: {expected} expected, {got} spent"
        );
    };
    near("requests", expected.requests as f64, spent.requests as f64);
    near("input", expected.input_tokens, spent.input_tokens as f64);
    near("output", expected.output_tokens, spent.output_tokens as f64);
    near("cost", expected.cost.unwrap(), spent.cost.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_estimate_of_requests_tokens_and_money_is_within_a_tenth_where_tokens_are_known() {
    let mock = counting(0).await;
    for (confirm, selection) in [(false, by_rules()), (true, Selection::default())] {
        let settings = RunSettings {
            confirm,
            pilot: 5,
            concurrency: 8,
            prices: Some(PRICES),
            ..RunSettings::default()
        };
        let before = mock.requests.load(Ordering::SeqCst) as u64;
        let (expected, record) = told(parts(&mock.url, &selection, settings)).await;
        assert_near(&expected, &record.spent);
        assert_eq!(expected.requests, record.spent.requests);
        assert!(expected.measured && expected.requests <= expected.requests_max);
        // Asking a few questions first takes nothing more than asking them later.
        assert_eq!(
            mock.requests.load(Ordering::SeqCst) as u64 - before,
            record.spent.requests
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_estimate_counts_the_model_that_judges() {
    let (target, judge) = (counting(0).await, judge(usize::MAX).await);
    let settings = RunSettings {
        confirm: false,
        pilot: 5,
        concurrency: 8,
        prices: Some(PRICES),
        judge_prices: Some(Prices {
            input_per_million: 90_000.0,
            output_per_million: 90_000.0,
        }),
        ..RunSettings::default()
    };
    let (expected, record) = told(judged(&target, &judge, &by_model(), settings).await).await;
    let spent = record.spent;
    assert_near(&expected, &spent);
    assert!(spent.judge_requests > 60, "{spent:?}");
    assert_eq!(expected.judge_requests, spent.judge_requests);
    assert_eq!(judge.requests.load(Ordering::SeqCst) as u64, spent.judge_requests);
    assert_eq!(
        (spent.judge_input_tokens, spent.judge_output_tokens),
        (100 * spent.judge_requests, 10 * spent.judge_requests)
    );
    #[expect(clippy::cast_precision_loss, reason = "tokens of a test")]
    let of = |price: f64, tokens: u64| price * tokens as f64 / 1e6;
    let cost = of(10_000.0, spent.input_tokens)
        + of(30_000.0, spent.output_tokens)
        + of(90_000.0, spent.judge_input_tokens + spent.judge_output_tokens);
    assert!((spent.cost.unwrap() - cost).abs() < 1e-6);
    assert!(
        record
            .outcomes
            .iter()
            .all(|outcome| outcome.verdict.is_valid() || outcome.verdict == Verdict::Inconclusive)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: a run for each limit at each concurrency"]
async fn no_limit_is_passed_by_more_than_the_requests_in_flight_at_any_concurrency() {
    let mock = counting(2).await;
    for concurrency in [1, 4, 16, 50] {
        let base = RunSettings {
            concurrency,
            prices: Some(PRICES),
            ..RunSettings::default()
        };
        let flying = concurrency as u64;
        let before = mock.requests.load(Ordering::SeqCst) as u64;
        let record = record(
            &mock.url,
            &by_rules(),
            RunSettings {
                max_requests: Some(137),
                ..base.clone()
            },
        )
        .await;
        assert_eq!(record.stopped, Some(Stop::MaxRequests));
        assert_eq!(mock.requests.load(Ordering::SeqCst) as u64 - before, 137);
        assert!(record.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Error));
        let one = record
            .outcomes
            .iter()
            .flat_map(|o| &o.transcript)
            .flat_map(|(_, turns)| turns);
        let most = one
            .map(|turn| turn.input_tokens + turn.output_tokens)
            .max()
            .unwrap()
            .max(3_000);
        let tokens = super::record(
            &mock.url,
            &by_rules(),
            RunSettings {
                max_tokens: Some(9_000),
                ..base.clone()
            },
        )
        .await;
        assert_eq!(tokens.stopped, Some(Stop::MaxTokens));
        assert!(
            tokens.spent.all_tokens() <= 9_000 + flying * most,
            "{concurrency}: {:?}",
            tokens.spent
        );
        // With no more than one request under way the last one alone can pass the limit.
        assert!(concurrency > 1 || tokens.spent.all_tokens() - 9_000 <= most);
        let money = super::record(
            &mock.url,
            &by_rules(),
            RunSettings {
                max_cost: Some(90.0),
                ..base.clone()
            },
        )
        .await;
        assert_eq!(money.stopped, Some(Stop::MaxCost));
        #[expect(clippy::cast_precision_loss, reason = "tokens of a test")]
        let allowed = 90.0 + (flying * most) as f64 * 30_000.0 / 1e6;
        assert!(money.spent.cost.unwrap() <= allowed, "{concurrency}: {:?}", money.spent);
        let time = super::record(
            &mock.url,
            &by_rules(),
            RunSettings {
                total_ms: Some(150),
                ..base
            },
        )
        .await;
        assert_eq!(time.stopped, Some(Stop::Time));
        // The run ends with work left, not once all of it is done.
        assert!(time.outcomes.iter().any(|outcome| outcome.verdict == Verdict::Skipped));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn judge_requests_count_towards_every_limit() {
    for concurrency in [1, 5, 20] {
        let (target, judge) = (counting(1).await, judge(usize::MAX).await);
        let base = RunSettings {
            concurrency,
            prices: Some(PRICES),
            ..RunSettings::default()
        };
        let sent = || (target.requests.load(Ordering::SeqCst) + judge.requests.load(Ordering::SeqCst)) as u64;
        let limited = RunSettings {
            max_requests: Some(90),
            ..base.clone()
        };
        let record = start(judged(&target, &judge, &by_model(), limited).await)
            .finish()
            .await
            .unwrap();
        assert_eq!((record.stopped, sent()), (Some(Stop::MaxRequests), 90));
        assert_eq!(record.spent.all_requests(), 90);
        assert!(record.spent.judge_requests >= 40 && record.outcomes.iter().any(|o| o.verdict == Verdict::Skipped));
        let flying = concurrency as u64;
        let limited = RunSettings {
            max_tokens: Some(9_000),
            ..base.clone()
        };
        let record = start(judged(&target, &judge, &by_model(), limited).await)
            .finish()
            .await
            .unwrap();
        assert_eq!(record.stopped, Some(Stop::MaxTokens));
        assert!(
            record.spent.all_tokens() <= 9_000 + flying * 3_000,
            "{:?}",
            record.spent
        );
        // The first measurements of the judge use the budget up: nothing of the target is asked, and nothing is judged.
        let before = sent();
        let limited = RunSettings {
            max_requests: Some(11),
            ..base
        };
        let record = start(judged(&target, &judge, &by_model(), limited).await)
            .finish()
            .await
            .unwrap();
        assert_eq!(sent() - before, 11);
        assert_eq!(
            (record.stopped, record.spent.judge_requests),
            (Some(Stop::MaxRequests), 11)
        );
        assert!(
            record
                .outcomes
                .iter()
                .all(|outcome| outcome.verdict == Verdict::Skipped)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_judge_is_abandoned_at_the_deadline_and_on_cancel() {
    let target = counting(0).await;
    // It never answers, not even the calibration. A reply may take longer than the test lets it hang.
    let settings = RunSettings {
        total_ms: Some(1_200),
        ..RunSettings::default()
    };
    let silent = judge(0).await;
    let record = start(judged(&target, &silent, &by_model(), settings).await)
        .finish()
        .await
        .unwrap();
    assert_eq!(record.stopped, Some(Stop::Time));
    assert!(
        silent.all_hanging_abandoned().await,
        "the run waited beyond its deadline"
    );
    // It passes its calibration and then falls silent; the run is cancelled while it waits for a verdict.
    let fading = judge(40).await;
    let mut handle = start(judged(&target, &fading, &by_model(), RunSettings::default()).await);
    while let Some(event) = handle.next().await {
        if matches!(event, RunEvent::ProbeResult { verdict, .. } if verdict.is_valid()) {
            break;
        }
    }
    fading.hanging().await;
    handle.canceller().cancel();
    let record = handle.finish().await.unwrap();
    assert_eq!(record.stopped, Some(Stop::Cancelled));
    assert!(
        fading.all_hanging_abandoned().await,
        "the run waited after it was cancelled"
    );
    let by_rules = record.outcomes.iter().filter(|outcome| outcome.verdict.is_valid());
    assert!(by_rules.count() > 0 && record.outcomes.iter().any(|o| o.verdict == Verdict::Skipped));
}
