//! Single-file components (Svelte, Vue, Astro): their scripts, at the lines where they stand.
//!
//! Everything but the scripts is blanked out, so that every line stays where it is. The scripts of one file share its names,
//! as they do when it runs. Scripts of TypeScript and of JavaScript are parsed alike: the one language contains the other.

use engine_model::Language;

use crate::ir::Module;

/// Whether a file name is that of a single-file component.
pub fn is_component(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| {
        ["vue", "svelte", "astro"]
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    })
}

/// Whether a file name is that of a page, whose scripts are read like those of a component.
pub fn is_page(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| {
        ["html", "htm", "xhtml"]
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    })
}

/// Lowers the scripts of a component or a page; `None` when it has none that is read, or the text is binary.
pub fn lower_component(text: &str) -> Option<Module> {
    let scripts = scripts(text);
    if scripts.trim().is_empty() {
        return None;
    }
    super::lower(Language::TypeScript, &scripts)
}

/// The text with everything blanked but the scripts: lines and columns of what is left stay as they are.
fn scripts(text: &str) -> String {
    let mut kept = Vec::new();
    let front = front_matter(text);
    kept.extend(front.clone());
    let mut at = front.map_or(0, |front| front.end);
    while let Some(found) = next_script(text, at) {
        at = found.end;
        kept.push(found);
    }
    let mut out = String::with_capacity(text.len());
    let mut next = 0;
    for range in kept {
        blank(&text[next..range.start], &mut out);
        out.push_str(&text[range.clone()]);
        next = range.end;
    }
    blank(&text[next..], &mut out);
    out
}

fn blank(text: &str, out: &mut String) {
    out.extend(text.chars().map(|c| if c == '\n' || c == '\r' { c } else { ' ' }));
}

/// The code between the two fences with which a component of Astro begins.
fn front_matter(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.find(|c: char| !c.is_whitespace() && c != '\u{feff}')?;
    let rest = text[start..].strip_prefix("---")?;
    let begin = text.len() - rest.len();
    let end = rest.find("\n---")?;
    Some(begin..begin + end)
}

/// The inside of the next script of a language that is read, from a byte on.
fn next_script(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let mut at = from;
    loop {
        let open = at + find_tag(&text[at..], "<script")?;
        let tag_end = open + end_of_tag(&text[open..])?;
        let attributes = &text[open + "<script".len()..tag_end];
        let begin = tag_end + 1;
        if attributes.ends_with('/') {
            at = begin;
            continue;
        }
        let end = begin + find_tag(&text[begin..], "</script").unwrap_or(text.len() - begin);
        if is_read(attributes) {
            return Some(begin..end);
        }
        at = end;
    }
}

/// Where a tag begins, whatever the case of its letters; comments of the markup hide tags.
fn find_tag(text: &str, tag: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| *byte == b'<') {
        let here = at + next;
        if tag == "<script" && text[here..].starts_with("<!--") {
            at = here + text[here..].find("-->")? + 3;
            continue;
        }
        let after = here + tag.len();
        let fits = bytes
            .get(here..after)
            .is_some_and(|found| found.eq_ignore_ascii_case(tag.as_bytes()))
            && !bytes
                .get(after)
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        if fits {
            return Some(here);
        }
        at = here + 1;
    }
    None
}

/// Where the opening tag ends; a quoted attribute may hold the sign.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'>') => return Some(at),
            _ => {}
        }
    }
    None
}

/// Whether a script is one of the JavaScript family.
fn is_read(attributes: &str) -> bool {
    let value = |name: &str| {
        let at = attributes.match_indices(name).find(|(at, _)| {
            attributes[..*at]
                .chars()
                .next_back()
                .is_none_or(|before| before.is_whitespace() || before == '"' || before == '\'')
        })?;
        let rest = attributes[at.0 + name.len()..].trim_start().strip_prefix('=')?;
        let rest = rest.trim_start().trim_start_matches(['"', '\'']);
        rest.split(['"', '\'', ' ', '>', '\n']).next()
    };
    let language = value("lang").is_none_or(|lang| {
        matches!(
            lang.to_ascii_lowercase().as_str(),
            "ts" | "typescript" | "js" | "javascript" | "tsx" | "jsx" | ""
        )
    });
    let kind = value("type").is_none_or(|kind| {
        let kind = kind.to_ascii_lowercase();
        kind.is_empty() || kind == "module" || kind.contains("javascript") || kind.contains("typescript")
    });
    language && kind
}
