//! Debt: open gaps, weighted by their obligation and by their age.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Applies, Date, Document, DocumentDateKind, DocumentState, Finding, FindingType, System};
use engine_regulation::regulation;
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formula::{caps, is_false_alarm, round, value, weight};
use crate::gaps::{Duty, RETIRED_MODEL, STALE_DOCUMENT, distinct, document_gaps, duties, is_about_a_document, is_open};

/// The formula of the debt, part of every reply.
pub const DEBT_FORMULA: &str = "Points = weight * open share * age factor, rounded to one decimal. \
Weight: the percentage of turnover in the fine tier (7, 3 or 1), or 0.5 without a fine or without an obligation that applies. \
Open share: 1 for an open finding, a missing document, and a model that is retired or retires soon. \
Open share: 0.5 for an incomplete document, a document past its review date, and an answer past its expiry date. \
Age factor: 1 + age in days / 365, at most 3. \
Age counts from the day a finding was first seen, or from the day a document or answer expired. \
A document without a next review date expires 12 months after its latest date. \
Findings marked as false positives do not count, accepted risks do. \
Total: totalDebt = findingsDebt + documentationDebt + freshnessDebt. \
Level: none at 0, low below 10, medium below 30, high below 75, else critical. \
The level is always critical while an indicator of a prohibited practice is open.";

/// Days in the unit of the age factor.
const AGE_UNIT_DAYS: f64 = 365.0;

/// The highest age factor: two years and older weigh the same.
const AGE_FACTOR_MAX: f64 = 3.0;

/// Months after which a document without a date of its next review expires, as in the check of review dates.
const REVIEW_MONTHS: i32 = 12;

/// The weight of a gap without an obligation that applies.
const WEIGHT_MIN: f64 = 0.5;

/// What a debt is computed from.
#[derive(Clone, Copy, Debug)]
pub struct DebtInput<'a> {
    /// The date for which the debt is computed.
    pub as_of: Date,
    /// The systems with their obligations.
    pub systems: &'a [System],
    /// The findings of the newest scan.
    pub findings: &'a [Finding],
    /// The date on which each finding was first seen, by its id. A finding without a date counts as first seen today.
    pub first_seen: &'a BTreeMap<String, Date>,
    /// The documents of the project.
    pub documents: &'a [Document],
    /// Answers and statements of persons, with their expiry dates.
    pub dated: &'a [Dated],
    /// Earlier debts, in any order.
    pub history: &'a [DebtPoint],
}

/// An answer or statement of a person that can expire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dated {
    /// The statement, as a short noun phrase.
    pub what: String,
    /// The date of the statement.
    pub on: Date,
    /// The last day on which it is valid; without one it does not expire.
    pub until: Option<Date>,
    /// The obligation that it supports, `OBL-<number>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obligation_id: Option<String>,
    /// The system that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
}

/// Debt: the open gaps of today, weighted by fine and age.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Debt {
    /// Sum of the three parts, in points.
    pub total_debt: f64,
    /// The level of the total.
    pub level: DebtLevel,
    /// Points of open findings in code, dependencies and configuration.
    pub findings_debt: f64,
    /// Points of missing and incomplete documents that an obligation requires now.
    pub documentation_debt: f64,
    /// Points of documents and answers past their date, and of models that are retired or retire soon.
    pub freshness_debt: f64,
    /// One row per gap, the most points first. The rows of a part add up to the part.
    pub breakdown: Vec<DebtItem>,
    /// The debt over time, the oldest first; the last point is today.
    pub trend: Vec<DebtPoint>,
    /// The newest debt before today; null without an earlier one.
    pub previous_debt: Option<f64>,
    /// How the points are computed.
    pub formula: String,
}

/// The level of a debt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DebtLevel {
    /// 0 points.
    None,
    /// Below 10 points.
    Low,
    /// Below 30 points.
    Medium,
    /// Below 75 points.
    High,
    /// 75 points and more, or an open indicator of a prohibited practice.
    Critical,
}

/// The part of the debt that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DebtKind {
    /// An open finding.
    Finding,
    /// A missing or incomplete document.
    Documentation,
    /// A document, answer or model past its date.
    Freshness,
}

/// One gap and its points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebtItem {
    /// The part it belongs to.
    pub kind: DebtKind,
    /// The open item: title of the finding, document or answer.
    pub item: String,
    /// The obligation behind it, `OBL-<number>`. Of several, the one with the highest weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obligation_id: Option<String>,
    /// The system; absent if the gap concerns the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The finding that reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding_id: Option<String>,
    /// Points, rounded to one decimal.
    pub points: f64,
    /// Days since it was first seen or since it expired.
    pub age_days: u32,
    /// The open item, its date and its weight.
    pub why: String,
}

/// The debt on one day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebtPoint {
    /// The day.
    pub date: Date,
    /// The total on that day.
    pub total_debt: f64,
}

impl Debt {
    /// The debt as a point of a later trend.
    pub fn point(&self, date: Date) -> DebtPoint {
        DebtPoint {
            date,
            total_debt: self.total_debt,
        }
    }
}

/// Computes the debt on a date.
pub fn debt(input: &DebtInput<'_>) -> Debt {
    let mut breakdown = findings_debt(input);
    breakdown.extend(documentation_debt(input));
    breakdown.extend(freshness_debt(input));
    breakdown.sort_by(|a, b| {
        let key = |item: &DebtItem| {
            (
                item.kind,
                item.item.clone(),
                item.obligation_id.clone(),
                item.system.clone(),
                item.finding_id.clone(),
                item.why.clone(),
            )
        };
        b.points.total_cmp(&a.points).then_with(|| key(a).cmp(&key(b)))
    });
    // An empty sum of floats is -0, which a reader would see.
    let part = |kind| {
        let own = breakdown.iter().filter(|item: &&DebtItem| item.kind == kind);
        round(own.fold(0.0, |sum, item| sum + item.points))
    };
    let (findings, documentation, freshness) = (
        part(DebtKind::Finding),
        part(DebtKind::Documentation),
        part(DebtKind::Freshness),
    );
    let total = round(findings + documentation + freshness);
    let earlier = earlier(input);
    let previous_debt = earlier.last().map(|point| point.total_debt);
    let today = DebtPoint {
        date: input.as_of,
        total_debt: total,
    };
    Debt {
        total_debt: total,
        level: level(total, input.findings),
        findings_debt: findings,
        documentation_debt: documentation,
        freshness_debt: freshness,
        breakdown,
        trend: earlier.into_iter().chain([today]).collect(),
        previous_debt,
        formula: DEBT_FORMULA.to_owned(),
    }
}

/// The points before the date, one a day: of several on a day the last one given.
fn earlier(input: &DebtInput<'_>) -> Vec<DebtPoint> {
    let days: BTreeMap<Date, f64> = input
        .history
        .iter()
        .filter(|point| point.date < input.as_of)
        .map(|point| (point.date, round(point.total_debt)))
        .collect();
    days.into_iter()
        .map(|(date, total_debt)| DebtPoint { date, total_debt })
        .collect()
}

fn level(total: f64, findings: &[Finding]) -> DebtLevel {
    // The same findings cap the score: a small sum of points must not hide a prohibited practice.
    if !caps(findings).is_empty() {
        return DebtLevel::Critical;
    }
    match total {
        total if total <= 0.0 => DebtLevel::None,
        total if total < 10.0 => DebtLevel::Low,
        total if total < 30.0 => DebtLevel::Medium,
        total if total < 75.0 => DebtLevel::High,
        _ => DebtLevel::Critical,
    }
}

/// What the points of a row are made of.
struct Weighed {
    weight: f64,
    open_share: f64,
    age_days: u32,
}

impl Weighed {
    fn points(&self) -> f64 {
        let age_factor = (1.0 + f64::from(self.age_days) / AGE_UNIT_DAYS).min(AGE_FACTOR_MAX);
        round(self.weight * self.open_share * age_factor)
    }
}

/// The open share of what has some evidence: the rest of its value in the score.
fn incomplete_share() -> f64 {
    1.0 - value(engine_model::ObligationStatus::Incomplete).unwrap_or_default()
}

fn days_since(date: Date, as_of: Date) -> u32 {
    date.until(as_of)
        .ok()
        .and_then(|span| u32::try_from(span.get_days()).ok())
        .unwrap_or(0)
}

fn findings_debt(input: &DebtInput<'_>) -> Vec<DebtItem> {
    let open = input.findings.iter().filter(|finding| {
        is_open(finding)
            && !is_about_a_document(finding)
            && !matches!(finding.check_id.as_str(), STALE_DOCUMENT | RETIRED_MODEL)
    });
    distinct(open)
        .into_iter()
        .map(|finding| of_finding(input, finding, DebtKind::Finding, weight_of(finding), 1.0))
        .collect()
}

fn weight_of(finding: &Finding) -> f64 {
    finding.obligation_id.as_deref().map_or(WEIGHT_MIN, weight)
}

/// A row for a finding by itself.
fn of_finding(input: &DebtInput<'_>, finding: &Finding, kind: DebtKind, weight: f64, open_share: f64) -> DebtItem {
    let first_seen = input.first_seen.get(&finding.id).copied();
    let weighed = Weighed {
        weight,
        open_share,
        age_days: first_seen.map_or(0, |date| days_since(date, input.as_of)),
    };
    let place = match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!(" (`{file}:{line}`)"),
        (Some(file), None) => format!(" (`{file}`)"),
        _ => String::new(),
    };
    DebtItem {
        kind,
        item: finding.title.clone(),
        obligation_id: finding.obligation_id.clone(),
        system: finding.system.clone(),
        finding_id: Some(finding.id.clone()),
        points: weighed.points(),
        age_days: weighed.age_days,
        why: format!("Open{place}, {}; weight {weight}.", seen(first_seen, weighed.age_days)),
    }
}

fn seen(first_seen: Option<Date>, age_days: u32) -> String {
    match first_seen {
        Some(date) if age_days > 0 => format!("first seen on {date}, {}", days(age_days)),
        _ => "first seen today".to_owned(),
    }
}

fn days(age_days: u32) -> String {
    match age_days {
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    }
}

fn documentation_debt(input: &DebtInput<'_>) -> Vec<DebtItem> {
    let due = duties(input.systems, |record| record.applies == Applies::Applies);
    let gaps = document_gaps(&due, input.findings, input.documents, false);
    let counted: BTreeSet<&str> = gaps
        .iter()
        .flat_map(|gap| gap.findings.iter().map(|finding| finding.id.as_str()))
        .collect();
    let reports = input
        .findings
        .iter()
        .filter(|finding| is_open(finding) && is_about_a_document(finding) && !counted.contains(finding.id.as_str()));
    let mut rows: Vec<DebtItem> = distinct(reports)
        .into_iter()
        .map(|finding| {
            let missing = finding.check_id == crate::gaps::MISSING_DOCUMENT;
            let open_share = if missing { 1.0 } else { incomplete_share() };
            of_finding(input, finding, DebtKind::Documentation, weight_of(finding), open_share)
        })
        .collect();
    rows.extend(gaps.iter().map(|gap| {
        let first = gap
            .findings
            .iter()
            .filter_map(|finding| Some((*input.first_seen.get(&finding.id)?, *finding)))
            .min_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
        let (obligation, weight) = heaviest(gap.duties.iter());
        let weighed = Weighed {
            weight,
            open_share: if gap.present.is_some() { incomplete_share() } else { 1.0 },
            age_days: first.map_or(0, |(date, _)| days_since(date, input.as_of)),
        };
        let since = seen(first.map(|(date, _)| date), weighed.age_days);
        let why = match gap.present {
            Some(document) => format!(
                "Incomplete, {} % of the required sections have content (`{}`), {since}; weight {weight}.",
                document.completeness.min(100),
                document.file
            ),
            None => format!("Document not found, gap {since}; weight {weight}."),
        };
        let systems: BTreeSet<&str> = gap.duties.iter().map(|duty| duty.system).collect();
        let only = (systems.len() == 1).then(|| systems.first().copied()).flatten();
        DebtItem {
            kind: DebtKind::Documentation,
            item: title(&gap.document),
            obligation_id: obligation,
            system: gap.system.or(only).map(str::to_owned),
            finding_id: first
                .map(|(_, finding)| finding)
                .or(gap.findings.first().copied())
                .map(|finding| finding.id.clone()),
            points: weighed.points(),
            age_days: weighed.age_days,
            why,
        }
    }));
    rows
}

fn title(document: &str) -> String {
    regulation()
        .document(document)
        .map_or_else(|| document.to_owned(), |document| document.title.clone())
}

/// The obligation with the highest weight, of equals the first.
fn heaviest<'a, 'b: 'a>(duties: impl Iterator<Item = &'a Duty<'b>>) -> (Option<String>, f64) {
    let mut heaviest: (Option<String>, f64) = (None, WEIGHT_MIN);
    for duty in duties {
        let id = &duty.record.obligation_id;
        let own = weight(id);
        let first = heaviest.0.as_ref().is_none_or(|best| id < best);
        if heaviest.0.is_none() || own > heaviest.1 || (first && own >= heaviest.1) {
            heaviest = (Some(id.clone()), own);
        }
    }
    heaviest
}

fn freshness_debt(input: &DebtInput<'_>) -> Vec<DebtItem> {
    let due = duties(input.systems, |record| record.applies == Applies::Applies);
    let mut rows = Vec::new();
    let mut seen = BTreeSet::new();
    let mut documents: Vec<&Document> = input.documents.iter().collect();
    documents.retain(|document| document.state != DocumentState::Scaffold);
    documents.sort_by_key(|document| (&document.file, &document.kind));
    for document in documents {
        let Some(expired) = expiry(document).filter(|date| *date < input.as_of) else {
            continue;
        };
        if !seen.insert(document.file.as_str()) {
            continue;
        }
        let needs = due.iter().filter(|duty| {
            regulation()
                .obligation(&duty.record.obligation_id)
                .is_some_and(|obligation| obligation.satisfied_by_documents.contains(&document.kind))
        });
        let (obligation_id, weight) = heaviest(needs);
        let weighed = Weighed {
            weight,
            open_share: incomplete_share(),
            age_days: days_since(expired, input.as_of),
        };
        rows.push(DebtItem {
            kind: DebtKind::Freshness,
            item: title(&document.kind),
            obligation_id,
            system: None,
            finding_id: None,
            points: weighed.points(),
            age_days: weighed.age_days,
            why: format!(
                "Review was due on {expired}, {} (`{}`); weight {weight}.",
                days(weighed.age_days),
                document.file
            ),
        });
    }
    rows.extend(expired_answers(input));
    let stale_or_retired = input.findings.iter().filter(|finding| {
        let stale = finding.check_id == STALE_DOCUMENT
            && is_open(finding)
            && finding.file.as_deref().is_none_or(|file| !seen.contains(file));
        // A model that is retired breaks a system without any obligation, and is reported as information there.
        let retired =
            finding.check_id == RETIRED_MODEL && finding.kind != FindingType::Pass && !is_false_alarm(finding);
        stale || retired
    });
    rows.extend(distinct(stale_or_retired).into_iter().map(|finding| {
        let weight = if is_open(finding) {
            weight_of(finding)
        } else {
            WEIGHT_MIN
        };
        let open_share = if finding.check_id == STALE_DOCUMENT {
            incomplete_share()
        } else {
            1.0
        };
        of_finding(input, finding, DebtKind::Freshness, weight, open_share)
    }));
    rows
}

fn expired_answers(input: &DebtInput<'_>) -> Vec<DebtItem> {
    let mut rows: Vec<DebtItem> = Vec::new();
    for dated in input.dated {
        let Some(until) = dated.until.filter(|until| *until < input.as_of) else {
            continue;
        };
        let weight = dated.obligation_id.as_deref().map_or(WEIGHT_MIN, weight);
        let weighed = Weighed {
            weight,
            open_share: incomplete_share(),
            age_days: days_since(until, input.as_of),
        };
        let row = DebtItem {
            kind: DebtKind::Freshness,
            item: dated.what.clone(),
            obligation_id: dated.obligation_id.clone(),
            system: dated.system.clone(),
            finding_id: None,
            points: weighed.points(),
            age_days: weighed.age_days,
            why: format!(
                "Stated on {}, expired on {until}, {}; weight {weight}.",
                dated.on,
                days(weighed.age_days)
            ),
        };
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// The last day on which a document is current, from its latest date.
fn expiry(document: &Document) -> Option<Date> {
    let latest = document.dates.iter().max_by_key(|date| (date.date, date.kind))?;
    match latest.kind {
        DocumentDateKind::NextReview => Some(latest.date),
        DocumentDateKind::Version => Some(latest.date.saturating_add(REVIEW_MONTHS.months())),
    }
}

#[cfg(test)]
mod tests;
