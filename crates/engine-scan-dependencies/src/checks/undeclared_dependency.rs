//! `l3-undeclared-ai-dependency`: an AI library that code imports and no manifest declares.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::Package;
use engine_model::{
    Call, CheckContext, Ecosystem, EvidenceKind, Language, Report, System, TraceKind, Zone, declare_check,
};

use super::{governs, listed, registry};
use crate::package::{normal_name, zone};
use crate::{Format, Role};

declare_check! {
    /// AI package missing from the manifest.
    ///
    /// The code uses an AI package that no manifest declares. The build then uses any version that happens to be installed, or fails.
    /// Vulnerability scanners do not see an undeclared package (Article 15(5)).
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
    /// flask==3.0.0
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
    /// flask==3.0.0
    /// openai==1.54.3
    /// ```
    UNDECLARED_AI_DEPENDENCY {
        id: "l3-undeclared-ai-dependency",
        layer: L3,
        obligation: "OBL-047",
        severity: Low,
        impact: Breaks,
        fix: "Add the package to the manifest, with an exact version.",
        run: run,
    }
}

/// The first call of each package that a system uses.
type FirstUses<'a> = BTreeMap<(Ecosystem, String), &'a Call>;

fn run(context: &CheckContext<'_>, report: &mut Report) {
    if !context.has_systems() {
        return;
    }
    let manifests: Vec<(Ecosystem, &str)> = context
        .manifests
        .iter()
        .filter_map(|path| Some((Format::of_path(path)?, *path)))
        .filter(|(format, path)| format.role() != Role::Support && zone(path) == Zone::Product)
        .filter_map(|(format, path)| {
            // An environment of conda names the packages that Python code imports.
            let ecosystem = match format.ecosystem()? {
                Ecosystem::Conda => Ecosystem::PyPI,
                ecosystem => ecosystem,
            };
            Some((ecosystem, path))
        })
        .collect();
    let mut used: Vec<(&System, FirstUses<'_>)> = Vec::new();
    for system in context.systems {
        let mut first = FirstUses::new();
        // What nothing runs needs nothing, and what may be missing is named by who wants it.
        let needed =
            |call: &&Call| call.zone == Zone::Product && call.runs() && call.traced(TraceKind::Optional).is_none();
        for call in context.records(system).filter(needed) {
            let Some(ecosystem) = ecosystem(&call.file) else {
                continue;
            };
            let Some(sdk) = call.sdk.as_deref() else { continue };
            // Only a name that the catalogue knows as a package of this registry can be missed in a manifest.
            let Some(known) = engine_catalogue::catalogue().package(ecosystem, sdk) else {
                continue;
            };
            let Some(known) = brought_in(ecosystem, &call.symbol, known) else {
                continue;
            };
            first.entry((ecosystem, known.name.clone())).or_insert(call);
        }
        used.push((system, first));
    }
    let ecosystems: BTreeSet<Ecosystem> = used
        .iter()
        .flat_map(|(_, first)| first.keys().map(|(of, _)| *of))
        .collect();
    let wanted: BTreeSet<u8> = used
        .iter()
        .flat_map(|(_, first)| first.keys().map(|(_, sdk)| sdk.as_str()))
        .chain(ALIASES.iter().map(|(_, alias, _)| *alias))
        .chain(BROUGHT.iter().map(|(_, by)| *by))
        .filter_map(beginning)
        .collect();
    let declared = declared(context, &ecosystems, &wanted);
    for (system, first) in used {
        let mut missed: BTreeMap<Ecosystem, Vec<(String, &Call)>> = BTreeMap::new();
        for ((ecosystem, sdk), call) in first {
            let readable = manifests
                .iter()
                .any(|(of, path)| *of == ecosystem && governs(context, system, path));
            // A manifest that names nothing may be computed, and then nothing can be missed in it.
            let Some(here) = declared.get(&ecosystem) else { continue };
            if readable && !provided(here, ecosystem, &sdk) {
                missed.entry(ecosystem).or_default().push((sdk, call));
            }
        }
        // What one manifest lacks is one fact, however many packages it is.
        for (ecosystem, mut missed) in missed {
            missed.sort_by_key(|(_, call)| (&call.file, call.line));
            let Some((_, first)) = missed.first() else { continue };
            let names = listed(missed.iter().map(|(sdk, _)| sdk.as_str()));
            let mut entry = report
                .fail(
                    84,
                    format!(
                        "No {} manifest declares {names}, which the code uses at {}:{}.",
                        registry(ecosystem),
                        first.file,
                        first.line
                    ),
                )
                .call(first)
                .system(system)
                .anchor(missed.iter().map(|(sdk, _)| sdk.as_str()).collect::<Vec<_>>().join(","));
            for (_, call) in &missed {
                entry = entry.evidence(EvidenceKind::Code, call.symbol.as_str(), &call.file, call.line);
            }
        }
    }
}

/// What manifests and lockfiles name of a registry.
#[derive(Default)]
struct Declared {
    names: BTreeSet<String>,
    /// The families of these names.
    groups: BTreeSet<String>,
}

impl Declared {
    /// Whether a package is named, by its own name or another.
    fn holds(&self, name: &str) -> bool {
        self.names.contains(name)
            || ALIASES
                .iter()
                .any(|(_, alias, package)| *package == name && self.names.contains(*alias))
    }

    fn insert(&mut self, ecosystem: Ecosystem, name: &str) {
        let name = normal_name(ecosystem, name);
        let group = group(ecosystem, &name);
        if !self.groups.contains(group) {
            self.groups.insert(group.to_owned());
        }
        self.names.insert(name);
    }
}

/// What a name and its family begin with, in whatever case.
fn beginning(name: &str) -> Option<u8> {
    let first = name.trim_start_matches('@').bytes().next();
    first.map(|byte| byte.to_ascii_lowercase())
}

/// What is named of the registries that code uses something of; of a large tree only what begins like something that is `wanted`.
fn declared(
    context: &CheckContext<'_>,
    ecosystems: &BTreeSet<Ecosystem>,
    wanted: &BTreeSet<u8>,
) -> BTreeMap<Ecosystem, Declared> {
    let mut out: BTreeMap<Ecosystem, Declared> = BTreeMap::new();
    for package in context.inventory.packages.iter() {
        if package.ecosystem == Ecosystem::Conda && ecosystems.contains(&Ecosystem::PyPI) {
            let known = engine_catalogue::catalogue().package(package.ecosystem, &package.name);
            let name = known.map_or(package.name.as_str(), |known| &known.name);
            let here = out.entry(Ecosystem::PyPI).or_default();
            if beginning(name).is_some_and(|first| wanted.contains(&first)) {
                here.insert(Ecosystem::PyPI, name);
            }
        }
        if ecosystems.contains(&package.ecosystem) {
            let here = out.entry(package.ecosystem).or_default();
            if beginning(&package.name).is_some_and(|first| wanted.contains(&first)) {
                here.insert(package.ecosystem, &package.name);
            }
        }
    }
    out
}

/// The package whose module a symbol of Python begins with: one shape of a call is shared by modules of several packages, and some of
/// them come with the language. None where the module belongs to no known package.
fn brought_in<'c>(ecosystem: Ecosystem, symbol: &str, known: &'c Package) -> Option<&'c Package> {
    // A path of a module of npm holds no dot before its first name: `@google-cloud/vertexai.VertexAI()`.
    if ecosystem == Ecosystem::Npm {
        let module = symbol.split(['.', '(', '[']).next().unwrap_or(symbol);
        let own = engine_catalogue::catalogue().package(ecosystem, module);
        return Some(own.unwrap_or(known));
    }
    let module = symbol.split(['(', '[']).next().unwrap_or(symbol);
    let root = module.split('.').next().unwrap_or(module);
    if ecosystem != Ecosystem::PyPI
        || known
            .imports
            .iter()
            .chain(&known.ambiguous_imports)
            .any(|own| own.split('.').next() == Some(root))
    {
        return Some(known);
    }
    // Names of variables and classes are no modules.
    if known.imports.is_empty() || !module.contains('.') {
        return Some(known);
    }
    engine_catalogue::catalogue()
        .package_by_import(ecosystem, module)
        .map(|(package, _)| package)
}

/// Names that a registry has given up or keeps as a pointer, and the package that each brings; and gems of one name in code.
const ALIASES: [(Ecosystem, &str, &str); 5] = [
    (Ecosystem::PyPI, "sklearn", "scikit-learn"),
    (Ecosystem::RubyGems, "ruby-openai", "openai"),
    (Ecosystem::RubyGems, "ruby-anthropic", "anthropic"),
    (Ecosystem::RubyGems, "anthropic-sdk-beta", "anthropic"),
    (Ecosystem::RubyGems, "langchainrb_rails", "langchainrb"),
];

/// Packages of Python, and one that always brings them along.
const BROUGHT: [(&str, &str); 14] = [
    ("joblib", "scikit-learn"),
    ("keras", "tensorflow"),
    ("tokenizers", "transformers"),
    ("safetensors", "transformers"),
    ("huggingface-hub", "transformers"),
    ("huggingface-hub", "diffusers"),
    ("huggingface-hub", "sentence-transformers"),
    ("transformers", "sentence-transformers"),
    ("torch", "sentence-transformers"),
    ("torch", "openai-whisper"),
    ("torch", "ultralytics"),
    ("torch", "torchvision"),
    ("google-api-core", "google-cloud-aiplatform"),
    ("openai", "langchain-openai"),
];

/// Whether a package is named, or comes with one that is: families share a prefix and bring each other along.
fn provided(here: &Declared, ecosystem: Ecosystem, sdk: &str) -> bool {
    let name = normal_name(ecosystem, sdk);
    let alias = ALIASES
        .iter()
        .any(|(of, alias, package)| *of == ecosystem && *package == name && here.names.contains(*alias));
    let brought =
        ecosystem == Ecosystem::PyPI && BROUGHT.iter().any(|(brought, by)| *brought == name && here.holds(by));
    alias || brought || here.names.contains(&name) || here.groups.contains(group(ecosystem, &name))
}

/// The family of a package.
fn group(ecosystem: Ecosystem, name: &str) -> &str {
    let first = |separators: &[char]| name.split(separators).next().unwrap_or(name);
    match ecosystem {
        Ecosystem::Maven => first(&[':']),
        Ecosystem::Npm | Ecosystem::Composer => first(&['/']).trim_start_matches('@'),
        Ecosystem::Go => name.match_indices('/').nth(2).map_or(name, |(at, _)| &name[..at]),
        _ => first(&['-', '.']),
    }
}

fn ecosystem(path: &str) -> Option<Ecosystem> {
    Some(match Language::of_path(path) {
        Language::Python => Ecosystem::PyPI,
        Language::JavaScript | Language::TypeScript | Language::Tsx => Ecosystem::Npm,
        Language::Go => Ecosystem::Go,
        Language::Rust => Ecosystem::Cargo,
        Language::Java | Language::Kotlin => Ecosystem::Maven,
        Language::CSharp => Ecosystem::NuGet,
        Language::Php => Ecosystem::Composer,
        Language::Ruby => Ecosystem::RubyGems,
        // Notebooks install what they need in their own cells.
        _ => return None,
    })
}
