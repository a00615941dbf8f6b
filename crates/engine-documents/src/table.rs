//! Tables and their cells.

mod rows;
mod words;

use std::collections::BTreeSet;

use engine_messages::Messages;
use rows::rows;

use crate::escape;
use crate::facts::Facts;
use crate::source::Source;
use crate::table_names::TableName;

/// Places that one cell names.
const PLACES_MAX: usize = 5;

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    /// Foreign text.
    Text(String),
    /// A place in a file.
    Place(String, Option<u32>),
    /// Several places.
    Places(Vec<String>),
}

impl Cell {
    fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn maybe(text: Option<&String>) -> Self {
        Self::Text(text.cloned().unwrap_or_else(|| "unknown".to_owned()))
    }

    pub(crate) fn markdown(&self) -> String {
        match self {
            Self::Text(text) => escape::cell(text),
            Self::Place(file, Some(line)) => escape::path(&format!("{file}:{line}")),
            Self::Place(file, None) => escape::path(file),
            Self::Places(places) => {
                let shown: Vec<String> = places
                    .iter()
                    .take(PLACES_MAX)
                    .map(|place| escape::path(place))
                    .collect();
                let more = places.len().saturating_sub(PLACES_MAX);
                if more > 0 {
                    format!("{} and {more} more", shown.join(", "))
                } else {
                    shown.join(", ")
                }
            }
        }
    }

    /// What makes the cell another one: a moved line does not.
    fn identity(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Place(file, _) => file.clone(),
            Self::Places(places) => {
                let files: BTreeSet<&str> = places
                    .iter()
                    .map(|place| place.rsplit_once(':').map_or(place.as_str(), |(file, _)| file))
                    .collect();
                files.into_iter().collect::<Vec<_>>().join(",")
            }
        }
    }
}

/// A table with its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: TableName,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The table as lines of a quotation, shortened where its kind may be.
    pub(crate) fn markdown(&self, messages: &Messages) -> Vec<String> {
        let mut lines = vec![
            self.name.head(messages),
            format!("> |{}", " --- |".repeat(self.name.columns().len())),
        ];
        for row in self.rows.iter().take(self.name.rows_max()) {
            let cells: Vec<String> = row.iter().map(Cell::markdown).collect();
            lines.push(format!("> | {} |", cells.join(" | ")));
        }
        lines
    }

    /// Rows that are not shown.
    pub(crate) fn more(&self) -> usize {
        self.rows.len().saturating_sub(self.name.rows_max())
    }

    /// What makes the table another one.
    pub(crate) fn identity(&self) -> String {
        let rows: BTreeSet<String> = self
            .rows
            .iter()
            .map(|row| row.iter().map(Cell::identity).collect::<Vec<_>>().join("\u{1f}"))
            .collect();
        rows.into_iter().collect::<Vec<_>>().join("\u{1e}")
    }
}

/// The rows of a table for a system.
pub(crate) fn table(name: TableName, article: Option<&str>, facts: &Facts<'_>) -> Table {
    Table {
        name,
        rows: rows(name, article, facts),
    }
}

/// The source of a table.
pub(crate) fn source(name: TableName, facts: &Facts<'_>) -> Source {
    match name {
        TableName::Practices => Source::Profile,
        TableName::Evaluations => match facts.evaluation {
            Some(run) => Source::Evaluation(run.on.clone()),
            None => Source::NoEvaluation,
        },
        TableName::Obligations => Source::LawOn(facts.law_version.to_owned(), facts.as_of),
        _ => facts.scanned(),
    }
}

/// Whether one of some citations is of an article: `Art. 14(4)(a)` is of `Art. 14`, `Art. 140` is not.
pub(crate) fn concerns(citations: &str, article: &str) -> bool {
    citations
        .split(", ")
        .any(|citation| is_within(citation.trim(), article))
}

/// Whether a citation is an article or a part of it.
pub(crate) fn is_within(citation: &str, article: &str) -> bool {
    citation
        .strip_prefix(article)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}
