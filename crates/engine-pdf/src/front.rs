//! Cover and table of contents.

use crate::builder::{Anchor, Builder, LABEL};
use crate::flow::{Draw, Item};
use crate::fonts::FontId;
use crate::model::{Contents, Cover};
use crate::pages::{Page, moved, paginate};
use crate::tags::{Kind, Link, NodeId, Target};
use crate::text::{Style, lines, one_line};
use crate::theme::{ACCENT, HEIGHT, INK, LEFT, MUTED, PAGE_HEIGHT, RULE, WIDTH, float};

impl Builder<'_> {
    /// The pages of the cover: one, unless it says more than fits.
    pub(crate) fn cover(&mut self, title: &str, cover: &Cover) -> Vec<Page> {
        let mut items = vec![Item::new(92.0)];
        std::mem::swap(&mut self.items, &mut items);
        self.cover_text(
            &cover.kicker,
            Kind::Paragraph,
            Style::new(FontId::Bold, 10.5, MUTED),
            15.0,
            10.0,
        );
        self.cover_text(title, Kind::Title, Style::new(FontId::Bold, 29.0, ACCENT), 37.0, 12.0);
        self.cover_text(
            &cover.subtitle,
            Kind::Paragraph,
            Style::new(FontId::Sans, 14.0, INK),
            20.0,
            10.0,
        );
        self.items.push(Item::new(26.0));
        self.cover_facts(cover);
        let facts = std::mem::replace(&mut self.items, items);

        let mut items = facts;
        let height: f32 = items.iter().map(|item| item.height + item.after).sum();
        let note = self.cover_note(&cover.note);
        let note_height: f32 = note.iter().map(|item| item.height).sum();
        let free = HEIGHT - height - note_height;
        if free > 0.0 && !note.is_empty() {
            items.push(Item::new(free - 1.0));
        } else if let Some(last) = items.last_mut() {
            last.after = 16.0;
        }
        items.extend(note);
        let mut pages = paginate(items);
        if let Some(page) = pages.first_mut() {
            let mut bar = Item::default();
            bar.rect(0.0, 0.0, 15.0, PAGE_HEIGHT, ACCENT);
            page.ops.splice(0..0, bar.ops.into_iter().map(|op| moved(op, 0.0)));
        }
        pages
    }

    fn cover_text(&mut self, text: &str, kind: Kind, style: Style, height: f32, after: f32) {
        let text = one_line(text);
        if text.is_empty() {
            return;
        }
        let node = self.tags.add(NodeId::ROOT, kind);
        let built = self.wrapped(&text, style, node, WIDTH);
        self.push_lines(built, LEFT, height, 0.0, after);
    }

    fn cover_facts(&mut self, cover: &Cover) {
        if cover.facts.is_empty() {
            return;
        }
        let list = self.tags.add(NodeId::ROOT, Kind::Pairs);
        let label_width = 140.0;
        for fact in &cover.facts {
            let node = self.tags.add(list, Kind::Item);
            let label_node = self.tags.add(node, Kind::Label);
            let value_node = self.tags.add(node, Kind::Body);
            let label = self.wrapped(
                &fact.label,
                Style::new(FontId::Sans, 9.5, MUTED),
                label_node,
                label_width - 12.0,
            );
            let shift = if fact.tone.is_some() { 14.0 } else { 0.0 };
            let value = self.wrapped(
                &fact.value,
                Style::new(FontId::Sans, 10.0, INK),
                value_node,
                WIDTH - label_width - shift,
            );
            let rows = label.len().max(value.len());
            let mut item = Item::new(float(rows) * 14.0 + 10.0);
            item.rect(LEFT, 0.0, WIDTH, 0.5, RULE);
            for (index, line) in label.into_iter().enumerate() {
                item.line(line, LEFT, 5.0 + float(index) * 14.0, 14.0);
            }
            if let Some(tone) = fact.tone {
                item.symbol(tone, LEFT + label_width, 7.5, 9.0);
            }
            for (index, line) in value.into_iter().enumerate() {
                item.line(line, LEFT + label_width + shift, 5.0 + float(index) * 14.0, 14.0);
            }
            self.items.push(item);
        }
    }

    fn cover_note(&mut self, note: &str) -> Vec<Item> {
        let before = std::mem::take(&mut self.items);
        self.cover_text(note, Kind::Paragraph, Style::new(FontId::Sans, 8.5, MUTED), 12.0, 0.0);
        std::mem::replace(&mut self.items, before)
    }

    /// The pages of the contents. `number` gives the page of a heading.
    pub(crate) fn contents(
        &mut self,
        contents: &Contents,
        anchors: &[Anchor],
        heading: &Anchor,
        number: &dyn Fn(&Anchor) -> usize,
    ) -> Vec<Page> {
        let before = std::mem::take(&mut self.items);
        self.titled(1, &heading.title, Some(heading.id));
        let list = self.tags.add(NodeId::ROOT, Kind::Contents);
        for anchor in anchors.iter().filter(|anchor| anchor.level <= contents.depth) {
            self.contents_line(anchor, list, number(anchor));
        }
        let items = std::mem::replace(&mut self.items, before);
        paginate(items)
    }

    fn contents_line(&mut self, anchor: &Anchor, list: NodeId, number: usize) {
        let top = anchor.level == 1;
        let (size, height, before) = if top { (10.0, 15.0, 6.0) } else { (9.3, 13.6, 0.0) };
        let font = if top { FontId::Bold } else { FontId::Sans };
        let style = Style::new(font, size, INK);
        let entry = self.tags.add(list, Kind::ContentsItem);
        let reference = self.tags.add(entry, Kind::Reference);
        let description = one_line(&self.words.jump_to.replace("{target}", &anchor.title));
        let description = if description.is_empty() {
            anchor.title.clone()
        } else {
            description
        };
        let link = self.tags.add(
            reference,
            Kind::Link(Link {
                target: Target::Anchor(anchor.id),
                description,
            }),
        );
        let indent = f32::from(anchor.level.saturating_sub(1).min(5)) * 14.0;
        // The space keeps the title and the number apart when they are read out.
        let piece = crate::text::Piece {
            text: format!("{} ", anchor.title),
            style,
            node: link,
        };
        let built = lines(self.fonts, &[piece], WIDTH - indent - 40.0);
        let number = self.one(&number.to_string(), style, link);
        let count = built.len();
        let mut number = Some(number);
        for (index, line) in built.into_iter().enumerate() {
            let mut item = Item::new(height);
            item.before = if index == 0 { before } else { 0.0 };
            item.keep = index + 1 < count;
            let end = LEFT + indent + line.width + 6.0;
            item.line(line, LEFT + indent, 0.0, height);
            if index + 1 == count
                && let Some(number) = number.take()
            {
                let x = LEFT + WIDTH - number.width;
                if x - 6.0 > end {
                    item.decorate(Draw::Rect {
                        x: end,
                        y: height / 2.0 + size * 0.34,
                        width: x - 6.0 - end,
                        height: 0.4,
                        colour: RULE,
                    });
                }
                item.line(number, x, 0.0, height);
            }
            self.items.push(item);
        }
    }

    /// A page for a document that says nothing but its title.
    pub(crate) fn only_title(&mut self, title: &str) -> Vec<Page> {
        self.cover_text(title, Kind::Title, Style::new(FontId::Bold, 22.0, ACCENT), 28.0, 0.0);
        paginate(std::mem::take(&mut self.items))
    }
}

/// Style of the running header and footer.
pub(crate) const RUNNING: Style = Style::new(LABEL.font, 7.8, MUTED);
