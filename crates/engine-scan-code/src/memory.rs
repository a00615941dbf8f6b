//! What a join is remembered by, so that a project in which nothing that matters has changed is not resolved again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use blake3::Hasher;
use engine_model::{FileInfo, SourceFile, SourceText};
use serde::{Deserialize, Serialize};

use crate::modules::Texts;
use crate::{CodeFacts, CodeJoin, ManifestNames, Modules};

/// The joins of a project with everything that they were made from, one for each repository that it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remembered(Vec<Part>);

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
    live: BTreeMap<String, (Option<[u8; 32]>, [u8; 32])>,
    /// Pages that were looked at, with the digests of their contents and of what they show.
    pages: BTreeMap<String, (Option<[u8; 32]>, [u8; 32])>,
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
    before: Option<Remembered>,
    modules: &Modules,
) -> Remembered {
    modules.begin();
    let before = before.unwrap_or_default();
    let mut ranges: Vec<(usize, Range<usize>)> = crate::repositories::split(files).into_iter().enumerate().collect();
    // The largest comes last, when nothing of the others is held any more.
    ranges.sort_by_key(|(_, range)| range.len());
    let mut parts = BTreeMap::new();
    for (place, range) in ranges {
        let files = &mut files[range];
        parts.insert(place, part_again(files, packages, source, &before, modules));
        for (_, facts) in files.iter_mut().filter(|(_, facts)| facts.module.is_some()) {
            match Arc::get_mut(facts) {
                Some(facts) => facts.module = None,
                None => *facts = Arc::new(facts.without_module()),
            }
        }
    }
    Remembered(parts.into_values().collect())
}

fn part_again(
    files: &[(FileInfo, Arc<CodeFacts>)],
    packages: &ManifestNames,
    source: &dyn SourceText,
    before: &Remembered,
    modules: &Modules,
) -> Part {
    let files: Vec<(&FileInfo, &CodeFacts)> = files.iter().map(|(info, facts)| (info, &**facts)).collect();
    let key = key(&files, packages);
    let find = |path: &str| files.binary_search_by(|(info, _)| info.path.as_str().cmp(path));
    let digests = |path: &str| find(path).ok().map(|at| files[at].0.digest);
    let texts = Texts::new(source, Some(modules));
    // Code that is the same apart from its comments at the end, say, resolves to the same.
    let same_code = |path: &str, digest: Option<[u8; 32]>, code: [u8; 32]| {
        let Ok(at) = find(path) else { return digest.is_none() };
        let (info, facts) = files[at];
        let scripts = crate::scripts_of(&[(info, facts)]);
        let script = scripts.first().unwrap_or(info);
        digest == Some(info.digest) || texts.module(script, facts).is_some_and(|now| now.digest() == code)
    };
    let known = before.0.iter().find(|part| part.key == key);
    if let Some(known) = known
        && known.depends.iter().all(|(path, digest)| digests(path) == *digest)
        && known
            .live
            .iter()
            .all(|(path, (digest, code))| same_code(path, *digest, *code))
        && known
            .pages
            .iter()
            .all(|(path, (digest, shown))| digests(path) == *digest || texts.page(path).digest == *shown)
    {
        let mut known = known.clone();
        for (path, (digest, _)) in &mut known.pages {
            *digest = digests(path);
        }
        for (path, (digest, _)) in &mut known.live {
            *digest = digests(path);
        }
        return known;
    }
    let recorder = Recorder {
        source,
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
    Part {
        key,
        depends: asked.into_iter().map(with_digest).collect(),
        live: live
            .into_iter()
            .map(|(path, code)| {
                let digest = digests(&path);
                (path, (digest, code))
            })
            .collect(),
        pages: texts
            .pages()
            .into_iter()
            .map(|(path, shown)| (path.clone(), (digests(&path), shown)))
            .collect(),
        join,
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

fn key(files: &[(&FileInfo, &CodeFacts)], packages: &ManifestNames) -> [u8; 32] {
    let mut hasher = Hasher::new();
    for (ecosystem, name) in &packages.names {
        hasher.update(&[*ecosystem as u8]);
        text(&mut hasher, name);
    }
    for (info, facts) in files {
        text(&mut hasher, &info.path);
        hasher.update(&[
            info.zone as u8,
            info.language as u8,
            u8::from(facts.parsed),
            facts.methods,
        ]);
        list(&mut hasher, &facts.imports);
        list(&mut hasher, &facts.mentions);
        if !facts.parsed {
            continue;
        }
        let outline = &facts.outline;
        hasher.update(&[
            u8::from(outline.leads),
            outline.versatile,
            u8::from(outline.notice),
            u8::from(outline.shares),
            u8::from(outline.package.is_some()),
        ]);
        text(&mut hasher, outline.package.as_deref().unwrap_or(""));
        list(&mut hasher, &outline.modules);
        list(&mut hasher, &outline.classes);
        list(&mut hasher, &outline.bases);
        hasher.update(&(outline.prompts.len() as u64).to_le_bytes());
        for prompt in &outline.prompts {
            hasher.update(&prompt.line.to_le_bytes());
            text(&mut hasher, &prompt.name);
            text(&mut hasher, &prompt.digest);
        }
    }
    *hasher.finalize().as_bytes()
}

/// The length comes first, so that no two lists of texts look alike.
fn text(hasher: &mut Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn list<T: AsRef<str>>(hasher: &mut Hasher, texts: &[T]) {
    hasher.update(&(texts.len() as u64).to_le_bytes());
    for part in texts {
        text(hasher, part.as_ref());
    }
}
