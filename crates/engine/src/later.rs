//! Writing down what is remembered of a project, beside the work that goes on.
//!
//! What is written so is needed by the next process only, and only for its speed: nobody who asked for a scan waits for it. Whoever lets
//! go of the project does.

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
    /// Whether a thread will look again.
    busy: bool,
}

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
                tracing::warn!(%error, "the facts of the files are not remembered");
                locked(&self.turn).busy = false;
            }
        }
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        if let Some(handle) = locked(&self.writer).take() {
            drop(handle.join());
        }
    }
}

fn work(queue: &Mutex<Turn>, store: &Store) {
    loop {
        let mut turn = locked(queue);
        let Some(Wanted { before, now }) = turn.wanted.take() else {
            turn.busy = false;
            return;
        };
        drop(turn);
        now.save(&before, store);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
