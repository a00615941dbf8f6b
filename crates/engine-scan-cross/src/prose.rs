//! Sentences of a text, with their lines and the headings above them.

use std::borrow::Cow;

use crate::read::number;

/// A sentence, a row of a table or an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// In lower case, on one line.
    pub(crate) text: String,
    /// As written, on one line.
    pub(crate) written: String,
    /// Its first line, from 1.
    pub(crate) line: u32,
    /// Index of the heading above it in [`Prose::headings`]; none before the first.
    pub(crate) heading: Option<usize>,
    /// Whether it stands in a list or a table.
    pub(crate) entry: bool,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// In lower case, without its number.
    pub(crate) text: String,
    /// Level from 1.
    pub(crate) level: usize,
    /// Line, from 1.
    pub(crate) line: u32,
}

/// A text taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prose {
    /// In reading order.
    pub(crate) headings: Vec<Heading>,
    /// In reading order.
    pub(crate) sentences: Vec<Sentence>,
}

impl Prose {
    /// The headings that a sentence stands below, from the nearest outwards.
    pub(crate) fn above(&self, sentence: &Sentence) -> Vec<&Heading> {
        let mut out = Vec::new();
        let Some(nearest) = sentence.heading else { return out };
        let mut level = usize::MAX;
        for heading in self.headings[..=nearest].iter().rev() {
            if heading.level < level {
                level = heading.level;
                out.push(heading);
                if level == 1 {
                    break;
                }
            }
        }
        out
    }

    /// The sentences below a heading, those of its own sub-headings included.
    pub(crate) fn below(&self, index: usize) -> impl Iterator<Item = &Sentence> {
        let level = self.headings[index].level;
        let end = self.headings[index + 1..]
            .iter()
            .position(|heading| heading.level <= level)
            .map_or(self.headings.len(), |at| index + 1 + at);
        self.sentences
            .iter()
            .filter(move |sentence| sentence.heading.is_some_and(|at| (index..end).contains(&at)))
    }
}

/// Takes Markdown, reStructuredText or plain text apart.
pub(crate) fn of_markup(text: &str) -> Prose {
    let mut walk = Walk::default();
    let lines: Vec<&str> = text.lines().collect();
    let mut fence: Option<&str> = None;
    let mut comment = false;
    let mut index = front_matter(&lines);
    while index < lines.len() {
        let line = lines[index];
        let trimmed = line.trim();
        let at = number(index);
        index += 1;
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        if comment || trimmed.starts_with("<!--") {
            comment = !trimmed.contains("-->");
            continue;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            walk.flush();
            fence = Some(&trimmed[..3]);
            continue;
        }
        if trimmed.is_empty() {
            walk.flush();
            continue;
        }
        let hashes = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&hashes) && trimmed[hashes..].starts_with(' ') {
            walk.heading(hashes, trimmed[hashes..].trim_end_matches('#'), at);
            continue;
        }
        if let Some(level) = lines.get(index).and_then(|under| underline(under))
            && trimmed.chars().any(char::is_alphanumeric)
            && !trimmed.starts_with(['|', '-', '*', '>'])
        {
            walk.heading(level, trimmed, at);
            index += 1;
            continue;
        }
        if underline(trimmed).is_some() {
            walk.flush();
            continue;
        }
        // A quotation is where templates put their instructions.
        if trimmed.starts_with('>') {
            walk.flush();
            continue;
        }
        if trimmed.starts_with('|') {
            walk.flush();
            let ruler = trimmed.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
            let header = lines.get(index).is_some_and(|next| {
                let next = next.trim();
                next.starts_with('|') && next.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
            });
            if !ruler && !header {
                walk.push(trimmed, at);
                walk.entry = true;
                walk.whole = true;
                walk.flush();
            }
            continue;
        }
        if let Some(item) = list_item(trimmed) {
            walk.flush();
            walk.push(item, at);
            walk.entry = true;
            continue;
        }
        walk.push(trimmed, at);
    }
    walk.flush();
    walk.prose
}

/// Lines of the front matter, its fences included.
fn front_matter(lines: &[&str]) -> usize {
    if lines.first().map(|line| line.trim_end()) != Some("---") {
        return 0;
    }
    lines
        .iter()
        .skip(1)
        .take(200)
        .position(|line| line.trim_end() == "---")
        .map_or(0, |at| at + 2)
}

/// The level of an underlined heading.
fn underline(line: &str) -> Option<usize> {
    let line = line.trim();
    let mark = line.chars().next()?;
    let level = match mark {
        '=' => 1,
        '-' => 2,
        '~' => 3,
        _ => return None,
    };
    (line.len() >= 3 && line.chars().all(|c| c == mark)).then_some(level)
}

fn list_item(line: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)) {
        // An open box is work that is still to be done.
        return Some(if rest.starts_with("[ ]") { "" } else { rest });
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..)?;
    (digits > 0 && digits <= 3)
        .then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))
        .flatten()
}

/// Tags that end a sentence.
const BLOCK_TAGS: &[&str] = &[
    "p", "div", "li", "td", "tr", "th", "br", "section", "article", "footer", "header", "ul", "ol", "table", "dd",
    "dt", "main", "nav", "form", "button",
];

/// Takes HTML apart; scripts, styles and comments say nothing.
pub(crate) fn of_html(text: &str) -> Prose {
    let mut walk = Walk::default();
    let mut line = 1_u32;
    let mut rest = text;
    let mut heading: Option<(usize, u32)> = None;
    let mut title = String::new();
    while let Some(open) = rest.find('<') {
        let (before, tag_on) = rest.split_at(open);
        html_text(before, &mut line, heading.is_some(), &mut title, &mut walk);
        if let Some(after) = tag_on.strip_prefix("<!--") {
            let end = after.find("-->").map_or(after.len(), |at| at + 3);
            line = line.saturating_add(newlines(&after[..end]));
            rest = &after[end..];
            continue;
        }
        let Some(close) = tag_on.find('>') else { break };
        let inner = &tag_on[1..close];
        line = line.saturating_add(newlines(inner));
        rest = &tag_on[close + 1..];
        let closing = inner.starts_with('/');
        let written = inner.trim_start_matches('/');
        let length = written
            .bytes()
            .take(12)
            .position(|byte| !byte.is_ascii_alphanumeric())
            .unwrap_or(written.len().min(12));
        let name = &written[..length];
        let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        };
        if !closing && matches!(&*name, "script" | "style" | "template" | "code" | "pre") {
            let end = format!("</{name}");
            let skip = find_ignoring_case(rest, &end).unwrap_or(rest.len());
            line = line.saturating_add(newlines(&rest[..skip]));
            rest = &rest[skip..];
            continue;
        }
        let level = name
            .strip_prefix('h')
            .and_then(|level| level.parse::<usize>().ok())
            .filter(|level| (1..=6).contains(level));
        if let Some(level) = level {
            walk.flush();
            if closing {
                if let Some((level, at)) = heading.take() {
                    walk.heading(level, &title, at);
                }
            } else {
                heading = Some((level, line));
                title.clear();
            }
        } else if BLOCK_TAGS.contains(&&*name) {
            walk.flush();
            if !closing && matches!(&*name, "li" | "tr") {
                walk.entry = true;
            }
        }
    }
    html_text(rest, &mut line, heading.is_some(), &mut title, &mut walk);
    walk.flush();
    walk.prose
}

fn html_text(text: &str, line: &mut u32, in_heading: bool, title: &mut String, walk: &mut Walk) {
    for (index, part) in text.split('\n').enumerate() {
        if index > 0 {
            *line = line.saturating_add(1);
        }
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        if in_heading {
            title.push_str(part);
            title.push(' ');
        } else if part.contains('&') {
            walk.push(&part.replace("&nbsp;", " ").replace("&amp;", "&"), *line);
        } else {
            walk.push(part, *line);
        }
    }
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// Where an ASCII text in lower case stands, whatever the case.
fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let first = needle.chars().next()?;
    text.match_indices(first).map(|(at, _)| at).find(|at| {
        text.as_bytes()
            .get(*at..*at + needle.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(needle.as_bytes()))
    })
}

#[derive(Default)]
struct Walk {
    prose: Prose,
    block: String,
    /// Where in the block each of its lines begins, and its number.
    starts: Vec<(usize, u32)>,
    entry: bool,
    /// Whether the block is one statement, stops or not.
    whole: bool,
}

impl Walk {
    fn heading(&mut self, level: usize, text: &str, line: u32) {
        self.flush();
        let text = text
            .trim()
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '(' | '§' | '*' | '#' | ' '))
            .trim_end_matches(['*', ':', ' '])
            .to_lowercase();
        self.prose.headings.push(Heading { text, level, line });
    }

    fn push(&mut self, text: &str, line: u32) {
        if !self.block.is_empty() {
            self.block.push(' ');
        }
        self.starts.push((self.block.len(), line));
        self.block.push_str(text);
    }

    fn flush(&mut self) {
        let (entry, whole) = (std::mem::take(&mut self.entry), std::mem::take(&mut self.whole));
        if self.block.is_empty() {
            self.starts.clear();
            return;
        }
        let block = std::mem::take(&mut self.block);
        let starts = std::mem::take(&mut self.starts);
        let heading = self.prose.headings.len().checked_sub(1);
        let mut begin = 0;
        let mut line_at = 0;
        let mut chars = block.char_indices().peekable();
        let mut cut = |from: usize, to: usize, out: &mut Vec<Sentence>| {
            let raw = &block[from..to];
            let skipped = raw.len() - raw.trim_start().len();
            while line_at + 1 < starts.len() && starts[line_at + 1].0 <= from + skipped {
                line_at += 1;
            }
            let written = raw.trim();
            if written.chars().any(char::is_alphabetic) {
                out.push(Sentence {
                    text: written.to_lowercase(),
                    written: written.to_owned(),
                    line: starts.get(line_at).map_or(1, |(_, line)| *line),
                    heading,
                    entry,
                });
            }
        };
        let mut previous = ' ';
        while let Some((at, c)) = chars.next() {
            let ends = match c {
                // `Art. 12`, `e.g. `, `No. 3` are no ends: what follows an end is a capital.
                '.' => {
                    previous.is_alphanumeric()
                        && chars.peek().is_none_or(|(_, next)| *next == ' ')
                        && block[at + 1..]
                            .trim_start()
                            .chars()
                            .next()
                            .is_none_or(|next| next.is_uppercase() || matches!(next, '*' | '`' | '['))
                }
                '!' | '?' | ';' => chars.peek().is_none_or(|(_, next)| *next == ' '),
                _ => false,
            };
            previous = c;
            if ends && !whole {
                cut(begin, at + c.len_utf8(), &mut self.prose.sentences);
                begin = at + c.len_utf8();
            }
        }
        cut(begin, block.len(), &mut self.prose.sentences);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_keep_their_line_and_their_headings() {
        let prose = of_markup(
            "---\ntitle: x\n---\n# Log plan\n\nAll is logged. It is\nkept for a year.\n\n## 2. Access\n\n- Only staff.\n\n```\nno text\n```\n",
        );
        let found: Vec<(u32, &str)> = prose.sentences.iter().map(|s| (s.line, s.text.as_str())).collect();
        assert_eq!(
            found,
            [
                (6, "all is logged."),
                (6, "it is kept for a year."),
                (11, "only staff.")
            ]
        );
        let above: Vec<&str> = prose
            .above(&prose.sentences[2])
            .iter()
            .map(|heading| heading.text.as_str())
            .collect();
        assert_eq!(above, ["access", "log plan"]);
        assert_eq!(prose.below(0).count(), 3);
        assert_eq!(prose.below(1).count(), 1);
    }

    #[test]
    fn html_is_read_without_its_scripts() {
        let prose = of_html(
            "<html><body>\n<h1>Imprint</h1>\n<p>Acme\nGmbH.</p>\n<script>\nlet a = '<p>no';\n</script>\n<p>End.</p>",
        );
        let found: Vec<(u32, &str)> = prose.sentences.iter().map(|s| (s.line, s.text.as_str())).collect();
        assert_eq!(found, [(3, "acme gmbh."), (8, "end.")]);
        assert_eq!(
            (prose.headings[0].text.as_str(), prose.headings[0].line),
            ("imprint", 2)
        );
    }

    #[test]
    fn rows_are_one_statement_and_headers_none() {
        let prose = of_markup("| Kind | Kept |\n| --- | --- |\n| Log. A | 30 days |\n");
        assert_eq!(prose.sentences.len(), 1);
        assert_eq!(prose.sentences[0].line, 3);
    }
}
