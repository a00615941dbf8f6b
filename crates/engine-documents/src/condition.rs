//! Conditions under which a part of a template is printed.

use engine_model::{Applies, Capability};

use crate::facts::Facts;
use crate::names::names;
use crate::request::{Industry, Request};

names! {
    /// A condition.
    Condition {
        /// The organisation is a provider, or its role is unknown.
        RoleProvider => "role.provider";
        /// The organisation is a deployer, or its role is unknown.
        RoleDeployer => "role.deployer";
        /// The organisation is an importer.
        RoleImporter => "role.importer";
        /// The organisation is a distributor.
        RoleDistributor => "role.distributor";
        /// The system is high-risk.
        ClassHigh => "class.high";
        /// The system has transparency duties.
        ClassLimited => "class.limited";
        /// The policy is for employment.
        IndustryHr => "industry.hr";
        /// The policy is for credit and insurance.
        IndustryFinance => "industry.finance";
        /// The policy is for health care.
        IndustryHealthcare => "industry.healthcare";
        /// The policy is for education.
        IndustryEducation => "industry.education";
        /// The policy is for legal services.
        IndustryLegal => "industry.legal";
        /// The policy is for biometrics.
        IndustryBiometrics => "industry.biometrics";
        /// The policy is for critical infrastructure.
        IndustryInfrastructure => "industry.infrastructure";
        /// The policy is for public benefits.
        IndustryBenefits => "industry.benefits";
        /// The policy is for law enforcement.
        IndustryLawEnforcement => "industry.law-enforcement";
        /// The policy is for migration.
        IndustryMigration => "industry.migration";
        /// The policy is for justice.
        IndustryJustice => "industry.justice";
        /// A call infers emotions.
        CapabilityEmotion => "capability.emotion";
        /// A call uses biometrics.
        CapabilityBiometric => "capability.biometric";
        /// A call generates images, sound or video.
        CapabilityMedia => "capability.media";
        /// The organisation provides a model with systemic risk.
        GpaiSystemic => "gpai.systemic";
    }
}

/// The duty to evaluate a model with systemic risk, which only its provider has.
const SYSTEMIC: &str = "OBL-109";

impl Condition {
    /// Whether it can hold in a template of this document.
    pub fn is_for(self, document: &str) -> bool {
        !self.name().starts_with("industry.") || document == "ai-usage-policy"
    }

    /// Whether it holds.
    pub fn holds(self, facts: &Facts<'_>, request: &Request) -> bool {
        match self {
            // A part for an unknown role is printed: leaving out a question is worse than asking one too many.
            Self::RoleProvider => facts.role_is_unknown() || facts.has_role("provider"),
            Self::RoleDeployer => facts.role_is_unknown() || facts.has_role("deployer"),
            Self::RoleImporter => facts.has_role("importer"),
            Self::RoleDistributor => facts.has_role("distributor"),
            Self::ClassHigh => facts.system.risk_class == "high",
            Self::ClassLimited => facts.system.risk_class == "limited",
            Self::CapabilityEmotion => facts.can(|one| one == Capability::EmotionInference),
            Self::CapabilityBiometric => facts.can(Capability::is_biometric),
            Self::CapabilityMedia => facts.can(Capability::is_media),
            Self::GpaiSystemic => facts.system.obligations.iter().any(|record| {
                // An open question leaves the part in, as with an unknown role.
                record.obligation_id == SYSTEMIC && record.applies != Applies::DoesNotApply
            }),
            industry => request.industry.map(Industry::name) == industry.name().strip_prefix("industry."),
        }
    }
}
