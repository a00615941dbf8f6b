//! How the query decides one obligation: gates for class, role and facts, then the date.

use crate::conditions::{Hinge, hinges};
use crate::known::Known;
use crate::obligations::Obligation;
use crate::query::{Applies, DatedObligation, LawQuery};
use crate::routes;
use crate::span::{self, Span};
use crate::vocabulary::{RiskClass, Role};

/// One fact that must hold for an obligation to bind, with the words for each outcome.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) known: Known,
    /// The fact in the state it is in, as a clause.
    pub(crate) clause: String,
    /// What would settle it while it is unknown.
    pub(crate) question: String,
    /// What would turn a `No` into a `Yes`, as the subject of a sentence.
    pub(crate) change: String,
}

/// The verdict on one obligation.
///
/// One known `No` settles that an obligation does not apply, whatever else is open. Only when every gate is known to be
/// passed does the date decide, so nothing is ever said to apply on a guess or before its day.
pub(crate) fn verdict<'law>(query: &LawQuery, obligation: &'law Obligation) -> DatedObligation<'law> {
    if obligation.is_prohibition() {
        return prohibition(query, obligation);
    }
    let mut span = span::of(query, obligation);
    let mut gates = vec![class_gate(query, obligation), role_gate(query, obligation)];
    for hinge in hinges(&obligation.id) {
        gates.extend(hinge_gate(query, *hinge, &mut span));
    }
    gates.extend(span::legacy_gate(query, obligation, &mut span));

    let cite = obligation.citation();
    let one = obligation.references.len() == 1;
    if let Some(gate) = gates.iter().find(|gate| gate.known.is_no()) {
        return DatedObligation {
            obligation,
            applies: Applies::DoesNotApply,
            applies_from: None,
            earliest_reading: None,
            because: format!(
                "{cite} {} not apply: {}. {} would bring it in {}.",
                if one { "does" } else { "do" },
                gate.clause,
                gate.change,
                span.words("from")
            ),
            question: None,
        };
    }
    let literal = obligation.applies_from_earliest_reading;
    let decided = |applies: Applies, sentence: String, question: Option<String>| {
        let mut because = sentence;
        // While facts are open the reason names them and nothing else.
        for remark in span
            .remarks
            .iter()
            .filter(|_| gates.iter().all(|gate| gate.known.is_yes()))
        {
            because.push(' ');
            because.push_str(remark);
        }
        if let Some(date) = literal.filter(|_| applies != Applies::Applies) {
            because.push_str(" Read literally it would apply from ");
            because.push_str(&date.to_string());
            because.push('.');
        }
        DatedObligation {
            obligation,
            applies,
            applies_from: Some(if applies == Applies::Applies {
                span.reached(query.as_of)
            } else {
                span.earliest()
            }),
            earliest_reading: literal,
            because,
            question,
        }
    };

    let open: Vec<&Gate> = gates.iter().filter(|gate| gate.known.is_unknown()).collect();
    if let Some(first) = open.first() {
        let clauses: Vec<_> = open.iter().map(|gate| gate.clause.as_str()).collect();
        let sentence = format!(
            "{cite} would apply {}, but {}.",
            span.words("from"),
            clauses.join(", and ")
        );
        return decided(Applies::Undetermined, sentence, Some(first.question.clone()));
    }
    let clauses: Vec<_> = gates.iter().map(|gate| gate.clause.as_str()).collect();
    let facts = clauses.join(", and ");
    if query.as_of >= span.latest() {
        decided(
            Applies::Applies,
            format!(
                "{cite} {} applied {}: {facts}.",
                if one { "has" } else { "have" },
                span.words("since")
            ),
            None,
        )
    } else if query.as_of < span.earliest() {
        decided(
            Applies::Upcoming,
            format!("{cite} will apply {}: {facts}.", span.words("from")),
            None,
        )
    } else {
        let sentence = format!(
            "{cite} {} {}, and on {} it is open which of these dates holds: {facts}.",
            if one { "applies" } else { "apply" },
            span.words("from"),
            query.as_of
        );
        decided(Applies::Undetermined, sentence, Some(span.question.to_owned()))
    }
}

/// A ban needs no fact: it is in force for everybody, whether or not anything was observed.
fn prohibition<'law>(query: &LawQuery, obligation: &'law Obligation) -> DatedObligation<'law> {
    let cite = obligation.citation();
    let date = obligation.applies_from;
    let have = if obligation.references.len() == 1 {
        "has"
    } else {
        "have"
    };
    let (applies, because) = if query.as_of >= date {
        (
            Applies::Applies,
            format!(
                "{cite} {have} been in force since {date} for everybody, whether or not the practice was observed."
            ),
        )
    } else {
        (
            Applies::Upcoming,
            format!("{cite} will be in force from {date} for everybody, whether or not the practice is observed."),
        )
    };
    DatedObligation {
        obligation,
        applies,
        applies_from: Some(date),
        earliest_reading: obligation.applies_from_earliest_reading,
        because,
        question: None,
    }
}

fn class_gate(query: &LawQuery, obligation: &Obligation) -> Gate {
    let risk = &query.risk;
    match obligation.risk_class {
        RiskClass::HighRisk => routes::high_risk_gate(query, obligation),
        RiskClass::Transparency => routes::transparency_gate(query, obligation),
        RiskClass::Gpai => class_words(
            risk.is_gpai(),
            "a general-purpose AI model is placed on the market",
            "no general-purpose AI model is placed on the market, as opposed to being used",
            "it is open whether a general-purpose AI model is placed on the market",
            "Is a general-purpose AI model placed on the market here, as opposed to a system that uses one?",
            "Placing a general-purpose AI model on the market",
        ),
        RiskClass::GpaiSystemic => class_words(
            risk.is_gpai_systemic(),
            "the general-purpose AI model has systemic risk",
            "no general-purpose AI model with systemic risk is placed on the market",
            "it is open whether a general-purpose AI model with systemic risk is placed on the market",
            "Was the model trained with more than 10^25 FLOP or designated by the Commission as having systemic risk?",
            "Placing a general-purpose AI model with systemic risk on the market",
        ),
        RiskClass::Minimal => class_words(
            risk.is_high_risk().negated(),
            "the system is not high-risk (the codes are voluntary)",
            "the system is high-risk, and the voluntary codes are for other systems",
            "it is open whether the system is high-risk",
            routes::HIGH_RISK_QUESTION,
            "A system that is not high-risk",
        ),
        RiskClass::All | RiskClass::Prohibited | RiskClass::Governance => class_words(
            Known::Yes,
            "it holds for AI systems of every risk class",
            "",
            "",
            "",
            "",
        ),
    }
}

fn class_words(known: Known, yes: &str, no: &str, unknown: &str, question: &str, change: &str) -> Gate {
    let clause = match known {
        Known::Yes => yes,
        Known::No => no,
        Known::Unknown => unknown,
    };
    Gate {
        known,
        clause: clause.to_owned(),
        question: question.to_owned(),
        change: change.to_owned(),
    }
}

fn role_gate(query: &LawQuery, obligation: &Obligation) -> Gate {
    let actors = &obligation.actors;
    let known = query.roles.any(actors);
    let names: Vec<_> = actors.iter().map(|role| role.label()).collect();
    let bound = listed(&names, "or");
    let held: Vec<_> = query
        .roles
        .held()
        .filter(|role| actors.contains(role))
        .map(Role::label)
        .collect();
    let clause = match known {
        Known::Yes if !held.is_empty() => format!("the role is {}", held.join(" and ")),
        Known::Yes => format!("it binds every {}", listed(&names, "and")),
        Known::No => {
            let others: Vec<_> = query.roles.held().map(Role::label).collect();
            if others.is_empty() {
                format!("it binds the {bound}, and this role is ruled out")
            } else {
                format!("it binds the {bound}, and the role is {}", others.join(" and "))
            }
        }
        Known::Unknown => format!("it binds the {bound}, and the role is not known"),
    };
    Gate {
        known,
        clause,
        question: format!("Is the operator the {bound}?"),
        change: format!("The role of {bound}, stated in the profile,"),
    }
}

/// Words in a row, with a conjunction before the last.
pub(crate) fn listed(words: &[&str], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

fn hinge_gate(query: &LawQuery, hinge: Hinge, span: &mut Span) -> Option<Gate> {
    match hinge {
        Hinge::Needs(condition) => {
            let known = query.known_condition(condition);
            let clause = match known {
                Known::Yes => condition.clause().to_owned(),
                Known::No => format!(
                    "it needs the fact that {}, and nothing that shows it was observed",
                    condition.clause()
                ),
                Known::Unknown => format!("it is open whether {}", condition.clause()),
            };
            Some(Gate {
                known,
                clause,
                question: condition.question().to_owned(),
                change: format!("The fact that {}", condition.clause()),
            })
        }
        Hinge::LiftedBy(condition) => match query.known_condition(condition) {
            Known::No => None,
            Known::Unknown => {
                span.remarks.push(format!("It falls away if {}.", condition.clause()));
                None
            }
            Known::Yes => Some(Gate {
                known: Known::No,
                clause: format!("it falls away because {}", condition.clause()),
                question: condition.question().to_owned(),
                change: "The end of that exception".to_owned(),
            }),
        },
    }
}
