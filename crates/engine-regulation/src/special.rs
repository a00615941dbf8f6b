//! Verdicts on obligations that no class of risk brings into play by itself: the bans, and how to do what Art. 50 requires.

use jiff::civil::Date;

use crate::evaluate::{Words, class_gate, role_gate, scope_gate};
use crate::facts::TransparencyCase;
use crate::known::Known;
use crate::obligations::Obligation;
use crate::query::{Applies, DatedObligation, LawQuery, Start};
use crate::routes;
use crate::span::{self, Span};
use crate::vocabulary::RiskClass;

/// The possible starts on a day between them, such as `in force for an Annex III system since 2027-12-02; for an Annex I
/// product from 2028-08-02`.
pub(crate) fn in_force(starts: &[Start], as_of: Date) -> String {
    let parts: Vec<String> = starts
        .iter()
        .map(|start| {
            let since = if start.from <= as_of { "since" } else { "from" };
            format!("for {} {since} {}", start.case, start.from)
        })
        .collect();
    format!("in force {}", parts.join("; "))
}

/// The verdict on Art. 50(5) and (6), which say how to do what Art. 50(1) to (4) require, while the date of every one of these that
/// concerns the system is ahead or open. Nothing for other obligations, or once one of them is in force.
pub(crate) fn manner<'law>(
    query: &LawQuery,
    obligation: &'law Obligation,
    words: Words,
) -> Option<DatedObligation<'law>> {
    if obligation.risk_class != RiskClass::Transparency || !routes::is_about_any_case(&obligation.id) {
        return None;
    }
    let gates = [
        class_gate(query, obligation, Words::Spared),
        role_gate(query, obligation, Words::Spared),
    ];
    let scope = scope_gate(query, obligation, Words::Spared);
    if !scope.iter().chain(&gates).all(|gate| gate.known.is_yes()) {
        return None;
    }
    let cases: Vec<(&Obligation, Span)> = TransparencyCase::ALL
        .iter()
        .filter(|case| query.risk.transparency(**case).is_yes() && !query.roles.get(case.bound()).is_no())
        .flat_map(|case| routes::obligations_of(*case))
        .map(|own| (own, span::of(query, own)))
        .collect();
    if cases.iter().any(|(_, span)| span.latest() <= query.as_of) {
        return None;
    }
    let (own, first) = cases.iter().min_by_key(|(_, span)| (span.earliest(), span.latest()))?;
    let certain = cases.iter().map(|(_, span)| span.latest()).min();
    let applies = if first.earliest() <= query.as_of {
        Applies::Undetermined
    } else {
        Applies::Upcoming
    };
    let (cite, one) = (obligation.citation(), own.citation());
    Some(DatedObligation {
        obligation,
        applies,
        applies_from: Some(first.earliest()),
        earliest_reading: None,
        certain_from: certain.filter(|_| applies == Applies::Undetermined),
        starts: if applies == Applies::Undetermined {
            first.starts()
        } else {
            Vec::new()
        },
        because: words.say(|| match applies {
            Applies::Undetermined => format!(
                "{cite} applies together with {one}, which is {}. It is not known whether {}. Whatever the answer is, it \
                 applies from {}.",
                in_force(&first.starts(), query.as_of),
                first.open,
                certain.unwrap_or(first.latest())
            ),
            _ => format!("{cite} will apply together with {one}: {}.", first.words("from")),
        }),
        asks: first.asks.filter(|_| applies == Applies::Undetermined),
    })
}

/// A ban needs no fact: it binds every operator, whether or not a project shows the practice.
pub(crate) fn prohibition<'law>(query: &LawQuery, obligation: &'law Obligation, words: Words) -> DatedObligation<'law> {
    let cite = words.say(|| obligation.citation());
    let date = obligation.applies_from;
    let one = obligation.references.len() == 1;
    if let Some(gate) = scope_gate(query, obligation, words).filter(|gate| !gate.known.is_yes()) {
        let (applies, because) = match gate.known {
            Known::No => (
                Applies::DoesNotApply,
                words.say(|| {
                    format!(
                        "{cite} {} not apply: {}. {} would apply from {date} if {}.",
                        if one { "does" } else { "do" },
                        gate.clause,
                        if one { "It" } else { "They" },
                        gate.needs
                    )
                }),
            ),
            _ => (
                Applies::Undetermined,
                words.say(|| {
                    format!(
                        "{cite} {} only if {}. This is not determined. Start date: {date}.",
                        if one { "applies" } else { "apply" },
                        gate.needs
                    )
                }),
            ),
        };
        return DatedObligation {
            obligation,
            applies,
            applies_from: Some(date).filter(|_| applies == Applies::Undetermined),
            earliest_reading: obligation.applies_from_earliest_reading,
            certain_from: None,
            starts: Vec::new(),
            because,
            asks: Some(gate.asks).filter(|_| applies == Applies::Undetermined),
        };
    }
    let have = if one { "has" } else { "have" };
    let (applies, because) = if query.as_of >= date {
        (
            Applies::Applies,
            words.say(|| {
                format!(
                    "{cite} {have} bound every operator since {date}, whether or not this project shows the practice."
                )
            }),
        )
    } else {
        (
            Applies::Upcoming,
            words.say(|| {
                format!("{cite} will bind every operator from {date}, whether or not this project shows the practice.")
            }),
        )
    };
    DatedObligation {
        obligation,
        applies,
        applies_from: Some(date),
        earliest_reading: obligation.applies_from_earliest_reading,
        certain_from: None,
        starts: Vec::new(),
        because,
        asks: None,
    }
}
