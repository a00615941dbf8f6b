//! Which keys count in a chain: those that were pinned, those that they vouch for, and those that were there before them.

use std::collections::{BTreeSet, btree_map::Entry as Slot};

use engine_signing::{KeyId, PublicKey, Rotation};

use super::{Progress, Standing, Verification};
use crate::entry::{Entry, EntryType, Genesis, Introduction};
use crate::verdict::{IssueKind, Verdict};

impl Verification<'_> {
    /// Keys and the chain's name, as entries tell them.
    pub(super) fn learn(&mut self, entry: &Entry) {
        let begins = entry.kind == EntryType::Genesis;
        if begins != (entry.seq == 0) {
            self.issue(
                IssueKind::Genesis,
                Some(Verdict::Tampered),
                Some(entry.seq),
                "only the first entry may begin the chain".to_owned(),
            );
        }
        match entry.kind {
            EntryType::Genesis => {
                if let Ok(genesis) = serde_json::from_value::<Genesis>(entry.payload.clone()) {
                    self.progress.chain.get_or_insert(genesis.chain);
                    self.progress.name_key(genesis.public_key);
                }
            }
            EntryType::KeyIntroduction => {
                if let Ok(introduction) = serde_json::from_value::<Introduction>(entry.payload.clone()) {
                    self.progress.name_key(introduction.public_key);
                    // A key that introduces itself says no more than that it is there.
                    self.progress.vouch(&entry.key_id, introduction.public_key.id());
                }
            }
            EntryType::KeyRotation => {
                let rotation = serde_json::from_value::<Rotation>(entry.payload.clone()).ok();
                if let Some(rotation) = rotation.filter(|rotation| rotation.verify().is_ok()) {
                    self.progress.name_key(rotation.to);
                    self.progress.vouch(&rotation.from.id(), rotation.to.id());
                } else {
                    self.issue(
                        IssueKind::Key,
                        Some(Verdict::Tampered),
                        Some(entry.seq),
                        format!("the key rotation in entry {} is not signed by both keys", entry.seq),
                    );
                }
            }
            _ => {}
        }
    }

    /// Whether the chain is known here (a trusted key signed in it, or a head of it was seen), and the keys that were taken
    /// over on first use. In a chain that is known, other keys that nobody trusts are foreign.
    pub(super) fn judge_keys(&mut self) -> (bool, Vec<String>) {
        let progress = &self.progress;
        let signers = progress.signers();
        let mut counted: BTreeSet<KeyId> = progress
            .keys
            .iter()
            .filter(|(_, (_, standing))| *standing == Standing::Trusted)
            .map(|(id, _)| id.clone())
            .collect();
        progress.follow(&mut counted);
        let first = signers
            .iter()
            .filter(|(id, _)| counted.contains(id))
            .map(|(_, seq)| *seq)
            .min();
        let seen = self.remembered.iter().map(|head| head.size).min();
        if first.is_none() && seen.is_none() {
            return (false, Vec::new());
        }
        // The first entry of a known key takes over what is in front of it: its signature covers that, and no other key can
        // get in there later. Where a head from before that entry was seen the chain was known already, and a key that was
        // not known then is no first use: somebody put another key in the place of the old one.
        let taken: Vec<KeyId> = match first {
            Some(first) if seen.is_none_or(|seen| seen > first) => signers
                .iter()
                .filter(|(id, seq)| *seq < first && !counted.contains(id))
                .map(|(id, _)| id.clone())
                .collect(),
            _ => Vec::new(),
        };
        counted.extend(taken.iter().cloned());
        progress.follow(&mut counted);
        for (id, seq) in signers.into_iter().filter(|(id, _)| !counted.contains(id)) {
            let message = format!(
                "the key {id}, which signs from entry {seq} on, is not pinned, and no trusted key introduced it or handed over \
                 to it. If it belongs to another machine of yours, compare it there and trust it here"
            );
            self.issue(IssueKind::Key, Some(Verdict::ForeignKey), Some(seq), message);
        }
        let taken: Vec<String> = taken.iter().map(ToString::to_string).collect();
        if let Some(first) = first.filter(|_| !taken.is_empty()) {
            let message = format!(
                "on trust since first use: {} signed the entries before entry {first}, the first one by a known key. These \
                 keys were not compared with their owner; compare and pin them",
                taken.join(", ")
            );
            self.issue(IssueKind::Notice, None, None, message);
        }
        (true, taken)
    }
}

impl Progress {
    fn name_key(&mut self, key: PublicKey) {
        if let Slot::Vacant(slot) = self.keys.entry(key.id()) {
            slot.insert((key, Standing::Named));
        }
    }

    fn vouch(&mut self, from: &KeyId, to: KeyId) {
        if *from != to {
            self.vouched.entry(from.clone()).or_default().insert(to);
        }
    }

    /// Keys in the order in which they began to sign, with their first entry.
    pub(super) fn signers(&self) -> Vec<(KeyId, u64)> {
        let mut signers: Vec<(KeyId, u64)> = self.signers.iter().map(|(id, seq)| (id.clone(), *seq)).collect();
        signers.sort_by_key(|(_, seq)| *seq);
        signers
    }

    /// Adds the keys that those in the set vouch for, and those that these vouch for.
    fn follow(&self, counted: &mut BTreeSet<KeyId>) {
        let mut open: Vec<KeyId> = counted.iter().cloned().collect();
        while let Some(from) = open.pop() {
            for to in self.vouched.get(&from).into_iter().flatten() {
                if counted.insert(to.clone()) {
                    open.push(to.clone());
                }
            }
        }
    }
}
