//! The stream of `apply-all`: what happens to each fix, as named frames whose data repeats the name as `type`.

use std::sync::Arc;

use engine::{ApplyAllReply, ApplyAllRequest, ApplySummary, Engine, FixProgress, FixResult, ScanHooks, UnfixedFinding};
use engine_model::Failure;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::sse::{Described, Frames, NextFrame, named};

/// The frames of one `apply-all`. The work goes on when they are dropped: a change that has begun runs to its end.
#[derive(Debug)]
pub struct FixFrames {
    frames: UnboundedReceiver<Frame>,
}

/// The data of one frame.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type")]
enum Frame {
    /// The fixes are planned.
    #[serde(rename = "fix:start")]
    Start {
        /// Fixes that will be applied.
        total: u64,
    },
    /// A fix is about to be applied.
    #[serde(rename = "fix:progress", rename_all = "camelCase")]
    Progress {
        /// Its check.
        check_id: String,
        /// Its first file.
        path: String,
        /// `apply`.
        action: &'static str,
    },
    /// A fix was applied.
    #[serde(rename = "fix:applied")]
    Applied(Box<FixResult>),
    /// A fix could not be applied.
    #[serde(rename = "fix:failed")]
    Failed(Box<FixResult>),
    /// All is done.
    #[serde(rename = "fix:done", rename_all = "camelCase")]
    Done {
        /// The counts.
        summary: ApplySummary,
        /// Open findings without an applied fix.
        unfixed_findings: Vec<UnfixedFinding>,
        /// What to know.
        warnings: Vec<String>,
    },
    /// It ended early.
    #[serde(rename = "fix:error", rename_all = "camelCase")]
    Error {
        /// The stable error code.
        code: String,
        /// The problem and the next step.
        message: String,
    },
}

impl Frame {
    const fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "fix:start",
            Self::Progress { .. } => "fix:progress",
            Self::Applied(_) => "fix:applied",
            Self::Failed(_) => "fix:failed",
            Self::Done { .. } => "fix:done",
            Self::Error { .. } => "fix:error",
        }
    }

    fn bytes(&self) -> Vec<u8> {
        named(self.name(), &json!(self))
    }
}

impl FixFrames {
    /// Starts the work on a thread of its own.
    pub fn of(engine: Arc<Engine>, request: ApplyAllRequest) -> Self {
        let (sender, frames) = unbounded_channel();
        tokio::task::spawn_blocking(move || {
            // The client may have left; the work continues.
            let tell = |frame| drop(sender.send(frame));
            let progress = |step| {
                tell(match step {
                    FixProgress::Start { total } => Frame::Start { total },
                    FixProgress::Applying { check_id, path } => Frame::Progress {
                        check_id,
                        path,
                        action: "apply",
                    },
                    FixProgress::Applied(result) => Frame::Applied(result),
                    FixProgress::Failed(result) => Frame::Failed(result),
                });
            };
            tell(match engine.apply_all(&request, &progress, &ScanHooks::default()) {
                Ok(reply) => done(reply),
                Err(failure) => error(failure),
            });
        });
        Self { frames }
    }
}

impl Frames for FixFrames {
    fn next(&mut self) -> NextFrame<'_> {
        Box::pin(async { self.frames.recv().await.map(|frame| frame.bytes()) })
    }
}

fn done(reply: ApplyAllReply) -> Frame {
    Frame::Done {
        summary: reply.summary,
        unfixed_findings: reply.unfixed_findings,
        warnings: reply.warnings,
    }
}

fn error(failure: Failure) -> Frame {
    Frame::Error {
        code: failure.code.slug().to_owned(),
        message: failure.details,
    }
}

impl Described for FixFrames {
    const FRAMES: &'static str = "Frames are named `fix:start`, `fix:progress`, `fix:applied`, `fix:failed`, `fix:done` and `fix:error`; \
        their data repeats the name as `type`. A comment is sent every 15 seconds.";
    const END: &'static str = "A stream of server-sent events that ends with `fix:done` or `fix:error`. Disconnecting does not stop the work.";

    fn data(generator: &mut SchemaGenerator) -> Value {
        json!(generator.subschema_for::<Frame>())
    }
}
