//! How the query decides one obligation: gates for class, role and facts, then the date.

use crate::conditions::{Hinge, hinges};
use crate::facts::{Exclusion, Fact, TransparencyCase};
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
    /// The fact that would settle it while it is unknown.
    pub(crate) asks: Fact,
    /// What would turn a `No` into a `Yes`, as the subject of a sentence.
    pub(crate) change: String,
}

/// Whether the reason of a verdict is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// It is.
    Written,
    /// The verdict alone is wanted.
    Spared,
}

impl Words {
    /// The words, where they are wanted.
    pub(crate) fn say(self, words: impl FnOnce() -> String) -> String {
        match self {
            Self::Written => words(),
            Self::Spared => String::new(),
        }
    }
}

/// The verdict on one obligation.
///
/// One known `No` settles that an obligation does not apply, whatever else is open. Only when every gate is known to be
/// passed does the date decide, so nothing is ever said to apply on a guess or before its day.
///
/// `words` says whether the reason is wanted. Without it nothing is written, which is most of the work.
pub(crate) fn verdict<'law>(query: &LawQuery, obligation: &'law Obligation, words: Words) -> DatedObligation<'law> {
    if obligation.is_prohibition() {
        return prohibition(query, obligation, words);
    }
    let mut span = span::of(query, obligation);
    let mut gates: Vec<Gate> = scope_gate(query, obligation, words).into_iter().collect();
    gates.extend([
        class_gate(query, obligation, words),
        role_gate(query, obligation, words),
    ]);
    for hinge in hinges(&obligation.id) {
        gates.extend(hinge_gate(query, *hinge, &mut span, words));
    }
    gates.extend(span::legacy_gate(query, obligation, &mut span, words));

    let cite = words.say(|| obligation.citation());
    let one = obligation.references.len() == 1;
    if let Some(gate) = gates.iter().find(|gate| gate.known.is_no()) {
        return DatedObligation {
            obligation,
            applies: Applies::DoesNotApply,
            applies_from: None,
            earliest_reading: None,
            because: words.say(|| {
                format!(
                    "{cite} {} not apply: {}. {} would bring it in {}.",
                    if one { "does" } else { "do" },
                    gate.clause,
                    gate.change,
                    span.words("from")
                )
            }),
            asks: None,
        };
    }
    let literal = obligation.applies_from_earliest_reading;
    let decided = |applies: Applies, sentence: String, asks: Option<Fact>| {
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
            asks,
        }
    };

    let open: Vec<&Gate> = gates.iter().filter(|gate| gate.known.is_unknown()).collect();
    if let Some(first) = open.first() {
        let clauses: Vec<_> = open.iter().map(|gate| gate.clause.as_str()).collect();
        let sentence = words.say(|| {
            format!(
                "{cite} would apply {}, but {}.",
                span.words("from"),
                clauses.join(", and ")
            )
        });
        return decided(Applies::Undetermined, sentence, Some(first.asks));
    }
    let facts = words.say(|| {
        let clauses: Vec<_> = gates.iter().map(|gate| gate.clause.as_str()).collect();
        clauses.join(", and ")
    });
    if query.as_of >= span.latest() {
        decided(
            Applies::Applies,
            words.say(|| {
                format!(
                    "{cite} {} applied {}: {facts}.",
                    if one { "has" } else { "have" },
                    span.words("since")
                )
            }),
            None,
        )
    } else if query.as_of < span.earliest() {
        decided(
            Applies::Upcoming,
            words.say(|| format!("{cite} will apply {}: {facts}.", span.words("from"))),
            None,
        )
    } else {
        let sentence = words.say(|| {
            format!(
                "{cite} {} {}, and on {} it is open which of these dates holds: {facts}.",
                if one { "applies" } else { "apply" },
                span.words("from"),
                query.as_of
            )
        });
        decided(Applies::Undetermined, sentence, span.asks)
    }
}

/// A ban needs no fact: it is in force for everybody, whether or not anything was observed.
fn prohibition<'law>(query: &LawQuery, obligation: &'law Obligation, words: Words) -> DatedObligation<'law> {
    let cite = words.say(|| obligation.citation());
    let date = obligation.applies_from;
    if let Some(gate) = scope_gate(query, obligation, words).filter(|gate| !gate.known.is_yes()) {
        let (applies, because) = match gate.known {
            Known::No => (
                Applies::DoesNotApply,
                format!("{cite} does not apply: {}.", gate.clause),
            ),
            _ => (
                Applies::Undetermined,
                words.say(|| format!("{cite} would apply from {date}, but {}.", gate.clause)),
            ),
        };
        return DatedObligation {
            obligation,
            applies,
            applies_from: Some(date).filter(|_| applies == Applies::Undetermined),
            earliest_reading: obligation.applies_from_earliest_reading,
            because,
            asks: Some(gate.asks).filter(|_| applies == Applies::Undetermined),
        };
    }
    let have = if obligation.references.len() == 1 {
        "has"
    } else {
        "have"
    };
    let (applies, because) = if query.as_of >= date {
        (
            Applies::Applies,
            words.say(|| {
                format!(
                    "{cite} {have} been in force since {date} for everybody, whether or not the practice was observed."
                )
            }),
        )
    } else {
        (
            Applies::Upcoming,
            words.say(|| {
                format!("{cite} will be in force from {date} for everybody, whether or not the practice is observed.")
            }),
        )
    };
    DatedObligation {
        obligation,
        applies,
        applies_from: Some(date),
        earliest_reading: obligation.applies_from_earliest_reading,
        because,
        asks: None,
    }
}

/// Whether the Act reaches the system at all (Art. 2); nothing where it plainly does.
fn scope_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Option<Gate> {
    let gate = |known: Known, clause: String, asks: Fact, change: &str| {
        Some(Gate {
            known,
            clause,
            asks,
            change: change.to_owned(),
        })
    };
    match query.scope.in_union {
        Known::Yes => {}
        Known::No => {
            let clause = "the system is neither offered nor used in the Union, nor is its output (Art. 2(1))";
            let change = "An offer or a use in the Union, stated in the profile,";
            return gate(Known::No, clause.to_owned(), Fact::InUnion, change);
        }
        Known::Unknown => {
            let clause = "it is open whether the system is offered or used in the Union (Art. 2(1))";
            return gate(Known::Unknown, clause.to_owned(), Fact::InUnion, "");
        }
    }
    let exclusion = query.scope.exclusion?;
    let lifts = lifts(query, obligation, exclusion);
    let clause = match lifts {
        Known::Yes => words.say(|| format!("{} ({})", exclusion.clause(), exclusion.provision())),
        Known::No => return None,
        Known::Unknown => {
            words.say(|| format!("it is open whether {} ({})", exclusion.clause(), exclusion.provision()))
        }
    };
    let risk = &query.risk;
    let asks = TransparencyCase::ALL
        .iter()
        .find(|case| risk.transparency(**case).is_unknown())
        .filter(|_| !risk.is_high_risk().is_unknown())
        .map_or(Fact::HighRisk, |case| Fact::Case(*case));
    gate(
        lifts.negated(),
        clause,
        asks,
        "A use that is not excluded from the Act, stated in the profile,",
    )
}

/// Whether an exclusion of Art. 2 lifts an obligation.
fn lifts(query: &LawQuery, obligation: &Obligation, exclusion: Exclusion) -> Known {
    match exclusion {
        Exclusion::Military | Exclusion::ThirdCountryAuthority | Exclusion::Research | Exclusion::PreMarket => {
            Known::Yes
        }
        // Only the duties of the person who uses the system are lifted, not those of who made it.
        Exclusion::PersonalUse => Known::from(
            obligation
                .actors
                .iter()
                .all(|actor| *actor == Role::Deployer || query.roles.get(*actor).is_no()),
        ),
        // A system that is high-risk, or in a case of Art. 50, stays in the Act whole; so does a ban, and so do models.
        Exclusion::OpenSource => match obligation.risk_class {
            RiskClass::Prohibited | RiskClass::Gpai | RiskClass::GpaiSystemic => Known::No,
            _ => TransparencyCase::ALL
                .iter()
                .fold(query.risk.is_high_risk(), |stays, case| {
                    stays.or(query.risk.transparency(*case))
                })
                .negated(),
        },
    }
}

fn class_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Gate {
    let risk = &query.risk;
    let class_words = |known, yes, no, unknown, asks, change| class_words(words, known, yes, no, unknown, asks, change);
    match obligation.risk_class {
        RiskClass::HighRisk => routes::high_risk_gate(query, obligation, words),
        RiskClass::Transparency => routes::transparency_gate(query, obligation, words),
        RiskClass::Gpai => class_words(
            risk.is_gpai(),
            "a general-purpose AI model is placed on the market",
            "no general-purpose AI model is placed on the market, as opposed to being used",
            "it is open whether a general-purpose AI model is placed on the market",
            Fact::GeneralPurposeModel,
            "Placing a general-purpose AI model on the market",
        ),
        RiskClass::GpaiSystemic => class_words(
            risk.is_gpai_systemic(),
            "the general-purpose AI model has systemic risk",
            "no general-purpose AI model with systemic risk is placed on the market",
            "it is open whether a general-purpose AI model with systemic risk is placed on the market",
            Fact::SystemicRisk,
            "Placing a general-purpose AI model with systemic risk on the market",
        ),
        RiskClass::Minimal => class_words(
            risk.is_high_risk().negated(),
            "the system is not high-risk (the codes are voluntary)",
            "the system is high-risk, and the voluntary codes are for other systems",
            "it is open whether the system is high-risk",
            Fact::HighRisk,
            "A system that is not high-risk",
        ),
        RiskClass::All | RiskClass::Prohibited | RiskClass::Governance => class_words(
            Known::Yes,
            "it holds for AI systems of every risk class",
            "",
            "",
            Fact::HighRisk,
            "",
        ),
    }
}

fn class_words(words: Words, known: Known, yes: &str, no: &str, unknown: &str, asks: Fact, change: &str) -> Gate {
    let clause = match known {
        Known::Yes => yes,
        Known::No => no,
        Known::Unknown => unknown,
    };
    Gate {
        known,
        clause: words.say(|| clause.to_owned()),
        asks,
        change: words.say(|| change.to_owned()),
    }
}

fn role_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Gate {
    let actors = &obligation.actors;
    let known = query.roles.any(actors);
    let bound = words.say(|| {
        let names: Vec<_> = actors.iter().map(|role| role.label()).collect();
        listed(&names, "or")
    });
    let clause = words.say(|| {
        let held: Vec<_> = query
            .roles
            .held()
            .filter(|role| actors.contains(role))
            .map(Role::label)
            .collect();
        match known {
            Known::Yes if !held.is_empty() => format!("the role is {}", held.join(" and ")),
            Known::Yes => {
                let names: Vec<_> = actors.iter().map(|role| role.label()).collect();
                format!("it binds every {}", listed(&names, "and"))
            }
            Known::No => {
                let others: Vec<_> = query.roles.held().map(Role::label).collect();
                if others.is_empty() {
                    format!("it binds the {bound}, and this role is ruled out")
                } else {
                    format!("it binds the {bound}, and the role is {}", others.join(" and "))
                }
            }
            Known::Unknown => format!("it binds the {bound}, and the role is not known"),
        }
    });
    Gate {
        known,
        clause,
        asks: Fact::Role,
        change: words.say(|| format!("The role of {bound}, stated in the profile,")),
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

fn hinge_gate(query: &LawQuery, hinge: Hinge, span: &mut Span, words: Words) -> Option<Gate> {
    match hinge {
        Hinge::Needs(condition) => {
            let known = query.known_condition(condition);
            let clause = words.say(|| match known {
                Known::Yes => condition.clause().to_owned(),
                Known::No => format!(
                    "it needs the fact that {}, and nothing that shows it was observed",
                    condition.clause()
                ),
                Known::Unknown => format!("it is open whether {}", condition.clause()),
            });
            Some(Gate {
                known,
                clause,
                asks: Fact::Condition(condition),
                change: words.say(|| format!("The fact that {}", condition.clause())),
            })
        }
        Hinge::LiftedBy(condition) => match query.known_condition(condition) {
            Known::No => None,
            Known::Unknown => {
                if words == Words::Written {
                    span.remarks.push(format!("It falls away if {}.", condition.clause()));
                }
                None
            }
            Known::Yes => Some(Gate {
                known: Known::No,
                clause: words.say(|| format!("it falls away because {}", condition.clause())),
                asks: Fact::Condition(condition),
                change: words.say(|| "The end of that exception".to_owned()),
            }),
        },
    }
}
