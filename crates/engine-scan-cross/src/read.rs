//! Reads the statements of one file.

use std::borrow::Cow;

use engine_model::{Language, SourceFile, Statement, StatementKind, Zone};
use serde::{Deserialize, Serialize};

use crate::{addresses, concealed, interface, naming, pipeline, responsible, texts, training};

/// Bytes of a file that are looked at.
const FILE_BYTES_MAX: usize = 1 << 20;
/// Statements of one file that are kept; documents of the law have far fewer.
const STATEMENTS_MAX: usize = 400;

/// What one file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossFacts {
    /// In the order of the lines.
    pub statements: Vec<Statement>,
}

/// Whether a file can say anything about the product.
pub fn wants(path: &str, language: Language, zone: Zone) -> bool {
    if !matches!(zone, Zone::Product | Zone::Docs) || is_own_output(path) {
        return false;
    }
    if responsible::is_licence(path.rsplit('/').next().unwrap_or(path)) {
        return true;
    }
    match language {
        Language::Markup | Language::Html => true,
        // How an app is shown in Slack is often kept beside what tells how to set it up.
        Language::Yaml | Language::Json if zone == Zone::Docs => path.to_ascii_lowercase().contains("slack"),
        Language::Tsx | Language::Yaml | Language::Json | Language::Python | Language::Notebook => {
            zone == Zone::Product
        }
        // Of the last five only addresses and prompts are read.
        Language::JavaScript
        | Language::TypeScript
        | Language::Go
        | Language::Rust
        | Language::Java
        | Language::Kotlin
        | Language::CSharp => zone == Zone::Product,
        Language::Xml => zone == Zone::Product && naming::is_template(path),
        Language::Php => zone == Zone::Product && naming::is_php_template(path),
        Language::Toml => zone == Zone::Product && !ends_in(path, &["lock"]),
        Language::Other => {
            let name = path.rsplit('/').next().unwrap_or(path);
            zone == Zone::Product
                && (name.starts_with(".env")
                    || ends_in(name, &["tf", "properties", "ini", "conf"])
                    || naming::is_template(path)
                    || concealed::is_prompt_file(path))
        }
        _ => false,
    }
}

/// The engine's own reports are no statements of the project; the documents that people finish there are.
fn is_own_output(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower
        .split_once(".compliance/")
        .is_some_and(|(_, rest)| !rest.starts_with("documents/"))
        || lower.rsplit('/').next() == Some("compliance.md")
}

/// The line of front matter by which a document of this engine is known.
const GENERATED: &str = "generatedBy: engine-documents";

/// A document of this engine without what the engine wrote in it. A draft states nothing yet; in a final document the
/// quotations are the engine's, and the rest is the text of a person.
fn without_engine_text(text: &str) -> Cow<'_, str> {
    let mut lines = text.lines().map(str::trim_end);
    if lines.next() != Some("---") {
        return Cow::Borrowed(text);
    }
    let (mut generated, mut finished) = (false, false);
    for line in lines.take_while(|line| *line != "---") {
        generated |= line == GENERATED;
        finished |= line == "status: final";
    }
    if !generated {
        return Cow::Borrowed(text);
    }
    if !finished {
        return Cow::Borrowed("");
    }
    // The lines stay, so that the places of statements are right.
    let own = |line: &str| if line.starts_with('>') { "" } else { line }.to_owned();
    Cow::Owned(text.lines().map(own).collect::<Vec<_>>().join("\n"))
}

/// What a file says. Content that is no text says nothing.
pub fn read(file: &SourceFile<'_>) -> CrossFacts {
    let Some(text) = file.text() else {
        return CrossFacts::default();
    };
    let truncated = text.len() > FILE_BYTES_MAX;
    let mut end = text.len().min(FILE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &*without_engine_text(&text[..end]);
    let mut out = Out {
        file: &file.path,
        statements: Vec::new(),
    };
    responsible::read(&file.path, file.language, text, &mut out);
    match file.language {
        Language::Markup => texts::read(&file.path, text, &mut out),
        Language::Html => {
            if !ends_in(&file.path, &["vue", "svelte", "astro"]) {
                texts::read(&file.path, text, &mut out);
            }
            if file.zone == Zone::Product {
                interface::read(&file.path, text, &mut out);
            }
        }
        Language::Tsx => interface::read(&file.path, text, &mut out),
        Language::JavaScript if ends_in(&file.path, &["jsx"]) => interface::read(&file.path, text, &mut out),
        Language::Other if ends_in(&file.path, &["razor"]) && file.zone == Zone::Product => {
            interface::of_blazor(text, &mut out);
        }
        Language::Other if ends_in(&file.path, &["razor"]) => {}
        Language::Other if naming::is_template(&file.path) || concealed::is_prompt_file(&file.path) => {}
        Language::Yaml | Language::Toml | Language::Other => pipeline::configuration(&file.path, text, &mut out),
        // A part of a bill of materials would look like one that lacks something.
        Language::Json if !truncated => pipeline::bill(text, &mut out),
        Language::Python | Language::Notebook => training::read(file.language, text, &mut out),
        _ => {}
    }
    if file.zone == Zone::Product {
        if ends_in(&file.path, &["xaml", "axaml"]) {
            interface::of_window(text, &mut out);
        }
        naming::read(&file.path, file.language, text, &mut out);
        if file.language.is_code() {
            addresses::read(text, &mut out);
            responsible::origins(text, &mut out);
        }
        concealed::read(&file.path, file.language, text, &mut out);
    } else if file.zone == Zone::Docs && naming::is_app_of_slack(file.language, text) {
        // Slack is told what such a file says, wherever it is kept.
        naming::read(&file.path, file.language, text, &mut out);
    }
    let mut statements = out.statements;
    statements.sort_by(|a, b| (a.line, a.kind, &a.value, a.days).cmp(&(b.line, b.kind, &b.value, b.days)));
    statements.dedup();
    CrossFacts { statements }
}

/// Collects the statements of a file.
pub(crate) struct Out<'a> {
    file: &'a str,
    statements: Vec<Statement>,
}

impl Out<'_> {
    /// Adds a statement.
    pub(crate) fn say(&mut self, kind: StatementKind, line: u32, value: impl Into<String>) {
        self.add(kind, line, value.into(), None);
    }

    /// Adds a statement about a period.
    pub(crate) fn period(&mut self, kind: StatementKind, line: u32, days: u32) {
        self.add(kind, line, String::new(), Some(days));
    }

    fn add(&mut self, kind: StatementKind, line: u32, value: String, days: Option<u32>) {
        if self.statements.len() < STATEMENTS_MAX {
            self.statements.push(Statement {
                file: self.file.to_owned(),
                line,
                kind,
                value,
                days,
            });
        }
    }
}

/// Whether a path has one of some endings, in whatever case.
pub(crate) fn ends_in(path: &str, endings: &[&str]) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| endings.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// The number of a line from its index.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}
