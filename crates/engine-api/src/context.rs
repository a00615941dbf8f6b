//! What an endpoint works with: the engine, and a place for work that blocks.

use std::sync::{Arc, Mutex, PoisonError};

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
        aside(move || {
            // The slot is held for as long as the work takes, also when nobody waits for it any more.
            let _slot = slot;
            work(&engine)
        })
        .await
    }
}

/// Does a piece of work that needs no engine on a thread of its own. The bytes of all bodies limit how much of it there is.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = Arc::new(Mutex::new(None));
    let place = Arc::clone(&done);
    blocking(Box::new(move || {
        let result = work();
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }))
    .await?;
    let result = done.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.unwrap_or_else(|| {
        Err(Failure::new(
            ErrorCode::Internal,
            "the work has ended without a result; see the engine log",
        ))
    })
}

/// Runs a boxed piece of work. The runtime makes a kilobyte of code for each type of work, and every endpoint has its own.
async fn blocking(work: Box<dyn FnOnce() + Send>) -> Result<(), Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(()) => Ok(()),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Failure::new(
            ErrorCode::Busy,
            "the engine is shutting down; repeat the request after it has restarted",
        )),
    }
}
