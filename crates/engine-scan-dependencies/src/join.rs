//! Facts of single files, put together: lockfiles answer what manifests ask for.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use engine_model::{Dependency, DependencyRelation, DependencyScope, Ecosystem, FileInfo, McpServer, Package, Zone};

use crate::facts::{DependencyFacts, Manifest, Note};
use crate::format::{Format, Role};
use crate::formats::{all_exact, is_local, resolve_properties};
use crate::package::{merge_duplicates, normal_name, purl, require, stronger, zone};

/// Maven parents of parents; real chains in one tree are a few long.
const PARENTS_MAX: usize = 8;

/// Versions of one name that an arrow without a version may mean.
const CANDIDATES_MAX: usize = 32;

/// What all files together say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    /// Every package, with its version where a file fixes one, sorted.
    pub packages: Vec<Package>,
    /// Every manifest that describes a project, in the order of the paths.
    pub manifests: Vec<ManifestRecord>,
    /// Servers of the Model Context Protocol, sorted.
    pub mcp_servers: Vec<McpServer>,
    /// What could not be understood, with the file.
    pub notes: Vec<(String, Note)>,
}

/// A manifest and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestRecord {
    /// Path relative to the project's root.
    pub file: String,
    /// The part that the manifest plays.
    pub zone: Zone,
    /// Its format.
    pub format: Format,
    /// What it says.
    pub manifest: Manifest,
    /// The lockfiles that answer it: those of the nearest folder at or above its own.
    pub lockfiles: Vec<String>,
}

/// Puts the facts of all files together. The order of the input does not matter.
pub fn join<F: Borrow<DependencyFacts>>(facts: &[(FileInfo, F)]) -> Joined {
    let mut files: Vec<File<'_>> = facts
        .iter()
        .filter_map(|(info, facts)| File::new(info, facts.borrow()))
        .collect();
    files.sort_by(|a, b| a.path.cmp(b.path));
    let locks = Locks::new(&files);
    maven_parents(&mut files);
    central_versions(&mut files);
    cargo_workspace(&mut files);
    go_checksums(&mut files);
    let asked = answer(&mut files, &locks);
    for (index, file) in files.iter_mut().enumerate() {
        let empty = Vec::new();
        if file.format.role() == Role::Lock {
            classify(file, asked.get(&index).unwrap_or(&empty));
        }
        merge_duplicates(&mut file.packages);
    }

    let mut joined = Joined::default();
    for file in &files {
        if let Some(manifest) = &file.facts.manifest {
            let lockfiles = locks
                .above(file)
                .iter()
                .map(|lock| files[*lock].path.to_owned())
                .collect();
            joined.manifests.push(ManifestRecord {
                file: file.path.to_owned(),
                zone: file.zone,
                format: file.format,
                manifest: manifest.clone(),
                lockfiles,
            });
        }
        joined.mcp_servers.extend(file.facts.mcp_servers.iter().cloned());
        joined
            .notes
            .extend(file.facts.notes.iter().map(|note| (file.path.to_owned(), note.clone())));
    }
    joined.packages = files.into_iter().flat_map(|file| file.packages).collect();
    let catalogue = engine_catalogue::catalogue();
    for package in &mut joined.packages {
        package.purl = purl(package.ecosystem, &package.name, package.version.as_deref());
        let known = catalogue.package(package.ecosystem, &package.name);
        package.ai_kind = known.map(|known| kind_name(known.kind));
        package.provider = known.and_then(|known| known.provider.clone());
    }
    joined.packages.sort_by_cached_key(|package| {
        (
            package.ecosystem,
            normal_name(package.ecosystem, &package.name),
            package.version.clone(),
            package.file.clone(),
            package.line,
        )
    });
    joined
        .mcp_servers
        .sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    joined
}

/// The catalogue's kind as a word.
fn kind_name(kind: engine_catalogue::PackageKind) -> String {
    let debug = format!("{kind:?}");
    let mut out = String::with_capacity(debug.len() + 2);
    for (index, c) in debug.char_indices() {
        if c.is_ascii_uppercase() && index > 0 {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

struct File<'a> {
    path: &'a str,
    folder: &'a str,
    format: Format,
    ecosystem: Option<Ecosystem>,
    zone: Zone,
    facts: &'a DependencyFacts,
    packages: Vec<Package>,
}

impl<'a> File<'a> {
    fn new(info: &'a FileInfo, facts: &'a DependencyFacts) -> Option<Self> {
        let format = facts.format?;
        let path = info.path.as_str();
        // Facts may have been remembered from another place in the tree.
        let zone = zone(path);
        let mut packages = facts.packages.clone();
        for package in &mut packages {
            path.clone_into(&mut package.file);
            package.zone = zone;
        }
        Some(Self {
            path,
            folder: path.rsplit_once('/').map_or("", |(folder, _)| folder),
            format,
            ecosystem: format.ecosystem(),
            zone,
            facts,
            packages,
        })
    }
}

/// A folder and those above it, up to the root of the tree.
fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let current = next?;
        next = if current.is_empty() {
            None
        } else {
            Some(current.rsplit_once('/').map_or("", |(above, _)| above))
        };
        Some(current)
    })
}

/// Lockfiles by ecosystem and folder.
struct Locks {
    by_folder: BTreeMap<(Ecosystem, String), Vec<usize>>,
}

impl Locks {
    fn new(files: &[File<'_>]) -> Self {
        let mut by_folder: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, file) in files.iter().enumerate() {
            if let Some(ecosystem) = file.ecosystem
                && file.format.role() == Role::Lock
            {
                by_folder
                    .entry((ecosystem, file.folder.to_owned()))
                    .or_default()
                    .push(index);
            }
        }
        Self { by_folder }
    }

    /// The lockfiles of the nearest folder at or above a manifest's own.
    fn above(&self, file: &File<'_>) -> &[usize] {
        let Some(ecosystem) = file.ecosystem else { return &[] };
        // A Maven build has no lockfile; Gradle's does not answer it.
        if file.format == Format::Pom || file.format.role() != Role::Manifest {
            return &[];
        }
        for folder in upwards(file.folder) {
            if let Some(found) = self.by_folder.get(&(ecosystem, folder.to_owned())) {
                return found;
            }
        }
        &[]
    }
}

/// What manifests ask of each lockfile: names and scopes.
type Asked = HashMap<usize, Vec<(String, DependencyScope)>>;

/// Takes out of manifests what a lockfile answers, and remembers who asked.
fn answer(files: &mut [File<'_>], locks: &Locks) -> Asked {
    let mut asked = Asked::new();
    let mut names: HashMap<usize, HashMap<String, BTreeSet<String>>> = HashMap::new();
    for index in 0..files.len() {
        let governing = locks.above(&files[index]).to_vec();
        if governing.is_empty() {
            continue;
        }
        for lock in &governing {
            names.entry(*lock).or_insert_with(|| {
                let mut known: HashMap<String, BTreeSet<String>> = HashMap::new();
                for package in &files[*lock].packages {
                    let key = normal_name(package.ecosystem, &package.name);
                    known.entry(key).or_default().extend(package.version.clone());
                }
                known
            });
        }
        // Lists of requirements are not what a lock was made from: an exact version of their own stays.
        let own_versions = matches!(
            files[index].format,
            Format::Requirements | Format::SetupCfg | Format::SetupPy | Format::CondaEnvironment | Format::NugetConfig
        );
        // A list that fixes everything was resolved by itself, and its entries are no direct wishes.
        let resolved_itself = own_versions && all_exact(&files[index].packages);
        let packages = std::mem::take(&mut files[index].packages);
        let mut kept = Vec::new();
        for package in packages {
            let key = normal_name(package.ecosystem, &package.name);
            let mut answered = false;
            for lock in &governing {
                let Some(versions) = names.get(lock).and_then(|known| known.get(&key)) else {
                    continue;
                };
                let differs = own_versions && package.version.as_ref().is_some_and(|own| !versions.contains(own));
                if differs {
                    continue;
                }
                answered = true;
                if !resolved_itself {
                    asked.entry(*lock).or_default().push((key.clone(), package.scope));
                }
            }
            let elsewhere = package.requirement.as_deref().is_some_and(|text| {
                is_local(text) || text == "path:" || (text == "workspace" && package.ecosystem == Ecosystem::Cargo)
            });
            if !answered && !elsewhere {
                kept.push(package);
            }
        }
        files[index].packages = kept;
    }
    asked
}

/// Decides what is direct and when it is needed, by walking the graph from what was asked for.
fn classify(file: &mut File<'_>, asked: &[(String, DependencyScope)]) {
    let Some(ecosystem) = file.ecosystem else { return };
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, package) in file.packages.iter().enumerate() {
        by_name
            .entry(normal_name(ecosystem, &package.name))
            .or_default()
            .push(index);
    }
    let find = |packages: &[Package], name: &str, version: Option<&str>| -> Vec<usize> {
        let Some(known) = by_name.get(&normal_name(ecosystem, name)) else {
            return Vec::new();
        };
        let matching: Vec<usize> = known
            .iter()
            .copied()
            .filter(|index| version.is_none() || packages[*index].version.as_deref() == version)
            .collect();
        let found = if matching.is_empty() { known.clone() } else { matching };
        // An arrow that could mean any of so many says nothing, and a hostile file could repeat it without end.
        if version.is_none() && found.len() > CANDIDATES_MAX {
            Vec::new()
        } else {
            found
        }
    };
    let wishes: BTreeMap<&str, DependencyScope> = asked.iter().fold(BTreeMap::new(), |mut wishes, (name, scope)| {
        let entry = wishes.entry(name.as_str()).or_insert(*scope);
        *entry = stronger(*entry, *scope);
        wishes
    });
    let mut direct: BTreeMap<usize, DependencyScope> = BTreeMap::new();
    let mut want = |index: usize, scope: DependencyScope| {
        let entry = direct.entry(index).or_insert(scope);
        *entry = stronger(*entry, scope);
    };
    for root in &file.facts.roots {
        let scope = match root.scope {
            DependencyScope::Unknown => wishes
                .get(normal_name(ecosystem, &root.name).as_str())
                .copied()
                .unwrap_or(DependencyScope::Unknown),
            scope => scope,
        };
        for index in find(&file.packages, &root.name, root.version.as_deref()) {
            want(index, scope);
        }
    }
    if file.facts.roots.is_empty() {
        for (name, scope) in &wishes {
            for index in find(&file.packages, name, None) {
                want(index, *scope);
            }
        }
    }
    if direct.is_empty() {
        return;
    }
    let arrows: Vec<Vec<usize>> = file
        .packages
        .iter()
        .map(|package| {
            let to = |needed: &Dependency| find(&file.packages, &needed.name, needed.version.as_deref());
            package.dependencies.iter().flat_map(to).collect()
        })
        .collect();
    let mut scopes = vec![DependencyScope::Unknown; file.packages.len()];
    for scope in [
        DependencyScope::Required,
        DependencyScope::Optional,
        DependencyScope::Peer,
        DependencyScope::Development,
    ] {
        let mut queue: VecDeque<usize> = direct
            .iter()
            .filter(|(_, s)| **s == scope)
            .map(|(index, _)| *index)
            .collect();
        while let Some(index) = queue.pop_front() {
            if scopes[index] == DependencyScope::Unknown {
                scopes[index] = scope;
                queue.extend(arrows[index].iter().copied());
            }
        }
    }
    for (index, package) in file.packages.iter_mut().enumerate() {
        if package.relation == DependencyRelation::Unknown {
            package.relation = if direct.contains_key(&index) {
                DependencyRelation::Direct
            } else {
                DependencyRelation::Transitive
            };
        }
        if package.scope == DependencyScope::Unknown {
            package.scope = scopes[index];
        }
    }
}

/// Versions and properties that modules take from parents in the same tree.
fn maven_parents(files: &mut [File<'_>]) {
    let poms: HashMap<String, usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::Pom)
        .map(|(index, file)| (file.path.to_owned(), index))
        .collect();
    for index in 0..files.len() {
        if files[index].format != Format::Pom || files[index].packages.iter().all(|package| package.version.is_some()) {
            continue;
        }
        let mut chain = Vec::new();
        let mut current = index;
        while chain.len() < PARENTS_MAX {
            let Some(parent) = &files[current].facts.parent else {
                break;
            };
            let Some(path) = relative(files[current].folder, &parent.relative_path) else {
                break;
            };
            let found = poms.get(&path).or_else(|| poms.get(&format!("{path}/pom.xml")));
            let Some(next) = found.copied() else { break };
            let name = files[next]
                .facts
                .manifest
                .as_ref()
                .and_then(|manifest| manifest.name.as_deref());
            if name != Some(parent.name.as_str()) || chain.contains(&next) || next == index {
                break;
            }
            chain.push(next);
            current = next;
        }
        if chain.is_empty() {
            continue;
        }
        let mut properties: HashMap<&str, &str> = HashMap::new();
        let mut managed: HashMap<&str, &str> = HashMap::new();
        // The module itself comes first, and what stands nearer counts.
        for source in std::iter::once(index).chain(chain) {
            let facts = files[source].facts;
            for (name, value) in &facts.properties {
                properties.entry(name).or_insert(value);
            }
            for constraint in &facts.constraints {
                managed.entry(&constraint.name).or_insert(&constraint.version);
            }
        }
        let look_up = |name: &str| properties.get(name).map(|value| (*value).to_owned());
        let mut packages = std::mem::take(&mut files[index].packages);
        for package in packages.iter_mut().filter(|package| package.version.is_none()) {
            let written = managed.get(package.name.as_str()).map(|version| (*version).to_owned());
            if let Some(text) = package.requirement.clone().or(written) {
                package.requirement = None;
                require(package, &resolve_properties(&text, &look_up));
            }
        }
        files[index].packages = packages;
    }
}

/// A path relative to a folder, without leaving the tree.
fn relative(folder: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Versions that .NET projects take from the central file above them.
fn central_versions(files: &mut [File<'_>]) {
    let central: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::DotnetCentral)
        .map(|(index, file)| (file.folder, index))
        .collect();
    if central.is_empty() {
        return;
    }
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for index in 0..files.len() {
        if files[index].format != Format::DotnetProject || files[index].packages.is_empty() {
            continue;
        }
        let Some(source) = upwards(files[index].folder).find_map(|folder| central.get(folder).copied()) else {
            continue;
        };
        used.insert(source);
        let constraints = &files[source].facts.constraints;
        let versions: HashMap<String, &str> = constraints
            .iter()
            .rev()
            .map(|found| (found.name.to_ascii_lowercase(), found.version.as_str()))
            .collect();
        for package in &mut files[index].packages {
            if package.version.is_none()
                && package.requirement.is_none()
                && let Some(version) = versions.get(&package.name.to_ascii_lowercase())
            {
                require(package, version);
            }
        }
    }
    // Where projects say what they use, a version that nobody uses is no package of the tree.
    for index in used {
        files[index]
            .packages
            .retain(|package| package.relation == DependencyRelation::Direct);
    }
}

/// Requirements that members take from the workspace above them.
fn cargo_workspace(files: &mut [File<'_>]) {
    let roots: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::CargoToml && !file.facts.constraints.is_empty())
        .map(|(index, file)| (file.folder, index))
        .collect();
    for index in 0..files.len() {
        if files[index].format != Format::CargoToml {
            continue;
        }
        let Some(root) = upwards(files[index].folder).find_map(|folder| roots.get(folder).copied()) else {
            continue;
        };
        let constraints = &files[root].facts.constraints;
        let versions: HashMap<&str, &str> = constraints
            .iter()
            .map(|found| (found.name.as_str(), found.version.as_str()))
            .collect();
        for package in &mut files[index].packages {
            if package.requirement.as_deref() == Some("workspace")
                && let Some(version) = versions.get(package.name.as_str())
            {
                package.requirement = None;
                require(package, version);
            }
        }
        files[index]
            .packages
            .retain(|package| package.requirement.as_deref() != Some("path:"));
    }
}

/// `go.sum` holds the digests of what `go.mod` names; it names more only for modules older than Go 1.17.
fn go_checksums(files: &mut [File<'_>]) {
    let sums: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::GoSum)
        .map(|(index, file)| (file.folder, index))
        .collect();
    let mut covered = Vec::new();
    for (target, file) in files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::GoMod)
    {
        let Some(sum) = sums.get(file.folder).copied() else {
            continue;
        };
        let version = file
            .facts
            .properties
            .iter()
            .find(|(key, _)| key == "go")
            .map_or("1", |(_, value)| value);
        let minor = version
            .split('.')
            .nth(1)
            .and_then(|text| text.parse::<u32>().ok())
            .unwrap_or(0);
        covered.push((sum, minor >= 17, target));
    }
    for (sum, complete, target) in covered {
        let checksums = &files[sum].facts.checksums;
        let index: HashMap<(&str, &str), &str> = checksums
            .iter()
            .map(|sum| ((sum.name.as_str(), sum.version.as_str()), sum.hash.as_str()))
            .collect();
        for package in &mut files[target].packages {
            let key = (package.name.as_str(), package.version.as_deref().unwrap_or(""));
            if let Some(hash) = index.get(&key) {
                package.hashes = vec![(*hash).to_owned()];
            }
        }
        let named: BTreeSet<String> = files[target]
            .packages
            .iter()
            .map(|package| package.name.clone())
            .collect();
        files[sum]
            .packages
            .retain(|package| !complete && !named.contains(&package.name));
        for package in &mut files[sum].packages {
            package.relation = DependencyRelation::Transitive;
        }
    }
}
