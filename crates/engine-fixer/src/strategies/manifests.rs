//! Manifests: exact versions for AI packages, and packages that a manifest lacks.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use engine_catalogue::normalize_name;
use engine_model::{Ecosystem, Package, Zone};
use engine_syntax::tree::Node;

use crate::code::{Code, around, children, descendants};
use crate::strategy::{Site, declare_strategy};
use crate::{Draft, NoFix};

declare_strategy! {
    /// Pins AI packages to the version that another list of the same folder fixes.
    ///
    /// The version comes from a lockfile, a list of exact requirements or a list of constraints in the same folder, or in a folder above it.
    /// Without one, nothing is pinned: the version that was tested is not known.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// # the service
    /// flask==3.0.0
    /// openai[datalib] >= 1.0 ; python_version >= "3.9"  # the client
    /// //- constraints.txt
    /// openai==1.54.3
    /// ```
    /// After:
    /// ```text
    /// //- requirements.txt
    /// # the service
    /// flask==3.0.0
    /// openai[datalib]==1.54.3 ; python_version >= "3.9"  # the client
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- pyproject.toml
    /// [project]
    /// name = "helper"
    /// version = "0.1.0"
    /// dependencies = [
    ///     "flask>=3",  # the pages
    ///     'openai>=1.0',
    /// ]
    /// //- requirements.txt
    /// flask==3.0.0
    /// openai==1.54.3
    /// ```
    /// After:
    /// ```text
    /// //- pyproject.toml
    /// [project]
    /// name = "helper"
    /// version = "0.1.0"
    /// dependencies = [
    ///     "flask>=3",  # the pages
    ///     'openai==1.54.3',
    /// ]
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- pyproject.toml
    /// [tool.poetry]
    /// name = "helper"
    ///
    /// [tool.poetry.dependencies]
    /// python = "^3.11"
    /// openai = { version = "^1.0", extras = ["datalib"] }
    /// //- requirements.txt
    /// openai==1.54.3
    /// ```
    /// After:
    /// ```text
    /// //- pyproject.toml
    /// [tool.poetry]
    /// name = "helper"
    ///
    /// [tool.poetry.dependencies]
    /// python = "^3.11"
    /// openai = { version = "1.54.3", extras = ["datalib"] }
    /// ```
    PINNED_DEPENDENCY {
        id: "pinned-dependency",
        checks: ["l3-unpinned-ai-dependency"],
        kind: Dependency,
        languages: [],
        plan: pin,
    }
}

declare_strategy! {
    /// Adds an AI package that the code imports to the manifest.
    ///
    /// The version comes from a list of constraints or from an installation command of the project. Without one, the package is added only
    /// to a list that leaves another AI package open as well. The package manager adds a package to a manifest with a lockfile.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// # the service
    /// flask==3.0.0
    /// //- Dockerfile
    /// FROM python:3.12
    /// COPY requirements.txt app.py ./
    /// RUN pip install -r requirements.txt "openai==1.54.3"
    /// CMD ["python", "app.py"]
    /// ```
    /// After:
    /// ```text
    /// //- requirements.txt
    /// # the service
    /// flask==3.0.0
    /// openai==1.54.3
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from anthropic import Anthropic
    ///
    /// client = Anthropic()
    ///
    /// def answer(question):
    ///     return client.messages.create(model="claude-opus-4-8", max_tokens=500, messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- pyproject.toml
    /// [project]
    /// name = "helper"
    /// version = "0.1.0"
    /// dependencies = [
    ///     'flask>=3',  # the pages
    ///     'uvicorn==0.30.0'
    /// ]
    /// //- constraints.txt
    /// anthropic==0.40.0
    /// ```
    /// After:
    /// ```text
    /// //- pyproject.toml
    /// [project]
    /// name = "helper"
    /// version = "0.1.0"
    /// dependencies = [
    ///     'anthropic==0.40.0',
    ///     'flask>=3',  # the pages
    ///     'uvicorn==0.30.0'
    /// ]
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// import shap
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// flask
    /// shap
    /// uvicorn
    /// ```
    /// After:
    /// ```text
    /// //- requirements.txt
    /// flask
    /// openai
    /// shap
    /// uvicorn
    /// ```
    DECLARED_DEPENDENCY {
        id: "declared-dependency",
        checks: ["l3-undeclared-ai-dependency"],
        kind: Dependency,
        languages: [Python, Ruby],
        plan: declare,
    }
}

/// The names that a message lists between marks, unless it says that there are more.
fn names_in(message: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let more = message.contains("` and ") && message.contains(" more");
    (!names.is_empty() && !more).then_some(names)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ending(path: &str) -> &str {
    name_of(path).rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether one folder is the other, or above it.
fn is_at_or_above(above: &str, below: &str) -> bool {
    above.is_empty()
        || below
            .strip_prefix(above)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The package with a name, as its registry compares names.
fn is_named(ecosystem: Ecosystem, name: &str, wanted: &str) -> bool {
    normalize_name(ecosystem, name) == normalize_name(ecosystem, wanted)
}

fn pin(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let packages = site.inventory.packages.iter();
    // The evidence of the finding: `openai (>=1.0)` at the line of each entry.
    let loose: Vec<&Package> = packages
        .filter(|package| package.version.is_none() && package.zone == Zone::Product)
        .filter(|package| {
            site.finding.evidence.iter().any(|evidence| {
                evidence.file.as_deref() == Some(package.file.as_str())
                    && evidence.line == Some(package.line.unwrap_or(1))
                    && evidence.reference.split(" (").next() == Some(package.name.as_str())
            })
        })
        .collect();
    if loose.is_empty() {
        return Err(NoFix::NoPlace);
    }
    let mut pinned = Vec::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for package in loose {
        let Some(version) = fixed_version(site, package) else {
            open.insert(&package.name);
            continue;
        };
        let code = site.code(&package.file)?;
        let line = package.line.ok_or(NoFix::NoPlace)?;
        pin_entry(&code, line, package, &version, draft)?;
        pinned.push(format!("`{}` {version}", package.name));
    }
    if !open.is_empty() {
        let names: Vec<String> = open.iter().take(6).map(|name| format!("`{name}`")).collect();
        return Err(NoFix::here(format!(
            "no lockfile or list of exact versions names a version of {}: lock the packages first",
            names.join(", ")
        )));
    }
    pinned.sort();
    pinned.dedup();
    draft.describe(format!(
        "Pin {} to the version that is fixed next to it.",
        pinned.join(", ")
    ));
    draft.safe();
    Ok(())
}

/// The version that lists of the same folder, or a folder above it, fix for a package; none where they differ.
fn fixed_version(site: &Site<'_>, package: &Package) -> Option<String> {
    let own = folder(&package.file);
    let mut versions: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |version: &str, depth: usize| {
        let known = versions.entry(version.to_owned()).or_insert(depth);
        *known = (*known).max(depth);
    };
    for other in site.inventory.packages.iter() {
        let above = folder(&other.file);
        if other.ecosystem == package.ecosystem
            && other.zone == Zone::Product
            && other.file != package.file
            && is_at_or_above(above, own)
            && is_named(package.ecosystem, &other.name, &package.name)
            && let Some(version) = other.version.as_deref()
        {
            add(version, above.len());
        }
    }
    if package.ecosystem == Ecosystem::PyPI {
        for (version, depth) in constrained(site, own, &package.name) {
            add(&version, depth);
        }
    }
    let nearest = versions.values().max().copied()?;
    let mut found = versions.into_iter().filter(|(_, depth)| *depth == nearest);
    let (version, _) = found.next()?;
    found.next().is_none().then_some(version)
}

/// What lists of constraints of Python fix for a package, with the length of their folders. Those that no list draws in are not in the inventory.
fn constrained(site: &Site<'_>, own: &str, name: &str) -> Vec<(String, usize)> {
    let mut out = Vec::new();
    for path in site
        .paths
        .iter()
        .filter(|path| is_constraints(path) && is_at_or_above(folder(path), own))
    {
        let Ok(code) = site.code(path) else { continue };
        for line in code.text.lines() {
            let Some(entry) = requirement(line) else { continue };
            let Some(version) = line.get(entry.spec.clone()).and_then(exact) else {
                continue;
            };
            if is_named(Ecosystem::PyPI, line.get(entry.name).unwrap_or(""), name) {
                out.push((version.to_owned(), folder(path).len()));
            }
        }
    }
    out
}

/// The version of a package of Python that constraints or installation commands of the project name, if it is one.
fn installed_version(site: &Site<'_>, own: &str, name: &str) -> Option<String> {
    let mut versions: BTreeSet<String> = constrained(site, own, name)
        .into_iter()
        .map(|(version, _)| version)
        .collect();
    let installs = |path: &&&str| {
        let file = name_of(path);
        file.starts_with("Dockerfile")
            || ending(file) == "sh"
            || path.starts_with(".github/workflows/")
            || file == "Makefile"
    };
    for path in site.paths.iter().filter(installs) {
        let Ok(code) = site.code(path) else { continue };
        for line in code
            .text
            .lines()
            .filter(|line| line.contains("install") && line.contains("=="))
        {
            for word in line.split_whitespace() {
                let word = word.trim_matches(['"', '\'', ';', ',', '[', ']']);
                let Some(entry) = requirement(word) else { continue };
                let Some(version) = word.get(entry.spec.clone()).and_then(exact) else {
                    continue;
                };
                if is_named(Ecosystem::PyPI, word.get(entry.name).unwrap_or(""), name) {
                    versions.insert(version.to_owned());
                }
            }
        }
    }
    let mut found = versions.into_iter();
    let version = found.next()?;
    found.next().is_none().then_some(version)
}

fn is_constraints(path: &str) -> bool {
    let name = name_of(path);
    name.strip_suffix(".txt")
        .is_some_and(|stem| stem.starts_with("constraints") || stem.ends_with("constraints"))
}

/// The version of `==1.2.3`.
fn exact(spec: &str) -> Option<&str> {
    let version = spec.trim().strip_prefix("==")?.trim();
    let plain = version
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '!' | '-' | '_'));
    (plain && !version.is_empty()).then_some(version)
}

/// An entry of a list of requirements: where its name is, and where its version specification.
struct Requirement {
    name: Range<usize>,
    spec: Range<usize>,
}

/// Reads `name[extras] >= 1.0, < 2 ; marker  # comment`. None for options, addresses and local paths.
fn requirement(line: &str) -> Option<Requirement> {
    let start = line.len() - line.trim_start().len();
    let rest = line.get(start..)?;
    let name = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
        .unwrap_or(rest.len());
    if name == 0 || rest.starts_with('-') || rest.starts_with('.') {
        return None;
    }
    let mut at = start + name;
    let after = line.get(at..)?;
    if after.trim_start().starts_with('[') {
        at += after.find(']')? + 1;
    }
    let tail = line.get(at..)?;
    // Digests fix more than a version, and an address fixes no version.
    if tail.trim_start().starts_with('@') || tail.contains("--hash") || tail.contains('\\') || tail.contains("://") {
        return None;
    }
    let end = tail.find([';', '#']).unwrap_or(tail.len());
    let spec = tail.get(..end)?.trim_end();
    let well_formed = spec.trim().is_empty() || spec.trim_start().starts_with(['=', '>', '<', '~', '!', '(']);
    (well_formed && !spec.contains('(')).then_some(Requirement {
        name: start..start + name,
        spec: at..at + spec.len(),
    })
}

/// Writes the version into the entry of a package.
fn pin_entry(code: &Rc<Code>, line: u32, package: &Package, version: &str, draft: &mut Draft) -> Result<(), NoFix> {
    let by_hand = || {
        NoFix::here(format!(
            "the entry of `{}` has a form that is not edited ({}:{line})",
            package.name, package.file
        ))
    };
    if !version
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '!' | '-' | '_'))
    {
        return Err(by_hand());
    }
    let start = code.offset(line, 1).ok_or(NoFix::NoPlace)?;
    let end = code.next_line(start);
    let text = code
        .text
        .get(start..end)
        .ok_or(NoFix::NoPlace)?
        .trim_end_matches(['\n', '\r']);
    let name = name_of(&package.file);
    if ending(name) == "in" {
        return Err(NoFix::here(format!(
            "`{}` is the source of a list that is compiled from it: compile it, and install from the result",
            package.file
        )));
    }
    if matches!(ending(name), "txt" | "pip") {
        let entry = requirement(text).ok_or_else(by_hand)?;
        if !is_named(package.ecosystem, text.get(entry.name).unwrap_or(""), &package.name) {
            return Err(NoFix::Gone);
        }
        draft.replace(
            code,
            start + entry.spec.start..start + entry.spec.end,
            &format!("=={version}"),
        );
        return Ok(());
    }
    if name != "pyproject.toml" && name != "Pipfile" {
        return Err(by_hand());
    }
    // `"openai>=1.0"` in a list.
    let root = code.root()?;
    let strings = descendants(root, |node| {
        node.kind() == "string" && node.start_byte() >= start && node.start_byte() < end
    });
    for string in &strings {
        let Some(inner) = inner_of(code, *string) else { continue };
        let text = code.text.get(inner.clone()).unwrap_or("");
        if around(*string, &["array"]).is_some()
            && around(*string, &["inline_table"]).is_none()
            && let Some(entry) = requirement(text)
            && is_named(package.ecosystem, text.get(entry.name).unwrap_or(""), &package.name)
        {
            draft.replace(
                code,
                inner.start + entry.spec.start..inner.start + entry.spec.end,
                &format!("=={version}"),
            );
            return Ok(());
        }
    }
    // `openai = "^1.0"` and `openai = { version = "^1.0" }`.
    let exactly = if name == "Pipfile" {
        format!("=={version}")
    } else {
        version.to_owned()
    };
    for pair in descendants(root, |node| {
        node.kind() == "pair" && node.start_byte() >= start && node.start_byte() < end
    }) {
        let parts = children(pair);
        let [key, value] = parts.as_slice() else { continue };
        let key = code.of_node(*key).trim_matches(['"', '\'']);
        if !is_named(package.ecosystem, key, &package.name) {
            continue;
        }
        let target = match value.kind() {
            "string" => Some(*value),
            "inline_table" => children(*value)
                .into_iter()
                .filter(|pair| pair.kind() == "pair")
                .map(children)
                .find(|parts| parts.first().is_some_and(|key| code.of_node(*key) == "version"))
                .and_then(|parts| parts.get(1).copied()),
            _ => None,
        };
        let inner = target.and_then(|node| inner_of(code, node)).ok_or_else(by_hand)?;
        draft.replace(code, inner, &exactly);
        return Ok(());
    }
    Err(by_hand())
}

/// The range between the quotes of a text on one line.
fn inner_of(code: &Code, string: Node<'_>) -> Option<Range<usize>> {
    let text = code.of_node(string);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let triple = text.len() >= 6 && text.chars().take(3).all(|c| c == quote);
    let whole = text.len() >= 2 && text.ends_with(quote) && !triple && !text.contains('\\');
    whole.then(|| string.start_byte() + 1..string.end_byte() - 1)
}

/// Endings and names of lockfiles, which list what a manifest asks for.
const LOCKS: [&str; 6] = [
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile.lock",
    "pylock.toml",
    "Gemfile.lock",
];

fn declare(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let names = names_in(&site.finding.message)
        .ok_or_else(|| NoFix::here("the packages are too many to be listed; add them with the package manager"))?;
    let file = site.finding.file.as_deref().ok_or(NoFix::NoPlace)?;
    let ruby = matches!(ending(file), "rb" | "rake" | "ru");
    let ecosystem = if ruby { Ecosystem::RubyGems } else { Ecosystem::PyPI };
    let manifest = nearest_manifest(site, file, ruby)?;
    let at = folder(&manifest.path);
    if let Some(lock) = site
        .paths
        .iter()
        .find(|path| LOCKS.contains(&name_of(path)) && is_at_or_above(folder(path), at))
    {
        return Err(NoFix::here(format!(
            "`{lock}` lists what is installed: add the packages with the package manager, which updates both files"
        )));
    }
    let open = site.inventory.packages.iter().any(|package| {
        package.file == manifest.path
            && package.ai_kind.is_some()
            && package.version.is_none()
            && package.zone == Zone::Product
    });
    let mut added = Vec::new();
    let mut loose = Vec::new();
    for name in names {
        if !name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        {
            return Err(NoFix::here(format!("`{name}` is not a name of the registry")));
        }
        let name = normalize_name(ecosystem, name);
        let version = if ruby { None } else { installed_version(site, at, &name) };
        if version.is_none() {
            if !open {
                return Err(NoFix::here(format!(
                    "the version of `{name}` that was tested is not known: add it together with its version, as `pip freeze` shows it"
                )));
            }
            loose.push(format!("`{name}`"));
        }
        added.push(Entry { name, version });
    }
    added.sort();
    match name_of(&manifest.path) {
        "Gemfile" => add_gems(&manifest, &added, draft)?,
        "pyproject.toml" => add_to_array(&manifest, &added, draft)?,
        _ => add_lines(&manifest, &added, draft)?,
    }
    let shown: Vec<String> = added.iter().map(|entry| format!("`{}`", entry.written())).collect();
    draft.describe(format!("Declare {} in `{}`.", shown.join(", "), manifest.path));
    if loose.is_empty() {
        draft.manual("Check that this is the version that you tested.");
    } else {
        draft.manual(format!(
            "Add the exact version of {} that you tested.",
            loose.join(", ")
        ));
    }
    Ok(())
}

/// A package that is added.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    name: String,
    version: Option<String>,
}

impl Entry {
    /// As lists of Python write it.
    fn written(&self) -> String {
        match &self.version {
            Some(version) => format!("{}=={version}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The one manifest of the nearest folder at or above a file that can be edited.
fn nearest_manifest(site: &Site<'_>, file: &str, ruby: bool) -> Result<Rc<Code>, NoFix> {
    let wanted = |path: &str| match name_of(path) {
        "Gemfile" => ruby,
        "requirements.txt" | "pyproject.toml" | "Pipfile" | "setup.py" | "setup.cfg" | "environment.yml" => !ruby,
        _ => false,
    };
    let mut here = folder(file);
    loop {
        let found: Vec<&str> = site
            .paths
            .iter()
            .copied()
            .filter(|path| folder(path) == here && wanted(path))
            .collect();
        let mut lists = Vec::new();
        for path in found {
            let code = site.code(path)?;
            // A `pyproject.toml` that only configures tools lists no packages.
            if name_of(path) != "pyproject.toml" || dependencies(&code).is_some() || code.text.contains("[tool.poetry")
            {
                lists.push(code);
            }
        }
        match lists.as_slice() {
            [] => {}
            [only] if matches!(name_of(&only.path), "requirements.txt" | "pyproject.toml" | "Gemfile") => {
                return Ok(Rc::clone(only));
            }
            [only] => {
                return Err(NoFix::here(format!(
                    "add the packages to `{}` with the package manager",
                    only.path
                )));
            }
            _ => {
                return Err(NoFix::here(
                    "several manifests of this folder could declare the packages",
                ));
            }
        }
        if here.is_empty() {
            return Err(NoFix::here(
                "no manifest was found that can be edited; add the packages with the package manager",
            ));
        }
        here = folder(here);
    }
}

/// The list of dependencies of `[project]`.
fn dependencies(code: &Code) -> Option<Node<'_>> {
    let root = code.root().ok()?;
    let tables = descendants(root, |node| node.kind() == "table");
    let project = tables
        .into_iter()
        .find(|table| table.named_child(0).is_some_and(|key| code.of_node(key) == "project"))?;
    let pairs = children(project)
        .into_iter()
        .filter(|node| node.kind() == "pair")
        .map(children);
    pairs
        .filter_map(|parts| Some((parts.first().copied()?, parts.get(1).copied()?)))
        .find(|(key, value)| code.of_node(*key) == "dependencies" && value.kind() == "array")
        .map(|(_, value)| value)
}

/// Adds lines to a list of requirements: in order where the list is sorted, else at its end.
fn add_lines(code: &Rc<Code>, added: &[Entry], draft: &mut Draft) -> Result<(), NoFix> {
    let text = &code.text;
    if text.contains("--hash") || text.contains("autogenerated by") || text.contains("This file was autogenerated") {
        return Err(NoFix::here(format!(
            "`{}` is generated: add the packages to its source",
            code.path
        )));
    }
    let mut entries: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(entry) = requirement(line.trim_end_matches(['\n', '\r'])) {
            entries.push((at, normalize_name(Ecosystem::PyPI, line.get(entry.name).unwrap_or(""))));
        }
        at += line.len();
    }
    let is_sorted = entries.len() > 2 && entries.windows(2).all(|pair| pair[0].1 <= pair[1].1);
    for entry in added {
        let place = entries
            .iter()
            .find(|(_, other)| is_sorted && *other > entry.name)
            .map(|(at, _)| *at);
        let line = format!("{}\n", entry.written());
        match place {
            Some(at) => draft.insert(code, at, &line),
            None => at_the_end(code, &line, draft),
        }
    }
    Ok(())
}

/// Adds whole lines behind the last line with text.
fn at_the_end(code: &Rc<Code>, lines: &str, draft: &mut Draft) {
    let end = code.text.trim_end().len();
    let rest = code.text.get(end..).unwrap_or("");
    match rest.find('\n') {
        Some(at) => draft.insert(code, end + at + 1, lines),
        None if end == 0 => draft.insert(code, 0, lines),
        None => draft.insert(code, code.text.len(), &format!("\n{lines}")),
    }
}

/// Adds texts to the list of dependencies of a `pyproject.toml`.
fn add_to_array(code: &Rc<Code>, added: &[Entry], draft: &mut Draft) -> Result<(), NoFix> {
    let array = dependencies(code).ok_or_else(|| NoFix::here("the project declares its packages in another way"))?;
    let items: Vec<Node<'_>> = children(array)
        .into_iter()
        .filter(|node| node.kind() == "string")
        .collect();
    let names: Vec<String> = items
        .iter()
        .filter_map(|item| {
            let text = code.text.get(inner_of(code, *item)?)?;
            Some(normalize_name(Ecosystem::PyPI, text.get(requirement(text)?.name)?))
        })
        .collect();
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        let list: Vec<String> = added.iter().map(|entry| format!("\"{}\"", entry.written())).collect();
        let inside = array.start_byte() + 1..array.end_byte() - 1;
        if !code.text.get(inside.clone()).unwrap_or("").trim().is_empty() {
            return Err(NoFix::here("the list of dependencies has a form that is not edited"));
        }
        draft.replace(code, inside, &list.join(", "));
        return Ok(());
    };
    if names.len() != items.len() {
        return Err(NoFix::here("the list of dependencies has a form that is not edited"));
    }
    let quote = code.of_node(*first).chars().next().unwrap_or('"');
    let own_lines = items
        .windows(2)
        .all(|pair| pair[0].end_position().row < pair[1].start_position().row)
        && array.start_position().row < first.start_position().row;
    let is_sorted = names.len() > 1 && names.windows(2).all(|pair| pair[0] <= pair[1]);
    for entry in added {
        let before = items
            .iter()
            .zip(&names)
            .find(|(_, other)| is_sorted && **other > entry.name)
            .map(|(item, _)| *item);
        let item = format!("{quote}{}{quote}", entry.written());
        match (before, own_lines) {
            (Some(next), true) => {
                let start = code.line_start(next.start_byte());
                let indent = code.indent(next.start_byte());
                draft.insert(code, start, &format!("{indent}{item},\n"));
            }
            (Some(next), false) => draft.insert(code, next.start_byte(), &format!("{item}, ")),
            (None, true) => {
                let rest = code
                    .text
                    .get(last.end_byte()..code.next_line(last.end_byte()))
                    .unwrap_or("");
                let indent = code.indent(last.start_byte()).to_owned();
                if !rest.trim_start().starts_with(',') {
                    draft.insert(code, last.end_byte(), ",");
                }
                draft.insert(code, code.next_line(last.end_byte()), &format!("{indent}{item},\n"));
            }
            (None, false) => draft.insert(code, last.end_byte(), &format!(", {item}")),
        }
    }
    Ok(())
}

/// Adds gems behind the last one that is in no group.
fn add_gems(code: &Rc<Code>, added: &[Entry], draft: &mut Draft) -> Result<(), NoFix> {
    let root = code.root()?;
    let last = children(root)
        .into_iter()
        .rfind(|node| node.kind() == "call" && node.named_child(0).is_some_and(|method| code.of_node(method) == "gem"));
    let last = last.ok_or_else(|| NoFix::here("the Gemfile has no gem outside of groups"))?;
    let quote = if code.of_node(last).contains('\'') { '\'' } else { '"' };
    for entry in added {
        let text = format!("gem {quote}{}{quote}\n", entry.name);
        let next = code.next_line(last.end_byte());
        let whole = code.text.get(..next).is_some_and(|text| text.ends_with('\n'));
        draft.insert(code, next, &if whole { text } else { format!("\n{}", text.trim_end()) });
    }
    Ok(())
}
