//! The profile as it was read.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::Date;

use crate::questions::Scope;
use crate::value::Value;
use crate::{ALL_SYSTEMS, ORGANISATION};

/// Everything that the profile states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Answers about the organisation, by question.
    pub organisation: BTreeMap<String, Answer>,
    /// Evidence for every system.
    pub organisation_evidence: Vec<StatedEvidence>,
    /// Answers for every system without a separate answer, by question.
    pub all: BTreeMap<String, Answer>,
    /// What is stated about single systems, by id.
    pub systems: BTreeMap<String, SystemProfile>,
    /// Folders and files that are not part of a product.
    pub left_out: Vec<LeftOut>,
    /// Entries that were read but may be mistakes.
    pub warnings: Vec<Warning>,
}

/// What is stated about one system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemProfile {
    /// The name that the owner gave it.
    pub name: Option<String>,
    /// The files that belong to it, where the owner states them.
    pub drawing: Option<Drawing>,
    /// Answers, by question.
    pub answers: BTreeMap<String, Answer>,
    /// Evidence outside the repository.
    pub evidence: Vec<StatedEvidence>,
}

/// What belongs to a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Folders and files, relative to the project; the longest match decides.
    pub paths: Vec<String>,
    /// Why these files belong to the system.
    pub why: Option<String>,
    /// Where it is written.
    pub place: Place,
}

/// A folder or file that is not part of a product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The folder or file, relative to the project.
    pub path: String,
    /// Why.
    pub why: String,
    /// Who decided.
    pub by: Option<String>,
    /// Where it is written.
    pub place: Place,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value.
    pub value: Value,
    /// Who answered.
    pub by: Option<String>,
    /// When.
    pub on: Option<Date>,
    /// The reason that the person gave.
    pub why: Option<String>,
    /// The last day on which the answer counts.
    pub until: Option<Date>,
    /// The facts in code on which it was given; none where it was written by hand.
    pub seen: Option<BTreeSet<String>>,
    /// Where it is written.
    pub place: Place,
}

impl Answer {
    /// Whether its time is over.
    pub fn is_expired(&self, as_of: Date) -> bool {
        self.until.is_some_and(|until| until < as_of)
    }

    /// The last day on which a practice that was excluded counts as screened: the end that was given, else twelve months.
    pub fn screened_until(&self) -> Option<Date> {
        let year = |on: Date| on.saturating_add(jiff::Span::new().months(12));
        self.until.or(self.on.map(year))
    }

    /// Who answered and when, as the end of a sentence: `by A. Person on 2026-11-28`.
    pub fn by_and_on(&self) -> String {
        let by = self.by.as_deref().unwrap_or("an unnamed person");
        match self.on {
            Some(on) => format!("by {by} on {on}"),
            None => format!("by {by}"),
        }
    }
}

/// Evidence outside the repository for an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedEvidence {
    /// The obligation, `OBL-<number>`.
    pub obligation: String,
    /// Where it is kept, and what it is.
    pub reference: String,
    /// Who states it.
    pub by: String,
    /// When.
    pub on: Date,
    /// The last day on which it counts.
    pub until: Date,
    /// Where it is written.
    pub place: Place,
}

/// A place in the file, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column in characters.
    pub column: u32,
}

/// An entry that was read but may be a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What, and what to write instead.
    pub message: String,
}

impl Profile {
    /// Whether it states nothing.
    pub fn is_empty(&self) -> bool {
        self.organisation.is_empty()
            && self.organisation_evidence.is_empty()
            && self.all.is_empty()
            && self.systems.is_empty()
            && self.left_out.is_empty()
    }

    /// The answers that hold for a system: its own, else those for all systems, and those of the organisation.
    pub fn answers_of(&self, system: &str) -> BTreeMap<&str, (&'static str, &Answer)> {
        let mut answers: BTreeMap<&str, (&'static str, &Answer)> = BTreeMap::new();
        for (id, answer) in &self.organisation {
            answers.insert(id, (ORGANISATION, answer));
        }
        for (id, answer) in &self.all {
            answers.insert(id, (ALL_SYSTEMS, answer));
        }
        for (id, answer) in self.systems.get(system).into_iter().flat_map(|own| &own.answers) {
            answers.insert(id, ("system", answer));
        }
        answers
    }

    /// Evidence that holds for a system.
    pub fn evidence_of(&self, system: &str) -> impl Iterator<Item = &StatedEvidence> {
        let own = self.systems.get(system).into_iter().flat_map(|own| &own.evidence);
        own.chain(&self.organisation_evidence)
    }

    /// Whether the owner states which systems there are.
    pub fn draws(&self) -> bool {
        self.systems.values().any(|system| system.drawing.is_some())
    }

    /// Sets an answer, as if it were in the file.
    #[must_use]
    pub fn with(mut self, scope: Scope, system: &str, question: &str, answer: Answer) -> Self {
        let place = match scope {
            Scope::Organisation => &mut self.organisation,
            Scope::System if system == ALL_SYSTEMS => &mut self.all,
            Scope::System => &mut self.systems.entry(system.to_owned()).or_default().answers,
        };
        place.insert(question.to_owned(), answer);
        self
    }
}
