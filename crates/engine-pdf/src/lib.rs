//! Tagged PDF from a model of blocks: text, tables, charts.
//!
//! [`to_pdf`] lays a [`Document`] out on A4 pages and writes a file that follows PDF/UA-1: every text has its place in
//! the structure, every chart a description, every table its headers. The fonts are part of this crate.
//! The crate opens no file and reads no clock; the same document gives the same bytes.

mod blocks;
mod builder;
mod dates;
mod error;
mod flow;
mod fonts;
mod front;
mod model;
mod pages;
mod running;
mod symbols;
mod tags;
mod text;
mod theme;
mod writer;

pub use error::PdfError;
pub use model::*;

use builder::{Anchor, Builder};
use flow::AnchorId;
use fonts::Fonts;
use tags::Tags;

/// Writes a document as PDF/UA-1.
///
/// Text is never refused: characters that the fonts do not have, and those that would hide or reorder text, are drawn
/// as a visible mark.
///
/// # Errors
///
/// [`PdfError::NoTitle`] when the title is empty, and [`PdfError::Writer`] when a limit of the format is met.
pub fn to_pdf(document: &Document) -> Result<Vec<u8>, PdfError> {
    if text::one_line(&document.title).is_empty() {
        return Err(PdfError::NoTitle);
    }
    let mut fonts = Fonts::load()?;
    let mut tags = Tags::new();
    let mut builder = Builder::new(&mut fonts, &mut tags, &document.words, &document.language);

    builder.blocks(&document.blocks);
    let body = pages::paginate(std::mem::take(&mut builder.items));
    let mut anchors = std::mem::take(&mut builder.anchors);

    let mut all = document
        .cover
        .as_ref()
        .map(|cover| builder.cover(&document.title, cover))
        .unwrap_or_default();
    let covers = all.len();
    let contents = document.contents.as_ref().filter(|_| !anchors.is_empty());
    if let Some(contents) = contents {
        let title = text::one_line(&contents.title);
        let title = if title.is_empty() {
            text::one_line(&document.title)
        } else {
            title
        };
        let heading = Anchor {
            id: AnchorId(usize::MAX),
            level: 1,
            title,
        };
        // The count of these pages does not depend on the page numbers in them.
        let before = covers + builder.contents(contents, &anchors, &heading, &|_| 0).len();
        let starts: std::collections::BTreeMap<AnchorId, usize> = body
            .iter()
            .enumerate()
            .flat_map(|(page, content)| content.anchors.iter().map(move |(id, _)| (*id, before + page + 1)))
            .collect();
        let number = |anchor: &Anchor| starts.get(&anchor.id).copied().unwrap_or(before + 1);
        all.extend(builder.contents(contents, &anchors, &heading, &number));
        anchors.insert(0, heading);
    }
    all.extend(body);
    if all.is_empty() {
        all = builder.only_title(&document.title);
    }
    let count = all.len();
    for (index, page) in all.iter_mut().enumerate().skip(covers) {
        builder.running(page, &document.header, &document.footer, index + 1, count);
    }
    writer::write(document, &fonts, tags, &all, &anchors)
}
