//! Framework scores, debt and cost of a project as it is now, and what is remembered for the ages of gaps.

use std::collections::{BTreeMap, BTreeSet};

use engine_eval::{CategoryScore, EvalResult, ProbeResult, Verdict};
use engine_model::{Date, ErrorCode, Failure, ScanResult, nearest};
use engine_profile::{ALL_SYSTEMS, Answer, ORGANISATION, Profile, StatedEvidence, practices, question};
use engine_regulation::regulation;
use engine_scanner::Settings;
use engine_scoring::{
    CostEstimate, CostInput, Dated, Debt, DebtInput, DebtPoint, EvalControl, FrameworkScores, Size, cost_estimate,
    debt, framework_report,
};
use engine_store::{RunKind, Store, StoreError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::project::{ProjectState, conflict};
use crate::requests::{CostRequest, DebtRequest, FrameworkScoresRequest};
use crate::scan::{Running, ScanHooks};
use crate::simulate::{is_gap, shown};
use crate::{Engine, evals, passports};

/// The note with the day on which each open gap was first seen.
const FIRST_SEEN: &str = "debt.first_seen";

/// The note with one debt a day.
const HISTORY: &str = "debt.history";

/// Days of the debt that are kept: two years.
const HISTORY_MAX: usize = 730;

/// The version of both notes.
const NOTE_VERSION: u32 = 1;

/// The highest hourly rate in euros.
const HOURLY_RATE_MAX: f64 = 1_000.0;

/// Names in an error.
const NAMED_MAX: usize = 10;

/// Frameworks whose controls probes can name.
const PROBED: [&str; 3] = ["owasp-llm-2025", "owasp-agentic-2026", "mitre-atlas"];

/// The question about the size of the organisation.
const SIZE: &str = "size";

/// The question whether users know that they interact with an AI, and the obligation that its answer supports.
const DISCLOSED: (&str, &str) = ("ai-is-obvious", "OBL-094");

/// A note as it is kept.
#[derive(Serialize, Deserialize)]
struct Note<T> {
    version: u32,
    value: T,
}

/// Reply of `GET /cost-estimate`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostReply {
    /// The date for which the estimate is made.
    pub as_of: Date,
    /// The ids of the systems that the estimate covers.
    pub systems: Vec<String>,
    /// The agent or system of the request; null for all systems.
    pub agent: Option<String>,
    /// The estimate.
    #[serde(flatten)]
    pub estimate: CostEstimate,
}

impl Engine {
    /// Scores of all frameworks for a project as it is; nothing is kept.
    pub fn framework_scores(&self, request: &FrameworkScoresRequest) -> Result<FrameworkScores, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let (scan, _) = self.evaluated_now(&state, request.as_of)?;
        Ok(framework_report(
            &scan.systems,
            &scan.findings,
            &eval_controls(&state)?,
            self.timestamp(),
        ))
    }

    /// The debt of a project as it is today; nothing is kept.
    pub fn debt(&self, request: &DebtRequest) -> Result<Debt, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let (scan, settings) = self.evaluated_now(&state, None)?;
        let remembered = state
            .reading(|store| Ok::<_, StoreError>((first_seen(store)?, history(store)?)))?
            .map_err(|error| conflict(&error))?;
        let mut debt = debt_of(&scan, &settings.profile, &remembered.0, &remembered.1);
        if request.trend != Some(true) {
            debt.trend.clear();
        }
        Ok(debt)
    }

    /// The hours and euros to close the open obligations of a project; nothing is kept.
    pub fn cost_estimate(&self, request: &CostRequest) -> Result<CostReply, Failure> {
        if request
            .hourly_rate
            .is_some_and(|rate| !(rate > 0.0 && rate <= HOURLY_RATE_MAX))
        {
            let details = format!("`hourlyRate` must be a rate in euros above 0 and at most {HOURLY_RATE_MAX}");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("hourlyRate"));
        }
        let state = self.project_or_current(request.path.as_deref())?;
        let (mut scan, settings) = self.evaluated_now(&state, None)?;
        if let Some(wanted) = request.agent.as_deref() {
            let system = system_of(&scan, &state, wanted)?;
            scan.systems.retain(|one| one.id == system);
            scan.findings
                .retain(|finding| finding.system.as_ref().is_none_or(|id| *id == system));
        }
        Ok(CostReply {
            as_of: scan.as_of,
            systems: scan.systems.iter().map(|system| system.id.clone()).collect(),
            agent: request.agent.clone(),
            estimate: cost_estimate(&CostInput {
                as_of: scan.as_of,
                systems: &scan.systems,
                findings: &scan.findings,
                documents: &scan.documents,
                hourly_rate: request.hourly_rate,
                size: size(&settings.profile, scan.as_of),
                turnover_eur: None,
            }),
        })
    }

    /// Evaluates a project as it is and keeps nothing.
    fn evaluated_now(&self, state: &ProjectState, as_of: Option<Date>) -> Result<(ScanResult, Settings), Failure> {
        let _running = Running::begin(&self.scans)?;
        let settings = self.settings(state, as_of, None, None)?;
        let scan = self.run(state, &settings, &ScanHooks::default())?;
        Ok((scan, settings))
    }
}

/// Remembers when each open gap of a kept scan was first seen, and the debt of the day.
///
/// - A scan for another date, or of some systems only, changes nothing.
/// - A scan with a stated role or class adds new gaps and removes none, because it can miss gaps of the project as it is.
/// - Any other scan shows the project as it is: gaps that it does not report are removed.
///
/// An error is logged and no more: the scan itself is kept already.
pub(crate) fn remember(state: &ProjectState, scan: &ScanResult, settings: &Settings) {
    let Some(store) = state.store() else { return };
    if let Err(error) = remembered(store, scan, settings) {
        tracing::warn!(%error, "could not save the first dates of gaps; the compliance debt may count them as new");
    }
}

fn remembered(store: &Store, scan: &ScanResult, settings: &Settings) -> Result<(), StoreError> {
    let today = scan.scanned_at.get(..10).and_then(|date| date.parse().ok());
    if today != Some(scan.as_of) || !settings.systems.is_empty() {
        return Ok(());
    }
    let before = first_seen(store)?;
    let is_as_it_is = settings.role.is_none() && settings.risk_class.is_none();
    let mut seen: BTreeMap<String, Date> = if is_as_it_is { BTreeMap::new() } else { before.clone() };
    for finding in scan.findings.iter().filter(|finding| is_gap(finding)) {
        let first = before.get(&finding.id).copied().unwrap_or(scan.as_of);
        // After the clock was set back a remembered day can lie in the future.
        seen.insert(finding.id.clone(), first.min(scan.as_of));
    }
    if seen != before {
        write(store, FIRST_SEEN, &seen)?;
    }
    if !is_as_it_is {
        return Ok(());
    }
    let known = history(store)?;
    let point = debt_of(scan, &settings.profile, &seen, &[]).point(scan.as_of);
    let mut days: BTreeMap<Date, DebtPoint> = known.iter().map(|point| (point.date, point.clone())).collect();
    days.insert(point.date, point);
    let newest = days.len().saturating_sub(HISTORY_MAX);
    let points: Vec<DebtPoint> = days.into_values().skip(newest).collect();
    if points != known {
        write(store, HISTORY, &points)?;
    }
    Ok(())
}

fn first_seen(store: &Store) -> Result<BTreeMap<String, Date>, StoreError> {
    read(store, FIRST_SEEN)
}

fn history(store: &Store) -> Result<Vec<DebtPoint>, StoreError> {
    read(store, HISTORY)
}

/// A note; an empty one where there is none, or none of this version.
fn read<T: DeserializeOwned + Default>(store: &Store, key: &str) -> Result<T, StoreError> {
    let Some(text) = store.meta_get(key)? else {
        return Ok(T::default());
    };
    match serde_json::from_str::<Note<T>>(&text) {
        Ok(note) if note.version == NOTE_VERSION => Ok(note.value),
        Ok(note) => {
            tracing::warn!(
                key,
                version = note.version,
                "ignoring saved gap data of another engine version; gap ages and debt history start again"
            );
            Ok(T::default())
        }
        Err(error) => {
            tracing::warn!(key, %error, "could not read the saved gap data; gap ages and debt history start again");
            Ok(T::default())
        }
    }
}

fn write<T: Serialize>(store: &Store, key: &str, value: &T) -> Result<(), StoreError> {
    let note = Note {
        version: NOTE_VERSION,
        value,
    };
    match serde_json::to_string(&note) {
        Ok(text) => store.meta_set(key, &text),
        Err(error) => {
            tracing::warn!(key, %error, "could not save the gap data; gap ages and debt history are not updated");
            Ok(())
        }
    }
}

fn debt_of(scan: &ScanResult, profile: &Profile, first_seen: &BTreeMap<String, Date>, history: &[DebtPoint]) -> Debt {
    debt(&DebtInput {
        as_of: scan.as_of,
        systems: &scan.systems,
        findings: &scan.findings,
        first_seen,
        documents: &scan.documents,
        dated: &dated(profile, scan),
        history,
    })
}

/// What people stated with a last day: evidence outside the repository, and answers. What is stated about a system that is
/// gone is left out.
fn dated(profile: &Profile, scan: &ScanResult) -> Vec<Dated> {
    let evidence = |system: Option<&String>, one: &StatedEvidence| Dated {
        what: format!("declared evidence: {}", one.reference),
        on: one.on,
        until: Some(one.until),
        obligation_id: Some(one.obligation.clone()),
        system: system.cloned(),
    };
    let answer = |system: &str, id: &str, one: &Answer| {
        let until = one.until?;
        let title = question(id).map_or(id, |spec| spec.title);
        let scope = match system {
            ORGANISATION => "organisation",
            ALL_SYSTEMS => "all systems",
            system => system,
        };
        Some(Dated {
            what: format!("answer “{title}” ({scope})"),
            // An answer without its day is as old as the last day on which it counted.
            on: one.on.unwrap_or(until),
            until: Some(until),
            obligation_id: obligation_of(id).map(str::to_owned),
            system: scan
                .systems
                .iter()
                .any(|own| own.id == system)
                .then(|| system.to_owned()),
        })
    };
    let mut dated: Vec<Dated> = profile
        .organisation_evidence
        .iter()
        .map(|one| evidence(None, one))
        .collect();
    let shared = [(ORGANISATION, &profile.organisation), (ALL_SYSTEMS, &profile.all)];
    for (scope, answers) in shared {
        dated.extend(answers.iter().filter_map(|(id, one)| answer(scope, id, one)));
    }
    for (system, own) in &profile.systems {
        if scan.systems.iter().any(|one| one.id == *system) {
            dated.extend(own.evidence.iter().map(|one| evidence(Some(system), one)));
            dated.extend(own.answers.iter().filter_map(|(id, one)| answer(system, id, one)));
        }
    }
    dated
}

/// The obligation that an answer is evidence for.
fn obligation_of(id: &str) -> Option<&'static str> {
    if id == DISCLOSED.0 {
        return Some(DISCLOSED.1);
    }
    practices()
        .find(|(spec, _)| spec.id == id)
        .map(|(_, obligation)| obligation)
}

/// The size of the organisation, as long as its answer counts.
fn size(profile: &Profile, as_of: Date) -> Option<Size> {
    let answer = profile
        .organisation
        .get(SIZE)
        .filter(|answer| !answer.is_expired(as_of))?;
    match answer.value.word() {
        "sme" => Some(Size::Sme),
        "small-mid-cap" => Some(Size::SmallMidCap),
        "other" => Some(Size::Other),
        _ => None,
    }
}

/// The system that a name or id means: of a system, of an agent in code, or of a passport.
fn system_of(scan: &ScanResult, state: &ProjectState, wanted: &str) -> Result<String, Failure> {
    let by_id = scan.systems.iter().find(|system| system.id == wanted);
    if let Some(system) = by_id.or_else(|| scan.systems.iter().find(|system| system.name == wanted)) {
        return Ok(system.id.clone());
    }
    let agent_id = passports::agent_id(state, wanted);
    let by_id = scan.agents.iter().find(|agent| agent.agent_id == agent_id);
    if let Some(agent) = by_id.or_else(|| scan.agents.iter().find(|agent| agent.name == wanted)) {
        return Ok(agent.system.clone());
    }
    let systems = scan
        .systems
        .iter()
        .flat_map(|system| [system.id.as_str(), system.name.as_str()]);
    let agents = scan
        .agents
        .iter()
        .flat_map(|agent| [agent.name.as_str(), agent.agent_id.as_str()]);
    let known: Vec<&str> = systems.chain(agents).collect();
    let meant = nearest(wanted, known.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
    let systems = scan.systems.iter().map(|system| &system.id);
    let names: BTreeSet<&String> = systems.chain(scan.agents.iter().map(|agent| &agent.name)).collect();
    let more = if names.len() > NAMED_MAX { " and others" } else { "" };
    let names: Vec<String> = names
        .into_iter()
        .take(NAMED_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    let details = if names.is_empty() {
        format!(
            "no system or agent is named `{}`, and no AI system was found in this project; leave out `agent`",
            shown(wanted)
        )
    } else {
        format!(
            "no system or agent is named `{}`{} Available: {}{more}",
            shown(wanted),
            meant.unwrap_or_else(|| ".".to_owned()),
            names.join(", ")
        )
    };
    Err(Failure::new(ErrorCode::UnknownPassport, details).field("agent"))
}

/// The verdicts of the newest kept run, by the controls that its categories and probes name; none without a run.
fn eval_controls(state: &ProjectState) -> Result<Vec<EvalControl>, Failure> {
    let run: EvalResult = match evals::last(state, RunKind::Eval, None, None) {
        Ok(run) => run,
        Err(failure) if failure.code == ErrorCode::NoRunYet => return Ok(Vec::new()),
        Err(failure) => return Err(failure),
    };
    Ok(controls(&run.id, run.categories.values(), &run.results))
}

/// The verdicts of a run by framework and control.
fn controls<'r>(
    run: &str,
    categories: impl Iterator<Item = &'r CategoryScore>,
    probes: &'r [ProbeResult],
) -> Vec<EvalControl> {
    let of_category = categories.flat_map(|category| {
        let names = category.owasp.iter();
        names.map(|name| (name, category.passed as u64, category.failed as u64))
    });
    // Techniques are named by single probes.
    let of_probe = probes.iter().flat_map(|probe| {
        let (passed, failed) = (probe.verdict == Verdict::Pass, probe.verdict == Verdict::Fail);
        probe
            .tags
            .iter()
            .map(move |tag| (tag, u64::from(passed), u64::from(failed)))
    });
    let mut counts: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for (name, passed, failed) in of_category.chain(of_probe) {
        if let Some(control) = control(name) {
            let count = counts.entry(control).or_default();
            *count = (count.0 + passed, count.1 + failed);
        }
    }
    let rows = counts
        .into_iter()
        .map(|((framework, control), (passed, failed))| EvalControl {
            framework: framework.to_owned(),
            control: control.to_owned(),
            passed,
            failed,
            run: run.to_owned(),
        });
    rows.collect()
}

/// The framework and control of an id such as `LLM01:2025`.
fn control(name: &str) -> Option<(&'static str, &'static str)> {
    let bare = name.split(':').next().unwrap_or(name);
    PROBED.iter().find_map(|framework| {
        let framework = regulation().framework(framework)?;
        let control = framework.controls.iter().find(|control| control.id == bare)?;
        Some((framework.id.as_str(), control.id.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_count_for_the_controls_that_their_categories_name() {
        let category = |owasp: &[&str], passed, failed| CategoryScore {
            owasp: owasp.iter().map(|name| (*name).to_owned()).collect(),
            passed,
            failed,
            ..CategoryScore::default()
        };
        let categories = [
            category(&["LLM01:2025", "ASI01"], 7, 2),
            category(&["LLM01:2025"], 1, 1),
            category(&["LLM99:2025"], 9, 9),
            category(&[], 9, 9),
        ];
        let found = controls("run", categories.iter(), &[]);
        let found: Vec<(&str, &str, u64, u64)> = found
            .iter()
            .map(|row| (row.framework.as_str(), row.control.as_str(), row.passed, row.failed))
            .collect();
        assert_eq!(
            found,
            [("owasp-agentic-2026", "ASI01", 7, 2), ("owasp-llm-2025", "LLM01", 8, 3)]
        );
        assert_eq!(
            control("AML.T0051").map(|(framework, _)| framework),
            Some("mitre-atlas")
        );
    }
}
