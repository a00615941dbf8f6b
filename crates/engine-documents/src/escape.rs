//! Foreign text as Markdown: nothing in it is markup, a link or HTML.

/// Characters of a foreign text within a sentence or a cell.
pub(crate) const INLINE_CHARS_MAX: usize = 400;

/// Characters of a statement that a caller makes.
pub(crate) const STATEMENT_CHARS_MAX: usize = 8_000;

/// Characters of a path.
const PATH_CHARS_MAX: usize = 160;

/// A foreign text within a line.
pub(crate) fn inline(text: &str) -> String {
    escaped(&one_line(text, INLINE_CHARS_MAX))
}

/// A foreign text within a cell, in which plain names between backticks are code.
pub(crate) fn cell(text: &str) -> String {
    let text = one_line(text, INLINE_CHARS_MAX);
    let parts: Vec<&str> = text.split('`').collect();
    let names = parts.iter().skip(1).step_by(2);
    if parts.len() < 3 || parts.len().is_multiple_of(2) || !names.clone().all(|name| is_plain_name(name)) {
        return escaped(&text);
    }
    let whole = |(index, part): (usize, &&str)| match index % 2 {
        1 => format!("`{part}`"),
        _ => escaped(part),
    };
    parts.iter().enumerate().map(whole).collect()
}

/// Whether a text between backticks is a name of code and nothing that a reader of Markdown could take for more.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(' ')
        && !name.ends_with(' ')
        && !name.contains("://")
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '(' | ')' | '/' | ':' | ',' | ' '))
}

/// A foreign path in a code span.
pub(crate) fn path(path: &str) -> String {
    let path = one_line(path, usize::MAX);
    let letters = path.chars().count();
    let path = if letters > PATH_CHARS_MAX {
        // Both ends of a long path say more than its middle.
        let half = PATH_CHARS_MAX / 2;
        let start: String = path.chars().take(half).collect();
        let end: String = path.chars().skip(letters - half).collect();
        format!("{start}…{end}")
    } else {
        path
    };
    if path.is_empty() || path.contains(['`', '|']) || path != path.trim() {
        escaped(&path)
    } else {
        format!("`{path}`")
    }
}

/// A statement of a caller as paragraphs of plain text.
pub(crate) fn statement(text: &str) -> String {
    let text: String = text.chars().take(STATEMENT_CHARS_MAX).collect();
    let lines: Vec<String> = text
        .lines()
        .map(|line| escaped(&one_line(line, usize::MAX)))
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("\n\n")
}

/// A text as a double-quoted scalar of the front matter.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::String(one_line(text, INLINE_CHARS_MAX)).to_string()
}

/// Spaces and control characters as single spaces, cut to a length.
pub(crate) fn one_line(text: &str, chars_max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(1024));
    let mut count = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() || is_invisible(c) {
            gap = !out.is_empty();
            continue;
        }
        if count >= chars_max {
            out.push('…');
            break;
        }
        if gap {
            out.push(' ');
            count += 1;
            gap = false;
        }
        out.push(c);
        count += 1;
    }
    out
}

/// Characters that reorder or hide text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            // A bare address would become a link.
            ':' if text[at..].starts_with("://") => out.push_str("\\:"),
            '.' if before == 'w' && text[..at].to_ascii_lowercase().ends_with("www") => out.push_str("\\."),
            // So would an address of mail; the name of a package scope would not.
            '@' if before.is_alphanumeric() && is_host(&text[at + 1..]) => out.push_str("\\@"),
            // At the begin of a line these open a heading, a list, a rule or a command of a build server.
            '#' | '-' | '+' | '=' | ':' if at == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')'
                if at > 0 && text[..at].bytes().all(|byte| byte.is_ascii_digit()) && opens_item(&text[at + 1..]) =>
            {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// Whether a text begins like the host of an address of mail.
fn is_host(text: &str) -> bool {
    let word = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-')))
        .next();
    word.is_some_and(|word| word.trim_end_matches('.').contains('.'))
}

/// Whether a number with a point before this text opens a list: only before a space or at the end.
fn opens_item(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_foreign_text_is_escaped() {
        assert_eq!(inline("<b>*x*</b>"), r"&lt;b&gt;\*x\*&lt;/b&gt;");
        assert_eq!(inline("[a](javascript:alert(1))"), r"\[a\](javascript:alert(1))");
        assert_eq!(inline("see https://evil.example"), r"see https\://evil.example");
        assert_eq!(inline("a\n# b\u{202E}c"), "a # b c");
        assert_eq!(inline("1. one"), r"1\. one");
        assert_eq!(inline("0.42.0"), "0.42.0");
        assert_eq!(inline("@scope/name a@b.example"), r"@scope/name a\@b.example");
        assert_eq!(inline("eu-ai-act@2026-07-27"), "eu-ai-act@2026-07-27");
        assert_eq!(inline("- one"), r"\- one");
        assert_eq!(inline("::error::one"), r"\::error::one");
        assert_eq!(path("a|b`.py"), r"a\|b\`.py");
        assert_eq!(path("api/chat.py"), "`api/chat.py`");
        assert_eq!(statement("one\n\n\n> two"), "one\n\n&gt; two");
        assert_eq!(cell("with `is_on()` off"), "with `is_on()` off");
        assert_eq!(cell("`<b>` and `x`"), r"\`&lt;b&gt;\` and \`x\`");
        assert_eq!(cell("one ` only"), r"one \` only");
        assert_eq!(cell("`a|b`"), r"\`a\|b\`");
        assert_eq!(cell("a_b"), r"a\_b");
        assert_eq!(inline(&"x".repeat(500)).chars().count(), INLINE_CHARS_MAX + 1);
    }
}
