//! What is known about an operator and a system: roles, risk class, routes and the cases of Art. 50.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Condition;
use crate::known::Known;
use crate::vocabulary::Role;

/// Which roles the operator has; a role that was never mentioned is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoleFacts {
    roles: BTreeMap<Role, Known>,
    provider_or_deployer: bool,
}

impl RoleFacts {
    /// Nothing is known about the role.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// Exactly these roles and no other.
    pub fn exactly(roles: &[Role]) -> Self {
        let mut facts = Self::default();
        for role in Role::ALL.iter().filter(|role| **role != Role::AllOperators) {
            facts.roles.insert(*role, Known::from(roles.contains(role)));
        }
        facts
    }

    /// The organisation builds or uses a system: it is provider or deployer, and it is open which of the two.
    ///
    /// This is what a source tree can show. Duties that bind both then hold without an answer.
    pub fn provider_or_deployer() -> Self {
        Self {
            provider_or_deployer: true,
            ..Self::default()
        }
    }

    /// Sets one role and leaves the others as they are.
    #[must_use]
    pub fn with(mut self, role: Role, known: Known) -> Self {
        self.roles.insert(role, known);
        self
    }

    /// What is known about one role; every operator counts as `AllOperators` unless all roles are ruled out.
    pub fn get(&self, role: Role) -> Known {
        if role == Role::AllOperators {
            let ruled_out = Role::ALL
                .iter()
                .filter(|role| **role != Role::AllOperators)
                .all(|role| self.roles.get(role).copied() == Some(Known::No));
            return Known::from(!ruled_out);
        }
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// Whether at least one of these roles is held.
    pub fn any(&self, roles: &[Role]) -> Known {
        let stated = roles.iter().fold(Known::No, |held, role| held.or(self.get(*role)));
        if stated.is_unknown() && self.is_provider_or_deployer(roles) {
            Known::Yes
        } else {
            stated
        }
    }

    /// The roles known to be held.
    pub fn held(&self) -> impl Iterator<Item = Role> {
        self.roles
            .iter()
            .filter(|(_, known)| known.is_yes())
            .map(|(role, _)| *role)
    }

    fn is_provider_or_deployer(&self, roles: &[Role]) -> bool {
        let both = [Role::Provider, Role::Deployer];
        self.provider_or_deployer
            && both.iter().all(|role| roles.contains(role))
            && !both.iter().all(|role| self.get(*role).is_no())
    }
}

/// A case of Art. 50 that a system may or may not be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransparencyCase {
    /// The system interacts directly with people (Art. 50(1)).
    DirectInteraction,
    /// The system generates or manipulates audio, image, video or text (Art. 50(2)).
    SyntheticContent,
    /// The system recognises emotions or categorises people by biometric data (Art. 50(3)).
    EmotionOrBiometric,
    /// The system generates deep fakes (Art. 50(4), first subparagraph).
    DeepFake,
    /// Generated text is published on matters of public interest (Art. 50(4), second subparagraph).
    PublicInterestText,
}

impl TransparencyCase {
    /// Every case, in the order of the paragraphs.
    pub const ALL: &'static [Self] = &[
        Self::DirectInteraction,
        Self::SyntheticContent,
        Self::EmotionOrBiometric,
        Self::DeepFake,
        Self::PublicInterestText,
    ];

    /// The id of the case in the data.
    pub const fn id(self) -> &'static str {
        match self {
            Self::DirectInteraction => "ART50-1",
            Self::SyntheticContent => "ART50-2",
            Self::EmotionOrBiometric => "ART50-3",
            Self::DeepFake => "ART50-4-1",
            Self::PublicInterestText => "ART50-4-2",
        }
    }

    /// The paragraph of Art. 50 with the duty.
    pub const fn paragraph(self) -> &'static str {
        match self {
            Self::DirectInteraction => "Art. 50(1)",
            Self::SyntheticContent => "Art. 50(2)",
            Self::EmotionOrBiometric => "Art. 50(3)",
            Self::DeepFake | Self::PublicInterestText => "Art. 50(4)",
        }
    }

    /// The role that the duty of the case binds.
    pub const fn bound(self) -> Role {
        match self {
            Self::DirectInteraction | Self::SyntheticContent => Role::Provider,
            Self::EmotionOrBiometric | Self::DeepFake | Self::PublicInterestText => Role::Deployer,
        }
    }

    /// The case as a clause that can follow "if".
    pub const fn clause(self) -> &'static str {
        match self {
            Self::DirectInteraction => "the system interacts directly with people",
            Self::SyntheticContent => "the system generates or manipulates audio, image, video or text",
            Self::EmotionOrBiometric => "the system recognises emotions or categorises people by biometric data",
            Self::DeepFake => "the system generates deep fakes",
            Self::PublicInterestText => {
                "generated text is published to inform the public on matters of public interest"
            }
        }
    }
}

/// A fact that an undetermined verdict needs. The texts of the questions are in `engine-profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// Whether the system is offered or used in the Union (Art. 2(1)).
    InUnion,
    /// Which role the operator has (Art. 3(3) to (8)).
    Role,
    /// Whether the system is high-risk, by whatever route (Art. 6).
    HighRisk,
    /// Whether the use falls under Annex III (Art. 6(2)).
    AnnexIii,
    /// Whether the provider relies on Art. 6(3).
    Exemption,
    /// Whether the system is a product, or its safety component, under Annex I (Art. 6(1)).
    AnnexI,
    /// Which section of Annex I the law of the product is in (Art. 2(2)).
    AnnexISection,
    /// A case of Art. 50.
    Case(TransparencyCase),
    /// Whether a general-purpose AI model is placed on the market (Art. 3(63)).
    GeneralPurposeModel,
    /// Whether that model has systemic risk (Art. 51).
    SystemicRisk,
    /// A fact on which single obligations depend.
    Condition(Condition),
    /// When the system or model was first placed on the market or put into service (Art. 111).
    PlacedOnMarket,
    /// Whether the design was significantly changed since (Art. 111(2)).
    SignificantChange,
}

/// Whether the Act reaches a system at all (Art. 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeFacts {
    /// Whether the system is placed on the market, put into service or used in the Union, or its output is used there.
    pub in_union: Known,
    /// What takes the system out of the Act.
    pub exclusion: Option<Exclusion>,
}

impl Default for ScopeFacts {
    fn default() -> Self {
        Self {
            in_union: Known::Yes,
            exclusion: None,
        }
    }
}

/// What Art. 2 takes out of the Act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exclusion {
    /// Exclusively for military, defence or national security purposes (Art. 2(3)).
    Military,
    /// Used by authorities of a third country under an agreement on law enforcement or judicial cooperation (Art. 2(4)).
    ThirdCountryAuthority,
    /// Developed and put into service for the sole purpose of scientific research (Art. 2(6)).
    Research,
    /// Researched, tested or developed, and not yet placed on the market or put into service (Art. 2(8)).
    PreMarket,
    /// Used by a natural person in a purely personal, non-professional activity (Art. 2(10)).
    PersonalUse,
    /// Released under a free and open licence, and neither high-risk nor under Art. 5 or Art. 50 (Art. 2(12)).
    OpenSource,
}

impl Exclusion {
    /// Every exclusion, in the order of the paragraphs.
    pub const ALL: &'static [Self] = &[
        Self::Military,
        Self::ThirdCountryAuthority,
        Self::Research,
        Self::PreMarket,
        Self::PersonalUse,
        Self::OpenSource,
    ];

    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Military => "military",
            Self::ThirdCountryAuthority => "third-country-authority",
            Self::Research => "research",
            Self::PreMarket => "pre-market",
            Self::PersonalUse => "personal-use",
            Self::OpenSource => "open-source",
        }
    }

    /// The paragraph that grants it.
    pub const fn provision(self) -> &'static str {
        match self {
            Self::Military => "Art. 2(3)",
            Self::ThirdCountryAuthority => "Art. 2(4)",
            Self::Research => "Art. 2(6)",
            Self::PreMarket => "Art. 2(8)",
            Self::PersonalUse => "Art. 2(10)",
            Self::OpenSource => "Art. 2(12)",
        }
    }

    /// The exclusion as a clause.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Military => "the system is used exclusively for military, defence or national security purposes",
            Self::ThirdCountryAuthority => {
                "the system is used by authorities of a third country under an agreement on law enforcement or judicial cooperation"
            }
            Self::Research => {
                "the system was developed and put into service for the sole purpose of scientific research"
            }
            Self::PreMarket => {
                "the system is in research, testing or development and is not yet placed on the market or put into service"
            }
            Self::PersonalUse => "a natural person uses the system in a purely personal, non-professional activity",
            Self::OpenSource => {
                "the system is released under a free and open licence and is neither high-risk nor in a case of Art. 50"
            }
        }
    }
}

/// What is known about the class of a system or model.
///
/// The routes are more specific than the class and rule where they are known: a system known to fall under Annex III is
/// high-risk whatever `high_risk` says, unless the exemption of Art. 6(3) is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskFacts {
    /// Whether the system is high-risk by any route.
    pub high_risk: Known,
    /// Whether the use falls under Annex III.
    pub annex_iii: Known,
    /// The points of Annex III the use falls under, as `4(a)` or `2`; when given, the list is taken as complete.
    pub annex_iii_points: BTreeSet<String>,
    /// Whether the provider claims the Art. 6(3) exemption for the Annex III use; `No` until it is claimed.
    pub exemption_claimed: Known,
    /// Whether the system is a product, or its safety component, under a law of Annex I.
    pub annex_i: Known,
    /// Whether that law is in Section B of Annex I, for which nearly all of the Act does not apply (Art. 2(2)).
    pub annex_i_section_b: Known,
    /// Whether a general-purpose AI model is concerned, as opposed to a system that uses one.
    pub gpai: Known,
    /// Whether such a model has systemic risk.
    pub gpai_systemic: Known,
    /// The cases of Art. 50; a case that was never mentioned is unknown.
    pub transparency: BTreeMap<TransparencyCase, Known>,
    /// Why a case of Art. 50 is ruled out, as a clause; a case without one is taken for not observed.
    pub grounds: BTreeMap<TransparencyCase, String>,
    /// What raised the question of the high-risk class, in words.
    pub indicator: Option<String>,
}

impl Default for RiskFacts {
    fn default() -> Self {
        Self {
            high_risk: Known::Unknown,
            annex_iii: Known::Unknown,
            annex_iii_points: BTreeSet::new(),
            exemption_claimed: Known::No,
            annex_i: Known::Unknown,
            annex_i_section_b: Known::Unknown,
            gpai: Known::Unknown,
            gpai_systemic: Known::Unknown,
            transparency: BTreeMap::new(),
            grounds: BTreeMap::new(),
            indicator: None,
        }
    }
}

impl RiskFacts {
    /// Whether the use falls under Annex III, drawn from the route, the points and the class.
    pub fn annex_iii(&self) -> Known {
        if !self.annex_iii_points.is_empty() {
            return Known::Yes;
        }
        self.annex_iii.or_else(match self.high_risk {
            Known::No => Known::No,
            Known::Yes if self.annex_i.is_no() => Known::Yes,
            _ => Known::Unknown,
        })
    }

    /// Whether the system is an Annex I product, drawn from the route and the class.
    pub fn annex_i(&self) -> Known {
        self.annex_i.or_else(match self.high_risk {
            Known::No => Known::No,
            Known::Yes if self.annex_iii.is_no() && self.annex_iii_points.is_empty() => Known::Yes,
            _ => Known::Unknown,
        })
    }

    /// Whether the system is high-risk by a route that brings in Chapter III.
    pub fn is_high_risk(&self) -> Known {
        let by_routes = self
            .annex_iii()
            .and(self.exemption_claimed.negated())
            .or(self.section_a());
        if by_routes.is_unknown() && !self.exemption_claimed.is_yes() {
            self.high_risk
        } else {
            by_routes
        }
    }

    /// Whether the system is a product under Section A of Annex I.
    pub fn section_a(&self) -> Known {
        self.annex_i().and(self.annex_i_section_b.negated())
    }

    /// Whether the system is a product under Section B of Annex I.
    pub fn section_b(&self) -> Known {
        self.annex_i().and(self.annex_i_section_b)
    }

    /// Whether a general-purpose AI model is concerned.
    pub fn is_gpai(&self) -> Known {
        self.gpai.or_else(if self.gpai_systemic.is_yes() {
            Known::Yes
        } else {
            Known::Unknown
        })
    }

    /// Whether a general-purpose AI model with systemic risk is concerned.
    pub fn is_gpai_systemic(&self) -> Known {
        self.gpai_systemic
            .or_else(if self.gpai.is_no() { Known::No } else { Known::Unknown })
    }

    /// What is known about a case of Art. 50.
    pub fn transparency(&self, case: TransparencyCase) -> Known {
        self.transparency.get(&case).copied().unwrap_or_default()
    }

    /// The areas of Annex III the points belong to.
    pub(crate) fn areas(&self) -> BTreeSet<&str> {
        self.annex_iii_points
            .iter()
            .map(|point| point.split('(').next().unwrap_or(point))
            .collect()
    }
}
