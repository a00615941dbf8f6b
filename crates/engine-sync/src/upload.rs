//! The evidence chain: only new entries are sent, and only to a dashboard whose entries are a beginning of the chain.

use engine_outbound::Method;
use engine_signing::{Digest, NodeHash, Tree, leaf_hash};

use crate::wire::{EvidenceReply, EvidenceRequest, HeldHead, Kind, Project, VERSION};
use crate::{Dashboard, SyncError};

/// Entries of one request.
const CHUNK_ENTRIES_MAX: u64 = 500;

/// Bytes of the entries of one request; a single longer entry has a request of its own.
const CHUNK_BYTES_MAX: usize = 1024 * 1024;

/// Answers in a row that name another head than expected; two machines may upload one chain at the same time.
const SURPRISES_MAX: u32 = 8;

/// The chain of a project at one moment.
pub trait ChainSource: Sync {
    /// The signed head.
    fn head(&self) -> &str;

    /// The field `hash` of every entry, in order.
    fn hashes(&self) -> &[Digest];

    /// The texts of entries from a place on: at least one where there is one, at most so many.
    ///
    /// # Errors
    ///
    /// A sentence about why they cannot be read.
    fn texts(&self, from: u64, most: u64) -> Result<Vec<String>, String>;
}

/// What became of an upload.
#[derive(Clone, Debug)]
pub struct Uploaded {
    /// Entries that the dashboard had before; none where it did not say.
    pub before: Option<u64>,
    /// Entries that it has now, as far as it said.
    pub held: u64,
    /// Entries here.
    pub total: u64,
    /// The root of what it has now.
    pub root: Option<Digest>,
    /// What ended it early.
    pub stopped: Option<SyncError>,
    /// Whether an entry can have reached the dashboard.
    pub sent: bool,
}

struct Upload<'a> {
    dashboard: &'a Dashboard,
    project: &'a Project,
    chain: &'a dyn ChainSource,
    leaves: Vec<NodeHash>,
    /// The tree of the head that was checked last: the next one usually continues it.
    checked: Tree,
    done: Uploaded,
}

impl Dashboard {
    /// Uploads the entries that the dashboard does not have.
    pub async fn upload(&self, project: &Project, chain: &dyn ChainSource) -> Uploaded {
        let mut upload = Upload {
            dashboard: self,
            project,
            chain,
            leaves: chain.hashes().iter().map(|hash| leaf_hash(hash.as_bytes())).collect(),
            checked: Tree::new(),
            done: Uploaded {
                before: None,
                held: 0,
                total: chain.hashes().len() as u64,
                root: None,
                stopped: None,
                sent: false,
            },
        };
        upload.done.stopped = upload.all().await.err();
        upload.done
    }
}

impl Upload<'_> {
    async fn all(&mut self) -> Result<(), SyncError> {
        let mut held = self.ask(None, Vec::new()).await?;
        self.done.before = Some(size(held));
        let mut most = CHUNK_ENTRIES_MAX;
        let mut surprises = 0;
        while size(held) < self.done.total {
            let entries = self.chunk(size(held), most)?;
            let count = entries.len() as u64;
            let answer = self.ask(held, entries).await;
            let next = match answer {
                Ok(next) => next,
                Err(SyncError::Status { status: 413, .. }) if count > 1 => {
                    most = count / 2;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if size(next) <= size(held) {
                surprises += 1;
                // The dashboard lost entries, or another machine was faster: go on from where it says that it is, a few times.
                if surprises > SURPRISES_MAX || next == held {
                    return Err(SyncError::NoProgress {
                        dashboard: self.dashboard.destination(),
                        held: size(next),
                        ours: self.done.total,
                    });
                }
            }
            held = next;
        }
        Ok(())
    }

    /// Sends one request and returns the head that the dashboard has then, which is a beginning of the chain.
    async fn ask(&mut self, after: Option<HeldHead>, entries: Vec<String>) -> Result<Option<HeldHead>, SyncError> {
        let sends = !entries.is_empty();
        let request = EvidenceRequest {
            version: VERSION,
            project: self.project.clone(),
            head: self.chain.head().to_owned(),
            after,
            proof: self.proof(after),
            entries,
        };
        let body = serde_json::to_vec(&request).map_err(|error| SyncError::Request(error.to_string()))?;
        let answered = self
            .dashboard
            .exchange(Method::POST, &Kind::Evidence.route(), body)
            .await;
        let answered = match answered {
            Ok(answered) => answered,
            Err(error) => {
                self.done.sent |= sends && error.sent();
                return Err(error);
            }
        };
        self.done.sent |= sends;
        let dashboard = self.dashboard.destination();
        if answered.status == 413 {
            return Err(SyncError::Status {
                dashboard,
                status: 413,
                message: self.dashboard.message(&answered),
                retry_after: None,
            });
        }
        let reply: EvidenceReply = match self.dashboard.read(&answered) {
            Ok(reply) => reply,
            // A conflict without a head cannot be resolved.
            Err(_) if answered.status == 409 => {
                return Err(SyncError::Status {
                    dashboard,
                    status: 409,
                    message: self.dashboard.message(&answered),
                    retry_after: None,
                });
            }
            Err(error) => return Err(error),
        };
        let head = reply.head.filter(|head| head.size > 0);
        if let Some(head) = head
            && self.root_at(head.size) != Some(head.root)
        {
            return Err(SyncError::Diverged {
                dashboard,
                held: head.size,
                ours: self.done.total,
            });
        }
        self.done.held = size(head);
        self.done.root = head.map(|head| head.root);
        Ok(head)
    }

    /// The next entries, within the limits of one request.
    fn chunk(&self, from: u64, most: u64) -> Result<Vec<String>, SyncError> {
        let mut bytes = 0;
        let mut entries = Vec::new();
        for text in self.chain.texts(from, most).map_err(SyncError::Chain)? {
            bytes += text.len();
            if !entries.is_empty() && bytes > CHUNK_BYTES_MAX {
                break;
            }
            entries.push(text);
        }
        if entries.is_empty() {
            return Err(SyncError::Chain(format!("entry {from} is missing")));
        }
        Ok(entries)
    }

    /// The root over the first entries; none where there are fewer.
    fn root_at(&mut self, size: u64) -> Option<Digest> {
        if self.checked.size() > size {
            self.checked = Tree::new();
        }
        let from = usize::try_from(self.checked.size()).ok()?;
        let more = self.chain.hashes().get(from..usize::try_from(size).ok()?)?;
        for hash in more {
            self.checked.push(hash.as_bytes());
        }
        Some(Digest::from_bytes(self.checked.root()))
    }

    fn proof(&self, after: Option<HeldHead>) -> Vec<Digest> {
        let size = after.and_then(|head| usize::try_from(head.size).ok());
        size.and_then(|size| Tree::consistency_proof(&self.leaves, size))
            .unwrap_or_default()
            .into_iter()
            .map(Digest::from_bytes)
            .collect()
    }
}

fn size(head: Option<HeldHead>) -> u64 {
    head.map_or(0, |head| head.size)
}
