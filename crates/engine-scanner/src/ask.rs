//! From answers to a system: the facts for the law, role and class with their basis, and the questions that are open.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Applies, Evidence, ObligationRecord, ObligationStatus, Question, QuestionOption, StatedAnswer, Suggestion, System,
};
use engine_profile::{
    ALL_SYSTEMS, Answer, Block, Kind, ORGANISATION, Plan, Planned, Profile, Scope, Status, Suggested, Value, question,
};
use engine_regulation::{Known, LawQuery, Role as LawRole, TransparencyCase, regulation};

use crate::Settings;
use crate::risk::Assessment;

/// A question that code raises.
#[derive(Clone, Debug)]
pub(crate) struct RaisedQuestion {
    /// The id in the list of questions.
    pub(crate) id: &'static str,
    /// What raised it, in sentences.
    pub(crate) why: String,
    /// The answer that code makes likely.
    pub(crate) suggestion: Option<Suggested>,
    /// The places that raised it.
    pub(crate) evidence: Vec<Evidence>,
}

/// What code and people say about one system.
#[derive(Clone, Debug)]
pub(crate) struct Assessed {
    pub(crate) assessment: Assessment,
    pub(crate) plan: Plan,
    /// The answers that hold for the system, with the scope of each.
    pub(crate) stated: BTreeMap<String, (&'static str, Answer)>,
}

/// Joins what code shows with what people stated.
pub(crate) fn assess(assessment: Assessment, system: &str, settings: &Settings) -> Assessed {
    let stated = stated(system, settings);
    let answers = stated
        .iter()
        .map(|(id, (scope, answer))| (id.as_str(), (*scope, answer)))
        .collect();
    let raised = assessment.raised.iter().map(|question| question.id).collect();
    let plan = Plan::of(assessment.query.clone(), &answers, &assessment.seen, &raised);
    Assessed {
        assessment,
        plan,
        stated,
    }
}

/// The answers that hold for a system. What a request states takes precedence over the profile.
fn stated(system: &str, settings: &Settings) -> BTreeMap<String, (&'static str, Answer)> {
    let mut stated: BTreeMap<String, (&'static str, Answer)> = settings
        .profile
        .answers_of(system)
        .into_iter()
        .map(|(id, (scope, answer))| (id.to_owned(), (scope, answer.clone())))
        .collect();
    if settings.role.is_some() {
        stated.remove("role");
    }
    if let Some(class) = settings.risk_class {
        stated.retain(|id, _| question(id).is_none_or(|spec| spec.block != Block::HighRisk && id != RISK_CLASS));
        let value = question(RISK_CLASS).and_then(|spec| spec.read([class.name()]).ok());
        if let Some(value) = value {
            let answer = Answer {
                value,
                by: Some("the request".to_owned()),
                on: None,
                why: None,
                until: None,
                seen: None,
                place: engine_profile::Place::default(),
            };
            stated.insert(RISK_CLASS.to_owned(), ("request", answer));
        }
    }
    stated
}

/// The question for the class without its route.
const RISK_CLASS: &str = "risk-class";

/// The question whether people know that they interact with an AI.
pub(crate) const DISCLOSED: &str = "ai-is-obvious";

impl Assessed {
    /// The role and what it rests on.
    pub(crate) fn role(&self) -> (String, String) {
        let held: Vec<&str> = self
            .plan
            .query
            .roles
            .held()
            .filter(|role| *role != LawRole::GpaiProvider)
            .map(LawRole::label)
            .collect();
        match (self.plan.counts("role"), self.stated.get("role")) {
            (Some(_), Some((_, answer))) if !held.is_empty() => {
                (held.join(" and "), format!("stated {}", answer.by_and_on()))
            }
            _ => (self.assessment.role.clone(), self.assessment.role_basis.clone()),
        }
    }

    /// The class of risk and what it rests on.
    pub(crate) fn class(&self, settings: &Settings) -> (String, String) {
        if settings.risk_class == Some(crate::StatedClass::Prohibited) {
            return ("prohibited".to_owned(), "stated in the request".to_owned());
        }
        for (spec, _) in engine_profile::practices() {
            if self.plan.counts(spec.id).is_some_and(Value::is_yes) {
                let basis = format!("{}: {}", spec.provision, self.basis_of(&[spec.id]));
                return ("prohibited".to_owned(), basis);
            }
        }
        let deciding: Vec<&str> = self
            .plan
            .answers()
            .keys()
            .copied()
            .filter(|id| {
                question(id).is_some_and(|spec| {
                    matches!(spec.block, Block::HighRisk | Block::Transparency) && spec.id != DISCLOSED
                        || *id == RISK_CLASS
                })
            })
            .collect();
        if deciding.is_empty() {
            return (self.assessment.risk_class.clone(), self.assessment.risk_basis.clone());
        }
        let query = &self.plan.query;
        // What rules Art. 50 in or out says nothing about a high-risk class.
        let high = query.risk.is_high_risk().is_yes();
        let on_class = |id: &&str| {
            !high || question(id).is_some_and(|spec| spec.block == Block::HighRisk || spec.id == RISK_CLASS)
        };
        let stated = self.basis_of(&deciding.into_iter().filter(on_class).collect::<Vec<_>>());
        let (class, basis) = match query.risk.is_high_risk() {
            Known::Yes => ("high", format!("{}{stated}", points(query))),
            Known::Unknown => ("unknown", format!("{}; {stated}", self.assessment.risk_basis)),
            Known::No => {
                let case = TransparencyCase::ALL
                    .iter()
                    .find(|case| query.risk.transparency(**case).is_yes());
                match case {
                    Some(case) => (
                        "limited",
                        format!("not high-risk, and {} ({}); {stated}", case.clause(), case.paragraph()),
                    ),
                    None => (
                        "minimal",
                        format!("not high-risk, and no case of Art. 50 is known to apply; {stated}"),
                    ),
                }
            }
        };
        let alone = &self.assessment.risk_class;
        let basis = match alone.as_str() {
            same if same == class => basis,
            "unknown" => format!("{basis}; the class could not be determined from code alone"),
            other => format!("{basis}; code alone points to `{other}`"),
        };
        (class.to_owned(), basis)
    }

    /// Who stated what, as a clause.
    fn basis_of(&self, ids: &[&str]) -> String {
        let said: Vec<String> = ids
            .iter()
            .filter_map(|id| {
                let (scope, answer) = self.stated.get(*id)?;
                let by = match *scope {
                    "request" => "stated in the request".to_owned(),
                    _ => format!("stated {}", answer.by_and_on()),
                };
                Some(format!("{by}: {id} = {}", answer.value))
            })
            .collect();
        said.join("; ")
    }

    /// The records of the answers, for the reply.
    pub(crate) fn records(&self) -> Vec<StatedAnswer> {
        self.stated
            .iter()
            .filter(|(_, (scope, _))| *scope != "request")
            .map(|(id, (scope, answer))| {
                let (status, changes) = self
                    .plan
                    .standing
                    .get(id.as_str())
                    .cloned()
                    .unwrap_or((Status::Answered, Vec::new()));
                StatedAnswer {
                    question: id.clone(),
                    scope: (*scope).to_owned(),
                    value: answer.value.words().to_vec(),
                    by: answer.by.clone(),
                    on: answer.on,
                    why: answer.why.clone(),
                    until: answer.until,
                    status: status.name().to_owned(),
                    changes,
                    line: answer.place.line,
                }
            })
            .collect()
    }

    /// What code raises, for the checks that compare it with documents.
    pub(crate) fn raised(&self) -> Vec<Question> {
        let raised = self.assessment.raised.iter();
        raised
            .map(|question| Question {
                id: question.id.to_owned(),
                why: question.why.clone(),
                evidence: question.evidence.clone(),
                ..Question::default()
            })
            .collect()
    }

    /// Names the question that settles each undetermined obligation.
    pub(crate) fn name_questions(&self, records: &mut [ObligationRecord]) {
        for record in records {
            if let Some(spec) = self
                .plan
                .settles
                .get(record.obligation_id.as_str())
                .and_then(|id| question(id))
            {
                record.question = Some(spec.text.to_owned());
                record.question_id = Some(spec.id.to_owned());
            }
        }
    }

    /// The questions of the system, once the statuses of its obligations are known: the open ones, or every one for a form.
    pub(crate) fn questions(&self, system: &System, every: bool) -> Vec<Question> {
        let raised: BTreeSet<&str> = self.assessment.raised.iter().map(|question| question.id).collect();
        let standing: BTreeMap<&str, &ObligationRecord> = system
            .obligations
            .iter()
            .map(|record| (record.obligation_id.as_str(), record))
            .collect();
        let asked = |planned: &Planned| {
            let raised = self
                .assessment
                .raised
                .iter()
                .find(|question| question.id == planned.spec.id);
            asked(planned, raised, system, &standing, self.stated.get(planned.spec.id))
        };
        let open: Vec<Question> = self.plan.open(&raised).iter().map(asked).collect();
        if !every {
            return open;
        }
        let ids: BTreeSet<&str> = open.iter().map(|question| question.id.as_str()).collect();
        [Scope::Organisation, Scope::System]
            .into_iter()
            .flat_map(|scope| self.plan.offered(scope))
            .map(|planned| {
                let mut question = asked(&planned);
                // Code points to nothing, so the question was not put: the answer that code implies is assumed.
                if planned.status == Status::Open && !ids.contains(planned.spec.id) {
                    ASSUMED.clone_into(&mut question.status);
                }
                question
            })
            .collect()
    }
}

/// The status of a question that is not open because code points to nothing that would make it so.
const ASSUMED: &str = "assumed";

/// The points of Annex III as the begin of a basis.
fn points(query: &LawQuery) -> String {
    let points = engine_regulation::annex_iii_points(query.risk.annex_iii_points.iter().map(String::as_str));
    if points.is_empty() {
        points
    } else {
        format!("{points}; ")
    }
}

/// The name under which an answer to a question about a system is stated.
pub(crate) fn key(scope: Scope, system: &str, id: &str) -> String {
    match scope {
        Scope::Organisation => format!("{ORGANISATION}.{id}"),
        Scope::System => format!("{system}.{id}"),
    }
}

/// A question as it goes over the wire.
pub(crate) fn asked(
    planned: &Planned,
    raised: Option<&RaisedQuestion>,
    system: &System,
    standing: &BTreeMap<&str, &ObligationRecord>,
    former: Option<&(&'static str, Answer)>,
) -> Question {
    let spec = planned.spec;
    let options = options(planned, standing);
    let mut why = raised.map_or_else(String::new, |raised| raised.why.clone());
    for sentence in [spec.why, &reopened(planned, former)] {
        if !sentence.is_empty() {
            if !why.is_empty() {
                why.push(' ');
            }
            why.push_str(sentence);
        }
    }
    let key = key(spec.scope, &system.id, spec.id);
    let example = match spec.kind {
        Kind::Date => "2026-03-01".to_owned(),
        Kind::Text => "'…'".to_owned(),
        // The likely answer, else the first; shells read parentheses as their own.
        Kind::YesNo | Kind::OneOf | Kind::AnyOf => raised
            .and_then(|raised| raised.suggestion.as_ref())
            .map(|likely| likely.value.as_str())
            .or_else(|| options.first().map(|option| option.value.as_str()))
            .unwrap_or("yes")
            .replace(['(', ')'], ""),
    };
    Question {
        id: spec.id.to_owned(),
        command: format!("engine-server answer . --set {key}={example}"),
        key,
        text: spec.text.to_owned(),
        why,
        provision: spec.provision.to_owned(),
        kind: spec.kind.name().to_owned(),
        effect: effect(planned, &options),
        options,
        decides: planned.decides as u64,
        status: planned.status.name().to_owned(),
        suggestion: raised
            .and_then(|raised| raised.suggestion.clone())
            .map(|suggested| Suggestion {
                value: suggested.value,
                because: suggested.because,
            }),
        changes: planned.changes.clone(),
        evidence: raised.map_or_else(Vec::new, |raised| raised.evidence.clone()),
    }
}

/// Why a question is asked again.
fn reopened(planned: &Planned, former: Option<&(&'static str, Answer)>) -> String {
    let Some((_, answer)) = former else {
        return String::new();
    };
    match planned.status {
        Status::Reopened => format!(
            "Answered `{}` {}. The code has changed since then: {}.",
            answer.value,
            answer.by_and_on(),
            planned.changes.join(", ")
        ),
        Status::Expired => format!("The answer `{}` {} has expired.", answer.value, answer.by_and_on()),
        Status::Unknown => format!("Answered \"I do not know\" {}.", answer.by_and_on()),
        Status::Open | Status::Answered => String::new(),
    }
}

fn options(planned: &Planned, standing: &BTreeMap<&str, &ObligationRecord>) -> Vec<QuestionOption> {
    let known = planned
        .spec
        .options()
        .into_iter()
        .map(|option| (option.value, option.label));
    // Two roles together are an answer that people give by one word.
    let both = planned.effects.iter().find(|effect| effect.value == "both");
    let both = both.map(|effect| (effect.value.clone(), "Provider and deployer".to_owned()));
    known
        .chain(both)
        .map(|(value, label)| {
            let effect = planned.effects.iter().find(|effect| effect.value == value);
            let adds = effect.map_or(&[][..], |effect| effect.adds.as_slice());
            let status = |wanted: ObligationStatus| {
                let found = adds.iter().filter(|(id, _)| {
                    standing
                        .get(id)
                        .is_some_and(|record| record.applies != Applies::DoesNotApply && record.status == wanted)
                });
                found.count() as u64
            };
            QuestionOption {
                adds: adds.len() as u64,
                removes: effect.map_or(0, |effect| effect.removes.len()) as u64,
                gaps: status(ObligationStatus::Gap),
                evidenced: status(ObligationStatus::Evidenced),
                from: adds.iter().map(|(_, date)| *date).min(),
                value,
                label,
            }
        })
        .collect()
}

/// What the answers change, in sentences.
fn effect(planned: &Planned, options: &[QuestionOption]) -> String {
    let spec = planned.spec;
    if let Some((_, obligation)) = engine_profile::practices().find(|(own, _)| own.id == spec.id) {
        let from = regulation()
            .obligation(obligation)
            .map_or_else(String::new, |obligation| format!(" from {}", obligation.applies_from));
        return format!(
            "`yes`: this practice is prohibited{from}. `no`, with your name and a reason: recorded as evidence of a screening."
        );
    }
    if spec.id == DISCLOSED {
        return "`yes`: your statement counts as evidence for Art. 50(1). `no`: Art. 50(1) is a gap; disclose the AI next to its answers.".to_owned();
    }
    if options.is_empty() {
        let number = planned.decides;
        return format!(
            "The answer decides {number} obligation{}.",
            if number == 1 { "" } else { "s" }
        );
    }
    let sampled = |option: &&QuestionOption| planned.effects.iter().any(|effect| effect.value == option.value);
    engine_model::effect_of(spec.id, options.iter().filter(sampled))
}

/// Whether a name is kept for answers that hold for more than one system.
pub(crate) fn is_reserved(id: &str) -> bool {
    id == ALL_SYSTEMS || id == ORGANISATION
}

/// The name and the purpose of a system, in the words of its owner.
pub(crate) fn name_and_purpose(profile: &Profile, system: &str) -> (Option<String>, Option<String>) {
    let name = profile.systems.get(system).and_then(|own| own.name.clone());
    let answers = profile.answers_of(system);
    let purpose = answers.get("purpose").filter(|(_, answer)| !answer.value.is_unknown());
    (name, purpose.map(|(_, answer)| answer.value.to_string()))
}
