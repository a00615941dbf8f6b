//! The stream of an answer: frames whose data has a `type`, also named for clients that listen to names.

use engine::{ChatEvent, ChatRun};
use engine_model::Failure;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use crate::output::{EventFrames, Output, OutputShape, Reply, ReplyBody};

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

    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        self.run.next().await.map(|event| bytes(&event))
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
    let data: Value = json!(event);
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

/// The stream as a reply.
#[derive(Debug)]
pub struct ChatStream(pub ChatFrames);

impl Output for ChatStream {
    fn reply(self) -> Result<Reply, Failure> {
        Ok(Reply {
            content_type: "text/event-stream",
            body: ReplyBody::Events(EventFrames::from(self.0)),
        })
    }

    fn shape(generator: &mut SchemaGenerator) -> OutputShape {
        OutputShape {
            content_type: "text/event-stream",
            media: json!({
                "schema": {
                    "type": "string",
                    "description": "Each frame carries `data` with a `type`: `start`, `tool`, `token`, `done` or `error`. Frames are also \
                        named; the name of `token` is `text`, that of `tool` is `tool_call`. A comment is sent every 15 seconds.",
                },
                "x-event-schema": generator.subschema_for::<ChatEvent>(),
            }),
            description: "A stream of server-sent events that ends with `done` or `error`. Disconnecting stops the request to the model.",
        }
    }
}
