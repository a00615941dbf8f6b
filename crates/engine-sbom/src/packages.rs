//! Packages as components, and the arrows between them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::str::FromStr;

use cyclonedx_bom::external_models::normalized_string::NormalizedString;
use cyclonedx_bom::external_models::spdx::SpdxExpression;
use cyclonedx_bom::external_models::uri::Purl;
use cyclonedx_bom::models::component::{Classification, Component, ComponentEvidence, Occurrence, Occurrences, Scope};
use cyclonedx_bom::models::dependency::Dependency;
use cyclonedx_bom::models::hash::{Hash, HashAlgorithm, HashValue, Hashes};
use cyclonedx_bom::models::license::{License, LicenseChoice, Licenses};
use cyclonedx_bom::models::property::{Properties, Property};
use engine_model::{DependencyRelation, DependencyScope, Ecosystem, Inventory, Package, Zone};

/// Versions of one name that an arrow without a version may mean.
const CANDIDATES_MAX: usize = 32;

/// One component, and all records that speak of it.
struct Row<'a> {
    reference: String,
    records: Vec<&'a Package>,
}

/// The packages of an inventory without repetitions.
pub(crate) struct PackageTable<'a> {
    rows: Vec<Row<'a>>,
    /// Row of a name and version inside one file.
    by_file: HashMap<(&'a str, String, Option<&'a str>), usize>,
    /// Rows of a name inside one file, for arrows that name no version.
    by_name: HashMap<(&'a str, String), BTreeSet<usize>>,
}

/// Python names are compared without regard to case and separators; the others differ if they are written differently.
fn name_key(ecosystem: Ecosystem, name: &str) -> String {
    let mut key = format!("{}:", ecosystem.purl_type());
    if ecosystem != Ecosystem::PyPI {
        key.push_str(name);
        return key;
    }
    let mut separator = false;
    for c in name.chars() {
        if matches!(c, '-' | '_' | '.') {
            separator = true;
        } else {
            if std::mem::take(&mut separator) {
                key.push('-');
            }
            key.extend(c.to_lowercase());
        }
    }
    key
}

impl<'a> PackageTable<'a> {
    pub(crate) fn new(inventory: &'a Inventory) -> Self {
        // Builds of one version for several platforms are components of their own.
        type Key<'a> = (Ecosystem, String, Option<&'a str>, Option<&'a str>);
        let mut grouped: BTreeMap<Key<'_>, Vec<&Package>> = BTreeMap::new();
        for package in inventory.packages.iter() {
            let key = (
                package.ecosystem,
                name_key(package.ecosystem, &package.name),
                package.version.as_deref(),
                package.purl.split_once("?platform=").map(|(_, platform)| platform),
            );
            grouped.entry(key).or_default().push(package);
        }
        let mut table = Self {
            rows: Vec::new(),
            by_file: HashMap::new(),
            by_name: HashMap::new(),
        };
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for ((_, name, version, _), mut records) in grouped {
            records.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
            let index = table.rows.len();
            // Names that differ in case share a package URL in some registries.
            let mut reference = records[0].purl.clone();
            let mut count = 1;
            while !taken.insert(reference.clone()) {
                count += 1;
                reference = format!("{}#{count}", records[0].purl);
            }
            for record in &records {
                table.by_file.insert((&record.file, name.clone(), version), index);
                table
                    .by_name
                    .entry((&record.file, name.clone()))
                    .or_default()
                    .insert(index);
            }
            table.rows.push(Row { reference, records });
        }
        table
    }

    /// References of the packages that the project names itself.
    pub(crate) fn direct(&self) -> Vec<String> {
        self.rows
            .iter()
            .filter(|row| {
                row.records
                    .iter()
                    .any(|record| record.relation == DependencyRelation::Direct)
            })
            .map(|row| row.reference.clone())
            .collect()
    }

    /// References of packages whose file tells what they need, of those whose file does not, and of those without a
    /// version.
    pub(crate) fn knowledge(&self) -> (Vec<String>, Vec<String>, Vec<String>) {
        let with_graph: BTreeSet<&str> = self
            .rows
            .iter()
            .flat_map(|row| &row.records)
            .filter(|record| !record.dependencies.is_empty())
            .map(|record| record.file.as_str())
            .collect();
        let (mut known, mut unknown, mut loose) = (Vec::new(), Vec::new(), Vec::new());
        for row in &self.rows {
            let reference = row.reference.clone();
            if row.records[0].version.is_none() {
                loose.push(reference);
            } else if row
                .records
                .iter()
                .any(|record| with_graph.contains(record.file.as_str()))
            {
                known.push(reference);
            } else {
                unknown.push(reference);
            }
        }
        (known, unknown, loose)
    }

    /// Whether a package came in without anything that tells who brought it.
    pub(crate) fn has_loose_ends(&self) -> bool {
        self.rows.iter().any(|row| {
            row.records[0].version.is_none()
                || row
                    .records
                    .iter()
                    .all(|record| record.relation == DependencyRelation::Unknown)
        })
    }

    pub(crate) fn graph(&self) -> Vec<Dependency> {
        self.rows
            .iter()
            .map(|row| {
                let mut needed: BTreeSet<&str> = BTreeSet::new();
                for record in &row.records {
                    for arrow in &record.dependencies {
                        let name = name_key(record.ecosystem, &arrow.name);
                        let exact = self
                            .by_file
                            .get(&(record.file.as_str(), name.clone(), arrow.version.as_deref()));
                        let targets = match exact {
                            Some(index) => vec![*index],
                            None => self
                                .by_name
                                .get(&(record.file.as_str(), name))
                                // An arrow that could mean any of so many says nothing.
                                .filter(|rows| rows.len() <= CANDIDATES_MAX)
                                .map(|rows| rows.iter().copied().collect())
                                .unwrap_or_default(),
                        };
                        needed.extend(targets.into_iter().map(|index| self.rows[index].reference.as_str()));
                    }
                }
                needed.remove(row.reference.as_str());
                Dependency {
                    dependency_ref: row.reference.clone(),
                    dependencies: needed.into_iter().map(str::to_owned).collect(),
                }
            })
            .collect()
    }

    pub(crate) fn components(&self) -> Vec<Component> {
        self.rows.iter().map(component).collect()
    }
}

/// Text on one line, as the standard wants names and versions.
pub(crate) fn normalized(text: &str) -> NormalizedString {
    NormalizedString::new(text)
}

pub(crate) fn property(name: &str, value: &str) -> Property {
    Property {
        name: format!("engine:{name}"),
        value: normalized(value),
    }
}

pub(crate) fn evidence(locations: impl Iterator<Item = String>) -> Option<ComponentEvidence> {
    let locations: BTreeSet<String> = locations.collect();
    let occurrences: Vec<Occurrence> = locations.iter().map(|location| Occurrence::new(location)).collect();
    (!occurrences.is_empty()).then_some(ComponentEvidence {
        licenses: None,
        copyright: None,
        occurrences: Some(Occurrences(occurrences)),
        callstack: None,
        identity: None,
    })
}

/// Group and name, the way package URLs part them.
fn parts(package: &Package) -> (Option<&str>, &str) {
    let cut = match package.ecosystem {
        Ecosystem::Maven => package.name.split_once(':'),
        Ecosystem::Npm if package.name.starts_with('@') => package.name.split_once('/'),
        Ecosystem::Composer => package.name.split_once('/'),
        Ecosystem::Go => package.name.rsplit_once('/'),
        _ => None,
    };
    match cut {
        Some((group, name)) if !name.is_empty() => (Some(group), name),
        _ => (None, &package.name),
    }
}

fn component(row: &Row<'_>) -> Component {
    let first = row.records[0];
    let (group, name) = parts(first);
    let mut component = Component::new(Classification::Library, name, "", Some(row.reference.clone()));
    component.group = group.map(normalized);
    component.version = first.version.as_deref().map(normalized);
    component.purl = Purl::from_str(&first.purl).ok();
    component.scope = scope(&row.records);
    component.hashes = hashes(&row.records);
    component.licenses = row
        .records
        .iter()
        .find_map(|record| record.license.as_deref())
        .and_then(license);
    component.properties = Some(properties(&row.records)).filter(|properties| !properties.0.is_empty());
    component.evidence = evidence(row.records.iter().map(|record| match record.line {
        Some(line) => format!("{}:{line}", record.file),
        None => record.file.clone(),
    }));
    component
}

/// What the product needs counts before what only its tests, examples or build need.
fn scope(records: &[&Package]) -> Option<Scope> {
    let of = |record: &Package| match (record.zone, record.scope) {
        (Zone::Product, DependencyScope::Required) => Some(Scope::Required),
        (Zone::Product, DependencyScope::Optional | DependencyScope::Peer) => Some(Scope::Optional),
        (Zone::Product, DependencyScope::Unknown) => None,
        _ => Some(Scope::Excluded),
    };
    let scopes: Vec<Option<Scope>> = records.iter().map(|record| of(record)).collect();
    for strongest in [Some(Scope::Required), Some(Scope::Optional), None] {
        if scopes.contains(&strongest) {
            return strongest;
        }
    }
    Some(Scope::Excluded)
}

fn hashes(records: &[&Package]) -> Option<Hashes> {
    let mut known: BTreeSet<(&str, String)> = BTreeSet::new();
    for hash in records.iter().flat_map(|record| &record.hashes) {
        let Some((algorithm, digest)) = hash.split_once(':') else {
            continue;
        };
        let (name, length) = match algorithm {
            "md5" => ("MD5", 32),
            "sha1" => ("SHA-1", 40),
            "sha256" => ("SHA-256", 64),
            "sha384" => ("SHA-384", 96),
            "sha512" => ("SHA-512", 128),
            // Digests of other things than the package as it is served stay properties.
            _ => continue,
        };
        if digest.len() == length && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            known.insert((name, digest.to_ascii_lowercase()));
        }
    }
    let list: Vec<Hash> = known
        .into_iter()
        .map(|(name, digest)| Hash {
            alg: HashAlgorithm::new_unchecked(name),
            content: HashValue(digest),
        })
        .collect();
    (!list.is_empty()).then_some(Hashes(list))
}

/// An expression where the text is one, a name where it is not.
fn license(text: &str) -> Option<Licenses> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let choice = match SpdxExpression::try_from(text.to_owned()) {
        Ok(expression) => LicenseChoice::Expression(expression),
        Err(_) => LicenseChoice::License(License::named_license(text)),
    };
    Some(Licenses(vec![choice]))
}

fn properties(records: &[&Package]) -> Properties {
    let mut found: BTreeSet<(&str, String)> = BTreeSet::new();
    for record in records {
        match record.relation {
            DependencyRelation::Direct => found.insert(("relation", "direct".to_owned())),
            DependencyRelation::Transitive => found.insert(("relation", "transitive".to_owned())),
            DependencyRelation::Unknown => false,
        };
        match record.scope {
            DependencyScope::Development => found.insert(("scope", "development".to_owned())),
            DependencyScope::Peer => found.insert(("scope", "peer".to_owned())),
            _ => false,
        };
        if let Some(requirement) = &record.requirement {
            found.insert(("requirement", requirement.clone()));
        }
        if let Some(kind) = &record.ai_kind {
            found.insert(("ai-kind", kind.clone()));
        }
        if let Some(provider) = &record.provider {
            found.insert(("provider", provider.clone()));
        }
        for hash in &record.hashes {
            if hash.starts_with("h1:") || hash.starts_with("yarn-sha512:") {
                found.insert(("digest", hash.clone()));
            }
        }
    }
    Properties(found.into_iter().map(|(name, value)| property(name, &value)).collect())
}
