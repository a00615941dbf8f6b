//! The gates for the high-risk class with its two routes and for the cases of Art. 50.

use std::collections::BTreeSet;

use crate::conditions::{Condition, Hinge, hinges};
use crate::data::regulation;
use crate::evaluate::{Gate, Part, Words, listed, no_sign_that};
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
    /// A use listed in Annex III that is exempt from the high-risk class under Art. 6(3).
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
/// The provisions named here cover one route or section only, which the dates in the data do not always show:
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
        Known::Unknown => String::new(),
    });
    Gate {
        part: Part::Class,
        known,
        clause,
        asks: asks(risk, entry, &admitted),
        needs: words.say(|| needs(risk, entry, &admitted).to_owned()),
    }
}

fn holds(risk: &RiskFacts, entry: Entry, admitted: &[Route]) -> String {
    if entry == Entry::ExemptUse {
        return "the system is used for a purpose in Annex III, and the provider claims the Art. 6(3) exemption"
            .to_owned();
    }
    if admitted.contains(&Route::AnnexIii) && entry.by_route(risk, Route::AnnexIii).is_yes() {
        return match annex_iii_points(risk.annex_iii_points.iter().map(String::as_str)) {
            points if points.is_empty() => "the system is used for a purpose in Annex III".to_owned(),
            points => format!("the use falls under {points}"),
        };
    }
    if admitted.contains(&Route::AnnexI) && entry.by_route(risk, Route::AnnexI).is_yes() {
        return "the system is an Annex I product or a safety component of one".to_owned();
    }
    "the system is high-risk".to_owned()
}

fn fails(risk: &RiskFacts, entry: Entry, admitted: &[Route]) -> String {
    let listed = risk.annex_iii().is_yes();
    if entry == Entry::Classified && listed && risk.exemption_claimed.is_yes() {
        return "the provider claims the Art. 6(3) exemption for the Annex III use".to_owned();
    }
    if entry == Entry::ExemptUse && !risk.annex_iii().is_no() {
        return "the provider does not claim the Art. 6(3) exemption".to_owned();
    }
    if admitted.contains(&Route::AnnexI) && risk.section_b().is_yes() {
        return "the product falls under Section B of Annex I, for which only Art. 6(1), 60a and 102 to 112 apply \
                (Art. 2(2))"
            .to_owned();
    }
    if entry == Entry::ProductSectionB && risk.section_a().is_yes() {
        return "the product falls under Section A of Annex I".to_owned();
    }
    match (admitted.contains(&Route::AnnexIii), admitted.contains(&Route::AnnexI)) {
        (true, false) => "no use for a purpose in Annex III is known".to_owned(),
        (false, true) => "the system is not known to be an Annex I product or a safety component of one".to_owned(),
        _ => "no use for a purpose in Annex III and no Annex I product is known".to_owned(),
    }
}

/// What raised the question of Annex III, where it says something about the uses that this obligation covers.
pub(crate) fn indicator<'query>(query: &'query LawQuery, obligation: &Obligation) -> Option<&'query str> {
    let by_annex_iii = obligation.date_on(Route::AnnexIii).is_some() && entry(&obligation.id).admits(Route::AnnexIii);
    let indicator = query.risk.indicator.as_deref().filter(|_| by_annex_iii)?;
    let names = |area: char| indicator.contains(&format!("point {area}"));
    let concerns = |hinge: &Hinge| match hinge {
        Hinge::Needs(
            Condition::BiometricArea | Condition::RemoteBiometricIdentification | Condition::RealTimeIdentification,
        ) => names('1'),
        Hinge::Needs(Condition::OtherArea) => ('2'..='8').any(names),
        _ => true,
    };
    let names_none = !('1'..='8').any(names);
    (names_none || hinges(&obligation.id).iter().all(concerns)).then_some(indicator)
}

/// Points of Annex III with their topics, for example `Annex III point 1(c) (emotion recognition) and point 3 (education)`.
///
/// The points come in their order, and one that another includes is left out.
pub fn annex_iii_points<'point>(points: impl Iterator<Item = &'point str>) -> String {
    let points: BTreeSet<&str> = points.collect();
    let named: Vec<String> = points
        .iter()
        .filter(|point| !points.iter().any(|other| other.starts_with(&format!("{point}("))))
        .map(|point| format!("point {point} ({})", topic(point)))
        .collect();
    if named.is_empty() {
        return String::new();
    }
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    format!("Annex III {}", listed(&named, "and"))
}

/// What a point of Annex III is about.
fn topic(point: &str) -> &'static str {
    match point {
        "1(c)" => "emotion recognition",
        "5(a)" => "public benefits and services",
        "5(b)" => "creditworthiness",
        "5(c)" => "life and health insurance",
        "5(d)" => "emergency calls",
        _ => match point.chars().next() {
            Some('1') => "biometrics",
            Some('2') => "critical infrastructure",
            Some('3') => "education",
            Some('4') => "employment",
            Some('5') => "essential services and benefits",
            Some('6') => "law enforcement",
            Some('7') => "migration and border control",
            Some('8') => "justice and democratic processes",
            _ => "no known area",
        },
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

/// The fact that must be true for the class, without the part of it that is known.
fn needs(risk: &RiskFacts, entry: Entry, admitted: &[Route]) -> &'static str {
    let listed = risk.annex_iii().is_yes();
    match (
        entry,
        admitted.contains(&Route::AnnexIii),
        admitted.contains(&Route::AnnexI),
    ) {
        (Entry::ExemptUse, ..) if listed => "the provider concludes under Art. 6(3) that the system is not high-risk",
        (Entry::ExemptUse, ..) => {
            "the system is used for a purpose in Annex III and the provider concludes under Art. 6(3) that it is not high-risk"
        }
        (Entry::Classified, true, false) if listed => "the provider does not claim the Art. 6(3) exemption",
        (_, true, false) => "the system is used for a purpose in Annex III",
        (Entry::ProductSectionB, ..) => {
            "the system is a product, or a safety component of one, under Section B of Annex I"
        }
        (Entry::Product, ..) => "the system is an Annex I product or a safety component of one",
        (_, false, true) if risk.annex_i().is_yes() => "the product falls under Section A of Annex I",
        (_, false, true) => "the system is an Annex I product or a safety component of one",
        _ if risk.annex_i().is_yes() && risk.annex_i_section_b.is_unknown() && risk.annex_iii().is_no() => {
            "the product falls under Section A of Annex I"
        }
        _ if risk.is_high_risk().is_unknown() => "the system is high-risk",
        _ if listed => "the provider no longer claims the Art. 6(3) exemption",
        _ if risk.section_b().is_yes() => {
            "the system is used for a purpose in Annex III or is a product under Section A of Annex I"
        }
        _ => "the system is used for a purpose in Annex III or is an Annex I product",
    }
}

/// The cases of Art. 50 on which an obligation depends; the paragraphs on manner and on other law depend on any case.
fn cases(obligation_id: &str) -> Vec<TransparencyCase> {
    let own = regulation()
        .article_50_cases()
        .iter()
        .filter(|case| case.obligation_ids.iter().any(|id| id == obligation_id))
        .find_map(|case| TransparencyCase::ALL.iter().find(|known| known.id() == case.id));
    own.map_or_else(|| TransparencyCase::ALL.to_vec(), |case| vec![*case])
}

/// Whether an obligation depends on any case of Art. 50 and not on one of its own: how to inform (5), and other law (6).
pub(crate) fn is_about_any_case(obligation_id: &str) -> bool {
    cases(obligation_id).len() > 1
}

/// The obligations of one case.
pub(crate) fn obligations_of(case: TransparencyCase) -> impl Iterator<Item = &'static Obligation> {
    let law = regulation();
    law.article_50_cases()
        .iter()
        .filter(move |known| known.id == case.id())
        .flat_map(|known| &known.obligation_ids)
        .filter_map(|id| law.obligation(id))
        .filter(|own| !is_about_any_case(&own.id))
}

pub(crate) fn transparency_gate(query: &LawQuery, obligation: &Obligation, words: Words) -> Gate {
    let cases = cases(&obligation.id);
    if let [case] = cases.as_slice() {
        let known = query.risk.transparency(*case);
        let clause = words.say(|| match known {
            Known::Yes => case.clause().to_owned(),
            Known::No => query.risk.grounds.get(case).map_or_else(
                || no_sign_that(case.clause()),
                |ground| format!("the obligation requires that {}, but {ground}", case.clause()),
            ),
            Known::Unknown => String::new(),
        });
        return Gate {
            part: Part::Class,
            known,
            clause,
            asks: Fact::Case(*case),
            needs: words.say(|| case.clause().to_owned()),
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
    let any = "the system is in a case of Art. 50(1) to (4) that binds the organisation";
    let (clause, needs, asks) = match (known, in_play(Known::Yes)) {
        (Known::Yes, case) => (case.map_or("", |case| case.clause()), any.to_owned(), Fact::Role),
        (Known::No, _) => (
            "no case of Art. 50(1) to (4) that binds the organisation was found or stated",
            any.to_owned(),
            Fact::Role,
        ),
        (Known::Unknown, Some(case)) => (
            "",
            format!(
                "the organisation is the {}, because {} binds only this role",
                case.bound().label(),
                case.paragraph()
            ),
            Fact::Role,
        ),
        (Known::Unknown, None) => (
            "",
            any.to_owned(),
            in_play(Known::Unknown).map_or(Fact::Role, |case| Fact::Case(*case)),
        ),
    };
    Gate {
        part: Part::Class,
        known,
        clause: words.say(|| clause.to_owned()),
        asks,
        needs: words.say(|| needs),
    }
}
