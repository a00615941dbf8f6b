//! One reader for each format.

mod cargo;
mod conda;
mod dotnet;
mod go;
mod java;
mod mcp;
mod npm;
mod php;
mod pnpm;
mod python;
mod python_lock;
mod ruby;
mod yarn;

use engine_model::SourceFile;

pub(crate) use dotnet::resolve as resolve_msbuild;
pub(crate) use java::resolve as resolve_properties;
pub(crate) use npm::is_local;
pub(crate) use python::{COMPILED_FROM, all_exact};

use crate::node::{Node, Parsed, json};
use crate::toml_tree::toml;
use crate::xml::xml;
use crate::yaml::yaml;
use crate::{DependencyFacts, Format};

pub(crate) fn read(format: Format, file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    match format {
        Format::PackageJson => tree(json(text), facts, |root, facts| npm::package_json(file, root, facts)),
        Format::PackageLock => tree(json(text), facts, |root, facts| npm::package_lock(file, root, facts)),
        Format::BunLock => tree(json(text), facts, |root, facts| npm::bun_lock(file, root, facts)),
        Format::BunLockBinary => facts.note(1, "the binary lockfile was not read"),
        Format::YarnLock => yarn::read(file, text, facts),
        Format::PnpmLock => {
            let parsed = yaml(text);
            broken(parsed.broken, facts);
            for document in &parsed.value {
                pnpm::read(file, document, facts);
            }
        }
        Format::Requirements | Format::Constraints => python::requirements(file, text, facts),
        Format::Pyproject => tree(toml(text), facts, |root, facts| python::pyproject(file, root, facts)),
        Format::SetupCfg => python::setup_cfg(file, text, facts),
        Format::SetupPy => python::setup_py(file, text, facts),
        Format::Pipfile => tree(toml(text), facts, |root, facts| python::pipfile(file, root, facts)),
        Format::PipfileLock => tree(json(text), facts, |root, facts| {
            python_lock::pipfile_lock(file, root, facts);
        }),
        Format::PoetryLock => tree(toml(text), facts, |root, facts| {
            python_lock::poetry_lock(file, root, facts);
        }),
        Format::PdmLock => tree(toml(text), facts, |root, facts| {
            python_lock::pdm_lock(file, root, facts);
        }),
        Format::UvLock => tree(toml(text), facts, |root, facts| python_lock::uv_lock(file, root, facts)),
        Format::PyLock => tree(toml(text), facts, |root, facts| python_lock::pylock(file, root, facts)),
        Format::CondaEnvironment => {
            let parsed = yaml(text);
            broken(parsed.broken, facts);
            for document in &parsed.value {
                conda::environment(file, document, facts);
            }
        }
        Format::CondaLock => {
            let parsed = yaml(text);
            broken(parsed.broken, facts);
            for document in &parsed.value {
                conda::lock(file, document, facts);
            }
        }
        Format::CondaExplicit => conda::explicit(file, text, facts),
        Format::CargoToml => tree(toml(text), facts, |root, facts| cargo::manifest(file, root, facts)),
        Format::CargoLock => tree(toml(text), facts, |root, facts| cargo::lock(file, root, facts)),
        Format::GoMod => go::module(file, text, facts),
        Format::GoSum => go::sums(file, text, facts),
        Format::Pom => {
            let parsed = xml(text);
            broken(parsed.broken, facts);
            java::pom(file, parsed.value.root(), facts);
        }
        Format::GradleLock => java::gradle_lock(file, text, facts),
        Format::GradleBuild => java::gradle_build(file, text, facts),
        Format::VersionCatalog => tree(toml(text), facts, |root, facts| {
            java::version_catalog(file, root, facts);
        }),
        Format::DotnetProject | Format::DotnetBuild | Format::DotnetCentral | Format::NugetConfig => {
            let parsed = xml(text);
            broken(parsed.broken, facts);
            let root = parsed.value.root();
            match format {
                Format::DotnetProject | Format::DotnetBuild => dotnet::project(file, root, facts),
                Format::DotnetCentral => dotnet::central(file, root, facts),
                _ => dotnet::config(file, root, facts),
            }
        }
        Format::NugetLock => tree(json(text), facts, |root, facts| dotnet::lock(file, root, facts)),
        Format::ComposerJson => tree(json(text), facts, |root, facts| php::manifest(file, root, facts)),
        Format::ComposerLock => tree(json(text), facts, |root, facts| php::lock(file, root, facts)),
        Format::Gemfile => ruby::gemfile(file, text, facts),
        Format::GemfileLock => ruby::lock(file, text, facts),
        Format::Gemspec => ruby::gemspec(file, text, facts),
        Format::McpConfig => {
            let parsed = if file.path.ends_with(".toml") {
                toml(text)
            } else {
                json(text)
            };
            tree(parsed, facts, |root, facts| mcp::config(file, root, facts));
        }
    }
}

fn tree<'a>(parsed: Parsed<Node<'a>>, facts: &mut DependencyFacts, read: impl FnOnce(&Node<'a>, &mut DependencyFacts)) {
    let Parsed { value, broken: line } = parsed;
    broken(line, facts);
    read(&value, facts);
}

fn broken(line: Option<u32>, facts: &mut DependencyFacts) {
    if let Some(line) = line {
        facts.note(
            line,
            "the file could not be read from this line on; earlier entries were kept",
        );
    }
}

/// The numbered lines of a text without their ends.
fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (u32::try_from(index + 1).unwrap_or(u32::MAX), line))
}
