//! The edge under pressure: a server on loopback with small limits and endpoints that misbehave.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::{Clock, Engine, Options, ScanRequest};
use engine_api::{Context, Effect, Empty, Endpoint, Example, Json, ROUTES, Route};
use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Limits, Server, Settings, Token};

/// Timeout of a socket, so that a broken test ends, and that no machine reaches which is only busy.
const PATIENCE: Duration = Duration::from_mins(5);

/// Attempts before a test gives up waiting for an event.
const ATTEMPTS_MAX: usize = 100_000;

/// A stop limit that no test reaches: a daemon that waits for it never stops.
const NEVER: Duration = Duration::from_hours(24);

struct Running {
    port: u16,
    engine: Arc<Engine>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(routes: &'static [Route], limits: Limits, token: Option<Token>) -> Self {
        let clock = Clock {
            now: || jiff::Timestamp::UNIX_EPOCH,
            new_id: || uuid::Uuid::new_v4().to_string(),
        };
        let options = Options {
            working_dir: std::env::temp_dir(),
            project: None,
            read_only: true,
            clock,
            signing: engine::Signing::default(),
        };
        let engine = Arc::new(Engine::start(options).unwrap());
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let (told, port) = mpsc::channel();
        let shared = Arc::clone(&engine);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                let server = Server::bind(
                    shared,
                    Settings {
                        port: 0,
                        token,
                        limits,
                        routes,
                    },
                )
                .unwrap();
                told.send(server.port()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
            runtime.shutdown_background();
        });
        Self {
            port: port.recv().unwrap(),
            engine,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and reads until the server closes.
    fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        read_all(&mut stream)
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        ))
    }

    /// Stops the daemon and waits for its end.
    fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
    }
}

fn read_all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    for _ in 0..ATTEMPTS_MAX {
        if text.contains(wanted) {
            return text;
        }
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the stream ended before `{wanted}`: {text}");
        text.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    panic!("`{wanted}` not found in the stream: {text}");
}

fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..ATTEMPTS_MAX {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("{what} did not happen");
}

fn assert_failure(reply: &str, status: u16, code: &str) {
    let (head, body) = reply
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no reply: {reply:?}"));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{reply}");
    let head = head.to_lowercase();
    for header in [
        "content-type: application/json",
        "x-content-type-options: nosniff",
        "cache-control: no-store",
    ] {
        assert!(head.contains(header), "{reply}");
    }
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (body["status"].as_u64(), body["code"].as_str()),
        (Some(u64::from(status)), Some(code)),
        "{reply}"
    );
}

macro_rules! endpoint {
    ($name:ident, $method:ident $path:literal, $effect:ident, $call:expr) => {
        enum $name {}
        impl Endpoint for $name {
            const METHOD: Method = Method::$method;
            const PATH: &'static str = $path;
            const SUMMARY: &'static str = "Misbehave";
            const EFFECT: Effect = Effect::$effect;
            const ERRORS: &'static [ErrorCode] = &[];
            const EXAMPLES: &'static [Example] = &[];
            type Input = Empty;
            type Output = Json<u32>;
            async fn call(context: Context, _: Empty) -> Result<Json<u32>, Failure> {
                let call: fn(Context) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> = $call;
                call(context).await;
                Json::of(&1)
            }
        }
    };
}

static STARTED: AtomicU32 = AtomicU32::new(0);
static READ_ENDED: AtomicU32 = AtomicU32::new(0);
static WRITE_ENDED: AtomicU32 = AtomicU32::new(0);
// Tests run side by side in one process, so each that counts has a counter of its own.
static HOLDING_PLACES: AtomicU32 = AtomicU32::new(0);
static HOLDING_UP: AtomicU32 = AtomicU32::new(0);
static LET_GO: AtomicU32 = AtomicU32::new(0);

/// Counts up when it is dropped.
struct Ended(&'static AtomicU32);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

endpoint!(Panics, GET "/panics", Read, |_| Box::pin(async { panic!("a mistake with source text in it") }));
endpoint!(PanicsAtWork, GET "/panics-at-work", Write, |context| Box::pin(async move {
    let _ = context.work(|_| -> Result<(), Failure> { panic!("deeper") }).await;
}));
endpoint!(ReadsForever, GET "/reads-forever", Read, |_| Box::pin(async {
    let _ended = Ended(&READ_ENDED);
    STARTED.fetch_add(1, Ordering::SeqCst);
    std::future::pending::<()>().await;
}));
endpoint!(WritesSlowly, GET "/writes-slowly", Write, |_| Box::pin(async {
    STARTED.fetch_add(1, Ordering::SeqCst);
    while LET_GO.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    WRITE_ENDED.fetch_add(1, Ordering::SeqCst);
}));
endpoint!(HoldsPlaces, GET "/holds-places", Read, |_| Box::pin(async {
    HOLDING_PLACES.fetch_add(1, Ordering::SeqCst);
    std::future::pending::<()>().await;
}));
endpoint!(HoldsUp, GET "/holds-up", Read, |_| Box::pin(async {
    HOLDING_UP.fetch_add(1, Ordering::SeqCst);
    std::future::pending::<()>().await;
}));
endpoint!(Fine, GET "/fine", Read, |_| Box::pin(async {}));
static ANSWERING: AtomicU32 = AtomicU32::new(0);

endpoint!(AnswersLate, GET "/answers-late", Read, |_| Box::pin(async {
    ANSWERING.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(300)).await;
}));

enum Long {}

impl Endpoint for Long {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/long";
    const SUMMARY: &'static str = "Answer with more than a client wants";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[];
    type Input = Empty;
    type Output = Json<String>;

    async fn call(_: Context, _: Empty) -> Result<Json<String>, Failure> {
        Json::of(&"x".repeat(64 * 1024 * 1024))
    }
}

static MISBEHAVING: &[Route] = &[
    Route::of::<Panics>(),
    Route::of::<PanicsAtWork>(),
    Route::of::<ReadsForever>(),
    Route::of::<WritesSlowly>(),
    Route::of::<HoldsPlaces>(),
    Route::of::<HoldsUp>(),
    Route::of::<Fine>(),
    Route::of::<AnswersLate>(),
    Route::of::<Long>(),
];

#[test]
fn panic_returns_500_and_the_daemon_continues() {
    let server = Running::start(MISBEHAVING, Limits::default(), None);
    for path in ["/panics", "/panics-at-work"] {
        let reply = server.get(path);
        assert_failure(&reply, 500, "internal");
        assert!(!reply.contains("source text"), "{reply}");
    }
    assert!(server.get("/fine").ends_with("\r\n\r\n1"));
}

#[test]
fn disconnect_cancels_reads_but_not_writes() {
    let server = Running::start(MISBEHAVING, Limits::default(), None);
    for path in ["/reads-forever", "/writes-slowly"] {
        let before = STARTED.load(Ordering::SeqCst);
        let mut stream = server.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        wait_for("the start", || STARTED.load(Ordering::SeqCst) > before);
        drop(stream);
    }
    wait_for("the end of the read", || READ_ENDED.load(Ordering::SeqCst) == 1);
    assert_eq!(WRITE_ENDED.load(Ordering::SeqCst), 0);
    LET_GO.store(1, Ordering::SeqCst);
    wait_for("the end of the write", || WRITE_ENDED.load(Ordering::SeqCst) == 1);
}

#[test]
fn incomplete_header_times_out() {
    let limits = Limits {
        header_read: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    let reply = server.ask("GET /fine HTTP/1.1\r\nHost: local");
    assert_failure(&reply, 408, "request-timeout");
}

#[test]
fn slow_header_bytes_time_out_as_a_whole() {
    let limits = Limits {
        header_read: Duration::from_millis(200),
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    let mut stream = server.connect();
    // The pauses between the bytes are shorter than the limit; the pauses of all bytes together are longer.
    for byte in b"GET /fine HTTP/1.1\r\nX-Long: "
        .iter()
        .chain(std::iter::repeat_n(&b'a', 20))
    {
        if stream.write_all(&[*byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_failure(&read_all(&mut stream), 408, "request-timeout");
}

#[test]
fn idle_connection_is_closed() {
    let limits = Limits {
        idle: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    assert_eq!(server.ask(""), "");
    let reply = server.ask("GET /fine HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(reply.ends_with("\r\n\r\n1"), "one answer, and then nothing: {reply}");
}

#[test]
fn running_request_is_not_idle() {
    let limits = Limits {
        idle: Duration::from_millis(100),
        header_read: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    assert!(server.get("/answers-late").ends_with("\r\n\r\n1"));
}

#[test]
fn incomplete_body_times_out() {
    let limits = Limits {
        body_read: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = Running::start(ROUTES, limits, None);
    let reply = server.ask(
        "POST /scan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    assert_failure(&reply, 408, "request-timeout");
}

#[test]
fn idle_connections_are_closed_for_new_requests() {
    let limits = Limits {
        connections: 8,
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    let idle: Vec<TcpStream> = (0..40)
        .map(|number| {
            let mut stream = server.connect();
            if number % 2 == 0 {
                // A header that has begun is as idle as none.
                stream.write_all(b"GET /fine HTT").unwrap();
            }
            stream
        })
        .collect();
    assert!(server.get("/fine").ends_with("\r\n\r\n1"));
    drop(idle);
}

#[test]
fn request_above_the_limit_is_refused_as_busy() {
    let limits = Limits {
        connections: 2,
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    let mut busy = Vec::new();
    for _ in 0..2 {
        let mut stream = server.connect();
        stream
            .write_all(b"GET /holds-places HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        busy.push(stream);
    }
    wait_for("the start", || HOLDING_PLACES.load(Ordering::SeqCst) == 2);
    let reply = server.get("/fine");
    assert_failure(&reply, 429, "busy");
    assert!(reply.contains("retry-after: 2"), "{reply}");
    drop(busy);
    wait_for("room", || server.get("/fine").ends_with("\r\n\r\n1"));
}

#[test]
fn non_http_input_returns_a_json_error() {
    let server = Running::start(MISBEHAVING, Limits::default(), None);
    assert_failure(&server.ask("\x16\x03\x01 hello\r\n\r\n"), 400, "invalid-request");
    assert_failure(
        &server.ask("GET /fine HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"),
        400,
        "invalid-request",
    );
    let long = format!(
        "GET /fine HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n",
        "a".repeat(300_000)
    );
    assert_failure(&server.ask(&long), 431, "headers-too-large");
    let many = format!(
        "GET /fine HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
        "X-Many: a\r\n".repeat(500)
    );
    assert_failure(&server.ask(&many), 431, "headers-too-large");
    let long_target = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(70_000));
    assert_failure(&server.ask(&long_target), 431, "headers-too-large");
}

#[test]
fn token_is_required_from_every_client() {
    let token = Token::parse("0123456789abcdef").unwrap();
    let server = Running::start(ROUTES, Limits::default(), Some(token));
    let with = |authorization: &str| {
        server.ask(&format!(
            "GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{authorization}\r\n"
        ))
    };
    for wrong in [
        "",
        "Authorization: Bearer 0123456789abcdeF\r\n",
        "Authorization: Basic 0123456789abcdef\r\n",
    ] {
        let reply = with(wrong);
        assert_failure(&reply, 401, "token-required");
        assert!(reply.to_lowercase().contains("www-authenticate: bearer"), "{reply}");
    }
    assert!(with("Authorization: bearer 0123456789abcdef\r\n").starts_with("HTTP/1.1 200 "));
    // A person who opens a share in a browser reads a page that says what to do.
    let share = "GET /share/0123456789abcdef0123456789abcdef HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    let opened = server.ask(&format!("{share}Accept: text/html,*/*\r\n\r\n"));
    assert!(
        opened.starts_with("HTTP/1.1 401 ") && opened.contains("save the share as a file"),
        "{opened}"
    );
    assert_failure(&server.ask(&format!("{share}\r\n")), 401, "token-required");
}

#[test]
fn event_stream_sends_heartbeats_and_ends_when_the_daemon_stops() {
    let limits = Limits {
        heartbeat: Duration::from_millis(20),
        stop: NEVER,
        ..Limits::default()
    };
    let mut server = Running::start(ROUTES, limits, None);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let text = read_until(&mut stream, ": alive\n\n");
    assert!(text.contains("content-type: text/event-stream"), "{text}");
    server.stop();
    read_all(&mut stream);
}

#[test]
fn events_reach_every_stream_and_are_replayed_on_reconnect() {
    let server = Running::start(ROUTES, Limits::default(), None);
    let open = |extra: &str| {
        let mut stream = server.connect();
        write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n").unwrap();
        read_until(&mut stream, ": connected");
        stream
    };
    let (mut first, mut second) = (open(""), open(""));
    let project = tempfile::tempdir().unwrap();
    server
        .engine
        .scan(&ScanRequest::of(project.path().to_str().unwrap()))
        .unwrap();
    for stream in [&mut first, &mut second] {
        let text = read_until(stream, "\n\n");
        assert!(text.contains("id: 1\nevent: scan.complete\ndata: {"), "{text}");
    }
    let mut late = server.connect();
    late.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n\r\n")
        .unwrap();
    read_until(&mut late, "event: scan.complete");
    let reply = server.ask("GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: x\r\nConnection: close\r\n\r\n");
    assert_failure(&reply, 400, "invalid-request");
    let head = server.ask("HEAD /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(
        head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[test]
fn stream_above_the_limit_is_refused_as_busy() {
    let limits = Limits {
        streams: 1,
        heartbeat: Duration::from_millis(20),
        ..Limits::default()
    };
    let server = Running::start(ROUTES, limits, None);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    read_until(&mut stream, ": connected");
    assert_failure(&server.get("/events"), 429, "busy");
    drop(stream);
    wait_for("room for a stream", || {
        let mut stream = server.connect();
        stream
            .write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        &start == b"HTTP/1.1 200"
    });
}

#[test]
fn stalled_reader_is_disconnected() {
    let limits = Limits {
        write_stall: Duration::from_millis(100),
        connections: 1,
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    stream.read_exact(&mut [0]).unwrap();
    // The rest is more than the buffers of the system hold. The line stands still and is cut, which frees the one place.
    wait_for("room", || server.get("/fine").ends_with("\r\n\r\n1"));
}

#[test]
fn slow_reader_receives_the_whole_reply_while_places_are_free() {
    let limits = Limits {
        connections: 16,
        ..Limits::default()
    };
    let server = Running::start(MISBEHAVING, limits, None);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    stream.read_exact(&mut [0]).unwrap();
    for _ in 0..20 {
        assert!(server.get("/fine").ends_with("\r\n\r\n1"));
    }
    assert!(read_all(&mut stream).len() > 64 * 1024 * 1024);
}

#[test]
fn running_request_is_answered_before_the_daemon_stops() {
    let limits = Limits {
        stop: NEVER,
        ..Limits::default()
    };
    let mut server = Running::start(MISBEHAVING, limits, None);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /answers-late HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    wait_for("the start", || ANSWERING.load(Ordering::SeqCst) == 1);
    let mut idle = server.connect();
    idle.write_all(b"GET /fine HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    read_until(&mut idle, "\r\n\r\n1");
    server.stop();
    assert!(read_all(&mut stream).ends_with("\r\n\r\n1"));
    assert_eq!(read_all(&mut idle), "");
}

#[test]
fn daemon_stops_despite_an_endless_request() {
    let limits = Limits {
        stop: Duration::from_millis(200),
        ..Limits::default()
    };
    let mut server = Running::start(MISBEHAVING, limits, None);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /holds-up HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    wait_for("the start", || HOLDING_UP.load(Ordering::SeqCst) == 1);
    server.stop();
}
