//! The client: one request, one reply, within a deadline and within limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::body::{Intake, Stop};
use crate::connector::{ConnectFault, Connector, cause};
use crate::fault::Fault;
use crate::ledger::{Destination, Ledger};
use crate::target::Target;

/// How far a request may go.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Milliseconds for a connection to stand.
    pub connect_ms: u64,
    /// Bytes of a reply that are kept.
    pub keep_bytes: usize,
    /// Bytes of a reply that are read and counted at most.
    pub read_bytes: u64,
    /// Connections kept open for each host.
    pub idle_per_host: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect_ms: 10_000,
            keep_bytes: 1 << 20,
            read_bytes: 128 << 20,
            idle_per_host: 64,
        }
    }
}

/// Redirects on the same host that are followed in a row.
const REDIRECTS_MAX: usize = 3;

/// Connections that nobody used for this long are closed.
const IDLE: Duration = Duration::from_secs(30);

/// Headers of a reply beyond this number make it unreadable.
const HEADERS_MAX: usize = 256;

/// Interim replies (status 1xx) before the reply itself; a server could send them without an end.
const INTERIM_MAX: u32 = 20;

/// Bytes that are read ahead of each connection; the headers of a reply must fit into them.
const BUFFER_BYTES: usize = 128 * 1024;

/// Bytes at the end of a stream in which its last frame is looked for.
const TAIL_BYTES: usize = 512;

/// One request.
#[derive(Debug)]
pub struct Request<'a> {
    /// Where to.
    pub target: &'a Target,
    /// How.
    pub method: Method,
    /// Headers; values that are marked sensitive are hidden when printed.
    pub headers: &'a HeaderMap,
    /// The body.
    pub body: Bytes,
    /// When the last byte of the reply must have come.
    pub deadline: Instant,
    /// Texts that end a stream of events, for services that leave the connection open.
    pub last_frames: &'a [&'a str],
}

/// A whole reply.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The first part of the body, unpacked.
    pub body: Vec<u8>,
    /// Bytes of the whole body, unpacked.
    pub bytes: u64,
    /// Time to the headers.
    pub first_byte: Duration,
    /// Time to the last byte.
    pub elapsed: Duration,
}

impl Reply {
    /// Whether more came than was kept.
    pub fn oversize(&self) -> bool {
        self.bytes > self.body.len() as u64
    }
}

/// A reply whose body is still to come.
#[derive(Debug)]
pub struct Opened {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// Time to the headers.
    pub first_byte: Duration,
    body: Incoming,
    intake: Intake,
    given: usize,
    started: Instant,
    deadline: Instant,
    destination: String,
    sent: u64,
    ledger: Arc<Ledger>,
    booked: bool,
}

/// Sends requests and remembers where they went. Clones share connections and counts.
#[derive(Clone)]
pub struct Client {
    http: legacy::Client<Connector, Full<Bytes>>,
    limits: Limits,
    ledger: Arc<Ledger>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client with these limits. Nothing is opened before the first request.
    pub fn new(limits: Limits) -> Self {
        let http = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(limits.idle_per_host)
            .http1_max_headers(HEADERS_MAX)
            .http1_max_buf_size(BUFFER_BYTES)
            .build(Connector::new(Duration::from_millis(limits.connect_ms)));
        Self {
            http,
            limits,
            ledger: Arc::default(),
        }
    }

    /// Hosts that were contacted since this client was made, in order of their names.
    pub fn destinations(&self) -> Vec<Destination> {
        self.ledger.destinations()
    }

    /// Lists a destination that a program connects to on a request of the user, such as the package index.
    pub fn note(&self, destination: &str) {
        self.ledger.add(destination, 0, 0, false);
    }

    /// Sends a request and takes in the whole reply.
    pub async fn send(&self, request: &Request<'_>) -> Result<Reply, Fault> {
        self.open(request).await?.whole(request.last_frames).await
    }

    /// Sends a request and returns with the headers of its reply.
    pub async fn open(&self, request: &Request<'_>) -> Result<Opened, Fault> {
        let started = Instant::now();
        let mut target = request.target.clone();
        for _ in 0..=REDIRECTS_MAX {
            let destination = target.destination();
            let sent = request.body.len() as u64;
            let mut out = prepared(&target, request);
            let interim = Interim::count(&mut out);
            let answer = tokio::select! {
                biased;
                () = interim.too_many() => {
                    self.ledger.add(&destination, sent, 0, true);
                    return Err(Fault::Protocol { destination });
                }
                answer = timeout_at(request.deadline, self.http.request(out)) => answer,
            };
            let response = match answer {
                Ok(Ok(response)) => response,
                Ok(Err(error)) => {
                    self.ledger.add(&destination, 0, 0, true);
                    return Err(told(&error, destination));
                }
                Err(_) => {
                    self.ledger.add(&destination, sent, 0, true);
                    return Err(Fault::NoReply {
                        destination,
                        waited_ms: millis(started.elapsed()),
                    });
                }
            };
            match redirected(&target, request, &response) {
                None => return self.opened(response, started, request.deadline, destination, sent),
                Some(next) => {
                    self.ledger.add(&destination, sent, 0, false);
                    target = next.map_err(|to| Fault::Redirect { destination, to })?;
                }
            }
        }
        Err(Fault::Redirect {
            destination: request.target.destination(),
            to: "itself repeatedly".to_owned(),
        })
    }

    fn opened(
        &self,
        response: Response<Incoming>,
        started: Instant,
        deadline: Instant,
        destination: String,
        sent: u64,
    ) -> Result<Opened, Fault> {
        let (head, body) = response.into_parts();
        let encoding = head.headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        let Some(intake) = Intake::new(encoding, self.limits.keep_bytes, self.limits.read_bytes) else {
            self.ledger.add(&destination, sent, 0, true);
            return Err(Fault::Encoding { destination });
        };
        Ok(Opened {
            status: head.status.as_u16(),
            headers: head.headers,
            first_byte: started.elapsed(),
            body,
            intake,
            given: 0,
            started,
            deadline,
            destination,
            sent,
            ledger: Arc::clone(&self.ledger),
            booked: false,
        })
    }
}

/// The interim replies of one request.
struct Interim {
    count: AtomicU32,
    passed: Notify,
}

impl Interim {
    /// Counts the interim replies to a request.
    fn count(request: &mut http::Request<Full<Bytes>>) -> Arc<Self> {
        let interim = Arc::new(Self {
            count: AtomicU32::new(0),
            passed: Notify::new(),
        });
        let counted = Arc::clone(&interim);
        hyper::ext::on_informational(request, move |_| {
            if counted.count.fetch_add(1, Ordering::Relaxed) == INTERIM_MAX {
                counted.passed.notify_one();
            }
        });
        interim
    }

    /// Waits until there were too many.
    async fn too_many(&self) {
        self.passed.notified().await;
    }
}

impl Opened {
    /// The next part of the body, unpacked; none at its end. What lies beyond the limit of what is kept is counted and
    /// not given out.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        if !self.advance().await? {
            return Ok(None);
        }
        let kept = self.intake.kept();
        let part = kept[self.given.min(kept.len())..].to_vec();
        self.given = kept.len();
        Ok(Some(part))
    }

    /// Takes in one more part of the body; false at its end.
    async fn advance(&mut self) -> Result<bool, Fault> {
        loop {
            let frame = timeout_at(self.deadline, self.body.frame()).await;
            let fault = match frame {
                Ok(None) => return Ok(false),
                Ok(Some(Ok(frame))) => match frame.data_ref().map(|data| self.intake.take(data)) {
                    None => continue,
                    Some(Ok(())) => return Ok(true),
                    Some(Err(stop)) => self.stopped(stop),
                },
                Ok(Some(Err(_))) => Fault::Truncated {
                    destination: self.destination.clone(),
                    bytes: self.intake.wire(),
                },
                Err(_) => Fault::TooSlow {
                    destination: self.destination.clone(),
                    waited_ms: millis(self.started.elapsed()),
                    bytes: self.intake.wire(),
                },
            };
            self.book(true);
            return Err(fault);
        }
    }

    /// Takes in the rest of the body.
    pub async fn whole(mut self, last_frames: &[&str]) -> Result<Reply, Fault> {
        let streamed = self.is_stream() && !last_frames.is_empty();
        while self.advance().await? {
            if streamed && self.ended(last_frames) {
                break;
            }
        }
        self.book(false);
        let destination = std::mem::take(&mut self.destination);
        let elapsed = self.started.elapsed();
        let intake = std::mem::replace(
            &mut self.intake,
            Intake::new(None, 0, 0).ok_or(Fault::Encoding {
                destination: String::new(),
            })?,
        );
        let (body, bytes) = intake.finish().map_err(|_| Fault::Encoding { destination })?;
        Ok(Reply {
            status: self.status,
            headers: std::mem::take(&mut self.headers),
            body,
            bytes,
            first_byte: self.first_byte,
            elapsed,
        })
    }

    /// Whether the reply says that it comes in events or lines.
    pub fn is_stream(&self) -> bool {
        let kind = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        kind.is_some_and(|kind| kind.contains("event-stream") || kind.contains("ndjson") || kind.contains("jsonl"))
    }

    fn ended(&self, last_frames: &[&str]) -> bool {
        let kept = self.intake.kept();
        let tail = String::from_utf8_lossy(&kept[kept.len().saturating_sub(TAIL_BYTES)..]);
        // A frame counts when its line has ended, else the rest of it is still to come.
        tail.ends_with('\n') && last_frames.iter().any(|frame| tail.contains(frame))
    }

    fn stopped(&self, stop: Stop) -> Fault {
        let destination = self.destination.clone();
        match stop {
            Stop::TooLong => Fault::Endless {
                destination,
                bytes: self.intake.total(),
            },
            Stop::Bomb => Fault::Bomb {
                destination,
                packed: self.intake.wire(),
                unpacked: self.intake.total(),
            },
            Stop::Broken => Fault::Encoding { destination },
        }
    }

    fn book(&mut self, fault: bool) {
        if !self.booked {
            self.booked = true;
            self.ledger.add(&self.destination, self.sent, self.intake.wire(), fault);
        }
    }
}

/// A reply that is left before its end was received as far as it came.
impl Drop for Opened {
    fn drop(&mut self) {
        self.book(false);
    }
}

fn prepared(target: &Target, request: &Request<'_>) -> http::Request<Full<Bytes>> {
    let mut out = http::Request::new(Full::new(request.body.clone()));
    *out.method_mut() = request.method.clone();
    *out.uri_mut() = target.uri().clone();
    let headers = out.headers_mut();
    headers.insert(
        USER_AGENT,
        HeaderValue::from_static(concat!("local-compliance-engine/", env!("CARGO_PKG_VERSION"))),
    );
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for (name, value) in request.headers {
        headers.insert(name, value.clone());
    }
    out
}

/// Where a redirect leads, if it is one: a target to go on with, or the name of one that is not followed.
fn redirected(target: &Target, request: &Request<'_>, response: &Response<Incoming>) -> Option<Result<Target, String>> {
    let status = response.status();
    if !matches!(
        status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    ) {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok();
    let Some(next) = location.and_then(|location| target.follow(location).ok()) else {
        return Some(Err("no usable address".to_owned()));
    };
    // The older kinds turn a question into a mere look at another page, which would answer something else.
    let keeps_body = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let followed = target.may_lead_to(&next) && (keeps_body || request.method == Method::GET);
    Some(if followed { Ok(next) } else { Err(next.destination()) })
}

fn told(error: &legacy::Error, destination: String) -> Fault {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(fault) = error.downcast_ref::<ConnectFault>() {
            return match fault {
                ConnectFault::Unresolved => Fault::Unresolved { destination },
                ConnectFault::Blocked(why) => Fault::Blocked { destination, why: *why },
                ConnectFault::Tls => Fault::Tls { destination },
            };
        }
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
                return Fault::Reset { destination };
            }
            if error.is_parse() {
                return Fault::Protocol { destination };
            }
        }
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            use std::io::ErrorKind as Kind;
            match error.kind() {
                Kind::ConnectionRefused => return Fault::ConnectionRefused { destination },
                Kind::ConnectionReset | Kind::ConnectionAborted | Kind::BrokenPipe | Kind::UnexpectedEof => {
                    return Fault::Reset { destination };
                }
                Kind::TimedOut => {
                    return Fault::NoReply {
                        destination,
                        waited_ms: 0,
                    };
                }
                _ => {}
            }
        }
        next = cause(error);
    }
    Fault::Network { destination }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
