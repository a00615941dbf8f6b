//! Builder for the record of a model file.

use engine_model::{ModelFile, ModelFileProblem, ModelFileProblemKind, ModelImport, ModelImportKind, ModelReading};

use crate::imports;
use crate::pickle::Trace;

/// Imports and problems of one file that are listed.
const LISTED_MAX: usize = 200;
/// Unknown imports that a message names.
const NAMED_MAX: usize = 5;
/// Characters of a text that a file states about itself.
const TEXT_CHARS_MAX: usize = 120;

#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) model: ModelFile,
    unknown: Vec<String>,
}

impl Draft {
    pub(crate) fn problem(&mut self, kind: ModelFileProblemKind, message: impl Into<String>, member: Option<&str>) {
        if kind == ModelFileProblemKind::NotRead {
            self.model.read = ModelReading::Part;
        }
        let problem = ModelFileProblem {
            kind,
            message: message.into(),
            member: member.map(shown),
        };
        if self.model.problems.len() < LISTED_MAX && !self.model.problems.contains(&problem) {
            self.model.problems.push(problem);
        }
    }

    pub(crate) fn not_read(&mut self, message: &str, member: Option<&str>) {
        self.problem(ModelFileProblemKind::NotRead, message, member);
    }

    /// Adds the effects of serialised objects.
    pub(crate) fn take(&mut self, trace: &Trace, member: Option<&str>) {
        for import in &trace.imports {
            if self.model.framework.is_none() || self.model.framework.as_deref() == Some("numpy") {
                self.model.framework = imports::framework(&import.name).map(str::to_owned);
            }
            let name = shown(&import.name);
            if import.kind == ModelImportKind::Dangerous {
                let (kind, verb) = if import.called {
                    (ModelFileProblemKind::RunsCode, "calls")
                } else {
                    (ModelFileProblemKind::ReachesCode, "imports")
                };
                self.problem(
                    kind,
                    format!("{verb} `{name}` when loaded, which {}", import.why),
                    member,
                );
            }
            if import.kind == ModelImportKind::Unknown {
                self.unknown(&import.name, import.called, member);
            } else {
                self.import(name, import.kind, import.called, member);
            }
        }
        for (kind, message) in &trace.problems {
            self.problem(*kind, message.clone(), member);
        }
    }

    pub(crate) fn import(&mut self, name: String, kind: ModelImportKind, called: bool, member: Option<&str>) {
        let member = member.map(shown);
        let listed = self.model.imports.len();
        if let Some(known) = self
            .model
            .imports
            .iter_mut()
            .find(|known| known.name == name && known.member == member)
        {
            known.called |= called;
        } else if listed < LISTED_MAX || kind == ModelImportKind::Dangerous && listed < 2 * LISTED_MAX {
            self.model.imports.push(ModelImport {
                name,
                kind,
                called,
                member,
            });
        }
    }

    /// Adds a name of which nothing is known.
    pub(crate) fn unknown(&mut self, path: &str, called: bool, member: Option<&str>) {
        let name = shown(path);
        if self.unknown.len() < LISTED_MAX && !self.unknown.contains(&name) {
            self.unknown.push(name.clone());
        }
        self.import(name, ModelImportKind::Unknown, called, member);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.model.problems.is_empty() && self.unknown.is_empty()
    }

    pub(crate) fn external(&mut self, path: &str) {
        let path = shown(path);
        if self.model.external.len() < LISTED_MAX && !self.model.external.contains(&path) {
            self.model.external.push(path);
        }
    }

    pub(crate) fn finish(mut self) -> ModelFile {
        if !self.unknown.is_empty() {
            let named: Vec<String> = self
                .unknown
                .iter()
                .take(NAMED_MAX)
                .map(|name| format!("`{name}`"))
                .collect();
            let rest = self.unknown.len().saturating_sub(NAMED_MAX);
            let rest = if rest > 0 {
                format!(" and {rest} more")
            } else {
                String::new()
            };
            let message = format!(
                "imports {}{rest} when loaded: on neither the safe nor the dangerous list",
                named.join(", ")
            );
            self.problem(ModelFileProblemKind::UnknownImport, message, None);
        }
        self.model.problems.sort();
        self.model.imports.sort();
        self.model.imports.truncate(LISTED_MAX);
        self.model.external.sort();
        self.model
    }
}

/// Foreign text as it may be shown: short, without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(TEXT_CHARS_MAX)
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .collect();
    if text.chars().nth(TEXT_CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}
