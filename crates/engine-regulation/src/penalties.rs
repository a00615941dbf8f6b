//! The tiers of fines: statutory ceilings, never a forecast.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::sources::Head;
use crate::vocabulary::Severity;

/// The fines of the Act and the circumstances that determine their amount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalties {
    #[serde(skip_serializing)]
    pub(crate) meta: Head,
    /// The tiers, in the order of the data.
    pub tiers: Vec<PenaltyTier>,
    /// Which turnover the percentages refer to.
    pub turnover_basis: String,
    /// The circumstances that authorities must weigh under Art. 99(7).
    pub setting_factors: Vec<SettingFactor>,
    /// Limitation of the AI Office's power to fine.
    pub limitation: Limitation,
    /// Definitions of small and medium-sized enterprises and small mid-caps.
    pub definitions: SizeDefinitions,
}

/// One ceiling of fines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PenaltyTier {
    /// Stable id, for example `TIER-99-4`.
    pub id: String,
    /// The provision that sets it; none for duties without a fine.
    pub provision: Option<String>,
    /// Which breaches it covers.
    pub conduct: String,
    /// Fixed ceiling in euros.
    pub fixed_eur: Option<u64>,
    /// Ceiling as a percentage of turnover.
    pub turnover_percent: Option<u32>,
    /// How the two ceilings combine.
    pub rule: String,
    /// How they combine for small and medium-sized enterprises.
    pub sme_rule: Option<String>,
    /// How they combine for small mid-caps.
    pub smc_rule: Option<String>,
    /// Who imposes the fine.
    pub imposed_by: Option<String>,
    /// From when fines of this tier are possible.
    pub applies_from: Option<Date>,
    /// Weight of a breach in this tier.
    pub severity: Severity,
    /// The articles the provision lists, where it has a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered_articles: Vec<String>,
    /// A remark on the tier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One circumstance that authorities must weigh under Art. 99(7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingFactor {
    /// The point of Art. 99(7).
    pub provision: String,
    /// The circumstance in our own words.
    pub factor: String,
}

/// How long the AI Office may impose fines after a breach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limitation {
    /// Years after which the power lapses.
    pub ai_office_years: u32,
    /// The provision that says so.
    pub provision: String,
}

/// The definitions of company size that soften the ceilings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeDefinitions {
    /// Small and medium-sized enterprises.
    pub sme: String,
    /// Small mid-cap enterprises.
    pub smc: String,
}
