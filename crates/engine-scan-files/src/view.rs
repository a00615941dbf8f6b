//! A file as the detectors see it: its text, its lines, and a few questions that many of them ask.

use engine_model::{ArtefactKind, Language};

use crate::read::Candidate;

/// A file, read once for all detectors.
pub(crate) struct View<'a> {
    /// Path in lower case.
    pub(crate) path: String,
    /// Name as written.
    pub(crate) written_name: &'a str,
    /// Name in lower case.
    pub(crate) name: String,
    /// Name without its last ending, in lower case.
    pub(crate) stem: String,
    /// The language that the name tells.
    pub(crate) language: Language,
    /// The text.
    pub(crate) text: &'a str,
    /// The text in lower case, with the same lines.
    pub(crate) lower: String,
    /// The lines in lower case, comments of configuration languages taken out.
    pub(crate) lines: Vec<String>,
    /// Keys that start a line without indentation, with their lines; for YAML and the like.
    pub(crate) keys: Vec<(String, u32)>,
}

impl<'a> View<'a> {
    /// Takes a file apart.
    pub(crate) fn of(path: &'a str, language: Language, text: &'a str) -> Self {
        let written_name = path.rsplit('/').next().unwrap_or(path);
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned();
        let lower = text.to_lowercase();
        let hash_comments = matches!(
            language,
            Language::Yaml | Language::Toml | Language::Other | Language::Ruby
        );
        let mut lines = Vec::new();
        let mut keys = Vec::new();
        for (index, line) in lower.lines().enumerate() {
            let comment = hash_comments && line.trim_start().starts_with('#') || line.trim_start().starts_with("//");
            let line = if comment { "" } else { line };
            if let Some((key, _)) = line.split_once(':')
                && keys.len() < 500
                && !key.is_empty()
                && key
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'' | '$'))
            {
                keys.push((key.trim_matches(['"', '\'']).to_owned(), number(index)));
            }
            lines.push(line.to_owned());
        }
        Self {
            path,
            written_name,
            name,
            stem,
            language,
            text,
            lower,
            lines,
            keys,
        }
    }

    /// Whether a key starts a line without indentation.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|(known, _)| known == key)
    }

    /// The line of such a key.
    pub(crate) fn key_line(&self, key: &str) -> u32 {
        self.keys
            .iter()
            .find(|(known, _)| known == key)
            .map_or(1, |(_, line)| *line)
    }

    /// The first line that satisfies a condition.
    pub(crate) fn line_where(&self, found: impl Fn(&str) -> bool) -> Option<u32> {
        self.lines.iter().position(|line| found(line)).map(number)
    }

    /// The first line that holds a text, comments left out.
    pub(crate) fn line_with(&self, needle: &str) -> Option<u32> {
        // Most files hold none of the texts that are asked for, so the whole is searched before its lines.
        if !self.lower.contains(needle) {
            return None;
        }
        self.line_where(|line| line.contains(needle))
    }

    /// Whether a line holds a text, comments left out.
    pub(crate) fn has(&self, needle: &str) -> bool {
        self.line_with(needle).is_some()
    }

    /// Whether the file holds prose.
    pub(crate) fn is_markup(&self) -> bool {
        self.language == Language::Markup
    }

    /// Headings of Markdown with their lines, in lower case.
    pub(crate) fn headings(&self) -> impl Iterator<Item = (&str, u32)> {
        self.lines.iter().enumerate().filter_map(|(index, line)| {
            let text = line.trim_start_matches('#');
            (text.len() < line.len() && text.starts_with(' ')).then(|| (text.trim(), number(index)))
        })
    }
}

/// The number of a line from its index.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}

/// A candidate without days.
pub(crate) fn candidate(kind: ArtefactKind, line: u32, because: impl Into<String>) -> Candidate {
    Candidate {
        kind,
        line,
        because: because.into(),
        days: None,
    }
}
