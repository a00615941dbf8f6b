//! Cached joins: a project without a relevant change is not resolved again.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use blake3::Hasher;
use engine_model::{FileInfo, SourceFile, SourceText};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::mentions::{self, Search, Searcher};
use crate::modules::Texts;
use crate::readings::Reading;
use crate::{CodeFacts, CodeJoin, ManifestNames, Modules};

/// The joins of a project with everything that they were made from, one for each repository that it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remembered(Vec<Part>);

/// What a new evaluation changed in what is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Repositories that were joined anew.
    pub joined: usize,
    /// Files of which only other digests were noted: they resolve to the same.
    pub noted: usize,
}

/// The digest of a content, none for a file that is not there, and of what is taken of it.
type Digests = (Option<[u8; 32]>, [u8; 32]);

/// One join with everything that it was made from.
///
/// Which files take part is told by the paths of all files and by what is kept of each; what takes part is told by the
/// digests of those files, and by their lowered code where one has changed. Both equal, the join is equal: resolution has
/// no other source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    /// Digest of the paths, the facts and the names in manifests.
    key: [u8; 32],
    /// Files whose content was looked at, with its digest; none for one that was asked for and not there.
    depends: BTreeMap<String, Option<[u8; 32]>>,
    /// Files that were resolved, with the digests of their contents and of their lowered code.
    live: BTreeMap<String, Digests>,
    /// Pages that were looked at, with the digests of their contents and of what they show.
    pages: BTreeMap<String, Digests>,
    /// What was asked of single texts, with the digests of their contents and of what they say.
    #[serde(default)]
    said: BTreeMap<Reading, BTreeMap<String, Digests>>,
    /// Names that were searched for in all texts, with what each text said of them.
    #[serde(default)]
    search: Option<Search>,
    /// Digests of the texts when they were searched.
    #[serde(default)]
    searched: BTreeMap<String, Option<[u8; 32]>>,
    /// What came out.
    join: CodeJoin,
}

impl Remembered {
    /// The joins, for whoever has to take something out of them before they are kept.
    pub fn joins_mut(&mut self) -> impl Iterator<Item = &mut CodeJoin> {
        self.0.iter_mut().map(|part| &mut part.join)
    }

    /// All joins as one.
    pub fn join(&self) -> CodeJoin {
        let mut out = CodeJoin::default();
        for part in &self.0 {
            out.extend(part.join.clone());
        }
        out
    }
}

/// Joins the files of a project, in the order of their paths, as far as `before` does not say what comes out already.
///
/// Lowered files are let go as soon as they have been joined, apart from those that `modules` has room for.
pub fn join_again(
    files: &mut [(FileInfo, Arc<CodeFacts>)],
    packages: &ManifestNames,
    source: &dyn SourceText,
    before: Option<Arc<Remembered>>,
    modules: &Modules,
) -> (Remembered, Changes) {
    modules.begin();
    let mut changes = Changes::default();
    let mut before = Before::of(before);
    let named = of_packages(packages);
    let ranges = crate::repositories::split(files);
    let keys: Vec<[u8; 32]> = ranges
        .par_iter()
        .map(|range| key(&pairs(&files[range.clone()]), &named))
        .collect();
    let mut ranges: Vec<(usize, Range<usize>)> = ranges.into_iter().enumerate().collect();
    // The largest comes last, when nothing of the others is held any more.
    ranges.sort_by_key(|(_, range)| range.len());
    let mut parts = BTreeMap::new();
    for (place, range) in ranges {
        let files = &mut files[range];
        parts.insert(
            place,
            part_again(files, packages, keys[place], source, &mut before, modules, &mut changes),
        );
        for (_, facts) in files.iter_mut().filter(|(_, facts)| facts.module.is_some()) {
            match Arc::get_mut(facts) {
                Some(facts) => facts.module = None,
                None => *facts = Arc::new(facts.without_module()),
            }
        }
    }
    (Remembered(parts.into_values().collect()), changes)
}

/// What was joined before. Of what others hold as well, only that which still holds is copied.
enum Before {
    Own(Remembered),
    Shared(Arc<Remembered>),
}

impl Before {
    fn of(before: Option<Arc<Remembered>>) -> Self {
        let before = before.unwrap_or_default();
        Arc::try_unwrap(before).map_or_else(Self::Shared, Self::Own)
    }

    fn part(&self, key: &[u8; 32]) -> Option<&Part> {
        let Remembered(parts) = match self {
            Self::Own(own) => own,
            Self::Shared(shared) => shared,
        };
        parts.iter().find(|part| part.key == *key)
    }

    fn take(&mut self, key: &[u8; 32]) -> Option<Part> {
        match self {
            Self::Own(Remembered(parts)) => {
                let at = parts.iter().position(|part| part.key == *key)?;
                Some(parts.swap_remove(at))
            }
            Self::Shared(shared) => shared.0.iter().find(|part| part.key == *key).cloned(),
        }
    }
}

/// Files beside the last one that are looked at before all are searched.
const NEAR_MAX: usize = 8;

fn pairs(files: &[(FileInfo, Arc<CodeFacts>)]) -> Vec<(&FileInfo, &CodeFacts)> {
    files.iter().map(|(info, facts)| (info, &**facts)).collect()
}

fn part_again(
    files: &[(FileInfo, Arc<CodeFacts>)],
    packages: &ManifestNames,
    key: [u8; 32],
    source: &dyn SourceText,
    before: &mut Before,
    modules: &Modules,
    changes: &mut Changes,
) -> Part {
    let listed = pairs(files);
    let source = AsListed {
        source,
        files: &listed,
        missed: AtomicBool::new(false),
    };
    let renamed = crate::aliases::renamed(&listed, &source);
    let files = crate::aliases::with_renamed(&listed, &renamed);
    // What is remembered is in the order of the paths, as the files are: the next one is nearly always near the last.
    let next = Cell::new(0);
    let find = |path: &str| {
        let from = next.get().min(files.len());
        let near = &files[from..files.len().min(from + NEAR_MAX)];
        let at = near
            .iter()
            .position(|(info, _)| info.path == path)
            .map(|steps| from + steps)
            .or_else(|| files.binary_search_by(|(info, _)| info.path.as_str().cmp(path)).ok())?;
        next.set(at + 1);
        Some(at)
    };
    let digests = |path: &str| find(path).map(|at| files[at].0.digest);
    let texts = Texts::new(&source, Some(modules));
    // Code that is the same apart from its comments at the end, say, resolves to the same.
    let same_code = |path: &str, digest: Option<[u8; 32]>, code: [u8; 32]| {
        let Some(at) = find(path) else { return digest.is_none() };
        let (info, facts) = files[at];
        if digest == Some(info.digest) {
            return true;
        }
        let scripts = crate::scripts_of(&[(info, facts)]);
        let script = scripts.first().unwrap_or(info);
        texts.module(script, facts).is_some_and(|now| now.digest() == code)
    };
    let same_said = |reading: Reading, path: &str, digest: Option<[u8; 32]>, said: [u8; 32]| {
        let Some(at) = find(path) else { return digest.is_none() };
        let info = files[at].0;
        digest == Some(info.digest) || texts.said(reading, info).digest == said
    };
    if let Some(known) = before.part(&key)
        && known.depends.iter().all(|(path, digest)| digests(path) == *digest)
        && known
            .live
            .iter()
            .all(|(path, (digest, code))| same_code(path, *digest, *code))
        && known
            .pages
            .iter()
            .all(|(path, (digest, shown))| digests(path) == *digest || texts.page(path).digest == *shown)
        && known.said.iter().all(|(reading, files)| {
            files
                .iter()
                .all(|(path, (digest, said))| same_said(*reading, path, *digest, *said))
        })
        && says_the_same(known, &digests, &texts)
        && let Some(mut known) = before.take(&key)
    {
        let told = known.pages.iter_mut().chain(&mut known.live);
        let told = told.chain(known.said.values_mut().flatten());
        let told = told.map(|(path, (digest, _))| (path, digest));
        for (path, digest) in told.chain(&mut known.searched) {
            let now = digests(path);
            if *digest != now {
                *digest = now;
                changes.noted += 1;
            }
        }
        return known;
    }
    changes.joined += 1;
    let recorder = Recorder {
        source: &source,
        asked: Mutex::default(),
    };
    let (join, live) = {
        let scripts = crate::scripts_of(&files);
        crate::join::join(&crate::with_scripts(&files, &scripts), packages, &recorder, &texts)
    };
    let asked = recorder.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
    let with_digest = |path: String| {
        let digest = digests(&path);
        (path, digest)
    };
    let search = texts.search();
    let (pages, readings) = texts.asked();
    let mut said: BTreeMap<Reading, BTreeMap<String, _>> = BTreeMap::new();
    for asked in readings {
        let of_path = (digests(&asked.path), asked.digest);
        said.entry(asked.reading).or_default().insert(asked.path, of_path);
    }
    // What was made without a text that is listed holds until the next join only.
    let missed = source.missed.load(Ordering::Relaxed);
    Part {
        key: if missed { NO_KEY } else { key },
        searched: search
            .iter()
            .flat_map(|search| search.files.keys())
            .map(|path| (path.clone(), digests(path)))
            .collect(),
        search,
        depends: asked.into_iter().map(with_digest).collect(),
        live: live
            .into_iter()
            .map(|(path, code)| {
                let digest = digests(&path);
                (path, (digest, code))
            })
            .collect(),
        said,
        pages: pages
            .into_iter()
            .map(|(path, shown)| (path.clone(), (digests(&path), shown)))
            .collect(),
        join,
    }
}

/// Whether texts that have changed since say the same of the names that were searched for.
fn says_the_same(known: &Part, digests: &dyn Fn(&str) -> Option<[u8; 32]>, texts: &Texts<'_>) -> bool {
    let Some(search) = &known.search else { return true };
    let mut changed = known
        .searched
        .iter()
        .filter(|(path, digest)| digests(path) != **digest)
        .peekable();
    if changed.peek().is_none() {
        return true;
    }
    let Some(searcher) = Searcher::new(&search.tokens) else {
        return false;
    };
    changed.all(|(path, _)| {
        search.files.get(path) == Some(&searcher.digest(path, texts.text(path).as_deref().unwrap_or("")))
    })
}

/// The key of a join that nothing may take over.
const NO_KEY: [u8; 32] = [0; 32];

/// Notes whether a listed file was not given with the content that it is listed with: it has changed since.
struct AsListed<'a> {
    source: &'a dyn SourceText,
    files: &'a [(&'a FileInfo, &'a CodeFacts)],
    missed: AtomicBool,
}

impl SourceText for AsListed<'_> {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        let file = self.source.file(path);
        let listed = self.files.binary_search_by(|(info, _)| info.path.as_str().cmp(path));
        if let Ok(at) = listed
            && file.as_ref().is_none_or(|file| file.digest != self.files[at].0.digest)
        {
            self.missed.store(true, Ordering::Relaxed);
        }
        file
    }
}

/// Notes which files are asked for.
struct Recorder<'a> {
    source: &'a dyn SourceText,
    asked: Mutex<BTreeSet<String>>,
}

impl SourceText for Recorder<'_> {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned());
        self.source.file(path)
    }
}

fn key(files: &[(&FileInfo, &CodeFacts)], packages: &[u8; 32]) -> [u8; 32] {
    let mut key = Key::default();
    key.bytes(packages);
    let mut searched = mentions::Searched::default();
    for (info, facts) in files {
        key.text(&info.path);
        key.bytes(&[info.zone as u8, info.language as u8, u8::from(searched.counts(info))]);
        key.bytes(&[size_class(info.size)]);
        // The same facts are asked at every join, and most of them never change.
        key.bytes(facts.told.get_or(|| told_by(facts)));
    }
    key.bytes(&[u8::from(searched.are_few())]);
    key.digest()
}

/// How many of the sizes up to which a text is read for something a file exceeds.
fn size_class(size: u64) -> u8 {
    const SIZES: [u64; 5] = [16, 16 * 1024, 64 * 1024, 128 * 1024, 256 * 1024];
    SIZES.iter().map(|limit| u8::from(size > *limit)).sum()
}

/// Digest of what a file says about which files hang together.
fn told_by(facts: &CodeFacts) -> [u8; 32] {
    let mut key = Key::default();
    key.bytes(&[u8::from(facts.parsed), facts.methods]);
    key.list(&facts.imports);
    key.list(&facts.mentions);
    key.length(facts.aliases.len());
    for alias in &facts.aliases {
        alias.parts().iter().for_each(|part| key.text(part));
    }
    if facts.parsed {
        let outline = &facts.outline;
        key.bytes(&[
            u8::from(outline.leads),
            outline.versatile,
            u8::from(outline.notice),
            u8::from(outline.shares),
            u8::from(outline.package.is_some()),
        ]);
        key.text(outline.package.as_deref().unwrap_or(""));
        key.list(&outline.modules);
        key.list(&outline.classes);
        key.list(&outline.bases);
        key.list(&outline.constants);
        key.length(outline.prompts.len());
        for prompt in &outline.prompts {
            key.bytes(&prompt.line.to_le_bytes());
            key.text(&prompt.name);
            key.text(&prompt.digest);
        }
    }
    key.digest()
}

/// The digest of all names in manifests.
fn of_packages(packages: &ManifestNames) -> [u8; 32] {
    let mut key = Key::default();
    for (ecosystem, name) in &packages.names {
        key.bytes(&[*ecosystem as u8]);
        key.text(name);
    }
    key.digest()
}

/// A digest of many small parts, which go to the hash function in large pieces.
#[derive(Default)]
struct Key {
    hasher: Hasher,
    waiting: Vec<u8>,
}

impl Key {
    /// Bytes that are gathered before they are hashed.
    const PIECE: usize = 16 * 1024;

    fn bytes(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= Self::PIECE {
            self.hasher.update(&self.waiting);
            self.waiting.clear();
        }
    }

    fn length(&mut self, length: usize) {
        self.bytes(&(length as u64).to_le_bytes());
    }

    /// The length comes first, so that no two lists of texts look alike.
    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes(text.as_bytes());
    }

    fn list<T: AsRef<str>>(&mut self, texts: &[T]) {
        self.length(texts.len());
        for part in texts {
            self.text(part.as_ref());
        }
    }

    fn digest(mut self) -> [u8; 32] {
        self.hasher.update(&self.waiting);
        *self.hasher.finalize().as_bytes()
    }
}
