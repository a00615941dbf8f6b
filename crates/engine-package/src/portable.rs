//! The result of a scan, fit to be handed on: without the place of the project, lines of its source, and names of people.

use std::collections::BTreeSet;

use engine_model::{Evidence, ScanResult};

/// What stands where a person was named. Who it is stands in the project's own files.
const NAMED: &str = "a named person";

/// The result as it may leave the machine. An entry of the chain states the digest of just this.
#[must_use]
pub fn portable(scan: &ScanResult) -> ScanResult {
    let mut scan = scan.clone();
    ".".clone_into(&mut scan.project_path);
    let mut names = BTreeSet::new();
    let mut hide = |owner: &mut Option<String>| {
        if let Some(owner) = owner {
            names.insert(format!(" by {owner}: "));
            NAMED.clone_into(owner);
        }
    };
    for finding in &mut scan.findings {
        // The place is named by file and line; the lines themselves may hold what is nobody else's business.
        finding.code_context = None;
        if let Some(suppressed) = &mut finding.suppressed {
            hide(&mut suppressed.owner);
        }
        if let Some(baseline) = &mut finding.baseline {
            hide(&mut baseline.owner);
        }
    }
    for suppression in &mut scan.suppressions {
        hide(&mut suppression.owner);
    }
    if let Some(baseline) = &mut scan.baseline {
        for entry in baseline.expired.iter_mut().chain(&mut baseline.unmatched) {
            hide(&mut entry.owner);
        }
        // A baseline that lies elsewhere is named by its path on this machine.
        if baseline.file.starts_with(['/', '\\', '~']) || baseline.file.contains(':') || baseline.file.contains("..") {
            let name = baseline.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            baseline.file = name;
        }
    }
    let replacement = format!(" by {NAMED}: ");
    for evidence in evidence(&mut scan) {
        for name in &names {
            if evidence.reference.contains(name) {
                evidence.reference = evidence.reference.replace(name, &replacement);
            }
        }
    }
    scan
}

/// Everything that a finding or a status rests on.
fn evidence(scan: &mut ScanResult) -> impl Iterator<Item = &mut Evidence> {
    let of_systems = scan.systems.iter_mut().flat_map(|system| &mut system.obligations);
    let of_project = scan.obligations.iter_mut().map(|obligation| &mut obligation.record);
    of_systems
        .chain(of_project)
        .flat_map(|record| &mut record.evidence)
        .chain(scan.findings.iter_mut().flat_map(|finding| &mut finding.evidence))
}

/// The bytes of the result as it may leave the machine.
///
/// # Errors
///
/// What the writer of JSON answers.
pub fn portable_bytes(scan: &ScanResult) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&portable(scan))
}
