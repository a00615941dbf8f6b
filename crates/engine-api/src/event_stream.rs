//! The stream of the events of the engine.

use std::collections::VecDeque;
use std::sync::Arc;

use engine::Subscription;
use engine_model::Event;
use schemars::SchemaGenerator;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::sse::{Described, Frames, NextFrame};

/// The frames of the events of the engine: first what was missed, then what comes.
#[derive(Debug)]
pub struct EventFrames {
    replay: VecDeque<Arc<Event>>,
    receiver: Option<Receiver<Arc<Event>>>,
}

impl EventFrames {
    /// The frames of a subscription.
    pub fn of(subscription: Subscription) -> Self {
        Self {
            replay: subscription.replay.into(),
            receiver: subscription.receiver,
        }
    }

    async fn next_frame(&mut self) -> Option<Vec<u8>> {
        if let Some(event) = self.replay.pop_front() {
            return Some(frame(&event));
        }
        match self.receiver.as_mut()?.recv().await {
            Ok(event) => Some(frame(&event)),
            Err(RecvError::Closed) => None,
            Err(RecvError::Lagged(missed)) => {
                // A gap inside a stream would go unseen. Ending it makes the client come back with `Last-Event-ID`,
                // and what it missed is replayed.
                self.receiver = None;
                Some(format!(": {missed} events were missed; reconnect with Last-Event-ID\n\n").into_bytes())
            }
        }
    }
}

impl Frames for EventFrames {
    fn next(&mut self) -> NextFrame<'_> {
        Box::pin(self.next_frame())
    }
}

impl Described for EventFrames {
    const FRAMES: &'static str =
        "Each frame has `id`, `event` and `data`. A comment is sent every 15 seconds to keep the connection open.";
    const END: &'static str = "A stream of server-sent events. It ends when the engine stops.";

    fn data(generator: &mut SchemaGenerator) -> Value {
        json!(generator.subschema_for::<Event>())
    }
}

fn frame(event: &Event) -> Vec<u8> {
    let data = serde_json::to_string(event).unwrap_or_else(|error| {
        tracing::error!(%error, "an event cannot be written as JSON");
        "{}".to_owned()
    });
    format!("id: {}\nevent: {}\ndata: {data}\n\n", event.id, event.body.name()).into_bytes()
}
