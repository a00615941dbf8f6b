//! The result of a verification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict on the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every entry, signature and head is valid, and so is every head that this machine stored.
    Valid,
    /// Everything is valid, but this machine knows none of the keys. Normal for a first key, a second machine and a clone.
    /// Compare the key with its owner, then pin it.
    FirstUse,
    /// The chain is a complete older copy, or continues one: entries seen before are missing.
    RolledBack,
    /// Entries at the end are missing: the head counts more entries than the chain has.
    Truncated,
    /// A key that is neither pinned nor introduced by a trusted key signed a chain whose key is known.
    ForeignKey,
    /// Entries, or the whole chain, are missing, but a trace shows that they existed.
    Missing,
    /// The order of the entries was changed.
    Reordered,
    /// An entry, a signature, a head or a record mentioned in an entry was changed.
    Tampered,
    /// The data could not be read.
    Corrupt,
}

/// The kind of issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueKind {
    /// The text is not an entry.
    Unreadable,
    /// The entry is not in canonical form.
    NotCanonical,
    /// The digest does not match the fields.
    Hash,
    /// The entry does not link to the previous entry.
    Link,
    /// The entry is at the wrong position.
    Order,
    /// Entries are missing.
    Gap,
    /// The signature is not valid.
    Signature,
    /// The key is unknown or not trusted.
    Key,
    /// The entry is dated before the previous entry.
    Time,
    /// The first entry does not begin a chain, or a later entry does.
    Genesis,
    /// The head is missing, unreadable or does not match the entries.
    Head,
    /// A head stored on this machine does not match the chain.
    Remembered,
    /// A file or a record differs from its entry. Project files may change: a changed file is reported, and
    /// the chain stays valid.
    Artifact,
    /// Information only; nothing is wrong.
    Notice,
}

/// One issue or notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// The kind of issue.
    pub kind: IssueKind,
    /// The verdict that follows from it; none for a notice.
    pub verdict: Option<Verdict>,
    /// The number of the entry concerned.
    pub seq: Option<u64>,
    /// The message.
    pub message: String,
}

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whether no fault was found: the verdict is `valid` or `first_use`.
    pub valid: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// The first entry with this verdict.
    pub broken_at: Option<u64>,
    /// Number of entries.
    pub entries: u64,
    /// The time of the first entry.
    pub first_entry: Option<String>,
    /// The time of the last entry.
    pub last_entry: Option<String>,
    /// The signed head, as a note.
    pub head: Option<String>,
    /// The short names of the signing keys, in the order of first use.
    pub keys: Vec<String>,
    /// Keys on trust since first use, not compared with their owner: they signed before the first known key
    /// of the chain.
    pub first_use_keys: Vec<String>,
    /// Issues and notices, most severe first; long lists are cut, with a notice.
    pub issues: Vec<Issue>,
}

impl Report {
    /// Adds what was found beside the entries themselves, and settles the verdict anew.
    pub fn add(&mut self, issues: Vec<Issue>) {
        self.issues.extend(issues);
        let gravest = self.issues.iter().filter_map(|issue| issue.verdict).max();
        if let Some(verdict) = gravest.filter(|verdict| *verdict > self.verdict) {
            self.verdict = verdict;
            self.valid = false;
            self.broken_at = self
                .issues
                .iter()
                .filter(|issue| issue.verdict == Some(verdict))
                .filter_map(|issue| issue.seq)
                .min();
        }
        self.issues
            .sort_by_key(|issue| (std::cmp::Reverse(issue.verdict), issue.seq));
    }
}
