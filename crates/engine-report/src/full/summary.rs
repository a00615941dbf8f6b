//! The summary for management: what was found, where the project is, and what to do first.

use engine_messages::{Counted, Key};
use engine_model::{Action, ActionKind, Applicability, CallKind, GateVerdict, Zone};
use engine_pdf::{Block, Callout, Fact, List, Span, Tone};

use super::Page;
use crate::badge::Standing;
use crate::compliance_md::next;
use crate::sentences::brief;

/// Things to do that are named.
const FIRST_MAX: usize = 5;

/// Characters of one of them.
const FIRST_CHARS: usize = 180;

impl Page<'_> {
    pub(super) fn summary(&mut self) {
        self.heading(1, self.messages.text(Key::SummaryHeading));
        let facts = self.numbers();
        self.blocks.push(Block::Facts(facts));
        let found = self.found();
        self.paragraph(&found);
        for cap in &self.scan.score.caps {
            let reason = self.line(&cap.reason);
            let sentence = self.messages.fill(
                Key::SummaryCaps,
                &[
                    ("cap", &self.messages.decimal(cap.cap)),
                    ("reason", reason.trim_end_matches('.')),
                ],
            );
            self.paragraph(&sentence);
        }
        self.gate();
        self.heading(2, self.messages.text(Key::SummaryFirst));
        let items: Vec<Vec<Span>> = self
            .view
            .actions
            .iter()
            .take(FIRST_MAX)
            .map(|action| self.first(action))
            .collect();
        if items.is_empty() {
            self.paragraph(self.messages.text(Key::SummaryFirstNone));
        } else {
            self.blocks.push(Block::List(List { ordered: true, items }));
        }
        if !self.is_short() {
            // The summary is a page that can be handed on alone.
            self.blocks.push(Block::PageBreak);
        }
    }

    fn numbers(&self) -> Vec<Fact> {
        let (messages, score) = (self.messages, &self.scan.score);
        let text = |key| messages.text(key).to_owned();
        let counts = [
            ("evaluated", messages.number(score.evaluated)),
            ("all", messages.number(score.applicable)),
        ];
        let counts: Vec<(&str, &str)> = counts.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let standing = Standing::of(self.scan);
        let (readiness, tone) = match standing {
            Standing::Rated(number) => (
                messages.fill(Key::SummaryReadinessValue, &[("score", &messages.decimal(number))]),
                tone(number, score.critical_cap_applied),
            ),
            Standing::NotAssessed => (messages.fill(Key::SummaryNotAssessed, &counts), Tone::Grey),
            Standing::Partly => (messages.fill(Key::SummaryScoreFew, &counts), Tone::Grey),
            Standing::NoAi | Standing::Library => (text(Key::SummaryNothing), Tone::Grey),
            Standing::Undetermined => (text(Key::BadgeUndetermined), Tone::Grey),
        };
        let mut facts = vec![Fact::toned(tone, text(Key::SummaryReadiness), readiness)];
        if let (Standing::Rated(_), Some(grade)) = (standing, &score.grade) {
            let value = messages.fill(
                Key::SummaryScoreValue,
                &[("score", &messages.decimal(score.compliance)), ("grade", grade)],
            );
            facts.push(Fact::new(text(Key::SummaryScore), value));
        }
        facts.push(Fact::new(
            text(Key::SummarySystems),
            messages.number(self.scan.systems.len() as u64),
        ));
        let urgent = self
            .view
            .actions
            .iter()
            .filter(|action| action.kind == ActionKind::FixNow)
            .count();
        let urgent_tone = if urgent > 0 { Tone::Red } else { Tone::Grey };
        facts.push(Fact::toned(
            urgent_tone,
            text(Key::SummaryFixNow),
            messages.number(urgent as u64),
        ));
        facts.push(Fact::new(
            text(Key::SummaryQuestions),
            messages.number(self.view.questions.len() as u64),
        ));
        let next = next(self.scan).map_or_else(
            || text(Key::SummaryNextNone),
            |(date, number)| {
                let count = messages.count(Counted::CountDuties, number);
                messages.fill(
                    Key::SummaryNextValue,
                    &[("date", &messages.date(date)), ("count", &count)],
                )
            },
        );
        facts.push(Fact::new(text(Key::SummaryNext), next));
        facts
    }

    fn found(&self) -> String {
        let messages = self.messages;
        let files = messages.count(Counted::CountFiles, self.scan.files_scanned);
        let key = match self.scan.applicability {
            Applicability::SystemsFound => {
                let calls = self.scan.inventory.calls.iter();
                let calls = calls
                    .filter(|call| call.zone == Zone::Product && call.kind == CallKind::Call)
                    .count();
                return messages.fill(
                    Key::SummaryFoundSystems,
                    &[
                        (
                            "systems",
                            &messages.count(Counted::CountSystems, self.scan.systems.len() as u64),
                        ),
                        ("calls", &messages.count(Counted::CountCalls, calls as u64)),
                        ("files", &files),
                    ],
                );
            }
            Applicability::NoAiFound => Key::SummaryFoundNone,
            Applicability::Library => Key::SummaryFoundLibrary,
            Applicability::Undetermined => Key::SummaryFoundUndetermined,
        };
        messages.fill(key, &[("files", &files)])
    }

    fn gate(&mut self) {
        let Some(gate) = &self.scan.gate else { return };
        let reasons = self.line(&gate.reasons.join("; "));
        let reasons = reasons.trim_start_matches("not assessed: ").trim_end_matches('.');
        let (key, tone) = match gate.verdict {
            // A gate looks at thresholds only, so a pass says nothing about what is left to do.
            GateVerdict::Passed => (Key::SummaryGatePassed, Tone::Blue),
            GateVerdict::Failed => (Key::SummaryGateFailed, Tone::Red),
            GateVerdict::NotAssessed => (Key::SummaryGateNotAssessed, Tone::Grey),
        };
        let text = self.messages.fill(key, &[("reasons", reasons)]);
        self.blocks.push(Block::Callout(Callout {
            tone,
            title: self.messages.text(Key::SummaryGate).to_owned(),
            text: self.spans(&text),
        }));
    }

    fn first(&self, action: &Action) -> Vec<Span> {
        let mut spans = vec![Span::strong(self.line(&action.title))];
        if let Some(place) = &action.place {
            spans.push(Span::text(" ("));
            spans.push(Span::code(self.line(place)));
            spans.push(Span::text(")"));
        }
        let what = if action.how.is_empty() {
            &action.why
        } else {
            &action.how
        };
        if !what.is_empty() {
            spans.push(Span::text(": "));
            spans.extend(self.spans(&brief(what, FIRST_CHARS)));
        }
        spans
    }
}

/// The tone of a number; an open prohibited practice is red whatever the number.
fn tone(score: f64, capped: bool) -> Tone {
    match score {
        _ if capped => Tone::Red,
        score if score >= 80.0 => Tone::Green,
        score if score >= 50.0 => Tone::Amber,
        _ => Tone::Red,
    }
}
