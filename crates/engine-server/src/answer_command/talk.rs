//! A dialogue by lines: paragraphs are appended, answers are read, and nothing on the screen moves.

use std::io::{self, BufRead, Write};

use engine_report::{TextOptions, paragraph};

/// Longest input line, in characters.
const LINE_CHARS_MAX: usize = 4_000;

/// The input and output of a dialogue.
pub(super) struct Talk<'a> {
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
    options: TextOptions,
}

impl<'a> Talk<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead, out: &'a mut dyn Write, options: TextOptions) -> Self {
        Self { input, out, options }
    }

    /// A paragraph.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.item(0, 0, text)
    }

    /// A paragraph with its own indents.
    pub(super) fn item(&mut self, first: usize, hang: usize, text: &str) -> io::Result<()> {
        let text = paragraph(text, first, hang, false, &self.options);
        self.out.write_all(text.as_bytes())
    }

    /// An important line, bold where there are colours.
    pub(super) fn strong(&mut self, text: &str) -> io::Result<()> {
        let text = paragraph(text, 0, 0, true, &self.options);
        self.out.write_all(text.as_bytes())
    }

    /// An empty line.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// A heading after an empty line.
    pub(super) fn heading(&mut self, text: &str) -> io::Result<()> {
        self.gap()?;
        self.strong(text)
    }

    /// Asks for a line, without its end and without control characters; none at the end of the input.
    pub(super) fn ask(&mut self, prompt: &str) -> io::Result<Option<String>> {
        let prompt = paragraph(prompt, 0, 0, false, &self.options);
        write!(self.out, "{} ", prompt.trim_end())?;
        self.out.flush()?;
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line)? == 0 {
            // The prompt is still on this line.
            self.gap()?;
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line: String = line.chars().filter(|c| !c.is_control()).take(LINE_CHARS_MAX).collect();
        Ok(Some(line.trim().to_owned()))
    }
}

/// A number with its noun.
pub(super) fn count(number: u64, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "piece of evidence") => format!("{number} pieces of evidence"),
        (_, noun) => format!("{number} {noun}s"),
    }
}

/// A date as people write it.
pub(super) fn day(date: engine_model::Date) -> String {
    date.strftime("%-d %b %Y").to_string()
}
