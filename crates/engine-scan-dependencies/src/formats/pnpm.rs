//! `pnpm-lock.yaml`, versions 5 to 9.

use std::collections::{BTreeMap, HashMap};

use engine_model::{DependencyScope, Ecosystem, SourceFile};

use super::npm::{git_of, is_local, split_name};
use crate::DependencyFacts;
use crate::facts::Root;
use crate::node::{Entry, Node};
use crate::package::{dependency, git_source, integrity, package, stronger, without_credentials};

pub(super) fn read(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let major = root
        .str("lockfileVersion")
        .and_then(|text| text.split('.').next()?.parse::<u32>().ok())
        .unwrap_or(9);
    let importers = root.map("importers");
    let mut folders: BTreeMap<String, DependencyScope> = BTreeMap::new();
    facts.members.get_or_insert_default();
    if importers.is_empty() {
        importer(root, major, facts, &mut folders);
    }
    for entry in importers {
        facts.member(&entry.key);
        importer(&entry.node, major, facts, &mut folders);
    }
    // Since version 9 the graph stands apart from the packages, once for each set of peers.
    let mut snapshots: HashMap<String, Vec<&Node<'_>>> = HashMap::new();
    for entry in root.map("snapshots") {
        snapshots
            .entry(without_peers(&entry.key).to_owned())
            .or_default()
            .push(&entry.node);
    }
    for entry in root.map("packages") {
        let node = &entry.node;
        if let Some(folder) = local_key(&entry.key) {
            // What a folder of the same tree needs, the project itself needs.
            facts.member(folder);
            let scope = folders.get(folder).copied().unwrap_or(DependencyScope::Unknown);
            let graph = snapshots.get(without_peers(&entry.key)).map_or(&[][..], Vec::as_slice);
            for source in std::iter::once(node).chain(graph.iter().copied()) {
                for (section, scope) in [
                    ("dependencies", scope),
                    ("optionalDependencies", DependencyScope::Optional),
                ] {
                    for needed in source.map(section) {
                        facts.roots.extend(root_of(needed, major, scope));
                    }
                }
            }
            continue;
        }
        let Some((name, version)) = identity(entry, major) else {
            facts.note(entry.line, "an entry without name and version was skipped");
            continue;
        };
        if is_local(version) {
            continue;
        }
        let mut package = package(file, Ecosystem::Npm, node.str("name").unwrap_or(name), entry.line);
        match node.str("version") {
            Some(version) => package.version = Some(version.to_owned()),
            None if version.contains([':', '/']) => package.requirement = Some(without_credentials(version)),
            None => package.version = Some(version.to_owned()),
        }
        if let Some(resolution) = node.get("resolution") {
            let repository = resolution
                .str("repo")
                .and_then(|repository| git_source(repository, resolution.str("commit")));
            if let Some(source) = repository.or_else(|| git_of(resolution.str("tarball")?)) {
                package.requirement = Some(source);
            }
        }
        package.scope = if node.is_true("dev") {
            DependencyScope::Development
        } else if node.is_true("optional") {
            DependencyScope::Optional
        } else if major >= 9 {
            DependencyScope::Unknown
        } else {
            DependencyScope::Required
        };
        package.hashes = node
            .get("resolution")
            .and_then(|node| node.str("integrity"))
            .map(integrity)
            .unwrap_or_default();
        let graph = snapshots.get(without_peers(&entry.key)).map_or(&[][..], Vec::as_slice);
        for source in std::iter::once(node).chain(graph.iter().copied()) {
            for section in ["dependencies", "optionalDependencies"] {
                for needed in source.map(section) {
                    if let Some((name, version)) =
                        needed.node.text().and_then(|text| resolved(&needed.key, text, major))
                    {
                        package.dependencies.push(dependency(name, Some(version)));
                    }
                }
            }
        }
        facts.packages.push(package);
    }
}

/// The folder behind the key of a package that lies in the same tree.
fn local_key(key: &str) -> Option<&str> {
    let key = without_peers(key);
    match key.strip_prefix("file:") {
        Some(folder) => Some(folder),
        None => key.split_once("@file:").map(|(_, folder)| folder),
    }
}

/// What is asked for by `name: version` or `name: { version }`.
fn root_of(entry: &Entry<'_>, major: u32, scope: DependencyScope) -> Option<Root> {
    let text = entry.node.text().or_else(|| entry.node.str("version"))?;
    let (name, version) = resolved(&entry.key, text, major)?;
    Some(Root {
        name: name.to_owned(),
        version: Some(version.to_owned()),
        scope,
    })
}

fn importer(node: &Node<'_>, major: u32, facts: &mut DependencyFacts, folders: &mut BTreeMap<String, DependencyScope>) {
    for (section, scope) in [
        ("dependencies", DependencyScope::Required),
        ("optionalDependencies", DependencyScope::Optional),
        ("devDependencies", DependencyScope::Development),
        ("configDependencies", DependencyScope::Development),
        ("packageManagerDependencies", DependencyScope::Development),
    ] {
        for entry in node.map(section) {
            let text = entry.node.text().or_else(|| entry.node.str("version"));
            if let Some(folder) = text.and_then(local_key) {
                let known = folders.entry(folder.to_owned()).or_insert(scope);
                *known = stronger(*known, scope);
            }
            facts.roots.extend(root_of(entry, major, scope));
        }
    }
}

/// The name and version behind `name: value`, where the value may name another package.
fn resolved<'t>(name: &'t str, value: &'t str, major: u32) -> Option<(&'t str, &'t str)> {
    if is_local(value) {
        return None;
    }
    let value = without_peers(value);
    if value.starts_with('/') {
        return split_key(value, major);
    }
    if major < 6 {
        return Some((name, value.split('_').next().unwrap_or(value)));
    }
    match split_name(value) {
        Some((other, version)) if !other.is_empty() && !other.contains(':') => Some((other, version)),
        _ => Some((name, value)),
    }
}

fn identity<'t>(entry: &'t Entry<'_>, major: u32) -> Option<(&'t str, &'t str)> {
    let node = &entry.node;
    if let (Some(name), Some(version)) = (node.str("name"), node.str("version")) {
        return Some((name, version));
    }
    split_key(without_peers(&entry.key), major)
}

fn split_key(key: &str, major: u32) -> Option<(&str, &str)> {
    let bare = match key.strip_prefix('/') {
        Some(bare) => bare,
        // Packages of other registries carry the host in front.
        None if major < 9 => match key.split_once('/') {
            Some((host, rest)) if host.contains('.') && !host.starts_with('@') => rest,
            _ => key,
        },
        None => key,
    };
    if major < 6 {
        let (name, version) = bare.rsplit_once('/')?;
        return Some((name, version.split('_').next().unwrap_or(version)));
    }
    split_name(bare)
}

/// The key without the peers in brackets.
fn without_peers(key: &str) -> &str {
    key.split('(').next().unwrap_or(key)
}
