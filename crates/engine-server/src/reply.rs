//! Replies: the headers that all have, and failures as JSON.

use std::convert::Infallible;
use std::io::Read as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use data_encoding::BASE64;
use engine_api::Download;
use engine_model::{ErrorCode, Failure, outside_text};
use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    HeaderName, RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::channel::Channel;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};

use crate::connection::BusyGuard;

/// Bytes of a file that are in memory at once.
const PIECE_BYTES: usize = 256 * 1024;

/// The body of a reply; the connection counts as busy until it is sent.
pub(crate) struct ReplyBytes {
    inner: UnsyncBoxBody<Bytes, Infallible>,
    busy: Option<BusyGuard>,
}

impl ReplyBytes {
    fn of(bytes: Vec<u8>) -> Self {
        Self::stream(Full::new(Bytes::from(bytes)))
    }

    pub(crate) fn stream(body: impl Body<Data = Bytes, Error = Infallible> + Send + 'static) -> Self {
        Self {
            inner: body.boxed_unsync(),
            busy: None,
        }
    }

    pub(crate) fn hold(&mut self, busy: BusyGuard) {
        self.busy = Some(busy);
    }
}

impl Body for ReplyBytes {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A reply of this daemon.
pub(crate) type Answer = Response<ReplyBytes>;

/// The policy of a reply that a browser would show: no script, nothing from elsewhere, and an origin of its own. The page has another.
const SHOWN_POLICY: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A page that says why a share cannot be read. It holds no value from a request.
const FAILURE_PAGE: &str = include_str!("reply/failure.html");

/// A reply with the common headers.
pub(crate) fn answer(status: StatusCode, content_type: &'static str, body: ReplyBytes) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if content_type.starts_with("text/html") || content_type.starts_with("image/svg") {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SHOWN_POLICY));
    }
    answer
}

/// A reply with all its bytes.
pub(crate) fn whole(content_type: &'static str, bytes: Vec<u8>) -> Answer {
    answer(StatusCode::OK, content_type, ReplyBytes::of(bytes))
}

/// A reply whose bytes are the same for every request; all share them.
pub(crate) fn fixed(content_type: &'static str, bytes: &'static [u8]) -> Answer {
    let body = ReplyBytes::stream(Full::new(Bytes::from_static(bytes)));
    answer(StatusCode::OK, content_type, body)
}

/// A reply with a file, which is read and sent in pieces; `HEAD` sends only its headers.
pub(crate) fn download(content_type: &'static str, download: Download, head: bool) -> Answer {
    let (bytes, digest) = (download.bytes, BASE64.encode(&download.sha256));
    let named = format!("attachment; filename=\"{}\"", download.name);
    let body = if head {
        ReplyBytes::of(Vec::new())
    } else {
        pieces(download)
    };
    let mut answer = answer(StatusCode::OK, content_type, body);
    let headers = [
        (CONTENT_LENGTH, bytes.to_string()),
        (CONTENT_DISPOSITION, named),
        (HeaderName::from_static("content-digest"), format!("sha-256=:{digest}:")),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// The bytes of a file as they are read, on threads that may wait for the disk.
fn pieces(download: Download) -> ReplyBytes {
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(1);
    tokio::spawn(async move {
        let mut content = download.content;
        let mut left = download.bytes;
        while left > 0 {
            let count = usize::try_from(left).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
            let read = tokio::task::spawn_blocking(move || {
                let mut piece = vec![0; count];
                content.read_exact(&mut piece).map(|()| (piece, content))
            });
            // A file that ends early breaks the announced length, and the client sees that.
            let Ok(Ok((piece, rest))) = read.await else { return };
            content = rest;
            left -= piece.len() as u64;
            if sender.send_data(Bytes::from(piece)).await.is_err() {
                return;
            }
        }
    });
    ReplyBytes::stream(body)
}

/// The reply to `OPTIONS`: the methods, and no word that would let a web page in.
pub(crate) fn options(allow: &str) -> Answer {
    let mut answer = answer(StatusCode::NO_CONTENT, "application/json", ReplyBytes::of(Vec::new()));
    set_allow(&mut answer, allow);
    answer
}

/// Names the methods of a path.
pub(crate) fn set_allow(answer: &mut Answer, allow: &str) {
    if let Ok(allow) = HeaderValue::from_str(allow) {
        answer.headers_mut().insert(ALLOW, allow);
    }
}

/// Says that the connection closes after this reply.
pub(crate) fn set_close(answer: &mut Answer) {
    answer
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
}

/// A failure as a reply.
pub(crate) fn failure(failure: &Failure) -> Answer {
    let mut answer = answer(failure.code.status(), "application/json", ReplyBytes::of(json(failure)));
    for (name, value) in failure_headers(failure) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// A failure as plain text, for the paths of published clients.
pub(crate) fn failure_text(failure: &Failure) -> Answer {
    let text = outside_text(&failure.details).into_owned();
    let bytes = ReplyBytes::of(text.into_bytes());
    let mut answer = answer(failure.code.status(), "text/plain; charset=utf-8", bytes);
    for (name, value) in failure_headers(failure) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// A failure as a page, for a person who opened the address of a share in a browser.
pub(crate) fn failure_page(failure: &Failure) -> Answer {
    let (title, text) = match failure.code {
        ErrorCode::UnknownShare => (
            "This share cannot be read",
            "It does not exist, has ended or was revoked. Ask the sender for a new one.",
        ),
        ErrorCode::TokenRequired => (
            "This share is behind a token",
            "The engine was started with a token file. Open its start page, enter the token there, and save the share as a file.",
        ),
        _ => (
            "This share cannot be shown",
            "The engine could not read it. Try again; the log of the engine says more.",
        ),
    };
    let page = FAILURE_PAGE.replace("{{title}}", title).replace("{{text}}", text);
    let bytes = ReplyBytes::of(page.into_bytes());
    answer(failure.code.status(), "text/html; charset=utf-8", bytes)
}

/// A failure as the bytes on the wire, for a connection that closes without a request having been read.
pub(crate) fn raw(failure: &Failure) -> Vec<u8> {
    let body = json(failure);
    let mut head = format!(
        "HTTP/1.1 {}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n\
         connection: close\r\ncontent-length: {}\r\n",
        failure.code.status(),
        body.len()
    );
    for (name, value) in failure_headers(failure) {
        head.push_str(name.as_str());
        head.push_str(": ");
        head.push_str(&value);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend(body);
    bytes
}

fn failure_headers(failure: &Failure) -> Vec<(HeaderName, String)> {
    let mut headers = Vec::new();
    if let Some(seconds) = failure.retry_after {
        headers.push((RETRY_AFTER, seconds.to_string()));
    }
    if failure.code == ErrorCode::TokenRequired {
        headers.push((WWW_AUTHENTICATE, "Bearer".to_owned()));
    }
    headers
}

fn json(failure: &Failure) -> Vec<u8> {
    let mut body = failure.body();
    // A failure may quote what was sent, and is shown in terminals and logs of build servers.
    body.details = outside_text(&body.details).into_owned();
    body.message = outside_text(&body.message).into_owned();
    body.field = body.field.map(|field| outside_text(&field).into_owned());
    // A struct of texts and numbers can always be written.
    serde_json::to_vec(&body).unwrap_or_default()
}
