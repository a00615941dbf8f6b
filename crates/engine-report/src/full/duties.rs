//! Duties: when they begin, as a time line, and what is known of each, as a chart and a table.

use std::collections::BTreeMap;

use engine_messages::Key;
use engine_model::{Applies, Date, ObligationStatus, ProjectObligation, ScoreTerm};
use engine_pdf::{Bar, BarChart, Block, Cell, Column, Event, Row, Span, Table, Timeline, Tone};

use super::{Page, words};
use crate::actions::{is_invitation, is_voluntary};
use crate::foreign::clip;
use crate::view;

/// Bars of the chart.
const BARS_MAX: usize = 40;

/// Rows of the table.
const ROWS_MAX: usize = 150;

/// Duties named per date.
const NAMED_MAX: usize = 12;

/// Characters of a name in the chart.
const LABEL_CHARS: usize = 60;

/// Days before the first and after the last date of the time line.
const MARGIN_DAYS: i64 = 30;

/// What begins on one date.
#[derive(Default)]
struct Begin {
    certain: Vec<String>,
    open: usize,
    past: usize,
}

/// A duty in force over all systems.
struct Duty<'a> {
    first: &'a ProjectObligation,
    weight: f64,
    values: Vec<f64>,
    systems: usize,
    worst: ObligationStatus,
}

impl Page<'_> {
    pub(super) fn timeline(&mut self) {
        self.heading(1, self.messages.text(Key::TimelineHeading));
        let days = self.days();
        let (Some(first), Some(last)) = (days.keys().next().copied(), days.keys().next_back().copied()) else {
            self.paragraph(self.messages.text(Key::TimelineNone));
            return;
        };
        let as_of = self.scan.as_of;
        let margin = |date: Date, days: i64| date.checked_add(jiff_days(days)).unwrap_or(date).to_string();
        let events = days
            .iter()
            .map(|(date, begin)| Event {
                date: date.to_string(),
                label: self.event(*date, begin),
                tone: match begin {
                    _ if *date <= as_of => Tone::Blue,
                    begin if !begin.certain.is_empty() => Tone::Amber,
                    _ => Tone::Grey,
                },
            })
            .collect();
        self.blocks.push(Block::Timeline(Timeline {
            title: self.messages.text(Key::TimelineChart).to_owned(),
            from: margin(first.min(as_of), -MARGIN_DAYS),
            to: margin(last.max(as_of), MARGIN_DAYS),
            today: Some(as_of.to_string()),
            events,
            alt: String::new(),
        }));
        let rows: Vec<Row> = days
            .iter()
            .filter(|(date, _)| **date > as_of)
            .map(|(date, begin)| self.day_row(*date, begin))
            .collect();
        if rows.is_empty() {
            return;
        }
        let text = |key| self.messages.text(key).to_owned();
        self.blocks.push(Block::Table(Table {
            caption: text(Key::TimelineCaption),
            columns: vec![Column::left(1.4), Column::left(5.0), Column::right(1.4)],
            header: vec![
                text(Key::TimelineFrom),
                text(Key::TimelineWhat),
                text(Key::TimelineCountOpen),
            ],
            rows,
            row_headers: true,
        }));
    }

    /// What begins or began on each date.
    fn days(&self) -> BTreeMap<Date, Begin> {
        let mut days: BTreeMap<Date, Begin> = BTreeMap::new();
        let mut seen = std::collections::BTreeSet::new();
        for own in &self.scan.obligations {
            let record = &own.record;
            if record.applies == Applies::Applies
                && !is_voluntary(record)
                && let Some(from) = record.applies_from
                && seen.insert(&record.obligation_id)
            {
                days.entry(from).or_default().past += 1;
            }
        }
        for row in self
            .scan
            .upcoming
            .iter()
            .filter(|row| !is_invitation(&row.obligation_id))
        {
            if row.applies_from <= self.scan.as_of {
                continue;
            }
            let day = days.entry(row.applies_from).or_default();
            if row.certain {
                let article = row.article.split(", ").next().unwrap_or_default();
                day.certain.push(format!("{} ({article})", row.title));
            } else {
                day.open += 1;
            }
        }
        days
    }

    fn event(&self, date: Date, begin: &Begin) -> String {
        let number = |number: usize| self.messages.number(number as u64);
        let mut parts = Vec::new();
        if begin.past > 0 {
            let count = begin.past as u64;
            parts.push(self.messages.count(engine_messages::Counted::CountDuties, count));
        }
        if !begin.certain.is_empty() {
            let count = number(begin.certain.len());
            parts.push(self.messages.fill(Key::TimelineCertain, &[("count", &count)]));
        }
        if begin.open > 0 {
            let count = number(begin.open);
            parts.push(self.messages.fill(Key::TimelineOpen, &[("count", &count)]));
        }
        let when = self.messages.date(date);
        let when = if date <= self.scan.as_of {
            self.messages.fill(Key::TimelineSince, &[("date", &when)])
        } else {
            when
        };
        format!("{when}: {}", parts.join(", "))
    }

    fn day_row(&self, date: Date, begin: &Begin) -> Row {
        let mut named: Vec<String> = begin
            .certain
            .iter()
            .take(NAMED_MAX)
            .map(|text| self.line(text))
            .collect();
        if begin.certain.len() > NAMED_MAX {
            let count = self.messages.number((begin.certain.len() - NAMED_MAX) as u64);
            named.push(self.messages.fill(Key::CountMore, &[("count", &count)]));
        }
        Row::from(vec![
            Cell::text(self.messages.date(date)),
            Cell::text(if named.is_empty() {
                "–".to_owned()
            } else {
                named.join("; ")
            }),
            Cell::text(self.messages.number(begin.open as u64)),
        ])
    }

    pub(super) fn scores(&mut self) {
        self.heading(1, self.messages.text(Key::ScoreHeading));
        let scan = self.scan;
        let duties = duties(&scan.obligations, &scan.score.breakdown);
        if duties.is_empty() {
            self.paragraph(self.messages.text(Key::DutiesNone));
            return;
        }
        self.paragraph(self.messages.text(Key::ScoreHow));
        let sum = self.sum();
        self.paragraph(&sum);
        // A bar of length nothing would look like a gap, so what was not evaluated has none.
        let evaluated = duties.iter().filter(|duty| !duty.values.is_empty());
        let bars: Vec<Bar> = evaluated.take(BARS_MAX).map(|duty| self.bar(duty)).collect();
        let shown = bars.len();
        if shown > 0 {
            self.blocks.push(Block::BarChart(BarChart {
                title: self.messages.text(Key::ScoreChart).to_owned(),
                unit: String::new(),
                rows: bars,
                alt: String::new(),
            }));
        }
        if shown > 0 && duties.len() > shown {
            let text = self.messages.fill(
                Key::ScoreMore,
                &[
                    ("shown", &self.messages.number(shown as u64)),
                    ("all", &self.messages.number(duties.len() as u64)),
                ],
            );
            self.paragraph(&text);
        }
        let text = |key| self.messages.text(key).to_owned();
        let date = self.messages.date(scan.as_of);
        let table = Table {
            caption: self.messages.fill(Key::DutiesCaption, &[("date", &date)]),
            columns: vec![
                Column::left(2.0),
                Column::left(1.7),
                Column::left(3.4),
                Column::right(1.1),
                Column::left(2.8),
            ],
            header: vec![
                text(Key::DutiesStatus),
                text(Key::DutiesProvision),
                text(Key::DutiesTitle),
                text(Key::DutiesWeight),
                text(Key::DutiesEvidence),
            ],
            rows: duties.iter().take(ROWS_MAX).map(|duty| self.duty_row(duty)).collect(),
            row_headers: false,
        };
        self.blocks.push(Block::Table(table));
        self.more(duties.len(), ROWS_MAX);
    }

    /// The arithmetic of the score, so that a reader can repeat it.
    fn sum(&self) -> String {
        let score = &self.scan.score;
        if !score.assessed {
            return self.messages.text(Key::ScoreNone).to_owned();
        }
        let terms = |optional: bool| -> (f64, f64) {
            score
                .breakdown
                .iter()
                .filter(|term| term.in_compliance && (optional || !term.optional))
                .filter_map(|term| Some((term.weight, term.value?)))
                .fold((0.0, 0.0), |(sum, weights), (weight, value)| {
                    (weight.mul_add(value, sum), weights + weight)
                })
        };
        let share = |(sum, weights): (f64, f64)| if weights > 0.0 { sum / weights } else { 0.0 };
        let (all, required) = (terms(true), terms(false));
        let (sum, weights) = if share(required) > share(all) { required } else { all };
        self.messages.fill(
            Key::ScoreSum,
            &[
                ("sum", &self.messages.decimal(sum)),
                ("weights", &self.messages.decimal(weights)),
                ("score", &self.messages.decimal(score.compliance)),
            ],
        )
    }

    fn bar(&self, duty: &Duty<'_>) -> Bar {
        let record = &duty.first.record;
        let article = record.article.split(", ").next().unwrap_or_default();
        let mut value = 0.0;
        if !duty.values.is_empty() {
            let evaluated = u32::try_from(duty.values.len()).unwrap_or(u32::MAX);
            value = 100.0 * duty.values.iter().sum::<f64>() / f64::from(evaluated);
        }
        Bar {
            label: self.line(&clip(&format!("{article} {}", record.title), LABEL_CHARS)),
            value,
            max: 100.0,
            note: words::status(self.messages, duty.worst).to_owned(),
            tone: words::status_tone(duty.worst),
        }
    }

    fn duty_row(&self, duty: &Duty<'_>) -> Row {
        let record = &duty.first.record;
        let mut known = std::collections::BTreeSet::new();
        let places: Vec<String> = record
            .evidence
            .iter()
            .map(|evidence| match &evidence.file {
                Some(file) => self.line(&view::at(file, evidence.line)),
                None => self.line(&clip(&evidence.reference, 90)),
            })
            .filter(|place| known.insert(place.clone()))
            .take(3)
            .collect();
        let mut title = self.line(&record.title);
        if duty.systems > 1 {
            title = format!(
                "{title} ({})",
                self.messages
                    .count(engine_messages::Counted::CountSystems, duty.systems as u64)
            );
        }
        Row::from(vec![
            Cell::toned(words::status_tone(duty.worst), words::status(self.messages, duty.worst)),
            Cell::text(self.line(&record.article)),
            Cell::text(title),
            Cell::text(self.messages.decimal(duty.weight)),
            if places.is_empty() {
                Cell::text("–")
            } else {
                Cell::spans(vec![Span::code(places.join("\n"))])
            },
        ])
    }
}

/// The duties in force, each once over all systems: gaps first, what was not evaluated last.
fn duties<'a>(obligations: &'a [ProjectObligation], terms: &[ScoreTerm]) -> Vec<Duty<'a>> {
    let mut duties: BTreeMap<&str, Duty<'_>> = BTreeMap::new();
    let in_force = |own: &&ProjectObligation| own.record.applies == Applies::Applies && !is_voluntary(&own.record);
    for own in obligations.iter().filter(in_force) {
        let id = own.record.obligation_id.as_str();
        let duty = duties.entry(id).or_insert_with(|| Duty {
            first: own,
            weight: 0.0,
            values: Vec::new(),
            systems: 0,
            worst: own.record.status,
        });
        duty.systems += 1;
        if rank(own.record.status) < rank(duty.worst) {
            duty.worst = own.record.status;
            // What is shown as evidence belongs to the status that is shown.
            duty.first = own;
        }
    }
    for term in terms.iter().filter(|term| term.applies == Applies::Applies) {
        if let Some(duty) = duties.get_mut(term.obligation_id.as_str()) {
            duty.weight = term.weight;
            duty.values.extend(term.value);
        }
    }
    let mut duties: Vec<Duty<'_>> = duties.into_values().collect();
    duties.sort_by_key(|duty| rank(duty.worst));
    duties
}

const fn rank(status: ObligationStatus) -> u8 {
    match status {
        ObligationStatus::Gap => 0,
        ObligationStatus::Incomplete => 1,
        ObligationStatus::Evidenced => 2,
        ObligationStatus::NotEvaluated => 3,
    }
}

/// A number of days as a span of time.
fn jiff_days(days: i64) -> jiff::Span {
    jiff::Span::new().days(days)
}
