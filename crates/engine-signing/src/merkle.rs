//! Merkle trees as in RFC 6962: one root over all entries, and proofs that a stranger can follow.

use sha2::{Digest as _, Sha256};

/// A hash of a node or a leaf.
pub type NodeHash = [u8; 32];

/// The hash of a leaf. Leaves and nodes begin with different bytes, so that neither can pass for the other.
pub fn leaf_hash(data: &[u8]) -> NodeHash {
    Sha256::new().chain_update([0]).chain_update(data).finalize().into()
}

fn node_hash(left: &NodeHash, right: &NodeHash) -> NodeHash {
    Sha256::new()
        .chain_update([1])
        .chain_update(left)
        .chain_update(right)
        .finalize()
        .into()
}

/// A tree that grows by one leaf at a time and keeps only what further leaves need: the roots of its full subtrees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    /// Roots of full subtrees, the largest first; one for each bit of the size.
    peaks: Vec<NodeHash>,
}

impl Tree {
    /// The tree with no leaves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes up a tree where it was left; none if the number of roots does not fit the size.
    pub fn resume(size: u64, peaks: Vec<NodeHash>) -> Option<Self> {
        (usize::try_from(size.count_ones()).ok()? == peaks.len()).then_some(Self { size, peaks })
    }

    /// The number of leaves.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The roots of the full subtrees, the largest first: all that [`Tree::resume`] needs.
    pub fn peaks(&self) -> &[NodeHash] {
        &self.peaks
    }

    /// Adds a leaf.
    pub fn push(&mut self, data: &[u8]) {
        let mut hash = leaf_hash(data);
        // Each full pair of equal subtrees becomes one: the carry of adding one to the size.
        for _ in 0..self.size.trailing_ones() {
            let Some(left) = self.peaks.pop() else { break };
            hash = node_hash(&left, &hash);
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    /// The root over all leaves; that of no leaves is the hash of nothing.
    pub fn root(&self) -> NodeHash {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else {
            return Sha256::digest([]).into();
        };
        peaks.fold(*last, |right, left| node_hash(left, &right))
    }

    /// The hashes that lead from one leaf to the root; none if there is no such leaf. `leaves` are the hashes of all.
    pub fn inclusion_proof(leaves: &[NodeHash], index: usize) -> Option<Vec<NodeHash>> {
        if index >= leaves.len() {
            return None;
        }
        let mut proof = Vec::new();
        let (mut from, mut to) = (0, leaves.len());
        while to - from > 1 {
            let middle = from + split(to - from);
            if index < middle {
                proof.push(root_of(&leaves[middle..to]));
                to = middle;
            } else {
                proof.push(root_of(&leaves[from..middle]));
                from = middle;
            }
        }
        proof.reverse();
        Some(proof)
    }

    /// The hashes that show that the tree of the first `old` leaves is a beginning of the tree of all.
    pub fn consistency_proof(leaves: &[NodeHash], old: usize) -> Option<Vec<NodeHash>> {
        if old == 0 || old > leaves.len() {
            return None;
        }
        let mut proof = Vec::new();
        let (mut from, mut to, mut old, mut whole) = (0, leaves.len(), old, true);
        while old < to - from {
            let middle = from + split(to - from);
            if old <= middle - from {
                proof.push(root_of(&leaves[middle..to]));
                to = middle;
            } else {
                proof.push(root_of(&leaves[from..middle]));
                old -= middle - from;
                from = middle;
                whole = false;
            }
        }
        if !whole {
            proof.push(root_of(&leaves[from..to]));
        }
        proof.reverse();
        Some(proof)
    }
}

/// The largest power of two below a number of leaves.
const fn split(leaves: usize) -> usize {
    leaves.next_power_of_two() / 2
}

fn root_of(leaves: &[NodeHash]) -> NodeHash {
    let mut tree = Tree::new();
    for leaf in leaves {
        let mut hash = *leaf;
        for _ in 0..tree.size.trailing_ones() {
            let Some(left) = tree.peaks.pop() else { break };
            hash = node_hash(&left, &hash);
        }
        tree.peaks.push(hash);
        tree.size += 1;
    }
    tree.root()
}

/// Whether a leaf stands at an index of the tree with this size and root (RFC 9162, 2.1.3.2).
pub fn verify_inclusion(data: &[u8], index: u64, size: u64, proof: &[NodeHash], root: &NodeHash) -> bool {
    if index >= size {
        return false;
    }
    let (mut node, mut last) = (index, size - 1);
    let mut hash = leaf_hash(data);
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            hash = node_hash(sibling, &hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && hash == *root
}

/// Whether a tree is a continuation of an older one (RFC 9162, 2.1.4.2).
pub fn verify_consistency(old_size: u64, old_root: &NodeHash, size: u64, root: &NodeHash, proof: &[NodeHash]) -> bool {
    if old_size == 0 || old_size > size {
        return false;
    }
    if old_size == size {
        return proof.is_empty() && old_root == root;
    }
    let mut proof = proof.iter();
    let first = if old_size.is_power_of_two() {
        Some(old_root)
    } else {
        proof.next()
    };
    let Some(first) = first else { return false };
    let (mut node, mut last) = (old_size - 1, size - 1);
    while node & 1 == 1 {
        node >>= 1;
        last >>= 1;
    }
    let (mut old_hash, mut hash) = (*first, *first);
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            old_hash = node_hash(sibling, &old_hash);
            hash = node_hash(sibling, &hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && old_hash == *old_root && hash == *root
}
