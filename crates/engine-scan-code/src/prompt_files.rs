//! Prompts in separate files, which the code reads by name.

use engine_model::{FileInfo, SourceText, Zone};

use crate::CodeFacts;

/// Files beyond this number are not read.
const FILES_MAX: usize = 200;

/// A file beyond this length holds data.
const BYTES_MAX: usize = 64 * 1024;

/// Endings of texts that are handed to a model.
const ENDINGS: [&str; 14] = [
    "txt", "md", "prompt", "prompty", "j2", "jinja", "jinja2", "tmpl", "tpl", "mustache", "hbs", "st", "yaml", "yml",
];

/// Words of which the path of such a file has one.
const WORDS: [&str; 6] = [
    "prompt",
    "prompts",
    "systemprompt",
    "systemprompts",
    "instruction",
    "instructions",
];

/// A prompt with the file in which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PromptFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// All prompts of a project that stand in files of their own, in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PromptFiles {
    known: Vec<PromptFile>,
}

fn ending(name: &str) -> Option<&str> {
    let (_, ending) = name.rsplit_once('.')?;
    ENDINGS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(ending))
        .then_some(ending)
}

/// Whether a path is that of a prompt, by its ending and a word in it.
fn is_prompt(path: &str) -> bool {
    let Some(ending) = ending(path) else { return false };
    ending.to_ascii_lowercase().starts_with("prompt")
        || path
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Endings of texts that a program may read to people.
const SAID: [&str; 2] = ["txt", "md"];

/// A text beyond this length is no notice.
const SAID_BYTES_MAX: u64 = 16 * 1024;

/// Names of files that are written for those who build or get the program.
const FOR_OTHERS: [&str; 14] = [
    "readme",
    "license",
    "licence",
    "changelog",
    "contributing",
    "requirements",
    "todo",
    "notes",
    "security",
    "agents",
    "claude",
    "copying",
    "robots",
    "history",
];

/// Whether a path may be that of a text which a program reads to people.
fn may_be_said(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| SAID.iter().any(|known| known.eq_ignore_ascii_case(ending)))
        && !FOR_OTHERS.iter().any(|other| lower.starts_with(other))
        && !is_prompt(path)
}

impl PromptFiles {
    /// Reads the texts in files of their own that may tell people who answers, from the files of a project.
    pub(crate) fn said(files: &[(&FileInfo, &CodeFacts)], source: &dyn SourceText) -> Self {
        let fits =
            |info: &FileInfo| info.zone == Zone::Product && info.size <= SAID_BYTES_MAX && may_be_said(&info.path);
        Self::of(files, source, fits, |text| {
            crate::facts::disclosure::line_for_people(text).is_some()
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Reads them from the files of a project.
    pub(crate) fn read(files: &[(&FileInfo, &CodeFacts)], source: &dyn SourceText) -> Self {
        let fits = |info: &FileInfo| matches!(info.zone, Zone::Product | Zone::Docs) && is_prompt(&info.path);
        Self::of(files, source, fits, |text| text.len() <= BYTES_MAX)
    }

    /// The texts of those files that fit and are wanted, in the order of their paths.
    fn of(
        files: &[(&FileInfo, &CodeFacts)],
        source: &dyn SourceText,
        fits: impl Fn(&FileInfo) -> bool,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Self {
        let mut known: Vec<PromptFile> = files
            .iter()
            .filter(|(info, _)| fits(info))
            .take(FILES_MAX)
            .filter_map(|(info, _)| {
                let file = source.file(&info.path)?;
                let text = file.text().filter(|text| is_wanted(text))?;
                Some(PromptFile {
                    path: info.path.clone(),
                    text: text.to_string(),
                })
            })
            .collect();
        known.sort_by(|a, b| a.path.cmp(&b.path));
        Self { known }
    }

    /// The prompt that code in a file means by a name: a path from the root, from its own folder, or the last parts of one.
    pub(crate) fn find(&self, from: &str, name: &str) -> Option<&PromptFile> {
        ending(name)?;
        let name = name.replace('\\', "/");
        let name = name
            .trim_start_matches(['.', '/'])
            .trim_start_matches("classpath:")
            .trim_start_matches('/');
        if name.is_empty() || name.contains(char::is_whitespace) {
            return None;
        }
        let fits = |path: &str| {
            path.strip_suffix(name)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let near = |path: &str| from.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
        // Of several the nearest is meant, and the first of those.
        let mut best: Option<(usize, &PromptFile)> = None;
        for file in self.known.iter().filter(|file| fits(&file.path)) {
            let near = near(&file.path);
            if best.is_none_or(|(known, _)| near > known) {
                best = Some((near, file));
            }
        }
        best.map(|(_, file)| file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_the_nearest_file_that_ends_so() {
        let file = |path: &str| PromptFile {
            path: path.to_owned(),
            text: String::new(),
        };
        let files = PromptFiles {
            known: vec![file("a/prompts/x.md"), file("b/prompts/x.md"), file("prompts/y.txt")],
        };
        let found = |from: &str, name: &str| files.find(from, name).map(|file| file.path.as_str());
        assert_eq!(found("b/src/app.py", "x.md"), Some("b/prompts/x.md"));
        assert_eq!(found("c/app.py", "../prompts/x.md"), Some("a/prompts/x.md"));
        assert_eq!(found("c/app.py", "prompts/y.txt"), Some("prompts/y.txt"));
        for name in ["z.txt", "prompts", "ompts/y.txt", "please read y.txt", ""] {
            assert_eq!(found("c/app.py", name), None, "{name}");
        }
    }

    #[test]
    fn a_prompt_is_told_by_its_ending_and_a_word_of_its_path() {
        for path in [
            "prompts/a.txt",
            "src/screening_prompt.md",
            "a/grade.prompt",
            "Prompts/A.st",
        ] {
            assert!(is_prompt(path), "{path}");
        }
        for path in ["README.md", "data/a.txt", "prompts/a.py", "docs/prompting.md"] {
            assert!(!is_prompt(path), "{path}");
        }
        for path in ["public/help.txt", "texts/Start.md"] {
            assert!(may_be_said(path), "{path}");
        }
        for path in ["README.md", "requirements.txt", "prompts/help.txt", "help.html"] {
            assert!(!may_be_said(path), "{path}");
        }
    }
}
