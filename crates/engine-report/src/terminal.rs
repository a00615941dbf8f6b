//! Lines for a terminal: wrapped, perhaps coloured, and free of foreign control characters.

use crate::foreign::{clean, clean_paragraph, columns, is_hidden};

/// How a piece of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Red,
    Yellow,
    Green,
    Cyan,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "1;31",
            Self::Yellow => "33",
            Self::Green => "32",
            Self::Cyan => "36",
        }
    }
}

/// A piece of a line in one style. A no-break space is printed as a space at which no line breaks.
pub(crate) type Span<'a> = (Style, &'a str);

/// Collects lines. Every character passes [`Terminal::line`], the one place that writes escape sequences.
pub(crate) struct Terminal {
    text: String,
    colour: bool,
    width: usize,
}

/// Narrower than this nothing can be read.
const WIDTH_MIN: usize = 40;

impl Terminal {
    pub(crate) fn new(colour: bool, width: usize) -> Self {
        Self {
            text: String::new(),
            colour,
            width: width.max(WIDTH_MIN),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Columns of a line.
    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// An empty line, but never two.
    pub(crate) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A bold heading after an empty line, with what follows it in plain.
    pub(crate) fn heading(&mut self, title: &str, rest: &str) {
        self.gap();
        self.line(0, 2, &[(Style::Bold, title), (Style::Plain, rest)]);
    }

    /// A heading in a colour.
    pub(crate) fn coloured_heading(&mut self, style: Style, title: &str, rest: &str) {
        self.gap();
        self.line(0, 2, &[(style, title), (Style::Plain, rest)]);
    }

    /// A paragraph: the first line indented by `first`, those after it by `hang`.
    pub(crate) fn line(&mut self, first: usize, hang: usize, spans: &[Span<'_>]) {
        let mut used = first;
        let mut fresh = true;
        self.indent(first);
        for word in words(spans) {
            let width: usize = word.iter().map(|(_, piece)| columns(piece)).sum();
            if fresh {
                fresh = false;
            } else if used + 1 + width > self.width {
                self.end();
                self.indent(hang);
                used = hang;
            } else {
                self.text.push(' ');
                used += 1;
            }
            used += width;
            for (style, piece) in word {
                let paint = self.colour && style != Style::Plain;
                if paint {
                    self.text.push_str("\u{1b}[");
                    self.text.push_str(style.code());
                    self.text.push('m');
                }
                // Words are clean already; a control character here would be a terminal command.
                self.text.extend(
                    piece
                        .chars()
                        .filter(|c| !is_hidden(*c))
                        .map(|c| if c == '\u{a0}' { ' ' } else { c }),
                );
                if paint {
                    self.text.push_str("\u{1b}[0m");
                }
            }
        }
        self.end();
    }

    /// Ends a line: a space that a text of the project keeps together with nothing is left out.
    fn end(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
    }

    fn indent(&mut self, columns: usize) {
        self.text.extend(std::iter::repeat_n(' ', columns));
    }
}

/// Splits spans at spaces; pieces of neighbouring spans without a space between them stay one word.
fn words(spans: &[Span<'_>]) -> Vec<Vec<(Style, String)>> {
    let mut words: Vec<Vec<(Style, String)>> = Vec::new();
    let mut glue = false;
    for (style, text) in spans {
        let cleaned = clean_paragraph(text);
        let starts = text.starts_with(char::is_whitespace) && !text.starts_with('\u{a0}');
        for (index, piece) in cleaned.split(' ').filter(|piece| !piece.is_empty()).enumerate() {
            let piece = (*style, piece.to_owned());
            match words.last_mut() {
                Some(word) if index == 0 && glue && !starts => word.push(piece),
                _ => words.push(vec![piece]),
            }
        }
        if !text.is_empty() {
            let open = text.ends_with(char::is_whitespace) && !text.ends_with('\u{a0}');
            glue = !open && !words.is_empty();
        }
    }
    words
}

/// The text as one word.
pub(crate) fn keep(text: &str) -> String {
    clean(text).replace(' ', "\u{a0}")
}
