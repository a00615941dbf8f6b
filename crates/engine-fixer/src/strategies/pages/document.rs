//! A page as elements: of JSX through its tree, of every other markup through a scan of its tags.

use std::ops::Range;
use std::rc::Rc;

use engine_syntax::tree::Node;

use crate::code::{Code, children, descendants};

/// Bytes of one tag that are read.
const TAG_BYTES_MAX: usize = 8_000;
/// Elements of one page that are read.
const ELEMENTS_MAX: usize = 8_000;

/// How a page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Elements in a script.
    Jsx,
    /// A component of Vue: its template has one root.
    Vue,
    /// Tags, with or without a template language around them.
    Markup,
}

/// An attribute of an element.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    /// Its name; `...` where attributes are spread.
    pub(super) name: String,
    /// What is between its quotes or braces.
    pub(super) value: Option<Range<usize>>,
    /// Whether the value is an expression.
    pub(super) dynamic: bool,
}

/// An element of a page.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Its name; empty for a fragment.
    pub(super) name: String,
    /// The opening tag.
    pub(super) open: Range<usize>,
    /// Where the name in the opening tag ends.
    pub(super) name_end: usize,
    /// The closing tag.
    pub(super) close: Option<Range<usize>>,
    /// The element around it.
    pub(super) parent: Option<usize>,
    /// Where the child of the parent begins that it is or lies in.
    pub(super) outer: usize,
    /// Whether a loop draws it.
    pub(super) repeated: bool,
    /// Its attributes.
    pub(super) attributes: Vec<Attribute>,
}

impl Element {
    /// Where the element ends.
    pub(super) fn end(&self) -> usize {
        self.close.as_ref().map_or(self.open.end, |close| close.end)
    }

    /// Whether it is a child of its parent, and not a part of an expression among the children.
    pub(super) fn is_child(&self) -> bool {
        self.outer == self.open.start
    }

    /// The attribute of a name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }

    /// Whether it has an attribute of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }
}

/// A page, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// Its file.
    pub(super) code: Rc<Code>,
    /// How it is written.
    pub(super) kind: Kind,
    /// Its elements in the order of the text.
    pub(super) elements: Vec<Element>,
    /// Texts between tags.
    pub(super) texts: Vec<Range<usize>>,
    /// Whether no line may be added: a text in quotes on one line.
    pub(super) one_line: bool,
    /// Whether a loop may draw any of its elements: its language ends loops with a word that ends other things too.
    pub(super) has_loops: bool,
}

impl Page {
    /// Takes a file apart.
    pub(super) fn of(code: Rc<Code>) -> Option<Self> {
        let ending = ending(&code.path);
        if matches!(ending, "tsx" | "jsx" | "js") {
            let (elements, texts) = of_tree(&code)?;
            return Some(Self {
                kind: Kind::Jsx,
                elements,
                texts,
                one_line: false,
                has_loops: false,
                code,
            });
        }
        let kind = if ending == "vue" { Kind::Vue } else { Kind::Markup };
        let (elements, texts) = of_tags(&code.text, 0..code.text.len(), &code.path);
        Some(Self {
            kind,
            elements,
            texts,
            one_line: false,
            has_loops: has_loops(&code),
            code,
        })
    }

    /// Takes the markup in a text of a program apart.
    pub(super) fn of_literal(code: Rc<Code>, range: Range<usize>, one_line: bool) -> Self {
        let (elements, texts) = of_tags(&code.text, range, "");
        Self {
            kind: Kind::Markup,
            elements,
            texts,
            one_line,
            has_loops: false,
            code,
        }
    }

    /// The text of a range.
    pub(super) fn text(&self, range: &Range<usize>) -> &str {
        self.code.text.get(range.clone()).unwrap_or("")
    }

    /// The constant value of an attribute.
    pub(super) fn literal(&self, element: &Element, name: &str) -> Option<&str> {
        let attribute = element.attribute(name).filter(|attribute| !attribute.dynamic)?;
        Some(self.text(attribute.value.as_ref()?))
    }

    /// The value of an attribute as it is written.
    pub(super) fn written(&self, element: &Element, name: &str) -> Option<&str> {
        Some(self.text(element.attribute(name)?.value.as_ref()?))
    }

    /// What is between the tags of an element.
    pub(super) fn inner(&self, element: &Element) -> Option<&str> {
        let close = element.close.as_ref()?;
        self.code.text.get(element.open.end..close.start)
    }

    /// Whether an element lies in another, or is that.
    pub(super) fn is_within(&self, inner: usize, outer: usize) -> bool {
        let mut at = Some(inner);
        while let Some(index) = at {
            if index == outer {
                return true;
            }
            at = self.elements.get(index).and_then(|element| element.parent);
        }
        false
    }

    /// The innermost element with an offset between its first and its last byte.
    pub(super) fn element_at(&self, offset: usize) -> Option<usize> {
        self.elements
            .iter()
            .rposition(|element| element.open.start <= offset && offset < element.end())
    }

    /// Everything that people read on the page, joined.
    pub(super) fn visible(&self) -> String {
        let mut out = String::new();
        for text in &self.texts {
            out.push_str(self.text(text));
            out.push('\n');
        }
        for element in &self.elements {
            for name in ["placeholder", "aria-label", "title", "alt", "label"] {
                if let Some(value) = self.literal(element, name) {
                    out.push_str(value);
                    out.push('\n');
                }
            }
        }
        out
    }
}

/// Whether a page may have loops whose end is not told from other ends.
fn has_loops(code: &Code) -> bool {
    matches!(
        ending(&code.path),
        "erb" | "php" | "phtml" | "cshtml" | "razor" | "ejs" | "jsp"
    ) && !code.path.ends_with(".blade.php")
        && [" each ", ".each", "foreach", "for (", "for(", "c:forEach"]
            .iter()
            .any(|word| code.text.contains(word))
}

/// The ending of a path, in lower case where it is a known one.
pub(super) fn ending(path: &str) -> &str {
    path.rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map_or("", |(_, ending)| ending)
}

/// Elements that have no content.
fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

/// The elements and texts of JSX.
fn of_tree(code: &Code) -> Option<(Vec<Element>, Vec<Range<usize>>)> {
    let root = code.tree()?.root_node();
    let nodes = descendants(root, |node| {
        matches!(node.kind(), "jsx_element" | "jsx_self_closing_element" | "jsx_fragment")
    });
    if nodes.is_empty() || nodes.len() > ELEMENTS_MAX {
        return None;
    }
    let ids: std::collections::HashMap<usize, usize> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.id(), index))
        .collect();
    let mut elements = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let open = node.child_by_field_name("open_tag");
        let close = node.child_by_field_name("close_tag");
        let tag = open.unwrap_or(*node);
        let name = tag.child_by_field_name("name");
        let mut element = Element {
            name: name.map_or_else(String::new, |name| code.of_node(name).to_owned()),
            open: tag.byte_range(),
            name_end: name.map_or(tag.start_byte() + 1, |name| name.end_byte()),
            close: close.map(|close| close.byte_range()),
            parent: None,
            outer: node.start_byte(),
            repeated: false,
            attributes: attributes_of(code, tag),
        };
        let (mut at, mut child) = (node.parent(), *node);
        while let Some(around) = at {
            if let Some(index) = ids.get(&around.id()) {
                // What is given to an attribute is no child.
                let is_attribute = around
                    .child_by_field_name("open_tag")
                    .map_or(around.kind() == "jsx_self_closing_element", |open| {
                        open.start_byte() <= child.start_byte() && child.end_byte() <= open.end_byte()
                    });
                if !is_attribute {
                    element.parent = Some(*index);
                    element.outer = child.start_byte();
                }
                break;
            }
            if around.kind() == "call_expression" && is_loop(code, around) {
                element.repeated = true;
            }
            child = around;
            at = around.parent();
        }
        if element.parent.is_none() {
            element.outer = node.start_byte();
        }
        elements.push(element);
    }
    // What a repeated element holds is repeated with it.
    for index in 0..elements.len() {
        let inherited = elements
            .get(index)
            .and_then(|element| element.parent)
            .and_then(|parent| elements.get(parent))
            .is_some_and(|parent| parent.repeated);
        if let Some(element) = elements.get_mut(index) {
            element.repeated |= inherited;
        }
    }
    let texts = descendants(root, |node| node.kind() == "jsx_text")
        .into_iter()
        .map(|node| node.byte_range())
        .filter(|range| code.text.get(range.clone()).is_some_and(|text| !text.trim().is_empty()))
        .collect();
    Some((elements, texts))
}

/// Whether a call draws its function for each entry of a list.
fn is_loop(code: &Code, call: Node<'_>) -> bool {
    call.child_by_field_name("function").is_some_and(|callee| {
        let name = code.of_node(callee);
        [".map", ".flatMap", "Array.from"].iter().any(|end| name.ends_with(end))
    })
}

/// The attributes of an opening tag of JSX.
fn attributes_of(code: &Code, tag: Node<'_>) -> Vec<Attribute> {
    let mut out = Vec::new();
    for child in children(tag) {
        match child.kind() {
            "jsx_attribute" => {
                let parts = children(child);
                let Some(name) = parts.first() else { continue };
                let value = parts.get(1);
                let (range, dynamic) = match value {
                    Some(value) if value.kind() == "string" => {
                        (Some(value.start_byte() + 1..value.end_byte().saturating_sub(1)), false)
                    }
                    Some(value) if value.kind() == "jsx_expression" => {
                        let inner = children(*value);
                        match inner.first() {
                            Some(text) if text.kind() == "string" && inner.len() == 1 => {
                                (Some(text.start_byte() + 1..text.end_byte().saturating_sub(1)), false)
                            }
                            _ => (Some(value.start_byte() + 1..value.end_byte().saturating_sub(1)), true),
                        }
                    }
                    Some(value) => (Some(value.byte_range()), true),
                    None => (None, false),
                };
                out.push(Attribute {
                    name: code.of_node(*name).to_owned(),
                    value: range,
                    dynamic,
                });
            }
            "jsx_expression" => out.push(Attribute {
                name: "...".to_owned(),
                value: Some(child.byte_range()),
                dynamic: true,
            }),
            _ => {}
        }
    }
    out
}

/// What opens a part of a template language or a remark, and what closes it.
const BLOCKS: [(&str, &str); 12] = [
    ("<!--", "-->"),
    ("{{!--", "--}}"),
    ("{{--", "--}}"),
    ("{#-", "#}"),
    ("{# ", "#}"),
    ("@*", "*@"),
    ("<%--", "--%>"),
    ("<?", "?>"),
    ("<%", "%>"),
    ("{%", "%}"),
    ("{!!", "!!}"),
    ("{{", "}}"),
];

/// The bytes of a template block at the start of a text.
fn block(rest: &str) -> Option<usize> {
    BLOCKS.iter().find_map(|(open, close)| {
        let inner = rest.strip_prefix(open)?;
        Some(inner.find(close).map_or(rest.len(), |at| open.len() + at + close.len()))
    })
}

/// How a block changes the number of loops around what follows.
fn loops(block: &str) -> i32 {
    let inner = block.trim_start_matches(['{', '%', '<', '?', '#', '-', ' ']);
    if block.starts_with("{%") && inner.starts_with("for") || block.starts_with("{{#each") {
        1
    } else if block.starts_with("{%") && inner.starts_with("endfor") || block.starts_with("{{/each") {
        -1
    } else {
        0
    }
}

/// The elements and texts of markup.
fn of_tags(text: &str, region: Range<usize>, path: &str) -> (Vec<Element>, Vec<Range<usize>>) {
    let mut out: Vec<Element> = Vec::new();
    let mut texts: Vec<Range<usize>> = Vec::new();
    let mut stack: Vec<usize> = Vec::new();
    let mut depth = 0;
    let end = region.end;
    let mut at = region.start;
    let mut written = at;
    // The script in front of an Astro component.
    if ending(path) == "astro" && text.starts_with("---") {
        at = text
            .get(3..)
            .and_then(|rest| rest.find("---"))
            .map_or(0, |close| close + 6);
        written = at;
    }
    let mut close_text = |from: usize, to: usize| {
        if text.get(from..to).is_some_and(|text| !text.trim().is_empty()) {
            texts.push(from..to);
        }
    };
    while at < end && out.len() < ELEMENTS_MAX {
        let Some(rest) = text.get(at..end) else {
            at += 1;
            continue;
        };
        if let Some(length) = block(rest) {
            close_text(written, at);
            depth = (depth + loops(rest)).max(0);
            at += length;
            written = at;
            continue;
        }
        // Blocks of Svelte and directives of Blade.
        if rest.starts_with("{#each") || rest.starts_with("@foreach") || rest.starts_with("@forelse") {
            depth += 1;
        } else if rest.starts_with("{/each") || rest.starts_with("@endfor") {
            depth = (depth - 1).max(0);
        }
        if rest.starts_with('{') && matches!(ending(path), "svelte" | "astro") {
            close_text(written, at);
            // Elements may lie between the parts of a block; those of an expression are left alone.
            let head = rest.get(1..2).unwrap_or("");
            let length = if matches!(head, "#" | ":" | "/" | "@") {
                rest.find('}').map_or(1, |close| close + 1)
            } else {
                braces(rest).unwrap_or(1)
            };
            at += length;
            written = at;
            continue;
        }
        if rest.starts_with("</") {
            let name_end = name_length(rest, 2);
            let Some(close) = rest.find('>').filter(|_| name_end > 2) else {
                at += 2;
                continue;
            };
            close_text(written, at);
            let name = rest.get(2..name_end).unwrap_or("");
            let matched = stack.iter().rposition(|open| {
                out.get(*open)
                    .is_some_and(|element| element.name.eq_ignore_ascii_case(name))
            });
            if let Some(position) = matched {
                if let Some(element) = stack.get(position).and_then(|open| out.get_mut(*open)) {
                    element.close = Some(at..at + close + 1);
                }
                stack.truncate(position);
            }
            at += close + 1;
            written = at;
            continue;
        }
        let is_tag = rest.starts_with('<')
            && rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic)
            && !is_type(text, at, rest);
        let Some(tag) = is_tag.then(|| tag(text, at, end)).flatten() else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        close_text(written, at);
        let repeats = tag
            .attributes
            .iter()
            .any(|attribute| matches!(attribute.name.as_str(), "v-for" | "*ngFor" | "th:each" | "x-for"));
        let parent = stack.last().copied();
        let inherited = parent
            .and_then(|parent| out.get(parent))
            .is_some_and(|parent| parent.repeated);
        let index = out.len();
        let lower = tag.name.to_ascii_lowercase();
        at = tag.end;
        written = at;
        out.push(Element {
            open: tag.start..tag.end,
            name_end: tag.start + 1 + tag.name.len(),
            close: None,
            parent,
            outer: tag.start,
            repeated: repeats || inherited || depth > 0,
            attributes: tag.attributes,
            name: tag.name,
        });
        if tag.empty || is_void(&lower) {
            continue;
        }
        if matches!(lower.as_str(), "script" | "style" | "textarea" | "title") {
            let raw = text.get(at..end).unwrap_or("");
            let close = find_close(raw, &lower);
            if let Some((from, to)) = close {
                if let Some(element) = out.last_mut() {
                    element.close = Some(at + from..at + to);
                }
                at += to;
            } else {
                at = end;
            }
            written = at;
            continue;
        }
        stack.push(index);
    }
    close_text(written, end.max(written));
    (out, texts)
}

/// Whether what follows a word is a type of a program and no element: `List<string>`.
fn is_type(text: &str, at: usize, rest: &str) -> bool {
    const FOLLOW: [&str; 27] = [
        "a", "b", "br", "i", "p", "em", "li", "ol", "ul", "div", "img", "sub", "sup", "code", "form", "span", "input",
        "label", "small", "table", "button", "select", "strong", "textarea", "svg", "section", "hr",
    ];
    let is_glued = text
        .get(..at)
        .and_then(|before| before.chars().next_back())
        .is_some_and(|c| c.is_alphanumeric() || c == '_');
    is_glued
        && rest
            .get(1..name_length(rest, 1))
            .is_none_or(|name| !FOLLOW.contains(&name))
}

/// Where a raw element closes.
fn find_close(raw: &str, name: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(at) = raw.get(from..)?.find("</") {
        let start = from + at;
        let rest = raw.get(start + 2..)?;
        let same = rest
            .get(..name.len())
            .is_some_and(|begins| begins.eq_ignore_ascii_case(name));
        if same {
            return Some((start, start + 2 + rest.find('>')? + 1));
        }
        from = start + 2;
    }
    None
}

/// The end of a name that begins at an offset of a text.
fn name_length(rest: &str, from: usize) -> usize {
    rest.bytes()
        .skip(from)
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':')))
        .map_or(rest.len(), |length| from + length)
}

/// The bytes of a part in braces at the start of a text.
fn braces(rest: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate().take(TAG_BYTES_MAX) {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// A tag as it is read.
struct Tag {
    name: String,
    start: usize,
    end: usize,
    empty: bool,
    attributes: Vec<Attribute>,
}

/// Reads the opening tag at an offset.
fn tag(text: &str, start: usize, end: usize) -> Option<Tag> {
    let limit = end.min(start + TAG_BYTES_MAX);
    let mut limit = limit;
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let whole = text.get(start..limit)?;
    let name_end = name_length(whole, 1);
    let mut at = name_end;
    let mut attributes = Vec::new();
    loop {
        let rest = whole.get(at..)?;
        let first = rest.chars().next()?;
        if first == '>' {
            let empty = whole.get(..at)?.ends_with('/');
            return Some(Tag {
                name: whole.get(1..name_end)?.to_owned(),
                start,
                end: start + at + 1,
                empty,
                attributes,
            });
        }
        if first == '<' && block(rest).is_none() {
            return None;
        }
        if first.is_whitespace() || first == '/' {
            at += first.len_utf8();
            continue;
        }
        if let Some(length) = block(rest) {
            attributes.push(Attribute {
                name: "...".to_owned(),
                value: Some(start + at..start + at + length),
                dynamic: true,
            });
            at += length;
            continue;
        }
        if first == '{' {
            let length = braces(rest)?;
            let inner = rest.get(1..length - 1).unwrap_or("").trim();
            let spread = inner.starts_with("...");
            attributes.push(Attribute {
                name: if spread { "...".to_owned() } else { inner.to_owned() },
                value: Some(start + at..start + at + length),
                dynamic: true,
            });
            at += length;
            continue;
        }
        let length = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '<'))
            .unwrap_or(rest.len());
        // A name does not begin with the sign of a value.
        let length = length.max(first.len_utf8());
        let name = rest.get(..length)?.trim_end_matches('/').to_owned();
        at += length;
        let behind = whole.get(at..)?;
        let blanks = behind.len() - behind.trim_start().len();
        if !behind.trim_start().starts_with('=') {
            if !name.is_empty() {
                attributes.push(Attribute {
                    name,
                    value: None,
                    dynamic: false,
                });
            }
            continue;
        }
        at += blanks + 1;
        let behind = whole.get(at..)?;
        at += behind.len() - behind.trim_start().len();
        let (value, length, dynamic) = value(whole.get(at..)?)?;
        let dynamic = dynamic || name.starts_with([':', '@', '[', '(', '*', '#']) || name.contains(':');
        attributes.push(Attribute {
            name,
            value: Some(start + at + value.start..start + at + value.end),
            dynamic,
        });
        at += length;
    }
}

/// Reads a value: where its text is, how long it is, and whether it is an expression.
fn value(rest: &str) -> Option<(Range<usize>, usize, bool)> {
    let first = rest.chars().next()?;
    if matches!(first, '"' | '\'') {
        let mut at = 1;
        let mut dynamic = false;
        loop {
            let inner = rest.get(at..)?;
            if let Some(length) = block(inner) {
                dynamic = true;
                at += length;
                continue;
            }
            let next = inner.chars().next()?;
            if next == first {
                let inside = rest.get(1..at).unwrap_or("");
                let dynamic = dynamic || inside.contains(['{', '}']) || inside.starts_with('@');
                return Some((1..at, at + 1, dynamic));
            }
            at += next.len_utf8();
        }
    }
    if first == '{' {
        let length = block(rest).or_else(|| braces(rest))?;
        return Some((1..length.saturating_sub(1), length, true));
    }
    let length = rest.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(rest.len());
    Some((0..length, length, rest.get(..length)?.contains(['{', '@'])))
}
