//! Many clients at once: an honest one is still served, and memory stays bounded.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Tally, ask, daemon, memory_mib, memory_peak_mib};
use crate::support::{CHAT, Daemon, project};

/// Clients of a flood.
const CLIENTS: usize = 64;

/// Memory of the daemon in MiB during floods.
const FLOOD_MIB: u64 = 300;

/// Answers of the honest client during one flood.
const HONEST: usize = 40;

/// What one hostile client does with its connection, over and over.
type Client = fn(&mut TcpStream, u16) -> std::io::Result<()>;

fn post(route: &str, length: usize, port: u16) -> String {
    format!(
        "POST {route} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
}

fn stops_before_the_end(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    stream.write_all(post("/scan", 8 * 1024 * 1024, port).as_bytes())?;
    let piece = vec![b' '; 64 * 1024];
    for _ in 0..127 {
        stream.write_all(&piece)?;
    }
    let _ = stream.read(&mut [0; 16])?;
    Ok(())
}

fn never_sends_a_body(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    stream.write_all(post("/scan", 100, port).as_bytes())?;
    let _ = stream.read(&mut [0; 16])?;
    Ok(())
}

fn sends_byte_by_byte(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    stream.write_all(post("/scan", 1000, port).as_bytes())?;
    for _ in 0..100 {
        stream.write_all(b" ")?;
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn never_reads(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    for _ in 0..20 {
        stream.write_all(format!("GET /openapi.json HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").as_bytes())?;
    }
    std::thread::sleep(Duration::from_secs(2));
    Ok(())
}

fn many_values(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    let body = format!("{{\"path\":\".\",\"systems\":[{}0]}}", "[],".repeat(2_000_000));
    stream.write_all(post("/scan", body.len(), port).as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let _ = stream.read(&mut [0; 4096])?;
    Ok(())
}

fn slow_headers(stream: &mut TcpStream, _: u16) -> std::io::Result<()> {
    stream.write_all(b"GET /status HTTP/1.1\r\n")?;
    for number in 0..30 {
        stream.write_all(format!("X-{number}: y\r\n").as_bytes())?;
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn many_requests(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    let request = format!("GET /status HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    let mut buffer = [0; 16_384];
    for _ in 0..500 {
        stream.write_all(request.as_bytes())?;
        let _ = stream.read(&mut buffer)?;
    }
    Ok(())
}

fn bill_of_materials(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    stream.write_all(format!("GET /sbom?path=. HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").as_bytes())?;
    let _ = stream.read(&mut [0; 16_384])?;
    Ok(())
}

fn event_streams(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    stream.write_all(format!("GET /events HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").as_bytes())?;
    let _ = stream.read(&mut [0; 4096])?;
    std::thread::sleep(Duration::from_millis(500));
    Ok(())
}

fn says_nothing(stream: &mut TcpStream, _: u16) -> std::io::Result<()> {
    let _ = stream.read(&mut [0; 16])?;
    Ok(())
}

/// A passport of a valid form with a long text: all of it is parsed.
fn long_imports(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    let body =
        json!({"path": ".", "format": "a2a", "data": {"name": "x", "description": "d".repeat(7_000_000)}}).to_string();
    stream.write_all(post("/agent/import", body.len(), port).as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let _ = stream.read(&mut [0; 4096])?;
    Ok(())
}

fn bodies_for_no_route(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    stream.write_all(post("/no-such-route", 100 << 20, port).as_bytes())?;
    let piece = vec![b' '; 64 * 1024];
    for _ in 0..1_600 {
        stream.write_all(&piece)?;
    }
    let _ = stream.read(&mut [0; 4096])?;
    Ok(())
}

fn scans(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    let body = r#"{"path": "."}"#;
    stream.write_all((post("/scan", body.len(), port) + body).as_bytes())?;
    let mut rest = vec![0; 65_536];
    while stream.read(&mut rest)? > 0 {}
    Ok(())
}

fn reports(stream: &mut TcpStream, port: u16) -> std::io::Result<()> {
    let body = r#"{"path": "."}"#;
    stream.write_all((post("/report/pdf", body.len(), port) + body).as_bytes())?;
    let mut rest = vec![0; 65_536];
    while stream.read(&mut rest)? > 0 {}
    Ok(())
}

const KINDS: [(&str, Client); 14] = [
    ("bodies that stop before the end", stops_before_the_end),
    ("bodies that never come", never_sends_a_body),
    ("bodies byte by byte", sends_byte_by_byte),
    ("replies that are never read", never_reads),
    ("bodies of many values", many_values),
    ("slow headers", slow_headers),
    ("many requests", many_requests),
    ("bills of materials", bill_of_materials),
    ("event streams", event_streams),
    ("connections without a byte", says_nothing),
    ("long imports", long_imports),
    ("long bodies for no route", bodies_for_no_route),
    ("scans", scans),
    ("reports as PDF", reports),
];

/// Runs a flood and gives the slowest of the honest answers, how many failed, and the most memory that was seen.
fn flood(daemon: &Daemon, clients: usize, client: Client) -> (Duration, usize, u64) {
    let done = AtomicBool::new(false);
    let port = daemon.port;
    std::thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
                        let _ = stream.set_read_timeout(Some(Duration::from_secs(3)));
                        let _ = stream.set_write_timeout(Some(Duration::from_secs(3)));
                        let _ = client(&mut stream, port);
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_millis(700));
        let (mut slowest, mut failed, mut memory) = (Duration::ZERO, 0, 0);
        for _ in 0..HONEST {
            let started = Instant::now();
            let reply = ask(daemon, "GET", "/status", None);
            slowest = slowest.max(started.elapsed());
            failed += usize::from(reply.is_none_or(|reply| reply.status != 200));
            memory = memory.max(memory_mib(daemon));
            std::thread::sleep(Duration::from_millis(50));
        }
        done.store(true, Ordering::Relaxed);
        (slowest, failed, memory)
    })
}

#[test]
#[ignore = "slow: floods of each kind for some seconds"]
fn an_honest_client_is_served_during_floods() {
    let mut tally = Tally::of("floods");
    for (name, client) in KINDS {
        let folder = project(CHAT);
        let daemon = daemon(folder.path(), &["--project", "."]);
        let _ = ask(&daemon, "POST", "/scan", Some(&json!({"path": "."})));
        let (slowest, failed, memory) = flood(&daemon, CLIENTS, client);
        println!("{name}: slowest /status {slowest:.0?}, failed {failed}, memory {memory} MiB");
        tally.case(
            format!("{name}: served"),
            failed == 0,
            format!("{failed} of {HONEST} failed"),
        );
        tally.case(format!("{name}: memory"), memory < FLOOD_MIB, format!("{memory} MiB"));
    }
    tally.end(28);
}

#[test]
#[ignore = "slow: more clients than there are places"]
fn more_slow_clients_than_places_do_not_shut_others_out() {
    let mut tally = Tally::of("places");
    for (name, client) in [KINDS[1], KINDS[3], KINDS[9]] {
        let folder = project(CHAT);
        let daemon = daemon(folder.path(), &["--project", "."]);
        let (slowest, failed, memory) = flood(&daemon, 540, client);
        println!("540 × {name}: slowest /status {slowest:.0?}, failed {failed}, memory {memory} MiB");
        tally.case(name, failed == 0, format!("{failed} of {HONEST} failed"));
    }
    tally.end(3);
}

#[test]
fn unfinished_bodies_share_one_budget() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &[]);
    let mut tally = Tally::of("unfinished bodies");
    let mut streams = Vec::new();
    for _ in 0..30 {
        let mut stream = daemon.connect();
        let _ = stream.set_write_timeout(Some(Duration::from_secs(2)));
        let _ = stream.write_all(post("/scan", 8 * 1024 * 1024, daemon.port).as_bytes());
        let piece = vec![b' '; 1024 * 1024];
        for _ in 0..7 {
            let _ = stream.write_all(&piece);
        }
        streams.push(stream);
    }
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < FLOOD_MIB, format!("{peak} MiB"));
    let status = ask(&daemon, "GET", "/status", None);
    tally.case("status", status.is_some_and(|reply| reply.status == 200), "no answer");
    drop(streams);
    tally.end(2);
}
