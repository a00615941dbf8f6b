//! Python: what projects were resolved to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, Package, SourceFile};

use super::python::{requirement, wheel_version};
use crate::DependencyFacts;
use crate::facts::Root;
use crate::node::Node;
use crate::package::{dependency, git_source, normal_name, package, require, stronger, without_credentials};

pub(super) fn pipfile_lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    facts.members.get_or_insert_default();
    for section in root.entries() {
        let scope = match &*section.key {
            "_meta" => continue,
            "default" => DependencyScope::Required,
            "develop" => DependencyScope::Development,
            _ => DependencyScope::Optional,
        };
        for entry in section.node.entries() {
            let node = &entry.node;
            if let Some(folder) = node.str("path") {
                facts.member(folder);
                facts.note(
                    entry.line,
                    format!("`{}` is in the same repository and was skipped", entry.key),
                );
                continue;
            }
            if let Some(url) = node.str("git").or_else(|| node.str("file")).or_else(|| node.str("hg")) {
                if let Some(version) = wheel_version(&entry.key, url) {
                    let mut package = package(file, Ecosystem::PyPI, &entry.key, entry.line);
                    package.version = Some(version.to_owned());
                    package.requirement = Some(without_credentials(url));
                    package.scope = scope;
                    package.hashes = texts(node.list("hashes"));
                    facts.packages.push(package);
                    continue;
                }
                if let Some(source) = node.str("git").and_then(|url| git_source(url, node.str("ref"))) {
                    let mut package = package(file, Ecosystem::PyPI, &entry.key, entry.line);
                    package.requirement = Some(source);
                    package.scope = scope;
                    facts.packages.push(package);
                    continue;
                }
                // Neither a release of the registry nor locked to one: there is no version that could be stated.
                let url = without_credentials(url);
                facts.note(
                    entry.line,
                    format!(
                        "`{}` comes from `{url}`, not from a release, and was skipped",
                        entry.key
                    ),
                );
                continue;
            }
            let mut package = package(file, Ecosystem::PyPI, &entry.key, entry.line);
            require(&mut package, node.str("version").unwrap_or(""));
            package.scope = scope;
            package.hashes = texts(node.list("hashes"));
            facts.packages.push(package);
        }
    }
}

fn texts(items: &[Node<'_>]) -> Vec<String> {
    items.iter().filter_map(Node::text).map(str::to_owned).collect()
}

/// A `[[package]]` with name and version.
fn entry(file: &SourceFile<'_>, node: &Node<'_>, facts: &mut DependencyFacts) -> Option<Package> {
    let Some(name) = node.str("name") else {
        facts.note(node.line, "an entry without a name was skipped");
        return None;
    };
    let line = node.entry("name").map_or(node.line, |entry| entry.line);
    let mut package = package(file, Ecosystem::PyPI, name, line);
    package.version = node.str("version").map(str::to_owned);
    package.scope = DependencyScope::Unknown;
    Some(package)
}

/// The digests of `files = [{ file, hash }]`.
fn file_hashes(items: &[Node<'_>]) -> Vec<String> {
    items
        .iter()
        .filter_map(|item| item.str("hash"))
        .map(str::to_owned)
        .collect()
}

pub(super) fn poetry_lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    facts.members.get_or_insert_default();
    let older_files: HashMap<String, &Node<'_>> = root
        .at(&["metadata", "files"])
        .or_else(|| root.at(&["metadata", "hashes"]))
        .map_or(&[][..], Node::entries)
        .iter()
        .map(|entry| (normal_name(Ecosystem::PyPI, &entry.key), &entry.node))
        .collect();
    for node in root.list("package") {
        if node
            .at(&["source", "type"])
            .and_then(Node::text)
            .is_some_and(|kind| matches!(kind, "directory" | "file"))
        {
            if let Some(folder) = node.at(&["source", "url"]).and_then(Node::text) {
                facts.member(folder);
            }
            facts.note(node.line, "a package of the same repository was skipped");
            continue;
        }
        let Some(mut package) = entry(file, node, facts) else {
            continue;
        };
        package.scope = groups(node);
        if let Some(source) = node.get("source").filter(|source| source.str("type") == Some("git")) {
            let commit = source.str("resolved_reference").or_else(|| source.str("reference"));
            package.requirement = source
                .str("url")
                .and_then(|url| git_source(url, commit).or_else(|| Some(without_credentials(url))));
        }
        package.hashes = file_hashes(node.list("files"));
        if package.hashes.is_empty()
            && let Some(files) = older_files.get(&normal_name(Ecosystem::PyPI, &package.name))
        {
            package.hashes = file_hashes(files.items());
            // The oldest files list bare digests.
            package.hashes.extend(
                files
                    .items()
                    .iter()
                    .filter_map(Node::text)
                    .map(|digest| format!("sha256:{digest}")),
            );
        }
        for needed in node.map("dependencies") {
            package.dependencies.push(dependency(&needed.key, None));
        }
        facts.packages.push(package);
    }
    close(&mut facts.packages);
}

/// The groups that poetry and PDM write beside a package.
fn groups(node: &Node<'_>) -> DependencyScope {
    if node.is_true("optional") {
        return DependencyScope::Optional;
    }
    let listed = node.list("groups").iter().filter_map(Node::text);
    let names = listed.chain(node.str("category"));
    names
        .map(|name| match name {
            "main" | "default" => DependencyScope::Required,
            _ => DependencyScope::Development,
        })
        .reduce(stronger)
        .unwrap_or(DependencyScope::Unknown)
}

/// Fills in versions of arrows where only one version is locked, and drops arrows to packages that are not.
fn close(packages: &mut [Package]) {
    let mut versions: BTreeMap<String, Vec<(String, Option<String>)>> = BTreeMap::new();
    for package in packages.iter() {
        let key = normal_name(Ecosystem::PyPI, &package.name);
        let known = versions.entry(key).or_default();
        if !known.iter().any(|(_, version)| *version == package.version) {
            known.push((package.name.clone(), package.version.clone()));
        }
    }
    for package in packages {
        let mut closed = Vec::with_capacity(package.dependencies.len());
        for needed in &package.dependencies {
            let Some(known) = versions.get(&normal_name(Ecosystem::PyPI, &needed.name)) else {
                continue;
            };
            match (known.as_slice(), &needed.version) {
                ([(name, version)], _) => closed.push(dependency(name, version.as_deref())),
                (_, Some(version)) => closed.push(dependency(&known[0].0, Some(version))),
                // Which of several is meant depends on the platform.
                _ => closed.push(dependency(&known[0].0, None)),
            }
        }
        package.dependencies = closed;
    }
}

pub(super) fn pdm_lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    facts.members.get_or_insert_default();
    let older_files = root.at(&["metadata", "files"]).map_or(&[][..], Node::entries);
    let older: HashMap<&str, &Node<'_>> = older_files.iter().map(|entry| (&*entry.key, &entry.node)).collect();
    for node in root.list("package") {
        if let Some(folder) = node.str("path") {
            facts.member(folder);
            facts.note(node.line, "a package of the same repository was skipped");
            continue;
        }
        let Some(mut package) = entry(file, node, facts) else {
            continue;
        };
        package.scope = groups(node);
        package.requirement = node.str("git").and_then(|url| git_source(url, node.str("revision")));
        package.hashes = file_hashes(node.list("files"));
        if let Some(version) = &package.version
            && let Some(files) = older.get(format!("{} {version}", package.name).as_str())
        {
            package.hashes.extend(file_hashes(files.items()));
        }
        for text in node.list("dependencies").iter().filter_map(Node::text) {
            if let Some(needed) = requirement(text) {
                package
                    .dependencies
                    .push(dependency(needed.name, needed.specifier.strip_prefix("==")));
            }
        }
        // The same package with an extra is an entry of its own, which points back at the bare one.
        let own = normal_name(Ecosystem::PyPI, &package.name);
        package
            .dependencies
            .retain(|needed| normal_name(Ecosystem::PyPI, &needed.name) != own);
        facts.packages.push(package);
    }
    close(&mut facts.packages);
}

pub(super) fn uv_lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    for node in root.list("package") {
        let source = node.get("source");
        let local = ["editable", "virtual", "directory", "path"]
            .iter()
            .any(|key| source.is_some_and(|source| source.str(key).is_some()));
        if let Some(source) = source.filter(|_| local) {
            let folder = ["editable", "virtual", "directory"]
                .iter()
                .find_map(|key| source.str(key));
            facts.member(folder.unwrap_or(""));
            root_of(node.list("dependencies"), DependencyScope::Required, facts);
            for group in node.map("optional-dependencies") {
                root_of(group.node.items(), DependencyScope::Optional, facts);
            }
            for key in ["dev-dependencies", "dependency-groups"] {
                for group in node.map(key) {
                    root_of(group.node.items(), DependencyScope::Development, facts);
                }
            }
            continue;
        }
        let Some(mut package) = entry(file, node, facts) else {
            continue;
        };
        if let Some(url) = source.and_then(|source| source.str("git").or_else(|| source.str("url"))) {
            let git = source.and_then(|source| source.str("git"));
            package.requirement = git.and_then(uv_source).or_else(|| Some(without_credentials(url)));
        }
        let files = node.get("sdist").into_iter().chain(node.list("wheels"));
        package.hashes = files.filter_map(|item| item.str("hash")).map(str::to_owned).collect();
        let extras = node
            .map("optional-dependencies")
            .iter()
            .flat_map(|group| group.node.items());
        for needed in node.list("dependencies").iter().chain(extras) {
            if let Some(name) = needed.str("name") {
                package.dependencies.push(dependency(name, needed.str("version")));
            }
        }
        facts.packages.push(package);
    }
    close(&mut facts.packages);
    let members: BTreeSet<String> = root
        .list("package")
        .iter()
        .filter(|node| {
            node.get("source")
                .is_some_and(|s| s.str("editable").is_some() || s.str("virtual").is_some())
        })
        .filter_map(|node| node.str("name"))
        .map(str::to_owned)
        .collect();
    facts.roots.retain(|root| !members.contains(&root.name));
}

/// The repository of uv, whose address may name a branch or a tag before the commit.
fn uv_source(address: &str) -> Option<String> {
    let (address, commit) = address.split_once('#')?;
    git_source(address.split('?').next().unwrap_or(address), Some(commit))
}

fn root_of(items: &[Node<'_>], scope: DependencyScope, facts: &mut DependencyFacts) {
    for item in items {
        if let Some(name) = item.str("name") {
            facts.roots.push(Root {
                name: name.to_owned(),
                version: item.str("version").map(str::to_owned),
                scope,
            });
        }
    }
}

/// The standard lockfile of PEP 751.
pub(super) fn pylock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    for node in root.list("packages") {
        if let Some(source) = node.get("directory") {
            facts.member(source.str("path").unwrap_or(""));
            facts.note(node.line, "a package of the same repository was skipped");
            continue;
        }
        let Some(mut package) = entry(file, node, facts) else {
            continue;
        };
        if let Some(vcs) = node.get("vcs")
            && let Some(url) = vcs.str("url")
        {
            package.requirement = git_source(url, vcs.str("commit-id")).or_else(|| Some(without_credentials(url)));
        }
        let files = node
            .get("sdist")
            .into_iter()
            .chain(node.get("archive"))
            .chain(node.list("wheels"));
        for item in files {
            for hash in item.map("hashes") {
                package
                    .hashes
                    .extend(hash.node.text().map(|digest| format!("{}:{digest}", hash.key)));
            }
        }
        for needed in node.list("dependencies") {
            if let Some(name) = needed.str("name") {
                package.dependencies.push(dependency(name, needed.str("version")));
            }
        }
        package.relation = DependencyRelation::Unknown;
        facts.packages.push(package);
    }
    close(&mut facts.packages);
}
