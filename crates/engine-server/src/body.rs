//! Bodies of requests: read within limits, or thrown away within limits.

use std::time::Duration;

use engine_model::{ErrorCode, Failure};
use http::HeaderMap;
use http::header::EXPECT;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use crate::limits::{BODY_BYTES_MAX, DISCARDED_BYTES_MAX};

/// The longest time for discarding a refused body.
const DISCARD_TIME_MAX: Duration = Duration::from_secs(10);

/// Reads a whole body. A failure returns the rest of the body, so that it can be discarded.
pub(crate) async fn read(mut body: Incoming, time: Duration) -> Result<Vec<u8>, (Failure, Option<Incoming>)> {
    let declared = body.size_hint().exact().unwrap_or(0);
    if declared > BODY_BYTES_MAX as u64 {
        return Err((too_large(), Some(body)));
    }
    let deadline = tokio::time::Instant::now() + time;
    let mut bytes = Vec::new();
    loop {
        let frame = match tokio::time::timeout_at(deadline, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok(bytes),
            Ok(Some(Err(_))) => {
                let details = "the body ended early or does not match its headers; send it again";
                return Err((Failure::new(ErrorCode::InvalidRequest, details), None));
            }
            Err(_) => {
                let details = format!(
                    "the body did not arrive within {} seconds; send it again without pauses",
                    time.as_secs_f32()
                );
                return Err((Failure::new(ErrorCode::RequestTimeout, details), None));
            }
        };
        let Some(data) = frame.data_ref() else { continue };
        if bytes.len() + data.len() > BODY_BYTES_MAX {
            return Err((too_large(), Some(body)));
        }
        bytes.extend_from_slice(data);
    }
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
