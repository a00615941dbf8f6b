//! One connection, and the list of all: who waits, who works, who must go.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
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
use crate::limits::{HEADER_BYTES_MAX, Limits, REPLIES_BYTES_MAX, REPLY_BYTES_FREE, WAITING_MAX};
use crate::reply;
use crate::server::Shared;

/// How long a refused client may continue sending before the connection is closed.
const LINGER: Duration = Duration::from_secs(1);

/// How long a connection that is closed to make room may still write.
const CUT_WAIT: Duration = Duration::from_millis(200);

/// The most bytes of a refused client that are discarded.
const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// Refused clients that may continue sending at the same time.
const LINGERING_MAX: usize = 64;

/// The state of a connection.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// It waits for a request.
    Waiting(Instant),
    /// A header section has begun and is not complete.
    Head(Instant),
    /// A request is being answered.
    Busy,
    /// A request is complete up to its body, and its client is to send that; since when no byte of it came.
    Body(Instant),
}

/// The activity of a connection.
pub(crate) struct Activity {
    phase: Mutex<Phase>,
    /// Whether a request came over it already.
    used: AtomicBool,
    /// Whether a reply is still being sent.
    writing: AtomicBool,
    head_began: Notify,
    evicted: Notify,
    /// Tells the connection that it is closed now, whatever it does.
    cut: Notify,
    /// Tells the reader of a body to give up.
    body_cut: Notify,
    /// Since when a client does not read its reply.
    stalled: Mutex<Option<Instant>>,
    /// Bytes of a reply that are not all sent.
    reply_bytes: AtomicU64,
}

impl Activity {
    fn new() -> Self {
        Self {
            phase: Mutex::new(Phase::Waiting(Instant::now())),
            used: AtomicBool::new(false),
            writing: AtomicBool::new(false),
            head_began: Notify::new(),
            evicted: Notify::new(),
            cut: Notify::new(),
            body_cut: Notify::new(),
            stalled: Mutex::new(None),
            reply_bytes: AtomicU64::new(0),
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
        if !matches!(*self.phase(), Phase::Busy | Phase::Body(_)) {
            self.reply_bytes.store(0, Ordering::Relaxed);
        }
    }

    /// The client reads its reply, or does not.
    pub(crate) fn stalls(&self, stalls: bool) {
        let mut stalled = self.stalled.lock().unwrap_or_else(PoisonError::into_inner);
        if stalls {
            stalled.get_or_insert_with(Instant::now);
        } else {
            *stalled = None;
        }
    }

    /// The body of a request is waited for, until the guard is dropped.
    pub(crate) fn waits_for_body(&self) -> BodyGuard<'_> {
        *self.phase() = Phase::Body(Instant::now());
        BodyGuard(self)
    }

    /// Bytes of a body came.
    pub(crate) fn body_came(&self) {
        let mut phase = self.phase();
        if let Phase::Body(last) = &mut *phase {
            *last = Instant::now();
        }
    }

    /// Waits until the connection is closed to make room.
    pub(crate) async fn body_is_cut(&self) {
        self.body_cut.notified().await;
    }

    /// Since when the daemon waits for the client in the middle of a request, if so.
    fn slow_since(&self) -> Option<Instant> {
        if let Phase::Body(last) = *self.phase() {
            return Some(last);
        }
        *self.stalled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Since when the daemon waits for the client, in the middle of a request or for its first one.
    fn waited_since(&self) -> Option<Instant> {
        self.slow_since().or_else(|| self.idle_since())
    }

    /// Since when nothing is asked of us by a client whose requests were all answered, if so.
    fn rests_since(&self) -> Option<Instant> {
        let waits = matches!(*self.phase(), Phase::Waiting(_));
        if waits && self.used.load(Ordering::Relaxed) {
            self.idle_since()
        } else {
            None
        }
    }

    /// A request is complete up to its body; it is worked on until the guard is dropped.
    pub(crate) fn busy(self: &Arc<Self>) -> BusyGuard {
        *self.phase() = Phase::Busy;
        self.used.store(true, Ordering::Relaxed);
        BusyGuard(Arc::clone(self))
    }

    /// Since when nothing is asked of us, if so.
    fn idle_since(&self) -> Option<Instant> {
        match *self.phase() {
            // A long reply is handed over as a whole and may still be on its way when nothing more is to be done for it.
            _ if self.writing.load(Ordering::Relaxed) => None,
            Phase::Waiting(since) | Phase::Head(since) => Some(since),
            Phase::Busy | Phase::Body(_) => None,
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

/// Held while the body of a request is waited for.
pub(crate) struct BodyGuard<'a>(&'a Activity);

impl Drop for BodyGuard<'_> {
    fn drop(&mut self) {
        *self.0.phase() = Phase::Busy;
    }
}

/// All connections.
#[derive(Default)]
pub(crate) struct Connections {
    all: Mutex<State>,
    /// Connections that wait for a place.
    waiting: AtomicUsize,
    /// They get their places in the order in which they came.
    turn: tokio::sync::Mutex<()>,
    /// Connections that are refused and still send.
    lingering: AtomicUsize,
}

/// A connection without a byte for so long is closed where no place is left. A client has that time for its first request too.
const SLOW_WHEN_FULL: Duration = Duration::from_millis(200);

/// Pause of a connection that waits for a place, and of a reply that waits for the budget.
const WAIT: Duration = Duration::from_millis(20);

/// How long a long reply waits for others to be read.
const REPLY_WAIT_MAX: Duration = Duration::from_secs(2);

#[derive(Default)]
struct State {
    next: u64,
    open: BTreeMap<u64, Arc<Activity>>,
}

impl State {
    /// Closes the connection that has been idle longest.
    fn evict(&mut self) -> bool {
        self.close_oldest(Activity::idle_since, Duration::ZERO)
    }

    /// Closes a connection where no place is left: one whose requests were all answered, or the one that has kept the daemon waiting
    /// longest. A new one has some time for its first request: else the clients of a flood would push out every other.
    fn make_room(&mut self, for_at_least: Duration) -> bool {
        self.close_oldest(Activity::rests_since, Duration::ZERO)
            || self.close_oldest(Activity::waited_since, for_at_least)
    }

    fn close_oldest(&mut self, since: fn(&Activity) -> Option<Instant>, for_at_least: Duration) -> bool {
        let all = self
            .open
            .iter()
            .filter_map(|(number, activity)| Some((since(activity)?, *number)));
        let Some((oldest, number)) = all.min() else {
            return false;
        };
        if oldest.elapsed() < for_at_least {
            return false;
        }
        if let Some(activity) = self.open.remove(&number) {
            if activity.slow_since().is_some() {
                activity.cut.notify_one();
            } else {
                activity.evicted.notify_one();
            }
        }
        true
    }

    /// Closes the connection whose client has kept the daemon waiting longest, if it did so for long enough.
    fn cut_slow(&mut self, for_at_least: Duration, but_not: Option<&Arc<Activity>>) -> bool {
        let slow = self
            .open
            .iter()
            .filter(|(_, activity)| but_not.is_none_or(|other| !Arc::ptr_eq(activity, other)))
            .filter_map(|(number, activity)| Some((activity.slow_since()?, *number)));
        let Some((since, number)) = slow.min() else {
            return false;
        };
        if since.elapsed() < for_at_least {
            return false;
        }
        if let Some(activity) = self.open.remove(&number) {
            activity.cut.notify_one();
        }
        true
    }

    /// Bytes of replies that are on their way, without those of one connection.
    fn reply_bytes(&self, but_not: &Arc<Activity>) -> u64 {
        let others = self.open.values().filter(|activity| !Arc::ptr_eq(activity, but_not));
        others
            .map(|activity| activity.reply_bytes.load(Ordering::Relaxed))
            .sum()
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

    /// A place for one more. Once places run short, slow connections are closed. When all are taken, the connection that has kept
    /// the daemon waiting longest makes room; a request that is worked on never does.
    fn admit(&self, limits: &Limits) -> Option<Place<'_>> {
        self.place(limits, SLOW_WHEN_FULL.min(limits.slow))
    }

    /// The same; the connection that makes room has kept the daemon waiting for at least so long.
    fn place(&self, limits: &Limits, for_at_least: Duration) -> Option<Place<'_>> {
        let max = limits.connections;
        let mut state = self.state();
        // A small server keeps a share of its places and not all of them.
        while state.open.len() + limits.reserved.min(max / 8) >= max && state.cut_slow(limits.slow, None) {}
        if state.open.len() >= max && !state.make_room(for_at_least) {
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

impl Connections {
    /// The same, after a short wait where all places are taken: slow clients make room meanwhile. Those that wait get their places
    /// in the order in which they came, before any that comes later.
    async fn admitted(&self, limits: &Limits) -> Option<Place<'_>> {
        if let Ok(_turn) = self.turn.try_lock()
            && let Some(place) = self.admit(limits)
        {
            return Some(place);
        }
        let Some(_waiting) = Counted::below(&self.waiting, WAITING_MAX) else {
            // Where too many wait, nobody is given time: the one that has kept the daemon waiting longest goes at once.
            return self.place(limits, Duration::ZERO);
        };
        let turn = async {
            let _turn = self.turn.lock().await;
            loop {
                if let Some(place) = self.admit(limits) {
                    return place;
                }
                tokio::time::sleep(WAIT).await;
            }
        };
        tokio::time::timeout(limits.admission, turn).await.ok()
    }

    /// Waits until a long reply fits beside those that clients have not read yet. Clients that do not read theirs are closed;
    /// false where that was not enough.
    pub(crate) async fn room_for_reply(&self, activity: &Arc<Activity>, bytes: u64) -> bool {
        if bytes <= REPLY_BYTES_FREE {
            return true;
        }
        let deadline = Instant::now() + REPLY_WAIT_MAX;
        loop {
            {
                let mut state = self.state();
                while state.reply_bytes(activity) + bytes > REPLIES_BYTES_MAX
                    && state.cut_slow(SLOW_WHEN_FULL, Some(activity))
                {}
                let others = state.reply_bytes(activity);
                // A reply that is longer than the whole budget goes out alone.
                if others == 0 || others + bytes <= REPLIES_BYTES_MAX {
                    activity.reply_bytes.store(bytes, Ordering::Relaxed);
                    return true;
                }
            }
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(WAIT).await;
        }
    }
}

/// One of a limited number, given back when it is dropped.
struct Counted<'c>(&'c AtomicUsize);

impl<'c> Counted<'c> {
    fn below(counter: &'c AtomicUsize, max: usize) -> Option<Self> {
        let taken = Self(counter);
        (counter.fetch_add(1, Ordering::Relaxed) < max).then_some(taken)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
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
    /// Its client kept the daemon waiting, and another needs the place.
    Cut,
}

/// Serves a connection until it ends.
pub(crate) async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let limits = shared.limits;
    let Some(place) = shared.connections.admitted(&limits).await else {
        let details = "all connections are in use; try again in a few seconds";
        refuse(
            &shared.connections,
            stream,
            &Failure::new(ErrorCode::Busy, details).retry_after(2),
        )
        .await;
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
        () = activity.cut.notified() => Ended::Cut,
        () = shared.stopped() => Ended::Unwanted,
    };
    match ended {
        Ended::Closed(result) => {
            if result.is_err_and(|error| error.is_parse()) {
                // The answer has been written. Closing now, with bytes still unread, would take it back.
                linger(
                    &shared.connections,
                    connection.into_parts().io.into_inner().into_inner(),
                )
                .await;
            }
            return;
        }
        Ended::Overdue => {
            let details = "the request headers did not arrive in time; send them without pauses";
            let stream = connection.into_parts().io.into_inner().into_inner();
            refuse(
                &shared.connections,
                stream,
                &Failure::new(ErrorCode::RequestTimeout, details),
            )
            .await;
            return;
        }
        Ended::Cut => {
            // A client that sends its body gets to know why; one that does not read its reply would not.
            activity.body_cut.notify_one();
            Pin::new(&mut connection).graceful_shutdown();
            let _ = tokio::time::timeout(CUT_WAIT, connection).await;
            return;
        }
        Ended::Unwanted => {}
    }
    // What is being answered is answered; then the connection closes instead of waiting for more.
    Pin::new(&mut connection).graceful_shutdown();
    if activity.is_busy() {
        // A client that does not read its reply does not keep its place.
        tokio::select! {
            _ = Pin::new(&mut connection) => {}
            () = activity.cut.notified() => {}
        }
    } else {
        // The last bytes of a reply may still be on their way out.
        let _ = tokio::time::timeout(Duration::from_millis(50), connection).await;
    }
}

/// Answers without having read a request.
async fn refuse(connections: &Connections, mut stream: TcpStream, failure: &Failure) {
    let answer = reply::raw(failure);
    if let Ok(Ok(())) = tokio::time::timeout(LINGER, stream.write_all(&answer)).await {
        linger(connections, stream).await;
    }
}

/// Ends the reply and discards what the client still sends, so that it can read the reply.
/// Where many are refused, the next ones are closed at once: else they would use up the open files of the daemon.
async fn linger(connections: &Connections, mut stream: TcpStream) {
    let Some(_lingering) = Counted::below(&connections.lingering, LINGERING_MAX) else {
        return;
    };
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

    fn two() -> Limits {
        Limits {
            connections: 2,
            ..Limits::default()
        }
    }

    /// A request came and was answered.
    fn answer(place: &Place<'_>) {
        drop(place.activity.busy());
        place.activity.all_is_written();
    }

    #[test]
    fn the_longest_idle_connection_makes_room_and_a_busy_one_never_does() {
        let connections = Connections::default();
        let first = connections.admit(&two()).unwrap();
        let second = connections.admit(&two()).unwrap();
        answer(&second);
        let guard = first.activity.busy();
        let third = connections.admit(&two()).unwrap();
        assert!(
            !connections.state().open.contains_key(&second.number),
            "the idle one went"
        );
        assert!(
            connections.state().open.contains_key(&first.number),
            "the busy one stayed"
        );
        let _busy = third.activity.busy();
        assert!(connections.admit(&two()).is_none(), "all are at work");
        drop(guard);
        assert!(connections.admit(&two()).is_none(), "a reply is still on its way out");
        first.activity.all_is_written();
        assert!(connections.admit(&two()).is_some());
        drop(first);
    }

    #[test]
    fn a_new_connection_has_time_for_its_first_request_while_slow_ones_make_room() {
        let connections = Connections::default();
        let slow = connections.admit(&two()).unwrap();
        let _busy = slow.activity.busy();
        let _body = slow.activity.waits_for_body();
        let new = connections.admit(&two()).unwrap();
        assert!(connections.admit(&two()).is_none(), "neither has waited for long");
        if let Phase::Body(last) = &mut *slow.activity.phase() {
            *last -= SLOW_WHEN_FULL;
        }
        let _next = connections.admit(&two()).unwrap();
        assert!(connections.state().open.contains_key(&new.number), "the new one stayed");
        assert!(!connections.state().open.contains_key(&slow.number));
    }

    #[test]
    fn connections_that_wait_get_places_in_their_order() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let connections = Connections::default();
        runtime.block_on(async {
            let one = Limits {
                connections: 1,
                ..Limits::default()
            };
            let held = connections.admit(&one).unwrap();
            let _busy = held.activity.busy();
            let order = Mutex::new(Vec::new());
            let waits = async |number: usize| {
                let place = connections.admitted(&one).await.unwrap();
                order.lock().unwrap().push(number);
                drop(place);
            };
            let leaves = async {
                tokio::task::yield_now().await;
                drop(held);
            };
            tokio::join!(waits(0), waits(1), waits(2), leaves);
            assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
        });
    }

    #[test]
    fn a_client_that_keeps_the_daemon_waiting_makes_room() {
        let connections = Connections::default();
        let limits = Limits {
            slow: Duration::ZERO,
            ..two()
        };
        let sends = connections.admit(&limits).unwrap();
        let _busy = sends.activity.busy();
        let _body = sends.activity.waits_for_body();
        let reads = connections.admit(&limits).unwrap();
        let _reply = reads.activity.busy();
        reads.activity.stalls(true);
        let _new = connections.admit(&limits).unwrap();
        assert!(
            !connections.state().open.contains_key(&sends.number),
            "the slowest went"
        );
        assert!(connections.state().open.contains_key(&reads.number));
        reads.activity.stalls(false);
        assert!(connections.state().open.contains_key(&reads.number));
    }
}
