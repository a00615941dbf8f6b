//! Whether the Act touches a project at all.

use std::collections::BTreeSet;

use engine_model::{Applicability, CallKind, DependencyRelation, Ecosystem, Inventory, ModelFile, Package, Zone};

use crate::systems::Grouping;

/// What a manifest says about the project it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ManifestInfo {
    pub(crate) file: String,
    pub(crate) zone: Zone,
    pub(crate) name: Option<String>,
    pub(crate) library_signals: usize,
    pub(crate) application_signals: usize,
    /// Whether it asks for a package that serves or runs what stands beside it.
    pub(crate) needs_a_runner: bool,
    /// Whether it says how the project is started or deployed, beyond trying it out while it is written.
    pub(crate) is_started: bool,
    /// Packages that it needs to run.
    pub(crate) needs: BTreeSet<String>,
}

impl ManifestInfo {
    /// Whether others are meant to import it, and nothing says that it is run.
    pub(crate) fn is_library(&self) -> bool {
        self.library_signals > 0 && self.application_signals == 0
    }

    /// The name of a Python project of which the manifest says neither that it is a library nor that it is run: whether it is
    /// one or the other then stands in its files.
    pub(crate) fn bare_python(&self) -> Option<&str> {
        let file = self.file.rsplit('/').next().unwrap_or(&self.file);
        let bare = self.library_signals == 0 && self.application_signals == 0 && !self.needs_a_runner;
        self.name.as_deref().filter(|_| bare && file == "pyproject.toml")
    }

    /// Whether it is meant to be run.
    pub(crate) fn is_application(&self) -> bool {
        self.application_signals > 0
    }
}

/// Python packages that serve, schedule or show what a project holds: who asks for one has something to run.
const RUNNERS: [&str; 24] = [
    "aiogram",
    "aiohttp",
    "apache-airflow",
    "celery",
    "chainlit",
    "dagster",
    "dash",
    "discord.py",
    "django",
    "fastapi",
    "flask",
    "gradio",
    "gunicorn",
    "hypercorn",
    "litestar",
    "panel",
    "prefect",
    "python-telegram-bot",
    "quart",
    "sanic",
    "slack-bolt",
    "starlette",
    "streamlit",
    "uvicorn",
];

/// Whether a Python package is one that runs what stands beside it.
pub(crate) fn is_runner(package: &Package) -> bool {
    package.ecosystem == Ecosystem::PyPI && RUNNERS.contains(&package.name.to_ascii_lowercase().as_str())
}

/// All manifests of a project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifests {
    pub(crate) all: Vec<ManifestInfo>,
    /// Folders in which a file asks for a package that serves pages or messages.
    pub(crate) served: BTreeSet<String>,
}

impl Manifests {
    /// Those that are neither tests nor examples.
    pub(crate) fn product(&self) -> impl Iterator<Item = &ManifestInfo> {
        self.all.iter().filter(|manifest| manifest.zone == Zone::Product)
    }

    /// Whether a folder, one above or one below it asks for a package that serves pages or messages.
    pub(crate) fn serves(&self, scope: &str) -> bool {
        let below = |inner: &str, outer: &str| {
            outer.is_empty()
                || inner
                    .strip_prefix(outer)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.served
            .iter()
            .any(|folder| below(folder, scope) || below(scope, folder))
    }
}

/// The verdict and a sentence that says what it rests on.
pub(crate) fn decide(inventory: &Inventory, grouping: &Grouping, manifests: &Manifests) -> (Applicability, String) {
    if !grouping.drafts.is_empty() {
        let number = |kind: CallKind| {
            let used = grouping.drafts.iter().flat_map(|draft| &draft.calls);
            used.filter(|index| inventory.calls[**index].kind == kind).count()
        };
        // Loading a model is not calling it.
        let places: Vec<String> = [
            (CallKind::Call, "model call"),
            (CallKind::Declare, "agent definition"),
            (CallKind::ModelLoad, "loaded model"),
        ]
        .into_iter()
        .filter(|(kind, _)| number(*kind) > 0)
        .map(|(kind, noun)| count(number(kind), noun))
        .collect();
        let first = grouping
            .drafts
            .first()
            .and_then(|draft| draft.calls.first())
            .map(|index| &inventory.calls[*index]);
        let at = first
            .map(|call| format!(" (first: {}:{})", call.file, call.line))
            .unwrap_or_default();
        return (
            Applicability::SystemsFound,
            format!(
                "the product code has {}{at}, so this project contains {}",
                places.join(", "),
                match grouping.drafts.len() {
                    1 => "an AI system".to_owned(),
                    systems => count(systems, "AI system"),
                }
            ),
        );
    }
    if !grouping.uses.is_empty() {
        return (
            Applicability::Library,
            format!(
                "model calls were found, but this project is a library ({}) and no code here runs them; the obligations \
                 apply to systems that others build with it",
                grouping.libraries.join(", ")
            ),
        );
    }
    let outside = inventory
        .calls
        .iter()
        .filter(|call| call.zone != Zone::Product && call.kind == CallKind::Call)
        .count();
    let ambiguous = inventory.packages.iter().find(|package| {
        package.zone == Zone::Product
            && package.relation == DependencyRelation::Direct
            && uses_a_model(package)
            && !is_of_the_pipeline(&package.file)
    });
    if let Some(package) = ambiguous {
        let line = package.line.map(|line| format!(":{line}")).unwrap_or_default();
        if let Some(offered) = offered(package, manifests) {
            return (
                Applicability::Library,
                format!(
                    "the AI library `{}` is declared in {}{line}, but no code here uses it; {} publishes this project as a library",
                    package.name, package.file, offered.file
                ),
            );
        }
        return (
            Applicability::Undetermined,
            format!(
                "the AI library `{}` is declared in {}{line}, but no model call was found in the code",
                package.name, package.file
            ),
        );
    }
    let product = || inventory.calls.iter().filter(|call| call.zone == Zone::Product);
    let prepares = product().find(|call| call.kind != CallKind::McpServer);
    if let Some(construct) = prepares.or_else(|| product().next()) {
        let what = if construct.kind == CallKind::McpServer {
            "serves tools to external models (MCP)"
        } else {
            "prepares a model call"
        };
        return (
            Applicability::Undetermined,
            format!(
                "{}:{} {what}, but no model call was found in the code",
                construct.file, construct.line
            ),
        );
    }
    if let Some(model) = inventory
        .model_files
        .iter()
        .find(|model| model.is_model && model.zone == Some(Zone::Product))
    {
        return (
            Applicability::Undetermined,
            format!(
                "`{}` contains a model ({}), but no model call was found in the code",
                model.file, model.format
            ),
        );
    }
    if let Some(file) = inventory
        .model_files
        .iter()
        .find(|file| file.zone == Some(Zone::Product) && is_unsafe(file))
    {
        return (
            Applicability::Undetermined,
            format!(
                "`{}` ({}) can run code when it is loaded; could not determine whether it contains a model",
                file.file, file.format
            ),
        );
    }
    if let Some(package) = inventory.packages.iter().find(|package| {
        package.zone == Zone::Product
            && package.relation == DependencyRelation::Direct
            && is_named_after_a_model(package)
            && !is_of_the_pipeline(&package.file)
    }) {
        let line = package.line.map(|line| format!(":{line}")).unwrap_or_default();
        return (
            Applicability::Undetermined,
            format!(
                "`{}` ({}{line}) looks like an AI client that the catalogue does not list; could not determine whether the code \
                 uses it",
                package.name, package.file
            ),
        );
    }
    let reason = if outside > 0 {
        format!(
            "model calls found only in tests, examples or documentation ({})",
            count(outside, "call")
        )
    } else {
        "no use of an AI model was found in code, manifests or configuration".to_owned()
    };
    (Applicability::NoAiFound, reason)
}

/// Whether a model file runs code or opens files: with nothing else in a project, it is still too early to say that there is no AI.
fn is_unsafe(file: &ModelFile) -> bool {
    use engine_model::ModelFileProblemKind::{HoldsCode, HostileTemplate, ReachesCode, ReachesFiles, RunsCode};
    let grave = [RunsCode, ReachesCode, ReachesFiles, HoldsCode, HostileTemplate];
    file.problems.iter().any(|problem| grave.contains(&problem.kind))
}

/// The manifest that offers the code beside a package to others, and says so more than once: a build system alone is no
/// sign, applications have one too.
fn offered<'m>(package: &Package, manifests: &'m Manifests) -> Option<&'m ManifestInfo> {
    let names: &[&str] = match package.ecosystem {
        Ecosystem::PyPI => &["pyproject.toml", "setup.cfg", "setup.py"],
        Ecosystem::Npm => &["package.json"],
        _ => return None,
    };
    manifests.product().find(|manifest| {
        manifest.library_signals > 1 && names.contains(&manifest.file.rsplit('/').next().unwrap_or_default())
    })
}

/// Whether a manifest lies in a folder of the pipeline: what it asks for is there to build and to test.
fn is_of_the_pipeline(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|folder| {
        matches!(
            folder,
            "ci" | ".ci" | ".github" | ".circleci" | ".gitlab" | ".azure-pipelines"
        )
    })
}

/// Whether a package of which nothing is known has the name of a model, or of who serves them, in its own.
fn is_named_after_a_model(package: &Package) -> bool {
    /// Words that name nothing else. `gpt` alone is a table of partitions too.
    const WORDS: [&str; 10] = [
        "openai",
        "chatgpt",
        "anthropic",
        "ollama",
        "llm",
        "llms",
        "langchain",
        "deepseek",
        "mistralai",
        "genai",
    ];
    engine_catalogue::package(package.ecosystem, &package.name).is_none()
        && package
            .name
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Whether running code of the package is, by itself, the use of a model; a tokenizer or a vector store alone is not.
fn uses_a_model(package: &Package) -> bool {
    engine_catalogue::package(package.ecosystem, &package.name).is_some_and(|known| known.ai_system)
}

pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("{number} {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
