//! The dates an obligation can apply from, given what is known about route and placement on the market.

use jiff::civil::{Date, date};

use crate::conditions::Condition;
use crate::evaluate::{Gate, Part, Words};
use crate::facts::Fact;
use crate::known::Known;
use crate::obligations::Obligation;
use crate::query::LawQuery;
use crate::routes::{Entry, entry};
use crate::vocabulary::{RiskClass, Route};

/// The rules for general-purpose AI models began; earlier models have a later date (Art. 111(3)).
pub(crate) const MODELS_FROM: Date = date(2025, 8, 2);
/// Earlier models comply by this day (Art. 111(3)).
pub(crate) const EARLIER_MODELS_FROM: Date = date(2027, 8, 2);
/// Generative systems placed on the market before this day have a later date (Art. 111(4)).
pub(crate) const GENERATIVE_FROM: Date = date(2026, 8, 2);
/// Chapter III begins for Annex III systems (Art. 113(c)).
pub(crate) const ANNEX_III_FROM: Date = date(2027, 12, 2);
/// Chapter III begins for Annex I systems (Art. 113(c)).
pub(crate) const ANNEX_I_FROM: Date = date(2028, 8, 2);
/// Earlier high-risk systems for public authorities comply by this day (Art. 111(2)).
pub(crate) const EARLIER_PUBLIC_FROM: Date = date(2030, 8, 2);

/// The dates that are still possible, each with the words for its route.
#[derive(Debug)]
pub(crate) struct Span {
    /// Never empty, in the order of the dates.
    dates: Vec<(Date, &'static str)>,
    /// The day by which the obligation binds on every reading of the facts that is still possible.
    latest: Date,
    /// The fact that would leave one date.
    pub(crate) asks: Option<Fact>,
    /// The same fact as a clause that can follow "whether"; empty with one date.
    pub(crate) open: &'static str,
    /// Sentences to add to the reason.
    pub(crate) remarks: Vec<String>,
}

impl Span {
    fn single(date: Date, label: &'static str) -> Self {
        Self {
            dates: vec![(date, label)],
            latest: date,
            asks: None,
            open: "",
            remarks: Vec::new(),
        }
    }

    fn either(first: Date, second: (Date, &'static str), open: &'static str) -> Self {
        Self {
            dates: vec![(first, ""), second],
            latest: first.max(second.0),
            asks: Some(Fact::PlacedOnMarket),
            open,
            remarks: Vec::new(),
        }
    }

    /// The first day on which the obligation can bind.
    pub(crate) fn earliest(&self) -> Date {
        self.dates.first().map_or(self.latest, |(date, _)| *date)
    }

    /// The day from which the obligation binds whatever is still open.
    pub(crate) fn latest(&self) -> Date {
        self.latest
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
            [(date, label)] if label.is_empty() || label.starts_with("for Annex") => Some(*date),
            _ => None,
        }
    }

    /// The dates in words, for example `from 2027-12-02 for Annex III uses`; without a preposition the dates alone.
    pub(crate) fn words(&self, preposition: &str) -> String {
        let parts: Vec<_> = self
            .dates
            .iter()
            .map(|(date, label)| format!("{preposition} {date} {label}").trim().to_owned())
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
        RiskClass::Gpai | RiskClass::GpaiSystemic if obligation.date_on(Route::All) == Some(MODELS_FROM) => Some((
            MODELS_FROM,
            EARLIER_MODELS_FROM,
            Route::LegacyGpai,
            "for models placed on the market from then on",
            "the model was on the market before 2025-08-02",
        )),
        _ => obligation.date_on(Route::LegacyGenerative).map(|date| {
            (
                GENERATIVE_FROM,
                date,
                Route::LegacyGenerative,
                "for systems placed on the market from then on",
                "the system was on the market before 2026-08-02",
            )
        }),
    };
    let Some((cutoff, later_date, route, others, open)) = later else {
        return Span::single(main, "");
    };
    match query.placed_on_market {
        Some(placed) if placed < cutoff => Span::single(later_date, route.label()),
        Some(_) => Span::single(main, others),
        None if query.not_placed_before.is_some_and(|day| day >= cutoff) => Span::single(main, others),
        None => Span::either(main, (later_date, route.label()), open),
    }
}

fn of_high_risk(query: &LawQuery, obligation: &Obligation) -> Span {
    let entry = entry(&obligation.id);
    let mut possible: Vec<(Date, &'static str, Known)> = obligation
        .applies_from_by_route
        .iter()
        .filter(|(route, _)| entry.admits(**route))
        .map(|(route, date)| (*date, route.label(), entry.by_route(&query.risk, *route)))
        .collect();
    possible.sort_by_key(|(date, ..)| *date);
    // Where no route is open the reason still names every date that a changed fact could bring.
    if possible.iter().any(|(_, _, known)| !known.is_no()) {
        possible.retain(|(_, _, known)| !known.is_no());
    }
    // A route that is known to hold makes every later one irrelevant.
    if let Some(sure) = possible.iter().position(|(_, _, known)| known.is_yes()) {
        possible.truncate(sure + 1);
    }
    let latest = possible.last().map_or(obligation.applies_from, |(date, ..)| *date);
    let dates = possible.into_iter().map(|(date, label, _)| (date, label)).collect();
    Span {
        dates,
        latest,
        asks: Some(Fact::HighRisk),
        open: if query.risk.annex_iii().is_yes() {
            "the provider concludes under Art. 6(3) that the Annex III use is not high-risk"
        } else {
            "the system is used for a purpose in Annex III"
        },
        remarks: Vec::new(),
    }
}

/// The transition rules of Art. 111, which can lift, delay or question an obligation.
pub(crate) fn legacy_gate(query: &LawQuery, obligation: &Obligation, span: &mut Span, words: Words) -> Option<Gate> {
    if obligation.date_on(Route::LegacyGpai).is_some() {
        return Some(placed_before(query, MODELS_FROM, MODELS_FROM, "the model", words));
    }
    if obligation.date_on(Route::LegacyPublicAuthority).is_some() {
        let (from, until) = match (query.risk.annex_iii(), query.risk.section_a()) {
            (Known::Yes, _) | (_, Known::No) => (ANNEX_III_FROM, ANNEX_III_FROM),
            (Known::No, _) => (ANNEX_I_FROM, ANNEX_I_FROM),
            _ => (ANNEX_III_FROM, ANNEX_I_FROM),
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
    let label = Route::LegacyPublicAuthority.label();
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
            *span = Span::single(EARLIER_PUBLIC_FROM, label);
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
            *span = Span::single(EARLIER_PUBLIC_FROM, label);
            gate(
                Known::Unknown,
                "",
                "the system is intended for public authorities, as it was on the market before the rules began to apply \
                 (Art. 111(2))",
                Fact::Condition(Condition::PublicAuthority),
            )
        }
        (Known::Unknown, Known::Yes) => {
            span.dates.push((EARLIER_PUBLIC_FROM, label));
            span.latest = EARLIER_PUBLIC_FROM;
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
        (Known::Unknown, _) => gate(
            Known::Unknown,
            "",
            if public.is_no() {
                "the design of the system was significantly changed after the rules began to apply (Art. 111(2))"
            } else {
                "the design was significantly changed after the rules began to apply, or the system is intended for public \
                 authorities (then from 2030-08-02)"
            },
            Fact::SignificantChange,
        ),
    }
}
