//! Missing parts of a project: git submodules that were not fetched.
//!
//! "No AI found" in the rest of the project does not cover them.

use engine_catalogue::words_of;
use engine_model::{Applicability, FileInfo, SourceText};

/// The file in which git keeps where submodules belong.
const FILE: &str = ".gitmodules";

/// Submodules that are read and named.
const NAMED_MAX: usize = 200;
const SHOWN_MAX: usize = 3;

/// Words in names of repositories that call a model.
const NAMES: [&str; 20] = [
    "gpt",
    "chatgpt",
    "llm",
    "llms",
    "openai",
    "ollama",
    "claude",
    "gemini",
    "anthropic",
    "whisper",
    "llama",
    "llamacpp",
    "chatbot",
    "langchain",
    "huggingface",
    "mistral",
    "copilot",
    "deepseek",
    "rag",
    "diffusion",
];

/// A submodule of which no file is there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Absent {
    path: String,
    url: String,
}

/// The submodules that a text names and of which no file is among the paths.
fn absent(text: &str, infos: &[FileInfo]) -> Vec<Absent> {
    let mut out: Vec<Absent> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            if out.len() >= NAMED_MAX {
                break;
            }
            out.push(Absent {
                path: String::new(),
                url: String::new(),
            });
        } else if let (Some((key, value)), Some(last)) = (line.split_once('='), out.last_mut()) {
            match key.trim() {
                "path" => value
                    .trim()
                    .trim_matches('"')
                    .trim_end_matches('/')
                    .clone_into(&mut last.path),
                "url" => value.trim().trim_matches('"').clone_into(&mut last.url),
                _ => {}
            }
        }
    }
    out.retain(|submodule| {
        let inside = |path: &str| {
            path.strip_prefix(submodule.path.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        };
        !submodule.path.is_empty() && !infos.iter().any(|info| inside(&info.path))
    });
    out
}

fn names_ai(submodule: &Absent) -> bool {
    let name = |text: &str| {
        text.trim_end_matches(".git")
            .rsplit(['/', ':'])
            .next()
            .unwrap_or(text)
            .to_owned()
    };
    [name(&submodule.path), name(&submodule.url)]
        .iter()
        .flat_map(|name| words_of(name))
        .any(|word| NAMES.contains(&word.as_str()))
}

/// The verdict where nothing was found, with what was not there to be looked at.
pub(crate) fn weigh(
    decided: (Applicability, String),
    infos: &[FileInfo],
    source: &dyn SourceText,
) -> (Applicability, String) {
    let (applicability, reason) = decided;
    if applicability != Applicability::NoAiFound || !infos.iter().any(|info| info.path == FILE) {
        return (applicability, reason);
    }
    let text = source
        .file(FILE)
        .and_then(|file| file.text().map(|text| text.to_string()));
    let Some(text) = text else {
        return (applicability, reason);
    };
    let mut missing = absent(&text, infos);
    if missing.is_empty() {
        return (applicability, reason);
    }
    // What is named after a model comes first.
    missing.sort_by_key(|submodule| !names_ai(submodule));
    let told = missing.first().is_some_and(names_ai);
    let shown: Vec<String> = missing
        .iter()
        .take(SHOWN_MAX)
        .map(|submodule| format!("`{}`", submodule.path))
        .collect();
    let more = missing.len().saturating_sub(SHOWN_MAX);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let what = if missing.len() == 1 {
        "the submodule"
    } else {
        "the submodules"
    };
    let reason = format!(
        "{reason}; could not scan {what} {}{more} of {FILE}: no files found there; run `git submodule update --init` and scan \
         again",
        shown.join(", ")
    );
    let applicability = if told {
        Applicability::Undetermined
    } else {
        applicability
    };
    (applicability, reason)
}

#[cfg(test)]
mod tests {
    use engine_model::{Applicability, Date, MemoryTree};

    use crate::{Settings, scan_memory};

    fn scan(files: &[(&str, &str)]) -> (Applicability, String) {
        let mut tree = MemoryTree::default();
        for (path, text) in files {
            tree.insert(*path, *text);
        }
        let found = scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20)));
        (found.applicability, found.reason)
    }

    const WRAPPER: &str = "[submodule \"w\"]\n\tpath = Assets/ChatGPTWrapper\n\turl = ../ChatGPT-Wrapper-For-Unity\n";
    const PLAIN: &str = "[submodule \"art\"]\n\tpath = Assets/Art\n\turl = ../Art\n";

    #[test]
    fn missing_submodule_is_named() {
        let (applicability, reason) = scan(&[(".gitmodules", WRAPPER), ("a.cs", "class A {}\n")]);
        assert_eq!(applicability, Applicability::Undetermined, "{reason}");
        assert!(reason.contains("`Assets/ChatGPTWrapper`"), "{reason}");
        let (applicability, reason) = scan(&[(".gitmodules", PLAIN), ("a.cs", "class A {}\n")]);
        assert_eq!(applicability, Applicability::NoAiFound, "{reason}");
        assert!(reason.contains("`Assets/Art`"), "{reason}");
    }

    #[test]
    fn present_submodule_is_scanned() {
        let (applicability, reason) = scan(&[(".gitmodules", WRAPPER), ("Assets/ChatGPTWrapper/a.cs", "class A {}\n")]);
        assert_eq!(applicability, Applicability::NoAiFound, "{reason}");
        assert!(!reason.contains("submodule"), "{reason}");
    }
}
