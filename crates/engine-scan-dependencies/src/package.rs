//! Building package records: names, versions, digests and package URLs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;

use engine_model::{Dependency, DependencyRelation, DependencyScope, Ecosystem, Package, SourceFile, Zone};

/// A record with nothing but its name and place; the package URL is written when the file has been read.
pub(crate) fn package(file: &SourceFile<'_>, ecosystem: Ecosystem, name: &str, line: u32) -> Package {
    package_at(&file.path, ecosystem, name, line)
}

/// The same, for a file that was read before.
pub(crate) fn package_at(path: &str, ecosystem: Ecosystem, name: &str, line: u32) -> Package {
    Package {
        ecosystem,
        name: name.trim().to_owned(),
        version: None,
        requirement: None,
        scope: DependencyScope::Required,
        relation: DependencyRelation::Unknown,
        file: path.to_owned(),
        line: (line > 0).then_some(line),
        purl: String::new(),
        license: None,
        hashes: Vec::new(),
        dependencies: Vec::new(),
        ai_kind: None,
        provider: None,
        zone: zone(path),
    }
}

/// The part that a manifest plays, told by its path alone: lockfiles call themselves generated, and are the product's.
pub(crate) fn zone(path: &str) -> Zone {
    thread_local! {
        /// The path that was asked for last: each of the thousands of packages of one file asks.
        static LAST: RefCell<(String, Zone)> = RefCell::new((String::new(), Zone::of_path("", "")));
    }
    LAST.with_borrow_mut(|last| {
        if last.0 != path {
            *last = (path.to_owned(), Zone::of_path(path, ""));
        }
        last.1
    })
}

/// Sets the version where the text fixes one, and the requirement where it does not.
pub(crate) fn require(package: &mut Package, text: &str) {
    let text = text.trim();
    match exact(package.ecosystem, text) {
        Some(version) => package.version = Some(version.to_owned()),
        None if !text.is_empty() => package.requirement = Some(without_credentials(text)),
        None => {}
    }
}

/// How the requirement of a package begins whose version a bill of materials fixes.
pub(crate) const SET_BY: &str = "set by ";

/// The version that a requirement fixes by the rules of its registry, if it fixes one.
pub(crate) fn exact(ecosystem: Ecosystem, text: &str) -> Option<&str> {
    match ecosystem {
        Ecosystem::Npm => {
            let version = text.strip_prefix('=').map_or(text, str::trim_start);
            let bare = version.strip_prefix('v').unwrap_or(version);
            is_full_semver(bare).then_some(bare)
        }
        Ecosystem::Cargo => {
            let version = text.strip_prefix('=')?.trim_start();
            is_full_semver(version).then_some(version)
        }
        Ecosystem::PyPI => {
            let version = text.strip_prefix("===").or_else(|| text.strip_prefix("=="))?.trim();
            (!version.is_empty() && !version.contains(['*', ',', ' ', ';', '<', '>', '|'])).then_some(version)
        }
        Ecosystem::Go => text.starts_with('v').then_some(text),
        Ecosystem::Maven => {
            let floating = text.contains(['[', '(', '+', '$', ',', ' '])
                || text.starts_with("latest.")
                || matches!(text, "LATEST" | "RELEASE" | "");
            (!floating).then_some(text)
        }
        Ecosystem::NuGet => {
            let inner = text
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
                .unwrap_or(text)
                .trim();
            (inner.starts_with(|c: char| c.is_ascii_digit()) && !inner.contains(['*', ',', '(', ')', '[', ']', '$']))
                .then_some(inner)
        }
        Ecosystem::Composer => {
            let bare = text.strip_prefix('v').unwrap_or(text);
            (bare.starts_with(|c: char| c.is_ascii_digit()) && is_plain(bare) && bare.matches('.').count() >= 2)
                .then_some(text)
        }
        Ecosystem::Conda => {
            // A single `=` allows everything that starts alike, unless a build is named after it.
            let text = match (text.strip_prefix("=="), text.strip_prefix('=')) {
                (Some(version), _) => version,
                (None, Some(rest)) if rest.contains('=') => rest,
                _ => return None,
            };
            let version = text.split('=').next().unwrap_or(text).trim();
            (version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(['*', ',', '|', ' ', '<', '>']))
                .then_some(version)
        }
        Ecosystem::RubyGems => {
            let bare = text.strip_prefix('=').map_or(text, str::trim_start);
            (bare.starts_with(|c: char| c.is_ascii_digit()) && is_plain(bare)).then_some(bare)
        }
    }
}

fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
}

/// Three numbers, and then perhaps a pre-release or build.
fn is_full_semver(text: &str) -> bool {
    let core = text.split(['-', '+']).next().unwrap_or(text);
    let mut parts = 0;
    for part in core.split('.') {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        parts += 1;
    }
    parts == 3 && is_plain(text)
}

/// Takes the user and password out of an address: requirement lines may hold tokens of private registries.
pub(crate) fn without_credentials(text: &str) -> String {
    let Some(start) = text.find("://") else {
        return text.to_owned();
    };
    let rest = &text[start + 3..];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    match authority.rfind('@') {
        Some(at) => format!("{}{}", &text[..start + 3], &rest[at + 1..]),
        None => text.to_owned(),
    }
}

/// A name the way its registry compares names.
pub(crate) fn normal_name(ecosystem: Ecosystem, name: &str) -> String {
    // The catalogue takes builds for several versions of Scala as one; in a bill of materials they are artifacts apart.
    if ecosystem == Ecosystem::Maven {
        return name.to_owned();
    }
    engine_catalogue::normalize_name(ecosystem, name)
}

/// The package URL, by the rules of its type.
pub(crate) fn purl(ecosystem: Ecosystem, name: &str, version: Option<&str>) -> String {
    let name = match ecosystem {
        Ecosystem::PyPI => normal_name(ecosystem, name),
        Ecosystem::Composer | Ecosystem::Go => name.to_ascii_lowercase(),
        Ecosystem::Maven => name.replacen(':', "/", 1),
        _ => name.to_owned(),
    };
    let mut out = format!("pkg:{}/", ecosystem.purl_type());
    let segments: Vec<String> = name.split('/').filter(|part| !part.is_empty()).map(percent).collect();
    out.push_str(&segments.join("/"));
    if let Some(version) = version {
        out.push('@');
        out.push_str(&percent(version));
    }
    out
}

/// How the requirement of a package begins that was built for one platform.
pub(crate) const PLATFORM: &str = "for platform ";

/// Characters of the digest of a commit, in its short form of Go modules and in full.
const COMMIT_MIN: usize = 12;
const COMMIT_MAX: usize = 64;

fn is_commit(text: &str) -> bool {
    (COMMIT_MIN..=COMMIT_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The address of a git repository with a commit, in one form for all package managers: `git+https://host/owner/name#commit`.
///
/// The commit may stand behind the address, or be that of an archive which a forge packs.
pub(crate) fn git_source(address: &str, commit: Option<&str>) -> Option<String> {
    let address = address.trim();
    if let Some((repository, commit)) = forge_archive(address) {
        return Some(format!("git+{repository}#{commit}"));
    }
    let (address, stated) = match address.split_once('#') {
        Some((address, rest)) => (address, rest.strip_prefix("commit=").unwrap_or(rest).split('&').next()),
        None => (address, None),
    };
    let forges = [
        ("github:", "https://github.com/"),
        ("gitlab:", "https://gitlab.com/"),
        ("bitbucket:", "https://bitbucket.org/"),
        ("gist:", "https://gist.github.com/"),
    ];
    let bare = address.strip_prefix("git+").unwrap_or(address);
    let repository = if let Some((short, host)) = forges.iter().find(|(short, _)| bare.starts_with(short)) {
        format!("{host}{}", &bare[short.len()..])
    } else if let Some((host, path)) = bare.strip_prefix("git@").and_then(|rest| rest.split_once(':')) {
        format!("ssh://{host}/{path}")
    } else {
        without_credentials(bare)
    };
    let commit = commit.or(stated).filter(|commit| is_commit(commit))?;
    repository.contains("://").then(|| format!("git+{repository}#{commit}"))
}

/// The repository and the commit of an archive that a forge packs.
fn forge_archive(url: &str) -> Option<(String, &str)> {
    let path = url.split(['?', '#']).next()?;
    let path = path.strip_prefix("https://").or_else(|| path.strip_prefix("http://"))?;
    let parts: Vec<&str> = path.split('/').collect();
    let (repository, commit) = match parts.as_slice() {
        [
            "codeload.github.com",
            owner,
            name,
            "tar.gz" | "zip" | "legacy.tar.gz",
            commit,
        ] => (format!("https://github.com/{owner}/{name}"), *commit),
        ["api.github.com", "repos", owner, name, "tarball" | "zipball", commit] => {
            (format!("https://github.com/{owner}/{name}"), *commit)
        }
        [host, owner, name, "archive" | "get", file] | [host, owner, name, "-", "archive", file, ..] => {
            let commit = [".tar.gz", ".tgz", ".zip"]
                .iter()
                .find_map(|ending| file.strip_suffix(ending))
                .unwrap_or(file);
            (format!("https://{host}/{owner}/{name}"), commit)
        }
        _ => return None,
    };
    is_commit(commit).then_some((repository, commit))
}

/// Whether a requirement is a repository with a commit, so that it says which code is meant without a version.
pub(crate) fn is_pinned_source(requirement: &str) -> bool {
    requirement.starts_with("git+")
        && requirement
            .rsplit_once('#')
            .is_some_and(|(_, commit)| is_commit(commit))
}

/// What a package URL adds when the package is not taken from its registry: the repository or the address it comes from.
pub(crate) fn source_qualifier(requirement: &str) -> Option<String> {
    if let Some(platform) = requirement.strip_prefix(PLATFORM) {
        return Some(format!("?platform={}", percent(platform)));
    }
    let repository = requirement.starts_with("git+")
        || requirement.starts_with("git@")
        || requirement.starts_with("git:")
        || requirement
            .split(['#', '?'])
            .next()
            .is_some_and(|text| text.to_ascii_lowercase().ends_with(".git"));
    if repository {
        Some(format!("?vcs_url={}", percent(requirement)))
    } else if requirement.starts_with("https://") || requirement.starts_with("http://") {
        Some(format!("?download_url={}", percent(requirement)))
    } else {
        None
    }
}

fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b':') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Sub-resource integrity, such as `sha512-<base64>`, as `algorithm:hex`; several may stand side by side.
pub(crate) fn integrity(text: &str) -> Vec<String> {
    text.split_whitespace()
        .filter_map(|part| {
            let (algorithm, digest) = part.split_once('-')?;
            let digest = digest.split('?').next().unwrap_or(digest);
            Some(format!("{algorithm}:{}", base64_hex(digest)?))
        })
        .collect()
}

/// Base64 as hex, or none when it is not base64.
pub(crate) fn base64_hex(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() * 3 / 2);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            let _ = write!(out, "{:02x}", (bits >> count) & 0xFF);
        }
    }
    Some(out)
}

/// The stronger of two reasons to have a package.
pub(crate) fn stronger(a: DependencyScope, b: DependencyScope) -> DependencyScope {
    let rank = |scope| match scope {
        DependencyScope::Required => 0,
        DependencyScope::Optional => 1,
        DependencyScope::Peer => 2,
        DependencyScope::Development => 3,
        DependencyScope::Unknown => 4,
    };
    if rank(a) <= rank(b) { a } else { b }
}

/// One record for each name and version of a file; later ones add to the first.
pub(crate) fn merge_duplicates(packages: &mut Vec<Package>) {
    let mut seen: HashMap<(String, Option<String>, Option<String>), usize> = HashMap::with_capacity(packages.len());
    let mut merged: Vec<Package> = Vec::with_capacity(packages.len());
    for package in packages.drain(..) {
        // Builds of one version for several platforms are files of their own.
        let platform = package.requirement.clone().filter(|text| text.starts_with(PLATFORM));
        let key = (
            normal_name(package.ecosystem, &package.name),
            package.version.clone(),
            platform,
        );
        if let Some(&index) = seen.get(&key) {
            let first = &mut merged[index];
            first.scope = stronger(first.scope, package.scope);
            if package.relation == DependencyRelation::Direct || first.relation == DependencyRelation::Unknown {
                first.relation = package.relation;
            }
            first.hashes.extend(package.hashes);
            first.dependencies.extend(package.dependencies);
            if first.requirement.is_none() {
                first.requirement = package.requirement;
            }
            if first.license.is_none() {
                first.license = package.license;
            }
        } else {
            seen.insert(key, merged.len());
            merged.push(package);
        }
    }
    for package in &mut merged {
        package.hashes.sort();
        package.hashes.dedup();
        package.dependencies.sort();
        package.dependencies.dedup();
    }
    *packages = merged;
}

/// An arrow to a package.
pub(crate) fn dependency(name: &str, version: Option<&str>) -> Dependency {
    Dependency {
        name: name.to_owned(),
        version: version.map(str::to_owned),
    }
}
