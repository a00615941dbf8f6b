//! Bodies of requests: read within limits, or thrown away within limits.

use std::sync::Arc;
use std::time::Duration;

use engine_model::{ErrorCode, Failure};
use http::HeaderMap;
use http::header::EXPECT;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use crate::bodies::{self, Bodies};
use crate::connection::Activity;
use crate::limits::{BODY_BYTES_MAX, BODY_BYTES_PER_SECOND_MIN, DISCARDED_BYTES_MAX, Limits};

/// The longest time for discarding a refused body.
const DISCARD_TIME_MAX: Duration = Duration::from_secs(10);

/// How often the rate of a body is looked at.
const RATE_INTERVAL: Duration = Duration::from_millis(500);

/// A failure, with the rest of the body where it can be discarded.
type Failed = (Failure, Option<Incoming>);

/// Reads a whole body, with its place in the budget. A failure returns the rest of the body, so that it can be discarded.
pub(crate) async fn read(
    mut body: Incoming,
    limits: &Limits,
    bodies: &Arc<Bodies>,
    activity: &Activity,
) -> Result<(Vec<u8>, bodies::Body), Failed> {
    let declared = body.size_hint().exact().unwrap_or(0);
    if declared > BODY_BYTES_MAX as u64 {
        return Err((too_large(), Some(body)));
    }
    let began = tokio::time::Instant::now();
    let deadline = began + limits.body_read;
    let mut last = began;
    let mut place = bodies.begin();
    let mut bytes = Vec::new();
    let waiting = activity.waits_for_body();
    loop {
        let look = (tokio::time::Instant::now() + RATE_INTERVAL).min(deadline);
        let frame = tokio::select! {
            biased;
            () = place.cut() => return Err((crowded_out(), None)),
            () = activity.body_is_cut() => return Err((crowded_out(), None)),
            frame = tokio::time::timeout_at(look, body.frame()) => frame,
        };
        let frame = match frame {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => break,
            Ok(Some(Err(_))) => {
                let details = "the body ended early or does not match its headers; send it again";
                return Err((Failure::new(ErrorCode::InvalidRequest, details), None));
            }
            Err(_) => {
                let now = tokio::time::Instant::now();
                let pauses = now - last >= limits.body_grace * 2;
                let crawls =
                    bodies::is_too_slow(bytes.len(), now - began, limits.body_grace, BODY_BYTES_PER_SECOND_MIN);
                if now >= deadline || pauses || crawls {
                    return Err((too_slow(limits.body_read), None));
                }
                continue;
            }
        };
        let Some(data) = frame.data_ref() else { continue };
        if data.is_empty() {
            continue;
        }
        last = tokio::time::Instant::now();
        activity.body_came();
        if bytes.len() + data.len() > BODY_BYTES_MAX {
            return Err((too_large(), Some(body)));
        }
        if !place.add(data.len()) {
            return Err((crowded_out(), None));
        }
        bytes.extend_from_slice(data);
        let crawls = bodies::is_too_slow(bytes.len(), last - began, limits.body_grace, BODY_BYTES_PER_SECOND_MIN);
        if last >= deadline || crawls {
            return Err((too_slow(limits.body_read), None));
        }
    }
    drop(waiting);
    place.whole().await;
    Ok((bytes, place))
}

fn too_slow(time: Duration) -> Failure {
    let details = format!(
        "the body did not arrive within {} seconds, or came too slowly; send it again without pauses",
        time.as_secs_f32()
    );
    Failure::new(ErrorCode::RequestTimeout, details)
}

fn crowded_out() -> Failure {
    Failure::new(
        ErrorCode::RequestTimeout,
        "the body was dropped to make room for faster requests; send it again without pauses",
    )
}

/// Discards the rest of a body while the reply is sent. A client whose connection is cut while it sends would never
/// see the reply.
pub(crate) fn discard(mut body: Incoming, headers: &HeaderMap) {
    // A client that waits for leave to send gets the reply instead.
    if body.is_end_stream() || headers.contains_key(EXPECT) {
        return;
    }
    tokio::spawn(tokio::time::timeout(DISCARD_TIME_MAX, async move {
        let mut left = DISCARDED_BYTES_MAX;
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, hyper::body::Bytes::len));
            if left == 0 {
                break;
            }
        }
    }));
}

fn too_large() -> Failure {
    let details = format!("the body is longer than the limit of {BODY_BYTES_MAX} bytes; send a smaller one");
    Failure::new(ErrorCode::BodyTooLarge, details)
}
