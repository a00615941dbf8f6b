//! The law-by-date query: facts in, one dated verdict per obligation out.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Condition;
use crate::data::{Regulation, regulation};
use crate::evaluate::{self, Words};
use crate::facts::{Fact, RiskFacts, RoleFacts, ScopeFacts, TransparencyCase};
use crate::known::Known;
use crate::obligations::Obligation;
use crate::vocabulary::Role;

/// Whether an obligation applies on a day, as far as the facts settle it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    /// It applies on that day.
    Applies,
    /// It will apply from a later day.
    Upcoming,
    /// It does not apply on any day.
    DoesNotApply,
    /// An unknown fact decides it.
    Undetermined,
}

/// The verdict on one obligation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedObligation<'law> {
    /// The obligation.
    pub obligation: &'law Obligation,
    /// The verdict.
    pub applies: Applies,
    /// The date on the route that matters; the earliest possible one while the facts leave several open, and none when
    /// the obligation does not apply.
    pub applies_from: Option<Date>,
    /// An earlier date that a literal reading of the Act would give.
    pub earliest_reading: Option<Date>,
    /// One or more plain sentences: the provision, the date and the fact that decided.
    pub because: String,
    /// The date from which an undetermined obligation applies, whichever way the open fact is answered.
    pub certain_from: Option<Date>,
    /// The possible starts of an undetermined obligation while only its start is open; otherwise empty.
    pub starts: Vec<Start>,
    /// The fact that would settle an undetermined verdict, or bring it one step nearer.
    pub asks: Option<Fact>,
}

/// A day on which an obligation can begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The day.
    pub from: Date,
    /// The systems or models that begin on it, such as `an Annex III system`.
    pub case: &'static str,
}

/// A question to the law: what binds this operator with this system on this day.
///
/// Everything starts unknown. Setters take `bool`, `Option<bool>` or [`Known`].
///
/// ```
/// use engine_regulation::{Applies, LawQuery, Role, TransparencyCase};
/// use jiff::civil::date;
///
/// let query = LawQuery::new(date(2026, 11, 20))
///     .role(Role::Provider, true)
///     .transparency(TransparencyCase::DirectInteraction, true)
///     .high_risk(false);
/// let disclosure = query.evaluate_one("OBL-094").ok_or("no such obligation")?;
/// assert_eq!(disclosure.applies, Applies::Applies);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LawQuery {
    /// The day.
    pub as_of: Date,
    /// The roles of the operator.
    pub roles: RoleFacts,
    /// Whether the Act reaches the system at all (Art. 2).
    pub scope: ScopeFacts,
    /// The class of the system or model.
    pub risk: RiskFacts,
    /// Facts on which single obligations depend; a missing fact is unknown.
    pub conditions: BTreeMap<Condition, Known>,
    /// The day the system or model was first placed on the market or put into service.
    pub placed_on_market: Option<Date>,
    /// A day before which it was not on the market, where the day itself is not known.
    pub not_placed_before: Option<Date>,
    /// Whether its design was significantly changed after the rules for it began to apply (Art. 111(2)).
    pub significantly_changed: Known,
}

impl LawQuery {
    /// A question of which only the day is known.
    pub fn new(as_of: Date) -> Self {
        Self {
            as_of,
            roles: RoleFacts::default(),
            scope: ScopeFacts::default(),
            risk: RiskFacts::default(),
            conditions: BTreeMap::new(),
            placed_on_market: None,
            not_placed_before: None,
            significantly_changed: Known::Unknown,
        }
    }

    /// Moves the question to another day.
    #[must_use]
    pub fn at(mut self, as_of: Date) -> Self {
        self.as_of = as_of;
        self
    }

    /// Replaces what is known about the roles.
    #[must_use]
    pub fn roles(mut self, roles: RoleFacts) -> Self {
        self.roles = roles;
        self
    }

    /// Sets one role.
    #[must_use]
    pub fn role(mut self, role: Role, known: impl Into<Known>) -> Self {
        self.roles = self.roles.with(role, known.into());
        self
    }

    /// Says whether the system is high-risk, by whatever route.
    #[must_use]
    pub fn high_risk(mut self, known: impl Into<Known>) -> Self {
        self.risk.high_risk = known.into();
        self
    }

    /// Keeps the high-risk class open and says what raised the question.
    #[must_use]
    pub fn high_risk_indicator(mut self, indicator: impl Into<String>) -> Self {
        self.risk.high_risk = Known::Unknown;
        self.risk.indicator = Some(indicator.into());
        self
    }

    /// Says whether the use falls under Annex III.
    #[must_use]
    pub fn annex_iii(mut self, known: impl Into<Known>) -> Self {
        self.risk.annex_iii = known.into();
        self
    }

    /// Adds a point of Annex III the use falls under, as `4(a)`, `4a` or the id `ANNEX-III-4a`.
    #[must_use]
    pub fn annex_iii_point(mut self, point: &str) -> Self {
        let point = point.trim().trim_start_matches("ANNEX-III-").to_ascii_lowercase();
        let digits = point
            .find(|character: char| !character.is_ascii_digit())
            .unwrap_or(point.len());
        let (area, letter) = point.split_at(digits);
        let letter = letter.trim_matches(['(', ')']);
        let normal = if letter.is_empty() {
            area.to_owned()
        } else {
            format!("{area}({letter})")
        };
        self.risk.annex_iii_points.insert(normal);
        self
    }

    /// Says whether the provider claims the Art. 6(3) exemption for the Annex III use.
    #[must_use]
    pub fn exemption_claimed(mut self, known: impl Into<Known>) -> Self {
        self.risk.exemption_claimed = known.into();
        self
    }

    /// Says whether the system is a product, or its safety component, under Annex I, leaving the section open.
    #[must_use]
    pub fn annex_i(mut self, known: impl Into<Known>) -> Self {
        self.risk.annex_i = known.into();
        self
    }

    /// The system is a product, or its safety component, under Section A of Annex I.
    #[must_use]
    pub fn annex_i_section_a(mut self) -> Self {
        self.risk.annex_i = Known::Yes;
        self.risk.annex_i_section_b = Known::No;
        self
    }

    /// The system is a product, or its safety component, under Section B of Annex I.
    #[must_use]
    pub fn annex_i_section_b(mut self) -> Self {
        self.risk.annex_i = Known::Yes;
        self.risk.annex_i_section_b = Known::Yes;
        self
    }

    /// Says whether a general-purpose AI model is concerned, as opposed to a system that uses one.
    #[must_use]
    pub fn gpai(mut self, known: impl Into<Known>) -> Self {
        self.risk.gpai = known.into();
        self
    }

    /// Says whether the model has systemic risk.
    #[must_use]
    pub fn gpai_systemic(mut self, known: impl Into<Known>) -> Self {
        self.risk.gpai_systemic = known.into();
        self
    }

    /// Says whether the system is in one of the cases of Art. 50.
    #[must_use]
    pub fn transparency(mut self, case: TransparencyCase, known: impl Into<Known>) -> Self {
        self.risk.transparency.insert(case, known.into());
        self
    }

    /// Says why a case of Art. 50 is ruled out, as a clause that can follow "and".
    #[must_use]
    pub fn ruled_out(mut self, case: TransparencyCase, ground: impl Into<String>) -> Self {
        self.risk.transparency.insert(case, Known::No);
        self.risk.grounds.insert(case, ground.into());
        self
    }

    /// Says whether a fact holds on which single obligations depend.
    #[must_use]
    pub fn condition(mut self, condition: Condition, known: impl Into<Known>) -> Self {
        self.conditions.insert(condition, known.into());
        self
    }

    /// Says when the system or model was first placed on the market or put into service.
    #[must_use]
    pub fn placed_on_market(mut self, date: impl Into<Option<Date>>) -> Self {
        self.placed_on_market = date.into();
        self
    }

    /// Says that the system or model was not on the market before a day.
    #[must_use]
    pub fn not_placed_before(mut self, date: impl Into<Option<Date>>) -> Self {
        self.not_placed_before = date.into();
        self
    }

    /// Says whether the Act reaches the system at all.
    #[must_use]
    pub fn scope(mut self, scope: ScopeFacts) -> Self {
        self.scope = scope;
        self
    }

    /// Says whether the design was significantly changed after the rules for it began to apply.
    #[must_use]
    pub fn significantly_changed(mut self, known: impl Into<Known>) -> Self {
        self.significantly_changed = known.into();
        self
    }

    /// The verdict on every obligation, in the order of the ids.
    pub fn evaluate(&self) -> Vec<DatedObligation<'static>> {
        regulation()
            .obligations()
            .iter()
            .map(|obligation| evaluate::verdict(self, obligation, Words::Written))
            .collect()
    }

    /// The same without the reasons, which are most of the work: whether each obligation applies, and from when.
    pub fn verdicts(&self) -> Vec<(Applies, Option<Date>)> {
        regulation()
            .obligations()
            .iter()
            .map(|obligation| {
                let verdict = evaluate::verdict(self, obligation, Words::Spared);
                (verdict.applies, verdict.applies_from)
            })
            .collect()
    }

    /// The verdict on one obligation, if there is one with this id.
    pub fn evaluate_one(&self, obligation_id: &str) -> Option<DatedObligation<'static>> {
        regulation()
            .obligation(obligation_id)
            .map(|obligation| evaluate::verdict(self, obligation, Words::Written))
    }

    /// A remark on the day, when it is before the day of the consolidated text.
    pub fn note(&self) -> Option<String> {
        let law: &Regulation = regulation();
        let consolidated = law.version().consolidated_on;
        let day = self.as_of;
        (day < consolidated).then(|| {
            format!(
                "{day} is before {consolidated}, when {} entered into force. The results follow the consolidated text, \
                 not the text in force on {day}.",
                law.version().amended_by.join(" and ")
            )
        })
    }

    /// A condition as stated, else as implied by the points of Annex III and the class.
    pub fn known_condition(&self, condition: Condition) -> Known {
        // Art. 53(2) ends where systemic risk begins, whatever the licence is.
        if condition == Condition::FreeAndOpenModel && self.risk.is_gpai_systemic().is_yes() {
            return Known::No;
        }
        let stated = self.conditions.get(&condition).copied().unwrap_or_default();
        stated.or_else(self.implied_condition(condition))
    }

    fn implied_condition(&self, condition: Condition) -> Known {
        let points = &self.risk.annex_iii_points;
        let areas = self.risk.areas();
        let has = |point: &str| points.contains(point);
        match condition {
            _ if points.is_empty() => Known::Unknown,
            Condition::RemoteBiometricIdentification if has("1(a)") => Known::Yes,
            // Area 1 without its letter leaves open which of the three uses it is.
            Condition::RemoteBiometricIdentification if has("1") => Known::Unknown,
            Condition::RemoteBiometricIdentification => Known::No,
            // Point 1(a) leaves open whether it is in real time and for law enforcement.
            Condition::RealTimeIdentification if !areas.contains("1") => Known::No,
            Condition::BiometricArea => Known::from(areas.contains("1")),
            Condition::OtherArea => Known::from(areas.iter().any(|area| *area != "1")),
            Condition::LawEnforcementUse if areas.contains("6") => Known::Yes,
            Condition::ImpactAssessmentDeployer | Condition::DecisionsOnPersons
                if areas.iter().all(|area| *area == "2") =>
            {
                Known::No
            }
            Condition::ImpactAssessmentDeployer if has("5(b)") || has("5(c)") => Known::Yes,
            Condition::ImpactAssessmentDeployer
                if self
                    .conditions
                    .get(&Condition::PublicAuthority)
                    .is_some_and(|known| known.is_yes()) =>
            {
                Known::Yes
            }
            _ => Known::Unknown,
        }
    }
}
