//! Every fault of a transport has its own name, and none holds a run past its deadline.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::mock::{Act, Mock, words};
use super::{categories, record};
use crate::run::{RunSettings, Stop};
use crate::{RunRecord, Verdict};

/// Times that only what hangs reaches, on a busy machine too.
fn patient() -> RunSettings {
    RunSettings {
        request_ms: 60_000,
        concurrency: 4,
        total_ms: Some(600_000),
        ..RunSettings::default()
    }
}

async fn transport_of(settings: RunSettings, act: impl Fn() -> Act + Send + Sync + 'static) -> (RunRecord, String) {
    let mock = Mock::start("/v1/chat/completions", 0, move |_, _| act()).await;
    let selection = crate::Selection {
        max_probes: Some(2),
        ..categories(&["exact-accuracy"])
    };
    let record = record(&mock.url, &selection, settings).await;
    let transport = record.outcomes[0].transcript[0].1[0].transport.clone();
    (record, transport)
}

fn with(status: u16, head: &str, body: &[u8]) -> Act {
    Act::Reply(status, head.to_owned(), body.to_vec())
}

fn bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b'a'; 32 << 20]).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_has_its_own_verdict_and_is_neither_passed_nor_failed() {
    type Make = Box<dyn Fn() -> Act + Send + Sync>;
    let json = "content-type: application/json\r\n";
    let bomb = bomb();
    let cases: Vec<(&str, Make)> = vec![
        ("http-500", Box::new(|| with(500, "", b"oops"))),
        ("http-401", Box::new(|| with(401, "", b"{}"))),
        ("no-reply", Box::new(|| Act::Hang)),
        ("reset", Box::new(|| Act::Raw(Vec::new()))),
        (
            "truncated",
            Box::new(|| Act::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"cho".to_vec())),
        ),
        ("too-slow", Box::new(|| Act::Slow)),
        ("endless", Box::new(|| Act::Endless)),
        (
            "oversize",
            Box::new(|| with(200, "content-type: text/plain\r\n", &vec![b'a'; 20_000_000])),
        ),
        (
            "bomb",
            Box::new(move || {
                with(
                    200,
                    "content-type: application/json\r\ncontent-encoding: gzip\r\n",
                    &bomb,
                )
            }),
        ),
        ("invalid-json", Box::new(move || with(200, json, b"{\"choices\": [{"))),
        (
            "wrong-type",
            Box::new(|| with(200, "content-type: text/html\r\n", b"<!DOCTYPE html><p>Hello")),
        ),
        (
            "bad-utf8",
            Box::new(move || {
                with(
                    200,
                    json,
                    b"{\"choices\": [{\"message\": {\"content\": \"\xff\xfe\"}}]}",
                )
            }),
        ),
        (
            "redirect",
            Box::new(|| with(307, "location: http://192.0.2.7/elsewhere\r\n", b"")),
        ),
        (
            "empty",
            Box::new(move || with(200, json, b"{\"choices\": [{\"message\": {\"content\": \"  \"}}]}")),
        ),
        (
            "filtered",
            Box::new(move || {
                with(
                    200,
                    json,
                    b"{\"choices\": [{\"message\": {\"content\": \"\"}, \"finish_reason\": \"content_filter\"}]}",
                )
            }),
        ),
        ("no-text", Box::new(move || with(200, json, b"{\"status\": 5}"))),
        (
            "reported-error",
            Box::new(move || with(200, json, b"{\"error\": {\"message\": \"model not found\"}}")),
        ),
    ];
    for (expected, make) in cases {
        // These have no end but the deadline.
        let settings = match expected {
            "no-reply" | "too-slow" | "endless" => RunSettings {
                request_ms: 1_500,
                ..patient()
            },
            _ => patient(),
        };
        let (record, transport) = transport_of(settings, make).await;
        // A loopback target can send more than is read before the deadline, or just not.
        let same = transport == expected || expected == "endless" && transport == "too-slow";
        assert!(same, "{expected}: {transport}");
        let outcome = &record.outcomes[0];
        assert!(
            matches!(outcome.verdict, Verdict::Error | Verdict::Inconclusive),
            "{expected}: {:?}",
            outcome.verdict
        );
        // The deadline of the request ended it, not that of the run.
        assert_ne!(record.stopped, Some(Stop::Time), "{expected}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_target_is_asked_again_after_its_pause() {
    let count = AtomicUsize::new(0);
    let mock = Mock::start("/v1/chat/completions", 0, move |_, _| {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            with(429, "retry-after: 1\r\n", b"{}")
        } else {
            words("12")
        }
    })
    .await;
    let selection = crate::Selection {
        max_probes: Some(3),
        ..categories(&["exact-accuracy"])
    };
    let settings = RunSettings {
        concurrency: 1,
        ..patient()
    };
    let record = record(&mock.url, &selection, settings).await;
    assert_eq!(record.spent.throttled, 1);
    assert!(record.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Error));
    assert_eq!(
        usize::try_from(record.spent.requests).unwrap(),
        mock.requests.load(Ordering::SeqCst)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_is_always_busy_ends_as_rate_limited() {
    let (record, transport) = transport_of(patient(), || with(429, "retry-after: 0\r\n", b"{}")).await;
    assert_eq!(transport, "rate-limited");
    assert_eq!(record.outcomes[0].verdict, Verdict::Error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_stops_early_when_the_target_refuses_every_request() {
    let mock = Mock::start("/v1/chat/completions", 0, |_, _| with(401, "", b"{}")).await;
    let record = record(&mock.url, &categories(&["security"]), patient()).await;
    assert_eq!(
        record.stopped,
        Some(Stop::Unreachable {
            status: Some(401),
            fault: "http-401".to_owned()
        })
    );
    assert!(mock.requests.load(Ordering::SeqCst) < 20);
}
