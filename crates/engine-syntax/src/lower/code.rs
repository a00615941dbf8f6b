//! The code of a text, told apart from its strings and comments, for rewriting spellings that a grammar does not know.

use std::ops::Range;

use engine_model::Language;

/// Bytes around a place that are looked at for what belongs to it: a text of one endless line must not cost its square.
const SPAN_BYTES_MAX: usize = 2 * 1024;

/// A text with the bytes of it that are code.
pub(super) struct Code<'t> {
    pub(super) text: &'t str,
    bytes: &'t [u8],
    kept: Vec<bool>,
    unclosed: Vec<Range<usize>>,
}

/// A replacement of a part of a text.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl<'t> Code<'t> {
    pub(super) fn new(language: Language, text: &'t str) -> Self {
        let (kept, unclosed) = code_of(language, text.as_bytes());
        Self {
            text,
            bytes: text.as_bytes(),
            kept,
            unclosed,
        }
    }

    /// Texts that end with their row and not with a quotation mark, in a language in which none goes over rows: from the mark to the end.
    pub(super) fn unclosed(&self) -> &[Range<usize>] {
        &self.unclosed
    }

    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The byte at a place, if it is code.
    pub(super) fn at(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied().filter(|_| self.kept[at])
    }

    /// Whether a text stands at a place as code.
    pub(super) fn has(&self, at: usize, text: &str) -> bool {
        self.bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(text.as_bytes()))
            && self.at(at).is_some()
    }

    /// The words of the code, each with its place.
    pub(super) fn words(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < self.len() {
            if self.at(at).is_some_and(is_word) {
                let from = at;
                while self.at(at).is_some_and(is_word) {
                    at += 1;
                }
                out.push(from..at);
            } else {
                at += 1;
            }
        }
        out
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    /// The place of the next byte from a place on that is neither space nor comment; strings count.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        self.ahead(from).find(|at| {
            let byte = self.bytes[*at];
            if self.kept[*at] {
                !byte.is_ascii_whitespace()
            } else {
                matches!(byte, b'"' | b'\'' | b'`')
            }
        })
    }

    /// The places from one on that are looked at.
    fn ahead(&self, from: usize) -> Range<usize> {
        from.min(self.len())..from.saturating_add(SPAN_BYTES_MAX).min(self.len())
    }

    /// The places before one that are looked at.
    const fn behind(at: usize) -> Range<usize> {
        at.saturating_sub(SPAN_BYTES_MAX)..at
    }

    /// The same without going to another line.
    pub(super) fn next_in_line(&self, at: usize) -> Option<usize> {
        self.next(at).filter(|next| !self.slice(at..*next).contains('\n'))
    }

    /// The place of the last byte of code before a place that is no space.
    pub(super) fn last(&self, at: usize) -> Option<usize> {
        Self::behind(at)
            .rev()
            .find(|at| self.at(*at).is_some_and(|byte| !byte.is_ascii_whitespace()))
    }

    /// The word that ends at a place.
    pub(super) fn word_up_to(&self, end: usize) -> &'t str {
        let mut from = end;
        while from > 0 && end - from < SPAN_BYTES_MAX && self.at(from - 1).is_some_and(is_word) {
            from -= 1;
        }
        self.slice(from..end)
    }

    /// The word before a place, with only space between.
    pub(super) fn word_before(&self, at: usize) -> &'t str {
        self.last(at).map_or("", |last| self.word_up_to(last + 1))
    }

    /// The word that begins at a place.
    pub(super) fn word_from(&self, from: usize) -> &'t str {
        let mut end = from;
        while end - from < SPAN_BYTES_MAX && self.at(end).is_some_and(is_word) {
            end += 1;
        }
        self.slice(from..end)
    }

    /// The bracket that closes the one at a place.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in self.ahead(open) {
            match self.at(at) {
                Some(b'(' | b'[' | b'{') => depth += 1,
                Some(b')' | b']' | b'}') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The bracket that opens the one at a place.
    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in Self::behind(close + 1).rev() {
            match self.at(at) {
                Some(b')' | b']' | b'}') => depth += 1,
                Some(b'(' | b'[' | b'{') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The end of angle brackets that begin at a place.
    pub(super) fn closing_angle(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in self.ahead(open) {
            match self.at(at) {
                Some(b'<') => depth += 1,
                Some(b'>') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                Some(b';' | b'{') | None => return None,
                _ => {}
            }
        }
        None
    }

    /// The parts of a range between commas that stand in no bracket.
    pub(super) fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut depth = 0_usize;
        let mut from = range.start;
        for at in range.clone() {
            match self.at(at) {
                Some(b'(' | b'[' | b'{' | b'<') => depth += 1,
                Some(b'>') if self.at(at.wrapping_sub(1)) == Some(b'-') => {}
                Some(b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
                Some(b',') if depth == 0 => {
                    out.push(from..at);
                    from = at + 1;
                }
                _ => {}
            }
        }
        out.push(from..range.end);
        out
    }

    /// Where the line of a place begins.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let near = Self::behind(at);
        let from = near.start;
        let found = self.bytes[near].iter().rposition(|byte| *byte == b'\n');
        found.map_or(from, |end| from + end + 1)
    }

    /// Where the line of a place ends, before its break.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let near = self.ahead(at);
        let (from, to) = (near.start, near.end);
        let found = self.bytes[near].iter().position(|byte| *byte == b'\n');
        found.map_or(to, |end| from + end)
    }

    /// Spaces in place of a range; line breaks stay.
    pub(super) fn blank(&self, range: Range<usize>) -> Edit {
        let with = self.slice(range.clone()).bytes();
        let with = with.map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        Edit { range, with }
    }

    /// A word in place of a range, with what is left of it as spaces and line breaks.
    pub(super) fn put(&self, range: Range<usize>, word: &str) -> Edit {
        let breaks = self.slice(range.clone()).bytes().filter(|byte| *byte == b'\n').count();
        let mut with = word.to_owned();
        with.push_str(&"\n".repeat(breaks));
        while with.len() < range.len() {
            with.insert(word.len(), ' ');
        }
        Edit { range, with }
    }

    /// The text with edits made; of those that overlap the first one.
    pub(super) fn edited(&self, mut edits: Vec<Edit>) -> Option<String> {
        if edits.is_empty() {
            return None;
        }
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut out = String::with_capacity(self.len() + 64);
        let mut at = 0;
        for edit in edits {
            let Some(kept) = self.text.get(at..edit.range.start) else {
                continue;
            };
            out.push_str(kept);
            out.push_str(&edit.with);
            at = edit.range.end;
        }
        out.push_str(self.text.get(at..).unwrap_or(""));
        Some(out)
    }
}

/// For each byte whether it is code. What stands inside a string counts as string, interpolated code too. The texts that nothing closes
/// come along.
fn code_of(language: Language, bytes: &[u8]) -> (Vec<bool>, Vec<Range<usize>>) {
    let hash = matches!(
        language,
        Language::Python | Language::Ruby | Language::Shell | Language::Php
    );
    let slashes = !matches!(language, Language::Python | Language::Ruby | Language::Shell);
    let backticks = matches!(
        language,
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Go
    );
    let chars = matches!(
        language,
        Language::CSharp | Language::Java | Language::Kotlin | Language::Go | Language::Rust
    );
    let mut code = vec![true; bytes.len()];
    let mut unclosed = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = if hash && rest[0] == b'#' && !(language == Language::Php && rest.starts_with(b"#["))
            || slashes && rest.starts_with(b"//")
        {
            at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        } else if slashes && rest.starts_with(b"/*") {
            at + 2 + find(&rest[2..], b"*/").map_or(rest.len() - 2, |end| end + 2)
        } else if rest.starts_with(b"\"\"\"") || language == Language::Python && rest.starts_with(b"'''") {
            at + 3 + find(&rest[3..], &rest[..3]).map_or(rest.len() - 3, |end| end + 3)
        } else if rest[0] == b'"' && language == Language::CSharp && at > 0 && bytes[at - 1] == b'@' {
            at + 1
                + rest[1..]
                    .iter()
                    .position(|byte| *byte == b'"')
                    .map_or(rest.len() - 1, |end| end + 1)
        } else if rest[0] == b'`' && language == Language::Go {
            at + 1
                + rest[1..]
                    .iter()
                    .position(|byte| *byte == b'`')
                    .map_or(rest.len() - 1, |end| end + 1)
        } else if rest[0] == b'"' || rest[0] == b'`' && backticks {
            let over_rows = rest[0] == b'`' || matches!(language, Language::Php | Language::Ruby | Language::Rust);
            quoted(bytes, at, over_rows, &mut unclosed)
        } else if rest[0] == b'\'' && chars {
            // A lifetime is no character.
            let short = rest
                .iter()
                .take(12)
                .skip(2)
                .position(|byte| *byte == b'\'')
                .map(|end| at + end + 3);
            short.filter(|end| *end == at + 3 || rest[1] == b'\\').unwrap_or(at + 1)
        } else if rest[0] == b'\'' {
            let over_rows = matches!(language, Language::Php | Language::Ruby);
            quoted(bytes, at, over_rows, &mut unclosed)
        } else {
            at += 1;
            continue;
        };
        let end = end.min(bytes.len());
        // A lone quotation mark stays code.
        if end > at + 1 {
            code[at..end].fill(false);
        }
        at = end.max(at + 1);
    }
    (code, unclosed)
}

/// The end of a text in quotation marks; one that may not go over lines ends with its line, and is noted.
fn quoted(bytes: &[u8], open: usize, over_lines: bool, unclosed: &mut Vec<Range<usize>>) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !over_lines => {
                unclosed.push(open..at);
                return at;
            }
            byte if byte == bytes[open] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    if !over_lines {
        unclosed.push(open..bytes.len());
    }
    bytes.len()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
