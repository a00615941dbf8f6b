//! The projects that are open. Each holds a lock, a database and files, so their number is bounded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::project::ProjectState;

/// Projects that are open at the same time. Each has up to eight open files, and a process often may open 1,024.
const PROJECTS_MAX: usize = 24;

struct Open {
    state: Arc<ProjectState>,
    /// When it was used last, as a number that grows.
    used: u64,
}

/// The projects that are open, by their folders.
#[derive(Default)]
pub(crate) struct OpenProjects {
    open: BTreeMap<PathBuf, Open>,
    uses: u64,
}

impl OpenProjects {
    /// A project that is open, which counts as used now. One whose folder was replaced by another folder is let go of.
    pub(crate) fn used(&mut self, path: &Path) -> Option<Arc<ProjectState>> {
        self.uses += 1;
        let open = self.open.get_mut(path)?;
        if !open.state.root().is_in_place() {
            self.open.remove(path);
            return None;
        }
        open.used = self.uses;
        Some(Arc::clone(&open.state))
    }

    /// Whether a project is open under a path.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }

    /// Adds a project that was opened.
    pub(crate) fn add(&mut self, state: &Arc<ProjectState>) {
        self.uses += 1;
        let open = Open {
            state: Arc::clone(state),
            used: self.uses,
        };
        self.open.insert(state.path().to_owned(), open);
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Arc<ProjectState>> {
        self.open.values().map(|open| Arc::clone(&open.state)).collect()
    }

    /// Whether more are open than may be.
    pub(crate) fn is_full(&self) -> bool {
        self.open.len() > PROJECTS_MAX
    }

    /// Takes out those that were used least recently and that nobody holds, down to the limit.
    pub(crate) fn take_unused(&mut self) -> Vec<Arc<ProjectState>> {
        let mut idle: Vec<(u64, PathBuf)> = self
            .open
            .iter()
            .filter(|(_, open)| Arc::strong_count(&open.state) == 1)
            .map(|(path, open)| (open.used, path.clone()))
            .collect();
        idle.sort();
        let mut taken = Vec::new();
        for (_, path) in idle {
            if !self.is_full() {
                break;
            }
            taken.extend(self.open.remove(&path).map(|open| open.state));
        }
        taken
    }

    /// Lets go of all.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }
}
