//! Blocks into items.

use crate::flow::{AnchorId, Draw, Item, Mark, Op};
use crate::fonts::{FontId, Fonts};
use crate::model::{Block, Span, Words};
use crate::tags::{Kind, Link, NodeId, Tags, Target};
use crate::text::{Line, Piece, Run, Style, clean, lines, one_line};
use crate::theme::{ACCENT, Colour, LINK, MUTED};

/// Text of the body, and the height of its lines.
pub(crate) const BODY: f32 = 10.0;
pub(crate) const BODY_LINE: f32 = 14.4;

/// A heading that bookmarks and the contents lead to.
#[derive(Clone, Debug)]
pub(crate) struct Anchor {
    pub(crate) id: AnchorId,
    pub(crate) level: u8,
    pub(crate) title: String,
}

/// What blocks are built with, and what they become.
pub(crate) struct Builder<'a> {
    pub(crate) fonts: &'a mut Fonts,
    pub(crate) tags: &'a mut Tags,
    pub(crate) words: &'a Words,
    /// Mark between the whole part of a number and the rest.
    pub(crate) decimal: char,
    pub(crate) items: Vec<Item>,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) level: u8,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(fonts: &'a mut Fonts, tags: &'a mut Tags, words: &'a Words, language: &str) -> Self {
        let point = ["en", "ga", "mt"]
            .iter()
            .any(|tag| language.to_ascii_lowercase().starts_with(tag));
        let decimal = if point { '.' } else { ',' };
        Self {
            fonts,
            tags,
            words,
            decimal,
            items: Vec::new(),
            anchors: Vec::new(),
            level: 0,
        }
    }

    pub(crate) fn blocks(&mut self, blocks: &[Block]) {
        let mut new_page = false;
        for block in blocks {
            let first = self.items.len();
            match block {
                Block::Heading(heading) => self.heading(heading),
                Block::Paragraph(spans) => self.paragraph(spans),
                Block::List(list) => self.list(list),
                Block::Table(table) => self.table(table),
                Block::Code(code) => self.code(code),
                Block::BarChart(chart) => self.bars(chart),
                Block::Timeline(timeline) => self.timeline(timeline),
                Block::Facts(facts) => self.facts(facts),
                Block::Callout(callout) => self.callout(callout),
                Block::Qr(qr) => self.qr(qr),
                Block::PageBreak => new_page = true,
            }
            if new_page && let Some(item) = self.items.get_mut(first) {
                item.new_page = true;
                new_page = false;
            }
        }
    }

    /// Spans as pieces of text below a node. In a table only links have a node of their own.
    pub(crate) fn pieces(
        &mut self,
        spans: &[Span],
        parent: NodeId,
        size: f32,
        colour: Colour,
        in_table: bool,
    ) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(spans.len());
        for span in spans {
            let text = clean(span.content(), " ");
            let (font, node) = match span {
                Span::Text(_) => (FontId::Sans, parent),
                Span::Strong(_) if in_table => (FontId::Bold, parent),
                Span::Strong(_) => (FontId::Bold, self.tags.add(parent, Kind::Strong)),
                Span::Code(_) if in_table => (FontId::Mono, parent),
                Span::Code(_) => (FontId::Mono, self.tags.add(parent, Kind::Code)),
                Span::Link { url, .. } => {
                    pieces.push(self.link(&text, url, parent, size, colour));
                    continue;
                }
            };
            // The letters of the code font are wider than those of the text.
            let size = if font == FontId::Mono { size * 0.9 } else { size };
            pieces.push(Piece {
                text,
                style: Style::new(font, size, colour),
                node,
            });
        }
        pieces
    }

    fn link(&mut self, text: &str, url: &str, parent: NodeId, size: f32, colour: Colour) -> Piece {
        let text = if text.trim().is_empty() {
            clean(url, " ")
        } else {
            text.to_owned()
        };
        if !is_target(url) {
            return Piece {
                text,
                style: Style::new(FontId::Sans, size, colour),
                node: parent,
            };
        }
        let name: String = one_line(&text).chars().take(200).collect();
        let description = self.words.link_to.replace("{target}", &name);
        let description = if description.trim().is_empty() {
            name
        } else {
            description
        };
        let node = self.tags.add(
            parent,
            Kind::Link(Link {
                target: Target::Url(url.to_owned()),
                description,
            }),
        );
        Piece {
            text,
            style: Style::new(FontId::Sans, size, LINK),
            node,
        }
    }

    /// A text in one style, without line ends, on one line of any length.
    pub(crate) fn one(&mut self, text: &str, style: Style, node: NodeId) -> Line {
        let piece = Piece {
            text: one_line(text),
            style,
            node,
        };
        lines(self.fonts, &[piece], f32::MAX)
            .into_iter()
            .next()
            .unwrap_or_default()
    }

    /// A text in one style, on lines of a width.
    pub(crate) fn wrapped(&mut self, text: &str, style: Style, node: NodeId, width: f32) -> Vec<Line> {
        lines(
            self.fonts,
            &[Piece {
                text: clean(text, " "),
                style,
                node,
            }],
            width,
        )
    }

    /// A space for a part without text, so that the part has its place in the structure.
    pub(crate) fn blank(&mut self, style: Style, node: NodeId, x: f32, y: f32) -> Option<Op> {
        let shaped = self.fonts.shape(style.font, " ").first().cloned()?;
        let run = Run {
            x: 0.0,
            width: 0.0,
            style,
            node,
            shaped,
        };
        Some(Op {
            mark: Mark::Content(node),
            draw: Draw::Text { run, x, y },
        })
    }

    /// A title of a chart, a table or a piece of code.
    pub(crate) fn caption_style() -> Style {
        Style::new(FontId::Bold, 9.0, ACCENT)
    }

    /// Adds lines as items, so that a page has at least two of them.
    pub(crate) fn push_lines(&mut self, built: Vec<Line>, x: f32, height: f32, before: f32, after: f32) {
        let count = built.len();
        for (index, line) in built.into_iter().enumerate() {
            let mut item = Item::new(height);
            item.before = if index == 0 { before } else { 0.0 };
            item.after = if index + 1 == count { after } else { 0.0 };
            item.keep = keeps(index, count);
            item.line(line, x, 0.0, height);
            self.items.push(item);
        }
    }

    /// The number with at most one digit after the decimal mark.
    pub(crate) fn number(&self, value: f64) -> String {
        if !value.is_finite() {
            return "–".to_owned();
        }
        let text = format!("{value:.1}");
        match text.strip_suffix(".0") {
            Some("-0") => "0".to_owned(),
            Some(whole) => whole.to_owned(),
            None => text.replace('.', &self.decimal.to_string()),
        }
    }

    /// Joins the default parts of a description.
    pub(crate) fn described(given: &str, title: &str, parts: &[String]) -> String {
        let given = one_line(given);
        if !given.is_empty() {
            return given;
        }
        let title = one_line(title);
        let list = parts.join("; ");
        match (title.is_empty(), list.is_empty()) {
            (false, false) => format!("{title}: {list}"),
            (true, false) => list,
            (false, true) => title,
            (true, true) => "–".to_owned(),
        }
    }
}

/// Whether a line stays with the next one: short texts are never cut, longer ones leave two lines on each side.
pub(crate) const fn keeps(index: usize, count: usize) -> bool {
    index + 1 < count && (count <= 3 || index == 0 || index + 2 == count)
}

/// Whether a link may be written: `https`, and nothing but printable ASCII.
fn is_target(url: &str) -> bool {
    url.len() > "https://".len()
        && url.len() <= 2000
        && url.starts_with("https://")
        && url.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Style of the name of a fact.
pub(crate) const LABEL: Style = Style::new(FontId::Sans, 8.0, MUTED);
