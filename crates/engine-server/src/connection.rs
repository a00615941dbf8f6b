//! One connection, and the list of all: who waits, who works, who must go.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine_model::{ErrorCode, Failure};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::handle::handle;
use crate::io::WatchedIo;
use crate::limits::HEADER_BYTES_MAX;
use crate::reply;
use crate::server::Shared;

/// How long a refused client may continue sending before the connection is closed.
const LINGER: Duration = Duration::from_secs(1);

/// The most bytes of a refused client that are discarded.
const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// The state of a connection.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// It waits for a request.
    Waiting(Instant),
    /// A header section has begun and is not complete.
    Head(Instant),
    /// A request is being answered.
    Busy,
}

/// The activity of a connection.
pub(crate) struct Activity {
    phase: Mutex<Phase>,
    /// Whether a reply is still being sent.
    writing: AtomicBool,
    head_began: Notify,
    evicted: Notify,
}

impl Activity {
    fn new() -> Self {
        Self {
            phase: Mutex::new(Phase::Waiting(Instant::now())),
            writing: AtomicBool::new(false),
            head_began: Notify::new(),
            evicted: Notify::new(),
        }
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes came; where a request was waited for, one begins.
    pub(crate) fn bytes_came(&self) {
        let mut phase = self.phase();
        if let Phase::Waiting(_) = *phase {
            *phase = Phase::Head(Instant::now());
            self.head_began.notify_one();
        }
    }

    /// Nothing of a reply is left to write.
    pub(crate) fn all_is_written(&self) {
        self.writing.store(false, Ordering::Relaxed);
    }

    /// A request is complete up to its body; it is worked on until the guard is dropped.
    pub(crate) fn busy(self: &Arc<Self>) -> BusyGuard {
        *self.phase() = Phase::Busy;
        BusyGuard(Arc::clone(self))
    }

    /// Since when nothing is asked of us, if so.
    fn idle_since(&self) -> Option<Instant> {
        match *self.phase() {
            // A long reply is handed over as a whole and may still be on its way when nothing more is to be done for it.
            _ if self.writing.load(Ordering::Relaxed) => None,
            Phase::Waiting(since) | Phase::Head(since) => Some(since),
            Phase::Busy => None,
        }
    }

    fn is_busy(&self) -> bool {
        self.idle_since().is_none()
    }

    /// Waits until a header section has taken longer than it may.
    async fn head_is_overdue(&self, limit: Duration) {
        loop {
            let phase = *self.phase();
            if let Phase::Head(since) = phase {
                let deadline = since + limit;
                if deadline <= Instant::now() {
                    return;
                }
                tokio::time::sleep_until(deadline.into()).await;
            } else {
                self.head_began.notified().await;
            }
        }
    }
}

/// Held while a request is answered, until its reply has been handed over for writing.
pub(crate) struct BusyGuard(Arc<Activity>);

impl Drop for BusyGuard {
    fn drop(&mut self) {
        // The body is gone, but its last bytes are not out before the next flush.
        let mut phase = self.0.phase();
        self.0.writing.store(true, Ordering::Relaxed);
        *phase = Phase::Waiting(Instant::now());
    }
}

/// All connections.
#[derive(Default)]
pub(crate) struct Connections {
    all: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    open: BTreeMap<u64, Arc<Activity>>,
}

impl State {
    fn evict(&mut self) -> bool {
        let idle = self
            .open
            .iter()
            .filter_map(|(number, activity)| Some((activity.idle_since()?, *number)));
        let Some((_, number)) = idle.min() else { return false };
        if let Some(activity) = self.open.remove(&number) {
            activity.evicted.notify_one();
        }
        true
    }
}

/// A place among the connections, given back when it is dropped.
struct Place<'c> {
    connections: &'c Connections,
    number: u64,
    activity: Arc<Activity>,
}

impl Connections {
    fn state(&self) -> MutexGuard<'_, State> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the connection away that has been idle longest, if there is one.
    pub(crate) fn evict(&self) -> bool {
        self.state().evict()
    }

    /// A place for one more. When all are taken, the connection that has been idle longest makes room; a request that
    /// is worked on never does.
    fn admit(&self, max: usize) -> Option<Place<'_>> {
        let mut state = self.state();
        if state.open.len() >= max && !state.evict() {
            return None;
        }
        let number = state.next;
        state.next += 1;
        let activity = Arc::new(Activity::new());
        state.open.insert(number, Arc::clone(&activity));
        Some(Place {
            connections: self,
            number,
            activity,
        })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.connections.state().open.remove(&self.number);
    }
}

/// Why a connection is served no longer.
enum Ended {
    /// It ended by itself.
    Closed(hyper::Result<()>),
    /// Its headers took too long.
    Overdue,
    /// Another needs the place, or the daemon stops.
    Unwanted,
}

/// Serves a connection until it ends.
pub(crate) async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let limits = shared.limits;
    let Some(place) = shared.connections.admit(limits.connections) else {
        let details = "all connections are in use; try again in a few seconds";
        refuse(stream, &Failure::new(ErrorCode::Busy, details).retry_after(2)).await;
        return;
    };
    let activity = Arc::clone(&place.activity);
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(WatchedIo::new(stream, Arc::clone(&activity), limits.write_stall));
    let service = service_fn(|request| {
        let (shared, activity) = (Arc::clone(&shared), Arc::clone(&activity));
        async move { Ok::<_, Infallible>(handle(shared, activity, request).await) }
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Hyper starts this clock when it begins to wait for a request, so it is the one for idle connections. The one
        // for a header section that has begun is `head_is_overdue`.
        .header_read_timeout(limits.idle)
        .max_buf_size(HEADER_BYTES_MAX)
        .serve_connection(io, service);
    let overdue = activity.head_is_overdue(limits.header_read);
    let ended = tokio::select! {
        result = Pin::new(&mut connection) => Ended::Closed(result),
        () = overdue => Ended::Overdue,
        () = activity.evicted.notified() => Ended::Unwanted,
        () = shared.stopped() => Ended::Unwanted,
    };
    match ended {
        Ended::Closed(result) => {
            if result.is_err_and(|error| error.is_parse()) {
                // The answer has been written. Closing now, with bytes still unread, would take it back.
                linger(connection.into_parts().io.into_inner().into_inner()).await;
            }
            return;
        }
        Ended::Overdue => {
            let details = "the request headers did not arrive in time; send them without pauses";
            let stream = connection.into_parts().io.into_inner().into_inner();
            refuse(stream, &Failure::new(ErrorCode::RequestTimeout, details)).await;
            return;
        }
        Ended::Unwanted => {}
    }
    // What is being answered is answered; then the connection closes instead of waiting for more.
    Pin::new(&mut connection).graceful_shutdown();
    if activity.is_busy() {
        let _ = connection.await;
    } else {
        // The last bytes of a reply may still be on their way out.
        let _ = tokio::time::timeout(Duration::from_millis(50), connection).await;
    }
}

/// Answers without having read a request.
async fn refuse(mut stream: TcpStream, failure: &Failure) {
    let answer = reply::raw(failure);
    if let Ok(Ok(())) = tokio::time::timeout(LINGER, stream.write_all(&answer)).await {
        linger(stream).await;
    }
}

/// Ends the reply and discards what the client still sends, so that it can read the reply.
async fn linger(mut stream: TcpStream) {
    let _ = tokio::time::timeout(LINGER, async {
        let _ = stream.shutdown().await;
        let mut buffer = [0; 4096];
        let mut left = LINGER_BYTES_MAX;
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            left = left.saturating_sub(count);
            if left == 0 {
                break;
            }
        }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_connection_makes_room_and_a_busy_one_never_does() {
        let connections = Connections::default();
        let first = connections.admit(2).unwrap();
        let second = connections.admit(2).unwrap();
        let guard = first.activity.busy();
        let third = connections.admit(2).unwrap();
        assert!(
            !connections.state().open.contains_key(&second.number),
            "the idle one went"
        );
        assert!(
            connections.state().open.contains_key(&first.number),
            "the busy one stayed"
        );
        let _busy = third.activity.busy();
        assert!(connections.admit(2).is_none(), "all are at work");
        drop(guard);
        assert!(connections.admit(2).is_none(), "a reply is still on its way out");
        first.activity.all_is_written();
        assert!(connections.admit(2).is_some());
        drop(first);
    }
}
