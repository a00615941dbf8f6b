//! What a join is remembered by, so that a project in which nothing that matters has changed is not resolved again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use blake3::Hasher;
use engine_model::{FileInfo, SourceFile, SourceText};
use serde::{Deserialize, Serialize};

use crate::{CodeFacts, CodeJoin, ManifestNames};

/// The joins of a project with everything that they were made from, one for each repository that it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remembered(Vec<Part>);

/// One join with everything that it was made from.
///
/// Which files take part is told by the paths of all files and by what is kept of each; what takes part is told by the
/// digests of those files. Both equal, the join is equal: resolution has no other source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    /// Digest of the paths, the facts and the names in manifests.
    key: [u8; 32],
    /// Files whose content was looked at, with its digest; none for one that was asked for and not there.
    depends: BTreeMap<String, Option<[u8; 32]>>,
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
/// Lowered files are let go as soon as they have been joined.
pub fn join_again(
    files: &mut [(FileInfo, Arc<CodeFacts>)],
    packages: &ManifestNames,
    source: &dyn SourceText,
    before: Option<Remembered>,
) -> Remembered {
    let before = before.unwrap_or_default();
    let mut ranges: Vec<(usize, Range<usize>)> = crate::repositories::split(files).into_iter().enumerate().collect();
    // The largest comes last, when nothing of the others is held any more.
    ranges.sort_by_key(|(_, range)| range.len());
    let mut parts = BTreeMap::new();
    for (place, range) in ranges {
        let files = &mut files[range];
        parts.insert(place, part_again(files, packages, source, &before));
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
) -> Part {
    let files: Vec<(&FileInfo, &CodeFacts)> = files.iter().map(|(info, facts)| (info, &**facts)).collect();
    let key = key(&files, packages);
    let digests = |path: &str| {
        let at = files.binary_search_by(|(info, _)| info.path.as_str().cmp(path));
        at.ok().map(|at| files[at].0.digest)
    };
    let known = before.0.iter().find(|part| part.key == key);
    if let Some(known) = known
        && known.depends.iter().all(|(path, digest)| digests(path) == *digest)
    {
        return known.clone();
    }
    let recorder = Recorder {
        source,
        asked: Mutex::default(),
    };
    let (join, live) = {
        let scripts = crate::scripts_of(&files);
        crate::join::join(&crate::with_scripts(&files, &scripts), packages, &recorder)
    };
    let mut asked = recorder.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
    asked.extend(live);
    let depends = asked
        .into_iter()
        .map(|path| {
            let digest = digests(&path);
            (path, digest)
        })
        .collect();
    Part { key, depends, join }
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
