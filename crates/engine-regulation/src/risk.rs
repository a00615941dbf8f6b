//! Risk classes, the lists of Annexes I and III, the cases of Art. 50 and the thresholds for models.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize};

use crate::sources::Head;
use crate::vocabulary::RiskClass;

/// Everything the Act says on how a system or model gets its class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskTables {
    #[serde(skip_serializing)]
    pub(crate) meta: Head,
    /// The classes with their rank and legal basis.
    pub classes: Vec<RiskClassRecord>,
    /// The practices banned by Art. 5.
    pub prohibited: Vec<ProhibitedPractice>,
    /// The eight areas of Annex III.
    pub annex_iii: Vec<AnnexIiiArea>,
    /// Special rules for some points of Annex III.
    pub annex_iii_special: Vec<SpecialRule>,
    /// The exemption for low-impact uses of Annex III.
    pub article_6_3: Article6Exemption,
    /// The test for products under Annex I.
    pub article_6_1: Article6ProductTest,
    /// The acts of Annex I.
    pub annex_i: Vec<AnnexIAct>,
    /// A remark on Annex I after the amendment.
    pub annex_i_note: String,
    /// The cases of Art. 50.
    pub article_50_cases: Vec<Article50Case>,
    /// The exceptions from Art. 50, by paragraph.
    pub article_50_exceptions: Vec<Article50Exception>,
    /// Thresholds for general-purpose AI models.
    pub gpai: GpaiThresholds,
}

/// A class of risk with its rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskClassRecord {
    /// The class.
    pub id: RiskClass,
    /// Higher is stricter; models and systems are ranked side by side.
    pub rank: u8,
    /// Title.
    pub title: String,
    /// Provisions that define the class.
    pub basis: String,
}

/// A practice banned by Art. 5.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProhibitedPractice {
    /// Stable id, for example `ART5-1-ba`.
    pub id: String,
    /// The exact point.
    pub reference: String,
    /// The practice in our own words.
    pub practice: String,
    /// From when it is banned.
    pub applies_from: Date,
    /// The obligation not to do it.
    pub obligation_id: String,
}

/// An area of Annex III.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnnexIiiArea {
    /// Point of the annex, `1` to `8`.
    pub area: String,
    /// Title.
    pub title: String,
    /// A condition on the whole area.
    pub condition: Option<String>,
    /// The uses listed in it.
    pub points: Vec<AnnexIiiPoint>,
    /// Words that raise a question about the area; they never decide it.
    pub detection_keywords: Vec<String>,
    /// From when high-risk rules apply to it.
    pub applies_from: Date,
}

/// A use listed in Annex III.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnnexIiiPoint {
    /// Stable id, for example `ANNEX-III-4a`.
    pub id: String,
    /// The exact point.
    pub reference: String,
    /// The use in our own words.
    #[serde(rename = "use")]
    pub usage: String,
}

/// A rule that treats some points of Annex III differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialRule {
    /// The rule in our own words.
    pub rule: String,
    /// The provisions it rests on.
    pub basis: String,
}

/// The exemption of Art. 6(3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Article6Exemption {
    /// The general test.
    pub chapeau: String,
    /// The conditions, of which one is needed.
    pub conditions: Vec<ExemptionCondition>,
    /// When the exemption never applies.
    #[serde(rename = "override")]
    pub never_when: String,
    /// The duties of a provider that claims it.
    pub duties: Vec<String>,
    /// The obligations behind those duties.
    pub obligation_ids: Vec<String>,
}

/// One condition of the exemption of Art. 6(3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExemptionCondition {
    /// Stable id, for example `6-3-a`.
    pub id: String,
    /// The condition in our own words.
    pub text: String,
}

/// The test of Art. 6(1) for products.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Article6ProductTest {
    /// Conditions that must all hold.
    pub conditions: Vec<String>,
    /// What keeps a function out of the class.
    pub exclusions: Vec<String>,
    /// What brings it back in.
    #[serde(rename = "override")]
    pub back_in_when: String,
}

/// An act listed in Annex I.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnnexIAct {
    /// Section of the annex, `A` or `B`.
    pub section: String,
    /// Point of the annex.
    pub point: u8,
    /// The act.
    pub act: String,
    /// What it is about.
    pub subject: String,
}

/// A case of Art. 50.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Article50Case {
    /// Stable id, for example `ART50-4-1`.
    pub id: String,
    /// The case in our own words.
    pub case: String,
    /// Who is bound, in words.
    pub bound: String,
    /// The obligations that depend on it.
    pub obligation_ids: Vec<String>,
}

/// An exception from a paragraph of Art. 50.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Article50Exception {
    /// The paragraph.
    pub paragraph: String,
    /// The exception in our own words.
    pub exception: String,
}

/// Thresholds and counts for general-purpose AI models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpaiThresholds {
    /// Training compute above which the Commission takes a model to be general-purpose.
    #[serde(deserialize_with = "number_in_text")]
    pub indicative_threshold_flop: f64,
    /// Where that number comes from.
    pub indicative_threshold_basis: String,
    /// Training compute above which systemic risk is presumed.
    #[serde(deserialize_with = "number_in_text")]
    pub systemic_threshold_flop: f64,
    /// Where that number comes from.
    pub systemic_threshold_basis: String,
    /// When a modifier becomes a provider.
    pub modification_rule: String,
    /// Days to notify a model with systemic risk.
    pub notification_days: u32,
    /// Registered business users above which impact is presumed.
    pub business_user_presumption: u64,
    /// The relief for free and open models.
    pub open_source: String,
}

/// Reads a number that the data writes as text because of its size, such as `1e25`.
fn number_in_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}
