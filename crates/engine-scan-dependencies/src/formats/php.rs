//! Composer.

use std::collections::HashMap;

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, SourceFile};

use crate::DependencyFacts;
use crate::facts::{Command, Manifest, Signal};
use crate::node::Node;
use crate::package::{dependency, git_source, package, require};

/// Platform packages, such as `php` and `ext-json`, have no vendor.
fn is_platform(name: &str) -> bool {
    !name.contains('/')
}

fn license(node: &Node<'_>) -> Option<String> {
    let field = node.get("license")?;
    if let Some(text) = field.text() {
        return Some(text.to_owned());
    }
    let listed: Vec<&str> = field.items().iter().filter_map(Node::text).collect();
    (!listed.is_empty()).then(|| listed.join(" OR "))
}

pub(super) fn manifest(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::Composer);
    manifest.name = root.str("name").map(str::to_owned);
    manifest.version = root.str("version").map(str::to_owned);
    manifest.license = license(root);
    if let Some(entry) = root.entry("type") {
        let text = entry.node.text().unwrap_or("");
        let signal = Signal {
            text: format!("type: {text}"),
            line: entry.line,
        };
        // A site runs what is put into it, whether it was packed for that or not.
        if matches!(
            text,
            "project" | "wordpress-plugin" | "wordpress-theme" | "wordpress-muplugin"
        ) {
            manifest.application.push(signal);
        } else {
            manifest.library.push(signal);
        }
    }
    for item in root.list("bin") {
        if let Some(name) = item.text() {
            let command = Command {
                name: name.to_owned(),
                target: Some(name.to_owned()),
                line: item.line,
            };
            manifest.entry_points.push(command);
        }
    }
    facts.manifest = Some(manifest);
    for (section, scope) in [
        ("require", DependencyScope::Required),
        ("require-dev", DependencyScope::Development),
    ] {
        for entry in root.map(section).iter().filter(|entry| !is_platform(&entry.key)) {
            let mut package = package(file, Ecosystem::Composer, &entry.key, entry.line);
            require(&mut package, entry.node.text().unwrap_or(""));
            package.scope = scope;
            package.relation = DependencyRelation::Direct;
            facts.packages.push(package);
        }
    }
}

pub(super) fn lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let both = || root.list("packages").iter().chain(root.list("packages-dev"));
    let versions: HashMap<&str, &str> = both()
        .filter_map(|node| Some((node.str("name")?, node.str("version")?)))
        .collect();
    for (section, scope) in [
        ("packages", DependencyScope::Required),
        ("packages-dev", DependencyScope::Development),
    ] {
        for node in root.list(section) {
            let Some(name) = node.str("name") else {
                facts.note(node.line, "an entry without a name was skipped");
                continue;
            };
            if node.at(&["dist", "type"]).and_then(Node::text) == Some("path") {
                facts.note(node.line, format!("`{name}` is in the same repository and was skipped"));
                continue;
            }
            let line = node.entry("name").map_or(node.line, |entry| entry.line);
            let mut package = package(file, Ecosystem::Composer, name, line);
            package.version = node.str("version").map(str::to_owned);
            // What the registry lists carries the address at which it counts installations.
            if node.get("notification-url").is_none()
                && let Some(source) = node.get("source").filter(|source| source.str("type") == Some("git"))
            {
                package.requirement = source
                    .str("url")
                    .and_then(|url| git_source(url, source.str("reference")));
            }
            package.scope = scope;
            package.license = license(node);
            if let Some(digest) = node
                .at(&["dist", "shasum"])
                .and_then(Node::text)
                .filter(|text| text.len() == 40)
            {
                package.hashes.push(format!("sha1:{digest}"));
            }
            for needed in node.map("require").iter().filter(|entry| !is_platform(&entry.key)) {
                if let Some(version) = versions.get(&*needed.key) {
                    package.dependencies.push(dependency(&needed.key, Some(version)));
                }
            }
            facts.packages.push(package);
        }
    }
}
