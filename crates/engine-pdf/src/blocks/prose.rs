//! Headings, paragraphs and lists.

use crate::builder::{Anchor, BODY, BODY_LINE, Builder};
use crate::flow::{AnchorId, Item};
use crate::fonts::FontId;
use crate::model::{Heading, List, Span};
use crate::tags::{Kind, NodeId};
use crate::text::{Style, lines, one_line};
use crate::theme::{ACCENT, INK, LEFT, MUTED, WIDTH};

impl Builder<'_> {
    pub(crate) fn heading(&mut self, heading: &Heading) {
        let title = one_line(&heading.text);
        if title.is_empty() {
            return;
        }
        let level = heading.level.clamp(1, 6).min(self.level.saturating_add(1));
        self.level = level;
        let id = AnchorId(self.anchors.len());
        self.anchors.push(Anchor {
            id,
            level,
            title: title.clone(),
        });
        self.titled(level, &title, Some(id));
    }

    /// A heading at a level.
    pub(crate) fn titled(&mut self, level: u8, title: &str, anchor: Option<AnchorId>) {
        let (size, height, before, after, colour) = match level {
            1 => (19.0, 24.0, 28.0, 9.0, ACCENT),
            2 => (13.5, 18.0, 19.0, 6.0, ACCENT),
            3 => (11.0, 15.0, 14.0, 4.0, INK),
            _ => (10.0, 14.0, 11.0, 3.0, MUTED),
        };
        let node = self.tags.add(NodeId::ROOT, Kind::Heading(level, title.to_owned()));
        let built = self.wrapped(title, Style::new(FontId::Bold, size, colour), node, WIDTH);
        let count = built.len();
        for (index, line) in built.into_iter().enumerate() {
            let mut item = Item::new(height);
            item.keep = true;
            if index == 0 {
                item.before = before;
                item.anchor = anchor;
            }
            if index + 1 == count {
                item.after = after;
            }
            item.line(line, LEFT, 0.0, height);
            self.items.push(item);
        }
    }

    pub(crate) fn paragraph(&mut self, spans: &[Span]) {
        if spans.iter().all(|span| span.content().trim().is_empty()) {
            return;
        }
        let node = self.tags.add(NodeId::ROOT, Kind::Paragraph);
        let pieces = self.pieces(spans, node, BODY, INK, false);
        let built = lines(self.fonts, &pieces, WIDTH);
        self.push_lines(built, LEFT, BODY_LINE, 0.0, 8.0);
    }

    pub(crate) fn list(&mut self, list: &List) {
        let node = self.tags.add(NodeId::ROOT, Kind::List { ordered: list.ordered });
        let style = Style::new(FontId::Sans, BODY, INK);
        let label = |index: usize| {
            if list.ordered {
                format!("{}.", index + 1)
            } else {
                "•".to_owned()
            }
        };
        let indent = self
            .fonts
            .measure(style.font, style.size, &label(list.items.len().saturating_sub(1)))
            + 8.0;
        let indent = indent.max(16.0);
        for (index, spans) in list.items.iter().enumerate() {
            let item_node = self.tags.add(node, Kind::Item);
            let label_node = self.tags.add(item_node, Kind::Label);
            let body_node = self.tags.add(item_node, Kind::Body);
            let label = self.one(&label(index), style, label_node);
            let pieces = self.pieces(spans, body_node, BODY, INK, false);
            let mut built = lines(self.fonts, &pieces, WIDTH - indent);
            if built.iter().all(|line| line.runs.is_empty()) {
                continue;
            }
            // The label is drawn first: it is read first.
            if let Some(first) = built.first_mut() {
                let shift = indent - 8.0 - label.width;
                let mut runs = label.runs;
                for run in &mut runs {
                    run.x += if list.ordered { shift - indent } else { 4.0 - indent };
                }
                runs.append(&mut first.runs);
                first.runs = runs;
            }
            let after = if index + 1 == list.items.len() { 8.0 } else { 3.0 };
            self.push_lines(built, LEFT + indent, BODY_LINE, 0.0, after);
        }
    }
}
