//! Conda: environments and what they were resolved to.

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, SourceFile};

use super::numbered;
use super::python::requirement_line;
use crate::DependencyFacts;
use crate::facts::Manifest;
use crate::node::Node;
use crate::package::{dependency, package, require};

/// A match specification: `channel::name=version=build`, `name >=1,<2`, `name version build`.
fn specification(text: &str) -> Option<(&str, String)> {
    let text = text.split(" #").next().unwrap_or(text).trim();
    let text = text.rsplit("::").next().unwrap_or(text);
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(text.len());
    let name = &text[..end];
    if name.is_empty() {
        return None;
    }
    let rest = text[end..].split('[').next().unwrap_or("").trim();
    let requirement = if rest.starts_with(|c: char| c.is_ascii_digit()) {
        // Between spaces, a version without an operator is exact.
        format!("=={}", rest.split_whitespace().next().unwrap_or(rest))
    } else {
        rest.to_owned()
    };
    Some((name, requirement))
}

pub(super) fn environment(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    if root.get("dependencies").is_none_or(|node| node.items().is_empty()) {
        return;
    }
    for item in root.list("dependencies") {
        if let Some(pip) = item.get("pip") {
            for line in pip.items() {
                if let Some(text) = line.text() {
                    requirement_line(file, text, line.line, DependencyScope::Required, facts);
                }
            }
        } else if let Some((name, requirement)) = item.text().and_then(specification) {
            let mut package = package(file, Ecosystem::Conda, name, item.line);
            require(&mut package, &requirement);
            package.relation = DependencyRelation::Direct;
            facts.packages.push(package);
        } else {
            facts.note(item.line, "an entry that is not a package was skipped");
        }
    }
    facts.manifest = Some(Manifest {
        name: root.str("name").map(str::to_owned),
        ..Manifest::new(Ecosystem::Conda)
    });
}

/// The unified lockfile: one entry for each package and platform.
pub(super) fn lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    for node in root.list("package") {
        let (Some(name), Some(version)) = (node.str("name"), node.str("version")) else {
            facts.note(node.line, "an entry without name and version was skipped");
            continue;
        };
        let ecosystem = if node.str("manager") == Some("pip") {
            Ecosystem::PyPI
        } else {
            Ecosystem::Conda
        };
        let mut package = package(file, ecosystem, name, node.line);
        package.version = Some(version.to_owned());
        package.scope = match node.str("category") {
            _ if node.is_true("optional") && node.str("category").is_none() => DependencyScope::Optional,
            None | Some("main") => DependencyScope::Required,
            Some("dev" | "test" | "docs" | "lint") => DependencyScope::Development,
            Some(_) => DependencyScope::Optional,
        };
        for digest in node.map("hash") {
            if let Some(text) = digest.node.text() {
                package.hashes.push(format!("{}:{text}", digest.key));
            }
        }
        for needed in node.map("dependencies") {
            // Virtual packages stand for what the machine offers.
            if !needed.key.starts_with("__") {
                package.dependencies.push(dependency(&needed.key, None));
            }
        }
        facts.packages.push(package);
    }
}

/// A list of addresses: `…/channel/platform/name-version-build.conda#digest`.
pub(super) fn explicit(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    for (number, line) in numbered(text) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '@']) {
            continue;
        }
        let (url, digest) = line.split_once('#').unwrap_or((line, ""));
        let archive = url.rsplit('/').next().unwrap_or(url);
        let stem = archive
            .strip_suffix(".conda")
            .or_else(|| archive.strip_suffix(".tar.bz2"));
        let mut parts = stem.unwrap_or("").rsplitn(3, '-');
        let (Some(_build), Some(version), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            facts.note(number, "a line that is not a package address was skipped");
            continue;
        };
        let mut package = package(file, Ecosystem::Conda, name, number);
        package.version = Some(version.to_owned());
        package.scope = DependencyScope::Unknown;
        let digest = digest.strip_prefix("sha256:").unwrap_or(digest);
        match digest.len() {
            32 => package.hashes.push(format!("md5:{digest}")),
            64 => package.hashes.push(format!("sha256:{digest}")),
            _ => {}
        }
        facts.packages.push(package);
    }
}
