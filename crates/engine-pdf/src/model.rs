//! The block model: the content of a document, without its layout.

use serde::{Deserialize, Serialize};

/// A document: a cover, and blocks in reading order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Title for the window, the metadata and the cover. It must not be empty.
    pub title: String,
    /// Language of the text as a BCP 47 tag: `en`, `de`, `fr`.
    pub language: String,
    /// Who issues the document; left out of the metadata when empty.
    pub author: String,
    /// One sentence on what the document is about; left out of the metadata when empty.
    pub subject: String,
    /// Date of the document, `2026-08-02`. It is the only date that the file carries.
    pub created: String,
    /// Running header of each page but the cover.
    pub header: Header,
    /// Running footer of each page but the cover.
    pub footer: Footer,
    /// First page; a document without a cover begins with its contents.
    pub cover: Option<Cover>,
    /// Table of contents; without it the document has bookmarks only.
    pub contents: Option<Contents>,
    /// The text.
    pub blocks: Vec<Block>,
    /// The few words that the writer itself puts on a page.
    pub words: Words,
}

/// Running header of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// At the left: what the document is.
    pub left: String,
    /// At the right: whom or what it is about.
    pub right: String,
}

/// Running footer of a page. `Page x of y` is added at the right.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footer {
    /// Parts from left to right, such as the date, the law version and the project digest.
    pub parts: Vec<String>,
}

/// First page of a document; its title is the title of the document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cover {
    /// Small line above the title, such as the kind of document.
    pub kicker: String,
    /// Line below the title.
    pub subtitle: String,
    /// Label and value pairs, such as organisation, date and law version.
    pub facts: Vec<Fact>,
    /// Short text at the foot of the page, such as what the document is not.
    pub note: String,
}

/// Table of contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Heading of the table.
    pub title: String,
    /// Deepest level of heading that is listed, from 1.
    pub depth: u8,
}

/// Words of the writer itself, in the language of the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Page number; `{page}` and `{pages}` are replaced.
    pub page_of: String,
    /// Description of a link; `{target}` is replaced.
    pub link_to: String,
    /// Description of a link to a heading of this document; `{target}` is replaced.
    pub jump_to: String,
    /// Line number after the name of a file; `{line}` is replaced.
    pub line: String,
    /// The mark of today in a time line.
    pub today: String,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            page_of: "Page {page} of {pages}".to_owned(),
            link_to: "Link to {target}".to_owned(),
            jump_to: "Go to {target}".to_owned(),
            line: "line {line}".to_owned(),
            today: "Today".to_owned(),
        }
    }
}

/// One block of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Block {
    /// A heading. Levels run from 1 to 6; a level that skips one is written one below the last.
    Heading(Heading),
    /// A paragraph.
    Paragraph(Vec<Span>),
    /// A list.
    List(List),
    /// A table. Its header row is repeated on each page; a row is not cut unless it is taller than a page.
    Table(Table),
    /// Lines of a file.
    Code(Code),
    /// A chart of horizontal bars.
    BarChart(BarChart),
    /// A chart of dates on one line.
    Timeline(Timeline),
    /// Large label and value pairs, for a summary.
    Facts(Vec<Fact>),
    /// A boxed note.
    Callout(Callout),
    /// A QR code with its text beside it.
    Qr(Qr),
    /// The next block begins on a new page. Two in a row make no empty page.
    PageBreak,
}

/// A heading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Level, from 1.
    pub level: u8,
    /// Text, without a number.
    pub text: String,
}

/// A piece of text in one style.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Span {
    /// Plain text.
    Text(String),
    /// Text that matters more.
    Strong(String),
    /// An identifier, a path, a piece of code.
    Code(String),
    /// A link. A target that is not `https` is written as text, without a link.
    Link {
        /// What is read.
        text: String,
        /// Where it leads.
        url: String,
    },
}

impl Span {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Text that matters more.
    pub fn strong(text: impl Into<String>) -> Self {
        Self::Strong(text.into())
    }

    /// An identifier, a path, a piece of code.
    pub fn code(text: impl Into<String>) -> Self {
        Self::Code(text.into())
    }

    /// A link.
    pub fn link(text: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Link {
            text: text.into(),
            url: url.into(),
        }
    }

    /// What is read.
    pub fn content(&self) -> &str {
        match self {
            Self::Text(text) | Self::Strong(text) | Self::Code(text) | Self::Link { text, .. } => text,
        }
    }
}

impl From<&str> for Span {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Span {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A list of items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct List {
    /// Numbers instead of bullets.
    pub ordered: bool,
    /// Items, each one paragraph.
    pub items: Vec<Vec<Span>>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What the table shows; nothing is written when it is empty.
    pub caption: String,
    /// Columns from left to right. The table has as many columns as this list.
    pub columns: Vec<Column>,
    /// Header row, one text for each column; missing ones are empty.
    pub header: Vec<String>,
    /// Rows. Missing cells are empty, cells beyond the last column are left out.
    pub rows: Vec<Row>,
    /// The first cell of a row names the row, and is tagged as its header.
    pub row_headers: bool,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Share of the width, in relation to the other columns.
    pub weight: f32,
    /// Alignment of the cells.
    pub align: Align,
}

impl Column {
    /// A column aligned at the left.
    pub const fn left(weight: f32) -> Self {
        Self {
            weight,
            align: Align::Left,
        }
    }

    /// A column aligned at the right, for numbers.
    pub const fn right(weight: f32) -> Self {
        Self {
            weight,
            align: Align::Right,
        }
    }

    /// A centred column.
    pub const fn centre(weight: f32) -> Self {
        Self {
            weight,
            align: Align::Centre,
        }
    }
}

/// Alignment of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Align {
    /// At the left.
    #[default]
    Left,
    /// In the middle.
    Centre,
    /// At the right.
    Right,
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Cells from left to right.
    pub cells: Vec<Cell>,
}

impl From<Vec<Cell>> for Row {
    fn from(cells: Vec<Cell>) -> Self {
        Self { cells }
    }
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Text. A line feed inside a span begins a new line.
    pub spans: Vec<Span>,
    /// A tone draws its symbol before the text. The text must carry the meaning too.
    pub tone: Option<Tone>,
}

impl Cell {
    /// A cell of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            spans: vec![Span::text(text)],
            tone: None,
        }
    }

    /// A cell of plain text with the symbol of a tone before it.
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            spans: vec![Span::text(text)],
            tone: Some(tone),
        }
    }

    /// A cell of spans.
    pub const fn spans(spans: Vec<Span>) -> Self {
        Self { spans, tone: None }
    }
}

/// Lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// File, relative to the project; nothing is written when it is empty.
    pub file: String,
    /// Number of the first line, from 1.
    pub start_line: u32,
    /// Lines without their line ends. Long lines are continued below.
    pub lines: Vec<String>,
    /// Number of the line that is meant; it is marked by a bar and an arrow.
    pub highlight: Option<u32>,
}

/// A chart of horizontal bars.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BarChart {
    /// What is shown; it is also written above the chart.
    pub title: String,
    /// Unit after each value, such as `%`; may be empty.
    pub unit: String,
    /// Bars from top to bottom.
    pub rows: Vec<Bar>,
    /// Alt text. When it is empty, the writer lists the bars.
    pub alt: String,
}

/// One bar of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Name at the left.
    pub label: String,
    /// Length of the bar.
    pub value: f64,
    /// Length of the whole track.
    pub max: f64,
    /// Text after the value; may be empty.
    pub note: String,
    /// Tone of the bar; its symbol is drawn before the value.
    pub tone: Tone,
}

/// A chart of dates on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// What is shown; it is also written above the chart.
    pub title: String,
    /// First date of the line, `2024-08-01`.
    pub from: String,
    /// Last date of the line.
    pub to: String,
    /// Date of the mark "today".
    pub today: Option<String>,
    /// Events; they are drawn by date.
    pub events: Vec<Event>,
    /// Alt text. When it is empty, the writer lists the events.
    pub alt: String,
}

/// An event on a time line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Date, `2026-08-02`.
    pub date: String,
    /// What happens on it.
    pub label: String,
    /// Tone of the mark; its symbol is drawn.
    pub tone: Tone,
}

/// A label and its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What the value is.
    pub label: String,
    /// The value.
    pub value: String,
    /// A tone draws its symbol before the value. The value must carry the meaning too.
    pub tone: Option<Tone>,
}

impl Fact {
    /// A fact without a tone.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            value: value.into(),
            tone: None,
        }
    }

    /// A fact with a tone.
    pub fn toned(tone: Tone, label: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            value: value.into(),
            tone: Some(tone),
        }
    }
}

/// A boxed note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callout {
    /// Tone of the box; its symbol is drawn before the title.
    pub tone: Tone,
    /// What the note is about.
    pub title: String,
    /// The note.
    pub text: Vec<Span>,
}

/// A QR code with its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Qr {
    /// Content of the code, also written as text. A text that is too long for a code is written without one.
    pub text: String,
    /// What the code is for.
    pub caption: String,
    /// Alt text. When it is empty, the caption and the text.
    pub alt: String,
}

/// Tone of a mark. Each has a symbol of its own shape, so that no meaning depends on colour alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tone {
    /// Must be dealt with: a cross in a square.
    Red,
    /// Needs a look: a triangle.
    Amber,
    /// In order: a check mark.
    Green,
    /// Not known, or does not apply: a ring.
    #[default]
    Grey,
    /// For information: a diamond.
    Blue,
}
