//! What external tools found, as observations beside those of the engine's own checks.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Check, CheckContext, Evidence, Finding, Impact, Layer, Location, Observation, Outcome, Report, Severity, System,
};

use crate::findings::Observed;

/// Findings of external tools for one evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct External {
    /// Those that no check of the engine reports.
    pub observations: Vec<ExternalObservation>,
    /// Further sources of findings of the engine, by the id of the finding.
    pub seconded: BTreeMap<String, Vec<Evidence>>,
}

/// One finding of an external tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalObservation {
    /// `ext-<tool>-<rule>`.
    pub check_id: String,
    /// The layer that it belongs to.
    pub layer: Layer,
    /// The obligation that it speaks to.
    pub obligation: String,
    /// Whether it is a gap; otherwise it is a notice.
    pub gap: bool,
    /// How much it weighs.
    pub severity: Severity,
    /// 0 to 100.
    pub confidence: u8,
    /// The problem in a few words.
    pub title: String,
    /// What was found.
    pub message: String,
    /// What to do.
    pub fix: String,
    /// Where.
    pub location: Location,
    /// Last line.
    pub end_line: u32,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
}

const fn check(layer: Layer) -> Check {
    Check {
        id: "ext",
        aliases: &[],
        layer,
        obligation: "OBL-047",
        also: &[],
        severity: Severity::Medium,
        impact: Impact::Exposes,
        fix: "",
        fixable: false,
        evidence: "",
        docs: "Finding of an external tool.",
        run: no_run,
    }
}

/// An external tool has run already.
fn no_run(_: &CheckContext<'_>, _: &mut Report) {}

static OF_CODE: Check = check(Layer::L4);
static OF_FILES: Check = check(Layer::L3);

/// Whether an observation comes from an external tool.
pub(crate) fn is_external(check: &Check) -> bool {
    check.id == OF_CODE.id
}

impl External {
    /// The observations, each with the system in whose folder it lies.
    pub(crate) fn observe(&self, systems: &[System]) -> Vec<Observed> {
        self.observations
            .iter()
            .map(|item| {
                let check = if item.layer == Layer::L4 { &OF_CODE } else { &OF_FILES };
                let observation = Observation {
                    outcome: if item.gap { Outcome::Fail } else { Outcome::Info },
                    system: system_of(&item.location.file, systems),
                    location: Some(item.location.clone()),
                    end_line: Some(item.end_line),
                    confidence: item.confidence.min(100),
                    message: item.message.clone(),
                    anchor: item.check_id.clone(),
                    evidence: item.evidence.clone(),
                    obligation: Some(item.obligation.clone()),
                    severity: Some(item.severity),
                    impact: None,
                    fix: Some(item.fix.clone()),
                    aside: false,
                    title: Some(item.title.clone()),
                };
                let mut observed = Observed::new(check, observation);
                observed.named = Some(item.check_id.clone());
                observed
            })
            .collect()
    }

    /// Names the tools that report the same as a finding of the engine.
    pub(crate) fn second(&self, findings: &mut [Finding]) {
        for finding in findings {
            let Some(more) = self.seconded.get(&finding.id) else {
                continue;
            };
            let known: BTreeSet<Evidence> = finding.evidence.iter().cloned().collect();
            finding
                .evidence
                .extend(more.iter().filter(|evidence| !known.contains(evidence)).cloned());
        }
    }
}

/// The only system whose folder holds a file most closely; none where several do.
fn system_of(file: &str, systems: &[System]) -> Option<String> {
    let holds = |system: &&System| {
        system.scope.is_empty()
            || file
                .strip_prefix(system.scope.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let longest = systems.iter().filter(holds).map(|system| system.scope.len()).max()?;
    let mut closest = systems
        .iter()
        .filter(holds)
        .filter(|system| system.scope.len() == longest);
    let only = closest.next()?;
    closest.next().is_none().then(|| only.id.clone())
}
