//! `yarn.lock`: the classic format of its own, and berry's YAML.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use engine_model::{DependencyScope, Ecosystem, SourceFile};

use super::npm::{alias, git_of, is_local, split_name};
use super::{broken, numbered};
use crate::DependencyFacts;
use crate::facts::{Answer, Root};
use crate::node::unescape;
use crate::package::{dependency, integrity, package, without_credentials};
use crate::yaml::yaml;

pub(super) fn read(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let berry = text.lines().take(50).any(|line| line.starts_with("__metadata:"));
    if berry {
        read_berry(file, text, facts);
    } else {
        read_classic(file, text, facts);
    }
}

#[derive(Default)]
struct Block<'t> {
    line: u32,
    patterns: Vec<Cow<'t, str>>,
    version: Option<Cow<'t, str>>,
    resolved: Option<Cow<'t, str>>,
    integrity: Option<Cow<'t, str>>,
    needs: Vec<(Cow<'t, str>, Cow<'t, str>)>,
}

impl Block<'_> {
    /// The package behind the pattern, which an alias may name otherwise.
    fn name(&self) -> Option<&str> {
        let (name, range) = split_name(self.patterns.first()?)?;
        Some(alias(range).map_or(name, |(name, _)| name))
    }
}

fn read_classic(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut in_needs = false;
    for (number, line) in numbered(text) {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let body = body.trim_end();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        match indent {
            0 => {
                let Some(header) = body.strip_suffix(':') else {
                    facts.note(number, "a line that is not an entry was skipped");
                    continue;
                };
                blocks.push(Block {
                    line: number,
                    patterns: patterns(header),
                    ..Block::default()
                });
                in_needs = false;
            }
            2 => {
                let Some(block) = blocks.last_mut() else { continue };
                in_needs = matches!(body, "dependencies:" | "optionalDependencies:");
                if let Some((key, value)) = pair(body) {
                    match &*key {
                        "version" => block.version = Some(value),
                        "resolved" => block.resolved = Some(value),
                        "integrity" => block.integrity = Some(value),
                        _ => {}
                    }
                }
            }
            4 if in_needs => {
                if let (Some(block), Some(need)) = (blocks.last_mut(), pair(body)) {
                    block.needs.push(need);
                }
            }
            _ => {}
        }
    }
    let mut index: HashMap<&str, &Block<'_>> = HashMap::new();
    for block in &blocks {
        for pattern in &block.patterns {
            index.insert(pattern, block);
        }
    }
    for block in &blocks {
        let (Some(name), Some(version)) = (block.name(), &block.version) else {
            facts.note(block.line, "an entry without name and version was skipped");
            continue;
        };
        let local = block
            .patterns
            .iter()
            .all(|pattern| split_name(pattern).is_some_and(|(_, range)| is_local(range)) && block.resolved.is_none());
        if local {
            // What a folder of the same tree needs, the project itself needs.
            for (key, range) in &block.needs {
                if let Some(found) = index.get(format!("{key}@{range}").as_str())
                    && let (Some(name), Some(version)) = (found.name(), &found.version)
                {
                    facts.roots.push(Root {
                        name: name.to_owned(),
                        version: Some(version.to_string()),
                        scope: DependencyScope::Unknown,
                    });
                }
            }
            continue;
        }
        for (key, range) in block.patterns.iter().filter_map(|pattern| split_name(pattern)) {
            facts.answers.push(Answer {
                key: key.to_owned(),
                range: without_credentials(range),
                name: name.to_owned(),
                version: Some(version.to_string()),
            });
        }
        let mut package = package(file, Ecosystem::Npm, name, block.line);
        package.version = Some(version.to_string());
        package.requirement = block.resolved.as_deref().and_then(git_of);
        package.scope = DependencyScope::Unknown;
        package.hashes = block.integrity.as_deref().map(integrity).unwrap_or_default();
        if package.hashes.is_empty()
            && let Some((_, digest)) = block.resolved.as_deref().and_then(|resolved| resolved.rsplit_once('#'))
            && digest.len() == 40
            && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
            && block
                .resolved
                .as_deref()
                .is_some_and(|resolved| resolved.contains(".tgz#"))
        {
            package.hashes.push(format!("sha1:{digest}"));
        }
        for (name, range) in &block.needs {
            if let Some(found) = index.get(format!("{name}@{range}").as_str())
                && let (Some(name), Some(version)) = (found.name(), &found.version)
            {
                package.dependencies.push(dependency(name, Some(version)));
            }
        }
        facts.packages.push(package);
    }
}

/// `"a@^1", b@2` as separate patterns.
fn patterns(header: &str) -> Vec<Cow<'_, str>> {
    let mut out = Vec::new();
    let mut rest = header.trim();
    while !rest.is_empty() {
        let (pattern, tail) = token(rest, ',');
        out.push(pattern);
        rest = tail.trim_start().strip_prefix(',').unwrap_or("").trim_start();
    }
    out
}

fn pair(body: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let (key, rest) = token(body, ' ');
    let rest = rest.trim_start();
    (!rest.is_empty()).then(|| (key, token(rest, '\n').0))
}

/// A quoted or plain word at the start, and what follows it.
fn token(text: &str, end: char) -> (Cow<'_, str>, &str) {
    if let Some(inner) = text.strip_prefix('"') {
        let mut escaped = false;
        for (at, c) in inner.char_indices() {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    let raw = &inner[..at];
                    let value = if raw.contains('\\') {
                        Cow::Owned(unescape(raw))
                    } else {
                        Cow::Borrowed(raw)
                    };
                    return (value, &inner[at + 1..]);
                }
                _ => escaped = false,
            }
        }
        return (Cow::Borrowed(inner), "");
    }
    let at = text.find(end).unwrap_or(text.len());
    (Cow::Borrowed(text[..at].trim_end()), &text[at..])
}

fn read_berry(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let parsed = yaml(text);
    broken(parsed.broken, facts);
    let Some(root) = parsed.value.first() else { return };
    let mut index: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for entry in root.entries() {
        let Some(version) = entry.node.str("version") else {
            continue;
        };
        let name = entry.node.str("resolution").and_then(split_name).map(|(name, _)| name);
        for pattern in entry.key.split(", ") {
            if let Some(name) = name {
                index.insert(pattern.to_owned(), (name, version));
            }
        }
    }
    let mut by_name: HashMap<&str, BTreeSet<(&str, &str)>> = HashMap::new();
    for (pattern, found) in &index {
        if let Some((key, _)) = split_name(pattern) {
            by_name.entry(key).or_default().insert(*found);
        }
    }
    let find = |name: &str, range: &str| -> Option<(&str, &str)> {
        // Before version 8 the protocol of the registry was left out of ranges. A range that no entry repeats was
        // overruled by the project, and then one version serves all.
        index
            .get(&format!("{name}@{range}"))
            .or_else(|| index.get(&format!("{name}@npm:{range}")))
            .or_else(|| by_name.get(name).filter(|all| all.len() == 1)?.first())
            .copied()
    };
    for entry in root.entries() {
        if entry.key == "__metadata" {
            continue;
        }
        let node = &entry.node;
        let Some((name, reference)) = node.str("resolution").and_then(split_name) else {
            facts.note(entry.line, "an entry without a resolution was skipped");
            continue;
        };
        if is_local(reference) {
            if let Some((_, folder)) = reference.split_once(':') {
                facts.member(folder.split(['#', ':']).next().unwrap_or(folder));
            }
            for needed in node.map("dependencies") {
                let Some(range) = needed.node.text() else { continue };
                let (name, version) = find(&needed.key, range).map_or((&*needed.key, None), |(n, v)| (n, Some(v)));
                if version.is_none_or(|version| version != "0.0.0-use.local") {
                    facts.roots.push(Root {
                        name: name.to_owned(),
                        version: version.map(str::to_owned),
                        // The lockfile lists a member's run time and development needs together.
                        scope: DependencyScope::Unknown,
                    });
                }
            }
            continue;
        }
        let mut package = package(file, Ecosystem::Npm, name, entry.line);
        package.version = node.str("version").map(str::to_owned);
        package.requirement = git_of(reference);
        if package.version.is_none() && package.requirement.is_none() {
            package.requirement = Some(without_credentials(reference));
        }
        for (key, range) in entry.key.split(", ").filter_map(split_name) {
            facts.answers.push(Answer {
                key: key.to_owned(),
                range: without_credentials(range),
                name: name.to_owned(),
                version: package.version.clone(),
            });
        }
        package.scope = DependencyScope::Unknown;
        if let Some(checksum) = node.str("checksum") {
            // The digest is of the archive that yarn packs itself, not of what the registry serves.
            let digest = checksum.rsplit('/').next().unwrap_or(checksum);
            package.hashes.push(format!("yarn-sha512:{digest}"));
        }
        for needed in node.map("dependencies") {
            if let Some((name, version)) = needed.node.text().and_then(|range| find(&needed.key, range)) {
                package.dependencies.push(dependency(name, Some(version)));
            }
        }
        facts.packages.push(package);
    }
}
