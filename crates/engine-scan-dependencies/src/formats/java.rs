//! Maven and Gradle.

use std::collections::BTreeMap;

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, SourceFile};

use super::numbered;
use crate::DependencyFacts;
use crate::facts::{Answer, Ask, Command, Constraint, Include, Manifest, Parent, Signal};
use crate::node::Node;
use crate::package::{package, require};
use crate::xml::At;

/// Properties may refer to properties; a circle must end.
const REFERENCES_MAX: usize = 8;

/// Values longer than this are no versions; the bound keeps doubling references small.
const VALUE_BYTES_MAX: usize = 4096;

/// Replaces `${name}` as far as names are known.
pub(crate) fn resolve(text: &str, look_up: &dyn Fn(&str) -> Option<String>) -> String {
    let mut text = text.to_owned();
    for _ in 0..REFERENCES_MAX {
        let Some(start) = text.find("${") else { break };
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut changed = false;
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        while let Some(inner) = rest.strip_prefix("${") {
            let Some(end) = inner.find('}') else { break };
            if let Some(value) = look_up(&inner[..end]) {
                out.push_str(&value);
                changed = true;
            } else {
                out.push_str(&rest[..end + 3]);
            }
            rest = &inner[end + 1..];
            let next = rest.find("${").unwrap_or(rest.len());
            out.push_str(&rest[..next]);
            rest = &rest[next..];
        }
        out.push_str(rest);
        if !changed || out.len() > VALUE_BYTES_MAX {
            break;
        }
        text = out;
    }
    text
}

pub(super) fn pom(file: &SourceFile<'_>, document: At<'_>, facts: &mut DependencyFacts) {
    let Some(project) = document.child("project") else {
        facts.note(1, "the project element is missing");
        return;
    };
    let parent = project.child("parent");
    let own = |name: &str| {
        project
            .text_of(name)
            .or_else(|| parent?.text_of(name))
            .map(str::to_owned)
    };
    let mut properties: BTreeMap<String, String> = BTreeMap::new();
    if let Some(node) = project.child("properties") {
        for entry in node.children() {
            properties.insert(entry.name().to_owned(), entry.element().text.trim().to_owned());
        }
    }
    for key in ["groupId", "artifactId", "version"] {
        let value = if key == "artifactId" {
            project.text_of(key).map(str::to_owned)
        } else {
            own(key)
        };
        if let Some(value) = value {
            properties.insert(format!("project.{key}"), value.clone());
            properties.insert(format!("pom.{key}"), value);
        }
        if let Some(value) = parent.and_then(|parent| parent.text_of(key)) {
            properties.insert(format!("project.parent.{key}"), value.to_owned());
        }
    }
    if let Some(parent) = parent {
        let text = |name| parent.text_of(name).unwrap_or("");
        facts.parent = Some(Parent {
            name: format!("{}:{}", text("groupId"), text("artifactId")),
            version: parent.text_of("version").map(str::to_owned),
            relative_path: match parent.child("relativePath") {
                Some(path) => path.element().text.trim().to_owned(),
                None => "../pom.xml".to_owned(),
            },
        });
    }
    let look_up = |name: &str| properties.get(name).cloned();
    let value = |node: At<'_>, name: &str| node.text_of(name).map(|text| resolve(text, &look_up));

    let mut manifest = Manifest::new(Ecosystem::Maven);
    manifest.name = match (own("groupId"), project.text_of("artifactId")) {
        (Some(group), Some(artifact)) => Some(format!("{group}:{artifact}")),
        _ => None,
    };
    manifest.version = own("version").map(|text| resolve(&text, &look_up));
    manifest.license = project
        .child("licenses")
        .and_then(|node| node.children().find_map(|license| license.text_of("name")))
        .map(str::to_owned);
    if let Some(packaging) = project.child("packaging") {
        let text = packaging.element().text.trim();
        let signal = Signal {
            text: format!("packaging: {text}"),
            line: packaging.line(),
        };
        match text {
            "war" | "ear" => manifest.application.push(signal),
            "jar" | "bundle" => manifest.library.push(signal),
            _ => {}
        }
    }
    if let Some(plugins) = project.child("build").and_then(|build| build.child("plugins")) {
        for plugin in plugins.children() {
            let name = plugin.text_of("artifactId").unwrap_or("");
            if matches!(
                name,
                "spring-boot-maven-plugin" | "quarkus-maven-plugin" | "exec-maven-plugin" | "jib-maven-plugin"
            ) {
                manifest.application.push(Signal {
                    text: name.to_owned(),
                    line: plugin.line(),
                });
            }
        }
    }
    if let Some(modules) = project.child("modules") {
        manifest.workspaces = modules
            .children()
            .map(|module| module.element().text.trim().to_owned())
            .collect();
    }
    facts.manifest = Some(manifest);

    if let Some(managed) = project
        .child("dependencyManagement")
        .and_then(|node| node.child("dependencies"))
    {
        for node in managed.children() {
            let (Some(group), Some(artifact)) = (value(node, "groupId"), value(node, "artifactId")) else {
                continue;
            };
            let Some(version) = value(node, "version") else {
                continue;
            };
            let name = format!("{group}:{artifact}");
            if node.text_of("scope") == Some("import") {
                facts.includes.push(Include {
                    path: name,
                    constraints_only: true,
                    version: Some(version),
                    line: node.line(),
                });
            } else {
                facts.constraints.push(Constraint {
                    name,
                    version,
                    line: node.line(),
                });
            }
        }
    }
    let managed_versions: BTreeMap<String, String> = facts
        .constraints
        .iter()
        .rev()
        .map(|found| (found.name.clone(), found.version.clone()))
        .collect();
    let profiles = project.child("profiles");
    let profiles = profiles.into_iter().flat_map(At::children);
    let lists = std::iter::once((project, false)).chain(profiles.map(|profile| (profile, true)));
    for (owner, optional) in lists {
        let Some(list) = owner.child("dependencies") else {
            continue;
        };
        for node in list.children().filter(|node| node.name() == "dependency") {
            let (Some(group), Some(artifact)) = (value(node, "groupId"), value(node, "artifactId")) else {
                facts.note(node.line(), "a dependency without group and artifact was skipped");
                continue;
            };
            let scope = match node.text_of("scope") {
                Some("test") => DependencyScope::Development,
                Some("provided") => DependencyScope::Peer,
                Some("system" | "import") => continue,
                _ if optional || node.text_of("optional") == Some("true") => DependencyScope::Optional,
                _ => DependencyScope::Required,
            };
            let mut package = package(file, Ecosystem::Maven, &format!("{group}:{artifact}"), node.line());
            let managed = managed_versions.get(&package.name);
            let version = value(node, "version").or_else(|| managed.cloned());
            require(&mut package, &version.unwrap_or_default());
            package.scope = scope;
            package.relation = DependencyRelation::Direct;
            facts.packages.push(package);
        }
    }
    facts.properties = properties.into_iter().collect();
}

pub(super) fn gradle_lock(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    for (number, line) in numbered(text) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("empty=") {
            continue;
        }
        // Before version 7 there was one file for each configuration.
        let own = file
            .name()
            .strip_suffix(".lockfile")
            .filter(|_| !line.contains('='))
            .unwrap_or("");
        let (coordinates, configurations) = line.split_once('=').unwrap_or((line, own));
        let mut parts = coordinates.splitn(3, ':');
        let (Some(group), Some(artifact), Some(version)) = (parts.next(), parts.next(), parts.next()) else {
            facts.note(number, "a line that is not a Maven coordinate was skipped");
            continue;
        };
        let mut package = package(file, Ecosystem::Maven, &format!("{group}:{artifact}"), number);
        package.version = Some(version.to_owned());
        let needed = |configuration: &str| {
            let lower = configuration.to_ascii_lowercase();
            !(lower.contains("test")
                || lower.contains("annotationprocessor")
                || lower.contains("kapt")
                || lower.contains("ksp"))
        };
        package.scope = if configurations.split(',').any(needed) && file.name() != "buildscript-gradle.lockfile" {
            DependencyScope::Required
        } else {
            DependencyScope::Development
        };
        facts.packages.push(package);
    }
}

pub(super) fn version_catalog(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let versions = root.get("versions");
    let rich = |node: &Node<'_>| -> Option<String> {
        let text = node
            .text()
            .or_else(|| node.str("strictly"))
            .or_else(|| node.str("require"));
        text.or_else(|| node.str("prefer")).map(str::to_owned)
    };
    for entry in root.map("libraries") {
        let node = &entry.node;
        let (name, version) = if let Some(text) = node.text() {
            let mut parts = text.splitn(3, ':');
            let name = format!("{}:{}", parts.next().unwrap_or(""), parts.next().unwrap_or(""));
            (name, parts.next().map(str::to_owned))
        } else {
            let name = match (node.str("module"), node.str("group"), node.str("name")) {
                (Some(module), ..) => module.to_owned(),
                (None, Some(group), Some(name)) => format!("{group}:{name}"),
                _ => String::new(),
            };
            let version = node.get("version").and_then(|version| match version.str("ref") {
                Some(reference) => rich(versions?.get(reference)?),
                None => rich(version),
            });
            (name, version)
        };
        if name.split(':').filter(|part| !part.is_empty()).count() != 2 {
            facts.note(
                entry.line,
                format!("`{}` has no group and artifact and was skipped", entry.key),
            );
            continue;
        }
        let mut package = package(file, Ecosystem::Maven, &name, entry.line);
        let version = version.unwrap_or_default();
        require(&mut package, &version);
        package.scope = DependencyScope::Unknown;
        package.relation = DependencyRelation::Direct;
        facts.packages.push(package);
        facts.answers.push(Answer {
            key: accessor(&entry.key),
            range: String::new(),
            name,
            version: Some(version).filter(|text| !text.is_empty()),
        });
    }
    for bundle in root.map("bundles") {
        for alias in bundle.node.items().iter().filter_map(Node::text) {
            let alias = accessor(alias);
            let found = facts.answers.iter().find(|answer| answer.key == alias).cloned();
            if let Some(found) = found {
                facts.answers.push(Answer {
                    key: format!("bundles.{}", accessor(&bundle.key)),
                    ..found
                });
            }
        }
    }
}

/// An alias the way build files spell it.
fn accessor(alias: &str) -> String {
    alias.replace(['-', '_'], ".")
}

/// `libs.some.alias` after a configuration: the name of the catalogue and the rest.
fn catalogue_access(body: &str) -> Option<&str> {
    let start = body.find(|c: char| !c.is_ascii_alphanumeric())?;
    let mut rest = body[start..].trim_start_matches([' ', '(', '\t']);
    for wrapper in ["platform", "enforcedPlatform", "testFixtures"] {
        if let Some(inner) = rest.strip_prefix(wrapper).filter(|inner| inner.starts_with(['(', ' '])) {
            rest = inner.trim_start_matches([' ', '(']);
        }
    }
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_')))
        .unwrap_or(rest.len());
    let path = rest[..end].trim_end_matches(".get").trim_end_matches('.');
    let (catalogue, alias) = path.split_once('.')?;
    let known = catalogue == "libs" || catalogue.ends_with("Libs") || catalogue.ends_with("libs");
    (known && !alias.starts_with("versions.") && !alias.starts_with("plugins.")).then_some(path)
}

/// Literal coordinates after a configuration; anything computed stays unknown.
pub(super) fn gradle_build(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::Maven);
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    for (_, line) in numbered(text) {
        if let Some((name, value)) = variable(line) {
            variables.insert(name.to_owned(), value.to_owned());
        }
    }
    let look_up = |name: &str| variables.get(name.rsplit('.').next().unwrap_or(name)).cloned();
    let lines = numbered(text).filter_map(|(number, line)| {
        let body = line.split(" //").next().unwrap_or(line).trim();
        (!body.starts_with("//") && !body.starts_with('*')).then_some((number, body))
    });
    for (number, body) in lines.flat_map(|(number, body)| statements(body).map(move |part| (number, part))) {
        for (mark, application) in [
            ("java-library", false),
            ("maven-publish", false),
            ("org.springframework.boot", true),
            ("io.quarkus", true),
            ("com.android.application", true),
            ("com.android.library", false),
        ] {
            if (body.starts_with("id") || body.starts_with("apply")) && body.contains(mark) {
                let signal = Signal {
                    text: mark.to_owned(),
                    line: number,
                };
                if application {
                    manifest.application.push(signal);
                } else {
                    manifest.library.push(signal);
                }
            }
        }
        if body == "application"
            || body == "`java-library`"
            || body.contains("id 'application'")
            || body.contains("id(\"application\")")
        {
            let signal = Signal {
                text: body.trim_matches('`').to_owned(),
                line: number,
            };
            if body.contains("library") {
                manifest.library.push(signal);
            } else {
                manifest.application.push(signal);
            }
        }
        if let Some((key, value)) = variable(body)
            && matches!(key, "mainClass" | "mainClassName")
        {
            let command = Command {
                name: value.to_owned(),
                target: Some(value.to_owned()),
                line: number,
            };
            manifest.entry_points.push(command);
        }
        let imported = body.strip_prefix("mavenBom").and_then(coordinates);
        if let Some((group, artifact, version)) = imported {
            facts.includes.push(bill(&group, &artifact, version, number, &look_up));
            continue;
        }
        let Some(scope) = configuration(body) else { continue };
        if let Some(path) = catalogue_access(body) {
            if body.contains("latform(") {
                facts.note(
                    number,
                    format!("versions come from `{path}`, which is not in the repository"),
                );
                continue;
            }
            facts.asks.push(Ask {
                key: accessor(path),
                range: String::new(),
                scope,
                line: number,
            });
            continue;
        }
        let platform = body.contains("platform(") || body.contains("Platform(");
        let Some((group, artifact, version)) = coordinates(body) else {
            continue;
        };
        if platform {
            facts.note(
                number,
                format!("versions come from `{group}:{artifact}`, which is not in the repository"),
            );
            facts.includes.push(bill(&group, &artifact, version, number, &look_up));
            continue;
        }
        let mut package = package(file, Ecosystem::Maven, &format!("{group}:{artifact}"), number);
        let version = version
            .map(|text| resolve(&braced(&text), &look_up))
            .unwrap_or_default();
        require(
            &mut package,
            version.split('@').next().unwrap_or("").trim_end_matches("!!"),
        );
        package.scope = scope;
        package.relation = DependencyRelation::Direct;
        facts.packages.push(package);
    }
    facts.manifest = Some(manifest);
}

/// The statements of a line, which braces and semicolons part: `dependencies { implementation("a:b:1") }`.
fn statements(line: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    line.split(move |c: char| {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            _ => {}
        }
        quote.is_none() && matches!(c, '{' | '}' | ';')
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

/// A bill of materials that sets the versions of what names none.
fn bill(
    group: &str,
    artifact: &str,
    version: Option<String>,
    line: u32,
    look_up: &dyn Fn(&str) -> Option<String>,
) -> Include {
    // `${property('name')}` asks for a property by its name.
    let by_name = |name: &str| {
        let inner = name
            .strip_prefix("property(")
            .and_then(|rest| rest.strip_suffix(')'))
            .map(|inner| inner.trim_matches(['"', '\'']));
        look_up(inner.unwrap_or(name))
    };
    Include {
        path: format!("{group}:{artifact}"),
        constraints_only: true,
        version: version.map(|text| resolve(&braced(&text), &by_name)),
        line,
    }
}

/// `$name` as `${name}`.
fn braced(text: &str) -> String {
    match text.strip_prefix('$') {
        Some(name) if !name.starts_with('{') => format!("${{{name}}}"),
        _ => text.to_owned(),
    }
}

/// `def name = "value"`, `val name = "value"`, `ext.name = 'value'`, `set('name', "value")`.
fn variable(line: &str) -> Option<(&str, &str)> {
    if let Some(arguments) = line.trim().strip_prefix("set(") {
        let (name, rest) = quoted(arguments)?;
        let (value, _) = quoted(rest.trim_start().strip_prefix(',')?.trim_start())?;
        return Some((name, value));
    }
    let (left, right) = line.split_once('=')?;
    let name = left
        .trim()
        .rsplit([' ', '.', '['])
        .next()?
        .trim_matches(['"', '\'', ']', ')']);
    let name = name.split(':').next()?.trim();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    quoted(right.trim()).map(|(value, _)| (name, value))
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}

/// The scope of a configuration at the start of a line.
fn configuration(body: &str) -> Option<DependencyScope> {
    let end = body.find(|c: char| !c.is_ascii_alphanumeric())?;
    let word = &body[..end];
    if !body[end..].starts_with([' ', '(', '\t']) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let known = [
        "implementation",
        "api",
        "compileonly",
        "runtimeonly",
        "annotationprocessor",
        "developmentonly",
    ]
    .iter()
    .any(|ending| lower.ends_with(ending))
        || matches!(
            word,
            "compile" | "runtime" | "classpath" | "kapt" | "ksp" | "provided" | "testCompile" | "testRuntime"
        );
    if !known {
        return None;
    }
    let builds = ["annotationprocessor", "kapt", "ksp", "classpath", "developmentonly"];
    Some(if lower.contains("test") || builds.contains(&&*lower) {
        DependencyScope::Development
    } else if lower.ends_with("compileonly") || lower == "provided" {
        DependencyScope::Peer
    } else {
        DependencyScope::Required
    })
}

/// Group, artifact, version.
type Coordinates = (String, String, Option<String>);

fn coordinates(body: &str) -> Option<Coordinates> {
    // `group: 'g', name: 'a', version: 'v'`, with `=` in Kotlin.
    let named = |key: &str| -> Option<String> {
        let at = body.find(key)?;
        let rest = body[at + key.len()..]
            .trim_start()
            .strip_prefix([':', '='])?
            .trim_start();
        quoted(rest).map(|(value, _)| value.to_owned())
    };
    if let (Some(group), Some(name)) = (named("group"), named("name")) {
        return Some((group, name, named("version")));
    }
    let start = body.find(['"', '\''])?;
    let (text, _) = quoted(&body[start..])?;
    let mut parts = text.split(':');
    let (group, artifact) = (parts.next()?.trim(), parts.next()?.trim());
    let plain = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    };
    (plain(group) && plain(artifact)).then(|| {
        (
            group.to_owned(),
            artifact.to_owned(),
            parts.next().map(str::to_owned).filter(|version| !version.is_empty()),
        )
    })
}
