//! Lowered files that are cached between joins, so that a change of one file lowers only that file.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine_model::{FileInfo, Language, SourceText};
use engine_syntax::Module;
use rustc_hash::FxHashMap as HashMap;

use crate::CodeFacts;
use crate::facts::notices;
use crate::mentions::{Answers, Search, Token};
use crate::read::bytes_of;
use crate::readings::{Asked, Reading, Readings, Said};

/// Lowered files by the content and the kind of their texts, within a limit of bytes. Without a limit that somebody set it
/// holds nothing.
#[derive(Debug, Default)]
pub struct Modules {
    limit: AtomicUsize,
    held: Mutex<Held>,
    /// What texts said of the names that were searched for, the last search first.
    searches: Mutex<VecDeque<Searched>>,
}

/// What texts said of some names.
#[derive(Debug)]
struct Searched {
    tokens: Vec<Token>,
    files: Answers,
}

/// Searches that are kept: one for each repository of a project with a few.
const SEARCHES_MAX: usize = 4;

/// Places that one search may keep.
const PLACES_MAX: usize = 200_000;

/// What tells how a text is lowered: its digest, its language, and whether it is a single-file component.
type Key = ([u8; 32], Language, bool);

#[derive(Debug, Default)]
struct Held {
    modules: HashMap<Key, Entry>,
    bytes: usize,
    /// Counts joins.
    join: u64,
}

#[derive(Debug)]
struct Entry {
    module: Arc<Module>,
    bytes: usize,
    /// The join that asked for it last.
    used: u64,
}

impl Modules {
    /// Sets the bytes that may be held, roughly.
    pub fn hold(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// What texts said of names when these were searched for last.
    pub(crate) fn answers(&self, tokens: &[Token]) -> Answers {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let at = searches.iter().position(|search| search.tokens == tokens);
        at.and_then(|at| searches.remove(at))
            .map(|search| search.files)
            .unwrap_or_default()
    }

    /// Keeps what texts said of names.
    pub(crate) fn keep_answers(&self, tokens: &[Token], files: Answers) {
        let places: usize = files.values().map(|answer| answer.said.places.len()).sum();
        if self.limit.load(Ordering::Relaxed) == 0 || places > PLACES_MAX {
            return;
        }
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.push_front(Searched {
            tokens: tokens.to_vec(),
            files,
        });
        searches.truncate(SEARCHES_MAX);
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a join begins: what was not asked for in the one before makes room first.
    pub(crate) fn begin(&self) {
        self.held().join += 1;
    }

    /// The lowered code of a file when it had a content.
    pub(crate) fn of(&self, info: &FileInfo, digest: &[u8; 32]) -> Option<Arc<Module>> {
        let mut held = self.held();
        let join = held.join;
        let entry = held.modules.get_mut(&key(info, digest))?;
        entry.used = join;
        Some(Arc::clone(&entry.module))
    }

    fn keep(&self, info: &FileInfo, module: &Arc<Module>) {
        let limit = self.limit.load(Ordering::Relaxed);
        let bytes = bytes_of(module);
        if bytes > limit {
            return;
        }
        let mut held = self.held();
        let join = held.join;
        if held.bytes + bytes > limit {
            // One of the join before may be asked for once more, for what it was before it changed.
            held.modules.retain(|_, entry| entry.used + 1 >= join);
            held.bytes = held.modules.values().map(|entry| entry.bytes).sum();
            if held.bytes + bytes > limit {
                return;
            }
        }
        let entry = Entry {
            module: Arc::clone(module),
            bytes,
            used: join,
        };
        held.bytes += bytes;
        if let Some(before) = held.modules.insert(key(info, &info.digest), entry) {
            held.bytes -= before.bytes;
        }
    }
}

fn key(info: &FileInfo, digest: &[u8; 32]) -> Key {
    (*digest, info.language, crate::holds_scripts(&info.path))
}

/// The texts that a page shows, with their lines.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) shown: Vec<(u32, String)>,
    /// Routes of a server that it names.
    pub(crate) asks: Vec<String>,
    /// Digest of them: as long as it is the same, the page is for this layer.
    pub(crate) digest: [u8; 32],
}

impl Page {
    fn of(text: &str) -> Self {
        let mut shown = notices::shown_on_page(text);
        shown.extend(notices::said_in_states(text));
        shown.sort();
        let mut hasher = blake3::Hasher::new();
        for (line, text) in &shown {
            hasher.update(&line.to_le_bytes());
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let asks = routes_in(text);
        for route in &asks {
            hasher.update(&(route.len() as u64).to_le_bytes());
            hasher.update(route.as_bytes());
        }
        Self {
            shown,
            asks,
            digest: *hasher.finalize().as_bytes(),
        }
    }
}

/// The routes under `/api/` that a text names, each once.
fn routes_in(text: &str) -> Vec<String> {
    const ROUTES_MAX: usize = 40;
    let mut out: Vec<String> = Vec::new();
    for (at, _) in text.match_indices("/api/") {
        let rest = &text[at..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '-' | '_'))
            .unwrap_or(rest.len());
        let route = rest[..end].trim_end_matches('/');
        if route.len() > "/api".len() && !out.iter().any(|known| known == route) {
            out.push(route.to_owned());
            if out.len() >= ROUTES_MAX {
                break;
            }
        }
    }
    // Where no address stands, these ask their own.
    for (hook, route) in [("useChat(", "/api/chat"), ("useCompletion(", "/api/completion")] {
        if out.is_empty() && text.contains(hook) {
            out.push(route.to_owned());
        }
    }
    out
}

/// Where lowered files come from: what was just read, what is held, or the text once more; and what pages show.
pub(crate) struct Texts<'a> {
    source: &'a dyn SourceText,
    modules: Option<&'a Modules>,
    pages: Mutex<BTreeMap<String, Arc<Page>>>,
    readings: Readings,
    search: Mutex<Option<Search>>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(source: &'a dyn SourceText, modules: Option<&'a Modules>) -> Self {
        Self {
            source,
            modules,
            pages: Mutex::default(),
            readings: Readings::default(),
            search: Mutex::default(),
        }
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.source.file(path)?.text().map(std::borrow::Cow::into_owned)
    }

    /// What texts said of names before, where that is kept.
    pub(crate) fn answers(&self, tokens: &[Token]) -> Answers {
        self.modules.map(|modules| modules.answers(tokens)).unwrap_or_default()
    }

    /// Keeps what texts said of names.
    pub(crate) fn keep_answers(&self, tokens: &[Token], files: Answers) {
        if let Some(modules) = self.modules {
            modules.keep_answers(tokens, files);
        }
    }

    /// Keeps what was searched for in all texts.
    pub(crate) fn keep_search(&self, search: Search) {
        *self.search.lock().unwrap_or_else(PoisonError::into_inner) = Some(search);
    }

    /// What was searched for in all texts.
    pub(crate) fn search(&self) -> Option<Search> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What a page shows; of one that cannot be read, nothing.
    pub(crate) fn page(&self, path: &str) -> Arc<Page> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages.get(path) {
            return Arc::clone(page);
        }
        let file = self.source.file(path);
        let text = file.as_ref().and_then(engine_model::SourceFile::text);
        let page = Arc::new(text.map_or_else(Page::default, |text| Page::of(&text)));
        pages.insert(path.to_owned(), Arc::clone(&page));
        page
    }

    /// What the text of a file says of something.
    pub(crate) fn said(&self, reading: Reading, info: &FileInfo) -> Arc<Said> {
        self.readings.of(reading, info, self.source)
    }

    /// The pages that were asked for with the digests of what they show, and what else was asked of texts.
    pub(crate) fn asked(self) -> (BTreeMap<String, [u8; 32]>, Vec<Asked>) {
        let pages = self.pages.into_inner().unwrap_or_else(PoisonError::into_inner);
        let pages = pages.into_iter().map(|(path, page)| (path, page.digest)).collect();
        (pages, self.readings.asked())
    }

    /// The lowered code of a file.
    pub(crate) fn module(&self, info: &FileInfo, facts: &CodeFacts) -> Option<Arc<Module>> {
        if let Some(module) = &facts.module {
            // What was read under other names is not what the content alone says.
            if let Some(modules) = self.modules.filter(|_| !facts.renamed) {
                modules.keep(info, module);
            }
            return Some(Arc::clone(module));
        }
        if let Some(module) = self.modules.and_then(|modules| modules.of(info, &info.digest)) {
            return Some(module);
        }
        let file = self.source.file(&info.path)?;
        let module = Arc::new(crate::lower(&info.path, info.language, &file.text()?)?);
        if let Some(modules) = self.modules.filter(|_| file.digest == info.digest) {
            modules.keep(info, &module);
        }
        Some(module)
    }
}

#[cfg(test)]
mod tests {
    use engine_model::Zone;

    use super::*;

    fn info(path: &str, text: &str) -> FileInfo {
        FileInfo {
            path: path.to_owned(),
            size: text.len() as u64,
            digest: *blake3::hash(text.as_bytes()).as_bytes(),
            language: Language::Python,
            zone: Zone::Product,
        }
    }

    fn lowered(text: &str) -> Arc<Module> {
        Arc::new(engine_syntax::lower(Language::Python, text).unwrap())
    }

    #[test]
    fn nothing_is_held_without_a_limit_and_never_more_than_it() {
        let modules = Modules::default();
        let texts: Vec<String> = (0..40)
            .map(|n| format!("def f{n}(a):\n    return g(a, {n})\n"))
            .collect();
        modules.keep(&info("a.py", &texts[0]), &lowered(&texts[0]));
        assert!(modules.held().modules.is_empty());
        modules.hold(4_000);
        for round in 0..3 {
            modules.begin();
            for text in &texts {
                modules.keep(&info("a.py", text), &lowered(text));
                let held = modules.held();
                assert!(held.bytes <= 4_000, "round {round}");
                assert_eq!(
                    held.bytes,
                    held.modules.values().map(|entry| entry.bytes).sum::<usize>()
                );
            }
            assert!(!modules.held().modules.is_empty());
        }
    }

    #[test]
    fn what_was_not_asked_for_makes_room() {
        let modules = Modules::default();
        let (old, new) = ("def old(a):\n    return b(a)\n", "def new(a):\n    return b(a)\n");
        modules.hold(bytes_of(&lowered(old)) + 10);
        modules.begin();
        modules.keep(&info("a.py", old), &lowered(old));
        modules.begin();
        modules.keep(&info("a.py", new), &lowered(new));
        let of = |text: &str| modules.of(&info("a.py", text), &info("a.py", text).digest).is_some();
        assert!(of(old) && !of(new));
        modules.begin();
        modules.begin();
        modules.keep(&info("a.py", new), &lowered(new));
        assert!(!of(old) && of(new));
    }

    #[test]
    fn the_same_text_in_another_language_is_another_file() {
        let modules = Modules::default();
        modules.hold(1 << 20);
        let text = "f(1)\n";
        modules.keep(&info("a.py", text), &lowered(text));
        let script = FileInfo {
            language: Language::JavaScript,
            ..info("a.js", text)
        };
        assert!(modules.of(&script, &script.digest).is_none());
    }
}
