//! Text that leaves the engine for a terminal, a log or a build server.
//!
//! Names of files and texts of a project are foreign. On a terminal they could move the cursor or turn the direction of writing,
//! and a build server takes some lines for commands.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Characters of foreign text that an error quotes.
pub const QUOTED_CHARS_MAX: usize = 200;

/// Beginnings that build servers take for commands wherever they stand in a line: Azure Pipelines, GitHub's first form, `TeamCity`.
const COMMANDS: [&str; 3] = ["##vso[", "##[", "##teamcity["];

/// A text that is safe to print. Lines stay lines; control characters and characters that turn the direction become `\u{fffd}`,
/// and what a build server takes for a command is broken up by a space.
pub fn outside_text(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) && !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let mut rest = line;
        // `::error file=…::…` is a command of GitHub Actions where a line begins with it.
        if start.starts_with("::") {
            let blank = line.len() - start.len();
            out.extend(line[..blank].chars().map(safe));
            out.push_str(": ");
            rest = &start[1..];
        }
        while let Some(at) = rest.find("##") {
            out.extend(rest[..at].chars().map(safe));
            rest = &rest[at..];
            if COMMANDS.iter().any(|command| starts_with(rest, command)) {
                out.push_str("# ");
            } else {
                out.push('#');
            }
            rest = &rest[1..];
        }
        out.extend(rest.chars().map(safe));
    }
    Cow::Owned(out)
}

/// The text of a whole reply for standard output: JSON stays the same JSON, and colours of other texts stay.
pub fn printed_text(text: &str) -> Cow<'_, str> {
    if text.starts_with(['{', '[']) {
        return json_text(text);
    }
    if !text.contains('\u{1b}') {
        return outside_text(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut parts = line.split('\u{1b}');
        out.push_str(&outside_text(parts.next().unwrap_or_default()));
        for part in parts {
            let colour = part.strip_prefix('[').and_then(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';')?;
                rest[end..].starts_with('m').then_some(end + 2)
            });
            let (own, rest) = part.split_at(colour.unwrap_or(0));
            if colour.is_some() {
                out.push('\u{1b}');
                out.push_str(own);
            } else {
                out.push('\u{fffd}');
            }
            out.push_str(&outside_text(rest));
        }
    }
    Cow::Owned(out)
}

/// JSON with the same values in which nothing moves a cursor or commands a build server.
fn json_text(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // Between values JSON has neither.
        if is_unsafe(c) && c != '\r' || c == '#' && chars.peek() == Some(&'#') {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// A foreign text within a sentence: on one line, safe to print, and cut.
pub fn quoted(text: &str) -> String {
    let one_line: String = text
        .chars()
        .take(QUOTED_CHARS_MAX + 1)
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { c })
        .collect();
    let mut out: String = outside_text(&one_line).chars().take(QUOTED_CHARS_MAX).collect();
    if one_line.chars().nth(QUOTED_CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}

/// Characters of a whole error.
const ERROR_CHARS_MAX: usize = 8_000;

/// An error whose quotes, which stand between backquotes, are cut: what was sent must not come back as a whole.
pub(crate) fn cut_quotes(text: String) -> String {
    if text.len() <= QUOTED_CHARS_MAX {
        return text;
    }
    let mut out = String::with_capacity(text.len().min(4 * ERROR_CHARS_MAX));
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            out.push('`');
        }
        let most = if index % 2 == 1 {
            QUOTED_CHARS_MAX
        } else {
            ERROR_CHARS_MAX
        };
        match part.char_indices().nth(most) {
            Some((at, _)) => {
                out.push_str(&part[..at]);
                out.push('…');
            }
            None => out.push_str(part),
        }
        if out.len() > 4 * ERROR_CHARS_MAX {
            break;
        }
    }
    if let Some((at, _)) = out.char_indices().nth(ERROR_CHARS_MAX) {
        out.truncate(at);
        out.push('…');
    }
    out
}

fn starts_with(text: &str, command: &str) -> bool {
    text.get(..command.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(command))
}

fn safe(c: char) -> char {
    if is_unsafe(c) { '\u{fffd}' } else { c }
}

/// Control characters but line breaks and tabs, and characters that change the direction of what follows.
fn is_unsafe(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_direction_characters_do_not_leave() {
        assert_eq!(
            outside_text("a\u{9b}31mb\u{1b}[0m\r\u{202e}c\tok\n"),
            "a\u{fffd}31mb\u{fffd}[0m\u{fffd}\u{fffd}c\tok\n"
        );
        assert!(matches!(outside_text("plain äöü — text\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn commands_of_build_servers_are_broken_up() {
        for (text, safe) in [
            ("::error file=x::y\n", ": :error file=x::y\n"),
            ("  ::add-mask::y", "  : :add-mask::y"),
            ("std::fs::read", "std::fs::read"),
            ("x ##vso[task.setvariable]y", "x # #vso[task.setvariable]y"),
            ("##VSO[x]", "# #VSO[x]"),
            ("##[error]x", "# #[error]x"),
            ("##teamcity[x]", "# #teamcity[x]"),
            ("###vso[x]", "## #vso[x]"),
            ("## Heading", "## Heading"),
        ] {
            assert_eq!(outside_text(text), safe);
        }
    }

    #[test]
    fn printed_json_keeps_its_values_and_printed_text_its_colours() {
        let json = "{\"a\": \"x\u{9b}31m ##vso[task] \u{202e}\"}\n";
        let printed = printed_text(json);
        assert!(!printed.contains('\u{9b}') && !printed.contains("##vso"), "{printed}");
        assert!(printed.contains("\\u009b31m \\u0023#vso[task] \\u202e"), "{printed}");
        assert_eq!(
            printed_text("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}\n"),
            "\u{1b}[31mred\u{1b}[0m \u{fffd}]0;title\u{fffd}\n"
        );
    }

    #[test]
    fn quotes_are_cut() {
        assert_eq!(quoted(&"a".repeat(5_000)).chars().count(), QUOTED_CHARS_MAX + 1);
        let error = cut_quotes(format!(
            "`{}` is no folder; see `{}`",
            "a".repeat(2_000_000),
            "b".repeat(100)
        ));
        assert!(error.chars().count() < 400, "{}", error.len());
        assert!(error.contains("…` is no folder; see `b"), "{error}");
        assert!(cut_quotes("`a".repeat(3_000_000)).chars().count() <= ERROR_CHARS_MAX + 1);
        assert_eq!(quoted("a\nb"), "a b");
        assert_eq!(quoted("\u{1b}[2J"), "\u{fffd}[2J");
    }
}
