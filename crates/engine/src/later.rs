//! Writing down what is remembered of a project, beside the work that goes on.
//!
//! What is written so is needed by the next process only, for its speed or for what it checks: nobody who asked for a scan waits for it.
//! Whoever lets go of the project does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use engine_store::Store;

use crate::cache::Cache;

/// What is still to be written, and the thread that does it.
#[derive(Default)]
pub(crate) struct Later {
    turn: Arc<Mutex<Turn>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Turn {
    /// What was written last, or is known to be there, and what is to be written in its place.
    wanted: Option<Wanted>,
    /// What else is to be done, in the order in which it was asked for.
    jobs: Vec<Job>,
    /// Whether a thread will look again.
    busy: bool,
}

/// Something that is done in its turn.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

struct Wanted {
    before: Arc<Cache>,
    now: Arc<Cache>,
}

impl Later {
    /// Writes what `now` knows beyond `before`. What waits already is passed over for the newer one.
    pub(crate) fn write(&self, store: &Arc<Store>, now: Arc<Cache>, before: Arc<Cache>) {
        let mut turn = locked(&self.turn);
        let before = turn.wanted.take().map_or(before, |waiting| waiting.before);
        turn.wanted = Some(Wanted { before, now });
        self.go_on(turn, store);
    }

    /// Does something beside the work that goes on.
    pub(crate) fn run(&self, store: &Arc<Store>, job: Job) {
        let mut turn = locked(&self.turn);
        turn.jobs.push(job);
        self.go_on(turn, store);
    }

    /// Waits until everything that was asked for by now is done.
    pub(crate) fn settle(&self) {
        let begun = locked(&self.writer).take();
        drop(begun.map(JoinHandle::join));
    }

    /// Sees to it that a thread looks at what is to be done.
    fn go_on(&self, mut turn: MutexGuard<'_, Turn>, store: &Arc<Store>) {
        if turn.busy {
            return;
        }
        turn.busy = true;
        drop(turn);
        let (queue, store) = (Arc::clone(&self.turn), Arc::clone(store));
        let begun = thread::Builder::new()
            .name("remember".to_owned())
            .spawn(move || work(&queue, &store));
        match begun {
            Ok(handle) => {
                let former = locked(&self.writer).replace(handle);
                // It has seen that nothing was left, so it is about to end.
                drop(former.map(JoinHandle::join));
            }
            Err(error) => {
                tracing::warn!(%error, "could not start a thread to store the cache or chain head; the engine tries again later");
                locked(&self.turn).busy = false;
            }
        }
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        self.settle();
    }
}

fn work(queue: &Mutex<Turn>, store: &Store) {
    loop {
        let mut turn = locked(queue);
        let jobs = std::mem::take(&mut turn.jobs);
        let wanted = turn.wanted.take();
        turn.busy = wanted.is_some() || !jobs.is_empty();
        if !turn.busy {
            return;
        }
        drop(turn);
        for job in jobs {
            job();
        }
        if let Some(Wanted { before, now }) = wanted {
            now.save(&before, store);
            if let Err(error) = store.tidy() {
                tracing::debug!(%error, "the checkpoint of the database log is postponed");
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
