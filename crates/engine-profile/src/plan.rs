//! Which questions are open for a system, in which order they settle most, and what each answer would change.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::Date;
use engine_regulation::{Applies, Condition, LawQuery, regulation};

use crate::facts::{Answers, facts, question_for};
use crate::profile::Answer;
use crate::questions::{Kind, QuestionSpec, Scope, States, question};
use crate::value::{NOT_YET, Value};

/// A likely answer, derived from code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggested {
    /// The value.
    pub value: String,
    /// Why, as a sentence with places.
    pub because: String,
}

/// The status of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It has no answer.
    Open,
    /// The answer was "I do not know".
    Unknown,
    /// It was answered, and the facts in code changed since.
    Reopened,
    /// It was answered, and the answer has expired.
    Expired,
    /// It was answered.
    Answered,
}

impl Status {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Unknown => "unknown",
            Self::Reopened => "reopened",
            Self::Expired => "expired",
            Self::Answered => "answered",
        }
    }
}

/// What one answer would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The answer.
    pub value: String,
    /// Obligations that would come in, each with its first date.
    pub adds: Vec<(&'static str, Date)>,
    /// Obligations that would fall away, or no longer be open.
    pub removes: Vec<&'static str>,
}

/// A question with what it decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The question.
    pub spec: &'static QuestionSpec,
    /// Its status.
    pub status: Status,
    /// How many obligations an answer can change.
    pub decides: usize,
    /// What each answer would change, in the order of the options.
    pub effects: Vec<Effect>,
    /// Facts in code that are new since the answer.
    pub changes: Vec<String>,
}

/// The law for one system with everything that is known, and what settles what is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The law with everything that is known.
    pub query: LawQuery,
    /// For each undetermined obligation the question that settles it, or brings it nearer.
    pub settles: BTreeMap<&'static str, &'static str>,
    /// Where each answer stands, with the facts in code that are new since.
    pub standing: BTreeMap<&'static str, (Status, Vec<String>)>,
    /// What code alone shows to the law.
    code: LawQuery,
    /// The answers that count.
    counted: BTreeMap<&'static str, Value>,
    /// The areas of Annex III that code points to.
    areas: BTreeSet<&'static str>,
}

/// Where an answer stands given the facts in code, and the facts that are new since.
///
/// A question is reopened by a new kind of data, purpose or effect. Lines, names and order are no facts, so a moved line
/// or another name reopens nothing. Nor does a fact that is gone: what was answered with it in sight still holds.
pub(crate) fn standing(
    spec: &QuestionSpec,
    answer: &Answer,
    seen: &BTreeSet<String>,
    as_of: Date,
) -> (Status, Vec<String>) {
    if answer.value.is_unknown() {
        return (Status::Unknown, Vec::new());
    }
    if answer.is_expired(as_of) {
        return (Status::Expired, Vec::new());
    }
    let Some(then) = &answer.seen else {
        return (Status::Answered, Vec::new());
    };
    let new: Vec<String> = spec
        .facts_of(seen)
        .filter(|fact| !then.contains(*fact))
        .cloned()
        .collect();
    if new.is_empty() {
        (Status::Answered, new)
    } else {
        (Status::Reopened, new)
    }
}

impl QuestionSpec {
    /// The facts in code on which an answer to this question depends.
    pub fn facts_of<'s>(&'s self, seen: &'s BTreeSet<String>) -> impl Iterator<Item = &'s String> {
        seen.iter().filter(|fact| {
            self.seen.iter().any(|kind| {
                fact.strip_prefix(kind.prefix())
                    .is_some_and(|rest| rest.starts_with(':'))
            })
        })
    }

    /// The answer that lifts duties: when the facts change, it no longer counts until it is given again.
    fn lifts(&self, value: &Value) -> bool {
        match self.states {
            States::Exemption | States::Exclusion => !value.is_no(),
            States::Conditions(_) => true,
            States::Disclosed | States::Condition(Condition::FreeAndOpenModel) => value.is_yes(),
            States::InUnion
            | States::Profiling
            | States::Points(_)
            | States::Case(_)
            | States::AnnexI
            | States::Model
            | States::Condition(_)
            | States::Practice(_) => value.is_no(),
            _ => false,
        }
    }

    /// What still counts of an answer whose facts changed.
    fn remains(&self, value: &Value) -> Option<Value> {
        if !self.lifts(value) {
            return Some(value.clone());
        }
        // What was ticked stays; the rest is open again.
        if matches!(self.states, States::Conditions(_)) && !value.is_no() {
            let mut words = value.words().to_vec();
            words.push(crate::UNKNOWN.to_owned());
            return Some(Value::of(words));
        }
        None
    }

    /// Values of which the effect is worth showing.
    fn samples(&self, as_of: Date) -> Vec<String> {
        match self.kind {
            // Rare roles rule nearly everything out, so counting them would put this question before all others.
            _ if self.is_role() => vec!["provider".to_owned(), "deployer".to_owned(), "both".to_owned()],
            Kind::Text => Vec::new(),
            Kind::Date => vec![NOT_YET.to_owned(), "2025-08-01".to_owned(), as_of.to_string()],
            Kind::YesNo | Kind::OneOf | Kind::AnyOf => self.options().into_iter().map(|option| option.value).collect(),
        }
    }
}

impl Plan {
    /// Plans the questions of a system.
    ///
    /// `code` is what code shows to the law, `answers` what people stated with the scope of each, `seen` the facts in code,
    /// and `raised` the questions that code raises.
    pub fn of(
        code: LawQuery,
        answers: &BTreeMap<&str, (&'static str, &Answer)>,
        seen: &BTreeSet<String>,
        raised: &BTreeSet<&str>,
    ) -> Self {
        let mut standing_of = BTreeMap::new();
        let mut counted = BTreeMap::new();
        for (id, (_, answer)) in answers {
            let Some(spec) = question(id) else { continue };
            let (status, changes) = standing(spec, answer, seen, code.as_of);
            let value = match status {
                Status::Answered => Some(answer.value.clone()),
                Status::Reopened | Status::Expired => spec.remains(&answer.value),
                Status::Unknown | Status::Open => None,
            };
            if let Some(value) = value {
                counted.insert(spec.id, value);
            }
            standing_of.insert(spec.id, (status, changes));
        }
        let areas: BTreeSet<&'static str> = crate::area_questions()
            .map(|spec| spec.id)
            .filter(|id| raised.contains(id))
            .collect();
        let refs: Answers<'_> = counted.iter().map(|(id, value)| (*id, value)).collect();
        let query = facts(&code, &refs, &areas);
        let settles = query
            .evaluate()
            .into_iter()
            .filter_map(|row| Some((row.obligation.id.as_str(), question_for(row.asks?, &refs, &areas))))
            .collect();
        Self {
            query,
            settles,
            standing: standing_of,
            code,
            counted,
            areas,
        }
    }

    /// The answer that counts for a question.
    pub fn counts(&self, question: &str) -> Option<&Value> {
        self.counted.get(question)
    }

    /// All answers that count.
    pub fn answers(&self) -> Answers<'_> {
        self.counted.iter().map(|(id, value)| (*id, value)).collect()
    }

    /// The open questions, those first that decide most. A question that can no longer change anything is left out.
    pub fn open(&self, raised: &BTreeSet<&str>) -> Vec<Planned> {
        let mut wanted: BTreeSet<&str> = self.settles.values().copied().collect();
        wanted.extend(raised);
        wanted.extend(
            self.standing
                .iter()
                .filter(|(_, (status, _))| *status != Status::Answered)
                .map(|(id, _)| *id),
        );
        let now = self.query.verdicts();
        let mut open: Vec<Planned> = wanted
            .into_iter()
            .filter_map(question)
            .map(|spec| self.planned(spec, &now))
            .filter(|planned| planned.status != Status::Answered && planned.decides > 0)
            .collect();
        open.sort_by_key(|planned| (std::cmp::Reverse(planned.decides), order(planned.spec)));
        open
    }

    /// Every question of a scope with what each answer would change, for forms, in the order of the articles.
    pub fn offered(&self, scope: Scope) -> Vec<Planned> {
        let now = self.query.verdicts();
        crate::questions()
            .iter()
            .filter(|spec| spec.scope == scope)
            .map(|spec| self.planned(spec, &now))
            .collect()
    }

    fn planned(&self, spec: &'static QuestionSpec, now: &[(Applies, Option<Date>)]) -> Planned {
        let (status, changes) = self
            .standing
            .get(spec.id)
            .cloned()
            .unwrap_or((Status::Open, Vec::new()));
        let effects = if status == Status::Answered {
            Vec::new()
        } else {
            effects(spec, &self.code, &self.answers(), &self.areas, now)
        };
        let settled = self.settles.values().filter(|id| **id == spec.id).count();
        Planned {
            spec,
            status,
            decides: decided(spec, &effects).max(settled),
            effects,
            changes,
        }
    }
}

/// The place of a question in the list.
fn order(spec: &QuestionSpec) -> usize {
    crate::questions()
        .iter()
        .position(|other| other.id == spec.id)
        .unwrap_or(usize::MAX)
}

/// How many obligations an answer can change; a practice of Art. 5 and a disclosure decide their own.
fn decided(spec: &QuestionSpec, effects: &[Effect]) -> usize {
    let mut changed: BTreeSet<&str> = BTreeSet::new();
    for effect in effects {
        changed.extend(effect.adds.iter().map(|(id, _)| *id));
        changed.extend(&effect.removes);
    }
    let own = usize::from(matches!(spec.states, States::Practice(_) | States::Disclosed));
    changed.len().max(own)
}

fn effects(
    spec: &'static QuestionSpec,
    code: &LawQuery,
    answers: &Answers<'_>,
    areas: &BTreeSet<&str>,
    now: &[(Applies, Option<Date>)],
) -> Vec<Effect> {
    let samples = spec.samples(code.as_of);
    samples
        .into_iter()
        .filter_map(|sample| {
            let value = spec.read([sample.as_str()]).ok()?;
            let mut with = answers.clone();
            with.insert(spec.id, &value);
            let then = facts(code, &with, areas).verdicts();
            let mut effect = Effect {
                value: sample,
                ..Effect::default()
            };
            let binds = |applies: Applies| matches!(applies, Applies::Applies | Applies::Upcoming);
            for ((obligation, (before, _)), (after, date)) in regulation().obligations().iter().zip(now).zip(then) {
                if binds(after) && !binds(*before) {
                    effect
                        .adds
                        .push((&obligation.id, date.unwrap_or(obligation.applies_from)));
                } else if after == Applies::DoesNotApply && *before != Applies::DoesNotApply {
                    effect.removes.push(&obligation.id);
                }
            }
            Some(effect)
        })
        .collect()
}
