//! Findings: what to fix now with its code, then gaps, notices, evidence and what people suppressed, each grouped by problem.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use engine_messages::{Counted, Key};
use engine_model::{Action, ActionKind, Finding, FindingType};
use engine_pdf::{Block, Cell, Code, Column, Row, Span, Table};

use super::{Page, words};
use crate::sentences::{brief, sentence};
use crate::view;

/// Things to fix now that have a text and code of their own.
const URGENT_MAX: usize = 25;

/// The same in the short edition, without code.
const URGENT_SHORT_MAX: usize = 10;

/// Groups of gaps with code of their own.
const SHOWN_MAX: usize = 12;

/// Rows of a table of groups.
const GROUPS_MAX: usize = 100;

/// Places named in a group.
const PLACES_MAX: usize = 6;

/// Characters of a text in a table.
const TEXT_CHARS: usize = 220;

/// Lines of code around a place.
const CODE_LINES_MAX: usize = 9;

/// Findings of one problem.
type Group<'a> = Vec<&'a Finding>;

impl Page<'_> {
    pub(super) fn findings(&mut self) {
        self.heading(1, self.messages.text(Key::FindingsHeading));
        let scan = self.scan;
        let total = self.messages.count(Counted::CountFindings, scan.findings.len() as u64);
        let text = self.messages.fill(Key::FindingsTotal, &[("findings", &total)]);
        self.paragraph(&text);
        let urgent = self.urgent();
        if self.is_short() {
            self.paragraph(self.messages.text(Key::FindingsShort));
            return;
        }
        let rest = |kind: FindingType| {
            grouped(
                scan.findings
                    .iter()
                    .filter(|one| one.kind == kind && one.suppressed.is_none() && !urgent.contains(one.id.as_str())),
            )
        };
        self.gaps(&rest(FindingType::Fail));
        self.groups(Key::FindingsLater, &rest(FindingType::Info));
        self.groups(Key::FindingsEvidence, &rest(FindingType::Pass));
        self.suppressed();
    }

    /// What to fix now; returns the ids of these findings.
    fn urgent(&mut self) -> BTreeSet<String> {
        self.heading(2, self.messages.text(Key::FindingsFixNow));
        let actions: Vec<Action> = self
            .view
            .actions
            .iter()
            .filter(|action| action.kind == ActionKind::FixNow)
            .cloned()
            .collect();
        if actions.is_empty() {
            self.paragraph(self.messages.text(Key::FindingsNone));
        }
        let by_id: BTreeMap<&str, &Finding> = self.scan.findings.iter().map(|one| (one.id.as_str(), one)).collect();
        let most = if self.is_short() { URGENT_SHORT_MAX } else { URGENT_MAX };
        for action in actions.iter().take(most) {
            self.urgent_action(action, &by_id);
        }
        self.more(actions.len(), most);
        actions.into_iter().flat_map(|action| action.findings).collect()
    }

    fn urgent_action(&mut self, action: &Action, by_id: &BTreeMap<&str, &Finding>) {
        let title = self.line(&format!("{}. {}", action.rank, action.title));
        self.heading(3, title);
        self.paragraph(&sentence(&action.why));
        if !action.how.is_empty() {
            let text = self.messages.fill(Key::FindingsDo, &[("text", &sentence(&action.how))]);
            self.paragraph(&text);
        }
        let places: Vec<String> = action.place.iter().chain(&action.places).cloned().collect();
        self.places_line(&places);
        if !self.is_short()
            && let Some(finding) = action
                .findings
                .iter()
                .find_map(|id| by_id.get(id.as_str()).filter(|finding| finding.code_context.is_some()))
        {
            self.code(finding);
        }
    }

    fn places_line(&mut self, places: &[String]) {
        if places.is_empty() {
            return;
        }
        let text = self.messages.fill(Key::FindingsAt, &[("text", &self.places(places))]);
        self.paragraph(&text);
    }

    fn places(&self, places: &[String]) -> String {
        let mut named: Vec<String> = places
            .iter()
            .take(PLACES_MAX)
            .map(|place| format!("`{}`", place.replace('`', "'")))
            .collect();
        if places.len() > PLACES_MAX {
            let count = self.messages.number((places.len() - PLACES_MAX) as u64);
            named.push(self.messages.fill(Key::CountMore, &[("count", &count)]));
        }
        named.join(", ")
    }

    /// The lines around a finding.
    fn code(&mut self, finding: &Finding) {
        let Some(context) = &finding.code_context else { return };
        let marked = context
            .lines
            .iter()
            .position(|line| line.num == context.highlight_line)
            .unwrap_or_default();
        let first = marked.saturating_sub(CODE_LINES_MAX / 2);
        let lines = context.lines.iter().skip(first).take(CODE_LINES_MAX);
        let start = context.lines.get(first).map_or(context.start_line, |line| line.num);
        let code = Code {
            file: self.line(finding.file.as_deref().unwrap_or_default()),
            start_line: start,
            lines: lines.map(|line| self.code_line(&line.content)).collect(),
            highlight: Some(context.highlight_line),
        };
        if !code.lines.is_empty() {
            self.blocks.push(Block::Code(code));
        }
    }

    /// A line of code keeps its indent.
    fn code_line(&self, line: &str) -> String {
        let indent = line.len() - line.trim_start().len();
        let spaces: String = line
            .chars()
            .take_while(|c| c.is_whitespace())
            .map(|c| if c == '\t' { "    " } else { " " })
            .collect();
        format!("{spaces}{}", self.line(line.get(indent..).unwrap_or_default()))
    }

    fn gaps(&mut self, groups: &[Group<'_>]) {
        self.heading(2, self.messages.text(Key::FindingsForce));
        if groups.is_empty() {
            self.paragraph(self.messages.text(Key::FindingsNone));
            return;
        }
        for group in groups.iter().take(SHOWN_MAX) {
            self.gap(group);
        }
        if groups.len() > SHOWN_MAX {
            self.table(groups.get(SHOWN_MAX..).unwrap_or_default());
        }
    }

    fn gap(&mut self, group: &[&Finding]) {
        let Some(first) = group.first() else { return };
        self.heading(3, self.line(&first.title));
        let severity = words::severity(self.messages, first.severity);
        let law = view::provision(first, self.scan.as_of).map_or_else(String::new, |law| format!(", {law}"));
        let mut spans = vec![Span::strong(format!("{severity}{law}: "))];
        spans.extend(self.spans(&sentence(&first.message)));
        self.blocks.push(Block::Paragraph(spans));
        if let Some(fix) = &first.fix {
            let text = self.messages.fill(Key::FindingsDo, &[("text", &sentence(fix))]);
            self.paragraph(&text);
        }
        self.places_line(&places_of(group));
        if let Some(with_code) = group.iter().find(|finding| finding.code_context.is_some()) {
            self.code(with_code);
        }
    }

    fn groups(&mut self, title: Key, groups: &[Group<'_>]) {
        self.heading(2, self.messages.text(title));
        if groups.is_empty() {
            self.paragraph(self.messages.text(Key::FindingsNone));
        } else {
            self.table(groups);
        }
    }

    fn table(&mut self, groups: &[Group<'_>]) {
        let text = |key| self.messages.text(key).to_owned();
        let rows = groups.iter().take(GROUPS_MAX).filter_map(|group| self.row(group));
        let table = Table {
            caption: String::new(),
            columns: vec![
                Column::left(1.4),
                Column::left(5.2),
                Column::left(1.5),
                Column::left(2.4),
            ],
            header: vec![
                text(Key::FindingsSeverity),
                text(Key::FindingsGroup),
                text(Key::FindingsLaw),
                text(Key::FindingsPlaces),
            ],
            rows: rows.collect(),
            row_headers: false,
        };
        self.blocks.push(Block::Table(table));
        if groups.len() > GROUPS_MAX {
            let left = groups.get(GROUPS_MAX..).unwrap_or_default();
            let findings: usize = left.iter().map(Vec::len).sum();
            let text = self.messages.fill(
                Key::FindingsCut,
                &[
                    ("groups", &self.messages.number(left.len() as u64)),
                    (
                        "findings",
                        &self.messages.count(Counted::CountFindings, findings as u64),
                    ),
                ],
            );
            self.paragraph(&text);
        }
    }

    fn row(&self, group: &[&Finding]) -> Option<Row> {
        let first = group.first()?;
        let mut problem = vec![Span::strong(format!(
            "{}. ",
            self.line(first.title.trim_end_matches('.'))
        ))];
        problem.extend(self.spans(&brief(&sentence(&first.message), TEXT_CHARS)));
        let places = places_of(group);
        let mut spans = Vec::new();
        for place in places.iter().take(PLACES_MAX) {
            if !spans.is_empty() {
                spans.push(Span::text("\n"));
            }
            spans.push(Span::code(self.line(place)));
        }
        if spans.is_empty() {
            spans.push(Span::text(self.messages.text(Key::FindingsProject)));
        }
        if places.len() > PLACES_MAX {
            let count = self.messages.number((places.len() - PLACES_MAX) as u64);
            let more = self.messages.fill(Key::CountMore, &[("count", &count)]);
            spans.push(Span::text(format!("\n{more}")));
        }
        let severity = words::severity(self.messages, first.severity);
        let evidence = first.kind == FindingType::Pass;
        Some(Row::from(vec![
            if evidence {
                Cell::toned(engine_pdf::Tone::Green, self.messages.text(Key::StatusEvidenced))
            } else {
                Cell::toned(words::severity_tone(first.severity), severity)
            },
            Cell::spans(problem),
            Cell::text(
                first
                    .explanation
                    .as_ref()
                    .map_or_else(|| "–".to_owned(), |law| self.line(&law.article)),
            ),
            Cell::spans(spans),
        ]))
    }

    fn suppressed(&mut self) {
        let suppressed = std::mem::take(&mut self.view.set_aside);
        if !suppressed.is_empty() {
            let text = |key| self.messages.text(key).to_owned();
            self.heading(2, text(Key::FindingsSuppressed));
            let rows = suppressed.iter().take(GROUPS_MAX).filter_map(|finding| {
                let why = finding.suppressed.as_ref()?;
                let kind = if why.kind == "accepted_risk" {
                    Key::FindingsAccepted
                } else {
                    Key::FindingsFalse
                };
                let reason = match &why.owner {
                    Some(owner) => format!("{}: {} ({owner})", text(kind), why.reason),
                    None => format!("{}: {}", text(kind), why.reason),
                };
                Some(Row::from(vec![
                    Cell::text(self.line(&finding.title)),
                    Cell::spans(vec![Span::code(self.line(&view::place(finding).unwrap_or_default()))]),
                    Cell::spans(self.spans(&reason)),
                ]))
            });
            let table = Table {
                caption: String::new(),
                columns: vec![Column::left(2.0), Column::left(2.4), Column::left(3.6)],
                header: vec![
                    text(Key::FindingsGroup),
                    text(Key::FindingsPlaces),
                    text(Key::FindingsReason),
                ],
                rows: rows.collect(),
                row_headers: false,
            };
            self.blocks.push(Block::Table(table));
            self.more(suppressed.len(), GROUPS_MAX);
        }
        self.view.set_aside = suppressed;
    }
}

/// Groups findings of one check with one title and one advice, the gravest groups first.
fn grouped<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(&str, &str, Option<&str>), Group<'a>> = BTreeMap::new();
    for finding in findings {
        let key = (
            finding.check_id.as_str(),
            finding.title.as_str(),
            finding.fix.as_deref(),
        );
        groups.entry(key).or_default().push(finding);
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().collect();
    for group in &mut groups {
        group.sort_by_key(|finding| (Reverse(finding.severity), finding.file.as_deref(), finding.line));
    }
    groups.sort_by_key(|group| {
        group.first().map(|first| {
            (
                Reverse(first.severity),
                Reverse(group.len()),
                first.check_id.as_str(),
                first.title.as_str(),
            )
        })
    });
    groups
}

/// The places of a group, each once.
fn places_of(group: &[&Finding]) -> Vec<String> {
    let mut known = BTreeSet::new();
    group
        .iter()
        .filter_map(|finding| view::place(finding))
        .filter(|place| known.insert(place.clone()))
        .collect()
}
