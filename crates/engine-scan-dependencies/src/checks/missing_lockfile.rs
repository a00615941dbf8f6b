//! `l3-missing-lockfile`: dependencies of a system whose versions nothing fixes.

use std::collections::BTreeSet;

use engine_model::{CheckContext, Ecosystem, EvidenceKind, Location, Package, Report, Zone, declare_check};

use super::{ai_packages, folder, registry};
use crate::package::zone;
use crate::{Format, Role};

declare_check! {
    /// A manifest with AI packages and no lockfile.
    ///
    /// Without a lockfile the packages behind the named ones, and the digests of all of them, are decided anew at each
    /// installation (Article 15(5)).
    ///
    /// Reported:
    /// ```text
    /// //- package.json
    /// {"name": "helper", "private": true, "dependencies": {"openai": "4.73.0"}}
    /// //- src/app.js
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function answer(question) {
    ///   return client.chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content: question }] });
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- package.json
    /// {"name": "helper", "private": true, "dependencies": {"openai": "4.73.0"}}
    /// //- package-lock.json
    /// {"lockfileVersion": 3, "packages": {"": {"dependencies": {"openai": "4.73.0"}}, "node_modules/openai": {"version": "4.73.0"}}}
    /// //- src/app.js
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function answer(question) {
    ///   return client.chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content: question }] });
    /// }
    /// ```
    MISSING_LOCKFILE {
        id: "l3-missing-lockfile",
        layer: L3,
        obligation: "OBL-047",
        severity: Low,
        fix: "Commit the lockfile that the package manager writes.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    if !context.has_systems() {
        return;
    }
    let lockfiles: Vec<(Format, &str)> = context
        .files
        .iter()
        .filter(|file| zone(&file.path) == Zone::Product)
        .filter_map(|file| Some((Format::of_path(&file.path)?, file.path.as_str())))
        .filter(|(format, _)| format.role() == Role::Lock)
        .collect();
    for system in context.systems {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for package in ai_packages(context, system) {
            let Some(format) = Format::of_path(&package.file) else {
                continue;
            };
            if !has_lockfiles(format) {
                continue;
            }
            let own = format.role() == Role::Lock;
            let lockfile = if own {
                Some(package.file.as_str())
            } else {
                nearest(&lockfiles, package)
            };
            let line = package.line.unwrap_or(1);
            // Whatever a lockfile answers is reported as the lockfile's own, so it does not name this one.
            let passed_over = lockfile.filter(|path| {
                !own && format != Format::Requirements && Format::of_path(path) != Some(Format::BunLockBinary)
            });
            if let Some(path) = passed_over {
                if seen.insert(&package.file) {
                    let name = &package.name;
                    report
                        .fail(
                            75,
                            format!(
                                "No lockfile fixes `{name}`: `{path}` does not answer `{}`.",
                                package.file
                            ),
                        )
                        .system(system)
                        .at(Location::line(&package.file, line))
                        .anchor(package.file.as_str())
                        .evidence(EvidenceKind::Dependency, name.as_str(), &package.file, line);
                }
            } else if let Some(path) = lockfile {
                if seen.insert(path) {
                    report
                        .pass(
                            88,
                            format!("A lockfile fixes the {} packages.", registry(package.ecosystem)),
                        )
                        .system(system)
                        .at(Location::line(path, 1))
                        .anchor(path)
                        .evidence(EvidenceKind::Dependency, "lockfile", path, 1);
                }
            } else if !seen.insert(folder(&package.file)) {
                // One finding for each folder is enough: lists for several platforms stand side by side.
            } else if pinned_list(context, package) {
                report
                    .pass(90, "The list of requirements fixes every package.")
                    .system(system)
                    .at(Location::line(&package.file, line))
                    .anchor(package.file.as_str())
                    .evidence(EvidenceKind::Dependency, "exact requirements", &package.file, line);
            } else {
                report
                    .fail(90, format!("No lockfile stands beside `{}` or above it.", package.file))
                    .system(system)
                    .at(Location::line(&package.file, line))
                    .anchor(package.file.as_str())
                    .evidence(EvidenceKind::Dependency, package.name.as_str(), &package.file, line);
            }
        }
    }
}

/// Whether the package manager behind a manifest writes lockfiles as a matter of course.
const fn has_lockfiles(format: Format) -> bool {
    !matches!(
        format,
        // Go keeps its digests beside the manifest; Maven, and NuGet unless asked, keep none.
        Format::GoMod
            | Format::GoSum
            | Format::Pom
            | Format::GradleBuild
            | Format::VersionCatalog
            | Format::DotnetProject
            | Format::DotnetCentral
            | Format::NugetConfig
            // Locking an environment of conda takes a tool of its own.
            | Format::CondaEnvironment
    )
}

/// The lockfile of the same registry in the nearest folder at or above a manifest's own.
fn nearest<'a>(lockfiles: &[(Format, &'a str)], package: &Package) -> Option<&'a str> {
    let own = folder(&package.file);
    lockfiles
        .iter()
        .filter(|(format, _)| format.ecosystem() == Some(package.ecosystem))
        .filter(|(_, path)| {
            let above = folder(path);
            above.is_empty()
                || own
                    .strip_prefix(above)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
        .max_by_key(|(_, path)| folder(path).len())
        .map(|(_, path)| *path)
}

/// Whether the package stands in a list of requirements that fixes every entry.
fn pinned_list(context: &CheckContext<'_>, package: &Package) -> bool {
    package.ecosystem == Ecosystem::PyPI
        && Format::of_path(&package.file) == Some(Format::Requirements)
        && context
            .inventory
            .packages
            .iter()
            .filter(|other| other.file == package.file)
            .all(|other| other.version.is_some())
}
