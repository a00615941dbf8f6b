//! The gates for the high-risk class with its two routes and for the cases of Art. 50.

use crate::data::regulation;
use crate::evaluate::{Gate, Words};
use crate::facts::{Fact, RiskFacts, TransparencyCase};
use crate::known::Known;
use crate::obligations::Obligation;
use crate::query::LawQuery;
use crate::vocabulary::{Role, Route};

/// How a high-risk obligation is entered; most by the class, some by one route or by a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A system classified as high-risk, by either route.
    Classified,
    /// A use listed in Annex III, exempt or not.
    ListedUse,
    /// A use listed in Annex III that is held not high-risk under Art. 6(3).
    ExemptUse,
    /// A product under Annex I, whichever section.
    Product,
    /// A product under Section A of Annex I.
    ProductSectionA,
    /// A product under Section B of Annex I.
    ProductSectionB,
}

/// The entry of an obligation.
///
/// The provisions named here speak of one route or section only, which the dates in the data do not always show:
/// Art. 43(3) is about Section A, and Art. 60a about Section B.
pub(crate) fn entry(obligation_id: &str) -> Entry {
    match obligation_id {
        "OBL-014" => Entry::Product,
        "OBL-015" => Entry::ListedUse,
        "OBL-016" | "OBL-092" | "OBL-123" => Entry::ExemptUse,
        "OBL-018" | "OBL-068" | "OBL-087" => Entry::ProductSectionA,
        "OBL-122" => Entry::ProductSectionB,
        _ => Entry::Classified,
    }
}

impl Entry {
    /// Whether a route of the data leads to an obligation with this entry at all.
    pub(crate) const fn admits(self, route: Route) -> bool {
        match self {
            Self::Classified => true,
            Self::ListedUse | Self::ExemptUse => matches!(route, Route::AnnexIii),
            Self::Product | Self::ProductSectionA | Self::ProductSectionB => matches!(route, Route::AnnexI),
        }
    }

    /// Whether the system is known to come in by this route.
    pub(crate) fn by_route(self, risk: &RiskFacts, route: Route) -> Known {
        match (self, route) {
            (Self::Classified, Route::AnnexIii) => risk.annex_iii().and(risk.exemption_claimed.negated()),
            (Self::ListedUse, Route::AnnexIii) => risk.annex_iii(),
            (Self::ExemptUse, Route::AnnexIii) => risk.annex_iii().and(risk.exemption_claimed),
            (Self::Product, Route::AnnexI) => risk.annex_i(),
            (Self::Classified | Self::ProductSectionA, Route::AnnexI) => risk.section_a(),
            (Self::ProductSectionB, Route::AnnexI) => risk.section_b(),
            (Self::Classified, _) => risk.is_high_risk(),
            _ => Known::No,
        }
    }
}

pub(crate) fn high_risk_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Gate {
    let risk = &query.risk;
    let entry = entry(&obligation.id);
    let admitted: Vec<Route> = obligation
        .applies_from_by_route
        .keys()
        .copied()
        .filter(|route| entry.admits(*route))
        .collect();
    let by_routes = admitted
        .iter()
        .fold(Known::No, |known, route| known.or(entry.by_route(risk, *route)));
    // A class known without its route is enough where both routes lead to the obligation.
    let both = admitted.contains(&Route::AnnexIii) && admitted.contains(&Route::AnnexI);
    let known = if both && entry == Entry::Classified {
        by_routes.or_else(risk.is_high_risk())
    } else {
        by_routes
    };
    let clause = words.say(|| match known {
        Known::Yes => holds(risk, entry, &admitted),
        Known::No => fails(risk, entry, &admitted),
        Known::Unknown => open(risk, entry, &admitted),
    });
    Gate {
        known,
        clause,
        asks: asks(risk, entry, &admitted),
        change: words.say(|| change(entry, &admitted)),
    }
}

fn holds(risk: &RiskFacts, entry: Entry, admitted: &[Route]) -> String {
    if entry == Entry::ExemptUse {
        return "the provider holds the Annex III use not high-risk under Art. 6(3)".to_owned();
    }
    if admitted.contains(&Route::AnnexIii) && entry.by_route(risk, Route::AnnexIii).is_yes() {
        let points: Vec<_> = risk.annex_iii_points.iter().map(String::as_str).collect();
        return match points.as_slice() {
            [] => "the use falls under Annex III".to_owned(),
            points => format!("the use falls under Annex III point {}", points.join(" and ")),
        };
    }
    if admitted.contains(&Route::AnnexI) && entry.by_route(risk, Route::AnnexI).is_yes() {
        return "the system is a product, or its safety component, under Annex I".to_owned();
    }
    "the system is high-risk".to_owned()
}

fn fails(risk: &RiskFacts, entry: Entry, admitted: &[Route]) -> String {
    let listed = risk.annex_iii().is_yes();
    if entry == Entry::Classified && listed && risk.exemption_claimed.is_yes() {
        return "the provider holds the Annex III use not high-risk under Art. 6(3)".to_owned();
    }
    if entry == Entry::ExemptUse && !risk.annex_iii().is_no() {
        return "nobody holds an Annex III use of this system not high-risk under Art. 6(3)".to_owned();
    }
    if admitted.contains(&Route::AnnexI) && risk.section_b().is_yes() {
        return "the product falls under Section B of Annex I, for which only Art. 6(1), 60a and 102 to 112 hold \
                (Art. 2(2))"
            .to_owned();
    }
    if entry == Entry::ProductSectionB && risk.section_a().is_yes() {
        return "the product falls under Section A of Annex I".to_owned();
    }
    match (admitted.contains(&Route::AnnexIii), admitted.contains(&Route::AnnexI)) {
        (true, false) => "no use under Annex III is known for this system".to_owned(),
        (false, true) => "the system is not known as a product, or its safety component, under Annex I".to_owned(),
        _ => "no use under Annex III and no product under Annex I is known for this system".to_owned(),
    }
}

fn open(risk: &RiskFacts, entry: Entry, admitted: &[Route]) -> String {
    let subject = match (
        entry,
        admitted.contains(&Route::AnnexIii),
        admitted.contains(&Route::AnnexI),
    ) {
        (Entry::ExemptUse, ..) if risk.annex_iii().is_yes() => {
            "it is open whether the Annex III use is held not high-risk under Art. 6(3)"
        }
        (_, true, false) => "it is open whether the use falls under Annex III",
        (_, false, true) => "it is open whether the system is a product, or its safety component, under Annex I",
        _ => "it is open whether the system is high-risk",
    };
    match &risk.indicator {
        Some(indicator) => format!("{subject} (indicator: {indicator})"),
        None => subject.to_owned(),
    }
}

fn asks(risk: &RiskFacts, entry: Entry, admitted: &[Route]) -> Fact {
    let product_open_by_section = risk.annex_i().is_yes() && risk.annex_i_section_b.is_unknown();
    match (admitted.contains(&Route::AnnexIii), admitted.contains(&Route::AnnexI)) {
        (_, true) if product_open_by_section && entry != Entry::Product => Fact::AnnexISection,
        (true, _) if risk.annex_iii().is_yes() && risk.exemption_claimed.is_unknown() => Fact::Exemption,
        (true, false) => Fact::AnnexIii,
        (false, true) => Fact::AnnexI,
        _ => Fact::HighRisk,
    }
}

fn change(entry: Entry, admitted: &[Route]) -> String {
    match (
        entry,
        admitted.contains(&Route::AnnexIii),
        admitted.contains(&Route::AnnexI),
    ) {
        (Entry::ExemptUse, ..) => "An Annex III use held not high-risk under Art. 6(3), stated in the profile,",
        (_, true, false) => "A use under Annex III, stated in the profile,",
        (Entry::ProductSectionB, ..) => "A product under Section B of Annex I, stated in the profile,",
        (_, false, true) => "A product under Annex I, stated in the profile,",
        _ => "A use under Annex III or a product under Annex I, stated in the profile,",
    }
    .to_owned()
}

/// The cases of Art. 50 on which an obligation hangs; the paragraphs on manner and on other law hang on any case.
fn cases(obligation_id: &str) -> Vec<TransparencyCase> {
    let own = regulation()
        .article_50_cases()
        .iter()
        .filter(|case| case.obligation_ids.iter().any(|id| id == obligation_id))
        .find_map(|case| TransparencyCase::ALL.iter().find(|known| known.id() == case.id));
    own.map_or_else(|| TransparencyCase::ALL.to_vec(), |case| vec![*case])
}

pub(crate) fn transparency_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Gate {
    let cases = cases(&obligation.id);
    if let [case] = cases.as_slice() {
        let known = query.risk.transparency(*case);
        let clause = words.say(|| match known {
            Known::Yes => case.clause().to_owned(),
            Known::No => format!(
                "it needs the fact that {}, and {}",
                case.clause(),
                query
                    .risk
                    .grounds
                    .get(case)
                    .map_or("nothing that shows it was observed", String::as_str)
            ),
            Known::Unknown => format!("it is open whether {}", case.clause()),
        });
        return Gate {
            known,
            clause,
            asks: Fact::Case(*case),
            change: words.say(|| format!("The fact that {}", case.clause())),
        };
    }
    // A case counts here only for an operator whom that case binds.
    let risk = &query.risk;
    let any_case = |role: Role| {
        let bound = cases.iter().filter(|case| case.bound() == role);
        bound.fold(Known::No, |known, case| known.or(risk.transparency(*case)))
    };
    let both = [Role::Provider, Role::Deployer];
    let by_role = both.iter().fold(Known::No, |known, role| {
        known.or(any_case(*role).and(query.roles.get(*role)))
    });
    // With a case for each role it no longer matters which of the two the operator has.
    let whichever = both.iter().all(|role| any_case(*role).is_yes()) && query.roles.any(&both).is_yes();
    let known = if by_role.is_unknown() && whichever {
        Known::Yes
    } else {
        by_role
    };
    let in_play = |wanted: Known| {
        cases
            .iter()
            .find(|case| risk.transparency(**case) == wanted && !query.roles.get(case.bound()).is_no())
    };
    let (clause, asks) = match (known, in_play(Known::Yes)) {
        (Known::Yes, case) => (case.map_or("", |case| case.clause()).to_owned(), Fact::Role),
        (Known::No, _) => (
            "the system is in none of the cases of Art. 50(1) to (4) that bind this operator".to_owned(),
            Fact::Role,
        ),
        (Known::Unknown, Some(case)) => (
            format!(
                "{} binds the {} only, and the role is not known",
                case.paragraph(),
                case.bound().label()
            ),
            Fact::Role,
        ),
        (Known::Unknown, None) => (
            "it is open whether the system is in one of the cases of Art. 50(1) to (4)".to_owned(),
            in_play(Known::Unknown).map_or(Fact::Role, |case| Fact::Case(*case)),
        ),
    };
    Gate {
        known,
        clause,
        asks,
        change: "A case of Art. 50(1) to (4)".to_owned(),
    }
}
