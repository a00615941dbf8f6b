//! One writer, any number of callers: changes that wait together are committed together.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::database::locked;

/// Changes of one transaction; more wait for the next, so that nobody waits long for the first.
const GROUP_MAX: usize = 512;

type Work = Box<dyn FnOnce(&Connection) -> Done + Send>;

/// Tells a caller how its change ended, once it is known whether the group was committed.
type Done = Box<dyn FnOnce(Result<(), String>) + Send>;

/// A change that waits for the writer.
struct Job {
    work: Work,
}

/// The connection that writes, and the changes that wait for it.
pub(crate) struct Writer {
    connection: Mutex<Connection>,
    waiting: Mutex<Vec<Job>>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Writer")
    }
}

impl Writer {
    pub(crate) const fn new(connection: Connection) -> Self {
        Self {
            connection: Mutex::new(connection),
            waiting: Mutex::new(Vec::new()),
        }
    }

    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        locked(&self.connection)
    }

    /// Makes a change, together with those that wait. Whoever gets the connection first does the work of all: the others
    /// find theirs done when their turn comes.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told): (SyncSender<Result<T, StoreError>>, Receiver<_>) = sync_channel(1);
        let work: Work = Box::new(move |connection| {
            let outcome = in_savepoint(connection, change);
            Box::new(move |committed| {
                let outcome = match (outcome, committed) {
                    // A change that failed by itself says why, whatever became of the others.
                    (Err(error), _) => Err(error),
                    (Ok(value), Ok(())) => Ok(value),
                    (Ok(_), Err(why)) => Err(StoreError::NotCommitted(why)),
                };
                // A caller that is gone has nobody to tell.
                let _ = tell.send(outcome);
            })
        });
        self.queue().push(Job { work });
        loop {
            if let Ok(outcome) = told.try_recv() {
                return outcome;
            }
            let mut connection = self.connection();
            if let Ok(outcome) = told.try_recv() {
                return outcome;
            }
            let group: Vec<Job> = {
                let mut waiting = self.queue();
                let count = waiting.len().min(GROUP_MAX);
                waiting.drain(..count).collect()
            };
            commit(&mut connection, group);
        }
    }

    fn queue(&self) -> MutexGuard<'_, Vec<Job>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A change that fails leaves nothing behind, and those of the same group are none the wiser.
fn in_savepoint<T>(
    connection: &Connection,
    change: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    connection.execute_batch("SAVEPOINT change")?;
    let outcome = change(connection);
    let ended = match outcome {
        Ok(_) => connection.execute_batch("RELEASE change"),
        Err(_) => connection.execute_batch("ROLLBACK TO change; RELEASE change"),
    };
    match (outcome, ended) {
        (Ok(value), Ok(())) => Ok(value),
        (Ok(_), Err(error)) => Err(error.into()),
        (Err(error), _) => Err(error),
    }
}

fn commit(connection: &mut Connection, group: Vec<Job>) {
    let mut done = Vec::with_capacity(group.len());
    let result = (|| -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for job in group {
            done.push((job.work)(&transaction));
        }
        transaction.commit()
    })();
    let result = result.map_err(|error| StoreError::from(error).to_string());
    for tell in done {
        tell(result.clone());
    }
}
