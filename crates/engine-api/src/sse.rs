//! Streams of server-sent events: what each has to say for itself, and how all of them become replies.

use std::pin::Pin;

use engine_model::Failure;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use crate::output::{Output, OutputShape, Reply, ReplyBody};

/// The next frame, once it is there.
pub type NextFrame<'a> = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send + 'a>>;

/// The frames of a stream.
pub trait Frames: std::fmt::Debug + Send {
    /// The next frame; none when the stream has ended. Giving up the wait loses nothing.
    fn next(&mut self) -> NextFrame<'_>;
}

/// What a description of the interface says of the frames of a stream.
pub trait Described: Frames + 'static {
    /// Which frames there are.
    const FRAMES: &'static str;

    /// When the stream ends, and what becomes of the work if the client leaves.
    const END: &'static str;

    /// The schema of the data of one frame.
    fn data(generator: &mut SchemaGenerator) -> Value;
}

/// A stream as a reply.
#[derive(Debug)]
pub struct Sse<F>(pub F);

impl<F: Described> Output for Sse<F> {
    fn reply(self) -> Result<Reply, Failure> {
        Ok(Reply {
            content_type: "text/event-stream",
            body: ReplyBody::Events(Box::new(self.0)),
        })
    }

    fn shape(generator: &mut SchemaGenerator) -> OutputShape {
        OutputShape {
            content_type: "text/event-stream",
            media: json!({
                "schema": { "type": "string", "description": F::FRAMES },
                // OpenAPI 3.1 has no place for the schema of one frame's data.
                "x-event-schema": F::data(generator),
            }),
            description: F::END,
        }
    }
}

/// A frame with a name.
pub(crate) fn named(name: &str, data: &Value) -> Vec<u8> {
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}
