//! The evidence chain at one moment, read in pieces for an upload.

use engine_evidence::Entry;
use engine_signing::{Checkpoint, Digest, Tree};
use engine_store::Store;
use engine_sync::ChainSource;

/// The digests of all entries and the head over them. The entries themselves are read again when they are sent.
pub(super) struct Snapshot {
    head: String,
    hashes: Vec<Digest>,
    /// The row of the last entry.
    last: i64,
}

/// A snapshot with the database that its entries come from.
pub(super) struct Source<'a> {
    snapshot: &'a Snapshot,
    store: &'a Store,
}

impl Snapshot {
    /// Reads the chain. There is none before the first entry, and a chain that does not fit its head is refused.
    pub(super) fn take(store: &Store) -> Result<Option<Self>, String> {
        let snapshot = store.evidence_snapshot().map_err(|error| error.to_string())?;
        let Some(head) = snapshot.head else {
            return Ok(None);
        };
        let mut hashes = Vec::new();
        let mut tree = Tree::new();
        let mut after = None;
        loop {
            let rows = store
                .evidence_rows(after, snapshot.last)
                .map_err(|error| error.to_string())?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(*last);
            for (seq, text) in rows {
                let entry = read(&text).map_err(|why| format!("entry {seq}: {why}"))?;
                if entry.seq != hashes.len() as u64 || i64::try_from(entry.seq) != Ok(seq) {
                    return Err(format!("entry {} is missing", hashes.len()));
                }
                tree.push(entry.hash.as_bytes());
                hashes.push(entry.hash);
            }
        }
        let stated = Checkpoint::parse(&head).map_err(|error| error.to_string())?;
        if stated.size != tree.size() || stated.root != tree.root() {
            return Err("the entries do not match the signed head".to_owned());
        }
        Ok(Some(Self {
            head,
            hashes,
            last: snapshot.last,
        }))
    }

    pub(super) const fn source<'a>(&'a self, store: &'a Store) -> Source<'a> {
        Source { snapshot: self, store }
    }
}

impl ChainSource for Source<'_> {
    fn head(&self) -> &str {
        &self.snapshot.head
    }

    fn hashes(&self) -> &[Digest] {
        &self.snapshot.hashes
    }

    fn texts(&self, from: u64, most: u64) -> Result<Vec<String>, String> {
        let from = i64::try_from(from).map_err(|error| error.to_string())?;
        let last = from
            .saturating_add(i64::try_from(most).unwrap_or(i64::MAX))
            .saturating_sub(1);
        let rows = self
            .store
            .evidence_rows(Some(from - 1), last.min(self.snapshot.last))
            .map_err(|error| error.to_string())?;
        rows.into_iter()
            .map(|(seq, text)| {
                let entry = read(&text).map_err(|why| format!("entry {seq}: {why}"))?;
                let known = usize::try_from(seq).ok().and_then(|seq| self.snapshot.hashes.get(seq));
                if known != Some(&entry.hash) {
                    return Err(format!("entry {seq} changed during the upload"));
                }
                String::from_utf8(text).map_err(|error| error.to_string())
            })
            .collect()
    }
}

fn read(text: &[u8]) -> Result<Entry, String> {
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    Entry::read(text).map_err(|error| error.to_string())
}
