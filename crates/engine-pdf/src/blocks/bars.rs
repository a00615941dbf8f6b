//! A chart of horizontal bars.

use crate::builder::Builder;
use crate::flow::{Figure, Item};
use crate::fonts::FontId;
use crate::model::{Bar, BarChart};
use crate::tags::{Kind, NodeId};
use crate::text::{Style, one_line};
use crate::theme::{INK, LEFT, MUTED, TRACK, WIDTH, colour, float};

const LABEL_WIDTH: f32 = 186.0;
const TRACK_WIDTH: f32 = 150.0;
const BAR: f32 = 9.0;
const LINE: f32 = 11.5;
/// A figure is at most this high; further bars make a figure of their own.
const TALLEST: f32 = 520.0;

struct Laid<'a> {
    bar: &'a Bar,
    height: f32,
}

impl Builder<'_> {
    pub(crate) fn bars(&mut self, chart: &BarChart) {
        if chart.rows.is_empty() {
            return;
        }
        let mut first = true;
        let mut group: Vec<Laid<'_>> = Vec::new();
        let mut height = 0.0;
        for bar in &chart.rows {
            let laid = Laid {
                bar,
                height: self.bar_height(bar, &chart.unit),
            };
            if height + laid.height > TALLEST && !group.is_empty() {
                self.figure(chart, &group, first);
                first = false;
                group.clear();
                height = 0.0;
            }
            height += laid.height;
            group.push(laid);
        }
        self.figure(chart, &group, first);
    }

    fn figure(&mut self, chart: &BarChart, group: &[Laid<'_>], first: bool) {
        let parts: Vec<String> = group.iter().map(|laid| self.bar_text(laid.bar, &chart.unit)).collect();
        let alt = Self::described(if first { &chart.alt } else { "" }, &chart.title, &parts);
        let node = self.tags.add(NodeId::ROOT, Kind::Figure(alt));
        let mut item = Item::default().spaced(6.0, 12.0);
        let mut y = 0.0;
        if first && !chart.title.trim().is_empty() {
            let caption = self.tags.add(node, Kind::Caption);
            for line in self.wrapped(&chart.title, Self::caption_style(), caption, WIDTH) {
                item.line(line, LEFT, y, 13.0);
                y += 13.0;
            }
            y += 4.0;
        }
        for laid in group {
            self.bar(&mut item, laid, &chart.unit, node, y);
            y += laid.height;
        }
        item.height = y;
        item.figure = Some(Figure {
            node,
            x: LEFT,
            y: 0.0,
            width: WIDTH,
            height: y,
        });
        self.items.push(item);
    }

    fn bar(&mut self, item: &mut Item, laid: &Laid<'_>, unit: &str, node: NodeId, top: f32) {
        let bar = laid.bar;
        let name = Style::new(FontId::Sans, 8.8, INK);
        let y = top + 2.5;
        let label = self.wrapped(&one_line(&bar.label), name, node, LABEL_WIDTH - 10.0);
        let mut line_y = y;
        for line in label {
            item.line(line, LEFT, line_y, LINE);
            line_y += LINE;
        }
        let x = LEFT + LABEL_WIDTH;
        let share = share(bar.value, bar.max);
        item.rect(x, y + (LINE - BAR) / 2.0, TRACK_WIDTH, BAR, TRACK);
        item.rect(x, y + (LINE - BAR) / 2.0, TRACK_WIDTH * share, BAR, colour(bar.tone));
        let x = x + TRACK_WIDTH + 9.0;
        item.symbol(bar.tone, x, y + LINE / 2.0 - 3.9, 7.8);
        let x = x + 12.0;
        let value = self.one(&self.valued(bar, unit), Style::new(FontId::Bold, 8.8, INK), node);
        let value_width = value.width;
        item.line(value, x, y, LINE);
        let style = Style::new(FontId::Sans, 8.2, MUTED);
        let mut note_y = y;
        for line in self.note(bar, node, value_width, style) {
            item.line(line, x + value_width + 6.0, note_y, LINE);
            note_y += LINE;
        }
    }

    fn note(&mut self, bar: &Bar, node: NodeId, value: f32, style: Style) -> Vec<crate::text::Line> {
        let remark = one_line(&bar.note);
        if remark.is_empty() {
            return Vec::new();
        }
        self.wrapped(
            &remark,
            style,
            node,
            (WIDTH - LABEL_WIDTH - TRACK_WIDTH - 27.0 - value).max(40.0),
        )
    }

    fn bar_height(&mut self, bar: &Bar, unit: &str) -> f32 {
        let style = Style::new(FontId::Sans, 8.8, INK);
        let label = self
            .wrapped(&one_line(&bar.label), style, NodeId::ROOT, LABEL_WIDTH - 10.0)
            .len();
        let value = self.fonts.measure(FontId::Bold, 8.8, &self.valued(bar, unit));
        let note = self
            .note(bar, NodeId::ROOT, value, Style::new(FontId::Sans, 8.2, MUTED))
            .len();
        // A label of more than 30 lines overlaps the next bar; the alt text has it in full.
        let count = label.max(note).clamp(1, 30);
        float(count) * LINE + 5.0
    }

    fn valued(&self, bar: &Bar, unit: &str) -> String {
        let unit = one_line(unit);
        let space = if unit.is_empty() { "" } else { "\u{a0}" };
        format!("{}{space}{unit}", self.number(bar.value))
    }

    fn bar_text(&self, bar: &Bar, unit: &str) -> String {
        let remark = match one_line(&bar.note) {
            remark if remark.is_empty() => remark,
            remark => format!(" ({remark})"),
        };
        format!(
            "{} {}{remark}",
            one_line(&bar.label),
            self.valued(bar, unit).replace('\u{a0}', " ")
        )
    }
}

/// Part of the track that a bar fills.
fn share(value: f64, max: f64) -> f32 {
    let share = value / max;
    if !share.is_finite() {
        return 0.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a part between 0 and 1")]
    let part = share.clamp(0.0, 1.0) as f32;
    part
}
