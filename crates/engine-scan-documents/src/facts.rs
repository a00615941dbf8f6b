//! What is kept of a document after its text is gone.

use engine_model::{DocumentDate, SectionState};
use serde::{Deserialize, Serialize};

/// The outline of a document, with what stands below each heading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentFacts {
    /// What the front matter says.
    pub front: FrontMatter,
    /// What stands before the first heading.
    pub preamble: SectionFacts,
    /// The headings in reading order.
    pub sections: Vec<SectionFacts>,
    /// The language that its common words tell, as an ISO 639-1 code.
    pub language: Option<String>,
    /// Whether it speaks of AI at all.
    pub speaks_of_ai: bool,
    /// Whether it names the AI Act.
    pub cites_act: bool,
    /// Dates of versions and reviews that it states.
    pub dates: Vec<DocumentDate>,
    /// Whether a limit cut the reading short.
    pub truncated: bool,
    /// Why a Word or PDF document was not read, or not to its end.
    #[serde(default)]
    pub unread: Option<Unread>,
}

/// Why a Word or PDF document was not read, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unread {
    /// It is encrypted.
    Encrypted,
    /// Its pages have no text, as those of a scanned document.
    NoText,
    /// It is not what its name says, or it is cut off.
    Damaged,
    /// It goes beyond a limit: bytes, unpacked bytes, objects, paragraphs, pages or text.
    Limit,
}

/// What the front matter of a document says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrontMatter {
    /// `title`.
    pub title: Option<String>,
    /// `docType`, an id of a kind of document.
    pub doc_type: Option<String>,
    /// `status`, such as `draft` or `final`.
    pub status: Option<String>,
    /// Whether it says that a program wrote the text.
    pub generated: bool,
    /// Whether it is the front matter of an article in a blog or on a news page.
    pub article: bool,
    /// Whether this engine generated the document: its quotations are then the engine's text, and no substance.
    #[serde(default)]
    pub own: bool,
}

/// One heading and what stands below it, up to the next heading of any level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionFacts {
    /// Level from 1; 0 for what stands before the first heading.
    pub level: u8,
    /// The heading without its number.
    pub heading: String,
    /// Line of the heading, from 1. In a Word document it is the number of the paragraph, and in a PDF document the number of
    /// the line of text, counted through all pages.
    pub line: u32,
    /// Words that say something.
    pub words: u32,
    /// Different words among them, counted up to a limit.
    pub distinct: u32,
    /// Places that wait to be filled in.
    pub placeholders: u32,
    /// Figures within text.
    pub numbers: u32,
    /// Items of lists that say something.
    pub items: u32,
    /// Rows of tables that are filled in.
    pub rows: u32,
    /// Lines of code blocks.
    pub code_lines: u32,
    /// Open questions of a document that this engine generated.
    #[serde(default)]
    pub open: u32,
    /// The key of the section in the law's list, as the mark below a heading of a generated document names it.
    #[serde(default)]
    pub key: Option<String>,
}

impl SectionFacts {
    /// What the section amounts to.
    pub fn state(&self) -> SectionState {
        let template = self.placeholders * PLACEHOLDER_WEIGHT > self.words;
        let told = self.words >= WORDS_MIN && self.distinct >= DISTINCT_MIN;
        let figure = self.numbers > 0 && self.words >= WORDS_WITH_FIGURE_MIN;
        let list = self.items >= 2 && self.words >= WORDS_IN_LIST_MIN;
        if self.open > 0 {
            SectionState::Placeholder
        } else if self.rows > 0 || self.code_lines >= 2 || (!template && (told || figure || list)) {
            SectionState::Filled
        } else if self.placeholders > 0 {
            SectionState::Placeholder
        } else if self.words > 0 || self.code_lines > 0 {
            SectionState::Thin
        } else {
            SectionState::Empty
        }
    }

    /// Adds what stands in a section below this one.
    pub(crate) fn add(&mut self, below: &Self) {
        self.words = self.words.saturating_add(below.words);
        self.distinct = self.distinct.saturating_add(below.distinct);
        self.placeholders = self.placeholders.saturating_add(below.placeholders);
        self.numbers = self.numbers.saturating_add(below.numbers);
        self.items = self.items.saturating_add(below.items);
        self.rows = self.rows.saturating_add(below.rows);
        self.code_lines = self.code_lines.saturating_add(below.code_lines);
        self.open = self.open.saturating_add(below.open);
    }
}

/// Words below which a text tells nothing on its own.
const WORDS_MIN: u32 = 12;
/// Different words below which a text is a repetition.
const DISTINCT_MIN: u32 = 8;
/// Words that a figure needs around it.
const WORDS_WITH_FIGURE_MIN: u32 = 4;
/// Words that a list needs in all.
const WORDS_IN_LIST_MIN: u32 = 5;
/// Words of own text that outweigh one place that waits to be filled in.
const PLACEHOLDER_WEIGHT: u32 = 8;
