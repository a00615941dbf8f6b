//! The dates an obligation can apply from, given what is known about route and placement on the market.

use std::sync::LazyLock;

use jiff::civil::Date;

use crate::conditions::Condition;
use crate::data::regulation;
use crate::evaluate::{Gate, Part, Words};
use crate::facts::Fact;
use crate::known::Known;
use crate::obligations::Obligation;
use crate::query::{LawQuery, Start};
use crate::routes::{Entry, entry};
use crate::vocabulary::{RiskClass, Route};

/// The dates of the transition rules, read from the obligations that have them.
#[derive(Debug)]
pub(crate) struct Transitions {
    /// The rules for general-purpose AI models began; earlier models have a later date (Art. 111(3)).
    pub(crate) models: Date,
    /// Earlier models comply by this day (Art. 111(3)).
    pub(crate) earlier_models: Date,
    /// Generative systems placed on the market before this day have a later date (Art. 111(4)).
    pub(crate) generative: Date,
    /// Chapter III begins for Annex III systems (Art. 113(c)).
    pub(crate) annex_iii: Date,
    /// Chapter III begins for Annex I systems (Art. 113(c)).
    pub(crate) annex_i: Date,
    /// Earlier high-risk systems for public authorities comply by this day (Art. 111(2)).
    pub(crate) earlier_public: Date,
}

/// The dates of the transition rules.
pub(crate) static TRANSITIONS: LazyLock<Transitions> = LazyLock::new(|| Transitions {
    models: day("OBL-102", Route::All),
    earlier_models: day("OBL-127", Route::LegacyGpai),
    generative: day("OBL-095", Route::All),
    annex_iii: day("OBL-017", Route::AnnexIii),
    annex_i: day("OBL-017", Route::AnnexI),
    earlier_public: day("OBL-126", Route::LegacyPublicAuthority),
});

/// A date of the data. A test reads every one of them, so that the fallback is never used.
fn day(obligation: &str, route: Route) -> Date {
    let row = regulation().obligation(obligation);
    row.and_then(|row| row.date_on(route)).unwrap_or(Date::MAX)
}

/// A system that is new under Art. 111(4).
const NEW_SYSTEM: &str = "a new system";
/// A model that is new under Art. 111(3).
const NEW_MODEL: &str = "a new model";

/// A day on which an obligation can begin.
#[derive(Debug, Clone, Copy)]
struct Possible {
    from: Date,
    /// The words after the date.
    label: &'static str,
    /// The noun for the systems or models that it is for.
    case: &'static str,
    /// The same for a system that was on the market before and is covered because its design changed (Art. 111(2)).
    changed: &'static str,
}

impl Possible {
    fn on(route: Route, from: Date) -> Self {
        let case = match route {
            Route::All => "every operator",
            Route::AnnexIii => "an Annex III system",
            Route::AnnexI => "an Annex I product",
            Route::LegacyGenerative => "a system on the market before that day",
            Route::LegacyGpai => "a model on the market before that day",
            Route::LegacyPublicAuthority => "an unchanged system for public authorities",
        };
        let changed = match route {
            Route::AnnexIii => "a significantly changed Annex III system",
            Route::AnnexI => "a significantly changed Annex I product",
            _ => case,
        };
        Self {
            from,
            label: route.label(),
            case,
            changed,
        }
    }

    fn of(from: Date, label: &'static str, case: &'static str) -> Self {
        Self {
            from,
            label,
            case,
            changed: case,
        }
    }
}

/// The dates that are still possible, each with the words for its route.
#[derive(Debug)]
pub(crate) struct Span {
    /// Never empty, in the order of the dates.
    dates: Vec<Possible>,
    /// The day by which the obligation binds on every reading of the facts that is still possible.
    latest: Date,
    /// The fact that would leave one date.
    pub(crate) asks: Option<Fact>,
    /// The same fact as a clause that can follow "whether"; empty with one date.
    pub(crate) open: &'static str,
    /// Whether a transition rule can still lift the obligation, which was announced before its first date.
    pub(crate) announced: bool,
    /// Sentences to add to the reason.
    pub(crate) remarks: Vec<String>,
}

impl Span {
    fn single(date: Date, label: &'static str) -> Self {
        Self {
            dates: vec![Possible::of(date, label, "")],
            latest: date,
            asks: None,
            open: "",
            announced: false,
            remarks: Vec::new(),
        }
    }

    fn either(first: Date, new: &'static str, second: Possible, open: &'static str) -> Self {
        Self {
            dates: vec![Possible::of(first, "", new), second],
            latest: first.max(second.from),
            asks: Some(Fact::PlacedOnMarket),
            open,
            announced: false,
            remarks: Vec::new(),
        }
    }

    /// The first day on which the obligation can bind.
    pub(crate) fn earliest(&self) -> Date {
        self.dates.first().map_or(self.latest, |start| start.from)
    }

    /// The day from which the obligation binds whatever is still open.
    pub(crate) fn latest(&self) -> Date {
        self.latest
    }

    /// The days on which it can begin, each with its case.
    pub(crate) fn starts(&self) -> Vec<Start> {
        let start = |possible: &Possible| Start {
            from: possible.from,
            case: possible.case,
        };
        self.dates.iter().map(start).collect()
    }

    /// Names the change of design in the starts before which the system was on the market.
    fn change_from(&mut self, placed: Option<Date>) {
        let earlier = |start: &&mut Possible| placed.is_some_and(|placed| placed < start.from);
        for start in self.dates.iter_mut().filter(earlier) {
            start.case = start.changed;
        }
    }

    /// The date to name for an obligation that binds on this day.
    pub(crate) fn reached(&self, as_of: Date) -> Date {
        if self.latest <= as_of {
            self.latest
        } else {
            self.earliest()
        }
    }

    /// The date, where there is one and the facts of the obligation say what it is for.
    pub(crate) fn only(&self) -> Option<Date> {
        match self.dates.as_slice() {
            [start] if start.label.is_empty() || start.label.starts_with("for Annex") => Some(start.from),
            _ => None,
        }
    }

    /// The dates in words, for example `from 2027-12-02 for Annex III uses`; without a preposition the dates alone.
    pub(crate) fn words(&self, preposition: &str) -> String {
        let parts: Vec<_> = self
            .dates
            .iter()
            .map(|start| {
                format!("{preposition} {} {}", start.from, start.label)
                    .trim()
                    .to_owned()
            })
            .collect();
        parts.join(", or ")
    }
}

/// The dates of an obligation for this query.
pub(crate) fn of(query: &LawQuery, obligation: &Obligation) -> Span {
    if obligation.risk_class == RiskClass::HighRisk {
        return of_high_risk(query, obligation);
    }
    let main = obligation.date_on(Route::All).unwrap_or(obligation.applies_from);
    let later = match obligation.risk_class {
        RiskClass::Gpai | RiskClass::GpaiSystemic if obligation.date_on(Route::All) == Some(TRANSITIONS.models) => {
            Some((
                TRANSITIONS.models,
                Possible::on(Route::LegacyGpai, TRANSITIONS.earlier_models),
                NEW_MODEL,
                "for models placed on the market from then on",
                "the model was on the market before 2025-08-02",
            ))
        }
        _ => obligation.date_on(Route::LegacyGenerative).map(|date| {
            (
                TRANSITIONS.generative,
                Possible::on(Route::LegacyGenerative, date),
                NEW_SYSTEM,
                "for systems placed on the market from then on",
                "the system was on the market before 2026-08-02",
            )
        }),
    };
    let Some((cutoff, earlier, new, others, open)) = later else {
        return Span::single(main, "");
    };
    match query.placed_on_market {
        Some(placed) if placed < cutoff => Span::single(earlier.from, earlier.label),
        Some(_) => Span::single(main, others),
        None if query.not_placed_before.is_some_and(|day| day >= cutoff) => Span::single(main, others),
        None => Span::either(main, new, earlier, open),
    }
}

fn of_high_risk(query: &LawQuery, obligation: &Obligation) -> Span {
    let entry = entry(&obligation.id);
    let mut possible: Vec<(Possible, Known)> = obligation
        .applies_from_by_route
        .iter()
        .filter(|(route, _)| entry.admits(**route))
        .map(|(route, date)| (Possible::on(*route, *date), entry.by_route(&query.risk, *route)))
        .collect();
    possible.sort_by_key(|(start, _)| start.from);
    // Where no route is open the reason still names every date that a changed fact could bring.
    if possible.iter().any(|(_, known)| !known.is_no()) {
        possible.retain(|(_, known)| !known.is_no());
    }
    // A route that is known to hold makes every later one irrelevant.
    if let Some(sure) = possible.iter().position(|(_, known)| known.is_yes()) {
        possible.truncate(sure + 1);
    }
    let latest = possible.last().map_or(obligation.applies_from, |(start, _)| start.from);
    let dates = possible.into_iter().map(|(start, _)| start).collect();
    Span {
        dates,
        latest,
        asks: Some(Fact::HighRisk),
        open: if query.risk.annex_iii().is_yes() {
            "the provider concludes under Art. 6(3) that the Annex III use is not high-risk"
        } else {
            "the system is used for a purpose in Annex III"
        },
        announced: false,
        remarks: Vec::new(),
    }
}

/// The transition rules of Art. 111, which can lift, delay or question an obligation.
pub(crate) fn legacy_gate(query: &LawQuery, obligation: &Obligation, span: &mut Span, words: Words) -> Option<Gate> {
    if obligation.date_on(Route::LegacyGpai).is_some() {
        return Some(placed_before(
            query,
            TRANSITIONS.models,
            TRANSITIONS.models,
            "the model",
            words,
        ));
    }
    if obligation.date_on(Route::LegacyPublicAuthority).is_some() {
        let (from, until) = match (query.risk.annex_iii(), query.risk.section_a()) {
            (Known::Yes, _) | (_, Known::No) => (TRANSITIONS.annex_iii, TRANSITIONS.annex_iii),
            (Known::No, _) => (TRANSITIONS.annex_i, TRANSITIONS.annex_i),
            _ => (TRANSITIONS.annex_iii, TRANSITIONS.annex_i),
        };
        return Some(placed_before(query, from, until, "the system", words));
    }
    if obligation.risk_class == RiskClass::HighRisk && entry(&obligation.id) != Entry::ExemptUse {
        return earlier_system(query, span, words);
    }
    None
}

/// Whether something was on the market before a day that may itself be open between two dates.
fn placed_before(query: &LawQuery, from: Date, until: Date, what: &str, words: Words) -> Gate {
    let known = match query.placed_on_market {
        Some(placed) if placed < from => Known::Yes,
        Some(placed) if placed >= until => Known::No,
        None if query.not_placed_before.is_some_and(|day| day >= until) => Known::No,
        None | Some(_) => Known::Unknown,
    };
    let clause = words.say(|| match known {
        Known::Yes => format!("{what} was on the market before {from}"),
        Known::No => format!("{what} was not on the market before {until}, so this transition rule does not cover it"),
        Known::Unknown => String::new(),
    });
    Gate {
        part: Part::Transition,
        known,
        clause,
        asks: Fact::PlacedOnMarket,
        needs: words.say(|| format!("{what} was on the market before {until}")),
    }
}

/// Art. 111(2): a system that was on the market before the rules is covered after a significant change of its design, and
/// one for public authorities by 2030 in any case.
fn earlier_system(query: &LawQuery, span: &mut Span, words: Words) -> Option<Gate> {
    let earlier = match query.placed_on_market {
        None if query.not_placed_before.is_some_and(|day| day >= span.latest()) => Known::No,
        None => {
            span.remarks.push(
                "A system that was on the market before its start date is covered only after a significant change of its \
                 design (Art. 111(2))."
                    .to_owned(),
            );
            return None;
        }
        Some(placed) if placed < span.earliest() => Known::Yes,
        Some(placed) if placed >= span.latest() => Known::No,
        Some(_) => Known::Unknown,
    };
    if earlier.is_no() {
        return None;
    }
    let public = query.known_condition(Condition::PublicAuthority);
    let public_start = Possible::on(Route::LegacyPublicAuthority, TRANSITIONS.earlier_public);
    let gate = |known: Known, clause: &str, needs: &str, asks: Fact| {
        Some(Gate {
            part: Part::Transition,
            known,
            clause: words.say(|| clause.to_owned()),
            asks,
            needs: words.say(|| needs.to_owned()),
        })
    };
    match (query.significantly_changed, public) {
        (Known::Yes, _) => None,
        // On the market between two possible starts: new for one route, an earlier system for public authorities for the other.
        (Known::No, Known::Yes) if earlier.is_unknown() => {
            span.dates
                .retain(|start| query.placed_on_market.is_some_and(|placed| placed >= start.from));
            span.dates.push(public_start);
            span.latest = public_start.from;
            None
        }
        (Known::No, _) if earlier.is_unknown() => gate(
            Known::Unknown,
            "",
            if public.is_no() {
                "the system was not on the market before the rules began to apply, as its design was not significantly changed \
                 since (Art. 111(2))"
            } else {
                "the system was not on the market before the rules began to apply, or is intended for public authorities \
                 (then from 2030-08-02)"
            },
            Fact::HighRisk,
        ),
        (Known::No, Known::Yes) => {
            *span = Span::single(public_start.from, public_start.label);
            None
        }
        (Known::No, Known::No) => gate(
            Known::No,
            "the system was on the market before the rules began to apply, and its design was not significantly changed \
             since (Art. 111(2))",
            "the design of the system is significantly changed (Art. 111(2))",
            Fact::SignificantChange,
        ),
        (Known::No, Known::Unknown) => {
            *span = Span::single(public_start.from, public_start.label);
            gate(
                Known::Unknown,
                "",
                "the system is intended for public authorities, as it was on the market before the rules began to apply \
                 (Art. 111(2))",
                Fact::Condition(Condition::PublicAuthority),
            )
        }
        (Known::Unknown, Known::Yes) => {
            span.change_from(query.placed_on_market);
            span.dates.push(public_start);
            span.latest = public_start.from;
            span.asks = Some(Fact::SignificantChange);
            span.open =
                "the design of the system was significantly changed after the rules began to apply (Art. 111(2))";
            None
        }
        (Known::Unknown, _) if query.as_of < span.earliest() => {
            span.remarks.push(
                "The system is already on the market, so it is covered only after a significant change of its design \
                 (Art. 111(2)). A system intended for public authorities must comply by 2030-08-02 in any case."
                    .to_owned(),
            );
            None
        }
        // Announced until its first date, the obligation keeps its status while this is open.
        (Known::Unknown, _) => {
            span.announced = true;
            span.change_from(query.placed_on_market);
            if !public.is_no() {
                span.dates.push(public_start);
            }
            let needs = if public.is_no() {
                "the design of the system was significantly changed after the rules began to apply (Art. 111(2))"
            } else {
                "the design was significantly changed after the rules began to apply, or the system is intended for public \
                 authorities (then from 2030-08-02)"
            };
            gate(Known::Unknown, "", needs, Fact::SignificantChange)
        }
    }
}
