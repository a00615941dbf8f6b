//! What pages and components show: conversations, fields, live regions, imprints.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_model::StatementKind;

use crate::patterns::pattern;
use crate::read::{Out, ends_in, number};

/// The value of a page that is no part of another.
pub(crate) const WHOLE_PAGE: &str = "whole";
/// The value of a page that people write into, or that holds all others.
pub(crate) const USED: &str = "used";
/// The value of a field that stands in a form.
pub(crate) const IN_FORM: &str = "form";
/// Bytes of one tag that are read.
const TAG_BYTES_MAX: usize = 4000;
/// Tags of one file that are read.
const TAGS_MAX: usize = 4000;

/// Reads the statements of a page or component.
pub(crate) fn read(path: &str, text: &str, out: &mut Out<'_>) {
    if !text.contains('<') {
        return;
    }
    let lower_path = path.to_ascii_lowercase();
    let tags = tags(text);
    if tags.is_empty() {
        return;
    }
    let whole_page = ends_in(path, &["html", "htm"]);
    // What a program draws (a map, a chart) holds boxes and no text: that is no page of an interface.
    if whole_page && !tags.iter().any(|tag| is_read(tag.name)) && !MOUNTED.is_match(text) {
        return;
    }
    if let Some(first) = tags.iter().find(|tag| is_shown(tag.name)) {
        let whole = tags.iter().any(|tag| matches!(tag.name, "html" | "body"));
        out.say(StatementKind::Page, first.line, if whole { WHOLE_PAGE } else { "" });
    }
    conversation(text, &tags, out);
    // The language may be set by the script of the page.
    let set_later =
        text.contains("documentElement.lang") || text.contains("setAttribute(\"lang\"") || text.contains("htmlAttrs");
    let (mut labels, mut forms) = (0_u32, 0_u32);
    let targets: Vec<String> = tags
        .iter()
        .filter(|tag| tag.name == "label")
        .filter_map(|tag| tag.value("for").or_else(|| tag.value("htmlFor")))
        .collect();
    for tag in &tags {
        match tag.name {
            "label" if tag.closing => labels = labels.saturating_sub(1),
            "label" if !tag.empty => labels += 1,
            "html"
                if !tag.closing
                    && !tag.has("lang")
                    && tag.value("id").as_deref() != Some("__next_error__")
                    && !tag.spreads()
                    && !set_later
                    && (whole_page || !is_remark(text, tag.start))
                    && (whole_page || lower_path.contains("layout"))
                    && !is_blank(text, &tags) =>
            {
                // People write into it, or a script or a layout puts all pages into it.
                let used = !whole_page
                    || MOUNTED.is_match(text) && !text.contains("{%")
                    || text.contains("{% block")
                    || tags.iter().any(is_written_into);
                out.say(
                    StatementKind::PageWithoutLanguage,
                    tag.line,
                    if used { USED } else { "" },
                );
            }
            "form" if tag.closing => forms = forms.saturating_sub(1),
            "form" if !tag.empty => forms += 1,
            "textarea" | "input" if !tag.closing && labels == 0 && is_unlabelled(tag, &targets) => {
                let place = if forms > 0 { IN_FORM } else { "" };
                out.say(StatementKind::UnlabelledField, tag.line, place);
            }
            _ => {}
        }
        if tag.has("aria-live")
            || tag.name == "output"
            || matches!(tag.value("role").as_deref(), Some("log" | "status" | "alert"))
        {
            out.say(StatementKind::LiveRegion, tag.line, "");
        }
        if let Some(href) = tag.value("href").or_else(|| tag.value("to"))
            && (href.strip_prefix("mailto:").is_some_and(is_somebody) || IMPRINT_LINK.is_match(&href.to_lowercase()))
        {
            out.say(StatementKind::Contact, tag.line, href);
        }
        if ["src", "alt", "aria-label", "title"]
            .iter()
            .filter_map(|name| tag.value(name))
            .any(|value| CE_MARK.is_match(&value.to_lowercase()))
        {
            out.say(StatementKind::CeMarking, tag.line, "");
        }
    }
    // The last line that speaks of a contact, for an address that stands alone below it.
    let mut spoken = None;
    for (index, line) in text.lines().enumerate() {
        let comment = ["//", "{/*", "<!--", "*", "/*"]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark));
        if !comment && line.len() < 2000 {
            if line.contains("author") && AUTHOR.is_match(line) {
                out.say(StatementKind::Contact, number(index), SHOWN);
            }
            if SPEAKS_OF_CONTACT.is_match(line) {
                spoken = Some(index);
            }
            let near = spoken.is_some_and(|at| index - at <= CONTACT_WITHIN);
            if line.contains('@')
                && let Some(address) = address(line, near)
            {
                out.say(StatementKind::Contact, number(index), address);
            }
        }
        if !comment && line.len() < 2000 && (line.contains("CE") || line.contains("ce-mark")) {
            let lower = line.to_lowercase();
            if CE_TEXT.is_match(&lower) || CE_NUMBER.is_match(line) {
                out.say(StatementKind::CeMarking, number(index), "");
            }
        }
    }
}

pattern!(
    IMPRINT_LINK,
    r"(^|/)(imprint|impressum|legal-notice|legal|contact|contact-us|kontakt|mentions-legales)(/|\.html?|$)"
);
pattern!(
    MAILBOX,
    r#"(?:mailto:|(?i:\b(?:contact|support|privacy|imprint)\w*mail\w*)\s*[:=]\s*["'`])([\w.+-]+@[\w-]+(?:\.[\w-]+)+)"#
);
// Who made a page, with an address, among what it tells about itself.
pattern!(
    AUTHOR,
    r#"(?i)<meta\s[^>]*name=["']author["'][^>]*content=["'][^"']{2,}|\bauthors?\s*[:=]\s*\{?\[?\s*\{[^}\n]*\burl\s*:|<link\s[^>]*rel=["']author["']"#
);
pattern!(
    SPEAKS_OF_CONTACT,
    r"(?i)\b(contact|kontakt|imprint|impressum|support|footer)\b"
);
// An address in a sentence that asks to write to it, and one that is all the text of its element.
pattern!(
    WRITE_TO,
    r#"(?i)\b(?:contact|support|write to|reach us|e-?mail us|mail)\b[^@"'<>{}=]{0,60}?\b([\w.+-]+@[\w-]+(?:\.[\w-]+)+)"#
);
pattern!(ALONE, r">\s*([\w.+-]+@[\w-]+(?:\.[\w-]+)+)\s*<");
pattern!(CE_MARK, r"\bce[-_ ]?mark(ing)?\b|\bce[-_]kennzeichnung\b");
pattern!(CE_TEXT, r"\bce[- ]mark(ing|ed)?\b|\bce-kennzeichnung\b|\bmarquage ce\b");
pattern!(CE_NUMBER, r">\s*CE(\s+\d{4})?\s*<");
/// How a list of messages begins in code and markup.
static LISTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the marks are part of the program")]
    AhoCorasick::new([
        ".map(",
        "v-for=\"",
        "{#each ",
        "id=\"",
        "class=\"",
        "className=\"",
        "data={",
    ])
    .expect("a few marks fit into one automaton")
});
// What stands in front of `.map(` where it goes through messages.
pattern!(
    MESSAGES,
    r"\b(messages|conversation|chatHistory|chatMessages|history|chats?Log|[a-z]+Messages)(\?)?$"
);
// What stands in the other marks.
pattern!(
    MARKED,
    r#"(?x)
    ^v-for="[^"]{0,60}\bin\x20[\w.$]{0,40}\b(messages|conversation|history|chatHistory|chatMessages|chatLog)\b
    | ^\{\#each\x20[\w.$]{0,40}\b(messages|conversation|history|chatHistory|chatMessages|chatLog)\b
    | ^id="(messages|chat-?(box|log|window|messages|history|output))"
    | ^data=\{(messages|conversation|chatHistory|chatMessages)\}
    | ^class(Name)?="[^"]{0,60}\bchat-?(box|log|window|messages|history|output)\b"#
);
/// Bytes in front of a mark, and from it on, in which a list is named.
const BEFORE_MARK: usize = 80;
const FROM_MARK: usize = 200;

/// The places where a list of messages is shown, by the mark and the name of the list.
fn lists(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    LISTS.find_iter(text).filter_map(|mark| {
        if mark.pattern().as_usize() == 0 {
            let mut from = mark.start().saturating_sub(BEFORE_MARK);
            while !text.is_char_boundary(from) {
                from += 1;
            }
            let name = MESSAGES.find(&text[from..mark.start()])?;
            return Some(from + name.start()..mark.end());
        }
        let inside_a_word = text[..mark.start()].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if inside_a_word && matches!(text.as_bytes()[mark.start()], b'i' | b'd') {
            return None;
        }
        let mut to = text.len().min(mark.start() + FROM_MARK);
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        let list = MARKED.find(&text[mark.start()..to])?;
        Some(mark.start()..mark.start() + list.end())
    })
}

/// Lines between a word about a contact and an address that stands alone.
const CONTACT_WITHIN: usize = 12;

/// What a contact says where the text only shows an address: that somebody may be reached is seen, and who is not.
pub(crate) const SHOWN: &str = "shown";

/// The address of somebody in a line that gives it as a contact, or [`SHOWN`] where a text only holds one.
fn address(line: &str, near: bool) -> Option<&str> {
    let somebody = |found: regex::Captures<'_>| found.get(1).is_some_and(|address| is_somebody(address.as_str()));
    if let Some(found) = MAILBOX.captures(line) {
        return found
            .get(1)
            .map(|address| address.as_str())
            .filter(|address| is_somebody(address));
    }
    let alone = if near { ALONE.captures(line) } else { None };
    (WRITE_TO.captures(line).is_some_and(somebody) || alone.is_some_and(somebody)).then_some(SHOWN)
}

/// Whether an address is meant, and does not stand for one.
pub(crate) fn is_somebody(address: &str) -> bool {
    let address = address.split('?').next().unwrap_or(address).to_ascii_lowercase();
    let Some((name, host)) = address.split_once('@') else {
        return false;
    };
    let first = host.split('.').next().unwrap_or(host);
    let stands_for = |part: &str| part.starts_with("your") || part.contains("example") || part.contains("placeholder");
    if stands_for(name) || host.split('.').any(stands_for) {
        return false;
    }
    !matches!(
        first,
        "company"
            | "domain"
            | "email"
            | "mail"
            | "test"
            | "acme"
            | "university"
            | "school"
            | "sample"
            | "demo"
            | "localhost"
    )
}

// Who says a message.
pattern!(
    SPEAKER,
    r"\.(role|sender|author|isUser|is_user|fromUser|from|speaker|content)\b"
);
// That entries of a list are said by a person and by a machine.
pattern!(
    ROLES,
    r#"\b(role|sender|author|speaker|from|type)\s*={2,3}\s*["'](user|assistant|bot|ai|model|human)["']|\b(isUser|is_user|fromUser|isBot|isAi|isAI)\b"#
);
/// Characters after a list in which its entries tell who speaks.
const SPEAKER_WITHIN: usize = 800;
/// Characters after a list of messages in which its markup begins.
const MARKUP_WITHIN: usize = 300;

/// A list of messages and a field to write one, in one component; or a hook that keeps a conversation.
fn conversation(text: &str, tags: &[Tag<'_>], out: &mut Out<'_>) {
    // Messages that are only sorted or counted are shown nowhere: a tag follows those that are.
    let list = lists(text).take(50).find(|found| {
        let shown = &text[found.clone()];
        // A history may be one of prices or of changes: a conversation has somebody who speaks.
        // Neither are messages of all kinds what people say: `errorMessages`.
        let history = shown.starts_with("history")
            || shown.contains(" history")
            || shown.contains("Messages") && !shown.starts_with("chatMessages");
        let after: String = text[found.end..].chars().take(SPEAKER_WITHIN).collect();
        if history && !SPEAKER.is_match(&after) {
            return false;
        }
        !shown.ends_with(".map(")
            || text[found.end..]
                .chars()
                .take(MARKUP_WITHIN)
                .collect::<String>()
                .split('<')
                .skip(1)
                .any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '>'))
    });
    let Some(list) = list else { return };
    let field = tags.iter().any(|tag| {
        matches!(tag.name, "textarea" | "input" | "form")
            || tag.name.ends_with("Input")
            || tag.name.ends_with("Textarea")
            || tag.name.ends_with("-input")
            || tag.name.ends_with("-textarea")
    });
    // A list of React Native is handed its entries, and a project may have lists of all kinds: it tells who speaks.
    let native = text[list.clone()].starts_with("data=");
    if native && !ROLES.is_match(text) {
        return;
    }
    let shown = native || tags.iter().any(|tag| is_shown(tag.name));
    // The field to write one may stand in another component, where the list tells who says what.
    let told = || {
        let after: String = text[list.end..].chars().take(SPEAKER_WITHIN).collect();
        ROLES.is_match(&after)
    };
    if shown && (field || text.contains("useChat(") || told()) {
        out.say(StatementKind::ChatInterface, line_of(text, list.start), "");
    }
}

// A page of Blazor under a route that is named for a talk.
pattern!(
    TALK_ROUTE,
    r#"(?im)^\s*@page\s+"/(?:[^"]*[/-])?(?:chat|chat-?bot|assistant|ask-?ai|chat-?with-?ai)(?:[/-][^"]*)?""#
);
// Entries of a list of messages, as Blazor writes them.
pattern!(
    EACH_MESSAGE,
    r"@foreach\s*\([^)]{0,80}\bin\s+_?(?:[\w.]{0,40}[mM]essages\w{0,20}|[cC]onversation|[cC]hat[hH]istory)\b"
);
// A field that is bound to what a person writes.
pattern!(
    BOUND_FIELD,
    r"<(?:textarea|input|InputText|InputTextArea|MudTextField|FluentTextArea|FluentTextField)\b[^>]{0,300}@bind"
);

// Who says a message, as fields are written in .NET.
pattern!(
    SAYS_WHO,
    r"(?i)\.(?:role|sender|author|is_?user|is_?bot|from|speaker|completion)\b"
);
// A list of messages, a field to write one, and who says each, in the markup of windows.
pattern!(
    BOUND_MESSAGES,
    r#"ItemsSource="\{(?:x:)?Bind(?:ing)?\s+(?:Path=)?(?:[\w.]{0,40}\.)?(?:(?:[cC]hat|[cC]onversation)?Messages|ChatHistory|Conversation)\b"#
);
pattern!(
    BOUND_TEXT,
    r#"<(?:TextBox|Entry|Editor)\b[^>]{0,400}\bText="\{(?:x:)?Bind"#
);
pattern!(
    BOUND_SPEAKER,
    r"\{(?:x:)?Bind(?:ing)?\s+(?:Path=)?(?:Is(?:From)?User|Is(?:Bot|Assistant|Mine|Ai|AI)|Role|Sender|Author)\b"
);

/// A component of Blazor in which a person talks: a list of messages or a route for it, and a field to write one.
pub(crate) fn of_blazor(text: &str, out: &mut Out<'_>) {
    if !text.contains("@bind") || !BOUND_FIELD.is_match(text) {
        return;
    }
    let list = EACH_MESSAGE.find(text).filter(|_| SAYS_WHO.is_match(text));
    if let Some(found) = list.or_else(|| TALK_ROUTE.find(text)) {
        out.say(StatementKind::ChatInterface, line_of(text, found.start()), "");
    }
}

/// A window in which a person talks: a list of messages, who says each, and a field to write one.
pub(crate) fn of_window(text: &str, out: &mut Out<'_>) {
    if !text.contains("ItemsSource") || !BOUND_TEXT.is_match(text) || !BOUND_SPEAKER.is_match(text) {
        return;
    }
    if let Some(found) = BOUND_MESSAGES.find(text) {
        out.say(StatementKind::ChatInterface, line_of(text, found.start()), "");
    }
}

/// Whether a place lies in a line that is a remark.
pub(crate) fn is_remark(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].trim_start();
    ["//", "/*", "* ", "#", "{/*", "<!--"]
        .iter()
        .any(|mark| line.starts_with(mark))
        // What stands behind a remark mark in the same line, an address apart.
        || text[start..at].match_indices("//").any(|(mark, _)| !text[..start + mark].ends_with(':'))
}

/// The line of a place in a text.
pub(crate) fn line_of(text: &str, at: usize) -> u32 {
    number(text[..at].matches('\n').count())
}

// Where a script or a template puts its pages.
pattern!(
    MOUNTED,
    r#"id=["']?(root|app|__next|main|svelte)\b|\{\{|\{%|<%|<app-|type=["']module["']"#
);

/// Whether people read or use what an element holds.
fn is_read(name: &str) -> bool {
    matches!(
        name,
        "p" | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "form"
            | "button"
            | "input"
            | "textarea"
            | "label"
            | "li"
            | "a"
            | "nav"
            | "main"
            | "section"
            | "td"
    )
}

/// Whether people write more than a word into an element.
fn is_written_into(tag: &Tag<'_>) -> bool {
    tag.name == "textarea"
}

fn is_shown(name: &str) -> bool {
    matches!(
        name,
        "html"
            | "body"
            | "div"
            | "main"
            | "section"
            | "form"
            | "p"
            | "h1"
            | "h2"
            | "ul"
            | "article"
            | "header"
            | "footer"
    )
}

/// A field that people write into and that nothing names for assistive technology.
fn is_unlabelled(tag: &Tag<'_>, targets: &[String]) -> bool {
    let kind = tag.value("type").unwrap_or_default();
    let written = tag.name == "textarea"
        || matches!(
            kind.as_str(),
            "" | "text" | "search" | "email" | "tel" | "url" | "password" | "number"
        );
    // A value from an expression may be any type or bring a label along.
    let open = tag.spreads() || tag.dynamic("type");
    let named = [
        "aria-label",
        "aria-labelledby",
        "title",
        // The last resort of the accessible name, after which nothing is left unnamed; a label would serve people better.
        "placeholder",
        ":placeholder",
        ":aria-label",
        "v-bind",
        "aria-hidden",
        "hidden",
    ]
    .iter()
    .any(|name| tag.has(name));
    let targeted = tag.dynamic("id") || tag.value("id").is_some_and(|id| targets.contains(&id));
    written && !open && !named && !targeted
}

/// A tag with its attributes as written.
pub(crate) struct Tag<'t> {
    pub(crate) name: &'t str,
    pub(crate) inner: &'t str,
    pub(crate) closing: bool,
    pub(crate) empty: bool,
    line: u32,
    /// Where it begins in the text.
    pub(crate) start: usize,
    /// Where what follows it begins.
    pub(crate) end: usize,
}

impl<'t> Tag<'t> {
    /// Where the value of an attribute begins: after its name, if that stands alone.
    fn after(&self, name: &str) -> Option<&'t str> {
        self.inner.match_indices(name).find_map(|(at, _)| {
            let before = self.inner[..at].chars().next_back();
            let rest = &self.inner[at + name.len()..];
            let ends = rest
                .chars()
                .next()
                .is_none_or(|c| c == '=' || c == '/' || c.is_whitespace());
            (before.is_none_or(char::is_whitespace) && ends).then_some(rest)
        })
    }

    fn has(&self, name: &str) -> bool {
        self.after(name).is_some()
    }

    /// The constant value of an attribute.
    fn value(&self, name: &str) -> Option<String> {
        self.quoted(name).map(|value| value.trim().to_owned())
    }

    /// The constant value of an attribute as it is written.
    pub(crate) fn quoted(&self, name: &str) -> Option<&'t str> {
        let rest = self.after(name)?.trim_start().strip_prefix('=')?.trim_start();
        let rest = rest.strip_prefix('{').map_or(rest, str::trim_start);
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next()
    }

    /// Whether the value of an attribute is an expression.
    fn dynamic(&self, name: &str) -> bool {
        self.has(&format!(":{name}")) || self.has(name) && self.value(name).is_none()
    }

    /// Whether attributes come from elsewhere.
    fn spreads(&self) -> bool {
        self.inner.contains("{...") || self.has("v-bind") || self.inner.contains("{{") || self.inner.contains("{%")
    }
}

/// The tags of a text in order. An arrow or a comparison opens no tag, since no name follows it directly.
pub(crate) fn tags(text: &str) -> Vec<Tag<'_>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    let mut line = 1_u32;
    // Braces that never close would be read again from every tag, so all tags share one allowance.
    let mut allowance = bytes.len().saturating_mul(4);
    while at < bytes.len() && out.len() < TAGS_MAX && allowance > 0 {
        match bytes[at] {
            b'\n' => line = line.saturating_add(1),
            b'<' if text[at..].starts_with("<!--") => {
                let end = text[at..].find("-->").map_or(bytes.len(), |end| at + end);
                line = line.saturating_add(newlines(&text[at..end]));
                at = end;
                continue;
            }
            b'<' => {
                let closing = bytes.get(at + 1) == Some(&b'/');
                let start = at + 1 + usize::from(closing);
                let name_end = bytes[start..]
                    .iter()
                    .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')))
                    .map_or(bytes.len(), |length| start + length);
                // `a<b` compares, `Array<string>` names a type.
                let glued = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
                if name_end > start
                    && bytes[start].is_ascii_alphabetic()
                    && !glued
                    && let Some(end) = tag_end(bytes, name_end, &mut allowance)
                {
                    let inner = &text[name_end..end];
                    out.push(Tag {
                        name: &text[start..name_end],
                        inner,
                        closing,
                        empty: inner.ends_with('/'),
                        line,
                        start: at,
                        end: end + 1,
                    });
                    line = line.saturating_add(newlines(&text[at..end]));
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    out
}

/// The `>` that ends a tag: not one in quotes or braces.
fn tag_end(bytes: &[u8], from: usize, allowance: &mut usize) -> Option<usize> {
    let mut quote = None;
    let mut depth = 0_u32;
    for (offset, byte) in bytes[from..].iter().take(TAG_BYTES_MAX).enumerate() {
        *allowance = allowance.saturating_sub(1);
        match (quote, byte) {
            (Some(open), byte) if open == *byte => quote = None,
            (None, b'"' | b'\'' | b'`') => quote = Some(*byte),
            (None, b'{') => depth += 1,
            (None, b'}') => depth = depth.saturating_sub(1),
            (None, b'>') if depth == 0 => return Some(from + offset),
            (None, b'<' | b';') if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// Whether a page has neither a title nor anything in its body: nobody reads it, another page uses it.
fn is_blank(text: &str, tags: &[Tag<'_>]) -> bool {
    let titled = tags.iter().any(|tag| tag.name == "title");
    let Some(body) = tags.iter().position(|tag| tag.name == "body" && !tag.closing) else {
        return false;
    };
    let next = tags.get(body + 1);
    !titled
        && next.is_some_and(|next| {
            next.name == "body" && next.closing && text[tags[body].end..next.start].trim().is_empty()
        })
}
