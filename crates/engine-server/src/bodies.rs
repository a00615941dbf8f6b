//! One budget for the bodies of all requests, so that many clients together cannot make the daemon hold gigabytes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Bytes that one unit of the semaphore stands for.
const UNIT_BYTES: usize = 1024;

/// What is known of one body.
struct Held {
    bytes: usize,
    began: Instant,
    /// When bytes came last.
    last: Instant,
    /// Whether it is complete, and no longer in the hands of its client.
    whole: bool,
    cut: Arc<Notify>,
}

#[derive(Default)]
struct State {
    next: u64,
    bytes: usize,
    open: BTreeMap<u64, Held>,
}

/// The bodies of all requests.
pub(crate) struct Bodies {
    state: Mutex<State>,
    bytes_max: usize,
    /// How much is worked on at the same time: what is parsed is larger than what was sent.
    work: Arc<Semaphore>,
    work_units: usize,
}

impl Bodies {
    pub(crate) fn new(bytes_max: usize, work_bytes_max: usize) -> Arc<Self> {
        let work_units = (work_bytes_max / UNIT_BYTES).max(1);
        Arc::new(Self {
            state: Mutex::default(),
            bytes_max,
            work: Arc::new(Semaphore::new(work_units)),
            work_units,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a body that begins.
    pub(crate) fn begin(self: &Arc<Self>) -> Body {
        let now = Instant::now();
        let cut = Arc::new(Notify::new());
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.open.insert(
            number,
            Held {
                bytes: 0,
                began: now,
                last: now,
                whole: false,
                cut: Arc::clone(&cut),
            },
        );
        drop(state);
        Body {
            bodies: Arc::clone(self),
            number,
            cut,
            permit: None,
        }
    }
}

impl State {
    /// Takes the bytes of a body out of the sum and tells its reader.
    fn cut(&mut self, number: u64) {
        if let Some(held) = self.open.remove(&number) {
            self.bytes = self.bytes.saturating_sub(held.bytes);
            held.cut.notify_one();
        }
    }

    /// The unfinished body that makes room: the one without bytes for longest, and of those that move the slowest.
    fn slowest(&self, now: Instant) -> Option<u64> {
        /// Pauses are compared in steps, so that a few milliseconds do not decide.
        const STEP_MS: u128 = 250;
        let unfinished = self.open.iter().filter(|(_, held)| !held.whole && held.bytes > 0);
        let worst = unfinished.min_by_key(|(number, held)| {
            let pause = now.saturating_duration_since(held.last).as_millis() / STEP_MS;
            let age = now.saturating_duration_since(held.began).as_millis().max(1);
            let rate = held.bytes as u128 * 1000 / age;
            (std::cmp::Reverse(pause), rate, **number)
        });
        worst.map(|(number, _)| *number)
    }
}

/// The place of one body in the budget, given back when it is dropped.
pub(crate) struct Body {
    bodies: Arc<Bodies>,
    number: u64,
    cut: Arc<Notify>,
    /// Its share of the work, once it is complete.
    permit: Option<OwnedSemaphorePermit>,
}

impl Body {
    /// Counts bytes that came. Where the sum passes the budget, slow bodies are cut; says whether this one may go on.
    pub(crate) fn add(&self, bytes: usize) -> bool {
        let now = Instant::now();
        let mut state = self.bodies.state();
        let Some(held) = state.open.get_mut(&self.number) else {
            return false;
        };
        held.bytes += bytes;
        held.last = now;
        state.bytes += bytes;
        while state.bytes > self.bodies.bytes_max {
            let Some(number) = state.slowest(now) else { break };
            state.cut(number);
        }
        state.open.contains_key(&self.number)
    }

    /// Waits until another body needs the memory.
    pub(crate) async fn cut(&self) {
        self.cut.notified().await;
    }

    /// Waits for the turn of a body that is complete.
    pub(crate) async fn whole(&mut self) {
        let bytes = {
            let mut state = self.bodies.state();
            let held = state.open.get_mut(&self.number);
            held.map_or(0, |held| {
                held.whole = true;
                held.bytes
            })
        };
        let units = (bytes / UNIT_BYTES).min(self.bodies.work_units);
        if let Ok(units) = u32::try_from(units) {
            // The semaphore is never closed.
            self.permit = Arc::clone(&self.bodies.work).acquire_many_owned(units).await.ok();
        }
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut state = self.bodies.state();
        if let Some(held) = state.open.remove(&self.number) {
            state.bytes = state.bytes.saturating_sub(held.bytes);
        }
    }
}

/// Whether a body came too slowly: after a start without conditions it must have so many bytes a second.
pub(crate) fn is_too_slow(bytes: usize, took: Duration, grace: Duration, bytes_per_second: usize) -> bool {
    let counted = took.saturating_sub(grace).as_secs();
    (bytes as u64) < counted.saturating_mul(bytes_per_second as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_bodies_share_a_budget_and_the_slowest_makes_room() {
        let bodies = Bodies::new(1_000, 1_000);
        let (stalled, quick) = (bodies.begin(), bodies.begin());
        assert!(stalled.add(600));
        bodies.state().open.get_mut(&stalled.number).unwrap().last -= Duration::from_secs(2);
        assert!(quick.add(500));
        assert!(!stalled.add(1), "the one without bytes for longest was cut");
        assert_eq!(bodies.state().bytes, 500);
        drop(quick);
        drop(stalled);
        assert_eq!(bodies.state().bytes, 0);
    }

    #[test]
    fn whole_bodies_stay_and_a_new_one_that_passes_the_budget_is_cut() {
        let bodies = Bodies::new(1_000, 1_000_000);
        let mut whole = bodies.begin();
        assert!(whole.add(900));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(whole.whole());
        let next = bodies.begin();
        assert!(!next.add(200));
        assert!(whole.add(0));
    }

    #[test]
    fn a_body_has_a_start_without_conditions_and_then_a_rate() {
        let grace = Duration::from_secs(5);
        assert!(!is_too_slow(0, Duration::from_secs(5), grace, 1_000));
        assert!(is_too_slow(999, Duration::from_secs(6), grace, 1_000));
        assert!(!is_too_slow(1_000, Duration::from_secs(6), grace, 1_000));
    }
}
