//! Bundler.

use std::collections::HashMap;

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, Package, SourceFile};

use super::numbered;
use crate::DependencyFacts;
use crate::facts::{Command, Manifest, Root, Signal};
use crate::package::{PLATFORM, dependency, git_source, package, require};

/// The literal strings of a call, in order, up to the first thing that is no string.
fn literals(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text.trim_start().trim_start_matches('(').trim_start();
    while let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let Some((value, tail)) = rest[1..].split_once(quote) else {
            break;
        };
        let tail = tail.trim_start();
        // `"name": value` and `"name" => value` are options.
        if tail.starts_with(':') || tail.starts_with("=>") {
            break;
        }
        out.push(value);
        match tail.strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    out
}

fn gem(file: &SourceFile<'_>, literals: &[&str], line: u32, scope: DependencyScope) -> Option<Package> {
    let (name, requirements) = literals.split_first()?;
    let mut package = package(file, Ecosystem::RubyGems, name, line);
    require(&mut package, &requirements.join(", "));
    package.scope = scope;
    package.relation = DependencyRelation::Direct;
    Some(package)
}

pub(super) fn gemfile(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    facts.manifest = Some(Manifest::new(Ecosystem::RubyGems));
    // Blocks that are open, and whether each holds development gems only or lies in the same tree.
    let mut blocks: Vec<(bool, bool)> = Vec::new();
    let only_development = |text: &str| {
        let names: Vec<&str> = text
            .split([',', ' ', '(', ')', '[', ']'])
            .filter_map(|word| word.trim().strip_prefix(':'))
            .filter(|word| !word.is_empty())
            .collect();
        !names.is_empty()
            && names
                .iter()
                .all(|name| matches!(*name, "development" | "test" | "ci" | "lint" | "doc"))
    };
    for (number, line) in numbered(text) {
        let body = line.split(" #").next().unwrap_or(line).trim();
        if body.starts_with('#') || body.is_empty() {
            continue;
        }
        if let Some(rest) = body.strip_prefix("gem ").or_else(|| body.strip_prefix("gem(")) {
            let local = rest.contains("path:") || rest.contains(":path") || blocks.iter().any(|(_, local)| *local);
            if local {
                facts.note(number, "a gem of the same repository was skipped");
                continue;
            }
            let inline = rest
                .split_once("group")
                .is_some_and(|(_, groups)| only_development(groups));
            let development = inline || blocks.iter().any(|(development, _)| *development);
            let scope = if development {
                DependencyScope::Development
            } else {
                DependencyScope::Required
            };
            facts.packages.extend(gem(file, &literals(rest), number, scope));
        } else if body.ends_with(" do") || body.contains(" do |") {
            blocks.push((
                body.starts_with("group") && only_development(body),
                body.starts_with("path "),
            ));
        } else if body.starts_with("if ") || body.starts_with("unless ") || body.starts_with("case ") {
            blocks.push((false, false));
        } else if body == "end" {
            blocks.pop();
        } else if body == "gemspec" || body.starts_with("gemspec ") {
            facts.note(number, "includes the gemspec next to it");
        }
    }
}

pub(super) fn gemspec(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::RubyGems);
    manifest.library.push(Signal {
        text: "gemspec".to_owned(),
        line: 1,
    });
    for (number, line) in numbered(text) {
        let body = line.trim();
        if body.starts_with('#') {
            continue;
        }
        for (call, scope) in [
            (".add_dependency", DependencyScope::Required),
            (".add_runtime_dependency", DependencyScope::Required),
            (".add_development_dependency", DependencyScope::Development),
        ] {
            if let Some((_, rest)) = body.split_once(call) {
                facts.packages.extend(gem(file, &literals(rest), number, scope));
            }
        }
        if let Some((left, right)) = body.split_once('=') {
            let value = literals(right).first().map(|text| (*text).to_owned());
            match left.trim().rsplit('.').next() {
                Some("name") if manifest.name.is_none() => manifest.name = value,
                Some("version") if manifest.version.is_none() => manifest.version = value,
                Some("license") if manifest.license.is_none() => manifest.license = value,
                Some("executables") => {
                    for name in right.split(['"', '\'']).skip(1).step_by(2) {
                        let command = Command {
                            name: name.to_owned(),
                            target: None,
                            line: number,
                        };
                        manifest.entry_points.push(command);
                    }
                }
                _ => {}
            }
        }
    }
    facts.manifest = Some(manifest);
}

/// `name (version)`.
fn spec(text: &str) -> (&str, Option<&str>) {
    match text.split_once(" (") {
        Some((name, rest)) => (name.trim(), Some(rest.trim_end_matches(')'))),
        None => (text.trim().trim_end_matches('!'), None),
    }
}

/// A version and the platform behind it: no version of a gem holds a hyphen.
fn split_platform(version: &str) -> (Option<&str>, Option<&str>) {
    match version.split_once('-') {
        Some((version, platform)) if !platform.is_empty() => (Some(version), Some(platform)),
        _ => (Some(version), None),
    }
}

pub(super) fn lock(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let mut section = "";
    // Where the gems of a section come from.
    let (mut remote, mut revision) = ("", "");
    let mut checksums: HashMap<(&str, &str), Vec<String>> = HashMap::new();
    let mut current: Option<usize> = None;
    for (number, line) in numbered(text) {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let body = body.trim_end();
        if body.is_empty() {
            continue;
        }
        match (indent, section) {
            (0, _) => {
                section = body;
                (remote, revision) = ("", "");
                current = None;
            }
            (2, "GIT") => {
                if let Some(address) = body.strip_prefix("remote:") {
                    remote = address.trim();
                } else if let Some(commit) = body.strip_prefix("revision:") {
                    revision = commit.trim();
                }
            }
            (4, "GEM" | "GIT" | "PLUGIN SOURCE") => {
                let (name, version) = spec(body);
                let mut package = package(file, Ecosystem::RubyGems, name, number);
                let (version, platform) = version.map_or((None, None), split_platform);
                package.version = version.map(str::to_owned);
                package.requirement = match platform {
                    Some(platform) => Some(format!("{PLATFORM}{platform}")),
                    None if section == "GIT" => git_source(remote, Some(revision)),
                    None => None,
                };
                package.scope = DependencyScope::Unknown;
                current = Some(facts.packages.len());
                facts.packages.push(package);
            }
            (6, "GEM" | "GIT") => {
                if let Some(package) = current.and_then(|index| facts.packages.get_mut(index)) {
                    package.dependencies.push(dependency(spec(body).0, None));
                }
            }
            (6, "PATH") => {
                // What a gem of the same tree needs, the project itself needs.
                let name = spec(body).0.to_owned();
                facts.roots.push(Root {
                    name,
                    version: None,
                    scope: DependencyScope::Unknown,
                });
            }
            (2, "DEPENDENCIES") => {
                let name = spec(body).0.trim_end_matches('!').to_owned();
                facts.roots.push(Root {
                    name,
                    version: None,
                    scope: DependencyScope::Unknown,
                });
            }
            (2, "CHECKSUMS") => {
                if let Some((head, digests)) = body.split_once(") ") {
                    let (name, version) = spec(head);
                    let digests = digests
                        .split(',')
                        .map(|digest| digest.trim().replacen('=', ":", 1))
                        .collect();
                    checksums.insert((name, version.unwrap_or("")), digests);
                }
            }
            _ => {}
        }
    }
    let mut versions: HashMap<String, Vec<String>> = HashMap::new();
    for package in &facts.packages {
        if let Some(version) = &package.version {
            let known = versions.entry(package.name.clone()).or_default();
            if !known.contains(version) {
                known.push(version.clone());
            }
        }
    }
    for package in &mut facts.packages {
        let version = package.version.as_deref().unwrap_or("");
        let platform = package
            .requirement
            .as_deref()
            .and_then(|text| text.strip_prefix(PLATFORM));
        let written = platform.map_or_else(|| version.to_owned(), |platform| format!("{version}-{platform}"));
        if let Some(digests) = checksums.get(&(package.name.as_str(), written.as_str())) {
            package.hashes.clone_from(digests);
        }
        package
            .dependencies
            .retain_mut(|needed| match versions.get(&needed.name).map(Vec::as_slice) {
                Some([version]) => {
                    needed.version = Some(version.clone());
                    true
                }
                // Variants for several platforms: which one is meant depends on where it runs.
                Some(_) => true,
                None => false,
            });
    }
}
