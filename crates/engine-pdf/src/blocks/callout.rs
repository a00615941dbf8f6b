//! A boxed note.

use crate::builder::{BODY_LINE, Builder, keeps};
use crate::flow::Item;
use crate::fonts::FontId;
use crate::model::Callout;
use crate::tags::{Kind, NodeId};
use crate::text::{Style, lines};
use crate::theme::{INK, LEFT, WIDTH, colour, ground};

const PADDING: f32 = 8.0;
const INDENT: f32 = 28.0;

impl Builder<'_> {
    pub(crate) fn callout(&mut self, callout: &Callout) {
        let node = self.tags.add(NodeId::ROOT, Kind::Div);
        let width = WIDTH - INDENT - 12.0;
        let mut built = Vec::new();
        if !callout.title.trim().is_empty() {
            let title = self.tags.add(node, Kind::Paragraph);
            built.extend(self.wrapped(&callout.title, Style::new(FontId::Bold, 10.0, INK), title, width));
        }
        let titles = built.len();
        if callout.text.iter().any(|span| !span.content().trim().is_empty()) {
            let text = self.tags.add(node, Kind::Paragraph);
            let pieces = self.pieces(&callout.text, text, 9.5, INK, false);
            built.extend(lines(self.fonts, &pieces, width));
        }
        let count = built.len();
        for (index, line) in built.into_iter().enumerate() {
            let (first, last) = (index == 0, index + 1 == count);
            let above = if first { PADDING } else { 0.0 };
            let height = BODY_LINE + above + if last { PADDING } else { 0.0 };
            let mut item = Item::new(height).spaced(if first { 6.0 } else { 0.0 }, if last { 12.0 } else { 0.0 });
            item.keep = index < titles && !last || keeps(index, count) || count <= 10 && !last;
            item.rect(LEFT, 0.0, WIDTH, height, ground(callout.tone));
            item.rect(LEFT, 0.0, 3.0, height, colour(callout.tone));
            if first {
                item.symbol(callout.tone, LEFT + 11.0, above + 2.2, 10.0);
            }
            item.line(line, LEFT + INDENT, above, BODY_LINE);
            self.items.push(item);
        }
    }
}
