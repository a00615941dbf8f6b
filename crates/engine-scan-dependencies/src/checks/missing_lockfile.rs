//! `l3-missing-lockfile`: lockfiles that do not match their manifest, and those that do.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{CheckContext, Ecosystem, EvidenceKind, Location, Package, Report, Zone, declare_check};

use super::unpinned_dependency::{fixed_folders, is_fixed_above};
use super::{AiPackages, folder, registry};
use crate::package::zone;
use crate::{Format, Role};

declare_check! {
    /// Lockfile does not match its manifest.
    ///
    /// The lockfile has no entry for an AI package of the manifest, so each installation selects the version anew (Article 15(5)).
    /// A manifest that pins no version at all is reported by `l3-unpinned-ai-dependency`. A manifest that pins every AI package to an
    /// exact version is not reported, because transitive dependencies rarely cause a failure. A matching lockfile is
    /// reported as evidence.
    ///
    /// Reported:
    /// ```text
    /// //- package.json
    /// {"name": "helper", "private": true, "dependencies": {"openai": "^4.73.0"}}
    /// //- package-lock.json
    /// {"lockfileVersion": 3, "packages": {"": {"dependencies": {}}, "node_modules/left-pad": {"version": "1.3.0"}}}
    /// //- src/app.js
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function answer(question) {
    ///   return client.chat.completions.create({ model: "gpt-5.5", messages: [{ role: "user", content: question }] });
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
    ///   return client.chat.completions.create({ model: "gpt-5.5", messages: [{ role: "user", content: question }] });
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- requirements.txt
    /// fastapi
    /// openai==1.54.3
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-5.5", input=input()).output_text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- package.json
    /// {"name": "helper", "private": true, "dependencies": {"openai": "4.73.0"}}
    /// //- src/app.js
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function answer(question) {
    ///   return client.chat.completions.create({ model: "gpt-5.5", messages: [{ role: "user", content: question }] });
    /// }
    /// ```
    MISSING_LOCKFILE {
        id: "l3-missing-lockfile",
        layer: L3,
        obligation: "OBL-047",
        evidence: "Lockfile with exact versions found",
        severity: Low,
        impact: Prepares,
        fix: "Regenerate the lockfile so that it contains every package of the manifest. Install from the lockfile.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    if !context.has_systems() {
        return;
    }
    let lockfiles: Vec<(Format, &str)> = context
        .manifests
        .iter()
        .filter_map(|path| Some((Format::of_path(path)?, *path)))
        .filter(|(format, path)| format.role() == Role::Lock && zone(path) == Zone::Product)
        .collect();
    let known = AiPackages::of(context);
    for system in context.systems {
        let packages = known.of_system(context, system);
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut fixed: BTreeMap<Ecosystem, BTreeSet<&str>> = BTreeMap::new();
        let fixed_above = fixed_folders(&packages);
        for package in packages.iter().copied() {
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
            // A package that a lockfile contains is reported under that lockfile, so this lockfile does not contain the package.
            let passed_over = lockfile.filter(|path| {
                !own && format != Format::Requirements && Format::of_path(path) != Some(Format::BunLockBinary)
            });
            if let Some(path) = passed_over {
                let open = |other: &&Package| {
                    other.file == package.file && other.version.is_none() && !is_fixed_above(other, &fixed_above)
                };
                if packages.iter().copied().any(|other| open(&other)) && seen.insert(&package.file) {
                    let name = &package.name;
                    report
                        .fail(
                            75,
                            format!("No lockfile pins `{name}`: `{path}` does not match `{}`.", package.file),
                        )
                        .system(system)
                        .at(Location::line(&package.file, line))
                        .anchor(package.file.as_str())
                        .evidence(EvidenceKind::Dependency, name.as_str(), &package.file, line);
                }
            } else if let Some(path) = lockfile {
                fixed.entry(package.ecosystem).or_default().insert(path);
            } else if seen.insert(folder(&package.file))
                && !unpinned(&packages, package.ecosystem)
                && pinned_list(context, package)
                && is_whole(context, &package.file)
            {
                report
                    .pass(
                        90,
                        format!(
                            "`{}` pins every package, including transitive dependencies.",
                            package.file
                        ),
                    )
                    .system(system)
                    .at(Location::line(&package.file, line))
                    .anchor(package.file.as_str())
                    .evidence(EvidenceKind::Dependency, "exact requirements", &package.file, line)
                    .aside();
            }
        }
        for (ecosystem, paths) in fixed {
            let Some(first) = paths.first().copied() else { continue };
            let mut entry = report
                .pass(
                    88,
                    format!("The lockfile `{first}` pins the {} packages.", registry(ecosystem)),
                )
                .system(system)
                .at(Location::line(first, 1))
                .anchor(first);
            for path in paths {
                entry = entry.evidence(EvidenceKind::Dependency, "lockfile", path, 1);
            }
            // The file is visible anyway, so this evidence appears only with its obligation.
            entry.aside();
        }
    }
}

/// Whether an AI package of a system has no exact version in some manifest of a registry.
fn unpinned(packages: &[&Package], ecosystem: Ecosystem) -> bool {
    packages
        .iter()
        .any(|package| package.ecosystem == ecosystem && package.version.is_none())
}

/// Packages, one dependency of each, and the version since which the dependency exists: where it is missing, the list contains direct
/// packages only.
const DRAWN_IN: [(&str, &str, (u32, u32)); 41] = [
    ("openai", "httpx", (1, 0)),
    ("openai", "anyio", (1, 0)),
    ("anthropic", "httpx", (0, 0)),
    ("anthropic", "anyio", (0, 3)),
    ("groq", "httpx", (0, 0)),
    ("mistralai", "httpx", (0, 0)),
    ("cohere", "httpx", (5, 0)),
    ("ollama", "httpx", (0, 0)),
    ("httpx", "httpcore", (0, 0)),
    ("httpcore", "h11", (0, 0)),
    ("langchain", "langchain-core", (0, 1)),
    ("langchain-openai", "openai", (0, 0)),
    ("langchain-community", "langchain-core", (0, 0)),
    ("langchain-groq", "langchain-core", (0, 0)),
    ("langchain-google-genai", "langchain-core", (0, 0)),
    ("langchain-core", "tenacity", (0, 0)),
    ("langgraph", "langchain-core", (0, 0)),
    ("google-generativeai", "google-api-core", (0, 0)),
    ("google-genai", "google-auth", (0, 0)),
    ("transformers", "tokenizers", (3, 0)),
    ("sentence-transformers", "transformers", (0, 3)),
    ("torch", "sympy", (2, 0)),
    ("tensorflow", "absl-py", (1, 0)),
    ("keras", "absl-py", (3, 0)),
    ("scikit-learn", "threadpoolctl", (0, 23)),
    ("spacy", "thinc", (2, 0)),
    ("huggingface-hub", "fsspec", (0, 14)),
    ("xgboost", "scipy", (0, 0)),
    ("catboost", "graphviz", (0, 0)),
    ("fastapi", "starlette", (0, 0)),
    ("flask", "werkzeug", (0, 0)),
    ("django", "asgiref", (3, 0)),
    ("streamlit", "altair", (0, 20)),
    ("gradio", "gradio-client", (3, 24)),
    ("uvicorn", "h11", (0, 0)),
    ("pydantic", "typing-extensions", (1, 8)),
    ("requests", "urllib3", (2, 16)),
    ("pandas", "python-dateutil", (0, 0)),
    ("matplotlib", "kiwisolver", (2, 2)),
    ("aiohttp", "yarl", (2, 0)),
    ("beautifulsoup4", "soupsieve", (4, 7)),
];

/// Whether a list of exact requirements also contains transitive dependencies, judged by those of well-known packages.
fn is_whole(context: &CheckContext<'_>, file: &str) -> bool {
    let versions: BTreeMap<String, (u32, u32)> = context
        .inventory
        .packages
        .iter()
        .filter(|package| package.file == file)
        .map(|package| {
            let name = package.name.to_ascii_lowercase().replace(['_', '.'], "-");
            (name, release(package.version.as_deref().unwrap_or("")))
        })
        .collect();
    let mut known = DRAWN_IN
        .iter()
        .filter(|(package, _, since)| versions.get(*package).is_some_and(|version| version >= since))
        .peekable();
    known.peek().is_some() && known.all(|(_, drawn, _)| versions.contains_key(*drawn))
}

/// The first two numbers of a version.
fn release(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Whether the package manager of a manifest writes lockfiles by default.
const fn has_lockfiles(format: Format) -> bool {
    !matches!(
        format,
        // Go stores its digests next to the manifest; Maven stores none, and NuGet only if configured.
        Format::GoMod
            | Format::GoSum
            | Format::Pom
            | Format::GradleBuild
            | Format::VersionCatalog
            | Format::DotnetProject
            | Format::DotnetCentral
            | Format::NugetConfig
            // Locking a conda environment needs a separate tool.
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

/// Whether the package is in a requirements file that pins every entry.
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
