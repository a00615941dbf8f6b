//! AI packages that a manifest names and no code brings in.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine_catalogue::catalogue;
use engine_model::{CallKind, Ecosystem, FileInfo, Inventory, Language, TraceKind, Zone};
use engine_scan_code::CodeFacts;

/// The AI packages of Python that no file of the product imports and no call comes from. Nothing is said of a product without imports:
/// its code may lie where it was not read.
pub(crate) fn lacking(code: &[(FileInfo, Arc<CodeFacts>)], inventory: &Inventory) -> BTreeSet<String> {
    let mut wanted: Vec<(&str, &engine_catalogue::Package)> = inventory
        .packages
        .iter()
        .filter(|package| package.ai_kind.is_some() && package.ecosystem == Ecosystem::PyPI)
        .filter_map(|package| {
            Some((
                package.name.as_str(),
                catalogue().package(Ecosystem::PyPI, &package.name)?,
            ))
        })
        .filter(|(_, known)| !known.imports.is_empty() || !known.ambiguous_imports.is_empty())
        .collect();
    wanted.sort_unstable_by_key(|(name, _)| *name);
    wanted.dedup_by_key(|(name, _)| *name);
    let mut any = false;
    // A tree has tens of thousands of imports, and all but a few begin unlike what is looked for.
    let mut begins = [false; 256];
    for root in wanted.iter().flat_map(|(_, known)| roots(known)) {
        begins[usize::from(first(root))] = true;
    }
    for (info, facts) in code {
        if wanted.is_empty() {
            break;
        }
        if info.zone != Zone::Product || !matches!(info.language, Language::Python | Language::Notebook) {
            continue;
        }
        any |= !facts.imports.is_empty();
        for import in facts.imports.iter().filter(|import| begins[usize::from(first(import))]) {
            wanted.retain(|(_, known)| !roots(known).any(|root| is_below(import, root)));
        }
    }
    if !any {
        return BTreeSet::new();
    }
    // What was packed with a library is unpacked by it, though nobody imports it: `pickle.load` of a model of scikit-learn.
    if inventory.calls.iter().any(unpacks) {
        wanted.retain(|(_, known)| !known.ai_system);
    }
    let called: BTreeSet<&str> = inventory.calls.iter().filter_map(|call| call.sdk.as_deref()).collect();
    wanted
        .into_iter()
        .filter(|(name, known)| !called.contains(known.name.as_str()) && !called.contains(name))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// What is imported to use a package; names that other packages have as well among them.
fn roots(known: &engine_catalogue::Package) -> impl Iterator<Item = &str> {
    let written = known.imports.iter().chain(&known.ambiguous_imports);
    written.map(|root| root.trim_end_matches('*'))
}

/// The first byte of a name.
fn first(name: &str) -> u8 {
    name.bytes().next().unwrap_or_default()
}

/// Whether a call asks a model that code of other libraries brings along.
fn unpacks(call: &engine_model::Call) -> bool {
    call.kind == CallKind::ModelLoad
        || call.traced(TraceKind::RunsCodeOnLoad).is_some()
        || call.provider.as_deref() == Some("local")
}

/// Whether what is imported lies at a root or below it.
fn is_below(import: &str, root: &str) -> bool {
    import
        .strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || root.ends_with(['.', '_']))
}
