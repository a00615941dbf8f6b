//! Lines of a file.

use crate::builder::{Builder, keeps};
use crate::flow::Item;
use crate::fonts::FontId;
use crate::model::{Code, Tone};
use crate::tags::{Kind, NodeId};
use crate::text::{Piece, Style, clean, lines, one_line};
use crate::theme::{INK, LEFT, MUTED, SHADE, WIDTH, colour, ground};

const LINE: f32 = 11.2;
const SIZE: f32 = 7.8;
/// Blocks of up to this many lines are not cut.
const WHOLE: usize = 12;

impl Builder<'_> {
    pub(crate) fn code(&mut self, code: &Code) {
        let marked = code.highlight.filter(|line| {
            line.checked_sub(code.start_line)
                .is_some_and(|at| usize::try_from(at).is_ok_and(|at| at < code.lines.len()))
        });
        self.code_file(code, marked);
        if code.lines.is_empty() {
            return;
        }
        let paragraph = self.tags.add(NodeId::ROOT, Kind::Paragraph);
        let node = self.tags.add(paragraph, Kind::Code);
        let style = Style::new(FontId::Mono, SIZE, INK);
        let number = Style::new(FontId::Mono, SIZE, MUTED);
        let last = code
            .start_line
            .saturating_add(u32::try_from(code.lines.len()).unwrap_or(u32::MAX))
            .to_string();
        let gutter = self.fonts.measure(FontId::Mono, SIZE, &last) + 26.0;

        let mut rows = Vec::new();
        for (index, line) in (0_u32..).zip(&code.lines) {
            let at = code.start_line.saturating_add(index);
            // The space at the end keeps the lines apart when they are read out or copied.
            let text = format!("{} ", clean(line, "    ").replace('\n', " "));
            let built = lines(self.fonts, &[Piece { text, style, node }], WIDTH - gutter - 8.0);
            for (part, line) in built.into_iter().enumerate() {
                rows.push((line, (part == 0).then_some(at), marked == Some(at)));
            }
        }
        let count = rows.len();
        // A long line stays together with its continuation.
        let goes_on: Vec<bool> = rows.iter().skip(1).map(|(_, at, _)| at.is_none()).collect();
        for (index, (line, at, is_marked)) in rows.into_iter().enumerate() {
            let (above, below) = (
                if index == 0 { 4.0 } else { 0.0 },
                if index + 1 == count { 4.0 } else { 0.0 },
            );
            let mut item = Item::new(LINE + above + below);
            item.after = if index + 1 == count { 10.0 } else { 0.0 };
            item.keep = if count <= WHOLE {
                index + 1 < count
            } else {
                index < 2 || keeps(index, count) || goes_on.get(index) == Some(&true)
            };
            item.rect(LEFT, 0.0, WIDTH, item.height, SHADE);
            if is_marked {
                item.rect(LEFT, above, WIDTH, LINE, ground(Tone::Amber));
                item.rect(LEFT, above, 2.5, LINE, colour(Tone::Amber));
            }
            if let Some(at) = at {
                let digits = self.one(&at.to_string(), number, node);
                let x = LEFT + gutter - 10.0 - digits.width;
                item.decorated_line(digits, x, above, LINE);
                if is_marked {
                    let arrow = self.one("▶", Style::new(FontId::Mono, 6.5, colour(Tone::Amber)), node);
                    item.decorated_line(arrow, LEFT + 5.0, above, LINE);
                }
            }
            item.line(line, LEFT + gutter, above, LINE);
            self.items.push(item);
        }
    }

    /// The file and the line that is meant, above the lines.
    fn code_file(&mut self, code: &Code, marked: Option<u32>) {
        let file = one_line(&code.file);
        if file.is_empty() {
            return;
        }
        let line = self
            .words
            .line
            .replace("{line}", &marked.unwrap_or(code.start_line).to_string());
        let node = self.tags.add(NodeId::ROOT, Kind::Paragraph);
        let pieces = [
            Piece {
                text: file,
                style: Style::new(FontId::Mono, 8.0, INK),
                node,
            },
            Piece {
                text: format!(", {}", one_line(&line)),
                style: Style::new(FontId::Sans, 8.5, MUTED),
                node,
            },
        ];
        let built = lines(self.fonts, &pieces, WIDTH);
        let first = self.items.len();
        self.push_lines(built, LEFT, 12.0, 4.0, 3.0);
        for item in self.items.iter_mut().skip(first) {
            item.keep = true;
        }
    }
}
