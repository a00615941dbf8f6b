//! What a verification comes to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the chain stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every entry, signature and head fits, and so does every head that was remembered.
    Valid,
    /// Everything fits, but none of its keys was known before: normal on a first key, a second machine and a clone.
    /// Compare the key's name with its owner, then pin it.
    FirstUse,
    /// The chain is a whole older copy of itself, or went on from one: entries that were seen are not in it.
    RolledBack,
    /// Entries at the end are gone: the head counts more than there are.
    Truncated,
    /// A key that nobody pinned or handed over to signed a chain whose key is known.
    ForeignKey,
    /// Entries, or the whole chain, are gone although something left of it shows that they were there.
    Missing,
    /// Whole entries stand in another order than they were made in.
    Reordered,
    /// An entry, a signature, a head or a record that an entry speaks of was changed.
    Tampered,
    /// It cannot be read.
    Corrupt,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueKind {
    /// The text is no entry.
    Unreadable,
    /// The text is not written as an entry is written.
    NotCanonical,
    /// The digest does not fit the fields.
    Hash,
    /// The entry does not follow the one in front of it.
    Link,
    /// The entry stands at another place than it was made for.
    Order,
    /// Entries are gone.
    Gap,
    /// The signature does not fit.
    Signature,
    /// The key is not known.
    Key,
    /// Time runs backwards.
    Time,
    /// The first entry does not begin a chain.
    Genesis,
    /// The head is gone, unreadable or does not fit.
    Head,
    /// A head that was remembered does not fit.
    Remembered,
    /// A file or a record differs from what an entry says of it. Files of the project may change: a changed one is told, and
    /// the chain stays what it is.
    Artifact,
    /// For people to know; nothing is wrong.
    Notice,
}

/// One thing that a person should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// What kind of thing.
    pub kind: IssueKind,
    /// The verdict that it leads to; none for a notice.
    pub verdict: Option<Verdict>,
    /// The entry that it is about.
    pub seq: Option<u64>,
    /// In words.
    pub message: String,
}

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whether it can be relied on: `valid`, or `first_use` with nothing wrong.
    pub valid: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// The entry where it starts.
    pub broken_at: Option<u64>,
    /// Entries that are there.
    pub entries: u64,
    /// The time of the first.
    pub first_entry: Option<String>,
    /// The time of the last.
    pub last_entry: Option<String>,
    /// The signed head, as a note.
    pub head: Option<String>,
    /// The names of the keys that signed, in the order of their first use.
    pub keys: Vec<String>,
    /// The names of those of them that nobody compared: they had signed before a key that is known here came to the chain, and
    /// were taken over on first use.
    pub first_use_keys: Vec<String>,
    /// What a person should know, the first things first; long lists are cut and say so.
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
