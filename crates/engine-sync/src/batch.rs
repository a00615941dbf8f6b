//! Items in batches, each with an outcome of its own.

use std::collections::{BTreeMap, VecDeque};

use engine_outbound::Method;
use engine_signing::Digest;
use serde::Serialize;

use crate::wire::{ItemAction, Kind, Project, PushReply, VERSION};
use crate::{Dashboard, SyncError};

/// Items of one request.
const BATCH_ITEMS_MAX: usize = 50;

/// Bytes of the items of one request; a single longer item has a request of its own.
const BATCH_BYTES_MAX: usize = 1024 * 1024;

/// Bytes of one item; a longer one stays here.
const ITEM_BYTES_MAX: usize = 32 * 1024 * 1024;

/// An item that is to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Its id, unique among the items.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The item as JSON: a type of [`crate::wire`].
    pub json: Vec<u8>,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What the dashboard said; none where it said nothing about the item.
    pub action: Option<ItemAction>,
    /// Why it is not in the dashboard.
    pub error: Option<String>,
}

/// What became of all items.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// Each item, in order.
    pub outcomes: Vec<Outcome>,
    /// What ended it early.
    pub stopped: Option<SyncError>,
    /// Whether an item can have reached the dashboard.
    pub sent: bool,
    /// The digest of the items that can have reached it.
    pub digest: Digest,
}

impl Pushed {
    /// The number of items about which the dashboard said this.
    pub fn count(&self, action: ItemAction) -> u64 {
        self.outcomes
            .iter()
            .filter(|outcome| outcome.action == Some(action))
            .count() as u64
    }

    /// Whether the dashboard said something about an item.
    pub fn answered(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.action.is_some())
    }
}

/// What comes before the items in a request.
#[derive(Serialize)]
struct Head<'a> {
    version: u32,
    project: &'a Project,
}

impl Dashboard {
    /// Sends items. A failure ends it; what was answered by then counts.
    pub async fn push(&self, kind: Kind, project: &Project, items: Vec<Outgoing>) -> Pushed {
        let mut sender = Sender {
            dashboard: self,
            kind,
            project,
            outcomes: BTreeMap::new(),
            sent: Vec::new(),
        };
        let order: Vec<(String, String)> = items.iter().map(|item| (item.id.clone(), item.name.clone())).collect();
        let stopped = sender.all(items.into()).await.err();
        let why = stopped.as_ref().map_or_else(
            || "the dashboard reported nothing about this item".to_owned(),
            |_| "not sent: the synchronisation ended before it".to_owned(),
        );
        let Sender { mut outcomes, sent, .. } = sender;
        let outcomes = order.into_iter().map(|(id, name)| match outcomes.remove(&id) {
            Some((action, error)) => Outcome {
                id,
                name,
                action,
                error,
            },
            None => Outcome {
                id,
                name,
                action: None,
                error: Some(why.clone()),
            },
        });
        Pushed {
            outcomes: outcomes.collect(),
            stopped,
            sent: !sent.is_empty(),
            digest: Digest::of(&sent.concat()),
        }
    }
}

struct Sender<'a> {
    dashboard: &'a Dashboard,
    kind: Kind,
    project: &'a Project,
    outcomes: BTreeMap<String, (Option<ItemAction>, Option<String>)>,
    /// Digests of the items that can have reached the dashboard.
    sent: Vec<[u8; 32]>,
}

impl Sender<'_> {
    async fn all(&mut self, mut waiting: VecDeque<Outgoing>) -> Result<(), SyncError> {
        let mut most = BATCH_ITEMS_MAX;
        while !waiting.is_empty() {
            let batch = take(&mut waiting, most);
            let [first, ..] = batch.as_slice() else { continue };
            if first.json.len() > ITEM_BYTES_MAX {
                let error = format!("not sent: it is longer than {ITEM_BYTES_MAX} bytes");
                self.outcomes.insert(first.id.clone(), (None, Some(error)));
                continue;
            }
            let body = self.body(&batch)?;
            let answered = match self.dashboard.exchange(Method::POST, &self.kind.route(), body).await {
                Ok(answered) => answered,
                Err(error) => {
                    self.left_unclear(&batch, &error);
                    return Err(error);
                }
            };
            self.note(&batch);
            match answered.status {
                413 if batch.len() > 1 => {
                    most = batch.len() / 2;
                    batch.into_iter().rev().for_each(|item| waiting.push_front(item));
                }
                413 => {
                    let error = "the dashboard does not take an item of this size (status 413)".to_owned();
                    let rejected = (Some(ItemAction::Rejected), Some(error));
                    self.outcomes.insert(first.id.clone(), rejected);
                }
                409 => self.conflicts(
                    &batch,
                    self.dashboard.message(&answered),
                    self.dashboard.read(&answered).ok(),
                ),
                _ => match self.dashboard.read(&answered) {
                    Ok(reply) => self.results(&batch, reply),
                    Err(error) => {
                        self.left_unclear(&batch, &error);
                        return Err(error);
                    }
                },
            }
        }
        Ok(())
    }

    /// The items are written by hand, so that the bytes of a result stay those whose digest is stated.
    fn body(&self, batch: &[Outgoing]) -> Result<Vec<u8>, SyncError> {
        let head = Head {
            version: VERSION,
            project: self.project,
        };
        let mut body = serde_json::to_vec(&head).map_err(|error| SyncError::Request(error.to_string()))?;
        body.pop();
        body.extend_from_slice(b",\"items\":[");
        for (number, item) in batch.iter().enumerate() {
            if number > 0 {
                body.push(b',');
            }
            body.extend_from_slice(&item.json);
        }
        body.extend_from_slice(b"]}");
        Ok(body)
    }

    fn note(&mut self, batch: &[Outgoing]) {
        for item in batch {
            let digest = *Digest::of(&item.json).as_bytes();
            if !self.sent.contains(&digest) {
                self.sent.push(digest);
            }
        }
    }

    /// A batch without a usable answer: the dashboard may have stored it or not.
    fn left_unclear(&mut self, batch: &[Outgoing], error: &SyncError) {
        if error.sent() {
            self.note(batch);
        }
        let why = if error.sent() {
            "not confirmed: the dashboard gave no usable answer"
        } else {
            "not sent: the dashboard could not be reached"
        };
        for item in batch {
            self.outcomes.insert(item.id.clone(), (None, Some(why.to_owned())));
        }
    }

    fn results(&mut self, batch: &[Outgoing], reply: PushReply) {
        for result in reply.results {
            // What was not sent in this batch is nothing that the dashboard can report on.
            if !batch.iter().any(|item| item.id == result.id) {
                continue;
            }
            let said = result
                .error
                .map(|error| self.dashboard.clean(&error))
                .filter(|text| !text.is_empty());
            let error = match result.action {
                ItemAction::Conflict => Some(said.unwrap_or_else(|| "the dashboard has another version".to_owned())),
                ItemAction::Rejected => {
                    Some(said.unwrap_or_else(|| "the dashboard does not take this item".to_owned()))
                }
                _ => None,
            };
            self.outcomes.insert(result.id, (Some(result.action), error));
        }
    }

    /// A conflict of a whole batch; a dashboard may say more about its items.
    fn conflicts(&mut self, batch: &[Outgoing], said: Option<String>, reply: Option<PushReply>) {
        let why = said.unwrap_or_else(|| "the dashboard has another version (status 409)".to_owned());
        for item in batch {
            let conflict = (Some(ItemAction::Conflict), Some(why.clone()));
            self.outcomes.insert(item.id.clone(), conflict);
        }
        if let Some(reply) = reply {
            self.results(batch, reply);
        }
    }
}

/// The next batch: at least one item, and no more than the limits allow.
fn take(waiting: &mut VecDeque<Outgoing>, most: usize) -> Vec<Outgoing> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < most.max(1)
        && waiting
            .front()
            .is_some_and(|next| batch.is_empty() || bytes + next.json.len() <= BATCH_BYTES_MAX)
    {
        let Some(next) = waiting.pop_front() else { break };
        bytes += next.json.len();
        batch.push(next);
    }
    batch
}
