//! The stream of a run: every result twice, as data with a `type` of the interface, and named for published clients.

use std::collections::VecDeque;

use engine::{EvalResult, EvalRun, EvalStarted, RunEvent};
use engine_model::{ErrorBody, Failure};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use crate::published::{Published, name_probe};
use crate::sse::{Described, Frames, NextFrame, named};

/// The frames of a run. Dropping them stops the run.
#[derive(Debug)]
pub struct RunFrames {
    run: EvalRun,
    ready: VecDeque<Vec<u8>>,
    ended: bool,
}

impl RunFrames {
    /// The frames of a run that has begun.
    pub fn of(run: EvalRun) -> Self {
        let start = named("eval:start", &typed("eval:start", run.started()));
        Self {
            run,
            ready: [start].into(),
            ended: false,
        }
    }

    async fn next_frame(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            if self.ended {
                return None;
            }
            if let Some(event) = self.run.next().await {
                self.ready.push_back(plain(&json!(event)));
                if matches!(event, RunEvent::ProbeResult { .. }) {
                    let mut test = typed("eval:test", &event);
                    if let Some(fields) = test.as_object_mut() {
                        name_probe(fields);
                    }
                    self.ready.push_back(named("eval:test", &test));
                }
                continue;
            }
            let end = self.run.done().await;
            self.ended = true;
            match end {
                Ok(result) => {
                    let complete = RunEvent::Complete {
                        id: result.id.clone(),
                        score: result.score,
                        total: result.total,
                    };
                    // Published clients end with the result, so it comes first.
                    self.ready
                        .push_back(named("eval:done", &typed("eval:done", &Published(result))));
                    self.ready.push_back(plain(&json!(complete)));
                }
                Err(failure) => self.ready.push_back(named("error", &error(&failure))),
            }
        }
    }
}

impl Frames for RunFrames {
    fn next(&mut self) -> NextFrame<'_> {
        Box::pin(self.next_frame())
    }
}

/// A failure with the `type` that all frames have.
fn error(failure: &Failure) -> Value {
    typed("error", &failure.body())
}

/// An object with a `type` of its own.
fn typed<T: Serialize>(name: &str, value: &T) -> Value {
    let mut value = json!(value);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("type".to_owned(), json!(name));
    }
    value
}

/// A frame of the interface. Its name is the one that a frame without a name has: published clients keep the name of the
/// frame before otherwise.
fn plain(data: &Value) -> Vec<u8> {
    named("message", data)
}

/// What the data of one frame is.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum RunFrame {
    /// Frames of the name `message`, which an `EventSource` treats as frames without a name.
    Event(RunEvent),
    /// `eval:start`.
    Started(EvalStarted),
    /// `eval:done`.
    Done(Box<Published<EvalResult>>),
    /// `error`.
    Error(ErrorBody),
}

impl Described for RunFrames {
    const FRAMES: &'static str = "Frames named `message` carry `data` with a `type`: `probe_start`, `probe_result`, `category_complete` or \
        `complete`. Other frames are `eval:start`, `eval:test`, `eval:done` (the whole result) and `error`; \
        their data repeats the name as `type`. A comment is sent every 15 seconds.";
    const END: &'static str = "A stream of server-sent events that ends with the run. Disconnecting stops the run; the engine stores the results so far.";

    fn data(generator: &mut SchemaGenerator) -> Value {
        json!(generator.subschema_for::<RunFrame>())
    }
}
