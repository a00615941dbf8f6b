//! Events over the wire.

use std::io::{Read, Write};

use serde_json::Value;

use crate::support::{CHAT, Daemon, project, read_until};

fn open(daemon: &Daemon, extra: &str) -> std::net::TcpStream {
    let mut stream = daemon.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n").unwrap();
    stream
}

/// Reads up to the end of the frame of the scan's entry in the evidence chain, the last that a scan sends.
fn read_to_evidence(stream: &mut std::net::TcpStream) -> String {
    let last = r#""entryType":"scan""#;
    let mut text = read_until(stream, last);
    while !text.split(last).nth(1).is_some_and(|rest| rest.contains("\n\n")) {
        text += &read_until(stream, "\n");
    }
    text
}

/// The frames in a stream, without the framing of the transport: (id, event, data).
fn frames(text: &str) -> Vec<(u64, String, Value)> {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(3)
        .filter_map(|three| {
            let id = three[0].strip_prefix("id: ")?.parse().ok()?;
            let event = three[1].strip_prefix("event: ")?.to_owned();
            let data = serde_json::from_str(three[2].strip_prefix("data: ")?).ok()?;
            Some((id, event, data))
        })
        .collect()
}

#[test]
fn a_scan_is_told_to_who_listens_and_replayed_to_who_comes_back() {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &[]);
    let mut stream = open(&daemon, "");
    read_until(&mut stream, ": connected\n\n");
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    // The first scan changes the score from nothing, and its gate is evaluated.
    let text = read_to_evidence(&mut stream);
    let seen = frames(&text);
    let (first, event, data) = &seen[0];
    assert_eq!(event, "scan.complete");
    assert_eq!(
        (&data["type"], &data["scanId"]),
        (&Value::from("scan.complete"), &scan["id"])
    );
    assert!(data["timestamp"].is_string() && data["project"].is_string(), "{data}");
    assert!(
        seen.windows(2).all(|two| two[1].0 == two[0].0 + 1),
        "ids are counted up: {seen:?}"
    );
    assert!(!text.contains("client.chat"), "no source text in events");

    let mut again = open(&daemon, &format!("Last-Event-ID: {first}\r\n"));
    let text = read_to_evidence(&mut again);
    assert_eq!(frames(&text), seen[1..], "what came after the last seen event");
}

#[cfg(unix)]
#[test]
fn a_stop_ends_streams_and_the_process() {
    let project = project(CHAT);
    let mut daemon = Daemon::start(project.path(), &[]);
    let mut stream = open(&daemon, "");
    read_until(&mut stream, ": connected\n\n");
    daemon.terminate();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(
        rest.ends_with(b"0\r\n\r\n"),
        "the stream ended as a stream, and was not cut"
    );
    assert_eq!(daemon.wait(), Some(0));
    assert!(std::net::TcpStream::connect(("127.0.0.1", daemon.port)).is_err());
}
