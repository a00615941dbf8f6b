//! The outline of HTML, and of HTML within Markdown.

use std::borrow::Cow;

use crate::read::Builder;
use crate::substance::Setting;

/// Tags that browsers know. Another one in a text is a place to fill in: `<name>`.
const TAGS: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "mark",
    "meta",
    "nav",
    "noscript",
    "object",
    "ol",
    "option",
    "p",
    "param",
    "path",
    "picture",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "section",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

/// Whether a text in angle brackets is no tag but a place to fill in.
pub(crate) fn is_unknown_tag(tag: &str) -> bool {
    let inner = tag
        .trim_start_matches('<')
        .trim_end_matches('>')
        .trim_matches('/')
        .trim();
    let name = inner
        .split(|c: char| c.is_whitespace() || c == '/')
        .next()
        .unwrap_or("");
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c == '-' || c == '_' || c.is_ascii_digit())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !inner.contains(['=', '!'])
        && !tag.starts_with("</")
        && !TAGS.contains(&name)
}

/// Walks through a whole page.
pub(crate) fn outline(text: &str, lines_before: u32, builder: &mut Builder) {
    walk(text, lines_before, builder, true);
}

/// Walks through a piece of HTML that stands in another text; its headings open no sections.
pub(crate) fn fragment(text: &str, builder: &mut Builder) {
    walk(text, 0, builder, false);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    Item,
    Heading(u8),
    Cell,
    HeadCell,
    Code,
    Quote,
}

struct State<'a> {
    builder: &'a mut Builder,
    headings: bool,
    block: Block,
    text: String,
    line: u32,
    cells: Vec<String>,
}

impl State<'_> {
    /// Hands over the text that was collected.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let block = self.block;
        if matches!(block, Block::Cell) {
            self.cells.push(text);
            return;
        }
        if text.trim().is_empty() {
            return;
        }
        match block {
            Block::Heading(level) if self.headings => self.builder.heading(level, &text, self.line),
            Block::Heading(_) | Block::Text => self.builder.text(&text, Setting::Plain),
            Block::Item => self.builder.item(&text, Setting::Plain),
            Block::Quote => self.builder.text(&text, Setting::Aside),
            Block::Code => self.builder.code(&text),
            Block::HeadCell | Block::Cell => {}
        }
    }

    fn tag(&mut self, name: &str, closing: bool, line: u32) {
        let next = match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !closing => {
                Block::Heading(name.as_bytes().get(1).map_or(1, |digit| digit.saturating_sub(b'0')))
            }
            "li" | "dd" | "dt" if !closing => Block::Item,
            "td" if !closing => Block::Cell,
            "th" if !closing => Block::HeadCell,
            "pre" if !closing => Block::Code,
            "blockquote" if !closing => Block::Quote,
            "tr" | "table" => {
                self.flush();
                let cells = std::mem::take(&mut self.cells);
                if !cells.is_empty() {
                    self.builder.row(&cells);
                }
                self.block = Block::Text;
                return;
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "dd" | "dt" | "td" | "th" | "pre" | "blockquote" | "p"
            | "div" | "section" | "article" | "ul" | "ol" | "header" | "footer" | "main" | "nav" | "title" | "head"
            | "body" => Block::Text,
            "br" => {
                self.text.push('\n');
                return;
            }
            _ => return,
        };
        // A paragraph within an item or a cell does not end it.
        if matches!(name, "p" | "div" | "ul" | "ol")
            && matches!(self.block, Block::Cell | Block::Item | Block::HeadCell | Block::Quote)
        {
            self.text.push(' ');
            return;
        }
        self.flush();
        self.block = next;
        self.line = line;
    }
}

fn walk(text: &str, lines_before: u32, builder: &mut Builder, headings: bool) {
    let mut state = State {
        builder,
        headings,
        block: Block::Text,
        text: String::new(),
        line: 1,
        cells: Vec::new(),
    };
    let mut line = lines_before + 1;
    let mut rest = text;
    // Up to here no tag ends; keeping it makes a text of unfinished tags linear.
    let mut no_close_before = 0;
    while let Some(open) = rest.find('<') {
        let (before, tail) = rest.split_at(open);
        push_text(&mut state.text, before);
        line = line.saturating_add(newlines(before));
        let (skipped, after) = if let Some(comment) = tail.strip_prefix("<!--") {
            let end = comment.find("-->").map_or(comment.len(), |at| at + 3);
            (4 + end, None)
        } else {
            match tag_at(tail, text.len() - tail.len(), &mut no_close_before) {
                Some((length, name, closing)) => (length, Some((name, closing))),
                None => (1, None),
            }
        };
        match after {
            Some((name, closing)) => {
                if !closing && matches!(&*name, "script" | "style" | "template" | "svg") {
                    // What stands within is no text; the search for the end runs once for each such tag, over what is left.
                    let end = find_close(tail, &name).unwrap_or(tail.len());
                    line = line.saturating_add(newlines(&tail[..end]));
                    rest = &tail[end..];
                    continue;
                }
                if !closing && !state.headings && is_unknown_tag(&tail[..skipped]) {
                    state.builder.hole();
                }
                state.tag(&name, closing, line);
            }
            None if skipped == 1 => state.text.push('<'),
            None => {}
        }
        line = line.saturating_add(newlines(&tail[..skipped]));
        rest = &tail[skipped..];
    }
    push_text(&mut state.text, rest);
    state.flush();
    if !state.cells.is_empty() {
        let cells = std::mem::take(&mut state.cells);
        state.builder.row(&cells);
    }
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|b| *b == b'\n').count()).unwrap_or(u32::MAX)
}

/// Longest tag that is read as one.
const TAG_BYTES_MAX: usize = 4096;

/// The length, name and direction of the tag that opens a text, which stands at an offset of the whole.
fn tag_at<'a>(text: &'a str, offset: usize, no_close_before: &mut usize) -> Option<(usize, Cow<'a, str>, bool)> {
    let inner = text.strip_prefix('<')?;
    let (closing, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
        return None;
    }
    let known = no_close_before.saturating_sub(offset).min(text.len());
    let max = text.len().min(TAG_BYTES_MAX);
    let Some(end) = text
        .as_bytes()
        .get(known..max)
        .and_then(|tail| tail.iter().position(|b| *b == b'>'))
    else {
        *no_close_before = (*no_close_before).max(offset + max);
        return None;
    };
    let end = known + end;
    let length = inner
        .bytes()
        .position(|byte| !byte.is_ascii_alphanumeric() && byte != b'-')
        .unwrap_or(inner.len());
    let name = &inner[..length];
    let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    };
    Some((end + 1, name, closing))
}

/// The end of an element whose content is skipped.
fn find_close(text: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let start = from + at;
        let tail = text.as_bytes().get(start + 2..start + 2 + name.len())?;
        if tail.eq_ignore_ascii_case(name.as_bytes()) {
            return text[start..].find('>').map(|end| start + end + 1);
        }
        from = start + 2;
    }
    None
}

/// Adds text with the few entities that matter for reading.
fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let entity = &rest[at..];
        if let Some((name, meaning)) = ENTITIES.iter().find(|(name, _)| entity.starts_with(name)) {
            out.push_str(meaning);
            rest = &entity[name.len()..];
        } else {
            out.push('&');
            rest = &entity[1..];
        }
    }
    out.push_str(rest);
}

/// Entities that matter for reading.
const ENTITIES: [(&str, &str); 12] = [
    ("&nbsp;", " "),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&auml;", "ä"),
    ("&ouml;", "ö"),
    ("&uuml;", "ü"),
    ("&szlig;", "ß"),
    ("&eacute;", "é"),
    ("&egrave;", "è"),
];
