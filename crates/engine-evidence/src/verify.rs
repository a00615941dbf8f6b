//! Judging a chain: entry by entry, then as a whole, then against what was remembered of it.

use std::collections::{BTreeMap, BTreeSet};

use engine_signing::{Checkpoint, Digest, KeyId, NodeHash, PublicKey, Tree, Trust};
use rayon::prelude::*;
use serde_json::Value;

use crate::chain::{ChainState, name_of, rotated_to};
use crate::entry::{Entry, EntryError, EntryType};
use crate::verdict::{Issue, IssueKind, Report, Verdict};

mod keys;

/// Issues told in full; a chain of which every entry was changed would fill pages.
const ISSUES_MAX: usize = 100;

/// An entry as it is kept: where it stands, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where it stands.
    pub seq: u64,
    /// Its text.
    pub text: String,
}

/// A head that was seen before and kept outside the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The name of the chain.
    pub chain: String,
    /// The number of entries that were seen.
    pub size: u64,
    /// The root over them.
    pub root: NodeHash,
}

impl Remembered {
    /// What a signed head says. Whether its signature counts was settled when it was remembered.
    pub fn from_note(note: &str) -> Option<Self> {
        let head = Checkpoint::parse(note).ok()?;
        Some(Self {
            chain: name_of(&head.origin)?.to_owned(),
            size: head.size,
            root: head.root,
        })
    }
}

/// How a key came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Pinned, or handed over to by a pinned key before this chain was looked at.
    Trusted,
    /// The chain itself names it.
    Named,
}

/// The part of a chain that was found valid before, so that only what follows needs to be looked at.
#[derive(Clone, Debug)]
pub struct VerifiedPrefix {
    progress: Progress,
}

impl VerifiedPrefix {
    /// The number of entries that need not be looked at again.
    pub const fn entries(&self) -> u64 {
        self.progress.entries
    }

    /// Files that its entries speak of, each with what the newest of them says.
    pub const fn artifacts(&self) -> &BTreeMap<String, Stated> {
        &self.progress.artifacts
    }
}

/// What the newest entry that speaks of a file says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The digest of its bytes.
    pub blake3: Digest,
    /// The entry.
    pub seq: u64,
}

impl Entry {
    /// Adds what the entry says of files to what those in front of it said. A file that it says was taken away, in
    /// `removed` of its payload, is not missed later.
    pub fn tell(&self, files: &mut BTreeMap<String, Stated>) {
        let removed = self.payload.get("removed").and_then(Value::as_array);
        for path in removed.into_iter().flatten().filter_map(Value::as_str) {
            files.remove(path);
        }
        for artifact in &self.artifacts {
            let stated = Stated {
                blake3: artifact.blake3,
                seq: self.seq,
            };
            files.insert(artifact.path.clone(), stated);
        }
    }
}

/// What is known after some entries.
#[derive(Clone, Debug)]
struct Progress {
    chain: Option<String>,
    tree: Tree,
    entries: u64,
    expected: u64,
    /// The digest and the time of the entry in front, where that entry could be read and stood in its place.
    last: Option<Digest>,
    first_time: Option<String>,
    last_time: Option<String>,
    keys: BTreeMap<KeyId, (PublicKey, Standing)>,
    /// Keys that introduced others or handed over to them, each with those.
    vouched: BTreeMap<KeyId, BTreeSet<KeyId>>,
    /// Keys that signed, with their first entry.
    signers: BTreeMap<KeyId, u64>,
    artifacts: BTreeMap<String, Stated>,
    last_scan: Option<Box<Entry>>,
    /// The key that signs what comes next, unless another introduces itself.
    last_key: Option<KeyId>,
}

/// A verification that is under way.
pub struct Verification<'a> {
    remembered: &'a [Remembered],
    progress: Progress,
    /// Ranges of entries that were passed over and may still turn up: first to one past the last.
    gaps: BTreeMap<u64, u64>,
    reordered_at: Option<u64>,
    roots: BTreeMap<u64, NodeHash>,
    wanted: BTreeSet<u64>,
    issues: Vec<Issue>,
    more_issues: u64,
    end: Option<String>,
}

/// A signature that is still to be checked.
struct Pending<'e> {
    entry: &'e Entry,
    key: PublicKey,
}

impl<'a> Verification<'a> {
    /// Begins with the first entry. `remembered` are the heads that were seen of this project before.
    pub fn new(trust: &Trust, remembered: &'a [Remembered]) -> Self {
        let keys = trust
            .keys()
            .iter()
            .map(|trusted| (trusted.key.id(), (trusted.key, Standing::Trusted)))
            .collect();
        let progress = Progress {
            chain: None,
            tree: Tree::new(),
            entries: 0,
            expected: 0,
            last: Some(Digest::from_bytes([0; 32])),
            first_time: None,
            last_time: None,
            keys,
            vouched: BTreeMap::new(),
            signers: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            last_scan: None,
            last_key: None,
        };
        Self::with(progress, remembered)
    }

    /// Goes on after a part that was found valid with the same trust.
    pub fn resume(prefix: VerifiedPrefix, remembered: &'a [Remembered]) -> Self {
        let mut verification = Self::with(prefix.progress, remembered);
        verification.note_root();
        verification
    }

    fn with(progress: Progress, remembered: &'a [Remembered]) -> Self {
        Self {
            remembered,
            progress,
            gaps: BTreeMap::new(),
            reordered_at: None,
            roots: BTreeMap::new(),
            wanted: remembered.iter().map(|head| head.size).collect(),
            issues: Vec::new(),
            more_issues: 0,
            end: None,
        }
    }

    /// The end of the chain as it is kept beside the entries, to be held against them. The next entry would be made from
    /// it, so a wrong one is a fault before anything came of it.
    pub fn set_end(&mut self, state: String) {
        self.end = Some(state);
    }

    fn issue(&mut self, kind: IssueKind, verdict: Option<Verdict>, seq: Option<u64>, message: String) {
        if self.issues.len() < ISSUES_MAX {
            self.issues.push(Issue {
                kind,
                verdict,
                seq,
                message,
            });
        } else {
            self.more_issues += 1;
        }
    }

    fn note_root(&mut self) {
        let size = self.progress.tree.size();
        if self.wanted.contains(&size) {
            self.roots.insert(size, self.progress.tree.root());
        }
    }

    /// Looks at the next entries, in the order in which they stand.
    pub fn feed(&mut self, rows: &[Row]) {
        let entries: Vec<Result<Entry, EntryError>> = rows.par_iter().map(|row| Entry::read(&row.text)).collect();
        let mut pending = Vec::with_capacity(rows.len());
        for (row, entry) in rows.iter().zip(&entries) {
            self.progress.entries += 1;
            match entry {
                Ok(entry) => self.take(row, entry, &mut pending),
                Err(error) => self.unreadable(row, error),
            }
            self.note_root();
        }
        let scan = entries
            .iter()
            .rev()
            .flatten()
            .find(|entry| entry.kind == EntryType::Scan);
        if let Some(scan) = scan {
            self.progress.last_scan = Some(Box::new(scan.clone()));
        }
        let wrong: Vec<&Entry> = pending
            .par_iter()
            .filter(|pending| !pending.entry.is_signed_by(&pending.key))
            .map(|pending| pending.entry)
            .collect();
        for entry in wrong {
            self.issue(
                IssueKind::Signature,
                Some(Verdict::Tampered),
                Some(entry.seq),
                format!("the signature of entry {} is not valid", entry.seq),
            );
        }
    }

    /// Files that the entries so far speak of, each with what the newest of them says.
    pub const fn artifacts(&self) -> &BTreeMap<String, Stated> {
        &self.progress.artifacts
    }

    /// The newest scan that the entries so far record.
    pub fn last_scan(&self) -> Option<&Entry> {
        self.progress.last_scan.as_deref()
    }

    fn unreadable(&mut self, row: &Row, error: &EntryError) {
        let (kind, verdict) = match error {
            EntryError::Hash => (IssueKind::Hash, Verdict::Tampered),
            EntryError::NotCanonical => (IssueKind::NotCanonical, Verdict::Tampered),
            EntryError::Form(_) | EntryError::TooLarge { .. } | EntryError::Canonical(_) => {
                (IssueKind::Unreadable, Verdict::Corrupt)
            }
        };
        self.issue(
            kind,
            Some(verdict),
            Some(row.seq),
            format!("entry {}: {error}", row.seq),
        );
        // Its digest is not known, so the next entry cannot be held against it.
        self.progress.last = None;
        self.progress.expected = row.seq.saturating_add(1);
        self.progress.tree.push(&[]);
    }

    fn take<'e>(&mut self, row: &Row, entry: &'e Entry, pending: &mut Vec<Pending<'e>>) {
        let in_place = self.place(entry);
        if in_place && self.progress.last.is_some_and(|last| last != entry.prev_hash) {
            self.issue(
                IssueKind::Link,
                Some(Verdict::Tampered),
                Some(entry.seq),
                format!("entry {} does not link to the previous entry", entry.seq),
            );
        }
        if in_place
            && self
                .progress
                .last_time
                .as_ref()
                .is_some_and(|time| *time > entry.timestamp)
        {
            self.issue(
                IssueKind::Time,
                Some(Verdict::Tampered),
                Some(entry.seq),
                format!("entry {} is dated before the previous entry", entry.seq),
            );
        }
        // After entries that are gone or moved, other numbers follow from that and say nothing new.
        if in_place && row.seq != entry.seq && self.gaps.is_empty() && self.reordered_at.is_none() {
            self.issue(
                IssueKind::Order,
                Some(Verdict::Tampered),
                Some(entry.seq),
                format!("entry {} is stored under the number {}", entry.seq, row.seq),
            );
        }
        self.learn(entry);
        match self.progress.keys.get(&entry.key_id) {
            Some((key, _)) => pending.push(Pending { entry, key: *key }),
            None => self.issue(
                IssueKind::Key,
                Some(Verdict::ForeignKey),
                Some(entry.seq),
                format!("entry {} is signed by the unknown key {}", entry.seq, entry.key_id),
            ),
        }
        // The clone is saved for most entries: one key signs many.
        if !self.progress.signers.contains_key(&entry.key_id) {
            self.progress.signers.insert(entry.key_id.clone(), entry.seq);
        }
        self.progress.last = in_place.then_some(entry.hash);
        self.progress.last_time = Some(entry.timestamp.clone());
        if self.progress.first_time.is_none() {
            self.progress.first_time = Some(entry.timestamp.clone());
        }
        self.progress.tree.push(entry.hash.as_bytes());
        self.progress.last_key = Some(rotated_to(entry).unwrap_or_else(|| entry.key_id.clone()));
        entry.tell(&mut self.progress.artifacts);
    }

    /// Whether an entry stands where it was made for. Entries that were passed over may turn up later: then the order was
    /// changed; else they are gone.
    fn place(&mut self, entry: &Entry) -> bool {
        let expected = self.progress.expected;
        if entry.seq == expected {
            self.progress.expected = expected.saturating_add(1);
            return true;
        }
        if entry.seq > expected {
            self.gaps.insert(expected, entry.seq);
            self.progress.expected = entry.seq.saturating_add(1);
            return false;
        }
        let gap = self.gaps.range(..=entry.seq).next_back().map(|(from, to)| (*from, *to));
        match gap.filter(|(_, to)| entry.seq < *to) {
            Some((from, to)) => {
                self.gaps.remove(&from);
                if from < entry.seq {
                    self.gaps.insert(from, entry.seq);
                }
                if entry.seq + 1 < to {
                    self.gaps.insert(entry.seq + 1, to);
                }
                self.reordered_at = Some(self.reordered_at.map_or(from, |at| at.min(from)));
            }
            None => self.issue(
                IssueKind::Order,
                Some(Verdict::Tampered),
                Some(entry.seq),
                format!("entry {} occurs twice", entry.seq),
            ),
        }
        false
    }

    /// Settles the verdict. `head` is the signed head that is kept beside the entries. The prefix comes back where
    /// nothing is wrong.
    pub fn finish(mut self, head: Option<&str>) -> (Report, Option<VerifiedPrefix>) {
        let fits = self.judge_head(head);
        self.judge_order();
        self.judge_remembered(fits);
        let (known, first_use_keys) = self.judge_keys();
        self.judge_end();
        let mut verdict = self.issues.iter().filter_map(|issue| issue.verdict).max();
        if verdict.is_none() && !known {
            verdict = Some(Verdict::FirstUse);
            let message = match self.progress.signers().first() {
                Some((id, _)) => format!(
                    "the chain is complete, but this machine knows none of its keys; compare the key {id} with its owner, \
                     then pin it"
                ),
                None => "the chain has no entry yet".to_owned(),
            };
            self.issue(IssueKind::Notice, None, None, message);
        }
        let verdict = verdict.unwrap_or(Verdict::Valid);
        let valid = verdict <= Verdict::FirstUse;
        let broken_at = self
            .issues
            .iter()
            .filter(|issue| issue.verdict == Some(verdict))
            .filter_map(|issue| issue.seq)
            .min();
        if self.more_issues > 0 {
            let message = format!("{} more issues not shown", self.more_issues);
            self.issues.push(Issue {
                kind: IssueKind::Notice,
                verdict: None,
                seq: None,
                message,
            });
        }
        // What decides comes first; the rest in the order of the entries.
        self.issues
            .sort_by_key(|issue| (std::cmp::Reverse(issue.verdict), issue.seq));
        let report = Report {
            valid,
            verdict,
            broken_at,
            entries: self.progress.entries,
            first_entry: self.progress.first_time.clone(),
            last_entry: self.progress.last_time.clone(),
            head: head.map(str::to_owned),
            keys: self.progress.signers().iter().map(|(id, _)| id.to_string()).collect(),
            first_use_keys,
            issues: self.issues,
        };
        let prefix = valid.then_some(VerifiedPrefix {
            progress: self.progress,
        });
        (report, prefix)
    }

    /// Whether the head fits the entries that are there.
    fn judge_head(&mut self, note: Option<&str>) -> bool {
        let entries = self.progress.entries;
        let Some(note) = note else {
            if entries > 0 {
                let message = "the signed head of the chain is missing".to_owned();
                self.issue(IssueKind::Head, Some(Verdict::Missing), Some(entries), message);
            }
            return false;
        };
        let Ok(head) = Checkpoint::parse(note) else {
            let message = "could not read the head of the chain".to_owned();
            self.issue(IssueKind::Head, Some(Verdict::Corrupt), Some(entries), message);
            return false;
        };
        let signed = self
            .progress
            .keys
            .values()
            .any(|(key, _)| Checkpoint::verify(note, key).is_ok());
        if entries == 0 {
            let message = format!("the head counts {} entries, but the chain is empty", head.size);
            self.issue(IssueKind::Head, Some(Verdict::Missing), Some(0), message);
            return false;
        }
        if !signed {
            let message = "no known key signed the current head of the chain".to_owned();
            self.issue(IssueKind::Head, Some(Verdict::Tampered), Some(entries), message);
            return false;
        }
        // Without its first entry a chain has no name, and that the entry is gone is told elsewhere.
        if self.progress.chain.is_some() && name_of(&head.origin) != self.progress.chain.as_deref() {
            let message = "the head belongs to another chain".to_owned();
            self.issue(IssueKind::Head, Some(Verdict::Tampered), Some(entries), message);
            return false;
        }
        if head.size > entries {
            let message = format!("the head counts {} entries, but the chain has {entries}", head.size);
            self.issue(IssueKind::Head, Some(Verdict::Truncated), Some(entries), message);
            return false;
        }
        if head.size < entries {
            let message = format!("the head counts {} entries, but the chain has {entries}", head.size);
            self.issue(IssueKind::Head, Some(Verdict::Tampered), Some(head.size), message);
            return false;
        }
        if head.root != self.progress.tree.root() {
            // With an entry that was changed this follows, and saying it would move the place where it starts.
            if self.issues.is_empty() && self.gaps.is_empty() && self.reordered_at.is_none() {
                let message = "the root in the head does not match the entries".to_owned();
                self.issue(IssueKind::Head, Some(Verdict::Tampered), None, message);
            }
            return false;
        }
        true
    }

    /// Where something is wrong already, the kept end follows from that or cannot be judged.
    fn judge_end(&mut self) {
        let Some(end) = self.end.take() else { return };
        if self.issues.iter().any(|issue| issue.verdict.is_some()) {
            return;
        }
        let progress = &self.progress;
        let (verdict, message) = match serde_json::from_str::<ChainState>(&end) {
            Err(_) => (Verdict::Corrupt, "could not read the stored end of the chain"),
            Ok(state) => {
                let peaks = progress.tree.peaks().iter().map(|peak| Digest::from_bytes(*peak));
                let fits = Some(&state.chain) == progress.chain.as_ref()
                    && state.size == progress.tree.size()
                    && state.peaks.iter().copied().eq(peaks)
                    && Some(state.last_hash) == progress.last
                    && Some(&state.last_time) == progress.last_time.as_ref()
                    && Some(&state.last_key) == progress.last_key.as_ref();
                if fits {
                    return;
                }
                (
                    Verdict::Tampered,
                    "the stored end of the chain does not match its entries",
                )
            }
        };
        let entries = self.progress.entries;
        self.issue(IssueKind::Head, Some(verdict), Some(entries), message.to_owned());
    }

    fn judge_order(&mut self) {
        if let Some(at) = self.reordered_at {
            let message = format!("the order of the entries was changed from entry {at} on");
            self.issue(IssueKind::Order, Some(Verdict::Reordered), Some(at), message);
        }
        for (from, to) in std::mem::take(&mut self.gaps) {
            let message = match to - from {
                1 => format!("entry {from} is missing"),
                _ => format!("entries {from} to {} are missing", to - 1),
            };
            self.issue(IssueKind::Gap, Some(Verdict::Missing), Some(from), message);
        }
    }

    /// Holds the chain against the heads that were seen before. `fits` tells whether it is whole in itself.
    fn judge_remembered(&mut self, fits: bool) {
        let entries = self.progress.entries;
        let mut matched = 0;
        let mut forked = None;
        for seen in self.remembered {
            if entries == 0 {
                let message = format!(
                    "this machine saw a chain of {} entries before, but the chain is now empty",
                    seen.size
                );
                self.issue(IssueKind::Remembered, Some(Verdict::Missing), Some(0), message);
            } else if self.progress.chain.as_ref().is_some_and(|chain| *chain != seen.chain) {
                let message = format!("this machine saw a different chain of {} entries before", seen.size);
                self.issue(IssueKind::Remembered, Some(Verdict::Missing), Some(0), message);
            } else if seen.size > entries {
                let verdict = if fits { Verdict::RolledBack } else { Verdict::Truncated };
                let message = format!(
                    "this machine saw {} entries before, but the chain has {entries}",
                    seen.size
                );
                self.issue(IssueKind::Remembered, Some(verdict), Some(entries), message);
            } else {
                match self.roots.get(&seen.size) {
                    Some(root) if *root == seen.root => matched = matched.max(seen.size),
                    Some(_) => forked = Some(forked.map_or(seen.size, |size: u64| size.min(seen.size))),
                    // Inside a part that was verified before, with this very head among what was held against it.
                    None => {}
                }
            }
        }
        if let Some(size) = forked
            && fits
        {
            let (verdict, seq) = if matched > 0 {
                (Verdict::RolledBack, Some(matched))
            } else {
                (Verdict::Tampered, None)
            };
            let message = format!("the first {size} entries differ from those that this machine saw before");
            self.issue(IssueKind::Remembered, Some(verdict), seq, message);
        }
    }
}
