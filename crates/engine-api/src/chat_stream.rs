//! The stream of an answer: frames whose data has a `type`, also named for clients that listen to names.

use engine::{ChatEvent, ChatRun};
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use crate::sse::{Described, Frames, NextFrame, named};

/// The frames of one answer. Dropping them stops the request to the model.
#[derive(Debug)]
pub struct ChatFrames {
    run: ChatRun,
}

impl ChatFrames {
    /// The frames of an answer that has begun.
    pub fn of(run: ChatRun) -> Self {
        Self { run }
    }
}

impl Frames for ChatFrames {
    fn next(&mut self) -> NextFrame<'_> {
        Box::pin(async { self.run.next().await.map(|event| bytes(&event)) })
    }
}

fn bytes(event: &ChatEvent) -> Vec<u8> {
    // Existing clients listen to `text`, whose words are in `content`.
    let name = match event {
        ChatEvent::Start { .. } => "start",
        ChatEvent::Tool { .. } => "tool_call",
        ChatEvent::Token { .. } => "text",
        ChatEvent::Done(_) => "done",
        ChatEvent::Error { .. } => "error",
    };
    named(name, &json!(event))
}

impl Described for ChatFrames {
    const FRAMES: &'static str = "Each frame carries `data` with a `type`: `start`, `tool`, `token`, `done` or `error`. Frames are also \
        named; the name of `token` is `text`, that of `tool` is `tool_call`. A comment is sent every 15 seconds.";
    const END: &'static str = "A stream of server-sent events that ends with `done` or `error`. Disconnecting stops the request to the model.";

    fn data(generator: &mut SchemaGenerator) -> Value {
        json!(generator.subschema_for::<ChatEvent>())
    }
}
