//! A whole evaluation against a target on loopback that answers at once, and against one that takes 50 ms.
//!
//! Prints requests a second and CPU seconds without those of the target, whose thread is counted apart. Given the path of an
//! `engine-server`, it measures the whole command as well, which writes everything down.
#![expect(
    clippy::disallowed_methods,
    reason = "the time that threads spent is read from the system's own files"
)]
#![expect(clippy::print_stdout, reason = "a measuring tool speaks on standard output")]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine_eval::{
    Endpoint, EvalResult, NoJournal, Plan, Rules, RunAbout, RunParts, RunRecord, RunSettings, Selection, Suite,
    TargetSettings, start,
};
use engine_outbound::{Client, Limits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Requests a second at a concurrency of 50 that are asked for.
const RATE_MIN: f64 = 3_000.0;

/// CPU seconds of a whole run that are allowed.
const CPU_MAX: f64 = 0.5;

/// How much longer than the ideal a run with slow replies may take.
const OVERHEAD_MAX: f64 = 1.05;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.map(|runtime| runtime.block_on(measure())) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        Ok(Ok(false)) => ExitCode::FAILURE,
        Ok(Err(error)) | Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure() -> std::io::Result<bool> {
    let instant = target(0)?;
    let patient = target(50)?;
    // Whatever is built once is not part of a run.
    run(&instant, 50, Some(20)).await?;
    let before = cpu();
    let began = Instant::now();
    let record = run(&instant, 50, None).await?;
    let took = began.elapsed().as_secs_f64();
    let spent = cpu() - before;
    let counting = Instant::now();
    let suite = Suite::built_in().map_err(std::io::Error::other)?;
    let result = EvalResult::of(suite, &record, RunAbout::default());
    let counted = counting.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "requests of one run")]
    let requests = record.spent.requests as f64;
    let rate = requests / took;
    println!(
        "{} probes, {requests} requests at once: {took:.2} s, {rate:.0} requests/s, {spent:.2} CPU s",
        result.total
    );
    println!("counting the result: {:.0} ms", counted * 1000.0);
    // What a reply takes when nothing else is going on: the target's timer is a little late, and that is not ours.
    let alone = run(&patient, 1, Some(12)).await?;
    let began = Instant::now();
    let record = run(&patient, 5, Some(200)).await?;
    let took = began.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "requests of one run")]
    let ideal = record.spent.requests as f64 * (alone.elapsed / 1000.0 / alone.spent.requests as f64) / 5.0;
    let over = took / ideal;
    println!(
        "{} requests of 50 ms, five at a time: {took:.2} s, {:.1} % over the ideal",
        record.spent.requests,
        (over - 1.0) * 100.0
    );
    let command = match std::env::args().nth(1) {
        Some(binary) => command(&binary, &instant)?,
        None => true,
    };
    Ok(rate >= RATE_MIN && over <= OVERHEAD_MAX && spent <= CPU_MAX && command)
}

/// `engine-server eval` with all probes, as a process of its own in a project of its own.
fn command(binary: &str, url: &str) -> std::io::Result<bool> {
    let folder = std::env::temp_dir().join(format!("eval-rate-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let before = children();
    let output = std::process::Command::new(std::path::absolute(binary)?)
        .args([
            "eval",
            url,
            "--model",
            "bench",
            "--full",
            "--concurrency",
            "50",
            "--format",
            "json",
        ])
        .current_dir(&folder)
        .env("ENGINE_DATA_DIR", folder.join("user"))
        .output()?;
    let spent = children() - before;
    std::fs::remove_dir_all(&folder)?;
    let told = String::from_utf8_lossy(&output.stdout);
    // The two figures stand once each in the result; the bench needs no parser for them.
    let figure = |name: &str| -> f64 {
        let rest = told.split_once(&format!("\"{name}\": ")).map_or("", |(_, rest)| rest);
        let end = rest.find([',', '\n']).unwrap_or(0);
        rest[..end].parse().unwrap_or(0.0)
    };
    let spent_part = told.split_once("\"spent\": {").map_or("", |(_, rest)| rest);
    let requests = spent_part.split_once("\"requests\": ").map_or("", |(_, rest)| rest);
    let requests: f64 = requests
        .split([',', '\n'])
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0);
    let rate = requests / (figure("duration") / 1000.0);
    println!(
        "the command, everything written down: {requests} requests, {rate:.0} requests/s, {spent:.2} CPU s in all"
    );
    Ok(output.status.success() && rate >= RATE_MIN)
}

/// CPU seconds of processes that were started from here and have ended; the system counts them in hundredths.
fn children() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_whitespace().skip(13).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

async fn run(url: &str, concurrency: usize, max_probes: Option<usize>) -> std::io::Result<RunRecord> {
    let suite = Suite::built_in().map_err(std::io::Error::other)?;
    let settings = TargetSettings {
        target: url.to_owned(),
        model: Some("bench".to_owned()),
        ..TargetSettings::default()
    };
    let endpoint = Endpoint::told(&settings).map_err(std::io::Error::other)?;
    let selection = Selection {
        det: true,
        security: true,
        max_probes,
        ..Selection::default()
    };
    let parts = RunParts {
        plan: Plan::of(suite, &selection, 1).map_err(std::io::Error::other)?,
        endpoint: endpoint.ok_or_else(|| std::io::Error::other("the path says no form"))?,
        client: Client::new(Limits::default()),
        judge: Arc::new(Rules),
        grader: None,
        journal: Arc::new(NoJournal),
        past: Vec::new(),
        settings: RunSettings {
            concurrency,
            confirm: false,
            ..RunSettings::default()
        },
        purse: None,
    };
    start(parts)
        .finish()
        .await
        .ok_or_else(|| std::io::Error::other("the run broke down"))
}

const BODY: &str = r#"{"choices":[{"message":{"role":"assistant","content":"I am an AI assistant. The library opens at ten."},"finish_reason":"stop"}],"usage":{"prompt_tokens":40,"completion_tokens":12}}"#;

/// A target on a thread of its own.
fn target(delay_ms: u64) -> std::io::Result<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    std::thread::Builder::new().name("target".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else {
                    return;
                };
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, delay_ms));
                }
            });
        }
    })?;
    Ok(format!("http://{address}/v1/chat/completions"))
}

async fn serve(mut stream: TcpStream, delay_ms: u64) {
    let _ = stream.set_nodelay(true);
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    let mut buffer: Vec<u8> = Vec::with_capacity(64 * 1024);
    loop {
        let whole = buffer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .map(|end| end + 4 + length(&buffer[..end]));
        match whole.filter(|whole| buffer.len() >= *whole) {
            Some(whole) => {
                buffer.drain(..whole);
                if delay_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(delay_ms)).await;
                }
                if stream.write_all(reply.as_bytes()).await.is_err() {
                    return;
                }
            }
            None => match stream.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            },
        }
    }
}

fn length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let value = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// CPU seconds of all threads but those of the targets; zero where the system does not tell.
fn cpu() -> f64 {
    let mut nanoseconds = 0.0;
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let text = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
        if text("comm").trim() != "target" {
            nanoseconds += text("schedstat")
                .split(' ')
                .next()
                .and_then(|ns| ns.parse::<f64>().ok())
                .unwrap_or(0.0);
        }
    }
    nanoseconds / 1e9
}
