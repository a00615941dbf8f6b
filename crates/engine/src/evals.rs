//! Evaluations of live endpoints: one run at a time, written down question by question, kept with its evidence.

mod form;
mod journal;
mod mask;
mod portable;
mod reading;
mod requests;
mod setup;
mod spellings;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine_eval::{
    Canceller, EvalResult, ModelJudge, RedTeamReport, RunAbout, RunEvent, RunHandle, RunRecord, Stop, Suite,
};
use engine_evidence::EntryType;
use engine_model::{ErrorCode, Failure};
use engine_signing::Digest;
use engine_store::{FinishedEval, RunKind, RunState};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

pub use requests::{
    AuditEval, AuditRunReply, AuditRunRequest, AuditScan, CombinedScore, CompareRequest, EvalFindings, EvalFixesReply,
    EvalFixesRequest, EvalHeaders, EvalList, EvalListRequest, EvalManualFix, EvalQuery, EvalRequest, EvalRunLine,
    EvalSeed, EvalStarted, Hidden, JoinedFindings, RemediationReply, RemediationReportReply, RemediationReportRequest,
    RemediationRequest,
};

pub(crate) use mask::Mask;
pub(crate) use portable::cleaner;
pub(crate) use reading::{last, weigh_in};
pub(crate) use setup::Ask;

use crate::project::{ProjectState, conflict};
use crate::{Engine, Secret};
use journal::StoreJournal;

/// Seconds after which a client that found another run under way may ask again.
const RETRY_SECONDS: u32 = 15;

/// How long a stop waits for the run under way to write down what it has.
const STOP_WAIT: Duration = Duration::from_secs(5);

/// A text without two secrets of a fixed form, for whoever tries the mask on texts of any kind.
pub(crate) fn masked_for_tests(text: &str) -> String {
    let settings = engine_eval::TargetSettings {
        target: "http://127.0.0.1/x?sig=Query7Secret".to_owned(),
        api_key: Some(engine_eval::Key::new("Zq7vT9xLm2pR4w")),
        ..engine_eval::TargetSettings::default()
    };
    let mut text = text.to_owned();
    Mask::of(&settings).text(&mut text);
    text
}

/// Whether a run is under way, and how it is stopped.
#[derive(Default)]
pub(crate) struct Running {
    taken: AtomicBool,
    canceller: Mutex<Option<Canceller>>,
}

impl Running {
    /// Stops the run under way and waits until it has written down what it has.
    pub(crate) fn stop(&self) {
        let canceller = self.canceller.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(canceller) = canceller {
            canceller.cancel();
            let started = std::time::Instant::now();
            while self.taken.load(Ordering::Acquire) && started.elapsed() < STOP_WAIT {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// The place of the one run; given back when it is dropped.
pub(crate) struct Turnstile(Arc<Running>);

impl Turnstile {
    fn enter(running: &Arc<Running>) -> Result<Self, Failure> {
        if running.taken.swap(true, Ordering::AcqRel) {
            let details = "another run is active; wait for its end, or close its stream to stop it";
            return Err(Failure::new(ErrorCode::Busy, details).retry_after(RETRY_SECONDS));
        }
        Ok(Self(Arc::clone(running)))
    }
}

impl Drop for Turnstile {
    fn drop(&mut self) {
        *self.0.canceller.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.taken.store(false, Ordering::Release);
    }
}

/// A run that is under way. Dropping it stops the run within the requests in flight; what came by then is kept.
pub struct Run<T> {
    started: EvalStarted,
    events: mpsc::UnboundedReceiver<RunEvent>,
    done: oneshot::Receiver<Result<T, Failure>>,
    canceller: Canceller,
}

/// An evaluation that is under way.
pub type EvalRun = Run<EvalResult>;

impl<T> std::fmt::Debug for Run<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Run({})", self.started.id)
    }
}

impl<T> Run<T> {
    /// What is known at its beginning.
    pub fn started(&self) -> &EvalStarted {
        &self.started
    }

    /// What happens next; none once every probe is judged. Giving up the wait loses nothing.
    pub async fn next(&mut self) -> Option<RunEvent> {
        self.events.recv().await
    }

    /// Stops the run; its end still comes.
    pub fn stop(&self) {
        self.canceller.cancel();
    }

    /// What stops the run from elsewhere.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Waits until the result is kept. Giving up the wait loses nothing.
    pub async fn done(&mut self) -> Result<T, Failure> {
        (&mut self.done).await.unwrap_or_else(|_| {
            Err(Failure::new(
                ErrorCode::Internal,
                "the run failed; its results so far are stored, so you can resume it",
            ))
        })
    }
}

impl<T> Drop for Run<T> {
    fn drop(&mut self) {
        self.canceller.cancel();
    }
}

/// What a run comes to.
pub(crate) trait Outcome: Serialize + DeserializeOwned + Send + 'static {
    const KIND: RunKind;
    const ENTRY: EntryType;

    fn of(suite: &Suite, record: &RunRecord, agent: Option<String>, about: RunAbout) -> Self;
    fn score(&self) -> Option<f64>;
    fn security(&self) -> Option<f64>;
    fn stopped(&self) -> Option<&Stop>;
    fn is_complete(&self) -> bool;
    fn has_verdicts(&self) -> bool;
    /// What the entry of the chain tells; numbers are integers or strings.
    fn told(&self) -> Value;
}

impl Outcome for EvalResult {
    const KIND: RunKind = RunKind::Eval;
    const ENTRY: EntryType = EntryType::Eval;

    fn of(suite: &Suite, record: &RunRecord, _agent: Option<String>, about: RunAbout) -> Self {
        Self::of(suite, record, about)
    }

    fn score(&self) -> Option<f64> {
        self.score
    }

    fn security(&self) -> Option<f64> {
        self.security_score
    }

    fn stopped(&self) -> Option<&Stop> {
        self.stopped.as_ref()
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn has_verdicts(&self) -> bool {
        self.passed + self.failed > 0
    }

    fn told(&self) -> Value {
        json!({
            "score": self.score.map(|score| format!("{score:.2}")),
            "securityScore": self.security_score.map(|score| format!("{score:.2}")),
            "total": self.total,
            "passed": self.passed,
            "failed": self.failed,
            "errors": self.errors,
            "inconclusive": self.inconclusive,
            "skipped": self.skipped,
            "suiteHash": self.suite_hash,
            "judgeVersion": self.judge_version,
        })
    }
}

impl Outcome for RedTeamReport {
    const KIND: RunKind = RunKind::RedTeam;
    const ENTRY: EntryType = EntryType::Redteam;

    fn of(_suite: &Suite, record: &RunRecord, agent: Option<String>, about: RunAbout) -> Self {
        Self::of(record, agent, about)
    }

    fn score(&self) -> Option<f64> {
        self.overall.attack_success_rate.map(|rate| 100.0 * (1.0 - rate))
    }

    fn security(&self) -> Option<f64> {
        None
    }

    fn stopped(&self) -> Option<&Stop> {
        self.stopped.as_ref()
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn has_verdicts(&self) -> bool {
        self.overall.attempts > 0
    }

    fn told(&self) -> Value {
        json!({
            "attempts": self.overall.attempts,
            "successes": self.overall.successes,
            "withoutVerdict": self.overall.without_verdict,
        })
    }
}

/// Everything that is needed at the end of a run.
struct Ending {
    engine: Arc<Engine>,
    state: Arc<ProjectState>,
    turnstile: Turnstile,
    seq: i64,
    agent_id: Option<String>,
    agent_name: Option<String>,
    about: RunAbout,
    mask: Arc<Mask>,
    grader: Option<Arc<ModelJudge>>,
    output: Option<String>,
    resumed: bool,
}

impl Engine {
    /// Begins an evaluation: the request is checked, the target is asked how it wants to be spoken to, and then the
    /// probes go out. It must be called on a runtime with several threads.
    pub async fn start_eval(self: &Arc<Self>, request: EvalRequest) -> Result<EvalRun, Failure> {
        let ask = Ask::eval(request)?;
        self.start_run(ask).await
    }

    /// Begins a run of either kind.
    pub(crate) async fn start_run<T: Outcome>(self: &Arc<Self>, ask: Ask) -> Result<Run<T>, Failure> {
        // First of all, so that nobody else goes on with the same run between reading what it asked and asking more.
        let turnstile = Turnstile::enter(&self.running)?;
        let engine = Arc::clone(self);
        let prepared = blocking(move || engine.prepare(ask, T::KIND)).await?;
        let ready = self.reach(prepared).await?;
        let engine = Arc::clone(self);
        let (ready, seq) = blocking(move || engine.begin(ready, T::KIND)).await?;
        let journal = StoreJournal::open(Arc::clone(&ready.state), seq, Arc::clone(&ready.mask))?;
        let mut started = ready.started();
        let mut ending = Ending {
            engine: Arc::clone(self),
            state: Arc::clone(&ready.state),
            turnstile,
            seq,
            agent_id: ready.agent_id.clone(),
            agent_name: ready.agent_name.clone(),
            about: ready.about(),
            mask: Arc::clone(&ready.mask),
            grader: ready.grader.clone(),
            output: ready.output.clone(),
            resumed: ready.resumed,
        };
        let mut handle = engine_eval::start(ready.into_parts(self.outbound.clone(), Arc::new(journal)));
        let canceller = handle.canceller();
        *self.running.canceller.lock().unwrap_or_else(PoisonError::into_inner) = Some(canceller.clone());
        let (tell, events) = mpsc::unbounded_channel();
        let (end, done) = oneshot::channel();
        let (begun, estimate) = oneshot::channel();
        let stopper = canceller.clone();
        tokio::spawn(async move {
            // The first questions tell what the rest will take. Who leaves before that stops the run as well.
            let told = handle.estimate().await;
            ending.about.budget.estimate = told;
            if begun.send(told).is_err() {
                stopper.cancel();
            }
            let result = drive(handle, &tell, ending).await;
            drop(tell);
            // A caller that has left gets the result from the history.
            let _ = end.send(result);
        });
        if let Ok(Some(told)) = estimate.await {
            started.estimate = told;
        }
        Ok(Run {
            started,
            events,
            done,
            canceller,
        })
    }
}

/// Passes events on until the run is over, and keeps what came of it.
async fn drive<T: Outcome>(
    mut handle: RunHandle,
    tell: &mpsc::UnboundedSender<RunEvent>,
    ending: Ending,
) -> Result<T, Failure> {
    while let Some(event) = handle.next().await {
        let _ = tell.send(ending.clean_event(event));
    }
    let record = handle.finish().await;
    blocking(move || ending.keep(record)).await
}

/// Work that blocks, on a thread that may.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Failure::new(
            ErrorCode::Busy,
            "the engine is shutting down; repeat the request after it has restarted",
        )
        .retry_after(5)),
    }
}

impl Ending {
    /// Reasons may quote replies; those are clean already, and this is the second lock on the same door.
    fn clean_event(&self, mut event: RunEvent) -> RunEvent {
        if let RunEvent::ProbeResult { reason, .. } = &mut event {
            self.mask.text(reason);
        }
        event
    }

    fn keep<T: Outcome>(mut self, record: Option<RunRecord>) -> Result<T, Failure> {
        let Some(record) = record else {
            return Err(Failure::new(
                ErrorCode::Internal,
                "the run failed; its results so far are stored, so you can resume it",
            ));
        };
        let suite = setup::suite()?;
        self.about.judge = self.grader.as_ref().map(|grader| grader.quality(&record));
        let outcome = T::of(suite, &record, self.agent_name.clone(), self.about.clone());
        // Everything that the result needs is in it.
        drop(record);
        let outcome = if self.mask.is_empty() {
            outcome
        } else {
            // Replies are clean since they came; this is the second lock on the same door. It may never cost the run.
            let mut value = serde_json::to_value(&outcome).map_err(|error| conflict(&error))?;
            self.mask.result(&mut value);
            match serde_json::from_value(value) {
                Ok(masked) => masked,
                Err(error) => {
                    tracing::warn!(%error, "could not mask a result a second time; its replies were masked when they came");
                    outcome
                }
            }
        };
        let Some(store) = self.state.store() else {
            return Err(setup::read_only());
        };
        if let Some(Stop::Journal { why }) = outcome.stopped() {
            return Err(Failure::new(
                ErrorCode::StateConflict,
                format!("could not store the run: {why}; check the disk, then resume the run"),
            ));
        }
        if let Some(Stop::Unreachable { status, fault }) = outcome.stopped()
            && !outcome.has_verdicts()
        {
            store
                .set_eval_state(self.seq, RunState::Failed)
                .map_err(|error| conflict(&error))?;
            return Err(setup::unreachable(&self.about.target, *status, Some(fault)));
        }
        let bytes = serde_json::to_vec(&outcome).map_err(|error| conflict(&error))?;
        let portable = portable_result(&bytes, self.state.path()).map_err(|error| conflict(&*error))?;
        let said = store.eval_journal(self.seq).map_err(|error| conflict(&error))?;
        let mut payload = json!({
            "runId": self.about.id,
            "target": self.about.target,
            "complete": outcome.is_complete(),
            "resumed": self.resumed,
            "suiteVersion": engine_eval::SUITE_VERSION,
            // Of the result as it may leave the machine, and of the one that is kept here.
            "result": {"blake3": Digest::of(&portable), "stored": Digest::of(&bytes)},
            "formula": engine_eval::score::FORMULA,
            // Everything that was asked and said, so that a changed word of a transcript shows.
            "transcripts": {"blake3": FinishedEval::journal_digest(&said), "questions": said.len()},
        });
        if let (Some(all), Value::Object(more)) = (payload.as_object_mut(), outcome.told()) {
            all.extend(more);
        }
        let engine = &self.engine;
        let keys = engine.signer().keys()?;
        let draft = engine.draft(T::ENTRY, self.agent_id.clone(), payload, Vec::new());
        let finished = FinishedEval {
            seq: self.seq,
            state: if outcome.is_complete() {
                RunState::Done
            } else {
                RunState::Partial
            },
            score: outcome.score(),
            security: outcome.security(),
            result: bytes,
        };
        let added = store
            .finish_eval_recorded(finished, draft, &engine.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        engine.recorded(&self.state, &added);
        if let Some(path) = &self.output {
            let text = serde_json::to_string_pretty(&outcome).map_err(|error| conflict(&error))?;
            // The run is stored by now, whatever becomes of the copy.
            if let Err(failure) = self.state.write_new(path, text.as_bytes()) {
                tracing::warn!(
                    details = failure.details,
                    "could not write the result of a run to a file"
                );
            }
        }
        // The place is free before anyone is told of the end, so that the next run can begin at once.
        drop(self.turnstile);
        Ok(outcome)
    }
}

/// The result of a run, given as it is kept, in the bytes in which it may leave the machine.
pub(crate) fn portable_result(stored: &[u8], project: &Path) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let value: Value = serde_json::from_slice(stored)?;
    let portable = engine_package::portable_eval(value, &cleaner(project));
    Ok(engine_package::eval_bytes(&portable)?)
}

impl Secret {
    pub(crate) fn key(&self) -> engine_eval::Key {
        engine_eval::Key::new(self.expose())
    }
}
