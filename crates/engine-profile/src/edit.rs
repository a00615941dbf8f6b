//! Changes the profile and keeps every comment and every key that is not known.

use std::collections::BTreeSet;

use engine_model::Date;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use crate::profile::{Answer, Place, Warning};
use crate::questions::{Kind, QuestionSpec, Scope};
use crate::read::{ProfileError, parse};
use crate::value::Value;
use crate::{ALL_SYSTEMS, ORGANISATION};

/// The head of a new file.
const HEAD: &str = "\
# Facts for the EU AI Act that only a person can state about this project.
# Edit this file or use `engine-server answer`. Review changes like code. Comments and other keys are kept.
version = 1
";

/// What a change is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The organisation.
    Organisation,
    /// Every system without a separate answer.
    AllSystems,
    /// One system.
    System(String),
}

impl Target {
    /// The target of a question: the organisation for its own questions, else the system.
    pub fn of(spec: &QuestionSpec, system: &str) -> Self {
        match spec.scope {
            Scope::Organisation => Self::Organisation,
            Scope::System if system == ALL_SYSTEMS => Self::AllSystems,
            Scope::System => Self::System(system.to_owned()),
        }
    }

    /// The name in the key of an answer: `main` in `main.role`.
    pub fn name(&self) -> &str {
        match self {
            Self::Organisation => ORGANISATION,
            Self::AllSystems => ALL_SYSTEMS,
            Self::System(id) => id,
        }
    }
}

/// One change of the profile.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Writes an answer.
    Answer {
        /// What it is about.
        target: Target,
        /// The question.
        question: &'static QuestionSpec,
        /// The answer; its place is not used.
        answer: Answer,
    },
    /// Removes an answer.
    Withdraw {
        /// What it is about.
        target: Target,
        /// The question.
        question: &'static QuestionSpec,
    },
    /// Adds evidence for an obligation, or replaces that of the same obligation with the same reference.
    Evidence {
        /// What it is about; evidence for all systems is stated for the organisation.
        target: Target,
        /// The obligation, `OBL-<number>`.
        obligation: String,
        /// Where it is kept, and what it is.
        reference: String,
        /// Who states it.
        by: String,
        /// When.
        on: Date,
        /// The last day on which it counts; twelve months after `on` if absent.
        until: Option<Date>,
    },
}

impl PartialEq for QuestionSpec {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The text of the profile after some changes. Without a text a new profile is begun.
///
/// # Errors
///
/// Where the text is not a profile, or would not be one after the changes.
pub fn edit(text: Option<&str>, changes: &[Change]) -> Result<String, ProfileError> {
    let before = text.unwrap_or(HEAD);
    parse(before)?;
    let mut document: DocumentMut = before
        .parse()
        .map_err(|error: toml_edit::TomlError| problem(error.message()))?;
    for change in changes {
        match change {
            Change::Answer {
                target,
                question,
                answer,
            } => write_answer(part(&mut document, target)?, question, answer),
            Change::Withdraw { target, question } => {
                let part = part(&mut document, target)?;
                for id in std::iter::once(&question.id).chain(question.aliases) {
                    part.remove(id);
                }
            }
            Change::Evidence {
                target,
                obligation,
                reference,
                by,
                on,
                until,
            } => {
                let target = if *target == Target::AllSystems {
                    &Target::Organisation
                } else {
                    target
                };
                let rows = rows(part(&mut document, target)?)?;
                let same = |row: &Table| {
                    let text = |key: &str| row.get(key).and_then(Item::as_str);
                    text("obligation") == Some(obligation) && text("reference") == Some(reference)
                };
                let mut row = Table::new();
                row["obligation"] = value(obligation);
                row["reference"] = value(reference);
                row["by"] = value(by);
                row["on"] = date(*on);
                if let Some(until) = until {
                    row["until"] = date(*until);
                }
                rows.retain(|row| !same(row));
                rows.push(row);
            }
        }
    }
    let after = document.to_string();
    parse(&after)?;
    Ok(after)
}

fn problem(message: &str) -> ProfileError {
    ProfileError {
        problems: vec![Warning {
            place: Place { line: 1, column: 1 },
            message: message.trim().replace('\n', ", "),
        }],
    }
}

/// The table of a target; made where there is none.
fn part<'d>(document: &'d mut DocumentMut, target: &Target) -> Result<&'d mut Table, ProfileError> {
    let root = document.as_table_mut();
    match target {
        Target::Organisation => table(root, ORGANISATION, false),
        Target::AllSystems => table(root, ALL_SYSTEMS, true),
        Target::System(id) => table(table(root, "systems", true)?, id, true),
    }
}

/// A table below another. A new one is implicit: it has no head of its own unless a value is written into it.
fn table<'t>(parent: &'t mut Table, key: &str, implicit: bool) -> Result<&'t mut Table, ProfileError> {
    let item = parent.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(implicit);
        Item::Table(table)
    });
    // `systems = { main = { … } }` in one line becomes a table with the same content.
    if let Some(inline) = item.as_inline_table() {
        *item = Item::Table(inline.clone().into_table());
    }
    item.as_table_mut()
        .ok_or_else(|| problem(&format!("`{key}` must be a table; write `[{key}]`")))
}

fn rows(part: &mut Table) -> Result<&mut ArrayOfTables, ProfileError> {
    let item = part
        .entry("evidence")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if let Some(array) = item.as_array() {
        let tables: ArrayOfTables = array
            .iter()
            .filter_map(|value| value.as_inline_table().cloned())
            .map(toml_edit::InlineTable::into_table)
            .collect();
        *item = Item::ArrayOfTables(tables);
    }
    item.as_array_of_tables_mut().ok_or_else(|| {
        problem("`evidence` must be a list; start each entry with its own line, such as `[[systems.main.evidence]]`")
    })
}

fn write_answer(part: &mut Table, question: &QuestionSpec, answer: &Answer) {
    // An answer under a former id moves to the present one, with its comments.
    for alias in question.aliases {
        if let Some((_, item)) = part.remove_entry(alias)
            && !part.contains_key(question.id)
        {
            part.insert(question.id, item);
        }
    }
    let given = part.get(question.id).is_some_and(|item| item.as_table_like().is_some());
    if !given {
        part.insert(question.id, Item::Table(Table::new()));
    }
    let Some(table) = part.get_mut(question.id).and_then(Item::as_table_like_mut) else {
        return;
    };
    let mut set = |key: &str, item: Option<Item>| match item {
        None => {
            table.remove(key);
        }
        Some(mut item) => {
            // A comment behind the former value stays.
            if let (Some(old), Some(new)) = (table.get(key).and_then(Item::as_value), item.as_value_mut()) {
                *new.decor_mut() = old.decor().clone();
            }
            table.insert(key, item);
        }
    };
    set("value", Some(written(question.kind, &answer.value)));
    set("by", answer.by.as_deref().map(value));
    set("on", answer.on.map(date));
    set("until", answer.until.map(date));
    set("why", answer.why.as_deref().map(value));
    set("seen", answer.seen.as_ref().map(strings));
}

fn written(kind: Kind, answer: &Value) -> Item {
    match (kind, answer.words()) {
        (Kind::AnyOf, words) if words.len() != 1 || !(answer.is_unknown() || answer.is_no()) => {
            let mut array = Array::new();
            array.extend(words.iter().map(String::as_str));
            value(array)
        }
        (Kind::Date, _) => answer.date().map_or_else(|| value(answer.word()), date),
        _ => value(answer.word()),
    }
}

fn date(date: Date) -> Item {
    date.to_string()
        .parse::<toml_edit::Datetime>()
        .map_or_else(|_| value(date.to_string()), value)
}

fn strings(words: &BTreeSet<String>) -> Item {
    let mut array = Array::new();
    array.extend(words.iter().map(String::as_str));
    value(array)
}
