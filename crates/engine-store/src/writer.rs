//! One writer, any number of callers: changes that wait together are committed together.

use std::sync::mpsc::{Sender, channel};
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
    /// Tells its caller to do the work of all that wait.
    lead: Box<dyn FnOnce() + Send>,
}

/// What a caller that waits is told.
enum Told<T> {
    /// How its change ended.
    Done(Result<T, StoreError>),
    /// That nobody does the work, so it is its turn.
    Lead,
}

/// Changes that wait, and whether a caller is at work on them.
#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    led: bool,
}

/// The connection that writes, and the changes that wait for it.
pub(crate) struct Writer {
    connection: Mutex<Connection>,
    waiting: Mutex<Queue>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Writer")
    }
}

impl Writer {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            connection: Mutex::new(connection),
            waiting: Mutex::new(Queue::default()),
        }
    }

    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        locked(&self.connection)
    }

    /// Makes a change, together with those that wait. The first caller does the work of all that came meanwhile, once,
    /// and then hands over to one of those that came later; the others sleep until theirs is done.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = channel();
        let wake: Sender<Told<T>> = tell.clone();
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
                let _ = tell.send(Told::Done(outcome));
            })
        });
        let lead = Box::new(move || {
            let _ = wake.send(Told::Lead);
        });
        let mut queue = self.queue();
        queue.jobs.push(Job { work, lead });
        let mut leads = !std::mem::replace(&mut queue.led, true);
        drop(queue);
        loop {
            if std::mem::take(&mut leads) {
                self.lead();
            }
            match told.recv() {
                Ok(Told::Done(outcome)) => return outcome,
                Ok(Told::Lead) => leads = true,
                // Its work was dropped with that of a caller that panicked, and nothing of the group was committed.
                Err(_) => {
                    return Err(StoreError::NotCommitted(
                        "another change that was saved together with this one failed; try again".to_owned(),
                    ));
                }
            }
        }
    }

    /// Does the work of one group, and hands over if more wait by then.
    fn lead(&self) {
        let _turn = Turn(self);
        let mut connection = self.connection();
        let group: Vec<Job> = {
            let mut waiting = self.queue();
            let count = waiting.jobs.len().min(GROUP_MAX);
            waiting.jobs.drain(..count).collect()
        };
        commit(&mut connection, group);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The turn of one caller; it is handed on also when its work panics.
struct Turn<'a>(&'a Writer);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        if queue.jobs.is_empty() {
            queue.led = false;
            return;
        }
        let lead = std::mem::replace(&mut queue.jobs[0].lead, Box::new(|| {}));
        drop(queue);
        lead();
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
