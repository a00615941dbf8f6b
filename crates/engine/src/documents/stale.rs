//! Names sentences of documents whose source has changed since, as actions of a scan.

use engine_documents::{Outline, StaleSource, kind, stale_sources};
use engine_model::{Action, ActionKind, Failure, ScanResult};

use super::gathering::Gathered;
use super::{DOCUMENT_BYTES_MAX, DOCUMENTS_MAX, FOLDER};
use crate::project::ProjectState;

/// Changed values that an action names; further ones are counted.
const NAMED_MAX: usize = 5;

/// Adds an action for each document with values that have changed since it was generated.
pub(crate) fn name_stale(state: &ProjectState, scan: &mut ScanResult) -> Result<(), Failure> {
    let names = state.state_files(FOLDER)?;
    if names.is_empty() || scan.systems.is_empty() {
        return Ok(());
    }
    let gathered = Gathered::of(state)?;
    let mut found = Vec::new();
    for name in names
        .into_iter()
        .filter(|name| name.strip_suffix(".md").is_some())
        .take(DOCUMENTS_MAX)
    {
        let Some(bytes) = state.state_file(&format!("{FOLDER}/{name}"))? else {
            continue;
        };
        let Some(text) = std::str::from_utf8(&bytes)
            .ok()
            .filter(|text| text.len() <= DOCUMENT_BYTES_MAX)
        else {
            continue;
        };
        let Some(outline) = Outline::of(text) else { continue };
        let of = |id: &String| scan.systems.iter().find(|system| system.id == *id);
        let Some(system) = outline.system.as_ref().and_then(of) else {
            continue;
        };
        let changed = stale_sources(text, &gathered.subject((&*scan).into(), system, None).facts());
        if !changed.is_empty() {
            found.push(action(&format!(".compliance/{FOLDER}/{name}"), &outline, &changed));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    // After the duties in force, before what is to be decided.
    let at = scan
        .actions
        .iter()
        .rposition(|action| matches!(action.kind, ActionKind::FixNow | ActionKind::Duty))
        .map_or(0, |last| last + 1);
    scan.actions.splice(at..at, found);
    for (index, action) in scan.actions.iter_mut().enumerate() {
        action.rank = index as u64 + 1;
    }
    Ok(())
}

fn action(file: &str, outline: &Outline, stale: &[StaleSource]) -> Action {
    let title = kind(&outline.kind).map_or("document", |kind| kind.title());
    let mut named: Vec<String> = stale
        .iter()
        .take(NAMED_MAX)
        .map(|one| {
            let at = one.line.map_or_else(String::new, |line| format!(", line {line}"));
            format!("{} (section \"{}\"{at})", one.label, one.section)
        })
        .collect();
    if stale.len() > NAMED_MAX {
        named.push(format!("{} more", stale.len() - NAMED_MAX));
    }
    let at = |one: &StaleSource| {
        one.line
            .map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
    };
    let mut places: Vec<String> = stale.iter().map(at).collect();
    places.sort();
    places.dedup();
    Action {
        rank: 0,
        kind: ActionKind::Duty,
        title: format!("Outdated values in {}", title.to_lowercase()),
        place: Some(stale.first().map_or_else(|| file.to_owned(), at)),
        why: format!(
            "The sources of these values have changed since the document was generated: {}.",
            named.join("; ")
        ),
        how: "Generate the document again. Your own text is kept. A final document must be set back to `status: draft` first."
            .to_owned(),
        until: None,
        command: Some(format!("engine-server doc --type {}", outline.kind)),
        places,
        article: kind(&outline.kind).map(|kind| kind.document.legal_basis.join(", ")),
        severity: None,
        impact: None,
        systems: outline.system.iter().cloned().collect(),
        findings: Vec::new(),
        obligations: Vec::new(),
        question: None,
    }
}
