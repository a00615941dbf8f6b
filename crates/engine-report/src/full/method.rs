//! Method and limits, and the glossary.

use engine_messages::{Counted, Key, Language};
use engine_pdf::{Block, Cell, Column, Row, Table};

use super::Page;
use crate::{external, view};

/// Skipped files that are named.
const SKIPPED_MAX: usize = 25;

impl Page<'_> {
    pub(super) fn method(&mut self) {
        let (messages, scan) = (self.messages, self.scan);
        self.heading(1, messages.text(Key::MethodHeading));
        self.paragraph(messages.text(Key::MethodAdvice));
        let read = messages.fill(
            Key::MethodRead,
            &[
                ("files", &messages.count(Counted::CountFiles, scan.files_scanned)),
                (
                    "skipped",
                    &messages.count(Counted::CountFiles, scan.files_skipped_total),
                ),
            ],
        );
        self.paragraph(&read);
        self.paragraph(messages.text(Key::MethodStatic));
        self.tools();
        let law = messages.fill(
            Key::MethodLaw,
            &[
                ("version", &scan.regulation_version),
                ("date", &messages.date(scan.as_of)),
            ],
        );
        self.paragraph(&law);
        self.paragraph(messages.text(Key::MethodAnswers));
        self.paragraph(messages.text(Key::MethodConfidence));
        if messages.language() != Language::En {
            self.paragraph(messages.text(Key::MethodLanguage));
        }
        self.paragraph(&scan.disclaimer);
        if self.is_short() || scan.files_skipped.is_empty() {
            return;
        }
        self.heading(2, messages.text(Key::MethodSkipped));
        let items = scan
            .files_skipped
            .iter()
            .take(SKIPPED_MAX)
            .map(|skipped| {
                vec![
                    engine_pdf::Span::code(self.line(&skipped.path)),
                    engine_pdf::Span::text(format!(
                        ": {}{}",
                        view::skip_words(skipped.reason),
                        view::lines_of(skipped)
                    )),
                ]
            })
            .collect();
        self.blocks
            .push(Block::List(engine_pdf::List { ordered: false, items }));
        let all = usize::try_from(scan.files_skipped_total).unwrap_or(usize::MAX);
        self.more(all, SKIPPED_MAX);
    }

    /// The external tools that ran, or why they did not.
    fn tools(&mut self) {
        let (messages, scan) = (self.messages, self.scan);
        if scan.tools.is_empty() {
            return;
        }
        self.heading(2, messages.text(Key::ToolsHeading));
        self.paragraph(messages.text(Key::ToolsIntro));
        self.blocks.push(Block::Table(Table {
            caption: String::new(),
            columns: vec![Column::left(1.6), Column::left(1.4), Column::left(5.0)],
            header: [Key::ToolsName, Key::ToolsVersion, Key::ToolsOutcome]
                .map(|key| messages.text(key).to_owned())
                .to_vec(),
            rows: scan
                .tools
                .iter()
                .map(|tool| {
                    Row::from(vec![
                        Cell::text(self.line(&tool.name)),
                        Cell::text(self.line(&tool.version)),
                        Cell::text(self.line(&external::outcome(tool, messages))),
                    ])
                })
                .collect(),
            row_headers: true,
        }));
    }

    pub(super) fn glossary(&mut self) {
        let messages = self.messages;
        self.heading(1, messages.text(Key::GlossaryHeading));
        let rows = [
            (Key::RoleProvider, Key::GlossaryProvider),
            (Key::RoleDeployer, Key::GlossaryDeployer),
            (Key::ClassHigh, Key::GlossaryHigh),
            (Key::GlossaryEvidenceTerm, Key::GlossaryEvidence),
            (Key::GlossaryGapTerm, Key::GlossaryGap),
            (Key::GlossaryReadinessTerm, Key::GlossaryReadiness),
            (Key::GlossaryHeadTerm, Key::GlossaryHead),
            (Key::GlossaryIntervalTerm, Key::GlossaryInterval),
        ];
        self.blocks.push(Block::Table(Table {
            caption: String::new(),
            columns: vec![Column::left(2.0), Column::left(6.0)],
            header: vec![
                messages.text(Key::GlossaryTerm).to_owned(),
                messages.text(Key::GlossaryMeaning).to_owned(),
            ],
            rows: rows
                .into_iter()
                .map(|(term, meaning)| {
                    Row::from(vec![
                        Cell::text(messages.text(term)),
                        Cell::text(messages.text(meaning)),
                    ])
                })
                .collect(),
            row_headers: true,
        }));
    }
}
