//! The stream of events.

use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Context, Effect, Endpoint, EventFrames, Example, LastEventId, Sse};

/// `GET /events`
pub(super) enum GetEvents {}

impl Endpoint for GetEvents {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/events";
    const SUMMARY: &'static str = "Stream the events of the engine";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all new events",
            request: "/events",
            status: 200,
        },
        Example {
            name: "an unknown parameter",
            request: "/events?since=1",
            status: 400,
        },
    ];

    type Input = LastEventId;
    type Output = Sse<EventFrames>;

    async fn call(context: Context, LastEventId(last): LastEventId) -> Result<Self::Output, Failure> {
        Ok(Sse(EventFrames::of(context.engine().events().subscribe(last))))
    }
}
