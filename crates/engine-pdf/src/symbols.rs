//! The symbols of the tones, each with a shape of its own.

use krilla::geom::{Path, PathBuilder, Rect};

use crate::model::Tone;
use crate::theme::{Colour, WHITE, colour};

/// Distance of the handles of a circle's four curves, as part of its radius.
const HANDLE: f32 = 0.552_28;

/// The paths of a symbol in a square, each with its colour, from back to front.
pub(crate) fn paths(tone: Tone, x: f32, y: f32, size: f32) -> Vec<(Path, Colour)> {
    let own = colour(tone);
    let at = |points: &[(f32, f32)]| polygon(points, x, y, size);
    let shapes = match tone {
        Tone::Red => vec![
            (at(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]), own),
            (at(&[(0.22, 0.32), (0.32, 0.22), (0.78, 0.68), (0.68, 0.78)]), WHITE),
            (at(&[(0.68, 0.22), (0.78, 0.32), (0.32, 0.78), (0.22, 0.68)]), WHITE),
        ],
        Tone::Amber => vec![
            (at(&[(0.5, 0.0), (1.06, 1.0), (-0.06, 1.0)]), own),
            (at(&[(0.43, 0.34), (0.57, 0.34), (0.55, 0.68), (0.45, 0.68)]), WHITE),
            (at(&[(0.43, 0.76), (0.57, 0.76), (0.57, 0.89), (0.43, 0.89)]), WHITE),
        ],
        Tone::Green => vec![
            (circle(x, y, size, 1.0), own),
            (
                at(&[
                    (0.22, 0.52),
                    (0.31, 0.42),
                    (0.44, 0.56),
                    (0.70, 0.27),
                    (0.79, 0.36),
                    (0.44, 0.75),
                ]),
                WHITE,
            ),
        ],
        Tone::Grey => vec![(circle(x, y, size, 1.0), own), (circle(x, y, size, 0.66), WHITE)],
        Tone::Blue => vec![
            (at(&[(0.5, -0.06), (1.06, 0.5), (0.5, 1.06), (-0.06, 0.5)]), own),
            (at(&[(0.43, 0.43), (0.57, 0.43), (0.57, 0.76), (0.43, 0.76)]), WHITE),
            (at(&[(0.43, 0.24), (0.57, 0.24), (0.57, 0.36), (0.43, 0.36)]), WHITE),
        ],
    };
    shapes
        .into_iter()
        .filter_map(|(path, colour)| path.map(|path| (path, colour)))
        .collect()
}

/// A rectangle, unless it has no area.
pub(crate) fn rectangle(x: f32, y: f32, width: f32, height: f32) -> Option<Path> {
    let mut builder = PathBuilder::new();
    builder.push_rect(Rect::from_xywh(x, y, width, height).filter(|rect| rect.width() > 0.0 && rect.height() > 0.0)?);
    builder.finish()
}

/// Dark squares of a grid as one path.
pub(crate) fn grid(x: f32, y: f32, unit: f32, cells: &[(u16, u16, u16)]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (column, row, length) in cells {
        let (left, top) = (x + f32::from(*column) * unit, y + f32::from(*row) * unit);
        if let Some(rect) = Rect::from_xywh(left, top, f32::from(*length) * unit, unit) {
            builder.push_rect(rect);
        }
    }
    builder.finish()
}

fn polygon(points: &[(f32, f32)], x: f32, y: f32, size: f32) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (index, (right, down)) in points.iter().enumerate() {
        let (x, y) = (x + right * size, y + down * size);
        if index == 0 {
            builder.move_to(x, y);
        } else {
            builder.line_to(x, y);
        }
    }
    builder.close();
    builder.finish()
}

fn circle(x: f32, y: f32, size: f32, share: f32) -> Option<Path> {
    let radius = size / 2.0 * share;
    let (x, y, handle) = (x + size / 2.0, y + size / 2.0, radius * HANDLE);
    let mut builder = PathBuilder::new();
    builder.move_to(x + radius, y);
    builder.cubic_to(x + radius, y + handle, x + handle, y + radius, x, y + radius);
    builder.cubic_to(x - handle, y + radius, x - radius, y + handle, x - radius, y);
    builder.cubic_to(x - radius, y - handle, x - handle, y - radius, x, y - radius);
    builder.cubic_to(x + handle, y - radius, x + radius, y - handle, x + radius, y);
    builder.close();
    builder.finish()
}
