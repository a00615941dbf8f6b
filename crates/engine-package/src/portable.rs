//! The result of a scan, fit to be handed on: without the place of the project, lines of its source, and names of people.

use std::collections::BTreeSet;

use engine_model::{Evidence, Finding, ListText, ScanResult};

/// What stands where a person was named. Who it is stands in the project's own files.
const NAMED: &str = "a named person";

/// The result as it may leave the machine. An entry of the chain states the digest of just this.
#[must_use]
pub fn portable(scan: &ScanResult) -> ScanResult {
    let mut scan = scan.clone();
    ".".clone_into(&mut scan.project_path);
    let names: BTreeSet<String> = owners(&scan).map(|owner| format!(" by {owner}: ")).collect();
    let people: BTreeSet<String> = people(&scan).collect();
    let hide = |owner: &mut Option<String>| {
        if let Some(owner) = owner {
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
    for answer in scan.systems.iter_mut().flat_map(|system| &mut system.answers) {
        hide(&mut answer.by);
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
    for text in texts(&mut scan) {
        for name in &people {
            without(text, name);
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

/// The findings of a result as they may leave the machine; none where the result names somebody.
///
/// Where it names nobody, [`portable`] changes only the place of the project, the name of its baseline and the quotes of findings. The text of a
/// finding that is equal to one of `before` is taken over.
///
/// # Errors
///
/// What the writer of JSON answers.
pub fn portable_findings(
    scan: &ScanResult,
    before: Option<(&[Finding], &ListText)>,
) -> serde_json::Result<Option<ListText>> {
    if owners(scan).next().is_some() || people(scan).next().is_some() {
        return Ok(None);
    }
    let text = ListText::of(&scan.findings, before, |out, finding| {
        let mut finding = finding.clone();
        finding.code_context = None;
        serde_json::to_writer(out, &finding)
    });
    text.map(Some)
}

/// Who decided about findings.
fn owners(scan: &ScanResult) -> impl Iterator<Item = &String> {
    let of_findings = scan.findings.iter().flat_map(|finding| {
        let suppressed = finding.suppressed.as_ref().map(|known| &known.owner);
        [suppressed, finding.baseline.as_ref().map(|known| &known.owner)]
    });
    let of_baseline = scan
        .baseline
        .iter()
        .flat_map(|baseline| baseline.expired.iter().chain(&baseline.unmatched));
    of_findings
        .flatten()
        .chain(scan.suppressions.iter().map(|known| &known.owner))
        .chain(of_baseline.map(|entry| &entry.owner))
        .flatten()
}

/// Who answered or stated something.
fn people(scan: &ScanResult) -> impl Iterator<Item = String> {
    let answers = scan.systems.iter().flat_map(|system| &system.answers);
    let of_systems = scan.systems.iter().flat_map(|system| &system.obligations);
    let records = of_systems.chain(scan.obligations.iter().map(|own| &own.record));
    let evidence = records
        .flat_map(|record| &record.evidence)
        .chain(scan.findings.iter().flat_map(|finding| &finding.evidence));
    answers
        .filter_map(|answer| answer.by.clone())
        .chain(evidence.filter_map(|evidence| stated_by(&evidence.reference)))
}

/// Who states evidence: `A. Person` in `stated by A. Person on 2026-11-28, until …`.
fn stated_by(reference: &str) -> Option<String> {
    let rest = reference.strip_prefix("stated by ")?;
    let end = rest.match_indices(" on ").map(|(at, _)| at).find(|at| {
        let date = rest.get(at + " on ".len()..).unwrap_or_default();
        date.starts_with(|c: char| c.is_ascii_digit())
    })?;
    rest.get(..end).map(str::to_owned)
}

/// Texts that can say who stated something.
fn texts(scan: &mut ScanResult) -> Vec<&mut String> {
    let mut texts = Vec::new();
    for system in &mut scan.systems {
        texts.extend([&mut system.role_basis, &mut system.risk_basis]);
        texts.extend(system.questions.iter_mut().map(|question| &mut question.why));
        let records = system.obligations.iter_mut().flat_map(|record| &mut record.evidence);
        texts.extend(records.map(|evidence| &mut evidence.reference));
    }
    let records = scan.obligations.iter_mut().flat_map(|own| &mut own.record.evidence);
    texts.extend(records.map(|evidence| &mut evidence.reference));
    for finding in &mut scan.findings {
        texts.push(&mut finding.message);
        texts.extend(finding.evidence.iter_mut().map(|evidence| &mut evidence.reference));
    }
    texts
}

/// Takes a name out of a text where the text says by whom something was stated.
fn without(text: &mut String, name: &str) {
    let said = format!(" by {name}");
    if name == NAMED || !text.contains(&said) {
        return;
    }
    let hidden = format!(" by {NAMED}");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(&said) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let after = from.get(said.len()..).unwrap_or_default();
        // A longer word, or a name that was taken out already, is left as it is.
        if after.starts_with(char::is_alphanumeric) || from.starts_with(&hidden) {
            out.push_str(&said);
        } else {
            out.push_str(&hidden);
        }
        rest = after;
    }
    out.push_str(rest);
    *text = out;
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
