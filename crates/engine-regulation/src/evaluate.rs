//! How the query decides one obligation: gates for class, role and facts, then the date.

use jiff::civil::Date;

use crate::conditions::{Condition, Hinge, hinges};
use crate::facts::{Exclusion, Fact, TransparencyCase};
use crate::known::Known;
use crate::obligations::Obligation;
use crate::query::{Applies, DatedObligation, LawQuery};
use crate::routes;
use crate::span::{self, Span};
use crate::special;
use crate::vocabulary::{RiskClass, Role, Route};

/// One fact that must hold for an obligation to bind, with the words for each outcome.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) part: Part,
    pub(crate) known: Known,
    /// The fact as a clause while it is known: what is true on `Yes`, and why the obligation does not apply on `No`.
    pub(crate) clause: String,
    /// The fact that would settle it while it is unknown.
    pub(crate) asks: Fact,
    /// The fact that must be true, as a clause that can follow "if".
    pub(crate) needs: String,
}

/// The kind of fact that a gate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The Act covers the system.
    Scope,
    /// Class and route.
    Class,
    /// The role of the organisation.
    Role,
    /// A condition of this obligation.
    Condition(Condition),
    /// The transition rules of Art. 111.
    Transition,
}

/// How a clause begins that names a condition for which there is no sign.
const NO_SIGN: &str = "nothing in the code or the profile shows that ";

/// Why an obligation does not apply whose condition was neither found nor stated.
pub(crate) fn no_sign_that(condition: &str) -> String {
    format!("{NO_SIGN}{condition}")
}

/// Whether the reason of a verdict is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// It is.
    Written,
    /// It is not: only the verdict is needed.
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
    // What Art. 5 permits under conditions is no ban: these conditions bind only who makes use of it.
    if obligation.is_prohibition() && hinges(&obligation.id).is_empty() {
        return special::prohibition(query, obligation, words);
    }
    if let Some(dependent) = special::manner(query, obligation, words) {
        return dependent;
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
            certain_from: None,
            starts: Vec::new(),
            because: words.say(|| {
                format!(
                    "{cite} {} not apply: {}. {}{}",
                    if one { "does" } else { "do" },
                    gate.clause,
                    would_apply(obligation, gate, &needed(query, obligation, &gates), &span),
                    remark_on(obligation)
                )
            }),
            asks: None,
        };
    }
    let literal = obligation.applies_from_earliest_reading;
    // With only the date open, the latest possible one binds whatever the answer is.
    let certain = gates.iter().all(|gate| gate.known.is_yes()).then_some(span.latest());
    // A transition rule that is still open leaves the start open and nothing else.
    let only_start_open = certain.is_some()
        || span.announced
            && gates
                .iter()
                .all(|gate| gate.known.is_yes() || gate.part == Part::Transition);
    let decided = |applies: Applies, sentence: String, asks: Option<Fact>, indicator: Option<&str>| {
        let mut because = sentence;
        // While facts are open the reason names them and nothing else.
        for remark in span
            .remarks
            .iter()
            .filter(|_| words == Words::Written && gates.iter().all(|gate| gate.known.is_yes()))
        {
            because.push(' ');
            because.push_str(remark);
        }
        if let Some(date) = literal.filter(|_| applies != Applies::Applies) {
            because.push_str(&words.say(|| literal_reading(date, &span)));
        }
        because.push_str(&words.say(|| remark_on(obligation)));
        if let Some(indicator) = indicator {
            because.push_str(&words.say(|| format!(" Indicator: {indicator}.")));
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
            certain_from: certain.filter(|_| applies == Applies::Undetermined),
            starts: if only_start_open && applies == Applies::Undetermined {
                span.starts()
            } else {
                Vec::new()
            },
            because,
            asks,
        }
    };

    let open: Vec<&Gate> = gates.iter().filter(|gate| gate.known.is_unknown()).collect();
    if let Some(first) = open.first() {
        let sentence = words.say(|| {
            let verb = if one { "applies" } else { "apply" };
            let condition = match needed(query, obligation, &gates).as_slice() {
                [only] => format!("{cite} {verb} only if {}. This is not determined.", only.needs),
                all => format!(
                    "{cite} {verb} only under {} conditions, which are not determined: {}.",
                    number(all.len()),
                    numbered(all)
                ),
            };
            format!("{condition} Start date: {}.", span.words(""))
        });
        let of_class = open.iter().find(|gate| gate.part == Part::Class);
        let indicator = of_class.and_then(|_| routes::indicator(query, obligation));
        return decided(Applies::Undetermined, sentence, Some(first.asks), indicator);
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
                    "{cite} {} {} {}: {facts}.",
                    if one { "has" } else { "have" },
                    if obligation.is_voluntary() {
                        "been available"
                    } else {
                        "applied"
                    },
                    span.words("since")
                )
            }),
            None,
            None,
        )
    } else if query.as_of < span.earliest() {
        decided(
            Applies::Upcoming,
            words.say(|| {
                let verb = if obligation.is_voluntary() {
                    "be available"
                } else {
                    "apply"
                };
                format!("{cite} will {verb} {}: {facts}.", span.words("from"))
            }),
            None,
            None,
        )
    } else {
        let sentence = words.say(|| {
            let (be, it) = if one { ("is", "it applies") } else { ("are", "they apply") };
            format!(
                "{cite} {be} {}. It is not known whether {}. Whatever the answer is, {it} from {}. The other conditions are \
                 met: {facts}.",
                special::in_force(&span.starts(), query.as_of),
                span.open,
                span.latest()
            )
        });
        decided(Applies::Undetermined, sentence, span.asks, None)
    }
}

/// Whether the Act reaches the system at all (Art. 2); nothing where it plainly does.
pub(crate) fn scope_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Option<Gate> {
    let gate = |known: Known, clause: String, asks: Fact, needs: &str| {
        Some(Gate {
            part: Part::Scope,
            known,
            clause,
            asks,
            needs: words.say(|| needs.to_owned()),
        })
    };
    let known = query.scope.in_union;
    if !known.is_yes() {
        let clause = words.say(|| {
            "the system is not offered or used in the Union, and its output is not used there (Art. 2(1))".to_owned()
        });
        let needs = "the system, or its output, is offered or used in the Union (Art. 2(1))";
        return gate(known, clause, Fact::InUnion, needs);
    }
    let exclusion = query.scope.exclusion?;
    let lifts = lifts(query, obligation, exclusion);
    if lifts.is_no() {
        return None;
    }
    let clause = words.say(|| format!("{} ({})", exclusion.clause(), exclusion.provision()));
    let risk = &query.risk;
    let asks = TransparencyCase::ALL
        .iter()
        .find(|case| risk.transparency(**case).is_unknown())
        .filter(|_| !risk.is_high_risk().is_unknown())
        .map_or(Fact::HighRisk, |case| Fact::Case(*case));
    let needs = match exclusion {
        Exclusion::OpenSource => {
            "the system is high-risk or in a case of Art. 50, which ends the exclusion for free and open systems (Art. 2(12))"
        }
        Exclusion::PreMarket => "the system is placed on the market or put into service",
        _ => "the system also has a use that Art. 2 does not exclude",
    };
    gate(lifts.negated(), clause, asks, needs)
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

pub(crate) fn class_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Gate {
    let risk = &query.risk;
    let (known, yes, no, asks, needs) = match obligation.risk_class {
        RiskClass::HighRisk => return routes::high_risk_gate(query, obligation, words),
        RiskClass::Transparency => return routes::transparency_gate(query, obligation, words),
        RiskClass::Gpai => (
            risk.is_gpai(),
            "a general-purpose AI model is placed on the market",
            "no general-purpose AI model is placed on the market (using another company's model does not count)",
            Fact::GeneralPurposeModel,
            if obligation.date_on(Route::LegacyGpai).is_some() {
                "the organisation placed a general-purpose AI model on the market before 2025-08-02"
            } else if binds_model_provider_only(obligation) {
                "the organisation places a general-purpose AI model on the market"
            } else {
                "a general-purpose AI model is placed on the market"
            },
        ),
        RiskClass::GpaiSystemic => (
            risk.is_gpai_systemic(),
            "the general-purpose AI model has systemic risk",
            "no general-purpose AI model with systemic risk is placed on the market",
            Fact::SystemicRisk,
            "the organisation places a general-purpose AI model with systemic risk on the market",
        ),
        RiskClass::Minimal => (
            risk.is_high_risk().negated(),
            "the system is not high-risk",
            "the system is high-risk, and these codes of conduct are for other systems",
            Fact::HighRisk,
            "the system is not high-risk",
        ),
        RiskClass::All | RiskClass::Prohibited | RiskClass::Governance => (
            Known::Yes,
            "AI systems of every risk class are covered",
            "",
            Fact::HighRisk,
            "",
        ),
    };
    Gate {
        part: Part::Class,
        known,
        clause: words.say(|| if known.is_no() { no } else { yes }.to_owned()),
        asks,
        needs: words.say(|| needs.to_owned()),
    }
}

/// Whether an obligation binds providers of general-purpose AI models and no other role.
fn binds_model_provider_only(obligation: &Obligation) -> bool {
    obligation.actors == [Role::GpaiProvider]
}

pub(crate) fn role_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Gate {
    let actors = &obligation.actors;
    let known = query.roles.any(actors);
    let bound = words.say(|| {
        let names: Vec<_> = actors.iter().map(|role| role_words(*role)).collect();
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
            Known::Yes if !held.is_empty() => format!("the organisation is the {}", held.join(" and the ")),
            Known::Yes => {
                let names: Vec<_> = actors.iter().map(|role| role.label()).collect();
                format!("every {} is bound", listed(&names, "and"))
            }
            Known::No => {
                let others: Vec<_> = query.roles.held().map(Role::label).collect();
                if others.is_empty() {
                    format!("the obligation binds only the {bound}, and the organisation does not have this role")
                } else {
                    format!(
                        "the obligation binds only the {bound}, and the organisation is the {}",
                        others.join(" and the ")
                    )
                }
            }
            Known::Unknown => String::new(),
        }
    });
    Gate {
        part: Part::Role,
        known,
        clause,
        asks: Fact::Role,
        needs: words.say(|| format!("the organisation is the {bound}")),
    }
}

/// A role in a condition.
const fn role_words(role: Role) -> &'static str {
    match role {
        Role::AuthorisedRepresentative => "authorised representative of a provider outside the Union",
        other => other.label(),
    }
}

/// The gates that must still be passed, without those that another of them includes.
fn needed<'gates>(query: &LawQuery, obligation: &Obligation, gates: &'gates [Gate]) -> Vec<&'gates Gate> {
    let open: Vec<&Gate> = gates.iter().filter(|gate| !gate.known.is_yes()).collect();
    let is_of_a_model = matches!(obligation.risk_class, RiskClass::Gpai | RiskClass::GpaiSystemic);
    let class = open.iter().find(|gate| gate.part == Part::Class);
    // A condition that names a use of Annex III makes the general condition redundant.
    let named_use = obligation.risk_class == RiskClass::HighRisk
        && !query.risk.annex_iii().is_yes()
        && obligation.date_on(Route::AnnexI).is_none()
        && open
            .iter()
            .any(|gate| matches!(gate.part, Part::Condition(condition) if condition.names_use()));
    open.iter()
        .copied()
        .filter(|gate| match gate.part {
            Part::Class => !named_use,
            // The condition on the model says who places it on the market, and by when.
            Part::Role if is_of_a_model => class.is_none() || !binds_model_provider_only(obligation),
            Part::Role => class.is_none_or(|class| class.asks != Fact::Role || !class.known.is_unknown()),
            Part::Transition => class.is_none() || !is_of_a_model,
            Part::Scope | Part::Condition(_) => true,
        })
        .collect()
}

/// When an obligation that does not apply would apply.
fn would_apply(obligation: &Obligation, failed: &Gate, needed: &[&Gate], span: &Span) -> String {
    let it = if obligation.references.len() == 1 { "It" } else { "They" };
    let start = span.words("");
    if failed.part == Part::Scope {
        return format!("{it} can apply only if {}. Start date: {start}.", failed.needs);
    }
    match (needed, span.only()) {
        // The clause has just named the condition.
        ([_], Some(date)) if failed.clause.starts_with(NO_SIGN) => {
            format!("{it} would apply from {date} if this were the case.")
        }
        ([_], None) if failed.clause.starts_with(NO_SIGN) => {
            format!("{it} would apply if this were the case. Start date: {start}.")
        }
        ([one], Some(date)) => format!("{it} would apply from {date} if {}.", one.needs),
        ([one], None) => format!("{it} would apply if {}. Start date: {start}.", one.needs),
        (all, _) => format!(
            "{it} would apply under {} conditions: {}. Start date: {start}.",
            number(all.len()),
            numbered(all)
        ),
    }
}

/// Conditions as a numbered list in a sentence.
fn numbered(gates: &[&Gate]) -> String {
    let parts: Vec<String> = gates
        .iter()
        .enumerate()
        .map(|(index, gate)| format!("({}) {}", index + 1, gate.needs))
        .collect();
    parts.join("; ")
}

fn number(count: usize) -> String {
    match count {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        4 => "four".to_owned(),
        5 => "five".to_owned(),
        more => more.to_string(),
    }
}

/// Which date a report uses where the wording of the Act alone gives an earlier one.
fn literal_reading(date: Date, span: &Span) -> String {
    let later = if span.only().is_some() { "date" } else { "dates" };
    format!(
        " This report uses the later {later}; a literal reading gives {date}, because Art. 113(c) defers only Chapter III, \
         Sections 1 to 3."
    )
}

/// A sentence for single obligations of which the references differ in date or in scope.
fn remark_on(obligation: &Obligation) -> String {
    match obligation.id.as_str() {
        "OBL-107" => " Art. 55(2) covers only models with systemic risk.",
        "OBL-125" => " Art. 99(5) itself applies from 2025-08-02, with the other rules on penalties.",
        _ if obligation.is_voluntary() => " These codes of conduct are voluntary.",
        _ => "",
    }
    .to_owned()
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
            Some(Gate {
                part: Part::Condition(condition),
                known,
                clause: words.say(|| match known {
                    Known::No => no_sign_that(condition.clause()),
                    _ => condition.clause().to_owned(),
                }),
                asks: Fact::Condition(condition),
                needs: words.say(|| condition.clause().to_owned()),
            })
        }
        Hinge::LiftedBy(condition) => match query.known_condition(condition) {
            Known::No => None,
            Known::Unknown => {
                if words == Words::Written {
                    span.remarks.push(format!(
                        "Exception: the obligation does not apply if {}.",
                        condition.clause()
                    ));
                }
                None
            }
            Known::Yes => Some(Gate {
                part: Part::Condition(condition),
                known: Known::No,
                clause: words.say(|| format!("there is an exception, because {}", condition.clause())),
                asks: Fact::Condition(condition),
                needs: words.say(|| "the exception no longer covers the model".to_owned()),
            }),
        },
    }
}
