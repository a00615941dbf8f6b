//! Splits prose into blocks, sentences and words.

/// Longest sentence that is allowed, in words.
pub(crate) const WORDS_MAX: usize = 30;

/// A sentence, a heading or a table cell.
#[derive(Debug, Default)]
pub(crate) struct Sentence<'t> {
    /// The line on which it begins.
    pub(crate) line: usize,
    /// The sentence as it was written.
    pub(crate) text: &'t str,
    /// Its words in order.
    pub(crate) words: Vec<Word<'t>>,
    /// Whether it ends with a question mark.
    pub(crate) question: bool,
}

/// A word, a code span or a placeholder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'t> {
    /// The word as it was written.
    pub(crate) text: &'t str,
    /// Whether it is a code span or a placeholder: one word, and no pattern matches it.
    pub(crate) code: bool,
    /// Whether a sentence, or a clause after a colon or a semicolon, begins with it.
    pub(crate) starts_clause: bool,
    /// Whether it counts: it contains a letter and is the first such word since the last space.
    counts: bool,
}

impl Sentence<'_> {
    /// Words with a letter; a code span is one word, and so is a chain such as `and/or`.
    pub(crate) fn length(&self) -> usize {
        self.words.iter().filter(|word| word.counts).count()
    }
}

/// The blocks of a Markdown text, each with the line on which it begins: paragraphs, list items, headings and table cells.
///
/// Fenced code, HTML comments and link definitions are left out.
pub(crate) fn blocks(markdown: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let mut fence: Option<&str> = None;
    let mut comment = false;
    for (number, line) in (1..).zip(markdown.lines()) {
        let mut line = line.trim();
        while let Some(quoted) = line.strip_prefix('>') {
            line = quoted.trim_start();
        }
        let mark = fence_mark(line);
        if let Some(opened) = fence {
            if mark.is_some_and(|mark| mark.starts_with(opened)) {
                fence = None;
            }
            continue;
        }
        comment |= line.starts_with("<!--");
        let definition = line.starts_with('[') && line.contains("]: ");
        let marked = list_item(line);
        if mark.is_some()
            || comment
            || definition
            || line.is_empty()
            || line.starts_with(['#', '|'])
            || marked.is_some()
        {
            out.extend(open.take());
        }
        if comment {
            comment = !line.contains("-->");
        } else if mark.is_some() {
            fence = mark;
        } else if line.starts_with('|') {
            out.extend(cells(line).map(|cell| (number, cell.to_owned())));
        } else if line.starts_with('#') {
            out.push((number, line.trim_start_matches('#').to_owned()));
        } else if let Some(item) = marked {
            open = Some((number, item.to_owned()));
        } else if !definition && !line.is_empty() {
            let (_, block) = open.get_or_insert_with(|| (number, String::new()));
            if !block.is_empty() {
                block.push('\n');
            }
            block.push_str(line);
        }
    }
    out.extend(open);
    out
}

/// The backticks or tildes that open or close fenced code.
fn fence_mark(line: &str) -> Option<&str> {
    let length = |c| line.len() - line.trim_start_matches(c).len();
    let length = length('`').max(length('~'));
    (length >= 3).then(|| &line[..length])
}

/// The text of a list item without its mark.
fn list_item(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if digits.len() < line.len() {
        digits.strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '+'])?
    };
    rest.starts_with(' ').then(|| rest.trim_start())
}

/// The cells of a table row; a bar in a code span or after a backslash is text.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let (mut code, mut escaped) = (false, false);
    line.split(move |c| {
        let bar = c == '|' && !code && !escaped;
        code ^= c == '`' && !escaped;
        escaped = c == '\\' && !escaped;
        bar
    })
}

/// The sentences of a block that begins on a line.
///
/// A sentence ends with `.`, `?` or `!` before a space and a capital letter, a code span or a bracket.
pub(crate) fn sentences(text: &str, line: usize) -> Vec<Sentence<'_>> {
    let mut splitter = Splitter {
        text,
        at: 0,
        line,
        clause: true,
        counted: false,
        begin: None,
        current: Sentence::default(),
        done: Vec::new(),
        no_closing: [false; 4],
    };
    while splitter.step() {}
    splitter.finish(text.len(), false);
    splitter.done
}

struct Splitter<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    clause: bool,
    counted: bool,
    begin: Option<usize>,
    current: Sentence<'t>,
    done: Vec<Sentence<'t>>,
    /// For code marks of 1 to 3 backticks: no closing mark of this length follows.
    no_closing: [bool; 4],
}

impl Splitter<'_> {
    /// Reads one word, mark or space; false at the end.
    fn step(&mut self) -> bool {
        let text = self.text;
        let rest = &text[self.at..];
        let Some(first) = rest.chars().next() else { return false };
        let mut length = first.len_utf8();
        if first == '`' {
            length = match self.code_span(rest) {
                Ok(length) => {
                    self.push(length, true);
                    length
                }
                Err(length) => length,
            };
        } else if rest.starts_with("{{") || rest.starts_with("}}") {
            length = 2;
        } else if let Some(end) = placeholder(rest) {
            self.push(end, true);
            length = end;
        } else if rest.starts_with("](") || rest.starts_with("<http") || rest.starts_with("<mailto") {
            length = target(rest);
        } else if first.is_alphanumeric() {
            length = word(rest);
            self.push(length, false);
        } else if first.is_whitespace() {
            self.counted = false;
            self.line += usize::from(first == '\n');
        } else if matches!(first, '.' | '?' | '!') && ends_sentence(&text[..self.at], &rest[1..]) {
            self.finish(self.at + 1, first == '?');
        } else if matches!(first, ':' | ';') && rest[1..].starts_with(char::is_whitespace) {
            self.clause = true;
        } else if first == '?' && rest[1..].trim_start_matches(CLOSERS).trim().is_empty() {
            self.current.question = true;
        }
        self.at += length;
        true
    }

    fn push(&mut self, length: usize, code: bool) {
        let text = &self.text[self.at..self.at + length];
        let counts = !self.counted && (code || text.contains(char::is_alphabetic));
        self.counted |= counts;
        if self.begin.is_none() {
            self.begin = Some(self.at);
            self.current.line = self.line;
        }
        self.current.words.push(Word {
            text,
            code,
            starts_clause: std::mem::take(&mut self.clause),
            counts,
        });
    }

    fn finish(&mut self, end: usize, question: bool) {
        self.clause = true;
        if let Some(begin) = self.begin.take() {
            let mut sentence = std::mem::take(&mut self.current);
            sentence.text = self.text[begin..end].trim();
            sentence.question |= question;
            self.done.push(sentence);
        }
    }

    /// The length of a code span, or of its mark where none closes it.
    fn code_span(&mut self, rest: &str) -> Result<usize, usize> {
        let mark = rest.len() - rest.trim_start_matches('`').len();
        let unclosed = &mut self.no_closing[mark.min(3)];
        if *unclosed {
            return Err(mark);
        }
        if let Some(at) = rest[mark..].find(&rest[..mark]) {
            Ok(mark + at + mark)
        } else {
            *unclosed = true;
            Err(mark)
        }
    }
}

/// The length of a placeholder such as `{}`, `{name}` or `{0:?}`.
fn placeholder(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('{')?;
    let end = inner.find(|c: char| !(c.is_alphanumeric() || "_.:?#$*<>^+-".contains(c)))?;
    inner[end..].starts_with('}').then_some(end + 2)
}

/// The length of the target of a link, without a space in it.
fn target(rest: &str) -> usize {
    let close = if rest.starts_with(']') { ')' } else { '>' };
    rest.find(|c: char| c == close || c.is_whitespace())
        .map_or(rest.len(), |at| at + usize::from(rest[at..].starts_with(close)))
}

/// The length of a word; marks inside it, as in `one's`, `stand-in` or `config.toml`, belong to it.
fn word(rest: &str) -> usize {
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        let inside = || chars.clone().next().is_some_and(|(_, next)| next.is_alphanumeric());
        if !(c.is_alphanumeric() || c == '_' || (matches!(c, '-' | '\'' | '’' | '.' | '@') && inside())) {
            return at;
        }
    }
    rest.len()
}

/// Marks that can follow the last mark of a sentence.
const CLOSERS: [char; 8] = ['*', '_', ')', '"', '\'', '”', '’', ']'];

/// Whether a sentence ends with the mark between these two texts.
fn ends_sentence(before: &str, after: &str) -> bool {
    let after = after.trim_start_matches(CLOSERS);
    if before.ends_with("Art") || before.ends_with("e.g") || before.ends_with("i.e") {
        return false;
    }
    let next = after.trim_start();
    next.len() < after.len()
        && next
            .starts_with(|c: char| c.is_uppercase() || matches!(c, '`' | '{' | '(' | '[' | '*' | '_' | '"' | '“' | '<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        sentences(text, 1).iter().map(Sentence::length).collect()
    }

    fn words(text: &str) -> Vec<&str> {
        sentences(text, 1)
            .iter()
            .flat_map(|s| s.words.iter().map(|word| word.text))
            .collect()
    }

    #[test]
    fn given_full_stops_then_sentences_end_before_a_capital() {
        assert_eq!(lengths("One two. Three four? Five! Six."), [2, 2, 1, 1]);
        assert_eq!(lengths("Version 1.2 of config.toml is there."), [5]);
        assert_eq!(lengths("See Art. 50(1) and e.g. Annex III."), [6]);
        assert_eq!(lengths("**Bold.** Then text."), [1, 2]);
        assert_eq!(lengths("It ended. and went on"), [5]);
        assert_eq!(lengths("One. `code` is two."), [1, 3]);
    }

    #[test]
    fn given_code_placeholders_and_links_then_each_is_one_word() {
        assert_eq!(lengths("Run `cargo xtask tidy now` or {name} and {0:?}."), [6]);
        assert_eq!(lengths("Read [the guide](docs/told/by a.md) first."), [5]);
        assert_eq!(words("[Guide](docs/0009-what-is-told.md) ends"), ["Guide", "ends"]);
        assert_eq!(words("braces {{told}} remain"), ["braces", "told", "remain"]);
        assert_eq!(lengths("an open ` mark and/or 12 numbers"), [5]);
    }

    #[test]
    fn given_marks_inside_a_word_then_it_is_one_word() {
        assert_eq!(
            words("one's stand-in, config.toml; snake_case."),
            ["one's", "stand-in", "config.toml", "snake_case"]
        );
    }

    #[test]
    fn given_a_colon_then_a_clause_begins() {
        let all = sentences("A rule: What counts; what not. Who uses it?", 1);
        let starts: Vec<&str> = all
            .iter()
            .flat_map(|s| s.words.iter().filter(|w| w.starts_clause).map(|w| w.text))
            .collect();
        assert_eq!(starts, ["A", "What", "what", "Who"]);
        assert!(!all[0].question && all[1].question);
    }

    #[test]
    fn given_lines_then_a_sentence_knows_where_it_begins() {
        let all = sentences("One\ntwo. Three\nfour. Five", 7);
        let lines: Vec<usize> = all.iter().map(|sentence| sentence.line).collect();
        assert_eq!(lines, [7, 8, 9]);
    }

    #[test]
    fn given_markdown_then_blocks_end_at_items_cells_headings_and_fences() {
        let text = "# Title\nfirst line\nsecond\n\n- item one\n  goes on\n- item two\n1. third\n| a | `b|c` |\n| --- | --- |\n\
                    ````text\n```\ntold\n````\n<!-- told -->\n[x]: https://told.example\n> quote\n";
        let all: Vec<(usize, String)> = blocks(text)
            .into_iter()
            .map(|(line, block)| (line, block.trim().to_owned()))
            .filter(|(_, b)| b.contains(char::is_alphabetic))
            .collect();
        let expected = [
            (1, "Title"),
            (2, "first line\nsecond"),
            (5, "item one\ngoes on"),
            (7, "item two"),
            (8, "third"),
            (9, "a"),
            (9, "`b|c`"),
            (17, "quote"),
        ];
        assert_eq!(all, expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn given_thirty_words_then_the_sentence_is_allowed() {
        let text = vec!["word"; WORDS_MAX].join(" ");
        assert_eq!(lengths(&text), [WORDS_MAX]);
        assert_eq!(lengths(&format!("{text} more")), [WORDS_MAX + 1]);
    }
}
