//! Styles: what a paragraph is by the style that it has, whatever the language of Word.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};

use super::{BASED_ON_MAX, STYLES_MAX, xml};

/// What a style makes of a paragraph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Running text.
    #[default]
    Text,
    /// The title of the document.
    Title,
    /// A heading of a level from 1.
    Heading(u8),
    /// An item of a list.
    Item,
    /// A quotation.
    Quote,
    /// An entry of the table of contents.
    Contents,
}

/// The roles of the styles by their ids.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    roles: BTreeMap<String, Role>,
}

impl Styles {
    /// The role of a style by its id. Without a description, the id itself tells it.
    pub(crate) fn role(&self, id: &str) -> Role {
        self.roles
            .get(id)
            .copied()
            .unwrap_or_else(|| of_name(id).unwrap_or_default())
    }
}

/// One style as the part describes it.
#[derive(Default)]
struct Row {
    id: String,
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    numbered: bool,
}

impl Row {
    /// The role that the style gives by itself.
    fn role(&self) -> Option<Role> {
        of_name(&self.name)
            .or(self.outline.map(level))
            .or(self.numbered.then_some(Role::Item))
    }
}

/// Reads the part of the styles.
pub(crate) fn read(part: &str) -> Styles {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut open: Option<Row> = None;
    let mut reader = xml::Reader::new(part);
    while let Some(event) = reader.next() {
        match event {
            Event::Start(tag) if tag.local_name().as_ref() == "style" => {
                open = Some(Row {
                    id: xml::attribute(&tag, "styleId").unwrap_or_default(),
                    ..Row::default()
                });
            }
            Event::Start(tag) | Event::Empty(tag) => {
                if let Some(row) = &mut open {
                    property(&tag, row);
                }
            }
            Event::End(tag) if tag.local_name().as_ref() == "style" => {
                if let Some(row) = open.take()
                    && rows.len() < STYLES_MAX
                {
                    rows.entry(row.id.clone()).or_insert(row);
                }
            }
            _ => {}
        }
    }
    let roles = rows
        .values()
        .map(|row| (row.id.clone(), inherited(row, &rows)))
        .collect();
    Styles { roles }
}

fn property(tag: &BytesStart<'_>, row: &mut Row) {
    match tag.local_name().as_ref() {
        "name" => row.name = xml::attribute(tag, "val").unwrap_or_default(),
        "basedOn" => row.based_on = xml::attribute(tag, "val"),
        "outlineLvl" => row.outline = outline_level(tag),
        "numId" => row.numbered = xml::attribute(tag, "val").is_some_and(|id| id != "0"),
        _ => {}
    }
}

/// The role of a style, or of the nearest style below it that has one.
fn inherited(row: &Row, rows: &BTreeMap<String, Row>) -> Role {
    let mut at = row;
    for _ in 0..BASED_ON_MAX {
        if let Some(role) = at.role() {
            return role;
        }
        let Some(below) = at.based_on.as_ref().and_then(|id| rows.get(id)) else {
            break;
        };
        at = below;
    }
    Role::Text
}

/// The outline level of a paragraph or a style: 0 to 8 are headings, 9 is running text.
pub(crate) fn outline_level(tag: &BytesStart<'_>) -> Option<u8> {
    xml::attribute(tag, "val")?.trim().parse().ok()
}

/// What an outline level makes of a paragraph.
pub(crate) fn level(outline: u8) -> Role {
    if outline < 9 {
        Role::Heading((outline + 1).min(6))
    } else {
        Role::Text
    }
}

/// The role that the name of a built-in style tells. Word writes these names in English in every language.
fn of_name(name: &str) -> Option<Role> {
    let name: String = name
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    if let Some(digit) = name.strip_prefix("heading") {
        return digit
            .parse()
            .ok()
            .filter(|level| (1..=9).contains(level))
            .map(|level: u8| Role::Heading(level.min(6)));
    }
    if name.starts_with("toc") && name.len() <= 10 {
        return Some(Role::Contents);
    }
    if name.starts_with("list") && name != "listofcontents" {
        return Some(Role::Item);
    }
    match name.as_str() {
        "title" => Some(Role::Title),
        "quote" | "intensequote" => Some(Role::Quote),
        "tableoffigures" => Some(Role::Contents),
        _ => None,
    }
}
