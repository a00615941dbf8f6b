//! The statutory ceilings of the fines for open gaps: what the law allows at most, never a forecast.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Applies, Date, ObligationStatus};
use engine_regulation::{PenaltyTier, regulation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formula::round;
use crate::gaps::Duty;

/// The size of the organisation, which decides how the two ceilings of a fine combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// A small or medium-sized enterprise, start-ups included (Recommendation 2003/361/EC).
    Sme,
    /// A small mid-cap enterprise (Recommendation (EU) 2025/1099).
    SmallMidCap,
    /// Any other organisation.
    Other,
}

/// The group whose rule was used for a ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FineRuleFor {
    /// The rule for small and medium-sized enterprises, Art. 99(6).
    Sme,
    /// The rule for small mid-cap enterprises.
    SmallMidCap,
    /// The general rule.
    Other,
    /// The general rule, because the size of the organisation is unknown.
    UnknownSize,
}

/// The ceiling of one tier of fines and the open gaps under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FineExposure {
    /// Id of the tier.
    pub tier: String,
    /// The provision that sets the ceiling, such as `Art. 99(4)`.
    pub provision: Option<String>,
    /// The breaches that the tier covers.
    pub conduct: String,
    /// The ceiling in euros under the rule used; null where national law sets it.
    pub ceiling_eur: Option<f64>,
    /// The fixed amount of the tier in euros.
    pub fixed_eur: Option<u64>,
    /// The percentage of the total worldwide annual turnover of the preceding financial year.
    pub turnover_percent: Option<u32>,
    /// How the two amounts combine: `higher_of`, `lower_of`, `fixed` or `national_law`.
    pub rule: String,
    /// The group whose rule was used.
    pub applies_rule: FineRuleFor,
    /// How the ceiling was computed, and which facts are unknown.
    pub note: String,
    /// The provisions of the open obligations.
    pub articles: Vec<String>,
    /// The open obligations, `OBL-<number>`.
    pub obligation_ids: Vec<String>,
    /// Whether an open obligation applies now and fines of the tier are possible.
    pub applies_now: bool,
    /// The earliest date from which a fine is possible; null if now.
    pub applies_from: Option<Date>,
}

/// One row for each tier with an open gap, in the order of the law data.
pub(super) fn exposure(
    duties: &[Duty<'_>],
    as_of: Date,
    size: Option<Size>,
    turnover_eur: Option<f64>,
) -> Vec<FineExposure> {
    let law = regulation();
    let mut open: BTreeMap<&str, Vec<&Duty<'_>>> = BTreeMap::new();
    for duty in duties.iter().filter(|duty| duty.record.status == ObligationStatus::Gap) {
        if let Some(obligation) = law.obligation(&duty.record.obligation_id) {
            open.entry(&obligation.penalty_tier).or_default().push(duty);
        }
    }
    law.penalties()
        .tiers
        .iter()
        .filter(|tier| tier.provision.is_some())
        .filter_map(|tier| Some(row(tier, open.get(tier.id.as_str())?, as_of, size, turnover_eur)))
        .collect()
}

fn row(
    tier: &PenaltyTier,
    duties: &[&Duty<'_>],
    as_of: Date,
    size: Option<Size>,
    turnover_eur: Option<f64>,
) -> FineExposure {
    let (rule, applies_rule) = rule(tier, size);
    let (ceiling_eur, note) = ceiling(tier, rule, applies_rule, turnover_eur);
    let starts = |duty: &Duty<'_>| {
        let obligation = match duty.record.applies {
            Applies::Upcoming => duty.record.applies_from,
            Applies::Undetermined => duty.record.certain_from,
            Applies::Applies | Applies::DoesNotApply => None,
        };
        obligation.max(tier.applies_from).filter(|date| *date > as_of)
    };
    let applies_now = duties
        .iter()
        .any(|duty| duty.record.applies == Applies::Applies && starts(duty).is_none());
    let obligations: BTreeMap<&str, &str> = duties
        .iter()
        .map(|duty| (duty.record.obligation_id.as_str(), duty.record.article.as_str()))
        .collect();
    let articles: BTreeSet<&str> = obligations.values().copied().collect();
    FineExposure {
        tier: tier.id.clone(),
        provision: tier.provision.clone(),
        conduct: tier.conduct.clone(),
        ceiling_eur,
        fixed_eur: tier.fixed_eur,
        turnover_percent: tier.turnover_percent,
        rule: rule.to_owned(),
        applies_rule,
        note,
        articles: articles.into_iter().map(str::to_owned).collect(),
        obligation_ids: obligations.into_keys().map(str::to_owned).collect(),
        applies_now,
        applies_from: if applies_now {
            None
        } else {
            duties.iter().filter_map(|duty| starts(duty)).min()
        },
    }
}

/// The rule of the tier for the size. A tier without a rule of its own for a size falls back to the general rule.
fn rule(tier: &PenaltyTier, size: Option<Size>) -> (&str, FineRuleFor) {
    let general = tier.rule.as_str();
    match size {
        Some(Size::Sme) => tier
            .sme_rule
            .as_deref()
            .map_or((general, FineRuleFor::Other), |rule| (rule, FineRuleFor::Sme)),
        Some(Size::SmallMidCap) => tier
            .smc_rule
            .as_deref()
            .map_or((general, FineRuleFor::Other), |rule| (rule, FineRuleFor::SmallMidCap)),
        Some(Size::Other) => (general, FineRuleFor::Other),
        None => (general, FineRuleFor::UnknownSize),
    }
}

fn ceiling(
    tier: &PenaltyTier,
    rule: &str,
    applies_rule: FineRuleFor,
    turnover_eur: Option<f64>,
) -> (Option<f64>, String) {
    let provision = tier.provision.as_deref().unwrap_or("the tier");
    #[expect(clippy::cast_precision_loss, reason = "statutory amounts are far below 2^52")]
    let fixed = tier.fixed_eur.map(|fixed| fixed as f64);
    let (Some(fixed), Some(percent)) = (fixed, tier.turnover_percent) else {
        let note = if fixed.is_some() {
            format!("Fixed ceiling of {provision}.")
        } else {
            format!("National law sets the penalty ({provision}).")
        };
        return (fixed, note);
    };
    let lower = rule == "lower_of";
    let which = match (applies_rule, lower) {
        (FineRuleFor::Sme, _) => "SMEs: the lower of the fixed amount and the percentage, Art. 99(6).".to_owned(),
        (FineRuleFor::SmallMidCap, true) => {
            format!("Small mid-caps: the lower of the fixed amount and the percentage, for fines of {provision}.")
        }
        (_, true) => format!("The lower of the fixed amount and the percentage, {provision}."),
        _ => format!("The higher of the fixed amount and the percentage, {provision}."),
    };
    let size = if applies_rule == FineRuleFor::UnknownSize && tier.sme_rule.is_some() {
        " Size unknown: for SMEs the lower of the two applies, Art. 99(6)."
    } else {
        ""
    };
    let Some(turnover) = turnover_eur else {
        let direction = if lower { "lower" } else { "higher" };
        let note =
            format!("{which} Turnover unknown: this is the fixed amount, and the ceiling can be {direction}.{size}");
        return (Some(fixed), note);
    };
    let share = round(turnover * f64::from(percent) / 100.0);
    let ceiling = if lower { fixed.min(share) } else { fixed.max(share) };
    (Some(ceiling), format!("{which}{size}"))
}
