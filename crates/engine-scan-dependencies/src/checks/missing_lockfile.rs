//! `l3-missing-lockfile`: dependencies of a system whose versions nothing fixes.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Reported:
    /// ```text
    /// //- requirements.txt
    /// openai==1.54.3
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- requirements.txt
    /// anyio==4.6.2
    /// certifi==2024.8.30
    /// httpx==0.27.2
    /// openai==1.54.3
    /// pydantic==2.9.2
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// ```
    MISSING_LOCKFILE {
        id: "l3-missing-lockfile",
        layer: L3,
        obligation: "OBL-047",
        severity: Low,
        fix: "Commit a lockfile that names the packages behind the named ones with their digests (`package-lock.json`, `uv.lock`, `pip-compile --generate-hashes`), and install from it.",
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
        let mut fixed: BTreeMap<Ecosystem, BTreeSet<&str>> = BTreeMap::new();
        let mut loose: Vec<&Package> = Vec::new();
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
                fixed.entry(package.ecosystem).or_default().insert(path);
            } else if !seen.insert(folder(&package.file)) {
                // Lists for several platforms stand side by side.
            } else if pinned_list(context, package) {
                match completeness(context, &package.file) {
                    Completeness::Whole => {
                        report
                            .pass(
                                90,
                                format!("`{}` fixes every package, and what they draw in as well.", package.file),
                            )
                            .system(system)
                            .at(Location::line(&package.file, line))
                            .anchor(package.file.as_str())
                            .evidence(EvidenceKind::Dependency, "exact requirements", &package.file, line);
                    }
                    Completeness::Direct => loose.push(package),
                    // Whether such a list is complete cannot be told, so nothing is said.
                    Completeness::Open => {}
                }
            } else {
                loose.push(package);
            }
        }
        for (ecosystem, paths) in fixed {
            let Some(first) = paths.first().copied() else { continue };
            let mut entry = report
                .pass(
                    88,
                    format!("A lockfile (`{first}`) fixes the {} packages.", registry(ecosystem)),
                )
                .system(system)
                .at(Location::line(first, 1))
                .anchor(first);
            for path in paths {
                entry = entry.evidence(EvidenceKind::Dependency, "lockfile", path, 1);
            }
        }
        if let Some(first) = loose.first() {
            let line = first.line.unwrap_or(1);
            let others = match loose.len() {
                1 => String::new(),
                2 => ", nor of 1 manifest more".to_owned(),
                count => format!(", nor of {} manifests more", count - 1),
            };
            let mut entry = report
                .fail(
                    90,
                    format!(
                        "No lockfile fixes what the packages of `{}` draw in{others}.",
                        first.file
                    ),
                )
                .system(system)
                .at(Location::line(&first.file, line))
                .anchor(first.file.as_str());
            for package in loose.iter().take(40) {
                entry = entry.evidence(
                    EvidenceKind::Dependency,
                    package.name.as_str(),
                    &package.file,
                    package.line.unwrap_or(1),
                );
            }
        }
    }
}

/// How much of what is installed a list of exact requirements names.
enum Completeness {
    /// Also what the named packages draw in.
    Whole,
    /// The named packages only.
    Direct,
    /// That cannot be told.
    Open,
}

/// AI packages, and one that each of them always draws in: where that one is missing, the list names direct packages only.
const DRAWN_IN: [(&str, &str); 24] = [
    ("openai", "httpx"),
    ("anthropic", "httpx"),
    ("groq", "httpx"),
    ("mistralai", "httpx"),
    ("cohere", "httpx"),
    ("ollama", "httpx"),
    ("langchain", "langchain-core"),
    ("langchain-openai", "langchain-core"),
    ("langchain-community", "langchain-core"),
    ("langchain-groq", "langchain-core"),
    ("langchain-google-genai", "langchain-core"),
    ("langgraph", "langchain-core"),
    ("google-generativeai", "google-api-core"),
    ("google-genai", "google-auth"),
    ("transformers", "tokenizers"),
    ("sentence-transformers", "transformers"),
    ("torch", "sympy"),
    ("tensorflow", "absl-py"),
    ("keras", "absl-py"),
    ("scikit-learn", "threadpoolctl"),
    ("spacy", "thinc"),
    ("huggingface-hub", "fsspec"),
    ("xgboost", "scipy"),
    ("catboost", "graphviz"),
];

/// How much a list of exact requirements names, told by what known packages always draw in.
fn completeness(context: &CheckContext<'_>, file: &str) -> Completeness {
    let names: BTreeSet<String> = context
        .inventory
        .packages
        .iter()
        .filter(|package| package.file == file)
        .map(|package| package.name.to_ascii_lowercase().replace(['_', '.'], "-"))
        .collect();
    let mut known = DRAWN_IN
        .iter()
        .filter(|(package, _)| names.contains(*package))
        .peekable();
    if known.peek().is_none() {
        return Completeness::Open;
    }
    if known.all(|(_, drawn)| names.contains(*drawn)) {
        Completeness::Whole
    } else {
        Completeness::Direct
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
