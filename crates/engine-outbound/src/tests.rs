//! Real connections to small servers that behave badly.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, Method};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::{Client, Fault, Limits, Reply, Request, Target};

/// What the server does with one connection after it has read a request.
#[derive(Clone)]
enum Behaviour {
    Send(Vec<u8>),
    SendAndHold(Vec<u8>),
    Hang,
    Close,
    Endless,
    SlowBytes,
}

async fn serve(behaviour: Behaviour) -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, behaviour.clone()));
        }
    });
    Target::parse(&format!("http://127.0.0.1:{port}/v1?key=SECRET")).unwrap()
}

async fn answer(mut stream: TcpStream, behaviour: Behaviour) {
    let mut buffer = [0; 4096];
    let _ = stream.read(&mut buffer).await;
    match behaviour {
        Behaviour::Send(bytes) => drop(stream.write_all(&bytes).await),
        Behaviour::SendAndHold(bytes) => {
            let _ = stream.write_all(&bytes).await;
            std::future::pending::<()>().await;
        }
        Behaviour::Hang => std::future::pending().await,
        Behaviour::Close => {}
        Behaviour::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            let part = vec![b'a'; 65536];
            while stream.write_all(&part).await.is_ok() {}
        }
        Behaviour::SlowBytes => {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
                .await;
            while stream.write_all(b"a").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

fn reply(head: &str, body: &[u8]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend_from_slice(body);
    out
}

/// A deadline that only what hangs reaches, on a busy machine too.
const PATIENCE: Duration = Duration::from_mins(5);

/// A deadline for those that never end, long enough for a reply to begin.
const BRIEF: Duration = Duration::from_secs(2);

async fn send_with(client: &Client, target: &Target, last_frames: &[&str]) -> Result<Reply, Fault> {
    send_within(client, target, last_frames, PATIENCE).await
}

async fn send_within(
    client: &Client,
    target: &Target,
    last_frames: &[&str],
    patience: Duration,
) -> Result<Reply, Fault> {
    let mut headers = HeaderMap::new();
    let mut secret = HeaderValue::from_static("Bearer HEADERSECRET");
    secret.set_sensitive(true);
    headers.insert("authorization", secret);
    client
        .send(&Request {
            target,
            method: Method::POST,
            headers: &headers,
            body: "{}".into(),
            deadline: Instant::now() + patience,
            last_frames,
        })
        .await
}

async fn send(behaviour: Behaviour) -> Result<Reply, Fault> {
    let patience = match behaviour {
        Behaviour::Hang | Behaviour::SlowBytes => BRIEF,
        _ => PATIENCE,
    };
    let target = serve(behaviour).await;
    send_within(&Client::new(Limits::default()), &target, &[], patience).await
}

#[tokio::test]
async fn a_reply_comes_with_status_body_and_times() {
    let got = send(Behaviour::Send(reply("201 Created", b"hello"))).await.unwrap();
    assert_eq!(
        (got.status, got.body.as_slice(), got.bytes),
        (201, b"hello".as_slice(), 5)
    );
    assert!(!got.oversize() && got.first_byte <= got.elapsed);
}

#[tokio::test]
async fn each_fault_has_its_own_name_and_shows_no_secret() {
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf".to_vec();
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&vec![0; 64 << 20]).unwrap();
    let bomb = reply("200 OK\r\ncontent-encoding: gzip", &bomb.finish().unwrap());
    let cases = [
        (Behaviour::Hang, "no-reply"),
        (Behaviour::Close, "reset"),
        (Behaviour::SlowBytes, "too-slow"),
        (Behaviour::Endless, "endless"),
        (Behaviour::Send(half), "truncated"),
        (Behaviour::Send(bomb), "bomb"),
        (Behaviour::Send(b"SSH-2.0-OpenSSH_9.6\r\n\r\n".to_vec()), "protocol"),
        (
            Behaviour::Send(b"HTTP/1.1 102 Processing\r\n\r\n".repeat(1_000)),
            "protocol",
        ),
        (
            Behaviour::Send(reply("200 OK\r\ncontent-encoding: br", b"x")),
            "encoding",
        ),
        (
            Behaviour::Send(reply("307 T\r\nlocation: http://10.255.0.1/x", b"")),
            "redirect",
        ),
        (Behaviour::Send(reply("302 F\r\nlocation: /other", b"")), "redirect"),
        (Behaviour::Send(reply("307 T\r\nlocation: /v1", b"")), "redirect"),
    ];
    for (behaviour, expected) in cases {
        let fault = send(behaviour).await.unwrap_err();
        assert_eq!(fault.name(), expected, "{fault}");
        let text = format!("{fault} {fault:?}");
        assert!(!text.contains("SECRET") && text.contains("127.0.0.1"), "{text}");
    }
}

#[tokio::test]
async fn a_large_reply_is_counted_and_its_beginning_kept() {
    let body = vec![b'x'; 5 << 20];
    let got = send(Behaviour::Send(reply("200 OK", &body))).await.unwrap();
    assert!(got.oversize());
    assert_eq!((got.body.len(), got.bytes), (1 << 20, 5 << 20));
}

#[tokio::test]
async fn a_stream_that_is_left_open_ends_with_its_last_frame() {
    let head =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"a\":1}\n\ndata: [DONE]\n\n".to_vec();
    let target = serve(Behaviour::SendAndHold(head)).await;
    let client = Client::new(Limits::default());
    let got = send_with(&client, &target, &["[DONE]"]).await.unwrap();
    assert!(got.body.ends_with(b"[DONE]\n\n"));
    let fault = send_within(&client, &target, &[], BRIEF).await.unwrap_err();
    assert_eq!(fault.name(), "too-slow");
}

#[tokio::test]
async fn metadata_services_are_not_dialled_in_any_notation() {
    let client = Client::new(Limits::default());
    for address in [
        "http://169.254.169.254/latest/meta-data",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fe80::1]/",
        "http://0.0.0.0/",
    ] {
        let fault = send_with(&client, &Target::parse(address).unwrap(), &[])
            .await
            .unwrap_err();
        assert!(
            matches!(fault.name(), "blocked-address" | "unresolved"),
            "{address}: {fault}"
        );
    }
}

#[tokio::test]
async fn refused_connection_and_unknown_host_are_different_faults() {
    let client = Client::new(Limits::default());
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let target = Target::parse(&format!("http://{free}/")).unwrap();
    assert_eq!(
        send_with(&client, &target, &[]).await.unwrap_err().name(),
        "connection-refused"
    );
    let target = Target::parse("http://no-such-host.invalid/").unwrap();
    let name = send_within(&client, &target, &[], BRIEF).await.unwrap_err().name();
    assert!(matches!(name, "unresolved" | "no-reply"), "{name}");
}

#[tokio::test]
async fn an_endpoint_without_a_trusted_certificate_is_not_called() {
    let plain = serve(Behaviour::Send(b"this is no handshake at all".to_vec())).await;
    let target = Target::parse(&format!("https://{}/", plain.destination())).unwrap();
    let fault = send_with(&Client::new(Limits::default()), &target, &[])
        .await
        .unwrap_err();
    assert_eq!(fault.name(), "tls");
}

#[tokio::test]
async fn destinations_are_counted_without_path_or_query() {
    let target = serve(Behaviour::Send(reply("200 OK", b"four"))).await;
    let client = Client::new(Limits::default());
    for _ in 0..3 {
        send_with(&client, &target, &[]).await.unwrap();
    }
    let all = client.destinations();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].destination, target.destination());
    assert_eq!(
        (all[0].requests, all[0].bytes_sent, all[0].bytes_received, all[0].faults),
        (3, 6, 12, 0)
    );
}
