//! A QR code with its text.

use qrcode::{Color, QrCode};

use crate::builder::Builder;
use crate::flow::{Draw, Figure, Item};
use crate::fonts::FontId;
use crate::model::Qr;
use crate::tags::{Kind, NodeId};
use crate::text::{Piece, Style, clean, lines};
use crate::theme::{INK, LEFT, WHITE, WIDTH};

/// Empty squares around a code.
const QUIET: f32 = 4.0;
const LINE: f32 = 11.5;

impl Builder<'_> {
    pub(crate) fn qr(&mut self, qr: &Qr) {
        let code = QrCode::new(qr.text.as_bytes()).ok().filter(|_| !qr.text.is_empty());
        let across = code
            .as_ref()
            .and_then(|code| u16::try_from(code.width()).ok())
            .unwrap_or(0);
        // The squares of a long text become smaller, down to what a telephone still reads.
        let unit = (104.0 / f32::from(across.max(1))).max(1.1);
        let size = f32::from(across) * unit + 2.0 * QUIET * unit;
        let left = if code.is_some() { size + 10.0 } else { 0.0 };

        let caption = self.tags.add(NodeId::ROOT, Kind::Paragraph);
        let text = self.tags.add(NodeId::ROOT, Kind::Paragraph);
        let mut built = if qr.caption.trim().is_empty() {
            Vec::new()
        } else {
            self.wrapped(&qr.caption, Style::new(FontId::Bold, 9.5, INK), caption, WIDTH - left)
        };
        let piece = Piece {
            text: clean(&qr.text, " "),
            style: Style::new(FontId::Mono, 8.0, INK),
            node: text,
        };
        built.extend(lines(self.fonts, &[piece], WIDTH - left));

        let mut item = Item::new(size).spaced(8.0, 12.0);
        if let Some(code) = code {
            let alt = Self::described(&qr.alt, &qr.caption, &[crate::text::one_line(&qr.text)]);
            let node = self.tags.add(NodeId::ROOT, Kind::Figure(alt));
            let offset = QUIET * unit;
            item.rect(LEFT, 0.0, size, size, WHITE);
            item.ops.push(crate::flow::Op {
                mark: crate::flow::Mark::Content(node),
                draw: Draw::Grid {
                    x: LEFT + offset,
                    y: offset,
                    unit,
                    cells: cells(&code, across),
                },
            });
            item.figure = Some(Figure {
                node,
                x: LEFT,
                y: 0.0,
                width: size,
                height: size,
            });
        }
        let mut y = if item.figure.is_some() { QUIET * unit - 2.0 } else { 0.0 };
        let mut built = built.into_iter();
        // Lines beside the code; what is longer goes on below it.
        while y + LINE <= size
            && let Some(line) = built.next()
        {
            item.line(line, LEFT + left, y, LINE);
            y += LINE;
        }
        let rest: Vec<_> = built.collect();
        if item.figure.is_some() {
            self.items.push(item);
        }
        self.push_lines(rest, LEFT + left, LINE, 0.0, 12.0);
    }
}

/// Dark squares, each run of them in a row as one.
fn cells(code: &QrCode, across: u16) -> Vec<(u16, u16, u16)> {
    let colours = code.to_colors();
    let mut cells: Vec<(u16, u16, u16)> = Vec::new();
    for (row, squares) in (0..across).zip(colours.chunks(usize::from(across).max(1))) {
        for (column, square) in (0..across).zip(squares) {
            if *square != Color::Dark {
                continue;
            }
            match cells.last_mut() {
                Some((at, last_row, length)) if *last_row == row && *at + *length == column => *length += 1,
                _ => cells.push((column, row, 1)),
            }
        }
    }
    cells
}
