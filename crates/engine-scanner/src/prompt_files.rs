//! Prompts in files of their own, known by the names of file and folder.

use std::fmt::Write as _;

use engine_model::{FileInfo, Prompt, Zone};

/// Prompts in files that are listed.
const FILES_MAX: usize = 500;

/// Bytes beyond which a file is no prompt.
const BYTES_MAX: u64 = 256 * 1024;

/// Endings of texts and of data that hold texts.
const ENDINGS: [&str; 17] = [
    "txt", "md", "prompt", "prompty", "j2", "jinja", "jinja2", "tmpl", "tpl", "mustache", "hbs", "st", "yaml", "yml",
    "json", "jsonl", "toml",
];

/// Words that name a prompt in a path.
const WORDS: [&str; 4] = ["prompt", "prompts", "systemprompt", "systemprompts"];

/// The files of the product that are named as prompts.
pub(crate) fn named(infos: &[FileInfo]) -> impl Iterator<Item = Prompt> {
    infos
        .iter()
        .filter(|info| info.zone == Zone::Product && info.size <= BYTES_MAX && is_prompt(&info.path))
        .take(FILES_MAX)
        .map(|info| Prompt {
            file: info.path.clone(),
            line: 1,
            name: info.path.rsplit('/').next().unwrap_or(&info.path).to_owned(),
            digest: info.digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            }),
        })
}

fn is_prompt(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let Some((stem, ending)) = lower.rsplit_once('.') else {
        return false;
    };
    let name = stem.rsplit('/').next().unwrap_or(stem);
    ENDINGS.contains(&ending)
        && name != "readme"
        && (ending.starts_with("prompt")
            || stem
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| WORDS.contains(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_named_as_prompts_are_known_by_name_and_ending() {
        for path in [
            "prompts/rank.txt",
            "src/system_prompt.md",
            "a/judge.prompty",
            "data/prompts.json",
        ] {
            assert!(is_prompt(path), "{path}");
        }
        for path in [
            "prompts/README.md",
            "src/prompt.ts",
            "docs/promptly.md",
            "prompts/load.py",
            "prompt",
        ] {
            assert!(!is_prompt(path), "{path}");
        }
    }
}
