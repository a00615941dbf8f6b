//! What was seen of live endpoints, and the passports of agents.

use engine_messages::Key;
use engine_pdf::{Block, Cell, Column, Row, Span, Table, Tone};

use super::cover::moment;
use super::{CategoryFacts, EvaluationFacts, Page, PassportFacts, SignatureState, words};

/// Evaluations with a table of their own.
const EVALUATIONS_MAX: usize = 5;

/// Passports in the table.
const PASSPORTS_MAX: usize = 100;

impl Page<'_> {
    pub(super) fn evaluations(&mut self) {
        self.heading(1, self.messages.text(Key::EvalsHeading));
        if self.facts.evaluations.is_empty() {
            self.paragraph(self.messages.text(Key::EvalsNone));
            return;
        }
        let facts = self.facts;
        for evaluation in facts.evaluations.iter().take(EVALUATIONS_MAX) {
            self.evaluation(evaluation);
        }
    }

    fn evaluation(&mut self, run: &EvaluationFacts) {
        let messages = self.messages;
        // What follows a question mark can be a key.
        let target = run.target.split(['?', '#']).next().unwrap_or_default();
        let mut text = messages.fill(
            Key::EvalsIntro,
            &[
                ("target", target),
                ("time", &moment(&run.timestamp)),
                ("passed", &messages.number(run.passed)),
                ("judged", &messages.number(run.passed + run.failed)),
            ],
        );
        let mut add = |sentence: &str| {
            text.push(' ');
            text.push_str(sentence);
        };
        match run.score {
            Some(score) => add(&messages.fill(Key::EvalsScore, &[("score", &messages.decimal(score))])),
            None => add(messages.text(Key::EvalsScoreNone)),
        }
        if run.without_verdict > 0 {
            let count = messages.number(run.without_verdict);
            add(&messages.fill(Key::EvalsWithout, &[("count", &count)]));
        }
        if !run.complete {
            add(messages.text(Key::EvalsPartial));
        }
        self.paragraph(&text);
        let text = |key| messages.text(key).to_owned();
        let rows: Vec<Row> = run.categories.iter().map(|category| self.category(category)).collect();
        if rows.is_empty() {
            return;
        }
        self.blocks.push(Block::Table(Table {
            caption: text(Key::EvalsCaption),
            columns: vec![
                Column::left(3.0),
                Column::right(1.0),
                Column::right(1.0),
                Column::right(1.8),
                Column::right(1.0),
            ],
            header: vec![
                text(Key::EvalsCategory),
                text(Key::EvalsPassed),
                text(Key::EvalsFailed),
                text(Key::EvalsInterval),
                text(Key::EvalsValue),
            ],
            rows,
            row_headers: true,
        }));
    }

    fn category(&self, category: &CategoryFacts) -> Row {
        let messages = self.messages;
        let percent = |share: f64| messages.decimal((share * 100.0).clamp(0.0, 100.0));
        let interval = category.interval.map_or_else(
            || "–".to_owned(),
            |(low, high)| format!("{}–{} %", percent(low), percent(high)),
        );
        let score = category
            .score
            .map_or_else(|| "–".to_owned(), |score| messages.decimal(score));
        Row::from(vec![
            Cell::text(self.line(&category.name)),
            Cell::text(messages.number(category.passed)),
            Cell::text(messages.number(category.failed)),
            Cell::text(interval),
            Cell::text(score),
        ])
    }

    pub(super) fn passports(&mut self) {
        self.heading(1, self.messages.text(Key::PassportsHeading));
        if self.facts.passports.is_empty() {
            self.paragraph(self.messages.text(Key::PassportsNone));
            return;
        }
        let text = |key| self.messages.text(key).to_owned();
        let rows = self
            .facts
            .passports
            .iter()
            .take(PASSPORTS_MAX)
            .map(|one| self.passport(one));
        let table = Table {
            caption: text(Key::PassportsCaption),
            columns: vec![
                Column::left(3.0),
                Column::left(1.0),
                Column::left(2.4),
                Column::right(1.0),
                Column::left(1.8),
            ],
            header: vec![
                text(Key::PassportsAgent),
                text(Key::PassportsAutonomy),
                text(Key::PassportsClass),
                text(Key::PassportsCompleteness),
                text(Key::PassportsSignature),
            ],
            rows: rows.collect(),
            row_headers: true,
        };
        self.blocks.push(Block::Table(table));
        self.more(self.facts.passports.len(), PASSPORTS_MAX);
    }

    fn passport(&self, passport: &PassportFacts) -> Row {
        let (signature, tone) = match passport.signature {
            SignatureState::Valid => (Key::PassportsSignatureValid, Tone::Green),
            SignatureState::Tampered => (Key::PassportsSignatureTampered, Tone::Red),
            SignatureState::UnknownKey => (Key::PassportsSignatureUnknown, Tone::Amber),
            SignatureState::None => (Key::PassportsSignatureNone, Tone::Grey),
        };
        Row::from(vec![
            Cell::spans(vec![Span::text(self.line(&passport.name))]),
            Cell::text(
                passport
                    .autonomy
                    .map_or_else(|| "–".to_owned(), |level| format!("L{level}")),
            ),
            Cell::toned(
                words::class_tone(&passport.risk_class),
                words::class(self.messages, &passport.risk_class),
            ),
            Cell::text(format!("{} %", self.messages.decimal(passport.completeness))),
            Cell::toned(tone, self.messages.text(signature)),
        ])
    }
}
