//! A chart of dates on one line, and the list of what happens on them.

use crate::builder::Builder;
use crate::dates::Date;
use crate::flow::{Figure, Item};
use crate::fonts::FontId;
use crate::model::{Event, Timeline};
use crate::tags::{Kind, NodeId};
use crate::text::{Style, one_line};
use crate::theme::{ACCENT, INK, LEFT, MUTED, RULE, WIDTH, float};

const MARK: f32 = 9.0;
const STEP: f32 = 13.0;
/// Marks that are closer than this are stacked.
const CLOSE: f32 = 20.0;
const LINE: f32 = 13.5;
/// Events of a list that is not cut between pages.
const KEPT_EVENTS: usize = 8;

/// The line of a chart: days onto points.
struct Axis {
    from: i32,
    to: i32,
}

impl Axis {
    fn x(&self, day: i32) -> Option<f32> {
        let days = |from: i32, to: i32| {
            to.checked_sub(from)
                .and_then(|days| usize::try_from(days).ok())
                .map(float)
        };
        let (all, length) = (days(self.from, self.to)?, days(self.from, day)?);
        (all > 0.0 && length <= all).then(|| LEFT + 8.0 + length / all * (WIDTH - 16.0))
    }
}

impl Builder<'_> {
    pub(crate) fn timeline(&mut self, timeline: &Timeline) {
        let mut events: Vec<&Event> = timeline.events.iter().collect();
        events.sort_by_key(|event| {
            (
                Date::parse(&event.date).map_or(i32::MAX, Date::number),
                event.date.as_str(),
            )
        });
        let axis = Date::parse(&timeline.from)
            .zip(Date::parse(&timeline.to))
            .map(|(from, to)| Axis {
                from: from.number(),
                to: to.number(),
            })
            .filter(|axis| axis.to > axis.from);
        if let Some(axis) = axis {
            self.axis(timeline, &events, &axis);
        } else if !timeline.title.trim().is_empty() {
            let node = self.tags.add(NodeId::ROOT, Kind::Paragraph);
            let built = self.wrapped(&timeline.title, Self::caption_style(), node, WIDTH);
            self.push_lines(built, LEFT, 13.0, 6.0, 4.0);
        }
        self.events(&events);
    }

    fn axis(&mut self, timeline: &Timeline, events: &[&Event], axis: &Axis) {
        let mut parts: Vec<String> = events
            .iter()
            .map(|event| format!("{} {}", one_line(&event.date), one_line(&event.label)))
            .collect();
        let today = timeline
            .today
            .as_deref()
            .map(one_line)
            .filter(|today| !today.is_empty());
        if let Some(today) = &today {
            parts.insert(0, format!("{} {today}", one_line(&self.words.today)));
        }
        let alt = Self::described(&timeline.alt, &timeline.title, &parts);
        let node = self.tags.add(NodeId::ROOT, Kind::Figure(alt));
        let mut item = Item::default().spaced(8.0, 6.0);
        let mut y = 0.0;
        if !timeline.title.trim().is_empty() {
            let caption = self.tags.add(node, Kind::Caption);
            for line in self.wrapped(&timeline.title, Self::caption_style(), caption, WIDTH) {
                item.line(line, LEFT, y, 13.0);
                y += 13.0;
            }
            y += 4.0;
        }

        // Marks from left to right, each on the lowest level that is free.
        let mut ends: Vec<f32> = Vec::new();
        let mut marks = Vec::new();
        for (index, event) in events.iter().enumerate() {
            let Some(x) = Date::parse(&event.date).and_then(|day| axis.x(day.number())) else {
                continue;
            };
            let level = ends.iter().position(|end| x - end >= CLOSE).unwrap_or(ends.len());
            if level >= 12 {
                continue;
            }
            match ends.get_mut(level) {
                Some(end) => *end = x,
                None => ends.push(x),
            }
            marks.push((index, event, x, level));
        }
        let base = y + 14.0 + float(ends.len().max(1)) * STEP + 6.0;

        item.rect(LEFT, base - 1.0, WIDTH, 2.0, RULE);
        self.years(&mut item, axis, node, base);
        if let Some(today) = today {
            self.today(&mut item, axis, &today, node, (y, base));
        }
        for (index, event, x, level) in marks {
            let top = base - 6.0 - STEP * float(level + 1);
            item.rect(x - 0.35, top + MARK, 0.7, base - top - MARK, MUTED);
            item.symbol(event.tone, x - MARK / 2.0, top, MARK);
            let number = self.one(&(index + 1).to_string(), Style::new(FontId::Bold, 7.0, INK), node);
            item.line(number, x + MARK / 2.0 + 1.5, top, MARK);
        }
        item.height = base + 18.0;
        item.keep = !events.is_empty();
        item.figure = Some(Figure {
            node,
            x: LEFT,
            y: 0.0,
            width: WIDTH,
            height: item.height,
        });
        self.items.push(item);
    }

    /// Ticks at the years; where they are too many, only some have their number.
    fn years(&mut self, item: &mut Item, axis: &Axis, node: NodeId, base: f32) {
        let mut free = 0.0;
        let mut drawn = 0;
        for year in 1..=9999_u16 {
            let day = Date { year, month: 1, day: 1 }.number();
            let Some(x) = axis.x(day) else { continue };
            drawn += 1;
            if drawn > 200 {
                return;
            }
            item.rect(x - 0.4, base - 4.0, 0.8, 8.0, MUTED);
            let label = self.one(&year.to_string(), Style::new(FontId::Sans, 7.5, MUTED), node);
            let left = (x - label.width / 2.0).clamp(LEFT, LEFT + WIDTH - label.width);
            if left >= free {
                free = left + label.width + 6.0;
                item.line(label, left, base + 5.0, 10.0);
            }
        }
    }

    fn today(&mut self, item: &mut Item, axis: &Axis, today: &str, node: NodeId, (top, base): (f32, f32)) {
        let Some(x) = Date::parse(today).and_then(|day| axis.x(day.number())) else {
            return;
        };
        item.rect(x - 0.6, top + 12.0, 1.2, base - top - 6.0, ACCENT);
        let text = format!("{} {today}", one_line(&self.words.today));
        let label = self.one(&text, Style::new(FontId::Bold, 7.5, ACCENT), node);
        let left = (x - label.width / 2.0).clamp(LEFT, (LEFT + WIDTH - label.width).max(LEFT));
        item.line(label, left, top, 11.0);
    }

    /// The events as a list: what the marks mean.
    fn events(&mut self, events: &[&Event]) {
        let list = self.tags.add(NodeId::ROOT, Kind::List { ordered: true });
        let text = Style::new(FontId::Sans, 9.2, INK);
        let count = events.len();
        let date_width = 64.0;
        for (index, event) in events.iter().enumerate() {
            let node = self.tags.add(list, Kind::Item);
            let label = self.tags.add(node, Kind::Label);
            let body = self.tags.add(node, Kind::Body);
            let number = self.one(&format!("{}.", index + 1), Style::new(FontId::Bold, 9.2, INK), label);
            let date = self.wrapped(
                &format!("{} ", one_line(&event.date)),
                Style::new(FontId::Bold, 9.2, INK),
                body,
                date_width - 6.0,
            );
            let what = self.wrapped(&one_line(&event.label), text, body, WIDTH - 36.0 - date_width);
            let rows = date.len().max(what.len());
            let (mut date, mut what) = (date.into_iter(), what.into_iter());
            let mut number = Some(number);
            for row in 0..rows {
                let mut item = Item::new(LINE);
                // A short list stays with its chart.
                let whole = index + 1 < count && count <= KEPT_EVENTS;
                item.keep = row + 1 < rows && rows <= 6 || row + 1 == rows && whole;
                item.after = match (row + 1 == rows, index + 1 == count) {
                    (true, true) => 12.0,
                    (true, false) => 2.0,
                    _ => 0.0,
                };
                if let Some(number) = number.take() {
                    let width = number.width;
                    item.line(number, LEFT + 16.0 - width, 0.0, LINE);
                    item.symbol(event.tone, LEFT + 21.0, 2.4, 8.6);
                }
                item.line(date.next().unwrap_or_default(), LEFT + 36.0, 0.0, LINE);
                item.line(what.next().unwrap_or_default(), LEFT + 36.0 + date_width, 0.0, LINE);
                self.items.push(item);
            }
        }
    }
}
