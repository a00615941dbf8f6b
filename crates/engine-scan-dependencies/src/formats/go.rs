//! Go modules.

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, SourceFile};

use super::numbered;
use crate::DependencyFacts;
use crate::facts::{Checksum, Manifest, Signal};
use crate::package::{base64_hex, git_source, package};

pub(super) fn module(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    let mut manifest = Manifest::new(Ecosystem::Go);
    let mut block = "";
    for (number, line) in numbered(text) {
        let (body, comment) = line.split_once("//").unwrap_or((line, ""));
        let body = body.trim();
        if body.is_empty() {
            continue;
        }
        if body == ")" {
            block = "";
            continue;
        }
        let (directive, rest) = if block.is_empty() {
            let (word, rest) = body.split_once([' ', '\t', '(']).unwrap_or((body, ""));
            if body.ends_with('(') {
                block = word;
                continue;
            }
            (word, rest.trim())
        } else {
            (block, body)
        };
        let mut words = rest.split_whitespace().map(|word| word.trim_matches('"'));
        match directive {
            "module" => manifest.name = words.next().map(str::to_owned),
            "go" => {
                if let Some(version) = words.next() {
                    facts.properties.push(("go".to_owned(), version.to_owned()));
                }
            }
            "require" => {
                let (Some(name), Some(version)) = (words.next(), words.next()) else {
                    facts.note(number, "a requirement without a version was skipped");
                    continue;
                };
                let mut package = package(file, Ecosystem::Go, name, number);
                package.version = Some(version.to_owned());
                package.requirement = pseudo_source(name, version);
                // The file does not tell what is needed at run time from what only tests need.
                package.scope = DependencyScope::Unknown;
                package.relation = if comment.trim_start().starts_with("indirect") {
                    DependencyRelation::Transitive
                } else {
                    DependencyRelation::Direct
                };
                facts.packages.push(package);
            }
            "replace" => facts.note(number, format!("replaced: {rest}")),
            "tool" => manifest.application.push(Signal {
                text: format!("tool {rest}"),
                line: number,
            }),
            _ => {}
        }
    }
    facts.manifest = Some(manifest);
}

/// The repository and the commit behind a version that stands for no release: `v0.0.0-20250102030405-abcdef123456`.
fn pseudo_source(module: &str, version: &str) -> Option<String> {
    let version = version.strip_suffix("+incompatible").unwrap_or(version);
    let (before, commit) = version.rsplit_once('-')?;
    let time = before.rsplit(['-', '.']).next()?;
    if commit.len() != 12 || time.len() != 14 || !time.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut parts = module.split('/');
    let (host, owner, name) = (parts.next()?, parts.next()?, parts.next()?);
    let known = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"].contains(&host);
    git_source(&format!("https://{host}/{owner}/{name}"), Some(commit)).filter(|_| known)
}

pub(super) fn sums(file: &SourceFile<'_>, text: &str, facts: &mut DependencyFacts) {
    for (number, line) in numbered(text) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(version), Some(digest)) = (words.next(), words.next(), words.next()) else {
            if !line.trim().is_empty() {
                facts.note(number, "a line that is not a digest was skipped");
            }
            continue;
        };
        // Lines for `go.mod` alone are about modules that were looked at and not built in.
        if version.ends_with("/go.mod") {
            continue;
        }
        let hash = digest
            .split_once(':')
            .and_then(|(kind, digest)| Some(format!("{kind}:{}", base64_hex(digest)?)));
        let mut package = package(file, Ecosystem::Go, name, number);
        package.version = Some(version.to_owned());
        package.requirement = pseudo_source(name, version);
        package.scope = DependencyScope::Unknown;
        if let Some(hash) = hash {
            let checksum = Checksum {
                name: name.to_owned(),
                version: version.to_owned(),
                hash: hash.clone(),
            };
            facts.checksums.push(checksum);
            package.hashes.push(hash);
        }
        facts.packages.push(package);
    }
}
