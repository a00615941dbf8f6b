//! `NuGet`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, Package, SourceFile};

use crate::facts::{Constraint, Include, Manifest, Root, Signal};
use crate::node::Node;
use crate::package::{base64_hex, dependency, package, require};
use crate::xml::At;
use crate::{DependencyFacts, Format};

/// Properties of the same file, for `$(Name)`.
fn properties(document: At<'_>) -> BTreeMap<String, String> {
    let groups = document.descendants().filter(|node| node.name() == "PropertyGroup");
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut open: BTreeSet<String> = BTreeSet::new();
    for group in groups {
        for node in group.children() {
            let name = node.name().to_ascii_lowercase();
            let value = node.element().text.trim().to_owned();
            let conditional = group.attribute("Condition").is_some() || node.attribute("Condition").is_some();
            let differs = found.get(&name).is_some_and(|known| *known != value);
            // Which of several values counts depends on a condition that is not evaluated here.
            if conditional && differs {
                open.insert(name.clone());
            }
            found.insert(name, value);
        }
    }
    found.retain(|name, _| !open.contains(name));
    found
}

/// Properties may refer to properties; a circle must end.
const REFERENCES_MAX: usize = 8;

/// Values longer than this are no versions; the bound keeps doubling references small.
const VALUE_BYTES_MAX: usize = 1024;

/// Replaces `$(Name)` as far as names, in lower case, are known.
pub(crate) fn resolve(text: &str, properties: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for _ in 0..REFERENCES_MAX {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut changed = false;
        while let Some(start) = rest.find("$(") {
            let (before, inner) = rest.split_at(start);
            out.push_str(before);
            let Some(end) = inner.find(')') else {
                rest = inner;
                break;
            };
            match properties.get(&inner[2..end].trim().to_ascii_lowercase()) {
                Some(value) => {
                    out.push_str(value);
                    changed = true;
                }
                None => out.push_str(&inner[..=end]),
            }
            rest = &inner[end + 1..];
        }
        out.push_str(rest);
        if !changed || out.len() > VALUE_BYTES_MAX {
            break;
        }
        text = out;
    }
    text
}

fn named<'d>(node: At<'d>, name: &str) -> Option<&'d str> {
    node.attribute(name).or_else(|| node.text_of(name))
}

pub(super) fn project(file: &SourceFile<'_>, document: At<'_>, facts: &mut DependencyFacts) {
    let properties = properties(document);
    let mut manifest = Manifest::new(Ecosystem::NuGet);
    if let Some(project) = document.child("Project")
        && let Some(sdk) = project.attribute("Sdk")
        && (sdk.contains(".Web") || sdk.contains(".Worker"))
    {
        manifest.application.push(Signal {
            text: format!("Sdk: {sdk}"),
            line: project.line(),
        });
    }
    for node in document.descendants() {
        let text = node.element().text.trim();
        match node.name() {
            "OutputType" => {
                let signal = Signal {
                    text: format!("OutputType: {text}"),
                    line: node.line(),
                };
                let application = text.eq_ignore_ascii_case("exe") || text.eq_ignore_ascii_case("winexe");
                if application {
                    manifest.application.push(signal);
                } else {
                    manifest.library.push(signal);
                }
            }
            "IsPackable" | "GeneratePackageOnBuild" if text.eq_ignore_ascii_case("true") => {
                manifest.library.push(Signal {
                    text: format!("{}: true", node.name()),
                    line: node.line(),
                });
            }
            "PackageId" | "AssemblyName" if manifest.name.is_none() && !text.is_empty() => {
                manifest.name = Some(text.to_owned());
            }
            // A version inside a reference is the reference's own.
            "Version" if manifest.version.is_none() && properties.get("version").is_some_and(|own| own == text) => {
                manifest.version = Some(resolve(text, &properties));
            }
            "PackageLicenseExpression" if !text.is_empty() => manifest.license = Some(text.to_owned()),
            "PackageReference" | "GlobalPackageReference" => {
                reference(file, node, &properties, facts);
            }
            _ => {}
        }
    }
    facts.manifest = (facts.format == Some(Format::DotnetProject)).then_some(manifest);
    facts.properties = properties.into_iter().collect();
}

fn reference(file: &SourceFile<'_>, node: At<'_>, properties: &BTreeMap<String, String>, facts: &mut DependencyFacts) {
    // `Update` changes a reference that another file makes, and `Remove` takes one out.
    let Some(names) = node.attribute("Include") else { return };
    for name in names.split(';').map(str::trim).filter(|name| !name.is_empty()) {
        let mut package = package(file, Ecosystem::NuGet, name, node.line());
        let version = named(node, "VersionOverride").or_else(|| named(node, "Version"));
        require(
            &mut package,
            &version.map(|text| resolve(text, properties)).unwrap_or_default(),
        );
        let private = named(node, "PrivateAssets").is_some_and(|text| text.eq_ignore_ascii_case("all"));
        package.scope = if private {
            DependencyScope::Development
        } else {
            DependencyScope::Required
        };
        package.relation = DependencyRelation::Direct;
        facts.packages.push(package);
    }
}

pub(super) fn central(file: &SourceFile<'_>, document: At<'_>, facts: &mut DependencyFacts) {
    let properties = properties(document);
    for node in document.descendants() {
        match node.name() {
            "PackageVersion" => {
                let Some(name) = node.attribute("Include").or_else(|| node.attribute("Update")) else {
                    continue;
                };
                let version = named(node, "Version")
                    .map(|text| resolve(text, &properties))
                    .unwrap_or_default();
                let mut package = package(file, Ecosystem::NuGet, name, node.line());
                require(&mut package, &version);
                // Declared for whoever uses it.
                package.scope = DependencyScope::Unknown;
                facts.constraints.push(Constraint {
                    name: name.to_owned(),
                    version,
                    line: node.line(),
                });
                facts.packages.push(package);
            }
            "GlobalPackageReference" => reference(file, node, &properties, facts),
            "Import" => {
                if let Some(path) = node.attribute("Project") {
                    let path = path.replace('\\', "/").replace("$(MSBuildThisFileDirectory)", "./");
                    facts.includes.push(Include {
                        path: path.replace(".//", "./"),
                        constraints_only: true,
                        version: None,
                        line: node.line(),
                    });
                }
            }
            _ => {}
        }
    }
    facts.properties = properties.into_iter().collect();
}

pub(super) fn config(file: &SourceFile<'_>, document: At<'_>, facts: &mut DependencyFacts) {
    facts.manifest = Some(Manifest::new(Ecosystem::NuGet));
    for node in document.descendants().filter(|node| node.name() == "package") {
        let Some(name) = node.attribute("id") else { continue };
        let mut package = package(file, Ecosystem::NuGet, name, node.line());
        require(&mut package, node.attribute("version").unwrap_or(""));
        if node
            .attribute("developmentDependency")
            .is_some_and(|text| text.eq_ignore_ascii_case("true"))
        {
            package.scope = DependencyScope::Development;
        }
        facts.packages.push(package);
    }
}

pub(super) fn lock(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    for framework in root.map("dependencies") {
        let entries = framework.node.entries();
        let versions: HashMap<String, &str> = entries
            .iter()
            .filter_map(|entry| Some((entry.key.to_ascii_lowercase(), entry.node.str("resolved")?)))
            .collect();
        let resolved = |name: &str| versions.get(&name.to_ascii_lowercase()).copied();
        for entry in entries {
            let node = &entry.node;
            let kind = node.str("type").unwrap_or("");
            if kind == "Project" {
                for needed in node.map("dependencies") {
                    facts.roots.push(Root {
                        name: needed.key.to_string(),
                        version: resolved(&needed.key).map(str::to_owned),
                        scope: DependencyScope::Required,
                    });
                }
                continue;
            }
            let mut package: Package = package(file, Ecosystem::NuGet, &entry.key, entry.line);
            package.version = node.str("resolved").map(str::to_owned);
            package.relation = match kind {
                "Direct" => DependencyRelation::Direct,
                _ => DependencyRelation::Transitive,
            };
            if let Some(hash) = node.str("contentHash").and_then(base64_hex) {
                package.hashes.push(format!("sha512:{hash}"));
            }
            for needed in node.map("dependencies") {
                package
                    .dependencies
                    .push(dependency(&needed.key, resolved(&needed.key)));
            }
            facts.packages.push(package);
        }
    }
}
