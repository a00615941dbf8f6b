//! What targets may cost: memory, time, requests, tokens and money, measured on the real process.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::evals::{SEED, body, evaluate, frames, open_stream, start, unchunked};
use crate::support::{CHAT, Daemon, project, run, wait_for};
use crate::target::{Asked, Target, never, scripted, write_chat};

/// A reply of 100 MB in one body of JSON.
fn huge(stream: &mut dyn Write) -> io::Result<()> {
    let (before, after) = (r#"{"choices":[{"message":{"role":"assistant","content":""#, r#""}}]}"#);
    let length = before.len() + after.len() + (100 << 20);
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{before}"
    )?;
    let part = vec![b'a'; 1 << 20];
    for _ in 0..100 {
        stream.write_all(&part)?;
    }
    stream.write_all(after.as_bytes())
}

/// Words without end.
fn endless(stream: &mut dyn Write) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")?;
    let part = vec![b'a'; 1 << 18];
    loop {
        stream.write_all(&part)?;
    }
}

/// A stream of events without end.
fn babble(stream: &mut dyn Write) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")?;
    let part = "data: {\"choices\":[{\"delta\":{\"content\":\"and so on \"}}]}\n\n".repeat(2_000);
    loop {
        stream.write_all(part.as_bytes())?;
    }
}

/// A quarter of a megabyte that unpacks to 256 MB.
fn bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let part = vec![b'a'; 1 << 20];
    for _ in 0..256 {
        encoder.write_all(&part).unwrap();
    }
    encoder.finish().unwrap()
}

fn detects(asked: &Asked) -> bool {
    asked.said().starts_with("Hello! Please")
}

/// The memory that the daemon may take, in bytes. A debug build maps 35 MB of code and tables, an optimised one much less.
const MEMORY: u64 = if cfg!(debug_assertions) {
    125_000_000
} else {
    100_000_000
};

/// The most memory that a process has had at any moment, in bytes.
fn peak(daemon: &Daemon) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

/// What one reply may be read of, in bytes: the client stops at 128 MiB, and the buffers of the system hold some more.
const READ_MAX: u64 = 192 << 20;

/// A stream that counts what is taken of a reply.
struct Counted<'a> {
    stream: &'a mut TcpStream,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let count = self.stream.write(part)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: replies without end"]
fn replies_without_measure_are_cut_off_and_take_less_than_100_mb() {
    type Misdeed = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + Send + Sync>;
    let bomb = bomb();
    let cases: [(&str, &[&str], Misdeed); 4] = [
        ("100 MB", &["oversize", "too-slow"], Box::new(huge)),
        ("endless", &["endless", "too-slow"], Box::new(endless)),
        ("endless stream", &["endless", "too-slow"], Box::new(babble)),
        (
            "gzip bomb",
            &["bomb"],
            Box::new(move |stream| {
                write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
                    bomb.len()
                )?;
                stream.write_all(&bomb)
            }),
        ),
    ];
    for (name, transports, act) in cases {
        let (_project, daemon) = start();
        let before = peak(&daemon);
        let begun = Arc::new(AtomicUsize::new(0));
        let taken = Arc::new(Mutex::new(Vec::new()));
        let (beginning, taking) = (Arc::clone(&begun), Arc::clone(&taken));
        let target = Target::raw(move |asked, stream| {
            if detects(asked) {
                return write_chat(stream, 200, "Paris.", None);
            }
            beginning.fetch_add(1, Ordering::SeqCst);
            let mut counted = Counted { stream, bytes: 0 };
            let outcome = act(&mut counted);
            taking.lock().unwrap().push(counted.bytes);
            outcome
        });
        let reply = daemon.post(
            "/eval/run",
            &body(
                &target,
                json!({"maxProbes": 8, "concurrency": 8, "requestTimeoutMs": 4_000, "timeoutMs": 12_000}),
            ),
        );
        let most = peak(&daemon);
        println!("{name}: peak {} MB, {} MB before", most / 1_000_000, before / 1_000_000);
        assert!(most < MEMORY, "{name}: {most} bytes at the peak, {before} before");
        // A reply without end ends for its target only where nobody reads on.
        wait_for("the end of every reply", || {
            taken.lock().unwrap().len() == begun.load(Ordering::SeqCst)
        });
        let taken = taken.lock().unwrap();
        assert!(
            !taken.is_empty() && taken.iter().all(|bytes| *bytes <= READ_MAX),
            "{name}: {taken:?}"
        );
        let reply = reply.json();
        // A target without any usable reply is an error of the run, which names what came instead.
        let seen: Vec<&str> = match reply["results"].as_array() {
            None => vec![
                transports
                    .iter()
                    .find(|name| reply["details"].as_str().unwrap().contains(**name))
                    .unwrap(),
            ],
            Some(results) => {
                assert_eq!(reply["score"], Value::Null, "{name}");
                let said = results.iter().flat_map(|probe| probe["transcript"].as_array().unwrap());
                let turns = said.flat_map(|said| said["turns"].as_array().unwrap());
                turns.map(|turn| turn["transport"].as_str().unwrap()).collect()
            }
        };
        assert!(
            !seen.is_empty() && seen.iter().all(|transport| transports.contains(transport)),
            "{name}: {seen:?}"
        );
        assert_eq!(daemon.get("/status").status, 200);
    }
}

#[test]
fn a_run_ends_with_its_time_though_the_target_never_answers() {
    let (_project, daemon) = start();
    let silent = Target::raw(|asked, stream| {
        if detects(asked) {
            write_chat(stream, 200, "Paris.", None)
        } else {
            never(stream)
        }
    });
    // A single request may take an hour, so that only the time of the whole run can end it.
    let reply = daemon.post(
        "/eval/run",
        &body(&silent, json!({"requestTimeoutMs": 3_600_000, "timeoutMs": 1_500})),
    );
    assert!(reply.status == 200 || reply.status == 504, "{}", reply.body);
    // The place is free again.
    let safe = Target::start(Duration::ZERO, scripted(SEED, &[]));
    assert_eq!(evaluate(&daemon, &safe, json!({"maxProbes": 3}))["total"], 3);
}

/// Counts ten tokens for a request and one for every six letters, and always replies with 25.
fn counting() -> Target {
    Target::raw(|asked, stream| {
        let letters = asked.said().chars().count();
        write_chat(
            stream,
            200,
            "I am an AI system. ".repeat(6).trim(),
            Some((10 + letters.div_ceil(6), 25)),
        )
    })
}

#[test]
fn what_a_run_will_take_is_told_before_it_starts_and_is_right_within_a_tenth() {
    let (_project, daemon) = start();
    let target = counting();
    let prices = json!({"inputPerMillion": 3.0, "outputPerMillion": 15.0});
    let mut stream = open_stream(&daemon, &body(&target, json!({"prices": prices, "concurrency": 8})));
    let mut text = String::new();
    io::Read::read_to_string(&mut stream, &mut text).unwrap();
    let frames = frames(&unchunked(&text));
    assert_eq!(frames[0].0, "eval:start", "the estimate comes first");
    let done = &frames.iter().find(|(name, _)| name == "eval:done").unwrap().1;
    let estimate = &frames[0].1["estimate"];
    let spent = &done["budget"]["spent"];
    for (expected, got) in [
        ("requests", "requests"),
        ("inputTokens", "inputTokens"),
        ("outputTokens", "outputTokens"),
        ("cost", "cost"),
    ] {
        let (expected, got) = (estimate[expected].as_f64().unwrap(), spent[got].as_f64().unwrap());
        println!("{expected} expected, {got} spent");
        assert!((expected / got - 1.0).abs() < 0.1, "{estimate} {spent}");
    }
    assert_eq!(spent["requests"], target.everything_seen());
    assert_eq!(done["budget"]["estimate"], *estimate);
}

#[test]
fn limits_of_requests_tokens_and_money_hold_through_the_routes() {
    let (_project, daemon) = start();
    for concurrency in [1_u64, 8, 40] {
        let target = counting();
        let more = |limit: Value| {
            let mut more = json!({"concurrency": concurrency, "security": true, "prices": {"inputPerMillion": 1e4, "outputPerMillion": 1e4}});
            more.as_object_mut().unwrap().extend(limit.as_object().unwrap().clone());
            evaluate(&daemon, &target, more)
        };
        let before = target.everything_seen();
        let capped = more(json!({"maxRequests": 60}));
        assert_eq!(target.everything_seen() - before, 60, "detection counts as well");
        assert_eq!(
            (
                &capped["stopped"]["reason"],
                &capped["budget"]["spent"]["requests"],
                &capped["budget"]["maxRequests"]
            ),
            (&json!("max_requests"), &json!(60), &json!(60))
        );
        let spent = |result: &Value, what: &str| result["budget"]["spent"][what].as_u64().unwrap();
        // The longest question of the suite has some thousand tokens here.
        let longest = 4_000;
        let tokens = more(json!({"maxTokens": 8_000}));
        assert_eq!(tokens["stopped"]["reason"], "max_tokens");
        assert!(spent(&tokens, "inputTokens") + spent(&tokens, "outputTokens") <= 8_000 + concurrency * longest);
        let money = more(json!({"maxCost": 80.0}));
        assert_eq!(money["stopped"]["reason"], "max_cost");
        let cost = money["cost"].as_f64().unwrap();
        #[expect(clippy::cast_precision_loss, reason = "tokens of a test")]
        let allowed = 80.0 + (concurrency * longest) as f64 / 100.0;
        assert!((80.0..allowed).contains(&cost), "{cost} {allowed}");
    }
}

#[test]
#[ignore = "slow: thousands of requests"]
fn the_command_loses_no_request_to_a_target_that_answers_at_once() {
    let project = project(CHAT);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let target = Target::raw(move |_, stream| {
        counted.fetch_add(1, Ordering::Relaxed);
        write_chat(
            stream,
            200,
            "I am an AI assistant. The library opens at ten.",
            Some((40, 12)),
        )
    });
    let output = run(
        project.path(),
        &[
            "eval",
            &target.url,
            "--model",
            "m",
            "--seed",
            "11",
            "--full",
            "--concurrency",
            "50",
            "--format",
            "json",
        ],
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    #[expect(clippy::cast_precision_loss, reason = "requests of a test")]
    let rate = count.load(Ordering::Relaxed) as f64 / (result["duration"].as_f64().unwrap() / 1000.0);
    println!(
        "{} requests, {rate:.0} a second, everything written down",
        count.load(Ordering::Relaxed)
    );
    // The rate is held by `cargo xtask bench eval`; here no request is lost or sent twice.
    let spent = result["budget"]["spent"]["requests"].as_u64().unwrap();
    assert_eq!(u64::try_from(count.load(Ordering::Relaxed)).unwrap(), spent);
    assert_eq!(result["complete"], true);
}
