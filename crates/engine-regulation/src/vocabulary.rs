//! The closed word lists of the law data: roles, risk classes, routes, severities and confidences.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares a closed word list whose wire names are the snake case of its variants or are given.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident => $wire:literal, $label:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $wire)] $variant,)+
        }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name on the wire and in the data files.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)+ }
            }

            /// The words for a sentence.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)+ }
            }

            /// The value with this wire name.
            pub fn from_wire(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// The role that an obligation binds.
    Role {
        /// Develops a system or has it developed and places it on the market under its own name (Art. 3(3)).
        Provider => "provider", "provider";
        /// Uses a system under its authority (Art. 3(4)).
        Deployer => "deployer", "deployer";
        /// Brings a system from a third country onto the market (Art. 3(6)).
        Importer => "importer", "importer";
        /// Makes a system available without being provider or importer (Art. 3(7)).
        Distributor => "distributor", "distributor";
        /// Holds the written mandate of a provider outside the Union (Art. 3(5)).
        AuthorisedRepresentative => "authorised_representative", "authorised representative";
        /// Puts a product with a built-in system on the market under its own name (Art. 25(3)).
        ProductManufacturer => "product_manufacturer", "product manufacturer";
        /// Supplies tools, services or components to a provider, or changes a system (Art. 25).
        ThirdParty => "third_party", "third-party supplier";
        /// Places a general-purpose AI model on the market (Arts. 51 to 55).
        GpaiProvider => "gpai_provider", "provider of a general-purpose AI model";
        /// Any operator (Art. 3(8)), in any role.
        AllOperators => "all_operators", "operator";
    }
}

words! {
    /// The class of risk that brings an obligation or an article into play.
    RiskClass {
        /// A practice banned by Art. 5.
        Prohibited => "prohibited", "prohibited practice";
        /// A high-risk system (Art. 6 with Annexes I and III).
        HighRisk => "high_risk", "high-risk system";
        /// A system in one of the cases of Art. 50.
        Transparency => "transparency", "system with transparency duties";
        /// A system in none of the other classes.
        Minimal => "minimal", "minimal-risk system";
        /// A general-purpose AI model.
        Gpai => "gpai", "general-purpose AI model";
        /// A general-purpose AI model with systemic risk.
        GpaiSystemic => "gpai_systemic", "general-purpose AI model with systemic risk";
        /// A system of any class.
        All => "all", "AI system of any class";
        /// Rules for authorities and procedure; used only in the tables of articles and annexes.
        Governance => "governance", "rules for authorities";
    }
}

words! {
    /// The way into an obligation that decides from when it applies.
    Route {
        /// One date for every operator.
        All => "all", "for every operator";
        /// The use falls under Annex III (Art. 6(2)).
        AnnexIii => "annex_iii", "for Annex III uses";
        /// The system is a product, or its safety component, under the law of Annex I (Art. 6(1)).
        AnnexI => "annex_i", "for Annex I products";
        /// A generative system that was on the market before 2026-08-02 (Art. 111(4)).
        LegacyGenerative => "systems_on_market_before_2026-08-02", "for systems on the market before 2026-08-02";
        /// A high-risk system for public authorities that was on the market earlier (Art. 111(2)).
        LegacyPublicAuthority => "legacy_public_authority_systems", "for systems already on the market and intended for public authorities";
        /// A general-purpose AI model that was on the market before 2025-08-02 (Art. 111(3)).
        LegacyGpai => "legacy_gpai_models", "for models on the market before 2025-08-02";
    }
}

words! {
    /// How much a breach weighs, following the tier of fines.
    Severity {
        /// Carries the highest tier of fines.
        Critical => "critical", "critical";
        /// Carries the tier of Art. 99(4) or of Art. 101.
        High => "high", "high";
        /// Carries a national or a minor tier.
        Medium => "medium", "medium";
        /// Carries no fine.
        Low => "low", "low";
    }
}

words! {
    /// How sure the compilers of the data are of a record.
    Confidence {
        /// Read in a primary text.
        High => "high", "high";
        /// Read in secondary texts, or open to more than one reading.
        Medium => "medium", "medium";
        /// From general knowledge or a single weak source.
        Low => "low", "low";
    }
}

words! {
    /// Whether an obligation was in force on the day the data was compiled.
    ApplicationStatus {
        /// Already applicable on the day of the data.
        InForce => "in_force", "in force";
        /// Law, with a date of application after the day of the data.
        AdoptedFutureDate => "adopted_future_date", "adopted, applies later";
    }
}
