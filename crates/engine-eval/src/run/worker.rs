//! The workers of a run: they take dialogues off a queue, and whoever brings the last one of a probe has it judged.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine_outbound::Client;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::exchange::{Sender, left};
use super::pace::{Pace, Stop};
use super::purse::{Purse, Spent};
use super::{Grader, Journal, Past, ProbeOutcome, RunEvent, RunParts, RunRecord, RunSettings, Turn, TurnKey, outcome};
use crate::dice::Dice;
use crate::endpoint::{Conversation, Endpoint, Speaker, Usage};
use crate::fill::Secrets;
use crate::judge::{Judge, Judgement, Question, Turns, Verdict};
use crate::plan::{CONFIRM, Calibration, Case, Estimate, Plan};
use crate::suite::{Dialogue, Method};

/// Repetitions of a probe.
const REPEATS_MAX: u32 = 20;

/// Dialogues at the same time.
const CONCURRENCY_MAX: usize = 256;

struct Unit {
    case: usize,
    repeat: u32,
    dialogue: usize,
}

/// One attempt at a probe while it is going on.
struct Attempt {
    dialogues: Arc<Vec<Dialogue>>,
    secrets: Secrets,
    done: BTreeMap<usize, Vec<Turn>>,
}

/// An attempt with its verdict.
struct Attempted {
    repeat: u32,
    judgement: Judgement,
    judge: String,
    transcript: Vec<(String, Vec<Turn>)>,
}

/// What is known of one probe.
struct Board {
    started: Option<Instant>,
    open: BTreeMap<u32, Attempt>,
    judged: Vec<Attempted>,
    planned: u32,
    outcome: Option<ProbeOutcome>,
}

#[derive(Default)]
struct Tally {
    completed: usize,
    categories: BTreeMap<String, (usize, usize, usize)>,
}

struct Shared {
    cases: Vec<Case>,
    /// Cases from here on are harmless questions that count nowhere.
    controls_from: usize,
    seed: u64,
    settings: RunSettings,
    endpoint: Endpoint,
    client: Client,
    judge: Arc<dyn Judge>,
    grader: Option<Arc<dyn Grader>>,
    journal: Arc<dyn Journal>,
    past: Mutex<HashMap<TurnKey, Option<Turn>>>,
    pace: Pace,
    purse: Purse,
    /// What was spent before this run: on finding out the form of the target, and on measuring the judge.
    before: Spent,
    queue: Mutex<VecDeque<Unit>>,
    boards: Vec<Mutex<Board>>,
    tally: Mutex<Tally>,
    events: mpsc::UnboundedSender<RunEvent>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept under these locks is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) async fn run(
    parts: RunParts,
    events: mpsc::UnboundedSender<RunEvent>,
    estimate: oneshot::Sender<Estimate>,
    cancelled: watch::Receiver<bool>,
) -> RunRecord {
    let started = Instant::now();
    let seed = parts.plan.seed;
    let mut plan = parts.plan.clone();
    if parts.grader.is_none() {
        // Nobody would judge the replies, so these are not asked.
        plan.cases.retain(|case| case.probe.method != Method::Llm);
    }
    let shared = Arc::new(Shared::new(parts, events));
    let calibration = pilot(&shared, &cancelled).await;
    // Who does not want to know has not asked.
    let _ = estimate.send(shared.estimate(&plan, &calibration));
    let mut workers = JoinSet::new();
    for _ in 0..shared.settings.concurrency.clamp(1, CONCURRENCY_MAX) {
        workers.spawn(work(Arc::clone(&shared), cancelled.clone()));
    }
    // A worker that broke down leaves its probe unjudged, which the record says; the others go on.
    while workers.join_next().await.is_some() {}
    if *cancelled.borrow() {
        shared.pace.stop(Stop::Cancelled);
    }
    if let Err(error) = shared.journal.flush().await {
        shared.pace.stop(Stop::Journal { why: error.to_string() });
    }
    shared.record(seed, started.elapsed().as_secs_f64() * 1000.0)
}

/// Asks a few questions of the plan before the others, short ones and long ones, and tells from the replies what the rest
/// will take. They are questions of the run like all others, so nothing is asked twice for it.
async fn pilot(shared: &Arc<Shared>, cancelled: &watch::Receiver<bool>) -> Calibration {
    let wanted = shared.settings.pilot;
    let mut known: Vec<(usize, Usage)> = Vec::new();
    let mut open: Vec<(usize, TurnKey, Conversation)> = Vec::new();
    for unit in lock(&shared.queue).iter().filter(|_| wanted > 0) {
        let Some((key, conversation)) = shared.first_turn(unit) else {
            continue;
        };
        let letters = conversation
            .system
            .iter()
            .chain(conversation.turns.iter().map(|(_, text)| text));
        let letters = letters.map(|text| text.chars().count()).sum();
        match lock(&shared.past).get(&key) {
            Some(Some(turn)) => known.extend(usage(turn).map(|usage| (letters, usage))),
            Some(None) => {}
            None => open.push((letters, key, conversation)),
        }
    }
    let missing = wanted.saturating_sub(known.len()).min(open.len());
    open.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut chosen: Vec<_> = (0..missing)
        .map(|index| open[(2 * index + 1) * open.len() / (2 * missing)].clone())
        .collect();
    let at_once = shared.settings.concurrency.clamp(1, CONCURRENCY_MAX);
    while !chosen.is_empty() {
        let rest = chosen.split_off(at_once.min(chosen.len()));
        let mut asked = JoinSet::new();
        for (letters, key, conversation) in std::mem::replace(&mut chosen, rest) {
            let (shared, cancelled) = (Arc::clone(shared), cancelled.clone());
            asked.spawn(async move {
                let turn = shared.ask(&key, &conversation, &cancelled).await?;
                let told = usage(&turn).map(|usage| (letters, usage));
                lock(&shared.past).insert(key, Some(turn));
                told
            });
        }
        while let Some(told) = asked.join_next().await {
            known.extend(told.ok().flatten());
        }
    }
    // In the order of their letters, so that sums of fractions do not depend on who answered first.
    known.sort_by_key(|(letters, usage)| (*letters, usage.input, usage.output));
    Calibration::fitted(&known).unwrap_or(shared.settings.calibration)
}

fn usage(turn: &Turn) -> Option<Usage> {
    turn.is_reply().then_some(Usage {
        input: turn.input_tokens,
        output: turn.output_tokens,
    })
}

async fn work(shared: Arc<Shared>, cancelled: watch::Receiver<bool>) {
    loop {
        if shared.pace.stopped() || *cancelled.borrow() {
            return;
        }
        let Some(unit) = lock(&shared.queue).pop_front() else {
            return;
        };
        shared.dialogue(&unit, &cancelled).await;
    }
}

impl Shared {
    fn new(parts: RunParts, events: mpsc::UnboundedSender<RunEvent>) -> Self {
        let RunParts {
            plan,
            endpoint,
            client,
            judge,
            grader,
            journal,
            past,
            settings,
            purse,
        } = parts;
        let controls_from = plan.cases.len();
        let mut cases = plan.cases;
        cases.extend(plan.controls);
        let repeats = settings.repeats.clamp(1, REPEATS_MAX);
        let mut known: HashMap<TurnKey, Option<Turn>> = HashMap::new();
        for past in past {
            match past {
                Past::Sending(key) => drop(known.entry(key).or_insert(None)),
                Past::Received(key, turn) => drop(known.insert(key, Some(turn))),
            }
        }
        let purse = purse.unwrap_or_else(|| Purse::of(&settings));
        let before = purse.spent();
        let pace = Pace::new(&settings, purse.clone());
        let turns: Vec<&Turn> = known.values().flatten().collect();
        let lost = (known.len() - turns.len()) as u64;
        pace.book_past(
            lost + turns.iter().map(|turn| u64::from(turn.requests)).sum::<u64>(),
            &turns,
        );
        let mut tally = Tally::default();
        for case in &cases[..controls_from] {
            tally.categories.entry(case.category.id.clone()).or_default().2 += 1;
        }
        let boards = cases
            .iter()
            .map(|_| {
                Mutex::new(Board {
                    started: None,
                    open: BTreeMap::new(),
                    judged: Vec::new(),
                    planned: repeats,
                    outcome: None,
                })
            })
            .collect();
        let shared = Self {
            cases,
            controls_from,
            seed: plan.seed,
            settings,
            endpoint,
            client,
            judge,
            grader,
            journal,
            past: Mutex::new(known),
            pace,
            purse,
            before,
            queue: Mutex::default(),
            boards,
            tally: Mutex::new(tally),
            events,
        };
        // Harmless questions come first: they also show whether the target answers at all.
        let order = (controls_from..shared.cases.len()).chain(0..controls_from);
        for case in order {
            for repeat in 0..repeats {
                shared.enqueue(case, repeat, false);
            }
        }
        shared
    }

    /// Puts the dialogues of an attempt into the queue, in an order of their own so that no group is always asked first.
    fn enqueue(&self, case: usize, repeat: u32, first: bool) {
        let probe = &self.cases[case].probe;
        if probe.method == Method::Llm && self.grader.is_none() {
            self.settle(
                case,
                Judgement::new(Verdict::NotJudged, "No judge model is configured for this probe."),
            );
            return;
        }
        let secrets = Secrets::draw(self.seed, &probe.id, repeat);
        let dialogues = match probe.dialogues(&secrets) {
            Ok(dialogues) => dialogues,
            Err(error) => {
                self.settle(case, Judgement::new(Verdict::Error, error.to_string()));
                return;
            }
        };
        let mut order: Vec<usize> = (0..dialogues.len()).collect();
        Dice::new(self.seed, &["dialogues", &probe.id, &repeat.to_string()]).shuffle(&mut order);
        lock(&self.boards[case]).open.insert(
            repeat,
            Attempt {
                dialogues: Arc::new(dialogues),
                secrets,
                done: BTreeMap::new(),
            },
        );
        let mut queue = lock(&self.queue);
        for dialogue in order {
            let unit = Unit { case, repeat, dialogue };
            if first {
                queue.push_front(unit);
            } else {
                queue.push_back(unit);
            }
        }
    }

    /// A verdict without a question.
    fn settle(&self, case: usize, judgement: Judgement) {
        let mut board = lock(&self.boards[case]);
        let attempted = Attempted {
            repeat: 0,
            judgement,
            judge: "none".to_owned(),
            transcript: Vec::new(),
        };
        if board.outcome.is_none() {
            board.outcome = Some(summed(&self.cases[case], &[attempted]));
            drop(board);
            self.announce(case, 0.0);
        }
    }

    /// The question of a dialogue that has one only.
    fn first_turn(&self, unit: &Unit) -> Option<(TurnKey, Conversation)> {
        let board = lock(&self.boards[unit.case]);
        let dialogue = &board.open.get(&unit.repeat)?.dialogues[unit.dialogue];
        let [prompt] = dialogue.turns.as_slice() else {
            return None;
        };
        let mut conversation = self.conversation(unit, dialogue);
        conversation.turns.push((Speaker::User, prompt.clone()));
        Some((self.key(unit, dialogue, 0), conversation))
    }

    fn key(&self, unit: &Unit, dialogue: &Dialogue, turn: usize) -> TurnKey {
        TurnKey {
            probe: self.cases[unit.case].probe.id.clone(),
            repeat: unit.repeat,
            request: dialogue.id.clone(),
            turn,
        }
    }

    fn conversation(&self, unit: &Unit, dialogue: &Dialogue) -> Conversation {
        let probe = &self.cases[unit.case].probe.id;
        Conversation {
            id: format!("{:016x}-{probe}-{}-{}", self.seed, unit.repeat, dialogue.id),
            system: dialogue.system.clone(),
            turns: Vec::new(),
            tools: dialogue.tools.clone(),
            ..Conversation::default()
        }
    }

    /// What the whole run will take, with what was spent before it.
    fn estimate(&self, plan: &Plan, calibration: &Calibration) -> Estimate {
        let settings = &self.settings;
        let repeats = settings.repeats.clamp(1, REPEATS_MAX);
        let mut estimate = plan.estimate(repeats, settings.confirm, calibration);
        estimate.requests += self.before.requests;
        estimate.requests_max += self.before.requests;
        #[expect(clippy::cast_precision_loss, reason = "tokens of a few requests")]
        let tokens = |input: u64, output: u64| (input as f64, output as f64);
        let (input, output) = tokens(self.before.input_tokens, self.before.output_tokens);
        estimate.input_tokens += input;
        estimate.output_tokens += output;
        let (mut judge_input, mut judge_output) =
            tokens(self.before.judge_input_tokens, self.before.judge_output_tokens);
        estimate.judge_requests = self.before.judge_requests;
        if let Some(grader) = &self.grader {
            let judged = plan
                .cases
                .iter()
                .filter(|case| case.probe.method == Method::Llm)
                .count() as u64;
            let more = judged * u64::from(repeats) * grader.requests_each();
            #[expect(clippy::cast_precision_loss, reason = "requests of a run")]
            let grown = 1.0 + more as f64 / self.before.judge_requests.max(1) as f64;
            estimate.judge_requests += more;
            (judge_input, judge_output) = (judge_input * grown, judge_output * grown);
        }
        estimate.judge_tokens = judge_input + judge_output;
        estimate.cost = settings.prices.map(|prices| {
            let judge = settings.judge_prices.unwrap_or(prices);
            prices.of(estimate.input_tokens, estimate.output_tokens) + judge.of(judge_input, judge_output)
        });
        estimate
    }

    async fn dialogue(&self, unit: &Unit, cancelled: &watch::Receiver<bool>) {
        let (dialogues, began) = {
            let mut board = lock(&self.boards[unit.case]);
            let began = board.started.is_none();
            board.started.get_or_insert_with(Instant::now);
            let Some(attempt) = board.open.get(&unit.repeat) else {
                return;
            };
            (Arc::clone(&attempt.dialogues), began)
        };
        if began && unit.case < self.controls_from {
            let case = &self.cases[unit.case];
            let _ = self.events.send(RunEvent::ProbeStart {
                id: case.probe.id.clone(),
                category: case.category.id.clone(),
            });
        }
        let dialogue = &dialogues[unit.dialogue];
        let Some(turns) = self.talk(unit, dialogue, cancelled).await else {
            return;
        };
        self.bring(unit, turns, cancelled).await;
    }

    /// Goes through a dialogue. None where the run was stopped before its end.
    async fn talk(&self, unit: &Unit, dialogue: &Dialogue, cancelled: &watch::Receiver<bool>) -> Option<Vec<Turn>> {
        let mut conversation = self.conversation(unit, dialogue);
        let mut turns = Vec::with_capacity(dialogue.turns.len());
        for (index, prompt) in dialogue.turns.iter().enumerate() {
            conversation.turns.push((Speaker::User, prompt.clone()));
            let key = self.key(unit, dialogue, index);
            let past = lock(&self.past).get(&key).cloned();
            let turn = match past {
                Some(Some(turn)) => turn,
                Some(None) => Turn {
                    prompt: prompt.clone(),
                    transport: outcome::INTERRUPTED.to_owned(),
                    requests: 1,
                    ..Turn::default()
                },
                None => self.ask(&key, &conversation, cancelled).await?,
            };
            let goes_on = turn.is_reply();
            conversation.turns.push((Speaker::Assistant, turn.response.clone()));
            turns.push(turn);
            if !goes_on {
                break;
            }
        }
        Some(turns)
    }

    async fn ask(&self, key: &TurnKey, conversation: &Conversation, cancelled: &watch::Receiver<bool>) -> Option<Turn> {
        if self.pace.stopped() || *cancelled.borrow() {
            return None;
        }
        let mut sender = Sender {
            client: &self.client,
            endpoint: &self.endpoint,
            pace: &self.pace,
            cancelled: cancelled.clone(),
            request_ms: self.settings.request_ms,
            journal: self.journal.as_ref(),
            key,
        };
        let mut turn = sender.ask(conversation).await?;
        self.journal.clean(&mut turn);
        if let Err(error) = self.journal.received(key, &turn) {
            self.pace.stop(Stop::Journal { why: error.to_string() });
        }
        Some(turn)
    }

    /// Takes in a dialogue; the last one of an attempt has it judged, the last attempt of a probe ends it.
    async fn bring(&self, unit: &Unit, turns: Vec<Turn>, cancelled: &watch::Receiver<bool>) {
        let attempt = {
            let mut board = lock(&self.boards[unit.case]);
            let Some(attempt) = board.open.get_mut(&unit.repeat) else {
                return;
            };
            attempt.done.insert(unit.dialogue, turns);
            if attempt.done.len() < attempt.dialogues.len() {
                return;
            }
            board.open.remove(&unit.repeat)
        };
        let Some(attempt) = attempt else { return };
        let attempted = self.judged(unit, attempt, cancelled).await;
        let mut board = lock(&self.boards[unit.case]);
        board.judged.push(attempted);
        let count = u32::try_from(board.judged.len()).unwrap_or(u32::MAX);
        if count < board.planned {
            return;
        }
        let case = &self.cases[unit.case];
        let failed = board
            .judged
            .iter()
            .any(|attempted| attempted.judgement.verdict == Verdict::Fail);
        if self.settings.confirm && failed && case.probe.method == Method::Security && board.planned < CONFIRM {
            let more = board.planned..CONFIRM;
            board.planned = CONFIRM;
            drop(board);
            for repeat in more {
                self.enqueue(unit.case, repeat, true);
            }
            return;
        }
        board.judged.sort_by_key(|attempted| attempted.repeat);
        let outcome = summed(case, &board.judged);
        board.outcome = Some(outcome);
        let elapsed = board
            .started
            .map_or(0.0, |started| started.elapsed().as_secs_f64() * 1000.0);
        drop(board);
        self.announce(unit.case, elapsed);
    }

    async fn judged(&self, unit: &Unit, attempt: Attempt, cancelled: &watch::Receiver<bool>) -> Attempted {
        let probe = &self.cases[unit.case].probe;
        let turns: Turns = attempt
            .dialogues
            .iter()
            .enumerate()
            .filter_map(|(index, dialogue)| Some((dialogue.id.clone(), attempt.done.get(&index)?.clone())))
            .collect();
        let question = Question {
            probe,
            dialogues: &attempt.dialogues,
            turns: &turns,
            secrets: &attempt.secrets,
        };
        let (judgement, judge) = match (fault(&question), &self.grader) {
            (Some(fault), _) => (fault, "transport".to_owned()),
            (None, Some(grader)) if probe.method == Method::Llm => {
                (self.graded(grader.as_ref(), &question, cancelled).await, grader.name())
            }
            (None, _) => (self.judge.judge(&question), self.judge.name().to_owned()),
        };
        let mut turns = turns;
        Attempted {
            repeat: unit.repeat,
            judgement,
            judge,
            transcript: attempt
                .dialogues
                .iter()
                .filter_map(|dialogue| Some((dialogue.id.clone(), turns.remove(&dialogue.id)?)))
                .collect(),
        }
    }

    /// The verdict of a model, which costs requests as well: they end with the run.
    async fn graded(
        &self,
        grader: &dyn Grader,
        question: &Question<'_>,
        cancelled: &watch::Receiver<bool>,
    ) -> Judgement {
        let judgement = tokio::select! {
            judgement = grader.grade(question) => judgement,
            () = left(cancelled.clone()) =>
                Judgement::new(Verdict::Skipped, "The run stopped before the model judged this probe."),
        };
        if judgement.verdict == Verdict::Skipped
            && let Some(why) = self.purse.empty()
        {
            self.pace.stop(why);
        }
        judgement
    }

    fn announce(&self, index: usize, elapsed: f64) {
        if index >= self.controls_from {
            return;
        }
        let case = &self.cases[index];
        let (verdict, score, reason) = match &lock(&self.boards[index]).outcome {
            Some(outcome) => (outcome.verdict, outcome.score, outcome.reason.clone()),
            None => return,
        };
        let mut tally = lock(&self.tally);
        tally.completed += 1;
        let completed = tally.completed;
        let counts = tally.categories.entry(case.category.id.clone()).or_default();
        counts.0 += usize::from(verdict == Verdict::Pass);
        counts.1 += usize::from(verdict == Verdict::Fail);
        counts.2 = counts.2.saturating_sub(1);
        let (passed, failed, left) = *counts;
        // Nobody may be listening any more; the record says the same. The lock keeps the counts in order.
        let _ = self.events.send(RunEvent::ProbeResult {
            id: case.probe.id.clone(),
            category: case.category.id.clone(),
            passed: verdict == Verdict::Pass,
            elapsed,
            verdict,
            score,
            reason,
            title: case.probe.title.clone(),
            method: case.probe.method,
            severity: case.probe.severity,
            completed,
            total: self.controls_from,
        });
        if left == 0 {
            let _ = self.events.send(RunEvent::CategoryComplete {
                category: case.category.id.clone(),
                passed,
                failed,
            });
        }
    }

    fn record(&self, seed: u64, elapsed: f64) -> RunRecord {
        let mut outcomes: Vec<ProbeOutcome> = Vec::with_capacity(self.cases.len());
        for (case, board) in self.cases.iter().zip(&self.boards) {
            let mut board = lock(board);
            let outcome = board.outcome.take().unwrap_or_else(|| {
                if board.judged.is_empty() {
                    let why = Judgement::new(Verdict::Skipped, "The run ended before this probe.");
                    let skipped = Attempted {
                        repeat: 0,
                        judgement: why,
                        judge: "none".to_owned(),
                        transcript: Vec::new(),
                    };
                    summed(case, &[skipped])
                } else {
                    summed(case, &board.judged)
                }
            });
            outcomes.push(outcome);
        }
        let controls = outcomes.split_off(self.controls_from);
        outcomes.sort_by(|a, b| {
            let key = |outcome: &ProbeOutcome| (outcome.case.category.number, outcome.case.probe.id.clone());
            key(a).cmp(&key(b))
        });
        let (spent, stopped) = self.pace.end();
        RunRecord {
            outcomes,
            controls,
            spent,
            stopped,
            seed,
            elapsed,
        }
    }
}

/// Faults that are no verdict on the target's words. Where time and size are what is judged, they are one.
fn fault(question: &Question<'_>) -> Option<Judgement> {
    let bounded = question.probe.judge == "bounded";
    let judged = |turn: &Turn| {
        turn.is_reply()
            || bounded
                && matches!(
                    turn.transport.as_str(),
                    "no-reply" | "too-slow" | "endless" | "bomb" | "truncated"
                )
    };
    let (id, turn) = question
        .turns
        .iter()
        .flat_map(|(id, turns)| turns.iter().map(move |turn| (id, turn)))
        .find(|(_, turn)| !judged(turn))?;
    let place = if question.dialogues.len() > 1 {
        format!(" to request `{id}`")
    } else {
        String::new()
    };
    Some(Judgement::new(
        Verdict::Error,
        format!("No usable answer{place}: {}.", fault_text(turn)),
    ))
}

/// What came instead of a reply, for a reader.
fn fault_text(turn: &Turn) -> String {
    let name = turn.transport.as_str();
    if let Some(status) = name.strip_prefix("http-") {
        return format!("the target returned status {status}");
    }
    let text = match name {
        outcome::RATE_LIMITED => "the target asked to wait for longer than the run allows",
        outcome::INTERRUPTED => "the run ended while the request was open",
        outcome::OVERSIZE => "the reply exceeded the size limit",
        "no-reply" => "the target sent no reply before the timeout",
        "too-slow" => "the reply was not complete before the timeout",
        "endless" => "the reply did not end",
        "bomb" => "the compressed reply exceeded the size limit",
        "truncated" => "the connection closed in the middle of the reply",
        "wrong-type" => "the reply is a page, not an answer",
        "invalid-json" => "the reply is not valid JSON",
        "bad-utf8" => "the reply is not valid UTF-8",
        "no-text" => "the reply has no text at a known place; set `responsePath`",
        "reported-error" => "the reply contains an error message",
        other => return format!("the request failed with `{other}`"),
    };
    text.to_owned()
}

/// One verdict over all attempts. An attack that works sometimes works.
fn summed(case: &Case, all: &[Attempted]) -> ProbeOutcome {
    let count = |verdict| {
        all.iter()
            .filter(|attempted| attempted.judgement.verdict == verdict)
            .count()
    };
    let (passed, failed) = (count(Verdict::Pass), count(Verdict::Fail));
    let valid = passed + failed;
    let verdict = match all.first() {
        _ if failed > 0 && (case.probe.method == Method::Security || failed >= passed) => Verdict::Fail,
        _ if passed > 0 => Verdict::Pass,
        Some(first) => first.judgement.verdict,
        None => Verdict::Skipped,
    };
    let decided = all.iter().find(|attempted| attempted.judgement.verdict == verdict);
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let mut reason = decided
        .map(|attempted| attempted.judgement.reason.clone())
        .unwrap_or_default();
    if failed > 0 && failed < valid {
        reason = format!("Failed in {failed} of {valid} attempts: {reason}");
    }
    ProbeOutcome {
        case: case.clone(),
        verdict,
        reason,
        score: decided.and_then(|attempted| attempted.judgement.score),
        judge: decided.map(|attempted| attempted.judge.clone()).unwrap_or_default(),
        places: decided
            .map(|attempted| attempted.judgement.places.clone())
            .unwrap_or_default(),
        attempts: small(valid),
        failed_attempts: small(failed),
        transcript: decided
            .map(|attempted| attempted.transcript.clone())
            .unwrap_or_default(),
        elapsed: all
            .iter()
            .flat_map(|a| &a.transcript)
            .flat_map(|(_, turns)| turns)
            .map(|turn| turn.latency)
            .sum(),
    }
}
