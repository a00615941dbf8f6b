//! Checks on dependencies: are the AI packages of a system declared, pinned and still served?

mod missing_lockfile;
mod retired_model;
mod supplier_inventory;
mod undeclared_dependency;
mod unpinned_dependency;

use engine_model::{Check, CheckContext, DependencyRelation, DependencyScope, Ecosystem, Package, System, Zone};

/// All checks of this layer.
pub const CHECKS: &[Check] = &[
    unpinned_dependency::UNPINNED_AI_DEPENDENCY,
    missing_lockfile::MISSING_LOCKFILE,
    undeclared_dependency::UNDECLARED_AI_DEPENDENCY,
    retired_model::RETIRED_MODEL,
    supplier_inventory::SUPPLIER_INVENTORY,
];

/// The AI packages that systems run on: direct dependencies of product manifests, not for development only. They are few among the many
/// entries of lockfiles, so they are collected once.
struct AiPackages<'a>(Vec<&'a Package>);

impl<'a> AiPackages<'a> {
    fn of(context: &CheckContext<'a>) -> Self {
        let packages = context.inventory.packages.iter().filter(|package| {
            package.ai_kind.is_some()
                && package.zone == Zone::Product
                && package.scope != DependencyScope::Development
                && package.relation != DependencyRelation::Transitive
        });
        Self(packages.collect())
    }

    /// Those of manifests in the folder of a system or above it.
    fn of_system(&self, context: &CheckContext<'_>, system: &System) -> Vec<&'a Package> {
        let own = |package: &&&Package| governs(context, system, &package.file);
        self.0.iter().filter(own).copied().collect()
    }
}

/// Whether a manifest covers a system: it is in the system's folder, or in a folder above it.
fn governs(context: &CheckContext<'_>, system: &System, manifest: &str) -> bool {
    if context.in_scope(system, manifest) {
        return true;
    }
    let folder = folder(manifest);
    folder.is_empty()
        || system
            .scope
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The common name of the registry.
const fn registry(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::PyPI => "Python",
        Ecosystem::Npm => "npm",
        Ecosystem::Cargo => "Cargo",
        Ecosystem::Go => "Go",
        Ecosystem::Maven => "Maven",
        Ecosystem::NuGet => "NuGet",
        Ecosystem::Composer => "Composer",
        Ecosystem::RubyGems => "Ruby",
        Ecosystem::Conda => "conda",
    }
}

/// A few names, and how many more there are.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    /// Names that a sentence lists.
    const NAMES_MAX: usize = 6;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(NAMES_MAX);
    names.truncate(NAMES_MAX);
    let text = names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if more > 0 {
        format!("{text} and {more} more")
    } else {
        text
    }
}
