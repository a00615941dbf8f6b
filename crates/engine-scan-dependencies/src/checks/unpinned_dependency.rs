//! `l3-unpinned-ai-dependency`: an AI package without an exact version.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{CheckContext, Ecosystem, EvidenceKind, Location, Package, Report, declare_check};

use super::{AiPackages, folder, listed};
use crate::package::{SET_BY, normal_name};

declare_check! {
    /// AI package without exact version.
    ///
    /// Without an exact version, each installation can bring new and untested code into the system.
    /// Article 15(5) requires high-risk systems to be resilient against attacks, including attacks through their components.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// openai>=1.0
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// openai==1.54.3
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// openai==1.54.3
    /// shap
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import shap
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// openai==1.54.3
    /// shap
    /// ```
    UNPINNED_AI_DEPENDENCY {
        id: "l3-unpinned-ai-dependency",
        layer: L3,
        obligation: "OBL-047",
        evidence: "AI packages pinned to exact versions",
        severity: Medium,
        impact: Prepares,
        fix: "Pin each AI package to an exact version, or commit a lockfile that does.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    let known = AiPackages::of(context);
    for system in context.systems {
        // A package that no code imports has no effect, whatever its version.
        let mut packages = known.of_system(context, system);
        packages.retain(|package| package.ecosystem != Ecosystem::PyPI || !context.unimported.contains(&package.name));
        let fixed = fixed_folders(&packages);
        let mut loose: Vec<&Package> = packages
            .iter()
            .copied()
            .filter(|package| !is_fixed(package) && !is_fixed_above(package, &fixed))
            .collect();
        loose.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        if let Some(first) = loose.first() {
            let file = first.file.as_str();
            let names = listed(loose.iter().map(|package| package.name.as_str()));
            let folders: BTreeSet<&str> = loose.iter().map(|package| folder(&package.file)).collect();
            let places = match folders.len() {
                1 => String::new(),
                count => format!(" in {count} folders, first in `{file}`"),
            };
            let mut entry = report
                .fail(89, format!("No exact version is set for {names}{places}."))
                .system(system)
                .at(Location::line(file, first.line.unwrap_or(1)))
                .anchor(file);
            for package in loose.iter().take(40) {
                let asked = package.requirement.as_deref().unwrap_or("any version");
                let text = format!("{} ({asked})", package.name);
                entry = entry.evidence(EvidenceKind::Dependency, text, &package.file, package.line.unwrap_or(1));
            }
        } else if let Some(first) = packages.iter().min_by_key(|package| (&package.file, package.line)) {
            let file = first.file.as_str();
            let names = listed(packages.iter().map(|package| package.name.as_str()));
            let mut entry = report
                .pass(93, format!("Exact versions are set for {names}."))
                .system(system)
                .at(Location::line(file, first.line.unwrap_or(1)))
                .anchor(file);
            for package in packages.iter().take(10) {
                let version = package
                    .version
                    .as_deref()
                    .or(package.requirement.as_deref())
                    .unwrap_or("");
                let text = format!("{} {version}", package.name);
                entry = entry.evidence(EvidenceKind::Dependency, text, &package.file, package.line.unwrap_or(1));
            }
            // The inventory lists the versions, so this evidence appears only with its obligation.
            entry.aside();
        }
    }
}

/// Whether a manifest, or a bill of materials that it draws in, fixes the version.
fn is_fixed(package: &Package) -> bool {
    package.version.is_some()
        || package
            .requirement
            .as_deref()
            .is_some_and(|text| text.starts_with(SET_BY))
}

/// The folders whose lists give a package of Python or Node.js an exact version, by its registry and name.
pub(super) type Fixed<'a> = BTreeMap<(Ecosystem, String), BTreeSet<&'a str>>;

/// The folders whose lists give a package an exact version.
pub(super) fn fixed_folders<'a>(packages: &[&'a Package]) -> Fixed<'a> {
    let mut out = Fixed::new();
    for package in packages {
        if matches!(package.ecosystem, Ecosystem::PyPI | Ecosystem::Npm) && package.version.is_some() {
            let name = normal_name(package.ecosystem, &package.name);
            out.entry((package.ecosystem, name))
                .or_default()
                .insert(folder(&package.file));
        }
    }
    out
}

/// Whether a list of a folder above fixes what a list of a part leaves open: one environment of Python holds one version, and what Node.js does
/// not find beside a file it takes from the folders above.
pub(super) fn is_fixed_above(package: &Package, fixed: &Fixed<'_>) -> bool {
    let below = folder(&package.file);
    fixed
        .get(&(package.ecosystem, normal_name(package.ecosystem, &package.name)))
        .is_some_and(|folders| {
            folders.iter().any(|above| {
                above.is_empty() && !below.is_empty()
                    || below.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
            })
        })
}
