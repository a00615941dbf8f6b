//! Layout: pieces of text become lines, and lines become headings, paragraphs and items of lists.

use std::collections::{BTreeMap, BTreeSet};

use super::page::Span;
use crate::kinds::kinds;
use crate::read::Builder;
use crate::substance::{Setting, measure};
use crate::words::tokens;

/// Lines of a file that are read.
pub(crate) const LINES_MAX: usize = 100_000;
/// Bytes of a line that can be a heading.
const HEADING_BYTES_MAX: usize = 120;
/// Lines that one heading can take.
const HEADING_LINES_MAX: usize = 3;
/// Size of a heading, in parts of the size of running text.
const HEADING_SIZE: f32 = 1.12;
/// Distance of lines of one paragraph, in parts of their size.
const LINE_DISTANCE_MAX: f32 = 1.65;
/// Distance of words, in parts of the size.
const WORD_DISTANCE_MIN: f32 = 0.18;
/// Score of a heading that has the words of a section and no other.
const WHOLE: u32 = 1000;
/// Pages on which a line stands before it is a header or a footer.
const REPEATED_MIN: usize = 3;

/// A line of text.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The text.
    pub(crate) text: String,
    page: usize,
    y: f32,
    size: f32,
    bold: bool,
    /// Whether there is more room above it than within a paragraph.
    apart: bool,
}

/// Puts pieces of text together to lines, in the order in which the contents show them.
pub(crate) fn lines(spans: Vec<Span>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut end = 0.0_f32;
    for span in spans {
        let joins = lines.last().is_some_and(|line| {
            let height = span.size.max(line.size).max(1.0);
            line.page == span.page && (line.y - span.y).abs() < height * 0.5 && span.x > end - height * 2.0
        });
        if joins && let Some(line) = lines.last_mut() {
            let gap = span.x - end;
            let parted = line.text.ends_with(char::is_whitespace) || span.text.starts_with(char::is_whitespace);
            if gap > span.size * WORD_DISTANCE_MIN && !parted {
                line.text.push(' ');
            }
            line.text.push_str(&span.text);
            line.size = line.size.max(span.size);
            // A line is bold where all of it is.
            line.bold &= span.bold || span.text.trim().is_empty();
        } else {
            let apart = lines.last().is_none_or(|line| {
                let distance = line.y - span.y;
                line.page != span.page || distance < 0.0 || distance > line.size.max(span.size) * LINE_DISTANCE_MAX
            });
            lines.push(Line {
                text: span.text,
                page: span.page,
                y: span.y,
                size: span.size,
                bold: span.bold,
                apart,
            });
        }
        end = span.end;
    }
    for line in &mut lines {
        line.text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    lines.retain(|line| !line.text.is_empty());
    lines.truncate(LINES_MAX + 1);
    lines
}

/// Gives the headings and texts to the builder, and all text.
pub(crate) fn outline(lines: &[Line], builder: &mut Builder) -> String {
    let repeated = repeated(lines);
    let usual = usual_size(lines);
    let sizes = heading_sizes(lines, usual);
    let mut text = String::new();
    let mut paragraph = Paragraph::default();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        if repeated.contains(&key(line)) {
            at += 1;
            continue;
        }
        text.push_str(&line.text);
        text.push('\n');
        if let Some(level) = level(lines, at, &sizes, usual) {
            paragraph.flush(builder);
            let mut heading = line.text.clone();
            let mut taken = 1;
            // A long heading goes on in the next line, in the same letters.
            while let Some(next) = lines.get(at + taken)
                && taken < HEADING_LINES_MAX
                && line.size > usual * HEADING_SIZE
                && next.page == line.page
                && !next.apart
                && same(next.size, line.size)
            {
                heading.push(' ');
                heading.push_str(&next.text);
                text.push_str(&next.text);
                text.push('\n');
                taken += 1;
            }
            builder.heading(level, &heading, number);
            at += taken;
            continue;
        }
        if let Some(item) = item(&line.text) {
            paragraph.flush(builder);
            paragraph.item = true;
            paragraph.text.push_str(item);
        } else {
            if line.apart && !continues(&paragraph.text, &line.text) {
                paragraph.flush(builder);
            }
            if !paragraph.text.is_empty() {
                paragraph.text.push('\n');
            }
            paragraph.text.push_str(&line.text);
        }
        at += 1;
    }
    paragraph.flush(builder);
    text
}

/// A paragraph as far as its lines were read.
#[derive(Default)]
struct Paragraph {
    text: String,
    item: bool,
}

impl Paragraph {
    fn flush(&mut self, builder: &mut Builder) {
        let text = std::mem::take(&mut self.text);
        let item = std::mem::take(&mut self.item);
        if text.is_empty() {
            return;
        }
        if item {
            builder.item(&text, Setting::Plain);
        } else {
            builder.text(&text, Setting::Plain);
        }
    }
}

/// Whether a sentence goes on over the end of a page.
fn continues(before: &str, after: &str) -> bool {
    !before.is_empty() && !before.ends_with(['.', '!', '?', ':']) && after.starts_with(char::is_lowercase)
}

/// The level of a line that is a heading.
fn level(lines: &[Line], at: usize, sizes: &[u32], usual: f32) -> Option<u8> {
    let line = lines.get(at)?;
    let text = line.text.as_str();
    let named = text.len() <= HEADING_BYTES_MAX
        && text.chars().any(char::is_alphabetic)
        && !text.ends_with(['.', ';', ',', '?', '!'])
        && item(text).is_none_or(|_| is_numbered(text));
    if !named || measure(text, Setting::Plain).placeholders > 0 {
        return None;
    }
    if line.size >= usual * HEADING_SIZE {
        let rank = sizes.iter().position(|size| *size == steps(line.size))?;
        return Some(u8::try_from(rank + 1).unwrap_or(6).min(6));
    }
    // Below the headings of other sizes; a number tells the depth.
    let base = u8::try_from(sizes.len() + 1).unwrap_or(6);
    let depth = number_depth(text);
    let level = base.saturating_add(depth.saturating_sub(1)).min(6);
    if !line.apart {
        return None;
    }
    let alone = lines
        .get(at + 1)
        .is_none_or(|next| next.apart || next.page != line.page);
    let before_plain = lines.get(at + 1).is_none_or(|next| !next.bold);
    let capitals = || {
        let letters = || text.chars().filter(|c| c.is_alphabetic());
        letters().count() >= 5 && letters().all(char::is_uppercase)
    };
    if line.bold && (alone || before_plain) || capitals() || is_numbered(text) && alone || at == 0 {
        return Some(if at == 0 { 1 } else { level });
    }
    // A line by itself in plain letters is a heading where the law's lists know it as one.
    let known = || {
        let fits = kinds().fits(&tokens(text));
        fits.values().any(|fit| fit.specific || fit.score >= WHOLE)
    };
    (alone && known()).then_some(level)
}

/// Whether a line begins like `3. Measures` or `3.1 Measures`.
fn is_numbered(text: &str) -> bool {
    number_depth(text) > 0
}

/// How many numbers the number of a heading has.
fn number_depth(text: &str) -> u8 {
    let first = text.split(' ').next().unwrap_or("");
    let numbered = first.contains('.') && first.len() <= 12 && first.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !numbered || !first.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let numbers = first.split('.').filter(|part| !part.is_empty()).count();
    u8::try_from(numbers).unwrap_or(6)
}

/// The text of an item of a list without its mark.
fn item(text: &str) -> Option<&str> {
    const MARKS: &[&str] = &["• ", "- ", "– ", "▪ ", "‣ ", "◦ ", "* ", "o ", "\u{f0b7} "];
    if let Some(rest) = MARKS.iter().find_map(|mark| text.strip_prefix(mark)) {
        return Some(rest);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?.strip_prefix(['.', ')'])?;
    ((1..=3).contains(&digits) && rest.starts_with(' ')).then(|| rest.trim_start())
}

/// A size in halves of a point, in which sizes are compared.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the size is clamped to a small number that is not negative"
)]
fn steps(size: f32) -> u32 {
    (size.clamp(0.0, 10_000.0) * 2.0).round() as u32
}

fn same(a: f32, b: f32) -> bool {
    steps(a) == steps(b)
}

/// The size of most letters.
fn usual_size(lines: &[Line]) -> f32 {
    let mut letters: BTreeMap<u32, usize> = BTreeMap::new();
    for line in lines {
        *letters.entry(steps(line.size)).or_default() += line.text.len();
    }
    let most = letters
        .iter()
        .max_by_key(|(size, count)| (**count, std::cmp::Reverse(**size)));
    most.and_then(|(size, _)| u16::try_from(*size).ok())
        .map_or(0.0, |size| f32::from(size) / 2.0)
}

/// The sizes of headings from the largest.
fn heading_sizes(lines: &[Line], usual: f32) -> Vec<u32> {
    let sizes: BTreeSet<u32> = lines
        .iter()
        .filter(|line| line.size >= usual * HEADING_SIZE && line.text.len() <= HEADING_BYTES_MAX)
        .map(|line| steps(line.size))
        .collect();
    sizes.into_iter().rev().collect()
}

/// What makes a line the same on every page: its text without numbers, and its size.
fn key(line: &Line) -> (String, u32) {
    (
        line.text.chars().filter(|c| !c.is_ascii_digit()).collect(),
        steps(line.size),
    )
}

/// Lines that stand on most pages: headers, footers and page numbers.
fn repeated(lines: &[Line]) -> BTreeSet<(String, u32)> {
    let mut pages: BTreeMap<(String, u32), BTreeSet<usize>> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for line in lines {
        pages.entry(key(line)).or_default().insert(line.page);
        all.insert(line.page);
    }
    pages.retain(|_, on| on.len() >= REPEATED_MIN && on.len() * 2 > all.len());
    pages.into_keys().collect()
}
