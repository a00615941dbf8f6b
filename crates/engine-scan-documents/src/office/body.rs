//! The main part: paragraphs in reading order, with lists, tables and what waits to be filled in.

use quick_xml::events::{BytesStart, Event};

use super::styles::{Role, Styles, level, outline_level};
use super::{PARAGRAPHS_MAX, TEXT_BYTES_MAX, xml};
use crate::facts::Unread;
use crate::read::Builder;
use crate::substance::Setting;

/// Walks through the main part.
pub(crate) struct Walk<'a> {
    styles: &'a Styles,
    builder: &'a mut Builder,
    /// Paragraphs that are open; text boxes put paragraphs into others.
    open: Vec<Paragraph>,
    /// Tables that are open.
    tables: Vec<Table>,
    /// Paragraphs that were begun.
    number: u32,
    /// All text that was read.
    text: String,
    /// Elements that are open and whose content is left out.
    skipped: u32,
    /// Content controls that are open; true where one shows its prompt.
    controls: Vec<bool>,
    /// Whether a title came, below which all headings are.
    titled: bool,
}

/// A paragraph as far as it was read.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says whether something was seen in the paragraph, and all can be"
)]
struct Paragraph {
    number: u32,
    role: Role,
    outline: Option<u8>,
    item: bool,
    text: String,
    upright: bool,
    prompts: bool,
    in_run: bool,
    in_text: bool,
    hidden: bool,
    italic: bool,
}

/// A table as far as it was read.
#[derive(Default)]
struct Table {
    rows: u32,
    cells: Vec<String>,
    heads: bool,
}

/// Cells of a row that are looked at.
const CELLS_MAX: usize = 64;

impl<'a> Walk<'a> {
    pub(crate) fn new(styles: &'a Styles, builder: &'a mut Builder) -> Self {
        Self {
            styles,
            builder,
            open: Vec::new(),
            tables: Vec::new(),
            number: 0,
            text: String::new(),
            skipped: 0,
            controls: Vec::new(),
            titled: false,
        }
    }

    /// All text that was read.
    pub(crate) fn text(self) -> String {
        self.text
    }

    /// Reads the part; says why it was not read to its end.
    pub(crate) fn read(&mut self, part: &str) -> Option<Unread> {
        let mut reader = xml::Reader::new(part);
        while let Some(event) = reader.next() {
            if self.number > PARAGRAPHS_MAX || self.text.len() > TEXT_BYTES_MAX {
                self.end_all();
                return Some(Unread::Limit);
            }
            match event {
                Event::Start(tag) => self.start(&tag),
                Event::Empty(tag) => {
                    self.start(&tag);
                    self.end(tag.local_name().as_ref());
                }
                Event::End(tag) => self.end(tag.local_name().as_ref()),
                Event::Text(text) => self.push(&text.xml10_content()),
                Event::CData(text) => self.push(&text.xml10_content()),
                Event::GeneralRef(reference) => {
                    if let Some(c) = xml::character(&reference) {
                        self.push(c.encode_utf8(&mut [0; 4]));
                    }
                }
                _ => {}
            }
        }
        self.end_all();
        reader.stopped()
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        let name = name.as_ref();
        // What was moved away or replaced, the second form of the same content, and field codes are no text.
        if self.skipped > 0 || matches!(name, "moveFrom" | "Fallback" | "instrText" | "delText" | "del") {
            self.skipped = self.skipped.saturating_add(1);
            return;
        }
        match name {
            "tbl" => self.tables.push(Table::default()),
            "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    table.cells.clear();
                    table.heads = false;
                }
            }
            "tc" => {
                if let Some(table) = self.tables.last_mut()
                    && table.cells.len() < CELLS_MAX
                {
                    table.cells.push(String::new());
                }
            }
            "tblHeader" => {
                if let Some(table) = self.tables.last_mut() {
                    table.heads |= xml::is_on(tag);
                }
            }
            "sdt" => self.controls.push(false),
            "showingPlcHdr" => {
                if let Some(control) = self.controls.last_mut() {
                    *control = xml::is_on(tag);
                }
            }
            "p" => {
                self.number = self.number.saturating_add(1);
                self.open.push(Paragraph {
                    number: self.number,
                    ..Paragraph::default()
                });
            }
            _ => self.within_paragraph(name, tag),
        }
    }

    fn within_paragraph(&mut self, name: &str, tag: &BytesStart<'_>) {
        let shows_prompt = self.controls.contains(&true);
        let styles = self.styles;
        let Some(paragraph) = self.open.last_mut() else {
            return;
        };
        match name {
            "pStyle" => {
                if let Some(id) = xml::attribute(tag, "val") {
                    paragraph.role = styles.role(&id);
                }
            }
            "outlineLvl" => paragraph.outline = outline_level(tag),
            "numId" => paragraph.item = xml::attribute(tag, "val").is_some_and(|id| id != "0"),
            "r" => {
                paragraph.in_run = true;
                paragraph.hidden = false;
                paragraph.italic = false;
            }
            "t" if paragraph.in_run => {
                paragraph.in_text = !shows_prompt;
                paragraph.prompts |= shows_prompt;
            }
            "vanish" | "strike" | "dstrike" if paragraph.in_run => paragraph.hidden |= xml::is_on(tag),
            "i" if paragraph.in_run => paragraph.italic = xml::is_on(tag),
            "tab" if paragraph.in_run => paragraph.text.push('\t'),
            "br" | "cr" if paragraph.in_run => paragraph.text.push('\n'),
            "noBreakHyphen" if paragraph.in_run => paragraph.text.push('-'),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "p" => {
                if let Some(paragraph) = self.open.pop() {
                    self.finish(&paragraph);
                }
            }
            "r" => {
                if let Some(paragraph) = self.open.last_mut() {
                    paragraph.in_run = false;
                }
            }
            "t" => {
                if let Some(paragraph) = self.open.last_mut() {
                    paragraph.in_text = false;
                }
            }
            "tr" => self.end_row(),
            "tbl" => {
                self.tables.pop();
            }
            "sdt" => {
                self.controls.pop();
            }
            _ => {}
        }
    }

    fn end_all(&mut self) {
        while let Some(paragraph) = self.open.pop() {
            self.finish(&paragraph);
        }
        while !self.tables.is_empty() {
            self.end_row();
            self.tables.pop();
        }
    }

    fn push(&mut self, text: &str) {
        if self.skipped > 0 {
            return;
        }
        if let Some(paragraph) = self.open.last_mut()
            && paragraph.in_text
            && !paragraph.hidden
        {
            paragraph.upright |= !paragraph.italic && text.chars().any(char::is_alphanumeric);
            paragraph.text.push_str(text);
        }
    }

    /// Hands over a paragraph that is complete.
    fn finish(&mut self, paragraph: &Paragraph) {
        let text = paragraph.text.trim();
        // A content control that shows its prompt was not filled in.
        if paragraph.prompts {
            self.builder.hole();
        }
        if text.is_empty() || paragraph.role == Role::Contents {
            return;
        }
        self.text.push_str(text);
        self.text.push('\n');
        let role = paragraph.outline.map_or(paragraph.role, level);
        let heading = match role {
            Role::Title if !self.titled => Some(1),
            Role::Heading(level) => Some(level.saturating_add(u8::from(self.titled))),
            _ => None,
        };
        if let Some(level) = heading {
            self.titled |= role == Role::Title;
            self.builder.heading(level, text, paragraph.number);
            return;
        }
        if let Some(cell) = self.tables.last_mut().and_then(|table| table.cells.last_mut()) {
            cell.push_str(text);
            cell.push('\n');
            return;
        }
        let setting = if role == Role::Quote || !paragraph.upright {
            Setting::Aside
        } else {
            Setting::Plain
        };
        if text.starts_with('\u{2610}') {
            // A box that is not ticked.
            self.builder.hole();
        } else if paragraph.item || role == Role::Item {
            self.builder
                .item(text.trim_start_matches(['\u{2611}', '\u{2612}', ' ']), setting);
        } else {
            self.builder.text(text, setting);
        }
    }

    fn end_row(&mut self) {
        let Some(table) = self.tables.last_mut() else {
            return;
        };
        let cells = std::mem::take(&mut table.cells);
        table.rows = table.rows.saturating_add(1);
        // The first row of a table names its columns, and so does each row that Word repeats on every page.
        let head = cells.len() > 1 && (table.rows == 1 || table.heads);
        if !head && cells.iter().any(|cell| !cell.trim().is_empty()) {
            self.builder.row(&cells);
        }
    }
}
