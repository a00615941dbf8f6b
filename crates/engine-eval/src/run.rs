//! Runs a plan against a target: in parallel, within hard limits, and never the same question twice.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use engine_model::Severity;
use engine_outbound::Client;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::endpoint::Endpoint;
use crate::judge::{Judge, Judgement, Place, Question, Verdict};
use crate::plan::{Calibration, Case, Estimate, Plan, Prices};
use crate::suite::Method;

mod exchange;
mod pace;
mod purse;
mod worker;

pub(crate) use engine_llm::{asked_to_wait, by_length};
pub use exchange::part_reasoning;
pub use pace::Stop;
pub use purse::{Payee, Purse, Spent};

/// Names of what came of a turn that are no names of faults.
pub mod outcome {
    /// Words.
    pub const OK: &str = "ok";
    /// A reply without words.
    pub const EMPTY: &str = "empty";
    /// The service took the words away.
    pub const FILTERED: &str = "filtered";
    /// More than is kept.
    pub const OVERSIZE: &str = "oversize";
    /// The run ended while the question was out; it is not asked again.
    pub const INTERRUPTED: &str = "interrupted";
    /// The service asked to wait for longer than there was time.
    pub const RATE_LIMITED: &str = "rate-limited";
}

/// How a run is done.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// How often each probe is asked.
    pub repeats: u32,
    /// Whether failed attacks are asked up to three times.
    pub confirm: bool,
    /// Dialogues at the same time.
    pub concurrency: usize,
    /// Requests a second at most.
    pub rps: Option<f64>,
    /// Milliseconds for one reply.
    pub request_ms: u64,
    /// Milliseconds for the whole run.
    pub total_ms: Option<u64>,
    /// Requests at most.
    pub max_requests: Option<u64>,
    /// Tokens at most, sent and received.
    pub max_tokens: Option<u64>,
    /// Money at most; needs prices.
    pub max_cost: Option<f64>,
    /// Prices of the target.
    pub prices: Option<Prices>,
    /// Prices of the model that judges; those of the target where none are given.
    pub judge_prices: Option<Prices>,
    /// Questions of the plan that go first, so that what the rest will take is told from them.
    pub pilot: usize,
    /// What is known of the target's tokens, where these questions tell nothing.
    pub calibration: Calibration,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            repeats: 1,
            confirm: true,
            concurrency: 5,
            rps: None,
            request_ms: 60_000,
            total_ms: None,
            max_requests: None,
            max_tokens: None,
            max_cost: None,
            prices: None,
            judge_prices: None,
            pilot: 0,
            calibration: Calibration::default(),
        }
    }
}

/// The name of one question in a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct TurnKey {
    /// The probe.
    pub probe: String,
    /// Which repetition, from 0.
    pub repeat: u32,
    /// The dialogue.
    pub request: String,
    /// The turn, from 0.
    pub turn: usize,
}

/// One question with its reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// The question.
    pub prompt: String,
    /// The answer, without reasoning.
    pub response: String,
    /// The reasoning of the model before its answer, if it sent any. It is not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// `ok`, `empty`, `filtered`, `oversize` or the name of a fault.
    pub transport: String,
    /// The status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Milliseconds to the last byte.
    pub latency: f64,
    /// Bytes of the reply.
    pub bytes: u64,
    /// Tokens sent: reported by the target, else estimated.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Number of requests, retries included.
    pub requests: u32,
    /// Relevant reply headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The response body.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
}

impl Turn {
    /// Whether there is something to judge.
    pub fn is_answered(&self) -> bool {
        matches!(
            self.transport.as_str(),
            outcome::OK | outcome::FILTERED | outcome::OVERSIZE
        )
    }

    /// Whether the target replied at all.
    pub fn is_reply(&self) -> bool {
        self.is_answered() || self.transport == outcome::EMPTY
    }
}

/// A journal could not be written; nothing may be sent that is not written down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not record the run: {0}")]
pub struct JournalFailed(pub String);

/// The future of something that is being written down.
pub type Writing<'a> = Pin<Box<dyn Future<Output = Result<(), JournalFailed>> + Send + 'a>>;

/// Writes down what is sent before it is sent, so that a run can go on after a crash and ask nothing twice.
///
/// What is handed over is written in the order in which it was, so that whoever waits for a question has waited for every
/// reply before it: a crash loses no more replies than there are requests in flight.
pub trait Journal: Send + Sync {
    /// A question may be sent once this has ended well.
    fn sending<'a>(&'a self, key: &'a TurnKey) -> Writing<'a>;
    /// Its reply came, or a fault did. Nobody waits until it is written.
    fn received(&self, key: &TurnKey, turn: &Turn) -> Result<(), JournalFailed>;
    /// Waits until everything is written.
    fn flush(&self) -> Writing<'_>;
    /// Takes out of a reply what must neither be judged, kept nor told, such as a key that the target sent back.
    fn clean(&self, _turn: &mut Turn) {}
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn sending<'a>(&'a self, _: &'a TurnKey) -> Writing<'a> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn received(&self, _: &TurnKey, _: &Turn) -> Result<(), JournalFailed> {
        Ok(())
    }

    fn flush(&self) -> Writing<'_> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// What an earlier part of the same run wrote down.
#[derive(Debug, Clone, PartialEq)]
pub enum Past {
    /// A question was sent.
    Sending(TurnKey),
    /// Its reply came.
    Received(TurnKey, Turn),
}

/// The future of a verdict.
pub type Grading<'a> = Pin<Box<dyn Future<Output = Judgement> + Send + 'a>>;

/// Judges what rules cannot, by asking a model.
pub trait Grader: Send + Sync {
    /// The verdict on one attempt; skipped where the budget of the run does not allow to ask.
    fn grade<'a>(&'a self, question: &'a Question<'a>) -> Grading<'a>;
    /// Requests that one verdict takes.
    fn requests_each(&self) -> u64;
    /// The name that stands beside its verdicts.
    fn name(&self) -> String;
}

/// What happens during a run. The names and fields are those of the interface's stream.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum RunEvent {
    /// The first request of a probe goes out.
    ProbeStart {
        /// The probe.
        id: String,
        /// Its category.
        category: String,
    },
    /// A probe is judged.
    ProbeResult {
        /// The probe.
        id: String,
        /// Its category.
        category: String,
        /// Whether the probe passed.
        passed: bool,
        /// Milliseconds from its first request.
        elapsed: f64,
        /// The verdict.
        verdict: Verdict,
        /// A score in addition to the verdict, if any.
        score: Option<f64>,
        /// The reason of the verdict.
        reason: String,
        /// The title of the probe.
        title: String,
        /// The judge.
        method: Method,
        /// How grave a failure is.
        severity: Severity,
        /// Probes judged so far.
        completed: usize,
        /// Probes in the run.
        total: usize,
    },
    /// All probes of a category are judged.
    CategoryComplete {
        /// The category.
        category: String,
        /// Probes that passed.
        passed: usize,
        /// Probes that failed.
        failed: usize,
    },
    /// The run is over.
    Complete {
        /// The run.
        id: String,
        /// The score, if there is one.
        score: Option<f64>,
        /// Probes run.
        total: usize,
    },
}

/// What came of one probe.
#[derive(Debug, Clone)]
pub struct ProbeOutcome {
    /// The probe and its category.
    pub case: Case,
    /// The verdict over all attempts.
    pub verdict: Verdict,
    /// The reason of the verdict.
    pub reason: String,
    /// A score in addition to the verdict, if any.
    pub score: Option<f64>,
    /// Who judged.
    pub judge: String,
    /// Where, in the attempt that decided.
    pub places: Vec<Place>,
    /// Attempts with a verdict.
    pub attempts: u32,
    /// Attempts that failed.
    pub failed_attempts: u32,
    /// The attempt that decided: its questions and replies, in order.
    pub transcript: Vec<(String, Vec<Turn>)>,
    /// Milliseconds of all its replies.
    pub elapsed: f64,
}

impl ProbeOutcome {
    /// Whether attempts disagree.
    pub fn is_flaky(&self) -> bool {
        self.failed_attempts > 0 && self.failed_attempts < self.attempts
    }
}

/// A run as it ended.
#[derive(Debug)]
pub struct RunRecord {
    /// What came of the probes, in the order of the plan's rows and ids.
    pub outcomes: Vec<ProbeOutcome>,
    /// What came of the harmless questions.
    pub controls: Vec<ProbeOutcome>,
    /// What it took.
    pub spent: Spent,
    /// Why it ended early.
    pub stopped: Option<Stop>,
    /// The seed.
    pub seed: u64,
    /// Milliseconds.
    pub elapsed: f64,
}

/// Everything that a run needs.
pub struct RunParts {
    /// The probes.
    pub plan: Plan,
    /// The target.
    pub endpoint: Endpoint,
    /// Who sends.
    pub client: Client,
    /// Who judges.
    pub judge: Arc<dyn Judge>,
    /// Who judges what rules cannot.
    pub grader: Option<Arc<dyn Grader>>,
    /// Who writes down.
    pub journal: Arc<dyn Journal>,
    /// What was written down before.
    pub past: Vec<Past>,
    /// How.
    pub settings: RunSettings,
    /// What may be spent, where others spend of it as well; else it is filled from the settings.
    pub purse: Option<Purse>,
}

/// A run that is going on. Dropping it stops the run within the requests in flight.
#[derive(Debug)]
pub struct RunHandle {
    events: mpsc::UnboundedReceiver<RunEvent>,
    estimate: Option<oneshot::Receiver<Estimate>>,
    cancel: Canceller,
    task: Option<JoinHandle<RunRecord>>,
}

/// Stops a run from elsewhere.
#[derive(Debug, Clone)]
pub struct Canceller(Arc<watch::Sender<bool>>);

impl Canceller {
    /// Stops the run: nothing more is sent, and what is out gets a short time to come back.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

/// Starts a run.
pub fn start(parts: RunParts) -> RunHandle {
    let (sender, receiver) = watch::channel(false);
    let (events, listener) = mpsc::unbounded_channel();
    let (tell, estimate) = oneshot::channel();
    let task = tokio::spawn(worker::run(parts, events, tell, receiver));
    RunHandle {
        events: listener,
        estimate: Some(estimate),
        cancel: Canceller(Arc::new(sender)),
        task: Some(task),
    }
}

impl RunHandle {
    /// What the run will take, once that is known: at once, or when the first questions were answered. None where it was
    /// told already.
    pub async fn estimate(&mut self) -> Option<Estimate> {
        self.estimate.take()?.await.ok()
    }

    /// The next event; none once the run is over.
    pub async fn next(&mut self) -> Option<RunEvent> {
        self.events.recv().await
    }

    /// What stops the run from elsewhere.
    pub fn canceller(&self) -> Canceller {
        self.cancel.clone()
    }

    /// Waits for the end. Events that nobody took are dropped. None where the run itself broke down.
    pub async fn finish(mut self) -> Option<RunRecord> {
        self.events.close();
        match self.task.take() {
            Some(task) => task.await.ok(),
            None => None,
        }
    }
}

impl Drop for RunHandle {
    fn drop(&mut self) {
        if self.task.is_some() {
            self.cancel.cancel();
        }
    }
}
