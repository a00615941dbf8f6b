//! The AI systems with role and class, and what each rests on.

use engine_messages::Key;
use engine_model::{Applies, ObligationStatus, System};
use engine_pdf::{Block, Cell, Column, Row, Span, Table};

use super::{Page, words};
use crate::actions::is_voluntary;
use crate::sentences::sentence;
use crate::view;

/// Systems with a text of their own.
const DETAILED_MAX: usize = 30;

/// Systems in the table.
const ROWS_MAX: usize = 200;

/// Models and entry points named per system.
const NAMED_MAX: usize = 6;

impl Page<'_> {
    pub(super) fn systems(&mut self) {
        self.heading(1, self.messages.text(Key::SystemsHeading));
        if self.scan.systems.is_empty() {
            self.paragraph(self.messages.text(Key::SystemsNone));
            return;
        }
        let text = |key| self.messages.text(key).to_owned();
        let rows = self
            .scan
            .systems
            .iter()
            .take(ROWS_MAX)
            .map(|system| self.system_row(system));
        let table = Table {
            caption: text(Key::SystemsCaption),
            columns: vec![
                Column::left(2.0),
                Column::left(1.4),
                Column::left(2.4),
                Column::left(3.6),
                Column::left(1.8),
            ],
            header: vec![
                text(Key::SystemsName),
                text(Key::SystemsRole),
                text(Key::SystemsClass),
                text(Key::SystemsModels),
                text(Key::SystemsDuties),
            ],
            rows: rows.collect(),
            row_headers: true,
        };
        self.blocks.push(Block::Table(table));
        self.more(self.scan.systems.len(), ROWS_MAX);
        if self.is_short() {
            return;
        }
        for system in self.scan.systems.iter().take(DETAILED_MAX) {
            self.system(system);
        }
        self.more(self.scan.systems.len(), DETAILED_MAX);
    }

    /// How many are not shown, if any.
    pub(super) fn more(&mut self, all: usize, most: usize) {
        if all > most {
            let count = self.messages.number((all - most) as u64);
            let text = self.messages.fill(Key::CountMore, &[("count", &count)]);
            self.paragraph(&text);
        }
    }

    fn system_row(&self, system: &System) -> Row {
        let class = words::class(self.messages, &system.risk_class).to_owned();
        // The view marks a low class that open questions can change.
        let provisional = self.view.class(system) != system.risk_class;
        let class = if provisional {
            self.messages.fill(Key::SystemsProvisional, &[("class", &class)])
        } else {
            class
        };
        let models: Vec<String> = view::used(self.scan, system).iter().map(view::Used::describe).collect();
        Row::from(vec![
            Cell::spans(vec![Span::strong(self.line(&system.name))]),
            Cell::text(self.line(words::role(self.messages, &system.role))),
            Cell::toned(words::class_tone(&system.risk_class), class),
            Cell::text(self.listed(&models)),
            Cell::text(self.tally(system)),
        ])
    }

    /// Names in a row, the first of them.
    fn listed(&self, names: &[String]) -> String {
        let mut shown: Vec<String> = names.iter().take(NAMED_MAX).map(|name| self.line(name)).collect();
        if names.len() > NAMED_MAX {
            let count = self.messages.number((names.len() - NAMED_MAX) as u64);
            shown.push(self.messages.fill(Key::CountMore, &[("count", &count)]));
        }
        shown.join(", ")
    }

    fn tally(&self, system: &System) -> String {
        let count = |status: ObligationStatus| {
            system
                .obligations
                .iter()
                .filter(|record| record.applies == Applies::Applies && record.status == status && !is_voluntary(record))
                .count()
        };
        let parts: Vec<String> = [
            ObligationStatus::Gap,
            ObligationStatus::Incomplete,
            ObligationStatus::Evidenced,
            ObligationStatus::NotEvaluated,
        ]
        .into_iter()
        .map(|status| (count(status), status))
        .filter(|(number, _)| *number > 0)
        .map(|(number, status)| format!("{number} {}", words::status(self.messages, status)))
        .collect();
        if parts.is_empty() {
            "0".to_owned()
        } else {
            parts.join(", ")
        }
    }

    fn system(&mut self, system: &System) {
        self.heading(2, self.line(&system.name));
        let mut lines: Vec<(Key, String)> = Vec::new();
        if let Some(purpose) = &system.purpose {
            lines.push((Key::SystemsPurpose, sentence(purpose)));
        }
        let scope = if system.scope.is_empty() {
            self.messages.text(Key::SystemsScopeAll).to_owned()
        } else {
            format!("`{}`", system.scope)
        };
        lines.push((Key::SystemsScope, scope));
        lines.push((Key::SystemsRoleBasis, sentence(&system.role_basis)));
        lines.push((Key::SystemsClassBasis, sentence(&system.risk_basis)));
        let entries: Vec<String> = system
            .entry_points
            .iter()
            .map(|entry| {
                let place = view::at(&entry.file, Some(entry.line));
                // A program is named by its file.
                if entry.name == entry.file {
                    place
                } else {
                    format!("{} ({place})", entry.name)
                }
            })
            .collect();
        if !entries.is_empty() {
            lines.push((Key::SystemsEntries, self.listed(&entries)));
        }
        let flow = view::flow(self.scan, system, true);
        if !flow.is_empty() {
            lines.push((Key::SystemsFlow, flow));
        }
        let items = lines
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(key, text)| self.spans(&self.messages.fill(key, &[("text", &text)])))
            .collect();
        self.blocks
            .push(Block::List(engine_pdf::List { ordered: false, items }));
    }
}
