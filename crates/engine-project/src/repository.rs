//! The data of a git repository that decides on what is read: its index, its own excludes and its settings.
//!
//! The data lies in `.git`, or where a file `.git` says: for a submodule within the folder of the repository around, for a
//! second work tree anywhere. Beyond the root of a project it is believed only where it names the work tree in return.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::disk::{self, Content, RootHandle};
use crate::tracked::Tracked;

/// A longer file of settings or of one path is none.
const SETTINGS_BYTES_MAX: u64 = 256 * 1024;

/// A repository and what it tracks, which is read once somebody asks.
#[derive(Debug)]
pub(crate) struct Repository {
    /// The folder of its top.
    pub(crate) top: String,
    data: Option<Data>,
    pub(crate) settings: Settings,
    tracked: OnceLock<Tracked>,
}

/// Where the data of a repository lies.
#[derive(Debug)]
struct Data {
    /// The folder of this work tree.
    own: Place,
    /// The folder that all work trees share.
    shared: Place,
}

/// A folder below one that is open.
#[derive(Debug)]
struct Place {
    /// The folder that is open; the root of the walk where there is none.
    outside: Option<Arc<RootHandle>>,
    folder: String,
}

impl Place {
    fn read(&self, root: &RootHandle, name: &str, limit: u64) -> Option<Vec<u8>> {
        let path = join(&self.folder, name);
        match disk::read(self.outside.as_deref().unwrap_or(root), &path, limit) {
            Ok(Content::Whole(bytes)) => Some(bytes),
            _ => None,
        }
    }

    fn at(path: &Path) -> Option<Self> {
        let handle = RootHandle::open(path).ok()?;
        Some(Self {
            outside: Some(Arc::new(handle)),
            folder: String::new(),
        })
    }
}

/// What the settings of a repository say about its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Whether letters count without case.
    pub(crate) ignore_case: bool,
    /// A file with rules, as written.
    pub(crate) excludes_file: Option<String>,
}

impl Repository {
    /// The repository whose top is a folder.
    pub(crate) fn open(root: &RootHandle, root_path: &Path, top: &str, is_folder: bool) -> Self {
        let data = if is_folder {
            let place = || Place {
                outside: None,
                folder: join(top, ".git"),
            };
            Some(Data {
                own: place(),
                shared: place(),
            })
        } else {
            pointed(root, root_path, top)
        };
        let settings = data
            .as_ref()
            .and_then(|data| data.shared.read(root, "config", SETTINGS_BYTES_MAX))
            .map(|bytes| settings(&String::from_utf8_lossy(&bytes)))
            .unwrap_or_default();
        Self {
            top: top.to_owned(),
            data,
            settings,
            tracked: OnceLock::new(),
        }
    }

    /// The rules that are kept beside the data of the repository.
    pub(crate) fn exclude(&self, root: &RootHandle, limit: u64) -> Option<Vec<u8>> {
        self.data.as_ref()?.shared.read(root, "info/exclude", limit)
    }

    /// The path from the root of the walk of the rules that the settings name, where they lie below it.
    pub(crate) fn excludes_path(&self, root_path: &Path) -> Option<String> {
        let stated = self.settings.excludes_file.as_deref()?;
        let path = if Path::new(stated).is_absolute() {
            Path::new(stated).strip_prefix(root_path).ok()?.to_str()?.to_owned()
        } else {
            join(&self.top, stated.strip_prefix("./").unwrap_or(stated))
        };
        let plain = path
            .split('/')
            .all(|part| !part.is_empty() && part != ".." && part != "." && part != "~");
        plain.then_some(path)
    }

    /// Whether git tracks a file.
    pub(crate) fn tracks(&self, root: &RootHandle, path: &str) -> bool {
        self.below(path).is_some_and(|below| self.tracked(root).holds(below))
    }

    /// Whether git tracks anything in a folder, or the folder itself as another repository.
    pub(crate) fn tracks_within(&self, root: &RootHandle, folder: &str) -> bool {
        self.below(folder)
            .is_some_and(|below| self.tracked(root).holds_within(below))
    }

    fn tracked(&self, root: &RootHandle) -> &Tracked {
        self.tracked.get_or_init(|| {
            let index = self
                .data
                .as_ref()
                .and_then(|data| data.own.read(root, "index", crate::tracked::INDEX_BYTES_MAX));
            index.as_deref().map(Tracked::of).unwrap_or_default()
        })
    }

    /// A path from the root of the walk as one from the top of the repository.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.top.is_empty() {
            return Some(path);
        }
        path.strip_prefix(self.top.as_str())?.strip_prefix('/')
    }
}

/// The data that a file `.git` points at.
fn pointed(root: &RootHandle, root_path: &Path, top: &str) -> Option<Data> {
    let here = Place {
        outside: None,
        folder: top.to_owned(),
    };
    let folder = if top.is_empty() {
        root_path.to_path_buf()
    } else {
        root_path.join(top)
    };
    let stated = path_in(&here.read(root, ".git", SETTINGS_BYTES_MAX)?, "gitdir:")?;
    let own_path = folder.join(stated).canonicalize().ok()?;
    let own = Place::at(&own_path)?;
    own.read(root, "HEAD", SETTINGS_BYTES_MAX)?;
    let shared_path = match own.read(root, "commondir", SETTINGS_BYTES_MAX) {
        Some(bytes) => own_path.join(path_in(&bytes, "")?).canonicalize().ok()?,
        None => own_path.clone(),
    };
    let inside = own_path.starts_with(root_path) && shared_path.starts_with(root_path);
    if !inside && !names_in_return(root, &own, &own_path, &folder) {
        return None;
    }
    Some(Data {
        own,
        shared: Place::at(&shared_path)?,
    })
}

/// Whether the data of a repository names a work tree: in `gitdir` for a second one, in the settings for a submodule.
fn names_in_return(root: &RootHandle, own: &Place, own_path: &Path, folder: &Path) -> bool {
    let same = |path: PathBuf| path.canonicalize().is_ok_and(|path| path == folder);
    if let Some(bytes) = own.read(root, "gitdir", SETTINGS_BYTES_MAX) {
        let back = path_in(&bytes, "").map(|stated| own_path.join(stated));
        return back
            .and_then(|back| Some(back.parent()?.to_path_buf()))
            .is_some_and(same);
    }
    let Some(bytes) = own.read(root, "config", SETTINGS_BYTES_MAX) else {
        return false;
    };
    value_in(&String::from_utf8_lossy(&bytes), "core", "worktree").is_some_and(|stated| same(own_path.join(stated)))
}

/// The path that a file holds behind a word.
fn path_in(bytes: &[u8], word: &str) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.strip_prefix(word)?;
    let path = text.trim_matches([' ', '\n', '\r']);
    (!path.is_empty() && !path.contains(['\0', '\n'])).then(|| path.to_owned())
}

fn settings(text: &str) -> Settings {
    let yes = |value: String| matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1");
    Settings {
        ignore_case: value_in(text, "core", "ignorecase").is_some_and(yes),
        excludes_file: value_in(text, "core", "excludesfile").filter(|path| !path.is_empty()),
    }
}

/// The last value of a name in a section of settings.
fn value_in(text: &str, section: &str, name: &str) -> Option<String> {
    let mut within = false;
    let mut found = None;
    for line in text.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (head, tail) = rest.split_once(']')?;
            within = head.trim().eq_ignore_ascii_case(section);
            line = tail.trim();
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        if within && key.trim().eq_ignore_ascii_case(name) {
            found = Some(unquoted(value.trim()));
        }
    }
    found
}

/// A value without quotes, escapes and the comment behind it.
fn unquoted(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut chars = value.chars();
    while let Some(letter) = chars.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => break,
            },
            '#' | ';' if !quoted => break,
            other => out.push(other),
        }
    }
    if !value.ends_with('"') {
        out.truncate(out.trim_end().len());
    }
    out
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        [folder, "/", name].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, settings};

    #[test]
    fn settings_are_read_from_their_section() {
        let text = "[core]\n\tbare = false\n\tIgnoreCase = true # on a Mac\n[remote \"core\"]\n\texcludesFile = no\n[core] excludesfile = \"a b/x\" ; here\n";
        let wanted = Settings {
            ignore_case: true,
            excludes_file: Some("a b/x".to_owned()),
        };
        assert_eq!(settings(text), wanted);
        assert_eq!(settings("[core\nexcludesfile = x"), Settings::default());
        assert_eq!(settings("[user]\n\texcludesfile = x\n"), Settings::default());
    }
}
