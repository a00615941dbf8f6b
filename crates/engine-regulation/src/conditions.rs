//! Facts beyond role and class on which single obligations depend.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact that an obligation requires, or that lifts an obligation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Special categories of personal data are processed to find or correct bias (Art. 4a).
    SensitiveDataForBias,
    /// The system continues to learn after it was placed on the market (Art. 15(4)).
    LearnsAfterPlacement,
    /// The provider is established outside the Union (Arts. 22 and 54).
    ProviderOutsideUnion,
    /// The role changed hands: own name, substantial modification or new purpose (Art. 25(1)).
    RoleChange,
    /// The deployer controls the input data (Art. 26(4)).
    ControlsInputData,
    /// The system is used at the workplace (Art. 26(7)).
    WorkplaceUse,
    /// The operator is a public authority or a Union body, or the system is intended for one.
    PublicAuthority,
    /// A data protection impact assessment is required (Art. 26(9)).
    DpiaRequired,
    /// The system is used for law enforcement (Art. 26(10)).
    LawEnforcementUse,
    /// The deployer is one of those that assess the impact on fundamental rights (Art. 27(1)).
    ImpactAssessmentDeployer,
    /// The AI Office is competent under Art. 75(1).
    AiOfficeCompetence,
    /// Decisions on persons come from an Annex III system other than point 2 (Art. 86(1)).
    DecisionsOnPersons,
    /// The system is tested in the real world outside a sandbox (Art. 60).
    RealWorldTesting,
    /// The system identifies persons remotely by biometrics (Annex III point 1(a)).
    RemoteBiometricIdentification,
    /// The system identifies persons in real time by remote biometrics in public spaces, for law enforcement (Art. 5(1)(h)).
    RealTimeIdentification,
    /// The use falls under point 1 of Annex III.
    BiometricArea,
    /// The use falls under one of points 2 to 8 of Annex III.
    OtherArea,
    /// The model is free and open and has no systemic risk (Art. 53(2)); this lifts duties.
    FreeAndOpenModel,
}

impl Condition {
    /// Every condition, in the order of the articles.
    pub const ALL: &'static [Self] = &[
        Self::SensitiveDataForBias,
        Self::LearnsAfterPlacement,
        Self::ProviderOutsideUnion,
        Self::RoleChange,
        Self::ControlsInputData,
        Self::WorkplaceUse,
        Self::PublicAuthority,
        Self::DpiaRequired,
        Self::LawEnforcementUse,
        Self::ImpactAssessmentDeployer,
        Self::AiOfficeCompetence,
        Self::DecisionsOnPersons,
        Self::RealWorldTesting,
        Self::RemoteBiometricIdentification,
        Self::RealTimeIdentification,
        Self::BiometricArea,
        Self::OtherArea,
        Self::FreeAndOpenModel,
    ];

    /// The fact as a clause that can follow "if".
    pub const fn clause(self) -> &'static str {
        match self {
            Self::SensitiveDataForBias => "special categories of personal data are processed to detect or correct bias",
            Self::LearnsAfterPlacement => "the system continues to learn after it was placed on the market",
            Self::ProviderOutsideUnion => "the provider is established outside the Union",
            Self::RoleChange => {
                "an operator other than the first provider rebranded the system, modified it substantially, or gave it a new purpose that makes it high-risk"
            }
            Self::ControlsInputData => "the deployer controls the input data",
            Self::WorkplaceUse => "the system is used at the workplace",
            Self::PublicAuthority => {
                "the operator is a public authority or a Union body, or the system is intended for one"
            }
            Self::DpiaRequired => "a data protection impact assessment is required",
            Self::LawEnforcementUse => "the system is used for law enforcement",
            Self::ImpactAssessmentDeployer => {
                "the deployer is a public body or provides public services, or the use is under Annex III point 5(b) or 5(c) (point 2 is exempt)"
            }
            Self::AiOfficeCompetence => {
                "the system is based on the operator's own general-purpose AI model, or is part of a designated very large online platform or search engine"
            }
            Self::DecisionsOnPersons => {
                "an Annex III system (not point 2) leads to decisions about persons, and no other law provides an exception"
            }
            Self::RealWorldTesting => "the system is tested in real-world conditions outside a sandbox",
            Self::RemoteBiometricIdentification => {
                "the system identifies persons remotely by biometrics (Annex III point 1(a))"
            }
            Self::RealTimeIdentification => {
                "the system uses real-time remote biometric identification for law enforcement (Art. 5(1)(h))"
            }
            Self::BiometricArea => "the use falls under Annex III point 1 (biometrics)",
            Self::OtherArea => "the use falls under one of points 2 to 8 of Annex III",
            Self::FreeAndOpenModel => "the model is free and open and has no systemic risk",
        }
    }

    /// Whether the condition itself names a use of Annex III.
    pub(crate) const fn names_use(self) -> bool {
        matches!(
            self,
            Self::BiometricArea | Self::OtherArea | Self::RemoteBiometricIdentification | Self::DecisionsOnPersons
        )
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.clause())
    }
}

/// A fact on which an obligation depends, besides role and class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hinge {
    /// The obligation arises only with the fact, so it must be known before anything is asked.
    Needs(Condition),
    /// The fact lifts the obligation; until the fact is known, the obligation applies.
    LiftedBy(Condition),
}

/// The hinges of each obligation that has any, in the order of the ids.
///
/// The data states conditions in words; this table gives them names. A test holds the two together. Rows for
/// obligations without a stated condition follow from the wording of the provision itself, as their title shows.
pub(crate) const HINGES: &[(&str, &[Hinge])] = &[
    ("OBL-012", &[Hinge::Needs(Condition::RealTimeIdentification)]),
    ("OBL-013", &[Hinge::Needs(Condition::SensitiveDataForBias)]),
    ("OBL-034", &[Hinge::Needs(Condition::RemoteBiometricIdentification)]),
    ("OBL-042", &[Hinge::Needs(Condition::RemoteBiometricIdentification)]),
    ("OBL-046", &[Hinge::Needs(Condition::LearnsAfterPlacement)]),
    ("OBL-059", &[Hinge::Needs(Condition::ProviderOutsideUnion)]),
    ("OBL-066", &[Hinge::Needs(Condition::RoleChange)]),
    ("OBL-067", &[Hinge::Needs(Condition::RoleChange)]),
    ("OBL-072", &[Hinge::Needs(Condition::ControlsInputData)]),
    ("OBL-076", &[Hinge::Needs(Condition::WorkplaceUse)]),
    ("OBL-077", &[Hinge::Needs(Condition::PublicAuthority)]),
    ("OBL-078", &[Hinge::Needs(Condition::DpiaRequired)]),
    (
        "OBL-079",
        &[
            Hinge::Needs(Condition::LawEnforcementUse),
            Hinge::Needs(Condition::RemoteBiometricIdentification),
        ],
    ),
    ("OBL-082", &[Hinge::Needs(Condition::ImpactAssessmentDeployer)]),
    ("OBL-083", &[Hinge::Needs(Condition::ImpactAssessmentDeployer)]),
    ("OBL-084", &[Hinge::Needs(Condition::ImpactAssessmentDeployer)]),
    ("OBL-085", &[Hinge::Needs(Condition::BiometricArea)]),
    ("OBL-086", &[Hinge::Needs(Condition::OtherArea)]),
    ("OBL-093", &[Hinge::Needs(Condition::PublicAuthority)]),
    ("OBL-102", &[Hinge::LiftedBy(Condition::FreeAndOpenModel)]),
    ("OBL-103", &[Hinge::LiftedBy(Condition::FreeAndOpenModel)]),
    (
        "OBL-108",
        &[
            Hinge::Needs(Condition::ProviderOutsideUnion),
            Hinge::LiftedBy(Condition::FreeAndOpenModel),
        ],
    ),
    ("OBL-119", &[Hinge::Needs(Condition::AiOfficeCompetence)]),
    ("OBL-120", &[Hinge::Needs(Condition::DecisionsOnPersons)]),
    ("OBL-121", &[Hinge::Needs(Condition::RealWorldTesting)]),
    ("OBL-122", &[Hinge::Needs(Condition::RealWorldTesting)]),
    ("OBL-126", &[Hinge::Needs(Condition::PublicAuthority)]),
    ("OBL-128", &[Hinge::Needs(Condition::AiOfficeCompetence)]),
];

/// The hinges of an obligation.
pub(crate) fn hinges(obligation_id: &str) -> &'static [Hinge] {
    HINGES
        .binary_search_by(|(id, _)| id.cmp(&obligation_id))
        .map_or(&[], |position| HINGES[position].1)
}
