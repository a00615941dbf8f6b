//! `l3-missing-lockfile`: dependencies of a system whose versions nothing fixes.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{CheckContext, Ecosystem, EvidenceKind, Language, Location, Package, Report, Zone, declare_check};

use super::{AiPackages, folder, registry};
use crate::package::zone;
use crate::{Format, Role};

declare_check! {
    /// A manifest with AI packages and no lockfile.
    ///
    /// Without a lockfile the packages behind the named ones, and the digests of all of them, are decided anew at each
    /// installation (Article 15(5)). A manifest that fixes no version for an AI package is `l3-unpinned-ai-dependency`: a
    /// lockfile answers both, so nothing more is said of its registry. That a lockfile is there is told where the versions are.
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
    /// h11==0.14.0
    /// httpcore==1.0.6
    /// httpx==0.27.2
    /// idna==3.10
    /// openai==1.54.3
    /// pydantic==2.9.2
    /// typing-extensions==4.12.2
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
    /// //- ml/requirements.txt
    /// scikit-learn==1.5.2
    /// //- ml/train.py
    /// import joblib
    /// from sklearn.linear_model import LogisticRegression
    ///
    /// model = LogisticRegression()
    /// model.fit([[1.0], [2.0]], [0, 1])
    /// joblib.dump(model, "loan.joblib")
    /// //- requirements.txt
    /// joblib==1.4.2
    /// //- app.py
    /// import joblib
    ///
    /// model = joblib.load("loan.joblib")
    ///
    /// if __name__ == "__main__":
    ///     print(model.predict([[float(input())]]))
    /// ```
    /// Reported:
    /// ```text
    /// //- ml/requirements.txt
    /// scikit-learn==1.5.2
    /// //- ml/train.py
    /// import joblib
    /// from sklearn.linear_model import LogisticRegression
    ///
    /// model = LogisticRegression()
    /// model.fit([[1.0], [2.0]], [0, 1])
    /// joblib.dump(model, "loan.joblib")
    /// //- ml/predict.py
    /// import joblib
    ///
    /// model = joblib.load("loan.joblib")
    ///
    /// if __name__ == "__main__":
    ///     print(model.predict([[float(input())]]))
    /// ```
    MISSING_LOCKFILE {
        id: "l3-missing-lockfile",
        layer: L3,
        obligation: "OBL-047",
        evidence: "A lockfile fixes the packages",
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
        .filter_map(|file| Some((Format::of_path(&file.path)?, file.path.as_str())))
        .filter(|(format, path)| format.role() == Role::Lock && zone(path) == Zone::Product)
        .collect();
    let known = AiPackages::of(context);
    for system in context.systems {
        let packages = known.of_system(context, system);
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut fixed: BTreeMap<Ecosystem, BTreeSet<&str>> = BTreeMap::new();
        let mut loose: Vec<&Package> = Vec::new();
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
            } else if unpinned(&packages, package.ecosystem) {
                // The versions themselves are open, which is said of a manifest of the same kind and mended by the same lockfile.
            } else if pinned_list(context, package) && is_of_training(context, &package.file) {
                // What a script draws in that trains and has ended is in nothing that runs.
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
                            .evidence(EvidenceKind::Dependency, "exact requirements", &package.file, line)
                            .aside();
                    }
                    Completeness::Direct => loose.push(package),
                    // Whether such a list is complete cannot be told, so nothing is said.
                    Completeness::Open => {}
                }
            } else {
                loose.push(package);
            }
        }
        let all_fixed = packages.iter().all(|package| package.version.is_some());
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
            // Where every version is exact, that is said with the places in the lockfile.
            if all_fixed {
                entry.aside();
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

/// Whether an AI package of a system has no exact version in some manifest of a registry.
fn unpinned(packages: &[&Package], ecosystem: Ecosystem) -> bool {
    packages
        .iter()
        .any(|package| package.ecosystem == ecosystem && package.version.is_none())
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

/// Packages, one that each of them draws in, and the version since which it does: where that one is missing, the list names direct
/// packages only. The common ones tell most, since a list that stops at them stops everywhere.
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

/// How much a list of exact requirements names, told by what known packages always draw in.
fn completeness(context: &CheckContext<'_>, file: &str) -> Completeness {
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
    if known.peek().is_none() {
        return Completeness::Open;
    }
    if known.all(|(_, drawn, _)| versions.contains_key(*drawn)) {
        Completeness::Whole
    } else {
        Completeness::Direct
    }
}

/// The first two numbers of a version.
fn release(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
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

/// Whether a list of a folder of its own serves nothing but scripts that train.
fn is_of_training(context: &CheckContext<'_>, list: &str) -> bool {
    let own = folder(list);
    if own.is_empty() {
        return false;
    }
    let mut scripts = context
        .product_files()
        .filter(|file| {
            file.language == Language::Python && file.path.strip_prefix(own).is_some_and(|rest| rest.starts_with('/'))
        })
        .peekable();
    scripts.peek().is_some()
        && scripts.all(|file| {
            let name = file.path.rsplit('/').next().unwrap_or("");
            let name = name.strip_suffix(".py").unwrap_or(name);
            name.split(['_', '-'])
                .any(|word| matches!(word, "train" | "training" | "trainer" | "finetune" | "retrain"))
        })
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
