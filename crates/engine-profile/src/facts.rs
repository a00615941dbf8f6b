//! From answers to facts for the law.

use std::collections::{BTreeMap, BTreeSet};

use engine_regulation::{Condition, Exclusion, Fact, Known, LawQuery, Role, TransparencyCase};

use crate::questions::{QUESTIONS, QuestionSpec, States, question};
use crate::value::{NOT_YET, UNKNOWN, Value};

/// The answers that count for one system, by question.
pub type Answers<'a> = BTreeMap<&'a str, &'a Value>;

/// The questions about areas of Annex III.
pub fn area_questions() -> impl Iterator<Item = &'static QuestionSpec> {
    QUESTIONS.iter().filter(|spec| matches!(spec.states, States::Points(_)))
}

/// The ban of real-time remote biometric identification for law enforcement, to which Art. 5(2) to (4) permits exceptions.
pub(crate) const REAL_TIME: &str = "OBL-009";

/// The questions about practices of Art. 5, each with the obligation not to do it.
pub fn practices() -> impl Iterator<Item = (&'static QuestionSpec, &'static str)> {
    QUESTIONS.iter().filter_map(|spec| match spec.states {
        States::Practice(obligation) => Some((spec, obligation)),
        _ => None,
    })
}

/// What the law is asked once the answers are added to what code shows.
///
/// `raised` names the areas of Annex III that code points to: while one of them is open, the class is open.
pub fn facts(code: &LawQuery, answers: &Answers<'_>, raised: &BTreeSet<&str>) -> LawQuery {
    let mut query = code.clone();
    let known = |id: &str| answers.get(id).copied().filter(|value| !value.is_unknown());
    for (id, value) in answers {
        if let Some(spec) = question(id).filter(|_| !value.is_unknown()) {
            query = stated(query, spec, value);
        }
    }
    query = high_risk(query, &known, raised);
    if let Some(value) = known("public-role") {
        let named = ["5(b)", "5(c)"];
        let assessed_anyway = query
            .risk
            .annex_iii_points
            .iter()
            .any(|point| named.contains(&point.as_str()));
        let open = query.risk.annex_iii_points.contains("5");
        let assesses = match value.word() {
            "private" if open => Known::Unknown,
            "private" => Known::from(assessed_anyway),
            // Point 2 is out whoever runs the system: the law data implies it where nothing is stated.
            _ if query.risk.annex_iii_points.iter().all(|point| point == "2") => Known::Unknown,
            _ => Known::Yes,
        };
        query = query
            .condition(Condition::PublicAuthority, value.has("public-body"))
            .condition(Condition::ImpactAssessmentDeployer, assesses);
    }
    query
}

/// One answer that stands on its own.
fn stated(query: LawQuery, spec: &QuestionSpec, value: &Value) -> LawQuery {
    match spec.states {
        States::InUnion => {
            let mut scope = query.scope.clone();
            scope.in_union = Known::from(value.is_yes());
            query.scope(scope)
        }
        States::Exclusion => {
            let mut scope = query.scope.clone();
            scope.exclusion = Exclusion::ALL.iter().copied().find(|one| value.has(one.name()));
            query.scope(scope)
        }
        States::Role => roles(query, value),
        States::PlacedOnMarket if value.has(NOT_YET) => {
            let day = query.as_of;
            query.not_placed_before(day)
        }
        States::PlacedOnMarket => query.placed_on_market(value.date()),
        States::SignificantChange => query.significantly_changed(value.is_yes()),
        States::Case(case) => query.transparency(case, value.is_yes()),
        States::Model => {
            let gpai = !value.is_no();
            query
                .gpai(gpai)
                .gpai_systemic(value.has("gpai-systemic"))
                .role(Role::GpaiProvider, gpai)
        }
        States::Established => query.condition(Condition::ProviderOutsideUnion, value.has("outside")),
        States::Condition(condition) => query.condition(condition, value.is_yes()),
        States::Conditions(rows) => rows.iter().fold(query, |query, (word, condition)| {
            if value.has(word) {
                query.condition(*condition, true)
            } else if value.has(UNKNOWN) {
                query
            } else {
                query.condition(*condition, false)
            }
        }),
        // What Art. 5(2) to (4) asks for binds who makes use of the exceptions.
        States::Practice(REAL_TIME) => query.condition(Condition::RealTimeIdentification, value.is_yes()),
        // These need each other, or say nothing to the law.
        States::Class
        | States::Points(_)
        | States::Exemption
        | States::Profiling
        | States::AnnexI
        | States::PublicRole
        | States::Practice(_)
        | States::Disclosed
        | States::Nothing => query,
    }
}

fn roles(query: LawQuery, value: &Value) -> LawQuery {
    let open = value.has(UNKNOWN);
    Role::ALL
        .iter()
        .filter(|role| !matches!(role, Role::AllOperators | Role::GpaiProvider))
        .fold(query, |query, role| {
            let known = match (value.has(role.as_str()), open) {
                (true, _) => Known::Yes,
                (false, true) => query.roles.get(*role),
                (false, false) => Known::No,
            };
            query.role(*role, known)
        })
}

/// The class with its routes: points of Annex III, the exemption from them, the product under Annex I, or the class alone.
fn high_risk<'v>(mut query: LawQuery, known: &impl Fn(&str) -> Option<&'v Value>, raised: &BTreeSet<&str>) -> LawQuery {
    let mut points = Vec::new();
    let mut ruled_out = BTreeSet::new();
    for spec in area_questions() {
        let States::Points(own) = spec.states else { continue };
        match known(spec.id) {
            Some(value) if value.is_yes() => points.extend(own.first().copied()),
            Some(value) if value.is_no() => {
                ruled_out.insert(spec.id);
            }
            Some(value) => points.extend(own.iter().copied().filter(|point| value.has(point))),
            None => {}
        }
    }
    let product = known("annex-i");
    let class = known("risk-class").map(Value::word);
    if !points.is_empty() {
        query.risk.high_risk = Known::Unknown;
        query = query.annex_iii(true);
        for point in points {
            query = query.annex_iii_point(point);
        }
        query = query.exemption_claimed(exempt(known));
        if product.is_none() {
            query = query.annex_i(false);
        }
    } else if let Some(class) = class {
        query = match class {
            "high" => query.high_risk(true),
            "limited" => query.high_risk(false),
            _ => TransparencyCase::ALL
                .iter()
                .filter(|case| {
                    !QUESTIONS
                        .iter()
                        .any(|spec| spec.states == States::Case(**case) && known(spec.id).is_some())
                })
                .fold(query.high_risk(false), |query, case| query.transparency(*case, false)),
        };
    } else if !raised.is_empty() && raised.iter().all(|id| ruled_out.contains(id)) {
        query.risk.indicator = None;
        query = query.high_risk(false);
    }
    if let Some(value) = product {
        // A stated product rules over a class that was only drawn from code.
        if query.risk.high_risk.is_no() {
            query.risk.high_risk = Known::Unknown;
            query = query.annex_iii(false);
        }
        query = if value.is_no() {
            query.annex_i(false)
        } else if value.word().starts_with("a-") {
            query.annex_i_section_a()
        } else {
            query.annex_i_section_b()
        };
    }
    query
}

/// Whether the exemption of Art. 6(3) is relied on: a ground is needed, and no profiling.
fn exempt<'v>(known: &impl Fn(&str) -> Option<&'v Value>) -> Known {
    let Some(ground) = known("annex-iii-exemption") else {
        return Known::No;
    };
    if ground.is_no() {
        return Known::No;
    }
    known("profiling").map_or(Known::Unknown, |profiles| Known::from(!profiles.is_yes()))
}

/// The question that settles what an undetermined obligation waits for.
pub fn question_for(fact: Fact, answers: &Answers<'_>, raised: &BTreeSet<&str>) -> &'static str {
    let open = |id: &str| answers.get(id).is_none_or(|value| value.is_unknown());
    if matches!(
        fact,
        Fact::HighRisk
            | Fact::AnnexIii
            | Fact::Condition(
                Condition::OtherArea | Condition::BiometricArea | Condition::RemoteBiometricIdentification
            )
    ) {
        // Several areas can be open; the first in the order of the annex comes first.
        let mut areas = area_questions().filter(|spec| raised.contains(spec.id));
        if let Some(area) = areas.find(|spec| open(spec.id)) {
            return area.id;
        }
    }
    // A stated class leaves the route open, which the question on products settles.
    if fact == Fact::HighRisk && !open("risk-class") && open("annex-i") {
        return "annex-i";
    }
    if fact == Fact::Exemption && !open("annex-iii-exemption") {
        return "profiling";
    }
    QUESTIONS
        .iter()
        .find(|spec| spec.settles(fact))
        .map_or("risk-class", |spec| spec.id)
}
