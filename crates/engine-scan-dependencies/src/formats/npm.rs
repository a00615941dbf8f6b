//! npm and bun: manifests and lockfiles in JSON.

use std::collections::{HashMap, HashSet};

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, Package, SourceFile};

use crate::DependencyFacts;
use crate::facts::{Answer, Ask, Command, Manifest, Root, Signal};
use crate::node::{Entry, Node};
use crate::package::{dependency, exact, git_source, integrity, package, require, without_credentials};

/// The sections of a manifest, in the order in which a name counts.
const SECTIONS: [(&str, DependencyScope); 4] = [
    ("dependencies", DependencyScope::Required),
    ("optionalDependencies", DependencyScope::Optional),
    ("devDependencies", DependencyScope::Development),
    ("peerDependencies", DependencyScope::Peer),
];

/// Folders of installed packages nest a few levels in practice; a hostile key could repeat them for ever.
const NESTING_MAX: usize = 64;

pub(super) fn package_json(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::Npm);
    manifest.name = root.str("name").map(str::to_owned);
    manifest.version = root.str("version").map(str::to_owned);
    manifest.license = root
        .str("license")
        .or_else(|| root.get("license")?.str("type"))
        .map(str::to_owned);
    let private = root.is_true("private");
    for key in ["main", "module", "exports", "types", "typings", "publishConfig"] {
        if let Some(entry) = root.entry(key) {
            let value = entry.node.text().unwrap_or("…");
            manifest.library.push(Signal {
                text: format!("{key}: {value}"),
                line: entry.line,
            });
        }
    }
    if private && let Some(entry) = root.entry("private") {
        manifest.application.push(Signal {
            text: "private: true".to_owned(),
            line: entry.line,
        });
    }
    // What an editor loads is used by people; its `main` is where the editor starts it.
    if root.entry("contributes").is_some()
        && let Some(entry) = root.entry("engines")
        && entry.node.str("vscode").is_some()
    {
        manifest.application.push(Signal {
            text: "engines.vscode".to_owned(),
            line: entry.line,
        });
    }
    if let Some(entry) = root.entry("bin") {
        manifest.application.push(Signal {
            text: "bin".to_owned(),
            line: entry.line,
        });
        if let Some(target) = entry.node.text() {
            let name = manifest.name.clone().unwrap_or_default();
            manifest.entry_points.push(Command {
                name,
                target: Some(target.to_owned()),
                line: entry.line,
            });
        }
        for command in entry.node.entries() {
            let target = command.node.text().map(str::to_owned);
            manifest.entry_points.push(Command {
                name: command.key.to_string(),
                target,
                line: command.line,
            });
        }
    }
    for script in root.map("scripts") {
        if matches!(&*script.key, "start" | "serve" | "dev" | "deploy") {
            manifest.application.push(Signal {
                text: format!("scripts.{}", script.key),
                line: script.line,
            });
            let target = script.node.text().map(str::to_owned);
            manifest.entry_points.push(Command {
                name: format!("npm run {}", script.key),
                target,
                line: script.line,
            });
        }
    }
    if manifest.library.len() == 1
        && manifest.application.is_empty()
        && let Some(runner) = bot_without_a_start(root)
    {
        manifest.application.push(runner);
    }
    let workspaces = root.get("workspaces");
    let listed = workspaces.map_or(&[][..], |node| {
        if node.is_map() {
            node.list("packages")
        } else {
            node.items()
        }
    });
    manifest.workspaces = listed.iter().filter_map(Node::text).map(str::to_owned).collect();
    facts.manifest = Some(manifest);

    let mut seen: HashSet<&str> = HashSet::new();
    for (section, scope) in SECTIONS {
        for entry in root.map(section) {
            // A peer that is also named elsewhere is installed for that other reason.
            if scope == DependencyScope::Peer && seen.contains(&*entry.key) {
                continue;
            }
            if scope != DependencyScope::Peer {
                seen.insert(&entry.key);
            }
            facts.packages.push(required(file, entry, scope));
            facts.asks.push(Ask {
                key: entry.key.to_string(),
                range: without_credentials(entry.node.text().unwrap_or("")),
                scope,
                line: entry.line,
            });
        }
    }
    for peer in root.map("peerDependenciesMeta") {
        if peer.node.is_true("optional") {
            facts.conditional.push(peer.key.to_string());
        }
    }
}

/// Libraries with which a program logs in to a messenger or listens: who needs one to run has something to run.
const RUNNERS: [&str; 14] = [
    "discord.js",
    "eris",
    "telegraf",
    "grammy",
    "node-telegram-bot-api",
    "whatsapp-web.js",
    "@slack/bolt",
    "botbuilder",
    "tmi.js",
    "express",
    "fastify",
    "koa",
    "socket.io",
    "@hapi/hapi",
];

/// The library that a program listens with, in a manifest as `npm init` leaves it, or one whose scripts run its `main`: that says nothing
/// there.
fn bot_without_a_start(root: &Node<'_>) -> Option<Signal> {
    let untouched = root.map("scripts").iter().any(|script| {
        &*script.key == "test"
            && script
                .node
                .text()
                .is_some_and(|text| text.contains("no test specified"))
    });
    let main = root.str("main").map(|main| main.trim_start_matches("./"));
    let runs_itself = root.map("scripts").iter().any(|script| {
        let text = script.node.text().unwrap_or("");
        let mut words = text.split_whitespace();
        matches!(words.next(), Some("node" | "nodemon" | "tsx" | "ts-node" | "bun"))
            && words.any(|word| Some(word.trim_start_matches("./")) == main)
    });
    let entry = root
        .map("dependencies")
        .iter()
        .find(|entry| RUNNERS.contains(&&*entry.key))
        .filter(|_| (untouched || runs_itself) && root.entry("main").is_some())?;
    Some(Signal {
        text: format!("needs {}", entry.key),
        line: entry.line,
    })
}

fn required(file: &SourceFile<'_>, entry: &Entry<'_>, scope: DependencyScope) -> Package {
    let text = entry.node.text().unwrap_or("");
    let (name, requirement) = alias(text).unwrap_or((&entry.key, text));
    let mut package = package(file, Ecosystem::Npm, name, entry.line);
    require(&mut package, requirement);
    package.scope = scope;
    package.relation = DependencyRelation::Direct;
    package
}

/// `npm:real@range` names another package.
pub(super) fn alias(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("npm:")?;
    split_name(rest).filter(|(name, _)| !name.is_empty())
}

/// `@scope/name@version` at the `@` that is not the scope's.
pub(super) fn split_name(text: &str) -> Option<(&str, &str)> {
    let skip = text.chars().next().map_or(0, char::len_utf8);
    let at = text.get(skip..)?.find('@')? + skip;
    Some((&text[..at], &text[at + 1..]))
}

/// Whether a version or requirement means something outside the registry that lies in the same tree.
pub(crate) fn is_local(text: &str) -> bool {
    ["workspace:", "file:", "link:", "portal:"]
        .iter()
        .any(|prefix| text.starts_with(prefix))
}

/// The version in the address of an archive, where the address is laid out as the registry does it.
pub(super) fn archive_version<'t>(name: &str, url: &'t str) -> Option<&'t str> {
    let path = url.split(['?', '#']).next()?;
    let (_, file) = path.split_once("/-/")?;
    let base = name.rsplit('/').next().unwrap_or(name);
    let version = file.strip_prefix(base)?.strip_prefix('-')?.strip_suffix(".tgz")?;
    exact(Ecosystem::Npm, version)
}

/// The repository and the commit that a package is taken from, where the text names both.
pub(super) fn git_of(text: &str) -> Option<String> {
    let is_git = text.starts_with("git")
        || text.starts_with("ssh://")
        || text.starts_with("bitbucket:")
        || text.starts_with("gist:")
        || text.contains(".git#")
        || text.contains("#commit=");
    let archive = text.starts_with("https://codeload.") || text.contains("/archive/") || text.contains("/tarball/");
    git_source(text, None).filter(|_| is_git || archive)
}

/// Sets the version, or the address that stands in its place and what it tells.
fn set_version(package: &mut Package, text: &str) {
    if text.contains([':', '/']) {
        package.version = archive_version(&package.name, text).map(str::to_owned);
        package.requirement = git_of(text).or_else(|| Some(without_credentials(text)));
    } else if !text.is_empty() {
        package.version = Some(text.to_owned());
    }
}

/// What a project or workspace member asks for.
fn roots(node: &Node<'_>, facts: &mut DependencyFacts, version: impl Fn(&str) -> Option<String>) {
    for (section, scope) in SECTIONS {
        for entry in node.map(section) {
            let text = entry.node.text().unwrap_or("");
            let name = alias(text).map_or(&*entry.key, |(name, _)| name);
            facts.roots.push(Root {
                name: name.to_owned(),
                version: version(&entry.key),
                scope,
            });
        }
    }
}

pub(super) fn package_lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    match root.get("packages") {
        Some(packages) if packages.is_map() => lock_by_path(file, packages, facts),
        _ => {
            let mut above = Vec::new();
            if root.get("dependencies").is_some() {
                lock_nested(file, root, &mut above, facts);
            }
        }
    }
}

/// Versions 2 and 3: every installed folder is a key.
fn lock_by_path(file: &SourceFile<'_>, packages: &Node<'_>, facts: &mut DependencyFacts) {
    let index: HashMap<&str, &Node<'_>> = packages
        .entries()
        .iter()
        .map(|entry| (&*entry.key, &entry.node))
        .collect();
    let find = |from: &str, name: &str| -> Option<(String, String)> {
        let mut folder = from;
        for _ in 0..NESTING_MAX {
            let path = if folder.is_empty() {
                format!("node_modules/{name}")
            } else {
                format!("{folder}/node_modules/{name}")
            };
            if let Some(node) = index.get(path.as_str()) {
                if node.is_true("link") {
                    return None;
                }
                let real = node.str("name").unwrap_or(name);
                return Some((real.to_owned(), node.str("version")?.to_owned()));
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rfind("/node_modules/").map_or("", |at| &folder[..at]);
        }
        None
    };
    for entry in packages.entries() {
        let (path, node) = (&*entry.key, &entry.node);
        let Some(at) = path.rfind("node_modules/") else {
            facts.member(path);
            // The project itself, or a member of its workspace.
            roots(node, facts, |name| find(path, name).map(|(_, version)| version));
            continue;
        };
        if node.is_true("link") {
            continue;
        }
        let name = node.str("name").unwrap_or(&path[at + "node_modules/".len()..]);
        let mut package = package(file, Ecosystem::Npm, name, entry.line);
        package.version = node.str("version").map(str::to_owned);
        package.requirement = node.str("resolved").and_then(git_of);
        if package.version.is_none() {
            facts.note(entry.line, format!("`{name}` has no version"));
            package.requirement = package
                .requirement
                .or_else(|| node.str("resolved").map(without_credentials));
        }
        package.scope = flags(node);
        package.license = node.str("license").map(str::to_owned);
        package.hashes = node.str("integrity").map(integrity).unwrap_or_default();
        for section in ["dependencies", "optionalDependencies", "peerDependencies"] {
            for needed in node.map(section) {
                if let Some((name, version)) = find(path, &needed.key) {
                    package.dependencies.push(dependency(&name, Some(&version)));
                }
            }
        }
        facts.packages.push(package);
    }
}

fn flags(node: &Node<'_>) -> DependencyScope {
    if node.is_true("dev") {
        DependencyScope::Development
    } else if node.is_true("optional") || node.is_true("devOptional") {
        DependencyScope::Optional
    } else if node.is_true("peer") {
        DependencyScope::Peer
    } else {
        DependencyScope::Required
    }
}

/// Version 1: packages lie inside the package that needs them. The tree is bounded by the depth of the JSON reader.
fn lock_nested<'n>(
    file: &SourceFile<'_>,
    node: &'n Node<'n>,
    above: &mut Vec<HashMap<&'n str, &'n Node<'n>>>,
    facts: &mut DependencyFacts,
) {
    let level = node
        .map("dependencies")
        .iter()
        .map(|entry| (&*entry.key, &entry.node))
        .collect();
    above.push(level);
    for entry in node.map("dependencies") {
        let written = entry.node.str("version").unwrap_or("");
        if !is_local(written) {
            let (name, version) = alias(written).unwrap_or((&entry.key, written));
            let mut package = package(file, Ecosystem::Npm, name, entry.line);
            set_version(&mut package, version);
            if above.len() == 1 {
                facts.answers.push(Answer {
                    key: entry.key.to_string(),
                    range: String::new(),
                    name: package.name.clone(),
                    version: package.version.clone(),
                });
            } else {
                // What lies inside another package was not asked for by the project.
                package.relation = DependencyRelation::Transitive;
            }
            package.scope = flags(&entry.node);
            package.hashes = entry.node.str("integrity").map(integrity).unwrap_or_default();
            let own: HashMap<&str, &Node<'_>> = entry
                .node
                .map("dependencies")
                .iter()
                .map(|inner| (&*inner.key, &inner.node))
                .collect();
            for needed in entry.node.map("requires") {
                let found = own
                    .get(&*needed.key)
                    .copied()
                    .or_else(|| above.iter().rev().find_map(|level| level.get(&*needed.key).copied()));
                if let Some(version) = found.and_then(|node| node.str("version")) {
                    let (name, version) = alias(version).unwrap_or((&needed.key, version));
                    let version = if version.contains([':', '/']) {
                        archive_version(name, version)
                    } else {
                        Some(version)
                    };
                    package.dependencies.push(dependency(name, version));
                }
            }
            facts.packages.push(package);
        }
        if entry.node.get("dependencies").is_some() {
            lock_nested(file, &entry.node, above, facts);
        }
    }
    above.pop();
}

/// The path of names without its last one, which may carry a scope.
fn bun_parent(path: &str) -> &str {
    let Some(cut) = path.rfind('/') else { return "" };
    let above = &path[..cut];
    match above.rfind('/') {
        Some(before) if above[before + 1..].starts_with('@') => &above[..before],
        None if above.starts_with('@') => "",
        _ => above,
    }
}

pub(super) fn bun_lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let packages = root.map("packages");
    // Keys are paths of names: `a/b` is the `b` that only `a` sees.
    let index: HashMap<&str, (&str, &str)> = packages
        .iter()
        .filter_map(|entry| Some((&*entry.key, split_name(entry.node.items().first()?.text()?)?)))
        .collect();
    // What a package sees under a name is the nearest entry above it.
    let find = |from: &str, name: &str| -> Option<(&str, &str)> {
        let mut from = from;
        for _ in 0..NESTING_MAX {
            if from.is_empty() {
                break;
            }
            if let Some(found) = index.get(format!("{from}/{name}").as_str()) {
                return Some(*found);
            }
            from = bun_parent(from);
        }
        index.get(name).copied()
    };
    let version_of = |name: &str, text: &str| -> Option<String> {
        let version = if text.contains([':', '/']) {
            archive_version(name, text)
        } else {
            Some(text)
        };
        version.map(str::to_owned)
    };
    for workspace in root.map("workspaces") {
        facts.member(&workspace.key);
        let member = workspace.node.str("name").unwrap_or("");
        roots(&workspace.node, facts, |key| {
            find(member, key).and_then(|(name, version)| version_of(name, version))
        });
    }
    for entry in packages {
        let items = entry.node.items();
        let Some((name, version)) = items.first().and_then(Node::text).and_then(split_name) else {
            facts.note(entry.line, "an entry without name and version was skipped");
            continue;
        };
        if is_local(version) || version.is_empty() {
            // What a folder of the same tree needs, the project itself needs.
            if let Some(folder) = version.strip_prefix("file:").or_else(|| version.strip_prefix("link:")) {
                facts.member(folder);
                for details in items.iter().filter(|item| item.is_map()) {
                    roots(details, facts, |key| {
                        find(&entry.key, key).and_then(|(name, version)| version_of(name, version))
                    });
                }
            }
            continue;
        }
        let mut package = package(file, Ecosystem::Npm, name, entry.line);
        set_version(&mut package, version);
        package.scope = DependencyScope::Unknown;
        package.hashes = items.last().and_then(Node::text).map(integrity).unwrap_or_default();
        for details in items.iter().filter(|item| item.is_map()) {
            for section in ["dependencies", "optionalDependencies", "peerDependencies"] {
                for needed in details.map(section) {
                    if let Some((name, version)) = find(&entry.key, &needed.key).filter(|(_, text)| !is_local(text)) {
                        package
                            .dependencies
                            .push(dependency(name, version_of(name, version).as_deref()));
                    }
                }
            }
        }
        facts.packages.push(package);
    }
}
