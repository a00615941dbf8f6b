//! Tables.

use std::rc::Rc;

use crate::builder::Builder;
use crate::flow::{Item, Repeat};
use crate::fonts::FontId;
use crate::model::{Align, Cell, Column, Row, Table, Tone};
use crate::pages::decoration;
use crate::tags::{Kind, NodeId};
use crate::text::{Line, Style, lines, one_line};
use crate::theme::{ACCENT, HEIGHT, INK, LEFT, RULE, SHADE, WIDTH, float};

/// Sizes of a table.
#[derive(Clone, Copy)]
struct Sizes {
    text: f32,
    line: f32,
    padding: f32,
}

const NORMAL: Sizes = Sizes {
    text: 8.8,
    line: 12.0,
    padding: 3.6,
};
/// For tables with more rows than a person reads from top to bottom.
const SMALL: Sizes = Sizes {
    text: 7.8,
    line: 10.0,
    padding: 1.9,
};
/// For tables in which a person looks things up. Two thousand rows of two lines take fewer than sixty pages.
const DENSE: Sizes = Sizes {
    text: 7.0,
    line: 8.6,
    padding: 1.2,
};

const fn sizes(rows: usize) -> Sizes {
    match rows {
        0..=150 => NORMAL,
        151..=600 => SMALL,
        _ => DENSE,
    }
}

/// Space at the left and right inside a cell.
const SIDE: f32 = 4.5;
/// A row that is taller than a page is cut into parts of this many lines, which fill the pages.
const PART: usize = 5;

struct Grid {
    columns: Vec<Column>,
    /// Left edge and width of each column.
    places: Vec<(f32, f32)>,
    sizes: Sizes,
}

/// A cell in lines.
struct Laid {
    node: NodeId,
    tone: Option<Tone>,
    lines: Vec<Line>,
}

impl Builder<'_> {
    pub(crate) fn table(&mut self, table: &Table) {
        let count = match table.columns.len() {
            0 => table
                .rows
                .iter()
                .map(|row| row.cells.len())
                .max()
                .unwrap_or(0)
                .max(table.header.len()),
            count => count,
        };
        if count == 0 || table.rows.is_empty() && table.header.is_empty() {
            return;
        }
        let sizes = sizes(table.rows.len());
        let mut columns = table.columns.clone();
        columns.resize(count, Column::left(1.0));
        let places = self.places(&columns, &table.header, sizes);
        let grid = Grid { columns, places, sizes };

        let node = self.tags.add(NodeId::ROOT, Kind::Table);
        let caption = one_line(&table.caption);
        if !caption.is_empty() {
            let caption_node = self.tags.add(node, Kind::Caption);
            let built = self.wrapped(&caption, Self::caption_style(), caption_node, WIDTH);
            let first = self.items.len();
            self.push_lines(built, LEFT, 13.0, 6.0, 4.0);
            for item in self.items.iter_mut().skip(first) {
                item.keep = true;
            }
        }
        let repeat = self.table_header(table, node, &grid);
        let rows = self.tags.add(node, Kind::Rows);
        let last = table.rows.len().saturating_sub(1);
        for (index, row) in table.rows.iter().enumerate() {
            let laid = self.row(row, rows, &grid, table.row_headers);
            let first = self.items.len();
            self.push_row(laid, &grid, repeat.as_ref());
            let is_whole = first + 1 == self.items.len();
            let Some(item) = self.items.last_mut() else { continue };
            item.after = if index == last { 12.0 } else { 0.0 };
            // Neither the first row nor the last one is alone on a page, unless it is high.
            item.keep = (index == 0 || index + 1 == last) && index < last && item.height < HEIGHT / 8.0 && is_whole;
        }
    }

    /// Widths by weight; a column is at least as wide as the longest word of its header.
    fn places(&mut self, columns: &[Column], header: &[String], sizes: Sizes) -> Vec<(f32, f32)> {
        let weight = |column: &Column| {
            if column.weight.is_finite() && column.weight > 0.0 {
                column.weight.min(1e6)
            } else {
                1.0
            }
        };
        let total: f32 = columns.iter().map(weight).sum();
        let mut widths: Vec<f32> = columns.iter().map(|column| weight(column) / total * WIDTH).collect();
        let mut least = Vec::with_capacity(columns.len());
        for index in 0..columns.len() {
            let text = header.get(index).map(|text| one_line(text)).unwrap_or_default();
            let words = text.split(' ').filter(|word| word.chars().count() <= 34);
            let longest = words
                .map(|word| self.fonts.measure(FontId::Bold, sizes.text, word))
                .fold(0.0, f32::max);
            least.push(longest + 2.0 * SIDE + 0.5);
        }
        if least.iter().sum::<f32>() < WIDTH * 0.9 {
            let missing: f32 = widths
                .iter()
                .zip(&least)
                .map(|(width, least)| (least - width).max(0.0))
                .sum();
            let spare: f32 = widths
                .iter()
                .zip(&least)
                .map(|(width, least)| (width - least).max(0.0))
                .sum();
            for (width, least) in widths.iter_mut().zip(&least) {
                if *width < *least {
                    *width = *least;
                } else if spare > 0.0 {
                    *width -= missing * (*width - least) / spare;
                }
            }
        }
        let mut x = LEFT;
        widths
            .into_iter()
            .map(|width| {
                let place = (x, width);
                x += width;
                place
            })
            .collect()
    }

    fn table_header(&mut self, table: &Table, node: NodeId, grid: &Grid) -> Option<Rc<Repeat>> {
        if table.header.is_empty() {
            return None;
        }
        let head = self.tags.add(node, Kind::Head);
        let row = self.tags.add(head, Kind::Row);
        let style = Style::new(FontId::Bold, grid.sizes.text, ACCENT);
        let mut laid = Vec::new();
        for (index, (_, width)) in grid.places.iter().enumerate() {
            let cell = self.tags.add(row, Kind::ColumnHeader);
            let text = table.header.get(index).map(|text| one_line(text)).unwrap_or_default();
            laid.push(Laid {
                node: cell,
                tone: None,
                lines: self.wrapped(&text, style, cell, width - 2.0 * SIDE),
            });
        }
        let height = grid.height(&laid) + 1.0;
        // The space below is for a row that goes on from the page before.
        let mut item = Item::new(height + 1.5);
        item.keep = true;
        item.rect(LEFT, 0.0, WIDTH, height, SHADE);
        item.rect(LEFT, height - 0.9, WIDTH, 0.9, ACCENT);
        self.draw_cells(&mut item, laid, grid, grid.sizes.padding);
        let ops = item.ops.iter().cloned().map(decoration).collect();
        let repeat = Repeat {
            height: item.height,
            ops,
        };
        self.items.push(item);
        Some(Rc::new(repeat))
    }

    fn row(&mut self, row: &Row, rows: NodeId, grid: &Grid, row_headers: bool) -> Vec<Laid> {
        let row_node = self.tags.add(rows, Kind::Row);
        let empty = Cell::default();
        let mut laid = Vec::with_capacity(grid.places.len());
        for (index, (_, width)) in grid.places.iter().enumerate() {
            let cell = row.cells.get(index).unwrap_or(&empty);
            let kind = if row_headers && index == 0 {
                Kind::RowHeader
            } else {
                Kind::Data
            };
            let node = self.tags.add(row_node, kind);
            let pieces = self.pieces(&cell.spans, node, grid.sizes.text, INK, true);
            let room = width - 2.0 * SIDE - grid.symbol_room(cell.tone);
            laid.push(Laid {
                node,
                tone: cell.tone,
                lines: lines(self.fonts, &pieces, room),
            });
        }
        laid
    }

    fn push_row(&mut self, mut laid: Vec<Laid>, grid: &Grid, repeat: Option<&Rc<Repeat>>) {
        let room = HEIGHT - repeat.map_or(0.0, |repeat| repeat.height);
        let is_cut = grid.height(&laid) > room;
        let mut above = grid.sizes.padding;
        loop {
            let rest = if is_cut { cut(&mut laid) } else { Vec::new() };
            let below = if rest.is_empty() { grid.sizes.padding } else { 0.0 };
            let mut item = Item::new(grid.lines_height(&laid) + above + below);
            item.repeat = repeat.cloned();
            if rest.is_empty() {
                item.rect(LEFT, item.height - 0.5, WIDTH, 0.5, RULE);
            }
            self.draw_cells(&mut item, laid, grid, above);
            self.items.push(item);
            if rest.is_empty() {
                return;
            }
            (laid, above) = (rest, 0.0);
        }
    }

    fn draw_cells(&mut self, item: &mut Item, laid: Vec<Laid>, grid: &Grid, above: f32) {
        let Sizes { text, line: height, .. } = grid.sizes;
        for ((cell, column), (left, width)) in laid.into_iter().zip(&grid.columns).zip(&grid.places) {
            let shift = grid.symbol_room(cell.tone);
            if let Some(tone) = cell.tone {
                item.symbol(tone, left + SIDE, above + height / 2.0 - text * 0.42, text * 0.84);
            }
            if cell.lines.iter().all(|line| line.runs.is_empty()) {
                let style = Style::new(FontId::Sans, text, INK);
                item.ops
                    .extend(self.blank(style, cell.node, left + SIDE, above + height));
                continue;
            }
            let room = width - 2.0 * SIDE - shift;
            let mut y = above;
            for line in cell.lines {
                let free = (room - line.width).max(0.0);
                let x = left
                    + SIDE
                    + shift
                    + match column.align {
                        Align::Left => 0.0,
                        Align::Centre => free / 2.0,
                        Align::Right => free,
                    };
                item.line(line, x, y, height);
                y += height;
            }
        }
    }
}

impl Grid {
    fn height(&self, laid: &[Laid]) -> f32 {
        self.lines_height(laid) + 2.0 * self.sizes.padding
    }

    fn lines_height(&self, laid: &[Laid]) -> f32 {
        let count = laid.iter().map(|cell| cell.lines.len()).max().unwrap_or(1).max(1);
        float(count) * self.sizes.line
    }

    const fn symbol_room(&self, tone: Option<Tone>) -> f32 {
        if tone.is_some() {
            self.sizes.text * 0.84 + 4.0
        } else {
            0.0
        }
    }
}

/// Leaves one part of a row in the cells, and gives back the rest.
fn cut(laid: &mut [Laid]) -> Vec<Laid> {
    if laid.iter().all(|cell| cell.lines.len() <= PART) {
        return Vec::new();
    }
    laid.iter_mut()
        .map(|cell| {
            let at = PART.min(cell.lines.len());
            Laid {
                node: cell.node,
                tone: None,
                lines: cell.lines.split_off(at),
            }
        })
        .collect()
}
