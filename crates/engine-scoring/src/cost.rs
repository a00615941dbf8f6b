//! Cost estimate: hours and euros to close open obligations, from stated assumptions, and the ceilings of fines.

mod assumptions;
mod fines;

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Applies, Date, Document, Finding, ObligationRecord, ObligationStatus, System};
use engine_regulation::regulation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formula::round;
use crate::gaps::{DocumentGap, Duty, distinct, document_gaps, duties, is_covered_by_code, is_work};
use assumptions::{Hours, Per, WorkKind, assumptions};

pub use assumptions::CostRole;
pub use fines::{FineExposure, FineRuleFor, Size};

/// What a cost estimate is computed from.
#[derive(Clone, Copy, Debug)]
pub struct CostInput<'a> {
    /// The date for which the estimate is made.
    pub as_of: Date,
    /// The systems with their obligations.
    pub systems: &'a [System],
    /// The findings of the newest scan.
    pub findings: &'a [Finding],
    /// The documents of the project.
    pub documents: &'a [Document],
    /// One rate in euros for all roles; the default rates of the roles without it. A rate that is negative or not a number
    /// is ignored.
    pub hourly_rate: Option<f64>,
    /// The size of the organisation, where known.
    pub size: Option<Size>,
    /// Its total worldwide annual turnover of the preceding financial year in euros, where known.
    pub turnover_eur: Option<f64>,
}

/// Estimated hours and euros to close the open obligations, and the statutory ceilings of fines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostEstimate {
    /// Hours of all roles.
    pub hours: CostRange,
    /// Hours of each role.
    pub hours_by_role: Vec<RoleHours>,
    /// Likely cost of code changes, processes, assessments and reviews in euros.
    pub remediation_cost: f64,
    /// The same as a range.
    pub remediation_cost_range: CostRange,
    /// Likely cost of documents in euros.
    pub documentation_cost: f64,
    /// The same as a range.
    pub documentation_cost_range: CostRange,
    /// Likely cost in euros: `remediationCost` and `documentationCost`.
    pub total_cost: f64,
    /// The same as a range.
    pub total_cost_range: CostRange,
    /// The part of `totalCost` for obligations that apply later.
    pub upcoming_cost: f64,
    /// The highest statutory ceiling in euros among the open gaps for which a fine is possible now; 0 without such a gap.
    /// A ceiling is what the law allows at most. It is not a forecast.
    pub potential_fine: f64,
    /// Always 0: not estimated; present for existing clients.
    pub roi: f64,
    /// Currency of all amounts: `EUR`.
    pub currency: String,
    /// The work, what applies now first, then by date.
    pub breakdown: Vec<CostItem>,
    /// The assumptions behind the numbers.
    pub assumptions: Vec<CostAssumption>,
    /// The ceilings of the fines for the open gaps, by tier.
    pub fine_exposure: Vec<FineExposure>,
}

/// A low, a likely and a high value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostRange {
    /// The value in a favourable case.
    pub low: f64,
    /// The planning value.
    pub likely: f64,
    /// The value in an unfavourable case.
    pub high: f64,
}

/// Hours of one role.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoleHours {
    /// The role.
    pub role: CostRole,
    /// Low.
    pub low: f64,
    /// Likely.
    pub likely: f64,
    /// High.
    pub high: f64,
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostItem {
    /// The kind of work.
    pub category: CostCategory,
    /// The work to do.
    pub item: String,
    /// Likely hours.
    pub effort_hours: f64,
    /// The same as a range.
    pub hours: CostRange,
    /// Likely cost in euros.
    pub cost: f64,
    /// The same as a range.
    pub cost_range: CostRange,
    /// Hours of each role.
    pub hours_by_role: Vec<RoleHours>,
    /// The obligations that the work is for, `OBL-<number>`.
    pub obligation_ids: Vec<String>,
    /// The systems that the work is for.
    pub systems: Vec<String>,
    /// The date from which the obligations apply; absent if one of them applies now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
    /// The basis of the hours.
    pub basis: String,
}

/// Kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostCategory {
    /// A change of code, dependencies, configuration or text that a finding requires.
    Code,
    /// A missing or incomplete document.
    Document,
    /// A procedure of the organisation.
    Process,
    /// One assessment, registration or appointment.
    OneOff,
    /// A review of an obligation without evidence for or against it.
    Review,
}

/// One assumption behind the numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostAssumption {
    /// The subject of the assumption.
    pub subject: String,
    /// `hours`, `EUR per hour`, or empty for a general remark.
    pub unit: String,
    /// The value, where there is one.
    pub value: Option<CostRange>,
    /// Why this value.
    pub basis: String,
}

impl CostRange {
    fn of(values: [f64; 3]) -> Self {
        let [low, likely, high] = values.map(round);
        Self { low, likely, high }
    }

    fn values(self) -> [f64; 3] {
        [self.low, self.likely, self.high]
    }
}

/// The sum, rounded.
fn sum(ranges: impl Iterator<Item = CostRange>) -> CostRange {
    CostRange::of(ranges.fold([0.0; 3], |sum, range| plus(sum, range.values())))
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Estimates the cost of closing every obligation that applies or will apply and has no full evidence.
///
/// An obligation with full evidence costs nothing. A document that satisfies several obligations is written once, and a
/// finding is fixed once. An obligation without any evidence costs a review only.
pub fn cost_estimate(input: &CostInput<'_>) -> CostEstimate {
    let duties: Vec<Duty<'_>> = duties(input.systems, ObligationRecord::is_expected)
        .into_iter()
        .filter(|duty| duty.record.status != ObligationStatus::Evidenced)
        .collect();
    let gaps = document_gaps(&duties, input.findings, input.documents, true);
    let mut work = code_work(&duties, input.findings);
    work.extend(document_work(&gaps));
    work.extend(other_work(&duties, &gaps, input.findings));

    let rates = Rates::new(input.hourly_rate);
    let mut breakdown: Vec<CostItem> = work.iter().map(|work| rates.item(work)).collect();
    breakdown.sort_by(|a, b| {
        let key = |item: &CostItem| {
            (
                item.until,
                item.category,
                item.item.clone(),
                item.obligation_ids.clone(),
                item.systems.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    let costs = |wanted: &dyn Fn(&CostItem) -> bool| {
        sum(breakdown.iter().filter(|item| wanted(item)).map(|item| item.cost_range))
    };
    let remediation = costs(&|item| item.category != CostCategory::Document);
    let documentation = costs(&|item| item.category == CostCategory::Document);
    let total = sum([remediation, documentation].into_iter());
    let upcoming_cost = costs(&|item| item.until.is_some()).likely;
    let turnover = input.turnover_eur.filter(|turnover| is_amount(*turnover));
    let fine_exposure = fines::exposure(&duties, input.as_of, input.size, turnover);
    CostEstimate {
        hours: sum(breakdown.iter().map(|item| item.hours)),
        hours_by_role: hours_by_role(breakdown.iter().flat_map(|item| item.hours_by_role.iter())),
        remediation_cost: remediation.likely,
        remediation_cost_range: remediation,
        documentation_cost: documentation.likely,
        documentation_cost_range: documentation,
        total_cost: total.likely,
        total_cost_range: total,
        upcoming_cost,
        potential_fine: fine_exposure
            .iter()
            .filter(|row| row.applies_now)
            .filter_map(|row| row.ceiling_eur)
            .fold(0.0, f64::max),
        roi: 0.0,
        currency: "EUR".to_owned(),
        breakdown,
        assumptions: rates.assumptions(&work),
        fine_exposure,
    }
}

fn is_amount(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// Hours with their reason, before rates.
struct Work {
    category: CostCategory,
    item: String,
    hours: Hours,
    obligations: BTreeSet<String>,
    systems: BTreeSet<String>,
    until: Option<Date>,
    /// What the assumption is about, and the assumed hours of one such piece of work.
    subject: String,
    assumed: Hours,
    basis: String,
}

impl Work {
    fn new(category: CostCategory, item: String, subject: &str, assumed: &Hours, basis: &str) -> Self {
        Self {
            category,
            item,
            hours: Hours::new(),
            obligations: BTreeSet::new(),
            systems: BTreeSet::new(),
            until: None,
            subject: subject.to_owned(),
            assumed: assumed.clone(),
            basis: basis.to_owned(),
        }
    }

    fn add(&mut self, hours: &Hours, times: f64) {
        for (role, values) in hours {
            let own = self.hours.entry(*role).or_default();
            *own = plus(*own, values.map(|value| value * times));
        }
    }

    fn serves<'a>(&mut self, duties: impl IntoIterator<Item = &'a Duty<'a>>) {
        for duty in duties {
            self.obligations.insert(duty.record.obligation_id.clone());
            self.systems.insert(duty.system.to_owned());
        }
    }
}

/// Work that several obligations share.
struct Grouped<'a> {
    work: Work,
    per: Per,
    /// The open share of a document.
    share: f64,
    duties: Vec<Duty<'a>>,
}

impl Grouped<'_> {
    fn new(work: Work, per: Per) -> Self {
        Self {
            work,
            per,
            share: 0.0,
            duties: Vec::new(),
        }
    }

    /// The work with its hours, obligations and date.
    fn finish(mut self, times: f64) -> Work {
        let assumed = self.work.assumed.clone();
        self.work.add(&assumed, times);
        self.work.serves(&self.duties);
        self.work.until = due(&self.duties);
        self.work
    }
}

/// The date by which work for some obligations is due; none if one of them applies now, or began on one of its possible dates.
fn due<'a>(duties: impl IntoIterator<Item = &'a Duty<'a>>) -> Option<Date> {
    let dates: Option<Vec<Date>> = duties
        .into_iter()
        .map(|duty| match duty.record.applies {
            Applies::Upcoming => duty.record.applies_from,
            _ => None,
        })
        .collect();
    dates?.into_iter().min()
}

/// One row for each check and date. The first place of a check takes the full time, each further place less.
fn code_work(duties: &[Duty<'_>], findings: &[Finding]) -> Vec<Work> {
    let mut by_check: BTreeMap<&str, Vec<(&Finding, Vec<&Duty<'_>>)>> = BTreeMap::new();
    for finding in distinct(findings.iter()) {
        let served: Vec<&Duty<'_>> = duties.iter().filter(|duty| is_work(finding, duty)).collect();
        if !served.is_empty() {
            by_check.entry(&finding.check_id).or_default().push((finding, served));
        }
    }
    let mut work: BTreeMap<(&str, Option<Date>), (Work, u32)> = BTreeMap::new();
    for (check, mut places) in by_check {
        // The gravest place is the first, so that to fix any place never makes the rest more expensive.
        places.sort_by_key(|(finding, _)| (std::cmp::Reverse(finding.severity), finding.id.clone()));
        for (index, (finding, served)) in places.into_iter().enumerate() {
            let Some(assumed) = assumptions().finding(check, finding.severity) else {
                continue;
            };
            let until = due(served.iter().copied());
            let (row, count) = work.entry((check, until)).or_insert_with(|| {
                let item = finding.title.clone();
                let row = Work::new(CostCategory::Code, item, assumed.title, assumed.first, assumed.basis);
                (row, 0)
            });
            row.add(if index == 0 { assumed.first } else { assumed.further }, 1.0);
            row.serves(served);
            row.until = until;
            *count += 1;
        }
    }
    work.into_values()
        .map(|(mut row, count)| {
            if count > 1 {
                row.item = format!("{} ({count} places)", row.item);
            }
            row
        })
        .collect()
}

/// One row for each document: per system or once, as the data says.
fn document_work(gaps: &[DocumentGap<'_>]) -> Vec<Work> {
    let data = assumptions();
    let mut work: BTreeMap<(&str, Option<&str>), Grouped<'_>> = BTreeMap::new();
    for gap in gaps {
        let Some(assumed) = data.document(&gap.document) else {
            continue;
        };
        let title = regulation()
            .document(&gap.document)
            .map_or(gap.document.as_str(), |document| &document.title);
        let share = gap.present.map_or(1.0, |document| {
            (1.0 - f64::from(document.completeness.min(100)) / 100.0).max(data.document_share_min)
        });
        let system = gap.system.filter(|_| assumed.per == Per::System);
        let row = work.entry((&gap.document, system)).or_insert_with(|| {
            let item = title.to_owned();
            let row = Work::new(CostCategory::Document, item, title, &assumed.hours, &assumed.basis);
            Grouped::new(row, assumed.per)
        });
        row.share = row.share.max(share);
        row.duties.extend(gap.duties.iter().copied());
    }
    work.into_values()
        .map(|row| {
            let share = row.share;
            let mut work = row.finish(share);
            if share < 1.0 {
                work.item = format!("{} (incomplete, {:.0} % of the work remains)", work.item, share * 100.0);
            }
            work
        })
        .collect()
}

/// Work on obligations that no finding and no document describes: one row for each obligation and date.
fn other_work(duties: &[Duty<'_>], gaps: &[DocumentGap<'_>], findings: &[Finding]) -> Vec<Work> {
    let data = assumptions();
    let documented: BTreeSet<(&str, &str)> = gaps
        .iter()
        .flat_map(|gap| &gap.duties)
        .map(|duty| (duty.system, duty.record.obligation_id.as_str()))
        .collect();
    let mut groups: BTreeMap<(&str, CostCategory), Grouped<'_>> = BTreeMap::new();
    for duty in duties {
        let id = duty.record.obligation_id.as_str();
        let Some(obligation) = regulation().obligation(id) else {
            continue;
        };
        let asks = duty.record.asks_for_document && duty.record.status == ObligationStatus::Gap;
        if documented.contains(&(duty.system, id))
            || findings.iter().any(|finding| is_work(finding, duty))
            || asks && is_covered_by_code(duty, duties, findings)
        {
            continue;
        }
        let kind = match duty.record.status {
            ObligationStatus::NotEvaluated => WorkKind::Review,
            _ => data.kind_of(obligation),
        };
        let Some(assumed) = data.kind(kind) else { continue };
        let category = match kind {
            WorkKind::CodeChange => CostCategory::Code,
            WorkKind::Document => CostCategory::Document,
            WorkKind::Process => CostCategory::Process,
            WorkKind::OneOff => CostCategory::OneOff,
            WorkKind::Review => CostCategory::Review,
        };
        let group = groups.entry((id, category)).or_insert_with(|| {
            let item = format!("{} ({})", obligation.title, obligation.citation());
            let row = Work::new(category, item, &assumed.title, &assumed.hours, &assumed.basis);
            Grouped::new(row, assumed.per)
        });
        group.duties.push(*duty);
    }
    groups
        .into_values()
        .map(|group| {
            let systems: BTreeSet<&str> = group.duties.iter().map(|duty| duty.system).collect();
            let times = match group.per {
                Per::System => u32::try_from(systems.len()).unwrap_or(u32::MAX),
                Per::Organisation => 1,
            };
            group.finish(f64::from(times))
        })
        .collect()
}

/// The hourly rates of the roles.
struct Rates {
    one: Option<f64>,
}

impl Rates {
    fn new(hourly_rate: Option<f64>) -> Self {
        Self {
            one: hourly_rate.filter(|rate| is_amount(*rate)),
        }
    }

    fn of(&self, role: CostRole) -> f64 {
        let default = || assumptions().roles().iter().find(|entry| entry.id == role);
        self.one
            .or_else(|| default().map(|entry| entry.hourly_rate_eur))
            .unwrap_or_default()
    }

    /// The row of the reply. Hours are rounded first and then multiplied, so that a reader can compute the cost again.
    fn item(&self, work: &Work) -> CostItem {
        let roles: Vec<RoleHours> = work
            .hours
            .iter()
            .map(|(role, hours)| role_hours(*role, CostRange::of(*hours)))
            .collect();
        let cost = CostRange::of(roles.iter().fold([0.0; 3], |sum, hours| {
            let rate = self.of(hours.role);
            plus(sum, [hours.low, hours.likely, hours.high].map(|value| value * rate))
        }));
        let hours = sum(roles.iter().map(|hours| CostRange {
            low: hours.low,
            likely: hours.likely,
            high: hours.high,
        }));
        CostItem {
            category: work.category,
            item: work.item.clone(),
            effort_hours: hours.likely,
            hours,
            cost: cost.likely,
            cost_range: cost,
            hours_by_role: roles,
            obligation_ids: work.obligations.iter().cloned().collect(),
            systems: work.systems.iter().cloned().collect(),
            until: work.until,
            basis: work.basis.clone(),
        }
    }

    /// The assumptions behind some work: a remark, the rates of the roles at work, and the hours of each kind of work.
    fn assumptions(&self, work: &[Work]) -> Vec<CostAssumption> {
        let data = assumptions();
        let mut rows = vec![CostAssumption {
            subject: "All figures".to_owned(),
            unit: String::new(),
            value: None,
            basis: data.notice.clone(),
        }];
        let roles: BTreeSet<CostRole> = work.iter().flat_map(|work| work.hours.keys().copied()).collect();
        let rate = |subject: &str, rate: f64, basis: &str| CostAssumption {
            subject: subject.to_owned(),
            unit: "EUR per hour".to_owned(),
            value: Some(CostRange::of([rate; 3])),
            basis: basis.to_owned(),
        };
        match self.one {
            Some(one) => rows.push(rate("All roles", one, "Rate given in the request.")),
            None => rows.extend(
                data.roles()
                    .iter()
                    .filter(|entry| roles.contains(&entry.id))
                    .map(|entry| rate(&entry.title, entry.hourly_rate_eur, &entry.basis)),
            ),
        }
        let hours: BTreeMap<(&str, &str), &Hours> = work
            .iter()
            .map(|work| ((work.subject.as_str(), work.basis.as_str()), &work.assumed))
            .collect();
        rows.extend(hours.into_iter().map(|((subject, basis), hours)| CostAssumption {
            subject: subject.to_owned(),
            unit: "hours".to_owned(),
            value: Some(CostRange::of(
                hours.values().fold([0.0; 3], |sum, values| plus(sum, *values)),
            )),
            basis: basis.to_owned(),
        }));
        rows
    }
}

fn role_hours(role: CostRole, hours: CostRange) -> RoleHours {
    RoleHours {
        role,
        low: hours.low,
        likely: hours.likely,
        high: hours.high,
    }
}

fn hours_by_role<'a>(rows: impl Iterator<Item = &'a RoleHours>) -> Vec<RoleHours> {
    let mut sums: BTreeMap<CostRole, [f64; 3]> = BTreeMap::new();
    for row in rows {
        let own = sums.entry(row.role).or_default();
        *own = plus(*own, [row.low, row.likely, row.high]);
    }
    sums.into_iter()
        .map(|(role, values)| role_hours(role, CostRange::of(values)))
        .collect()
}

#[cfg(test)]
mod tests;
