//! The outline of `reStructuredText`, `AsciiDoc` and plain text, line by line.

use crate::read::Builder;
use crate::substance::{Setting, measure};

/// Which of the formats a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// `reStructuredText`.
    Rst,
    /// `AsciiDoc`.
    AsciiDoc,
    /// Text without a format.
    Text,
}

/// Walks through a text; `lines_before` is the number of lines that were taken off its top.
pub(crate) fn outline(text: &str, lines_before: u32, flavour: Flavour, builder: &mut Builder) {
    let lines: Vec<&str> = text.lines().collect();
    let mut walk = Walk {
        builder,
        paragraph: String::new(),
        item: false,
        table_open: false,
        header_seen: false,
        styles: Vec::new(),
    };
    let mut index = 0;
    while index < lines.len() {
        let number = u32::try_from(index)
            .unwrap_or(u32::MAX)
            .saturating_add(lines_before)
            .saturating_add(1);
        let taken = match flavour {
            Flavour::Rst => walk.rst(&lines, index, number),
            Flavour::AsciiDoc => walk.asciidoc(&lines, index, number),
            Flavour::Text => walk.plain(&lines, index, number),
        };
        index += taken.max(1);
    }
    walk.flush();
}

struct Walk<'a> {
    builder: &'a mut Builder,
    paragraph: String,
    item: bool,
    table_open: bool,
    header_seen: bool,
    /// Underlines in the order in which they were first seen, which is the order of their levels.
    styles: Vec<(char, bool)>,
}

impl Walk<'_> {
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.paragraph);
        let item = std::mem::take(&mut self.item);
        if text.trim().is_empty() {
            return;
        }
        let trimmed = text.trim();
        let italic = |mark: char| trimmed.len() > 2 && trimmed.starts_with(mark) && trimmed.ends_with(mark);
        let setting = if italic('*') && !trimmed.starts_with("**") || italic('_') {
            Setting::Aside
        } else {
            Setting::Plain
        };
        let text = text.replace("``", "").replace("**", "");
        if item {
            self.builder.item(&text, setting);
        } else {
            self.builder.text(&text, setting);
        }
    }

    fn heading(&mut self, level: usize, text: &str, number: u32) {
        self.flush();
        self.builder
            .heading(u8::try_from(level.clamp(1, 6)).unwrap_or(6), text, number);
    }

    fn level_of(&mut self, style: (char, bool)) -> usize {
        if let Some(at) = self.styles.iter().position(|known| *known == style) {
            return at + 1;
        }
        if self.styles.len() < 6 {
            self.styles.push(style);
        }
        self.styles.len()
    }

    fn rst(&mut self, lines: &[&str], index: usize, number: u32) -> usize {
        let line = lines[index].trim_end();
        // An overline, the title, and an underline of the same mark.
        if let (Some(mark), Some(title), Some(under)) = (underline(line), lines.get(index + 1), lines.get(index + 2))
            && underline(under.trim_end()) == Some(mark)
            && title.chars().any(char::is_alphanumeric)
        {
            let level = self.level_of((mark, true));
            self.heading(level, title, number.saturating_add(1));
            return 3;
        }
        if let Some(mark) = lines.get(index + 1).and_then(|under| underline(under.trim_end()))
            && !line.starts_with([' ', '\t', '|', '+'])
            && line.chars().any(char::is_alphanumeric)
            && lines[index + 1].trim_end().chars().count() + 2 >= line.chars().count()
        {
            let level = self.level_of((mark, false));
            self.heading(level, line, number);
            return 2;
        }
        if line.starts_with("..") && !line.starts_with("...") {
            self.flush();
            // A comment or a directive without text of its own, with the lines that belong to it.
            let note = line.contains("note::") || line.contains("warning::") || line.contains("table::");
            let below = lines[index + 1..]
                .iter()
                .take_while(|line| line.starts_with([' ', '\t']))
                .count();
            return if note { 1 } else { 1 + below };
        }
        if line.starts_with('|') && line.ends_with('|') && line.len() > 1 {
            self.table_row(line.trim_matches('|'), '|');
            return 1;
        }
        if line.starts_with('+') && line.chars().all(|c| matches!(c, '+' | '-' | '=' | ' ')) {
            self.flush();
            if line.contains('=') {
                self.header_seen = true;
            }
            return 1;
        }
        self.common(line);
        1
    }

    fn asciidoc(&mut self, lines: &[&str], index: usize, number: u32) -> usize {
        let line = lines[index].trim_end();
        let marks = line.chars().take_while(|c| *c == '=').count();
        if marks > 0 && marks <= 6 && line[marks..].starts_with(' ') {
            self.heading(marks, &line[marks..], number);
            return 1;
        }
        if line == "|===" {
            self.flush();
            self.table_open = !self.table_open;
            self.header_seen = false;
            return 1;
        }
        if self.table_open {
            if let Some(cells) = line.strip_prefix('|') {
                self.table_row(cells, '|');
            }
            return 1;
        }
        if let Some(block) = ["----", "....", "////"]
            .into_iter()
            .find(|fence| line.starts_with(fence))
        {
            self.flush();
            let inner: Vec<&str> = lines[index + 1..]
                .iter()
                .take_while(|line| !line.starts_with(block))
                .copied()
                .collect();
            if block != "////" {
                self.builder.code(&inner.join("\n"));
            }
            return inner.len() + 2;
        }
        // Comments, attributes and block options are no text.
        if line.starts_with("//")
            || line.starts_with(':')
            || line.starts_with('[') && line.ends_with(']') && !line.contains(' ')
        {
            self.flush();
            return 1;
        }
        self.common(line);
        1
    }

    fn plain(&mut self, lines: &[&str], index: usize, number: u32) -> usize {
        let line = lines[index].trim_end();
        let alone_above = index == 0 || lines[index - 1].trim().is_empty();
        if let Some(mark) = lines.get(index + 1).and_then(|under| underline(under.trim_end()))
            && line.chars().any(char::is_alphanumeric)
        {
            let level = self.level_of((mark, false));
            self.heading(level, line, number);
            return 2;
        }
        if underline(line).is_some() {
            self.flush();
            return 1;
        }
        let alone_below = lines.get(index + 1).is_none_or(|next| next.trim().is_empty());
        let short = line.len() <= 90 && !line.ends_with(['.', ';', ',', ':', '?', '!']);
        if alone_above && short && line.chars().any(char::is_alphabetic) {
            let letters = || line.chars().filter(|c| c.is_alphabetic());
            let capitals = letters().count() >= 5 && letters().all(char::is_uppercase);
            let waits = measure(line, Setting::Plain).placeholders > 0;
            let numbered = line.starts_with(|c: char| c.is_ascii_digit())
                && line.split_whitespace().next().is_some_and(|first| first.contains('.'));
            if !waits && (index == 0 || capitals || numbered && alone_below) {
                let first = line.split_whitespace().next().unwrap_or("");
                let depth = first.trim_end_matches('.').matches('.').count();
                self.heading(if index == 0 { 1 } else { 2 + depth.min(3) }, line, number);
                return 1;
            }
        }
        self.common(line);
        1
    }

    fn table_row(&mut self, cells: &str, separator: char) {
        self.flush();
        let cells: Vec<String> = cells
            .split(separator)
            .map(|cell| cell.trim().to_owned())
            .take(64)
            .collect();
        // The first row of a table names its columns.
        if self.header_seen {
            self.builder.row(&cells);
        } else {
            self.header_seen = true;
        }
    }

    fn common(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.flush();
            if !self.table_open {
                self.header_seen = false;
            }
            return;
        }
        let item = ["- ", "* ", "+ ", "• ", "#. ", ". "]
            .iter()
            .find_map(|mark| trimmed.strip_prefix(mark))
            .or_else(|| {
                let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
                (digits > 0 && digits <= 3)
                    .then(|| trimmed[digits..].strip_prefix(['.', ')']))
                    .flatten()
                    .filter(|rest| rest.starts_with(' '))
            });
        if let Some(text) = item {
            self.flush();
            self.item = true;
            self.paragraph.push_str(text);
        } else {
            if !self.paragraph.is_empty() {
                self.paragraph.push('\n');
            }
            self.paragraph.push_str(trimmed);
        }
    }
}

/// The mark of a line that underlines another: the same sign, three times or more.
fn underline(line: &str) -> Option<char> {
    let mark = line.chars().next()?;
    let marks = matches!(
        mark,
        '=' | '-' | '~' | '^' | '"' | '\'' | '*' | '+' | '#' | '`' | ':' | '.'
    );
    (marks && line.len() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}
