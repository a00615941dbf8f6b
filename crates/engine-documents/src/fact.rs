//! The facts that a template can name, each declared once.

use engine_profile::question;

use crate::names::names;

names! {
    /// A fact that is not an answer.
    Known {
        /// The name of the organisation.
        OrganizationName => "organization.name";
        /// Where its systems are offered or used.
        OrganizationCountries => "organization.countries";
        /// Its size.
        OrganizationSize => "organization.size";
        /// Whether it is public or provides public services.
        OrganizationPublicRole => "organization.public-role";
        /// The name of the system.
        SystemName => "system.name";
        /// A description of the system.
        SystemDescription => "system.description";
        /// The role of the organisation.
        SystemRole => "system.role";
        /// The risk class.
        SystemRiskClass => "system.risk-class";
        /// The basis of the class.
        SystemRiskBasis => "system.risk-basis";
        /// The points of Annex III.
        SystemAnnexIii => "system.annex-iii";
        /// When it was placed on the market.
        SystemPlacedOnMarket => "system.placed-on-market";
        /// Whether the Act reaches it.
        SystemInUnion => "system.in-union";
        /// Its folder.
        SystemScope => "system.scope";
        /// The version in the passport.
        PassportVersion => "passport.version";
        /// The owner.
        PassportOwner => "passport.owner";
        /// The domain.
        PassportDomain => "passport.domain";
        /// The affected people.
        PassportAffectedPersons => "passport.affected-persons";
        /// The level of autonomy.
        PassportAutonomy => "passport.autonomy";
        /// The framework.
        PassportFramework => "passport.framework";
        /// Limits of use.
        PassportConstraints => "passport.constraints";
        /// Who oversees it.
        PassportOversight => "passport.oversight";
        /// Logs and how long they are kept.
        PassportLogging => "passport.logging";
        /// Input data, personal data and retention.
        PassportData => "passport.data";
        /// Where it can be reached.
        PassportEndpoints => "passport.endpoints";
        /// The contact.
        PassportContact => "passport.contact";
        /// The version of the law data.
        LawVersion => "law.version";
        /// The date from which the document is required.
        LawAppliesFrom => "law.applies-from";
        /// The date of the scan.
        ScanDate => "scan.date";
        /// Files that were read.
        ScanFilesRead => "scan.files-read";
        /// The last evaluation.
        EvaluationLast => "evaluation.last";
        /// The market surveillance authority.
        JurisdictionAuthority => "jurisdiction.authority";
        /// Its contact.
        JurisdictionContact => "jurisdiction.contact";
        /// Its language.
        JurisdictionLanguage => "jurisdiction.language";
    }
}

/// A fact of a template: an answer in the profile, or another known value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// A value that the engine knows.
    Known(Known),
    /// The answer to a question of the profile, by its id.
    Answer(&'static str),
}

impl Fact {
    /// The fact of a name in a template.
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(id) = name.strip_prefix("answer.") {
            return question(id)
                .filter(|spec| spec.id == id)
                .map(|spec| Self::Answer(spec.id));
        }
        Known::from_name(name).map(Self::Known)
    }

    /// Its name in templates and in front matter.
    pub fn name(self) -> String {
        match self {
            Self::Known(known) => known.name().to_owned(),
            Self::Answer(id) => format!("answer.{id}"),
        }
    }

    /// Whether it changes with every scan, so that a change is not worth reporting.
    pub(crate) fn is_of_the_scan(self) -> bool {
        matches!(self, Self::Known(Known::ScanDate | Known::ScanFilesRead))
    }
}
