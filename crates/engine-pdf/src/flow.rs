//! What is drawn, before it has a page: items from top to bottom.

use std::rc::Rc;

use crate::model::Tone;
use crate::tags::NodeId;
use crate::text::{Line, Run};
use crate::theme::Colour;

/// A place that links and bookmarks lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AnchorId(pub(crate) usize);

/// Whether something belongs to the text, or to the look of the page only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Content(NodeId),
    Decoration,
    Header,
    Footer,
}

/// A drawing. Coordinates are those of the page from left, and those of the item from top.
#[derive(Clone, Debug)]
pub(crate) enum Draw {
    /// Text on its base line.
    Text { run: Run, x: f32, y: f32 },
    /// A filled rectangle.
    Rect {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        colour: Colour,
    },
    /// The symbol of a tone, in a square.
    Symbol { tone: Tone, x: f32, y: f32, size: f32 },
    /// Dark squares of a grid: column, row and length.
    Grid {
        x: f32,
        y: f32,
        unit: f32,
        cells: Vec<(u16, u16, u16)>,
    },
}

/// A drawing and what it is.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) mark: Mark,
    pub(crate) draw: Draw,
}

/// A piece of the document that is never cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub(crate) height: f32,
    /// Space above; at the top of a page there is none.
    pub(crate) before: f32,
    /// Space below. Of the two spaces between two items the larger one counts.
    pub(crate) after: f32,
    /// The next item is on the same page, if both fit a page.
    pub(crate) keep: bool,
    /// The item begins a page.
    pub(crate) new_page: bool,
    /// What is repeated at the top of the page when the item comes first on it.
    pub(crate) repeat: Option<Rc<Repeat>>,
    pub(crate) anchor: Option<AnchorId>,
    pub(crate) figure: Option<Figure>,
    pub(crate) ops: Vec<Op>,
}

/// The header of a table, for its next page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeat {
    pub(crate) height: f32,
    pub(crate) ops: Vec<Op>,
}

/// Place of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    pub(crate) node: NodeId,
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Item {
    pub(crate) fn new(height: f32) -> Self {
        Self {
            height,
            ..Self::default()
        }
    }

    pub(crate) const fn spaced(mut self, before: f32, after: f32) -> Self {
        self.before = before;
        self.after = after;
        self
    }

    /// Draws something that is look only, below all that follows.
    pub(crate) fn decorate(&mut self, draw: Draw) {
        self.ops.push(Op {
            mark: Mark::Decoration,
            draw,
        });
    }

    /// A filled rectangle that is look only.
    pub(crate) fn rect(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        self.decorate(Draw::Rect {
            x,
            y,
            width,
            height,
            colour,
        });
    }

    /// The symbol of a tone. The text beside it carries the meaning.
    pub(crate) fn symbol(&mut self, tone: Tone, x: f32, y: f32, size: f32) {
        self.decorate(Draw::Symbol { tone, x, y, size });
    }

    /// A line of text whose box begins at `y` and has the height `height`.
    pub(crate) fn line(&mut self, line: Line, x: f32, y: f32, height: f32) {
        let size = line.runs.iter().map(|run| run.style.size).fold(0.0, f32::max);
        self.ops.extend(line_ops(line, x, y + base_line(height, size)));
    }

    /// A line of text that is look only, such as a line number.
    pub(crate) fn decorated_line(&mut self, line: Line, x: f32, y: f32, height: f32) {
        let first = self.ops.len();
        self.line(line, x, y, height);
        for op in self.ops.iter_mut().skip(first) {
            op.mark = Mark::Decoration;
        }
    }
}

/// Height of the base line in a line of text.
pub(crate) fn base_line(height: f32, size: f32) -> f32 {
    height / 2.0 + size * 0.357
}

/// The drawings of a line on its base line.
pub(crate) fn line_ops(line: Line, x: f32, y: f32) -> impl Iterator<Item = Op> {
    line.runs.into_iter().map(move |run| Op {
        mark: Mark::Content(run.node),
        draw: Draw::Text { x: x + run.x, run, y },
    })
}
