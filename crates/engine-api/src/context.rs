//! What an endpoint works with: the engine, and a place for work that blocks.

use std::sync::Arc;

use engine::Engine;
use engine_model::{ErrorCode, Failure};
use tokio::sync::Semaphore;

/// Pieces of blocking work at the same time; more are refused, so that a flood cannot pile up threads.
pub const WORK_MAX: usize = 32;

/// What an endpoint works with.
#[derive(Clone)]
pub struct Context {
    engine: Arc<Engine>,
    slots: Arc<Semaphore>,
}

impl Context {
    /// The context of all requests to one engine.
    pub fn new(engine: Arc<Engine>) -> Self {
        Self {
            engine,
            slots: Arc::new(Semaphore::new(WORK_MAX)),
        }
    }

    /// The engine, for calls that do not block.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine, for work that outlives the call.
    pub fn shared(&self) -> Arc<Engine> {
        Arc::clone(&self.engine)
    }

    /// Does work that blocks on a thread of its own, so that other requests are answered meanwhile.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            let details = format!(
                "the engine is busy: it is working on {WORK_MAX} requests, its maximum; try again in a few seconds"
            );
            return Err(Failure::new(ErrorCode::Busy, details).retry_after(2));
        };
        let engine = Arc::clone(&self.engine);
        let task = tokio::task::spawn_blocking(move || {
            // The slot is held for as long as the work takes, also when nobody waits for it any more.
            let _slot = slot;
            work(&engine)
        });
        ended(task.await)
    }
}

/// Does a piece of work that needs no engine on a thread of its own. The bytes of all bodies limit how much of it there is.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    ended(tokio::task::spawn_blocking(work).await)
}

fn ended<T>(joined: Result<Result<T, Failure>, tokio::task::JoinError>) -> Result<T, Failure> {
    match joined {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Failure::new(
            ErrorCode::Busy,
            "the engine is shutting down; repeat the request after it has restarted",
        )),
    }
}
