//! Text from a scanned project: names, paths and messages that must not be trusted with a terminal or a page.

use std::borrow::Cow;

/// Characters kept of one piece of foreign text; a file can hold a name of a megabyte.
const CHARS_MAX: usize = 600;

/// Characters kept of one paragraph, which holds several pieces or sentences.
const PARAGRAPH_MAX: usize = 20_000;

/// One line of plain text: no control characters, no characters that turn the direction of text or hide in it.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    cleaned(text, CHARS_MAX)
}

/// The same for a paragraph, which is kept whole.
pub(crate) fn clean_paragraph(text: &str) -> Cow<'_, str> {
    cleaned(text, PARAGRAPH_MAX)
}

fn cleaned(text: &str, most: usize) -> Cow<'_, str> {
    let plain = text.bytes().all(|b| (0x20..0x7f).contains(&b)) && text.len() <= most;
    if plain && !text.contains("  ") && !text.starts_with(' ') && !text.ends_with(' ') {
        return Cow::Borrowed(text);
    }
    let mut line = String::new();
    let mut gap = false;
    let mut kept = 0;
    for c in text.chars() {
        if c.is_whitespace() && c != '\u{a0}' {
            gap = !line.is_empty();
            continue;
        }
        if is_hidden(c) {
            continue;
        }
        if kept == most {
            line.push('…');
            break;
        }
        if std::mem::take(&mut gap) {
            line.push(' ');
        }
        line.push(c);
        kept += 1;
    }
    Cow::Owned(line)
}

/// Whether a character is a command to a terminal or changes how its neighbours are read.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Columns that a text takes in a terminal, near enough for wrapping.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

fn char_columns(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// The text in at most `max` columns, cut at a word where it is too long.
pub(crate) fn clip(text: &str, max: usize) -> String {
    let text = clean(text);
    if columns(&text) <= max {
        return text.into_owned();
    }
    let mut cut = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += char_columns(c);
        if used > max {
            break;
        }
        cut.push(c);
    }
    if let Some((head, _)) = cut.rsplit_once(' ')
        && head.len() > cut.len() / 2
    {
        cut.truncate(head.len());
    }
    // A cut inside quoted code would leave its quote open.
    if cut.matches('`').count() % 2 == 1
        && let Some(at) = cut.rfind('`')
        && at > cut.len() / 2
    {
        cut.truncate(at);
    }
    let kept = cut.trim_end_matches([' ', ',', ';', ':', '(']).len();
    cut.truncate(kept);
    cut.push('…');
    cut
}

/// A count with its noun.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let one = number == 1;
    let number = thousands(number as u64);
    match noun
        .strip_suffix('y')
        .filter(|head| !head.ends_with(['a', 'e', 'o', 'u']))
    {
        _ if one => format!("{number} {noun}"),
        Some(head) => format!("{number} {head}ies"),
        None => format!("{number} {noun}s"),
    }
}

/// A number with commas between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
