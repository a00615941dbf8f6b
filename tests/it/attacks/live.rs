//! Whether foreign text in an output does something: is markup in a page, a link or a heading in Markdown, or a command to a terminal.

use std::io::Read;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A word that is in every foreign text of the cases and nowhere else.
pub(super) const MARK: &str = "qx7f";

/// Texts that would do something in a page, in Markdown, in front matter, in a terminal or in a build server.
pub(super) const TEXTS: [(&str, &str); 17] = [
    ("an element", "<b id=qx7f>x</b>"),
    ("a script", "<script>qx7f()</script>"),
    ("an end of a script", "</script><script>qx7f()</script>"),
    ("an end of an attribute", "\"><svg onload=qx7f()>"),
    ("another end of an attribute", "x' onfocus=qx7f() autofocus='"),
    ("a comment", "--><b id=qx7f><!--"),
    ("an end of CDATA", "]]><qx7f>"),
    ("an entity", "&#60;qx7f&#62;"),
    ("a link", "[qx7f](javascript:qx7f%28%29)"),
    ("a picture", "![x](http://qx7f.invalid/x)"),
    ("a link in brackets", "<http://qx7f.invalid/>"),
    ("a heading", "x\n\n# qx7f-block\n\n- qx7f-block\n\n> qx7f-block\n"),
    ("a fence", "x\n\n```\nqx7f-block\n"),
    ("a cell", "x | qx7f-block | y\n| qx7f-block | z |"),
    ("front matter", "x\"\nqx7f: 1\nstatus: \"final\"\n---\nqx7f-block\n"),
    ("a command of a terminal", "qx7f\u{1b}[2J\u{9b}31m\u{7}\u{202e}x"),
    (
        "a command of a build server",
        "x\n::error::qx7f\n##vso[task.setvariable]qx7f",
    ),
];

/// What in a page or a picture is markup and comes from a foreign text.
pub(super) fn in_page(page: &str) -> Option<String> {
    let mut rest = page;
    let mut raw: Option<&str> = None;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        if raw.is_some_and(|_| before.contains(MARK)) {
            return Some(format!("in a script or style: {}", cut(before)));
        }
        let (length, outside) = tag_of(tag);
        let name: String = tag[1..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '/')
            .collect::<String>()
            .to_lowercase();
        if let Some(open) = raw {
            if name.strip_prefix('/') == Some(open) {
                raw = None;
            }
            rest = &tag[1..];
            continue;
        }
        if !name.is_empty() || tag.starts_with("<!") {
            if outside.contains(MARK) {
                return Some(format!("in a tag: {}", cut(&tag[..length])));
            }
            let lower = tag[..length].to_lowercase();
            if lower.contains("javascript:") || (lower.contains("http://qx7f") && lower.contains("href")) {
                return Some(format!("in an address: {}", cut(&tag[..length])));
            }
            raw = ["script", "style"].into_iter().find(|one| *one == name);
            rest = &tag[length..];
        } else {
            rest = &tag[1..];
        }
    }
    in_terminal(page)
}

/// The length of a tag, and its text outside of quotes.
fn tag_of(tag: &str) -> (usize, String) {
    if let Some(comment) = tag.strip_prefix("<!--") {
        let end = comment.find("-->").map_or(tag.len(), |at| at + 7);
        // What a comment contains is text; that it ends where it should is seen by what follows.
        return (end.min(tag.len()), String::new());
    }
    let (mut quote, mut outside) = (None, String::new());
    for (at, c) in tag.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '>' => return (at + 1, outside),
            None => outside.push(c),
        }
    }
    (tag.len(), outside)
}

/// What in Markdown is more than text and comes from a foreign one.
pub(super) fn in_markdown(text: &str) -> Option<String> {
    let (front, body) = match text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")) {
        Some((front, body)) => (front, body),
        None => ("", text),
    };
    if let Some(line) = front.lines().find(|line| line.starts_with(MARK)) {
        return Some(format!("in the front matter: {}", cut(line)));
    }
    // Inside a container, a block begins with its text; a text that runs on has other words first.
    let mut begins = false;
    let mut fenced = false;
    for event in Parser::new_ext(body, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) if html.contains(MARK) => {
                return Some(format!("as HTML: {}", cut(&html)));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. })
                if dest_url.contains(MARK) || dest_url.to_lowercase().starts_with("javascript:") =>
            {
                return Some(format!("as a link: {}", cut(&dest_url)));
            }
            Event::Start(Tag::Heading { .. } | Tag::Item | Tag::TableCell | Tag::BlockQuote(_) | Tag::Paragraph) => {
                begins = true;
            }
            Event::Start(Tag::CodeBlock(_)) => fenced = true,
            Event::End(TagEnd::CodeBlock) => fenced = false,
            Event::Text(text) => {
                let block = text.trim() == "qx7f-block";
                if block && (fenced || begins && !is_own_paragraph(body, &text)) {
                    return Some("as a block".to_owned());
                }
                begins = false;
            }
            Event::Code(_) => begins = false,
            _ => {}
        }
    }
    in_terminal(text)
}

/// A statement of several paragraphs may stay several paragraphs; it may not become a heading, a list, a quotation or code.
fn is_own_paragraph(body: &str, text: &str) -> bool {
    let mut lines = body.lines().filter(|line| line.contains(text.trim()));
    let alone = lines.clone().any(|line| line.trim() == text.trim());
    alone
        || lines.all(|line| {
            let line = line.trim();
            line.starts_with('\\') || line.starts_with(MARK) || line.contains("\\#") || line.contains("\\-")
        })
}

/// What in a text would command a terminal or a build server.
pub(super) fn in_terminal(text: &str) -> Option<String> {
    let control = text
        .chars()
        .find(|c| matches!(c, '\u{1b}' | '\u{7}' | '\u{8}' | '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    if let Some(c) = control {
        return Some(format!("the character {c:?}"));
    }
    let mut lines = text.lines().map(str::trim_start);
    lines
        .find(|line| line.starts_with("::error") || line.starts_with("##vso["))
        .map(|line| format!("a command: {}", cut(line)))
}

/// What in a PDF file does something: scripts, actions, addresses.
pub(super) fn in_pdf(bytes: &[u8]) -> Option<String> {
    let mut all = bytes.to_vec();
    for at in positions(bytes, b"stream\n").chain(positions(bytes, b"stream\r\n")) {
        let start = at + 7 + usize::from(bytes.get(at + 6) == Some(&b'\r'));
        let mut plain = Vec::new();
        // What is not compressed is in the bytes already.
        let _ = flate2::read::ZlibDecoder::new(bytes.get(start..).unwrap_or_default())
            .take(8 << 20)
            .read_to_end(&mut plain);
        all.extend(plain);
    }
    [
        "/JavaScript",
        "/JS ",
        "/Launch",
        "/SubmitForm",
        "/EmbeddedFile",
        // In a text the parenthesis is escaped; here it begins the address of a link.
        "/URI (javascript:",
        "/URI(javascript:",
        "qx7f.invalid/x)",
    ]
    .into_iter()
    .find(|name| positions(&all, name.as_bytes()).next().is_some())
    .map(str::to_owned)
}

fn positions<'a>(bytes: &'a [u8], wanted: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    bytes
        .windows(wanted.len())
        .enumerate()
        .filter(move |(_, window)| *window == wanted)
        .map(|(at, _)| at)
}

fn cut(text: &str) -> String {
    text.chars().take(160).collect()
}

#[test]
fn live_text_is_seen_and_escaped_text_is_not() {
    for (page, live) in [
        ("<p>&lt;b id=qx7f&gt;</p>", false),
        ("<p><b id=qx7f></p>", true),
        ("<a title=\"qx7f\">x</a>", false),
        ("<a title=\"\" onfocus=qx7f() x=\"\">x</a>", true),
        ("<a href=\"javascript:x\">x</a>", true),
        ("<style>p{}</style><p>qx7f</p>", false),
        ("<style>p{qx7f}</style>", true),
        ("<!-- qx7f --><p>x</p>", false),
        ("<p>a < b qx7f</p>", false),
    ] {
        assert_eq!(in_page(page).is_some(), live, "{page}");
    }
    for (text, live) in [
        ("\\<b id=qx7f\\>", false),
        ("`<b id=qx7f>`", false),
        ("a <b id=qx7f>", true),
        ("[qx7f](javascript:x)", true),
        ("\\[qx7f\\](javascript:x)", false),
        ("![x](http://qx7f.invalid/x)", true),
        ("x\n\n# qx7f-block\n", true),
        ("x # qx7f-block\n", false),
        ("x\n\n```\nqx7f-block\n", true),
        ("---\na: \"x\"\nqx7f: 1\n---\nx\n", true),
        ("---\na: \"x qx7f: 1\"\n---\nx\n", false),
        ("| a | b |\n| --- | --- |\n| x | qx7f-block |\n", true),
        ("| a | b |\n| --- | --- |\n| x \\| qx7f-block | c |\n", false),
        ("\u{1b}[2J", true),
        ("::error::x", true),
    ] {
        assert_eq!(in_markdown(text).is_some(), live, "{text}");
    }
}
