//! When the next request may go out: budgets, rate, pauses that the target asks for, and backing off.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::{RunSettings, Turn};

/// The first pause where the target names none; it doubles with each further one.
const PAUSE_FIRST: Duration = Duration::from_millis(500);

/// No pause is longer than this.
const PAUSE_MAX: Duration = Duration::from_mins(1);

/// A target that has never answered is given up after so many questions, and one that stopped answering after
/// three times as many.
const SILENT_MAX: u32 = 12;

/// Why a run ended before its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Stop {
    /// Somebody asked for it, or left.
    Cancelled,
    /// As many requests as were allowed.
    MaxRequests,
    /// As many tokens.
    MaxTokens,
    /// As much money.
    MaxCost,
    /// As much time.
    Time,
    /// The target does not answer, or refuses all requests.
    Unreachable {
        /// Its last status.
        status: Option<u16>,
        /// What came instead of replies.
        fault: String,
    },
    /// What is sent could not be written down.
    Journal {
        /// Why.
        why: String,
    },
}

/// What a run took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Requests sent, repeated ones as well.
    pub requests: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Money, where prices are known.
    pub cost: Option<f64>,
    /// Times that the target asked to wait.
    pub throttled: u64,
}

#[derive(Debug)]
struct State {
    spent: Spent,
    stopped: Option<Stop>,
    paused_until: Instant,
    next_slot: Instant,
    window: f64,
    in_flight: usize,
    pauses_in_a_row: u32,
    silent_in_a_row: u32,
    answered: bool,
}

/// Shared by all workers.
#[derive(Debug)]
pub(super) struct Pace {
    state: Mutex<State>,
    freed: Notify,
    max_requests: u64,
    max_tokens: u64,
    max_cost: f64,
    prices: Option<crate::plan::Prices>,
    slot: Option<Duration>,
    concurrency: f64,
    pub(super) deadline: Option<Instant>,
}

impl Pace {
    pub(super) fn new(settings: &RunSettings) -> Self {
        let now = Instant::now();
        #[expect(clippy::cast_precision_loss, reason = "a number of connections")]
        let concurrency = settings.concurrency.max(1) as f64;
        Self {
            state: Mutex::new(State {
                spent: Spent {
                    cost: settings.prices.map(|_| 0.0),
                    ..Spent::default()
                },
                stopped: None,
                paused_until: now,
                next_slot: now,
                window: concurrency,
                in_flight: 0,
                pauses_in_a_row: 0,
                silent_in_a_row: 0,
                answered: false,
            }),
            freed: Notify::new(),
            max_requests: settings.max_requests.unwrap_or(u64::MAX),
            max_tokens: settings.max_tokens.unwrap_or(u64::MAX),
            max_cost: settings.max_cost.unwrap_or(f64::INFINITY),
            prices: settings.prices,
            slot: settings
                .rps
                .filter(|rps| *rps > 0.0)
                .map(|rps| Duration::from_secs_f64(1.0 / rps.clamp(0.01, 1e6))),
            concurrency,
            deadline: settings.total_ms.map(|ms| now + Duration::from_millis(ms)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Counts stay whole even if another worker panicked while it held them.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stopped(&self) -> bool {
        self.state().stopped.is_some()
    }

    pub(super) fn stop(&self, why: Stop) {
        self.state().stopped.get_or_insert(why);
        self.freed.notify_waiters();
    }

    pub(super) fn end(&self) -> (Spent, Option<Stop>) {
        let state = self.state();
        (state.spent, state.stopped.clone())
    }

    /// Waits until one more request may go out, and counts it. False once the run is stopped.
    pub(super) async fn admit(&self) -> bool {
        loop {
            let freed = self.freed.notified();
            let wait = {
                let mut state = self.state();
                let now = Instant::now();
                if state.stopped.is_some() {
                    return false;
                }
                if let Some(why) = self.exhausted(&state, now) {
                    state.stopped = Some(why);
                    drop(state);
                    self.freed.notify_waiters();
                    return false;
                }
                #[expect(clippy::cast_precision_loss, reason = "a number of connections")]
                let full = state.in_flight as f64 + 1.0 > state.window.max(1.0).floor();
                let ready = state
                    .paused_until
                    .max(if self.slot.is_some() { state.next_slot } else { now });
                if full {
                    None
                } else if ready > now {
                    Some(ready)
                } else {
                    if let Some(slot) = self.slot {
                        state.next_slot = state.next_slot.max(now) + slot;
                    }
                    state.in_flight += 1;
                    state.spent.requests += 1;
                    return true;
                }
            };
            let until = match (wait, self.deadline) {
                (Some(wait), Some(deadline)) => Some(wait.min(deadline)),
                (wait, deadline) => wait.or(deadline),
            };
            match until {
                Some(until) => {
                    tokio::select! { () = freed => {} () = sleep_until(until) => {} }
                }
                None => freed.await,
            }
        }
    }

    fn exhausted(&self, state: &State, now: Instant) -> Option<Stop> {
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            Some(Stop::Time)
        } else if state.spent.requests >= self.max_requests {
            Some(Stop::MaxRequests)
        } else if state.spent.input_tokens + state.spent.output_tokens >= self.max_tokens {
            Some(Stop::MaxTokens)
        } else if state.spent.cost.is_some_and(|cost| cost >= self.max_cost) {
            Some(Stop::MaxCost)
        } else {
            None
        }
    }

    /// A request came back, with words or without.
    pub(super) fn release(&self) {
        self.state().in_flight -= 1;
        self.freed.notify_one();
    }

    /// The target asked to wait. False where that would take longer than there is time.
    pub(super) fn pause(&self, asked: Option<Duration>) -> bool {
        let mut state = self.state();
        let now = Instant::now();
        state.spent.throttled += 1;
        let already = state.paused_until > now;
        if !already {
            // One wave of refusals counts once.
            state.pauses_in_a_row += 1;
            state.window = (state.window / 2.0).max(1.0);
        }
        let own = PAUSE_FIRST * 2u32.saturating_pow(state.pauses_in_a_row.saturating_sub(1).min(10));
        let pause = asked
            .unwrap_or(if already { Duration::ZERO } else { own })
            .min(PAUSE_MAX);
        let until = (now + pause).max(state.paused_until);
        if self.deadline.is_some_and(|deadline| until >= deadline) {
            return false;
        }
        state.paused_until = until;
        true
    }

    /// Counts what a turn took, and gives a silent target up.
    pub(super) fn book(&self, turn: &Turn) {
        let mut state = self.state();
        state.spent.input_tokens += turn.input_tokens;
        state.spent.output_tokens += turn.output_tokens;
        if let Some(prices) = self.prices {
            #[expect(clippy::cast_precision_loss, reason = "tokens of a run")]
            let cost = prices.of(turn.input_tokens as f64, turn.output_tokens as f64);
            *state.spent.cost.get_or_insert(0.0) += cost;
        }
        if turn.is_reply() {
            state.answered = true;
            state.silent_in_a_row = 0;
            state.pauses_in_a_row = 0;
            state.window = (state.window + 1.0 / state.window).min(self.concurrency);
        } else if turn.transport != super::outcome::INTERRUPTED {
            state.silent_in_a_row += 1;
            let most = if state.answered { SILENT_MAX * 3 } else { SILENT_MAX };
            if state.silent_in_a_row >= most && state.stopped.is_none() {
                state.stopped = Some(Stop::Unreachable {
                    status: turn.status,
                    fault: turn.transport.clone(),
                });
                drop(state);
                self.freed.notify_waiters();
            }
        }
    }

    /// What an earlier part of the run took.
    pub(super) fn book_past(&self, requests: u64, turns: &[&Turn]) {
        let mut state = self.state();
        state.spent.requests += requests;
        for turn in turns {
            state.spent.input_tokens += turn.input_tokens;
            state.spent.output_tokens += turn.output_tokens;
            if let Some(prices) = self.prices {
                #[expect(clippy::cast_precision_loss, reason = "tokens of a run")]
                let cost = prices.of(turn.input_tokens as f64, turn.output_tokens as f64);
                *state.spent.cost.get_or_insert(0.0) += cost;
            }
        }
    }
}
