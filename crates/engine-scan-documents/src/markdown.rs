//! The outline of Markdown.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::html;
use crate::read::Builder;
use crate::substance::Setting;

/// Walks through Markdown; `lines_before` is the number of lines that were taken off its top.
pub(crate) fn outline(text: &str, lines_before: u32, builder: &mut Builder) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut walk = Walk {
        lines: Lines {
            text,
            at: 0,
            line: lines_before + 1,
        },
        ..Walk::new(text)
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        walk.event(event, range.start, builder);
    }
    walk.flush(builder);
}

/// Tells the line of a byte; asked in rising order only.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl Lines<'_> {
    fn of(&mut self, byte: usize) -> u32 {
        let byte = byte.min(self.text.len());
        if byte > self.at {
            let passed = self.text[self.at..byte].matches('\n').count();
            self.line = self.line.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX));
            self.at = byte;
        }
        self.line
    }
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each says whether a part of the text is open that the parser has opened"
)]
struct Walk<'a> {
    lines: Lines<'a>,
    /// Text of the block that is open.
    block: String,
    /// Letters of that text outside of emphasis.
    outside_emphasis: usize,
    emphasis: u32,
    strong: u32,
    struck: u32,
    quotes: u32,
    items: u32,
    open_box: bool,
    heading: Option<(u8, u32)>,
    code: bool,
    html: bool,
    table_head: bool,
    in_table: bool,
    cells: Vec<String>,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            lines: Lines { text, at: 0, line: 1 },
            block: String::new(),
            outside_emphasis: 0,
            emphasis: 0,
            strong: 0,
            struck: 0,
            quotes: 0,
            items: 0,
            open_box: false,
            heading: None,
            code: false,
            html: false,
            table_head: false,
            in_table: false,
            cells: Vec::new(),
        }
    }

    fn event(&mut self, event: Event<'_>, at: usize, builder: &mut Builder) {
        match event {
            Event::Start(tag) => self.start(&tag, at, builder),
            Event::End(tag) => self.end(tag, builder),
            Event::Text(_) if self.struck > 0 => {}
            Event::Text(text) => {
                if self.emphasis == 0 {
                    self.outside_emphasis += text.chars().filter(|c| c.is_alphanumeric()).count();
                }
                self.block.push_str(&text);
            }
            // Code within a sentence names things; its brackets are no places to fill in.
            Event::Code(text) => {
                self.outside_emphasis += 1;
                self.block.extend(text.chars().map(|c| {
                    if matches!(c, '<' | '>' | '[' | ']' | '{' | '}' | '_' | '?') {
                        ' '
                    } else {
                        c
                    }
                }));
            }
            Event::Html(text) => self.block.push_str(&text),
            Event::InlineHtml(text) => {
                if html::is_unknown_tag(&text) {
                    self.block.push_str(&text);
                } else if text.to_ascii_lowercase().starts_with("<br") {
                    self.block.push('\n');
                }
            }
            Event::SoftBreak | Event::HardBreak => self.block.push('\n'),
            Event::TaskListMarker(done) => self.open_box = !done,
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, at: usize, builder: &mut Builder) {
        match tag {
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strong => self.strong += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { .. } | Tag::Image { .. } | Tag::Superscript | Tag::Subscript => {}
            Tag::TableCell => self.block.clear(),
            other => {
                self.flush(builder);
                match other {
                    Tag::Heading { level, .. } => self.heading = Some((level_number(*level), self.lines.of(at))),
                    Tag::BlockQuote(_) => self.quotes += 1,
                    Tag::Item => self.items += 1,
                    Tag::CodeBlock(_) => self.code = true,
                    Tag::HtmlBlock => self.html = true,
                    Tag::Table(_) => self.in_table = true,
                    Tag::TableHead => self.table_head = true,
                    Tag::TableRow => self.cells.clear(),
                    _ => {}
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd, builder: &mut Builder) {
        match tag {
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Link | TagEnd::Image | TagEnd::Superscript | TagEnd::Subscript => {}
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.block);
                self.cells.push(cell);
            }
            TagEnd::TableHead => {
                self.table_head = false;
                self.cells.clear();
            }
            TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                if !self.is_of_the_engine(builder) {
                    builder.row(&cells);
                }
            }
            TagEnd::Table => {
                self.in_table = false;
                self.block.clear();
            }
            other => {
                self.flush(builder);
                match other {
                    TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
                    TagEnd::Item => {
                        self.items = self.items.saturating_sub(1);
                        self.open_box = false;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Whether the open block is a quotation in a document of this engine: its own text with sources, not a person's.
    fn is_of_the_engine(&self, builder: &Builder) -> bool {
        self.quotes > 0 && builder.leaves_out_quotations()
    }

    fn flush(&mut self, builder: &mut Builder) {
        let outside = std::mem::take(&mut self.outside_emphasis);
        let (code, html) = (std::mem::take(&mut self.code), std::mem::take(&mut self.html));
        let heading = self.heading.take();
        if self.block.trim().is_empty() || self.in_table || self.is_of_the_engine(builder) {
            self.block.clear();
            return;
        }
        let block = std::mem::take(&mut self.block);
        if let Some((level, line)) = heading {
            builder.heading(level, &block, line);
        } else if code {
            builder.code(&block);
        } else if html {
            builder.mark(&block);
            html::fragment(&block, builder);
        } else if self.open_box {
            builder.hole();
        } else {
            let aside = self.quotes > 0 || outside == 0 && block.chars().any(char::is_alphanumeric);
            let setting = if aside { Setting::Aside } else { Setting::Plain };
            if self.items > 0 {
                builder.item(&block, setting);
            } else {
                builder.text(&block, setting);
            }
        }
    }
}

const fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
