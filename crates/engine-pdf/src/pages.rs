//! Items onto pages.

use std::rc::Rc;

use crate::flow::{AnchorId, Draw, Figure, Item, Mark, Op};
use crate::theme::{HEIGHT, TOP};

/// A page with all that is drawn on it.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) ops: Vec<Op>,
    pub(crate) anchors: Vec<(AnchorId, f32)>,
    pub(crate) figures: Vec<Figure>,
    /// Height that is used, from the top of the text.
    pub(crate) used: f32,
}

/// Lays items onto pages. No page is empty, and no item is cut.
pub(crate) fn paginate(items: Vec<Item>) -> Vec<Page> {
    let mut pages = Pages {
        done: Vec::new(),
        page: Page::default(),
        gap: 0.0,
        started: false,
    };
    let mut items = items.into_iter().peekable();
    while let Some(first) = items.next() {
        let mut group = vec![first];
        while group.last().is_some_and(|item| item.keep) {
            match items.next_if(|next| !next.new_page) {
                Some(next) => group.push(next),
                None => break,
            }
        }
        pages.group(group);
    }
    if pages.started {
        pages.done.push(pages.page);
    }
    pages.done
}

struct Pages {
    done: Vec<Page>,
    page: Page,
    /// Space that the last item wants below it.
    gap: f32,
    started: bool,
}

impl Pages {
    fn group(&mut self, group: Vec<Item>) {
        let Some(first) = group.first() else { return };
        if first.new_page && self.started {
            self.turn();
        }
        let height = height(&group);
        if self.started && self.page.used + self.gap.max(first.before) + height > HEIGHT + 0.01 {
            let repeated = first.repeat.as_ref().map_or(0.0, |repeat| repeat.height);
            if repeated + height <= HEIGHT + 0.01 {
                self.turn();
            }
        }
        for item in group {
            self.item(item);
        }
    }

    fn item(&mut self, item: Item) {
        let mut gap = if self.started { self.gap.max(item.before) } else { 0.0 };
        if self.started && self.page.used + gap + item.height > HEIGHT + 0.01 {
            self.turn();
            gap = 0.0;
        }
        if !self.started
            && let Some(repeat) = &item.repeat
        {
            let repeat = Rc::clone(repeat);
            self.draw(repeat.ops.clone(), TOP);
            self.page.used = repeat.height;
        }
        let top = TOP + self.page.used + gap;
        if let Some(anchor) = item.anchor {
            self.page.anchors.push((anchor, top));
        }
        if let Some(figure) = item.figure {
            self.page.figures.push(Figure {
                y: figure.y + top,
                ..figure
            });
        }
        self.draw(item.ops, top);
        self.page.used += gap + item.height;
        self.gap = item.after;
        self.started = true;
    }

    fn draw(&mut self, ops: Vec<Op>, top: f32) {
        self.page.ops.extend(ops.into_iter().map(|op| moved(op, top)));
    }

    fn turn(&mut self) {
        self.done.push(std::mem::take(&mut self.page));
        self.gap = 0.0;
        self.started = false;
    }
}

/// Height of items with the spaces between them.
fn height(items: &[Item]) -> f32 {
    let spaces: f32 = items.windows(2).map(|pair| pair[0].after.max(pair[1].before)).sum();
    items.iter().map(|item| item.height).sum::<f32>() + spaces
}

/// The drawing, further down.
pub(crate) fn moved(mut op: Op, by: f32) -> Op {
    match &mut op.draw {
        Draw::Text { y, .. } | Draw::Rect { y, .. } | Draw::Symbol { y, .. } | Draw::Grid { y, .. } => *y += by,
    }
    op
}

/// The drawing as look only: the text of a header that is repeated is not read out again.
pub(crate) fn decoration(mut op: Op) -> Op {
    op.mark = Mark::Decoration;
    op
}
