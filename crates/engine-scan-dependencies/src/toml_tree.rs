//! TOML into the common tree.

use std::borrow::Cow;

use toml::de::{DeTable, DeValue};

use crate::node::{Entry, Lines, Node, Parsed, Value};

/// Reads TOML; of a broken text, the tables before the mistake are kept.
pub(crate) fn toml(text: &str) -> Parsed<Node<'_>> {
    let lines = Lines::new(text);
    match DeTable::parse(text) {
        Ok(table) => Parsed {
            value: table_node(table.into_inner(), 1, &lines),
            broken: None,
        },
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let head = text.get(..at).unwrap_or("");
            let cut = head.rfind("\n[").map_or(0, |at| at + 1);
            let value = DeTable::parse(&text[..cut])
                .map(|table| table_node(table.into_inner(), 1, &lines))
                .unwrap_or_default();
            Parsed {
                value,
                broken: Some(lines.of(at)),
            }
        }
    }
}

// The parser itself refuses more than 80 levels, so this recursion is bounded.
fn table_node<'a>(table: DeTable<'a>, line: u32, lines: &Lines) -> Node<'a> {
    let entries = table
        .into_iter()
        .map(|(key, value)| {
            let line = lines.of(key.span().start);
            let start = lines.of(value.span().start);
            Entry {
                key: key.into_inner(),
                line,
                node: value_node(value.into_inner(), start, lines),
            }
        })
        .collect::<Vec<_>>();
    let mut entries = entries;
    // The parser sorts by key; readers expect the order of the file.
    entries.sort_by_key(|entry| entry.line);
    Node {
        line,
        value: Value::Map(entries),
    }
}

fn value_node<'a>(value: DeValue<'a>, line: u32, lines: &Lines) -> Node<'a> {
    let value = match value {
        DeValue::String(text) => Value::Text(text),
        DeValue::Integer(number) => Value::Text(Cow::Owned(number.as_str().to_owned())),
        DeValue::Float(number) => Value::Text(Cow::Owned(number.as_str().to_owned())),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(time) => Value::Text(Cow::Owned(time.to_string())),
        DeValue::Array(items) => Value::List(
            items
                .into_iter()
                .map(|item| {
                    let line = lines.of(item.span().start);
                    value_node(item.into_inner(), line, lines)
                })
                .collect(),
        ),
        DeValue::Table(table) => return table_node(table, line, lines),
    };
    Node { line, value }
}
