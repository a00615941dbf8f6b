//! One request to the dashboard: sent, repeated after a pause where that can help, and read within limits.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use engine_outbound::{Client, Fault, HeaderMap, HeaderName, HeaderValue, Method, Request, Target};
use engine_signing::Digest;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use jiff::fmt::rfc2822;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::wire::{ErrorReply, StatusReply};
use crate::{Address, SyncError, Token};

/// How often one request is sent at most.
const ATTEMPTS_MAX: u32 = 4;

/// Time for one attempt.
const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(20);

/// The first pause; each further one is twice as long.
const PAUSE_FIRST: Duration = Duration::from_millis(250);

/// The longest pause that the engine chooses itself.
const PAUSE_MAX: Duration = Duration::from_secs(8);

/// Bytes of a reply; a longer one does not match the contract.
const REPLY_BYTES_MAX: usize = 512 * 1024;

/// The header by which a dashboard recognises a repetition.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A dashboard, for one synchronisation.
pub struct Dashboard {
    client: Client,
    address: Address,
    token: Token,
    deadline: Instant,
}

impl std::fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dashboard({})", self.address.destination())
    }
}

/// A reply that is to be read.
pub(crate) struct Answered {
    pub(crate) status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Dashboard {
    /// A dashboard with the time that all requests together may take.
    pub fn new(client: Client, address: Address, token: Token, time: Duration) -> Self {
        Self {
            client,
            address,
            token,
            deadline: Instant::now() + time,
        }
    }

    /// Host and port.
    pub fn destination(&self) -> String {
        self.address.destination()
    }

    /// A text of the dashboard as it may be shown.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.token.clean(text)
    }

    /// Asks whether the token is accepted.
    ///
    /// # Errors
    ///
    /// [`SyncError`].
    pub async fn status(&self) -> Result<StatusReply, SyncError> {
        let answered = self.exchange(Method::GET, "/api/sync/status", Vec::new()).await?;
        let mut reply: StatusReply = self.read(&answered)?;
        reply.account = reply
            .account
            .map(|account| self.clean(&account))
            .filter(|text| !text.is_empty());
        Ok(reply)
    }

    /// Sends a request until it is answered with something other than a passing failure. The statuses 200, 409 and 413 come back.
    pub(crate) async fn exchange(&self, method: Method, route: &str, body: Vec<u8>) -> Result<Answered, SyncError> {
        let target = self
            .address
            .route(route)
            .map_err(|error| SyncError::Request(error.to_string()))?;
        let headers = self.headers(&method, route, &body)?;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let (error, asked) = match self.once(&target, &method, &headers, &body).await {
                Ok(answered) => match answered.status {
                    200 | 409 | 413 => return Ok(answered),
                    status @ (401 | 403) => {
                        return Err(SyncError::TokenRefused {
                            dashboard: self.destination(),
                            status,
                        });
                    }
                    status => {
                        let asked = asked_to_wait(&answered.headers);
                        let error = SyncError::Status {
                            dashboard: self.destination(),
                            status,
                            message: self.message(&answered),
                            retry_after: asked.map(|pause| pause.as_secs().max(1)),
                        };
                        if !matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504) {
                            return Err(error);
                        }
                        (error, asked)
                    }
                },
                Err(Lost::Fault(fault)) => {
                    let error = SyncError::of(&fault, &self.destination(), self.clean(&fault.to_string()));
                    if !passes(&fault) {
                        return Err(error);
                    }
                    (error, None)
                }
                Err(Lost::Reply(why)) => return Err(self.broken(why)),
            };
            let pause = asked.unwrap_or_else(|| pause_before(attempt));
            if attempt >= ATTEMPTS_MAX || Instant::now() + pause >= self.deadline {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Reads a reply as the contract says.
    pub(crate) fn read<T: DeserializeOwned>(&self, answered: &Answered) -> Result<T, SyncError> {
        let kind = answered
            .headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        if !is_json(kind) {
            let why = match self.clean(kind) {
                kind if kind.is_empty() => "it has no `Content-Type`; `application/json` is expected".to_owned(),
                kind => format!("it is `{kind}`; `application/json` is expected"),
            };
            return Err(self.broken(why));
        }
        serde_json::from_slice(&answered.body).map_err(|error| self.broken(self.clean(&error.to_string())))
    }

    /// What the dashboard says about an error.
    pub(crate) fn message(&self, answered: &Answered) -> Option<String> {
        let reply: ErrorReply = self.read(answered).ok()?;
        Some(self.clean(&reply.error)).filter(|text| !text.is_empty())
    }

    fn broken(&self, why: String) -> SyncError {
        SyncError::Reply {
            dashboard: self.destination(),
            why,
        }
    }

    fn headers(&self, method: &Method, route: &str, body: &[u8]) -> Result<HeaderMap, SyncError> {
        let wrong = || SyncError::Request("the token cannot be sent in a header".to_owned());
        let json = HeaderValue::from_static("application/json");
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, self.token.header().ok_or_else(wrong)?);
        headers.insert(ACCEPT, json.clone());
        if method == Method::POST {
            headers.insert(CONTENT_TYPE, json);
            let key = idempotency_key(route, body).to_string();
            headers.insert(IDEMPOTENCY_KEY, HeaderValue::try_from(key).map_err(|_| wrong())?);
        }
        Ok(headers)
    }

    async fn once(&self, target: &Target, method: &Method, headers: &HeaderMap, body: &[u8]) -> Result<Answered, Lost> {
        let request = Request {
            target,
            method: method.clone(),
            headers,
            body: body.to_vec().into(),
            deadline: self.deadline.min(Instant::now() + ATTEMPT_TIME_MAX),
            last_frames: &[],
        };
        let mut opened = self.client.open(&request).await.map_err(Lost::Fault)?;
        let mut body = Vec::new();
        while let Some(part) = opened.next().await.map_err(Lost::Fault)? {
            body.extend_from_slice(&part);
            if body.len() > REPLY_BYTES_MAX {
                return Err(Lost::Reply(format!("it is longer than {REPLY_BYTES_MAX} bytes")));
            }
        }
        Ok(Answered {
            status: opened.status,
            headers: std::mem::take(&mut opened.headers),
            body,
        })
    }
}

/// An attempt without a reply that can be read.
enum Lost {
    Fault(Fault),
    Reply(String),
}

/// Whether a fault can be gone the next time. A request is recognised by its key, so that it may be repeated.
fn passes(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::ConnectionRefused { .. }
            | Fault::NoReply { .. }
            | Fault::TooSlow { .. }
            | Fault::Reset { .. }
            | Fault::Truncated { .. }
            | Fault::Network { .. }
    )
}

/// The same for the same content, whenever it is sent.
fn idempotency_key(route: &str, body: &[u8]) -> Digest {
    let mut bytes = format!("local-compliance-engine sync 1\n{route}\n").into_bytes();
    bytes.extend_from_slice(body);
    Digest::of(&bytes)
}

/// The pause after an attempt: longer each time, and between half and all of that, so that many engines do not come back at once.
fn pause_before(attempt: u32) -> Duration {
    let whole = PAUSE_FIRST
        .saturating_mul(1 << attempt.saturating_sub(1).min(8))
        .min(PAUSE_MAX);
    // The hasher of the standard library is seeded at random.
    let share = RandomState::new().build_hasher().finish() % 512;
    whole / 2 + whole.mul_f64(f64::from(u16::try_from(share).unwrap_or_default()) / 1024.0)
}

/// How long the dashboard asks to wait: seconds, or a date beside its own clock.
fn asked_to_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let after = text(RETRY_AFTER)?;
    if let Ok(seconds) = after.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let at = rfc2822::parse(after).ok()?.timestamp();
    let now = rfc2822::parse(text(http::header::DATE)?).ok()?.timestamp();
    let seconds = u64::try_from(at.as_second().checked_sub(now.as_second())?).ok()?;
    Some(Duration::from_secs(seconds))
}

fn is_json(kind: &str) -> bool {
    let name = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    name == "application/json" || (name.starts_with("application/") && name.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_retry_after_as_seconds_or_date_then_it_is_read() {
        let wait = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
            }
            asked_to_wait(&headers)
        };
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(
            wait(&[
                ("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"),
                ("date", "Wed, 21 Oct 2026 07:28:00 GMT")
            ]),
            Some(Duration::from_secs(30))
        );
        for odd in ["-3", "soon", "", "99999999999999999999"] {
            assert_eq!(wait(&[("retry-after", odd)]), None, "{odd}");
        }
        assert_eq!(wait(&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")]), None);
    }

    #[test]
    fn given_the_same_content_then_the_key_is_the_same() {
        let key = idempotency_key("/api/sync/scan", b"{}");
        assert_eq!(key, idempotency_key("/api/sync/scan", b"{}"));
        assert_ne!(key, idempotency_key("/api/sync/passport", b"{}"));
        assert_ne!(key, idempotency_key("/api/sync/scan", b"{ }"));
    }

    #[test]
    fn given_many_attempts_then_pauses_grow_and_stay_bounded() {
        for attempt in 1..40 {
            let whole = PAUSE_FIRST.saturating_mul(1 << (attempt - 1u32).min(8)).min(PAUSE_MAX);
            let pause = pause_before(attempt);
            assert!(pause >= whole / 2 && pause <= whole, "{attempt}: {pause:?}");
        }
    }
}
