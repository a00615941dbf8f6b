//! The journal of a run: questions and replies go into the database in groups, and no thread of the run waits for the disk.

use std::sync::{Arc, OnceLock};

use engine_eval::{Journal, JournalFailed, Turn, TurnKey, Writing};
use engine_model::Failure;
use engine_store::JournalRow;
use tokio::sync::{mpsc, oneshot};

use super::mask::Mask;
use super::setup::read_only;
use crate::project::ProjectState;

/// Lines of one transaction; more wait for the next, so that nobody waits long for the first.
const GROUP_MAX: usize = 512;

/// A line that waits to be written.
struct Note {
    row: Option<JournalRow>,
    /// Who waits until everything up to here is on the disk.
    told: Option<oneshot::Sender<Result<(), JournalFailed>>>,
}

/// Writes down questions before they are sent, and replies as they come.
///
/// Lines keep their order: a question that is on the disk has every earlier reply beside it. While one group is being
/// written the next one gathers, so a slow disk makes groups larger and the run hardly slower.
pub(super) struct StoreJournal {
    notes: mpsc::UnboundedSender<Note>,
    failed: Arc<OnceLock<JournalFailed>>,
    mask: Arc<Mask>,
}

impl StoreJournal {
    /// A journal with a thread of its own, which ends with the journal. It must be called on a runtime.
    pub(super) fn open(state: Arc<ProjectState>, run: i64, mask: Arc<Mask>) -> Result<Self, Failure> {
        state.store().ok_or_else(read_only)?;
        let (notes, waiting) = mpsc::unbounded_channel();
        let failed = Arc::new(OnceLock::new());
        let fault = Arc::clone(&failed);
        tokio::task::spawn_blocking(move || write(&state, run, waiting, &fault));
        Ok(Self { notes, failed, mask })
    }

    fn note(&self, key: &TurnKey, turn: Option<&Turn>, told: Option<oneshot::Sender<Written>>) -> Written {
        if let Some(failed) = self.failed.get() {
            return Err(failed.clone());
        }
        let failed = |error: serde_json::Error| JournalFailed(error.to_string());
        let question = serde_json::to_string(key).map_err(failed)?;
        let turn = turn.map(serde_json::to_string).transpose().map_err(failed)?;
        self.hand_over(Some((question, turn)), told)
    }

    fn hand_over(&self, row: Option<JournalRow>, told: Option<oneshot::Sender<Written>>) -> Written {
        self.notes.send(Note { row, told }).map_err(|_| gone())
    }
}

type Written = Result<(), JournalFailed>;

fn gone() -> JournalFailed {
    JournalFailed("the thread that stores the run has ended".to_owned())
}

async fn wait(told: oneshot::Receiver<Written>) -> Written {
    told.await.unwrap_or_else(|_| Err(gone()))
}

impl Journal for StoreJournal {
    fn sending<'a>(&'a self, key: &'a TurnKey) -> Writing<'a> {
        Box::pin(async move {
            let (tell, told) = oneshot::channel();
            self.note(key, None, Some(tell))?;
            wait(told).await
        })
    }

    fn received(&self, key: &TurnKey, turn: &Turn) -> Written {
        self.note(key, Some(turn), None)
    }

    fn flush(&self) -> Writing<'_> {
        Box::pin(async move {
            let (tell, told) = oneshot::channel();
            self.hand_over(None, Some(tell))?;
            wait(told).await
        })
    }

    fn clean(&self, turn: &mut Turn) {
        self.mask.turn(turn);
    }
}

/// Writes group after group until the journal is dropped. After a failure nothing more is written: a reply that is missing
/// must not be followed by a later one.
fn write(state: &ProjectState, run: i64, mut waiting: mpsc::UnboundedReceiver<Note>, failed: &OnceLock<JournalFailed>) {
    while let Some(first) = waiting.blocking_recv() {
        let mut group = vec![first];
        while group.len() < GROUP_MAX
            && let Ok(next) = waiting.try_recv()
        {
            group.push(next);
        }
        let rows: Vec<JournalRow> = group.iter_mut().filter_map(|note| note.row.take()).collect();
        let written = match (failed.get(), state.store()) {
            (Some(failed), _) => Err(failed.clone()),
            (None, None) => Err(JournalFailed("the project is open in read-only mode".to_owned())),
            (None, Some(_)) if rows.is_empty() => Ok(()),
            (None, Some(store)) => store
                .journal_eval(run, rows)
                .map_err(|error| JournalFailed(error.to_string())),
        };
        if let Err(why) = &written {
            let _ = failed.set(why.clone());
        }
        for told in group.into_iter().filter_map(|note| note.told) {
            // Who was stopped meanwhile does not wait any more.
            let _ = told.send(written.clone());
        }
    }
}
