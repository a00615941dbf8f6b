//! The outline of PDF documents: text by page and line, and headings by size, weight, number and the section lists.
//!
//! `hayro-syntax` parses objects where they are asked for and copies nothing. It decodes streams without a limit, so it never
//! decodes one here: [`index`] finds the objects, [`filters`] unpacks what is needed within one budget for the file, and
//! [`container`] writes objects out of object streams before the library sees them, and [`extent`] takes out objects without an end. Actions, scripts, embedded files and
//! external references are not read.

mod container;
mod extent;
mod filters;
mod fonts;
mod glyphs;
mod index;
mod layout;
mod page;

#[cfg(test)]
mod tests;

use hayro_syntax::Pdf;

use crate::facts::Unread;
use crate::read::Builder;

/// Bytes of a file that is looked at.
const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Objects of a file, and those out of object streams besides.
const OBJECTS_MAX: usize = 50_000;
/// Bytes that are unpacked from all streams of a file.
const UNPACKED_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Pages that are read.
const PAGES_MAX: usize = 1000;
/// Operators of all pages that are read.
const OPERATORS_MAX: usize = 2_000_000;
/// Bytes of text that are read.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Letters below which the pages are pictures of text.
const LETTERS_MIN: usize = 20;

/// Walks through a PDF document and gives its text. The lines of the outline are lines of text, counted through all pages.
pub(crate) fn outline(bytes: &[u8], builder: &mut Builder) -> (String, Option<Unread>) {
    if bytes.len() > FILE_BYTES_MAX {
        return (String::new(), Some(Unread::Limit));
    }
    let mut budget = UNPACKED_BYTES_MAX;
    let rebuilt = match container::rebuild(bytes, &mut budget) {
        Ok(rebuilt) => rebuilt,
        Err(unread) => return (String::new(), Some(unread)),
    };
    let Some(pdf) = rebuilt.roots.iter().rev().find_map(|root| opened(&rebuilt, *root)) else {
        return (String::new(), Some(Unread::Damaged));
    };
    let mut pages = page::Reader::new(budget, rebuilt.lookups);
    for page in pdf.pages().iter().take(PAGES_MAX) {
        pages.read(page);
        if pages.is_full() {
            break;
        }
    }
    let cut = pages.is_full() || pdf.pages().len() > PAGES_MAX || rebuilt.cut;
    let mut lines = layout::lines(pages.spans());
    let cut = cut || lines.len() > layout::LINES_MAX;
    lines.truncate(layout::LINES_MAX);
    let letters: usize = lines
        .iter()
        .map(|line| line.text.chars().filter(|c| c.is_alphanumeric()).count())
        .sum();
    if letters < LETTERS_MIN {
        let reason = if cut { Unread::Limit } else { Unread::NoText };
        return (String::new(), Some(reason));
    }
    let text = layout::outline(&lines, builder);
    (text, cut.then_some(Unread::Limit))
}

/// The document with one of its catalogues, unless it has no pages that way.
fn opened(rebuilt: &container::Rebuilt, root: (u32, u32)) -> Option<Pdf> {
    let pdf = Pdf::new(rebuilt.file(root)).ok()?;
    (!pdf.pages().is_empty()).then_some(pdf)
}
