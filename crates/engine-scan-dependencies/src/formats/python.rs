//! Python: what projects ask for.

use std::collections::{BTreeSet, HashMap};

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, Package, SourceFile};

use super::numbered;
use crate::facts::{Command, Constraint, Include, Manifest, Signal};
use crate::node::{Entry, Node};
use crate::package::{dependency, exact, normal_name, package, require, without_credentials};
use crate::{DependencyFacts, Format};

/// No registry takes names this long, and each reader of a name would go through all of it.
const NAME_BYTES_MAX: usize = 512;

/// The name of the property that says what a list of requirements was compiled from.
pub(crate) const COMPILED_FROM: &str = "compiled-from";

/// A requirement as PEP 508 writes it.
pub(super) struct Requirement<'t> {
    pub(super) name: &'t str,
    /// Version specifiers without spaces around them, or empty.
    pub(super) specifier: String,
    pub(super) url: Option<&'t str>,
    /// Whether the marker names an extra.
    pub(super) extra: bool,
    /// Whether a marker says where it is needed.
    pub(super) marked: bool,
}

/// `name[extra] >= 1, < 2 ; marker` or `name @ url`.
pub(super) fn requirement(text: &str) -> Option<Requirement<'_>> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(text.len());
    let name = &text[..end];
    if name.len() > NAME_BYTES_MAX || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let mut rest = text[end..].trim_start();
    if let Some(extras) = rest.strip_prefix('[') {
        rest = extras.split_once(']')?.1.trim_start();
    }
    if let Some(url) = rest.strip_prefix('@') {
        let url = url.trim_start();
        // In an address, only a semicolon after a space opens the marker.
        let (url, marker) = url.split_once(" ;").unwrap_or((url, ""));
        return Some(Requirement {
            name,
            specifier: String::new(),
            url: Some(url.trim()),
            extra: marker.contains("extra"),
            marked: !marker.trim().is_empty(),
        });
    }
    let (specifier, marker) = rest.split_once(';').unwrap_or((rest, ""));
    let specifier = specifier.trim().trim_start_matches('(').trim_end_matches(')');
    let specifier: String = specifier.chars().filter(|c| !c.is_whitespace()).collect();
    if !specifier.is_empty() && !specifier.starts_with(['=', '<', '>', '!', '~']) {
        return None;
    }
    Some(Requirement {
        name,
        specifier,
        url: None,
        extra: marker.contains("extra"),
        marked: !marker.trim().is_empty(),
    })
}

/// Adds what a requirement line asks for; says whether the line was understood.
fn add(file: &SourceFile<'_>, text: &str, line: u32, scope: DependencyScope, facts: &mut DependencyFacts) -> bool {
    let Some(found) = requirement(text) else { return false };
    let mut package = package(file, Ecosystem::PyPI, found.name, line);
    match found.url {
        Some(url) => {
            package.requirement = Some(without_credentials(url));
            package.version = wheel_version(found.name, url).map(str::to_owned);
        }
        None => require(&mut package, &found.specifier),
    }
    if found.marked {
        facts.conditional.push(found.name.to_owned());
    }
    package.scope = if found.extra { DependencyScope::Optional } else { scope };
    package.relation = DependencyRelation::Direct;
    facts.packages.push(package);
    true
}

pub(super) fn requirements(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let name = file.name();
    let development = ["dev", "test", "lint", "docs", "doc", "ci", "build", "typing"];
    let scope = if name.split(['-', '_', '.']).any(|word| development.contains(&word)) {
        DependencyScope::Development
    } else {
        DependencyScope::Required
    };
    let mut logical = String::new();
    let mut start = 1;
    let mut compiled = Compiled::default();
    for (number, line) in numbered(text) {
        if logical.is_empty() {
            start = number;
        }
        if let Some(head) = line.trim_end().strip_suffix('\\') {
            logical.push_str(head);
            logical.push(' ');
            continue;
        }
        if logical.is_empty() && compiled.comment(line) {
            continue;
        }
        logical.push_str(line);
        let whole = std::mem::take(&mut logical);
        let before = facts.packages.len();
        requirement_line(file, &whole, start, scope, facts);
        compiled.requirement(before..facts.packages.len(), &whole);
    }
    if !logical.is_empty() {
        let before = facts.packages.len();
        requirement_line(file, &logical, start, scope, facts);
        compiled.requirement(before..facts.packages.len(), &logical);
    }
    // A file that compilers of requirements write names more than the project asks for.
    let generated = text
        .lines()
        .take(10)
        .any(|line| line.starts_with('#') && (line.contains("autogenerated") || line.contains("pip-compile")));
    for package in &mut facts.packages {
        if generated && package.relation == DependencyRelation::Direct {
            package.relation = DependencyRelation::Unknown;
        }
    }
    compiled.finish(facts);
}

pub(super) fn requirement_line(
    file: &SourceFile<'_>,
    line: &str,
    number: u32,
    scope: DependencyScope,
    facts: &mut DependencyFacts,
) {
    // A comment starts a line or follows a space; `#` inside an address is a fragment.
    let uncommented = if line.trim_start().starts_with('#') {
        ""
    } else {
        line.split(" #").next().unwrap_or(line)
    };
    let uncommented = uncommented.split("\t#").next().unwrap_or(uncommented).trim();
    if uncommented.is_empty() {
        return;
    }
    for (option, what) in [
        ("-r", "requirements"),
        ("--requirement", "requirements"),
        ("-c", "constraints"),
        ("--constraint", "constraints"),
    ] {
        if let Some(rest) = uncommented.strip_prefix(option)
            && rest.starts_with([' ', '=', '\t'])
        {
            let target = rest.trim_start_matches(['=', ' ', '\t']).trim();
            facts.includes.push(Include {
                path: without_credentials(target),
                constraints_only: what == "constraints",
                version: None,
                line: number,
            });
            return;
        }
    }
    let editable = ["-e ", "--editable ", "--editable="]
        .iter()
        .find_map(|option| uncommented.strip_prefix(option));
    let body = editable.unwrap_or(uncommented).trim();
    if body.starts_with('-') {
        // Options such as an index address carry no package, and may carry credentials.
        return;
    }
    let (body, hashes) = take_hashes(body);
    if facts.format == Some(Format::Constraints) {
        if let Some(found) = requirement(&body) {
            let constraint = Constraint {
                name: found.name.to_owned(),
                version: found.specifier.clone(),
                line: number,
            };
            facts.constraints.push(constraint);
        }
        return;
    }
    let before = facts.packages.len();
    if body.contains("://") && requirement(&body).is_none_or(|found| found.url.is_none()) {
        match egg(&body).or_else(|| wheel(&body)) {
            Some(name) => {
                let mut package = package(file, Ecosystem::PyPI, name, number);
                package.requirement = Some(without_credentials(&body));
                package.scope = scope;
                package.relation = DependencyRelation::Direct;
                facts.packages.push(package);
            }
            None => facts.note(number, "an address without a package name was skipped"),
        }
    } else if body.starts_with(['.', '/']) || body.contains('\\') || is_wheel_path(&body) {
        facts.note(number, "a local path was skipped");
    } else if !add(file, &body, number, scope, facts) {
        facts.note(number, "a line that is not a requirement was skipped");
    }
    if let Some(package) = facts.packages.get_mut(before) {
        package.hashes = hashes;
    }
}

/// What compilers of requirements write beside a package: what brought it in. The project's own files are marked `-r`.
#[derive(Default)]
struct Compiled {
    /// Packages by their place in the list, each with one thing that brought it in.
    via: Vec<(usize, String)>,
    /// The package that the next comment is about.
    current: Option<usize>,
    /// Whether the comment has begun.
    open: bool,
}

impl Compiled {
    fn requirement(&mut self, added: std::ops::Range<usize>, line: &str) {
        self.open = false;
        self.current = added.clone().next();
        if let Some((_, via)) = line.split_once("# via") {
            self.add(via);
        }
    }

    /// Reads an indented comment below a package; says whether it was one.
    fn comment(&mut self, line: &str) -> bool {
        let Some(text) = line
            .trim_start()
            .strip_prefix('#')
            .filter(|_| line.starts_with([' ', '\t']))
        else {
            return false;
        };
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("via") {
            self.open = true;
            self.add(rest);
        } else if text.starts_with("from ") {
            self.open = false;
        } else if self.open {
            self.add(text);
        }
        true
    }

    fn add(&mut self, text: &str) {
        let Some(current) = self.current else { return };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            self.via.push((current, part.to_owned()));
        }
    }

    fn finish(self, facts: &mut DependencyFacts) {
        if self.via.is_empty() {
            return;
        }
        let places: HashMap<String, usize> = facts
            .packages
            .iter()
            .enumerate()
            .map(|(index, package)| (normal_name(package.ecosystem, &package.name), index))
            .collect();
        let mut sources = BTreeSet::new();
        for (index, via) in self.via {
            let to = dependency(&facts.packages[index].name, facts.packages[index].version.as_deref());
            if via.starts_with("-c ") {
                continue;
            }
            let source = via.strip_prefix("-r ").map(str::trim).or_else(|| {
                let inner = via.rsplit('(').next()?.trim_end_matches(')');
                ["pyproject.toml", "setup.py", "setup.cfg"]
                    .into_iter()
                    .find(|name| inner.ends_with(name))
                    .map(|_| inner)
            });
            let package = &mut facts.packages[index];
            if let Some(source) = source {
                sources.insert(source.to_owned());
                package.relation = DependencyRelation::Direct;
                continue;
            }
            if package.relation != DependencyRelation::Direct {
                package.relation = DependencyRelation::Transitive;
            }
            let name = via.split('[').next().unwrap_or(&via);
            if let Some(from) = places.get(&normal_name(Ecosystem::PyPI, name)).copied()
                && from != index
            {
                facts.packages[from].dependencies.push(to);
            }
        }
        facts
            .properties
            .extend(sources.into_iter().map(|source| (COMPILED_FROM.to_owned(), source)));
    }
}

/// A wheel that lies in the tree, rather than behind an address.
fn is_wheel_path(text: &str) -> bool {
    text.len() > 4 && text.as_bytes()[text.len() - 4..].eq_ignore_ascii_case(b".whl") && !text.contains("://")
}

/// Splits `--hash=sha256:…` and other options off a requirement.
fn take_hashes(text: &str) -> (String, Vec<String>) {
    let Some(at) = text.find(" --") else {
        return (text.to_owned(), Vec::new());
    };
    let mut hashes = Vec::new();
    for word in text[at..].split_whitespace() {
        if let Some(hash) = word.strip_prefix("--hash=").filter(|hash| hash.contains(':')) {
            hashes.push(hash.to_owned());
        }
    }
    (text[..at].trim().to_owned(), hashes)
}

fn egg(text: &str) -> Option<&str> {
    let rest = text.split_once("egg=")?.1;
    let name = rest.split(['&', '[', '#', ' ', ';']).next()?;
    requirement(name)
        .map(|found| found.name)
        .filter(|found| found.len() == name.len())
}

/// The version in a wheel's file name, which begins with the name of the package.
pub(super) fn wheel_version<'t>(name: &str, url: &'t str) -> Option<&'t str> {
    let path = url.split(['?', '#', ' ']).next()?;
    let file = path.rsplit('/').next()?.strip_suffix(".whl")?;
    let mut parts = file.split('-');
    let own = parts.next()?;
    let same = normal_name(Ecosystem::PyPI, own) == normal_name(Ecosystem::PyPI, name);
    parts
        .next()
        .filter(|version| same && version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains('%'))
}

/// The name in front of a wheel's file name.
fn wheel(text: &str) -> Option<&str> {
    let path = text.split(['?', '#', ' ']).next()?;
    let file = path.rsplit('/').next()?.strip_suffix(".whl")?;
    let name = file.split('-').next()?;
    requirement(name).map(|found| found.name)
}

pub(super) fn pyproject(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::PyPI);
    let project = root.get("project");
    let poetry = root.at(&["tool", "poetry"]);
    for table in [project, poetry].into_iter().flatten() {
        manifest.name = manifest.name.or_else(|| table.str("name").map(str::to_owned));
        manifest.version = manifest.version.or_else(|| table.str("version").map(str::to_owned));
        let license = table
            .get("license")
            .and_then(|node| node.text().or_else(|| node.str("text")));
        manifest.license = manifest.license.or_else(|| license.map(str::to_owned));
        for key in ["scripts", "gui-scripts"] {
            for entry in table.map(key) {
                manifest.application.push(Signal {
                    text: format!("{key}.{}", entry.key),
                    line: entry.line,
                });
                let target = entry.node.text().map(str::to_owned);
                manifest.entry_points.push(Command {
                    name: entry.key.to_string(),
                    target,
                    line: entry.line,
                });
            }
        }
    }
    if let Some(backend) = root.entry("build-system") {
        let name = backend.node.str("build-backend").unwrap_or("build-system");
        manifest.library.push(Signal {
            text: format!("build-system: {name}"),
            line: backend.line,
        });
    }
    if let Some(classifiers) = project.map(|node| node.list("classifiers")) {
        for item in classifiers {
            if let Some(text) = item.text().filter(|text| text.contains("Libraries")) {
                manifest.library.push(Signal {
                    text: text.to_owned(),
                    line: item.line,
                });
            }
        }
    }
    for item in root
        .at(&["tool", "uv", "workspace"])
        .map_or(&[][..], |node| node.list("members"))
    {
        manifest.workspaces.extend(item.text().map(str::to_owned));
    }
    if poetry.is_some_and(|node| {
        matches!(
            node.get("package-mode").map(|node| &node.value),
            Some(crate::node::Value::Bool(false))
        )
    }) {
        manifest.application.push(Signal {
            text: "package-mode: false".to_owned(),
            line: poetry.map_or(1, |n| n.line),
        });
    }
    if project.is_some() || poetry.is_some() {
        facts.manifest = Some(manifest);
    }
    if let Some(project) = project {
        strings(file, project.list("dependencies"), DependencyScope::Required, facts);
        for group in project.map("optional-dependencies") {
            let scope = group_scope(&group.key, DependencyScope::Optional);
            strings(file, group.node.items(), scope, facts);
        }
        for item in project.list("dynamic") {
            if item.text() == Some("dependencies") {
                facts.note(
                    item.line,
                    "the build computes the dependencies; they are not in this file",
                );
            }
        }
    }
    for group in root.map("dependency-groups") {
        strings(file, group.node.items(), DependencyScope::Development, facts);
    }
    for group in root
        .at(&["tool", "pdm"])
        .map_or(&[][..], |node| node.map("dev-dependencies"))
    {
        strings(file, group.node.items(), DependencyScope::Development, facts);
    }
    if let Some(uv) = root.at(&["tool", "uv"]) {
        strings(file, uv.list("dev-dependencies"), DependencyScope::Development, facts);
    }
    if let Some(poetry) = poetry {
        table(file, poetry.map("dependencies"), DependencyScope::Required, facts);
        table(
            file,
            poetry.map("dev-dependencies"),
            DependencyScope::Development,
            facts,
        );
        for group in poetry.map("group") {
            let scope = if &*group.key == "main" {
                DependencyScope::Required
            } else {
                DependencyScope::Development
            };
            table(file, group.node.map("dependencies"), scope, facts);
        }
    }
    local_sources(root, facts);
}

/// Takes out what uv is told to find in the same tree.
fn local_sources(root: &Node<'_>, facts: &mut DependencyFacts) {
    let mut local: BTreeSet<&str> = BTreeSet::new();
    for source in root.at(&["tool", "uv"]).map_or(&[][..], |node| node.map("sources")) {
        if source.node.is_true("workspace") || source.node.str("path").is_some() {
            local.insert(&source.key);
            facts.note(
                source.line,
                format!("`{}` is in the same repository and was skipped", source.key),
            );
        }
    }
    facts.packages.retain(|package| !local.contains(package.name.as_str()));
}

fn group_scope(name: &str, otherwise: DependencyScope) -> DependencyScope {
    if matches!(
        name,
        "dev" | "test" | "tests" | "testing" | "docs" | "doc" | "lint" | "develop" | "development"
    ) {
        DependencyScope::Development
    } else {
        otherwise
    }
}

fn strings(file: &SourceFile<'_>, items: &[Node<'_>], scope: DependencyScope, facts: &mut DependencyFacts) {
    for item in items {
        if let Some(text) = item.text()
            && !add(file, text, item.line, scope, facts)
        {
            facts.note(item.line, "an entry that is not a requirement was skipped");
        }
    }
}

/// Tables of poetry and Pipfile: a name with a version, or with a table of its own.
fn table(file: &SourceFile<'_>, entries: &[Entry<'_>], scope: DependencyScope, facts: &mut DependencyFacts) {
    for entry in entries {
        if &*entry.key == "python" {
            continue;
        }
        let choices = std::slice::from_ref(&entry.node);
        let choices = if entry.node.items().is_empty() {
            choices
        } else {
            entry.node.items()
        };
        // Several entries for several platforms are one package; its version is known only if they agree.
        let node = &choices[0];
        if node.str("path").is_some() {
            facts.note(
                entry.line,
                format!("`{}` is in the same repository and was skipped", entry.key),
            );
            continue;
        }
        let mut package = package(file, Ecosystem::PyPI, &entry.key, entry.line);
        let text = node.text().or_else(|| node.str("version")).unwrap_or("");
        if let Some(url) = node.str("git").or_else(|| node.str("url")).or_else(|| node.str("file")) {
            package.requirement = Some(without_credentials(url));
            package.version = wheel_version(&entry.key, url).map(str::to_owned);
        } else if choices.len() > 1 {
            package.requirement = Some("several".to_owned());
        } else if text != "*" {
            match text.strip_prefix(|c: char| c.is_ascii_digit()) {
                // A bare version is exact in poetry.
                Some(_) if exact(Ecosystem::PyPI, &format!("=={text}")).is_some() => {
                    package.version = Some(text.to_owned());
                }
                _ => require(&mut package, text),
            }
        } else {
            package.requirement = Some("*".to_owned());
        }
        package.scope = if node.is_true("optional") {
            DependencyScope::Optional
        } else {
            scope
        };
        if ["markers", "python", "platform", "sys_platform", "platform_system"]
            .iter()
            .any(|key| node.str(key).is_some())
        {
            facts.conditional.push(entry.key.to_string());
        }
        package.relation = DependencyRelation::Direct;
        facts.packages.push(package);
    }
}

pub(super) fn pipfile(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    facts.manifest = Some(Manifest::new(Ecosystem::PyPI));
    for section in root.entries() {
        let scope = match &*section.key {
            "packages" => DependencyScope::Required,
            "dev-packages" => DependencyScope::Development,
            "source" | "requires" | "scripts" | "pipenv" => continue,
            _ => DependencyScope::Optional,
        };
        table(file, section.node.entries(), scope, facts);
    }
}

pub(super) fn setup_cfg(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::PyPI);
    let mut section = "";
    let mut key = "";
    let mut found = false;
    for (number, line) in numbered(text) {
        let body = line.split(" #").next().unwrap_or(line).trim();
        if body.is_empty() || body.starts_with(['#', ';']) {
            continue;
        }
        let value = if let Some(name) = body.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim();
            key = "";
            continue;
        } else if line.starts_with([' ', '\t']) {
            body
        } else if let Some((name, value)) = body.split_once(['=', ':']) {
            key = name.trim();
            value.trim()
        } else {
            continue;
        };
        if value.is_empty() {
            continue;
        }
        match (section, key) {
            ("metadata", "name") => manifest.name = Some(value.to_owned()),
            ("metadata", "version") => manifest.version = Some(value.to_owned()),
            ("metadata", "license") => manifest.license = Some(value.to_owned()),
            ("options", "packages" | "py_modules") => {
                manifest.library.push(Signal {
                    text: format!("{key}: {value}"),
                    line: number,
                });
            }
            ("options.entry_points", "console_scripts" | "gui_scripts") => {
                let (name, target) = value.split_once('=').unwrap_or((value, ""));
                manifest.application.push(Signal {
                    text: format!("{key}: {}", name.trim()),
                    line: number,
                });
                let target = Some(target.trim().to_owned()).filter(|target| !target.is_empty());
                manifest.entry_points.push(Command {
                    name: name.trim().to_owned(),
                    target,
                    line: number,
                });
            }
            ("options", "install_requires") => {
                found = true;
                add_noted(file, value, number, DependencyScope::Required, facts);
            }
            ("options", "tests_require" | "setup_requires") => {
                found = true;
                add_noted(file, value, number, DependencyScope::Development, facts);
            }
            ("options.extras_require", group) => {
                found = true;
                let scope = group_scope(group, DependencyScope::Optional);
                add_noted(file, value, number, scope, facts);
            }
            _ => {}
        }
    }
    if found || manifest.name.is_some() || !manifest.library.is_empty() {
        facts.manifest = Some(manifest);
    }
}

fn add_noted(file: &SourceFile<'_>, text: &str, line: u32, scope: DependencyScope, facts: &mut DependencyFacts) {
    if !add(file, text, line, scope, facts) {
        facts.note(line, "an entry that is not a requirement was skipped");
    }
}

/// Literal strings in the list after `install_requires=`; anything computed stays unknown.
pub(super) fn setup_py(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    if !text.contains("setup(") {
        return;
    }
    let mut manifest = Manifest::new(Ecosystem::PyPI);
    manifest.library.push(Signal {
        text: "setup()".to_owned(),
        line: 1,
    });
    facts.manifest = Some(manifest);
    for (keyword, scope) in [
        ("install_requires", DependencyScope::Required),
        ("tests_require", DependencyScope::Development),
        ("setup_requires", DependencyScope::Development),
    ] {
        let Some(at) = text.find(keyword) else { continue };
        let rest = text[at + keyword.len()..].trim_start();
        let Some(rest) = rest.strip_prefix('=').map(str::trim_start) else {
            continue;
        };
        let line_of = |rest: &str| {
            let offset = text.len() - rest.len();
            u32::try_from(text[..offset].matches('\n').count() + 1).unwrap_or(u32::MAX)
        };
        let Some(mut list) = rest.strip_prefix('[') else {
            facts.note(
                line_of(rest),
                format!("`{keyword}` is computed and not listed in this file"),
            );
            continue;
        };
        let mut line = line_of(list);
        while let Some(c) = list.chars().next() {
            match c {
                ']' => break,
                '\n' => {
                    line += 1;
                    list = &list[1..];
                }
                '#' => list = &list[list.find('\n').unwrap_or(list.len())..],
                '"' | '\'' => {
                    let Some((text, rest)) = list[1..].split_once(c) else {
                        break;
                    };
                    add_noted(file, text, line, scope, facts);
                    line += u32::try_from(text.matches('\n').count()).unwrap_or(0);
                    list = rest;
                }
                c => list = &list[c.len_utf8()..],
            }
        }
    }
}

/// Whether every entry of a requirements file is exact, so that it serves as its own lock.
pub(crate) fn all_exact(packages: &[Package]) -> bool {
    !packages.is_empty() && packages.iter().all(|package| package.version.is_some())
}
