//! Large label and value pairs.

use crate::builder::{Builder, LABEL};
use crate::flow::Item;
use crate::fonts::FontId;
use crate::model::Fact;
use crate::tags::{Kind, NodeId};
use crate::text::Style;
use crate::theme::{ACCENT, INK, LEFT, SHADE, WIDTH, float};

const GAP: f32 = 10.0;
const PADDING: f32 = 9.0;

impl Builder<'_> {
    pub(crate) fn facts(&mut self, facts: &[Fact]) {
        if facts.is_empty() {
            return;
        }
        let columns: u8 = match facts.len() {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let list = self.tags.add(NodeId::ROOT, Kind::Pairs);
        let width = (WIDTH - GAP * f32::from(columns - 1)) / f32::from(columns);
        let rows = facts.len().div_ceil(usize::from(columns));
        for (index, row) in facts.chunks(usize::from(columns)).enumerate() {
            let mut cards = Vec::new();
            let mut height = 0.0_f32;
            for fact in row {
                let card = self.card(fact, list, width - 2.0 * PADDING);
                height = height.max(card.height());
                cards.push((fact, card));
            }
            let mut item = Item::new(height).spaced(
                if index == 0 { 4.0 } else { GAP },
                if index + 1 == rows { 14.0 } else { GAP },
            );
            for (column, (fact, card)) in (0_u8..).zip(cards) {
                let x = LEFT + f32::from(column) * (width + GAP);
                item.rect(x, 0.0, width, height, SHADE);
                item.rect(x, 0.0, width, 1.2, ACCENT);
                let mut y = PADDING;
                for line in card.label {
                    item.line(line, x + PADDING, y, 11.0);
                    y += 11.0;
                }
                y += 2.0;
                let shift = if let Some(tone) = fact.tone {
                    item.symbol(
                        tone,
                        x + PADDING,
                        y + card.line / 2.0 - card.size * 0.4,
                        card.size * 0.8,
                    );
                    card.size * 0.8 + 5.0
                } else {
                    0.0
                };
                for line in card.value {
                    item.line(line, x + PADDING + shift, y, card.line);
                    y += card.line;
                }
            }
            self.items.push(item);
        }
    }

    fn card(&mut self, fact: &Fact, list: NodeId, width: f32) -> Card {
        let node = self.tags.add(list, Kind::Item);
        let label_node = self.tags.add(node, Kind::Label);
        let value_node = self.tags.add(node, Kind::Body);
        let label = self.wrapped(&fact.label, LABEL, label_node, width);
        // The largest size at which the value takes one line; a long value is set small.
        let room = |size: f32| {
            if fact.tone.is_some() {
                width - size * 0.8 - 5.0
            } else {
                width
            }
        };
        let size = [17.0, 14.0, 11.5]
            .into_iter()
            .find(|size| {
                let short = fact.value.len() <= 200 && !fact.value.contains('\n');
                short
                    && self
                        .fonts
                        .measure(FontId::Bold, *size, &crate::text::one_line(&fact.value))
                        <= room(*size)
            })
            .unwrap_or(10.0);
        let value = self.wrapped(&fact.value, Style::new(FontId::Bold, size, INK), value_node, room(size));
        Card {
            label,
            value,
            size,
            line: size * 1.35,
        }
    }
}

struct Card {
    label: Vec<crate::text::Line>,
    value: Vec<crate::text::Line>,
    size: f32,
    line: f32,
}

impl Card {
    fn height(&self) -> f32 {
        let labels = float(self.label.len()) * 11.0;
        let values = float(self.value.len()) * self.line;
        labels + values + 2.0 + 2.0 * PADDING
    }
}
