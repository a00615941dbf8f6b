//! The plain-English rule of `cargo xtask tidy`: glossary words and long sentences in texts that users read.

mod glossary;
mod rust_source;
mod sentence;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

use crate::root;
use glossary::Pattern;
use sentence::{Sentence, WORDS_MAX, blocks, sentences};

/// The exceptions, one a line: `path: text fragment -- reason`.
const EXCEPTIONS: &str = "xtask/plain-exceptions.txt";
/// More exceptions than this fail the check.
const EXCEPTIONS_MAX: usize = 20;

/// Reads files one by one and collects what is not plain.
pub(crate) struct Plain {
    patterns: Vec<Pattern>,
    law: BTreeSet<String>,
    exceptions: Vec<Exception>,
    /// What is wrong with the exceptions.
    faults: Vec<String>,
    hits: Vec<Hit>,
    /// Files of modules for tests, without the ending.
    test_files: BTreeSet<String>,
}

struct Hit {
    path: String,
    text: String,
}

struct Exception {
    path: String,
    fragment: String,
    used: bool,
}

impl Plain {
    /// Reads the exceptions; what is wrong with them is a finding as well.
    pub(crate) fn new() -> Result<Self> {
        let path = root().join(EXCEPTIONS);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {EXCEPTIONS}"))?;
        Ok(Self::with_exceptions(&text))
    }

    fn with_exceptions(text: &str) -> Self {
        let mut faults = Vec::new();
        Self {
            patterns: glossary::patterns(),
            law: law_sentences(),
            exceptions: exceptions(text, &mut faults),
            faults,
            hits: Vec::new(),
            test_files: BTreeSet::new(),
        }
    }

    /// Checks one file, if users read it.
    pub(crate) fn file(&mut self, path: &str, text: &str) {
        let texts = match place(path) {
            Some(Place::Document) => blocks(text),
            Some(Place::Source) => {
                let children = path.strip_suffix(".rs").unwrap_or(path);
                let children = ["/lib", "/main", "/mod"]
                    .iter()
                    .find_map(|root| children.strip_suffix(root))
                    .unwrap_or(children);
                self.test_files
                    .extend(rust_source::test_modules(text).map(|name| format!("{children}/{name}")));
                rust_source::user_texts(text, true)
                    .iter()
                    .flat_map(lines_or_blocks)
                    .collect()
            }
            None => return,
        };
        for (line, block) in &texts {
            for sentence in sentences(block, *line) {
                self.sentence(path, &sentence);
            }
        }
    }

    fn sentence(&mut self, path: &str, sentence: &Sentence<'_>) {
        let length = sentence.length();
        let long = (length > WORDS_MAX).then(|| format!("a sentence of {length} words; at most {WORDS_MAX}"));
        let words = self.patterns.iter().filter_map(|pattern| {
            let found = pattern.find(sentence)?;
            Some(format!("`{found}`: write {}", pattern.rule.instead))
        });
        let problems: Vec<String> = long.into_iter().chain(words).collect();
        if problems.is_empty() {
            return;
        }
        let text = one_line(sentence.text);
        if self.law.contains(&normalised(&text)) {
            return;
        }
        let excepted = self
            .exceptions
            .iter_mut()
            .find(|exception| exception.path == path && text.contains(&exception.fragment));
        if let Some(exception) = excepted {
            exception.used = true;
            return;
        }
        let excerpt: String = text.chars().take(100).collect();
        for problem in problems {
            self.hits.push(Hit {
                path: path.to_owned(),
                text: format!("{path}:{}: {problem} (in \"{excerpt}\")", sentence.line),
            });
        }
    }

    /// Reports all hits, a line of counts by crate and document, and what is wrong with the exceptions.
    pub(crate) fn finish(self, wrong: &mut Vec<String>) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for hit in &self.hits {
            let test = self.test_files.iter().any(|file| {
                let rest = hit.path.strip_prefix(file.as_str());
                rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            });
            if !test {
                *counts.entry(area(&hit.path)).or_default() += 1;
                wrong.push(hit.text.clone());
            }
        }
        if !counts.is_empty() {
            let counts: Vec<String> = counts.iter().map(|(area, count)| format!("{area} {count}")).collect();
            wrong.push(format!("plain English, hits by place: {}", counts.join(", ")));
        }
        wrong.extend(self.faults);
        for exception in self.exceptions.iter().filter(|exception| !exception.used) {
            wrong.push(format!(
                "{EXCEPTIONS}: `{}: {}` matches nothing; remove the line",
                exception.path, exception.fragment
            ));
        }
    }
}

/// Where users read a file, if they do.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Document,
    Source,
}

/// Users read the documents and the sources of the product. Test files, data and raw logs of measurements are left out.
fn place(path: &str) -> Option<Place> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let in_folder = |folder: &str| path.split('/').any(|part| part == folder);
    let raw_log = path.starts_with("benches/evaluations/") || path.starts_with("benches/runs/");
    if in_folder("tests") || in_folder("data") || raw_log {
        return None;
    }
    if ending == "md" {
        return (!name.starts_with("LICENSE")).then_some(Place::Document);
    }
    let product = path.starts_with("xtask/src/") || (path.starts_with("crates/") && in_folder("src"));
    let test = stem == "tests" || stem.ends_with("_tests");
    (ending == "rs" && product && !test).then_some(Place::Source)
}

/// The crate or the document that a file belongs to.
fn area(path: &str) -> String {
    let depth = if path.starts_with("crates/") || path.starts_with("docs/") {
        2
    } else {
        1
    };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// The blocks of Markdown; of any other text each line, since a program prints it as it is.
fn lines_or_blocks(text: &rust_source::UserText) -> Vec<(usize, String)> {
    if text.markdown {
        let first = text.line;
        return blocks(&text.text)
            .into_iter()
            .map(|(line, block)| (first + line - 1, block))
            .collect();
    }
    text.text.lines().map(|line| (text.line, line.to_owned())).collect()
}

/// The sentences of the law data. A document that quotes them does not choose their words.
fn law_sentences() -> BTreeSet<String> {
    let law = engine_regulation::regulation();
    let obligations = law.obligations().iter().flat_map(|obligation| {
        [&obligation.title, &obligation.description]
            .into_iter()
            .chain(&obligation.condition)
            .chain(&obligation.note)
            .chain(&obligation.date_note)
    });
    let articles = law
        .articles()
        .iter()
        .flat_map(|article| [&article.title, &article.summary]);
    obligations
        .chain(articles)
        .flat_map(|text| sentences(text, 1))
        .map(|sentence| normalised(&one_line(sentence.text)))
        .collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn normalised(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The exceptions of the file; an entry without a reason, or too many entries, are hits.
fn exceptions(text: &str, hits: &mut Vec<String>) -> Vec<Exception> {
    let mut out = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts = line.split_once(": ").and_then(|(path, rest)| {
            let (fragment, reason) = rest.rsplit_once(" -- ")?;
            (!fragment.trim().is_empty() && !reason.trim().is_empty()).then_some((path, fragment))
        });
        match parts {
            Some((path, fragment)) => out.push(Exception {
                path: path.to_owned(),
                fragment: fragment.trim().to_owned(),
                used: false,
            }),
            None => hits.push(format!("{EXCEPTIONS}:{number}: write `path: text fragment -- reason`")),
        }
    }
    if out.len() > EXCEPTIONS_MAX {
        hits.push(format!(
            "{EXCEPTIONS}: {} exceptions; at most {EXCEPTIONS_MAX}",
            out.len()
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(exceptions_text: &str, files: &[(&str, &str)]) -> Vec<String> {
        let mut plain = Plain::with_exceptions(exceptions_text);
        for (path, text) in files {
            plain.file(path, text);
        }
        let mut out = Vec::new();
        plain.finish(&mut out);
        out
    }

    #[test]
    fn given_a_document_and_a_source_then_hits_name_place_and_words() {
        let found = hits(
            "",
            &[
                ("README.md", "# Title\n\nIt is fine.\nIt tells people.\n"),
                (
                    "crates/engine/src/lib.rs",
                    "const X: &str = \"what is read is no JSON\";\n",
                ),
            ],
        );
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("README.md:4: `tells`: write report"));
        assert!(found[1].starts_with("crates/engine/src/lib.rs:1: `is no JSON`: write is not a"));
        assert_eq!(found[2], "plain English, hits by place: README.md 1, crates/engine 1");
    }

    #[test]
    fn given_a_long_sentence_then_it_is_a_hit() {
        let text = format!("{}.", vec!["word"; 31].join(" "));
        assert!(hits("", &[("README.md", &text)])[0].contains("a sentence of 31 words; at most 30"));
        let text = format!("{}. {}", vec!["Word"; 30].join(" "), vec!["Word"; 30].join(" "));
        assert_eq!(hits("", &[("README.md", &text)]), Vec::<String>::new());
    }

    #[test]
    fn given_files_that_no_user_reads_then_they_are_left_out() {
        for path in [
            "tests/corpus/README.md",
            "benches/evaluations/2026-11-28.md",
            "benches/runs/2026-11-28.md",
            "crates/engine/src/tests.rs",
            "crates/engine/tests/it.rs",
            "crates/engine-scan-models/data/words.md",
            "crates/engine/LICENSES.md",
            "benches/src/lib.rs",
        ] {
            assert_eq!(place(path), None, "{path}");
        }
        assert_eq!(place("docs/errors.md"), Some(Place::Document));
        assert_eq!(place("crates/engine/src/a/b.rs"), Some(Place::Source));
    }

    #[test]
    fn given_a_module_for_tests_then_its_file_is_left_out() {
        let text = "const X: &str = \"what is read is no JSON\";\n";
        let declared = "#[cfg(test)]\nmod laws;\n";
        let files = [
            ("crates/engine/src/laws.rs", text),
            ("crates/engine/src/laws/deep.rs", text),
            ("crates/engine/src/lib.rs", declared),
        ];
        assert_eq!(hits("", &files), Vec::<String>::new());
        assert_eq!(hits("", &files[..1]).len(), 2);
    }

    #[test]
    fn given_words_of_the_law_data_then_they_are_left_out() {
        let law = engine_regulation::regulation();
        let quoted: Vec<String> = law
            .obligations()
            .iter()
            .map(|o| format!("| {} | {} |", o.title, o.description))
            .collect();
        assert_eq!(
            hits("", &[("docs/coverage.md", &quoted.join("\n"))]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn given_an_exception_then_its_sentence_is_left_out_and_an_unused_one_is_a_hit() {
        let files = [("README.md", "It tells people.")];
        assert_eq!(
            hits("# why\nREADME.md: tells people -- a quotation\n", &files),
            Vec::<String>::new()
        );
        let unused = hits("README.md: nothing of this -- a quotation\n", &[]);
        assert!(unused[0].contains("matches nothing; remove the line"), "{unused:?}");
        assert!(hits("README.md: no reason\n", &[])[0].contains("write `path: text fragment -- reason`"));
        let many: Vec<String> = (0..21).map(|n| format!("README.md: word{n} -- reason")).collect();
        let many = many.join("\n");
        assert!(hits(&many, &[])[0].contains("21 exceptions; at most 20"));
    }
}
