//! Rules of `.gitignore`, `.ignore` and `.git/info/exclude` as they hold in a folder.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::disk::{self, Content, RootHandle};
use crate::tracked::Tracked;

/// An ignore file beyond this length is not a list of rules but an attempt to keep the matcher busy.
const IGNORE_FILE_BYTES_MAX: u64 = 256 * 1024;

/// What the rules say of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No rule speaks of it.
    Silent,
    /// A rule ignores it.
    Ignored,
    /// A rule that starts with `!` keeps it.
    Kept,
}

/// The rules of one file, with the folder that they are relative to.
#[derive(Debug)]
struct RuleFile {
    /// Length of the folder's path with its closing `/`; zero at the root.
    base: usize,
    matcher: Gitignore,
}

/// All rules that hold in a folder. Folders share them until one brings a file of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// From `.ignore` files, the outermost first; they outrank those of git.
    own: Arc<[Arc<RuleFile>]>,
    /// From `.gitignore` files and, before them, `.git/info/exclude`; the outermost first.
    git: Arc<[Arc<RuleFile>]>,
    /// The repository around, if the walk has come upon its top.
    repository: Option<Arc<Repository>>,
}

/// A repository and what it tracks, which is read once somebody asks.
#[derive(Debug)]
struct Repository {
    /// The folder of its top.
    top: String,
    tracked: OnceLock<Tracked>,
}

/// Which of the files that hold rules a folder has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RuleFiles {
    pub(crate) gitignore: bool,
    pub(crate) ignore: bool,
    /// The folder is the top of a repository, so that rules of an outer one end here.
    pub(crate) repository: bool,
}

impl Rules {
    /// The rules inside a folder, given those of its parent.
    pub(crate) fn enter(&self, root: &RootHandle, memo: &RuleMemo, folder: &str, files: RuleFiles) -> Self {
        let mut rules = self.clone();
        let below = |name: &str| {
            if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            }
        };
        let base = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let load = |name: &str| memo.load(root, below(name), base);
        if files.repository {
            rules.git = load(".git/info/exclude").into_iter().collect();
            rules.repository = Some(Arc::new(Repository {
                top: folder.to_owned(),
                tracked: OnceLock::new(),
            }));
        }
        if files.gitignore {
            rules.git = rules.git.iter().cloned().chain(load(".gitignore")).collect();
        }
        if files.ignore {
            rules.own = rules.own.iter().cloned().chain(load(".ignore")).collect();
        }
        rules
    }

    /// Whether the walk has come upon the top of a repository.
    pub(crate) fn in_repository(&self) -> bool {
        self.repository.is_some()
    }

    /// Whether git tracks a file, so that no rule keeps it out of the project.
    pub(crate) fn tracks(&self, root: &RootHandle, path: &str) -> bool {
        let Some(repository) = &self.repository else {
            return false;
        };
        let top = repository.top.as_str();
        let below = if top.is_empty() {
            Some(path)
        } else {
            path.strip_prefix(top).and_then(|rest| rest.strip_prefix('/'))
        };
        below.is_some_and(|below| repository.tracked.get_or_init(|| Tracked::read(root, top)).holds(below))
    }

    /// What the rules say of an entry, given its path from the root. Its folder is known not to be ignored.
    pub(crate) fn verdict(&self, path: &str, is_folder: bool) -> Verdict {
        for file in self.own.iter().rev().chain(self.git.iter().rev()) {
            match file.matcher.matched(&path[file.base..], is_folder) {
                Match::None => {}
                Match::Ignore(_) => return Verdict::Ignored,
                Match::Whitelist(_) => return Verdict::Kept,
            }
        }
        Verdict::Silent
    }
}

/// Rules by the path of their file, with the digest of what they were made from.
type KnownRules = HashMap<String, (blake3::Hash, Option<Arc<RuleFile>>)>;

/// The rules of files by their paths and contents: making a matcher takes longer than reading its file.
#[derive(Debug, Default)]
pub(crate) struct RuleMemo(Mutex<KnownRules>);

impl RuleMemo {
    /// A tree with more such files than these is not remembered.
    const FILES_MAX: usize = 4096;

    fn load(&self, root: &RootHandle, path: String, base: usize) -> Option<Arc<RuleFile>> {
        let Ok(Content::Whole(bytes)) = disk::read(root, &path, IGNORE_FILE_BYTES_MAX) else {
            return None;
        };
        let digest = blake3::hash(&bytes);
        if let Some((known, rules)) = self.known().get(&path)
            && *known == digest
        {
            return rules.clone();
        }
        let rules = rules(&bytes, base);
        let mut known = self.known();
        if known.len() >= Self::FILES_MAX {
            known.clear();
        }
        known.insert(path, (digest, rules.clone()));
        rules
    }

    fn known(&self) -> MutexGuard<'_, KnownRules> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn rules(bytes: &[u8], base: usize) -> Option<Arc<RuleFile>> {
    let text = String::from_utf8_lossy(bytes);
    // The matcher gets paths relative to its folder, so that where the tree lies cannot matter.
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        // A rule that cannot be read is passed over, as git does it; the others hold.
        let _ = builder.add_line(None, line);
    }
    let matcher = builder.build().ok()?;
    (!matcher.is_empty()).then(|| Arc::new(RuleFile { base, matcher }))
}
