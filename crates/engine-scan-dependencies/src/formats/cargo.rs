//! Cargo.

use std::collections::{HashMap, HashSet};

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, SourceFile};

use crate::DependencyFacts;
use crate::facts::{Command, Constraint, Manifest, Root, Signal};
use crate::node::{Entry, Node};
use crate::package::{dependency, package, require, without_credentials};

/// The requirement of an entry that takes it from the workspace.
pub(crate) const WORKSPACE: &str = "workspace";

pub(super) fn manifest(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::Cargo);
    if let Some(package) = root.get("package") {
        manifest.name = package.str("name").map(str::to_owned);
        manifest.version = package.str("version").map(str::to_owned);
        manifest.license = package.str("license").map(str::to_owned);
    }
    if let Some(entry) = root.entry("lib") {
        manifest.library.push(Signal {
            text: "[lib]".to_owned(),
            line: entry.line,
        });
    }
    for bin in root.list("bin") {
        let name = bin.str("name").unwrap_or("").to_owned();
        manifest.application.push(Signal {
            text: format!("[[bin]] {name}"),
            line: bin.line,
        });
        let target = bin.str("path").map(str::to_owned);
        manifest.entry_points.push(Command {
            name,
            target,
            line: bin.line,
        });
    }
    if let Some(entry) = root.get("package").and_then(|node| node.entry("default-run")) {
        manifest.application.push(Signal {
            text: "default-run".to_owned(),
            line: entry.line,
        });
    }
    for item in root.get("workspace").map_or(&[][..], |node| node.list("members")) {
        manifest.workspaces.extend(item.text().map(str::to_owned));
    }
    facts.manifest = Some(manifest);

    sections(file, root, facts);
    for target in root.map("target") {
        sections(file, &target.node, facts);
    }
    for entry in root.get("workspace").map_or(&[][..], |node| node.map("dependencies")) {
        // A member that inherits a path of the same tree inherits no package.
        let version = if entry.node.str("path").is_some() {
            "path:".to_owned()
        } else {
            let text = entry.node.text().or_else(|| entry.node.str("version"));
            text.or_else(|| entry.node.str("git"))
                .map(without_credentials)
                .unwrap_or_default()
        };
        let name = entry.node.str("package").unwrap_or(&entry.key).to_owned();
        facts.constraints.push(Constraint {
            name,
            version,
            line: entry.line,
        });
    }
}

fn sections(file: &SourceFile<'_>, node: &Node<'_>, facts: &mut DependencyFacts) {
    for (section, scope) in [
        ("dependencies", DependencyScope::Required),
        ("dev-dependencies", DependencyScope::Development),
        ("dev_dependencies", DependencyScope::Development),
        ("build-dependencies", DependencyScope::Development),
        ("build_dependencies", DependencyScope::Development),
    ] {
        for entry in node.map(section) {
            needed(file, entry, scope, facts);
        }
    }
}

fn needed(file: &SourceFile<'_>, entry: &Entry<'_>, scope: DependencyScope, facts: &mut DependencyFacts) {
    let node = &entry.node;
    if node.str("path").is_some() {
        return;
    }
    let mut package = package(
        file,
        Ecosystem::Cargo,
        node.str("package").unwrap_or(&entry.key),
        entry.line,
    );
    if node.is_true("workspace") {
        package.requirement = Some(WORKSPACE.to_owned());
    } else if let Some(text) = node.text().or_else(|| node.str("version")) {
        require(&mut package, text);
    } else if let Some(url) = node.str("git") {
        package.requirement = Some(without_credentials(url));
    }
    package.scope = if node.is_true("optional") {
        DependencyScope::Optional
    } else {
        scope
    };
    package.relation = DependencyRelation::Direct;
    facts.packages.push(package);
}

pub(super) fn lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let packages = root.list("package");
    let mut versions: HashMap<&str, Vec<&str>> = HashMap::new();
    for node in packages {
        if let (Some(name), Some(version)) = (node.str("name"), node.str("version")) {
            versions.entry(name).or_default().push(version);
        }
    }
    // `name`, `name version` or `name version (source)`, as short as is still clear.
    let arrow = |text: &str| -> Option<(String, Option<String>)> {
        let mut words = text.split(' ');
        let name = words.next().filter(|name| !name.is_empty())?;
        let only = versions
            .get(name)
            .filter(|known| known.len() == 1)
            .map(|known| known[0]);
        Some((name.to_owned(), words.next().or(only).map(str::to_owned)))
    };
    // The first format keeps the digests apart.
    let checksums: HashMap<&str, &str> = root
        .map("metadata")
        .iter()
        .filter_map(|entry| Some((entry.key.strip_prefix("checksum ")?, entry.node.text()?)))
        .collect();
    for node in packages.iter().chain(root.get("root")) {
        let arrows: Vec<_> = node
            .list("dependencies")
            .iter()
            .filter_map(|item| arrow(item.text()?))
            .collect();
        let Some(source) = node.str("source") else {
            // Without a source it lies in the same tree.
            for (name, version) in arrows {
                facts.roots.push(Root {
                    name,
                    version,
                    scope: DependencyScope::Unknown,
                });
            }
            continue;
        };
        let Some(name) = node.str("name") else {
            facts.note(node.line, "an entry without a name was skipped");
            continue;
        };
        let line = node.entry("name").map_or(node.line, |entry| entry.line);
        let mut package = package(file, Ecosystem::Cargo, name, line);
        package.version = node.str("version").map(str::to_owned);
        if source.starts_with("git+") {
            package.requirement = Some(without_credentials(source));
        }
        let version = node.str("version").unwrap_or("");
        let older = checksums.get(format!("{name} {version} ({source})").as_str()).copied();
        if let Some(digest) = node.str("checksum").or(older).filter(|digest| digest.len() == 64) {
            package.hashes.push(format!("sha256:{digest}"));
        }
        package.scope = DependencyScope::Unknown;
        package.dependencies = arrows
            .iter()
            .map(|(name, version)| dependency(name, version.as_deref()))
            .collect();
        facts.packages.push(package);
    }
    let local: HashSet<&str> = packages
        .iter()
        .filter(|node| node.str("source").is_none())
        .filter_map(|node| node.str("name"))
        .collect();
    let known: HashSet<&str> = facts.packages.iter().map(|package| package.name.as_str()).collect();
    facts
        .roots
        .retain(|root| !local.contains(&root.name.as_str()) || known.contains(&root.name.as_str()));
}
