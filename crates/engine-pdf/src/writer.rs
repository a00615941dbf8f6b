//! Pages into a file.

use krilla::SerializeSettings;
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target as PdfTarget};
use krilla::color::rgb;
use krilla::configure::{Accessibility, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{Point, Quadrilateral, Rect};
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, SpanTag};
use rustc_hash::FxHashMap;

use crate::PdfError;
use crate::builder::Anchor;
use crate::dates::Date;
use crate::flow::{AnchorId, Draw, Mark, Op};
use crate::fonts::Fonts;
use crate::model::Document;
use crate::pages::Page;
use crate::symbols::{grid, paths, rectangle};
use crate::tags::{NodeId, Tags, Target};
use crate::text::one_line;
use crate::theme::{Colour, LINK, PAGE_HEIGHT, PAGE_WIDTH};

/// Places of the headings: page and height.
type Places = FxHashMap<AnchorId, (usize, f32)>;

/// Writes the pages.
pub(crate) fn write(
    document: &Document,
    fonts: &Fonts,
    mut tags: Tags,
    pages: &[Page],
    anchors: &[Anchor],
) -> Result<Vec<u8>, PdfError> {
    let configuration = ConfigurationBuilder::new()
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|error| PdfError::Writer(format!("{error:?}")))?;
    let mut pdf = krilla::Document::new_with(SerializeSettings {
        compress_content_streams: true,
        enable_tagging: true,
        configuration,
        ..SerializeSettings::default()
    });
    let places: Places = pages
        .iter()
        .enumerate()
        .flat_map(|(index, page)| page.anchors.iter().map(move |(id, y)| (*id, (index, *y))))
        .collect();
    for (index, page) in pages.iter().enumerate() {
        for figure in &page.figures {
            if let Some(rect) = Rect::from_xywh(figure.x, figure.y, figure.width, figure.height) {
                tags.place(figure.node, index, rect);
            }
        }
        draw_page(&mut pdf, fonts, &mut tags, page, &places);
    }
    let language = language(&document.language);
    pdf.set_metadata(metadata(document, &language));
    pdf.set_outline(outline(document, anchors, &places));
    pdf.set_tag_tree(tags.into_tree(&language));
    pdf.finish()
        .map_err(|error| PdfError::Writer(format!("{error}: {error:?}").chars().take(2000).collect()))
}

fn draw_page(pdf: &mut krilla::Document, fonts: &Fonts, tags: &mut Tags, page: &Page, places: &Places) {
    let settings = PageSettings::from_wh(PAGE_WIDTH, PAGE_HEIGHT).unwrap_or_default();
    let mut target = pdf.start_page_with(settings);
    let mut links: Vec<(NodeId, Vec<Rect>)> = Vec::new();
    let mut surface = target.surface();
    for ops in page.ops.chunk_by(|a, b| a.mark == b.mark) {
        let Some(first) = ops.first() else { continue };
        let content = match first.mark {
            Mark::Content(_) => ContentTag::Span(SpanTag::empty()),
            Mark::Decoration => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)),
            Mark::Header => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Header)),
            Mark::Footer => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Footer)),
        };
        let leaf = surface.start_tagged(content);
        for op in ops {
            draw(&mut surface, fonts, op);
        }
        surface.end_tagged();
        if let Mark::Content(node) = first.mark {
            tags.push(node, leaf);
            if tags.link(node).is_some() {
                let rects = ops.iter().filter_map(place);
                match links.iter_mut().find(|(id, _)| *id == node) {
                    Some((_, known)) => known.extend(rects),
                    None => links.push((node, rects.collect())),
                }
            }
        }
    }
    underline(&mut surface, tags, &links);
    surface.finish();
    for (node, rects) in links {
        let Some(link) = tags.link(node) else { continue };
        let to = match &link.target {
            Target::Url(url) => PdfTarget::Action(Action::Link(LinkAction::new(url.clone()))),
            Target::Anchor(id) => {
                let (page, y) = places.get(id).copied().unwrap_or((0, 0.0));
                PdfTarget::Destination(destination(page, y).into())
            }
        };
        let quads: Vec<Quadrilateral> = rects.into_iter().map(Quadrilateral::from).collect();
        if quads.is_empty() {
            continue;
        }
        let annotation = Annotation::new_link(
            LinkAnnotation::new_with_quad_points(quads, to),
            Some(link.description.clone()),
        );
        let leaf = target.add_tagged_annotation(annotation);
        tags.push(node, leaf);
    }
    target.finish();
}

/// Links are underlined, so that they do not depend on colour alone.
fn underline(surface: &mut Surface<'_>, tags: &Tags, links: &[(NodeId, Vec<Rect>)]) {
    let is_url = |node: &NodeId| matches!(tags.link(*node), Some(link) if matches!(link.target, Target::Url(_)));
    if !links.iter().any(|(node, _)| is_url(node)) {
        return;
    }
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)));
    for rect in links
        .iter()
        .filter(|(node, _)| is_url(node))
        .flat_map(|(_, rects)| rects)
    {
        fill(surface, LINK);
        if let Some(path) = rectangle(rect.left(), rect.bottom() - 1.2, rect.width(), 0.5) {
            surface.draw_path(&path);
        }
    }
    surface.end_tagged();
}

/// Box of a piece of text.
fn place(op: &Op) -> Option<Rect> {
    match &op.draw {
        Draw::Text { run, x, y } if run.width > 0.0 => {
            let size = run.style.size;
            let spaces = run.shaped.text.bytes().rev().take_while(|byte| *byte == b' ').count();
            let space: f32 = run
                .shaped
                .glyphs
                .iter()
                .rev()
                .take(spaces)
                .map(|glyph| glyph.advance * size)
                .sum();
            Rect::from_xywh(*x, y - size * 0.95, (run.width - space).max(0.1), size * 1.25)
        }
        _ => None,
    }
}

fn fill(surface: &mut Surface<'_>, [red, green, blue]: Colour) {
    surface.set_fill(Some(Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        ..Fill::default()
    }));
}

fn draw(surface: &mut Surface<'_>, fonts: &Fonts, op: &Op) {
    match &op.draw {
        Draw::Text { run, x, y } => {
            let Some(font) = fonts.font(run.shaped.font) else {
                return;
            };
            fill(surface, run.style.colour);
            let shaped = &run.shaped;
            surface.draw_glyphs(
                Point::from_xy(*x, *y),
                &shaped.glyphs,
                font,
                &shaped.text,
                run.style.size,
                false,
            );
        }
        Draw::Rect {
            x,
            y,
            width,
            height,
            colour,
        } => {
            if let Some(path) = rectangle(*x, *y, *width, *height) {
                fill(surface, *colour);
                surface.draw_path(&path);
            }
        }
        Draw::Symbol { tone, x, y, size } => {
            for (path, colour) in paths(*tone, *x, *y, *size) {
                fill(surface, colour);
                surface.draw_path(&path);
            }
        }
        Draw::Grid { x, y, unit, cells } => {
            if let Some(path) = grid(*x, *y, *unit, cells) {
                fill(surface, [0, 0, 0]);
                surface.draw_path(&path);
            }
        }
    }
}

fn destination(page: usize, y: f32) -> XyzDestination {
    XyzDestination::new(page, Point::from_xy(0.0, (y - 14.0).max(0.0)))
}

/// A language tag that a reader knows: letters, digits and hyphens.
fn language(tag: &str) -> String {
    let tag = tag.trim();
    let is_tag = !tag.is_empty()
        && tag.len() <= 35
        && tag
            .split('-')
            .all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
        && tag.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if is_tag { tag.to_owned() } else { "en".to_owned() }
}

fn metadata(document: &Document, language: &str) -> Metadata {
    let mut metadata = Metadata::new()
        .title(one_line(&document.title))
        .language(language.to_owned());
    let author = one_line(&document.author);
    if !author.is_empty() {
        metadata = metadata.authors(vec![author]);
    }
    let subject = one_line(&document.subject);
    if !subject.is_empty() {
        metadata = metadata.description(subject);
    }
    if let Some(day) = Date::parse(&document.created) {
        let date = DateTime::new(day.year)
            .month(day.month)
            .day(day.day)
            .hour(0)
            .minute(0)
            .second(0);
        metadata = metadata.creation_date(date.utc_offset_hour(0).utc_offset_minute(0));
    }
    metadata
}

/// Bookmarks, nested by level.
fn outline(document: &Document, anchors: &[Anchor], places: &Places) -> Outline {
    let mut outline = Outline::new();
    let mut open: Vec<(u8, OutlineNode)> = Vec::new();
    for anchor in anchors {
        let Some((page, y)) = places.get(&anchor.id) else {
            continue;
        };
        close(&mut open, &mut outline, anchor.level);
        open.push((
            anchor.level,
            OutlineNode::new(anchor.title.clone(), destination(*page, *y)),
        ));
    }
    if open.is_empty() {
        open.push((1, OutlineNode::new(one_line(&document.title), destination(0, 0.0))));
    }
    close(&mut open, &mut outline, 0);
    outline
}

/// Closes the bookmarks that are not above a level.
fn close(open: &mut Vec<(u8, OutlineNode)>, outline: &mut Outline, level: u8) {
    while open.last().is_some_and(|(last, _)| *last >= level) {
        let Some((_, node)) = open.pop() else { return };
        match open.last_mut() {
            Some((_, parent)) => parent.push_child(node),
            None => outline.push_child(node),
        }
    }
}
