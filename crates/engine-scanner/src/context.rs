//! The lines around a finding, secrets masked.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine_model::{CodeContext, CodeLine, FileInfo, Finding, SourceText};
use rayon::prelude::*;

use crate::mask::mask_secrets;

/// Lines shown before and after the place.
const AROUND: u32 = 2;

/// Characters shown of one line; a minified file has one line of a megabyte.
const LINE_CHARS_MAX: usize = 240;

/// Files beside those of the findings at hand whose quotes are kept: a preview evaluates the project without its findings, and what was found
/// before is asked for again.
const FILES_KEPT: usize = 4_096;

/// Lines that were quoted, by file: the digest of the content, and what stands around some of its places.
#[derive(Debug, Default)]
pub(crate) struct Quotes(Mutex<HashMap<String, OfFile>>);

/// The digest of a content, and what stands around places of it.
type OfFile = ([u8; 32], Places);

/// Numbers of findings with their lines.
type Wanted = Vec<(usize, u32)>;

/// What stands around places, none for a place that is not quoted.
type Places = BTreeMap<u32, Option<CodeContext>>;

impl Quotes {
    fn locked(&self) -> MutexGuard<'_, HashMap<String, OfFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds the lines around each finding. Each file is asked for once, and not at all where its quotes are remembered.
///
/// `files` are in the order of their paths.
pub(crate) fn add_context(findings: &mut [Finding], files: &[FileInfo], source: &dyn SourceText, before: &Quotes) {
    let mut by_file: BTreeMap<String, Wanted> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        if let (Some(file), Some(line)) = (&finding.file, finding.line) {
            match by_file.get_mut(file) {
                Some(places) => places.push((index, line)),
                None => drop(by_file.insert(file.clone(), vec![(index, line)])),
            }
        }
    }
    let listed = |path: &str| {
        let at = files.binary_search_by(|info| info.path.as_str().cmp(path)).ok()?;
        Some(files[at].digest)
    };
    let mut known = before.locked();
    if known.len() > by_file.len() + FILES_KEPT {
        known.retain(|path, _| by_file.contains_key(path));
    }
    by_file.retain(|path, places| {
        let Some((digest, quoted)) = known.get(path) else {
            return true;
        };
        if listed(path) != Some(*digest) || !places.iter().all(|(_, line)| quoted.contains_key(line)) {
            return true;
        }
        for (index, line) in places {
            findings[*index].code_context = quoted.get(line).cloned().flatten();
        }
        false
    });
    drop(known);
    let new: Vec<(String, Wanted, Option<OfFile>)> = by_file
        .into_par_iter()
        .map(|(path, places)| {
            let quoted = quoted(&path, &places, source);
            (path, places, quoted)
        })
        .collect();
    let mut known = before.locked();
    for (path, places, quoted) in new {
        let Some((digest, quoted)) = quoted else { continue };
        for (index, line) in places {
            findings[index].code_context = quoted.get(&line).cloned().flatten();
        }
        known.insert(path, (digest, quoted));
    }
}

/// The lines around places of one file, with the digest of its content; none for a file that is not there or is no text.
fn quoted(path: &str, places: &[(usize, u32)], source: &dyn SourceText) -> Option<OfFile> {
    // A secrets file is never quoted: what is not a key there may still be a password.
    let is_secrets_file = path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.starts_with(".env") && !name.contains("example"));
    let file = if is_secrets_file { None } else { source.file(path) }?;
    // A secret of several lines is known as one only with all of them.
    let text = file.text()?;
    let text = engine_scan_secrets::mask_lines(&text);
    let lines: Vec<&str> = text.lines().collect();
    let around = places.iter().map(|(_, line)| (*line, context(&lines, *line)));
    Some((file.digest, around.collect()))
}

fn context(lines: &[&str], line: u32) -> Option<CodeContext> {
    let count = u32::try_from(lines.len()).ok()?;
    if line == 0 || line > count {
        return None;
    }
    let start = line.saturating_sub(AROUND).max(1);
    let end = line.saturating_add(AROUND).min(count);
    let lines = (start..=end)
        .map(|num| {
            let text = lines[num as usize - 1];
            let cut: String = text.chars().take(LINE_CHARS_MAX).collect();
            CodeLine {
                num,
                content: mask_secrets(cut.trim_end()),
            }
        })
        .collect();
    Some(CodeContext {
        start_line: start,
        lines,
        highlight_line: line,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use engine_model::{MemoryTree, SourceFile, fixture};

    use super::*;

    /// Counts how often a file is asked for.
    struct Counted<'a>(&'a MemoryTree, AtomicUsize);

    impl SourceText for Counted<'_> {
        fn file(&self, path: &str) -> Option<SourceFile<'_>> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.file(path)
        }
    }

    /// The findings of a tree with their quotes, and how many files were asked for.
    fn quoted_of(text: &str, quotes: &Quotes) -> (Vec<Option<CodeContext>>, usize) {
        let tree = fixture(text).unwrap();
        let mut findings = crate::scan_memory(&tree, &crate::Settings::on("2026-11-29".parse().unwrap())).findings;
        findings.retain(|finding| finding.file.is_some());
        for finding in &mut findings {
            finding.code_context = None;
        }
        let files: Vec<FileInfo> = tree.files().map(|file| file.info()).collect();
        let source = Counted(&tree, AtomicUsize::new(0));
        add_context(&mut findings, &files, &source, quotes);
        let quotes = findings.into_iter().map(|finding| finding.code_context).collect();
        (quotes, source.1.into_inner())
    }

    const TWO: &str = r#"
//- requirements.txt
openai==1.51.0
//- a.py
from openai import OpenAI

client = OpenAI(api_key="sk-proj-{A}")
//- b.py
from openai import OpenAI

client = OpenAI(api_key="sk-proj-{B}")
"#;

    #[test]
    fn lines_are_read_again_only_where_the_file_has_changed() {
        let text = |first: &str| {
            let keys = ["9f8e7d6c5b4a39281706f5e4d3c2b1a0", "c4e19a7f3b0d8265e1f7a9034bd6c82e"];
            TWO.replace("{A}", keys[0])
                .replace("{B}", keys[1])
                .replace("//- a.py\n", &format!("//- a.py\n{first}"))
        };
        let quotes = Quotes::default();
        let (first, asked) = quoted_of(&text(""), &quotes);
        assert!(asked >= 2 && first.iter().flatten().count() >= 2, "{asked} {first:?}");
        let (again, none) = quoted_of(&text(""), &quotes);
        assert_eq!((again, none), (first.clone(), 0));
        let (moved, one) = quoted_of(&text("import os\n"), &quotes);
        assert_eq!(one, 1);
        assert_eq!(moved, quoted_of(&text("import os\n"), &Quotes::default()).0);
        assert_ne!(moved, first);
    }
}
