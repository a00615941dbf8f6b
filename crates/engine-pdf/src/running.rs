//! Running header and footer.

use crate::builder::Builder;
use crate::flow::{Draw, Item, Mark};
use crate::front::RUNNING;
use crate::model::{Footer, Header};
use crate::pages::Page;
use crate::tags::NodeId;
use crate::text::{cut_to, one_line};
use crate::theme::{LEFT, PAGE_HEIGHT, RIGHT, RULE, WIDTH};

const HEADER: f32 = 34.0;
const FOOTER: f32 = PAGE_HEIGHT - 42.0;
const LINE: f32 = 11.0;

impl Builder<'_> {
    /// Draws header and footer on a page. `number` counts from 1.
    pub(crate) fn running(&mut self, page: &mut Page, header: &Header, footer: &Footer, number: usize, count: usize) {
        let mut item = Item::default();
        let left = cut_to(self.fonts, RUNNING, &header.left, WIDTH * 0.55);
        let right = cut_to(self.fonts, RUNNING, &header.right, WIDTH * 0.42);
        self.between(&mut item, &left, &right, HEADER);
        item.rect(LEFT, HEADER + LINE + 4.0, WIDTH, 0.5, RULE);
        mark(&mut item, Mark::Header);
        let mut all = item.ops;

        let mut item = Item::default();
        item.decorate(Draw::Rect {
            x: LEFT,
            y: FOOTER - 5.0,
            width: WIDTH,
            height: 0.5,
            colour: RULE,
        });
        let page_of = self
            .words
            .page_of
            .replace("{pages}", &count.to_string())
            .replace("{page}", &number.to_string());
        let right = cut_to(self.fonts, RUNNING, &page_of, WIDTH * 0.3);
        let room = WIDTH - self.fonts.measure(RUNNING.font, RUNNING.size, &right) - 14.0;
        let parts: Vec<String> = footer
            .parts
            .iter()
            .map(|part| one_line(part))
            .filter(|part| !part.is_empty())
            .collect();
        let left = cut_to(self.fonts, RUNNING, &parts.join("  ·  "), room);
        self.between(&mut item, &left, &right, FOOTER);
        mark(&mut item, Mark::Footer);
        // Header, text, footer: the order of drawing is the order from top to bottom.
        all.append(&mut page.ops);
        all.append(&mut item.ops);
        page.ops = all;
    }

    fn between(&mut self, item: &mut Item, left: &str, right: &str, y: f32) {
        let line = self.one(left, RUNNING, NodeId::ROOT);
        item.line(line, LEFT, y, LINE);
        let line = self.one(right, RUNNING, NodeId::ROOT);
        let x = RIGHT - line.width;
        item.line(line, x, y, LINE);
    }
}

fn mark(item: &mut Item, mark: Mark) {
    for op in &mut item.ops {
        op.mark = mark;
    }
}
