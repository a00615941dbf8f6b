//! When the next request may go out: budgets, rate, pauses that the target asks for, and backing off.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::purse::{Payee, Purse, Spent};
use super::{RunSettings, Turn};

/// The first pause where the target names none; it doubles with each further one.
const PAUSE_FIRST: Duration = Duration::from_millis(500);

/// No pause is longer than this.
const PAUSE_MAX: Duration = Duration::from_mins(1);

/// A target that has never answered is given up after so many questions, and one that stopped answering after
/// three times as many.
const SILENT_MAX: u32 = 12;

/// The reason why a run stopped early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Stop {
    /// The run was cancelled, or its client disconnected.
    Cancelled,
    /// The request limit was reached.
    MaxRequests,
    /// The token limit was reached.
    MaxTokens,
    /// The cost limit was reached.
    MaxCost,
    /// The time limit was reached.
    Time,
    /// The target does not reply, or refuses all requests.
    Unreachable {
        /// Its last status.
        status: Option<u16>,
        /// The fault seen instead of replies.
        fault: String,
    },
    /// A request could not be recorded.
    Journal {
        /// The cause.
        why: String,
    },
}

#[derive(Debug)]
struct State {
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
    purse: Purse,
    slot: Option<Duration>,
    concurrency: f64,
    pub(super) deadline: Option<Instant>,
}

impl Pace {
    pub(super) fn new(settings: &RunSettings, purse: Purse) -> Self {
        let now = Instant::now();
        #[expect(clippy::cast_precision_loss, reason = "a number of connections")]
        let concurrency = settings.concurrency.max(1) as f64;
        Self {
            state: Mutex::new(State {
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
            slot: settings
                .rps
                .filter(|rps| *rps > 0.0)
                .map(|rps| Duration::from_secs_f64(1.0 / rps.clamp(0.01, 1e6))),
            concurrency,
            deadline: purse.deadline(),
            purse,
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
        (self.purse.spent(), self.state().stopped.clone())
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
                if let Some(why) = self.purse.empty() {
                    return self.give_up(state, why);
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
                    // The judge may have taken the last one since.
                    if let Err(why) = self.purse.take(Payee::Target) {
                        return self.give_up(state, why);
                    }
                    if let Some(slot) = self.slot {
                        state.next_slot = state.next_slot.max(now) + slot;
                    }
                    state.in_flight += 1;
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

    fn give_up(&self, mut state: MutexGuard<'_, State>, why: Stop) -> bool {
        state.stopped.get_or_insert(why);
        drop(state);
        self.freed.notify_waiters();
        false
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
        self.purse.throttled();
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
        self.purse.book(Payee::Target, turn.input_tokens, turn.output_tokens);
        let mut state = self.state();
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
        self.purse.book_requests(requests);
        for turn in turns {
            self.purse.book(Payee::Target, turn.input_tokens, turn.output_tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(settings: &RunSettings) -> Pace {
        Pace::new(settings, Purse::of(settings))
    }

    /// The clock of these tests advances only while everything waits for it.
    #[tokio::test(start_paused = true)]
    async fn requests_go_out_at_the_set_rate() {
        let slot = Duration::from_millis(25);
        let pace = pace(&RunSettings {
            rps: Some(40.0),
            concurrency: 20,
            ..RunSettings::default()
        });
        let started = Instant::now();
        for sent in 0..12 {
            assert!(pace.admit().await);
            let at = started.elapsed();
            assert!(at >= slot * sent && at < slot * (sent + 1), "request {sent} at {at:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_lasts_as_long_as_the_target_asks() {
        let pace = pace(&RunSettings::default());
        let started = Instant::now();
        assert!(pace.pause(Some(Duration::from_secs(7))));
        assert!(pace.admit().await);
        assert_eq!(started.elapsed().as_secs(), 7);
    }
}
