//! The questions that only a person can answer.

use engine_messages::Key;
use engine_pdf::{Block, Cell, Column, Row, Span, Table};

use super::Page;
use crate::sentences::brief;

/// Questions in the table.
const QUESTIONS_MAX: usize = 80;

/// Characters of a text.
const TEXT_CHARS: usize = 260;

impl Page<'_> {
    pub(super) fn questions(&mut self) {
        self.heading(1, self.messages.text(Key::QuestionsHeading));
        if self.view.questions.is_empty() {
            self.paragraph(self.messages.text(Key::QuestionsNone));
            return;
        }
        self.paragraph(self.messages.text(Key::QuestionsIntro));
        let text = |key| self.messages.text(key).to_owned();
        let rows = self
            .view
            .questions
            .iter()
            .take(QUESTIONS_MAX)
            .enumerate()
            .map(|(index, open)| {
                let question = &open.question;
                let mut spans = vec![Span::strong(self.line(&question.text))];
                let about = self.view.about(open);
                if !about.is_empty() {
                    spans.push(Span::text(format!(" ({})", self.line(&about))));
                }
                if !question.why.is_empty() {
                    spans.push(Span::text(" "));
                    spans.extend(self.spans(&brief(&question.why, TEXT_CHARS)));
                }
                if let Some(likely) = &question.suggestion {
                    let value = format!("{} ({})", likely.value, likely.because.trim_end_matches('.'));
                    spans.push(Span::text(" "));
                    spans.extend(self.spans(&self.messages.fill(Key::QuestionsLikely, &[("value", &value)])));
                }
                Row::from(vec![
                    Cell::text(format!("Q{}", index + 1)),
                    Cell::spans(spans),
                    Cell::spans(self.spans(&brief(&question.effect, TEXT_CHARS))),
                ])
            });
        let table = Table {
            caption: text(Key::QuestionsCaption),
            columns: vec![Column::left(0.7), Column::left(5.0), Column::left(3.2)],
            header: vec![
                text(Key::QuestionsNumber),
                text(Key::QuestionsQuestion),
                text(Key::QuestionsEffect),
            ],
            rows: rows.collect(),
            row_headers: true,
        };
        self.blocks.push(Block::Table(table));
        self.more(self.view.questions.len(), QUESTIONS_MAX);
    }
}
