//! Who is behind a product: a name beside a copyright, a company in a footer, an author with an address in a manifest.
//!
//! Such a name is no contact yet, and an interface with it does not leave people in the dark either.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_model::{Language, StatementKind};
use regex::Regex;

use crate::interface::{is_remark, is_somebody, line_of};
use crate::patterns::pattern;
use crate::read::Out;

/// Bytes of a line that is read; longer ones are no text that somebody wrote.
const LINE_BYTES_MAX: usize = 600;
/// Lines below the beginning of a footer that belong to it.
const FOOTER_LINES: usize = 40;
/// Lines at the head of a licence in which its holder stands.
const LICENCE_LINES: usize = 25;

pattern!(
    HOLDER,
    r"(?i)(?:©|&copy;|\(c\)|\bcopyright\b)\s*(?:\(c\)|©|&copy;)?\s*(?:copyright\b)?\s*"
);
pattern!(
    COMPANY,
    r"\b[A-Z][\w&'-]*(?:\.?[ ,]+[\w&'-]+){0,5}\.?,?\s+(?:Ltd|GmbH|Inc|LLC|LLP|AG|B\.V|S\.A|S\.r\.l|Pty|PLC|plc|Corp|Limited|Corporation|UG|SAS|SARL|Oy|ApS)\b"
);
pattern!(
    MADE_BY,
    r"(?i)\b(?:built|made|developed|created|designed|operated|provided|maintained)\b[^<>{}]{0,24}?\bby\s+(?:<[^>]*>\s*)?"
);
// `Frontend repo: <https://github.com/…>`, `[frontend](https://gitlab.com/…)`
pattern!(
    FRONT,
    r"(?i)\b(?:front[- ]?end|web ?(?:app|client|ui)|client app|mobile app)\b[^\n.]{0,60}?https?://(?:www\.)?(?:github|gitlab|bitbucket|codeberg)\.[a-z]+/[\w.-]+/[\w.-]+|\bfront[- ]?end\b[^\n.]{0,40}\b(?:separate|another|different|own)\s+repo"
);
pattern!(
    BACK,
    r"(?i)\b(?:back[- ]?ends?|rest(?:ful)?[- ]apis?|micro[- ]?services?|api[- ](?:server|service)s?)\b"
);
/// Bytes at the head of a document in which a project says what it is.
const INTRODUCTION_BYTES: usize = 400;
pattern!(ADDRESS, r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+");
pattern!(
    AUTHOR,
    r#"(?m)^\s*"?authors?"?\s*[:=]\s*(?:\[\s*)?(?:\{[^}]*|"[^"\n]*"|'[^'\n]*')"#
);

/// Words that stand where a name would, and name nobody.
const NOBODY: [&str; 22] = [
    "your",
    "company",
    "fullname",
    "name",
    "author",
    "owner",
    "holder",
    "holders",
    "yyyy",
    "example",
    "acme",
    "lorem",
    "notice",
    "free",
    "foundation",
    "ai",
    "chatgpt",
    "openai",
    "gemini",
    "claude",
    "you",
    "users",
];

/// Words beside a name that are none.
const BESIDE: [&str; 16] = [
    "all",
    "rights",
    "reserved",
    "by",
    "the",
    "copyright",
    "year",
    "date",
    "new",
    "getfullyear",
    "now",
    "and",
    "inc",
    "ltd",
    "c",
    "present",
];

/// Reads who is named in a file.
pub(crate) fn read(path: &str, language: Language, text: &str, out: &mut Out<'_>) {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    if is_licence(&name) {
        licence(text, out);
    } else if name.starts_with("readme") {
        let mut end = text.len().min(INTRODUCTION_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if !path.contains('/') {
            crate::own_paper::introduced(&text[..end], out);
        }
        // What says of itself that it is a back end leaves it to others to show what it gives.
        if let Some(found) = FRONT.find(text).or_else(|| BACK.find(&text[..end])) {
            out.say(
                StatementKind::FrontElsewhere,
                line_of(text, found.start()),
                "the front end",
            );
        }
        if !path.contains('/')
            && let Some(found) = ADDRESS
                .find_iter(text)
                .take(40)
                .find(|found| is_reached(found.as_str()))
        {
            out.say(StatementKind::Responsible, line_of(text, found.start()), "an address");
        }
    } else if matches!(
        name.as_str(),
        "package.json" | "pyproject.toml" | "cargo.toml" | "composer.json"
    ) {
        if let Some(found) = AUTHOR.find(text).filter(|found| {
            ADDRESS
                .find(found.as_str())
                .is_some_and(|address| is_reached(address.as_str()))
                || found.as_str().contains("://")
        }) {
            out.say(StatementKind::Responsible, line_of(text, found.start()), "an author");
        }
    } else if matches!(
        language,
        Language::Html | Language::Tsx | Language::JavaScript | Language::TypeScript | Language::Python
    ) {
        page(text, out);
    }
}

/// Whether a file is a licence.
pub(crate) fn is_licence(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    stem.eq_ignore_ascii_case("license") || stem.eq_ignore_ascii_case("licence") || stem.eq_ignore_ascii_case("copying")
}

/// Marks in code of a service that answers pages of another origin: they are kept and served elsewhere.
static OTHER_ORIGINS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the marks are part of the program")]
    AhoCorasick::new([
        "CORSMiddleware",
        "flask_cors",
        "corsheaders",
        "@CrossOrigin",
        "addCorsMappings",
        "CorsConfiguration",
        "AddCors(",
        "install(CORS)",
        "CorsLayer",
        "actix_cors",
        "gin-contrib/cors",
        "rs/cors",
        "enableCors(",
        "@fastify/cors",
        "@koa/cors",
        "use(cors(",
    ])
    .expect("a few marks fit into one automaton")
});

/// Says where a service lets pages of another origin ask it.
pub(crate) fn origins(text: &str, out: &mut Out<'_>) {
    if let Some(found) = OTHER_ORIGINS.find(text) {
        out.say(
            StatementKind::FrontElsewhere,
            line_of(text, found.start()),
            "pages of another origin",
        );
    }
}

fn licence(text: &str, out: &mut Out<'_>) {
    for (index, line) in text.lines().take(LICENCE_LINES).enumerate() {
        if line.len() <= LINE_BYTES_MAX && held_by(line, "").is_some() {
            out.say(StatementKind::Responsible, crate::read::number(index), "a licence");
            return;
        }
    }
}

fn page(text: &str, out: &mut Out<'_>) {
    let marked = text.contains('©') || text.contains("&copy;") || text.contains("opyright");
    let footer = text.contains("footer") || text.contains("Footer");
    if !marked && !footer {
        return;
    }
    let title = text
        .split_once("<title")
        .and_then(|(_, rest)| rest.split_once("</title"))
        .map_or("", |(title, _)| title);
    let mut below = None;
    for (index, line) in text.lines().enumerate() {
        if line.len() > LINE_BYTES_MAX {
            continue;
        }
        if footer && (line.contains("footer") || line.contains("Footer")) {
            below = Some(index);
        }
        let in_footer = below.is_some_and(|at| index - at <= FOOTER_LINES);
        let mark = line.contains('©') || line.contains("&copy;") || line.contains("opyright");
        if !mark && !in_footer || is_remark(line, line.len() - line.trim_start().len()) {
            continue;
        }
        let named = mark && held_by(line, title).is_some()
            || COMPANY.is_match(line)
            || in_footer && made_by(line).is_some_and(|name| is_name(name, title));
        if named {
            out.say(StatementKind::Responsible, crate::read::number(index), "a name");
            return;
        }
    }
}

/// What stands behind a mark as far as it may be a name: at least two characters, and at most so many.
fn by<'t>(mark: &Regex, line: &'t str, max: usize, is_part: impl Fn(usize, char) -> bool) -> Option<&'t str> {
    let mut from = 0;
    while let Some(hit) = mark.find_at(line, from) {
        let rest = &line[hit.end()..];
        let part = rest.char_indices().take(max).enumerate();
        let end = part
            .map_while(|(count, (at, character))| {
                is_part(count, character).then_some((count, at + character.len_utf8()))
            })
            .last();
        if let Some((1.., end)) = end {
            return Some(&rest[..end]);
        }
        from = hit.start() + line[hit.start()..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// The name behind `made by`.
fn made_by(line: &str) -> Option<&str> {
    by(&MADE_BY, line, 61, |count, character| {
        character.is_alphanumeric() || count > 0 && matches!(character, ' ' | '.' | '&' | '\'' | '-')
    })
}

/// The name behind a copyright, if it is one of somebody and not of the page itself.
fn held_by<'t>(line: &'t str, title: &str) -> Option<&'t str> {
    let name = by(&HOLDER, line, 120, |_, character| character != '<' && character != '\n');
    name.filter(|name| is_name(name, title))
}

/// Whether a text names somebody: a word with a capital, that stands for nothing and is not the title of the page.
fn is_name(text: &str, title: &str) -> bool {
    let mut plain = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    // `brightwater.ai`
    let first = plain
        .split_whitespace()
        .next()
        .unwrap_or("")
        .trim_end_matches(['.', ',']);
    if first.split('.').count() > 1
        && first
            .split('.')
            .all(|part| part.len() > 1 && part.chars().all(char::is_alphanumeric))
    {
        return true;
    }
    let words: Vec<&str> = plain
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().any(char::is_alphabetic) && !BESIDE.contains(&word.to_lowercase().as_str()))
        .collect();
    let lower = title.to_lowercase();
    let first = words.first().copied().unwrap_or("");
    let is_named = words.iter().any(|word| {
        word.chars().count() > 1
            && (word.starts_with(char::is_uppercase) || word.contains(char::is_numeric) || plain.contains('.'))
    });
    let is_nobody = words.iter().any(|word| NOBODY.contains(&word.to_lowercase().as_str()));
    // The name of the page names nobody behind it.
    let is_title =
        lower.contains(&first.to_lowercase()) && words.iter().all(|word| lower.contains(&word.to_lowercase()));
    is_named && !is_nobody && !is_title
}

/// Whether an address is one of somebody who reads what is sent there.
fn is_reached(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    is_somebody(address)
        && !lower.starts_with("git@")
        && !lower.contains("noreply")
        && !lower.contains("no-reply")
        && !["png", "jpg", "svg", "js", "css", "webp"]
            .iter()
            .any(|ending| lower.ends_with(&format!(".{ending}")))
}

#[cfg(test)]
mod tests {
    use engine_model::{SourceFile, StatementKind};

    fn named(path: &str, text: &str) -> bool {
        let file = SourceFile::new(path, text.as_bytes());
        assert!(crate::wants(&file.path, file.language, file.zone), "{path}");
        crate::read(&file)
            .statements
            .iter()
            .any(|statement| statement.kind == StatementKind::Responsible)
    }

    #[test]
    fn provider_names_are_found_in_usual_places() {
        for (path, text) in [
            ("LICENSE", "MIT License\n\nCopyright (c) 2025 Ada Brandt\n"),
            ("README.md", "# Desk\n\nWrite to <ada+desk@brightwater.org>.\n"),
            (
                "package.json",
                "{\n  \"author\": \"Ada Brandt <ada@brightwater.org>\"\n}\n",
            ),
            (
                "src/pages/index.js",
                "const F = () => <div>© {new Date().getFullYear()} Bright Water Pvt. Ltd. All rights reserved.</div>;\n",
            ),
            (
                "src/routes/+page.svelte",
                "<footer>\n<p>Built by brightwater.ai and powered by a model.</p>\n</footer>\n",
            ),
            (
                "templates/base.html",
                "<html><title>Desk</title><footer>&copy; 2026 Brightwater Energy</footer></html>",
            ),
        ] {
            assert!(named(path, text), "{path}");
        }
    }

    #[test]
    fn page_title_and_placeholders_name_no_provider() {
        for (path, text) in [
            ("LICENSE", "Copyright (c) [year] [fullname]\n"),
            (
                "README.md",
                "# Desk\n\ngit clone git@github.com:a/b.git, mail you@example.com\n",
            ),
            ("package.json", "{\n  \"author\": \"\"\n}\n"),
            (
                "templates/base.html",
                "<html><title>{% block title %}Renter Desk{% endblock %}</title><footer>&copy; {{ 2025 }} Renter Desk</footer></html>",
            ),
            (
                "src/Foot.tsx",
                "export const F = () => <footer>© {year} Your Company. Made with care by AI</footer>;\n",
            ),
            (
                "src/Foot.tsx",
                "export const F = () => <footer>Internal tool</footer>;\n",
            ),
        ] {
            assert!(!named(path, text), "{path}: {text}");
        }
    }

    #[test]
    fn front_end_in_other_repository_is_recognised_by_address() {
        let elsewhere = |text: &str| {
            let file = SourceFile::new("README.md", text.as_bytes());
            crate::read(&file)
                .statements
                .iter()
                .any(|statement| statement.kind == StatementKind::FrontElsewhere)
        };
        assert!(elsewhere(
            "# Cards\n\n- Frontend repo: <https://github.com/ada/cards-frontend>\n"
        ));
        assert!(elsewhere("The front end lives in a separate repository.\n"));
        assert!(elsewhere("# Cards Backend\n\nA FastAPI-based service.\n"));
        assert!(elsewhere("# Cards\n\nA REST API for decks of cards.\n"));
        assert!(!elsewhere("# Cards\n\nPlay cards with friends.\n"));
        let far = format!(
            "# Cards\n\n{}\nThe backend is written in Go.\n",
            "Play cards with friends. ".repeat(20)
        );
        assert!(!elsewhere(&far));
        assert!(!elsewhere(
            "The frontend is in `web/`. Clone https://github.com/ada/cards first.\n"
        ));
        assert!(!elsewhere("Frontend: React, see https://react.dev/learn/start\n"));
    }
}
