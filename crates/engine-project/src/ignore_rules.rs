//! Rules of `.gitignore`, `.ignore`, `.git/info/exclude` and `core.excludesFile` as they hold in a folder.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::disk::{self, Content, RootHandle};
use crate::pattern::Rule;
use crate::repository::Repository;

/// An ignore file beyond this length is not a list of rules but an attempt to keep the matcher busy.
const IGNORE_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// The same for an `.ignore` file, whose rules are all compiled before the first is used.
const OWN_IGNORE_FILE_BYTES_MAX: u64 = 256 * 1024;
/// Rules of one file that are more than a name: each of them is tried on each entry.
const WILD_RULES_MAX: usize = 8192;

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
    matcher: Matcher,
}

/// Who says what the rules of a file mean.
#[derive(Debug)]
enum Matcher {
    /// git, for the files that it reads itself.
    Git(GitRules),
    /// The `ignore` crate, for `.ignore` files, which came up with it.
    Own(Gitignore),
}

impl Matcher {
    fn is_empty(&self) -> bool {
        match self {
            Self::Git(rules) => rules.rules.is_empty(),
            Self::Own(rules) => rules.is_empty(),
        }
    }

    fn verdict(&self, path: &str, is_folder: bool) -> Verdict {
        match self {
            Self::Git(rules) => match rules.matched(path, is_folder) {
                None => Verdict::Silent,
                Some(rule) if rule.keeps => Verdict::Kept,
                Some(_) => Verdict::Ignored,
            },
            Self::Own(rules) => match rules.matched(path, is_folder) {
                Match::None => Verdict::Silent,
                Match::Whitelist(_) => Verdict::Kept,
                Match::Ignore(_) => Verdict::Ignored,
            },
        }
    }
}

/// The kind of a file with rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleKind {
    /// One that git reads; whether letters count without case.
    Git { fold: bool },
    /// An `.ignore` file.
    Own,
}

fn own_rules(bytes: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(bytes);
    // The matcher gets paths relative to its folder, so that where the tree lies cannot matter.
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        // A rule that cannot be read is passed over; the others hold.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

/// The rules of one file of git; the last one that fits decides.
#[derive(Debug, Default)]
struct GitRules {
    rules: Vec<Rule>,
    /// Rules that are a name alone, by that name.
    names: HashMap<Vec<u8>, Vec<usize>>,
    /// All other rules, in their order.
    wild: Vec<usize>,
    /// Whether letters count without case.
    fold: bool,
}

impl GitRules {
    fn of(bytes: &[u8], fold: bool) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut matcher = Self {
            fold,
            ..Self::default()
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            let Some(rule) = Rule::parse(line, fold).filter(|rule| !rule.is_nothing()) else {
                continue;
            };
            if rule.is_wild() && matcher.wild.len() >= WILD_RULES_MAX {
                continue;
            }
            let at = matcher.rules.len();
            match rule.name() {
                Some(name) => matcher.names.entry(name.to_vec()).or_default().push(at),
                None => matcher.wild.push(at),
            }
            matcher.rules.push(rule);
        }
        matcher
    }

    /// The last rule that fits an entry.
    fn matched(&self, path: &str, is_folder: bool) -> Option<&Rule> {
        let folded = self.fold.then(|| path.to_ascii_lowercase());
        let path = folded.as_deref().unwrap_or(path).as_bytes();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let fits = |at: &&usize| self.rules.get(**at).is_some_and(|rule| rule.fits(path, is_folder));
        let named = self.names.get(name).and_then(|all| all.iter().rev().find(fits));
        let wild = self
            .wild
            .iter()
            .rev()
            .take_while(|at| named.is_none_or(|named| *at > named))
            .find(fits);
        self.rules.get(*wild.or(named)?)
    }
}

/// All rules that hold in a folder. Folders share them until one brings a file of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// From `.ignore` files, the outermost first; they outrank those of git.
    own: Arc<[Arc<RuleFile>]>,
    /// From `.gitignore` files and, before them, the excludes of the repository; the outermost first.
    git: Arc<[Arc<RuleFile>]>,
    /// The repository around, if the walk has come upon its top.
    repository: Option<Arc<Repository>>,
}

/// Which of the files that hold rules a folder has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RuleFiles {
    pub(crate) gitignore: bool,
    pub(crate) ignore: bool,
    /// The folder is the top of a repository, so that rules of an outer one end here.
    pub(crate) repository: Option<GitKind>,
}

/// What is called `.git` in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitKind {
    Folder,
    /// A file that says where the data is.
    File,
}

impl Rules {
    /// The rules inside a folder, given those of its parent.
    pub(crate) fn enter(
        &self,
        root: &RootHandle,
        root_path: &Path,
        memo: &RuleMemo,
        folder: &str,
        files: RuleFiles,
    ) -> Self {
        let mut rules = self.clone();
        let below = |name: &str| {
            if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            }
        };
        let base = if folder.is_empty() { 0 } else { folder.len() + 1 };
        if let Some(kind) = files.repository {
            let repository = Repository::open(root, root_path, folder, kind == GitKind::Folder);
            let fold = repository.settings.ignore_case;
            let named = repository
                .excludes_path(root_path)
                .and_then(|path| memo.load(root, path, base, RuleKind::Git { fold }));
            let exclude = repository
                .exclude(root, IGNORE_FILE_BYTES_MAX)
                .and_then(|bytes| memo.make(below(".git/info/exclude"), &bytes, base, RuleKind::Git { fold }));
            rules.git = named.into_iter().chain(exclude).collect();
            rules.repository = Some(Arc::new(repository));
        }
        let fold = rules
            .repository
            .as_ref()
            .is_some_and(|repository| repository.settings.ignore_case);
        if files.gitignore {
            let load = memo.load(root, below(".gitignore"), base, RuleKind::Git { fold });
            rules.git = rules.git.iter().cloned().chain(load).collect();
        }
        if files.ignore {
            let load = memo.load(root, below(".ignore"), base, RuleKind::Own);
            rules.own = rules.own.iter().cloned().chain(load).collect();
        }
        rules
    }

    /// Whether the walk has come upon the top of a repository.
    pub(crate) fn in_repository(&self) -> bool {
        self.repository.is_some()
    }

    /// Whether git tracks a file, so that no rule keeps it out of the project.
    pub(crate) fn tracks(&self, root: &RootHandle, path: &str) -> bool {
        self.repository
            .as_ref()
            .is_some_and(|repository| repository.tracks(root, path))
    }

    /// Whether git tracks anything in a folder, so that no rule keeps all of it out of the project.
    pub(crate) fn tracks_within(&self, root: &RootHandle, folder: &str) -> bool {
        self.repository
            .as_ref()
            .is_some_and(|repository| repository.tracks_within(root, folder))
    }

    /// What the rules say of an entry, given its path from the root. Its folder is known not to be ignored.
    pub(crate) fn verdict(&self, path: &str, is_folder: bool) -> Verdict {
        for file in self.own.iter().rev().chain(self.git.iter().rev()) {
            match file.matcher.verdict(&path[file.base..], is_folder) {
                Verdict::Silent => {}
                said => return said,
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

    fn load(&self, root: &RootHandle, path: String, base: usize, kind: RuleKind) -> Option<Arc<RuleFile>> {
        let bytes_max = match kind {
            RuleKind::Git { .. } => IGNORE_FILE_BYTES_MAX,
            RuleKind::Own => OWN_IGNORE_FILE_BYTES_MAX,
        };
        let Ok(Content::Whole(bytes)) = disk::read(root, &path, bytes_max) else {
            return None;
        };
        self.make(path, &bytes, base, kind)
    }

    fn make(&self, path: String, bytes: &[u8], base: usize, kind: RuleKind) -> Option<Arc<RuleFile>> {
        let mut digest = blake3::Hasher::new();
        digest
            .update(&[u8::from(kind == RuleKind::Git { fold: true })])
            .update(bytes);
        let digest = digest.finalize();
        if let Some((known, rules)) = self.known().get(&path)
            && *known == digest
            && rules.as_ref().is_none_or(|rules| rules.base == base)
        {
            return rules.clone();
        }
        let matcher = match kind {
            RuleKind::Git { fold } => Some(Matcher::Git(GitRules::of(bytes, fold))),
            RuleKind::Own => own_rules(bytes).map(Matcher::Own),
        };
        let rules = matcher
            .filter(|matcher| !matcher.is_empty())
            .map(|matcher| Arc::new(RuleFile { base, matcher }));
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
