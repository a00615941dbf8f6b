//! Values of a document that have changed since it was generated.

use engine_messages::Messages;

use crate::fact::Fact;
use crate::facts::Facts;
use crate::front::Parts;
use crate::generate::short_digest;
use crate::kinds::{Kind, kind};
use crate::request::Request;
use crate::table::table;
use crate::table_names::TableName;
use crate::template::Body;
use crate::translate::language;

/// How the source of a statement in a request begins.
const STATED: &str = "stated ";

/// A value of a document whose source has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleSource {
    /// The field, such as `answer.purpose` or `table.calls`.
    pub field: String,
    /// The label of the value in the document.
    pub label: String,
    /// The section, by its title in the language of the document.
    pub section: String,
    /// The line in the document, from 1, where the label is still found.
    pub line: Option<usize>,
    /// The source as recorded.
    pub recorded: String,
    /// The value now; none where it is no longer known, and for tables.
    pub now: Option<String>,
}

/// The values of a document whose source has changed since it was generated. A text of another origin has none.
pub fn stale_sources(content: &str, facts: &Facts<'_>) -> Vec<StaleSource> {
    let parts = Parts::of(content);
    let Some(kind) = parts.get("docType").and_then(|id| kind(&id)) else {
        return Vec::new();
    };
    let messages = Messages::of(language(&parts));
    let mut out = Vec::new();
    for (field, (digest, recorded)) in parts.sources() {
        // A statement of an earlier request stands until another one is made.
        if recorded.starts_with(STATED) {
            continue;
        }
        let Some((now, value)) = current(&field, kind, facts) else {
            continue;
        };
        if now == digest {
            continue;
        }
        let (section, label) = place(&field, kind, messages).unwrap_or_default();
        let line = parts
            .body
            .lines()
            .position(|line| {
                line.starts_with(&format!("> **{label}:**")) || line.starts_with(&format!("> **{label}** ("))
            })
            .map(|at| parts.lines_before + at + 1);
        out.push(StaleSource {
            field,
            label,
            section,
            line,
            recorded,
            now: value,
        });
    }
    out
}

/// The digest of a field now, and its value; none for a field that is not compared.
fn current(field: &str, kind: &Kind, facts: &Facts<'_>) -> Option<(String, Option<String>)> {
    if let Some(name) = field.strip_prefix("table.") {
        let (name, article) = match name.split_once(':') {
            Some((name, article)) => (name, Some(article)),
            None => (name, None),
        };
        let found = table(TableName::from_name(name)?, article, facts);
        return Some((short_digest(&found.identity()), None));
    }
    let fact = Fact::from_name(field).filter(|fact| !fact.is_of_the_scan())?;
    match facts.value(fact, kind.id(), &Request::default()) {
        Some(value) => Some((short_digest(&value.text), Some(value.text))),
        None => Some((String::new(), None)),
    }
}

/// Section and label of a field in the template.
fn place(field: &str, kind: &Kind, messages: &Messages) -> Option<(String, String)> {
    let is_it = |body: &Body| match body {
        Body::Fact(fact) => fact.name() == field,
        Body::Table { name, article, .. } => {
            let own = match article {
                Some(article) => format!("table.{}:{article}", name.name()),
                None => format!("table.{}", name.name()),
            };
            own == field
        }
        Body::None | Body::Text(_) => false,
    };
    kind.template
        .sections
        .iter()
        .zip(&kind.document.sections)
        .find_map(|(section, law)| {
            let part = section.parts.iter().find(|part| is_it(&part.body))?;
            Some((kind.section_title(law, messages).to_owned(), part.label.clone()))
        })
}
