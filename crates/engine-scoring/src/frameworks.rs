//! Scores of other frameworks, by the crosswalk from the obligations of the Act.

mod report;

use std::collections::BTreeMap;

use engine_model::{Applies, Finding, FrameworkScore, ObligationRecord, ObligationStatus, ScoreTerm, System};
use engine_regulation::{Framework, regulation};

use crate::formula::{capped, caps, grade, ratio, round, share, share_of_any, term, value};

pub use report::{
    ControlEvidence, ControlEvidenceSource, ControlReport, ControlStatus, EvalControl, FrameworkReport,
    FrameworkScores, framework_report,
};

/// The Act itself, whose controls are its obligations.
const ACT: &str = "eu-ai-act";

/// Scores of all frameworks with at least one control that an evaluated obligation maps to.
///
/// A control takes the weighted share of the obligations that map to it, by the one formula. The mapping is "related, not
/// equal": a score here shows only how far the evidence for the Act covers another framework. The score
/// of the Act itself is `compliance`, caps included.
pub fn framework_scores(systems: &[System], findings: &[Finding]) -> BTreeMap<String, FrameworkScore> {
    let entries = entries(systems);
    assess(&entries, findings, &[])
        .into_iter()
        .filter_map(|assessment| {
            let score = round(assessment.value?);
            let framework = FrameworkScore {
                score,
                grade: grade(score).to_owned(),
                coverage: assessment.coverage(),
            };
            Some((assessment.framework.id.clone(), framework))
        })
        .collect()
}

/// An obligation of a system that applies or will apply, with its term of the formula.
struct Entry<'a> {
    record: &'a ObligationRecord,
    term: ScoreTerm,
}

/// The entries of all systems, in an order that does not depend on the order of the input.
fn entries(systems: &[System]) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = systems
        .iter()
        .flat_map(|system| {
            system.obligations.iter().map(|record| Entry {
                record,
                term: term(&system.id, record),
            })
        })
        .filter(|entry| entry.term.in_readiness)
        .collect();
    entries.sort_by(|a, b| {
        let key = |entry: &Entry<'_>| (entry.term.system.clone(), entry.term.obligation_id.clone());
        key(a).cmp(&key(b))
    });
    entries
}

/// A framework with the evidence for each of its controls.
struct Assessment<'a> {
    framework: &'static Framework,
    /// The score; none without an evaluated control.
    value: Option<f64>,
    /// Whether the score rests on more than the default of the formula.
    weighed: bool,
    /// Controls in the order of the data.
    controls: Vec<AssessedControl<'a>>,
}

impl Assessment<'_> {
    fn assessed(&self) -> usize {
        self.controls.iter().filter(|control| control.share.is_some()).count()
    }

    fn coverage(&self) -> f64 {
        round(100.0 * ratio(self.assessed(), self.controls.len()))
    }
}

/// A control with the obligations and probes that map to it.
struct AssessedControl<'a> {
    id: &'a str,
    title: &'a str,
    group: Option<String>,
    entries: Vec<&'a Entry<'a>>,
    probes: Vec<Probed<'a>>,
    /// 0 to 100; none without evidence.
    share: Option<f64>,
}

/// The verdicts of one run for one control.
#[derive(Clone, Copy)]
struct Probed<'a> {
    run: &'a str,
    passed: u64,
    failed: u64,
}

impl Probed<'_> {
    /// The status that an obligation with the same evidence would have.
    fn status(self) -> ObligationStatus {
        match (self.passed, self.failed) {
            (0, 0) => ObligationStatus::NotEvaluated,
            (_, 0) => ObligationStatus::Evidenced,
            (0, _) => ObligationStatus::Gap,
            _ => ObligationStatus::Incomplete,
        }
    }
}

/// The evidence for every framework of the data, in the order of the data.
fn assess<'a>(entries: &'a [Entry<'a>], findings: &[Finding], evals: &'a [EvalControl]) -> Vec<Assessment<'a>> {
    let law = regulation();
    let mut related: BTreeMap<(&str, &str), Vec<&Entry<'_>>> = BTreeMap::new();
    for entry in entries {
        for (framework, mapped) in law.crosswalk(&entry.term.obligation_id).into_iter().flatten() {
            for control in mapped {
                related.entry((framework, control)).or_default().push(entry);
            }
        }
    }
    let mut probes = probes(evals);
    law.frameworks()
        .iter()
        .map(|framework| {
            if framework.id == ACT {
                return act(framework, entries, findings);
            }
            let controls: Vec<AssessedControl<'_>> = framework
                .controls
                .iter()
                .map(|control| {
                    let key = (framework.id.as_str(), control.id.as_str());
                    let entries = related.remove(&key).unwrap_or_default();
                    let probes = probes.remove(&key).unwrap_or_default();
                    AssessedControl {
                        id: &control.id,
                        title: &control.title,
                        group: control.group.clone(),
                        share: control_share(&entries, &probes),
                        entries,
                        probes,
                    }
                })
                .collect();
            let value = mean(&controls);
            Assessment {
                framework,
                value,
                weighed: value.is_some(),
                controls,
            }
        })
        .collect()
}

/// The mean over the controls with evidence, summed in the order of their ids.
fn mean(controls: &[AssessedControl<'_>]) -> Option<f64> {
    let shares: BTreeMap<&str, f64> = controls
        .iter()
        .filter_map(|control| Some((control.id, control.share?)))
        .collect();
    (!shares.is_empty()).then(|| shares.values().sum::<f64>() * ratio(1, shares.len()))
}

/// The Act: one control for each obligation, and the score `compliance`.
fn act<'a>(framework: &'static Framework, entries: &'a [Entry<'a>], findings: &[Finding]) -> Assessment<'a> {
    let mut obligations: BTreeMap<&str, Vec<&Entry<'_>>> = BTreeMap::new();
    for entry in entries {
        obligations.entry(&entry.term.obligation_id).or_default().push(entry);
    }
    let in_force = || entries.iter().map(|e| &e.term).filter(|term| term.in_compliance);
    let value = share(in_force()).map(|value| capped(value, &caps(findings)));
    let controls = obligations
        .into_iter()
        .map(|(id, entries)| {
            let record = entries.first().map(|entry| entry.record);
            AssessedControl {
                id,
                title: record.map_or("", |record| &record.title),
                group: regulation()
                    .obligation(id)
                    .map(|obligation| format!("Article {}", obligation.article)),
                // An optional document that was begun is the only evidence of its obligation, so it is shown as such.
                share: control_share(&entries, &[]).or_else(|| {
                    let counted: Vec<ScoreTerm> = entries
                        .iter()
                        .map(|entry| ScoreTerm {
                            optional: false,
                            ..entry.term.clone()
                        })
                        .collect();
                    share_of_any(counted.iter())
                }),
                entries,
                probes: Vec::new(),
            }
        })
        .collect();
    Assessment {
        framework,
        value,
        weighed: in_force().any(|term| term.value.is_some() && !term.optional),
        controls,
    }
}

/// The weighted share of the obligations and probes of a control.
///
/// All probes of a control together are one more term of the formula, with the value of an obligation in the same state: 1
/// when every probe passed, 0.5 when some failed, 0 when all failed. The term weighs as much as the heaviest evaluated
/// obligation of the control. So one failed probe keeps a control with full written evidence below 100 (`partial`), and a
/// control with failed probes only is a gap. The number of probes in a suite does not outvote the obligations.
fn control_share(entries: &[&Entry<'_>], probes: &[Probed<'_>]) -> Option<f64> {
    let all = Probed {
        run: "",
        passed: probes.iter().fold(0, |sum, probed| sum.saturating_add(probed.passed)),
        failed: probes.iter().fold(0, |sum, probed| sum.saturating_add(probed.failed)),
    };
    let weight = entries
        .iter()
        .filter(|entry| entry.term.value.is_some())
        .map(|entry| entry.term.weight)
        .reduce(f64::max)
        .unwrap_or(1.0);
    let own = ScoreTerm {
        system: String::new(),
        obligation_id: String::new(),
        article: String::new(),
        applies: Applies::Applies,
        weight,
        value: value(all.status()),
        in_compliance: true,
        in_readiness: true,
        optional: false,
    };
    share_of_any(entries.iter().map(|entry| &entry.term).chain(std::iter::once(&own)))
}

/// The verdicts per control, one row a run. Results without a verdict and unknown controls are left out.
fn probes(evals: &[EvalControl]) -> BTreeMap<(&'static str, &'static str), Vec<Probed<'_>>> {
    let mut sums: BTreeMap<(&str, &str), BTreeMap<&str, Probed<'_>>> = BTreeMap::new();
    for eval in evals.iter().filter(|eval| eval.passed > 0 || eval.failed > 0) {
        let Some(framework) = regulation().framework(&eval.framework) else {
            continue;
        };
        // Probes name an edition, `LLM01:2025`, where the list of controls has the bare id.
        let bare = eval.control.split(':').next().unwrap_or_default();
        let controls = &framework.controls;
        let Some(control) = controls
            .iter()
            .find(|control| control.id == eval.control)
            .or_else(|| controls.iter().find(|control| control.id == bare))
        else {
            continue;
        };
        let runs = sums.entry((&framework.id, &control.id)).or_default();
        let sum = runs.entry(&eval.run).or_insert(Probed {
            run: &eval.run,
            passed: 0,
            failed: 0,
        });
        sum.passed = sum.passed.saturating_add(eval.passed);
        sum.failed = sum.failed.saturating_add(eval.failed);
    }
    sums.into_iter()
        .map(|(control, runs)| (control, runs.into_values().collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use engine_model::{Applies, ObligationRecord, ObligationStatus};

    use super::*;

    #[test]
    fn a_framework_without_evidence_has_no_score() {
        assert!(framework_scores(&[], &[]).is_empty());
    }

    #[test]
    fn evidence_for_the_act_reaches_the_controls_it_maps_to() {
        let record = |id: &str, status| ObligationRecord {
            obligation_id: id.to_owned(),
            article: String::new(),
            title: String::new(),
            applies_from: None,
            certain_from: None,
            possible_starts: Vec::new(),
            applies: Applies::Applies,
            because: String::new(),
            status,
            evidence: Vec::new(),
            question: None,
            question_id: None,
            asks_for_document: false,
        };
        let system = System {
            id: "s".to_owned(),
            name: "s".to_owned(),
            scope: String::new(),
            entry_points: Vec::new(),
            providers: Vec::new(),
            models: Vec::new(),
            role: String::new(),
            role_basis: String::new(),
            risk_class: String::new(),
            risk_basis: String::new(),
            questions: Vec::new(),
            obligations: vec![
                record("OBL-001", ObligationStatus::Evidenced),
                record("OBL-002", ObligationStatus::NotEvaluated),
            ],
            files: Vec::new(),
            ..System::default()
        };
        let scores = framework_scores(&[system], &[]);
        let iso = &scores["iso-42001"];
        assert!((iso.score - 100.0).abs() < 1e-9 && iso.coverage < 10.0, "{iso:?}");
        assert!((scores["eu-ai-act"].coverage - 50.0).abs() < 1e-9);
    }
}
