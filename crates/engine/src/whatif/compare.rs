//! Two evaluations beside each other.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Applies, Finding, FindingType, ObligationRecord};
use engine_scanner::Evaluation;

use super::{
    FromTo, Hypothesis, ObligationCounts, Side, WhatIfDate, WhatIfFinding, WhatIfObligation, WhatIfReply, WhatIfSide,
};
use crate::requests::WhatIfRequest;
use crate::scan::score;
use crate::simulate::{is_gap, tenths};

/// The reply to a request.
pub(super) fn reply(request: &WhatIfRequest, hypothesis: Hypothesis) -> WhatIfReply {
    let Hypothesis {
        before,
        after,
        change,
        notes,
        countries,
    } = hypothesis;
    let (first, second) = (summary(&before), summary(&after));
    let obligations = Compared::of(&before.evaluation, &after.evaluation);
    let value = |read: fn(&engine_regulation::JurisdictionRecord) -> Option<String>| {
        countries.as_ref().map(|(from, to)| FromTo {
            from: read(&from.record()),
            to: read(&to.record()),
        })
    };
    WhatIfReply {
        kind: request.kind,
        params: request.params.clone(),
        change,
        obligations_added: obligations.added(),
        obligations_removed: obligations.removed(),
        dates_changed: obligations.dates(),
        findings_added: findings(&after.evaluation, &before.evaluation),
        findings_removed: findings(&before.evaluation, &after.evaluation),
        score_delta: tenths(second.score - first.score),
        readiness_delta: tenths(second.readiness - first.readiness),
        authority: value(|country| country.authority.clone()),
        language: value(|country| Some(country.language.clone())),
        contact: value(|country| country.contact.clone()),
        notes,
        before: first,
        after: second,
    }
}

fn summary(side: &Side) -> WhatIfSide {
    let systems = &side.evaluation.systems;
    let roles: BTreeSet<&str> = systems.iter().map(|system| system.role.as_str()).collect();
    let roles: Vec<&str> = roles.into_iter().collect();
    let mut obligations = ObligationCounts::default();
    for record in systems.iter().flat_map(|system| &system.obligations) {
        let count = match record.applies {
            Applies::Applies => &mut obligations.applies,
            Applies::Upcoming => &mut obligations.upcoming,
            Applies::Undetermined => &mut obligations.undetermined,
            Applies::DoesNotApply => &mut obligations.does_not_apply,
        };
        *count += 1;
    }
    let score = score(&side.evaluation);
    WhatIfSide {
        as_of: side.settings.as_of,
        role: if roles.is_empty() {
            "unknown".to_owned()
        } else {
            roles.join(", ")
        },
        risk_classes: systems
            .iter()
            .map(|system| (system.id.clone(), system.risk_class.clone()))
            .collect(),
        score: score.compliance,
        readiness: score.readiness,
        obligations,
    }
}

/// The obligations of both sides, by system and id.
struct Compared<'a>(BTreeMap<(&'a str, &'a str), Pair<'a>>);

/// One obligation on both sides.
type Pair<'a> = (Option<&'a ObligationRecord>, Option<&'a ObligationRecord>);

impl<'a> Compared<'a> {
    fn of(before: &'a Evaluation, after: &'a Evaluation) -> Self {
        let mut pairs: BTreeMap<(&str, &str), Pair<'_>> = BTreeMap::new();
        for (system, record) in records(before) {
            pairs.entry((system, &record.obligation_id)).or_default().0 = Some(record);
        }
        for (system, record) in records(after) {
            pairs.entry((system, &record.obligation_id)).or_default().1 = Some(record);
        }
        Self(pairs)
    }

    fn added(&self) -> Vec<WhatIfObligation> {
        self.differing(|before, after| after > before)
    }

    fn removed(&self) -> Vec<WhatIfObligation> {
        self.differing(|before, after| after < before)
    }

    fn differing(&self, wanted: impl Fn(u8, u8) -> bool) -> Vec<WhatIfObligation> {
        let rows = self.0.iter().filter_map(|((system, _), (before, after))| {
            let applies = |record: Option<&ObligationRecord>| record.map(|record| record.applies);
            let (old, new) = (applies(*before), applies(*after));
            let (ranked_old, ranked_new) = (binding(*before), binding(*after));
            if !wanted(ranked_old, ranked_new) {
                return None;
            }
            // The side on which it binds says from when.
            let record = if ranked_new > ranked_old { *after } else { *before }?;
            Some(WhatIfObligation {
                id: record.obligation_id.clone(),
                article: record.article.clone(),
                title: record.title.clone(),
                system: (*system).to_owned(),
                applies_from: record.applies_from,
                before: old,
                after: new,
            })
        });
        rows.collect()
    }

    fn dates(&self) -> Vec<WhatIfDate> {
        let rows = self.0.iter().filter_map(|((system, _), pair)| {
            let (before, after) = (pair.0?, pair.1?);
            let (from, to) = (before.applies_from?, after.applies_from?);
            (from != to).then(|| WhatIfDate {
                id: after.obligation_id.clone(),
                article: after.article.clone(),
                title: after.title.clone(),
                system: (*system).to_owned(),
                from,
                to,
            })
        });
        rows.collect()
    }
}

fn records(evaluation: &Evaluation) -> impl Iterator<Item = (&str, &ObligationRecord)> {
    let systems = evaluation.systems.iter();
    systems.flat_map(|system| system.obligations.iter().map(|record| (system.id.as_str(), record)))
}

/// How far an obligation binds: now, later or with only its start open, or not for certain.
fn binding(record: Option<&ObligationRecord>) -> u8 {
    match record {
        Some(record) if record.applies == Applies::Applies => 2,
        Some(record) if record.is_expected() => 1,
        Some(_) | None => 0,
    }
}

/// Findings of one side that the other does not have, or has as a notice only.
fn findings(own: &Evaluation, other: &Evaluation) -> Vec<WhatIfFinding> {
    let known: BTreeMap<&str, u8> = other
        .findings
        .iter()
        .map(|finding| (finding.id.as_str(), weight(finding)))
        .collect();
    own.findings
        .iter()
        .filter(|finding| weight(finding) > known.get(finding.id.as_str()).copied().unwrap_or(0))
        .map(|finding| WhatIfFinding {
            id: finding.id.clone(),
            check_id: finding.check_id.clone(),
            title: finding.title.clone(),
            kind: finding.kind,
            severity: finding.severity,
            file: finding.file.clone(),
            line: finding.line,
        })
        .collect()
}

/// A gap, a notice, or neither.
fn weight(finding: &Finding) -> u8 {
    match finding.kind {
        FindingType::Fail if is_gap(finding) => 2,
        FindingType::Info => 1,
        FindingType::Fail | FindingType::Pass => 0,
    }
}
