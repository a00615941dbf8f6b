//! Text into lines.

use crate::fonts::{FontId, Fonts, Glyph, Shaped};
use crate::tags::NodeId;
use crate::theme::Colour;

/// Look of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) font: FontId,
    pub(crate) size: f32,
    pub(crate) colour: Colour,
}

impl Style {
    pub(crate) const fn new(font: FontId, size: f32, colour: Colour) -> Self {
        Self { font, size, colour }
    }
}

/// A piece of text, and the node of the structure that it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) style: Style,
    pub(crate) node: NodeId,
}

/// A stretch of a line in one font, style and node.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) x: f32,
    pub(crate) width: f32,
    pub(crate) style: Style,
    pub(crate) node: NodeId,
    pub(crate) shaped: Shaped,
}

/// A line of text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) runs: Vec<Run>,
    /// Width without the space at the end.
    pub(crate) width: f32,
}

/// Characters that must not reach a font: they would hide or reorder what a person reads.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fdd0}'..='\u{fdef}')
        || (character as u32) & 0xfffe == 0xfffe
}

/// Characters that leave no trace when they are left out.
const fn is_empty(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(character, '\r')
}

/// The text with hidden characters made visible. Line feeds stay; a tab becomes `tab`.
pub(crate) fn clean(text: &str, tab: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => cleaned.push_str(tab),
            '\n' | '\u{2028}' | '\u{2029}' | '\u{85}' => cleaned.push('\n'),
            _ if is_empty(character) => {}
            _ if is_hidden(character) => cleaned.push('\u{fffd}'),
            _ => cleaned.push(character),
        }
    }
    cleaned
}

/// The text on one line, for metadata and descriptions.
pub(crate) fn one_line(text: &str) -> String {
    clean(text, " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a line may end between two characters of a word.
fn may_break(before: char, after: char, code: bool) -> bool {
    match before {
        '-' | '\u{2010}' if !code => after.is_alphabetic(),
        '\u{2013}' | '\u{2014}' => true,
        '/' | '\\' => !after.is_ascii_digit() && !matches!(after, '/' | '\\') || code && after.is_alphanumeric(),
        '_' | '.' | ':' | '-' if code => after.is_alphanumeric(),
        ',' | ';' | '=' | '&' | '?' | '(' if code => true,
        _ => false,
    }
}

/// Longest part of a word that is shaped at once.
const LONGEST: usize = 48;

/// Cuts a word at the places where a line may end; the parts are short.
fn atoms(word: &str, code: bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut length, mut before) = (0, 0, None);
    for (at, character) in word.char_indices() {
        let cut = before.is_some_and(|before| may_break(before, character, code)) && length > 1;
        // Not before a combining mark, which belongs to the letter before it.
        if at > start && (cut || length >= LONGEST && !('\u{300}'..='\u{36f}').contains(&character))
            || length > 4 * LONGEST
        {
            parts.push(&word[start..at]);
            (start, length) = (at, 0);
        }
        length += 1;
        before = Some(character);
    }
    parts.push(&word[start..]);
    parts
}

/// Breaks pieces into lines of a width. There is always at least one line.
pub(crate) fn lines(fonts: &mut Fonts, pieces: &[Piece], width: f32) -> Vec<Line> {
    let mut breaker = Breaker {
        lines: Vec::new(),
        line: Line::default(),
        x: 0.0,
        width: width.max(1.0),
    };
    for piece in pieces {
        let code = piece.style.font == FontId::Mono;
        for (index, paragraph) in piece.text.split('\n').enumerate() {
            if index > 0 {
                breaker.end_line();
            }
            // A word carries the spaces that follow it.
            for word in paragraph.split_inclusive(' ') {
                let bare = word.trim_end_matches(' ');
                if bare.is_empty() {
                    breaker.space(fonts, piece);
                    continue;
                }
                for atom in atoms(bare, code) {
                    breaker.atom(fonts, piece, atom);
                }
                if bare.len() < word.len() {
                    breaker.space(fonts, piece);
                }
            }
        }
    }
    breaker.end_line();
    breaker.lines
}

/// One line, cut with an ellipsis when it is too long.
pub(crate) fn cut_to(fonts: &mut Fonts, style: Style, text: &str, width: f32) -> String {
    let text = one_line(text);
    if text.len() < 400 && fonts.measure(style.font, style.size, &text) <= width {
        return text;
    }
    let characters: Vec<char> = text.chars().take(400).collect();
    let (mut low, mut high) = (0, characters.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        let candidate: String = characters[..middle].iter().chain(std::iter::once(&'…')).collect();
        if fonts.measure(style.font, style.size, &candidate) <= width {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let kept: String = characters[..low].iter().collect();
    format!("{}…", kept.trim_end())
}

struct Breaker {
    lines: Vec<Line>,
    line: Line,
    x: f32,
    width: f32,
}

impl Breaker {
    fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
        self.x = 0.0;
    }

    fn space(&mut self, fonts: &mut Fonts, piece: &Piece) {
        // The space at the end of a line is written, so that the words stay apart when they are read out or copied.
        let full = self.x >= self.width && self.line.runs.last().is_some_and(|run| run.shaped.text.ends_with(' '));
        if !full && (!self.line.runs.is_empty() || piece.style.font == FontId::Mono) {
            let shaped = fonts.shape(piece.style.font, " ");
            self.push(&shaped, piece, false);
        }
    }

    fn atom(&mut self, fonts: &mut Fonts, piece: &Piece, atom: &str) {
        let shaped = fonts.shape(piece.style.font, atom);
        let wide = shaped.iter().map(Shaped::width).sum::<f32>() * piece.style.size;
        if self.x + wide <= self.width {
            self.push(&shaped, piece, true);
            return;
        }
        if wide <= self.width {
            self.end_line();
            self.push(&shaped, piece, true);
            return;
        }
        // Too long for any line: as many glyphs on each as fit.
        if self.x > self.width * 0.6 {
            self.end_line();
        }
        for part in shaped.iter() {
            self.spill(part, piece);
        }
    }

    fn spill(&mut self, part: &Shaped, piece: &Piece) {
        let mut start = 0;
        while let Some(first) = part.glyphs.get(start) {
            let mut end = start;
            let mut wide = 0.0;
            while let Some(glyph) = part.glyphs.get(end) {
                let next = glyph.advance * piece.style.size;
                let inside = part
                    .glyphs
                    .get(end.wrapping_sub(1))
                    .is_some_and(|before| before.start == glyph.start);
                if self.x + wide + next > self.width && !inside && (end > start || self.x > 0.0) {
                    break;
                }
                wide += next;
                end += 1;
            }
            if end > start {
                let bytes = first.start..part.glyphs.get(end).map_or(part.text.len(), |glyph| glyph.start);
                let text = part.text.get(bytes.clone()).unwrap_or_default().to_owned();
                let glyphs = part.glyphs[start..end]
                    .iter()
                    .map(|glyph| glyph.moved_back(bytes.start))
                    .collect();
                self.push(
                    &[Shaped {
                        font: part.font,
                        text,
                        glyphs,
                    }],
                    piece,
                    true,
                );
                start = end;
            }
            if start < part.glyphs.len() {
                self.end_line();
            }
        }
    }

    fn push(&mut self, parts: &[Shaped], piece: &Piece, visible: bool) {
        for part in parts {
            let width = part.width() * piece.style.size;
            match self.line.runs.last_mut() {
                Some(last) if last.node == piece.node && last.style == piece.style && last.shaped.font == part.font => {
                    let by = last.shaped.text.len();
                    last.shaped.text.push_str(&part.text);
                    last.shaped
                        .glyphs
                        .extend(part.glyphs.iter().map(|glyph: &Glyph| glyph.moved(by)));
                    last.width += width;
                }
                _ => self.line.runs.push(Run {
                    x: self.x,
                    width,
                    style: piece.style,
                    node: piece.node,
                    shaped: part.clone(),
                }),
            }
            self.x += width;
        }
        if visible {
            self.line.width = self.x;
        }
    }
}
