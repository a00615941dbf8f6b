//! The event bus: numbered events, replayed to who comes back, never waited for by who sends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use engine_model::{Event, EventBody};
use tokio::sync::broadcast;

/// Events kept for replay.
const BUFFERED_MAX: usize = 1_000;

/// Sends events to who listens.
pub struct EventBus {
    state: Mutex<State>,
}

struct State {
    next: u64,
    buffer: VecDeque<Arc<Event>>,
    /// None once the bus is closed: receivers then see the end of the stream.
    sender: Option<broadcast::Sender<Arc<Event>>>,
}

/// One listener.
pub struct Subscription {
    /// What was missed since the given id, as far as it is still kept.
    pub replay: Vec<Arc<Event>>,
    /// What comes; none when the bus is closed.
    pub receiver: Option<broadcast::Receiver<Arc<Event>>>,
}

impl EventBus {
    pub(crate) fn new() -> Self {
        let (sender, _) = broadcast::channel(BUFFERED_MAX);
        Self {
            state: Mutex::new(State {
                next: 1,
                buffer: VecDeque::new(),
                sender: Some(sender),
            }),
        }
    }

    /// Listens; with the id of the last event seen, what came after it is given first.
    pub fn subscribe(&self, last_event_id: Option<u64>) -> Subscription {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let replay = last_event_id.map_or_else(Vec::new, |last| {
            // An id from before a restart is larger than all that are known: everything kept is new to that client.
            let last = if last >= state.next { 0 } else { last };
            state.buffer.iter().filter(|event| event.id > last).cloned().collect()
        });
        Subscription {
            replay,
            receiver: state.sender.as_ref().map(broadcast::Sender::subscribe),
        }
    }

    pub(crate) fn send(&self, body: EventBody, timestamp: String, project: String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let event = Arc::new(Event {
            id: state.next,
            body,
            timestamp,
            project,
        });
        state.next += 1;
        if state.buffer.len() == BUFFERED_MAX {
            state.buffer.pop_front();
        }
        state.buffer.push_back(Arc::clone(&event));
        if let Some(sender) = &state.sender {
            // Nobody listening is no fault.
            let _ = sender.send(event);
        }
    }

    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).sender = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(bus: &EventBus) {
        let body = EventBody::ScoreUpdate {
            before: None,
            after: Some(1.0),
            reason: "scan".to_owned(),
        };
        bus.send(body, "2026-11-20T00:00:00Z".to_owned(), "/p".to_owned());
    }

    #[test]
    fn what_was_missed_is_replayed_in_order() {
        let bus = EventBus::new();
        (0..3).for_each(|_| send(&bus));
        let ids: Vec<u64> = bus.subscribe(Some(1)).replay.iter().map(|event| event.id).collect();
        assert_eq!(ids, [2, 3]);
        assert!(bus.subscribe(None).replay.is_empty());
        assert_eq!(bus.subscribe(Some(900)).replay.len(), 3, "an id from before a restart");
    }

    #[test]
    fn only_the_newest_are_kept() {
        let bus = EventBus::new();
        (0..BUFFERED_MAX + 5).for_each(|_| send(&bus));
        let replay = bus.subscribe(Some(0)).replay;
        assert_eq!((replay.len(), replay[0].id), (BUFFERED_MAX, 6));
    }

    #[test]
    fn a_closed_bus_ends_its_streams() {
        let bus = EventBus::new();
        let mut receiver = bus.subscribe(None).receiver.unwrap();
        bus.close();
        assert!(matches!(
            receiver.try_recv(),
            Err(broadcast::error::TryRecvError::Closed)
        ));
        assert!(bus.subscribe(None).receiver.is_none());
    }
}
